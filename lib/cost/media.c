/*
 * media.c - estimates the tokens of images, documents, audio and video
 *
 * Base64 counts as text only if it encodes a document of plain text.  If the
 * data of the media is not in the message (only a URL or a file id), a typical
 * size is assumed.  All counts are estimates: the providers' figures are
 * approximate, and billed tokens have differed from them.
 *
 * Audio costs 10 tokens per second from the user and 20 from the assistant
 * (developers.openai.com, "Managing costs" of the Realtime API, November 2026).
 * PDFs: see NOTES.md for the errors in recorded requests.  OpenAI's page "File
 * inputs" (read in November 2026) says that the text and an image of each page
 * are sent.  In Responses, a request can choose the detail of the images: with
 * low detail, only the text was billed; high detail was not recorded.  In Chat
 * Completions, 982 tokens were billed for a page without its text since May
 * 2026, and about 215 until February 2026.
 *
 * For a second of audio, Gemini 2.0 and 3 reported 25 tokens in recorded
 * requests, and Gemini 2.5 reported 32 (25 on Vertex AI).
 */
#include <string.h>

#include "cost/media_payload.h"

enum {
	SOUND_TOKENS = 10, /* tokens per second of audio */
	SPEECH_TOKENS = 20,
	GEMINI_TOKENS = 25,
	GEMINI_2_5_TOKENS = 32,
	/* number of characters in a transcript per second of audio */
	SPOKEN = 15,
	/* Number of tokens of a PDF in addition to those of its pages and their
	 * texts: at most 30 in recorded requests. */
	PDF_TOKENS = 30,
	/* Number of tokens of a PDF page in OpenAI's Chat Completions, without
	 * the tokens of its text; the same for every model. */
	CHAT_PAGE = 982,
};

/* Returns true if a text is valid base64: it consists of base64 characters, and
 * their number encodes whole bytes. */
static bool
is_base64(const struct ctx_base64 *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (ctx_base64_sextet(b->p[i]) < 0)
			return false;
	return b->n > 0 && b->n % 4 != 1;
}

/* Returns the tokens of a second of audio. */
static unsigned
find_sound_rate(const struct ctx_image *image, enum ctx_media_kind kind)
{
	switch (image->rule) {
	case CTX_IMAGE_CROPS:
	case CTX_IMAGE_GRID:
		return GEMINI_TOKENS;
	case CTX_IMAGE_FIXED:
		return GEMINI_2_5_TOKENS;
	default:
		return kind == CTX_MEDIA_SPEECH ? SPEECH_TOKENS : SOUND_TOKENS;
	}
}

/* Returns the number of tokens of a document that is not plain text: one per 4
 * bytes.  If the document is not in the message, returns the number for one
 * page. */
static uint64_t
count_document_tokens(const struct ctx_base64 *b)
{
	return b->n == 0 ? 750 : 1 + (uint64_t)ctx_base64_length(b) / 4;
}

/* Sets *text to the text of a document of plain text, which is decoded into the
 * scratch buffer.  Does not change *text for other media, if the document is
 * not valid UTF-8 or contains a NUL byte, or if its base64 is already in the
 * scratch buffer. */
static int
read_document(const struct ctx_media_payload *payload, struct ctx_buf *scratch,
    struct ctx_str *text, struct ctx_err *err)
{
	const struct ctx_str base64 = {payload->bytes.p, payload->bytes.n};

	if (payload->kind != CTX_MEDIA_TEXT || scratch->n > 0 ||
	    !is_base64(&payload->bytes))
		return 0;
	if (ctx_media_decode(base64, scratch, err) < 0)
		return -1;
	if (ctx_utf8_valid(scratch->p, scratch->n, CTX_SIMD_BEST) ==
		scratch->n &&
	    memchr(scratch->p, '\0', scratch->n) == NULL)
		*text = (struct ctx_str){scratch->p, scratch->n};
	return 0;
}

/* Returns the number of tokens of a PDF, with the image rules of OpenAI and
 * Claude: the tokens of the text plus those of the pages.  In OpenAI's Chat
 * Completions, a request cannot choose the detail of the pages. */
static uint64_t
count_read_pages(const struct ctx_image *image,
    const struct ctx_media_payload *payload, const struct ctx_pdf *pdf)
{
	uint64_t text = PDF_TOKENS + pdf->text;

	/* Mistral billed fewer tokens for a PDF than the bytes of its text
	 * suggest, and no tokens for images of its pages (7 recorded requests
	 * of 2026). */
	if (payload->document)
		return text;
	if (image->rule == CTX_IMAGE_SQUARES)
		text += text / 2;
	else if (!payload->input_file)
		return text + pdf->pages * CHAT_PAGE;
	return text + pdf->pages * ctx_page_tokens(image, payload->detail);
}

