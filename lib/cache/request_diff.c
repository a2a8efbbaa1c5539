/*
 * request_diff.c - what two requests share, and what that costs
 *
 * Each request becomes a list of items that a cache compares in order: the
 * members before the messages, then the messages.  An item is compared by its
 * hash.  The hashed text does not depend on white space, breakpoints and the
 * escapes in strings.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/breakpoints.h"

/* Bytes of the longest string that is not replaced by its hash. */
#define LONG_STRING ((size_t)64 << 10)

struct ctx_request_prefix {
	struct ctx_request_prefix_item *items;
	size_t n, cap, n_members; /* before: items that are members */
	struct cache_run run;     /* of its messages */
	uint64_t messages;        /* messages so far */
	struct breakpoints points;
	uint64_t tokens, estimated;
	struct ctx_buf text; /* the compared texts, if keep */
	/* The first difference from the earlier request: */
	bool differs;
	size_t line_feeds; /* line feeds in its record before it */
	size_t column;     /* its column, from 1 */
	char earlier_excerpt[40], later_excerpt[40]; /* excerpts around it */
	size_t earlier_excerpt_n, later_excerpt_n;
	bool refused; /* true if signed reasoning of its item ends after it */
	bool binds;   /* true if its model has bound reasoning */
};

struct request_reading {
	struct ctx_request_prefix *prefix;
	struct ctx_stream *stream;
	struct ctx_model_counters *counters;
	const struct ctx_request_prefix_options *options;
	struct ctx_json json; /* an item after its breakpoints were removed */
	struct ctx_edits edits;
	struct ctx_breakpoint_writer writer;
	struct ctx_buf decoded, compared; /* scratch */
	bool begun;                       /* true if a conversation has begun */
};

/* ---- an item as a cache compares it ---- */

/* Appends the brackets and braces between two values. */
static int
add_brackets(struct ctx_buf *out, const char *p, size_t n, struct ctx_err *err)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] != '\0' && strchr("[]{}", p[i]) != NULL &&
		    ctx_buf_add(out, p + i, 1, err) < 0)
			return -1;
	return 0;
}

/* Appends a string in the spelling of ctx_json_string_encode. A string longer
 * than LONG is replaced by its hash, so it is not copied. */
static int
add_string(struct request_reading *reading, struct ctx_str literal,
    bool escaped, struct ctx_err *err)
{
	struct ctx_str text = {literal.p + 1, literal.n - 2};
	uint64_t hash;
	int rc;

	reading->decoded.n = 0;
	if (escaped) {
		if (ctx_json_string_decode(&reading->decoded, literal, err) < 0)
			return -1;
		text = (struct ctx_str){reading->decoded.p, reading->decoded.n};
	}
	if (text.n <= LONG_STRING)
		return escaped ? ctx_json_string_encode(&reading->compared,
				     text.p, text.n, err)
			       : ctx_buf_add(&reading->compared, literal.p,
				     literal.n, err);
	hash = ctx_hash(reading->options->key, text.p, text.n);
	rc = ctx_buf_printf(&reading->compared, err, "#%016llx",
	    (unsigned long long)hash);
	ctx_buf_reset(&reading->decoded);
	return rc;
}

/* Sets r->plain to the compared text of a node: its values, each followed by a
 * line feed. No value contains a line feed. */
static int
make_comparable(struct request_reading *reading, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err)
{
	const struct ctx_node *nodes = json->nodes, *one;
	uint32_t at = nodes[node].at, i;

	reading->compared.n = 0;
	for (i = node; i < nodes[node].next; i++) {
		one = &nodes[i];
		if (one->kind >= CTX_JSON_ARRAY)
			continue;
		if (add_brackets(&reading->compared, json->text + at,
			one->at - at, err) < 0)
			return -1;
		at = one->end;
		if (one->kind == CTX_JSON_STRING
			? add_string(reading, ctx_json_str(json, i),
			      one->escaped, err) < 0
			: ctx_buf_add(&reading->compared, json->text + one->at,
			      one->end - one->at, err) < 0)
			return -1;
		if (ctx_buf_add(&reading->compared, "\n", 1, err) < 0)
			return -1;
	}
	return add_brackets(&reading->compared, json->text + at,
	    nodes[node].end - at, err);
}

