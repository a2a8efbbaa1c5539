/* eval.c - tests ctx-eval: the names in a text, the search for strings in many
 * texts, the needed strings of a session, the figures of runs */
#include <math.h>

#include "eval/judge.h"
#include "tap.h"

/* ---- names --------------------------------------------------------------- */

/* Appends each name and a blank to a buffer. */
static int
take_name(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct ctx_buf *found = user;

	return ctx_buf_add(found, p, n, err) < 0
	    ? -1
	    : ctx_buf_add(found, " ", 1, err);
}

static bool
has_names(const char *text, const char *want)
{
	struct ctx_buf found = {0};
	const struct ctx_name_taker taker = {&found, take_name};
	struct ctx_err err;
	bool is_same;

	NEED(ctx_find_names(&taker, text, strlen(text), &err) == 0);
	is_same = found.n == strlen(want) &&
	    (found.n == 0 || memcmp(found.p, want, found.n) == 0);
	if (!is_same)
		printf("# '%s' gives '%.*s'\n", text, (int)found.n,
		    found.n > 0 ? found.p : "");
	ctx_buf_release(&found);
	return is_same;
}

static void
names(void)
{
	tap_case("a name has six characters, and more than small letters");
	CHECK(has_names("ordinary words are no names, Capitals neither", ""));
	CHECK(has_names("abcd1 abcde1 12345 123456", "abcde1 123456 "));
	CHECK(has_names("under_score _under parseLine PARSER", //
	    "under_score parseLine "));
	CHECK(has_names("a.b.c.d e.f obj.method", "a.b.c.d obj.method "));
	CHECK(has_names("\xd9\xa3\xd9\xa3\xd9\xa3\xd9\xa3\xd9\xa3\xd9\xa3",
	    "\xd9\xa3\xd9\xa3\xd9\xa3\xd9\xa3\xd9\xa3\xd9\xa3 "));
	CHECK(has_names("caf\xc3\xa9_1 caf\xc3\xa9_", "caf\xc3\xa9_1 "));
	tap_case("a path goes up to its last slash and what is after");
	CHECK(has_names("see src/main.c:12", "src/main.c "));
	CHECK(has_names("~/a/b/c.txt, /usr/bin/env.",
	    "~/a/b/c.txt /usr/bin/env "));
	CHECK(has_names("/single /other/ https://x.org/y", //
	    "//x.org/y "));
	CHECK(has_names("src/lib/ src/dir//", "src/lib src/dir "));
	CHECK(has_names("a/b/c~d/e/f~g", "a/b/c~d/e/f "));
	tap_case("ids with dashes are one name, dashes and dots around it not");
	CHECK(has_names("id 3fa8-11ec-9c1d.", "3fa8-11ec-9c1d "));
	CHECK(has_names("--dry-run -x well-known", ""));
	CHECK(has_names("...v1.2.3-rc... 10.0.0.1.", "v1.2.3 10.0.0.1 "));
	tap_case("invalid bytes and NUL separate words");
	CHECK(has_names("abc_def\xff"
			"ghi_jkl",
	    "abc_def ghi_jkl "));
}

/* ---- the search for strings ---- */

enum { STRINGS = 12 };

static void
mark_found(void *user, uint32_t number)
{
	unsigned *times = user;

	times[number]++;
}

static size_t
make_word(char *out, size_t most, unsigned long long *seed)
{
	size_t n = 1 + tap_random(seed) % most, i;

	for (i = 0; i < n; i++)
		out[i] = "ab"[tap_random(seed) >> 63];
	out[n] = '\0';
	return n;
}

static void
check_matches(unsigned long long *seed)
{
	char strings[STRINGS][8], text[64];
	unsigned times[STRINGS] = {0};
	const struct ctx_match_taker taker = {times, mark_found};
	struct ctx_matcher matcher = {0};
	struct ctx_err err;
	uint32_t i, k;

	for (i = 0; i < STRINGS; i++)
		NEED(ctx_matcher_add(&matcher,
			 (struct ctx_str){strings[i],
			     make_word(strings[i], 6, seed)},
			 i, &err) == 0);
	NEED(ctx_matcher_build(&matcher, &err) == 0);
	for (k = 0; k < 4; k++) {
		memset(times, 0, sizeof times);
		ctx_matcher_begin(&matcher);
		ctx_matcher_search(&matcher,
		    (struct ctx_str){text, make_word(text, 30, seed)}, &taker);
		for (i = 0; i < STRINGS; i++) {
			uint32_t first = 0;

			while (strcmp(strings[first], strings[i]) != 0)
				first++;
			CHECK(
			    times[first] == (strstr(text, strings[i]) != NULL));
			CHECK(first == i || times[i] == 0);
		}
	}
	ctx_matcher_release(&matcher);
}

