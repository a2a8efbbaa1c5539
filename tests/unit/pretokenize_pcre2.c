/* pretokenize_pcre2.c - compares the pretokenizers of vocabulary files with
 * those of the tokenizers library */
#include <jansson.h>
#include <stdint.h>

#include "tap.h"
#include "tokenizer/encode/pretokenize_pcre2.h"

#define O200K                                                          \
	"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*"  \
	"[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|" \
	"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+"  \
	"[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|" \
	"\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|"   \
	"\\s+(?!\\S)|\\s+"

static const struct ctx_pretokenizer none = {CTX_PRETOKENIZER_NONE, 0, 0, 0};
static unsigned long long seed = 4101842887655102017u;
static struct ctx_err err;
static json_t *cases; /* contents of tests/corpus/splitters.json */
static struct ctx_pretokenize part;

enum { MOST = 1 << 20 };
static uint32_t ends[2][MOST];

static size_t
pick(size_t n)
{
	return (size_t)(tap_random(&seed) >> 33) % n;
}

/* Splits a text, some pieces at a time, and writes the pieces to list.  Returns
 * their number. */
static size_t
split(struct ctx_pcre2_state *state, ctx_pretokenize_fn *last,
    struct ctx_pretokenizer pretokenizer, const char *p, size_t n,
    uint32_t *list)
{
	size_t at = 0, count = 0, i;

	if (state != NULL) {
		ctx_pcre2_reset(state);
		ctx_pcre2_set_last(state, last, pretokenizer);
	}
	while (at < n && count < MOST - CTX_PRETOKENIZE_MAX) {
		i = pick(3) == 0 ? 1 + pick(9) : CTX_PRETOKENIZE_MAX;
		if (state != NULL)
			NEED(ctx_pcre2_split(state, &part, p + at, n - at, i,
				 &err) == 0);
		else
			last(&part, pretokenizer, 0, p + at, n - at, i);
		CHECK(part.n <= i && (part.n > 0) != (part.alone > 0));
		CHECK(part.listed == part.n);
		for (i = 0; i < part.n; i++)
			list[count++] = (uint32_t)at + part.end[i];
		at += part.used;
		if (part.alone > 0)
			list[count++] = (uint32_t)at;
	}
	return count;
}

static struct ctx_pcre2_pretokenizer *
open_patterns(const json_t *patterns)
{
	struct ctx_buf text = {0};
	struct ctx_pcre2_pretokenizer *chain;
	const char *one;
	size_t i;

	for (i = 0; i < json_array_size(patterns); i++) {
		one = json_string_value(json_array_get(patterns, i));
		NEED(ctx_buf_add(&text, one, strlen(one) + 1, &err) == 0);
	}
	if (ctx_pcre2_open(&chain, text.p, text.n, &err) < 0) {
		printf("# %s: %s\n", text.p, err.text);
		CHECK(err.code == CTX_OK);
	}
	ctx_buf_release(&text);
	return chain;
}

static void
check_pieces(struct ctx_pcre2_state *state, const json_t *pieces)
{
	struct ctx_buf text = {0};
	size_t n = json_array_size(pieces), i;

	for (i = 0; i < n; i++) {
		const json_t *piece = json_array_get(pieces, i);

		NEED(ctx_buf_add(&text, json_string_value(piece),
			 json_string_length(piece), &err) == 0);
		ends[0][i] = (uint32_t)text.n;
	}
	CHECK(split(state, NULL, none, text.p, text.n, ends[1]) == n);
	CHECK(memcmp(ends[0], ends[1], n * sizeof ends[0][0]) == 0);
	ctx_buf_release(&text);
}

