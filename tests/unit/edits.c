/* edits.c - compares the edits of a text with replacing byte by byte */
#include "json/json.h"
#include "tap.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

static struct ctx_str
str(const char *s)
{
	return (struct ctx_str){s, strlen(s)};
}

static bool
is(const struct ctx_buf *buf, const char *want)
{
	return buf->n == strlen(want) && memcmp(buf->p, want, buf->n) == 0;
}

static void
replacing(void)
{
	const char *text = "0123456789";
	struct ctx_edits edits = {0};
	struct ctx_buf out = {0};
	struct ctx_err err;

	tap_case("without edits the text is unchanged");
	NEED(ctx_edits_apply(&edits, str(text), &out, &err) == 0);
	CHECK(is(&out, text));
	tap_case("edits apply by place, in whatever order they were added");
	out.n = 0;
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 8, 2}, "", 0,
		 &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 3, 1}, "three",
		 5, &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text, 2}, "\0", 1,
		 &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 4, 1}, "IV", 2,
		 &err) == 0);
	NEED(ctx_edits_apply(&edits, str(text), &out, &err) == 0);
	CHECK(out.n == 12 &&
	    memcmp(out.p,
		"\0"
		"2threeIV567",
		12) == 0);
	tap_case("applying appends to the output and may be repeated");
	NEED(ctx_edits_apply(&edits, str(text), &out, &err) == 0);
	CHECK(out.n == 24 && memcmp(out.p, out.p + 12, 12) == 0);
	ctx_edits_reset(&edits);
	tap_case(
	    "insertions at one place keep their order, before a replacement");
	out.n = 0;
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 5, 1}, "X", 1,
		 &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 5, 0}, "a", 1,
		 &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 10, 0}, "!", 1,
		 &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 5, 0}, "b", 1,
		 &err) == 0);
	NEED(ctx_edits_apply(&edits, str(text), &out, &err) == 0);
	CHECK(is(&out, "01234abX6789!"));
	ctx_buf_release(&out);
	ctx_edits_release(&edits);
	CHECK(edits.list == NULL && edits.n == 0);
	ctx_edits_release(&edits);
}

static void
merging(void)
{
	const char *text = "0123456789";
	const struct {
		size_t at, n;
		const char *p;
	} edits_of[] = {{4, 1, "in"}, {3, 4, "-"}, {6, 0, "in"}, {3, 0, "<"},
	    {3, 1, "in"}, {7, 0, ">"}, {3, 4, "+"}, {8, 1, "8"}, {5, 2, "in"}};
	struct ctx_edits edits = {0};
	struct ctx_buf out = {0};
	struct ctx_err err;
	size_t i;

	tap_case("merging keeps the longest edit of a place, the last of equal "
		 "ones");
	ctx_edits_merge(&edits);
	CHECK(edits.n == 0);
	for (i = 0; i < LENGTH(edits_of); i++)
		NEED(ctx_edits_replace(&edits,
			 (struct ctx_str){text + edits_of[i].at, edits_of[i].n},
			 edits_of[i].p, strlen(edits_of[i].p), &err) == 0);
	ctx_edits_merge(&edits);
	NEED(ctx_edits_apply(&edits, str(text), &out, &err) == 0);
	CHECK(is(&out, "012<+>789"));
	ctx_buf_release(&out);
	ctx_edits_release(&edits);
}

static void
refusing(void)
{
	const char *text = "0123456789";
	struct ctx_str middle = {text + 2, 6};
	const struct {
		size_t at, n;
		bool good;
	} second[] = {{4, 1, true}, {5, 1, false}, {2, 1, true}, {3, 2, true},
	    {3, 3, false}, {4, 2, false}, {7, 1, true}, {7, 2, false},
	    {8, 1, false}, {1, 1, false}, {8, 0, true}, {4, 0, true}};
	struct ctx_edits edits = {0};
	struct ctx_buf out = {0};
	struct ctx_err err;
	size_t i;
	int rc;

	tap_case("edits that overlap or lie outside the text are refused");
	for (i = 0; i < LENGTH(second); i++) {
		NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 5, 2},
			 "x", 1, &err) == 0);
		NEED(ctx_edits_replace(&edits,
			 (struct ctx_str){text + second[i].at, second[i].n},
			 "y", 1, &err) == 0);
		rc = ctx_edits_apply(&edits, middle, &out, &err);
		CHECK(rc == (second[i].good ? 0 : -1));
		CHECK(rc == 0 || err.code == CTX_EARG);
		ctx_edits_reset(&edits);
	}
	ctx_buf_release(&out);
	ctx_edits_release(&edits);
}

