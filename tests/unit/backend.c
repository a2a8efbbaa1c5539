/* backend.c - compares the pretokenizer of each instruction set with slow
 * functions */
#include <stdint.h>

#include "tap.h"
#include "tokenizer/vocabulary/tables.h"
#include "tokenizer/simd/backend.h"
#include "token_ref.h"

static const struct family {
	const char *name;
	struct ctx_pretokenizer pretokenizer;
	const struct ref_element (*pattern)[6];
} families[] = {
    {"r50k", {CTX_PRETOKENIZER_R50K, 0, 1, 0}, ref_r50k},
    {"cl100k", {CTX_PRETOKENIZER_CL100K, 3, 1, 0}, ref_cl100k},
    {"o200k", {CTX_PRETOKENIZER_O200K, 3, 1, 0}, ref_o200k},
};

/* With CTX_EMULATE_AVX512 (make check-simd), the code for AVX-512 runs on any
 * machine. */
static const struct {
	const char *name;
	enum ctx_simd simd; /* instruction set that the processor must have */
	const struct ctx_backend *functions;
} backends[] = {
    {"portable", CTX_SIMD_PORTABLE, &ctx_backend_portable},
#if defined(CTX_EMULATE_AVX512)
    {"avx512", CTX_SIMD_PORTABLE, &ctx_backend_avx512},
#elif defined(__x86_64__)
    {"avx2", CTX_SIMD_AVX2, &ctx_backend_avx2},
    {"avx512", CTX_SIMD_AVX512, &ctx_backend_avx512},
#elif defined(__aarch64__)
    {"neon", CTX_SIMD_NEON, &ctx_backend_neon},
#endif
};

enum {
	MOST = 70000,
	BACKENDS = sizeof backends / sizeof backends[0],
	FAMILIES = 3
};

static struct ref_char chars[MOST + 1];
static unsigned char want[MOST + 1], got[MOST + 1];
static unsigned long long seed = 88172645463325252u;

/* Parts of texts, such that each kind of character comes next to each other
 * kind. */
static const char *const parts[] = {"a", "b", "Z", "Q", "word", "Word", "THE",
    " ", " ", "  ", "     ", "\n", "\r\n", "\n\n", "\t", "\v", "1", "23",
    "4567", "'", "'s", "'S", "'t", "'ll", "'RE", "'ve", "'d", "'x", "'\xc5\xbf",
    "''", "!", "!?", "/", "//", "/\n", ";\n", ";\n//", "-", "=", "(", "\"", "_",
    "\0", "\xc3\xa9", "\xc3\x89", "\xd0\xb6", "\xd0\x96", "\xe4\xb8\xad",
    "\xe6\x96\x87", "\xed\x95\x9c", "\xe3\x81\x82", "\xe0\xa4\xb9\xe0\xa5\x80",
    "\xcc\x81", "\xca\xb0", "\xe2\x85\xa7", "\xc2\xbd", "\xd9\xa3", "\xc2\xa0",
    "\xe2\x80\xa8", "\xc2\x85", "\xe3\x80\x80", "\xe2\x80\x93", "\xe2\x80\x99",
    "\xe2\x80\x9c", "\xef\xbc\x8c", "\xf0\x9f\x98\x80", "\xef\xb8\x8f",
    "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd", "\xe2\x80\x8d", "\xef\xbb\xbf",
    "\xc7\x85", "\xf0\x9d\x94\xb8", "\xe0\xb8\x81\xe0\xb8\xb3",
    "<|endoftext|>"};

/* Bytes that are not valid UTF-8. */
static const char *const bad[] = {"\x80", "\xbf\xbf", "\xc0\x80", "\xc3",
    "\xe4\xb8", "\xed\xa0\x80", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xff",
    "\xfe", "\xff\xff", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
    "\xf5\x80\x80\x80", "\xf8\x88\x80\x80\x80"};

static size_t
pick(size_t n)
{
	return (size_t)(tap_random(&seed) >> 33) % n;
}

/* Makes a text of about n bytes.  One of one_in parts is not valid UTF-8
 * (one_in 0: none).  Only a few different parts are used, so that parts are
 * repeated. */
static size_t
make_text(char *text, size_t n, size_t one_in)
{
	enum { PARTS = sizeof parts / sizeof parts[0] };
	const char *part;
	size_t used[6], length = 0, i, again;

	for (i = 0; i < 6; i++)
		used[i] = pick(PARTS);
	while (length < n) {
		part = parts[pick(3) > 0 ? used[pick(6)] : pick(PARTS)];
		if (one_in > 0 && pick(one_in) == 0)
			part = bad[pick(sizeof bad / sizeof bad[0])];
		again = pick(8) == 0 ? pick(70) : 1;
		for (i = 0; i < again && length < n; i++) {
			memcpy(text + length, part, strlen(part) + 1);
			length += *part == '\0' ? 1 : strlen(part);
		}
	}
	return length;
}

