/* recall.h - what recall.c and recall_terms.c share */
#ifndef CTX_PRUNE_STRATEGY_RECALL_H
#define CTX_PRUNE_STRATEGY_RECALL_H

#include "prune/plan.h"
#include "prune/strategy/embed.h"

struct posting {
	uint32_t term, count;
};

/* The terms of one segment. */
struct doc {
	size_t from, n;     /* its terms in postings */
	uint32_t length;    /* number of terms, repetitions included */
	uint32_t speaker;   /* term that names the speaker; 0: not known */
	uint32_t addressee; /* term that names who is spoken to; 0: not known */
	uint8_t side;       /* enum side of its role */
};

/* The two sides of a conversation, by the role of their messages. */
enum side { USER, ASSISTANT, SIDES, NO_SIDE = SIDES };

struct recall {
	struct ctx_scorer base;
	struct ctx_intern terms;
	struct posting *postings;
	struct doc *docs;
	struct posting
	    *found; /* terms of the segment that is read, or of the question */
	size_t merge_at; /* found is sorted and merged at this many entries */
	uint32_t length; /* number of terms of that segment */
	uint32_t *frequency; /* of each term: segments that contain it */
	double *
	    weight; /* of each term: its weight in the question; 0: not in it */
	uint32_t *addressed; /* of each term and side: messages in which the
				side addresses somebody by it */
	bool asked[SIDES];   /* the question names the speaker of that side */
	double *score, *smooth;
	size_t n_postings, postings_cap, n_docs, docs_cap, n_found, found_cap;
	size_t frequency_cap, weight_cap, score_cap, smooth_cap;
	size_t addressed_cap;
	struct ctx_buf text; /* scratch; starts with the name of the sender */
	size_t name;         /* bytes of that name */
	struct ctx_buf tool; /* scratch */
	struct ctx_buf question; /* text of the last user message */
	size_t label;            /* bytes at its start that may name who asks */
	uint32_t asker;          /* the term for that name; 0: none */
	struct ctx_embed embed;
};

/* ---- recall_terms.c ---- */

int ctx_recall_add_term(void *user, const char *p, size_t n,
    struct ctx_err *err);
/* Adds a segment with the terms in r->found, which is emptied. */
int ctx_recall_add_doc(struct recall *r, uint32_t speaker, struct ctx_err *err);
int ctx_recall_add_message(struct ctx_scorer *scorer,
    const struct ctx_message *message, const struct ctx_groups *groups,
    size_t first, struct ctx_err *err);

#endif
