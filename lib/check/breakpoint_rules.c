/*
 * breakpoint_rules.c - checks the number and the places of cache breakpoints
 *
 * A request may have four breakpoints, or three if it asks for automatic
 * caching (by a member "cache_control" of the request) and the last block of
 * its last message has no breakpoint.  If a request has more, --repair removes
 * those that come first in the cached prefix: first those of the tools, then
 * those of the system prompt, then those of the oldest messages.  The newest
 * breakpoints are kept because they cover the most tokens.
 *
 * In the order tools, system prompt, messages, no breakpoint of one hour may
 * come after one of five minutes.  Automatic caching counts as the last
 * breakpoint.  If the last block has a breakpoint of its own, both must last
 * equally long.
 */
#include <string.h>

#include "check/validator.h"

/* The breakpoint that the provider itself puts on the last block of a request,
 * if the request asks for automatic caching; otherwise mark.node is 0. */
struct automatic_caching {
	struct ctx_breakpoint_seen mark; /* the member of the request */
	uint32_t last_block;             /* JSON node, or 0 */
};

/* Returns how cache breakpoints are written for the provider of the request, or
 * NULL if the provider has no breakpoints. */
static const struct ctx_breakpoint_format *
find_breakpoint_format(const struct ctx_validator *validator)
{
	const struct ctx_breakpoint_format *format = NULL;

	if (validator->dialect == NULL ||
	    !(validator->rules & CTX_FEW_BREAKPOINTS))
		return NULL;
	if (validator->provider != NULL)
		format = ctx_breakpoint_format_find(validator->dialect,
		    validator->provider->name);
	return format != NULL
	    ? format
	    : ctx_breakpoint_format_find(validator->dialect, NULL);
}

/* Goes back from p over white space in a JSON text.  Returns the address after
 * the last byte that is not white space. */
static const char *
skip_space_before(const char *p)
{
	while (memchr(" \t\r\n", p[-1], 4) != NULL)
		p--;
	return p;
}

struct ctx_str
ctx_child_span(const struct ctx_json *json, uint32_t container, uint32_t child,
    bool first)
{
	const struct ctx_node *nodes = json->nodes;
	uint32_t object = nodes[container].kind == CTX_JSON_OBJECT;
	uint32_t next = nodes[child + object].next;
	const char *from = json->text + nodes[child].at;
	const char *to = json->text + nodes[child + object].end;
	const char *before = skip_space_before(from);

	if (!first && before[-1] == ',')
		from = skip_space_before(before - 1);
	else if (next < nodes[container].next)
		to = json->text + nodes[next].at;
	return (struct ctx_str){from, (size_t)(to - from)};
}

/* Returns why a cache breakpoint is refused at its place, or NULL if it is
 * accepted.  A breakpoint that is a member of a block (Anthropic) must not be
 * in a reasoning block.  A breakpoint that is a separate array element
 * (Bedrock) must not come directly after reasoning, or after a document that is
 * not a PDF. */
static const char *
find_misplacement(const struct ctx_json *json,
    const struct ctx_breakpoint_seen *mark)
{
	bool separate = json->nodes[mark->container].kind == CTX_JSON_ARRAY;
	uint32_t type, document;

	if (mark->marked == 0)
		return NULL;
	type = ctx_json_find(json, mark->marked, "type");
	if (ctx_json_find(json, mark->marked, "reasoningContent") != 0)
		return "a cache breakpoint directly follows reasoning";
	if (ctx_json_is(json, type, "thinking") ||
	    ctx_json_is(json, type, "redacted_thinking"))
		return "a cache breakpoint is on reasoning";
	document = separate ? ctx_json_find(json, mark->marked, "document") : 0;
	type = document == 0 ? 0 : ctx_json_find(json, document, "format");
	return type != 0 && !ctx_json_is(json, type, "pdf")
	    ? "a cache breakpoint directly follows a document that is not a PDF"
	    : NULL;
}

/* Returns the JSON node of the time that a breakpoint of one hour lasts, or 0
 * for a breakpoint of five minutes. */
static uint32_t
find_hour(const struct ctx_json *json, const struct ctx_breakpoint_seen *mark)
{
	uint32_t value = json->nodes[mark->container].kind == CTX_JSON_ARRAY
	    ? ctx_json_find(json, mark->node, "cachePoint")
	    : mark->node + 1;
	uint32_t time = ctx_json_find(json, value, "ttl");

	return time != 0 && ctx_json_is(json, time, "1h") ? time : 0;
}

