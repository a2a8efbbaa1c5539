/*
 * bill.c - replays a recorded session through a simulated prompt cache of the
 * provider, and compares the cache reads with those that the provider billed
 *
 * If the session contains the number of tokens that were billed for a prompt,
 * this number is the size of the prompt.  In the first request with such a
 * number, the billed tokens beyond those that ctx counts in messages are
 * attributed to the system prompt and the tools.  In later requests, the tokens
 * that ctx counts in messages are multiplied by a factor, so that the sum is
 * the billed number.
 */
#include "replay/recorded_session.h"

/* Divisor: two numbers of tokens count as equal if their difference is at most
 * the larger number divided by TOLERANCE (2 %). */
#define TOLERANCE 50
/* If the number of tokens read from the cache differs by at most this number
 * from the number that an older prompt has stored, the provider is assumed to
 * have read the older prompt. */
#define PROMPT_TOLERANCE 128

static const struct {
	const char *name, *text;
} reasons[CTX_REPLAY_REASONS] = {
    {"equal", "equal within 2 %"},
    {"expired", "its lifetime had passed"},
    {"replaced", "no message was stored, as after a compaction"},
    {"beginning",
	"nothing was read: system prompt or tools changed, or were dropped"},
    {"changed", "the agent changed or left out messages"},
    {"older", "the provider found only an older prompt"},
    {"shorter", "less was read than expected; did messages change?"},
    {"kept-longer", "stored for more than its lifetime"},
    {"longer", "written by a request that is not in the file"},
};

const char *
ctx_replay_reason_name(enum ctx_replay_reason reason)
{
	return reasons[reason].name;
}

const char *
ctx_replay_reason_text(enum ctx_replay_reason reason)
{
	return reasons[reason].text;
}

/* State of ctx_replay_bill while it replays a session. */
struct billing {
	struct ctx_replay_session *session;
	const struct ctx_replay_options *options;
	struct ctx_replay_outcome *outcome;
	struct prompt_cache cache;
	/* How many tokens the provider billed for messages per token that ctx
	 * counts in them, in the newest request whose billed tokens are
	 * known. */
	double factor;
	/* True if what was last written to the cache is stored for an hour;
	 * false if for 5 minutes. */
	bool hour;
	/* Numbers of tokens of the system prompt and the tools that a request
	 * reads from the cache. outside: if the cache contains no message of
	 * the prompt. shared: if nothing of this session is in the cache, but a
	 * part that other sessions have stored.  Both are taken from the newest
	 * recorded request for which this was so. */
	uint64_t outside, shared;
	/* true once a request of the session has reported what it read from the
	 * cache */
	bool is_given;
	/* resends: what replay_request.is_resent was for the last response that
	 * ended a turn. turn_end: number of tokens that the cache stores after
	 * the previous response if is_resent is false for it; 0 if that
	 * response did not end a turn. */
	bool resends;
	uint64_t turn_end;
	/* last_read: number of tokens of the newest cache read that is not 0;
	 * read_model: the model of this request. */
	uint64_t last_read;
	const struct ctx_model *read_model;
	bool writes_nothing; /* see replay_request */
	/* Time of the previous request in milliseconds since 1970; INT64_MIN if
	 * not known. */
	int64_t time;
};

/* ---- dollars ---- */

/* Adds the tokens of a request to a sum. */
static void
add_usage(struct ctx_billed_usage *sum, const struct ctx_billed_usage *usage)
{
	sum->input += usage->input;
	sum->read += usage->read;
	sum->written += usage->written;
	sum->written_hour += usage->written_hour;
	sum->output += usage->output;
}

/* Adds the price of a number of tokens to *dollars.  Returns false if there are
 * tokens but their price is not known. */
static bool
add_dollars(double *dollars, uint64_t tokens, uint64_t price)
{
	if (tokens == 0)
		return true;
	if (price == CTX_NO_PRICE)
		return false;
	*dollars += (double)tokens * (double)price / 1e12;
	return true;
}

