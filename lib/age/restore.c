/*
 * restore.c - restores aged results from disk
 *
 * A reference is untrusted input.  It is followed only into the spool that the
 * user names, to a file directly in that directory.  The file is used only if
 * it has the size and the sha256 digits of the reference.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "age/age.h"
#include "age/reasoning_file.h"
#include "cost/media.h"
#include "dialect/result_content.h"
#include "store/reference.h"
#include "stream/bound_reasoning.h"
#include "stream/change_report.h"
#include "stream/conversation_tracker.h"
#include "stream/placeholder.h"

/* maximum bytes of a file: the result must fit into a record */
#define MAX_FILE UINT32_MAX

/* A message that has edits; it is reported at the end of its record. */
struct restored_message {
	const struct ctx_dialect *dialect;
	struct ctx_counter *counter;
	uint32_t node, tool;
	uint64_t index;
	bool inside, hidden, continues;
	size_t first_edit, edits;
};

struct restoration {
	const struct ctx_restore_options *options;
	const struct ctx_stream *stream;
	const struct ctx_record *record; /* the one being read */
	struct ctx_model_counters *counters;
	struct conversation_tracker line_tracker, record_tracker;
	struct ctx_intern tools;
	struct restored_message *list;
	size_t n, cap;
	struct edited edited;
	struct ctx_message message;
	struct ctx_spool spool;
	bool no_spool;       /* the spool does not exist */
	bool seen_reference; /* a possible reference was found */
	/* Of the last message: of the stream, inside a record. */
	struct message_place places[2];
	struct ctx_buf unstripped; /* original message with its reasoning */
	struct ctx_json unstripped_json; /* the same, scanned */
	struct ctx_message unstripped_message;
	struct ctx_edits strip_edits;
	struct ctx_buf stripped;
	bool has_broken_reference; /* a reference of the record cannot be
				      restored */
	struct ctx_json json;
	struct ctx_edits edits;
	struct ctx_buf text, name, file;
	/* For a media block, which may be inside a result that is restored: */
	struct ctx_json block_json;
	struct ctx_edits nested_edits; /* edits of that result */
	struct ctx_buf placeholder, block, block_array;
};

static int
open_spool(struct restoration *restoration, struct ctx_err *err)
{
	const struct ctx_err *refused = restoration->options->refused;

	if (refused != NULL && refused->code != CTX_OK) {
		*err = *refused;
		return -1;
	}
	if (restoration->spool.fd >= 0 || restoration->no_spool ||
	    ctx_spool_open(&restoration->spool, restoration->options->spool,
		false, err) == 0)
		return 0;
	restoration->no_spool = err->code == CTX_ESYS && err->sys == ENOENT;
	return restoration->no_spool ? 0 : -1;
}

static bool
has_digits(const struct ctx_buf *file, const char *wanted)
{
	struct ctx_str text = {file->p, file->n};
	char digits[CTX_SPOOL_DIGITS];

	ctx_spool_digits(digits, &text, 1);
	return memcmp(digits, wanted, sizeof digits) == 0;
}

/* Returns 1 if the file is one JSON value and a line feed, 0 if not, or -1. */
static int
is_json_line(struct restoration *restoration, const struct ctx_buf *file,
    struct ctx_err *err)
{
	size_t used;
	int rc =
	    ctx_json_scan(&restoration->json, file->p, file->n, &used, err);

	if (rc < 0 && err->code == CTX_ENOMEM)
		return -1;
	return rc > 0 && restoration->json.nodes[0].at == 0 &&
	    restoration->json.nodes[0].end + 1 == file->n;
}

/* Sets *state from the outcome of a spool function.  Returns -1 if that is an
 * error that ends the run. */
