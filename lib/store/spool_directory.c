/*
 * spool_directory.c - opens, closes and lists the directory of a spool
 *
 * A spool is a directory of stored results.  The directory is opened once.  Its
 * files are opened relative to the descriptor of the directory.
 */
#define _GNU_SOURCE /* O_PATH, realpath(3), flock(2) */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"

/* Returns true if a path is valid UTF-8 without ASCII control characters.  This
 * is required of the path of a spool (directory of stored results), because
 * references (lines of text that name files of the spool) contain it. */
static bool
is_printable_path(const char *dir)
{
	for (const unsigned char *p = (const unsigned char *)dir; *p != '\0';
	     p++)
		if (*p < 0x20 || *p == 0x7f)
			return false;
	return ctx_utf8_valid(dir, strlen(dir), CTX_SIMD_BEST) == strlen(dir);
}

static int
refuse_link(const char *dir, struct ctx_err *err)
{
	char *real = realpath(dir, NULL);

	ctx_err_set(err, CTX_EFILE,
	    "spool directory %s is a symbolic link; choose %s instead", dir,
	    real != NULL ? real : "its target");
	free(real);
	return -1;
}

/* Syncs the directory that contains a new directory, so that the new directory
 * exists after a crash.  This is needed even if another process created the new
 * directory, because that process may not have synced yet. at: descriptor of
 * the containing directory. made: true if this process created the new
 * directory.  If made is false, it is no error that the directory cannot be
 * synced, or not by this user. */
static int
sync_parent(int at, bool made)
{
	if (fsync(at) == 0)
		return 0;
	/* If the directory is not readable, it was opened with O_PATH, and
	 * fsync fails with EBADF. */
	if (errno == EBADF)
		errno = EACCES;
	return made ||
		(errno != EINVAL && errno != EROFS && errno != ENOTSUP &&
		    errno != EACCES)
	    ? -1
	    : 0;
}

/* Opens the directory "name" in the directory with the descriptor "at". passed:
 * true if "name" is only a directory on the path to the spool, which need not
 * be readable. */
static int
open_directory(int at, const char *name, int flags, bool passed)
{
	int fd = openat(at, name, flags | O_RDONLY | O_DIRECTORY | O_CLOEXEC);

#ifdef O_PATH
	if (fd < 0 && errno == EACCES && passed)
		fd = openat(at, name, flags | O_PATH | O_DIRECTORY | O_CLOEXEC);
#else
	(void)passed;
#endif
	return fd;
}

/* Opens one directory of the spool's path.  If create is true and the directory
 * does not exist, creates it. */
static int
open_component(int at, const char *name, bool follow, bool last, bool create,
    bool *made)
{
	int flags = follow ? 0 : O_NOFOLLOW, fd, sys;

	*made = false;
	fd = open_directory(at, name, flags, !last);
	if (!create || (fd < 0 && errno != ENOENT))
		return fd;
	if (fd < 0) {
		*made = mkdirat(at, name, 0700) == 0;
		if (!*made && errno != EEXIST)
			return -1;
		fd = open_directory(at, name, flags, !last);
	}
	if (fd >= 0 && sync_parent(at, *made) < 0) {
		sys = errno;
		close(fd);
		errno = sys;
		fd = -1;
	}
	return fd;
}

/* Opens the directory that is the first component of *path, and sets *path to
 * the rest of the path. */
static int
open_next_component(int at, const char **path, bool absolute, bool create,
    bool *link, bool *made)
{
	const char *p = *path + strspn(*path, "/");
	size_t n = strcspn(p, "/");
	bool last = p[n + strspn(p + n, "/")] == '\0';
	char name[NAME_MAX + 1];
	struct stat st;
	int fd, sys;

	if (n >= sizeof name) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, p, n);
	name[n] = '\0';
	*path = p + n;
	/* A relative path may lead through directories that other people wrote,
	 * such as a checkout.  So symbolic links in a relative path are not
	 * followed.  Links in an absolute path belong to the user and are
	 * followed, except in the last component. */
	fd = open_component(at, name, absolute && !last, last, create, made);
	sys = errno;
	*link = fd < 0 && (sys == ENOTDIR || sys == ELOOP) &&
	    fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISLNK(st.st_mode);
	errno = sys;
	return fd;
}

static int
open_path(const char *dir, bool create, size_t *n_made, struct ctx_err *err)
{
	bool absolute = dir[0] == '/', link = false, made = false;
	const char *path = dir;
	int fd, next, sys;

	*n_made = 0;
	fd = open_directory(AT_FDCWD, absolute ? "/" : ".", 0, true);
	while (fd >= 0 && path[strspn(path, "/")] != '\0') {
		next = open_next_component(fd, &path, absolute, create, &link,
		    &made);
		sys = errno;
		*n_made = made ? *n_made + 1 : 0;
		close(fd);
		errno = sys;
		fd = next;
	}
	if (link)
		return refuse_link(dir, err);
	if (fd < 0)
		return ctx_err_sys(err, errno, "cannot open spool directory %s",
		    dir);
	return fd;
}

bool
ctx_spool_is_at(const struct ctx_spool *spool, struct ctx_str dir)
{
	char path[PATH_MAX];
	struct stat st, named;

	if (dir.n >= sizeof path || memchr(dir.p, '\0', dir.n) != NULL)
		return false;
	memcpy(path, dir.p, dir.n);
	path[dir.n] = '\0';
	return fstat(spool->fd, &st) == 0 && stat(path, &named) == 0 &&
	    ctx_is_same_file(&st, &named);
}

