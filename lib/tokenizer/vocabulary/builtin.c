/* builtin.c - the packed vocabularies of the built-in encodings, in read-only
 * data */
#include "tokenizer/vocabulary/builtin.h"
#include "tokenizer/vocabulary/incbin.h"

CTX_INCBIN(ctx_vocab_r50k_base, "r50k_base.vocab");
CTX_INCBIN(ctx_vocab_p50k_base, "p50k_base.vocab");
CTX_INCBIN(ctx_vocab_cl100k_base, "cl100k_base.vocab");
CTX_INCBIN(ctx_vocab_o200k_base, "o200k_base.vocab");
