/* rewrite.c - tests that the stored parse of a message in memory is equal to a
 * new parse */
#include "stream/rewrite.h"
#include "tap.h"

static const struct ctx_held_queue entries = {
    .entry_size = sizeof(struct ctx_held_message)};

struct test {
	struct ctx_rewrite rewrite;
	struct ctx_stream stream;
	struct ctx_buf text;
	/* number of messages whose parse is stored */
	size_t n_kept;
};

static int
hold_message(void *user, const struct ctx_event *event, struct ctx_err *err)
{
	struct test *test = user;
	struct ctx_held_message *held =
	    ctx_held_queue_add(&test->rewrite.lines, event, err);

	if (held == NULL ||
	    ctx_rewrite_hold(&test->rewrite, held, event, err) < 0 ||
	    ctx_rewrite_keep_parse(&test->rewrite, held, event, err) < 0)
		return -1;
	test->n_kept += held->parse != 0;
	return 0;
}

/* Checks that reading a message with its stored parse, and without it, has
 * equal results. */
static void
compare_reads(struct ctx_rewrite *rewrite, const struct ctx_held_message *held)
{
	struct ctx_held_message parsed = *held;
	struct ctx_message *message = &rewrite->message;
	struct ctx_str blocks, nodes;
	struct ctx_message kept;
	struct ctx_err err;

	NEED(ctx_rewrite_reread(rewrite, held, &err) == 1);
	kept = *message;
	blocks.n = kept.n * sizeof *kept.blocks;
	blocks.p = memcpy(malloc(blocks.n + 1), kept.blocks, blocks.n);
	nodes.n = rewrite->json.n * sizeof *rewrite->json.nodes;
	nodes.p = memcpy(malloc(nodes.n), rewrite->json.nodes, nodes.n);
	CHECK(rewrite->json.text == held->text);
	parsed.parse = 0;
	rewrite->scanned = NULL;
	NEED(ctx_rewrite_reread(rewrite, &parsed, &err) == 1);
	CHECK(kept.role == message->role && kept.flags == message->flags &&
	    kept.node == message->node && kept.dialect == message->dialect);
	CHECK(kept.n == message->n &&
	    memcmp(blocks.p, message->blocks, blocks.n) == 0);
	CHECK(nodes.n == rewrite->json.n * sizeof *rewrite->json.nodes &&
	    memcmp(nodes.p, rewrite->json.nodes, nodes.n) == 0);
	free((char *)blocks.p);
	free((char *)nodes.p);
}

/* Reads n messages, of which every second one is long, and keeps them in
 * memory. */
static void
open_test(struct test *test, size_t n)
{
	static const struct ctx_rewrite_command command = {.entries = &entries,
	    .message = hold_message};
	struct ctx_err err;
	size_t i;

	memset(test, 0, sizeof *test);
	for (i = 0; i < n; i++)
		NEED(ctx_buf_printf(&test->text, &err, "%s\n",
			 i % 2 == 0
			     ? "{\"role\":\"user\",\"content\":\"a\"}"
			     : "{\"role\":\"assistant\",\"content\":null,"
			       "\"tool_calls\":[{\"id\":\"c\",\"type\":"
			       "\"function\",\"function\":{\"name\":\"f\","
			       "\"arguments\":\"{}\"}}]}") == 0);
	NEED(ctx_reader_open_text(&test->stream.reader, "text",
		 (struct ctx_str){test->text.p, test->text.n}, &err) == 0);
	test->rewrite.stream = &test->stream;
	ctx_rewrite_init(&test->rewrite, CTX_SIMD_BEST);
	NEED(ctx_rewrite_run(&test->rewrite, &command, test, &err) == 0);
	NEED(test->rewrite.lines.end == n);
}

static void
close_test(struct test *test)
{
	ctx_rewrite_release(&test->rewrite);
	ctx_stream_release(&test->stream);
	ctx_reader_close(test->stream.reader);
	ctx_buf_release(&test->text);
}

static void
compare_all(struct test *test)
{
	const struct ctx_held_queue *lines = &test->rewrite.lines;
	size_t i;

	for (i = 0; i < lines->end; i++)
		compare_reads(&test->rewrite, ctx_held_queue_at(lines, i));
}

static void
keep_all(void)
{
	struct test test;

	tap_case("a message is the same from its kept parse as parsed again");
	open_test(&test, 20);
	CHECK(test.n_kept == 20);
	compare_all(&test);
	close_test(&test);
}

static void
keep_some(void)
{
	struct test test;

	tap_case("messages whose parses exceed 1 MiB are parsed again");
	open_test(&test, 10000);
	CHECK(test.n_kept > 1000 && test.n_kept < 10000);
	CHECK(test.rewrite.parses.n <= 1 << 20);
	compare_all(&test);
	close_test(&test);
}

static void
change_text(void)
{
	static const char text[] = "{\"role\":\"assistant\",\"content\":\"b\"}";
	struct ctx_held_message *held;
	struct ctx_err err;
	struct test test;
	char *copy = malloc(sizeof text);

	tap_case("a message is parsed again after its text was changed");
	NEED(copy != NULL);
	memcpy(copy, text, sizeof text);
	open_test(&test, 1);
	held = ctx_held_queue_at(&test.rewrite.lines, 0);
	ctx_rewrite_free_text(&test.rewrite, held);
	ctx_rewrite_set_text(&test.rewrite, held, copy, sizeof text - 1);
	NEED(ctx_rewrite_reread(&test.rewrite, held, &err) == 1);
	CHECK(test.rewrite.message.role == CTX_ROLE_ASSISTANT);
	close_test(&test);
}

static void
change_dialect(void)
{
	const struct ctx_dialect *anthropic = ctx_dialect_find("anthropic");
	struct ctx_held_message *held;
	struct ctx_err err;
	struct test test;

	tap_case("a message is parsed again in another dialect");
	open_test(&test, 1);
	held = ctx_held_queue_at(&test.rewrite.lines, 0);
	NEED(anthropic != NULL && held->dialect != anthropic);
	held->dialect = anthropic;
	NEED(ctx_rewrite_reread(&test.rewrite, held, &err) == 1);
	CHECK(test.rewrite.message.dialect == anthropic);
	close_test(&test);
}

int
main(void)
{
	keep_all();
	keep_some();
	change_text();
	change_dialect();
	return tap_done();
}
