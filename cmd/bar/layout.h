/* layout.h - one picture of a context, before it is drawn */
#ifndef CTX_CMD_BAR_LAYOUT_H
#define CTX_CMD_BAR_LAYOUT_H

#include "bar/bar.h"

#define PICTURE_PARTS 12 /* the last may be the rest */

/* What a part is, in the order of the bar; tools are their results. */
enum rank { DEFINITIONS, SYSTEM, USER, ASSISTANT, OTHER, TOOL, REST };

/* All that a role said, or a tool brought. */
struct bar_part {
	struct ctx_str name;
	enum rank rank;
	uint64_t tokens;
	char key; /* its letter */
	size_t cells;
	unsigned shade;
};

/* The words for how full a window is; to: percent, itself included. */
struct zone {
	unsigned to;
	const char *word;
	/* Neighbours take turns: colours of 256, and the same in a file. */
	unsigned shade[2];
	const char *fill[2];
};

struct picture {
	const struct ctx_token_stats *t;
	uint64_t window; /* tokens, 0: not known */
	const struct zone *zone;
	uint64_t scale; /* tokens that the whole bar stands for */
	struct bar_part parts[PICTURE_PARTS];
	size_t n;
	bool color; /* on the terminal */
};

/* Sets it out from the parts, which it sorts; scale is 1 or more. */
void picture_make(struct picture *picture, const struct ctx_token_stats *t,
    uint64_t window, struct bar_part *parts, size_t n);
/* Gives each part its share of cells; together they are as many as the whole
 * comes to, rounded. */
size_t picture_cells(struct picture *picture, size_t cells);
/* Percent of the window, or where that is not known of the whole. */
double picture_share(const struct picture *picture, uint64_t tokens);

/* ---- text_width.c: names and figures in so many columns ---- */

size_t words_width(struct ctx_str name);
/* As much of the beginning of a name as so many columns hold. */
struct ctx_str words_head(struct ctx_str name, size_t width);
/* The place of a conversation or message in at most this many columns; the end
 * of a path tells more than its beginning. */
int words_place(struct ctx_buf *out, const struct ctx_token_stats *t,
    size_t width, struct ctx_err *err);
/* "~108133 of 128000 tokens, 84.5% DEGRADING (gpt-4o)", or less where that
 * is too wide. */
void words_figures(char out[200], const struct picture *picture, size_t width);

/* ---- bar_text.c, bar_svg.c: the picture as text and in a file ---- */

/* Prints it; adds the lines that it took. */
int bar_print(const struct bar *bar, struct picture *picture, unsigned *lines,
    struct ctx_err *err);
/* Adds it below the pictures of the file. */
int bar_draw(struct bar *bar, struct picture *picture, struct ctx_err *err);

#endif
