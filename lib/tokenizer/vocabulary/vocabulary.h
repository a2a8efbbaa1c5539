/*
 * vocabulary.h - packed vocabularies, and lookups of tokens in them
 *
 * A packed vocabulary is one block of memory that consists of many tables.  It
 * contains offsets and no pointers, so it can be linked into read-only data or
 * be read from a cache file.  build.c makes packed vocabularies; ctx_vocab_view
 * sets the pointers of a struct ctx_vocab to the tables.
 *
 * The numbers of tokens are in the order of merges: if two pairs of tokens can
 * merge, the pair that gives the token with the lower number is merged first.
 * The id of a token in the encoding may be a different number (tables IDS,
 * TOKENS).
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
#define CTX_VOCAB_VERSION 12
/* A number from which the byte order of a packed vocabulary is recognised. */
#define CTX_VOCAB_ORDER 0x01020304u
/* Number of bits of a token number.  So a vocabulary has fewer than
 * CTX_VOCAB_MAX tokens. */
#define CTX_VOCAB_BITS 20
#define CTX_VOCAB_MAX  (1u << CTX_VOCAB_BITS)
/* maximum number of bytes of a token or text in a struct ctx_key */
#define CTX_VOCAB_KEY    16
#define CTX_DISORDER_MAX 8
/* If the table IDS has at most this number of elements, it is searched. */
#define CTX_VOCAB_FEW_IDS 32

enum ctx_vocab_section {
	/* uint32_t: hash table of the tokens of at most 16 bytes, in lines of
	 * CTX_KEY_LINE entries */
	CTX_VOCAB_KEYS,
	/* uint16_t[65536]: lengths of the tokens that begin with certain bytes;
	 * see ctx_vocab_lengths */
	CTX_VOCAB_LENGTHS,
	/* uint32_t[256]: for each byte, the token of this byte */
	CTX_VOCAB_LEAVES,
	/* uint32_t[65536]: token of each string of two bytes; empty if tokens
	 * are merged from characters */
	CTX_VOCAB_DIGRAMS,
	/* uint32_t: hash table of the pairs of tokens that can merge, in lines
	 * of eight pairs */
	CTX_VOCAB_PAIRS,
	/* For each token, the two tokens that are merged to it, in five bytes
	 * (ctx_vocab_parent).  If the token is not the result of a merge, its
	 * own number twice. */
	CTX_VOCAB_PARENTS,
	/* struct ctx_vocab_group: hash table of the tokens of more than 16
	 * bytes, by their first 16 bytes */
	CTX_VOCAB_GROUPS,
	/* uint32_t: for each entry of the table GROUPS a list of the tokens
	 * that begin with its 16 bytes, longest token first */
	CTX_VOCAB_LONG,
	/* one bit for each hash of two consecutive characters in a reachable
	 * token; see crossing.h */
	CTX_VOCAB_CROSSING,
	/* uint32_t: for each token, its offset in the table TEXT and its length
	 * (ctx_vocab_place) */
	CTX_VOCAB_PLACES,
	/* Bytes of all tokens, and then CTX_VOCAB_KEY more bytes, because
	 * CTX_VOCAB_KEY bytes are read from the beginning of any token, however
	 * short it is.  Tokens may overlap. */
	CTX_VOCAB_TEXT,
	/* uint32_t: id of each token from the number head->ids_from on; the ids
	 * of the tokens before are their numbers */
	CTX_VOCAB_IDS,
	/* uint32_t: number of the token with each id; empty if the table IDS
	 * has at most CTX_VOCAB_FEW_IDS elements */
	CTX_VOCAB_TOKENS,
	/* a struct ctx_vocab_special for each special token, then their
	 * names */
	CTX_VOCAB_SPECIALS,
	/* Patterns of a vocabulary file by which a text is split; see
	 * pretokenize_pcre2.h. */
	CTX_VOCAB_PATTERNS,
	CTX_VOCAB_SECTIONS
};

