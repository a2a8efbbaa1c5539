/*
 * validate.c - tests packed vocabularies in which one number is wrong
 *
 * A checksum finds accidental damage.  The check of the packed vocabulary
 * itself is for files that an attacker wrote.  Each number is made wrong once.
 * The file must be refused, and the error must name the part with the number.
 */
#include <stddef.h>
#include <stdint.h>

#include "tap.h"
#include "tokenizer/vocabulary/build.h"

enum { AB = 256, CD, ABCD, X2, X4, X8, X16, X17, X18, HOLE, TOKENS };

/* Two copies of a packed vocabulary: as it was made, and with the wrong
 * number. */
static unsigned char *good, *bad;
static size_t size;

static void
make(void)
{
	static const char x[18] = "xxxxxxxxxxxxxxxxxx";
	static char patterns[] = "\\d+\0 ";
	static const struct ctx_build_token longer[] = {{"ab", 2, 0, 1},
	    {"cd", 2, 0, 1}, {"abcd", 4, 0, 2}, {x, 2, 0, 1}, {x, 4, 0, 2},
	    {x, 8, 0, 4}, {x, 16, 0, 8}, {x, 17, 0, 16}, {x, 18, 0, 17},
	    {NULL, 0, 0, 0}};
	static struct ctx_build_added_token special = {"<s>", 3, 7, false,
	    false};
	struct ctx_build_token tokens[TOKENS];
	char bytes[256];
	struct ctx_vocab_builder pack = {.tokens = tokens,
	    .n = TOKENS,
	    .specials = &special,
	    .nspecials = 1,
	    .patterns = {.p = patterns, .n = sizeof patterns},
	    .pretokenizer = {.family = CTX_PRETOKENIZER_NONE}};
	struct ctx_err err;
	void *block;
	unsigned i;

	for (i = 0; i < TOKENS; i++) {
		bytes[i % 256] = (char)(i % 256);
		tokens[i] = i < AB
		    ? (struct ctx_build_token){bytes + i, 1, 0, 0}
		    : longer[i - AB];
		/* so that the vocabulary has a table of ids */
		tokens[i].id = 1000 + i;
	}
	NEED(ctx_vocab_build(&pack, &block, &size, &err) == 0);
	good = block;
	bad = malloc(size);
	NEED(bad != NULL);
	memcpy(bad, good, size);
}

static struct ctx_vocab_head *
head(void)
{
	return (struct ctx_vocab_head *)(void *)bad;
}

/* Returns the contents of a table, so that a number in it can be changed. */
static void *
section(enum ctx_vocab_section s)
{
	return bad + head()->at[s];
}

/* Returns true if the changed vocabulary is refused because of this part.  Then
 * undoes the change. */
static bool
refused(const char *part)
{
	struct ctx_vocab vocab;
	struct ctx_err err = {0};
	bool is = ctx_vocab_validate(&vocab, bad, size, &err) == -1 &&
	    err.code == CTX_EFILE && strstr(err.text, part) != NULL;

	if (!is)
		printf("# not %s: %s\n", part, err.text);
	memcpy(bad, good, size);
	return is;
}

static bool
accepted(void)
{
	struct ctx_vocab vocab;
	struct ctx_err err;
	bool is = ctx_vocab_validate(&vocab, bad, size, &err) == 0;

	memcpy(bad, good, size);
	return is;
}

