/*
 * scan.c - tests the JSON scanner with each instruction set
 *
 * The results are compared with tables of valid and invalid texts, with results
 * for beginnings and changed copies of the texts, and with jansson.  CHECK_LONG
 * sets the number of generated values (default one million).
 */
#include <jansson.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "json/json.h"
#include "samples.h"
#include "tap.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

static const enum ctx_simd backs[] = {CTX_SIMD_PORTABLE, CTX_SIMD_SSE2,
    CTX_SIMD_AVX2, CTX_SIMD_AVX512, CTX_SIMD_NEON};

/* The result of a scan. */
struct outcome {
	struct ctx_json json;
	struct ctx_err err;
	size_t used;
	int rc;
};

static void
scan(struct outcome *out, const char *text, size_t n)
{
	memset(&out->err, 0, sizeof out->err);
	out->used = 0;
	out->rc = ctx_json_scan(&out->json, text, n, &out->used, &out->err);
}

static bool
same(const struct outcome *a, const struct outcome *b)
{
	if (a->rc != b->rc || a->used != b->used)
		return false;
	if (a->rc < 0)
		return a->err.code == b->err.code && a->err.line == 0 &&
		    a->err.column == b->err.column &&
		    strcmp(a->err.text, b->err.text) == 0;
	return a->rc == 0 ||
	    (a->json.n == b->json.n &&
		memcmp(a->json.nodes, b->json.nodes,
		    a->json.n * sizeof *a->json.nodes) == 0);
}

/* Results of one text for all instruction sets.  Used for many texts. */
struct bench {
	struct outcome out[LENGTH(backs)];
};

static void
bench_init(struct bench *bench)
{
	size_t i;

	memset(bench, 0, sizeof *bench);
	for (i = 0; i < LENGTH(backs); i++)
		ctx_json_init(&bench->out[i].json, backs[i]);
}

static void
bench_release(struct bench *bench)
{
	size_t i;

	for (i = 0; i < LENGTH(backs); i++)
		ctx_json_release(&bench->out[i].json);
}

/*
 * Scans a text with all instruction sets, which must have equal results.  The
 * memory ends where the text ends.  Returns the result, which is valid until
 * the next call.
 */
static const struct outcome *
scan_all(struct bench *bench, const char *text, size_t n)
{
	char *copy = malloc(n + (n == 0));
	size_t i;

	NEED(copy != NULL);
	memcpy(copy, text, n);
	for (i = 0; i < LENGTH(backs); i++) {
		scan(&bench->out[i], copy, n);
		CHECK(same(&bench->out[0], &bench->out[i]));
	}
	free(copy);
	return &bench->out[0];
}

/* Expected results: 1 with the whole text read; 1 with a part of the text read;
 * 0; or -1. */
enum want { WHOLE, FOLLOWED, CUT_SHORT, BROKEN };

static bool
comes_to(const struct outcome *out, size_t n, enum want want, const char *error,
    size_t column)
{
	if (want == CUT_SHORT)
		return out->rc == 0;
	if (want != BROKEN)
		return out->rc == 1 && (out->used == n) == (want == WHOLE);
	return out->rc == -1 && out->err.code == CTX_EINPUT &&
	    out->err.column == column && strcmp(out->err.text, error) == 0;
}

/* Scans a sample with 0 to 130 bytes inserted after its first quote, so that
 * each byte of the sample comes to each position in a block. */
static void
padded(struct bench *bench, const struct sample *sample, enum want want)
{
	char text[512];
	const char *quote = memchr(sample->text, '"', sample->n);
	size_t pad, column, before;
	bool good;

	before = quote == NULL ? 0 : (size_t)(quote - sample->text) + 1;
	for (pad = 0; pad <= (quote == NULL ? 0 : 130); pad++) {
		memcpy(text, sample->text, before);
		memset(text + before, 'a', pad);
		memcpy(text + before + pad, sample->text + before,
		    sample->n - before);
		column = sample->column + (sample->column > before ? pad : 0);
		good = comes_to(scan_all(bench, text, sample->n + pad),
		    sample->n + pad, want, sample->error, column);
		if (!good)
			printf("# pad %zu: %.*s\n", pad, (int)sample->n,
			    sample->text);
		CHECK(good);
	}
}

#define EACH(bench, table, want)                            \
	for (size_t each = 0; each < LENGTH(table); each++) \
	padded(bench, &(table)[each], want)

