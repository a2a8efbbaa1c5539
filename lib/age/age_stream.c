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
struct age_entry {
	char *text; /* its record, owned; NULL: inside a record */
	size_t bytes;
	uint32_t node;                     /* the message in its record */
	const struct ctx_dialect *dialect; /* NULL: not a message */
	const char *file;
	uint64_t line;
	uint64_t message;      /* index of the message, from 0 */
	uint64_t first_result; /* number of its first result */
	int64_t time;          /* in ms, if timed */
	bool has_time;
	bool continues; /* an earlier record began the message */
	uint32_t results;
	uint32_t *tools; /* of each result; NULL: none is long enough to age */
	size_t first_edit, edits; /* its edits: edits[first_edit] and so on */
	size_t message_at, message_n; /* place of the message in text */
	unsigned flags;               /* of the message */
	struct message_place place;
	bool is_signed;        /* it has signed reasoning */
	bool has_aged_results; /* its results were aged, not only reasoning
				  removed */
};

struct age_queue {
	struct ctx_groups groups;
	struct ctx_model_counter model_counter;
	struct age_entry *list;
	size_t first, n, cap; /* waiting: [first, n) */
	size_t sent_end; /* list[0, sent): up to the last assistant message */
	size_t savings_end;         /* gathered includes [first, weighed) */
	uint64_t messages, results; /* so far */
	uint64_t n_reported;  /* index of the last message reported, plus 1 */
	uint64_t savings;     /* tokens that can be saved */
	int64_t time, newest; /* of the last message; the latest of all */
	bool has_time;        /* some message had a time */
	bool begun;
	bool ended;                 /* no more messages come */
	bool binds;                 /* the model binds signed reasoning */
	bool changed;               /* a message was changed */
	struct message_place place; /* of the last message */
};

struct aging {
	struct ctx_age_options *options;
	struct ctx_age_counts *counts;
	struct ctx_model_counters *counters;
	struct ctx_writer *writer;
	struct ctx_stream *stream;
	struct age_queue lines, record;
	struct ctx_spool spool;
	struct ctx_err refused; /* why there is no spool, if code is set */
	struct ctx_message message;
	struct ctx_json json;
	struct ctx_edits edits;
	struct aged_result aged;
	struct edited edited;
	struct ctx_buf out, text;
	/* A message with and without its bound reasoning (whole, bare). */
	struct ctx_json unstripped_json;
	struct ctx_message unstripped_message;
	struct ctx_edits strip_edits;
	struct ctx_buf unstripped, stripped, name;
	size_t committed_edits; /* edits whose files are on disk */
	uint64_t pending_results,
	    pending_tokens; /* results and tokens of other edits */
};

/* ---- the spool ---- */

static int
open_spool(struct aging *aging, struct ctx_err *err)
{
	if (aging->spool.fd >= 0)
		return 0;
	if (aging->refused.code == CTX_OK &&
	    ctx_spool_open(&aging->spool, aging->options->spool, true,
		&aging->refused) == 0) {
		aging->refused.code = CTX_OK;
		return 0;
	}
	*err = aging->refused;
	return -1;
}

/* Reports that results could not be stored; they are not aged.  Returns -1 only
 * for errors that end the run, like lack of memory. */
static int
report_failure(struct aging *aging, const struct age_entry *entry,
    uint64_t results, struct ctx_err *err)
{
	if (err->code == CTX_ENOMEM || err->code == CTX_EARG)
		return -1;
	aging->counts->failed += results;
	err->file = entry->file;
	err->line = entry->line;
	err->column = 0;
	if (aging->options->failed != NULL)
		aging->options->failed(aging->options->user, err);
	return 0;
}

/* ---- one message ---- */

/* Returns the number of the first message or result that is kept. */
static uint64_t
find_boundary(const struct aging *aging, const struct age_queue *queue)
{
	uint64_t seen =
	    aging->options->by_results ? queue->results : queue->messages;

	if (seen <= aging->options->keep)
		return 0;
	seen -= aging->options->keep;
	return seen - seen % aging->options->step;
}

/* Returns true if a message is older than options->older demands. */
static bool
is_old(const struct aging *aging, const struct age_queue *queue,
    const struct age_entry *entry)
{
	return aging->options->older == 0 ||
	    (entry->has_time && queue->newest > entry->time &&
		(uint64_t)(queue->newest - entry->time) >
		    aging->options->older);
}

