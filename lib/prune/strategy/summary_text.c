/*
 * summary_text.c - writes the text of the built-in summary
 *
 * The lines are in the order of the conversation.  If several sentences of one
 * message are selected, only the first has a label; the others are indented.
 *
 * Of the names (paths, identifiers, ids and numbers) in the arguments and the
 * result of a tool call, a short list is below the line of the call.  A long
 * list is at the end of the summary, after the number that the line of the call
 * has at its end: "[2] a.c, b.c".  If the text of a call ends with a
 * number in brackets, all lists get higher numbers.  A call that only read
 * something is written only at the end of the summary, followed by the names
 * that it read.  If the result is JSON, lists have the keys of the names, too.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <inttypes.h>
#include <string.h>

#include "prune/strategy/summary.h"

/* Lists of more names than this are at the end of the summary. */
enum { FEW_NAMES = 8 };

/* Where the names of a tool call are listed. */
enum list_place {
	NO_LIST,
	BELOW_LINE,
	AT_END,      /* at the end of the summary, with a number */
	AT_END_LINE, /* at the end, below the line, which is there, too */
};

static int
append_key(const struct summary_writer *w, uint32_t key, struct ctx_buf *out,
    struct ctx_err *err)
{
	if (key == 0)
		return 0;
	if (ctx_buf_add_str(out, ctx_intern_at(&w->s->names.keys, key), err) <
	    0)
		return -1;
	return ctx_buf_add(out, "=", 1, err);
}

/* Appends the names w->names[from] to w->names[to - 1], which have the same
 * key, after this key.  If the tool call has more names with the key, "..."
 * follows. */
static int
append_key_names(const struct summary_writer *w, size_t from, size_t to,
    struct ctx_buf *out, struct ctx_err *err)
{
	const struct summary_names *names = &w->s->names;
	uint32_t below = names->list[w->names[from].id - 1].below;

	if (append_key(w, w->names[from].key, out, err) < 0)
		return -1;
	for (size_t i = from; i < to; i++)
		if ((i > from && ctx_buf_add(out, ", ", 2, err) < 0) ||
		    ctx_buf_add_str(out,
			ctx_intern_at(&names->texts, w->names[i].id), err) < 0)
			return -1;
	return below != 0 && names->below[below - 1] > to - from
	    ? ctx_buf_add(out, ", ...", 5, err)
	    : 0;
}

/* Returns the number of names that belong to the line with index "place" in
 * w->order.  The names begin at w->names + from. */
static size_t
count_names(const struct summary_writer *w, size_t from, uint32_t place)
{
	size_t n = 0;

	while (from + n < w->n_names && w->names[from + n].place == place)
		n++;
	return n;
}

/* Appends n names, which begin at w->names + from. */
static int
append_names(const struct summary_writer *w, size_t from, size_t n,
    struct ctx_buf *out, struct ctx_err *err)
{
	size_t to, end = from + n;

