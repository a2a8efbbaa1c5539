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
 * WORK_SHARE: replaces ANSWER_SHARE if there are at least CALLS_OF_WORK tool
 * calls per answer, because each answer then reports much work.
 * SAID_SHARE: if WORK_SHARE applies, for the assistant's other sentences.
 * These get only tokens that the answers do not need.
 * TALK_SHARE: replaces ANSWER_SHARE if no removed message calls a tool.
 * CONSTRAINT_SHARE: for a single sentence in which the user says what must or
 * must not be done.  It is selected before all other lines but the first.
 * KEPT_SHARE: for lines that quote the beginning of a kept message, to say
 * which lines of the summary follow that message.
 * All other tokens are for names, and for the lines of the tool calls in which
 * these names occur.  With larger shares, fewer of the names that are needed
 * later are kept (tests/bench/survive). */
enum {
	ASKED_SHARE = 45,
	DONE_SHARE = 30,
	TOLD_SHARE = 10,
	ANSWER_SHARE = 25,
	WORK_SHARE = 45,
	SAID_SHARE = 15,
	TALK_SHARE = 50,
	CONSTRAINT_SHARE = 25,
	KEPT_SHARE = 10,
};

/* CALLS_OF_WORK: see WORK_SHARE.  FIRST_OF_ANSWER: up to this number of lines
 * are selected of each answer before more lines are selected of any. */
enum { CALLS_OF_WORK = 4, FIRST_OF_ANSWER = 3 };

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

/* the highest number that find_line_order returns for lines of answers */
enum { LAST_ANSWER_TURN = 3 };

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
		    : !s->lines[i].leads  ? LAST_ANSWER_TURN
		    : s->lines[i].heads ||
			is_numbered(ctx_intern_at(&s->seen, s->lines[i].id))
		    ? 1
		    : 2;
	return s->lines[i].heads || s->lines[i].mentioned_later
	    ? FIRST_LINES
	    : FIRST_LINES + 1;
}

/* Returns the index of the first line of the message whose last line is
 * s->lines[last]. */
static size_t
find_message_begin(const struct ctx_summary *s, size_t last)
{
	size_t i = last;

	while (i > 0 && s->lines[i - 1].number == s->lines[last].number)
		i--;
	return i;
}

/* Selects the line with index i and, if it only announces the next line of its
 * message, this next line, too.  Selects nothing if these lines together have
 * more than *left tokens.  Subtracts their tokens from *left. */
static void
take_line(struct ctx_summary *s, size_t i, uint64_t *left)
{
	struct summary_line *line = &s->lines[i];
	uint64_t tokens = line->tokens;
	size_t end = i + 1;

	while (end < s->n && s->lines[end].class == line->class &&
	    s->lines[end].number == line->number && !s->lines[end].taken &&
	    ctx_summary_announces(
		ctx_intern_at(&s->seen, s->lines[end - 1].id)))
		tokens += s->lines[end++].tokens;
	if (tokens > *left)
		return;
	*left -= tokens;
	while (end > i)
		s->lines[--end].taken = true;
}

/* Selects lines of a class that together have at most "left" tokens; only one
 * line if one is true, and the line that it announces.  Lines with the lowest
 * find_line_order are selected first.  Of lines with equal order, those of the
 * newest message come first, in their order in the message.  Returns how many
 * of the "left" tokens are not used. */
static uint64_t
take_class_lines(struct ctx_summary *s, enum line_class class, uint64_t left,
    bool one)
{
	size_t begin;

	for (unsigned turn = 0; turn <= FIRST_LINES + 1; turn++)
		for (size_t end = s->n; end > 0; end = begin) {
			begin = find_message_begin(s, end - 1);
			for (size_t i = begin; i < end; i++) {
				if (s->lines[i].class != class ||
				    s->lines[i].taken ||
				    find_line_order(s, i) != turn)
					continue;
				take_line(s, i, &left);
				if (one && s->lines[i].taken)
					return left;
			}
		}
	return left;
}

/* Selects lines of an answer (s->lines[begin] and the lines after it, before
 * s->lines[end]) until "most" lines are selected.  The lines with the lowest
 * find_line_order are selected first. */
static void
take_answer(struct ctx_summary *s, size_t begin, size_t end, size_t most,
    uint64_t *left)
{
	size_t n = 0;

	for (size_t i = begin; i < end; i++)
		n += s->lines[i].taken;
	for (unsigned turn = 0; turn <= LAST_ANSWER_TURN; turn++)
		for (size_t i = begin; i < end && n < most; i++) {
			if (s->lines[i].class != ANSWER || s->lines[i].taken ||
			    find_line_order(s, i) != turn)
				continue;
			take_line(s, i, left);
			n += s->lines[i].taken;
		}
}

