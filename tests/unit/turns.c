/*
 * turns.c - tests which user messages of a turn are its questions
 *
 * A conversation is written as letters: u is a user message, d a demonstration,
 * a an assistant message, s a system message.  The test checks for each message
 * whether it is a question (CTX_SEGMENT_TASK), which is kept as long as its
 * turn.
 */
#include "group/group.h"
#include "tap.h"

static const char DEMO[] = "Look.\\n--- DEMONSTRATION ---\\n$ ls\\n"
			   "--- END OF DEMONSTRATION ---\\n";

/* Adds a message of Chat Completions. more: JSON of members after its text. */
static void
add(struct ctx_groups *groups, const char *role, const char *text,
    const char *more)
{
	const struct ctx_dialect *dialect = ctx_dialect_find("openai-chat");
	struct ctx_cost cost = {.tokens = 1};
	struct ctx_message message = {0};
	struct ctx_json json;
	struct ctx_buf line = {0};
	struct ctx_err err;
	size_t used;

	NEED(ctx_buf_printf(&line, &err, "{\"role\":\"%s\",\"content\":%s%s}",
		 role, text, more) == 0);
	ctx_json_init(&json, CTX_SIMD_BEST);
	NEED(ctx_json_scan(&json, line.p, line.n, &used, &err) == 1);
	NEED(ctx_dialect_read_message(dialect, &json, 0, &message, &err) == 1);
	NEED(ctx_groups_add(groups, &message, &cost, 0, &err) == 0);
	ctx_message_release(&message);
	ctx_json_release(&json);
	ctx_buf_release(&line);
}

/* Returns true if a user message with this text (a JSON value) is a
 * demonstration. */
static bool
is_demo(const char *text, const char *more)
{
	struct ctx_groups groups;
	struct ctx_err err;
	bool demo;

	NEED(ctx_groups_init(&groups, &err) == 0);
	add(&groups, "user", text, more);
	demo = (groups.segments[0].flags & CTX_SEGMENT_DEMONSTRATION) != 0;
	ctx_groups_release(&groups);
	return demo;
}

static void
check_demos(void)
{
	tap_case(
	    "a text whose last line ends a demonstration is a demonstration");
	CHECK(is_demo("\"x\\n--- END OF DEMONSTRATION ---\"", ""));
	CHECK(is_demo("\"x\\n--- End of the demonstration ---\\n \\n\"", ""));
	CHECK(is_demo("\"<demonstration>\\nx\\n</demonstration>\"", ""));
	CHECK(is_demo("\"x\\n=== END DEMO ===\"", ""));
	CHECK(is_demo("\"x\\nEND OF TRAJECTORY\"", ""));
	CHECK(is_demo("\"x\\n\\u002d END OF \\u0044EMONSTRATION\"", ""));
	CHECK(is_demo("[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"text\","
		      "\"text\":\"END OF DEMONSTRATION\"}]",
	    ""));
	tap_case("a message with is_demo true is a demonstration");
	CHECK(is_demo("\"x\"", ",\"is_demo\":true"));
	CHECK(!is_demo("\"x\"", ",\"is_demo\":false"));
	CHECK(!is_demo("\"x\"", ",\"is_demo\":\"true\""));
	tap_case("no other text is a demonstration");
	CHECK(!is_demo("\"\"", ""));
	CHECK(!is_demo("null", ""));
	CHECK(!is_demo("\"--- END OF DEMONSTRATION ---\\nNow fix a.c\"", ""));
	CHECK(!is_demo("\"Where does it end? demonstration\"", ""));
	CHECK(!is_demo("\"End the demonstration of a.c\"", ""));
	CHECK(!is_demo("\"the demonstration\"", ""));
	CHECK(!is_demo("\"--- END OF EXAMPLE ---\"", ""));
	CHECK(!is_demo("[{\"type\":\"text\",\"text\":\"END OF DEMONSTRATION\"},"
		       "{\"type\":\"text\",\"text\":\"Now fix a.c\"}]",
	    ""));
	CHECK(!is_demo("[{\"type\":\"text\",\"text\":\"END OF DEMONSTRATION\"},"
		       "{\"type\":\"image_url\",\"image_url\":"
		       "{\"url\":\"http://a/b\"}}]",
	    ""));
	CHECK(!is_demo("[{\"type\":\"image_url\",\"image_url\":"
		       "\"http://a/b\"},"
		       "{\"type\":\"text\",\"text\":\"END OF DEMONSTRATION\"}]",
	    ""));
}

/* Returns true if the questions of a conversation are the messages with ? in
 * want. */
static bool
asks(const char *conversation, const char *want)
{
	struct ctx_groups groups;
	struct ctx_err err;
	bool same = true;
	char demo[200];
	size_t i;

	(void)snprintf(demo, sizeof demo, "\"%s\"", DEMO);
	NEED(ctx_groups_init(&groups, &err) == 0);
	for (i = 0; conversation[i] != '\0'; i++)
		add(&groups,
		    conversation[i] == 'a'       ? "assistant"
			: conversation[i] == 's' ? "system"
						 : "user",
		    conversation[i] == 'd' ? demo : "\"x\"", "");
	for (i = 0; conversation[i] != '\0'; i++)
		same &= ((groups.segments[i].flags & CTX_SEGMENT_TASK) != 0) ==
		    (want[i] == '?');
	ctx_groups_release(&groups);
	return same;
}

int
main(void)
{
	check_demos();
	tap_case("the first user message that is no demonstration and the last "
		 "one of a turn ask");
	CHECK(asks("ua", "?."));
	CHECK(asks("uua", "??."));
	CHECK(asks("uuuua", "?..?."));
	CHECK(asks("dua", ".?."));
	CHECK(asks("duuua", ".?.?."));
	CHECK(asks("uda", "??."));
	CHECK(asks("udua", "?.?."));
	CHECK(asks("da", "?."));
	CHECK(asks("dda", ".?."));
	CHECK(asks("ddua", "..?."));
	tap_case("each turn has its own questions");
	CHECK(asks("duuuaaduuua", ".?.?...?.?."));
	CHECK(asks("usua", "?.?."));
	CHECK(asks("uauuasuu", "?.??..??"));
	return tap_done();
}
