/* cut_points.h - finds the places where a text that is too long is cut */
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

/* Returns the number of line feeds in a text. */
uint64_t ctx_cut_line_feeds(const char *p, size_t n);
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

#endif