static void
split_reference(const struct family *f, const char *p, size_t n)
{
	size_t count = ref_chars(p, n, chars), i;

	memset(want, 0, n + 1);
	for (i = 0; i < count;) {
		i += ref_piece(f->pattern, chars + i, count - i);
		want[chars[i].at] = 1;
	}
}

static bool
is_number(const char *p, size_t n)
{
	while (n > 0 && p[n - 1] >= '0' && p[n - 1] <= '9')
		n--;
	return n == 0;
}

/* Checks two lists of pieces.  A piece that is only in the list "all" must be
 * plain: one byte or a number.  A piece that is in both lists must have more
 * than one byte, and the same end in both. */
static void
check_list(const struct ctx_pretokenize *all,
    const struct ctx_pretokenize *some, const char *p)
{
	size_t i, k = 0, length;

	for (i = 0; i < all->listed; i++) {
		length = all->end[i] - all->start[i];
		if (k < some->listed && some->start[k] == all->start[i]) {
			CHECK(some->end[k] == all->end[i] && length > 1);
			k++;
		} else {
			CHECK(length == 1 ||
			    is_number(p + all->start[i], length));
		}
	}
	CHECK(k == some->listed);
}

static void
split_library(const struct family *f, ctx_pretokenize_fn *split, const char *p,
    size_t n, size_t max)
{
	static struct ctx_pretokenize s, some;
	size_t at = 0, i, k;

	memset(got, 0, n + 1);
	while (at < n) {
		split(&s, f->pretokenizer, 0, p + at, n - at, max);
		CHECK(s.n <= max && (s.n > 0) != (s.alone > 0));
		CHECK(s.listed == s.n && s.used > 0);
		for (i = k = 0; i < s.n; k = s.end[i++]) {
			CHECK(s.start[i] == k);
			got[at + s.end[i]] = 1;
		}
		CHECK(s.used == (s.alone > 0 ? s.alone : k));
		split(&some, f->pretokenizer,
		    CTX_PLAIN_BYTES | CTX_PLAIN_NUMBERS, p + at, n - at, max);
		CHECK(some.n == s.n && some.used == s.used);
		check_list(&s, &some, p + at);
		at += s.used;
		got[at] = 1;
	}
}

/* Compares the code for all instruction sets with the slow functions.  The text
 * is copied to memory of exactly its size, so that a sanitizer finds reads
 * beyond its end. */
static void
compare(const char *text, size_t n)
{
	char *p = malloc(n + (n == 0));
	size_t f, b, i;
	int same;

	NEED(p != NULL);
	memcpy(p, text, n);
	for (f = 0; f < FAMILIES; f++) {
		split_reference(families + f, p, n);
		for (b = 0; b < BACKENDS; b++) {
			if (ctx_simd_resolve(backends[b].simd) !=
			    backends[b].simd)
				continue;
			split_library(families + f,
			    backends[b].functions->split, p, n,
			    pick(4) == 0 ? 1 + pick(5) : CTX_PRETOKENIZE_MAX);
			same = memcmp(want, got, n + 1) == 0;
			CHECK(same);
			if (same)
				continue;
			printf("# %s %s:", families[f].name, backends[b].name);
			for (i = 0; i < n; i++)
				printf("%s%02x",
				    want[i] != got[i] ? " *"
					: want[i]     ? " |"
						      : " ",
				    (unsigned char)p[i]);
			printf("\n");
			exit(1);
		}
	}
	free(p);
}

static unsigned
rounds(unsigned n)
{
	const char *more = getenv("CHECK_LONG");

	return more == NULL ? n : n * (unsigned)strtoul(more, NULL, 10);
}

static void
random_texts(void)
{
	char text[1000];
	unsigned i;
	size_t n, at;

	tap_case("random texts are split as by the reference");
	for (i = 0; i < rounds(60000); i++)
		compare(text,
		    make_text(text, pick(i % 50 == 0 ? 800 : 150), 0));
	tap_case("random texts with bytes that are not UTF-8");
	for (i = 0; i < rounds(20000); i++)
		compare(text, make_text(text, pick(150), 1 + pick(20)));
	tap_case("random texts cut at every byte");
	for (i = 0; i < rounds(60); i++)
		for (n = make_text(text, 200, 0); n > 0; n--)
			compare(text, n);
	tap_case("random texts at every offset into a block");
	for (i = 0; i < rounds(60); i++) {
		n = make_text(text + 64, 150, 0);
		memset(text, 'a', 64);
		for (at = 0; at <= 64; at++)
			compare(text + at, 64 - at + n);
	}
}

