/* ctx-restore.c - command that undoes ctx-age: puts tool results that were
 * moved to files back into the conversation */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "age/age.h"
#include "cli/cli.h"
#include "cli/option_rows.h"

/* Maximum number of warnings that ctx-restore prints about references (lines
 * that name the spool file of a moved tool result). */
#define MAX_LINES 10

struct restore_command {
	struct cli cli;
	struct ctx_restore_config options;
	struct cli_report report;
	bool list, gc;
	uint64_t n_broken;
	/* Number of references in the input.  A reference is a line that names
	 * a file with a moved tool result. own: number of references to files
	 * in the directory of --spool; foreign: number of references to files
	 * elsewhere. */
	uint64_t own, foreign;
	/* If a reference in the input names a file outside the directory of
	 * --spool: path of the directory of the first such file. */
	struct ctx_buf dir;
	/* Used with --gc, which lists the stored files that the input does not
	 * name.  The name of a stored file contains hex digits of the SHA-256
	 * of its contents. files: the digits of each file in the directory;
	 * named: the digits of each file that the input names. */
	struct ctx_intern files, named;
	/* The error if the directory of --spool cannot be used.  The code of
	 * the error is CTX_OK if the directory can be used. */
	struct ctx_err refused;
};

static const char *const state_names[] = {
    [CTX_AGED_WHOLE] = "whole",
    [CTX_AGED_MISSING] = "missing",
    [CTX_AGED_CHANGED] = "changed",
    [CTX_AGED_EDITED] = "edited",
};

static void
print_reference(const struct cli *cli, const struct ctx_found_reference *aged)
{
	printf("%s\t%" PRIu64 "\t", state_names[aged->state], aged->chars);
	cli_print_masked(stdout, aged->path.p, aged->path.n);
	(void)putchar('\t');
	cli_print_place(stdout, aged->file, aged->line);
	(void)putchar('\n');
	cli_check_stdout(cli);
}

/* Used with --gc.  Stores that a reference in the input names a spool file, if
 * the directory had this file when it was listed. digits: the hex digits in the
 * name of the file. */
static int
record_digits(void *user, struct ctx_str digits, struct ctx_err *err)
{
	struct restore_command *restore = user;
	uint32_t id;

	return ctx_intern_has(&restore->files, digits.p, digits.n)
	    ? ctx_intern(&restore->named, digits.p, digits.n, &id, err)
	    : 0;
}

static const char *const problems[] = {
    [CTX_AGED_MISSING] = "is missing, so its reference is kept",
    [CTX_AGED_CHANGED] = "has changed, so its reference is kept",
    [CTX_AGED_EDITED] = "does not contain the text before the reference to "
			"it, so both are kept; to restore it, remove that text",
};

static int
on_reference(void *user, const struct ctx_found_reference *aged,
    struct ctx_err *err)
{
	struct restore_command *restore = user;
	struct ctx_str digits;

	restore->own++;
	if (restore->gc)
		return ctx_spool_is_name(aged->name, &digits)
		    ? record_digits(user, digits, err)
		    : 0;
	if (restore->list) {
		cli_progress_clear(&restore->cli);
		print_reference(&restore->cli, aged);
	}
	if (aged->state == CTX_AGED_WHOLE)
		return 0;
	cli_status(&restore->cli, CLI_NO);
	if (!restore->list && restore->n_broken++ < MAX_LINES)
		cli_say(&restore->cli, "%s:%" PRIu64 ": %.*s %s", aged->file,
		    aged->line, (int)aged->path.n, aged->path.p,
		    problems[aged->state]);
	return 0;
}

static int
on_foreign(void *user, struct ctx_str dir, struct ctx_err *err)
{
	struct restore_command *restore = user;

	if (restore->foreign++ > 0)
		return 0;
	return ctx_buf_add(&restore->dir, dir.p, dir.n, err);
}

/* Warns that the argument of --spool is probably wrong, if the input has
 * references (lines that name files with moved tool results), but none of the
 * files is in the directory of --spool. */