/* Removes children of an array or object, and appends the result to out. which:
 * a string with a character for each child: x (remove) or - (keep). */
static void
drop(struct ctx_json *json, const char *text, size_t n, uint32_t node,
    const char *which, struct ctx_buf *out)
{
	struct ctx_edits edits = {0};
	bool gone[400];
	struct ctx_err err;
	size_t i, used, count = strlen(which);

	NEED(ctx_json_scan(json, text, n, &used, &err) == 1);
	NEED(count <= LENGTH(gone) && ctx_json_count(json, node) == count);
	for (i = 0; i < count; i++)
		gone[i] = which[i] == 'x';
	NEED(ctx_edits_remove(&edits, json, node, gone, &err) == 0);
	NEED(
	    ctx_edits_apply(&edits, (struct ctx_str){text, n}, out, &err) == 0);
	ctx_edits_release(&edits);
}

static const struct {
	const char *text, *which, *want;
} drops[] = {
    {"[1, 2, 3]", "---", "[1, 2, 3]"},
    {"[1, 2, 3]", "-x-", "[1, 3]"},
    {"[1, 2, 3]", "x--", "[2, 3]"},
    {"[1, 2, 3]", "--x", "[1, 2]"},
    {"[1, 2, 3]", "xx-", "[3]"},
    {"[1, 2, 3]", "-xx", "[1]"},
    {"[1, 2, 3]", "x-x", "[2]"},
    {"[1, 2, 3]", "xxx", "[]"},
    {"[ 1 , 2 ]", "xx", "[  ]"},
    {"[ 1 , 2 ]", "x-", "[ 2 ]"},
    {"[ 1 , 2 ]", "-x", "[ 1 ]"},
    {"[ 1\n, 2\n]", "-x", "[ 1\n]"},
    {"[[1],{\"a\":2},\"x,y\"]", "-x-", "[[1],\"x,y\"]"},
    {"[]", "", "[]"},
    {"{\"a\" : 1, \"b\":{\"c\":[]} ,\"d\":3}", "-x-", "{\"a\" : 1 ,\"d\":3}"},
    {"{\"a\" : 1, \"b\":{\"c\":[]} ,\"d\":3}", "x-x", "{\"b\":{\"c\":[]}}"},
    {"{\"a\" : 1, \"a\":2}", "x-", "{\"a\":2}"},
    {"{\n  \"a\": 1,\n  \"b\": 2\n}", "-x", "{\n  \"a\": 1\n}"},
    {"{\n  \"a\": 1,\n  \"b\": 2\n}", "xx", "{\n  \n}"},
    {"7", "", "7"},
    {"\"[1,2]\"", "", "\"[1,2]\""},
};

static void
dropping(void)
{
	struct ctx_json json;
	struct ctx_buf out = {0};
	size_t i;

	tap_case("a removed child takes one separator with it");
	ctx_json_init(&json, CTX_SIMD_BEST);
	for (i = 0; i < LENGTH(drops); i++) {
		out.n = 0;
		drop(&json, drops[i].text, strlen(drops[i].text), 0,
		    drops[i].which, &out);
		CHECK(is(&out, drops[i].want));
	}
	ctx_buf_release(&out);
	ctx_json_release(&json);
}

static void
dropping_keys(void)
{
	static const struct {
		const char *text, *key, *want;
	} cases[] = {
	    {"{\"a\":1}", "a", "{}"},
	    {"{\"a\":1,\"b\":2}", "b", "{\"a\":1}"},
	    {"{\"a\":1,\"b\":2,\"a\":{\"a\":3}}", "a", "{\"b\":2}"},
	    {"{\"a\":1,\"b\":{\"a\":2},\"\\u0061\":3,\"ab\":4}", "a",
		"{\"b\":{\"a\":2},\"ab\":4}"},
	    {"{\"\":1,\"b\":2,\"\":3}", "", "{\"b\":2}"},
	};
	struct ctx_edits edits = {0};
	struct ctx_json json;
	struct ctx_buf out = {0};
	struct ctx_err err;
	size_t i, used;

	tap_case("a removed member takes members of the same key with it");
	ctx_json_init(&json, CTX_SIMD_BEST);
	for (i = 0; i < LENGTH(cases); i++) {
		struct ctx_str text = {cases[i].text, strlen(cases[i].text)};
		bool gone[4] = {false};

		NEED(ctx_json_scan(&json, text.p, text.n, &used, &err) == 1);
		NEED(ctx_json_count(&json, 0) <= LENGTH(gone));
		ctx_edits_mark_member(&json, 0,
		    ctx_json_find(&json, 0, cases[i].key) - 1, gone);
		out.n = 0;
		NEED(ctx_edits_remove(&edits, &json, 0, gone, &err) == 0 &&
		    ctx_edits_apply(&edits, text, &out, &err) == 0);
		CHECK(is(&out, cases[i].want));
		ctx_edits_reset(&edits);
	}
	ctx_buf_release(&out);
	ctx_edits_release(&edits);
	ctx_json_release(&json);
}

