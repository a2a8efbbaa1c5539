/*
 * cli.h - what all commands share: options, messages, reports, models, exit
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

#include "stream/stream.h"

/* Parts of error messages. CLI_STDOUT: the name of standard output. CLI_LOST:
 * why a write has failed, if errno is not set. */
#define CLI_STDOUT "standard output"
#define CLI_LOST   "an earlier write failed"

/* The default spool.  If ctx creates the directory above it, git ignores that
 * directory. */
#define CLI_SPOOL ".ctx/spool"

enum { CLI_YES = 0, CLI_NO = 1, CLI_TROUBLE = 2 }; /* exit statuses */

enum cli_type {
	CLI_FLAG,   /* bool, set to true */
	CLI_STRING, /* const char * */
	CLI_FILE,   /* const char *, must not be empty */
	CLI_NUMBER, /* uint64_t: 20000, 20k, 1.5M */
	/* uint64_t: a time in milliseconds, given as 90s, 30m, 2h or 7d */
	CLI_SPAN,
	CLI_AMOUNT, /* struct ctx_amount: a number or 70% */
	/* An option whose argument is one of several names, such as --level
	 * light.  Its variable, an unsigned, is set to the number i for which
	 * choice(i) returns this name. */
	CLI_CHOICE,
	/* const char *: the suffix of --in-place.  The argument of this option
	 * is optional, and joined to the option, as in -i.bak. */
	CLI_SUFFIX,
	CLI_PATTERN, /* struct ctx_pattern, may be repeated */
	/* struct cli_list: the option may be repeated, and its argument must
	 * not be empty */
	CLI_LIST,
	/* An option whose argument is one of several names and that may be
	 * repeated.  In its variable, an unsigned, bit i is set for the name
	 * that choice(i) returns. */
	CLI_BITS,
	/* Not options, but headings in --help.  Of the options after CLI_BRIEF
	 * only the names are printed. */
	CLI_HEADING,
	CLI_BRIEF,
};

/* The arguments of an option that may be repeated. */
struct cli_list {
	const char **list;
	size_t n;
};

struct cli_option {
	char letter; /* letter of the short option; 0: none */
	/* long name of the option, without dashes; NULL: a heading in --help */
	const char *name;
	/* name of the option's argument in --help; "[=NAME]" if it is
	 * optional */
	const char *arg;
	/* Description in one line, with the default.  If it ends in a colon,
	 * --help prints the names that choice returns after it. */
	const char *help;
	enum cli_type type;
	void *to;
	/* For an option whose argument is one of several names: returns name
	 * number i, or NULL after the last name. */
	const char *(*choice)(unsigned i);
	/* Pointer to a bool that is set to true if the option is on the
	 * command line; or NULL. */
	bool *given;
};

/* A command: its description, its options and the files it reads. */
struct cli {
	const char *name, *about, *operands, *examples;
	/* meaning of exit status 1 in --help; NULL: the command never exits
	 * with it */
	const char *no_means;
	/* table of the command's options; its last row is empty; NULL after
	 * cli_parse */
	const struct cli_option *options;
	char **files;
	size_t n_files;
	/* The following members are set by the options that all commands
	 * have. */
	const char *dialect_name, *model, *encoding;
	const struct ctx_dialect *dialect;
	bool lenient, unbuffered, verbose, no_sandbox, progress_asked;
	bool still; /* true if progress is never shown */
	/* --in-place: each operand is replaced by what the command writes.
	 * suffix: appended to the operand's name for the original; NULL: the
	 * original is not kept. */
	bool in_place;
	const char *suffix;
	/* True if --force is given.  Then a file such as that of --explain or
	 * --svg is written even if it exists and holds something else, such as
	 * source code. */
	bool force;
	uint64_t jobs;
	/* The following members are the state of the command, not options. */
	int status;
	/* Called before a message is printed, or NULL: prints the output that
	 * the command still holds, so that the message comes after it. */
	void (*before_message)(void *user);
	void *user;
	/* path of the spool, the directory in which ctx-age stores tool
	 * results; or NULL */
	const char *spool;
	bool opened; /* true once the first input file was opened */
	/* True if each operand is a separate stream; false if all operands
	 * together are one stream. */
	bool each;
	/* Number of operands that cli_next_stream has opened; at least 1 once
	 * standard input was opened. */
	size_t n_opened;
	/* The operand that is being rewritten by --in-place; or NULL. */
	const char *rewritten;
	/* The open archive of --archive; or NULL. */
	struct ctx_archive *archive;
	struct cli_progress *progress;
	/* Pointer to a bool that is true while the terminal shows the progress
	 * line; or NULL. */
	bool *drawn;
	/* path of the cache directory for compiled vocabularies */
	char cache[4096];
	struct ctx_user_models models; /* those of models.json */
};

