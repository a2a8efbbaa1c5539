/*
 * prefix.c - what two requests share, and what that costs
 *
 * Each request becomes a list of items that a cache compares one behind
 * another: members that stand before the messages, then the messages.  Of an
 * item a hash is kept, of a text in which white space, hints and spellings
 * make no difference.
 */
#include <stdlib.h>
#include <string.h>

#include "convo/course.h"

#define LONG ((size_t)64 << 10) /* bytes of a text */

struct ctx_prefix {
	struct ctx_prefix_item *items;
	size_t n, cap, before; /* of these, members of the request */
	struct course course;  /* its messages, in order */
	struct breakpoints points;
	uint64_t tokens, estimated;
};

struct reading {
	struct ctx_prefix *prefix;
	struct ctx_stream *stream;
	struct ctx_meter *meter;
	const char *provider;
	const struct ctx_hashkey *key;
	struct ctx_json json; /* an item without its hints */
	struct ctx_edits edits;
	struct ctx_hint_pen pen;
	struct ctx_buf text, plain; /* scratch */
	bool seen; /* a conversation has begun */
};

/* ---- an item as a cache compares it ---- */

/* Appends the brackets and braces of a text between two values. */
static int
add_brackets(struct ctx_buf *out, const char *p, size_t n,
    struct ctx_err *err)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] != '\0' && strchr("[]{}", p[i]) != NULL &&
		    ctx_buf_add(out, p + i, 1, err) < 0)
			return -1;
	return 0;
}

/* The same for a string, spelt as we spell it; a hash stands for a long one,
 * so that it is not copied. */
static int
add_string(struct reading *r, struct ctx_str literal, bool escaped,
    struct ctx_err *err)
{
	struct ctx_str text = {literal.p + 1, literal.n - 2};
	uint64_t hash;
	int rc;

	r->text.n = 0;
	if (escaped) {
		if (ctx_text_decode(&r->text, literal, err) < 0)
			return -1;
		text = (struct ctx_str){r->text.p, r->text.n};
	}
	if (text.n <= LONG)
		return escaped
		    ? ctx_text_encode(&r->plain, text.p, text.n, err)
		    : ctx_buf_add(&r->plain, literal.p, literal.n, err);
	hash = ctx_hash(r->key, text.p, text.n);
	rc = ctx_buf_printf(&r->plain, err, "#%016llx",
	    (unsigned long long)hash);
	ctx_buf_reset(&r->text);
	return rc;
}

/* Makes r->plain the value of json at node, its values parted by line feeds,
 * which none of them has. */
static int
make_plain(struct reading *r, const struct ctx_json *json, uint32_t node,
    struct ctx_err *err)
{
	const struct ctx_node *nodes = json->nodes, *one;
	uint32_t at = nodes[node].at, i;

	r->plain.n = 0;
	for (i = node; i < nodes[node].next; i++) {
		one = &nodes[i];
		if (one->kind >= CTX_JSON_ARRAY)
			continue;
		if (add_brackets(&r->plain, json->text + at, one->at - at,
			err) < 0)
			return -1;
		at = one->end;
		if (one->kind == CTX_JSON_STRING
			? add_string(r, ctx_json_str(json, i), one->escaped,
			      err) < 0
			: ctx_buf_add(&r->plain, json->text + one->at,
			      one->end - one->at, err) < 0)
			return -1;
		if (ctx_buf_add(&r->plain, "\n", 1, err) < 0)
			return -1;
	}
	return add_brackets(&r->plain, json->text + at, nodes[node].end - at,
	    err);
}

static struct ctx_prefix_item *
add_item(struct ctx_prefix *prefix, const struct ctx_record *record,
    struct ctx_err *err)
{
	struct ctx_prefix_item *items;

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

/* Sets the item's hash to that of the value at node, with the edits that are
 * noted for it. */
static int
take_hash(struct reading *r, struct ctx_prefix_item *item, uint32_t node,
    struct ctx_err *err)
{
	const struct ctx_json *json = r->pen.json;
	struct ctx_str value = ctx_json_str(json, node);
	struct ctx_buf without = {0};
	size_t used;
	int rc;

