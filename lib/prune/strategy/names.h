/* names.h - finds the paths, identifiers, ids and numbers in a text */
#ifndef CTX_PRUNE_STRATEGY_NAMES_H
#define CTX_PRUNE_STRATEGY_NAMES_H

#include "base/base.h"

/* The function "take", which is called for each name (path, identifier, id or
 * number) in a text.  The name has n bytes at p, which are valid during the
 * call. */
struct ctx_names {
	void *user;
	int (*take)(void *user, const char *p, size_t n, struct ctx_err *err);
	/* True if a colon belongs to a name that is a date with a time
	 * (2026-05-14T09:12:00) or an address of bytes (00:1b:44:11:3a:b7). */
	bool colons;
};

/* Calls names->take for each name (path, identifier, id or number) in a text,
 * in order and with repetitions.  A name consists of ASCII characters.  Stops
 * if take returns -1. */
int ctx_names_of(const struct ctx_names *names, const char *p, size_t n,
    struct ctx_err *err);

#endif
