/*
 * summary_text.c - writes the text of the built-in summary
 *
 * The lines are in the order of the conversation.  Below the line of a tool
 * call is a list of the names (paths, identifiers, ids and numbers) in its
 * arguments and its result.  If the result is JSON, the list has the keys of
 * the names, too.  The last line lists the names that do not belong to a tool
 * call.
 */
#include <inttypes.h>
#include <string.h>

#include "prune/strategy/summary.h"

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

/* Appends a list of the names that belong to the line with index "place" in
 * w->order.  The names begin at w->names + from.  Returns the number of these
 * names, or -1 with *err. */
static long
append_names(const struct summary_writer *w, size_t from, uint32_t place,
    struct ctx_buf *out, struct ctx_err *err)
{
	const char *before = place != UINT32_MAX ? "\n" CTX_LIST_INDENTATION
	    : out->n == 0                        ? CTX_NAMES_LABEL
						 : "\n" CTX_NAMES_LABEL;
	size_t at = from, to;

	for (; at < w->n_names && w->names[at].place == place; at = to) {
		for (to = at + 1; to < w->n_names &&
		     w->names[to].place == place &&
		     w->names[to].key == w->names[at].key;)
			to++;
		if (ctx_buf_printf(out, err, "%s", before) < 0 ||
		    append_key_names(w, at, to, out, err) < 0)
			return -1;
		before = "; ";
	}
	return (long)(at - from);
}

/* Appends the details of a line, if they are selected, and the number of
 * changes of a file, if there were several. */
static int
append_details(const struct ctx_summary *s, const struct summary_line *line,
    struct ctx_buf *out, struct ctx_err *err)
{
	if (line->with_details &&
	    (ctx_buf_printf(out, err, CTX_OUTCOME_MARK) < 0 ||
		ctx_buf_add_str(out,
		    ctx_intern_at(&s->actions.texts, line->details), err) < 0))
		return -1;
	return line->changes > 1
	    ? ctx_buf_printf(out, err, " (%" PRIu32 CTX_CHANGES_SUFFIX,
		  line->changes)
	    : 0;
}

int
ctx_summary_append_lines(const struct summary_writer *w, struct ctx_buf *out,
    struct ctx_err *err)
{
	const struct ctx_summary *s = w->s;
	const struct summary_line *line;
	size_t at = 0;
	long n;

	for (uint32_t i = 0; i < s->n; i++) {
		line = &s->lines[w->order[i].index];
		if (!line->taken)
			continue;
		if (ctx_buf_printf(out, err, "%s%s", out->n > 0 ? "\n" : "",
			line->earlier
			    ? ""
			    : ctx_summary_classes[line->class].label) < 0 ||
		    ctx_buf_add_str(out, ctx_intern_at(&s->seen, line->id),
			err) < 0 ||
		    append_details(s, line, out, err) < 0 ||
		    (n = append_names(w, at, i, out, err)) < 0)
			return -1;
		at += (size_t)n;
	}
	return append_names(w, at, UINT32_MAX, out, err) < 0 ? -1 : 0;
}
