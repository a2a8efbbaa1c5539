/*
 * sweep.c - runs every trial with one thing going wrong, again and again
 *
 *     sweep MODE BIN TOOLS [SEED]
 *
 * BIN holds the commands, TOOLS what is preloaded; the current directory
 * holds the inputs and an empty directory "run".  With ALL=yes nothing is left
 * out by chance.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sweep.h"

static const struct mode {
	const char *name;
	void (*sweep)(struct sweep *s);
	const char *only; /* trials that begin so */
} modes[] = {
    {"calls", sweep_calls, "ctx-"},
    {"memory", sweep_memory, "ctx-"},
    {"pieces", sweep_pieces, "ctx-"},
    {"kills", sweep_kills, "ctx-age"},
    {"random", sweep_random, "ctx-age"},
    {"signals", sweep_signals, "ctx-"},
};

/* xorshift64 (Marsaglia, "Xorshift RNGs", 2003). */
uint64_t
below(struct sweep *s, uint64_t n)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random % n;
}

/* The last word of the line is the file that it reads. */
static struct bytes
input_of(const struct trial *trial)
{
	const char *name = strstr(trial->line, "../in/"), *next;

	for (next = name; next != NULL; next = strstr(next + 1, "../in/"))
		name = next;
	return slurp(name == NULL ? "/dev/null" : name + 3);
}

static void
try(struct sweep *s, const struct mode *mode)
{
	size_t faults = s->faults, bad = s->bad;

	run(s, &(struct how){0}, &s->base);
	s->input = input_of(s->trial);
	if (WIFSIGNALED(s->base.status) || WEXITSTATUS(s->base.status) == 2)
		complain(s, "nothing", "it fails by itself", &s->base);
	else
		mode->sweep(s);
	result_free(&s->base);
	free(s->input.p);
	if (getenv("VERBOSE") != NULL)
		printf("# %s: %zu faults, %zu bad\n", s->trial->line,
		    s->faults - faults, s->bad - bad);
	(void)fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct sweep s = {.random = 1};
	const char *all = getenv("ALL"), *only = getenv("ONLY");
	size_t i;

	if (argc < 4)
		return 2;
	s.bin = argv[2];
	s.tools = argv[3];
	s.all = all != NULL && strcmp(all, "yes") == 0;
	if (argc > 4)
		s.random = strtoull(argv[4], NULL, 10) | 1;
	for (i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (strcmp(modes[i].name, argv[1]) == 0)
			break;
	if (i == sizeof modes / sizeof modes[0])
		return 2;
	for (s.trial = trials; s.trial->line != NULL; s.trial++)
		if (strncmp(s.trial->line, modes[i].only,
			strlen(modes[i].only)) == 0 &&
		    (only == NULL || strstr(s.trial->line, only) != NULL))
			try(&s, &modes[i]);
	printf("%s: %zu faults in %zu runs, %zu bad\n", argv[1], s.faults,
	    s.runs, s.bad);
	return s.bad > 0;
}