/* Selects lines of answers, of at most "left" tokens in total.  First selects
 * up to 3 lines of each answer, beginning with the newest answer; then more
 * lines until each answer has up to 6, 12, 24 and so on.  So one long answer
 * does not displace all others.  Of an answer after which the assistant
 * continues to work, selects at most 3 lines.  Returns how many of the "left"
 * tokens are not used. */
static uint64_t
take_answers(struct ctx_summary *s, uint64_t left)
{
	size_t begin;

	for (size_t most = FIRST_OF_ANSWER; most / 2 < s->n; most *= 2)
		for (size_t end = s->n; end > 0; end = begin) {
			begin = find_message_begin(s, end - 1);
			take_answer(s, begin, end,
			    s->lines[begin].in_work ? FIRST_OF_ANSWER : most,
			    &left);
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
		    take_class_lines(s, (enum line_class) class, part, false);
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

/* Returns the number of texts that have lines of the class ANSWER. in_work:
 * true to count only texts after which the assistant continues to work, false
 * to count only the others. */
static size_t
count_answers(const struct ctx_summary *s, bool in_work)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->lines[i].class == ANSWER &&
		    s->lines[i].in_work == in_work &&
		    (i == 0 || s->lines[i - 1].class != ANSWER ||
			s->lines[i - 1].number != s->lines[i].number);
	return n;
}

/* Texts after which the assistant continues to work are answers, unless there
 * are many such texts.  Then each of their lines gets the class that its
 * wording alone gives it.  Returns how many percent of the summary's tokens the
 * answers may use. */
static unsigned
decide_answers(struct ctx_summary *s)
{
	size_t answers = count_answers(s, false);
	size_t all = answers + count_answers(s, true);

	for (size_t i = 0; i < s->n; i++)
		if (s->lines[i].in_work && s->lines[i].class == ANSWER &&
		    s->actions.n < all * CALLS_OF_WORK)
			s->lines[i].class = s->lines[i].other_class;
	if (s->actions.n == 0)
		return TALK_SHARE;
	return s->actions.n < answers * CALLS_OF_WORK ? ANSWER_SHARE
						      : WORK_SHARE;
}

/* Selects lines of answers.  If these need few tokens, also selects other
 * sentences of the assistant: decisions, then all others.  shared: the shares
 * (WORK_SHARE and so on) are percentages of this number of tokens.  more:
 * number of tokens that answers may use in addition to their share.  Returns
 * how many tokens the selected lines have. */
static uint64_t
take_assistant_lines(struct ctx_summary *s, uint64_t shared, uint64_t more)
{
	unsigned share = decide_answers(s);
	uint64_t most = shared * share / 100 + more;
	uint64_t left = take_answers(s, most);
	uint64_t said = share == WORK_SHARE ? shared * SAID_SHARE / 100 : 0;
	uint64_t used = most - left;

	if (said > left)
		said = left;
	left = take_class_lines(s, DECISION, said, false);
	left = take_class_lines(s, REST, left, false);
	return used + said - left;
}

uint64_t
ctx_summary_take_main(struct ctx_summary *s, uint64_t limit)
{
	uint64_t shared = limit > NAMES_FIRST ? limit - NAMES_FIRST : 0;
	uint64_t asked = shared * ASKED_SHARE / 100;
	uint64_t done = limit * DONE_SHARE / 100;
	uint64_t told = shared * TOLD_SHARE / 100;
	uint64_t one = limit * CONSTRAINT_SHARE / 100;
	uint64_t kept = limit * KEPT_SHARE / 100;
	uint64_t used = limit - take_first_line(s, limit), unasked;

	used += one - take_class_lines(s, TASK, one, true);
	asked = used < asked ? asked - used : 0;
	unasked = ctx_summary_take_lines(s, TASK, REQUEST, asked, true);
	used += asked - unasked;
	used += done -
	    ctx_summary_take_lines(s, OPEN_TASK, CHANGED_FILE, done, true);
	used += take_assistant_lines(s, shared, unasked / 2);
	used += told - ctx_summary_take_lines(s, DECISION, TROUBLE, told, true);
	used += kept -
	    ctx_summary_take_lines(s, KEPT_MESSAGE, KEPT_MESSAGE, kept, false);
	return limit > used ? limit - used : 0;
}
