/* settings.c - sets the defaults of ctx-prune, and computes budget, trigger,
 * target and quantum for a conversation */
#include <string.h>

#include "prune/prune.h"

void
ctx_prune_config_init(struct ctx_prune_config *options)
{
	struct ctx_prune_settings *settings = &options->settings;

	memset(options, 0, sizeof *options);
	settings->strategy = ctx_strategy_at(0);
	settings->level = CTX_LEVEL_BALANCED;
	settings->shrinks_last = settings->shrinks_turns = true;
	settings->shrinks_first = true;
	settings->keep_turns = 3;
	settings->keep_first = 2;
	settings->window_turns = 10;
	settings->pin_system = true;
	options->reserve = 512;
	options->prompt = "Summarize this conversation history concisely:";
}

void
ctx_prune_config_complete(struct ctx_prune_config *options)
{
	struct ctx_prune_settings *settings = &options->settings;

	if (settings->shrinks_last)
		settings->keep_last = 6 - 2 * (uint64_t)settings->level;
	if (!settings->strategy->pins_system)
		settings->pin_system = false;
	if (!settings->strategy->summarizes)
		settings->trigger_messages = 0;
	if (settings->always || settings->trigger_messages > 0)
		settings->keep_messages = 20;
	options->scorer.whole = settings->level == CTX_LEVEL_LIGHT;
}

/* Default of ctx_prune_settings.quantum in thousandths of a percent of the
 * target. */
enum { DEFAULT_QUANTUM = 33000 };

/* Returns a share of the number "whole". thousandths: the share in thousandths
 * of a percent.  The products fit into 64 bits for the context window of any
 * real model. */
static uint64_t
compute_share(uint64_t whole, uint64_t thousandths)
{
	return whole / 100000 * thousandths +
	    whole % 100000 * thousandths / 100000;
}

static uint64_t
resolve_amount(struct ctx_amount amount, uint64_t whole)
{
	return amount.percent ? compute_share(whole, amount.n) : amount.n;
}

static int
set_budget(const struct ctx_prune_config *options, uint64_t window,
    struct ctx_prune_settings *settings, struct ctx_err *err)
{
	if (options->budget.set && (!options->budget.percent || window > 0)) {
		settings->budget = resolve_amount(options->budget, window);
	} else if (options->budget.set) {
		return ctx_err_set(err, CTX_EARG,
		    "a budget in percent needs a window; give a model or a "
		    "window");
	} else if (!settings->strategy->has_budget ||
	    (settings->always && window == 0)) {
		settings->budget = UINT64_MAX;
	} else if (window == 0) {
		return ctx_err_set(err, CTX_EARG,
		    "no budget; give a budget, a model or a window");
	} else if (window <= options->reserve) {
		return ctx_err_set(err, CTX_EARG,
		    "the reserve of %llu tokens leaves nothing of the context "
		    "window of %llu; lower the reserve",
		    (unsigned long long)options->reserve,
		    (unsigned long long)window);
	} else {
		settings->budget = window - options->reserve;
	}
	return 0;
}

/* Returns the quantum: messages are removed in steps of this many tokens.
 * Returns 0 if messages are not removed in steps.
 *
 * With the default, recorded sessions of agents whose history was pruned for
 * each request cost less than without pruning, at budgets of 20,000 to 100,000
 * tokens (ctx-replay).  With smaller steps some sessions cost more; see
 * NOTES.md and ctx-strategy(7).  The default of the level aggressive is 0,
 * because with steps it could not clear tool results or shorten texts. */
static uint64_t
compute_quantum(const struct ctx_prune_config *options, uint64_t target)
{
	const struct ctx_prune_settings *settings = &options->settings;

	if (!settings->strategy->has_steps)
		return 0;
	if (options->quantum.set)
		return resolve_amount(options->quantum, target);
	return settings->level == CTX_LEVEL_AGGRESSIVE
	    ? 0
	    : compute_share(target, DEFAULT_QUANTUM);
}

/* Sets the maximum number of tokens of a summary, and the number of tokens that
 * are reserved for the summary's message (text, role and delimiters). */
static void
set_summary_tokens(const struct ctx_prune_config *options,
    struct ctx_prune_settings *settings)
{
	uint64_t tokens = options->summary_tokens;

	settings->summary_tokens = settings->reserved = 0;
	if (tokens == 0 && options->summarizer.line == NULL)
		return;
	if (tokens == 0 && settings->target < UINT64_MAX)
		tokens = settings->target / 20;
	if (options->summary_tokens == 0 && tokens < CTX_LEAST_SUMMARY)
		tokens = CTX_LEAST_SUMMARY;
	settings->summary_tokens = tokens;
	settings->reserved = tokens + CTX_SUMMARY_FRAME;
}

int
ctx_prune_settings_for(const struct ctx_prune_config *options,
    const struct ctx_model *model, struct ctx_prune_settings *settings,
    struct ctx_err *err)
{
	uint64_t window = options->window;

	*settings = options->settings;
	settings->knows_model =
	    model != NULL && strcmp(model->vendor, "unknown") != 0;
	settings->keeps_reasoning = model != NULL && model->wants_reasoning;
	/* Claude thinks only in manual mode up to version 4.5, which is also
	 * the last to take a prefilled answer (platform.claude.com,
	 * "Troubleshooting thinking", November 2026). */
	settings->keeps_opening = model != NULL && model->takes_prefill &&
	    strcmp(model->vendor, "anthropic") == 0;
	/* No user message may directly follow a tool result, so the last group
	 * of a turn, which has the answer, must be kept. */
	settings->alternates = model != NULL && model->answers_results;
	if (window == 0 && model != NULL)
		window = ctx_model_limit(model);
	if (set_budget(options, window, settings, err) < 0)
		return -1;
	settings->trigger = settings->budget;
	if (options->trigger.set)
		settings->trigger =
		    resolve_amount(options->trigger, settings->budget);
	if (options->trigger_tokens > 0 &&
	    options->trigger_tokens < settings->trigger)
		settings->trigger = options->trigger_tokens;
	settings->target = settings->budget;
	if (settings->target > settings->trigger)
		settings->target = settings->trigger;
	if (options->target.set)
		settings->target =
		    resolve_amount(options->target, settings->budget);
	settings->quantum = compute_quantum(options, settings->target);
	set_summary_tokens(options, settings);
	if (settings->target > settings->trigger)
		return ctx_err_set(err, CTX_EARG,
		    "the target of %llu tokens is above the trigger of %llu; "
		    "lower the target or raise the trigger",
		    (unsigned long long)settings->target,
		    (unsigned long long)settings->trigger);
	if (settings->trigger > settings->budget)
		return ctx_err_set(err, CTX_EARG,
		    "the trigger of %llu tokens is above the budget of %llu; "
		    "lower the trigger or raise the budget",
		    (unsigned long long)settings->trigger,
		    (unsigned long long)settings->budget);
	return 0;
}

void
ctx_prune_settings_see(struct ctx_prune_settings *settings,
    const struct ctx_message *message)
{
	settings->alternates |= (message->dialect->rules & CTX_ALTERNATES) != 0;
	settings->keeps_reasoning |= !settings->knows_model &&
	    (message->dialect->rules & CTX_WANTS_REASONING) != 0;
	settings->whole_turns |=
	    ctx_message_has(message, CTX_BLOCK_TOOL_CALL) ||
	    ctx_message_has(message, CTX_BLOCK_TOOL_RESULT);
}