enum {
	/* At least one token is unreachable: merging its bytes gives other
	 * tokens.  An unreachable token is in the table KEYS or GROUPS, because
	 * a pretoken (piece of text that is encoded separately) whose bytes are
	 * exactly those of the token becomes this token. */
	CTX_VOCAB_UNREACHED = 1,
	/* A text is normalized (NFC) before it is split into pretokens. */
	CTX_VOCAB_NFC = 2,
	/* At least one token has a lower number than one of the two tokens that
	 * are merged to it.  Then the order of numbers is not the order in
	 * which merges are possible. */
	CTX_VOCAB_DISORDER = 4,
	/* Each sequence of ASCII digits that can be a pretoken is a token. */
	CTX_VOCAB_NUMBERS = 8,
	/* A blank is put before each text, and also before text after an added
	 * token, unless CTX_VOCAB_PREFIX_ONCE is set.  Only with
	 * CTX_PRETOKENIZER_CHARS. */
	CTX_VOCAB_PREFIX = 16,
	/* With CTX_VOCAB_PREFIX: no blank is put before text after an added
	 * token. */
	CTX_VOCAB_PREFIX_ONCE = 32,
	/* With CTX_VOCAB_PREFIX: no blank is put before text that already
	 * begins with a blank. */
	CTX_VOCAB_PREFIX_WORD = 64,
};

struct ctx_vocab_head {
	char magic[8];
	uint32_t order, version;
	uint64_t size; /* size of the packed vocabulary in bytes */
	/* SHA-256 of the vocabulary file and of its pretokenizer (load.c) */
	uint8_t source[32];
	struct ctx_pretokenizer pretokenizer;
	uint32_t flags;
	/* Highest token number, plus 1.  Some lower numbers may have no
	 * token. */
	uint32_t n;
	/* highest token id of the encoding, plus 1 */
	uint32_t ids;
	/* first token in the table IDS */
	uint32_t ids_from;
	/* binary logarithm of the number of lines of the table KEYS */
	uint32_t line_bits;
	uint32_t pair_lines; /* number of lines of the table PAIRS */
	/* binary logarithm of the number of entries of the table GROUPS */
	uint32_t group_bits;
	/* number of special tokens */
	uint32_t specials;
	uint32_t longest; /* length of the longest token in bytes */
	/* First two bytes of each token that has a lower number than one of its
	 * parts (CTX_VOCAB_DISORDER), without repetitions. n_disorder: number
	 * of elements, or CTX_DISORDER_MAX + 1 if there are too many for the
	 * array. */
	uint32_t n_disorder;
	uint8_t disorder[CTX_DISORDER_MAX][2];
	/* For each table (enum ctx_vocab_section), its offset in the packed
	 * vocabulary and its size, both in bytes. */
	uint64_t at[CTX_VOCAB_SECTIONS];
	uint64_t bytes[CTX_VOCAB_SECTIONS];
};

/* An entry of the table GROUPS: all tokens of more than 16 bytes that have the
 * same first 16 bytes. */
struct ctx_vocab_group {
	/* The list of these tokens in the table LONG: index of the first token,
	 * and number of tokens. n is 0 if the entry is empty. */
	uint32_t first, n;
};

struct ctx_vocab_special {
	uint32_t id;
	/* offset of the token's name in the table SPECIALS, and its length in
	 * bytes */
	uint32_t at, n;
	/* 1 if the name is always recognized, even if the caller does not ask
	 * for special tokens */
	uint32_t added;
	/* 1 if the name is searched for in normalized text */
	uint32_t normal;
};

struct ctx_vocab {
	const struct ctx_vocab_head *head;
	const uint32_t *keys;
	const uint16_t *lengths;
	const uint32_t *leaves;
	const uint32_t *digrams;
	const uint32_t *pairs;
	const uint8_t *parents;
	const struct ctx_vocab_group *groups;
	const uint32_t *longs;
	const uint64_t *crossing;
	const uint32_t *places;
	const char *text;
	const uint32_t *ids;
	const uint32_t *tokens;
	const struct ctx_vocab_special *specials;
	/* number of special tokens that are used */
	uint32_t n_specials;
	/* number that is added to each id of the packed vocabulary */
	uint32_t id_shift;
	/* Patterns by which a text is split first.  Then the built-in
	 * pretokenizer splits the resulting pieces of the text. */
	const char *patterns;
	/* Tokens with the number "end" or above, and ids of "ids_end" or above,
	 * are not used.  Without a call of ctx_vocab_limit, all tokens and ids
	 * are used. */
	uint32_t end, ids_end;
	/* merges with this rank (ctx_bpe_merge_rank) or above are not made */
	uint32_t merge_end;
	unsigned line_shift, group_shift;
	uint32_t line_mask, pair_lines;
	bool unreached;
	/* true if tokens are merged from characters, not from bytes */
	bool chars;
};

