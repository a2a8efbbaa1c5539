/*
 * plan_slow.h - random conversations, for which the library and a slow, simple
 * function choose the messages to remove
 *
 * The slow function removes the oldest group (messages that can only be removed
 * together) again and again, and computes all sums each time.
 */
#ifndef PLAN_SLOW_H
#define PLAN_SLOW_H

#include <stdint.h>

#include "prune/prune.h"
#include "tap.h"

enum { MOST = 60, FRAMING = 4 };

/* A message, or one of two parts of a message that has both results and a
 * text. */
struct message {
	char kind; /* s system, u user, a answer, c calls, r results */
	/* c: number of calls, and the first id; r: the ids that it answers */
	int calls, id;
	uint64_t tokens, reasoning, bodies;
	int name; /* u: number of the writer; 0: no name */
	bool pinned;
	bool demo; /* u: true if the message is a demonstration */
	/* r: true if the next element (u) is a part of the same message */
	bool goes_on;
};

struct fixture {
	struct message list[MOST];
	size_t n;
	struct ctx_prune_settings settings;
	unsigned long long seed;
	const uint8_t *data; /* bytes that decide, before random numbers do */
	size_t size;
	uint64_t note; /* tokens of a notice; 0: no notices */
	struct ctx_dialect dialect;
};

/* The result: marks of each message (CTX_MARK bits). */
struct result {
	uint8_t marks[MOST];
	uint64_t after;
};

static inline uint64_t
upto(struct fixture *f, uint64_t n)
{
	uint64_t k = 0, room;

	if (f->size > 0) {
		for (room = n; room > 0 && f->size > 0; room >>= 8, f->size--)
			k = k << 8 | *f->data++;
		return k % (n + 1);
	}
	return tap_random(&f->seed) % (n + 1);
}

/*
 * Makes the messages of a random conversation.
 *
 * In half of the conversations, results come at any time.  In the other half,
 * all results come directly after their calls, and may be in one message with
 * the next text of the user.  In some conversations several people write as the
 * user, mostly to each other.
 *
 * A late result and a user's text are never in one message, because no provider
 * accepts this.  Such a user message would be removed with the older call if
 * its turn has nothing else, but would count in the whole plan until then.  So
 * a plan message by message could keep more (in about one of 2,000
 * conversations).
 */
static inline void
make_messages(struct fixture *f)
{
	int open[MOST], n_open = 0, next_id = 0;
	bool strict = upto(f, 1) == 0, named = upto(f, 3) == 0;
	size_t i;

	f->dialect = *ctx_dialect_find("gemini");
	if (named)
		f->dialect.rules |= CTX_NAMES_USERS;

	f->n = 1 + (size_t)upto(f, MOST - 1);
	for (i = 0; i < f->n; i++) {
		struct message *m = &f->list[i];
		uint64_t dice = upto(f, 99);
		int j;

		memset(m, 0, sizeof *m);
		m->tokens = FRAMING + upto(f, 60);
		m->pinned = upto(f, 99) < 5;
		m->name = (int)upto(f, 3);
		m->demo = upto(f, 3) == 0;
		if (i > 0 && m[-1].goes_on) {
			m->kind = 'u';
			m->name = m[-1].name;
			m->pinned = m[-1].pinned;
			continue;
		}
		if (strict && i > 0 && m[-1].kind == 'c' && dice < 90) {
			m->kind = 'r';
			m->id = m[-1].id;
			m->calls = m[-1].calls;
			m->goes_on = i + 1 < f->n && dice < 40;
			m->bodies = m->tokens > 10 ? m->tokens - 8 : 0;
		} else if (n_open > 0 && dice < 60) {
			j = (int)upto(f, (uint64_t)n_open - 1);
			m->kind = 'r';
			m->id = open[j];
			open[j] = open[--n_open];
			m->bodies = m->tokens > 10 ? m->tokens - 8 : 0;
			m->calls = 1;
		} else if (dice < 5) {
			m->kind = 's';
		} else if (dice < (named ? 55 : 30)) {
			m->kind = 'u';
		} else if (dice < 60) {
			m->kind = 'a';
		} else {
			m->kind = 'c';
			m->calls = 1 + (int)upto(f, 2);
			m->id = next_id;
			for (j = 0; j < m->calls; j++)
				if (!strict && n_open < MOST && upto(f, 9) > 0)
					open[n_open++] = next_id + j;
			next_id += m->calls;
		}
		if ((m->kind == 'a' || m->kind == 'c') && upto(f, 3) == 0)
			m->reasoning = upto(f, m->tokens - FRAMING);
	}
}