/* The changes that a command made for one reason (rule), added up for the
 * report of --dry-run. */
struct cli_rule {
	const char *name, *action;
	uint64_t messages;
	/* Number of changed members of requests other than messages, such as
	 * the tools. */
	uint64_t members;
	/* Number of changed lines of a session file that are not sent to the
	 * model. */
	uint64_t lines;
	/* Number of tokens of the changed messages, before and after the
	 * changes. */
	uint64_t before, after;
};
/* number of rows for changes by reason (rule): more than there are rules */
#define CLI_RULES 24

/* The options --dry-run, --explain and --archive, and the state of what they
 * report. */
struct cli_report {
	bool dry_run, json;
	const char *explain_path, *archive_path;
	/* True if --dry-run prints a table for each input file; false if the
	 * command prints its tables itself. */
	bool by_file;
	/* True if the table of --dry-run counts repairs, as for ctx-check;
	 * false if it counts changed messages and their tokens. */
	bool repairs;
	/* State of what --explain, --archive and --dry-run report. */
	FILE *explain;
	/* True if --explain prints a table, because it prints on a
	 * terminal. */
	bool is_table;
	bool has_heads; /* true if the header of this table was printed */
	struct ctx_archive archive;
	/* The changes so far, summed up for each reason (rule).  The last row
	 * has the name NULL. */
	struct cli_rule rules[CLI_RULES + 1];
	/* the input file whose change was reported last; NULL: none */
	const char *file;
};

/* The option --annotations. */
struct cli_annotations {
	/* Number of the code host, see cli_annotation_host. */
	unsigned host;
	bool given;
};
/* Returns the name of code host i, such as "github"; NULL after the last. */
const char *cli_annotation_host(unsigned i);
/* Prints an error at a place in a file, as the code host expects it on standard
 * output. line: 0 if the error concerns the whole file. */
void cli_print_annotation(const struct cli *cli,
    const struct cli_annotations *annotations, const char *file, uint64_t line,
    const char *text);

/* Opens the files of the options --explain and --archive, and sets *out so that
 * the library reports its changes to *report.  Exits with an error if a file
 * cannot be opened. */
