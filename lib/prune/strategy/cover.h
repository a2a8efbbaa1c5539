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
};

/* Chooses groups one after another, always the one with the highest score, and
 * sets the scores.  The score of a group is the weight of its names relative to
 * its tokens; names that are in a group chosen before have no weight any more.
 * The score is 0 if all names of the group are in chosen groups, or if the
 * group is kept in any case.  A group with more tokens than are left gets its
 * score, but is not chosen. chosen: set to true for each group that is chosen
 * or kept in any case, and to false for the others; may be NULL. */
int ctx_cover_score(const struct ctx_cover *cover, double *score, bool *chosen,
    struct ctx_err *err);

#endif
