/* utf8.c - tests UTF-8 functions with each instruction set, compared with a
 * definition by arithmetic */
#include "base/base.h"
#include "tap.h"

static const enum ctx_simd backs[] = {CTX_SIMD_PORTABLE, CTX_SIMD_SSE2,
    CTX_SIMD_AVX2, CTX_SIMD_AVX512, CTX_SIMD_NEON};

/* Returns the length of the character at p by RFC 3629, or 0 if there is none:
 * decodes as many bytes as the lead byte says, and checks whether this is the
 * correct way to write the character. */
static size_t
character(const unsigned char *p, size_t n, unsigned long *cp)
{
	static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len = p[0] < 0x80 ? 1
	    : p[0] < 0xc0        ? 0
	    : p[0] < 0xe0        ? 2
	    : p[0] < 0xf0        ? 3
	    : p[0] < 0xf8        ? 4
				 : 0,
	       i;

	if (len == 0 || len > n)
		return 0;
	*cp = len == 1 ? p[0] : p[0] & (0xffu >> (len + 1));
	for (i = 1; i < len; i++) {
		if (p[i] / 64 != 2)
			return 0;
		*cp = *cp * 64 + p[i] % 64;
	}
	return *cp < least[len] || *cp > 0x10ffff ||
		(*cp >= 0xd800 && *cp < 0xe000)
	    ? 0
	    : len;
}

static size_t
valid(const char *p, size_t n)
{
	unsigned long cp;
	size_t at = 0, len;

	while (at < n) {
		len = character((const unsigned char *)p + at, n - at, &cp);
		if (len == 0)
			break;
		at += len;
	}
	return at;
}

static bool
all_agree(const char *p, size_t n)
{
	char *copy = malloc(n + (n == 0));
	size_t want = valid(p, n), i;
	bool good = true;

	NEED(copy != NULL);
	memcpy(copy, p, n);
	for (i = 0; i < sizeof backs / sizeof backs[0]; i++)
		good = good && ctx_utf8_valid(copy, n, backs[i]) == want;
	good = good && ctx_utf8_valid(copy, n, CTX_SIMD_BEST) == want;
	free(copy);
	return good;
}

static void
characters(void)
{
	char out[4], text[4];
	unsigned long cp, theirs;
	uint32_t ours;
	size_t len;
	bool good = true;
	unsigned lead;

	tap_case("every scalar value is written and read back");
	for (cp = 0; cp < 0x110000; cp++) {
		if (cp >= 0xd800 && cp < 0xe000)
			continue;
		len = ctx_utf8_put(out, (uint32_t)cp);
		good = good &&
		    character((unsigned char *)out, len, &theirs) == len &&
		    theirs == cp;
		good =
		    good && ctx_utf8_next(out, len, &ours) == len && ours == cp;
	}
	CHECK(good);
	tap_case("next takes one byte of an invalid sequence");
	for (lead = 0; lead < 0x10000; lead++) {
		text[0] = (char)(lead >> 8);
		text[1] = (char)(lead & 0xff);
		text[2] = text[3] = '\x80';
		for (len = 1; len <= 4; len++) {
			size_t want =
			    character((unsigned char *)text, len, &theirs);

			good = good &&
			    ctx_utf8_next(text, len, &ours) ==
				(want == 0 ? 1 : want) &&
			    ours == (want == 0 ? 0xfffd : theirs);
		}
	}
	CHECK(good);
}

/* Tests every pair of bytes, with other bytes before and after it, at every
 * position in a block. */
static void
pairs(void)
{
	static const char around[] = "a\x80\x8f\x90\x9f\xa0\xbf\xc2\xe1\xf1";
	char text[80], *at;
	unsigned pair, after;
	bool good = true;

	tap_case("validity of every pair of bytes");
	for (pair = 0; pair < 0x10000; pair++) {
		for (after = 0; after < 10; after++) {
			memset(text, 'x', sizeof text);
			at = text + (pair / 3 + after) % 76;
			at[0] = pair % 3 == 0 ? around[pair % 10] : 'a';
			at[1] = (char)(pair >> 8);
			at[2] = (char)(pair & 0xff);
			at[3] = around[after];
			good = good && all_agree(text, sizeof text);
		}
	}
	CHECK(good);
	tap_case("a character cut by the end of a block");
	for (pair = 0; pair < 76 * 4; pair++) {
		memset(text, 'x', sizeof text);
		memcpy(text + pair / 4, "\xf0\x9f\x98\x80", pair % 4);
		good = good && all_agree(text, sizeof text);
	}
	CHECK(good);
}

