/* passages.c - tests how texts are divided into passages */
#include "truncate/text_segments.h"
#include "tap.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])
#define MARK      "[\xe2\x80\xa6 1234 characters truncated \xe2\x80\xa6]"

static unsigned long long state = 1;

static size_t
up_to(size_t n)
{
	return (size_t)(tap_random(&state) >> 33) % n;
}

/* Appends a text "count" times to a buffer. */
static size_t
append(char *text, size_t n, const char *part, size_t count)
{
	for (; count > 0; count--, n += strlen(part))
		memcpy(text + n, part, strlen(part));
	return n;
}

/* Returns true if no passage of a text begins inside a mark, a payload or a
 * character, and all passages together are the whole text. */
static bool
divides_well(const char *p, size_t n)
{
	struct protected_span_walk spans;
	struct protected_span span = {0};
	struct passage_walk walk;
	struct passage passage;
	size_t at = 0;
	bool more;

	ctx_protected_spans_begin(&spans, p, n);
	more = ctx_protected_span_next(&spans, &span);
	ctx_passages_begin(&walk, p, n, CTX_PASSAGE_BYTES);
	while (ctx_passages_next(&walk, &passage)) {
		if (passage.from != at || passage.to <= at || passage.to > n)
			return false;
		at = passage.to;
		while (more && span.to <= at)
			more = ctx_protected_span_next(&spans, &span);
		if ((more && span.from < at) ||
		    (at < n && ((unsigned char)p[at] & 0xc0) == 0x80))
			return false;
	}
	return at == n;
}

static void
test_random_texts(void)
{
	static const char *const parts[] = {"word ", "x", "End. ", "line\n",
	    "\xc3\xa9", "\xe3\x80\x82", MARK, "\n\n", "e\xcc\x81", "  "};
	static char text[1 << 16];
	size_t round, i, n;

	tap_case(
	    "passages are the text, and cut no mark, payload or character");
	for (round = 0; round < 300; round++) {
		for (n = i = 0; i < 60; i++)
			n = append(text, n, parts[up_to(LENGTH(parts))],
			    1 + up_to(up_to(8) == 0 ? 300 : 12));
		if (up_to(3) == 0)
			n = append(text, n, "aB3dEf6h", 100);
		CHECK(divides_well(text, n));
	}
	CHECK(divides_well("", 0));
}

/* Returns the length of the first passage of a text. size: wanted length */
static size_t
first_of_size(const char *text, size_t n, size_t size)
{
	struct passage_walk walk;
	struct passage passage;

	ctx_passages_begin(&walk, text, n, size);
	return ctx_passages_next(&walk, &passage) ? passage.to : 0;
}

static size_t
first_passage(const char *text, size_t n)
{
	return first_of_size(text, n, CTX_PASSAGE_BYTES);
}

static void
test_ends(void)
{
	static char text[8192];
	size_t n, sentence;

	tap_case("a passage ends after a sentence or line, else at a blank");
	n = append(text, 0, "word ", 60);
	sentence = n = append(text, n, "end. ", 1);
	n = append(text, n, "word ", 600);
	CHECK(first_passage(text, n) == sentence);
	/* A longer line is a passage, up to twice the wanted length. */
	n = append(text, 0, "word ", 12);
	sentence = n = append(text, n, "\n", 1);
	n = append(text, n, "word ", 600);
	CHECK(first_of_size(text, n, 40) == sentence);
	CHECK(first_of_size(text, n, 31) == sentence);
	CHECK(first_of_size(text, n, 29) == 55);
	/* Without the end of a sentence, a passage ends at the last blank of
	 * 800 bytes. */
	n = append(text, 0, "words ", 600);
	CHECK(first_passage(text, n) == 798);
	/* JSON is divided after a member or element, with and without blanks,
	 * not between key and value, or at a comma inside a string. */
	n = append(text, 0, "\"a key\": \"words, a lot\", ", 100);
	CHECK(first_of_size(text, n, 40) == 75);
	n = append(text, 0, "{\"key\":\"value\",\"number\":12345},", 100);
	CHECK(first_of_size(text, n, 40) == 77);
	CHECK(first_of_size(text, n, 28) == 46);
	/* Without a blank, it ends between two characters. */
	n = append(text, 0, "x", 3000);
	CHECK(first_passage(text, n) == 801);
	/* If only a short text would be left, it is not divided. */
	n = append(text, 0, "End. ", 100);
	CHECK(first_passage(text, n) == n);
	n = append(text, 0, "End. ", 101);
	CHECK(first_passage(text, n) == 400);
	/* An accent belongs to the letter before it. */
	n = append(text, 0, "e\xcc\x81", 1000);
	CHECK(first_passage(text, n) % 3 == 0);
}

int
main(void)
{
	test_random_texts();
	test_ends();
	return tap_done();
}
