/* output.h - prints the token counts of ctx-count as text, TSV or JSON lines */
#ifndef CTX_CMD_COUNT_OUTPUT_H
#define CTX_CMD_COUNT_OUTPUT_H

#include "cli/cli.h"

/* A row of the output: the tokens of a conversation, of one message, or of all
 * messages with the same label.  A label is the name of a role or tool, or the
 * number of a turn. */
struct row {
	struct ctx_token_stats sum;
	/* The label of the row; p is NULL if it has none. */
	struct ctx_str label;
	/* Number of the row, in the order in which rows were read.  Of two rows
	 * with equally many tokens, the one with the lower number is printed
	 * first. */
	uint64_t number;
};

struct rows {
	struct row *list;
	size_t n, cap;
	/* Number of messages that rows_keep was called with so far.  The next
	 * message gets it as its row number. */
	uint64_t taken;
	struct ctx_intern names;
};

/* Settings for printing rows. */
struct row_form {
	struct cli *cli;
	bool json, tsv, quiet;
	/* Meaning of each row's label, such as "role" or "tool". */
	const char *per;
	/* In tokens. window: the context window; 0: that of the model. reserve:
	 * how many tokens are subtracted from what is left of the window
	 * (--reserve). */
	uint64_t window, reserve;
	/* This member is set only by row_print: */
	bool header; /* true if the TSV header was printed */
};

/* Returns the context window, in tokens, of which an output row shows how many
 * percent are used; 0 if the row shows no percentage. */
uint64_t row_window(const struct row_form *form,
    const struct ctx_token_stats *stats);
void row_print(struct row_form *form, const struct row *row);
void row_add(struct ctx_token_stats *sum, const struct ctx_token_stats *stats);

/* Adds the token counts of a message to the output row with its label, the n
 * bytes at p.  If there is no such row yet, adds one. */
int rows_add(struct rows *rows, const struct ctx_token_stats *stats,
    const char *p, size_t n, struct ctx_err *err);
/* Keeps a message and its token counts if it is among the largest messages read
 * so far. top: how many messages are kept, at least 1. */
int rows_keep(struct rows *rows, const struct ctx_token_stats *stats,
    uint64_t top, struct ctx_err *err);
/* Sorts the messages that rows_keep stored by their tokens, largest first. */
void rows_rank(struct rows *rows);
/* Prints and clears the output rows that rows_add filled: the row with most
 * tokens first or, if turns is true, in the order of the turns. */
void rows_print(struct row_form *form, struct rows *rows, bool turns);
void rows_release(struct rows *rows);

#endif