static void
samples(struct bench *bench)
{
	tap_case("valid texts are accepted whole");
	EACH(bench, whole, WHOLE);
	tap_case("a text that ends early is incomplete");
	EACH(bench, cut_short, CUT_SHORT);
	tap_case("text after a value is not consumed");
	EACH(bench, followed, FOLLOWED);
	tap_case("errors have their place and a text");
	EACH(bench, broken, BROKEN);
}

/* Tests every byte after a backslash, in a string that is scanned in a second
 * step. */
static void
every_escape(struct bench *bench)
{
	char text[] = "[\"" LONG_KEY "\\?0041\"]";
	char *p = strchr(text, '?');
	const struct outcome *out;
	unsigned c;
	bool good;

	tap_case("every byte after a backslash is checked");
	for (c = 0; c < 256; c++) {
		*p = (char)c;
		out = scan_all(bench, text, sizeof text - 1);
		good = c != 0 && strchr("\"\\/bfnrtu", (int)c) != NULL;
		CHECK(comes_to(out, sizeof text - 1, good ? WHOLE : BROKEN,
		    ESCAPE, (size_t)(p - text) + 1));
	}
}

/* Tests all beginnings of a text.  Each must be incomplete (0), unless the text
 * is a number.  A longer beginning must not change a result of 1 or -1. */
static void
prefixes(struct bench *bench)
{
	const struct sample *sample;
	const struct outcome *out;
	size_t i, n;
	bool bare;

	tap_case("every proper prefix of a valid text is incomplete");
	for (i = 0; i < LENGTH(whole); i++) {
		sample = &whole[i];
		bare =
		    strchr("0123456789", sample->text[sample->n - 1]) != NULL;
		for (n = 0; n < sample->n; n++) {
			out = scan_all(bench, sample->text, n);
			CHECK(out->rc == 0 ||
			    (bare && out->rc == 1 &&
				out->json.nodes[0].kind == CTX_JSON_NUMBER));
		}
	}
	tap_case("the place of an error does not change when more bytes come");
	for (i = 0; i < LENGTH(broken); i++) {
		sample = &broken[i];
		for (n = 0; n < sample->n; n++) {
			out = scan_all(bench, sample->text, n);
			if (out->rc == 0 && n < sample->column + 3)
				continue;
			CHECK(comes_to(out, n, BROKEN, sample->error,
				  sample->column) ||
			    (out->rc == 1 &&
				out->json.nodes[0].kind <= CTX_JSON_NUMBER));
		}
	}
}

static void
nodes(void)
{
	static const char text[] =
	    " {\"a\": [1, \"x\\n\", {}], \"b\" : null} \n[";
	static const struct ctx_node want[] = {{1, 34, 8, CTX_JSON_OBJECT, 0,
						   0},
	    {2, 5, 2, CTX_JSON_STRING, 0, 0}, {7, 21, 6, CTX_JSON_ARRAY, 0, 0},
	    {8, 9, 4, CTX_JSON_NUMBER, 0, 0},
	    {11, 16, 5, CTX_JSON_STRING, 1, 0},
	    {18, 20, 6, CTX_JSON_OBJECT, 0, 0},
	    {23, 26, 7, CTX_JSON_STRING, 0, 0},
	    {29, 33, 8, CTX_JSON_NULL, 0, 0}};
	static const char pair[] = "[\"" LONG_KEY "\",\"\\n\"]";
	struct outcome out = {0};
	size_t i;

	tap_case("nodes are in document order and have their byte ranges");
	ctx_json_init(&out.json, CTX_SIMD_BEST);
	scan(&out, text, sizeof text - 1);
	CHECK(out.rc == 1 && out.used == sizeof text - 2);
	CHECK(out.json.n == LENGTH(want));
	/* The members "keys" are not compared, because only the scanner uses
	 * them. */
	for (i = 0; i < out.json.n; i++)
		out.json.nodes[i].keys = 0;
	CHECK(memcmp(out.json.nodes, want, sizeof want) == 0);
	tap_case("a string is marked as escaped only by its own backslashes");
	scan(&out, pair, sizeof pair - 1);
	CHECK(out.rc == 1 && out.json.n == 3);
	CHECK(out.json.nodes[1].escaped == 0 && out.json.nodes[2].escaped == 1);
	ctx_json_release(&out.json);
	CHECK(out.json.nodes == NULL);
	ctx_json_release(&out.json);
}

