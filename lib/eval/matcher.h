/* matcher.h - finds which of many strings stand in a text */
#ifndef CTX_EVAL_MATCHER_H
#define CTX_EVAL_MATCHER_H

#include "base/base.h"

/* A set of strings, each with a number, as an automaton (Aho and Corasick,
 * "Efficient string matching", 1975).  A zeroed struct is an empty set. */
struct ctx_matcher {
	struct matcher_node *nodes;
	size_t n, cap;
	uint32_t first[256]; /* children of the root, by their byte */
	bool built;
	uint32_t round; /* number of the text that is being searched */
};

/* A function that is called once per text for each string that stands in it. */
struct ctx_match_taker {
	void *user;
	void (*take)(void *user, uint32_t number);
};

/* Adds a string that is not empty.  A string that was added before keeps its
 * number. */
int ctx_matcher_add(struct ctx_matcher *matcher, struct ctx_str string,
    uint32_t number, struct ctx_err *err);
/* Must be called when all strings were added. */
int ctx_matcher_build(struct ctx_matcher *matcher, struct ctx_err *err);
/* Begins the next text: strings that were found in earlier ones are found
 * again. */
void ctx_matcher_begin(struct ctx_matcher *matcher);
/* Searches a part of the text.  A string is found only within one part. */
void ctx_matcher_search(struct ctx_matcher *matcher, struct ctx_str part,
    const struct ctx_match_taker *taker);
void ctx_matcher_release(struct ctx_matcher *matcher);

#endif
