/* pause.c - waits a short time before an operation is tried again */
#include <time.h>

#include "base/base.h"

void
ctx_pause(long microseconds)
{
	const struct timespec pause = {microseconds / 1000000,
	    microseconds % 1000000 * 1000};

	(void)nanosleep(&pause, NULL);
}
