/*
 * bar.c - the context bar: how full a context is, and with what
 *
 * A line for the figures, the bar, its scale, and a legend.  A segment is
 * drawn with its letter, so that it reads the same without colour; the colour
 * is that of the zone which the whole has reached.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bar.h"

enum { BAR_LEAST = 24, BAR_MOST = 400, BAR_USUAL = 80 }; /* columns */
enum { ENTRY = 37, FIGURES = 21 }; /* of the legend, and without names */
enum { SHOWN = 12 };            /* entries, the last may be the rest */

/* What a part is, in the order of the bar, and its letter; tools, that is
 * their results, have figures. */
enum rank { DEFINITIONS, SYSTEM, USER, ASSISTANT, OTHER, TOOL, REST };
static const char keys[] = {'D', 'S', 'U', 'A', '?', '1', '+'};

/* All that a role said, or a tool brought. */
struct bar_part {
	struct ctx_str name;
	enum rank rank;
	uint64_t tokens;
	char key;
	size_t cells;
	unsigned shade;
};

/* The words for how full a window is; to: percent, itself included. */
static const struct zone {
	unsigned to;
	const char *word;
	/* Neighbours take turns: colours of 256, and the same in a file. */
	const char *shade[2], *fill[2];
} zones[] = {
    {50, "PEAK", {"48;5;77", "48;5;114"}, {"#4caf50", "#81c784"}},
    {70, "GOOD", {"48;5;220", "48;5;228"}, {"#fdd835", "#fff176"}},
    {85, "DEGRADING", {"48;5;208", "48;5;215"}, {"#fb8c00", "#ffb74d"}},
    {0, "POOR", {"48;5;196", "48;5;210"}, {"#e53935", "#e57373"}},
};

/* Where no window is known. */
static const struct zone no_zone = {0, "", {"48;5;110", "48;5;153"},
    {"#7aa6c2", "#a9c9dd"}};

/* One picture. */
struct picture {
	const struct ctx_tally *t;
	uint64_t window;
	const struct zone *zone;
	uint64_t scale;  /* tokens that the whole bar stands for */
	struct bar_part parts[SHOWN];
	size_t n;
	bool color;
};

const char *
bar_color_name(unsigned i)
{
	static const char *const names[] = {"auto", "always", "never"};

	return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

void
bar_check(struct bar *bar, struct cli *cli, bool other)
{
	size_t i;

	if ((bar->shown || bar->follow) && other)
		cli_die(cli, "--bar and --follow do not go with --json, "
			     "--tsv, --per, --text and --calibrate");
	for (i = 0; bar->follow && i < cli->n_files; i++)
		if (strcmp(cli->files[i], "-") == 0)
			break;
	if (bar->follow && (cli->n_files == 0 || i < cli->n_files))
		cli_die(cli, "--follow needs files, not standard input");
	bar->shown |= bar->follow;
	/* The last line of a file that grows may not be whole yet. */
	cli->lenient |= bar->follow;
}

bool
bar_is_on(const struct bar *bar)
{
	return bar->shown || bar->follow || bar->svg != NULL;
}

/* ---- adding up ---- */

/* Adds to the part of a name; roles and tools may have the same one. */
static int
add(struct bar *bar, enum rank rank, struct ctx_str name, uint64_t tokens,
    struct ctx_err *err)
{
	struct ctx_buf full = {0};
	struct bar_part *parts;
	uint32_t id;
	int rc;

	if (tokens == 0)
		return 0;
	rc = ctx_buf_printf(&full, err, "%u ", (unsigned)rank);
	if (rc == 0)
		rc = ctx_buf_add(&full, name.p, name.n, err);
	if (rc == 0)
		rc = ctx_names_id(&bar->names, full.p, full.n, &id, err);
	ctx_buf_release(&full);
	if (rc < 0)
		return -1;
	parts = ctx_grow(bar->parts, &bar->cap, id, sizeof *parts, err);
	if (parts == NULL)
		return -1;
	bar->parts = parts;
	if (id > bar->n) {
		memset(&parts[id - 1], 0, sizeof *parts);
		parts[id - 1].rank = rank;
		parts[id - 1].name = ctx_names_at(&bar->names, id);
		parts[id - 1].name.p += 2;
		parts[id - 1].name.n -= 2;
		bar->n = id;
	}
	parts[id - 1].tokens += tokens;
	return 0;
}

int
bar_add(struct bar *bar, const struct ctx_tally *t, struct ctx_err *err)
{
	static const enum rank ranks[] = {
	    [CTX_ROLE_OTHER] = OTHER,
	    [CTX_ROLE_SYSTEM] = SYSTEM,
	    [CTX_ROLE_USER] = USER,
	    [CTX_ROLE_ASSISTANT] = ASSISTANT,
	    [CTX_ROLE_TOOL] = TOOL,
	};
	const char *name = ctx_role_name(t->role);
	/* In many formats results are only a part of a message. */
	uint64_t results = t->kinds[CTX_PART_RESULT];

	if (t->role == CTX_ROLE_TOOL)
		results = t->tokens;
	if (t->tool.n == 0)
		results = 0;
	if (add(bar, TOOL, t->tool, results, err) < 0)
		return -1;
	return add(bar, ranks[t->role], (struct ctx_str){name, strlen(name)},
	    t->tokens - results, err);
}

/* ---- parts to cells ---- */

static int
by_rank(const void *a, const void *b)
{
	const struct bar_part *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->tokens < y->tokens) - (x->tokens > y->tokens);
}

