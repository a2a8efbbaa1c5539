/* bar_text.c - prints the bar that shows the tokens of a context window on a
 * terminal */
#include <string.h>
#include <unistd.h>

#include "bar/layout.h"

/* minimum width, in terminal columns, of the file name and line number of a
 * message */
enum { PLACE = 14 };
/* Widths in terminal columns.  ENTRY: minimum of an entry of the bar's legend;
 * FIGURES: all of an entry but its name. */
enum { ENTRY = 34, FIGURES = 18 };

static bool
has_color(const struct bar *bar)
{
	const char *term = cli_environment("TERM");

	if (bar->color != CLI_AUTO)
		return bar->color == CLI_ALWAYS;
	return cli_environment("NO_COLOR") == NULL && term != NULL &&
	    strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

/* Switches the terminal to a text attribute such as bold, if the bar has
 * colours. */
static void
print_mode(const struct picture *picture, const char *mode)
{
	if (picture->color)
		printf("\033[%sm", mode);
}

/* Switches the terminal to a background colour, with black text, if the bar has
 * colours.  If seen is false, the text gets the background colour, so that it
 * is invisible. */
static void
print_shade(const struct picture *picture, unsigned shade, bool seen)
{
	if (picture->color && seen)
		printf("\033[30;48;5;%um", shade);
	else if (picture->color)
		printf("\033[38;5;%u;48;5;%um", shade, shade);
}

/* Prints one part of the bar: the letter of the part, once in each terminal
 * column.  In a coloured bar only the letter in the middle can be seen.  The
 * invisible letters are for users who copy the bar as text. */
static void
print_segment(const struct picture *picture, const struct bar_part *part)
{
	size_t middle = (part->cells - 1) / 2, i;

	for (i = 0; i < part->cells; i++) {
		if (i == 0 || i == middle || i == middle + 1)
			print_shade(picture, picture_color(part)->shade,
			    i == middle);
		(void)putchar(part->key);
	}
	print_mode(picture, "0");
}

static void
print_cells(struct picture *picture, size_t cells)
{
	size_t used = picture_divide_width(picture, cells), i;

	(void)putchar('[');
	for (i = 0; i < picture->n; i++)
		if (picture->parts[i].cells > 0)
			print_segment(picture, &picture->parts[i]);
	if (used < cells)
		print_mode(picture, "2");
	for (i = used; i < cells; i++)
		(void)putchar('.');
	if (used < cells)
		print_mode(picture, "0");
	puts("]");
}

/* Prints the scale below the bar.  The scale marks 100 % of the context window,
 * and the percentages at which a named range such as "NEARLY FULL" begins.  If
 * two marks would overlap, prints only the more important mark.  Prints no
 * scale if the context window is not known. */
static void
print_scale(const struct picture *picture, size_t cells)
{
	static const unsigned marks[] = {100, 50, 85, 70};
	char line[CLI_COLUMNS_MOST + 8] = "", mark[8];
	size_t i, at, n, end = 0;

	if (picture->window == 0)
		return;
	memset(line, ' ', sizeof line - 1);
	for (i = 0; i < CTX_LENGTH(marks); i++) {
		at = 1 +
		    (size_t)((double)cells * marks[i] / 100 *
			(double)picture->window / (double)picture->scale);
		(void)snprintf(mark, sizeof mark, "|%u%%", marks[i]);
		n = strlen(mark);
		if (at + n > cells + 2 || strspn(line + at - 1, " ") < n + 2)
			continue;
		memcpy(line + at, mark, n);
		end = at + n > end ? at + n : end;
	}
	printf("%.*s\n", (int)end, line);
}

static void
print_entry(const struct picture *picture, size_t i, size_t width)
{
	const struct bar_part *part = &picture->parts[i];
	struct ctx_str name = cli_text_head(part->name, width);
	double share = picture_get_share(picture, part->tokens);
	char number[16];

	if (part->cells > 0)
		print_shade(picture, picture_color(part)->shade, true);
	(void)putchar(part->key);
	if (part->cells > 0)
		print_mode(picture, "0");
	(void)putchar(' ');
	cli_print_masked(stdout, name.p, name.n);
	printf("%*s %6s %5.*f%%", (int)(width - cli_text_width(name)), "",
	    cli_short_number(number, part->tokens), share < 999.95 ? 1 : 0,
	    share);
}

/* Prints the legend of the bar in columns, which are filled one after another
 * from top to bottom.  Returns the number of lines printed. */
static unsigned
print_legend(const struct picture *picture, size_t width)
{
	size_t across = width / ENTRY > 0 ? width / ENTRY : 1, rows, r, c, i;
	size_t name;

	if (across > picture->n)
		across = picture->n > 0 ? picture->n : 1;
	rows = (picture->n + across - 1) / across;
	name = (width + 2) / across - FIGURES;
	for (r = 0; r < rows; r++) {
		for (c = 0; c < across && (i = c * rows + r) < picture->n;
		     c++) {
			if (c > 0)
				printf("  ");
			print_entry(picture, i, name < 32 ? name : 32);
		}
		(void)putchar('\n');
	}
	return (unsigned)rows;
}

/* Prints the line above the bar: the number of tokens, the percentage of the
 * context window, and a name for how full the window is, such as "NEARLY FULL".
 * Each name has its own colour. */
static void
print_figures(const struct picture *picture, size_t width)
{
	const char *word = picture->zone->word, *at;
	char figures[200];

	bar_write_figures(figures, picture, width);
	at = picture->color && *word != '\0' ? strstr(figures, word) : NULL;
	if (at == NULL) {
		puts(figures);
		return;
	}
	printf("%.*s", (int)(at - figures), figures);
	print_shade(picture, picture->zone->shade, true);
	printf("%s", word);
	print_mode(picture, "0");
	puts(at + strlen(word));
}

void
bar_print(struct bar *bar, struct picture *picture)
{
	size_t width = cli_columns();

	picture->color = has_color(bar);
	print_mode(picture, "1");
	cli_print_short_place(bar->cli, picture->t->file, picture->t->line,
	    width);
	print_mode(picture, "0");
	(void)putchar('\n');
	print_figures(picture, width);
	print_cells(picture, width - 2);
	print_scale(picture, width - 2);
	bar->lines +=
	    (picture->window > 0 ? 4 : 3) + print_legend(picture, width);
}

/* Prints a line about a message: its tokens, their percentage of the context
 * window, file and line, role and tool; for example "6.5k 5.1%
 * sample/agent.jsonl:262 tool run". width: maximum width in terminal
 * columns. */
static void
print_item(const struct cli *cli, const struct ctx_token_stats *t,
    uint64_t window, size_t width)
{
	const char *role = ctx_role_name(t->role);
	struct ctx_str tool = t->tool;
	size_t left, suffix = strlen(role) + 1;
	char number[16];
	int used;

	used = printf("%6s", cli_short_number(number, t->tokens));
	if (window > 0)
		used += printf(" %5.1f%%",
		    100.0 * (double)t->tokens / (double)window);
	used += printf("  ");
	left = width - (size_t)used;
	/* In a line about a message that is wider than the terminal, first the
	 * place is shortened to PLACE columns, then the role is left out, then
	 * the name of the tool is shortened. */
	if (left < PLACE + suffix + (tool.n > 0 ? cli_text_width(tool) + 1 : 0))
		suffix = 0;
	left -= suffix;
	tool = cli_text_head(tool, left > PLACE + 1 ? left - PLACE - 1 : 0);
	cli_print_short_place(cli, t->file, t->line,
	    tool.n > 0 ? left - cli_text_width(tool) - 1 : left);
	if (suffix > 0)
		printf(" %s", role);
	if (tool.n > 0)
		(void)putchar(' ');
	cli_print_masked(stdout, tool.p, tool.n);
	(void)putchar('\n');
}

void
bar_item(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    bool first)
{
	if (first)
		(void)putchar('\n');
	bar->lines += 1 + first;
	print_item(bar->cli, t, window, cli_columns());
}
