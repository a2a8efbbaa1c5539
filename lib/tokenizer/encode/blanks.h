/* blanks.h - the normal form of text for SentencePiece vocabularies */
#ifndef CTX_TOKENIZER_ENCODE_BLANKS_H
#define CTX_TOKENIZER_ENCODE_BLANKS_H

#include "tokenizer/encode/nfc.h"

/*
 * SentencePiece writes each blank of a text as U+2581.  So it cannot tell a
 * blank from that character.  Vocabularies in ctx have blanks instead, and the
 * normal form of a text has a blank for each U+2581.
 */
#define CTX_BLANK_SIGN "\xe2\x96\x81" /* U+2581 in UTF-8 */

/* Finds the next U+2581 of a text; see ctx_normal_find_fn. */
int ctx_blanks_find(struct ctx_nfc *nfc, const char *p, size_t n, size_t *at,
    size_t *end, struct ctx_err *err);
/* Replaces each U+2581 of n bytes by a blank, and returns the new number of
 * bytes. */
size_t ctx_blanks_replace(char *p, size_t n);

#endif
