/*
 * spool.c - stores tool results in the spool (directory of stored results), in
 * files whose names contain a hash of the contents
 *
 * A file gets its final name only when all its contents are synced to disk.  So
 * a file with such a name is complete.  No existing file is ever overwritten.
 */
#define _GNU_SOURCE /* O_TMPFILE, syscall(2) */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include "store/store.h"

static int
report_file_error(const struct ctx_spool *spool, const char *what,
    const char *name, struct ctx_err *err)
{
	return ctx_err_sys(err, errno, "cannot %s file %s/%s", what, spool->dir,
	    name);
}

static int
refuse_long(const struct ctx_spool *spool, const char *name,
    struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EFILE,
	    "%s/%s has changed: it is longer than its reference says",
	    spool->dir, name);
}

/* Opens a regular file of the spool.  Returns 1, or 0 if there is no such file,
 * or -1 with *err. most: maximum size of the file in bytes; it is an error if
 * the file is larger. */
static int
open_file(const struct ctx_spool *spool, const char *name, uint64_t most,
    int *fd, struct ctx_err *err)
{
	struct stat st;

	/* O_NONBLOCK: without it, open would block if the name is that of a
	 * FIFO. */
	*fd = openat(spool->fd, name,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return errno == ENOENT
		    ? 0
		    : report_file_error(spool, "open", name, err);
	if (fstat(*fd, &st) < 0)
		report_file_error(spool, "access", name, err);
	else if (!S_ISREG(st.st_mode))
		ctx_err_set(err, CTX_EFILE, "%s/%s is not a regular file",
		    spool->dir, name);
	else if ((uint64_t)st.st_size > most)
		refuse_long(spool, name, err);
	else
		return 1;
	close(*fd);
	return -1;
}

/* Reads at most n bytes of a spool file into p.  Returns the number of bytes,
 * which is 0 only at the end of the file, or -1 with *err. */
static ssize_t
read_some(const struct ctx_spool *spool, const char *name, int fd, char *p,
    size_t n, struct ctx_err *err)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got < 0 ? report_file_error(spool, "read", name, err) : got;
}

int
ctx_spool_get(const struct ctx_spool *spool, const char *name, uint64_t most,
    struct ctx_buf *out, struct ctx_err *err)
{
	int fd, rc = open_file(spool, name, most, &fd, err);
	ssize_t n = 1;

	if (rc <= 0)
		return rc;
	out->n = 0;
	while (n > 0) {
		if (out->n > most) {
			n = refuse_long(spool, name, err);
			break;
		}
		n = ctx_buf_reserve(out, 64u << 10, err) < 0
		    ? -1
		    : read_some(spool, name, fd, out->p + out->n,
			  out->cap - out->n, err);
		if (n > 0)
			out->n += (size_t)n;
	}
	close(fd);
	return n < 0 ? -1 : 1;
}

int
ctx_spool_sum(const struct ctx_spool *spool, const char *name, uint64_t most,
    struct ctx_spool_sum *sum, struct ctx_err *err)
{
	char hash[SHA256_DIGEST_STRING_LENGTH], block[16 << 10];
	int fd, rc = open_file(spool, name, most, &fd, err);
	SHA2_CTX state;
	ssize_t n = 0;

	if (rc <= 0)
		return rc;
	sum->bytes = sum->chars = 0;
	SHA256Init(&state);
	while (sum->bytes <= most &&
	    (n = read_some(spool, name, fd, block, sizeof block, err)) > 0) {
		SHA256Update(&state, (const uint8_t *)block, (size_t)n);
		sum->bytes += (uint64_t)n;
		sum->chars += ctx_utf8_count(block, (size_t)n);
	}
	close(fd);
	SHA256End(&state, hash);
	memcpy(sum->digits, hash, CTX_SPOOL_DIGITS);
	if (n >= 0 && sum->bytes > most)
		return refuse_long(spool, name, err);
	return n < 0 ? -1 : 1;
}

/* Compares the part of an open file that was not read yet with a text of n
 * chunks.  Returns 1 if they are equal, 0 if not, or -1 with *err. */
static int
match_contents(const struct ctx_spool *spool, const char *name, int fd,
    const struct ctx_str *chunks, size_t n, struct ctx_err *err)
{
	char block[16 << 10];
	size_t i = 0, at = 0, part;
	ssize_t got;

	while ((got = read_some(spool, name, fd, block, sizeof block, err)) > 0)
		for (size_t from = 0; from < (size_t)got;
		     from += part, at += part) {
			for (; i < n && at == chunks[i].n; i++)
				at = 0;
			if (i == n)
				return 0;
			part = (size_t)got - from;
			if (part > chunks[i].n - at)
				part = chunks[i].n - at;
			if (memcmp(block + from, chunks[i].p + at, part) != 0)
				return 0;
		}
	if (got < 0)
		return -1;
	for (; i < n && at == chunks[i].n; i++)
		at = 0;
	return i == n;
}

