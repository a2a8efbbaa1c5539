/* walk_blocks.h - the walk of walk.c, once for each kind of vector */

INLINE TARGET VECTOR
KIND(all)(VECTOR v)
{
	return v;
}

INLINE TARGET VECTOR
KIND(backslashes)(VECTOR v)
{
	return KIND(equal)(v, '\\');
}

INLINE TARGET VECTOR
KIND(stops)(VECTOR v)
{
	return KIND(or)(KIND(equal)(v, '"'), KIND(control)(v));
}

INLINE TARGET VECTOR
KIND(us)(VECTOR v)
{
	return KIND(equal)(v, 'u');
}

/* What may follow a backslash; b and f, t and u differ in one bit only. */
INLINE TARGET VECTOR
KIND(letters)(VECTOR v)
{
	VECTOR bf = KIND(equal)(KIND(set)(v, 'b' ^ 'f'), 'f');
	VECTOR tu = KIND(equal)(KIND(set)(v, 't' ^ 'u'), 'u');
	VECTOR nr = KIND(or)(KIND(equal)(v, 'n'), KIND(equal)(v, 'r'));
	VECTOR sign = KIND(or)(KIND(equal)(v, '"'), KIND(equal)(v, '/'));

	return KIND(or)(KIND(or)(KIND(or)(bf, tu), KIND(or)(nr, sign)),
	    KIND(backslashes)(v));
}

/* One bit for each of 64 bytes from p on.  The loop over the vectors is
 * written out, as no compiler does so by itself at -O2. */
#define PART(what, i)                                                        \
	(KIND(bits)(KIND(what)(KIND(load)(p + (i)))) << (i))
#define GATHER(what)                                                         \
	(sizeof(VECTOR) == 32 ? PART(what, 0) | PART(what, 32) :             \
	sizeof(VECTOR) == 16 ? PART(what, 0) | PART(what, 16) |              \
	PART(what, 32) | PART(what, 48) :                                    \
	PART(what, 0) | PART(what, 8) | PART(what, 16) | PART(what, 24) |    \
	PART(what, 32) | PART(what, 40) | PART(what, 48) | PART(what, 56))

static TARGET void
KIND(walk)(struct walk *walk)
{
	struct block block = {0};
	char tail[BLOCK];
	const char *p;

	for (;; walk->p += BLOCK) {
		p = next_block(walk, tail);
		block.backslash = GATHER(backslashes);
		block.stop = GATHER(stops);
		block.high = GATHER(all);
		if (block.high != 0 && walk->high == NULL)
			walk->high = walk->p + __builtin_ctzll(block.high);
		block.escaped = 0;
		if ((block.backslash | block.carry) != 0) {
			block.letter = GATHER(letters);
			block.u = GATHER(us);
			if (!escapes(walk, &block))
				return;
		}
		if (block.stop != 0)
			break;
	}
	halt(walk, &block);
}

#undef KIND
#undef VECTOR
#undef TARGET
#undef PART
#undef GATHER
