/* eval.h - splits recorded sessions in two, applies policies (ways to shorten a
 * session) to the messages before the split, and measures how many of the
 * strings that messages after the split need are kept (ctx-eval) */
#ifndef CTX_EVAL_H
#define CTX_EVAL_H

#include <sys/types.h>

#include "base/base.h"
#include "cost/cost.h"
#include "dialect/dialect.h"
#include "io/io.h"
#include "prune/prune.h"

/* ---- eval/policy.c: policies, which shorten a session before a split ----- */

enum ctx_policy_kind {
	CTX_POLICY_COMMAND, /* run a command that reads and writes messages */
	/* The policies below run no command, but keep whole groups of messages.
	 * They serve only for comparison. */
	/* keep the groups of messages with the most needed strings per token;
	 * needed strings are strings that later messages use (see struct
	 * needed_string) */
	CTX_POLICY_ORACLE,
	CTX_POLICY_RECENCY, /* keep the newest groups of messages */
	CTX_POLICY_RANDOM,
};

/* Type of the main function of a policy's program.  It runs the program with
 * the arguments argv, and then ends the process with the program's exit
 * status. */
typedef void ctx_policy_main(int argc, char **argv);

/* A policy: what ctx-eval applies to the messages before a split (place at
 * which a session is divided).  A policy is a command, a configuration of
 * ctx-prune, or a way to choose messages. ctx_policy_release frees the memory
 * to which the members point. */
struct ctx_policy {
	char *name;
	enum ctx_policy_kind kind;
	/* The name of the command, its arguments, and NULL after the last one.
	 * In each run, {budget}, {dialect} and {dir} in these words are
	 * replaced by their values. */
	char **words;
	size_t n_words;
	bool has_directory; /* true if a word contains {dir} */
	/* True if a word contains {budget}.  If no word does, the command is
	 * run only once for all budgets. */
	bool has_budget;
	/* The main function of the command, which is called in a new process.
	 * NULL: the command is started as a program. */
	ctx_policy_main *main;
	/* Used only if main is not NULL: index of the first word that the user
	 * wrote, after the options that ctx_policy_parse has added. */
	size_t own;
	/* Set by the caller, who owns it.  If it is not NULL, no command is
	 * run: the messages are pruned with this configuration, and with the
	 * budget of the run. */
	const struct ctx_prune_config *config;
};

/* What turns a policy that consists only of options of ctx-prune into a
 * command. */
struct ctx_policy_prune {
	const char *path;      /* path of ctx-prune */
	ctx_policy_main *main; /* ctx-prune as a function, or NULL */
	/* arguments of the options -d, -e and -m of ctx-prune, or NULL */
	const char *dialect, *encoding, *model;
	bool lenient; /* true: with the option --lenient */
};
/*
 * Reads a policy from a text of the form [NAME=]COMMAND.  If COMMAND begins
 * with a dash, it consists of options of ctx-prune.  If COMMAND is "oracle",
 * "recency" or "random", no command is run, and messages are chosen for
 * comparison.  Any other COMMAND is run. /bin/sh runs it if it has characters
 * that are special for a shell; otherwise it is run without a shell.
 */
int ctx_policy_parse(struct ctx_policy *policy, const char *text,
    const struct ctx_policy_prune *prune, struct ctx_err *err);
void ctx_policy_release(struct ctx_policy *policy);

/* ---- eval/policy_runner.c: a process that runs policies ------------------ */

/* Limits and settings that apply to each run of a policy's command. */
struct ctx_policy_limits {
	/* time limit of a command in seconds, after which it is killed */
	unsigned seconds;
	/* clock that measures the time of a run; must not be NULL */
	ctx_clock *clock;
	/* Directory in which a new directory is made for each run. {dir} in the
	 * command is replaced by the path of the new directory. */
	const char *directory;
	/* True if the standard error of the commands is printed; false if it is
	 * dropped. */
	bool shows_messages;
};
/* Starts n child processes, each of which can run all the policies.  The
 * policies and limits must be valid until the children have ended.  The caller
 * must not have started any threads. */
int ctx_policy_runners_start(struct ctx_command_runner *runners, size_t n,
    const struct ctx_policy *policies, const struct ctx_policy_limits *limits,
    struct ctx_err *err);
/* Ends the child processes that run policies, and waits until they have
 * ended. */
void ctx_policy_runners_end(struct ctx_command_runner *runners, size_t n);

/* ---- eval/evaluate.c: evaluate policies on all sessions ----------------- */

/* maximum number of splits of a session (places at which a session is divided),
 * and maximum number of budgets */
enum { CTX_EVAL_SHARES = 16 };

/* A list of shares of a session's messages or tokens.  The unit is a thousandth
 * of a percent. */
struct ctx_eval_shares {
	uint64_t list[CTX_EVAL_SHARES];
	size_t n;
};

