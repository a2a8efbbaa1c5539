/*
 * ending.c - linked into each program of the coverage run: lets gcov write its
 * counts
 *
 * gcov writes its counts when a program ends.  The sandbox of the commands
 * would refuse this.  So the linker (--wrap) replaces syscall(2) by the
 * function below, which does not enter the sandbox.  At the end of a program,
 * faults that the tests cause (tests/fault) are switched off, and the soft
 * limit of file sizes is removed.  A program that ends by a termination signal
 * writes its counts first.
 */
#define _GNU_SOURCE /* for RTLD_DEFAULT */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <unistd.h>

/* number of the system call landlock_restrict_self(2) */
enum { RESTRICT_SELF = 446 };

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

void fault_sites_stop(void); /* defined in sites.c */

/* Runs before the destructors of gcov, because those have a priority. */
__attribute__((destructor)) static void
end_of_faults(void)
{
	void (*stop)(void) = NULL;
	struct rlimit size;

	fault_sites_stop();
	if (getrlimit(RLIMIT_FSIZE, &size) == 0 &&
	    size.rlim_cur != size.rlim_max) {
		size.rlim_cur = size.rlim_max;
		(void)setrlimit(RLIMIT_FSIZE, &size);
	}
	*(void **)&stop = dlsym(RTLD_DEFAULT, "fault_stop");
	if (stop != NULL)
		stop();
	/* A call that marks the end of the program for tests that count its
	 * calls. */
	(void)access("fault:end", F_OK);
}

void __gcov_dump(void); /* defined in libgcov */
void __real__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status) __attribute__((noreturn));

/* A forked child that runs no other program ends by _exit
 * (lib/io/command_runner.c), which does not write gcov's counts.  So this
 * function writes them. */
void
__wrap__exit(int status)
{
	end_of_faults();
	__gcov_dump();
	__real__exit(status);
}

static void
dump(int number)
{
	/* The default action of the signal was restored before. */
	__gcov_dump();
	(void)raise(number);
}

__attribute__((constructor)) static void
await_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM};
	struct sigaction action = {.sa_flags = (int)SA_RESETHAND}, before;
	size_t i;

	for (i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		(void)sigaction(numbers[i], NULL, &before);
		action.sa_handler = dump;
		if (before.sa_handler == SIG_DFL)
			(void)sigaction(numbers[i], &action, NULL);
	}
}
