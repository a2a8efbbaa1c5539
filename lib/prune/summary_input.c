/* summary_input.c - collects the texts that a summarizer reads */
#include "prune/strategy/summary.h"
#include "prune/write_summary.h"

static enum ctx_summary_kind
find_summary_kind(const struct ctx_message *message,
    const struct ctx_block *block)
{
	if (block->kind == CTX_BLOCK_TOOL_CALL)
		return CTX_SUMMARY_CALL;
	if (block->kind == CTX_BLOCK_TOOL_RESULT || block->result_index != 0)
		return CTX_SUMMARY_RESULT;
	if (message->flags & CTX_MESSAGE_META)
		return CTX_SUMMARY_OTHER;
	return message->role == CTX_ROLE_USER ? CTX_SUMMARY_USER
					      : CTX_SUMMARY_ASSISTANT;
}

/* Sets *text to the text of a block.  The text of media and of reasoning is
 * empty. */
static int
read_block_text(struct ctx_buf *text, const struct ctx_message *message,
    const struct ctx_block *block, struct ctx_err *err)
{
	text->n = 0;
	if (block->payload == 0 || block->kind == CTX_BLOCK_MEDIA ||
	    block->kind == CTX_BLOCK_REASONING ||
	    (block->kind != CTX_BLOCK_TOOL_CALL &&
		message->json->nodes[block->payload].kind != CTX_JSON_STRING))
		return 0;
	return ctx_json_append_text(message->json, block->payload, text, err);
}

/* Appends a block to the input of the user's summarizer, as a line with role,
 * tool name and text. */
static int
add_command_input(struct summary_job *job, const struct ctx_message *message,
    const struct ctx_block *block, struct ctx_str text, struct ctx_err *err)
{
	struct ctx_buf *input = &job->input;
	struct ctx_str name;

	job->name.n = 0;
	if (ctx_block_tool(message->json, block, &job->name, &name, err) < 0)
		return -1;
	if (ctx_buf_printf(input, err, "%s%s", ctx_role_name(message->role),
		block->kind == CTX_BLOCK_TOOL_CALL ? " calls "
		    : block->kind == CTX_BLOCK_TOOL_RESULT && name.n > 0
		    ? " "
		    : "") < 0 ||
	    ctx_buf_add_str(input, name, err) < 0 ||
	    ctx_buf_add(input, ": ", 2, err) < 0 ||
	    ctx_buf_add_str(input, text, err) < 0)
		return -1;
	return ctx_buf_add(input, "\n", 1, err);
}

/* Returns the length in bytes, without JSON escapes, of the text of a block
 * from the offset "at" of the JSON string to its end. */
static size_t
count_rest_bytes(const struct ctx_message *message,
    const struct ctx_block *block, size_t at)
{
	struct ctx_str literal = ctx_json_str(message->json, block->payload);
	size_t n = 0;
	char utf8[4];
	uint32_t cp;

	while (ctx_json_string_next(literal, &at, &cp))
		n += ctx_utf8_put(utf8, cp);
	return n;
}

/* Gives a text of a message to the built-in summarizer. removed: false if the
 * text is kept. */
static int
add_builtin_input(struct summary_job *job, const struct ctx_message *message,
    const struct ctx_block *block, const struct ctx_summary_text *text,
    bool removed, struct ctx_err *err)
{
	const struct ctx_block *result = block->result_index != 0
	    ? &message->blocks[block->result_index - 1]
	    : block;
	struct ctx_summary_text added = *text;

	if (text->kind == CTX_SUMMARY_CALL ||
	    text->kind == CTX_SUMMARY_RESULT) {
		job->name.n = 0;
		if (ctx_block_tool(message->json, result, &job->name,
			&added.tool, err) < 0)
			return -1;
		if (result->id != 0)
			added.id = ctx_json_str(message->json, result->id);
		added.failed =
		    result->is_error || ctx_find_error_line(text->text).n > 0;
		added.succeeded = result->is_success && !added.failed;
	}
	return removed ? ctx_summary_add(job->lines, &added, err)
		       : ctx_summary_keep(job->lines, &added, err);
}

/* Adds a text of a removed message to the input of the built-in summarizer, and
 * to that of the user's command.  A summarizer that is not used gets
 * nothing. */
static int
add_summary_text(struct summary_job *job, const struct ctx_message *message,
    const struct ctx_block *block, enum ctx_summary_kind kind,
    struct ctx_str text, struct ctx_err *err)
{
	const struct ctx_summary_text input = {.kind = kind, .text = text};

	if (text.n == 0)
		return 0;
	if (job->lines != NULL &&
	    add_builtin_input(job, message, block, &input, true, err) < 0)
		return -1;
	if (job->run->options->summarizer.line == NULL)
		return 0;
	return add_command_input(job, message, block, text, err);
}

/* Gives a kept text of a block to the built-in summarizer. */
static int
keep_summary_text(struct summary_job *job, const struct ctx_message *message,
    const struct ctx_block *block, struct ctx_str text, struct ctx_err *err)
{
	const struct ctx_summary_text kept = {.kind = find_summary_kind(message,
						  block),
	    .text = text};

	return add_builtin_input(job, message, block, &kept, false, err);
}

