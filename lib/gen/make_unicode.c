/*
 * make_unicode.c - run when ctx is built: makes tables of Unicode categories
 * and character classes
 *
 * make-unicode unicode16.tsv > C
 *
 * The input has ranges of characters.  The output is a lookup table with two
 * levels: the first level has, for each block of characters, the number of a
 * row of the second level; a row has the values of the block's characters.
 * Equal rows are stored once.
 */
#define PROGRAM "make-unicode"
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
	check(false, name);
	return 0;
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
read_line(const char *line)
{
	unsigned first, last;
	char name[3], white[2];
	int fields =
	    sscanf(read_range(line, &first, &last), "%2s %1s", name, white);

	check(fields >= 1, line);
	memset(category_of + first, category_named(name), last - first + 1);
	memset(class_of + first,
	    fields == 2 ? CTX_CLASS_SPACE : class_of_category(name),
	    last - first + 1);
}

int
main(int argc, char **argv)
{
	check(argc == 2, "usage: make-unicode unicode16.tsv > C");
	read_lines(argv[1], read_line);
	printf("/* made by lib/gen/make_unicode.c */\n"
	       "#include \"tokenizer/unicode.h\"\n");
	print_table("class", "uint8_t", class_of, POINTS);
	print_table("category", "uint16_t", category_of, POINTS);
	return fflush(stdout) != 0;
}
