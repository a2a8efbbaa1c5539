/*
 * decide_before.c - finds which lines of an agent's session file were active,
 * which means sent to the model, at the time of an earlier request
 */
#include "transcript/lines.h"

/* Clears what the last decision about active lines (sent to the model) has set
 * in the lines of the file. */
static void
clear_decision(struct ctx_transcript *transcript)
{
	static const enum ctx_line_value cleared[] = {CTX_VALUE_PARENT_LINE,
	    CTX_VALUE_ABOUT_LINE, CTX_VALUE_NEWER, CTX_VALUE_FIRST_LINE};
	struct ctx_transcript_line *entry;

	for (size_t i = 0; i < CTX_LENGTH(cleared); i++)
		ctx_values_clear(&transcript->values[cleared[i]],
		    transcript->from + 1);
	for (size_t i = transcript->from; i < transcript->n; i++) {
		entry = &transcript->lines[i];
		entry->active = entry->is_continued = entry->continues = false;
		entry->results_only = false;
	}
}

int
ctx_transcript_decide_before(struct ctx_transcript *transcript, uint32_t line,
    struct ctx_err *err)
{
	size_t n = transcript->n;
	int rc;

	clear_decision(transcript);
	transcript->n = line - 1;
	rc = transcript->dialect->history == CTX_HISTORY_LOG
	    ? ctx_transcript_replay_log(transcript, err)
	    : ctx_transcript_active_branch(transcript, line, err);
	transcript->n = n;
	return rc;
}

bool
ctx_transcript_is_appended(const struct ctx_transcript *transcript,
    uint32_t line)
{
	return ctx_transcript_line(transcript, line)->is_appended;
}

bool
ctx_transcript_is_message(const struct ctx_transcript *transcript,
    uint32_t line)
{
	uint8_t kind = ctx_transcript_line(transcript, line)->kind;

	return kind == CTX_LINE_MESSAGE || kind == CTX_LINE_SUMMARY ||
	    kind == CTX_LINE_DIGEST;
}

uint32_t
ctx_transcript_message_id(const struct ctx_transcript *transcript,
    uint32_t line)
{
	return ctx_line_value(transcript, CTX_VALUE_SAME, line);
}
