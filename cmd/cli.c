/* cli.c - what the commands share: options, messages, exit */
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

/* ---- names for choices ---- */

const char *
cli_dialect_name(unsigned i)
{
	const struct ctx_dialect *row = ctx_dialect_at(i);

	return row == NULL ? NULL : row->name;
}

const char *
cli_model_name(unsigned i)
{
	const struct ctx_model *row = ctx_model_at(i);

	return row == NULL ? NULL : row->name;
}

const char *
cli_encoding_name(unsigned i)
{
	return ctx_tokenizer_builtin(i);
}

const char *
cli_policy_name(unsigned i)
{
	const struct ctx_policy *row = ctx_policy_at(i);

	return row == NULL ? NULL : row->name;
}

/* ---- messages ---- */

/* Is this character safe on a terminal, where a stream's text may end up? */
static bool
is_safe(uint32_t cp)
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
		if (is_safe(cp))
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

/* Ends a command that was only asked about itself. */
static _Noreturn void
told(const struct cli *cli)
{
	need_stdout(cli);
	exit(CLI_YES);
}

/* ---- --help and the like ---- */

static void
print_option(const struct cli_option *option)
{
	char left[40];

	if (option->type == CLI_HEADING) {
		printf("%s:\n", option->help);
		return;
	}
	(void)snprintf(left, sizeof left, "%c%c%c --%s%s%s",
	    option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
	    option->letter ? ',' : ' ', option->name,
	    option->arg != NULL ? " " : "",
	    option->arg != NULL ? option->arg : "");
	printf("  %-28s %s\n", left, option->help);
}

static _Noreturn void
print_help(const struct cli *cli)
{
	const struct cli_option *option;

	printf("usage: %s [OPTION...] %s\n%s\n", cli->name, cli->operands,
	    cli->about);
	for (option = cli->options; option->help != NULL; option++)
		print_option(option);
	printf("  -h, --help, -V, --version    this text, version\n"
	       "\nExamples:\n%s"
	       "\nStatus: 0 done, 1 the answer is no, 2 trouble.\n",
	    cli->examples);
	told(cli);
}

/* For the completions: one line an option, fields parted by tabs. */
static _Noreturn void
print_options(const struct cli *cli)
{
	const struct cli_option *option;
	unsigned i;

	for (option = cli->options; option->help != NULL; option++) {
		if (option->type == CLI_HEADING)
			continue;
		printf("%.1s\t%s\t%s\t%s\t",
		    option->letter ? &option->letter : "", option->name,
		    option->arg != NULL ? option->arg : "", option->help);
		for (i = 0; option->choice != NULL &&
		    option->choice(i) != NULL;
		    i++)
			printf("%s%s", i > 0 ? " " : "", option->choice(i));
		printf("\n");
	}
	printf("h\thelp\t\tthis text\t\nV\tversion\t\tversion\t\n");
	told(cli);
}

/* ---- arguments ---- */

/* Digits, a decimal point among them, and k, M or G, into thousandths. */
static bool
read_thousandths(const char **text, uint64_t *out)
{
	uint64_t n = 0, scale = 1000;
	const char *p = *text;
	bool digits = false, point = false;

	for (; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		digits = true;
		if (point && scale == 1)
			return false;
		if (n > (UINT64_MAX / 1000000000 - 9) / 10)
			return false;
		n = n * 10 + (uint64_t)(*p - '0');
		if (point)
			scale /= 10;
	}
	*out = n * scale;
	*text = p;
	return digits;
}

static bool
read_number(const char *text, uint64_t *out)
{
	static const char units[] = "kMG";
	uint64_t n, factor = 1;
	const char *unit;

	if (!read_thousandths(&text, &n))
		return false;
	if (*text != '\0' && (unit = strchr(units, *text)) != NULL) {
		for (; unit >= units; unit--)
			factor *= 1000;
		text++;
	}
	if (*text != '\0' || n > UINT64_MAX / factor || n * factor % 1000 != 0)
		return false;
	*out = n * factor / 1000;
	return true;
}

