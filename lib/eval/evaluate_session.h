/* evaluate_session.h - splits a recorded session at several places, and
 * measures what policies (ways to shorten a conversation) keep of the messages
 * before each split */
#ifndef CTX_EVAL_EVALUATE_SESSION_H
#define CTX_EVAL_EVALUATE_SESSION_H

#include "eval/judge.h"
#include "eval/policy_runner.h"
#include "prune/held_conversation.h"

/* What one thread that evaluates files needs: its memory and settings. */
struct eval_worker {
	const struct ctx_eval_config *options;
	struct ctx_command_runner *runner;
	struct ctx_model_counters *counters;
	struct eval_judge judge;
	struct ctx_buf file;   /* content of the file */
	struct ctx_buf before; /* bytes of the session before the split */
	/* the names (paths, identifiers, ids, numbers) in the messages before
	 * the split, found once for all policies */
	struct ctx_shared_texts *shared;
	/* Results of the file that is being evaluated.  Later they are appended
	 * to the results of all files. */
	struct ctx_eval_results *results;
};

/* Splits a session, runs each policy on the messages before each split, and
 * appends the results to worker->results. */
int ctx_evaluate_session(void *worker, const struct eval_session *session,
    struct ctx_err *err);

/* ---- prune_session.c: policies that are options of ctx-prune ------------- */

/* Prunes the input of a request with the configuration of its policy.  Stores
 * the output or, if pruning has failed, the reason in *answer.  Returns 0, or
 * -1 with *err if there is no memory. */
int ctx_policy_prune(const struct eval_worker *worker,
    const struct policy_request *request, struct policy_answer *answer,
    struct ctx_err *err);

#endif
