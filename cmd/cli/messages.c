/* messages.c - prints messages, reads environment variables, and ends a
 * command */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

const char *
cli_environment(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

bool
cli_is_safe(uint32_t cp)
{
	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
		return false;
	/* Characters that change the direction of text are not safe, because
	 * they can make a line look like a different line.  Invisible
	 * characters are not safe, because they can make a name look like a
	 * different name.  Joiners are allowed, because emoji and some scripts
	 * need them. */
	return !(cp == 0x61c || cp == 0x200b || cp == 0x200e || cp == 0x200f ||
	    (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2060 && cp <= 0x206f) ||
	    cp == 0xad || cp == 0x115f || cp == 0x1160 || cp == 0x180e ||
	    cp == 0x3164 || cp == 0xfeff || cp == 0xffa0 || cp == 0xfffd ||
	    (cp >= 0xfff9 && cp <= 0xfffb) || (cp >= 0xe0000 && cp <= 0xe007f));
}

void
cli_print_masked(FILE *to, const char *p, size_t n)
{
	uint32_t cp;
	size_t len;

	for (; n > 0; p += len, n -= len) {
		len = ctx_utf8_next(p, n, &cp);
		if (cli_is_safe(cp))
			(void)fwrite(p, 1, len, to);
		else
			(void)fputc('?', to);
	}
}

void
cli_progress_clear(const struct cli *cli)
{
	if (cli->drawn == NULL || !*cli->drawn)
		return;
	(void)fputs("\r\033[K", stderr);
	(void)fflush(stderr);
	*cli->drawn = false;
}

static void say(const struct cli *cli, const char *fmt, va_list ap)
    CTX_FORMAT(2, 0);

static void
say(const struct cli *cli, const char *fmt, va_list ap)
{
	char line[1024];

	if (cli->before_message != NULL)
		cli->before_message(cli->user);
	cli_progress_clear(cli);
	(void)vsnprintf(line, sizeof line, fmt, ap);
	(void)fprintf(stderr, "%s: ", cli->name);
	if (cli->within != NULL)
		(void)fprintf(stderr, "%s: ", cli->within);
	cli_print_masked(stderr, line, strlen(line));
	(void)fputc('\n', stderr);
}

void
cli_say(const struct cli *cli, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(cli, fmt, ap);
	va_end(ap);
}

void
cli_die_errno(const struct cli *cli, const char *what, const char *path,
    int sys)
{
	struct ctx_err err;

	(void)ctx_err_sys(&err, sys, "cannot %s %s", what, path);
	cli_die(cli, "%s", err.text);
}

void
cli_die(const struct cli *cli, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(cli, fmt, ap);
	va_end(ap);
	exit(CLI_TROUBLE);
}

void *
cli_allocate(const struct cli *cli, size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (p == NULL)
		cli_die(cli, "out of memory");
	return p;
}

/* Returns true for the error of a line that a program did not write whole, or
 * wrote into another line, as happens if a program is killed. */
static bool
is_torn(const char *text)
{
	static const char two[] = "more than one JSON value on the line";

	return strcmp(text, "unexpected end of input") == 0 ||
	    strcmp(text, "unexpected end of line") == 0 ||
	    strncmp(text, two, sizeof two - 1) == 0;
}

void
cli_fail(const struct cli *cli, const struct ctx_err *err)
{
	const char *file = err->file != NULL ? err->file : cli->rewritten;
	const char *hint = "";

	cli_progress_clear(cli);
	if (err->code == CTX_EPIPE)
		exit(CLI_TROUBLE);
	if (err->code == CTX_EINPUT && !cli->lenient && is_torn(err->text))
		hint = "; with --lenient this is not an error";
	if (cli->annotations != NULL && cli->annotations->given &&
	    err->code == CTX_EINPUT && file != NULL)
		cli_print_annotation(cli, cli->annotations, file, err->line,
		    err->text);
	if (err->line == 0 && file != NULL)
		cli_die(cli, "%s: %s", file, err->text);
	if (err->line == 0)
		cli_die(cli, "%s", err->text);
	if (err->column == 0)
		cli_die(cli, "%s:%" PRIu64 ": %s", err->file, err->line,
		    err->text);
	cli_die(cli, "%s:%" PRIu64 ":%" PRIu64 ": %s%s", err->file, err->line,
	    err->column, err->text, hint);
}

const char *
cli_short_number(char buf[16], uint64_t n)
{
	if (n < 1000)
		(void)snprintf(buf, 16, "%" PRIu64, n);
	else if (n < 9950)
		(void)snprintf(buf, 16, "%.1fk", (double)n / 1e3);
	else if (n < 999500)
		(void)snprintf(buf, 16, "%.0fk", (double)n / 1e3);
	else
		(void)snprintf(buf, 16, "%.1fM", (double)n / 1e6);
	return buf;
}

void
cli_print_place(FILE *to, const char *file, uint64_t line)
{
	cli_print_masked(to, file, strlen(file));
	if (line > 0)
		(void)fprintf(to, ":%" PRIu64, line);
}

/*
 * Flushes and closes standard output.  Returns true if every byte was written.
 * Tests the error flag of stdout, too: after a failed write, flushing may
 * succeed, because the buffer is empty.
 */
static bool
close_stdout(void)
{
	bool failed = ferror(stdout) != 0;

	errno = 0;
	if (fflush(stdout) != 0)
		return false;
	return (close(STDOUT_FILENO) == 0 || errno == EINTR) && !failed;
}

/* Exits because standard output could not be written.  Drops the bytes that are
 * still in the buffer, because earlier bytes of the output are missing.  Prints
 * no message if standard output is a pipe whose reader has closed it. */
static _Noreturn void
give_up(const struct cli *cli)
{
	int sys = errno;

	(void)close(STDOUT_FILENO);
	if (sys == EPIPE)
		exit(CLI_TROUBLE);
	cli_die(cli, "cannot write %s: %s", CLI_STDOUT,
	    sys != 0 ? strerror(sys) : CLI_LOST);
}

void
cli_check_stdout(const struct cli *cli)
{
	if (ferror(stdout) != 0)
		give_up(cli);
}

void
cli_close_stdout(const struct cli *cli)
{
	if (!close_stdout())
		give_up(cli);
}

void
cli_exit_ok(const struct cli *cli)
{
	cli_close_stdout(cli);
	exit(CLI_YES);
}
