/*
 * sweep.h - the parts of the sweep: trials, runs, what they leave, verdicts
 *
 * A trial is a command line.  It is run once as it is, and then again and
 * again with one fault; its output and the files in its directory are
 * compared with those of the run without a fault.
 */
#ifndef FAULT_SWEEP_H
#define FAULT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_ARGS 40

/* What a trial may do when it fails, beside writing less. */
enum {
	TRIAL_LINES = 1 << 0,   /* a line may be left unchanged */
	TRIAL_WHOLE = 1 << 1,   /* the whole input may be left unchanged */
	TRIAL_SARIF = 1 << 2,   /* the output says that it is not whole */
	TRIAL_CHILD = 1 << 3,   /* it runs a command of the user's */
	TRIAL_REFUSES = 1 << 4, /* its input may not be for it */
	TRIAL_PART = 1 << 5,    /* it may be as if its input ended early */
	TRIAL_TORN = 1 << 6, /* its archive is there, the last line cut short */
	TRIAL_COPY = 1 << 7, /* it replaces the file few, a copy of in/few */
};

struct trial {
	const char *line; /* words separated by blanks; <FILE is its input */
	unsigned may;
};

extern const struct trial trials[]; /* ends with a line of NULL */

struct bytes {
	char *p;
	size_t n;
};

/* A file below the directory of a run. */
struct entry {
	char path[256];
	bool directory;
	struct bytes bytes;
};

struct tree {
	struct entry *entry;
	size_t n;
};

struct result {
	int status; /* of wait(2) */
	bool late;  /* it had to be killed */
	struct bytes out, err;
	struct tree tree;
};

/* What the whole sweep knows. */
struct sweep {
	const char *bin;   /* directory of the commands, absolute */
	const char *tools; /* of what is preloaded, absolute */
	bool all;          /* nothing is left to chance */
	bool few;          /* of each kind one is enough */
	uint64_t seed;
	uint64_t random; /* state of the generator */
	size_t runs, faults, bad;
	size_t others; /* faults in threads and children */
	const struct trial *trial;
	struct result base; /* of the trial, with nothing wrong */
	struct bytes input; /* of the trial */
};

/* How a run is made; zero is the plain way. */
struct how {
	const char *const *before; /* words put before the command */
	const char *preload;       /* name of a library of tools */
	const char *const *env;    /* NAME=VALUE */
	bool killed;               /* after these microseconds: */
	uint64_t wait;
	int feed; /* bytes per write to its pipes; 0: files, no pipes */
};

/* run.c */
void run(struct sweep *s, const struct how *how, struct result *to);
void result_free(struct result *result);
struct bytes slurp(const char *path);
_Noreturn void die(const char *what);

/* tree.c */
void tree_read(const char *path, struct tree *tree);
void tree_free(struct tree *tree);
void tree_clear(const char *path);
const struct entry *tree_find(const struct tree *tree, const char *path);

/* judge.c: NULL if the run is right or a clean failure, else what is wrong.
 * A cause is what the line has to name; quiet: it may say nothing. */
const char *judge(struct sweep *s, const struct result *got, const char *cause,
    bool quiet);
/* The same of a run that was killed: only what it left is looked at. */
const char *judge_killed(struct sweep *s, const struct result *got);
/* Is it the right output, with nothing else? */
bool is_right(struct sweep *s, const struct result *got);
/* Tells what is wrong. */
void complain(struct sweep *s, const char *fault, const char *why,
    const struct result *got);

/* calls.c, memory.c, pieces.c, kills.c: one sweep of the trial each */
void sweep_calls(struct sweep *s);
void sweep_memory(struct sweep *s);
void sweep_sites(struct sweep *s);
void sweep_pieces(struct sweep *s);
void sweep_kills(struct sweep *s);
void sweep_random(struct sweep *s);
void sweep_signals(struct sweep *s);

/* What a library of tools and the sweep both see. */
struct shared {
	uint64_t count, failed;
};
struct shared *share(void);
void unshare_it(struct shared *shared);

/* A call of a trial: how often its main thread made it before main, and in
 * all; and how often others did, which are its threads and children. */
#define MOST_CALLS 80
struct call {
	char name[40];
	unsigned number; /* the kernel's */
	size_t before, all, others;
};
void list_calls(struct sweep *s, struct call calls[MOST_CALLS]);

/* others.c: what "sweep others" does; an exit status. */
int fail_others(char **argv);

/* Begins the numbers anew, of the seed, the trial and a word: that one trial
 * made more calls than before chooses nothing for others. */
void draw_anew(struct sweep *s, const char *what);
/* A number below n. */
uint64_t below(struct sweep *s, uint64_t n);
/* Is one of n faults tried, if so many of them are enough? */
bool is_tried(struct sweep *s, uint64_t n, uint64_t enough);

#endif
