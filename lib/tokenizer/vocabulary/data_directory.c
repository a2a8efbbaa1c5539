/*
 * data_directory.c - finds the directory with the vocabulary files of ctx
 *
 * It is searched relative to the file that contains this code, a program or the
 * shared library.  So it is found in the build tree, and in an installed tree
 * that was moved:
 *
 *	code				directory
 *	BUILD/ctx-count			BUILD/share/ctx
 *	BUILD/tests/NAME		BUILD/share/ctx
 *	PREFIX/bin/NAME			PREFIX/share/ctx
 *	PREFIX/lib/libctx.so		PREFIX/share/ctx
 *	PREFIX/lib/TRIPLET/libctx.so	PREFIX/share/ctx
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#if defined(__linux__) || defined(__FreeBSD__)
#include <link.h>
#define HAS_OBJECTS 1
#endif
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "datadir.h" /* CTX_DATADIR; made by the Makefile */
#include "tokenizer/vocabulary/data_directory.h"

#define SHARE  "share/ctx"
#define LEVELS 4 /* maximum number of directories above the code's file */

#ifdef HAS_OBJECTS
/* Called for each loaded object, the program first.  Stops at the object that
 * contains this function, and copies the path of its file; copies an empty path
 * if this is the program. */
static int
copy_own_path(struct dl_phdr_info *object, size_t size, void *path)
{
	uintptr_t own = (uintptr_t)copy_own_path, start;
	size_t n;
	unsigned i;

	(void)size;
	for (i = 0; i < object->dlpi_phnum; i++) {
		start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
		if (object->dlpi_phdr[i].p_type != PT_LOAD || own < start ||
		    own - start >= object->dlpi_phdr[i].p_memsz)
			continue;
		n = object->dlpi_name == NULL ? 0 : strlen(object->dlpi_name);
		if (n >= CTX_DATA_DIRECTORY_MAX)
			n = 0;
		memcpy(path, object->dlpi_name, n);
		((char *)path)[n] = '\0';
		return 1;
	}
	return 0;
}

/* Writes the path of the file that contains this code.  Returns its length; 0
 * if it is not known. */
static size_t
find_own_path(char path[CTX_DATA_DIRECTORY_MAX])
{
	ssize_t n;

	path[0] = '\0';
	(void)dl_iterate_phdr(copy_own_path, path);
	if (path[0] != '\0' && strcmp(path, "/proc/self/exe") != 0)
		return strlen(path);
	n = readlink("/proc/self/exe", path, CTX_DATA_DIRECTORY_MAX);
	return n > 0 && n < CTX_DATA_DIRECTORY_MAX ? (size_t)n : 0;
}
#else
static size_t
find_own_path(char path[CTX_DATA_DIRECTORY_MAX])
{
	(void)path;
	return 0;
}
#endif

void
ctx_data_directory_find(char path[CTX_DATA_DIRECTORY_MAX])
{
	size_t n = find_own_path(path), level;

	for (level = 0; level < LEVELS && n > 0; level++) {
		while (n > 0 && path[n - 1] != '/')
			n--;
		if (n == 0 || n + sizeof SHARE > CTX_DATA_DIRECTORY_MAX)
			break;
		memcpy(path + n, SHARE, sizeof SHARE);
		if (access(path, X_OK) == 0)
			return;
		n--;
	}
	(void)snprintf(path, CTX_DATA_DIRECTORY_MAX, "%s", CTX_DATADIR);
}