/* Sets *is to true if block i counts as a result.  A media placeholder counts,
 * so that a second run finds the same boundary. */
static int
is_result(struct aging *aging, const struct ctx_message *message, size_t i,
    bool *is_counted, struct ctx_err *err)
{
	struct reference ref;

	*is_counted = message->blocks[i].kind ==
	    (aging->options->media ? CTX_BLOCK_MEDIA : CTX_BLOCK_TOOL_RESULT);
	return *is_counted || !aging->options->media
	    ? 0
	    : ctx_placeholder_part(message, i, &aging->text, is_counted, &ref,
		  err);
}

/* Returns true if block i, a result, may be aged: it is long enough, or media
 * that a text can replace. */
static bool
may_age(const struct aging *aging, const struct ctx_message *message, size_t i)
{
	uint32_t value = message->blocks[i].payload;

	if (aging->options->media)
		return ctx_media_block(message, i) != 0;
	return value != 0 &&
	    message->json->nodes[value].end - message->json->nodes[value].at >
	    aging->options->over;
}

/* Stores the result in age->aged and adds its edit. */
static int
store_result(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err)
{
	if (!aging->options->mask && !aging->options->report.dry_run &&
	    (open_spool(aging, err) < 0 ||
		ctx_aged_result_store(&aging->aged, &aging->spool, err) < 0))
		return report_failure(aging, entry, 1, err);
	aging->pending_results++;
	aging->pending_tokens += aging->aged.saved_tokens;
	return ctx_edits_replace(&aging->edits, aging->aged.replaced,
	    aging->aged.replacement.p, aging->aged.replacement.n, err);
}

/* Sets aging->aged to what replaces block i; returns as ctx_age_result. */
static int
age_block(struct aging *aging, struct age_queue *queue, size_t i,
    struct ctx_str tool, struct ctx_err *err)
{
	const struct age_candidate candidate = {.message = &aging->message,
	    .i = i,
	    .tool = tool,
	    .counter = queue->model_counter.counter};

	return aging->options->media
	    ? ctx_age_media(&aging->aged, aging->options, &candidate, err)
	    : ctx_age_result(&aging->aged, aging->options, &candidate, err);
}

/* Returns true if the tool of block i is selected.  Media outside of results
 * belong to no tool and are always selected. */
static bool
is_selected(struct aging *aging, size_t i, struct ctx_str tool, int64_t *left)
{
	if (aging->options->media && aging->message.blocks[i].result_index == 0)
		return true;
	return ctx_pattern_selects(&aging->options->tool,
	    &aging->options->not_tool, tool.p, tool.n, left);
}

/* Ages the results of a message that are before the boundary.  With weigh,
 * changes nothing and adds what would be saved to queue->gathered. */
static int
age_message(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_json *json, bool count_only,
    struct ctx_err *err)
{
	uint64_t end = find_boundary(aging, queue),
		 number = entry->first_result;
	int64_t left = CTX_PATTERN_TIME;
	struct ctx_str tool;
	size_t i, k = 0;
	bool is_counted;
	int rc;

	if (ctx_dialect_read_message(entry->dialect, json, entry->node,
		&aging->message, err) < 0)
		return -1;
	entry->first_edit = aging->edits.n;
	entry->edits = 0;
	if (!is_old(aging, queue, entry))
		return 0;
	for (i = 0; i < aging->message.n; i++) {
		if (is_result(aging, &aging->message, i, &is_counted, err) < 0)
			return -1;
		if (!is_counted)
			continue;
		tool = ctx_intern_at(&queue->groups.tools, entry->tools[k++]);
		if ((aging->options->by_results && number++ >= end) ||
		    !may_age(aging, &aging->message, i) ||
		    !is_selected(aging, i, tool, &left))
			continue;
		rc = age_block(aging, queue, i, tool, err);
		if (rc < 0)
			return -1;
		if (rc > 0 && count_only)
			queue->savings += aging->aged.saved_tokens;
		else if (rc > 0 && store_result(aging, entry, err) < 0)
			return -1;
		ctx_aged_result_trim(&aging->aged);
	}
	entry->edits = aging->edits.n - entry->first_edit;
	return 0;
}

