/*
 * breakpoints.c - chooses which content blocks of a conversation get
 * prompt-cache breakpoints
 *
 * The choice depends only on the last blocks of the conversation, so older
 * messages can be written before the conversation ends.  Of each message, only
 * the blocks that may have a breakpoint are stored.
 */
#include <stdlib.h>
#include <string.h>

#include "cache/breakpoints.h"

/* Frees the memory that a struct cache_entry owns, but not the bytes of its
 * record. */
static void
release_entry(void *entry)
{
	free((char *)((struct cache_entry *)entry)->change.tool.p);
}

const struct ctx_held_queue ctx_cache_entries = {
    .entry_size = sizeof(struct cache_entry),
    .release = release_entry,
};

void
ctx_cache_run_clear(struct cache_run *run)
{
	struct ctx_held_queue *entries = run->entries;

	ctx_held_queue_clear(entries);
	memset(run, 0, sizeof *run);
	run->entries = entries;
}

struct cache_entry *
ctx_cache_run_at(const struct cache_run *run, uint64_t number)
{
	return ctx_held_queue_at(run->entries, (size_t)number);
}

struct cache_entry *
ctx_cache_run_add(struct cache_run *run, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct cache_entry *entry =
	    ctx_held_queue_add(run->entries, event, err);

	if (entry != NULL)
		entry->role = event->message->role;
	return entry;
}

/* ---- which provider ---- */

/* Returns how the conversation's model caches prompts: a value of enum
 * ctx_cache_kind, or CTX_CACHES if ctx does not know the model. */
static unsigned
find_cache_kind(const struct cache_run *run)
{
	const struct ctx_model *model = run->model_counter.model;

	if (model == NULL || strcmp(model->vendor, "unknown") == 0)
		return CTX_CACHES;
	return model->cache;
}

/* Returns why a conversation gets no breakpoints. */
static enum ctx_cache_status
find_unmarked_status(const struct cache_run *run)
{
	return find_cache_kind(run) == CTX_CACHE_AUTO
	    ? CTX_CACHE_STATUS_AUTO
	    : CTX_CACHE_STATUS_UNHEEDED;
}

/* Chooses the provider for which cache breakpoints are written, by the model.
 * Sets only run->status if no provider writes them for this model.  Fails if
 * ctx does not know the model.  Used for a message format that many providers
 * accept, because such a format does not identify the provider. */
static int
decide_by_model(struct cache_run *run, struct ctx_err *err)
{
	const struct ctx_breakpoint_format *format;
	const char *provider;

	for (unsigned i = 0; (provider = ctx_breakpoint_provider(i)) != NULL;
	     i++) {
		format = ctx_breakpoint_format_find(run->dialect, provider);
		if (find_cache_kind(run) < CTX_CACHES && format != NULL &&
		    format->models >> find_cache_kind(run) & 1) {
			run->format = format;
			run->status = CTX_CACHE_STATUS_MARKED;
			return 0;
		}
	}
	if (find_cache_kind(run) < CTX_CACHES) {
		run->status = find_unmarked_status(run);
		return 0;
	}
	return ctx_err_set(err, CTX_EARG,
	    "the provider of these messages is not known; give --provider");
}

int
ctx_cache_run_decide(struct cache_run *run, const struct ctx_dialect *dialect,
    const char *provider, struct ctx_err *err)
{
	const struct ctx_breakpoint_format *any;

	run->dialect = dialect;
	run->format = ctx_breakpoint_format_find(dialect, provider);
	run->decided = true;
	if (run->format != NULL) {
		run->status = CTX_CACHE_STATUS_MARKED;
		if (!(run->format->models >> find_cache_kind(run) & 1))
			run->status = find_unmarked_status(run);
		return 0;
	}
	if (provider != NULL)
		return ctx_err_set(err, CTX_EARG,
		    "messages of dialect %s cannot have cache breakpoints of "
		    "%s; give another --provider",
		    dialect->name, provider);
	any = ctx_breakpoint_format_find(dialect, ctx_breakpoint_provider(0));
	if (any != NULL && !any->only_on_request)
		return decide_by_model(run, err);
	run->status = CTX_CACHE_STATUS_NO_FORMAT;
	return 0;
}

/* ---- the places in a message ---- */

int
ctx_cache_run_edit(struct ctx_breakpoint_writer *writer,
    const struct ctx_breakpoint_format *format, enum ctx_ttl ttl,
    uint32_t message, uint32_t mask, struct ctx_err *err)
{
	uint32_t list = ctx_breakpoint_content(format, writer->json, message);

	if (ctx_breakpoint_strip(writer, message, err) < 0)
		return -1;
	return ctx_breakpoint_write(writer, format, ttl, list, mask, err);
}

int
ctx_cache_run_find_places(struct cache_run *run, uint64_t number,
    struct ctx_breakpoint_writer *writer, struct ctx_err *err)
{
	struct cache_entry *entry = ctx_cache_run_at(run, number);
	size_t n_edits = writer->edits->n, n_stored = writer->edits->store.n;

	ctx_breakpoint_find_places(run->format, writer->json,
	    ctx_breakpoint_content(run->format, writer->json, entry->held.node),
	    &entry->places);
	if (run->format->no_marker_roles >> entry->role & 1)
		entry->places.mask = 0;
	if (ctx_cache_run_edit(writer, run->format, CTX_TTL_5M,
		entry->held.node, 0, err) < 0)
		return -1;
	entry->is_unmarked = writer->edits->n == n_edits;
	writer->edits->n = n_edits;
	writer->edits->store.n = n_stored;
	run->leading &= entry->role == CTX_ROLE_SYSTEM;
	if (run->leading) {
		if (entry->places.mask != 0)
			run->system = number + 1;
		return 0;
	}
	entry->first_block = run->blocks;
	/* A message without content, such as one that has only tool calls,
	 * counts as one content block. */
	run->blocks += entry->places.blocks > 0 ? entry->places.blocks : 1;
	if (entry->places.mask != 0) {
		run->previous = run->newest;
		run->newest = number + 1;
	}
	return 0;
}

