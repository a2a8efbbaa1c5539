/* pattern.c - tests that matching always ends, and that a text is kept if
 * matching reaches a limit */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/base.h"
#include "tap.h"

/* With a sanitizer, programs need more memory and time. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Texts that consist of one byte n times, and a different last byte. */
static const struct {
	const char *pattern;
	size_t n;
	char byte, last;
	/* True if matching reaches a limit with and without just-in-time code.
	 * For the other patterns, the interpreter or the just-in-time code sees
	 * that the last letter of the pattern is not in the text. */
	bool endless;
} slow[] = {
    {"(a+)+$", 30, 'a', 'X', true},
    {"(a+)+$", 100000, 'a', 'X', true},
    {"(a|aa)+$", 1000000, 'a', 'X', true},
    {"(a|b|ab)*c", 1000000, 'a', 'X', false},
    {"(.*)*x", 1000000, 'a', 'X', false},
    {"(?:(?=.*+)a)*+b", 1000000, 'a', 'X', false},
    {"(?:(?=(?>.*))a)*b", 1000000, 'a', 'X', false},
    {"\\s+$", 1000000, ' ', 'X', true},
    {"a*+b", 1000000, 'a', 'X', false},
    {"(?s)(.*)(.*)(.*)(.*)x", 1000000, 'a', 'X', true},
    {"(?=(a+))\\1b", 1000000, 'a', 'X', false},
    {"(?:\\w+\\s?)+=", 1000000, 'a', ';', false},
    {"\\G(a+)+$", 100000, 'a', 'X', true},
    {"(a+)+$(*COMMIT)", 100000, 'a', 'X', true},
    {"(?:a(?=(a+)+$))*b", 20000, 'a', 'X', false},
    {"^(([a-z])+.)+[A-Z]([a-z])+$", 1000000, 'a', '1', true},
};

static void
end_slow(void)
{
	struct ctx_pattern none = {0}, one;
	struct ctx_err err;
	int64_t left, again;
	size_t i, n;
	char *text;
	bool said;

	for (i = 0; i < sizeof slow / sizeof slow[0]; i++) {
		tap_case(slow[i].pattern);
		n = slow[i].n;
		text = malloc(n);
		memset(text, slow[i].byte, n);
		text[n - 1] = slow[i].last;
		memset(&one, 0, sizeof one);
		CHECK(ctx_pattern_add(&one, slow[i].pattern, &err) == 0);
		/* No text matches.  If a limit is reached, a match is reported,
		 * so that the text is kept. */
		left = CTX_PATTERN_WORK;
		said = ctx_pattern_match(&one, text, n, &left);
		CHECK(said == (one.overruns > 0) && (said || !slow[i].endless));
		/* If a limit is reached, the text is not selected.  The same
		 * match needs the same work. */
		again = CTX_PATTERN_WORK;
		CHECK(!ctx_pattern_selects(&one, &none, text, n, &again));
		CHECK(again == left);
		one.overruns = 0;
		left = CTX_PATTERN_WORK;
		said = ctx_pattern_selects(&none, &one, text, n, &left);
		CHECK(said == (one.overruns == 0));
		ctx_pattern_release(&one);
		free(text);
	}
}

enum answer { DIFFERS, MATCHES, GIVEN_UP };

static enum answer
match(const char *pattern, const char *text, size_t n)
{
	struct ctx_pattern one = {0};
	int64_t left = CTX_PATTERN_WORK;
	struct ctx_err err;
	enum answer answer;

	NEED(ctx_pattern_add(&one, pattern, &err) == 0);
	answer = ctx_pattern_match(&one, text, n, &left) ? MATCHES : DIFFERS;
	if (one.overruns > 0) {
		/* If a limit is reached, the result is a match. */
		CHECK(answer == MATCHES);
		answer = GIVEN_UP;
	}
	ctx_pattern_release(&one);
	return answer;
}

/* Finds by bisection the longest text of letters "a" for which matching does
 * not reach a limit. */
static size_t
find_limit(const char *pattern, size_t most)
{
	char *text = malloc(most);
	size_t low = 0, high = most, middle;

	NEED(text != NULL);
	memset(text, 'a', most);
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (match(pattern, text, middle) == GIVEN_UP)
			high = middle;
		else
			low = middle;
	}
	free(text);
	return low;
}

static void
limit(void)
{
	const size_t n = 1000000;
	char *text = malloc(n);
	size_t most;

	tap_case("the limit is at one length of the text");
	NEED(text != NULL);
	memset(text, 'a', n);
	most = find_limit("(?:aa)+[cd]", 20000);
	CHECK(most > 2000 && most < 10000);
	CHECK(match("(?:aa)+[cd]", text, most - 100) == DIFFERS);
	CHECK(match("(?:aa)+[cd]", text, most + 100) == GIVEN_UP);
	tap_case("a long text that takes few steps for each byte is matched");
	text[0] = 'x';
	CHECK(match("(?s)x.*[yz]", text, n) == DIFFERS);
	CHECK(match("\\d{4}-\\d\\d|[b-y]{3,}z", text, n) == DIFFERS);
	text[n - 1] = 'z';
	CHECK(match("(?s)x.*[yz]", text, n) == MATCHES);
	free(text);
}

