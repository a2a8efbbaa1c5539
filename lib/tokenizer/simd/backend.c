/* backend.c - which back end splits text, looks pieces up and merges them */
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/pretoken_lookup.h"
#include "tokenizer/simd/backend.h"

ctx_split_fn *
ctx_split_pick(enum ctx_simd simd)
{
	switch (simd) {
#if defined(__x86_64__)
	case CTX_SIMD_AVX512:
		return ctx_split_avx512;
	case CTX_SIMD_AVX2:
		return ctx_split_avx2;
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		return ctx_split_neon;
#endif
	default:
		return ctx_split_portable;
	}
}

ctx_probe_fn *
ctx_probe_pick(enum ctx_simd simd)
{
	switch (simd) {
#if defined(__x86_64__)
	case CTX_SIMD_AVX512:
		return ctx_probe_avx512;
	case CTX_SIMD_AVX2:
		return ctx_probe_avx2;
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		return ctx_probe_neon;
#endif
	default:
		return ctx_probe_portable;
	}
}

ctx_lanes_fn *
ctx_lanes_pick(enum ctx_simd simd)
{
	switch (simd) {
#if defined(__x86_64__)
	case CTX_SIMD_AVX512:
		return ctx_lanes_avx512;
	case CTX_SIMD_AVX2:
		return ctx_lanes_avx2;
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		return ctx_lanes_neon;
#endif
	default:
		return ctx_lanes_portable;
	}
}
