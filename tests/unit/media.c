/* media.c - tests the tokens of images (figures that providers have published)
 * and the headers of files */
#include "cost/cost.h"
#include "cost/media.h"
#include "tap.h"

static uint64_t
costs(const char *model, uint32_t w, uint32_t h)
{
	return ctx_image_tokens(
	    &ctx_model_find(NULL, model, strlen(model))->image, w, h,
	    CTX_DETAIL_HIGH);
}

static uint64_t
costs_without_detail(const char *model, uint32_t w, uint32_t h)
{
	return ctx_image_tokens(
	    &ctx_model_find(NULL, model, strlen(model))->image, w, h,
	    CTX_DETAIL_AUTO);
}

static uint64_t
page(const char *model, enum ctx_detail detail)
{
	return ctx_page_tokens(
	    &ctx_model_find(NULL, model, strlen(model))->image, detail);
}

static void
check_figures(void)
{
	const struct ctx_image *tiles =
	    &ctx_model_find(NULL, "gpt-4o", 6)->image;
	const struct ctx_image *patches =
	    &ctx_model_find(NULL, "gpt-5.4", 7)->image;

	tap_case("images cost what the providers publish");
	CHECK(costs("gpt-4o", 1024, 1024) == 765);
	CHECK(costs("gpt-4o", 2048, 4096) == 1105);
	CHECK(ctx_image_tokens(tiles, 4096, 8192, CTX_DETAIL_LOW) == 85);
	CHECK(costs("gpt-5", 1024, 1024) == 70 + 4 * 140);
	CHECK(costs("gpt-4o-mini", 512, 512) == 2833 + 5667);
	/* 1024 and 1452 patches with 1.72 tokens each */
	CHECK(costs("o4-mini", 1024, 1024) == 1762);
	CHECK(costs("o4-mini", 1800, 2400) == 2498);
	/* 1.62 tokens per patch */
	CHECK(costs("gpt-4.1-mini", 1024, 1024) == 1659);
	CHECK(costs("gpt-5.4-mini", 1600, 1600) == 1826);
	CHECK(costs("gpt-5.4", 1024, 1024) == 1229); /* 1.2 tokens per patch */
	CHECK(costs("claude-opus-4-5", 1092, 1092) == 1521 + 3);
	CHECK(costs("claude-opus-4-5", 200, 200) == 64 + 3);
	CHECK(costs("claude-opus-4-5", 1000, 1000) == 1296 + 3);
	CHECK(costs("gemini-2.0-flash", 384, 384) == 258);

	tap_case("images cost what Gemini reported in recorded requests");
	CHECK(costs("gemini-2.0-flash", 8, 8) == 258);
	CHECK(costs("gemini-2.0-flash", 540, 360) == 1806);
	CHECK(costs("gemini-2.0-flash", 640, 480) == 1290);
	CHECK(costs("gemini-2.0-flash", 1024, 1024) == 1290);
	CHECK(costs("gemini-2.0-flash", 3008, 2000) == 3354);
	CHECK(costs("gemini-2.5-flash", 640, 480) == 258);
	CHECK(costs("gemini-2.5-pro", 50, 50) == 258);
	CHECK(costs("gemini-3-flash", 128, 128) == 1089);
	CHECK(costs("gemini-3-flash", 400, 301) == 1102);
	CHECK(costs("gemini-3-flash", 597, 566) == 1088);
	CHECK(costs("gemini-3.5-flash", 60, 30) == 1081);
	CHECK(costs("gemini-3.5-flash", 300, 346) == 1085);
	tap_case("images cost what Claude was billed in recorded requests");
	CHECK(costs("claude-sonnet-5", 300, 346) == 11 * 13 + 3);
	CHECK(costs("claude-haiku-4-5", 540, 360) == 20 * 13 + 3);
	CHECK(costs("claude-sonnet-4-6", 640, 480) == 23 * 18 + 3);
	CHECK(costs("claude-3-opus-20240229", 1001, 1001) == 36 * 36 + 3);

	tap_case("pages of a PDF cost what was billed in recorded requests");
	CHECK(page("gemini-2.0-flash", CTX_DETAIL_AUTO) == 258);
	CHECK(page("gemini-3-flash", CTX_DETAIL_AUTO) == 532);
	CHECK(page("claude-opus-4-5", CTX_DETAIL_AUTO) == 1600);
	CHECK(page("no-such", CTX_DETAIL_AUTO) == 3000);
	CHECK(ctx_unknown_page_tokens(
		  &ctx_model_find(NULL, "gpt-4o", 6)->image) == 3000);

	tap_case("a page costs OpenAI's models its image in high detail only");
	CHECK(page("gpt-4o", CTX_DETAIL_AUTO) == 0);
	CHECK(page("gpt-4o", CTX_DETAIL_HIGH) == 765);
	CHECK(page("gpt-5.4", CTX_DETAIL_AUTO) == 0);
	CHECK(page("gpt-5.6", CTX_DETAIL_LOW) == 0);
	CHECK(page("gpt-5.6", CTX_DETAIL_AUTO) ==
	    page("gpt-5.4", CTX_DETAIL_HIGH));
	CHECK(page("gpt-5.6", CTX_DETAIL_AUTO) > 2640);

	tap_case("the detail of an image reduces its tokens, if the model has "
		 "details");
	CHECK(ctx_image_tokens(patches, 1024, 1024, CTX_DETAIL_LOW) == 308);
	CHECK(ctx_image_tokens(patches, 3200, 3200, CTX_DETAIL_ORIGINAL) ==
	    12000);
	CHECK(costs("gpt-5.4", 3200, 3200) == 3000);

	tap_case("an image without detail is in original detail since GPT-5.5, "
		 "and is not scaled down since GPT-5.6");
	CHECK(costs_without_detail("gpt-5.4", 3200, 3200) == 3000);
	/* 120 by 68 patches with 1.2 tokens each */
	CHECK(costs_without_detail("gpt-5.5", 3840, 2160) == 9792);
	CHECK(costs_without_detail("gpt-5.5", 6400, 6400) == 12000);
	CHECK(costs_without_detail("gpt-5.6", 3840, 2160) == 9792);
	CHECK(costs_without_detail("gpt-6.1-sol", 6400, 6400) == 48000);
	CHECK(costs("gpt-5.5", 6400, 6400) == 3000);
	CHECK(costs("gpt-5.6", 6400, 6400) == 3000);

	tap_case(
	    "an oversized image costs as much as the largest of its shape");
	CHECK(costs("claude-opus-4-5", 8000, 8000) == 39 * 39 + 3);
	CHECK(costs("claude-opus-4-5", 3000, 4000) ==
	    costs("claude-opus-4-5", 951, 1268));
	CHECK(costs("claude-opus-4-5", 2000, 3000) ==
	    costs("claude-opus-4-5", 896, 1344));
	CHECK(costs("claude-opus-4-5", 4500, 8000) ==
	    costs("claude-opus-4-5", 819, 1456));
	CHECK(costs("claude-opus-4-5", 4000, 8000) == 28 * 56 + 3);
	CHECK(costs("claude-opus-5", 8000, 8000) == 69 * 69 + 3);

	tap_case("an unknown size is taken as 1024 by 1024, and an unknown "
		 "rule as tiles");
	CHECK(costs("gpt-4o", 0, 0) == 765);
	CHECK(costs("no-such", 2048, 4096) == 1105);
}

