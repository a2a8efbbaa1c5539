/* output.h - the lines that ctx-count prints */
#ifndef CTX_CMD_COUNT_OUTPUT_H
#define CTX_CMD_COUNT_OUTPUT_H

#include "cli/cli.h"

/* One line of output: a conversation, a message, or all that share a name. */
struct row {
	struct ctx_token_stats sum;
	struct ctx_str label; /* the name, may be untrusted; NULL: none */
	uint64_t number;      /* rises from row to row */
};

struct rows {
	struct row *list;
	size_t n, cap;
	uint64_t taken; /* messages that rows_keep was shown */
	struct ctx_intern names;
};

/* How rows are printed. */
struct row_form {
	struct cli *cli;
	bool json, tsv, quiet;
	const char *per;          /* what labels are: "role", "tool" */
	uint64_t window, reserve; /* tokens; window 0: the model's */
	/* Its own: */
	bool header; /* it is printed */
};

/* The window that the figures of a row are held against, 0: none. */
uint64_t row_window(const struct row_form *form,
    const struct ctx_token_stats *t);
void row_print(struct row_form *form, const struct row *row);
void row_add(struct ctx_token_stats *sum, const struct ctx_token_stats *t);

/* Adds to the row of a name. */
int rows_add(struct rows *rows, const struct ctx_token_stats *t, const char *p,
    size_t n, struct ctx_err *err);
/* Keeps the message, if it is one of the top largest so far; top is not 0. */
int rows_keep(struct rows *rows, const struct ctx_token_stats *t, uint64_t top,
    struct ctx_err *err);
/* Sorts what was kept, the largest first. */
void rows_rank(struct rows *rows);
/* Prints and forgets the rows, the largest first, or by the number of their
 * turns. */
void rows_print(struct row_form *form, struct rows *rows, bool turns);
void rows_release(struct rows *rows);

#endif
