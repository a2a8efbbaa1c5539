/* cover.h - chooses groups of messages that together contain many rare names in
 * few tokens */
#ifndef CTX_PRUNE_STRATEGY_COVER_H
#define CTX_PRUNE_STRATEGY_COVER_H

#include "base/base.h"

/* Groups of messages among which ctx_cover_score chooses, and the names (paths,
 * identifiers ...) that they contain.  A name is a number below n_names. */
struct ctx_cover {
	size_t n_groups, n_names;
	/* The names in group g: elements from[g] to from[g + 1] - 1 of names,
	 * without repetitions. */
	const size_t *from;
	const uint32_t *names;
	/* for each name: its weight, not negative */
	const double *weight;
	const uint64_t *tokens; /* for each group: its number of tokens */
	/* for each group: true if it is kept in any case */
	const bool *kept;
	/* maximum number of tokens of all chosen groups together */
	uint64_t room;
	/* For each group: the number of a group that is chosen together with
	 * it, or its own number.  NULL if each group can be chosen alone. */
	const size_t *needs;
	/* If needs is not NULL, the groups from this number on are passages (a
	 * few lines each) of the groups that they need, in the order of the
	 * conversation. */
	size_t first_passage;
	/* number of tokens of the mark that replaces removed passages; a group
	 * with passages contains one mark as long as none is chosen */
	uint64_t mark_tokens;
};

/* Chooses groups one after another, always the one with the highest score, and
 * sets the scores.  The score of a group is the weight of its names relative to
 * its tokens; names that are in a group chosen before have no weight any more.
 * The score is 0 if all names of the group are in chosen groups, or if the
 * group is kept in any case.  A group with more tokens than are left gets its
 * score, but is not chosen.  If groups need others, newer ones get a higher
 * score. chosen: set to true for each group that is chosen or kept in any case,
 * and to false for the others; may be NULL if no group needs another. */
int ctx_cover_score(const struct ctx_cover *cover, double *score, bool *chosen,
    struct ctx_err *err);

#endif
