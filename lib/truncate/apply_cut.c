/* apply_cut.c - removes a part of a text, and writes a mark such as "[... 12
 * lines truncated ...]" in its place */
#include <stdlib.h>
#include <string.h>

#include "dialect/result_content.h"
#include "stream/stream.h"
#include "truncate/cut_points.h"

/* How one text of a message changes if a range of bytes is removed from all
 * texts of the message, counted as if they were one text.  In this text, the
 * bytes between the offsets "from" and "to" are removed.  If has_mark is true,
 * the mark for removed text is written in their place. */
struct segment_change {
	enum { KEPT, REMOVED, CHANGED } action;
	size_t from, to;
	bool has_mark;
};

/* Bytes of a JSON string that are removed, and the mark that is written in
 * their place ("[... 12 lines truncated ...]"). */
struct literal_change {
	size_t from, to;
	struct ctx_str mark; /* JSON of the mark, without quotes */
};

/* Returns the offset in segments->text at which a text ends.  If there is only
 * one text, includes the bytes at its end that must not be removed
 * (segments->uncut_bytes). */
static size_t
find_segment_end(const struct text_segments *segments,
    const struct text_segment *segment)
{
	return segment->to + (segments->n == 1 ? segments->uncut_bytes : 0);
}

/* Returns how text number i changes if a range of bytes is removed from all
 * texts of a message, counted as if they were one text. */
static struct segment_change
find_segment_change(const struct text_segments *segments,
    const struct cut_range *range, size_t i)
{
	const struct text_segment *segment = &segments->list[i];
	const struct cut_point *head = &range->head, *tail = &range->tail;
	const size_t begin = segment->from,
		     end = find_segment_end(segments, segment);
	struct segment_change change = {.action = CHANGED,
	    .from = begin,
	    .to = begin};

	if (segment->literal.n == 0) {
		change.action =
		    i >= head->segment && i < tail->segment ? REMOVED : KEPT;
		return change;
	}
	if (i <= head->segment)
		change.from = i < head->segment ? end : head->at;
	if (i <= tail->segment)
		change.to = i < tail->segment ? end : tail->at;
	change.has_mark = i == range->mark_segment;
	if (change.has_mark)
		return change;
	if (change.from == change.to)
		change.action = segment->has_placeholders ? CHANGED : KEPT;
	else if (change.from == begin && change.to == end)
		change.action = REMOVED;
	return change;
}

/* Returns the JSON of the mark for removed text, without quotes.  Returns an
 * empty string if the mark is written in another text than this one. */
static struct ctx_str
get_mark_text(const struct shortener *shortener,
    const struct segment_change *change)
{
	if (!change->has_mark)
		return (struct ctx_str){"", 0};
	return (struct ctx_str){shortener->mark.p + 1, shortener->mark.n - 2};
}

int
ctx_cut_measure_outcome(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    uint64_t *total, struct ctx_err *err)
{
	const struct ctx_str mark = {shortener->mark.p, shortener->mark.n};
	const char *p = segments->text.p;
	const struct text_segment *segment;
	struct segment_change change;
	struct ctx_str text;
	uint64_t size;

	*total = 0;
	for (size_t i = 0; i < segments->n; i++) {
		segment = &segments->list[i];
		change = find_segment_change(segments, range, i);
		if (change.action == REMOVED)
			continue;
		text = ctx_text_segment_text(segments, segment);
		if (segment->literal.n > 0) {
			shortener->text.n = 0;
			if (ctx_buf_add(&shortener->text, p + segment->from,
				change.from - segment->from, err) < 0 ||
			    (change.has_mark &&
				ctx_json_string_decode(&shortener->text, mark,
				    err) < 0) ||
			    ctx_buf_add(&shortener->text, p + change.to,
				find_segment_end(segments, segment) - change.to,
				err) < 0)
				return -1;
			text = ctx_buf_str(&shortener->text);
		}
		if (ctx_shorten_measure(shortener, text.p, text.n, &size, err) <
		    0)
			return -1;
		*total += size;
	}
	return 0;
}

