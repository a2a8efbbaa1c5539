/* placeholder.h - writes and recognises placeholders: text blocks that replace
 * an image or other media */
#ifndef CTX_STREAM_PLACEHOLDER_H
#define CTX_STREAM_PLACEHOLDER_H

#include "cost/media.h"
#include "store/store.h"

/* A placeholder is a text block that replaces an image or other media.  It is a
 * line such as "[image removed: 1568x1176 png, 212,345 bytes]".  If ctx-age has
 * written it, this line does not contain the size in bytes, and a second line
 * is a reference to the file with the media. */

/* Appends the first line of the text that replaces a media block. json: JSON of
 * the media block. size: true if the line contains the size in bytes. */
int ctx_placeholder_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_media *media, bool size, struct ctx_err *err);
/* Appends the JSON of the text block that replaces the media block at the JSON
 * node "node". text: the text of the new block.  The new block also gets those
 * members of the media block that any block can have: cache breakpoints, ids,
 * signatures. */
int ctx_placeholder_block(struct ctx_buf *out,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t node, struct ctx_str text, struct ctx_err *err);

/* Sets *is to true if the text of a JSON string is a placeholder (a text that
 * replaces media). literal: the JSON string with its quotes.  If the text is a
 * placeholder, sets *ref to the reference to a file in the text, or ref->path.n
 * to 0 if there is none. *ref points into scratch, whose earlier contents are
 * lost. */
int ctx_placeholder_read(struct ctx_str literal, struct ctx_buf *scratch,
    bool *is, struct ctx_reference *ref, struct ctx_err *err);
/* Does the same as ctx_placeholder_read for block i of a message.  Only a text
 * block can be a placeholder. */
int ctx_placeholder_read_block(const struct ctx_message *message, size_t i,
    struct ctx_buf *scratch, bool *is, struct ctx_reference *ref,
    struct ctx_err *err);

#endif
