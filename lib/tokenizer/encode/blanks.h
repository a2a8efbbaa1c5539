/* blanks.h - replaces U+2581 in a text by blanks, for SentencePiece
 * vocabularies */
#ifndef CTX_TOKENIZER_ENCODE_BLANKS_H
#define CTX_TOKENIZER_ENCODE_BLANKS_H

#include "tokenizer/encode/nfc.h"

/* SentencePiece replaces each blank of a text by U+2581, so a blank and U+2581
 * have the same tokens.  ctx does the reverse: its vocabularies contain blanks
 * in place of U+2581, and each U+2581 in a text is replaced by a blank. */
#define CTX_BLANK_SIGN "\xe2\x96\x81" /* U+2581 in UTF-8 */

/* Finds the next U+2581 of a text.  Arguments and result: see
 * ctx_normal_find_fn. */
int ctx_blanks_find(struct ctx_nfc *nfc, const char *p, size_t n, size_t *at,
    size_t *end, struct ctx_err *err);
/* Replaces each U+2581 in the n bytes at p by a blank.  Returns the new length
 * in bytes, which is smaller if anything was replaced. */
size_t ctx_blanks_replace(char *p, size_t n);

#endif
