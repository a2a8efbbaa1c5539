/*
 * replay.c - runs a fuzz target over files, without a fuzzer
 *
 *     NAME [FILE...]
 *
 * Without FILE, runs the seeds and the corpus of the target in tests/fuzz.
 * Prints one TAP case per file.
 */
#include <dirent.h>
#include <stdio.h>

#include "fuzz.h"

static char *
read_file(const char *name, size_t *n)
{
	FILE *f = fopen(name, "rb");
	char *p = NULL;
	long size;

	if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0 ||
	    fseek(f, 0, SEEK_SET) != 0 ||
	    (p = malloc((size_t)size + 1)) == NULL) {
		perror(name);
		exit(2);
	}
	*n = fread(p, 1, (size_t)size, f);
	(void)fclose(f);
	return p;
}

/* Runs the target.  The bytes are copied to memory of exactly their size, so
 * that a sanitizer finds reads beyond the end. */
static void
run(const char *name)
{
	size_t n;
	char *p = read_file(name, &n), *exact = malloc(n + (n == 0));

	must(exact != NULL);
	memcpy(exact, p, n);
	free(p);
	(void)LLVMFuzzerTestOneInput((const uint8_t *)exact, n);
	free(exact);
}

static unsigned
run_directory(const char *dir)
{
	struct dirent *entry;
	char name[1000];
	unsigned n = 0;
	DIR *list = opendir(dir);

	if (list == NULL) {
		perror(dir);
		exit(2);
	}
	while ((entry = readdir(list)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(name, sizeof name, "%s/%s", dir, entry->d_name);
		/* prints the name first: if the target aborts, it is the last
		 * name */
		printf("# %s\n", name);
		(void)fflush(stdout);
		run(name);
		n++;
	}
	(void)closedir(list);
	return n;
}

int
main(int argc, char **argv)
{
	static const char *const kinds[] = {"seeds", "corpus"};
	const char *name = strrchr(argv[0], '/');
	char dir[500];
	unsigned n;
	bool good = true;
	int i;

	for (i = 1; i < argc; i++)
		run(argv[i]);
	if (argc > 1)
		return 0;
	name = name == NULL ? argv[0] : name + 1;
	if (strncmp(name, "fuzz-", 5) == 0)
		name += 5;
	for (i = 0; i < 2; i++) {
		(void)snprintf(dir, sizeof dir, "tests/fuzz/%s/%s", kinds[i],
		    name);
		n = run_directory(dir);
		printf("%s %d - the %u files of %s hold\n",
		    n > 0 ? "ok" : "not ok", i + 1, n, dir);
		good &= n > 0;
	}
	puts("1..2");
	return !good;
}
