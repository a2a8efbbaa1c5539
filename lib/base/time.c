/* time.c - parses times as message formats write them */
#include "base/base.h"

/* Reads a number with the given count of digits, and moves *p to the byte after
 * it.  Returns false if there are fewer digits, or if the number is not in the
 * range from least to most. */
static bool
take_digits(const char **p, const char *end, int digits, int least, int most,
    int64_t *out)
{
	int64_t n = 0;

	for (; digits > 0; digits--, ++*p) {
		if (*p == end || **p < '0' || **p > '9')
			return false;
		n = n * 10 + (**p - '0');
	}
	*out = n;
	return n >= least && n <= most;
}

static bool
skip_char(const char **p, const char *end, char c)
{
	if (*p == end || **p != c)
		return false;
	++*p;
	return true;
}

/* Returns the number of days from 1970-01-01 to a date of the proleptic
 * Gregorian calendar.  Years are counted from March, so that a leap day is the
 * last day of its year. */
static int64_t
days_since_epoch(int64_t year, int64_t month, int64_t day)
{
	int64_t era, of_era;

	year -= month <= 2;
	era = year / 400;
	of_era = year - era * 400;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 +
	    (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1 - 719468;
}

/* Reads the fraction of a second, if there is one, and sets *ms to its
 * milliseconds.  Ignores digits after the third one. */
static bool
take_fraction(const char **p, const char *end, int64_t *ms)
{
	int64_t scale = 100;

	*ms = 0;
	if (!skip_char(p, end, '.') && !skip_char(p, end, ','))
		return true;
	if (*p == end || **p < '0' || **p > '9')
		return false;
	for (; *p < end && **p >= '0' && **p <= '9'; ++*p, scale /= 10)
		*ms += (**p - '0') * scale;
	return true;
}

/* Reads a time zone ("Z", "+01:00", "-0530", or nothing for UTC), and sets
 * *minutes to its offset in minutes east of UTC. */
static bool
take_zone(const char **p, const char *end, int64_t *minutes)
{
	int64_t hours, rest = 0;
	bool west;

	*minutes = 0;
	if (*p == end || skip_char(p, end, 'Z') || skip_char(p, end, 'z'))
		return true;
	west = **p == '-';
	if (!skip_char(p, end, west ? '-' : '+') ||
	    !take_digits(p, end, 2, 0, 23, &hours))
		return false;
	(void)skip_char(p, end, ':');
	if (*p < end && !take_digits(p, end, 2, 0, 59, &rest))
		return false;
	*minutes = (hours * 60 + rest) * (west ? -1 : 1);
	return true;
}

static bool
read_date(const char *p, const char *end, int64_t *ms)
{
	int64_t year, month, day, hour, minute, second = 0, part, zone;

	if (!take_digits(&p, end, 4, 1, 9999, &year) ||
	    !skip_char(&p, end, '-') ||
	    !take_digits(&p, end, 2, 1, 12, &month) ||
	    !skip_char(&p, end, '-') || !take_digits(&p, end, 2, 1, 31, &day) ||
	    (!skip_char(&p, end, 'T') && !skip_char(&p, end, 't') &&
		!skip_char(&p, end, ' ')) ||
	    !take_digits(&p, end, 2, 0, 24, &hour) ||
	    !skip_char(&p, end, ':') ||
	    !take_digits(&p, end, 2, 0, 59, &minute) ||
	    (skip_char(&p, end, ':') &&
		!take_digits(&p, end, 2, 0, 60, &second)) ||
	    !take_fraction(&p, end, &part) || !take_zone(&p, end, &zone) ||
	    p != end)
		return false;
	*ms = ((days_since_epoch(year, month, day) * 24 + hour) * 60 + minute -
		  zone) *
		60000 +
	    second * 1000 + part;
	return true;
}

/* Reads a number of seconds since 1970.  A number of 10^11 or more is read as
 * milliseconds, because 10^11 seconds would be a time after the year 5000. */
static bool
read_number(const char *p, const char *end, int64_t *ms)
{
	int64_t n = 0, part;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (n > INT64_MAX / 10000)
			return false;
		n = n * 10 + (*p - '0');
	}
	if (!take_fraction(&p, end, &part) || p != end)
		return false;
	*ms = n >= 100000000000 ? n : n * 1000 + part;
	return true;
}

bool
ctx_time_parse(const char *p, size_t n, int64_t *ms)
{
	const char *end = p + n;

	if (n == 0 || *p < '0' || *p > '9')
		return false;
	return read_date(p, end, ms) || read_number(p, end, ms);
}