static int
check_spool_file(int rc, enum ctx_aged_result_state *state,
    const struct ctx_err *err)
{
	*state = rc > 0 ? CTX_AGED_WHOLE : CTX_AGED_MISSING;
	if (rc >= 0)
		return 0;
	/* It is a link or not a regular file: somebody has replaced it. */
	if (err->code != CTX_EFILE &&
	    !(err->code == CTX_ESYS &&
		(err->sys == ELOOP || err->sys == ENXIO)))
		return -1;
	*state = CTX_AGED_CHANGED;
	return 0;
}

/* Sums up the spool file restore->name; a file of more than most bytes counts
 * as changed. */
static int
sum_spool_file(struct restoration *restoration, uint64_t max_bytes,
    struct ctx_spool_sum *sum, enum ctx_aged_result_state *state,
    struct ctx_err *err)
{
	int rc = restoration->no_spool
	    ? 0
	    : ctx_spool_sum(&restoration->spool, restoration->name.p, max_bytes,
		  sum, err);

	return check_spool_file(rc, state, err);
}

/* Reads the file that was summed up, if it has not changed since. */
static int
read_summed_file(struct restoration *restoration,
    const struct ctx_spool_sum *sum, struct ctx_buf *file,
    enum ctx_aged_result_state *state, struct ctx_err *err)
{
	int rc = ctx_spool_get(&restoration->spool, restoration->name.p,
	    sum->bytes, file, err);

	if (check_spool_file(rc, state, err) < 0)
		return -1;
	if (*state == CTX_AGED_WHOLE && !has_digits(file, sum->digits))
		*state = CTX_AGED_CHANGED;
	return 0;
}

/* Reports a reference into another directory. */
static int
report_foreign(struct restoration *restoration, const struct reference *ref,
    struct ctx_err *err)
{
	const struct ctx_restore_options *o = restoration->options;

	return o->foreign != NULL ? o->foreign(o->user, ref->dir, err) : 0;
}

/* Reports a reference into the spool.  Returns 0, or -1 with *err. */
static int
report_reference(struct restoration *restoration, const struct reference *ref,
    enum ctx_aged_result_state state, struct ctx_err *err)
{
	const struct ctx_found_reference aged = {.file =
						     restoration->record->file,
	    .line = restoration->record->line,
	    .path = ref->path,
	    .name = ref->name,
	    .chars = ref->chars,
	    .state = state};

	if (state != CTX_AGED_WHOLE)
		restoration->has_broken_reference = true;
	return restoration->options->found == NULL
	    ? 0
	    : restoration->options->found(restoration->options->user, &aged,
		  err);
}

/* ---- media ---- */

/* Returns true if the name is that of a block's JSON, stored without a payload.
 */
static bool
is_json_name(struct ctx_str name)
{
	static const char end[] = ".json";
	const size_t n = sizeof end - 1;

	return name.n > n && memcmp(name.p + name.n - n, end, n) == 0;
}

/* Scans the file in restore->block into restore->media; the block is node 1.
 * Returns 1, 0 if the file is not an object and a line feed, or -1. */
static int
scan_block(struct restoration *restoration, struct ctx_err *err)
{
	struct ctx_buf *file = &restoration->block,
		       *line = &restoration->block_array;
	size_t used;
	int rc;

	line->n = 0;
	if (ctx_buf_add(line, "[", 1, err) < 0 ||
	    ctx_buf_add(line, file->p, file->n, err) < 0 ||
	    ctx_buf_add(line, "]", 1, err) < 0)
		return -1;
	rc = ctx_json_scan(&restoration->block_json, line->p, line->n, &used,
	    err);
	if (rc < 0 && err->code == CTX_ENOMEM)
		return -1;
	return rc > 0 && restoration->block_json.n > 1 &&
	    restoration->block_json.nodes[1].next ==
	    restoration->block_json.n &&
	    restoration->block_json.nodes[1].kind == CTX_JSON_OBJECT &&
	    restoration->block_json.nodes[1].end == file->n;
}

/* Sets *is to true if the text in restore->standin is what ctx_age makes of the
 * block at node 1 of restore->media. */
