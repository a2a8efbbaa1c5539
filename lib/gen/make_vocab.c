/*
 * make_vocab.c - packs a tokenizer's vocabulary into a compact file when ctx is
 * built
 *
 *     make-vocab r50k|cl100k|o200k RANKS... > VOCABULARY
 *
 * The input files, one after another, list the tokens in the order of their
 * ranks: for each token a byte with its length, then its bytes (see
 * lib/gen/data/README).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokenizer/vocabulary/build.h"

static void
die(const char *what)
{
	fprintf(stderr, "vocab: %s\n", what);
	exit(1);
}

static void
read_file(struct ctx_buf *buf, const char *name)
{
	FILE *in = fopen(name, "rb");
	char part[65536];
	struct ctx_err err;
	size_t n;

	if (in == NULL)
		die(name);
	while ((n = fread(part, 1, sizeof part, in)) > 0)
		if (ctx_buf_add(buf, part, n, &err) < 0)
			die(err.text);
	if (ferror(in))
		die(name);
	fclose(in);
}

static void
find_tokens(struct ctx_vocab_builder *pack, const struct ctx_buf *buf)
{
	struct ctx_build_token *tokens = calloc(buf->n + 1, sizeof *tokens);
	size_t at = 0;

	if (tokens == NULL)
		die("out of memory");
	while (at < buf->n) {
		tokens[pack->n].n = (unsigned char)buf->p[at++];
		tokens[pack->n].p = buf->p + at;
		tokens[pack->n].id = (uint32_t)pack->n;
		at += tokens[pack->n++].n;
	}
	if (at != buf->n)
		die("a rank file ends in a token");
	pack->tokens = tokens;
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
	if (argc < 3 || i == 3)
		die("usage: vocab r50k|cl100k|o200k RANKS...");
	pack.pretokenizer = schemes[i].pretokenizer;
	for (arg = 2; arg < argc; arg++)
		read_file(&buf, argv[arg]);
	find_tokens(&pack, &buf);
	if (ctx_vocab_build(&pack, &block, &size, &err) < 0)
		die(err.text);
	if (fwrite(block, 1, size, stdout) != size || fflush(stdout) != 0)
		die("cannot write");
	free(block);
	free((void *)pack.tokens);
	ctx_buf_release(&buf);
	return 0;
}
