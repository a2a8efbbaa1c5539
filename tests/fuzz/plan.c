/*
 * plan.c - fuzz target: compares the plan (which messages are removed) with a
 * slow and simple plan
 *
 * Input: bytes from which unit/plan_slow.h makes a conversation and its limits.
 */
#include "fuzz.h"
#include "../unit/plan_slow.h"

/* Checks that only whole groups (messages that can only be removed together)
 * are removed.  The kept messages must be within the target, or must not
 * contain a group that may be removed. */
static void
judge(struct fixture *f, const struct result *whole)
{
	struct slow s = {.f = f};
	size_t i;

	slow_groups(&s);
	slow_holds(&s);
	for (i = 0; i < f->n; i++) {
		must(!(whole->marks[i] & CTX_MARK_DROP) || !s.held[i]);
		must((whole->marks[i] & CTX_MARK_DROP) ==
		    (whole->marks[s.group[i]] & CTX_MARK_DROP));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct result whole, slow, stream;
	struct fixture f = {.data = data, .size = size, .seed = 1};
	size_t i;
	bool noted = false;

	if (size > 1000)
		return -1;
	make_messages(&f);
	make_limits(&f);
	plan_them(&f, false, &whole);
	slow_plan(&f, &slow);
	must(same(&f, &whole, &slow));
	judge(&f, &whole);
	plan_them(&f, true, &stream);
	must(same(&f, &whole, &stream));
	f.note = 1 + upto(&f, 20);
	plan_them(&f, false, &whole);
	plan_them(&f, true, &stream);
	must(same(&f, &whole, &stream));
	for (i = 0; i < f.n; i++)
		noted |= (whole.marks[i] & CTX_MARK_NOTICE) != 0;
	must(!noted || whole.after <= f.settings.budget);
	return 0;
}
