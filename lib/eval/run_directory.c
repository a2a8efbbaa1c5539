/*
 * run_directory.c - makes a directory for one run of a policy's command, in
 * which the command can save what it removes; later reads these files and
 * removes the directory
 *
 * Symbolic links are not followed.  Files that cannot be read are skipped.
 */
#define _GNU_SOURCE /* O_NOFOLLOW, in POSIX since 2008 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eval/policy_runner.h"

/* Files are read down to this depth of directories. */
enum { DEEPEST = 64 };

char *
ctx_run_directory_make(const char *parent, struct ctx_err *err)
{
	static const char name[] = "/ctx-eval.XXXXXX";
	char *path = malloc(strlen(parent) + sizeof name);

	if (path == NULL) {
		ctx_err_nomem(err);
		return NULL;
	}
	memcpy(path, parent, strlen(parent));
	memcpy(path + strlen(parent), name, sizeof name);
	if (mkdtemp(path) != NULL)
		return path;
	ctx_err_sys(err, errno, "cannot create a directory in %s", parent);
	free(path);
	return NULL;
}

/* Appends the contents of a file, and a line feed. */
static int
take_file(int directory, const char *name, struct ctx_buf *files,
    struct ctx_err *err)
{
	int fd = openat(directory, name,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = 1;
	int rc = 0;

	if (fd < 0)
		return 0;
	while (rc == 0 && got > 0) {
		rc = ctx_buf_reserve(files, 65536, err);
		if (rc < 0)
			break;
		got = read(fd, files->p + files->n, 65536);
		if (got > 0)
			files->n += (size_t)got;
		else if (got < 0 && errno == EINTR)
			got = 1;
	}
	(void)close(fd);
	return rc < 0 ? -1 : ctx_buf_add(files, "\n", 1, err);
}

static int take_directory(int fd, unsigned depth, struct ctx_buf *files,
    struct ctx_err *err);

/* Reads a file, or all files of a directory, and then removes the file or the
 * directory. */
static int
take_entry(int directory, const char *name, unsigned depth,
    struct ctx_buf *files, struct ctx_err *err)
{
	struct stat entry;
	int fd, rc = 0;

	if (fstatat(directory, name, &entry, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (S_ISREG(entry.st_mode))
		rc = take_file(directory, name, files, err);
	if (!S_ISDIR(entry.st_mode)) {
		(void)unlinkat(directory, name, 0);
		return rc;
	}
	fd = openat(directory, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && depth < DEEPEST)
		rc = take_directory(fd, depth + 1, files, err);
	else if (fd >= 0)
		(void)close(fd);
	(void)unlinkat(directory, name, AT_REMOVEDIR);
	return rc;
}

/* Reads and removes everything in an open directory, then closes the
 * directory. */
static int
take_directory(int fd, unsigned depth, struct ctx_buf *files,
    struct ctx_err *err)
{
	DIR *directory = fdopendir(fd);
	struct dirent *entry;
	int rc = 0;

	if (directory == NULL) {
		(void)close(fd);
		return 0;
	}
	while (rc == 0 && (entry = readdir(directory)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			rc = take_entry(fd, entry->d_name, depth, files, err);
	(void)closedir(directory);
	return rc;
}

int
ctx_run_directory_take(const char *path, struct ctx_buf *files,
    struct ctx_err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int rc = fd < 0 ? 0 : take_directory(fd, 0, files, err);

	(void)rmdir(path);
	return rc;
}