/* Reports a breakpoint of one hour after one of five minutes.  The repair makes
 * it one of five minutes. */
static int
check_time_order(struct ctx_validator *validator,
    const struct ctx_breakpoint_seen *mark, const struct ctx_json *json)
{
	uint32_t time = find_hour(json, mark);
	struct ctx_finding finding = {.id = CTX_RULE_BAD_MARKER,
	    .place = mark->place,
	    .replacement = {"\"5m\"", 4},
	    .in_request = mark->outside_messages};

	if (time == 0) {
		validator->has_short_breakpoint = true;
		return 0;
	}
	if (!validator->has_short_breakpoint)
		return 0;
	finding.old = ctx_json_str(json, time);
	return ctx_validate_report(validator, &finding,
	    "a cache breakpoint of one hour comes after one of five minutes");
}

/* Reports a breakpoint of the last block that lasts longer or shorter than that
 * of automatic caching.  The repair removes it, because automatic caching marks
 * the last block, too. */
static int
refuse_other_time(struct ctx_validator *validator,
    const struct ctx_breakpoint_seen *mark, const struct ctx_json *json)
{
	struct ctx_finding finding = {.id = CTX_RULE_BAD_MARKER,
	    .place = mark->place,
	    .old = ctx_child_span(json, mark->container, mark->node, false),
	    .replacement = {"", 0}};

	return ctx_validate_report(validator, &finding,
	    "the cache breakpoint of the last block and automatic caching "
	    "last different times");
}

/* Reports a breakpoint of a conversation with more than the maximum number. */
static int
refuse_surplus_breakpoint(struct ctx_validator *validator,
    const struct ctx_breakpoint_seen *mark, size_t most)
{
	const char *what = most == CTX_BREAKPOINTS_MAX
	    ? "more than 4 cache breakpoints; this breakpoint is not among "
	      "the newest"
	    : "more than 3 cache breakpoints beside automatic caching; "
	      "the last 3 are kept, not this one";
	const struct ctx_json *json = mark->json;
	struct ctx_finding finding = {.id = CTX_RULE_MANY_MARKERS,
	    .place = mark->place,
	    .in_request = mark->outside_messages};

	finding.replacement.p = "";
	if (json == NULL && mark->place.message == validator->place.message)
		json = validator->message->json;
	/* Before a breakpoint that marks no block, there are only breakpoints
	 * in its array, and all of them are removed earlier. */
	if (json != NULL)
		finding.old = ctx_child_span(json, mark->container, mark->node,
		    mark->marked == 0);
	return ctx_validate_report(validator, &finding, what);
}

static int
add_breakpoint_seen(struct ctx_validator *validator,
    const struct ctx_breakpoint_seen *mark)
{
	if (CTX_GROW(validator->breakpoints, validator->breakpoints_cap,
		validator->n_breakpoints + 1, validator->err) < 0)
		return -1;
	validator->breakpoints[validator->n_breakpoints++] = *mark;
	/* If the messages are inside a request, all breakpoints are counted at
	 * the end of the request, because the breakpoints of its tools and
	 * system prompt count, too. */
	if (mark->json != NULL ||
	    validator->n_breakpoints <= CTX_BREAKPOINTS_MAX)
		return 0;
	if (refuse_surplus_breakpoint(validator, validator->breakpoints,
		CTX_BREAKPOINTS_MAX) < 0)
		return -1;
	validator->n_breakpoints--;
	memmove(validator->breakpoints, validator->breakpoints + 1,
	    validator->n_breakpoints * sizeof *validator->breakpoints);
	return 0;
}

static int
check_breakpoint(void *user, const struct ctx_json *json, uint32_t container,
    uint32_t node, uint32_t marked, struct ctx_err *err)
{
	struct ctx_validator *validator = user;
	struct ctx_breakpoint_seen mark = {.place = validator->place,
	    .json = validator->place.inside ? json : NULL,
	    .container = container,
	    .node = node,
	    .marked = marked,
	    .outside_messages = validator->outside_messages};
	const char *why =
	    validator->outside_messages ? NULL : find_misplacement(json, &mark);
	int rc;

	(void)err;
	if (why != NULL) {
		validator->replacement.n = 0;
		rc = ctx_validate_refuse_text(validator, CTX_RULE_BAD_MARKER,
		    ctx_child_span(json, container, node, false), why);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
	}
	/* In a request, the order is checked at its end, because its tools and
	 * system prompt come before the messages. */
	if (mark.json == NULL && check_time_order(validator, &mark, json) < 0)
		return -1;
	return add_breakpoint_seen(validator, &mark);
}

