/* write_summary.c - one message for what a plan drops */
#include <string.h>

#include "prune/held_conversation.h"

/* Bytes of output that a summarizer may write for each token asked, beside
 * them, and in all. */
enum { BYTES_PER_TOKEN = 64, BYTES_MORE = 4096, MOST_BYTES = 1 << 20 };

/* What is removed and what stays, for either summarizer. */
struct material {
	struct ctx_summary *lines; /* of the built-in one */
	struct ctx_buf text;       /* for a command, its prompt first */
	struct ctx_buf name;       /* scratch */
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

/* The text of a part into p->text; false if it has none to speak of. */
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

/* Adds what a command is told of a part. */
static int
add_block_text(struct material *m, const struct ctx_message *message,
    const struct ctx_block *block, struct ctx_str text, struct ctx_err *err)
{
	struct ctx_str name;

	m->name.n = 0;
	if (ctx_block_tool(message->json, block, &m->name, &name, err) < 0)
		return -1;
	if (ctx_buf_printf(&m->text, err, "%s%s", ctx_role_name(message->role),
		block->kind == CTX_BLOCK_TOOL_CALL ? " calls "
		    : block->kind == CTX_BLOCK_TOOL_RESULT && name.n > 0
		    ? " "
		    : "") < 0 ||
	    ctx_buf_add(&m->text, name.p, name.n, err) < 0 ||
	    ctx_buf_add(&m->text, ": ", 2, err) < 0 ||
	    ctx_buf_add(&m->text, text.p, text.n, err) < 0)
		return -1;
	return ctx_buf_add(&m->text, "\n", 1, err);
}

/* Bytes of the text that a literal has from an offset on. */
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

static int
add_summary_text(struct prune *p, struct material *m,
    const struct ctx_message *message, const struct ctx_block *block,
    enum ctx_summary_kind kind, struct ctx_str text, struct ctx_err *err)
{
	if (text.n == 0)
		return 0;
	if ((m->lines != NULL &&
		ctx_summary_add(m->lines, kind, text.p, text.n, err) < 0) ||
	    (p->options->summarizer != NULL &&
		add_block_text(m, message, block, text, err) < 0))
		return -1;
	return 0;
}

/* Adds a part.  One that is an earlier summary, or begins with one in its
 * string, tells that without its prefix; the user's text after it is told if
 * it goes, too. */
static int
add_summary_block(struct prune *p, struct material *m,
    const struct ctx_message *message, const struct ctx_block *block,
    const struct found_insertion *earlier, bool goes, struct ctx_err *err)
{
	size_t prefix = sizeof CTX_SUMMARY_PREFIX - 1;
	size_t suffix = sizeof CTX_SUMMARY_SUFFIX - 1;
	struct ctx_str text, rest = {NULL, 0};

	if (read_block_text(p, message, block, err) < 0)
		return -1;
	text = (struct ctx_str){p->text.p, p->text.n};
	if (earlier != NULL && text.n >= prefix) {
		if (earlier->end != 0) {
			size_t own =
			    count_rest_bytes(message, block, earlier->end);

			rest = (struct ctx_str){text.p + text.n - own, own};
			text.n -= own + suffix;
		}
		text.p += prefix;
		text.n -= prefix;
		if (add_summary_text(p, m, message, block, CTX_SUMMARY_EARLIER,
			text, err) < 0)
			return -1;
		text = rest;
		if (!goes)
			text.n = 0;
	}
	if (add_summary_text(p, m, message, block,
		find_summary_kind(message, block), text, err) < 0)
		return -1;
	ctx_buf_reset(&p->text);
	return 0;
}

/* Adds what is removed of a message to what is summarized, and shows the rest
 * of it to the built-in summarizer. */
static int
add_summary_message(struct prune *p, struct material *m,
    const struct held_message *held, const struct ctx_message_edit *edit,
    struct ctx_err *err)
{
	const struct ctx_message *message = &p->view;
	struct found_insertion found;
	size_t i;

	if (held->dialect == NULL)
		return 0;
	if (ctx_prune_reread(p, held, err) < 0)
		return -1;
	ctx_insertion_find(p->options, held->dialect, message, &found);
	for (i = 0; i < message->n; i++) {
		const struct ctx_block *block = &message->blocks[i];
		bool earlier = found.summary && i == found.part;
		bool result = block->kind == CTX_BLOCK_TOOL_RESULT ||
		    block->result_index != 0;
		unsigned marks = result ? edit->results : edit->rest;

		if ((marks & CTX_MARK_DROP) ||
		    (earlier && (marks & CTX_MARK_FOLD))) {
			if (add_summary_block(p, m, message, block,
				earlier ? &found : NULL,
				(marks & CTX_MARK_DROP) != 0, err) < 0)
				return -1;
		} else if (m->lines != NULL) {
			if (read_block_text(p, message, block, err) < 0 ||
			    ctx_summary_later(m->lines, p->text.p, p->text.n,
				err) < 0)
				return -1;
		}
	}
	return 0;
}

static int
gather_material(struct prune *p, struct held_conversation *conversation,
    struct material *m, struct ctx_err *err)
{
	struct ctx_summary *lines = m->lines;
	struct ctx_message_edit edit;
	size_t i, item = 0;
	uint32_t kept;
	int rc = 0;

