/*
 * utf8_blocks.h - validation by table, for kinds of vectors that can look up
 *
 * Keiser and Lemire, "Validating UTF-8 in less than one instruction per
 * byte" (2021): what can be wrong with two bytes in a row is a set, and three
 * lookups, by the halves of the first byte and by the high half of the
 * second, give three sets; what they have in common is wrong.
 */
enum {
	TOO_SHORT = 1 << 0, /* a lead byte, then no continuation */
	TOO_LONG = 1 << 1,  /* ASCII, then a continuation */
	SHORTER_3 = 1 << 2, /* e0, then below a0 */
	TOO_LARGE = 1 << 3, /* f4 or more, then above 8f */
	SURROGATE = 1 << 4, /* ed, then above 9f */
	SHORTER_2 = 1 << 5, /* c0 or c1 */
	SHORTER_4 = 1 << 6, /* f0 or above f4, then below 90 */
	TWO_CONTS = 1 << 7, /* right only at the end of a long character */
};

#define ANY (TOO_SHORT | TOO_LONG | TWO_CONTS) /* whatever the low half */
#define F5 (ANY | TOO_LARGE | SHORTER_4)
#define CONT (TOO_LONG | TWO_CONTS | SHORTER_2)

static const uint8_t first_high[16] = {TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
    TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TWO_CONTS, TWO_CONTS, TWO_CONTS,
    TWO_CONTS, TOO_SHORT | SHORTER_2, TOO_SHORT,
    TOO_SHORT | SHORTER_3 | SURROGATE, TOO_SHORT | TOO_LARGE | SHORTER_4};
static const uint8_t first_low[16] = {ANY | SHORTER_2 | SHORTER_3 | SHORTER_4,
    ANY | SHORTER_2, ANY, ANY, ANY | TOO_LARGE, F5, F5, F5, F5, F5, F5, F5, F5,
    F5 | SURROGATE, F5, F5};
static const uint8_t second_high[16] = {TOO_SHORT, TOO_SHORT, TOO_SHORT,
    TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
    CONT | SHORTER_3 | SHORTER_4, CONT | SHORTER_3 | TOO_LARGE,
    CONT | SURROGATE | TOO_LARGE, CONT | SURROGATE | TOO_LARGE, TOO_SHORT,
    TOO_SHORT, TOO_SHORT, TOO_SHORT};

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
		if (KIND(bits)(KIND(load)(p + at)) == 0 &&
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