/* Returns true if want is the compact form of the value, and a value that is
 * already compact is not copied. */
static bool
compact_is(const char *text, const char *want)
{
	struct ctx_buf scratch = {0};
	struct outcome out = {0};
	struct ctx_str got;
	bool good;

	ctx_json_init(&out.json, CTX_SIMD_BEST);
	scan(&out, text, strlen(text));
	NEED(out.rc == 1);
	NEED(ctx_json_compact(&out.json, 0, &scratch, &got, &out.err) == 0);
	good = got.n == strlen(want) && memcmp(got.p, want, got.n) == 0 &&
	    (scratch.n == 0) == (strcmp(text, want) == 0);
	ctx_buf_release(&scratch);
	ctx_json_release(&out.json);
	return good;
}

static void
compact(void)
{
	static const char *const as_they_are[] = {"{}", "[]", "null", "-1.50",
	    "\"a b\"", "[[],{}]", "{\"a\":[1,2,{}],\"b\":{\"c\":[[]]}}",
	    "[\"\\n\\\\\\\"\",\"/ \x7f\"]", "{\"\":\"\",\"\":\"\"}"};
	size_t i;

	tap_case("a compact value is not copied");
	for (i = 0; i < sizeof as_they_are / sizeof as_they_are[0]; i++)
		CHECK(compact_is(as_they_are[i], as_they_are[i]));
	tap_case(
	    "compacting removes white space between tokens, not in strings");
	CHECK(compact_is("{ }", "{}") && compact_is("[\n]", "[]"));
	CHECK(compact_is("[1 ,\t\" \\\" , \"\r\n]", "[1,\" \\\" , \"]"));
	CHECK(compact_is("{\"a\": [ ], \"b\":{}}", "{\"a\":[],\"b\":{}}"));
	tap_case("compacting decodes escapes that JSON does not need");
	CHECK(compact_is("[\"\\u000a\\/\\u0022\"]", "[\"\\n/\\\"\"]"));
	CHECK(compact_is("{\"\\u5317\":\"\\ud83d\\ude00\"}",
	    "{\"\xe5\x8c\x97\":\"\xf0\x9f\x98\x80\"}"));
	CHECK(compact_is("[\"\\ud83d\"]", "[\"\xef\xbf\xbd\"]"));
}

static void
lookups(void)
{
	static const char text[] =
	    "{\"a\":1,\"b\\u0063\":[10,[],{\"x\":0},13],"
	    "\"a\":2,\"a\\u0000\":3,\"\":4,\"\\u0061\":{\"y\":[]},\"z\":\"a\"}";
	struct outcome out = {0};
	const struct ctx_json *json = &out.json;
	uint32_t arr, obj;

	ctx_json_init(&out.json, CTX_SIMD_BEST);
	scan(&out, text, sizeof text - 1);
	NEED(out.rc == 1);
	tap_case("find returns the last of equal keys, escaped or not");
	obj = ctx_json_find(json, 0, "a");
	CHECK(json->nodes[obj].kind == CTX_JSON_OBJECT);
	CHECK(ctx_json_find(json, 0, "c") == 0);
	CHECK(ctx_json_find(json, 0, "y") == 0);
	CHECK(json->nodes[ctx_json_find(json, 0, "")].kind == CTX_JSON_NUMBER);
	CHECK(ctx_json_count(json, 0) == 7 && ctx_json_count(json, obj) == 1);
	tap_case("at and count walk over nested values");
	arr = ctx_json_find(json, 0, "bc");
	CHECK(ctx_json_count(json, arr) == 4);
	CHECK(ctx_json_at(json, arr, 0) == arr + 1);
	CHECK(memcmp(ctx_json_str(json, ctx_json_at(json, arr, 3)).p, "13",
		  2) == 0);
	CHECK(ctx_json_str(json, ctx_json_at(json, arr, 2)).n == 7);
	CHECK(ctx_json_at(json, arr, 4) == 0);
	tap_case("a value that is not a container has no children");
	CHECK(ctx_json_count(json, arr + 1) == 0);
	CHECK(ctx_json_count(json, arr + 2) == 0);
	CHECK(ctx_json_find(json, arr, "x") == 0);
	CHECK(ctx_json_at(json, 0, 0) == 0);
	CHECK(ctx_json_at(json, arr + 1, 0) == 0);
	tap_case("is compares decoded strings");
	CHECK(ctx_json_is(json, ctx_json_find(json, 0, "z"), "a"));
	CHECK(!ctx_json_is(json, ctx_json_find(json, 0, "z"), "b"));
	CHECK(!ctx_json_is(json, ctx_json_find(json, 0, "z"), "ab"));
	CHECK(!ctx_json_is(json, arr, "10") && !ctx_json_is(json, 0, ""));
	tap_case("node 0 is no string, also if the outermost value is one");
	scan(&out, "\"ab\"", 4);
	NEED(out.rc == 1);
	CHECK(!ctx_json_is(json, 0, "ab"));
	CHECK(!ctx_json_starts_with(json, 0, "a"));
	CHECK(!ctx_json_ends_with(json, 0, "b"));
	ctx_json_release(&out.json);
}

