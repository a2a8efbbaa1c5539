/* archive.c - what went, in full */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "ctx.h"

#define FLUSH_AT (256u << 10)

int
ctx_archive_open(struct ctx_archive *archive, const char *path,
    struct ctx_err *err)
{
	memset(archive, 0, sizeof *archive);
	archive->path = path;
	archive->fd = open(path,
	    O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
	if (archive->fd < 0)
		return ctx_err_sys(err, errno, "cannot open archive %s", path);
	return 0;
}

static int
flush(struct ctx_archive *archive, struct ctx_err *err)
{
	size_t done = 0;
	ssize_t n;

	while (done < archive->pending.n) {
		n = write(archive->fd, archive->pending.p + done,
		    archive->pending.n - done);
		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			return ctx_err_sys(err, n == 0 ? ENOSPC : errno,
			    "cannot write archive %s", archive->path);
	}
	archive->pending.n = 0;
	return 0;
}

int
ctx_archive_add(struct ctx_archive *archive, const char *p, size_t n,
    struct ctx_err *err)
{
	struct ctx_buf *pending = &archive->pending;
	size_t from = pending->n, i;

	archive->dirty = true;
	while (n > 0 && (p[n - 1] == '\n' || p[n - 1] == '\r'))
		n--;
	if (ctx_buf_add(pending, p, n, err) < 0 ||
	    ctx_buf_add(pending, "\n", 1, err) < 0)
		return -1;
	/* Within a valid record a line break stands between two tokens. */
	for (i = from; i + 1 < pending->n; i++)
		if (pending->p[i] == '\n' || pending->p[i] == '\r')
			pending->p[i] = ' ';
	return pending->n >= FLUSH_AT ? flush(archive, err) : 0;
}

int
ctx_archive_sync(struct ctx_archive *archive, struct ctx_err *err)
{
	if (!archive->dirty)
		return 0;
	if (flush(archive, err) < 0)
		return -1;
	/* A pipe or a device has nothing to sync, which is no failure. */
	if (fsync(archive->fd) < 0 && errno != EINVAL && errno != EROFS)
		return ctx_err_sys(err, errno, "cannot sync archive %s",
		    archive->path);
	archive->dirty = false;
	return 0;
}

int
ctx_archive_close(struct ctx_archive *archive, struct ctx_err *err)
{
	int rc = ctx_archive_sync(archive, err);

	/* After EINTR it is closed all the same, and it was synced before. */
	if (close(archive->fd) < 0 && errno != EINTR && rc == 0)
		rc = ctx_err_sys(err, errno, "cannot close archive %s",
		    archive->path);
	archive->fd = -1;
	ctx_buf_release(&archive->pending);
	return rc;
}
