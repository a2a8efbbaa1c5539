/*
 * blocks.h - prints lookup tables with one value per Unicode character, for
 * programs that run when ctx is built
 *
 * The characters are divided into blocks of 128.  Equal blocks are stored once,
 * and a first table maps each block to its values.
 */
#ifndef CTX_GEN_BLOCKS_H
#define CTX_GEN_BLOCKS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 0x110000, BLOCK = 128, BLOCKS = POINTS / BLOCK, MOST = 512 };

static uint16_t stage1[BLOCKS];
static uint8_t stage2[MOST][BLOCK];

static unsigned
fold_blocks(const uint8_t *of)
{
	unsigned used = 0, i, b;

	for (i = 0; i < BLOCKS; i++) {
		for (b = 0; b < used; b++)
			if (memcmp(stage2[b], of + i * BLOCK, BLOCK) == 0)
				break;
		if (b == MOST) {
			fprintf(stderr, "too many blocks\n");
			exit(1);
		}
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

/* Prints two C arrays: ctx_NAME_block, which maps each block of 128 characters
 * to the index of a block of values, and ctx_NAME_value, which has these blocks
 * of values. type: the C type of the elements of the first array. */
static void
print_table(const char *name, const char *type, const uint8_t *of)
{
	unsigned used = fold_blocks(of), i;

	printf("const %s ctx_%s_block[%u] = {", type, name, (unsigned)BLOCKS);
	for (i = 0; i < BLOCKS; i++)
		print_number(i, stage1[i]);
	printf("\n};\nconst uint8_t ctx_%s_value[%u] = {", name, used * BLOCK);
	for (i = 0; i < used * BLOCK; i++)
		print_number(i, stage2[i / BLOCK][i % BLOCK]);
	printf("\n};\n");
}

#endif
