/*
 * request_diff.c - finds the common beginning of two requests, and what the
 * difference costs
 *
 * Each request was read as a list of items, its members and messages
 * (read_request.c).  Two items are equal if their hashes are equal.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/request_prefix.h"

/* ---- cost ---- */

/* Returns the prices of a request with this number of input tokens. later: the
 * later of the two compared requests.  If pricing names no model, returns the
 * prices of the later request's model.  The dialect (format) of the later
 * request decides whether a request can choose how long the provider caches
 * it. */
static struct ctx_prices
find_prices(const struct ctx_pricing *pricing,
    const struct ctx_request_prefix *later, uint64_t tokens)
{
	const struct ctx_breakpoint_format *format = later->run.format;
	const struct ctx_model *model = pricing->model != NULL
	    ? pricing->model
	    : later->run.model_counter.model;
	const struct ctx_price *price =
	    model == NULL ? NULL : ctx_model_price(model, pricing->now, tokens);
	bool hour = pricing->ttl == CTX_TTL_1H && format != NULL &&
	    format->values[CTX_TTL_1H] != NULL;

	if (price == NULL)
		return (struct ctx_prices){CTX_NO_PRICE, CTX_NO_PRICE,
		    CTX_NO_PRICE};
	return (struct ctx_prices){price->in, price->read,
	    hour ? price->write_hour : price->write};
}

/* Returns the number of items (members of the request, messages) in the common
 * beginning of two requests. */
static size_t
count_shared(const struct ctx_request_prefix *a,
    const struct ctx_request_prefix *b)
{
	size_t n = 0;

	while (n < a->n && n < b->n && a->items[n].hash == b->items[n].hash)
		n++;
	return n;
}

/* Returns the number of complete messages among the first n items of a request.
 * A message that is split over several records has several items. */
static uint64_t
count_messages(const struct ctx_request_prefix *prefix, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = prefix->n_members; i < n; i++)
		sum += !prefix->items[i].is_continued;
	return sum;
}

static uint64_t
sum_item_tokens(const struct ctx_request_prefix *prefix, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += prefix->items[i].tokens;
	return sum;
}

void
ctx_request_prefix_compare(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later,
    struct ctx_request_prefix_change *change)
{
	size_t n = count_shared(earlier, later), i;

	memset(change, 0, sizeof *change);
	change->appended = n == earlier->n;
	change->messages = count_messages(later, n);
	change->kept = sum_item_tokens(earlier, n);
	change->lost = sum_item_tokens(earlier, earlier->n) - change->kept;
	if (change->appended || n == later->n)
		return;
	change->item = &later->items[n];
	change->line = later->line;
	change->column = later->column;
	change->was =
	    (struct ctx_str){later->earlier_excerpt, later->earlier_excerpt_n};
	change->now =
	    (struct ctx_str){later->later_excerpt, later->later_excerpt_n};
	change->binds = later->binds;
	for (i = n; i < later->n; i++)
		if (i > n ? later->items[i].is_bound : later->is_bound) {
			change->bound = &later->items[i];
			return;
		}
}

/* Returns true if the provider finds the beginning of the request, up to the
 * end of message number m, in its cache.  An earlier request must have cached
 * this beginning.  From each breakpoint the provider searches only a limited
 * number of content blocks back. */
static bool
is_within_lookback(const struct ctx_request_prefix *prefix, uint64_t m)
{
	const struct cache_run *run = &prefix->run;
	const struct cache_entry *entry = ctx_cache_run_at(run, m), *other;
	uint64_t end = entry->first_block + entry->places.blocks, point;

	for (size_t i = 0; i < prefix->points.n; i++) {
		other = ctx_cache_run_at(run, prefix->points.list[i].number);
		point = other->first_block + other->places.blocks -
		    prefix->points.list[i].bit;
		if (prefix->points.list[i].number >= m && point >= end &&
		    point - end <= run->format->lookback)
			return true;
	}
	return false;
}

