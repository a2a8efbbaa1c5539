/* evaluate_session.c - splits a recorded session at several places, and applies
 * each policy to the messages before each split */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/evaluate_session.h"

/* The state of evaluating policies on the messages before one split (place at
 * which a session is divided). */
struct split_evaluation {
	struct eval_worker *worker;
	const struct eval_session *session;
	const struct eval_split *split;
	/* number of this sample in ctx_eval_results.samples */
	size_t sample;
	/* Number of tokens of system messages, and of the request outside of
	 * messages.  Added to each budget. */
	uint64_t fixed;
	/* number of tokens before the split, without system messages */
	uint64_t rest;
	/* number of findings of ctx-check in the messages before the split */
	size_t findings;
};

/* ---- where a session is split ---- */

/* Returns the index of the first message before which the session can be split
 * (divided), after the first "share" (in thousandths of a percent) of the
 * session's messages.  A session can be split before a message that the
 * assistant has written in answer to another message. */
static size_t
find_place(const struct eval_session *session, uint64_t share)
{
	const struct eval_message *m = session->messages;
	size_t at = (size_t)((uint64_t)session->n * share / 100000);

	for (; at < session->n; at++)
		if (m[at].role == CTX_ROLE_ASSISTANT && at > 0 &&
		    m[at - 1].role != CTX_ROLE_ASSISTANT)
			break;
	return at;
}

/* Returns the number of tokens in the messages with an index below "at",
 * without system messages.  Sets *fixed to the number of tokens in the system
 * messages among them, plus the tokens outside of messages. */
static uint64_t
sum_tokens(const struct eval_session *session, size_t at, uint64_t *fixed)
{
	uint64_t rest = 0;

	*fixed = session->overhead;
	for (size_t i = 0; i < at; i++)
		if (session->messages[i].role == CTX_ROLE_SYSTEM)
			*fixed += session->messages[i].tokens;
		else
			rest += session->messages[i].tokens;
	return rest;
}

/* Finds the places at which a session is split (divided).  Before each place
 * there must be at least config->least tokens.  Returns the number of
 * places. */
static size_t
find_splits(struct eval_worker *worker, const struct eval_session *session,
    struct eval_split *splits)
{
	const struct ctx_eval_shares *shares = &worker->options->splits;
	uint64_t fixed;
	size_t n = 0, at;

	for (size_t i = 0; i < shares->n; i++) {
		at = find_place(session, shares->list[i]);
		if (at >= session->n || (n > 0 && splits[n - 1].at == at))
			continue;
		if (sum_tokens(session, at, &fixed) + fixed <
		    worker->options->least) {
			worker->results->too_short++;
			continue;
		}
		splits[n++] =
		    (struct eval_split){.at = at, .share = shares->list[i]};
	}
	return n;
}

/* ---- runs ---- */

static struct ctx_eval_run *
add_run(struct ctx_eval_results *results, struct ctx_err *err)
{
	if (CTX_GROW(results->runs, results->runs_cap, results->n_runs + 1,
		err) < 0)
		return NULL;
	memset(&results->runs[results->n_runs], 0, sizeof *results->runs);
	return &results->runs[results->n_runs++];
}

static int
fail_run(struct ctx_eval_run *run, const char *reason, struct ctx_err *err)
{
	run->failure = strdup(reason);
	return run->failure == NULL ? ctx_err_nomem(err) : 0;
}

/* Stores in *run that a run has failed because its output cannot be parsed.
 * Returns 0, or -1 if there is no memory. */
static int
fail_output(struct ctx_eval_run *run, const struct ctx_err *why,
    struct ctx_err *err)
{
	struct ctx_buf text = {0};
	int rc;

	if (why->code == CTX_ENOMEM) {
		*err = *why;
		return -1;
	}
	rc = why->line > 0
	    ? ctx_buf_printf(&text, err, "line %llu of its output: %s",
		  (unsigned long long)why->line, why->text)
	    : ctx_buf_printf(&text, err, "its output: %s", why->text);
	if (rc == 0)
		rc = ctx_buf_add(&text, "", 1, err);
	if (rc == 0)
		rc = fail_run(run, text.p, err);
	ctx_buf_release(&text);
	return rc;
}