static void
check_head(void)
{
	static const uint32_t bits[] = {0, 1, 27, UINT32_MAX};
	struct ctx_vocab_head *h = head();
	struct ctx_vocab vocab;
	struct ctx_err err;
	size_t i;

	tap_case("a header with a wrong number is refused");
	CHECK(accepted());
	CHECK(ctx_vocab_validate(&vocab, bad, sizeof *h - 1, &err) == -1);
	CHECK(ctx_vocab_validate(&vocab, bad, size - 1, &err) == -1);
	h->magic[7] ^= 1;
	CHECK(refused("head"));
	h->order = 0x04030201;
	CHECK(refused("head"));
	h->version++;
	CHECK(refused("head"));
	h->size++;
	CHECK(refused("head"));
	h->n = 0;
	CHECK(refused("head"));
	h->n = CTX_VOCAB_MAX;
	CHECK(refused("head"));
	h->n++;
	CHECK(refused("head"));
	h->ids = CTX_VOCAB_MAX + 1;
	CHECK(refused("head"));
	h->ids++;
	CHECK(refused("head"));
	h->longest = 0;
	CHECK(refused("head"));
	h->pretokenizer.family = CTX_PRETOKENIZER_CHARS + 1;
	CHECK(refused("head"));
	h->pretokenizer.digits = 4;
	CHECK(refused("head"));
	h->pretokenizer.contractions = 2;
	CHECK(refused("head"));
	for (i = 0; i < sizeof bits / sizeof bits[0]; i++) {
		h->line_bits = bits[i];
		CHECK(refused("head"));
		h->group_bits = bits[i];
		CHECK(refused("head"));
	}
	h->pair_lines = CTX_PAIR_LINES_MIN - 1;
	CHECK(refused("head"));
	h->pair_lines++;
	CHECK(refused("head"));
	h->pair_lines = CTX_PAIR_LINES_MAX + 1;
	CHECK(refused("head"));
}

/* Tests the offset and the size of each table. */
static void
check_sections(void)
{
	struct ctx_vocab_head *h = head();
	unsigned s;

	tap_case("a section in another place is refused");
	for (s = 0; s < CTX_VOCAB_SECTIONS; s++) {
		h->at[s] = sizeof *h - 8;
		CHECK(refused("head"));
		h->at[s] += 4;
		CHECK(refused("head"));
		h->at[s] = (h->size + 8) & ~UINT64_C(7);
		CHECK(refused("head"));
		h->at[s] = UINT64_MAX - 7;
		CHECK(refused("head"));
		h->bytes[s] += h->size;
		CHECK(refused("head"));
		h->bytes[s] = UINT64_MAX - 3;
		CHECK(refused("head"));
	}
	h->bytes[CTX_VOCAB_IDS] = 0;
	CHECK(refused("head"));
	h->bytes[CTX_VOCAB_IDS] = h->bytes[CTX_VOCAB_TOKENS] = 0;
	CHECK(refused("head"));
	h->bytes[CTX_VOCAB_IDS] = h->bytes[CTX_VOCAB_TOKENS] = 0;
	h->ids_from = h->n;
	CHECK(accepted());
	h->ids_from = h->n + 1;
	CHECK(refused("head"));
	h->ids_from = h->n - CTX_VOCAB_FEW_IDS;
	h->bytes[CTX_VOCAB_IDS] = 4 * CTX_VOCAB_FEW_IDS;
	CHECK(refused("head"));
	h->ids_from = h->n - CTX_VOCAB_FEW_IDS;
	h->bytes[CTX_VOCAB_IDS] = 4 * CTX_VOCAB_FEW_IDS;
	h->bytes[CTX_VOCAB_TOKENS] = 0;
	CHECK(accepted());
}

static void
check_texts(void)
{
	uint32_t *places = section(CTX_VOCAB_PLACES);
	uint64_t text = head()->bytes[CTX_VOCAB_TEXT] - CTX_VOCAB_KEY;

	tap_case("texts that are outside the table are refused");
	places['a'] = ctx_vocab_place(text, 1);
	CHECK(refused("texts"));
	places['a'] = ctx_vocab_place(text - 1, 1);
	CHECK(accepted());
	places[0] = UINT32_MAX << CTX_PLACE_BITS | 1;
	CHECK(refused("texts"));
	places[X18]++;
	CHECK(refused("texts"));
	head()->longest--;
	CHECK(refused("texts"));
	head()->bytes[CTX_VOCAB_TEXT]--;
	CHECK(refused("texts"));
	head()->bytes[CTX_VOCAB_TEXT] = CTX_VOCAB_KEY - 1;
	CHECK(refused("texts"));
}

