/* write_aged.c - writes the messages in the queue of ctx-age, after replacing
 * their old tool results by references to files */
#include "age/age_queue.h"

int
ctx_age_commit_edits(struct aging *aging, const struct age_queue *queue,
    const struct age_entry *entry, struct ctx_err *err)
{
	if (aging->rewrite.edits.n > aging->committed_edits &&
	    aging->spool.fd >= 0 && ctx_spool_sync(&aging->spool, err) < 0) {
		aging->rewrite.edits.n = aging->committed_edits;
		/* A conversation inside a record is now unchanged, and so is
		 * everything before its reasoning. */
		if (queue == &aging->lines && queue->changed)
			aging->counts->bound += aging->pending_reasoning;
		if (ctx_age_report_failure(aging, entry, aging->pending_results,
			aging->pending_reasoning, err) < 0)
			return -1;
	} else {
		aging->counts->reasoning += aging->pending_reasoning;
		aging->counts->results += aging->pending_results;
		aging->counts->tokens += aging->pending_tokens;
	}
	aging->pending_results = aging->pending_tokens = 0;
	aging->pending_reasoning = 0;
	aging->committed_edits = aging->rewrite.edits.n;
	return 0;
}

int
ctx_age_report_message(struct aging *aging, struct age_queue *queue,
    const struct age_entry *entry, struct ctx_err *err)
{
	const struct ctx_held_message *held = &entry->held;
	const struct ctx_edited_message edited = {.message =
						      &aging->rewrite.message,
	    .node = held->node,
	    .first = entry->first_edit,
	    .n = entry->edits,
	    .counter = queue->model_counter.counter};
	struct ctx_change change = {.file = held->file,
	    .line = held->line,
	    .index = entry->message};

	if (entry->edits == 0 || !ctx_report_wanted(&aging->options->report) ||
	    entry->first_edit + entry->edits > aging->committed_edits)
		return 0;
	if (ctx_rewrite_reread(&aging->rewrite, held, err) < 0)
		return -1;
	/* Messages are reported in the order in which they were read.  So an
	 * earlier record of this message was reported if the last report was
	 * about this message, and only then. */
	change.continues =
	    entry->continues && queue->reported_end == entry->message + 1;
	queue->reported_end = entry->message + 1;
	change.rule = !entry->has_aged_results ? "bound reasoning"
	    : aging->options->mask             ? "mask"
	    : aging->options->media            ? "media"
					       : "age";
	change.tool = ctx_intern_at(&queue->groups.tools,
	    entry->tools != NULL ? entry->tools[0] : 0);
	change.bytes = ctx_rewrite_text(&aging->rewrite, held);
	return ctx_rewrite_report(&aging->rewrite, &edited, &change, err);
}

/* Writes the first message of the queue.  If may_age_results is true, first
 * replaces the old tool results of the message by references. */
static int
write_first_aged(struct aging *aging, struct age_queue *queue,
    bool may_age_results, struct ctx_err *err)
{
	struct age_entry *entry = ctx_held_queue_at(&aging->rewrite.lines,
	    aging->rewrite.lines.first);

	entry->edits = 0;
	if (may_age_results && entry->tools != NULL &&
	    ctx_age_message(aging, queue, entry, false, err) < 0)
		return -1;
	if (entry->held.dialect != NULL &&
	    ctx_age_remove_reasoning(aging, queue, entry, err) < 0)
		return -1;
	if (entry->edits > 0) {
		if (ctx_age_commit_edits(aging, queue, entry, err) < 0)
			return -1;
		queue->changed |= aging->rewrite.edits.n > 0;
		if (ctx_age_report_message(aging, queue, entry, err) < 0)
			return -1;
	}
	aging->committed_edits = 0;
	return ctx_rewrite_write_first(&aging->rewrite, err);
}

bool
ctx_age_is_before_boundary(const struct aging *aging,
    const struct age_queue *queue, const struct age_entry *entry)
{
	if (entry->held.dialect == NULL)
		return true;
	/* A message that is too new now may be old enough later, because its
	 * age is relative to the newest message read so far. */
	if (!queue->ended && entry->has_time &&
	    !ctx_age_is_old(aging, queue, entry))
		return false;
	if (aging->options->by_results)
		return entry->first_result + entry->results <=
		    ctx_age_find_boundary(aging, queue);
	return entry->message < ctx_age_find_boundary(aging, queue);
}