void cli_report_open(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
void cli_report_close(struct cli *cli, struct cli_report *report,
    struct ctx_report *out);
/* Returns true if the command must print what --dry-run would change, as a
 * table. */
bool cli_report_plans(const struct cli_report *report);
/* cli_report_row prints one row of the table of --dry-run. cli_report_rules
 * prints a row for each reason (rule) for which something was changed. */
void cli_report_row(const char *name, uint64_t messages, uint64_t tokens);
void cli_report_rules(struct cli_report *report);
/* Returns what was changed in an input file, summed up for each reason (rule),
 * as a JSON object; NULL if there is no memory. */
json_t *cli_report_object(struct cli_report *report, const char *file);
/* Prints a row of the table of --explain for a change (explain_table.c). */
int cli_explain_row(struct cli_report *report, const struct ctx_change *change,
    struct ctx_err *err);
/* Returns a text, such as a file name, as a JSON string.  Bytes that are not
 * UTF-8 are replaced by "?".  Returns NULL if there is no memory. */
json_t *cli_json_text(const char *p, size_t n);
/* Sets a member of a JSON object, and returns the object.  Returns NULL if the
 * object or the member's value is NULL, or if there is no memory.  Both are
 * then freed. */
json_t *cli_json_with(json_t *object, const char *key, json_t *value);
/* Sets a member to a number, as cli_json_with does. */
json_t *cli_json_number(json_t *object, const char *key, uint64_t value);
/* Writes a JSON object as one line to a file, and frees the object. name: the
 * file's name for error messages; flags: those of json_dumps.  A NULL object
 * means that there was no memory, which is an error. */
int cli_json_line(FILE *to, const char *name, json_t *line, size_t flags,
    struct ctx_err *err);
/* Exits with an error if the command must not overwrite the file at path.  This
 * is so if the command reads the file, if it is standard output or standard
 * error, if it is the file with the path "other" (which may be NULL), or if it
 * is in the spool directory. */
void cli_refuse_overwrite(const struct cli *cli, const char *path,
    const char *other);
/* An XML comment that shows that --svg has written a picture. */
#define CLI_SVG_MARK "<!-- written by ctx-count -->"
/* Kinds of files that a command writes in addition to standard output.  An
 * existing file is written only if its content is of the expected kind; see
 * cli_refuse_content. */
enum cli_content {
	CLI_CONTENT_ARCHIVE, /* records, a line each */
	CLI_CONTENT_EXPLAIN, /* lines of --explain */
	CLI_CONTENT_SVG,
};
/* Exits with an error if the file at path exists and does not begin like the
 * expected content: the user has probably named a wrong file.  With the option
 * --force such a file is accepted. */
void cli_refuse_content(const struct cli *cli, const char *path,
    enum cli_content content);
/* Creates the file of the option --explain.  Exits with an error if that
 * fails, if the file must not be overwritten, or if the command also writes it
 * as another output. other: the path of that other output, or NULL. */
FILE *cli_explain_open(const struct cli *cli, const char *path,
    const char *other);
void cli_explain_close(const struct cli *cli, FILE *file, const char *path);
/* Replaces the content of a file, so that another program reads the old
 * content or the new one, but no mixture (atomic_write.c).  Exits with an
 * error if that fails. */
void cli_write_whole(const struct cli *cli, const char *path,
    const struct ctx_buf *bytes);
/* Creates a file with a random name in the directory of path, and writes its
 * path to the buffer "beside". access: O_WRONLY or O_RDWR. like: another file,
 * whose owner, group and mode the new file gets; NULL: the mode is 0600.
 * Returns the descriptor of the new file, or -1 and sets errno. */
int cli_open_beside(const char *path, int access, const struct stat *like,
    char *beside, size_t size);
/* Returns true if the file has an access control list (ACL).  The group's
 * rights in the file's mode are then the mask of the ACL.  So a new file with
 * this mode, but without the ACL, could give the group more rights. */
bool cli_has_acl(const char *path);
/* Reads n bytes of a file at an offset, in several calls of pread(2) if
 * necessary.  Returns the number of bytes, which is less than n only at the end
 * of the file; -1 with errno. */
ssize_t cli_read_at(int fd, char *p, size_t n, uint64_t at);
/*
 * Replacing of operands (in_place.c).  cli_check_in_place exits with an error
 * if an operand cannot be replaced, before anything is written; called by
 * cli_parse.  cli_begin_in_place creates the new file of an operand and returns
 * its descriptor.  Between this call and cli_end_in_place the exit status is
 * that of this operand alone.  If it is CLI_YES when cli_end_in_place is
 * called, the operand is replaced.
 */
void cli_check_in_place(const struct cli *cli);
int cli_begin_in_place(struct cli *cli, const char *name);
void cli_end_in_place(struct cli *cli);
/* Clears the sums of changes for each reason (rule), before the next
 * conversation is read. */
void cli_report_forget(struct cli_report *report);

/* When something is shown: only if the output is for people, always, or
 * never. */
enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER };
const char *cli_when_name(unsigned i);
const char *cli_dialect_name(unsigned i);
const char *cli_model_name(unsigned i);
const char *cli_encoding_name(unsigned i);
bool cli_is_built_in(const char *encoding);
/* Returns the name of a value of enum ctx_reasoning: "drop", "keep" or
 * "fail". */
