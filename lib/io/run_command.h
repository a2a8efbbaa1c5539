/* run_command.h - parts of run_command.c that command_runner.c needs */
#ifndef CTX_IO_RUN_COMMAND_H
#define CTX_IO_RUN_COMMAND_H

#include <signal.h>

#include "io/io.h"

/* Milliseconds between two checks for a signal while a command runs. */
enum { CTX_COMMAND_SLICE = 100 };

/* Blocks SIGPIPE, which a reader of a pipe causes when it ends, and the signals
 * that would end this process.  Sets *ends to the latter and *before to the
 * signals that were blocked before. */
void ctx_command_block_signals(sigset_t *ends, sigset_t *before);
/* Returns the number of a signal that has arrived and would end this process,
 * or 0 if none has arrived.  Only the signals in this set are looked for. */
int ctx_command_ended_by_signal(const sigset_t *ends);
/* Unblocks these signals, so that signals that have arrived are delivered,
 * except a SIGPIPE. */
void ctx_command_restore_signals(const sigset_t *before);
/* Runs the command in this process, like ctx_run_command.  If client is not
 * -1, it is the read end of a pipe: when all write ends are closed, the command
 * is killed. */
int ctx_command_run_for(int client, const struct ctx_command *command,
    struct ctx_str input, size_t limit, struct ctx_buf *out,
    struct ctx_err *err);
/* Makes a pipe that no program started later inherits. */
int ctx_command_make_pipe(int fd[2], struct ctx_err *err);
/* Closes one end of a pipe and sets *fd to -1; does nothing if it is -1. */
void ctx_command_close_end(int *fd);

#endif
