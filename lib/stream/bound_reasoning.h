/* bound_reasoning.h - removes signed reasoning that comes after a change */
#ifndef CTX_STREAM_BOUND_REASONING_H
#define CTX_STREAM_BOUND_REASONING_H

#include "dialect/dialect.h"

/* Text that replaces removed reasoning if the message would otherwise be
 * empty. */
#define CTX_REASONING_REMOVED "[reasoning removed]"

/* Returns true if the block is the text that ctx_bound_remove inserts in place
 * of removed reasoning. */
bool ctx_bound_is_placeholder(const struct ctx_message *message,
    const struct ctx_block *block);
/* Returns true if block i of the message is signed reasoning that ends after
 * the given byte offset in the message's JSON text. */
bool ctx_bound_block_after(const struct ctx_message *message, size_t i,
    size_t from);
/* Returns true if the message contains signed reasoning that ends after the
 * given byte offset in the message's JSON text. */
bool ctx_bound_after(const struct ctx_message *message, size_t from);
/* Adds edits that remove the message's signed reasoning, as far as it ends
 * after the given byte of the message's JSON text.  If no block would be left,
 * a text block is inserted, unless the message has other records. */
int ctx_bound_remove(struct ctx_edits *edits, const struct ctx_message *message,
    size_t from, struct ctx_err *err);

#endif