void
ctx_replay_add_usage(struct ctx_replay_bill *bill,
    const struct replay_request *request, int64_t now,
    const struct ctx_billed_usage *usage)
{
	const struct ctx_price *price = request->model == NULL
	    ? NULL
	    : ctx_model_price(request->model,
		  request->time != INT64_MIN ? request->time / 1000 : now,
		  usage->input);
	uint64_t fresh = usage->input - usage->read - usage->written;
	double dollars = 0;

	add_usage(&bill->tokens, usage);
	if (price != NULL && add_dollars(&dollars, fresh, price->in) &&
	    add_dollars(&dollars, usage->read, price->read) &&
	    add_dollars(&dollars, usage->written - usage->written_hour,
		price->write) &&
	    add_dollars(&dollars, usage->written_hour, price->write_hour) &&
	    add_dollars(&dollars, usage->output, price->out))
		bill->dollars += dollars;
	else
		bill->unpriced++;
}

/* ---- requests ---- */

/* Estimates the number of tokens of a prompt outside its messages (system
 * prompt, tools): the billed input tokens of the first recorded request, minus
 * the tokens that ctx counts in its messages. */
static void
find_outside(struct ctx_replay_session *session,
    struct ctx_replay_outcome *outcome)
{
	const struct replay_request *request;
	uint64_t counted;

	outcome->outside = session->overhead;
	for (size_t i = 0; i < session->n_requests; i++) {
		request = &session->requests[i];
		if (request->recorded.input == 0)
			continue;
		counted = session->tree.nodes[request->prompt].tokens;
		outcome->outside = request->recorded.input > counted
		    ? request->recorded.input - counted
		    : 0;
		if (request->has_reads)
			outcome->shared = request->recorded.read;
		return;
	}
}

/* Returns how many tokens of the system prompt and the tools are read if the
 * session has stored them.  A cache with breakpoints has stored only the part
 * up to a breakpoint.  What the first request read ends at such a
 * breakpoint. */
static uint64_t
find_stored_outside(const struct ctx_replay_session *session,
    const struct ctx_replay_outcome *outcome)
{
	struct cache_rules rules;

	ctx_cache_rules_of(&session->requests[0], &rules);
	return rules.is_marked && outcome->shared > 0 &&
		outcome->shared <= outcome->outside
	    ? outcome->shared
	    : outcome->outside;
}

void
ctx_replay_measure_prompt(const struct replay_request *request, uint32_t node,
    uint64_t counted, struct cached_prompt *prompt)
{
	*prompt = (struct cached_prompt){
	    .node = node,
	    .answered = node,
	    .request = request,
	    .tokens = request->outside +
		(uint64_t)(request->factor * (double)counted + 0.5),
	};
	prompt->stored = prompt->tokens > request->unstored
	    ? prompt->tokens - request->unstored
	    : 0;
}

/* Sets the members outside, factor, stored_outside, shared and unstored of a
 * request.  Afterwards, the billed tokens are the tokens outside the messages
 * (system prompt, tools), plus the factor times the tokens that ctx counts in
 * the messages. counted: number of tokens that ctx counts in the messages. */
static void
fit_to_bill(struct billing *billing, struct replay_request *request,
    uint64_t counted)
{
	const struct ctx_billed_usage *recorded = &request->recorded;
	uint64_t outside = billing->outcome->outside, messages;
	uint64_t billed = recorded->input;

	if (billed > outside && counted > 0)
		billing->factor = (double)(billed - outside) / (double)counted;
	request->factor = billing->factor;
	request->outside = outside;
	/* Fewer tokens were billed than the first request had outside its
	 * messages: the system prompt or the tools have become smaller. */
	if (billed > 0 && billed <= outside) {
		messages = (uint64_t)(billing->factor * (double)counted + 0.5);
		request->outside = billed > messages ? billed - messages : 0;
		if (messages > billed)
			request->factor = (double)billed / (double)counted;
	}
	request->stored_outside = billing->outside;
	request->shared = billing->shared;
	request->unstored = recorded->written > 0
	    ? billed - recorded->read - recorded->written
	    : 0;
}

