/* key_start.h - the starts of the keys of an object, as a set of 16 bits */
#ifndef CTX_JSON_KEY_START_H
#define CTX_JSON_KEY_START_H

#include <stdint.h>

/* Returns the first two bytes of a key, which ends before the byte end; 0 for a
 * byte that it lacks. */
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
 * Returns the bit for keys with this start (see key_start) in the set of keys
 * of an object, which is ctx_node.keys.  Several starts share a bit, so a set
 * can only prove that a key is absent; most lookups are for absent keys.  The
 * factor is one of those for which "role", "content" and "tool_calls" share
 * their bits with the fewest other keys of the formats.
 */
static inline uint16_t
key_bit(uint16_t start)
{
	return (uint16_t)(1u << ((start * 2485u & 0xffff) >> 12));
}

#endif
