/* onig_to_pcre2.h - translates the patterns of vocabulary files for PCRE2 */
#ifndef CTX_TOKENIZER_VOCABULARY_ONIG_TO_PCRE2_H
#define CTX_TOKENIZER_VOCABULARY_ONIG_TO_PCRE2_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "tokenizer/unicode.h"

/* Error text that says why a vocabulary file is refused and what the user can
 * do. */
#define CTX_REFUSED(what)                               \
	"cannot count exactly: the tokenizer has " what \
	"; to estimate instead, use --encoding bytes/4"

/* maximum number of ranges of code points */
#define CTX_KINDS_CUTS 64
/* number of general categories in Unicode */
#define CTX_KINDS_CATEGORY 30

/* Translated patterns match kinds of characters, not characters.  A kind is a
 * byte: each character of a text is replaced by its kind, so PCRE2 matches
 * bytes.  The kind of an ASCII character is the character itself.  Other
 * characters have kinds from 128 on: two characters have the same kind if each
 * set in the patterns contains either both or neither.  So the table of Unicode
 * 16 decides what a letter is, not the version of Unicode in PCRE2. */
struct ctx_kinds {
	size_t n; /* number of ranges of code points */
	/* first code point of each range; the first range begins at 0x80 */
	uint32_t first[CTX_KINDS_CUTS];
	/* Kinds of characters that are not ASCII: kind[r][c] is the kind of the
	 * characters in range r that have general category c. */
	uint8_t kind[CTX_KINDS_CUTS][CTX_KINDS_CATEGORY];
};

/* Returns the kind of a character: the byte that replaces the character when
 * PCRE2 matches patterns.  The kind of CTX_CHAR_BAD (a byte that is not UTF-8)
 * is that of U+FFFD. */
static inline uint8_t
ctx_kind_of(const struct ctx_kinds *kinds, uint32_t cp)
{
	size_t i = kinds->n - 1;

	if (cp < 0x80)
		return (uint8_t)cp;
	if (cp == CTX_CHAR_BAD)
		cp = 0xfffd;
	while (kinds->first[i] > cp)
		i--;
	return kinds->kind[i][ctx_category_of(cp)];
}

/* Translates n patterns for PCRE2, and appends them to "out", each with a NUL
 * byte after it.  The syntax of the patterns is that of the tokenizers library
 * (Oniguruma's syntax for Ruby).  The translated patterns match kinds of
 * characters, whose table the function fills (see struct ctx_kinds).  Fails
 * with CTX_EFILE if a pattern has a construct that Oniguruma and PCRE2 might
 * interpret differently. */
int ctx_onig_to_pcre2(const struct ctx_str *patterns, size_t n,
    struct ctx_kinds *kinds, struct ctx_buf *out, struct ctx_err *err);

#endif
