/* run_prune.c - implements ctx_prune of ctx.h: removes messages until a
 * conversation fits its budget */
#include <string.h>

#include "api/handles.h"
#include "prune/prune.h"

struct pruning {
	struct api_run run;
	struct ctx_prune_config config;
};

static int
add_outcome(void *user, const struct ctx_prune_outcome *outcome,
    struct ctx_err *err)
{
	struct pruning *pruning = user;
	struct ctx_result *sum = &pruning->run.sum;

	(void)err;
	sum->conversations++;
	sum->messages += outcome->messages;
	sum->removed += outcome->messages_removed;
	sum->tokens_before += outcome->before;
	sum->tokens_after += outcome->after;
	sum->too_long += outcome->over;
	sum->refused += outcome->refused;
	if (outcome->error != NULL && sum->failed++ == 0)
		pruning->run.late = *outcome->error;
	return 0;
}

static int
set_strategy(struct ctx_prune_config *config,
    const struct ctx_prune_options *options, struct ctx_err *err)
{
	static const char *const levels[] = {"balanced", "light", "aggressive",
	    NULL};
	static const enum ctx_level values[] = {CTX_LEVEL_BALANCED,
	    CTX_LEVEL_LIGHT, CTX_LEVEL_AGGRESSIVE};
	struct ctx_prune_settings *settings = &config->settings;
	unsigned level;

	if (options->strategy != NULL)
		settings->strategy = ctx_strategy_find(options->strategy);
	if (settings->strategy == NULL)
		return ctx_err_set(err, CTX_EARG,
		    "option strategy: '%.60s' is unknown; "
		    "ctx_strategy_name() lists the strategies",
		    options->strategy);
	if (ctx_api_choose("level", options->level, levels, &level, err) < 0)
		return -1;
	settings->level = values[level];
	return ctx_api_read_reasoning(options->reasoning, &settings->reasoning,
	    err);
}

/* Converts a number of tokens in the options of a program to a ctx_amount.  In
 * options, 0 means that the library chooses the number, and CTX_NONE means 0
 * tokens. */
static struct ctx_amount
token_amount(uint64_t tokens)
{
	return (struct ctx_amount){.n = ctx_api_number(tokens, 0),
	    .set = tokens != 0};
}

/* Sets *number to the value of an option.  If the value is 0, which means the
 * default, leaves *number unchanged. */
static void
set_number(uint64_t *number, uint64_t value)
{
	*number = ctx_api_number(value, *number);
}

static void
set_numbers(struct ctx_prune_config *config,
    const struct ctx_prune_options *options)
{
	struct ctx_prune_settings *settings = &config->settings;

	config->budget = token_amount(options->budget);
	config->trigger = token_amount(options->trigger);
	config->target = token_amount(options->target);
	config->window = options->window;
	config->summary_tokens = options->summary_tokens;
	set_number(&config->reserve, options->reserve);
	config->quantum = token_amount(options->quantum);
	set_number(&settings->keep_last, options->keep_last);
	settings->shrinks_last = options->keep_last == 0;
	set_number(&settings->keep_turns, options->keep_turns);
	settings->shrinks_turns = options->keep_turns == 0;
	set_number(&settings->keep_first, options->keep_first);
	settings->shrinks_first = options->keep_first == 0;
	set_number(&settings->window_turns, options->window_turns);
	settings->always = options->always;
	settings->pin_system = !options->unpin_system;
	ctx_prune_config_complete(config);
}

static int
configure_prune(struct pruning *pruning,
    const struct ctx_prune_options *options, struct ctx_err *err)
{
	struct ctx_prune_config *config = &pruning->config;

	ctx_prune_config_init(config);
	if (set_strategy(config, options, err) < 0)
		return -1;
	set_numbers(config, options);
	if (options->notice != NULL &&
	    (options->notice[0] == '\0' ||
		ctx_utf8_valid(options->notice, strlen(options->notice),
		    CTX_SIMD_BEST) != strlen(options->notice)))
		return ctx_err_set(err, CTX_EARG,
		    "option notice: must be UTF-8 and not empty");
	config->notice = options->notice;
	config->scorer.query = options->query;
	config->user = pruning;
	config->ended = add_outcome;
	pruning->run.on_change = options->on_change;
	pruning->run.user = options->user;
	if (ctx_api_add_pattern(&config->pin_text, options->pin, err) < 0 ||
	    ctx_api_add_pattern(&config->pin_tool, options->pin_tool, err) <
		0 ||
	    ctx_api_add_pattern(&config->tool, options->tool, err) < 0)
		return -1;
	return ctx_api_add_pattern(&config->not_tool, options->not_tool, err);
}

static int
run_prune(struct pruning *pruning, struct ctx_err *err)
{
	struct ctx_input *input = pruning->run.input;
	int rc;

	pruning->config.report = pruning->run.report;
	rc = ctx_prune_stream(&input->stream, pruning->run.writer,
	    &input->counters, &pruning->config, err);
	return rc < 0 ? rc : ctx_api_fail_late(&pruning->run, err);
}

int
ctx_prune(struct ctx_input *input, struct ctx_output *output,
    const struct ctx_prune_options *options, struct ctx_result *result,
    struct ctx_error *error)
{
	struct pruning pruning = {0};
	struct ctx_prune_options known;
	struct ctx_err err;
	int rc;

	rc = ctx_api_take_options(&known, sizeof known, options, &err);
	if (rc == 0)
		rc = configure_prune(&pruning, &known, &err);
	if (rc == 0)
		rc = ctx_api_begin(&pruning.run, input, output, known.archive,
		    &err);
	if (rc == 0)
		rc = ctx_api_count_ahead(input, &err);
	if (rc == 0)
		rc = run_prune(&pruning, &err);
	ctx_api_release_pattern(&pruning.run, &pruning.config.pin_text);
	ctx_api_release_pattern(&pruning.run, &pruning.config.pin_tool);
	ctx_api_release_pattern(&pruning.run, &pruning.config.tool);
	ctx_api_release_pattern(&pruning.run, &pruning.config.not_tool);
	return ctx_api_end(&pruning.run, rc,
	    pruning.run.sum.too_long + pruning.run.sum.refused > 0, result,
	    error, &err);
}