/* A span of time, into milliseconds. */
static bool
read_span(const char *text, uint64_t *out)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	uint64_t n;
	size_t i;

	if (!read_thousandths(&text, &n) || text[0] == '\0' || text[1] != '\0')
		return false;
	for (i = 0; i < sizeof units / sizeof units[0]; i++)
		if (units[i].unit == text[0]) {
			*out = n * units[i].seconds;
			return n <= UINT64_MAX / 2 / units[i].seconds;
		}
	return false;
}

static bool
read_amount(const char *text, struct ctx_amount *out)
{
	size_t n = strlen(text);
	uint64_t share;

	out->set = true;
	out->percent = n > 0 && text[n - 1] == '%';
	if (!out->percent)
		return read_number(text, &out->n);
	if (!read_thousandths(&text, &share) || strcmp(text, "%") != 0 ||
	    share > 100000)
		return false;
	out->n = share;
	return true;
}

static bool
read_choice(const struct cli_option *option, const char *text, unsigned *out)
{
	unsigned i;

	for (i = 0; option->choice(i) != NULL; i++)
		if (strcmp(option->choice(i), text) == 0) {
			*out = i;
			return true;
		}
	return false;
}

static _Noreturn void
bad_argument(const struct cli *cli, const struct cli_option *option,
    const char *text)
{
	static const char *const wanted[] = {
	    [CLI_NUMBER] = "a number such as 20000, 20k or 1.5M",
	    [CLI_SPAN] = "a time such as 90s, 30m, 2h or 7d",
	    [CLI_AMOUNT] = "a number such as 20k, or a share such as 70%",
	};
	char names[400];
	size_t n = 0;
	unsigned i;

	if (option->choice == NULL)
		cli_die(cli, "--%s: '%s' is not %s", option->name, text,
		    wanted[option->type]);
	names[0] = '\0';
	for (i = 0; option->choice(i) != NULL && n < sizeof names; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
		    i > 0 ? ", " : "", option->choice(i));
	cli_die(cli, "--%s: '%s' is none of %s", option->name, text, names);
}

static void
store(struct cli *cli, const struct cli_option *option, const char *text)
{
	struct ctx_err err;
	unsigned choice;
	bool right = true;

	if (option->given != NULL)
		*option->given = true;
	switch (option->type) {
	case CLI_FLAG:
	case CLI_UNFLAG:
		*(bool *)option->to = option->type == CLI_FLAG;
		break;
	case CLI_STRING:
		*(const char **)option->to = text;
		break;
	case CLI_NUMBER:
		right = read_number(text, option->to);
		break;
	case CLI_SPAN:
		right = read_span(text, option->to);
		break;
	case CLI_AMOUNT:
		right = read_amount(text, option->to);
		break;
	case CLI_CHOICE:
		right = read_choice(option, text, option->to);
		break;
	case CLI_BITS:
		right = read_choice(option, text, &choice);
		if (right)
			*(unsigned *)option->to |= 1u << choice;
		break;
	case CLI_PATTERN:
		if (ctx_pattern_add(option->to, text, &err) < 0)
			cli_die(cli, "--%s: %s", option->name, err.text);
		break;
	case CLI_HEADING:
		break;
	}
	if (!right)
		bad_argument(cli, option, text);
}

/* ---- the command line ---- */

#define LONGEST 24 /* characters of an option that are compared */

