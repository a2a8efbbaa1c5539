/*
 * cli.h - functions that all commands use: for options, error messages,
 * reports, models and the exit status
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
#include <sys/stat.h>

#include "ctx.h"
#include "stream/stream.h"

struct ctx_finding;
struct ctx_request_prefix;
struct ctx_request_prefix_options;

/* Parts of error messages.  CLI_STDOUT: name of standard output.  CLI_LOST:
 * reason why a write has failed if errno is not set. */
#define CLI_STDOUT "standard output"
#define CLI_LOST   "an earlier write failed"

/* The default path of the spool, the directory in which ctx-age stores tool
 * results.  If ctx creates the directory above the spool, it makes git ignore
 * this directory. */
#define CLI_SPOOL ".ctx/spool"

enum { CLI_YES = 0, CLI_NO = 1, CLI_TROUBLE = 2 }; /* exit statuses */

enum cli_type {
	CLI_FLAG,   /* a bool, which is set to true */
	CLI_STRING, /* a const char * */
	CLI_FILE,   /* a const char *, which must not be empty */
	CLI_NUMBER, /* a uint64_t: 20000, 20k, 1.5M */
	/* a uint64_t: a time in milliseconds, which the user writes as 90s,
	 * 30m, 2h or 7d */
	CLI_SPAN,
	CLI_AMOUNT, /* a struct ctx_amount: a number or 70% */
	/* One of several names, as in --level light.  The variable of the
	 * option is an unsigned; it is set to the i for which choice(i) returns
	 * this name. */
	CLI_CHOICE,
	/* A const char *: the suffix of --in-place.  The argument is optional,
	 * and joined to the option, as in -i.bak. */
	CLI_SUFFIX,
	CLI_PATTERN, /* a struct ctx_pattern; the option may be repeated */
	/* a struct cli_list; the option may be repeated, and its argument must
	 * not be empty */
	CLI_LIST,
	/* One of several names; the option may be repeated.  The variable of
	 * the option is an unsigned; bit i is set if choice(i) returns a name
	 * that was given. */
	CLI_BITS,
	/* A heading in the text of --help, not an option.  After the heading
	 * CLI_BRIEF only the names of options are printed, without
	 * descriptions. */
	CLI_HEADING,
	CLI_BRIEF,
};

/* The arguments of an option that may be repeated, in their order. */
struct cli_list {
	const char **list;
	size_t n;
};

struct cli_option {
	char letter; /* letter of the short option, or 0 if there is none */
	/* long name of the option, without dashes; NULL for a heading in
	 * --help */
	const char *name;
	/* name of the option's argument in --help, "[=NAME]" if the argument is
	 * optional; NULL if there is no argument */
	const char *arg;
	/* Description of the option, in one line, with the default.  If the
	 * description ends with a colon, --help appends the names that choice
	 * returns. */
	const char *help;
	enum cli_type type;
	void *to;
	/* For an option whose argument is one of several names: returns the
	 * i-th name (from 0), or NULL after the last name. */
	const char *(*choice)(size_t i);
	/* NULL, or address of a bool that is set to true if the option is on
	 * the command line. */
	bool *given;
};

