/*
 * make_unicode.c - makes the tables of Unicode categories and character classes
 * when ctx is built
 *
 * Reads ranges of characters with their categories (unicode16.tsv) from
 * standard input.  Writes C tables to standard output: the first maps each
 * block of characters to a row of the second, which has a value for each
 * character of the block.
 */
#include "gen/blocks.h"
#include "tokenizer/unicode.h"

static uint8_t category_of[POINTS], class_of[POINTS];

static uint8_t
category_named(const char *name)
{
	static const char names[] = CTX_CATEGORIES;
	uint8_t i;

	for (i = 0; names[2 * i] != '\0'; i++)
		if (names[2 * i] == name[0] && names[2 * i + 1] == name[1])
			return i;
	fprintf(stderr, "unicode: no category %s\n", name);
	exit(1);
}

static uint8_t
class_of_category(const char *name)
{
	switch (name[0]) {
	case 'L':
		return name[1] == 'l'                  ? CTX_CLASS_LOWER
		    : name[1] == 'u' || name[1] == 't' ? CTX_CLASS_UPPER
						       : CTX_CLASS_LETTER;
	case 'M':
		return CTX_CLASS_MARK;
	case 'N':
		return CTX_CLASS_NUMBER;
	default:
		return CTX_CLASS_OTHER;
	}
}

static void
read_ranges(FILE *in)
{
	char line[200], name[3], white[2];
	unsigned first, last, n;
	int fields;

	while (fgets(line, sizeof line, in) != NULL) {
		if (line[0] == '#')
			continue;
		fields =
		    sscanf(line, "%x %x %2s %1s", &first, &last, name, white);
		if (fields < 3 || first > last || last >= POINTS) {
			fprintf(stderr, "unicode: bad line: %s", line);
			exit(1);
		}
		n = last - first + 1;
		memset(category_of + first, category_named(name), n);
		memset(class_of + first,
		    fields == 4 ? CTX_CLASS_SPACE : class_of_category(name), n);
	}
}

int
main(void)
{
	read_ranges(stdin);
	printf("/* made by lib/gen/make_unicode.c */\n"
	       "#include \"tokenizer/unicode.h\"\n");
	print_table("class", "uint8_t", class_of);
	print_table("category", "uint16_t", category_of);
	return fflush(stdout) != 0;
}
