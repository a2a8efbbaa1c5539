/*
 * summary_earlier.c - reads a summary that an earlier run has inserted
 *
 * The new summary replaces the earlier one, so it is made from the lines and
 * names of the earlier one, too.  summary_text.c has written them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/summary.h"

/* The state of reading an earlier summary line by line. */
struct earlier_summary {
	/* About the line before. action: id of the action (what a tool call
	 * did) that it tells, or 0. kind: kind of text that contains it;
	 * CTX_SUMMARY_EARLIER if a command wrote the summary. number: see
	 * struct summary_line. */
	uint32_t action;
	enum ctx_summary_kind kind;
	uint32_t number;
	/* For the lists at the end, in the order of their numbers: id of the
	 * action to which the names of the list belong. */
	uint32_t *lists;
	size_t n_lists, cap;
	/* number of the first of these lists; 0 if there are none */
	size_t first_list;
};

/* Returns the number at the beginning of a list at the end of the summary, such
 * as "[2] NAME, NAME", and removes "[2]" from *line.  Returns 0 if the line is
 * no such list. */
static size_t
cut_list_begin(struct ctx_str *line)
{
	size_t number = 0, i = 1;

	if (line->n == 0 || line->p[0] != '[')
		return 0;
	for (; i < line->n && ctx_is_digit(line->p[i]) && number < 1000000; i++)
		number = number * 10 + (size_t)(line->p[i] - '0');
	if (number == 0 || i == line->n || line->p[i] != ']')
		return 0;
	line->p += i + 1;
	line->n -= i + 1;
	return number;
}

/* Returns the number of the first list at the end of a summary, or 0 if there
 * is none. */
static size_t
find_first_list(struct ctx_str text)
{
	struct ctx_str line = {NULL, 0};

	while (text.n > 0 && !ctx_str_begins(line, CTX_NAMES_LABEL))
		line = ctx_str_cut(&text, '\n');
	line = ctx_str_cut(&text, '\n');
	return cut_list_begin(&line);
}

/* Removes the number of a list, such as " [2]", from the end of *text.  Returns
 * true if the number is that of the next list. */
static bool
cut_list_number(const struct earlier_summary *earlier, struct ctx_str *text)
{
	char number[24];
	size_t n = (size_t)snprintf(number, sizeof number, " [%zu]",
	    earlier->first_list + earlier->n_lists);

	if (earlier->first_list == 0 || text->n <= n ||
	    memcmp(text->p + text->n - n, number, n) != 0)
		return false;
	text->n -= n;
	return true;
}

/* Adds a sentence.  The header of a table is too short for a sentence, but an
 * earlier run has added it because of the rows below. */
static int
add_sentence(struct ctx_summary *s, enum ctx_summary_kind kind,
    struct ctx_str text, struct ctx_err *err)
{
	size_t known = s->n;

	if (kind != CTX_SUMMARY_ASSISTANT || text.p[0] != '|' ||
	    ctx_summary_classify(kind, text) != CLASSES)
		return ctx_summary_add_sentence(s, kind, text, err);
	if (ctx_summary_add_line(s, false, REST, text, err) < 0)
		return -1;
	if (s->n > known)
		s->lines[known].heads = true;
	return 0;
}

/* Adds the line of a tool call.  If the line has the number of a list of names
 * at its end, stores to which action the list belongs. */
static int
add_call_line(struct ctx_summary *s, struct earlier_summary *earlier,
    enum line_class class, struct ctx_str text, struct ctx_err *err)
{
	bool has_list = cut_list_number(earlier, &text);

	if (ctx_summary_actions_earlier(&s->actions, class, text,
		&earlier->action, err) < 0)
		return -1;
	if (!has_list)
		return 0;
	if (CTX_GROW(earlier->lists, earlier->cap, earlier->n_lists + 1, err) <
	    0)
		return -1;
	earlier->lists[earlier->n_lists++] = earlier->action;
	return 0;
}

/* Adds a line that is not indented.  If it has no label such as "User: ", a
 * command wrote the summary. */
