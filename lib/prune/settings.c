/* settings.c - amounts as people give them, worked out for one conversation */
#include "prune/prune.h"

/* Thousandths of a percent of a whole; exact beyond any real window. */
static uint64_t
share(uint64_t whole, uint64_t thousandths)
{
	return whole / 100000 * thousandths +
	    whole % 100000 * thousandths / 100000;
}

static uint64_t
work_out(struct ctx_amount amount, uint64_t whole)
{
	return amount.percent ? share(whole, amount.n) : amount.n;
}

static int
set_budget(const struct ctx_prune_options *options, uint64_t window,
    struct ctx_prune_settings *limits, struct ctx_err *err)
{
	if (options->budget.set && (!options->budget.percent || window > 0)) {
		limits->budget = work_out(options->budget, window);
	} else if (options->budget.set) {
		return ctx_err_set(err, CTX_EARG,
		    "a budget in percent needs a window; give --model or "
		    "--window");
	} else if (!limits->policy->bounded ||
	    (limits->always && window == 0)) {
		limits->budget = UINT64_MAX;
	} else if (window == 0) {
		return ctx_err_set(err, CTX_EARG,
		    "no budget; give --budget, --model or --window");
	} else if (window <= options->reserve) {
		return ctx_err_set(err, CTX_EARG,
		    "the reserve of %llu leaves nothing of a window of %llu",
		    (unsigned long long)options->reserve,
		    (unsigned long long)window);
	} else {
		limits->budget = window - options->reserve;
	}
	return 0;
}

int
ctx_prune_settings_for(const struct ctx_prune_options *options,
    const struct ctx_model *model, struct ctx_prune_settings *limits,
    struct ctx_err *err)
{
	uint64_t window = options->window;

	*limits = options->limits;
	if (window == 0 && model != NULL)
		window = ctx_model_limit(model);
	if (set_budget(options, window, limits, err) < 0)
		return -1;
	limits->trigger = limits->budget;
	if (options->trigger.set)
		limits->trigger = work_out(options->trigger, limits->budget);
	else if (limits->policy->trigger > 0)
		limits->trigger =
		    share(limits->budget, limits->policy->trigger);
	if (options->trigger_tokens > 0 &&
	    options->trigger_tokens < limits->trigger)
		limits->trigger = options->trigger_tokens;
	limits->target = limits->budget;
	if (limits->level == CTX_LEVEL_AGGRESSIVE)
		limits->target = limits->budget / 2;
	if (limits->target > limits->trigger)
		limits->target = limits->trigger;
	if (options->target.set)
		limits->target = work_out(options->target, limits->budget);
	if (limits->target > limits->trigger)
		return ctx_err_set(err, CTX_EARG,
		    "the target of %llu is above the trigger of %llu",
		    (unsigned long long)limits->target,
		    (unsigned long long)limits->trigger);
	if (limits->trigger > limits->budget)
		return ctx_err_set(err, CTX_EARG,
		    "the trigger of %llu is above the budget of %llu",
		    (unsigned long long)limits->trigger,
		    (unsigned long long)limits->budget);
	return 0;
}