static int
is_placeholder_of(struct restoration *restoration, const struct reference *ref,
    bool *is, struct ctx_err *err)
{
	struct ctx_buf scratch = {0}, line = {0};
	struct ctx_media media;
	uint64_t bytes;
	int rc;

	*is = false;
	rc = ctx_media_look(&restoration->block_json, 1, &scratch, &media, err);
	if (rc == 0)
		rc = ctx_placeholder_add(&line, &restoration->block_json,
		    &media, false, err);
	if (rc == 0) {
		bytes = media.base64.n > 0 ? media.bytes : restoration->block.n;
		*is = ref->chars == bytes &&
		    restoration->placeholder.n > line.n &&
		    restoration->placeholder.p[line.n] == '\n' &&
		    memcmp(restoration->placeholder.p, line.p, line.n) == 0 &&
		    is_json_name(ref->name) == (media.base64.n == 0);
	}
	ctx_buf_release(&scratch);
	ctx_buf_release(&line);
	return rc;
}

/* Reads the block that a placeholder has replaced into restore->block. */
static int
read_spooled_block(struct restoration *restoration, const struct reference *ref,
    enum ctx_aged_result_state *state, struct ctx_err *err)
{
	struct ctx_spool_sum sum;
	bool is = false;
	int rc;

	restoration->name.n = 0;
	if (ctx_buf_printf(&restoration->name, err, "%.*s%s", (int)ref->name.n,
		ref->name.p, is_json_name(ref->name) ? "" : ".json") < 0 ||
	    sum_spool_file(restoration, MAX_FILE, &sum, state, err) < 0)
		return -1;
	if (*state != CTX_AGED_WHOLE)
		return 0;
	if (memcmp(sum.digits, ref->digits.p, sizeof sum.digits) == 0) {
		if (read_summed_file(restoration, &sum, &restoration->block,
			state, err) < 0)
			return -1;
		rc =
		    *state == CTX_AGED_WHOLE ? scan_block(restoration, err) : 0;
		if (rc < 0 ||
		    (rc > 0 &&
			is_placeholder_of(restoration, ref, &is, err) < 0))
			return -1;
	}
	if (!is)
		*state = CTX_AGED_CHANGED;
	return 0;
}

/* Adds the edit that makes media of the text block at node, whose text is at
 * text, if it is a placeholder with a reference. */
static int
restore_block(struct restoration *restoration, const struct ctx_json *json,
    uint32_t node, uint32_t text, struct ctx_edits *edits, struct ctx_err *err)
{
	enum ctx_aged_result_state state;
	struct reference ref;
	bool is;

	if (ctx_placeholder_read(ctx_json_str(json, text),
		&restoration->placeholder, &is, &ref, err) < 0)
		return -1;
	if (!is || ref.path.n == 0)
		return 0;
	if (!ctx_reference_into(&ref, restoration->options->spool))
		return report_foreign(restoration, &ref, err);
	if (open_spool(restoration, err) < 0 ||
	    read_spooled_block(restoration, &ref, &state, err) < 0 ||
	    report_reference(restoration, &ref, state, err) < 0)
		return -1;
	if (state == CTX_AGED_WHOLE &&
	    ctx_edits_replace(edits, ctx_json_str(json, node),
		restoration->block.p, restoration->block.n - 1, err) < 0)
		return -1;
	ctx_buf_reset(&restoration->block);
	ctx_buf_reset(&restoration->block_array);
	return 0;
}

/* Appends the body in restore->file to the edits' store.  Media in it that were
 * aged before are restored, too. */
