/* key_start.h - the first two bytes of the keys of an object, as a set of 16
 * bits that makes most failing lookups fast */
#ifndef CTX_JSON_KEY_START_H
#define CTX_JSON_KEY_START_H

#include <stdint.h>

/* Returns the first two bytes of a key as one number.  The byte end is the one
 * after the key.  If the key is shorter, the missing bytes are 0. */
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
 * Returns the bit that stands for all keys with these first two bytes (see
 * key_start).  The node of an object has the set of the bits of its keys
 * (ctx_node.keys).  Different starts share a bit, so the set can only prove
 * that a key is absent; most lookups are of absent keys.  The factor was chosen
 * so that few other keys of the message formats share the bits of "role",
 * "content" and "tool_calls".
 */
static inline uint16_t
key_bit(uint16_t start)
{
	return (uint16_t)(1u << ((start * 2485u & 0xffff) >> 12));
}

#endif
