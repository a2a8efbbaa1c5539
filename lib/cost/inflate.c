/*
 * inflate.c - decompresses a stream of a PDF (RFC 1950 and 1951)
 *
 * The bytes are given to a function one by one, so that a stream of any size
 * needs the same memory.
 */
#include "cost/pdf_text.h"

enum {
	WINDOW = 32768, /* how far back a copy may reach, in bytes */
	LONGEST = 15,   /* bits of the longest code */
	LENGTHS = 288,  /* largest number of codes for lengths and literals */
	DISTANCES = 32, /* largest number of codes for distances */
	BLOCK_END = 256 /* code that ends a block; larger ones are lengths */
};

/* A set of Huffman codes.  The codes of a length are numbers in a row. */
struct codes {
	uint16_t count[LONGEST + 1]; /* number of codes of each length */
	uint16_t symbol[LENGTHS];    /* symbols in the order of their codes */
};

struct inflater {
	const struct ctx_base64 *in;
	size_t at, end;     /* next byte of the input, and its end */
	uint32_t bits;      /* bits that are read, but not used yet */
	unsigned n;         /* number of these bits */
	uint64_t out, most; /* bytes of the output, and how many there may be */
	void (*put)(void *context, unsigned char c);
	void *context;
	struct codes lengths, distances;
	unsigned char window[WINDOW];
};

/* Returns the next bits as a number, or -1 at the end of the input. */
static int
read_bits(struct inflater *s, unsigned need)
{
	uint32_t value;

	while (s->n < need) {
		if (s->at >= s->end)
			return -1;
		s->bits |= (uint32_t)(ctx_base64_byte(s->in, s->at++) & 0xff)
		    << s->n;
		s->n += 8;
	}
	value = s->bits & ((1u << need) - 1);
	s->bits >>= need;
	s->n -= need;
	return (int)value;
}

/* Sets the codes of symbols, of which each has a length in bits, or 0. */
static void
set_codes(struct codes *codes, const unsigned char *length, unsigned n)
{
	uint16_t next[LONGEST + 2] = {0};
	unsigned i;

	for (i = 0; i <= LONGEST; i++)
		codes->count[i] = 0;
	for (i = 0; i < n; i++)
		codes->count[length[i]]++;
	codes->count[0] = 0;
	for (i = 1; i <= LONGEST; i++)
		next[i + 1] = (uint16_t)(next[i] + codes->count[i]);
	for (i = 0; i < n; i++)
		if (length[i] != 0)
			codes->symbol[next[length[i]]++] = (uint16_t)i;
}

/* Returns the symbol of the next code, or -1 if there is none. */
static int
read_symbol(struct inflater *s, const struct codes *codes)
{
	int code = 0, first = 0, index = 0, length, bit, count;

	for (length = 1; length <= LONGEST; length++) {
		bit = read_bits(s, 1);
		if (bit < 0)
			return -1;
		code |= bit;
		count = codes->count[length];
		if (code - first < count)
			return codes->symbol[index + code - first];
		index += count;
		first = (first + count) << 1;
		code <<= 1;
	}
	return -1;
}

static void
put_byte(struct inflater *s, unsigned char c)
{
	s->window[s->out++ % WINDOW] = c;
	s->put(s->context, c);
}

/* Copies bytes of the output.  symbol: code of their number.  Returns -1 if the
 * input is not valid. */
static int
copy_bytes(struct inflater *s, int symbol)
{
	static const uint16_t lengths[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15,
	    17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
	    227, 258};
	static const uint16_t distances[] = {1, 2, 3, 4, 5, 7, 9, 13, 17, 25,
	    33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
	    3073, 4097, 6145, 8193, 12289, 16385, 24577};
	int i = symbol - BLOCK_END - 1, more, length, distance;

	if (i >= (int)CTX_LENGTH(lengths))
		return -1;
	more = read_bits(s, i < 8 || i == 28 ? 0 : (unsigned)i / 4 - 1);
	length = lengths[i] + more;
	i = read_symbol(s, &s->distances);
	if (more < 0 || i < 0 || i >= (int)CTX_LENGTH(distances))
		return -1;
	more = read_bits(s, i < 4 ? 0 : (unsigned)i / 2 - 1);
	distance = distances[i] + more;
	if (more < 0 || (uint64_t)distance > s->out)
		return -1;
	for (; length > 0; length--)
		put_byte(s, s->window[(s->out - (uint64_t)distance) % WINDOW]);
	return 0;
}

