/* recall.h - the terms of a conversation's messages */
#ifndef CTX_PRUNE_STRATEGY_RECALL_H
#define CTX_PRUNE_STRATEGY_RECALL_H

#include "prune/plan.h"
#include "prune/strategy/embed.h"

struct posting {
	uint32_t term, count;
};

/* The terms of one segment. */
struct doc {
	size_t from, n;     /* of postings */
	uint32_t length;    /* terms, repetitions counted */
	uint32_t speaker;   /* the term that names who speaks, or 0, */
	uint32_t addressee; /* who is spoken to, */
	uint8_t side;       /* and the role that speaks */
};

/* The two sides of a talk. */
enum side { USER, ASSISTANT, SIDES, NO_SIDE = SIDES };

struct recall {
	struct ctx_scorer base;
	struct ctx_intern terms;
	struct posting *postings;
	struct doc *docs;
	struct posting *found; /* terms of the segment being read, */
	size_t merge_at;       /* put together when there are so many */
	uint32_t length;       /* of the segment */
	uint32_t *frequency;   /* of each term: segments that have it */
	double *weight;        /* of each term in the question */
	uint32_t *addressed; /* of each term and side: messages that call it */
	bool asked[SIDES];   /* the question names who speaks on that side */
	double *score, *smooth;
	size_t n_postings, postings_cap, n_docs, docs_cap, n_found, found_cap;
	size_t frequency_cap, weight_cap, score_cap, smooth_cap;
	size_t addressed_cap;
	struct ctx_buf text;     /* scratch; begins with the sender's name */
	size_t name;             /* bytes of that */
	struct ctx_buf tool;     /* scratch */
	struct ctx_buf question; /* text of the last user message, */
	size_t label;            /* of this, what may say who asks, */
	uint32_t asker;          /* and the term that then names them */
	struct ctx_embed embed;
};

/* ---- recall_terms.c ---- */

int ctx_recall_add_term(void *user, const char *p, size_t n,
    struct ctx_err *err);
/* Makes a doc of the terms found. */
int ctx_recall_add_doc(struct recall *r, uint32_t speaker, struct ctx_err *err);
int ctx_recall_add_message(struct ctx_scorer *scorer,
    const struct ctx_message *message, const struct ctx_groups *groups,
    size_t first, struct ctx_err *err);

#endif
