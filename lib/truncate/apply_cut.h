/* apply_cut.h - removes a range of a text, and writes a mark such as "[... 12
 * lines truncated ...]" in its place */
#ifndef CTX_TRUNCATE_APPLY_CUT_H
#define CTX_TRUNCATE_APPLY_CUT_H

#include "truncate/cut_points.h"

/* ---- cut_mark.c ---- */

/* Returns how much larger the base64 payloads in a range of text were than the
 * short texts that have replaced them, in the unit of the limit. */
uint64_t ctx_cut_payload_excess(const struct text_segments *segments,
    const struct cut_range *range);
/* Chooses the mark that replaces removed text, the longest that fits into
 * limit: "[... 12 lines truncated ...]", an ellipsis, or none. removed is the
 * most that may be removed.  Sets *room to the rest of limit, which remains for
 * text. */
int ctx_cut_choose_mark(struct shortener *shortener,
    const struct text_segments *segments, uint64_t removed, uint64_t limit,
    uint64_t *room, struct ctx_err *err);
/* Writes the size of the removed text into the mark that replaces the text, if
 * the mark contains a size. removed: this size, where each base64 payload
 * counts only as the short text that has replaced it. */
int ctx_cut_update_mark(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    uint64_t removed, struct ctx_err *err);
/* Sets the mark for removed text to an ellipsis if no mark fits and the kept
 * text of a message may be blank, because providers refuse messages without
 * text.  The ellipsis may exceed the limit.  Sets *done to false if the text is
 * not longer than the ellipsis. */
int ctx_cut_ensure_text(struct shortener *shortener,
    const struct text_segments *segments, struct cut_range *range, bool *done,
    struct ctx_err *err);

/* ---- apply_cut.c ---- */

/* Sets *total to the size that the texts have after a range is removed and a
 * mark is written in its place. */
int ctx_cut_measure_outcome(struct shortener *shortener,
    const struct text_segments *segments, const struct cut_range *range,
    uint64_t *total, struct ctx_err *err);
/* Adds the edits that remove a range of text and write the mark in its place.
 * Content blocks that lie wholly in the range are removed. */
int ctx_cut_apply(struct shortener *shortener, struct ctx_edits *edits,
    const struct text_segments *segments, const struct cut_range *range,
    struct ctx_err *err);

#endif
