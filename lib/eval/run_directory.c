/*
 * run_directory.c - makes a directory for one run of a policy's command; the
 * command can write there what it removes.  After the run, reads the files in
 * this directory, and removes the directory.
 *
 * The command may nest directories to any depth, so the directories are not
 * removed recursively, but one after another.  A directory is used as a queue
 * of the directories that must be removed.  The directory of the run is its
 * first member.  When a member is emptied, its subdirectories are moved into
 * the queue, where each has a number as its name.
 *
 * Symbolic links are not followed.  Files that cannot be read are skipped.
 */
#define _GNU_SOURCE /* for O_NOFOLLOW, which is in POSIX since 2008 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eval/policy_runner.h"

/* The directories of a run that must still be emptied and removed.  All of them
 * are in one directory, which is used as a queue. */
struct directory_queue {
	int fd;
	size_t n; /* number of directories in the queue */
	struct ctx_buf *files;
	int rc; /* -1 if there was no memory; then no more files are read */
};

static const char first_member[] = "/0";

char *
ctx_run_directory_make(const char *parent, struct ctx_err *err)
{
	static const char name[] = "/ctx-eval.XXXXXX";
	size_t n = strlen(parent);
	char *path = malloc(n + sizeof name + sizeof first_member);
	bool made;

	if (path == NULL) {
		ctx_err_nomem(err);
		return NULL;
	}
	memcpy(path, parent, n);
	memcpy(path + n, name, sizeof name);
	n += sizeof name - 1;
	made = mkdtemp(path) != NULL;
	if (made) {
		memcpy(path + n, first_member, sizeof first_member);
		if (mkdir(path, 0700) == 0)
			return path;
	}
	ctx_err_sys(err, errno, "cannot create a directory in %s", parent);
	path[n] = '\0';
	if (made)
		(void)rmdir(path);
	free(path);
	return NULL;
}

/* Appends the contents of a file and a line feed to the buffer "files". */
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

/* Opens a directory to empty it.  Gives the owner all access rights, because
 * otherwise the directory could not be moved or emptied. */
static int
open_to_empty(int parent, const char *name)
{
	int fd = openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		(void)fchmod(fd, 0700);
	return fd;
}

static void
move_to_queue(struct directory_queue *queue, int parent, const char *name)
{
	char number[24];
	int fd = open_to_empty(parent, name);

	if (fd >= 0)
		(void)close(fd);
	(void)snprintf(number, sizeof number, "%zu", queue->n);
	if (renameat(parent, name, queue->fd, number) == 0)
		queue->n++;
}

/* Removes an entry of an open directory: reads and deletes a file, or moves a
 * directory to the queue. */
static void
take_entry(struct directory_queue *queue, int directory, const char *name,
    struct ctx_err *err)
{
	struct stat entry;

	if (fstatat(directory, name, &entry, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (S_ISDIR(entry.st_mode)) {
		move_to_queue(queue, directory, name);
		return;
	}
	if (S_ISREG(entry.st_mode) && queue->rc == 0)
		queue->rc = take_file(directory, name, queue->files, err);
	(void)unlinkat(directory, name, 0);
}

/* Empties directory i of the queue, and removes it. */
static void
take_member(struct directory_queue *queue, size_t i, struct ctx_err *err)
{
	char number[24];
	struct dirent *entry;
	DIR *directory = NULL;
	int fd;

	(void)snprintf(number, sizeof number, "%zu", i);
	fd = open_to_empty(queue->fd, number);
	if (fd >= 0)
		directory = fdopendir(fd);
	if (directory != NULL) {
		while ((entry = readdir(directory)) != NULL)
			if (strcmp(entry->d_name, ".") != 0 &&
			    strcmp(entry->d_name, "..") != 0)
				take_entry(queue, fd, entry->d_name, err);
		(void)closedir(directory);
	} else if (fd >= 0) {
		(void)close(fd);
	}
	(void)unlinkat(queue->fd, number, AT_REMOVEDIR);
}

int
ctx_run_directory_take(char *path, struct ctx_buf *files, struct ctx_err *err)
{
	struct directory_queue queue = {.n = 1, .files = files};

	path[strlen(path) - strlen(first_member)] = '\0';
	queue.fd = open_to_empty(AT_FDCWD, path);
	if (queue.fd >= 0) {
		for (size_t i = 0; i < queue.n; i++)
			take_member(&queue, i, err);
		(void)close(queue.fd);
	}
	(void)rmdir(path);
	return queue.rc;
}
