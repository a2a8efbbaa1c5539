/* consumer.c - a program of somebody else's: counts a text, prunes a stream */
#include <ctx.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int
complain(const struct ctx_err *err)
{
	(void)fprintf(stderr, "consumer: %s\n", err->text);
	return 1;
}

static int
count(const char *text, struct ctx_err *err)
{
	struct ctx_tokenizer *tokenizer = NULL;
	struct ctx_token_counter *counter = NULL;
	uint64_t tokens;
	int rc;

	rc = ctx_tokenizer_open(&tokenizer, "o200k_base", NULL, err);
	if (rc == 0)
		rc = ctx_token_counter_open(&counter, tokenizer, CTX_SIMD_BEST,
		    err);
	if (rc == 0)
		rc = ctx_token_count(counter, text, strlen(text), &tokens, err);
	if (rc == 0)
		(void)fprintf(stderr, "%" PRIu64 " tokens\n", tokens);
	ctx_token_counter_close(counter);
	ctx_tokenizer_close(tokenizer);
	return rc;
}

static int
prune(uint64_t budget, struct ctx_err *err)
{
	struct ctx_prune_config options = {0};
	struct ctx_stream stream = {0};
	struct ctx_writer writer;
	struct ctx_model_counters counters = {.encoding = "o200k_base"};
	char name[] = "-", *files[] = {name};
	int rc;

	options.budget = (struct ctx_amount){.n = budget, .set = true};
	options.settings.level = CTX_LEVEL_BALANCED;
	options.settings.keep_last = 4;
	options.settings.keep_turns = 3;
	options.settings.pin_system = true;
	options.settings.strategy = ctx_strategy_find("pinned-fifo");
	ctx_writer_init(&writer, STDOUT_FILENO);
	rc = ctx_reader_open(&stream.reader, files, 1, err);
	if (rc == 0)
		rc = ctx_prune_stream(&stream, &writer, &counters, &options,
		    err);
	if (rc == 0)
		rc = ctx_writer_flush(&writer, err);
	ctx_reader_close(stream.reader);
	ctx_stream_release(&stream);
	ctx_writer_release(&writer);
	ctx_model_counters_release(&counters);
	return rc;
}

int
main(void)
{
	struct ctx_err err;

	if (count("hello world", &err) < 0 || prune(2000, &err) < 0)
		return complain(&err);
	return 0;
}
