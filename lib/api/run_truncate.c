/* run_truncate.c - implements ctx_truncate of ctx.h: shortens long texts in
 * messages */
#include "api/handles.h"
#include "truncate/truncate.h"

static int
configure_truncate(struct ctx_truncate_config *config,
    const struct ctx_truncate_options *options, struct ctx_err *err)
{
	static const char *const units[] = {"chars", "bytes", "tokens", "lines",
	    NULL};
	static const char *const keeps[] = {"ends", "head", "tail", NULL};
	unsigned unit, keep;

	_Static_assert(CTX_SIZE_CHARS == 0 && CTX_SIZE_BYTES == 1 &&
		CTX_SIZE_TOKENS == 2 && CTX_SIZE_LINES == 3 &&
		CTX_KEEP_ENDS == 0 && CTX_KEEP_HEAD == 1 && CTX_KEEP_TAIL == 2,
	    "the names are in the order of their enums");
	if (ctx_api_choose("unit", options->unit, units, &unit, err) < 0 ||
	    ctx_api_choose("keep", options->keep, keeps, &keep, err) < 0 ||
	    ctx_api_read_reasoning(options->reasoning, &config->reasoning,
		err) < 0)
		return -1;
	if (options->head > 1000000 || options->tail > 1000000)
		return ctx_err_set(err, CTX_EARG,
		    "options head and tail: each at most 1,000,000");
	config->unit = (enum ctx_size)unit;
	config->keep = (enum ctx_keep)keep;
	config->head = options->head + options->tail > 0 ? options->head : 3;
	config->tail = options->head + options->tail > 0 ? options->tail : 1;
	config->limit = ctx_api_number(options->limit, 20000);
	config->message = options->message;
	config->args = options->arguments;
	config->media = options->keep_media != 0;
	config->keep_media = ctx_api_number(options->keep_media, 0);
	config->unsent = options->unsent;
	if (ctx_api_add_pattern(&config->tool, options->tool, err) < 0)
		return -1;
	return ctx_api_add_pattern(&config->not_tool, options->not_tool, err);
}

int
ctx_truncate(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_truncate_options *options, struct ctx_result *result,
    struct ctx_error *error)
{
	struct ctx_truncate_config config = {0};
	struct ctx_truncate_counts counts = {0};
	struct ctx_truncate_options known;
	struct api_run run = {0};
	struct ctx_err err;
	int rc;

	rc = ctx_api_take_options(&known, sizeof known, options, &err);
	run.on_change = known.on_change;
	run.user = known.user;
	if (rc == 0)
		rc = configure_truncate(&config, &known, &err);
	if (rc == 0)
		rc = ctx_api_begin(&run, input, output, known.archive, &err);
	config.report = run.report;
	if (rc == 0)
		rc = ctx_truncate_stream(&input->stream, run.writer,
		    &input->counters, &config, &counts, &err);
	run.sum.changed =
	    counts.results + counts.messages + counts.calls + counts.media;
	run.sum.refused = counts.refused;
	ctx_api_release_pattern(&run, &config.tool);
	ctx_api_release_pattern(&run, &config.not_tool);
	return ctx_api_end(&run, rc, counts.refused > 0, result, error, &err);
}
