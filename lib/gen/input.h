/*
 * input.h - reads the data of lib/gen, for programs that run when ctx is built
 *
 * A program defines PROGRAM, its name in messages, before it includes this.
 */
#ifndef CTX_GEN_INPUT_H
#define CTX_GEN_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 0x110000 }; /* number of code points */

/* Ends the program with an error unless "is" is true. what: what is wrong, or
 * the line that is. */
static inline void
check(bool is, const char *what)
{
	if (is)
		return;
	fprintf(stderr, PROGRAM ": %s\n", what);
	exit(1);
}

/* Calls "take" for each line of a file but those that begin with #. */
static inline void
read_lines(const char *path, void (*take)(const char *line))
{
	FILE *in = fopen(path, "r");
	char line[200];

	check(in != NULL, path);
	while (fgets(line, sizeof line, in) != NULL)
		if (line[0] != '#')
			take(line);
	check(!ferror(in), path);
	fclose(in);
}

/* Reads the two code points at the beginning of a line, which are a range.
 * Returns what follows them. */
static inline const char *
read_range(const char *line, unsigned *first, unsigned *last)
{
	int n = 0;

	check(sscanf(line, "%x %x %n", first, last, &n) == 2 &&
		*first <= *last && *last < POINTS,
	    line);
	return line + n;
}

/* Reads a list of byte strings, for each a byte with its length and then its
 * bytes (see lib/gen/data/README), and calls "take" for each.  Returns their
 * number. */
static inline size_t
split_strings(const char *list, size_t size,
    void (*take)(size_t i, const char *p, size_t n))
{
	size_t at = 0, i, n;

	for (i = 0; at < size; i++, at += 1 + n) {
		n = (unsigned char)list[at];
		check(at + 1 + n <= size, "a string is cut off");
		take(i, list + at + 1, n);
	}
	return i;
}

#endif
