/*
 * cli.h - what the commands share: options, messages, exit
 *
 * Each command has one table of options, which parses, prints --help and
 * feeds the completions.  Only messages.c, and progress.c and startup.c for
 * it, prints to standard error, reads the environment or exits.
 */
#ifndef CTX_CMD_CLI_CLI_H
#define CTX_CMD_CLI_CLI_H

#include <jansson.h>
#include <stdio.h>

#include "ctx.h"

/* What messages call it; and what can be said of a write that failed while
 * something else was done. */
#define CLI_STDOUT "standard output"
#define CLI_LOST   "a part of it was lost"

enum { CLI_YES = 0, CLI_NO = 1, CLI_TROUBLE = 2 }; /* exit statuses */

enum cli_type {
	CLI_FLAG,    /* bool */
	CLI_UNFLAG,  /* bool, set to false */
	CLI_STRING,  /* const char * */
	CLI_FILE,    /* the same, and not empty */
	CLI_NUMBER,  /* uint64_t: 20000, 20k, 1.5M */
	CLI_SPAN,    /* uint64_t, milliseconds: 90s, 30m, 2h, 7d */
	CLI_AMOUNT,  /* struct ctx_amount: a number or 70% */
	CLI_CHOICE,  /* unsigned: the index of one of choices */
	CLI_PATTERN, /* struct ctx_pattern, may be repeated */
	CLI_BITS,    /* unsigned: a bit for one of choices, may be repeated */
	CLI_HEADING, /* no option: a line of --help */
};

struct cli_option {
	char letter;      /* 0: none */
	const char *name; /* long, without its dashes */
	const char *arg;  /* what --help calls the argument */
	const char *help; /* one line, with the default */
	enum cli_type type;
	void *to;
	const char *(*choice)(unsigned i); /* name i, NULL after the last */
	bool *given; /* set when the option is used, or NULL */
};

/* What most commands are asked in common. */
struct cli {
	const char *name, *about, *operands, *examples;
	const struct cli_option *options; /* ends with an empty row */
	char **files;
	size_t n_files;
	/* Filled by the common options: */
	const char *dialect_name, *model, *encoding;
	const struct ctx_dialect *dialect;
	bool lenient, unbuffered, verbose, no_sandbox, progress_asked;
	bool still; /* no progress is drawn */
	uint64_t jobs;
	/* Its own: */
	int status;
	const char *spool; /* a directory for nothing else, or NULL */
	bool opened;       /* an input, and progress if there is any */
	struct cli_progress *progress;
	bool *drawn;      /* does it stand on standard error?  Or NULL */
	char cache[4096]; /* directory of compiled vocabularies */
	struct ctx_model *models; /* the user's, n_models of them ... */
	size_t n_models;
	void *models_text; /* ... and what holds their names */
};

/* The rows that every command has; a command's table ends with them. */
#define CLI_DIALECT(cli)                                                     \
	{.type = CLI_HEADING, .help = "Input and output"},                   \
	{                                                                    \
		'd', "dialect", "NAME", "message format (found out)",        \
		    CLI_STRING, &(cli)->dialect_name, cli_dialect_name, NULL \
	}
#define CLI_PASS(cli)                                                         \
	{0, "lenient", NULL, "pass lines that are no JSON", CLI_FLAG,         \
	    &(cli)->lenient, NULL, NULL},                                     \
	    {'u', "unbuffered", NULL, "write each record at once", CLI_FLAG,  \
		&(cli)->unbuffered, NULL, NULL},                              \
	    {'v', "verbose", NULL, "say what was done", CLI_FLAG,             \
		&(cli)->verbose, NULL, NULL},                                 \
	{                                                                     \
		0, "progress", NULL, "draw how far it is, at once", CLI_FLAG, \
		    &(cli)->progress_asked, NULL, NULL                        \
	}
