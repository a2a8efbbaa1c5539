/*
 * layout.c - computes the layout of the bar that shows how many tokens each
 * part of a context has: the parts, their letters, widths and colours
 *
 * Each part has a letter, so that the bar can be read without colours.  A name
 * such as "NEARLY FULL" says how full the context window is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bar/layout.h"

/* The letter of each kind of part of the bar.  The kinds are in the order of
 * enum rank.  The first nine tools have the digits 1 to 9 as letters, further
 * tools the letters from a on. */
static const char keys[] = {'N', 'D', 'S', 'U', 'A', '?', '1', '+'};

static const struct zone zones[] = {
    {50, "MOSTLY FREE", 77},
    {70, "OVER HALF FULL", 220},
    {85, "FILLING UP", 208},
    {100, "NEARLY FULL", 203},
    {0, "OVERFULL", 196},
};

/* the range of percentages that is used if the context window is not known; it
 * has no name */
static const struct zone no_zone = {0, "", 0};

/* The colours of the parts of the bar.  Neighbours in this list differ in hue
 * and lightness; the last and the first colour count as neighbours.  Each
 * colour can be seen on dark and on light terminals, and black letters can be
 * read on each colour. */
static const struct part_color colors[PART_COLORS] = {
    {245, "#8a8a8a"}, /* grey */
    {179, "#d7af5f"}, /* ochre */
    {68, "#5f87d7"},  /* blue */
    {108, "#87af87"}, /* green */
    {168, "#d75f87"}, /* rose */
    {73, "#5fafaf"},  /* teal */
    {166, "#d75f00"}, /* orange */
    {141, "#af87ff"}, /* violet */
};

const struct part_color *
picture_color(const struct bar_part *part)
{
	return &colors[part->shade];
}

static int
by_rank(const void *a, const void *b)
{
	const struct bar_part *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->tokens < y->tokens) - (x->tokens > y->tokens);
}

/* Sorts the parts of the bar, copies them into *picture, and gives each part
 * its letter.  If there are more parts than *picture can hold, the last part of
 * *picture is the sum of all parts that do not fit. */
static void
take_parts(struct picture *picture, struct bar_part *parts, size_t n)
{
	struct bar_part *rest = &picture->parts[PICTURE_PARTS - 1], *part;
	char tool = keys[TOOL];
	size_t i;

	if (n > 0)
		qsort(parts, n, sizeof *parts, by_rank);
	for (i = 0; i < n; i++) {
		if (i < PICTURE_PARTS - 1 || n == PICTURE_PARTS) {
			picture->parts[picture->n++] = parts[i];
			continue;
		}
		picture->n = PICTURE_PARTS;
		rest->name = (struct ctx_str){"others", 6};
		rest->rank = REST;
		rest->tokens += parts[i].tokens;
	}
	for (i = 0; i < picture->n; i++) {
		part = &picture->parts[i];
		part->key = part->rank == TOOL ? tool : keys[part->rank];
		if (part->rank == TOOL)
			tool = tool == '9' ? 'a' : (char)(tool + 1);
	}
}

static const struct zone *
zone_of(uint64_t tokens, uint64_t window)
{
	const struct zone *zone = zones;

	/* Chooses the named range of percentages that the used share of the
	 * context window belongs to.  A share on the border of two ranges
	 * belongs to the lower range, but exactly 50 % belongs to the upper
	 * range. */
	if (window == 0)
		return &no_zone;
	if ((double)tokens * 100 < 50 * (double)window)
		return zone;
	for (zone++; zone->to != 0; zone++)
		if ((double)tokens * 100 <= zone->to * (double)window)
			break;
	return zone;
}

static uint64_t
sum_of(const struct picture *picture)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < picture->n; i++)
		sum += picture->parts[i].tokens;
	return sum;
}

void
picture_make(struct picture *picture, struct bar_part *parts, size_t n)
{
	uint64_t tokens = picture->tokens, window = picture->window, sum;

	take_parts(picture, parts, n);
	sum = sum_of(picture);
	picture->zone = zone_of(tokens, window);
	picture->scale = tokens > window ? tokens : window;
	/* If the context window is not known, the full width of the bar stands
	 * for the tokens of all parts. */
	if (window == 0)
		picture->scale = sum < tokens ? sum : tokens;
	picture->scale += picture->scale == 0;
}

/* Makes one part of the bar wider by one cell (terminal column or SVG unit):
 * the part that has lost most width by rounding down. lost[i]: width that part
 * i has lost by rounding, as a fraction of a cell; negative after part i was
 * made wider. */
static void
widen_part(struct picture *picture, double lost[PICTURE_PARTS])
{
	size_t most = 0, i;

	for (i = 1; i < picture->n; i++)
		if (lost[i] > lost[most])
			most = i;
	picture->parts[most].cells++;
	lost[most] = -1;
}

size_t
picture_divide_width(struct picture *picture, size_t cells)
{
	uint64_t all = sum_of(picture);
	double each = (double)cells / (double)picture->scale, width;
	double lost[PICTURE_PARTS] = {0};
	size_t used, given = 0, i;
	unsigned shade = 0;

	if (all > picture->tokens)
		each *= (double)picture->tokens / (double)all;
	used = (size_t)((double)all * each + 0.5);
	used = used > cells ? cells : used;
	for (i = 0; i < picture->n; i++) {
		width = (double)picture->parts[i].tokens * each;
		picture->parts[i].cells = (size_t)width;
		/* Floating-point numbers are rounded, so the widths could add
		 * up to more than "used".  Then this part becomes narrower. */
		if (picture->parts[i].cells > used - given)
			picture->parts[i].cells = used - given;
		lost[i] = width - (double)picture->parts[i].cells;
		given += picture->parts[i].cells;
	}
	for (i = 0; i < picture->n && given < used; i++, given++)
		widen_part(picture, lost);
	for (i = 0; i < picture->n; i++)
		picture->parts[i].shade =
		    picture->parts[i].cells > 0 ? shade++ % PART_COLORS : 0;
	return given;
}

double
picture_get_share(const struct picture *picture, uint64_t tokens)
{
	uint64_t of = picture->window > 0 ? picture->window : picture->tokens;

	return 100.0 * (double)tokens / (double)of;
}

/* ---- the line above the bar ---- */

/* Writes the tokens of the conversation into the buffer "all", such as "~4.2k".
 * If is_split and picture->billed are true, writes two numbers, such as "19k
 * billed + ~120 after": the input tokens of the last billed request, and the
 * tokens that ctx counts in the messages after that request. */
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

/* Writes a remark that explains the number of tokens into the buffer "remark",
 * such as "; not billed since compaction".  Writes an empty string if nothing
 * needs to be explained. */
static void
write_remark(char remark[64], const struct picture *picture)
{
	const struct ctx_token_stats *t = picture->t;
	char number[16];

	remark[0] = '\0';
	if (picture->compacted)
		(void)snprintf(remark, 64, "; not billed since compaction");
	else if (picture->billed && t->tokens > picture->tokens)
		(void)snprintf(remark, 64, "; %s%s counted",
		    t->estimated > 0 ? "~" : "",
		    cli_short_number(number, t->tokens));
}

void
bar_write_figures(char out[200], const struct picture *picture, size_t width)
{
	const struct ctx_token_stats *t = picture->t;
	const char *model = t->model != NULL ? t->model->name : "";
	char all[64], share[32], window[16], remark[64];

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
	write_remark(remark, picture);
	if (strlen(out) + strlen(remark) > width)
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
	if (strlen(out) + strlen(remark) <= width)
		(void)snprintf(out + strlen(out), 200 - strlen(out), "%s",
		    remark);
}
