/* ctx-cache.c - command that adds prompt-cache breakpoints to conversations, or
 * computes the cost of a change to a request */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache/cache.h"
#include "cli/in_place.h"
#include "cli/option_rows.h"

/* Maximum number of warnings about single conversations that ctx-cache prints.
 * Further warnings are only counted. */
#define MAX_LINES 10

struct cache_command {
	struct cli cli;
	struct ctx_cache_options options;
	unsigned provider, ttl;
	bool provider_given, ttl_given;
	struct cli_report report;
	const char *diff, *price;
	uint64_t breakpoints, conversations, lines;
	/* For each value of enum ctx_cache_status, a bit that is set once this
	 * status was reported to the user, because each status is reported only
	 * once. */
	unsigned reported;
	bool ttl_reported;
};

/* ---- messages ---- */

static void
report_status(struct cache_command *cache, const struct ctx_cache_outcome *o)
{
	const char *model = o->model != NULL ? o->model->name : NULL;
	const struct ctx_breakpoint_format *other =
	    ctx_breakpoint_format_any(o->dialect);

	if (o->status == CTX_CACHE_STATUS_MARKED ||
	    cache->reported >> o->status & 1)
		return;
	cache->reported |= 1u << o->status;
	switch (o->status) {
	case CTX_CACHE_STATUS_NO_FORMAT:
		if (other != NULL)
			cli_say(&cache->cli,
			    "messages of dialect %s get cache breakpoints only "
			    "with --provider %s; nothing is changed",
			    o->dialect->name, other->provider);
		else
			cli_say(&cache->cli,
			    "messages of dialect %s cannot have cache "
			    "breakpoints; nothing is changed",
			    o->dialect->name);
		break;
	case CTX_CACHE_STATUS_AUTO:
		cli_say(&cache->cli,
		    "prompts of %s are cached without breakpoints; nothing is "
		    "changed",
		    model);
		break;
	default:
		/* Warns that no breakpoints were written, because ctx does not
		 * know that the model of the conversation uses breakpoints.  If
		 * o->format is NULL, many providers accept the format of the
		 * conversation.  Then the warning names the model, not a
		 * provider. */
		if (o->format == NULL)
			cli_say(&cache->cli,
			    "%s uses no cache breakpoints; nothing is changed",
			    model);
		else if (model == NULL || model[0] == '\0')
			cli_say(&cache->cli,
			    "nothing is changed, because prompt caches of %s "
			    "need no breakpoints for most models; if your "
			    "model needs breakpoints, name it with -m",
			    o->format->provider);
		else
			cli_say(&cache->cli,
			    "nothing is changed, because model %s probably "
			    "does not use cache breakpoints of provider %s; "
			    "--provider chooses another provider",
			    model, o->format->provider);
		break;
	}
}

static int
on_ended(void *user, const struct ctx_cache_outcome *o, struct ctx_err *err)
{
	struct cache_command *cache = user;
	char place[24] = "";

	(void)err;
	cache->conversations++;
	cache->breakpoints += o->n_breakpoints;
	report_status(cache, o);
	if (o->status == CTX_CACHE_STATUS_MARKED && cache->ttl_given &&
	    !cache->ttl_reported && o->format->values[cache->ttl] == NULL) {
		cli_say(&cache->cli,
		    "--ttl has no effect: with %s all breakpoints have the "
		    "same lifetime",
		    o->format->provider);
		cache->ttl_reported = true;
	}
	if (o->tokens == 0 || cache->lines++ >= MAX_LINES)
		return 0;
	if (o->line > 0)
		(void)snprintf(place, sizeof place, ":%" PRIu64, o->line);
	cli_say(&cache->cli,
	    "%s%s: %" PRIu64
	    " tokens are too few to be cached; %s needs at least %" PRIu32,
	    o->file, place, o->tokens, o->model->name, o->model->cache_least);
	return 0;
}

static void
write_breakpoints(struct cache_command *cache,
    struct ctx_model_counters *counters)
{
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_err err;
	uint64_t before;

