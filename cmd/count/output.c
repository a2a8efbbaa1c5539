/* output.c - prints the token counts of ctx-count as text, TSV or JSON lines */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "count/output.h"

/* ---- one row ---- */

bool
row_has_chars(const struct row_form *form)
{
	return form->per == NULL || strcmp(form->per, "kind") != 0;
}

/* Returns true if rows show the length of the JSON in bytes.  The JSON of a
 * message is not divided between tools or kinds. */
static bool
row_has_bytes(const struct row_form *form)
{
	return row_has_chars(form) &&
	    (form->per == NULL || strcmp(form->per, "tool") != 0);
}

uint64_t
row_window(const struct row_form *form, const struct ctx_token_stats *stats)
{
	if (form->window > 0 || stats->model == NULL)
		return form->window;
	return ctx_model_limit(stats->model);
}

uint64_t
row_tokens(const struct row_form *form, const struct ctx_token_stats *stats)
{
	return form->billed ? ctx_context_tokens(stats) : stats->tokens;
}

static int64_t
compute_left(const struct row_form *form, const struct ctx_token_stats *stats,
    uint64_t tokens)
{
	return (int64_t)(row_window(form, stats) - tokens - form->reserve);
}

static double
compute_used_percent(const struct row_form *form,
    const struct ctx_token_stats *stats, uint64_t tokens)
{
	return 100.0 * (double)tokens / (double)row_window(form, stats);
}

/* Returns the name of the kind of content blocks (such as text, reasoning or
 * tool call) that has the most tokens in a message. */
static const char *
find_main_kind(const struct ctx_token_stats *stats)
{
	size_t i, most = CTX_BLOCK_TEXT;

	for (i = 0; i < CTX_BLOCK_KINDS; i++)
		if (stats->kinds[i] > stats->kinds[most])
			most = i;
	return ctx_block_kind_name((enum ctx_block_kind)most);
}

/* Adds JSON members to the row of a message: its index, role, main kind of
 * content, and tool. */
static json_t *
add_message_members(json_t *o, const struct ctx_token_stats *stats)
{
	o = cli_json_number(o, "index", stats->index);
	o = cli_json_with(o, "role", json_string(ctx_role_name(stats->role)));
	o = cli_json_with(o, "kind", json_string(find_main_kind(stats)));
	if (stats->tool.p == NULL)
		return o;
	return cli_json_with(o, "tool",
	    cli_json_text(stats->tool.p, stats->tool.n));
}

/* Adds two JSON members to a row: the used percentage of the context window,
 * rounded to one decimal as in the text output, and the tokens that are
 * left. */
static json_t *
add_shares(json_t *o, const char *const names[2], const struct row_form *form,
    const struct ctx_token_stats *stats, uint64_t tokens)
{
	double used = compute_used_percent(form, stats, tokens);

	o = cli_json_with(o, names[0],
	    json_real((double)(int64_t)(used * 10 + 0.5) / 10));
	return cli_json_with(o, names[1],
	    json_integer((json_int_t)compute_left(form, stats, tokens)));
}

/* Adds JSON members to a row: the model, the size of its context window in
 * tokens, and how much of the window is used and left. */
static json_t *
add_window_members(json_t *o, const struct row_form *form,
    const struct ctx_token_stats *stats)
{
	static const char *const names[] = {"used", "left"};

	/* An unknown model has an empty name. */
	if (stats->model != NULL && stats->model->name[0] != '\0')
		o = cli_json_with(o, "model", json_string(stats->model->name));
	o = cli_json_number(o, "window", row_window(form, stats));
	return add_shares(o, names, form, stats, stats->tokens);
}

/* Adds JSON members about billed input tokens to the row of a message or a
 * conversation. */
