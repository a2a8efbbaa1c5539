/* archive.c - appends the original bytes of removed or changed records to the
 * archive, a file that the user names */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"

#define FLUSH_AT (256u << 10)

/* Opens the archive for appending.  A regular file is also opened for reading,
 * because end_torn_line reads its last byte.  A pipe is opened only for
 * writing, because otherwise opening would not wait for another process that
 * reads. */
static int
open_file(const char *path)
{
	const int flags = O_APPEND | O_CREAT;
	struct stat file;
	int fd;

	if (stat(path, &file) == 0 && !S_ISREG(file.st_mode))
		return ctx_open_file(path, O_WRONLY | flags);
	fd = ctx_open_file(path, O_RDWR | flags);
	return fd < 0 && errno == EACCES ? ctx_open_file(path, O_WRONLY | flags)
					 : fd;
}

/* Opens the directory that contains a file.  If the path of the file is a
 * symbolic link, opens the directory of the file to which the link leads. */
static int
open_directory(const char *path)
{
	char *real = realpath(path, NULL);
	int fd = -1, sys;

	if (real != NULL) {
		strrchr(real, '/')[1] = '\0';
		fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	sys = errno;
	free(real);
	errno = sys;
	return fd;
}

/* Opens the directory that contains the archive.  The directory is synced
 * later, so that the name of a new archive is on disk.  The directory of an
 * existing archive is also synced, because the process that created the archive
 * may have ended before it could sync. */
static int
open_archive_directory(struct ctx_archive *archive)
{
	struct stat file;

	if (fstat(archive->fd, &file) < 0)
		return -1;
	if (!S_ISREG(file.st_mode))
		return 0;
	archive->directory = open_directory(archive->path);
	/* It is no error if the directory cannot be synced because the user may
	 * not read it, or because its path cannot be resolved. */
	return archive->directory >= 0 || errno == EACCES || errno == ENOENT ||
		errno == ENAMETOOLONG
	    ? 0
	    : -1;
}

int
ctx_archive_open(struct ctx_archive *archive, const char *path,
    struct ctx_err *err)
{
	memset(archive, 0, sizeof *archive);
	archive->path = path;
	archive->directory = -1;
	archive->fd = open_file(path);
	if (archive->fd < 0)
		return ctx_err_open(err, errno, "archive ", path);
	if (open_archive_directory(archive) == 0)
		return 0;
	ctx_err_sys(err, errno,
	    "cannot open the directory that contains archive %s", path);
	close(archive->fd);
	archive->fd = -1;
	return -1;
}

/* Writes two texts, text and then end, to the archive. */
static int
write_out(const struct ctx_archive *archive, struct ctx_str text,
    struct ctx_str end, struct ctx_err *err)
{
	return ctx_write_all(archive->fd, text, end) == 0
	    ? 0
	    : ctx_err_sys(err, errno, "cannot write archive %s", archive->path);
}

/* If the last line of the archive has no line feed, appends one.  (The disk was
 * full, or a process was killed while it wrote.)  Otherwise the next record
 * would be appended to the incomplete line, and would not be valid JSON. */
static int
end_torn_line(const struct ctx_archive *archive, struct ctx_err *err)
{
	struct stat file;
	char last;

	if (fstat(archive->fd, &file) < 0)
		return ctx_err_sys(err, errno, "cannot access archive %s",
		    archive->path);
	if (!S_ISREG(file.st_mode) || (uint64_t)file.st_size == archive->end)
		return 0;
	if (pread(archive->fd, &last, 1, file.st_size - 1) == 1 && last == '\n')
		return 0;
	/* If the last byte of the archive cannot be read, a line feed is
	 * written, because an empty line is harmless. */
	return write_out(archive, (struct ctx_str){"\n", 1},
	    (struct ctx_str){"", 0}, err);
}

static int
write_archive_lines(struct ctx_archive *archive, struct ctx_str text,
    struct ctx_str end, struct ctx_err *err)
{
	if (text.n == 0)
		return 0;
	if (end_torn_line(archive, err) < 0 ||
	    write_out(archive, text, end, err) < 0)
		return -1;
	archive->end = (uint64_t)lseek(archive->fd, 0, SEEK_CUR);
	return 0;
}

static int
write_pending(struct ctx_archive *archive, struct ctx_err *err)
{
	struct ctx_str text = {archive->pending.p, archive->pending.n};

	if (write_archive_lines(archive, text, (struct ctx_str){"", 0}, err) <
	    0)
		return -1;
	archive->pending.n = 0;
	return 0;
}

/* Writes a long record directly to the archive, without copying it to
 * archive->pending, the buffer of records that are written later.  The caller
 * must pass a record without line breaks. */
static int
add_long(struct ctx_archive *archive, struct ctx_str text, struct ctx_err *err)
{
	if (write_pending(archive, err) < 0)
		return -1;
	return write_archive_lines(archive, text, (struct ctx_str){"\n", 1},
	    err);
}

int
ctx_archive_add(struct ctx_archive *archive, const char *p, size_t n,
    struct ctx_err *err)
{
	struct ctx_buf *pending = &archive->pending;
	size_t from = pending->n;

	archive->dirty = true;
	while (n > 0 && (p[n - 1] == '\n' || p[n - 1] == '\r'))
		n--;
	if (n >= FLUSH_AT && memchr(p, '\n', n) == NULL &&
	    memchr(p, '\r', n) == NULL)
		return add_long(archive, (struct ctx_str){p, n}, err);
	if (ctx_buf_add(pending, p, n, err) < 0 ||
	    ctx_buf_add(pending, "\n", 1, err) < 0)
		return -1;
	/* A JSON record has line breaks only between tokens, so each line break
	 * can be converted to a space. */
	for (size_t i = from; i + 1 < pending->n; i++)
		if (pending->p[i] == '\n' || pending->p[i] == '\r')
			pending->p[i] = ' ';
	return pending->n >= FLUSH_AT ? write_pending(archive, err) : 0;
}

/* Syncs a file to disk.  Returns true on success, and also for a pipe or a
 * device, which cannot be synced. */
static bool
is_synced(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS;
}

static void
close_directory(struct ctx_archive *archive)
{
	if (archive->directory >= 0)
		close(archive->directory);
	archive->directory = -1;
}

int
ctx_archive_sync(struct ctx_archive *archive, struct ctx_err *err)
{
	if (!archive->dirty)
		return 0;
	if (write_pending(archive, err) < 0)
		return -1;
	if (!is_synced(archive->fd) ||
	    (archive->directory >= 0 && !is_synced(archive->directory)))
		return ctx_err_sys(err, errno,
		    "cannot flush archive %s to the disk", archive->path);
	close_directory(archive);
	archive->dirty = false;
	return 0;
}

int
ctx_archive_close(struct ctx_archive *archive, struct ctx_err *err)
{
	int rc = ctx_archive_sync(archive, err);

	close_directory(archive);
	/* close(2) closes the file even if it fails with EINTR.  The contents
	 * are already synced, so this is no error. */
	if (close(archive->fd) < 0 && errno != EINTR && rc == 0)
		rc = ctx_err_sys(err, errno, "cannot close archive %s",
		    archive->path);
	archive->fd = -1;
	ctx_buf_release(&archive->pending);
	return rc;
}