static struct ctx_request_prefix_item *
add_prefix_item(struct ctx_request_prefix *prefix,
    const struct ctx_record *record, struct ctx_err *err)
{
	struct ctx_request_prefix_item *items;

	items = ctx_grow(prefix->items, &prefix->cap, prefix->n + 1,
	    sizeof *items, err);
	if (items == NULL)
		return NULL;
	prefix->items = items;
	memset(&items[prefix->n], 0, sizeof *items);
	items[prefix->n].file = record->file;
	items[prefix->n].line = record->line;
	return &items[prefix->n++];
}

/* ---- the first byte that differs ---- */

/* Returns the number of bytes at the beginning that are equal. */
static size_t
count_equal(struct ctx_str a, struct ctx_str b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

/*
 * Returns the offset in a value's JSON of byte at in its compared text.  In
 * that text a line feed follows each string, number and word.  If a string has
 * another spelling there, or is replaced by a hash, the offset is that of its
 * beginning.
 */
static size_t
find_byte(const struct ctx_json *json, uint32_t node, struct ctx_str plain,
    size_t at)
{
	const struct ctx_node *nodes = json->nodes;
	size_t begin = 0, i;
	uint32_t value = node;
	struct ctx_str literal;

	for (;; value++) {
		while (value < nodes[node].next &&
		    nodes[value].kind >= CTX_JSON_ARRAY)
			value++;
		if (value == nodes[node].next)
			return nodes[node].end - nodes[node].at - 1;
		for (i = begin; i < at && plain.p[i] != '\n'; i++)
			;
		if (i == at)
			break;
		begin = i + 1;
	}
	while (begin < at && strchr("[]{}", plain.p[begin]) != NULL)
		begin++;
	literal = ctx_json_str(json, value);
	i = at - begin;
	if (i > literal.n || memcmp(plain.p + begin, literal.p, i) != 0)
		i = 0;
	return nodes[value].at - nodes[node].at + i;
}

/* Copies up to 40 bytes around byte at of a text, within one value. Returns
 * their number. */
static size_t
copy_excerpt(char to[40], struct ctx_str text, size_t at)
{
	size_t from = at, n;
	const char *end;

	while (from > 0 && at - from < 15 && text.p[from - 1] != '\n')
		from--;
	while (from < at && ((unsigned char)text.p[from] & 0xc0) == 0x80)
		from++;
	n = text.n - from < 40 ? text.n - from : 40;
	end = n > 0 ? memchr(text.p + from, '\n', n) : NULL;
	if (end != NULL)
		n = (size_t)(end - text.p) - from;
	n = ctx_utf8_valid(text.p + from, n, CTX_SIMD_BEST);
	memcpy(to, text.p + from, n);
	return n;
}

/* Records line and column of byte at of the value at node. */
static void
record_change_place(struct request_reading *reading,
    const struct ctx_record *record, uint32_t node, size_t at)
{
	const char *start = record->text.p, *p;
	const char *byte = ctx_json_str(record->json, node).p + at;

	for (p = record->value.p; p < byte; p++)
		if (*p == '\n') {
			reading->prefix->line_feeds++;
			start = p + 1;
		}
	reading->prefix->column = (size_t)(byte - start) + 1;
}

/* Compares the last item with that of the earlier request. r->plain was made
 * from plain_node of json. */
static void
compare_item(struct request_reading *reading, const struct ctx_record *record,
    uint32_t node, const struct ctx_json *json, uint32_t plain_node)
{
	const struct ctx_request_prefix *earlier = reading->options->earlier;
	struct ctx_request_prefix *prefix = reading->prefix;
	struct ctx_str later_text = {reading->compared.p, reading->compared.n},
		       earlier_text;
	const struct ctx_request_prefix_item *item;
	size_t at;

	if (earlier == NULL || prefix->differs || prefix->n > earlier->n)
		return;
	item = &earlier->items[prefix->n - 1];
	if (item->hash == prefix->items[prefix->n - 1].hash)
		return;
	prefix->differs = true;
	earlier_text =
	    (struct ctx_str){earlier->text.p + item->text, item->text_n};
	at = count_equal(earlier_text, later_text);
	prefix->earlier_excerpt_n =
	    copy_excerpt(prefix->earlier_excerpt, earlier_text, at);
	prefix->later_excerpt_n =
	    copy_excerpt(prefix->later_excerpt, later_text, at);
	at = find_byte(json, plain_node, later_text, at);
	at = ctx_edits_origin(&reading->edits, ctx_json_str(record->json, node),
	    at);
	record_change_place(reading, record, node, at);
}

/* Returns true if signed reasoning of the message ends after the first byte
 * that differs. */
static bool
has_signed_after_change(const struct request_reading *reading,
    const struct ctx_event *event)
{
	const struct ctx_message *message = event->message;
	size_t at = 0, i;
	const char *p = event->record->value.p;

	for (i = 0; i < reading->prefix->line_feeds; p++)
		i += *p == '\n';
	if (i == 0)
		p = event->record->text.p;
	at = (size_t)(p - message->json->text) + reading->prefix->column - 1;
	for (i = 0; i < message->n; i++)
		if (ctx_block_is_signed(message->json, &message->blocks[i]) &&
		    message->json->nodes[message->blocks[i].removable].end > at)
			return true;
	return false;
}

static int
keep_compared_text(struct request_reading *reading,
    struct ctx_request_prefix_item *item, struct ctx_err *err)
{
	item->text = reading->prefix->text.n;
	item->text_n = reading->compared.n;
	return reading->options->keep
	    ? ctx_buf_add(&reading->prefix->text, reading->compared.p,
		  reading->compared.n, err)
	    : 0;
}

/* Sets the hash of the last item to that of the value at node with r->edits
 * applied. Clears the edits. */
static int
set_item_hash(struct request_reading *reading, const struct ctx_record *record,
    uint32_t node, struct ctx_err *err)
{
	struct ctx_request_prefix_item *item =
	    &reading->prefix->items[reading->prefix->n - 1];
	const struct ctx_json *json = record->json;
	struct ctx_str value = ctx_json_str(json, node);
	bool edited = reading->edits.n > 0;
	struct ctx_buf without = {0};
	size_t used;
	int rc;

	item->bytes = value.n;
	if (reading->edits.n == 0) {
		rc = make_comparable(reading, json, node, err);
	} else {
		rc = ctx_edits_apply(&reading->edits, value, &without, err);
		if (rc == 0)
			rc = ctx_json_scan(&reading->json, without.p, without.n,
			    &used, err);
		if (rc > 0)
			rc = make_comparable(reading, &reading->json, 0, err);
	}
	item->hash = ctx_hash(reading->options->key, reading->compared.p,
	    reading->compared.n);
	if (rc >= 0) {
		compare_item(reading, record, node,
		    edited ? &reading->json : json, edited ? 0 : node);
		rc = keep_compared_text(reading, item, err);
	}
	ctx_edits_reset(&reading->edits);
	ctx_buf_release(&without);
	return rc;
}

/* ---- reading ---- */

/* Returns the tokens of a member of the request. */
static uint64_t
get_member_tokens(const char *name, const struct ctx_request_overhead *overhead)
{
	static const char *const tools[] = {"tools", "toolConfig"};
	static const char *const prompts[] = {"system", "instructions",
	    "systemInstruction", "system_instruction"};
	size_t i;

	for (i = 0; i < sizeof tools / sizeof tools[0]; i++)
		if (strcmp(name, tools[i]) == 0)
			return overhead->tools;
	for (i = 0; i < sizeof prompts / sizeof prompts[0]; i++)
		if (strcmp(name, prompts[i]) == 0)
			return overhead->system;
	return 0;
}

/* Adds an item for a member of the request, if it is there. It may hold the
 * tools or the system prompt. */
static int
add_request_member(struct request_reading *reading,
    const struct ctx_event *event, const struct ctx_breakpoint_format *format,
    const char *name, const struct ctx_request_overhead *overhead,
    struct ctx_err *err)
{
	const struct ctx_json *json = event->record->json;
	uint32_t request = event->layout->request, system, tools;
	uint32_t node = ctx_json_find(json, request, name);
	struct ctx_request_prefix_item *item;

	if (node == 0)
		return 0;
	item = add_prefix_item(reading->prefix, event->record, err);
	if (item == NULL)
		return -1;
	item->member = name;
	item->tokens = get_member_tokens(name, overhead);
	if (format == NULL)
		return set_item_hash(reading, event->record, node, err);
	system = ctx_breakpoint_system(format, json, request);
	tools = ctx_breakpoint_tools(format, json, request);
	if (system == node &&
	    (ctx_breakpoint_write(&reading->writer, format, CTX_TTL_5M, node, 0,
		 err) < 0 ||
		ctx_breakpoint_widen(&reading->writer, format, node, err) < 0))
		return -1;
	if (tools >= node && tools < json->nodes[node].next &&
	    ctx_breakpoint_write(&reading->writer, format, CTX_TTL_5M, tools, 0,
		err) < 0)
		return -1;
	return set_item_hash(reading, event->record, node, err);
}

static int
begin_request(struct request_reading *reading, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct cache_run *run = &reading->prefix->run;
	const struct ctx_breakpoint_format *format =
	    ctx_breakpoint_format_any(event->layout->dialect);
	struct ctx_request_overhead overhead = {0};
	const char *name;
	size_t i;

	if (reading->begun)
		return ctx_err_set(err, CTX_EARG,
		    "a second conversation; "
		    "each must stand alone");
	reading->begun = true;
	run->leading = true;
	if (ctx_stream_measure(reading->stream, event, reading->counters,
		&run->model_counter, err) < 0 ||
	    ctx_count_request_overhead(run->model_counter.counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	/* The model's name is valid only while the stream is read, so the
	 * answer is stored. */
	reading->prefix->binds =
	    ctx_model_binds(run->model_counter.model, run->model_counter.name);
	reading->prefix->tokens = overhead.tokens;
	reading->prefix->estimated = overhead.estimated;
	reading->writer.json = event->record->json;
	for (i = 0; event->layout->in_request &&
	     (name = ctx_breakpoint_before(format, i)) != NULL;
	     i++)
		if (add_request_member(reading, event, format, name, &overhead,
			err) < 0)
			return -1;
	reading->prefix->n_members = reading->prefix->n;
	return 0;
}

/* Sets the index of the item's message; the records of one message share it. */
static void
set_item_index(struct request_reading *reading, const struct ctx_event *event,
    struct ctx_request_prefix_item *item)
{
	unsigned flags = event->message->flags;
	uint64_t next = reading->prefix->messages;

	item->index = event->line != 0 && !event->inside
	    ? ctx_transcript_message_index(reading->stream->transcript,
		  event->line, next)
	    : next;
	item->is_continued = flags & CTX_MESSAGE_IS_CONTINUED;
	reading->prefix->messages += !(flags & CTX_MESSAGE_CONTINUES);
}

/* Records where the newest message of the run may have breakpoints, and adds
 * edits that remove those it has. */
static int
strip_newest_message(struct request_reading *reading,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct cache_run *run = &reading->prefix->run;
	uint32_t list;

	reading->writer.json = event->record->json;
	run->format = ctx_breakpoint_format_any(event->layout->dialect);
	if (run->format == NULL)
		return 0;
	list = ctx_breakpoint_content(run->format, reading->writer.json,
	    event->node);
	if (ctx_cache_run_find_places(run, run->n - 1, &reading->writer, err) <
		0 ||
	    ctx_cache_run_edit(&reading->writer, run->format, CTX_TTL_5M,
		event->node, 0, err) < 0)
		return -1;
	return list == 0
	    ? 0
	    : ctx_breakpoint_widen(&reading->writer, run->format, list, err);
}

static int
add_request_message(struct request_reading *reading,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct cache_run *run = &reading->prefix->run;
	struct ctx_request_prefix_item *item =
	    add_prefix_item(reading->prefix, event->record, err);
	struct cache_entry *entry = ctx_cache_run_add(run, err);
	bool differed = reading->prefix->differs;
	struct ctx_cost cost;

	if (item == NULL || entry == NULL)
		return -1;
	item->is_signed = ctx_message_is_signed(event->message);
	set_item_index(reading, event, item);
	item->role = entry->role = event->message->role;
	entry->is_message = true;
	entry->node = event->node;
	if (ctx_count_message(run->model_counter.counter, event->message, &cost,
		err) < 0)
		return -1;
	item->tokens = cost.tokens;
	reading->prefix->tokens += cost.tokens;
	reading->prefix->estimated += cost.estimated;
	if (strip_newest_message(reading, event, err) < 0 ||
	    set_item_hash(reading, event->record, event->node, err) < 0)
		return -1;
	if (reading->prefix->differs && !differed)
		reading->prefix->refused =
		    has_signed_after_change(reading, event);
	return 0;
}

/* Places breakpoints as ctx_mark_cache would write them. */
static int
place_breakpoints(struct request_reading *reading, const struct ctx_json *json,
    const struct ctx_record_layout *layout, const struct ctx_dialect *dialect,
    struct ctx_err *err)
{
	struct cache_run *run = &reading->prefix->run;

	/* An unknown provider is assumed to cache without breakpoints. */
	if (ctx_cache_run_decide(run, dialect, reading->options->provider,
		err) < 0) {
		if (err->code != CTX_EARG || reading->options->provider != NULL)
			return -1;
		run->status = CTX_CACHE_STATUS_AUTO;
	}
	if (run->status == CTX_CACHE_STATUS_MARKED)
		ctx_cache_run_place(run, json, layout,
		    &reading->prefix->points);
	return 0;
}

static int
read_request_event(struct request_reading *reading,
    const struct ctx_event *event, struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return begin_request(reading, event, err);
	case CTX_EVENT_MESSAGE:
		if (!event->inside && !reading->begun &&
		    begin_request(reading, event, err) < 0)
			return -1;
		return add_request_message(reading, event, err);
	case CTX_EVENT_END:
		return place_breakpoints(reading, event->record->json,
		    event->layout, event->layout->dialect, err);
	default:
		return 0;
	}
}

static int
read_request_stream(struct request_reading *reading, struct ctx_err *err)
{
	struct ctx_event event;
	int rc;

	while ((rc = ctx_stream_next(reading->stream, &event, err)) > 0)
		if (read_request_event(reading, &event, err) < 0)
			return ctx_stream_fail(reading->stream, err);
	if (rc < 0)
		return -1;
	if (!reading->begun)
		return ctx_err_set(err, CTX_EARG, "no conversation in it");
	if (reading->prefix->run.decided)
		return 0;
	return place_breakpoints(reading, NULL, NULL,
	    ctx_stream_dialect(reading->stream), err);
}

int
ctx_request_prefix_read(struct ctx_request_prefix **prefix,
    struct ctx_stream *stream, struct ctx_model_counters *counters,
    const struct ctx_request_prefix_options *options, struct ctx_err *err)
{
	struct request_reading reading = {.stream = stream,
	    .counters = counters,
	    .options = options};
	int rc;

	*prefix = reading.prefix = calloc(1, sizeof **prefix);
	if (reading.prefix == NULL)
		return ctx_err_nomem(err);
	ctx_json_init(&reading.json, counters->simd);
	reading.writer.edits = &reading.edits;
	rc = read_request_stream(&reading, err);
	ctx_json_release(&reading.json);
	ctx_edits_release(&reading.edits);
	ctx_breakpoint_writer_release(&reading.writer);
	ctx_buf_release(&reading.decoded);
	ctx_buf_release(&reading.compared);
	if (rc < 0) {
		ctx_request_prefix_close(*prefix);
		*prefix = NULL;
	}
	return rc;
}

void
ctx_request_prefix_close(struct ctx_request_prefix *prefix)
{
	if (prefix == NULL)
		return;
	ctx_cache_run_clear(&prefix->run);
	free(prefix->run.list);
	free(prefix->items);
	ctx_buf_release(&prefix->text);
	free(prefix);
}

/* ---- cost ---- */

/* Converts a price of the model table, in which 0 is unknown. */
static uint64_t
get_price(uint64_t price)
{
	return price > 0 ? price : CTX_NO_PRICE;
}

void
ctx_request_prefix_prices(const struct ctx_request_prefix *prefix,
    enum ctx_ttl ttl, struct ctx_prices *prices)
{
	static const struct ctx_model unknown;
	const struct ctx_breakpoint_format *format = prefix->run.format;
	const struct ctx_model *model = prefix->run.model_counter.model;

	if (model == NULL)
		model = &unknown;
	prices->in = get_price(model->price_in);
	prices->read = get_price(model->price_read);
	prices->write = get_price(model->price_write);
	if (ttl == CTX_TTL_1H && format != NULL && format->hour_percent > 0 &&
	    model->price_in > 0 && model->price_write > 0)
		prices->write = prices->in / 100 * format->hour_percent;
}

/* Returns the number of equal items at the beginning. */
static size_t
count_shared(const struct ctx_request_prefix *a,
    const struct ctx_request_prefix *b)
{
	size_t n = 0;

	while (n < a->n && n < b->n && a->items[n].hash == b->items[n].hash)
		n++;
	return n;
}

/* Returns the number of messages whose records are all among the first n items.
 */
static uint64_t
count_messages(const struct ctx_request_prefix *prefix, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = prefix->n_members; i < n; i++)
		sum += !prefix->items[i].is_continued;
	return sum;
}

static uint64_t
sum_item_tokens(const struct ctx_request_prefix *prefix, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
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
	change->line = change->item->line + later->line_feeds;
	change->column = later->column;
	change->was =
	    (struct ctx_str){later->earlier_excerpt, later->earlier_excerpt_n};
	change->now =
	    (struct ctx_str){later->later_excerpt, later->later_excerpt_n};
	if (!later->binds)
		return;
	for (i = n; i < later->n && change->refused == NULL; i++)
		if (i > n ? later->items[i].is_signed : later->refused)
			change->refused = &later->items[i];
}

/* Returns true if the end of message number m is within the lookback of a
 * breakpoint. The provider then finds the cached prefix that ends there. */
static bool
is_within_lookback(const struct ctx_request_prefix *prefix, uint64_t m)
{
	const struct cache_run *run = &prefix->run;
	const struct cache_entry *entry = &run->list[m], *other;
	uint64_t end = entry->first_block + entry->places.blocks, point;
	size_t i;

	for (i = 0; i < prefix->points.n; i++) {
		other = &run->list[prefix->points.list[i].number];
		point = other->first_block + other->places.blocks -
		    prefix->points.list[i].bit;
		if (prefix->points.list[i].number >= m && point >= end &&
		    point - end <= run->format->lookback)
			return true;
	}
	return false;
}

/* Returns how many of the n items that both requests share can be read from the
 * cache. */
static size_t
count_cached_items(const struct ctx_request_prefix *later, size_t n)
{
	if (later->run.status != CTX_CACHE_STATUS_MARKED)
		return n;
	for (; n > later->n_members; n--)
		if (is_within_lookback(later, n - 1 - later->n_members))
			return n;
	return n == later->n_members && later->points.system != 0 ? n : 0;
}

/* Returns the tokens after the earlier request's newest message; 0 if that
 * message is not in the later request. */
static uint64_t
count_appended_tokens(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later)
{
	uint64_t sum = 0;
	size_t i;

	for (i = later->n; i > later->n_members; i--) {
		if (later->items[i - 1].hash ==
		    earlier->items[earlier->n - 1].hash)
			return sum;
		sum += later->items[i - 1].tokens;
	}
	return 0;
}

static double
compute_dollars(uint64_t tokens, uint64_t price)
{
	return (double)tokens * (double)price / 1e12;
}

/* Returns true if the price of these tokens is known. */
static bool
is_priced(uint64_t tokens, uint64_t price)
{
	return tokens == 0 || price != CTX_NO_PRICE;
}

/* Returns the number of later requests whose cheaper cached prefix repays the
 * extra cost of this one; CTX_NEVER if none do. */
static uint64_t
count_breakeven_requests(const struct ctx_cache_cost *cost,
    const struct ctx_prices *prices, uint64_t tokens)
{
	double more = cost->cost - cost->cost_unchanged, calls;
	double saved =
	    compute_dollars(cost->reusable + cost->appended, prices->read) -
	    compute_dollars(tokens, prices->read);

	if (more <= 0)
		return 0;
	calls = saved > 0 ? more / saved : 1e18;
	if (calls >= 1e18)
		return CTX_NEVER;
	return (uint64_t)calls + (calls > (double)(uint64_t)calls);
}

/* Sets what both requests share: their first n items. */
static void
set_shared(struct ctx_cache_cost *cost,
    const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, size_t n)
{
	size_t i;

	cost->messages = count_messages(later, n);
	cost->all = count_messages(later, later->n);
	cost->tokens = sum_item_tokens(later, n);
	for (i = 0; i < n; i++)
		cost->bytes += later->items[i].bytes;
	cost->is_extension = n == earlier->n;
	if (n < later->n)
		cost->changed = &later->items[n];
	cost->estimated = earlier->estimated + later->estimated > 0;
}

/* Sets the tokens of the later request that are read from the cache, written to
 * it, and sent without it.  Both requests share their first n items. */
static void
set_cached_tokens(struct ctx_cache_cost *cost,
    const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, size_t n)
{
	const struct ctx_model *model = later->run.model_counter.model;
	uint64_t least = model != NULL ? model->cache_least : 0;

	cost->read = n == earlier->n && n == later->n
	    ? later->tokens
	    : sum_item_tokens(later, count_cached_items(later, n));
	if (cost->read < least)
		cost->read = 0;
	cost->fresh = later->tokens - cost->read;
	cost->writes = later->run.status == CTX_CACHE_STATUS_MARKED;
	if (cost->writes && later->tokens >= least) {
		cost->written = cost->fresh;
		cost->fresh = 0;
	}
	cost->reusable = earlier->tokens;
	cost->appended = count_appended_tokens(earlier, later);
}

/* Sets the dollars that the tokens cost, and whether their prices are known. */
static void
set_dollars(struct ctx_cache_cost *cost, const struct ctx_prices *prices)
{
	uint64_t write = cost->writes ? prices->write : prices->in;

	cost->cost = compute_dollars(cost->read, prices->read) +
	    compute_dollars(cost->written, write) +
	    compute_dollars(cost->fresh, prices->in);
	cost->cost_unchanged = compute_dollars(cost->reusable, prices->read) +
	    compute_dollars(cost->appended, write);
	cost->known = is_priced(cost->read, prices->read) &&
	    is_priced(cost->written, write) &&
	    is_priced(cost->fresh, prices->in);
	cost->known_unchanged =
	    prices->read != CTX_NO_PRICE && is_priced(cost->appended, write);
}

void
ctx_request_cost(const struct ctx_request_prefix *earlier,
    const struct ctx_request_prefix *later, const struct ctx_prices *prices,
    struct ctx_cache_cost *cost)
{
	size_t n = count_shared(earlier, later);

	memset(cost, 0, sizeof *cost);
	set_shared(cost, earlier, later, n);
	set_cached_tokens(cost, earlier, later, n);
	set_dollars(cost, prices);
	if (!cost->is_extension && cost->known && cost->known_unchanged)
		cost->breakeven_requests =
		    count_breakeven_requests(cost, prices, later->tokens);
}
