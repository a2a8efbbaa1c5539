/* tree.c - reads the files that a run has left */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep.h"

#define DEEPEST 8

static void
add(struct tree *tree, const char *path, bool directory, const char *file)
{
	struct entry *entry;

	tree->entry = realloc(tree->entry, (tree->n + 1) * sizeof *tree->entry);
	if (tree->entry == NULL)
		die("realloc");
	entry = &tree->entry[tree->n++];
	memset(entry, 0, sizeof *entry);
	(void)snprintf(entry->path, sizeof entry->path, "%s", path);
	entry->directory = directory;
	if (!directory)
		entry->bytes = slurp(file);
}

/* Adds everything below root/at to the tree.  Fails below DEEPEST levels. */
static void
visit(struct tree *tree, const char *root, const char *at, int depth)
{
	char full[4096], below[256];
	struct dirent *e;
	struct stat st;
	DIR *dir;

	(void)snprintf(full, sizeof full, "%s/%s", root, at);
	dir = opendir(full);
	if (dir == NULL || depth > DEEPEST)
		die(full);
	while ((e = readdir(dir)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (snprintf(below, sizeof below, "%s%s%s", at,
			at[0] == '\0' ? "" : "/",
			e->d_name) >= (int)sizeof below)
			die("name too long");
		(void)snprintf(full, sizeof full, "%s/%s", root, below);
		if (lstat(full, &st) < 0)
			die(full);
		add(tree, below, S_ISDIR(st.st_mode), full);
		if (S_ISDIR(st.st_mode))
			visit(tree, root, below, depth + 1);
	}
	closedir(dir);
}

void
tree_read(const char *path, struct tree *tree)
{
	memset(tree, 0, sizeof *tree);
	visit(tree, path, "", 0);
}

void
tree_free(struct tree *tree)
{
	size_t i;

	for (i = 0; i < tree->n; i++)
		free(tree->entry[i].bytes.p);
	free(tree->entry);
	memset(tree, 0, sizeof *tree);
}

void
tree_clear(const char *path)
{
	struct tree tree;
	char full[4096];
	size_t i;

	tree_read(path, &tree);
	/* The contents of a directory come after the directory, so files are
	 * removed from the last to the first. */
	for (i = tree.n; i > 0; i--) {
		(void)snprintf(full, sizeof full, "%s/%s", path,
		    tree.entry[i - 1].path);
		if (remove(full) < 0)
			die(full);
	}
	tree_free(&tree);
}

const struct entry *
tree_find(const struct tree *tree, const char *path)
{
	size_t i;

	for (i = 0; i < tree->n; i++)
		if (strcmp(tree->entry[i].path, path) == 0)
			return &tree->entry[i];
	return NULL;
}
