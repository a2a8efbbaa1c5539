/*
 * cli.h - what the commands share: options, messages, exit
 *
 * Each command has one table of options.  It is used to parse the command line,
 * to print --help and to complete words in a shell.  Only messages.c,
 * progress.c and startup.c print to standard error, read the environment or
 * exit.
 */
#ifndef CTX_CMD_CLI_CLI_H
#define CTX_CMD_CLI_CLI_H

#include <jansson.h>
#include <stdio.h>

#include "ctx.h"

/* For messages: the name of the stream, and the cause of a failed write if no
 * errno is known. */
#define CLI_STDOUT "standard output"
#define CLI_LOST   "a part of it was lost"

enum { CLI_YES = 0, CLI_NO = 1, CLI_TROUBLE = 2 }; /* exit statuses */

enum cli_type {
	CLI_FLAG,    /* bool */
	CLI_UNFLAG,  /* bool, set to false */
	CLI_STRING,  /* const char * */
	CLI_FILE,    /* const char *, not empty */
	CLI_NUMBER,  /* uint64_t: 20000, 20k, 1.5M */
	CLI_SPAN,    /* uint64_t, milliseconds: 90s, 30m, 2h, 7d */
	CLI_AMOUNT,  /* struct ctx_amount: a number or 70% */
	CLI_CHOICE,  /* unsigned: the index of one of choices */
	CLI_PATTERN, /* struct ctx_pattern, may be repeated */
	CLI_BITS,    /* unsigned: a bit for one of choices, may be repeated */
	CLI_HEADING, /* not an option: a heading of --help */
};

struct cli_option {
	char letter;      /* 0: none */
	const char *name; /* long name without dashes */
	const char *arg;  /* name of the argument in --help */
	const char *help; /* one line, with the default */
	enum cli_type type;
	void *to;
	const char *(*choice)(unsigned i); /* name i; NULL after the last */
	bool *given; /* set to true if the option is used; or NULL */
};

/* A command and its common options. */
struct cli {
	const char *name, *about, *operands, *examples;
	const struct cli_option *options; /* ends with an empty row */
	char **files;
	size_t n_files;
	/* Filled by the common options: */
	const char *dialect_name, *model, *encoding;
	const struct ctx_dialect *dialect;
	bool lenient, unbuffered, verbose, no_sandbox, progress_asked;
	bool still; /* true if no progress is drawn */
	uint64_t jobs;
	/* Internal: */
	int status;
	const char *spool; /* spool directory, or NULL */
	bool opened;       /* true after the first input was opened */
	struct cli_progress *progress;
	bool *drawn;              /* true while progress is drawn; or NULL */
	char cache[4096];         /* directory of compiled vocabularies */
	struct ctx_model *models; /* the user's own models ... */
	size_t n_models;
	void *models_text; /* ... and the JSON that owns their names */
};

/* Option rows of every command; they end the command's table. */
#define CLI_DIALECT(cli)                                                     \
	{.type = CLI_HEADING, .help = "Input and output"},                   \
	{                                                                    \
		'd', "dialect", "NAME", "message format (detected)",         \
		    CLI_STRING, &(cli)->dialect_name, cli_dialect_name, NULL \
	}
#define CLI_PASS(cli)                                                        \
	{0, "lenient", NULL, "pass lines that are not JSON", CLI_FLAG,       \
	    &(cli)->lenient, NULL, NULL},                                    \
	    {'u', "unbuffered", NULL, "write each record at once", CLI_FLAG, \
		&(cli)->unbuffered, NULL, NULL},                             \
	    {'v', "verbose", NULL, "say what was done", CLI_FLAG,            \
		&(cli)->verbose, NULL, NULL},                                \
	{                                                                    \
		0, "progress", NULL, "show the progress at once", CLI_FLAG,  \
		    &(cli)->progress_asked, NULL, NULL                       \
	}
