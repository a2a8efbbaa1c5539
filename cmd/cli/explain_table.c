/* explain_table.c - prints the changes of --explain as a table for people */
#include <errno.h>
#include <string.h>

#include "cli/plan_table.h"

enum { WHERE, ROLE, TOOL, TOKENS, WHY, COLUMNS };

static const char *const heads[COLUMNS] = {"where", "role", "tool", "tokens",
    "why"};

/* Widths in characters.  GAP: space between two columns.  WHERE_MOST: maximum
 * width of the column with the file and line of a change; this column gets the
 * width that the other columns leave.  The last column, WHY, is wider than in
 * the layout if the terminal is. */
enum { GAP = 2, WHERE_MOST = 48 };
static const struct layout {
	/* minimum width of the terminal, in characters, at which the columns
	 * have the widths in this row */
	unsigned least;
	unsigned widths[COLUMNS];
} layouts[] = {
    {100, {0, 9, 20, 16, 30}}, {72, {0, 9, 12, 14, 22}},
    {0, {0, 0, 0, 12, 16}}, /* layout without role and tool */
};

/* Sets the widths of the columns according to the width of the terminal. */
static void
fit_widths(unsigned widths[COLUMNS])
{
	unsigned all = cli_columns(), used = 0;
	const struct layout *layout = layouts;
	size_t i;

	while (all < layout->least)
		layout++;
	for (i = 0; i < COLUMNS; i++) {
		widths[i] = layout->widths[i];
		used += widths[i] > 0 ? widths[i] + GAP : 0;
	}
	widths[WHERE] = all > used + 8 ? all - used : 8;
	if (widths[WHERE] > WHERE_MOST)
		widths[WHERE] = WHERE_MOST;
}

/* Prints a text, shortened to the width of its column, and spaces up to the
 * next column.  Not used for the last column. */
static void
print_cell(const unsigned widths[COLUMNS], size_t column, struct ctx_str text)
{
	struct ctx_str head;
	int blank;

	if (widths[column] == 0)
		return;
	head = cli_text_head(text, widths[column]);
	blank = (int)(widths[column] - cli_text_width(head));
	if (column == TOKENS)
		printf("%*s", blank, "");
	cli_print_masked(stdout, head.p, head.n);
	printf("%*s", GAP + (column == TOKENS ? 0 : blank), "");
}

static void
print_string(const unsigned widths[COLUMNS], size_t column, const char *text)
{
	print_cell(widths, column, (struct ctx_str){text, strlen(text)});
}

/* Prints the last column, in several lines if the text is longer than one. */
static void
print_reason(const unsigned widths[COLUMNS], const char *text)
{
	size_t indent = 0, end = cli_columns(), i;

	for (i = 0; i < WHY; i++)
		indent += widths[i] > 0 ? widths[i] + GAP : 0;
	if (end < indent + widths[WHY])
		end = indent + widths[WHY];
	cli_print_wrapped(text, indent, indent, end);
}

/* Writes the number of tokens of a message before and after a change: "6,526 ->
 * 234" or, if the column is too narrow for this, "6.5k -> 234".  Writes an
 * empty string if both numbers are 0. */
static void
write_change(char tokens[56], const struct ctx_change *change, size_t width)
{
	char before[24], after[24];

	tokens[0] = '\0';
	if (change->before == 0 && change->after == 0)
		return;
	cli_group_digits(before, "", change->before);
	cli_group_digits(after, "", change->after);
	(void)snprintf(tokens, 56, "%s -> %s", before, after);
	if (strlen(tokens) > width)
		(void)snprintf(tokens, 56, "%s -> %s",
		    cli_short_number(before, change->before),
		    cli_short_number(after, change->after));
}

int
cli_explain_row(struct cli_report *report, const struct ctx_change *change,
    struct ctx_err *err)
{
	struct cli_words words = cli_change_words(change->action, change->rule);
	bool is_message = change->member.n == 0 && !change->aside;
	struct ctx_buf where = {0};
	unsigned widths[COLUMNS];
	char tokens[56], why[80];
	size_t i;

	fit_widths(widths);
	if (cli_place(&where, change->file, change->line, widths[WHERE], err) <
	    0) {
		ctx_buf_release(&where);
		return -1;
	}
	for (i = 0; i < WHY && !report->has_heads; i++)
		print_string(widths, i, heads[i]);
	if (!report->has_heads)
		print_reason(widths, heads[WHY]);
	report->has_heads = true;
	print_cell(widths, WHERE, (struct ctx_str){where.p, where.n});
	ctx_buf_release(&where);
	print_string(widths, ROLE,
	    is_message ? ctx_role_name(change->role) : "-");
	print_cell(widths, TOOL,
	    change->member.n > 0 ? change->member : change->tool);
	write_change(tokens, change, widths[TOKENS]);
	print_string(widths, TOKENS, tokens);
	(void)snprintf(why, sizeof why, "%s %s", words.action, words.reason);
	print_reason(widths, why);
	return ferror(stdout) == 0
	    ? 0
	    : ctx_err_sys(err, EIO, "cannot write %s", CLI_STDOUT);
}