/* Edits from one word to the other (Levenshtein); both at most LONGEST. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[LONGEST + 1], i, j, corner, above;
	size_t n = strlen(a), m = strlen(b);

	if (n > LONGEST || m > LONGEST)
		return SIZE_MAX;
	for (j = 0; j <= m; j++)
		row[j] = j;
	for (i = 1; i <= n; i++) {
		corner = row[0];
		row[0] = i;
		for (j = 1; j <= m; j++) {
			above = row[j];
			if (a[i - 1] != b[j - 1]) {
				if (above < corner)
					corner = above;
				if (row[j - 1] < corner)
					corner = row[j - 1];
				corner++;
			}
			row[j] = corner;
			corner = above;
		}
	}
	return row[m];
}

static _Noreturn void
unknown_option(const struct cli *cli, const char *name)
{
	const struct cli_option *option;
	const char *nearest = "help";
	size_t best = distance(name, nearest), d;

	for (option = cli->options; option->help != NULL; option++) {
		if (option->type == CLI_HEADING)
			continue;
		d = distance(name, option->name);
		if (d < best) {
			best = d;
			nearest = option->name;
		}
	}
	if (best <= 3 && best < strlen(name))
		cli_die(cli, "no option --%s; did you mean --%s?", name,
		    nearest);
	cli_die(cli, "no option --%s; see %s --help", name, cli->name);
}

static bool
takes_argument(const struct cli_option *option)
{
	return option->type != CLI_FLAG && option->type != CLI_UNFLAG;
}

static void
print_version(const struct cli *cli)
{
	printf("%s %s\nmodels of %s\n", cli->name, CTX_VERSION,
	    ctx_models_date());
	told(cli);
}

/* Those that every command has; they do not return. */
static void
tell_about(const struct cli *cli, const char *word, const char *value)
{
	static const struct {
		const char *name;
		void (*print)(const struct cli *cli);
	} about[] = {
	    {"help", print_help},
	    {"version", print_version},
	    {"list-options", print_options},
	};
	size_t i;

	for (i = 0; i < sizeof about / sizeof about[0]; i++) {
		if (strcmp(word, about[i].name) != 0)
			continue;
		if (value != NULL)
			cli_die(cli, "--%s takes no argument", word);
		about[i].print(cli);
	}
}

static void
long_option(struct cli *cli, char *word, char ***next)
{
	const struct cli_option *option;
	char *value = strchr(word, '=');

	if (value != NULL)
		*value++ = '\0';
	tell_about(cli, word, value);
	for (option = cli->options; option->help != NULL; option++)
		if (option->type != CLI_HEADING &&
		    strcmp(option->name, word) == 0)
			break;
	if (option->help == NULL)
		unknown_option(cli, word);
	if (!takes_argument(option)) {
		if (value != NULL)
			cli_die(cli, "--%s takes no argument", word);
	} else if (value == NULL) {
		value = **next;
		if (value == NULL)
			cli_die(cli, "--%s needs an argument, %s", word,
			    option->arg);
		++*next;
	}
	store(cli, option, value);
}

static void
short_options(struct cli *cli, char *word, char ***next)
{
	const struct cli_option *option;
	char h[] = "help", v[] = "version";

	for (; *word != '\0'; word++) {
		if (*word == 'h')
			long_option(cli, h, next);
		if (*word == 'V')
			long_option(cli, v, next);
		for (option = cli->options; option->help != NULL; option++)
			if (option->letter == *word)
				break;
		if (option->help == NULL)
			cli_die(cli, "no option -%c; see %s --help", *word,
			    cli->name);
		if (!takes_argument(option)) {
			store(cli, option, NULL);
			continue;
		}
		if (word[1] != '\0') {
			store(cli, option, word + 1);
			return;
		}
		if (**next == NULL)
			cli_die(cli, "-%c needs an argument, %s", *word,
			    option->arg);
		store(cli, option, *(*next)++);
		return;
	}
}

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
	/* Said, because musl writes the first line at once otherwise, and
	 * forgets the errno. */
	if (!isatty(STDOUT_FILENO))
		(void)setvbuf(stdout, NULL, _IOFBF, BUFSIZ);
}

