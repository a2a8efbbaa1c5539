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

struct truncate {
	const struct ctx_truncate_options *options;
	struct ctx_truncate_counts *counts;
	struct ctx_meter *meter;
	struct ctx_measure lines, record; /* of the stream, of a record's */
	struct cut cut;
	struct pieces pieces;
	struct ctx_edits edits;
	struct ctx_buf out;
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

/* Arguments are never cut but replaced, so that none pass for real ones. */
static int
cut_args(struct truncate *t, const struct ctx_view *view, uint32_t args,
    struct ctx_err *err)
{
	struct ctx_str raw = ctx_json_str(view->json, args);
	bool string = view->json->nodes[args].kind == CTX_JSON_STRING;
	static const char *const units[] = {"characters", "bytes", "tokens",
	    "lines"};
	uint64_t before, after;
	struct ctx_str text = raw;
	char stub[80];

	t->out.n = 0;
	if (string) {
		if (ctx_text_decode(&t->out, raw, err) < 0)
			return -1;
		text = (struct ctx_str){t->out.p, t->out.n};
	}
	if (ctx_cut_measure(&t->cut, text.p, text.n, &before, err) < 0)
		return -1;
	if (before <= t->options->args)
		return 0;
	(void)snprintf(stub, sizeof stub,
	    "{\"_ctx_cut\":\"%llu %s truncated\"}", (unsigned long long)before,
	    units[t->options->unit]);
	if (ctx_cut_measure(&t->cut, stub, strlen(stub), &after, err) < 0)
		return -1;
	if (after > t->options->args)
		(void)snprintf(stub, sizeof stub, "{}");
	if (ctx_cut_measure(&t->cut, stub, strlen(stub), &after, err) < 0)
		return -1;
	if (after >= before)
		return 0;
	t->counts->calls++;
	t->out.n = 0;
	if (string ? ctx_text_encode(&t->out, stub, strlen(stub), err) < 0
		   : ctx_buf_add(&t->out, stub, strlen(stub), err) < 0)
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
	if (ctx_pieces_texts(&t->pieces, event->view, err) < 0)
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

static int
one_message(struct truncate *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_view *view = event->view;
	uint64_t limit = result_limit(t->options);
	size_t i;

	/* What the model is not shown costs nothing. */
	if (view->flags & CTX_VIEW_HIDDEN)
		return 0;
	for (i = 0; i < view->n; i++) {
		const struct ctx_part *part = &view->parts[i];

		if (part->kind == CTX_PART_RESULT &&
		    may_exceed(view, part->value, limit)) {
			if (ctx_pieces_result(&t->pieces, view,
				event->shape->dialect, i, err) < 0 ||
			    cut_pieces(t, event, limit, &t->counts->results,
				err) < 0)
				return -1;
		} else if (part->kind == CTX_PART_CALL &&
		    may_exceed(view, part->value, t->options->args) &&
		    cut_args(t, view, part->value, err) < 0) {
			return -1;
		}
	}
	return cut_texts(t, event, err);
}

/* Finds what counts tokens for a conversation, if anything must. */
static int
measure(struct truncate *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_measure *one = event->inside ? &t->record : &t->lines;

	if (t->options->unit != CTX_SIZE_TOKENS)
		return 0;
	if ((event->kind == CTX_EVENT_BEGIN || one->counter == NULL) &&
	    ctx_meter_find(t->meter, event->record->json, event->shape->model,
		one, err) < 0)
		return -1;
	t->cut.counter = one->counter->tokens;
	return 0;
}

static int
pass(struct truncate *t, struct ctx_writer *writer,
    const struct ctx_record *record, struct ctx_err *err)
{
	if (t->edits.n == 0) {
		if (ctx_writer_put(writer, record->text.p, record->text.n,
			err) < 0)
			return -1;
		return ctx_writer_mark(writer, err);
	}
	t->out.n = 0;
	if (ctx_edits_apply(&t->edits, record->text, &t->out, err) < 0 ||
	    ctx_writer_copy(writer, t->out.p, t->out.n, err) < 0)
		return -1;
	ctx_edits_reset(&t->edits);
	return ctx_writer_mark(writer, err);
}

static int
one_event(struct truncate *t, struct ctx_writer *writer,
    const struct ctx_event *event, struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return measure(t, event, err);
	case CTX_EVENT_MESSAGE:
		if (measure(t, event, err) < 0)
			return -1;
		return one_message(t, event, err);
	case CTX_EVENT_RECORD:
		return pass(t, writer, event->record, err);
	default:
		return 0;
	}
}

int
ctx_truncate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_meter *meter, const struct ctx_truncate_options *options,
    struct ctx_truncate_counts *counts, struct ctx_err *err)
{
	struct truncate t = {.options = options, .counts = counts,
	    .meter = meter};
	struct ctx_event event;
	struct ctx_err late;
	int rc;

	memset(counts, 0, sizeof *counts);
	t.cut.unit = options->unit;
	t.cut.keep = options->keep;
	t.cut.head = options->head;
	t.cut.tail = options->tail;
	while ((rc = ctx_stream_next(stream, &event, err)) > 0)
		if (one_event(&t, writer, &event, err) < 0) {
			rc = ctx_stream_fail(stream, err);
			break;
		}
	/* After an error too: the records before it are complete. */
	if (ctx_writer_flush(writer, &late) < 0 && rc == 0) {
		*err = late;
		rc = -1;
	}
	ctx_cut_release(&t.cut);
	ctx_pieces_release(&t.pieces);
	ctx_edits_release(&t.edits);
	ctx_buf_release(&t.out);
	return rc;
}
