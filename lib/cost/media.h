/* media.h - properties of images and other media in messages, and their
 * tokens */
#ifndef CTX_COST_MEDIA_H
#define CTX_COST_MEDIA_H

#include "dialect/dialect.h"

/* The detail (resolution) with which the model sees an image or the pages of a
 * PDF; a request can choose it.  The default is AUTO.  For an image it means
 * HIGH, or ORIGINAL with the rules original-patches and page-patches. */
enum ctx_detail {
	CTX_DETAIL_AUTO,
	CTX_DETAIL_HIGH,
	CTX_DETAIL_LOW,
	CTX_DETAIL_ORIGINAL,
};

/* Returns the number of tokens of an image with this width and height in
 * pixels.  If one of them is 0 (not known), 1024 by 1024 is assumed. */
uint64_t ctx_image_tokens(const struct ctx_image *image, uint32_t width,
    uint32_t height, enum ctx_detail detail);
/* Returns the number of tokens of a page of a PDF, without the tokens of its
 * text. */
uint64_t ctx_page_tokens(const struct ctx_image *image, enum ctx_detail detail);
/* Returns the number of tokens of a page of a PDF whose text is not known:
 * 3,000, unless the model has another number. */
uint64_t ctx_unknown_page_tokens(const struct ctx_image *image);

/* The cost of the media in a content block. */
struct ctx_media_cost {
	uint64_t tokens; /* estimated number of tokens, without those of text */
	/* The text of a document of plain text; its length is 0 for other
	 * media.  It is in the JSON text or in the scratch buffer. */
	struct ctx_str text;
};

/*
 * Sets *cost to the cost of the media at a JSON node.  The node is a string
 * (base64, a data: URL, another URL, a file id), or an object that contains
 * such a string.
 * - image: by its size in pixels (ctx_image_tokens)
 * - PDF: by its pages, and for OpenAI and Claude by the bytes of its text
 * - document of plain text: by the text; other document: by bytes
 * - audio: by its duration, which is taken from the WAV header or the MP3
 *   frames, otherwise from the bytes, otherwise from the transcript; otherwise
 *   it is a minute.  A second has 10 tokens, 20 of the assistant, 25 or 32 with
 *   Gemini.
 * - video: by its duration, which is taken from an MP4 file; otherwise 250,000
 *   bytes count as a second
 */
int ctx_media_tokens(const struct ctx_image *image, const struct ctx_json *json,
    uint32_t node, struct ctx_buf *scratch, struct ctx_media_cost *cost,
    struct ctx_err *err);

/* Properties of an image or another media block.  A string without escapes
 * points into the JSON text, a string with escapes into the scratch buffer.
 * The strings are valid until the JSON text or the scratch buffer changes. */
struct ctx_media {
	const char *kind;   /* kind of media: one of ctx_media_kinds */
	const char *format; /* format such as "png", or NULL if not known */
	/* width and height of an image in pixels, or 0 if not known */
	uint32_t width, height;
	/* Base64 text of the media, without padding.  Its length n is 0 if the
	 * block does not contain the data, or not as valid base64. */
	struct ctx_str base64;
	uint64_t bytes; /* length of the data after decoding */
	/* URL or file id, if the data are not in the block */
	struct ctx_str place;
	uint32_t title; /* JSON node of the file's name, or 0 */
};
/* names of the kinds of media that ctx_media.kind may point to, such as
 * "image"; the last element is NULL */
extern const char *const ctx_media_kinds[];
/* Sets *media to the known properties of the media block at a JSON node. */
int ctx_media_look(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_media *media, struct ctx_err *err);
/* Decodes a base64 text (ctx_media.base64), and appends the bytes to out. */
int ctx_media_decode(struct ctx_str base64, struct ctx_buf *out,
    struct ctx_err *err);

#endif