	item->bytes = value.n;
	if (r->edits.n == 0) {
		rc = make_plain(r, json, node, err);
	} else {
		rc = ctx_edits_apply(&r->edits, value, &without, err);
		if (rc == 0)
			rc = ctx_json_scan(&r->json, without.p, without.n,
			    &used, err);
		if (rc > 0)
			rc = make_plain(r, &r->json, 0, err);
	}
	ctx_edits_reset(&r->edits);
	ctx_buf_release(&without);
	item->hash = ctx_hash(r->key, r->plain.p, r->plain.n);
	return rc;
}

/* ---- reading ---- */

/* What a member of the request costs. */
static uint64_t
tokens_of_member(const char *name, const struct ctx_beside *beside)
{
	static const char *const tools[] = {"tools", "toolConfig"};
	static const char *const prompts[] = {"system", "instructions",
	    "systemInstruction", "system_instruction"};
	size_t i;

	for (i = 0; i < sizeof tools / sizeof tools[0]; i++)
		if (strcmp(name, tools[i]) == 0)
			return beside->tools;
	for (i = 0; i < sizeof prompts / sizeof prompts[0]; i++)
		if (strcmp(name, prompts[i]) == 0)
			return beside->system;
	return 0;
}

/* A member of the request, which may hold the tools or be the prompt. */
static int
add_member(struct reading *r, const struct ctx_event *event,
    const struct ctx_hints *hints, const char *name,
    const struct ctx_beside *beside, struct ctx_err *err)
{
	const struct ctx_json *json = event->record->json;
	uint32_t request = event->shape->request, system, tools;
	uint32_t node = ctx_json_find(json, request, name);
	struct ctx_prefix_item *item;

	if (node == 0)
		return 0;
	item = add_item(r->prefix, event->record, err);
	if (item == NULL)
		return -1;
	item->member = name;
	item->tokens = tokens_of_member(name, beside);
	if (hints == NULL)
		return take_hash(r, item, node, err);
	system = ctx_hints_system(hints, json, request);
	tools = ctx_hints_tools(hints, json, request);
	if (system == node &&
	    (ctx_hints_write(&r->pen, hints, CTX_TTL_5M, node, 0, err) < 0 ||
		ctx_hints_widen(&r->pen, hints, node, err) < 0))
		return -1;
	if (tools >= node && tools < json->nodes[node].next &&
	    ctx_hints_write(&r->pen, hints, CTX_TTL_5M, tools, 0, err) < 0)
		return -1;
	return take_hash(r, item, node, err);
}

static int
begin(struct reading *r, const struct ctx_event *event, struct ctx_err *err)
{
	struct course *course = &r->prefix->course;
	const struct ctx_hints *hints = ctx_hints_any(event->shape->dialect);
	struct ctx_beside beside = {0};
	const char *name;
	size_t i;

	if (r->seen)
		return ctx_err_set(err, CTX_EARG, "a second conversation; "
						  "each must stand alone");
	r->seen = true;
	course->leading = true;
	if (ctx_stream_measure(r->stream, event, r->meter, &course->measure,
		err) < 0 ||
	    ctx_count_beside(course->measure.counter, event->record->json,
		event->shape, &beside, err) < 0)
		return -1;
	r->prefix->tokens = beside.tokens;
	r->prefix->estimated = beside.estimated;
	r->pen.json = event->record->json;
	for (i = 0; event->shape->in_request &&
	    (name = ctx_hints_before(hints, i)) != NULL;
	    i++)
		if (add_member(r, event, hints, name, &beside, err) < 0)
			return -1;
	r->prefix->before = r->prefix->n;
	return 0;
}

static int
add_message(struct reading *r, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct course *course = &r->prefix->course;
	struct ctx_prefix_item *item = add_item(r->prefix, event->record, err);
	struct waiting *one = ctx_course_add(course, err);
	struct ctx_cost cost;
	uint32_t list;

	if (item == NULL || one == NULL)
		return -1;
	item->index = course->n - 1;
	item->role = one->role = event->view->role;
	one->message = true;
	one->node = event->node;
	if (ctx_count_message(course->measure.counter, event->shape->dialect,
		event->view, &cost, err) < 0)
		return -1;
	item->tokens = cost.tokens;
	r->prefix->tokens += cost.tokens;
	r->prefix->estimated += cost.estimated;
	r->pen.json = event->record->json;
	course->hints = ctx_hints_any(event->shape->dialect);
	if (course->hints != NULL) {
		list = ctx_hints_content(course->hints, r->pen.json,
		    event->node);
		if (ctx_course_weigh(course, course->n - 1, &r->pen, err) < 0 ||
		    ctx_course_edit(&r->pen, course->hints, CTX_TTL_5M,
			event->node, 0, err) < 0 ||
		    (list != 0 && ctx_hints_widen(&r->pen, course->hints, list,
				      err) < 0))
			return -1;
	}
	return take_hash(r, item, event->node, err);
}

/* The hints as ctx_cache would write them. */
static int
end(struct reading *r, const struct ctx_json *json,
    const struct ctx_shape *shape, const struct ctx_dialect *dialect,
    struct ctx_err *err)
{
	struct course *course = &r->prefix->course;

