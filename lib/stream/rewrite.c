/* rewrite.c - reads the records of a stream, lets a command change them, and
 * writes them in the order of the input */
#include "stream/rewrite.h"

/* ---- writing ---- */

/* If the request in the record that is being read is coded in a string,
 * converts edits of the request to edits of this string.  Does nothing if the
 * argument text is not the text of this record. */
static int
encode_edits(const struct ctx_rewrite *rewrite, struct ctx_edits *edits,
    struct ctx_str text, struct ctx_err *err)
{
	const struct ctx_record *record = rewrite->record;

	if (record == NULL || record->coded.n == 0 || text.p != record->text.p)
		return 0;
	return ctx_edits_encode(edits, record->value, record->coded, err);
}

int
ctx_rewrite_apply_edits(struct ctx_rewrite *rewrite, struct ctx_str *text,
    struct ctx_err *err)
{
	rewrite->out.n = 0;
	if (encode_edits(rewrite, &rewrite->edits, *text, err) < 0 ||
	    ctx_edits_apply(&rewrite->edits, *text, &rewrite->out, err) < 0)
		return -1;
	ctx_edits_reset(&rewrite->edits);
	*text = ctx_buf_str(&rewrite->out);
	return 0;
}

int
ctx_rewrite_write(struct ctx_rewrite *rewrite, struct ctx_str text,
    bool is_borrowed, struct ctx_err *err)
{
	int rc;

	rewrite->scanned = NULL;
	if (rewrite->writer == NULL ||
	    (rewrite->report != NULL && rewrite->report->dry_run)) {
		ctx_edits_reset(&rewrite->edits);
		return 0;
	}
	if (rewrite->report != NULL &&
	    ctx_report_sync(rewrite->report, err) < 0)
		return -1;
	if (rewrite->edits.n > 0) {
		is_borrowed = false;
		if (ctx_rewrite_apply_edits(rewrite, &text, err) < 0)
			return -1;
	}
	rc = is_borrowed
	    ? ctx_writer_put(rewrite->writer, text.p, text.n, err)
	    : ctx_writer_copy(rewrite->writer, text.p, text.n, err);
	ctx_buf_reset(&rewrite->out);
	return rc < 0 ? -1 : ctx_writer_end_record(rewrite->writer, err);
}

int
ctx_rewrite_write_first(struct ctx_rewrite *rewrite, struct ctx_err *err)
{
	const struct ctx_held_message *held =
	    ctx_held_queue_at(&rewrite->lines, rewrite->lines.first);

	if (ctx_rewrite_write(rewrite, (struct ctx_str){held->text, held->n},
		false, err) < 0)
		return -1;
	ctx_held_queue_remove_first(&rewrite->lines);
	return 0;
}

int
ctx_rewrite_hold(struct ctx_rewrite *rewrite, struct ctx_held_message *held,
    const struct ctx_event *event, struct ctx_err *err)
{
	char *text = ctx_stream_keep(rewrite->stream, event, err);

	rewrite->is_held = true;
	if (text != NULL) {
		ctx_rewrite_set_text(rewrite, held, text,
		    event->record->text.n);
		return 0;
	}
	ctx_held_queue_remove_last(&rewrite->lines);
	return -1;
}

void *
ctx_rewrite_hold_record(struct ctx_rewrite *rewrite,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_held_message *held =
	    ctx_held_queue_add(&rewrite->lines, event, err);

	if (held == NULL)
		return NULL;
	if (rewrite->edits.n == 0)
		return ctx_rewrite_hold(rewrite, held, event, err) < 0 ? NULL
								       : held;
	if (ctx_rewrite_edit_held(rewrite, held, &rewrite->edits, err) == 0)
		return held;
	ctx_held_queue_remove_last(&rewrite->lines);
	return NULL;
}

int
ctx_rewrite_edit_held(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, struct ctx_edits *edits, struct ctx_err *err)
{
	struct ctx_str text = {held->text, held->n};
	struct ctx_buf edited = {0};

	if (held->text == NULL)
		text = rewrite->record->text;
	if (encode_edits(rewrite, edits, text, err) < 0 ||
	    ctx_buf_reserve(&edited, text.n + edits->store.n + 1, err) < 0 ||
	    ctx_edits_apply(edits, text, &edited, err) < 0) {
		ctx_buf_release(&edited);
		return -1;
	}
	ctx_edits_reset(edits);
	ctx_rewrite_free_text(rewrite, held);
	ctx_rewrite_set_text(rewrite, held, edited.p, edited.n);
	return 0;
}

/* ---- reporting ---- */

int
ctx_rewrite_count_edited(struct ctx_rewrite *rewrite,
    const struct ctx_edited_message *edited, const struct ctx_edits *edits,
    uint64_t *tokens, struct ctx_err *err)
{
	const struct ctx_message *message = edited->message;
	struct ctx_buf *text = &rewrite->edited;
	struct ctx_cost cost;
	int rc;

	text->n = 0;
	if (ctx_edits_apply_some(edits, edited->first, edited->n,
		ctx_json_str(message->json, edited->node), text, err) < 0)
		return -1;
	rc = ctx_rewrite_read_text(rewrite, message->dialect, ctx_buf_str(text),
	    message->flags, err);
	if (rc < 0 ||
	    ctx_count_edited_message(edited->counter, &rewrite->text_message,
		message, &cost, err) < 0)
		return -1;
	*tokens = cost.tokens;
	ctx_buf_reset(text);
	return rc;
}

int
ctx_rewrite_report(struct ctx_rewrite *rewrite,
    const struct ctx_edited_message *edited, struct ctx_change *change,
    struct ctx_err *err)
{
	const struct ctx_report *report = rewrite->report;
	struct ctx_cost cost;

