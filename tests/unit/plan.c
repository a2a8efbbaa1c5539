/*
 * plan.c - compares the plan (which messages are removed) with a slow and
 * simple plan
 *
 * Random conversations are planned in three ways: at once; message by message;
 * and by removing the oldest group again and again, with new sums each time.
 * All three must keep the same messages.
 */
#include "plan_slow.h"

static unsigned long
rounds(void)
{
	const char *more = getenv("CHECK_LONG");

	return more != NULL && atol(more) > 0 ? (unsigned long)atol(more)
					      : 20000;
}

/* Tests notices.  The result must be the same if messages arrive one by one.
 * Notices are only inserted if the budget has space, even if fewer messages are
 * kept than allowed.  Returns true if a notice was marked. */
static bool
check_notices(struct fixture *f, unsigned long *bad)
{
	struct result whole, stream;
	bool some = false;
	size_t i;

	f->note = 1 + upto(f, 20);
	f->settings.shrinks_last = upto(f, 1);
	f->settings.shrinks_turns = upto(f, 1);
	f->settings.shrinks_first = upto(f, 1);
	plan_them(f, false, &whole);
	plan_them(f, true, &stream);
	for (i = 0; i < f->n; i++)
		some |= (whole.marks[i] & CTX_MARK_NOTICE) != 0;
	if (same(f, &whole, &stream) &&
	    !(some && whole.after > f->settings.budget))
		return some;
	if ((*bad)++ == 0) {
		printf("# notices of %d, %d left: whole, streaming\n",
		    (int)f->note, (int)whole.after);
		explain(f, &whole, &stream);
	}
	return some;
}

/*
 * A user message with nothing after it but a late result is removed together
 * with the call of this result.  The call may be older than the kept messages.
 */
static void
check_late(void)
{
	static const struct message list[] = {
	    {.kind = 'c', .calls = 1, .tokens = 50},
	    {.kind = 'a', .tokens = 10},
	    {.kind = 'u', .tokens = 20},
	    {.kind = 'r', .calls = 1, .tokens = 50},
	    {.kind = 'u', .tokens = 10},
	    {.kind = 'a', .tokens = 30},
	    {.kind = 'u', .tokens = 10},
	};
	static const char want[] = {1, 0, 1, 1, 0, 0, 0};
	struct fixture f = {.n = sizeof list / sizeof list[0]};
	struct result whole, stream;
	unsigned long seed;

	tap_case("a user message before a late result is removed with the "
		 "result's call");
	f.dialect = *ctx_dialect_find("gemini");
	memcpy(f.list, list, sizeof list);
	f.settings.strategy = ctx_strategy_find("pinned-fifo");
	f.settings.budget = f.settings.trigger = f.settings.target = 110;
	plan_them(&f, false, &whole);
	CHECK(memcmp(whole.marks, want, sizeof want) == 0);
	for (seed = 1; seed < 100; seed++) {
		f.seed = seed;
		plan_them(&f, true, &stream);
		CHECK(same(&f, &whole, &stream));
	}
}

int
main(void)
{
	unsigned long i, n = rounds(), slow_bad = 0, stream_bad = 0;
	unsigned long over = 0, cut = 0, noted = 0, notice_bad = 0;
	struct result whole, slow, stream;
	struct fixture f;

	for (i = 1; i <= n; i++) {
		memset(&f, 0, sizeof f);
		f.seed = i * 0x9e3779b97f4a7c15ULL;
		make_messages(&f);
		make_limits(&f);
		plan_them(&f, false, &whole);
		slow_plan(&f, &slow);
		if (!same(&f, &whole, &slow) && slow_bad++ == 0) {
			printf("# seed %lu: plan, slow\n", i);
			explain(&f, &whole, &slow);
		}
		plan_them(&f, true, &stream);
		if (!same(&f, &whole, &stream) && stream_bad++ == 0) {
			printf("# seed %lu: whole, streaming\n", i);
			explain(&f, &whole, &stream);
		}
		cut += memchr(whole.marks, CTX_MARK_DROP, f.n) != NULL;
		over += whole.after > f.settings.target;
		noted += check_notices(&f, &notice_bad);
	}
	printf("# %lu conversations, %lu cut, %lu above their target\n", n, cut,
	    over);
	tap_case("the plan equals a slow plan that removes the oldest group "
		 "repeatedly");
	CHECK(slow_bad == 0);
	tap_case(
	    "a plan made while messages arrive equals the plan of the whole");
	CHECK(stream_bad == 0);
	tap_case("with notices both plans are equal and within the budget");
	CHECK(notice_bad == 0 && noted > n / 100);
	tap_case("more than a third of the random cases were cut");
	CHECK(cut > n / 3 && over < n);
	check_late();
	return tap_done();
}
