/*
 * summary_write.c - selects as many lines and names for the built-in summary as
 * fit into its tokens, and has them written (summary_text.c)
 */
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/summary.h"

/* Number of tokens of the line feed and the indentation before a list of
 * names. */
enum { LIST_TOKENS = 2 };

/* At most 1/DETAILS_SHARE of the summary's tokens are used for details of calls
 * before names are selected. */
enum { DETAILS_SHARE = 12 };

/* ---- lines ---- */

/* Counts the tokens of each line, plus 3 for its label and line feed, and 4 for
 * a number of changes.  Also finds out whether any name in the line occurs in a
 * kept message. */
static int
measure_lines(struct ctx_summary *s, struct ctx_token_counter *counter,
    struct ctx_err *err)
{
	for (size_t i = 0; i < s->n; i++) {
		struct summary_line *line = &s->lines[i];
		struct ctx_str text = ctx_intern_at(&s->seen, line->id);

		line->mentioned_later = ctx_summary_names_kept(&s->names, text);
		if (ctx_token_count(counter, text.p, text.n, &line->tokens,
			err) < 0)
			return -1;
		line->tokens += line->changes > 1 ? 7 : 3;
	}
	return 0;
}

/* ---- names ---- */

/* Stores which names are in the selected lines, so that they are not listed
 * again. */
static int
keep_line_names(struct ctx_summary *s, struct ctx_err *err)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->lines[i].taken &&
		    ctx_summary_names_keep(&s->names,
			ctx_intern_at(&s->seen, s->lines[i].id), err) < 0)
			return -1;
	return 0;
}

/* Sets *tokens to the number of tokens that a text adds after another text,
 * with the separator "before" between them. */
static int
count_after(struct summary_writer *w, const char *before, struct ctx_str text,
    uint64_t *tokens, struct ctx_err *err)
{
	w->scratch.n = 0;
	if (ctx_buf_add(&w->scratch, before, strlen(before), err) < 0 ||
	    ctx_buf_add_str(&w->scratch, text, err) < 0)
		return -1;
	return ctx_token_count(w->counter, w->scratch.p, w->scratch.n, tokens,
	    err);
}

/* Returns the line of the tool call to which a name belongs, or NULL if there
 * is none. */
static struct summary_line *
find_name_line(const struct ctx_summary *s, const struct summary_name *name)
{
	uint32_t i = name->action != 0 ? s->line_of[name->action - 1] : 0;

	return i != 0 ? &s->lines[i - 1] : NULL;
}

/* Adds the tokens of a name's key to *tokens, unless the list of names below
 * the line already contains the key. */
static int
count_key(struct summary_writer *w, const struct summary_line *line,
    uint32_t key, uint64_t *tokens, struct ctx_err *err)
{
	uint32_t pair[2] = {(uint32_t)(line - w->s->lines), key};
	uint64_t more;

	if (key == 0 ||
	    ctx_intern_has(&w->keys, (const char *)pair, sizeof pair))
		return 0;
	if (count_after(w, "=", ctx_intern_at(&w->s->names.keys, key), &more,
		err) < 0)
		return -1;
	*tokens += more;
	return 0;
}

/* Selects the line to which a name belongs, because the name will be listed
 * below it.  The names in the line itself will not be listed again. */
static int
take_name_line(struct summary_writer *w, struct summary_line *line,
    struct ctx_err *err)
{
	line->taken = line->for_names = true;
	return ctx_summary_names_keep(&w->s->names,
	    ctx_intern_at(&w->s->seen, line->id), err);
}

/* Stores that a name is listed below its line. */
static int
list_below(struct summary_writer *w, struct summary_line *line, uint32_t key,
    struct ctx_err *err)
{
	uint32_t pair[2] = {(uint32_t)(line - w->s->lines), key}, id;

	line->has_names = true;
	return ctx_intern(&w->keys, (const char *)pair, sizeof pair, &id, err);
}

/* Selects a name and the line to which it belongs, if both together have at
 * most *left tokens, and subtracts their tokens from *left. */
static int
select_name(struct summary_writer *w, uint32_t id, uint64_t *left,
    struct ctx_err *err)
{
	struct summary_names *names = &w->s->names;
	struct summary_name *name = &names->list[id - 1];
	struct summary_line *line = find_name_line(w->s, name);
	struct ctx_str text = ctx_intern_at(&names->texts, id);
	uint64_t tokens, above = 0;