/* Adds the summary of an earlier run, without its prefix, to the input of the
 * new summary.  The earlier summary is at the beginning of job->block, the text
 * of a block.  If removed is true, the whole block is removed, and the user's
 * text after the summary is also added. */
static int
add_earlier_summary(struct summary_job *job, const struct ctx_message *message,
    const struct found_insertion *earlier, bool removed, struct ctx_err *err)
{
	const struct ctx_block *block = &message->blocks[earlier->block];
	size_t prefix = sizeof CTX_SUMMARY_PREFIX - 1;
	size_t suffix = sizeof CTX_SUMMARY_SUFFIX - 1;
	struct ctx_str text = {job->block.p, job->block.n};
	struct ctx_str rest = {NULL, 0};
	size_t rest_n;

	if (earlier->user_text_at != 0) {
		rest_n =
		    count_rest_bytes(message, block, earlier->user_text_at);
		rest = (struct ctx_str){text.p + text.n - rest_n, rest_n};
		text.n -= rest_n + suffix;
	}
	text.p += prefix;
	text.n -= prefix;
	if (add_summary_text(job, message, block, CTX_SUMMARY_EARLIER, text,
		err) < 0)
		return -1;
	if (removed)
		return add_summary_text(job, message, block,
		    find_summary_kind(message, block), rest, err);
	return job->lines == NULL
	    ? 0
	    : keep_summary_text(job, message, block, rest, err);
}

/* Adds block i of a message to the input of the summary. found: where the
 * message has a summary of an earlier run. */
static int
add_summary_block(struct summary_job *job, const struct ctx_message *message,
    size_t i, const struct found_insertion *found, bool removed,
    struct ctx_err *err)
{
	const struct ctx_block *block = &message->blocks[i];
	struct ctx_buf *text = &job->block;
	int rc;

	if (read_block_text(text, message, block, err) < 0)
		return -1;
	if (found->summary && i == found->block &&
	    text->n >= sizeof CTX_SUMMARY_PREFIX - 1)
		rc = add_earlier_summary(job, message, found, removed, err);
	else
		rc = add_summary_text(job, message, block,
		    find_summary_kind(message, block), ctx_buf_str(text), err);
	if (rc == 0)
		ctx_buf_reset(text);
	return rc;
}

/* Gives a kept block of a message to the built-in summarizer. */
static int
keep_summary_block(struct summary_job *job, const struct ctx_message *message,
    const struct ctx_block *block, struct ctx_err *err)
{
	if (read_block_text(&job->block, message, block, err) < 0)
		return -1;
	return keep_summary_text(job, message, block, ctx_buf_str(&job->block),
	    err);
}

/* Adds the removed blocks of a message to the input of the summary.  The
 * built-in summarizer also gets the kept blocks, because it prefers lines with
 * names that occur in kept text. */
static int
add_summary_message(struct summary_job *job, const struct prune_entry *entry,
    const struct ctx_message_edit *edit, struct ctx_err *err)
{
	struct prune *run = job->run;
	const struct ctx_message *message = &run->rewrite.message;
	struct found_insertion found;

	if (entry->held.dialect == NULL)
		return 0;
	if (ctx_prune_reread(run, entry, err) < 0)
		return -1;
	ctx_insertion_find(run->options, message, &found);
	for (size_t i = 0; i < message->n; i++) {
		const struct ctx_block *block = &message->blocks[i];
		bool earlier = found.summary && i == found.block;
		bool result = block->kind == CTX_BLOCK_TOOL_RESULT ||
		    block->result_index != 0;
		unsigned marks = result ? edit->results : edit->rest;

		if ((marks & CTX_MARK_DROP) ||
		    (earlier && (marks & CTX_MARK_DROP_INSERTION))) {
			if (add_summary_block(job, message, i, &found,
				(marks & CTX_MARK_DROP) != 0, err) < 0)
				return -1;
		} else if (job->lines != NULL &&
		    keep_summary_block(job, message, block, err) < 0) {
			return -1;
		}
	}
	return 0;
}

int
ctx_prune_collect_summary_input(struct summary_job *job, struct ctx_err *err)
{
	struct held_conversation *conversation = job->conversation;
	const struct ctx_prune_config *options = job->run->options;
	struct ctx_summary *lines = job->lines;
	const struct prune_entry *entry;
	struct ctx_message_edit edit;
	size_t first = 0;
	uint32_t kept;
	int rc = 0;

	if (options->summarizer.line != NULL &&
	    ctx_buf_printf(&job->input, err, "%s\n\n", options->prompt) < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < conversation->entries->end;
	     first += entry->n_segments, i++) {
		entry = ctx_prune_entry_at(conversation, i);
		(void)ctx_prune_marks(conversation, entry, first, &edit, &kept);
		/* The built-in summarizer does not read demonstrations (example
		 * messages).  It would take their user messages for requests of
		 * the user. */
		if (entry->n_segments > 0 &&
		    (conversation->groups.segments[first].flags &
			CTX_SEGMENT_DEMONSTRATION))
			job->lines = NULL;
		rc = add_summary_message(job, entry, &edit, err);
		job->lines = lines;
	}
	return rc;
}