static int
append_scanned_content(struct restoration *restoration, struct ctx_err *err)
{
	const struct ctx_json *json = &restoration->json;
	struct ctx_str all = {restoration->file.p, restoration->file.n - 1};
	uint32_t node, text;
	int rc = 0;

	for (node = 0; rc == 0 && node < json->n; node++) {
		if (json->nodes[node].kind != CTX_JSON_OBJECT)
			continue;
		text = ctx_json_find(json, node, "text");
		if (text != 0 && json->nodes[text].kind == CTX_JSON_STRING)
			rc = restore_block(restoration, json, node, text,
			    &restoration->nested_edits, err);
	}
	if (rc == 0)
		rc = ctx_edits_apply(&restoration->nested_edits, all,
		    &restoration->edits.store, err);
	ctx_edits_reset(&restoration->nested_edits);
	return rc;
}

/* ---- results ---- */

/* Restores a body that its text alone cannot restore.  Its JSON is in the file
 * NAME.json, whose digits the reference has. */
static int
append_content_from_json(struct restoration *restoration,
    const struct reference *ref, enum ctx_aged_result_state *state,
    struct ctx_err *err)
{
	struct ctx_buf *file = &restoration->file;
	struct ctx_spool_sum sum;
	int rc;

	if (ctx_buf_printf(&restoration->name, err, ".json") < 0 ||
	    sum_spool_file(restoration, MAX_FILE, &sum, state, err) < 0)
		return -1;
	if (*state == CTX_AGED_WHOLE &&
	    memcmp(sum.digits, ref->digits.p, sizeof sum.digits) == 0) {
		if (read_summed_file(restoration, &sum, file, state, err) < 0)
			return -1;
		rc = *state == CTX_AGED_WHOLE
		    ? is_json_line(restoration, file, err)
		    : 0;
		if (rc != 0)
			return rc < 0
			    ? -1
			    : append_scanned_content(restoration, err);
	}
	*state = CTX_AGED_CHANGED;
	return 0;
}

/* Appends the body that a reference stands for to the edits' store, if its
 * files are unchanged.  Only a file of the right size and sha256 is read into
 * memory. */
static int
append_referenced_content(struct restoration *restoration,
    const struct reference *ref, const char *const *form,
    enum ctx_aged_result_state *state, struct ctx_err *err)
{
	struct ctx_buf *file = &restoration->file;
	/* UTF-8 has at most 4 bytes per character. */
	uint64_t max_bytes =
	    ref->chars < MAX_FILE / 4 ? 4 * ref->chars : MAX_FILE;
	struct ctx_spool_sum sum;

	restoration->name.n = 0;
	if (ctx_buf_printf(&restoration->name, err, "%.*s", (int)ref->name.n,
		ref->name.p) < 0 ||
	    sum_spool_file(restoration, max_bytes, &sum, state, err) < 0)
		return -1;
	if (*state != CTX_AGED_WHOLE)
		return 0;
	if (sum.chars != ref->chars) {
		*state = CTX_AGED_CHANGED;
		return 0;
	}
	if (memcmp(sum.digits, ref->digits.p, sizeof sum.digits) != 0)
		return append_content_from_json(restoration, ref, state, err);
	if (read_summed_file(restoration, &sum, file, state, err) < 0)
		return -1;
	if (*state == CTX_AGED_WHOLE &&
	    ctx_utf8_valid(file->p, file->n, CTX_SIMD_BEST) != file->n)
		*state = CTX_AGED_CHANGED;
	return *state == CTX_AGED_WHOLE
	    ? ctx_result_content_add(&restoration->edits.store, form, file->p,
		  file->n, err)
	    : 0;
}