static int
add_line(struct ctx_summary *s, struct earlier_summary *earlier,
    struct ctx_str line, struct ctx_err *err)
{
	const struct class_row *row = ctx_summary_classes;
	struct ctx_str text;
	size_t n;

	earlier->kind = CTX_SUMMARY_EARLIER;
	if (ctx_summary_names_add(&s->names, line, NULL, 0, false, err) < 0)
		return -1;
	s->actions.number = s->names.n_texts;
	if (ctx_str_begins(line, CTX_KEPT_BEGIN))
		return ctx_summary_add_kept_line(s, line, CLASSES, err);
	for (unsigned class = 0; class < KEPT_MESSAGE; class ++, row++) {
		n = strlen(row->label);
		if (line.n <= n || !ctx_str_begins(line, row->label))
			continue;
		text = (struct ctx_str){line.p + n, line.n - n};
		if (row->kind == CTX_SUMMARY_CALL)
			return add_call_line(s, earlier,
			    (enum line_class) class, text, err);
		earlier->kind = row->kind;
		return add_sentence(s, row->kind, text, err);
	}
	return ctx_summary_add_sentence(s, CTX_SUMMARY_EARLIER, line, err);
}

/* Adds an indented line: a list of names below the line of a tool call, or a
 * sentence of the same message as the line before. */
static int
add_indented(struct ctx_summary *s, const struct earlier_summary *earlier,
    struct ctx_str line, struct ctx_err *err)
{
	size_t known = s->n;

	if (earlier->action != 0)
		return ctx_summary_names_add_list(&s->names, line,
		    earlier->action, err);
	if (ctx_summary_names_add(&s->names, line, NULL, 0, false, err) < 0 ||
	    add_sentence(s, earlier->kind, line, err) < 0)
		return -1;
	if (s->n > known && earlier->kind != CTX_SUMMARY_EARLIER)
		s->lines[known].number = earlier->number;
	return 0;
}

/* Adds a list at the end of the summary: "[2] NAME, NAME".  Returns 1 if the
 * line is such a list, 0 if it is not, or -1 with *err. */
static int
add_list(struct ctx_summary *s, const struct earlier_summary *earlier,
    struct ctx_str line, struct ctx_err *err)
{
	size_t number = cut_list_begin(&line), first = earlier->first_list;

	if (number == 0 || number < first || number - first >= earlier->n_lists)
		return 0;
	return ctx_summary_names_add_list(&s->names, line,
		   earlier->lists[number - first], err) < 0
	    ? -1
	    : 1;
}

static int
add_any_line(struct ctx_summary *s, struct earlier_summary *earlier,
    struct ctx_str line, struct ctx_err *err)
{
	const size_t n = sizeof CTX_NAMES_LABEL - 1;
	bool indented = line.n > 0 && line.p[0] == ' ';
	int rc;

	line = ctx_str_trim(line);
	if (line.n == 0)
		return 0;
	if (indented)
		return add_indented(s, earlier, line, err);
	earlier->action = 0;
	rc = add_list(s, earlier, line, err);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (ctx_str_begins(line, CTX_NAMES_LABEL)) {
		line.p += n;
		line.n -= n;
		return ctx_summary_names_add_list(&s->names, line, 0, err);
	}
	rc = add_line(s, earlier, line, err);
	earlier->number = s->names.n_texts;
	return rc;
}

int
ctx_summary_add_earlier(struct ctx_summary *s, struct ctx_str text,
    struct ctx_err *err)
{
	struct earlier_summary earlier = {.kind = CTX_SUMMARY_EARLIER,
	    .first_list = find_first_list(text)};
	int rc = 0;

	s->reads_earlier = true;
	while (rc == 0 && text.n > 0)
		rc = add_any_line(s, &earlier, ctx_str_cut(&text, '\n'), err);
	free(earlier.lists);
	s->reads_earlier = false;
	s->earlier_texts = s->names.n_texts;
	return rc;
}
