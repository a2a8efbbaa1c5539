/* layout.h - one picture of a context, before it is drawn */
#ifndef CTX_CMD_BAR_LAYOUT_H
#define CTX_CMD_BAR_LAYOUT_H

#include "bar/bar.h"

#define PICTURE_PARTS 12 /* the last may stand for all others */

/* Kinds of parts in the order of the bar; TOOL is the results of a tool. */
enum rank { DEFINITIONS, SYSTEM, USER, ASSISTANT, OTHER, TOOL, REST };

/* The tokens of a role, or of a tool's results. */
struct bar_part {
	struct ctx_str name;
	enum rank rank;
	uint64_t tokens;
	char key; /* its letter in the bar */
	size_t cells;
	unsigned shade;
};

/* A degree of fullness of the window. to is its upper end in percent; 0: none.
 */
struct zone {
	unsigned to;
	const char *word;
	/* Two alternating colours: of the terminal's 256, and for SVG. */
	unsigned shade[2];
	const char *fill[2];
};

struct picture {
	const struct ctx_token_stats *t;
	uint64_t window; /* tokens; 0: not known */
	const struct zone *zone;
	uint64_t scale; /* tokens that the full width stands for */
	struct bar_part parts[PICTURE_PARTS];
	size_t n;
	bool color; /* true if the terminal gets colours */
};

/* Fills picture from the parts, and sorts these. Its scale is at least 1. */
void picture_make(struct picture *picture, const struct ctx_token_stats *t,
    uint64_t window, struct bar_part *parts, size_t n);
/* Divides the cells among the parts; returns the number of cells used. The sum
 * is rounded, not each part. */
size_t picture_cells(struct picture *picture, size_t cells);
/* Returns the percentage of the window; of all tokens if the window is not
 * known. */
double picture_share(const struct picture *picture, uint64_t tokens);

/* ---- text_width.c: texts that fit a number of columns ---- */

size_t words_width(struct ctx_str name);
/* Returns the longest beginning of name, as a part of it, that fits into width
 * columns. */
struct ctx_str words_head(struct ctx_str name, size_t width);
/* Appends the file and line of a conversation or message, in at most width
 * columns. A long path loses its beginning. */
int words_place(struct ctx_buf *out, const struct ctx_token_stats *t,
    size_t width, struct ctx_err *err);
/* Writes "~108133 of 128000 tokens, 84.5% DEGRADING (gpt-4o)", or less if that
 * is wider than width. */
void words_figures(char out[200], const struct picture *picture, size_t width);

/* ---- bar_text.c, bar_svg.c: the picture as text and as SVG ---- */

/* Prints the picture, and adds the number of its lines to *lines. */
int bar_print(const struct bar *bar, struct picture *picture, unsigned *lines,
    struct ctx_err *err);
/* Adds the picture to the SVG file, below the others. */
int bar_draw(struct bar *bar, struct picture *picture, struct ctx_err *err);

#endif