const char *cli_reasoning_name(unsigned i);
/* Returns the name of a value of enum ctx_level: "light", "balanced" or
 * "aggressive". */
const char *cli_level_name(unsigned i);
const char *cli_strategy_name(unsigned i);

/*
 * Reads the command line.  Stores the values of options in the variables that
 * the rows of the table options point to, and the input files in cli->files.
 * Exits for --help, --version and errors.
 */
void cli_parse(struct cli *cli, const struct cli_option *options, int argc,
    char **argv);

/* Stores the argument text of an option in its variable; text is NULL if the
 * option has none.  Exits with an error if the argument is malformed. */
void cli_store(struct cli *cli, const struct cli_option *option,
    const char *text);
/* Exits with an error that says what the argument of the option must be. */
_Noreturn void cli_bad_argument(const struct cli *cli,
    const struct cli_option *option, const char *text);
/* An option that was given although it has an effect only together with another
 * option. */
struct cli_need {
	bool given;       /* true if the option was given */
	const char *name; /* of the option, without dashes */
	bool met;         /* true if the option has an effect */
	/* the option that is needed, as the user writes it, such as
	 * "--repair" */
	const char *needs;
};
/* Exits with an error if one of several options was given that has no effect
 * without another. */
void cli_check_needs(const struct cli *cli, const struct cli_need *needs,
    size_t n);
/* An option that was given although it has no effect together with another
 * one. */
struct cli_conflict {
	bool given;        /* true if the option was given */
	const char *name;  /* of the option, without dashes */
	bool excluded;     /* true if the other option was given, too */
	const char *other; /* the other option as the user writes it */
};
/* Exits with an error if one of several options was given that has no effect
 * with another. */
void cli_check_conflicts(const struct cli *cli,
    const struct cli_conflict *conflicts, size_t n);
/* Returns an environment variable, or NULL if it is unset or empty. */
const char *cli_environment(const char *name);
/* Read an environment variable into *to, if it is set.  Exit with an error if
 * its value is malformed. cli_tunable_share reads a share between 0 and 1 as
 * thousandths of a percent (0.7 becomes 70000), and returns true if the
 * variable is set. */
void cli_env_number(const struct cli *cli, const char *name, uint64_t *to);
bool cli_tunable_share(const struct cli *cli, const char *name, uint64_t *to);

/* Opens the input files as a stream of conversations.  If writer is not NULL,
 * also opens it for standard output.  Applies the options that all commands
 * have.  Exits with an error if a file cannot be opened. */
void cli_open(struct cli *cli, struct ctx_stream *stream, char **files,
    size_t n_files, struct ctx_writer *writer);
/* Must be called by a command that reads its operands without cli_open, before
 * it reads them: does what cli_open does first.  Exits with an error if
 * standard output is an operand; says that the terminal is read; begins to show
 * progress. */
void cli_begin_operands(struct cli *cli);
/* Opens the next stream that the command reads, as cli_open does: all operands,
 * or the next one if each is a separate stream.  Returns false if there is none
 * left.  Each stream must be ended by cli_end_stream. */
bool cli_next_stream(struct cli *cli, struct ctx_stream *stream,
    struct ctx_writer *writer);
/* Flushes and releases the writer, which may be NULL, and closes the stream.
 * Must be called after everything that can raise the exit status because of
 * this stream.  Exits with an error if the output could not be written. */
void cli_end_stream(struct cli *cli, struct ctx_stream *stream,
    struct ctx_writer *writer);
/*
 * Called by cli_open.  From now on, shows on standard error how many bytes of
 * the input files have been read (through the argument "reader").  The number
 * is shown if --progress is given, or if standard error is a terminal and the
 * work takes longer than a second. streams is true if the output is written
 * while the input is read.
 */