/* The same for those that count tokens. */
#define CLI_COMMON(cli)                                                    \
	CLI_DIALECT(cli),                                                  \
	    {'m', "model", "NAME", "its window and tokenizer", CLI_STRING, \
		&(cli)->model, cli_model_name, NULL},                      \
	    {'e', "encoding", "NAME|FILE", "tokenizer (the model's)",      \
		CLI_STRING, &(cli)->encoding, cli_encoding_name, NULL},    \
	    CLI_PASS(cli)

/* For commands that run nobody else's. */
/* Of commands that count; jobs is 1 to begin with. */
#define CLI_JOBS(cli)                                                      \
	{                                                                  \
		'j', "jobs", "N", "threads that count; 0: one a core (1)", \
		    CLI_NUMBER, &(cli)->jobs, NULL, NULL                   \
	}

#define CLI_SANDBOX(cli)                                            \
	{                                                           \
		0, "no-sandbox", NULL, "keep all rights", CLI_FLAG, \
		    &(cli)->no_sandbox, NULL, NULL                  \
	}

/* Names of tools, for results and calls. */
#define CLI_TOOLS(only, except)                                               \
	{0, "tool", "REGEX", "only results of such tools", CLI_PATTERN, only, \
	    NULL, NULL},                                                      \
	{                                                                     \
		0, "not-tool", "REGEX", "no results of such tools",           \
		    CLI_PATTERN, except, NULL, NULL                           \
	}

/* What was done by one rule. */
struct cli_rule {
	const char *name, *action;
	uint64_t messages;
	uint64_t members; /* of requests, which are no messages */
	uint64_t lines;   /* of transcripts, that the model is not shown */
	uint64_t before, after; /* tokens */
};
#define CLI_RULES 24 /* more than there are */

/* --dry-run, --explain and --archive. */
struct cli_report {
	bool dry_run, json;
	const char *explain_path, *archive_path;
	bool by_file; /* the plan has a table for each file of the input */
	/* Its own: */
	FILE *explain;
	struct ctx_archive archive;
	struct cli_rule rules[CLI_RULES + 1]; /* then a name of NULL */
	const char *file;                     /* that they are of, or NULL */
};
#define CLI_REPORT(report)                                                    \
	{.type = CLI_HEADING, .help = "What went"},                           \
	    {'n', "dry-run", NULL, "print the plan, write nothing", CLI_FLAG, \
		&(report)->dry_run, NULL, NULL},                              \
	    {0, "json", NULL, "the same as JSON", CLI_FLAG, &(report)->json,  \
		NULL, NULL},                                                  \
	    {0, "explain", "FILE", "a JSON line for each message touched",    \
		CLI_FILE, &(report)->explain_path, NULL, NULL},               \
	{                                                                     \
		0, "archive", "FILE", "append there first what goes",         \
		    CLI_FILE, &(report)->archive_path, NULL, NULL             \
	}

