/* media.h - tokens of what is no text, for count.c and the tests */
#ifndef COUNT_MEDIA_H
#define COUNT_MEDIA_H

#include "ctx.h"

/* What a request may ask for; high is what it gets unasked. */
enum ctx_detail {
	CTX_DETAIL_HIGH,
	CTX_DETAIL_LOW,
	CTX_DETAIL_ORIGINAL,
};

/* An image of a size in pixels (0: not known, a square of 1024). */
uint64_t ctx_image_tokens(const struct ctx_image *image, uint32_t width,
    uint32_t height, enum ctx_detail detail);

/*
 * A payload as formats hold it: a string of base64, a data: address, another
 * address or a file id, or an object with one of them in it.  A document
 * costs by its length, sound by its seconds, as its header tells them, or its
 * bytes, or a transcript, else for a minute: 10 tokens each, 20 of what the
 * assistant said aloud, with Gemini 32; film 263 a second, taken for two
 * million bits.
 */
int ctx_media_tokens(const struct ctx_image *image, const struct ctx_json *json,
    uint32_t node, struct ctx_buf *scratch, uint64_t *tokens,
    struct ctx_err *err);

#endif
