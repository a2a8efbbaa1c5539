/* pdf_text.h - reads the text that the contents of a PDF's page show */
#ifndef CTX_COST_PDF_TEXT_H
#define CTX_COST_PDF_TEXT_H

#include "cost/base64_bytes.h"

/* ---- inflate.c ---- */

/* Decompresses the zlib stream in the bytes from "at" to "end" of a base64
 * text, and gives each byte of the output to the function put.  Stops after
 * about "most" bytes of output, at the end of the stream, or where it is not
 * valid.  Returns the number of bytes that were given to put. */
uint64_t ctx_inflate(const struct ctx_base64 *in, size_t at, size_t end,
    uint64_t most, void (*put)(void *context, unsigned char c), void *context);

/* ---- pdf_text.c ---- */

/* What the operators that show text have shown so far, and what is being read.
 * A struct whose members are all 0 has read nothing. */
struct ctx_pdf_text {
	/* Number of characters that strings in parentheses showed, and number
	 * of hexadecimal digits that strings in angle brackets showed. */
	uint64_t chars, digits;
	/* true if the digits were not always a multiple of 4: a character has
	 * 2 digits, not 4 */
	bool narrow;
	/* the same of the operands of the next operator */
	uint64_t next_chars, next_digits;
	enum {
		CTX_PDF_BETWEEN,
		CTX_PDF_STRING,
		CTX_PDF_ESCAPE,
		CTX_PDF_HEX,
	} state;
	unsigned depth; /* number of open parentheses in a string */
	unsigned octal; /* digits that an escape may still have */
	char word[8];   /* beginning of the operator or number being read */
	unsigned word_length; /* its length, but at most that of the array */
};

/* Reads the next byte of the contents of a page.  context: a struct
 * ctx_pdf_text */
void ctx_pdf_text_read(void *context, unsigned char c);
/* Returns the number of characters that were shown. */
uint64_t ctx_pdf_text_chars(const struct ctx_pdf_text *text);

#endif
