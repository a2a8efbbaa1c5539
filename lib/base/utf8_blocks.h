/* utf8_blocks.h - UTF-8 validation by SIMD; utf8.c includes this file once for
 * each kind of vector */

/* Returns for each byte of the block at p the errors of the text that ends with
 * that byte; 0 means none.  At least 3 bytes precede p. */
INLINE TARGET VECTOR
KIND(wrong)(const char *p)
{
	VECTOR second = KIND(load)(p), first = KIND(load)(p - 1);
	VECTOR sets, third, fourth;

	sets = KIND(lookup)(first_high, KIND(half)(first));
	sets = KIND(and)(sets, KIND(lookup)(first_low, KIND(keep)(first, 15)));
	sets = KIND(and)(sets, KIND(lookup)(second_high, KIND(half)(second)));
	/* A continuation after another, which sets the top bit, must come two
	 * bytes after e0 and above and three after f0 and above, and nowhere
	 * else.  less leaves the top bit set in just these lead bytes. */
	third = KIND(less)(KIND(load)(p - 2), 0xe0 - 0x80);
	fourth = KIND(less)(KIND(load)(p - 3), 0xf0 - 0x80);
	return KIND(xor)(sets, KIND(keep)(KIND(or)(third, fourth), 0x80));
}

/*
 * Validates whole blocks from offset at, which is at least 3 and where a
 * character begins.  Returns the offset of a character, before which all is
 * valid; the text after it is still to be validated.
 */
static TARGET size_t
KIND(valid_blocks)(const char *p, size_t at, size_t n)
{
	for (; n - at >= sizeof(VECTOR); at += sizeof(VECTOR)) {
		if (KIND(bits)(KIND(high)(KIND(load)(p + at))) == 0 &&
		    (p[at - 1] & 0x80) == 0)
			continue;
		if (KIND(any)(KIND(wrong)(p + at)))
			break;
	}
	/* The last character may continue in the next block: go back to its
	 * start. */
	while ((p[at - 1] & 0xc0) == 0x80)
		at--;
	return at - ((p[at - 1] & 0x80) != 0);
}

#undef KIND
#undef VECTOR
#undef TARGET
