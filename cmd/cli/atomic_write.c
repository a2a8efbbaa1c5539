/*
 * atomic_write.c - replaces a file by a new one in a single step, so that no
 * program reads a half-written file
 *
 * The new file is written in the directory of the old one under a random name,
 * and renamed when its content is on disk.  If the disk is full, the old file
 * is kept.
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

/* Mode and group of the file that is replaced; the new file gets them.  If no
 * file is replaced, the mode is 0600. */
struct kept_name {
	mode_t mode;
	gid_t group; /* -1 if the group is not changed */
};

/* Returns true if a new file may replace the file at this path.  Symbolic
 * links, pipes and devices are written in place instead, because the user
 * chose them on purpose.  A file with several hard links or of another owner
 * is also written in place, because a new file would lose the links or the
 * owner. */
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

int
cli_open_beside(const char *path, int access, char *beside, size_t size)
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
	return open(beside, access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	    0600);
}

/* Creates the new file with the group and mode of the old one.  Returns its
 * descriptor, or -1 with errno.  Fails if the user may not set the group: the
 * mode would then give rights to a wrong group. */
static int
open_like(const char *path, const struct kept_name *kept, char *beside,
    size_t size)
{
	int fd = cli_open_beside(path, O_WRONLY, beside, size);

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

/* Writes bytes to a file and closes it.  Returns 0, or an errno value. */
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

/* Overwrites the existing file.  Termination signals are not deferred
 * meanwhile: if the file is a pipe, the write may wait forever for a reader. */
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

/* Returns true if an error means that no temporary file can ever be created in
 * the directory of the file, so that the file must be overwritten in place.
 * After other errors, such as a full disk, the old file is kept. sys: the
 * errno value. */
static bool
is_for_good(int sys)
{
	return sys == EACCES || sys == EPERM || sys == EROFS ||
	    sys == ENAMETOOLONG;
}

/* Replaces the file by a new one.  Termination signals are deferred meanwhile,
 * so that no file with a random name is left.  Returns false if no file can be
 * created in the directory. */
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
