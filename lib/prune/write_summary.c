/* write_summary.c - makes a summary of the removed messages, and inserts it */
#include <string.h>

#include "prune/write_summary.h"

/* A summarizer that is asked for n tokens may write at most n * BYTES_PER_TOKEN
 * + BYTES_MORE bytes, and never more than MOST_BYTES. */
enum { BYTES_PER_TOKEN = 64, BYTES_MORE = 4096, MOST_BYTES = 1 << 20 };

/* If the built-in summary leaves more than 1/UNUSED_SHARE of the target unused,
 * more messages are kept and a new summary is written, at most ROUNDS times. */
enum { UNUSED_SHARE = 64, ROUNDS = 3 };

/* find_least_tokens returns at most 1/LEAST_SHARE of the target. */
enum { LEAST_SHARE = 4 };

/* Returns the maximum length in bytes of a summarizer's output. tokens: number
 * of tokens for which the summarizer is asked. */
static size_t
find_output_limit(uint64_t tokens)
{
	if (tokens > (MOST_BYTES - BYTES_MORE) / BYTES_PER_TOKEN)
		return MOST_BYTES;
	return (size_t)tokens * BYTES_PER_TOKEN + BYTES_MORE;
}

/* Removes CTX_SUMMARY_SUFFIX and everything after it from the output of a
 * summarizer. ctx writes this text after a summary, so a later run would take
 * everything after it for a text of the user. */
static void
cut_at_suffix(struct ctx_buf *out)
{
	static const char suffix[] = CTX_SUMMARY_SUFFIX;
	size_t n = sizeof suffix - 1;

	for (size_t i = 0; i + n <= out->n; i++)
		if (memcmp(out->p + i, suffix, n) == 0)
			out->n = i;
}

static int
run_summarizer(struct summary_job *job, struct ctx_err *err)
{
	const struct ctx_prune_config *o = job->run->options;
	struct ctx_str input = {job->input.p, job->input.n};
	struct ctx_buf *out = &job->text;
	uint64_t tokens;
	size_t at = 0;

	if (ctx_run_command(&o->summarizer, input,
		find_output_limit(
		    job->conversation->plan.settings.summary_tokens),
		out, err) < 0)
		return -1;
	while (out->n > 0 && strchr(" \t\r\n", out->p[out->n - 1]) != NULL &&
	    out->p[out->n - 1] != '\0')
		out->n--;
	if (out->n == 0)
		return ctx_err_set(err, CTX_EARG, "'%.80s' wrote no summary",
		    o->summarizer.line);
	cut_at_suffix(out);
	if (ctx_token_head(job->conversation->model_counter.counter->tokens,
		ctx_buf_str(out), job->max_tokens, &at, &tokens, err) < 0)
		return -1;
	out->n = at;
	return 0;
}

/* Writes a summary of the removed messages to job->text, with at most
 * job->max_tokens tokens.  If the user's command fails, the built-in summarizer
 * is used if the settings allow this. */
static int
write_summary(struct summary_job *job, struct ctx_err *err)
{
	const struct ctx_prune_config *o = job->run->options;

	if (o->summarizer.line != NULL) {
		if (run_summarizer(job, err) == 0)
			return 0;
		if (!o->or_builtin || err->code == CTX_ENOMEM)
			return -1;
		job->text.n = 0;
	}
	return ctx_summary_write(job->lines,
	    job->conversation->model_counter.counter->tokens, job->max_tokens,
	    &job->text, err);
}

/* ---- which messages are removed, and where the summary is inserted ---- */

/* Returns the number of removed tokens, and the dialect (format) of the removed
 * messages.  The dialect is NULL if only summaries of earlier runs are removed;
 * a new summary is then not needed. */
