/*
 * sweep.h - declarations shared by the files of the sweep
 *
 * A trial is a command line.  It is run once without a fault, and then many
 * times with one fault each.  The output and the files of each run are compared
 * with those of the run without a fault.
 */
#ifndef FAULT_SWEEP_H
#define FAULT_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_ARGS 40

/* What a trial may do after a fault, besides writing less output. */
enum {
	TRIAL_LINES = 1 << 0,   /* a line may be left unchanged */
	TRIAL_WHOLE = 1 << 1,   /* the whole input may be left unchanged */
	TRIAL_SARIF = 1 << 2,   /* the output says that it is incomplete */
	TRIAL_CHILD = 1 << 3,   /* the trial runs a command of the user */
	TRIAL_REFUSES = 1 << 4, /* the trial may refuse its input */
	/* the output may be that of a beginning of the input */
	TRIAL_PART = 1 << 5,
	/* the archive exists before, and its last line is incomplete */
	TRIAL_TORN = 1 << 6,
	/* the trial replaces the file "few", a copy of in/few */
	TRIAL_COPY = 1 << 7,
};

struct trial {
	/* command line: words separated by blanks; <FILE is its standard
	 * input */
	const char *line;
	unsigned may;
};

/* array; the member line of the last element is NULL */
extern const struct trial trials[];

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
	int status; /* exit status as of wait(2) */
	bool late;  /* true if the run took too long and was killed */
	struct bytes out, err;
	struct tree tree;
};

/* The state of the whole sweep. */
struct sweep {
	const char *bin;   /* absolute path of the directory of the commands */
	const char *tools; /* absolute path of the preloaded libraries */
	bool all;          /* all faults are tried */
	bool few;          /* one fault of each kind is tried */
	uint64_t seed;
	uint64_t random; /* state of the random number generator */
	size_t runs, faults, bad;
	size_t others; /* number of faults in threads and children */
	const struct trial *trial;
	struct result base; /* result of the trial without a fault */
	struct bytes input; /* contents of the trial's input file */
};

/* How a command is run.  All members 0: without a fault. */
struct how {
	const char *const *before; /* words that are put before the command */
	const char *preload;       /* name of a preloaded library, or NULL */
	const char *const *env;    /* environment variables, as NAME=VALUE */
	/* true if the run is killed after the following time in microseconds */
	bool killed;
	uint64_t wait;
	/* number of bytes per write to the pipes; 0: files in place of pipes */
	int feed;
};

/* functions in run.c */
void run(struct sweep *s, const struct how *how, struct result *to);
void result_free(struct result *result);
struct bytes slurp(const char *path);
_Noreturn void die(const char *what);

/* functions in tree.c */
void tree_read(const char *path, struct tree *tree);
void tree_free(struct tree *tree);
void tree_clear(const char *path);
const struct entry *tree_find(const struct tree *tree, const char *path);

/* judge.c: returns NULL if the run is right or has failed cleanly, otherwise a
 * text that says what is wrong. cause: text that the error message must
 * contain. quiet: true if no message is needed. */
const char *judge(struct sweep *s, const struct result *got, const char *cause,
    bool quiet);
/* Like judge, for a run that was killed: looks only at the files that it
 * left. */
const char *judge_killed(struct sweep *s, const struct result *got);
/* Returns true if the run has the right output, and no other output. */
bool is_right(struct sweep *s, const struct result *got);
/* Prints what is wrong. */
void complain(struct sweep *s, const char *fault, const char *why,
    const struct result *got);

/* calls.c, memory.c, pieces.c, kills.c: each function makes one sweep over the
 * trial */
void sweep_calls(struct sweep *s);
void sweep_memory(struct sweep *s);
void sweep_sites(struct sweep *s);
void sweep_pieces(struct sweep *s);
void sweep_kills(struct sweep *s);
void sweep_random(struct sweep *s);
void sweep_signals(struct sweep *s);

/* Memory that a preloaded library and the sweep share. */
struct shared {
	uint64_t count, failed;
};
struct shared *share(void);
void unshare_it(struct shared *shared);

/* The calls of one name in a trial. before, all: number of calls of the main
 * thread before main, and in total. others: number of calls of threads and
 * children. */
#define MOST_CALLS 80
struct call {
	char name[40];
	unsigned number; /* number of the system call in the kernel */
	size_t before, all, others;
};
void list_calls(struct sweep *s, struct call calls[MOST_CALLS]);

/* others.c: implements "sweep others"; returns an exit status */
int fail_others(char **argv);

/* Begins a new sequence of random numbers, which depends on the seed, the trial
 * and a word.  So the number of calls in one trial does not change the choices
 * in others. */
void draw_anew(struct sweep *s, const char *what);
/* Returns a random number below n. */
uint64_t below(struct sweep *s, uint64_t n);
/* Decides by chance whether one of n faults is tried. enough: number of faults
 * to try. */
bool is_tried(struct sweep *s, uint64_t n, uint64_t enough);

#endif
