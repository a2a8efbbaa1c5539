/* bound_reasoning.h - finds reasoning that the provider does not take, because
 * something before it was changed, and removes it if it would be refused */
#ifndef CTX_STREAM_BOUND_REASONING_H
#define CTX_STREAM_BOUND_REASONING_H

#include "dialect/dialect.h"

/* Text of the block that replaces removed reasoning in a message that would
 * otherwise be empty. */
#define CTX_REASONING_REMOVED "[reasoning removed]"

/* Counts a message in *n, but only once if it is split over several records.
 * index: index of the message in its conversation.  *end: highest index of a
 * counted message plus 1; must be 0 when a conversation begins. */
static inline void
ctx_bound_count(uint64_t *n, uint64_t *end, uint64_t index)
{
	if (index < *end)
		return;
	(*n)++;
	*end = index + 1;
}
/* Returns true if a block is the text that ctx_bound_remove has inserted in
 * place of removed reasoning. */
bool ctx_bound_is_placeholder(const struct ctx_message *message,
    const struct ctx_block *block);
/* Returns true if block i of a message is signed reasoning that ends after the
 * byte with the offset "from" in the message's JSON. */
bool ctx_bound_block_after(const struct ctx_message *message, size_t i,
    size_t from);
/* Returns true if a message has bound reasoning (ctx_message_is_bound) that
 * ends after the byte with the offset "from" in the message's JSON. */
bool ctx_bound_after(const struct ctx_message *message,
    enum ctx_binding binding, size_t from);
/* Adds the edits that remove signed reasoning from a message.  Removes only
 * reasoning that ends after the byte with the offset "from" in the message's
 * JSON.  If no block would be left, also inserts the text
 * CTX_REASONING_REMOVED, if the format has a place for it, unless the message
 * is split over several records. */
int ctx_bound_remove(struct ctx_edits *edits, const struct ctx_message *message,
    size_t from, struct ctx_err *err);

#endif