/* Reads the codes that a block begins with. */
static int
read_codes(struct inflater *s)
{
	static const unsigned char order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5,
	    11, 4, 12, 3, 13, 2, 14, 1, 15};
	unsigned char length[LENGTHS + DISTANCES] = {0};
	int literals = read_bits(s, 5), distances = read_bits(s, 5);
	int i, n = read_bits(s, 4), symbol, times, last;

	if (literals < 0 || distances < 0 || n < 0)
		return -1;
	literals += 257;
	distances += 1;
	for (i = 0; i < n + 4; i++)
		length[order[i]] = (unsigned char)(read_bits(s, 3) & 7);
	set_codes(&s->lengths, length, CTX_LENGTH(order));
	for (i = 0; i < literals + distances;) {
		symbol = read_symbol(s, &s->lengths);
		if (symbol < 0 || (symbol == 16 && i == 0))
			return -1;
		times = 1;
		last = symbol == 16 ? length[i - 1] : symbol < 16 ? symbol : 0;
		if (symbol >= 16)
			times = symbol == 16 ? 3 + read_bits(s, 2)
			    : symbol == 17   ? 3 + read_bits(s, 3)
					     : 11 + read_bits(s, 7);
		for (; times > 0 && i < literals + distances; times--)
			length[i++] = (unsigned char)last;
	}
	set_codes(&s->lengths, length, (unsigned)literals);
	set_codes(&s->distances, length + literals, (unsigned)distances);
	return 0;
}

/* Sets the codes of a block that has none of its own. */
static void
set_fixed_codes(struct inflater *s)
{
	unsigned char length[LENGTHS];
	int i;

	for (i = 0; i < LENGTHS; i++)
		length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
	set_codes(&s->lengths, length, LENGTHS);
	for (i = 0; i < DISTANCES; i++)
		length[i] = 5;
	set_codes(&s->distances, length, DISTANCES);
}

/* Copies a block that is not compressed. */
static int
copy_block(struct inflater *s)
{
	int length, check;

	s->n = 0;
	s->bits = 0;
	length = read_bits(s, 16);
	check = read_bits(s, 16);
	if (length < 0 || check < 0)
		return -1;
	for (; length > 0 && s->at < s->end; length--)
		put_byte(s, (unsigned char)read_bits(s, 8));
	return 0;
}

static int
read_block(struct inflater *s, int kind)
{
	int symbol;

	if (kind == 0)
		return copy_block(s);
	if (kind == 1)
		set_fixed_codes(s);
	else if (kind != 2 || read_codes(s) < 0)
		return -1;
	while (s->out < s->most) {
		symbol = read_symbol(s, &s->lengths);
		if (symbol == BLOCK_END)
			return 0;
		if (symbol < 0 ||
		    (symbol > BLOCK_END && copy_bytes(s, symbol) < 0))
			return -1;
		if (symbol < BLOCK_END)
			put_byte(s, (unsigned char)symbol);
	}
	return -1;
}

uint64_t
ctx_inflate(const struct ctx_base64 *in, size_t at, size_t end, uint64_t most,
    void (*put)(void *context, unsigned char c), void *context)
{
	struct inflater s = {.in = in, .at = at + 2, .end = end, .most = most};
	uint32_t head = ctx_base64_uint(in, at, 2, false);
	int last, kind;

	/* a method other than deflate, or no zlib stream */
	if ((head >> 8 & 15) != 8 || head % 31 != 0)
		return 0;
	s.put = put;
	s.context = context;
	do {
		last = read_bits(&s, 1);
		kind = read_bits(&s, 2);
	} while (last >= 0 && read_block(&s, kind) == 0 && last == 0);
	return s.out;
}
