/* run_command.h - pipes to commands and to the children that run them */
#ifndef CTX_IO_RUN_COMMAND_H
#define CTX_IO_RUN_COMMAND_H

#include <signal.h>

#include "io/io.h"

/* While a command runs, the signals that end this process are blocked.  They
 * are checked for at this interval, in milliseconds. */
enum { CTX_COMMAND_SLICE = 100 };

/* Blocks the signals that would end this process, and sets *ends to these
 * signals.  Also blocks SIGPIPE, which a write to a pipe without a reader
 * causes.  Sets *before to the signals that were blocked before the call. */
void ctx_command_block_signals(sigset_t *ends, sigset_t *before);
/* Returns the number of a signal of the set *ends that has arrived and is
 * blocked, or 0 if there is none.  The signals of *ends would end this
 * process. */
int ctx_command_ended_by_signal(const sigset_t *ends);
/* Sets the blocked signals to *before, which ends the blocking by
 * ctx_command_block_signals.  Signals that have arrived meanwhile are
 * delivered, except SIGPIPE, which is dropped. */
void ctx_command_restore_signals(const sigset_t *before);
/* Runs a command in this process, as ctx_run_command does, on behalf of
 * another process. client: read end of a pipe; when that process has closed
 * the write end, the command is killed. -1: there is no other process. */
int ctx_command_run_for(int client, const struct ctx_command *command,
    struct ctx_str input, size_t limit, struct ctx_buf *out,
    struct ctx_err *err);
/* Makes two pipes that no program started later inherits. */
int ctx_command_make_pipes(int one[2], int other[2], struct ctx_err *err);
/* Closes one end of a pipe and sets *fd to -1; does nothing if it is -1. */
void ctx_command_close_end(int *fd);
/* Reads exactly n bytes from a pipe.  Returns 0, or -1 with errno; errno is 0
 * at the end of the pipe. */
int ctx_command_read_exactly(int fd, void *data, size_t n);

/* ---- command_runner.c ---------------------------------------------------- */

/* Forks the child process of a runner, and connects the two by two pipes.
 * Returns 0 in the program; 1 in the child, in which *runner has the other ends
 * of the pipes; or -1 with *err, and then runner->pid is -1 if the fork has
 * failed. */
int ctx_command_runner_fork(struct ctx_command_runner *runner,
    struct ctx_err *err);
/* Replaces the child's standard input and output by /dev/null.  If the child
 * kept the program's output open, a process that reads this output would not
 * see its end when the program ends. */
int ctx_command_runner_close_output(void);

#endif
