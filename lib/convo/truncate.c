/*
 * truncate.c - no single item too large
 *
 * Edits are noted while the messages of a record go by, and applied when it
 * is over; nothing else is held.  Most items are known to fit by the bytes
 * of their JSON, which no unit exceeds.
 */
#include <stdio.h>
#include <string.h>

#include "convo/convo.h"
#include "convo/pieces.h"
#include "convo/report.h"
#include "convo/talk.h"

struct truncate {
	const struct ctx_stream *stream;
	struct ctx_truncate_options *options;
	struct ctx_truncate_counts *counts;
	struct ctx_meter *meter;
	struct talk lines, record; /* the stream's, and a record's own */
	struct cut cut;
	struct pieces pieces;
	struct ctx_edits edits;
	struct edited edited;
	struct ctx_buf out;
	int64_t match_left; /* time for the patterns, of a message */
};

/* What was cut of a message, as bits. */
enum { RESULTS = 1, TEXTS = 2, ARGUMENTS = 4 };

static const char *const rules[] = {
    [RESULTS] = "results",
    [TEXTS] = "texts",
    [RESULTS | TEXTS] = "results and texts",
    [ARGUMENTS] = "arguments",
    [RESULTS | ARGUMENTS] = "results and arguments",
    [TEXTS | ARGUMENTS] = "texts and arguments",
    [RESULTS | TEXTS | ARGUMENTS] = "results, texts, arguments",
};

/* Could a value be longer than a limit?  One of 0 is none. */
static bool
may_exceed(const struct ctx_view *view, uint32_t node, uint64_t limit)
{
	const struct ctx_node *value = &view->json->nodes[node];

	return limit > 0 && node != 0 && value->end - value->at > limit;
}

static int
cut_pieces(struct truncate *t, const struct ctx_event *event, uint64_t limit,
    uint64_t *count, struct ctx_err *err)
{
	bool done;

	if (t->pieces.n == 0)
		return 0;
	if (ctx_cut(&t->cut, &t->edits, event->view, event->shape->dialect,
		&t->pieces, limit, &done, err) < 0)
		return -1;
	*count += done;
	return 0;
}

/* Sets mark to the longest form of arguments of ours that fits. */
static int
shorten_arguments(struct truncate *t, uint64_t before, char mark[80],
    uint64_t *after, struct ctx_err *err)
{
	static const char *const units[] = {"characters", "bytes", "tokens",
	    "lines"};
	static const char *const shorter[] = {"{\"\xe2\x80\xa6\":0}", "{}"};
	size_t form;

	(void)snprintf(mark, 80, "{\"_ctx_cut\":\"%llu %s truncated\"}",
	    (unsigned long long)before, units[t->options->unit]);
	for (form = 0;; form++) {
		if (ctx_cut_measure(&t->cut, mark, strlen(mark), after, err) <
		    0)
			return -1;
		if (*after <= t->options->args || form == 2)
			return 0;
		(void)snprintf(mark, 80, "%s", shorter[form]);
	}
}

/* Arguments are never cut but replaced, so that none pass for real ones. */
static int
cut_args(struct truncate *t, const struct ctx_view *view, uint32_t args,
    struct ctx_err *err)
{
	struct ctx_str raw = ctx_json_str(view->json, args);
	bool string = view->json->nodes[args].kind == CTX_JSON_STRING;
	uint64_t before, after;
	struct ctx_str text;
	char mark[80];

	t->out.n = 0;
	if ((string ? ctx_json_text(view->json, args, &t->out, &text, err)
		    : ctx_json_compact(view->json, args, &t->out, &text, err)) <
	    0)
		return -1;
	if (ctx_cut_measure(&t->cut, text.p, text.n, &before, err) < 0)
		return -1;
	ctx_buf_reset(&t->out);
	if (before <= t->options->args)
		return 0;
	if (shorten_arguments(t, before, mark, &after, err) < 0)
		return -1;
	if (after >= before)
		return 0;
	t->counts->calls++;
	t->out.n = 0;
	if (string ? ctx_text_encode(&t->out, mark, strlen(mark), err) < 0
		   : ctx_buf_add(&t->out, mark, strlen(mark), err) < 0)
		return -1;
	return ctx_edit_replace(&t->edits, raw, t->out.p, t->out.n, err);
}

static int
cut_texts(struct truncate *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_node *node =
	    &event->view->json->nodes[event->view->node];
	uint64_t limit = t->options->message;

	if (limit == 0 || node->end - node->at <= limit)
		return 0;
	if (ctx_pieces_texts(&t->pieces, event->view, event->view->n, err) < 0)
		return -1;
	return cut_pieces(t, event, limit, &t->counts->messages, err);
}

/* The limit that holds for a result. */
static uint64_t
result_limit(const struct ctx_truncate_options *options)
{
	if (options->message > 0 &&
	    (options->limit == 0 || options->message < options->limit))
		return options->message;
	return options->limit;
}

/* ---- messages ---- */

