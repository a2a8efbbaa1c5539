/*
 * breakpoints.c - where the hints of a conversation go
 *
 * What a message has to offer is a few words, noted when it comes.  The end
 * of a conversation depends on its last blocks, so that older messages need
 * not be there any more when it is reached.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/breakpoints.h"

void
ctx_waiting_release(struct waiting *one)
{
	free(one->text);
	free((char *)one->touch.tool.p);
	one->text = NULL;
	one->touch.tool = (struct ctx_str){NULL, 0};
}

void
ctx_course_clear(struct course *course)
{
	struct waiting *list = course->list;
	size_t cap = course->cap, i;

	for (i = 0; i < course->n; i++)
		ctx_waiting_release(&list[i]);
	memset(course, 0, sizeof *course);
	course->list = list;
	course->cap = cap;
}

struct waiting *
ctx_course_add(struct course *course, struct ctx_err *err)
{
	struct waiting *list;

	list = ctx_grow(course->list, &course->cap, course->n + 1, sizeof *list,
	    err);
	if (list == NULL)
		return NULL;
	course->list = list;
	memset(&list[course->n], 0, sizeof *list);
	return &list[course->n++];
}

/* ---- which provider ---- */

/* What is known of the model's cache, as a bit of the masks of ctx_hints. */
static unsigned
cache_of(const struct course *course)
{
	const struct ctx_model *model = course->measure.model;

	if (model == NULL || strcmp(model->vendor, "unknown") == 0)
		return CTX_CACHES;
	return model->cache;
}

/* Any provider could have been sent such messages; which of them has the
 * model? */
static int
decide_by_model(struct course *course, struct ctx_err *err)
{
	const struct ctx_hints *hints;
	const char *provider;
	unsigned i;

	for (i = 0; (provider = ctx_hints_provider(i)) != NULL; i++) {
		hints = ctx_hints_find(course->dialect, provider);
		if (cache_of(course) < CTX_CACHES && hints != NULL &&
		    hints->models >> cache_of(course) & 1) {
			course->hints = hints;
			course->why = CTX_HINTED;
			return 0;
		}
	}
	if (cache_of(course) < CTX_CACHES) {
		course->why = cache_of(course) == CTX_CACHE_AUTO
		    ? CTX_HINTED_AUTO
		    : CTX_HINTED_UNHEEDED;
		return 0;
	}
	return ctx_err_set(err, CTX_EARG,
	    "nothing tells the provider of "
	    "these messages; give --provider");
}

int
ctx_course_decide(struct course *course, const struct ctx_dialect *dialect,
    const char *provider, struct ctx_err *err)
{
	const struct ctx_hints *any;

	course->dialect = dialect;
	course->hints = ctx_hints_find(dialect, provider);
	course->decided = true;
	if (course->hints != NULL) {
		course->why = CTX_HINTED;
		if (!(course->hints->models >> cache_of(course) & 1))
			course->why = cache_of(course) == CTX_CACHE_AUTO
			    ? CTX_HINTED_AUTO
			    : CTX_HINTED_UNHEEDED;
		return 0;
	}
	if (provider != NULL)
		return ctx_err_set(err, CTX_EARG,
		    "messages of %s cannot carry the hints of %s",
		    dialect->name, provider);
	any = ctx_hints_find(dialect, ctx_hints_provider(0));
	if (any != NULL && !any->never_found)
		return decide_by_model(course, err);
	course->why = CTX_HINTED_NEVER;
	return 0;
}

/* ---- what a message has to offer ---- */

int
ctx_course_edit(struct ctx_hint_pen *pen, const struct ctx_hints *hints,
    enum ctx_ttl ttl, uint32_t message, uint32_t mask, struct ctx_err *err)
{
	uint32_t list = ctx_hints_content(hints, pen->json, message);

	if (ctx_hints_strip(pen, message, err) < 0)
		return -1;
	return ctx_hints_write(pen, hints, ttl, list, mask, err);
}

int
ctx_course_weigh(struct course *course, uint64_t number,
    struct ctx_hint_pen *pen, struct ctx_err *err)
{
	struct waiting *one = &course->list[number - course->gone];
	size_t noted = pen->edits->n, kept = pen->edits->store.n;

	ctx_hints_places(course->hints, pen->json,
	    ctx_hints_content(course->hints, pen->json, one->node),
	    &one->places);
	if (course->hints->silent >> one->role & 1)
		one->places.mask = 0;
	if (ctx_course_edit(pen, course->hints, CTX_TTL_5M, one->node, 0, err) <
	    0)
		return -1;
	one->clean = pen->edits->n == noted;
	pen->edits->n = noted;
	pen->edits->store.n = kept;
	course->leading &= one->role == CTX_ROLE_SYSTEM;
	if (course->leading) {
		if (one->places.mask != 0)
			course->system = number + 1;
		return 0;
	}
	one->first = course->blocks;
	/* What has no blocks but calls stands for something, too. */
	course->blocks += one->places.blocks > 0 ? one->places.blocks : 1;
	if (one->places.mask != 0) {
		course->previous = course->newest;
		course->newest = number + 1;
	}
	return 0;
}

