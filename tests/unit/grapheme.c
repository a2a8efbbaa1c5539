/* grapheme.c - compares grapheme clusters with the official test cases */
#include "base/base.h"
#include "tap.h"

#define CASES "tests/corpus/grapheme-cases.txt"

/* Reads a line of the test cases.  Returns true if every cluster begins where
 * the line says. */
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
		if (ctx_grapheme_next(&g, (uint32_t)strtoul(word, NULL, 16)) !=
		    cut)
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

/* Returns the number of clusters of a text. */
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
	tap_case(
	    "a zero width joiner after another joiner or a mark joins nothing");
	CHECK(clusters("\xf0\x9f\x91\xa9\xe2\x80\x8d\xe2\x80\x8d"
		       "\xf0\x9f\x91\xa7") == 2);
	CHECK(clusters("\xf0\x9f\x91\xa9\xe2\x80\x8d\xcc\x81\xe2\x80\x8d"
		       "\xf0\x9f\x91\xa7") == 2);
}

/* One character of each class, and two characters of classes with several
 * kinds. */
static const uint32_t some[] = {'a', 0x4e2d, '\r', '\n', 0x01, 0x200b, 0x301,
    0x200c, 0x94d, 0x200d, 0x1f1e9, 0x600, 0x903, 0x1100, 0x1161, 0x11a8,
    0xac00, 0xac01, 0x1f469, 0xa9, 0x915, 0x924, 0x1f3fd};

#define SOME (sizeof some / sizeof some[0])

/* For all pairs of characters: a boundary between both is certain exactly if
 * there is a boundary after every text of two characters.  Reading from such a
 * boundary on must find the same later boundaries. */
static void
parted(void)
{
	struct ctx_grapheme all, one;
	size_t a, b, i, j, k, ahead;
	bool always[SOME][SOME], same = true, right = true;

	tap_case("a certain boundary is a boundary after any text");
	memset(always, true, sizeof always);
	for (ahead = 0; ahead < SOME * SOME * SOME * SOME; ahead++) {
		i = ahead;
		memset(&all, 0, sizeof all);
		for (k = 0; k < 2; k++, i /= SOME)
			(void)ctx_grapheme_next(&all, some[i % SOME]);
		a = i % SOME;
		b = i / SOME;
		(void)ctx_grapheme_next(&all, some[a]);
		if (!ctx_grapheme_next(&all, some[b])) {
			always[a][b] = false;
			continue;
		}
		memset(&one, 0, sizeof one);
		(void)ctx_grapheme_next(&one, some[b]);
		for (j = 0; j < SOME; j++) {
			struct ctx_grapheme x = all, y = one;

			same = same &&
			    ctx_grapheme_next(&x, some[j]) ==
				ctx_grapheme_next(&y, some[j]);
		}
	}
	for (a = 0; a < SOME; a++)
		for (b = 0; b < SOME; b++)
			right = right &&
			    always[a][b] ==
				ctx_grapheme_is_break(some[a], some[b]);
	CHECK(right);
	CHECK(same);
}

int
main(void)
{
	official();
	longer();
	parted();
	return tap_done();
}