	if (ctx_intern_has(&names->kept, text.p, text.n))
		return 0;
	if (count_after(w, ", ", text, &tokens, err) < 0)
		return -1;
	if (line != NULL) {
		above = line->taken ? 0 : line->tokens;
		tokens += line->has_names ? 0 : LIST_TOKENS;
		if (count_key(w, line, name->key, &tokens, err) < 0)
			return -1;
	}
	if (tokens + above > *left)
		return 0;
	if (line != NULL && !line->taken) {
		if (take_name_line(w, line, err) < 0)
			return -1;
		*left -= above;
		if (ctx_intern_has(&names->kept, text.p, text.n))
			return 0;
	}
	*left -= tokens;
	name->taken = true;
	return line != NULL ? list_below(w, line, name->key, err) : 0;
}

/* Selects the most useful names that, together with the lines selected only for
 * them, have at most limit tokens. */
static int
select_names(struct summary_writer *w, uint64_t limit, struct ctx_err *err)
{
	struct summary_names *names = &w->s->names;
	uint64_t left = limit;

	ctx_intern_reset(&w->keys);
	for (size_t i = 0; i < w->s->n; i++) {
		struct summary_line *line = &w->s->lines[i];

		line->has_names = false;
		if (line->taken && line->for_names)
			left -= line->tokens < left ? line->tokens : left;
	}
	for (size_t i = 0; i < names->texts.n; i++)
		names->list[i].taken = false;
	/* Ends when at most 2 tokens are left, because no name fits into 2
	 * tokens. */
	for (size_t i = 0; i < names->n_order && left > 2; i++)
		if (select_name(w, names->order[i].id, &left, err) < 0)
			return -1;
	return 0;
}

