/*
 * make_tables.c - run when ctx is built: writes the tables of the built-in
 * encodings one after another into one file
 *
 *     make-tables TABLE... > FILE
 *
 * The tables are given in the order of enum ctx_table
 * (lib/tokenizer/vocabulary/tables.h).
 */
#define PROGRAM "make-tables"
#include <string.h>

#include "gen/input.h"
#include "tokenizer/vocabulary/tables.h"

enum { FILE_MAX = 1 << 26 };

static char block[FILE_MAX];

/* Reads a whole file into the array "block".  The file begins at the element
 * with the index "at".  Returns the size of the file in bytes. */
static size_t
read_table(const char *name, size_t at)
{
	FILE *in = fopen(name, "rb");
	size_t n;

	check(in != NULL, name);
	n = fread(block + at, 1, sizeof block - at, in);
	check(!ferror(in) && n > 0 && n < sizeof block - at, name);
	fclose(in);
	return n;
}

int
main(int argc, char **argv)
{
	struct ctx_tables_head head = {.magic = CTX_TABLES_MAGIC,
	    .order = CTX_TABLES_ORDER,
	    .version = CTX_TABLES_VERSION};
	size_t end = sizeof head, i;

	check(argc == 1 + CTX_TABLES, "usage: make-tables TABLE... > FILE");
	for (i = 0; i < CTX_TABLES; i++) {
		end = (end + CTX_TABLES_ALIGN - 1) / CTX_TABLES_ALIGN *
		    CTX_TABLES_ALIGN;
		head.at[i] = end;
		end += read_table(argv[1 + i], end);
	}
	head.size = end;
	memcpy(block, &head, sizeof head);
	check(fwrite(block, 1, end, stdout) == end && fflush(stdout) == 0,
	    "cannot write");
	return 0;
}