/* Appends the JSON of a tool result whose text was shortened.  The content of
 * the shortened result is a single string. form: the JSON before and after this
 * string (see ctx_result_content_form). */
static int
append_text_result(struct ctx_buf *out, const char *const *form,
    struct ctx_str text, const struct literal_change *change,
    struct ctx_err *err)
{
	size_t at;

	if (ctx_buf_printf(out, err, "%s", form[0]) < 0 ||
	    ctx_json_string_encode(out, text.p, change->from, err) < 0)
		return -1;
	/* The kept beginning and the mark become one JSON string.  So the
	 * closing quote of the beginning is removed. */
	out->n--;
	if (ctx_buf_add_str(out, change->mark, err) < 0)
		return -1;
	at = out->n;
	if (ctx_json_string_encode(out, text.p + change->to,
		text.n - change->to, err) < 0)
		return -1;
	memmove(out->p + at, out->p + at + 1, --out->n - at);
	return ctx_buf_printf(out, err, "%s", form[1]);
}

/* Appends a JSON string in which some bytes are replaced by the mark for
 * removed text. */
static int
append_literal(struct ctx_buf *out, struct ctx_str literal,
    const struct literal_change *change, struct ctx_err *err)
{
	if (ctx_buf_add(out, literal.p, change->from, err) < 0 ||
	    ctx_buf_add_str(out, change->mark, err) < 0)
		return -1;
	return ctx_buf_add(out, literal.p + change->to, literal.n - change->to,
	    err);
}

/* Adds the edit of the JSON that shortens one text of a message. */
static int
edit_segment(const struct shortener *shortener, struct ctx_edits *edits,
    const struct text_segments *segments, const struct text_segment *segment,
    const struct segment_change *change, struct ctx_err *err)
{
	const struct ctx_message *message = &segments->message;
	struct literal_change part = {.mark = get_mark_text(shortener, change)};
	struct ctx_str literal = segment->literal;
	size_t stored = edits->store.n;

	part.from = ctx_text_segment_seek(segment, !segment->is_json,
	    change->from - segment->from);
	part.to = ctx_text_segment_seek(segment, part.from,
	    change->to - change->from);
	if (!segment->is_json && !segment->has_placeholders)
		return ctx_edits_replace(edits,
		    (struct ctx_str){literal.p + part.from,
			part.to - part.from},
		    part.mark.p, part.mark.n, err);
	if (segment->is_json
		? append_text_result(&edits->store,
		      ctx_result_content_form(message->json, segment->node,
			  message->dialect),
		      literal, &part, err) < 0
		: append_literal(&edits->store, literal, &part, err) < 0)
		return -1;
	return ctx_edits_replace_stored(edits,
	    ctx_json_str(message->json, segment->node), stored, err);
}

int
ctx_cut_apply(struct shortener *shortener, struct ctx_edits *edits,
    const struct text_segments *segments, const struct cut_range *range,
    struct ctx_err *err)
{
	/* For a tool result, source has only the blocks inside the result.  The
	 * message itself may have very many blocks, and all of them would be
	 * visited for each cut. */
	const struct ctx_message *source = &segments->message;
	size_t nodes = source->json->nodes[source->node].next - source->node;
	const struct text_segment *segment;
	struct segment_change change;
	int rc = -1;
	bool *removed;

	removed = calloc(nodes, sizeof *removed);
	if (removed == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < segments->n; i++) {
		segment = &segments->list[i];
		change = find_segment_change(segments, range, i);
		if (change.action == REMOVED && segment->removable != 0)
			removed[segment->removable - source->node] = true;
		else if (change.action != KEPT &&
		    edit_segment(shortener, edits, segments, segment, &change,
			err) < 0)
			goto out;
	}
	/* An array of texts has no blocks: its children are its elements. */
	rc = source->n == 0 &&
		source->json->nodes[source->node].kind == CTX_JSON_ARRAY
	    ? ctx_edits_remove(edits, source->json, source->node, removed + 1,
		  err)
	    : ctx_edits_remove_nodes(edits, source, removed, err);
out:
	free(removed);
	return rc;
}