static int
restore_result(struct restoration *restoration, const struct ctx_event *event,
    uint32_t content, struct ctx_err *err)
{
	const struct ctx_json *json = event->message->json;
	const struct ctx_dialect *dialect = event->layout->dialect;
	uint32_t node = ctx_result_content_text(json, content, dialect);
	size_t from = restoration->edits.store.n;
	enum ctx_aged_result_state state;
	struct reference ref;

	if (node == 0 && content != 0 &&
	    json->nodes[content].kind == CTX_JSON_STRING)
		node = content;
	if (node == 0 || !ctx_reference_may_be(ctx_json_str(json, node)))
		return 0;
	restoration->text.n = 0;
	if (ctx_json_string_decode(&restoration->text, ctx_json_str(json, node),
		err) < 0)
		return -1;
	if (!ctx_reference_find(restoration->text.p, restoration->text.n, &ref))
		return 0;
	if (!ctx_reference_into(&ref, restoration->options->spool))
		return report_foreign(restoration, &ref, err);
	if (open_spool(restoration, err) < 0 ||
	    append_referenced_content(restoration, &ref,
		ctx_result_content_form(json, content, dialect), &state,
		err) < 0)
		return -1;
	ctx_buf_reset(&restoration->file);
	if (report_reference(restoration, &ref, state, err) < 0)
		return -1;
	if (state != CTX_AGED_WHOLE)
		return 0;
	return ctx_edits_replace_stored(&restoration->edits,
	    ctx_json_str(json, content), from, err);
}

/* ---- the end of a record ---- */

/* Records that a message has edits from number first on. */
static int
record_edits(struct restoration *restoration,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct ctx_err *err)
{
	struct restored_message *list, *restored;
	struct ctx_str tool;

	if (first == restoration->edits.n ||
	    !ctx_report_wanted(&restoration->options->report))
		return 0;
	list = ctx_grow(restoration->list, &restoration->cap,
	    restoration->n + 1, sizeof *list, err);
	if (list == NULL)
		return -1;
	restoration->list = list;
	restored = &list[restoration->n++];
	*restored = (struct restored_message){.dialect = event->layout->dialect,
	    .counter = tracker->model_counter.counter,
	    .node = event->node,
	    .index = tracker->index,
	    .inside = event->inside,
	    .hidden = event->message->flags & CTX_MESSAGE_HIDDEN,
	    .continues = ctx_report_named(restoration->stream, event),
	    .first_edit = first,
	    .edits = restoration->edits.n - first};
	if (ctx_tracker_first_tool(tracker, event, &tool, err) < 0)
		return -1;
	return ctx_intern(&restoration->tools, tool.p, tool.n, &restored->tool,
	    err);
}

static int
report_restored(struct restoration *restoration,
    const struct ctx_record *record, const struct restored_message *restored,
    struct ctx_err *err)
{
	struct edited *edited = &restoration->edited;
	struct ctx_change change = {.file = record->file,
	    .line = record->line,
	    .index = restored->index,
	    .rule = "restore"};

	if (ctx_dialect_read_message(restored->dialect, record->json,
		restored->node, &restoration->message, err) < 0)
		return -1;
	change.tool = ctx_intern_at(&restoration->tools, restored->tool);
	edited->before = &restoration->message;
	edited->counter = restored->counter;
	edited->value = ctx_json_str(record->json, restored->node);
	edited->first = restored->first_edit;
	edited->n = restored->edits;
	change.aside = restored->hidden;
	change.continues = restored->continues;
	change.bytes = restored->inside ? edited->value : record->text;
	return ctx_report_edited(&restoration->options->report, edited,
	    &restoration->edits, &change, err);
}

/* Writes a record with its edits to restore->text, and reports them. */
static int
apply_record_edits(struct restoration *restoration,
    const struct ctx_record *record, struct ctx_err *err)
{
	size_t i;

	for (i = 0; i < restoration->n; i++)
		if (report_restored(restoration, record, &restoration->list[i],
			err) < 0)
			return -1;
	if (ctx_report_sync(&restoration->options->report, err) < 0)
		return -1;
	restoration->text.n = 0;
	return ctx_edits_apply(&restoration->edits, record->text,
	    &restoration->text, err);
}

static int
write_restored_record(struct restoration *restoration,
    struct ctx_writer *writer, const struct ctx_record *record,
    struct ctx_err *err)
{
	bool changed =
	    !restoration->has_broken_reference && restoration->edits.n > 0;
	int rc = 0;

