/*
 * transcript.c - reads the lines of an agent's session file, and decides which
 * of them are active, so that the agent would send them to the model
 *
 * A later line can remove an earlier one, so the decision is made at the end of
 * the file (replay_log.c, active_branch.c).
 *
 * ctx can remove lines, too.  If another line contains the id of a removed
 * line, for example as its parent, ctx writes the id of a line that is kept
 * instead.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cost/cost.h"
#include "transcript/lines.h"

void
ctx_transcript_release(struct ctx_transcript *transcript)
{
	free(transcript->lines);
	free(transcript->newest_of_id);
	ctx_intern_release(&transcript->names);
	ctx_buf_release(&transcript->model);
	ctx_buf_release(&transcript->text);
	ctx_buf_release(&transcript->literal);
	memset(transcript, 0, sizeof *transcript);
}

static void
release_lines(struct ctx_transcript *transcript)
{
	ctx_intern_reset(&transcript->names);
	free(transcript->lines);
	free(transcript->newest_of_id);
	transcript->lines = NULL;
	transcript->newest_of_id = NULL;
	transcript->n = transcript->cap = transcript->cap_ids = 0;
}

void
ctx_transcript_begin(struct ctx_transcript *transcript,
    const struct ctx_dialect *dialect, bool only)
{
	if (only)
		release_lines(transcript);
	transcript->dialect = dialect;
	transcript->dialect_index = 0;
	while (ctx_dialect_at(transcript->dialect_index) != dialect)
		transcript->dialect_index++;
	transcript->from = transcript->n;
	transcript->newest_id = 0;
	transcript->model.n = 0;
}

/* ---- the lines of a file ---- */

/* Adds the 8 bytes at p to a checksum.  Two different groups of 8 bytes, added
 * to the same checksum, always give different results. */
INLINE uint64_t
add_word(uint64_t sum, const char *p)
{
	sum = (sum ^ load_word(p)) * UINT64_C(0x9e3779b97f4a7c15);
	return sum << 31 | sum >> 33;
}

/* Returns a checksum of a text, to detect that a file has changed.  It takes
 * less time than ctx_hash, but does not detect a change that was made on
 * purpose to keep the checksum. */
static uint32_t
sum_text(struct ctx_str text)
{
	uint64_t even = text.n, odd = 1;
	char rest[16] = {0};

	for (; text.n >= 16; text.p += 16, text.n -= 16) {
		even = add_word(even, text.p);
		odd = add_word(odd, text.p + 8);
	}
	memcpy(rest, text.p, text.n);
	even = add_word(even, rest);
	odd = add_word(odd, rest + 8);
	return (uint32_t)((even ^ odd << 1 ^ odd >> 63) >> 32);
}

bool
ctx_transcript_is_same(const struct ctx_transcript *transcript, uint32_t line,
    struct ctx_str text)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	return entry->length == text.n && entry->checksum == sum_text(text);
}

size_t
ctx_transcript_length(const struct ctx_transcript *transcript, uint32_t line)
{
	return ctx_transcript_line(transcript, line)->length;
}

/* Returns the number of an id in the intern table.  The id is a JSON string;
 * it is decoded and encoded again, so that ids with different escapes are
 * equal. */
static int
intern_name(struct ctx_transcript *transcript, const struct ctx_json *json,
    uint32_t node, uint32_t *name, struct ctx_err *err)
{
	struct ctx_str str;

	*name = 0;
	if (node == 0 || json->nodes[node].kind != CTX_JSON_STRING)
		return 0;
	str = ctx_json_str(json, node);
	if (json->nodes[node].escaped) {
		transcript->text.n = transcript->literal.n = 0;
		if (ctx_json_string_decode(&transcript->text, str, err) < 0 ||
		    ctx_json_string_encode(&transcript->literal,
			transcript->text.p, transcript->text.n, err) < 0)
			return -1;
		str = (struct ctx_str){transcript->literal.p,
		    transcript->literal.n};
	}
	return ctx_intern(&transcript->names, str.p, str.n, name, err);
}

