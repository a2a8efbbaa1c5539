/* layout.h - the bar that shows what takes the tokens of a context, before it
 * is drawn as text or SVG */
#ifndef CTX_CMD_BAR_LAYOUT_H
#define CTX_CMD_BAR_LAYOUT_H

#include "bar/bar.h"

/* Maximum number of parts of a bar.  If there are more, the last part is the
 * sum of the rest. */
#define PICTURE_PARTS 12

/* Kinds of parts of the bar, in the order in which they are drawn.  A part of
 * the kind TOOL stands for the results of one tool. */
enum rank { DEFINITIONS, SYSTEM, USER, ASSISTANT, OTHER, TOOL, REST };

/* A part of the bar: the tokens of all messages with one role, or of all
 * results of one tool. */
struct bar_part {
	struct ctx_str name;
	enum rank rank;
	uint64_t tokens;
	char key; /* letter that stands for the part in bar and legend */
	size_t cells;
	unsigned shade;
};

/* A range of fullness of the context window, such as 50 to 70 percent.  The
 * member to is the upper limit of the range in percent, or 0 if it has none. */
struct zone {
	unsigned to;
	const char *word;
	/* The two colours of this range.  Neighbouring parts of the bar get one
	 * and the other in turn, so that a reader can tell the parts apart.
	 * shade: for terminals with 256 colours; fill: for SVG. */
	unsigned shade[2];
	const char *fill[2];
};

struct picture {
	const struct ctx_token_stats *t;
	uint64_t window; /* context window in tokens; 0 if not known */
	const struct zone *zone;
	/* Number of tokens that the full width of the bar stands for. */
	uint64_t scale;
	struct bar_part parts[PICTURE_PARTS];
	size_t n;
	bool color; /* true if the bar is printed with colours */
};

/* Computes a conversation's bar: sorts its parts and copies them into
 * *picture.  Sets picture->scale to the tokens that the full width of the bar
 * stands for, at least 1. */
void picture_make(struct picture *picture, const struct ctx_token_stats *t,
    uint64_t window, struct bar_part *parts, size_t n);
/* Divides the width of the bar (cells: in terminal columns or SVG units) among
 * its parts, in proportion to their tokens.  Returns the width of all parts
 * together.  To place the end of a part, the tokens of this part and all parts
 * before it are added up, and only their sum is rounded.  So rounding errors do
 * not add up. */
size_t picture_cells(struct picture *picture, size_t cells);
/* Returns a number of tokens as a percentage of the context window.  If the
 * context window is not known, returns the percentage of the conversation's
 * tokens. */
double picture_share(const struct picture *picture, uint64_t tokens);

/* ---- text_width.c: shortens texts to a number of columns ---------------- */

size_t words_width(struct ctx_str name);
/* Returns the longest beginning of a name that is at most width terminal
 * columns wide.  The result points into the name. */
struct ctx_str words_head(struct ctx_str name, size_t width);
/* Appends "FILE:LINE", the place of a conversation or message, to out.  If it
 * would be wider than width columns, the beginning of the path is cut off. */
int words_place(struct ctx_buf *out, const struct ctx_token_stats *t,
    size_t width, struct ctx_err *err);
/* Writes the text above the bar to out, such as "~108133 of 128000 tokens,
 * 84.5% DEGRADING (gpt-4o)".  Shortens the text if it is wider than width
 * columns. */
void words_figures(char out[200], const struct picture *picture, size_t width);

/* ---- bar_text.c, bar_svg.c: draw the bar as text and as SVG ------------- */

/* Prints the bar of a conversation on the terminal, and adds the number of
 * lines printed to *lines. */
int bar_print(const struct bar *bar, struct picture *picture, unsigned *lines,
    struct ctx_err *err);
/* Appends the bar of a conversation to the SVG picture, below the bars of the
 * conversations before it. */
int bar_draw(struct bar *bar, struct picture *picture, struct ctx_err *err);

#endif
