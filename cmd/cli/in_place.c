/*
 * in_place.c - replaces input files by the output of the command (--in-place)
 *
 * The new file is written in the directory of the old one, under a random name.
 * When the new versions of all input files are complete and on disk, they are
 * renamed.  So at any time an input file is either the old or the new file as a
 * whole, and after an error all input files are unchanged.  The files with
 * random names are removed at exit and by the termination signals (HUP, INT,
 * QUIT, TERM); other signals leave them behind.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* number of bytes that are compared in one step */
#define BLOCK ((size_t)64 << 10)

/* An input file and its new version. */
struct replacement {
	const char *name; /* name of the input file, as the user gave it */
	/* path of the file itself, with symbolic links resolved */
	char *target;
	/* Result of stat(2) for the input file, from before it was read. */
	struct stat before;
	/* Path of the temporary file that will replace the input file; empty if
	 * there is none. */
	char temporary[4096];
};

/* The input files that will be replaced.  The command may still be processing
 * the last one.  This is a global variable, because the signal handler must
 * find the temporary files. */
static struct {
	struct replacement *list; /* has room for all input files */
	size_t n;
	int fd; /* descriptor of the last temporary file */
	/* exit status of the command before it processed the last input file */
	int status;
} now;

/* Identifies a file by its device and inode.  If two input files have the same
 * device and inode, they are the same file, which is an error. */
struct identity {
	dev_t device;
	ino_t inode;
	const char *name;
};

/* ---- before anything is written ---- */

static int
compare_identities(const void *a, const void *b)
{
	const struct identity *one = a, *two = b;

	if (one->device != two->device)
		return one->device < two->device ? -1 : 1;
	if (one->inode != two->inode)
		return one->inode < two->inode ? -1 : 1;
	return 0;
}

/* Writes the path under which the original of an input file is kept to the
 * buffer "path".  This path is target with the suffix of --in-place.  Exits
 * with an error if the path is too long. */
static void
name_original(const struct cli *cli, const char *name, const char *target,
    char path[4096])
{
	int n = snprintf(path, 4096, "%s%s", target, cli->suffix);

	if (n < 0 || n >= 4096)
		cli_die_errno(cli, "keep the original of", name, ENAMETOOLONG);
}

static _Noreturn void
refuse_kept(const struct cli *cli, const char *original)
{
	cli_die(cli,
	    "%s exists and may be the only copy of an original; move it away, "
	    "or give --in-place another suffix",
	    original);
}

/* Exits with an error if a file exists at the path under which the original of
 * an input file would be kept. */
static void
check_original(const struct cli *cli, const char *name, const char *target)
{
	char original[4096];
	struct stat file;

	if (cli->suffix == NULL)
		return;
	name_original(cli, name, target, original);
	if (lstat(original, &file) == 0)
		refuse_kept(cli, original);
}

/* Exits with an error if no file can be created in the directory of target. */
static void
check_directory(const struct cli *cli, const char *name, char *target)
{
	char *slash = strrchr(target, '/'), after = slash[1];
	int rc;

	slash[1] = '\0';
	rc = access(target, W_OK | X_OK);
	slash[1] = after;
	if (rc < 0)
		cli_die(cli,
		    "cannot replace %s: cannot write to its directory: %s",
		    name, strerror(errno));
}

/* Returns true if the process belongs to a group. */
static bool
is_member(gid_t group)
{
	gid_t groups[1024];
	int n = getgroups(sizeof groups / sizeof groups[0], groups);

	while (n > 0 && groups[n - 1] != group)
		n--;
	return group == getegid() || n > 0;
}

/* Exits with an error if a new file cannot get the owner, group and rights of
 * the old one. */
static void
check_owner(const struct cli *cli, const char *name, const char *target,
    const struct stat *file)
{
	if (geteuid() != 0 &&
	    (file->st_uid != geteuid() || !is_member(file->st_gid)))
		cli_die(cli,
		    "cannot replace %s: it belongs to another user or group; "
		    "run as its owner, or write to a new file",
		    name);
	if (cli_has_acl(target))
		cli_die(cli,
		    "cannot replace %s: it has an access control list, which "
		    "the new file would not have; setfacl -b removes it",
		    name);
}

/* Exits with an error if the file that an operand names cannot be replaced. */
static void
check_operand(const struct cli *cli, const char *name, struct identity *id)
{
	char *target;
	struct stat file;

	if (strcmp(name, "-") == 0)
		cli_die(cli,
		    "--in-place cannot replace standard input; name a file");
	target = realpath(name, NULL);
	if (target == NULL && errno == ENOENT && cli->suffix == NULL &&
	    name == cli->files[0] && cli->n_files > 1)
		cli_die(cli,
		    "cannot open %s: No such file or directory; a suffix is "
		    "joined to the option, as in -i.bak",
		    name);
	if (target == NULL || stat(target, &file) < 0)
		cli_die_errno(cli, "open", name, errno);
	if (S_ISDIR(file.st_mode))
		cli_die_errno(cli, "replace", name, EISDIR);
	if (!S_ISREG(file.st_mode))
		cli_die(cli,
		    "cannot replace %s: it is not a regular file; write to a "
		    "new file",
		    name);
	/* For root, access(2) says that every file is writable.  So the mode of
	 * the file is checked first. */
	if ((file.st_mode & 0222) == 0)
		cli_die(cli,
		    "cannot replace %s: it is read-only; make it writable "
		    "first",
		    name);
	if (access(target, W_OK) < 0)
		cli_die_errno(cli, "replace", name, errno);
	check_directory(cli, name, target);
	check_owner(cli, name, target, &file);
	check_original(cli, name, target);
	free(target);
	*id = (struct identity){file.st_dev, file.st_ino, name};
}

