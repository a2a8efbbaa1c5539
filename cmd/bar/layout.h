/* layout.h - the bar of a context's tokens, before it is drawn as text or SVG
 */
#ifndef CTX_CMD_BAR_LAYOUT_H
#define CTX_CMD_BAR_LAYOUT_H

#include "bar/bar.h"

/* Maximum number of parts of a bar; the last may be the sum of all others. */
#define PICTURE_PARTS 12

/* Kinds of parts of the bar, in the order in which they are drawn.  TOOL is
 * the results of one tool. */
enum rank { DEFINITIONS, SYSTEM, USER, ASSISTANT, OTHER, TOOL, REST };

/* One part of the bar: the tokens of a role's messages, or of a tool's results.
 */
struct bar_part {
	struct ctx_str name;
	enum rank rank;
	uint64_t tokens;
	char key; /* letter that marks the part in the bar and the legend */
	size_t cells;
	unsigned shade;
};

/* A range of fullness of the context window, such as 50 to 70 percent. to is
 * its upper limit in percent; 0: no limit. */
struct zone {
	unsigned to;
	const char *word;
	/* Two colours that alternate from part to part: shade for terminals
	 * with 256 colours, fill for SVG. */
	unsigned shade[2];
	const char *fill[2];
};

struct picture {
	const struct ctx_token_stats *t;
	uint64_t window; /* context window in tokens; 0 if not known */
	const struct zone *zone;
	/* How many tokens the full width of the bar stands for. */
	uint64_t scale;
	struct bar_part parts[PICTURE_PARTS];
	size_t n;
	bool color; /* true if the bar is printed with colours */
};

/* Computes what the bar of a conversation shows: sorts the parts and copies
 * them into *picture. picture->scale, the tokens for the bar's full width,
 * becomes at least 1. */
void picture_make(struct picture *picture, const struct ctx_token_stats *t,
    uint64_t window, struct bar_part *parts, size_t n);
/* Divides the width of the bar (cells: columns or SVG units) among its parts.
 * Returns how many cells the parts take together.  The running sum is rounded,
 * not each part, so rounding errors do not add up. */
size_t picture_cells(struct picture *picture, size_t cells);
/* Returns how many percent of the context window these tokens are; of all
 * tokens of the conversation if the window is not known. */
double picture_share(const struct picture *picture, uint64_t tokens);

/* ---- text_width.c: shortens texts to a number of columns ---------------- */

size_t words_width(struct ctx_str name);
/* Returns the longest beginning of name that fits into width terminal columns.
 * It points into name. */
struct ctx_str words_head(struct ctx_str name, size_t width);
/* Appends "FILE:LINE" of a conversation or message to out, in at most width
 * columns.  A path that is too long loses its beginning. */
int words_place(struct ctx_buf *out, const struct ctx_token_stats *t,
    size_t width, struct ctx_err *err);
/* Writes the text above the bar to out, such as "~108133 of 128000
 * tokens, 84.5% DEGRADING (gpt-4o)".  Shortens it if it does not fit into width
 * columns. */
void words_figures(char out[200], const struct picture *picture, size_t width);

/* ---- bar_text.c, bar_svg.c: draw the bar as text and as SVG ------------- */

/* Prints the bar of a conversation on the terminal, and adds the number of
 * lines printed to *lines. */
int bar_print(const struct bar *bar, struct picture *picture, unsigned *lines,
    struct ctx_err *err);
/* Adds the bar of a conversation to the SVG, below the bars of earlier
 * conversations. */
int bar_draw(struct bar *bar, struct picture *picture, struct ctx_err *err);

#endif
