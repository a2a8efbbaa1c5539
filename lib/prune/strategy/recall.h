/* recall.h - what recall.c and recall_terms.c share: the terms (words) of a
 * conversation */
#ifndef CTX_PRUNE_STRATEGY_RECALL_H
#define CTX_PRUNE_STRATEGY_RECALL_H

#include "prune/plan.h"
#include "prune/strategy/embed.h"

struct posting {
	uint32_t term, count;
};

/* The terms (words) of one segment. */
struct doc {
	/* the elements of postings that are the segment's terms */
	size_t from, n;
	/* number of terms in the segment, counting repetitions */
	uint32_t length;
	/* Term that is the name of the person who wrote it; 0: not known. */
	uint32_t speaker;
	/* Term that is the name of the person whom it addresses; 0: not
	 * known. */
	uint32_t addressee;
	uint8_t side; /* enum side: user or assistant */
};

/* The sides of a conversation, user and assistant, by the roles of the
 * messages. */
enum side { USER, ASSISTANT, SIDES, NO_SIDE = SIDES };

struct recall {
	struct ctx_scorer base;
	struct ctx_intern terms;
	struct posting *postings;
	struct doc *docs;
	/* Terms (words) of the segment that is being read, or of the
	 * question. */
	struct posting *found;
	/* If the array "found" has this many elements, it is sorted, and equal
	 * terms in it are merged. */
	size_t merge_at;
	uint32_t length; /* number of all terms of the segment */
	/* for each term: number of segments that have it */
	uint32_t *frequency;
	/* For each term: its weight in the question; 0: not in the question. */
	double *weight;
	/* For each term and each side (user or assistant): number of messages
	 * in which the side addresses somebody by this term, as in "Thanks,
	 * Ann!". */
	uint32_t *addressed;
	/* For each side (user or assistant): true if the other side addresses
	 * it by a name that is in the question. */
	bool asked[SIDES];
	double *score, *smooth;
	size_t n_postings, postings_cap, n_docs, docs_cap, n_found, found_cap;
	size_t frequency_cap, weight_cap, score_cap, smooth_cap;
	size_t addressed_cap;
	/* Scratch memory for a text, which begins with the name of its
	 * sender. */
	struct ctx_buf text;
	size_t name;             /* length of the name in bytes */
	struct ctx_buf tool;     /* scratch memory */
	struct ctx_buf question; /* text of the last user message */
	/* Length in bytes of what may be the name of the person who asks, at
	 * the start of the question. */
	size_t label;
	uint32_t asker; /* the term for the name; 0: none */
	struct ctx_embed embed;
};

/* ---- recall_terms.c ---- */

int ctx_recall_add_term(void *user, const char *p, size_t n,
    struct ctx_err *err);
/* Adds a segment whose terms are in r->found, and empties r->found. speaker:
 * the term for the name of its writer; 0: not known. */
int ctx_recall_add_doc(struct recall *r, uint32_t speaker, struct ctx_err *err);
int ctx_recall_add_message(struct ctx_scorer *scorer,
    const struct ctx_message *message, const struct ctx_groups *groups,
    size_t first, struct ctx_err *err);

#endif
