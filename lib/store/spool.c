/*
 * spool.c - store results in files that are named after their contents
 *
 * The directory is opened once, and files are opened relative to its
 * descriptor.  A file is written without a name, synced, and then linked.  So a
 * file with a name is complete, and no existing file is ever overwritten.
 */
#define _GNU_SOURCE /* O_TMPFILE, O_PATH, realpath(3), syscall(2) */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <time.h>
#include <unistd.h>

#include "store/store.h"

/* ---- the directory ---- */

/* Returns true if the path is UTF-8 without control characters, since a
 * reference is one line of text. */
static bool
is_printable_path(const char *dir)
{
	const unsigned char *p;

	for (p = (const unsigned char *)dir; *p != '\0'; p++)
		if (*p < 0x20 || *p == 0x7f)
			return false;
	return ctx_utf8_valid(dir, strlen(dir), CTX_SIMD_BEST) == strlen(dir);
}

static int
refuse_link(const char *dir, struct ctx_err *err)
{
	char *real = realpath(dir, NULL);

	ctx_err_set(err, CTX_EFILE, "spool %s is a symbolic link; name %s", dir,
	    real != NULL ? real : "its target");
	free(real);
	return -1;
}

/* Syncs the directory of the descriptor at: a new directory in it must be found
 * after a crash, even if another process created it and has not synced yet.
 * made is true if this process created it.  If not, it is no error that the
 * directory cannot be synced. */
static int
sync_parent(int at, bool made)
{
	if (fsync(at) == 0)
		return 0;
	/* A descriptor of O_PATH (see open_directory) gives EBADF. */
	if (errno == EBADF)
		errno = EACCES;
	return made ||
		(errno != EINVAL && errno != EROFS && errno != ENOTSUP &&
		    errno != EACCES)
	    ? -1
	    : 0;
}

/* Opens a directory.  If it is only passed, on the way to the spool, it need
 * not be readable. */
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

/* Opens one component of the path; creates it if it is missing and create is
 * true. */
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

/* Opens the first component of *path and moves *path to its end. */
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
	/* A relative path may be in a checkout, whose links must not lead
	 * elsewhere.  Links before the last component of an absolute path are
	 * the user's own. */
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
		return ctx_err_sys(err, errno, "cannot open spool %s", dir);
	return fd;
}

/* Returns true if the path of the spool still names the open directory. */
static bool
is_same_directory(const struct ctx_spool *spool)
{
	struct stat st, named;

	return fstat(spool->fd, &st) == 0 && stat(spool->dir, &named) == 0 &&
	    st.st_dev == named.st_dev && st.st_ino == named.st_ino;
}

/*
 * Opens the spool, and creates it if it is missing.  Another process that
 * created the spool and did not use it removes it, unless the spool is locked.
 * So this function locks the spool, and opens it again if it was removed
 * before.  Not every file system has locks.
 */
static int
open_made(struct ctx_spool *spool, struct ctx_err *err)
{
	const struct timespec pause = {0, 1000000};
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
		(void)nanosleep(&pause, NULL);
	}
}

size_t
ctx_spool_above(const char *dir, size_t n)
{
	size_t length = strlen(dir);

	for (; n > 0; n--) {
		while (length > 1 && dir[length - 1] == '/')
			length--;
		while (length > 0 && dir[length - 1] != '/')
			length--;
	}
	return length;
}

/* Removes the directories that were created for the spool, if they are empty
 * and no other process uses them. */
