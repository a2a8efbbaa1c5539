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
/* "system", "user", ...; OTHER is "other". */
const char *ctx_role_name(enum ctx_role role);

enum ctx_block_kind {
	CTX_BLOCK_TEXT,
	CTX_BLOCK_REASONING,
	CTX_BLOCK_TOOL_CALL,   /* payload: the arguments */
	CTX_BLOCK_TOOL_RESULT, /* payload: its content */
	CTX_BLOCK_MEDIA,       /* payload: the data, never text */
	CTX_BLOCK_OPAQUE, /* payload: the whole block, which the dialect does
			     not know */
	CTX_BLOCK_KINDS
};
/* "text", "reasoning", ... */
const char *ctx_block_kind_name(enum ctx_block_kind kind);

/*
 * A content block of a message.  uint32_t members are node indices of the JSON;
 * 0: there is none.
 *
 * A tool result whose content is more than one text is followed by a block for
 * each block or text in it, with result_index set.  Those blocks are counted,
 * and payload of the result is the node that a cleared content replaces.  A
 * result with such blocks but without payload cannot be cleared.  Other blocks
 * without a payload cost nothing.
 */
struct ctx_block {
	enum ctx_block_kind kind;
	/* The block is removed by removing the node removable from container.
	 * Reasoning without them is removed only with its message. */
	uint32_t container, removable;
	uint32_t payload;
	uint32_t id, name; /* of a tool call or result; see ctx_block_tool */
	/* Of a tool call made by the program of another call: that call's id.
	 */
	uint32_t caller;
	/* Inside a result: index of the result in ctx_message.blocks, plus 1.
	 */
	uint32_t result_index;
	uint8_t prefix;    /* bytes of the name's text before the tool name */
	bool is_encrypted; /* the payload is encrypted, in base64 */
	bool is_error;     /* a result: the format says that the tool failed */
	bool is_partial;   /* a result: its call gets more results later */
	bool is_message;  /* opaque: the payload is the whole message, even if 0
			   */
	bool no_truncate; /* a text or call that must not be shortened */
	bool provider_runs; /* a call: the provider runs the tool */
};

/* Sets *tool to the tool name of a call or result; n 0: it has none.  Valid as
 * long as the result of ctx_json_text. */
int ctx_block_tool(const struct ctx_json *json, const struct ctx_block *block,
    struct ctx_buf *scratch, struct ctx_str *tool, struct ctx_err *err);

/* Flags of a message. */
enum {
	/* A user message that no person wrote. */
	CTX_MESSAGE_META = 1,
	/* The model is not shown it, so it costs nothing. */
	CTX_MESSAGE_HIDDEN = 2,
	/* Kept or removed together with the next message ... */
	CTX_MESSAGE_ATTACH_NEXT = 4,
	/* ... and with the one before, if there is one. */
	CTX_MESSAGE_ATTACH_BOTH = 8,
	/* Never removed: later messages would mean something else. */
	CTX_MESSAGE_PINNED = 16,
	/* A later record continues this message. */
	CTX_MESSAGE_IS_CONTINUED = 32,
	/* It continues the last message with IS_CONTINUED. */
	CTX_MESSAGE_CONTINUES = 64,
	/* A user message with its answer in one record: a turn by itself. */
	CTX_MESSAGE_WHOLE_TURN = 128,
	/* It refers to state that the provider stores, perhaps to the calls of
	 * results that follow. */
	CTX_MESSAGE_REMOTE_STATE = 256,
	/* Kept or removed together with the message before, if any. */
	CTX_MESSAGE_ATTACH_PREVIOUS = 512,
	/* All of it counts as results of the calls that it answers. */
	CTX_MESSAGE_RESULTS_ONLY = 1024,
};

/* A message as its dialect reads it.  A zeroed one is valid; it is reused for
 * many messages.  uint32_t members are nodes of json; 0: there is none. */
struct ctx_message {
	const struct ctx_json *json;
	uint32_t node; /* the message */
	enum ctx_role role;
	uint32_t role_node; /* 0: the dialect implies the role */
	uint32_t name;      /* of the sender */
	uint32_t model;     /* name of the model that wrote it */
	uint32_t time;      /* ISO 8601, or seconds or ms since 1970 */
	uint32_t usage;     /* usage that the provider reported with it */
	uint64_t billed;    /* input tokens, if another record reports them */
	unsigned flags;
	struct ctx_block *blocks;
	size_t n, cap;
	/* Where a record holds a prompt and its answer: the number of blocks
	 * of the prompt, which come first; else 0. */
	size_t n_prompt_blocks;
};

/*
 * True if part, reasoning of a message, carries a signature or is redacted, as
 * the reasoning of Claude models is: thinking and redacted_thinking of
 * Anthropic, reasoningContent of Bedrock, and the copies of them in the
 * formats of frameworks and agents.
 */
bool ctx_block_is_signed(const struct ctx_json *json,
    const struct ctx_block *block);
/* Returns true if any block of the message is signed reasoning. */
bool ctx_message_is_signed(const struct ctx_message *message);

/* Returns true if the model wrote the message, or an answer in it: everything
 * before it has then been sent to the provider. */
bool ctx_message_was_sent(const struct ctx_message *message);
/* Empties the message and sets its JSON and node. */
void ctx_message_reset(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node);
void ctx_message_release(struct ctx_message *message);
/* Adds a zeroed block and returns it, valid until the next call; NULL with
 * *err. */
struct ctx_block *ctx_message_add_block(struct ctx_message *message,
    enum ctx_block_kind kind, uint32_t value, struct ctx_err *err);

#endif
