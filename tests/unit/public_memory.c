/*
 * public_memory.c - tests the functions of ctx.h without memory
 *
 * Each scenario runs again and again, and each time another allocation of
 * libctx fails: only this one, or also all later ones.  The linker replaces
 * malloc, calloc and realloc (option --wrap).  Each function that has failed is
 * printed as "# FUNCTION MEMORY"; tests/docs.bats compares these lines with the
 * header.
 */
#include <stdbool.h>
#include <unistd.h>

#include "public_operations.h"

/* Number of the allocation that fails, from 1; 0: none does. */
static unsigned long fail_at;
/* Number of allocations of the scenario so far. */
static unsigned long allocations;
static bool later_fail;

static bool
fails(void)
{
	allocations++;
	return fail_at != 0 &&
	    (later_fail ? allocations >= fail_at : allocations == fail_at);
}

#define REPLACE(name, parameters, arguments)    \
	void *__real_##name parameters;         \
	void *__wrap_##name parameters;         \
	void *__wrap_##name parameters          \
	{                                       \
		if (fails())                    \
			return NULL;            \
		return __real_##name arguments; \
	}
REPLACE(malloc, (size_t n), (n))
REPLACE(calloc, (size_t n, size_t size), (n, size))
REPLACE(realloc, (void *p, size_t n), (p, n))

/* Prints a function that has failed, once. */
static void
print_failed(const char *function)
{
	static const char *printed[50];
	size_t i;

	for (i = 0; printed[i] != NULL; i++)
		if (strcmp(printed[i], function) == 0)
			return;
	NEED(i + 1 < sizeof printed / sizeof printed[0]);
	printed[i] = function;
	printf("# %s MEMORY\n", function);
}

/* Checks that a function has succeeded, or failed because of memory.  Returns
 * its result. */
static int
check(const char *function, int rc)
{
	CHECK(rc >= 0 || error.kind == CTX_ERROR_MEMORY);
	if (rc < 0)
		print_failed(function);
	else
		CHECK(fail_at == 0 || error.kind == CTX_ERROR_NONE);
	error.kind = CTX_ERROR_NONE;
	return rc;
}
#define TRY(function, ...) check(#function, function(__VA_ARGS__, &error))

static void
use_encoding(struct ctx_encoding *encoding)
{
	/* so long a word that it needs memory */
	static char text[5000];
	const size_t n = sizeof text;
	struct ctx_id_list list;
	struct ctx_bytes bytes;
	uint64_t tokens;
	size_t at;

	memset(text, 'x', sizeof text);
	TRY(ctx_encoding_count, encoding, text, n, &tokens);
	if (TRY(ctx_encoding_encode, encoding, text, n, &list) == 0 &&
	    TRY(ctx_encoding_decode, encoding, list.ids, list.n, &bytes) == 0)
		ctx_free(bytes.data);
	ctx_free(list.ids);
	TRY(ctx_encoding_head, encoding, text, n, 3, &at);
	TRY(ctx_encoding_tail, encoding, text, n, 3, &at);
}

static void
run_encodings(void)
{
	struct ctx_encoding *encoding;

	if (TRY(ctx_encoding_open, &encoding, "cl100k_base", NULL) == 0)
		use_encoding(encoding);
	ctx_encoding_free(encoding);
	TRY(ctx_encoding_open_model, &encoding, NULL, "gpt-4o", NULL);
	ctx_encoding_free(encoding);
}

static void
run_models(void)
{
	char path[] = "/tmp/public.XXXXXX";
	struct ctx_user_models *models;
	int fd = mkstemp(path);

	NEED(fd >= 0 && write(fd, "{\"a\":{\"window\":9}}", 18) == 18);
	NEED(close(fd) == 0);
	TRY(ctx_user_models_open, &models, path);
	ctx_user_models_free(models);
	NEED(unlink(path) == 0);
}

