/*
 * summary_lines.c - adds lines to the built-in summary: sentences, questions to
 * which the user agreed, and the places of kept messages
 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Maximum lengths in bytes.  MOST_QUESTION: of a question of the assistant.
 * MOST_ANSWER: of the sentence with which the user agrees. MOST_CHOICE: of a
 * text, such as "2", with which the user chooses what the assistant offers. */
enum { MOST_QUESTION = 240, MOST_ANSWER = 80, MOST_CHOICE = 4 };
/* A text of the assistant with at least this number of lines is an answer, even
 * if the next message is not from the user. */
enum { LEAST_REPORT = 3 };
/* maximum number of bytes of a kept message that its line contains */
enum { MOST_KEPT = 60 };

/* Lengths in bytes.  MOST_SHAPE: bytes at the end of a sentence that are
 * compared to find repetitions.  LEAST_REPEATED: a decision of fewer bytes is
 * never treated as a repetition, because a text such as "All 5 tests pass."
 * says something about a certain time. */
enum { MOST_SHAPE = 60, LEAST_REPEATED = 80 };
const struct class_row ctx_summary_classes[CLASSES] = {
    [TASK] = {CTX_SUMMARY_USER, "User: ", 85},
    [REQUEST] = {CTX_SUMMARY_USER, "User: ", 100},
    [OPEN_TASK] = {CTX_SUMMARY_CALL, "Open: ", 30},
    [DONE_TASK] = {CTX_SUMMARY_CALL, "Done: ", 30},
    [OPEN_POINT] = {CTX_SUMMARY_ASSISTANT, "Assistant: ", 20},
    [SOURCE] = {CTX_SUMMARY_CALL, "Read: ", 60},
    [CHANGE] = {CTX_SUMMARY_CALL, "Called: ", 80},
    [COMMIT] = {CTX_SUMMARY_CALL, "Ran: ", 40},
    [CHANGED_FILE] = {CTX_SUMMARY_CALL, "Changed: ", 100},
    [ANSWER] = {CTX_SUMMARY_ASSISTANT, "Assistant: ", 100},
    [DECISION] = {CTX_SUMMARY_ASSISTANT, "Assistant: ", 40},
    [COMMAND] = {CTX_SUMMARY_CALL, "Ran: ", 60},
    [TROUBLE] = {CTX_SUMMARY_RESULT, "Tool: ", 50},
    [LOOK_COMMAND] = {CTX_SUMMARY_CALL, "Ran: ", 30},
    [CALL] = {CTX_SUMMARY_CALL, "Called: ", 30},
    [REST] = {CTX_SUMMARY_ASSISTANT, "Assistant: ", 100},
    [KEPT_MESSAGE] = {CTX_SUMMARY_EARLIER, "", 100},
};

int
ctx_summary_add_line(struct ctx_summary *s, bool earlier, enum line_class class,
    struct ctx_str text, struct ctx_err *err)
{
	size_t known = s->seen.n;
	uint32_t id;

	if (ctx_intern(&s->seen, text.p, text.n, &id, err) < 0)
		return -1;
	if (id <= known)
		return 0;
	if (CTX_GROW(s->lines, s->cap, s->n + 1, err) < 0)
		return -1;
	s->lines[s->n] = (struct summary_line){.id = id,
	    .earlier = earlier,
	    .class = class,
	    .number = s->names.n_texts};
	if (ctx_summary_classes[class].kind == CTX_SUMMARY_USER && !earlier &&
	    s->user_lines < FIRST_LINES) {
		s->lines[s->n].first = ++s->user_lines;
		s->lines[s->n].class = TASK;
	}
	s->n++;
	return 0;
}

/* Stores the end of a sentence, with its numbers replaced by 0.  Sets *known to
 * true if the same end was stored before: the sentence is then a repetition. */
static int
add_shape(struct ctx_summary *s, struct ctx_str text, bool *known,
    struct ctx_err *err)
{
	struct ctx_buf *shape = &s->shape;
	size_t n = s->shapes.n;
	size_t skip = text.n > MOST_SHAPE ? text.n - MOST_SHAPE : 0;
	uint32_t id;

	shape->n = 0;
	if (ctx_buf_add(shape, text.p + skip, text.n - skip, err) < 0)
		return -1;
	for (size_t i = 0; i < shape->n; i++)
		if (shape->p[i] >= '1' && shape->p[i] <= '9')
			shape->p[i] = '0';
	for (size_t i = 1; i < shape->n;)
		if (shape->p[i] == '0' && shape->p[i - 1] == '0')
			memmove(shape->p + i, shape->p + i + 1, --shape->n - i);
		else
			i++;
	if (ctx_intern(&s->shapes, shape->p, shape->n, &id, err) < 0)
		return -1;
	*known = id <= n;
	return 0;
}

