/* placeholder.h - writes and recognises the text block that replaces an image
 * or other media */
#ifndef CTX_STREAM_PLACEHOLDER_H
#define CTX_STREAM_PLACEHOLDER_H

#include "cost/media.h"
#include "store/store.h"

/* A placeholder for media is a line such as "[image removed: 1568x1176 png,
 * 212,345 bytes]".  In one made by ctx_age, a second line is a reference to a
 * file, and the first line does not contain the size in bytes. */

/* Appends the first line of the placeholder for a media block in json.  If
 * size is true, the line contains the size in bytes. */
int ctx_placeholder_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_media *media, bool size, struct ctx_err *err);
/* Appends the JSON of the text block that replaces a media block.  Members
 * that any block can have are copied from the media block: cache breakpoints,
 * ids, signatures. */
int ctx_placeholder_block(struct ctx_buf *out,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t node, struct ctx_str text, struct ctx_err *err);

/* Sets *is to true if the text of a JSON string is a placeholder for media,
 * and sets *ref to the reference in it; ref->path.n is 0 if it has none.  *ref
 * points into scratch, which is overwritten. */
int ctx_placeholder_read(struct ctx_str literal, struct ctx_buf *scratch,
    bool *is, struct ctx_reference *ref, struct ctx_err *err);
/* Sets *is and *ref like ctx_placeholder_read, for block i of a message.  Only
 * a text block can be a placeholder. */
int ctx_placeholder_part(const struct ctx_message *message, size_t i,
    struct ctx_buf *scratch, bool *is, struct ctx_reference *ref,
    struct ctx_err *err);

#endif
