/*
 * pdf.c - reads the number of pages and the amount of text of a PDF, from which
 * its tokens are estimated
 *
 * A PDF stores the contents of its pages in streams, which are usually
 * compressed.  The tokens of the text are estimated from the number of its
 * characters.  Which characters they are is not read, because fonts have
 * encodings of their own.  Of a stream that cannot be decompressed (it is
 * encrypted, or compressed by another method than Flate), the tokens are
 * estimated from its bytes, usually too high.
 */
#include <string.h>

#include "cost/media_payload.h"
#include "cost/pdf_text.h"

enum {
	/* Number of characters per token of text. */
	TOKEN_CHARS = 4,
	/* Minimum number of bytes per token of text in a compressed stream. */
	PACKED_BYTES = 2,
	/* Maximum number of tokens of the text of a page.  Anthropic's page on
	 * PDFs gives 1,500 to 3,000. */
	PAGE_TEXT = 3000,
	/* Number of bytes of the file per page, used if no page object is
	 * found. */
	PAGE_BYTES = 50000,
};

/* Maximum number of bytes to which the streams of a PDF are decompressed, and
 * the number that a stream counts as at least. */
#define MOST_BYTES  ((uint64_t)1 << 26)
#define LEAST_BYTES 4096

/* Counts of a PDF that is being read. */
struct pdf_scan {
	/* number of page objects, and of streams that may be pages */
	uint64_t pages, streams;
	struct ctx_pdf_text text;
	/* number of bytes that were decompressed */
	uint64_t inflated;
	/* number of bytes of streams that could not be decompressed */
	size_t packed;
	/* Properties of the object that is being read. compressed: true if the
	 * object's stream is compressed. other: true if the stream does not
	 * contain the contents of a page. */
	bool compressed, other;
};

/* Returns true if a PDF has a name object, such as /Page, at this offset.  A
 * longer name that begins with the same characters is a different name. */
static bool
has_name(const struct ctx_base64 *b, size_t at, const char *name)
{
	int next = ctx_base64_byte(b, at + strlen(name));

	return ctx_base64_has(b, at, name) && !(next >= 'A' && next <= 'z');
}

/* Reads the name object whose slash is at the offset "at". */
static void
read_name(struct pdf_scan *scan, const struct ctx_base64 *b, size_t at)
{
	/* Names that occur in the objects of fonts, images, metadata and
	 * others, but not in an object with the contents of a page. */
	static const char *const others[] = {"/Image", "/Length1", "/Length2",
	    "/XRef", "/ObjStm", "/Metadata", "/XML", "/EmbeddedFile",
	    "/FunctionType", "/ShadingType", "/Type1C", "/CIDFontType0C",
	    "/OpenType", "/CMapName", "/N"};
	size_t i;

	if (has_name(b, at, "/Filter"))
		scan->compressed = true;
	if (has_name(b, at, "/Type")) {
		at += strlen("/Type");
		while (ctx_base64_byte(b, at) == ' ')
			at++;
		scan->pages += has_name(b, at, "/Page");
		return;
	}
	for (i = 0; i < CTX_LENGTH(others); i++)
		if (has_name(b, at, others[i]))
			scan->other = true;
}

/* Reads the text in a stream that may be the contents of a page. */
static void
read_contents(struct pdf_scan *scan, const struct ctx_base64 *b, size_t at,
    size_t end)
{
	uint64_t most = MOST_BYTES - scan->inflated, n;

	while (at < end &&
	    (ctx_base64_byte(b, at) == '\r' || ctx_base64_byte(b, at) == '\n'))
		at++;
	if (!scan->compressed) {
		for (; at < end; at++)
			ctx_pdf_text_read(&scan->text,
			    (unsigned char)ctx_base64_byte(b, at));
		return;
	}
	n = ctx_inflate(b, at, end, most, ctx_pdf_text_read, &scan->text);
	ctx_pdf_text_read(&scan->text, '\n');
	if (n == 0)
		scan->packed += end - at;
	n = n > LEAST_BYTES ? n : LEAST_BYTES;
	scan->inflated += n < most ? n : most;
}

/* Reads a stream that begins at an offset.  Returns the offset of its end. */
static size_t
read_stream(struct pdf_scan *scan, const struct ctx_base64 *b, size_t at)
{
	size_t start = at, bytes = ctx_base64_length(b);

	while (at < bytes &&
	    !(ctx_base64_byte(b, at) == 'e' &&
		ctx_base64_has(b, at, "endstream")))
		at++;
	if (scan->other)
		return at;
	scan->streams++;
	read_contents(scan, b, start, at);
	return at;
}

static void
scan_pdf(struct pdf_scan *scan, const struct ctx_base64 *b)
{
	size_t at, bytes = ctx_base64_length(b);

	for (at = 0; at < bytes; at++) {
		switch (ctx_base64_byte(b, at)) {
		case '/':
			read_name(scan, b, at);
			break;
		case 'o': /* "obj" begins each object */
			if (ctx_base64_has(b, at, "obj"))
				scan->compressed = scan->other = false;
			break;
		case 'e':
			if (ctx_base64_has(b, at, "endstream"))
				at += strlen("endstream") - 1;
			break;
		case 's':
			if (ctx_base64_has(b, at, "stream"))
				at = read_stream(scan, b,
					 at + strlen("stream")) -
				    1;
			break;
		default:
			break;
		}
	}
}

void
ctx_read_pdf(const struct ctx_base64 *b, struct ctx_pdf *pdf)
{
	struct pdf_scan scan = {0};
	uint64_t most;

	scan_pdf(&scan, b);
	pdf->pages = scan.pages;
	pdf->text = scan.packed / PACKED_BYTES +
	    ctx_pdf_text_chars(&scan.text) / TOKEN_CHARS;
	if (scan.pages == 0) {
		most = 1 + (uint64_t)ctx_base64_length(b) / PAGE_BYTES;
		pdf->pages = scan.streams > most ? scan.streams : most;
	}
	most = pdf->pages * PAGE_TEXT;
	if (pdf->text > most)
		pdf->text = most;
}
