/*
 * check_stream.c - checks the conversations of a stream and, on demand, repairs
 * them
 *
 * All messages that are records form one conversation.  The messages inside a
 * record form a separate conversation.  Each conversation has its own
 * validator.
 *
 * If CTX_REASONING_FAIL is set, a conversation is kept in memory until its end.
 * Then it is repaired in a trial, which writes and reports nothing, to find out
 * whether the repair would make signed reasoning invalid.
 */
#include <stdio.h>
#include <string.h>

#include "check/held_events.h"
#include "check/repair.h"
#include "stream/rewrite.h"

/* A conversation and its validator. */
struct check_conversation {
	struct ctx_validator validator;
	struct ctx_rule_choice choice;
	uint64_t messages;
	/* number of messages that were not removed by a repair */
	uint64_t messages_left;
	/* How the provider of the conversation's model treats reasoning when
	 * anything before it was changed. */
	enum ctx_binding binds;
	/* true if the events of the conversation are kept in memory */
	bool holding;
};

struct check {
	/* The elements of the queues in "rewrite" have the type struct
	 * ctx_held_event if the events of the conversation are kept in memory,
	 * otherwise struct ctx_repair_entry. */
	struct ctx_rewrite rewrite;
	/* The events of a conversation that was kept in memory; used while
	 * these events are checked.  Events of messages that are records remain
	 * here until the run ends, because the writer may still refer to their
	 * bytes. */
	struct ctx_held_queue events;
	struct ctx_check_config *options;
	struct check_conversation lines, record;
	/* message that is being checked, or NULL */
	const struct ctx_message *message;
	struct ctx_repair repair;
	bool repairing;
	/* Name of the input file that contains the first record that is not
	 * blank. */
	const char *file;
	/* true once a record was read that contains a conversation */
	bool conversations;
	/* Position in the current record up to which lines were counted:
	 * counted_to is an offset in bytes, and line the number of the line at
	 * this offset. */
	uint32_t counted_to;
	uint64_t line;
};

/* Reports a finding (violation of a rule) that is not repaired. */
static int
report_finding(struct check *check, const struct ctx_finding *finding,
    struct ctx_err *err)
{
	if (check->repair.trial)
		return 0;
	return check->options->on_finding(check->options->user, finding, err);
}

/* Reports that a repair has removed a tool result that cannot be moved. */
static int
report_lost_result(struct check *check, const struct ctx_finding *finding,
    struct ctx_err *err)
{
	struct ctx_finding lost = *finding;
	char what[240];

	lost.what = what;
	(void)snprintf(what, sizeof what,
	    "%s; removed, because it cannot be moved", finding->what);
	return report_finding(check, &lost, err);
}

static int
handle_finding(void *user, const struct ctx_finding *finding,
    struct ctx_err *err)
{
	struct check *check = user;
	struct check_conversation *conversation;
	struct ctx_change fix = {0};
	int rc = check->repairing ? ctx_repair_finding(&check->repair, finding,
					check->message, &fix, err)
				  : 0;

	if (rc < 0)
		return -1;
	if (rc == 0)
		return report_finding(check, finding, err) < 0 ? -1 : 0;
	if (ctx_repair_report(&check->repair, &fix, err) < 0 ||
	    (check->repair.lost_result &&
		report_lost_result(check, finding, err) < 0))
		return -1;
	/* A message that was checked before, and is removed now, was already
	 * counted in messages_left.  So messages_left must be decreased. */
	conversation = finding->place.inside ? &check->record : &check->lines;
	if (ctx_rule_at(finding->id)->remedy == CTX_FIX_REMOVE_MESSAGE &&
	    finding->place.message < conversation->messages)
		conversation->messages_left--;
	return rc;
}

/* Sets conversation->choice.  Called only once per conversation, because the
 * search for the model may read all messages that a record contains. */
static int
find_choice(const struct check *check, struct check_conversation *conversation,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_rule_choice *choice = &conversation->choice;

	*choice = (struct ctx_rule_choice){.given = check->options->provider,
	    .in_request = event->inside && event->layout->in_request};
	if (check->options->counters != NULL &&
	    ctx_stream_model(check->rewrite.stream, event,
		check->options->counters, &choice->model, err) < 0)
		return -1;
	choice->shown = ctx_provider_of_request(event->record->json,
	    event->layout, choice->model);
	return 0;
}

/* Returns the rules, as bits, for a conversation in a dialect (format).  Sets
 * validator.provider to the provider whose limits apply. */
static uint64_t
find_rules(struct check_conversation *conversation,
    const struct ctx_dialect *dialect)
{
	return ctx_choose_rules(&conversation->choice, dialect,
	    &conversation->validator.provider);
}

/* Returns the number of the line on which the event's JSON node begins.  Within
 * a record, this function must be called for the nodes in their order. */
