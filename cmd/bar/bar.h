/* bar.h - the context bar: how full a context is, and with what */
#ifndef CTX_CMD_BAR_BAR_H
#define CTX_CMD_BAR_BAR_H

#include "cli/cli.h"

struct bar {
	/* Options: */
	bool shown, follow;
	const char *svg; /* file to write the picture to, or NULL */
	unsigned color;  /* bar_color_name */
	/* Its own, for the conversation being read: */
	struct ctx_intern names;
	struct bar_part *parts; /* by the number of their names */
	size_t n, cap;
	/* ... and for what was drawn: */
	struct ctx_buf pictures; /* of the file svg */
	unsigned height;         /* of these */
	unsigned lines;          /* printed since bar_wait */
	struct stat *last;       /* what bar_wait saw of the files */
};

/* "auto", "always", "never", NULL after the last. */
const char *bar_color_name(unsigned i);

/* Dies of options that do not go together; other: those that print anything
 * else. */
void bar_check(struct bar *bar, struct cli *cli, bool other);
/* Is there a bar to draw? */
bool bar_is_on(const struct bar *bar);
/* A message, and the end of the conversation with its window in tokens (0:
 * not known), of which a picture is then printed, and kept for the file. */
int bar_add(struct bar *bar, const struct ctx_token_stats *t,
    struct ctx_err *err);
int bar_end(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    struct ctx_err *err);
/* One of the largest messages, in a line below the pictures; before the first
 * an empty one. */
int bar_item(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    bool first, struct ctx_err *err);
/* Writes the file, if one is asked for; dies if that fails. */
void bar_write(struct bar *bar, const struct cli *cli);

/*
 * With --follow waits until one of the command's files has changed since the
 * last call (the first returns at once), then makes room for new pictures where
 * the last ones stand.
 */
void bar_wait(struct bar *bar, const struct cli *cli);
void bar_release(struct bar *bar);

#endif