int
ctx_summary_add_sentence(struct ctx_summary *s, enum ctx_summary_kind kind,
    struct ctx_str text, struct ctx_err *err)
{
	enum line_class class = ctx_summary_classify(kind, text);
	size_t limit = ctx_summary_line_limit(text);
	bool known;

	if (class == CLASSES)
		return 0;
	if (limit < text.n) {
		s->kept.n = 0;
		if (ctx_buf_add(&s->kept, text.p, limit, err) < 0 ||
		    ctx_buf_add(&s->kept, " ...", 4, err) < 0)
			return -1;
		text = ctx_buf_str(&s->kept);
	}
	if (class == REST || (class == DECISION && text.n > LEAST_REPEATED)) {
		if (add_shape(s, text, &known, err) < 0)
			return -1;
		if (known && !s->reads_earlier)
			return 0;
	}
	return ctx_summary_add_line(s, kind == CTX_SUMMARY_EARLIER, class,
	    ctx_str_trim(text), err);
}

/* Returns true for an item of a list and for a row of a table, which say little
 * without the others. */
static bool
is_one_of_many(const struct ctx_summary *s, const struct summary_line *line)
{
	struct ctx_str text = ctx_intern_at(&s->seen, line->id);

	return text.p[0] == '|' || ctx_summary_begins_item(text);
}

/* Gives the lines of the assistant's last text the class ANSWER. in_work: true
 * if the assistant continues to work after it, false if the next message is
 * from the user. */
static void
end_answer(struct ctx_summary *s, bool in_work)
{
	struct summary_line *line, *first = NULL, *last = NULL;

	for (; s->answer < s->n; s->answer++) {
		line = &s->lines[s->answer];
		if (line->class == CLASSES ||
		    ctx_summary_classes[line->class].kind !=
			CTX_SUMMARY_ASSISTANT)
			continue;
		line->in_work = in_work;
		line->other_class = line->class;
		line->class = ANSWER;
		if (!line->leads)
			continue;
		if (first == NULL)
			first = line;
		if (last == NULL || !is_one_of_many(s, line))
			last = line;
	}
	if (first != NULL)
		first->frames = last->frames = true;
	/* The items after it are usually what the assistant offers to do. */
	while (last != NULL && ++last < s->lines + s->n)
		last->leads = false;
}

void
ctx_summary_end_answer(struct ctx_summary *s)
{
	end_answer(s, false);
}

int
ctx_summary_remember_answer(struct ctx_summary *s, struct ctx_str text,
    struct ctx_err *err)
{
	struct ctx_str one;
	bool asks, code = false;

