/* image_rules.h - finds images in messages and replaces them by text */
#ifndef CTX_CHECK_IMAGE_RULES_H
#define CTX_CHECK_IMAGE_RULES_H

#include "check/check.h"

/* An image that was read.  Only after later images were read, it is known
 * whether the request has too many images, or whether this image is too large
 * for a request with so many. */
struct ctx_image_seen {
	struct ctx_place place;
	/* JSON of the request that contains the image; NULL if the message is
	 * a record */
	const struct ctx_json *json;
	/* JSON node of the image; 0: a text cannot replace it */
	uint32_t block;
	/* Index of the image among those of its message that a text can
	 * replace. */
	size_t ordinal;
	/* true if the image is too large for a request with many images */
	bool large;
};

/* Appends the JSON of a text block, as the dialect writes it.  The text of the
 * block is the n bytes at p. dialect->text_block must not be NULL. */
int ctx_text_block(struct ctx_buf *out, const struct ctx_dialect *dialect,
    const char *p, size_t n, struct ctx_err *err);
/* Sets out to the JSON of a text block that replaces an image and describes
 * it. block: the JSON node of the image. */
int ctx_image_replace(struct ctx_buf *out, struct ctx_buf *scratch,
    const struct ctx_dialect *dialect, const struct ctx_json *json,
    uint32_t block, struct ctx_err *err);
/* Sets *block to the JSON node of an image in a message, or to 0 if there is no
 * such image. ordinal: index of the image among those that a text can replace.
 * Returns true, or false with *err. */
bool ctx_image_find(const struct ctx_message *message, size_t ordinal,
    struct ctx_buf *scratch, uint32_t *block, struct ctx_err *err);

#endif
