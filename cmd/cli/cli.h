/*
 * cli.h - code that all commands share: options, messages, reports, models,
 * exit
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

/* Used in error messages: the name of standard output, and the cause of a
 * failed write if errno is not set. */
#define CLI_STDOUT "standard output"
#define CLI_LOST   "a part of it was lost"

enum { CLI_YES = 0, CLI_NO = 1, CLI_TROUBLE = 2 }; /* exit statuses */

enum cli_type {
	CLI_FLAG,   /* bool, set to true */
	CLI_UNFLAG, /* bool, set to false */
	CLI_STRING, /* const char * */
	CLI_FILE,   /* const char *, must not be empty */
	CLI_NUMBER, /* uint64_t: 20000, 20k, 1.5M */
	CLI_SPAN,   /* uint64_t, a time in milliseconds: 90s, 30m, 2h, 7d */
	CLI_AMOUNT, /* struct ctx_amount: a number or 70% */
	/* an option that takes one of several names, such as --level light;
	 * its value, an unsigned, is the index among the names that the
	 * function choice returns */
	CLI_CHOICE,
	CLI_PATTERN, /* struct ctx_pattern, may be repeated */
	/* unsigned: a bit for each of the names that choice returns; the option
	   may be repeated */
	CLI_BITS,
	CLI_HEADING, /* not an option, but a heading in --help */
};

struct cli_option {
	char letter;      /* 0 if the option has no letter */
	const char *name; /* long name without dashes */
	const char *arg;  /* name of the argument in --help */
	const char *help; /* description in one line, with the default */
	enum cli_type type;
	void *to;
	/* Returns the possible argument number i, or NULL after the last. */
	const char *(*choice)(unsigned i);
	/* Pointer to a flag that is set to true if the option is used; or NULL.
	 */
	bool *given;
};

/* A command: its description, its options and the files it reads. */
struct cli {
	const char *name, *about, *operands, *examples;
	const struct cli_option *options; /* the last row is empty */
	char **files;
	size_t n_files;
	/* The following members are set by the options that all commands have:
	 */
	const char *dialect_name, *model, *encoding;
	const struct ctx_dialect *dialect;
	bool lenient, unbuffered, verbose, no_sandbox, progress_asked;
	bool still; /* true if progress is never shown */
	uint64_t jobs;
	/* The following members are the state of the command, besides its
	 * options: */
	int status;
	/* spool: directory for removed tool results, or NULL */
	const char *spool;
	bool opened; /* true once the first input file was opened */
	struct cli_progress *progress;
	/* Pointer to a flag that is true while the progress line is on the
	 * terminal; or NULL. */
	bool *drawn;
	char cache[4096];         /* directory for compiled vocabularies */
	struct ctx_model *models; /* models that the user has defined */
	size_t n_models;
	void *models_text; /* JSON that owns the names of these models */
};

/* Rows of the option table that every command has. */
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
/* Rows of the option table for commands that count tokens. */
#define CLI_COMMON(cli)                                                   \
	CLI_DIALECT(cli),                                                 \
	    {'m', "model", "NAME", "model, for its window and tokenizer", \
		CLI_STRING, &(cli)->model, cli_model_name, NULL},         \
	    {'e', "encoding", "NAME|FILE", "tokenizer (the model's)",     \
		CLI_STRING, &(cli)->encoding, cli_encoding_name, NULL},   \
	    CLI_PASS(cli)

/* Row of the option table for commands that count tokens in several threads.
 * jobs must be 1 before. */
#define CLI_JOBS(cli)                                                        \
	{                                                                    \
		'j', "jobs", "N", "threads that count; 0: one per core (1)", \
		    CLI_NUMBER, &(cli)->jobs, NULL, NULL                     \
	}

/* Row of the option table for commands that never run a program of the user. */
#define CLI_SANDBOX(cli)                                              \
	{                                                             \
		0, "no-sandbox", NULL, "do not restrict the process", \
		    CLI_FLAG, &(cli)->no_sandbox, NULL, NULL          \
	}