static void
stop_early(void)
{
	const int64_t enough = CTX_PATTERN_WORK / 100;
	struct ctx_pattern one = {0};
	struct ctx_err err;
	char text[4001] = "";
	int64_t left;
	unsigned i;

	tap_case("a pattern that was given up three times gets less work");
	memset(text, 'a', sizeof text - 1);
	NEED(ctx_pattern_add(&one, "(?:a+)+(?:b|c)", &err) == 0);
	for (i = 0; i < 5; i++) {
		left = CTX_PATTERN_WORK;
		CHECK(ctx_pattern_match(&one, text, sizeof text - 1, &left));
		CHECK((CTX_PATTERN_WORK - left < enough) == (i >= 3));
	}
	CHECK(one.overruns == 5);
	tap_case("later texts that take little work are still matched");
	left = CTX_PATTERN_WORK;
	CHECK(!ctx_pattern_match(&one, "such a text", 11, &left));
	CHECK(ctx_pattern_match(&one, "such aab", 8, &left));
	CHECK(one.overruns == 5);
	ctx_pattern_release(&one);
}

/* Each text alone does not need all the work, but all texts together do. */
static void
share_work(void)
{
	struct ctx_pattern one = {0}, none = {0};
	int64_t left = CTX_PATTERN_WORK;
	struct ctx_err err;
	char text[4000];
	unsigned i;

	tap_case("the texts of one message share a limit");
	memset(text, 'a', sizeof text);
	NEED(ctx_pattern_add(&one, "(?:aa)+[cd]", &err) == 0);
	CHECK(!ctx_pattern_match(&none, text, sizeof text, &left));
	CHECK(left == CTX_PATTERN_WORK);
	for (i = 0; i < 1000 && left > 0; i++)
		(void)ctx_pattern_match(&one, text, sizeof text, &left);
	CHECK(i < 1000);
	one.overruns = 0;
	CHECK(ctx_pattern_match(&one, "x", 1, &left) && one.overruns == 1);
	one.overruns = 0;
	CHECK(!ctx_pattern_selects(&one, &none, "aac", 3, &left) &&
	    one.overruns == 1);
	one.overruns = 0;
	CHECK(!ctx_pattern_selects(&none, &one, "x", 1, &left) &&
	    one.overruns == 1);
	/* Without patterns, a text is selected even if no work is left. */
	CHECK(ctx_pattern_selects(&none, &none, "x", 1, &left));
	ctx_pattern_release(&one);
}

static bool
matches(const char *pattern, const char *text)
{
	return match(pattern, text, strlen(text)) == MATCHES;
}

/* Tests that a match is found at every offset of a long text. */
static void
find_all_places(void)
{
	const size_t n = 300000;
	char *text = malloc(n + 1);
	size_t at;

	tap_case("a match is found at every place of a long text");
	for (at = 0; at < n - 8; at += 7919) {
		memset(text, 'x', n);
		text[n] = '\0';
		memcpy(text + at, "\xc3\xa4rger", 6);
		CHECK(matches("\xc3\xa4rger", text));
		CHECK(matches("(?<=^|x)\\w\\Brge(r|s)x", text));
	}
	free(text);
}

static void
anchors(void)
{
	tap_case("an empty text");
	CHECK(matches("^$", "") && matches("x*$", "") && !matches("x", ""));
	tap_case("anchors");
	CHECK(matches("^b", "b") && !matches("^b", "ab"));
	CHECK(matches("\\Ga", "ab") && matches("(?m)^b", "a\nb"));
	tap_case("verbs");
	CHECK(!matches("a(*COMMIT)c|b", "ab"));
	tap_case("a text that is not UTF-8 matches, and given_up is set");
	CHECK(match("x", "a\xc3", 2) == GIVEN_UP);
	CHECK(match("a", "a\xc3", 2) == GIVEN_UP);
}

/* Tests more repetitions than the stack of just-in-time code can hold. */
static void
rounds(void)
{
	char text[4000];

	tap_case("a text that fails in just-in-time code is matched by the "
		 "interpreter");
	memset(text, 'a', sizeof text);
	CHECK(match("^(a|b)*$", text, sizeof text) == MATCHES);
	CHECK(match("^(a|b)*a$", text, sizeof text) == MATCHES);
	text[sizeof text - 1] = 'X';
	CHECK(match("^(?:a|b)*+$", text, sizeof text) == DIFFERS);
}

