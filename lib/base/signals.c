/* signals.c - signals that end a program wait until a file is whole or gone */
#include <signal.h>

#include "base/base.h"

/* The bits of what is held are in this order. */
const int ctx_enders[CTX_ENDERS] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

unsigned
ctx_signals_hold(void)
{
	sigset_t set, before;
	unsigned held = 0, i;

	(void)sigemptyset(&set);
	for (i = 0; i < CTX_ENDERS; i++)
		(void)sigaddset(&set, ctx_enders[i]);
	(void)pthread_sigmask(SIG_BLOCK, &set, &before);
	for (i = 0; i < CTX_ENDERS; i++)
		if (sigismember(&before, ctx_enders[i]) == 0)
			held |= 1u << i;
	return held;
}

void
ctx_signals_release(unsigned held)
{
	sigset_t set;
	unsigned i;

	(void)sigemptyset(&set);
	for (i = 0; i < CTX_ENDERS; i++)
		if ((held & 1u << i) != 0)
			(void)sigaddset(&set, ctx_enders[i]);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