static inline void
make_limits(struct fixture *f)
{
	static const char *const names[] = {"pinned-fifo", "fifo", "middle-out",
	    "window"};
	struct ctx_prune_settings *l = &f->settings;
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < f->n; i++)
		total += f->list[i].tokens;
	memset(l, 0, sizeof *l);
	l->strategy = ctx_strategy_find(names[upto(f, 3)]);
	NEED(l->strategy != NULL);
	l->level = (enum ctx_level)upto(f, 2);
	l->budget = upto(f, total + 20);
	l->trigger = upto(f, 1) ? l->budget : upto(f, l->budget);
	l->target = upto(f, 1) ? l->trigger : upto(f, l->trigger);
	l->keep_last = upto(f, 6);
	l->keep_turns = upto(f, 3);
	l->keep_first = upto(f, 3);
	l->window_turns = 1 + upto(f, 4);
	l->quantum = upto(f, 3) ? 0 : 1 + upto(f, 150);
	l->pin_system = l->strategy->pins_system && upto(f, 5) > 0;
	/* No format in which roles must alternate has names of users. */
	l->alternates =
	    upto(f, 2) == 0 && !(f->dialect.rules & CTX_NAMES_USERS);
}

/* ---- the plan ---- */

/* Writes a message in Gemini's format, in which results and a user's text may
 * be in one message. */
static inline size_t
write_message(char *text, size_t size, const struct message *m)
{
	size_t n;
	int i;

	n = (size_t)snprintf(text, size, "{\"role\":\"%s\",\"parts\":[",
	    m->kind == 's'                         ? "system"
		: m->kind == 'u' || m->kind == 'r' ? "user"
						   : "model");
	for (i = 0; m->kind == 'c' && i < m->calls; i++)
		n += (size_t)snprintf(text + n, size - n,
		    "%s{\"functionCall\":{\"id\":\"%d\",\"name\":\"f\"}}",
		    i > 0 ? "," : "", m->id + i);
	for (i = 0; m->kind == 'r' && i < m->calls; i++)
		n += (size_t)snprintf(text + n, size - n,
		    "%s{\"functionResponse\":{\"id\":\"%d\",\"name\":\"f\","
		    "\"response\":{\"output\":\"x\"}}}",
		    i > 0 ? "," : "", m->id + i);
	if (m->goes_on)
		n += (size_t)snprintf(text + n, size - n, ",");
	if (m->kind != 'c' && (m->kind != 'r' || m->goes_on))
		n += (size_t)snprintf(text + n, size - n, "{\"text\":\"x%s\"}",
		    m[m->goes_on].demo && m[m->goes_on].kind == 'u'
			? "\\n--- END OF DEMONSTRATION ---"
			: "");
	return n +
	    (size_t)snprintf(text + n, size - n, "],\"name\":\"%.*s\"}",
		m->name, "xyz");
}

static inline void
add(const struct fixture *f, struct ctx_groups *groups, const struct message *m)
{
	bool notice = f->note > 0 && m->kind == 's' && m->tokens % 2 == 0;
	struct ctx_segment *segment;
	char text[500];
	struct ctx_json json;
	struct ctx_message message = {0};
	struct ctx_cost cost = {0};
	struct ctx_err err;
	size_t used;

	ctx_json_init(&json, CTX_SIMD_BEST);
	NEED(ctx_json_scan(&json, text, write_message(text, sizeof text, m),
		 &used, &err) == 1);
	NEED(ctx_dialect_read_message(&f->dialect, &json, 0, &message, &err) ==
	    1);
	message.name = ctx_json_find(&json, 0, "name");
	cost.tokens = m->tokens;
	cost.framing = FRAMING;
	cost.reasoning = m->reasoning;
	cost.clearable = m->bodies;
	if (m->goes_on) {
		cost.results = m->tokens - FRAMING;
		cost.tokens += m[1].tokens - FRAMING;
	}
	NEED(ctx_groups_add(groups, &message, &cost,
		 (m->pinned ? CTX_SEGMENT_PINNED : 0u) |
		     (notice ? CTX_SEGMENT_NOTICE : 0u),
		 &err) == 0);
	segment = &groups->segments[groups->n - 1];
	if (segment->flags & CTX_SEGMENT_USER)
		segment->notice_tokens = (uint32_t)f->note;
	ctx_message_release(&message);
	ctx_json_release(&json);
}