/* Returns true if the line leaves the lines before it as active as they were.
 * is_new: no earlier line contains its id. */
static bool
is_appended_line(const struct ctx_transcript *transcript,
    const struct ctx_transcript_line *entry, bool is_new)
{
	if (entry->kind == CTX_LINE_ASIDE)
		return true;
	if ((entry->kind != CTX_LINE_MESSAGE && entry->kind != CTX_LINE_LINK) ||
	    !is_new || (entry->flags & CTX_LINE_SIDE))
		return false;
	return transcript->dialect->history == CTX_HISTORY_LOG ||
	    entry->id == 0 || entry->parent == transcript->newest_id;
}

static int
record_line(struct ctx_transcript *transcript,
    struct ctx_transcript_line *entry, const struct ctx_json *json,
    struct ctx_err *err)
{
	size_t names = transcript->names.n;
	struct ctx_line_place line;
	struct ctx_str model;

	transcript->dialect->read_line(json, 0, &line);
	entry->kind = (uint8_t)line.kind;
	entry->flags = (uint8_t)line.flags;
	if (line.kind == CTX_LINE_ASIDE)
		entry->billed =
		    ctx_billed_input(json, 0, transcript->dialect->usage.line);
	entry->turns =
	    line.turns > UINT32_MAX ? UINT32_MAX : (uint32_t)line.turns;
	if (intern_name(transcript, json, line.id, &entry->id, err) < 0)
		return -1;
	names = entry->id > names ? entry->id : 0;
	if (intern_name(transcript, json, line.parent, &entry->parent, err) <
		0 ||
	    intern_name(transcript, json, line.about, &entry->about, err) < 0 ||
	    intern_name(transcript, json, line.same, &entry->same, err) < 0)
		return -1;
	entry->is_appended =
	    is_appended_line(transcript, entry, entry->id == 0 || names != 0);
	if (entry->kind != CTX_LINE_ASIDE && entry->id != 0)
		transcript->newest_id = entry->id;
	if (line.model == 0 || json->nodes[line.model].kind != CTX_JSON_STRING)
		return 0;
	model = ctx_json_str(json, line.model);
	transcript->model.n = 0;
	return ctx_buf_add(&transcript->model, model.p, model.n, err);
}

int
ctx_transcript_add(struct ctx_transcript *transcript,
    const struct ctx_record *record, struct ctx_err *err)
{
	struct ctx_transcript_line *grown, *entry;

	if (transcript->n >= UINT32_MAX)
		return ctx_err_set(err, CTX_ELIMIT,
		    "the transcript has more than 4294967294 lines");
	grown = ctx_grow(transcript->lines, &transcript->cap, transcript->n + 1,
	    sizeof *grown, err);
	if (grown == NULL)
		return -1;
	transcript->lines = grown;
	entry = &grown[transcript->n++];
	memset(entry, 0, sizeof *entry);
	entry->length = (uint32_t)record->text.n;
	entry->checksum = sum_text(record->text);
	entry->dialect = transcript->dialect_index;
	entry->begins_file = transcript->n - 1 == transcript->from;
	return record->kind == CTX_RECORD_JSON
	    ? record_line(transcript, entry, record->json, err)
	    : 0;
}

/* ---- deciding which are active ---- */

/* An agent may write a message as several lines of its session file.  Marks
 * each of these lines but the last, so that the message is known to continue.
 * Skips lines that are not sent to the model. */
