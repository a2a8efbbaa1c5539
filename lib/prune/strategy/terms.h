/* terms.h - the words of a text */
#ifndef CTX_PRUNE_STRATEGY_TERMS_H
#define CTX_PRUNE_STRATEGY_TERMS_H

#include "base/base.h"

/* Takes one term; it may be changed but not kept. */
struct ctx_terms {
	void *user;
	int (*take)(void *user, const char *p, size_t n, struct ctx_err *err);
};

/* Gives the terms of a text (UTF-8), in order, as often as they stand. */
int ctx_terms_of(const struct ctx_terms *terms, const char *p, size_t n,
    struct ctx_err *err);

#endif