static uint64_t
find_node_line(struct check *check, const struct ctx_event *event)
{
	const struct ctx_json *json = event->record->json;
	uint32_t to = json->nodes[event->node].at;
	const char *p = json->text + check->counted_to, *end = json->text + to;
	uint64_t line;
	size_t column;

	if (event->record->coded.n > 0) {
		ctx_record_find_place(event->record, json->text, &line,
		    &column);
		return line;
	}
	while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		check->line++;
		p++;
	}
	check->counted_to = to;
	return check->line;
}

static struct ctx_place
get_event_place(struct check *check, const struct ctx_event *event,
    const struct check_conversation *conversation)
{
	return (struct ctx_place){
	    .file = event->record->file,
	    .line = event->inside ? find_node_line(check, event)
				  : event->record->line,
	    .message = conversation->messages,
	    .inside = event->inside,
	};
}

static int
check_message(struct check *check, struct check_conversation *conversation,
    const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_place place = get_event_place(check, event, conversation);
	bool is_continuation = conversation->messages > 0 &&
	    (event->message->flags & CTX_MESSAGE_CONTINUES);
	uint64_t rules;
	int rc;

	rules = find_rules(conversation, event->layout->dialect);
	if (check->options->schema)
		rules |= CTX_CALLS_FIT;
	place.message -= is_continuation;
	/* A provider's response alone is not checked: a response is only sent
	 * together with the request before it. */
	if (event->layout->is_response) {
		conversation->messages++;
		conversation->messages_left++;
		check->options->messages++;
		return 0;
	}
	if (check->repairing &&
	    ctx_repair_add(&check->repair, event, rules, &place, err) < 0)
		return -1;
	check->message = event->message;
	conversation->validator.dialect = event->layout->dialect;
	conversation->validator.window = conversation->choice.model == NULL
	    ? 0
	    : conversation->choice.model->window;
	rc = ctx_validator_add(&conversation->validator, rules, event->message,
	    &place, err);
	check->message = NULL;
	conversation->messages += !is_continuation;
	check->options->messages += !is_continuation;
	conversation->messages_left += !conversation->validator.removed;
	if (rc == 0 && check->repairing)
		rc = ctx_repair_judged(&check->repair, event,
		    &conversation->validator, err);
	return rc;
}

/* Reports that a record has no message at a place where there must be a
 * message. */
static int
report_missing_message(struct check *check, const struct ctx_place *place,
    const char *what, struct ctx_err *err)
{
	const struct ctx_finding finding = {.id = CTX_RULE_NO_MESSAGE,
	    .place = *place,
	    .what = what};

	return report_finding(check, &finding, err);
}

/* Returns true if an element of a conversation is not a message, although the
 * format allows only messages there. */
static bool
is_message_missing(const struct ctx_event *event)
{
	return event->record->json->nodes[event->node].kind !=
	    CTX_JSON_OBJECT ||
	    (event->layout->dialect->rules & CTX_KNOWN_ROLES);
}

/* Checks the parts of a request outside its messages. */
static int
check_request(struct check *check, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_record_layout *layout = event->layout;
	struct ctx_place place = {.file = event->record->file,
	    .line = event->record->line,
	    .inside = true};

	if (layout->is_response)
		return 0;
	return ctx_validator_check_request(&check->record.validator,
	    find_rules(&check->record, layout->dialect), layout->messages,
	    &place, err);
}

static int
end_conversation(struct check *check, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct check_conversation *conversation = &check->record;
	struct ctx_place place = {event->record->file, check->line, 0, true};

	if (ctx_validator_end(&conversation->validator,
		check->options->allow_pending, err) < 0 ||
	    check_request(check, event, err) < 0)
		return -1;
	if (conversation->messages_left == 0 && !event->layout->is_response &&
	    report_missing_message(check, &place,
		"the conversation has no messages", err) < 0)
		return -1;
	if (check->repairing)
		return ctx_repair_conversation(&check->repair, event, err);
	return 0;
}

/* Prepares the validator for a conversation that is inside a record. */
static void
begin_conversation(struct check *check, const struct ctx_event *event)
{
	struct ctx_validator *validator = &check->record.validator;
	const struct ctx_record_layout *layout = event->layout;

	check->conversations = true;
	if (check->counted_to == 0)
		check->line = event->record->line;
	check->record.messages = check->record.messages_left = 0;
	ctx_validator_begin(validator);
	validator->has_remote_state = layout->has_remote_state;
	validator->request_json = event->record->json;
	validator->request =
	    layout->in_request ? layout->request : layout->messages;
	ctx_repair_begin(&check->repair, true, check->record.binds);
}

/* Checks the message or other element of an event.  Called when the event is
 * read, or later if the event was kept in memory. */
