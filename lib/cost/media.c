/*
 * media.c - tokens of images, documents, audio and video
 *
 * Base64 never counts as text.  Of an image only the size matters, which is in
 * the first bytes of the file.  If the payload is not in the message (a URL, a
 * file id), a typical size is assumed.  All counts are estimates: the
 * providers' figures are approximate, and billed tokens have differed from
 * them.
 *
 * Image rules, with x, y and edge of the model table:
 *
 *   tiles    Shrink to edge, then the shorter side to 768 pixels.  x tokens,
 *            and y per tile of 512 pixels.  Low detail: x.  (OpenAI)
 *   patches  Of 32 pixels.  Shrink to edge and to at most y patches; x / 100
 *            tokens per patch.  If edge is not 0, low detail shrinks to 512
 *            pixels; original detail to 6,000 pixels and 4 * y patches.
 *            (OpenAI)
 *   squares  Of 28 pixels.  Shrink to edge and to at most y squares; 1 token
 *            per square.  (Anthropic)
 *   crops    x tokens up to 384 by 384 pixels, else x per crop of at most edge
 *            pixels.  A PDF page is y tokens.  (Gemini 2)
 *   fixed    x tokens for any size.  A PDF page is y tokens.  (Gemini 3)
 *
 * Source: the providers' pages, November 2026.  For patches from GPT-5 on, x is
 * what users of OpenAI's developer forum were billed in March 2026; the page
 * gives more.
 *
 * Audio costs 10 tokens per second from the user and 20 from the assistant
 * (developers.openai.com, "Managing costs" of the Realtime API, November 2026),
 * with Gemini 32 (ai.google.dev, "Audio").
 */
#include <math.h>
#include <string.h>

#include "cost/media.h"

enum media_kind { IMAGE, PAGES, WORDS, SOUND, SPEECH, FILM };

enum {
	SOUND_TOKENS = 10, /* per second */
	SPEECH_TOKENS = 20,
	GEMINI_TOKENS = 32,
	MINUTE = 60,      /* seconds of audio of unknown length */
	SPOKEN = 15,      /* characters of a transcript per second */
	MP3_RATE = 16000, /* bytes per second: 128 kbit/s */
};

/* Base64 text, decoded byte by byte on demand. */
struct bytes {
	const char *p;
	size_t n; /* length of the base64 without padding */
};

/* Maximum bytes searched for the size of an image.  In a photograph, metadata
 * with thumbnails comes before the size. */
#define HEAD ((size_t)1 << 20)

/* Pixels.  No provider accepts more, whatever the header says. */
#define LONGEST_SIDE 65535

static const struct ctx_image usual = {CTX_IMAGE_TILES, 85, 170, 2048};

static int
decode_sextet(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	/* The URL-safe alphabet has - and _ as its last two. */
	if (c == '+' || c == '-')
		return 62;
	return c == '/' || c == '_' ? 63 : -1;
}

static size_t
decoded_length(const struct bytes *b)
{
	return b->n / 4 * 3 + b->n % 4 * 3 / 4;
}

/* Returns the decoded byte at offset at, or -1. */
static int
decode_byte_at(const struct bytes *b, size_t at)
{
	size_t from = at / 3 * 4 + at % 3;
	unsigned shift = (unsigned)(at % 3) * 2;
	int high, low;

	if (at >= decoded_length(b))
		return -1;
	high = decode_sextet(b->p[from]);
	low = decode_sextet(b->p[from + 1]);
	if (high < 0 || low < 0)
		return -1;
	return ((high << (2 + shift)) | (low >> (4 - shift))) & 0xff;
}

/* Returns n decoded bytes from offset at as a number; 0 if they do not exist.
 * little: the first byte is the least significant. */
static uint32_t
read_uint(const struct bytes *b, size_t at, size_t n, bool little)
{
	uint32_t value = 0;
	size_t i;
	int c;

	for (i = 0; i < n; i++) {
		c = decode_byte_at(b, little ? at + n - 1 - i : at + i);
		if (c < 0)
			return 0;
		value = value << 8 | (uint32_t)c;
	}
	return value;
}

