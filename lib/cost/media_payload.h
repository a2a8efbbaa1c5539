/* media_payload.h - declarations that the files about images and other media
 * share */
#ifndef CTX_COST_MEDIA_PAYLOAD_H
#define CTX_COST_MEDIA_PAYLOAD_H

#include "cost/base64_bytes.h"
#include "cost/media.h"

enum ctx_media_kind {
	CTX_MEDIA_IMAGE, /* or not known */
	CTX_MEDIA_PAGES, /* a PDF */
	CTX_MEDIA_TEXT,  /* any other document */
	CTX_MEDIA_SOUND,
	CTX_MEDIA_SPEECH, /* audio that the assistant made */
	CTX_MEDIA_VIDEO
};

/* ---- media_payload.c ---- */

/* What was detected about a payload. */
struct ctx_media_payload {
	enum ctx_media_kind kind;
	enum ctx_detail detail;
	struct ctx_base64 bytes;
	uint64_t spoken; /* characters of a transcript */
	bool image;      /* true if a type says that it is an image */
	/* JSON nodes of the file id or URI, and of the file name; 0: none */
	uint32_t id, title;
};

/* Detects what a media payload is.  Sets *text to its data or its URL, which
 * may be stored in scratch. */
int ctx_media_payload_find(struct ctx_media_payload *payload,
    const struct ctx_json *json, uint32_t node, struct ctx_buf *scratch,
    struct ctx_str *text, struct ctx_err *err);

/* ---- media_header.c ---- */

/* Sets width and height of an image in pixels; 0 by 0 if the image format is
 * not known. */
void ctx_read_image_size(const struct ctx_base64 *b, uint32_t *w, uint32_t *h);
/* Returns the number of pages of a PDF: its /Page objects outside compressed
 * parts or, if there are none, one for 50,000 bytes. */
uint64_t ctx_count_pdf_pages(const struct ctx_base64 *b);
/* Returns the bytes per second of an MP3 file, read from its first frame,
 * which may come after an ID3 tag; 0 if it is not an MP3 file. */
uint32_t ctx_read_mp3_rate(const struct ctx_base64 *b);
/* Returns the length of audio in seconds: from the header of WAV or MP3, else
 * from the number of bytes; a minute if there are no bytes. */
uint64_t ctx_count_audio_seconds(const struct ctx_base64 *b);
/* Detects the file format from the first bytes of media data, and sets format
 * and kind. */
void ctx_read_media_format(const struct ctx_base64 *b, struct ctx_media *media);

#endif