/* Takes the parts, of many only the larger ones and the rest as one. */
static void
take_parts(struct picture *picture, struct bar *bar)
{
	struct bar_part *rest = &picture->parts[SHOWN - 1], *part;
	char tool = keys[TOOL];
	size_t i;

	if (bar->n > 0)
		qsort(bar->parts, bar->n, sizeof *bar->parts, by_rank);
	for (i = 0; i < bar->n; i++) {
		if (i < SHOWN - 1 || bar->n == SHOWN) {
			picture->parts[picture->n++] = bar->parts[i];
			continue;
		}
		picture->n = SHOWN;
		rest->name = (struct ctx_str){"others", 6};
		rest->rank = REST;
		rest->tokens += bar->parts[i].tokens;
	}
	for (i = 0; i < picture->n; i++) {
		part = &picture->parts[i];
		part->key = part->rank == TOOL ? tool : keys[part->rank];
		if (part->rank == TOOL)
			tool = tool == '9' ? 'a' : (char)(tool + 1);
	}
}

/* Gives each part its share of cells; together they are as many as the whole
 * comes to, rounded. */
static size_t
share_cells(struct picture *picture, size_t cells)
{
	double each = (double)cells / (double)picture->scale, sum = 0;
	size_t i, from = 0, to;
	unsigned shade = 0;

	for (i = 0; i < picture->n; i++) {
		sum += (double)picture->parts[i].tokens * each;
		to = (size_t)(sum + 0.5);
		to = to > cells ? cells : to;
		picture->parts[i].cells = to - from;
		picture->parts[i].shade = to > from ? shade++ % 2 : 0;
		from = to;
	}
	return from;
}

/* Of the window, or where that is not known of the whole, in percent. */
static double
share_of(const struct picture *picture, const struct bar_part *part)
{
	uint64_t of = picture->window > 0 ? picture->window
					  : picture->t->tokens;

	return 100.0 * (double)part->tokens / (double)of;
}

static const struct zone *
zone_of(uint64_t tokens, uint64_t window)
{
	const struct zone *zone = zones;

	/* 50 % itself is above its zone, 70 % and 85 % are within theirs. */
	if (window == 0)
		return &no_zone;
	if ((double)tokens * 100 < 50 * (double)window)
		return zone;
	for (zone++; zone->to != 0; zone++)
		if ((double)tokens * 100 <= zone->to * (double)window)
			break;
	return zone;
}

/* ---- on a terminal ---- */

