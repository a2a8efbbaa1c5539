/* media.h - tokens and properties of images and other media in messages */
#ifndef CTX_COST_MEDIA_H
#define CTX_COST_MEDIA_H

#include "dialect/dialect.h"

/* The detail of an image that a request asks for.  HIGH is the default. */
enum ctx_detail {
	CTX_DETAIL_HIGH,
	CTX_DETAIL_LOW,
	CTX_DETAIL_ORIGINAL,
};

/* Returns the tokens of an image of this size in pixels.  If the size is 0 by
 * 0 (not known), 1024 by 1024 is assumed. */
uint64_t ctx_image_tokens(const struct ctx_image *image, uint32_t width,
    uint32_t height, enum ctx_detail detail);

/*
 * Sets *tokens to the estimated tokens of a media payload.  A payload is a
 * string (base64, a data: URL, another URL, a file id) or an object with one in
 * it.
 *
 *   image     by its size in pixels (ctx_image_tokens)
 *   document  by pages or bytes
 *   audio     by its seconds: from its WAV or MP3 header, else its bytes, else
 *             its transcript, else a minute.  Per second 10 tokens, 20 if the
 *             assistant spoke, 32 for Gemini.
 *   video     263 tokens per second, taken as 250,000 bytes
 */
int ctx_media_tokens(const struct ctx_image *image, const struct ctx_json *json,
    uint32_t node, struct ctx_buf *scratch, uint64_t *tokens,
    struct ctx_err *err);

/* The properties of an image or other media block.  The strings point into the
 * JSON or, if they have escapes, into the scratch buffer, and are valid until
 * either changes. */
struct ctx_media {
	const char *kind;       /* one of ctx_media_kinds */
	const char *format;     /* "png" and so on; NULL: not known */
	uint32_t width, height; /* pixels of an image; 0: not known */
	struct ctx_str base64;  /* without padding; n 0: not in the block */
	uint64_t bytes;         /* decoded bytes of the payload */
	struct ctx_str place;   /* URL or file id of a payload elsewhere */
	uint32_t title;         /* node of the file's name, or 0 */
};
extern const char *const ctx_media_kinds[]; /* ended by NULL */
/* Sets *media to the properties of the media block at this JSON node. */
int ctx_media_look(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_media *media, struct ctx_err *err);
/* Appends the bytes that a base64 payload (ctx_media.base64) contains. */
int ctx_media_decode(struct ctx_str base64, struct ctx_buf *out,
    struct ctx_err *err);

#endif