/* Sets one of the two tokens that are merged to a token. */
static void
set_parent(uint32_t token, unsigned side, uint32_t parent)
{
	uint8_t *p = section(CTX_VOCAB_PARENTS);
	unsigned shift = side * CTX_VOCAB_BITS;
	uint64_t both;
	uint32_t low;

	p += CTX_VOCAB_PARENT * (size_t)token;
	memcpy(&low, p, sizeof low);
	both = low | (uint64_t)p[4] << 32;
	both &= ~((uint64_t)(CTX_VOCAB_MAX - 1) << shift);
	both |= (uint64_t)parent << shift;
	low = (uint32_t)both;
	memcpy(p, &low, sizeof low);
	p[4] = (uint8_t)(both >> 32);
}

static void
check_tokens(void)
{
	uint32_t *leaves = section(CTX_VOCAB_LEAVES);
	uint32_t *digrams = section(CTX_VOCAB_DIGRAMS);
	/* no token; an empty token; a token of other bytes */
	static const uint32_t wrong[] = {TOKENS, CTX_VOCAB_MAX - 2, HOLE, X4};
	size_t i, k;

	tap_case("invalid tokens, or tokens of another length, are refused");
	for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		leaves['a'] = wrong[i];
		CHECK(refused("tokens"));
		for (k = 0; k < 65536; k += 21845) {
			digrams[k] = wrong[i];
			CHECK(refused("tokens"));
		}
		set_parent(ABCD, 0, wrong[i]);
		CHECK(refused("tokens"));
		set_parent(ABCD, 1, wrong[i]);
		CHECK(refused("tokens"));
	}
	tap_case("a token merged from newer ones is refused without the flag "
		 "for it");
	NEED((head()->flags & CTX_VOCAB_DISORDER) == 0);
	set_parent(AB, 0, CD);
	set_parent(AB, 1, HOLE);
	CHECK(refused("tokens"));
	set_parent(ABCD, 0, X2);
	CHECK(refused("tokens"));
	set_parent(ABCD, 1, X2);
	CHECK(refused("tokens"));
	head()->flags |= CTX_VOCAB_DISORDER;
	set_parent(ABCD, 0, X2);
	set_parent(ABCD, 1, X2);
	CHECK(accepted());
}

static void
check_keys(void)
{
	uint32_t *keys = section(CTX_VOCAB_KEYS);
	size_t all = (size_t)CTX_KEY_LINE << head()->line_bits, i, last = all;

	tap_case("a key without a token is refused");
	for (i = 0; keys[i] == CTX_KEY_NOTHING; i++)
		NEED(i + 1 < all);
	keys[i] = TOKENS;
	CHECK(refused("tables"));
	keys[i] = HOLE;
	CHECK(refused("tables"));
	tap_case("a hash table without an empty place is refused");
	for (i = 0; i < all; i++)
		if (keys[i] == CTX_KEY_NOTHING) {
			keys[i] = 'a';
			last = i;
		}
	NEED(last < all);
	CHECK(refused("tables"));
	for (i = 0; i < all; i++)
		if (keys[i] == CTX_KEY_NOTHING && i != last)
			keys[i] = 'a';
	CHECK(accepted());
}

/* Stores at the first place of its home line the token to which a pair
 * merges. */
static void
put_pair(uint32_t a, uint32_t b, uint32_t token)
{
	uint64_t hash = ctx_pair_hash(a, b);
	uint32_t *line = section(CTX_VOCAB_PAIRS);

	line += CTX_PAIR_LINE * (size_t)ctx_pair_home(hash, head()->pair_lines);
	line[0] = ctx_pair_tag(hash);
	line[8] = ~token;
}

static void
check_pairs(void)
{
	tap_case("a pair that merges to another length is refused");
	put_pair('a', 'b', AB);
	CHECK(accepted());
	put_pair('a', 'b', CD);
	CHECK(accepted());
	put_pair('a', 'b', 'a');
	CHECK(refused("tables"));
	put_pair('a', 'b', ABCD);
	CHECK(refused("tables"));
	put_pair('a', 'b', TOKENS);
	CHECK(refused("tables"));
	put_pair('a', TOKENS, AB);
	CHECK(refused("tables"));
	put_pair(TOKENS, 'b', AB);
	CHECK(refused("tables"));
	put_pair(HOLE, AB, AB);
	CHECK(refused("tables"));
}