static bool
has_bytes(const struct bytes *b, size_t at, const char *text)
{
	size_t i;

	for (i = 0; text[i] != '\0'; i++)
		if (decode_byte_at(b, at + i) != (unsigned char)text[i])
			return false;
	return true;
}

/* Sets the size of a JPEG: skips segments by their lengths up to a frame
 * header. */
static void
read_jpeg_size(const struct bytes *b, uint32_t *w, uint32_t *h)
{
	size_t at = 2;
	uint32_t mark;

	while (at < HEAD && decode_byte_at(b, at) == 0xff) {
		mark = read_uint(b, at + 1, 1, false);
		if (mark == 0xff) {
			at++; /* padding */
			continue;
		}
		if (mark >= 0xc0 && mark <= 0xcf && mark != 0xc4 &&
		    mark != 0xc8 && mark != 0xcc) {
			*h = read_uint(b, at + 5, 2, false);
			*w = read_uint(b, at + 7, 2, false);
			return;
		}
		at += 2;
		if (mark != 0x01 && (mark < 0xd0 || mark > 0xd8))
			at += read_uint(b, at, 2, false);
	}
}

static void
read_webp_size(const struct bytes *b, uint32_t *w, uint32_t *h)
{
	uint32_t bits;

	if (has_bytes(b, 12, "VP8 ")) {
		*w = read_uint(b, 26, 2, true) & 0x3fff;
		*h = read_uint(b, 28, 2, true) & 0x3fff;
	} else if (has_bytes(b, 12, "VP8L")) {
		bits = read_uint(b, 21, 4, true);
		*w = (bits & 0x3fff) + 1;
		*h = (bits >> 14 & 0x3fff) + 1;
	} else if (has_bytes(b, 12, "VP8X")) {
		*w = read_uint(b, 24, 3, true) + 1;
		*h = read_uint(b, 27, 3, true) + 1;
	}
}

/* Sets the size in pixels; 0 by 0 if the format is not known. */
static void
read_image_size(const struct bytes *b, uint32_t *w, uint32_t *h)
{
	*w = *h = 0;
	if (has_bytes(b, 0, "\x89PNG\r\n\x1a\n")) {
		*w = read_uint(b, 16, 4, false);
		*h = read_uint(b, 20, 4, false);
	} else if (has_bytes(b, 0, "GIF8")) {
		*w = read_uint(b, 6, 2, true);
		*h = read_uint(b, 8, 2, true);
	} else if (has_bytes(b, 0, "\xff\xd8")) {
		read_jpeg_size(b, w, h);
	} else if (has_bytes(b, 0, "RIFF") && has_bytes(b, 8, "WEBP")) {
		read_webp_size(b, w, h);
	}
}

/* ---- rules for images ---- */

static uint64_t
divide_up(double length, double unit)
{
	double n = ceil(length / unit - 1e-6);

	return n < 1 ? 1 : n > 1e8 ? 100000000 : (uint64_t)n;
}

/* Shrinks w by h so that the longer side is at most edge; edge 0: no limit. */
static void
shrink_to_edge(double *w, double *h, double edge)
{
	double longer = *w > *h ? *w : *h;

	if (edge > 0 && longer > edge) {
		*w = *w * edge / longer;
		*h = *h * edge / longer;
	}
}

static uint64_t
count_tile_tokens(const struct ctx_image *image, double w, double h,
    enum ctx_detail detail)
{
	double shorter;

	if (detail == CTX_DETAIL_LOW)
		return image->x;
	shrink_to_edge(&w, &h, image->edge);
	shorter = w < h ? w : h;
	if (shorter > 768) {
		w = w * 768 / shorter;
		h = h * 768 / shorter;
	}
	return image->x + image->y * divide_up(w, 512) * divide_up(h, 512);
}

/* Returns the tokens of the patches rule.  An image with too many patches is
 * shrunk to the maximum, and then until one side is a whole number of
 * patches. */
static uint64_t
count_patch_tokens(const struct ctx_image *image, double w, double h,
    enum ctx_detail detail)
{
	double edge = image->edge, r, across, down, whole;
	uint64_t n, most = image->y;

