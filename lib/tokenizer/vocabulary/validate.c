/*
 * validate.c - checks a packed vocabulary that may have been made by an
 * attacker
 *
 * The packed vocabularies that build.c makes are valid, but a file in the cache
 * can contain anything.  After this check, every lookup ends and reads only
 * inside the packed vocabulary, and each token is as long as its two parts
 * together.
 */
#include "tokenizer/vocabulary/crossing.h"
#include "tokenizer/vocabulary/vocabulary.h"

static int
fail_unsound(struct ctx_err *err, const char *what)
{
	return ctx_err_set(err, CTX_EFILE,
	    "the compiled vocabulary is damaged: wrong %s", what);
}

static bool
is_valid_bits(uint32_t bits)
{
	return bits >= 2 && bits <= 26;
}

static bool
is_valid_layout(const struct ctx_vocab_head *h)
{
	uint64_t want[CTX_VOCAB_SECTIONS];
	size_t i;

	memcpy(want, h->bytes, sizeof want);
	ctx_vocab_size_sections(h, want);
	for (i = 0; i < CTX_VOCAB_SECTIONS; i++)
		if (h->bytes[i] != want[i] || h->at[i] < sizeof *h ||
		    h->at[i] % 8 != 0 || h->at[i] > h->size ||
		    h->bytes[i] > h->size - h->at[i])
			return false;
	return true;
}

static bool
is_valid_head(const struct ctx_vocab_head *h, size_t n)
{
	return n >= sizeof *h &&
	    memcmp(h->magic, CTX_VOCAB_MAGIC, sizeof h->magic) == 0 &&
	    h->order == CTX_VOCAB_ORDER && h->version == CTX_VOCAB_VERSION &&
	    h->size == n && h->n > 0 && h->n < CTX_VOCAB_MAX &&
	    h->ids <= CTX_VOCAB_MAX && h->ids_from <= h->n && h->longest > 0 &&
	    h->pretokenizer.family <= CTX_PRETOKENIZER_CHARS &&
	    h->pretokenizer.digits <= 3 && h->pretokenizer.contractions <= 1 &&
	    is_valid_bits(h->line_bits) && is_valid_bits(h->group_bits) &&
	    h->pair_lines >= CTX_PAIR_LINES_MIN &&
	    h->pair_lines <= CTX_PAIR_LINES_MAX && is_valid_layout(h);
}

/* Returns true if the token exists and has this length in bytes.  The length 0
 * means any length. */
static bool
is_valid_token(const struct ctx_vocab *v, uint32_t token, size_t length)
{
	return token < v->head->n && ctx_vocab_length(v, token) > 0 &&
	    (length == 0 || ctx_vocab_length(v, token) == length);
}

static bool
has_valid_texts(const struct ctx_vocab *v)
{
	uint64_t bytes = v->head->bytes[CTX_VOCAB_TEXT], offset;
	size_t length;
	uint32_t i;

	if (bytes < CTX_VOCAB_KEY)
		return false;
	for (i = 0; i < v->head->n; i++) {
		offset = v->places[i] >> CTX_PLACE_BITS;
		length = ctx_vocab_length(v, i);
		if (length > v->head->longest ||
		    offset + length > bytes - CTX_VOCAB_KEY)
			return false;
	}
	return true;
}

static bool
has_valid_bytes(const struct ctx_vocab *v)
{
	uint32_t i;

	for (i = 0; i < 256; i++)
		if (!is_valid_token(v, v->leaves[i], 1))
			return false;
	for (i = 0; i < 65536 && !v->chars; i++)
		if (v->digrams[i] != CTX_VOCAB_NONE &&
		    !is_valid_token(v, v->digrams[i], 2))
			return false;
	return true;
}

/* Checks the table PARENTS.  The parts of a token must be shorter than the
 * token, so that a loop from tokens to their parts always ends. */
static bool
has_valid_trees(const struct ctx_vocab *v)
{
	bool ordered = (v->head->flags & CTX_VOCAB_DISORDER) == 0;
	uint32_t i, a, b;

	for (i = 0; i < v->head->n; i++) {
		a = ctx_vocab_parent(v, i, 0);
		b = ctx_vocab_parent(v, i, 1);
		if ((a != i || b != i) &&
		    (!is_valid_token(v, a, 0) || !is_valid_token(v, b, 0) ||
			ctx_vocab_length(v, a) + ctx_vocab_length(v, b) !=
			    ctx_vocab_length(v, i) ||
			(ordered && (a > i || b > i))))
			return false;
	}
	return true;
}

/* Checks the table KEYS, the hash table of tokens by their bytes.  A search
 * ends at an empty entry, so there must be at least one empty entry. */
