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

/* The terms (words) of one segment (message or part of one).  If the segment
 * has a long text: the terms of one passage (a few lines) of this text. */
struct doc {
	/* from, n: the terms (words) and how often each occurs are the n
	 * elements of recall.postings from the index "from" on. */
	size_t from;
	uint32_t n;
	uint32_t segment; /* index of the segment */
	/* Offsets of the passage in the text of the segment.  Empty if the text
	 * is not divided into passages. */
	struct passage passage;
	/* number of terms (words), including repetitions */
	uint32_t length;
	/* The term (word) that is the name of the person who wrote the text, or
	 * 0 if the name is not known. */
	uint32_t speaker;
	/* The term (word) that is the name of the person whom the text
	 * addresses, or 0 if the name is not known. */
	uint32_t addressee;
	uint8_t side; /* who wrote the text: a value of enum side */
	/* Set by ctx_recall_choose_passages: true if the passage is kept when
	 * its segment is not removed as a whole. */
	bool kept;
	/* Used in the first struct doc of a segment: true if any passage of the
	 * segment is kept. */
	bool any_kept;
};

/* What gets a score of its own: a segment, or a passage of a segment's text.
 * The terms (words) of the item are in the elements "doc" to "end" - 1 of the
 * array recall.docs. */
struct item {
	size_t doc, end;
	/* Number of tokens of the item; estimated if the item is a passage. */
	double tokens;
};

/* The two sides of a conversation: user and assistant.  Messages with other
 * roles have NO_SIDE. */
enum side { USER, ASSISTANT, SIDES, NO_SIDE = SIDES };

struct recall {
	struct ctx_scorer base;
	struct ctx_intern terms;
	struct posting *postings;
	struct doc *docs;
	/* Terms (words) of the segment that is being read.  After the last
	 * segment was read: the terms of the question. */
	struct posting *found;
	struct item *items;
	/* For each segment: index of its first element in the array "docs".
	 * One more element at the end is the number of docs. */
	size_t *first_doc;
	/* When the array "found" has this many elements, it is sorted, and
	 * elements with equal terms (words) are merged. */
	size_t merge_at;
	/* number of terms (words) of the segment being read, including
	 * repetitions */
	uint32_t length;
	/* for each term (word): number of segments with it */
	uint32_t *frequency;
	uint32_t *tally; /* scratch memory: a number for each term (word) */
	/* For each term (word): its weight in the search, or 0 if the question
	 * does not contain the term. */
	double *weight;
	/* For each side (user or assistant) and each term (word): number of
	 * messages in which this side addresses somebody by the term, as in
	 * "Thanks, Ann!". */
	uint32_t *addressed;
	/* For each side (user or assistant): true if the question contains a
	 * name by which the opposite side addresses this side. */
	bool asked[SIDES];
	double *score, *smooth; /* two scores for each item (struct item) */
	size_t n_postings, postings_cap, n_docs, docs_cap, n_found, found_cap;
	size_t frequency_cap, weight_cap, score_cap, smooth_cap, items_cap;
	size_t addressed_cap, tally_cap, first_doc_cap;
	size_t n_segments, n_items;
	/* result of ctx_recall_find_removed: the passages that are removed from
	 * one segment */
	struct passage *removed;
	size_t removed_cap;
	/* Text of the segment that is being read.  If the message has the name
	 * of a sender, the text begins with this name. */
	struct ctx_buf text;
	size_t name;             /* length in bytes of the sender's name */
	struct ctx_buf tool;     /* scratch memory */
	struct ctx_buf question; /* text of the last user message */
	/* index of the segment of the last user message */
	size_t asking;
	/* If the question begins with the name of the person who asks, as in
	 * "Ann: hello": length of the name in bytes.  Otherwise 0. */
	size_t label;
	/* the name of the person who asks, as a term (word), or 0 if not
	 * known */
	uint32_t asker;
	struct ctx_embed embed;
};

/* ---- recall_terms.c ---- */

int ctx_recall_add_term(void *user, const char *p, size_t n,
    struct ctx_err *err);
/* Adds a struct doc for a segment, or for the next passage of a segment.  Moves
 * the terms (words) from r->found into it. about: side, speaker and passage of
 * the new doc; NULL if the segment is not a message, or has no text. */
int ctx_recall_add_doc(struct recall *r, const struct doc *about,
    struct ctx_err *err);
int ctx_recall_add_message(struct ctx_scorer *scorer,
    const struct ctx_scored_message *scored, const struct ctx_groups *groups,
    struct ctx_err *err);

/* ---- recall_items.c ---- */

/* Sets r->items and r->n_items to the items that are ranked.  An item is a
 * segment, or a passage of a segment's text.  Passages become items if the
 * message may be kept in part, and without the rest of its turn. */
int ctx_recall_make_items(struct recall *r, const struct ctx_plan *plan,
    struct ctx_err *err);
/* Returns true if an item is a passage of a segment's text; false if it is a
 * segment. */
bool ctx_recall_is_passage(const struct recall *r, const struct item *item);
/* Returns true if the question contains the name of the writer of an item
 * (segment, or passage of a long text). */
bool ctx_recall_is_asked(const struct recall *r, const struct item *item);
/* Sets the rank of each segment to the highest score of its items.  Chooses the
 * passages that are kept: those with the highest scores, as many as fit into
 * the target beside the segments that are kept as a whole. */
int ctx_recall_choose_passages(struct recall *r, const struct ctx_plan *plan,
    struct ctx_err *err);
/* Sets *removed to those passages of a segment that are not kept. */
int ctx_recall_find_removed(struct ctx_scorer *scorer, size_t segment,
    struct passages *removed, struct ctx_err *err);

/* Sets smooth[i] to the score of item i (r->score), plus a part of the score of
 * each other item.  The part decreases with the distance of the two items in
 * tokens, and is 1/e at a distance of "fade" tokens.  So neighbouring short
 * remarks share their scores, and neighbouring long tool results do not. */
void ctx_recall_smooth(const struct recall *r, double fade, double *smooth);

/* ---- recall_fuse.c ---- */

/* Adds a number to the score by words of each item (r->smooth).  The number
 * says how near the embedding of the item is to the embedding of the question.
 * Does nothing if there is no embedder. */
int ctx_recall_fuse(struct recall *r, struct ctx_str question,
    struct ctx_err *err);
/* Scales the scores by words of n items such that the highest is 1, then adds
 * to each score the nearness of the item's embedding to that of the question,
 * with a weight. near: the nearness of each item, standardized (mean 0,
 * standard deviation 1), so scores may become negative. */
void ctx_recall_add_nearness(double *words, const double *near, size_t n);
/* Returns how much two rankings of n items agree: the ranking by words, and the
 * ranking by the nearness of embeddings. 1: the items with high scores by words
 * all have the highest nearness. 0: the nearness of these items is on average
 * not above the mean. */
double ctx_recall_measure_agreement(const double *words, const double *near,
    size_t n);

enum {
	/* The newest groups (messages kept or removed together) are kept,
	 * whatever their rank.  Together they may have at most 1 /
	 * CTX_RECALL_NEWEST of the tokens that are left for groups which need
	 * not be kept. */
	CTX_RECALL_NEWEST = 20,
};

#endif
