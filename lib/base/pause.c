/* pause.c - waits a moment, before a try is repeated that depends on another
 * process */
#include <time.h>

#include "base/base.h"

void
ctx_pause(long microseconds)
{
	const struct timespec pause = {microseconds / 1000000,
	    microseconds % 1000000 * 1000};

	(void)nanosleep(&pause, NULL);
}