static size_t
below(unsigned long long *seed, size_t n)
{
	return (size_t)(tap_random(seed) >> 40) % n;
}

#define ANY_OF(list) list[below(seed, LENGTH(list))]

/* Makes an array or object of n children with random white space. */
static void
make(struct ctx_buf *text, unsigned long long *seed, bool object, size_t n)
{
	static const char *const space[] = {"", "", " ", "\n", "\t "};
	static const char *const values[] = {"0", "\"a,]}\"", "[1, 2]", "{}",
	    "{\"k\":[null,{}]}", "true", "[[]]", "\"\\\"\""};
	static const char *const arrays[] = {"[", "]"};
	static const char *const objects[] = {"{", "}"};
	const char *const *ends = object ? objects : arrays;
	struct ctx_err err;
	size_t i;

	NEED(ctx_buf_printf(text, &err, "%s%s%s", ANY_OF(space), ends[0],
		 ANY_OF(space)) == 0);
	for (i = 0; i < n; i++) {
		if (i > 0)
			NEED(ctx_buf_printf(text, &err, "%s,%s", ANY_OF(space),
				 ANY_OF(space)) == 0);
		if (object)
			NEED(ctx_buf_printf(text, &err, "\"%zu\"%s:%s",
				 below(seed, 5), ANY_OF(space),
				 ANY_OF(space)) == 0);
		NEED(ctx_buf_printf(text, &err, "%s", ANY_OF(values)) == 0);
	}
	NEED(ctx_buf_printf(text, &err, "%s%s%s", ANY_OF(space), ends[1],
		 ANY_OF(space)) == 0);
}

/*
 * Marks the bytes that must be removed.  For a removed child after a kept
 * child: the bytes from the end of the child before.  For the other removed
 * children: the bytes up to the first kept child or, if no child is kept, up to
 * the end of the last child.
 */
static void
mark(const struct ctx_json *json, const char *which, char *gone)
{
	const struct ctx_node *nodes = json->nodes;
	bool object = nodes[0].kind == CTX_JSON_OBJECT;
	uint32_t at, end = 0, from, i = 0;
	bool kept = false;

	for (at = 1; at < nodes[0].next; at = nodes[at + object].next, i++) {
		from = nodes[at].at;
		if (which[i] == 'x' && kept)
			memset(gone + end, 1, nodes[at + object].end - end);
		if (which[i] == 'x' && !kept)
			memset(gone + from, 1, nodes[at + object].end - from);
		if (!kept && i > 0)
			memset(gone + end, 1, from - end);
		kept = kept || which[i] != 'x';
		end = nodes[at + object].end;
	}
}

static void
random_drops(void)
{
	struct ctx_buf text = {0}, out = {0}, want = {0};
	unsigned long long seed = 3;
	struct ctx_json json, after;
	struct ctx_err err;
	char which[41], *gone;
	size_t round, i, n, kept, used;
	bool good = true, valid = true;

	ctx_json_init(&json, CTX_SIMD_BEST);
	ctx_json_init(&after, CTX_SIMD_BEST);
	for (round = 0; round < 20000; round++) {
		text.n = out.n = want.n = kept = 0;
		n = below(&seed, 40);
		make(&text, &seed, round % 2, n);
		for (i = 0; i < n; i++) {
			which[i] = below(&seed, 1 + round % 5) > 0 ? 'x' : '-';
			kept += which[i] == '-';
		}
		which[n] = '\0';
		drop(&json, text.p, text.n, 0, which, &out);
		gone = calloc(1, text.n);
		NEED(gone != NULL);
		mark(&json, which, gone);
		for (i = 0; i < text.n; i++)
			if (!gone[i])
				NEED(ctx_buf_add(&want, text.p + i, 1, &err) ==
				    0);
		free(gone);
		good = good && want.n == out.n &&
		    memcmp(want.p, out.p, out.n) == 0;
		valid = valid &&
		    ctx_json_scan(&after, out.p, out.n, &used, &err) == 1 &&
		    used == out.n && ctx_json_count(&after, 0) == kept;
	}
	tap_case("removals equal those of a slow byte-by-byte search");
	CHECK(good);
	tap_case("the text after removals is valid and has exactly the kept "
		 "children");
	CHECK(valid);
	ctx_buf_release(&text);
	ctx_buf_release(&out);
	ctx_buf_release(&want);
	ctx_json_release(&json);
	ctx_json_release(&after);
}

