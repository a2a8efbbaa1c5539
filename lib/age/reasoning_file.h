/* reasoning_file.h - names of the spool files that hold removed reasoning */
#ifndef CTX_AGE_REASONING_FILE_H
#define CTX_AGE_REASONING_FILE_H

#include "message/message.h"
#include "store/store.h"

/*
 * ctx_age removes bound reasoning and leaves no reference in the message,
 * because the model would read the reference.  The original message is stored
 * in the spool file reasoning-DIGITS.json: its JSON and a line feed.
 * ctx_restore finds the file by the message without reasoning.  DIGITS are of a
 * sha256 over that message, its index, and the texts, tool calls and media of
 * the conversation so far: messages like "ok" occur in many conversations.
 */
/* The place of a message in its conversation. */
struct message_place {
	/* Hash of the texts, tool calls and media up to and including this
	 * message, system messages excluded; a placeholder stands for its
	 * media.  It is also the key for the hash of the next message. */
	struct ctx_hashkey so_far;
	uint64_t message; /* index of the message, from 0 */
	uint64_t record;  /* number of its record, from 0, if it has several */
};

/* Moves place to the next message of the conversation, whose index is given.
 * Placeholders for reasoning do not change place->so_far. */
int ctx_place_next(struct message_place *place,
    const struct ctx_message *message, uint64_t index, struct ctx_buf *scratch,
    struct ctx_err *err);
/* Sets name, NUL-terminated, to the file name for a message at this place.
 * message is its JSON without reasoning. */
int ctx_reasoning_name(struct ctx_buf *name, struct ctx_str message,
    const struct message_place *place, struct ctx_err *err);

#endif