static void
fill_run(const struct split_evaluation *e, struct ctx_eval_run *run,
    const struct eval_verdict *verdict)
{
	run->kept = verdict->kept;
	run->tokens = verdict->tokens;
	run->invalid = verdict->findings > 0 && e->findings == 0;
}

/* Counts the tokens and needed strings in the output of a policy's command.
 * Exit status 1 is no failure if the output has messages: with it ctx-prune
 * says that the messages that must be kept exceed the budget. */
static int
judge_answer(const struct split_evaluation *e, struct ctx_eval_run *run,
    const struct policy_answer *answer, struct ctx_err *err)
{
	struct eval_judge *judge = &e->worker->judge;
	struct eval_verdict verdict = {0};
	struct ctx_err why;
	char status[48];

	run->seconds = answer->seconds;
	if (answer->failure[0] != '\0')
		return fail_run(run, answer->failure, err);
	if (answer->status > 1 || (answer->status == 1 && answer->out.n == 0)) {
		(void)snprintf(status, sizeof status, "ended with status %d",
		    answer->status);
		return fail_run(run, status, err);
	}
	if (ctx_judge_messages(judge, ctx_buf_str(&answer->out), &verdict,
		&why) < 0)
		return fail_output(run, &why, err);
	if (verdict.messages == 0)
		return fail_run(run, "its output has no message", err);
	fill_run(e, run, &verdict);
	return ctx_judge_files(judge, ctx_buf_str(&answer->files),
	    &run->recoverable, err);
}

static int
run_command(const struct split_evaluation *e, struct ctx_eval_run *run,
    struct ctx_err *err)
{
	const struct policy_request request = {.policy = run->policy,
	    .budget = run->limit,
	    .dialect = e->session->dialect->name,
	    .input = {e->worker->before.p, e->worker->before.n}};
	struct policy_answer answer;
	int rc;

	memset(&answer, 0, sizeof answer);
	rc = e->worker->options->policies[run->policy].config != NULL
	    ? ctx_policy_prune(e->worker, &request, &answer, err)
	    : ctx_policy_run(e->worker->runner, &request, &answer, err);
	if (rc == 0)
		rc = judge_answer(e, run, &answer, err);
	ctx_policy_answer_release(&answer);
	return rc;
}

/* Copies the results of the previous run.  Used for a command without {budget},
 * whose output is the same for all budgets. */
static int
repeat_run(struct ctx_eval_run *run, struct ctx_err *err)
{
	const struct ctx_eval_run *before = run - 1;

	run->kept = before->kept;
	run->recoverable = before->recoverable;
	run->tokens = before->tokens;
	run->invalid = before->invalid;
	run->seconds = before->seconds;
	return before->failure == NULL ? 0
				       : fail_run(run, before->failure, err);
}

/* Runs one policy with one budget on the messages before a split. */
static int
run_policy(const struct split_evaluation *e, size_t policy, size_t budget,
    struct ctx_err *err)
{
	const struct ctx_eval_config *options = e->worker->options;
	enum ctx_policy_kind kind = options->policies[policy].kind;
	struct ctx_eval_run *run = add_run(e->worker->results, err);
	struct eval_verdict verdict;

	if (run == NULL)
		return -1;
	run->sample = e->sample;
	run->policy = policy;
	run->budget = budget;
	run->limit =
	    e->fixed + e->rest * options->budgets.list[budget] / 100000;
	if (kind == CTX_POLICY_COMMAND)
		return budget > 0 && !options->policies[policy].has_budget
		    ? repeat_run(run, err)
		    : run_command(e, run, err);
	if (ctx_eval_baseline(kind, e->session, e->split, run->limit, &verdict,
		err) < 0)
		return -1;
	fill_run(e, run, &verdict);
	return 0;
}

/* ---- samples ---- */

/* Copies the needed strings (those from before the split that messages after
 * the split use) into *sample, so that --needed can print them. */