/* Checks who can change a spool file.  Returns NULL if only the user can.
 * Otherwise returns a part of an error message: the reason why other users
 * can. */
static const char *
find_weakness(const struct stat *st)
{
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "belongs to another user";
	if ((st->st_mode & 022) != 0)
		return "is writable by others";
	return st->st_nlink > 1 ? "has another hard link" : NULL;
}

/* Returns 0 if other users cannot change a spool file, or -1 with *err if they
 * can.  A file must have only one name (hard link).  A file has two names while
 * another process is storing it.  So this function waits up to a second until
 * one name is removed. */
static int
check_private(const struct ctx_spool *spool, const char *name, int fd,
    struct ctx_err *err)
{
	struct stat st;
	int tries = 0;

	do {
		if (tries > 0)
			ctx_pause(10000);
		if (fstat(fd, &st) < 0)
			return report_file_error(spool, "access", name, err);
	} while (st.st_nlink > 1 && tries++ < 100);
	return find_weakness(&st) == NULL
	    ? 0
	    : ctx_err_set(err, CTX_EFILE,
		  "%s/%s %s; remove this file, or choose another spool "
		  "directory",
		  spool->dir, name, find_weakness(&st));
}

/* Compares a file that may exist with a text of n chunks.  Returns 1 if the
 * file has exactly this text, 0 if there is no such file, or -1 with *err if
 * the file has other contents. own: true if this process wrote the file.  If
 * own is false, also syncs the file to disk, and fails if other users can
 * change the file. */
static int
check_existing_file(const struct ctx_spool *spool, const char *name,
    const struct ctx_str *chunks, size_t n, bool own, struct ctx_err *err)
{
	int fd, rc = open_file(spool, name, UINT64_MAX, &fd, err);

	if (rc <= 0)
		return rc;
	rc = match_contents(spool, name, fd, chunks, n, err);
	/* If another process wrote the file (own is false), the file may not be
	 * on disk yet, so this process syncs it. */
	if (rc > 0 && !own && fsync(fd) < 0)
		rc = report_file_error(spool, "sync", name, err);
	if (rc > 0 && !own && check_private(spool, name, fd, err) < 0)
		rc = -1;
	close(fd);
	if (rc == 0)
		return ctx_err_set(err, CTX_EFILE,
		    "%s/%s exists, but with other contents than ctx-age would "
		    "write; move this file to another place, or choose another "
		    "spool directory",
		    spool->dir, name);
	return rc;
}

static int
write_synced(int fd, const struct ctx_str *chunks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ctx_write_all(fd, chunks[i], (struct ctx_str){0}) < 0)
			return -1;
	return fsync(fd);
}

/* Result of an attempt to store a file.  NOT_STORED: this system cannot create
 * a file without a name, or cannot give it a name later.  EXISTED: a file with
 * this name already exists. */
enum store_outcome { NOT_STORED, STORED, EXISTED };

/* Stores a file that gets its name only when it is complete.  If this process
 * is killed before that, the file system removes the file.  Returns an enum
 * store_outcome, or -1 with *err. */