static void
recorded(void)
{
	struct ctx_pcre2_state *state;
	struct ctx_pcre2_pretokenizer *chain;
	const json_t *pieces;
	size_t i, k;

	tap_case("pre-tokens equal those of the reference libraries");
	CHECK(json_array_size(cases) > 10);
	for (i = 0; i < json_array_size(cases); i++) {
		chain = open_patterns(
		    json_object_get(json_array_get(cases, i), "patterns"));
		NEED(chain != NULL);
		NEED(ctx_pcre2_begin(&state, chain, "test", &err) == 0);
		pieces = json_object_get(json_array_get(cases, i), "pieces");
		for (k = 0; k < json_array_size(pieces); k++)
			check_pieces(state, json_array_get(pieces, k));
		ctx_pcre2_end(state);
		ctx_pcre2_close(chain);
	}
}

/* Makes a text of recorded pieces, some of them repeated, and of bytes that are
 * not UTF-8. */
static size_t
make_text(char *text, size_t n)
{
	const json_t *list, *piece;
	size_t length = 0, again;

	while (length < n) {
		list = json_object_get(json_array_get(cases,
					   pick(json_array_size(cases))),
		    "pieces");
		list = json_array_get(list, pick(json_array_size(list)));
		piece = json_array_get(list, pick(json_array_size(list)));
		again = pick(40) == 0 ? pick(900) : 1;
		for (; again > 0 && length < n &&
		     json_string_length(piece) < n - length;
		     again--) {
			memcpy(text + length, json_string_value(piece),
			    json_string_length(piece));
			length += json_string_length(piece);
		}
		if (pick(20) == 0 || length + 200 > n)
			text[length++] = "\xff\xc3 \xed"[pick(4)];
	}
	return length;
}

static void
compare(const char *pattern, struct ctx_pretokenizer pretokenizer,
    const char *before)
{
	struct ctx_pcre2_pretokenizer *chain, *first = NULL;
	struct ctx_pcre2_state *state, *other = NULL;
	struct ctx_buf both = {0};
	static char text[40000];
	unsigned i;
	size_t n, count;

	NEED(ctx_buf_add(&both, before, strlen(before) + (*before != '\0'),
		 &err) == 0);
	NEED(ctx_buf_add(&both, pattern, strlen(pattern) + 1, &err) == 0);
	NEED(ctx_pcre2_open(&chain, both.p, both.n, &err) == 0);
	NEED(ctx_pcre2_begin(&state, chain, "test", &err) == 0);
	if (*before != '\0') {
		NEED(ctx_pcre2_open(&first, before, strlen(before) + 1, &err) ==
		    0);
		NEED(ctx_pcre2_begin(&other, first, "test", &err) == 0);
	}
	for (i = 0; i < 60; i++) {
		n = make_text(text,
		    1 + pick(i % 4 == 0 ? sizeof text - 1 : 300));
		count = split(state, NULL, none, text, n, ends[0]);
		CHECK(split(other, ctx_backend_portable.split, pretokenizer,
			  text, n, ends[1]) == count);
		CHECK(memcmp(ends[0], ends[1], count * sizeof ends[0][0]) == 0);
	}
	ctx_pcre2_end(state);
	ctx_pcre2_close(chain);
	ctx_pcre2_end(other);
	ctx_pcre2_close(first);
	ctx_buf_release(&both);
}

static void
known(void)
{
	const json_t *list =
	    json_object_get(json_array_get(cases, 0), "patterns");
	const char *gpt2 = json_string_value(json_array_get(list, 0)), *llama;

	list = json_object_get(json_array_get(cases, 1), "patterns");
	llama = json_string_value(json_array_get(list, 0));
	tap_case("built-in splitters split as their patterns do");
	compare(gpt2, (struct ctx_pretokenizer){CTX_PRETOKENIZER_R50K, 0, 1, 0},
	    "");
	compare(llama,
	    (struct ctx_pretokenizer){CTX_PRETOKENIZER_CL100K, 3, 1, 0}, "");
	compare(O200K,
	    (struct ctx_pretokenizer){CTX_PRETOKENIZER_O200K, 3, 1, 0}, "");
	tap_case(
	    "built-in splitters after a pattern split as their patterns do");
	compare(gpt2, (struct ctx_pretokenizer){CTX_PRETOKENIZER_R50K, 0, 1, 0},
	    "\\p{N}");
	compare(O200K,
	    (struct ctx_pretokenizer){CTX_PRETOKENIZER_O200K, 3, 1, 0},
	    "[^\\n]+");
}

