/*
 * calls.c - system calls that a command in the sandbox has no use for
 *
 * What Landlock does not know: sockets that are no TCP, modes and owners by a
 * path, other processes, new parts of the kernel; and what it has not always
 * known, lengths by a path (Linux 6.2).  A filter has such calls fail with
 * EACCES (seccomp, Linux 3.17 and later).  Where the kernel has none, or this
 * machine is not in the table, nothing happens.
 */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* The machine, as linux/audit.h numbers it: another numbers its calls in
 * another way, and one kernel may take those of two. */
#if defined(__x86_64__) && defined(__LP64__)
#define MACHINE 0xc000003e
#elif defined(__i386__)
#define MACHINE 0x40000003
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define MACHINE 0xc00000b7
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE 0xc00000f3
#elif defined(__s390x__)
#define MACHINE 0x80000016
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define MACHINE 0xc0000015
#endif

#if defined(__linux__) && defined(MACHINE)
#include <sys/prctl.h>
#include <sys/syscall.h>

static const unsigned refused[] = {
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_sendto,
    SYS_sendmsg, SYS_sendmmsg,
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
    SYS_execve, SYS_execveat, SYS_kill, SYS_ptrace, SYS_process_vm_readv,
    SYS_process_vm_writev,
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown,
#endif
#ifdef SYS_chown32
    SYS_chown32, SYS_lchown32,
#endif
    SYS_truncate,
#ifdef SYS_truncate64
    SYS_truncate64,
#endif
    SYS_fchmodat, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_mount,
    SYS_umount2, SYS_unshare, SYS_setns, SYS_bpf, SYS_perf_event_open,
    SYS_keyctl, SYS_add_key, SYS_request_key,
#ifdef SYS_userfaultfd
    SYS_userfaultfd,
#endif
    425, 426, 427, /* io_uring_setup, _enter, _register: everywhere */
    438,           /* pidfd_getfd */
    452,           /* fchmodat2 */
};

#define N_REFUSED (sizeof refused / sizeof refused[0])

/* As in linux/filter.h and linux/seccomp.h, which a C library may not come
 * with. */
struct step {
	uint16_t code;
	uint8_t yes, no; /* steps to jump over */
	uint32_t value;
};

struct program {
	unsigned short n;
	const struct step *steps;
};

enum {
	LOAD = 0x20,     /* a word of what the kernel tells of a call */
	IF_EQUAL = 0x15, /* jumps */
	IF_FROM = 0x35,
	ANSWER = 0x06,
	NUMBER_AT = 0,  /* where that has the call's number ... */
	MACHINE_AT = 4, /* ... and the machine's */
	SET_FILTER = 1,
	NOT_SLOWER = 4, /* no change to how the processor speculates */
};

#define ALLOW  0x7fff0000u
#define REFUSE (0x00050000u | EACCES)

/* Calls from here on are those of another way to call this machine (x32). */
#define OTHER_CALLS 0x40000000u

long
cli_refuse_calls(void)
{
	struct step steps[N_REFUSED + 6] = {
	    {LOAD, 0, 0, MACHINE_AT},
	    {IF_EQUAL, 0, N_REFUSED + 3, MACHINE},
	    {LOAD, 0, 0, NUMBER_AT},
	    {IF_FROM, N_REFUSED + 1, 0, OTHER_CALLS},
	};
	const struct program program = {N_REFUSED + 6, steps};
	size_t i;
	long rc;

	for (i = 0; i < N_REFUSED; i++)
		steps[4 + i] = (struct step){IF_EQUAL,
		    (uint8_t)(N_REFUSED - i), 0, refused[i]};
	steps[4 + i] = (struct step){ANSWER, 0, 0, ALLOW};
	steps[5 + i] = (struct step){ANSWER, 0, 0, REFUSE};
	rc = syscall(SYS_seccomp, SET_FILTER, NOT_SLOWER, &program);
	if (rc < 0 && errno == EINVAL)
		rc = syscall(SYS_seccomp, SET_FILTER, 0, &program);
	/* A container may refuse what a kernel without it does not know. */
	return rc < 0 && (errno == ENOSYS || errno == EINVAL || errno == EPERM)
	    ? 0
	    : rc;
}

#else

long
cli_refuse_calls(void)
{
	return 0;
}

#endif
