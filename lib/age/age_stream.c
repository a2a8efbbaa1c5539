/*
 * age_stream.c - moves old tool results, or media, to disk
 *
 * In this file a media block that is aged is called a result, too.
 *
 * Messages with long results, and all records after them, wait in a queue.  A
 * message is aged when as many newer messages as options->keep have arrived: it
 * is then before the boundary.  With at_least the queue also waits until enough
 * tokens can be saved.  Messages inside a record wait until its end.
 *
 * Records in the queue are copies, except long ones.  Without anything to age
 * nothing waits.  Otherwise copying is 3 % of the instructions with mask and 1
 * % with a spool, so keeping the reader's blocks instead would not pay.
 */
#include <stdlib.h>
#include <string.h>

#include "age/age_result.h"
#include "age/reasoning_file.h"
#include "dialect/result_content.h"
#include "group/group.h"
#include "stream/bound_reasoning.h"
#include "stream/change_report.h"
#include "stream/placeholder.h"

/* A message in the queue, or a record that follows one. */
struct held {
	char *text; /* its record, owned; NULL: inside a record */
	size_t n;
	uint32_t node;                     /* the message in its record */
	const struct ctx_dialect *dialect; /* NULL: not a message */
	const char *file;
	uint64_t line;
	uint64_t message;      /* index of the message, from 0 */
	uint64_t first_result; /* number of its first result */
	int64_t time;          /* in ms, if timed */
	bool timed;
	bool continues; /* an earlier record began the message */
	uint32_t results;
	uint32_t *tools; /* of each result; NULL: none is long enough to age */
	size_t first_edit, edits; /* its edits: edits[first_edit] and so on */
	size_t at, value_n;       /* place of the message in text */
	unsigned flags;           /* of the message */
	struct message_place place;
	bool is_signed; /* it has signed reasoning */
	bool aged;      /* its results were aged, not only reasoning removed */
};

struct queue {
	struct ctx_groups groups;
	struct ctx_model_counter model_counter;
	struct held *list;
	size_t first, n, cap; /* waiting: [first, n) */
	size_t sent;    /* list[0, sent): up to the last assistant message */
	size_t weighed; /* gathered includes [first, weighed) */
	uint64_t messages, results; /* so far */
	uint64_t told;        /* index of the last message reported, plus 1 */
	uint64_t gathered;    /* tokens that can be saved */
	int64_t time, newest; /* of the last message; the latest of all */
	bool timed;           /* some message had a time */
	bool open;
	bool ended;                 /* no more messages come */
	bool binds;                 /* the model binds signed reasoning */
	bool changed;               /* a message was changed */
	struct message_place place; /* of the last message */
};

struct age {
	struct ctx_age_options *options;
	struct ctx_age_counts *counts;
	struct ctx_model_counters *counters;
	struct ctx_writer *writer;
	struct ctx_stream *stream;
	struct queue lines, record;
	struct ctx_spool spool;
	struct ctx_err refused; /* why there is no spool, if code is set */
	struct ctx_message message;
	struct ctx_json json;
	struct ctx_edits edits;
	struct aged_result aged;
	struct edited edited;
	struct ctx_buf out, text;
	/* A message with and without its bound reasoning (whole, bare). */
	struct ctx_json bare_json;
	struct ctx_message bare_view;
	struct ctx_edits bare_edits;
	struct ctx_buf whole, bare, name;
	size_t committed;             /* edits whose files are on disk */
	uint64_t noted, noted_tokens; /* results and tokens of other edits */
};

/* ---- the spool ---- */

static int
open_spool(struct age *age, struct ctx_err *err)
{
	if (age->spool.fd >= 0)
		return 0;
	if (age->refused.code == CTX_OK &&
	    ctx_spool_open(&age->spool, age->options->spool, true,
		&age->refused) == 0) {
		age->refused.code = CTX_OK;
		return 0;
	}
	*err = age->refused;
	return -1;
}

/* Reports that results could not be stored; they are not aged.  Returns -1 only
 * for errors that end the run, like lack of memory. */
static int
report_failure(struct age *age, const struct held *held, uint64_t results,
    struct ctx_err *err)
{
	if (err->code == CTX_ENOMEM || err->code == CTX_EARG)
		return -1;
	age->counts->failed += results;
	err->file = held->file;
	err->line = held->line;
	err->column = 0;
	if (age->options->failed != NULL)
		age->options->failed(age->options->user, err);
	return 0;
}

