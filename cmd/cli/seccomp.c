/*
 * seccomp.c - makes all system calls fail that a command in the sandbox does
 * not need
 *
 * Landlock (sandbox.c) does not restrict sockets other than TCP, changes of
 * modes, owners, times and attributes of files, and actions on other processes.
 * On older kernels it does not restrict truncation of files (before Linux 6.2)
 * and signals (before 6.12).
 *
 * A seccomp filter (Linux 3.17 and later) makes these system calls fail with
 * EACCES.  No system call is refused if the kernel has no seccomp filters, or
 * if the table below does not have this processor architecture.
 */
#define _GNU_SOURCE /* for syscall */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* Number of the processor architecture, as in linux/audit.h.  The numbers of
 * system calls depend on the architecture, and a kernel may accept the system
 * calls of two architectures. */
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
    /* system calls on sockets */
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_sendto, SYS_sendmsg,
    SYS_sendmmsg,
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
    /* system calls that run programs, act on other processes, or share
     * memory with them */
    SYS_execve, SYS_execveat, SYS_kill, SYS_tkill, SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo, SYS_ptrace, SYS_process_vm_readv,
    SYS_process_vm_writev, SYS_setpriority, SYS_sched_setscheduler,
    SYS_sched_setparam, SYS_sched_setaffinity, SYS_mq_open, SYS_mq_unlink,
#ifdef SYS_ipc
    SYS_ipc,
#endif
#ifdef SYS_shmget
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv,
    SYS_msgctl, SYS_semget, SYS_semctl,
#endif
/* system calls that change the mode, owner, times, length or attributes of a
 * file by its path */
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown,
#endif
#ifdef SYS_chown32
    SYS_chown32, SYS_lchown32,
#endif
#ifdef SYS_utime
    SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    SYS_utimensat, SYS_truncate,
#ifdef SYS_truncate64
    SYS_truncate64,
#endif
    SYS_fchmodat, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
    SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_inotify_add_watch,
    SYS_fanotify_init, SYS_open_by_handle_at,
    /* system calls that change the whole system, or what this process sees of
     * it */
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns,
    SYS_bpf, SYS_perf_event_open, SYS_keyctl, SYS_add_key, SYS_request_key,
    SYS_reboot, SYS_sethostname, SYS_settimeofday, SYS_clock_settime,
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_swapon,
    SYS_swapoff, SYS_acct,
#ifdef SYS_userfaultfd
    SYS_userfaultfd,
#endif
    /* System calls for which some C libraries have no names.  Their numbers are
     * the same on all architectures. */
    424, 434, 438,      /* pidfd_send_signal, pidfd_open, pidfd_getfd */
    425, 426, 427,      /* io_uring_setup, _enter, _register */
    428, 429, 430, 442, /* open_tree, move_mount, fsopen, mount_setattr */
    440, 448,           /* process_madvise, process_mrelease */
    452,                /* fchmodat2 */
    463, 466,           /* setxattrat, removexattrat */
};

/* System calls that are allowed only if their first argument is the id of the
 * calling process, or 0. */
static const unsigned of_oneself[] = {SYS_tgkill, SYS_prlimit64};

#define N_REFUSED (CTX_LENGTH(refused))
#define N_ONESELF (CTX_LENGTH(of_oneself))

/* Definitions from linux/filter.h and linux/seccomp.h, for C libraries without
 * these headers. */
struct bpf_step {
	uint16_t code;
	/* Numbers of steps of the filter that are skipped. yes: if the
	 * condition of this step is true; no: if the condition is false. */
	uint8_t yes, no;
	uint32_t value;
};

struct program {
	unsigned short n;
	const struct bpf_step *steps;
};

enum {
	/* instruction that loads a word of struct seccomp_data */
	LOAD = 0x20,
	IF_EQUAL = 0x15, /* jump instructions */
	IF_FROM = 0x35,
	ANSWER = 0x06,
	/* offset in bytes of the system call's number in struct seccomp_data */
	NUMBER_AT = 0,
	/* offset in bytes of the architecture's number in struct
	 * seccomp_data */
	MACHINE_AT = 4,
	/* offset in bytes of the system call's first argument (64 bits) in
	 * struct seccomp_data */
	FIRST_AT = 16,
	SET_FILTER = 1,
	/* A flag of seccomp: the filter does not disable speculative execution,
	 * so the process is not slowed down. */
	NOT_SLOWER = 4,
};

#define ALLOW  0x7fff0000u
#define REFUSE (0x00050000u | EACCES)