/* Opens what was asked for and makes out tell report. */
void cli_report_open(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
void cli_report_close(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
/* Is the plan to be printed? */
bool cli_report_plans(const struct cli_report *report);
/* One row of a table, and the rows of all rules so far. */
void cli_report_row(const char *name, uint64_t messages, uint64_t tokens);
void cli_report_rules(struct cli_report *report);
/* The same as an object of JSON, or NULL if there is no memory. */
json_t *cli_report_object(struct cli_report *report, const char *file);
/* A string of JSON, with what is no UTF-8 masked: names of files may be so. */
json_t *cli_json_text(const char *p, size_t n);
/* Sets a member of an object that may be NULL, and returns it; or, if there
 * is no memory for it, NULL. */
json_t *cli_json_with(json_t *object, const char *key, json_t *value);
/* Writes an object on one line of what has this name, and forgets it; flags
 * are those of json_dumpf.  NULL stands for one that there was no memory
 * for. */
int cli_json_line(FILE *to, const char *name, json_t *line, size_t flags,
    struct ctx_err *err);
/* Dies if a file that is to be written is one that the command may read, or
 * what it writes besides: standard output or error, the file other (or NULL).
 * Each would be written over the other.  Nor may it be in the spool. */
void cli_refuse_overwrite(const struct cli *cli, const char *path,
    const char *other);
/* The file of --explain, made anew; trouble with it is the command's end.
 * other: as cli_refuse_overwrite has it. */
FILE *cli_explain_open(const struct cli *cli, const char *path,
    const char *other);
void cli_explain_close(const struct cli *cli, FILE *file, const char *path);
/* Makes a file anew, which is seen when it is whole (atomic_write.c); trouble
 * with it is the command's end. */
void cli_write_whole(const struct cli *cli, const char *path,
    const struct ctx_buf *bytes);
/* Another conversation begins. */
void cli_report_forget(struct cli_report *report);

const char *cli_dialect_name(unsigned i);
const char *cli_model_name(unsigned i);
const char *cli_encoding_name(unsigned i);
bool cli_is_built_in(const char *encoding);
/* "drop", "keep", "fail": enum ctx_reasoning. */
const char *cli_reasoning_name(unsigned i);
const char *cli_strategy_name(unsigned i);

/*
 * Reads the command line and the environment.  Does not return for --help,
 * --version, or a mistake.
 */
void cli_parse(struct cli *cli, int argc, char **argv);

/* A variable of the environment that is not empty, or NULL. */
const char *cli_environment(const char *name);
/* Reads a number of the environment into *to, if it is set; dies of one that
 * is no number.  The second reads a share such as 0.7, in thousandths of a
 * percent, and says whether it is set. */
void cli_env_number(const struct cli *cli, const char *name, uint64_t *to);
bool cli_tunable_share(const struct cli *cli, const char *name, uint64_t *to);

/* Opens the stream over files, with the common options applied. */
void cli_open(struct cli *cli, struct ctx_stream *stream, char **files,
    size_t n_files, struct ctx_writer *writer);
/*
 * Watches the reader of these files, for cli_open: how far the command is with
 * its operands is drawn on standard error, if it was asked for, or if that is
 * a terminal and the work lasts.  streams: the stream goes to standard output,
 * while it is read.
 */
void cli_progress_open(struct cli *cli, struct ctx_reader *reader,
    char *const *files, size_t n, bool streams);
/* Takes away what is drawn, before anything else is printed; it comes again.
 * What is said on standard error does this by itself. */
void cli_progress_clear(const struct cli *cli);
void cli_progress_close(struct cli *cli);
/* Has the messages of a stream counted by the threads of CLI_JOBS; after the
 * sandbox, which holds for threads begun in it. */
void cli_prefetch(struct cli *cli, struct ctx_stream *stream,
    struct ctx_model_counters *counters);
/* Warns of a mixed stream and of one without messages; with --verbose names
 * the dialect, and why and where it was found. */
void cli_note_stream(const struct cli *cli, const struct ctx_stream *stream);
void cli_close(struct ctx_stream *stream);
/*
 * Reads a file part by part; "-" is standard input.  take gets a part behind
 * what it left of those before, and removes from the front what it is done
 * with; ended says that no more comes.
 */
struct cli_parts {
	int (*take)(void *user, struct ctx_buf *text, bool ended,
	    struct ctx_err *err);
	void *user;
};
int cli_read_parts(const char *file, const struct cli_parts *parts,
    struct ctx_err *err);
/*
 * Reads the user's models: an object whose members are models, each an
 * object with any of window, input, output (tokens), vendor, encoding, exact,
 * factor, image [rule, x, y, edge], tools [rule, once, forced], cache,
 * cache_least, and price [in, out, read, write] (dollars for a million tokens;
 * see lib/gen/data/models.tsv).  What a model does not say is that of the
 * built-in one of its name; with an encoding it is exact, with a factor of 1.
 * An encoding that is a file is looked for beside this file.  A file that does
 * not exist holds none; any other trouble is the command's end.
 */
void cli_models_read(struct cli *cli, const char *file);
void cli_models_release(struct cli *cli);
/* Lists the user's models, then the table. */
void cli_models_print(const struct cli *cli, const struct ctx_models *own);

/* What a command still has to open once it reads its input, beside its
 * operands. */
struct cli_sandbox_grants {
	const struct ctx_model_counters
	    *counters;       /* its vocabularies; or NULL */
	const char *read;    /* a file that it will read; or NULL */
	const char *written; /* a file that it will make; or NULL */
	bool reopens;        /* its operands, which may be other files then */
	const struct ctx_spool *spool; /* one that is open; or NULL */
	bool stores;                   /* in that spool */
};
/* Sees to it that no core file is written: what people said to a model has no
 * place in one.  Nobody but root can trace the command then, either. */
void cli_no_core(void);
/* Gives up all other rights to open files, to run and to connect. */
void cli_sandbox(const struct cli *cli, const struct cli_sandbox_grants *needs);
/*
 * Opens the spool, for the sandbox allows only what is in a directory that is
 * there.  Sets needs->spool to it; without create and where there is none, sets
 * needs->read to the nearest directory above it that is there, an allocated
 * text.  0, or -1 with *err.
 */
int cli_open_spool(struct ctx_spool *spool, const char *dir, bool create,
    struct cli_sandbox_grants *needs, struct ctx_err *err);
/* Has calls fail that a command has no use for; -1 with errno if the kernel
 * can do it and does not.  After PR_SET_NO_NEW_PRIVS. */
long cli_refuse_calls(void);

/* A meter with model, encoding and the environment applied, and the user's
 * models; before cli_refuse_overwrite, which spares what they name. */
void cli_model_counters(struct cli *cli, struct ctx_model_counters *counters);
/* Says, once, of an unknown model what it is taken for; with --verbose where
 * the tokenizer of an estimated one is to be had. */
void cli_note_models(const struct cli *cli,
    struct ctx_model_counters *counters);

/*
 * Says, if there were any, of how many messages bound reasoning was kept after
 * a change, and how many conversations --reasoning fail left alone; of these
 * with status CLI_NO.
 */
void cli_note_reasoning(struct cli *cli, uint64_t kept, uint64_t refused);
/* Says that the pattern of an option took too long for a text, which stays as
 * it is then. */
void cli_note_pattern(const struct cli *cli, const char *option,
    const struct ctx_pattern *pattern);

/* One line on standard error, after the name of the command. */
void cli_say(const struct cli *cli, const char *fmt, ...) CTX_FORMAT(2, 3);
/* The same, then exit with CLI_TROUBLE. */
_Noreturn void cli_die(const struct cli *cli, const char *fmt, ...)
    CTX_FORMAT(2, 3);
/* Says that a file cannot be opened (what: "open"), with the errno sys; of a
 * long path it leaves out the end, never the cause. */
_Noreturn void cli_die_errno(const struct cli *cli, const char *what,
    const char *path, int sys);
/* Says what err says, with its place, then exits with CLI_TROUBLE; a reader
 * that has left ends the command without a word. */
_Noreturn void cli_fail(const struct cli *cli, const struct ctx_err *err);
/* May a terminal, or who looks at a picture, see this character as it is?
 * Not if it is a control, or turns the direction of a line. */
bool cli_is_safe(uint32_t cp);
/* Text for a terminal: the others are masked. */
void cli_print_masked(FILE *to, const char *p, size_t n);
/* "812", "9.4k", "1.2M", in a buffer of the caller's. */
const char *cli_short_number(char buf[16], uint64_t n);

/* Before anything else: standard descriptors that can be used, no core file,
 * and what jansson needs. */
void cli_begin(void);
/* Ends a command that was only asked about itself. */
_Noreturn void cli_exit_ok(const struct cli *cli);
/* Ends the command if what was printed could not be written; to be called
 * after each line. */
void cli_check_stdout(const struct cli *cli);
/* The same, and closes standard output. */
void cli_close_stdout(const struct cli *cli);
/* Raises the status that the command will end with. */
void cli_status(struct cli *cli, int status);
/* Closes standard output, minding late write errors; returns the status. */
int cli_end(struct cli *cli, struct ctx_writer *writer);

#endif
