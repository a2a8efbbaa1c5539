/* image_rules.h - images, and what replaces them */
#ifndef CTX_CHECK_IMAGE_RULES_H
#define CTX_CHECK_IMAGE_RULES_H

#include "check/check.h"

/* An image that a later one may make one too many. */
struct ctx_image_seen {
	struct ctx_place place;
	const struct ctx_json *json; /* of a request; else NULL */
	uint32_t block; /* in it; 0: no text may replace the image */
	size_t ordinal; /* among those of its message that may be replaced */
	bool large;     /* refused among many */
};

/* Appends a block of the dialect's with just a text; it has such blocks. */
int ctx_text_block(struct ctx_buf *out, const struct ctx_dialect *dialect,
    const char *p, size_t n, struct ctx_err *err);
/* Sets out to the text block that replaces an image's. */
int ctx_image_replace(struct ctx_buf *out, struct ctx_buf *scratch,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t block, struct ctx_err *err);
/* Sets *block to that of an image by its number among those of the message that
 * may be replaced, 0 if there is none.  False with *err. */
bool ctx_image_find(const struct ctx_message *message,
    const struct ctx_dialect *dialect, size_t ordinal, struct ctx_buf *scratch,
    uint32_t *block, struct ctx_err *err);

#endif