static void
long_pieces(void)
{
	static const struct {
		const char *pattern;
		char byte;
		size_t n;
	} list[] = {
	    {"a+", 'a', 1000000},
	    {"x", 'a', 1000000},
	    {"\\s*\\n|\\s+(?!\\S)|.", ' ', 1000000},
	    /* Each repetition of the group needs memory. */
	    {"(?:a|b)+", 'a', 150000},
	};
	size_t n, i, count;
	struct ctx_pcre2_state *state;
	struct ctx_pcre2_pretokenizer *chain;
	char *text = malloc(1000000);

	tap_case("a million characters in one pre-token");
	NEED(text != NULL);
	for (i = 0; i < sizeof list / sizeof list[0]; i++) {
		n = list[i].n;
		memset(text, list[i].byte, n);
		NEED(ctx_pcre2_open(&chain, list[i].pattern,
			 strlen(list[i].pattern) + 1, &err) == 0);
		NEED(ctx_pcre2_begin(&state, chain, "test", &err) == 0);
		count = split(state, NULL, none, text, n, ends[0]);
		CHECK(count == 1 && ends[0][0] == n);
		ctx_pcre2_end(state);
		ctx_pcre2_close(chain);
	}
	free(text);
}

/* Tests patterns whose time or memory is not proportional to the length of the
 * text. */
static void
slow(void)
{
	static const struct {
		const char *pattern;
		size_t n;
	} list[] = {
	    {"(?:a|a|aa)+[bc]", 60},
	    {"(?:a?){30}a{30}[bc]", 60},
	    /* Patterns that need a few steps at each offset, or for each
	     * piece. */
	    {"(?:aa)+[bc]", 20000},
	    {"a*+[bc]|a", 50000},
	    {"a(?=a*[bc])|a", 50000},
	    {"a(?=(?:a{1000}){20}[bc])|a", 50000},
	    {"(?:a|b)*c", 1000000},
	};
	struct ctx_pcre2_state *state;
	struct ctx_pcre2_pretokenizer *chain;
	char *text = malloc(1000000);
	size_t i, at;
	int rc;

	tap_case("a pattern that takes too many steps is an error");
	NEED(text != NULL);
	memset(text, 'a', 1000000);
	for (i = 0; i < sizeof list / sizeof list[0]; i++) {
		NEED(ctx_pcre2_open(&chain, list[i].pattern,
			 strlen(list[i].pattern) + 1, &err) == 0);
		NEED(ctx_pcre2_begin(&state, chain, "x.json", &err) == 0);
		rc = 0;
		for (at = 0; rc == 0 && at < list[i].n; at += part.used)
			rc = ctx_pcre2_split(state, &part, text + at,
			    list[i].n - at, CTX_PRETOKENIZE_MAX, &err);
		CHECK(rc == -1 && err.code == CTX_ELIMIT);
		CHECK(strstr(err.text, "x.json") != NULL);
		/* The limit of steps is for one text, so it begins anew after a
		 * reset. */
		ctx_pcre2_reset(state);
		CHECK(ctx_pcre2_split(state, &part, "aac", 3, 1, &err) == 0);
		ctx_pcre2_end(state);
		ctx_pcre2_close(chain);
	}
	free(text);
}

