/* bar.h - the context bar: how full a context is, and with what */
#ifndef CTX_CMD_BAR_BAR_H
#define CTX_CMD_BAR_BAR_H

#include "cli/cli.h"

struct bar {
	/* Options: */
	bool shown, follow;
	const char *svg; /* file to write the picture to, or NULL */
	unsigned color;  /* index of bar_color_name */
	/* Internal, for the conversation being read: */
	struct ctx_intern names;
	struct bar_part *parts; /* by the id of their name */
	size_t n, cap;
	/* Internal, for the pictures drawn so far: */
	struct ctx_buf pictures; /* content of the file svg */
	unsigned height;         /* their height */
	unsigned lines;          /* lines printed since bar_wait */
	struct stat *last;       /* state of each file at the last bar_wait */
};

/* Returns "auto", "always", "never", or NULL after the last. */
const char *bar_color_name(unsigned i);

/* Exits with an error if options contradict each other; other is true if
 * another option prints something else. */
void bar_check(struct bar *bar, struct cli *cli, bool other);
/* Returns true if a bar is to be drawn. */
bool bar_is_on(const struct bar *bar);
/* Add a message; end the conversation, and print and store its picture. window
 * is in tokens, 0 if not known. */
int bar_add(struct bar *bar, const struct ctx_token_stats *t,
    struct ctx_err *err);
int bar_end(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    struct ctx_err *err);
/* Prints one of the largest messages below the pictures. The first is preceded
 * by an empty line. */
int bar_item(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    bool first, struct ctx_err *err);
/* Writes the SVG file, if any; exits if that fails. */
void bar_write(struct bar *bar, const struct cli *cli);

/*
 * With --follow, waits until a file of the command has changed since the last
 * call; the first call returns at once.  Then moves the cursor to where the
 * last pictures begin.
 */
void bar_wait(struct bar *bar, const struct cli *cli);
void bar_release(struct bar *bar);

#endif