/* ---- one message ---- */

/* Returns the number of the first message or result that is kept. */
static uint64_t
find_boundary(const struct age *age, const struct queue *queue)
{
	uint64_t seen =
	    age->options->by_results ? queue->results : queue->messages;

	if (seen <= age->options->keep)
		return 0;
	seen -= age->options->keep;
	return seen - seen % age->options->step;
}

/* Returns true if a message is older than options->older demands. */
static bool
is_old(const struct age *age, const struct queue *queue,
    const struct held *held)
{
	return age->options->older == 0 ||
	    (held->timed && queue->newest > held->time &&
		(uint64_t)(queue->newest - held->time) > age->options->older);
}

/* Sets *is to true if block i counts as a result.  A media placeholder counts,
 * so that a second run finds the same boundary. */
static int
is_result(struct age *age, const struct ctx_message *message, size_t i,
    bool *is, struct ctx_err *err)
{
	struct reference ref;

	*is = message->blocks[i].kind ==
	    (age->options->media ? CTX_BLOCK_MEDIA : CTX_BLOCK_TOOL_RESULT);
	return *is || !age->options->media
	    ? 0
	    : ctx_placeholder_part(message, i, &age->text, is, &ref, err);
}

/* Returns true if block i, a result, may be aged: it is long enough, or media
 * that a text can replace. */
static bool
may_age(const struct age *age, const struct ctx_message *message, size_t i)
{
	uint32_t value = message->blocks[i].payload;

	if (age->options->media)
		return ctx_media_block(message, i) != 0;
	return value != 0 &&
	    message->json->nodes[value].end - message->json->nodes[value].at >
	    age->options->over;
}

/* Stores the result in age->aged and adds its edit. */
static int
store_result(struct age *age, const struct held *held, struct ctx_err *err)
{
	if (!age->options->mask && !age->options->report.dry_run &&
	    (open_spool(age, err) < 0 ||
		ctx_aged_result_store(&age->aged, &age->spool, err) < 0))
		return report_failure(age, held, 1, err);
	age->noted++;
	age->noted_tokens += age->aged.saved;
	return ctx_edits_replace(&age->edits, age->aged.old, age->aged.body.p,
	    age->aged.body.n, err);
}

/* Sets age->aged to what replaces block i; returns as ctx_age_result. */
static int
age_block(struct age *age, struct queue *queue, const struct held *held,
    size_t i, struct ctx_str tool, struct ctx_err *err)
{
	if (age->options->media)
		return ctx_age_media(&age->aged, age->options, &age->message,
		    held->dialect, i, queue->model_counter.counter, err);
	return ctx_age_result(&age->aged, age->options, &age->message,
	    held->dialect, i, tool, queue->model_counter.counter, err);
}

/* Returns true if the tool of block i is selected.  Media outside of results
 * belong to no tool and are always selected. */
static bool
is_selected(struct age *age, size_t i, struct ctx_str tool, int64_t *left)
{
	if (age->options->media && age->message.blocks[i].result_index == 0)
		return true;
	return ctx_pattern_selects(&age->options->tool, &age->options->not_tool,
	    tool.p, tool.n, left);
}

/* Ages the results of a message that are before the boundary.  With weigh,
 * changes nothing and adds what would be saved to queue->gathered. */
static int
age_before_boundary(struct age *age, struct queue *queue, struct held *held,
    const struct ctx_json *json, bool weigh, struct ctx_err *err)
{
	uint64_t end = find_boundary(age, queue), number = held->first_result;
	int64_t left = CTX_PATTERN_TIME;
	struct ctx_str tool;
	size_t i, k = 0;
	bool is;
	int rc;

	if (ctx_dialect_read_message(held->dialect, json, held->node,
		&age->message, err) < 0)
		return -1;
	held->first_edit = age->edits.n;
	held->edits = 0;
	if (!is_old(age, queue, held))
		return 0;
	for (i = 0; i < age->message.n; i++) {
		if (is_result(age, &age->message, i, &is, err) < 0)
			return -1;
		if (!is)
			continue;
		tool = ctx_intern_at(&queue->groups.tools, held->tools[k++]);
		if ((age->options->by_results && number++ >= end) ||
		    !may_age(age, &age->message, i) ||
		    !is_selected(age, i, tool, &left))
			continue;
		rc = age_block(age, queue, held, i, tool, err);
		if (rc < 0)
			return -1;
		if (rc > 0 && weigh)
			queue->gathered += age->aged.saved;
		else if (rc > 0 && store_result(age, held, err) < 0)
			return -1;
		ctx_aged_result_forget(&age->aged);
	}
	held->edits = age->edits.n - held->first_edit;
	return 0;
}

