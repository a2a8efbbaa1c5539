/* reasoning_file.h - reasoning in the spool, found by the message that it left
 */
#ifndef CTX_AGE_REASONING_FILE_H
#define CTX_AGE_REASONING_FILE_H

#include "message/message.h"
#include "store/store.h"

/*
 * ctx_age removes bound reasoning and leaves no text in its place, for the
 * model would read it.  So the message as it was lies in the spool in a file
 * reasoning-DIGITS.json, its JSON and a line feed.  The digits are of the
 * sha256 of the message as it is, of its number, and of the texts and the tool
 * calls of the conversation up to it: two conversations may both say "ok".
 */
struct message_place {
	/* sha256 of the texts and tool calls so far, without the system's */
	char so_far[CTX_SPOOL_DIGITS];
	uint64_t message; /* number of the last message, from 0 */
	uint64_t piece;   /* of it, where several records hold one message */
};

/* The next message of the conversation has this number.  Texts that stand in
 * for media or reasoning do not count for place->so_far. */
int ctx_place_next(struct message_place *place, const struct ctx_message *view,
    uint64_t message, struct ctx_buf *scratch, struct ctx_err *err);
/* Sets name, NUL ended, to that of the file for a message at this place. */
int ctx_reasoning_name(struct ctx_buf *name, struct ctx_str message,
    const struct message_place *place, struct ctx_err *err);

#endif