static json_t *
add_billed_members(json_t *o, const struct row_form *form,
    const struct ctx_token_stats *stats)
{
	static const char *const names[] = {"billed_used", "billed_left"};
	uint64_t billed =
	    stats->message != NULL ? stats->billed : stats->last.billed;

	if (stats->last.compacted)
		o = cli_json_with(o, "compacted", json_true());
	if (billed > 0)
		o = cli_json_number(o, "billed", billed);
	if (stats->last.billed == 0)
		return o;
	o = cli_json_number(o, "billed_after", ctx_tokens_after_request(stats));
	o = cli_json_number(o, "not_in_file", ctx_tokens_not_in_input(stats));
	return row_window(form, stats) == 0
	    ? o
	    : add_shares(o, names, form, stats, ctx_context_tokens(stats));
}

static void
print_json(const struct row_form *form, const struct row *row)
{
	const struct ctx_token_stats *stats = &row->sum;
	enum ctx_basis basis =
	    stats->estimated > 0 ? CTX_BASIS_ESTIMATED : stats->basis;
	json_t *o = json_pack("{s:o, s:s, s:I, s:I, s:I, s:b, s:s, s:I, s:I}",
	    "file", cli_json_text(stats->file, strlen(stats->file)), "dialect",
	    stats->dialect != NULL ? stats->dialect->name : "none", "messages",
	    (json_int_t)stats->messages, "turns", (json_int_t)stats->turns,
	    "tokens", (json_int_t)stats->tokens, "exact",
	    basis == CTX_BASIS_EXACT, "basis", ctx_basis_name(basis), "chars",
	    (json_int_t)stats->chars, "bytes", (json_int_t)stats->bytes);
	struct ctx_err err;

	if (!row_has_chars(form))
		(void)json_object_del(o, "chars");
	if (!row_has_bytes(form))
		(void)json_object_del(o, "bytes");
	if (stats->counted_like != NULL)
		o = cli_json_with(o, "counted_like",
		    json_string(stats->counted_like));
	if (stats->line > 0)
		o = cli_json_number(o, "line", stats->line);
	if (row->label.p != NULL)
		o = cli_json_with(o, form->per,
		    cli_json_text(row->label.p, row->label.n));
	if (stats->message != NULL)
		o = add_message_members(o, stats);
	if (row_window(form, stats) > 0)
		o = add_window_members(o, form, stats);
	if (!form->no_billed)
		o = add_billed_members(o, form, stats);
	if (cli_json_line(stdout, CLI_STDOUT, o, JSON_REAL_PRECISION(15),
		&err) < 0)
		cli_fail(form->cli, &err);
}

/* Prints the texts that come after the numbers of a row: file and line; for a
 * message its role and tool; and the row's label, such as a tool's name.  In
 * TSV, the label comes after file and line.  Otherwise it comes before them,
 * and the file is printed only if there are several. */
static void
print_label(const struct row_form *form, const struct row *row)
{
	const struct ctx_token_stats *stats = &row->sum;
	const char *file = stats->file, *gap = form->tsv ? "\t" : " ";

	if (row->label.p != NULL && !form->tsv) {
		cli_print_masked(stdout, row->label.p, row->label.n);
		file = form->cli->n_files > 1 ? stats->file : NULL;
		if (file != NULL)
			(void)putchar(' ');
	}
	if (file != NULL)
		cli_print_masked(stdout, file, strlen(file));
	if (stats->line > 0)
		printf(":%" PRIu64, stats->line);
	if (row->label.p != NULL && form->tsv) {
		(void)putchar('\t');
		cli_print_masked(stdout, row->label.p, row->label.n);
	}
	if (stats->message == NULL)
		return;
	printf("%s%s", gap, ctx_role_name(stats->role));
	if (form->tsv)
		printf("\t%s", find_main_kind(stats));
	if (form->tsv || stats->tool.n > 0)
		(void)fputs(gap, stdout);
	cli_print_masked(stdout, stats->tool.p, stats->tool.n);
}