/* Tests long texts of characters of every length, valid and then with changed
 * bytes. */
static void
texts(void)
{
	static const uint32_t tops[] = {0x80, 0x80, 0x80, 0x800, 0xd800,
	    0x110000};
	unsigned long long seed = 7;
	char text[400];
	size_t n, count, i, flip;
	uint32_t cp;
	bool good = true, counted = true;

	tap_case("validity of long texts, whole, cut and damaged");
	for (i = 0; i < 60000; i++) {
		size_t want = (size_t)(tap_random(&seed) >> 40) % 390;
		/* Only a few kinds of characters, because otherwise all vectors
		 * would have a similar mixture. */
		size_t kinds = 1 + i % 6;

		for (n = count = 0; n < want; count++) {
			cp = (uint32_t)(tap_random(&seed) >> 32) %
			    tops[(size_t)(tap_random(&seed) >> 40) % kinds];
			if (cp >= 0xd800 && cp < 0xe000)
				cp = 0xfffd;
			n += ctx_utf8_put(text + n, cp);
		}
		good = good && valid(text, n) == n && all_agree(text, n);
		counted = counted && ctx_utf8_count(text, n) == count;
		if (n == 0)
			continue;
		good = good && all_agree(text, n - 1);
		flip = (size_t)(tap_random(&seed) >> 40) % n;
		text[flip] = (char)(tap_random(&seed) >> 40);
		good = good && all_agree(text, n);
	}
	CHECK(good);
	tap_case("characters are counted");
	CHECK(counted);
	CHECK(ctx_utf8_count("", 0) == 0);
}

/* Tests more vectors than the functions add up at once. */
static void
long_count(void)
{
	static const char *const characters[] = {"a", "\xc3\xa9",
	    "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	const size_t count = 10007;
	char *text = malloc(4 * count);
	size_t len, i;

	tap_case("characters of a long text are counted");
	NEED(text != NULL);
	for (len = 1; len <= 4; len++) {
		for (i = 0; i < count; i++)
			memcpy(text + i * len, characters[len - 1], len);
		CHECK(ctx_utf8_count(text, count * len) == count);
		for (i = 0; i < count * len; i += 997)
			CHECK(ctx_utf8_valid(text, i, CTX_SIMD_BEST) ==
			    i / len * len);
	}
	free(text);
}

/* Tests moving forward and back by characters. */
static void
steps(void)
{
	static const uint32_t tops[] = {0x80, 0x800, 0xd800, 0x110000};
	unsigned long long seed = 11;
	char text[2000];
	size_t at[600], n, count, i, j;
	bool there = true, back = true;
	uint32_t cp;

	tap_case("skip passes the number of characters, and the last one is "
		 "stepped back");
	for (i = 0; i < 300; i++) {
		for (n = count = 0; count < i; count++) {
			cp = (uint32_t)(tap_random(&seed) >> 32) %
			    tops[(size_t)(tap_random(&seed) >> 40) %
				(1 + i % 4)];
			if (cp >= 0xd800 && cp < 0xe000)
				cp = 0xfffd;
			at[count] = n;
			n += ctx_utf8_put(text + n, cp);
			for (j = at[count] + 1; j <= n; j++)
				back =
				    back && ctx_utf8_back(text, j) == at[count];
		}
		for (j = 0; j < count; j++)
			there = there && ctx_utf8_skip(text, n, j) == at[j];
		there = there && ctx_utf8_skip(text, n, count) == n &&
		    ctx_utf8_skip(text, n, UINT64_MAX) == n;
	}
	CHECK(there && back);
}

int
main(void)
{
	characters();
	pairs();
	texts();
	long_count();
	steps();
	return tap_done();
}