/* Tests comparing of strings by their decoded texts. */
static void
meanings(void)
{
	static const char text[] =
	    "[\"tool-a\",\"\\u0074ool\\u002da\",\"tool\","
	    "\"\\u00e9-a\",\"-a\",\"\\u002da\",7,\"7\",\"\",\"\\u00e9\"]";
	enum {
		PLAIN = 1,
		ESCAPED,
		SHORT,
		ACCENT,
		TAIL,
		TAIL2,
		FIGURE,
		DIGIT,
		NONE,
		LETTER
	};
	struct outcome out = {0};
	const struct ctx_json *json = &out.json;
	struct ctx_buf scratch = {0};
	struct ctx_str one, other;
	struct ctx_err err;

	ctx_json_init(&out.json, CTX_SIMD_BEST);
	scan(&out, text, sizeof text - 1);
	NEED(out.rc == 1);
	tap_case("begins_with and ends_with compare decoded strings");
	CHECK(ctx_json_starts_with(json, PLAIN, "tool-"));
	CHECK(ctx_json_starts_with(json, ESCAPED, "tool-"));
	CHECK(ctx_json_starts_with(json, SHORT, "tool"));
	CHECK(!ctx_json_starts_with(json, SHORT, "tool-"));
	CHECK(!ctx_json_starts_with(json, FIGURE, "") &&
	    !ctx_json_starts_with(json, 0, "\""));
	CHECK(ctx_json_ends_with(json, PLAIN, "-a"));
	CHECK(ctx_json_ends_with(json, ESCAPED, "-a"));
	CHECK(ctx_json_ends_with(json, ACCENT, "-a"));
	CHECK(!ctx_json_ends_with(json, SHORT, "-a"));
	CHECK(!ctx_json_ends_with(json, ESCAPED, "da"));
	tap_case("ends_with is false if nothing precedes the end");
	CHECK(!ctx_json_ends_with(json, TAIL, "-a"));
	CHECK(!ctx_json_ends_with(json, TAIL2, "-a"));
	CHECK(!ctx_json_ends_with(json, LETTER, "-a"));
	CHECK(!ctx_json_ends_with(json, NONE, "") &&
	    !ctx_json_ends_with(json, 0, ""));
	tap_case("same compares decoded strings, and only strings");
	CHECK(ctx_json_equal(json, PLAIN, ESCAPED));
	CHECK(ctx_json_equal(json, TAIL2, TAIL));
	CHECK(ctx_json_equal(json, SHORT, SHORT));
	CHECK(!ctx_json_equal(json, SHORT, PLAIN));
	CHECK(!ctx_json_equal(json, SHORT, ESCAPED));
	CHECK(!ctx_json_equal(json, FIGURE, DIGIT));
	CHECK(!ctx_json_equal(json, FIGURE, FIGURE));
	tap_case("a decoded text is appended to scratch");
	NEED(ctx_json_text(json, PLAIN, &scratch, &one, &err) == 0);
	CHECK(scratch.n == 0 && one.p == text + 2);
	NEED(ctx_buf_add(&scratch, "x", 1, &err) == 0);
	NEED(ctx_json_text(json, ESCAPED, &scratch, &other, &err) == 0);
	CHECK(scratch.n == 7 && other.p == scratch.p + 1);
	CHECK(one.n == 6 && other.n == 6 && memcmp(one.p, other.p, 6) == 0);
	NEED(ctx_json_text(json, FIGURE, &scratch, &one, &err) == 0);
	CHECK(one.n == 1 && *one.p == '7');
	ctx_buf_release(&scratch);
	ctx_json_release(&out.json);
}

