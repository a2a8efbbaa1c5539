/*
 * in_place.c - replaces input files by the output of the command (--in-place)
 *
 * The new file is written in the directory of the old file, under a random
 * name.  When the new versions of all input files are complete and on disk,
 * each original gets a second name, and the new versions are renamed.  So at
 * any time an input file is either the old or the new file as a whole.  After
 * an error, the originals get their first names back, so all input files are
 * unchanged.  The files with random names are removed at exit and by the
 * termination signals (HUP, INT, QUIT, TERM), but not by other signals.
 */
#define _XOPEN_SOURCE 700 /* for realpath */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/in_place.h"

/* number of bytes that are compared in one step */
#define BLOCK ((size_t)64 << 10)

/* An input file and its new version. */
struct replacement {
	const char *name; /* name of the input file, as the user gave it */
	/* path of the input file, with symbolic links resolved */
	char *target;
	/* Result of stat(2) for the input file before the file was read. */
	struct stat before;
	/* path of the temporary file that will replace the input file; NULL
	 * after the temporary file has replaced the input file */
	char *temporary;
	/* second path of the original: a hard link, which exists if is_kept is
	 * true */
	char *original;
	bool is_kept;
	/* what the command changed in the file, for people; NULL if it is not
	 * printed */
	char *change;
};

/* The input files that will be replaced.  The command may still be processing
 * the last of these files.  The list is a global variable, because the signal
 * handler must find the temporary files. */
static struct {
	struct replacement *list; /* array with space for all input files */
	size_t n;
	int fd; /* descriptor of the last temporary file */
	/* exit status of the command before it processed the last input file */
	int status;
	/* what the command changed in the last input file; empty if the command
	 * has stored nothing here */
	char change[160];
	/* why the command did not change the last input file; empty if unknown
	 */
	char unchanged[160];
} now;

/* ---- the temporary files ---- */

/* Removes the temporary files.  Called at exit and by the signal handler, so it
 * calls only functions that are allowed in signal handlers. */
static void
remove_temporaries(void)
{
	size_t i;

	for (i = 0; i < now.n; i++)
		if (now.list[i].temporary != NULL)
			(void)unlink(now.list[i].temporary);
}

/* Removes the temporary files, then ends the process by the signal.  The
 * default action of the signal was restored, so raise ends the process when
 * this handler returns.  With musl, raise fails in the sandbox, which refuses
 * its system call; then the handler calls _exit. */
static void
on_signal(int number)
{
	remove_temporaries();
	if (raise(number) != 0)
		_exit(128 + number);
}

/* Installs handlers that remove the temporary files when the process exits, or
 * is ended by a signal that is not ignored. */