static struct removal
find_removal(const struct held_conversation *conversation)
{
	const struct ctx_segment *segments = conversation->groups.segments;
	const unsigned char *marks = conversation->plan.marks;
	struct removal removal = {0};
	size_t k = 0;

	for (size_t i = 0; i < conversation->entries->end; i++)
		for (size_t j = 0;
		     j < ctx_prune_entry_at(conversation, i)->n_segments;
		     j++, k++) {
			/* If a message has two segments (parts), both count the
			 * tokens of the message's role.  If at least one
			 * segment is removed, these tokens are subtracted once:
			 * they are saved only if both segments are removed, and
			 * then only once. */
			if (k + 1 < conversation->groups.n &&
			    segments[k].message == segments[k + 1].message &&
			    ((marks[k] | marks[k + 1]) & CTX_MARK_DROP))
				removal.tokens -= segments[k].shared_tokens;
			if (!(marks[k] & CTX_MARK_DROP))
				continue;
			removal.tokens += segments[k].tokens;
			if (segments[k].flags & CTX_SEGMENT_SUMMARY)
				removal.earlier += segments[k].tokens;
			else
				removal.dialect =
				    ctx_prune_entry_at(conversation, i)
					->held.dialect;
			if (segments[k].flags & CTX_SEGMENT_WITH_SUMMARY)
				removal.earlier += segments[k].inserted_tokens;
		}
	return removal;
}

/* If a kept message contains a summary of an earlier run, marks this earlier
 * summary for removal, because the new summary includes it. */
static void
replace_summaries(struct held_conversation *conversation,
    struct removal *removal)
{
	for (size_t i = 0; i < conversation->groups.n; i++) {
		const struct ctx_segment *segment =
		    &conversation->groups.segments[i];

		if (!(segment->flags & CTX_SEGMENT_WITH_SUMMARY) ||
		    (conversation->plan.marks[i] & CTX_MARK_DROP))
			continue;
		conversation->plan.marks[i] |= CTX_MARK_DROP_INSERTION;
		removal->tokens += segment->inserted_tokens;
		removal->earlier += segment->inserted_tokens;
	}
	ctx_plan_total(&conversation->plan);
}

/* Sets *tokens to the number of tokens that the conversation would gain if a
 * summary with this text was inserted. */
static int
count_summary_cost(struct summary_job *job, struct ctx_str text,
    uint64_t *tokens, struct ctx_err *err)
{
	const struct prune_entry *entry =
	    ctx_prune_entry_at(job->conversation, job->place.message_index);
	struct insertion_content content = {.form = INSERT_MESSAGE,
	    .summary = true,
	    .dialect = entry->held.dialect,
	    .text = text};

	if (job->place.is_block) {
		if (ctx_prune_reread(job->run, entry, err) < 0)
			return -1;
		ctx_insertion_choose_place(job->run, &job->run->rewrite.message,
		    &content);
	}
	return ctx_insertion_count(job->run,
	    job->conversation->model_counter.counter, &content, tokens, err);
}

/* Returns the number of tokens that the built-in summary may always have: as
 * many as the earlier summaries that it replaces, but at least
 * CTX_LEAST_SUMMARY and at most a share of the target.  This is allowed even if
 * the kept messages leave fewer tokens.  Reason: the names in earlier summaries
 * are in no message any more, and would get lost if a large message left few
 * tokens for the summary. */
static uint64_t
find_least_tokens(const struct summary_job *job)
{
	uint64_t share = job->conversation->plan.settings.target / LEAST_SHARE;
	uint64_t least = job->removal.earlier;

	if (least > share)
		least = share;
	return least > CTX_LEAST_SUMMARY ? least : CTX_LEAST_SUMMARY;
}

/* Returns the maximum number of tokens of the summary, without regard to the
 * budget.  If the settings contain a maximum, returns this maximum.  Otherwise
 * the maximum for the built-in summarizer is what the kept messages leave of
 * the target, but at most half of the removed tokens.  If the settings say how
 * many messages are kept, it is also at most a twentieth of all tokens that
 * were ever removed. frame: number of tokens of the summary's message without
 * the summary. */
static uint64_t
find_wanted_tokens(const struct summary_job *job, uint64_t frame)
{
	const struct ctx_plan *plan = &job->conversation->plan;
	const struct ctx_prune_settings *settings = &plan->settings;
	const struct removal *removal = &job->removal;
	uint64_t wanted = removal->tokens / 2, used = plan->after + frame;
	uint64_t least = find_least_tokens(job);

	if (settings->summary_tokens != 0)
		return settings->summary_tokens;
	if (settings->keep_messages > 0 || settings->keep_tokens > 0)
		wanted = removal->earlier +
		    (removal->tokens - removal->earlier) / 20;
	if (settings->target < used + wanted)
		wanted = settings->target > used ? settings->target - used : 0;
	return wanted > least ? wanted : least;
}

