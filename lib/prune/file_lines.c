/*
 * file_lines.c - lines of a session file whose bytes are not kept in memory
 *
 * In a session file, records that are not messages are lines that are never
 * removed.  They may have more bytes than all messages that are kept.  So if
 * the session file can be read again, only their place in it is kept in memory:
 * an entry for all lines between two messages.
 * A strategy that can decide only at the end holds messages in the same way.
 */
#include <stdlib.h>
#include <string.h>

#include "io/second_pass.h"
#include "prune/held_conversation.h"

/* Returns true if a line directly follows the lines of an entry and can be
 * added to them, so that it needs no entry of its own.  With a strategy that
 * ranks segments by their text every line needs its own entry and segment, even
 * a line without a message. */
static bool
can_add_line(const struct prune *run, const struct prune_entry *entry,
    uint32_t line)
{
	return entry->held.dialect == NULL && entry->last_line != 0 &&
	    entry->last_line + 1 == line &&
	    !run->options->settings.strategy->needs_all;
}

int
ctx_prune_hold_file_line(struct prune *run, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_held_queue *lines = &run->rewrite.lines;
	struct prune_entry *entry;
	uint64_t at;

	if (event->line == 0 || run->rewrite.edits.n > 0 ||
	    !ctx_reader_locate(run->rewrite.stream->reader, event->record, &at))
		return 0;
	if (lines->end > lines->first) {
		entry = ctx_held_queue_at(lines, lines->end - 1);
		if (can_add_line(run, entry, event->line)) {
			entry->last_line = event->line;
			return 1;
		}
	}
	entry = ctx_held_queue_add(lines, event, err);
	if (entry == NULL)
		return -1;
	entry->transcript_line = entry->last_line = event->line;
	entry->file_offset = at;
	return ctx_prune_hold_unknown(&run->stream_conversation, entry, err) < 0
	    ? -1
	    : 1;
}

bool
ctx_prune_hold_file_message(struct prune *run, struct prune_entry *entry,
    const struct ctx_event *event)
{
	/* Messages that are removed early need not be read again. */
	if (event->line == 0 || !run->options->settings.strategy->needs_all ||
	    !ctx_reader_locate(run->rewrite.stream->reader, event->record,
		&entry->file_offset))
		return false;
	entry->last_line = event->line;
	run->rewrite.is_held = true;
	return true;
}

void
ctx_prune_join_file_lines(struct prune_entry *before, struct prune_entry *entry)
{
	entry->transcript_line = before->transcript_line;
	entry->file_offset = before->file_offset;
	entry->held.line = before->held.line;
	before->n_segments = 0;
}

/* Reads a line again, and checks that its bytes have not changed.  at: offset
 * of the line in the file. */
static int
read_line_again(struct prune *run, const struct prune_entry *entry,
    uint32_t line, uint64_t at, struct ctx_str *text, struct ctx_err *err)
{
	const struct ctx_transcript *transcript =
	    run->rewrite.stream->transcript;
	uint64_t number = entry->held.line + (line - entry->transcript_line);

	/* The line may be at the address of another that was scanned. */
	run->rewrite.scanned = NULL;
	if (ctx_reader_read_again(run->rewrite.stream->reader, at,
		ctx_transcript_length(transcript, line), text, err) < 0) {
		err->file = entry->held.file;
		err->line = number;
		return -1;
	}
	if (!ctx_transcript_is_same(transcript, line, *text))
		return ctx_reader_fail_changed(entry->held.file, number, err);
	return 0;
}

int
ctx_prune_last_text(struct prune *run, const struct prune_entry *entry,
    struct ctx_str *text, struct ctx_err *err)
{
	const struct ctx_transcript *transcript =
	    run->rewrite.stream->transcript;
	uint64_t at = entry->file_offset;
	uint32_t line;

	if (entry->last_line == 0) {
		*text = (struct ctx_str){entry->held.text, entry->held.n};
		return 0;
	}
	for (line = entry->transcript_line; line < entry->last_line; line++)
		at += ctx_transcript_length(transcript, line);
	return read_line_again(run, entry, line, at, text, err);
}

int
ctx_prune_text(struct prune *run, const struct prune_entry *entry,
    struct ctx_str *text, struct ctx_err *err)
{
	if (entry->last_line != 0)
		return ctx_prune_last_text(run, entry, text, err);
	*text = ctx_rewrite_text(&run->rewrite, &entry->held);
	return 0;
}

int
ctx_prune_load(struct prune *run, struct prune_entry *entry,
    struct ctx_err *err)
{
	struct ctx_str text;
	char *copy;

	if (entry->last_line == 0)
		return 0;
	if (ctx_prune_last_text(run, entry, &text, err) < 0)
		return -1;
	copy = malloc(text.n);
	if (copy == NULL)
		return ctx_err_nomem(err);
	memcpy(copy, text.p, text.n);
	ctx_rewrite_set_text(&run->rewrite, &entry->held, copy, text.n);
	entry->last_line = 0;
	return 0;
}

int
ctx_prune_reread(struct prune *run, const struct prune_entry *entry,
    struct ctx_err *err)
{
	struct ctx_held_message held = entry->held;
	struct ctx_str text;

	if (entry->last_line != 0) {
		if (ctx_prune_last_text(run, entry, &text, err) < 0)
			return -1;
		held.text = (char *)text.p;
		held.n = text.n;
	}
	return ctx_rewrite_reread(&run->rewrite, &held, err);
}

int
ctx_prune_each_line(struct prune *run, struct prune_entry *entry,
    bool (*select)(const struct ctx_transcript *transcript, uint32_t line),
    int (*function)(struct prune *run, struct prune_entry *entry, uint32_t line,
	struct ctx_str text, struct ctx_err *err),
    struct ctx_err *err)
{
	const struct ctx_transcript *transcript =
	    run->rewrite.stream->transcript;
	uint64_t at = entry->file_offset;
	uint32_t line = entry->transcript_line;
	struct ctx_str text = {entry->held.text, entry->held.n};

	if (entry->last_line == 0)
		return line != 0 && !select(transcript, line)
		    ? 0
		    : function(run, entry, line, text, err);
	for (; line <= entry->last_line; line++) {
		if (!ctx_transcript_was_removed(transcript, line) &&
		    select(transcript, line) &&
		    (read_line_again(run, entry, line, at, &text, err) < 0 ||
			function(run, entry, line, text, err) < 0))
			return -1;
		at += ctx_transcript_length(transcript, line);
	}
	return 0;
}