	change->role = edited->message->role;
	change->action = "edit";
	/* An inactive line of a session file is not sent to the model, so
	 * changing this line saves no tokens. */
	if (report->on_change != NULL && !change->aside) {
		if (ctx_count_message(edited->counter, edited->message, &cost,
			err) < 0)
			return -1;
		change->before = cost.tokens;
		if (ctx_rewrite_count_edited(rewrite, edited, &rewrite->edits,
			&change->after, err) < 0)
			return -1;
	}
	return ctx_report_change(report, change, err);
}

/* ---- reading ---- */

/* Applies rewrite->edits to the record that was read.  Writes the record.  If
 * earlier messages are still in memory, appends the record to them instead. */
static int
pass_record(struct ctx_rewrite *rewrite, const struct ctx_event *event,
    struct ctx_err *err)
{
	if (rewrite->lines.first == rewrite->lines.end)
		return ctx_rewrite_write(rewrite, event->record->text, true,
		    err);
	return ctx_rewrite_hold_record(rewrite, event, err) == NULL ? -1 : 0;
}

static int
end_record(struct ctx_rewrite *rewrite,
    const struct ctx_rewrite_command *command, void *user,
    const struct ctx_event *event, struct ctx_err *err)
{
	int rc = rewrite->is_held;

	if (rc == 0 && command->record != NULL)
		rc = command->record(user, event, err);
	if (rc == 0)
		rc = pass_record(rewrite, event, err);
	rewrite->is_held = false;
	return rc < 0 ? -1 : 0;
}

static int
call_command(ctx_rewrite_callback *function, void *user,
    const struct ctx_event *event, struct ctx_err *err)
{
	return function == NULL ? 0 : function(user, event, err);
}

/* Called for a message that is a record of its own.  Begins the conversation
 * with the first message.  Later messages may show how tokens are counted. */
static int
enter_line(struct ctx_rewrite *rewrite,
    const struct ctx_rewrite_command *command, void *user,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_model_counter *counter = rewrite->line_counter;

	if (!rewrite->begun) {
		rewrite->begun = true;
		return call_command(command->begin, user, event, err);
	}
	if (counter == NULL || counter->counter == NULL)
		return 0;
	return ctx_stream_update_counter(rewrite->stream, event,
	    rewrite->counters, counter, err);
}

static int
take_event(struct ctx_rewrite *rewrite,
    const struct ctx_rewrite_command *command, void *user,
    const struct ctx_event *event, struct ctx_err *err)
{
	rewrite->record = event->record;
	rewrite->tools = event->inside ? event->layout->tools : 0;
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return call_command(command->begin, user, event, err);
	case CTX_EVENT_MESSAGE:
		if (!event->inside &&
		    enter_line(rewrite, command, user, event, err) < 0)
			return -1;
		return call_command(command->message, user, event, err);
	case CTX_EVENT_UNKNOWN:
		return call_command(command->unknown, user, event, err);
	case CTX_EVENT_END:
		return call_command(command->end, user, event, err);
	case CTX_EVENT_RECORD:
		break;
	}
	return end_record(rewrite, command, user, event, err);
}

/* Returns why the reading of a stream has ended with the error *err. refused:
 * true if a callback of the command has returned this error. */
static enum ctx_stream_end
find_end(const struct ctx_err *err, bool refused)
{
	bool failed = err->code == CTX_ESYS || err->code == CTX_ENOMEM ||
	    err->code == CTX_EPIPE;

	if (refused)
		return failed ? CTX_END_FAILED : CTX_END_REFUSED;
	return failed ? CTX_END_UNREADABLE : CTX_END_INVALID;
}

void
ctx_rewrite_init(struct ctx_rewrite *rewrite, enum ctx_simd simd)
{
	ctx_json_init(&rewrite->json, simd);
	ctx_json_init(&rewrite->text_json, simd);
}

int
ctx_rewrite_run(struct ctx_rewrite *rewrite,
    const struct ctx_rewrite_command *command, void *user, struct ctx_err *err)
{
	enum ctx_stream_end how;
	struct ctx_event event;
	struct ctx_err late;
	int rc;

	if (command->entries != NULL)
		rewrite->lines = rewrite->elements = *command->entries;
	while ((rc = ctx_stream_next(rewrite->stream, &event, err)) > 0)
		if (take_event(rewrite, command, user, &event, err) < 0)
			break;
	how = rc == 0 ? CTX_END_COMPLETE : find_end(err, rc > 0);
	if (rc > 0)
		rc = ctx_stream_fail(rewrite->stream, err);
	ctx_edits_reset(&rewrite->edits);
	/* After an error of the input, too, messages in memory can be written,
	 * because their records are complete.  command->finish decides. */
	if (command->finish != NULL && command->finish(user, how, &late) < 0 &&
	    rc == 0) {
		*err = late;
		rc = -1;
	}
	if (rewrite->writer != NULL &&
	    ctx_writer_flush(rewrite->writer, &late) < 0 && rc == 0) {
		*err = late;
		rc = -1;
	}
	return rc;
}

void
ctx_rewrite_release(struct ctx_rewrite *rewrite)
{
	ctx_held_queue_release(&rewrite->lines);
	ctx_held_queue_release(&rewrite->elements);
	ctx_edits_release(&rewrite->edits);
	ctx_message_release(&rewrite->message);
	ctx_json_release(&rewrite->json);
	ctx_message_release(&rewrite->text_message);
	ctx_json_release(&rewrite->text_json);
	ctx_buf_release(&rewrite->parses);
	ctx_buf_release(&rewrite->out);
	ctx_buf_release(&rewrite->edited);
}
