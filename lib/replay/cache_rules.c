/*
 * cache_rules.c - how the prompt caches of providers store prompts
 *
 * The rules agree with the guides of the providers on prompt caching and, where
 * these say nothing, with recorded sessions, both of November 2026.
 */
#include <string.h>

#include "replay/recorded_session.h"

#define MINUTE INT64_C(60000)
#define HOUR   (60 * MINUTE)

/* The provider finds a stored beginning of a prompt only if at most 15 + 20
 * content blocks come after it in the prompt. ctx-cache sets one breakpoint at
 * the end of the prompt and another 15 blocks earlier, and the provider
 * searches the 20 blocks before each breakpoint. */
#define MARKED_REACH 35

/* Rules of providers whose caches need no breakpoints.  The first row holds
 * whose vendor is that of the model, and whose name is the beginning of the
 * model's name.
 *
 * OpenAI: measured in November 2026 in 10,801 cache reads that Codex (3,574),
 * pi (2,589) and opencode (4,638) recorded in 2026.  Each is a multiple of the
 * step after the offset: 384 of 512 for gpt-5.5 in Codex, 512 (pi) or 768
 * (Codex) of 1,024 for gpt-5.6, otherwise 0.  With the right rule about the
 * response, and with this number of unread tokens, most reads within 5 minutes
 * agree to the token: 97 % of 1,605 for gpt-5.6 in pi (72 % if the response
 * were stored), 84 % of 2,413 for gpt-5.5 in Codex (50 %), 89 % of 177 for
 * gpt-5.3-codex-spark (24 %), 54 % of 4,833 for gpt-5.3-codex in opencode (14 %
 * if it were not stored).  The guide promises 30 minutes for gpt-5.6.  After
 * pauses of 5 to 30 minutes 110 of 139 prompts were still stored; after 30 to
 * 60 minutes 9 of 19, later none of 24.
 *
 * OpenAI does not always read the newest prompt that it has stored.  Of prompts
 * that continue the one before within a minute, fewer tokens than expected were
 * read for 1.2 % of 1,638 (gpt-5.6), 7.4 % of 3,979 (other models) and 33 % of
 * 5,059 in opencode, whose gateway may have several accounts. 83 % of these
 * reads are 0, as many as of the session's first request, or differ by at most
 * 128 from the tokens of an older prompt.
 *
 * Google: measured in 276 cache reads of gemini-3-flash in 14 sessions of pi,
 * April 2026.  Steps are in tokens of Google's, of which 0.99 to 1.06 are
 * billed; with the scale of the read before, 86 % are equal within 2 %. Nothing
 * was read for 26 of 276: the guide promises no reads. */
static const struct vendor_rules {
	const char *vendor, *name;
	struct cache_rules rules;
} vendors[] = {
    {"openai", "gpt-5.6",
	{.step = 1024, .least = 1024, .unread = 80, .lifetime = 30 * MINUTE}},
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

/* Fits the steps to a cache read, which is a whole number of steps after the
 * offset. */
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
