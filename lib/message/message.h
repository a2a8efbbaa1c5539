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
/* Returns the name of a role, such as "system" or "user".  For CTX_ROLE_OTHER
 * this is "other". */
const char *ctx_role_name(enum ctx_role role);

enum ctx_block_kind {
	CTX_BLOCK_TEXT,
	CTX_BLOCK_REASONING,
	CTX_BLOCK_TOOL_CALL,   /* payload: the arguments of the call */
	CTX_BLOCK_TOOL_RESULT, /* payload: the content of the result */
	/* an image or other media; payload: the data or a URL, never text */
	CTX_BLOCK_MEDIA,
	/* A block of a type that ctx does not know in this format. payload:
	 * the JSON node of the whole block. */
	CTX_BLOCK_OPAQUE,
	CTX_BLOCK_KINDS
};
/* Returns the name of a kind of blocks: "text", "reasoning", ... */
const char *ctx_block_kind_name(enum ctx_block_kind kind);

/*
 * A content block of a message.  Members of type uint32_t are indices of JSON
 * nodes; 0 means that there is no such node.
 *
 * A tool result contains one text, or a list of blocks.  If it contains a list,
 * the result is a ctx_block, and each block of the list is another ctx_block
 * after it, with result_index set.  The tokens of the result are then those of
 * these blocks.
 *
 * payload is the node of what the block contains, such as the text of a text
 * block.  To shorten a tool result, ctx replaces its payload; a result without
 * a payload cannot be shortened.  A block that is no tool result and has no
 * payload has no tokens.
 */
struct ctx_block {
	enum ctx_block_kind kind;
	/* To remove the block from the message, the node removable is removed
	 * from the node container, a JSON array or object.  A reasoning block
	 * with 0 in both members can be removed only together with its
	 * message. */
	uint32_t container, removable;
	uint32_t payload;
	/* Id and tool name.  A tool call has its own; a tool result has those
	 * of the call that it answers.  See ctx_block_tool. */
	uint32_t id, name;
	/* For a tool call that was made by a program which the model has
	 * written: id of the tool call that runs this program. */
	uint32_t caller;
	/* For a tool call of Gemini: the signature of the thoughts before it, a
	 * JSON string.  It is sent and billed with the call. */
	uint32_t signature;
	/* For a block inside a tool result: index of that result in
	 * ctx_message.blocks, plus 1.  For other blocks 0. */
	uint32_t result_index;
	/* The JSON string with the tool's name may have other text before the
	 * name.  This is the length of that text in bytes. */
	uint8_t prefix;
	bool is_encrypted; /* true if the payload is encrypted, as base64 */
	/* True for a tool result if the message says that the tool call failed:
	 * in the content of the result (see ctx_dialect.failed) or, in other
	 * formats, in a member beside the content. */
	bool is_error;
	/* True for a tool result if later messages have further results of its
	 * tool call. */
	bool is_partial;
	/* True for an opaque block (of unknown type) that stands for a whole
	 * message.  Its payload is the JSON node of the message, or 0. */
	bool is_message;
	/* True for a text or a tool call that must not be shortened. */
	bool no_truncate;
	/* True for a tool call if the provider, not the user's program, runs
	 * the tool. */
	bool provider_runs;
	/* True for a reasoning block that repeats another reasoning block of
	 * its message.  The copy has no tokens, and is removed together with
	 * the other block. */
	bool is_copy;
};

/* Sets *tool to the tool name of a tool call or tool result, or to an empty
 * text if the block has none.  *tool points into the JSON; if the name has
 * escapes, it is decoded and *tool points into scratch. */
int ctx_block_tool(const struct ctx_json *json, const struct ctx_block *block,
    struct ctx_buf *scratch, struct ctx_str *tool, struct ctx_err *err);