	while (cli_next_stream(&cache->cli, &stream, &writer)) {
		before = cache->breakpoints;
		if (ctx_mark_cache(&stream, &writer, counters, &cache->options,
			&err) < 0)
			cli_fail(&cache->cli, &err);
		cli_note_stream(&cache->cli, &stream);
		if (!cache->options.strip)
			cli_describe_change("set %" PRIu64 " breakpoints",
			    cache->breakpoints - before);
		cli_end_stream(&cache->cli, &stream, &writer);
	}
	cli_report_close(&cache->cli, &cache->report, &cache->options.report);
	cli_note_models(&cache->cli, counters);
	if (cache->lines > MAX_LINES)
		cli_say(&cache->cli,
		    "%" PRIu64 " more conversations are too short to be cached",
		    cache->lines - MAX_LINES);
	if (cache->cli.verbose && !cache->options.strip)
		cli_say(&cache->cli,
		    "set %" PRIu64 " breakpoint%s in %" PRIu64
		    " conversation%s",
		    cache->breakpoints, cache->breakpoints == 1 ? "" : "s",
		    cache->conversations, cache->conversations == 1 ? "" : "s");
	cli_status(&cache->cli, cli_end(&cache->cli));
}

/* ---- what a change costs ---- */

/* Reads prices in the form "INPUT,OUTPUT,READ,WRITE" from the command line.
 * The prices are in dollars per million tokens: of input, of output, of reading
 * from the prompt cache, and of writing to the prompt cache.  The last prices
 * may be missing. */
static void
read_prices(struct cache_command *cache, struct ctx_price *price)
{
	uint64_t *const to[] = {&price->in, &price->out, &price->read,
	    &price->write};
	const char *p = cache->price;
	char *end;
	double x;
	size_t i;

	*price = (struct ctx_price){.in = CTX_NO_PRICE,
	    .out = CTX_NO_PRICE,
	    .read = CTX_NO_PRICE,
	    .write = CTX_NO_PRICE};
	for (i = 0; i < 4; i++) {
		x = strtod(p, &end);
		if (end == p || *p == '-' || !(x >= 0 && x <= 1e6) ||
		    (*end != ',' && *end != '\0') || (i == 3 && *end == ','))
			break;
		*to[i] = (uint64_t)(x * 1e6 + 0.5);
		price->write_hour = price->write;
		if (*end == '\0')
			return;
		p = end + 1;
	}
	cli_die(&cache->cli,
	    "--price: '%s' is not a list of dollars per million tokens such as "
	    "3,15,0.3,3.75 (input, output, cache read, cache write)",
	    cache->price);
}

static void
print_json(const struct cache_command *cache, const struct ctx_cache_cost *cost)
{
	bool priced = cost->prices.in != CTX_NO_PRICE;
	const struct ctx_request_prefix_item *at = cost->changed;
	json_t *o = json_pack("{s:{s:I, s:I, s:I}, s:I, s:b, s:b, s:s, s:I, "
			      "s:I, s:I, s:I, s:I}",
	    "shared", "messages", (json_int_t)cost->messages, "bytes",
	    (json_int_t)cost->bytes, "tokens", (json_int_t)cost->tokens,
	    "messages", (json_int_t)cost->all, "grown", cost->is_extension,
	    "exact", cost->basis == CTX_BASIS_EXACT, "basis",
	    ctx_basis_name(cost->basis), "read", (json_int_t)cost->read,
	    "written", (json_int_t)cost->written, "fresh",
	    (json_int_t)cost->fresh, "kept", (json_int_t)cost->reusable,
	    "added", (json_int_t)cost->appended);
	json_t *changed = json_null();
	struct ctx_err err;

	if (at != NULL && at->member != NULL)
		changed = json_pack("{s:o, s:I, s:s}", "file",
		    cli_json_text(at->file, strlen(at->file)), "line",
		    (json_int_t)at->line, "member", at->member);
	else if (at != NULL)
		changed = json_pack("{s:o, s:I, s:I, s:s}", "file",
		    cli_json_text(at->file, strlen(at->file)), "line",
		    (json_int_t)at->line, "index", (json_int_t)at->index,
		    "role", ctx_role_name(at->role));
	o = cli_json_with(o, "changed", changed);
	if (priced && cost->known)
		o = cli_json_with(o, "cost", json_real(cost->cost));
	if (priced && cost->known_unchanged)
		o = cli_json_with(o, "cost_unchanged",
		    json_real(cost->cost_unchanged));
	if (priced && cost->known && cost->known_unchanged)
		o = cli_json_with(o, "calls",
		    cost->breakeven_requests == CTX_NEVER
			? json_null()
			: json_integer((json_int_t)cost->breakeven_requests));
	if (cli_json_line(stdout, CLI_STDOUT, o, JSON_REAL_PRECISION(9), &err) <
	    0)
		cli_fail(&cache->cli, &err);
}