	if (edge > 0 && detail == CTX_DETAIL_LOW)
		edge = 512;
	if (edge > 0 && detail == CTX_DETAIL_ORIGINAL) {
		edge = 6000;
		most *= 4;
	}
	shrink_to_edge(&w, &h, edge);
	n = divide_up(w, 32) * divide_up(h, 32);
	if (most > 0 && n > most) {
		r = sqrt(32.0 * 32.0 * (double)most / (w * h));
		across = w * r / 32;
		down = h * r / 32;
		whole = across < 1 ? 1 : floor(across) / across;
		if (down >= 1 && floor(down) / down < whole)
			whole = floor(down) / down;
		n = divide_up(across * whole, 1) * divide_up(down * whole, 1);
		n = n < most ? n : most;
	}
	return (n * image->x + 99) / 100;
}

/* Returns the tokens of the squares rule.  An image with too many squares is
 * shrunk to the largest size that fits, found by bisection to some thousandths
 * of a pixel. */
static uint64_t
count_square_tokens(const struct ctx_image *image, double w, double h)
{
	double small = 0, large = 1, scale = 1;
	int i;

	shrink_to_edge(&w, &h, image->edge);
	for (i = 0; i < 20 && image->y > 0; i++) {
		if (divide_up(w * scale, 28) * divide_up(h * scale, 28) >
		    image->y)
			large = scale;
		else
			small = scale;
		if (small == 1)
			break;
		scale = (small + large) / 2;
	}
	return divide_up(w * small, 28) * divide_up(h * small, 28);
}

/* Returns the tokens of the crops rule.  The side of a crop is two thirds of
 * the shorter side of the image, between 256 and edge pixels. */
static uint64_t
count_crop_tokens(const struct ctx_image *image, double w, double h)
{
	double unit = floor((w < h ? w : h) / 1.5);

	if (w <= 384 && h <= 384)
		return image->x;
	if (unit > image->edge)
		unit = image->edge;
	if (unit < 256)
		unit = 256;
	return image->x * divide_up(w, unit) * divide_up(h, unit);
}

uint64_t
ctx_image_tokens(const struct ctx_image *image, uint32_t width, uint32_t height,
    enum ctx_detail detail)
{
	double w = width < LONGEST_SIDE ? width : LONGEST_SIDE;
	double h = height < LONGEST_SIDE ? height : LONGEST_SIDE;

	if (width == 0 || height == 0)
		w = h = 1024;
	if (image->rule == CTX_IMAGE_NONE)
		image = &usual;
	switch (image->rule) {
	case CTX_IMAGE_PATCHES:
		return count_patch_tokens(image, w, h, detail);
	case CTX_IMAGE_SQUARES:
		return count_square_tokens(image, w, h);
	case CTX_IMAGE_CROPS:
		return count_crop_tokens(image, w, h);
	case CTX_IMAGE_FIXED:
		return image->x;
	default:
		return count_tile_tokens(image, w, h, detail);
	}
}

static bool
is_gemini(const struct ctx_image *image)
{
	return image->rule == CTX_IMAGE_CROPS || image->rule == CTX_IMAGE_FIXED;
}

/* Returns true if the PDF has this name at this byte, and not a longer one. */
static bool
has_name(const struct bytes *b, size_t at, const char *name)
{
	int next = decode_byte_at(b, at + strlen(name));

	return has_bytes(b, at, name) && !(next >= 'A' && next <= 'z');
}

/* Returns the number of pages of a PDF: its /Page objects that are not
 * compressed or, if there are none, one per 50,000 bytes. */
static uint64_t
count_pages(const struct bytes *b)
{
	uint64_t n = 0;
	size_t at, bytes = decoded_length(b);

	for (at = 0; at + 10 < bytes; at++) {
		if (decode_byte_at(b, at) != '/' || !has_name(b, at, "/Type"))
			continue;
		at += strlen("/Type");
		while (decode_byte_at(b, at) == ' ')
			at++;
		n += has_name(b, at, "/Page");
	}
	return n > 0 ? n : 1 + (uint64_t)bytes / 50000;
}

