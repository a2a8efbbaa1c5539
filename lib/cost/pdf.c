/*
 * pdf.c - reads the number of pages and the amount of text of a PDF, from which
 * its tokens are estimated
 *
 * A PDF stores the contents of its pages in streams, which are usually
 * compressed.  The streams are not decompressed here: the tokens of the text
 * are estimated from the number of bytes in the streams.  In 78 PDFs (written
 * by pdfTeX, groff, Ghostscript and others), the estimate was too low once, by
 * 1 % of the tokens (o200k_base).  For 68 PDFs, the estimate was at least twice
 * the number of tokens, because positions of letters and drawings take bytes,
 * too.
 */
#include <string.h>

#include "cost/media_payload.h"

enum {
	/* Minimum number of bytes per token of text.  PACKED_BYTES: in a
	 * compressed stream; PLAIN_BYTES: in a stream that is not
	 * compressed. */
	PACKED_BYTES = 2,
	PLAIN_BYTES = 5,
	/* Maximum number of tokens of the text of a page.  Anthropic's page on
	 * PDFs gives 1,500 to 3,000. */
	PAGE_TEXT = 3000,
	/* Number of bytes of the file per page, used if no page object is
	 * found. */
	PAGE_BYTES = 50000,
};

/* Counts of a PDF that is being read. */
struct pdf_scan {
	/* number of page objects, and of streams that may be pages */
	uint64_t pages, streams;
	/* Numbers of bytes in streams that may be pages. packed: in compressed
	 * streams; plain: in streams that are not compressed. */
	size_t packed, plain;
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
	if (scan->compressed)
		scan->packed += at - start;
	else
		scan->plain += at - start;
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
	pdf->text = scan.packed / PACKED_BYTES + scan.plain / PLAIN_BYTES;
	if (scan.pages == 0) {
		most = 1 + (uint64_t)ctx_base64_length(b) / PAGE_BYTES;
		pdf->pages = scan.streams > most ? scan.streams : most;
	}
	most = pdf->pages * PAGE_TEXT;
	if (pdf->text > most)
		pdf->text = most;
}
