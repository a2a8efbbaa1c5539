/* cli.c - functions shared by all commands: they open streams, protect files
 * from being overwritten, and end a command */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/cache.h"
#include "cli/in_place.h"

/* Minimum number of bytes that are requested by one read of a plain text. */
#define PART ((size_t)256 << 10)

static bool
is_same(const struct stat *a, const struct stat *b)
{
	return S_ISREG(a->st_mode) && ctx_is_same_file(a, b);
}

/* Returns true if file is a regular file and one of the input files, whose
 * paths are files[0] to files[n - 1].  The path "-", or n = 0, means standard
 * input. */
static bool
is_among(char *const *files, size_t n, const struct stat *file)
{
	const char *name;
	struct stat input;
	size_t i;

	for (i = 0; i < n || i == 0; i++) {
		name = n > 0 ? files[i] : "-";
		if ((strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &input)
					    : stat(name, &input)) == 0 &&
		    is_same(file, &input))
			return true;
	}
	return false;
}

/*
 * Writes the path of a configuration file or cache directory of ctx to the
 * buffer out.  The path is below the directory that the environment variable
 * names.  Without this variable, it is below the subdirectory "beside" of HOME,
 * such as .config.
 *
 * Returns false if neither variable contains an absolute path, or if the path
 * is too long.  Relative paths are ignored, as the XDG Base Directory
 * Specification demands: otherwise ctx would trust files in the current
 * directory.
 */
static bool
find_user_file(char out[4096], const char *variable, const char *beside,
    const char *file)
{
	const char *home;
	int n = -1;

	home = cli_environment(variable);
	if (home != NULL && home[0] == '/')
		n = snprintf(out, 4096, "%s/ctx%s", home, file);
	else if ((home = cli_environment("HOME")) != NULL && home[0] == '/')
		n = snprintf(out, 4096, "%s/%s/ctx%s", home, beside, file);
	return n > 0 && n < 4096;
}

static bool
find_user_models(char out[4096])
{
	return find_user_file(out, "XDG_CONFIG_HOME", ".config",
	    "/models.json");
}

bool
cli_is_built_in(const char *encoding)
{
	unsigned i;

	for (i = 0; ctx_encoding_name(i) != NULL; i++)
		if (strcmp(ctx_encoding_name(i), encoding) == 0)
			return true;
	return false;
}

static bool
is_file(const char *path, const struct stat *file)
{
	struct stat other;

	return stat(path, &other) == 0 && is_same(file, &other);
}

static bool
is_vocabulary(const char *encoding, const struct stat *file)
{
	return encoding != NULL && !cli_is_built_in(encoding) &&
	    is_file(encoding, file);
}

/* Returns true if the command reads the file as a vocabulary file, or as the
 * JSON file that defines the user's own models. */
static bool
is_read(const struct cli *cli, const struct stat *file)
{
	const char *encoding = cli->encoding != NULL
	    ? cli->encoding
	    : cli_environment("CTX_ENCODING");
	char models[4096];
	size_t i;

	for (i = 0; i < cli->models.n; i++)
		if (is_vocabulary(cli->models.list[i].encoding, file))
			return true;
	return is_vocabulary(encoding, file) ||
	    (find_user_models(models) && is_file(models, file));
}

/* Returns true if path is in the spool, the directory in which ctx-age stores
 * tool results.  Commands must not write any other file there. */
static bool
is_spooled(const struct cli *cli, const char *path)
{
	char *copy = cli->spool == NULL ? NULL : strdup(path);
	struct stat above, spool;
	bool spooled;

	spooled = copy != NULL && stat(dirname(copy), &above) == 0 &&
	    stat(cli->spool, &spool) == 0 && ctx_is_same_file(&above, &spool);
	free(copy);
	return spooled;
}

void
cli_refuse_overwrite(const struct cli *cli, const char *path, const char *other)
{
	static const char *const streams[] = {CLI_STDOUT, "standard error"};
	struct stat file, written;
	bool there = stat(path, &file) == 0;
	int i;

	if (is_spooled(cli, path))
		cli_die(cli,
		    "cannot write %s: it is in the spool, which only ctx-age "
		    "may write; name a file elsewhere",
		    path);
	if (there &&
	    (is_among(cli->files, cli->n_files, &file) || is_read(cli, &file)))
		cli_die(cli,
		    "cannot write %s: it is also read; name another file",
		    path);
	for (i = 0; there && i < 2; i++)
		if (fstat(STDOUT_FILENO + i, &written) == 0 &&
		    is_same(&file, &written))
			cli_die(cli,
			    "cannot write %s: %s is written to it, too; name "
			    "another file",
			    path, streams[i]);
	if (other != NULL &&
	    (there ? stat(other, &written) == 0 && is_same(&file, &written)
		   : strcmp(path, other) == 0))
		cli_die(cli,
		    "cannot write %s: two options name it; name another file",
		    path);
}

