/* run_age.c - implements ctx_age and ctx_restore of ctx.h: moves old tool
 * results to files, and puts them back */
#include "age/age.h"
#include "api/handles.h"

#define DEFAULT_SPOOL ".ctx/spool"

static void
keep_first_error(void *user, uint64_t results, const struct ctx_err *why)
{
	struct api_run *run = user;

	(void)results;
	if (run->late.code == CTX_OK)
		run->late = *why;
}

static int
configure_age(struct ctx_age_config *config,
    const struct ctx_age_options *options, struct ctx_err *err)
{
	config->spool = options->spool != NULL ? options->spool : DEFAULT_SPOOL;
	config->format =
	    options->format != NULL ? options->format : "{tool}-{sha256}.md";
	config->media = options->media;
	config->by_results = options->by_results || options->media;
	config->unsent = options->unsent;
	config->keep = ctx_api_number(options->keep,
	    options->unsent && !config->by_results ? 0 : 10);
	config->step = ctx_api_number(options->step, 1);
	config->older = options->older;
	config->over = ctx_api_number(options->over, 4000);
	config->head = ctx_api_number(options->head,
	    config->over / 4 < CTX_AGE_HEAD ? config->over / 4 : CTX_AGE_HEAD);
	config->at_least = options->at_least;
	config->mask = options->mask;
	if (config->step == 0)
		return ctx_err_set(err, CTX_EARG,
		    "option step: must be at least 1");
	if (config->head > CTX_AGE_HEAD)
		return ctx_err_set(err, CTX_EARG,
		    "option head: must be at most %d", CTX_AGE_HEAD);
	if (ctx_api_read_reasoning(options->reasoning, &config->reasoning,
		err) < 0 ||
	    ctx_api_add_pattern(&config->tool, options->tool, err) < 0)
		return -1;
	return ctx_api_add_pattern(&config->not_tool, options->not_tool, err);
}

int
ctx_age(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_age_options *options, struct ctx_result *result,
    struct ctx_error *error)
{
	struct api_run run = {0};
	struct ctx_age_config config = {0};
	struct ctx_age_counts counts = {0};
	struct ctx_age_options known;
	struct ctx_err err;
	int rc;

	rc = ctx_api_take_options(&known, sizeof known, options, &err);
	run.on_change = known.on_change;
	run.user = known.user;
	if (rc == 0)
		rc = configure_age(&config, &known, &err);
	if (rc == 0)
		rc = ctx_api_begin(&run, input, output, known.archive, &err);
	config.report = run.report;
	config.user = &run;
	config.failed = keep_first_error;
	if (rc == 0)
		rc = ctx_age_stream(&input->stream, run.writer,
		    &input->counters, &config, &counts, &err);
	if (rc == 0)
		rc = ctx_api_fail_late(&run, &err);
	run.sum.messages = counts.messages;
	run.sum.changed = counts.results;
	run.sum.failed = counts.failed;
	run.sum.refused = counts.refused;
	ctx_api_release_pattern(&run, &config.tool);
	ctx_api_release_pattern(&run, &config.not_tool);
	return ctx_api_end(&run, rc, counts.refused > 0, result, error, &err);
}

struct restoring {
	struct api_run run;
	/* Numbers of references to stored results. broken: the state of the
	 * reference is not CTX_AGED_WHOLE; foreign: the reference names a file
	 * outside the spool (the directory to which ctx_age moves results). */
	uint64_t broken, foreign;
};

static int
count_reference(void *user, const struct ctx_found_reference *aged,
    struct ctx_err *err)
{
	struct restoring *restoring = user;

	(void)err;
	if (aged->state == CTX_AGED_WHOLE)
		restoring->run.sum.changed++;
	else
		restoring->broken++;
	return 0;
}

static int
count_foreign(void *user, struct ctx_str dir, struct ctx_err *err)
{
	struct restoring *restoring = user;

	(void)dir, (void)err;
	restoring->foreign++;
	return 0;
}

int
ctx_restore(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_restore_options *options, struct ctx_result *result,
    struct ctx_error *error)
{
	struct ctx_restore_config config = {0};
	struct ctx_restore_options known;
	struct restoring restoring = {0};
	struct api_run *run = &restoring.run;
	struct ctx_err err;
	int rc;

	rc = ctx_api_take_options(&known, sizeof known, options, &err);
	run->on_change = known.on_change;
	run->user = known.user;
	if (rc == 0)
		rc = ctx_api_begin(run, input, output, known.archive, &err);
	config.spool = known.spool != NULL ? known.spool : DEFAULT_SPOOL;
	config.user = &restoring;
	config.found = count_reference;
	config.foreign = count_foreign;
	config.report = run->report;
	if (rc == 0)
		rc = ctx_restore_stream(&input->stream, run->writer,
		    &input->counters, &config, &err);
	run->sum.failed = restoring.broken + restoring.foreign;
	return ctx_api_end(run, rc,
	    restoring.broken > 0 ||
		(restoring.foreign > 0 && run->sum.changed == 0),
	    result, error, &err);
}