/* Sets *prompt to what the cache must know about a prompt that was not pruned:
 * its tokens, its time and its node in the tree of prompts. */
static void
measure_recorded(struct billing *billing, struct replay_request *request,
    struct cached_prompt *prompt)
{
	uint64_t counted = billing->session->tree.nodes[request->prompt].tokens;

	fit_to_bill(billing, request, counted);
	ctx_replay_measure_prompt(request, request->prompt, counted, prompt);
	prompt->answered = request->answered;
	if (request->recorded.input == 0)
		return;
	prompt->tokens = request->recorded.input;
	prompt->is_billed = true;
	prompt->stored = prompt->tokens - request->unstored;
}

/* Returns how many tokens of a prompt the provider reads from its cache. found:
 * how many of them the simulated cache contains.  If the provider has read only
 * a percentage of the recorded messages that the simulated cache contained, the
 * same percentage of the messages of this prompt is read. */
static uint64_t
read_found(const struct replay_request *request, uint64_t found)
{
	uint64_t recorded = request->recorded.read;
	uint64_t outside = request->stored_outside;

	if (request->expected_read == 0)
		return found;
	if (recorded <= outside || request->expected_read <= outside)
		return found < recorded ? found : recorded;
	if (found <= outside)
		return found;
	return outside +
	    (uint64_t)((double)(found - outside) *
		(double)(recorded - outside) /
		(double)(request->expected_read - outside));
}

void
ctx_replay_find_usage(const struct replay_request *request,
    const struct cached_prompt *prompt, const struct cache_rules *rules,
    uint64_t found, struct ctx_billed_usage *usage)
{
	uint64_t read = read_found(request, found);

	*usage = (struct ctx_billed_usage){.input = prompt->tokens,
	    .read = read,
	    .output = ctx_replay_count_response(request)};
	if (rules->writes && prompt->stored >= rules->least &&
	    prompt->stored > read)
		usage->written = prompt->stored - read;
	if (rules->is_marked && request->hour)
		usage->written_hour = usage->written;
}

/* Returns true if what a request writes to the cache is stored for an hour;
 * false if for 5 minutes. */
static bool
is_for_an_hour(struct billing *billing, const struct replay_request *request)
{
	if (request->recorded.input == 0 && !billing->is_given)
		return billing->options->ttl == CTX_TTL_1H;
	if (request->recorded.written > 0)
		billing->hour = request->recorded.written_hour * 2 >
		    request->recorded.written;
	return billing->hour;
}

/* Returns the difference of two numbers. */
static uint64_t
difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Returns true if a request has read from the cache about as many tokens as an
 * older prompt, with which this prompt begins, has stored.  Always false for
 * caches with breakpoints. */
static bool
is_of_older_prompt(const struct billing *billing,
    const struct cached_prompt *prompt, const struct cache_rules *rules,
    uint64_t read)
{
	uint32_t node = prompt->node;
	uint64_t stored;

	if (rules->is_marked)
		return false;
	while (ctx_prompt_cache_next(&billing->cache, prompt, &node, &stored))
		if (difference(ctx_cache_round(rules, stored), read) <=
		    PROMPT_TOLERANCE)
			return true;
	return false;
}

/* Returns the reason why the number of tokens that the provider has read from
 * its cache differs from the number that the replay computes. found: which part
 * of the prompt the replay has found in the cache. */
