/*
 * active_branch.c - finds the active lines of a session file whose lines form a
 * tree
 *
 * A line is active if the agent would send its message with the next request.
 * Each line contains the id of its parent.  The active lines are those on the
 * path from the newest leaf up to the root or to the last summary.
 */
#include <stdlib.h>
#include <string.h>

#include "transcript/lines.h"

static bool
is_in_tree(const struct ctx_transcript_line *entry)
{
	return entry->kind == CTX_LINE_LINK ||
	    entry->kind == CTX_LINE_MESSAGE || entry->kind == CTX_LINE_SUMMARY;
}

/* Returns the number of the newest line of this file that has the given id, or
 * 0 if no line has it. */
static uint32_t
find_line_of_id(const struct ctx_transcript *transcript, uint32_t id)
{
	uint32_t line = id == 0 ? 0 : transcript->newest_of_id[id];

	return line > transcript->from ? line : 0;
}

/* For each line of the file, finds three other lines: its parent and another
 * line to which it refers, by the ids that the line contains, and a newer line
 * with the same id. mends: true if a line whose parent is not in the file gets
 * the line before it as its parent. */
static int
resolve_line_ids(struct ctx_transcript *transcript, bool mends,
    struct ctx_err *err)
{
	uint32_t before = 0, last;
	struct ctx_transcript_line *entry;
	size_t i;

	if (CTX_GROW(transcript->newest_of_id, transcript->cap_ids,
		transcript->names.n + 1, err) < 0)
		return -1;
	memset(transcript->newest_of_id, 0,
	    transcript->cap_ids * sizeof *transcript->newest_of_id);
	for (i = transcript->from; i < transcript->n; i++) {
		entry = &transcript->lines[i];
		if (entry->id == 0 || !is_in_tree(entry))
			continue;
		last = find_line_of_id(transcript, entry->id);
		if (last != 0)
			ctx_transcript_line(transcript, last)->newer =
			    (uint32_t)i + 1;
		transcript->newest_of_id[entry->id] = (uint32_t)i + 1;
	}
	for (i = transcript->from; i < transcript->n; i++) {
		entry = &transcript->lines[i];
		entry->parent_line = find_line_of_id(transcript, entry->parent);
		entry->about_line = find_line_of_id(transcript, entry->about);
		if (!is_in_tree(entry))
			continue;
		/* If lines have no ids (version 1 of the agent pi), the parent
		 * of a line is the line before it. */
		if (entry->id == 0 ||
		    (mends && entry->parent != 0 && entry->parent_line == 0))
			entry->parent_line = before;
		before = (uint32_t)i + 1;
	}
	return 0;
}

/* Returns the number of the last line of the file that is in the tree of lines,
 * or 0 if no line is. */
static uint32_t
find_last_tree_line(const struct ctx_transcript *transcript)
{
	size_t i;

	for (i = transcript->n; i > transcript->from; i--)
		if (is_in_tree(&transcript->lines[i - 1]))
			return (uint32_t)i;
	return 0;
}

/* Finds the message that ends the active path.  Each leaf of the tree stands
 * for one message: the leaf itself or its nearest ancestor that is a message.
 * Returns the line number of the last one of these messages in the file.
 * Returns messages of subagents, and user messages that no person wrote, only
 * if there are no others. where: scratch memory with one element for each line
 * of the file, all zero. */
static uint32_t
find_last_tip(const struct ctx_transcript *transcript, uint8_t *where)
{
	enum { PARENT = 1, SEEN = 2 };
	uint32_t main_tip = 0, any_tip = 0, line;
	const struct ctx_transcript_line *entry;
	size_t i;

	for (i = transcript->from; i < transcript->n; i++)
		if (is_in_tree(&transcript->lines[i]) &&
		    transcript->lines[i].parent_line != 0)
			where[transcript->lines[i].parent_line - 1 -
			    transcript->from] |= PARENT;
	for (i = transcript->from; i < transcript->n; i++) {
		entry = &transcript->lines[i];
		if (!is_in_tree(entry) || entry->newer != 0 ||
		    (where[i - transcript->from] & PARENT))
			continue;
		for (line = (uint32_t)i + 1; line != 0;
		     line = entry->parent_line) {
			entry = ctx_transcript_line(transcript, line);
			if (where[line - 1 - transcript->from] & SEEN)
				break;
			where[line - 1 - transcript->from] |= SEEN;
			if (entry->kind != CTX_LINE_MESSAGE)
				continue;
			if (line > any_tip)
				any_tip = line;
			if (line > main_tip &&
			    !(entry->flags & (CTX_LINE_SIDE | CTX_LINE_META)))
				main_tip = line;
			break;
		}
	}
	return main_tip != 0 ? main_tip : any_tip;
}