/* Sets the sizes in bytes of those tables whose sizes follow from the head. */
void ctx_vocab_size_sections(const struct ctx_vocab_head *head,
    uint64_t bytes[CTX_VOCAB_SECTIONS]);
/* Sets the pointers of vocab to the tables of a packed vocabulary.  The packed
 * vocabulary must be valid: made by build.c, or checked by
 * ctx_vocab_validate. */
void ctx_vocab_view(struct ctx_vocab *vocab, const void *block);
/* Excludes all tokens with the number n or above from use.  The caller must
 * make sure that the ids are the token numbers, and that no token has a lower
 * number than one of the two tokens that are merged to it.  Then the other
 * tokens are merged as in a vocabulary without the excluded tokens. */
void ctx_vocab_limit(struct ctx_vocab *vocab, uint32_t n);
/* Checks every offset and number in a packed vocabulary of n bytes, which may
 * have been made by an attacker, and then fills vocab.  The memory must be
 * aligned like memory from malloc.  Fails with CTX_EFILE if the packed
 * vocabulary is not valid.  Defined in validate.c. */
int ctx_vocab_validate(struct ctx_vocab *vocab, const void *block, size_t n,
    struct ctx_err *err);

/* Key of a token or pretoken (word, number, ...) in hash tables: its bytes, at
 * most 16, filled up with bytes of 0xff.  Strings of different lengths have
 * different keys, because valid UTF-8 does not contain 0xff.  So the caller
 * must not make a key from bytes that contain 0xff. */
struct ctx_key {
	uint64_t lo, hi;
};

/* Key of an empty entry in the cache of pretokens.  No string has this key.
 * (The key of the empty string consists of bytes of 0xff; pretoken_batch.h uses
 * this key for pretokens (words, numbers, ...) that are too long.) */
#define CTX_KEY_EMPTY ((struct ctx_key){UINT64_MAX, 0})

/* 16 bytes of zero, then 16 bytes of 0xff.  The 16 bytes from the offset
 * (16 - n) on are n bytes of zero and then bytes of 0xff, which fill up a key
 * of n bytes. */
extern const unsigned char ctx_key_fill[2 * CTX_VOCAB_KEY];

/* Returns the key (see struct ctx_key) of the n bytes at p; n is at most 16.
 * Faster than ctx_key_copy, but reads 16 bytes at p, which must be readable. */
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

/* Returns the key (see struct ctx_key) of the n bytes at p; n is at most 16.
 * Does not read more than n bytes. */
static inline struct ctx_key
ctx_key_copy(const char *p, size_t n)
{
	struct ctx_key key = {UINT64_MAX, UINT64_MAX};

	memcpy(&key, p, n);
	return key;
}

/* Constants of ctx_key_hash.  Only the high bits of the hash are well mixed.
 * The second word of the key is rotated so that equal characters in both words
 * do not cancel each other.  The rotation must not be a multiple of eight,
 * because then they would. */
#define CTX_KEY_TURN   37
#define CTX_KEY_SPREAD 0xd6e8feb86659fd93u

static inline uint64_t
ctx_key_hash(struct ctx_key key)
{
	uint64_t turned =
	    key.hi << CTX_KEY_TURN | key.hi >> (64 - CTX_KEY_TURN);

	return (key.lo ^ turned) * CTX_KEY_SPREAD;
}

/* An entry of the table PLACES: the length of a token in bytes is in the low 10
 * bits, its offset in the table TEXT in the high 22 bits. */
#define CTX_PLACE_BITS 10

static inline uint32_t
ctx_vocab_place(size_t offset, size_t length)
{
	return (uint32_t)(offset << CTX_PLACE_BITS | length);
}

static inline size_t
ctx_vocab_length(const struct ctx_vocab *v, uint32_t token)
{
	return v->places[token] & ((1u << CTX_PLACE_BITS) - 1);
}