static void
matches(void)
{
	unsigned long long seed = 7;
	size_t i;

	tap_case("a matcher finds each string once in a text that has it");
	for (i = 0; i < 2000 && !tap_case_failed; i++)
		check_matches(&seed);
	tap_case("an empty matcher finds nothing");
	{
		struct ctx_matcher matcher = {0};
		const struct ctx_match_taker taker = {NULL, mark_found};
		struct ctx_err err;

		NEED(ctx_matcher_build(&matcher, &err) == 0);
		ctx_matcher_begin(&matcher);
		ctx_matcher_search(&matcher, (struct ctx_str){"text", 4},
		    &taker);
		ctx_matcher_release(&matcher);
		CHECK(matcher.n == 0);
	}
}

/* ---- needed strings ------------------------------------------------------ */

/* A session that a test divides (splits), and the result. */
struct probe {
	size_t at;
	/* each needed string with the numbers of its messages, as "name@1,2
	 * " */
	struct ctx_buf needed;
	size_t messages;
	struct ctx_buf before;
	/* kept by the policies (ways to prune) oracle, recency and random */
	double kept[3];
	uint64_t limit;
};

static int
probe_session(void *user, const struct eval_session *session,
    struct ctx_err *err)
{
	struct probe *probe = user;
	struct eval_split split = {.at = probe->at};
	struct ctx_intern words = {0};
	struct eval_verdict verdict;
	const struct needed_string *s;
	size_t i, k;

	probe->messages = session->n;
	NEED(ctx_find_needed(session, &split, 1, &words, err) == 0);
	for (i = 0; i < split.n; i++) {
		s = &split.needed[i];
		NEED(ctx_buf_printf(&probe->needed, err, "%.*s@",
			 (int)s->text.n, s->text.p) == 0);
		for (k = 0; k < s->n_seen; k++)
			NEED(ctx_buf_printf(&probe->needed, err, "%s%u",
				 k > 0 ? "," : "", s->seen[k]) == 0);
		NEED(ctx_buf_add(&probe->needed, " ", 1, err) == 0);
	}
	NEED(
	    ctx_eval_write_before(session, split.at, &probe->before, err) == 0);
	for (k = 0; k < 3; k++) {
		NEED(ctx_eval_baseline((enum ctx_policy_kind)(
					   CTX_POLICY_ORACLE + k),
			 session, &split, probe->limit, &verdict, err) == 0);
		probe->kept[k] = verdict.kept;
	}
	free(split.needed);
	ctx_intern_release(&words);
	return 0;
}

static void
probe_text(struct probe *probe, const char *text)
{
	struct ctx_model_counters counters = {.encoding = "bytes/4"};
	const struct eval_input input = {.file = "name", .counters = &counters};
	const struct eval_session_taker taker = {probe, probe_session};
	struct ctx_err err;

	NEED(ctx_eval_read_sessions(&input,
		 (struct ctx_str){text, strlen(text)}, &taker, &err) == 0);
	NEED(ctx_buf_add(&probe->needed, "", 1, &err) == 0);
	ctx_model_counters_release(&counters);
}

static void
release_probe(struct probe *probe)
{
	ctx_buf_release(&probe->needed);
	ctx_buf_release(&probe->before);
}

#define USER(text) "{\"role\":\"user\",\"content\":\"" text "\"}\n"
#define SAID(text) "{\"role\":\"assistant\",\"content\":\"" text "\"}\n"
#define CALL(id, text)                                                      \
	"{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":" \
	"\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"run\","  \
	"\"arguments\":\"{\\\"path_key\\\":\\\"" text "\\\"}\"}}]}\n"
#define RESULT(id, text)                                                     \
	"{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" text \
	"\"}\n"

#define TEN(text) text text text text text text text text text text

/* Messages 0 to 11.  The session is divided before message 12. */
#define BEFORE                                                                 \
	"{\"role\":\"system\",\"content\":\"in_system\"}\n"            /* 0 */ \
	    USER("task in_user_1 in_said_1")                           /* 1 */ \
	    CALL("a", "in_call_1")                                     /* 2 */ \
	    RESULT("a", "in_result_1 x/in_result_2 often_1 in_call_1") /* 3 */ \
	    SAID("in_said_2 often_1 thrice_1")                         /* 4 */ \
	    CALL("b", "often_1 thrice_1")                              /* 5 */ \
	    RESULT("b", "often_1 in_result_3 thrice_1 in_said_2")      /* 6 */ \
	    SAID("yes") USER("y")                                      /* 8 */ \
	    SAID("newest_1") USER("last newest_2") /* 10 */                    \
	    RESULT("b", "newest_3")                /* 11 */

