/* recall.h - declarations that recall.c and recall_terms.c share */
#ifndef CTX_PRUNE_STRATEGY_RECALL_H
#define CTX_PRUNE_STRATEGY_RECALL_H

#include "prune/plan.h"
#include "prune/strategy/embed.h"

struct posting {
	uint32_t term, count;
};

/* The terms of one segment. */
struct doc {
	size_t from, n;  /* its terms in postings */
	uint32_t length; /* number of terms, repetitions included */
	/* term (word) that names who wrote the segment; 0: not known */
	uint32_t speaker;
	/* term (word) that names who is spoken to; 0: not known */
	uint32_t addressee;
	uint8_t side; /* enum side of its role */
};

/* The two sides of a conversation: user and assistant, by the role of the
 * messages. */
enum side { USER, ASSISTANT, SIDES, NO_SIDE = SIDES };

struct recall {
	struct ctx_scorer base;
	struct ctx_intern terms;
	struct posting *postings;
	struct doc *docs;
	struct posting
	    /* terms (words) of the segment that is being read, or of the
	     * question */
	    *found;
	/* number of entries from which on the array found is sorted and merged
	 */
	size_t merge_at;
	uint32_t length;     /* number of terms of that segment */
	uint32_t *frequency; /* of each term: segments that contain it */
	double *
	    /* for each term, its weight in the question; 0: not in the
	     * question */
	    weight;
	/* for each term and each side (user or assistant), the number of
	 * messages in which the side addresses somebody by the term, as in
	 * "Thanks, Ann!" */
	uint32_t *addressed;
	/* for each side (user or assistant), true if the question contains a
	 * name by which the other side addresses it */
	bool asked[SIDES];
	double *score, *smooth;
	size_t n_postings, postings_cap, n_docs, docs_cap, n_found, found_cap;
	size_t frequency_cap, weight_cap, score_cap, smooth_cap;
	size_t addressed_cap;
	/* scratch memory; begins with the name of the sender */
	struct ctx_buf text;
	size_t name;             /* bytes of that name */
	struct ctx_buf tool;     /* scratch */
	struct ctx_buf question; /* text of the last user message */
	/* number of bytes at the start of the question that may name who asks
	 */
	size_t label;
	uint32_t asker; /* the term for that name; 0: none */
	struct ctx_embed embed;
};

/* ---- recall_terms.c ---- */

int ctx_recall_add_term(void *user, const char *p, size_t n,
    struct ctx_err *err);
/* Adds a segment with the terms in r->found, and empties r->found. */
int ctx_recall_add_doc(struct recall *r, uint32_t speaker, struct ctx_err *err);
int ctx_recall_add_message(struct ctx_scorer *scorer,
    const struct ctx_message *message, const struct ctx_groups *groups,
    size_t first, struct ctx_err *err);

#endif