/* Scans a held record again. */
static int
rescan_record(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err)
{
	size_t used;

	return ctx_json_scan(&aging->json, entry->text, entry->bytes, &used,
	    err);
}

/* ---- bound reasoning ---- */

/* Sets age->whole to the message with its edits, and age->bare to that without
 * signed reasoning. */
static int
strip_message(struct aging *aging, const struct age_entry *entry,
    struct ctx_str value, struct ctx_err *err)
{
	size_t used;

	aging->unstripped.n = aging->stripped.n = 0;
	ctx_edits_reset(&aging->strip_edits);
	if (ctx_edits_apply_some(&aging->edits, entry->first_edit, entry->edits,
		value, &aging->unstripped, err) < 0 ||
	    ctx_json_scan(&aging->unstripped_json, aging->unstripped.p,
		aging->unstripped.n, &used, err) < 0 ||
	    ctx_dialect_read_message(entry->dialect, &aging->unstripped_json, 0,
		&aging->unstripped_message, err) < 0)
		return -1;
	aging->unstripped_message.flags |= entry->flags;
	return ctx_bound_remove(&aging->strip_edits, &aging->unstripped_message,
		   0, err) < 0
	    ? -1
	    : ctx_edits_apply(&aging->strip_edits,
		  (struct ctx_str){aging->unstripped.p, aging->unstripped.n},
		  &aging->stripped, err);
}

/* Stores age->whole in the spool under the name that ctx_restore derives from
 * age->bare. */
static int
store_unstripped_message(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err)
{
	const struct ctx_str pieces[] = {{aging->unstripped.p,
					     aging->unstripped.n},
	    {"\n", 1}};

	if (aging->options->mask || aging->options->report.dry_run)
		return 0;
	if (ctx_reasoning_name(&aging->name,
		(struct ctx_str){aging->stripped.p, aging->stripped.n},
		&entry->place, err) < 0 ||
	    open_spool(aging, err) < 0)
		return -1;
	return ctx_spool_put(&aging->spool, aging->name.p, pieces, 2, err);
}

/* Removes the signed reasoning of a message, whose JSON is value; its edits
 * become a single one. */
static int
remove_reasoning(struct aging *aging, struct age_entry *entry,
    struct ctx_str value, struct ctx_err *err)
{
	if (strip_message(aging, entry, value, err) < 0)
		return -1;
	if (store_unstripped_message(aging, entry, err) < 0) {
		aging->counts->bound++;
		return report_failure(aging, entry, 1, err);
	}
	aging->counts->reasoning++;
	aging->edits.n = entry->first_edit;
	entry->edits = 1;
	return ctx_edits_replace(&aging->edits, value, aging->stripped.p,
	    aging->stripped.n, err);
}

/* Removes bound reasoning from a message if the message or one before it was
 * changed. */
static int
remove_reasoning_if_bound(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, struct ctx_str value, struct ctx_err *err)
{
	entry->has_aged_results = entry->edits > 0;
	if (entry->edits == 0)
		entry->first_edit = aging->edits.n;
	if (!(queue->changed || entry->has_aged_results) || !queue->binds ||
	    !entry->is_signed)
		return 0;
	if (aging->options->reasoning == CTX_REASONING_DROP)
		return remove_reasoning(aging, entry, value, err);
	aging->counts->bound++;
	return 0;
}

/* ---- writing the queue ---- */

/* Puts the spool files of the edits on disk, before their references are
 * written.  If that fails, the edits are dropped. */
static int
commit_edits(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err)
{
	if (aging->edits.n > aging->committed_edits && aging->spool.fd >= 0 &&
	    ctx_spool_sync(&aging->spool, err) < 0) {
		aging->edits.n = aging->committed_edits;
		if (report_failure(aging, entry, aging->pending_results, err) <
		    0)
			return -1;
	} else {
		aging->counts->results += aging->pending_results;
		aging->counts->tokens += aging->pending_tokens;
	}
	aging->pending_results = aging->pending_tokens = 0;
	aging->committed_edits = aging->edits.n;
	return 0;
}

