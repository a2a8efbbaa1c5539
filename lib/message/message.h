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
 * A content block of a message.  uint32_t members are indices of JSON nodes; 0
 * means none.
 *
 * A tool result whose content is more than one text is followed by a block for
 * each block or text in it, with result_index set.  Those blocks are counted.
 * The payload of the result is then the node that is replaced when its content
 * is cleared; without payload the result cannot be cleared.  Other blocks
 * without a payload cost nothing.
 */
struct ctx_block {
	enum ctx_block_kind kind;
	/* To remove the block, removable is removed from container.  Reasoning
	 * without these is removed only with its message. */
	uint32_t container, removable;
	uint32_t payload;
	uint32_t id, name; /* of a tool call or result; see ctx_block_tool */
	/* Of a tool call that the program of another call made: that call's
	 * id. */
	uint32_t caller;
	/* Of a block within a result: index of the result in
	 * ctx_message.blocks, plus 1. */
	uint32_t result_index;
	uint8_t prefix;    /* bytes of the name's text before the tool name */
	bool is_encrypted; /* the payload is encrypted, in base64 */
	bool is_error;     /* result: the format says that the tool failed */
	bool is_partial;   /* result: its call gets more results later */
	bool is_message; /* opaque: payload is the whole message, even node 0 */
	bool no_truncate;   /* text or call: must not be shortened */
	bool provider_runs; /* call: the provider runs the tool */
	/* Reasoning that repeats other reasoning of the message: it costs
	 * nothing, and is removed with that. */
	bool is_copy;
};

/* Sets *tool to the tool name of a call or result, which is empty if it has
 * none.  *tool is valid as long as the result of ctx_json_text is. */
int ctx_block_tool(const struct ctx_json *json, const struct ctx_block *block,
    struct ctx_buf *scratch, struct ctx_str *tool, struct ctx_err *err);

/* Flags of a message. */
enum {
	/* A user message that no person wrote. */
	CTX_MESSAGE_META = 1,
	/* The model does not see it, so it costs nothing. */
	CTX_MESSAGE_HIDDEN = 2,
	/* Kept or removed together with the next message ... */
	CTX_MESSAGE_ATTACH_NEXT = 4,
	/* ... and with the one before, if there is one. */
	CTX_MESSAGE_ATTACH_BOTH = 8,
	/* Never removed: without it later messages would mean something
	 * else. */
	CTX_MESSAGE_PINNED = 16,
	/* A later record continues this message. */
	CTX_MESSAGE_IS_CONTINUED = 32,
	/* It continues the last message with CTX_MESSAGE_IS_CONTINUED. */
	CTX_MESSAGE_CONTINUES = 64,
	/* A user message with its answer in one record: one whole turn. */
	CTX_MESSAGE_WHOLE_TURN = 128,
	/* It refers to state that the provider stores.  That may include the
	 * calls of results after it. */
	CTX_MESSAGE_REMOTE_STATE = 256,
	/* Kept or removed together with the message before, if any. */
	CTX_MESSAGE_ATTACH_PREVIOUS = 512,
	/* All its blocks count as results of the calls that it answers. */
	CTX_MESSAGE_RESULTS_ONLY = 1024,
};

/* A message as its dialect reads it.  A zeroed one is valid, and is reused for
 * many messages.  uint32_t members are indices of nodes of json; 0 means
 * none. */
struct ctx_message {
	const struct ctx_json *json;
	const struct ctx_dialect *dialect; /* set by ctx_dialect_read_message */
	uint32_t node;                     /* node of the message */
	enum ctx_role role;
	uint32_t role_node; /* node of the role; 0: the dialect implies it */
	uint32_t name;      /* name of the sender */
	uint32_t model;     /* name of the model that wrote it */
	uint32_t time;      /* ISO 8601, or seconds or ms since 1970 */
	uint32_t usage;     /* token usage that the provider reported with it */
	uint64_t billed;    /* input tokens, if another record reports them */
	unsigned flags;
	struct ctx_block *blocks;
	size_t n, cap;
	/* If a record contains a prompt and its answer: the number of blocks of
	 * the prompt, which come first; else 0. */
	size_t n_prompt_blocks;
};

/*
 * Returns true if a reasoning block has a signature or is redacted, as the
 * reasoning of Claude models is.  That is thinking and redacted_thinking of
 * Anthropic, reasoningContent of Bedrock, and their copies in the formats of
 * frameworks and agents.
 */
bool ctx_block_is_signed(const struct ctx_json *json,
    const struct ctx_block *block);
/* Returns true if any block of the message is signed reasoning. */
bool ctx_message_is_signed(const struct ctx_message *message);

/* Returns true if the model wrote the message, or an answer that the same
 * record holds.  Everything before it has then been sent to the provider. */
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
