/* claude.c - compares token counts in the encodings of Claude with those of the
 * package ctok */
#include <stdint.h>

#include "tokenizer/tokenizer.h"
#include "tap.h"

enum {
	ENCODINGS = 3,
	CONTEXTS = 6,
	CASES = 3000, /* minimum number of cases in the file */
	BLOCKS = 200, /* minimum number of blocks in the file */
	TEXTS = 4000, /* number of texts that are made of cases */
	LONGEST = 1 << 17
};

static const char *const names[ENCODINGS] = {"claude-3", "claude-4.7",
    "claude-4.8"};
static struct ctx_tokenizer *tokenizers[ENCODINGS];
static struct ctx_token_counter *counters[ENCODINGS];
static struct ctx_err err;
static unsigned long long seed = 0x2545f4914f6cdd1du;
static struct ctx_str *cases; /* texts of the cases */
static size_t n_cases;
static char text[LONGEST];

static size_t
pick(size_t n)
{
	return (size_t)(tap_random(&seed) >> 33) % n;
}

static uint64_t
count(struct ctx_token_counter *counter, const char *p, size_t n)
{
	uint64_t tokens = 0;

	CHECK(ctx_token_count(counter, p, n, &tokens, &err) == 0);
	return tokens;
}

static unsigned
read_number(FILE *in)
{
	unsigned low = (unsigned)getc(in);

	return low | (unsigned)getc(in) << 8;
}

/* ---- tests/corpus/claude-cases.bin, made by claude.py ---- */

static void
check_cases(FILE *in)
{
	unsigned n, e, wrong = 0;
	char *p;

	tap_case("texts of all scripts have the tokens that ctok counts");
	cases = calloc(2 * CASES, sizeof *cases);
	NEED(cases != NULL);
	while ((n = read_number(in)) > 0 && n_cases < 2 * CASES) {
		p = malloc(n);
		NEED(p != NULL && fread(p, 1, n, in) == n);
		for (e = 0; e < ENCODINGS; e++)
			wrong += count(counters[e], p, n) != read_number(in);
		cases[n_cases++] = (struct ctx_str){p, n};
	}
	CHECK(n_cases > CASES && wrong == 0);
}

/* Writes a text of claude.py in which the character % is replaced by a
 * character.  Returns the length in bytes. */
static size_t
write_context(char *out, unsigned context, uint32_t cp)
{
	static const char *const contexts[CONTEXTS] = {"%", "a%b", "x % ",
	    " %\n", "1 %% \xe6\xbc\xa2", ". %,"};
	const char *p = contexts[context];
	char *to = out;

	for (; *p != '\0'; p++) {
		if (*p != '%')
			*to++ = *p;
		else
			to += ctx_utf8_put(to, cp);
	}
	return (size_t)(to - out);
}

static void
check_blocks(FILE *in)
{
	uint32_t sum, want;
	unsigned blocks = 0, wrong = 0, e, cp, c, block;
	char out[80];
	size_t n;

	tap_case("every character has the tokens that ctok counts");
	for (;; blocks++) {
		block = read_number(in);
		if (feof(in))
			break;
		for (e = 0; e < ENCODINGS; e++) {
			sum = 0x811c9dc5;
			for (cp = 256 * block; cp < 256 * block + 256; cp++)
				for (c = 0; c < CONTEXTS; c++) {
					n = write_context(out, c, cp);
					sum ^= count(counters[e], out, n) & 255;
					sum *= 0x1000193;
				}
			want = read_number(in);
			want |= (uint32_t)read_number(in) << 16;
			wrong += sum != want;
		}
	}
	CHECK(blocks > BLOCKS && wrong == 0);
}

/* ---- parts of texts ---- */

/* Makes a text of several cases.  Returns its length in bytes. */
static size_t
make_text(size_t some)
{
	struct ctx_str one;
	size_t n = 0;

	while (some-- > 0) {
		one = cases[pick(n_cases)];
		if (n + one.n + 1 > sizeof text)
			break;
		memcpy(text + n, one.p, one.n);
		n += one.n;
		if (pick(2) == 0)
			text[n++] = " \n.a"[pick(4)];
	}
	return n;
}

/* Makes a text without letters, in which units begin in different ways.
 * Returns its length in bytes. */
static size_t
make_wordless(void)
{
	static const char *const words[] = {"\xe6\xbc\xa2", " 123", "\n",
	    "(4) ", "'5", "\t", " ", "\xf0\x9f\x99\x82", "\xc2\xb2 ", ",", "  ",
	    "0"};
	size_t n = 0, i;

	while (n + 8 < sizeof text) {
		i = pick(sizeof words / sizeof words[0]);
		memcpy(text + n, words[i], strlen(words[i]));
		n += strlen(words[i]);
	}
	return n;
}