/* The option rows of commands that count tokens. */
#define CLI_COMMON(cli)                                                   \
	CLI_DIALECT(cli),                                                 \
	    {'m', "model", "NAME", "model, for its window and tokenizer", \
		CLI_STRING, &(cli)->model, cli_model_name, NULL},         \
	    {'e', "encoding", "NAME|FILE", "tokenizer (the model's)",     \
		CLI_STRING, &(cli)->encoding, cli_encoding_name, NULL},   \
	    CLI_PASS(cli)

/* For commands that count in threads; jobs must be 1 before. */
#define CLI_JOBS(cli)                                                        \
	{                                                                    \
		'j', "jobs", "N", "threads that count; 0: one per core (1)", \
		    CLI_NUMBER, &(cli)->jobs, NULL, NULL                     \
	}

/* For commands that do not run the user's commands. */
#define CLI_SANDBOX(cli)                                              \
	{                                                             \
		0, "no-sandbox", NULL, "do not restrict the process", \
		    CLI_FLAG, &(cli)->no_sandbox, NULL, NULL          \
	}

/* Option rows that select tools by name. */
#define CLI_TOOLS(only, except)                                             \
	{0, "tool", "REGEX", "only results of matching tools", CLI_PATTERN, \
	    only, NULL, NULL},                                              \
	{                                                                   \
		0, "not-tool", "REGEX", "no results of matching tools",     \
		    CLI_PATTERN, except, NULL, NULL                         \
	}

/* The changes that one rule made. */
struct cli_rule {
	const char *name, *action;
	uint64_t messages;
	uint64_t members; /* members of requests outside the messages */
	uint64_t lines;   /* transcript lines that the model does not see */
	uint64_t before, after; /* tokens */
};
#define CLI_RULES 24 /* more than there are rules */

/* Options and state of --dry-run, --explain and --archive. */
struct cli_report {
	bool dry_run, json;
	const char *explain_path, *archive_path;
	bool by_file; /* true if the plan has a table per input file */
	/* Internal: */
	FILE *explain;
	struct ctx_archive archive;
	struct cli_rule rules[CLI_RULES + 1]; /* ends with a name of NULL */
	const char *file;                     /* file of these rules, or NULL */
};
#define CLI_REPORT(report)                                                    \
	{.type = CLI_HEADING, .help = "Reports"},                             \
	    {'n', "dry-run", NULL, "print the plan, write nothing", CLI_FLAG, \
		&(report)->dry_run, NULL, NULL},                              \
	    {0, "json", NULL, "print it as JSON", CLI_FLAG, &(report)->json,  \
		NULL, NULL},                                                  \
	    {0, "explain", "FILE",                                            \
		"write a JSON line for each changed message", CLI_FILE,       \
		&(report)->explain_path, NULL, NULL},                         \
	{                                                                     \
		0, "archive", "FILE",                                         \
		    "first append what is removed or changed", CLI_FILE,      \
		    &(report)->archive_path, NULL, NULL                       \
	}

