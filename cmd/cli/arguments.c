/* arguments.c - reads the arguments of options, and numbers in environment
 * variables */
#include <stdlib.h>
#include <string.h>

#include "prune/prune.h"
#include "cli/cli.h"

/* Reads a decimal number at *text, multiplies it by scale (a power of ten), and
 * moves *text to the end of the number.  If the product is not an integer,
 * returns false if exact is true, and drops the fraction if exact is false.
 * Also returns false if there is no number, or it is too large. */
static bool
read_decimal(const char **text, uint64_t scale, bool exact, uint64_t *out)
{
	uint64_t n = 0;
	const char *p = *text;
	bool digits = false, point = false;

	for (; (*p >= '0' && *p <= '9') || (*p == '.' && !point); p++) {
		if (*p == '.') {
			point = true;
			continue;
		}
		digits = true;
		if (point && scale == 1) {
			if (exact)
				return false;
			continue;
		}
		if (n > (UINT64_MAX / 1000000000 - 9) / 10)
			return false;
		n = n * 10 + (uint64_t)(*p - '0');
		if (point)
			scale /= 10;
	}
	*out = n * scale;
	*text = p;
	return digits;
}

static bool
read_number(const char *text, uint64_t *out)
{
	static const char units[] = "kMG";
	uint64_t n, factor = 1;
	const char *unit;
	char letter;

	if (!read_decimal(&text, 1000, true, &n))
		return false;
	letter = *text == 'K' ? 'k' : *text;
	if (letter != '\0' && (unit = strchr(units, letter)) != NULL) {
		for (; unit >= units; unit--)
			factor *= 1000;
		text++;
	}
	if (*text != '\0' || n > UINT64_MAX / factor || n * factor % 1000 != 0)
		return false;
	*out = n * factor / 1000;
	return true;
}

/* Reads a time such as "90s", "30m", "2h" or "7d" into *out, in milliseconds.
 * Returns false if the time is malformed. */
static bool
read_span(const char *text, uint64_t *out)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	uint64_t n;
	size_t i;

	if (!read_decimal(&text, 1000, true, &n) || text[0] == '\0' ||
	    text[1] != '\0')
		return false;
	for (i = 0; i < CTX_LENGTH(units); i++)
		if (units[i].unit == text[0]) {
			*out = n * units[i].seconds;
			return n <= UINT64_MAX / 2 / units[i].seconds;
		}
	return false;
}

static bool
read_amount(const char *text, struct ctx_amount *out)
{
	size_t n = strlen(text);
	uint64_t share;

	out->set = true;
	out->percent = n > 0 && text[n - 1] == '%';
	if (!out->percent)
		return read_number(text, &out->n);
	if (!read_decimal(&text, 1000, false, &share) ||
	    strcmp(text, "%") != 0 || share > 100000)
		return false;
	out->n = share;
	return true;
}

/* Returns true if text may be the suffix of --in-place, which is appended to
 * the name of a file.  The suffix must not begin with a letter or digit: with
 * -in or -ib 8000 the user probably means the options -i -n or -i -b 8000. */
static bool
is_suffix(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	return text[0] != '\0' && strchr(letters, text[0]) == NULL &&
	    strchr(text, '/') == NULL;
}

static bool
read_choice(const struct cli_option *option, const char *text, unsigned *out)
{
	unsigned i;

	for (i = 0; option->choice(i) != NULL; i++)
		if (strcmp(option->choice(i), text) == 0) {
			*out = i;
			return true;
		}
	return false;
}

/* Returns true if a number ends with a point and three digits: with 8.000 the
 * user probably means 8000.  A number that begins with 0, such as 0.125, does
 * not count. */
static bool
has_grouped_digits(const char *text)
{
	const char *point = strchr(text, '.');

	return point != NULL && point > text && text[0] != '0' &&
	    strspn(point + 1, "0123456789") == 3 && point[4] == '\0';
}

/* Rewrites a number: removes the letters B and iB at its end (8KB, 8KiB), and
 * the point in a number such as 8.000; writes 1e4 as 10000. */
static void
rewrite_number(char spelled[40])
{
	size_t n = strlen(spelled);
	double value;
	char *end;

	if (n > 1 && (spelled[n - 1] == 'B' || spelled[n - 1] == 'b'))
		spelled[--n] = '\0';
	if (n > 1 && spelled[n - 1] == 'i')
		spelled[--n] = '\0';
	if (has_grouped_digits(spelled))
		memmove(&spelled[n - 4], &spelled[n - 3], 4);
	value = strtod(spelled, &end);
	if (strpbrk(spelled, "eE") != NULL && *end == '\0' && value >= 1 &&
	    value < 1e15)
		(void)snprintf(spelled, 40, "%.0f", value);
}

/* Guesses which number the user meant by a malformed number, and writes the
 * guess to the buffer "spelled".  Removes signs between the digits (20000 for
 * 20,000), calls rewrite_number, writes the unit as a capital letter (20M for
 * 20m), and converts a share to percent (70% for 0.7).  Returns false if the
 * guess is malformed, too. */
static bool
suggest_number(const struct cli_option *option, const char *text,
    char spelled[40])
{
	struct ctx_amount amount;
	size_t n = 0;
	double share;
	char *end;

	for (; *text != '\0' && n < 30; text++)
		if (strchr("_,'= ", *text) == NULL)
			spelled[n++] = *text;
	spelled[n] = '\0';
	if (*text != '\0' || n == 0)
		return false;
	rewrite_number(spelled);
	n = strlen(spelled);
	if (spelled[n - 1] == 'm' || spelled[n - 1] == 'g')
		spelled[n - 1] = spelled[n - 1] == 'm' ? 'M' : 'G';
	share = strtod(spelled, &end);
	if (option->type == CLI_AMOUNT && *end == '\0' && share > 0 &&
	    share < 1)
		(void)snprintf(spelled, 40, "%g%%", share * 100);
	return option->type == CLI_AMOUNT ? read_amount(spelled, &amount)
					  : read_number(spelled, &amount.n);
}

