/* words.h - finds the names (paths, identifiers, ids and numbers) in a text, or
 * divides the text into terms (words), in the way of a search engine */
#ifndef CTX_PRUNE_STRATEGY_WORDS_H
#define CTX_PRUNE_STRATEGY_WORDS_H

#include "base/base.h"

/* The function "take", which is called for each name or term (word) of a text,
 * in order and with repetitions.  The name or term has n bytes at p, which are
 * valid only during the call.  If the function returns -1, it is not called
 * again. */
struct ctx_words {
	void *user;
	int (*take)(void *user, const char *p, size_t n, struct ctx_err *err);
	/* For names: true if a colon belongs to a name that is a date with a
	 * time (2026-05-14T09:12:00) or an address of bytes
	 * (00:1b:44:11:3a:b7). */
	bool colons;
};

/* Calls words->take for each name (path, identifier, id or number) in a text.
 * A name consists of ASCII characters. */
int ctx_names_of(const struct ctx_words *words, const char *p, size_t n,
    struct ctx_err *err);
/* Returns true if a name begins with a digit and more than 3/8 of its bytes are
 * digits: a number, hash, time or version.  Returns false for a date, such as
 * 2026-05-14. */
bool ctx_name_is_number(const char *p, size_t n);
/* Calls words->take for each term (word) of a UTF-8 text. */
int ctx_terms_of(const struct ctx_words *words, const char *p, size_t n,
    struct ctx_err *err);

#endif