static int
mark_continuations(struct ctx_transcript *transcript, struct ctx_err *err)
{
	uint32_t *last = calloc(transcript->names.n + 1, sizeof *last);
	struct ctx_transcript_line *entry;
	size_t i;

	if (last == NULL)
		return ctx_err_nomem(err);
	for (i = transcript->from; i < transcript->n; i++) {
		entry = &transcript->lines[i];
		if (!entry->active || entry->same == 0 ||
		    entry->kind != CTX_LINE_MESSAGE)
			continue;
		if (last[entry->same] != 0) {
			ctx_transcript_line(transcript, last[entry->same])
			    ->is_continued = true;
			entry->continues = true;
			entry->first_line =
			    ctx_transcript_line(transcript, last[entry->same])
				->first_line;
			if (entry->first_line == 0)
				entry->first_line = last[entry->same];
			ctx_transcript_line(transcript, entry->first_line)
			    ->kept_lines++;
		}
		last[entry->same] = (uint32_t)i + 1;
	}
	free(last);
	return 0;
}

/* A line may report the input tokens of a request.  Stores their number in the
 * first line of the response to this request.  A report that has no response
 * before it belongs to the next response, because Codex 0.40 wrote reports
 * before responses.  But if its number is that of the report before, it only
 * repeats that report and is ignored. */
static void
assign_billed_usage(struct ctx_transcript *transcript)
{
	struct ctx_transcript_line *entry, *first = NULL;
	uint64_t billed, last = 0, waiting = 0;
	size_t i;

	for (i = transcript->from; i < transcript->n; i++) {
		entry = &transcript->lines[i];
		billed = entry->billed;
		entry->billed = 0;
		if (billed > 0) {
			if (first != NULL)
				first->billed = billed;
			waiting = first == NULL && billed != last ? billed : 0;
			last = billed;
			first = NULL;
		} else if (entry->kind != CTX_LINE_ASIDE) {
			if (!entry->active ||
			    !(entry->flags & CTX_LINE_ANSWER)) {
				first = NULL;
			} else if (first == NULL) {
				first = entry;
				entry->billed = waiting;
			}
			waiting = 0;
		}
	}
}

/* Follows chains of replaced lines: if A was replaced by B and B by C, sets C
 * as the line that replaced A. */
static void
compress_replacements(struct ctx_transcript *transcript)
{
	uint32_t newer;
	size_t i;

	for (i = transcript->n; i-- > transcript->from;) {
		newer = transcript->lines[i].newer;
		if (newer != 0 &&
		    ctx_transcript_line(transcript, newer)->newer != 0)
			transcript->lines[i].newer =
			    ctx_transcript_line(transcript, newer)->newer;
	}
}

int
ctx_transcript_decide(struct ctx_transcript *transcript, struct ctx_err *err)
{
	int rc;

	if (transcript->dialect->history == CTX_HISTORY_LOG)
		rc = ctx_transcript_replay_log(transcript, err);
	else
		rc = ctx_transcript_active_branch(transcript, NULL, err);
	if (rc < 0 || mark_continuations(transcript, err) < 0)
		return -1;
	compress_replacements(transcript);
	assign_billed_usage(transcript);
	return 0;
}

bool
ctx_transcript_is_active(const struct ctx_transcript *transcript, uint32_t line,
    unsigned *flags)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	if (!entry->active || entry->kind == CTX_LINE_LINK)
		return false;
	*flags |= (entry->is_continued ? CTX_MESSAGE_IS_CONTINUED : 0u) |
	    (entry->continues ? CTX_MESSAGE_CONTINUES : 0u) |
	    (entry->results_only ? CTX_MESSAGE_RESULTS_ONLY : 0u);
	return true;
}

uint64_t
ctx_transcript_billed(const struct ctx_transcript *transcript, uint32_t line)
{
	return ctx_transcript_line(transcript, line)->billed;
}

/* ---- links between lines ---- */

/* Returns the first line of the message that a line belongs to. */
static struct ctx_transcript_line *
find_first_line(const struct ctx_transcript *transcript, uint32_t line)
{
	struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	return entry->first_line != 0
	    ? ctx_transcript_line(transcript, entry->first_line)
	    : entry;
}

void
ctx_transcript_remove(struct ctx_transcript *transcript, uint32_t line)
{
	struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	if (entry->first_line != 0 && !entry->removed)
		ctx_transcript_line(transcript, entry->first_line)
		    ->kept_lines--;
	entry->removed = true;
}

