/* vocabulary_cache.c - tests the cache of packed vocabularies: damaged and
 * shared files */
#include <sys/stat.h>
#include <sys/wait.h>

#include "vocabulary_files.h"

static bool
as_wanted(const char *file, const struct ctx_tokens *want)
{
	struct ctx_tokens got = {0};
	bool is;

	encode(file, cache, &got);
	is = same(&got, want);
	ctx_tokens_release(&got);
	return is;
}

/* Changes one bit of a file. */
static void
flip(const char *name, long at, unsigned bit)
{
	FILE *f = fopen(name, "r+b");
	int c;

	NEED(f != NULL && fseek(f, at, SEEK_SET) == 0);
	c = fgetc(f);
	NEED(c != EOF && fseek(f, at, SEEK_SET) == 0);
	fputc(c ^ (1 << bit), f);
	NEED(fclose(f) == 0);
}

static void
flipped_bits(void)
{
	struct ctx_tokens want = {0};
	unsigned long long seed = 11, random;
	struct stat before, after;
	char name[400], file[120];
	long at, size;
	unsigned i;

	tap_case("a flipped bit in the cache changes no token");
	while (only_cached(name, sizeof name) > 0 && unlink(name) == 0)
		;
	(void)snprintf(file, sizeof file, "%s/tokenizer.json", directory);
	encode(file, NULL, &want);
	CHECK(as_wanted(file, &want));
	CHECK(only_cached(name, sizeof name) == 1);
	CHECK(stat(name, &before) == 0);
	size = (long)before.st_size;
	for (i = 0; i < 400; i++) {
		random = tap_random(&seed);
		at = i < 250 ? 2 * (long)i
		    : i < 258
		    ? size - 1 - (long)(i % 8)
		    : (long)((random >> 20) % (unsigned long long)size);
		CHECK(stat(name, &before) == 0);
		flip(name, at, (unsigned)(random >> 60) % 8);
		CHECK(as_wanted(file, &want));
		/* The damaged file was replaced by a new file. */
		CHECK(stat(name, &after) == 0 && after.st_ino != before.st_ino);
		CHECK(after.st_size == size);
	}
	for (at = 0; at < size; at += size / 20) {
		CHECK(truncate(name, at) == 0 && as_wanted(file, &want));
		CHECK(stat(name, &after) == 0 && after.st_size == size);
	}
	ctx_tokens_release(&want);
}

static void
many_at_once(void)
{
	struct ctx_tokens want = {0};
	char name[400], file[120];
	pid_t children[8];
	unsigned i, round;
	int status;

	tap_case("several threads may fill the cache at once");
	(void)snprintf(file, sizeof file, "%s/tokenizer.json", directory);
	encode(file, NULL, &want);
	for (round = 0; round < 5; round++) {
		while (only_cached(name, sizeof name) > 0 && unlink(name) == 0)
			;
		fflush(stdout);
		for (i = 0; i < 8; i++) {
			children[i] = fork();
			NEED(children[i] >= 0);
			if (children[i] == 0)
				_exit(!as_wanted(file, &want));
		}
		for (i = 0; i < 8; i++)
			CHECK(waitpid(children[i], &status, 0) == children[i] &&
			    status == 0);
		CHECK(only_cached(name, sizeof name) == 1);
		CHECK(as_wanted(file, &want));
	}
	ctx_tokens_release(&want);
}

int
main(void)
{
	json_t *root;

	init_files();
	root = make_tokenizer();
	write_json("tokenizer.json", root);
	json_decref(root);
	flipped_bits();
	many_at_once();
	remove_files();
	return tap_done();
}
