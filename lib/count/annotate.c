/*
 * annotate.c - copies a stream of JSON records, and adds to each record that is
 * a message or contains a conversation a member with the number of its tokens
 *
 * The member is added at the end of the record's JSON object, even if the
 * record contains its request as JSON in a string.  If the object already has a
 * member of this name, the value of this member is replaced.  Nothing else in
 * the record changes.
 */
#include <inttypes.h>
#include <string.h>

#include "count/count.h"
#include "stream/rewrite.h"

/* State of ctx_annotate while it copies a stream. */
struct annotation {
	struct ctx_rewrite rewrite;
	const char *key;
	/* lines: token counter of the conversation in which each message is a
	 * record of its own. record: token counter of the conversation inside
	 * the current record. */
	struct ctx_model_counter lines, record;
	/* true if the current record is a message or contains a conversation */
	bool counted;
	uint64_t tokens; /* number of tokens in the current record */
};

/* Chooses the token counter of a conversation.  If the conversation is inside a
 * record, adds the tokens of its system prompt and tool definitions to the
 * token count of the record. */
static int
begin_annotation(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct annotation *annotation = user;
	struct ctx_model_counter *model_counter =
	    event->inside ? &annotation->record : &annotation->lines;
	struct ctx_request_overhead overhead;

	if (ctx_stream_measure(annotation->rewrite.stream, event,
		annotation->rewrite.counters, model_counter, err) < 0)
		return -1;
	if (!event->inside)
		return 0;
	if (ctx_count_request_overhead(model_counter->counter,
		event->record->json, event->layout, &overhead, err) < 0)
		return -1;
	annotation->counted = true;
	annotation->tokens += overhead.tokens;
	return 0;
}

static int
annotate_message(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct annotation *annotation = user;
	struct ctx_model_counter *model_counter =
	    event->inside ? &annotation->record : &annotation->lines;
	struct ctx_cost cost;

	if (ctx_stream_cost(event, model_counter->counter, &cost, err) < 0)
		return -1;
	annotation->counted = true;
	annotation->tokens += cost.tokens;
	return 0;
}

/* Reports and archives a record whose token count is written, as far as
 * annotation->rewrite.report asks for it: the archive gets the unchanged
 * record. */
static int
report_count_member(struct annotation *annotation,
    const struct ctx_record *record, struct ctx_err *err)
{
	struct ctx_change change = {.file = record->file,
	    .line = record->line,
	    .member = {annotation->key, strlen(annotation->key)},
	    .rule = "annotate",
	    .action = "edit",
	    .bytes = record->text};

	return ctx_report_change(annotation->rewrite.report, &change, err);
}

/* Adds the JSON edit that writes the token count into a record: as the value of
 * an existing member, or as a new member at the end.  Also reports it.  Does
 * nothing if the member already has this value. json: the JSON of the whole
 * record, even if the record contains its request as JSON in a string. */
static int
add_count_member(struct annotation *annotation, const struct ctx_record *record,
    const struct ctx_json *json, struct ctx_err *err)
{
	const struct ctx_node *nodes = json->nodes;
	uint32_t old = ctx_json_find(json, 0, annotation->key), at = 0,
		 last = 0;
	struct ctx_str place = {json->text + nodes[0].at + 1, 0};
	struct ctx_buf member = {0};
	int rc = -1;

	for (at = 1; at < nodes[0].next; at = nodes[at + 1].next)
		last = at + 1;
	if (old != 0)
		place = ctx_json_str(json, old);
	else if (last != 0)
		place.p = json->text + nodes[last].end;
	if ((old != 0 ||
		(ctx_buf_add(&member, ",", last != 0, err) == 0 &&
		    ctx_json_string_encode(&member, annotation->key,
			strlen(annotation->key), err) == 0 &&
		    ctx_buf_add(&member, ":", 1, err) == 0)) &&
	    ctx_buf_printf(&member, err, "%" PRIu64, annotation->tokens) == 0)
		rc = 0;
	if (rc == 0 &&
	    (member.n != place.n || memcmp(member.p, place.p, member.n) != 0))
		rc = report_count_member(annotation, record, err) < 0
		    ? -1
		    : ctx_edits_replace(&annotation->rewrite.edits, place,
			  member.p, member.n, err);
	ctx_buf_release(&member);
	return rc;
}

static int
end_annotated_record(void *user, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct annotation *annotation = user;
	const struct ctx_record *record = event->record;
	const struct ctx_json *json = record->json;
	int rc = 0;

	if (annotation->counted && record->coded.n > 0) {
		if (ctx_rewrite_scan_text(&annotation->rewrite, record->text,
			err) < 0)
			return -1;
		json = &annotation->rewrite.text_json;
	}
	if (annotation->counted && json->nodes[0].kind == CTX_JSON_OBJECT)
		rc = add_count_member(annotation, record, json, err);
	annotation->counted = false;
	annotation->tokens = 0;
	return rc;
}

int
ctx_annotate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, const char *key,
    const struct ctx_report *report, struct ctx_err *err)
{
	static const struct ctx_rewrite_command command = {
	    .begin = begin_annotation,
	    .message = annotate_message,
	    .record = end_annotated_record,
	};
	struct annotation annotation = {.rewrite = {.stream = stream,
					    .writer = writer,
					    .report = report,
					    .counters = counters,
					    .line_counter = &annotation.lines},
	    .key = key};
	int rc;

	rc = ctx_rewrite_run(&annotation.rewrite, &command, &annotation, err);
	ctx_rewrite_release(&annotation.rewrite);
	return rc;
}
