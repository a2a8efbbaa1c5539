/* image_rules.h - finds images in messages and replaces them by text */
#ifndef CTX_CHECK_IMAGE_RULES_H
#define CTX_CHECK_IMAGE_RULES_H

#include "check/check.h"

/* An image about which there may be a finding when later images exceed a
 * limit. */
struct ctx_image_seen {
	struct ctx_place place;
	const struct ctx_json *json; /* of the request, or NULL */
	uint32_t block;              /* in json; 0: no text may replace it */
	/* index of the image among those of its message that can be replaced */
	size_t ordinal;
	/* true if the image is too large for a request with many images */
	bool large;
};

/* Appends the JSON of a text block, in the form of the dialect, whose text is
 * the n bytes at p.  The dialect must have a text_block. */
int ctx_text_block(struct ctx_buf *out, const struct ctx_dialect *dialect,
    const char *p, size_t n, struct ctx_err *err);
/* Sets out to the JSON of a text block that describes the image in block and
 * is put in its place. */
int ctx_image_replace(struct ctx_buf *out, struct ctx_buf *scratch,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t block, struct ctx_err *err);
/* Sets *block to the block of the image with index ordinal among those of the
 * message that can be replaced; 0 if there is none.  Returns false with *err.
 */
bool ctx_image_find(const struct ctx_message *message, size_t ordinal,
    struct ctx_buf *scratch, uint32_t *block, struct ctx_err *err);

#endif
