/* relink_lines.c - corrects the links between the lines of a session file
 * after some were removed */
#include "prune/held_conversation.h"
#include "stream/change_report.h"

/* Archives and reports the change of a line.  To be called when no other
 * change of the line will follow. */
static int
report_line_change(struct prune *run, struct held_message *held,
    struct ctx_change *change, struct ctx_err *err)
{
	ctx_prune_set_change_place(run, held, change);
	change->aside = held->dialect == NULL;
	change->continues =
	    !change->aside && ctx_held_message_is_reported(run, held);
	return ctx_report_change(&run->options->report, change, err);
}

/* Reports a line in which only links to other lines change, so that its tokens
 * are the same as before. */
static int
report_relink(struct prune *run, struct held_message *held, struct ctx_err *err)
{
	struct ctx_change change = {.tool = {"", 0},
	    .rule = "links",
	    .action = "relink"};
	struct ctx_cost cost = {0};

	if (held->pending != NULL || !ctx_report_wanted(&run->options->report))
		return 0;
	if (held->dialect != NULL) {
		if (ctx_prune_reread(run, held, err) < 0 ||
		    ctx_count_message(
			run->stream_conversation.model_counter.counter,
			&run->message, &cost, err) < 0)
			return -1;
		change.role = run->message.role;
		change.before = change.after = cost.tokens;
	}
	return report_line_change(run, held, &change, err);
}

/* Replaces the links to removed lines in a line of a session file that is in
 * memory. */
static int
relink_line(struct prune *run, struct held_message *held, struct ctx_err *err)
{
	struct ctx_transcript *transcript = run->rewrite.stream->transcript;
	size_t used;

	if (!ctx_transcript_needs_relink(transcript, held->transcript_line))
		return 0;
	if (report_relink(run, held, err) < 0)
		return -1;
	ctx_edits_reset(&run->rewrite.edits);
	if (ctx_json_scan(&run->json, held->text, held->n, &used, err) < 0 ||
	    ctx_transcript_relink(transcript, held->transcript_line, &run->json,
		&run->rewrite.edits, err) < 0)
		return -1;
	return ctx_held_message_apply_edits(run, &run->stream_conversation,
	    held, err);
}

int
ctx_prune_relink(struct prune *run, struct held_conversation *conversation,
    struct ctx_err *err)
{
	struct ctx_change change;
	struct held_message *held;
	size_t i;

	for (i = 0; i < conversation->n; i++) {
		held = &conversation->messages[i];
		if (held->transcript_line == 0 || held->is_removed)
			continue;
		change = (struct ctx_change){.tool = {"", 0},
		    .rule = "replaced",
		    .action = "drop"};
		if (!ctx_transcript_is_removed(run->rewrite.stream->transcript,
			held->transcript_line)
			? relink_line(run, held, err) < 0
			: report_line_change(run, held, &change, err) < 0)
			return -1;
	}
	return 0;
}
