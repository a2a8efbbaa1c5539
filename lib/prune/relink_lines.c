/* relink_lines.c - corrects the links between the lines of a session file
 * after some were removed */
#include "prune/held_conversation.h"
#include "stream/change_report.h"

/* Archives and reports the change of a line.  Called when there will be no
 * other change of the line. */
static int
report_line_change(struct prune *run, struct prune_entry *entry,
    struct ctx_change *change, struct ctx_err *err)
{
	ctx_prune_set_change_place(run, entry, change);
	change->aside = entry->held.dialect == NULL;
	change->continues =
	    !change->aside && ctx_prune_entry_is_reported(run, entry);
	return ctx_report_change(&run->options->report, change, err);
}

/* Reports the change of a line in which only links to other lines change, so
 * that it has as many tokens as before. */
static int
report_relink(struct prune *run, struct prune_entry *entry, struct ctx_err *err)
{
	struct ctx_change change = {.tool = {"", 0},
	    .rule = "links",
	    .action = "relink"};
	struct ctx_cost cost = {0};

	if (entry->pending != NULL || !ctx_report_wanted(&run->options->report))
		return 0;
	if (entry->held.dialect != NULL) {
		if (ctx_rewrite_reread(&run->rewrite, &entry->held, err) < 0 ||
		    ctx_count_message(
			run->stream_conversation.model_counter.counter,
			&run->rewrite.message, &cost, err) < 0)
			return -1;
		change.role = run->rewrite.message.role;
		change.before = change.after = cost.tokens;
	}
	return report_line_change(run, entry, &change, err);
}

/* If a line of a session file in memory has links to removed lines, replaces
 * these links. */
static int
relink_line(struct prune *run, struct prune_entry *entry, struct ctx_err *err)
{
	struct ctx_transcript *transcript = run->rewrite.stream->transcript;

	if (!ctx_transcript_needs_relink(transcript, entry->transcript_line))
		return 0;
	if (report_relink(run, entry, err) < 0)
		return -1;
	ctx_edits_reset(&run->rewrite.edits);
	if (ctx_rewrite_scan(&run->rewrite, &entry->held, err) < 0 ||
	    ctx_transcript_relink(transcript, entry->transcript_line,
		&run->rewrite.json, &run->rewrite.edits, err) < 0)
		return -1;
	return ctx_rewrite_edit_held(&run->rewrite, &entry->held, err);
}

int
ctx_prune_relink(struct prune *run, struct held_conversation *conversation,
    struct ctx_err *err)
{
	struct ctx_change change;
	struct prune_entry *entry;
	size_t i;

	for (i = 0; i < conversation->entries->end; i++) {
		entry = ctx_prune_entry_at(conversation, i);
		if (entry->transcript_line == 0 || entry->is_removed)
			continue;
		change = (struct ctx_change){.tool = {"", 0},
		    .rule = "replaced",
		    .action = "drop"};
		if (!ctx_transcript_is_removed(run->rewrite.stream->transcript,
			entry->transcript_line)
			? relink_line(run, entry, err) < 0
			: report_line_change(run, entry, &change, err) < 0)
			return -1;
	}
	return 0;
}