static unsigned
columns(void)
{
	const char *asked = cli_environment("COLUMNS");
	unsigned long n = asked != NULL ? strtoul(asked, NULL, 10) : 0;
	struct winsize size;

	if (n == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		n = size.ws_col;
	if (n == 0)
		n = BAR_USUAL;
	if (n < BAR_LEAST)
		return BAR_LEAST;
	return n > BAR_MOST ? BAR_MOST : (unsigned)n;
}

static bool
has_color(const struct bar *bar)
{
	const char *term = cli_environment("TERM");

	if (bar->color != 0)
		return bar->color == 1;
	return cli_environment("NO_COLOR") == NULL && term != NULL &&
	    strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

static void
print_color(const struct picture *picture, const char *what)
{
	if (picture->color)
		printf("\033[%sm", what);
}

/* Columns of a character: an estimate for names, which are mostly ASCII. */
static unsigned
width_of(uint32_t cp)
{
	return (cp >= 0x1100 && cp < 0x1160) ||
		(cp >= 0x2e80 && cp < 0xd7a4) ||
		(cp >= 0xf900 && cp < 0xfb00) ||
		(cp >= 0xff01 && cp < 0xff61) ||
		(cp >= 0x1f300 && cp < 0x40000)
	    ? 2
	    : 1;
}

static size_t
width_of_name(struct ctx_str name)
{
	size_t at = 0, width = 0;
	uint32_t cp;

	while (at < name.n) {
		at += ctx_utf8_next(name.p + at, name.n - at, &cp);
		width += width_of(cp);
	}
	return width;
}

/* As much of the beginning of a name as so many columns hold. */
static struct ctx_str
head_of(struct ctx_str name, size_t width)
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

/* The same of its end. */
static struct ctx_str
tail_of(struct ctx_str name, size_t width)
{
	size_t used = width_of_name(name), at = 0;
	uint32_t cp;

	for (; used > width; used -= width_of(cp))
		at += ctx_utf8_next(name.p + at, name.n - at, &cp);
	return (struct ctx_str){name.p + at, name.n - at};
}

/* The place of a conversation in at most so many columns; the end of a path
 * tells more than its beginning. */
static int
make_place(struct ctx_buf *out, const struct ctx_tally *t, size_t width,
    struct ctx_err *err)
{
	struct ctx_str name = {t->file, strlen(t->file)};
	char line[24] = "";

	if (t->line > 0)
		(void)snprintf(line, sizeof line, ":%" PRIu64, t->line);
	width -= strlen(line);
	if (width_of_name(name) > width) {
		name = tail_of(name, width > 3 ? width - 3 : 0);
		if (ctx_buf_add(out, "...", 3, err) < 0)
			return -1;
	}
	if (ctx_buf_add(out, name.p, name.n, err) < 0)
		return -1;
	return ctx_buf_add(out, line, strlen(line), err);
}

/* "~108133 of 128000 tokens, 84.5% DEGRADING (gpt-4o)", or less where that
 * is too wide. */
static void
print_figures(char out[200], const struct picture *picture, size_t width)
{
	const struct ctx_tally *t = picture->t;
	const char *rough = t->estimated > 0 ? "~" : "";
	const char *model = t->model != NULL ? t->model->name : "";
	char all[48], share[32];

	(void)snprintf(all, sizeof all, "%s%" PRIu64, rough, t->tokens);
	if (picture->window == 0) {
		(void)snprintf(out, 200, "%s tokens", all);
		return;
	}
	(void)snprintf(share, sizeof share, "%.1f%% %s",
	    100.0 * (double)t->tokens / (double)picture->window,
	    picture->zone->word);
	(void)snprintf(out, 200, "%s of %" PRIu64 " tokens, %s%s%.60s%s", all,
	    picture->window, share, model[0] != '\0' ? " (" : "", model,
	    model[0] != '\0' ? ")" : "");
	if (strlen(out) > width)
		(void)snprintf(out, 200, "%s of %" PRIu64 " tokens, %s", all,
		    picture->window, share);
	if (strlen(out) > width)
		(void)snprintf(out, 200, "%s tokens, %s", all, share);
	if (strlen(out) > width)
		(void)snprintf(out, 200, "%s", share);
}

static void
print_cells(struct picture *picture, size_t cells)
{
	size_t used = share_cells(picture, cells), i, k;

	(void)putchar('[');
	for (i = 0; i < picture->n; i++) {
		if (picture->parts[i].cells == 0)
			continue;
		print_color(picture, "30");
		print_color(picture, picture->zone->shade[picture->parts[i].shade]);
		for (k = 0; k < picture->parts[i].cells; k++)
			(void)putchar(picture->parts[i].key);
		print_color(picture, "0");
	}
	for (i = used; i < cells; i++)
		(void)putchar('.');
	puts("]");
}

/* Where the zones end, and the window if that is not where the bar does; what
 * has no room is left out. */
static void
print_scale(const struct picture *picture, size_t cells)
{
	static const unsigned marks[] = {100, 50, 85, 70};
	char line[BAR_MOST + 8] = "", mark[8];
	size_t i, at, n, end = 0;

	if (picture->window == 0)
		return;
	memset(line, ' ', sizeof line - 1);
	for (i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		at = 1 + (size_t)((double)cells * marks[i] / 100 *
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
	struct ctx_str name = head_of(part->name, width);
	double share = share_of(picture, part);

	if (part->cells > 0) {
		print_color(picture, "30");
		print_color(picture, picture->zone->shade[part->shade]);
	}
	(void)putchar(part->key);
	if (part->cells > 0)
		print_color(picture, "0");
	(void)putchar(' ');
	cli_print_masked(stdout, name.p, name.n);
	printf("%*s %9" PRIu64 " %5.*f%%",
	    (int)(width - width_of_name(name)), "", part->tokens,
	    share < 999.95 ? 1 : 0, share);
}

/* Column by column; returns its lines. */
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

static int
print_picture(struct picture *picture, unsigned *lines, struct ctx_err *err)
{
	size_t width = columns();
	struct ctx_buf place = {0};
	char figures[200];

	if (make_place(&place, picture->t, width, err) < 0) {
		ctx_buf_release(&place);
		return -1;
	}
	cli_print_masked(stdout, place.p, place.n);
	ctx_buf_release(&place);
	(void)putchar('\n');
	print_figures(figures, picture, width);
	puts(figures);
	print_cells(picture, width - 2);
	print_scale(picture, width - 2);
	*lines += (picture->window > 0 ? 4 : 3) + print_legend(picture, width);
	return 0;
}

/* ---- in a file ---- */

enum { SVG_WIDTH = 800, SVG_BAR = 28, SVG_LINE = 20, SVG_ACROSS = 3 };
enum { SVG_NAME = 96, SVG_PART = 16 }; /* columns of text */

/* Text of a picture, which may hold anything. */
static int
svg_text(struct ctx_buf *out, unsigned x, unsigned y, const char *style,
    struct ctx_str text, struct ctx_err *err)
{
	size_t at, len;
	uint32_t cp;

	if (ctx_buf_printf(out, err, "<text x=\"%u\" y=\"%u\"%s>", x, y,
		style) < 0)
		return -1;
	for (at = 0; at < text.n; at += len) {
		len = ctx_utf8_next(text.p + at, text.n - at, &cp);
		if (strchr("<>&\"", (int)cp) != NULL && cp < 0x80 && cp != 0) {
			if (ctx_buf_printf(out, err, "&#%u;", cp) < 0)
				return -1;
		} else if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ||
		    cp >= 0xfffd) {
			if (ctx_buf_add(out, "?", 1, err) < 0)
				return -1;
		} else if (ctx_buf_add(out, text.p + at, len, err) < 0) {
			return -1;
		}
	}
	return ctx_buf_add(out, "</text>\n", 8, err);
}

static int
svg_string(struct ctx_buf *out, unsigned x, unsigned y, const char *style,
    const char *text, struct ctx_err *err)
{
	return svg_text(out, x, y, style,
	    (struct ctx_str){text, strlen(text)}, err);
}

static int
svg_bar(struct ctx_buf *out, struct picture *picture, unsigned y,
    struct ctx_err *err)
{
	unsigned x = 0, width;
	char key[2] = "";
	size_t i;

	if (ctx_buf_printf(out, err, "<rect x=\"0\" y=\"%u\" width=\"%u\" "
				     "height=\"%u\" fill=\"#e0e0e0\"/>\n",
		y, SVG_WIDTH, SVG_BAR) < 0)
		return -1;
	(void)share_cells(picture, SVG_WIDTH);
	for (i = 0; i < picture->n; i++, x += width) {
		width = (unsigned)picture->parts[i].cells;
		key[0] = picture->parts[i].key;
		if (width > 0 &&
		    ctx_buf_printf(out, err, "<rect x=\"%u\" y=\"%u\" "
			"width=\"%u\" height=\"%u\" fill=\"%s\"/>\n",
			x, y, width, SVG_BAR, picture->zone->fill[picture->parts[i].shade]) < 0)
			return -1;
		if (width >= 12 && svg_string(out, x + width / 2 - 4, y + 19,
			"", key, err) < 0)
			return -1;
	}
	return 0;
}

static int
svg_scale(struct ctx_buf *out, const struct picture *picture, unsigned y,
    struct ctx_err *err)
{
	static const unsigned marks[] = {100, 85, 70, 50};
	unsigned x, before = SVG_WIDTH;
	char mark[8];
	size_t i;

	for (i = 0; i < 4 && picture->window > 0; i++) {
		x = (unsigned)((double)SVG_WIDTH * marks[i] / 100 *
		    (double)picture->window / (double)picture->scale);
		(void)snprintf(mark, sizeof mark, "%u%%", marks[i]);
		if (x + 40 > before)
			continue;
		before = x;
		if (ctx_buf_printf(out, err, "<path d=\"M%u %uv%u\" "
			"stroke=\"#333\"/>\n", x, y, SVG_BAR + 14) < 0 ||
		    svg_string(out, x + 3, y + SVG_BAR + 13,
			" font-size=\"11\"", mark, err) < 0)
			return -1;
	}
	return 0;
}

static int
svg_legend(struct ctx_buf *out, const struct picture *picture, unsigned y,
    struct ctx_err *err)
{
	size_t rows = (picture->n + SVG_ACROSS - 1) / SVG_ACROSS, i;
	unsigned x, at, step = SVG_WIDTH / SVG_ACROSS;
	const struct bar_part *part;
	char text[80];

	for (i = 0; i < picture->n; i++) {
		part = &picture->parts[i];
		x = (unsigned)(i / rows) * step;
		at = y + (unsigned)(i % rows) * SVG_LINE;
		if (ctx_buf_printf(out, err, "<rect x=\"%u\" y=\"%u\" "
			"width=\"16\" height=\"16\" fill=\"%s\"/>\n", x,
			at - 12, picture->zone->fill[picture->parts[i].shade]) < 0)
			return -1;
		(void)snprintf(text, sizeof text, "%c", part->key);
		if (svg_string(out, x + 4, at, "", text, err) < 0 ||
		    svg_text(out, x + 22, at, "",
			head_of(part->name, SVG_PART), err) < 0)
			return -1;
		(void)snprintf(text, sizeof text, "%" PRIu64 "  %.1f%%",
		    part->tokens, share_of(picture, part));
		if (svg_string(out, x + step - 20, at,
			" text-anchor=\"end\"", text, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the picture below those before it. */
static int
svg_picture(struct bar *bar, struct picture *picture, struct ctx_err *err)
{
	struct ctx_buf *out = &bar->pictures, place = {0};
	unsigned y = bar->height;
	char figures[200];
	int rc;

	print_figures(figures, picture, sizeof figures);
	rc = make_place(&place, picture->t, SVG_NAME, err);
	if (rc == 0)
		rc = svg_text(out, 0, y + 16, " font-weight=\"bold\"",
		    (struct ctx_str){place.p, place.n}, err);
	ctx_buf_release(&place);
	if (rc < 0 || svg_string(out, 0, y + 36, "", figures, err) < 0 ||
	    svg_bar(out, picture, y + 46, err) < 0 ||
	    svg_scale(out, picture, y + 46, err) < 0 ||
	    svg_legend(out, picture, y + 110, err) < 0)
		return -1;
	bar->height = y + 110 + SVG_LINE *
	    (unsigned)((picture->n + SVG_ACROSS - 1) / SVG_ACROSS) + 10;
	return 0;
}

void
bar_write(struct bar *bar, const struct cli *cli)
{
	unsigned height = bar->height > 0 ? bar->height : 1;
	FILE *file;
	bool right;

	if (bar->svg == NULL)
		return;
	file = fopen(bar->svg, "w");
	if (file == NULL)
		cli_die(cli, "cannot write %s: %s", bar->svg, strerror(errno));
	right = fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" "
	    "viewBox=\"-10 -10 %d %u\" width=\"%d\" height=\"%u\" "
	    "font-family=\"monospace\" font-size=\"13\" "
	    "xml:space=\"preserve\">\n"
	    "<rect x=\"-10\" y=\"-10\" width=\"%d\" height=\"%u\" "
	    "fill=\"#fff\"/>\n",
	    SVG_WIDTH + 20, height + 20, SVG_WIDTH + 20, height + 20,
	    SVG_WIDTH + 20, height + 20) > 0 &&
	    (bar->pictures.n == 0 ||
		fwrite(bar->pictures.p, bar->pictures.n, 1, file) == 1) &&
	    fputs("</svg>\n", file) >= 0;
	if (fclose(file) != 0 || !right)
		cli_die(cli, "cannot write %s: %s", bar->svg, strerror(errno));
	bar->pictures.n = 0;
	bar->height = 0;
}

/* ---- pictures ---- */

int
bar_end(struct bar *bar, const struct ctx_tally *t, uint64_t window,
    struct ctx_err *err)
{
	struct picture picture = {.t = t, .window = window};
	int rc;

	rc = add(bar, DEFINITIONS, (struct ctx_str){"tools defined", 13},
	    t->beside.tools, err);
	if (rc == 0)
		rc = add(bar, SYSTEM, (struct ctx_str){"system", 6},
		    t->beside.system, err);
	take_parts(&picture, bar);
	picture.zone = zone_of(t->tokens, window);
	picture.scale = t->tokens > window ? t->tokens : window;
	picture.scale += picture.scale == 0;
	picture.color = has_color(bar);
	if (rc == 0 && (bar->shown || bar->follow)) {
		if (bar->lines > 0)
			(void)putchar('\n');
		bar->lines += bar->lines > 0;
		rc = print_picture(&picture, &bar->lines, err);
	}
	if (rc == 0 && bar->svg != NULL)
		rc = svg_picture(bar, &picture, err);
	ctx_names_reset(&bar->names);
	bar->n = 0;
	return rc;
}

/* ---- files that grow ---- */

/* Looks at file i; says whether it is there and is another than before. */
static bool
has_changed(struct bar *bar, size_t i, const char *file)
{
	struct stat *last = &bar->last[i], st;

	if (stat(file, &st) < 0)
		return false;
	if (st.st_dev == last->st_dev && st.st_ino == last->st_ino &&
	    st.st_size == last->st_size &&
	    st.st_mtim.tv_sec == last->st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == last->st_mtim.tv_nsec)
		return false;
	*last = st;
	return true;
}

/* The cursor goes back to where the last pictures began. */
static void
restart(struct bar *bar)
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
	const struct timespec pause = {0, 200000000};
	bool first = bar->last == NULL, changed = first;
	size_t i;

	if (!bar->follow)
		return;
	if (first)
		bar->last = calloc(cli->n_files, sizeof *bar->last);
	if (bar->last == NULL)
		cli_die(cli, "out of memory");
	/* A reader that has gone away shows only when we write. */
	if (fflush(stdout) != 0)
		exit(CLI_TROUBLE);
	for (;;) {
		for (i = 0; i < cli->n_files; i++)
			changed |= has_changed(bar, i, cli->files[i]);
		if (changed)
			break;
		(void)nanosleep(&pause, NULL);
	}
	if (!first)
		restart(bar);
}

void
bar_below(struct bar *bar, size_t lines)
{
	(void)putchar('\n');
	bar->lines += 1 + (unsigned)lines;
}

void
bar_release(struct bar *bar)
{
	free(bar->last);
	ctx_names_release(&bar->names);
	ctx_buf_release(&bar->pictures);
	free(bar->parts);
}
