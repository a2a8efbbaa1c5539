/* bar_svg.c - draws the bar that shows the tokens of a context window, as an
 * SVG picture */
#include <string.h>

#include "bar/layout.h"

enum { SVG_WIDTH = 800, SVG_BAR = 28, SVG_LINE = 20, SVG_ACROSS = 3 };
/* Maximum lengths of texts in the SVG picture, in terminal columns (most
 * characters have a width of one column).  SVG_NAME: name of a conversation;
 * SVG_PART: name of a part of the bar. */
enum { SVG_NAME = 96, SVG_PART = 16 };
/* Width of a percentage in the legend of the bar, in SVG units, including the
 * gaps on both sides. */
enum { SVG_SHARE = 78 };

/* Returns true if the SVG picture may contain this character.  XML forbids
 * U+FFFE and U+FFFF. */
static bool
is_drawn(uint32_t cp)
{
	return cli_is_safe(cp) && cp != 0xfffe && cp != 0xffff;
}

/* Appends a text element to the SVG picture.  Replaces characters that XML
 * forbids, or that are not safe (cli_is_safe), by "?", and escapes the special
 * characters of XML. x, y: position in SVG units. */
static int
append_svg_text(struct ctx_buf *out, unsigned x, unsigned y, const char *style,
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
		} else if (!is_drawn(cp)) {
			if (ctx_buf_add(out, "?", 1, err) < 0)
				return -1;
		} else if (ctx_buf_add(out, text.p + at, len, err) < 0) {
			return -1;
		}
	}
	return ctx_buf_add(out, "</text>\n", 8, err);
}

static int
append_svg_string(struct ctx_buf *out, unsigned x, unsigned y,
    const char *style, const char *text, struct ctx_err *err)
{
	return append_svg_text(out, x, y, style,
	    (struct ctx_str){text, strlen(text)}, err);
}

static int
append_svg_bar(struct ctx_buf *out, struct picture *picture, unsigned y,
    struct ctx_err *err)
{
	unsigned x = 0, width;
	char key[2] = "";
	size_t i;

	if (ctx_buf_printf(out, err,
		"<rect x=\"0\" y=\"%u\" width=\"%u\" "
		"height=\"%u\" fill=\"#e0e0e0\"/>\n",
		y, SVG_WIDTH, SVG_BAR) < 0)
		return -1;
	(void)picture_divide_width(picture, SVG_WIDTH);
	for (i = 0; i < picture->n; i++, x += width) {
		width = (unsigned)picture->parts[i].cells;
		key[0] = picture->parts[i].key;
		if (width > 0 &&
		    ctx_buf_printf(out, err,
			"<rect x=\"%u\" y=\"%u\" "
			"width=\"%u\" height=\"%u\" fill=\"%s\"/>\n",
			x, y, width, SVG_BAR,
			picture_color(&picture->parts[i])->fill) < 0)
			return -1;
		if (width >= 12 &&
		    append_svg_string(out, x + width / 2 - 4, y + 19, "", key,
			err) < 0)
			return -1;
	}
	return 0;
}

static int
append_svg_scale(struct ctx_buf *out, const struct picture *picture, unsigned y,
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
		if (ctx_buf_printf(out, err,
			"<path d=\"M%u %uv%u\" "
			"stroke=\"#333\"/>\n",
			x, y, SVG_BAR + 14) < 0 ||
		    append_svg_string(out, x + 3, y + SVG_BAR + 13,
			" font-size=\"11\"", mark, err) < 0)
			return -1;
	}
	return 0;
}

static int
append_svg_legend(struct ctx_buf *out, const struct picture *picture,
    unsigned y, struct ctx_err *err)
{
	size_t rows = (picture->n + SVG_ACROSS - 1) / SVG_ACROSS, i;
	unsigned x, at, step = SVG_WIDTH / SVG_ACROSS;
	const struct bar_part *part;
	char text[80];

	for (i = 0; i < picture->n; i++) {
		part = &picture->parts[i];
		x = (unsigned)(i / rows) * step;
		at = y + (unsigned)(i % rows) * SVG_LINE;
		if (ctx_buf_printf(out, err,
			"<rect x=\"%u\" y=\"%u\" "
			"width=\"16\" height=\"16\" fill=\"%s\"/>\n",
			x, at - 12, picture_color(part)->fill) < 0)
			return -1;
		(void)snprintf(text, sizeof text, "%c", part->key);
		if (append_svg_string(out, x + 4, at, "", text, err) < 0 ||
		    append_svg_text(out, x + 22, at, "",
			cli_text_head(part->name, SVG_PART), err) < 0)
			return -1;
		if (append_svg_string(out, x + step - SVG_SHARE, at,
			" text-anchor=\"end\"",
			cli_short_number(text, part->tokens), err) < 0)
			return -1;
		(void)snprintf(text, sizeof text, "%.1f%%",
		    picture_get_share(picture, part->tokens));
		if (append_svg_string(out, x + step - 20, at,
			" text-anchor=\"end\"", text, err) < 0)
			return -1;
	}
	return 0;
}

int
bar_draw(struct bar *bar, struct picture *picture, struct ctx_err *err)
{
	struct ctx_buf *out = &bar->pictures, place = {0};
	unsigned y = bar->height;
	char figures[200];
	int rc;

	bar_write_figures(figures, picture, sizeof figures);
	rc = cli_place(&place, picture->t->file, picture->t->line, SVG_NAME,
	    err);
	if (rc == 0)
		rc = append_svg_text(out, 0, y + 16, " font-weight=\"bold\"",
		    (struct ctx_str){place.p, place.n}, err);
	ctx_buf_release(&place);
	if (rc < 0 || append_svg_string(out, 0, y + 36, "", figures, err) < 0 ||
	    append_svg_bar(out, picture, y + 46, err) < 0 ||
	    append_svg_scale(out, picture, y + 46, err) < 0 ||
	    append_svg_legend(out, picture, y + 110, err) < 0)
		return -1;
	bar->height = y + 110 +
	    SVG_LINE * (unsigned)((picture->n + SVG_ACROSS - 1) / SVG_ACROSS) +
	    10;
	return 0;
}

void
bar_write(struct bar *bar, const struct cli *cli)
{
	unsigned height = bar->height > 0 ? bar->height : 1;
	struct ctx_buf out = {0};
	struct ctx_err err;

	if (bar->svg == NULL)
		return;
	if (ctx_buf_printf(&out, &err,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" CLI_SVG_MARK "\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" "
		"viewBox=\"-10 -10 %d %u\" width=\"%d\" height=\"%u\" "
		"font-family=\"monospace\" font-size=\"13\" "
		"xml:space=\"preserve\">\n"
		"<rect x=\"-10\" y=\"-10\" width=\"%d\" height=\"%u\" "
		"fill=\"#fff\"/>\n",
		SVG_WIDTH + 20, height + 20, SVG_WIDTH + 20, height + 20,
		SVG_WIDTH + 20, height + 20) < 0 ||
	    ctx_buf_add(&out, bar->pictures.p, bar->pictures.n, &err) < 0 ||
	    ctx_buf_printf(&out, &err, "</svg>\n") < 0)
		cli_fail(cli, &err);
	cli_write_whole(cli, bar->svg, &out);
	ctx_buf_release(&out);
	bar->pictures.n = 0;
	bar->height = 0;
}