ssize_t
cli_read_at(int fd, char *p, size_t n, uint64_t at)
{
	size_t done = 0;
	ssize_t got = 1;

	while (done < n && got != 0) {
		got = pread(fd, p + done, n - done, (off_t)(at + done));
		if (got > 0)
			done += (size_t)got;
		else if (got < 0 && errno != EINTR)
			return -1;
	}
	return (ssize_t)done;
}

/* Exits with an error if standard output is also an input file.  Otherwise the
 * command would read its own output without end. */
static void
check_stdout(const struct cli *cli, char *const *files, size_t n)
{
	struct stat file;

	if (fstat(STDOUT_FILENO, &file) == 0 && is_among(files, n, &file))
		cli_die(cli,
		    "cannot write %s: it is an input file%s, too; write to "
		    "another file",
		    CLI_STDOUT,
		    file.st_size == 0 ? " (emptied by the shell)" : "");
}

/* Prints that the command waits for input, if its first input file is standard
 * input, this is a terminal, and nothing was typed for a second. */
static void
note_terminal(const struct cli *cli, const char *file)
{
	struct pollfd typed = {.fd = STDIN_FILENO, .events = POLLIN};

	if (strcmp(file, "-") == 0 && isatty(STDIN_FILENO) &&
	    poll(&typed, 1, 1000) == 0)
		cli_say(cli,
		    "reading from the terminal; name a file, or end the input "
		    "with Ctrl-D");
}

void
cli_open(struct cli *cli, struct ctx_stream *stream, char **files,
    size_t n_files, struct ctx_writer *writer)
{
	struct ctx_err err;

	check_stdout(cli, files, n_files);
	memset(stream, 0, sizeof *stream);
	stream->forced = cli->dialect;
	stream->at_once = cli->unbuffered;
	if (ctx_reader_open(&stream->reader, files, n_files, &err) < 0)
		cli_fail(cli, &err);
	ctx_reader_set_lenient(stream->reader, cli->lenient);
	note_terminal(cli, n_files > 0 ? files[0] : "-");
	cli_progress_open(cli, stream->reader, files, n_files,
	    writer != NULL && !cli->in_place);
	if (writer == NULL)
		return;
	ctx_writer_init(writer, STDOUT_FILENO);
	writer->flush_each = cli->unbuffered;
	ctx_reader_set_writer(stream->reader, writer);
}

bool
cli_exists(struct cli *cli, const char *file)
{
	if (strcmp(file, "-") == 0 || access(file, F_OK) == 0 ||
	    errno != ENOENT)
		return true;
	cli_say(cli, "%s: cannot open: %s", file, strerror(errno));
	cli_status(cli, CLI_TROUBLE);
	return false;
}

struct ctx_request_prefix *
cli_read_request(struct cli *cli, struct ctx_model_counters *counters,
    const struct ctx_request_prefix_options *options, char **files, size_t n)
{
	struct ctx_request_prefix *prefix;
	struct ctx_stream stream;
	struct ctx_err err;

	cli_open(cli, &stream, files, n, NULL);
	if (ctx_request_prefix_read(&prefix, &stream, counters, options, &err) <
	    0) {
		if (err.file == NULL)
			err.file = n > 0 ? files[0] : "-";
		cli_fail(cli, &err);
	}
	cli_note_stream(cli, &stream);
	cli_close(&stream);
	return prefix;
}

void
cli_begin_operands(struct cli *cli)
{
	check_stdout(cli, cli->files, cli->n_files);
	note_terminal(cli, cli->n_files > 0 ? cli->files[0] : "-");
	cli_progress_begin(cli);
}

bool
cli_next_stream(struct cli *cli, struct ctx_stream *stream,
    struct ctx_writer *writer)
{
	char **files = cli->files + cli->n_opened;
	size_t n = cli->each && cli->n_files > 0 ? 1 : cli->n_files;

	if (cli->n_opened > 0 && cli->n_opened >= cli->n_files) {
		cli_replace_inputs(cli);
		return false;
	}
	cli_open(cli, stream, files, n, writer);
	if (!cli->in_place)
		ctx_reader_set_neighbors(stream->reader, cli->n_opened > 0,
		    cli->n_opened + n < cli->n_files);
	cli->n_opened += n > 0 ? n : 1;
	if (writer != NULL && cli->in_place)
		writer->fd = cli_begin_in_place(cli, files[0]);
	return true;
}

void
cli_end_stream(struct cli *cli, struct ctx_stream *stream,
    struct ctx_writer *writer)
{
	struct ctx_err err;

	if (writer != NULL && ctx_writer_flush(writer, &err) < 0)
		cli_fail(cli, &err);
	cli_close(stream);
	if (cli->rewritten != NULL)
		cli_end_in_place(cli);
	if (writer != NULL)
		ctx_writer_release(writer);
}

void
cli_prefetch(struct cli *cli, struct ctx_stream *stream,
    struct ctx_model_counters *counters)
{
	uint64_t threads = cli->jobs;
	struct ctx_err err;
	long cores;