int
ctx_validate_markers(struct ctx_validator *validator)
{
	const struct ctx_breakpoint_format *format =
	    find_breakpoint_format(validator);
	const struct ctx_message *message = validator->message;

	if (format == NULL)
		return 0;
	return ctx_breakpoint_each(format, message->json,
	    ctx_breakpoint_content(format, message->json, message->node),
	    validator, check_breakpoint, validator->err);
}

/* Returns the last element of an array, or 0 if the node is not an array or has
 * no elements. */
static uint32_t
find_last_element(const struct ctx_json *json, uint32_t list)
{
	uint32_t at = 0, last = 0;

	while (ctx_json_next_element(json, list, &at))
		last = at;
	return last;
}

/* Finds the breakpoint that the provider itself puts on the last block if the
 * request asks for automatic caching.  Its node is 0 if it does not. messages:
 * JSON node of the messages. */
static struct automatic_caching
find_automatic(const struct ctx_validator *validator,
    const struct ctx_breakpoint_format *format, const struct ctx_json *json,
    uint32_t request, uint32_t messages)
{
	struct automatic_caching automatic = {
	    .mark =
		{
		    .place = validator->place,
		    .json = json,
		    .container = request,
		    .outside_messages = true,
		},
	};
	uint32_t value = ctx_json_find(json, request, format->key);
	uint32_t message;

	if (format->separate_block || value == 0 ||
	    json->nodes[value].kind != CTX_JSON_OBJECT)
		return automatic;
	automatic.mark.node = value - 1;
	message = find_last_element(json, messages);
	if (message != 0)
		automatic.last_block = find_last_element(json,
		    ctx_breakpoint_content(format, json, message));
	return automatic;
}

/* Checks whether a breakpoint lasts as long as those before it, and as
 * automatic caching, allow. */
static int
check_time(struct ctx_validator *validator, const struct ctx_json *json,
    const struct ctx_breakpoint_seen *mark,
    const struct automatic_caching *automatic)
{
	return automatic->mark.node != 0 &&
		mark->container == automatic->last_block &&
		(find_hour(json, mark) != 0) !=
		    (find_hour(json, &automatic->mark) != 0)
	    ? refuse_other_time(validator, mark, json)
	    : check_time_order(validator, mark, json);
}

int
ctx_validate_all_markers(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t request, uint32_t messages)
{
	const struct ctx_breakpoint_format *format =
	    find_breakpoint_format(validator);
	size_t of_messages = validator->n_breakpoints, first, i, n;
	size_t most = CTX_BREAKPOINTS_MAX;
	const struct ctx_breakpoint_seen *mark;
	struct automatic_caching automatic;

	if (format == NULL)
		return 0;
	if (ctx_breakpoint_each(format, json,
		ctx_breakpoint_tools(format, json, request), validator,
		check_breakpoint, validator->err) < 0 ||
	    ctx_breakpoint_each(format, json,
		ctx_breakpoint_system(format, json, request), validator,
		check_breakpoint, validator->err) < 0)
		return -1;
	automatic = find_automatic(validator, format, json, request, messages);
	/* The list has the breakpoints of the messages before those of the
	 * tools and the system prompt.  In the cached prefix the tools and the
	 * system prompt come first, so their breakpoints are reported first. */
	n = validator->n_breakpoints;
	first = of_messages;
	if (n > 0 && automatic.mark.node != 0 &&
	    validator->breakpoints[(first + n - 1) % n].container !=
		automatic.last_block)
		most--;
	for (i = 0; i < n; i++) {
		mark = &validator->breakpoints[(first + i) % n];
		if ((i + most < n
			    ? refuse_surplus_breakpoint(validator, mark, most)
			    : check_time(validator, json, mark, &automatic)) <
		    0)
			return -1;
	}
	validator->n_breakpoints = 0;
	return automatic.mark.node == 0
	    ? 0
	    : check_time_order(validator, &automatic.mark, json);
}
