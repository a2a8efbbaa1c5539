/* cut_points.h - what goes of a long item, and what its head and tail are */
#ifndef CTX_TRUNCATE_CUT_POINTS_H
#define CTX_TRUNCATE_CUT_POINTS_H

#include "truncate/text_segments.h"
#include "truncate/truncate.h"

/* Between two characters of a piece; or before a piece that has no text. */
struct cut_point {
	size_t piece;
	size_t at;     /* bytes of the text of all pieces */
	uint64_t size; /* of what stands before it */
};

struct cut_range {
	struct cut_point head, tail;
	size_t host; /* the piece that holds the mark; none: nothing goes */
};

/* What may be cut of a piece; the JSON of one that has no text. */
struct ctx_str ctx_text_segment_text(const struct text_segments *text_segments,
    const struct text_segment *segment);
/* Lines that end in a text. */
uint64_t ctx_cut_line_feeds(const char *p, size_t n);
/* Is there nothing but ASCII white space, or nothing? */
bool ctx_cut_is_blank(const char *p, size_t n);

/*
 * Finds what lies between a head and a tail for which there are rooms,
 * together no more than total, the size of all pieces.  Both are as long as
 * they can be; but a tail that leaves only white space of a text, and not of
 * the one with the mark, goes too.  Tokens are no unit here.
 */
void ctx_cut_find_points(struct cut_range *range,
    const struct text_segments *text_segments, enum ctx_size unit,
    uint64_t total, uint64_t head_room, uint64_t tail_room);

#endif
