/* similar.c - finds the name that is most similar to a misspelled word */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "cli/similar.h"

/* Maximum length in characters of a word for which a name is found. */
#define LONGEST 24

static size_t
get_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns the number of edits that turn one word into the other: a letter is
 * inserted, removed or replaced, or two letters are swapped.  Returns SIZE_MAX
 * if one of the words has more than LONGEST characters. */
static size_t
count_edits(const char *a, const char *b)
{
	/* edits[i][j]: number of edits that turn the first i characters of a
	 * into the first j characters of b */
	size_t edits[LONGEST + 1][LONGEST + 1], i, j;
	size_t n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return SIZE_MAX;
	for (i = 0; i <= n; i++)
		edits[i][0] = i;
	for (j = 1; j <= m; j++)
		edits[0][j] = j;
	for (i = 1; i <= n; i++)
		for (j = 1; j <= m; j++) {
			edits[i][j] = get_least(1 +
				get_least(edits[i - 1][j], edits[i][j - 1]),
			    edits[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				edits[i][j] = get_least(edits[i][j],
				    edits[i - 2][j - 2] + 1);
		}
	return edits[n][m];
}

/* Words that differ in more than MOST_EDITS characters, or in at least half of
 * their characters, are not similar. */
enum { MOST_EDITS = 3 };

void
cli_similar_add(struct cli_similar *similar, const char *name)
{
	size_t length = strlen(similar->word);
	bool begins = length > 1 && strncmp(similar->word, name, length) == 0;
	size_t edits = begins ? 0 : count_edits(similar->word, name);

	if (edits > MOST_EDITS || edits * 2 >= length ||
	    (similar->name != NULL && edits >= similar->edits))
		return;
	similar->name = name;
	similar->edits = edits;
}
