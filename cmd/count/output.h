/* output.h - prints the token counts of ctx-count as text, TSV or JSON lines */
#ifndef CTX_CMD_COUNT_OUTPUT_H
#define CTX_CMD_COUNT_OUTPUT_H

#include "prune/prune.h"
#include "count/count.h"
#include "cli/cli.h"

/* What a row of ctx-count's output stands for, as the option --per says. */
enum per { PER_FILE, PER_MESSAGE, PER_TURN, PER_ROLE, PER_TOOL, PER_KIND };

/* A row of the output: the tokens of a conversation, of one message, or all
 * tokens with the same label.  A label is the name of a role, a tool or a kind
 * of content block, or the number of a turn. */
struct row {
	struct ctx_token_stats sum;
	/* The label of the row; the member p of label is NULL if the row has no
	 * label. */
	struct ctx_str label;
	/* Number of the row; rows are numbered when they are made.  Of two rows
	 * with the same number of tokens, the row with the lower number is
	 * printed first. */
	uint64_t number;
};

struct rows {
	struct row *list;
	size_t n, cap;
	/* Number of calls of rows_keep_top so far.  Each call is for one
	 * message, and its number becomes the row number of this message. */
	uint64_t taken;
	struct ctx_intern names;
};

enum { TABLE_COLUMNS = 8 };
/* Rows that are printed on a terminal, after the widths of their columns are
 * known. */
struct table {
	struct table_row *rows;
	size_t n, cap;
	/* Memory for the labels and tool names of the rows. */
	struct ctx_intern texts;
	/* Widths of the columns to the left of the name, in characters.  0: the
	 * column is not shown. */
	unsigned char widths[TABLE_COLUMNS];
	/* Width in characters of the column with the labels of --per, if the
	 * next column has the names of files; otherwise 0. */
	unsigned char label_width;
	bool has_heads; /* true if the header of the table was printed */
	bool estimated; /* true if a printed row contains estimated numbers */
	bool billed;    /* true if a printed row shows billed tokens */
};

/* How rows are printed. */
struct row_form {
	struct cli *cli;
	bool json, tsv, quiet;
	/* the table in which the rows are printed, or NULL if they are not
	 * printed as a table */
	struct table *table;
	/* True if the table or TSV has two columns about billed tokens: the
	 * billed tokens of the last request, and the tokens that ctx counts
	 * after this request. */
	bool billed;
	/* true if the JSON output has no members for billed tokens */
	bool no_billed;
	/* What the labels of the rows are, such as "role" or "tool". */
	const char *per;
	/* Numbers of tokens. window: size of the context window; 0: that of the
	 * model. reserve: subtracted from the unused tokens of the context
	 * window (--reserve). */
	uint64_t window, reserve;
	/* True if the TSV header was printed.  Only row_print sets it. */
	bool header;
};

/* Returns the context window in tokens, which is 100 percent for the
 * percentages in the row.  Returns 0 if the row shows no percentage. */
uint64_t row_window(const struct row_form *form,
    const struct ctx_token_stats *stats);
/* Returns true if the characters and bytes of the rows are known: those of
 * kinds of content blocks (--per kind) are not counted. */
bool row_has_chars(const struct row_form *form);
/* Returns the number of tokens of a row that is compared with the context
 * window.  If the row shows billed tokens, this is the sum of the billed tokens
 * of the last request and the tokens that ctx counts after this request. */
uint64_t row_tokens(const struct row_form *form,
    const struct ctx_token_stats *stats);
void row_print(struct row_form *form, const struct row *row);
void row_add_tokens(struct ctx_token_stats *sum,
    const struct ctx_token_stats *stats);

/* Adds the token counts of a message to the row with a certain label, the n
 * bytes at p.  If there is no such row, makes it. */
int rows_add(struct rows *rows, const struct ctx_token_stats *stats,
    const char *p, size_t n, struct ctx_err *err);
/* Stores a message with its token counts if it is one of the largest messages
 * that were read so far. top: number of messages that are stored, at least
 * 1. */
int rows_keep_top(struct rows *rows, const struct ctx_token_stats *stats,
    uint64_t top, struct ctx_err *err);
/* Sorts the messages that rows_keep_top has stored by their number of tokens,
 * the largest first. */
void rows_rank(struct rows *rows);
/* Prints the rows that rows_add has filled, and removes them.  If turns is
 * true, prints the rows in the order of the turns; otherwise the row with the
 * most tokens is first. */
void rows_print(struct row_form *form, struct rows *rows, bool turns);
void rows_release(struct rows *rows);

/* Adds the tokens of each row to the row of total with the same label. */
int rows_add_all(struct rows *total, const struct rows *rows,
    struct ctx_err *err);

/* ---- table.c: a table for people ----------------------------------------- */

/* Adds a row to form->table, the table that is printed on a terminal. */
void table_add(struct row_form *form, const struct row *row);
/* Prints the rows that are still held in memory, and lines that explain
 * estimated and billed numbers if rows have them.  Frees the memory of the
 * table. */
void table_end(struct row_form *form);

/* ---- rows_per.c: the rows of --per --------------------------------------- */

/* Returns the i-th value (from 0) of the option --per, such as "role", or NULL
 * after the last one. */
const char *per_name(size_t i);
/* Adds the tokens of a message to the rows of the option --per.  These are the
 * row of its turn, the row of its role, or a row for each of its tools or kinds
 * of content blocks. */
int rows_add_message(struct rows *rows, enum per per,
    const struct ctx_token_stats *stats, struct ctx_err *err);
/* Adds the tokens of a conversation's system prompt and tool definitions to the
 * rows.  The sum of the rows is then the total. */
int rows_add_overhead(struct rows *rows, enum per per,
    const struct ctx_token_stats *stats, struct ctx_err *err);

/* ---- over_max.c: conversations above --max ------------------------------- */

/* Reports that a conversation has more tokens than --max allows: with a message
 * on standard error or, with --annotations, with an annotation on standard
 * output, which a code host shows beside the lines of a file. counted: number
 * of tokens of the conversation. */
void over_max_print(const struct row_form *form, const struct ctx_amount *max,
    const struct ctx_token_stats *stats, uint64_t counted,
    const struct cli_annotations *annotations);

#endif
