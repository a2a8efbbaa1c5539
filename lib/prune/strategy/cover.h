/* cover.h - chooses groups of messages that together contain many rare names in
 * few tokens */
#ifndef CTX_PRUNE_STRATEGY_COVER_H
#define CTX_PRUNE_STRATEGY_COVER_H

#include "base/base.h"

/* A group (messages kept or removed together) among which ctx_cover_score
 * chooses. */
struct ctx_cover_group {
	/* The names (paths, identifiers ...) in the group are the elements of
	 * ctx_cover.names from this index on, up to that of the next group,
	 * without repetitions. */
	size_t from;
	uint64_t tokens;
	/* Used if has_passages is true: number of a group that must be chosen
	 * together with this group; its own number if there is none. */
	uint32_t needs;
	bool kept; /* true if the group is kept in any case */
	/* Used if has_passages is true: true if the passage before this one is
	 * in the same text, so that one mark can stand in place of both. */
	bool joined;
	/* Set to true if the group is chosen or kept in any case, otherwise to
	 * false. */
	bool chosen;
	/* The other members are used only by ctx_cover_score. */
	/* weight: the sum of the weights of those names of the group that are
	 * in no chosen group. n_left: the number of these names. */
	double weight;
	uint32_t n_left;
	/* For a group: number of the last passage that needs the group.  For a
	 * passage: number of the passage before it that needs the same group.
	 * 0 if there is none. */
	uint32_t passage_of;
};

/* The groups among which ctx_cover_score chooses, and their names.  A name is
 * stored as a number below n_names. */
struct ctx_cover {
	size_t n_groups, n_names;
	/* n_groups elements, and one more, of which only the member "from" is
	 * set */
	struct ctx_cover_group *groups;
	const uint32_t *names;
	/* for each name: its weight, not negative */
	const double *weight;
	/* maximum number of tokens of all chosen groups together */
	uint64_t room;
	/* If has_passages is true: the groups from the number first_passage on
	 * are passages (a few lines of text each), in the order of the
	 * conversation.  Each belongs to the group that it needs.  If false,
	 * each group can be chosen alone. */
	bool has_passages;
	size_t first_passage;
	/* Number of tokens of a mark, which is written in place of removed
	 * passages.  The tokens of a group include one mark for each of its
	 * texts that has passages. */
	uint64_t mark_tokens;
};

/* Chooses groups one by one, each time the group with the highest score, and
 * sets the scores.  The score of a group is the weight of its names relative to
 * its tokens; names that are in a group chosen earlier do not count.  The score
 * is 0 if all names of the group are in chosen groups, or if the group is kept
 * in any case.  A group with more tokens than are left gets its score, but is
 * not chosen.  If cover->has_passages is true, newer groups get higher scores.
 * score: may be NULL; less is then computed. */
int ctx_cover_score(const struct ctx_cover *cover, double *score,
    struct ctx_err *err);

#endif
