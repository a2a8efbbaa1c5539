/* cut_points.h - where long texts are cut */
#ifndef CTX_TRUNCATE_CUT_POINTS_H
#define CTX_TRUNCATE_CUT_POINTS_H

#include "truncate/text_segments.h"
#include "truncate/truncate.h"

/* A place between two characters of a segment, or before a segment without
 * text. */
struct cut_point {
	size_t segment;
	size_t at;            /* bytes of the concatenated texts */
	uint64_t size_before; /* size of all text before it */
};

/* The text to remove: from the end of the head to the start of the tail. */
struct cut_range {
	struct cut_point head, tail;
	size_t mark_segment; /* the segment that gets the mark; n: nothing is
				removed */
};

/* Returns the text of a segment; its JSON, if it has no text. */
struct ctx_str ctx_text_segment_text(const struct text_segments *segments,
    const struct text_segment *segment);
/* Returns the number of line feeds in a text. */
uint64_t ctx_cut_line_feeds(const char *p, size_t n);
/* Returns true if the text is empty or only ASCII white space. */
bool ctx_cut_is_blank(const char *p, size_t n);

/*
 * Finds the range to remove between a head and a tail of at most head_room and
 * tail_room, together at most total, the size of all segments.  Head and tail
 * are as long as possible.  But a tail of only white space is removed, unless
 * the mark is in its segment.  unit must not be tokens.
 */
void ctx_cut_find_points(struct cut_range *range,
    const struct text_segments *segments, enum ctx_size unit, uint64_t total,
    uint64_t head_room, uint64_t tail_room);

#endif