static void
every_character(void)
{
	static const char *const around[][2] = {{"a", "b"}, {" ", "B"},
	    {"!", "a "}, {"Aa", "'s"}, {"12", "3"}, {"'", "\n"}};
	char text[MOST];
	uint32_t cp;
	size_t n = 0, i;

	tap_case("every Unicode scalar value, in context");
	for (cp = 0; cp < 0x110000; cp++) {
		if (cp >= 0xd800 && cp < 0xe000)
			continue;
		i = cp % 6;
		memcpy(text + n, around[i][0], strlen(around[i][0]));
		n += strlen(around[i][0]);
		n += ref_put_char(text + n, cp);
		memcpy(text + n, around[i][1], strlen(around[i][1]));
		n += strlen(around[i][1]);
		if (n > MOST - 100) {
			compare(text, n);
			n = 0;
		}
	}
	compare(text, n);
}

static void
long_runs(void)
{
	static char text[MOST];
	enum { PARTS = sizeof parts / sizeof parts[0] };
	size_t i, n;

	tap_case("long runs of one part");
	for (i = 0; i < PARTS; i++) {
		for (n = 0; n < 3000;) {
			memcpy(text + n, parts[i], strlen(parts[i]) + 1);
			n += *parts[i] == '\0' ? 1 : strlen(parts[i]);
		}
		compare(text, n);
		text[n] = 'x';
		compare(text, n + 1);
	}
}

/* Adds half of the pieces to the cache, each with as many tokens as it has
 * bytes. */
static void
learn(struct ctx_pretoken_cache *cache, const char *text,
    const struct ctx_pretokenize *s)
{
	struct ctx_key key;
	uint32_t length;
	size_t i;

	for (i = 0; i < s->n; i++) {
		length = s->end[i] - s->start[i];
		if (length > CTX_PRETOKEN_CACHE_KEY || pick(2) == 0)
			continue;
		key = ctx_key_copy(text + s->start[i], length);
		if (ctx_pretoken_cache_find(cache, key) == 0)
			ctx_pretoken_cache_add(cache, key, length);
		CHECK(ctx_pretoken_cache_find(cache, key) == length);
	}
}

static void
probing(void)
{
	static struct ctx_pretoken_lookup probes[2];
	struct ctx_pretoken_list list;
	static struct ctx_pretokenize s;
	struct ctx_pretoken_cache cache;
	struct ctx_err err;
	char text[1016];
	uint64_t tokens, others, known, found = 0;
	size_t n, misses, longs, b, i, k;
	unsigned round;

	tap_case("every back end finds the same pre-tokens in the cache");
	NEED(ctx_pretoken_cache_init(&cache, &err) == 0);
	for (round = 0; round < 2000; round++) {
		n = make_text(text, pick(800), 0);
		if (n == 0)
			continue;
		memset(text + n, 'x', CTX_VOCAB_KEY);
		ctx_backend_portable.split(&s, families[0].pretokenizer, 0,
		    text, n, CTX_PRETOKEN_LOOKUP_MAX);
		learn(&cache, text, &s);
		list = (struct ctx_pretoken_list){s.start, s.end, s.n};
		tokens = 0;
		misses = ctx_backend_portable.lookup(&cache, text, &list,
		    &probes[0], &tokens);
		known = 0;
		for (i = k = longs = 0; i < s.n; i++) {
			if (s.end[i] - s.start[i] > CTX_PRETOKEN_CACHE_KEY)
				CHECK(probes[0].longs[longs++] == i);
			else if (k < misses && probes[0].missed[k] == i)
				k++;
			else
				known += s.end[i] - s.start[i];
		}
		CHECK(k == misses && longs == probes[0].nlongs &&
		    known == tokens);
		found += s.n - misses - longs;
		for (b = 1; b < BACKENDS; b++) {
			if (ctx_simd_resolve(backends[b].simd) !=
			    backends[b].simd)
				continue;
			others = 0;
			CHECK(backends[b].functions->lookup(&cache, text, &list,
				  &probes[1], &others) == misses);
			CHECK(others == tokens);
			CHECK(probes[1].nlongs == longs &&
			    memcmp(probes[0].longs, probes[1].longs,
				longs * sizeof probes[0].longs[0]) == 0);
			CHECK(memcmp(probes[0].missed, probes[1].missed,
				  misses * sizeof probes[0].missed[0]) == 0);
			CHECK(memcmp(probes[0].keys, probes[1].keys,
				  s.n * sizeof probes[0].keys[0]) == 0);
		}
	}
	CHECK(found > 10000 && cache.bits > 8);
	ctx_pretoken_cache_release(&cache);
}

