/*
 * no_memory.c - a preloaded library: allocation number NO_MEMORY_AT fails
 *
 * With NO_MEMORY_EVER, all later allocations fail, too.  The file "../tried"
 * gets the number of allocations and the number of failures. malloc itself is
 * that of the C library (glibc).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

static struct shared {
	uint64_t count, failed;
} * shared;
static uint64_t at;
static bool ever;

__attribute__((constructor)) static void
begin(void)
{
	const char *number = getenv("NO_MEMORY_AT");
	const char *always = getenv("NO_MEMORY_EVER");
	int fd = open("../tried", O_RDWR);
	void *p = MAP_FAILED;

	if (fd >= 0) {
		p = (void *)syscall(SYS_mmap, NULL, sizeof *shared,
		    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	}
	if (number == NULL || p == MAP_FAILED)
		return;
	at = strtoull(number, NULL, 10);
	ever = always != NULL && always[0] != '\0';
	shared = p;
}

/* Called at the end of a program: what follows is not a part of the program
 * (see tests/coverage). */
void fault_stop(void);
void
fault_stop(void)
{
	shared = NULL;
}

static bool
fails(void)
{
	uint64_t mine;

	if (shared == NULL)
		return false;
	mine = __atomic_add_fetch(&shared->count, 1, __ATOMIC_RELAXED);
	if (at == 0 || (ever ? mine < at : mine != at))
		return false;
	shared->failed++;
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}

void *
aligned_alloc(size_t align, size_t n)
{
	return fails() ? NULL : __libc_memalign(align, n);
}

int
posix_memalign(void **p, size_t align, size_t n)
{
	*p = fails() ? NULL : __libc_memalign(align, n);
	return *p == NULL ? ENOMEM : 0;
}

void *
mmap(void *p, size_t n, int prot, int flags, int fd, off_t off)
{
	return fails() ? MAP_FAILED
		       : (void *)syscall(SYS_mmap, p, n, prot, flags, fd, off);
}