/* Flags of a message (ctx_message.flags). */
enum {
	/* A message with the role user that no person wrote, such as a
	 * reminder that an agent inserted. */
	CTX_MESSAGE_META = 1,
	/* The message is not sent to the model, so it counts no tokens. */
	CTX_MESSAGE_HIDDEN = 2,
	/* This message must be kept or removed together with the next one. */
	CTX_MESSAGE_ATTACH_NEXT = 4,
	/* This message must be kept or removed together with the message
	 * before it and the one after it. */
	CTX_MESSAGE_ATTACH_BOTH = 8,
	/* The message must never be removed, because later messages would then
	 * have another meaning. */
	CTX_MESSAGE_PINNED = 16,
	/* The message is not complete: a later record of the input continues
	 * it. */
	CTX_MESSAGE_IS_CONTINUED = 32,
	/* The record is not a new message: it continues the last message that
	 * has the flag CTX_MESSAGE_IS_CONTINUED. */
	CTX_MESSAGE_CONTINUES = 64,
	/* The record contains a user message and the assistant's answer to it,
	 * so it is a whole turn. */
	CTX_MESSAGE_WHOLE_TURN = 128,
	/* Earlier messages are stored by the provider, not in the input, and
	 * this message refers to them.  So tool results may answer tool calls
	 * that are not in the input. */
	CTX_MESSAGE_REMOTE_STATE = 256,
	/* This message must be kept or removed together with the message
	 * before it, if there is one. */
	CTX_MESSAGE_ATTACH_PREVIOUS = 512,
	/* The message contains nothing but tool results. */
	CTX_MESSAGE_RESULTS_ONLY = 1024,
	/* The user has written a later message of the conversation, so this
	 * message belongs to an earlier turn.  Never set if each message of a
	 * stream is a record, because later records are not known then. */
	CTX_MESSAGE_EARLIER = 2048,
	/* The message was sent to the model earlier, but now it is not in the
	 * active context.  It also has the flag CTX_MESSAGE_HIDDEN.  Not set
	 * for a message that would be hidden anyway. */
	CTX_MESSAGE_INACTIVE = 4096,
};

/* A parsed message.  The functions of its dialect (message format) have read
 * it from JSON.  A zeroed struct is valid and can be used for many messages,
 * one after another.  Members of type uint32_t are indices of nodes in json; 0
 * means that there is no such node. */
struct ctx_message {
	const struct ctx_json *json;
	const struct ctx_dialect *dialect; /* set by ctx_dialect_read_message */
	uint32_t node;                     /* JSON node of the whole message */
	enum ctx_role role;
	/* JSON node with the message's role; 0 if the format has no such
	 * member. */
	uint32_t role_node;
	uint32_t name;  /* name of the sender */
	uint32_t model; /* name of the model that wrote the message */
	uint32_t time;  /* time of writing, see ctx_time_parse */
	/* JSON node of the agent's copy of the message's tool result (see
	 * ctx_dialect.result_copy); 0 if there is none. */
	uint32_t result_copy;
	/* Input tokens that the provider billed for the request, if another
	 * record reports them; else 0. */
	uint64_t billed;
	unsigned flags;
	struct ctx_block *blocks;
	size_t n, cap;
	/* If a record contains both a prompt and the answer to it: how many of
	 * the blocks, from the first one on, belong to the prompt.  Otherwise
	 * 0. */
	size_t n_prompt_blocks;
};

/* Returns true if a reasoning block has a signature or is redacted, as
 * reasoning of Claude models is.  The block may be a thinking or
 * redacted_thinking block of Anthropic, reasoningContent of Bedrock, or a copy
 * of one of these in the format of a framework or agent. */
bool ctx_block_is_signed(const struct ctx_json *json,
    const struct ctx_block *block);
/* Returns true if any block of the message is signed reasoning. */
bool ctx_message_is_signed(const struct ctx_message *message);

/* Returns true if the model wrote this message, or if the record of this
 * message also contains the model's answer to it, as a row in the database of
 * the program llm does.  In both cases all messages before this one were sent
 * to the provider. */
bool ctx_message_was_sent(const struct ctx_message *message);
/* Returns true if a person has written the message or a part of it: it has the
 * role user, and content beside tool results. */
bool ctx_message_is_from_user(const struct ctx_message *message);
/* Empties *message, so that another message can be read into it: the one at
 * this node of the JSON document.  The memory for blocks is used again. */
void ctx_message_reset(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node);
void ctx_message_release(struct ctx_message *message);
/* Appends a zeroed block to the message.  Returns a pointer to the block,
 * which is valid until the next call; NULL with *err if there is no memory. */
struct ctx_block *ctx_message_add_block(struct ctx_message *message,
    enum ctx_block_kind kind, uint32_t value, struct ctx_err *err);

#endif
