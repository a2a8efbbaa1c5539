/*
 * make_vocab.c - run when ctx is built: packs a tokenizer's vocabulary into a
 * compact file
 *
 *     make-vocab r50k|cl100k|o200k RANKS... > BLOCK
 *
 * The input files together list all tokens in the order of their ranks, each as
 * one byte with its length, and then its bytes (see lib/gen/data/README).
 */
#define PROGRAM "make-vocab"
#include <string.h>

#include "gen/input.h"
#include "tokenizer/vocabulary/build.h"

static struct ctx_build_token *tokens;

static void
read_file(struct ctx_buf *buf, const char *name)
{
	FILE *in = fopen(name, "rb");
	char part[65536];
	struct ctx_err err;
	size_t n;

	check(in != NULL, name);
	while ((n = fread(part, 1, sizeof part, in)) > 0)
		check(ctx_buf_add(buf, part, n, &err) == 0, err.text);
	check(!ferror(in), name);
	fclose(in);
}

static void
add_token(size_t i, const char *p, size_t n)
{
	tokens[i].p = p;
	tokens[i].n = n;
	tokens[i].id = (uint32_t)i;
}

static const struct {
	const char *name;
	struct ctx_pretokenizer pretokenizer;
} schemes[] = {
    {"r50k", {CTX_PRETOKENIZER_R50K, 0, 1, 0}},
    {"cl100k", {CTX_PRETOKENIZER_CL100K, 3, 1, 0}},
    {"o200k", {CTX_PRETOKENIZER_O200K, 3, 1, 0}},
};

int
main(int argc, char **argv)
{
	struct ctx_vocab_builder pack = {.whole = true};
	struct ctx_buf buf = {0};
	struct ctx_err err;
	size_t size, i;
	void *block;
	int arg;

	for (i = 0; i < 3 && argc > 2; i++)
		if (strcmp(schemes[i].name, argv[1]) == 0)
			break;
	check(argc >= 3 && i < 3,
	    "usage: make-vocab r50k|cl100k|o200k RANKS... > BLOCK");
	pack.pretokenizer = schemes[i].pretokenizer;
	for (arg = 2; arg < argc; arg++)
		read_file(&buf, argv[arg]);
	tokens = calloc(buf.n + 1, sizeof *tokens);
	check(tokens != NULL, "out of memory");
	pack.n = split_strings(buf.p, buf.n, add_token);
	pack.tokens = tokens;
	check(ctx_vocab_build(&pack, &block, &size, &err) == 0, err.text);
	check(fwrite(block, 1, size, stdout) == size && fflush(stdout) == 0,
	    "cannot write");
	free(block);
	free(tokens);
	ctx_buf_release(&buf);
	return 0;
}