static void
check_groups(void)
{
	struct ctx_vocab_group *groups = section(CTX_VOCAB_GROUPS);
	uint32_t *longs = section(CTX_VOCAB_LONG);
	uint32_t n = (uint32_t)(head()->bytes[CTX_VOCAB_LONG] / 4);
	size_t i;

	tap_case("a group of long tokens outside the table is refused");
	NEED(n == 2);
	groups[0].first = n + 1;
	CHECK(refused("tables"));
	groups[0].n = n + 1;
	CHECK(refused("tables"));
	groups[0].first = groups[0].n = n;
	CHECK(refused("tables"));
	longs[1] = TOKENS;
	CHECK(refused("tables"));
	longs[0] = HOLE;
	CHECK(refused("tables"));
	for (i = 0; i < (size_t)1 << head()->group_bits; i++)
		groups[i].first = 0, groups[i].n = n;
	CHECK(refused("tables"));
}

static void
check_rest(void)
{
	struct ctx_vocab_head *h = head();
	struct ctx_vocab_special *special = section(CTX_VOCAB_SPECIALS);
	char *patterns = section(CTX_VOCAB_PATTERNS);

	tap_case("a special token whose name lies elsewhere is refused");
	h->specials = UINT32_MAX;
	CHECK(refused("special tokens"));
	h->specials = 3;
	CHECK(refused("special tokens"));
	special->n = 0;
	CHECK(refused("special tokens"));
	special->n = UINT32_MAX;
	CHECK(refused("special tokens"));
	special->at = UINT32_MAX;
	CHECK(refused("special tokens"));
	special->at += special->n;
	CHECK(refused("special tokens"));
	tap_case("a special token in an unused normal form is refused");
	special->normal = 1;
	CHECK(refused("special tokens"));
	special->normal = 1;
	h->flags |= CTX_VOCAB_NFC;
	CHECK(accepted());
	tap_case("unterminated or missing patterns are refused");
	patterns[h->bytes[CTX_VOCAB_PATTERNS] - 1] = 'x';
	CHECK(refused("split patterns"));
	h->bytes[CTX_VOCAB_PATTERNS] = 0;
	CHECK(refused("split patterns"));
	h->bytes[CTX_VOCAB_PATTERNS] = 0;
	h->pretokenizer.family = CTX_PRETOKENIZER_CL100K;
	CHECK(accepted());
}

/* Packs the 256 single bytes and one more token.  Returns NULL if the
 * vocabulary is refused for this reason.  If the reason is different, the test
 * fails. */
static struct ctx_vocab_head *
packed(struct ctx_build_token more, struct ctx_pretokenizer pretokenizer,
    const char *why)
{
	struct ctx_build_token tokens[257];
	char bytes[256];
	struct ctx_vocab_builder pack = {.tokens = tokens,
	    .n = 257,
	    .pretokenizer = pretokenizer};
	struct ctx_err err = {0};
	void *block = NULL;
	size_t n;
	unsigned i;

	for (i = 0; i < 256; i++) {
		bytes[i] = (char)i;
		tokens[i] = (struct ctx_build_token){bytes + i, 1, i, 0};
	}
	tokens[256] = more;
	if (ctx_vocab_build(&pack, &block, &n, &err) == 0)
		return block;
	if (why == NULL || err.code != CTX_EFILE ||
	    strstr(err.text, why) == NULL)
		printf("# %s\n", err.text);
	CHECK(why != NULL && err.code == CTX_EFILE &&
	    strstr(err.text, why) != NULL);
	return NULL;
}