/* Sets job->most_tokens and job->max_tokens to the maximum number of tokens of
 * the summary: the result of find_wanted_tokens, or the rest of the budget if
 * that is less.  Sets both to 0 if nothing of the budget is left. */
static int
find_max_tokens(struct summary_job *job, struct ctx_err *err)
{
	struct ctx_str prefix = {CTX_SUMMARY_PREFIX,
	    sizeof CTX_SUMMARY_PREFIX - 1};
	const struct ctx_plan *plan = &job->conversation->plan;
	uint64_t frame, wanted, left = 0;

	if (count_summary_cost(job, prefix, &frame, err) < 0)
		return -1;
	if (plan->settings.budget > plan->after + frame)
		left = plan->settings.budget - plan->after - frame;
	wanted = find_wanted_tokens(job, frame);
	if (left > wanted)
		left = wanted;
	job->most_tokens = left;
	job->max_tokens =
	    ctx_tokens_to_encoding(job->conversation->model_counter.counter,
		left);
	return 0;
}

/* Composes the text that is inserted: the prefix and the summary.  Sets *all to
 * this text, which is valid until the next call, and *tokens to its number of
 * tokens. */
static int
compose_summary(struct summary_job *job, struct ctx_str *all, uint64_t *tokens,
    struct ctx_err *err)
{
	struct ctx_buf *out = &job->composed;

	out->n = 0;
	if (ctx_buf_add(out, CTX_SUMMARY_PREFIX, sizeof CTX_SUMMARY_PREFIX - 1,
		err) < 0 ||
	    ctx_buf_add_str(out, ctx_buf_str(&job->text), err) < 0)
		return -1;
	*all = ctx_buf_str(out);
	return count_summary_cost(job, *all, tokens, err);
}

/* Sets *over to the number of tokens by which the composed text exceeds the
 * budget, or the summary in it exceeds job->most_tokens; 0 if neither is so.
 * Sets *alone to the number of tokens of the summary in the encoding. tokens:
 * number of tokens of the composed text. */
static int
find_excess(struct summary_job *job, uint64_t tokens, uint64_t *over,
    uint64_t *alone, struct ctx_err *err)
{
	const struct ctx_plan *plan = &job->conversation->plan;
	const struct ctx_counter *counter =
	    job->conversation->model_counter.counter;
	const struct ctx_buf *text = &job->text;
	uint64_t summary, budget = plan->settings.budget;

	if (ctx_token_count(counter->tokens, text->p, text->n, alone, err) < 0)
		return -1;
	summary = ctx_text_to_model(counter, text->p, text->n, *alone);
	*over = summary > job->most_tokens ? summary - job->most_tokens : 0;
	if (plan->after + tokens > budget + *over)
		*over = plan->after + tokens - budget;
	return 0;
}

/* Composes the text that is inserted, as compose_summary does.  Shortens the
 * summary until the text fits.  Even a limited summary can be too long, for two
 * reasons: it may have more tokens after the prefix than alone, and the model
 * may have more tokens than the encoding (ctx_text_correction). */
static int
compose_within(struct summary_job *job, struct ctx_str *all, uint64_t *tokens,
    struct ctx_err *err)
{
	struct ctx_buf *text = &job->text;
	uint64_t over, alone;

	for (;;) {
		if (compose_summary(job, all, tokens, err) < 0 ||
		    find_excess(job, *tokens, &over, &alone, err) < 0)
			return -1;
		if (over == 0 || text->n == 0)
			return 0;
		/* A token of the encoding may be several tokens of the model,
		 * so only a small part of the summary is removed at once. */
		if (over > alone / 8 + 1)
			over = alone / 8 + 1;
		if (ctx_token_head(
			job->conversation->model_counter.counter->tokens,
			ctx_buf_str(text), alone > over ? alone - over : 0,
			&text->n, &alone, err) < 0)
			return -1;
	}
}

/* Inserts the summary, unless the text exceeds the budget, or has at least as
 * many tokens as the messages that it replaces. text: the prefix and the
 * summary. */
static int
insert_summary(struct summary_job *job, struct ctx_str text, uint64_t tokens,
    struct ctx_err *err)
{
	struct ctx_plan *plan = &job->conversation->plan;
	struct insertion_content content = {.form = job->place.is_block
		? INSERT_BLOCK
		: INSERT_MESSAGE,
	    .summary = true,
	    .text = text};
	uint64_t whole = plan->after + job->removal.tokens;

