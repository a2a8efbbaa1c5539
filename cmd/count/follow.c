/* follow.c - waits until an input file changes; then the context bar is drawn
 * again (ctx-count --follow) */
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bar/bar.h"

/* Returns true if input file number i has changed since the last call for this
 * file.  Sets *away to true if the file does not exist now. */
static bool
has_changed(struct bar *bar, size_t i, const char *file, bool *away)
{
	struct stat *last = &bar->last[i], st;

	if (stat(file, &st) < 0) {
		*away = true;
		return false;
	}
	if (ctx_is_same_file(&st, last) && st.st_size == last->st_size &&
	    st.st_mtim.tv_sec == last->st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == last->st_mtim.tv_nsec)
		return false;
	*last = st;
	return true;
}

/* Erases the bars that were printed last, and everything below them on the
 * terminal, so that new bars can be printed in their place.  If standard output
 * is not a terminal, prints an empty line instead. */
static void
erase_pictures(struct bar *bar)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		(void)putchar('\n');
	else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    bar->lines >= size.ws_row)
		printf("\033[H\033[J");
	else if (bar->lines > 0)
		printf("\033[%uA\033[J", bar->lines);
	bar->lines = 0;
}

void
bar_wait(struct bar *bar, const struct cli *cli)
{
	bool first = bar->last == NULL, changed = first, away;
	size_t i;

	if (!bar->follow)
		return;
	if (first)
		bar->last = cli_allocate(cli, cli->n_files, sizeof *bar->last);
	/* Writes out the bars before the program waits for a change.  If
	 * standard output is a pipe whose reader has closed it, this write
	 * fails, and the command ends. */
	(void)fflush(stdout);
	cli_check_stdout(cli);
	for (;;) {
		away = false;
		for (i = 0; i < cli->n_files; i++)
			changed |= has_changed(bar, i, cli->files[i], &away);
		/* If an input file is missing, another program is probably
		 * replacing it.  So the loop continues until the file exists
		 * again. */
		if (changed && (first || !away))
			break;
		ctx_pause(200000);
	}
	if (!first)
		erase_pictures(bar);
}