/* Cuts part i, if it is too long and of a tool that is asked for. */
static int
cut_part(struct truncate *t, struct talk *talk, const struct ctx_event *event,
    size_t i, struct ctx_err *err)
{
	struct ctx_truncate_options *options = t->options;
	const struct ctx_view *view = event->view;
	const struct ctx_part *part = &view->parts[i];
	uint64_t limit = part->kind == CTX_PART_RESULT ? result_limit(options)
	    : part->kind == CTX_PART_CALL	       ? options->args
						       : 0;
	struct ctx_str tool;

	if (part->whole || !may_exceed(view, part->value, limit))
		return 0;
	if (ctx_talk_tool(talk, event, i, &tool, err) < 0)
		return -1;
	if (!ctx_pattern_picks(&options->tool, &options->not_tool, tool.p,
		tool.n, &t->match_left))
		return 0;
	if (part->kind == CTX_PART_CALL)
		return cut_args(t, view, part->value, err);
	if (ctx_pieces_result(&t->pieces, view, event->shape->dialect, i,
		err) < 0)
		return -1;
	return cut_pieces(t, event, limit, &t->counts->results, err);
}

/* Tells of a message that has edits from first on. */
static int
tell(struct truncate *t, struct talk *talk, const struct ctx_event *event,
    size_t first, const struct ctx_truncate_counts *was, struct ctx_err *err)
{
	const struct ctx_json *json = event->view->json;
	struct ctx_touch touch = {.file = event->record->file,
	    .line = event->record->line, .index = talk->index};

	if (first == t->edits.n || !ctx_report_wanted(&t->options->report))
		return 0;
	touch.rule = rules[(t->counts->results > was->results) * RESULTS +
	    (t->counts->messages > was->messages) * TEXTS +
	    (t->counts->calls > was->calls) * ARGUMENTS];
	if (ctx_talk_first_tool(talk, event, &touch.tool, err) < 0)
		return -1;
	touch.bytes = event->inside
	    ? ctx_json_str(json, event->node)
	    : event->record->text;
	t->edited.before = event->view;
	t->edited.dialect = event->shape->dialect;
	t->edited.counter = talk->measure.counter;
	t->edited.value = ctx_json_str(json, event->node);
	t->edited.first = first;
	t->edited.n = t->edits.n - first;
	return ctx_report_edited(&t->options->report, &t->edited, &t->edits,
	    &touch, err);
}

static int
one_message(struct truncate *t, struct talk *talk,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_truncate_counts was = *t->counts;
	size_t first = t->edits.n, i;

	t->cut.counter = talk->measure.counter;
	t->match_left = CTX_PATTERN_TIME;
	for (i = 0; i < event->view->n; i++)
		if (cut_part(t, talk, event, i, err) < 0)
			return -1;
	if (cut_texts(t, event, err) < 0 ||
	    tell(t, talk, event, first, &was, err) < 0)
		return -1;
	return ctx_talk_leave(talk, event, err);
}

static int
pass(struct truncate *t, struct ctx_writer *writer,
    const struct ctx_record *record, struct ctx_err *err)
{
	if (t->options->report.dry_run) {
		ctx_edits_reset(&t->edits);
		return 0;
	}
	if (t->edits.n == 0) {
		if (ctx_writer_put(writer, record->text.p, record->text.n,
			err) < 0)
			return -1;
		return ctx_writer_mark(writer, err);
	}
	t->out.n = 0;
	if (ctx_report_sync(&t->options->report, err) < 0 ||
	    ctx_edits_apply(&t->edits, record->text, &t->out, err) < 0 ||
	    ctx_writer_copy(writer, t->out.p, t->out.n, err) < 0)
		return -1;
	ctx_edits_reset(&t->edits);
	ctx_buf_reset(&t->out);
	return ctx_writer_mark(writer, err);
}

static int
one_event(struct truncate *t, struct ctx_writer *writer,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct talk *talk = event->inside ? &t->record : &t->lines;

	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return ctx_talk_enter(talk, t->stream, event, t->meter, err);
	case CTX_EVENT_MESSAGE:
		if (ctx_talk_enter(talk, t->stream, event, t->meter, err) < 0)
			return -1;
		return one_message(t, talk, event, err);
	case CTX_EVENT_RECORD:
		return pass(t, writer, event->record, err);
	default:
		return 0;
	}
}

static int
run(struct truncate *t, struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	int rc;

	while ((rc = ctx_stream_next(stream, &event, err)) > 0)
		if (one_event(t, writer, &event, err) < 0) {
			rc = ctx_stream_fail(stream, err);
			break;
		}
	/* After an error too: the records before it are complete. */
	if (ctx_writer_flush(writer, &late) < 0 && rc == 0) {
		*err = late;
		rc = -1;
	}
	return rc;
}

int
ctx_truncate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_meter *meter, struct ctx_truncate_options *options,
    struct ctx_truncate_counts *counts, struct ctx_err *err)
{
	struct truncate t = {.stream = stream, .options = options,
	    .counts = counts, .meter = meter};
	bool told = options->report.touched != NULL;
	bool tools = told || options->tool.n > 0 || options->not_tool.n > 0;
	bool tokens = told || options->unit == CTX_SIZE_TOKENS;
	int rc = -1;

	memset(counts, 0, sizeof *counts);
	t.cut.unit = options->unit;
	t.cut.keep = options->keep;
	t.cut.head = options->head;
	t.cut.tail = options->tail;
	ctx_json_init(&t.edited.json, meter->simd);
	if (ctx_talk_init(&t.lines, tools, tokens, err) == 0 &&
	    ctx_talk_init(&t.record, tools, tokens, err) == 0)
		rc = run(&t, stream, writer, err);
	ctx_talk_release(&t.lines);
	ctx_talk_release(&t.record);
	ctx_cut_release(&t.cut);
	ctx_pieces_release(&t.pieces);
	ctx_edits_release(&t.edits);
	ctx_edited_release(&t.edited);
	ctx_buf_release(&t.out);
	return rc;
}
