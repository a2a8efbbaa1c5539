/*
 * tokens.c - measures how fast tokens are counted
 *
 *   tokens text BACKEND ENCODING FILE     the file as one text
 *   tokens json BACKEND ENCODING FILE     each line a JSON string: its text
 *   tokens strings FILE                   FILE as such lines
 *   tokens messages FILE                  FILE as messages, for ctx-count
 *   tokens run COMMAND [ARG...]           a command, its output thrown away
 *
 * text and json count once with a new counter (cold: no part of the vocabulary
 * is in the caches), and then several times with the same counter (warm).  They
 * print the number of tokens, the cold speed and the best warm speed, in MB of
 * text per second. run prints the shortest processor time of several runs, in
 * milliseconds.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "json/json.h"
#include "tokenizer/tokenizer.h"

enum {
	/* number of warm passes, of which the fastest is printed */
	PASSES = 9,
	RUNS = 15,     /* number of runs of a command */
	STRING = 4000, /* bytes of text in a string or message */
};

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
			if (i > 0 &&
			    ctx_simd_resolve(all[i].simd) != all[i].simd)
				/* The instruction set is not available on this
				 * machine. */
				exit(3);
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

/* What is counted. bytes: number of bytes of its texts. */
struct job {
	struct ctx_token_counter *counter;
	struct ctx_buf file, text;
	size_t bytes;
	bool json;
};

static uint64_t
count(struct job *job)
{
	const char *p = job->file.p, *end = p + job->file.n, *line;
	uint64_t tokens, sum = 0;
	struct ctx_err err;

	job->bytes = job->file.n;
	if (!job->json) {
		if (ctx_token_count(job->counter, p, job->file.n, &sum, &err) <
		    0)
			die(err.text);
		return sum;
	}
	for (job->bytes = 0; p < end; p = line + 1) {
		line = memchr(p, '\n', (size_t)(end - p));
		if (line == NULL)
			die("a line without an end");
		job->text.n = 0;
		if (ctx_json_string_decode(&job->text,
			(struct ctx_str){p, (size_t)(line - p)}, &err) < 0 ||
		    ctx_token_count(job->counter, job->text.p, job->text.n,
			&tokens, &err) < 0)
			die(err.text);
		job->bytes += job->text.n;
		sum += tokens;
	}
	return sum;
}

static int
measure(bool json, char **argv)
{
	struct job job = {.json = json};
	struct ctx_tokenizer *tokenizer;
	double start, cold, warm = 1e9, took;
	struct ctx_err err;
	uint64_t tokens;
	int i;

	read_file(&job.file, argv[2]);
	start = seconds();
	if (ctx_tokenizer_open(&tokenizer, argv[1], NULL, &err) < 0 ||
	    ctx_token_counter_open(&job.counter, tokenizer, simd_named(argv[0]),
		&err) < 0)
		die(err.text);
	tokens = count(&job);
	cold = seconds() - start;
	for (i = 0; i < PASSES; i++) {
		start = seconds();
		if (count(&job) != tokens)
			die("the second count differs from the first");
		took = seconds() - start;
		warm = took < warm ? took : warm;
	}
	printf("%llu %.1f %.1f\n", (unsigned long long)tokens,
	    (double)job.bytes / 1e6 / cold, (double)job.bytes / 1e6 / warm);
	ctx_token_counter_close(job.counter);
	ctx_tokenizer_close(tokenizer);
	ctx_buf_release(&job.file);
	ctx_buf_release(&job.text);
	return 0;
}

static int
write_strings(const char *file, bool messages)
{
	struct ctx_buf text = {0}, out = {0};
	struct ctx_err err;
	size_t at, n;

	read_file(&text, file);
	for (at = 0; at < text.n; at += n) {
		n = text.n - at < STRING ? text.n - at : STRING;
		while (at + n < text.n && (text.p[at + n] & 0xc0) == 0x80)
			n--;
		out.n = 0;
		if (ctx_json_string_encode(&out, text.p + at, n, &err) < 0)
			die(err.text);
		printf(messages ? "{\"role\":\"user\",\"content\":%.*s}\n"
				: "%.*s\n",
		    (int)out.n, out.p);
	}
	ctx_buf_release(&text);
	ctx_buf_release(&out);
	return 0;
}

static double
children(void)
{
	struct rusage r;

	getrusage(RUSAGE_CHILDREN, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	    (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

static int
run(char **argv)
{
	double before, took, least = 1e9;
	int i, status, out;
	pid_t pid;

	for (i = 0; i < RUNS; i++) {
		before = children();
		pid = fork();
		if (pid < 0)
			die("fork");
		if (pid == 0) {
			out = open("/dev/null", O_WRONLY);
			dup2(out, 1);
			execv(argv[0], argv);
			_exit(127);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0)
			die(argv[0]);
		took = children() - before;
		least = took < least ? took : least;
	}
	printf("%.3f\n", least * 1e3);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc == 5 && strcmp(what, "text") == 0)
		return measure(false, argv + 2);
	if (argc == 5 && strcmp(what, "json") == 0)
		return measure(true, argv + 2);
	if (argc == 3 && strcmp(what, "strings") == 0)
		return write_strings(argv[2], false);
	if (argc == 3 && strcmp(what, "messages") == 0)
		return write_strings(argv[2], true);
	if (argc > 2 && strcmp(what, "run") == 0)
		return run(argv + 2);
	die("usage: tokens text|json BACKEND ENCODING FILE, "
	    "strings|messages FILE, run COMMAND");
}
