/* relink_lines.c - repairs the links between the lines of a session file (for
 * example to the parent line) after lines were removed */
#include "prune/held_conversation.h"

static bool
is_changed(const struct ctx_transcript *transcript, uint32_t line)
{
	return ctx_transcript_is_removed(transcript, line) ||
	    ctx_transcript_needs_relink(transcript, line);
}

static bool
is_kept(const struct ctx_transcript *transcript, uint32_t line)
{
	return !ctx_transcript_is_removed(transcript, line);
}

/* Completes the report about a line in which only links to other lines are
 * changed.  Sets the role and the number of tokens.  This change does not
 * change the number of tokens. */
static int
count_relinked(struct prune *run, const struct prune_entry *entry,
    struct ctx_change *change, struct ctx_err *err)
{
	struct ctx_cost cost;

	if (entry->held.dialect == NULL)
		return 0;
	if (ctx_prune_reread(run, entry, err) < 0 ||
	    ctx_count_message(run->stream_conversation.model_counter.counter,
		&run->rewrite.message, &cost, err) < 0)
		return -1;
	change->role = run->rewrite.message.role;
	change->before = change->after = cost.tokens;
	return 0;
}

/* Archives a line of a session file, and reports that its links to other lines
 * are changed.  Called only if no other change of the line is reported. */
static int
report_line(struct prune *run, struct prune_entry *entry, uint32_t line,
    struct ctx_str text, struct ctx_err *err)
{
	struct ctx_change change = {.tool = {"", 0},
	    .rule = "replaced",
	    .action = "drop",
	    .bytes = text};

	if (is_kept(run->rewrite.stream->transcript, line)) {
		/* If another change of the message is waiting to be reported,
		 * that report includes the changed links. */
		if (entry->pending != NULL)
			return 0;
		change.rule = "links";
		change.action = "relink";
		if (count_relinked(run, entry, &change, err) < 0)
			return -1;
	}
	ctx_prune_set_change_place(entry, &change);
	change.line += line - entry->transcript_line;
	change.aside = entry->held.dialect == NULL;
	change.continues =
	    !change.aside && ctx_prune_entry_is_reported(run, entry);
	return ctx_report_change(&run->options->report, &change, err);
}

int
ctx_prune_report_lines(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err)
{
	if (!ctx_report_wanted(&run->options->report))
		return 0;
	for (size_t i = 0; i < conversation->entries->end; i++) {
		struct prune_entry *entry = ctx_prune_entry_at(conversation, i);

		if (entry->transcript_line != 0 && !entry->is_removed &&
		    ctx_prune_each_line(run, entry, is_changed, report_line,
			err) < 0)
			return -1;
	}
	return 0;
}

/* Writes a line of a session file.  If a line to which it links was removed,
 * the link is replaced by a link to a kept line. */
static int
write_line(struct prune *run, struct prune_entry *entry, uint32_t line,
    struct ctx_str text, struct ctx_err *err)
{
	struct ctx_transcript *transcript = run->rewrite.stream->transcript;
	struct ctx_rewrite *rewrite = &run->rewrite;
	const struct ctx_held_message held = {.text = (char *)text.p,
	    .n = text.n};

	if (line != 0 && ctx_transcript_needs_relink(transcript, line) &&
	    (ctx_rewrite_scan(rewrite, &held, err) < 0 ||
		ctx_transcript_relink(transcript, line, &rewrite->json,
		    &rewrite->edits, err) < 0))
		return -1;
	return ctx_rewrite_write(rewrite, text, !entry->held.is_in_file, err);
}

int
ctx_prune_write_entry(struct prune *run, struct prune_entry *entry,
    struct ctx_err *err)
{
	return entry->is_removed
	    ? 0
	    : ctx_prune_each_line(run, entry, is_kept, write_line, err);
}