bool
ctx_transcript_was_removed(const struct ctx_transcript *transcript,
    uint32_t line)
{
	return ctx_transcript_line(transcript, line)->removed;
}

bool
ctx_transcript_message_is_kept(const struct ctx_transcript *transcript,
    uint32_t line)
{
	const struct ctx_transcript_line *first =
	    find_first_line(transcript, line);

	return !first->removed || first->kept_lines > 0;
}

bool
ctx_transcript_first_of_message(struct ctx_transcript *transcript,
    uint32_t line)
{
	struct ctx_transcript_line *start = find_first_line(transcript, line);
	bool first = !start->reported;

	start->reported = true;
	return first;
}

uint64_t
ctx_transcript_message_index(struct ctx_transcript *transcript, uint32_t line,
    uint64_t next)
{
	struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	if (entry->first_line != 0)
		return ctx_transcript_line(transcript, entry->first_line)
		    ->index;
	entry->index = (uint32_t)next;
	return next;
}

bool
ctx_transcript_is_removed(const struct ctx_transcript *transcript,
    uint32_t line)
{
	uint32_t newest = ctx_transcript_line(transcript, line)->newer;

	return ctx_transcript_line(transcript, newest != 0 ? newest : line)
	    ->removed;
}

/* Of a line's ancestors (its parent, the parent of that, ...), returns the
 * nearest one that was not removed; 0 if there is none.  Shortens the links
 * that it follows, so that the next search is faster.  Ends even if removed
 * lines name each other as parents. */
static uint32_t
find_kept_ancestor(struct ctx_transcript *transcript, uint32_t line)
{
	uint32_t up = ctx_transcript_line(transcript, line)->parent_line, *over;

	while (up != 0 && ctx_transcript_is_removed(transcript, up)) {
		over = &ctx_transcript_line(transcript, up)->parent_line;
		if (*over == up)
			*over = 0;
		else if (*over != 0 &&
		    ctx_transcript_is_removed(transcript, *over))
			*over =
			    ctx_transcript_line(transcript, *over)->parent_line;
		up = *over;
	}
	return up;
}

/* Finds the line that takes the place of a removed line.  This is the first
 * line from this one on, in the same file, that is active, has an id and was
 * not removed.  Returns its number; 0 if there is none.  Also stores it in
 * about_line of each removed line on the way; what about_line contained before
 * is not needed any more. */
static uint32_t
find_kept_successor(struct ctx_transcript *transcript, uint32_t line)
{
	uint32_t at, to = 0;
	struct ctx_transcript_line *entry;

	for (at = line; at <= transcript->n && to == 0; at++) {
		entry = ctx_transcript_line(transcript, at);
		if ((at > line && entry->begins_file) ||
		    (entry->successor_known && entry->about_line == 0))
			break;
		if (entry->successor_known)
			to = entry->about_line;
		else if (entry->active && entry->id != 0 &&
		    !ctx_transcript_is_removed(transcript, at))
			to = at;
	}
	for (; line < at; line++) {
		entry = ctx_transcript_line(transcript, line);
		if (!entry->removed || entry->successor_known)
			continue;
		entry->successor_known = true;
		entry->about_line = to;
	}
	return to;
}

/* A summary may contain the id of the first line that is kept after it (line
 * to).  If ctx inserts a new line before that one, the summary must contain the
 * id of the new line instead.  Returns true if so. */
static bool
has_inserted_start(const struct ctx_transcript *transcript,
    const struct ctx_transcript_line *summary, uint32_t to)
{
	return summary->kind == CTX_LINE_SUMMARY &&
	    ctx_transcript_line(transcript, to)->inserted_id != 0;
}

bool
ctx_transcript_needs_relink(const struct ctx_transcript *transcript,
    uint32_t line)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	return entry->inserted_id != 0 ||
	    (entry->parent_line != 0 && entry->parent != 0 &&
		ctx_transcript_is_removed(transcript, entry->parent_line)) ||
	    (entry->about_line != 0 &&
		(ctx_transcript_is_removed(transcript, entry->about_line) ||
		    has_inserted_start(transcript, entry, entry->about_line)));
}