static void
refusals(void)
{
	static const struct {
		const char *pattern, *why;
	} bad[] = {
	    {"(?<=a)b", "an unknown kind of group"},
	    {"(?<!a)b", "an unknown kind"},
	    {"(?<n>a)", "an unknown kind"},
	    {"(?>a)", "an unknown kind"},
	    {"(?-i:a)", "an unknown kind"},
	    {"(?i)a", "an unknown kind"},
	    {"^a", "an anchor"},
	    {"a$", "an anchor"},
	    {"\\ba", "an unknown escape"},
	    {"\\Aa", "an unknown escape"},
	    {"(a)\\1", "an unknown escape"},
	    {"\\w+", "an unknown escape"},
	    {"\\h", "an unknown escape"},
	    {"a\\", "backslash"},
	    {"\\p{Han}", "not a general category"},
	    {"\\pL", "braces"},
	    {"\\p{X}", "not a general category"},
	    {"a*", "matches the empty text"},
	    {"a|", "matches the empty text"},
	    {"", "matches the empty text"},
	    {"(?=a)", "matches the empty text"},
	    {"a{1,3}+", "of unclear meaning"},
	    {"a{2}?", "of unclear meaning"},
	    {"a{,}", "of unclear meaning"},
	    {"a{3,1}", "of unclear meaning"},
	    {"a{9999}", "of unclear meaning"},
	    {"a{1", "of unclear meaning"},
	    {"(?:a)++", "a possessive group"},
	    {"(?!a)+b", "a repeated lookahead"},
	    {"a**", "not escaped"},
	    {"*a", "not escaped"},
	    {"a]", "not escaped"},
	    {"(a", "a group without end"},
	    {"a)", "one closing parenthesis too many"},
	    {"[a", "a set without end"},
	    {"[]a]", "begins with ]"},
	    {"[[:alpha:]]", "[: or &&"},
	    {"[a&&b]", "[: or &&"},
	    {"[^\\s\\S]", "without characters"},
	    {"[z-a]", "a range"},
	    {"[a-\\s]", "a range"},
	    {"(?i:ss)", "more than themselves"},
	    {"(?i:st)", "more than themselves"},
	    {"(?i:\xc3\xa9)", "more than"},
	    {"(?i:fF)", "more than"},
	    {"(?i:FI)", "more than"},
	    {"(?i:afl)", "more than"},
	    {"(?i:[a-\xc3\xa9])", "a set in (?i:)"},
	    {"(?i:\\p{L})", "a set in (?i:)"},
	    {"(?i:[^a])", "a set in (?i:)"},
	    {"\\x80", "an invalid character number"},
	    {"\\x{110000}", "an invalid character number"},
	    {"\\ud800", "an invalid character number"},
	    {"\xff", "not UTF-8"},
	    {"\\x{d800}", "an invalid character number"},
	    {"\\x{}", "an invalid character number"},
	    {"\\x{12", "an invalid character number"},
	    {"\\x{12-", "an invalid character number"},
	    {"\\x1", "an invalid character number"},
	    {"\\u12g4", "an invalid character number"},
	    {"\\0", "an unknown escape"},
	    {"\\\xff", "an unknown escape"},
	    {"[\xff]", "not UTF-8"},
	    {"[a-\xff]", "not UTF-8"},
	    {"[a-[b]]", "a range"},
	    {"\\p{L", "not a general category"},
	    {"\\p{}", "not a general category"},
	    {"a{1,2,3}", "of unclear meaning"},
	    {"a{99999}", "of unclear meaning"},
	    {"a{1,1001}", "of unclear meaning"},
	    {"a{3}+", "of unclear meaning"},
	    {"((((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))"
	     ")",
		"groups nested too deep"},
	    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[a]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
	     "]",
		"sets nested too deep"},
	};
	struct ctx_pcre2_pretokenizer *chain;
	size_t i;

	tap_case(
	    "patterns that may mean something else in Oniguruma are refused");
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		CHECK(ctx_pcre2_open(&chain, bad[i].pattern,
			  strlen(bad[i].pattern) + 1, &err) == -1);
		CHECK(chain == NULL && err.code == CTX_EFILE);
		if (strstr(err.text, bad[i].why) == NULL)
			printf("# %s: %s\n", bad[i].pattern, err.text);
		CHECK(strstr(err.text, bad[i].why) != NULL);
	}
	CHECK(ctx_pcre2_open(&chain, "a", 1, &err) == -1 && chain == NULL);
	CHECK(ctx_pcre2_open(&chain, "a\0b\0c\0d\0e", 10, &err) == -1);
}