void
cli_check_in_place(const struct cli *cli)
{
	struct identity *ids;
	size_t n = cli->n_files, i;

	if (n == 0)
		cli_die(cli, "--in-place needs a file to replace");
	ids = cli_allocate(cli, n, sizeof *ids);
	for (i = 0; i < n; i++)
		check_operand(cli, cli->files[i], &ids[i]);
	qsort(ids, n, sizeof *ids, compare_identities);
	for (i = 1; i < n; i++)
		if (compare_identities(&ids[i - 1], &ids[i]) == 0)
			cli_die(cli,
			    "%s and %s are the same file; name it once",
			    ids[i - 1].name, ids[i].name);
	free(ids);
}

/* ---- the temporary files ---- */

/* Removes the temporary file.  Called at exit and by the signal handler, so it
 * calls only functions that are allowed in signal handlers. */
static void
remove_temporaries(void)
{
	size_t i;

	for (i = 0; i < now.n; i++)
		if (now.list[i].temporary[0] != '\0')
			(void)unlink(now.list[i].temporary);
}

/* Removes the temporary files, then ends the process by the signal: the default
 * action of the signal was restored, so raise ends the process when this
 * handler returns.  In the sandbox raise fails with musl, because the system
 * call that it uses is refused; in that case the handler ends the process by
 * _exit. */
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
	int sys;

	if (now.list == NULL) {
		now.list = cli_allocate(cli, cli->n_files, sizeof *now.list);
		handle_ends(cli);
	}
	now.status = cli->status;
	cli->status = CLI_YES;
	cli->rewritten = name;
	one = &now.list[now.n];
	one->name = name;
	one->target = realpath(name, NULL);
	if (one->target == NULL || stat(one->target, &one->before) < 0)
		cli_die_errno(cli, "open", name, errno);
	/* cli_open_beside writes the path of the temporary file.  Signals are
	 * deferred meanwhile, because their handler must not see half of the
	 * path. */
	held = ctx_signals_defer();
	now.fd = cli_open_beside(one->target, O_RDWR, &one->before,
	    one->temporary, sizeof one->temporary);
	sys = errno;
	now.n += now.fd >= 0;
	ctx_signals_release(held);
	if (now.fd < 0)
		cli_die(cli,
		    "cannot create a temporary file in the directory of %s: %s",
		    name, strerror(sys));
	return now.fd;
}

/* ---- replacing ---- */

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

/* Gives the original file a second name, its name with the suffix of
 * --in-place.  Fails if a file with that name exists, because link(2) never
 * overwrites a file. */
static void
keep_original(const struct cli *cli, const struct replacement *one,
    char path[4096])
{
	name_original(cli, one->name, one->target, path);
	if (link(one->target, path) == 0)
		return;
	if (errno == EEXIST)
		refuse_kept(cli, path);
	cli_die_errno(cli, "keep the original as", path, errno);
}

/* Replaces an input file by renaming the temporary file.  If the user has given
 * a suffix, the original file first gets a second name with this suffix. */
static void
replace(const struct cli *cli, struct replacement *one)
{
	char original[4096];
	int sys;

	if (cli->suffix != NULL)
		keep_original(cli, one, original);
	if (rename(one->temporary, one->target) < 0) {
		sys = errno;
		if (cli->suffix != NULL)
			(void)unlink(original);
		cli_die_errno(cli, "replace", one->name, sys);
	}
	one->temporary[0] = '\0';
}

/* Returns true if the last input file must be replaced: if the command has
 * succeeded with it (status CLI_YES), and the new file differs from it. */
static bool
is_wanted(const struct cli *cli, const struct replacement *one)
{
	if (cli->status != CLI_YES) {
		cli_say(cli,
		    "%s: not replaced, because the command did not succeed",
		    one->name);
		return false;
	}
	check_unchanged(cli, one);
	return has_changes(cli, one);
}

void
cli_end_in_place(struct cli *cli)
{
	struct replacement *one = &now.list[now.n - 1];

	if (!is_wanted(cli, one)) {
		if (unlink(one->temporary) < 0)
			cli_die_errno(cli, "remove", one->temporary, errno);
		one->temporary[0] = '\0';
		free(one->target);
		now.n--;
	} else if (fsync(now.fd) < 0) {
		cli_die_errno(cli, "write", one->name, errno);
	}
	(void)close(now.fd);
	cli->rewritten = NULL;
	cli_status(cli, now.status);
}

void
cli_replace_inputs(const struct cli *cli)
{
	struct ctx_err err;
	unsigned held;
	size_t i;

	if (now.n > 0 && cli->archive != NULL &&
	    ctx_archive_sync(cli->archive, &err) < 0)
		cli_fail(cli, &err);
	/* Signals are deferred, so that none ends the process when only some
	 * files are replaced. */
	held = ctx_signals_defer();
	for (i = 0; i < now.n; i++) {
		check_unchanged(cli, &now.list[i]);
		check_original(cli, now.list[i].name, now.list[i].target);
	}
	for (i = 0; i < now.n; i++) {
		replace(cli, &now.list[i]);
		free(now.list[i].target);
	}
	now.n = 0;
	ctx_signals_release(held);
}
