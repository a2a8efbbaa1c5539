/*
 * atomic_write.c - replaces a file in a single step, so that no program reads a
 * half-written file
 *
 * The new file is written in the directory of the old file under a random name,
 * and renamed when its content is on disk.  If the disk is full, the old file
 * is kept.  A file that must not be replaced (see may_replace), or whose
 * directory cannot be written, is overwritten in place.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif
#include <unistd.h>

#include "cli/cli.h"

static _Noreturn void
fail(const struct cli *cli, const char *path, const char *beside, int sys)
{
	if (beside != NULL)
		(void)unlink(beside);
	cli_die_errno(cli, "write", path, sys);
}

/* Returns true if a new file may replace the file at this path.  Returns false
 * for a symbolic link, pipe or device, because the user chose it on purpose.
 * Also returns false for a file with several hard links, another owner or an
 * access control list, because a new file would lose them. */
static bool
may_replace(const char *path, struct stat *file, bool *exists)
{
	*exists = lstat(path, file) == 0;
	if (!*exists)
		return errno == ENOENT;
	return S_ISREG(file->st_mode) && file->st_nlink == 1 &&
	    file->st_uid == geteuid() && !cli_has_acl(path);
}

bool
cli_has_acl(const char *path)
{
#ifdef __linux__
	return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
#else
	(void)path;
	return false;
#endif
}

/* Gives an open file the owner, group and mode of another file.  Returns 0, or
 * -1 with errno.  If the group cannot be set, the mode is not set either,
 * because its group rights would apply to the wrong group. */
static int
copy_rights(int fd, const struct stat *like)
{
	struct stat file;

	if (fstat(fd, &file) < 0)
		return -1;
	if ((file.st_uid != like->st_uid || file.st_gid != like->st_gid) &&
	    fchown(fd, like->st_uid, like->st_gid) < 0)
		return -1;
	return fchmod(fd, like->st_mode & 07777);
}

int
cli_open_beside(const char *path, int access, const struct stat *like,
    char *beside, size_t size)
{
	const char *slash = strrchr(path, '/');
	int directory = slash == NULL ? 0 : (int)(slash - path) + 1;
	char name[CTX_TEMPORARY_NAME];
	int n, fd, sys;

	ctx_temporary_name(name);
	n = snprintf(beside, size, "%.*s%s", directory, path, name);
	if (n < 0 || (size_t)n >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open(beside, access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	    0600);
	if (fd < 0 || like == NULL || copy_rights(fd, like) == 0)
		return fd;
	sys = errno;
	(void)close(fd);
	(void)unlink(beside);
	errno = sys;
	return -1;
}

/* Writes bytes to a file, and closes it. sync: true if the bytes are synced to
 * disk.  Returns 0, or an errno value. */
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

/* Overwrites the existing file, which may be a named pipe.  Does not defer
 * termination signals, because a write to a pipe may wait forever for a
 * reader. */
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

/* Returns true if an error of open means that no temporary file can ever be
 * created in the directory of the file, so that the file must be overwritten in
 * place.  After other errors, such as a full disk, the old file is kept. sys:
 * the value of errno. */
static bool
is_for_good(int sys)
{
	return sys == EACCES || sys == EPERM || sys == EROFS ||
	    sys == ENAMETOOLONG;
}

/* Replaces the file at path by a new file. like: owner, group and mode of the
 * existing file; NULL if no file exists, then the new file gets the mode 0600.
 * Defers termination signals while it runs, so that no file with a random name
 * is left.  Returns false if no file can ever be created in the directory of
 * path; exits after another error. */
static bool
replace(const struct cli *cli, const char *path, const struct stat *like,
    const struct ctx_buf *bytes)
{
	unsigned held = ctx_signals_defer();
	char beside[4096];
	int fd = cli_open_beside(path, O_WRONLY, like, beside, sizeof beside);
	int sys;

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
	struct stat file;
	bool exists;

	if (!may_replace(path, &file, &exists) ||
	    !replace(cli, path, exists ? &file : NULL, bytes))
		write_in_place(cli, path, bytes);
}