/* ---- where breakpoints go ---- */

static unsigned
find_lowest_bit(uint32_t mask)
{
	unsigned bit = 0;

	while (!(mask >> bit & 1))
		bit++;
	return bit;
}

/* Returns 1 if the breakpoint after the system prompt is in a system message
 * that was already written, otherwise 0. */
static size_t
is_system_written(const struct cache_run *run)
{
	return run->system > 0 && run->system <= run->entries->first;
}

size_t
ctx_breakpoints_count(const struct breakpoints *points,
    const struct cache_run *run)
{
	return points->n + (points->system != 0) + (points->tools != 0) +
	    is_system_written(run);
}

/* Adds a breakpoint to the list, unless the list already has it.  The list has
 * space for all four breakpoints of a request. number: number of the message.
 * bit: which of the message's blocks, see struct breakpoints. */
static void
add_breakpoint(struct breakpoints *points, uint64_t number, unsigned bit,
    const char *rule)
{
	for (size_t i = 0; i < points->n; i++)
		if (points->list[i].number == number &&
		    points->list[i].bit == bit)
			return;
	points->list[points->n].number = number;
	points->list[points->n].rule = rule;
	points->list[points->n++].bit = bit;
}

/* Adds the breakpoint of a message to the list: at the last content block of
 * the message that may have a breakpoint. number: number of the message plus 1,
 * or 0 for no message.  Adds nothing if the message was already written. */
static void
add_breakpoint_at_end(const struct cache_run *run, struct breakpoints *points,
    uint64_t number, const char *rule)
{
	if (number > run->entries->first)
		add_breakpoint(points, number - 1,
		    find_lowest_bit(
			ctx_cache_run_at(run, number - 1)->places.mask),
		    rule);
}

uint64_t
ctx_cache_run_newest(const struct cache_run *run)
{
	const struct cache_entry *entry =
	    ctx_cache_run_at(run, run->newest - 1);

	return entry->first_block + entry->places.blocks - 1 -
	    find_lowest_bit(entry->places.mask);
}

/* Adds a breakpoint to the list: BREAKPOINT_STEP content blocks before the
 * newest breakpoint, or at the next block that may have a breakpoint.  Adds
 * nothing if there are fewer blocks, or if none of these blocks may have a
 * breakpoint. */
static void
add_earlier_breakpoint(const struct cache_run *run, struct breakpoints *points)
{
	uint64_t last = ctx_cache_run_newest(run), at, end;
	const struct cache_entry *entry;

	for (size_t i = run->entries->first;
	     i < run->entries->end && last > BREAKPOINT_STEP; i++) {
		entry = ctx_cache_run_at(run, i);
		end = entry->first_block + entry->places.blocks;
		at = last - BREAKPOINT_STEP;
		if (entry->held.dialect == NULL || entry->places.mask == 0 ||
		    end <= at)
			continue;
		if (at < entry->first_block)
			at = entry->first_block;
		for (; at < end && at < last; at++)
			if (end - 1 - at < CTX_BREAKPOINT_REACH &&
			    entry->places.mask >> (end - 1 - at) & 1) {
				add_breakpoint(points, i,
				    (unsigned)(end - 1 - at),
				    "15 blocks before");
				return;
			}
	}
}

void
ctx_cache_run_place_system(const struct cache_run *run,
    struct breakpoints *points)
{
	memset(points, 0, sizeof *points);
	points->format = run->format;
	points->max = CTX_BREAKPOINTS_MAX;
	add_breakpoint_at_end(run, points, run->system, "system prompt");
}

void
ctx_cache_run_place(const struct cache_run *run, const struct ctx_json *json,
    const struct ctx_record_layout *layout, struct breakpoints *points)
{
	const struct ctx_breakpoint_format *format = run->format;
	struct ctx_breakpoint_places system = {0}, tools = {0};
	bool own = format->implicit_breakpoint[0] != NULL;

	if (layout != NULL && layout->in_request) {
		own = ctx_breakpoint_is_implicit(format, json, layout->request);
		ctx_breakpoint_find_places(format, json,
		    ctx_breakpoint_system(format, json, layout->request),
		    &system);
		ctx_breakpoint_find_tool_places(format, json,
		    ctx_breakpoint_tools(format, json, layout->request),
		    &tools);
	}
	memset(points, 0, sizeof *points);
	points->format = format;
	points->max = CTX_BREAKPOINTS_MAX - own;
	if (!own)
		add_breakpoint_at_end(run, points, run->newest,
		    "newest message");
	if (system.mask != 0)
		points->system = 1u << find_lowest_bit(system.mask);
	else
		add_breakpoint_at_end(run, points, run->system,
		    "system prompt");
	if (format->lookback > 0 && run->newest > 0)
		add_earlier_breakpoint(run, points);
	add_breakpoint_at_end(run, points, run->previous, "message before");
	if (format->tool_models >> find_cache_kind(run) & 1 &&
	    ctx_breakpoints_count(points, run) < points->max)
		points->tools = tools.mask;
}

uint32_t
ctx_breakpoints_of(const struct breakpoints *points, uint64_t number)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < points->n; i++)
		if (points->list[i].number == number)
			mask |= 1u << points->list[i].bit;
	return mask;
}

const char *
ctx_breakpoints_rule(const struct breakpoints *points, uint64_t number)
{
	for (size_t i = 0; i < points->n; i++)
		if (points->list[i].number == number)
			return points->list[i].rule;
	return NULL;
}
