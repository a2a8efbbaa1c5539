/* print_bill.h - prints what sessions cost, as recorded and as replayed, as
 * text, TSV or JSON lines */
#ifndef CTX_CMD_REPLAY_PRINT_BILL_H
#define CTX_CMD_REPLAY_PRINT_BILL_H

#include "cli/cli.h"
#include "replay/replay.h"

struct bill_form {
	struct cli *cli;
	bool json, tsv;
	bool requests; /* true if a row is printed for each request */
	bool has_header;
	/* The sums over all sessions, and the number of sessions. */
	struct ctx_replay_outcome sum;
	uint64_t sessions;
};

/* Prints a request.  Returns 0, or -1 with *err. */
int bill_print_request(struct bill_form *form,
    const struct ctx_replayed_request *request, struct ctx_err *err);
/* Adds a session to the sums. */
void bill_add_session(struct bill_form *form,
    const struct ctx_replay_outcome *outcome);
/* Writes a number with a comma before each three digits to text, and returns
 * text. */
const char *bill_group_digits(char text[32], uint64_t number);
/* Prints a session, and adds it to the sums.  Returns 0, or -1 with *err. */
int bill_print_session(struct bill_form *form,
    const struct ctx_replay_outcome *outcome, struct ctx_err *err);
/* Prints the sums if there were several sessions, as text. */
void bill_print_sum(struct bill_form *form);

#endif