static enum ctx_replay_reason
find_reason(const struct billing *billing,
    const struct ctx_replayed_request *request, enum cache_find found,
    const struct cached_prompt *prompt, const struct cache_rules *rules)
{
	uint64_t recorded = request->recorded.read;
	uint64_t replayed = request->replayed.read;
	uint64_t most = recorded > replayed ? recorded : replayed;
	uint64_t shared = billing->shared;

	if (difference(recorded, replayed) <= most / TOLERANCE)
		return CTX_REPLAY_EQUAL;
	if (recorded <= billing->outcome->outside &&
	    found == CACHE_FOUND_SHARED)
		return CTX_REPLAY_EXPIRED;
	if (billing->session->requests[request->index].is_rewritten)
		return CTX_REPLAY_CHANGED;
	if (recorded <= billing->outcome->outside &&
	    found == CACHE_FOUND_OUTSIDE)
		return CTX_REPLAY_REPLACED;
	if (recorded > replayed)
		return request->pause > rules->lifetime ? CTX_REPLAY_KEPT_LONGER
							: CTX_REPLAY_LONGER;
	if (recorded <= shared + shared / TOLERANCE)
		return CTX_REPLAY_BEGINNING;
	return is_of_older_prompt(billing, prompt, rules, recorded)
	    ? CTX_REPLAY_OLDER
	    : CTX_REPLAY_SHORTER;
}

/* If a request read only tokens of the system prompt and the tools from the
 * cache, stores the number of these tokens, because nothing else in the session
 * says it.  A request that read nothing, although its system prompt and tools
 * were stored, had others, so it says nothing about later requests. read:
 * number of tokens that the request read from the cache. found: which part of
 * the prompt the replay has found in the cache. */
static void
learn_beginning(struct billing *billing, uint64_t read, enum cache_find found)
{
	if (found == CACHE_FOUND_MESSAGES || read > billing->outcome->outside)
		return;
	if (found == CACHE_FOUND_SHARED)
		billing->shared = read;
	else if (read > 0)
		billing->outside = read;
}

/* Finds out whether the agent, after a turn has ended, sends a further request
 * that the session file does not contain (see replay_request.is_resent).  If it
 * does, the next request reads more tokens from the cache than the last prompt
 * of the turn has. */
static void
learn_resending(struct billing *billing, struct replay_request *request)
{
	if (billing->turn_end > 0 &&
	    request->recorded.read >= billing->turn_end)
		billing->resends = request->recorded.read > billing->turn_end;
	if (!billing->resends)
		request->is_resent = false;
}

/* Compares the number of tokens that a recorded request read from the cache
 * with the number that the replay computes, and adds the request to the
 * sums. */
static void
compare_request(struct billing *billing, struct ctx_replayed_request *replayed,
    enum cache_find found, const struct cached_prompt *prompt,
    const struct cache_rules *rules)
{
	struct ctx_replay_outcome *outcome = billing->outcome;
	const struct replay_request *request =
	    &billing->session->requests[replayed->index];
	int64_t now = billing->options->now;

	outcome->requests++;
	outcome->untimed += request->time == INT64_MIN;
	outcome->model = request->model;
	ctx_replay_add_usage(&outcome->all, request, now, &replayed->replayed);
	if (!replayed->has_reads)
		return;
	ctx_replay_add_usage(&outcome->recorded, request, now,
	    &replayed->recorded);
	ctx_replay_add_usage(&outcome->replayed, request, now,
	    &replayed->replayed);
	if (!billing->is_given) {
		billing->is_given = true;
		return;
	}
	replayed->reason = find_reason(billing, replayed, found, prompt, rules);
	learn_beginning(billing, replayed->recorded.read, found);
	outcome->reasons[replayed->reason]++;
	outcome->compared_read += replayed->recorded.read;
	if (replayed->reason == CTX_REPLAY_EQUAL)
		outcome->equal_read += replayed->recorded.read;
	outcome->differences[replayed->reason] +=
	    (int64_t)replayed->recorded.read - (int64_t)replayed->replayed.read;
}

/* Sets request->last_read. */
static void
find_last_read(struct billing *billing, struct replay_request *request)
{
	uint64_t read = request->recorded.read;
	bool is_same = request->model == billing->read_model;

	request->last_read = is_same ? billing->last_read : read;
	if (read == 0)
		return;
	billing->last_read = read;
	billing->read_model = request->model;
}

/* Returns true if the session reports cache reads, but no cache writes, of
 * models of OpenAI whose cache writes cost money. */