const char *
cli_argument_example(const struct cli_option *option)
{
	static const char *const examples[] = {
	    [CLI_NUMBER] = ", such as 20 or 20k",
	    [CLI_SPAN] = ", such as 90s, 30m, 2h or 7d",
	    [CLI_AMOUNT] = ", such as 20k or 70%",
	};

	return option->type < CTX_LENGTH(examples) &&
		examples[option->type] != NULL
	    ? examples[option->type]
	    : "";
}

void
cli_bad_argument(const struct cli *cli, const struct cli_option *option,
    const char *text)
{
	static const char *const wanted[] = {
	    [CLI_FILE] = "a name",
	    [CLI_LIST] = "a value",
	    [CLI_NUMBER] = "a number such as 20000, 20k or 1.5M",
	    [CLI_SUFFIX] = "a suffix such as .bak, without slashes and not "
			   "beginning with a letter or digit",
	    [CLI_SPAN] = "a time such as 90s, 30m, 2h or 7d",
	    [CLI_AMOUNT] = "a number such as 20k, or a share of up to 100% "
			   "such as 70%",
	};
	char names[400], spelled[40];
	size_t n = 0;
	unsigned i;

	if ((option->type == CLI_NUMBER || option->type == CLI_AMOUNT) &&
	    suggest_number(option, text, spelled))
		cli_die(cli, "--%s: '%s' is not %s; did you mean %s?",
		    option->name, text, wanted[option->type], spelled);
	if (text[0] == '\0' && option->type != CLI_SUFFIX)
		cli_die(cli,
		    "--%s: the argument is empty; is a shell variable not set?",
		    option->name);
	if (option->choice == NULL || option->type == CLI_FILE)
		cli_die(cli, "--%s: '%s' is not %s", option->name, text,
		    wanted[option->type]);
	names[0] = '\0';
	for (i = 0; option->choice(i) != NULL && n < sizeof names; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s",
		    i > 0 ? ", " : "", option->choice(i));
	cli_die(cli, "--%s: '%s' is not one of %s", option->name, text, names);
}

static void
add_to_list(const struct cli *cli, struct cli_list *list, const char *text)
{
	const char **grown = realloc(list->list, (list->n + 1) * sizeof *grown);

	if (grown == NULL)
		cli_die(cli, "out of memory");
	list->list = grown;
	grown[list->n++] = text;
}

void
cli_store(struct cli *cli, const struct cli_option *option, const char *text)
{
	struct ctx_err err;
	unsigned choice;
	bool right = true;

	if (option->given != NULL)
		*option->given = true;
	switch (option->type) {
	case CLI_FLAG:
		*(bool *)option->to = true;
		break;
	case CLI_STRING:
		*(const char **)option->to = text;
		break;
	case CLI_FILE:
		/* An empty file name is an error, because it probably comes
		 * from a variable that a script has not set. */
		right = text[0] != '\0';
		*(const char **)option->to = text;
		break;
	case CLI_SUFFIX:
		/* If -i is given again without a suffix, the suffix that was
		 * given before remains valid. */
		right = text == NULL || is_suffix(text);
		if (text != NULL)
			*(const char **)option->to = text;
		break;
	case CLI_NUMBER:
		right =
		    !has_grouped_digits(text) && read_number(text, option->to);
		break;
	case CLI_SPAN:
		right = read_span(text, option->to);
		break;
	case CLI_AMOUNT:
		right =
		    !has_grouped_digits(text) && read_amount(text, option->to);
		break;
	case CLI_CHOICE:
		right = read_choice(option, text, option->to);
		break;
	case CLI_BITS:
		right = read_choice(option, text, &choice);
		if (right)
			*(unsigned *)option->to |= 1u << choice;
		break;
	case CLI_PATTERN:
		right = text[0] != '\0';
		if (ctx_pattern_add(option->to, text, &err) < 0)
			cli_die(cli, "--%s: %s", option->name, err.text);
		break;
	case CLI_LIST:
		right = text[0] != '\0';
		add_to_list(cli, option->to, text);
		break;
	case CLI_HEADING:
	case CLI_BRIEF:
		break;
	}
	if (!right)
		cli_bad_argument(cli, option, text);
}

void
cli_check_needs(const struct cli *cli, const struct cli_need *needs, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (needs[i].given && !needs[i].met)
			cli_die(cli, "--%s needs %s", needs[i].name,
			    needs[i].needs);
}

void
cli_check_conflicts(const struct cli *cli, const struct cli_conflict *conflicts,
    size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (conflicts[i].given && conflicts[i].excluded)
			cli_die(cli,
			    "--%s has no effect with %s; give one of these two "
			    "options",
			    conflicts[i].name, conflicts[i].other);
}

void
cli_env_number(const struct cli *cli, const char *name, uint64_t *to)
{
	const char *value = cli_environment(name);

	if (value != NULL && !read_number(value, to))
		cli_die(cli, "environment variable %s: '%s' is not a number",
		    name, value);
}

bool
cli_tunable_share(const struct cli *cli, const char *name, uint64_t *to)
{
	const char *value = cli_environment(name), *rest = value;

	if (value == NULL)
		return false;
	if (!read_decimal(&rest, 100000, false, to) || *rest != '\0' ||
	    *to > 100000)
		cli_die(cli,
		    "environment variable %s: '%s' is not a number between 0 "
		    "and 1",
		    name, value);
	return true;
}