static ptrdiff_t
read_nothing(void *user, char *buffer, size_t size)
{
	(void)user, (void)buffer, (void)size;
	return 0;
}

static int
write_nowhere(void *user, const char *data, size_t length)
{
	(void)user, (void)data, (void)length;
	return 0;
}

/* Opens each kind of input and output, except those in memory. */
static void
run_handles(void)
{
	static const char *const files[] = {"a", "b"};
	struct ctx_input *input;
	struct ctx_output *output;

	TRY(ctx_input_open_files, &input, files, 2, NULL);
	ctx_input_free(input);
	TRY(ctx_input_open_fd, &input, 1, NULL);
	ctx_input_free(input);
	TRY(ctx_input_open_callback, &input, read_nothing, NULL, NULL);
	ctx_input_free(input);
	TRY(ctx_output_open_fd, &output, 1);
	ctx_output_free(output);
	TRY(ctx_output_open_callback, &output, write_nowhere, NULL);
	ctx_output_free(output);
}

/* Returns NULL if there is no memory. */
static struct ctx_input *
open_input(const char *text)
{
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;
	struct ctx_input *input;

	options.model = "gpt-4o";
	TRY(ctx_input_open_memory, &input, text, strlen(text), &options);
	return input;
}

/* Reads all messages of an input.  After an error there is no message. */
static void
run_reading(void)
{
	struct ctx_message_info message = CTX_MESSAGE_INFO_INIT;
	struct ctx_block_info block = CTX_BLOCK_INFO_INIT;
	struct ctx_token_info tokens = CTX_TOKEN_INFO_INIT;
	struct ctx_input *input = open_input(CALL);
	size_t i;
	int rc = -1;

	while (
	    input != NULL && (rc = TRY(ctx_input_next, input, &message)) > 0) {
		for (i = 0; i < message.n_blocks; i++)
			TRY(ctx_input_block, input, i, &block);
		TRY(ctx_input_count, input, &tokens);
	}
	if (input != NULL && rc < 0) {
		CHECK(ctx_input_next(input, &message, NULL) == 0);
		CHECK(message.json == NULL);
		CHECK(ctx_input_block(input, 0, &block, NULL) == -1);
	}
	ctx_input_free(input);
}

/* Runs an operation twice if it fails: the second time it may only fail. */
static void
run_operation(const char *name, operation *run)
{
	struct ctx_input *input = open_input(CALL);
	struct ctx_output *output = NULL;
	struct ctx_bytes bytes;

	if (input != NULL && TRY(ctx_output_open_memory, &output) == 0) {
		if (check(name, run(input, output, NULL)) < 0)
			(void)run(input, output, NULL);
		error.kind = CTX_ERROR_NONE;
		if (TRY(ctx_output_take, output, &bytes) == 0)
			ctx_free(bytes.data);
	}
	ctx_output_free(output);
	ctx_input_free(input);
}

static void
run_operations(void)
{
	run_operation("ctx_count", run_count);
	run_operation("ctx_prune", run_prune);
	run_operation("ctx_truncate", run_truncate);
	run_operation("ctx_age", run_age);
	run_operation("ctx_restore", run_restore);
	run_operation("ctx_check", run_check);
}

/* Lets each allocation of a scenario fail in turn. */
static void
sweep(const char *name, void (*scenario)(void))
{
	unsigned long n;

	tap_case(name);
	fail_at = allocations = 0;
	scenario();
	n = allocations;
	CHECK(n > 0);
	for (fail_at = 1; fail_at <= n; fail_at++) {
		allocations = 0;
		scenario();
		CHECK(allocations >= fail_at);
	}
}

int
main(void)
{
	int later;

	for (later = 0; later < 2; later++) {
		later_fail = later;
		sweep("encodings without memory", run_encodings);
		sweep("models without memory", run_models);
		sweep("inputs and outputs without memory", run_handles);
		sweep("reading without memory", run_reading);
		sweep("operations without memory", run_operations);
	}
	return tap_done();
}
