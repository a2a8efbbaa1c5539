/* cover.c - tests the names that are found in texts, their weights, and the
 * choice of groups (messages that are removed together) by their names */
#include <math.h>

#include "prune/strategy/cover.h"
#include "prune/strategy/salient.h"
#include "prune/strategy/words.h"
#include "tap.h"

/* Appends each name and a comma to a buffer. */
static int
take(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct ctx_buf *found = user;

	return ctx_buf_add(found, p, n, err) < 0 ||
		ctx_buf_add(found, ",", 1, err) < 0
	    ? -1
	    : 0;
}

static bool
has_names(const char *text, const char *want)
{
	struct ctx_buf found = {0};
	struct ctx_words names = {&found, take, true};
	struct ctx_err err;
	bool same;

	NEED(ctx_names_of(&names, text, strlen(text), &err) == 0);
	same = found.n == strlen(want) &&
	    (found.n == 0 || memcmp(found.p, want, found.n) == 0);
	if (!same)
		printf("# %s gives %.*s\n", text, (int)found.n,
		    found.n > 0 ? found.p : "");
	ctx_buf_release(&found);
	return same;
}

enum { MOST_GROUPS = 12, MOST_NAMES = 10, MOST = MOST_GROUPS * MOST_NAMES };

struct fixture {
	struct ctx_cover_group groups[MOST_GROUPS + 1];
	uint32_t names[MOST];
	double weight[MOST_NAMES];
	struct ctx_cover cover;
};

static void
make_fixture(struct fixture *f, unsigned long long *seed)
{
	size_t g, i, w = 0, groups = 1 + tap_random(seed) % MOST_GROUPS;

	for (g = 0; g < groups; g++) {
		f->groups[g].from = w;
		for (i = 0; i < MOST_NAMES; i++)
			if (tap_random(seed) % 3 == 0)
				f->names[w++] = (uint32_t)i;
		f->groups[g].tokens = tap_random(seed) % 100;
		f->groups[g].kept = tap_random(seed) % 5 == 0;
	}
	f->groups[groups].from = w;
	/* Small integers, so that sums do not depend on the order of
	 * addition. */
	for (i = 0; i < MOST_NAMES; i++)
		f->weight[i] = (double)(tap_random(seed) % 4);
	f->cover = (struct ctx_cover){.n_groups = groups,
	    .n_names = MOST_NAMES,
	    .groups = f->groups,
	    .names = f->names,
	    .weight = f->weight,
	    .room = tap_random(seed) % 300};
}

static double
weigh(const struct fixture *f, size_t g, const bool *covered)
{
	double sum = 0;
	size_t i;

	for (i = f->groups[g].from; i < f->groups[g + 1].from; i++)
		if (!covered[f->names[i]])
			sum += f->weight[f->names[i]];
	return sum / pow((double)f->groups[g].tokens + 1, 0.8);
}

/* Makes the same choice without a heap: computes all scores again after each
 * choice. */
static void
choose_slowly(const struct fixture *f, double *score)
{
	bool covered[MOST_NAMES] = {false}, done[MOST_GROUPS];
	uint64_t room = f->cover.room;
	size_t g, i, best;

	for (g = 0; g < f->cover.n_groups; g++) {
		score[g] = 0;
		done[g] = f->groups[g].kept;
		for (i = f->groups[g].from;
		     f->groups[g].kept && i < f->groups[g + 1].from; i++)
			covered[f->names[i]] = true;
	}
	for (;;) {
		best = MOST_GROUPS;
		for (g = 0; g < f->cover.n_groups; g++)
			if (!done[g] &&
			    (best == MOST_GROUPS ||
				weigh(f, g, covered) >=
				    weigh(f, best, covered)))
				best = g;
		if (best == MOST_GROUPS)
			return;
		done[best] = true;
		score[best] = weigh(f, best, covered);
		if (score[best] <= 0 || f->groups[best].tokens > room)
			continue;
		room -= f->groups[best].tokens;
		for (i = f->groups[best].from; i < f->groups[best + 1].from;
		     i++)
			covered[f->names[i]] = true;
	}
}

enum { MARK = 9 };

/* Each group of the first half needs the group before it, or none.  The groups
 * of the second half are passages of one or more texts of the last group of the
 * first half. */