/* Plans the messages. early: true if the plan is also computed before some
 * messages, as the fixture says. */
static inline void
plan_them(struct fixture *f, bool early, struct result *out)
{
	struct ctx_groups groups;
	struct ctx_plan plan = {0};
	/* index of the first part of each message */
	size_t first[MOST], messages = 0, i, j;
	struct ctx_err err;

	NEED(ctx_groups_init(&groups, &err) == 0);
	ctx_plan_reset(&plan, &groups, &f->settings);
	plan.fixed = 3;
	memset(out->marks, 0, sizeof out->marks);
	for (i = 0; i <= f->n; i++) {
		bool ended = i == f->n;

		if (!ended) {
			first[messages++] = i;
			add(f, &groups, &f->list[i]);
			i += f->list[i].goes_on;
		}
		if (!ended && !(early && upto(f, 2) == 0))
			continue;
		NEED(ctx_plan_decide(&plan, ended, &err) == 0);
		for (j = 0; j < groups.n; j++)
			out->marks[first[groups.segments[j].message] +
			    ((groups.segments[j].flags & CTX_SEGMENT_REST) !=
				0)] |= plan.marks[j];
		if (!ended)
			NEED(ctx_plan_compact(&plan, &err) == 0);
	}
	for (i = 0; i < f->n; i++)
		if (out->marks[i] & CTX_MARK_DROP)
			out->marks[i] = CTX_MARK_DROP;
	out->after = plan.after;
	ctx_plan_release(&plan);
	ctx_groups_release(&groups);
}

/* ---- the slow and simple plan ---- */

struct slow {
	const struct fixture *f;
	int group[MOST]; /* index of the first message of the group */
	uint64_t turn[MOST], start[MOST], newest;
	bool held[MOST], kept_last[MOST], pinned[MOST], open[MOST];
	bool gone[MOST];
	/* true if only users write in the turn of the message */
	bool users_only[MOST];
	bool asks[MOST];  /* true if the turn needs this user message */
	bool alone[MOST]; /* true for any other user message */
	uint8_t marks[MOST];
};

static inline void
slow_groups(struct slow *s)
{
	const struct message *m = s->f->list;
	bool named = s->f->dialect.rules & CTX_NAMES_USERS;
	int answered[MOST * 3], name = 0;
	bool between = true;
	uint64_t start = 0;
	size_t i, j;
	int k;

	memset(answered, 0, sizeof answered);
	for (i = 0; i < s->f->n; i++) {
		s->group[i] = (int)i;
		if (m[i].kind == 'u') {
			if (between)
				name = 0;
			s->newest += between ||
			    (named && name != 0 && m[i].name != 0 &&
				m[i].name != name);
			if (m[i].name != 0)
				name = m[i].name;
			between = false;
		} else if (m[i].kind != 's') {
			between = true;
		}
		s->turn[i] = s->newest;
		s->start[i] = start;
		if (i > 0 && m[i - 1].goes_on)
			s->start[i] = s->start[i - 1];
		start += m[i].tokens - (m[i].goes_on ? FRAMING : 0);
		for (j = 0; m[i].kind == 'r' && j < i; j++)
			if (m[j].kind == 'c' && m[i].id >= m[j].id &&
			    m[i].id < m[j].id + m[j].calls) {
				s->group[i] = (int)j;
				for (k = 0; k < m[i].calls; k++)
					answered[m[i].id + k] = 1;
			}
	}
	for (i = 0; i < s->f->n; i++)
		for (k = 0; m[i].kind == 'c' && k < m[i].calls; k++)
			s->open[i] |= !answered[m[i].id + k];
	for (i = 0; i < s->f->n; i++) {
		s->users_only[i] = m[i].kind == 'u';
		for (j = 0; j < s->f->n; j++)
			s->users_only[i] &= s->turn[j] != s->turn[i] ||
			    m[j].kind == 'u' || m[j].kind == 's';
	}
}

