/* onig_to_pcre2.h - patterns of files as patterns over kinds of characters */
#ifndef CTX_TOKENIZER_VOCABULARY_ONIG_TO_PCRE2_H
#define CTX_TOKENIZER_VOCABULARY_ONIG_TO_PCRE2_H

#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "tokenizer/unicode.h"

/* Why a file is not taken, and what to do. */
#define CTX_REFUSED(what) \
	"cannot count exactly: " what "; the encoding bytes/4 estimates"

#define CTX_KINDS_CUTS     64 /* ranges of characters named in patterns */
#define CTX_KINDS_CATEGORY 30

/*
 * Characters that no pattern tells apart are of one kind, a byte: ASCII
 * characters each stand for themselves, the others are numbered from 128 on
 * by what sets of the patterns they are in.  So patterns match bytes, and
 * what is a letter is said by Unicode 16, whatever version the regular
 * expression library has.
 */
struct ctx_kinds {
	size_t n;                       /* ranges */
	uint32_t first[CTX_KINDS_CUTS]; /* of each range, from 0x80 on */
	uint8_t kind[CTX_KINDS_CUTS][CTX_KINDS_CATEGORY];
};

/* The kind of a character; a byte that is none counts as U+FFFD. */
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

/*
 * Translates n patterns in the syntax of the tokenizers library (Oniguruma's
 * for Ruby) to PCRE2 patterns over kinds, in out, each with a NUL behind it.
 * What the two might not understand alike is refused: CTX_EFILE.
 */
int ctx_onig_to_pcre2(const struct ctx_str *patterns, size_t n,
    struct ctx_kinds *kinds, struct ctx_buf *out, struct ctx_err *err);

#endif
