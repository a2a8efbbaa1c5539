/* output.h - prints the token counts of ctx-count as text, TSV or JSON lines */
#ifndef CTX_CMD_COUNT_OUTPUT_H
#define CTX_CMD_COUNT_OUTPUT_H

#include "count/count.h"
#include "cli/cli.h"

/* What the rows of ctx-count's output stand for, as chosen by --per. */
enum per { PER_FILE, PER_MESSAGE, PER_TURN, PER_ROLE, PER_TOOL, PER_KIND };

/* A row of the output: the tokens of a conversation, of one message, or of all
 * messages with the same label.  A label is the name of a role or tool, or the
 * number of a turn. */
struct row {
	struct ctx_token_stats sum;
	/* The label of the row; p is NULL if it has none. */
	struct ctx_str label;
	/* Number of the row, in the order in which rows were made.  If two rows
	 * have equally many tokens, the one with the lower number is printed
	 * first. */
	uint64_t number;
};

struct rows {
	struct row *list;
	size_t n, cap;
	/* How many times rows_keep_top was called; each call is for one
	 * message, which gets this as its row number. */
	uint64_t taken;
	struct ctx_intern names;
};

enum { TABLE_COLUMNS = 8 };
/* Rows on a terminal, which are held until the widths of their columns are
 * known. */
struct table {
	struct table_row *rows;
	size_t n, cap;
	/* memory for the labels and tool names of the rows */
	struct ctx_intern texts;
	/* Widths in characters of the columns to the left of the name; 0: the
	 * column is not shown. */
	unsigned char widths[TABLE_COLUMNS];
	/* Width of the column with the labels of --per, in characters, if a
	 * column with the names of files follows it; else 0. */
	unsigned char label_width;
	bool has_heads; /* true if the header was printed */
	bool estimated; /* true if a printed row contains estimated numbers */
	bool billed;    /* true if a printed row shows billed tokens */
};

/* How rows are printed. */
struct row_form {
	struct cli *cli;
	bool json, tsv, quiet;
	struct table *table; /* NULL: rows are not printed as a table */
	/* True if the table or TSV has two columns for billed tokens: those of
	 * the last request, and those that ctx counts after it. */
	bool billed;
	/* true if JSON output has no members for billed tokens */
	bool no_billed;
	/* What the label of each output row is, such as "role" or "tool". */
	const char *per;
	/* In tokens.  window: size of the context window; 0: that of the model.
	 * reserve: tokens that are subtracted from what is left of the context
	 * window (--reserve). */
	uint64_t window, reserve;
	/* This member is set only by row_print: */
	bool header; /* true if the TSV header was printed */
};

/* Returns the context window, the number of tokens that is 100 % in an output
 * row.  Returns 0 if the row shows no percentage. */
uint64_t row_window(const struct row_form *form,
    const struct ctx_token_stats *stats);
/* Returns the tokens of an output row that are compared with the context
 * window.  If the row shows billed input, these are the billed tokens of the
 * last request, and those that ctx counts after it. */
uint64_t row_tokens(const struct row_form *form,
    const struct ctx_token_stats *stats);
void row_print(struct row_form *form, const struct row *row);
void row_add_tokens(struct ctx_token_stats *sum,
    const struct ctx_token_stats *stats);

/* Adds the token counts of a message to the output row whose label is the n
 * bytes at p.  If there is no such row yet, adds one. */
int rows_add(struct rows *rows, const struct ctx_token_stats *stats,
    const char *p, size_t n, struct ctx_err *err);
/* Keeps a message and its token counts if it is among the largest messages read
 * so far. top: how many messages are kept, at least 1. */
int rows_keep_top(struct rows *rows, const struct ctx_token_stats *stats,
    uint64_t top, struct ctx_err *err);
/* Sorts the messages kept by rows_keep_top by their tokens, largest first. */
void rows_rank(struct rows *rows);
/* Prints and clears the output rows that rows_add filled: the row with most
 * tokens first or, if turns is true, in the order of the turns. */
void rows_print(struct row_form *form, struct rows *rows, bool turns);
void rows_release(struct rows *rows);

/* Adds the tokens of each row to the row of total that has the same label. */
int rows_add_all(struct rows *total, const struct rows *rows,
    struct ctx_err *err);

/* ---- table.c: a table for people ----------------------------------------- */

/* Adds a row to form->table. */
void table_add(struct row_form *form, const struct row *row);
/* Prints the rows that are still held in memory, and a line that explains the
 * signs in them.  Frees the table's memory. */
void table_end(struct row_form *form);

/* ---- rows_per.c: the rows of --per --------------------------------------- */

/* Returns the name of value number i of the option --per; NULL after the
 * last. */
const char *per_name(unsigned i);
/* Adds the tokens of a message to output rows, chosen by per: the row of its
 * turn, the row of its role, or one row for each of its tools or kinds of
 * content blocks. */
int rows_add_message(struct rows *rows, enum per per,
    const struct ctx_token_stats *stats, struct ctx_err *err);
/* Adds the tokens of a conversation's system prompt and tool definitions to the
 * output rows, so that the rows add up to the total. */
int rows_add_overhead(struct rows *rows, enum per per,
    const struct ctx_token_stats *stats, struct ctx_err *err);

#endif
