/*
 * active_branch.c - finds the active lines of a session file whose lines form a
 * tree
 *
 * A line is active if the agent would send its message with the next request.
 * Each line contains the id of its parent.  The active lines are those on the
 * path from the newest leaf up to the root of the tree.  If the path contains a
 * summary, it ends at the newest summary.
 */
#include <stdlib.h>

#include "transcript/lines.h"

static bool
is_in_tree(const struct ctx_transcript_line *entry)
{
	return entry->kind >= CTX_LINE_LINK && entry->kind <= CTX_LINE_SUMMARY;
}

/* Returns the number of the newest line of this file that has the given id, or
 * 0 if there is none. */
static uint32_t
find_line_of_id(const struct ctx_transcript *transcript, uint32_t id)
{
	uint32_t line =
	    id == 0 ? 0 : ctx_values_at(&transcript->newest_of_id, id);

	return line > transcript->from ? line : 0;
}

/* Finds the newest line of the file for each id.  If several lines have the
 * same id, sets CTX_VALUE_NEWER of each of them, except the last, to the number
 * of the next line with this id. */
static int
find_newest_lines(struct ctx_transcript *transcript, struct ctx_err *err)
{
	uint32_t line, id, last;

	ctx_values_clear(&transcript->newest_of_id, 0);
	for (size_t i = transcript->from; i < transcript->n; i++) {
		line = (uint32_t)i + 1;
		id = ctx_line_value(transcript, CTX_VALUE_ID, line);
		if (id == 0 || !is_in_tree(&transcript->lines[i]))
			continue;
		last = find_line_of_id(transcript, id);
		if ((last != 0 &&
			ctx_line_set(transcript, CTX_VALUE_NEWER, last, line,
			    err) < 0) ||
		    ctx_values_set(&transcript->newest_of_id, id, line, err) <
			0)
			return -1;
	}
	return 0;
}

/* Finds for each line of the file: its parent, another line to which it refers,
 * and a newer line with the same id. mends: true if a line whose parent is not
 * in the file gets the line before it as its parent. */
static int
resolve_line_ids(struct ctx_transcript *transcript, bool mends,
    struct ctx_err *err)
{
	uint32_t before = 0, line, id, up, parent, about;

	if (find_newest_lines(transcript, err) < 0)
		return -1;
	for (size_t i = transcript->from; i < transcript->n; i++) {
		line = (uint32_t)i + 1;
		id = ctx_line_value(transcript, CTX_VALUE_ID, line);
		up = ctx_line_value(transcript, CTX_VALUE_PARENT, line);
		parent = find_line_of_id(transcript, up);
		about = find_line_of_id(transcript,
		    ctx_line_value(transcript, CTX_VALUE_ABOUT, line));
		if (is_in_tree(&transcript->lines[i])) {
			/* If lines have no ids (version 1 of the agent pi), the
			 * parent of a line is the line before it. */
			if (id == 0 || (mends && up != 0 && parent == 0))
				parent = before;
			before = line;
		}
		if (ctx_line_set(transcript, CTX_VALUE_PARENT_LINE, line,
			parent, err) < 0 ||
		    ctx_line_set(transcript, CTX_VALUE_ABOUT_LINE, line, about,
			err) < 0)
			return -1;
	}
	return 0;
}

/* Returns the number of the last line of the file that is in the tree of lines,
 * or 0 if the tree is empty. */
static uint32_t
find_last_tree_line(const struct ctx_transcript *transcript)
{
	for (size_t i = transcript->n; i > transcript->from; i--)
		if (is_in_tree(&transcript->lines[i - 1]))
			return (uint32_t)i;
	return 0;
}

/* Finds the message that ends the active path (the path in the tree whose lines
 * are sent to the model).  Each leaf of the tree gives one candidate: the leaf
 * itself or, if it is not a message, its nearest ancestor that is a message.
 * Returns the line number of the candidate that is last in the file, or 0 if
 * there is none.  Messages of subagents, and user messages that no person
 * wrote, are chosen only if there is no other candidate.  Sets *leaf to the
 * last leaf for which this message is the candidate. where: scratch memory with
 * one element for each line of the file, all zero. */
static uint32_t
find_last_tip(const struct ctx_transcript *transcript, uint8_t *where,
    uint32_t *leaf)
{
	enum { PARENT = 1, SEEN = 2 };
	uint32_t main_tip = 0, any_tip = 0, any_leaf = 0, line, parent;
	const struct ctx_transcript_line *entry;

	for (size_t i = transcript->from; i < transcript->n; i++) {
		parent = ctx_line_parent(transcript, (uint32_t)i + 1);
		if (is_in_tree(&transcript->lines[i]) && parent != 0)
			where[parent - 1 - transcript->from] |= PARENT;
	}
	for (size_t i = transcript->n; i-- > transcript->from;) {
		line = (uint32_t)i + 1;
		if (!is_in_tree(&transcript->lines[i]) ||
		    ctx_line_value(transcript, CTX_VALUE_NEWER, line) != 0 ||
		    (where[i - transcript->from] & PARENT))
			continue;
		for (; line != 0; line = ctx_line_parent(transcript, line)) {
			entry = ctx_transcript_line(transcript, line);
			if (where[line - 1 - transcript->from] & SEEN)
				break;
			where[line - 1 - transcript->from] |= SEEN;
			if (entry->kind != CTX_LINE_MESSAGE)
				continue;
			if (line > any_tip) {
				any_tip = line;
				any_leaf = (uint32_t)i + 1;
			}
			if (line > main_tip &&
			    !(entry->flags & (CTX_LINE_SIDE | CTX_LINE_META))) {
				main_tip = line;
				*leaf = (uint32_t)i + 1;
			}
			break;
		}
	}
	if (main_tip == 0)
		*leaf = any_leaf;
	return main_tip != 0 ? main_tip : any_tip;
}

