/*
 * make_claude_chars.c - run when ctx is built: makes tables of the properties
 * that characters have in the encodings of Claude
 *
 *     make-claude_chars claude_chars.tsv > C
 */
#define PROGRAM "make-claude_chars"
#include "gen/blocks.h"
#include "tokenizer/claude/chars.h"

/* Maximum sizes of the tables.  KINDS: number of different sets of properties;
 * RANGES: number of ranges of characters with a lower-case form; LISTED: the
 * table contains only the characters below this code point. */
enum { KINDS = 100, RANGES = 2000, LISTED = 0x10000 };

static uint16_t kinds[KINDS]; /* the different sets of properties */
static unsigned n_kinds = 1;
static struct ctx_lower lower[RANGES];
static unsigned n_lower;
static uint8_t kind_of[LISTED];

/* Reads the set of properties of a character from a line of claude_chars.tsv,
 * in which letters stand for the class of the character and for other
 * properties.  Returns the number of the class and a bit for each other
 * property. */
static uint16_t
read_letters(const char *letters)
{
	const char *at;
	unsigned bits = 0;

	for (; *letters != '\0'; letters++) {
		at = strchr(CTX_RUN_LETTERS, *letters);
		if (at != NULL) {
			bits |= (unsigned)(at - CTX_RUN_LETTERS);
			continue;
		}
		at = strchr(CTX_CHAR_LETTERS, *letters);
		check(at != NULL, letters);
		bits |= (unsigned)CTX_CHAR_STRAY << (at - CTX_CHAR_LETTERS);
	}
	return (uint16_t)bits;
}

static uint8_t
add_kind(uint16_t properties)
{
	unsigned i;

	for (i = 0; i < n_kinds; i++)
		if (kinds[i] == properties)
			return (uint8_t)i;
	check(n_kinds < KINDS, "too many kinds");
	kinds[n_kinds++] = properties;
	return (uint8_t)i;
}

static void
read_line(const char *line)
{
	unsigned first, last, to;
	char letters[20];
	int fields =
	    sscanf(read_range(line, &first, &last), "%19s %x", letters, &to);

	check(fields >= 1 && last < LISTED, line);
	if (fields == 2) {
		check(n_lower < RANGES && to < LISTED, line);
		check(n_lower == 0 || lower[n_lower - 1].last < first, line);
		lower[n_lower++] = (struct ctx_lower){(uint16_t)first,
		    (uint16_t)last, (uint16_t)to};
		return;
	}
	memset(kind_of + first, add_kind(read_letters(letters)),
	    last - first + 1);
}

int
main(int argc, char **argv)
{
	unsigned i;

	check(argc == 2, "usage: make-claude_chars claude_chars.tsv > C");
	read_lines(argv[1], read_line);
	printf("/* made by lib/gen/make_claude_chars.c */\n"
	       "#include \"tokenizer/claude/chars.h\"\n");
	print_table("claude", "uint8_t", kind_of, LISTED);
	printf("const uint16_t ctx_claude_properties[%u] = {", n_kinds);
	for (i = 0; i < n_kinds; i++)
		print_number(i, kinds[i]);
	printf("\n};\nconst size_t ctx_claude_n_lower = %u;\n"
	       "const struct ctx_lower ctx_claude_lower[%u] = {\n",
	    n_lower, n_lower);
	for (i = 0; i < n_lower; i++)
		printf("{%u, %u, %u},\n", lower[i].first, lower[i].last,
		    lower[i].lower);
	printf("};\n");
	return fflush(stdout) != 0;
}
