/* avx2.c - splits text, and looks up and merges pretokens (pieces of text that
 * are encoded by themselves), with AVX2 instructions */
#if defined(__x86_64__)
#include <immintrin.h>

#include "tokenizer/simd/avx.h"
#include "tokenizer/simd/pretokenize_block.h"
#include "tokenizer/simd/pretoken_batch.h"
#include "tokenizer/simd/bpe_interleaved.h"

const struct ctx_backend ctx_backend_avx2 = {split_text, look_up_pretokens,
    merge_pretokens};
#else
/* ISO C forbids a source file without any declaration. */
typedef int ctx_no_avx2;
#endif
