/*
 * hash.c - computes SipHash-1-3 of strings with a random key
 *
 * SipHash-1-3 has one round for each 8 bytes and three rounds at the end
 * (Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012).
 * The runtimes of several languages use it for their hash tables.
 */
#define _DEFAULT_SOURCE /* getentropy, which POSIX has since 2024 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/base.h"
#include "base/vector.h"

void
ctx_hashkey_init(struct ctx_hashkey *key)
{
	ssize_t got;
	int fd;

	/* getentropy(3) is used first because it opens no file: the sandbox may
	 * forbid to open files. */
	if (getentropy(key->k, sizeof key->k) == 0)
		return;
	/* Without a source of random numbers, the key is computed from the
	 * address of "key".  The author of the input cannot know this address,
	 * because the system chooses addresses at random (ASLR). */
	key->k[0] = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
	key->k[1] = ~key->k[0] * 0xc2b2ae3d27d4eb4fu;
	fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	do
		got = read(fd, key->k, sizeof key->k);
	while (got < 0 && errno == EINTR);
	close(fd);
}

INLINE uint64_t
rotate_left(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

INLINE void
sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate_left(v[1], 13) ^ v[0];
	v[0] = rotate_left(v[0], 32);
	v[2] += v[3];
	v[3] = rotate_left(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate_left(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate_left(v[1], 17) ^ v[2];
	v[2] = rotate_left(v[2], 32);
}

INLINE void
init_sip(uint64_t v[4], const struct ctx_hashkey *key)
{
	v[0] = key->k[0] ^ 0x736f6d6570736575u;
	v[1] = key->k[1] ^ 0x646f72616e646f6du;
	v[2] = key->k[0] ^ 0x6c7967656e657261u;
	v[3] = key->k[1] ^ 0x7465646279746573u;
}

INLINE void
mix_bytes(uint64_t v[4], const char *p, size_t n)
{
	uint64_t word, last = (uint64_t)n << 56;

	for (; n >= 8; p += 8, n -= 8) {
		word = load_word(p);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	for (size_t i = 0; i < n; i++)
		last |= (uint64_t)(unsigned char)p[i] << (8 * i);
	v[3] ^= last;
	sip_round(v);
	v[0] ^= last;
}

INLINE uint64_t
finish_sip(uint64_t v[4])
{
	for (size_t i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t
ctx_hash(const struct ctx_hashkey *key, const char *p, size_t n)
{
	uint64_t v[4];

	init_sip(v, key);
	mix_bytes(v, p, n);
	v[2] ^= 0xff;
	return finish_sip(v);
}

/* Computes SipHash with a result of 128 bits, in the same way as the reference
 * implementation of its authors. */
void
ctx_hash_wide(const struct ctx_hashkey *key, const char *p, size_t n,
    uint64_t hash[2])
{
	uint64_t v[4];

	init_sip(v, key);
	v[1] ^= 0xee;
	mix_bytes(v, p, n);
	v[2] ^= 0xee;
	hash[0] = finish_sip(v);
	v[1] ^= 0xdd;
	hash[1] = finish_sip(v);
}
