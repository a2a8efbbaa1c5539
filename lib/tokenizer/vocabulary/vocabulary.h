/*
 * vocabulary.h - a packed vocabulary and the lookups in it
 *
 * A vocabulary is one block of memory that holds offsets but no pointers, so
 * that the same bytes can be linked into read-only data or read from a
 * cache file; opening it only fills struct ctx_vocab.  build.c makes it.
 *
 * Tokens are numbered in the order in which byte-pair encoding prefers them:
 * of two pairs that could merge, the one with the lower number wins.
 */
#ifndef CTX_TOKENIZER_VOCABULARY_VOCABULARY_H
#define CTX_TOKENIZER_VOCABULARY_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "tokenizer/pretokenizer.h"

#define CTX_VOCAB_NONE    UINT32_MAX
#define CTX_VOCAB_MAGIC   "ctxvocab"
#define CTX_VOCAB_VERSION 5
#define CTX_VOCAB_ORDER   0x01020304u /* as the machine stores it */
#define CTX_VOCAB_MAX     (1u << 21)  /* tokens; a pair entry has 21 bits */
#define CTX_VOCAB_KEY     16          /* bytes of a piece in the key table */
#define CTX_VOCAB_TOKEN   (1u << 16)  /* bytes of a token */

enum ctx_vocab_section {
	CTX_VOCAB_LINES,    /* key table: lines of four keys, then the spill */
	CTX_VOCAB_SLOTS,    /* uint32_t: the token of each key */
	CTX_VOCAB_LENGTHS,  /* uint16_t: which lengths a beginning can have */
	CTX_VOCAB_LEAVES,   /* uint32_t: the token of each byte */
	CTX_VOCAB_DIGRAMS,  /* uint32_t: the token of each pair of bytes */
	CTX_VOCAB_PAIRS,    /* uint32_t: lines of eight pairs of tokens */
	CTX_VOCAB_PARENTS,  /* uint32_t[2]: what a token was merged from */
	CTX_VOCAB_SHORTER,  /* uint32_t: longest token that begins a token */
	CTX_VOCAB_GROUPS,   /* struct ctx_vocab_group: tokens over 16 bytes */
	CTX_VOCAB_LONG,     /* uint32_t: these, by group, longest first */
	CTX_VOCAB_CROSSING, /* bits: do these two characters share a token? */
	CTX_VOCAB_OFFSETS,  /* uint32_t: where each token begins in TEXT */
	CTX_VOCAB_TEXT,     /* the bytes of all tokens */
	CTX_VOCAB_IDS,      /* uint32_t: public id of each token, or empty */
	CTX_VOCAB_TOKENS,   /* uint32_t: token of each public id, or empty */
	CTX_VOCAB_SPECIALS, /* struct ctx_vocab_special, then their names */
	CTX_VOCAB_PATTERNS, /* of a file's splitter, see pretokenize_pcre2.h */
	CTX_VOCAB_SECTIONS
};

enum {
	/* Some token of the key table is not what its own bytes merge to. */
	CTX_VOCAB_UNREACHED = 1,
	/* Tokens are those of the text's Normalization Form C. */
	CTX_VOCAB_NFC = 2,
	/* Some token is merged before one of its parts could be. */
	CTX_VOCAB_DISORDER = 4,
	/* Every run of ASCII digits that can be a piece is a token. */
	CTX_VOCAB_NUMBERS = 8,
};

struct ctx_vocab_head {
	char magic[8];
	uint32_t order, version;
	uint64_t size;      /* bytes of the whole block */
	uint8_t source[32]; /* sha256 of the file it was made from */
	struct ctx_pretokenizer scheme;
	uint32_t flags;
	uint32_t n;          /* tokens, holes included */
	uint32_t ids;        /* one more than the highest public id */
	uint32_t line_bits;  /* log2 of the lines of the key table */
	uint32_t spill_bits; /* log2 of the lines of its spill */
	uint32_t pair_bits;  /* log2 of the lines of PAIRS */
	uint32_t group_bits;
	uint32_t specials;
	uint32_t longest; /* bytes of the longest token */
	uint64_t at[CTX_VOCAB_SECTIONS];
	uint64_t bytes[CTX_VOCAB_SECTIONS];
};

/* Tokens of more than 16 bytes that begin with the same 16. */
struct ctx_vocab_group {
	uint64_t key[2];
	uint32_t first, n; /* in LONG; n is 0 for an empty place */
};

struct ctx_vocab_special {
	uint32_t id;
	uint32_t at, n;  /* the name, in bytes from the start of the section */
	uint32_t added;  /* found in ordinary text as well */
	uint32_t normal; /* found in the normal form of the text */
};

