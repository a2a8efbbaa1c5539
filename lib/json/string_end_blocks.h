/* string_end_blocks.h - searches for the end of a JSON string; string_end.c
 * includes this file once for each kind of SIMD vector */

INLINE TARGET MASK
KIND(backslashes)(VECTOR v)
{
	return KIND(equal)(v, '\\');
}

INLINE TARGET MASK
KIND(us)(VECTOR v)
{
	return KIND(equal)(v, 'u');
}

/* Returns the mask of the bytes in a vector that are valid after a backslash in
 * a JSON string. */
#ifdef LOOKUP
INLINE TARGET MASK
KIND(letters)(VECTOR v)
{
	/* The valid bytes are divided into four sets, each with a bit: 1 is "
	 * and /; 2 is \; 4 is b, f and n; 8 is r, t and u.  The tables give the
	 * sets for the low and the high half of a byte.  A byte is valid if
	 * some set contains both its low half and its high half. */
	static const uint8_t low[16] = {[0x2] = 1 | 4 | 8,
	    [0x4] = 8,
	    [0x5] = 8,
	    [0x6] = 4,
	    [0xc] = 2,
	    [0xe] = 4,
	    [0xf] = 1};
	static const uint8_t high[16] =
	    {[0x2] = 1, [0x5] = 2, [0x6] = 4, [0x7] = 8};

	return KIND(some)(KIND(lookup)(low, KIND(keep)(v, 0x0f)) &
	    KIND(lookup)(high, KIND(half)(v)));
}
#else
INLINE TARGET MASK
KIND(letters)(VECTOR v)
{
	/* The letters b and f differ in a single bit, and so do t and u.  If
	 * the bit in which two letters differ is set in all bytes, one
	 * comparison finds both letters. */
	MASK bf = KIND(equal)(KIND(set)(v, 'b' ^ 'f'), 'f');
	MASK tu = KIND(equal)(KIND(set)(v, 't' ^ 'u'), 'u');
	MASK nr = KIND(equal)(v, 'n') | KIND(equal)(v, 'r');
	MASK sign = KIND(equal)(v, '"') | KIND(equal)(v, '/');

	return bf | tu | nr | sign | KIND(backslashes)(v);
}
#endif

/* Applies a function that finds bytes in a vector, such as backslashes(), to
 * the 64 bytes at p.  The result is a mask in which bit i is set if the
 * function finds byte i.  The vectors are not loaded in a loop, because no
 * compiler unrolls such a loop at -O2. */
#define PART(what, i) (KIND(bits)(KIND(what)(KIND(load)(p + (i)))) << (i))
#define GATHER(what)                                                      \
	(sizeof(VECTOR) == 64          ? PART(what, 0)                    \
		: sizeof(VECTOR) == 32 ? PART(what, 0) | PART(what, 32)   \
		: sizeof(VECTOR) == 16 ? PART(what, 0) | PART(what, 16) | \
		    PART(what, 32) | PART(what, 48)                       \
				       : PART(what, 0) | PART(what, 8) |  \
		    PART(what, 16) | PART(what, 24) | PART(what, 32) |    \
		    PART(what, 40) | PART(what, 48) | PART(what, 56))

/* Searches a block of 64 bytes for the end of the string. p: the bytes at
 * search->p, or a copy of them.  Returns true if the end of the string or an
 * error was found. */
INLINE TARGET bool
KIND(ends)(struct string_end *search, struct string_block *block, const char *p)
{
	block->backslash = GATHER(backslashes);
	block->stop = GATHER(stops);
	block->high = GATHER(high);
	if (block->high != 0 && search->high == NULL)
		search->high = search->p + __builtin_ctzll(block->high);
	block->escaped = 0;
	/* Half of the blocks of code and logs contain backslashes.  So with
	 * wide vectors, the masks for escapes are always computed, because this
	 * takes less time than a mispredicted branch. */
	if (sizeof(VECTOR) >= 32 || (block->backslash | block->carry) != 0) {
		block->letter = GATHER(letters);
		block->u = GATHER(us);
		if (!resolve_escapes(search, block))
			return true;
	}
	if (block->stop == 0)
		return false;
	stop_search(search, block);
	return true;
}

static TARGET void
KIND(search)(struct string_end *out)
{
	/* a copy of *out, so that the compiler can keep its members in
	 * registers */
	struct string_end search = *out;
	struct string_block block = {0};
	char tail[BLOCK];

	for (; search.end - search.p >= BLOCK; search.p += BLOCK)
		if (KIND(ends)(&search, &block, search.p)) {
			*out = search;
			return;
		}
	/* The bytes after the end of the text are 0.  A byte 0 is a control
	 * byte, which ends the search. */
	memset(tail, 0, BLOCK);
	memcpy(tail, search.p, (size_t)(search.end - search.p));
	(void)KIND(ends)(&search, &block, tail);
	*out = search;
}

#undef KIND
#undef VECTOR
#undef MASK
#undef TARGET
#undef LOOKUP
#undef PART
#undef GATHER