static void
handle_ends(const struct cli *cli)
{
	struct sigaction action = {.sa_handler = on_signal,
	    .sa_flags = (int)SA_RESETHAND};
	struct sigaction old;
	size_t i;

	if (atexit(remove_temporaries) != 0)
		cli_die(cli, "out of memory");
	(void)sigemptyset(&action.sa_mask);
	for (i = 0; i < CTX_TERMINATION_SIGNALS; i++)
		if (sigaction(ctx_termination_signals[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			(void)sigaction(ctx_termination_signals[i], &action,
			    NULL);
}

int
cli_begin_in_place(struct cli *cli, const char *name)
{
	struct replacement *one;
	unsigned held;
	size_t size;
	int sys;

	if (now.list == NULL) {
		now.list = cli_allocate(cli, cli->n_files, sizeof *now.list);
		handle_ends(cli);
	}
	now.status = cli->status;
	now.change[0] = now.unchanged[0] = '\0';
	cli->status = CLI_YES;
	cli->rewritten = name;
	one = &now.list[now.n];
	one->name = name;
	one->target = realpath(name, NULL);
	if (one->target == NULL || stat(one->target, &one->before) < 0)
		cli_die_errno(cli, "open", name, errno);
	size = strlen(one->target) + CTX_TEMPORARY_NAME;
	one->temporary = cli_allocate(cli, 1, size);
	/* Signals are deferred, because their handler must not miss the
	 * temporary file. */
	held = ctx_signals_defer();
	now.fd = cli_open_beside(one->target, O_RDWR, &one->before,
	    one->temporary, size);
	sys = errno;
	now.n += now.fd >= 0;
	ctx_signals_release(held);
	if (now.fd < 0)
		cli_die(cli,
		    "cannot create a temporary file in the directory of %s: %s",
		    name, strerror(sys));
	return now.fd;
}

/* ---- the result for one file ---- */

static void
free_replacement(struct replacement *one)
{
	free(one->target);
	free(one->temporary);
	free(one->original);
	free(one->change);
	*one = (struct replacement){0};
}

static bool
is_equal_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Exits with an error if another program has changed the input file since ctx
 * opened it, because replacing the file would lose that change.  A program can
 * set back the modification time of a file, but not the time of the last change
 * of the inode (ctime), so both are compared. */
static void
check_unchanged(const struct cli *cli, const struct replacement *one)
{
	const struct stat *before = &one->before;
	struct stat after;

	if (stat(one->name, &after) < 0)
		cli_die_errno(cli, "replace", one->name, errno);
	if (ctx_is_same_file(&after, before) &&
	    after.st_size == before->st_size &&
	    is_equal_time(&after.st_mtim, &before->st_mtim) &&
	    is_equal_time(&after.st_ctim, &before->st_ctim))
		return;
	cli_die(cli,
	    "cannot replace %s: another program changed it at the same time; "
	    "end that program, or try again",
	    one->name);
}

/* Returns true if the last temporary file has the same content as the input
 * file. */
static bool
is_equal(const struct cli *cli, const char *name, uint64_t size)
{
	static char one[BLOCK], two[BLOCK];
	uint64_t at;
	size_t n;
	bool equal = true;
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		cli_die_errno(cli, "open", name, errno);
	for (at = 0; equal && at < size; at += n) {
		n = size - at < BLOCK ? (size_t)(size - at) : BLOCK;
		/* errno remains 0 if the file has become shorter, because in
		 * that case no system call fails. */
		errno = 0;
		if (cli_read_at(fd, one, n, at) != (ssize_t)n ||
		    cli_read_at(now.fd, two, n, at) != (ssize_t)n)
			cli_die_errno(cli, "read", name,
			    errno != 0 ? errno : EIO);
		equal = memcmp(one, two, n) == 0;
	}
	(void)close(fd);
	return equal;
}

/* Returns true if the last temporary file differs from the input file. */
static bool
has_changes(const struct cli *cli, const struct replacement *one)
{
	struct stat file;

	if (fstat(now.fd, &file) < 0)
		cli_die_errno(cli, "write", one->name, errno);
	return file.st_size != one->before.st_size ||
	    !is_equal(cli, one->name, (uint64_t)file.st_size);
}

/* Returns true if a person sees the messages about replaced files. */
static bool
is_told(const struct cli *cli)
{
	return !cli->still && isatty(STDERR_FILENO);
}

/* Returns true if the last input file must be replaced: the command has
 * processed the file with success (status CLI_YES), and the new file is
 * different.  Otherwise prints why the file is not replaced; that nothing
 * changed is printed only if is_told returns true. */
static bool
is_wanted(const struct cli *cli, const struct replacement *one)
{
	if (cli->status != CLI_YES) {
		cli_say(cli,
		    "%s was not replaced, because the exit status is %d",
		    one->name, cli->status);
		return false;
	}
	check_unchanged(cli, one);
	if (has_changes(cli, one))
		return true;
	if (is_told(cli))
		cli_say(cli, "%s: nothing changed%s%s", one->name,
		    now.unchanged[0] != '\0' ? ": " : "", now.unchanged);
	return false;
}

void
cli_describe_change(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(now.change, sizeof now.change, fmt, ap);
	va_end(ap);
}

void
cli_explain_unchanged(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(now.unchanged, sizeof now.unchanged, fmt, ap);
	va_end(ap);
}

/* Stores what the command changed in the last input file. */
static void
record_change(const struct cli *cli, struct replacement *one)
{
	char before[24], after[24];
	struct stat file;

	if (fstat(now.fd, &file) < 0)
		cli_die_errno(cli, "write", one->name, errno);
	if (now.change[0] == '\0')
		cli_describe_change("%s -> %s",
		    cli_short_bytes(before, (double)one->before.st_size),
		    cli_short_bytes(after, (double)file.st_size));
	one->change = strdup(now.change);
}

void
cli_end_in_place(struct cli *cli)
{
	struct replacement *one = &now.list[now.n - 1];
	unsigned held;

	if (!is_wanted(cli, one)) {
		held = ctx_signals_defer();
		if (unlink(one->temporary) < 0)
			cli_die_errno(cli, "remove", one->temporary, errno);
		now.n--;
		ctx_signals_release(held);
		free_replacement(one);
	} else if (fsync(now.fd) < 0) {
		cli_die_errno(cli, "write", one->name, errno);
	} else if (is_told(cli)) {
		record_change(cli, one);
	}
	(void)close(now.fd);
	cli->rewritten = NULL;
	cli_status(cli, now.status);
}

/* ---- replacing ---- */

/* Exits with an error if an input file can no longer be replaced.  Sets
 * one->original: the path of the input file with the suffix of --in-place or,
 * if there is none, a random path beside the input file. */
static void
name_second(const struct cli *cli, struct replacement *one)
{
	const char *slash = strrchr(one->target, '/');
	char path[4096], name[CTX_TEMPORARY_NAME];

	check_unchanged(cli, one);
	cli_check_original(cli, one->name, one->target);
	ctx_temporary_name(name);
	if (cli->suffix != NULL)
		cli_name_original(cli, one->name, one->target, path);
	else
		(void)snprintf(path, sizeof path, "%.*s/%s",
		    (int)(slash - one->target), one->target, name);
	one->original = strdup(path);
	if (one->original == NULL)
		cli_die(cli, "out of memory");
}

/* Undoes the replacement of all replaced input files, by renaming the
 * originals.  Removes the second names of the other originals. */
static void
restore_originals(const struct cli *cli)
{
	const struct replacement *one;

	for (one = now.list; one < now.list + now.n; one++) {
		if (one->temporary != NULL && one->is_kept)
			(void)unlink(one->original);
		if (one->temporary != NULL ||
		    (one->is_kept && rename(one->original, one->target) == 0))
			continue;
		cli_say(cli, "%s: was replaced before the error%s%s", one->name,
		    one->is_kept ? "; the original is " : "",
		    one->is_kept ? one->original : "");
	}
}

/* Undoes the replacement of all input files, and exits because the last system
 * call has failed. what: verb that says what could not be done with the file at
 * path. */
static _Noreturn void
undo(const struct cli *cli, const char *what, const char *path)
{
	int sys = errno;

	restore_originals(cli);
	if (sys == EEXIST)
		cli_refuse_kept(cli, path);
	cli_die_errno(cli, what, path, sys);
}

/* Replaces all input files by their new versions or, after an error, none.
 * Before a file is replaced, link(2) gives the original a second name, from
 * which it is put back after an error; link(2) never overwrites a file.  File
 * systems without hard links refuse this.  Then files that were replaced before
 * the error stay replaced, and a suffix of --in-place is an error. */
static void
replace_all(const struct cli *cli)
{
	struct replacement *const end = now.list + now.n, *one;

	for (one = now.list; one < end; one++)
		name_second(cli, one);
	for (one = now.list; one < end; one++) {
		one->is_kept = link(one->target, one->original) == 0;
		if (!one->is_kept && cli->suffix != NULL)
			undo(cli, "keep the original as", one->original);
	}
	for (one = now.list; one < end; one++) {
		if (rename(one->temporary, one->target) < 0)
			undo(cli, "replace", one->name);
		free(one->temporary);
		one->temporary = NULL;
	}
	for (one = now.list; one < end; one++)
		if (one->is_kept && cli->suffix == NULL &&
		    unlink(one->original) < 0)
			cli_say(cli, "cannot remove %s: %s", one->original,
			    strerror(errno));
}

/* Prints what changed in an input file, and where its original is. */
static void
tell(const struct cli *cli, const struct replacement *one)
{
	struct stat file;
	bool is_link = lstat(one->name, &file) == 0 && S_ISLNK(file.st_mode);

	if (one->change == NULL)
		return;
	if (cli->suffix == NULL)
		cli_say(cli, "%s: %s", one->name, one->change);
	else
		cli_say(cli, "%s: %s; original in %s%s", one->name, one->change,
		    is_link ? one->target : one->name, cli->suffix);
}

void
cli_replace_inputs(const struct cli *cli)
{
	unsigned held;
	size_t i;

	if (now.n == 0)
		return;
	if (cli->status == CLI_TROUBLE) {
		cli_say(cli,
		    "no other file is replaced, because of the error above");
		return;
	}
	cli_report_sync(cli);
	/* Signals are deferred, so that no signal ends the process when only
	 * some files are replaced. */
	held = ctx_signals_defer();
	replace_all(cli);
	ctx_signals_release(held);
	for (i = 0; i < now.n; i++) {
		tell(cli, &now.list[i]);
		free_replacement(&now.list[i]);
	}
	now.n = 0;
}