static bool
has_valid_keys(const struct ctx_vocab *v)
{
	size_t all = (size_t)CTX_KEY_LINE << v->head->line_bits, i;
	bool end = false;

	for (i = 0; i < all; i++)
		if (v->keys[i] == CTX_KEY_NOTHING)
			end = true;
		else if (!is_valid_token(v, v->keys[i] & (CTX_VOCAB_MAX - 1),
			     0))
			return false;
	return end;
}

/* Checks entry i of a line in the table PAIRS.  The pair of tokens is not
 * stored, so it is computed from the line and the tag.  Returns true if the
 * entry is empty, or if its token is as long as the two tokens of the pair
 * together. */
static bool
is_valid_pair(const struct ctx_vocab *v, uint32_t line, unsigned i)
{
	const uint32_t *entry = v->pairs + CTX_PAIR_LINE * (size_t)line;
	uint32_t away = entry[i] >> CTX_PAIR_AWAY, a, b;
	uint64_t pair, home = (line + v->pair_lines - away) % v->pair_lines;

	if (entry[8 + i] == 0)
		return true;
	/* The first product with this home line, then the next product with
	 * this tag. */
	pair = ((home << 32) + v->pair_lines - 1) / v->pair_lines
	    << (CTX_PAIR_BITS - 32);
	pair += ctx_pair_tag(entry[i] - pair);
	if (ctx_pair_home(pair, v->pair_lines) != home)
		return false;
	pair *= CTX_PAIR_GATHER;
	a = (uint32_t)(pair >> CTX_VOCAB_BITS) & (CTX_VOCAB_MAX - 1);
	b = (uint32_t)pair & (CTX_VOCAB_MAX - 1);
	return is_valid_token(v, a, 0) && is_valid_token(v, b, 0) &&
	    is_valid_token(v, ~entry[8 + i],
		ctx_vocab_length(v, a) + ctx_vocab_length(v, b));
}

static bool
has_valid_pairs(const struct ctx_vocab *v)
{
	uint32_t line;
	unsigned i;

	for (line = 0; line < v->pair_lines; line++)
		for (i = 0; i < 8; i++)
			if (!is_valid_pair(v, line, i))
				return false;
	return true;
}

static bool
has_valid_groups(const struct ctx_vocab *v)
{
	uint64_t longs = v->head->bytes[CTX_VOCAB_LONG] / 4, i;
	const struct ctx_vocab_group *g = v->groups;
	bool end = false;

	for (i = 0; i < UINT64_C(1) << v->head->group_bits; i++) {
		end |= g[i].n == 0;
		if (g[i].first > longs || g[i].n > longs - g[i].first)
			return false;
	}
	for (i = 0; i < longs; i++)
		if (!is_valid_token(v, v->longs[i], 0))
			return false;
	return end;
}

static bool
has_valid_specials(const struct ctx_vocab *v)
{
	uint64_t bytes = v->head->bytes[CTX_VOCAB_SPECIALS];
	const struct ctx_vocab_special *s = v->specials;
	bool normal = v->chars || (v->head->flags & CTX_VOCAB_NFC) != 0;
	uint32_t i;

	if (v->head->specials > bytes / sizeof *s)
		return false;
	for (i = 0; i < v->head->specials; i++)
		if (s[i].n == 0 || s[i].at > bytes ||
		    s[i].n > bytes - s[i].at || (s[i].normal != 0 && !normal))
			return false;
	return true;
}

/* Returns true if the vocabulary has patterns or a pretokenizer, so that text
 * can be split.  The last pattern must end with a NUL byte. */
static bool
has_valid_patterns(const struct ctx_vocab *v)
{
	uint64_t n = v->head->bytes[CTX_VOCAB_PATTERNS];

	return n == 0 ? v->head->pretokenizer.family != CTX_PRETOKENIZER_NONE
		      : v->patterns[n - 1] == '\0' && !v->chars;
}

int
ctx_vocab_validate(struct ctx_vocab *v, const void *block, size_t n,
    struct ctx_err *err)
{
	if (!is_valid_head(block, n))
		return fail_unsound(err, "head");
	ctx_vocab_view(v, block);
	if (!has_valid_texts(v))
		return fail_unsound(err, "texts");
	if (!has_valid_bytes(v) || !has_valid_trees(v))
		return fail_unsound(err, "tokens");
	if (!has_valid_keys(v) || !has_valid_pairs(v) || !has_valid_groups(v))
		return fail_unsound(err, "tables");
	if (!has_valid_specials(v))
		return fail_unsound(err, "special tokens");
	if (!has_valid_patterns(v))
		return fail_unsound(err, "split patterns");
	return 0;
}