static void
long_words(void)
{
	enum { WORDS = 60000 };
	struct ctx_pretoken_cache cache;
	struct ctx_err err;
	char text[CTX_PRETOKEN_CACHE_LONG];
	unsigned i, n, round, found, lost = 0;
	uint64_t hash;

	tap_case(
	    "long pre-tokens are found again or forgotten, never confused");
	NEED(ctx_pretoken_cache_init(&cache, &err) == 0);
	for (round = 0; round < 2; round++)
		for (i = 0; i < WORDS; i++) {
			n = 16 + i % (CTX_PRETOKEN_CACHE_LONG - 15);
			memset(text, 'x', sizeof text);
			memcpy(text + i % 9, &i, sizeof i);
			hash = ctx_pretoken_cache_hash_long(text, n);
			found =
			    ctx_pretoken_cache_find_long(&cache, hash, text, n);
			CHECK(found == 0 || found == 1 + i % 100);
			lost += round > 0 && found == 0;
			if (round > 0)
				continue;
			ctx_pretoken_cache_add_long(&cache, text, n,
			    1 + i % 100);
			CHECK(ctx_pretoken_cache_find_long(&cache, hash, text,
				  n) == 1 + i % 100);
		}
	/* The cache has space for half of the words. */
	CHECK(lost > WORDS / 4 && lost < WORDS / 4 * 3);
	ctx_pretoken_cache_release(&cache);
}

static void
merging(void)
{
	static struct ctx_bpe_pretoken want_pretokens[CTX_BPE_BATCH],
	    pretokens[CTX_BPE_BATCH];
	struct ctx_err err;
	const struct ctx_tables_head *tables = ctx_tables_open(&err);
	struct ctx_vocab vocab;
	uint32_t tokens[CTX_BPE_MAX];
	char text[CTX_BPE_BATCH][80];
	size_t i, n, b, length, merged = 0;
	unsigned round;

	tap_case("every back end merges several pre-tokens at once to the same "
		 "tokens");
	NEED(tables != NULL);
	ctx_vocab_view(&vocab, ctx_tables_find(tables, CTX_TABLE_P50K));
	for (round = 0; round < 2000; round++) {
		n = 1 + pick(CTX_BPE_BATCH);
		for (i = 0; i < n; i++) {
			length = 1 + pick(CTX_BPE_MAX);
			make_text(text[i], CTX_BPE_MAX, 0);
			ctx_bpe_pretoken_begin(&vocab, want_pretokens + i,
			    text[i], length);
			CHECK(ctx_bpe_pretoken_count(want_pretokens + i) ==
			    length);
		}
		memcpy(pretokens, want_pretokens, sizeof pretokens);
		ctx_bpe_merge_portable(&vocab, want_pretokens, n);
		for (i = 0; i < n; i++) {
			CHECK(ctx_bpe_pretoken_count(want_pretokens + i) ==
			    ctx_bpe_pairs(&vocab, text[i], want_pretokens[i].n,
				tokens));
			merged += want_pretokens[i].n -
			    ctx_bpe_pretoken_count(want_pretokens + i);
		}
		for (b = 1; b < BACKENDS; b++) {
			if (ctx_simd_resolve(backends[b].simd) !=
			    backends[b].simd)
				continue;
			for (i = 0; i < n; i++)
				ctx_bpe_pretoken_begin(&vocab, pretokens + i,
				    text[i], want_pretokens[i].n);
			backends[b].functions->merge(&vocab, pretokens, n);
			for (i = 0; i < n; i++)
				CHECK(pretokens[i].occupied ==
					want_pretokens[i].occupied &&
				    memcmp(pretokens[i].tokens,
					want_pretokens[i].tokens,
					sizeof pretokens[i].tokens) == 0);
		}
	}
	CHECK(merged > 100000);
}

int
main(void)
{
	NEED(ref_load_classes("lib/gen/data/unicode16.tsv") == 0);
	random_texts();
	every_character();
	long_runs();
	probing();
	long_words();
	merging();
	return tap_done();
}
