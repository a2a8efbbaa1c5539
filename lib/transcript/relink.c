/*
 * relink.c - replaces ids of removed lines in other lines of a session file
 *
 * If a line contains the id of a line that ctx has removed, for example as its
 * parent, ctx replaces it by the id of a line that is kept.
 */
#include "transcript/lines.h"

/* Returns the nearest ancestor of a line (its parent, the parent of that, and
 * so on) that was not removed, or 0 if there is none.  Shortens the links that
 * it follows, which makes the next search faster.  Ends even if removed lines
 * name each other as parents. */
static uint32_t
find_kept_ancestor(struct ctx_transcript *transcript, uint32_t line)
{
	uint32_t up = ctx_transcript_line(transcript, line)->parent_line, *over;

	while (up != 0 && ctx_transcript_is_removed(transcript, up)) {
		over = &ctx_transcript_line(transcript, up)->parent_line;
		if (*over == up)
			*over = 0;
		else if (*over != 0 &&
		    ctx_transcript_is_removed(transcript, *over))
			*over =
			    ctx_transcript_line(transcript, *over)->parent_line;
		up = *over;
	}
	return up;
}

/* Returns the number of the line that replaces a removed line in references, or
 * 0 if there is none.  It is the first line after the removed one, in the same
 * file, that is active, has an id and was not removed.  Stores the number in
 * about_line of each removed line on the way; the old value of about_line is no
 * longer needed. */
static uint32_t
find_kept_successor(struct ctx_transcript *transcript, uint32_t line)
{
	uint32_t at, to = 0;
	struct ctx_transcript_line *entry;

	for (at = line; at <= transcript->n && to == 0; at++) {
		entry = ctx_transcript_line(transcript, at);
		if ((at > line && entry->begins_file) ||
		    (entry->successor_known && entry->about_line == 0))
			break;
		if (entry->successor_known)
			to = entry->about_line;
		else if (entry->active && entry->id != 0 &&
		    !ctx_transcript_is_removed(transcript, at))
			to = at;
	}
	for (; line < at; line++) {
		entry = ctx_transcript_line(transcript, line);
		if (!entry->removed || entry->successor_known)
			continue;
		entry->successor_known = true;
		entry->about_line = to;
	}
	return to;
}

/* A summary may contain the id of the first line that is kept after it ("to").
 * If ctx inserts a new line before that line, the summary must contain the id
 * of the new line instead.  Returns true if the summary must be changed for
 * this reason. */
static bool
has_inserted_start(const struct ctx_transcript *transcript,
    const struct ctx_transcript_line *summary, uint32_t to)
{
	return summary->kind == CTX_LINE_SUMMARY &&
	    ctx_transcript_line(transcript, to)->inserted_id != 0;
}

bool
ctx_transcript_needs_relink(const struct ctx_transcript *transcript,
    uint32_t line)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);

	return entry->inserted_id != 0 ||
	    (entry->parent_line != 0 && entry->parent != 0 &&
		ctx_transcript_is_removed(transcript, entry->parent_line)) ||
	    (entry->about_line != 0 &&
		(ctx_transcript_is_removed(transcript, entry->about_line) ||
		    has_inserted_start(transcript, entry, entry->about_line)));
}

/* Finds the nearest ancestor of a line (its parent, the parent of that, and so
 * on) that is kept.  Returns its id as a JSON string, or "null" if no ancestor
 * is kept. */
static struct ctx_str
find_parent_name(struct ctx_transcript *transcript, uint32_t line)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);
	struct ctx_str none = {"null", 4};
	uint32_t up = entry->parent_line;

	if (entry->parent == 0)
		return none;
	if (up != 0 && ctx_transcript_is_removed(transcript, up))
		up = find_kept_ancestor(transcript, line);
	return up == 0 || ctx_transcript_line(transcript, up)->id == 0
	    ? none
	    : ctx_intern_at(&transcript->names,
		  ctx_transcript_line(transcript, up)->id);
}

int
ctx_transcript_insert_before(struct ctx_transcript *transcript, uint32_t line,
    struct ctx_str id, struct ctx_str *parent, struct ctx_err *err)
{
	*parent = find_parent_name(transcript, line);
	if (ctx_transcript_line(transcript, line)->id == 0)
		return 0;
	return ctx_intern(&transcript->names, id.p, id.n,
		   &ctx_transcript_line(transcript, line)->inserted_id, err) < 0
	    ? -1
	    : 1;
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
 * line. name: the id of the new parent as a JSON string, or null.  If the
 * format has a member for the parent's id, and the line lacks it, adds the
 * member. */
static int
set_parent_name(const struct ctx_json *json, const struct ctx_line_place *at,
    struct ctx_str name, struct ctx_edits *edits, struct ctx_err *err)
{
	struct ctx_str begin = {json->text + json->nodes[0].at + 1, 0};
	size_t from = edits->store.n;

	if (at->parent != 0 || at->parent_key == NULL)
		return replace_name(json, at->parent, name, edits, err);
	if (ctx_buf_printf(&edits->store, err, "\"%s\":", at->parent_key) < 0 ||
	    ctx_buf_add(&edits->store, name.p, name.n, err) < 0 ||
	    ctx_buf_add(&edits->store, ",", 1, err) < 0)
		return -1;
	return ctx_edits_replace_stored(edits, begin, from, err);
}

int
ctx_transcript_relink(struct ctx_transcript *transcript, uint32_t line,
    const struct ctx_json *json, struct ctx_edits *edits, struct ctx_err *err)
{
	const struct ctx_transcript_line *entry =
	    ctx_transcript_line(transcript, line);
	struct ctx_line_place at;
	struct ctx_str name;
	uint32_t next, id;

	(void)ctx_transcript_read_line(transcript, line, json, &at);
	if (entry->inserted_id != 0 ||
	    (entry->parent_line != 0 && entry->parent != 0 &&
		ctx_transcript_is_removed(transcript, entry->parent_line))) {
		name = entry->inserted_id != 0
		    ? ctx_intern_at(&transcript->names, entry->inserted_id)
		    : find_parent_name(transcript, line);
		if (set_parent_name(json, &at, name, edits, err) < 0)
			return -1;
	}
	next = entry->about_line;
	if (next != 0 && ctx_transcript_is_removed(transcript, next))
		next = find_kept_successor(transcript, next);
	if (next == 0)
		return 0;
	id = ctx_transcript_line(transcript, next)->id;
	if (has_inserted_start(transcript, entry, next))
		id = ctx_transcript_line(transcript, next)->inserted_id;
	else if (next == entry->about_line)
		return 0;
	return replace_name(json, at.about,
	    ctx_intern_at(&transcript->names, id), edits, err);
}
