/* recall.h - shared by the files recall*.c: the terms (words) of a
 * conversation */
#ifndef CTX_PRUNE_STRATEGY_RECALL_H
#define CTX_PRUNE_STRATEGY_RECALL_H

#include "prune/plan.h"
#include "prune/strategy/embed.h"
#include "truncate/text_segments.h"

struct posting {
	uint32_t term, count;
};

/* The terms (words) of one segment (message or part of one) or, if its text is
 * long, of one passage (a few lines) of the text. */
struct doc {
	/* The terms, and how often each occurs: n elements of the array
	 * recall.postings, from the index "from" on. */
	size_t from;
	uint32_t n;
	uint32_t segment; /* index of the segment */
	/* The passage in the text of the segment.  Empty if the text is not
	 * divided into passages. */
	struct passage passage;
	/* number of terms, including repetitions */
	uint32_t length;
	/* The term (word) that is the name of the person who wrote the segment,
	 * or 0 if not known. */
	uint32_t speaker;
	/* The term (word) that is the name of the person whom the segment
	 * addresses, or 0 if not known. */
	uint32_t addressee;
	uint8_t side; /* enum side: user or assistant */
	/* Set by ctx_recall_choose_passages: true if the passage is kept,
	 * unless the whole segment is removed. */
	bool kept;
	/* Used in the first doc of a segment: true if any passage of the
	 * segment is kept. */
	bool any_kept;
};

/* A segment, or a passage of its text, that gets its own rank.  Its terms are
 * in recall.docs, from the element with the index "doc" to the one before the
 * index "end". */
struct item {
	size_t doc, end;
	/* Number of tokens of the item.  If the item is a passage, it is an
	 * estimate. */
	double tokens;
};

/* The two sides of a conversation.  Messages with other roles have NO_SIDE. */
enum side { USER, ASSISTANT, SIDES, NO_SIDE = SIDES };

struct recall {
	struct ctx_scorer base;
	struct ctx_intern terms;
	struct posting *postings;
	struct doc *docs;
	/* Terms (words) of the segment that is being read; after the last
	 * segment, the terms of the question. */
	struct posting *found;
	struct item *items;
	/* For each segment: index of its first doc.  The element after the last
	 * segment is the number of docs. */
	size_t *first_doc;
	/* Number of elements at which the array "found" is sorted, and elements
	 * with equal terms are merged. */
	size_t merge_at;
	/* number of all terms of the segment, including repetitions */
	uint32_t length;
	/* for each term: number of segments that contain it */
	uint32_t *frequency;
	uint32_t *tally; /* scratch memory: a number for each term */
	/* For each term: its weight as a word of the question, or 0 if the
	 * question does not contain it. */
	double *weight;
	/* For each term and each side (user or assistant): number of messages
	 * in which the side addresses somebody by this term, as in "Thanks,
	 * Ann!". */
	uint32_t *addressed;
	/* For each side (user or assistant): true if the other side addresses
	 * it by a name that is in the question. */
	bool asked[SIDES];
	double *score, *smooth; /* scores of each item */
	size_t n_postings, postings_cap, n_docs, docs_cap, n_found, found_cap;
	size_t frequency_cap, weight_cap, score_cap, smooth_cap, items_cap;
	size_t addressed_cap, tally_cap, first_doc_cap;
	size_t n_segments, n_items;
	/* Passages of a segment that are removed; see
	 * ctx_scorer_kind.find_removed. */
	struct passage *removed;
	size_t removed_cap;
	/* Text of the segment that is being read.  It begins with the name of
	 * its sender, if the message has one. */
	struct ctx_buf text;
	size_t name;             /* length in bytes of the sender's name */
	struct ctx_buf tool;     /* scratch memory */
	struct ctx_buf question; /* text of the last user message */
	/* index of the segment of the last user message */
	size_t asking;
	/* Length in bytes of the name of the person who asks, if the question
	 * begins with it, as in "Ann: hello"; otherwise 0. */
	size_t label;
	/* the term (word) that is this name, or 0 if there is none */
	uint32_t asker;
	struct ctx_embed embed;
};

/* ---- recall_terms.c ---- */

int ctx_recall_add_term(void *user, const char *p, size_t n,
    struct ctx_err *err);
/* Adds a doc for a segment, or for the next passage of one, whose terms are in
 * r->found, and empties r->found. about: its side, speaker and passage, or NULL
 * if the segment is not a message, or has no text. */
int ctx_recall_add_doc(struct recall *r, const struct doc *about,
    struct ctx_err *err);
int ctx_recall_add_message(struct ctx_scorer *scorer,
    const struct ctx_message *message, const struct ctx_groups *groups,
    size_t first, const bool *excluded, struct ctx_err *err);

/* ---- recall_items.c ---- */

/* Divides the conversation into items: r->items, r->n_items.  Passages become
 * items if a message may be cut and may be kept without the rest of its
 * turn. */
int ctx_recall_make_items(struct recall *r, const struct ctx_groups *groups,
    const struct ctx_plan *plan, struct ctx_err *err);
/* Returns true if an item is a passage; false if it is a segment. */
bool ctx_recall_is_passage(const struct recall *r, const struct item *item);
/* Sets the rank of each segment to the highest score of its items.  Chooses the
 * passages that are kept: those with the highest scores, as many as fit beside
 * the segments that are kept as a whole. */
int ctx_recall_choose_passages(struct recall *r, struct ctx_groups *groups,
    const struct ctx_plan *plan, struct ctx_err *err);
/* Sets *removed to the passages of a segment that are not kept. */
int ctx_recall_find_removed(struct ctx_scorer *scorer, size_t segment,
    struct passages *removed, struct ctx_err *err);

/* Sets smooth: the score of each item (r->score), plus a part of the scores of
 * all other items.  This part decreases with the distance in tokens (not in
 * segments), and is 1/e at a distance of "fade" tokens.  So ten short remarks
 * share their scores, and two long tool results do not. */
void ctx_recall_smooth(const struct recall *r, double fade, double *smooth);

/* ---- recall_fuse.c ---- */

/* Adds to the scores of items by words (r->smooth) how near the embeddings of
 * the items are to that of the question.  Does nothing if there is no
 * embedder. */
int ctx_recall_fuse(struct recall *r, struct ctx_str question,
    struct ctx_err *err);
/* Adds the nearness of n items to their scores by words, which are first scaled
 * such that the highest is 1. near: standardized (mean 0, standard deviation
 * 1), so scores may become negative. */
void ctx_recall_add_nearness(double *words, const double *near, size_t n);
/* Returns how much two rankings of n items agree. 1: the items with high scores
 * by words all have the highest nearness. 0: the nearness of these items is on
 * average not above the mean. */
double ctx_recall_measure_agreement(const double *words, const double *near,
    size_t n);

enum {
	/* The newest groups of messages are kept, whatever their rank, up to 1
	 * / CTX_RECALL_NEWEST of the tokens that are left for groups which need
	 * not be kept. */
	CTX_RECALL_NEWEST = 20,
};

#endif
