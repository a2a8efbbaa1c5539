/*
 * sandbox.c - gives up rights before a command reads its input
 *
 * An attacker may have written the input.  So before the command reads the
 * first byte, it gives up all rights that it does not need.  It can then open
 * only the files that the user named, and run no program.
 *
 * Landlock (Linux 5.13 and later) restricts files; seccomp.c refuses system
 * calls that Landlock does not cover.  If the kernel does not have Landlock,
 * files are not restricted.  If the kernel has Landlock, but Landlock cannot be
 * used, the command exits.
 */
#define _GNU_SOURCE /* for syscall, O_PATH and realpath */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"
#include "cli/cli.h"

/* LeakSanitizer reads files in /proc when a program ends, and traces the
 * program.  The sandbox would forbid this.  So a program that is built with
 * AddressSanitizer runs without the sandbox. */
#if defined(__SANITIZE_ADDRESS__)
#define NEEDS_PROC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEEDS_PROC 1
#endif
#endif

/* Returns the path dir without its last n components, or NULL if there is no
 * memory.  The caller frees the returned path. */
static char *
get_path_above(const char *dir, size_t n)
{
	size_t length = ctx_spool_above(dir, n);

	return length > 0 ? strndup(dir, length) : strdup(".");
}

/* Sets *is_new to true if dir is the default spool (directory of moved tool
 * results), and the directory above dir does not exist yet. */
static int
find_new_default(const char *dir, bool *is_new, struct ctx_err *err)
{
	struct stat above;

	*is_new = false;
	if (strcmp(dir, CLI_SPOOL) != 0 || stat(".ctx", &above) == 0)
		return 0;
	*is_new = errno == ENOENT;
	return *is_new ? 0 : ctx_err_sys(err, errno, "cannot access .ctx");
}

int
cli_open_spool(struct ctx_spool *spool, const char *dir, bool create,
    struct cli_sandbox_grants *needs, struct ctx_err *err)
{
	bool is_new = false;
	struct stat st;
	char *above;
	size_t n;

	*spool = (struct ctx_spool){.fd = -1, .dir = dir};
	if (create && find_new_default(dir, &is_new, err) < 0)
		return -1;
	if (ctx_spool_open(spool, dir, create, err) == 0) {
		needs->spool = spool;
		needs->stores = create;
		spool->ignored_by_git = is_new;
		return 0;
	}
	if (create || err->code != CTX_ESYS || err->sys != ENOENT)
		return -1;
	for (n = 1;; n++) {
		above = get_path_above(dir, n);
		if (above == NULL)
			return ctx_err_nomem(err);
		if (stat(above, &st) == 0 || ctx_spool_above(dir, n) <= 1)
			break;
		free(above);
	}
	needs->read = above;
	return -1;
}

#if defined(__linux__) && !defined(NEEDS_PROC)
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Definitions from linux/landlock.h, for C libraries without this header. */
#define CREATE_RULESET 444
#define ADD_RULE       445
#define RESTRICT_SELF  446
#define RULE_BENEATH   1

enum {
	MAY_WRITE = 1 << 1,
	MAY_READ = 1 << 2,
	MAY_LIST = 1 << 3,
	MAY_REMOVE_DIRECTORY = 1 << 4,
	MAY_REMOVE = 1 << 5,
	MAY_MAKE = 1 << 8,
	MAY_LINK = 1 << 13,
	MAY_TRUNCATE = 1 << 14,
};

struct ruleset {
	uint64_t files, net, scope;
};

