/*
 * data_directory.c - finds the directory with the vocabulary files of ctx
 *
 * The directory is searched for relative to the file that contains this code (a
 * program or the shared library).  So it is found in the build tree, and in an
 * installed tree that was moved:
 *
 *  - BUILD/ctx-count finds BUILD/share/ctx
 *  - BUILD/tests/NAME finds BUILD/share/ctx
 *  - PREFIX/bin/NAME finds PREFIX/share/ctx
 *  - PREFIX/lib/libctx.so finds PREFIX/share/ctx
 *  - PREFIX/lib/TRIPLET/libctx.so finds PREFIX/share/ctx
 *
 * A directory above may be writable by anybody, as /tmp is.  So a directory is
 * used only if it belongs to root or to the owner of the code.  Still, the path
 * of the directory may contain a symbolic link of another user, who can change
 * the link at any time.  So map_tables.c also checks the owner of the file
 * after opening the file.
 */
#define _GNU_SOURCE /* for dl_iterate_phdr */
#if defined(__linux__) || defined(__FreeBSD__)
#include <link.h>
#define HAS_OBJECTS 1
#endif
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "datadir.h" /* defines CTX_DATADIR; made by the Makefile */
#include "tokenizer/vocabulary/data_directory.h"
#include "tokenizer/vocabulary/tables.h"

#define SHARE "share/ctx"
/* Number of directories in which share/ctx is searched for: the directory of
 * the file with this code (library or program), and the directories above
 * it. */
#define LEVELS 4

/* Returns true if this value of errno means that a file does not exist. */
static bool
is_absent(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

#ifdef HAS_OBJECTS
/* Called for each loaded object (program or library), the program first.  At
 * the object that contains this function, copies the path of its file to "path"
 * and ends the loop.  If this object is the program, copies an empty path.  A
 * path that is too long is not copied. */
static int
copy_own_path(struct dl_phdr_info *object, size_t size, void *path)
{
	uintptr_t own = (uintptr_t)copy_own_path, start;
	const char *name;
	unsigned i;

	(void)size;
	for (i = 0; i < object->dlpi_phnum; i++) {
		start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
		if (object->dlpi_phdr[i].p_type != PT_LOAD || own < start ||
		    own - start >= object->dlpi_phdr[i].p_memsz)
			continue;
		name = object->dlpi_name == NULL ? "" : object->dlpi_name;
		if (strlen(name) < CTX_DATA_DIRECTORY_MAX)
			memcpy(path, name, strlen(name) + 1);
		return 1;
	}
	return 0;
}

/* Sets path to the path of the file that contains this code, and *length to the
 * length of the path in bytes, or to 0 if the path is not known. */
static int
find_own_path(char path[CTX_DATA_DIRECTORY_MAX], size_t *length,
    struct ctx_err *err)
{
	static const char self[] = "/proc/self/exe";
	ssize_t n;

	path[0] = '\0';
	(void)dl_iterate_phdr(copy_own_path, path);
	*length = strlen(path);
	if (*length > 0 && strcmp(path, self) != 0)
		return 0;
	n = readlink(self, path, CTX_DATA_DIRECTORY_MAX);
	*length = n > 0 && n < CTX_DATA_DIRECTORY_MAX ? (size_t)n : 0;
	return n >= 0 || is_absent(errno)
	    ? 0
	    : ctx_err_sys(err, errno, "cannot read %s", self);
}
#else
static int
find_own_path(char path[CTX_DATA_DIRECTORY_MAX], size_t *length,
    struct ctx_err *err)
{
	(void)path;
	(void)err;
	*length = 0;
	return 0;
}
#endif

/* Returns 1 and sets *found if a file or directory exists.  Returns 0 if it
 * does not exist, or -1 with *err. */
static int
find_file(const char *path, struct stat *found, struct ctx_err *err)
{
	if (stat(path, found) == 0)
		return 1;
	return is_absent(errno)
	    ? 0
	    : ctx_err_sys(err, errno, "cannot access %s", path);
}

/* Returns 1 if the path is a directory that belongs to root or to the owner of
 * the file with this code, and contains the file with the encodings.  Otherwise
 * returns 0, because another package may have a directory of the same name.
 * Returns -1 with *err on error. */
static int
find_trusted(const char *path, const struct stat *code, struct ctx_err *err)
{
	char file[CTX_DATA_DIRECTORY_MAX + sizeof CTX_TABLES_FILE + 1];
	struct stat found;
	int rc = find_file(path, &found, err);

	if (rc <= 0)
		return rc;
	if (!S_ISDIR(found.st_mode) ||
	    (found.st_uid != 0 && found.st_uid != code->st_uid))
		return 0;
	(void)snprintf(file, sizeof file, "%s/" CTX_TABLES_FILE, path);
	return find_file(file, &found, err);
}

/* Searches the directory of the file with this code and the directories above
 * it for the data directory. n: length in bytes of the path of this file.  If
 * the data directory is found, sets path to it and returns 1.  Otherwise
 * returns 0, or -1 with *err. */
static int
search_above(char path[CTX_DATA_DIRECTORY_MAX], size_t n,
    const struct stat *code, struct ctx_err *err)
{
	size_t level;
	int rc;

	for (level = 0; level < LEVELS && n > 0; level++) {
		while (n > 0 && path[n - 1] != '/')
			n--;
		if (n == 0 || n + sizeof SHARE > CTX_DATA_DIRECTORY_MAX)
			break;
		memcpy(path + n, SHARE, sizeof SHARE);
		rc = find_trusted(path, code, err);
		if (rc != 0)
			return rc;
		n--;
	}
	return 0;
}

int
ctx_data_directory_find(struct ctx_data_directory *directory,
    struct ctx_err *err)
{
	char *path = directory->path;
	struct stat code;
	size_t n;
	int rc = find_own_path(path, &n, err);

	if (rc == 0 && n > 0) {
		rc = find_file(path, &code, err);
		if (rc > 0) {
			directory->owner = code.st_uid;
			rc = search_above(path, n, &code, err);
		}
	}
	directory->searched = rc > 0;
	if (rc <= 0)
		(void)snprintf(path, CTX_DATA_DIRECTORY_MAX, "%s",
		    rc == 0 ? CTX_DATADIR : "");
	return rc < 0 ? -1 : 0;
}