static void
check_packing(void)
{
	static const char text[CTX_BUILD_MAX + 1];
	const struct ctx_pretokenizer none = {.family = CTX_PRETOKENIZER_NONE};
	struct ctx_pretokenizer one = {.family = CTX_PRETOKENIZER_CL100K,
	    .digits = 1};
	struct ctx_vocab_builder empty = {.n = 0};
	struct ctx_vocab_head *h;
	struct ctx_err err;
	void *block;
	size_t n;

	tap_case("more tokens than can be packed are refused");
	CHECK(ctx_vocab_build(&empty, &block, &n, &err) == -1);
	CHECK(strstr(err.text, "has 0 tokens instead of 1 to") != NULL);
	CHECK(packed((struct ctx_build_token){text, sizeof text, 256, 0}, none,
		  "a token has 1024 bytes; the maximum is 1023") == NULL);
	CHECK(packed((struct ctx_build_token){"ab", 2, CTX_VOCAB_MAX, 1}, none,
		  "the token id 1048576") == NULL);
	h = packed((struct ctx_build_token){"ab", 2, CTX_VOCAB_MAX - 1, 1},
	    none, NULL);
	CHECK(h != NULL && h->ids == CTX_VOCAB_MAX);
	free(h);
	tap_case("of two equal tokens the first one counts");
	h = packed((struct ctx_build_token){"a", 1, 256, 0}, none, NULL);
	CHECK(h != NULL && h->n == 257);
	free(h);
	tap_case("CTX_VOCAB_NUMBERS is set if all runs of digits are tokens");
	h = packed((struct ctx_build_token){"ab", 2, 256, 1}, one, NULL);
	CHECK(h != NULL && (h->flags & CTX_VOCAB_NUMBERS) != 0);
	free(h);
	one.digits = 2;
	h = packed((struct ctx_build_token){"12", 2, 256, 1}, one, NULL);
	CHECK(h != NULL && (h->flags & CTX_VOCAB_NUMBERS) == 0);
	free(h);
}

/* Tests the limit of the bytes of all tokens, and tokens that share bytes. */
static void
check_shared_text(void)
{
	enum { LONGEST = 5000 };
	static struct ctx_build_token tokens[LONGEST];
	static char text[256 + CTX_BUILD_MAX];
	struct ctx_vocab_builder pack = {.tokens = tokens,
	    .pretokenizer = {.family = CTX_PRETOKENIZER_CL100K}};
	struct ctx_vocab v;
	struct ctx_err err;
	void *block;
	uint32_t i;
	size_t n;

	for (i = 0; i < 256; i++) {
		text[i] = (char)i;
		tokens[i] = (struct ctx_build_token){text + i, 1, i, 0};
	}
	for (; i < LONGEST; i++)
		tokens[i] = (struct ctx_build_token){text + 256, CTX_BUILD_MAX,
		    i, CTX_BUILD_NEVER};
	tap_case("too many bytes of tokens are refused");
	pack.n = LONGEST;
	CHECK(ctx_vocab_build(&pack, &block, &n, &err) == -1 &&
	    strstr(err.text, "bytes; the maximum is 4194303") != NULL);
	tap_case("tokens that share bytes are stored once");
	tokens[256] = (struct ctx_build_token){&text['a'], 2, 256, 0};
	tokens[257] = (struct ctx_build_token){&text['a'], 3, 257, 0};
	pack.n = 258;
	pack.shared_text = (struct ctx_str){text, 256};
	NEED(ctx_vocab_build(&pack, &block, &n, &err) == 0);
	ctx_vocab_view(&v, block);
	CHECK(v.head->bytes[CTX_VOCAB_TEXT] == 256 + CTX_VOCAB_KEY);
	CHECK(ctx_vocab_find(&v, "ab", 2) == 256);
	CHECK(ctx_vocab_find(&v, "abc", 3) == 257);
	CHECK(ctx_vocab_find(&v, "c", 1) == 'c');
	free(block);
}

int
main(void)
{
	make();
	check_head();
	check_sections();
	check_texts();
	check_tokens();
	check_keys();
	check_pairs();
	check_groups();
	check_rest();
	check_packing();
	check_shared_text();
	free(good);
	free(bad);
	return tap_done();
}