/* Reports a message whose edits are committed. */
static int
report_aged_message(struct aging *aging, struct age_queue *queue,
    const struct age_entry *entry, const struct ctx_json *json,
    struct ctx_err *err)
{
	const struct ctx_report *report = &aging->options->report;
	struct ctx_change change = {.file = entry->file,
	    .line = entry->line,
	    .index = entry->message};

	if (entry->edits == 0 || !ctx_report_wanted(report) ||
	    entry->first_edit + entry->edits > aging->committed_edits)
		return 0;
	if (ctx_dialect_read_message(entry->dialect, json, entry->node,
		&aging->message, err) < 0)
		return -1;
	/* Messages are reported in order, so one number is enough. */
	change.continues =
	    entry->continues && queue->n_reported == entry->message + 1;
	queue->n_reported = entry->message + 1;
	change.rule = !entry->has_aged_results ? "bound reasoning"
	    : aging->options->mask             ? "mask"
	    : aging->options->media            ? "media"
					       : "age";
	change.tool = ctx_intern_at(&queue->groups.tools,
	    entry->tools != NULL ? entry->tools[0] : 0);
	aging->edited.before = &aging->message;
	aging->edited.counter = queue->model_counter.counter;
	aging->edited.value = ctx_json_str(json, entry->node);
	aging->edited.first = entry->first_edit;
	aging->edited.n = entry->edits;
	change.bytes = entry->text != NULL
	    ? (struct ctx_str){entry->text, entry->bytes}
	    : aging->edited.value;
	return ctx_report_edited(report, &aging->edited, &aging->edits, &change,
	    err);
}

static void
clear_edits(struct aging *aging)
{
	ctx_edits_reset(&aging->edits);
	aging->committed_edits = 0;
}

static int
write_with_edits(struct aging *aging, struct ctx_str text, struct ctx_err *err)
{
	if (aging->options->report.dry_run) {
		clear_edits(aging);
		return 0;
	}
	if (aging->edits.n > 0) {
		aging->out.n = 0;
		if (ctx_report_sync(&aging->options->report, err) < 0 ||
		    ctx_edits_apply(&aging->edits, text, &aging->out, err) < 0)
			return -1;
		clear_edits(aging);
		text = (struct ctx_str){aging->out.p, aging->out.n};
	}
	if (ctx_writer_copy(aging->writer, text.p, text.n, err) < 0)
		return -1;
	ctx_buf_reset(&aging->out);
	return ctx_writer_end_record(aging->writer, err);
}

/* Writes a record that is not in the queue. */
static int
write_record(struct aging *aging, struct ctx_str text, struct ctx_err *err)
{
	if (aging->edits.n > 0 || aging->options->report.dry_run)
		return write_with_edits(aging, text, err);
	if (ctx_writer_put(aging->writer, text.p, text.n, err) < 0)
		return -1;
	return ctx_writer_end_record(aging->writer, err);
}

/* Writes the first record of the queue, aged if due is true. */
static int
write_first_aged(struct aging *aging, struct age_queue *queue,
    bool may_age_results, struct ctx_err *err)
{
	struct age_entry *entry = &queue->list[queue->first];
	struct ctx_str value = {entry->text + entry->message_at,
	    entry->message_n};

	may_age_results = may_age_results && entry->tools != NULL;
	entry->edits = 0;
	if ((may_age_results || (queue->changed && entry->is_signed)) &&
	    rescan_record(aging, entry, err) < 0)
		return -1;
	if (may_age_results &&
	    age_message(aging, queue, entry, &aging->json, false, err) < 0)
		return -1;
	if (entry->dialect != NULL &&
	    remove_reasoning_if_bound(aging, queue, entry, value, err) < 0)
		return -1;
	if (entry->edits > 0) {
		if (commit_edits(aging, entry, err) < 0)
			return -1;
		queue->changed |= aging->edits.n > 0;
		if (report_aged_message(aging, queue, entry, &aging->json,
			err) < 0)
			return -1;
	}
	if (write_with_edits(aging, (struct ctx_str){entry->text, entry->bytes},
		err) < 0)
		return -1;
	free(entry->text);
	free(entry->tools);
	queue->first++;
	return 0;
}

/* Returns true if all results of a record are before the boundary.  A record
 * that is not a message counts with the message before it. */