	if (ctx_str_begins(text, CTX_NO_ANSWER))
		return 0;
	if (s->n - s->answer >= LEAST_REPORT)
		end_answer(s, true);
	s->answer = s->n;
	s->question.n = 0;
	s->asks = false;
	while (text.n > 0) {
		one = ctx_summary_next_sentence(&text);
		if (ctx_str_begins(one, CTX_CODE_FENCE))
			code = !code;
		if (code || one.n == 0 || one.n > MOST_QUESTION)
			continue;
		asks = memchr(one.p, '?', one.n) != NULL ||
		    ctx_str_begins(one, "Please ");
		if (!asks &&
		    (s->asks || ctx_summary_find_colon(one) > 0 ||
			ctx_summary_classify(CTX_SUMMARY_ASSISTANT, one) ==
			    CLASSES))
			continue;
		s->asks = asks;
		s->question.n = 0;
		if (ctx_buf_add_str(&s->question, one, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns the text of a user's message without what is at its beginning: text
 * that a program has inserted, such as <system-reminder>, and the command
 * before arguments, such as "/plan". */
static struct ctx_str
skip_context(struct ctx_str text)
{
	struct ctx_str own = {text.p, 0};
	size_t n;

	for (text = ctx_str_trim(text); text.n > 0; text = ctx_str_trim(text)) {
		n = ctx_summary_find_context(text, &own.n);
		own.p = text.p;
		if (own.n > 0 &&
		    (own.n + n == text.n ||
			!ctx_summary_is_command(ctx_str_trim(own))))
			break;
		text.p += own.n + n;
		text.n -= own.n + n;
	}
	return text;
}

/* Returns the beginning of a text up to the next text that a program has
 * inserted. */
static struct ctx_str
own_beginning(struct ctx_str text)
{
	size_t own = 0;

	if (text.n > 0)
		(void)ctx_summary_find_context(text, &own);
	return (struct ctx_str){text.p, own};
}

/* Returns true for a text with which the user chooses what the assistant
 * offers, such as "2". */
static bool
is_choice(struct ctx_str text)
{
	return text.n <= MOST_CHOICE && memchr(text.p, '?', text.n) == NULL &&
	    !ctx_summary_is_command(text);
}

/* Returns true if a line is the option that the user has chosen by its number
 * or letter: "2" or "2." chooses "- **2.** Wait", and "b" chooses "B) Go on".
 */
static bool
is_chosen(struct ctx_str line, struct ctx_str choice)
{
	size_t n = 0, i = 0;

	while (i < line.n && strchr("-*#|( ", line.p[i]) != NULL)
		i++;
	while (n < choice.n && ctx_summary_is_word_char(choice.p[n])) {
		if (i + n >= line.n ||
		    (line.p[i + n] | 0x20) != (choice.p[n] | 0x20))
			return false;
		n++;
	}
	return n > 0 && i + n < line.n && strchr(".):*", line.p[i + n]) != NULL;
}

/* Makes sure that the summary contains the chosen option, which is a line of
 * the assistant's last text. choice: what the user answered, such as "2". */
static void
keep_chosen(struct ctx_summary *s, struct ctx_str choice)
{
	for (size_t i = s->answer; i < s->n; i++)
		s->lines[i].frames |=
		    is_chosen(ctx_intern_at(&s->seen, s->lines[i].id), choice);
}

int
ctx_summary_add_agreement(struct ctx_summary *s, struct ctx_str *text,
    struct ctx_err *err)
{
	struct ctx_buf *out = &s->question;
	struct ctx_str first, own, answer = skip_context(*text);
	size_t known;
	uint32_t id;

	if (out->n == 0 || answer.n == 0)
		return 0;
	own = own_beginning(answer);
	first = ctx_summary_next_sentence(&own);
	answer.n -= (size_t)(own.p - answer.p);
	answer.p = own.p;
	if ((!s->asks && ctx_str_trim(answer).n > 0) ||
	    (!is_choice(first) &&
		(first.n > MOST_ANSWER || !ctx_summary_agrees(first)))) {
		out->n = 0;
		return 0;
	}
	if (ctx_intern_has(&s->seen, out->p, out->n)) {
		if (ctx_intern(&s->seen, out->p, out->n, &id, err) < 0)
			return -1;
		s->lines[id - 1].class = CLASSES;
	}
	if (is_choice(first))
		keep_chosen(s, first);
	known = s->n;
	if (ctx_buf_printf(out, err, " (the user answered: \"%.*s\")",
		(int)first.n, first.p) < 0 ||
	    ctx_summary_add_line(s, false, ANSWER, ctx_buf_str(out), err) < 0)
		return -1;
	if (s->n > known)
		s->lines[known].frames = true;
	ctx_summary_end_answer(s);
	out->n = 0;
	*text = answer;
	return 0;
}

int
ctx_summary_add_kept_line(struct ctx_summary *s, struct ctx_str text,
    enum line_class class, struct ctx_err *err)
{
	size_t known = s->seen.n;
	uint32_t id;

	if (ctx_summary_add_line(s, false, KEPT_MESSAGE, text, err) < 0 ||
	    ctx_intern(&s->seen, text.p, text.n, &id, err) < 0)
		return -1;
	s->lines[id - 1].class = class;
	if (id > known)
		s->lines[id - 1].number++;
	return 0;
}

int
ctx_summary_add_kept_message(struct ctx_summary *s, struct ctx_str text,
    struct ctx_err *err)
{
	struct ctx_str whole =
	    ctx_summary_first_line(own_beginning(skip_context(text)));
	struct ctx_str begin = ctx_summary_cut(whole, MOST_KEPT);

	if (begin.n == 0)
		return 0;
	ctx_summary_end_answer(s);
	s->kept.n = 0;
	if (ctx_buf_printf(&s->kept, err, CTX_KEPT_BEGIN "%.*s%s" CTX_KEPT_END,
		(int)begin.n, begin.p, begin.n < whole.n ? "..." : "") < 0)
		return -1;
	/* Directly after an earlier summary: if that summary has no line for
	 * the message, its place is not known. */
	if (s->earlier_texts > 0 && s->earlier_texts == s->names.n_texts &&
	    !ctx_intern_has(&s->seen, s->kept.p, s->kept.n))
		return 0;
	return ctx_summary_add_kept_line(s, ctx_buf_str(&s->kept), KEPT_MESSAGE,
	    err);
}