/* A summary may contain the id of an earlier line, and say that the lines from
 * that line on are still sent together with the summary.  Makes these lines
 * active, except earlier summaries.  Does nothing if the earlier line is not an
 * ancestor of the summary. */
static void
keep_before(struct ctx_transcript *transcript, uint32_t summary)
{
	uint32_t kept = ctx_transcript_line(transcript, summary)->about_line,
		 line;
	size_t steps = transcript->n;

	line = ctx_transcript_line(transcript, summary)->parent_line;
	while (line != 0 && line != kept && steps-- > 0)
		line = ctx_transcript_line(transcript, line)->parent_line;
	if (line == 0 || line != kept)
		return;
	for (line = ctx_transcript_line(transcript, summary)->parent_line;;
	     line = ctx_transcript_line(transcript, line)->parent_line) {
		ctx_transcript_line(transcript, line)->active =
		    ctx_transcript_line(transcript, line)->kind !=
		    CTX_LINE_SUMMARY;
		if (line == kept)
			return;
	}
}

/* Makes parallel tool calls and their results active.  If a response has
 * several tool calls, some agents write each call as a line, and each result
 * names the line of its call as its parent.  So only one of these calls is on
 * the path from the newest leaf to the root. */
static void
keep_parallel(struct ctx_transcript *transcript, uint32_t *same)
{
	struct ctx_transcript_line *entry;
	size_t i;

	for (i = transcript->from; i < transcript->n; i++)
		if (transcript->lines[i].active)
			same[transcript->lines[i].same] = 1;
	same[0] = 0;
	for (i = transcript->from; i < transcript->n; i++) {
		entry = &transcript->lines[i];
		if (entry->kind != CTX_LINE_MESSAGE || entry->newer != 0)
			continue;
		if (same[entry->same] != 0)
			entry->active = true;
		if (!entry->active && (entry->flags & CTX_LINE_RESULT) &&
		    entry->parent_line != 0 &&
		    ctx_transcript_line(transcript, entry->parent_line)
			->active &&
		    ctx_transcript_line(transcript, entry->parent_line)->same !=
			0)
			entry->active = entry->results_only = true;
	}
}

/* Returns the number of the line with which the active path ends, or 0 if there
 * is none. before: see ctx_transcript_active_branch; where: see
 * find_last_tip. */
static uint32_t
find_tip(const struct ctx_transcript *transcript,
    const struct ctx_transcript_line *before, uint8_t *where)
{
	uint32_t parent =
	    before == NULL ? 0 : find_line_of_id(transcript, before->parent);

	if (before != NULL && before->id != 0 &&
	    (parent != 0 || before->parent == 0))
		return parent;
	if (before != NULL)
		return find_last_tree_line(transcript);
	return transcript->dialect->history == CTX_HISTORY_TIP
	    ? find_last_tip(transcript, where)
	    : find_last_tree_line(transcript);
}

int
ctx_transcript_active_branch(struct ctx_transcript *transcript,
    const struct ctx_transcript_line *before, struct ctx_err *err)
{
	size_t lines = transcript->n - transcript->from,
	       names = transcript->names.n + 1, i;
	uint8_t *where = calloc(lines + 1, 1);
	uint32_t *same = calloc(names, sizeof *same);
	uint32_t tip = 0, line;
	int rc = -1;

	if (where == NULL || same == NULL) {
		ctx_err_nomem(err);
		goto out;
	}
	if (resolve_line_ids(transcript, before != NULL, err) < 0)
		goto out;
	tip = find_tip(transcript, before, where);
	for (line = tip;
	     line != 0 && !ctx_transcript_line(transcript, line)->active;
	     line = ctx_transcript_line(transcript, line)->parent_line) {
		ctx_transcript_line(transcript, line)->active = true;
		if (ctx_transcript_line(transcript, line)->kind ==
		    CTX_LINE_SUMMARY) {
			keep_before(transcript, line);
			break;
		}
	}
	keep_parallel(transcript, same);
	if (tip != 0 &&
	    !(ctx_transcript_line(transcript, tip)->flags & CTX_LINE_SIDE))
		for (i = transcript->from; i < transcript->n; i++)
			if (transcript->lines[i].flags & CTX_LINE_SIDE)
				transcript->lines[i].active = false;
	rc = 0;
out:
	free(where);
	free(same);
	return rc;
}
