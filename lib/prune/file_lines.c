/*
 * file_lines.c - handles records of a file whose bytes are not kept in memory
 *
 * A strategy that decides only at the end of the conversation needs an entry
 * (struct prune_entry) for each message, but not the bytes of the message.  If
 * the file can be read again, only the offset of the message in the file is
 * stored.
 *
 * In a session file, lines that are not messages are never removed.  Such lines
 * may have more bytes than all kept messages.  One entry stands for all such
 * lines between two messages, and their bytes are read from the file again.
 */
#include <stdlib.h>
#include <string.h>

#include "io/second_pass.h"
#include "prune/held_conversation.h"

/* Returns true if an entry, which stands for lines that are not messages, can
 * also stand for the next line.  The next line must not be a message, and must
 * come directly after the lines of the entry.  Each line must be one line of
 * the file, so that its line number is known. */
static bool
can_add_line(const struct prune_entry *entry, const struct ctx_event *event)
{
	return entry->last_line != 0 && entry->last_line + 1 == event->line &&
	    entry->held.line + (event->line - entry->transcript_line) ==
	    event->record->line;
}

/* Stores the offset of a record in its file, and the checksum of the record.
 * For a line of a session file, the checksum was already computed. */
static void
set_place(const struct prune *run, struct ctx_held_message *held,
    const struct ctx_event *event)
{
	const struct ctx_record *record = event->record;

	held->offset = record->offset;
	held->n = record->text.n;
	held->checksum = event->line == 0
	    ? ctx_sum_text(record->text)
	    : ctx_transcript_place(run->rewrite.stream->transcript, event->line,
		  record->offset)
		  .checksum;
	held->is_in_file = true;
}

int
ctx_prune_hold_file_line(struct prune *run, const struct ctx_event *event,
    struct ctx_err *err)
{
	struct ctx_held_queue *lines = &run->rewrite.lines;
	struct prune_entry *entry;

	if (event->line == 0 || run->rewrite.edits.n > 0 ||
	    !ctx_reader_keep_file(run->rewrite.stream->reader, event->record))
		return 0;
	if (lines->end > lines->first) {
		entry = ctx_held_queue_at(lines, lines->end - 1);
		if (can_add_line(entry, event)) {
			entry->last_line = event->line;
			return 1;
		}
	}
	entry = ctx_held_queue_add(lines, event, err);
	if (entry == NULL)
		return -1;
	entry->transcript_line = entry->last_line = event->line;
	set_place(run, &entry->held, event);
	return ctx_prune_hold_unknown(run, &run->stream_conversation,
		   lines->end - 1, err) < 0
	    ? -1
	    : 1;
}

bool
ctx_prune_hold_file_message(struct prune *run, struct prune_entry *entry,
    const struct ctx_event *event)
{
	/* A strategy without needs_all frees messages early, so their bytes
	 * stay in memory until then. */
	if (!run->options->settings.strategy->needs_all ||
	    !ctx_reader_keep_file(run->rewrite.stream->reader, event->record))
		return false;
	set_place(run, &entry->held, event);
	run->rewrite.is_held = true;
	return true;
}

void
ctx_prune_join_file_lines(struct prune_entry *before, struct prune_entry *entry)
{
	entry->transcript_line = before->transcript_line;
	entry->held.offset = before->held.offset;
	entry->held.n = before->held.n;
	entry->held.checksum = before->held.checksum;
	entry->held.line = before->held.line;
	before->n_segments = 0;
}

static struct ctx_record_place
get_place(const struct ctx_held_message *held)
{
	return (struct ctx_record_place){held->offset, (uint32_t)held->n,
	    held->checksum};
}

/* Reads a record from its file again. number: number of the record's line in
 * the file. */
static int
read_again(struct prune *run, const struct prune_entry *entry,
    const struct ctx_record_place *place, uint64_t number, struct ctx_str *text,
    struct ctx_err *err)
{
	int rc = ctx_reader_read_again(run->rewrite.stream->reader, place, text,
	    err);

	/* The record may now be at the address of another record that was
	 * scanned before.  So the result of that scan must not be used any
	 * more. */
	run->rewrite.scanned = NULL;
	if (rc > 0)
		return 0;
	if (rc == 0)
		return ctx_reader_fail_changed(entry->held.file, number, err);
	err->file = entry->held.file;
	err->line = number;
	return -1;
}

int
ctx_prune_text(struct prune *run, const struct prune_entry *entry,
    struct ctx_str *text, struct ctx_err *err)
{
	const struct ctx_record_place place = get_place(&entry->held);

	if (entry->held.is_in_file)
		return read_again(run, entry, &place, entry->held.line, text,
		    err);
	*text = ctx_rewrite_text(&run->rewrite, &entry->held);
	return 0;
}

int
ctx_prune_last_text(struct prune *run, const struct prune_entry *entry,
    struct ctx_str *text, struct ctx_err *err)
{
	const struct ctx_transcript *transcript =
	    run->rewrite.stream->transcript;
	struct ctx_record_place place = get_place(&entry->held);
	uint32_t line = entry->transcript_line;

	if (entry->last_line <= line)
		return ctx_prune_text(run, entry, text, err);
	while (line < entry->last_line)
		place = ctx_transcript_place(transcript, ++line,
		    place.offset + place.n);
	return read_again(run, entry, &place,
	    entry->held.line + (line - entry->transcript_line), text, err);
}

int
ctx_prune_load(struct prune *run, struct prune_entry *entry,
    struct ctx_err *err)
{
	struct ctx_str text;
	char *copy;

	if (!entry->held.is_in_file)
		return 0;
	if (ctx_prune_text(run, entry, &text, err) < 0)
		return -1;
	copy = malloc(text.n);
	if (copy == NULL)
		return ctx_err_nomem(err);
	memcpy(copy, text.p, text.n);
	ctx_rewrite_set_text(&run->rewrite, &entry->held, copy, text.n);
	return 0;
}

int
ctx_prune_reread(struct prune *run, const struct prune_entry *entry,
    struct ctx_err *err)
{
	struct ctx_held_message held = entry->held;
	struct ctx_str text;

	if (held.is_in_file) {
		if (ctx_prune_text(run, entry, &text, err) < 0)
			return -1;
		held.text = (char *)text.p;
		held.n = text.n;
		held.is_in_file = false;
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
	struct ctx_record_place place = get_place(&entry->held);
	uint32_t first = entry->transcript_line, line = first;
	struct ctx_str text;

	if (entry->last_line == 0) {
		if (line != 0 && !select(transcript, line))
			return 0;
		return ctx_prune_text(run, entry, &text, err) < 0
		    ? -1
		    : function(run, entry, line, text, err);
	}
	for (;; line++) {
		if (!ctx_transcript_line(transcript, line)->removed &&
		    select(transcript, line) &&
		    (read_again(run, entry, &place,
			 entry->held.line + (line - first), &text, err) < 0 ||
			function(run, entry, line, text, err) < 0))
			return -1;
		if (line == entry->last_line)
			return 0;
		place = ctx_transcript_place(transcript, line + 1,
		    place.offset + place.n);
	}
}
