/*
 * transcript.c - reads the lines of an agent's session file, and decides which
 * of them are active, which means that the agent would send them to the model
 *
 * A later line can remove an earlier one, so the decision is made at the end of
 * the file (replay_log.c, active_branch.c).  When ctx removes lines, relink.c
 * replaces their ids in other lines.
 */
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"
#include "transcript/lines.h"

void
ctx_transcript_release(struct ctx_transcript *transcript)
{
	free(transcript->lines);
	free(transcript->newest_of_id);
	ctx_message_release(&transcript->message);
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
	transcript->newest_id = transcript->last_user = 0;
	transcript->model.n = 0;
}

/* ---- the lines of a file ---- */

bool
ctx_transcript_is_same(const struct ctx_transcript *transcript, uint32_t line,
    struct ctx_str text)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	return entry->length == text.n && entry->checksum == ctx_sum_text(text);
}

struct ctx_record_place
ctx_transcript_place(const struct ctx_transcript *transcript, uint32_t line,
    uint64_t offset)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	return (
	    struct ctx_record_place){offset, entry->length, entry->checksum};
}

/* Sets *name to the number of an id in the intern table.  The id is a JSON
 * string; it is decoded and encoded again, so that the same id with different
 * escapes gets the same number. */
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

/* Notes down that the newest line contains an id of the tree: as its own id or
 * as the id of its parent.  Returns 0, or -1 with *err if there is no
 * memory. */
static int
record_tree_id(struct ctx_transcript *transcript, uint32_t id,
    struct ctx_err *err)
{
	size_t known = transcript->cap_ids;
	uint32_t *newest;

	if (CTX_GROW(transcript->newest_of_id, transcript->cap_ids,
		(size_t)id + 1, err) < 0)
		return -1;
	newest = transcript->newest_of_id;
	memset(newest + known, 0,
	    (transcript->cap_ids - known) * sizeof *newest);
	newest[id] = id == 0 ? 0 : (uint32_t)transcript->n;
	return 0;
}

/* Returns true if a new line does not change which earlier lines are active.
 * is_new: true if the id of the new line does not occur in an earlier line,
 * neither as its id nor as the id of its parent. */
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

const struct ctx_dialect *
ctx_transcript_read_line(const struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_line_place *place)
{
	const struct ctx_dialect *dialect =
	    ctx_dialect_at(ctx_transcript_line(transcript, line)->dialect);

	dialect->read_line(json, 0, place);
	return dialect;
}

/* Sets entry->from_user for a line that contains a message. */
static int
record_author(struct ctx_transcript *transcript,
    struct ctx_transcript_line *entry, const struct ctx_json *json,
    struct ctx_err *err)
{
	int rc;

	if (entry->kind < CTX_LINE_MESSAGE || entry->kind > CTX_LINE_DIGEST ||
	    (entry->flags & CTX_LINE_ANSWER))
		return 0;
	rc = ctx_dialect_is_from_user(transcript->dialect, json, 0,
	    &transcript->message, err);
	entry->from_user = rc > 0;
	return rc < 0 ? -1 : 0;
}