	if (p->options->summarizer != NULL &&
	    ctx_buf_printf(&m->text, err, "%s\n\n", p->options->prompt) < 0)
		return -1;
	for (i = 0; rc == 0 && i < conversation->n;
	     item += conversation->messages[i].items, i++) {
		(void)ctx_prune_marks(conversation, &conversation->messages[i],
		    item, &edit, &kept);
		/* The built-in summary would take what a demonstration says for
		 * what the user asked. */
		if (conversation->messages[i].items > 0 &&
		    (conversation->groups.segments[item].flags &
			CTX_SEGMENT_DEMONSTRATION))
			m->lines = NULL;
		rc = add_summary_message(p, m, &conversation->messages[i],
		    &edit, err);
		m->lines = lines;
	}
	return rc;
}

/* What is read of a command that was asked for so many tokens. */
static size_t
find_output_limit(uint64_t tokens)
{
	if (tokens > (MOST_BYTES - BYTES_MORE) / BYTES_PER_TOKEN)
		return MOST_BYTES;
	return (size_t)tokens * BYTES_PER_TOKEN + BYTES_MORE;
}

/* Cuts off what the summary says from the mark of its end on: the text after
 * that would be taken for the user's. */
static void
cut_at_suffix(struct ctx_buf *out)
{
	static const char suffix[] = CTX_SUMMARY_SUFFIX;
	size_t n = sizeof suffix - 1, i;

	for (i = 0; i + n <= out->n; i++)
		if (memcmp(out->p + i, suffix, n) == 0)
			out->n = i;
}

/* Asks the command; what it says beyond the bound is cut off. */
static int
run_summarizer(struct prune *p, struct held_conversation *conversation,
    const struct material *m, uint64_t room, struct ctx_buf *out,
    struct ctx_err *err)
{
	const struct ctx_prune_options *o = p->options;
	struct ctx_command exec = {.command = o->summarizer,
	    .input = {m->text.p, m->text.n},
	    .limit = find_output_limit(o->summary_tokens),
	    .seconds = o->timeout};
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
	if (ctx_token_head(conversation->model_counter.counter->tokens, out->p,
		out->n, room, &at, &tokens, err) < 0)
		return -1;
	out->n = at;
	return 0;
}

static int
write_summary(struct prune *p, struct held_conversation *conversation,
    struct material *m, uint64_t room, struct ctx_buf *out, struct ctx_err *err)
{
	const struct ctx_prune_options *o = p->options;

	if (o->summarizer != NULL) {
		if (run_summarizer(p, conversation, m, room, out, err) == 0)
			return 0;
		if (!o->or_builtin || err->code == CTX_ENOMEM)
			return -1;
		out->n = 0;
	}
	return ctx_summary_write(m->lines,
	    conversation->model_counter.counter->tokens, room, out, err);
}

/* ---- what goes, and where its summary stands ---- */

/* What the plan drops. */
struct drops {
	const struct ctx_dialect
	    *dialect; /* of what is removed; NULL: nothing */
	uint64_t tokens;
};

/* Earlier summaries alone are no reason to make another. */
static struct drops
find_drops(const struct held_conversation *conversation)
{
	const struct ctx_segment *segments = conversation->groups.segments;
	const unsigned char *marks = conversation->plan.marks;
	struct drops drops = {NULL, 0};
	size_t i, j, item = 0;

	for (i = 0; i < conversation->n; i++)
		for (j = 0; j < conversation->messages[i].items; j++, item++) {
			/* What two pieces of a message share goes with the
			 * last of them. */
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

/* Has the earlier summaries that are parts of what stays folded in. */
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

/* Where it stands as a message: after what leads, system messages and what
 * stands for the past of a transcript; before a system message whose place is
 * between the user and the assistant. */
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

/* Where it stands as a part: in the first user message that opens a turn.
 * Returns 1, or 0 if no such message is kept. */
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
			    ctx_insertion_fits(
				conversation->messages[i].dialect, &p->view))
				return 1;
		}
	return 0;
}

/* Where a summary stands, and whether as a part of the message there. */
struct summary_place {
	size_t entry;
	bool part;
};

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

/* What a summary of this text costs at its place. */
static int
count_summary_cost(struct prune *p, struct held_conversation *conversation,
    const struct summary_place *place, struct ctx_str text, uint64_t *tokens,
    struct ctx_err *err)
{
	const struct held_message *held = &conversation->messages[place->entry];
	enum insertion_form form = place->part ? NOTE_BLOCK : NOTE_MESSAGE;
	struct ctx_str string = {NULL, 0};

	if (place->part) {
		if (ctx_prune_reread(p, held, err) < 0)
			return -1;
		string = ctx_insertion_string(p, held->dialect, &p->view);
	}
	if (string.n > 0)
		form = NOTE_STRING;
	return ctx_insertion_cost(p, conversation->model_counter.counter,
	    held->dialect, form, true, text, string, tokens, err);
}