/* Scans a held record again. */
static int
rescan_record(struct age *age, const struct held *held, struct ctx_err *err)
{
	size_t used;

	return ctx_json_scan(&age->json, held->text, held->n, &used, err);
}

/* ---- bound reasoning ---- */

/* Sets age->whole to the message with its edits, and age->bare to that without
 * signed reasoning. */
static int
make_bare_message(struct age *age, const struct held *held,
    struct ctx_str value, struct ctx_err *err)
{
	size_t used;

	age->whole.n = age->bare.n = 0;
	ctx_edits_reset(&age->bare_edits);
	if (ctx_edits_apply_some(&age->edits, held->first_edit, held->edits,
		value, &age->whole, err) < 0 ||
	    ctx_json_scan(&age->bare_json, age->whole.p, age->whole.n, &used,
		err) < 0 ||
	    ctx_dialect_read_message(held->dialect, &age->bare_json, 0,
		&age->bare_view, err) < 0)
		return -1;
	age->bare_view.flags |= held->flags;
	return ctx_bound_remove(&age->bare_edits, &age->bare_view, 0, err) < 0
	    ? -1
	    : ctx_edits_apply(&age->bare_edits,
		  (struct ctx_str){age->whole.p, age->whole.n}, &age->bare,
		  err);
}

/* Stores age->whole in the spool under the name that ctx_restore derives from
 * age->bare. */
static int
store_whole_message(struct age *age, const struct held *held,
    struct ctx_err *err)
{
	const struct ctx_str pieces[] = {{age->whole.p, age->whole.n},
	    {"\n", 1}};

	if (age->options->mask || age->options->report.dry_run)
		return 0;
	if (ctx_reasoning_name(&age->name,
		(struct ctx_str){age->bare.p, age->bare.n}, &held->place,
		err) < 0 ||
	    open_spool(age, err) < 0)
		return -1;
	return ctx_spool_put(&age->spool, age->name.p, pieces, 2, err);
}

/* Removes the signed reasoning of a message, whose JSON is value; its edits
 * become a single one. */
static int
remove_reasoning(struct age *age, struct held *held, struct ctx_str value,
    struct ctx_err *err)
{
	if (make_bare_message(age, held, value, err) < 0)
		return -1;
	if (store_whole_message(age, held, err) < 0) {
		age->counts->bound++;
		return report_failure(age, held, 1, err);
	}
	age->counts->reasoning++;
	age->edits.n = held->first_edit;
	held->edits = 1;
	return ctx_edits_replace(&age->edits, value, age->bare.p, age->bare.n,
	    err);
}

/* Removes bound reasoning from a message if the message or one before it was
 * changed. */
static int
drop_bound_if_changed(struct age *age, struct queue *queue, struct held *held,
    struct ctx_str value, struct ctx_err *err)
{
	held->aged = held->edits > 0;
	if (held->edits == 0)
		held->first_edit = age->edits.n;
	if (!(queue->changed || held->aged) || !queue->binds ||
	    !held->is_signed)
		return 0;
	if (age->options->reasoning == CTX_REASONING_DROP)
		return remove_reasoning(age, held, value, err);
	age->counts->bound++;
	return 0;
}

/* ---- writing the queue ---- */

/* Puts the spool files of the edits on disk, before their references are
 * written.  If that fails, the edits are dropped. */
static int
commit_edits(struct age *age, const struct held *held, struct ctx_err *err)
{
	if (age->edits.n > age->committed && age->spool.fd >= 0 &&
	    ctx_spool_sync(&age->spool, err) < 0) {
		age->edits.n = age->committed;
		if (report_failure(age, held, age->noted, err) < 0)
			return -1;
	} else {
		age->counts->results += age->noted;
		age->counts->tokens += age->noted_tokens;
	}
	age->noted = age->noted_tokens = 0;
	age->committed = age->edits.n;
	return 0;
}

