/*
 * split_turns.c - removes groups of messages by their rank, even if the user
 * messages of a turn are then removed and an answer to them is kept
 *
 * Providers and chat templates expect that a conversation begins with a user
 * message.  So if the first kept message is an answer, the last user message
 * before it must also be kept.  If this user message is large, a common rank is
 * computed for the user message and the answer.
 */
#include <math.h>

#include "prune/plan.h"

enum {
	/* A user message is large if it has more than (free tokens /
	 * FIRST_USER_SHARE) tokens.  Free tokens: the tokens of the target that
	 * are left by the groups that must be kept. */
	FIRST_USER_SHARE = 8,
	/* maximum number of times that the kept groups (messages kept or
	 * removed together) are chosen by their ranks alone */
	ROUNDS = 4,
};

/* Returns true if a segment (message or part of one) is valid without a user
 * message before it: a system message, or a record that is not a message. */
static bool
is_aside(const struct ctx_candidate *candidate)
{
	return candidate->system && !candidate->asks;
}

/* If the first kept message is not a user message, sets *answer to the first
 * segment of its group, and *user to the last user message before it.  Returns
 * false if the kept messages begin with a user message, or if there is no user
 * message to keep before them. */
static bool
find_bare_answer(const struct ctx_decision *decision, size_t *answer,
    size_t *user)
{
	const struct ctx_candidate *candidates = decision->candidates;

	*user = decision->n;
	for (size_t i = 0; i < decision->n; i++) {
		const struct ctx_candidate *candidate = &candidates[i];
		bool kept = !candidates[candidate->root].drop;

		if (candidate->asks && kept)
			return false;
		if (candidate->asks && candidate->is_root)
			*user = i;
		if (!kept || is_aside(candidate))
			continue;
		*answer = candidate->root;
		return *user < decision->n;
	}
	return false;
}

/* Keeps a user message before an answer that must be kept: the last one that
 * fits into the free tokens or, if none fits, the last one. last: the last user
 * message before the answer.  room: number of free tokens. */
static void
pin_question(const struct ctx_decision *decision, size_t last, uint64_t room)
{
	struct ctx_candidate *candidates = decision->candidates;

	for (size_t i = last + 1; i-- > 0;)
		if (candidates[i].asks && candidates[i].is_root &&
		    candidates[i].weight <= room) {
			candidates[i].pinned = true;
			return;
		}
	candidates[last].pinned = true;
}

/* Changes the ranks of the first answer and of the user message before it.  The
 * next choice then keeps both of them or none. room: number of free tokens. */
static void
rerank_answer(struct ctx_candidate *answer, struct ctx_candidate *user,
    uint64_t room)
{
	/* The answer has a lower rank than the user message, and was kept only
	 * because it is shorter, so it must be removed. */
	if (user->rank > answer->rank) {
		answer->rank = -HUGE_VAL;
		return;
	}
	/* The new rank is the mean of the ranks of answer and user message,
	 * weighted by their numbers of tokens. */
	if (user->weight > room / FIRST_USER_SHARE)
		answer->rank = (answer->rank * (double)answer->weight +
				   user->rank * (double)user->weight) /
		    (double)(answer->weight + user->weight);
	user->rank = nextafter(answer->rank, HUGE_VAL);
}

/* Returns the number of tokens of the target that are left by the groups that
 * are not removed.  If only_pinned is true, counts only those groups that must
 * be kept. */
static uint64_t
count_left(const struct ctx_decision *decision, bool only_pinned)
{
	const struct ctx_candidate *candidates = decision->candidates;
	uint64_t total = decision->base;

	for (size_t i = 0; i < decision->n; i++)
		if (candidates[i].is_root && !candidates[i].drop &&
		    (candidates[i].pinned || !only_pinned))
			total += candidates[i].weight;
	return decision->target > total ? decision->target - total : 0;
}

/* Removes answers before the first kept user message, from the oldest on.
 * Stops when the user message before an answer fits into the free tokens, and
 * keeps both messages.  If it reaches an answer that must be kept, and the user
 * message does not fit, sets *user to the user message, and returns false.
 * left: number of free tokens. */
static bool
drop_bare_answers(const struct ctx_decision *decision, uint64_t left,
    size_t *user)
{
	struct ctx_candidate *candidates = decision->candidates;

	*user = decision->n;
	for (size_t i = 0; i < decision->n; i++) {
		struct ctx_candidate *candidate = &candidates[i];
		struct ctx_candidate *root = &candidates[candidate->root];

		if (candidate->asks && !root->drop)
			return true;
		if (candidate->asks && candidate->is_root)
			*user = i;
		if (root->drop || is_aside(candidate) || *user == decision->n)
			continue;
		if (candidates[*user].weight <= left) {
			candidates[*user].drop = false;
			return true;
		}
		if (root->pinned)
			return false;
		root->drop = true;
		left += root->weight;
	}
	return true;
}

int
ctx_split_decide(const struct ctx_decision *decision, struct ctx_err *err)
{
	struct ctx_candidate *candidates = decision->candidates;
	uint64_t room = count_left(decision, true);
	size_t answer, user;

	for (unsigned round = 1;; round++) {
		for (size_t i = 0; i < decision->n; i++)
			candidates[i].drop = false;
		if (ctx_ranked_decide(decision, err) < 0)
			return -1;
		if (!find_bare_answer(decision, &answer, &user))
			return 0;
		if (candidates[answer].pinned)
			pin_question(decision, user, room);
		else if (round < ROUNDS)
			rerank_answer(&candidates[answer], &candidates[user],
			    room);
		else if (drop_bare_answers(decision,
			     count_left(decision, false), &user))
			return 0;
		else
			pin_question(decision, user, room);
	}
}
