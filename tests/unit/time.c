/* time.c - tests parsing of times as message formats write them */
#include "base/base.h"
#include "tap.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

static bool
is(const char *text, int64_t want)
{
	int64_t ms = -1;

	return ctx_time_parse(text, strlen(text), &ms) && ms == want;
}

int
main(void)
{
	static const char *const wrong[] = {"", " ", "x", "-1", "+1",
	    "2026-11-10", "2026-11-10T", "2026-13-10T09:00", "2026-11-32T09:00",
	    "2026-00-10T09:00", "2026-11-10T25:00", "2026-11-10T09:60",
	    "2026-11-10T09:00:61", "2026-11-10T09:00:00.", "1e9", "12.",
	    "2026-11-10T09:00Zx", "2026-11-10T09:00+1", "2026-11-10T09:00 x",
	    "2026-11-10T09:00+24:00", "2026-11-10T09:00+01:60",
	    "2026-11-10T09:00-x1:00", "99999999999999999999",
	    "2026-11-10t09:00:0", "1793527200 "};
	int64_t ms;
	size_t i;

	tap_case("dates with and without zones and fractions");
	CHECK(is("1970-01-01T00:00:00Z", 0));
	CHECK(is("1970-01-01 00:00", 0));
	CHECK(is("2026-11-10T09:00:07.774Z", 1794301207774));
	CHECK(is("2026-11-10T10:00:07.774+01:00", 1794301207774));
	CHECK(is("2026-11-10T03:30:07.774912345-0530", 1794301207774));
	CHECK(is("2026-11-02T10:00:04.120391+00:00", 1793613604120));
	CHECK(is("2000-02-29T12:00:00Z", 951825600000));
	CHECK(is("2100-03-01T00:00:00Z", 4107542400000));
	CHECK(is("1969-12-31T23:59:59Z", -1000));
	CHECK(is("0001-01-01T00:00:00Z", -62135596800000));
	tap_case("seconds and milliseconds");
	CHECK(is("0", 0));
	CHECK(is("1793527200", 1793527200000));
	CHECK(is("1793527200.5", 1793527200500));
	CHECK(is("1793527200000", 1793527200000));
	tap_case("other values are not times");
	for (i = 0; i < LENGTH(wrong); i++)
		if (ctx_time_parse(wrong[i], strlen(wrong[i]), &ms)) {
			printf("# %s\n", wrong[i]);
			CHECK(0);
		}
	return tap_done();
}
