/* base.c - errors, buffers, arenas and the hash */
#include <errno.h>
#include <stdint.h>
#include <wchar.h>

#include "base/base.h"
#include "tap.h"

static void
errors(void)
{
	struct ctx_err err;

	tap_case("an error carries its code, errno and text");
	CHECK(ctx_err_set(&err, CTX_EARG, "no model %s", "x") == -1);
	CHECK(err.code == CTX_EARG && err.sys == 0 && err.line == 0);
	CHECK(strcmp(err.text, "no model x") == 0);
	CHECK(ctx_err_sys(&err, ENOENT, "cannot open %s", "f") == -1);
	CHECK(err.code == CTX_ESYS && err.sys == ENOENT);
	CHECK(strstr(err.text, "cannot open f: ") == err.text);
	tap_case("a long error text is cut to the buffer");
	CHECK(ctx_err_sys(&err, ENOENT, "%0500d", 1) == -1);
	CHECK(strstr(err.text, "000...: No such file") != NULL);
	CHECK(strlen(err.text) == sizeof err.text - 1);
}

static void
buffers(void)
{
	struct ctx_buf buf = {0};
	struct ctx_err err;
	size_t cap = 0;
	char *taken;
	void *none = NULL, *same;
	int i;

	tap_case("a buffer grows and keeps its bytes");
	for (i = 0; i < 1000; i++)
		CHECK(ctx_buf_add(&buf, "a\0b", 3, &err) == 0);
	CHECK(buf.n == 3000 && memcmp(buf.p + 2997, "a\0b", 3) == 0);
	CHECK(ctx_buf_printf(&buf, &err, "%d-%s", 42, "x") == 0);
	CHECK(buf.n == 3004 && memcmp(buf.p + 3000, "42-x", 4) == 0);
	tap_case("sizes that overflow are refused");
	CHECK(ctx_buf_reserve(&buf, SIZE_MAX - 10, &err) == -1);
	CHECK(err.code == CTX_ENOMEM && buf.n == 3004);
	CHECK(ctx_grow(&none, &cap, SIZE_MAX / 4, 16, &err) == -1);
	CHECK(err.code == CTX_ENOMEM && cap == 0);
	CHECK(ctx_grow(&none, &cap, SIZE_MAX - 10, 1, &err) == -1);
	CHECK(err.code == CTX_ENOMEM && cap == 0);
	tap_case("a format with an invalid wide character is CTX_EARG");
	CHECK(ctx_buf_printf(&buf, &err, "%ls", (wchar_t[]){0xd800, 0}) == -1);
	CHECK(err.code == CTX_EARG && buf.n == 3004);
	tap_case("growing to 0 elements succeeds");
	CHECK(ctx_grow(&none, &cap, 0, 16, &err) == 0 && none != NULL);
	same = none;
	CHECK(ctx_grow(&none, &cap, 0, 16, &err) == 0 && none == same);
	free(none);
	tap_case("reset frees a large buffer, and take hands the bytes over");
	ctx_buf_reset(&buf);
	CHECK(buf.n == 0 && buf.p != NULL);
	NEED(ctx_buf_reserve(&buf, 2 << 20, &err) == 0);
	ctx_buf_reset(&buf);
	CHECK(buf.n == 0 && buf.cap == 0 && buf.p == NULL);
	CHECK(ctx_buf_take(&buf) == NULL);
	NEED(ctx_buf_add(&buf, "taken", 6, &err) == 0);
	taken = ctx_buf_take(&buf);
	CHECK(strcmp(taken, "taken") == 0 && buf.p == NULL && buf.cap == 0);
	NEED(ctx_buf_add(&buf, taken, 6, &err) == 0);
	free(taken);
	ctx_buf_release(&buf);
	CHECK(buf.p == NULL && buf.n == 0 && buf.cap == 0);
}

static void
arenas(void)
{
	struct ctx_arena arena = {0};
	struct ctx_err err;
	char *p, *q;
	int round, i;

	tap_case("an arena hands out zeroed, aligned, distinct memory");
	for (round = 0; round < 3; round++) {
		q = NULL;
		for (i = 1; i < 300; i++) {
			p = ctx_arena_alloc(&arena, (size_t)i * 7, &err);
			NEED(p != NULL);
			CHECK((uintptr_t)p % _Alignof(max_align_t) == 0);
			CHECK(p[0] == 0 && p[i * 7 - 1] == 0);
			CHECK(q == NULL || *q == 'x');
			memset(p, 'x', (size_t)i * 7);
			q = p;
		}
		ctx_arena_reset(&arena);
	}
	p = ctx_arena_copy(&arena, "hello", 5, &err);
	q = ctx_arena_copy(&arena, "world", 5, &err);
	NEED(p != NULL && q == p + 5);
	CHECK(memcmp(p, "helloworld", 10) == 0);
	q = ctx_arena_alloc(&arena, 1, &err);
	CHECK(q != NULL && (uintptr_t)q % _Alignof(max_align_t) == 0);
	CHECK(memcmp(p, "helloworld", 10) == 0);
	CHECK(ctx_arena_alloc(&arena, SIZE_MAX - 3, &err) == NULL);
	CHECK(err.code == CTX_ENOMEM);
	ctx_arena_release(&arena);
	CHECK(arena.block == NULL);
}

static void
hashes(void)
{
	struct ctx_hashkey one, two;
	char text[40];
	size_t i;

	tap_case(
	    "the hash depends on the key, on every byte and on the length");
	ctx_hashkey_init(&one);
	ctx_hashkey_init(&two);
	CHECK(one.k[0] != two.k[0] || one.k[1] != two.k[1]);
	memset(text, 'a', sizeof text);
	CHECK(ctx_hash(&one, text, 40) == ctx_hash(&one, text, 40));
	CHECK(ctx_hash(&one, text, 40) != ctx_hash(&two, text, 40));
	for (i = 0; i < sizeof text; i++) {
		uint64_t before = ctx_hash(&one, text, sizeof text);

		CHECK(ctx_hash(&one, text, i) != before);
		text[i] ^= 1;
		CHECK(ctx_hash(&one, text, sizeof text) != before);
		text[i] ^= 1;
	}
}

static bool
is_apart(const uint64_t a[2], const uint64_t b[2])
{
	return a[0] != b[0] && a[1] != b[1] && a[0] != b[1];
}

static void
wide_hashes(void)
{
	struct ctx_hashkey one, two;
	uint64_t all[2], again[2];
	char text[40];
	size_t i;

	tap_case("both halves of the wide hash depend on them, independently");
	ctx_hashkey_init(&one);
	ctx_hashkey_init(&two);
	memset(text, 'a', sizeof text);
	ctx_hash_wide(&one, text, sizeof text, all);
	ctx_hash_wide(&one, text, sizeof text, again);
	CHECK(memcmp(all, again, sizeof all) == 0);
	CHECK(all[0] != all[1]);
	CHECK(all[0] != ctx_hash(&one, text, sizeof text));
	ctx_hash_wide(&two, text, sizeof text, again);
	CHECK(is_apart(all, again));
	for (i = 0; i < sizeof text; i++) {
		ctx_hash_wide(&one, text, i, again);
		CHECK(is_apart(all, again));
		text[i] ^= 1;
		ctx_hash_wide(&one, text, sizeof text, again);
		CHECK(is_apart(all, again));
		text[i] ^= 1;
	}
}

int
main(void)
{
	errors();
	buffers();
	arenas();
	hashes();
	wide_hashes();
	return tap_done();
}
