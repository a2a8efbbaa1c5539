/* bar.h - draws how full a context window is and what takes its tokens, as a
 * bar on the terminal or as SVG */
#ifndef CTX_CMD_BAR_BAR_H
#define CTX_CMD_BAR_BAR_H

#include "cli/cli.h"

struct bar {
	/* Options: */
	bool shown, follow;
	const char *svg; /* path of the SVG file to write, or NULL */
	/* when colours are used, as an index for bar_color_name:
	 * automatically, always or never */
	unsigned color;
	/* From here on, the members are about the conversation that is being
	 * read. */
	struct ctx_intern names;
	/* The parts of the bar.  A part's index is the id of its name in names,
	 * minus 1. */
	struct bar_part *parts;
	size_t n, cap;
	/* From here on, the members are about all bars drawn so far. */
	/* SVG elements of all bars drawn so far, without the file's head */
	struct ctx_buf pictures;
	unsigned height; /* height of all bars in the SVG file */
	unsigned lines;  /* terminal lines printed since the last bar_wait */
	/* The result of stat(2) for each input file when bar_wait returned.
	 * bar_wait compares the device, inode, size and modification time to
	 * see whether a file has changed. */
	struct stat *last;
};

/* Returns "auto", "always" and "never" for 0 to 2, and NULL for a higher i. */
const char *bar_color_name(unsigned i);

/* Exits with an error if the options for the bar contradict others. other is
 * true if an option that prints something else than the bar is given. */
void bar_check(struct bar *bar, struct cli *cli, bool other);
/* Returns true if a bar is to be drawn. */
bool bar_is_on(const struct bar *bar);
/* bar_add adds a message's tokens to the bar of its conversation. bar_end ends
 * the conversation, and prints its bar or adds it to the SVG. window is the
 * context window in tokens, or 0 if it is not known. */
int bar_add(struct bar *bar, const struct ctx_token_stats *t,
    struct ctx_err *err);
int bar_end(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    struct ctx_err *err);
/* Below the bar, prints a line about one of the largest messages.  If first is
 * true, prints an empty line before it. */
int bar_item(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    bool first, struct ctx_err *err);
/* Writes the SVG file if one was asked for; exits with an error if that fails.
 */
void bar_write(struct bar *bar, const struct cli *cli);

/*
 * With --follow, waits until an input file has changed since the last call;
 * the first call returns at once.  Then clears the terminal from where the last
 * bars begin, so that new ones replace them.
 */
void bar_wait(struct bar *bar, const struct cli *cli);
void bar_release(struct bar *bar);

#endif
