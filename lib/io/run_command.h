/* run_command.h - runs commands, and connects processes by pipes, for
 * run_command.c and command_runner.c */
#ifndef CTX_IO_RUN_COMMAND_H
#define CTX_IO_RUN_COMMAND_H

#include <signal.h>
#include <sys/types.h>

#include "io/io.h"

/* Interval in milliseconds at which this process looks for signals that would
 * end it.  These signals are blocked while a command runs. */
enum { CTX_COMMAND_SLICE = 100 };

/* Blocks those of the signals HUP, INT, QUIT and TERM that are neither ignored
 * nor blocked, and sets *ends to these signals.  Also blocks SIGPIPE, which is
 * caused by a write to a pipe without a reader.  Sets *before to the signals
 * that were blocked before the call. */
void ctx_command_block_signals(sigset_t *ends, sigset_t *before);
/* Returns the number of a signal that has arrived, but is blocked, and that
 * would otherwise end this process.  Returns 0 if there is none. ends: the
 * signals that would end this process. */
int ctx_command_ended_by_signal(const sigset_t *ends);
/* Sets the blocked signals to *before, and so undoes ctx_command_block_signals.
 * Signals that have arrived meanwhile are delivered, except SIGPIPE, which is
 * dropped. */
void ctx_command_restore_signals(const sigset_t *before);
/* Runs a command in this process, as ctx_run_command does. client: -1 if the
 * command runs for this process.  Otherwise the read end of a pipe whose write
 * end another process has open, for which the command runs.  When the other
 * process closes its end, the command is killed. */
int ctx_command_run_for(int client, const struct ctx_command *command,
    struct ctx_str input, size_t limit, struct ctx_buf *out,
    struct ctx_err *err);
/* Starts a program in the process group "group" (0: a new one), with default
 * signal handlers and no blocked signals. program: its path, or a name that is
 * searched in PATH; words: its arguments, from the name on, up to NULL. files:
 * descriptors of its standard input, output and error; -1 is /dev/null, opened
 * for writing.  Returns 0, or an errno value. */
int ctx_command_spawn(pid_t *pid, const char *program, char *const *words,
    pid_t group, const int files[3]);
/* Waits until a child process has ended, and sets *status as waitpid(2) does
 * (unless status is NULL).  Returns 0, or -1 with errno. */
int ctx_command_await(pid_t pid, int *status);
/* Writes a part of the input to a pipe that does not block.  Closes the pipe
 * after the last byte, or if the command has closed its end of the pipe; then
 * the rest of the input is dropped. */
void ctx_command_write_input(int *fd, struct ctx_str *input);
/* Makes two pipes that programs which are started later do not inherit. */
int ctx_command_make_pipes(int one[2], int other[2], struct ctx_err *err);
/* Closes a descriptor, one end of a pipe, and sets *fd to -1.  Does nothing if
 * *fd is -1. */
void ctx_command_close_end(int *fd);

/* ---- command_runner.c ---------------------------------------------------- */

/* Forks the child process of a runner, and connects the two processes by two
 * pipes.  Returns 0 in the parent.  Returns 1 in the child, in which *runner
 * has the other ends of the pipes.  Returns -1 with *err in the parent after an
 * error; runner->pid is then -1 if the fork has failed. */
int ctx_command_runner_fork(struct ctx_command_runner *runner,
    struct ctx_err *err);
/* Replaces the standard input and output of the child by /dev/null.  Otherwise
 * the child would keep the output of the program open, and a process that reads
 * this output would not see its end when the program ends. */
int ctx_command_runner_close_output(void);

#endif
