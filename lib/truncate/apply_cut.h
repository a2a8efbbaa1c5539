/* apply_cut.h - removes a range of text, and the mark that stands for it */
#ifndef CTX_TRUNCATE_APPLY_CUT_H
#define CTX_TRUNCATE_APPLY_CUT_H

#include "truncate/cut_points.h"

/* ---- cut_mark.c ---- */

/* Returns the total size of the base64 payloads in a range minus that of their
 * placeholders. */
uint64_t ctx_cut_payload_excess(const struct text_segments *segments,
    const struct cut_range *range);
/* Chooses the longest mark that fits into limit: with the removed size (at most
 * removed), an ellipsis, or none.  Sets *room to the rest of limit. */
int ctx_cut_choose_mark(struct shortener *shortener,
    const struct text_segments *segments, uint64_t removed, uint64_t limit,
    uint64_t *room, struct ctx_err *err);
/* Writes the removed size into the mark, if the mark gives it.  removed does
 * not include how much larger replaced payloads were. */
int ctx_cut_update_mark(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    uint64_t removed, struct ctx_err *err);
/* Sets the mark to an ellipsis if no mark fits and the rest of a message's own
 * text may be blank: providers refuse messages without text.  The ellipsis may
 * exceed the limit.  Sets *done to false if the text is not longer than it. */
int ctx_cut_ensure_text(struct shortener *shortener,
    const struct text_segments *segments, struct cut_range *range, bool *done,
    struct ctx_err *err);

/* ---- apply_cut.c ---- */

/* Sets *total to the size of the texts after the range is removed. */
int ctx_cut_measure_outcome(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    uint64_t *total, struct ctx_err *err);
/* Adds the edits that remove a range of text and write the mark.  Blocks that
 * lie wholly in the range are removed. */
int ctx_cut_apply(struct shortener *shortener, struct ctx_edits *edits,
    const struct text_segments *segments, const struct cut_range *range,
    struct ctx_err *err);

#endif