static void
check_fresh(void)
{
	struct ctx_token_counter *fresh;
	size_t i, n;
	unsigned e;

	tap_case("a count does not depend on what was counted before");
	for (i = 0; i < TEXTS / 20; i++) {
		n = make_text(1 + pick(20));
		e = (unsigned)pick(ENCODINGS);
		NEED(ctx_token_counter_open(&fresh, tokenizers[e],
			 CTX_SIMD_PORTABLE, &err) == 0);
		CHECK(count(fresh, text, n) == count(counters[e], text, n));
		ctx_token_counter_close(fresh);
	}
}

static void
check_streaming(void)
{
	size_t i, n, end, at;
	uint64_t tokens;
	unsigned e;

	tap_case("a beginning and the rest have the tokens of the whole");
	for (i = 0; i < TEXTS; i++) {
		n = i % 8 == 0 ? make_wordless() : make_text(1 + pick(40));
		end = pick(n + 1);
		e = (unsigned)pick(ENCODINGS);
		CHECK(ctx_token_count_streaming(counters[e], text, end, &at,
			  &tokens, &err) == 0);
		CHECK(at <= end);
		CHECK(i % 8 != 0 || at > end / 2 || end < 8192);
		CHECK(tokens +
			(at == n ? 0 : count(counters[e], text + at, n - at)) ==
		    count(counters[e], text, n));
	}
}

static bool
is_cut(size_t n, size_t at)
{
	return at == 0 || at == n || (text[at] & 0xc0) != 0x80;
}

static void
check_cuts(void)
{
	struct ctx_str whole;
	size_t i, n, at;
	uint64_t tokens, limit, all;
	unsigned e;

	tap_case("a head and a tail have at most so many tokens, and as said");
	for (i = 0; i < TEXTS / 4; i++) {
		n = make_text(1 + pick(i % 16 == 0 ? 800 : 20));
		whole = (struct ctx_str){text, n};
		e = (unsigned)pick(ENCODINGS);
		all = count(counters[e], text, n);
		limit = pick(all + 2);
		CHECK(ctx_token_head(counters[e], whole, limit, &at, &tokens,
			  &err) == 0);
		CHECK(is_cut(n, at) && tokens <= limit);
		CHECK(tokens == count(counters[e], text, at));
		CHECK(all > limit || at == n);
		CHECK(ctx_token_tail(counters[e], whole, limit, &at, &tokens,
			  &err) == 0);
		CHECK(is_cut(n, at) && tokens <= limit);
		CHECK(tokens == count(counters[e], text + at, n - at));
		CHECK(all > limit || at == 0);
	}
}

/* Tests texts in which every offset can be a boundary between units. */
static void
check_short_units(void)
{
	static const char *const patterns[] = {"\n\t", "\xe6\xbc\xa2",
	    "\n\xe6\xbc\xa2", "1\t\n"};
	uint64_t limit, all, tokens;
	size_t i, n, at, length;

	tap_case("the head of a text of many short units has at most so many "
		 "tokens");
	for (i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
		length = strlen(patterns[i]);
		for (n = 0; n + length <= 40000; n += length)
			memcpy(text + n, patterns[i], length);
		all = count(counters[0], text, n);
		for (limit = 0; limit < all + 20;
		     limit = limit == 40 ? all - 20 : limit + 1) {
			CHECK(ctx_token_head(counters[0],
				  (struct ctx_str){text, n}, limit, &at,
				  &tokens, &err) == 0);
			CHECK(tokens <= limit &&
			    tokens == count(counters[0], text, at));
			CHECK(all > limit || at == n);
		}
	}
}

static void
check_index(void)
{
	struct ctx_token_index index = {0};
	size_t i, k, n, some, from, to;
	uint64_t tokens;
	unsigned e;

	tap_case("an index counts a text that grows, and its parts");
	for (i = 0; i < TEXTS / 100; i++) {
		n = i % 4 == 0 ? make_wordless() : make_text(400);
		e = (unsigned)pick(ENCODINGS);
		for (some = 0; some < n;) {
			some += 1 + pick(n - some);
			CHECK(ctx_token_index_append(&index, counters[e],
				  (struct ctx_str){text, some}, &err) == 0);
			CHECK(index.tokens == count(counters[e], text, some));
		}
		for (k = 0; k < 20; k++) {
			from = pick(n);
			to = k % 2 == 0 ? n : from + pick(n - from + 1);
			CHECK(ctx_token_index_range(&index, from, to, &tokens,
				  &err) == 0);
			CHECK(tokens ==
			    count(counters[e], text + from, to - from));
		}
		ctx_token_index_reset(&index);
	}
	tap_case("a text without words has checkpoints as well");
	for (n = 0; n + 8 < sizeof text; n += 8)
		memcpy(text + n, "\xe6\xbc\xa2 123\n", 8);
	CHECK(ctx_token_index_append(&index, counters[0],
		  (struct ctx_str){text, n}, &err) == 0);
	CHECK(
	    index.n > n / 8192 && index.tokens == count(counters[0], text, n));
	CHECK(ctx_token_index_head(&index, index.tokens / 2, &from, &tokens,
		  &err) == 0);
	CHECK(tokens <= index.tokens / 2 && tokens + 2 >= index.tokens / 2);
	CHECK(tokens == count(counters[0], text, from));
	ctx_token_index_release(&index);
}