/* System calls with this number or a higher one use the x32 calling convention.
 * All x32 system calls are refused, because the lists in this file have only
 * the ordinary numbers. */
#define OTHER_CALLS 0x40000000u

/* Returns the offset of the lower 32 bits of a system call's first argument in
 * struct seccomp_data. */
static uint32_t
get_argument_offset(void)
{
	const uint16_t one = 1;

	return FIRST_AT + (*(const uint8_t *)&one == 1 ? 0 : 4);
}

/* The filter has these parts:
 *  - HEAD: refuses other architectures and x32 system calls
 *  - a step for each system call in of_oneself
 *  - groups of system calls that are refused, sorted by number: a step that
 *    skips the group if the number belongs to a later one, the comparisons, and
 *    a step that allows all other system calls of the group
 *  - TAIL: the check of the first argument; the last step refuses.
 * The kernel runs a new filter once for each of its system calls.  Without
 * groups this would take a tenth of the time in which a command starts. */
enum {
	HEAD = 4,
	GROUP = 8,
	GROUPS = (N_REFUSED + GROUP - 1) / GROUP,
	TAIL = 5,
	STEPS = HEAD + N_ONESELF + N_REFUSED + 2 * GROUPS + TAIL,
};
_Static_assert(STEPS <= 256, "a jump skips at most 255 steps");

/* Returns how many steps a jump at step "from" skips to reach step "to". */
static uint8_t
skipped(size_t from, size_t to)
{
	return (uint8_t)(to - from - 1);
}

static int
compare_numbers(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* Writes the steps for the groups of refused system calls. n: index of the
 * first step. */
static void
add_groups(struct bpf_step steps[STEPS], size_t n)
{
	unsigned calls[N_REFUSED + 1];
	size_t i, size;

	memcpy(calls, refused, sizeof refused);
	calls[N_REFUSED] = OTHER_CALLS;
	qsort(calls, N_REFUSED, sizeof calls[0], compare_numbers);
	for (i = 0; i < N_REFUSED; i++) {
		size = N_REFUSED - i < GROUP ? N_REFUSED - i : GROUP;
		if (i % GROUP == 0)
			steps[n++] = (struct bpf_step){IF_FROM,
			    (uint8_t)(size + 1), 0, calls[i + size]};
		steps[n] = (struct bpf_step){IF_EQUAL, skipped(n, STEPS - 1), 0,
		    calls[i]};
		n++;
		if (i % GROUP == GROUP - 1 || i == N_REFUSED - 1)
			steps[n++] = (struct bpf_step){ANSWER, 0, 0, ALLOW};
	}
}

static void
make_filter(struct bpf_step steps[STEPS])
{
	const struct bpf_step head[HEAD] = {
	    {LOAD, 0, 0, MACHINE_AT},
	    {IF_EQUAL, 0, skipped(1, STEPS - 1), MACHINE},
	    {LOAD, 0, 0, NUMBER_AT},
	    {IF_FROM, skipped(3, STEPS - 1), 0, OTHER_CALLS},
	};
	/* A system call in the list "of_oneself" is allowed only if its first
	 * argument is the id of this process, or 0. */
	const struct bpf_step tail[TAIL] = {
	    {LOAD, 0, 0, get_argument_offset()},
	    {IF_EQUAL, 1, 0, 0},
	    {IF_EQUAL, 0, 1, (uint32_t)getpid()},
	    {ANSWER, 0, 0, ALLOW},
	    {ANSWER, 0, 0, REFUSE},
	};
	size_t i;

	memcpy(steps, head, sizeof head);
	for (i = 0; i < N_ONESELF; i++)
		steps[HEAD + i] = (struct bpf_step){IF_EQUAL,
		    skipped(HEAD + i, STEPS - TAIL), 0, of_oneself[i]};
	add_groups(steps, HEAD + N_ONESELF);
	memcpy(steps + STEPS - TAIL, tail, sizeof tail);
}

long
cli_refuse_calls(void)
{
	struct bpf_step steps[STEPS];
	const struct program program = {STEPS, steps};
	long rc;

	make_filter(steps);
	rc = syscall(SYS_seccomp, SET_FILTER, NOT_SLOWER, &program);
	if (rc < 0 && errno == EINVAL)
		rc = syscall(SYS_seccomp, SET_FILTER, 0, &program);
	/* These errors are ignored: they mean that the kernel has no seccomp,
	 * or that a container forbids it. */
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