/* Reports a message whose edits are committed. */
static int
report_aged(struct age *age, struct queue *queue, const struct held *held,
    const struct ctx_json *json, struct ctx_err *err)
{
	const struct ctx_report *report = &age->options->report;
	struct ctx_change change = {.file = held->file,
	    .line = held->line,
	    .index = held->message};

	if (held->edits == 0 || !ctx_report_wanted(report) ||
	    held->first_edit + held->edits > age->committed)
		return 0;
	if (ctx_dialect_read_message(held->dialect, json, held->node,
		&age->message, err) < 0)
		return -1;
	/* Messages are reported in order, so one number is enough. */
	change.continues = held->continues && queue->told == held->message + 1;
	queue->told = held->message + 1;
	change.rule = !held->aged ? "bound reasoning"
	    : age->options->mask  ? "mask"
	    : age->options->media ? "media"
				  : "age";
	change.tool = ctx_intern_at(&queue->groups.tools,
	    held->tools != NULL ? held->tools[0] : 0);
	age->edited.before = &age->message;
	age->edited.counter = queue->model_counter.counter;
	age->edited.value = ctx_json_str(json, held->node);
	age->edited.first = held->first_edit;
	age->edited.n = held->edits;
	change.bytes = held->text != NULL
	    ? (struct ctx_str){held->text, held->n}
	    : age->edited.value;
	return ctx_report_edited(report, &age->edited, &age->edits, &change,
	    err);
}

static void
forget_edits(struct age *age)
{
	ctx_edits_reset(&age->edits);
	age->committed = 0;
}

static int
write_with_edits(struct age *age, struct ctx_str text, struct ctx_err *err)
{
	if (age->options->report.dry_run) {
		forget_edits(age);
		return 0;
	}
	if (age->edits.n > 0) {
		age->out.n = 0;
		if (ctx_report_sync(&age->options->report, err) < 0 ||
		    ctx_edits_apply(&age->edits, text, &age->out, err) < 0)
			return -1;
		forget_edits(age);
		text = (struct ctx_str){age->out.p, age->out.n};
	}
	if (ctx_writer_copy(age->writer, text.p, text.n, err) < 0)
		return -1;
	ctx_buf_reset(&age->out);
	return ctx_writer_end_record(age->writer, err);
}

/* Writes a record that is not in the queue. */
static int
write_record(struct age *age, struct ctx_str text, struct ctx_err *err)
{
	if (age->edits.n > 0 || age->options->report.dry_run)
		return write_with_edits(age, text, err);
	if (ctx_writer_put(age->writer, text.p, text.n, err) < 0)
		return -1;
	return ctx_writer_end_record(age->writer, err);
}

/* Writes the first record of the queue, aged if due is true. */
static int
write_first_aged(struct age *age, struct queue *queue, bool due,
    struct ctx_err *err)
{
	struct held *held = &queue->list[queue->first];
	struct ctx_str value = {held->text + held->at, held->value_n};

	due = due && held->tools != NULL;
	held->edits = 0;
	if ((due || (queue->changed && held->is_signed)) &&
	    rescan_record(age, held, err) < 0)
		return -1;
	if (due &&
	    age_before_boundary(age, queue, held, &age->json, false, err) < 0)
		return -1;
	if (held->dialect != NULL &&
	    drop_bound_if_changed(age, queue, held, value, err) < 0)
		return -1;
	if (held->edits > 0) {
		if (commit_edits(age, held, err) < 0)
			return -1;
		queue->changed |= age->edits.n > 0;
		if (report_aged(age, queue, held, &age->json, err) < 0)
			return -1;
	}
	if (write_with_edits(age, (struct ctx_str){held->text, held->n}, err) <
	    0)
		return -1;
	free(held->text);
	free(held->tools);
	queue->first++;
	return 0;
}

/* Returns true if all results of a record are before the boundary.  A record
 * that is not a message counts with the message before it. */