static uint32_t
limit_number(uint64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static int
record_line(struct ctx_transcript *transcript,
    struct ctx_transcript_line *entry, const struct ctx_json *json,
    struct ctx_err *err)
{
	struct ctx_line_place line;
	struct ctx_str model;
	bool is_new;

	(void)ctx_transcript_read_line(transcript, (uint32_t)transcript->n,
	    json, &line);
	entry->kind = line.kind & 15u;
	entry->flags = (uint8_t)line.flags;
	if (line.kind == CTX_LINE_ASIDE)
		entry->billed = limit_number(
		    ctx_billed_input(json, 0, transcript->dialect->usage.line));
	entry->turns = limit_number(line.turns);
	if (record_author(transcript, entry, json, err) < 0 ||
	    intern_name(transcript, json, line.id, &entry->id, err) < 0)
		return -1;
	if (intern_name(transcript, json, line.parent, &entry->parent, err) <
		0 ||
	    intern_name(transcript, json, line.about, &entry->about, err) < 0 ||
	    intern_name(transcript, json, line.same, &entry->same, err) < 0)
		return -1;
	is_new = entry->id >= transcript->cap_ids ||
	    transcript->newest_of_id[entry->id] == 0;
	if (record_tree_id(transcript, entry->id, err) < 0 ||
	    record_tree_id(transcript, entry->parent, err) < 0)
		return -1;
	entry->is_appended = is_appended_line(transcript, entry, is_new);
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
	struct ctx_transcript_line *entry;

	if (transcript->n >= UINT32_MAX)
		return ctx_err_set(err, CTX_ELIMIT,
		    "the session file has more than 4294967294 lines");
	if (CTX_GROW(transcript->lines, transcript->cap, transcript->n + 1,
		err) < 0)
		return -1;
	entry = &transcript->lines[transcript->n++];
	memset(entry, 0, sizeof *entry);
	entry->length = (uint32_t)record->text.n;
	entry->checksum = ctx_sum_text(record->text);
	entry->dialect = transcript->dialect_index;
	entry->begins_file = transcript->n - 1 == transcript->from;
	return record->kind == CTX_RECORD_JSON
	    ? record_line(transcript, entry, record->json, err)
	    : 0;
}

/* ---- deciding which are active ---- */

/* Marks the lines of messages that an agent has written as several lines: each
 * line but the last gets is_continued.  Skips lines that are not sent to the
 * model. */
static int
mark_continuations(struct ctx_transcript *transcript, struct ctx_err *err)
{
	uint32_t *last = calloc(transcript->names.n + 1, sizeof *last);
	struct ctx_transcript_line *entry, *before;
	size_t i;

	if (last == NULL)
		return ctx_err_nomem(err);
	for (i = transcript->from; i < transcript->n; i++) {
		entry = &transcript->lines[i];
		if (!entry->active || entry->same == 0 ||
		    entry->kind != CTX_LINE_MESSAGE)
			continue;
		if (last[entry->same] != 0) {
			before =
			    ctx_transcript_line(transcript, last[entry->same]);
			before->is_continued = true;
			entry->continues = true;
			entry->first_line = before->continues
			    ? before->first_line
			    : last[entry->same];
			ctx_transcript_line(transcript, entry->first_line)
			    ->kept_lines++;
		}
		last[entry->same] = (uint32_t)i + 1;
	}
	free(last);
	return 0;
}

/* Handles lines that report the input tokens of a request: stores the number in
 * the first line of the response to this request.  If no response comes between
 * two reports, the second one belongs to the next response, because Codex 0.40
 * wrote reports before responses.  But if both reports have the same number of
 * tokens, the second one is a repetition, and is ignored. */
static void
assign_billed_usage(struct ctx_transcript *transcript)
{
	struct ctx_transcript_line *entry, *first = NULL;
	uint32_t billed, last = 0, waiting = 0;
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

/* Shortens chains of replaced lines: if A was replaced by B and B by C, sets C
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

static void
find_last_user(struct ctx_transcript *transcript)
{
	size_t i = transcript->n;

	while (i > transcript->from &&
	    !(transcript->lines[i - 1].active &&
		transcript->lines[i - 1].from_user))
		i--;
	transcript->last_user = i > transcript->from ? (uint32_t)i : 0;
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
	find_last_user(transcript);
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
	    (entry->results_only ? CTX_MESSAGE_RESULTS_ONLY : 0u) |
	    (line < transcript->last_user ? CTX_MESSAGE_EARLIER : 0u);
	return true;
}

uint64_t
ctx_transcript_billed(const struct ctx_transcript *transcript, uint32_t line)
{
	return ctx_transcript_line(transcript, line)->billed;
}

/* ---- removing lines ---- */

/* Returns the first line of the message that a line belongs to. */
static struct ctx_transcript_line *
find_first_line(const struct ctx_transcript *transcript, uint32_t line)
{
	struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	return entry->continues
	    ? ctx_transcript_line(transcript, entry->first_line)
	    : entry;
}

void
ctx_transcript_remove(struct ctx_transcript *transcript, uint32_t line)
{
	struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	if (entry->continues && !entry->removed)
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

	if (entry->continues)
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