static void
add_needs(struct fixture *f, unsigned long long *seed)
{
	size_t g, heads = (f->cover.n_groups + 1) / 2;

	for (g = 0; g < heads; g++)
		f->groups[g].needs =
		    (uint32_t)(g > 0 && tap_random(seed) % 2 == 0 ? g - 1 : g);
	for (; g < f->cover.n_groups; g++) {
		f->groups[g].needs = (uint32_t)heads - 1;
		f->groups[g].kept = false;
		f->groups[g].joined = g > heads && tap_random(seed) % 3 > 0;
		f->groups[heads - 1].tokens += f->groups[g].joined ? 0 : MARK;
	}
	for (g = heads; g-- > 0;)
		if (f->groups[g].kept)
			f->groups[f->groups[g].needs].kept = true;
	f->cover.has_passages = true;
	f->cover.first_passage = heads;
	f->cover.mark_tokens = MARK;
}

/* Returns the number of tokens of the chosen groups, without the groups that
 * are kept in any case, plus the tokens of marks between the chosen
 * passages. */
static uint64_t
count_chosen(const struct fixture *f, const bool *chosen)
{
	size_t g, heads = f->cover.first_passage, n = f->cover.n_groups;
	uint64_t tokens = 0, marks = 0, texts = 0;

	for (g = 0; g < n; g++)
		tokens +=
		    chosen[g] && !f->groups[g].kept ? f->groups[g].tokens : 0;
	for (g = heads; g < n; g++) {
		texts += !f->groups[g].joined;
		marks += !chosen[g] && (!f->groups[g].joined || chosen[g - 1]);
	}
	/* The tokens of the group contain one mark per text. */
	tokens += marks * MARK;
	return tokens > texts * MARK ? tokens - texts * MARK : 0;
}

static void
check_needs(const struct fixture *f, bool *chosen)
{
	double score[MOST_GROUPS];
	struct ctx_err err;
	size_t g;

	NEED(ctx_cover_score(&f->cover, score, &err) == 0);
	for (g = 0; g < f->cover.n_groups; g++)
		chosen[g] = f->groups[g].chosen;
	NEED(ctx_cover_score(&f->cover, NULL, &err) == 0);
	for (g = 0; g < f->cover.n_groups; g++) {
		CHECK(!chosen[g] || chosen[f->groups[g].needs]);
		CHECK(f->groups[g].chosen == chosen[g]);
	}
	CHECK(count_chosen(f, chosen) <= f->cover.room);
}

/* Chooses from a group of 10 tokens with two passages of 20 tokens.  The
 * passages are in one text if joined is true, otherwise each is a text. */
static void
choose_of_two(bool joined, uint64_t room, bool *chosen)
{
	struct fixture f = {.groups = {{.tokens = 10 + (joined ? 1 : 2) * MARK},
				{.from = 0, .tokens = 20},
				{.from = 1, .tokens = 20, .joined = joined},
				{.from = 2}},
	    .names = {0, 1},
	    .weight = {1, 1}};
	double score[MOST_GROUPS];
	struct ctx_err err;

	f.cover = (struct ctx_cover){.n_groups = 3,
	    .n_names = 2,
	    .groups = f.groups,
	    .names = f.names,
	    .weight = f.weight,
	    .room = room,
	    .has_passages = true,
	    .first_passage = 1,
	    .mark_tokens = MARK};
	NEED(ctx_cover_score(&f.cover, score, &err) == 0);
	for (size_t g = 0; g < 3; g++)
		chosen[g] = f.groups[g].chosen;
}

static void
test_marks(void)
{
	bool chosen[MOST_GROUPS];

	tap_case("a passage of another text leaves no mark beside a passage");
	choose_of_two(false, 50, chosen);
	CHECK(chosen[0] && chosen[1] && chosen[2]);
	choose_of_two(false, 49, chosen);
	CHECK(chosen[0] && chosen[1] + chosen[2] == 1);
	/* In one text, the first chosen passage has a mark beside it. */
	choose_of_two(true, 50, chosen);
	CHECK(chosen[0] && chosen[1] && chosen[2]);
	choose_of_two(true, 38, chosen);
	CHECK(chosen[1] + chosen[2] == 0);
}

/* Compares the weights of names in the same number of groups, and of a name in
 * more groups. */