static bool
is_before_boundary(const struct age *age, const struct queue *queue,
    const struct held *held)
{
	if (held->dialect == NULL)
		return true;
	/* The message may become old later. */
	if (!queue->ended && held->timed && !is_old(age, queue, held))
		return false;
	if (age->options->by_results)
		return held->first_result + held->results <=
		    find_boundary(age, queue);
	return held->message < find_boundary(age, queue);
}

/* Weighs the messages that have come before the boundary since the last call.
 */
static int
weigh_queue(struct age *age, struct queue *queue, struct ctx_err *err)
{
	struct held *held;

	for (; queue->weighed < queue->n; queue->weighed++) {
		held = &queue->list[queue->weighed];
		if (!is_before_boundary(age, queue, held))
			break;
		if (held->tools != NULL &&
		    (rescan_record(age, held, err) < 0 ||
			age_before_boundary(age, queue, held, &age->json, true,
			    err) < 0))
			return -1;
	}
	return 0;
}

/* Removes written records from the list, but not at each call. */
static void
compact_queue(struct queue *queue)
{
	if (queue->first < 64 || queue->first < queue->n / 2)
		return;
	memmove(queue->list, queue->list + queue->first,
	    (queue->n - queue->first) * sizeof *queue->list);
	queue->n -= queue->first;
	queue->weighed -=
	    queue->weighed < queue->first ? queue->weighed : queue->first;
	queue->first = 0;
}

/* Returns true if later bound reasoning may forbid all changes. */
static bool
may_refuse(const struct age *age, const struct queue *queue)
{
	return age->options->reasoning == CTX_REASONING_FAIL && queue->binds;
}

/* Sets *refused to true if aging the queue would leave bound reasoning after a
 * change.  json is the record that the messages are in, or NULL if each is a
 * record. */
static int
check_refusal(struct age *age, struct queue *queue, const struct ctx_json *json,
    bool *refused, struct ctx_err *err)
{
	uint64_t was;
	bool changed = false;
	size_t i;

	*refused = false;
	queue->gathered = 0;
	for (i = queue->first; i < queue->n; i++) {
		struct held *held = &queue->list[i];

		was = queue->gathered;
		if (held->tools != NULL && i >= queue->sent &&
		    (age->options->by_results ||
			is_before_boundary(age, queue, held)) &&
		    ((json == NULL && rescan_record(age, held, err) < 0) ||
			age_before_boundary(age, queue, held,
			    json != NULL ? json : &age->json, true, err) < 0))
			return -1;
		changed |= queue->gathered > was;
		*refused |= changed && held->is_signed;
	}
	if (queue->gathered < age->options->at_least)
		*refused = false;
	queue->gathered = 0;
	queue->weighed = queue->first;
	age->counts->refused += *refused;
	return 0;
}

static int
write_due_messages(struct age *age, struct ctx_err *err)
{
	struct queue *queue = &age->lines;

	if (queue->gathered < age->options->at_least) {
		if (weigh_queue(age, queue, err) < 0)
			return -1;
		if (queue->gathered < age->options->at_least)
			return 0;
	}
	while (queue->first < queue->n &&
	    (queue->list[queue->first].tools == NULL ||
		is_before_boundary(age, queue, &queue->list[queue->first])))
		if (write_first_aged(age, queue, true, err) < 0)
			return -1;
	if (queue->weighed < queue->first)
		queue->weighed = queue->first;
	compact_queue(queue);
	return 0;
}

/* Writes the queue at the end of the stream.  If the stream failed (broken), a
 * message may be missing, so with unsent, or if bound reasoning could forbid
 * changes, nothing is changed. */
static int
write_all_messages(struct age *age, bool broken, struct ctx_err *err)
{
	struct queue *queue = &age->lines;
	bool due,
	    stays = broken && (age->options->unsent || may_refuse(age, queue));

	queue->ended = true;
	if (!stays && may_refuse(age, queue) &&
	    check_refusal(age, queue, NULL, &stays, err) < 0)
		return -1;
	if (!stays && write_due_messages(age, err) < 0)
		return -1;
	/* Some results of a waiting message may be before the boundary. */
	due = !stays && age->options->by_results &&
	    queue->gathered >= age->options->at_least;
	while (queue->first < queue->n)
		if (write_first_aged(age, queue, due, err) < 0)
			return -1;
	return 0;
}