/* Returns the bytes of a token. */
static inline const char *
ctx_vocab_text(const struct ctx_vocab *v, uint32_t token)
{
	return v->text + (v->places[token] >> CTX_PLACE_BITS);
}

/* number of bytes of an entry in the table PARENTS */
#define CTX_VOCAB_PARENT 5

/* Returns one of the two tokens that are merged to a token: the left one if
 * side is 0, or the right one if side is 1.  An entry of the table PARENTS is a
 * number of 40 bits: the left token in the low 20 bits, the right token in the
 * high 20 bits.  It is stored as a uint32_t with the low 32 bits, and a byte.
 */
static inline uint32_t
ctx_vocab_parent(const struct ctx_vocab *v, uint32_t token, unsigned side)
{
	const uint8_t *p = v->parents + CTX_VOCAB_PARENT * (size_t)token;
	uint32_t low;

	memcpy(&low, p, sizeof low);
	return side == 0
	    ? low & (CTX_VOCAB_MAX - 1)
	    : low >> CTX_VOCAB_BITS | (uint32_t)p[4] << (32 - CTX_VOCAB_BITS);
}

/*
 * The hash table KEYS finds the token with a key.  The hash of the key selects
 * a line of the table; if this line is full, the token is in one of the next
 * lines.  An entry consists of a token number (the low 20 bits) and a tag (the
 * high 12 bits).  The tag consists of other bits of the hash.  Keys are not
 * stored: if the tag of an entry is equal to the tag of the key, the key is
 * compared with the text of the entry's token.
 */
#define CTX_KEY_LINE    16                    /* number of entries in a line */
#define CTX_KEY_TAGS    (32 - CTX_VOCAB_BITS) /* number of bits in a tag */
#define CTX_KEY_NOTHING UINT32_MAX

/* Returns the tag for a hash, at the position that it has in an entry. */
static inline uint32_t
ctx_key_tag(const struct ctx_vocab *v, uint64_t hash)
{
	return (uint32_t)(hash >> (v->line_shift - CTX_KEY_TAGS))
	    << (32 - CTX_KEY_TAGS);
}

/* Prefetches the line of the table KEYS that the hash of the key selects. */
static inline void
ctx_vocab_ask_key(const struct ctx_vocab *v, struct ctx_key key)
{
	__builtin_prefetch(
	    v->keys + CTX_KEY_LINE * (ctx_key_hash(key) >> v->line_shift));
}

/* Result of ctx_vocab_guess: the key may or may not have a token, because only
 * one line of the table KEYS was searched. */
#define CTX_VOCAB_UNSURE (CTX_VOCAB_NONE - 1)

/* four entries of the table KEYS */
typedef uint32_t ctx_key_entries __attribute__((vector_size(16)));

/* Guesses the token with a key from one line of the table KEYS, the line that
 * the hash of the key selects.  Returns the token whose entry has the tag of
 * the key.  The caller must compare the text of this token with the key.  If no
 * entry has the tag, returns CTX_VOCAB_NONE if the key certainly has no token,
 * or CTX_VOCAB_UNSURE if the token may be in a later line.  Prefetches the
 * memory that ctx_vocab_ask_text reads. */
static inline uint32_t
ctx_vocab_guess(const struct ctx_vocab *v, struct ctx_key key)
{
	uint64_t hash = ctx_key_hash(key), half[2];
	const uint32_t *line = v->keys + CTX_KEY_LINE * (hash >> v->line_shift);
	uint32_t tag = ctx_key_tag(v, hash), token, i;
	ctx_key_entries found = {0}, entries, equal;

	/* All entries are compared without a branch, because the processor
	 * could not predict which entry has the tag.  The bits of all entries
	 * are inverted, so that an empty entry is 0. */
	for (i = 0; i < CTX_KEY_LINE; i += 4) {
		memcpy(&entries, line + i, sizeof entries);
		equal = (ctx_key_entries)((entries ^ tag) <
		    (UINT32_C(1) << (32 - CTX_KEY_TAGS)));
		found |= ~entries & equal;
	}
	memcpy(half, &found, sizeof half);
	half[0] |= half[1];
	token = (uint32_t)(half[0] | half[0] >> 32);
	if (token == 0)
		return line[CTX_KEY_LINE - 1] == CTX_KEY_NOTHING
		    ? CTX_VOCAB_NONE
		    : CTX_VOCAB_UNSURE;
	/* If several entries have the tag, "token" may be the number of none of
	 * these entries.  But "token" is not greater than their numbers, so it
	 * is the number of a valid token. */
	token = ~token & (CTX_VOCAB_MAX - 1);
	if (token >= v->end)
		return CTX_VOCAB_UNSURE;
	__builtin_prefetch(v->places + token);
	return token;
}