/* Tests many removed children.  An algorithm with quadratic time would take
 * hours. */
static void
many_drops(void)
{
	const size_t n = 300000;
	struct ctx_buf text = {0}, out = {0};
	struct ctx_edits edits = {0};
	struct ctx_json json;
	struct ctx_err err;
	bool *gone = calloc(n, 1);
	size_t i, used;

	tap_case("many removals in reverse order, with replacements between");
	NEED(gone != NULL && ctx_buf_add(&text, "[", 1, &err) == 0);
	for (i = 0; i < n; i++) {
		gone[i] = i % 3 == 1;
		NEED(ctx_buf_add(&text, i > 0 ? ",1" : "1", 1 + (i > 0),
			 &err) == 0);
	}
	NEED(ctx_buf_add(&text, "]", 1, &err) == 0);
	ctx_json_init(&json, CTX_SIMD_BEST);
	NEED(ctx_json_scan(&json, text.p, text.n, &used, &err) == 1);
	for (i = n; i-- > 0;)
		if (i % 3 == 0)
			NEED(ctx_edits_replace(&edits,
				 ctx_json_str(&json, (uint32_t)i + 1), "22", 2,
				 &err) == 0);
	NEED(ctx_edits_remove(&edits, &json, 0, gone, &err) == 0);
	NEED(ctx_edits_apply(&edits, (struct ctx_str){text.p, text.n}, &out,
		 &err) == 0);
	CHECK(out.n == 1 + n / 3 * 5);
	CHECK(memcmp(out.p, "[22,1,22,1,22,1", 15) == 0);
	CHECK(memcmp(out.p + out.n - 6, ",22,1]", 6) == 0);
	ctx_edits_release(&edits);
	ctx_buf_release(&text);
	ctx_buf_release(&out);
	ctx_json_release(&json);
	free(gone);
}

/* Removes elements of an array of six in two steps, and compares the result.
 * sets: a number in base 3; the elements with the digit 1 are removed first,
 * those with the digit 2 then. */
static bool
removes_in_two_steps(struct ctx_json *json, const char *text, unsigned sets)
{
	bool gone[2][6] = {{false}};
	struct ctx_edits edits = {0};
	struct ctx_buf want = {0}, out = {0};
	struct ctx_err err;
	unsigned i, rest = sets;
	bool same;

	NEED(ctx_buf_add(&want, "[", 1, &err) == 0);
	for (i = 0; i < 6; i++, rest /= 3) {
		if (rest % 3 > 0)
			gone[rest % 3 - 1][i] = true;
		else
			NEED(ctx_buf_printf(&want, &err, "%s%u",
				 want.n > 1 ? ", " : "", i) == 0);
	}
	NEED(ctx_buf_add(&want, "]", 2, &err) == 0);
	for (i = 0; i < 2; i++)
		NEED(ctx_edits_remove(&edits, json, 0, gone[i], &err) == 0);
	ctx_edits_merge(&edits);
	same = ctx_edits_apply(&edits, str(text), &out, &err) == 0 &&
	    is(&out, want.p);
	ctx_edits_release(&edits);
	ctx_buf_release(&want);
	ctx_buf_release(&out);
	return same;
}

static void
merging_removals(void)
{
	const char *text = "[0, 1, 2, 3, 4, 5]";
	struct ctx_json json;
	struct ctx_err err;
	size_t used;
	unsigned sets;

	tap_case("removals that share a comma leave valid JSON");
	ctx_json_init(&json, CTX_SIMD_BEST);
	NEED(ctx_json_scan(&json, text, strlen(text), &used, &err) == 1);
	for (sets = 0; sets < 729; sets++)
		CHECK(removes_in_two_steps(&json, text, sets));
	ctx_json_release(&json);
}

