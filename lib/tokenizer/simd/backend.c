/* backend.c - chooses the functions for the instruction set of this processor:
 * to split text, and to look up and merge pretokens (pieces of text that are
 * encoded by themselves) */
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/pretoken_lookup.h"
#include "tokenizer/simd/backend.h"

ctx_pretokenize_fn *
ctx_pretokenize_pick(enum ctx_simd simd)
{
	switch (simd) {
#if defined(__x86_64__)
	case CTX_SIMD_AVX512:
		return ctx_pretokenize_avx512;
	case CTX_SIMD_AVX2:
		return ctx_pretokenize_avx2;
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		return ctx_pretokenize_neon;
#endif
	default:
		return ctx_pretokenize_portable;
	}
}

ctx_pretoken_lookup_fn *
ctx_pretoken_lookup_pick(enum ctx_simd simd)
{
	switch (simd) {
#if defined(__x86_64__)
	case CTX_SIMD_AVX512:
		return ctx_pretoken_lookup_avx512;
	case CTX_SIMD_AVX2:
		return ctx_pretoken_lookup_avx2;
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		return ctx_pretoken_lookup_neon;
#endif
	default:
		return ctx_pretoken_lookup_portable;
	}
}

ctx_bpe_merge_fn *
ctx_bpe_merge_pick(enum ctx_simd simd)
{
	switch (simd) {
#if defined(__x86_64__)
	case CTX_SIMD_AVX512:
		return ctx_bpe_merge_avx512;
	case CTX_SIMD_AVX2:
		return ctx_bpe_merge_avx2;
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		return ctx_bpe_merge_neon;
#endif
	default:
		return ctx_bpe_merge_portable;
	}
}