/* Writes nested arrays and objects up to a depth, alternately.  One byte more
 * is needed at the end. */
static size_t
nest(char *text, size_t depth)
{
	size_t i, n = 0;

	for (i = 0; i < depth; i++) {
		memcpy(text + n, i % 3 == 2 ? "{\"\":" : "[\0\0\0", 4);
		n += i % 3 == 2 ? 4 : 1;
	}
	text[n++] = '0';
	for (i = depth; i-- > 0;)
		text[n++] = i % 3 == 2 ? '}' : ']';
	return n;
}

struct deep {
	char *text;
	size_t n;
	struct outcome out;
};

static void *
scan_deep(void *arg)
{
	struct deep *deep = arg;

	ctx_json_init(&deep->out.json, CTX_SIMD_BEST);
	scan(&deep->out, deep->text, deep->n);
	return NULL;
}

static void
depth(void)
{
	static const size_t depths[] = {1, 9999, 10000, 10001, 200000};
	struct deep deep = {0};
	pthread_attr_t attr;
	pthread_t thread;
	size_t i, want;

	deep.text = malloc(200000 * 4);
	NEED(deep.text != NULL);
	NEED(pthread_attr_init(&attr) == 0);
	NEED(pthread_attr_setstacksize(&attr, 128 * 1024) == 0);
	tap_case("nesting is limited, with an error, on a stack of 128 KiB");
	for (i = 0; i < LENGTH(depths); i++) {
		deep.n = nest(deep.text, depths[i]);
		NEED(pthread_create(&thread, &attr, scan_deep, &deep) == 0);
		NEED(pthread_join(thread, NULL) == 0);
		want = depths[i] > CTX_JSON_DEPTH;
		CHECK(deep.out.rc == (want ? -1 : 1));
		CHECK(!want ||
		    (deep.out.err.code == CTX_ELIMIT &&
			deep.out.err.column == 20000 &&
			strcmp(deep.out.err.text,
			    "arrays and objects are nested more than 10000 "
			    "deep") == 0));
		ctx_json_release(&deep.out.json);
	}
	pthread_attr_destroy(&attr);
	free(deep.text);
}

#define PAGE  ((size_t)1 << 22)
#define PAGES ((size_t)1024) /* number of mappings that are 4 GiB together */

/*
 * Tests a string of a little more than 4 GiB: some megabytes of a file, mapped
 * into memory many times.  Its first byte is the quote; its last bytes are
 * "tail".
 */
static void
huge(void)
{
	FILE *file = tmpfile();
	char *fill = malloc(PAGE), *text;
	struct outcome out = {0};
	size_t i;

	tap_case("a value of 4 GiB is refused with an error");
	/* On such a machine, no text can be so long. */
	if (SIZE_MAX == UINT32_MAX) {
		fclose(file);
		free(fill);
		return;
	}
	NEED(file != NULL && fill != NULL);
	memset(fill, 'a', PAGE);
	NEED(fwrite(fill, 1, PAGE, file) == PAGE && fflush(file) == 0);
	text = mmap(NULL, PAGE * (PAGES + 1), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE, fileno(file), 0);
	NEED(text != MAP_FAILED);
	for (i = 0; i <= PAGES; i++)
		NEED(mmap(text + i * PAGE, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_FIXED, fileno(file),
			 0) != MAP_FAILED);
	ctx_json_init(&out.json, CTX_SIMD_BEST);
	text[0] = '"';
	text[PAGE * PAGES - 3] = '"';
	text[PAGE * PAGES - 2] = ' ';
	text[PAGE * PAGES - 1] = '\n';
	text[PAGE * PAGES] = '\n';
	scan(&out, text, PAGE * PAGES + 1);
	CHECK(out.rc == 1 && out.used == PAGE * PAGES + 1);
	CHECK(out.json.nodes[0].end == UINT32_MAX - 1);
	text[PAGE * PAGES - 3] = 'a';
	text[PAGE * PAGES - 2] = 'a';
	text[PAGE * PAGES - 1] = '"';
	scan(&out, text, PAGE * PAGES + 1);
	CHECK(out.rc == -1 && out.err.code == CTX_ELIMIT);
	ctx_json_release(&out.json);
	munmap(text, PAGE * (PAGES + 1));
	free(fill);
	fclose(file);
}