/* Rows of the option table that select tools by patterns of their names. */
#define CLI_TOOLS(only, except)                                             \
	{0, "tool", "REGEX", "only results of matching tools", CLI_PATTERN, \
	    only, NULL, NULL},                                              \
	{                                                                   \
		0, "not-tool", "REGEX", "no results of matching tools",     \
		    CLI_PATTERN, except, NULL, NULL                         \
	}

/* Sum of the changes that a command made for one reason, for the report of
 * --dry-run. */
struct cli_rule {
	const char *name, *action;
	uint64_t messages;
	/* Changed members of requests, such as the tools, besides messages. */
	uint64_t members;
	/* Changed lines of a session file that the model does not see. */
	uint64_t lines;
	uint64_t before, after; /* tokens before and after the changes */
};
#define CLI_RULES 24 /* more than the number of different rules */

/* Options and state of --dry-run, --explain and --archive. */
struct cli_report {
	bool dry_run, json;
	const char *explain_path, *archive_path;
	/* True if the plan (the output of --dry-run) has a table for each input
	 * file. */
	bool by_file;
	/* State of the report: */
	FILE *explain;
	struct ctx_archive archive;
	/* What was changed, summed up for each rule (reason of a change); the
	 * last row has the name NULL. */
	struct cli_rule rules[CLI_RULES + 1];
	const char *file; /* input file that was changed, or NULL */
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

/* Opens the files of the options --explain and --archive, and sets *out so that
 * the library reports its changes to *report.  Exits with an error if a file
 * cannot be opened. */
void cli_report_open(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
void cli_report_close(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
/* Returns true if the plan (what --dry-run would change) is to be printed. */
bool cli_report_plans(const struct cli_report *report);
/* cli_report_row prints one row of the table of --dry-run. cli_report_rules
 * prints a row for each rule (reason of a change) with changes so far. */
void cli_report_row(const char *name, uint64_t messages, uint64_t tokens);
void cli_report_rules(struct cli_report *report);
/* Returns the changes of an input file, summed up for each rule (reason of a
 * change), as a JSON object; NULL if there is no memory. */
json_t *cli_report_object(struct cli_report *report, const char *file);
/* Returns a JSON string in which bytes that are not UTF-8 are replaced by "?",
 * because file names may have such bytes.  NULL if there is no memory. */
json_t *cli_json_text(const char *p, size_t n);
/* Sets a member of object and returns object.  Returns NULL if object or value
 * is NULL, or if there is no memory. */
json_t *cli_json_with(json_t *object, const char *key, json_t *value);
/* Writes a JSON object on one line and frees it. name is the file's name for
 * errors; flags are those of json_dumps.  A NULL object means that there was no
 * memory. */
int cli_json_line(FILE *to, const char *name, json_t *line, size_t flags,
    struct ctx_err *err);
/* Exits with an error if path must not be overwritten: if it is a file that the
 * command reads, standard output or error, the file other (which may be NULL),
 * or in the spool directory. */
void cli_refuse_overwrite(const struct cli *cli, const char *path,
    const char *other);
/* Creates the file of the option --explain.  Exits with an error if that
 * fails, if the file must not be overwritten, or if the command also writes it
 * as another output. other: the path of that other output, or NULL. */
FILE *cli_explain_open(const struct cli *cli, const char *path,
    const char *other);
void cli_explain_close(const struct cli *cli, FILE *file, const char *path);
/* Replaces a file by one with the given bytes, so that a reader sees the old or
 * the new content but no mixture (atomic_write.c).  Exits with an error if that
 * fails. */
void cli_write_whole(const struct cli *cli, const char *path,
    const struct ctx_buf *bytes);
/* Clears the sums of changes for each rule (reason of a change) before the next
 * conversation. */
void cli_report_forget(struct cli_report *report);

const char *cli_dialect_name(unsigned i);
const char *cli_model_name(unsigned i);
const char *cli_encoding_name(unsigned i);
bool cli_is_built_in(const char *encoding);
/* Returns the name of an enum ctx_reasoning: "drop", "keep" or "fail". */
const char *cli_reasoning_name(unsigned i);
const char *cli_strategy_name(unsigned i);

/*
 * Reads the command line into the variables of cli->options and the input
 * files into cli->files.  Exits for --help, --version and errors.
 */
void cli_parse(struct cli *cli, int argc, char **argv);

/* Returns an environment variable, or NULL if it is unset or empty. */
const char *cli_environment(const char *name);
/* Both functions read an environment variable, if it is set, into *to.  They
 * exit with an error if its value is malformed. cli_tunable_share reads a
 * share between 0 and 1, and converts it to thousandths of a percent: 0.7
 * becomes 70000.  It returns true if the variable is set. */
void cli_env_number(const struct cli *cli, const char *name, uint64_t *to);
bool cli_tunable_share(const struct cli *cli, const char *name, uint64_t *to);

/* Opens input files as a stream of conversations, and standard output as writer
 * if that is not NULL.  Applies the options that all commands have.  Exits with
 * an error if a file cannot be opened. */
void cli_open(struct cli *cli, struct ctx_stream *stream, char **files,
    size_t n_files, struct ctx_writer *writer);
/*
 * Shows on standard error how much of the input files has been read, as reader
 * reads them.  It is shown if --progress is given, or if standard error is a
 * terminal and the work takes longer than a second. streams is true if the
 * output is written while the input is read.  Called by cli_open.
 */
void cli_progress_open(struct cli *cli, struct ctx_reader *reader,
    char *const *files, size_t n, bool streams);
/* Erases the progress line from the terminal before other output.  The line is
 * drawn again later.  Messages on standard error erase it by themselves. */
void cli_progress_clear(const struct cli *cli);
void cli_progress_close(struct cli *cli);
/* Lets the threads of --jobs count the tokens of a stream's messages before
 * they are needed.  Must be called after cli_sandbox, which restricts only
 * threads started later. */
void cli_prefetch(struct cli *cli, struct ctx_stream *stream,
    struct ctx_model_counters *counters);
/* Prints warnings about a stream that was read: lines that are not JSON, no
 * messages, or messages of several formats.  With --verbose prints the format,
 * and the record that identified it. */
void cli_note_stream(const struct cli *cli, const struct ctx_stream *stream);
void cli_close(struct ctx_stream *stream);
/*
 * Reads a file in parts, which are passed to take; "-" is standard input. text
 * has the bytes that the last call of take did not consume, followed by the
 * next part. take removes the bytes that it consumes from the front of text.
 * ended is true at the end of the file.
 */
struct cli_parts {
	int (*take)(void *user, struct ctx_buf *text, bool ended,
	    struct ctx_err *err);
	void *user;
};
int cli_read_parts(const char *file, const struct cli_parts *parts,
    struct ctx_err *err);
/*
 * Reads the models that the user has defined in a JSON file: an object whose
 * members are models.  Each model is an object with any of window, input,
 * output (tokens), vendor, encoding, exact, factor, image [rule, x, y, edge],
 * tools [rule, once, forced], cache, cache_least, and price [in, out, read,
 * write] (dollars per million tokens; see lib/gen/data/models.tsv).
 *
 * Members that a model does not have are those of the built-in model with its
 * name.  A model with an encoding is exact, with a factor of 1.  A relative
 * path of an encoding starts in the directory of the JSON file.  If the JSON
 * file does not exist, there are no models of the user; any other error ends
 * the command.
 */
void cli_models_read(struct cli *cli, const char *file);
void cli_models_release(struct cli *cli);
/* Prints the models that the user has defined, then the built-in ones. */
void cli_models_print(const struct cli *cli, const struct ctx_models *own);

/* What a command still opens after cli_sandbox, apart from its operands. */
struct cli_sandbox_grants {
	/* The token counters whose vocabulary files the command needs; or
	 * NULL. */
	const struct ctx_model_counters *counters;
	const char *read;    /* a file to read; or NULL */
	const char *written; /* a file to create; or NULL */
	/* True if the command opens its operands (input files) again after
	 * another program has replaced them, as ctx-count --follow does. */
	bool reopens;
	const struct ctx_spool *spool; /* an open spool; or NULL */
	bool stores; /* true if files are stored in the spool */
};
/* Disables core files, because they would hold conversations.  Only root can
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
/* Makes system calls fail that the commands do not need.  Returns -1 with errno
 * if the kernel supports this but refuses.  Needs PR_SET_NO_NEW_PRIVS. */
long cli_refuse_calls(void);

/* Sets up the token counters with the model, the encoding, the environment and
 * the user's own models.  Must be called before cli_refuse_overwrite, which
 * protects the files that these options name. */
void cli_model_counters(struct cli *cli, struct ctx_model_counters *counters);
/* Prints a message if a model is not known, and how its tokens are counted
 * instead.  With --verbose also prints where the tokenizer of a model can be
 * found whose tokens are only estimated. */
void cli_note_models(const struct cli *cli,
    struct ctx_model_counters *counters);

/*
 * Prints how many messages keep bound reasoning (signed reasoning that the
 * provider refuses after a change before it) after a change.  Also prints how
 * many conversations were not changed for this reason (--reasoning fail); if
 * any, sets the exit status CLI_NO.
 */
void cli_note_reasoning(struct cli *cli, uint64_t kept, uint64_t refused);
/* Prints a message if the pattern of an option took too long for some texts,
 * whose messages were then not changed. */
void cli_note_pattern(const struct cli *cli, const char *option,
    const struct ctx_pattern *pattern);

/* Prints one line on standard error that begins with the name of the command.
 */
void cli_say(const struct cli *cli, const char *fmt, ...) CTX_FORMAT(2, 3);
/* Prints one line as cli_say does, then exits with the status CLI_TROUBLE. */
_Noreturn void cli_die(const struct cli *cli, const char *fmt, ...)
    CTX_FORMAT(2, 3);
/* Prints that a file cannot be opened, read or written, prints the cause, and
 * exits with an error. what: the verb, such as "open"; sys: the errno value of
 * the cause.  A long path is cut at its end, so that the cause is always
 * shown. */
_Noreturn void cli_die_errno(const struct cli *cli, const char *what,
    const char *path, int sys);
/* Prints the message in err with its file and line, then exits with the status
 * CLI_TROUBLE.  Prints nothing if the reader of standard output has closed it.
 */
_Noreturn void cli_fail(const struct cli *cli, const struct ctx_err *err);
/* Returns true if a character can be shown on a terminal as it is: not a
 * control character, not invisible, and not changing the direction of text. */
bool cli_is_safe(uint32_t cp);
/* Prints a text, with "?" in place of each character that is not safe to show
 * on a terminal. */
void cli_print_masked(FILE *to, const char *p, size_t n);
/* Writes a number in a short form such as "812", "9.4k" or "1.2M" to buf, and
 * returns buf. */
const char *cli_short_number(char buf[16], uint64_t n);

/* Prepares the process: makes standard input, output and error usable, disables
 * core files, and sets up the JSON library jansson.  Must be called first. */
void cli_begin(void);
/* Exits with success, after --help and similar options. */
_Noreturn void cli_exit_ok(const struct cli *cli);
/* Exits with an error if standard output could not be written.  Called after
 * each printed line. */
void cli_check_stdout(const struct cli *cli);
/* Closes standard output; exits with an error if it could not be written. */
void cli_close_stdout(const struct cli *cli);
/* Raises the exit status of the command to at least status. */
void cli_status(struct cli *cli, int status);
/* Ends a command: flushes the writer, closes standard output and reports write
 * errors.  Returns the exit status. */
int cli_end(struct cli *cli, struct ctx_writer *writer);

#endif