/* Opens the files of the options, and connects out to report. */
void cli_report_open(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
void cli_report_close(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
/* Returns true if the plan is to be printed. */
bool cli_report_plans(const struct cli_report *report);
/* Print one row of a table; print the rows of all rules so far. */
void cli_report_row(const char *name, uint64_t messages, uint64_t tokens);
void cli_report_rules(struct cli_report *report);
/* Returns the rules as a JSON object, or NULL if there is no memory. */
json_t *cli_report_object(struct cli_report *report, const char *file);
/* Returns a JSON string in which bytes that are not UTF-8 are masked, as file
 * names may have them. NULL if there is no memory. */
json_t *cli_json_text(const char *p, size_t n);
/* Sets a member of object and returns object. Returns NULL if object or value
 * is NULL, or if there is no memory. */
json_t *cli_json_with(json_t *object, const char *key, json_t *value);
/* Writes a JSON object on one line and frees it. name is the file's name for
 * errors; flags are those of json_dumpf. A NULL object means that there was no
 * memory. */
int cli_json_line(FILE *to, const char *name, json_t *line, size_t flags,
    struct ctx_err *err);
/* Exits with an error if path must not be overwritten. That is a file which the
 * command reads, standard output or error, other (or NULL), or a file in the
 * spool. */
void cli_refuse_overwrite(const struct cli *cli, const char *path,
    const char *other);
/* Creates the file of --explain; exits if that fails. other is as in
 * cli_refuse_overwrite. */
FILE *cli_explain_open(const struct cli *cli, const char *path,
    const char *other);
void cli_explain_close(const struct cli *cli, FILE *file, const char *path);
/* Replaces a file at once by one with these bytes (atomic_write.c); exits if
 * that fails. */
void cli_write_whole(const struct cli *cli, const char *path,
    const struct ctx_buf *bytes);
/* Clears the rules for the next conversation. */
void cli_report_forget(struct cli_report *report);

const char *cli_dialect_name(unsigned i);
const char *cli_model_name(unsigned i);
const char *cli_encoding_name(unsigned i);
bool cli_is_built_in(const char *encoding);
/* Returns the name of an enum ctx_reasoning: "drop", "keep" or "fail". */
const char *cli_reasoning_name(unsigned i);
const char *cli_strategy_name(unsigned i);

/*
 * Reads the command line and the environment.  Exits for --help, --version and
 * errors.
 */
void cli_parse(struct cli *cli, int argc, char **argv);

/* Returns an environment variable, or NULL if it is unset or empty. */
const char *cli_environment(const char *name);
/* Read an environment variable, if set, into *to; exit if it is malformed. The
 * second reads a share such as 0.7 in thousandths of a percent, and returns
 * true if it is set. */
void cli_env_number(const struct cli *cli, const char *name, uint64_t *to);
bool cli_tunable_share(const struct cli *cli, const char *name, uint64_t *to);

/* Opens the stream of these files with the common options. */
void cli_open(struct cli *cli, struct ctx_stream *stream, char **files,
    size_t n_files, struct ctx_writer *writer);
/*
 * Draws on standard error how much of these files the reader has read.  That is
 * done if --progress is given, or if standard error is a terminal and the work
 * takes longer than a second.  Called by cli_open.  streams is true if the
 * output is written while the input is read.
 */
void cli_progress_open(struct cli *cli, struct ctx_reader *reader,
    char *const *files, size_t n, bool streams);
/* Erases the progress line before other output; it is drawn again later.
 * Messages on standard error do this by themselves. */
void cli_progress_clear(const struct cli *cli);
void cli_progress_close(struct cli *cli);
/* Counts the messages of a stream in the threads of CLI_JOBS. Must be called
 * after cli_sandbox, which covers only threads started later. */
void cli_prefetch(struct cli *cli, struct ctx_stream *stream,
    struct ctx_model_counters *counters);
/* Warns of a stream without messages or with several dialects. With --verbose
 * prints the dialect, and the record that showed it. */
void cli_note_stream(const struct cli *cli, const struct ctx_stream *stream);
void cli_close(struct ctx_stream *stream);
/*
 * Reads a file in parts; "-" is standard input.  take gets the bytes that it
 * did not consume before, followed by the next part.  It removes the bytes that
 * it consumed from the front.  ended is true at the end of the file.
 */
struct cli_parts {
	int (*take)(void *user, struct ctx_buf *text, bool ended,
	    struct ctx_err *err);
	void *user;
};
int cli_read_parts(const char *file, const struct cli_parts *parts,
    struct ctx_err *err);
/*
 * Reads the user's models: an object whose members are models, each an object
 * with any of window, input, output (tokens), vendor, encoding, exact, factor,
 * image [rule, x, y, edge], tools [rule, once, forced], cache, cache_least, and
 * price [in, out, read, write] (dollars per million tokens; see
 * lib/gen/data/models.tsv).  Missing members are those of the built-in model
 * with that name.  With an encoding the model is exact, with a factor of 1. A
 * relative path of an encoding starts in the directory of this file. A file
 * that does not exist has no models; any other error ends the command.
 */
void cli_models_read(struct cli *cli, const char *file);
void cli_models_release(struct cli *cli);
/* Prints the user's models, then the built-in ones. */
void cli_models_print(const struct cli *cli, const struct ctx_models *own);

/* What a command still opens after cli_sandbox, apart from its operands. */
struct cli_sandbox_grants {
	/* The counters whose vocabularies it needs; or NULL. */
	const struct ctx_model_counters *counters;
	const char *read;    /* a file to read; or NULL */
	const char *written; /* a file to create; or NULL */
	/* True if operands are opened again, after they were replaced. */
	bool reopens;
	const struct ctx_spool *spool; /* an open spool; or NULL */
	bool stores; /* true if files are stored in the spool */
};
/* Disables core files, because they would hold conversations. Only root can
 * trace the process afterwards. */
void cli_no_core(void);
/* Gives up all rights to open other files, to run programs and to connect. */
void cli_sandbox(const struct cli *cli, const struct cli_sandbox_grants *needs);
/*
 * Opens the spool and sets needs->spool, because the sandbox allows only
 * directories that exist.  Without create, if the spool does not exist, sets
 * needs->read to the nearest existing directory above it; the caller frees
 * that path.  Returns 0, or -1 with *err.
 */
int cli_open_spool(struct ctx_spool *spool, const char *dir, bool create,
    struct cli_sandbox_grants *needs, struct ctx_err *err);
/* Makes system calls fail that the commands do not need. Returns -1 with errno
 * if the kernel supports this but refuses. Needs PR_SET_NO_NEW_PRIVS. */
long cli_refuse_calls(void);

/* Sets up counters with the model, the encoding, the environment and the user's
 * models. Must be called before cli_refuse_overwrite, which protects the files
 * that these name. */
void cli_model_counters(struct cli *cli, struct ctx_model_counters *counters);
/* Reports how an unknown model is counted; with --verbose also where the
 * tokenizer of an estimated model is available. */
void cli_note_models(const struct cli *cli,
    struct ctx_model_counters *counters);

/*
 * Reports the messages whose bound reasoning was kept after a change, and the
 * conversations that were not changed because of --reasoning fail.  The latter
 * set the status CLI_NO.
 */
void cli_note_reasoning(struct cli *cli, uint64_t kept, uint64_t refused);
/* Reports that the pattern of an option took too long for a text, which is then
 * not changed. */
void cli_note_pattern(const struct cli *cli, const char *option,
    const struct ctx_pattern *pattern);

/* Prints one line on standard error, after the name of the command. */
void cli_say(const struct cli *cli, const char *fmt, ...) CTX_FORMAT(2, 3);
/* Prints one line as cli_say does, then exits with CLI_TROUBLE. */
_Noreturn void cli_die(const struct cli *cli, const char *fmt, ...)
    CTX_FORMAT(2, 3);
/* Reports that a file cannot be opened (what: "open"), with errno sys, then
 * exits. A long path is cut at its end, so the cause is always shown. */
_Noreturn void cli_die_errno(const struct cli *cli, const char *what,
    const char *path, int sys);
/* Prints err with its place, then exits with CLI_TROUBLE. If the reader of the
 * output has closed it, prints nothing. */
_Noreturn void cli_fail(const struct cli *cli, const struct ctx_err *err);
/* Returns true if a character can be shown as it is: not a control character,
 * not invisible, and not changing the direction of text. */
bool cli_is_safe(uint32_t cp);
/* Prints a text in which the characters that are not safe are masked. */
void cli_print_masked(FILE *to, const char *p, size_t n);
/* Writes a number as "812", "9.4k" or "1.2M" to buf, and returns buf. */
const char *cli_short_number(char buf[16], uint64_t n);

/* Must be called first: makes the standard descriptors usable, disables core
 * files, and sets up jansson. */
void cli_begin(void);
/* Exits after --help and similar options. */
_Noreturn void cli_exit_ok(const struct cli *cli);
/* Exits if standard output could not be written; called after each line. */
void cli_check_stdout(const struct cli *cli);
/* Closes standard output; exits if it could not be written. */
void cli_close_stdout(const struct cli *cli);
/* Raises the exit status to at least this one. */
void cli_status(struct cli *cli, int status);
/* Closes standard output and reports late write errors. Returns the exit
 * status. */
int cli_end(struct cli *cli, struct ctx_writer *writer);

#endif
