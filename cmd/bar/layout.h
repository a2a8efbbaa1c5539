/* layout.h - the bar that shows what takes the tokens of a context, before it
 * is drawn as text or SVG */
#ifndef CTX_CMD_BAR_LAYOUT_H
#define CTX_CMD_BAR_LAYOUT_H

#include "bar/bar.h"

/* Maximum number of parts of a bar.  If there are more, the last part is the
 * sum of the rest. */
#define PICTURE_PARTS 12

/* Kinds of parts of the bar, in the order in which they are drawn.  The part
 * ELSEWHERE stands for tokens that were billed, but are not in the file; a part
 * of the kind TOOL for the results of one tool. */
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

/* A part of the bar: the tokens of all messages with one role, but for tool
 * calls and tool results; or those of one tool. */
struct bar_part {
	struct ctx_str name;
	enum rank rank;
	uint64_t tokens;
	/* letter that stands for this part in the bar and in its legend */
	char key;
	size_t cells;
	unsigned shade; /* index of the part's colour, see picture_color */
};

/* A range of percentages that says how full the context window is, such as 50
 * to 70.  to: upper limit of the range, or 0 if it has none. */
struct zone {
	unsigned to;
	const char *word; /* name of the range, such as "NEARLY FULL" */
	/* colour of this range, a number from the 256 colours of a terminal */
	unsigned shade;
};

/* A colour of a part of the bar: shade is for terminals with 256 colours, fill
 * for SVG. */
enum { PART_COLORS = 8 };
struct part_color {
	unsigned shade;
	const char *fill;
};

struct picture {
	const struct ctx_token_stats *t;
	/* size of the context window in tokens; 0 if not known */
	uint64_t window;
	/* Number of all tokens of the conversation, which the parts together
	 * stand for: counted, or known from its last billed request. */
	uint64_t tokens;
	/* true if the member "tokens" is known from a billed request */
	bool billed;
	/* True if the agent has replaced messages by a summary (compaction),
	 * and no request since then reports billed input tokens. */
	bool compacted;
	const struct zone *zone;
	/* Number of tokens that the full width of the bar stands for. */
	uint64_t scale;
	struct bar_part parts[PICTURE_PARTS];
	size_t n;
	bool color; /* true if the bar is printed with colours */
};

/* Computes a conversation's bar: sorts its parts and copies them into *picture,
 * whose members t, window and tokens must be set before.  Sets picture->scale
 * to the tokens that the full width of the bar stands for, at least 1. */
void picture_make(struct picture *picture, struct bar_part *parts, size_t n);
/* Divides the width of the bar among its parts. cells: the width, in terminal
 * columns or SVG units.  Returns the sum of the widths of all parts.  It
 * corresponds to picture->tokens, even if ctx counts more tokens in the parts.
 * Widths are rounded down; the remaining cells go to the parts that lost most
 * by this.  So a part with more tokens is never narrower than one with fewer.
 */
size_t picture_divide_width(struct picture *picture, size_t cells);
/* Returns the colour of a part.  Neighbours in the bar have different
 * colours. */
const struct part_color *picture_color(const struct bar_part *part);
/* Returns a number of tokens as a percentage of the context window.  If the
 * context window is not known, returns the percentage of the conversation's
 * tokens. */
double picture_get_share(const struct picture *picture, uint64_t tokens);

/* Writes the text above the bar to the buffer "out", such as "~108k of 128k
 * tokens, 84.5% FILLING UP (gpt-4o)".  Shortens the text if it is wider than
 * width columns. */
void bar_write_figures(char out[200], const struct picture *picture,
    size_t width);

/* ---- bar_text.c, bar_svg.c: draw the bar as text and as SVG ------------- */

/* Prints the bar of a conversation on the terminal, and adds the number of
 * lines printed to *lines. */
int bar_print(const struct bar *bar, struct picture *picture, unsigned *lines,
    struct ctx_err *err);
/* Appends the bar of a conversation to the SVG picture, below the bars of the
 * conversations before it. */
int bar_draw(struct bar *bar, struct picture *picture, struct ctx_err *err);

#endif
