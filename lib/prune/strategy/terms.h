/* terms.h - divides a text into terms (words), in the way of a search engine */
#ifndef CTX_PRUNE_STRATEGY_TERMS_H
#define CTX_PRUNE_STRATEGY_TERMS_H

#include "base/base.h"

/* The function "take", which is called for each term (word) of a text.  The
 * term has n bytes at p, which are valid only during the call. */
struct ctx_terms {
	void *user;
	int (*take)(void *user, const char *p, size_t n, struct ctx_err *err);
};

/* Calls terms->take for each term (word) of a UTF-8 text, in order and with
 * repetitions.  Stops if terms->take returns -1. */
int ctx_terms_of(const struct ctx_terms *terms, const char *p, size_t n,
    struct ctx_err *err);

#endif
