/* reasoning_file.h - names of the files in which ctx-age stores messages before
 * it removes their reasoning */
#ifndef CTX_AGE_REASONING_FILE_H
#define CTX_AGE_REASONING_FILE_H

#include "message/message.h"
#include "store/store.h"

/*
 * ctx_age removes bound reasoning (signed reasoning that the provider refuses
 * after a change before it).  It leaves no reference in the message, because
 * the model would read it.  The original message, its JSON and a line feed, is
 * stored in the spool file reasoning-DIGITS.json.
 *
 * ctx_restore finds the file by the message without reasoning.  DIGITS are
 * from a SHA-256 over that message, its number, and a hash of the texts, tool
 * calls and media of the conversation so far.  The message alone is not enough:
 * messages like "ok" occur in many conversations.
 */
/* The place of a message in its conversation, from which the name of the file
 * with its original is made. */
struct message_place {
	/* Hash of the texts, tool calls and media up to and including this
	 * message, system messages excluded; a placeholder stands for its
	 * media.  It is also the key for the hash of the next message. */
	struct ctx_hashkey so_far;
	uint64_t message; /* index of the message, from 0 */
	/* Number of the record, from 0, within a message that is split over
	 * several records. */
	uint64_t record;
};

/* Changes *place from the place of a message to that of the next one. index:
 * the number of that next message. place->so_far is a hash of the conversation
 * up to it; a text that ctx put in place of reasoning is not hashed. */
int ctx_place_next(struct message_place *place,
    const struct ctx_message *message, uint64_t index, struct ctx_buf *scratch,
    struct ctx_err *err);
/* Sets name, NUL-terminated, to the name of the file for the original of a
 * message at this place. message is the JSON without reasoning. */
int ctx_reasoning_name(struct ctx_buf *name, struct ctx_str message,
    const struct message_place *place, struct ctx_err *err);

#endif