static void
remove_made(const struct ctx_spool *spool)
{
	char path[PATH_MAX];
	size_t i, length;

	if (spool->made == 0 || flock(spool->fd, LOCK_EX | LOCK_NB) < 0 ||
	    !is_same_directory(spool))
		return;
	for (i = 0; i < spool->made; i++) {
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
		    "the name of a spool must be UTF-8 without control "
		    "characters");
	if (create)
		spool->fd = open_made(spool, err);
	else
		spool->fd = open_path(dir, false, &spool->made, err);
	if (spool->fd < 0)
		return -1;
	if (fstat(spool->fd, &st) < 0) {
		ctx_err_sys(err, errno, "cannot look at spool %s", dir);
	} else if (st.st_uid != geteuid() && st.st_uid != 0) {
		ctx_err_set(err, CTX_EFILE, "spool %s is somebody else's", dir);
	} else if ((st.st_mode & 022) != 0 && !(st.st_mode & S_ISVTX)) {
		ctx_err_set(err, CTX_EFILE, "spool %s is writable by others",
		    dir);
	} else {
		spool->device = st.st_dev;
		spool->inode = st.st_ino;
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

/* ---- names ---- */

void
ctx_spool_digits(char digits[CTX_SPOOL_DIGITS], const struct ctx_str *pieces,
    size_t n)
{
	char hash[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX sum;
	size_t i;

	SHA256Init(&sum);
	for (i = 0; i < n; i++)
		SHA256Update(&sum, (const uint8_t *)pieces[i].p, pieces[i].n);
	SHA256End(&sum, hash);
	memcpy(digits, hash, CTX_SPOOL_DIGITS);
}

static bool
is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool
ctx_spool_is_name(struct ctx_str name, struct ctx_str *digits)
{
	size_t stem = name.n, i;

	if (name.n == 0 || name.n > CTX_SPOOL_NAME ||
	    (!is_name_byte(name.p[0]) || name.p[0] == '-'))
		return false;
	for (i = 0; i < name.n; i++)
		if (!is_name_byte(name.p[i]) && name.p[i] != '.')
			return false;
	for (i = 0; i < name.n; i++)
		if (name.p[i] == '.')
			stem = i;
	if (stem < CTX_SPOOL_DIGITS)
		return false;
	digits->p = name.p + stem - CTX_SPOOL_DIGITS;
	digits->n = CTX_SPOOL_DIGITS;
	for (i = 0; i < digits->n; i++)
		if (strchr("0123456789abcdef", digits->p[i]) == NULL)
			return false;
	return true;
}

/* Appends the name of a tool, made safe for a file name; "tool" if it is
 * empty. */
static int
append_tool_name(struct ctx_buf *out, struct ctx_str tool, struct ctx_err *err)
{
	size_t from = out->n, n, i;

	if (tool.n == 0)
		tool = (struct ctx_str){"tool", 4};
	n = tool.n < CTX_SPOOL_TOOL ? tool.n : CTX_SPOOL_TOOL;
	if (ctx_buf_add(out, tool.p, n, err) < 0)
		return -1;
	for (i = from; i < out->n; i++)
		if (!is_name_byte(out->p[i]) || (i == 0 && out->p[i] == '-'))
			out->p[i] = '_';
	return 0;
}

int
ctx_spool_name(struct ctx_buf *out, const char *format, struct ctx_str tool,
    const char digits[CTX_SPOOL_DIGITS], struct ctx_err *err)
{
	static const char tool_mark[] = "{tool}", hash_mark[] = "{sha256}";
	struct ctx_str found;
	const char *p = format;

	out->n = 0;
	while (*p != '\0') {
		if (strncmp(p, tool_mark, sizeof tool_mark - 1) == 0) {
			p += sizeof tool_mark - 1;
			if (append_tool_name(out, tool, err) < 0)
				return -1;
		} else if (strncmp(p, hash_mark, sizeof hash_mark - 1) == 0) {
			p += sizeof hash_mark - 1;
			if (ctx_buf_add(out, digits, CTX_SPOOL_DIGITS, err) < 0)
				return -1;
		} else if (ctx_buf_add(out, p++, 1, err) < 0) {
			return -1;
		}
	}
	if (!ctx_spool_is_name((struct ctx_str){out->p, out->n}, &found) ||
	    memcmp(found.p, digits, CTX_SPOOL_DIGITS) != 0)
		return ctx_err_set(err, CTX_EARG,
		    "'%s' names no file such as {tool}-{sha256}.md, of at most "
		    "%d bytes",
		    format, CTX_SPOOL_NAME);
	return ctx_buf_add(out, "", 1, err);
}

/* ---- files ---- */

static int
report_file_error(const struct ctx_spool *spool, const char *what,
    const char *name, struct ctx_err *err)
{
	return ctx_err_sys(err, errno, "cannot %s %s/%s", what, spool->dir,
	    name);
}

static int
refuse_long(const struct ctx_spool *spool, const char *name,
    struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EFILE,
	    "%s/%s is longer than it is said to be", spool->dir, name);
}

/* Opens a regular file of at most most bytes for reading.  Returns 1, 0 if
 * there is none, or -1. */
static int
open_file(const struct ctx_spool *spool, const char *name, uint64_t most,
    int *fd, struct ctx_err *err)
{
	struct stat st;

	/* Without O_NONBLOCK opening a FIFO of that name would block. */
	*fd = openat(spool->fd, name,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return errno == ENOENT
		    ? 0
		    : report_file_error(spool, "open", name, err);
	if (fstat(*fd, &st) < 0)
		report_file_error(spool, "look at", name, err);
	else if (!S_ISREG(st.st_mode))
		ctx_err_set(err, CTX_EFILE, "%s/%s is no regular file",
		    spool->dir, name);
	else if ((uint64_t)st.st_size > most)
		refuse_long(spool, name, err);
	else
		return 1;
	close(*fd);
	return -1;
}

/* Reads at most n bytes, at least one unless the file is at its end. */
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

/* Compares the rest of the file with the pieces.  Returns 1 if they are equal,
 * 0 if not, or -1. */
static int
match_contents(const struct ctx_spool *spool, const char *name, int fd,
    const struct ctx_str *pieces, size_t n, struct ctx_err *err)
{
	char block[16 << 10];
	size_t i = 0, at = 0, part, from;
	ssize_t got;

	while ((got = read_some(spool, name, fd, block, sizeof block, err)) > 0)
		for (from = 0; from < (size_t)got; from += part, at += part) {
			for (; i < n && at == pieces[i].n; i++)
				at = 0;
			if (i == n)
				return 0;
			part = (size_t)got - from;
			if (part > pieces[i].n - at)
				part = pieces[i].n - at;
			if (memcmp(block + from, pieces[i].p + at, part) != 0)
				return 0;
		}
	if (got < 0)
		return -1;
	for (; i < n && at == pieces[i].n; i++)
		at = 0;
	return i == n;
}

/* Returns how others can change this file; NULL if they cannot. */
static const char *
find_weakness(const struct stat *st)
{
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "belongs to another user";
	if ((st->st_mode & 022) != 0)
		return "is writable by others";
	return st->st_nlink > 1 ? "has another hard link" : NULL;
}

/* Returns 0 if others cannot change the file.  A file that another process is
 * storing has two names for a moment (put_hidden), so this waits up to a second
 * until it has one. */
static int
check_private(const struct ctx_spool *spool, const char *name, int fd,
    struct ctx_err *err)
{
	const struct timespec pause = {0, 10000000};
	struct stat st;
	int tries = 0;

	do {
		if (tries > 0)
			(void)nanosleep(&pause, NULL);
		if (fstat(fd, &st) < 0)
			return report_file_error(spool, "look at", name, err);
	} while (st.st_nlink > 1 && tries++ < 100);
	return find_weakness(&st) == NULL
	    ? 0
	    : ctx_err_set(err, CTX_EFILE,
		  "%s/%s %s; remove it, or name another spool", spool->dir,
		  name, find_weakness(&st));
}

/* Compares an existing file with the pieces.  Returns 1 if they are equal, 0 if
 * there is no file, -1 if the contents differ.  own is true if this process
 * wrote the file.  A file of another process is also synced, and it is an error
 * if others may change it. */
static int
check_existing_file(const struct ctx_spool *spool, const char *name,
    const struct ctx_str *pieces, size_t n, bool own, struct ctx_err *err)
{
	int fd, rc = open_file(spool, name, UINT64_MAX, &fd, err);

	if (rc <= 0)
		return rc;
	rc = match_contents(spool, name, fd, pieces, n, err);
	/* Another program may have written it a moment ago, without a sync. */
	if (rc > 0 && !own && fsync(fd) < 0)
		rc = report_file_error(spool, "sync", name, err);
	if (rc > 0 && !own && check_private(spool, name, fd, err) < 0)
		rc = -1;
	close(fd);
	if (rc == 0)
		return ctx_err_set(err, CTX_EFILE,
		    "%s/%s is there with other contents", spool->dir, name);
	return rc;
}

static int
write_bytes(int fd, struct ctx_str piece)
{
	ssize_t wrote;

	while (piece.n > 0) {
		wrote = write(fd, piece.p, piece.n);
		if (wrote < 0 && errno == EINTR)
			continue;
		/* A device that accepts no bytes would make this an endless
		 * loop. */
		if (wrote == 0)
			errno = ENOSPC;
		if (wrote <= 0)
			return -1;
		piece.p += wrote;
		piece.n -= (size_t)wrote;
	}
	return 0;
}

static int
write_synced(int fd, const struct ctx_str *pieces, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (write_bytes(fd, pieces[i]) < 0)
			return -1;
	return fsync(fd);
}

/* The result of storing a file; NOT_PUT: the system has no nameless files. */
enum put { NOT_PUT, PUT, WAS_THERE };

/* Writes a file that has no name until it is complete, so that nothing is left
 * of it if this process is killed.  Returns an enum put, or -1. */
static int
put_nameless(const struct ctx_spool *spool, const char *name,
    const struct ctx_str *pieces, size_t n, struct ctx_err *err)
{
#ifdef O_TMPFILE
	int fd = openat(spool->fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	char self[40];
	int rc = NOT_PUT;

	if (fd < 0)
		return NOT_PUT;
	(void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	if (write_synced(fd, pieces, n) < 0)
		rc = report_file_error(spool, "write", name, err);
	else if (linkat(AT_FDCWD, self, spool->fd, name, AT_SYMLINK_FOLLOW) ==
	    0)
		rc = PUT;
	else if (errno == EEXIST)
		rc = WAS_THERE;
	close(fd);
	return rc;
#else
	(void)spool, (void)name, (void)pieces, (void)n, (void)err;
	return NOT_PUT;
#endif
}

static int
open_hidden(const struct ctx_spool *spool, char hidden[40])
{
	struct ctx_hashkey random;

	ctx_hashkey_init(&random);
	(void)snprintf(hidden, 40, ".tmp-%016llx",
	    (unsigned long long)random.k[0]);
	return openat(spool->fd, hidden,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Gives a temporary file its final name; fails if a file of that name exists.
 * Works on file systems without hard links, too, such as vfat. */
static int
name_hidden(const struct ctx_spool *spool, const char *hidden, const char *name)
{
	if (linkat(spool->fd, hidden, spool->fd, name, 0) == 0)
		return 0;
#ifdef SYS_renameat2 /* not every C library has renameat2 */
	if (errno == EPERM || errno == ENOTSUP || errno == ENOSYS)
		return (int)syscall(SYS_renameat2, spool->fd, hidden, spool->fd,
		    name, 1u /* RENAME_NOREPLACE */);
#endif
	return -1;
}

static int
write_hidden(const struct ctx_spool *spool, const char *name,
    const struct ctx_str *pieces, size_t n, struct ctx_err *err)
{
	char hidden[40];
	int fd = open_hidden(spool, hidden), rc = PUT;

	if (fd < 0)
		return report_file_error(spool, "create", name, err);
	if (write_synced(fd, pieces, n) < 0)
		rc = report_file_error(spool, "write", name, err);
	if (close(fd) < 0 && rc == PUT)
		rc = report_file_error(spool, "write", name, err);
	if (rc == PUT && name_hidden(spool, hidden, name) < 0)
		rc = errno == EEXIST
		    ? WAS_THERE
		    : report_file_error(spool, "create", name, err);
	(void)unlinkat(spool->fd, hidden, 0);
	return rc;
}

/* Writes a file under a hidden name, then gives it its name.  Signals that end
 * the process are deferred until the hidden name is removed; only SIGKILL can
 * leave it. */
static int
put_hidden(const struct ctx_spool *spool, const char *name,
    const struct ctx_str *pieces, size_t n, struct ctx_err *err)
{
	unsigned held = ctx_signals_defer();
	int rc = write_hidden(spool, name, pieces, n, err);

	ctx_signals_release(held);
	return rc;
}

int
ctx_spool_put(struct ctx_spool *spool, const char *name,
    const struct ctx_str *pieces, size_t n, struct ctx_err *err)
{
	int rc = check_existing_file(spool, name, pieces, n, false, err);

	if (rc < 0)
		return -1;
	/* Another process may have linked it and not synced yet. */
	spool->dirty = true;
	if (rc > 0)
		return 0;
	rc = put_nameless(spool, name, pieces, n, err);
	if (rc == NOT_PUT)
		rc = put_hidden(spool, name, pieces, n, err);
	if (rc < 0)
		return -1;
	/* Another process may have stored the file first. */
	rc = check_existing_file(spool, name, pieces, n, rc == PUT, err);
	if (rc == 0)
		return ctx_err_set(err, CTX_EFILE, "%s/%s has gone again",
		    spool->dir, name);
	return rc < 0 ? -1 : 0;
}

int
ctx_spool_sync(struct ctx_spool *spool, struct ctx_err *err)
{
	struct stat st;

	if (!spool->dirty)
		return 0;
	if (fsync(spool->fd) < 0)
		return ctx_err_sys(err, errno, "cannot sync spool %s",
		    spool->dir);
	/* References name a file by this path. */
	if (stat(spool->dir, &st) < 0)
		return ctx_err_sys(err, errno, "cannot look at spool %s",
		    spool->dir);
	if (st.st_dev != spool->device || st.st_ino != spool->inode)
		return ctx_err_set(err, CTX_EFILE,
		    "spool %s is another directory now", spool->dir);
	spool->dirty = false;
	return 0;
}

int
ctx_spool_each(struct ctx_spool *spool, void *user,
    int (*file)(void *user, const char *name, struct ctx_err *err),
    struct ctx_err *err)
{
	int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int rc = 0;

	if (dir == NULL) {
		ctx_err_sys(err, errno, "cannot read spool %s", spool->dir);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (rc == 0 && (errno = 0, entry = readdir(dir)) != NULL)
		rc = file(user, entry->d_name, err);
	if (rc == 0 && errno != 0)
		rc =
		    ctx_err_sys(err, errno, "cannot read spool %s", spool->dir);
	closedir(dir);
	return rc;
}
