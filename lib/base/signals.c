/* signals.c - defers signals that would end the program */
#include <signal.h>

#include "base/base.h"

/* The termination signals.  In a set of termination signals, such as
 * ctx_signals_defer returns, bit i stands for element i of this array. */
const int ctx_termination_signals[CTX_TERMINATION_SIGNALS] = {SIGHUP, SIGINT,
    SIGQUIT, SIGTERM};

unsigned
ctx_signals_defer(void)
{
	sigset_t set, before;
	unsigned held = 0;

	(void)sigemptyset(&set);
	for (unsigned i = 0; i < CTX_TERMINATION_SIGNALS; i++)
		(void)sigaddset(&set, ctx_termination_signals[i]);
	(void)pthread_sigmask(SIG_BLOCK, &set, &before);
	for (unsigned i = 0; i < CTX_TERMINATION_SIGNALS; i++)
		if (sigismember(&before, ctx_termination_signals[i]) == 0)
			held |= 1u << i;
	return held;
}

void
ctx_signals_release(unsigned held)
{
	sigset_t set;

	(void)sigemptyset(&set);
	for (unsigned i = 0; i < CTX_TERMINATION_SIGNALS; i++)
		if ((held & 1u << i) != 0)
			(void)sigaddset(&set, ctx_termination_signals[i]);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
