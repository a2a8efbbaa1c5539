/* text_width.c - shortens texts so that they fit into a number of terminal
 * columns */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bar/layout.h"

/* minimum and usual width of a terminal, in columns */
enum { LEAST = 24, USUAL = 80 };

unsigned
words_columns(void)
{
	const char *asked = cli_environment("COLUMNS");
	unsigned long n = asked != NULL ? strtoul(asked, NULL, 10) : 0;
	struct winsize size;

	if (n == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		n = size.ws_col;
	if (n == 0)
		n = USUAL;
	if (n < LEAST)
		return LEAST;
	return n > WORDS_MOST ? WORDS_MOST : (unsigned)n;
}

/* Returns the width of a character in terminal columns.  The result is an
 * estimate, good enough for names, which are mostly ASCII. */
static unsigned
width_of(uint32_t cp)
{
	return (cp >= 0x1100 && cp < 0x1160) || (cp >= 0x2e80 && cp < 0xd7a4) ||
		(cp >= 0xf900 && cp < 0xfb00) ||
		(cp >= 0xff01 && cp < 0xff61) || (cp >= 0x1f300 && cp < 0x40000)
	    ? 2
	    : 1;
}

size_t
words_width(struct ctx_str name)
{
	size_t at = 0, width = 0;
	uint32_t cp;

	while (at < name.n) {
		at += ctx_utf8_next(name.p + at, name.n - at, &cp);
		width += width_of(cp);
	}
	return width;
}

struct ctx_str
words_head(struct ctx_str name, size_t width)
{
	size_t at = 0, len;
	uint32_t cp;

	for (; at < name.n; at += len) {
		len = ctx_utf8_next(name.p + at, name.n - at, &cp);
		if (width_of(cp) > width)
			break;
		width -= width_of(cp);
	}
	return (struct ctx_str){name.p, at};
}

/* Returns the longest end of a name that is at most width terminal columns
 * wide. */
static struct ctx_str
tail_of(struct ctx_str name, size_t width)
{
	size_t used = words_width(name), at = 0;
	uint32_t cp;

	for (; used > width; used -= width_of(cp))
		at += ctx_utf8_next(name.p + at, name.n - at, &cp);
	return (struct ctx_str){name.p + at, name.n - at};
}

int
words_place(struct ctx_buf *out, const struct ctx_token_stats *t, size_t width,
    struct ctx_err *err)
{
	struct ctx_str name = {t->file, strlen(t->file)};
	char line[24] = "";

	if (t->line > 0)
		(void)snprintf(line, sizeof line, ":%" PRIu64, t->line);
	width = width > strlen(line) ? width - strlen(line) : 0;
	if (words_width(name) > width) {
		name = tail_of(name, width > 3 ? width - 3 : 0);
		if (ctx_buf_add(out, "...", 3, err) < 0)
			return -1;
	}
	if (ctx_buf_add(out, name.p, name.n, err) < 0)
		return -1;
	return ctx_buf_add(out, line, strlen(line), err);
}

/* Writes the tokens of a conversation to all, such as "~4.2k": those that ctx
 * counts or, if picture->billed is true, what was
 * billed and what ctx counts after it: "19k billed + ~120 after". */
static void
write_tokens(char all[64], const struct picture *picture, bool is_split)
{
	const struct ctx_token_stats *t = picture->t;
	const char *rough = t->estimated > 0 ? "~" : "";
	char billed[16], number[16];

	if (is_split && picture->billed)
		(void)snprintf(all, 64, "%s billed + %s%s after",
		    cli_short_number(billed, t->last.billed), rough,
		    cli_short_number(number, ctx_tokens_after_request(t)));
	else
		(void)snprintf(all, 64, "%s%s", rough,
		    cli_short_number(number, picture->tokens));
}

/* Follows the figures of a conversation if picture->compacted is true. */
#define COMPACTED "; not billed since compaction"

void
words_figures(char out[200], const struct picture *picture, size_t width)
{
	const struct ctx_token_stats *t = picture->t;
	const char *model = t->model != NULL ? t->model->name : "";
	char all[64], share[32], window[16];

	write_tokens(all, picture, true);
	if (picture->window == 0) {
		(void)snprintf(out, 200, "%s tokens", all);
		return;
	}
	cli_short_number(window, picture->window);
	(void)snprintf(share, sizeof share, "%.1f%% %s",
	    100.0 * (double)picture->tokens / (double)picture->window,
	    picture->zone->word);
	(void)snprintf(out, 200, "%s of %s tokens, %s%s%.60s%s", all, window,
	    share, model[0] != '\0' ? " (" : "", model,
	    model[0] != '\0' ? ")" : "");
	if (strlen(out) > width)
		(void)snprintf(out, 200, "%s of %s tokens, %s", all, window,
		    share);
	if (strlen(out) > width) {
		write_tokens(all, picture, false);
		(void)snprintf(out, 200, "%s of %s tokens, %s", all, window,
		    share);
	}
	if (strlen(out) > width)
		(void)snprintf(out, 200, "%s tokens, %s", all, share);
	if (strlen(out) > width)
		(void)snprintf(out, 200, "%s", share);
	if (picture->compacted && strlen(out) + strlen(COMPACTED) <= width)
		(void)snprintf(out + strlen(out), 200 - strlen(out), "%s",
		    COMPACTED);
}
