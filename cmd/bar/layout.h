/* layout.h - computes the layout of the bar that shows how many tokens each
 * part of a context has; bar_text.c and bar_svg.c draw it */
#ifndef CTX_CMD_BAR_LAYOUT_H
#define CTX_CMD_BAR_LAYOUT_H

#include "bar/bar.h"

/* Maximum number of parts that a bar shows.  If there are more parts, the last
 * shown part is the sum of all other parts. */
#define PICTURE_PARTS 12

/* Kinds of parts of the bar, in the order in which they are drawn.  ELSEWHERE:
 * tokens that were billed, but are not in the input file.  TOOL: tool calls and
 * tool results of one tool.  REST: the sum of all parts for which the bar has
 * no space. */
enum rank {
	ELSEWHERE,
	DEFINITIONS,
	SYSTEM,
	USER,
	ASSISTANT,
	OTHER,
	TOOL,
	REST
};

/* A part of the bar: the tokens of the calls and results of one tool, all other
 * tokens of the messages with one role, or tokens of another kind (enum rank).
 */
struct bar_part {
	struct ctx_str name;
	enum rank rank;
	uint64_t tokens;
	/* letter that stands for this part in the bar and in its legend */
	char key;
	size_t cells;
	unsigned shade; /* index of the part's colour, see picture_color */
};

/* A range of percentages of the context window, such as 50 to 70, with a name
 * that tells the user how full the window is. to: upper limit of the range in
 * percent; 0: no upper limit. */
struct zone {
	unsigned to;
	const char *word; /* name of the range, such as "NEARLY FULL" */
	/* colour of this range, a number from the 256 colours of a terminal */
	unsigned shade;
};

/* A colour for parts of the bar. shade: the colour on terminals with 256
 * colours; fill: the same colour in SVG. */
enum { PART_COLORS = 8 };
struct part_color {
	unsigned shade;
	const char *fill;
};

struct picture {
	const struct ctx_token_stats *t;
	/* size of the context window in tokens; 0 if not known */
	uint64_t window;
	/* Number of tokens of the conversation: as counted by ctx or, if billed
	 * is true, the billed tokens of the last request plus those that ctx
	 * counts after it.  If ctx counts more tokens than were billed, the sum
	 * of the tokens of all parts of the bar is greater than this number. */
	uint64_t tokens;
	/* true if the number "tokens" comes from a billed request */
	bool billed;
	/* True if the agent has replaced messages by a summary (compaction),
	 * and no later request reports its billed input tokens. */
	bool compacted;
	const struct zone *zone;
	/* Number of tokens that the full width of the bar stands for */
	uint64_t scale;
	struct bar_part parts[PICTURE_PARTS];
	size_t n;
	bool color; /* true if the bar is printed in colours */
};

/* Computes the layout of a conversation's bar.  Sorts the caller's array of n
 * parts by their kind (enum rank); parts of one kind are sorted by their
 * tokens, the most first.  Copies the parts into *picture; if there are too
 * many, adds up those that do not fit.  Sets picture->scale, the number of
 * tokens that the full width of the bar stands for, to at least 1.  The caller
 * must have set the members t, window and tokens of *picture. */
void picture_make(struct picture *picture, struct bar_part *parts, size_t n);
/* Computes the width of each part of the bar. cells: width of the whole bar, in
 * terminal columns or SVG units.  Returns the sum of the widths of all parts.
 * The sum is in proportion to picture->tokens, even if ctx counts more tokens
 * in the parts.  Widths are first rounded down.  Then the remaining columns are
 * given to the parts that lost most by rounding.  So a part with more tokens is
 * never narrower than a part with fewer tokens. */
size_t picture_divide_width(struct picture *picture, size_t cells);
/* Returns the colour of a part of the bar.  Parts that are next to each other
 * have different colours. */
const struct part_color *picture_color(const struct bar_part *part);
/* Returns a number of tokens as a percentage of the context window, or of the
 * conversation's tokens if the context window is not known. */
double picture_get_share(const struct picture *picture, uint64_t tokens);

/* Writes the text above the bar into the buffer "out", such as "~108k of 128k
 * tokens, 84.5% FILLING UP (gpt-4o)".  Shortens the text if it is wider than
 * width terminal columns. */
void bar_write_figures(char out[200], const struct picture *picture,
    size_t width);

/* ---- bar_text.c, bar_svg.c: draw the bar as text and as SVG ------------- */

/* Prints the bar of a conversation on the terminal. */
void bar_print(struct bar *bar, struct picture *picture);
/* Appends the bar of a conversation to the SVG picture, below the bars of the
 * conversations before it. */
int bar_draw(struct bar *bar, struct picture *picture, struct ctx_err *err);

#endif
