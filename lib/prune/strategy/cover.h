/* cover.h - chooses groups of messages that together contain many rare names in
 * few tokens */
#ifndef CTX_PRUNE_STRATEGY_COVER_H
#define CTX_PRUNE_STRATEGY_COVER_H

#include "base/base.h"

/* The groups (messages kept or removed together) among which ctx_cover_score
 * chooses, and the names (paths, identifiers ...) in each group.  A name is
 * stored as a number below n_names. */
struct ctx_cover {
	size_t n_groups, n_names;
	/* The names in group g are the elements from[g] to from[g + 1] - 1 of
	 * the array "names", without repetitions. */
	const size_t *from;
	const uint32_t *names;
	/* for each name: its weight, not negative */
	const double *weight;
	const uint64_t *tokens; /* for each group: its number of tokens */
	/* for each group: true if it is kept in any case */
	const bool *kept;
	/* maximum number of tokens of all chosen groups together */
	uint64_t room;
	/* needs[g]: number of a group that must be chosen together with group
	 * g; g if there is none. needs is NULL if each group can be chosen
	 * alone. */
	const size_t *needs;
	/* If needs is not NULL: the groups from this number on are passages (a
	 * few lines of text each), in the order of the conversation.  Passage p
	 * belongs to the group needs[p]. */
	size_t first_passage;
	/* joined[p]: true if passage p - 1 is the passage before p in the same
	 * text, so that one mark can stand in place of both.  May be NULL if
	 * needs is NULL. */
	const bool *joined;
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
 * not chosen.  If cover->needs is not NULL, newer groups get higher scores.
 * score: may be NULL if "chosen" is not NULL; less is then computed. chosen:
 * set to true for each group that is chosen or kept in any case, to false for
 * all other groups; may be NULL if cover->needs is NULL. */
int ctx_cover_score(const struct ctx_cover *cover, double *score, bool *chosen,
    struct ctx_err *err);

#endif