const char *
cli_environment(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

void
cli_tunable(const struct cli *cli, const char *name, uint64_t *to)
{
	const char *value = cli_environment(name);

	if (value != NULL && !read_number(value, to))
		cli_die(cli, "%s in the environment: '%s' is not a number",
		    name, value);
}

bool
cli_tunable_share(const struct cli *cli, const char *name, uint64_t *to)
{
	const char *value = cli_environment(name), *rest = value;

	if (value == NULL)
		return false;
	if (!read_thousandths(&rest, to) || *rest != '\0' || *to > 1000)
		cli_die(cli, "%s in the environment: '%s' is not a share "
			     "between 0 and 1", name, value);
	*to *= 100;
	return true;
}

void
cli_parse(struct cli *cli, int argc, char **argv)
{
	char **next = argv + (argc > 0), **end = argv + argc, *word;
	struct ctx_hashkey random;
	bool only_files = false;

	open_standard();
	cli_no_core();
	/* In the sandbox jansson could not open what it would ask. */
	ctx_hashkey_init(&random);
	json_object_seed((size_t)random.k[0] | 1);
	cli->files = calloc((size_t)argc + 1, sizeof *cli->files);
	if (cli->files == NULL)
		cli_die(cli, "out of memory");
	while (next < end) {
		word = *next++;
		if (only_files || word[0] != '-' || word[1] == '\0')
			cli->files[cli->n_files++] = word;
		else if (strcmp(word, "--") == 0)
			only_files = true;
		else if (word[1] == '-')
			long_option(cli, word + 2, &next);
		else
			short_options(cli, word + 1, &next);
	}
	if (cli->dialect_name != NULL) {
		cli->dialect = ctx_dialect_find(cli->dialect_name);
		if (cli->dialect == NULL) {
			struct cli_option row = {.name = "dialect",
			    .choice = cli_dialect_name};

			bad_argument(cli, &row, cli->dialect_name);
		}
	}
}

/* ---- streams ---- */

void
cli_open(struct cli *cli, struct ctx_stream *stream, char **files,
    size_t n_files, struct ctx_writer *writer)
{
	struct ctx_err err;

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
	if (!cli->verbose)
		return;
	if (found->dialect == NULL)
		cli_say(cli, "no messages were found");
	else
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
 * names, else in one of the home directory.  Says whether there is one. */
static bool
own_file(char out[4096], const char *variable, const char *beside,
    const char *file)
{
	const char *home;
	int n = -1;

	if ((home = cli_environment(variable)) != NULL)
		n = snprintf(out, 4096, "%s/ctx%s", home, file);
	else if ((home = cli_environment("HOME")) != NULL)
		n = snprintf(out, 4096, "%s/%s/ctx%s", home, beside, file);
	return n > 0 && n < 4096;
}

/* A name that nothing has is a mistake, even where nothing is counted. */
static void
check_encoding(const struct cli *cli)
{
	unsigned i;

	for (i = 0; cli_encoding_name(i) != NULL; i++)
		if (strcmp(cli_encoding_name(i), cli->encoding) == 0)
			return;
	if (access(cli->encoding, F_OK) == 0)
		return;
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

int
cli_read_all(const char *file, struct ctx_buf *out, struct ctx_err *err)
{
	int fd = STDIN_FILENO, rc = -1;
	ssize_t n;

	if (strcmp(file, "-") != 0 &&
	    (fd = open(file, O_RDONLY | O_CLOEXEC)) < 0)
		return ctx_err_sys(err, errno, "cannot open %s", file);
	for (;;) {
		if (ctx_buf_reserve(out, 64u << 10, err) < 0)
			break;
		n = read_some(fd, out->p + out->n, out->cap - out->n);
		if (n == 0)
			rc = 0;
		else if (n > 0)
			out->n += (size_t)n;
		else
			ctx_err_sys(err, errno, "cannot read %s", file);
		if (n <= 0)
			break;
	}
	if (fd != STDIN_FILENO)
		close(fd);
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