/* A command: its description, its options and the files it reads. */
struct cli {
	const char *name, *about, *operands, *examples;
	/* The option that messages name if cli_parse reads the argument of this
	 * option, such as "--policy", as a command line.  Otherwise NULL. */
	const char *within;
	/* text of --help that says what exit status 1 means, or NULL if the
	 * command never exits with 1 */
	const char *no_means;
	/* The table of the command's options, up to an empty row.  NULL after
	 * cli_parse. */
	const struct cli_option *options;
	char **files;
	size_t n_files;
	/* The members from here on are set by options that several commands
	 * have. */
	const char *dialect_name, *model, *encoding;
	const struct ctx_dialect *dialect;
	bool lenient, unbuffered, verbose, no_sandbox, progress_asked;
	bool still; /* true if neither progress nor notes are shown */
	/* in_place: true if --in-place is given without --dry-run: each input
	 * file is then replaced by the output of the command. suffix: end of
	 * the name of the kept original; NULL if it is not kept. */
	bool in_place;
	const char *suffix;
	/* True if --force is given.  An existing file that the command writes
	 * (named by --explain or --svg, for example) is then overwritten even
	 * if its content is of an unexpected kind, such as source code. */
	bool force;
	uint64_t jobs;
	/* The members from here on are the state of the command, not
	 * options. */
	int status;
	/* Called before an error message or warning is printed on standard
	 * error.  Prints the output that the command has not printed yet, so
	 * that the message comes after it.  May be NULL. */
	void (*before_message)(void *user);
	void *user;
	/* path of the spool, the directory in which ctx-age stores tool
	 * results, or NULL if it is not used */
	const char *spool;
	bool opened; /* true once the first input file was opened */
	/* True if each input file is a separate stream; false if all input
	 * files together are one stream. */
	bool each;
	/* Number of input files that cli_next_stream has opened.  If no input
	 * file is named, standard input is counted. */
	size_t n_opened;
	/* The input file of --in-place whose new text is written, or NULL. */
	const char *rewritten;
	/* Reports whose files are open (cli_report_open), or NULL. */
	struct cli_report *report;
	struct cli_progress *progress;
	/* NULL, or address of a bool that is true while the terminal shows the
	 * progress line. */
	bool *drawn;
	/* NULL, or the form in which input errors are printed, too. */
	const struct cli_annotations *annotations;
	/* path of the cache directory for compiled vocabularies */
	char cache[4096];
	/* the user's own models, from models.json */
	struct ctx_user_models models;
};

/* For the report of --dry-run: the sums of all changes that a command has made
 * for one reason (rule). */
struct cli_rule {
	const char *name, *action;
	uint64_t messages;
	/* Number of changed members of requests that are not messages, such as
	 * the tools. */
	uint64_t members;
	/* Number of changed lines of session files that are not sent to the
	 * model. */
	uint64_t lines;
	/* Number of tokens of the changed messages, before and after the
	 * changes. */
	uint64_t before, after;
};
/* Maximum number of reasons (rules) for which the report of --dry-run has
 * sums. */
#define CLI_RULES 24

/* The options --dry-run, --explain and --archive, and the state of the reports
 * for which they ask. */
struct cli_report {
	bool dry_run, json;
	const char *explain_path, *archive_path;
	/* True if --dry-run prints one table for each input file.  False for
	 * ctx-prune, which prints a table for each conversation. */
	bool by_file;
	/* True if the table of --dry-run counts repairs (ctx-check); false if
	 * it counts changed messages and their tokens. */
	bool repairs;
	/* The members from here on are the state of the reports. explain: open
	 * file of --explain. */
	FILE *explain;
	bool is_table;    /* true if --explain prints a table for people */
	bool has_heads;   /* true once the table's header was printed */
	bool has_changes; /* true once a change was reported */
	struct ctx_archive archive;
	/* The sums of the changes since cli_report_forget, for each reason
	 * (rule).  The list ends with an element whose name is NULL. */
	struct cli_rule rules[CLI_RULES + 1];
	/* If by_file is true: input file of the changes that are being
	 * reported, or NULL between two files. */
	const char *file;
};

/* The option --annotations, which prints errors in the form that a code host
 * shows beside the lines of a file. */
struct cli_annotations {
	unsigned host; /* number of the code host, see cli_annotation_host */
	bool given;
};
/* Returns the name of the i-th code host (from 0), such as "github", or NULL
 * after the last one. */
const char *cli_annotation_host(size_t i);
/* Prints an error on standard output, in the form that the code host reads.
 * line: 0 if the error concerns the whole file. */
