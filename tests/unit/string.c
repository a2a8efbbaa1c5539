/* string.c - tests decoding and encoding of JSON strings, compared with a slow
 * way */
#include "json/json.h"
#include "tap.h"

#define LENGTH(a)      (sizeof(a) / sizeof(a)[0])
#define PUT(buf, p, n) NEED(ctx_buf_add(buf, p, n, &(struct ctx_err){0}) == 0)

static const struct {
	const char *literal, *text;
	size_t bytes, chars;
} known[] = {
    {"\"\"", "", 0, 0},
    {"\"abc\"", "abc", 3, 3},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8, 8},
    {"\"\\u0000\"", "\0", 1, 1},
    {"\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac", 6, 3},
    {"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
	"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, 3},
    {"\"\\ud83d\\uDE00\"", "\xf0\x9f\x98\x80", 4, 1},
    {"\"\\uDBFF\\uDFFF\"", "\xf4\x8f\xbf\xbf", 4, 1},
    {"\"\\ud83d\"", "\xef\xbf\xbd", 3, 1},
    {"\"\\ude00\"", "\xef\xbf\xbd", 3, 1},
    {"\"\\ud83dx\"", "\xef\xbf\xbdx", 4, 2},
    {"\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd", 6, 2},
    {"\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", 7, 2},
    {"\"\\ud83d\\n\\ude00\"", "\xef\xbf\xbd\n\xef\xbf\xbd", 7, 3},
    {"\"\\ud83d\\\\ude00\"", "\xef\xbf\xbd\\ude00", 9, 7},
    {"\"\\ud83d\\ue000\"", "\xef\xbf\xbd\xee\x80\x80", 6, 2},
    {"\"\\ud83d\\udbff\"", "\xef\xbf\xbd\xef\xbf\xbd", 6, 2},
    {"\"\\ud83d\\u0041\"",
	"\xef\xbf\xbd"
	"A",
	4, 2},
    {"\"\x7f\\u007f\"", "\x7f\x7f", 2, 2},
    {"\"0123456789abcdef\\n0123456789abcde\\t0123456789abcdef\\\"\"",
	"0123456789abcdef\n0123456789abcde\t0123456789abcdef\"", 50, 50},
};

/* Copies a literal to memory of exactly its size, so that a sanitizer finds
 * reads beyond its end. */
static struct ctx_str
exact(const char *p, size_t n)
{
	char *copy = malloc(n);

	NEED(copy != NULL);
	return (struct ctx_str){memcpy(copy, p, n), n};
}

static bool
decodes_to(struct ctx_str literal, const char *p, size_t n)
{
	struct ctx_buf out = {0};
	struct ctx_err err;
	bool good;

	PUT(&out, "before", 6);
	NEED(ctx_json_string_decode(&out, literal, &err) == 0);
	good = out.n == n + 6 && memcmp(out.p, "before", 6) == 0 &&
	    memcmp(out.p + 6, p, n) == 0;
	ctx_buf_release(&out);
	return good && ctx_json_string_bytes(literal) == n &&
	    ctx_json_string_is(literal, p, n) &&
	    (n == 0 || !ctx_json_string_is(literal, p, n - 1));
}

static void
table(void)
{
	struct ctx_str literal;
	size_t i;

	tap_case("known literals");
	for (i = 0; i < LENGTH(known); i++) {
		literal = exact(known[i].literal, strlen(known[i].literal));
		CHECK(decodes_to(literal, known[i].text, known[i].bytes));
		CHECK(ctx_json_string_chars(literal) == known[i].chars);
		free((char *)literal.p);
	}
	literal = (struct ctx_str){"\"\"", 2};
	CHECK(ctx_json_string_is(literal, NULL, 0));
	CHECK(!ctx_json_string_is((struct ctx_str){"\"a\"", 3}, NULL, 0));
}