static void
check_extremes(void)
{
	static const char *const names[] = {"gpt-4o", "o4-mini", "gpt-5.4",
	    "claude-opus-4-5", "gemini-2.0-flash", "gemini-2.5-pro",
	    "gemini-3-pro"};
	static const uint32_t sides[] = {1, 2, 27, 28, 29, 511, 512, 513, 2047,
	    2049, 65535, UINT32_MAX};
	unsigned long long seed = 7;
	size_t m, i, j;
	uint64_t n;

	tap_case("sizes in an image header are limited");
	CHECK(costs("gemini-2.0-flash", UINT32_MAX, UINT32_MAX) < 10000000);
	CHECK(costs("gemini-2.0-flash", 65536, UINT32_MAX) ==
	    costs("gemini-2.0-flash", 65535, 65535));
	tap_case("images of any size cost something, and patches keep their "
		 "maximum");
	for (m = 0; m < sizeof names / sizeof names[0]; m++)
		for (i = 0; i < 12; i++)
			for (j = 0; j < 12; j++)
				CHECK(costs(names[m], sides[i], sides[j]) > 0);
	for (i = 0; i < 20000; i++) {
		uint32_t w = (uint32_t)(tap_random(&seed) % 9000 + 1);
		uint32_t h = (uint32_t)(tap_random(&seed) % 9000 + 1);

		n = costs("gpt-5.4", w, h);
		CHECK(n <= 3000 && n == costs("gpt-5.4", h, w));
		/* An image that is scaled down to the limit has almost as many
		 * tokens as the limit allows. */
		CHECK(n > 2640 || w < 1800 || h < 1800 || w > h / 4 * 5 ||
		    h > w / 4 * 5);
		CHECK(costs("claude-opus-5", w, h) <= 4784 + 3);
		n = costs("gemini-3-flash", w, h);
		CHECK(n <= 1120 && n == costs("gemini-3-flash", h, w));
	}
}

