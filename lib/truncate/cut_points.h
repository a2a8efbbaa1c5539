/* cut_points.h - finds the places where a text that is too long is cut */
#ifndef CTX_TRUNCATE_CUT_POINTS_H
#define CTX_TRUNCATE_CUT_POINTS_H

#include "truncate/text_segments.h"
#include "truncate/truncate.h"

/* A place where the texts of a message can be cut: between two characters of a
 * text, or before a text that can only be kept or removed whole. */
struct cut_point {
	size_t segment;
	size_t at;            /* offset in bytes, as if all texts were one */
	uint64_t size_before; /* size of all text before the place */
};

/* The range of text to remove: from the end of the kept beginning (head) to the
 * start of the kept end (tail). */
struct cut_range {
	struct cut_point head, tail;
	/* Index of the text that gets the mark for the removed text; the number
	 * of texts if nothing is removed. */
	size_t mark_segment;
};

/* Returns the text of a segment (one text of a message).  If it has no text,
 * returns its JSON. */
struct ctx_str ctx_text_segment_text(const struct text_segments *segments,
    const struct text_segment *segment);
/* Returns the number of line feeds in a text. */
uint64_t ctx_cut_line_feeds(const char *p, size_t n);
/* Returns true if the text is empty or only ASCII white space. */
bool ctx_cut_is_blank(const char *p, size_t n);

/*
 * Finds the range to remove so that at most head_room is kept at the beginning
 * of the text and tail_room at its end.  The sizes are in unit, which must not
 * be tokens.  Together they are at most total, the size of all texts.
 *
 * As much as possible is kept.  But an end of only white space is removed,
 * unless the mark for the removed text is in the same text.
 */
void ctx_cut_find_points(struct cut_range *range,
    const struct text_segments *segments, enum ctx_size unit, uint64_t total,
    uint64_t head_room, uint64_t tail_room);

#endif