/* ---- where hints go ---- */

static unsigned
lowest(uint32_t mask)
{
	unsigned bit = 0;

	while (!(mask >> bit & 1))
		bit++;
	return bit;
}

/* Has the last system message left, with its hint? */
static size_t
has_left(const struct course *course)
{
	return course->system > 0 && course->system <= course->gone;
}

size_t
ctx_breakpoints_count(const struct breakpoints *points,
    const struct course *course)
{
	return points->n + (points->system != 0) + (points->tools != 0) +
	    has_left(course);
}

/* Notes a hint, if it is not noted yet.  There are four rules, and as many
 * hints in a list. */
static void
add_point(struct breakpoints *points, uint64_t number, unsigned bit,
    const char *rule)
{
	size_t i;

	for (i = 0; i < points->n; i++)
		if (points->list[i].number == number &&
		    points->list[i].bit == bit)
			return;
	points->list[points->n].number = number;
	points->list[points->n].rule = rule;
	points->list[points->n++].bit = bit;
}

/* The same at the last block of message number - 1 that may carry one. */
static void
add_end(const struct course *course, struct breakpoints *points,
    uint64_t number, const char *rule)
{
	if (number > course->gone)
		add_point(points, number - 1,
		    lowest(course->list[number - 1 - course->gone].places.mask),
		    rule);
}

uint64_t
ctx_course_newest(const struct course *course)
{
	const struct waiting *one =
	    &course->list[course->newest - 1 - course->gone];

	return one->first + one->places.blocks - 1 - lowest(one->places.mask);
}

/* Notes a hint COURSE_STEP blocks before the newest, or soon after. */
static void
add_step(const struct course *course, struct breakpoints *points)
{
	uint64_t last = ctx_course_newest(course), at, end;
	const struct waiting *one;
	size_t i;

	for (i = 0; i < course->n && last > COURSE_STEP; i++) {
		one = &course->list[i];
		end = one->first + one->places.blocks;
		at = last - COURSE_STEP;
		if (!one->message || one->places.mask == 0 || end <= at)
			continue;
		if (at < one->first)
			at = one->first;
		for (; at < end && at < last; at++)
			if (end - 1 - at < CTX_HINTS_REACH &&
			    one->places.mask >> (end - 1 - at) & 1) {
				add_point(points, course->gone + i,
				    (unsigned)(end - 1 - at),
				    "15 blocks before");
				return;
			}
	}
}

void
ctx_course_place_system(const struct course *course, struct breakpoints *points)
{
	memset(points, 0, sizeof *points);
	points->most = CTX_HINTS_MOST;
	add_end(course, points, course->system, "system prompt");
}

void
ctx_course_place(const struct course *course, const struct ctx_json *json,
    const struct ctx_shape *shape, struct breakpoints *points)
{
	const struct ctx_hints *hints = course->hints;
	struct ctx_hint_places system = {0}, tools = {0};
	bool own = hints->own[0] != NULL;

	if (shape != NULL && shape->in_request) {
		own = ctx_hints_own(hints, json, shape->request);
		ctx_hints_places(hints, json,
		    ctx_hints_system(hints, json, shape->request), &system);
		ctx_hints_tool_places(hints, json,
		    ctx_hints_tools(hints, json, shape->request), &tools);
	}
	memset(points, 0, sizeof *points);
	points->most = CTX_HINTS_MOST - own;
	if (!own)
		add_end(course, points, course->newest, "newest message");
	if (system.mask != 0)
		points->system = 1u << lowest(system.mask);
	else
		add_end(course, points, course->system, "system prompt");
	if (hints->lookback > 0 && course->newest > 0)
		add_step(course, points);
	add_end(course, points, course->previous, "message before");
	if (hints->tool_models >> cache_of(course) & 1 &&
	    ctx_breakpoints_count(points, course) < points->most)
		points->tools = tools.mask;
}

uint32_t
ctx_breakpoints_of(const struct breakpoints *points, uint64_t number)
{
	uint32_t mask = 0;
	size_t i;

	for (i = 0; i < points->n; i++)
		if (points->list[i].number == number)
			mask |= 1u << points->list[i].bit;
	return mask;
}

const char *
ctx_breakpoints_rule(const struct breakpoints *points, uint64_t number)
{
	size_t i;

	for (i = 0; i < points->n; i++)
		if (points->list[i].number == number)
			return points->list[i].rule;
	return NULL;
}