	if (changed && apply_record_edits(restoration, record, err) < 0)
		return -1;
	if (writer != NULL && !restoration->options->report.dry_run)
		rc = changed ? ctx_writer_copy(writer, restoration->text.p,
				   restoration->text.n, err)
			     : ctx_writer_put(writer, record->text.p,
				   record->text.n, err);
	restoration->has_broken_reference = false;
	restoration->n = 0;
	ctx_edits_reset(&restoration->edits);
	ctx_buf_reset(&restoration->text);
	return rc < 0 || writer == NULL ? rc
					: ctx_writer_end_record(writer, err);
}

/* ---- the stream ---- */

/* Restores block i if it is an aged result or media.  A block that an edit from
 * number first on replaces is restored already. */
static int
restore_result_or_text(struct restoration *restoration,
    const struct ctx_event *event, size_t i, size_t first, struct ctx_err *err)
{
	const struct ctx_block *block = &event->message->blocks[i];
	const struct ctx_json *json = event->message->json;

	if (block->kind == CTX_BLOCK_TOOL_RESULT)
		return restore_result(restoration, event, block->payload, err);
	if (block->kind != CTX_BLOCK_TEXT || block->removable == 0 ||
	    block->payload == 0 ||
	    json->nodes[block->payload].kind != CTX_JSON_STRING ||
	    ctx_edits_touch(&restoration->edits, first,
		ctx_json_str(json, block->removable)))
		return 0;
	return restore_block(restoration, json, block->removable,
	    block->payload, &restoration->edits, err);
}

/* ---- reasoning that was removed ---- */

/* Returns true if a possible reference was found in this message or before.
 * Reasoning is removed only after the first reference. */
static bool
has_seen_reference(struct restoration *restoration,
    const struct ctx_message *message)
{
	const struct ctx_json *json = message->json;
	size_t i;

	for (i = 0; !restoration->seen_reference && i < message->n; i++)
		restoration->seen_reference = message->blocks[i].payload != 0 &&
		    ctx_reference_may_be(
			ctx_json_str(json, message->blocks[i].payload));
	return restoration->seen_reference;
}

/* Reads the reasoning file of a message into restore->whole.  Returns 1, 0 if
 * there is none, or -1. */
static int
read_reasoning_file(struct restoration *restoration,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_str message =
	    ctx_json_str(event->message->json, event->node);
	enum ctx_aged_result_state state;
	int rc;

	if (ctx_reasoning_name(&restoration->name, message,
		&restoration->places[event->inside], err) < 0)
		return -1;
	rc = ctx_spool_get(&restoration->spool, restoration->name.p, MAX_FILE,
	    &restoration->unstripped, err);
	if (check_spool_file(rc, &state, err) < 0)
		return -1;
	return rc > 0;
}

/* Sets *is to true if restore->whole without its signed reasoning is the
 * event's message; it is then read into restore->whole_view. */
static int
check_unstripped_message(struct restoration *restoration,
    const struct ctx_event *event, bool *is, struct ctx_err *err)
{
	struct ctx_str message =
	    ctx_json_str(event->message->json, event->node);
	struct ctx_buf *unstripped = &restoration->unstripped;
	int rc;

	*is = false;
	ctx_edits_reset(&restoration->strip_edits);
	restoration->stripped.n = 0;
	rc = is_json_line(restoration, unstripped, err);
	if (rc <= 0)
		return rc;
	unstripped->n--;
	/* Scan again, since the text is now without its line feed. */
	rc = ctx_json_scan(&restoration->unstripped_json, unstripped->p,
	    unstripped->n, &(size_t){0}, err);
	if (rc > 0)
		rc = ctx_dialect_read_message(event->layout->dialect,
		    &restoration->unstripped_json, 0,
		    &restoration->unstripped_message, err);
	if (rc <= 0)
		return rc;
	restoration->unstripped_message.flags |= event->message->flags;
	if (ctx_bound_remove(&restoration->strip_edits,
		&restoration->unstripped_message, 0, err) < 0 ||
	    ctx_edits_apply(&restoration->strip_edits,
		(struct ctx_str){unstripped->p, unstripped->n},
		&restoration->stripped, err) < 0)
		return -1;
	*is = restoration->stripped.n == message.n &&
	    memcmp(restoration->stripped.p, message.p, message.n) == 0;
	return 0;
}

