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
	/* The segment's terms and how often it has each: n elements of the
	 * array recall.postings, which begin at the index "from". */
	size_t from, n;
	/* number of terms in the segment, counting repetitions */
	uint32_t length;
	/* The term (word) that is the name of the person who wrote the segment;
	 * 0: not known. */
	uint32_t speaker;
	/* The term (word) that is the name of the person whom the segment
	 * addresses; 0: not known. */
	uint32_t addressee;
	uint8_t side; /* enum side: user or assistant */
};

/* The two sides of a conversation.  Messages with other roles have NO_SIDE. */
enum side { USER, ASSISTANT, SIDES, NO_SIDE = SIDES };

struct recall {
	struct ctx_scorer base;
	struct ctx_intern terms;
	struct posting *postings;
	struct doc *docs;
	/* Terms (words) of the segment that is being read; after the last
	 * segment, those of the question. */
	struct posting *found;
	/* When the array found gets this many elements, it is sorted, and
	 * elements with equal terms are merged. */
	size_t merge_at;
	uint32_t length; /* number of all terms of the segment */
	/* for each term: number of segments that contain it */
	uint32_t *frequency;
	/* For each term: its weight as a word of the question; 0: the question
	 * does not have it. */
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
	/* Text of the segment that is being read.  It begins with the name of
	 * its sender, if the message has one. */
	struct ctx_buf text;
	size_t name;             /* length of the name in bytes */
	struct ctx_buf tool;     /* scratch memory */
	struct ctx_buf question; /* text of the last user message */
	size_t asking;           /* index of its segment in the array docs */
	/* The question may begin with the name of the person who asks, as in
	 * "Ann: hello". Length of this name in bytes; 0: there is none. */
	size_t label;
	uint32_t asker; /* the term (word) that is this name; 0: none */
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
