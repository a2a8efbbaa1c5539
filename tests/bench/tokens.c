/*
 * tokens.c - how fast tokens are counted
 *
 *   tokens BACKEND ENCODING FILE [PASSES]
 *
 * Reads the file, counts it once with a fresh counter (cold: nothing of the
 * vocabulary was touched before) and then again and again with the same one
 * (warm), and prints: tokens, cold MB/s, best warm MB/s.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctx.h"

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
die(const char *what)
{
	fprintf(stderr, "tokens: %s\n", what);
	exit(2);
}

static enum ctx_simd
simd_named(const char *name)
{
	static const struct {
		const char *name;
		enum ctx_simd simd;
	} all[] = {
	    {"best", CTX_SIMD_BEST},
	    {"portable", CTX_SIMD_PORTABLE},
	    {"avx2", CTX_SIMD_AVX2},
	    {"avx512", CTX_SIMD_AVX512},
	    {"neon", CTX_SIMD_NEON},
	};
	size_t i;

	for (i = 0; i < sizeof all / sizeof all[0]; i++)
		if (strcmp(all[i].name, name) == 0) {
			if (i > 0 && ctx_simd_pick(all[i].simd) !=
			    all[i].simd)
				exit(3); /* not on this machine */
			return all[i].simd;
		}
	die("no such back end");
	return CTX_SIMD_BEST;
}

static void
read_file(struct ctx_buf *buf, const char *name)
{
	FILE *in = fopen(name, "rb");
	struct ctx_err err;
	size_t got = 1;

	if (in == NULL)
		die(name);
	while (got > 0) {
		if (ctx_buf_reserve(buf, 1 << 20, &err) < 0)
			die(err.text);
		got = fread(buf->p + buf->n, 1, 1 << 20, in);
		buf->n += got;
	}
	fclose(in);
}

int
main(int argc, char **argv)
{
	struct ctx_tokenizer *tokenizer;
	struct ctx_token_counter *counter;
	double start, cold, warm = 1e9, took;
	struct ctx_buf buf = {0};
	uint64_t tokens, again;
	struct ctx_err err;
	int passes, i;

	if (argc < 4)
		die("usage: tokens BACKEND ENCODING FILE [PASSES]");
	passes = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 9;
	read_file(&buf, argv[3]);
	start = seconds();
	if (ctx_tokenizer_open(&tokenizer, argv[2], NULL, &err) < 0 ||
	    ctx_token_counter_open(&counter, tokenizer, simd_named(argv[1]),
	    &err) < 0 ||
	    ctx_token_count(counter, buf.p, buf.n, &tokens, &err) < 0)
		die(err.text);
	cold = seconds() - start;
	for (i = 0; i < passes; i++) {
		start = seconds();
		if (ctx_token_count(counter, buf.p, buf.n, &again, &err) < 0)
			die(err.text);
		took = seconds() - start;
		if (took < warm)
			warm = took;
		if (again != tokens)
			die("the second count differs from the first");
	}
	printf("%llu %.1f %.1f\n", (unsigned long long)tokens,
	    (double)buf.n / 1e6 / cold, (double)buf.n / 1e6 / warm);
	ctx_token_counter_close(counter);
	ctx_tokenizer_close(tokenizer);
	ctx_buf_release(&buf);
	return 0;
}