struct ctx_vocab {
	const struct ctx_vocab_head *head;
	const uint64_t *lines, *spill;
	const uint32_t *slots;
	const uint16_t *lengths[3];
	const uint32_t *leaves;
	const uint32_t *digrams;
	const uint32_t *pairs;
	const uint32_t *parents;
	const uint32_t *shorter;
	const struct ctx_vocab_group *groups;
	const uint32_t *longs;
	const uint64_t *crossing;
	const uint32_t *offsets;
	const char *text;
	const uint32_t *ids;
	const uint32_t *tokens;
	const struct ctx_vocab_special *specials;
	const char *patterns; /* cut text before the scheme does */
	unsigned line_shift, spill_shift, pair_shift, group_shift;
	uint32_t pair_mask;
	bool unreached;
};

/* Fills a view of a block that build.c made; the block is trusted. */
void ctx_vocab_view(struct ctx_vocab *vocab, const void *block);
/* validate.c: the same for n bytes from anywhere; every offset and number is
 * checked first.  The block must be aligned as malloc does.  CTX_EFILE. */
int ctx_vocab_validate(struct ctx_vocab *vocab, const void *block, size_t n,
    struct ctx_err *err);

/*
 * A piece of at most 16 bytes as a key: its bytes, filled up with 0xff.  No
 * valid UTF-8 has that byte, so the key tells the length as well.  Whoever
 * makes a key sees to it that the piece has none.
 */
struct ctx_key {
	uint64_t lo, hi;
};

/* What an empty place of the key table holds: no key is like that, not even
 * the one of no bytes at all, which stands for longer pieces. */
#define CTX_KEY_EMPTY ((struct ctx_key){UINT64_MAX, 0})

/* Key i of a line: first come the low words of all four, then the high. */
static inline struct ctx_key
ctx_line_key(const uint64_t *line, unsigned i)
{
	return (struct ctx_key){line[i], line[4 + i]};
}

/* Sixteen bytes of zero, then sixteen of 0xff. */
extern const unsigned char ctx_key_fill[2 * CTX_VOCAB_KEY];

/* n is at most 16, and 16 bytes can be read at p. */
static inline struct ctx_key
ctx_key_read(const char *p, size_t n)
{
	struct ctx_key key, fill;

	memcpy(&key, p, sizeof key);
	memcpy(&fill, ctx_key_fill + CTX_VOCAB_KEY - n, sizeof fill);
	key.lo |= fill.lo;
	key.hi |= fill.hi;
	return key;
}

/* The same where only n bytes can be read. */
static inline struct ctx_key
ctx_key_copy(const char *p, size_t n)
{
	struct ctx_key key = {UINT64_MAX, UINT64_MAX};

	memcpy(&key, p, n);
	return key;
}

/* Its high bits are the good ones.  One word is turned by no multiple of
 * eight, so that equal characters in both do not cancel out. */
#define CTX_KEY_TURN   37
#define CTX_KEY_SPREAD 0xd6e8feb86659fd93u

static inline uint64_t
ctx_key_hash(struct ctx_key key)
{
	uint64_t turned =
	    key.hi << CTX_KEY_TURN | key.hi >> (64 - CTX_KEY_TURN);

	return (key.lo ^ turned) * CTX_KEY_SPREAD;
}

/* A second hash for the spill, independent enough of the first. */
static inline uint64_t
ctx_key_rehash(uint64_t hash)
{
	return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
}

static inline size_t
ctx_vocab_length(const struct ctx_vocab *v, uint32_t token)
{
	return v->offsets[token + 1] - v->offsets[token];
}

/* Asks for the line of a key. */
static inline void
ctx_vocab_ask_key(const struct ctx_vocab *v, struct ctx_key key)
{
	__builtin_prefetch(v->lines + 8 * (ctx_key_hash(key) >> v->line_shift));
}

/* Is a key in its line?  If not, asks for where else it may be. */
static inline bool
ctx_vocab_in_line(const struct ctx_vocab *v, struct ctx_key key)
{
	uint64_t hash = ctx_key_hash(key);
	const uint64_t *line = v->lines + 8 * (hash >> v->line_shift);
	unsigned found = 0, i;

	for (i = 0; i < 4; i++)
		found |= (unsigned)(line[i] == key.lo) &
		    (unsigned)(line[4 + i] == key.hi);
	if (found == 0)
		__builtin_prefetch(
		    v->spill + 8 * (ctx_key_rehash(hash) >> v->spill_shift));
	return found != 0;
}

/* The token whose bytes are this key, or NONE. */
uint32_t ctx_vocab_find_key(const struct ctx_vocab *vocab, struct ctx_key key);
/* The token with exactly these bytes, or NONE. */
uint32_t ctx_vocab_find(const struct ctx_vocab *vocab, const char *p, size_t n);
/* The longest token that p begins with and that its own bytes merge to; n is
 * at least 1. */
uint32_t ctx_vocab_longest(const struct ctx_vocab *vocab, const char *p,
    size_t n);

/*
 * A pair is a number of 42 bits, spread over all numbers of 42 bits: the
 * upper ones choose its line, the lower ones are its tag.  If the line is
 * full it stands in the next one or the one after that; how many lines it is
 * from home is told by the upper bits of the tag, so a tag stands for one
 * pair only and nothing else need be compared.
 */
