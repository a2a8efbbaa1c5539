/* write_summary.c - a summary of the messages that a plan removes */
#include <string.h>

#include "prune/held_conversation.h"

/* A summarizer asked for n tokens may write n * BYTES_PER_TOKEN + BYTES_MORE
 * bytes, and at most MOST_BYTES. */
enum { BYTES_PER_TOKEN = 64, BYTES_MORE = 4096, MOST_BYTES = 1 << 20 };

/* What the plan removes. */
struct drops {
	const struct ctx_dialect
	    *dialect; /* of the last message removed; NULL: none is */
	uint64_t tokens;
};

/* Where a summary is inserted. */
struct summary_place {
	size_t entry; /* index of the held message */
	bool part; /* true: as a block of it; false: as a message before it */
};

/* A summary that is being written. */
struct summarizing {
	struct prune *p;
	struct held_conversation *conversation;
	struct drops drops;
	struct summary_place place;
	struct ctx_summary *lines; /* of the built-in summarizer */
	struct ctx_buf input; /* for a summarizer command: prompt, blocks */
	struct ctx_buf name;  /* scratch */
	struct ctx_buf text;  /* the summary, without its prefix */
	uint64_t room;        /* maximum tokens of text, in the encoding */
};

static enum ctx_summary_kind
find_summary_kind(const struct ctx_message *message,
    const struct ctx_block *block)
{
	if (block->kind == CTX_BLOCK_TOOL_CALL)
		return CTX_SUMMARY_CALL;
	if (block->kind == CTX_BLOCK_TOOL_RESULT || block->result_index != 0)
		return CTX_SUMMARY_RESULT;
	return message->role == CTX_ROLE_USER ? CTX_SUMMARY_USER
					      : CTX_SUMMARY_ASSISTANT;
}

/* Sets p->text to the text of a block; empty for media and reasoning. */
static int
read_block_text(struct prune *p, const struct ctx_message *message,
    const struct ctx_block *block, struct ctx_err *err)
{
	p->text.n = 0;
	if (block->payload == 0 || block->kind == CTX_BLOCK_MEDIA ||
	    block->kind == CTX_BLOCK_REASONING)
		return 0;
	if (message->json->nodes[block->payload].kind == CTX_JSON_STRING)
		return ctx_json_string_decode(&p->text,
		    ctx_json_str(message->json, block->payload), err);
	if (block->kind == CTX_BLOCK_TOOL_CALL) {
		struct ctx_str raw =
		    ctx_json_str(message->json, block->payload);

		return ctx_buf_add(&p->text, raw.p, raw.n, err);
	}
	return 0;
}

/* Appends a block to the input of the summarizer command: who speaks, the tool
 * and the text, as one paragraph. */
static int
add_command_input(struct summarizing *job, const struct ctx_message *message,
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
	    ctx_buf_add(input, name.p, name.n, err) < 0 ||
	    ctx_buf_add(input, ": ", 2, err) < 0 ||
	    ctx_buf_add(input, text.p, text.n, err) < 0)
		return -1;
	return ctx_buf_add(input, "\n", 1, err);
}

/* Returns the UTF-8 bytes of a block's text that begins at byte at of its JSON
 * string. */
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

/* Adds a text of a removed block to what is summarized. */
static int
add_summary_text(struct summarizing *job, const struct ctx_message *message,
    const struct ctx_block *block, enum ctx_summary_kind kind,
    struct ctx_str text, struct ctx_err *err)
{
	if (text.n == 0)
		return 0;
	if (job->lines != NULL &&
	    ctx_summary_add(job->lines, kind, text.p, text.n, err) < 0)
		return -1;
	if (job->p->options->summarizer == NULL)
		return 0;
	return add_command_input(job, message, block, text, err);
}

/*
 * Adds an earlier summary, which is a block or begins the string of one,
 * without its prefix.  With removed the block is removed, so the user's text
 * after the summary is added, too.
 */