static void
test_weights(void)
{
	enum { PLAIN, NUMBER, BY_ASSISTANT, REPEATED, FREQUENT, N };
	uint8_t flags[N] = {0, CTX_NAME_NUMBER, CTX_NAME_BY_ASSISTANT, 0, 0};
	uint32_t list[] = {PLAIN, NUMBER, BY_ASSISTANT, FREQUENT, REPEATED,
	    REPEATED, REPEATED};
	struct text_piece piece = {.names_end = CTX_LENGTH(list)};
	struct text_pieces pieces = {.names = list, .list = &piece, .n = 1};
	struct salient_segment segments[] = {{.pieces = &pieces},
	    {.before = 1}};
	struct name_table table = {.flags = flags};
	struct salient s = {.table = &table,
	    .segments = segments,
	    .n_names = N,
	    .input = {.n = 1}};
	double weight[N] = {3, 3, 3, 3, 4};
	struct ctx_err err;

	NEED(ctx_salient_weigh(&s, 100, weight, &err) == 0);
	tap_case("numbers weigh less, and names that the assistant wrote");
	CHECK(weight[NUMBER] > 0 && weight[NUMBER] < weight[BY_ASSISTANT]);
	CHECK(weight[BY_ASSISTANT] < weight[PLAIN]);
	tap_case("a name in several passages weighs more");
	CHECK(weight[REPEATED] > weight[PLAIN]);
	tap_case("a name in more than three groups weighs about half");
	CHECK(weight[FREQUENT] < 0.6 * weight[PLAIN]);
	CHECK(weight[FREQUENT] > 0.4 * weight[PLAIN]);
}

int
main(void)
{
	bool chosen[MOST_GROUPS];
	double fast[MOST_GROUPS], slow[MOST_GROUPS];
	char data[202] = "";
	unsigned long long seed = 7;
	struct fixture f;
	struct ctx_err err;
	size_t round, g;

	tap_case("a name is a path, an identifier, an id or a number");
	CHECK(has_names("in src/a.c, of my_name() and 12345",
	    "src/a.c,my_name,12345,"));
	CHECK(has_names("call getUser(), obj.field->other_1",
	    "getUser,"
	    "obj.field,"
	    "other_1,"));
	CHECK(has_names("flight HAT123 on 2024-05-16.", "HAT123,2024-05-16,"));
	tap_case("ordinary words, short names and long data are no names");
	CHECK(has_names("at 2026-05-14T09:12:00, 00:1b:44:11:3a:b7; id:12345",
	    "2026-05-14T09:12:00,00:1b:44:11:3a:b7,12345,"));
	CHECK(has_names("src/a.c:41:12: at 09:12:00", "src/a.c,"));
	CHECK(has_names("\033[1mAttention\033[0m web@0.0.1", "web@0.0.1,"));
	CHECK(has_names("The parser fails - Well, x_1 or 123. END--- ...", ""));
	CHECK(has_names("sentence ends.", ""));
	CHECK(has_names("", ""));
	memset(data, '7', 201);
	CHECK(has_names(data, ""));
	data[200] = ',';
	CHECK(has_names(data, data));
	tap_case("an escaped line feed does not begin a name");
	CHECK(has_names("\\nsrc/a.c\\tsrc/b.c\\", "src/a.c,src/b.c,"));
	tap_case("joints at the ends are no part of a name");
	CHECK(has_names("./src/a.c. @types/node/ -x_1_2-",
	    "src/a.c,types/node,x_1_2,"));
	tap_case("groups are scored as by weighing everything anew each time");
	for (round = 0; round < 3000; round++) {
		make_fixture(&f, &seed);
		NEED(ctx_cover_score(&f.cover, fast, &err) == 0);
		choose_slowly(&f, slow);
		for (g = 0; g < f.cover.n_groups; g++)
			CHECK(fast[g] == slow[g]);
	}
	tap_case(
	    "chosen groups fit with all that they need, and with marks, and "
	    "are the same without scores");
	for (round = 0; round < 3000; round++) {
		make_fixture(&f, &seed);
		add_needs(&f, &seed);
		check_needs(&f, chosen);
	}
	test_marks();
	test_weights();
	tap_case("without groups and names there is nothing to score");
	f.groups[0].from = 0;
	f.cover.n_groups = f.cover.n_names = 0;
	f.cover.has_passages = false;
	CHECK(ctx_cover_score(&f.cover, fast, &err) == 0);
	return tap_done();
}