static int
store_nameless(const struct ctx_spool *spool, const char *name,
    const struct ctx_str *chunks, size_t n, struct ctx_err *err)
{
#ifdef O_TMPFILE
	int fd = openat(spool->fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char self[40];
	int rc = NOT_STORED;

	if (fd < 0)
		return NOT_STORED;
	(void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	if (write_synced(fd, chunks, n) < 0)
		rc = report_file_error(spool, "write", name, err);
	else if (linkat(AT_FDCWD, self, spool->fd, name, AT_SYMLINK_FOLLOW) ==
	    0)
		rc = STORED;
	else if (errno == EEXIST)
		rc = EXISTED;
	close(fd);
	return rc;
#else
	(void)spool, (void)name, (void)chunks, (void)n, (void)err;
	return NOT_STORED;
#endif
}

static int
open_hidden(const struct ctx_spool *spool, char hidden[CTX_TEMPORARY_NAME])
{
	ctx_temporary_name(hidden);
	return openat(spool->fd, hidden,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Gives a temporary file its final name; the temporary name may remain, too.
 * Fails with errno EEXIST if a file with that name exists.  Also works on file
 * systems without hard links, such as vfat. */
static int
name_hidden(const struct ctx_spool *spool, const char *hidden, const char *name)
{
	if (linkat(spool->fd, hidden, spool->fd, name, 0) == 0)
		return 0;
/* The system call renameat2 is called by its number, because not every C
 * library has a function for it. */
#ifdef SYS_renameat2
	if (errno == EPERM || errno == ENOTSUP || errno == ENOSYS)
		return (int)syscall(SYS_renameat2, spool->fd, hidden, spool->fd,
		    name, 1u /* RENAME_NOREPLACE */);
#endif
	return -1;
}

static int
write_hidden(const struct ctx_spool *spool, const char *name,
    const struct ctx_str *chunks, size_t n, struct ctx_err *err)
{
	char hidden[CTX_TEMPORARY_NAME];
	int fd = open_hidden(spool, hidden), rc = STORED;

	if (fd < 0)
		return report_file_error(spool, "create", name, err);
	if (write_synced(fd, chunks, n) < 0)
		rc = report_file_error(spool, "write", name, err);
	if (close(fd) < 0 && rc == STORED)
		rc = report_file_error(spool, "write", name, err);
	if (rc == STORED && name_hidden(spool, hidden, name) < 0)
		rc = errno == EEXIST
		    ? EXISTED
		    : report_file_error(spool, "create", name, err);
	(void)unlinkat(spool->fd, hidden, 0);
	return rc;
}

/* Stores a file under a temporary name that begins with a dot, then renames the
 * file.  Meanwhile blocks termination signals, so that the temporary file is
 * always renamed or removed.  Only a signal such as SIGKILL can leave it
 * behind. */
static int
store_hidden(const struct ctx_spool *spool, const char *name,
    const struct ctx_str *chunks, size_t n, struct ctx_err *err)
{
	unsigned held = ctx_signals_defer();
	int rc = write_hidden(spool, name, chunks, n, err);

	ctx_signals_release(held);
	return rc;
}

/* Stores a file, unless one with this name exists.  Returns STORED, or EXISTED
 * if one exists, or -1 with *err. */
static int
store_file(const struct ctx_spool *spool, const char *name,
    const struct ctx_str *chunks, size_t n, struct ctx_err *err)
{
	int rc = store_nameless(spool, name, chunks, n, err);

	return rc == NOT_STORED ? store_hidden(spool, name, chunks, n, err)
				: rc;
}

/* Creates a file .gitignore in the directory above the spool, unless there is
 * one already. */
static int
put_gitignore(struct ctx_spool *spool, struct ctx_err *err)
{
	static const char name[] = ".gitignore";
	const struct ctx_str everything = {"*\n", 2};
	const size_t length = ctx_spool_above(spool->dir, 1);
	char path[PATH_MAX];
	struct ctx_spool above = {.dir = path};
	int rc;

	(void)snprintf(path, sizeof path, "%.*s", length > 0 ? (int)length : 1,
	    length > 0 ? spool->dir : ".");
	above.fd = openat(spool->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (above.fd < 0)
		return report_file_error(&above, "create", name, err);
	rc = store_file(&above, name, &everything, 1, err);
	if (rc == EXISTED &&
	    faccessat(above.fd, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		rc = report_file_error(&above, "find", name, err);
	close(above.fd);
	if (rc < 0)
		return -1;
	spool->ignored_by_git = false;
	return 0;
}

int
ctx_spool_put(struct ctx_spool *spool, const char *name,
    const struct ctx_str *chunks, size_t n, struct ctx_err *err)
{
	int rc = check_existing_file(spool, name, chunks, n, false, err);

	if (rc < 0)
		return -1;
	/* The directory must be synced even if the file existed: another
	 * process may have created the file without syncing the directory
	 * yet. */
	spool->dirty = true;
	if (rc > 0)
		return 0;
	if (spool->ignored_by_git && put_gitignore(spool, err) < 0)
		return -1;
	rc = store_file(spool, name, chunks, n, err);
	if (rc < 0)
		return -1;
	/* If another process has stored a file with this name first, the
	 * contents of this file are compared with the text. */
	rc = check_existing_file(spool, name, chunks, n, rc == STORED, err);
	if (rc == 0)
		return ctx_err_set(err, CTX_EFILE,
		    "%s/%s was removed by another process; run the command "
		    "again",
		    spool->dir, name);
	return rc < 0 ? -1 : 0;
}