static void
sameness(void)
{
	static const struct {
		const char *a, *b;
		bool same;
	} pairs[] = {
	    {"\"\"", "\"\"", true},
	    {"\"a\"", "\"a\"", true},
	    {"\"a\"", "\"\"", false},
	    {"\"a\"", "\"b\"", false},
	    {"\"ab\"", "\"a\"", false},
	    {"\"a\"", "\"\\u0061\"", true},
	    {"\"/\"", "\"\\/\"", true},
	    {"\"\\n\"", "\"\\u000A\"", true},
	    {"\"\xc3\xa9\"", "\"\\u00e9\"", true},
	    {"\"\xf0\x9f\x98\x80\"", "\"\\ud83d\\uDE00\"", true},
	    {"\"\\u0000\"", "\"\"", false},
	    {"\"\\u0000\"", "\"\\u0000a\"", false},
	    {"\"\\ud83d\"", "\"\xef\xbf\xbd\"", true},
	};
	struct ctx_str a, b;
	size_t i;

	tap_case(
	    "two literals of one text are equal, however they are written");
	for (i = 0; i < LENGTH(pairs); i++) {
		a = exact(pairs[i].a, strlen(pairs[i].a));
		b = exact(pairs[i].b, strlen(pairs[i].b));
		CHECK(ctx_json_strings_equal(a, b) == pairs[i].same);
		CHECK(ctx_json_strings_equal(b, a) == pairs[i].same);
		free((char *)a.p);
		free((char *)b.p);
	}
}

static void
every_escape(void)
{
	struct ctx_str literal;
	char text[32], utf8[4];
	uint32_t cp, low;
	bool good = true;
	size_t n;

	tap_case("every \\u escape and the pairs of every plane");
	for (cp = 0; cp < 0x10000; cp++) {
		if (cp % 2 == 0)
			snprintf(text, sizeof text, "\"\\u%04x\"",
			    (unsigned)cp);
		else
			snprintf(text, sizeof text, "\"\\u%04X\"",
			    (unsigned)cp);
		n = ctx_utf8_put(utf8,
		    cp >= 0xd800 && cp < 0xe000 ? 0xfffd : cp);
		literal = (struct ctx_str){text, 8};
		good = good && decodes_to(literal, utf8, n) &&
		    ctx_json_string_chars(literal) == 1;
	}
	for (cp = 0x10000; cp < 0x110000; cp += 0x3fd) {
		low = 0xdc00 + (cp & 0x3ff);
		snprintf(text, sizeof text, "\"\\u%04x\\u%04X\"",
		    (unsigned)(0xd800 + ((cp - 0x10000) >> 10)), (unsigned)low);
		n = ctx_utf8_put(utf8, cp);
		literal = (struct ctx_str){text, 14};
		good = good && decodes_to(literal, utf8, n) &&
		    ctx_json_string_chars(literal) == 1;
	}
	CHECK(good);
}

/* Makes a random literal and its text from the same parts. */
static void
make(struct ctx_buf *literal, struct ctx_buf *text, size_t *chars,
    unsigned long long *seed)
{
	static const struct {
		const char *form, *text;
	} pieces[] = {{"a", "a"}, {"\\n", "\n"}, {"\\\"", "\""}, {"z", "z"},
	    {"\\\\", "\\"}, {"\\/", "/"}, {"u", "u"}, {"\\u00e9", "\xc3\xa9"},
	    {"\xe2\x82\xac", "\xe2\x82\xac"}, {"\\u20ac", "\xe2\x82\xac"},
	    {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}, {"\\t", "\t"},
	    {"\\uD83d\\ude00", "\xf0\x9f\x98\x80"}, {"d", "d"},
	    {"\\uDe00", "\xef\xbf\xbd"}, {"\\ud800 ", "\xef\xbf\xbd "}};
	size_t n = (size_t)(tap_random(seed) >> 40) % 40, i, run;

	literal->n = text->n = *chars = 0;
	PUT(literal, "\"", 1);
	while (n-- > 0) {
		i = (size_t)(tap_random(seed) >> 40) % LENGTH(pieces);
		PUT(literal, pieces[i].form, strlen(pieces[i].form));
		PUT(text, pieces[i].text, strlen(pieces[i].text));
		*chars += strchr(pieces[i].text, ' ') == NULL ? 1 : 2;
		run = (size_t)(tap_random(seed) >> 40) % 4 == 0
		    ? (size_t)(tap_random(seed) >> 40) % 40
		    : 0;
		*chars += run;
		for (; run > 0; run--) {
			PUT(literal, "x", 1);
			PUT(text, "x", 1);
		}
	}
	PUT(literal, "\"", 1);
}

