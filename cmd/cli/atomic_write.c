/*
 * atomic_write.c - a file that is whole, or as it was
 *
 * It is written beside its place, under a name of chance, and takes it once
 * it is on disk: who reads it meanwhile has the one before, and so has who
 * had it when there is no room for another.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

static _Noreturn void
fail(const struct cli *cli, const char *path, const char *beside, int sys)
{
	if (beside != NULL)
		(void)unlink(beside);
	cli_die_errno(cli, "write", path, sys);
}

/* What the new file has of the old one; of none, a mode of its own. */
struct kept_name {
	mode_t mode;
	gid_t group; /* -1: whatever it gets */
};

/* May another file take the place of this one?  A link, a pipe and a device
 * are what the user wants written, and so is what has another name, or an
 * owner whom the new one would not have. */
static bool
may_replace(const char *path, struct kept_name *kept)
{
	struct stat file;

	*kept = (struct kept_name){0600, (gid_t)-1};
	if (lstat(path, &file) < 0)
		return errno == ENOENT;
	*kept = (struct kept_name){file.st_mode & 0777, file.st_gid};
	return S_ISREG(file.st_mode) && file.st_nlink == 1 &&
	    file.st_uid == geteuid();
}

/* Opens a file beside another, or -1. */
static int
open_beside(const char *path, char *beside, size_t size)
{
	const char *slash = strrchr(path, '/');
	int directory = slash == NULL ? 0 : (int)(slash - path) + 1;
	struct ctx_hashkey random;
	int n;

	ctx_hashkey_init(&random);
	n = snprintf(beside, size, "%.*s.tmp-%016llx", directory, path,
	    (unsigned long long)random.k[0]);
	if (n < 0 || (size_t)n >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open(beside,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* The same for whom the other is; not where the user may not give it to the
 * other's group, whose mode is not for strangers. */
static int
open_like(const char *path, const struct kept_name *kept, char *beside,
    size_t size)
{
	int fd = open_beside(path, beside, size);

	if (fd < 0)
		return -1;
	if (fchown(fd, (uid_t)-1, kept->group) < 0) {
		(void)close(fd);
		(void)unlink(beside);
		errno = EPERM;
		return -1;
	}
	(void)fchmod(fd, kept->mode);
	return fd;
}

/* Writes and closes; the errno of what fails, else 0. */
static int
write_out(int fd, const struct ctx_buf *bytes, bool sync)
{
	struct ctx_writer writer;
	struct ctx_err err = {0};
	int sys = 0;

	ctx_writer_init(&writer, fd);
	if (ctx_writer_put(&writer, bytes->p, bytes->n, &err) < 0 ||
	    ctx_writer_flush(&writer, &err) < 0)
		sys = err.code == CTX_EPIPE  ? EPIPE
		    : err.code == CTX_ENOMEM ? ENOMEM
					     : err.sys;
	else if (sync && fsync(fd) < 0)
		sys = errno;
	if (close(fd) < 0 && sys == 0 && errno != EINTR)
		sys = errno;
	ctx_writer_release(&writer);
	return sys;
}

/* A pipe may keep us waiting for its reader, so signals end us here. */
static void
write_in_place(const struct cli *cli, const char *path,
    const struct ctx_buf *bytes)
{
	int fd = ctx_open_file(path, O_WRONLY | O_CREAT | O_TRUNC), sys;
	struct ctx_err err;

	if (fd < 0) {
		(void)ctx_err_open(&err, errno, "", path);
		cli_fail(cli, &err);
	}
	sys = write_out(fd, bytes, false);
	if (sys != 0)
		fail(cli, path, NULL, sys);
}

/* Can there be no file beside another, today or tomorrow?  Where there is but
 * no room for one the other stays as it is. */
static bool
is_for_good(int sys)
{
	return sys == EACCES || sys == EPERM || sys == EROFS ||
	    sys == ENAMETOOLONG;
}

/* A signal that ends us waits until the name of chance is gone.  False if
 * there can be no such file beside it. */
static bool
replace(const struct cli *cli, const char *path, const struct kept_name *kept,
    const struct ctx_buf *bytes)
{
	unsigned held = ctx_signals_defer();
	char beside[4096];
	int fd = open_like(path, kept, beside, sizeof beside), sys;

	if (fd >= 0) {
		sys = write_out(fd, bytes, true);
		if (sys == 0 && rename(beside, path) < 0)
			sys = errno;
		if (sys != 0)
			fail(cli, path, beside, sys);
	} else if (!is_for_good(errno)) {
		fail(cli, path, NULL, errno);
	}
	ctx_signals_release(held);
	return fd >= 0;
}

void
cli_write_whole(const struct cli *cli, const char *path,
    const struct ctx_buf *bytes)
{
	struct kept_name kept;

	if (!may_replace(path, &kept) || !replace(cli, path, &kept, bytes))
		write_in_place(cli, path, bytes);
}
