/*
 * baseline.c - the policies (ways to shorten a session) that serve only for
 * comparison: oracle, recency and random.  Each chooses messages that are kept
 * within a limit of tokens.
 *
 * The policy oracle knows which strings later messages will need.  It
 * repeatedly keeps the group of messages with the most needed strings per
 * token.  A needed string that is in a kept group does not count in other
 * groups any more.  So the number of needed strings per token of a group can
 * only decrease.  The groups are in a heap, ordered by numbers that may be out
 * of date, and only the number of the first group is computed again.
 *
 * A single random choice says little: on 64 splits of 30 sessions, the shares
 * of strings that thirteen choices kept had a mean of 29 % and were between 25
 * and 39 %.  So the figures of random are means of several choices.
 */
#include <stdlib.h>
#include <string.h>

#include "eval/judge.h"

/* Number of random choices that the policy "random" makes.  Its results are the
 * means over these choices. */
enum { CHOICES = 16 };

struct message_group {
	/* the messages of the group have the indices from first to end - 1 */
	size_t first, end;
	uint64_t tokens;
	bool kept;
	/* Number of needed strings per token that are in this group, and in no
	 * group kept before it.  May be out of date, and is then too high. */
	double worth;
	/* The numbers of the needed strings in this group: the elements of
	 * baseline.strings from the index wanted to wanted_end - 1. */
	size_t wanted, wanted_end;
};

struct baseline {
	const struct eval_session *session;
	const struct eval_split *split;
	struct message_group *groups;
	size_t n;
	/* for each message: number of the group that contains the message */
	size_t *group_of;
	/* numbers of the groups of messages, in the order in which the policy
	 * decides about them */
	size_t *order;
	/* for each group of messages: numbers of the needed strings in the
	 * group */
	uint32_t *strings;
	/* for each needed string: true if a kept group of messages contains the
	 * string */
	bool *taken;
	/* number of tokens of the limit that are not used yet */
	uint64_t left;
	uint64_t random; /* state of the random number generator */
};

/* Returns true if a message belongs to the group of the message before it: the
 * message has tool results, or both messages are of the assistant.  The caller
 * must not pass the first message of a session. */
static bool
continues_group(const struct eval_message *message)
{
	return message->has_results ||
	    (message->role == CTX_ROLE_ASSISTANT &&
		message[-1].role == CTX_ROLE_ASSISTANT);
}

static void
make_groups(struct baseline *b)
{
	const struct eval_message *m = b->session->messages;
	struct message_group *group = NULL;

	for (size_t i = 0; i < b->split->at; i++) {
		if (group == NULL || !continues_group(&m[i])) {
			group = &b->groups[b->n++];
			memset(group, 0, sizeof *group);
			group->first = i;
		}
		group->end = i + 1;
		group->tokens += m[i].tokens;
		b->group_of[i] = b->n - 1;
	}
}

/* Marks a group of messages as kept, if it has at most as many tokens as are
 * left of the limit. */
static void
take_group(struct baseline *b, size_t number)
{
	struct message_group *group = &b->groups[number];

	if (group->kept || group->tokens > b->left)
		return;
	group->kept = true;
	b->left -= group->tokens;
	for (size_t i = group->wanted; i < group->wanted_end; i++)
		b->taken[b->strings[i]] = true;
}

/* Keeps the messages that every policy is assumed to keep, if enough tokens of
 * the limit are left: system messages, the last message of the user, and the
 * EVAL_NEWEST newest messages. */
static void
take_always(struct baseline *b)
{
	const struct eval_message *m = b->session->messages;
	size_t n = b->split->at, last = n;

	for (size_t i = 0; i < n; i++)
		if (m[i].role == CTX_ROLE_SYSTEM)
			take_group(b, b->group_of[i]);
	while (last > 0 && !m[last - 1].by_user)
		last--;
	if (last > 0)
		take_group(b, b->group_of[last - 1]);
	for (size_t i = n; i > 0 && i + EVAL_NEWEST > n; i--)
		take_group(b, b->group_of[i - 1]);
}

/* Stores for each group of messages which needed strings are in it. */
static void
assign_strings(struct baseline *b)
{
	const struct needed_string *needed = b->split->needed;
	size_t at = 0;

	for (size_t i = 0; i < b->split->n; i++)
		for (unsigned k = 0; k < needed[i].n_seen; k++)
			b->groups[b->group_of[needed[i].seen[k]]].wanted_end++;
	for (size_t g = 0; g < b->n; g++) {
		b->groups[g].wanted = at;
		at += b->groups[g].wanted_end;
		b->groups[g].wanted_end = b->groups[g].wanted;
	}
	for (size_t i = 0; i < b->split->n; i++)
		for (unsigned k = 0; k < needed[i].n_seen; k++)
			b->strings[b->groups[b->group_of[needed[i].seen[k]]]
				       .wanted_end++] = (uint32_t)i;
}

/* ---- the order of the groups ---- */

static uint64_t
next_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	/* the generator SplitMix64 (Steele, Lea, Flood 2014) */
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Puts the groups into a random order. */
static void
order_randomly(struct baseline *b)
{
	size_t k, swapped;

	for (size_t i = b->n; i > 1; i--) {
		k = (size_t)(next_random(&b->random) % i);
		swapped = b->order[i - 1];
		b->order[i - 1] = b->order[k];
		b->order[k] = swapped;
	}
}

