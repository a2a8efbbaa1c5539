/* backend.c - chooses the functions for the instruction set of this processor:
 * to split text, and to look up and merge pretokens (pieces of text that are
 * encoded by themselves) */
#include "tokenizer/simd/backend.h"

const struct ctx_backend *
ctx_backend_pick(enum ctx_simd simd)
{
	switch (simd) {
#if defined(__x86_64__)
	case CTX_SIMD_AVX512:
		return &ctx_backend_avx512;
	case CTX_SIMD_AVX2:
		return &ctx_backend_avx2;
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		return &ctx_backend_neon;
#endif
	default:
		return &ctx_backend_portable;
	}
}