/* Divides a literal at every offset that ctx_json_string_next returns.  Both
 * parts must be literals, whose texts are the two parts of the text. */
static bool
cuts(struct ctx_str literal, struct ctx_str text, size_t chars)
{
	struct ctx_buf half = {0};
	struct ctx_json json;
	struct ctx_err err;
	size_t at = 1, used, seen = 0, taken = 0;
	bool good = true;
	uint32_t cp, want;

	ctx_json_init(&json, CTX_SIMD_BEST);
	do {
		half.n = 0;
		PUT(&half, literal.p, at);
		PUT(&half, "\"", 1);
		good = good &&
		    ctx_json_scan(&json, half.p, half.n, &used, &err) == 1 &&
		    decodes_to((struct ctx_str){half.p, half.n}, text.p, seen);
		half.n = 0;
		PUT(&half, "\"", 1);
		PUT(&half, literal.p + at, literal.n - at);
		good = good &&
		    decodes_to((struct ctx_str){half.p, half.n}, text.p + seen,
			text.n - seen);
		if (seen < text.n)
			seen +=
			    ctx_utf8_next(text.p + seen, text.n - seen, &want);
		taken++;
	} while (good && ctx_json_string_next(literal, &at, &cp) == 1 &&
	    (good = cp == want));
	ctx_json_release(&json);
	ctx_buf_release(&half);
	return good && taken == chars + 1 && at == literal.n - 1;
}

static void
random_literals(void)
{
	struct ctx_buf made = {0}, text = {0};
	struct ctx_str literal;
	unsigned long long seed = 99;
	bool decoded = true, counted = true, cut = true, differs = true;
	size_t chars, i, flip;

	for (i = 0; i < 20000; i++) {
		make(&made, &text, &chars, &seed);
		literal = exact(made.p, made.n);
		decoded = decoded && decodes_to(literal, text.p, text.n);
		counted = counted && ctx_json_string_chars(literal) == chars;
		if (i % 20 == 0)
			cut = cut &&
			    cuts(literal, (struct ctx_str){text.p, text.n},
				chars);
		PUT(&text, "x", 1);
		differs =
		    differs && !ctx_json_string_is(literal, text.p, text.n);
		flip = (size_t)(tap_random(&seed) >> 40) % text.n;
		text.p[flip] = (char)(text.p[flip] ^ 1);
		differs = differs &&
		    (flip == text.n - 1 ||
			!ctx_json_string_is(literal, text.p, text.n - 1));
		free((char *)literal.p);
	}
	tap_case("literals decode to the text they were made from");
	CHECK(decoded);
	tap_case("the characters of literals are counted");
	CHECK(counted);
	tap_case("a cut splits no escape, surrogate pair or UTF-8 sequence");
	CHECK(cut);
	tap_case("literals of different texts are not equal");
	CHECK(differs);
	ctx_buf_release(&made);
	ctx_buf_release(&text);
}

static bool
encodes_to(const char *p, size_t n, const char *want)
{
	struct ctx_buf out = {0};
	struct ctx_err err;
	bool good;

	PUT(&out, "x", 1);
	good = ctx_json_string_encode(&out, p, n, &err) == 0 &&
	    out.n == strlen(want) + 1 &&
	    memcmp(out.p + 1, want, out.n - 1) == 0;
	ctx_buf_release(&out);
	return good;
}

static bool
is_canonical(const char *literal)
{
	return ctx_json_string_is_normalized(
	    (struct ctx_str){literal, strlen(literal)});
}

