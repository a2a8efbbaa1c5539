/*
 * progress.c - shows how much of the input was read, as one line on standard
 * error
 *
 * Without --progress the line is drawn only if a person waits at a terminal on
 * which nothing else is drawn.  So the line is drawn if all input files are
 * regular files, the output is written to a file or at the end, and a second
 * has passed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

/* Times in milliseconds.  WAIT: until progress is drawn for the first time.
 * PAUSE: until progress is drawn again on a terminal.  PAUSE_LINES: until the
 * next line if standard error is not a terminal. */
enum { WAIT = 1000, PAUSE = 100, PAUSE_LINES = 1000 };
/* Widths in terminal columns.  BAR_MOST, BAR_LEAST: maximum and minimum width
 * of the progress bar between its brackets.  LINE_MOST: maximum width of the
 * whole line. */
enum { BAR_MOST = 30, BAR_LEAST = 8, LINE_MOST = 220 };

struct cli_progress {
	const char *name; /* name of the command */
	/* True if each report of progress is a new line, because standard error
	 * is not a terminal. */
	bool lines;
	bool drawn; /* true while the progress line is on the terminal */
	bool shown; /* true if the progress line was drawn at least once */
	/* all: number of bytes in all input files, 0 if not known; done: number
	 * of bytes that were read so far. */
	uint64_t all, done;
	/* Times of the monotonic clock in milliseconds. began: when reading
	 * began; next: when progress is drawn next. */
	uint64_t began, next;
};

int64_t
cli_read_clock(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) < 0)
		return 0;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t
get_monotonic_ms(void)
{
	return (uint64_t)cli_read_clock() / 1000000;
}

const char *
cli_short_bytes(char out[24], double n)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	size_t unit = 0;

	for (; n >= 999.5 && unit < 4; unit++)
		n /= 1000;
	(void)snprintf(out, 24, "%.*f %s", unit > 0 && n < 99.95 ? 1 : 0, n,
	    units[unit]);
	return out;
}

/* Writes a time in seconds to the buffer out, such as "0:07" or "1:02:03". */
static void
print_span(char out[24], double seconds)
{
	uint64_t s = seconds < 360000 ? (uint64_t)(seconds + 0.5) : 360000;

	if (s >= 3600)
		(void)snprintf(out, 24, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
		    s / 3600, s / 60 % 60, s % 60);
	else
		(void)snprintf(out, 24, "%" PRIu64 ":%02" PRIu64, s / 60,
		    s % 60);
}

static size_t
get_terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return 80;
	return size.ws_col < LINE_MOST ? size.ws_col : LINE_MOST;
}

/* Writes to the buffer out how much of the input was read, such as "12.1 MB of
 * 27 MB, 5.2 MB/s, 0:03 left". time: the present time in milliseconds. */
static void
print_state(const struct cli_progress *p, uint64_t time, char out[120])
{
	double seconds = (double)(time - p->began) / 1000;
	double rate = (double)p->done / seconds;
	char done[24], all[24], span[24];
	size_t n;

	(void)cli_short_bytes(done, (double)p->done);
	(void)cli_short_bytes(all, (double)p->all);
	n = (size_t)snprintf(out, 120, "%s%s%s", done, p->all > 0 ? " of " : "",
	    p->all > 0 ? all : "");
	/* In the first tenth of a second the rate in bytes per second is too
	 * inexact, so it is not shown. */
	if (seconds < 0.1)
		return;
	(void)cli_short_bytes(done, rate);
	n += (size_t)snprintf(out + n, 120 - n, ", %s/s", done);
	if (p->all <= p->done)
		return;
	print_span(span, (double)(p->all - p->done) / rate);
	(void)snprintf(out + n, 120 - n, ", %s left", span);
}

/* Writes a progress bar such as "[=======> ] " to the buffer out; nothing if
 * the size of the input is not known or the bar would be too short. room:
 * maximum width in terminal columns of the part between the brackets. */
static void
print_bar(const struct cli_progress *p, size_t room, char out[BAR_MOST + 4])
{
	size_t cells = room < BAR_MOST ? room : BAR_MOST, full;

	out[0] = '\0';
	if (p->all == 0 || room < BAR_LEAST)
		return;
	full = (size_t)((double)cells * (double)p->done / (double)p->all);
	out[0] = '[';
	memset(out + 1, '=', full);
	memset(out + 1 + full, ' ', cells - full);
	if (full < cells)
		out[1 + full] = '>';
	memcpy(out + 1 + cells, "] ", 3);
}

