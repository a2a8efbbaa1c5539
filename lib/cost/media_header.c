/* media_header.c - reads the format of media from the first bytes of a file,
 * and the size of an image or the duration of audio */
#include "cost/media_payload.h"

enum {
	/* assumed duration of audio of unknown length, in seconds */
	MINUTE = 60,
	/* assumed number of bytes per second of an MP3 file: 128 kbit/s */
	MP3_RATE = 16000,
};

/* Maximum number of bytes that are searched for the width and height of a JPEG
 * image.  In a photograph, metadata with small preview images may come before
 * the size. */
#define HEAD ((size_t)1 << 20)

/* Sets *w and *h to the width and height of a JPEG image.  Using the lengths of
 * the segments (parts of the file), jumps from one to the next, up to the frame
 * header, which contains the size.  If there is none in the first HEAD bytes,
 * does not change *w and *h. */
static void
read_jpeg_size(const struct ctx_base64 *b, uint32_t *w, uint32_t *h)
{
	size_t at = 2;
	uint32_t mark;

	while (at < HEAD && ctx_base64_byte(b, at) == 0xff) {
		mark = ctx_base64_uint(b, at + 1, 1, false);
		if (mark == 0xff) {
			/* a byte of padding before the marker of a segment */
			at++;
			continue;
		}
		if (mark >= 0xc0 && mark <= 0xcf && mark != 0xc4 &&
		    mark != 0xc8 && mark != 0xcc) {
			*h = ctx_base64_uint(b, at + 5, 2, false);
			*w = ctx_base64_uint(b, at + 7, 2, false);
			return;
		}
		at += 2;
		if (mark != 0x01 && (mark < 0xd0 || mark > 0xd8))
			at += ctx_base64_uint(b, at, 2, false);
	}
}

static void
read_webp_size(const struct ctx_base64 *b, uint32_t *w, uint32_t *h)
{
	uint32_t bits;

	if (ctx_base64_has(b, 12, "VP8 ")) {
		*w = ctx_base64_uint(b, 26, 2, true) & 0x3fff;
		*h = ctx_base64_uint(b, 28, 2, true) & 0x3fff;
	} else if (ctx_base64_has(b, 12, "VP8L")) {
		bits = ctx_base64_uint(b, 21, 4, true);
		*w = (bits & 0x3fff) + 1;
		*h = (bits >> 14 & 0x3fff) + 1;
	} else if (ctx_base64_has(b, 12, "VP8X")) {
		*w = ctx_base64_uint(b, 24, 3, true) + 1;
		*h = ctx_base64_uint(b, 27, 3, true) + 1;
	}
}

void
ctx_read_image_size(const struct ctx_base64 *b, uint32_t *w, uint32_t *h)
{
	*w = *h = 0;
	if (ctx_base64_has(b, 0, "\x89PNG\r\n\x1a\n")) {
		*w = ctx_base64_uint(b, 16, 4, false);
		*h = ctx_base64_uint(b, 20, 4, false);
	} else if (ctx_base64_has(b, 0, "GIF8")) {
		*w = ctx_base64_uint(b, 6, 2, true);
		*h = ctx_base64_uint(b, 8, 2, true);
	} else if (ctx_base64_has(b, 0, "\xff\xd8")) {
		read_jpeg_size(b, w, h);
	} else if (ctx_base64_has(b, 0, "RIFF") &&
	    ctx_base64_has(b, 8, "WEBP")) {
		read_webp_size(b, w, h);
	}
}

/* Properties of a frame of an MP3 file, which contains the sound of some
 * hundredths of a second. */
struct mp3_frame {
	uint32_t rate;    /* bytes per second; 0 if there is no frame */
	uint32_t hertz;   /* samples per second */
	uint32_t samples; /* number of samples */
	size_t length;    /* number of bytes */
};