/* Prefetches the text of a token. */
static inline void
ctx_vocab_ask_text(const struct ctx_vocab *v, uint32_t token)
{
	__builtin_prefetch(ctx_vocab_text(v, token));
}

/* Returns true if the token has this key. */
static inline bool
ctx_vocab_has_key(const struct ctx_vocab *v, uint32_t token, struct ctx_key key)
{
	size_t n = ctx_vocab_length(v, token);
	struct ctx_key own;

	if (n > CTX_VOCAB_KEY)
		return false;
	own = ctx_key_read(ctx_vocab_text(v, token), n);
	return own.lo == key.lo && own.hi == key.hi;
}

/* Returns the token with this key, or CTX_VOCAB_NONE if there is none. */
uint32_t ctx_vocab_find_key(const struct ctx_vocab *vocab, struct ctx_key key);
/* Returns the token with exactly these bytes, or CTX_VOCAB_NONE if there is
 * none. */
uint32_t ctx_vocab_find(const struct ctx_vocab *vocab, const char *p, size_t n);
/* Returns the token with which merging of a text begins, and sets *length to
 * its length in bytes.  The text is the n bytes at p; n is at least 1.  Returns
 * the token of the first byte.  If v->chars is true and the first character has
 * a token, returns the token of this character. */
uint32_t ctx_vocab_first(const struct ctx_vocab *vocab, const char *p, size_t n,
    size_t *length);
/* Returns the longest reachable token with which a text (n bytes at p) begins;
 * n is at least 1.  A token is reachable if merging its bytes gives the
 * token. */
uint32_t ctx_vocab_longest(const struct ctx_vocab *vocab, const char *p,
    size_t n);

/*
 * The hash table of the pairs of tokens that can merge.  A pair is a number of
 * 40 bits, which consists of two token numbers of 20 bits.  An invertible
 * multiplication maps this number to another number of 40 bits (the product).
 * The product times the number of lines, divided by 2^40, is the number of a
 * line of the table, the home line of the pair.  The lower 29 bits of the
 * product are the tag of the pair.  If the home line is full, the pair is
 * stored in one of the next 7 lines.  An entry contains the tag in its low
 * bits, and the distance from the home line in the bits above.
 *
 * There are at least 2^11 lines.  So the products with the same home line are
 * at most 2^29 consecutive numbers, and their lower 29 bits are all different.
 * So line, tag and distance together identify the pair, and the pair itself
 * need not be stored.
 */
#define CTX_PAIR_BITS   (2 * CTX_VOCAB_BITS)
#define CTX_PAIR_SPREAD 0x9e3779b97f4a7c15u
/* the inverse of CTX_PAIR_SPREAD modulo 2^64 */
#define CTX_PAIR_GATHER 0xf1de83e19937733du
/* minimum and maximum number of lines */
#define CTX_PAIR_LINES_MIN (UINT32_C(1) << 11)
#define CTX_PAIR_LINES_MAX (UINT32_C(1) << 26)
/* Position of the lowest bit of the distance in an entry.  The distance is the
 * number of lines between the home line of a pair and the line in which it is
 * stored. */
#define CTX_PAIR_AWAY     29
#define CTX_PAIR_AWAY_MAX 7
/* Number of 32-bit words in a line of the table PAIRS: the tags of eight pairs,
 * then, for each of these pairs, the resulting token with all bits inverted.  A
 * word of zero in place of a token means that the entry is empty.  The last two
 * words are in ascending order only if a pair was stored in a later line
 * because this line is full (ctx_pair_overflows). */
#define CTX_PAIR_LINE 16
/* A number that no token has, and that does not merge with any token.  It is
 * stored before and after the tokens of a pretoken (piece of text that is
 * encoded separately). */