static void
needed(void)
{
	struct probe probe = {.at = 12, .limit = 1000};

	tap_case("a needed string was first in a user's message or a result");
	probe_text(&probe,
	    BEFORE CALL("c",
		"in_user_1 in_call_1 in_result_1 in_said_2 "
		"x/in_result_2"));
	CHECK(strcmp(probe.needed.p,
		  "in_user_1@1 in_result_1@3 x/in_result_2@3 ") == 0);
	CHECK(probe.messages == 13);
	CHECK(probe.before.n == strlen(BEFORE) &&
	    memcmp(probe.before.p, BEFORE, probe.before.n) == 0);
	CHECK(probe.kept[0] == 3 && probe.kept[1] == 3 && probe.kept[2] == 3);
	release_probe(&probe);
	tap_case("a string in what is always kept is not needed");
	probe = (struct probe){.at = 12};
	probe_text(&probe,
	    BEFORE CALL("c", "in_system newest_1 newest_2 newest_3 in_user_1"));
	CHECK(strcmp(probe.needed.p, "in_user_1@1 ") == 0);
	CHECK(probe.kept[0] == 0 && probe.kept[1] == 0);
	release_probe(&probe);
	tap_case("a string in more than three messages is not needed");
	probe = (struct probe){.at = 12};
	probe_text(&probe, BEFORE CALL("c", "often_1 thrice_1 in_result_3"));
	CHECK(strcmp(probe.needed.p, "in_result_3@6 ") == 0);
	release_probe(&probe);
	tap_case("a string that is shown again before its use is not needed");
	probe = (struct probe){.at = 12};
	probe_text(&probe,
	    BEFORE SAID("in_user_1") CALL("c", "in_user_1 in_result_1")
		RESULT("c", "in_result_3") CALL("d", "in_result_3"));
	CHECK(strcmp(probe.needed.p, "in_result_1@3 ") == 0);
	release_probe(&probe);
	tap_case("keys of arguments are not needed, escapes separate names");
	probe = (struct probe){.at = 12};
	probe_text(&probe,
	    BEFORE CALL("c", "x\\\\nin_result_1\\\\tin_result_3"));
	CHECK(strcmp(probe.needed.p, "in_result_1@3 in_result_3@6 ") == 0);
	release_probe(&probe);
}

static void
grouped_answers(void)
{
	struct probe probe = {.at = 9, .limit = 150};

	tap_case("tool calls that are answered together are one group");
	probe_text(&probe,
	    USER("task") CALL("a", TEN(TEN("a long argument of a tool call ")))
		CALL("b", "pwd") RESULT("a", "in_result_1") RESULT("b", "done")
		    SAID("one") USER("two") SAID("three") USER("four")
			CALL("c", "in_result_1"));
	CHECK(strcmp(probe.needed.p, "in_result_1@3 ") == 0);
	CHECK(probe.kept[0] == 0 && probe.kept[1] == 0 && probe.kept[2] == 0);
	release_probe(&probe);
}

static void
conversation_in_a_record(void)
{
	static const char text[] =
	    "{\"model\":\"gpt-4o\",\"messages\":[{\"role\":\"user\","
	    "\"content\":"
	    "\"see in_user_1\"},{\"role\":\"assistant\",\"content\":\"a\"},"
	    "{\"role\":\"user\",\"content\":\"b\"},{\"role\":\"assistant\","
	    "\"content\":\"c\"},{\"role\":\"user\",\"content\":\"d\"}, "
	    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"
	    "\"c\",\"type\":\"function\",\"function\":{\"name\":\"run\","
	    "\"arguments\":\"{\\\"a\\\":\\\"in_user_1\\\"}\"}}]}]}\n";
	static const char before[] =
	    "{\"model\":\"gpt-4o\",\"messages\":[{\"role\":\"user\","
	    "\"content\":"
	    "\"see in_user_1\"},{\"role\":\"assistant\",\"content\":\"a\"},"
	    "{\"role\":\"user\",\"content\":\"b\"},{\"role\":\"assistant\","
	    "\"content\":\"c\"},{\"role\":\"user\",\"content\":\"d\"}]}\n";
	struct probe probe = {.at = 5};

	tap_case(
	    "a conversation in a record is split in its array of messages");
	probe_text(&probe, text);
	CHECK(strcmp(probe.needed.p, "in_user_1@0 ") == 0);
	CHECK(probe.before.n >= strlen(before) - 1 &&
	    memcmp(probe.before.p, before, strlen(before) - 4) == 0);
	release_probe(&probe);
}

/* ---- policies ---- */

