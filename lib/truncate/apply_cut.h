/* apply_cut.h - removes a part of a text, and writes a mark such as "[... 12
 * lines truncated ...]" in its place */
#ifndef CTX_TRUNCATE_APPLY_CUT_H
#define CTX_TRUNCATE_APPLY_CUT_H

#include "truncate/cut_points.h"

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
