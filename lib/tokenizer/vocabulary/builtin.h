/* builtin.h - the packed vocabularies of the built-in encodings, in read-only
 * data */
#ifndef CTX_TOKENIZER_VOCABULARY_BUILTIN_H
#define CTX_TOKENIZER_VOCABULARY_BUILTIN_H

extern const unsigned char ctx_vocab_r50k_base[], ctx_vocab_p50k_base[],
    ctx_vocab_cl100k_base[], ctx_vocab_o200k_base[];

#endif
