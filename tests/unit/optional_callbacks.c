/*
 * optional_callbacks.c - tests library functions without their optional
 * callbacks
 */
#include <unistd.h>

#include "prune/held_conversation.h"
#include "cache/cache.h"
#include "count/count.h"
#include "prune/strategy/embed.h"
#include "tap.h"

static const char chat[] =
    "{\"role\":\"user\",\"content\":\"one two three four five six\"}\n"
    "{\"role\":\"assistant\",\"content\":\"one two three four five six\"}\n"
    "{\"role\":\"user\",\"content\":\"seven\"}\n"
    "{\"role\":\"assistant\",\"content\":\"eight\"}\n";

/* A call of a library function.  Its output must be the same with callbacks and
 * without callbacks. */
struct run {
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_model_counters counters;
	char in[40], out[40], *files[1];
	int fd;
};

static void
begin(struct run *run, const char *text)
{
	struct ctx_err err;
	int fd;

	memset(run, 0, sizeof *run);
	strcpy(run->in, "/tmp/callbacks-in-XXXXXX");
	strcpy(run->out, "/tmp/callbacks-out-XXXXXX");
	fd = mkstemp(run->in);
	NEED(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	run->fd = mkstemp(run->out);
	NEED(run->fd >= 0);
	run->files[0] = run->in;
	NEED(ctx_reader_open(&run->stream.reader, run->files, 1, &err) == 0);
	ctx_writer_init(&run->writer, run->fd);
}

/* Copies the output to out, and returns its length in bytes. */
static size_t
end(struct run *run, char *out, size_t size)
{
	struct ctx_err err;
	ssize_t n;

	NEED(ctx_writer_flush(&run->writer, &err) == 0);
	ctx_writer_release(&run->writer);
	ctx_reader_close(run->stream.reader);
	ctx_stream_release(&run->stream);
	ctx_model_counters_release(&run->counters);
	n = pread(run->fd, out, size, 0);
	NEED(n >= 0 && (size_t)n < size);
	close(run->fd);
	unlink(run->in);
	unlink(run->out);
	return (size_t)n;
}

static int
pruned(void *user, const struct ctx_prune_outcome *outcome, struct ctx_err *err)
{
	(void)err;
	*(uint64_t *)user = outcome->messages_kept;
	return 0;
}

static size_t
prune(char *out, size_t size, uint64_t *left)
{
	struct ctx_prune_config options = {0};
	struct ctx_err err;
	struct run run;

	begin(&run, chat);
	options.settings.strategy = ctx_strategy_find("fifo");
	options.settings.keep_messages = 1;
	options.budget.set = true;
	options.budget.n = 20;
	options.user = left;
	options.ended = left != NULL ? pruned : NULL;
	NEED(options.settings.strategy != NULL);
	CHECK(ctx_prune_stream(&run.stream, &run.writer, &run.counters,
		  &options, &err) == 0);
	return end(&run, out, size);
}

static int
marked(void *user, const struct ctx_cache_outcome *outcome, struct ctx_err *err)
{
	(void)err;
	*(uint64_t *)user = outcome->n_breakpoints;
	return 0;
}

static size_t
cache(char *out, size_t size, uint64_t *marks)
{
	struct ctx_cache_options options = {.provider = "anthropic"};
	struct ctx_err err;
	struct run run;

	begin(&run, chat);
	options.user = marks;
	options.ended = marks != NULL ? marked : NULL;
	CHECK(ctx_mark_cache(&run.stream, &run.writer, &run.counters, &options,
		  &err) == 0);
	return end(&run, out, size);
}

static int
counted(void *user, const struct ctx_token_stats *stats, struct ctx_err *err)
{
	(void)err;
	*(uint64_t *)user += stats->tokens;
	return 0;
}

static void
tally(uint64_t *messages, uint64_t *all)
{
	struct ctx_count_hooks hooks = {0};
	struct ctx_err err;
	struct run run;
	char none[8];

	begin(&run, chat);
	hooks.user = messages != NULL ? messages : all;
	hooks.message = messages != NULL ? counted : NULL;
	hooks.ended = all != NULL ? counted : NULL;
	CHECK(ctx_count_stream(&run.stream, &run.counters, &hooks, &err) == 0);
	CHECK(end(&run, none, sizeof none) == 0);
}

int
main(void)
{
	char told[1024], silent[1024];
	uint64_t left = 0, marks = 0, messages = 0, all = 0;
	double near[3] = {-1, -1, -1};
	const struct ctx_command command = {
	    "sed 's/.*\"\"}$/[0,1]/; s/.*\"}$/[1,0]/'", 20, NULL, NULL};
	struct ctx_embed embed = {0};
	struct ctx_err err;
	size_t n;

	tap_case("ctx_prune_stream without a callback writes the same output");
	n = prune(told, sizeof told, &left);
	CHECK(left > 0 && left < 4);
	CHECK(n > 0 && n < sizeof chat - 1);
	CHECK(prune(silent, sizeof silent, NULL) == n);
	CHECK(memcmp(told, silent, n) == 0);
	tap_case("ctx_mark_cache without a callback writes the same output");
	n = cache(told, sizeof told, &marks);
	CHECK(marks > 0 && n > sizeof chat - 1);
	CHECK(cache(silent, sizeof silent, NULL) == n);
	CHECK(memcmp(told, silent, n) == 0);
	tap_case("ctx_count gives messages without totals, and totals without "
		 "messages");
	tally(&messages, NULL);
	tally(NULL, &all);
	/* The first tokens of an answer (3) belong to no message. */
	CHECK(messages > 0 && all == messages + 3);
	tap_case("closing a request prefix that was never opened is allowed");
	ctx_request_prefix_close(NULL);
	tap_case("the size limit of an embedder's output is bounded for any "
		 "number of texts");
	CHECK(ctx_embed_max(0) == 98304 && ctx_embed_max(1) == 2 * 98304);
	for (n = 10000; n <= SIZE_MAX / 2; n += n / 9)
		CHECK(ctx_embed_max(n) >= 10000 * (size_t)98304 &&
		    ctx_embed_max(n) <= (size_t)1 << 30);
	CHECK(ctx_embed_max(43690) == (size_t)1 << 30);
	CHECK(ctx_embed_max(SIZE_MAX) == (size_t)1 << 30);
	tap_case("texts that were never added are empty for an embedder");
	CHECK(ctx_embed_add(&embed, "a", 1, &err) == 0);
	embed.command = &command;
	CHECK(ctx_embed_nearness(&embed, (struct ctx_str){"a", 1}, near, 3,
		  &err) == 0);
	CHECK(near[0] > 0.99 && near[1] < 0.01 && near[2] < 0.01);
	ctx_embed_release(&embed);
	return tap_done();
}
