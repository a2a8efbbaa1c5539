/* media.h - tokens of what is no text, for message_tokens.c and the tests */
#ifndef CTX_COST_MEDIA_H
#define CTX_COST_MEDIA_H

#include "dialect/dialect.h"

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

/* What a block of media holds; texts live as what ctx_json_text gives. */
struct ctx_media {
	const char *kind;       /* one of ctx_media_kinds */
	const char *format;     /* "png", ...; NULL: not known */
	uint32_t width, height; /* of an image, in pixels; 0: not known */
	struct ctx_str base64;  /* the payload, no padding; n 0: it is not in
				 * the block */
	uint64_t bytes;         /* of the payload, decoded */
	struct ctx_str place;   /* an address or a file id instead of it */
	uint32_t title;         /* the node of a file's name; 0: none */
};
extern const char *const ctx_media_kinds[]; /* NULL ended */
/* Looks at the block of media at node. */
int ctx_media_look(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_media *media, struct ctx_err *err);
/* Appends the bytes that a payload stands for. */
int ctx_media_decode(struct ctx_str base64, struct ctx_buf *out,
    struct ctx_err *err);

#endif