static void
encoding(void)
{
	struct ctx_buf text = {0}, literal = {0}, made = {0};
	unsigned long long seed = 5;
	struct ctx_err err;
	bool good = true;
	size_t i, chars;
	char c;

	tap_case("encoding escapes only what it must, in the short form");
	CHECK(encodes_to("", 0, "\"\"") && encodes_to(NULL, 0, "\"\""));
	CHECK(encodes_to("a/b", 3, "\"a/b\""));
	CHECK(encodes_to("\"\\\b\f\n\r\t", 7, "\"\\\"\\\\\\b\\f\\n\\r\\t\""));
	CHECK(
	    encodes_to("\0\x01\v\x1f", 4, "\"\\u0000\\u0001\\u000b\\u001f\""));
	CHECK(encodes_to("\x7f\xc2\x80\xe2\x80\xa8", 6,
	    "\"\x7f\xc2\x80\xe2\x80\xa8\""));
	CHECK(encodes_to("x\ny", 3, "\"x\\ny\""));
	tap_case("canonical spellings of a text are distinguished from others");
	CHECK(is_canonical("\"\"") && is_canonical("\"a/b \x7f\xc2\x80\""));
	CHECK(is_canonical("\"\\\"\\\\\\b\\f\\n\\r\\tx\\u0000\\u001f\""));
	CHECK(!is_canonical("\"a\\/b\"") && !is_canonical("\"\\u0041\""));
	CHECK(!is_canonical("\"\\u000a\"") && !is_canonical("\"\\u001F\""));
	CHECK(!is_canonical("\"\\u00e9\"") && !is_canonical("\"\\ud800\""));
	CHECK(!is_canonical("\"\\n\\ud83d\\ude00\"") &&
	    !is_canonical("\"\\u0022\""));
	tap_case("an encoded text decodes to itself");
	for (i = 0; i < 20000; i++) {
		make(&made, &text, &chars, &seed);
		c = (char)((tap_random(&seed) >> 40) % 0x80);
		PUT(&text, &c, 1);
		literal.n = 0;
		NEED(ctx_json_string_encode(&literal, text.p, text.n, &err) ==
		    0);
		good = good &&
		    decodes_to((struct ctx_str){literal.p, literal.n}, text.p,
			text.n) &&
		    ctx_json_string_is_normalized(
			(struct ctx_str){literal.p, literal.n});
	}
	CHECK(good);
	ctx_buf_release(&text);
	ctx_buf_release(&literal);
	ctx_buf_release(&made);
}

static void
respelling(void)
{
	struct ctx_buf made = {0}, text = {0}, want = {0}, got = {0};
	unsigned long long seed = 11;
	struct ctx_err err;
	bool good = true;
	size_t i, chars;

	tap_case("a normalized literal equals the encoded text");
	for (i = 0; i < 20000; i++) {
		make(&made, &text, &chars, &seed);
		want.n = got.n = 0;
		NEED(ctx_json_string_encode(&want, text.p, text.n, &err) == 0);
		NEED(ctx_json_string_normalize(&got,
			 (struct ctx_str){made.p, made.n}, &err) == 0);
		good = good && got.n == want.n &&
		    memcmp(got.p, want.p, want.n) == 0;
	}
	CHECK(good);
	ctx_buf_release(&made);
	ctx_buf_release(&text);
	ctx_buf_release(&want);
	ctx_buf_release(&got);
}

/* Seeks from every offset of a literal to every other offset.  The result must
 * be that of ctx_json_string_next. */
static void
seek(void)
{
	struct ctx_buf literal = {0}, text = {0};
	unsigned long long seed = 9;
	size_t at[80], bytes[80], chars, n, i, j, k;
	char utf8[4];
	uint32_t cp;
	bool good = true;

	tap_case("a byte of the decoded text is found in the literal");
	for (i = 0; i < 3000; i++) {
		make(&literal, &text, &chars, &seed);
		at[0] = 1;
		bytes[0] = 0;
		for (n = 0; n < 79; n++) {
			at[n + 1] = at[n];
			if (!ctx_json_string_next((struct ctx_str){literal.p,
						      literal.n},
				&at[n + 1], &cp))
				break;
			bytes[n + 1] = bytes[n] + ctx_utf8_put(utf8, cp);
		}
		for (j = 0; j <= n; j++)
			for (k = j; k <= n; k++)
				good = good &&
				    ctx_json_string_seek(
					(struct ctx_str){literal.p, literal.n},
					at[j], bytes[k] - bytes[j]) == at[k];
	}
	CHECK(good);
	ctx_buf_release(&literal);
	ctx_buf_release(&text);
}

int
main(void)
{
	table();
	sameness();
	every_escape();
	random_literals();
	encoding();
	respelling();
	seek();
	return tap_done();
}
