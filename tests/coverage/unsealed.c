/*
 * unsealed.c - a sandbox that restricts nothing, for the coverage run
 *
 * gcov writes its counts when a program ends, which the sandbox of the
 * commands would refuse.  The linker puts this in the place of syscall(2).
 */
#include <stdarg.h>

enum { RESTRICT_SELF = 446 }; /* landlock_restrict_self(2) */

long __real_syscall(long number, long a, long b, long c, long d);
long __wrap_syscall(long number, ...);

long
__wrap_syscall(long number, ...)
{
	long a, b, c, d;
	va_list ap;

	if (number == RESTRICT_SELF)
		return 0;
	va_start(ap, number);
	a = va_arg(ap, long);
	b = va_arg(ap, long);
	c = va_arg(ap, long);
	d = va_arg(ap, long);
	va_end(ap);
	return __real_syscall(number, a, b, c, d);
}
