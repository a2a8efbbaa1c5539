/*
 * pieces.c - transfers input and output in small parts, or with pauses
 *
 * This is not a fault: the output must be right.  Only a close may fail; then
 * the command must report the error.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sweep.h"

static void
try(struct sweep *s, const struct how *how, const char *fault)
{
	struct result got;

	run(s, how, &got);
	s->faults++;
	if (!is_right(s, &got))
		complain(s, fault, "the output is not the right one", &got);
	result_free(&got);
}

static void
cut(struct sweep *s, unsigned most, bool interrupt)
{
	char pieces[40], fault[80];
	const char *const env[] = {pieces,
	    interrupt ? "PIECES_EINTR=1" : "PIECES_EINTR=0", NULL};
	struct how how = {.preload = "small_pieces.so", .env = env};

	(void)snprintf(pieces, sizeof pieces, "PIECES=%u", most);
	(void)snprintf(fault, sizeof fault, "pieces of %u bytes%s", most,
	    interrupt ? ", interrupted" : "");
	try(s, &how, fault);
}

/* Uses non-blocking pipes that transfer at most this number of bytes at a
 * time. */
static void
trickle(struct sweep *s, int bytes)
{
	char fault[80];

	(void)snprintf(fault, sizeof fault, "pipes of %d bytes", bytes);
	try(s, &(struct how){.feed = bytes}, fault);
}

static void
fail_close(struct sweep *s, struct shared *shared, uint64_t at, int error)
{
	char number[40], cause[40], fault[120];
	const char *const env[] = {number, cause, NULL};
	struct how how = {.preload = "small_pieces.so", .env = env};
	struct result got;
	const char *why;

	(void)snprintf(number, sizeof number, "CLOSE_AT=%llu",
	    (unsigned long long)at);
	(void)snprintf(cause, sizeof cause, "CLOSE_ERRNO=%d", error);
	(void)snprintf(fault, sizeof fault, "close %llu: %s",
	    (unsigned long long)at, strerror(error));
	shared->count = shared->failed = 0;
	run(s, &how, &got);
	s->faults += shared->failed > 0;
	why = judge(s, &got, strerror(error), error == EPIPE);
	if (why != NULL)
		complain(s, fault, why, &got);
	result_free(&got);
}

void
sweep_pieces(struct sweep *s)
{
	static const int errors[] = {EIO, EINTR, ENOSPC, EDQUOT};
	const char *const none[] = {"CLOSE_AT=0", NULL};
	struct how how = {.preload = "small_pieces.so", .env = none};
	struct shared *shared = share();
	struct result got;
	uint64_t n, at;
	size_t i;

	cut(s, 1, false);
	cut(s, 2, true);
	cut(s, 7, true);
	cut(s, 4095, false);
	cut(s, 100000, true);
	trickle(s, 1000);
	trickle(s, 4096);
	shared->count = 0;
	run(s, &how, &got);
	result_free(&got);
	n = shared->count;
	for (at = 1; at <= n; at++)
		for (i = 0; i < sizeof errors / sizeof errors[0]; i++)
			if (is_tried(s, n, n))
				fail_close(s, shared, at, errors[i]);
	unshare_it(shared);
}
