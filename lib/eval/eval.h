/* eval.h - ctx-eval: cuts recorded sessions, and measures how much of what the
 * messages after the cut need is kept by policies */
#ifndef CTX_EVAL_H
#define CTX_EVAL_H

#include <sys/types.h>

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"

/* ---- eval/policy.c: what is applied to the part before a cut ------------- */

enum ctx_policy_kind {
	CTX_POLICY_COMMAND, /* a command that reads and writes messages */
	/* The other kinds keep groups of messages; they are for comparison. */
	CTX_POLICY_ORACLE,  /* those with most needed strings per token */
	CTX_POLICY_RECENCY, /* the newest */
	CTX_POLICY_RANDOM,
};

/* A policy.  ctx_policy_release frees what it owns. */
struct ctx_policy {
	char *name;
	enum ctx_policy_kind kind;
	/* The words of the command, NULL after the last.  {budget}, {dialect}
	 * and {dir} in them are replaced for each run. */
	char **words;
	size_t n_words;
	bool has_directory; /* true if {dir} is in a word */
	/* True if {budget} is in a word.  If not, the command is run once for
	 * all budgets. */
	bool has_budget;
};

/* What policies that are only options of ctx-prune begin with. */
struct ctx_policy_prune {
	const char *path; /* of ctx-prune */
	/* for its options -d, -e and -m, or NULL */
	const char *dialect, *encoding, *model;
};
/*
 * Reads a policy: [NAME=]COMMAND.  A command that begins with a dash is options
 * of ctx-prune.  The commands oracle, recency and random are the policies for
 * comparison.  Any other command is run by /bin/sh if it has characters that
 * are special for a shell, otherwise without one.
 */
int ctx_policy_parse(struct ctx_policy *policy, const char *text,
    const struct ctx_policy_prune *prune, struct ctx_err *err);
void ctx_policy_release(struct ctx_policy *policy);

/* ---- eval/policy_runner.c: a process that runs policies ------------------ */

/* A child process that runs policies.  A program that starts it first can then
 * give up the right to run programs. */
struct ctx_policy_runner {
	pid_t pid;
	int requests; /* write end of the pipe to the child; -1: closed */
	int answers;  /* read end of the pipe from the child; -1: closed */
};

/* Settings of all runs. */
struct ctx_policy_limits {
	unsigned seconds; /* time limit of a run */
	/* directory in which the directories of runs are created ({dir}) */
	const char *directory;
	/* true if messages of the commands are printed on standard error; false
	 * if they are dropped */
	bool shows_messages;
};
/* Starts n child processes.  The policies and limits must remain valid.  No
 * other thread may have been started. */
int ctx_policy_runners_start(struct ctx_policy_runner *runners, size_t n,
    const struct ctx_policy *policies, const struct ctx_policy_limits *limits,
    struct ctx_err *err);
/* Ends the child processes, and waits until they have ended. */
void ctx_policy_runners_end(struct ctx_policy_runner *runners, size_t n);

/* ---- eval/evaluate.c: cut sessions, run policies, measure ---------------- */

/* Most cuts and budgets of a run. */
enum { CTX_EVAL_SHARES = 16 };

/* Shares in thousandths of a percent. */
struct ctx_eval_shares {
	uint64_t list[CTX_EVAL_SHARES];
	size_t n;
};

struct ctx_eval_config {
	const struct ctx_policy *policies;
	size_t n_policies;
	/* Where sessions are cut: shares of their messages, ascending. */
	struct ctx_eval_shares cuts;
	/* Budgets: shares of the tokens before the cut that are not in system
	 * messages or outside the messages.  The tokens of those are added to
	 * each budget. */
	struct ctx_eval_shares budgets;
	/* Cuts with fewer tokens before them are left out. */
	uint64_t least;
	const struct ctx_dialect *dialect; /* chosen by the user, or NULL */
	bool lenient; /* lines that are not JSON are no error */
	/* True if no policy is run, and the needed strings are listed. */
	bool lists_needed;
	struct ctx_policy_runner *runners;
	/* the token counters of each thread */
	struct ctx_model_counters *counters;
	size_t jobs; /* number of runners, counters and threads */
	/* Called in the order of the files when a file was evaluated, with its
	 * size in bytes; or NULL. */
	void (*on_file)(void *user, size_t bytes);
	void *user;
};

/* A session that is cut at a place. */
struct ctx_eval_sample {
	const char *file;
	uint64_t line;   /* of the record that contains the session; else 0 */
	uint64_t cut;    /* share of the messages, as in ctx_eval_config */
	size_t session;  /* number of its session, from 0 */
	size_t messages; /* number of messages before the cut */
	uint64_t tokens; /* tokens before the cut */
	size_t needed;   /* number of needed strings */
	char **strings;  /* the needed strings, if they are listed; else NULL */
};

/* A policy with a budget, applied to a sample. */
struct ctx_eval_run {
	size_t sample, policy, budget; /* their numbers, from 0 */
	/* Number of needed strings that are in the output; of the policy random
	 * a mean of several choices. */
	double kept;
	/* Number of the other needed strings that are in a file below {dir}. */
	size_t recoverable;
	uint64_t limit, tokens; /* the budget; tokens of the output */
	/* True if ctx-check finds something in the output, but nothing in what
	 * the policy was given. */
	bool invalid;
	double seconds; /* time of the command */
	/* Why the run has failed, so that nothing else is known; or NULL. */
	char *failure;
};

struct ctx_eval_results {
	struct ctx_eval_sample *samples;
	size_t n_samples, samples_cap;
	struct ctx_eval_run *runs;
	size_t n_runs, runs_cap;
	size_t sessions; /* number of sessions with a sample */
	/* Numbers of sessions and cuts without a sample, by reason. */
	size_t without_cut; /* sessions that cannot be cut */
	size_t too_short;   /* cuts with too few tokens before them */
	size_t not_needed;  /* cuts without a needed string */
	/* cuts whose first part, read alone, is not the same messages */
	size_t unlike;
};

/* Evaluates files.  The results are in the order of the files.  Returns -1 with
 * *err for the first file with an error. */
int ctx_eval_files(char *const *files, size_t n,
    const struct ctx_eval_config *options, struct ctx_eval_results *results,
    struct ctx_err *err);
void ctx_eval_results_release(struct ctx_eval_results *results);

/* ---- eval/statistics.c: means and intervals ------------------------------ */

/* Figures of a policy with a budget, over all its runs that have not failed.
 * All shares are between 0 and 1. */
struct ctx_eval_figures {
	size_t runs, failed;
	/* Mean over runs of the share of needed strings that are kept, and the
	 * interval that has 95 % of the means if sessions are drawn at random
	 * again. */
	double kept, low, high;
	double recoverable, lost; /* the same share, of the other strings */
	double tokens;            /* mean tokens of the output */
	double unused;  /* mean share of the budget that the output leaves */
	double over;    /* share of runs with more tokens than the budget */
	double invalid; /* share of runs with an invalid output */
	double seconds; /* mean time of a command */
	const char *failure; /* why the first failed run has failed; or NULL */
	size_t failed_run;   /* number of that run */
};
int ctx_eval_figures(const struct ctx_eval_results *results, size_t policy,
    size_t budget, struct ctx_eval_figures *figures, struct ctx_err *err);

#endif
