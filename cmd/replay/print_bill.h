/* print_bill.h - prints two costs of recorded sessions, as text, TSV or JSON
 * lines: the cost that the provider billed, and the cost that ctx computes by
 * replaying the requests */
#ifndef CTX_CMD_REPLAY_PRINT_BILL_H
#define CTX_CMD_REPLAY_PRINT_BILL_H

#include "cli/cli.h"
#include "replay/replay.h"

struct bill_form {
	struct cli *cli;
	bool json, tsv;
	bool requests; /* true if the output has a row for each request */
	bool has_header;
	/* sum: results of all sessions that were read so far, added up;
	 * sessions: number of these sessions */
	struct ctx_replay_outcome sum;
	uint64_t sessions;
};

/* Prints a row about one request if the member "requests" is true.  Returns 0,
 * or -1 with *err. */
int bill_print_request(struct bill_form *form,
    const struct ctx_replayed_request *request, struct ctx_err *err);
/* Adds the results of a session to the sums over all sessions. */
void bill_add_session(struct bill_form *form,
    const struct ctx_replay_outcome *outcome);
/* Prints the results of a session (not if rows of requests are printed as TSV),
 * and adds them to the sums over all sessions.  Returns 0, or -1 with *err. */
int bill_print_session(struct bill_form *form,
    const struct ctx_replay_outcome *outcome, struct ctx_err *err);
/* Prints the sums over all sessions.  Prints nothing if there was only one
 * session, or if the output is TSV or JSON. */
void bill_print_sum(struct bill_form *form);

#endif