	if (job->text.n > 0 && tokens < job->removal.tokens &&
	    plan->after + tokens <= plan->settings.budget) {
		plan->after += tokens;
		return ctx_insertion_add(job->conversation,
		    job->place.message_index, &content, tokens, err);
	}
	/* No summary is inserted, so messages are removed only if the budget
	 * demands it. */
	if (whole <= plan->settings.budget)
		ctx_plan_take_back(plan);
	return 0;
}

/* Writes a summary of the messages that the plan removes.  Sets *text to the
 * text that is inserted, which is valid until the next call, and *tokens to its
 * number of tokens. */
static int
make_summary(struct summary_job *job, struct ctx_str *text, uint64_t *tokens,
    struct ctx_err *err)
{
	job->text.n = 0;
	ctx_summary_close(job->lines);
	job->lines = NULL;
	if (ctx_prune_find_summary_place(job->run, job->conversation,
		job->removal.dialect, &job->place, err) < 0 ||
	    find_max_tokens(job, err) < 0)
		return -1;
	if (job->max_tokens > 0 &&
	    (ctx_summary_open(&job->lines, err) < 0 ||
		ctx_prune_collect_summary_input(job, err) < 0 ||
		write_summary(job, err) < 0))
		return -1;
	return compose_within(job, text, tokens, err);
}

/* Returns true if more messages could be kept, because the built-in summary
 * leaves many tokens of the target unused. tokens: number of tokens that the
 * inserted summary has in the conversation. */
static bool
leaves_room(const struct summary_job *job, uint64_t tokens)
{
	const struct ctx_plan *plan = &job->conversation->plan;
	const struct ctx_prune_settings *settings = &plan->settings;

	return settings->summary_tokens == 0 && settings->keep_messages == 0 &&
	    settings->keep_tokens == 0 &&
	    plan->after + tokens <
	    settings->target - settings->target / UNUSED_SHARE;
}

/* Marks earlier summaries, which the new summary replaces, for removal, and
 * sets job->removal. */
static void
mark_removal(struct summary_job *job)
{
	job->removal = find_removal(job->conversation);
	if (job->removal.dialect != NULL)
		replace_summaries(job->conversation, &job->removal);
}

/* Gives the segments (messages or parts of one) that are kept a higher rank
 * than all other segments, so that the next plan keeps them, too. */
static void
rank_kept_segments(struct held_conversation *conversation)
{
	struct ctx_groups *groups = &conversation->groups;

	for (size_t i = 0; i < groups->n; i++)
		groups->segments[i].rank =
		    (conversation->plan.marks[i] & CTX_MARK_DROP) ? 0 : 1;
}

/* Writes a summary and inserts it.  If the summary leaves tokens of the target
 * unused, first makes a new plan, in which only the tokens that the summary
 * needs are reserved for it. */
static int
fill_budget(struct summary_job *job, struct ctx_err *err)
{
	struct held_conversation *conversation = job->conversation;
	struct ctx_prune_settings *settings = &conversation->plan.settings;
	struct ctx_str text;
	uint64_t tokens;

	for (unsigned round = 0;; round++) {
		mark_removal(job);
		if (job->removal.dialect == NULL)
			break;
		if (make_summary(job, &text, &tokens, err) < 0)
			return -1;
		if (round == ROUNDS || !leaves_room(job, tokens))
			return insert_summary(job, text, tokens, err);
		settings->reserved = tokens + CTX_SUMMARY_FRAME;
		rank_kept_segments(conversation);
		if (ctx_plan_decide_again(&conversation->plan, err) < 0)
			return -1;
	}
	ctx_plan_take_back(&conversation->plan);
	return 0;
}

int
ctx_prune_summarize(struct prune *run, struct held_conversation *conversation,
    struct ctx_err *err)
{
	struct summary_job job = {.run = run, .conversation = conversation};
	int rc = fill_budget(&job, err);

	ctx_summary_close(job.lines);
	ctx_buf_release(&job.input);
	ctx_buf_release(&job.name);
	ctx_buf_release(&job.text);
	ctx_buf_release(&job.composed);
	ctx_buf_release(&job.block);
	return rc;
}
