/* write_aged.c - writes the messages in the queue of ctx-age, with old tool
 * results replaced by references to files */
#include <stdlib.h>

#include "age/age_queue.h"
#include "stream/change_report.h"

int
ctx_age_commit_edits(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err)
{
	if (aging->edits.n > aging->committed_edits && aging->spool.fd >= 0 &&
	    ctx_spool_sync(&aging->spool, err) < 0) {
		aging->edits.n = aging->committed_edits;
		if (ctx_age_report_failure(aging, entry, aging->pending_results,
			err) < 0)
			return -1;
	} else {
		aging->counts->results += aging->pending_results;
		aging->counts->tokens += aging->pending_tokens;
	}
	aging->pending_results = aging->pending_tokens = 0;
	aging->committed_edits = aging->edits.n;
	return 0;
}

int
ctx_age_report_message(struct aging *aging, struct age_queue *queue,
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
	/* Messages are reported in order, so the number of the last one is
	 * enough to detect a message of several records. */
	change.continues =
	    entry->continues && queue->reported_end == entry->message + 1;
	queue->reported_end = entry->message + 1;
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

int
ctx_age_apply_edits(struct aging *aging, struct ctx_str text,
    struct ctx_err *err)
{
	aging->out.n = 0;
	if (ctx_report_sync(&aging->options->report, err) < 0 ||
	    ctx_edits_apply(&aging->edits, text, &aging->out, err) < 0)
		return -1;
	clear_edits(aging);
	return 0;
}

/* Writes a copy of a record with its edits; in a dry run only clears the edits.
 */
static int
write_with_edits(struct aging *aging, struct ctx_str text, struct ctx_err *err)
{
	if (aging->options->report.dry_run) {
		clear_edits(aging);
		return 0;
	}
	if (aging->edits.n > 0) {
		if (ctx_age_apply_edits(aging, text, err) < 0)
			return -1;
		text = (struct ctx_str){aging->out.p, aging->out.n};
	}
	if (ctx_writer_copy(aging->writer, text.p, text.n, err) < 0)
		return -1;
	ctx_buf_reset(&aging->out);
	return ctx_writer_end_record(aging->writer, err);
}

int
ctx_age_write_record(struct aging *aging, struct ctx_str text,
    struct ctx_err *err)
{
	if (aging->edits.n > 0 || aging->options->report.dry_run)
		return write_with_edits(aging, text, err);
	if (ctx_writer_put(aging->writer, text.p, text.n, err) < 0)
		return -1;
	return ctx_writer_end_record(aging->writer, err);
}

/* Writes the first message of the queue.  If may_age_results is true, its old
 * tool results are replaced by references. */
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
	    ctx_age_rescan(aging, entry, err) < 0)
		return -1;
	if (may_age_results &&
	    ctx_age_message(aging, queue, entry, &aging->json, false, err) < 0)
		return -1;
	if (entry->dialect != NULL &&
	    ctx_age_remove_reasoning(aging, queue, entry, value, err) < 0)
		return -1;
	if (entry->edits > 0) {
		if (ctx_age_commit_edits(aging, entry, err) < 0)
			return -1;
		queue->changed |= aging->edits.n > 0;
		if (ctx_age_report_message(aging, queue, entry, &aging->json,
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

bool
ctx_age_is_before_boundary(const struct aging *aging,
    const struct age_queue *queue, const struct age_entry *entry)
{
	if (entry->dialect == NULL)
		return true;
	/* The message may become old enough when later messages arrive. */
	if (!queue->ended && entry->has_time &&
	    !ctx_age_is_old(aging, queue, entry))
		return false;
	if (aging->options->by_results)
		return entry->first_result + entry->results <=
		    ctx_age_find_boundary(aging, queue);
	return entry->message < ctx_age_find_boundary(aging, queue);
}

/* Adds to queue->savings the tokens that can be saved in the messages which
 * have become old enough since the last call. */
static int
add_savings(struct aging *aging, struct age_queue *queue, struct ctx_err *err)
{
	struct age_entry *entry;

	for (; queue->savings_end < queue->n; queue->savings_end++) {
		entry = &queue->list[queue->savings_end];
		if (!ctx_age_is_before_boundary(aging, queue, entry))
			break;
		if (entry->tools != NULL &&
		    (ctx_age_rescan(aging, entry, err) < 0 ||
			ctx_age_message(aging, queue, entry, &aging->json, true,
			    err) < 0))
			return -1;
	}
	return 0;
}

bool
ctx_age_may_refuse(const struct aging *aging, const struct age_queue *queue)
{
	return aging->options->reasoning == CTX_REASONING_FAIL && queue->binds;
}

int
ctx_age_check_refusal(struct aging *aging, struct age_queue *queue,
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
			ctx_age_is_before_boundary(aging, queue, entry)) &&
		    ((json == NULL && ctx_age_rescan(aging, entry, err) < 0) ||
			ctx_age_message(aging, queue, entry,
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

int
ctx_age_write_due(struct aging *aging, struct ctx_err *err)
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
		ctx_age_is_before_boundary(aging, queue,
		    &queue->list[queue->first])))
		if (write_first_aged(aging, queue, true, err) < 0)
			return -1;
	if (queue->savings_end < queue->first)
		queue->savings_end = queue->first;
	ctx_age_queue_compact(queue);
	return 0;
}

int
ctx_age_write_all(struct aging *aging, bool broken, struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;
	bool may_age_results,
	    is_kept = broken &&
	    (aging->options->unsent || ctx_age_may_refuse(aging, queue));

	queue->ended = true;
	if (!is_kept && ctx_age_may_refuse(aging, queue) &&
	    ctx_age_check_refusal(aging, queue, NULL, &is_kept, err) < 0)
		return -1;
	if (!is_kept && ctx_age_write_due(aging, err) < 0)
		return -1;
	/* Some tool results of a message in the queue may be old enough even if
	 * others in it are not. */
	may_age_results = !is_kept && aging->options->by_results &&
	    queue->savings >= aging->options->at_least;
	while (queue->first < queue->n)
		if (write_first_aged(aging, queue, may_age_results, err) < 0)
			return -1;
	return 0;
}

int
ctx_age_write_unaged(struct aging *aging, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;

	while (queue->first < queue->n - 1)
		if (write_first_aged(aging, queue, false, err) < 0)
			return -1;
	free(queue->list[queue->first].tools);
	queue->first = queue->n = queue->savings_end = 0;
	return ctx_age_write_record(aging, event->record->text, err);
}
