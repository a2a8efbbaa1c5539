/* shares.c - reads lists of percentages from options */
#include <stdlib.h>
#include <string.h>

#include "eval/print_results.h"

static _Noreturn void
refuse_shares(const struct cli *cli, const char *option, const char *text)
{
	char *end;
	double share = strtod(text, &end);

	if (*end == '\0' && share > 0 && share < 1)
		cli_die(cli,
		    "--%s: '%s' is not a percentage such as 10%%; did you mean "
		    "%g%%?",
		    option, text, share * 100);
	cli_die(cli,
	    "--%s: '%s' is not a list of at most %d different percentages such "
	    "as 10%%,25%%, each above 0 and below 100",
	    option, text, CTX_EVAL_SHARES);
}

/* Reads a percentage, such as "12.5%" or "12.5", at the beginning of *text, and
 * moves *text to its end.  Returns the percentage in thousandths of a percent,
 * or 0 if the text does not begin with a valid percentage. */
static uint64_t
read_share(const char **text)
{
	uint64_t whole = 0, scale = 1000, part = 0;
	const char *p = *text;

	for (; *p >= '0' && *p <= '9' && whole < 1000; p++)
		whole = whole * 10 + (uint64_t)(*p - '0');
	if (p == *text)
		return 0;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++)
			if (scale > 1) {
				scale /= 10;
				part += (uint64_t)(*p - '0') * scale;
			}
	/* A number such as 0.5 without a percent sign is refused: it probably
	 * means 50 %, not 0.5 %. */
	if (*p != '%' && whole == 0)
		return 0;
	if (*p == '%')
		p++;
	*text = p;
	return whole * 1000 + part;
}

static int
compare_shares(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void
eval_read_shares(const struct cli *cli, const char *option, const char *text,
    struct ctx_eval_shares *shares)
{
	const char *p = text;
	uint64_t share;
	size_t i;

	shares->n = 0;
	do {
		share = read_share(&p);
		if (share == 0 || share >= 100000 ||
		    shares->n == CTX_EVAL_SHARES || (*p != ',' && *p != '\0'))
			refuse_shares(cli, option, text);
		shares->list[shares->n++] = share;
	} while (*p++ == ',');
	qsort(shares->list, shares->n, sizeof shares->list[0], compare_shares);
	for (i = 1; i < shares->n; i++)
		if (shares->list[i] == shares->list[i - 1])
			refuse_shares(cli, option, text);
}
