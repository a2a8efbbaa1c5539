/*
 * table.c - prints the token counts of ctx-count on a terminal, as a table with
 * a header
 *
 * The first MOST_HELD rows are held in memory until the widths of their columns
 * are known; then they are printed.  The columns of later rows are at least as
 * wide.
 */
#include <stdlib.h>
#include <string.h>

#include "bar/layout.h"
#include "count/output.h"

enum { MOST_HELD = 1000, MOST_LABEL = 32, GAP = 2 };
/* Minimum widths of the last column, in characters.  NAME_LEAST: if the column
 * contains names of conversations.  MESSAGE_LEAST: if the column contains
 * messages with role and tool.  PLACE_LEAST: minimum width of a file name with
 * line number, without the label before the file name. */
enum { NAME_LEAST = 16, MESSAGE_LEAST = 28, PLACE_LEAST = 10 };

/* The columns to the left of the last column, in their order on the terminal.
 * The last column has names of conversations, or files and lines of
 * messages. */
enum { TOKENS, MESSAGES, CHARS, WINDOW, USED, LEFT, BILLED, AFTER, COLUMNS };
_Static_assert((int)COLUMNS == (int)TABLE_COLUMNS, "each column has a width");

static const char *const heads[COLUMNS] = {"tokens", "messages", "chars",
    "window", "used", "left", "billed", "after"};
/* Columns that are left out if the terminal is too narrow for the table: first
 * CHARS, then the next columns in this order. */
static const unsigned char dispensable[] = {CHARS, AFTER, MESSAGES, WINDOW,
    LEFT, BILLED, USED};

struct table_row {
	struct row row;
	/* The texts in the columns of the row.  A text is empty if its number
	 * is not known. */
	char cells[COLUMNS][24];
};

static void
write_cells(char cells[COLUMNS][24], const struct row_form *form,
    const struct ctx_token_stats *stats)
{
	uint64_t window = row_window(form, stats);
	uint64_t tokens = row_tokens(form, stats), billed;
	int64_t left = (int64_t)(window - tokens - form->reserve);

	cli_group_digits(cells[TOKENS], stats->estimated > 0 ? "~" : "",
	    stats->tokens);
	cli_group_digits(cells[MESSAGES], "", stats->messages);
	if (row_has_chars(form))
		cli_group_digits(cells[CHARS], "", stats->chars);
	if (window > 0) {
		cli_group_digits(cells[WINDOW], "", window);
		(void)snprintf(cells[USED], sizeof cells[USED], "%.1f%%",
		    100.0 * (double)tokens / (double)window);
		cli_group_digits(cells[LEFT], left < 0 ? "-" : "",
		    left < 0 ? -(uint64_t)left : (uint64_t)left);
	}
	billed = stats->message != NULL ? stats->billed : stats->last.billed;
	if (form->billed && billed > 0)
		cli_group_digits(cells[BILLED], "", billed);
	if (form->billed && stats->last.billed > 0)
		cli_group_digits(cells[AFTER], "",
		    ctx_tokens_after_request(stats));
}

/* ---- the last column ---- */

/* Prints the last column in a row of --per: the label (name of a role or tool,
 * or number of a turn) and, if there are several files and enough space, the
 * name of the file. */
static void
print_label(const struct row_form *form, const struct row *row, size_t width)
{
	struct ctx_str label = cli_text_head(row->label, width);
	size_t column = form->table->label_width, used = cli_text_width(label);

	cli_print_masked(stdout, label.p, label.n);
	if (column == 0 || column + GAP + PLACE_LEAST > width)
		return;
	printf("%*s", (int)(column > used ? column - used : 0) + GAP, "");
	cli_print_short_place(form->cli, row->sum.file, row->sum.line,
	    width - GAP - (column > used ? column : used));
}

/* Prints the last column in the row of a message: file and line and, if there
 * is enough space, the role and the tool of the message. */
static void
print_message(const struct row_form *form, const struct ctx_token_stats *stats,
    size_t width)
{
	struct ctx_str tool = stats->tool;
	const char *role = ctx_role_name(stats->role);
	size_t used =
	    strlen(role) + 1 + (tool.n > 0 ? cli_text_width(tool) + 1 : 0);
	bool fits = used + PLACE_LEAST <= width;

	cli_print_short_place(form->cli, stats->file, stats->line,
	    fits ? width - used : width);
	if (!fits)
		return;
	printf(" %s%s", role, tool.n > 0 ? " " : "");
	cli_print_masked(stdout, tool.p, tool.n);
}

static void
print_name(const struct row_form *form, const struct row *row, size_t width)
{
	if (row->label.p != NULL)
		print_label(form, row, width);
	else if (row->sum.message != NULL)
		print_message(form, &row->sum, width);
	else
		cli_print_short_place(form->cli, row->sum.file, row->sum.line,
		    width);
	(void)putchar('\n');
}

/* ---- the columns ---- */

/* Makes each column at least as wide as the text of a row.  After the header
 * was printed, adds no columns. */
static void
widen(struct table *table, const struct table_row *row)
{
	size_t i, n;

	for (i = 0; i < COLUMNS; i++) {
		n = strlen(row->cells[i]);
		if (n == 0 || (table->has_heads && table->widths[i] == 0))
			continue;
		if (n < strlen(heads[i]))
			n = strlen(heads[i]);
		if (table->widths[i] < n)
			table->widths[i] = (unsigned char)n;
	}
}

