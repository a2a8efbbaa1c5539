/*
 * summary_choose.c - chooses the lines of the built-in summary
 *
 * Lines of important classes are chosen first.  The chosen lines of a class may
 * use a share of the summary's tokens.
 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Maximum shares of the summary's tokens, in percent.
 * ASKED_SHARE: for sentences of the user.
 * DONE_SHARE: for tasks and changes.
 * TOLD_SHARE: for decisions, commands and errors.
 * ANSWER_SHARE: for answers of the assistant.
 * TALK_SHARE: the same, if no removed message calls a tool.
 * CONSTRAINT_SHARE: for one sentence in which the user says what must or must
 * not be done, which is selected before all other lines but the first.
 * KEPT_SHARE: for the beginnings of kept messages.
 * All other tokens are for names and the lines of their tool calls.  With
 * larger shares, fewer of the names that are needed later are kept
 * (tests/bench/survive). */
enum {
	ASKED_SHARE = 45,
	DONE_SHARE = 30,
	TOLD_SHARE = 10,
	ANSWER_SHARE = 30,
	TALK_SHARE = 50,
	CONSTRAINT_SHARE = 25,
	KEPT_SHARE = 10,
};

/* This number of tokens is subtracted from the summary's tokens before
 * ASKED_SHARE, ANSWER_SHARE and TOLD_SHARE are computed, so that a small
 * summary has more names than sentences. */
enum { NAMES_FIRST = 100 };

/* Returns true for an item of a list with numbers or letters.  Such items begin
 * with "2. **Rename it.**", "**B.** One test fails" or "- **#12** is ready",
 * for example. */
static bool
is_numbered(struct ctx_str text)
{
	size_t i = 0, from;
	bool hash = false;

	for (; i < text.n && strchr("|*#- ", text.p[i]) != NULL; i++)
		hash |= text.p[i] == '#';
	for (from = i; i < text.n && ctx_is_digit(text.p[i]);)
		i++;
	if (i == from && i < text.n && text.p[i] >= 'A' && text.p[i] <= 'Z')
		i++;
	return i > from && i < text.n &&
	    (hash || strchr(".):", text.p[i]) != NULL);
}

/* Returns a number by which the lines of a class are sorted: lines with a low
 * number are selected first. */
static unsigned
find_line_order(const struct ctx_summary *s, size_t i)
{
	if (s->lines[i].first > 0)
		return s->lines[i].first - 1;
	if (i == 0 || s->lines[i].earlier)
		return 0;
	if (s->lines[i].class == ANSWER)
		return s->lines[i].frames ? 0
		    : s->lines[i].heads ||
			is_numbered(ctx_intern_at(&s->seen, s->lines[i].id))
		    ? 1
		    : 2;
	return s->lines[i].heads || s->lines[i].mentioned_later
	    ? FIRST_LINES
	    : FIRST_LINES + 1;
}

/* Selects at most "most" lines of a class that together have at most "left"
 * tokens.  Lines with the lowest find_line_order are selected first, and the
 * newest of lines with equal order.  Returns how many of the "left" tokens are
 * not used. */
static uint64_t
take_class_lines(struct ctx_summary *s, enum line_class class, uint64_t left,
    size_t most)
{
	for (unsigned turn = 0; turn <= FIRST_LINES + 1; turn++)
		for (size_t i = s->n; i-- > 0 && most > 0;) {
			struct summary_line *line = &s->lines[i];

			if (line->class != class || line->taken ||
			    line->tokens > left ||
			    find_line_order(s, i) != turn)
				continue;
			line->taken = true;
			left -= line->tokens;
			most--;
		}
	return left;
}

bool
ctx_summary_drop_line(struct ctx_summary *s)
{
	struct summary_line *worst = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (s->lines[i].taken &&
		    (worst == NULL || s->lines[i].class >= worst->class))
			worst = &s->lines[i];
	if (worst == NULL)
		return false;
	worst->taken = false;
	return true;
}

uint64_t
ctx_summary_take_lines(struct ctx_summary *s, enum line_class from,
    enum line_class to, uint64_t left, bool shares)
{
	for (unsigned class = from; class <= to; class ++) {
		uint64_t part = shares
		    ? left * ctx_summary_classes[class].share / 100
		    : left;

		left -= part -
		    take_class_lines(s, (enum line_class) class, part,
			SIZE_MAX);
	}
	return left;
}

/* Selects the first sentence of the user, if the sentence has at most "left"
 * tokens.  Reason: this sentence usually says what the task is.  Returns how
 * many of the "left" tokens are not used. */
static uint64_t
take_first_line(struct ctx_summary *s, uint64_t left)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->lines[i].first == 1 && s->lines[i].tokens <= left) {
			s->lines[i].taken = true;
			return left - s->lines[i].tokens;
		}
	return left;
}

uint64_t
ctx_summary_take_main(struct ctx_summary *s, uint64_t limit)
{
	uint64_t shared = limit > NAMES_FIRST ? limit - NAMES_FIRST : 0;
	uint64_t asked = shared * ASKED_SHARE / 100;
	uint64_t done = limit * DONE_SHARE / 100;
	uint64_t told = shared * TOLD_SHARE / 100;
	uint64_t answered =
	    shared * (s->actions.n > 0 ? ANSWER_SHARE : TALK_SHARE) / 100;
	uint64_t one = limit * CONSTRAINT_SHARE / 100;
	uint64_t kept = limit * KEPT_SHARE / 100;
	uint64_t used = limit - take_first_line(s, limit);

	used += one - take_class_lines(s, TASK, one, 1);
	asked = used < asked ? asked - used : 0;
	used += asked - ctx_summary_take_lines(s, TASK, REQUEST, asked, true);
	used += done -
	    ctx_summary_take_lines(s, OPEN_TASK, CHANGED_FILE, done, true);
	used += answered -
	    ctx_summary_take_lines(s, ANSWER, ANSWER, answered, false);
	used += told - ctx_summary_take_lines(s, DECISION, TROUBLE, told, true);
	used += kept -
	    ctx_summary_take_lines(s, KEPT_MESSAGE, KEPT_MESSAGE, kept, false);
	return limit > used ? limit - used : 0;
}
