/* age_message.c - replaces the old tool results of a message by references to
 * files */
#include "age/age_queue.h"
#include "dialect/result_content.h"
#include "stream/placeholder.h"

int
ctx_age_open_spool(struct aging *aging, struct ctx_err *err)
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

int
ctx_age_report_failure(struct aging *aging, const struct age_entry *entry,
    uint64_t results, uint64_t reasoning, struct ctx_err *err)
{
	if (err->code == CTX_ENOMEM || err->code == CTX_EARG)
		return -1;
	aging->counts->failed += results + reasoning;
	err->file = entry->held.file;
	err->line = entry->held.line;
	err->column = 0;
	if (aging->options->failed != NULL)
		aging->options->failed(aging->options->user, results, err);
	return 0;
}

uint64_t
ctx_age_find_boundary(const struct aging *aging, const struct age_queue *queue)
{
	uint64_t seen =
	    aging->options->by_results ? queue->results : queue->messages;

	if (seen <= aging->options->keep)
		return 0;
	seen -= aging->options->keep;
	return seen - seen % aging->options->step;
}

bool
ctx_age_is_old(const struct aging *aging, const struct age_queue *queue,
    const struct age_entry *entry)
{
	return aging->options->older == 0 ||
	    (entry->has_time && queue->newest > entry->time &&
		(uint64_t)(queue->newest - entry->time) >
		    aging->options->older);
}

int
ctx_age_is_result(struct aging *aging, const struct ctx_message *message,
    size_t i, bool *is_counted, struct ctx_err *err)
{
	struct ctx_reference ref;

	*is_counted = message->blocks[i].kind ==
	    (aging->options->media ? CTX_BLOCK_MEDIA : CTX_BLOCK_TOOL_RESULT);
	return *is_counted || !aging->options->media
	    ? 0
	    : ctx_placeholder_read_block(message, i, &aging->text, is_counted,
		  &ref, err);
}

bool
ctx_age_may_age(const struct aging *aging, const struct ctx_message *message,
    size_t i)
{
	uint32_t value = message->blocks[i].payload;

	if (aging->options->media)
		return ctx_media_block(message, i) != 0;
	return value != 0 &&
	    message->json->nodes[value].end - message->json->nodes[value].at >
	    aging->options->over;
}

/* Adds the JSON edit that replaces a text by aging->aged.replacement, usually
 * the beginning of the text and a reference to a file.  Before that, stores the
 * text in this file.  Stores nothing in a dry run, or with the option mask,
 * which replaces tool results by a text without a reference.  Returns 1.
 * Returns 0 after reporting that the text could not be stored.  Returns -1 with
 * *err after another error. */
static int
store_text(struct aging *aging, const struct age_entry *entry,
    struct ctx_err *err)
{
	if (!aging->options->mask && !aging->options->report.dry_run &&
	    (ctx_age_open_spool(aging, err) < 0 ||
		ctx_aged_result_store(&aging->aged, &aging->spool, err) < 0))
		return ctx_age_report_failure(aging, entry, 1, 0, err);
	return ctx_edits_replace(&aging->rewrite.edits, aging->aged.replaced,
		   aging->aged.replacement.p, aging->aged.replacement.n,
		   err) < 0
	    ? -1
	    : 1;
}

/* Some agents keep a copy of a tool result beside the message.  Replaces the
 * long texts in this copy by references to files. */
static int
age_copy(struct aging *aging, const struct age_entry *entry,
    const struct age_candidate *result, struct ctx_err *err)
{
	uint32_t node = 0;
	int rc;

	while ((node = ctx_result_copy_next(result->message, node)) != 0) {
		rc = ctx_age_copied_text(&aging->aged, aging->options, result,
		    node, err);
		if (rc < 0 || (rc > 0 && store_text(aging, entry, err) < 0))
			return -1;
		ctx_aged_result_trim(&aging->aged);
	}
	return 0;
}

/* Replaces a tool result or media block by the text in aging->aged.  If the
 * record also contains a second copy of the tool result, replaces the texts in
 * this copy, too. */
static int
store_result(struct aging *aging, const struct age_entry *entry,
    const struct age_candidate *result, struct ctx_err *err)
{
	uint64_t saved = aging->aged.saved_tokens;
	int rc = store_text(aging, entry, err);

	if (rc <= 0)
		return rc;
	aging->pending_results++;
	aging->pending_tokens += saved;
	return aging->options->media ||
		ctx_result_copied(result->message) != result->i
	    ? 0
	    : age_copy(aging, entry, result, err);
}

/* Writes the short text that replaces a tool result or media block to
 * aging->aged.  The short text names the file with the content of the block.
 * Returns 1, or 0 if the block must not be replaced, or -1 with *err. */
static int
age_block(struct aging *aging, const struct age_candidate *candidate,
    struct ctx_err *err)
{
	return aging->options->media
	    ? ctx_age_media(&aging->aged, aging->options, candidate, err)
	    : ctx_age_result(&aging->aged, aging->options, candidate, err);
}

/* Returns true if a block may be replaced: the options tool and not_tool select
 * its tool, or it is media outside of tool results, which belongs to no tool.
 * *left: how much work (see CTX_PATTERN_WORK) may still be done to match
 * regular expressions for this message; the function subtracts the work that it
 * does. */
static bool
is_selected(struct aging *aging, const struct age_candidate *candidate,
    int64_t *left)
{
	if (aging->options->media &&
	    candidate->message->blocks[candidate->i].result_index == 0)
		return true;
	return ctx_pattern_selects(&aging->options->tool,
	    &aging->options->not_tool, candidate->tool.p, candidate->tool.n,
	    left);
}

int
ctx_age_message(struct aging *aging, struct age_queue *queue,
    struct age_entry *entry, bool count_only, struct ctx_err *err)
{
	uint64_t end = ctx_age_find_boundary(aging, queue),
		 number = entry->first_result;
	int64_t left = CTX_PATTERN_WORK;
	const struct ctx_message *message = &aging->rewrite.message;
	struct age_candidate block = {.message = message,
	    .counter = queue->model_counter.counter};
	size_t i, k = 0;
	bool is_counted;
	int rc;

	if (ctx_rewrite_reread(&aging->rewrite, &entry->held, err) < 0)
		return -1;
	entry->first_edit = aging->rewrite.edits.n;
	entry->edits = 0;
	if (!ctx_age_is_old(aging, queue, entry))
		return 0;
	for (i = 0; i < message->n; i++) {
		if (ctx_age_is_result(aging, message, i, &is_counted, err) < 0)
			return -1;
		if (!is_counted)
			continue;
		block.i = i;
		block.tool =
		    ctx_intern_at(&queue->groups.tools, entry->tools[k++]);
		if ((aging->options->by_results && number++ >= end) ||
		    !ctx_age_may_age(aging, message, i) ||
		    !is_selected(aging, &block, &left))
			continue;
		rc = age_block(aging, &block, err);
		if (rc < 0)
			return -1;
		if (rc > 0 && count_only)
			queue->savings += aging->aged.saved_tokens;
		else if (rc > 0 && store_result(aging, entry, &block, err) < 0)
			return -1;
		ctx_aged_result_trim(&aging->aged);
	}
	entry->edits = aging->rewrite.edits.n - entry->first_edit;
	return 0;
}