static int
compare_placed_names(const void *a, const void *b)
{
	const struct placed_name *left = a, *right = b;

	if (left->place != right->place)
		return left->place < right->place ? -1 : 1;
	if (left->key != right->key)
		return left->key < right->key ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

/* Fills w->names with the selected names. */
static void
place_names(struct summary_writer *w)
{
	const struct ctx_summary *s = w->s;
	const struct summary_line *line;

	w->n_names = 0;
	for (uint32_t id = 1; id <= s->names.texts.n; id++) {
		const struct summary_name *name = &s->names.list[id - 1];

		if (!name->taken)
			continue;
		line = find_name_line(s, name);
		w->names[w->n_names++] = line == NULL
		    ? (struct placed_name){UINT32_MAX, 0, id}
		    : (struct placed_name){w->place_of[line - s->lines],
			  name->key, id};
	}
	qsort(w->names, w->n_names, sizeof *w->names, compare_placed_names);
}

/* ---- writing ---- */

/* Writes the summary to the buffer "out": the selected lines, and names that
 * have at most limit tokens.  Sets *tokens to the number of tokens of the
 * summary. */
static int
write_selected(struct summary_writer *w, uint64_t limit, struct ctx_buf *out,
    uint64_t *tokens, struct ctx_err *err)
{
	out->n = 0;
	if (select_names(w, limit, err) < 0)
		return -1;
	place_names(w);
	if (ctx_summary_append_lines(w, out, err) < 0)
		return -1;
	return ctx_token_count(w->counter, out->p, out->n, tokens, err);
}

static int
compare_lines(const void *a, const void *b)
{
	const struct numbered_line *left = a, *right = b;

	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

/* Sorts the lines by their order in the conversation. */
static int
sort_lines(struct summary_writer *w, struct ctx_err *err)
{
	const struct ctx_summary *s = w->s;

	w->order = calloc(s->n + 1, sizeof *w->order);
	w->place_of = calloc(s->n + 1, sizeof *w->place_of);
	w->names = calloc(s->names.texts.n + 1, sizeof *w->names);
	if (w->order == NULL || w->place_of == NULL || w->names == NULL)
		return ctx_err_nomem(err);
	for (uint32_t i = 0; i < s->n; i++)
		w->order[i] = (struct numbered_line){s->lines[i].number, i};
	qsort(w->order, s->n, sizeof *w->order, compare_lines);
	for (uint32_t i = 0; i < s->n; i++)
		w->place_of[w->order[i].index] = i;
	return 0;
}

/* Leaves out the line of a kept message if the next line is that of another
 * kept message, or if there is none.  Tasks, which are at the end of the
 * summary in any case, do not count. */
static void
leave_out_kept(struct summary_writer *w)
{
	struct summary_line *line;
	bool followed = false;

	for (size_t i = w->s->n; i-- > 0;) {
		line = &w->s->lines[w->order[i].index];
		if (line->class != KEPT_MESSAGE) {
			followed |= line->class != CLASSES &&
			    line->number != UINT32_MAX;
			continue;
		}
		if (!followed)
			line->class = CLASSES;
		followed = false;
	}
}

/* Adds a line for each action, then counts the tokens of all lines and sorts
 * them. */
static int
complete_lines(struct summary_writer *w, struct ctx_err *err)
{
	struct ctx_summary *s = w->s;

	s->line_of = calloc(s->actions.n + 1, sizeof *s->line_of);
	if (s->line_of == NULL)
		return ctx_err_nomem(err);
	if (ctx_summary_add_actions(s, err) < 0 ||
	    measure_lines(s, w->counter, err) < 0 || sort_lines(w, err) < 0)
		return -1;
	leave_out_kept(w);
	return 0;
}

/* Selects the details (see struct summary_action) of lines that are selected,
 * the newest first, as long as all these details have at most *left tokens, and
 * subtracts their tokens.  Names in the details will not be listed. */
static int
take_details(struct summary_writer *w, uint64_t *left, struct ctx_err *err)
{
	struct ctx_summary *s = w->s;
	struct ctx_str text;
	uint64_t tokens;

	for (size_t i = s->n; i-- > 0;) {
		struct summary_line *line = &s->lines[w->order[i].index];

		if (!line->taken || line->with_details || line->details == 0)
			continue;
		text = ctx_intern_at(&s->actions.texts, line->details);
		if (count_after(w, CTX_OUTCOME_MARK, text, &tokens, err) < 0)
			return -1;
		if (tokens > *left)
			continue;
		*left -= tokens;
		line->with_details = true;
		if (ctx_summary_names_keep(&s->names, text, err) < 0)
			return -1;
	}
	return 0;
}

/* Selects lines and names, and writes a summary of at most limit tokens. */
static int
fill_summary(struct summary_writer *w, uint64_t limit, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct ctx_summary *s = w->s;
	uint64_t tokens, names = ctx_summary_take_main(s, limit);
	uint64_t details = limit / DETAILS_SHARE;

	if (details > names)
		details = names;
	names -= details;
	if (take_details(w, &details, err) < 0)
		return -1;
	names += details;
	if (keep_line_names(s, err) < 0 ||
	    ctx_summary_names_sort(&s->names, err) < 0 ||
	    write_selected(w, names, out, &tokens, err) < 0)
		return -1;
	/* If the selected lines and names have fewer than limit tokens, details
	 * and more lines are selected. */
	details = limit > tokens ? limit - tokens : 0;
	if (details > 0 &&
	    (take_details(w, &details, err) < 0 ||
		write_selected(w, names, out, &tokens, err) < 0))
		return -1;
	if (tokens < limit &&
	    ctx_summary_take_lines(s, TASK, REST, limit - tokens, false) <
		limit - tokens &&
	    (keep_line_names(s, err) < 0 ||
		write_selected(w, names, out, &tokens, err) < 0))
		return -1;
	/* If the summary is too long, remove the least useful names.  If no
	 * name is left, remove the least important line. */
	while (tokens > limit) {
		if (names > 0)
			names -=
			    tokens - limit < names ? tokens - limit : names;
		else if (!ctx_summary_drop_line(s))
			return 0;
		if (write_selected(w, names, out, &tokens, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_summary_write(struct ctx_summary *s, struct ctx_token_counter *counter,
    uint64_t limit, struct ctx_buf *out, struct ctx_err *err)
{
	struct summary_writer w = {.s = s, .counter = counter};
	int rc = complete_lines(&w, err);

	if (rc == 0)
		rc = fill_summary(&w, limit, out, err);
	free(w.order);
	free(w.place_of);
	free(w.names);
	ctx_intern_release(&w.keys);
	ctx_buf_release(&w.scratch);
	return rc;
}
