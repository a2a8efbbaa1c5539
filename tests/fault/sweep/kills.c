/*
 * kills.c - ends a run in the middle: at each of its calls, at any time, or by
 * a termination signal
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "sweep.h"

/* Number of calls of one name up to which every call is tried. */
#define MANY 6

/* Sends a signal at a call of the trial. number: number of the signal that must
 * end the process. */
static void
end_at(struct sweep *s, const char *call, size_t at, const char *signal,
    int number)
{
	char trace[60], inject[120];
	const char *const strace[] = {"strace", "-qq", "-o", "/dev/null", "-e",
	    trace, "-e", inject, NULL};
	struct result got;
	const char *why;

	(void)snprintf(trace, sizeof trace, "trace=%.39s", call);
	(void)snprintf(inject, sizeof inject,
	    "inject=%.39s:signal=%.16s:when=%zu", call, signal, at);
	run(s, &(struct how){.before = strace}, &got);
	s->faults++;
	why = judge_killed(s, &got);
	if (why == NULL && !is_right(s, &got) &&
	    !(WIFSIGNALED(got.status) && WTERMSIG(got.status) == number))
		why = "not ended by the signal";
	(void)snprintf(inject, sizeof inject, "%.9s at %.39s %zu", signal, call,
	    at);
	if (why != NULL)
		complain(s, inject, why, &got);
	result_free(&got);
}

static void
end_everywhere(struct sweep *s, const char *signal, int number, bool all)
{
	struct call calls[MOST_CALLS] = {{.all = 0}};
	size_t i, at, n;

	list_calls(s, calls);
	for (i = 0; calls[i].name[0] != '\0'; i++) {
		n = calls[i].all - calls[i].before;
		for (at = calls[i].before + 1; at <= calls[i].all; at++)
			if (all || n <= MANY || below(s, n) < MANY)
				end_at(s, calls[i].name, at, signal, number);
	}
}

void
sweep_kills(struct sweep *s)
{
	end_everywhere(s, "KILL", SIGKILL, true);
}

void
sweep_signals(struct sweep *s)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}};
	size_t which = (size_t)below(s, 3), i;

	for (i = 0; i < 3; i++)
		if (s->all || i == which)
			end_everywhere(s, signals[i].name, signals[i].number,
			    s->all);
}

static uint64_t
now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void
sweep_random(struct sweep *s)
{
	const char *seconds = getenv("SECONDS_OF_KILLS");
	uint64_t begin = now(), takes, most;
	struct result got;
	const char *why;

	run(s, &(struct how){0}, &got);
	result_free(&got);
	takes = now() - begin;
	most = (seconds == NULL ? 10 : strtoull(seconds, NULL, 10)) * 1000000;
	for (begin = now(); now() - begin < most;) {
		struct how how = {.killed = true, .wait = below(s, takes + 1)};

		run(s, &how, &got);
		s->faults += WIFSIGNALED(got.status);
		why = judge_killed(s, &got);
		if (why != NULL)
			complain(s, "kill", why, &got);
		result_free(&got);
	}
}
