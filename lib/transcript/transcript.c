/*
 * transcript.c - reads the lines of an agent's session file, and decides which
 * lines are active (the agent would send them to the model)
 *
 * A later line can remove an earlier line, so the decision is made at the end
 * of the file (replay_log.c, active_branch.c).  When ctx removes lines,
 * relink.c replaces their ids in other lines.
 */
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"
#include "transcript/lines.h"

static void
release_lines(struct ctx_transcript *transcript)
{
	free(transcript->lines);
	transcript->lines = NULL;
	transcript->n = transcript->cap = 0;
	for (size_t i = 0; i < CTX_LINE_VALUES; i++)
		ctx_values_release(&transcript->values[i]);
	ctx_values_release(&transcript->newest_of_id);
	ctx_line_ids_release(&transcript->ids);
	ctx_line_ids_release(&transcript->messages);
	ctx_values_release(&transcript->more_than_reasoning);
}

void
ctx_transcript_release(struct ctx_transcript *transcript)
{
	release_lines(transcript);
	ctx_message_release(&transcript->message);
	ctx_buf_release(&transcript->model);
	ctx_buf_release(&transcript->text);
	ctx_buf_release(&transcript->literal);
	memset(transcript, 0, sizeof *transcript);
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
	transcript->messages.hashes = true;
	transcript->from = transcript->n;
	transcript->newest_id = transcript->last_user = 0;
	transcript->orphan = 0;
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

/* Adds an id that the newest line of the session file contains to the table
 * ids, and stores the number of the id as this value of the line. node: the id,
 * a JSON string.  An id with escapes is decoded and encoded again, so that the
 * same id with different escapes gets the same number.  Does nothing if the
 * node is not a string. */
static int
record_id(struct ctx_transcript *transcript, struct ctx_line_ids *ids,
    enum ctx_line_value value, const struct ctx_json *json, uint32_t node,
    struct ctx_err *err)
{
	struct ctx_str str;
	uint32_t number;

	if (!ctx_json_is_string(json, node))
		return 0;
	str = ctx_json_str(json, node);
	if (json->nodes[node].escaped) {
		transcript->text.n = transcript->literal.n = 0;
		if (ctx_json_string_decode(&transcript->text, str, err) < 0 ||
		    ctx_json_string_encode(&transcript->literal,
			transcript->text.p, transcript->text.n, err) < 0)
			return -1;
		str = ctx_buf_str(&transcript->literal);
	}
	return ctx_line_ids_add(ids, str, &number, err) < 0
	    ? -1
	    : ctx_line_set(transcript, value, (uint32_t)transcript->n, number,
		  err);
}

/* Stores that the newest line of the session file contains this id: as its own
 * id, or as the id of its parent.  Returns 0, or -1 with *err if there is no
 * memory. */
static int
record_tree_id(struct ctx_transcript *transcript, uint32_t id,
    struct ctx_err *err)
{
	return ctx_values_set(&transcript->newest_of_id, id,
	    id == 0 ? 0 : (uint32_t)transcript->n, err);
}

/* Returns true if a new line does not change which earlier lines are active
 * (sent to the model). is_new: true if no earlier line contains the id of the
 * new line as its own id or as the id of its parent. */
static bool
is_appended_line(const struct ctx_transcript *transcript,
    const struct ctx_transcript_line *entry, bool is_new)
{
	uint32_t line = (uint32_t)transcript->n;

	if (entry->kind == CTX_LINE_ASIDE)
		return true;
	if (entry->kind > CTX_LINE_MESSAGE || !is_new ||
	    (entry->flags & CTX_LINE_SIDE))
		return false;
	return transcript->dialect->history == CTX_HISTORY_LOG ||
	    ctx_line_value(transcript, CTX_VALUE_ID, line) == 0 ||
	    ctx_line_value(transcript, CTX_VALUE_PARENT, line) ==
	    transcript->newest_id;
}

const struct ctx_dialect *
ctx_transcript_read_line(const struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_line_place *place)
{
	const struct ctx_dialect *dialect =
	    ctx_dialect_at(ctx_transcript_line(transcript, line)->dialect);

	*place = (struct ctx_line_place){.kind = CTX_LINE_ASIDE};
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

	if (entry->kind < CTX_LINE_ATTACHMENT ||
	    entry->kind > CTX_LINE_DIGEST || (entry->flags & CTX_LINE_ANSWER))
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

/* Stores two numbers that the newest line of the session file contains: billed
 * input tokens (of the usage of a line that is not a message), and how many
 * turns the line removes. */
static int
record_numbers(struct ctx_transcript *transcript, const struct ctx_json *json,
    const struct ctx_line_place *place, struct ctx_err *err)
{
	uint32_t line = (uint32_t)transcript->n, billed = 0;

	if (place->kind == CTX_LINE_ASIDE)
		billed = limit_number(
		    ctx_billed_input(json, 0, transcript->dialect->usage.line));
	return ctx_line_set(transcript, CTX_VALUE_BILLED, line, billed, err) <
		    0 ||
		ctx_line_set(transcript, CTX_VALUE_TURNS, line,
		    limit_number(place->turns), err) < 0
	    ? -1
	    : 0;
}

/* Stores the ids that the newest line of the session file contains. */
static int
record_ids(struct ctx_transcript *transcript, const struct ctx_json *json,
    const struct ctx_line_place *place, struct ctx_err *err)
{
	struct ctx_line_ids *ids = &transcript->ids;

	return record_id(transcript, ids, CTX_VALUE_ID, json, place->id, err) <
		    0 ||
		record_id(transcript, ids, CTX_VALUE_PARENT, json,
		    place->parent, err) < 0 ||
		record_id(transcript, ids, CTX_VALUE_ABOUT, json, place->about,
		    err) < 0 ||
		record_id(transcript, &transcript->messages, CTX_VALUE_SAME,
		    json, place->same, err) < 0
	    ? -1
	    : 0;
}

static int
record_line(struct ctx_transcript *transcript,
    struct ctx_transcript_line *entry, const struct ctx_json *json,
    struct ctx_err *err)
{
	uint32_t line = (uint32_t)transcript->n, id;
	struct ctx_line_place place;
	bool is_new;

	(void)ctx_transcript_read_line(transcript, line, json, &place);
	entry->kind = place.kind & 15u;
	entry->flags = (uint8_t)place.flags;
	entry->only_reasoning = place.only_reasoning;
	if (record_numbers(transcript, json, &place, err) < 0 ||
	    record_author(transcript, entry, json, err) < 0 ||
	    record_ids(transcript, json, &place, err) < 0 ||
	    ctx_values_set(&transcript->more_than_reasoning,
		place.only_reasoning
		    ? 0
		    : ctx_line_value(transcript, CTX_VALUE_SAME, line),
		1, err) < 0)
		return -1;
	id = ctx_line_value(transcript, CTX_VALUE_ID, line);
	is_new = ctx_values_at(&transcript->newest_of_id, id) == 0;
	if (record_tree_id(transcript, id, err) < 0 ||
	    record_tree_id(transcript,
		ctx_line_value(transcript, CTX_VALUE_PARENT, line), err) < 0)
		return -1;
	entry->is_appended = is_appended_line(transcript, entry, is_new);
	if (entry->kind != CTX_LINE_ASIDE && id != 0)
		transcript->newest_id = id;
	/* A subagent may use another model than the agent. */
	if (!ctx_json_is_string(json, place.model) ||
	    ((entry->flags & CTX_LINE_SIDE) && transcript->model.n > 0))
		return 0;
	transcript->model.n = 0;
	return ctx_buf_add_str(&transcript->model,
	    ctx_json_str(json, place.model), err);
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

/* ---- deciding which lines are active ---- */

/* Returns the first line of the message that a line belongs to. */
static uint32_t
find_first_line(const struct ctx_transcript *transcript, uint32_t line)
{
	return ctx_transcript_line(transcript, line)->continues
	    ? ctx_line_value(transcript, CTX_VALUE_FIRST_LINE, line)
	    : line;
}

/* Stores that two lines contain parts of the same message. before: line of an
 * earlier part. line: line of the next part. */
static int
continue_message(struct ctx_transcript *transcript, uint32_t before,
    uint32_t line, struct ctx_err *err)
{
	uint32_t first = find_first_line(transcript, before);

	ctx_transcript_line(transcript, before)->is_continued = true;
	ctx_transcript_line(transcript, line)->continues = true;
	return ctx_line_set(transcript, CTX_VALUE_FIRST_LINE, line, first,
		   err) < 0 ||
		ctx_line_set(transcript, CTX_VALUE_KEPT_LINES, first,
		    ctx_line_value(transcript, CTX_VALUE_KEPT_LINES, first) + 1,
		    err) < 0
	    ? -1
	    : 0;
}

/* Finds messages that an agent has written as several lines.  Sets is_continued
 * for all lines of such a message except the last, and "continues" for all
 * lines except the first.  Ignores lines that are not sent to the model. */
static int
mark_continuations(struct ctx_transcript *transcript, struct ctx_err *err)
{
	uint32_t *last = calloc(transcript->messages.n + 1, sizeof *last);
	struct ctx_transcript_line *entry;
	uint32_t line, same;
	int rc = 0;

	if (last == NULL)
		return ctx_err_nomem(err);
	for (size_t i = transcript->from; rc == 0 && i < transcript->n; i++) {
		entry = &transcript->lines[i];
		line = (uint32_t)i + 1;
		same = ctx_line_value(transcript, CTX_VALUE_SAME, line);
		if (!entry->active || same == 0 ||
		    entry->kind != CTX_LINE_MESSAGE)
			continue;
		if (last[same] != 0)
			rc =
			    continue_message(transcript, last[same], line, err);
		last[same] = line;
	}
	free(last);
	return rc;
}

/* State of assign_billed_usage. */
struct report_reader {
	/* First line of the newest response; 0 if there is none, or if its
	 * usage was already reported. */
	uint32_t response;
	/* Billed tokens that were reported before their response, or 0. */
	uint32_t waiting;
	/* Billed tokens of the last report. */
	uint32_t last;
	/* True if the next line may be another part of the newest response. */
	bool answers;
};

/* Handles a line that reports the billed input tokens of a request.  Returns
 * the line to which they belong, or 0 if that line is not known yet. */
static uint32_t
read_report(struct report_reader *reader, uint32_t billed)
{
	uint32_t response = reader->response;

	reader->waiting = response == 0 && billed != reader->last ? billed : 0;
	reader->last = billed;
	reader->response = 0;
	reader->answers = false;
	return response;
}

/* Handles a line of the conversation.  Returns the billed tokens that were
 * reported for the response that begins with this line, or 0. */
static uint32_t
read_reported(struct report_reader *reader,
    const struct ctx_transcript_line *entry, uint32_t line)
{
	bool answers = entry->active && (entry->flags & CTX_LINE_ANSWER);
	bool from_tool = entry->active && entry->kind == CTX_LINE_MESSAGE &&
	    !(entry->flags & (CTX_LINE_USER | CTX_LINE_CONTEXT));
	uint32_t billed = 0;

	if (answers && !reader->answers) {
		billed = reader->waiting;
		reader->response = billed == 0 ? line : 0;
	} else if (!answers && !from_tool) {
		reader->response = 0;
	}
	reader->waiting = 0;
	reader->answers = answers;
	return billed;
}

/* Handles lines that report the input tokens of a request: stores the number in
 * the first line of the response to this request.  Codex writes a report after
 * the response and, since 0.140, after the results of the response's tool
 * calls.  Codex 0.40 wrote reports before responses: so a report without a new
 * response before it belongs to the next response, unless it repeats the number
 * of the last report. */
static int
assign_billed_usage(struct ctx_transcript *transcript, struct ctx_err *err)
{
	struct ctx_values *values = &transcript->values[CTX_VALUE_BILLED];
	const struct ctx_transcript_line *entry;
	struct report_reader reader = {0};
	uint32_t billed, response;

	if (values->n == 0)
		return 0;
	if (ctx_values_extend(values, transcript->n + 1, err) < 0)
		return -1;
	for (uint32_t line = (uint32_t)transcript->from + 1;
	     line <= transcript->n; line++) {
		entry = &transcript->lines[line - 1];
		billed = values->list[line];
		values->list[line] = 0;
		if (billed > 0) {
			response = read_report(&reader, billed);
			if (response != 0)
				values->list[response] = billed;
		} else if (entry->kind != CTX_LINE_ASIDE) {
			values->list[line] =
			    read_reported(&reader, entry, line);
		}
	}
	return 0;
}

/* Shortens chains of replaced lines: if A was replaced by B and B by C, stores
 * that A was replaced by C. */
static void
compress_replacements(struct ctx_transcript *transcript)
{
	struct ctx_values *newer = &transcript->values[CTX_VALUE_NEWER];
	uint32_t newest;

	for (size_t line = newer->n; line-- > transcript->from + 1;) {
		newest = ctx_values_at(newer, newer->list[line]);
		if (newer->list[line] != 0 && newest != 0)
			newer->list[line] = newest;
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

/* Makes lines active. before: see ctx_transcript_active_branch. */
static int
find_active(struct ctx_transcript *transcript, uint32_t before,
    struct ctx_err *err)
{
	return transcript->dialect->history == CTX_HISTORY_LOG
	    ? ctx_transcript_replay_log(transcript, err)
	    : ctx_transcript_active_branch(transcript, before, err);
}

int
ctx_transcript_decide(struct ctx_transcript *transcript, struct ctx_err *err)
{
	if (find_active(transcript, 0, err) < 0 ||
	    mark_continuations(transcript, err) < 0)
		return -1;
	compress_replacements(transcript);
	find_last_user(transcript);
	return assign_billed_usage(transcript, err);
}

/* Clears what the last decision about active lines (sent to the model) has set
 * in the lines of the file. */
static void
clear_decision(struct ctx_transcript *transcript)
{
	static const enum ctx_line_value cleared[] = {CTX_VALUE_PARENT_LINE,
	    CTX_VALUE_ABOUT_LINE, CTX_VALUE_NEWER, CTX_VALUE_FIRST_LINE};
	struct ctx_transcript_line *entry;

	for (size_t i = 0; i < CTX_LENGTH(cleared); i++)
		ctx_values_clear(&transcript->values[cleared[i]],
		    transcript->from + 1);
	for (size_t i = transcript->from; i < transcript->n; i++) {
		entry = &transcript->lines[i];
		entry->active = entry->is_continued = entry->continues = false;
		entry->results_only = false;
	}
}

int
ctx_transcript_decide_before(struct ctx_transcript *transcript, uint32_t line,
    struct ctx_err *err)
{
	size_t n = transcript->n;
	int rc;

	clear_decision(transcript);
	transcript->n = line - 1;
	rc = find_active(transcript, line, err);
	transcript->n = n;
	return rc;
}

bool
ctx_transcript_is_message(const struct ctx_transcript *transcript,
    uint32_t line)
{
	uint8_t kind = ctx_transcript_line(transcript, line)->kind;

	return kind >= CTX_LINE_ATTACHMENT && kind <= CTX_LINE_DIGEST;
}

bool
ctx_transcript_is_active(const struct ctx_transcript *transcript, uint32_t line,
    unsigned *flags)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	if (entry->only_reasoning &&
	    ctx_values_at(&transcript->more_than_reasoning,
		ctx_line_value(transcript, CTX_VALUE_SAME, line)) == 0)
		*flags |= CTX_MESSAGE_HIDDEN;
	if (!entry->active || entry->kind == CTX_LINE_LINK)
		return false;
	*flags |= (entry->is_continued ? CTX_MESSAGE_IS_CONTINUED : 0u) |
	    (entry->continues ? CTX_MESSAGE_CONTINUES : 0u) |
	    (entry->results_only ? CTX_MESSAGE_RESULTS_ONLY : 0u) |
	    (line < transcript->last_user ? CTX_MESSAGE_EARLIER : 0u);
	return true;
}

/* ---- removing lines ---- */

void
ctx_transcript_remove(struct ctx_transcript *transcript, uint32_t line)
{
	struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);
	uint32_t first = find_first_line(transcript, line);

	if (entry->continues && !entry->removed)
		ctx_line_change(transcript, CTX_VALUE_KEPT_LINES, first,
		    ctx_line_value(transcript, CTX_VALUE_KEPT_LINES, first) -
			1);
	entry->removed = true;
}

bool
ctx_transcript_message_is_kept(const struct ctx_transcript *transcript,
    uint32_t line)
{
	uint32_t first = find_first_line(transcript, line);

	return !ctx_transcript_line(transcript, first)->removed ||
	    ctx_line_value(transcript, CTX_VALUE_KEPT_LINES, first) > 0;
}

bool
ctx_transcript_first_of_message(struct ctx_transcript *transcript,
    uint32_t line)
{
	struct ctx_transcript_line *start =
	    ctx_transcript_line(transcript, find_first_line(transcript, line));
	bool first = !start->reported;

	start->reported = true;
	return first;
}

uint64_t
ctx_transcript_message_index(struct ctx_transcript *transcript, uint32_t line,
    uint64_t next)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	if (entry->continues)
		return ctx_line_value(transcript, CTX_VALUE_FIRST_LINE,
		    find_first_line(transcript, line));
	/* ctx_line_change does not make the array of values longer.  This is
	 * not needed: the array already has an element for a later line of the
	 * message. */
	if (entry->is_continued)
		ctx_line_change(transcript, CTX_VALUE_FIRST_LINE, line,
		    (uint32_t)next);
	return next;
}

bool
ctx_transcript_is_removed(const struct ctx_transcript *transcript,
    uint32_t line)
{
	uint32_t newest = ctx_line_value(transcript, CTX_VALUE_NEWER, line);

	return ctx_transcript_line(transcript, newest != 0 ? newest : line)
	    ->removed;
}
