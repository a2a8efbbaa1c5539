/* run_check.c - implements ctx_check of ctx.h: finds and repairs what providers
 * refuse in conversations */
#include "api/handles.h"
#include "check/check.h"

struct checking {
	struct api_run run;
	struct ctx_check_options options;
};

static int
pass_finding(struct checking *checking, const struct ctx_finding *finding,
    const char *action, struct ctx_err *err)
{
	const struct ctx_finding_info known = {.size = sizeof known,
	    .file = finding->place.file,
	    .line = finding->place.line,
	    .index = finding->place.message,
	    .rule = ctx_rule_at(finding->id)->id,
	    .text = finding->what,
	    .action = action};

	if (checking->options.on_finding == NULL ||
	    checking->options.on_finding(checking->options.user, &known) == 0)
		return 0;
	return ctx_api_stop(err);
}

static int
count_finding(void *user, const struct ctx_finding *finding,
    struct ctx_err *err)
{
	struct checking *checking = user;

	checking->run.sum.findings++;
	return pass_finding(checking, finding, NULL, err);
}

static int
pass_fix(void *user, const struct ctx_change *fix, struct ctx_err *err)
{
	struct checking *checking = user;

	return pass_finding(checking, fix->finding, fix->action, err);
}

static int
configure_check(struct checking *checking, struct ctx_check_config *config,
    struct ctx_err *err)
{
	const struct ctx_check_options *options = &checking->options;

	if (options->provider != NULL) {
		config->provider = ctx_provider_find(options->provider);
		if (config->provider == NULL)
			return ctx_err_set(err, CTX_EARG,
			    "option provider: '%.60s' is unknown; "
			    "ctx_provider_name() lists the providers",
			    options->provider);
	}
	config->allow_pending = options->allow_pending;
	config->schema = options->schema;
	config->user = checking;
	config->on_finding = count_finding;
	config->report =
	    (struct ctx_report){.user = checking, .on_change = pass_fix};
	return ctx_api_read_reasoning(options->reasoning, &config->reasoning,
	    err);
}

int
ctx_check(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_check_options *options, struct ctx_result *result,
    struct ctx_error *error)
{
	struct checking checking = {0};
	struct ctx_check_config config = {0};
	struct ctx_result *sum = &checking.run.sum;
	struct ctx_err err;
	int rc;

	rc = ctx_api_take_options(&checking.options, sizeof checking.options,
	    options, &err);
	if (rc == 0)
		rc = configure_check(&checking, &config, &err);
	if (rc == 0)
		rc = ctx_api_begin(&checking.run, input, output,
		    checking.options.archive, &err);
	if (rc == 0) {
		config.counters = &input->counters;
		config.report.archive = checking.run.report.archive;
		rc = ctx_check_stream(&input->stream, checking.run.writer,
		    &config, &err);
	}
	sum->messages = config.messages;
	sum->refused = config.refused;
	sum->repaired = config.repaired;
	return ctx_api_end(&checking.run, rc, sum->findings + sum->refused > 0,
	    result, error, &err);
}
