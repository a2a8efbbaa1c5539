/* run_count.c - implements ctx_count of ctx.h: counts the tokens of
 * conversations */
#include "api/handles.h"
#include "count/count.h"

struct counting {
	struct api_run run;
	struct ctx_count_options options;
};

static int
pass_conversation(void *user, const struct ctx_token_stats *stats,
    struct ctx_err *err)
{
	struct counting *counting = user;
	struct ctx_conversation_info known = {.size = sizeof known,
	    .file = stats->file,
	    .line = stats->line,
	    .encoding = stats->encoding,
	    .messages = stats->messages,
	    .turns = stats->turns,
	    .tokens = stats->tokens,
	    .estimated = stats->estimated,
	    .system = stats->overhead.system,
	    .tools = stats->overhead.tools,
	    .framing = stats->framing};

	if (stats->dialect == NULL)
		return 0;
	known.dialect = stats->dialect->name;
	known.window = stats->model != NULL ? stats->model->window : 0;
	counting->run.sum.conversations++;
	counting->run.sum.messages += stats->messages;
	counting->run.sum.tokens_before += stats->tokens;
	if (counting->options.on_conversation == NULL)
		return 0;
	if (ctx_api_copy_name(&counting->run, stats->model_name, &known.model,
		err) < 0)
		return -1;
	return counting->options.on_conversation(counting->options.user,
		   &known) == 0
	    ? 0
	    : ctx_api_stop(err);
}

int
ctx_count(struct ctx_input *input, const struct ctx_count_options *options,
    struct ctx_result *result, struct ctx_error *error)
{
	struct counting counting = {0};
	const struct ctx_count_hooks hooks = {.user = &counting,
	    .ended = pass_conversation};
	struct ctx_err err;
	int rc;

	rc = ctx_api_take_options(&counting.options, sizeof counting.options,
	    options, &err);
	if (rc == 0)
		rc = ctx_api_begin(&counting.run, input, NULL, NULL, &err);
	if (rc == 0)
		rc = ctx_api_count_ahead(input, &err);
	if (rc == 0)
		rc = ctx_count_stream(&input->stream, &input->counters, &hooks,
		    &err);
	return ctx_api_end(&counting.run, rc, false, result, error, &err);
}