/* Returns the tokens of a PDF.  If the model has no fixed cost per page, a page
 * is an image and 1,500 to 3,000 tokens of text; 3,000 are counted. */
static uint64_t
count_page_tokens(const struct ctx_image *image, const struct bytes *b)
{
	return count_pages(b) * (is_gemini(image) ? image->y : 3000);
}

/* Returns the tokens of a text document: one per 4 bytes; those of a page if
 * the payload is not in the message. */
static uint64_t
count_document_tokens(const struct bytes *b)
{
	return b->n == 0 ? 750 : 1 + (uint64_t)decoded_length(b) / 4;
}

/* Returns the bytes per second of an MP3 from its first frame, after an ID3 tag
 * if there is one; 0 if it is not an MP3. */
static uint32_t
read_mp3_rate(const struct bytes *b)
{
	/* kbit/s of layer III, for MPEG 1 and 2 (ISO 11172-3, 13818-3) */
	static const uint16_t rates[2][16] = {
	    {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	    {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
	};
	size_t at = 0, i;
	uint32_t head, size = 0;

	if (has_bytes(b, 0, "ID3")) {
		for (i = 6; i < 10; i++)
			size = size << 7 | (read_uint(b, i, 1, false) & 0x7f);
		at = size + 10;
	}
	head = read_uint(b, at, 3, false);
	if ((head & 0xffe600) != 0xffe200)
		return 0;
	return rates[(head >> 11 & 3) != 3][head >> 4 & 15] * 125u;
}

/* Returns the seconds of audio: from the header of WAV or MP3, else from its
 * bytes; a minute without bytes. */
static uint64_t
count_seconds(const struct bytes *b)
{
	uint32_t rate = 0;

	if (b->n == 0)
		return MINUTE;
	if (has_bytes(b, 0, "RIFF") && has_bytes(b, 8, "WAVE"))
		rate = read_uint(b, 28, 4, true);
	else
		rate = read_mp3_rate(b);
	return 1 + decoded_length(b) / (rate > 0 ? rate : MP3_RATE);
}

/* ---- what a payload is ---- */

/* Returns true if a type, format or file name has this word at its start or
 * after one of / . : " */
static bool
has_word(struct ctx_str text, const char *word)
{
	size_t i, n = strlen(word);

	for (i = 0; i + n <= text.n; i++)
		if ((i == 0 || strchr("/.:\"", text.p[i - 1]) != NULL) &&
		    memcmp(text.p + i, word, n) == 0)
			return true;
	return false;
}

static enum media_kind
kind_by_name(struct ctx_str type)
{
	static const struct {
		const char *word;
		enum media_kind kind;
	} words[] = {{"pdf", PAGES}, {"doc", WORDS}, {"text", WORDS},
	    {"txt", WORDS}, {"csv", WORDS}, {"md", WORDS}, {"html", WORDS},
	    {"xls", WORDS}, {"audio", SOUND}, {"wav", SOUND}, {"mp3", SOUND},
	    {"flac", SOUND}, {"ogg", SOUND}, {"opus", SOUND}, {"aac", SOUND},
	    {"m4a", SOUND}, {"video", FILM}, {"mp4", FILM}, {"mov", FILM},
	    {"webm", FILM}};
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if (has_word(type, words[i].word))
			return words[i].kind;
	return IMAGE;
}

/* What was detected about a payload. */
struct found {
	enum media_kind kind;
	enum ctx_detail detail;
	struct bytes bytes;
	uint64_t spoken;    /* characters of a transcript */
	bool image;         /* true if a type says that it is an image */
	uint32_t id, title; /* nodes: file id or URI, and file name; 0: none */
};

/* Returns the kind that the file extension of a URL says; IMAGE if none. */
static enum media_kind
kind_by_address(const char *p, size_t n)
{
	const char *query = memchr(p, '?', n);
	size_t end = query != NULL ? (size_t)(query - p) : n, at = end;

	while (at > 0 && p[at - 1] != '.' && p[at - 1] != '/')
		at--;
	if (at == 0 || p[at - 1] != '.')
		return IMAGE;
	return kind_by_name((struct ctx_str){p + at - 1, end - at + 1});
}

/* Reads a payload that is a string: base64, a data: URL with base64, or another
 * URL. */
static void
read_payload(struct found *found, const char *p, size_t n)
{
	const char *comma;

	if (n > 5 && memcmp(p, "data:", 5) == 0) {
		comma = memchr(p, ',', n < 200 ? n : 200);
		if (comma == NULL)
			return;
		found->kind =
		    kind_by_name((struct ctx_str){p, (size_t)(comma - p)});
		n -= (size_t)(comma + 1 - p);
		p = comma + 1;
	} else if (memchr(p, ':', n < 20 ? n : 20) != NULL) {
		if (found->kind == IMAGE)
			found->kind = kind_by_address(p, n);
		return;
	}
	while (n > 0 && p[n - 1] == '=')
		n--;
	found->bytes = (struct bytes){p, n};
	if (has_bytes(&found->bytes, 0, "%PDF-"))
		found->kind = PAGES;
	else if (found->kind != SPEECH &&
	    ((has_bytes(&found->bytes, 0, "RIFF") &&
		 has_bytes(&found->bytes, 8, "WAVE")) ||
		read_mp3_rate(&found->bytes) > 0))
		found->kind = SOUND;
}

/* Detects speech of the assistant.  The provider stores it under an id; some
 * messages have a transcript, too. */
static void
find_speech(struct found *found, const struct ctx_json *json, uint32_t node,
    uint32_t data)
{
	uint32_t text = ctx_json_find(json, node, "transcript");
	uint32_t id = ctx_json_find(json, node, "id");

	if (id != 0 && found->kind == IMAGE && (data == 0 || text != 0))
		found->kind = SPEECH;
	if (text != 0 && json->nodes[text].kind == CTX_JSON_STRING)
		found->spoken = ctx_json_string_chars(ctx_json_str(json, text));
}

/* Sets *kind by a type, format or file name.  Overwrites scratch. */
static int
read_kind(const struct ctx_json *json, uint32_t node, struct ctx_buf *scratch,
    enum media_kind *kind, struct ctx_err *err)
{
	struct ctx_str text;

	scratch->n = 0;
	if (ctx_json_text(json, node, scratch, &text, err) < 0)
		return -1;
	*kind = kind_by_name(text);
	return 0;
}

/* Records what the object says about its payload.  Sets *in to the member that
 * contains the payload, or to 0. */
static int
read_payload_object(struct found *found, const struct ctx_json *json,
    uint32_t node, struct ctx_buf *scratch, uint32_t *in, struct ctx_err *err)
{
	static const char *const types[] = {"media_type", "mimeType",
	    "mime_type", "mediaType", "mime", "format", "filename"};
	static const char *const within[] = {"data", "image_url", "url",
	    "file_data", "bytes", "source", "inlineData", "inline_data",
	    "fileData", "input_audio", "file", "image", "document", "audio",
	    "video", "base64"};
	uint32_t value = 0, detail = ctx_json_find(json, node, "detail");
	enum media_kind kind;
	size_t i;

	if (detail != 0 && ctx_json_is(json, detail, "low"))
		found->detail = CTX_DETAIL_LOW;
	if (detail != 0 && ctx_json_is(json, detail, "original"))
		found->detail = CTX_DETAIL_ORIGINAL;
	for (i = 0; i < sizeof types / sizeof types[0]; i++) {
		value = ctx_json_find(json, node, types[i]);
		if (value != 0 && found->kind == IMAGE &&
		    read_kind(json, value, scratch, &found->kind, err) < 0)
			return -1;
	}
	/* The type of a block: {"type": "audio", ...}. */
	value = ctx_json_find(json, node, "type");
	if (value != 0 && found->kind == IMAGE) {
		if (read_kind(json, value, scratch, &kind, err) < 0)
			return -1;
		if (kind == SOUND || kind == FILM)
			found->kind = kind;
	}
	for (i = 0; i < sizeof within / sizeof within[0]; i++) {
		value = ctx_json_find(json, node, within[i]);
		if (value != 0)
			break;
	}
	find_speech(found, json, node, value);
	*in = value;
	return 0;
}

/* Removes the white space that breaks base64 into lines. */
static void
strip_whitespace(struct ctx_buf *text)
{
	size_t i, n = 0;

	for (i = 0; i < text->n; i++)
		if (strchr(" \t\r\n", text->p[i]) == NULL || text->p[i] == '\0')
			text->p[n++] = text->p[i];
	text->n = n;
}

static uint64_t
count_sound_tokens(const struct ctx_image *image, const struct found *found)
{
	uint64_t rate = is_gemini(image) ? GEMINI_TOKENS
	    : found->kind == SPEECH      ? SPEECH_TOKENS
					 : SOUND_TOKENS;

	if (found->bytes.n == 0 && found->spoken > 0)
		return (1 + found->spoken / SPOKEN) * rate;
	return count_seconds(&found->bytes) * rate;
}

static uint64_t
count_payload_tokens(const struct ctx_image *image, const struct found *found)
{
	size_t n = decoded_length(&found->bytes);
	uint32_t w, h;

	switch (found->kind) {
	case PAGES:
		return count_page_tokens(image, &found->bytes);
	case WORDS:
		return count_document_tokens(&found->bytes);
	case SOUND:
	case SPEECH:
		return count_sound_tokens(image, found);
	case FILM:
		return (1 + (uint64_t)n / 250000) * 263;
	default:
		read_image_size(&found->bytes, &w, &h);
		return ctx_image_tokens(image, w, h, found->detail);
	}
}

/* Returns true if a type of the object says that it is an image. */
static bool
is_image_object(const struct ctx_json *json, uint32_t node)
{
	static const char *const keys[] = {"type", "media_type", "mimeType",
	    "mime_type", "mediaType", "mime"};
	uint32_t value;
	size_t i;

	for (i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		value = ctx_json_find(json, node, keys[i]);
		if (value != 0 &&
		    (ctx_json_starts_with(json, value, "image") ||
			ctx_json_is(json, value, "input_image")))
			return true;
	}
	return ctx_json_find(json, node, "image") != 0;
}

/* Sets *text to the last of the members keys that is a string, if any is. */
static void
find_last_string(const struct ctx_json *json, uint32_t node,
    const char *const *keys, uint32_t *text)
{
	uint32_t value;

	for (; *keys != NULL; keys++) {
		value = ctx_json_find(json, node, *keys);
		if (value != 0 && json->nodes[value].kind == CTX_JSON_STRING)
			*text = value;
	}
}

/* Records the file name of the payload and its file id or URI. */
static void
find_file_names(struct found *found, const struct ctx_json *json, uint32_t node)
{
	static const char *const ids[] = {"file_id", "fileId", "fileUri",
	    "file_uri", "uri", NULL};
	static const char *const titles[] = {"displayName", "display_name",
	    "name", "title", "file_name", "filename", NULL};

	find_last_string(json, node, ids, &found->id);
	find_last_string(json, node, titles, &found->title);
}

/* Detects what a payload is.  Sets *text to the payload or its URL; it may be
 * in scratch. */
static int
find_payload(struct found *found, const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err)
{
	int depth;

	*text = (struct ctx_str){NULL, 0};
	/* A block contains a source, which contains data; no format nests
	 * deeper than 4 objects. */
	for (depth = 0; depth < 4 && node != 0 &&
	     json->nodes[node].kind == CTX_JSON_OBJECT;
	     depth++) {
		found->image |= is_image_object(json, node);
		find_file_names(found, json, node);
		if (read_payload_object(found, json, node, scratch, &node,
			err) < 0)
			return -1;
	}
	if (node == 0 || json->nodes[node].kind != CTX_JSON_STRING)
		return 0;
	scratch->n = 0;
	if (ctx_json_text(json, node, scratch, text, err) < 0)
		return -1;
	if (json->nodes[node].escaped) {
		strip_whitespace(scratch);
		text->n = scratch->n;
	}
	read_payload(found, text->p, text->n);
	return 0;
}

int
ctx_media_tokens(const struct ctx_image *image, const struct ctx_json *json,
    uint32_t node, struct ctx_buf *scratch, uint64_t *tokens,
    struct ctx_err *err)
{
	struct found found = {.kind = IMAGE};
	struct ctx_str text;

	if (find_payload(&found, json, node, scratch, &text, err) < 0)
		return -1;
	*tokens = count_payload_tokens(image, &found);
	return 0;
}

/* ---- properties of media, for users ---- */

const char *const ctx_media_kinds[] = {"image", "document", "audio", "video",
    "file", NULL};

/* Sets the format by the first bytes of a payload, and the kind with it. */
static void
find_format(const struct bytes *b, struct ctx_media *media)
{
	static const struct {
		const char *start, *eighth, *format, *kind;
	} starts[] = {{"\x89PNG\r\n\x1a\n", "", "png", "image"},
	    {"GIF8", "", "gif", "image"}, {"\xff\xd8\xff", "", "jpeg", "image"},
	    {"RIFF", "WEBP", "webp", "image"}, {"%PDF-", "", "pdf", "document"},
	    {"RIFF", "WAVE", "wav", "audio"}, {"ID3", "", "mp3", "audio"},
	    {"OggS", "", "ogg", "audio"}, {"fLaC", "", "flac", "audio"}};
	size_t i;

	for (i = 0; i < sizeof starts / sizeof starts[0]; i++) {
		if (!has_bytes(b, 0, starts[i].start) ||
		    !has_bytes(b, 8, starts[i].eighth))
			continue;
		media->format = starts[i].format;
		media->kind = starts[i].kind;
		return;
	}
	if (read_mp3_rate(b) > 0)
		media->format = "mp3";
}

/* Returns the kind by type and file name, for a format that is not known. */
static const char *
kind_name(const struct found *found)
{
	switch (found->kind) {
	case PAGES:
	case WORDS:
		return "document";
	case SOUND:
	case SPEECH:
		return "audio";
	case FILM:
		return "video";
	default:
		return found->image ? "image" : "file";
	}
}

/* Returns true if all characters are base64 and their number is possible. */
static bool
is_base64(const struct bytes *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (decode_sextet(b->p[i]) < 0)
			return false;
	return b->n > 0 && b->n % 4 != 1;
}

int
ctx_media_look(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_media *media, struct ctx_err *err)
{
	struct found found = {.kind = IMAGE};
	struct ctx_str text;

	*media = (struct ctx_media){.width = 0};
	if (find_payload(&found, json, node, scratch, &text, err) < 0)
		return -1;
	media->title = found.title;
	media->kind = kind_name(&found);
	if (is_base64(&found.bytes)) {
		media->base64 = (struct ctx_str){found.bytes.p, found.bytes.n};
		media->bytes = decoded_length(&found.bytes);
		find_format(&found.bytes, media);
		read_image_size(&found.bytes, &media->width, &media->height);
	} else if (found.bytes.n == 0) {
		media->place = text;
	}
	if (media->base64.n > 0 || media->place.n > 0 || found.id == 0)
		return 0;
	scratch->n = 0;
	return ctx_json_text(json, found.id, scratch, &media->place, err);
}

int
ctx_media_decode(struct ctx_str base64, struct ctx_buf *out,
    struct ctx_err *err)
{
	const struct bytes b = {base64.p, base64.n};
	size_t n = decoded_length(&b), at, i;
	uint32_t group;

	if (ctx_buf_reserve(out, n + 3, err) < 0)
		return -1;
	for (at = 0; at < b.n; at += 4) {
		group = 0;
		for (i = at; i < at + 4; i++)
			group = group << 6 |
			    (i < b.n ? (uint32_t)decode_sextet(b.p[i]) : 0);
		out->p[out->n++] = (char)(group >> 16);
		out->p[out->n++] = (char)(group >> 8);
		out->p[out->n++] = (char)group;
	}
	/* An incomplete last group has fewer than 3 bytes. */
	out->n -= (b.n + 3) / 4 * 3 - n;
	return 0;
}