static void
places(void)
{
	const char *text = "0123456789";
	/* to[i]: offset of byte i of the text in the changed text
	 * "01<>3three567" */
	const size_t to[] = {0, 1, 2, 4, 5, 10, 11, 12, 13, 13, 13};
	struct ctx_edits edits = {0};
	struct ctx_err err;
	size_t i, first;

	tap_case("an offset after edits, and within a replaced span");
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 2, 1}, "<>", 2,
		 &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 4, 1}, "three",
		 5, &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text + 8, 2}, "", 0,
		 &err) == 0);
	for (i = 0; i < LENGTH(to); i++)
		CHECK(
		    ctx_edits_destination(&edits, 0, 3, str(text), i) == to[i]);
	CHECK(ctx_edits_destination(&edits, 1, 1, str(text), 9) == 13);
	CHECK(ctx_edits_destination(&edits, 1, 0, str(text), 9) == 9);
	tap_case("the edits inside a text, not at its ends");
	ctx_edits_merge(&edits);
	CHECK(
	    ctx_edits_inside(&edits, 3, str(text), &first) == 3 && first == 0);
	CHECK(ctx_edits_inside(&edits, 3, (struct ctx_str){text + 2, 6},
		  &first) == 1 &&
	    first == 1);
	CHECK(ctx_edits_inside(&edits, 3, (struct ctx_str){text + 4, 4},
		  &first) == 0);
	CHECK(ctx_edits_inside(&edits, 2, str(text), &first) == 2);
	ctx_edits_release(&edits);
}

/* Makes the edits of encoding() in a text, and converts them into edits of the
 * literal in "line".  The result, which is appended to out, must be equal to
 * want. */
static void
encode(const char *line, struct ctx_str literal, const char *want)
{
	struct ctx_edits edits = {0};
	struct ctx_buf text = {0}, out = {0};
	struct ctx_err err;

	NEED(ctx_json_string_decode(&text, literal, &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text.p + 9, 1}, "!", 1,
		 &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text.p + 1, 2},
		 "\"\n\xe2\x82\xac\xf0\x9f\x98\x80", 9, &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){text.p + 3, 0}, "<", 1,
		 &err) == 0);
	NEED(ctx_edits_replace(&edits, (struct ctx_str){line, 1}, "\"", 1,
		 &err) == 0);
	NEED(ctx_edits_encode(&edits, (struct ctx_str){text.p, text.n}, literal,
		 &err) == 0);
	NEED(ctx_edits_apply(&edits, str(line), &out, &err) == 0);
	CHECK(is(&out, want));
	ctx_edits_release(&edits);
	ctx_buf_release(&text);
	ctx_buf_release(&out);
}

static void
encoding(void)
{
	/* the characters a, e-acute, b, line feed, U+1F600, c */
	static const char *const ascii =
	    "0 \"a\\u00e9b\\u000A\\ud83D\\ude00\\/\" 1";
	static const char *const raw =
	    "0 \"a\xc3\xa9\\u0062\\n\xf0\x9f\x98\x80\\/\" 1";
	struct ctx_edits edits = {0};
	struct ctx_err err;

	tap_case("edits of a decoded text change only their characters in the "
		 "literal, which remains ASCII");
	encode(ascii, (struct ctx_str){ascii + 2, strlen(ascii) - 4},
	    "\" \"a\\\"\\n\\u20ac\\ud83d\\ude00<b\\u000A\\ud83D\\ude00!\" 1");
	tap_case("a literal with other characters gets them as they are");
	encode(raw, (struct ctx_str){raw + 2, strlen(raw) - 4},
	    "\" \"a\\\"\\n\xe2\x82\xac\xf0\x9f\x98\x80<\\u0062\\n"
	    "\xf0\x9f\x98\x80!\" 1");
	tap_case("no edits remain none");
	NEED(ctx_edits_encode(&edits, str("a"), str("\"a\""), &err) == 0);
	CHECK(edits.n == 0);
	ctx_edits_release(&edits);
}

int
main(void)
{
	encoding();
	replacing();
	merging();
	merging_removals();
	places();
	refusing();
	dropping();
	dropping_keys();
	random_drops();
	many_drops();
	return tap_done();
}
