/*
 * layout.c - computes the bar that shows what takes the tokens of a context:
 * its parts, their letters and widths, and its colour
 *
 * Each part has a letter, so that the bar can be read without colours.  The
 * colour of the whole bar says how full the context window is.
 */
#include <stdlib.h>
#include <string.h>

#include "bar/layout.h"

/* The letter of each kind of part of the bar, in the order of enum rank.
 * The first nine tools get the digits 1 to 9, further tools the letters from
 * a on. */
static const char keys[] = {'D', 'S', 'U', 'A', '?', '1', '+'};

static const struct zone zones[] = {
    {50, "PEAK", {77, 114}, {"#4caf50", "#81c784"}},
    {70, "GOOD", {220, 228}, {"#fdd835", "#fff176"}},
    {85, "DEGRADING", {208, 215}, {"#fb8c00", "#ffb74d"}},
    {0, "POOR", {196, 210}, {"#e53935", "#e57373"}},
};

/* Colours of the bar if the context window is not known. */
static const struct zone no_zone = {0, "", {110, 153}, {"#7aa6c2", "#a9c9dd"}};

static int
by_rank(const void *a, const void *b)
{
	const struct bar_part *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->tokens < y->tokens) - (x->tokens > y->tokens);
}

/* Sorts the parts of the bar, copies them into *picture, and gives each part
 * its letter.  If there are more parts than *picture can hold, its last part
 * is the sum of those that do not fit. */
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

	/* The colour of the bar, and a word such as GOOD, depend on the
	 * percentage of the context window that is used.  At exactly 50 % the
	 * word is GOOD, not PEAK.  At exactly 70 % it is still GOOD, at exactly
	 * 85 % still DEGRADING. */
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
picture_make(struct picture *picture, const struct ctx_token_stats *t,
    uint64_t window, struct bar_part *parts, size_t n)
{
	memset(picture, 0, sizeof *picture);
	picture->t = t;
	picture->window = window;
	take_parts(picture, parts, n);
	picture->zone = zone_of(t->tokens, window);
	picture->scale = t->tokens > window ? t->tokens : window;
	/* If the context window is not known, the full width of the bar stands
	 * for the tokens of all parts. */
	if (window == 0)
		picture->scale = sum_of(picture);
	picture->scale += picture->scale == 0;
}

size_t
picture_cells(struct picture *picture, size_t cells)
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

double
picture_share(const struct picture *picture, uint64_t tokens)
{
	uint64_t of =
	    picture->window > 0 ? picture->window : picture->t->tokens;

	return 100.0 * (double)tokens / (double)of;
}