static void
draw(struct cli_progress *p, uint64_t time)
{
	char state[120], head[64], bar[BAR_MOST + 4], line[LINE_MOST + 64];
	size_t width = p->lines ? 80 : get_terminal_columns(), used;

	if (p->all > 0)
		(void)snprintf(head, sizeof head, "%s: %3.0f%% ", p->name,
		    100.0 * (double)p->done / (double)p->all);
	else
		(void)snprintf(head, sizeof head, "%s: ", p->name);
	print_state(p, time, state);
	/* Nothing is printed in the last column of the terminal, because some
	 * terminals begin a new line after it. */
	used = strlen(head) + strlen(state) + 4;
	print_bar(p, !p->lines && width > used ? width - used : 0, bar);
	(void)snprintf(line, width > 1 ? width : 2, "%s%s%s", head, bar, state);
	(void)fprintf(stderr, p->lines ? "%s\n" : "\r%s\033[K", line);
	(void)fflush(stderr);
	p->drawn = p->shown = !p->lines;
}

/* Adds to the number of bytes that were read, and draws the progress line again
 * if enough time has passed.  Called each time the command has read bytes of
 * its input. */
static void
advance(void *user, size_t bytes)
{
	struct cli_progress *p = user;
	uint64_t time = get_monotonic_ms();

	p->done += bytes;
	/* If a file has grown since the beginning, the total that is shown is
	 * increased. */
	if (p->all > 0 && p->all < p->done)
		p->all = p->done;
	/* If progress was drawn before, its last state (all bytes were read) is
	 * always drawn, too. */
	if (time < p->next && !(p->shown && p->done == p->all))
		return;
	p->next = time + (p->lines ? PAUSE_LINES : PAUSE);
	draw(p, time);
}

/* Adds the sizes of all input files in bytes to *sum, counted from their
 * current positions.  If n is 0, the only input file is standard input.
 * Returns false if a size is not known. */
static bool
add_sizes(char *const *files, size_t n, uint64_t *sum)
{
	struct stat st;
	off_t at;
	size_t i;

	for (i = 0; i < n || (n == 0 && i == 0); i++) {
		at = 0;
		if (n > 0 && strcmp(files[i], "-") != 0) {
			if (stat(files[i], &st) < 0)
				return false;
		} else if (fstat(STDIN_FILENO, &st) < 0 ||
		    (at = lseek(STDIN_FILENO, 0, SEEK_CUR)) < 0) {
			return false;
		}
		if (!S_ISREG(st.st_mode))
			return false;
		*sum += st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
	}
	return true;
}

/* Returns true if progress should be shown although --progress is not given: if
 * a person waits at a terminal on which nothing else is drawn. streams: true if
 * the output is written while the input is read. */
static bool
is_wanted(bool streams)
{
	const char *term = cli_environment("TERM");
	struct stat out;

	if (!isatty(STDERR_FILENO) || term == NULL ||
	    strcmp(term, "dumb") == 0 || fstat(STDOUT_FILENO, &out) < 0)
		return false;
	/* If standard output is a pipe, the command that reads the pipe may
	 * draw on the terminal. */
	if (S_ISFIFO(out.st_mode) || S_ISSOCK(out.st_mode))
		return false;
	return !streams || !isatty(STDOUT_FILENO);
}

/* Decides whether and how progress is shown.  Progress is that of all input
 * files of the command together. */
static void
begin(struct cli *cli, bool streams)
{
	struct cli_progress *p;
	uint64_t all = 0;
	bool known = add_sizes(cli->files, cli->n_files, &all);

	if (cli->still ||
	    (!cli->progress_asked && (!known || !is_wanted(streams))))
		return;
	p = cli_allocate(cli, 1, sizeof *p);
	p->name = cli->name;
	p->lines = !isatty(STDERR_FILENO);
	p->all = known ? all : 0;
	p->began = get_monotonic_ms();
	p->next = cli->progress_asked ? 0 : p->began + WAIT;
	cli->progress = p;
	cli->drawn = &p->drawn;
}

void
cli_progress_open(struct cli *cli, struct ctx_reader *reader,
    char *const *files, size_t n, bool streams)
{
	uint64_t more = 0;

	if (!cli->opened)
		begin(cli, streams);
	cli->opened = true;
	if (cli->progress == NULL)
		return;
	/* If an option such as --diff names the files, they are not input files
	 * of the command.  Their size is then added to the number of bytes to
	 * be read. */
	if ((files < cli->files || files >= cli->files + cli->n_files) &&
	    n > 0 && cli->progress->all > 0) {
		if (add_sizes(files, n, &more))
			cli->progress->all += more;
	}
	ctx_reader_set_progress(reader, advance, cli->progress);
}

void
cli_progress_begin(struct cli *cli)
{
	begin(cli, false);
	cli->opened = true;
}

void
cli_progress_add(struct cli *cli, size_t bytes)
{
	if (cli->progress != NULL)
		advance(cli->progress, bytes);
}

void
cli_progress_close(struct cli *cli)
{
	cli_progress_clear(cli);
	if (cli->progress != NULL && cli->progress->lines)
		draw(cli->progress, get_monotonic_ms());
	free(cli->progress);
	cli->progress = NULL;
	cli->drawn = NULL;
}