/* Marks the user messages that a turn needs.  If roles must alternate, these
 * are all.  Otherwise they are the last user message of a turn, and the first
 * that is neither pinned nor a demonstration.  In the newest turn, it is only
 * the last if no turn must be kept. */
static inline void
slow_asks(struct slow *s)
{
	const struct message *m = s->f->list;
	size_t i, j;

	for (i = 0; i < s->f->n; i++) {
		bool first = !m[i].demo && !m[i].pinned &&
		    (s->turn[i] != s->newest || s->f->settings.keep_turns > 0);
		bool last = true;

		for (j = 0; j < s->f->n; j++) {
			if (m[j].kind != 'u' || s->turn[j] != s->turn[i])
				continue;
			first &= j >= i || m[j].demo || m[j].pinned;
			last &= j <= i;
		}
		s->asks[i] = m[i].kind == 'u' &&
		    (first || last || s->f->settings.alternates);
		s->alone[i] = m[i].kind == 'u' && !s->asks[i];
	}
}

static inline void
slow_holds(struct slow *s)
{
	const struct ctx_prune_settings *l = &s->f->settings;
	const struct message *m = s->f->list;
	uint64_t spoken = 0, nth = 0;
	size_t i, j, n = s->f->n;

	for (i = 0; i < n; i++)
		spoken += m[i].kind != 's' && !m[i].goes_on;
	for (i = 0; i < n; i++) {
		bool system = m[i].kind == 's', last_of_turn = !system;
		bool last, pin = m[i].pinned, turn = false;

		for (j = i + 1; j < n; j++)
			last_of_turn &=
			    m[j].kind == 's' || s->turn[j] != s->turn[i];
		pin |= system && l->pin_system;
		pin |= !system && l->strategy->pins_first &&
		    nth < l->keep_first && !(m[i].kind == 'u' && m[i].demo);
		last = !system && spoken - nth <= l->keep_last;
		last |= i + 1 + m[i].goes_on == n;
		turn |= s->asks[i] && s->turn[i] == s->newest;
		turn |= (s->asks[i] || last_of_turn) &&
		    s->newest - s->turn[i] < l->keep_turns;
		nth += !system && !m[i].goes_on;
		j = (size_t)s->group[i];
		s->pinned[j] |= pin;
		s->kept_last[j] |= last;
		s->held[j] |= pin || last || turn ||
		    (s->open[j] && s->turn[j] == s->newest);
	}
	for (i = 0; i < n; i++) {
		j = (size_t)s->group[i];
		s->held[i] = s->held[j];
		s->pinned[i] = s->pinned[j];
		s->kept_last[i] = s->kept_last[j];
	}
}

/* Keeps the user messages and the last group of a turn.  Also pins them if the
 * message "from" is pinned. */
static inline void
slow_hold_ends(struct slow *s, uint64_t turn, int from)
{
	const struct message *m = s->f->list;
	size_t last = s->f->n, i, j;

	for (i = 0; i < s->f->n; i++)
		if (m[i].kind != 's' && s->turn[i] == turn)
			last = i;
	for (i = 0; i < s->f->n; i++) {
		if (m[i].kind == 's' || s->turn[i] != turn ||
		    (m[i].kind != 'u' && i != last))
			continue;
		for (j = 0; j < s->f->n; j++) {
			if (s->group[j] != s->group[i])
				continue;
			s->held[j] = true;
			s->pinned[j] |= s->pinned[from];
		}
	}
}

/* Returns the index of the last message of a turn that is not a system message,
 * or n if there is none. */
static inline size_t
slow_last(const struct slow *s, uint64_t turn)
{
	size_t last = s->f->n, i;

	for (i = 0; i < s->f->n; i++)
		if (s->turn[i] == turn && s->f->list[i].kind != 's')
			last = i;
	return last;
}

/*
 * If roles must alternate, both ends of a turn are kept, or none.  If the turn
 * ends with results in one message with the text of the next turn, the next
 * turn keeps its ends, too: otherwise this message would lose its answer.
 */
