/*
 * blocks.h - prints lookup tables with one value per Unicode character; used by
 * programs that run when ctx is built
 *
 * A table has two levels.  The characters are divided into blocks of 128.  The
 * second level has rows of 128 values; the first level has, for each block, the
 * number of the row with the values of the block.  Blocks with equal values
 * share one row.
 */
#ifndef CTX_GEN_BLOCKS_H
#define CTX_GEN_BLOCKS_H

#include <stdint.h>
#include <string.h>

#include "gen/input.h"

enum { BLOCK = 128, BLOCKS = POINTS / BLOCK, MOST = 512 };

static uint16_t stage1[BLOCKS];
static uint8_t stage2[MOST][BLOCK];

static unsigned
fold_blocks(const uint8_t *of, unsigned blocks)
{
	unsigned used = 0, i, b;

	for (i = 0; i < blocks; i++) {
		for (b = 0; b < used; b++)
			if (memcmp(stage2[b], of + i * BLOCK, BLOCK) == 0)
				break;
		check(b < MOST, "too many blocks");
		if (b == used)
			memcpy(stage2[used++], of + i * BLOCK, BLOCK);
		stage1[i] = (uint16_t)b;
	}
	return used;
}

static void
print_number(unsigned i, unsigned value)
{
	printf("%s%u,", i % 32 == 0 ? "\n" : "", value);
}

/* Prints a lookup table as two C arrays. ctx_NAME_block: for each block of 128
 * characters, the number of a row. ctx_NAME_value: the rows, each with 128
 * values. of: array with the value of each character; points: number of
 * characters; type: C type of the elements of ctx_NAME_block. */
static void
print_table(const char *name, const char *type, const uint8_t *of,
    unsigned points)
{
	unsigned blocks = points / BLOCK, used = fold_blocks(of, blocks), i;

	printf("const %s ctx_%s_block[%u] = {", type, name, blocks);
	for (i = 0; i < blocks; i++)
		print_number(i, stage1[i]);
	printf("\n};\nconst uint8_t ctx_%s_value[%u] = {", name, used * BLOCK);
	for (i = 0; i < used * BLOCK; i++)
		print_number(i, stage2[i / BLOCK][i % BLOCK]);
	printf("\n};\n");
}

#endif
