/* media_payload.h - finds the data of an image or another media block, and
 * reads sizes and durations from it */
#ifndef CTX_COST_MEDIA_PAYLOAD_H
#define CTX_COST_MEDIA_PAYLOAD_H

#include "cost/base64_bytes.h"
#include "cost/media.h"

enum ctx_media_kind {
	CTX_MEDIA_IMAGE, /* an image; also used if the kind is not known */
	CTX_MEDIA_PAGES, /* a PDF document */
	CTX_MEDIA_TEXT,  /* a document that is not a PDF */
	CTX_MEDIA_SOUND,
	CTX_MEDIA_SPEECH, /* audio that the assistant spoke */
	CTX_MEDIA_VIDEO
};

/* ---- media_payload.c ---- */

/* The properties of the media in a content block. */
struct ctx_media_payload {
	enum ctx_media_kind kind;
	enum ctx_detail detail;
	struct ctx_base64 bytes;
	uint64_t spoken; /* number of characters in the transcript of speech */
	/* true if the message says that the media are an image */
	bool image;
	/* true if the media are a file in OpenAI's Responses format */
	bool input_file;
	/* True if the media are a document in Mistral's format.  A document of
	 * unknown format is taken as a PDF. */
	bool document;
	/* true if the message contains the document as text, not as base64 */
	bool plain;
	/* JSON nodes of the file id or URI, and of the file name; 0 if there is
	 * none */
	uint32_t id, title;
};

/* Finds the properties of the media at a JSON node.  Sets *text to the data or
 * URL of the media, which may be stored in scratch, or to an empty text if
 * there is none. */
int ctx_media_payload_find(struct ctx_media_payload *payload,
    const struct ctx_json *json, uint32_t node, struct ctx_buf *scratch,
    struct ctx_str *text, struct ctx_err *err);

/* ---- media_header.c ---- */

/* Sets *w and *h to the width and height of an image in pixels, or to 0 if the
 * image format is not known, or the size is not found. */
void ctx_read_image_size(const struct ctx_base64 *b, uint32_t *w, uint32_t *h);
/* Returns the bytes per second of an MP3 file, according to its first frame,
 * which may come after an ID3 tag.  Returns 0 if the data are not an MP3
 * file. */
uint32_t ctx_read_mp3_rate(const struct ctx_base64 *b);
/* Returns the number of tokens of audio with this number of tokens per second,
 * rounded up.  The duration is read from the header of a WAV file or the frames
 * of an MP3 file, otherwise computed from the number of bytes.  Without data,
 * one minute is assumed. */
uint64_t ctx_count_audio_tokens(const struct ctx_base64 *b,
    unsigned per_second);
/* Finds the format of media by the first bytes of their data.  Sets the members
 * format and kind of *media; of MP3 without an ID3 tag, only format.  If the
 * format is not known, changes nothing. */
void ctx_read_media_format(const struct ctx_base64 *b, struct ctx_media *media);

/* ---- video.c ---- */

/* Returns the number of tokens of a video.  Its duration is read from an MP4 or
 * QuickTime file, otherwise estimated from the number of bytes. */
uint64_t ctx_video_tokens(const struct ctx_image *image,
    const struct ctx_base64 *b);

/* ---- pdf.c ---- */

struct ctx_pdf {
	/* Number of pages: the number of /Page objects that are not compressed.
	 * If there are none, the number of streams that may be pages, but at
	 * least one per 50,000 bytes of the PDF. */
	uint64_t pages;
	/* Estimated number of tokens (o200k_base) of the text of the PDF,
	 * usually too high: one token per 2 bytes of compressed streams, and
	 * one per 5 bytes of other streams, but at most 3,000 tokens per
	 * page. */
	uint64_t text;
};
void ctx_read_pdf(const struct ctx_base64 *b, struct ctx_pdf *pdf);

#endif
