/* evaluate_session.h - the samples and runs of one session */
#ifndef CTX_EVAL_EVALUATE_SESSION_H
#define CTX_EVAL_EVALUATE_SESSION_H

#include "eval/judge.h"

/* What one thread needs to evaluate files. */
struct eval_worker {
	const struct ctx_eval_config *options;
	struct ctx_policy_runner *runner;
	struct ctx_model_counters *counters;
	struct eval_judge judge;
	struct ctx_buf file;   /* bytes of the file */
	struct ctx_buf before; /* bytes of the session before the cut */
	/* results of the file that is being evaluated */
	struct ctx_eval_results *results;
};

/* Cuts a session, runs the policies on what is before each cut, and appends the
 * samples and runs to worker->results. */
int ctx_evaluate_session(struct eval_worker *worker,
    const struct eval_session *session, struct ctx_err *err);

#endif