/* Returns how many items (members and messages) of the common beginning of two
 * requests can be read from the prompt cache. n: number of items in the common
 * beginning.  The common beginning may end before the messages; then only what
 * is before a breakpoint of both requests can be read: the members up to the
 * system prompt or the tools. */
static size_t
count_cached_items(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, size_t n)
{
	if (later->run.status != CTX_CACHE_STATUS_MARKED)
		return n;
	for (; n > later->n_members; n--)
		if (is_within_lookback(later, n - 1 - later->n_members))
			return n;
	if (later->system_end <= n && earlier->points.system != 0 &&
	    later->points.system != 0)
		return later->system_end;
	if (later->tools_end <= n && earlier->points.tools != 0 &&
	    later->points.tools != 0)
		return later->tools_end;
	return 0;
}

/* A message of a request: its hash, and its index in the request's items. */
struct hashed_message {
	uint64_t hash;
	size_t item;
};

static int
compare_hashed_messages(const void *a, const void *b)
{
	const struct hashed_message *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

/* Finds the last message of a request that has this hash.  Returns its index in
 * the items of the request, plus 1, or 0 if no message has the hash. list: the
 * n messages of the request, sorted by hash and index. */
static size_t
find_after_last(const struct hashed_message *list, size_t n, uint64_t hash)
{
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (list[middle].hash <= hash)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && list[low - 1].hash == hash ? list[low - 1].item + 1
						     : 0;
}

/* Sets cost->appended to the number of tokens of the new messages: the messages
 * of the later request after the newest message of the earlier request that the
 * later request also contains.  If the requests have no message in common, sets
 * cost->appended to 0. */
static int
set_appended(struct ctx_cache_cost *cost,
    const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, struct ctx_err *err)
{
	struct hashed_message *list = malloc((later->n + 1) * sizeof *list);
	size_t n = 0, start = 0;

	if (list == NULL)
		return ctx_err_nomem(err);
	for (size_t i = later->n_members; i < later->n; i++)
		list[n++] = (struct hashed_message){later->items[i].hash, i};
	qsort(list, n, sizeof *list, compare_hashed_messages);
	for (size_t i = earlier->n; start == 0 && i > earlier->n_members; i--)
		start = find_after_last(list, n, earlier->items[i - 1].hash);
	free(list);
	cost->appended = start == 0
	    ? 0
	    : sum_item_tokens(later, later->n) - sum_item_tokens(later, start);
	return 0;
}

static double
compute_dollars(uint64_t tokens, uint64_t price)
{
	return (double)tokens * (double)price / 1e12;
}

/* Returns true if the cost of a number of tokens is known: the price is known,
 * or the number is 0. */
static bool
is_priced(uint64_t tokens, uint64_t price)
{
	return tokens == 0 || price != CTX_NO_PRICE;
}

/* A change may make the cached part of requests shorter, and so each later
 * request cheaper.  Returns the number of later requests after which the
 * savings have paid for the change, or CTX_NEVER if they never do. unchanged:
 * prices of the request without the change. tokens: number of tokens of the
 * changed request. */
static uint64_t
count_breakeven_requests(const struct ctx_cache_cost *cost,
    const struct ctx_prices *unchanged, uint64_t tokens)
{
	double more = cost->cost - cost->cost_unchanged, calls;
	double saved =
	    compute_dollars(cost->reusable + cost->appended, unchanged->read) -
	    compute_dollars(tokens, cost->prices.read);

	if (more <= 0)
		return 0;
	calls = saved > 0 ? more / saved : 1e18;
	if (calls >= 1e18)
		return CTX_NEVER;
	return (uint64_t)calls + (calls > (double)(uint64_t)calls);
}

/* Sets the members of *cost that describe the common beginning of two requests:
 * their first n items (members and messages). */
static void
set_shared(struct ctx_cache_cost *cost,
    const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, size_t n)
{
	cost->messages = count_messages(later, n);
	cost->all = count_messages(later, later->n);
	cost->tokens = sum_item_tokens(later, n);
	for (size_t i = 0; i < n; i++)
		cost->bytes += later->items[i].bytes;
	cost->is_extension = n == earlier->n;
	if (n < later->n)
		cost->changed = &later->items[n];
	cost->basis =
	    earlier->basis > later->basis ? earlier->basis : later->basis;
}

/* Returns true if sending the request writes it to the provider's cache,
 * because the request would have breakpoints: those that ctx_mark_cache sets
 * or, if the request was read from the session file of an agent, those that
 * agents set when they send a session to a Claude model. */
static bool
has_breakpoints(const struct cache_run *run)
{
	const struct ctx_model *model = run->model_counter.model;

	return run->status == CTX_CACHE_STATUS_MARKED ||
	    (run->dialect->history != CTX_HISTORY_NONE && model != NULL &&
		model->cache == CTX_CACHE_CONTROL);
}

/* Sets how many tokens of the later request are read from the cache, written to
 * the cache, and sent without use of the cache. n: number of items (members and
 * messages) in the common beginning of the requests. */
static void
set_cached_tokens(struct ctx_cache_cost *cost,
    const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, size_t n)
{
	const struct ctx_model *model = later->run.model_counter.model;
	uint64_t least = model != NULL ? model->cache_least : 0;

	cost->read = n == earlier->n && n == later->n
	    ? later->tokens
	    : sum_item_tokens(later, count_cached_items(earlier, later, n));
	if (cost->read < least)
		cost->read = 0;
	cost->fresh = later->tokens - cost->read;
	cost->writes = has_breakpoints(&later->run);
	if (cost->writes && later->tokens >= least) {
		cost->written = cost->fresh;
		cost->fresh = 0;
	}
	cost->reusable = earlier->tokens;
}

/* Computes what the input of the later request costs in dollars, and what it
 * would cost if the request only appended messages to the earlier request.
 * Also sets whether all needed prices are known. unchanged: prices of a request
 * that only appends messages. */
static void
set_dollars(struct ctx_cache_cost *cost, const struct ctx_prices *unchanged)
{
	const struct ctx_prices *prices = &cost->prices;
	uint64_t write = cost->writes ? prices->write : prices->in;
	uint64_t append = cost->writes ? unchanged->write : unchanged->in;

	cost->cost = compute_dollars(cost->read, prices->read) +
	    compute_dollars(cost->written, write) +
	    compute_dollars(cost->fresh, prices->in);
	cost->cost_unchanged =
	    compute_dollars(cost->reusable, unchanged->read) +
	    compute_dollars(cost->appended, append);
	cost->known = is_priced(cost->read, prices->read) &&
	    is_priced(cost->written, write) &&
	    is_priced(cost->fresh, prices->in);
	cost->known_unchanged = unchanged->read != CTX_NO_PRICE &&
	    is_priced(cost->appended, append);
}

int
ctx_request_cost(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, const struct ctx_pricing *pricing,
    struct ctx_cache_cost *cost, struct ctx_err *err)
{
	size_t n = count_shared(earlier, later);
	struct ctx_prices unchanged;

	memset(cost, 0, sizeof *cost);
	set_shared(cost, earlier, later, n);
	set_cached_tokens(cost, earlier, later, n);
	if (set_appended(cost, earlier, later, err) < 0)
		return -1;
	cost->prices = find_prices(pricing, later, later->tokens);
	unchanged =
	    find_prices(pricing, later, cost->reusable + cost->appended);
	set_dollars(cost, &unchanged);
	if (!cost->is_extension && cost->known && cost->known_unchanged)
		cost->breakeven_requests =
		    count_breakeven_requests(cost, &unchanged, later->tokens);
	return 0;
}
