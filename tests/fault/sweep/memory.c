/*
 * memory.c - makes each allocation fail, alone or with all later allocations.
 * In the build for coverage, makes each place that allocates memory fail.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sweep.h"

/* Number of allocations up to which every allocation is tried. */
#define MANY 60

struct shared *
share(void)
{
	int fd = open("tried", O_RDWR | O_CREAT, 0600);
	void *p;

	if (fd < 0 || ftruncate(fd, sizeof(struct shared)) < 0)
		die("tried");
	p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		die("mmap");
	close(fd);
	return p;
}

void
unshare_it(struct shared *shared)
{
	munmap(shared, sizeof *shared);
}

static void
fail_at(struct sweep *s, struct shared *shared, uint64_t at, bool ever)
{
	char number[40], fault[80];
	const char *const env[] = {number,
	    ever ? "NO_MEMORY_EVER=1" : "NO_MEMORY_EVER=", NULL};
	struct how how = {.preload = "no_memory.so", .env = env};
	struct result got;
	const char *why;

	(void)snprintf(number, sizeof number, "NO_MEMORY_AT=%llu",
	    (unsigned long long)at);
	shared->count = shared->failed = 0;
	run(s, &how, &got);
	s->faults += shared->failed > 0;
	why = judge(s, &got, "emory", false);
	(void)snprintf(fault, sizeof fault, "allocation %llu%s",
	    (unsigned long long)at, ever ? " and all after it" : "");
	if (why != NULL)
		complain(s, fault, why, &got);
	result_free(&got);
}

void
sweep_memory(struct sweep *s)
{
	const char *const none[] = {"NO_MEMORY_AT=0", NULL};
	struct shared *shared = share();
	struct result got;
	uint64_t n, at;

	run(s, &(struct how){.preload = "no_memory.so", .env = none}, &got);
	if (!is_right(s, &got))
		complain(s, "nothing", "it is another with the library", &got);
	result_free(&got);
	n = shared->count;
	if (n == 0)
		die("no allocation was seen");
	for (at = 1; at <= n; at++) {
		if (!is_tried(s, n, MANY))
			continue;
		fail_at(s, shared, at, false);
		fail_at(s, shared, at, true);
	}
	unshare_it(shared);
}

/* Creates the file with the places that have failed, over all trials: see
 * tests/coverage/sites.c. */
static void
open_sites(void)
{
	int fd = open("sites", O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, ((1 << 16) + 1) * sizeof(uint64_t)) < 0)
		die("sites");
	close(fd);
}

/* Returns true if a place failed in the last run.  Prepares the file for the
 * next run. */
static bool
failed(void)
{
	uint64_t n = 0, zero = 0;
	int fd = open("sites", O_RDWR);

	if (fd < 0 || pread(fd, &n, sizeof n, 0) != sizeof n ||
	    pwrite(fd, &zero, sizeof zero, 0) != sizeof zero)
		die("sites");
	close(fd);
	return n > 0;
}

void
sweep_sites(struct sweep *s)
{
	const char *const env[] = {"FAULT_SITES=1", NULL};
	struct result got;
	const char *why;
	char fault[40];
	size_t n = 0;
	bool again;

	open_sites();
	do {
		run(s, &(struct how){.env = env}, &got);
		again = failed();
		s->faults += again;
		why = again             ? judge(s, &got, "emory", false)
		    : is_right(s, &got) ? NULL
					: "it is another";
		(void)snprintf(fault, sizeof fault, "place %zu", ++n);
		if (why != NULL)
			complain(s, fault, why, &got);
		result_free(&got);
	} while (again);
}
