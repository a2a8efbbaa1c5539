/* prune_session.c - applies a policy that consists of options of ctx-prune,
 * without starting a process */
#include <stdio.h>
#include <string.h>

#include "eval/evaluate_session.h"

static int
add_output(void *user, const char *p, size_t n)
{
	struct ctx_err err;

	return ctx_buf_add(user, p, n, &err);
}

static void
fail_answer(struct policy_answer *answer, const struct ctx_err *why)
{
	(void)snprintf(answer->failure, sizeof answer->failure, "%s",
	    why->text);
}

static int
end_conversation(void *user, const struct ctx_prune_outcome *outcome,
    struct ctx_err *err)
{
	(void)err;
	if (outcome->error != NULL)
		fail_answer(user, outcome->error);
	return 0;
}

static int
prune_text(const struct eval_worker *worker, struct ctx_prune_config *config,
    struct ctx_str text, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_stream stream = {.forced = worker->options->dialect};
	struct ctx_writer writer;
	int rc;

	if (ctx_reader_open_text(&stream.reader, "the session", text, err) < 0)
		return -1;
	ctx_reader_set_lenient(stream.reader, worker->options->lenient);
	ctx_writer_init_callback(&writer, add_output, out);
	rc = ctx_prune_stream(&stream, &writer, worker->counters, config, err);
	if (rc == 0)
		rc = ctx_writer_flush(&writer, err);
	ctx_writer_release(&writer);
	ctx_reader_close(stream.reader);
	ctx_stream_release(&stream);
	return rc;
}

int
ctx_policy_prune(const struct eval_worker *worker,
    const struct policy_request *request, struct policy_answer *answer,
    struct ctx_err *err)
{
	struct ctx_prune_config config =
	    *worker->options->policies[request->policy].config;
	int64_t start = worker->options->clock();
	int rc;

	config.budget = (struct ctx_amount){.n = request->budget, .set = true};
	config.scorer.shared = worker->shared;
	config.user = answer;
	config.ended = end_conversation;
	rc = prune_text(worker, &config, request->input, &answer->out, err);
	answer->seconds = (double)(worker->options->clock() - start) / 1e9;
	if (rc == 0 || err->code == CTX_ENOMEM)
		return rc;
	fail_answer(answer, err);
	return 0;
}