static void
print_tokens(const struct ctx_cache_cost *bill, const char *what,
    uint64_t tokens, const double *cost)
{
	char figure[24];

	(void)snprintf(figure, sizeof figure, "%s%" PRIu64,
	    bill->basis == CTX_BASIS_ESTIMATED && tokens > 0 ? "~" : "",
	    tokens);
	printf("%-11s%12s tokens", what, figure);
	if (cost != NULL)
		printf("  $%9.4f", *cost);
	(void)putchar('\n');
}

static void
print_change(const struct ctx_cache_cost *cost)
{
	const struct ctx_request_prefix_item *at = cost->changed;

	printf("%-11s", cost->is_extension && at != NULL ? "added" : "changed");
	if (at == NULL) {
		puts("nothing");
		return;
	}
	cli_print_masked(stdout, at->file, strlen(at->file));
	printf(":%" PRIu64 " ", at->line);
	if (at->member != NULL)
		puts(at->member);
	else
		printf("message %" PRIu64 ", %s\n", at->index + 1,
		    ctx_role_name(at->role));
}

static void
print_cost(const struct ctx_cache_cost *bill)
{
	const struct ctx_prices *prices = &bill->prices;
	const uint64_t tokens[] = {bill->read, bill->written, bill->fresh};
	const uint64_t price[] = {prices->read, prices->write, prices->in};
	static const char *const names[] = {"read", "written", "fresh"};
	bool priced = prices->in != CTX_NO_PRICE;
	double cost;
	size_t i;

	print_tokens(bill, "shared", bill->tokens, NULL);
	printf("%-11s%12" PRIu64 " bytes, %" PRIu64 " of %" PRIu64
	       " messages\n",
	    "", bill->bytes, bill->messages, bill->all);
	print_change(bill);
	for (i = 0; i < 3; i++) {
		cost = (double)tokens[i] * (double)price[i] / 1e12;
		print_tokens(bill, names[i], tokens[i],
		    priced && (price[i] != CTX_NO_PRICE || tokens[i] == 0)
			? &cost
			: NULL);
	}
	print_tokens(bill, "in all", bill->read + bill->written + bill->fresh,
	    priced && bill->known ? &bill->cost : NULL);
	if (!bill->is_extension)
		print_tokens(bill, "unchanged", bill->reusable + bill->appended,
		    priced && bill->known_unchanged ? &bill->cost_unchanged
						    : NULL);
	if (!priced)
		puts("the prices of the model are not known; see --price");
	if (priced && prices->read == CTX_NO_PRICE)
		puts("the price of cache reads is not known; see --price");
	if (priced && prices->write == CTX_NO_PRICE && bill->writes)
		puts("the price of cache writes is not known; see --price");
	if (bill->is_extension || !priced || !bill->known ||
	    !bill->known_unchanged)
		return;
	printf("%-11s", "pays back");
	if (bill->breakeven_requests == CTX_NEVER)
		puts("never");
	else if (bill->breakeven_requests == 0)
		puts("at once");
	else
		printf("after %" PRIu64 " more request%s\n",
		    bill->breakeven_requests,
		    bill->breakeven_requests > 1 ? "s" : "");
}

static void
print_diff(struct cache_command *cache, struct ctx_model_counters *counters)
{
	struct ctx_request_prefix *earlier, *later;
	struct ctx_hashkey key;
	const struct ctx_request_prefix_options options =
	    {.provider = cache->options.provider, .key = &key};
	struct ctx_price price;
	struct ctx_model given = {.prices = &price, .n_prices = 1};
	struct ctx_pricing pricing = {.ttl = cache->options.ttl,
	    .now = (int64_t)time(NULL)};
	struct ctx_cache_cost cost;
	struct ctx_err err;
	char *old[] = {(char *)cache->diff};

	ctx_hashkey_init(&key);
	earlier = cli_read_request(&cache->cli, counters, &options, old, 1);
	later = cli_read_request(&cache->cli, counters, &options,
	    cache->cli.files, cache->cli.n_files);
	if (cache->price != NULL) {
		read_prices(cache, &price);
		pricing.model = &given;
	}
	if (ctx_request_cost(earlier, later, &pricing, &cost, &err) < 0)
		cli_fail(&cache->cli, &err);
	if (cache->report.json)
		print_json(cache, &cost);
	else
		print_cost(&cost);
	if (!cost.is_extension)
		cli_status(&cache->cli, CLI_NO);
	ctx_request_prefix_close(earlier);
	ctx_request_prefix_close(later);
	cli_note_models(&cache->cli, counters);
	cli_status(&cache->cli, cli_end(&cache->cli));
}

