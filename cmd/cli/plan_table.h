/* plan_table.h - prints the table of --dry-run.  On a terminal the table fits
 * the width of the terminal, and digits are in groups of three. */
#ifndef CTX_CMD_CLI_PLAN_TABLE_H
#define CTX_CMD_CLI_PLAN_TABLE_H

#include "cli/cli.h"

/* The names of a change's action and reason in tables for people. */
struct cli_words {
	const char *action, *reason;
};
/* Returns the names for an action and a rule of struct ctx_change. */
struct cli_words cli_change_words(const char *action, const char *rule);

struct cli_plan_row {
	const char *action, *reason; /* reason: may be "" */
	/* The number of changed things, and what they are (unit), such as
	 * "messages". unit: NULL if the row has only tokens. */
	const char *unit;
	uint64_t count, tokens;
	/* sign that is printed before the number: '+', '-' or ' ' */
	char count_sign, tokens_sign;
	bool has_tokens;
	/* note: an explanation of the row, or NULL.  On a terminal, the note is
	 * printed on lines of its own.  Otherwise it is printed after the row,
	 * with separator (such as ": ") before it. */
	const char *separator, *note;
};

/* Prints the line above a table: the place "FILE", or "FILE:LINE" if line is
 * not 0.  Returns 0, or -1 with *err. */
int cli_plan_title(const char *file, uint64_t line, struct ctx_err *err);
void cli_plan_row(const struct cli_plan_row *row);
/* Writes a number to the buffer cell, on a terminal with commas between groups
 * of three digits.  Returns cell. */
const char *cli_plan_number(char cell[24], uint64_t number);

#endif