static void
warn_foreign(struct restore_command *restore)
{
	if (restore->own == 0 && restore->foreign > 0) {
		if (!restore->gc)
			cli_status(&restore->cli, CLI_NO);
		cli_say(&restore->cli,
		    "no reference in the input names a file in %s; references "
		    "to other directories: %" PRIu64 "; name such a directory "
		    "with --spool, for example %.*s",
		    restore->options.spool, restore->foreign,
		    (int)restore->dir.n, restore->dir.p);
	}
	ctx_buf_release(&restore->dir);
}

/* ---- files that no stream names ---- */

/* Sets *digits to the hex digits in a file name.  Returns false if the name is
 * neither that of a file that ctx-age has stored, nor that of the .json file
 * beside such a file.  The digits identify the stored file; see
 * CTX_SPOOL_DIGITS. */
static bool
find_digits(const char *file, struct ctx_str *digits)
{
	static const char suffix[] = ".json";
	const size_t n = sizeof suffix - 1;
	struct ctx_str name = {file, strlen(file)};

	if (ctx_spool_is_name(name, digits))
		return true;
	if (name.n <= n || memcmp(name.p + name.n - n, suffix, n) != 0)
		return false;
	name.n -= n;
	return ctx_spool_is_name(name, digits);
}

static int
record_file(void *user, const char *file, struct ctx_err *err)
{
	struct restore_command *restore = user;
	struct ctx_str digits;
	uint32_t id;

	return find_digits(file, &digits)
	    ? ctx_intern(&restore->files, digits.p, digits.n, &id, err)
	    : 0;
}

/* Used with --gc.  Prints the name of a file in the directory if ctx-age has
 * stored it, and the input does not mention it.  Does not print a file that was
 * created after the directory was listed, because a conversation that is still
 * being written may mention it. */
static int
print_unnamed(void *user, const char *file, struct ctx_err *err)
{
	struct restore_command *restore = user;
	struct ctx_str digits;

	(void)err;
	if (find_digits(file, &digits) &&
	    ctx_intern_has(&restore->files, digits.p, digits.n) &&
	    !ctx_intern_has(&restore->named, digits.p, digits.n))
		printf("%s/%s\n", restore->options.spool, file);
	cli_check_stdout(&restore->cli);
	return 0;
}

/* Used with --gc, which prints the stored files that the input does not
 * mention.  Exits with an error if the input has no messages and mentions no
 * stored file: then the user has probably named no conversation, and all files
 * would be printed. */
static void
require_conversation(const struct restore_command *restore,
    const struct ctx_stream *stream)
{
	if (!stream->found.has_message && restore->named.n == 0)
		cli_die(&restore->cli,
		    "--gc: the input has no messages, so every file in %s "
		    "would be listed as unused; give the files of all "
		    "conversations that use the directory",
		    restore->options.spool);
}

static void
visit_spool(struct restore_command *restore,
    int (*file)(void *user, const char *name, struct ctx_err *err))
{
	struct ctx_spool spool;
	struct ctx_err err;

	if (!restore->gc)
		return;
	if (restore->refused.code != CTX_OK)
		cli_fail(&restore->cli, &restore->refused);
	if (ctx_spool_open(&spool, restore->options.spool, false, &err) < 0) {
		if (err.code != CTX_ESYS || err.sys != ENOENT)
			cli_fail(&restore->cli, &err);
		return;
	}
	if (ctx_spool_each(&spool, restore, file, &err) < 0)
		cli_fail(&restore->cli, &err);
	ctx_spool_close(&spool);
}