	if (threads > CTX_MOST_THREADS)
		cli_die(cli, "--jobs: %" PRIu64 " is more than %d, the maximum",
		    threads, CTX_MOST_THREADS);
	if (threads == 0) {
		cores = sysconf(_SC_NPROCESSORS_ONLN);
		threads = cores < 1 ? 1 : (uint64_t)cores;
	}
	/* With --unbuffered, only one thread counts tokens: several threads
	 * would count messages in advance, and the output would wait for their
	 * counts. */
	if (cli->unbuffered)
		threads = 1;
	if (ctx_stream_count_ahead(stream, counters, (unsigned)threads, &err) <
	    0)
		cli_fail(cli, &err);
}

void
cli_end_pattern(const struct cli *cli, const char *option,
    struct ctx_pattern *pattern)
{
	if (pattern->overruns > 0)
		cli_say(cli,
		    "--%s: matching took too many steps for some texts, whose "
		    "messages are unchanged; use a simpler pattern",
		    option);
	ctx_pattern_release(pattern);
}

void
cli_close(struct ctx_stream *stream)
{
	ctx_reader_close(stream->reader);
	ctx_stream_release(stream);
}

/* Exits with an error if the argument of --encoding is neither the name of a
 * built-in encoding nor a file, even if the command will count nothing. */
static void
check_encoding(const struct cli *cli)
{
	struct stat file;

	if (cli_is_built_in(cli->encoding))
		return;
	if (stat(cli->encoding, &file) == 0) {
		if (S_ISDIR(file.st_mode))
			cli_die(cli,
			    "--encoding: %s is a directory; name a "
			    "file in it",
			    cli->encoding);
		return;
	}
	if (errno != ENOENT && errno != ENOTDIR)
		cli_die_errno(cli, "open", cli->encoding, errno);
	cli_die(cli,
	    "--encoding: '%s' is neither a file nor an encoding; ctx-count "
	    "--help lists the encodings",
	    cli->encoding);
}

/* Exits with an error if --model names a file, not a model: the user has
 * probably forgotten the argument of --model. */
static void
check_model(const struct cli *cli, const struct ctx_models *own)
{
	struct stat file;

	if (cli->model == NULL || stat(cli->model, &file) < 0 ||
	    !S_ISREG(file.st_mode) ||
	    ctx_model_find(own, cli->model, strlen(cli->model))->name[0] !=
		'\0')
		return;
	cli_die(cli,
	    "--model: '%s' is a file, not a model; ctx-count --models lists "
	    "the models",
	    cli->model);
}

void
cli_model_counters(struct cli *cli, struct ctx_model_counters *counters)
{
	const char *data = cli_environment("CTX_DATA");
	struct ctx_err err;
	char file[4096];

	if (cli->encoding != NULL)
		check_encoding(cli);
	if (data != NULL && ctx_tokenizer_set_data(data, &err) < 0)
		cli_die(cli, "CTX_DATA: %s", err.text);
	ctx_tokenizer_open_data();
	memset(counters, 0, sizeof *counters);
	counters->model = cli->model;
	counters->encoding = cli->encoding;
	if (counters->encoding == NULL && counters->model == NULL)
		counters->encoding = cli_environment("CTX_ENCODING");
	counters->fallback = cli_environment("CTX_MODEL");
	if (find_user_file(cli->cache, "XDG_CACHE_HOME", ".cache", ""))
		counters->cache = cli->cache;
	if (find_user_models(file) &&
	    ctx_user_models_read(&cli->models, file, &err) < 0)
		cli_fail(cli, &err);
	counters->own.list = cli->models.list;
	counters->own.n = cli->models.n;
	check_model(cli, &counters->own);
}

/* Reads bytes in the same way as read(2), but continues after a signal, and
 * waits for data if another process has made the file non-blocking. */
static ssize_t
read_some(int fd, char *p, size_t n)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	ssize_t got;

	while ((got = read(fd, p, n)) < 0 &&
	    (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
		if (errno != EINTR)
			(void)poll(&ready, 1, -1);
	return got;
}

/* Reads from a file until the buffer text has n bytes.  Returns 1, or 0 if the
 * file ends with fewer bytes, or -1 with *err. */
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
cli_read_parts(const struct cli *cli, const char *file,
    const struct cli_parts *parts, struct ctx_err *err)
{
	struct ctx_buf text = {0};
	int fd = STDIN_FILENO, rc;

	note_terminal(cli, file);
	if (strcmp(file, "-") != 0 &&
	    (fd = open(file, O_RDONLY | O_CLOEXEC)) < 0)
		return ctx_err_sys(err, errno, "cannot open %s", file);
	/* The callback parts->take may leave bytes in the buffer.  Each read
	 * asks for at least as many bytes as were left, so that the number of
	 * bytes that are moved in memory is proportional to the length of the
	 * file. */
	do {
		rc = read_until(fd, file, &text,
		    text.n + (text.n > PART ? text.n : PART), err);
		if (rc >= 0 &&
		    parts->take(parts->user, &text, rc == 0, err) < 0)
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
cli_end(struct cli *cli)
{
	cli_progress_close(cli);
	cli_close_stdout(cli);
	free(cli->files);
	ctx_user_models_release(&cli->models);
	return cli->status;
}
