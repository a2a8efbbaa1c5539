/* placeholder.h - writes and recognises placeholders: text blocks that replace
 * an image or other media */
#ifndef CTX_STREAM_PLACEHOLDER_H
#define CTX_STREAM_PLACEHOLDER_H

#include "cost/media.h"
#include "store/store.h"

/* A placeholder is a text block that replaces an image or other media.  It is
 * a line such as "[image removed: 1568x1176 png, 212,345 bytes]".  If ctx-age
 * has made it, the first line does not contain the size in bytes, and a second
 * line is a reference to a file. */

/* Appends the first line of the placeholder for a media block. json: the JSON
 * of this block.  If size is true, the line contains the size in bytes. */
int ctx_placeholder_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_media *media, bool size, struct ctx_err *err);
/* Appends the JSON of the text block that replaces a media block.  It has
 * those members of the media block that any block can have: cache breakpoints,
 * ids, signatures. */
int ctx_placeholder_block(struct ctx_buf *out,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t node, struct ctx_str text, struct ctx_err *err);

/* Sets *is to true if the text of a JSON string is a placeholder for media.
 * Sets *ref to the reference in it; if there is none, ref->path.n is 0.  *ref
 * points into scratch, which is overwritten. */
int ctx_placeholder_read(struct ctx_str literal, struct ctx_buf *scratch,
    bool *is, struct ctx_reference *ref, struct ctx_err *err);
/* Does what ctx_placeholder_read does, for block i of a message.  Only a text
 * block can be a placeholder. */
int ctx_placeholder_read_block(const struct ctx_message *message, size_t i,
    struct ctx_buf *scratch, bool *is, struct ctx_reference *ref,
    struct ctx_err *err);

#endif