/* ---- other tests ---- */

static void
check_bytes(void)
{
	static const char *const bad[] = {"a\xff", "\xff", "a \x80 b\xff\xff c",
	    "\xe6\xbc", "x\xed\xa0\x80y", "12\xff 3 \xfe"};
	static const char *const read_as[] = {"a\xef\xbf\xbd", "\xef\xbf\xbd",
	    "a \xef\xbf\xbd b\xef\xbf\xbd\xef\xbf\xbd c",
	    "\xef\xbf\xbd\xef\xbf\xbd",
	    "x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdy",
	    "12\xef\xbf\xbd 3 \xef\xbf\xbd"};
	unsigned e, i;

	tap_case("a byte that is not UTF-8 counts as U+FFFD");
	for (e = 0; e < ENCODINGS; e++)
		for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
			CHECK(count(counters[e], bad[i], strlen(bad[i])) ==
			    count(counters[e], read_as[i], strlen(read_as[i])));
}

/* The package ctok counts these numbers of tokens. */
static void
check_joined(void)
{
	static const char colon[] = "x\xef\xbc\x9ay";
	static const char joined[] = "x\xef\xbc\x9a\"y";
	unsigned e;

	tap_case("a character that was counted alone is joined with the next "
		 "one");
	for (e = 0; e < ENCODINGS; e++) {
		CHECK(count(counters[e], colon, sizeof colon - 1) == 3);
		CHECK(count(counters[e], joined, sizeof joined - 1) == 3);
	}
}

static void
check_long(void)
{
	static const char *const parts[] = {"a", "=", "\n", "\xe0\xb8\x81",
	    "\xcc\x81", "1", "\x01"};
	size_t i, n, length, k;
	char *p;

	tap_case("a unit of many bytes");
	for (i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		length = strlen(parts[i]);
		n = 600000 * length;
		p = malloc(n);
		NEED(p != NULL);
		for (k = 0; k < n; k += length)
			memcpy(p + k, parts[i], length);
		/* The whole run has about twice as many tokens as its first
		 * half. */
		CHECK(count(counters[0], p, n) <= n);
		CHECK(count(counters[0], p, n) + 2 >=
		    2 * count(counters[0], p, n / 2));
		free(p);
	}
}

static void
check_ids(void)
{
	struct ctx_tokens ids = {0};
	struct ctx_buf out = {0};
	uint32_t id = 0;
	unsigned message;

	tap_case("there are no token ids, and the counts are reconstructed");
	CHECK(ctx_tokenizer_basis(tokenizers[0]) == CTX_BASIS_RECONSTRUCTED);
	CHECK(
	    ctx_tokenizer_frame(tokenizers[0], &message) == 7 && message == 3);
	CHECK(
	    ctx_tokenizer_frame(tokenizers[1], &message) == 11 && message == 4);
	CHECK(
	    ctx_tokenizer_frame(tokenizers[2], &message) == 6 && message == 2);
	CHECK(ctx_token_encode(counters[0], "a", 1, false, &ids, &err) < 0);
	CHECK(err.code == CTX_EARG);
	CHECK(ctx_tokenizer_decode(tokenizers[0], &id, 1, &out, &err) < 0);
	CHECK(count(counters[0], "", 0) == 0);
	ctx_tokens_release(&ids);
	ctx_buf_release(&out);
}

int
main(void)
{
	FILE *in = fopen("tests/corpus/claude-cases.bin", "rb");
	unsigned e;
	size_t i;

	NEED(in != NULL);
	for (e = 0; e < ENCODINGS; e++)
		NEED(ctx_tokenizer_open(&tokenizers[e], names[e], NULL, &err) ==
			0 &&
		    ctx_token_counter_open(&counters[e], tokenizers[e],
			CTX_SIMD_BEST, &err) == 0);
	check_cases(in);
	check_blocks(in);
	fclose(in);
	check_fresh();
	check_streaming();
	check_cuts();
	check_short_units();
	check_index();
	check_bytes();
	check_joined();
	check_long();
	check_ids();
	for (e = 0; e < ENCODINGS; e++) {
		ctx_token_counter_close(counters[e]);
		ctx_tokenizer_close(tokenizers[e]);
	}
	for (i = 0; i < n_cases; i++)
		free((void *)cases[i].p);
	free(cases);
	return tap_done();
}
