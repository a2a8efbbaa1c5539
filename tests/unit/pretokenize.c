/*
 * pretokenize.c - tests how many bytes before the end of a text, or of a block,
 * depend on the bytes after it
 *
 * fit_tokens.c and token_index.c need this: text that is appended changes only
 * the boundaries of the last few pieces.  Splitting by blocks must give the
 * same pieces as splitting by characters, whatever is at the end of a block.
 */
#include <stdint.h>

#include "tap.h"
#include "tokenizer/encode/pretokenize.h"
#include "tokenizer/simd/backend.h"

/* One character of each kind that a pattern distinguishes. */
static const char *const kinds[] = {"a", "A", "\xe4\xb8\xad", "\xcc\x81", "1",
    " ", "\n", "'", "s", "l", ".", "/", "\xc2\xa0", "\xc5\xbf"};

static const struct ctx_pretokenizer schemes[] = {{CTX_PRETOKENIZER_R50K, 0, 1,
						      0},
    {CTX_PRETOKENIZER_CL100K, 3, 1, 0}, {CTX_PRETOKENIZER_CL100K, 1, 1, 0},
    {CTX_PRETOKENIZER_O200K, 3, 1, 0}, {CTX_PRETOKENIZER_O200K, 1, 0, 0}};

enum {
	KINDS = sizeof kinds / sizeof kinds[0],
	SCHEMES = sizeof schemes / sizeof schemes[0],
	MOST = 12
};

static unsigned long long seed = 1181783497276652981u;

static size_t
pick(size_t n)
{
	return (size_t)(tap_random(&seed) >> 33) % n;
}

/* Returns the boundaries of a text of at most 63 bytes as bits.  Sets *sure to
 * these bits without those of the last CTX_PRETOKENIZE_UNSURE pieces. */
static uint64_t
boundaries(struct ctx_pretokenizer pretokenizer, const char *p, size_t n,
    uint64_t *sure)
{
	uint64_t all = 0;
	size_t at = 0;
	unsigned i;

	while (at < n) {
		at += ctx_pretoken_next(pretokenizer, p + at, n - at);
		all |= UINT64_C(1) << at;
	}
	*sure = all;
	for (i = 0; i < CTX_PRETOKENIZE_UNSURE && *sure != 0; i++)
		*sure &= ~(UINT64_C(1) << (63 - __builtin_clzll(*sure)));
	return all;
}

/* Appends a character to a text.  Returns false if a boundary that was sure
 * before is not a boundary any more. */
static bool
append(struct ctx_pretokenizer pretokenizer, char *text, size_t *n, size_t kind,
    uint64_t *sure)
{
	uint64_t now, all;

	memcpy(text + *n, kinds[kind], strlen(kinds[kind]) + 1);
	*n += strlen(kinds[kind]);
	all = boundaries(pretokenizer, text, *n, &now);
	if ((*sure & ~all) != 0) {
		printf("# family %u: %s\n", pretokenizer.family, text);
		return false;
	}
	*sure |= now;
	return true;
}

static void
every_text(struct ctx_pretokenizer pretokenizer, unsigned most)
{
	size_t at[MOST + 1] = {0}, next[MOST + 1] = {0};
	uint64_t sure[MOST + 1] = {0};
	unsigned depth = 0;
	char text[64];

	/* Goes through all texts up to a length, in the order of a tree. */
	for (;;) {
		if (depth == most || next[depth] == KINDS) {
			if (depth == 0)
				return;
			depth--;
			continue;
		}
		at[depth + 1] = at[depth];
		sure[depth + 1] = sure[depth];
		CHECK(append(pretokenizer, text, at + depth + 1, next[depth]++,
		    sure + depth + 1));
		next[++depth] = 0;
		if (tap_case_failed)
			return;
	}
}

static void
unsure_pieces(void)
{
	bool more = getenv("CHECK_LONG") != NULL;
	unsigned rounds = more ? 2000000 : 100000, i, k;
	uint64_t sure;
	char text[64];
	size_t n;

	tap_case("appended text changes only the last pre-tokens, for every "
		 "short text");
	for (i = 0; i < SCHEMES && !tap_case_failed; i++)
		every_text(schemes[i], more ? 6 : 5);
	tap_case("appended text changes only the last pre-tokens, for random "
		 "long texts");
	for (i = 0; i < rounds && !tap_case_failed; i++) {
		n = 0;
		sure = 0;
		for (k = 0; k < MOST; k++)
			CHECK(append(schemes[i % SCHEMES], text, &n,
			    pick(KINDS), &sure));
	}
}

