/* text_width.c - finds the width of the terminal and of texts, and shortens
 * and wraps texts to a number of columns */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

/* Widths of a terminal in columns.  LEAST: minimum; USUAL: assumed if the width
 * is not known. */
enum { LEAST = 24, USUAL = 80 };

unsigned
cli_columns(void)
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
	return n > CLI_COLUMNS_MOST ? CLI_COLUMNS_MOST : (unsigned)n;
}

/* Returns an estimate of the width of a character in terminal columns.  The
 * estimate is good enough for names, which are mostly ASCII. */
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
cli_text_width(struct ctx_str name)
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
cli_text_head(struct ctx_str name, size_t width)
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

/* Returns the longest end of a name that has a width of at most width terminal
 * columns. */
static struct ctx_str
tail_of(struct ctx_str name, size_t width)
{
	size_t used = cli_text_width(name), at = 0;
	uint32_t cp;

	for (; used > width; used -= width_of(cp))
		at += ctx_utf8_next(name.p + at, name.n - at, &cp);
	return (struct ctx_str){name.p + at, name.n - at};
}

int
cli_place(struct ctx_buf *out, const char *file, uint64_t line, size_t width,
    struct ctx_err *err)
{
	struct ctx_str name = {file, strlen(file)};
	char number[24] = "";

	if (line > 0)
		(void)snprintf(number, sizeof number, ":%" PRIu64, line);
	width = width > strlen(number) ? width - strlen(number) : 0;
	if (cli_text_width(name) > width) {
		name = tail_of(name, width > 3 ? width - 3 : 0);
		if (ctx_buf_add(out, "...", 3, err) < 0)
			return -1;
	}
	if (ctx_buf_add(out, name.p, name.n, err) < 0)
		return -1;
	return ctx_buf_add(out, number, strlen(number), err);
}

void
cli_print_short_place(const struct cli *cli, const char *file, uint64_t line,
    size_t width)
{
	struct ctx_buf place = {0};
	struct ctx_err err;

	if (cli_place(&place, file, line, width, &err) < 0)
		cli_fail(cli, &err);
	cli_print_masked(stdout, place.p, place.n);
	ctx_buf_release(&place);
}

const char *
cli_group_digits(char cell[24], const char *sign, uint64_t number)
{
	char digits[24];
	size_t n = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number);
	size_t i, at = strlen(sign);

	memcpy(cell, sign, at);
	for (i = 0; i < n && at + 2 < 24; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			cell[at++] = ',';
		cell[at++] = digits[i];
	}
	cell[at] = '\0';
	return cell;
}

void
cli_print_wrapped(const char *text, size_t at, size_t indent, size_t width)
{
	size_t n, blanks = indent - at;

	for (width -= indent; strlen(text) > width;
	     text += n + (text[n] == ' ')) {
		for (n = width; n > 0 && text[n] != ' '; n--)
			continue;
		n = n > 0 ? n : width;
		printf("%*s%.*s\n", (int)blanks, "", (int)n, text);
		blanks = indent;
	}
	printf("%*s%s\n", (int)blanks, "", text);
}
