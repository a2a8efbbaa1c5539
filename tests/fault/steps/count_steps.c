/*
 * count_steps.c - linked into each program of build/steps, which counts its
 * steps
 *
 * A step is a basic block of the program: before each block, the compiler
 * inserts a call of the function below (-fsanitize-coverage=trace-pc). 16 bytes
 * that the C library copies, sets, compares or searches also count as a step.
 * Unlike times, numbers of steps do not depend on the load of the machine:
 * tests/fault/limits compares them.
 *
 * STEPS names a file of 8 bytes, which contains the number of steps of this
 * program and of all programs that it starts.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void __sanitizer_cov_trace_pc(void);

enum { OFTEN = 1024 };

static _Atomic uint64_t before_start;
static _Atomic uint64_t *steps = &before_start;
/* Number of steps of this thread that were not added to the file yet.  Less
 * than OFTEN at the end of the thread. */
static _Thread_local uint64_t waiting;

/* Runs before main, because a command in its sandbox can open no files. */
__attribute__((constructor)) static void
map_steps(void)
{
	const char *path = getenv("STEPS");
	void *map = MAP_FAILED;
	int fd;

	if (path == NULL)
		return;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		map = mmap(NULL, sizeof *steps, PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		perror(path);
		abort();
	}
	close(fd);
	steps = map;
}

static void
add_steps(uint64_t n)
{
	waiting += n;
	if (waiting < OFTEN)
		return;
	atomic_fetch_add_explicit(steps, waiting, memory_order_relaxed);
	waiting = 0;
}

void
__sanitizer_cov_trace_pc(void)
{
	add_steps(1);
}

/* bytes: number of bytes that the function has looked at */
#define WRAP(type, name, parameters, arguments, bytes) \
	type __real_##name parameters;                 \
	type __wrap_##name parameters;                 \
	type __wrap_##name parameters                  \
	{                                              \
		type result = __real_##name arguments; \
		add_steps((uint64_t)(bytes) / 16);     \
		return result;                         \
	}

WRAP(void *, memcpy, (void *to, const void *from, size_t n), (to, from, n), n)
WRAP(void *, memmove, (void *to, const void *from, size_t n), (to, from, n), n)
WRAP(void *, memset, (void *to, int c, size_t n), (to, c, n), n)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), n *size)
WRAP(size_t, strlen, (const char *s), (s), result)
/* If these two functions stop before the end, they may have looked at fewer
 * bytes. */
WRAP(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n),
    result == 0 ? n : 0)
WRAP(void *, memchr, (const void *p, int c, size_t n), (p, c, n),
    result != NULL ? (char *)result - (const char *)p : (ptrdiff_t)n)