	for (size_t at = from; at < end; at = to) {
		for (to = at + 1;
		     to < end && w->names[to].key == w->names[at].key;)
			to++;
		if ((at > from && ctx_buf_add(out, "; ", 2, err) < 0) ||
		    append_key_names(w, at, to, out, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns true if the line of a tool call tells its outcome. */
static bool
has_outcome(const struct ctx_summary *s, const struct summary_line *line)
{
	struct ctx_str text = ctx_intern_at(&s->seen, line->id);

	return memmem(text.p, text.n, CTX_OUTCOME_MARK,
		   sizeof CTX_OUTCOME_MARK - 1) != NULL;
}

/* Appends the details of a line, if they are selected, and the number of
 * changes of a file, if there were several. */
static int
append_details(const struct ctx_summary *s, const struct summary_line *line,
    struct ctx_buf *out, struct ctx_err *err)
{
	if (line->with_details &&
	    (ctx_buf_printf(out, err, "%s",
		 has_outcome(s, line) ? "; " : CTX_OUTCOME_MARK) < 0 ||
		ctx_buf_add_str(out,
		    ctx_intern_at(&s->actions.texts, line->details), err) < 0))
		return -1;
	return line->changes > 1
	    ? ctx_buf_printf(out, err, " (%" PRIu32 CTX_CHANGES_SUFFIX,
		  line->changes)
	    : 0;
}

/* Returns where the names of a line are listed. n: number of its names. */
static enum list_place
find_list_place(const struct ctx_summary *s, const struct summary_line *line,
    size_t n)
{
	if (line->for_names && line->details == 0 && !line->reports &&
	    (line->class == LOOK_COMMAND || line->class == CALL) &&
	    !has_outcome(s, line))
		return AT_END_LINE;
	return n == 0 ? NO_LIST : n > FEW_NAMES ? AT_END : BELOW_LINE;
}

/* Returns true if both lines are sentences of the same message. */
static bool
is_same_message(const struct summary_line *a, const struct summary_line *b)
{
	enum ctx_summary_kind kind = ctx_summary_classes[a->class].kind;

	return a->number == b->number && !a->earlier && !b->earlier &&
	    kind == ctx_summary_classes[b->class].kind &&
	    (kind == CTX_SUMMARY_USER || kind == CTX_SUMMARY_ASSISTANT);
}

/* Returns the length of a sentence of a message without its final colon, which
 * may be in bold type.  Returns 0 if it has none. */
static size_t
find_colon(const struct ctx_summary *s, const struct summary_line *line)
{
	struct ctx_str text = ctx_intern_at(&s->seen, line->id);
	enum ctx_summary_kind kind = ctx_summary_classes[line->class].kind;

	return kind == CTX_SUMMARY_USER || kind == CTX_SUMMARY_ASSISTANT
	    ? ctx_summary_find_colon(text)
	    : 0;
}

/* Returns true if what a line announces with a colon is in the next line.  In a
 * message of the assistant, no other line may have been between them. */
static bool
announces_next(const struct summary_line *line, const struct summary_line *next)
{
	return is_same_message(line, next) &&
	    (next == line + 1 ||
		ctx_summary_classes[line->class].kind == CTX_SUMMARY_USER);
}

/* Appends a line. before: the line before it, or NULL. next: the line after it,
 * or NULL.  If the line ends with a colon, and what it announces is not in the
 * summary, appends "..." instead. */
static int
append_line(const struct ctx_summary *s, const struct summary_line *line,
    const struct summary_line *before, const struct summary_line *next,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_str text = ctx_intern_at(&s->seen, line->id);
	size_t colon = find_colon(s, line);
	bool cut = colon > 0 && (next == NULL || !announces_next(line, next));
	const char *label =
	    line->earlier ? "" : ctx_summary_classes[line->class].label;

	if (before != NULL && is_same_message(before, line))
		label = CTX_LIST_INDENTATION;
	if (ctx_buf_printf(out, err, "%s%s", out->n > 0 ? "\n" : "", label) <
		0 ||
	    ctx_buf_add(out, text.p, cut ? colon : text.n, err) < 0 ||
	    (cut && ctx_buf_add(out, " ...", 4, err) < 0))
		return -1;
	return append_details(s, line, out, err);
}

/* Returns true for the header of a table. */
static bool
is_header(const struct ctx_summary *s, const struct summary_line *line)
{
	return line->heads && ctx_intern_at(&s->seen, line->id).p[0] == '|';
}

/* Returns true if the next line justifies this line: the line of a kept message
 * needs one that tells what followed, the header of a table needs a row. */
static bool
is_needed_before(const struct ctx_summary *s, const struct summary_line *line,
    const struct summary_line *next)
{
	if (line->class == KEPT_MESSAGE)
		return next->number != UINT32_MAX;
	return is_same_message(line, next) &&
	    ctx_intern_at(&s->seen, next->id).p[0] == '|';
}

/* Returns the number at the end of a text such as "make check [2]", or 0 if the
 * text does not end so.  Longer numbers than those of lists do not count. */
static uint32_t
read_end_number(struct ctx_str text)
{
	uint32_t number = 0, unit = 1;
	size_t at;

	if (text.n < 4 || text.p[text.n - 1] != ']')
		return 0;
	for (at = text.n - 1;
	     at > 0 && ctx_is_digit(text.p[at - 1]) && unit < 1000000; at--) {
		number += (uint32_t)(text.p[at - 1] - '0') * unit;
		unit *= 10;
	}
	return at > 1 && memcmp(text.p + at - 2, " [", 2) == 0 ? number : 0;
}

/* Returns the highest number in brackets, such as "[3]", at the end of the text
 * of a call itself, or 0 if there is none.  The lists of names get higher
 * numbers. */
static uint32_t
find_end_number(const struct ctx_summary *s)
{
	uint32_t highest = 0, number;

	for (size_t i = 0; i < s->n; i++) {
		const struct summary_line *line = &s->lines[i];

		if (!line->taken ||
		    ctx_summary_classes[line->class].kind != CTX_SUMMARY_CALL)
			continue;
		number = read_end_number(line->with_details
			? ctx_intern_at(&s->actions.texts, line->details)
			: ctx_intern_at(&s->seen, line->id));
		if (number > highest)
			highest = number;
	}
	return highest;
}

/* Appends the lists at the end of the summary, for lines whose names are listed
 * in this place. from: index in w->names of the first name that belongs to no
 * line. lists: the number of the first list, minus 1. */
static int
append_end_lists(const struct summary_writer *w, enum list_place where,
    size_t from, uint32_t lists, struct ctx_buf *out, struct ctx_err *err)
{
	const struct summary_line *line;
	size_t at = 0, n;
	int rc;

	for (uint32_t i = 0; at < from; i++, at += n) {
		line = &w->s->lines[w->order[i].index];
		n = count_names(w, at, i);
		if (n == 0 || find_list_place(w->s, line, n) != where)
			continue;
		rc = where == AT_END
		    ? ctx_buf_printf(out, err, "\n[%" PRIu32 "] ", ++lists)
		    : append_line(w->s, line, NULL, NULL, out, err);
		if (rc < 0 ||
		    (where == AT_END_LINE &&
			ctx_buf_printf(out, err, "\n" CTX_LIST_INDENTATION) <
			    0) ||
		    append_names(w, at, n, out, err) < 0)
			return -1;
	}
	return 0;
}

/* Appends the end of the summary: the names that belong to no line, which begin
 * at w->names + from, and the lists at the end. lists: the number of the
 * first list, minus 1. */
static int
append_end(const struct summary_writer *w, size_t from, uint32_t lists,
    struct ctx_buf *out, struct ctx_err *err)
{
	if (ctx_buf_printf(out, err, "%s" CTX_NAMES_LABEL "%s",
		out->n > 0 ? "\n" : "", from < w->n_names ? " " : "") < 0 ||
	    append_names(w, from, w->n_names - from, out, err) < 0 ||
	    append_end_lists(w, AT_END, from, lists, out, err) < 0)
		return -1;
	return append_end_lists(w, AT_END_LINE, from, lists, out, err);
}

/* A line that is to be written: its n names begin at summary_writer.names +
 * from. list: number of its list at the end, if it has one. */
struct next_line {
	const struct summary_line *line;
	size_t from, n;
	uint32_t list;
};

/* Appends a line and its names, or the number of its list.  Sets *before to the
 * line.  Leaves out a line that needs a certain line after it, if that is
 * missing. *before: the line before it, or NULL. after: the line after it, or
 * NULL. */
static int
append_next(const struct summary_writer *w, const struct next_line *next,
    const struct summary_line **before, const struct summary_line *after,
    struct ctx_buf *out, struct ctx_err *err)
{
	const struct summary_line *line = next->line;

	if (line == NULL ||
	    ((line->class == KEPT_MESSAGE || is_header(w->s, line)) &&
		(after == NULL || !is_needed_before(w->s, line, after))))
		return 0;
	if (append_line(w->s, line, *before, after, out, err) < 0)
		return -1;
	*before = line;
	if (next->n == 0)
		return 0;
	if (next->n > FEW_NAMES)
		return ctx_buf_printf(out, err, " [%" PRIu32 "]", next->list);
	if (ctx_buf_printf(out, err, "\n" CTX_LIST_INDENTATION) < 0)
		return -1;
	return append_names(w, next->from, next->n, out, err);
}

int
ctx_summary_append_lines(const struct summary_writer *w, struct ctx_buf *out,
    struct ctx_err *err)
{
	const struct summary_line *line, *before = NULL;
	struct next_line next = {NULL, 0, 0, 0};
	enum list_place where;
	uint32_t highest = find_end_number(w->s), lists = highest;
	bool end = false;
	size_t at = 0, n;

	for (uint32_t i = 0; i < w->s->n; i++, at += n) {
		line = &w->s->lines[w->order[i].index];
		n = count_names(w, at, i);
		if (!line->taken)
			continue;
		where = find_list_place(w->s, line, n);
		lists += where == AT_END;
		end |= where >= AT_END && n > 0;
		if (where == AT_END_LINE)
			continue;
		if (append_next(w, &next, &before, line, out, err) < 0)
			return -1;
		next = (struct next_line){line, at, n, lists};
	}
	if (append_next(w, &next, &before, NULL, out, err) < 0)
		return -1;
	return end || at < w->n_names ? append_end(w, at, highest, out, err)
				      : 0;
}