static uint64_t
count_pdf_tokens(const struct ctx_image *image,
    const struct ctx_media_payload *payload)
{
	struct ctx_pdf pdf;

	if (payload->bytes.n == 0)
		return ctx_unknown_page_tokens(image);
	ctx_read_pdf(&payload->bytes, &pdf);
	switch (image->rule) {
	case CTX_IMAGE_TILES:
	case CTX_IMAGE_PATCHES:
	case CTX_IMAGE_ORIGINAL_PATCHES:
	case CTX_IMAGE_PAGE_PATCHES:
	case CTX_IMAGE_SQUARES:
		return count_read_pages(image, payload, &pdf);
	default:
		return pdf.pages * ctx_unknown_page_tokens(image);
	}
}

static uint64_t
count_sound_tokens(const struct ctx_image *image,
    const struct ctx_media_payload *payload)
{
	unsigned rate = find_sound_rate(image, payload->kind);

	if (payload->bytes.n == 0 && payload->spoken > 0)
		return (1 + payload->spoken / SPOKEN) * rate;
	return ctx_count_audio_tokens(&payload->bytes, rate);
}

static uint64_t
count_payload_tokens(const struct ctx_image *image,
    const struct ctx_media_payload *payload)
{
	uint32_t w, h;

	switch (payload->kind) {
	case CTX_MEDIA_PAGES:
		return count_pdf_tokens(image, payload);
	case CTX_MEDIA_TEXT:
		return count_document_tokens(&payload->bytes);
	case CTX_MEDIA_SOUND:
	case CTX_MEDIA_SPEECH:
		return count_sound_tokens(image, payload);
	case CTX_MEDIA_VIDEO:
		return ctx_video_tokens(image, &payload->bytes);
	default:
		ctx_read_image_size(&payload->bytes, &w, &h);
		return ctx_image_tokens(image, w, h, payload->detail);
	}
}

int
ctx_media_tokens(const struct ctx_image *image, const struct ctx_json *json,
    uint32_t node, struct ctx_buf *scratch, struct ctx_media_cost *cost,
    struct ctx_err *err)
{
	struct ctx_media_payload payload = {.kind = CTX_MEDIA_IMAGE};
	struct ctx_str text;

	*cost = (struct ctx_media_cost){.tokens = 0};
	scratch->n = 0;
	if (ctx_media_payload_find(&payload, json, node, scratch, &text, err) <
		0 ||
	    read_document(&payload, scratch, &cost->text, err) < 0)
		return -1;
	if (payload.plain)
		cost->text = text;
	else if (cost->text.n == 0)
		cost->tokens = count_payload_tokens(image, &payload);
	return 0;
}

/* ---- properties of media, for users ---- */

const char *const ctx_media_kinds[] = {"image", "document", "audio", "video",
    "file", NULL};

/* Returns the name of the kind that ctx_media_payload_find has found.
 * ctx_read_media_format replaces it if the data shows the format. */
static const char *
kind_name(const struct ctx_media_payload *payload)
{
	switch (payload->kind) {
	case CTX_MEDIA_PAGES:
	case CTX_MEDIA_TEXT:
		return "document";
	case CTX_MEDIA_SOUND:
	case CTX_MEDIA_SPEECH:
		return "audio";
	case CTX_MEDIA_VIDEO:
		return "video";
	default:
		return payload->image ? "image" : "file";
	}
}

int
ctx_media_look(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_media *media, struct ctx_err *err)
{
	struct ctx_media_payload payload = {.kind = CTX_MEDIA_IMAGE};
	struct ctx_str text;

	*media = (struct ctx_media){.width = 0};
	if (ctx_media_payload_find(&payload, json, node, scratch, &text, err) <
	    0)
		return -1;
	media->title = payload.title;
	media->kind = kind_name(&payload);
	if (is_base64(&payload.bytes)) {
		media->base64 =
		    (struct ctx_str){payload.bytes.p, payload.bytes.n};
		media->bytes = ctx_base64_length(&payload.bytes);
		ctx_read_media_format(&payload.bytes, media);
		ctx_read_image_size(&payload.bytes, &media->width,
		    &media->height);
	} else if (payload.bytes.n == 0 && !payload.plain) {
		media->place = text;
	}
	if (media->base64.n > 0 || media->place.n > 0 || payload.id == 0)
		return 0;
	scratch->n = 0;
	return ctx_json_text(json, payload.id, scratch, &media->place, err);
}

int
ctx_media_decode(struct ctx_str base64, struct ctx_buf *out,
    struct ctx_err *err)
{
	const struct ctx_base64 b = {base64.p, base64.n};
	size_t n = ctx_base64_length(&b), at, i;
	uint32_t group;

	if (ctx_buf_reserve(out, n + 3, err) < 0)
		return -1;
	for (at = 0; at < b.n; at += 4) {
		group = 0;
		for (i = at; i < at + 4; i++)
			group = group << 6 |
			    (i < b.n ? (uint32_t)ctx_base64_sextet(b.p[i]) : 0);
		out->p[out->n++] = (char)(group >> 16);
		out->p[out->n++] = (char)(group >> 8);
		out->p[out->n++] = (char)group;
	}
	/* If the last group of base64 characters has only 2 or 3 characters, it
	 * encodes only 1 or 2 bytes, not 3.  Removes the surplus bytes. */
	out->n -= (b.n + 3) / 4 * 3 - n;
	return 0;
}
