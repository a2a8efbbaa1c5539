/* bound_reasoning.h - signed reasoning after a change */
#ifndef CTX_STREAM_BOUND_REASONING_H
#define CTX_STREAM_BOUND_REASONING_H

#include "dialect/dialect.h"

/* The text of the block that is left where a message was nothing but reasoning
 * that was removed. */
#define CTX_REASONING_REMOVED "[reasoning removed]"

/* True if a part is the text block that ctx_bound_remove leaves. */
bool ctx_bound_is_placeholder(const struct ctx_message *message,
    const struct ctx_block *block);
/* Has the message signed reasoning that ends after byte from of its JSON
 * text? */
bool ctx_bound_after(const struct ctx_message *message, size_t from);
/*
 * Notes the removal of the signed reasoning of a message that ends after byte
 * from of its JSON text.  A message that would be left without a block gets
 * one of text, unless other records continue it.
 */
int ctx_bound_remove(struct ctx_edits *edits, const struct ctx_message *message,
    const struct ctx_dialect *dialect, size_t from, struct ctx_err *err);

#endif