/* Reports the reasoning file of a message. */
static int
report_reasoning(struct restoration *restoration, const struct ctx_event *event,
    bool is, struct ctx_err *err)
{
	struct ctx_found_reference aged = {.file = event->record->file,
	    .line = event->record->line,
	    .state = is ? CTX_AGED_WHOLE : CTX_AGED_CHANGED};
	struct ctx_buf path = {0};
	int rc = 0;

	if (restoration->options->found == NULL)
		return 0;
	if (ctx_buf_printf(&path, err, "%s/%s", restoration->options->spool,
		restoration->name.p) < 0)
		return -1;
	aged.path = (struct ctx_str){path.p, path.n};
	aged.name = (struct ctx_str){restoration->name.p, restoration->name.n};
	aged.chars = ctx_utf8_count(restoration->unstripped.p,
	    restoration->unstripped.n);
	rc =
	    restoration->options->found(restoration->options->user, &aged, err);
	ctx_buf_release(&path);
	return rc;
}

/* Replaces the message by restore->whole, after restoring the aged results and
 * media in it. */
static int
restore_unstripped_message(struct restoration *restoration,
    const struct ctx_event *event, size_t first, struct ctx_err *err)
{
	struct ctx_event unstripped = *event;
	struct ctx_str text = {restoration->unstripped.p,
	    restoration->unstripped.n};
	size_t i;

	unstripped.message = &restoration->unstripped_message;
	unstripped.node = 0;
	for (i = 0; i < unstripped.message->n; i++)
		if (restore_result_or_text(restoration, &unstripped, i, first,
			err) < 0)
			return -1;
	restoration->stripped.n = 0;
	if (ctx_edits_apply_some(&restoration->edits, first,
		restoration->edits.n - first, text, &restoration->stripped,
		err) < 0)
		return -1;
	restoration->edits.n = first;
	return ctx_edits_replace(&restoration->edits,
	    ctx_json_str(event->message->json, event->node),
	    restoration->stripped.p, restoration->stripped.n, err);
}

/* Restores the reasoning that ctx_age removed from a message.  Returns 1, 0 if
 * there is none, or -1. */
static int
restore_reasoning(struct restoration *restoration,
    const struct ctx_event *event, size_t first, struct ctx_err *err)
{
	bool is;
	int rc;

	if (!has_seen_reference(restoration, event->message) ||
	    event->message->role != CTX_ROLE_ASSISTANT)
		return 0;
	if (open_spool(restoration, err) < 0)
		return -1;
	if (restoration->no_spool)
		return 0;
	rc = read_reasoning_file(restoration, event, err);
	if (rc <= 0)
		return rc;
	if (check_unstripped_message(restoration, event, &is, err) < 0 ||
	    report_reasoning(restoration, event, is, err) < 0)
		return -1;
	if (!is) {
		restoration->has_broken_reference = true;
		return 0;
	}
	return restore_unstripped_message(restoration, event, first, err) < 0
	    ? -1
	    : 1;
}

static int
restore_message(struct restoration *restoration,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    struct ctx_err *err)
{
	size_t first = restoration->edits.n, i;
	int rc;

	if (ctx_tracker_enter(tracker, restoration->stream, event,
		restoration->counters, err) < 0)
		return -1;
	if (ctx_place_next(&restoration->places[event->inside], event->message,
		tracker->index, &restoration->text, err) < 0)
		return -1;
	rc = restore_reasoning(restoration, event, first, err);
	if (rc < 0)
		return -1;
	for (i = 0; rc == 0 && i < event->message->n; i++)
		if (restore_result_or_text(restoration, event, i, first, err) <
		    0)
			return -1;
	if (record_edits(restoration, tracker, event, first, err) < 0)
		return -1;
	return ctx_tracker_leave(tracker, event, err);
}

