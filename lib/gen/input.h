/*
 * input.h - functions that read the data files of lib/gen; used by programs
 * that run when ctx is built
 *
 * A program that includes this header must first define the macro PROGRAM, the
 * name of the program in error messages.
 */
#ifndef CTX_GEN_INPUT_H
#define CTX_GEN_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 0x110000 }; /* number of Unicode code points */

/* Ends the program with an error message if the argument "is" is false. what:
 * the text of the error message, such as the wrong line of the input. */
static inline void
check(bool is, const char *what)
{
	if (is)
		return;
	fprintf(stderr, PROGRAM ": %s\n", what);
	exit(1);
}

/* Calls the function "take" for each line of a file, except lines that begin
 * with #. */
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

/* Reads a range of Unicode characters from the beginning of a line, where it is
 * written as two hexadecimal code points.  Sets *first and *last to the first
 * and last character of the range.  Returns a pointer to the rest of the
 * line. */
static inline const char *
read_range(const char *line, unsigned *first, unsigned *last)
{
	int n = 0;

	check(sscanf(line, "%x %x %n", first, last, &n) == 2 &&
		*first <= *last && *last < POINTS,
	    line);
	return line + n;
}

/* Calls the function "take" for each string of a list, with the number and the
 * bytes of the string.  In the list, a byte with the length of the string comes
 * before each string (see lib/gen/data/README).  Returns the number of
 * strings. */
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
