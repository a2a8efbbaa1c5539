/*
 * video.c - estimates the tokens of a video from its duration
 *
 * Gemini reported these tokens in recorded requests with five videos of 1 to 13
 * seconds (2025 and 2026).  Gemini 2.0: 258 for each second that was begun.
 * Gemini 2.5: 263 for each second that was begun, plus 32 for a second of
 * sound.  Gemini 3: 66 for each second that was completed, plus 25 for a second
 * of sound.  Sound is always counted, because ctx does not read whether a video
 * has sound.  For other models, 263 tokens per second are assumed, because
 * nothing is known.
 */
#include "cost/media_payload.h"

enum {
	/* Assumed number of bytes per second of a video of unknown duration. */
	VIDEO_RATE = 250000,
	/* maximum number of boxes (parts of an MP4 file) that are read */
	MOST_BOXES = 64,
	/* number of bytes of a box (part of an MP4 file) before its contents:
	 * its length and its type */
	BOX_HEAD = 8,
};

/* Returns the duration that the box "mvhd" of an MP4 or QuickTime file
 * contains, in thousandths of a second, or 0 if there is none. at: offset of
 * the box. */
static uint64_t
read_movie_header(const struct ctx_base64 *b, size_t at)
{
	bool is_long = ctx_base64_byte(b, at + BOX_HEAD) == 1;
	uint32_t scale = ctx_base64_uint(b, at + (is_long ? 28 : 20), 4, false);
	uint32_t length =
	    ctx_base64_uint(b, at + (is_long ? 36 : 24), 4, false);

	return scale == 0 ? 0 : (uint64_t)length * 1000 / scale;
}

/* Returns the duration of an MP4 or QuickTime file in thousandths of a second,
 * or 0 if it is not known.  Goes through the boxes of the file (using their
 * lengths), and through the boxes inside the box "moov". */
static uint64_t
read_milliseconds(const struct ctx_base64 *b)
{
	size_t at = 0, end = ctx_base64_length(b), size;
	int boxes;

	for (boxes = 0; boxes < MOST_BOXES && at + BOX_HEAD <= end; boxes++) {
		size = ctx_base64_uint(b, at, 4, false);
		if (ctx_base64_has(b, at + 4, "mvhd"))
			return read_movie_header(b, at);
		if (ctx_base64_has(b, at + 4, "moov"))
			size = BOX_HEAD;
		/* A length of 1 means that the real length comes after the
		 * type, in 8 bytes. */
		else if (size == 1)
			size = ctx_base64_uint(b, at + 12, 4, false);
		if (size < BOX_HEAD || size > end - at)
			return 0;
		at += size;
	}
	return 0;
}

uint64_t
ctx_video_tokens(const struct ctx_image *image, const struct ctx_base64 *b)
{
	uint64_t length = read_milliseconds(b), begun;

	if (length == 0)
		length =
		    1000 + (uint64_t)ctx_base64_length(b) / VIDEO_RATE * 1000;
	begun = (length + 999) / 1000;
	switch (image->rule) {
	case CTX_IMAGE_CROPS:
		return begun * 258;
	case CTX_IMAGE_GRID:
		return (length < 1000 ? 1 : length / 1000) * 66 +
		    length * 25 / 1000;
	case CTX_IMAGE_FIXED:
		return begun * 263 + length * 32 / 1000;
	default:
		return begun * 263;
	}
}
