/* placeholder.h - the text block that replaces a media block */
#ifndef CTX_STREAM_PLACEHOLDER_H
#define CTX_STREAM_PLACEHOLDER_H

#include "cost/media.h"
#include "store/store.h"

/*
 * A placeholder is the line "[image removed: 1568x1176 png, 212,345 bytes]".
 * One made by ctx_age has a reference as its second line, and no size in the
 * first.
 */

/* Appends the first line of the placeholder for a media block of json; with
 * size, the line has the size in bytes. */
int ctx_placeholder_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_media *media, bool size, struct ctx_err *err);
/* Appends the text block that replaces the block at node.  It keeps the members
 * that any block can have: cache breakpoints, ids, signatures. */
int ctx_placeholder_block(struct ctx_buf *out,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t node, struct ctx_str text, struct ctx_err *err);

/* Sets *is to true if a literal's text is a placeholder, and *ref to its
 * reference; ref->path.n is 0 if it has none.  *ref points into scratch, which
 * is overwritten. */
int ctx_placeholder_read(struct ctx_str literal, struct ctx_buf *scratch,
    bool *is, struct ctx_reference *ref, struct ctx_err *err);
/* Sets *is and *ref like ctx_placeholder_read, for block i of a message; only a
 * text block can be a placeholder. */
int ctx_placeholder_part(const struct ctx_message *message, size_t i,
    struct ctx_buf *scratch, bool *is, struct ctx_reference *ref,
    struct ctx_err *err);

#endif