/* Makes the column of labels (names of roles or tools, or numbers of turns) at
 * least as wide as this label.  The column has a fixed width only if file names
 * are printed after it. */
static void
widen_labels(struct table *table, struct ctx_str label)
{
	size_t n = label.p == NULL ? 0 : cli_text_width(label);

	if (n > MOST_LABEL)
		n = MOST_LABEL;
	if (n > table->label_width)
		table->label_width = (unsigned char)n;
}

static size_t
sum_widths(const struct table *table)
{
	size_t sum = 0, i;

	for (i = 0; i < COLUMNS; i++)
		if (table->widths[i] > 0)
			sum += table->widths[i] + GAP;
	return sum;
}

/* Leaves out columns, the least useful first, until the other columns and a
 * name fit into width characters.  Returns the width that is left for names. */
static size_t
fit_columns(struct table *table, size_t width)
{
	const struct row *row = &table->rows[0].row;
	size_t least = NAME_LEAST, i;

	if (table->label_width > 0)
		least = table->label_width + GAP + PLACE_LEAST;
	else if (row->label.p == NULL && row->sum.message != NULL)
		least = MESSAGE_LEAST;
	for (i = 0; i < sizeof dispensable && sum_widths(table) + least > width;
	     i++)
		table->widths[dispensable[i]] = 0;
	return width > sum_widths(table) ? width - sum_widths(table) : 1;
}

static void
print_line(const struct table *table, char cells[COLUMNS][24])
{
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		if (table->widths[i] > 0)
			printf("%*s  ", (int)table->widths[i],
			    cells != NULL ? cells[i] : heads[i]);
}

static void
print_heads(const struct row_form *form, const struct row *row, size_t width)
{
	size_t column = form->table->label_width;

	print_line(form->table, NULL);
	if (row->label.p != NULL && column > 0 &&
	    column + GAP + PLACE_LEAST <= width)
		printf("%-*s  file\n", (int)column, form->per);
	else if (row->label.p != NULL)
		puts(form->per);
	else
		puts(row->sum.message != NULL ? "message" : "name");
}

/* Prints the rows that are in memory.  Also called before an error message is
 * printed, unless the error is one of this function. */
static void
flush_rows(void *user)
{
	struct row_form *form = user;
	struct table *table = form->table;
	size_t i, width;

	form->cli->before_message = NULL;
	if (table->n == 0)
		return;
	cli_progress_clear(form->cli);
	for (i = 0; i < table->n; i++) {
		widen(table, &table->rows[i]);
		if (form->cli->n_files > 1)
			widen_labels(table, table->rows[i].row.label);
	}
	width = fit_columns(table, cli_columns());
	if (!table->has_heads)
		print_heads(form, &table->rows[0].row, width);
	table->has_heads = true;
	for (i = 0; i < table->n; i++) {
		print_line(table, table->rows[i].cells);
		print_name(form, &table->rows[i].row, width);
	}
	table->n = 0;
	ctx_intern_reset(&table->texts);
	cli_check_stdout(form->cli);
}

/* Replaces a text by a copy that remains valid until the rows of the table are
 * printed. */
static int
keep_text(struct table *table, struct ctx_str *text, struct ctx_err *err)
{
	uint32_t id;

	if (text->p == NULL)
		return 0;
	if (ctx_intern(&table->texts, text->p, text->n, &id, err) < 0)
		return -1;
	*text = ctx_intern_at(&table->texts, id);
	return 0;
}

static int
hold_row(struct table *table, const struct row_form *form,
    const struct row *row, struct ctx_err *err)
{
	struct table_row *held;

	if (CTX_GROW(table->rows, table->cap, table->n + 1, err) < 0)
		return -1;
	held = &table->rows[table->n];
	memset(held, 0, sizeof *held);
	held->row = *row;
	if (keep_text(table, &held->row.label, err) < 0 ||
	    keep_text(table, &held->row.sum.tool, err) < 0)
		return -1;
	write_cells(held->cells, form, &row->sum);
	table->n++;
	return 0;
}

void
table_add(struct row_form *form, const struct row *row)
{
	struct ctx_err err;

	if (hold_row(form->table, form, row, &err) < 0)
		cli_fail(form->cli, &err);
	form->cli->before_message = flush_rows;
	form->cli->user = form;
	form->table->estimated |= row->sum.estimated > 0;
	form->table->billed |= form->billed && row->sum.last.billed > 0;
	if (form->table->n == MOST_HELD)
		flush_rows(form);
}

/* ---- the end ---- */

void
table_end(struct row_form *form)
{
	struct table *table = form->table;

	flush_rows(form);
	if (table->estimated)
		cli_print_wrapped(
		    "~ is an estimate: not counted by the model's "
		    "own tokenizer, or with tools or media",
		    0, 0, cli_columns());
	if (table->billed)
		cli_print_wrapped(
		    "used and left are computed from billed (the input of the "
		    "last request, as the provider counted it) plus after "
		    "(counted tokens of newer messages)",
		    0, 0, cli_columns());
	cli_check_stdout(form->cli);
	free(table->rows);
	ctx_intern_release(&table->texts);
}
