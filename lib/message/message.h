/*
 * message.h - one message of a conversation, parsed into content blocks
 */
#ifndef CTX_MESSAGE_H
#define CTX_MESSAGE_H

#include "base/base.h"
#include "json/json.h"

/* ---- message/message.c: one message and its blocks ---------------------- */

enum ctx_role {
	CTX_ROLE_OTHER, /* any role that ctx does not know */
	CTX_ROLE_SYSTEM,
	CTX_ROLE_USER,
	CTX_ROLE_ASSISTANT,
	CTX_ROLE_TOOL,
};
/* Returns the name of a role, such as "system" or "user".  Returns "other" for
 * CTX_ROLE_OTHER. */
const char *ctx_role_name(enum ctx_role role);

enum ctx_block_kind {
	CTX_BLOCK_TEXT,
	CTX_BLOCK_REASONING,
	/* A tool call.  Its payload (content) is the arguments of the call. */
	CTX_BLOCK_TOOL_CALL,
	/* A tool result.  Its payload is the content of the result. */
	CTX_BLOCK_TOOL_RESULT,
	/* An image or other media.  Its payload (content) is the data of the
	 * media, or a URL.  The payload is not a text for the model. */
	CTX_BLOCK_MEDIA,
	/* A block of a type that ctx does not know in the dialect (format) of
	 * the message.  Its payload is the JSON node of the whole block. */
	CTX_BLOCK_OPAQUE,
	CTX_BLOCK_KINDS
};
/* Returns the name of a kind of content block, such as "text" or
 * "reasoning". */
const char *ctx_block_kind_name(enum ctx_block_kind kind);

/*
 * A content block of a message.  Members of type uint32_t, except result_index,
 * are indices of JSON nodes; 0 means that there is no such node.
 *
 * payload is the JSON node with the content of the block, such as the text of a
 * text block.  To shorten a tool result, ctx replaces this node; a tool result
 * without a payload cannot be shortened.  A block of another kind without a
 * payload has no tokens.
 *
 * A tool result contains either one text or a list of blocks.  Each block of
 * such a list is also a ctx_block: it comes after the block of the tool result
 * in ctx_message.blocks.  Its member result_index says which block is the tool
 * result.  The tokens of the tool result are then the tokens of these blocks.
 */
struct ctx_block {
	enum ctx_block_kind kind;
	/* To remove the block from its message, remove the node "removable"
	 * from the JSON array or object "container".  If both members are 0 in
	 * a reasoning block, the block can be removed only together with its
	 * message. */
	uint32_t container, removable;
	uint32_t payload;
	/* id: JSON node of the tool call's id; name: JSON node of the tool's
	 * name.  A tool result has the id and the tool name of the call that
	 * the result answers.  See ctx_block_tool. */
	uint32_t id, name;
	/* JSON node of an id.  Set for a tool call that was made not by the
	 * model, but by a program that the model has written: id of the tool
	 * call that runs this program.  Set for an opaque block with a call
	 * that the user has approved: id of the request for the approval. */
	uint32_t caller;
	/* JSON node of a string: the signature of reasoning.  0 if the block
	 * has none, or if the code for the format of the message does not set
	 * it.  Gemini writes the signature of reasoning into the tool call
	 * after it; this signature is sent back and billed with the call.
	 * Claude's contains the whole reasoning in encrypted form. */
	uint32_t signature;
	/* For a block inside a tool result: index of the tool result in
	 * ctx_message.blocks, plus 1.  For other blocks: 0. */
	uint32_t result_index;
	/* Number of bytes before the name of the tool in the string at the node
	 * "name", such as 5 for "tool-read".  Usually 0. */
	uint8_t prefix;
	/* true if the payload is encrypted (ctx_encrypted_text) */
	bool is_encrypted;
	/* For a tool result: true if the tool call failed.  Depending on the
	 * format, this is read from the content of the result (see
	 * ctx_dialect.failed), or from a JSON member beside the content. */
	bool is_error;
	/* For a tool result: true if a JSON member beside the content says that
	 * the tool call succeeded.  In many formats, none says so. */
	bool is_success;
	/* For a tool result: true if later messages have further results of the
	 * same tool call. */
	bool is_partial;
	/* For a block of a type that ctx does not know: true if the block
	 * stands for a whole message.  The payload of such a block is the JSON
	 * node of the message, or 0. */
	bool is_message;
	/* For a text or a tool call: true if ctx must not shorten the block. */
	bool no_truncate;
	/* For a tool call: true if the provider runs the tool, and not the
	 * user's program. */
	bool provider_runs;
	/* For a reasoning block: true if the block is a copy of another
	 * reasoning block of the same message.  The copy has no tokens, and is
	 * removed together with the other block. */
	bool is_copy;
};

