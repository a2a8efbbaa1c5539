/* bar.h - draws how full a context window is and what takes its tokens, as a
 * bar on the terminal or as SVG */
#ifndef CTX_CMD_BAR_BAR_H
#define CTX_CMD_BAR_BAR_H

#include "count/count.h"
#include "cli/cli.h"

struct bar {
	/* Values of command-line options: */
	bool shown, follow;
	const char *svg; /* path of the SVG file to write, or NULL */
	unsigned color;  /* when colours are used: CLI_AUTO, ... */
	bool no_billed;  /* true if billed input is not shown */
	/* The members names, parts, n and cap are about the conversation that
	 * is being read. */
	struct ctx_intern names;
	/* The parts of the bar.  The string table names gives each part an id,
	 * counted from 1; parts[id - 1] is the part. */
	struct bar_part *parts;
	size_t n, cap;
	/* The remaining members are about all bars that were drawn so far. */
	/* SVG elements of all bars drawn so far, without the head of the SVG
	 * file. */
	struct ctx_buf pictures;
	/* sum of the heights of all bars drawn so far, in SVG units */
	unsigned height;
	/* number of terminal lines printed since the last call of bar_wait */
	unsigned lines;
	/* Result of stat(2) for each input file at the end of the last
	 * bar_wait.  A file has changed if its device, inode, size or
	 * modification time has. */
	struct stat *last;
};

/* Exits with an error if the options for the bar contradict other options.
 * other is true if there is an option that asks for an output other than the
 * bar. */
void bar_check(struct bar *bar, struct cli *cli, bool other);
/* Returns true if the options ask for a bar. */
bool bar_is_on(const struct bar *bar);
/* bar_add adds a message's tokens to the bar of its conversation. bar_end ends
 * the conversation, and prints its bar or adds it to the SVG. window is the
 * context window in tokens, or 0 if it is not known. */
int bar_add(struct bar *bar, const struct ctx_token_stats *t,
    struct ctx_err *err);
int bar_end(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    struct ctx_err *err);
/* Prints a line about one of the largest messages of a conversation, below the
 * conversation's bar.  If first is true, prints an empty line before it. */
int bar_item(struct bar *bar, const struct ctx_token_stats *t, uint64_t window,
    bool first, struct ctx_err *err);
/* Writes the SVG file if the options ask for one.  Exits with an error if it
 * cannot be written. */
void bar_write(struct bar *bar, const struct cli *cli);

/*
 * Used with --follow, which draws the bars again when the input changes.  The
 * first call returns at once.  A later call waits until an input file has
 * changed since the call before, then clears the old bars from the terminal.
 */
void bar_wait(struct bar *bar, const struct cli *cli);
void bar_release(struct bar *bar);

#endif
