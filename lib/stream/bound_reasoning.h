/* bound_reasoning.h - signed reasoning after a change */
#ifndef CTX_STREAM_BOUND_REASONING_H
#define CTX_STREAM_BOUND_REASONING_H

#include "dialect/dialect.h"

/* Text of the block that replaces reasoning when the message would be empty. */
#define CTX_REASONING_REMOVED "[reasoning removed]"

/* Returns true if the block is a text block that ctx_bound_remove inserted. */
bool ctx_bound_is_placeholder(const struct ctx_message *message,
    const struct ctx_block *block);
/* Returns true if block i is signed reasoning that ends after byte from of the
 * message's JSON text. */
bool ctx_bound_block_after(const struct ctx_message *message, size_t i,
    size_t from);
/* Returns true if the message has signed reasoning that ends after byte from of
 * its JSON text. */
bool ctx_bound_after(const struct ctx_message *message, size_t from);
/*
 * Adds the removal of the message's signed reasoning that ends after byte from
 * of its JSON text.  A message that would be left without a block gets a text
 * block, unless other records belong to the message.
 */
int ctx_bound_remove(struct ctx_edits *edits, const struct ctx_message *message,
    size_t from, struct ctx_err *err);

#endif