/* Sets *tool to the name of the tool of a tool call or tool result, or to an
 * empty text if the block has no name. *tool points into the JSON text.  If the
 * name has escapes, it points to a decoded copy of the name in scratch.
 * Returns 0, or -1 with *err. */
int ctx_block_tool(const struct ctx_json *json, const struct ctx_block *block,
    struct ctx_buf *scratch, struct ctx_str *tool, struct ctx_err *err);

/* Returns the base64 of an encrypted payload, a JSON string.  The string is the
 * base64 or, in pi, the JSON text of an item of OpenAI's Responses API that
 * contains the base64. node: the payload.  The returned text points into the
 * JSON text; it is empty if the payload is not a string. */
struct ctx_str ctx_encrypted_text(const struct ctx_json *json, uint32_t node);

/* Flags of a message (ctx_message.flags). */
enum {
	/* A message with the role user that no person wrote, such as a
	 * reminder that an agent inserted. */
	CTX_MESSAGE_META = 1,
	/* The message is not sent to the model, so it counts no tokens. */
	CTX_MESSAGE_HIDDEN = 2,
	/* The message must be kept or removed together with the message after
	 * it. */
	CTX_MESSAGE_ATTACH_NEXT = 4,
	/* The message must be kept or removed together with both neighbours:
	 * the message before it and the message after it. */
	CTX_MESSAGE_ATTACH_BOTH = 8,
	/* The message must never be removed, because removing it would change
	 * the meaning of later messages. */
	CTX_MESSAGE_PINNED = 16,
	/* The message is not complete: a later record of the input has the next
	 * part of the message. */
	CTX_MESSAGE_IS_CONTINUED = 32,
	/* The record is not a new message.  The record has the next part of the
	 * newest message with the flag CTX_MESSAGE_IS_CONTINUED. */
	CTX_MESSAGE_CONTINUES = 64,
	/* The record contains a whole turn: a user message, and the assistant's
	 * answer to it. */
	CTX_MESSAGE_WHOLE_TURN = 128,
	/* The provider stores the earlier messages of the conversation, which
	 * may be missing in the input.  So tool results may answer tool calls
	 * that are not in the input. */
	CTX_MESSAGE_REMOTE_STATE = 256,
	/* This message must be kept or removed together with the message
	 * before it, if there is one. */
	CTX_MESSAGE_ATTACH_PREVIOUS = 512,
	/* The message contains nothing but tool results. */
	CTX_MESSAGE_RESULTS_ONLY = 1024,
	/* The message belongs to an earlier turn: the user has written a later
	 * message.  Never set if each message is a record of its own, because
	 * such a message is parsed before later messages are read. */
	CTX_MESSAGE_EARLIER = 2048,
	/* The message was sent to the model earlier, but would not be sent now.
	 * Such a message also has the flag CTX_MESSAGE_HIDDEN.  A message that
	 * is never sent has CTX_MESSAGE_HIDDEN, but not
	 * CTX_MESSAGE_INACTIVE. */
	CTX_MESSAGE_INACTIVE = 4096,
	/* A message with the role user that does not begin a turn: a reminder
	 * of the agent, or a text that the user typed while the agent worked.
	 * If it stands between a tool call and its result, the agent sends it
	 * after the result. */
	CTX_MESSAGE_ATTACHMENT = 8192,
};

/* How a provider treats reasoning if anything before it was changed. */
enum ctx_binding {
	CTX_BINDS_NOTHING, /* as any other reasoning */
	/* The provider refuses the request if the reasoning is signed
	 * (ctx_block_is_signed). */
	CTX_BINDS_REFUSED,
	/* The provider leaves out the reasoning and answers the request.
	 * Applies to items of OpenAI's Responses API that are only
	 * reasoning. */
	CTX_BINDS_DROPPED,
};

/* How an item of OpenAI's Responses API is linked to the reasoning item before
 * it.  The API knows by the item's id that it has sent the item after
 * reasoning, and refuses the item without that reasoning. */
