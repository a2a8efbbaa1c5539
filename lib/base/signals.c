/* signals.c - signals that end a program wait until a file is whole or gone */
#include <signal.h>

#include "ctx.h"

/* The bits of what is held, in this order. */
static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { ENDS = sizeof ends / sizeof ends[0] };

unsigned
ctx_signals_hold(void)
{
	sigset_t set, before;
	unsigned held = 0, i;

	(void)sigemptyset(&set);
	for (i = 0; i < ENDS; i++)
		(void)sigaddset(&set, ends[i]);
	(void)pthread_sigmask(SIG_BLOCK, &set, &before);
	for (i = 0; i < ENDS; i++)
		if (sigismember(&before, ends[i]) == 0)
			held |= 1u << i;
	return held;
}

void
ctx_signals_release(unsigned held)
{
	sigset_t set;
	unsigned i;

	(void)sigemptyset(&set);
	for (i = 0; i < ENDS; i++)
		if ((held & 1u << i) != 0)
			(void)sigaddset(&set, ends[i]);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
