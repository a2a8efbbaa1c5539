/* matcher.h - finds which of many strings occur in a text */
#ifndef CTX_EVAL_MATCHER_H
#define CTX_EVAL_MATCHER_H

#include "base/base.h"

/* A set of numbered strings.  A text is searched for all of them at the same
 * time (the automaton of Aho and Corasick, "Efficient string matching", 1975).
 * A struct of zeros is an empty set. */
struct ctx_matcher {
	struct matcher_node *nodes;
	size_t n, cap;
	/* first[b] is the node of the automaton for the string that consists of
	 * the byte b; 0 if there is no such node. */
	uint32_t first[256];
	bool built;
	uint32_t round; /* number of the text that is being searched, from 1 */
};

/* A callback for the strings of the set that occur in a text.  Called once for
 * each such string, even if the string occurs several times. number: number of
 * the string. */
struct ctx_match_taker {
	void *user;
	void (*take)(void *user, uint32_t number);
};

/* Adds a string and its number.  The caller must not pass an empty string.  A
 * string that is already in the set keeps its number. */
int ctx_matcher_add(struct ctx_matcher *matcher, struct ctx_str string,
    uint32_t number, struct ctx_err *err);
/* Prepares the search.  The caller must call this after it has added the last
 * string, and before it searches a text. */
int ctx_matcher_build(struct ctx_matcher *matcher, struct ctx_err *err);
/* Begins the search of another text.  Strings that were found in earlier texts
 * are then reported again. */
void ctx_matcher_begin(struct ctx_matcher *matcher);
/* Searches one part of a text.  A string that begins in one part and ends in
 * the next part is not found. */
void ctx_matcher_search(struct ctx_matcher *matcher, struct ctx_str part,
    const struct ctx_match_taker *taker);
void ctx_matcher_release(struct ctx_matcher *matcher);

#endif