/* Adds to queue->savings the tokens that can be saved in messages that have
 * become old enough since the last call.  At the end of the conversation, with
 * the option by_results, also those of old tool results in messages that have
 * new ones, too. */
static int
add_savings(struct aging *aging, struct age_queue *queue, struct ctx_err *err)
{
	const struct ctx_held_queue *lines = &aging->rewrite.lines;
	bool adds_all = queue->ended && aging->options->by_results;
	struct age_entry *entry;

	for (; queue->savings_end < lines->end; queue->savings_end++) {
		entry = ctx_held_queue_at(lines, queue->savings_end);
		if (!adds_all &&
		    !ctx_age_is_before_boundary(aging, queue, entry))
			break;
		if (entry->tools != NULL &&
		    ctx_age_message(aging, queue, entry, true, err) < 0)
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
    bool *refused, struct ctx_err *err)
{
	const struct ctx_held_queue *entries = ctx_age_entries(aging, queue);
	struct age_entry *entry;
	uint64_t was;
	bool changed = false;

	*refused = false;
	queue->savings = 0;
	for (size_t i = entries->first; i < entries->end; i++) {
		entry = ctx_held_queue_at(entries, i);
		was = queue->savings;
		if (entry->tools != NULL && i >= queue->sent_end &&
		    (aging->options->by_results ||
			ctx_age_is_before_boundary(aging, queue, entry)) &&
		    ctx_age_message(aging, queue, entry, true, err) < 0)
			return -1;
		changed |= queue->savings > was;
		*refused |= changed && entry->is_bound;
	}
	if (queue->savings < aging->options->at_least)
		*refused = false;
	queue->savings = 0;
	queue->savings_end = entries->first;
	aging->counts->refused += *refused;
	return 0;
}

int
ctx_age_write_due(struct aging *aging, struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;
	const struct ctx_held_queue *lines = &aging->rewrite.lines;
	const struct age_entry *entry;

	if (queue->savings < aging->options->at_least) {
		if (add_savings(aging, queue, err) < 0)
			return -1;
		if (queue->savings < aging->options->at_least)
			return 0;
	}
	while (lines->first < lines->end) {
		entry = ctx_held_queue_at(lines, lines->first);
		if (entry->tools != NULL &&
		    !ctx_age_is_before_boundary(aging, queue, entry))
			break;
		if (write_first_aged(aging, queue, true, err) < 0)
			return -1;
	}
	if (queue->savings_end < lines->first)
		queue->savings_end = lines->first;
	return 0;
}

int
ctx_age_write_all(struct aging *aging, bool broken, struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;
	const struct ctx_held_queue *lines = &aging->rewrite.lines;
	bool may_age_results,
	    is_kept = broken &&
	    (aging->options->unsent || ctx_age_may_refuse(aging, queue));

	queue->ended = true;
	if (!is_kept && ctx_age_may_refuse(aging, queue) &&
	    ctx_age_check_refusal(aging, queue, &is_kept, err) < 0)
		return -1;
	if (!is_kept && ctx_age_write_due(aging, err) < 0)
		return -1;
	/* With the option by_results, a message in the queue may have old and
	 * new tool results.  The old results are replaced now. */
	may_age_results = !is_kept && aging->options->by_results &&
	    queue->savings >= aging->options->at_least;
	while (lines->first < lines->end)
		if (write_first_aged(aging, queue, may_age_results, err) < 0)
			return -1;
	return 0;
}

int
ctx_age_write_unaged(struct aging *aging, struct ctx_err *err)
{
	struct age_queue *queue = &aging->lines;
	struct ctx_held_queue *lines = &aging->rewrite.lines;

	while (lines->first < lines->end - 1)
		if (write_first_aged(aging, queue, false, err) < 0)
			return -1;
	ctx_held_queue_remove_last(lines);
	queue->savings_end = lines->end;
	return 0;
}
