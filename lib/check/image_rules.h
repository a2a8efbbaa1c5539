/* image_rules.h - finds images in messages, and replaces them by text */
#ifndef CTX_CHECK_IMAGE_RULES_H
#define CTX_CHECK_IMAGE_RULES_H

#include "check/check.h"

/* An image that was read.  The image is stored until the number of all images
 * in the request is known.  This number decides whether the request has too
 * many images, and whether this image is too large. */
struct ctx_image_seen {
	struct ctx_place place;
	/* JSON of the request that contains the image; NULL if the message is a
	 * record */
	const struct ctx_json *json;
	/* JSON node of the image, or 0 if no text can replace the image */
	uint32_t block;
	/* Index of the image in its message, counting only images that a text
	 * can replace. */
	size_t ordinal;
	/* true if the image is too large for a request with many images (see
	 * ctx_provider_limits.many) */
	bool large;
};

/* Appends the JSON of a text block in the format of the dialect, whose
 * text_block must not be NULL.  The text of the block is the n bytes at p. */
int ctx_text_block(struct ctx_buf *out, const struct ctx_dialect *dialect,
    const char *p, size_t n, struct ctx_err *err);
/* Sets out to the JSON of a text block that describes an image and replaces it.
 * block: JSON node of the image. */
int ctx_image_replace(struct ctx_buf *out, struct ctx_buf *scratch,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t block, struct ctx_err *err);
/* Sets *block to the JSON node of an image in a message, or to 0 if there is no
 * such image. ordinal: index of the image, counting only images that a text can
 * replace.  Returns true, or false with *err. */
bool ctx_image_find(const struct ctx_message *message, size_t ordinal,
    struct ctx_buf *scratch, uint32_t *block, struct ctx_err *err);

#endif