enum ctx_reasoning_link {
	CTX_LINK_NONE,      /* the item is not linked */
	CTX_LINK_REASONING, /* the item is a reasoning item */
	/* The item is linked by its id.  The API takes it without an id, too
	 * (ctx_message.id_key). */
	CTX_LINK_BY_ID,
	/* The item is linked by its id, which must not be left out. */
	CTX_LINK_FIXED,
};

/* A parsed message.  The functions of its dialect (message format) have read it
 * from JSON.  A struct of zeros is valid.  The struct can be used again for
 * another message.  Members of type uint32_t are indices of JSON nodes; 0 means
 * that there is no such node. */
struct ctx_message {
	const struct ctx_json *json;
	/* the message's format, set by ctx_dialect_read_message */
	const struct ctx_dialect *dialect;
	uint32_t node; /* JSON node of the whole message */
	enum ctx_role role;
	/* JSON node of the message's role, or 0 if it has none */
	uint32_t role_node;
	uint32_t name; /* JSON node of the sender's name */
	/* JSON node of the name of the model that wrote the message */
	uint32_t model;
	/* JSON node of the message's timestamp; see ctx_time_parse */
	uint32_t time;
	/* JSON node of a second copy of the tool result, which some agents
	 * store beside the message (see ctx_dialect.result_copy).  0 if there
	 * is none. */
	uint32_t result_copy;
	/* JSON node of the tool definitions of the request that contains the
	 * message.  0 if there are none, or if the message is a record.  Set by
	 * the stream. */
	uint32_t tools;
	/* Number of input tokens that the provider billed for the request which
	 * this message answers.  Set only if this number is in another record
	 * than the message.  Otherwise 0. */
	uint64_t billed;
	enum ctx_reasoning_link link;
	/* JSON node of the key of the item's id, and JSON node of the object
	 * that has this key.  Set if link is CTX_LINK_BY_ID. */
	uint32_t id_key, id_owner;
	unsigned flags;
	struct ctx_block *blocks;
	size_t n, cap;
	/* If a record contains both a prompt and the answer to it: number of
	 * blocks of the prompt, which come before the blocks of the answer.
	 * Otherwise 0. */
	size_t n_prompt_blocks;
};

/* Returns true if a reasoning block is signed or redacted, as Claude's
 * reasoning is.  The block may be a thinking or redacted_thinking block of
 * Anthropic, reasoningContent of Bedrock, or a signed or redacted reasoning
 * block in the format of a framework or agent.  Returns false if the block can
 * be removed only together with its message. */
bool ctx_block_is_signed(const struct ctx_json *json,
    const struct ctx_block *block);
/* Returns true if the message has a block of the given kind. */
bool ctx_message_has(const struct ctx_message *message,
    enum ctx_block_kind kind);
/* Returns true if any block of the message is signed reasoning. */
bool ctx_message_is_signed(const struct ctx_message *message);
/* Returns true if a message has reasoning that its provider does not take after
 * a changed message.  Such reasoning is called bound. */
bool ctx_message_is_bound(const struct ctx_message *message,
    enum ctx_binding binding);

/* Returns true if it is certain that all messages before this message were sent
 * to the provider.  This is so if the model wrote this message, or if the
 * record of this message also contains the model's answer, as in the database
 * of the program llm. */
bool ctx_message_was_sent(const struct ctx_message *message);
/* Returns true if a person has written at least a part of the message.  This is
 * so in two cases: the record of the message contains a whole turn
 * (CTX_MESSAGE_WHOLE_TURN); or the message has the role user and content that
 * is not a tool result, and does not have the flag CTX_MESSAGE_META.  Returns
 * false for a text that the user typed while the agent worked
 * (CTX_MESSAGE_ATTACHMENT). */
bool ctx_message_is_from_user(const struct ctx_message *message);
/* Empties *message, before a message is read into this struct.  Keeps the
 * memory of the blocks for reuse. node: the JSON node of the new message. */
void ctx_message_reset(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node);
void ctx_message_release(struct ctx_message *message);
/* Appends a block of the given kind to the message.  The payload of the block
 * is value; the other members are 0.  Returns a pointer to the block, valid
 * until the next block is added, or NULL with *err if there is no memory. */
struct ctx_block *ctx_message_add_block(struct ctx_message *message,
    enum ctx_block_kind kind, uint32_t value, struct ctx_err *err);

#endif