/* Reports digits anywhere in a record that may belong to a spool file. */
static int
report_digits(const struct restoration *restoration,
    const struct ctx_record *record, struct ctx_err *err)
{
	struct ctx_str digits;
	size_t at = 0;

	while (restoration->options->digits != NULL &&
	    ctx_reference_digits(record->text, &at, &digits))
		if (restoration->options->digits(restoration->options->user,
			digits, err) < 0)
			return -1;
	return 0;
}

static int
restore_event(struct restoration *restoration, struct ctx_writer *writer,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct conversation_tracker *tracker = event->inside
	    ? &restoration->record_tracker
	    : &restoration->line_tracker;

	restoration->record = event->record;
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		memset(&restoration->places[1], 0,
		    sizeof restoration->places[1]);
		return ctx_tracker_enter(tracker, restoration->stream, event,
		    restoration->counters, err);
	case CTX_EVENT_MESSAGE:
		return restore_message(restoration, tracker, event, err);
	case CTX_EVENT_RECORD:
		if (report_digits(restoration, event->record, err) < 0)
			return -1;
		return write_restored_record(restoration, writer, event->record,
		    err);
	default:
		return 0;
	}
}

static int
restore_all(struct restoration *restoration, struct ctx_stream *stream,
    struct ctx_writer *writer, struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	int rc;

	while ((rc = ctx_stream_next(stream, &event, err)) > 0)
		if (restore_event(restoration, writer, &event, err) < 0) {
			rc = ctx_stream_fail(stream, err);
			break;
		}
	if (writer != NULL && ctx_writer_flush(writer, &late) < 0 && rc == 0) {
		*err = late;
		rc = -1;
	}
	return rc;
}

int
ctx_restore(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_restore_options *options, struct ctx_err *err)
{
	struct restoration restoration = {.options = options,
	    .stream = stream,
	    .counters = counters};
	bool is_reported = options->report.on_change != NULL;
	int rc = -1;

	stream->include_hidden = true;
	restoration.spool.fd = -1;
	ctx_json_init(&restoration.json, counters->simd);
	ctx_json_init(&restoration.edited.json, counters->simd);
	ctx_json_init(&restoration.unstripped_json, counters->simd);
	ctx_json_init(&restoration.block_json, counters->simd);
	if (ctx_tracker_init(&restoration.line_tracker, is_reported,
		is_reported, err) == 0 &&
	    ctx_tracker_init(&restoration.record_tracker, is_reported,
		is_reported, err) == 0)
		rc = restore_all(&restoration, stream, writer, err);
	ctx_tracker_release(&restoration.line_tracker);
	ctx_tracker_release(&restoration.record_tracker);
	ctx_intern_release(&restoration.tools);
	free(restoration.list);
	ctx_edited_release(&restoration.edited);
	ctx_message_release(&restoration.message);
	ctx_spool_close(&restoration.spool);
	ctx_json_release(&restoration.json);
	ctx_edits_release(&restoration.edits);
	ctx_buf_release(&restoration.text);
	ctx_buf_release(&restoration.name);
	ctx_buf_release(&restoration.file);
	ctx_buf_release(&restoration.unstripped);
	ctx_buf_release(&restoration.stripped);
	ctx_json_release(&restoration.unstripped_json);
	ctx_message_release(&restoration.unstripped_message);
	ctx_edits_release(&restoration.strip_edits);
	ctx_json_release(&restoration.block_json);
	ctx_edits_release(&restoration.nested_edits);
	ctx_buf_release(&restoration.placeholder);
	ctx_buf_release(&restoration.block);
	ctx_buf_release(&restoration.block_array);
	return rc;
}