/* Returns the number of patches of 32 by 32 pixels of the image in a payload,
 * with one token per patch. */
static uint64_t
payload(const char *text)
{
	static const struct ctx_image each = {CTX_IMAGE_PATCHES, 100, 0, 2048};
	struct ctx_json json;
	struct ctx_buf scratch = {0};
	struct ctx_err err;
	struct ctx_media_cost cost;
	size_t used;

	ctx_json_init(&json, CTX_SIMD_BEST);
	/* The payload is in an array, because node 0 means "none". */
	NEED(ctx_json_scan(&json, text, strlen(text), &used, &err) == 1);
	NEED(ctx_media_tokens(&each, &json, 1, &scratch, &cost, &err) == 0);
	ctx_json_release(&json);
	ctx_buf_release(&scratch);
	return cost.tokens;
}

/* a PNG image of 200 by 100 pixels */
#define PNG "iVBORw0KGgoAAAANSUhEUgAAAMgAAABkCAYAAADDhn8L"

/* a PNG image of 3200 by 3200 pixels */
#define LARGE "iVBORw0KGgoAAAANSUhEUgAADIAAAAyA"

static void
check_details(void)
{
	tap_case("the detail is read from the payload");
	CHECK(payload("[{\"type\":\"input_image\",\"image_url\":\"" LARGE
		      "\"}]") == 64 * 64);
	CHECK(payload("[{\"type\":\"input_image\",\"image_url\":\"" LARGE
		      "\",\"detail\":\"low\"}]") == 16 * 16);
	CHECK(payload("[{\"type\":\"image_url\",\"image_url\":{\"url\":\"" LARGE
		      "\",\"detail\":\"original\"}}]") == 100 * 100);
	CHECK(payload("[{\"image_url\":{\"url\":\"" LARGE
		      "\",\"detail\":\"high\"}}]") == 64 * 64);
}

static void
check_headers(void)
{
	tap_case(
	    "image sizes are read from the headers of PNG, JPEG, GIF and WebP");
	CHECK(payload("[\"" PNG "\"]") == 7 * 4);
	CHECK(payload("[\"data:image/png;base64," PNG "\"]") == 7 * 4);
	/* GIF, 320 by 64 pixels */
	CHECK(payload("[\"R0lGODlhQAFAAPAAAA==\"]") == 10 * 2);
	/* JPEG, 640 by 480 pixels: APP0 of 16 bytes, a comment, padding,
	 * SOF2 */
	CHECK(payload("[\"/9j/4AAQSkZJRgABAQAAAQABAAD//gAGYWJjZP////"
		      "/CABEIAeACgAMBIgACEQEDEQE=\"]") == 20 * 15);
	/* WebP: lossy (300 by 200 pixels), lossless (300 by 200), extended (64
	 * by 96) */
	CHECK(payload("[\"UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASosAcgAAgA0\"]") ==
	    10 * 7);
	CHECK(payload("[\"UklGRiQAAABXRUJQVlA4TBgAAAAvK8ExAAAA\"]") == 10 * 7);
	CHECK(
	    payload("[\"UklGRiQAAABXRUJQVlA4WAoAAAAQAAAAPwAAXwAA\"]") == 2 * 3);

	tap_case("escapes and line breaks in base64 are skipped");
	CHECK(payload(
		  "[\"iVBORw0KGgoAAAAN\\r\\nSUhEUgAAAMgAAABkCAYAAADDhn8L\"]") ==
	    7 * 4);
	CHECK(payload("[\"R0lGODlhQAFAAPAAAA\\u003d=\"]") == 10 * 2);

	tap_case("a truncated or unknown image is taken as 1024 by 1024");
	CHECK(payload("[\"iVBORw0KGgoAAAANSUhEUgAAAMg\"]") == 1024);
	CHECK(payload("[\"/9j/4AAQSkZJRgABAQAAAQAB\"]") == 1024);
	CHECK(payload("[\"/9j/4AAA/8AAAA\"]") == 1024);
	CHECK(payload("[\"\"]") == 1024);
	CHECK(payload("[\"data:image/png;base64\"]") == 1024);
	CHECK(payload("[\"https://example.org/a.png\"]") == 1024);
	CHECK(payload("[\"\\u00e9\\u0000\"]") == 1024);
	CHECK(payload("[7]") == 1024);
	CHECK(payload("[{}]") == 1024);
}