static void
check_policy(const char *text, const char *name, const char *want)
{
	const struct ctx_policy_prune prune = {.path = "ctx-prune",
	    .encoding = "utf8"};
	struct ctx_policy policy;
	struct ctx_buf words = {0};
	struct ctx_err err;
	size_t i;

	NEED(ctx_policy_parse(&policy, text, &prune, &err) == 0);
	for (i = 0; i < policy.n_words; i++)
		NEED(
		    ctx_buf_printf(&words, &err, "<%s>", policy.words[i]) == 0);
	NEED(ctx_buf_add(&words, "", 1, &err) == 0);
	CHECK(strcmp(policy.name, name) == 0);
	CHECK(strcmp(words.p, want) == 0);
	if (tap_case_failed)
		printf("# %s: %s\n", text, words.p);
	ctx_buf_release(&words);
	ctx_policy_release(&policy);
}

static void
policies(void)
{
	struct ctx_policy policy;
	struct ctx_err err;

	tap_case("a command is run without a shell if it needs none");
	check_policy("sed  1d", "sed  1d", "<sed><1d>");
	check_policy("a.b=cut -c {budget} {dir}/x", "a.b",
	    "<cut><-c><{budget}><{dir}/x>");
	check_policy("x=tail --lines=3", "x", "<tail><--lines=3>");
	tap_case("a command with characters for the shell is run by it");
	check_policy("cat | cat", "cat | cat", "</bin/sh><-c><cat | cat>");
	check_policy("x=sed 's/a b/c/'", "x", "</bin/sh><-c><sed 's/a b/c/'>");
	check_policy("x=A=1 env", "x", "</bin/sh><-c><A=1 env>");
	check_policy("x={ cat; }", "x", "</bin/sh><-c><{ cat; }>");
	tap_case("options are those of ctx-prune");
	check_policy("-s recall", "-s recall",
	    "<ctx-prune><-b><{budget}><-e><utf8><-s><recall>");
	check_policy("q=--query 'a b'", "q",
	    "</bin/sh><-c><exec \"$@\" --query 'a b'><sh><ctx-prune><-b>"
	    "<{budget}><-e><utf8>");
	tap_case("a policy for comparison has no command");
	check_policy("best=oracle", "best", "");
	tap_case("a policy without a command is refused");
	CHECK(ctx_policy_parse(&policy, "name=", NULL, &err) < 0);
	ctx_policy_release(&policy);
}

/* ---- figures ---- */

static void
figures(void)
{
	struct ctx_eval_sample samples[] = {{.session = 0, .needed = 4},
	    {.session = 0, .needed = 10}, {.session = 1, .needed = 2}};
	struct ctx_eval_run runs[] = {
	    {.sample = 0,
		.kept = 1,
		.recoverable = 1,
		.limit = 100,
		.tokens = 50},
	    {.sample = 1, .kept = 5, .limit = 100, .tokens = 150},
	    {.sample = 2,
		.kept = 2,
		.limit = 100,
		.tokens = 100,
		.invalid = true},
	    {.sample = 2, .budget = 1, .failure = "why"},
	};
	const struct ctx_eval_results results = {.samples = samples,
	    .n_samples = 3,
	    .runs = runs,
	    .n_runs = 4,
	    .sessions = 2};
	struct ctx_eval_figures f;
	struct ctx_err err;

	tap_case("figures are means over runs");
	NEED(ctx_eval_figures(&results, 0, 0, &f, &err) == 0);
	CHECK(f.runs == 3 && f.failed == 0);
	CHECK(fabs(f.kept - (0.25 + 0.5 + 1) / 3) < 1e-9);
	CHECK(fabs(f.recoverable - 0.25 / 3) < 1e-9);
	CHECK(fabs(f.kept + f.recoverable + f.lost - 1) < 1e-9);
	CHECK(fabs(f.tokens - 100) < 1e-9 && fabs(f.unused - 0.5 / 3) < 1e-9);
	CHECK(
	    fabs(f.over - 1.0 / 3) < 1e-9 && fabs(f.invalid - 1.0 / 3) < 1e-9);
	tap_case("the interval is that of sessions drawn at random");
	CHECK(f.has_interval);
	CHECK(fabs(f.low - 0.375) < 1e-9 && fabs(f.high - 1) < 1e-9);
	tap_case("failed runs are counted, and in no mean");
	NEED(ctx_eval_figures(&results, 0, 1, &f, &err) == 0);
	CHECK(f.runs == 0 && f.failed == 1 && f.failed_run == 3);
	CHECK(strcmp(f.failure, "why") == 0);
}

int
main(void)
{
	names();
	matches();
	needed();
	grouped_answers();
	conversation_in_a_record();
	policies();
	figures();
	return tap_done();
}
