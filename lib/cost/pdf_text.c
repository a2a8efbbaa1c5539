/*
 * pdf_text.c - counts the characters that the contents of a PDF's page show
 *
 * The contents consist of operands and operators.  Operators that show text
 * come after their strings: "(Hello) Tj", "<00480069> Tj", or
 * "[(Hel) 20 (lo) -300 (you)] TJ", whose numbers move the next string, by
 * thousandths of the font's size (ISO 32000-1, 9.4.3).
 */
#include <stdlib.h>
#include <string.h>

#include "cost/pdf_text.h"

/* A number in an array of strings is taken as a space if it is at most this. */
#define SPACE (-200)

/* Ends the operator or number that is being read. */
static void
end_word(struct ctx_pdf_text *text)
{
	static const char *const shows[] = {"Tj", "TJ", "'", "\""};
	char word[sizeof text->word + 1] = {0};
	size_t i;

	memcpy(word, text->word, text->word_length);
	text->word_length = 0;
	if (word[0] == '-' && strtol(word, NULL, 10) <= SPACE)
		text->next_chars++;
	if (strchr("-+.0123456789/", word[0]) != NULL)
		return;
	for (i = 0; i < CTX_LENGTH(shows); i++) {
		if (strcmp(word, shows[i]) != 0)
			continue;
		text->chars += text->next_chars;
		text->digits += text->next_digits;
		text->narrow |= text->next_digits % 4 != 0;
	}
	text->next_chars = text->next_digits = 0;
}

/* Reads a byte outside of strings. */
static void
read_between(struct ctx_pdf_text *text, unsigned char c)
{
	bool ends = strchr(" \t\r\n\f()<>[]", c) != NULL;

	if (ends || c == '/')
		end_word(text);
	if (!ends && text->word_length < sizeof text->word)
		text->word[text->word_length++] = (char)c;
	if (c == '(') {
		text->state = CTX_PDF_STRING;
		text->depth = 1;
	} else if (c == '<') {
		text->state = CTX_PDF_HEX;
	}
}

/* Reads a byte of a string in parentheses.  Zeros are not counted: they are the
 * first bytes of characters of two bytes. */
static void
read_string(struct ctx_pdf_text *text, unsigned char c)
{
	if (text->octal > 0 && c >= '0' && c <= '7') {
		text->octal--;
		return;
	}
	text->octal = 0;
	if (c == '\\') {
		text->state = CTX_PDF_ESCAPE;
		return;
	}
	text->depth += c == '(' ? 1 : 0;
	text->depth -= c == ')' ? 1 : 0;
	if (text->depth == 0)
		text->state = CTX_PDF_BETWEEN;
	else
		text->next_chars += c != '\0';
}

/* Reads a byte of a string in angle brackets. */
static void
read_hex(struct ctx_pdf_text *text, unsigned char c)
{
	if (c == '>' || c == '<')
		text->state = CTX_PDF_BETWEEN;
	else
		text->next_digits += strchr(" \t\r\n\f", c) == NULL;
}

void
ctx_pdf_text_read(void *context, unsigned char c)
{
	struct ctx_pdf_text *text = context;

	switch (text->state) {
	case CTX_PDF_STRING:
		read_string(text, c);
		break;
	case CTX_PDF_ESCAPE:
		text->state = CTX_PDF_STRING;
		text->octal = c >= '0' && c <= '7' ? 2 : 0;
		text->next_chars++;
		break;
	case CTX_PDF_HEX:
		read_hex(text, c);
		break;
	default:
		read_between(text, c);
	}
}

uint64_t
ctx_pdf_text_chars(const struct ctx_pdf_text *text)
{
	return text->chars + text->digits / (text->narrow ? 2 : 4);
}
