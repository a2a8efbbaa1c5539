/* grapheme.c - grapheme clusters against the official cases */
#include "ctx.h"
#include "tap.h"

#define CASES "tests/corpus/grapheme-cases.txt"

/* Walks one line of cases; says whether every break is where it should be. */
static bool
is_right(char *line)
{
	struct ctx_grapheme g = {0};
	bool cut = false, right = true;
	char *word;

	for (word = strtok(line, " \n"); word != NULL;
	    word = strtok(NULL, " \n")) {
		if (strcmp(word, "/") == 0) {
			cut = true;
			continue;
		}
		if (ctx_grapheme_next(&g,
			(uint32_t)strtoul(word, NULL, 16)) != cut)
			right = false;
		cut = false;
	}
	return right;
}

static void
official(void)
{
	FILE *file = fopen(CASES, "r");
	char line[400], copy[400];
	unsigned cases = 0;

	NEED(file != NULL);
	tap_case("the cases of GraphemeBreakTest.txt, Unicode 16.0");
	while (fgets(line, sizeof line, file) != NULL) {
		if (line[0] == '#')
			continue;
		memcpy(copy, line, sizeof copy);
		cases++;
		if (!is_right(line)) {
			printf("# wrong: %s", copy);
			CHECK(0);
		}
	}
	CHECK(cases == 1093);
	fclose(file);
}

/* Clusters of a text. */
static unsigned
clusters(const char *text)
{
	struct ctx_grapheme g = {0};
	size_t n = strlen(text), at = 0;
	unsigned found = 0;
	uint32_t cp;

	while (at < n) {
		at += ctx_utf8_next(text + at, n - at, &cp);
		found += ctx_grapheme_next(&g, cp);
	}
	return found;
}

static void
longer(void)
{
	tap_case("families, flags, marks, syllables and line breaks");
	CHECK(clusters("abc") == 3);
	CHECK(clusters("\r\n\r\n") == 2);
	CHECK(clusters("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9"
		       "\xe2\x80\x8d\xf0\x9f\x91\xa7") == 1);
	CHECK(clusters("\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\xf0\x9f\x87\xab"
		       "\xf0\x9f\x87\xb7") == 2);
	CHECK(clusters("e\xcc\x81\xcc\x81o\xcc\x88") == 2);
	CHECK(clusters("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab") == 1);
	CHECK(clusters("\xea\xb0\x80\xea\xb0\x81") == 2);
	tap_case("one that was joined is not joined again");
	CHECK(clusters("\xf0\x9f\x91\xa9\xe2\x80\x8d\xe2\x80\x8d"
		       "\xf0\x9f\x91\xa7") == 2);
	CHECK(clusters("\xf0\x9f\x91\xa9\xe2\x80\x8d\xcc\x81\xe2\x80\x8d"
		       "\xf0\x9f\x91\xa7") == 2);
}

int
main(void)
{
	official();
	longer();
	return tap_done();
}
