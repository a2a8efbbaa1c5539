/*
 * signature.c - estimates the tokens of the signature of a tool call
 *
 * Gemini signs the thoughts before a tool call.  The signature is base64 of a
 * message of Protocol Buffers, whose contents are encrypted.  A billed
 * signature (see surcharges.c) costs as many tokens as the API reported for the
 * thoughts of the answer that contains it.  A request does not contain the
 * number of the thoughts' tokens, so the number is estimated from the length of
 * the signature.  In 513 recorded answers (2025 and 2026) the median error was
 * 6 %, because the number of bytes per token varies.  The numbers in the table
 * below are 2 to 6 % higher than the numbers that fit best, so that fewer
 * estimates are too low.
 *
 * The first bytes identify the form of a signature: one field with number 1
 * that has all data, several fields with number 1 (streamed answers), a field
 * with number 2 (Gemini 3 in the Gemini API), or a first byte of 0x01 (Vertex
 * AI since 2026).
 */
#include "cost/base64_bytes.h"
#include "cost/surcharges.h"

/* Maximum number of bytes before the data of a field: its number and its
 * length. */
#define MOST_HEAD 6

/* How the tokens of a signature are computed from its base64, for each form of
 * signatures. free: number of bytes that are not counted, at the beginning;
 * tokens: number of tokens per 1,000 bytes of the other bytes. */
static const struct {
	enum ctx_signature_form form;
	size_t free, tokens;
} rates[] = {
    {CTX_SIGNATURE_SINGLE, 60, 200},
    {CTX_SIGNATURE_STREAMED, 10, 128},
    {CTX_SIGNATURE_WRAPPED, 100, 205},
    {CTX_SIGNATURE_NUMBERED, 90, 188},
};

/* Returns the form of a signature (enum ctx_signature_form), or 0 if its form
 * is not known. */
static unsigned
find_form(const struct ctx_base64 *b)
{
	size_t i, length = 0;
	int byte = ctx_base64_byte(b, 0);

	if (byte == 1)
		return CTX_SIGNATURE_NUMBERED;
	/* tag of field 2 of Protocol Buffers, if the field contains bytes */
	if (byte == 0x12)
		return CTX_SIGNATURE_WRAPPED;
	/* tag of field 1 of Protocol Buffers, if the field contains bytes */
	if (byte != 0x0a)
		return 0;
	/* Each byte of a field's length contains 7 bits of the length, the
	 * lowest bits first.  The highest bit of a byte is set if another byte
	 * of the length follows. */
	for (i = 1; i < MOST_HEAD; i++) {
		byte = ctx_base64_byte(b, i);
		if (byte < 0)
			return 0;
		length |= (size_t)(byte & 0x7f) << (7 * (i - 1));
		if (byte < 0x80)
			return i + 1 + length < ctx_base64_length(b)
			    ? CTX_SIGNATURE_STREAMED
			    : CTX_SIGNATURE_SINGLE;
	}
	return 0;
}

uint64_t
ctx_signature_tokens(struct ctx_str literal, unsigned forms)
{
	struct ctx_base64 b = {literal.p + 1, literal.n - 2};
	unsigned form;
	size_t i;

	while (b.n > 0 && b.p[b.n - 1] == '=')
		b.n--;
	form = find_form(&b) & forms;
	for (i = 0; i < CTX_LENGTH(rates); i++)
		if (rates[i].form == form && b.n > rates[i].free)
			return (uint64_t)(b.n - rates[i].free) *
			    rates[i].tokens / 1000;
	return 0;
}
