/*
 * map_tables.c - maps the file with the tables of the built-in encodings into
 * memory
 *
 * Processes that use the same encoding at the same time share the memory of its
 * table; a table that is not used needs no memory.  The file is mapped once per
 * process and remains mapped, because several tokenizers may use it.
 *
 * Only the head of the file is checked: format, byte order, version and size.
 * This detects a file that is incomplete, from another version of ctx or for
 * another kind of computer.  The tables after the head are trusted in the same
 * way as the code of the library: tables and code are installed together, and
 * who can change the tables can also change the code.  Checking every number of
 * a table (validate.c) would take longer than counting a short conversation.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary/data_directory.h"
#include "tokenizer/vocabulary/tables.h"

/* the end of the messages about a file that cannot be used */
static const char remedy[] =
    "install ctx again, or set CTX_DATA to the directory of this file (in a "
    "program, by ctx_set_data_directory)";

/* Mutex that protects all static data of this file. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct ctx_tables_head *mapped;
/* The directory of the file with the tables.  If the path is empty, the
 * directory was not searched for yet. */
static struct ctx_data_directory directory;
/* the error of ctx_tokenizer_open_data; its code is 0 if there was no error */
static struct ctx_err failure;

int
ctx_tokenizer_set_data(const char *dir, struct ctx_err *err)
{
	size_t n = strlen(dir);

	if (n >= sizeof directory.path)
		return ctx_err_set(err, CTX_EARG,
		    "the path of the directory has more than %zu bytes",
		    sizeof directory.path - 1);
	pthread_mutex_lock(&lock);
	memcpy(directory.path, dir, n + 1);
	directory.searched = false;
	failure.code = 0;
	pthread_mutex_unlock(&lock);
	return 0;
}

/* Checks the head of a file with tables. size: length of the file in bytes. */
static int
check_head(const struct ctx_tables_head *head, uint64_t size, const char *path,
    struct ctx_err *err)
{
	if (size < sizeof *head ||
	    memcmp(head->magic, CTX_TABLES_MAGIC, sizeof head->magic) != 0)
		return ctx_err_set(err, CTX_EFILE,
		    "%s does not contain tokenizers of ctx; %s", path, remedy);
	if (head->order != CTX_TABLES_ORDER)
		return ctx_err_set(err, CTX_EFILE,
		    "%s is for processors with another byte order; %s", path,
		    remedy);
	if (head->version != CTX_TABLES_VERSION)
		return ctx_err_set(err, CTX_EFILE,
		    "%s belongs to another version of ctx (format %u instead "
		    "of %d); %s",
		    path, (unsigned)head->version, CTX_TABLES_VERSION, remedy);
	if (head->size != size)
		return ctx_err_set(err, CTX_EFILE,
		    "%s has %llu bytes instead of %llu; %s", path,
		    (unsigned long long)size, (unsigned long long)head->size,
		    remedy);
	return 0;
}

static int
map_open_file(int fd, const char *path, struct ctx_err *err)
{
	struct stat file;
	size_t size;
	void *block;

	if (fstat(fd, &file) < 0)
		return ctx_err_sys(err, errno, "cannot access %s", path);
	if (!S_ISREG(file.st_mode) || file.st_size == 0 ||
	    (uint64_t)file.st_size > SIZE_MAX)
		return ctx_err_set(err, CTX_EFILE,
		    "%s does not contain tokenizers of ctx; %s", path, remedy);
	if (directory.searched && file.st_uid != 0 &&
	    file.st_uid != directory.owner)
		return ctx_err_set(err, CTX_EFILE,
		    "%s belongs neither to root nor to the user who owns the "
		    "installed ctx; %s",
		    path, remedy);
	size = (size_t)file.st_size;
	block = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (block == MAP_FAILED)
		return ctx_err_sys(err, errno, "cannot map %s into memory",
		    path);
	if (check_head(block, size, path, err) < 0) {
		(void)munmap(block, size);
		return -1;
	}
	mapped = block;
	return 0;
}

static int
map_file(struct ctx_err *err)
{
	char path[CTX_DATA_DIRECTORY_MAX + sizeof CTX_TABLES_FILE + 1];
	int fd, rc, sys;

	if (directory.path[0] == '\0' &&
	    ctx_data_directory_find(&directory, err) < 0)
		return -1;
	(void)snprintf(path, sizeof path, "%s/" CTX_TABLES_FILE,
	    directory.path);
	/* O_NONBLOCK, because opening a FIFO without this flag would wait for a
	 * writer. */
	do
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	while (fd < 0 && errno == EINTR);
	if (fd < 0) {
		sys = errno;
		ctx_err_set(err, CTX_ESYS, "cannot open %s: %s; %s", path,
		    strerror(sys), remedy);
		err->sys = sys;
		return -1;
	}
	rc = map_open_file(fd, path, err);
	close(fd);
	return rc;
}

const struct ctx_tables_head *
ctx_tables_open(struct ctx_err *err)
{
	const struct ctx_tables_head *head;

	pthread_mutex_lock(&lock);
	if (failure.code != 0)
		*err = failure;
	else if (mapped == NULL)
		(void)map_file(err);
	head = mapped;
	pthread_mutex_unlock(&lock);
	return head;
}

void
ctx_tokenizer_open_data(void)
{
	pthread_mutex_lock(&lock);
	if (mapped == NULL && map_file(&failure) == 0)
		failure.code = 0;
	pthread_mutex_unlock(&lock);
}
