/* image_rules.h - finding images and replacing them by text */
#ifndef CTX_CHECK_IMAGE_RULES_H
#define CTX_CHECK_IMAGE_RULES_H

#include "check/check.h"

/* An image that may be refused when later images exceed a limit. */
struct ctx_image_seen {
	struct ctx_place place;
	const struct ctx_json *json; /* of the request, or NULL */
	uint32_t block;              /* in json; 0: no text may replace it */
	size_t ordinal; /* index among the replaceable images of its message */
	bool large;     /* true if refused in a request of many images */
};

/* Appends a text block with n bytes at p in the form of the dialect, whose
 * text_block must not be NULL. */
int ctx_text_block(struct ctx_buf *out, const struct ctx_dialect *dialect,
    const char *p, size_t n, struct ctx_err *err);
/* Sets out to a text block that describes the image in block and replaces it.
 */
int ctx_image_replace(struct ctx_buf *out, struct ctx_buf *scratch,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t block, struct ctx_err *err);
/* Sets *block to the block of replaceable image number ordinal of the message,
 * or to 0 if there is none. Returns false with *err. */
bool ctx_image_find(const struct ctx_message *message, size_t ordinal,
    struct ctx_buf *scratch, uint32_t *block, struct ctx_err *err);

#endif