static inline void
slow_alternate(struct slow *s)
{
	uint64_t turn;
	size_t i, last;

	for (turn = 0; turn <= s->newest; turn++) {
		for (i = 0; i < s->f->n; i++)
			if (s->turn[i] == turn && s->held[i] &&
			    s->f->list[i].kind != 's')
				slow_hold_ends(s, turn, s->group[i]);
		last = slow_last(s, turn);
		if (last < s->f->n && s->f->list[last].goes_on && s->held[last])
			slow_hold_ends(s, turn + 1, s->group[last]);
	}
}

/* Keeps the user messages that a turn needs, if an answer of the turn is kept.
 */
static inline void
slow_hold_questions(struct slow *s)
{
	const struct message *m = s->f->list;
	size_t i, j;

	for (i = 0; i < s->f->n; i++)
		for (j = 0; s->asks[i] && j < s->f->n; j++)
			s->held[i] |= s->turn[j] == s->turn[i] && s->held[j] &&
			    m[j].kind != 'u' && m[j].kind != 's';
}

/* Returns the number of tokens that are left. shared: true if the tokens for
 * role and delimiters of two parts of one message are counted once. */
static inline uint64_t
slow_total(const struct slow *s, bool shared)
{
	uint64_t total = 3;
	size_t i;

	for (i = 0; i < s->f->n; i++) {
		const struct message *m = &s->f->list[i];

		if (s->gone[i])
			continue;
		total += m->tokens;
		if (s->marks[i] & CTX_MARK_STRIP)
			total -= m->reasoning;
		if (s->marks[i] & CTX_MARK_CLEAR)
			total -= m->bodies;
		if (shared && m->goes_on && !s->gone[i + 1])
			total -= FRAMING;
	}
	return total;
}

static inline void
slow_edit(struct slow *s, unsigned edit)
{
	const struct ctx_prune_settings *l = &s->f->settings;
	size_t i;

	for (i = 0; i < s->f->n; i++) {
		const struct message *m = &s->f->list[i];
		bool open =
		    s->open[s->group[i]] && s->turn[s->group[i]] == s->newest;

		/* With --quantum, all messages of a section are changed
		 * together. */
		if (slow_total(s, false) <= l->target &&
		    (l->quantum == 0 || i == 0 ||
			s->start[i] / l->quantum !=
			    s->start[i - 1] / l->quantum))
			break;
		if (s->pinned[i] || s->kept_last[i] || open)
			continue;
		if (edit == CTX_MARK_STRIP
			? m->reasoning > 0 && s->turn[i] < s->newest
			: m->bodies > 0)
			s->marks[i] |= (uint8_t)edit;
	}
	for (i = s->f->n; edit == CTX_MARK_CLEAR && i-- > 0;) {
		bool cleared = s->marks[i] & CTX_MARK_CLEAR;

		s->marks[i] &= (uint8_t)~CTX_MARK_CLEAR;
		if (cleared && slow_total(s, false) > l->target)
			s->marks[i] |= CTX_MARK_CLEAR;
	}
}

/* Removes a group.  If nothing else is left of its turn, also removes the user
 * messages of the turn. */
static inline void
slow_drop(struct slow *s, size_t group)
{
	const struct message *m = s->f->list;
	size_t i, j;
	bool alone;

	for (i = 0; i < s->f->n; i++)
		if (s->group[i] == (int)group)
			s->gone[i] = true;
	for (i = 0; i < s->f->n; i++) {
		if (!s->asks[i] || s->gone[i] || s->held[i] || s->users_only[i])
			continue;
		alone = true;
		for (j = 0; j < s->f->n; j++)
			if (m[j].kind != 'u' && m[j].kind != 's' &&
			    s->turn[j] == s->turn[i] && !s->gone[j])
				alone = false;
		s->gone[i] = alone;
	}
}

/* Keeps the other user messages of the newest turn (not demonstrations), if
 * they fit into the target with all messages that must be kept, and take at
 * most a quarter of the target. */
