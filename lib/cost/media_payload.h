/* media_payload.h - what the files about media share */
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
	uint64_t spoken;    /* characters of a transcript */
	bool image;         /* true if a type says that it is an image */
	uint32_t id, title; /* nodes: file id or URI, and file name; 0: none */
};

/* Detects what a payload is.  Sets *text to the payload or its URL; it may be
 * in scratch. */
int ctx_media_payload_find(struct ctx_media_payload *payload,
    const struct ctx_json *json, uint32_t node, struct ctx_buf *scratch,
    struct ctx_str *text, struct ctx_err *err);

/* ---- media_header.c ---- */

/* Sets width and height of an image in pixels; 0 by 0 if the format is not
 * known. */
void ctx_read_image_size(const struct ctx_base64 *b, uint32_t *w, uint32_t *h);
/* Returns the number of pages of a PDF: its /Page objects that are not
 * compressed or, if there are none, one per 50,000 bytes. */
uint64_t ctx_count_pdf_pages(const struct ctx_base64 *b);
/* Returns the bytes per second of an MP3 from its first frame, after an ID3 tag
 * if there is one; 0 if it is not an MP3. */
uint32_t ctx_read_mp3_rate(const struct ctx_base64 *b);
/* Returns the seconds of audio: from the header of WAV or MP3, else from its
 * bytes; a minute without bytes. */
uint64_t ctx_count_audio_seconds(const struct ctx_base64 *b);
/* Sets the format by the first bytes of a payload, and the kind with it. */
void ctx_read_media_format(const struct ctx_base64 *b, struct ctx_media *media);

#endif
