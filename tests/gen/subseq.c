/*
 * subseq.c - checks that a filter has only removed lines
 *
 *     subseq INPUT OUTPUT
 *
 * Exits with status 0 if all lines of OUTPUT, with their line ends, are lines
 * of INPUT in the same order.  Otherwise prints the first other line, and exits
 * with status 1.  Each line is matched with the first equal line of INPUT: a
 * later match could not help the lines after it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct input {
	char *p;
	size_t n, cap;
	size_t at; /* offset of the next line */
};

static void
die(const char *what, const char *name)
{
	fprintf(stderr, "subseq: %s: %s\n", name, what);
	exit(2);
}

static struct input
read_all(const char *name)
{
	struct input in = {0};
	FILE *f = fopen(name, "rb");
	size_t got;

	if (f == NULL)
		die("cannot open", name);
	do {
		if (in.n == in.cap) {
			in.cap = in.cap * 2 + 65536;
			in.p = realloc(in.p, in.cap);
			if (in.p == NULL)
				die("out of memory", name);
		}
		got = fread(in.p + in.n, 1, in.cap - in.n, f);
		in.n += got;
	} while (got > 0);
	if (ferror(f))
		die("cannot read", name);
	fclose(f);
	return in;
}

/* Sets *p and *n to the next line with its line end.  Returns false after the
 * last line. */
static bool
line(struct input *in, const char **p, size_t *n)
{
	const char *eol;

	if (in->at == in->n)
		return false;
	*p = in->p + in->at;
	eol = memchr(*p, '\n', in->n - in->at);
	*n = eol != NULL ? (size_t)(eol - *p) + 1 : in->n - in->at;
	in->at += *n;
	return true;
}

int
main(int argc, char **argv)
{
	struct input from, to;
	const char *want, *have;
	size_t n, size, number = 0;
	bool found = true;

	if (argc != 3)
		die("usage: subseq INPUT OUTPUT", "arguments");
	from = read_all(argv[1]);
	to = read_all(argv[2]);
	while (found && line(&to, &want, &n)) {
		number++;
		do
			found = line(&from, &have, &size);
		while (found && (size != n || memcmp(have, want, n) != 0));
	}
	if (!found)
		printf("%zu: not a line of the input, or not in its place\n",
		    number);
	free(from.p);
	free(to.p);
	return found ? 0 : 1;
}
