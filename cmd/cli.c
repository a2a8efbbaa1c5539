/* cli.c - what the commands share: messages, streams, beginning and end */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#define PART ((size_t)256 << 10) /* bytes of a text read at once, or more */

/* ---- messages ---- */

/* Is this character safe on a terminal, where a stream's text may end up? */
bool
cli_is_safe(uint32_t cp)
{
	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
		return false;
	/* Bidirectional controls can make a line read as another one. */
	return !(cp == 0x61c || cp == 0x200e || cp == 0x200f ||
	    (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) ||
	    cp == 0xfeff || cp == 0xfffd);
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

static void say(const struct cli *cli, const char *fmt, va_list ap)
    CTX_FORMAT(2, 0);

static void
say(const struct cli *cli, const char *fmt, va_list ap)
{
	char line[1024];

	cli_progress_clear(cli);
	(void)vsnprintf(line, sizeof line, fmt, ap);
	(void)fprintf(stderr, "%s: ", cli->name);
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
cli_die(const struct cli *cli, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(cli, fmt, ap);
	va_end(ap);
	exit(CLI_TROUBLE);
}

void
cli_fail(const struct cli *cli, const struct ctx_err *err)
{
	cli_progress_clear(cli);
	if (err->code == CTX_EPIPE)
		exit(CLI_TROUBLE);
	if (err->line == 0 && err->file != NULL)
		cli_die(cli, "%s: %s", err->file, err->text);
	if (err->line == 0)
		cli_die(cli, "%s", err->text);
	if (err->column == 0)
		cli_die(cli, "%s:%" PRIu64 ": %s", err->file, err->line,
		    err->text);
	cli_die(cli, "%s:%" PRIu64 ":%" PRIu64 ": %s", err->file, err->line,
	    err->column, err->text);
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

/*
 * Writes out what stdio holds and closes standard output; true if every byte
 * of it went out.  A write that failed earlier may have left nothing to
 * flush, so the flag of the stream is asked too.
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

/* Ends a command that could not write standard output, and writes no more of
 * it: there would be a hole.  A reader that has left needs no word. */
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

static void
need_stdout(const struct cli *cli)
{
	if (!close_stdout())
		give_up(cli);
}

void
cli_told(const struct cli *cli)
{
	need_stdout(cli);
	exit(CLI_YES);
}

/* ---- the beginning ---- */

/*
 * stdio loses what does not fit a pipe that is not waited for.  Others share
 * the flag that says so, which is therefore left alone: the same pipe or
 * terminal is opened once more, without it.
 */
static void
wait_for_output(int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	struct stat file;
	char self[40];
	int own;

	if (flags < 0 || !(flags & O_NONBLOCK) || fstat(fd, &file) < 0 ||
	    !(S_ISFIFO(file.st_mode) || S_ISCHR(file.st_mode)))
		return;
	(void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	own = open(self, (flags & O_ACCMODE) | O_NONBLOCK | O_NOCTTY |
	    O_CLOEXEC);
	if (own < 0)
		return;
	if (fcntl(own, F_SETFL, flags & O_APPEND) == 0)
		(void)dup2(own, fd);
	(void)close(own);
}

/* Standard descriptors that are closed must not be given to a file that is
 * opened later; the wrong mode makes their use fail as it should. */
static void
open_standard(void)
{
	int fd;

	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
	wait_for_output(STDOUT_FILENO);
	wait_for_output(STDERR_FILENO);
	/* What a command of the user's comes to is waited for. */
	(void)signal(SIGCHLD, SIG_DFL);
	/* A file that may not grow (ulimit -f) is the error of a write. */
	(void)signal(SIGXFSZ, SIG_IGN);
	/* Said, because musl writes the first line at once otherwise, and
	 * forgets the errno. */
	if (!isatty(STDOUT_FILENO))
		(void)setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
}

/* Without memory jansson may lose a character of a string and say nothing, so
 * it is not asked to go on. */
static void *
memory_for_json(size_t n)
{
	void *p = malloc(n);

	if (p == NULL && n > 0) {
		(void)fputs("ctx: out of memory\n", stderr);
		exit(CLI_TROUBLE);
	}
	return p;
}

void
cli_begin(void)
{
	struct ctx_hashkey random;

	open_standard();
	cli_no_core();
	/* In the sandbox jansson could not open what it would ask. */
	ctx_hashkey_init(&random);
	json_object_seed((size_t)random.k[0] | 1);
	json_set_alloc_funcs(memory_for_json, free);
}

const char *
cli_environment(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

/* ---- streams ---- */

/* ---- files that are read and written ---- */

/* Is it one of these, or standard input if there are none? */
static bool
is_among(char *const *files, size_t n, const struct stat *file)
{
	const char *name;
	struct stat input;
	size_t i;

	if (!S_ISREG(file->st_mode))
		return false;
	for (i = 0; i < n || i == 0; i++) {
		name = n > 0 ? files[i] : "-";
		if ((strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &input)
					    : stat(name, &input)) == 0 &&
		    input.st_dev == file->st_dev &&
		    input.st_ino == file->st_ino)
			return true;
	}
	return false;
}

void
cli_spare_inputs(const struct cli *cli, const char *path)
{
	struct stat file;

	if (stat(path, &file) == 0 &&
	    is_among(cli->files, cli->n_files, &file))
		cli_die(cli, "%s is to be read and to be written; "
		    "name another file", path);
}

/* What is appended to an input would be read again, and again. */
static void
check_stdout(const struct cli *cli, char *const *files, size_t n)
{
	struct stat file;

	if (fstat(STDOUT_FILENO, &file) == 0 && is_among(files, n, &file))
		cli_die(cli, "%s is one of the files to be read; write to "
		    "another one", CLI_STDOUT);
}

void
cli_open(struct cli *cli, struct ctx_stream *stream, char **files,
    size_t n_files, struct ctx_writer *writer)
{
	struct ctx_err err;

	check_stdout(cli, files, n_files);
	memset(stream, 0, sizeof *stream);
	stream->forced = cli->dialect;
	if (ctx_reader_open(&stream->reader, files, n_files, &err) < 0)
		cli_fail(cli, &err);
	ctx_reader_set_lenient(stream->reader, cli->lenient);
	cli_progress_open(cli, stream->reader, files, n_files, writer != NULL);
	if (writer == NULL)
		return;
	ctx_writer_init(writer, STDOUT_FILENO);
	writer->flush_each = cli->unbuffered;
	ctx_reader_tie(stream->reader, writer);
}

void
cli_prefetch(struct cli *cli, struct ctx_stream *stream,
    struct ctx_meter *meter)
{
	uint64_t threads = cli->jobs;
	struct ctx_err err;
	long cores;

	if (threads > 1024)
		cli_die(cli, "--jobs: at most 1024, not %" PRIu64, threads);
	if (threads == 0) {
		cores = sysconf(_SC_NPROCESSORS_ONLN);
		threads = cores < 1 ? 1 : (uint64_t)cores;
	}
	/* What leaves at once is not read ahead. */
	if (cli->unbuffered)
		threads = 1;
	if (ctx_stream_prefetch(stream, meter, (unsigned)threads, &err) < 0)
		cli_fail(cli, &err);
}

/* Of a stream of nothing there is nothing to say. */
static void
note_none(const struct cli *cli, const struct ctx_found *found)
{
	const char *path = found->stray, *each = strrchr(path, ']');
	int n = each == NULL ? 0 : (int)(each + 1 - path);

	if (found->file == NULL)
		return;
	if (*path == '\0')
		cli_say(cli, "%s:%" PRIu64 ": no messages were found",
		    found->file, found->line);
	else
		cli_say(cli, "%s:%" PRIu64 ": no messages were found but at "
			     "%s; to read those: jq -c '%.*s%s{messages: "
			     "%s}'", found->file, found->line, path, n, path,
		    n > 0 ? " | " : "", path[n] != '\0' ? path + n : ".");
}

void
cli_note_stream(const struct cli *cli, const struct ctx_stream *stream)
{
	const struct ctx_err *bad = &stream->first_bad;
	const struct ctx_found *found = &stream->found;

	if (stream->bad > 0)
		cli_say(cli, "%s:%" PRIu64 ":%" PRIu64 ": %s; passed as it is",
		    bad->file, bad->line, bad->column, bad->text);
	if (stream->bad > 1)
		cli_say(cli, "%" PRIu64 " more such lines", stream->bad - 1);
	if (stream->mixed)
		cli_say(cli, "messages of several dialects; each was read as "
			     "its own");
	if (found->dialect == NULL)
		note_none(cli, found);
	else if (cli->verbose)
		cli_say(cli, "dialect %s, by %s (%s:%" PRIu64 ")%s",
		    found->dialect->name, found->why, found->file,
		    found->line, found->others
			? "; further records are of others"
			: "");
}

void
cli_note_pattern(const struct cli *cli, const char *option,
    const struct ctx_pattern *pattern)
{
	if (pattern->overrun)
		cli_say(cli, "--%s: the pattern takes too long for some texts; "
		    "what they stand in stays as it is", option);
}

void
cli_close(struct ctx_stream *stream)
{
	ctx_reader_close(stream->reader);
	ctx_stream_release(stream);
}

/* Makes the name of a file of ours: in the directory that the variable
 * names, else in one of the home directory.  Says whether there is one.
 * A relative name is none, or any directory that the user works in could
 * bring files of ours (XDG Base Directory Specification). */
static bool
own_file(char out[4096], const char *variable, const char *beside,
    const char *file)
{
	const char *home;
	int n = -1;

	home = cli_environment(variable);
	if (home != NULL && home[0] == '/')
		n = snprintf(out, 4096, "%s/ctx%s", home, file);
	else if ((home = cli_environment("HOME")) != NULL)
		n = snprintf(out, 4096, "%s/%s/ctx%s", home, beside, file);
	return n > 0 && n < 4096;
}

/* A name that nothing has is a mistake, even where nothing is counted. */
static void
check_encoding(const struct cli *cli)
{
	struct stat file;
	unsigned i;

	for (i = 0; cli_encoding_name(i) != NULL; i++)
		if (strcmp(cli_encoding_name(i), cli->encoding) == 0)
			return;
	if (stat(cli->encoding, &file) == 0) {
		if (S_ISDIR(file.st_mode))
			cli_die(cli, "--encoding: %s is a directory; name a "
				     "file in it", cli->encoding);
		return;
	}
	if (errno != ENOENT && errno != ENOTDIR)
		cli_die(cli, "cannot open %s: %s", cli->encoding,
		    strerror(errno));
	cli_die(cli, "--encoding: '%s' is neither a file nor one of those that "
	    "ctx-count --list-options names", cli->encoding);
}

void
cli_meter(struct cli *cli, struct ctx_meter *meter)
{
	char file[4096];

	if (cli->encoding != NULL)
		check_encoding(cli);
	memset(meter, 0, sizeof *meter);
	meter->model = cli->model;
	meter->encoding = cli->encoding;
	if (meter->encoding == NULL && meter->model == NULL)
		meter->encoding = cli_environment("CTX_ENCODING");
	meter->fallback = cli_environment("CTX_MODEL");
	if (own_file(cli->cache, "XDG_CACHE_HOME", ".cache", ""))
		meter->cache = cli->cache;
	if (own_file(file, "XDG_CONFIG_HOME", ".config", "/models.json"))
		cli_models_read(cli, file);
	meter->own.list = cli->models;
	meter->own.n = cli->n_models;
}

/* read(2), restarted, and waiting where others made the file non-blocking. */
static ssize_t
read_some(int fd, char *p, size_t n)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	ssize_t got;

	while ((got = read(fd, p, n)) < 0 && (errno == EINTR ||
		errno == EAGAIN || errno == EWOULDBLOCK))
		if (errno != EINTR)
			(void)poll(&ready, 1, -1);
	return got;
}

/* Reads until text holds n bytes: 1, 0 if the file ends before, or -1. */
static int
read_until(int fd, const char *file, struct ctx_buf *text, size_t n,
    struct ctx_err *err)
{
	ssize_t got;

	if (ctx_buf_reserve(text, n - text->n, err) < 0)
		return -1;
	while (text->n < n) {
		got = read_some(fd, text->p + text->n, n - text->n);
		if (got < 0)
			return ctx_err_sys(err, errno, "cannot read %s", file);
		if (got == 0)
			return 0;
		text->n += (size_t)got;
	}
	return 1;
}

int
cli_read_parts(const char *file, const struct cli_parts *parts,
    struct ctx_err *err)
{
	struct ctx_buf text = {0};
	int fd = STDIN_FILENO, rc;

	if (strcmp(file, "-") != 0 &&
	    (fd = open(file, O_RDONLY | O_CLOEXEC)) < 0)
		return ctx_err_sys(err, errno, "cannot open %s", file);
	/* With as much again as was left the time stays linear. */
	do {
		rc = read_until(fd, file, &text,
		    text.n + (text.n > PART ? text.n : PART), err);
		if (rc >= 0 && parts->take(parts->user, &text, rc == 0,
			err) < 0)
			rc = -1;
	} while (rc > 0);
	if (fd != STDIN_FILENO)
		close(fd);
	ctx_buf_release(&text);
	return rc;
}

/* ---- the end ---- */

void
cli_status(struct cli *cli, int status)
{
	if (status > cli->status)
		cli->status = status;
}

int
cli_end(struct cli *cli, struct ctx_writer *writer)
{
	struct ctx_err err;

	cli_progress_close(cli);
	if (writer != NULL) {
		if (ctx_writer_flush(writer, &err) < 0)
			cli_fail(cli, &err);
		ctx_writer_release(writer);
	}
	need_stdout(cli);
	free(cli->files);
	cli_models_release(cli);
	return cli->status;
}