	/* Where nothing tells the provider, it is one that hides its cache. */
	if (ctx_course_decide(course, dialect, r->provider, err) < 0) {
		if (err->code != CTX_EARG || r->provider != NULL)
			return -1;
		course->why = CTX_HINTED_AUTO;
	}
	if (course->why == CTX_HINTED)
		ctx_course_place(course, json, shape, &r->prefix->points);
	return 0;
}

static int
one_event(struct reading *r, const struct ctx_event *event,
    struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return begin(r, event, err);
	case CTX_EVENT_MESSAGE:
		if (!event->inside && !r->seen && begin(r, event, err) < 0)
			return -1;
		return add_message(r, event, err);
	case CTX_EVENT_END:
		return end(r, event->record->json, event->shape,
		    event->shape->dialect, err);
	default:
		return 0;
	}
}

static int
read_stream(struct reading *r, struct ctx_err *err)
{
	struct ctx_event event;
	int rc;

	while ((rc = ctx_stream_next(r->stream, &event, err)) > 0)
		if (one_event(r, &event, err) < 0)
			return ctx_stream_fail(r->stream, err);
	if (rc < 0)
		return -1;
	if (!r->seen)
		return ctx_err_set(err, CTX_EARG, "no conversation in it");
	if (r->prefix->course.decided)
		return 0;
	return end(r, NULL, NULL, ctx_stream_dialect(r->stream), err);
}

int
ctx_prefix_read(struct ctx_prefix **prefix, struct ctx_stream *stream,
    struct ctx_meter *meter, const char *provider,
    const struct ctx_hashkey *key, struct ctx_err *err)
{
	struct reading r = {.stream = stream, .meter = meter,
	    .provider = provider, .key = key};
	int rc;

	*prefix = r.prefix = calloc(1, sizeof **prefix);
	if (r.prefix == NULL)
		return ctx_err_nomem(err);
	ctx_json_init(&r.json, meter->simd);
	r.pen.edits = &r.edits;
	rc = read_stream(&r, err);
	ctx_json_release(&r.json);
	ctx_edits_release(&r.edits);
	ctx_hint_pen_release(&r.pen);
	ctx_buf_release(&r.text);
	ctx_buf_release(&r.plain);
	if (rc < 0) {
		ctx_prefix_close(*prefix);
		*prefix = NULL;
	}
	return rc;
}

void
ctx_prefix_close(struct ctx_prefix *prefix)
{
	if (prefix == NULL)
		return;
	ctx_course_clear(&prefix->course);
	free(prefix->course.list);
	free(prefix->items);
	free(prefix);
}

const struct ctx_model *
ctx_prefix_model(const struct ctx_prefix *prefix)
{
	return prefix->course.measure.model;
}

/* ---- the bill ---- */

void
ctx_prefix_prices(const struct ctx_prefix *prefix, enum ctx_ttl ttl,
    struct ctx_prices *prices)
{
	const struct ctx_hints *hints = prefix->course.hints;

	if (prefix->course.why != CTX_HINTED)
		prices->write = prices->in;
	else if (prices->write == 0 || ttl != CTX_TTL_5M)
		prices->write = prices->in / 100 * hints->write_percent[ttl];
	if (prices->read == 0)
		prices->read = prices->in;
}