static int
add_earlier_summary(struct summarizing *job, const struct ctx_message *message,
    const struct found_insertion *earlier, bool removed, struct ctx_err *err)
{
	const struct ctx_block *block = &message->blocks[earlier->part];
	size_t prefix = sizeof CTX_SUMMARY_PREFIX - 1;
	size_t suffix = sizeof CTX_SUMMARY_SUFFIX - 1;
	struct ctx_str text = {job->p->text.p, job->p->text.n};
	struct ctx_str rest = {NULL, 0};
	size_t own;

	if (earlier->end != 0) {
		own = count_rest_bytes(message, block, earlier->end);
		rest = (struct ctx_str){text.p + text.n - own, own};
		text.n -= own + suffix;
	}
	text.p += prefix;
	text.n -= prefix;
	if (add_summary_text(job, message, block, CTX_SUMMARY_EARLIER, text,
		err) < 0)
		return -1;
	if (!removed)
		rest.n = 0;
	return add_summary_text(job, message, block,
	    find_summary_kind(message, block), rest, err);
}

/* Adds block i to what is summarized.  found is the earlier summary in the
 * message; it is this block if found->part is i. */
static int
add_summary_block(struct summarizing *job, const struct ctx_message *message,
    size_t i, const struct found_insertion *found, bool removed,
    struct ctx_err *err)
{
	const struct ctx_block *block = &message->blocks[i];
	struct ctx_buf *text = &job->p->text;
	int rc;

	if (read_block_text(job->p, message, block, err) < 0)
		return -1;
	if (found->summary && i == found->part &&
	    text->n >= sizeof CTX_SUMMARY_PREFIX - 1)
		rc = add_earlier_summary(job, message, found, removed, err);
	else
		rc = add_summary_text(job, message, block,
		    find_summary_kind(message, block),
		    (struct ctx_str){text->p, text->n}, err);
	if (rc == 0)
		ctx_buf_reset(text);
	return rc;
}

/* Adds the removed blocks of a message to what is summarized.  Its other blocks
 * are shown to the built-in summarizer, which leaves out what they repeat. */
