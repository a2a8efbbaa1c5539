/* placeholder.h - the text block that takes the place of a block of media */
#ifndef CTX_STREAM_PLACEHOLDER_H
#define CTX_STREAM_PLACEHOLDER_H

#include "cost/media.h"
#include "store/reference.h"

/*
 * A stand-in is the line "[image removed: 1568x1176 png, 212,345 bytes]".  One
 * that ctx_age made has a reference as second line, and no size in the first.
 */

/* Appends the first line for a block of json; size: with the size in
 * bytes. */
int ctx_placeholder_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_media *media, bool size, struct ctx_err *err);
/* Appends the text block of a stand-in for the block at node, with what of
 * that block holds for any block: hints for a cache, ids, signatures. */
int ctx_placeholder_block(struct ctx_buf *out,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t node, struct ctx_str text, struct ctx_err *err);

/* True if the text of a literal is a stand-in; scratch is overwritten.  Sets
 * *ref to its reference, with path.n 0 if it has none; that points into
 * scratch. */
int ctx_placeholder_read(struct ctx_str literal, struct ctx_buf *scratch,
    bool *is, struct reference *ref, struct ctx_err *err);
/* The same of part i of a message: is it a text block that is a stand-in? */
int ctx_placeholder_part(const struct ctx_message *message, size_t i,
    struct ctx_buf *scratch, bool *is, struct reference *ref,
    struct ctx_err *err);

#endif
