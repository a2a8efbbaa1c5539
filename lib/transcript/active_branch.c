/*
 * active_branch.c - what is live in a tree
 *
 * The path from the newest tip to the root is, as far back as the last
 * summary says.
 */
#include <stdlib.h>
#include <string.h>

#include "transcript/lines.h"

static bool
in_tree(const struct ctx_transcript_line *h)
{
	return h->kind == CTX_LINE_LINK || h->kind == CTX_LINE_MESSAGE ||
	    h->kind == CTX_LINE_SUMMARY;
}

/* The line of the file with this id; the last of equal ids. */
static uint32_t
line_of(const struct ctx_transcript *live, uint32_t id)
{
	uint32_t line = id == 0 ? 0 : live->at[id];

	return line > live->from ? line : 0;
}

/* Finds the lines that the names mean. */
static int
resolve(struct ctx_transcript *live, struct ctx_err *err)
{
	size_t names = live->names.n + 1, known = live->at_cap, i;
	uint32_t *grown, before = 0, last;
	struct ctx_transcript_line *h;

	grown = ctx_grow(live->at, &live->at_cap, names, sizeof *grown, err);
	if (grown == NULL)
		return -1;
	live->at = grown;
	memset(grown + known, 0, (live->at_cap - known) * sizeof *grown);
	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		if (h->id == 0 || !in_tree(h))
			continue;
		last = line_of(live, h->id);
		if (last != 0)
			ctx_transcript_line(live, last)->newer =
			    (uint32_t)i + 1;
		live->at[h->id] = (uint32_t)i + 1;
	}
	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		h->up = line_of(live, h->parent);
		h->to = line_of(live, h->about);
		if (!in_tree(h))
			continue;
		/* Without ids (pi, version 1) lines follow one another. */
		if (h->id == 0)
			h->up = before;
		before = (uint32_t)i + 1;
	}
	return 0;
}

/* The last line of the tree. */
static uint32_t
last_line(const struct ctx_transcript *live)
{
	size_t i;

	for (i = live->n; i > live->from; i--)
		if (in_tree(&live->lines[i - 1]))
			return (uint32_t)i;
	return 0;
}

/*
 * The message nearest above a line that nothing names as its parent, the
 * last such in the file; of side chains only if there is no other.
 * where has an entry for each line of the file, all zero.
 */
static uint32_t
last_tip(const struct ctx_transcript *live, uint8_t *where)
{
	enum { PARENT = 1, SEEN = 2 };
	uint32_t main_tip = 0, any_tip = 0, line;
	const struct ctx_transcript_line *h;
	size_t i;

	for (i = live->from; i < live->n; i++)
		if (in_tree(&live->lines[i]) && live->lines[i].up != 0)
			where[live->lines[i].up - 1 - live->from] |= PARENT;
	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		if (!in_tree(h) || h->newer != 0 ||
		    (where[i - live->from] & PARENT))
			continue;
		for (line = (uint32_t)i + 1; line != 0; line = h->up) {
			h = ctx_transcript_line(live, line);
			if (where[line - 1 - live->from] & SEEN)
				break;
			where[line - 1 - live->from] |= SEEN;
			if (h->kind != CTX_LINE_MESSAGE)
				continue;
			if (line > any_tip)
				any_tip = line;
			if (line > main_tip &&
			    !(h->flags & (CTX_LINE_SIDE | CTX_LINE_META)))
				main_tip = line;
			break;
		}
	}
	return main_tip != 0 ? main_tip : any_tip;
}

/* What is before a summary is live from the line on that it names. */
static void
keep_before(struct ctx_transcript *live, uint32_t summary)
{
	uint32_t kept = ctx_transcript_line(live, summary)->to, line;
	size_t steps = live->n;

	line = ctx_transcript_line(live, summary)->up;
	while (line != 0 && line != kept && steps-- > 0)
		line = ctx_transcript_line(live, line)->up;
	if (line == 0 || line != kept)
		return;
	for (line = ctx_transcript_line(live, summary)->up;;
	     line = ctx_transcript_line(live, line)->up) {
		ctx_transcript_line(live, line)->live =
		    ctx_transcript_line(live, line)->kind != CTX_LINE_SUMMARY;
		if (line == kept)
			return;
	}
}

/*
 * A response whose calls run at the same time is a line a call, and each
 * result hangs on its own line: the path goes past all but one of them.
 */
static void
keep_parallel(struct ctx_transcript *live, uint32_t *same)
{
	struct ctx_transcript_line *h;
	size_t i;

	for (i = live->from; i < live->n; i++)
		if (live->lines[i].live)
			same[live->lines[i].same] = 1;
	same[0] = 0;
	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		if (h->kind != CTX_LINE_MESSAGE || h->newer != 0)
			continue;
		if (same[h->same] != 0)
			h->live = true;
		if (!h->live && (h->flags & CTX_LINE_RESULT) && h->up != 0 &&
		    ctx_transcript_line(live, h->up)->live &&
		    ctx_transcript_line(live, h->up)->same != 0)
			h->live = h->beside = true;
	}
}

int
ctx_transcript_active_branch(struct ctx_transcript *live, struct ctx_err *err)
{
	size_t lines = live->n - live->from, names = live->names.n + 1, i;
	uint8_t *where = calloc(lines + 1, 1);
	uint32_t *same = calloc(names, sizeof *same);
	uint32_t tip = 0, line;
	int rc = -1;

	if (where == NULL || same == NULL) {
		ctx_err_nomem(err);
		goto out;
	}
	if (resolve(live, err) < 0)
		goto out;
	tip = live->dialect->history == CTX_HISTORY_TIP ? last_tip(live, where)
							: last_line(live);
	for (line = tip; line != 0 && !ctx_transcript_line(live, line)->live;
	     line = ctx_transcript_line(live, line)->up) {
		ctx_transcript_line(live, line)->live = true;
		if (ctx_transcript_line(live, line)->kind == CTX_LINE_SUMMARY) {
			keep_before(live, line);
			break;
		}
	}
	keep_parallel(live, same);
	if (tip != 0 &&
	    !(ctx_transcript_line(live, tip)->flags & CTX_LINE_SIDE))
		for (i = live->from; i < live->n; i++)
			if (live->lines[i].flags & CTX_LINE_SIDE)
				live->lines[i].live = false;
	rc = 0;
out:
	free(where);
	free(same);
	return rc;
}