static bool
is_before_boundary(const struct aging *aging, const struct age_queue *queue,
    const struct age_entry *entry)
{
	if (entry->dialect == NULL)
		return true;
	/* The message may become old later. */
	if (!queue->ended && entry->has_time && !is_old(aging, queue, entry))
		return false;
	if (aging->options->by_results)
		return entry->first_result + entry->results <=
		    find_boundary(aging, queue);
	return entry->message < find_boundary(aging, queue);
}

/* Weighs the messages that have come before the boundary since the last call.
 */
static int
add_savings(struct aging *aging, struct age_queue *queue, struct ctx_err *err)
{
	struct age_entry *entry;

	for (; queue->savings_end < queue->n; queue->savings_end++) {
		entry = &queue->list[queue->savings_end];
		if (!is_before_boundary(aging, queue, entry))
			break;
		if (entry->tools != NULL &&
		    (rescan_record(aging, entry, err) < 0 ||
			age_message(aging, queue, entry, &aging->json, true,
			    err) < 0))
			return -1;
	}
	return 0;
}

/* Removes written records from the list, but not at each call. */
static void
compact_queue(struct age_queue *queue)
{
	if (queue->first < 64 || queue->first < queue->n / 2)
		return;
	memmove(queue->list, queue->list + queue->first,
	    (queue->n - queue->first) * sizeof *queue->list);
	queue->n -= queue->first;
	queue->savings_end -= queue->savings_end < queue->first
	    ? queue->savings_end
	    : queue->first;
	queue->first = 0;
}

/* Returns true if later bound reasoning may forbid all changes. */
static bool
may_refuse(const struct aging *aging, const struct age_queue *queue)
{
	return aging->options->reasoning == CTX_REASONING_FAIL && queue->binds;
}

/* Sets *refused to true if aging the queue would leave bound reasoning after a
 * change.  json is the record that the messages are in, or NULL if each is a
 * record. */
static int
check_refusal(struct aging *aging, struct age_queue *queue,
    const struct ctx_json *json, bool *refused, struct ctx_err *err)
{
	uint64_t was;
	bool changed = false;
	size_t i;

	*refused = false;
	queue->savings = 0;
	for (i = queue->first; i < queue->n; i++) {
		struct age_entry *entry = &queue->list[i];

		was = queue->savings;
		if (entry->tools != NULL && i >= queue->sent_end &&
		    (aging->options->by_results ||
			is_before_boundary(aging, queue, entry)) &&
		    ((json == NULL && rescan_record(aging, entry, err) < 0) ||
			age_message(aging, queue, entry,
			    json != NULL ? json : &aging->json, true, err) < 0))
			return -1;
		changed |= queue->savings > was;
		*refused |= changed && entry->is_signed;
	}
	if (queue->savings < aging->options->at_least)
		*refused = false;
	queue->savings = 0;
	queue->savings_end = queue->first;
	aging->counts->refused += *refused;
	return 0;
}

static int
write_due_messages(struct aging *aging, struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;

	if (queue->savings < aging->options->at_least) {
		if (add_savings(aging, queue, err) < 0)
			return -1;
		if (queue->savings < aging->options->at_least)
			return 0;
	}
	while (queue->first < queue->n &&
	    (queue->list[queue->first].tools == NULL ||
		is_before_boundary(aging, queue, &queue->list[queue->first])))
		if (write_first_aged(aging, queue, true, err) < 0)
			return -1;
	if (queue->savings_end < queue->first)
		queue->savings_end = queue->first;
	compact_queue(queue);
	return 0;
}

/* Writes the queue at the end of the stream.  If the stream failed (broken), a
 * message may be missing, so with unsent, or if bound reasoning could forbid
 * changes, nothing is changed. */
static int
write_all_messages(struct aging *aging, bool broken, struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;
	bool may_age_results,
	    is_kept =
		broken && (aging->options->unsent || may_refuse(aging, queue));

	queue->ended = true;
	if (!is_kept && may_refuse(aging, queue) &&
	    check_refusal(aging, queue, NULL, &is_kept, err) < 0)
		return -1;
	if (!is_kept && write_due_messages(aging, err) < 0)
		return -1;
	/* Some results of a waiting message may be before the boundary. */
	may_age_results = !is_kept && aging->options->by_results &&
	    queue->savings >= aging->options->at_least;
	while (queue->first < queue->n)
		if (write_first_aged(aging, queue, may_age_results, err) < 0)
			return -1;
	return 0;
}

