/*
 * cache_rules.c - how the prompt caches of providers store prompts
 *
 * The rules agree with the guides of the providers on prompt caching and, where
 * these say nothing, with recorded sessions (NOTES.md).
 */
#include <string.h>

#include "replay/recorded_session.h"

#define MINUTE INT64_C(60000)
#define HOUR   (60 * MINUTE)

/* Anthropic and Amazon search the 20 content blocks before each breakpoint for
 * the end of a stored prompt.  ctx-cache sets one breakpoint at the end of the
 * prompt and another 15 blocks earlier.  So a stored beginning of a prompt is
 * found if at most 35 content blocks come after it. */
#define MARKED_REACH 35

/* Rules of providers whose prompt caches need no breakpoints.  For a model, the
 * first row applies that has the model's vendor and a beginning of the model's
 * name.  The numbers were measured on recorded sessions (NOTES.md). */
static const struct vendor_rules {
	const char *vendor, *name;
	struct cache_rules rules;
} vendors[] = {
    {"openai", "gpt-5.6-terra",
	{.step = 512, .least = 1024, .unread = 112, .lifetime = 30 * MINUTE}},
    {"openai", "gpt-5.6",
	{.step = 1024, .least = 1024, .unread = 80, .lifetime = 30 * MINUTE}},
    /* not measured: presumed to be as gpt-5.6 */
    {"openai", "gpt-6",
	{.step = 1024, .least = 1024, .unread = 80, .lifetime = 30 * MINUTE}},
    {"openai", "codex-auto-review",
	{.step = 512, .least = 1024, .unread = 56, .lifetime = 30 * MINUTE}},
    {"openai", "gpt-5.5",
	{.step = 512, .least = 1024, .lifetime = 30 * MINUTE}},
    {"openai", "gpt-5.3-codex-spark",
	{.step = 128, .least = 1024, .lifetime = 30 * MINUTE}},
    {"openai", "",
	{.step = 128,
	    .least = 1024,
	    .unread = 64,
	    .stores_response = true,
	    .lifetime = 30 * MINUTE}},
    {"google", "", {.step = 8192, .small_step = 2048, .lifetime = 5 * MINUTE}},
    {"deepseek", "",
	{.step = 64,
	    .least = 64,
	    .unread = 64,
	    .stores_response = true,
	    .lifetime = 24 * HOUR}},
};

/* Returns the rules of the vendor of a model, or NULL if the table has none.
 * model may be NULL. */
static const struct cache_rules *
find_vendor_rules(const struct ctx_model *model)
{
	const struct vendor_rules *row;

	for (size_t i = 0; model != NULL && i < CTX_LENGTH(vendors); i++) {
		row = &vendors[i];
		if (strcmp(model->vendor, row->vendor) == 0 &&
		    strncmp(model->name, row->name, strlen(row->name)) == 0)
			return &row->rules;
	}
	return NULL;
}

/* Sets the offset or, if the steps are in tokens of another kind than those
 * that are billed, multiplies the steps by a factor, so that a recorded cache
 * read is the offset plus a multiple of a step. */
static void
fit_steps(struct cache_rules *rules, uint64_t read)
{
	uint64_t step = rules->step, number;
	double scale;

	if (rules->small_step == 0) {
		rules->offset = read % rules->step;
		return;
	}
	if (read + rules->small_step / 2 < rules->step)
		step = rules->small_step;
	number = (read + step / 2) / step;
	if (number == 0)
		return;
	scale = (double)read / (double)(number * step);
	rules->step = (uint64_t)(scale * (double)rules->step);
	rules->small_step = (uint64_t)(scale * (double)rules->small_step);
}

void
ctx_cache_rules_of(const struct replay_request *request,
    struct cache_rules *rules)
{
	const struct ctx_model *model = request->model;
	const struct cache_rules *row = find_vendor_rules(model);
	enum ctx_cache_kind kind =
	    model == NULL ? CTX_CACHE_AUTO : model->cache;

	*rules = row != NULL ? *row
			     : (struct cache_rules){.step = 1,
				   .stores_response = true,
				   .lifetime = 5 * MINUTE};
	if (model != NULL && model->cache_least > 0)
		rules->least = model->cache_least;
	if (kind == CTX_CACHE_CONTROL || kind == CTX_CACHE_POINT) {
		rules->is_marked = rules->writes = true;
		rules->reach = MARKED_REACH;
		rules->lifetime = request->hour ? HOUR : 5 * MINUTE;
	}
	/* A provider that reports what it writes has stored whole prompts
	 * (litellm PR 37628: a prompt of 7,540 tokens wrote 7,537, all of which
	 * were read). */
	if (kind == CTX_CACHE_BREAKPOINT && !request->writes_nothing) {
		rules->writes = true;
		rules->step = 1;
		rules->unread = 0;
	}
	fit_steps(rules, request->last_read);
}

uint64_t
ctx_cache_round(const struct cache_rules *rules, uint64_t tokens)
{
	uint64_t step = rules->small_step > 0 && tokens < rules->step
	    ? rules->small_step
	    : rules->step;

	return tokens > rules->offset ? tokens - (tokens - rules->offset) % step
				      : tokens;
}