/* Returns the maximum memory of this program so far, in megabytes. */
static long
held(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss / 1024;
}

/* Must run before other tests, because the maximum memory never decreases. */
static void
memory(void)
{
	const size_t n = 1000000;
	char *text = malloc(n), pattern[8000] = "^(?:";
	long before;
	int i;

	tap_case("the memory of a deep match is bounded");
	NEED(text != NULL);
	memset(text, 'a', n);
	before = held();
	CHECK(match("^(a|b)*$", text, n) == GIVEN_UP);
	CHECK(SANITIZED || held() - before < 12);
	tap_case("the memory of a deep match with many groups is bounded");
	for (i = 0; i < 1000; i++)
		(void)strcat(pattern, "(a)|");
	(void)strcat(pattern, "b)*$");
	CHECK(match(pattern, text, 9000) == GIVEN_UP);
	CHECK(SANITIZED || held() - before < 110);
	free(text);
}

/* Matches \\X with n flags, with a letter before each at-th flag, in the same
 * number of bytes.  Sets *given_up to true if matching reached a limit. */
static bool
flags(size_t n, size_t at, bool *given_up)
{
	struct ctx_pattern one = {0};
	struct ctx_err err;
	int64_t left = CTX_PATTERN_WORK;
	char *text = malloc(n * 5);
	size_t size = 0, i;
	bool said;

	NEED(text != NULL && ctx_pattern_add(&one, "\\X\\Xy", &err) == 0);
	for (i = 0; i < n; i++) {
		if (i % at == 0)
			text[size++] = 'x';
		memcpy(text + size, "\xf0\x9f\x87\xa6", 4);
		size += 4;
	}
	text = realloc(text, size);
	NEED(text != NULL);
	said = ctx_pattern_match(&one, text, size, &left);
	*given_up = one.overruns > 0;
	ctx_pattern_release(&one);
	free(text);
	return said;
}

static void
regional(void)
{
	bool given_up;

	tap_case("129 flags in a row give up, 128 do not");
	CHECK(flags(129, 129, &given_up) && given_up);
	CHECK(!flags(128, 128, &given_up) && !given_up);
	CHECK(!flags(1000, 100, &given_up) && !given_up);
	CHECK(!flags(1, 1, &given_up) && !given_up);
	CHECK(!matches("\\Xy", "\xf0\x9f\x98\x80"));
	CHECK(matches("\\X", "\xf0\x9f\x98\x80") && !matches("\\Xy", ""));
}

static void
longest(void)
{
	struct ctx_pattern patterns = {0};
	char *pattern = malloc(65538);
	struct ctx_err err;

	tap_case("a pattern of 64 kB is accepted, a longer one refused");
	NEED(pattern != NULL);
	memset(pattern, 'a', 65537);
	pattern[65537] = '\0';
	CHECK(ctx_pattern_add(&patterns, pattern, &err) == -1);
	CHECK(err.code == CTX_EARG && strstr(err.text, "65536") != NULL);
	CHECK(patterns.n == 0);
	/* PCRE2 has its own limit for the size of a compiled pattern. */
	memset(pattern, ' ', 65536);
	memcpy(pattern, "(?x)a", 5);
	pattern[65536] = '\0';
	CHECK(ctx_pattern_add(&patterns, pattern, &err) == 0);
	ctx_pattern_release(&patterns);
	free(pattern);
}

static bool
is_pattern(unsigned groups)
{
	struct ctx_pattern patterns = {0};
	struct ctx_err err;
	char text[512];
	bool yes;

	memset(text, '(', groups);
	text[groups] = 'a';
	memset(text + groups + 1, ')', groups);
	text[2 * groups + 1] = '\0';
	yes = ctx_pattern_add(&patterns, text, &err) == 0;
	ctx_pattern_release(&patterns);
	return yes;
}

/* Tests compiling of nested groups, which is recursive, with a small stack. */
static void
deepest(void)
{
	tap_case("64 nested groups are accepted, more are refused");
	CHECK(is_pattern(1) && is_pattern(64));
	CHECK(!is_pattern(65) && !is_pattern(250));
}

/* Tests what PCRE2 does not count: repetitions, alternatives and the marks of a
 * character. */
static void
quantifiers(void)
{
	tap_case("a repeated group matches like others");
	CHECK(matches("(ab)+c", "xababc") && !matches("^(ab)+$", "xabab"));
	CHECK(matches("(?x)(ab) {2} c", "ababc"));
	CHECK(matches("(ab)(?#twice){2}c", "ababc"));
	CHECK(matches("(a)", "(a)") && matches("\\X$", "e\xcc\x81"));
}

int
main(void)
{
	memory();
	rounds();
	end_slow();
	limit();
	share_work();
	stop_early();
	find_all_places();
	anchors();
	regional();
	longest();
	deepest();
	quantifiers();
	return tap_done();
}