/* ---- filling the queue ---- */

static void
clear_queue(struct queue *queue)
{
	for (; queue->first < queue->n; queue->first++) {
		free(queue->list[queue->first].text);
		free(queue->list[queue->first].tools);
	}
	queue->first = queue->n = queue->weighed = queue->sent = 0;
	queue->messages = queue->results = queue->gathered = 0;
	queue->told = 0;
	queue->open = queue->timed = queue->changed = false;
	memset(&queue->place, 0, sizeof queue->place);
	ctx_groups_reset(&queue->groups);
}

static struct held *
append_to_queue(struct queue *queue, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct held *list, *held;

	list =
	    ctx_grow(queue->list, &queue->cap, queue->n + 1, sizeof *list, err);
	if (list == NULL)
		return NULL;
	queue->list = list;
	held = &list[queue->n++];
	memset(held, 0, sizeof *held);
	held->file = event->record->file;
	held->line = event->record->line;
	held->message = queue->messages;
	held->first_result = queue->results;
	return held;
}

/* Sets *id to the tool of block i, a result; 0 if it is not known. */
static int
find_tool(struct queue *queue, const struct ctx_message *message, size_t i,
    uint32_t *id, struct ctx_err *err)
{
	*id = 0;
	if (message->blocks[i].result_index != 0)
		i = message->blocks[i].result_index - 1;
	if (message->blocks[i].kind != CTX_BLOCK_TOOL_RESULT)
		return 0;
	return ctx_groups_tool(&queue->groups, message, i, id, err);
}

/* Records the tools of the message's results, if any of these may be aged. */
static int
record_result_tools(struct age *age, struct queue *queue, struct held *held,
    const struct ctx_message *message, struct ctx_err *err)
{
	bool is, may = false;
	uint32_t k = 0;
	size_t i;

	for (i = 0; i < message->n; i++) {
		if (is_result(age, message, i, &is, err) < 0)
			return -1;
		held->results += is;
		may |= is && may_age(age, message, i);
	}
	queue->results += held->results;
	if (!may)
		return 0;
	held->tools = calloc(held->results, sizeof *held->tools);
	if (held->tools == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < message->n; i++) {
		if (is_result(age, message, i, &is, err) < 0 ||
		    (is &&
			find_tool(queue, message, i, &held->tools[k++], err) <
			    0))
			return -1;
	}
	return 0;
}

/* Records the message's timestamp.  A message without one has the timestamp of
 * the message before it. */
static int
record_time(struct age *age, struct queue *queue, struct held *held,
    const struct ctx_message *message, struct ctx_err *err)
{
	struct ctx_str text;
	int64_t time;

	age->counts->messages++;
	if (age->options->older == 0)
		return 0;
	if (message->time != 0) {
		age->text.n = 0;
		if (ctx_json_text(message->json, message->time, &age->text,
			&text, err) < 0)
			return -1;
		if (ctx_time_parse(text.p, text.n, &time)) {
			if (!queue->timed || time > queue->newest)
				queue->newest = time;
			queue->time = time;
			queue->timed = true;
			age->counts->timed++;
		}
	}
	held->time = queue->time;
	held->timed = queue->timed;
	return 0;
}

static int
queue_message(struct age *age, struct queue *queue, struct held *held,
    const struct ctx_event *event, struct ctx_err *err)
{
	static const struct ctx_cost nothing;
	struct ctx_str value = ctx_json_str(event->message->json, event->node);

	held->node = event->node;
	held->dialect = event->layout->dialect;
	held->at = (size_t)(value.p - event->record->text.p);
	held->value_n = value.n;
	held->flags = event->message->flags;
	held->is_signed = ctx_message_is_signed(event->message);
	if (record_time(age, queue, held, event->message, err) < 0 ||
	    record_result_tools(age, queue, held, event->message, err) < 0 ||
	    ctx_groups_add(&queue->groups, event->message, &nothing, 0, err) <
		0)
		return -1;
	held->continues = queue->messages > 0 &&
	    (event->message->flags & CTX_MESSAGE_CONTINUES);
	if (event->line != 0 && !event->inside)
		held->message =
		    ctx_transcript_message_index(age->stream->transcript,
			event->line, queue->messages);
	queue->messages += !held->continues;
	if (queue->binds &&
	    ctx_place_next(&queue->place, event->message, held->message,
		&age->text, err) < 0)
		return -1;
	held->place = queue->place;
	return ctx_groups_forget(&queue->groups, err);
}

