/*
 * memory.c - growing buffers, arrays and arenas
 *
 * The functions check all sizes for overflow.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

int
ctx_grow(void *array, size_t *cap, size_t need, size_t size,
    struct ctx_err *err)
{
	size_t want = *cap < 8 ? 16 : *cap;
	void *old, *grown;

	memcpy(&old, array, sizeof old);
	if (need <= *cap && old != NULL)
		return 0;
	while (want < need) {
		if (want > SIZE_MAX / 2) {
			want = need;
			break;
		}
		want *= 2;
	}
	if (want > PTRDIFF_MAX / size ||
	    (grown = realloc(old, want * size)) == NULL)
		return ctx_err_nomem(err);
	memcpy(array, &grown, sizeof grown);
	*cap = want;
	return 0;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct ctx_str
ctx_str_trim(struct ctx_str s)
{
	while (s.n > 0 && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n > 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct ctx_str
ctx_str_cut(struct ctx_str *s, char separator)
{
	const char *end = s->n > 0 ? memchr(s->p, separator, s->n) : NULL;
	struct ctx_str part = {s->p, end != NULL ? (size_t)(end - s->p) : s->n};

	s->p += part.n + (end != NULL);
	s->n -= part.n + (end != NULL);
	return part;
}

bool
ctx_str_begins(struct ctx_str s, const char *text)
{
	size_t i = 0;

	while (i < s.n && text[i] != '\0' && s.p[i] == text[i])
		i++;
	return text[i] == '\0';
}

int
ctx_buf_reserve(struct ctx_buf *buf, size_t extra, struct ctx_err *err)
{
	if (buf->cap - buf->n >= extra && buf->p != NULL)
		return 0;
	if (extra > SIZE_MAX - buf->n)
		return ctx_err_nomem(err);
	return CTX_GROW(buf->p, buf->cap, buf->n + extra, err);
}

int
ctx_buf_add(struct ctx_buf *buf, const char *p, size_t n, struct ctx_err *err)
{
	if (n == 0)
		return 0;
	if (ctx_buf_reserve(buf, n, err) < 0)
		return -1;
	memcpy(buf->p + buf->n, p, n);
	buf->n += n;
	return 0;
}

int
ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return ctx_err_set(err, CTX_EARG,
		    "internal error: cannot format a text");
	if (ctx_buf_reserve(buf, (size_t)n + 1, err) < 0)
		return -1;
	va_start(ap, fmt);
	(void)vsnprintf(buf->p + buf->n, (size_t)n + 1, fmt, ap);
	va_end(ap);
	buf->n += (size_t)n;
	return 0;
}

char *
ctx_buf_take(struct ctx_buf *buf)
{
	char *fit = buf->n == 0 ? NULL : realloc(buf->p, buf->n);
	char *p = fit != NULL ? fit : buf->p;

	memset(buf, 0, sizeof *buf);
	return p;
}

void
ctx_buf_reset(struct ctx_buf *buf)
{
	if (buf->cap > CTX_BUF_KEEP)
		ctx_buf_release(buf);
	buf->n = 0;
}

void
ctx_buf_release(struct ctx_buf *buf)
{
	free(buf->p);
	memset(buf, 0, sizeof *buf);
}

struct ctx_arena_block {
	struct ctx_arena_block *older;
	size_t size; /* length in bytes of the data of this block */
	max_align_t data[];
};

#define FIRST_BLOCK 4000

/* Allocates n bytes in the arena, not zeroed, at an address that is a multiple
 * of align. */
static char *
alloc_aligned(struct ctx_arena *arena, size_t n, size_t align,
    struct ctx_err *err)
{
	struct ctx_arena_block *block = arena->block;
	size_t size = block == NULL ? FIRST_BLOCK : block->size, at;

	at = (arena->used + align - 1) / align * align;
	if (n > PTRDIFF_MAX - sizeof *block) {
		ctx_err_nomem(err);
		return NULL;
	}
	if (block == NULL || at > block->size || block->size - at < n) {
		if (block != NULL && size < PTRDIFF_MAX / 4)
			size *= 2;
		if (size < n)
			size = n;
		block = malloc(sizeof *block + size);
		if (block == NULL) {
			ctx_err_nomem(err);
			return NULL;
		}
		block->older = arena->block;
		block->size = size;
		arena->block = block;
		at = 0;
	}
	arena->used = at + n;
	return (char *)block->data + at;
}

void *
ctx_arena_alloc(struct ctx_arena *arena, size_t n, struct ctx_err *err)
{
	char *p = alloc_aligned(arena, n, _Alignof(max_align_t), err);

	return p == NULL ? NULL : memset(p, 0, n);
}

char *
ctx_arena_copy(struct ctx_arena *arena, const char *p, size_t n,
    struct ctx_err *err)
{
	char *copy = alloc_aligned(arena, n, 1, err);

	if (copy != NULL && n > 0)
		memcpy(copy, p, n);
	return copy;
}

static void
free_blocks(struct ctx_arena_block *block)
{
	struct ctx_arena_block *older;

	for (; block != NULL; block = older) {
		older = block->older;
		free(block);
	}
}

void
ctx_arena_reset(struct ctx_arena *arena)
{
	arena->used = 0;
	if (arena->block != NULL) {
		free_blocks(arena->block->older);
		arena->block->older = NULL;
	}
}

void
ctx_arena_release(struct ctx_arena *arena)
{
	free_blocks(arena->block);
	memset(arena, 0, sizeof *arena);
}
