/*
 * relink.c - replaces ids of removed lines in other lines of a session file
 *
 * If a line contains the id of a line that ctx has removed, for example as its
 * parent, ctx replaces it by the id of a line that is kept.
 */
#include "transcript/lines.h"

static uint32_t
get_about_line(const struct ctx_transcript *transcript, uint32_t line)
{
	return ctx_line_value(transcript, CTX_VALUE_ABOUT_LINE, line);
}

/* Returns the nearest ancestor of a line (its parent, the parent of its parent,
 * and so on) that was not removed, or 0 if there is none.  Shortens the chain
 * of removed ancestors, so that the next search is faster.  The search ends
 * even if removed lines have each other as parents. */
static uint32_t
find_kept_ancestor(struct ctx_transcript *transcript, uint32_t line)
{
	uint32_t up = ctx_line_parent(transcript, line), over;

	while (up != 0 && ctx_transcript_is_removed(transcript, up)) {
		over = ctx_line_parent(transcript, up);
		if (over == 0)
			return 0;
		if (over == up)
			over = 0;
		else if (ctx_transcript_is_removed(transcript, over))
			over = ctx_line_parent(transcript, over);
		ctx_line_change(transcript, CTX_VALUE_PARENT_LINE, up, over);
		up = over;
	}
	return up;
}

/* Finds the line to which other lines must refer in place of a removed line:
 * the first later line of the same file that is active (sent to the model), has
 * an id and was not removed.  Sets *to to the number of this line, or to 0 if
 * there is none.  Also stores this number as CTX_VALUE_ABOUT_LINE of the
 * removed lines that the search passes, whose old value is no longer needed. */
static int
find_kept_successor(struct ctx_transcript *transcript, uint32_t line,
    uint32_t *to, struct ctx_err *err)
{
	uint32_t at;
	struct ctx_transcript_line *entry;

	*to = 0;
	for (at = line; at <= transcript->n && *to == 0; at++) {
		entry = ctx_transcript_line(transcript, at);
		if ((at > line && entry->begins_file) ||
		    (entry->successor_known &&
			get_about_line(transcript, at) == 0))
			break;
		if (entry->successor_known)
			*to = get_about_line(transcript, at);
		else if (entry->active &&
		    ctx_line_value(transcript, CTX_VALUE_ID, at) != 0 &&
		    !ctx_transcript_is_removed(transcript, at))
			*to = at;
	}
	for (; line < at; line++) {
		entry = ctx_transcript_line(transcript, line);
		if (!entry->removed || entry->successor_known)
			continue;
		entry->successor_known = true;
		if (ctx_line_set(transcript, CTX_VALUE_ABOUT_LINE, line, *to,
			err) < 0)
			return -1;
	}
	return 0;
}

/* Returns true if a summary must be changed because ctx inserts a line.  A
 * summary may contain the id of an earlier line ("to"), and say that lines are
 * kept from that line on.  If ctx inserts a new line before the line "to", the
 * summary must contain the id of the new line. */
static bool
has_inserted_start(const struct ctx_transcript *transcript, uint32_t summary,
    uint32_t to)
{
	return ctx_transcript_line(transcript, summary)->kind ==
	    CTX_LINE_SUMMARY &&
	    ctx_line_value(transcript, CTX_VALUE_INSERTED_ID, to) != 0;
}

/* Returns true if the parent of a line changes: ctx has removed the parent, or
 * inserts a line before this line. */
static bool
has_other_parent(const struct ctx_transcript *transcript, uint32_t line)
{
	uint32_t parent = ctx_line_parent(transcript, line);

	return ctx_line_value(transcript, CTX_VALUE_INSERTED_ID, line) != 0 ||
	    (parent != 0 &&
		ctx_line_value(transcript, CTX_VALUE_PARENT, line) != 0 &&
		ctx_transcript_is_removed(transcript, parent));
}

bool
ctx_transcript_needs_relink(const struct ctx_transcript *transcript,
    uint32_t line)
{
	uint32_t about = get_about_line(transcript, line);

	return has_other_parent(transcript, line) ||
	    (about != 0 &&
		(ctx_transcript_is_removed(transcript, about) ||
		    has_inserted_start(transcript, line, about)));
}