static void
check_forms(void)
{
	tap_case("payloads are found in the form of every format");
	CHECK(payload("[{\"url\":\"data:image/png;base64," PNG "\"}]") == 28);
	CHECK(payload("[{\"url\":\"data:image/png;base64," PNG
		      "\",\"detail\":\"low\"}]") == 28);
	CHECK(payload(
		  "[{\"url\":\"https://example.org/a\",\"detail\":\"low\"}]") ==
	    256);
	CHECK(payload("[{\"type\":\"input_image\",\"image_url\":"
		      "\"data:image/png;base64," PNG "\"}]") == 28);
	CHECK(payload("[{\"type\":\"base64\",\"media_type\":\"image/png\","
		      "\"data\":\"" PNG "\"}]") == 28);
	CHECK(payload("[{\"format\":\"png\",\"source\":{\"bytes\":\"" PNG
		      "\"}}]") == 28);
	CHECK(payload("[{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":"
		      "\"" PNG "\"}}]") == 28);
	CHECK(payload("[{\"file_id\":\"file-7\"}]") == 1024);

	tap_case("documents, audio and video");
	CHECK(payload("[\"JVBERi0xLjcK\"]") == 30 + 982);
	CHECK(payload("[{\"filename\":\"a.pdf\",\"file_id\":\"f\"}]") == 3000);
	CHECK(payload("[{\"format\":\"txt\",\"source\":{\"bytes\":"
		      "\"UEsDBAAA/////w==\"}}]") == 3);
	CHECK(payload("[{\"data\":\"AAAA\",\"format\":\"mp3\"}]") == 1);
	/* a WAV file of 44 bytes, whose header says 2 bytes per second: 22
	 * seconds */
	CHECK(payload("[\"UklGRiQAAABXQVZFZm10IBAAAAABAAEAAQAAAAIAAAACABAAZGF0"
		      "YQAAAAA=\"]") == 220);
	CHECK(
	    payload("[{\"mimeType\":\"audio/ogg\",\"fileUri\":\"x\"}]") == 600);
	CHECK(payload("[{\"type\":\"audio\",\"file_id\":\"x\"}]") == 600);
	CHECK(payload(
		  "[{\"format\":\"opus\",\"source\":{\"bytes\":\"AAAA\"}}]") ==
	    1);
	CHECK(
	    payload("[{\"type\":\"document\",\"source\":{\"type\":\"base64\","
		    "\"media_type\":\"application/pdf\",\"data\":\"AA\"}}]") ==
	    30 + 982);
	CHECK(
	    payload("[{\"mimeType\":\"video/mp4\",\"data\":\"AAAA\"}]") == 263);
	CHECK(payload("[\"https://example.org/doc/a.pdf?x=1.png\"]") == 3000);
	CHECK(payload("[{\"type\":\"url\",\"url\":\"https://x/a.b/c\"}]") ==
	    1024);
}

/* Returns the tokens of an MP3 file of this size that begins with these bytes
 * of base64. */
static uint64_t
sound(const char *start, size_t bytes)
{
	struct ctx_buf text = {0};
	struct ctx_err err;
	uint64_t tokens;

	NEED(ctx_buf_printf(&text, &err, "[\"%s", start) == 0);
	while (text.n - 2 < bytes / 3 * 4)
		NEED(ctx_buf_add(&text, "AAAA", 4, &err) == 0);
	NEED(ctx_buf_add(&text, "\"]", 3, &err) == 0);
	tokens = payload(text.p);
	ctx_buf_release(&text);
	return tokens;
}

/* Returns the tokens of an MP3 file whose first frame, which begins with the
 * bytes of base64 "first", has this length, and is followed by rest bytes. */
static uint64_t
sound_after_frame(const char *first, const char *second, size_t length,
    size_t rest)
{
	char start[600];

	memset(start, 'A', sizeof start);
	memcpy(start, first, strlen(first));
	memcpy(start + length / 3 * 4, second, strlen(second) + 1);
	return sound(start, length + rest);
}

