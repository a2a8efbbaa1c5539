/* check_in_place.c - refuses input files that --in-place cannot replace, before
 * anything is written */
#define _XOPEN_SOURCE 700 /* for realpath */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/in_place.h"

/* Identifies a file by its device and inode.  If two input files have the same
 * device and inode, they are the same file, which is an error. */
struct identity {
	dev_t device;
	ino_t inode;
	const char *name;
};

static int
compare_identities(const void *a, const void *b)
{
	const struct identity *one = a, *two = b;

	if (one->device != two->device)
		return one->device < two->device ? -1 : 1;
	if (one->inode != two->inode)
		return one->inode < two->inode ? -1 : 1;
	return 0;
}

void
cli_name_original(const struct cli *cli, const char *name, const char *target,
    char path[4096])
{
	int n = snprintf(path, 4096, "%s%s", target, cli->suffix);

	if (n < 0 || n >= 4096)
		cli_die_errno(cli, "keep the original of", name, ENAMETOOLONG);
}

void
cli_refuse_kept(const struct cli *cli, const char *original)
{
	cli_die(cli,
	    "%s exists and may be the only copy of an original; move it away, "
	    "or give --in-place another suffix",
	    original);
}

void
cli_check_original(const struct cli *cli, const char *name, const char *target)
{
	char original[4096];
	struct stat file;

	if (cli->suffix == NULL)
		return;
	cli_name_original(cli, name, target, original);
	if (lstat(original, &file) == 0)
		cli_refuse_kept(cli, original);
}

/* Exits with an error if no file can be created in the directory of target. */
static void
check_directory(const struct cli *cli, const char *name, char *target)
{
	char *slash = strrchr(target, '/'), after = slash[1];
	int rc;

	slash[1] = '\0';
	rc = access(target, W_OK | X_OK);
	slash[1] = after;
	if (rc < 0)
		cli_die(cli,
		    "cannot replace %s: cannot write to its directory: %s",
		    name, strerror(errno));
}

/* Returns true if the process belongs to a group. */
static bool
is_member(gid_t group)
{
	gid_t groups[1024];
	int n = getgroups(CTX_LENGTH(groups), groups);

	while (n > 0 && groups[n - 1] != group)
		n--;
	return group == getegid() || n > 0;
}

/* Exits with an error if a new file cannot get the owner, group, mode and
 * access control list of the old file. */
static void
check_owner(const struct cli *cli, const char *name, const char *target,
    const struct stat *file)
{
	if (geteuid() != 0 &&
	    (file->st_uid != geteuid() || !is_member(file->st_gid)))
		cli_die(cli,
		    "cannot replace %s: it belongs to another user or group; "
		    "run as its owner, or write to a new file",
		    name);
	if (cli_has_acl(target))
		cli_die(cli,
		    "cannot replace %s: it has an access control list, which "
		    "the new file would not have; setfacl -b removes it",
		    name);
}

/* Exits with an error if the file that an operand names cannot be replaced. */
static void
check_operand(const struct cli *cli, const char *name, struct identity *id)
{
	char *target;
	struct stat file;

	if (strcmp(name, "-") == 0)
		cli_die(cli,
		    "--in-place cannot replace standard input; name a file");
	target = realpath(name, NULL);
	if (target == NULL && errno == ENOENT && cli->suffix == NULL &&
	    name == cli->files[0] && cli->n_files > 1)
		cli_die(cli,
		    "cannot open %s: No such file or directory; write a suffix "
		    "directly after -i, as in -i.bak",
		    name);
	if (target == NULL || stat(target, &file) < 0)
		cli_die_errno(cli, "open", name, errno);
	if (S_ISDIR(file.st_mode))
		cli_die_errno(cli, "replace", name, EISDIR);
	if (!S_ISREG(file.st_mode))
		cli_die(cli,
		    "cannot replace %s: it is not a regular file; write to a "
		    "new file",
		    name);
	/* For root, access(2) says that every file is writable.  So the mode of
	 * the file is checked first. */
	if ((file.st_mode & 0222) == 0)
		cli_die(cli,
		    "cannot replace %s: it is read-only; make it writable "
		    "first",
		    name);
	if (access(target, W_OK) < 0)
		cli_die_errno(cli, "replace", name, errno);
	check_directory(cli, name, target);
	check_owner(cli, name, target, &file);
	cli_check_original(cli, name, target);
	free(target);
	*id = (struct identity){file.st_dev, file.st_ino, name};
}

void
cli_check_in_place(const struct cli *cli)
{
	struct identity *ids;
	size_t n = cli->n_files, i;

	if (n == 0)
		cli_die(cli, "--in-place needs a file to replace");
	ids = cli_allocate(cli, n, sizeof *ids);
	for (i = 0; i < n; i++)
		check_operand(cli, cli->files[i], &ids[i]);
	qsort(ids, n, sizeof *ids, compare_identities);
	for (i = 1; i < n; i++)
		if (compare_identities(&ids[i - 1], &ids[i]) == 0)
			cli_die(cli,
			    "%s and %s are the same file; name it once",
			    ids[i - 1].name, ids[i].name);
	free(ids);
}
