/* cover.h - chooses groups that together have many weighty names in few
 * tokens */
#ifndef CTX_PRUNE_STRATEGY_COVER_H
#define CTX_PRUNE_STRATEGY_COVER_H

#include "base/base.h"

/* The groups to choose from, and their names.  A name is a number below
 * n_names. */
struct ctx_cover {
	size_t n_groups, n_names;
	/* The names of group g are names[from[g]] to names[from[g + 1] - 1],
	 * each once. */
	const size_t *from;
	const uint32_t *names;
	const double *weight;   /* of each name; not negative */
	const uint64_t *tokens; /* of each group */
	const bool *kept;       /* groups that are kept whatever is chosen */
	uint64_t room;          /* tokens of all groups that can be chosen */
};

/* Chooses groups one after another, always the one whose names that stand in no
 * group chosen before weigh most for its tokens, and sets the score of each
 * group to that weight at the time when it would have been chosen: 0 if all of
 * its names stand in others, or if it is one of those kept.  A group that does
 * not fit into the room that is left gets a score, but is passed over. */
int ctx_cover_score(const struct ctx_cover *cover, double *score,
    struct ctx_err *err);

#endif
