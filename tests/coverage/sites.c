/*
 * sites.c - linked into each program of the coverage run: every place that
 * asks for memory fails once
 *
 * Most of them find room in what was asked for before, so a malloc that fails
 * reaches few of them.  The linker (--wrap) puts the functions below in the
 * place of those that make room, and of some that call them often.  With
 * FAULT_SITES set, the first call from a place that has not failed yet does;
 * "../sites" knows which have, over all runs of a sweep
 * (tests/fault/sweep/memory.c).  A place is the addresses of the call and of
 * those around it, for a function fails to each of its callers.
 */
#define _GNU_SOURCE /* program_invocation_short_name, vasprintf */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctx.h"

enum { DEPTH = 3, SITES = 1 << 16 };

/* As tests/fault/sweep/memory.c has it. */
struct sites {
	_Atomic uint64_t failed; /* in this run */
	_Atomic uint64_t site[SITES]; /* 0: free */
};

static struct sites *sites;
extern const char __executable_start[], _end[];

__attribute__((constructor)) static void
begin(void)
{
	int fd;
	void *p;

	if (getenv("FAULT_SITES") == NULL)
		return;
	fd = open("../sites", O_RDWR);
	if (fd < 0)
		return;
	p = mmap(NULL, sizeof *sites, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	    0);
	(void)close(fd);
	if (p != MAP_FAILED)
		sites = p;
}

void fault_sites_stop(void);
void
fault_sites_stop(void)
{
	sites = NULL;
}

/* FNV-1a (Fowler, Noll, Vo). */
static uint64_t
mix(uint64_t hash, uint64_t more)
{
	return (hash ^ more) * 0x100000001b3;
}

/* Who calls the function whose frame that is. */
static uint64_t
place_of(void *const *frame)
{
	const char *name = program_invocation_short_name;
	uint64_t hash = 0xcbf29ce484222325;
	int i;

	while (*name != '\0')
		hash = mix(hash, (unsigned char)*name++);
	for (i = 0; i < DEPTH; i++) {
		const char *from = frame[1];

		/* The C library has no place, and no frames. */
		if (from < __executable_start || from >= _end)
			break;
		hash = mix(hash, (uint64_t)(from - __executable_start));
		frame = (void *const *)frame[0];
	}
	return hash | 1;
}

static bool
fails(void *const *frame)
{
	uint64_t mine, free_one;
	size_t i, n;

	if (sites == NULL || sites->failed > 0)
		return false;
	mine = place_of(frame);
	for (i = mine, n = 0; n < SITES; i++, n++) {
		free_one = 0;
		if (atomic_compare_exchange_strong(&sites->site[i % SITES],
			&free_one, mine))
			break;
		if (free_one == mine)
			return false;
	}
	if (n == SITES || atomic_fetch_add(&sites->failed, 1) > 0)
		return false;
	errno = ENOMEM;
	return true;
}

#define HERE ((void *const *)__builtin_frame_address(0))

/* Functions that give an address, and those that give -1 and fill err. */
#define WRAP(type, name, parameters, arguments, failure)                    \
	type __real_##name parameters;                                       \
	type __wrap_##name parameters;                                       \
	type __wrap_##name parameters                                        \
	{                                                                    \
		return fails(HERE) ? (failure) : __real_##name arguments;    \
	}

WRAP(void *, malloc, (size_t n), (n), NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL)
WRAP(void *, realloc, (void *p, size_t n), (p, n), NULL)
WRAP(void *, ctx_grow,
    (void *p, size_t *cap, size_t need, size_t size, struct ctx_err *err),
    (p, cap, need, size, err), (ctx_err_nomem(err), NULL))
WRAP(void *, ctx_arena_alloc,
    (struct ctx_arena *arena, size_t n, struct ctx_err *err), (arena, n, err),
    (ctx_err_nomem(err), NULL))
WRAP(int, ctx_buf_reserve,
    (struct ctx_buf *buf, size_t extra, struct ctx_err *err),
    (buf, extra, err), ctx_err_nomem(err))
WRAP(int, ctx_buf_add,
    (struct ctx_buf *buf, const char *p, size_t n, struct ctx_err *err),
    (buf, p, n, err), ctx_err_nomem(err))
WRAP(int, ctx_text_decode,
    (struct ctx_buf *out, struct ctx_str literal, struct ctx_err *err),
    (out, literal, err), ctx_err_nomem(err))
WRAP(int, ctx_text_encode,
    (struct ctx_buf *out, const char *p, size_t n, struct ctx_err *err),
    (out, p, n, err), ctx_err_nomem(err))

WRAP(int, ctx_edit_replace,
    (struct ctx_edits *edits, struct ctx_str old, const char *p, size_t n,
	struct ctx_err *err),
    (edits, old, p, n, err), ctx_err_nomem(err))
WRAP(int, ctx_token_count,
    (struct ctx_token_counter *counter, const char *p, size_t n,
	uint64_t *tokens, struct ctx_err *err),
    (counter, p, n, tokens, err), ctx_err_nomem(err))
WRAP(int, ctx_count_message,
    (struct ctx_counter *counter, const struct ctx_dialect *dialect,
	const struct ctx_view *view, struct ctx_cost *cost,
	struct ctx_err *err),
    (counter, dialect, view, cost, err), ctx_err_nomem(err))

int __real_ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err,
    const char *fmt, ...) CTX_FORMAT(3, 4);
int __wrap_ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err,
    const char *fmt, ...) CTX_FORMAT(3, 4);

int
__wrap_ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err,
    const char *fmt, ...)
{
	char *text;
	va_list ap;
	int rc;

	if (fails(HERE))
		return ctx_err_nomem(err);
	va_start(ap, fmt);
	rc = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return ctx_err_nomem(err);
	rc = __real_ctx_buf_printf(buf, err, "%s", text);
	free(text);
	return rc;
}
