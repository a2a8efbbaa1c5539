/* reasoning_file.h - computes the names of the files in which ctx-age stores
 * messages before it removes their reasoning */
#ifndef CTX_AGE_REASONING_FILE_H
#define CTX_AGE_REASONING_FILE_H

#include "message/message.h"
#include "store/store.h"

/*
 * ctx-age removes bound reasoning: signed reasoning that the provider refuses
 * if anything before it was changed.  ctx-age leaves no reference in the
 * message, because the model would read the reference.  The JSON of the
 * original message and a line feed are stored in the spool file
 * reasoning-DIGITS.json.
 *
 * ctx-restore computes the name of this file from the message without
 * reasoning. DIGITS are from a SHA-256 over the JSON of this message, its
 * number, and a hash of the texts, tool calls and media of the conversation up
 * to this message.  The message alone is not enough, because messages like "ok"
 * occur in many conversations.
 */
/* Place of a message in its conversation.  It determines the name of the file
 * with the original of the message. */
struct message_place {
	/* Hash of the texts, tool calls and media of the conversation, up to
	 * and including this message, without system messages.  Of media, the
	 * hex digits in the name of their spool file are hashed, so that the
	 * hash remains the same if ctx-age replaces media by a reference to
	 * this file.  This hash is the key for the hash of the next message. */
	struct ctx_hashkey so_far;
	uint64_t message; /* index of the message in the conversation, from 0 */
	/* Number of the record within its message: from 0, but from 1 in the
	 * first message of a conversation.  Only a message that is split has
	 * several records. */
	uint64_t record;
};

/* Changes *place to the place of the next message. message: the next message.
 * index: index of the next message in the conversation.  Adds the texts, tool
 * calls and media of the next message to the hash place->so_far, except texts
 * that ctx has written in place of reasoning. */
int ctx_place_next(struct message_place *place,
    const struct ctx_message *message, uint64_t index, struct ctx_buf *scratch,
    struct ctx_err *err);
/* Sets name to the name of the file with the original of a message, with a NUL
 * byte at the end. message: JSON of the message without its reasoning. place:
 * where the message is in the conversation. */
int ctx_reasoning_name(struct ctx_buf *name, struct ctx_str message,
    const struct message_place *place, struct ctx_err *err);

#endif