/* Reads the header of the frame at an offset. */
static struct mp3_frame
read_mp3_frame(const struct ctx_base64 *b, size_t at)
{
	/* bit rates of MP3 (layer III) in kbit/s, for MPEG 1 and MPEG 2 (ISO
	 * 11172-3, 13818-3) */
	static const uint16_t rates[2][16] = {
	    {0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
	    {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
	};
	static const uint16_t hertz[4] = {44100, 48000, 32000, 0};
	uint32_t head = ctx_base64_uint(b, at, 3, false);
	unsigned version = head >> 11 & 3; /* 3: MPEG 1; 2: 2; 0: 2.5 */
	struct mp3_frame frame = {.rate = 0};

	frame.hertz = hertz[head >> 2 & 3];
	frame.hertz >>= version == 3 ? 0 : version == 0 ? 2 : 1;
	if ((head & 0xffe600) != 0xffe200 || frame.hertz == 0)
		return frame;
	frame.rate = rates[version != 3][head >> 4 & 15] * 125u;
	frame.samples = version == 3 ? 1152 : 576;
	frame.length =
	    frame.samples * frame.rate / frame.hertz + (head >> 1 & 1);
	return frame;
}

/* Returns the offset of the first frame of an MP3 file, which may come after an
 * ID3 tag. */
static size_t
find_mp3_frame(const struct ctx_base64 *b)
{
	uint32_t size = 0;
	size_t i;

	if (!ctx_base64_has(b, 0, "ID3"))
		return 0;
	for (i = 6; i < 10; i++)
		size = size << 7 | (ctx_base64_uint(b, i, 1, false) & 0x7f);
	return size + 10;
}

uint32_t
ctx_read_mp3_rate(const struct ctx_base64 *b)
{
	return read_mp3_frame(b, find_mp3_frame(b)).rate;
}

/* Returns the duration of audio in microseconds: of MP3, the sum of its frames;
 * of WAV, by the byte rate in the header; of other formats, as if they had
 * MP3_RATE bytes per second.  Bytes after the last frame of MP3 are estimated
 * by the bit rate of that frame. */
static uint64_t
read_microseconds(const struct ctx_base64 *b)
{
	size_t bytes = ctx_base64_length(b), at = find_mp3_frame(b);
	struct mp3_frame frame = read_mp3_frame(b, at);
	uint64_t rate = frame.rate > 0 ? frame.rate : MP3_RATE, sum = 0;

	if (ctx_base64_has(b, 0, "RIFF") && ctx_base64_has(b, 8, "WAVE") &&
	    ctx_base64_uint(b, 28, 4, true) > 0)
		rate = ctx_base64_uint(b, 28, 4, true);
	if (frame.rate == 0)
		at = 0;
	for (; frame.rate > 0; frame = read_mp3_frame(b, at)) {
		rate = frame.rate;
		sum += (uint64_t)frame.samples * 1000000 / frame.hertz;
		at += frame.length;
	}
	return sum + (at < bytes ? (bytes - at) * 1000000 / rate : 0);
}

uint64_t
ctx_count_audio_tokens(const struct ctx_base64 *b, unsigned per_second)
{
	if (b->n == 0)
		return (uint64_t)MINUTE * per_second;
	return (read_microseconds(b) * per_second + 999999) / 1000000;
}

void
ctx_read_media_format(const struct ctx_base64 *b, struct ctx_media *media)
{
	static const struct {
		const char *start, *eighth, *format, *kind;
	} starts[] = {{"\x89PNG\r\n\x1a\n", "", "png", "image"},
	    {"GIF8", "", "gif", "image"}, {"\xff\xd8\xff", "", "jpeg", "image"},
	    {"RIFF", "WEBP", "webp", "image"}, {"%PDF-", "", "pdf", "document"},
	    {"RIFF", "WAVE", "wav", "audio"}, {"ID3", "", "mp3", "audio"},
	    {"OggS", "", "ogg", "audio"}, {"fLaC", "", "flac", "audio"}};
	size_t i;

	for (i = 0; i < CTX_LENGTH(starts); i++) {
		if (!ctx_base64_has(b, 0, starts[i].start) ||
		    !ctx_base64_has(b, 8, starts[i].eighth))
			continue;
		media->format = starts[i].format;
		media->kind = starts[i].kind;
		return;
	}
	if (ctx_read_mp3_rate(b) > 0)
		media->format = "mp3";
}
