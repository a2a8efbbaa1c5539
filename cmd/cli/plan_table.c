/* plan_table.c - prints the table of --dry-run */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cli/plan_table.h"

/* Widths in columns.  WIDE: a whole row.  On a narrower terminal, a row has the
 * number of messages only if no tokens change.  NARROW: width of a row on a
 * narrower terminal, without the reason. */
enum { WIDE = 73, NARROW = 26, REASON_LEAST = 4, NOTE_INDENT = 4 };

struct cli_words
cli_change_words(const char *action, const char *rule)
{
	if (strcmp(action, "relink") == 0)
		return (struct cli_words){"edit", "link to removed line"};
	return (struct cli_words){action, rule};
}

static bool
is_for_people(void)
{
	return isatty(STDOUT_FILENO);
}

const char *
cli_plan_number(char cell[24], uint64_t number)
{
	if (is_for_people())
		cli_group_digits(cell, "", number);
	else
		(void)snprintf(cell, 24, "%" PRIu64, number);
	return cell;
}

int
cli_plan_title(const char *file, uint64_t line, struct ctx_err *err)
{
	size_t width = is_for_people() ? cli_columns() : SIZE_MAX;
	struct ctx_buf place = {0};
	int rc = cli_place(&place, file, line, width, err);

	if (rc == 0) {
		cli_print_masked(stdout, place.p, place.n);
		(void)putchar('\n');
	}
	ctx_buf_release(&place);
	return rc;
}

static void
print_wide(const struct cli_plan_row *row)
{
	char number[24];

	printf("  %-6s %-24s ", row->action, row->reason);
	if (row->unit != NULL)
		printf("%c%9s %s", row->count_sign,
		    cli_plan_number(number, row->count), row->unit);
	else
		printf("%19s", "");
	if (row->has_tokens)
		printf(" %c%11s tokens", row->tokens_sign,
		    cli_plan_number(number, row->tokens));
}

static void
print_narrow(const struct cli_plan_row *row, size_t width)
{
	size_t least = NARROW + REASON_LEAST;
	int reason = (int)(width > least ? width - NARROW : REASON_LEAST);
	char number[24];

	printf("%-6s %-*.*s ", row->action, reason, reason, row->reason);
	if (row->has_tokens && (row->tokens > 0 || row->unit == NULL))
		printf("%c%10s tokens", row->tokens_sign,
		    cli_plan_number(number, row->tokens));
	else
		printf("%c%8s %s", row->count_sign,
		    cli_plan_number(number, row->count), row->unit);
}

void
cli_plan_row(const struct cli_plan_row *row)
{
	size_t width = is_for_people() ? cli_columns() : WIDE;

	if (width < WIDE)
		print_narrow(row, width);
	else
		print_wide(row);
	if (row->note != NULL && !is_for_people())
		printf("%s%s", row->separator, row->note);
	(void)putchar('\n');
	if (row->note != NULL && is_for_people())
		cli_print_wrapped(row->note, 0, NOTE_INDENT, width);
}
