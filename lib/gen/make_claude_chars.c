/*
 * make_claude_chars.c - makes the tables of characters of Claude's encodings
 * when ctx is built
 *
 * Reads claude_chars.tsv from standard input and writes C to standard output.
 */
#include <stdbool.h>

#include "gen/blocks.h"
#include "tokenizer/claude/chars.h"

enum { KINDS = 100, RANGES = 2000 };

static uint16_t kinds[KINDS]; /* different properties; 0 is the first */
static unsigned n_kinds = 1;
static struct ctx_lower lower[RANGES];
static unsigned n_lower;
static uint8_t kind_of[POINTS];

static void
check(bool is, const char *what)
{
	if (is)
		return;
	fprintf(stderr, "claude_chars: %s\n", what);
	exit(1);
}

/* Returns the properties of a character, as bits. letters: the properties as
 * claude_chars.tsv writes them, one letter for each. */
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
	int fields = sscanf(line, "%x %x %19s %x", &first, &last, letters, &to);

	check(fields >= 3 && first <= last && last < 0x10000, line);
	if (fields == 4) {
		check(n_lower < RANGES && to < 0x10000, line);
		check(n_lower == 0 || lower[n_lower - 1].last < first, line);
		lower[n_lower++] = (struct ctx_lower){(uint16_t)first,
		    (uint16_t)last, (uint16_t)to};
		return;
	}
	memset(kind_of + first, add_kind(read_letters(letters)),
	    last - first + 1);
}

int
main(void)
{
	char line[200];
	unsigned i;

	while (fgets(line, sizeof line, stdin) != NULL)
		if (line[0] != '#')
			read_line(line);
	printf("/* made by lib/gen/make_claude_chars.c */\n"
	       "#include \"tokenizer/claude/chars.h\"\n");
	print_table("claude", "uint8_t", kind_of);
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