static int
begin_queue(struct age *age, struct queue *queue, const struct ctx_event *event,
    struct ctx_err *err)
{
	queue->open = true;
	if (ctx_stream_measure(age->stream, event, age->counters,
		&queue->model_counter, err) < 0)
		return -1;
	queue->binds = ctx_model_binds(queue->model_counter.model,
	    queue->model_counter.name);
	return 0;
}

static int
keep_aged_text(struct age *age, struct held *held,
    const struct ctx_event *event, struct ctx_err *err)
{
	held->text = ctx_stream_keep(age->stream, event, err);
	held->n = event->record->text.n;
	return held->text == NULL ? -1 : 0;
}

/* Writes the queue unchanged; its last message, the assistant's, is the
 * event's. */
static int
write_queue_unaged(struct age *age, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct queue *queue = &age->lines;

	while (queue->first < queue->n - 1)
		if (write_first_aged(age, queue, false, err) < 0)
			return -1;
	free(queue->list[queue->first].tools);
	queue->first = queue->n = queue->weighed = 0;
	return write_record(age, event->record->text, err);
}

static int
queue_record(struct age *age, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct queue *queue = &age->lines;
	struct held *held;

	if (!queue->open && begin_queue(age, queue, event, err) < 0)
		return -1;
	held = append_to_queue(queue, event, err);
	if (held == NULL || queue_message(age, queue, held, event, err) < 0)
		return -1;
	if (age->options->unsent && ctx_message_was_sent(event->message))
		return write_queue_unaged(age, event, err);
	/* Nothing waits, and the message itself cannot change. */
	if (held->tools == NULL && queue->first == queue->n - 1 &&
	    !(queue->changed && held->is_signed) && !may_refuse(age, queue)) {
		queue->n--;
		return write_record(age, event->record->text, err);
	}
	if (keep_aged_text(age, held, event, err) < 0)
		return -1;
	return age->options->unsent || may_refuse(age, queue)
	    ? 0
	    : write_due_messages(age, err);
}

/* ---- messages inside a record ---- */

static int
queue_element(struct age *age, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct held *held = append_to_queue(&age->record, event, err);

	if (held == NULL ||
	    queue_message(age, &age->record, held, event, err) < 0)
		return -1;
	if (age->options->unsent && ctx_message_was_sent(event->message))
		age->record.sent = age->record.n;
	return 0;
}

/* Adds the edits of message i of a record; or, with weighing, only weighs it.
 */
static int
age_element(struct age *age, struct queue *queue, size_t i,
    const struct ctx_json *json, bool weighing, struct ctx_err *err)
{
	struct held *held = &queue->list[i];

	held->edits = 0;
	if (held->tools != NULL && i >= queue->sent &&
	    (age->options->by_results ||
		is_before_boundary(age, queue, held)) &&
	    age_before_boundary(age, queue, held, json, weighing, err) < 0)
		return -1;
	if (weighing || held->dialect == NULL)
		return 0;
	if (drop_bound_if_changed(age, queue, held,
		ctx_json_str(json, held->node), err) < 0)
		return -1;
	queue->changed |= held->edits > 0;
	return 0;
}

/* Ages the messages of a record at the end of its conversation. */
static int
end_aged_record(struct age *age, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct queue *queue = &age->record;
	const struct ctx_json *json = event->record->json;
	struct held place = {.file = event->record->file,
	    .line = event->record->line};
	bool refused = false;
	int weighing;
	size_t i;

	if (may_refuse(age, queue) &&
	    check_refusal(age, queue, json, &refused, err) < 0)
		return -1;
	for (weighing = age->options->at_least > 0; weighing >= 0 && !refused;
	     weighing--) {
		if (weighing == 0 && queue->gathered < age->options->at_least)
			break;
		for (i = 0; i < queue->n; i++)
			if (age_element(age, queue, i, json, weighing, err) < 0)
				return -1;
	}
	if (commit_edits(age, &place, err) < 0)
		return -1;
	for (i = queue->sent; i < queue->n; i++)
		if (report_aged(age, queue, &queue->list[i], json, err) < 0)
			return -1;
	clear_queue(queue);
	return 0;
}