static bool
reports_no_writes(const struct ctx_replay_session *session)
{
	const struct replay_request *request;
	bool reads = false;

	for (size_t i = 0; i < session->n_requests; i++) {
		request = &session->requests[i];
		if (request->model == NULL ||
		    request->model->cache != CTX_CACHE_BREAKPOINT)
			continue;
		if (request->recorded.written > 0)
			return false;
		reads = reads || request->recorded.read > 0;
	}
	return reads;
}

static int
replay_request(struct billing *billing, size_t i,
    struct ctx_replayed_request *replayed, struct ctx_err *err)
{
	struct replay_request *request = &billing->session->requests[i];
	struct ctx_billed_usage usage;
	struct cached_prompt prompt;
	struct cache_rules rules;
	enum cache_find found;
	uint64_t read;
	bool ends_turn;

	*replayed = (struct ctx_replayed_request){.file = request->file,
	    .line = request->file_line,
	    .index = i,
	    .model = request->model,
	    .pause = -1,
	    .has_reads = request->has_reads && request->recorded.input > 0,
	    .recorded = request->recorded};
	measure_recorded(billing, request, &prompt);
	request->hour = is_for_an_hour(billing, request);
	find_last_read(billing, request);
	request->writes_nothing = billing->writes_nothing;
	ctx_cache_rules_of(request, &rules);
	if (!rules.is_marked)
		request->thinking = CTX_THINKING_UNKNOWN;
	ends_turn = request->is_resent;
	learn_resending(billing, request);
	if (ctx_prompt_cache_send(&billing->cache, &prompt, &rules, &read,
		&found, err) < 0)
		return -1;
	if (found == CACHE_FOUND_REWRITTEN) {
		request->is_rewritten = true;
		found = CACHE_FOUND_OUTSIDE;
	} else if (found == CACHE_FOUND_TURN) {
		request->lacks_reasoning = true;
		found = CACHE_FOUND_MESSAGES;
	}
	billing->turn_end = ends_turn ? prompt.stored : 0;
	ctx_replay_find_usage(request, &prompt, &rules, read,
	    &replayed->replayed);
	if (request->time != INT64_MIN && billing->time != INT64_MIN)
		replayed->pause = request->time - billing->time;
	compare_request(billing, replayed, found, &prompt, &rules);
	if (replayed->reason != CTX_REPLAY_EQUAL &&
	    replayed->recorded.read < replayed->replayed.read)
		request->expected_read = replayed->replayed.read;
	ctx_replay_find_usage(request, &prompt, &rules, read, &usage);
	ctx_replay_add_usage(&billing->outcome->unpruned, request,
	    billing->options->now, &usage);
	billing->time = request->time;
	return 0;
}

int
ctx_replay_bill(struct ctx_replay_session *session,
    const struct ctx_replay_options *options,
    int (*each)(void *user, const struct ctx_replayed_request *request,
	struct ctx_err *err),
    void *user, struct ctx_replay_outcome *outcome, struct ctx_err *err)
{
	struct billing billing = {.session = session,
	    .options = options,
	    .outcome = outcome,
	    .factor = 1,
	    .hour = options->ttl == CTX_TTL_1H,
	    .resends = true,
	    .time = INT64_MIN};
	struct ctx_replayed_request replayed;
	int rc = 0;

	*outcome = (struct ctx_replay_outcome){.file = session->file,
	    .line = session->line};
	find_outside(session, outcome);
	billing.writes_nothing = reports_no_writes(session);
	billing.shared = outcome->shared;
	billing.outside = find_stored_outside(session, outcome);
	ctx_prompt_cache_reset(&billing.cache, &session->tree);
	for (size_t i = 0; i < session->n_requests && rc == 0; i++) {
		rc = replay_request(&billing, i, &replayed, err);
		if (rc == 0 && each != NULL)
			rc = each(user, &replayed, err);
	}
	ctx_prompt_cache_release(&billing.cache);
	return rc;
}
