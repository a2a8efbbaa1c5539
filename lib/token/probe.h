/* probe.h - looking up many pieces in the key table at once */
#ifndef CTX_TOKEN_PROBE_H
#define CTX_TOKEN_PROBE_H

#include "token/vocab.h"

#define CTX_PROBE_MAX 512 /* pieces looked up at once */

/*
 * Looks up the n pieces (at most CTX_PROBE_MAX) of p that begin at start[i]
 * and end at end[i]; 16 bytes can be read at each.  Fills in their keys; puts
 * the numbers of those that are not in their line of the key table, or have
 * more than 16 bytes, into missed, returns how many.
 */
typedef size_t ctx_probe_fn(const struct ctx_vocab *vocab, const char *p,
    const uint32_t *start, const uint32_t *end, size_t n,
    struct ctx_key *keys, uint32_t *missed);

ctx_probe_fn ctx_probe_portable, ctx_probe_avx2, ctx_probe_avx512,
    ctx_probe_neon;

/* The back end for one that ctx_simd_pick returned. */
ctx_probe_fn *ctx_probe_pick(enum ctx_simd simd);

#endif
