/* key_start.h - a set of 16 bits that tells which keys an object may have; it
 * makes most searches for absent keys fast */
#ifndef CTX_JSON_KEY_START_H
#define CTX_JSON_KEY_START_H

#include <stdint.h>

/* Returns the first two bytes of a key as one number; 0 stands for a missing
 * byte. end is the byte after the key. */
static inline uint16_t
key_start(const char *key, char end)
{
	unsigned first = (unsigned char)key[0], second = 0;

	if (key[0] == end)
		first = 0;
	else if (key[1] != end)
		second = (unsigned char)key[1];
	return (uint16_t)(first << 8 | second);
}

/*
 * Returns the bit that stands for all keys with the first two bytes "start"
 * (see key_start). ctx_node.keys of an object has the bits of all keys of the
 * object.  If the bit of a key is not set, the object does not have the key.
 * If the bit is set, the object may have the key, or another key with the same
 * bit, because there are only 16 bits.  Usually the bit is not set, because
 * most searches are for absent keys.  The factor 2485 decides which keys share
 * a bit.  With this factor, few keys of the message formats share a bit with
 * "role", "content" or "tool_calls".
 */
static inline uint16_t
key_bit(uint16_t start)
{
	return (uint16_t)(1u << ((start * 2485u & 0xffff) >> 12));
}

#endif