static int
list_strings(struct ctx_eval_sample *sample, const struct eval_split *split,
    struct ctx_err *err)
{
	sample->strings = calloc(split->n + 1, sizeof *sample->strings);
	if (sample->strings == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < split->n; i++) {
		const struct ctx_str *text = &split->needed[i].text;

		sample->strings[i] = strndup(text->p, text->n);
		if (sample->strings[i] == NULL)
			return ctx_err_nomem(err);
	}
	return 0;
}

static int
add_sample(struct split_evaluation *e, struct ctx_err *err)
{
	struct ctx_eval_results *results = e->worker->results;

	if (CTX_GROW(results->samples, results->samples_cap,
		results->n_samples + 1, err) < 0)
		return -1;
	e->sample = results->n_samples++;
	results->samples[e->sample] =
	    (struct ctx_eval_sample){.file = e->session->file,
		.line = e->session->line,
		.split = e->split->share,
		.session = results->sessions,
		.messages = e->split->at,
		.tokens = e->fixed + e->rest,
		.needed = e->split->n};
	return e->worker->options->lists_needed
	    ? list_strings(&results->samples[e->sample], e->split, err)
	    : 0;
}

/* Writes the messages before the split, and reads them again as the policies
 * will read them.  Sets *same to false if the number of messages is different,
 * or if a needed string is missing.  Reason: a session file may have branches.
 * Without the lines after the split, another branch may be the one that is sent
 * to the model. */
static int
prepare_split(struct split_evaluation *e, bool *same, struct ctx_err *err)
{
	struct eval_worker *worker = e->worker;
	struct eval_verdict verdict;

	worker->before.n = 0;
	if (ctx_eval_write_before(e->session, e->split->at, &worker->before,
		err) < 0 ||
	    ctx_judge_begin(&worker->judge, e->split, err) < 0 ||
	    ctx_judge_messages(&worker->judge, ctx_buf_str(&worker->before),
		&verdict, err) < 0)
		return -1;
	e->findings = verdict.findings;
	*same = worker->judge.n_seen == e->split->n &&
	    verdict.messages == e->split->at;
	return 0;
}

static int
run_policies(const struct split_evaluation *e, struct ctx_err *err)
{
	const struct ctx_eval_config *options = e->worker->options;
	int rc = 0;

	e->worker->shared = ctx_shared_texts_open(err);
	if (e->worker->shared == NULL)
		return -1;
	for (size_t policy = 0; policy < options->n_policies; policy++)
		for (size_t i = 0; i < options->budgets.n && rc == 0; i++)
			rc = run_policy(e, policy, i, err);
	ctx_shared_texts_close(e->worker->shared);
	return rc;
}

static int
evaluate_split(struct eval_worker *worker, const struct eval_session *session,
    const struct eval_split *split, bool *sampled, struct ctx_err *err)
{
	struct split_evaluation e = {.worker = worker,
	    .session = session,
	    .split = split};
	bool same;

	if (split->n == 0) {
		worker->results->not_needed++;
		return 0;
	}
	e.rest = sum_tokens(session, split->at, &e.fixed);
	worker->judge.dialect = session->dialect;
	if (prepare_split(&e, &same, err) < 0)
		return -1;
	if (!same) {
		worker->results->unlike++;
		return 0;
	}
	*sampled = true;
	return add_sample(&e, err) < 0 ? -1 : run_policies(&e, err);
}

int
ctx_evaluate_session(void *user, const struct eval_session *session,
    struct ctx_err *err)
{
	struct eval_worker *worker = user;
	struct eval_split splits[CTX_EVAL_SHARES];
	struct ctx_intern names = {0};
	size_t n;
	bool sampled = false;
	int rc;

	if (session->cannot_split) {
		worker->results->without_split++;
		return 0;
	}
	n = find_splits(worker, session, splits);
	rc = ctx_find_needed(session, splits, n, &names, err);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = evaluate_split(worker, session, &splits[i], &sampled, err);
	for (size_t i = 0; i < n; i++)
		free(splits[i].needed);
	ctx_intern_release(&names);
	worker->results->sessions += sampled;
	return rc;
}
