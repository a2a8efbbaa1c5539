/* utf8_blocks.h - the validation of utf8.c, once for each kind of vector */

/* What is wrong up to each byte of the block at p; three others precede. */
INLINE TARGET VECTOR
KIND(wrong)(const char *p)
{
	VECTOR second = KIND(load)(p), first = KIND(load)(p - 1);
	VECTOR sets, third, fourth;

	sets = KIND(lookup)(first_high, KIND(half)(first));
	sets = KIND(and)(sets, KIND(lookup)(first_low, KIND(keep)(first, 15)));
	sets = KIND(and)(sets, KIND(lookup)(second_high, KIND(half)(second)));
	/* A continuation behind another, the top bit, must stand two bytes
	 * behind e0 and above and three behind f0 and above, and nowhere else;
	 * less leaves the top bit of just these lead bytes. */
	third = KIND(less)(KIND(load)(p - 2), 0xe0 - 0x80);
	fourth = KIND(less)(KIND(load)(p - 3), 0xf0 - 0x80);
	return KIND(xor)(sets, KIND(keep)(KIND(or)(third, fourth), 0x80));
}

/*
 * Validates by blocks from at, which is 3 or more and lies between characters.
 * Returns such a place, behind which there may be more that is valid.
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
	/* The last character may go on in the next block. */
	while ((p[at - 1] & 0xc0) == 0x80)
		at--;
	return at - ((p[at - 1] & 0x80) != 0);
}

#undef KIND
#undef VECTOR
#undef TARGET