static void
take_in_order(struct baseline *b)
{
	for (size_t i = 0; i < b->n; i++)
		take_group(b, b->order[i]);
}

/* ---- the oracle ---- */

static double
compute_worth(const struct baseline *b, const struct message_group *group)
{
	size_t n = 0;

	for (size_t i = group->wanted; i < group->wanted_end; i++)
		n += !b->taken[b->strings[i]];
	return (double)n / (double)(group->tokens + (group->tokens == 0));
}

/* Compares two groups of messages for the order of the heap.  Returns true if
 * group x has more needed strings per token than group y.  If both have the
 * same number, returns true if group x is later in the session. */
static bool
is_worth_more(const struct baseline *b, size_t x, size_t y)
{
	double a = b->groups[x].worth, c = b->groups[y].worth;

	return a != c ? a > c : x > y;
}

/* Restores the order of a heap of groups after the value of element i has
 * decreased: moves this element down as far as needed. */
static void
sink_group(struct baseline *b, size_t i, size_t n)
{
	size_t moved = b->order[i], child;

	for (; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n &&
		    is_worth_more(b, b->order[child + 1], b->order[child]))
			child++;
		if (!is_worth_more(b, b->order[child], moved))
			break;
		b->order[i] = b->order[child];
	}
	b->order[i] = moved;
}

/* Repeatedly takes the group with the most needed strings per token, not
 * counting strings in kept groups, and keeps this group if it fits within the
 * limit.  Ends when no remaining group has a needed string. */
static void
take_by_worth(struct baseline *b)
{
	struct message_group *group;
	size_t n = b->n;
	double worth;

	for (size_t i = 0; i < n; i++)
		b->groups[i].worth = compute_worth(b, &b->groups[i]);
	for (size_t i = n; i-- > 0;)
		sink_group(b, i, n);
	while (n > 0 && b->groups[b->order[0]].worth > 0) {
		group = &b->groups[b->order[0]];
		worth = compute_worth(b, group);
		if (worth < group->worth) {
			group->worth = worth;
			sink_group(b, 0, n);
			continue;
		}
		take_group(b, b->order[0]);
		b->order[0] = b->order[--n];
		if (n > 0)
			sink_group(b, 0, n);
	}
}

/* Adds the tokens of the kept groups to verdict->tokens, and the number of
 * different needed strings in these groups to verdict->kept. */
static void
add_choice(const struct baseline *b, struct eval_verdict *verdict)
{
	verdict->tokens += b->session->overhead;
	for (size_t i = 0; i < b->n; i++)
		if (b->groups[i].kept)
			verdict->tokens += b->groups[i].tokens;
	for (size_t i = 0; i < b->split->n; i++)
		verdict->kept += b->taken[i];
}

static void
choose_groups(struct baseline *b, enum ctx_policy_kind kind, uint64_t limit)
{
	b->left =
	    limit > b->session->overhead ? limit - b->session->overhead : 0;
	for (size_t i = 0; i < b->n; i++) {
		b->groups[i].kept = false;
		b->order[i] = kind == CTX_POLICY_RECENCY ? b->n - 1 - i : i;
	}
	memset(b->taken, 0, b->split->n * sizeof *b->taken);
	take_always(b);
	if (kind == CTX_POLICY_RANDOM)
		order_randomly(b);
	if (kind == CTX_POLICY_ORACLE)
		take_by_worth(b);
	else
		take_in_order(b);
}

static void
judge_choices(struct baseline *b, enum ctx_policy_kind kind, uint64_t limit,
    struct eval_verdict *verdict)
{
	unsigned n = kind == CTX_POLICY_RANDOM ? CHOICES : 1;

	memset(verdict, 0, sizeof *verdict);
	make_groups(b);
	assign_strings(b);
	/* The seed depends only on the session and the split, so that every run
	 * of the program makes the same choices. */
	b->random = b->split->at * UINT64_C(1000003) + b->session->n;
	for (unsigned i = 0; i < n; i++) {
		choose_groups(b, kind, limit);
		add_choice(b, verdict);
	}
	verdict->tokens = (verdict->tokens + n / 2) / n;
	verdict->kept /= n;
}

int
ctx_eval_baseline(enum ctx_policy_kind kind, const struct eval_session *session,
    const struct eval_split *split, uint64_t limit,
    struct eval_verdict *verdict, struct ctx_err *err)
{
	struct baseline b = {.session = session, .split = split};
	size_t n = split->at + 1;
	int rc = 0;

	b.groups = calloc(n, sizeof *b.groups);
	b.group_of = calloc(n, sizeof *b.group_of);
	b.order = calloc(n, sizeof *b.order);
	b.strings = calloc(split->n * EVAL_SEEN_MOST + 1, sizeof *b.strings);
	b.taken = calloc(split->n + 1, sizeof *b.taken);
	if (b.groups == NULL || b.group_of == NULL || b.order == NULL ||
	    b.strings == NULL || b.taken == NULL)
		rc = ctx_err_nomem(err);
	else
		judge_choices(&b, kind, limit, verdict);
	free(b.groups);
	free(b.group_of);
	free(b.order);
	free(b.strings);
	free(b.taken);
	return rc;
}
