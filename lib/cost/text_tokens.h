/* text_tokens.h - counts the tokens of single texts, and of texts that the
 * provider joins */
#ifndef CTX_TEXT_TOKENS_H
#define CTX_TEXT_TOKENS_H

#include "cost/cost.h"

/* ---- text_tokens.c ---- */

/* Adds the tokens and characters of a text of n bytes to *cost. */
int ctx_count_text(struct ctx_counter *counter, const char *p, size_t n,
    struct ctx_cost *cost, struct ctx_err *err);
/* Adds the tokens and characters of a text to *cost.  The text may contain
 * CTX_TOKEN_MARK, which is counted as one token. */
int ctx_count_marked_text(struct ctx_counter *counter, const char *p, size_t n,
    struct ctx_cost *cost, struct ctx_err *err);

/* ---- joined_texts.c ---- */

/* Returns true if text block i of a message is joined with another text of the
 * message before they are counted. */
bool ctx_text_is_joined(const struct ctx_counter *counter,
    const struct ctx_message *message, size_t i);
/* Counts texts of a message that are joined as one text.  If text block i is
 * the first of the joined texts, adds the tokens and characters of the whole
 * text to *cost.  Adds nothing for the other joined texts. */
int ctx_count_joined_text(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, struct ctx_cost *cost,
    struct ctx_err *err);

#endif