void cli_progress_open(struct cli *cli, struct ctx_reader *reader,
    char *const *files, size_t n, bool streams);
/* Like cli_progress_open, for a command that does not read its operands by a
 * reader.  It calls cli_progress_add with the number of bytes that it has
 * read. */
void cli_progress_begin(struct cli *cli);
void cli_progress_add(struct cli *cli, size_t bytes);
/* Erases the progress line before other output is printed on the terminal.  The
 * progress line is drawn again later.  Functions that print messages on
 * standard error erase the line, too. */
void cli_progress_clear(const struct cli *cli);
void cli_progress_close(struct cli *cli);
/* Returns the nanoseconds of the monotonic clock; 0 if it cannot be read. */
int64_t cli_read_clock(void);
/* Starts the threads of --jobs, which count the tokens of a stream's messages
 * before they are needed.  Must be called after cli_sandbox, because only
 * threads that start later are restricted. */
void cli_prefetch(struct cli *cli, struct ctx_stream *stream,
    struct ctx_model_counters *counters);
/* Prints warnings about a stream that was read: lines that are not JSON, no
 * messages, or messages of several formats.  With --verbose prints the format,
 * and the record that identified it. */
void cli_note_stream(const struct cli *cli, const struct ctx_stream *stream);
/* For a command that answers a question about the messages of a stream, such as
 * whether they fit a budget: sets the exit status CLI_TROUBLE if the stream has
 * records, but no messages, so there is no answer.  Says so if the list of
 * messages is empty; otherwise cli_note_stream does. */
void cli_require_messages(struct cli *cli, const struct ctx_stream *stream);
void cli_close(struct ctx_stream *stream);
/*
 * Reads a file piece by piece ("-" is standard input).  For each piece calls
 * the function "take" with the buffer "text".  The buffer contains the bytes
 * that the function has left there before, then the new piece; the function
 * removes the bytes that it has processed from the front. ended is true at the
 * end of the file.
 */
struct cli_parts {
	int (*take)(void *user, struct ctx_buf *text, bool ended,
	    struct ctx_err *err);
	void *user;
};
int cli_read_parts(const struct cli *cli, const char *file,
    const struct cli_parts *parts, struct ctx_err *err);
/* Prints the list of all models: those that the user has defined, then the
 * built-in ones; on standard error the date of the table, and a warning if it
 * is old. */
void cli_models_print(const struct cli *cli, const struct ctx_models *own);

/* Files that the sandbox must allow a command to open, apart from its
 * operands. */
struct cli_sandbox_grants {
	/* The command reads the vocabulary files of these token counters; or
	 * NULL. */
	const struct ctx_model_counters *counters;
	/* name of a file that the sandbox must let the command read; or NULL */
	const char *read;
	/* a file that the sandbox must let the command create; or NULL */
	const char *written;
	/* True if the command opens its operands (input files) again after
	 * another program has replaced them, as ctx-count --follow does. */
	bool reopens;
	/* the spool (directory of moved tool results) that the command has
	 * opened; or NULL */
	const struct ctx_spool *spool;
	bool stores; /* true if the command stores files in the spool */
};
/* Disables core files, because they would hold conversations.  Afterwards no
 * user but root can trace the process. */
void cli_no_core(void);
/* Gives up the process's rights to run programs, to connect to the network, and
 * to open files other than those that the command needs. */
void cli_sandbox(const struct cli *cli, const struct cli_sandbox_grants *needs);
/*
 * Opens the spool and sets needs->spool, before the sandbox begins.  The
 * sandbox can allow only directories that exist.  So if the spool does not
 * exist and create is false, sets needs->read to the path of the nearest
 * existing directory above it, which the caller frees.  Returns 0, or -1 with
 * *err.
 */
int cli_open_spool(struct ctx_spool *spool, const char *dir, bool create,
    struct cli_sandbox_grants *needs, struct ctx_err *err);