/* Items that both begin with. */
static size_t
count_shared(const struct ctx_prefix *a, const struct ctx_prefix *b)
{
	size_t n = 0;

	while (n < a->n && n < b->n && a->items[n].hash == b->items[n].hash)
		n++;
	return n;
}

/* Tokens of the first n items. */
static uint64_t
tokens_of(const struct ctx_prefix *prefix, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += prefix->items[i].tokens;
	return sum;
}

/* Does the provider, looking for what it has kept from the breakpoints of
 * the request, come upon the end of message number m? */
static bool
is_found(const struct ctx_prefix *prefix, uint64_t m)
{
	const struct course *course = &prefix->course;
	const struct waiting *one = &course->list[m], *other;
	uint64_t end = one->first + one->places.blocks, point;
	size_t i;

	for (i = 0; i < prefix->points.n; i++) {
		other = &course->list[prefix->points.list[i].number];
		point = other->first + other->places.blocks -
		    prefix->points.list[i].bit;
		if (prefix->points.list[i].number >= m && point >= end &&
		    point - end <= course->hints->lookback)
			return true;
	}
	return false;
}

/* Of n items that are shared, those that can be read from the cache. */
static size_t
count_read(const struct ctx_prefix *later, size_t n)
{
	if (later->course.why != CTX_HINTED)
		return n;
	for (; n > later->before; n--)
		if (is_found(later, n - 1 - later->before))
			return n;
	return n == later->before && later->points.system != 0 ? n : 0;
}

/* Tokens behind the newest message of the earlier request. */
static uint64_t
count_added(const struct ctx_prefix *earlier, const struct ctx_prefix *later)
{
	uint64_t sum = 0;
	size_t i;

	for (i = later->n; i > later->before; i--) {
		if (later->items[i - 1].hash ==
		    earlier->items[earlier->n - 1].hash)
			return sum;
		sum += later->items[i - 1].tokens;
	}
	return 0;
}

static double
dollars(uint64_t tokens, uint64_t price)
{
	return (double)tokens * (double)price / 1e12;
}

/* The calls after which what is saved by each makes up for this one. */
static uint64_t
count_calls(const struct ctx_bill *bill, const struct ctx_prices *prices,
    uint64_t tokens)
{
	double more = bill->cost - bill->cost_unchanged, calls;
	double saved = dollars(bill->kept + bill->added, prices->read) -
	    dollars(tokens, prices->read);

	if (more <= 0)
		return 0;
	if (saved <= 0)
		return CTX_NEVER;
	calls = more / saved;
	return (uint64_t)calls + (calls > (double)(uint64_t)calls);
}

void
ctx_prefix_bill(const struct ctx_prefix *earlier,
    const struct ctx_prefix *later, const struct ctx_prices *prices,
    struct ctx_bill *bill)
{
	const struct ctx_model *model = later->course.measure.model;
	uint64_t least = model != NULL ? model->cache_least : 0;
	size_t n = count_shared(earlier, later), i;

	memset(bill, 0, sizeof *bill);
	bill->records = n > later->before ? n - later->before : 0;
	bill->all = later->n - later->before;
	bill->tokens = tokens_of(later, n);
	for (i = 0; i < n; i++)
		bill->bytes += later->items[i].bytes;
	bill->grown = n == earlier->n;
	if (n < later->n)
		bill->changed = &later->items[n];
	bill->estimated = earlier->estimated + later->estimated > 0;
	bill->read = n == earlier->n && n == later->n
	    ? later->tokens
	    : tokens_of(later, count_read(later, n));
	if (bill->read < least)
		bill->read = 0;
	bill->fresh = later->tokens - bill->read;
	if (later->course.why == CTX_HINTED && later->tokens >= least) {
		bill->written = bill->fresh;
		bill->fresh = 0;
	}
	bill->kept = earlier->tokens;
	bill->added = count_added(earlier, later);
	bill->cost = dollars(bill->read, prices->read) +
	    dollars(bill->written, prices->write) +
	    dollars(bill->fresh, prices->in);
	bill->cost_unchanged = dollars(bill->kept, prices->read) +
	    dollars(bill->added, prices->write);
	bill->calls = bill->grown ? 0
				  : count_calls(bill, prices, later->tokens);
}