static int
check_event(struct check *check, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_place place;

	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return 0;
	case CTX_EVENT_MESSAGE:
		return check_message(check,
		    event->inside ? &check->record : &check->lines, event, err);
	case CTX_EVENT_UNKNOWN:
		place = get_event_place(check, event, &check->record);
		check->record.messages++;
		check->record.messages_left++;
		if (!is_message_missing(event))
			return 0;
		return report_missing_message(check, &place,
		    "an element is not a message", err);
	case CTX_EVENT_END:
		return end_conversation(check, event, err);
	case CTX_EVENT_RECORD:
		break;
	}
	if (check->file == NULL && event->record->kind != CTX_RECORD_BLANK)
		check->file = event->record->file;
	if (check->repairing)
		return ctx_repair_record(&check->repair, event,
		    ctx_validator_first_undecided(&check->lines.validator),
		    err);
	return ctx_rewrite_write(&check->rewrite, event->record->text, false,
	    err);
}

static int
end_stream(struct check *check, struct ctx_err *err)
{
	struct ctx_place place = {check->file, 1, 0, false};

	if (ctx_validator_end(&check->lines.validator,
		check->options->allow_pending, err) < 0)
		return -1;
	/* Does nothing if conversations are inside records: at the end of each
	 * conversation, ctx has already checked that it has messages. */
	if (check->file != NULL && !check->conversations &&
	    check->lines.messages_left == 0 &&
	    report_missing_message(check, &place, "the file has no messages",
		err) < 0)
		return -1;
	return check->repairing ? ctx_repair_end(&check->repair, err) : 0;
}

/* ---- conversations that are held ---- */

/* Makes the queue of a conversation empty, and changes the type of its
 * elements. entries: an empty queue with elements of the new type. */
static void
replace_queue(struct ctx_held_queue *queue,
    const struct ctx_held_queue *entries)
{
	ctx_held_queue_release(queue);
	*queue = *entries;
}

/* Moves the events of a conversation from its queue to check->events.  Then
 * elements for a repair can be added to the queue. */
static void
take_events(struct check *check, struct ctx_held_queue *queue)
{
	replace_queue(&check->events, queue);
	*queue = ctx_repair_entries;
}

/* Checks the events in check->events. */
static int
check_held(struct check *check, struct ctx_err *err)
{
	struct ctx_event event;
	size_t i;

	for (i = 0; i < check->events.end; i++) {
		if (ctx_held_event_read(&check->rewrite,
			ctx_held_queue_at(&check->events, i), &event,
			err) < 0 ||
		    check_event(check, &event, err) < 0)
			return -1;
		if (event.inside || event.kind != CTX_EVENT_MESSAGE)
			continue;
		event.kind = CTX_EVENT_RECORD;
		if (check_event(check, &event, err) < 0)
			return -1;
	}
	return 0;
}

/* Checks a conversation that is in memory from its beginning to its end. end:
 * the event at the end of a conversation inside a record; NULL for messages
 * that are records. */
static int
check_held_conversation(struct check *check, const struct ctx_event *end,
    struct ctx_err *err)
{
	if (end != NULL)
		begin_conversation(check, end);
	if (check_held(check, err) < 0)
		return -1;
	return end != NULL ? end_conversation(check, end, err)
			   : end_stream(check, err);
}

/* Repairs the conversation in memory in a trial, which writes and reports
 * nothing.  Sets check->repair.refused to true if the provider would refuse
 * signed reasoning after the changes of the repair. */
static int
try_repair(struct check *check, const struct ctx_event *end,
    struct ctx_err *err)
{
	struct ctx_edits edits = check->rewrite.edits;
	struct ctx_writer *writer = check->rewrite.writer;
	uint64_t messages = check->options->messages, line = check->line;
	uint32_t at = check->counted_to;
	int rc;

	check->repair.trial = true;
	check->rewrite.writer = NULL;
	check->repair.refused = check->repair.renamed = false;
	memset(&check->rewrite.edits, 0, sizeof check->rewrite.edits);
	rc = check_held_conversation(check, end, err);
	ctx_edits_release(&check->rewrite.edits);
	check->repair.trial = false;
	check->rewrite.writer = writer;
	check->rewrite.edits = edits;
	check->options->messages = messages;
	check->line = line;
	check->counted_to = at;
	return rc;
}

/* Called if the messages that are records were checked in a trial, and must now
 * be checked a second time.  Begins their conversation again. */
static void
restart_lines(struct check *check)
{
	check->lines.messages = check->lines.messages_left = 0;
	ctx_validator_begin(&check->lines.validator);
	ctx_repair_begin(&check->repair, false, check->lines.binds);
}

/* Repairs the conversation in memory.  If the provider would refuse the signed
 * reasoning of the repaired conversation, does not change the conversation, and
 * reports the reason. */
