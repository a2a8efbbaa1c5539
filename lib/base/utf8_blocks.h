/* utf8_blocks.h - validates UTF-8 with SIMD instructions; utf8.c includes this
 * file once for each kind of vector */

/* Finds invalid UTF-8 in the vector of bytes at p.  Also reads the 3 bytes
 * before p.  Byte i of the result is a set of bits: the errors that are found
 * at byte i of the vector. */
INLINE TARGET VECTOR
KIND(wrong)(const char *p)
{
	VECTOR second = KIND(load)(p), first = KIND(load)(p - 1);
	VECTOR sets, third, fourth;

	sets = KIND(lookup)(first_high, KIND(half)(first));
	sets &= KIND(lookup)(first_low, KIND(keep)(first, 15));
	sets &= KIND(lookup)(second_high, KIND(half)(second));
	/* The top bit (TWO_CONTS) of byte i of "sets" is set if byte i of the
	 * text and the byte before it are both continuation bytes.  In valid
	 * text, this is so exactly for the third and fourth bytes of
	 * characters.  The subtractions find these bytes: two bytes after a
	 * lead byte of e0 or more, and three bytes after a lead byte of f0 or
	 * more.  The xor clears each correct top bit, and sets each missing top
	 * bit. */
	third = KIND(less)(KIND(load)(p - 2), 0xe0 - 0x80);
	fourth = KIND(less)(KIND(load)(p - 3), 0xf0 - 0x80);
	return sets ^ KIND(keep)(third | fourth, 0x80);
}

/* Validates UTF-8 in whole vectors. at: offset at which validation begins; it
 * must be at least 3, and a character must begin there.  Returns the offset of
 * a character; the text before it is valid.  The caller must validate the text
 * from the returned offset on. */
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
	/* The bytes of the last character may continue after the vector, so the
	 * offset of the first byte of this character is returned. */
	while ((p[at - 1] & 0xc0) == 0x80)
		at--;
	return at - ((p[at - 1] & 0x80) != 0);
}

#undef KIND
#undef VECTOR
#undef TARGET
