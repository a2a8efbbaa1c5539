/* cut_points.h - finds the places where a text that is too long is cut, removes
 * the part between them, and writes a mark such as "[... 12 lines truncated
 * ...]" in its place */
#ifndef CTX_TRUNCATE_CUT_POINTS_H
#define CTX_TRUNCATE_CUT_POINTS_H

#include "truncate/text_segments.h"
#include "truncate/truncate.h"

/* A place at which the texts of a message can be cut: between two characters of
 * a text, or before a block that is kept or removed as a whole. */
struct cut_point {
	size_t segment;
	/* offset of the place in bytes, counted as if all texts were one
	 * text */
	size_t at;
	/* size of all text before this place, in the unit of the limit */
	uint64_t size_before;
};

/* The range of the texts that is removed: from the end of the kept beginning
 * (head) to the beginning of the kept end (tail). */
struct cut_range {
	struct cut_point head, tail;
	/* Index of the text into which the mark "[... truncated ...]" is
	 * written.  If nothing is removed: the number of texts. */
	size_t mark_segment;
};

/* ---- cut_points.c ---- */

/* Returns true if a text is empty, or consists only of ASCII white space. */
bool ctx_cut_is_blank(const char *p, size_t n);

/*
 * Finds the range of the texts that must be removed.  At most head_room is kept
 * at the beginning of all texts, and at most tail_room at their end. unit: unit
 * of the three sizes; not tokens. total: size of all texts together.  The
 * caller must pass a total of at least head_room + tail_room.
 *
 * As much as possible is kept.  But a kept end of only white space is removed,
 * unless the mark for removed text is in the same text.
 */
void ctx_cut_find_points(struct cut_range *range,
    const struct text_segments *segments, enum ctx_size unit, uint64_t total,
    uint64_t head_room, uint64_t tail_room);

/* ---- cut_mark.c ---- */

/* Returns by how much the base64 payloads in a range of the text are longer
 * than the short texts that replace them, in the unit of the limit.  Payloads
 * are replaced before anything else is removed. */
uint64_t ctx_cut_payload_excess(const struct text_segments *segments,
    const struct cut_range *range);
/* Chooses what is written in place of removed text: a mark such as "[... 12
 * lines truncated ...]", an ellipsis, or nothing.  Chooses the longest of these
 * that does not exceed the limit. removed: maximum size of the removed text.
 * Sets *room to the part of the limit that remains for the kept text. */
int ctx_cut_choose_mark(struct shortener *shortener,
    const struct text_segments *segments, uint64_t removed, uint64_t limit,
    uint64_t *room, struct ctx_err *err);
/* Writes the size of the removed text into the mark, such as "[... 12 lines
 * truncated ...]".  Does nothing if the mark contains no size. removed: size of
 * the removed text.  A base64 payload that was replaced by a short text is
 * counted with the size of the short text. */
int ctx_cut_update_mark(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    uint64_t removed, struct ctx_err *err);
/* Sets shortener->mark to "[...]" with U+2026 for the dots.  This short mark
 * replaces all removed ranges of a text but the first, whose mark says how much
 * was removed.  If the range ends with a line feed, so does the short mark.
 * Inside a line, blanks separate the short mark from the kept text. */
int ctx_cut_repeat_mark(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    struct ctx_err *err);
/* Ensures that a message or tool result keeps some text, because providers
 * refuse empty texts.  If the mark is empty and the kept text may be blank,
 * removes the whole text and writes an ellipsis, even if the ellipsis exceeds
 * the limit.  Sets *done to false if the whole text is not longer than the
 * ellipsis. */
int ctx_cut_ensure_text(struct shortener *shortener,
    const struct text_segments *segments, struct cut_range *range, bool *done,
    struct ctx_err *err);

/* ---- apply_cut.c ---- */

/* Sets *total to the size that all texts together will have after a range of
 * them was removed and the mark for removed text was written, in the unit of
 * the limit. */
int ctx_cut_measure_outcome(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    uint64_t *total, struct ctx_err *err);
/* Adds the edits that remove a range of the texts, and write the mark for
 * removed text in place of this range.  If all text of a content block is
 * removed, also removes the block. */
int ctx_cut_apply(struct shortener *shortener, struct ctx_edits *edits,
    const struct text_segments *segments, const struct cut_range *range,
    struct ctx_err *err);

#endif
