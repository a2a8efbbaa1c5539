/*
 * message.h - one message, parsed
 */
#ifndef CTX_MESSAGE_H
#define CTX_MESSAGE_H

#include "base/base.h"
#include "json/json.h"

/* ---- message/message.c: one message and its blocks ---------------------- */

enum ctx_role {
	CTX_ROLE_OTHER, /* a role that no dialect here knows */
	CTX_ROLE_SYSTEM,
	CTX_ROLE_USER,
	CTX_ROLE_ASSISTANT,
	CTX_ROLE_TOOL,
};
/* Returns the role's name, such as "system" or "user"; "other" for
 * CTX_ROLE_OTHER. */
const char *ctx_role_name(enum ctx_role role);

enum ctx_block_kind {
	CTX_BLOCK_TEXT,
	CTX_BLOCK_REASONING,
	CTX_BLOCK_TOOL_CALL,   /* payload: the arguments */
	CTX_BLOCK_TOOL_RESULT, /* payload: its content */
	CTX_BLOCK_MEDIA,       /* payload: the data, never text */
	/* payload: the JSON node of the whole block; the type of the block is
	 * unknown in this format */
	CTX_BLOCK_OPAQUE,
	CTX_BLOCK_KINDS
};
/* "text", "reasoning", ... */
const char *ctx_block_kind_name(enum ctx_block_kind kind);

/*
 * A content block of a message.  Members of type uint32_t are indices of JSON
 * nodes; 0 means that there is no such node.
 *
 * Some tool results contain a list of blocks instead of one text.  Then the
 * result is a ctx_block, and each block of its list is another ctx_block after
 * it, with result_index set.  The tokens of the result are those of the blocks
 * in its list.  When the result is shortened, the node payload is replaced; a
 * result without a payload cannot be shortened.  A block of another kind that
 * has no payload has no tokens.
 */
struct ctx_block {
	enum ctx_block_kind kind;
	/* The block is removed from the message by removing the node removable
	 * from the array or object container.  If both are 0, a reasoning
	 * block can be removed only with its message. */
	uint32_t container, removable;
	uint32_t payload;
	/* id and name of a tool call, or of the call that a tool result
	 * answers; see ctx_block_tool */
	uint32_t id, name;
	/* The model may write a program that makes tool calls.  For such a
	 * call: the id of the call that runs the program. */
	uint32_t caller;
	/* For a block inside a tool result: index of the tool result in
	 * ctx_message.blocks, plus 1; for other blocks 0. */
	uint32_t result_index;
	/* number of bytes before the tool's name in the JSON string that
	 * contains the name */
	uint8_t prefix;
	bool is_encrypted; /* the payload is encrypted, in base64 */
	/* true for a tool result that the format marks as an error of the tool
	 */
	bool is_error;
	/* true for a tool result if later messages have more results of this
	 * call */
	bool is_partial;
	/* true for an opaque block (of unknown type) whose payload is the JSON
	 * node of the whole message; this node may be 0 */
	bool is_message;
	bool no_truncate;   /* text or call: must not be shortened */
	bool provider_runs; /* call: the provider runs the tool */
	/* True for a reasoning block that repeats another reasoning block of
	 * the message: the copy has no tokens, and is removed with the other
	 * one. */
	bool is_copy;
};

/* Sets *tool to the name of the tool of a call or result; empty if the block
 * has none.  *tool remains valid as long as a result of ctx_json_text does. */
int ctx_block_tool(const struct ctx_json *json, const struct ctx_block *block,
    struct ctx_buf *scratch, struct ctx_str *tool, struct ctx_err *err);

/* Flags of a message. */
enum {
	/* A user message that no person wrote. */
	CTX_MESSAGE_META = 1,
	/* The message is not sent to the model, so it has no tokens. */
	CTX_MESSAGE_HIDDEN = 2,
	/* This message and the next one are kept or removed together. */
	CTX_MESSAGE_ATTACH_NEXT = 4,
	/* This message is kept or removed together with the messages before
	 * and after it. */
	CTX_MESSAGE_ATTACH_BOTH = 8,
	/* The message is never removed: without it later messages would have
	 * another meaning. */
	CTX_MESSAGE_PINNED = 16,
	/* A later record continues this message. */
	CTX_MESSAGE_IS_CONTINUED = 32,
	/* The record continues the message of an earlier record, the last one
	 * with CTX_MESSAGE_IS_CONTINUED. */
	CTX_MESSAGE_CONTINUES = 64,
	/* The record contains a user message and the assistant's answer, so it
	 * is one whole turn. */
	CTX_MESSAGE_WHOLE_TURN = 128,
	/* The message refers to messages that the provider has stored.  The
	 * tool calls of later results may be among them. */
	CTX_MESSAGE_REMOTE_STATE = 256,
	/* This message and the one before it, if any, are kept or removed
	 * together. */
	CTX_MESSAGE_ATTACH_PREVIOUS = 512,
	/* All blocks of this message are results of the tool calls that it
	 * answers. */
	CTX_MESSAGE_RESULTS_ONLY = 1024,
};

/* A message, read from JSON by the functions of its dialect (format).  A
 * zeroed struct is valid and can be used for many messages, one after another.
 * Members of type uint32_t are indices of nodes of json; 0 means that there is
 * no such node. */
struct ctx_message {
	const struct ctx_json *json;
	const struct ctx_dialect *dialect; /* set by ctx_dialect_read_message */
	uint32_t node;                     /* node of the message */
	enum ctx_role role;
	/* index of the JSON node with the message's role; 0 if the format has
	 * no such member */
	uint32_t role_node;
	uint32_t name;  /* name of the sender */
	uint32_t model; /* name of the model that wrote it */
	uint32_t time;  /* ISO 8601, or seconds or ms since 1970 */
	/* token usage that the provider reported in this message */
	uint32_t usage;
	/* input tokens of the request, as reported in another record; else 0 */
	uint64_t billed;
	unsigned flags;
	struct ctx_block *blocks;
	size_t n, cap;
	/* If a record contains a prompt and its answer, the first
	 * n_prompt_blocks blocks belong to the prompt; else 0. */
	size_t n_prompt_blocks;
};

/* Returns true if a reasoning block has a signature or is redacted, as
 * reasoning of Claude models is: thinking and redacted_thinking blocks of
 * Anthropic, reasoningContent of Bedrock, and the copies of these in formats
 * of frameworks and agents. */
bool ctx_block_is_signed(const struct ctx_json *json,
    const struct ctx_block *block);
/* Returns true if any block of the message is signed reasoning. */
bool ctx_message_is_signed(const struct ctx_message *message);

/* Returns true if the model wrote the message, or an answer that is in the
 * same record as the message.  All messages before it have then been sent to
 * the provider. */
bool ctx_message_was_sent(const struct ctx_message *message);
/* Removes all blocks from the message, and sets its JSON document and its node
 * there. */
void ctx_message_reset(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node);
void ctx_message_release(struct ctx_message *message);
/* Appends a zeroed block to the message.  Returns a pointer that is valid
 * until the next call; NULL with *err if there is no memory. */
struct ctx_block *ctx_message_add_block(struct ctx_message *message,
    enum ctx_block_kind kind, uint32_t value, struct ctx_err *err);

#endif