/* ---- filling the queue ---- */

static void
clear_queue(struct age_queue *queue)
{
	for (; queue->first < queue->n; queue->first++) {
		free(queue->list[queue->first].text);
		free(queue->list[queue->first].tools);
	}
	queue->first = queue->n = queue->savings_end = queue->sent_end = 0;
	queue->messages = queue->results = queue->savings = 0;
	queue->n_reported = 0;
	queue->begun = queue->has_time = queue->changed = false;
	memset(&queue->place, 0, sizeof queue->place);
	ctx_groups_reset(&queue->groups);
}

static struct age_entry *
append_to_queue(struct age_queue *queue, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct age_entry *list, *entry;

	list =
	    ctx_grow(queue->list, &queue->cap, queue->n + 1, sizeof *list, err);
	if (list == NULL)
		return NULL;
	queue->list = list;
	entry = &list[queue->n++];
	memset(entry, 0, sizeof *entry);
	entry->file = event->record->file;
	entry->line = event->record->line;
	entry->message = queue->messages;
	entry->first_result = queue->results;
	return entry;
}

/* Sets *id to the tool of block i, a result; 0 if it is not known. */
static int
find_tool(struct age_queue *queue, const struct ctx_message *message, size_t i,
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
record_result_tools(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_message *message,
    struct ctx_err *err)
{
	bool is_counted, may_age_any = false;
	uint32_t k = 0;
	size_t i;

	for (i = 0; i < message->n; i++) {
		if (is_result(aging, message, i, &is_counted, err) < 0)
			return -1;
		entry->results += is_counted;
		may_age_any |= is_counted && may_age(aging, message, i);
	}
	queue->results += entry->results;
	if (!may_age_any)
		return 0;
	entry->tools = calloc(entry->results, sizeof *entry->tools);
	if (entry->tools == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < message->n; i++) {
		if (is_result(aging, message, i, &is_counted, err) < 0 ||
		    (is_counted &&
			find_tool(queue, message, i, &entry->tools[k++], err) <
			    0))
			return -1;
	}
	return 0;
}

/* Records the message's timestamp.  A message without one has the timestamp of
 * the message before it. */
static int
record_time(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_message *message,
    struct ctx_err *err)
{
	struct ctx_str text;
	int64_t time;

	aging->counts->messages++;
	if (aging->options->older == 0)
		return 0;
	if (message->time != 0) {
		aging->text.n = 0;
		if (ctx_json_text(message->json, message->time, &aging->text,
			&text, err) < 0)
			return -1;
		if (ctx_time_parse(text.p, text.n, &time)) {
			if (!queue->has_time || time > queue->newest)
				queue->newest = time;
			queue->time = time;
			queue->has_time = true;
			aging->counts->timed++;
		}
	}
	entry->time = queue->time;
	entry->has_time = queue->has_time;
	return 0;
}

static int
queue_message(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, const struct ctx_event *event, struct ctx_err *err)
{
	static const struct ctx_cost nothing;
	struct ctx_str value = ctx_json_str(event->message->json, event->node);

	entry->node = event->node;
	entry->dialect = event->layout->dialect;
	entry->message_at = (size_t)(value.p - event->record->text.p);
	entry->message_n = value.n;
	entry->flags = event->message->flags;
	entry->is_signed = ctx_message_is_signed(event->message);
	if (record_time(aging, queue, entry, event->message, err) < 0 ||
	    record_result_tools(aging, queue, entry, event->message, err) < 0 ||
	    ctx_groups_add(&queue->groups, event->message, &nothing, 0, err) <
		0)
		return -1;
	entry->continues = queue->messages > 0 &&
	    (event->message->flags & CTX_MESSAGE_CONTINUES);
	if (event->line != 0 && !event->inside)
		entry->message =
		    ctx_transcript_message_index(aging->stream->transcript,
			event->line, queue->messages);
	queue->messages += !entry->continues;
	if (queue->binds &&
	    ctx_place_next(&queue->place, event->message, entry->message,
		&aging->text, err) < 0)
		return -1;
	entry->place = queue->place;
	return ctx_groups_forget(&queue->groups, err);
}

static int
begin_queue(struct aging *aging, struct age_queue *queue,
    const struct ctx_event *event, struct ctx_err *err)
{
	queue->begun = true;
	if (ctx_stream_measure(aging->stream, event, aging->counters,
		&queue->model_counter, err) < 0)
		return -1;
	queue->binds = ctx_model_binds(queue->model_counter.model,
	    queue->model_counter.name);
	return 0;
}

static int
copy_record_text(struct aging *aging, struct age_entry *entry,
    const struct ctx_event *event, struct ctx_err *err)
{
	entry->text = ctx_stream_keep(aging->stream, event, err);
	entry->bytes = event->record->text.n;
	return entry->text == NULL ? -1 : 0;
}

/* Writes the queue unchanged; its last message, the assistant's, is the
 * event's. */
static int
write_queue_unaged(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;

	while (queue->first < queue->n - 1)
		if (write_first_aged(aging, queue, false, err) < 0)
			return -1;
	free(queue->list[queue->first].tools);
	queue->first = queue->n = queue->savings_end = 0;
	return write_record(aging, event->record->text, err);
}

static int
queue_record(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;
	struct age_entry *entry;

	if (!queue->begun && begin_queue(aging, queue, event, err) < 0)
		return -1;
	entry = append_to_queue(queue, event, err);
	if (entry == NULL || queue_message(aging, queue, entry, event, err) < 0)
		return -1;
	if (aging->options->unsent && ctx_message_was_sent(event->message))
		return write_queue_unaged(aging, event, err);
	/* Nothing waits, and the message itself cannot change. */
	if (entry->tools == NULL && queue->first == queue->n - 1 &&
	    !(queue->changed && entry->is_signed) &&
	    !may_refuse(aging, queue)) {
		queue->n--;
		return write_record(aging, event->record->text, err);
	}
	if (copy_record_text(aging, entry, event, err) < 0)
		return -1;
	return aging->options->unsent || may_refuse(aging, queue)
	    ? 0
	    : write_due_messages(aging, err);
}

/* ---- messages inside a record ---- */

static int
append_element(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct age_entry *entry = append_to_queue(&aging->record, event, err);

	if (entry == NULL ||
	    queue_message(aging, &aging->record, entry, event, err) < 0)
		return -1;
	if (aging->options->unsent && ctx_message_was_sent(event->message))
		aging->record.sent_end = aging->record.n;
	return 0;
}

/* Adds the edits of message i of a record; or, with weighing, only weighs it.
 */
static int
age_element(struct aging *aging, struct age_queue *queue, size_t i,
    const struct ctx_json *json, bool count_only, struct ctx_err *err)
{
	struct age_entry *entry = &queue->list[i];

	entry->edits = 0;
	if (entry->tools != NULL && i >= queue->sent_end &&
	    (aging->options->by_results ||
		is_before_boundary(aging, queue, entry)) &&
	    age_message(aging, queue, entry, json, count_only, err) < 0)
		return -1;
	if (count_only || entry->dialect == NULL)
		return 0;
	if (remove_reasoning_if_bound(aging, queue, entry,
		ctx_json_str(json, entry->node), err) < 0)
		return -1;
	queue->changed |= entry->edits > 0;
	return 0;
}

/* Ages the messages of a record at the end of its conversation. */
static int
end_aged_record(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct age_queue *queue = &aging->record;
	const struct ctx_json *json = event->record->json;
	struct age_entry place = {.file = event->record->file,
	    .line = event->record->line};
	bool refused = false;
	int count_only;
	size_t i;

	if (may_refuse(aging, queue) &&
	    check_refusal(aging, queue, json, &refused, err) < 0)
		return -1;
	for (count_only = aging->options->at_least > 0;
	     count_only >= 0 && !refused; count_only--) {
		if (count_only == 0 &&
		    queue->savings < aging->options->at_least)
			break;
		for (i = 0; i < queue->n; i++)
			if (age_element(aging, queue, i, json, count_only,
				err) < 0)
				return -1;
	}
	if (commit_edits(aging, &place, err) < 0)
		return -1;
	for (i = queue->sent_end; i < queue->n; i++)
		if (report_aged_message(aging, queue, &queue->list[i], json,
			err) < 0)
			return -1;
	clear_queue(queue);
	return 0;
}

/* Handles the end of a record that is not a message: writes it, or queues it
 * after waiting messages. */
static int
end_unaged_record(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_str text = event->record->text;
	struct age_entry *entry;

	if (aging->lines.first == aging->lines.n)
		return write_record(aging, text, err);
	entry = append_to_queue(&aging->lines, event, err);
	if (entry == NULL)
		return -1;
	if (aging->edits.n == 0)
		return copy_record_text(aging, entry, event, err);
	aging->out.n = 0;
	if (ctx_report_sync(&aging->options->report, err) < 0 ||
	    ctx_edits_apply(&aging->edits, text, &aging->out, err) < 0)
		return -1;
	clear_edits(aging);
	entry->bytes = aging->out.n;
	entry->text = ctx_buf_take(&aging->out);
	return 0;
}

/* ---- the stream ---- */

static int
age_event(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	switch (event->kind) {
	case CTX_EVENT_BEGIN:
		return begin_queue(aging, &aging->record, event, err);
	case CTX_EVENT_MESSAGE:
		return event->inside ? append_element(aging, event, err)
				     : queue_record(aging, event, err);
	case CTX_EVENT_END:
		return end_aged_record(aging, event, err);
	case CTX_EVENT_RECORD:
		if (event->layout->kind == CTX_LAYOUT_MESSAGE)
			return 0;
		return end_unaged_record(aging, event, err);
	default:
		return 0;
	}
}

static int
age_all(struct aging *aging, struct ctx_err *err)
{
	struct ctx_event event;
	struct ctx_err late;
	int rc;

	while ((rc = ctx_stream_next(aging->stream, &event, err)) > 0)
		if (age_event(aging, &event, err) < 0)
			return ctx_stream_fail(aging->stream, err);
	/* At an error in the input, too: the records before it are complete. */
	if ((write_all_messages(aging, rc < 0, &late) < 0 ||
		ctx_writer_flush(aging->writer, &late) < 0) &&
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
	struct aging aging = {.options = options,
	    .counts = counts,
	    .counters = counters,
	    .writer = writer,
	    .stream = stream};
	char digits[CTX_SPOOL_DIGITS], tool[CTX_SPOOL_TOOL];
	int rc = -1;

	memset(counts, 0, sizeof *counts);
	aging.spool.fd = -1;
	if (options->opened != NULL) {
		aging.spool = *options->opened;
		aging.refused = *options->refused;
	}
	ctx_json_init(&aging.json, counters->simd);
	ctx_json_init(&aging.edited.json, counters->simd);
	ctx_json_init(&aging.unstripped_json, counters->simd);
	/* Refuse a bad format at once, not at the first result: test it with
	 * the longest tool name. */
	memset(tool, '_', sizeof tool);
	ctx_spool_digits(digits, NULL, 0);
	if (ctx_spool_name(&aging.out, options->format,
		(struct ctx_str){tool, sizeof tool}, digits, err) == 0 &&
	    ctx_groups_init(&aging.lines.groups, err) == 0 &&
	    ctx_groups_init(&aging.record.groups, err) == 0)
		rc = age_all(&aging, err);
	if (aging.lines.groups.calls != NULL)
		clear_queue(&aging.lines);
	if (aging.record.groups.calls != NULL)
		clear_queue(&aging.record);
	free(aging.lines.list);
	free(aging.record.list);
	ctx_groups_release(&aging.lines.groups);
	ctx_groups_release(&aging.record.groups);
	ctx_spool_close(&aging.spool);
	ctx_message_release(&aging.message);
	ctx_json_release(&aging.json);
	ctx_edits_release(&aging.edits);
	ctx_aged_result_release(&aging.aged);
	ctx_edited_release(&aging.edited);
	ctx_json_release(&aging.unstripped_json);
	ctx_message_release(&aging.unstripped_message);
	ctx_edits_release(&aging.strip_edits);
	ctx_buf_release(&aging.unstripped);
	ctx_buf_release(&aging.stripped);
	ctx_buf_release(&aging.name);
	ctx_buf_release(&aging.out);
	ctx_buf_release(&aging.text);
	return rc;
}