/* Tests patterns with more sets or ranges of characters than there is space
 * for. */
static void
too_much(void)
{
	struct ctx_pcre2_pretokenizer *chain;
	char text[2000];
	size_t i, n;

	tap_case("patterns with too many sets or ranges are refused");
	for (i = n = 0; i < 70; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "[\\x%x-~]|",
		    (unsigned)('!' + i));
	text[n - 1] = '\0';
	CHECK(ctx_pcre2_open(&chain, text, n, &err) == -1);
	CHECK(strstr(err.text, "too many sets of characters") != NULL);
	for (i = n = 0; i < 60; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "\\x{%x}|",
		    (unsigned)(0x400 + 2 * i));
	text[n - 1] = '\0';
	CHECK(ctx_pcre2_open(&chain, text, n, &err) == -1);
	CHECK(strstr(err.text, "too many ranges of characters") != NULL);
}

/* Returns true if two patterns split a text in the same way, into more than one
 * piece. */
static bool
cut_alike(const char *a, const char *b, const char *text)
{
	const char *const patterns[] = {a, b};
	struct ctx_pcre2_state *state;
	struct ctx_pcre2_pretokenizer *chain;
	size_t n[2], i;

	for (i = 0; i < 2; i++) {
		if (ctx_pcre2_open(&chain, patterns[i], strlen(patterns[i]) + 1,
			&err) < 0) {
			printf("# %s: %s\n", patterns[i], err.text);
			return false;
		}
		NEED(ctx_pcre2_begin(&state, chain, "test", &err) == 0);
		n[i] = split(state, NULL, none, text, strlen(text), ends[i]);
		ctx_pcre2_end(state);
		ctx_pcre2_close(chain);
	}
	return n[0] > 1 && n[0] == n[1] &&
	    memcmp(ends[0], ends[1], n[0] * sizeof ends[0][0]) == 0;
}

static void
written_otherwise(void)
{
	static const char text[] = "aaaaa-KkJl\xe2\x84\xaa sS\xc5\xbf x12z"
				   "\xd0\x96\xd0\xb6\t{}\\";

	tap_case("equivalent patterns split alike");
	CHECK(cut_alike("a{2}", "aa", text));
	CHECK(cut_alike("a{2,}", "aa+", text));
	CHECK(cut_alike("a{,2}b|[^a]", "b|ab|aab|[^a]", text));
	CHECK(cut_alike("a{1,3}", "aaa|aa|a", text));
	CHECK(cut_alike("a{1,3}?", "a", text));
	CHECK(cut_alike("a+?", "a", text));
	CHECK(cut_alike("\\x4A|\\x{6b}|\\u006C", "[JKl-l]|k", "JkKl"));
	CHECK(cut_alike("\\x{416}|\\u0436", "\xd0\x96|\xd0\xb6", text));
	CHECK(cut_alike("(?i:k)", "[kK\xe2\x84\xaa]", text));
	CHECK(cut_alike("(?i:s)", "[sS\\x{17f}]", text));
	CHECK(cut_alike("(?i:[j-l])", "[jklJKL\\x{212a}]", text));
	CHECK(cut_alike("(?i:x1)", "[xX]1", text));
	CHECK(cut_alike("[a-]", "a|-", text));
	CHECK(cut_alike("\\t|\\{|\\\\", "[\t{\\\\]", text));
	CHECK(cut_alike("\\P{^Lu}", "\\p{Lu}", text));
	CHECK(cut_alike("\\D", "[^\\d]", text));
	CHECK(cut_alike("\\S", "[^\\s]", text));
}

int
main(void)
{
	json_error_t where;

	cases = json_load_file("tests/corpus/splitters.json", 0, &where);
	NEED(cases != NULL);
	recorded();
	known();
	long_pieces();
	slow();
	refusals();
	too_much();
	written_otherwise();
	json_decref(cases);
	return tap_done();
}
