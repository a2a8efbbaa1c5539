/* judge.h - what is left of the needed strings of a cut */
#ifndef CTX_EVAL_JUDGE_H
#define CTX_EVAL_JUDGE_H

#include "eval/session.h"

/* Searches texts for the needed strings of one cut. */
struct eval_judge {
	struct ctx_model_counters *counters;
	const struct ctx_dialect *dialect; /* of the session */
	bool lenient;
	struct ctx_matcher matcher;
	size_t needed; /* number of needed strings */
	bool *seen;    /* for each of them: true if it was found */
	size_t n_seen;
	size_t cap;
	struct ctx_buf text, arguments; /* scratch memory */
};

/* What a text of messages contains. */
struct eval_verdict {
	size_t messages;
	double kept; /* number of needed strings, or a mean of such numbers */
	uint64_t tokens;
	size_t findings; /* of ctx-check */
};

/* Prepares the judge for the needed strings of a cut. */
int ctx_judge_begin(struct eval_judge *judge, const struct eval_cut *cut,
    struct ctx_err *err);
/* Reads messages, such as the output of a policy, and finds the needed strings
 * in them.  Returns -1 with *err, also if the text cannot be read as
 * messages. */
int ctx_judge_messages(struct eval_judge *judge, struct ctx_str text,
    struct eval_verdict *verdict, struct ctx_err *err);
/* Finds the needed strings in files that a policy has saved: sets *found to the
 * number of those that the last messages do not have. */
int ctx_judge_files(struct eval_judge *judge, struct ctx_str text,
    size_t *found, struct ctx_err *err);
void ctx_judge_release(struct eval_judge *judge);

/* ---- baseline.c: policies for comparison --------------------------------- */

/* Chooses groups of messages before a cut.  A group is an answer of the
 * assistant with its tool results, or another message.  The groups of messages
 * that every policy is assumed to keep are kept, and then others in the order
 * of the policy, each if it still fits within the limit (tokens).  Sets the
 * members kept and tokens of *verdict, the others to 0: for CTX_POLICY_RANDOM
 * to means of several choices, which are the same in each run. */
int ctx_eval_baseline(enum ctx_policy_kind kind,
    const struct eval_session *session, const struct eval_cut *cut,
    uint64_t limit, struct eval_verdict *verdict, struct ctx_err *err);

#endif