void cli_print_annotation(const struct cli *cli,
    const struct cli_annotations *annotations, const char *file, uint64_t line,
    const char *text);

/* Opens the files of --explain and --archive (with --dry-run no archive; it
 * also ends --in-place).  Sets *out so that the library reports its changes to
 * *report.  Exits with an error if a file cannot be opened. */
void cli_report_open(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
/* Syncs the archive, flushes the file of --explain, or exits with an error. */
void cli_report_sync(const struct cli *cli);
void cli_report_close(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
/* Returns true if the command must print a table of what it would change: with
 * --dry-run, but without --explain. */
bool cli_report_plans(const struct cli_report *report);
/* Prints the rows of the table of --dry-run, first those of removed messages:
 * for each reason (rule), one each for changed messages, members and lines. */
void cli_report_rules(struct cli_report *report);
/* Returns the sums of the changes in an input file, for each reason (rule), as
 * a JSON object, or NULL if there is no memory. */
json_t *cli_report_object(struct cli_report *report, const char *file);
/* Prints a row about a change in the table of --explain (explain_table.c). */
int cli_explain_row(struct cli_report *report, const struct ctx_change *change,
    struct ctx_err *err);
/* Returns a text, such as a file name, as a JSON string, in which bytes that
 * are not UTF-8 are replaced by "?".  Returns NULL if there is no memory. */
json_t *cli_json_text(const char *p, size_t n);
/* Returns a finding (violation of a rule) as a JSON object, or NULL if there is
 * no memory. */
json_t *cli_json_finding(const struct ctx_finding *finding);
/* Adds a member to a JSON object, and returns the object.  If the object or the
 * value is NULL, or if there is no memory, frees both and returns NULL. */
json_t *cli_json_with(json_t *object, const char *key, json_t *value);
/* Adds a member with a number to a JSON object.  Otherwise the same as
 * cli_json_with. */
json_t *cli_json_number(json_t *object, const char *key, uint64_t value);
/* Writes a JSON object to a file as one line, and frees the object. name: name
 * of the file for error messages; flags: flags of json_dumps.  If the object is
 * NULL, because there was no memory, returns -1 with *err. */
int cli_json_line(FILE *to, const char *name, json_t *line, size_t flags,
    struct ctx_err *err);
/* Exits with an error if the command must not overwrite the file at path.  This
 * is so if the command reads the file, if it is standard output or standard
 * error, if it is the file at the path "other" (which may be NULL), or if it is
 * in the spool (directory of stored results). */
void cli_refuse_overwrite(const struct cli *cli, const char *path,
    const char *other);
/* An XML comment by which ctx recognises the pictures that --svg writes. */
#define CLI_SVG_MARK "<!-- written by ctx-count -->"
/* Kinds of files that a command writes besides standard output.  An existing
 * file is overwritten only if its content is of the expected kind; see
 * cli_refuse_content. */
enum cli_content {
	CLI_CONTENT_ARCHIVE, /* records, one per line */
	CLI_CONTENT_EXPLAIN, /* lines that --explain writes */
	CLI_CONTENT_SVG,
};
/* Exits with an error if the file at path is not empty, and does not begin like
 * a file with the expected content: the user has then probably named a wrong
 * file.  With --force every file is accepted. */
void cli_refuse_content(const struct cli *cli, const char *path,
    enum cli_content content);
/* Replaces the content of a file, in one step if possible (atomic_write.c):
 * other programs then read either the old or the new content.  Exits with an
 * error if this fails. */
void cli_write_whole(const struct cli *cli, const char *path,
    const struct ctx_buf *bytes);
/* Creates a file with a random name in the directory of path, and writes the
 * path of the new file to the buffer "beside". access: O_WRONLY or O_RDWR.
 * like: a file whose owner, group and mode the new file gets; NULL: the mode is
 * 0600.  Returns the descriptor of the new file, or -1 with errno. */
int cli_open_beside(const char *path, int access, const struct stat *like,
    char *beside, size_t size);
/* Returns true if the file has an access control list (ACL).  The group's
 * rights in the mode of the file are then only the mask of the ACL.  So a new
 * file with this mode, but without the ACL, could give the group more
 * rights. */
bool cli_has_acl(const char *path);
/* Reads n bytes of a file from the offset "at", with several calls of pread(2)
 * if necessary.  Returns the number of bytes, which is less than n only at the
 * end of the file, or -1 with errno. */
ssize_t cli_read_at(int fd, char *p, size_t n, uint64_t at);
/* Sets the sums of changes to 0.  Called before the next conversation is
 * read. */
void cli_report_forget(struct cli_report *report);

/* When a feature, such as colour, is used.  CLI_AUTO: if the output is for
 * people. */
enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER };
const char *cli_when_name(size_t i);
bool cli_is_built_in(const char *encoding);
/* Returns the name of a value of enum ctx_reasoning: "drop", "keep" or
 * "fail". */
const char *cli_reasoning_name(size_t i);
/* Returns the name of a value of enum ctx_level: "light", "balanced" or
 * "aggressive". */
const char *cli_level_name(size_t i);

/*
 * Reads the command line.  Stores the values of options in the variables that
 * the rows of the table "options" point to, and the names of the input files in
 * cli->files.  Exits after --help, --version and errors.
 */
void cli_parse(struct cli *cli, const struct cli_option *options, int argc,
    char **argv);

/* Stores the argument of an option ("text") in the variable of the option. text
 * is NULL if the option has no argument.  Exits with an error if the argument
 * is malformed. */
void cli_store(struct cli *cli, const struct cli_option *option,
    const char *text);
/* Returns an example of an option's argument, ", such as 20k or 70%", or "". */
const char *cli_argument_example(const struct cli_option *option);
/* Exits with an error that says what argument the option accepts. */
_Noreturn void cli_bad_argument(const struct cli *cli,
    const struct cli_option *option, const char *text);
/* An option that has an effect only together with another option. */
struct cli_need {
	bool given;       /* true if the option was given */
	const char *name; /* name of the option, without dashes */
	bool met;         /* true if the other option was also given */
	/* the other option as the user writes it, such as "--repair" */
	const char *needs;
};
/* Exits with an error if any of n options was given without the other option
 * that it needs. */
void cli_check_needs(const struct cli *cli, const struct cli_need *needs,
    size_t n);
/* An option that has no effect together with another option. */
struct cli_conflict {
	bool given;        /* true if the option was given */
	const char *name;  /* name of the option, without dashes */
	bool excluded;     /* true if the other option was also given */
	const char *other; /* the other option as the user writes it */
};
/* Exits with an error if any of n options was given together with the other
 * option that makes it useless. */
void cli_check_conflicts(const struct cli *cli,
    const struct cli_conflict *conflicts, size_t n);
/* Returns the value of an environment variable, or NULL if it is not set or
 * empty. */
const char *cli_environment(const char *name);
/* Read an environment variable into *to, if the variable is set.  Exit with an
 * error if its value is malformed. cli_tunable_share reads a number between 0
 * and 1, stores it in thousandths of a percent (70000 for 0.7), and returns
 * true if the variable is set. */
void cli_env_number(const struct cli *cli, const char *name, uint64_t *to);
bool cli_tunable_share(const struct cli *cli, const char *name, uint64_t *to);

/* Opens the input files as a stream of conversations, and applies the options
 * that all commands have.  If writer is not NULL, opens it for standard output.
 * Exits with an error if a file cannot be opened. */
void cli_open(struct cli *cli, struct ctx_stream *stream, char **files,
    size_t n_files, struct ctx_writer *writer);
/* Reads the one request that n input files contain, or exits with an error.
 * The caller frees the request with ctx_request_prefix_close. */
struct ctx_request_prefix *cli_read_request(struct cli *cli,
    struct ctx_model_counters *counters,
    const struct ctx_request_prefix_options *options, char **files, size_t n);
/* For a command that reads each input file by itself.  Returns false, prints
 * why, and sets the exit status, if the file does not exist. */
bool cli_exists(struct cli *cli, const char *file);
/* For a command that reads its input files without cli_open.  The command calls
 * this before it reads them.  Exits with an error if standard output is an
 * input file, tells the user if the command waits for input from the terminal,
 * and begins to show progress. */
void cli_begin_operands(struct cli *cli);
/* Opens the next stream as cli_open does.  If each input file is a separate
 * stream, this is the next input file; otherwise all input files.  If no stream
 * is left, replaces the input files (--in-place) and returns false.  The caller
 * must end each stream with cli_end_stream. */
bool cli_next_stream(struct cli *cli, struct ctx_stream *stream,
    struct ctx_writer *writer);
/* Ends a stream: flushes and releases the writer, which may be NULL, and closes
 * the stream.  The caller must first do everything that can raise the exit
 * status because of this stream.  Exits with an error if the output could not
 * be written. */
void cli_end_stream(struct cli *cli, struct ctx_stream *stream,
    struct ctx_writer *writer);
/*
 * Called by cli_open.  From now on, shows on standard error how many bytes of
 * the input files the reader has read.  Does so if --progress is given, or if
 * a person waits longer than a second (see progress.c).
 * streams: true if the output is written while the input is read.
 */
void cli_progress_open(struct cli *cli, struct ctx_reader *reader,
    char *const *files, size_t n, bool streams);
/* Like cli_progress_open, but for a command that reads its input files without
 * a reader.  The command calls cli_progress_add with the number of bytes that
 * it has read. */
void cli_progress_begin(struct cli *cli);
void cli_progress_add(struct cli *cli, size_t bytes);
/* Erases the progress line on the terminal, so that other output can be
 * printed.  The line is drawn again later.  Functions that print error messages
 * call this function. */
void cli_progress_clear(const struct cli *cli);
void cli_progress_close(struct cli *cli);
/* Returns the time of the monotonic clock in nanoseconds, or 0 if the clock
 * cannot be read. */
int64_t cli_read_clock(void);
/* Starts the threads of --jobs, which count the tokens of messages in advance.
 * The caller must first call cli_sandbox, because the sandbox restricts only
 * threads that start later. */
void cli_prefetch(struct cli *cli, struct ctx_stream *stream,
    struct ctx_model_counters *counters);
/* Prints warnings about a stream that was read: that lines are not JSON, that
 * it has no messages, or messages in several formats.  With --verbose, prints
 * the format of the stream and the record that identified the format. */
void cli_note_stream(const struct cli *cli, const struct ctx_stream *stream);
/* For a command that answers a question about the messages of a stream, such as
 * whether they fit into a budget.  If the stream has records but no messages,
 * there is no answer, so the exit status is set to CLI_TROUBLE.  Prints an
 * error message only if the list of messages is empty; otherwise
 * cli_note_stream prints one. */
void cli_require_messages(struct cli *cli, const struct ctx_stream *stream);
void cli_close(struct ctx_stream *stream);
/*
 * Reads a plain file in parts ("-" is standard input).  Calls take for each
 * part, with the buffer "text": the bytes that the last call has left there,
 * and after them the new part. take removes the bytes that it has processed
 * from the front. ended: true at the end of the file.
 */
struct cli_parts {
	int (*take)(void *user, struct ctx_buf *text, bool ended,
	    struct ctx_err *err);
	void *user;
};
int cli_read_parts(const struct cli *cli, const char *file,
    const struct cli_parts *parts, struct ctx_err *err);
/* Prints the list of all models on standard output: first the user's own
 * models, then the built-in ones.  Prints the date of the table on standard
 * error, with a warning if the table is old. */
void cli_models_print(const struct cli *cli, const struct ctx_models *own);

/* Files that the sandbox must allow a command to open, in addition to its input
 * files. */
struct cli_sandbox_grants {
	/* token counters whose vocabulary files are read; NULL for none */
	const struct ctx_model_counters *counters;
	/* path of a file that the sandbox must let the command read, or NULL */
	const char *read;
	/* path of a file that it must let the command create, or NULL */
	const char *written;
	/* True if the command opens an input file again after another program
	 * has replaced it, as ctx-count --follow does. */
	bool reopens;
	/* the spool (directory of moved tool results) that the command has
	 * opened, or NULL */
	const struct ctx_spool *spool;
	bool stores; /* true if the command stores files in the spool */
};
/* Disables core files, because they would contain conversations.  Afterwards
 * only root can trace the process. */
void cli_no_core(void);
/* Gives up the rights of the process to run programs, to connect to the
 * network, and to open files other than those that the command needs. */
void cli_sandbox(const struct cli *cli, const struct cli_sandbox_grants *needs);
/*
 * Opens the spool (directory of moved tool results) before the sandbox begins,
 * and sets needs->spool.  The sandbox can allow only directories that exist.
 * So if the spool does not exist and create is false, sets needs->read to the
 * path of the nearest existing directory above it, which the caller frees, and
 * returns -1.  Otherwise returns 0, or -1 with *err.
 */
int cli_open_spool(struct ctx_spool *spool, const char *dir, bool create,
    struct cli_sandbox_grants *needs, struct ctx_err *err);
/* Makes all system calls fail that the commands do not need (seccomp).  Returns
 * 0, or -1 with errno if the kernel supports seccomp but refuses the filter.
 * The process must first set PR_SET_NO_NEW_PRIVS. */
long cli_refuse_calls(void);

/* Sets up the token counters from the options for the model and the encoding,
 * the environment and the user's own models.  The caller must call this before
 * cli_refuse_overwrite, which protects the files that these options name. */
void cli_model_counters(struct cli *cli, struct ctx_model_counters *counters);
/* Exits with an error if the context window of the model that --model names is
 * not known. what: the option or value that needs the context window, for the
 * error message. */
void cli_check_window(const struct cli *cli,
    const struct ctx_model_counters *counters, const char *what);
/* Prints a warning if a model is unknown, which says how its tokens are
 * counted.  With --verbose, also prints how far the token counts of each model
 * can be trusted and, for estimates, which tokenizer would count better. */
void cli_note_models(const struct cli *cli,
    struct ctx_model_counters *counters);

/*
 * Prints two numbers, each if it is not 0. kept: messages that still have
 * signed reasoning, which the provider refuses after a change. refused:
 * conversations that were left unchanged because of "--reasoning fail"; if
 * there are any, sets the exit status CLI_NO.
 */
void cli_note_reasoning(struct cli *cli, uint64_t kept, uint64_t refused);
/* With --verbose, prints from how many messages signed reasoning was removed
 * after a change, and how many reasoning items the provider will drop. */
void cli_note_removed_reasoning(const struct cli *cli, uint64_t removed,
    uint64_t dropped);
/* Frees a regular expression.  If matching it with a tool's name or a text took
 * too long, so that messages were not changed, prints a warning. option: the
 * option with the expression. */
void cli_end_pattern(const struct cli *cli, const char *option,
    struct ctx_pattern *pattern);

/* Prints one line on standard error, which begins with the name of the
 * command. */
void cli_say(const struct cli *cli, const char *fmt, ...) CTX_FORMAT(2, 3);
/* Prints one line as cli_say does, then exits with the status CLI_TROUBLE. */
_Noreturn void cli_die(const struct cli *cli, const char *fmt, ...)
    CTX_FORMAT(2, 3);
/* Prints that a file cannot be opened, read or written, and why.  Then exits
 * with the status CLI_TROUBLE. what: the verb, such as "open". sys: the value
 * of errno.  Cuts off the end of a long path, so that the cause is always
 * shown. */
_Noreturn void cli_die_errno(const struct cli *cli, const char *what,
    const char *path, int sys);
/* Prints the error message in *err with its file and line, then exits with the
 * status CLI_TROUBLE.  If *err names no file, the message names the input file
 * that --in-place is replacing.  With --annotations, first prints an annotation
 * for invalid input.  Prints nothing if the process that reads standard output
 * has closed it. */
_Noreturn void cli_fail(const struct cli *cli, const struct ctx_err *err);
/* Does what calloc does.  Exits with an error if there is no memory. */
void *cli_allocate(const struct cli *cli, size_t n, size_t size);
/* Returns true if a character can be shown on a terminal: it is not a control
 * character, is not invisible, and does not change the direction of text. */
bool cli_is_safe(uint32_t cp);
/* Prints a text, with "?" in place of each character that cannot be shown
 * safely on a terminal (see cli_is_safe). */
void cli_print_masked(FILE *to, const char *p, size_t n);
/* Writes a number in a short form such as "812", "9.4k" or "1.2M" to buf, and
 * returns buf. */
const char *cli_short_number(char buf[16], uint64_t n);
/* Writes a number of bytes in this way: "812 B", "9.4 kB" or "1.2 GB". */
const char *cli_short_bytes(char buf[24], double n);
/* Prints a place in a file: FILE:LINE, or only FILE if line is 0. */
void cli_print_place(FILE *to, const char *file, uint64_t line);

/* Prepares the process: makes standard input, output and error usable, disables
 * core files, and sets up the JSON library jansson.  The first call of a
 * command. */
void cli_begin(void);
/* Exits with status 0, for example after --help. */
_Noreturn void cli_exit_ok(const struct cli *cli);
/* Exits with an error if writing to standard output has failed.  Called after
 * each printed line. */
void cli_check_stdout(const struct cli *cli);
/* Closes standard output.  Exits with an error if its last bytes could not be
 * written. */
void cli_close_stdout(const struct cli *cli);
/* Raises the exit status of the command to status; never lowers it. */
void cli_status(struct cli *cli, int status);
/* Ends a command: closes standard output and reports write errors.  Returns the
 * exit status. */
int cli_end(struct cli *cli);

/* ---- text_width.c: widths in terminal columns --------------------------- */

/* maximum width of an output line, in columns */
enum { CLI_COLUMNS_MOST = 400 };
/* Returns the width of the terminal in columns: the value of the environment
 * variable COLUMNS, otherwise the width that the terminal reports, otherwise
 * 80.  The result is at least 24 and at most CLI_COLUMNS_MOST. */
unsigned cli_columns(void);
size_t cli_text_width(struct ctx_str name);
/* Returns the longest beginning of a name that has a width of at most width
 * terminal columns.  The result points into the name. */
struct ctx_str cli_text_head(struct ctx_str name, size_t width);
/* Appends the place of a conversation or message, "FILE:LINE", to the buffer
 * out.  If the place is wider than width columns, cuts off the beginning of the
 * path. */
int cli_place(struct ctx_buf *out, const char *file, uint64_t line,
    size_t width, struct ctx_err *err);
/* Prints a place in the form that cli_place writes. */
void cli_print_short_place(const struct cli *cli, const char *file,
    uint64_t line, size_t width);
/* Writes sign (a text) and a number with a comma before each group of three
 * digits, such as "-1,234", to the buffer cell.  Returns cell. */
const char *cli_group_digits(char cell[24], const char *sign, uint64_t number);
/* Prints a text in lines of at most width characters, of which the first
 * "indent" are spaces.  Breaks lines at spaces. at: number of characters that
 * the first line already has, at most indent. */
void cli_print_wrapped(const char *text, size_t at, size_t indent,
    size_t width);

#endif
