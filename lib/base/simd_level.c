/* simd_level.c - finds which SIMD instruction set this processor supports */
#include "base/base.h"

static bool
has_simd(enum ctx_simd simd)
{
#if defined(__x86_64__)
	bool avx2 = __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");

#endif
	switch (simd) {
#if defined(__x86_64__)
	case CTX_SIMD_SSE2:
		return true;
	case CTX_SIMD_AVX2:
		return avx2;
	case CTX_SIMD_AVX512:
		return avx2 && __builtin_cpu_supports("avx512bw") &&
		    __builtin_cpu_supports("avx512dq") &&
		    __builtin_cpu_supports("avx512vl") &&
		    __builtin_cpu_supports("avx512vbmi") &&
		    __builtin_cpu_supports("avx512vbmi2");
#elif defined(__aarch64__)
	case CTX_SIMD_NEON:
		return true;
#endif
	case CTX_SIMD_PORTABLE:
		return true;
	default:
		return false;
	}
}

enum ctx_simd
ctx_simd_resolve(enum ctx_simd simd)
{
	static const enum ctx_simd best[] = {CTX_SIMD_AVX512, CTX_SIMD_AVX2,
	    CTX_SIMD_SSE2, CTX_SIMD_NEON};

	if (simd != CTX_SIMD_BEST)
		return has_simd(simd) ? simd : CTX_SIMD_PORTABLE;
	for (size_t i = 0; i < CTX_LENGTH(best); i++)
		if (has_simd(best[i]))
			return best[i];
	return CTX_SIMD_PORTABLE;
}
