/* judge.c - finds which of the needed strings (strings that later messages use)
 * are in the output of a policy */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "eval/judge.h"

static void
record_seen(void *user, uint32_t number)
{
	struct eval_judge *judge = user;

	judge->n_seen += !judge->seen[number];
	judge->seen[number] = true;
}

int
ctx_judge_begin(struct eval_judge *judge, const struct eval_split *split,
    struct ctx_err *err)
{
	if (CTX_GROW(judge->seen, judge->cap, split->n + 1, err) < 0)
		return -1;
	judge->needed = split->n;
	ctx_matcher_release(&judge->matcher);
	for (size_t i = 0; i < split->n; i++)
		if (ctx_matcher_add(&judge->matcher, split->needed[i].text,
			(uint32_t)i, err) < 0)
			return -1;
	return ctx_matcher_build(&judge->matcher, err);
}

static void
search_text(struct eval_judge *judge, const struct ctx_buf *text)
{
	const struct ctx_match_taker taker = {judge, record_seen};

	if (text->n > 0)
		ctx_matcher_search(&judge->matcher, ctx_buf_str(text), &taker);
}

/* ---- messages ---- */

/* A text that is being judged. */
struct judged_text {
	struct eval_judge *judge;
	struct ctx_stream stream;
	struct eval_verdict *verdict;
	/* Token counters of the messages that are lines of their own, and of
	 * those inside the current record.  NULL before the first of these
	 * messages. */
	struct ctx_counter *lines, *record;
};

static int
open_stream(const struct eval_judge *judge, struct ctx_stream *stream,
    struct ctx_str text, struct ctx_err *err)
{
	memset(stream, 0, sizeof *stream);
	stream->forced = judge->dialect;
	if (ctx_reader_open_text(&stream->reader, "the output", text, err) < 0)
		return -1;
	ctx_reader_set_lenient(stream->reader, judge->lenient);
	return 0;
}

static void
close_stream(struct ctx_stream *stream)
{
	ctx_reader_close(stream->reader);
	ctx_stream_release(stream);
}

static int
begin_conversation(struct judged_text *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_model_counter counter;
	struct ctx_request_overhead overhead;

	if (ctx_stream_measure(&t->stream, event, t->judge->counters, &counter,
		err) < 0 ||
	    ctx_count_request_overhead(counter.counter, event->record->json,
		event->layout, &overhead, err) < 0)
		return -1;
	*(event->inside ? &t->record : &t->lines) = counter.counter;
	t->verdict->tokens += overhead.tokens;
	return 0;
}

static int
judge_message(struct judged_text *t, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct eval_judge *judge = t->judge;
	struct ctx_cost cost;

	if (!event->inside && t->lines == NULL &&
	    begin_conversation(t, event, err) < 0)
		return -1;
	judge->text.n = judge->arguments.n = 0;
	if (ctx_stream_cost(event, event->inside ? t->record : t->lines, &cost,
		err) < 0 ||
	    ctx_append_message_texts(&judge->text, &judge->text,
		&judge->arguments, event->message, err) < 0)
		return -1;
	search_text(judge, &judge->text);
	search_text(judge, &judge->arguments);
	t->verdict->tokens += cost.tokens;
	if ((event->message->flags & CTX_MESSAGE_CONTINUES) == 0)
		t->verdict->messages++;
	return 0;
}

static int
judge_events(struct judged_text *t, struct ctx_err *err)
{
	struct ctx_event event;
	int rc;

	while ((rc = ctx_stream_next(&t->stream, &event, err)) > 0)
		if ((event.kind == CTX_EVENT_BEGIN &&
			begin_conversation(t, &event, err) < 0) ||
		    (event.kind == CTX_EVENT_MESSAGE &&
			judge_message(t, &event, err) < 0))
			return -1;
	return rc;
}

static int
count_finding(void *user, const struct ctx_finding *finding,
    struct ctx_err *err)
{
	size_t *findings = user;

	(void)finding;
	(void)err;
	++*findings;
	return 0;
}

static int
check_messages(const struct eval_judge *judge, struct ctx_str text,
    size_t *findings, struct ctx_err *err)
{
	struct ctx_check_config options = {.counters = judge->counters,
	    .user = findings,
	    .on_finding = count_finding};
	struct ctx_stream stream;
	int rc;

	if (open_stream(judge, &stream, text, err) < 0)
		return -1;
	rc = ctx_check_stream(&stream, NULL, &options, err);
	close_stream(&stream);
	return rc;
}

int
ctx_judge_messages(struct eval_judge *judge, struct ctx_str text,
    struct eval_verdict *verdict, struct ctx_err *err)
{
	struct judged_text t = {.judge = judge, .verdict = verdict};
	int rc;

	memset(verdict, 0, sizeof *verdict);
	memset(judge->seen, 0, judge->needed * sizeof *judge->seen);
	judge->n_seen = 0;
	ctx_matcher_begin(&judge->matcher);
	if (open_stream(judge, &t.stream, text, err) < 0)
		return -1;
	rc = judge_events(&t, err);
	close_stream(&t.stream);
	verdict->kept = (double)judge->n_seen;
	return rc < 0 ? -1
		      : check_messages(judge, text, &verdict->findings, err);
}

/* ---- files ---- */

/* Searches a line of a saved file for needed strings: the bytes of the line
 * and, if it is JSON, the decoded strings of the JSON. */
static int
judge_line(struct eval_judge *judge, struct ctx_json *json, struct ctx_str line,
    struct ctx_err *err)
{
	struct ctx_buf *text = &judge->text;
	int rc = 0;

	text->n = 0;
	if (line.n > 0 && (line.p[0] == '{' || line.p[0] == '['))
		rc = ctx_json_scan_text(json, line, err);
	if (rc < 0 ||
	    (rc > 0 && ctx_append_json_texts(text, json, 0, true, err) < 0))
		return -1;
	if (ctx_buf_add_str(text, line, err) < 0)
		return -1;
	search_text(judge, text);
	ctx_separate_escapes(text, 0);
	search_text(judge, text);
	return 0;
}

int
ctx_judge_files(struct eval_judge *judge, struct ctx_str text, size_t *found,
    struct ctx_err *err)
{
	struct ctx_json json;
	size_t kept = judge->n_seen;
	int rc = 0;

	ctx_json_init(&json, CTX_SIMD_BEST);
	while (text.n > 0 && rc == 0 && judge->n_seen < judge->needed)
		rc = judge_line(judge, &json, ctx_str_cut(&text, '\n'), err);
	ctx_json_release(&json);
	*found = judge->n_seen - kept;
	return rc;
}

void
ctx_judge_release(struct eval_judge *judge)
{
	ctx_matcher_release(&judge->matcher);
	free(judge->seen);
	ctx_buf_release(&judge->text);
	ctx_buf_release(&judge->arguments);
}