static int
add_summary_message(struct summarizing *job, const struct held_message *held,
    const struct ctx_message_edit *edit, struct ctx_err *err)
{
	struct prune *p = job->p;
	const struct ctx_message *message = &p->view;
	struct found_insertion found;
	size_t i;

	if (held->dialect == NULL)
		return 0;
	if (ctx_prune_reread(p, held, err) < 0)
		return -1;
	ctx_insertion_find(p->options, message, &found);
	for (i = 0; i < message->n; i++) {
		const struct ctx_block *block = &message->blocks[i];
		bool earlier = found.summary && i == found.part;
		bool result = block->kind == CTX_BLOCK_TOOL_RESULT ||
		    block->result_index != 0;
		unsigned marks = result ? edit->results : edit->rest;

		if ((marks & CTX_MARK_DROP) ||
		    (earlier && (marks & CTX_MARK_FOLD))) {
			if (add_summary_block(job, message, i, &found,
				(marks & CTX_MARK_DROP) != 0, err) < 0)
				return -1;
		} else if (job->lines != NULL) {
			if (read_block_text(p, message, block, err) < 0 ||
			    ctx_summary_later(job->lines, p->text.p, p->text.n,
				err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Adds all messages to what is summarized. */
static int
add_all_messages(struct summarizing *job, struct ctx_err *err)
{
	struct held_conversation *conversation = job->conversation;
	const struct ctx_prune_options *options = job->p->options;
	struct ctx_summary *lines = job->lines;
	struct held_message *held = conversation->messages;
	struct ctx_message_edit edit;
	size_t i, first = 0;
	uint32_t kept;
	int rc = 0;

	if (options->summarizer != NULL &&
	    ctx_buf_printf(&job->input, err, "%s\n\n", options->prompt) < 0)
		return -1;
	for (i = 0; rc == 0 && i < conversation->n;
	     first += held[i].items, i++) {
		(void)ctx_prune_marks(conversation, &held[i], first, &edit,
		    &kept);
		/* The built-in summarizer gets no demonstrations, since it
		 * would take their user messages for requests of the user. */
		if (held[i].items > 0 &&
		    (conversation->groups.segments[first].flags &
			CTX_SEGMENT_DEMONSTRATION))
			job->lines = NULL;
		rc = add_summary_message(job, &held[i], &edit, err);
		job->lines = lines;
	}
	return rc;
}

/* Returns the maximum bytes that are read of a summarizer asked for so many
 * tokens. */
static size_t
find_output_limit(uint64_t tokens)
{
	if (tokens > (MOST_BYTES - BYTES_MORE) / BYTES_PER_TOKEN)
		return MOST_BYTES;
	return (size_t)tokens * BYTES_PER_TOKEN + BYTES_MORE;
}

/* Removes the mark of the summary's end from the summary, and what follows it:
 * the text after the mark would be read as the user's. */
static void
cut_at_suffix(struct ctx_buf *out)
{
	static const char suffix[] = CTX_SUMMARY_SUFFIX;
	size_t n = sizeof suffix - 1, i;

	for (i = 0; i + n <= out->n; i++)
		if (memcmp(out->p + i, suffix, n) == 0)
			out->n = i;
}

static int
run_summarizer(struct summarizing *job, struct ctx_err *err)
{
	const struct ctx_prune_options *o = job->p->options;
	struct ctx_command exec = {.command = o->summarizer,
	    .input = {job->input.p, job->input.n},
	    .limit = find_output_limit(o->summary_tokens),
	    .seconds = o->timeout};
	struct ctx_buf *out = &job->text;
	uint64_t tokens;
	size_t at = 0;

	if (ctx_run_command(&exec, out, err) < 0)
		return -1;
	while (out->n > 0 && strchr(" \t\r\n", out->p[out->n - 1]) != NULL &&
	    out->p[out->n - 1] != '\0')
		out->n--;
	if (out->n == 0)
		return ctx_err_set(err, CTX_EARG, "'%.80s' wrote nothing",
		    o->summarizer);
	cut_at_suffix(out);
	if (ctx_token_head(job->conversation->model_counter.counter->tokens,
		out->p, out->n, job->room, &at, &tokens, err) < 0)
		return -1;
	out->n = at;
	return 0;
}

/* Sets job->text to the summary, of at most job->room tokens. */
static int
write_summary(struct summarizing *job, struct ctx_err *err)
{
	const struct ctx_prune_options *o = job->p->options;

	if (o->summarizer != NULL) {
		if (run_summarizer(job, err) == 0)
			return 0;
		if (!o->or_builtin || err->code == CTX_ENOMEM)
			return -1;
		job->text.n = 0;
	}
	return ctx_summary_write(job->lines,
	    job->conversation->model_counter.counter->tokens, job->room,
	    &job->text, err);
}

/* ---- what is removed, and where its summary is inserted ---- */

/* Returns what the plan removes.  dialect stays NULL if only earlier summaries
 * are removed: they alone are no reason to write another. */
static struct drops
find_drops(const struct held_conversation *conversation)
{
	const struct ctx_segment *segments = conversation->groups.segments;
	const unsigned char *marks = conversation->plan.marks;
	struct drops drops = {NULL, 0};
	size_t i, j, item = 0;

	for (i = 0; i < conversation->n; i++)
		for (j = 0; j < conversation->messages[i].items; j++, item++) {
			/* Tokens that two segments of a message share are
			 * removed only with both. */
			if (item + 1 < conversation->groups.n &&
			    segments[item].message ==
				segments[item + 1].message &&
			    ((marks[item] | marks[item + 1]) & CTX_MARK_DROP))
				drops.tokens -= segments[item].shared_tokens;
			if (!(marks[item] & CTX_MARK_DROP))
				continue;
			drops.tokens += segments[item].tokens;
			if (!(segments[item].flags & CTX_SEGMENT_SUMMARY))
				drops.dialect =
				    conversation->messages[i].dialect;
		}
	return drops;
}

/* Marks the earlier summaries in messages that are kept: the new summary takes
 * them in. */
static void
fold_summaries(struct held_conversation *conversation, struct drops *drops)
{
	size_t i;

	for (i = 0; i < conversation->groups.n; i++) {
		const struct ctx_segment *segment =
		    &conversation->groups.segments[i];

		if (!(segment->flags & CTX_SEGMENT_WITH_SUMMARY) ||
		    (conversation->plan.marks[i] & CTX_MARK_DROP))
			continue;
		conversation->plan.marks[i] |= CTX_MARK_FOLD;
		drops->tokens += segment->inserted_tokens;
	}
	ctx_plan_total(&conversation->plan, &conversation->groups);
}

/* Sets *place to the message before which a summary is inserted as a message:
 * the first that is neither a system message (unless the dialect has system
 * messages between others) nor a compaction summary of a transcript. */
static int
find_message_place(const struct held_conversation *conversation,
    const struct ctx_dialect *dialect, size_t *place, struct ctx_err *err)
{
	unsigned leads =
	    CTX_SEGMENT_SYSTEM | CTX_SEGMENT_UNKNOWN | CTX_SEGMENT_COMPACTED;
	size_t i, item = 0;
	bool system = false;

	if (dialect->rules & CTX_SYSTEM_BETWEEN)
		leads &= ~(unsigned)CTX_SEGMENT_SYSTEM;
	for (i = 0; i < conversation->n;
	     item += conversation->messages[i].items, i++) {
		const struct ctx_segment *one =
		    &conversation->groups.segments[item];

		if (conversation->messages[i].gone ||
		    (conversation->plan.marks[item] & CTX_MARK_DROP))
			continue;
		system |= one->role == CTX_ROLE_SYSTEM;
		if (!(one->flags & leads))
			break;
	}
	*place = i;
	if (i == conversation->n ||
	    (system && (dialect->rules & CTX_ONE_SYSTEM)))
		return ctx_err_set(err, CTX_EARG,
		    "no summary can stand in it, a conversation of dialect %s "
		    "with a system message",
		    dialect->name);
	return 0;
}

/* Sets *place to the message that a summary becomes a block of: the first user
 * message that opens a turn.  Returns 1; 0 if no such message is kept; -1 with
 * *err. */
static int
find_block_place(struct prune *p, const struct held_conversation *conversation,
    size_t *place, struct ctx_err *err)
{
	size_t i, j, item = 0;

	for (i = 0; i < conversation->n; i++)
		for (j = 0; j < conversation->messages[i].items; j++, item++) {
			if (!(conversation->groups.segments[item].flags &
				CTX_SEGMENT_USER) ||
			    (conversation->plan.marks[item] & CTX_MARK_DROP))
				continue;
			if (ctx_prune_reread(p, &conversation->messages[i],
				err) < 0)
				return -1;
			*place = i;
			if (conversation->messages[i].dialect->note_part !=
				NULL &&
			    ctx_insertion_fits(&p->view))
				return 1;
		}
	return 0;
}

/* Finds where a summary for a conversation of this dialect is inserted. */
static int
find_place(struct prune *p, const struct held_conversation *conversation,
    const struct ctx_dialect *dialect, struct summary_place *place,
    struct ctx_err *err)
{
	const struct ctx_dialect *there;
	int rc = 0;

	if (dialect->note_part != NULL)
		rc = find_block_place(p, conversation, &place->entry, err);
	if (rc < 0)
		return -1;
	place->part = rc > 0;
	if (place->part)
		return 0;
	if (dialect->summary == NULL)
		return ctx_err_set(err, CTX_EARG,
		    "no summary can stand in it, a conversation of dialect %s "
		    "without a user message",
		    dialect->name);
	if (find_message_place(conversation, dialect, &place->entry, err) < 0)
		return -1;
	there = conversation->messages[place->entry].dialect;
	if (there->summary != NULL)
		return 0;
	return ctx_err_set(err, CTX_EARG,
	    "no summary can stand in it, before a message of dialect %s",
	    there->name);
}

/* Sets *tokens to what a summary of this text costs at its place. */
static int
count_summary_cost(struct summarizing *job, struct ctx_str text,
    uint64_t *tokens, struct ctx_err *err)
{
	const struct held_message *held =
	    &job->conversation->messages[job->place.entry];
	struct insertion_content content = {.form = NOTE_MESSAGE,
	    .summary = true,
	    .text = text};

	if (job->place.part) {
		if (ctx_prune_reread(job->p, held, err) < 0)
			return -1;
		content.string = ctx_insertion_string(job->p, &job->p->view);
		content.form = content.string.n > 0 ? NOTE_STRING : NOTE_BLOCK;
	}
	return ctx_insertion_cost(job->p,
	    job->conversation->model_counter.counter, held->dialect, &content,
	    tokens, err);
}

/* Sets job->room: the tokens that the user asked for, but no more than the
 * budget leaves; 0 if it leaves none. */
static int
find_room(struct summarizing *job, struct ctx_err *err)
{
	struct ctx_str prefix = {CTX_SUMMARY_PREFIX,
	    sizeof CTX_SUMMARY_PREFIX - 1};
	const struct ctx_plan *plan = &job->conversation->plan;
	uint64_t frame, left = 0;

	if (count_summary_cost(job, prefix, &frame, err) < 0)
		return -1;
	if (plan->settings.budget > plan->after + frame)
		left = plan->settings.budget - plan->after - frame;
	if (left > job->p->options->summary_tokens)
		left = job->p->options->summary_tokens;
	job->room =
	    ctx_tokens_to_encoding(job->conversation->model_counter.counter,
		left);
	return 0;
}

/* Sets *all to the summary with its prefix, valid until p->text changes, and
 * *tokens to what it costs. */
static int
compose_summary(struct summarizing *job, struct ctx_str *all, uint64_t *tokens,
    struct ctx_err *err)
{
	struct ctx_buf *out = &job->p->text;

	out->n = 0;
	if (ctx_buf_add(out, CTX_SUMMARY_PREFIX, sizeof CTX_SUMMARY_PREFIX - 1,
		err) < 0 ||
	    ctx_buf_add(out, job->text.p, job->text.n, err) < 0)
		return -1;
	*all = (struct ctx_str){out->p, out->n};
	return count_summary_cost(job, *all, tokens, err);
}

/* Like compose_summary, but shortens the text if the summary exceeds the
 * budget: after its prefix, a text may have more tokens than alone. */
static int
compose_within(struct summarizing *job, struct ctx_str *all, uint64_t *tokens,
    struct ctx_err *err)
{
	const struct ctx_plan *plan = &job->conversation->plan;
	uint64_t budget = plan->settings.budget, over;
	struct ctx_buf *text = &job->text;

	if (compose_summary(job, all, tokens, err) < 0)
		return -1;
	if (text->n == 0 || plan->after + *tokens <= budget)
		return 0;
	over = plan->after + *tokens - budget;
	if (ctx_token_head(job->conversation->model_counter.counter->tokens,
		text->p, text->n, job->room > over ? job->room - over : 0,
		&text->n, tokens, err) < 0)
		return -1;
	return compose_summary(job, all, tokens, err);
}

/* Inserts the summary, unless there is no room for it, or it costs as many
 * tokens as the messages that it replaces. */
static int
insert_summary(struct summarizing *job, struct ctx_err *err)
{
	struct ctx_plan *plan = &job->conversation->plan;
	struct insertion_content content = {.form = job->place.part
		? NOTE_BLOCK
		: NOTE_MESSAGE,
	    .summary = true};
	uint64_t tokens, whole = plan->after + job->drops.tokens;

	if (compose_within(job, &content.text, &tokens, err) < 0)
		return -1;
	if (job->text.n > 0 && tokens < job->drops.tokens &&
	    plan->after + tokens <= plan->settings.budget) {
		plan->after += tokens;
		return ctx_insertion_add(job->conversation, job->place.entry,
		    &content, tokens, err);
	}
	/* If the budget is met only by removals, they are made without a
	 * summary; else nothing is removed. */
	if (whole <= plan->settings.budget)
		ctx_plan_take_back(plan, &job->conversation->groups);
	return 0;
}

/* Writes the summary and inserts it. */
static int
make_summary(struct summarizing *job, struct ctx_err *err)
{
	if (find_room(job, err) < 0)
		return -1;
	if (job->room > 0 &&
	    (ctx_summary_open(&job->lines, err) < 0 ||
		add_all_messages(job, err) < 0 || write_summary(job, err) < 0))
		return -1;
	return insert_summary(job, err);
}

int
ctx_prune_summarize(struct prune *p, struct held_conversation *conversation,
    struct ctx_err *err)
{
	struct summarizing job = {.p = p,
	    .conversation = conversation,
	    .drops = find_drops(conversation)};
	int rc;

	if (job.drops.dialect == NULL) {
		ctx_plan_take_back(&conversation->plan, &conversation->groups);
		return 0;
	}
	fold_summaries(conversation, &job.drops);
	if (find_place(p, conversation, job.drops.dialect, &job.place, err) < 0)
		return -1;
	rc = make_summary(&job, err);
	ctx_summary_close(job.lines);
	ctx_buf_release(&job.input);
	ctx_buf_release(&job.name);
	ctx_buf_release(&job.text);
	return rc;
}
