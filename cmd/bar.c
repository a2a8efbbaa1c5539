/*
 * bar.c - the context bar: how full a context is, and with what
 *
 * A line for the figures, the bar, its scale, and a legend.  A segment is
 * drawn with its letter, so that it reads the same without colour; the colour
 * is that of the zone which the whole has reached.
 */
#include <stdlib.h>
#include <string.h>

#include "picture.h"

/* The letter of each rank; tools have figures. */
static const char keys[] = {'D', 'S', 'U', 'A', '?', '1', '+'};

static const struct zone zones[] = {
    {50, "PEAK", {77, 114}, {"#4caf50", "#81c784"}},
    {70, "GOOD", {220, 228}, {"#fdd835", "#fff176"}},
    {85, "DEGRADING", {208, 215}, {"#fb8c00", "#ffb74d"}},
    {0, "POOR", {196, 210}, {"#e53935", "#e57373"}},
};

/* Where no window is known. */
static const struct zone no_zone = {0, "", {110, 153},
    {"#7aa6c2", "#a9c9dd"}};

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
	if (bar->svg != NULL)
		cli_spare_inputs(cli, bar->svg);
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
	uint64_t rest = t->tokens;
	size_t i;

	/* In many formats results are only a part of a message, and one
	 * message may have those of several tools. */
	for (i = 0; i < t->n_shares; i++) {
		rest -= t->shares[i].results;
		if (add(bar, TOOL, t->shares[i].tool, t->shares[i].results,
			err) < 0)
			return -1;
	}
	/* The framing of a message of nothing but results is theirs. */
	if (t->role == CTX_ROLE_TOOL && t->n_shares > 0)
		return add(bar, TOOL, t->shares[0].tool, rest, err);
	return add(bar, ranks[t->role], (struct ctx_str){name, strlen(name)},
	    rest, err);
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
	struct bar_part *rest = &picture->parts[PICTURE_PARTS - 1], *part;
	char tool = keys[TOOL];
	size_t i;

	if (bar->n > 0)
		qsort(bar->parts, bar->n, sizeof *bar->parts, by_rank);
	for (i = 0; i < bar->n; i++) {
		if (i < PICTURE_PARTS - 1 || bar->n == PICTURE_PARTS) {
			picture->parts[picture->n++] = bar->parts[i];
			continue;
		}
		picture->n = PICTURE_PARTS;
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
	uint64_t of = picture->window > 0 ? picture->window
					  : picture->t->tokens;

	return 100.0 * (double)tokens / (double)of;
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

/* ---- pictures ---- */

static uint64_t
sum_of(const struct picture *picture)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < picture->n; i++)
		sum += picture->parts[i].tokens;
	return sum;
}

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
	/* Without a window the parts fill the bar. */
	if (window == 0)
		picture.scale = sum_of(&picture);
	picture.scale += picture.scale == 0;
	if (rc == 0 && (bar->shown || bar->follow)) {
		if (bar->lines > 0)
			(void)putchar('\n');
		bar->lines += bar->lines > 0;
		rc = bar_print(bar, &picture, &bar->lines, err);
	}
	if (rc == 0 && bar->svg != NULL)
		rc = bar_draw(bar, &picture, err);
	ctx_names_reset(&bar->names);
	bar->n = 0;
	return rc;
}

void
bar_release(struct bar *bar)
{
	free(bar->last);
	ctx_names_release(&bar->names);
	ctx_buf_release(&bar->pictures);
	free(bar->parts);
}