struct beneath {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

struct sandbox {
	const struct cli *cli;
	/* the rights on files that the sandbox takes away, of those that this
	 * kernel knows */
	uint64_t handled;
	int fd;
};

/* Returns the set of all rights that the kernel's version of Landlock can take
 * away. */
static struct ruleset
get_all_rights(long version, size_t *size)
{
	struct ruleset set = {(1u << 13) - 1, 0, 0};

	*size = sizeof set.files;
	if (version >= 2)
		set.files |= MAY_LINK;
	if (version >= 3)
		set.files |= MAY_TRUNCATE;
	if (version >= 5)
		set.files |= 1 << 15;
	if (version >= 4) {
		set.net = 3;
		*size += sizeof set.net;
	}
	if (version >= 6) {
		set.scope = 3;
		*size += sizeof set.scope;
	}
	return set;
}

/* Exits because the sandbox cannot be used; errno says why. The error message
 * consists of what (a verb that says what failed), path and after. */
static _Noreturn void
fail(const struct cli *cli, const char *what, const char *path,
    const char *after)
{
	cli_die(cli,
	    "cannot %s%s%s: %s; to run without a sandbox, use --no-sandbox",
	    what, path, after, strerror(errno));
}

/* Opens a path that the sandbox will allow.  Returns a descriptor, or -1 if the
 * path does not exist or is not accessible: the command reports this error
 * later, when it opens the path.  Exits after other errors, because later they
 * would seem to be caused by the sandbox. */
static int
look(const struct sandbox *s, const char *path)
{
	int fd;

	do
		fd = open(path, O_PATH | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 && errno != ENOENT && errno != EACCES && errno != ENOTDIR &&
	    errno != ENAMETOOLONG && errno != ELOOP)
		fail(s->cli, "open ", path, " for the sandbox");
	return fd;
}

/* Allows some actions on an open file or, if it is a directory, on all files
 * below it. what: the actions, as bits such as MAY_READ. */
static void
allow_open(const struct sandbox *s, int fd, const char *path, unsigned what)
{
	struct beneath rule = {what & s->handled, fd};
	struct stat file;
	long rc;

	if (fstat(fd, &file) < 0)
		fail(s->cli, "access ", path, " for the sandbox");
	if (!S_ISDIR(file.st_mode))
		rule.allowed &= MAY_READ | MAY_WRITE | MAY_TRUNCATE;
	rc = syscall(ADD_RULE, s->fd, RULE_BENEATH, &rule, 0);
	/* The kernel refuses a rule for a pipe.  No rule is needed: a pipe,
	 * such as that of the shell's <(...), can be opened without a rule. */
	if (rc < 0 && errno != EBADFD)
		fail(s->cli, "allow ", path, " in the sandbox");
}

/* Allows some actions on the file at a path. what: the actions, as bits such as
 * MAY_READ. */
static void
allow(const struct sandbox *s, const char *path, unsigned what)
{
	int fd = look(s, path);

	if (fd < 0)
		return;
	allow_open(s, fd, path, what);
	close(fd);
}

/* Allows some actions on the files in the directory of a file. what: the
 * actions, as bits such as MAY_READ. */
static void
allow_beside(const struct sandbox *s, const char *path, unsigned what)
{
	const char *slash = strrchr(path, '/');
	char directory[4096];
	size_t n = slash == NULL ? 0 : (size_t)(slash - path) + 1;

	if (n >= sizeof directory)
		return;
	memcpy(directory, path, n);
	directory[n] = '\0';
	allow(s, n > 0 ? directory : ".", what);
}

/* Allows reading a file that --follow opens again and again.  Another program
 * may replace the file, so all files in the directory of the file are allowed.
 * If the file is a symbolic link, all files in the directory of its target are
 * allowed, too. */
static void
allow_followed(const struct sandbox *s, const char *path)
{
	char *real = realpath(path, NULL);

	allow_beside(s, path, MAY_READ);
	if (real != NULL)
		allow_beside(s, real, MAY_READ);
	free(real);
}

/* Allows creating, reading, renaming and removing files in the directory of a
 * file that --in-place replaces. */
static void
allow_replaced(const struct sandbox *s, const char *path)
{
	char *real = realpath(path, NULL);

	if (real == NULL)
		fail(s->cli, "access ", path, " for the sandbox");
	allow_beside(s, real, MAY_READ | MAY_WRITE | MAY_MAKE | MAY_REMOVE);
	free(real);
}

static void
allow_operands(const struct sandbox *s, bool reopens)
{
	size_t i;

	for (i = 0; i < s->cli->n_files; i++) {
		allow(s, s->cli->files[i], MAY_READ | MAY_LIST);
		if (reopens)
			allow_followed(s, s->cli->files[i]);
		if (s->cli->in_place)
			allow_replaced(s, s->cli->files[i]);
	}
}

/* Allows reading the vocabulary file of an encoding.  Returns true if the file
 * exists and can be read. */
static bool
allow_vocabulary(const struct sandbox *s, const char *encoding)
{
	if (encoding == NULL || cli_is_built_in(encoding))
		return false;
	allow(s, encoding, MAY_READ);
	return access(encoding, R_OK) == 0;
}

/* Allows reading the vocabulary files of the chosen encoding and of the user's
 * own models, because the input may name any of these models.  If at least one
 * of these files can be read, also allows the cache directory of compiled
 * vocabularies. */
static void
allow_vocabularies(const struct sandbox *s,
    const struct ctx_model_counters *counters)
{
	bool files = allow_vocabulary(s, counters->encoding);
	size_t i;

	for (i = 0; i < counters->own.n; i++)
		files |= allow_vocabulary(s, counters->own.list[i].encoding);
	if (!files || counters->cache == NULL)
		return;
	ctx_tokenizer_make_cache(counters->cache);
	allow(s, counters->cache,
	    MAY_READ | MAY_WRITE | MAY_LIST | MAY_MAKE | MAY_REMOVE | MAY_LINK |
		MAY_TRUNCATE);
}

/* Allows reading the files of a spool (directory of moved tool results).  If
 * stores is true, also allows: storing files in the spool; creating the file
 * .gitignore in the directory above the spool; removing the directories that
 * were created for the spool (needed if no file is stored). */
static void
allow_spool(const struct sandbox *s, const struct ctx_spool *spool, bool stores)
{
	char *above;

	allow_open(s, spool->fd, spool->dir,
	    stores ? MAY_READ | MAY_WRITE | MAY_LIST | MAY_MAKE | MAY_REMOVE
		   : MAY_READ | MAY_LIST);
	if (spool->ignored_by_git)
		allow_beside(s, spool->dir,
		    MAY_WRITE | MAY_LIST | MAY_MAKE | MAY_REMOVE);
	if (spool->made == 0)
		return;
	above = get_path_above(spool->dir, spool->made);
	if (above == NULL)
		cli_die(s->cli, "out of memory");
	allow(s, above, MAY_REMOVE_DIRECTORY);
	free(above);
}

void
cli_no_core(void)
{
	const struct rlimit none = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
	/* The limit on core files has no effect on systems that pipe core files
	 * to a program.  So the process is also made not dumpable. */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static void
restrict_files(const struct cli *cli, const struct cli_sandbox_grants *needs,
    long version)
{
	struct sandbox s = {.cli = cli};
	struct ruleset set;
	size_t size;

	set = get_all_rights(version, &size);
	s.handled = set.files;
	s.fd = (int)syscall(CREATE_RULESET, &set, size, 0);
	if (s.fd < 0)
		fail(cli, "create a sandbox", "", "");
	allow_operands(&s, needs->reopens);
	if (needs->counters != NULL)
		allow_vocabularies(&s, needs->counters);
	if (needs->read != NULL)
		allow(&s, needs->read, MAY_READ | MAY_LIST);
	if (needs->spool != NULL)
		allow_spool(&s, needs->spool, needs->stores);
	if (needs->written != NULL) {
		/* The right to write is granted on the file itself, not only on
		 * its directory: if the path is a symbolic link, the kernel
		 * grants the right on the target of the link. */
		allow(&s, needs->written, MAY_WRITE | MAY_TRUNCATE);
		allow_beside(&s, needs->written,
		    MAY_WRITE | MAY_MAKE | MAY_REMOVE | MAY_TRUNCATE);
	}
	if (syscall(RESTRICT_SELF, s.fd, 0) < 0)
		fail(cli, "enter the sandbox", "", "");
	close(s.fd);
}

void
cli_sandbox(const struct cli *cli, const struct cli_sandbox_grants *needs)
{
	long version;

	if (cli->no_sandbox)
		return;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		fail(cli, "enter the sandbox", "", "");
	version = syscall(CREATE_RULESET, NULL, 0, 1);
	if (version >= 1)
		restrict_files(cli, needs, version);
	if (cli_refuse_calls() < 0)
		fail(cli, "forbid system calls in the sandbox", "", "");
}

#else

void
cli_no_core(void)
{
	const struct rlimit none = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
}

void
cli_sandbox(const struct cli *cli, const struct cli_sandbox_grants *needs)
{
	(void)cli;
	(void)needs;
}

#endif