/* Handles the end of a record that is not a message: writes it, or queues it
 * after waiting messages. */
static int
pass_unaged(struct age *age, const struct ctx_event *event, struct ctx_err *err)
{
	struct ctx_str text = event->record->text;
	struct held *held;

	if (age->lines.first == age->lines.n)
		return write_record(age, text, err);
	held = append_to_queue(&age->lines, event, err);
	if (held == NULL)
		return -1;
	if (age->edits.n == 0)
		return keep_aged_text(age, held, event, err);
	age->out.n = 0;
	if (ctx_report_sync(&age->options->report, err) < 0 ||
	    ctx_edits_apply(&age->edits, text, &age->out, err) < 0)
		return -1;
	forget_edits(age);
	held->n = age->out.n;
	held->text = ctx_buf_take(&age->out);
	return 0;
}

/* ---- the stream ---- */

static int
age_event(struct age *age, const struct ctx_event *event, struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return begin_queue(age, &age->record, event, err);
	case CTX_EVENT_MESSAGE:
		return event->inside ? queue_element(age, event, err)
				     : queue_record(age, event, err);
	case CTX_EVENT_END:
		return end_aged_record(age, event, err);
	case CTX_EVENT_RECORD:
		if (event->layout->kind == CTX_LAYOUT_MESSAGE)
			return 0;
		return pass_unaged(age, event, err);
	default:
		return 0;
	}
}

static int
age_all(struct age *age, struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	int rc;

	while ((rc = ctx_stream_next(age->stream, &event, err)) > 0)
		if (age_event(age, &event, err) < 0)
			return ctx_stream_fail(age->stream, err);
	/* At an error in the input, too: the records before it are complete. */
	if ((write_all_messages(age, rc < 0, &late) < 0 ||
		ctx_writer_flush(age->writer, &late) < 0) &&
	    rc == 0) {
		*err = late;
		rc = -1;
	}
	return rc;
}

int
ctx_age(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_age_options *options,
    struct ctx_age_counts *counts, struct ctx_err *err)
{
	struct age age = {.options = options,
	    .counts = counts,
	    .counters = counters,
	    .writer = writer,
	    .stream = stream};
	char digits[CTX_SPOOL_DIGITS], tool[CTX_SPOOL_TOOL];
	int rc = -1;

	memset(counts, 0, sizeof *counts);
	age.spool.fd = -1;
	if (options->opened != NULL) {
		age.spool = *options->opened;
		age.refused = *options->refused;
	}
	ctx_json_init(&age.json, counters->simd);
	ctx_json_init(&age.edited.json, counters->simd);
	ctx_json_init(&age.bare_json, counters->simd);
	/* Refuse a bad format at once, not at the first result: test it with
	 * the longest tool name. */
	memset(tool, '_', sizeof tool);
	ctx_spool_digits(digits, NULL, 0);
	if (ctx_spool_name(&age.out, options->format,
		(struct ctx_str){tool, sizeof tool}, digits, err) == 0 &&
	    ctx_groups_init(&age.lines.groups, err) == 0 &&
	    ctx_groups_init(&age.record.groups, err) == 0)
		rc = age_all(&age, err);
	if (age.lines.groups.calls != NULL)
		clear_queue(&age.lines);
	if (age.record.groups.calls != NULL)
		clear_queue(&age.record);
	free(age.lines.list);
	free(age.record.list);
	ctx_groups_release(&age.lines.groups);
	ctx_groups_release(&age.record.groups);
	ctx_spool_close(&age.spool);
	ctx_message_release(&age.message);
	ctx_json_release(&age.json);
	ctx_edits_release(&age.edits);
	ctx_aged_result_release(&age.aged);
	ctx_edited_release(&age.edited);
	ctx_json_release(&age.bare_json);
	ctx_message_release(&age.bare_view);
	ctx_edits_release(&age.bare_edits);
	ctx_buf_release(&age.whole);
	ctx_buf_release(&age.bare);
	ctx_buf_release(&age.name);
	ctx_buf_release(&age.out);
	ctx_buf_release(&age.text);
	return rc;
}