#define CTX_PAIR_NOBODY (CTX_VOCAB_MAX - 1)

static inline uint64_t
ctx_pair_hash(uint32_t a, uint32_t b)
{
	return (((uint64_t)a << CTX_VOCAB_BITS | b) * CTX_PAIR_SPREAD) &
	    ((UINT64_C(1) << CTX_PAIR_BITS) - 1);
}

/* Returns the number of the home line of a pair of tokens: the line of the
 * table PAIRS in which the pair is stored if there is space. lines: number of
 * lines of the table. */
static inline uint32_t
ctx_pair_home(uint64_t hash, uint32_t lines)
{
	return (uint32_t)((hash >> (CTX_PAIR_BITS - 32)) * lines >> 32);
}

/* Returns the tag of a pair in the hash table of pairs. */
static inline uint32_t
ctx_pair_tag(uint64_t hash)
{
	return hash & ((UINT32_C(1) << CTX_PAIR_AWAY) - 1);
}

/* Returns true if a pair that is not in this line of the table PAIRS, although
 * this is its home line, may be in the next line. */
static inline bool
ctx_pair_overflows(const uint32_t *line)
{
	return line[CTX_PAIR_LINE - 2] < line[CTX_PAIR_LINE - 1];
}

/* Returns the token to which two adjacent tokens merge, or CTX_VOCAB_NONE if
 * they do not merge.  Searches the home line of the pair in the hash table of
 * pairs, then the next lines. */
static inline uint32_t
ctx_vocab_pair(const struct ctx_vocab *v, uint32_t a, uint32_t b)
{
	uint64_t hash = ctx_pair_hash(a, b);
	uint32_t line = ctx_pair_home(hash, v->pair_lines), found = 0;
	uint32_t tag = ctx_pair_tag(hash);
	const uint32_t *entry;
	unsigned away, i;

	/* All eight entries of a line are compared without a branch, because
	 * the processor could not predict which entry contains the pair.  The
	 * next line is searched only if a pair did not fit into this line. */
	for (away = 0; away <= CTX_PAIR_AWAY_MAX; away++) {
		entry = v->pairs + CTX_PAIR_LINE * (size_t)line;
		for (i = 0; i < 8; i++)
			found |= entry[i] == tag ? entry[8 + i] : 0;
		if (found != 0 || !ctx_pair_overflows(entry))
			break;
		line = line + 1 < v->pair_lines ? line + 1 : 0;
		tag += 1u << CTX_PAIR_AWAY;
	}
	return ~found;
}

/* Returns an index into the table LENGTHS: a hash of the first bytes at p.
 * which: 0 for two bytes, 1 for four bytes, 2 for eight bytes. */
static inline uint32_t
ctx_lengths_index(const char *p, int which)
{
	uint64_t first = 0;
	uint16_t two;

	switch (which) {
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

/* The table LENGTHS contains the lengths of the tokens with certain first
 * bytes.  The length of a short token is in the entry for its first two bytes.
 * The length of a longer token is in the entry for its first four or eight
 * bytes.  CTX_LENGTHS_2, _4 and _8 are masks of the lengths for which 2, 4 or 8
 * first bytes are used.  So one table is enough for all three numbers.  Bits 1
 * to 15 stand for 2 to 16 bytes, and bit 0 for more than 16 bytes. */
#define CTX_LENGTHS_2 0x0006u
#define CTX_LENGTHS_4 0x0078u
#define CTX_LENGTHS_8 0xff81u

/* Returns the lengths that tokens with the first bytes at p may have, as bits.
 * Bits 1 to 15 stand for 2 to 16 bytes, and bit 0 for more than 16 bytes.  A
 * bit may be set although there is no such token.  16 bytes must be readable at
 * p. */
static inline uint32_t
ctx_vocab_lengths(const struct ctx_vocab *v, const char *p)
{
	return (v->lengths[ctx_lengths_index(p, 0)] & CTX_LENGTHS_2) |
	    (v->lengths[ctx_lengths_index(p, 1)] & CTX_LENGTHS_4) |
	    (v->lengths[ctx_lengths_index(p, 2)] & CTX_LENGTHS_8);
}

#endif