/* Returns true if the path of the spool still leads to the directory that was
 * opened as the spool. */
static bool
is_same_directory(const struct ctx_spool *spool)
{
	return ctx_spool_is_at(spool,
	    (struct ctx_str){spool->dir, strlen(spool->dir)});
}

/* Opens the spool (directory of stored results).  Creates it if it does not
 * exist.  Then locks the spool, if the file system has locks: a process that
 * has created an empty spool removes it at its end, unless another process has
 * locked it.  If the spool was removed before it was locked, creates and opens
 * it again. */
static int
open_made(struct ctx_spool *spool, struct ctx_err *err)
{
	int tries = 0;

	for (;; tries++) {
		spool->fd = open_path(spool->dir, true, &spool->made, err);
		if (tries == 10 ||
		    (spool->fd < 0 &&
			(err->code != CTX_ESYS || err->sys != ENOENT)))
			return spool->fd;
		if (spool->fd >= 0 &&
		    (flock(spool->fd, LOCK_SH | LOCK_NB) == 0 ||
			errno != EWOULDBLOCK) &&
		    is_same_directory(spool))
			return spool->fd;
		if (spool->fd >= 0)
			close(spool->fd);
		ctx_pause(1000);
	}
}

size_t
ctx_spool_above(const char *dir, size_t n)
{
	size_t length = strlen(dir);

	for (;; n--) {
		while (length > 1 && dir[length - 1] == '/')
			length--;
		if (n == 0)
			return length;
		while (length > 0 && dir[length - 1] != '/')
			length--;
	}
}

/* Removes the directories that this process has created for the spool, if they
 * are empty and no other process uses them. */
static void
remove_made(const struct ctx_spool *spool)
{
	char path[PATH_MAX];
	size_t length;

	if (spool->made == 0 || flock(spool->fd, LOCK_EX | LOCK_NB) < 0 ||
	    !is_same_directory(spool))
		return;
	for (size_t i = 0; i < spool->made; i++) {
		length = ctx_spool_above(spool->dir, i);
		if (length >= sizeof path)
			return;
		memcpy(path, spool->dir, length);
		path[length] = '\0';
		if (rmdir(path) < 0)
			return;
	}
}

int
ctx_spool_open(struct ctx_spool *spool, const char *dir, bool create,
    struct ctx_err *err)
{
	struct stat st;

	memset(spool, 0, sizeof *spool);
	spool->fd = -1;
	spool->dir = dir;
	if (dir[0] == '\0' || !is_printable_path(dir))
		return ctx_err_set(err, CTX_EARG,
		    "the name of the spool directory must be UTF-8 "
		    "without control characters");
	if (create)
		spool->fd = open_made(spool, err);
	else
		spool->fd = open_path(dir, false, &spool->made, err);
	if (spool->fd < 0)
		return -1;
	if (fstat(spool->fd, &st) < 0) {
		ctx_err_sys(err, errno, "cannot access spool directory %s",
		    dir);
	} else if (st.st_uid != geteuid() && st.st_uid != 0) {
		ctx_err_set(err, CTX_EFILE,
		    "spool directory %s belongs to another user; choose "
		    "another directory",
		    dir);
	} else if ((st.st_mode & 022) != 0 && !(st.st_mode & S_ISVTX)) {
		ctx_err_set(err, CTX_EFILE,
		    "spool directory %s is writable by others; run chmod go-w "
		    "on it, or choose another directory",
		    dir);
	} else {
		return 0;
	}
	ctx_spool_close(spool);
	return -1;
}

void
ctx_spool_close(struct ctx_spool *spool)
{
	if (spool->fd >= 0) {
		remove_made(spool);
		close(spool->fd);
	}
	spool->fd = -1;
}

int
ctx_spool_sync(struct ctx_spool *spool, struct ctx_err *err)
{
	struct stat opened, named;

	if (!spool->dirty)
		return 0;
	if (fsync(spool->fd) < 0)
		return ctx_err_sys(err, errno,
		    "cannot flush spool directory %s to the disk", spool->dir);
	/* References (lines in messages that name files of the spool) contain
	 * the path of the spool.  So the path must still lead to the directory
	 * that is open. */
	if (fstat(spool->fd, &opened) < 0 || stat(spool->dir, &named) < 0)
		return ctx_err_sys(err, errno,
		    "cannot access spool directory %s", spool->dir);
	if (!ctx_is_same_file(&opened, &named))
		return ctx_err_set(err, CTX_EFILE,
		    "spool directory %s was moved or replaced while it was in "
		    "use; run the command again",
		    spool->dir);
	spool->dirty = false;
	return 0;
}

int
ctx_spool_each(struct ctx_spool *spool, void *user,
    int (*visit)(void *user, const char *name, struct ctx_err *err),
    struct ctx_err *err)
{
	int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int rc = 0;

	if (dir == NULL) {
		ctx_err_sys(err, errno, "cannot read spool directory %s",
		    spool->dir);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (rc == 0 && (errno = 0, entry = readdir(dir)) != NULL)
		rc = visit(user, entry->d_name, err);
	if (rc == 0 && errno != 0)
		rc = ctx_err_sys(err, errno, "cannot read spool directory %s",
		    spool->dir);
	closedir(dir);
	return rc;
}