static int
repair_held(struct check *check, const struct ctx_event *end,
    struct ctx_err *err)
{
	struct check_conversation *conversation =
	    end != NULL ? &check->record : &check->lines;
	struct ctx_finding finding = {.id = CTX_RULE_BOUND_REASONING,
	    .what = "not repaired, because the provider would refuse or drop "
		    "reasoning after the repair"};
	int rc;

	take_events(check, ctx_rewrite_queue(&check->rewrite, end != NULL));
	rc = try_repair(check, end, err);
	conversation->holding = false;
	if (rc == 0 && check->repair.refused) {
		check->options->refused++;
		finding.place = check->repair.refused_at;
		rc = report_finding(check, &finding, err);
	}
	if (end == NULL)
		restart_lines(check);
	check->repairing = !check->repair.refused;
	if (rc == 0)
		rc = check_held_conversation(check, end, err);
	check->repairing = true;
	return rc;
}

static int
begin_checking(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct check *check = user;
	struct check_conversation *conversation =
	    event->inside ? &check->record : &check->lines;
	struct ctx_check_config *options = check->options;

	conversation->binds = CTX_BINDS_NOTHING;
	if (find_choice(check, conversation, event, err) < 0)
		return -1;
	if (check->repairing && options->counters != NULL &&
	    ctx_stream_binds(check->rewrite.stream, event, options->counters,
		&conversation->binds, err) < 0)
		return -1;
	/* Session files of agents are not repaired, because their lines refer
	 * to each other. */
	conversation->holding = conversation->binds && event->line == 0 &&
	    options->reasoning == CTX_REASONING_FAIL;
	if (conversation->holding)
		replace_queue(ctx_rewrite_queue(&check->rewrite, event->inside),
		    &ctx_held_events);
	ctx_repair_begin(&check->repair, event->inside, conversation->binds);
	if (event->inside)
		begin_conversation(check, event);
	return 0;
}

/* Handles an event.  If the event's conversation must be kept in memory until
 * its end, keeps the event; at the end, repairs the conversation.  Otherwise
 * checks the event. */
static int
take_event(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct check *check = user;
	struct check_conversation *conversation =
	    event->inside ? &check->record : &check->lines;

	if (!conversation->holding)
		return check_event(check, event, err);
	if (event->kind == CTX_EVENT_END)
		return repair_held(check, event, err);
	return ctx_held_event_add(&check->rewrite, event, err);
}

/* Writes a record, or keeps it in memory.  The edits of the record are
 * complete, but can overlap.  Returns 1, which tells the caller not to write
 * the record. */
static int
take_record(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct check *check = user;

	check->counted_to = 0;
	ctx_edits_merge(&check->rewrite.edits);
	return take_event(check, event, err) < 0 ? -1 : 1;
}

/* After an error, writes the messages in memory without a repair, because their
 * repair could depend on messages after the error.  But this is so only if the
 * conversation was kept in memory because of CTX_REASONING_FAIL; otherwise
 * writes nothing. */
static int
end_checked_stream(void *user, enum ctx_stream_end how, struct ctx_err *err)
{
	struct check *check = user;

	if (how == CTX_END_COMPLETE)
		return check->lines.holding ? repair_held(check, NULL, err)
					    : end_stream(check, err);
	if (!check->lines.holding)
		return 0;
	check->repairing = false;
	take_events(check, &check->rewrite.lines);
	return check_held(check, err);
}

int
ctx_check_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_check_config *options, struct ctx_err *err)
{
	static const struct ctx_rewrite_command command = {
	    .entries = &ctx_repair_entries,
	    .begin = begin_checking,
	    .message = take_event,
	    .unknown = take_event,
	    .end = take_event,
	    .record = take_record,
	    .finish = end_checked_stream,
	};
	struct check check = {.rewrite = {.stream = stream,
				  .writer = writer,
				  .report = &options->report},
	    .options = options};
	struct ctx_validator *judges[] = {&check.lines.validator,
	    &check.record.validator};
	int rc = -1;

	options->messages = options->repaired = 0;
	options->reasoning_removed = options->reasoning_kept = 0;
	options->refused = 0;
	check.repairing = writer != NULL || options->report.dry_run;
	check.repair.rewrite = &check.rewrite;
	check.repair.options = options;
	if (ctx_validator_init(judges[0], err) == 0 &&
	    ctx_validator_init(judges[1], err) == 0) {
		judges[0]->on_finding = judges[1]->on_finding = handle_finding;
		judges[0]->user = judges[1]->user = &check;
		ctx_validator_begin(judges[0]);
		rc = ctx_rewrite_run(&check.rewrite, &command, &check, err);
	}
	ctx_rewrite_release(&check.rewrite);
	ctx_held_queue_release(&check.events);
	ctx_validator_release(judges[0]);
	ctx_validator_release(judges[1]);
	ctx_repair_release(&check.repair);
	return rc;
}
