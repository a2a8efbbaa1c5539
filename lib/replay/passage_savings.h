/* passage_savings.h - stores how many tokens the removal of passages (a few
 * lines each) of a recorded message saves, so that they are counted once for
 * all policies and requests */
#ifndef CTX_REPLAY_PASSAGE_SAVINGS_H
#define CTX_REPLAY_PASSAGE_SAVINGS_H

#include "truncate/text_segments.h"

/* A hash table.  The caller must set the member key, and all others to 0. */
struct passage_savings {
	struct ctx_hashkey key;
	struct passage_saving {
		/* hash of the message and the removed passages; 0 if the slot
		 * is empty */
		uint64_t hash;
		uint32_t tokens;
	} * slots;
	size_t n, n_slots;
};

/* Returns a hash of passages; 0 if there are none. */
uint64_t ctx_passages_hash(const struct passage_savings *savings,
    const struct passages *passages);
/* If the number of tokens is stored that are saved when passages are removed
 * from a message, sets *tokens to it and returns true. message: number of the
 * message in the session. passages: hash of the passages. */
bool ctx_passage_savings_find(const struct passage_savings *savings,
    uint32_t message, uint64_t passages, uint32_t *tokens);
/* Stores a number of tokens.  It must not be stored yet. */
int ctx_passage_savings_add(struct passage_savings *savings, uint32_t message,
    uint64_t passages, uint32_t tokens, struct ctx_err *err);
void ctx_passage_savings_release(struct passage_savings *savings);

#endif