static void
parse(struct restore_command *restore, int argc, char **argv)
{
	struct ctx_restore_config *o = &restore->options;
	const struct cli_option options[] = {
	    {'S', "spool", "DIR", "directory of moved results (.ctx/spool)",
		CLI_FILE, &o->spool, NULL, NULL},
	    {0, "list", NULL, "print the references and their state", CLI_FLAG,
		&restore->list, NULL, NULL},
	    {0, "gc", NULL, "list the files to which no input refers", CLI_FLAG,
		&restore->gc, NULL, NULL},
	    CLI_CHANGES(&restore->cli, &restore->report),
	    {.type = CLI_HEADING, .help = "Input and reports"},
	    CLI_DIALECT(&restore->cli),
	    CLI_MODEL(&restore->cli),
	    CLI_ENCODING(&restore->cli),
	    CLI_REPORT(&restore->report),
	    CLI_REST(&restore->cli),
	    {0},
	};

	o->spool = cli_environment("CTX_SPOOL");
	if (o->spool == NULL)
		o->spool = CLI_SPOOL;
	restore->report.by_file = true;
	cli_parse(&restore->cli, options, argc, argv);
	restore->cli.spool = o->spool;
	if (restore->list && restore->gc)
		cli_die(&restore->cli,
		    "--list and --gc exclude each other; give one of them");
	if ((restore->list || restore->gc) &&
	    (restore->report.dry_run || restore->report.explain_path != NULL ||
		restore->report.archive_path != NULL || restore->cli.in_place))
		cli_die(&restore->cli,
		    "--list and --gc change nothing, so they cannot be "
		    "combined with --dry-run, --explain, --archive or "
		    "--in-place");
	o->user = restore;
	o->found = on_reference;
	o->foreign = on_foreign;
	o->digits = restore->gc ? record_digits : NULL;
}

/* Opens the spool (directory of moved tool results), then enters the sandbox,
 * which must allow access to this directory.  A missing directory is no error,
 * because it may be created later.  Other errors are reported when a file of
 * the spool is needed. */
static void
enter_sandbox(struct restore_command *restore,
    const struct ctx_model_counters *counters)
{
	struct cli_sandbox_grants needs = {.counters = counters};
	struct ctx_err *refused = &restore->refused;
	struct ctx_spool spool;

	if (cli_open_spool(&spool, restore->options.spool, false, &needs,
		refused) == 0 ||
	    needs.read != NULL)
		refused->code = CTX_OK;
	restore->options.refused = refused;
	cli_sandbox(&restore->cli, &needs);
	ctx_spool_close(&spool);
	free((void *)(uintptr_t)needs.read);
}

int
main(int argc, char **argv)
{
	struct restore_command restore = {
	    .cli = {
		.name = "ctx-restore",
		.about = "Put back tool results and media that ctx-age moved "
			 "to files.",
		.operands = "[FILE...]",
		.no_means = "a file is missing, changed or elsewhere",
		.examples =
		    "  ctx-restore -S spool < short.jsonl > chat.jsonl\n"
		    "  ctx-restore --list chat.jsonl\n",
	    }};
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_model_counters counters;
	struct ctx_err err;
	struct ctx_writer *output = &writer;

	parse(&restore, argc, argv);
	if (restore.list || restore.gc)
		output = NULL;
	cli_model_counters(&restore.cli, &counters);
	cli_report_open(&restore.cli, &restore.report, &restore.options.report);
	enter_sandbox(&restore, &counters);
	visit_spool(&restore, record_file);
	while (cli_next_stream(&restore.cli, &stream, output)) {
		if (ctx_restore_stream(&stream, output, &counters,
			&restore.options, &err) < 0)
			cli_fail(&restore.cli, &err);
		cli_note_stream(&restore.cli, &stream);
		if (restore.gc)
			require_conversation(&restore, &stream);
		cli_end_stream(&restore.cli, &stream, output);
	}
	if (restore.n_broken > MAX_LINES)
		cli_say(&restore.cli,
		    "%" PRIu64 " more references are kept, because their files "
		    "are missing or have changed",
		    restore.n_broken - MAX_LINES);
	warn_foreign(&restore);
	visit_spool(&restore, print_unnamed);
	cli_report_close(&restore.cli, &restore.report,
	    &restore.options.report);
	ctx_intern_release(&restore.files);
	ctx_intern_release(&restore.named);
	ctx_model_counters_release(&counters);
	return cli_end(&restore.cli);
}