static void
check_sound(void)
{
	tap_case("the frames of an MP3 give its bit rate");
	/* MPEG 1 with 64 and 128 kbit/s, MPEG 2 with 64 kbit/s: 9.5 seconds
	 * each */
	CHECK(sound("//tQxA", 75900) == 95);
	CHECK(sound("//uQxA", 151900) == 95);
	CHECK(sound("//OAxA", 75900) == 95);
	/* 128 kbit/s, after an ID3 tag of 3 bytes */
	CHECK(sound("SUQzBAAAAAAAAwAAAP/7kMQA", 152000) == 95);
	/* a frame of 417 bytes with 128 kbit/s, and then 76,000 bytes with 64
	 * kbit/s: 9.5 seconds and a 38th */
	CHECK(sound_after_frame("//uQxA", "//tQxA", 417, 76000) == 96);
	/* a frame of 156 bytes of MPEG 2 with 48 kbit/s, a 38th of a second,
	 * and one of MPEG 2.5 with 24 kbit/s, a 19th */
	CHECK(sound_after_frame("//NgxA", "//tQxA", 156, 76000) == 96);
	CHECK(sound_after_frame("/+MwxA", "//tQxA", 156, 76000) == 96);
	/* no audio file; an MP2 file (layer II), which ctx does not read */
	CHECK(sound("AAAA", 76000) == 1024);
	CHECK(sound("//2QxA", 76000) == 1024);

	tap_case("audio of the assistant costs twice as much");
	CHECK(payload("[{\"id\":\"audio_1\"}]") == 1200);
	CHECK(payload("[{\"id\":\"audio_1\",\"transcript\":"
		      "\"Thirty characters, as a test..\"}]") == 60);
	CHECK(payload("[{\"id\":\"audio_1\",\"expires_at\":1,\"data\":\"AAAA\","
		      "\"transcript\":\"a\"}]") == 1);
}

/* Returns the properties of the media block in a JSON array. */
static struct ctx_media
look(const char *text, struct ctx_json *json, struct ctx_buf *scratch)
{
	struct ctx_media media;
	struct ctx_err err;
	size_t used;

	NEED(ctx_json_scan(json, text, strlen(text), &used, &err) == 1);
	NEED(ctx_media_look(json, 1, scratch, &media, &err) == 0);
	return media;
}

static bool
is(const char *text, const char *kind, const char *format, uint64_t bytes)
{
	struct ctx_buf scratch = {0};
	struct ctx_media media;
	struct ctx_json json;
	bool same;

	ctx_json_init(&json, CTX_SIMD_BEST);
	media = look(text, &json, &scratch);
	same = strcmp(media.kind, kind) == 0 && media.bytes == bytes &&
	    (format == NULL) == (media.format == NULL) &&
	    (format == NULL || strcmp(format, media.format) == 0);
	ctx_json_release(&json);
	ctx_buf_release(&scratch);
	return same;
}

static bool
decodes(const char *base64, const char *bytes, size_t n)
{
	struct ctx_buf out = {0};
	struct ctx_err err;
	bool same;

	NEED(ctx_media_decode((struct ctx_str){base64, strlen(base64)}, &out,
		 &err) == 0);
	same = out.n == n && memcmp(out.p, bytes, n) == 0;
	ctx_buf_release(&out);
	return same;
}

static void
check_looks(void)
{
	tap_case("kind, format and bytes of a media block are found");
	CHECK(is("[{\"type\":\"image\",\"source\":{\"type\":\"base64\","
		 "\"data\":\"R0lGODlhAQABAAAAACw=\"}}]",
	    "image", "gif", 14));
	CHECK(is("[{\"document\":{\"format\":\"pdf\",\"source\":{\"bytes\":"
		 "\"JVBERi0=\"}}}]",
	    "document", "pdf", 5));
	CHECK(is("[{\"type\":\"input_file\",\"file_id\":\"f\"}]", "file", NULL,
	    0));
	CHECK(is("[{\"inlineData\":{\"mimeType\":\"video/mp4\",\"data\":"
		 "\"AAAA\"}}]",
	    "video", NULL, 3));
	CHECK(is("[{\"type\":\"input_audio\",\"input_audio\":{\"data\":"
		 "\"T2dnUw==\"}}]",
	    "audio", "ogg", 4));
	CHECK(is("[{\"type\":\"image\",\"mimeType\":\"image/x\",\"data\":"
		 "\"A?==\"}]",
	    "image", NULL, 0));
	CHECK(
	    is("[{\"type\":\"image\",\"data\":\"AAAAA\"}]", "image", NULL, 0));
	CHECK(is("[{}]", "file", NULL, 0));

	tap_case(
	    "base64 is decoded to its last group, with or without padding");
	CHECK(decodes("AAEC", "\0\1\2", 3));
	CHECK(decodes("AAECAw", "\0\1\2\3", 4));
	CHECK(decodes("AAECA_8", "\0\1\2\3\xff", 5));
}

int
main(void)
{
	check_looks();
	check_figures();
	check_extremes();
	check_details();
	check_headers();
	check_forms();
	check_sound();
	return tap_done();
}