/* Makes lines active that a summary keeps: the summary may contain the id of an
 * earlier line, and say that this line and all later lines are still sent.
 * Earlier summaries are not made active.  Does nothing if the earlier line is
 * not an ancestor of the summary. */
static void
keep_before(struct ctx_transcript *transcript, uint32_t summary)
{
	uint32_t kept =
	    ctx_line_value(transcript, CTX_VALUE_ABOUT_LINE, summary);
	uint32_t parent = ctx_line_parent(transcript, summary), line = parent;
	size_t steps = transcript->n;

	while (line != 0 && line != kept && steps-- > 0)
		line = ctx_line_parent(transcript, line);
	if (line == 0 || line != kept)
		return;
	for (line = parent;; line = ctx_line_parent(transcript, line)) {
		ctx_transcript_line(transcript, line)->active =
		    ctx_transcript_line(transcript, line)->kind !=
		    CTX_LINE_SUMMARY;
		if (line == kept)
			return;
	}
}

static uint32_t
get_message(const struct ctx_transcript *transcript, uint32_t line)
{
	return ctx_line_value(transcript, CTX_VALUE_SAME, line);
}

/* Makes parallel tool calls and their results active.  If a response has
 * several tool calls, some agents write each call as a line, and each result
 * has the line of its call as its parent.  So only one of these calls is on the
 * path from the newest leaf to the root. is_active: scratch memory with one
 * element for each id of a message, all false. */
static void
keep_parallel(struct ctx_transcript *transcript, bool *is_active)
{
	struct ctx_transcript_line *entry;
	uint32_t line, parent;

	for (size_t i = transcript->from; i < transcript->n; i++)
		if (transcript->lines[i].active)
			is_active[get_message(transcript, (uint32_t)i + 1)] =
			    true;
	is_active[0] = false;
	for (size_t i = transcript->from; i < transcript->n; i++) {
		entry = &transcript->lines[i];
		line = (uint32_t)i + 1;
		if (entry->kind != CTX_LINE_MESSAGE ||
		    ctx_line_value(transcript, CTX_VALUE_NEWER, line) != 0)
			continue;
		if (is_active[get_message(transcript, line)])
			entry->active = true;
		parent = ctx_line_parent(transcript, line);
		if (!entry->active && (entry->flags & CTX_LINE_RESULT) &&
		    parent != 0 &&
		    ctx_transcript_line(transcript, parent)->active &&
		    get_message(transcript, parent) != 0)
			entry->active = entry->results_only = true;
	}
}

/* Returns the number of the last line of the active path (the path in the tree
 * whose lines are sent to the model), or 0 if there is none.  If *leaf is set,
 * the path continues after this line, without messages, to the line *leaf.
 * before: see ctx_transcript_active_branch. where, leaf: see find_last_tip. */
static uint32_t
find_tip(const struct ctx_transcript *transcript, uint32_t before,
    uint8_t *where, uint32_t *leaf)
{
	uint32_t up = ctx_line_value(transcript, CTX_VALUE_PARENT, before);
	uint32_t parent = find_line_of_id(transcript, up);

	if (before != 0 &&
	    ctx_line_value(transcript, CTX_VALUE_ID, before) != 0 &&
	    (parent != 0 || up == 0))
		return parent;
	if (before != 0)
		return find_last_tree_line(transcript);
	return transcript->dialect->history == CTX_HISTORY_TIP
	    ? find_last_tip(transcript, where, leaf)
	    : find_last_tree_line(transcript);
}

/* Makes all lines active that are on the path from this line up to the root of
 * the tree, or up to the newest summary if the path contains one.  If the
 * path ends at a line whose parent is not in the file, stores this line as
 * transcript->orphan. */
static void
follow_path(struct ctx_transcript *transcript, uint32_t line)
{
	for (; line != 0 && !ctx_transcript_line(transcript, line)->active;
	     line = ctx_line_parent(transcript, line)) {
		ctx_transcript_line(transcript, line)->active = true;
		if (ctx_transcript_line(transcript, line)->kind ==
		    CTX_LINE_SUMMARY) {
			keep_before(transcript, line);
			break;
		}
		if (ctx_line_parent(transcript, line) == 0 &&
		    ctx_line_value(transcript, CTX_VALUE_PARENT, line) != 0)
			transcript->orphan = line;
	}
}

int
ctx_transcript_active_branch(struct ctx_transcript *transcript, uint32_t before,
    struct ctx_err *err)
{
	uint8_t *where = calloc(transcript->n - transcript->from + 1, 1);
	bool *is_active = calloc(transcript->messages.n + 1, sizeof(bool));
	uint32_t tip, leaf = 0;
	int rc = -1;

	if (where == NULL || is_active == NULL) {
		ctx_err_nomem(err);
		goto out;
	}
	if (resolve_line_ids(transcript, before != 0, err) < 0)
		goto out;
	tip = find_tip(transcript, before, where, &leaf);
	follow_path(transcript, tip);
	follow_path(transcript, leaf);
	keep_parallel(transcript, is_active);
	if (tip != 0 &&
	    !(ctx_transcript_line(transcript, tip)->flags & CTX_LINE_SIDE))
		for (size_t i = transcript->from; i < transcript->n; i++)
			if (transcript->lines[i].flags & CTX_LINE_SIDE)
				transcript->lines[i].active = false;
	rc = 0;
out:
	free(where);
	free(is_active);
	return rc;
}
