/* avx2.c - splits text, and looks up and merges pretokens (pieces of text that
 * are encoded by themselves), with AVX2 instructions */
#if defined(__x86_64__)
#include <immintrin.h>

#include "tokenizer/simd/avx.h"
#include "tokenizer/simd/pretokenize_block.h"

void
ctx_pretokenize_avx2(struct ctx_pretokenize *split,
    struct ctx_pretokenizer pretokenizer, unsigned plain, const char *p,
    size_t n, size_t max)
{
	split_text(split, pretokenizer, plain, p, n, max);
}

#include "tokenizer/simd/pretoken_batch.h"

size_t
ctx_pretoken_lookup_avx2(const struct ctx_pretoken_cache *cache, const char *p,
    const struct ctx_pretoken_list *list, struct ctx_pretoken_lookup *lookup,
    uint64_t *tokens)
{
	return look_up_pretokens(cache, p, list, lookup, tokens);
}

#include "tokenizer/simd/bpe_interleaved.h"

void
ctx_bpe_merge_avx2(const struct ctx_vocab *vocab,
    struct ctx_bpe_pretoken *pretokens, size_t n)
{
	merge_pretokens(vocab, pretokens, n);
}
#else
/* ISO C forbids a source file without any declaration. */
typedef int ctx_no_avx2;
#endif