/* Of a line's ancestors (its parent, the parent of that, ...), finds the
 * nearest one that is kept.  Returns the id of that line, as a JSON string;
 * "null" if no ancestor is kept. */
static struct ctx_str
find_parent_name(struct ctx_transcript *transcript, uint32_t line)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);
	struct ctx_str none = {"null", 4};
	uint32_t up = entry->parent_line;

	if (entry->parent == 0)
		return none;
	if (up != 0 && ctx_transcript_is_removed(transcript, up))
		up = find_kept_ancestor(transcript, line);
	return up == 0 || ctx_transcript_line(transcript, up)->id == 0
	    ? none
	    : ctx_intern_at(&transcript->names,
		  ctx_transcript_line(transcript, up)->id);
}

int
ctx_transcript_insert_before(struct ctx_transcript *transcript, uint32_t line,
    struct ctx_str id, struct ctx_str *parent, struct ctx_err *err)
{
	*parent = find_parent_name(transcript, line);
	if (ctx_transcript_line(transcript, line)->id == 0)
		return 0;
	return ctx_intern(&transcript->names, id.p, id.n,
		   &ctx_transcript_line(transcript, line)->inserted_id, err) < 0
	    ? -1
	    : 1;
}

static int
replace_name(const struct ctx_json *json, uint32_t node, struct ctx_str name,
    struct ctx_edits *edits, struct ctx_err *err)
{
	if (node == 0)
		return 0;
	return ctx_edits_replace(edits, ctx_json_str(json, node), name.p,
	    name.n, err);
}

/* Changes the parent of a line: replaces the parent's id in the JSON of the
 * line. name: the id of the new parent as a JSON string, or null.  If the
 * format has a member for the parent's id and the line does not have it, adds
 * it. */
static int
set_parent_name(const struct ctx_json *json, const struct ctx_line_place *at,
    struct ctx_str name, struct ctx_edits *edits, struct ctx_err *err)
{
	struct ctx_str begin = {json->text + json->nodes[0].at + 1, 0};
	size_t from = edits->store.n;

	if (at->parent != 0 || at->parent_key == NULL)
		return replace_name(json, at->parent, name, edits, err);
	if (ctx_buf_printf(&edits->store, err, "\"%s\":", at->parent_key) < 0 ||
	    ctx_buf_add(&edits->store, name.p, name.n, err) < 0 ||
	    ctx_buf_add(&edits->store, ",", 1, err) < 0)
		return -1;
	return ctx_edits_replace_stored(edits, begin, from, err);
}

int
ctx_transcript_relink(struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_edits *edits, struct ctx_err *err)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);
	struct ctx_line_place at;
	struct ctx_str name;
	uint32_t next, id;

	ctx_dialect_at(entry->dialect)->read_line(json, 0, &at);
	if (entry->inserted_id != 0 ||
	    (entry->parent_line != 0 && entry->parent != 0 &&
		ctx_transcript_is_removed(transcript, entry->parent_line))) {
		name = entry->inserted_id != 0
		    ? ctx_intern_at(&transcript->names, entry->inserted_id)
		    : find_parent_name(transcript, line);
		if (set_parent_name(json, &at, name, edits, err) < 0)
			return -1;
	}
	next = entry->about_line;
	if (next != 0 && ctx_transcript_is_removed(transcript, next))
		next = find_kept_successor(transcript, next);
	if (next == 0)
		return 0;
	id = ctx_transcript_line(transcript, next)->id;
	if (has_inserted_start(transcript, entry, next))
		id = ctx_transcript_line(transcript, next)->inserted_id;
	else if (next == entry->about_line)
		return 0;
	return replace_name(json, at.about,
	    ctx_intern_at(&transcript->names, id), edits, err);
}
