/*
 * message.h - one message, parsed
 */
#ifndef CTX_MESSAGE_H
#define CTX_MESSAGE_H

#include "base/base.h"
#include "json/json.h"

/* ---- message/message.c: one message, as spans of its record ------------- */

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
	CTX_BLOCK_TOOL_CALL,   /* value: the arguments */
	CTX_BLOCK_TOOL_RESULT, /* value: the body */
	CTX_BLOCK_MEDIA,       /* value: the payload, which is never text */
	CTX_BLOCK_OPAQUE, /* value: the whole block, unknown to the dialect */
	CTX_BLOCK_KINDS
};
/* "text", "reasoning", ... */
const char *ctx_block_kind_name(enum ctx_block_kind kind);

/*
 * A part of a message.  All places are node indices, 0 where there is none.
 * A result whose body is more than a text is followed by a part for each
 * block or text in it, with owner the index of the result plus one; these
 * are then what it costs, and value is what a cleared body takes the place
 * of.  A result with parts of its own but no value has a body that no text
 * may stand in for; other parts without a value cost nothing.
 */
struct ctx_block {
	enum ctx_block_kind kind;
	/* Taken out by dropping child from parent.  Reasoning without them
	 * goes only with its message. */
	uint32_t container, removable;
	uint32_t payload;
	uint32_t id, name; /* of a call or result: see ctx_block_tool */
	uint32_t caller;   /* of a call that another call's program made: the
			    * id of that one */
	uint32_t result_index;
	uint8_t prefix; /* bytes of the name's text that are before the name */
	bool is_encrypted; /* the value is encrypted, in base64 */
	bool is_error;     /* a result: the format says that its call failed */
	bool is_partial;   /* a result: its call gets others after it */
	bool is_message;   /* opaque: the value is the whole message, whose node
			    * may   be 0 */
	bool no_truncate;  /* a text that also calls or tells what its message
			    * is, or  a call whose value is no free form: nothing
			    * is cut out  of it */
	bool provider_runs; /* a call: the provider runs the tool */
};

/* The name of the tool of a call or result, n 0: it says none; lives as what
 * ctx_json_text gives. */
int ctx_block_tool(const struct ctx_json *json, const struct ctx_block *block,
    struct ctx_buf *scratch, struct ctx_str *tool, struct ctx_err *err);

enum {
	CTX_MESSAGE_META = 1,   /* a user record that no person wrote */
	CTX_MESSAGE_HIDDEN = 2, /* the model is not shown it: costs nothing */
	CTX_MESSAGE_ATTACH_NEXT =
	    4, /* stands or falls with the message behind it */
	CTX_MESSAGE_ATTACH_BOTH =
	    8, /* ... and with the one before it, if any */
	CTX_MESSAGE_PINNED =
	    16, /* never goes: without it the rest would change */
	CTX_MESSAGE_IS_CONTINUED =
	    32, /* a record further on goes on with this message */
	CTX_MESSAGE_CONTINUES =
	    64, /* goes on with the last one that had MORE */
	CTX_MESSAGE_WHOLE_TURN = 128, /* a user's message with what answered it:
				       * a turn by itself, which goes whole */
	CTX_MESSAGE_REMOTE_STATE =
	    256, /* names what the provider keeps, which may
		  * be calls of results that follow */
	CTX_MESSAGE_ATTACH_PREVIOUS = 512, /* stands or falls with the message
					    * before it, if any */
	CTX_MESSAGE_RESULTS_ONLY =
	    1024, /* is sent for the calls that it answers: all
		   * of it is their results */
};

/* A message as its dialect reads it.  Zero is valid; reused over messages. */
struct ctx_message {
	const struct ctx_json *json;
	uint32_t node; /* the message, a node of json */
	enum ctx_role role;
	uint32_t role_node; /* 0: the dialect implies the role */
	uint32_t name;      /* of the sender */
	uint32_t model;     /* the name of the model that wrote it */
	uint32_t time;      /* when: ISO 8601, or seconds or ms since 1970 */
	uint32_t usage;     /* what the provider says that it cost */
	uint64_t billed;    /* input tokens, where another record says that */
	unsigned flags;
	struct ctx_block *blocks;
	size_t n, cap;
	size_t n_prompt_blocks; /* of the parts, those that were sent, if the
				 * others are what came back; else 0 */
};

/*
 * True if part, reasoning of a message, carries a signature or is redacted, as
 * the reasoning of Claude models is: thinking and redacted_thinking of
 * Anthropic, reasoningContent of Bedrock, and the copies of them in the
 * formats of frameworks and agents.
 */
bool ctx_block_is_signed(const struct ctx_json *json,
    const struct ctx_block *block);
/* True if any part of the message is signed reasoning. */
bool ctx_message_is_signed(const struct ctx_message *message);

/* True if the model wrote the message, or the answer that stands in it: then
 * all before it has been sent. */
bool ctx_message_was_sent(const struct ctx_message *message);
/* Empties the view and points it at a message. */
void ctx_message_reset(struct ctx_message *message, const struct ctx_json *json,
    uint32_t node);
void ctx_message_release(struct ctx_message *message);
/* Adds a zeroed part, returns it (until the next add) or NULL. */
struct ctx_block *ctx_message_add_block(struct ctx_message *message,
    enum ctx_block_kind kind, uint32_t value, struct ctx_err *err);

#endif
