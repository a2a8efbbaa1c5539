/* output.h - prints the token counts of ctx-count as text, TSV or JSON lines */
#ifndef CTX_CMD_COUNT_OUTPUT_H
#define CTX_CMD_COUNT_OUTPUT_H

#include "cli/cli.h"

/* A row of the output: the token counts of a conversation, of a message, or of
 * all messages with the same label (a role, a tool, a turn). */
struct row {
	struct ctx_token_stats sum;
	/* The row's name, from the input; p is NULL if it has none. */
	struct ctx_str label;
	uint64_t number; /* higher in rows that were read later */
};

struct rows {
	struct row *list;
	size_t n, cap;
	/* number of messages that were passed to rows_keep, which keeps the
	 * largest */
	uint64_t taken;
	struct ctx_intern names;
};

/* How rows are printed. */
struct row_form {
	struct cli *cli;
	bool json, tsv, quiet;
	/* The kind of label that the rows of the output have, such as "role"
	 * or "tool". */
	const char *per;
	uint64_t window, reserve; /* in tokens; window 0: that of the model */
	/* Set by row_print only: */
	bool header; /* true if the TSV header was printed */
};

/* Returns the context window, in tokens, that the percentage in an output row
 * refers to, or 0 if the row shows no percentage. */
uint64_t row_window(const struct row_form *form,
    const struct ctx_token_stats *stats);
void row_print(struct row_form *form, const struct row *row);
void row_add(struct ctx_token_stats *sum, const struct ctx_token_stats *stats);

/* Adds the token counts of a message to the output row whose label is the n
 * bytes at p.  Creates the row at the first message with that label. */
int rows_add(struct rows *rows, const struct ctx_token_stats *stats,
    const char *p, size_t n, struct ctx_err *err);
/* Stores a message with its token counts if it is among the largest messages
 * read so far, of which top are kept. top is at least 1. */
int rows_keep(struct rows *rows, const struct ctx_token_stats *stats,
    uint64_t top, struct ctx_err *err);
/* Sorts the messages that rows_keep stored by their tokens, largest first. */
void rows_rank(struct rows *rows);
/* Prints and clears the output rows that rows_add filled.  The largest row is
 * first; if turns is true, the rows are in the order of the turns instead. */
void rows_print(struct row_form *form, struct rows *rows, bool turns);
void rows_release(struct rows *rows);

#endif