struct ctx_eval_config {
	const struct ctx_policy *policies;
	size_t n_policies;
	/* Where sessions are split (divided for evaluation): after these shares
	 * of their messages, in ascending order. */
	struct ctx_eval_shares splits;
	/* Budgets of the policies, as shares of the tokens before the split
	 * (place at which a session is divided), without system messages.  The
	 * tokens of system messages, of the system prompt and of tool
	 * definitions are then added to each budget. */
	struct ctx_eval_shares budgets;
	/* Minimum number of tokens before a split (place at which a session is
	 * divided).  A session is not split at a place with fewer tokens before
	 * it. */
	uint64_t least;
	/* dialect chosen by the user, or NULL */
	const struct ctx_dialect *dialect;
	bool lenient; /* true if lines that are not JSON are no error */
	/* True: no policy is run, and only the needed strings (strings that
	 * later messages use, see struct needed_string) are listed. */
	bool lists_needed;
	struct ctx_command_runner *runners;
	ctx_clock *clock; /* see struct ctx_policy_limits */
	/* one set of token counters for each thread */
	struct ctx_model_counters *counters;
	/* number of threads; each has its own runner (child process that runs
	 * policies) and its own token counters */
	size_t jobs;
	/* Called once for each file after it was evaluated, in the order of the
	 * files. bytes: size of the file.  May be NULL. */
	void (*on_file)(void *user, size_t bytes);
	void *user;
};

/* A sample: a recorded session that is split (divided) at one place.  Policies
 * are applied to the messages before the split. */
struct ctx_eval_sample {
	const char *file;
	/* number of the line that contains the whole session, or 0 if the
	 * session is the whole file */
	uint64_t line;
	/* which share of the messages is before the split: one of
	 * ctx_eval_config.splits */
	uint64_t split;
	size_t session;  /* number of the session, from 0 */
	size_t messages; /* number of messages before the split */
	uint64_t tokens; /* number of tokens before the split */
	/* number of needed strings (see struct needed_string) */
	size_t needed;
	/* the needed strings if ctx_eval_config.lists_needed is true, otherwise
	 * NULL */
	char **strings;
};

/* Result of one run: one policy was applied with one budget to the messages
 * before one split (place at which a session is divided). */
struct ctx_eval_run {
	/* numbers of the sample (session that is split at one place), the
	 * policy and the budget, from 0 */
	size_t sample, policy, budget;
	/* Number of needed strings (see struct needed_string) that the output
	 * of the policy contains.  For the policy "random", which is run
	 * several times: the mean of these numbers. */
	double kept;
	/* Number of needed strings (strings that later messages use) that are
	 * not in the output, but in a file that the command has saved in the
	 * directory {dir}. */
	size_t recoverable;
	/* limit: the budget in tokens; tokens: number of tokens in the policy's
	 * output. */
	uint64_t limit, tokens;
	/* True if ctx-check finds an error in the output of the policy, but
	 * none in its input. */
	bool invalid;
	double seconds; /* time of the command in seconds */
	/* The reason why the run failed, as a text; NULL if it did not fail.
	 * After a failure the other results of the run are not valid. */
	char *failure;
};

struct ctx_eval_results {
	struct ctx_eval_sample *samples;
	size_t n_samples, samples_cap;
	struct ctx_eval_run *runs;
	size_t n_runs, runs_cap;
	size_t sessions; /* number of sessions that were split at least once */
	/* Numbers of sessions and of splits (places at which a session is
	 * divided) that were not evaluated, by reason. */
	/* number of sessions that cannot be split (divided for evaluation) */
	size_t without_split;
	/* number of splits (places at which a session is divided) with too few
	 * tokens before them */
	size_t too_short;
	/* number of splits (places at which a session is divided) after which
	 * the messages need no string from before the split */
	size_t not_needed;
	/* Number of splits (places at which a session is divided) before which
	 * the lines would contain other messages if they were read as a
	 * separate file. */
	size_t unlike;
};

/* Evaluates files with recorded sessions.  The results have the order of the
 * files.  If files cannot be read, returns -1 with the error of the first such
 * file. */
int ctx_eval_files(char *const *files, size_t n,
    const struct ctx_eval_config *options, struct ctx_eval_results *results,
    struct ctx_err *err);
void ctx_eval_results_release(struct ctx_eval_results *results);

/* ---- eval/statistics.c: means and intervals ------------------------------ */

/* Figures of one policy with one budget: means over all runs that did not fail.
 * All shares are between 0 and 1. */
struct ctx_eval_figures {
	size_t runs, failed;
	/* true if the runs are of several sessions; otherwise low and high are
	 * not set */
	bool has_interval;
	/* kept: mean, over all runs, of the share of the needed strings
	 * (strings that later messages use) that the output contains. low,
	 * high: 95 % confidence interval of kept: 95 % of the means of other
	 * random selections of sessions would be between low and high. */
	double kept, low, high;
	/* Mean shares of the needed strings (strings that later messages use).
	 * recoverable: only in saved files. lost: neither in saved files nor in
	 * the output. */
	double recoverable, lost;
	double tokens; /* mean tokens of the output */
	/* mean share of the budget that the output leaves unused */
	double unused;
	double over; /* share of runs whose output exceeds the budget */
	/* share of runs in whose output ctx-check finds an error */
	double invalid;
	double seconds;      /* mean time of a run in seconds */
	const char *failure; /* reason of the first failure, or NULL */
	/* index of the first failed run in ctx_eval_results.runs */
	size_t failed_run;
};
int ctx_eval_figures(const struct ctx_eval_results *results, size_t policy,
    size_t budget, struct ctx_eval_figures *figures, struct ctx_err *err);

#endif
