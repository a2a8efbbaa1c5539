/* reasoning_file.h - names of the spool files that hold removed reasoning */
#ifndef CTX_AGE_REASONING_FILE_H
#define CTX_AGE_REASONING_FILE_H

#include "message/message.h"
#include "store/store.h"

/*
 * ctx_age removes bound reasoning without a reference, because the model would
 * read it.  The original message is in the spool file reasoning-DIGITS.json:
 * its JSON and a line feed.  ctx_restore finds the file by the remaining
 * message.  The digits are of a sha256 over that message, its index, and the
 * texts and tool calls of the conversation so far: two conversations may both
 * have a message "ok".
 */
struct message_place {
	/* sha256 of texts and tool calls so far, system messages excluded */
	char so_far[CTX_SPOOL_DIGITS];
	uint64_t message; /* index of the last message, from 0 */
	uint64_t record;  /* its record, from 0, if a message has several */
};

/* Moves place to the next message, whose index is given.  Placeholders
 * for media and reasoning are not part of place->so_far. */
int ctx_place_next(struct message_place *place,
    const struct ctx_message *message, uint64_t index, struct ctx_buf *scratch,
    struct ctx_err *err);
/* Sets name, NUL-terminated, to the file name for a message at this place. */
int ctx_reasoning_name(struct ctx_buf *name, struct ctx_str message,
    const struct message_place *place, struct ctx_err *err);

#endif
