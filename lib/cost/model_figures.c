/* model_figures.c - a model's prices for a request, its limit, and the names of
 * its rules */
#include "cost/cost.h"
#include "cost/surcharges.h"

#define DAY 86400 /* number of seconds of a day */

/* Returns true if prices apply to a request with this number of input tokens at
 * this time, in seconds since 1970. */
static bool
price_holds(const struct ctx_price *price, int64_t now, uint64_t tokens)
{
	/* 1 January 1970 was a Thursday, day 4. */
	int64_t day = (now / DAY + 3) % 7 + 1, hour = now % DAY / 3600;

	return now >= price->since &&
	    (price->above == 0 || tokens > price->above) &&
	    (price->days == 0 || price->days >> day & 1) &&
	    (price->hours == 0 || price->hours >> hour & 1);
}

const struct ctx_price *
ctx_model_price(const struct ctx_model *model, int64_t now, uint64_t tokens)
{
	const struct ctx_price *best = NULL;
	size_t i;

	if (now < 0)
		now = 0;
	for (i = 0; i < model->n_prices; i++)
		if (price_holds(&model->prices[i], now, tokens))
			best = &model->prices[i];
	return best;
}

uint64_t
ctx_model_limit(const struct ctx_model *model)
{
	return model->input != 0 ? model->input : model->window;
}

const char *
ctx_image_rule_name(unsigned rule)
{
	static const char *const names[] = {"-", "tiles", "patches",
	    "original-patches", "page-patches", "squares", "crops", "fixed",
	    "grid"};

	return rule < CTX_IMAGE_RULES ? names[rule] : NULL;
}

const char *
ctx_tools_rule_name(unsigned rule)
{
	return rule < CTX_TOOLS_RULES ? ctx_surcharges_of(rule)->name : NULL;
}

const char *
ctx_cache_name(unsigned cache)
{
	static const char *const names[] = {"-", "auto", "control",
	    "breakpoint", "point"};

	return cache < CTX_CACHES ? names[cache] : NULL;
}
