/* bar.h - draws the tokens of a context window as a bar, on the terminal or as
 * SVG: how full the window is, and how many tokens each role and tool has */
#ifndef CTX_CMD_BAR_BAR_H
#define CTX_CMD_BAR_BAR_H

#include "count/count.h"
#include "cli/cli.h"

struct bar {
	const struct cli *cli;
	/* The members from here to no_billed are the values of command-line
	 * options. */
	bool shown, follow;
	const char *svg; /* path of the SVG file to write, or NULL */
	/* says when colours are used: CLI_AUTO, CLI_ALWAYS or CLI_NEVER */
	unsigned color;
	/* true if the bar does not show the input tokens that the provider
	 * billed */
	bool no_billed;
	/* The members names, parts, n and cap describe the conversation that is
	 * being read. */
	struct ctx_intern names;
	/* The array of the parts of the bar: n elements are in use, and there
	 * is memory for cap elements.  The string table "names" gives the name
	 * of each part an id, counted from 1.  The part with the id i is
	 * parts[i - 1]. */
	struct bar_part *parts;
	size_t n, cap;
	/* SVG elements of all bars drawn since the last call of bar_write,
	 * without the head of the SVG file */
	struct ctx_buf pictures;
	/* sum of the heights of these bars, in SVG units */
	unsigned height;
	/* number of terminal lines printed since the last call of bar_wait */
	unsigned lines;
	/* For each input file, the result of stat(2) when bar_wait last
	 * returned.  The file has changed if its device, inode, size or
	 * modification time is different now. */
	struct stat *last;
};

/* Exits with an error if the options for the bar cannot be combined with other
 * options, or if --follow would read standard input.  Sets the options that
 * --follow implies. other: true if an option asks for another output than the
 * bar. */
void bar_check(struct bar *bar, struct cli *cli, bool other);
/* Returns true if the options ask for the bar that shows what fills the context
 * window, on the terminal or as SVG. */
bool bar_is_on(const struct bar *bar);
/* bar_add: adds a message's tokens to the bar of the message's conversation.
 * bar_end: ends the conversation, and prints the bar, adds it to the SVG
 * picture, or both. window: the context window in tokens, or 0 if it is not
 * known. */
int bar_add(struct bar *bar, const struct ctx_token_stats *t,
    struct ctx_err *err);
int bar_end(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    struct ctx_err *err);
/* Prints one line about a message, to list the largest messages of a
 * conversation below its bar.  If first is true, first prints an empty line. */
void bar_item(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    bool first);
/* Writes the SVG file if the options ask for one.  Exits with an error if the
 * file cannot be written. */
void bar_write(struct bar *bar, const struct cli *cli);

/*
 * Implements --follow, which draws the bars again when the input changes.  The
 * first call returns at once, as every call does without --follow.  Each later
 * call waits until an input file has changed since the previous call and all
 * input files exist, then erases the old bars on the terminal.
 */
void bar_wait(struct bar *bar, const struct cli *cli);
void bar_release(struct bar *bar);

#endif