/* Texts that are difficult at the end of a block. */
static const char *const parts[] = {"", "a", "Ab", "aB", "'", "'s", "'ll",
    "'re", "'l", "a's", "a's's", "A'VE", "\xe4\xb8\xad's", "'\xc5\xbf",
    "\xe4\xb8\xad",
    "\xe4\xb8\xad"
    "A",
    "\xe4\xb8\xad"
    "Ab",
    "A\xcc\x81", "\xcc\x81", "1", "12", "1234",
    "\xd9\xa3\xd9\xa3\xd9\xa3\xd9\xa3", " ", "  ", " \n", "\n ", "\n\n  ",
    "\r\n", "\xc2\xa0", "\xe3\x80\x80 ", ".", ".\n", ".\n/", " .", "//",
    "\xe2\x80\x99s", "\xf0\x9f\x98\x80", "\xff", "\xe4\xb8", "\xc3"};

enum { PARTS = sizeof parts / sizeof parts[0] };

static bool
same_as_scalar(struct ctx_pretokenizer pretokenizer, ctx_pretokenize_fn *split,
    const char *p, size_t n)
{
	static struct ctx_pretokenize s;
	size_t at = 0, i;

	split(&s, pretokenizer, 0, p, n, CTX_PRETOKENIZE_MAX);
	if (s.alone > 0)
		return s.n == 0 &&
		    s.alone == ctx_pretoken_next(pretokenizer, p, n);
	for (i = 0; i < s.n; i++) {
		at += ctx_pretoken_next(pretokenizer, p + at, n - at);
		if (s.end[i] != at)
			return false;
	}
	/* Splitting may end before a byte 0xff. */
	return at == n || memchr(p + at, 0xff, n - at) != NULL;
}

static void
check_block(ctx_pretokenize_fn *split, const char *fill, size_t before,
    size_t a, size_t b, size_t c)
{
	char text[200], *p;
	size_t n = 0, i;

	for (; n + strlen(fill) <= before; n += strlen(fill))
		memcpy(text + n, fill, strlen(fill));
	for (; n < before; n++)
		text[n] = '-';
	n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s", parts[a],
	    parts[b], parts[c]);
	/* The copy has exactly the size of the text, so that a sanitizer finds
	 * reads beyond its end. */
	p = malloc(n + (n == 0));
	NEED(p != NULL);
	memcpy(p, text, n);
	for (i = 0; i < SCHEMES; i++)
		if (!same_as_scalar(schemes[i], split, p, n)) {
			printf("# family %u: %s\n", schemes[i].family, text);
			CHECK(n == 0);
		}
	free(p);
}

static void
block_ends(enum ctx_simd simd)
{
	static const char *const fills[] = {"a", "A", " ", "1", ".",
	    "\xe4\xb8\xad", "word "};
	unsigned every = getenv("CHECK_LONG") != NULL ? 1 : 23, turn = 0;
	ctx_pretokenize_fn *split =
	    ctx_backend_pick(ctx_simd_resolve(simd))->split;
	size_t f, a, b, c, before;

	for (a = 0; a < PARTS; a++)
		for (b = 0; b < PARTS; b++)
			for (c = 0; c < PARTS && !tap_case_failed; c++)
				for (f = 0; f < 7; f++) {
					if (turn++ % every > 0)
						continue;
					before = 52 + pick(14);
					check_block(split, fills[f], before, a,
					    b, c);
				}
	for (a = 0; a < PARTS; a++)
		for (before = 50; before < 66 && !tap_case_failed; before++)
			for (f = 0; f < 7; f++)
				for (c = 0; c < PARTS; c += 3)
					check_block(split, fills[f], before, a,
					    c, a);
}

int
main(void)
{
	unsure_pieces();
	tap_case("the portable back end at the ends of blocks");
	block_ends(CTX_SIMD_PORTABLE);
	tap_case("the best back end at the ends of blocks");
	block_ends(CTX_SIMD_BEST);
	return tap_done();
}
