/*
 * unicode.c - host program: ranges of characters to a two-stage table
 *
 * Reads unicode16.tsv, writes C to standard output.  Code points are taken
 * in blocks of 128; equal blocks are stored once.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "token/unicode.h"

enum { POINTS = 0x110000, BLOCK = 128, BLOCKS = POINTS / BLOCK };

static uint8_t class_of[POINTS];
static uint8_t stage1[BLOCKS];
static uint8_t stage2[256][BLOCK];

static uint8_t
class_named(const char *name)
{
	static const struct {
		const char *name;
		uint8_t value;
	} classes[] = {
	    {"LU", CTX_CLASS_UPPER},
	    {"LO", CTX_CLASS_LOWER},
	    {"LUO", CTX_CLASS_LETTER},
	    {"N", CTX_CLASS_NUMBER},
	    {"S", CTX_CLASS_SPACE},
	    {"UO", CTX_CLASS_MARK},
	};
	size_t i;

	for (i = 0; i < sizeof classes / sizeof classes[0]; i++)
		if (strcmp(classes[i].name, name) == 0)
			return classes[i].value;
	fprintf(stderr, "unicode: no class %s\n", name);
	exit(1);
}

static void
read_ranges(FILE *in)
{
	char line[200], name[8];
	unsigned first, last;

	while (fgets(line, sizeof line, in) != NULL) {
		if (line[0] == '#')
			continue;
		if (sscanf(line, "%x %x %7s", &first, &last, name) != 3 ||
		    first > last || last >= POINTS) {
			fprintf(stderr, "unicode: bad line: %s", line);
			exit(1);
		}
		memset(class_of + first, class_named(name), last - first + 1);
	}
}

static unsigned
fold_blocks(void)
{
	unsigned used = 0, i, b;

	for (i = 0; i < BLOCKS; i++) {
		for (b = 0; b < used; b++)
			if (memcmp(stage2[b], class_of + i * BLOCK, BLOCK) == 0)
				break;
		if (b == 256) {
			fprintf(stderr, "unicode: too many blocks\n");
			exit(1);
		}
		if (b == used)
			memcpy(stage2[used++], class_of + i * BLOCK, BLOCK);
		stage1[i] = (uint8_t)b;
	}
	return used;
}

static void
print_bytes(const char *name, const uint8_t *p, unsigned n)
{
	unsigned i;

	printf("const uint8_t %s[%u] = {", name, n);
	for (i = 0; i < n; i++)
		printf("%s%u,", i % 32 == 0 ? "\n" : "", p[i]);
	printf("\n};\n");
}

int
main(void)
{
	unsigned used;

	read_ranges(stdin);
	used = fold_blocks();
	printf("/* made by lib/gen/unicode.c */\n"
	       "#include \"token/unicode.h\"\n");
	print_bytes("ctx_class_block", stage1, BLOCKS);
	print_bytes("ctx_class_value", stage2[0], used * BLOCK);
	return fflush(stdout) != 0;
}