/* Returns the id of the nearest ancestor of a line (its parent, the parent of
 * its parent, and so on) that is kept, as a JSON string.  Returns "null" if no
 * ancestor is kept, or if the ancestor has no id. */
static struct ctx_str
find_parent_name(struct ctx_transcript *transcript, uint32_t line)
{
	struct ctx_str none = {"null", 4};
	uint32_t up, id;

	if (ctx_line_value(transcript, CTX_VALUE_PARENT, line) == 0)
		return none;
	up = find_kept_ancestor(transcript, line);
	id = up == 0 ? 0 : ctx_line_value(transcript, CTX_VALUE_ID, up);
	return id == 0
	    ? none
	    : ctx_line_ids_text(&transcript->ids, id, transcript->id);
}

int
ctx_transcript_insert_before(struct ctx_transcript *transcript, uint32_t line,
    struct ctx_str id, struct ctx_str *parent, struct ctx_err *err)
{
	uint32_t number;

	if (ctx_line_value(transcript, CTX_VALUE_ID, line) == 0) {
		*parent = find_parent_name(transcript, line);
		return 0;
	}
	if (ctx_line_ids_add(&transcript->ids, id, &number, err) < 0 ||
	    ctx_line_set(transcript, CTX_VALUE_INSERTED_ID, line, number, err) <
		0)
		return -1;
	*parent = find_parent_name(transcript, line);
	return 1;
}

static int
replace_name(const struct ctx_json *json, uint32_t node, struct ctx_str name,
    struct ctx_edits *edits, struct ctx_err *err)
{
	if (node == 0)
		return 0;
	return ctx_edits_replace(edits, ctx_json_str(json, node), name.p,
	    name.n, err);
}

/* Changes the parent of a line: replaces the parent's id in the JSON of the
 * line. name: the id of the new parent as a JSON string, or null.  If the line
 * lacks the member for the parent's id, and the format has such a member, adds
 * the member. */
static int
set_parent_name(const struct ctx_json *json, const struct ctx_line_place *at,
    struct ctx_str name, struct ctx_edits *edits, struct ctx_err *err)
{
	struct ctx_str begin = {json->text + json->nodes[0].at + 1, 0};
	size_t from = edits->store.n;

	if (at->parent != 0 || at->parent_key == NULL)
		return replace_name(json, at->parent, name, edits, err);
	if (ctx_buf_printf(&edits->store, err, "\"%s\":", at->parent_key) < 0 ||
	    ctx_buf_add_str(&edits->store, name, err) < 0 ||
	    ctx_buf_add(&edits->store, ",", 1, err) < 0)
		return -1;
	return ctx_edits_replace_stored(edits, begin, from, err);
}

int
ctx_transcript_relink(struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_edits *edits, struct ctx_err *err)
{
	uint32_t next = get_about_line(transcript, line), about = next, id;
	struct ctx_line_place at;
	struct ctx_str name;

	(void)ctx_transcript_read_line(transcript, line, json, &at);
	if (has_other_parent(transcript, line)) {
		id = ctx_line_value(transcript, CTX_VALUE_INSERTED_ID, line);
		name = id != 0
		    ? ctx_line_ids_text(&transcript->ids, id, transcript->id)
		    : find_parent_name(transcript, line);
		if (set_parent_name(json, &at, name, edits, err) < 0)
			return -1;
	}
	if (next != 0 && ctx_transcript_is_removed(transcript, next) &&
	    find_kept_successor(transcript, next, &next, err) < 0)
		return -1;
	if (next == 0)
		return 0;
	id = ctx_line_value(transcript, CTX_VALUE_ID, next);
	if (has_inserted_start(transcript, line, next))
		id = ctx_line_value(transcript, CTX_VALUE_INSERTED_ID, next);
	else if (next == about)
		return 0;
	return replace_name(json, at.about,
	    ctx_line_ids_text(&transcript->ids, id, transcript->id), edits,
	    err);
}