/* Prints a column with a number, or with "-" if the number is not known.
 * Prints no "-" if width is 0. gap: character that is printed after the column;
 * width: width of the column in characters. */
static void
print_known(uint64_t number, bool is_known, char gap, int width)
{
	if (is_known)
		printf("%*" PRIu64 "%c", width, number, gap);
	else
		printf("%*s%c", width, width > 0 ? "-" : "", gap);
}

/* Prints two columns: the tokens that the provider billed for a request, and
 * the tokens that ctx counts after this request.  In the row of a conversation,
 * the request is the last one; in the row of a message, it is the request that
 * the message answers. */
static void
print_billed(const struct ctx_token_stats *stats, char gap, int width)
{
	uint64_t billed =
	    stats->message != NULL ? stats->billed : stats->last.billed;

	print_known(billed, billed > 0, gap, width);
	print_known(ctx_tokens_after_request(stats), stats->last.billed > 0,
	    gap, width);
}

static void
print_columns(struct row_form *form, const struct row *row, char gap, int width)
{
	const struct ctx_token_stats *stats = &row->sum;
	uint64_t window = row_window(form, stats);
	uint64_t used = row_tokens(form, stats);
	char tokens[24];

	(void)snprintf(tokens, sizeof tokens, "%s%" PRIu64,
	    stats->estimated > 0 ? "~" : "", stats->tokens);
	printf("%*s%c%*" PRIu64 "%c", width, tokens, gap, width,
	    stats->messages, gap);
	print_known(stats->chars, row_has_chars(form), gap, width);
	if (window > 0)
		printf("%*" PRIu64 "%c%*.1f%%%c%*" PRId64 "%c", width, window,
		    gap, width > 0 ? 5 : 0,
		    compute_used_percent(form, stats, used), gap, width,
		    compute_left(form, stats, used), gap);
	else if (form->tsv)
		printf("\t\t\t");
	if (form->billed)
		print_billed(stats, gap, width);
	print_label(form, row);
	(void)putchar('\n');
	cli_check_stdout(form->cli);
}

static void
print_header(struct row_form *form, const struct row *row)
{
	form->header = true;
	printf("tokens\tmessages\tchars\twindow\tused\tleft\t%sname",
	    form->billed ? "billed\tafter\t" : "");
	if (row->label.p != NULL)
		printf("\t%s", form->per);
	printf("%s\n", row->sum.message != NULL ? "\trole\tkind\ttool" : "");
}

void
row_print(struct row_form *form, const struct row *row)
{
	if (form->quiet)
		return;
	if (form->table != NULL) {
		table_add(form, row);
		return;
	}
	cli_progress_clear(form->cli);
	if (form->tsv && !form->json && !form->header)
		print_header(form, row);
	if (form->json)
		print_json(form, row);
	else
		print_columns(form, row, form->tsv ? '\t' : ' ',
		    form->tsv ? 0 : 8);
	if (form->cli->unbuffered)
		(void)fflush(stdout);
}

/* ---- rows by name, and the largest ---- */

void
row_add_tokens(struct ctx_token_stats *sum, const struct ctx_token_stats *stats)
{
	sum->messages += stats->messages;
	sum->turns += stats->turns;
	sum->tokens += stats->tokens;
	sum->estimated += stats->estimated;
	if (sum->basis < stats->basis)
		sum->basis = stats->basis;
	sum->chars += stats->chars;
	sum->bytes += stats->bytes;
}

int
rows_add(struct rows *rows, const struct ctx_token_stats *stats, const char *p,
    size_t n, struct ctx_err *err)
{
	uint32_t id;

	if (ctx_intern(&rows->names, p, n, &id, err) < 0 ||
	    CTX_GROW(rows->list, rows->cap, id, err) < 0)
		return -1;
	if (id > rows->n) {
		memset(&rows->list[id - 1], 0, sizeof *rows->list);
		rows->list[id - 1].sum.file = stats->file;
		rows->list[id - 1].sum.dialect = stats->dialect;
		rows->list[id - 1].sum.model = stats->model;
		rows->list[id - 1].sum.counted_like = stats->counted_like;
		rows->list[id - 1].sum.turn = stats->turn;
		rows->list[id - 1].number = id;
		rows->n = id;
	}
	row_add_tokens(&rows->list[id - 1].sum, stats);
	return 0;
}