/* Makes all system calls fail that the commands do not need (seccomp).
 * Returns -1 with errno if the kernel supports seccomp but refuses the filter.
 * The process must have set PR_SET_NO_NEW_PRIVS. */
long cli_refuse_calls(void);

/* Sets up the token counters with the model, the encoding, the environment and
 * the user's own models.  Must be called before cli_refuse_overwrite, which
 * protects the files that these options name. */
void cli_model_counters(struct cli *cli, struct ctx_model_counters *counters);
/* Exits with an error if --model names a model whose context window is not
 * known. what: the option or value that needs the window, for
 * the error message. */
void cli_check_window(const struct cli *cli,
    const struct ctx_model_counters *counters, const char *what);
/* If a model is not known, prints a message that says so, and how the tokens of
 * the model are counted instead.  With --verbose, if the tokens of a model are
 * only estimated, also prints where its tokenizer can be found. */
void cli_note_models(const struct cli *cli,
    struct ctx_model_counters *counters);

/*
 * Prints how many messages still have bound reasoning (signed reasoning that
 * the provider refuses if anything before it was changed) although a message
 * before them was changed.  Also prints how many conversations were left
 * unchanged for this reason, because of "--reasoning fail"; if there are any,
 * sets the exit status CLI_NO.
 */
void cli_note_reasoning(struct cli *cli, uint64_t kept, uint64_t refused);
/* A pattern of a tool name or text may take too long to match.  If this
 * happened, prints a message: the messages concerned were not changed. option:
 * the option that has the pattern. */
void cli_note_pattern(const struct cli *cli, const char *option,
    const struct ctx_pattern *pattern);

/* Prints one line on standard error that begins with the name of the command.
 */
void cli_say(const struct cli *cli, const char *fmt, ...) CTX_FORMAT(2, 3);
/* Prints one line as cli_say does, then exits with the status CLI_TROUBLE. */
_Noreturn void cli_die(const struct cli *cli, const char *fmt, ...)
    CTX_FORMAT(2, 3);
/* Prints that a file cannot be opened, read or written, and why, then exits
 * with an error. what: the verb, such as "open"; sys: the errno value.  A long
 * path is cut at its end, so that the cause is always shown. */
_Noreturn void cli_die_errno(const struct cli *cli, const char *what,
    const char *path, int sys);
/* Prints the message in err with its file and line, then exits with the status
 * CLI_TROUBLE.  If err names no file, the operand that is being rewritten is
 * named.  Prints nothing if the reader of standard output has closed it. */
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
/* Exits with status 0, for example after --help. */
_Noreturn void cli_exit_ok(const struct cli *cli);
/* Exits with an error if writing to standard output has failed.  Called after
 * each printed line. */
void cli_check_stdout(const struct cli *cli);
/* Closes standard output.  Exits with an error if its last bytes could not be
 * written. */
void cli_close_stdout(const struct cli *cli);
/* Raises the exit status of the command to status, if it was lower. */
void cli_status(struct cli *cli, int status);
/* Ends a command: closes standard output and reports write errors.  Returns the
 * exit status. */
int cli_end(struct cli *cli);

/* ---- text_width.c: widths in terminal columns --------------------------- */

/* maximum width of an output line, in columns */
enum { CLI_COLUMNS_MOST = 400 };
/* Returns the width of the terminal in columns: COLUMNS in the environment, or
 * what the terminal says, or 80; at least 24 and at most CLI_COLUMNS_MOST. */
unsigned cli_columns(void);
size_t cli_text_width(struct ctx_str name);
/* Returns the longest beginning of a name that is at most width terminal
 * columns wide.  The result points into the name. */
struct ctx_str cli_text_head(struct ctx_str name, size_t width);
/* Appends "FILE:LINE", the place of a conversation or message, to the buffer
 * "out".  If it would be wider than width columns, the beginning of the path is
 * cut off. */
int cli_place(struct ctx_buf *out, const char *file, uint64_t line,
    size_t width, struct ctx_err *err);

#endif