static size_t
below(unsigned long long *seed, size_t n)
{
	return (size_t)(tap_random(seed) >> 33) % n;
}

/* Appends a random element of a list. */
#define PIECE(out, seed, list) piece(out, seed, list, LENGTH(list))

static void
piece(struct ctx_buf *out, unsigned long long *seed, const char *const *list,
    size_t n)
{
	const char *text = list[below(seed, n)];
	struct ctx_err err;

	NEED(ctx_buf_add(out, text, strlen(text), &err) == 0);
}

static void
generate_string(struct ctx_buf *out, unsigned long long *seed)
{
	static const char *const pieces[] = {"a", "Z", "xyz", " ", "{", "}",
	    "[", "]", ",", ":", "\x7f", "\\\"", "\\\\", "\\/", "\\b", "\\f",
	    "\\n", "\\r", "\\t", "\\u0041", "\\u00e9", "\\u20AC",
	    "\\ud83d\\uDE00", "\\uFFFF", "\\u0000", "\\ud800", "\\udc00",
	    "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf",
	    "the quick brown fox jumps over the lazy dog, and once again, ",
	    "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82",
	    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcd"};
	size_t n = below(seed, below(seed, 8) == 0 ? 60 : 5);
	struct ctx_err err;

	NEED(ctx_buf_add(out, "\"", 1, &err) == 0);
	/* One of four strings has characters that jansson cannot store. */
	while (n-- > 0)
		piece(out, seed, pieces,
		    below(seed, 4) == 0 ? LENGTH(pieces) : 24);
	NEED(ctx_buf_add(out, "\"", 1, &err) == 0);
}

static void
generate_scalar(struct ctx_buf *out, unsigned long long *seed)
{
	static const char *const words[] = {"true", "false", "null"};
	static const char *const numbers[] = {"0", "-0", "7", "-12", "3.25",
	    "1e5", "1E-7", "0.1", "-1.5e+10", "9223372036854775807",
	    "-9223372036854775808", "9223372036854775808", "1e400", "1e-400",
	    "123456789012345678901234567890"};

	switch (below(seed, 5)) {
	case 0:
		PIECE(out, seed, words);
		break;
	case 1:
		piece(out, seed, numbers,
		    below(seed, 50) == 0 ? LENGTH(numbers) : 11);
		break;
	default:
		generate_string(out, seed);
	}
}

/* Appends a random value of at most this depth.  Returns the number of values
 * in it. */
static size_t
generate(struct ctx_buf *out, unsigned long long *seed, int deepest)
{
	static const char *const space[] = {"", "", "", " ", "\n", " \t\r\n "};
	bool object = below(seed, 2) == 0;
	size_t n = below(seed, 6), values = 1, i;
	struct ctx_err err;

	PIECE(out, seed, space);
	if (deepest == 0 || below(seed, 3) == 0) {
		generate_scalar(out, seed);
		PIECE(out, seed, space);
		return 1;
	}
	NEED(ctx_buf_add(out, object ? "{" : "[", 1, &err) == 0);
	PIECE(out, seed, space);
	for (i = 0; i < n; i++) {
		if (i > 0)
			NEED(ctx_buf_add(out, ",", 1, &err) == 0);
		if (object) {
			PIECE(out, seed, space);
			generate_string(out, seed);
			PIECE(out, seed, space);
			NEED(ctx_buf_add(out, ":", 1, &err) == 0);
			values++;
		}
		values += generate(out, seed, deepest - 1);
	}
	NEED(ctx_buf_add(out, object ? "}" : "]", 1, &err) == 0);
	PIECE(out, seed, space);
	return values;
}

/* Changes, removes or doubles one to three bytes. */
static void
mutate(struct ctx_buf *buf, unsigned long long *seed)
{
	static const char bytes[] = "\"\"\\\\{}[],:0-.eEtu \n\t\0\x1f\x7f\x80"
				    "\xbf\xc2\xe0\xed\xf0\xf4\xff"
				    "d8";
	size_t times = 1 + below(seed, 3), at;
	struct ctx_err err;

	while (times-- > 0 && buf->n > 0) {
		at = below(seed, buf->n);
		switch (below(seed, 3)) {
		case 0:
			buf->p[at] = bytes[below(seed, sizeof bytes - 1)];
			break;
		case 1:
			buf->n--;
			memmove(buf->p + at, buf->p + at + 1, buf->n - at);
			break;
		default:
			NEED(ctx_buf_reserve(buf, 1, &err) == 0);
			memmove(buf->p + at + 1, buf->p + at, buf->n - at);
			buf->n++;
		}
	}
}

/* Returns the decoded text of a string, with a NUL byte at its end. */
static struct ctx_buf
meaning(const struct ctx_json *json, uint32_t node)
{
	struct ctx_buf text = {0};
	struct ctx_err err;

	NEED(
	    ctx_json_string_decode(&text, ctx_json_str(json, node), &err) == 0);
	NEED(ctx_buf_add(&text, "", 1, &err) == 0);
	return text;
}

static bool agree(const struct ctx_json *json, uint32_t node, json_t *theirs);

static bool
agree_on_object(const struct ctx_json *json, uint32_t node, json_t *theirs)
{
	const struct ctx_node *nodes = json->nodes;
	struct ctx_buf name;
	bool good = json_object_size(theirs) <= ctx_json_count(json, node);
	uint32_t at, found;

	for (at = node + 1; at < nodes[node].next; at = nodes[at + 1].next) {
		name = meaning(json, at);
		found = ctx_json_find(json, node, name.p);
		good = good && found > at &&
		    (found > at + 1 ||
			agree(json, found, json_object_get(theirs, name.p)));
		ctx_buf_release(&name);
	}
	return good;
}

static bool
agree_on_number(struct ctx_str ours, json_t *theirs)
{
	char text[256] = "";

	NEED(ours.n < sizeof text);
	memcpy(text, ours.p, ours.n);
	if (json_is_integer(theirs))
		return strtoll(text, NULL, 10) == json_integer_value(theirs);
	return json_is_real(theirs) &&
	    !(strtod(text, NULL) < json_real_value(theirs)) &&
	    !(strtod(text, NULL) > json_real_value(theirs));
}

static bool
agree(const struct ctx_json *json, uint32_t node, json_t *theirs)
{
	struct ctx_buf text;
	bool good;
	size_t i, n;

	switch (json->nodes[node].kind) {
	case CTX_JSON_NULL:
		return json_is_null(theirs);
	case CTX_JSON_FALSE:
		return json_is_false(theirs);
	case CTX_JSON_TRUE:
		return json_is_true(theirs);
	case CTX_JSON_NUMBER:
		return agree_on_number(ctx_json_str(json, node), theirs);
	case CTX_JSON_STRING:
		text = meaning(json, node);
		good = json_is_string(theirs) &&
		    json_string_length(theirs) == text.n - 1 &&
		    memcmp(json_string_value(theirs), text.p, text.n) == 0;
		ctx_buf_release(&text);
		return good;
	case CTX_JSON_ARRAY:
		n = ctx_json_count(json, node);
		good = json_is_array(theirs) && json_array_size(theirs) == n;
		for (i = 0; good && i < n; i++)
			good = agree(json, ctx_json_at(json, node, i),
			    json_array_get(theirs, i));
		return good;
	default:
		return json_is_object(theirs) &&
		    agree_on_object(json, node, theirs);
	}
}

/*
 * Returns true if jansson has the same result.  Does not ask jansson for texts
 * that it reads differently: numbers beyond its types, NUL in keys, lone
 * surrogates, and NUL bytes after numbers and words, which it ignores.
 */
static bool
jansson_agrees(const struct outcome *out, const char *text, size_t n,
    size_t *asked)
{
	json_error_t error;
	json_t *theirs;
	bool good;

	if (memchr(text, 0, n) != NULL)
		return true;
	theirs = json_loadb(text, n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	if (theirs == NULL &&
	    (json_error_code(&error) == json_error_numeric_overflow ||
		json_error_code(&error) == json_error_null_byte_in_key ||
		strncmp(error.text, "invalid Unicode", 15) == 0))
		return true;
	++*asked;
	if (out->rc != 1 || out->used != n)
		good = theirs == NULL;
	else
		good = theirs != NULL && agree(&out->json, 0, theirs);
	json_decref(theirs);
	return good;
}

static void
against_jansson(struct bench *bench)
{
	const char *number = getenv("CHECK_LONG");
	size_t want = number == NULL ? 1000000 : strtoul(number, NULL, 10);
	size_t values = 0, texts = 0, asked = 0;
	unsigned long long seed = 20240607;
	const struct outcome *out;
	struct ctx_buf buf = {0};

	tap_case("all back ends and jansson agree on generated values");
	for (; values < want; texts++) {
		buf.n = 0;
		values += generate(&buf, &seed, 3);
		out = scan_all(bench, buf.p, buf.n);
		CHECK(out->rc == 1 && out->used == buf.n);
		/* scan_all has freed its copy of the text; buf has an equal
		 * text. */
		bench->out[0].json.text = buf.p;
		CHECK(jansson_agrees(out, buf.p, buf.n, &asked));
		mutate(&buf, &seed);
		out = scan_all(bench, buf.p, buf.n);
		bench->out[0].json.text = buf.p;
		CHECK(jansson_agrees(out, buf.p, buf.n, &asked));
	}
	printf("# %zu values, %zu of %zu texts put to jansson\n", values, asked,
	    2 * texts);
	CHECK(asked > texts);
	ctx_buf_release(&buf);
}

/* Tests that the set of an object's keys always contains the keys that the
 * object has. */
static void
keys(void)
{
	static const char *const names[] = {"", "a", "\\u0061b", "ab", "role",
	    "content", "contents", "x\\\"", "\\\"", "\xc3\xa4", "\\n"};
	static const char *const meant[] = {"", "a", "ab", "ab", "role",
	    "content", "contents", "x\"", "\"", "\xc3\xa4", "\n"};
	struct ctx_buf text = {0};
	struct ctx_json json;
	struct ctx_err err;
	size_t i, k, used, last;

	tap_case("every key is found, and the last of equal ones");
	ctx_json_init(&json, CTX_SIMD_BEST);
	for (i = 0; i < sizeof names / sizeof names[0]; i++)
		NEED(ctx_buf_printf(&text, &err, "%s\"%s\":%zu",
			 i == 0 ? "{" : ",", names[i], i) == 0);
	NEED(ctx_buf_add(&text, "}", 1, &err) == 0);
	NEED(ctx_json_scan(&json, text.p, text.n, &used, &err) == 1);
	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		for (last = k = 0; k < sizeof names / sizeof names[0]; k++)
			if (strcmp(meant[k], meant[i]) == 0)
				last = k;
		CHECK(ctx_json_find(&json, 0, meant[i]) == 2 + 2 * last);
	}
	CHECK(ctx_json_find(&json, 0, "b") == 0);
	CHECK(ctx_json_find(&json, 0, "rolf") == 0);
	CHECK(ctx_json_find(&json, 0, "rol") == 0);
	CHECK(ctx_json_find(&json, 0, "content_") == 0);
	CHECK(ctx_json_find(&json, 2, "a") == 0);
	ctx_json_release(&json);
	ctx_buf_release(&text);
}

static bool
is_shallow(const char *text)
{
	return ctx_json_shallow(text, strlen(text));
}

static void
shallow(void)
{
	char text[4 * CTX_JSON_SHALLOW + 8];
	const size_t n = CTX_JSON_SHALLOW;

	tap_case("is_shallow limits the nesting given to a recursive reader");
	memset(text, '[', n);
	strcpy(text + n, "]");
	CHECK(is_shallow(text));
	strcpy(text + n, "{");
	CHECK(!is_shallow(text));
	strcpy(text + n, "]{}{}[]]]{[");
	CHECK(is_shallow(text));
	strcpy(text + n, "\"[[[\\\"[[[\"");
	CHECK(is_shallow(text));
	strcpy(text + n, "\"\\\\\"[");
	CHECK(!is_shallow(text));
	/* For texts that are not JSON, the brackets that a parser would open
	 * are counted. */
	CHECK(is_shallow("]]]]") && is_shallow("\"\\") && is_shallow(""));
	memset(text, ']', 2 * n);
	memset(text + 2 * n, '[', n + 1);
	text[3 * n + 1] = '\0';
	CHECK(!is_shallow(text));
}

int
main(void)
{
	struct bench bench;

	bench_init(&bench);
	samples(&bench);
	every_escape(&bench);
	prefixes(&bench);
	nodes();
	compact();
	lookups();
	meanings();
	keys();
	depth();
	shallow();
	huge();
	against_jansson(&bench);
	bench_release(&bench);
	return tap_done();
}