int
rows_add_all(struct rows *total, const struct rows *rows, struct ctx_err *err)
{
	struct ctx_token_stats sum;
	struct ctx_str label;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		sum = rows->list[i].sum;
		label = ctx_intern_at(&rows->names, (uint32_t)i + 1);
		/* The files may be of models with different context windows, so
		 * a row for all files has no model. */
		sum.model = NULL;
		sum.counted_like = NULL;
		sum.file = "total";
		if (rows_add(total, &sum, label.p, label.n, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns true if row x must be printed after row y: if x has fewer tokens than
 * y, or has as many tokens as y and was read later. */
static bool
is_printed_after(const struct row *x, const struct row *y)
{
	if (x->sum.tokens != y->sum.tokens)
		return x->sum.tokens < y->sum.tokens;
	return x->number > y->number;
}

/* Inserts a row into a binary heap of n rows, in which element number "at" is
 * free.  The first element (root) of the heap is the row that would be printed
 * last, so this row is removed first when a larger row is read. */
static void
place_in_heap(struct row *heap, size_t n, size_t at, const struct row *row)
{
	size_t next;

	for (; at > 0 && is_printed_after(row, &heap[(at - 1) / 2]);
	     at = next) {
		next = (at - 1) / 2;
		heap[at] = heap[next];
	}
	for (; (next = 2 * at + 1) < n; at = next) {
		if (next + 1 < n &&
		    is_printed_after(&heap[next + 1], &heap[next]))
			next++;
		if (!is_printed_after(&heap[next], row))
			break;
		heap[at] = heap[next];
	}
	heap[at] = *row;
}

int
rows_keep_top(struct rows *rows, const struct ctx_token_stats *stats,
    uint64_t top, struct ctx_err *err)
{
	struct row row = {.sum = *stats, .number = rows->taken++};
	uint32_t id;

	if (rows->n == top && is_printed_after(&row, rows->list))
		return 0;
	if (CTX_GROW(rows->list, rows->cap, rows->n + 1, err) < 0 ||
	    ctx_intern(&rows->names, stats->tool.p, stats->tool.n, &id, err) <
		0)
		return -1;
	row.sum.tool = ctx_intern_at(&rows->names, id);
	if (rows->n < top) {
		rows->n++;
		place_in_heap(rows->list, rows->n, rows->n - 1, &row);
	} else {
		place_in_heap(rows->list, rows->n, 0, &row);
	}
	return 0;
}

static int
compare_tokens(const void *a, const void *b)
{
	return is_printed_after(a, b) - is_printed_after(b, a);
}

void
rows_rank(struct rows *rows)
{
	if (rows->n > 0)
		qsort(rows->list, rows->n, sizeof *rows->list, compare_tokens);
}

static int
compare_turns(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->sum.turn > y->sum.turn) - (x->sum.turn < y->sum.turn);
}

void
rows_print(struct row_form *form, struct rows *rows, bool turns)
{
	size_t i;

	for (i = 0; i < rows->n; i++)
		rows->list[i].label =
		    ctx_intern_at(&rows->names, (uint32_t)i + 1);
	if (!turns)
		rows_rank(rows);
	else if (rows->n > 0)
		qsort(rows->list, rows->n, sizeof *rows->list, compare_turns);
	for (i = 0; i < rows->n; i++)
		row_print(form, &rows->list[i]);
	ctx_intern_reset(&rows->names);
	rows->n = 0;
}

void
rows_release(struct rows *rows)
{
	free(rows->list);
	ctx_intern_release(&rows->names);
}