static inline void
slow_hold_if_room(struct slow *s)
{
	struct slow floor = *s, more = *s;
	uint64_t most = s->f->settings.target, sum;
	size_t i;

	for (i = 0; i < s->f->n; i++) {
		floor.gone[i] = !s->held[i];
		more.gone[i] = s->held[i] || !s->alone[i] ||
		    s->f->list[i].demo || s->turn[i] != s->newest;
	}
	sum = slow_total(&more, false) - 3;
	if (sum > most / 4 || slow_total(&floor, false) + sum > most)
		return;
	for (i = 0; i < s->f->n; i++)
		s->held[i] |= !more.gone[i];
}

/* Returns the oldest group that may be removed, or n if there is none.  A user
 * message that its turn needs may be removed only if only users wrote in the
 * turn. */
static inline size_t
slow_oldest(const struct slow *s)
{
	size_t i;

	for (i = 0; i < s->f->n; i++)
		if (s->group[i] == (int)i && !s->held[i] && !s->gone[i] &&
		    (!s->asks[i] || s->users_only[i]))
			break;
	return i;
}

static inline void
slow_plan(const struct fixture *f, struct result *out)
{
	const struct ctx_prune_settings *l = &f->settings;
	struct slow s = {.f = f};
	uint64_t total = 3;
	size_t i, j;

	slow_groups(&s);
	slow_asks(&s);
	slow_holds(&s);
	if (l->alternates)
		slow_alternate(&s);
	else
		slow_hold_questions(&s);
	for (i = 0; i < f->n; i++)
		total += f->list[i].tokens - (f->list[i].goes_on ? FRAMING : 0);
	if (!l->strategy->has_budget) {
		for (i = 0; i < f->n; i++)
			if (s.group[i] == (int)i && !s.held[i] &&
			    (!s.asks[i] || s.users_only[i]) &&
			    s.newest - s.turn[i] >= l->window_turns)
				slow_drop(&s, i);
	} else if (total > l->trigger) {
		if (l->level >= CTX_LEVEL_BALANCED &&
		    slow_total(&s, false) > l->target)
			slow_edit(&s, CTX_MARK_STRIP);
		if (l->quantum == 0 && l->level >= CTX_LEVEL_AGGRESSIVE &&
		    slow_total(&s, false) > l->target)
			slow_edit(&s, CTX_MARK_CLEAR);
		slow_hold_if_room(&s);
		while (slow_total(&s, false) > l->target &&
		    (i = slow_oldest(&s)) < f->n) {
			slow_drop(&s, i);
			/* With --quantum, all other messages of the section are
			 * removed, too. */
			for (j = i; l->quantum > 0 && j < f->n; j++)
				if (s.group[j] == (int)j && !s.held[j] &&
				    !s.gone[j] &&
				    (!s.asks[j] || s.users_only[j]) &&
				    s.start[j] / l->quantum ==
					s.start[i] / l->quantum)
					slow_drop(&s, j);
		}
	}
	for (i = 0; i < f->n; i++)
		out->marks[i] = s.gone[i] ? CTX_MARK_DROP : s.marks[i];
	out->after = slow_total(&s, true);
}

static inline void
explain(const struct fixture *f, const struct result *a, const struct result *b)
{
	const struct ctx_prune_settings *l = &f->settings;
	size_t i;

	printf("# %s level %d trigger %d target %d k %d t %d first %d window "
	       "%d quantum %d pin %d alternates %d\n",
	    l->strategy->name, (int)l->level, (int)l->trigger, (int)l->target,
	    (int)l->keep_last, (int)l->keep_turns, (int)l->keep_first,
	    (int)l->window_turns, (int)l->quantum, l->pin_system,
	    l->alternates);
	for (i = 0; i < f->n; i++)
		printf("# %2d %c name %d id %d calls %d tokens %d reasoning "
		       "%d bodies %d%s%s: %d %d\n",
		    (int)i, f->list[i].kind, f->list[i].name, f->list[i].id,
		    f->list[i].calls, (int)f->list[i].tokens,
		    (int)f->list[i].reasoning, (int)f->list[i].bodies,
		    f->list[i].pinned     ? " pin"
			: f->list[i].demo ? " demo"
					  : "",
		    f->list[i].goes_on ? " and" : "", a->marks[i], b->marks[i]);
}

static inline bool
same(const struct fixture *f, const struct result *a, const struct result *b)
{
	return memcmp(a->marks, b->marks, f->n) == 0 && a->after == b->after;
}

#endif
