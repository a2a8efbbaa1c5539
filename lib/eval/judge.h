/* judge.h - finds which of the strings that are needed after a split (the place
 * at which a session is divided) occur in a text */
#ifndef CTX_EVAL_JUDGE_H
#define CTX_EVAL_JUDGE_H

#include "eval/session.h"

/* State of searching texts for the strings that are needed after one split of a
 * session. */
struct eval_judge {
	struct ctx_model_counters *counters;
	const struct ctx_dialect *dialect; /* dialect of the session */
	bool lenient;
	struct ctx_matcher matcher;
	/* number of needed strings (strings that later messages use) */
	size_t needed;
	bool *seen; /* for each needed string: true if it was found */
	size_t n_seen;
	size_t cap;
	struct ctx_buf text, arguments; /* scratch memory */
};

/* Result of judging messages: their number of needed strings (strings that
 * later messages use), and their number of tokens. */
struct eval_verdict {
	size_t messages;
	/* number of needed strings that were found in the messages, or a mean
	 * of such numbers */
	double kept;
	uint64_t tokens;
	/* number of rule violations that ctx-check finds in the messages */
	size_t findings;
};

/* Prepares the search for needed strings: strings before a split (a place at
 * which the session is divided) that tool calls after the split contain. */
int ctx_judge_begin(struct eval_judge *judge, const struct eval_split *split,
    struct ctx_err *err);
/* Parses a text as messages, such as the output of a policy.  Counts their
 * tokens, and finds the needed strings (strings that later messages use) in
 * them.  Returns 0, or -1 with *err.  It is an error if the text cannot be
 * parsed as messages. */
int ctx_judge_messages(struct eval_judge *judge, struct ctx_str text,
    struct eval_verdict *verdict, struct ctx_err *err);
/* Searches the files that a policy has saved for needed strings (strings that
 * later messages use).  Sets *found to the number of needed strings that are in
 * these files, but not in the messages that were judged before. */
int ctx_judge_files(struct eval_judge *judge, struct ctx_str text,
    size_t *found, struct ctx_err *err);
void ctx_judge_release(struct eval_judge *judge);

/* ---- baseline.c: policies for comparison --------------------------------- */

/* Applies a policy that serves only for comparison: chooses which messages
 * before a split (place at which a session is divided) are kept.  Only whole
 * groups of messages are kept: an answer of the assistant with its tool
 * results, or another message.  Groups that every policy is assumed to keep are
 * chosen first, then all other groups in the order of the policy.  A group is
 * kept unless the kept messages would then exceed the limit (in tokens).  Sets
 * verdict->kept and verdict->tokens; for CTX_POLICY_RANDOM both are means of
 * several choices.  Sets the other members of *verdict to 0. */
int ctx_eval_baseline(enum ctx_policy_kind kind,
    const struct eval_session *session, const struct eval_split *split,
    uint64_t limit, struct eval_verdict *verdict, struct ctx_err *err);

#endif
