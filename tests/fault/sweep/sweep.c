/*
 * sweep.c - runs every trial many times, each time with one fault
 *
 *     sweep MODE BIN TOOLS [SEED]
 *
 * BIN is the directory of the commands, TOOLS that of the preloaded libraries.
 * The current directory has the inputs in "in", an empty directory "run", and
 * perhaps a file "in/more" with more trials.  With ALL=yes, all faults are
 * tried; otherwise a random choice; with ALL=few, a small random choice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "sweep.h"

static const struct mode {
	const char *name;
	void (*sweep)(struct sweep *s);
	/* if not NULL: only trials that begin with this text */
	const char *only;
} modes[] = {
    {"calls", sweep_calls, "ctx-"},
    {"memory", sweep_memory, "ctx-"},
    {"sites", sweep_sites, "ctx-"},
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

bool
is_tried(struct sweep *s, uint64_t n, uint64_t enough)
{
	if (s->few)
		enough = 1;
	return s->all || n <= enough || below(s, n) < enough;
}

void
draw_anew(struct sweep *s, const char *what)
{
	const char *words[] = {s->trial->line, what};
	size_t i;

	/* computes the hash FNV-1a (Fowler, Noll, Vo) of the words */
	s->random = s->seed ^ 0xcbf29ce484222325;
	for (i = 0; i < 2; i++)
		for (; *words[i] != '\0'; words[i]++)
			s->random = (s->random ^ (unsigned char)*words[i]) *
			    0x100000001b3;
	s->random |= 1;
}

/* Returns the contents of the input file, whose name is the last word of the
 * line. */
static struct bytes
input_of(const struct trial *trial)
{
	const char *name = strstr(trial->line, "../in/"), *next;

	if (trial->may & TRIAL_COPY)
		return slurp("in/few");
	for (next = name; next != NULL; next = strstr(next + 1, "../in/"))
		name = next;
	return slurp(name == NULL ? "/dev/null" : name + 3);
}

static void
try(struct sweep *s, const struct mode *mode)
{
	size_t faults = s->faults, bad = s->bad;

	draw_anew(s, mode->name);
	run(s, &(struct how){0}, &s->base);
	s->input = input_of(s->trial);
	if (!WIFSIGNALED(s->base.status) && WEXITSTATUS(s->base.status) < 2)
		mode->sweep(s);
	else if (!(s->trial->may & TRIAL_REFUSES))
		complain(s, "nothing", "it fails by itself", &s->base);
	result_free(&s->base);
	free(s->input.p);
	if (getenv("VERBOSE") != NULL)
		printf("# %s: %zu faults, %zu bad\n", s->trial->line,
		    s->faults - faults, s->bad - bad);
	(void)fflush(stdout);
}

static void
try_all(struct sweep *s, const struct mode *mode, const struct trial *trial)
{
	const char *only = getenv("ONLY");

	for (s->trial = trial; s->trial->line != NULL; s->trial++)
		if (strncmp(s->trial->line, mode->only, strlen(mode->only)) ==
			0 &&
		    (only == NULL || strstr(s->trial->line, only) != NULL))
			try(s, mode);
}

/* Runs each line of a file as a trial.  Does nothing if the file does not
 * exist. */
static void
try_more(struct sweep *s, const struct mode *mode, const char *file)
{
	struct bytes all = slurp(file);
	struct trial one[2] = {{NULL,
				   TRIAL_LINES | TRIAL_WHOLE | TRIAL_SARIF |
				       TRIAL_REFUSES | TRIAL_PART},
	    {0}};
	char *rest;

	if (all.p == NULL)
		return;
	for (one->line = strtok_r(all.p, "\n", &rest); one->line != NULL;
	     one->line = strtok_r(NULL, "\n", &rest))
		try_all(s, mode, one);
	free(all.p);
}

int
main(int argc, char **argv)
{
	struct sweep s = {.seed = 1};
	const char *all = getenv("ALL");
	size_t i;

	if (argc < 4)
		return 2;
	if (strcmp(argv[1], "others") == 0)
		return argc < 7 ? 2 : fail_others(argv + 2);
	s.bin = argv[2];
	s.tools = argv[3];
	s.all = all != NULL && strcmp(all, "yes") == 0;
	s.few = all != NULL && strcmp(all, "few") == 0;
	if (argc > 4)
		s.seed = strtoull(argv[4], NULL, 10);
	for (i = 0; i < sizeof modes / sizeof modes[0]; i++)
		if (strcmp(modes[i].name, argv[1]) == 0)
			break;
	if (i == sizeof modes / sizeof modes[0])
		return 2;
	try_all(&s, &modes[i], trials);
	try_more(&s, &modes[i], "in/more");
	if (s.others > 0)
		printf("# %zu of these faults in threads and children\n",
		    s.others);
	printf("%s: %zu faults in %zu runs, %zu bad\n", argv[1], s.faults,
	    s.runs, s.bad);
	return s.bad > 0;
}