#define CTX_PAIR_BITS     42
#define CTX_PAIR_SPREAD   0x9e3779b97f4a7c15u
#define CTX_PAIR_GATHER   0xf1de83e19937733du /* its inverse */
#define CTX_PAIR_LEAST    14                  /* log2 of the lines, at least */
#define CTX_PAIR_AWAY     28 /* the bit that counts lines from home */
#define CTX_PAIR_AWAY_MAX 15
/* A line: the tags of eight pairs, then what they merge to with all bits
 * turned, zero for an empty place. */
#define CTX_PAIR_LINE 16
/* A token that merges with none, for where there is none. */
#define CTX_PAIR_NOBODY (CTX_VOCAB_MAX - 1)

_Static_assert(CTX_PAIR_BITS - CTX_PAIR_LEAST <= CTX_PAIR_AWAY,
    "a tag and a distance fit one number");

static inline uint64_t
ctx_pair_hash(uint32_t a, uint32_t b)
{
	return (((uint64_t)a << 21 | b) * CTX_PAIR_SPREAD) &
	    ((UINT64_C(1) << CTX_PAIR_BITS) - 1);
}

static inline uint32_t
ctx_pair_tag(uint64_t hash, unsigned shift)
{
	return (uint32_t)(hash & ((UINT64_C(1) << shift) - 1));
}

/* What the pair with this hash merges to, or NONE. */
static inline uint32_t
ctx_vocab_pair_far(const struct ctx_vocab *v, uint64_t hash)
{
	uint32_t line = (uint32_t)(hash >> v->pair_shift), found = 0;
	uint32_t tag = ctx_pair_tag(hash, v->pair_shift);
	const uint32_t *entry;
	unsigned away, i;

	/* Where in its line a pair stands is as good as random: all places
	 * are looked at without a branch.  Only full lines go on. */
	for (away = 0; away <= CTX_PAIR_AWAY_MAX; away++) {
		entry = v->pairs + CTX_PAIR_LINE * (size_t)line;
		for (i = 0; i < 8; i++)
			found |= entry[i] == tag ? entry[8 + i] : 0;
		if (found != 0 || entry[15] == 0)
			break;
		line = (line + 1) & v->pair_mask;
		tag += 1u << CTX_PAIR_AWAY;
	}
	return ~found;
}

/* What two neighbouring tokens merge to, or NONE. */
static inline uint32_t
ctx_vocab_pair(const struct ctx_vocab *v, uint32_t a, uint32_t b)
{
	return ctx_vocab_pair_far(v, ctx_pair_hash(a, b));
}

/*
 * Bit k tells that some token of k + 1 bytes may begin as p does, bit 0 that
 * one of more than 16 may.  Three tables are asked, by the first two, four
 * and eight bytes; 16 bytes can be read at p.
 */
static inline uint32_t
ctx_lengths_index(const char *p, int table)
{
	uint64_t first = 0;
	uint16_t two;

	switch (table) {
	case 0:
		memcpy(&two, p, 2);
		return two;
	case 1:
		memcpy(&first, p, 4);
		break;
	default:
		memcpy(&first, p, 8);
	}
	return (uint32_t)(first * 0x9e3779b97f4a7c15u >> 48);
}

/* The lengths that each table knows of, as bits. */
#define CTX_LENGTHS_2 0x0006u
#define CTX_LENGTHS_4 0x0078u
#define CTX_LENGTHS_8 0xff81u

static inline uint32_t
ctx_vocab_lengths(const struct ctx_vocab *v, const char *p)
{
	return (v->lengths[0][ctx_lengths_index(p, 0)] & CTX_LENGTHS_2) |
	    (v->lengths[1][ctx_lengths_index(p, 1)] & CTX_LENGTHS_4) |
	    (v->lengths[2][ctx_lengths_index(p, 2)] & CTX_LENGTHS_8);
}

#define CTX_CROSSING_BITS 19 /* log2 of the bits for characters */

static inline uint64_t
ctx_crossing_bit(uint64_t a, uint64_t b)
{
	return (a * 0x9e3779b97f4a7c15u ^ b * 0xd6e8feb86659fd93u) >>
	    (64 - CTX_CROSSING_BITS);
}

/* For tokens that hold only the end of the one or the start of the other. */
static inline uint64_t
ctx_crossing_bytes(unsigned char last, unsigned char first)
{
	return (UINT64_C(1) << CTX_CROSSING_BITS) + last * 256u + first;
}

/* Can a token hold the end of character a and the start of b?  last is the
 * last byte of a, first the first of b. */
static inline bool
ctx_vocab_crossing(const struct ctx_vocab *v, uint32_t a, uint32_t b,
    unsigned char last, unsigned char first)
{
	uint64_t chars = ctx_crossing_bit(a, b);
	uint64_t bytes = ctx_crossing_bytes(last, first);

	return ((v->crossing[chars / 64] >> chars % 64 |
		    v->crossing[bytes / 64] >> bytes % 64) &
		   1) != 0;
}

#endif