/* ---- options ---- */

/* Exits with an error if the user has given an option that has no effect. */
static void
check_conflicts(const struct cache_command *cache)
{
	const bool strip = cache->options.strip;
	const struct cli_conflict conflicts[] = {
	    {cache->ttl_given, "ttl", strip, "--strip"},
	    {strip, "strip", cache->diff != NULL, "--diff"},
	};

	cli_check_conflicts(&cache->cli, conflicts, CTX_LENGTH(conflicts));
}

static void
parse(struct cache_command *cache, int argc, char **argv)
{
	const struct cli_option options[] = {
	    {0, "provider", "NAME", "anthropic, bedrock, openai (detected)",
		CLI_CHOICE, &cache->provider, ctx_breakpoint_provider,
		&cache->provider_given},
	    {0, "ttl", "TIME", "how long the cache is kept: 5m (default), 1h",
		CLI_CHOICE, &cache->ttl, ctx_ttl_name, &cache->ttl_given},
	    {0, "strip", NULL, "remove breakpoints, set none", CLI_FLAG,
		&cache->options.strip, NULL, NULL},
	    CLI_MODEL(&cache->cli),
	    CLI_CHANGES(&cache->cli, &cache->report),
	    {.type = CLI_HEADING, .help = "The bill"},
	    {0, "diff", "FILE",
		"print the cost of the input after FILE was sent", CLI_FILE,
		&cache->diff, NULL, NULL},
	    {0, "price", "I,O,R,W",
		"$/1M tokens: in, out, read, write (the model's)", CLI_STRING,
		&cache->price, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Input and reports"},
	    CLI_DIALECT(&cache->cli),
	    CLI_ENCODING(&cache->cli),
	    {0, "json", NULL, "with -n or --diff: print the report as JSON",
		CLI_FLAG, &cache->report.json, NULL, NULL},
	    CLI_EXPLAIN(&cache->report),
	    CLI_REST(&cache->cli),
	    {0},
	};

	cli_parse(&cache->cli, options, argc, argv);
	cache->report.by_file = true;
	check_conflicts(cache);
	if (cache->diff == NULL && cache->price != NULL)
		cli_die(&cache->cli, "--price needs --diff");
	if (cache->diff == NULL && cache->report.json && !cache->report.dry_run)
		cli_die(&cache->cli, "--json needs --dry-run or --diff");
	if (cache->diff != NULL &&
	    (cache->report.dry_run || cache->report.explain_path != NULL ||
		cache->report.archive_path != NULL || cache->cli.in_place))
		cli_die(&cache->cli,
		    "--diff changes nothing, so it cannot be combined with "
		    "--dry-run, --explain, --archive or --in-place");
	cache->options.ttl = (enum ctx_ttl)cache->ttl;
	if (cache->provider_given)
		cache->options.provider =
		    ctx_breakpoint_provider(cache->provider);
	cache->options.user = cache;
	cache->options.ended = on_ended;
}

int
main(int argc, char **argv)
{
	struct cache_command cache = {
	    .cli = {
		.name = "ctx-cache",
		.about = "Set prompt-cache breakpoints, or print what a change "
			 "costs.",
		.operands = "[FILE...]",
		.no_means = "the input does not begin with FILE of --diff",
		.examples =
		    "  ctx-cache --provider anthropic chat.jsonl > next.jsonl\n"
		    "  ctx-cache -m claude-opus-4-5 --diff last.json "
		    "now.json\n",
	    }};
	struct ctx_model_counters counters;

	parse(&cache, argc, argv);
	cli_model_counters(&cache.cli, &counters);
	if (cache.diff == NULL)
		cli_report_open(&cache.cli, &cache.report,
		    &cache.options.report);
	cli_sandbox(&cache.cli,
	    &(struct cli_sandbox_grants){.counters = &counters,
		.read = cache.diff});
	if (cache.diff != NULL)
		print_diff(&cache, &counters);
	else
		write_breakpoints(&cache, &counters);
	ctx_model_counters_release(&counters);
	return cache.cli.status;
}