/* The most tokens that its text may have: as asked, and no more than the
 * budget leaves; 0 if it leaves none. */
static int
find_room(struct prune *p, struct held_conversation *conversation,
    const struct summary_place *place, uint64_t *room, struct ctx_err *err)
{
	struct ctx_str text = {CTX_SUMMARY_PREFIX,
	    sizeof CTX_SUMMARY_PREFIX - 1};
	const struct ctx_plan *plan = &conversation->plan;
	uint64_t frame, left = 0;

	if (count_summary_cost(p, conversation, place, text, &frame, err) < 0)
		return -1;
	if (plan->settings.budget > plan->after + frame)
		left = plan->settings.budget - plan->after - frame;
	if (left > p->options->summary_tokens)
		left = p->options->summary_tokens;
	*room =
	    ctx_tokens_to_encoding(conversation->model_counter.counter, left);
	return 0;
}

/* The whole of the summary, until p->text changes, and what it costs. */
static int
compose_summary(struct prune *p, struct held_conversation *conversation,
    const struct summary_place *place, const struct ctx_buf *text,
    struct ctx_str *all, uint64_t *tokens, struct ctx_err *err)
{
	p->text.n = 0;
	if (ctx_buf_add(&p->text, CTX_SUMMARY_PREFIX,
		sizeof CTX_SUMMARY_PREFIX - 1, err) < 0 ||
	    ctx_buf_add(&p->text, text->p, text->n, err) < 0)
		return -1;
	*all = (struct ctx_str){p->text.p, p->text.n};
	return count_summary_cost(p, conversation, place, *all, tokens, err);
}

/* The same, with the text cut if it costs more after its prefix than by
 * itself, and so more than there is room for. */
static int
compose_within(struct prune *p, struct held_conversation *conversation,
    const struct summary_place *place, uint64_t room, struct ctx_buf *text,
    struct ctx_str *all, uint64_t *tokens, struct ctx_err *err)
{
	uint64_t budget = conversation->plan.settings.budget, over;

	if (compose_summary(p, conversation, place, text, all, tokens, err) < 0)
		return -1;
	if (text->n == 0 || conversation->plan.after + *tokens <= budget)
		return 0;
	over = conversation->plan.after + *tokens - budget;
	if (ctx_token_head(conversation->model_counter.counter->tokens, text->p,
		text->n, room > over ? room - over : 0, &text->n, tokens,
		err) < 0)
		return -1;
	return compose_summary(p, conversation, place, text, all, tokens, err);
}

/* Puts the summary in, unless there is no room for it, or it costs as much
 * as what it stands for. */
static int
insert_summary(struct prune *p, struct held_conversation *conversation,
    const struct summary_place *place, const struct drops *drops, uint64_t room,
    struct ctx_buf *text, struct ctx_err *err)
{
	struct ctx_plan *plan = &conversation->plan;
	uint64_t tokens, whole = plan->after + drops->tokens;
	struct ctx_str all;

	if (compose_within(p, conversation, place, room, text, &all, &tokens,
		err) < 0)
		return -1;
	if (text->n > 0 && tokens < drops->tokens &&
	    plan->after + tokens <= plan->settings.budget) {
		plan->after += tokens;
		return ctx_insertion_add(conversation, place->entry,
		    place->part, true, all, tokens, err);
	}
	/* What must be removed to meet the budget goes without one. */
	if (whole <= plan->settings.budget)
		ctx_plan_take_back(&conversation->plan, &conversation->groups);
	return 0;
}

/* Writes the summary into text and puts it in. */
static int
make_summary(struct prune *p, struct held_conversation *conversation,
    const struct summary_place *place, const struct drops *drops,
    struct ctx_buf *text, struct material *m, struct ctx_err *err)
{
	uint64_t room;

	if (find_room(p, conversation, place, &room, err) < 0)
		return -1;
	if (room > 0 &&
	    (ctx_summary_open(&m->lines, err) < 0 ||
		gather_material(p, conversation, m, err) < 0 ||
		write_summary(p, conversation, m, room, text, err) < 0))
		return -1;
	return insert_summary(p, conversation, place, drops, room, text, err);
}

int
ctx_prune_summarize(struct prune *p, struct held_conversation *conversation,
    struct ctx_err *err)
{
	struct drops drops = find_drops(conversation);
	struct material m = {0};
	struct ctx_buf text = {0};
	struct summary_place place = {0, false};
	int rc;

	if (drops.dialect == NULL) {
		ctx_plan_take_back(&conversation->plan, &conversation->groups);
		return 0;
	}
	fold_summaries(conversation, &drops);
	if (find_place(p, conversation, drops.dialect, &place, err) < 0)
		return -1;
	rc = make_summary(p, conversation, &place, &drops, &text, &m, err);
	ctx_summary_close(m.lines);
	ctx_buf_release(&m.text);
	ctx_buf_release(&m.name);
	ctx_buf_release(&text);
	return rc;
}
