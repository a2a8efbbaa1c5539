/*
 * public_errors.c - tests the kinds of errors that the comments of ctx.h name
 *
 * Each error is caused, and printed as "# FUNCTION KIND".  tests/docs.bats
 * compares these lines with the header.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "public_operations.h"

static const char *const kinds[] = {"NONE", "MEMORY", "SYSTEM", "PIPE", "INPUT",
    "LIMIT", "ARGUMENT", "FILE"};
static char directory[] = "/tmp/public.XXXXXX";

/* Checks that a function has failed with this kind of error. */
static void
expect(const char *function, int rc, enum ctx_error_kind kind)
{
	if (rc != -1 || error.kind != (int)kind)
		printf("# %s: %d, %s: %s\n", function, rc, kinds[error.kind],
		    error.text);
	CHECK(rc == -1 && error.kind == (int)kind);
	CHECK(error.text[0] != '\0');
	CHECK((error.system != 0) == (kind == CTX_ERROR_SYSTEM));
	printf("# %s %s\n", function, kinds[kind]);
	error.kind = CTX_ERROR_NONE;
}
#define EXPECT(kind, function, ...) \
	expect(#function, function(__VA_ARGS__, &error), CTX_ERROR_##kind)

/* Writes a file with this text into the directory.  Returns its path, which is
 * valid until the next call. */
static const char *
write_file(const char *text)
{
	static char path[40];
	FILE *out;

	(void)snprintf(path, sizeof path, "%s/file", directory);
	out = fopen(path, "w");
	NEED(out != NULL && fputs(text, out) >= 0 && fclose(out) == 0);
	return path;
}

/* Returns the character of the byte-level alphabet that stands for a byte. */
static unsigned
name_byte(unsigned byte)
{
	if (byte <= 0x20)
		return 0x100 + byte;
	if (byte >= 0x7f && byte <= 0xa0)
		return 0x121 + byte - 0x7f;
	return byte == 0xad ? 0x143 : byte;
}

/* Writes a tokenizer.json which has a token for each byte except 0xff, and
 * which splits texts of letters "a" in too many steps. */
static const char *
write_slow_encoding(void)
{
	static char text[8000];
	unsigned byte;
	size_t n;

	n = (size_t)sprintf(text,
	    "{\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{"
	    "\"type\":\"Split\",\"pattern\":{\"Regex\":\"(?:a|a|aa)+[bc]|x\"},"
	    "\"behavior\":\"Isolated\",\"invert\":false},{\"type\":"
	    "\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}]},"
	    "\"model\":{\"type\":\"BPE\",\"merges\":[],\"vocab\":{");
	for (byte = 0; byte < 0xff; byte++)
		n += (size_t)sprintf(text + n, "%s\"\\u%04x\":%u",
		    byte > 0 ? "," : "", name_byte(byte), byte);
	(void)sprintf(text + n, "}}}");
	return write_file(text);
}

static void
models(void)
{
	struct ctx_model_info model = CTX_MODEL_INFO_INIT;
	struct ctx_price_info price = CTX_PRICE_INFO_INIT;
	struct ctx_user_models *own;

	tap_case("functions for models fail as their comments say");
	EXPECT(SYSTEM, ctx_user_models_open, &own, "/nonexistent/x");
	EXPECT(ARGUMENT, ctx_user_models_open, &own, NULL);
	EXPECT(FILE, ctx_user_models_open, &own, write_file("[]"));
	EXPECT(ARGUMENT, ctx_model_lookup, NULL, NULL, &model);
	EXPECT(ARGUMENT, ctx_model_prices, NULL, NULL, 0, 0, &price);
}

static void
opened_encodings(void)
{
	struct ctx_encoding *encoding;
	struct ctx_user_models *own;
	const char *path;

	tap_case("encodings cannot be opened for the documented reasons");
	EXPECT(ARGUMENT, ctx_set_data_directory, NULL);
	EXPECT(SYSTEM, ctx_encoding_open, &encoding, "/dev/null/x", NULL);
	EXPECT(ARGUMENT, ctx_encoding_open, &encoding, "no-such", NULL);
	EXPECT(FILE, ctx_encoding_open, &encoding, write_file("{}"), NULL);
	EXPECT(ARGUMENT, ctx_encoding_open_model, &encoding, NULL, NULL, NULL);
	path = write_file("{\"a\":{\"encoding\":\"/dev/null/x\"},"
			  "\"b\":{\"encoding\":\"/dev/null\"}}");
	NEED(ctx_user_models_open(&own, path, NULL) == 0);
	EXPECT(SYSTEM, ctx_encoding_open_model, &encoding, own, "a", NULL);
	EXPECT(FILE, ctx_encoding_open_model, &encoding, own, "b", NULL);
	ctx_user_models_free(own);
}

static void
texts(void)
{
	const uint32_t id = 1000000;
	struct ctx_encoding *encoding;
	struct ctx_id_list list;
	struct ctx_bytes bytes;
	uint64_t tokens;
	char slow[60];
	size_t at;

	tap_case("functions for texts fail as their comments say");
	memset(slow, 'a', sizeof slow);
	NEED(ctx_encoding_open(&encoding, write_slow_encoding(), NULL, NULL) ==
	    0);
	EXPECT(LIMIT, ctx_encoding_count, encoding, slow, sizeof slow, &tokens);
	EXPECT(LIMIT, ctx_encoding_encode, encoding, slow, sizeof slow, &list);
	EXPECT(LIMIT, ctx_encoding_head, encoding, slow, sizeof slow, 9, &at);
	EXPECT(LIMIT, ctx_encoding_tail, encoding, slow, sizeof slow, 9, &at);
	EXPECT(INPUT, ctx_encoding_encode, encoding, "\xff", 1, &list);
	EXPECT(ARGUMENT, ctx_encoding_decode, encoding, &id, 1, &bytes);
	ctx_encoding_free(encoding);
	NEED(ctx_encoding_open_model(&encoding, NULL, "claude-opus-4-7", NULL,
		 NULL) == 0);
	EXPECT(ARGUMENT, ctx_encoding_encode, encoding, "a", 1, &list);
	ctx_encoding_free(encoding);
}

static ptrdiff_t
read_failing(void *user, char *buffer, size_t size)
{
	(void)user, (void)buffer, (void)size;
	return -1;
}

static void
opened_inputs(void)
{
	/* options in which the size is not set */
	static const struct ctx_input_options wrong;
	static const char *const none[] = {NULL};
	struct ctx_block_info block = CTX_BLOCK_INFO_INIT;
	struct ctx_token_info tokens = CTX_TOKEN_INFO_INIT;
	struct ctx_input *input;
	struct ctx_output *output;
	struct ctx_bytes bytes;

	tap_case("inputs and outputs fail as their comments say");
	EXPECT(ARGUMENT, ctx_input_open_files, &input, none, 1, NULL);
	EXPECT(ARGUMENT, ctx_input_open_fd, &input, 0, &wrong);
	EXPECT(SYSTEM, ctx_input_open_fd, &input, -1, NULL);
	EXPECT(ARGUMENT, ctx_input_open_memory, &input, "", 0, &wrong);
	EXPECT(ARGUMENT, ctx_input_open_callback, &input, read_failing, NULL,
	    &wrong);
	input = open_text(CALL, NULL);
	EXPECT(ARGUMENT, ctx_input_block, input, 0, &block);
	EXPECT(ARGUMENT, ctx_input_count, input, &tokens);
	ctx_input_free(input);
	NEED(ctx_output_open_fd(&output, 1, NULL) == 0);
	EXPECT(ARGUMENT, ctx_output_take, output, &bytes);
	ctx_output_free(output);
}

/* Counts the message "aaa..." of a user in an encoding. */
static void
count_in(const char *encoding, enum ctx_error_kind kind)
{
	static const char text[] =
	    "{\"role\":\"user\",\"content\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}\n";
	struct ctx_token_info tokens = CTX_TOKEN_INFO_INIT;
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;
	struct ctx_input *input;

	options.encoding = encoding;
	input = open_text(text, &options);
	NEED(ctx_input_next(input, NULL, NULL) == 1);
	expect("ctx_input_count", ctx_input_count(input, &tokens, &error),
	    kind);
	ctx_input_free(input);
	input = open_text(text, &options);
	expect("ctx_count", ctx_count(input, NULL, NULL, &error), kind);
	ctx_input_free(input);
}

static void
encodings_of_inputs(void)
{
	tap_case("messages cannot be counted for the documented reasons");
	count_in("/dev/null/x", CTX_ERROR_SYSTEM);
	count_in("no-such", CTX_ERROR_ARGUMENT);
	count_in("/dev/null", CTX_ERROR_FILE);
	count_in(write_slow_encoding(), CTX_ERROR_LIMIT);
}

/* ---- operations ---- */

static int
run_next(struct ctx_input *input, struct ctx_output *output,
    const char *archive)
{
	int rc;

	(void)output, (void)archive;
	while ((rc = ctx_input_next(input, NULL, &error)) > 0)
		continue;
	return rc;
}

static const struct {
	const char *name;
	operation *run;
	bool writes;
} operations[] = {
    {"ctx_input_next", run_next, false},
    {"ctx_count", run_count, false},
    {"ctx_prune", run_prune, true},
    {"ctx_truncate", run_truncate, true},
    {"ctx_age", run_age, true},
    {"ctx_restore", run_restore, true},
    {"ctx_check", run_check, true},
};

/* Runs the operation i with an input, which it frees. */
static void
run(size_t i, struct ctx_input *input, const char *archive,
    enum ctx_error_kind kind)
{
	struct ctx_output *output;

	NEED(ctx_output_open_memory(&output, NULL) == 0);
	expect(operations[i].name, operations[i].run(input, output, archive),
	    kind);
	ctx_output_free(output);
	ctx_input_free(input);
}

/* Writes to a pipe that no process reads. */
static void
run_with_pipe(size_t i, struct ctx_input *input)
{
	struct ctx_output *output;
	int ends[2];

	NEED(pipe(ends) == 0 && close(ends[0]) == 0);
	NEED(ctx_output_open_fd(&output, ends[1], NULL) == 0);
	expect(operations[i].name, operations[i].run(input, output, NULL),
	    CTX_ERROR_PIPE);
	ctx_output_free(output);
	ctx_input_free(input);
	NEED(close(ends[1]) == 0);
}

/* Makes a socket, which cannot be an archive.  Returns its path. */
static const char *
make_socket(void)
{
	static struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s/socket",
	    directory);
	NEED(fd >= 0);
	NEED(bind(fd, (struct sockaddr *)&address, sizeof address) == 0);
	NEED(close(fd) == 0);
	return address.sun_path;
}

static void
failing_operations(void)
{
	static const char *const missing[] = {"/nonexistent/file"};
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;
	const char *archive = make_socket();
	static char deep[100000];
	struct ctx_input *input;
	size_t i;

	tap_case("operations fail as their comments say");
	memset(deep, '[', sizeof deep - 1);
	options.model = "gpt-4o";
	for (i = 0; i < sizeof operations / sizeof operations[0]; i++) {
		NEED(ctx_input_open_files(&input, missing, 1, &options, NULL) ==
		    0);
		run(i, input, NULL, CTX_ERROR_SYSTEM);
		run(i, open_text("{]\n", &options), NULL, CTX_ERROR_INPUT);
		run(i, open_text(deep, &options), NULL, CTX_ERROR_LIMIT);
		NEED(ctx_input_open_callback(&input, read_failing, NULL,
			 &options, NULL) == 0);
		run(i, input, NULL, CTX_ERROR_ARGUMENT);
		if (!operations[i].writes)
			continue;
		run_with_pipe(i, open_text(CALL, &options));
		run(i, open_text(CALL, &options), archive, CTX_ERROR_FILE);
	}
	NEED(unlink(archive) == 0);
}

int
main(void)
{
	NEED(mkdtemp(directory) != NULL);
	NEED(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
	models();
	opened_encodings();
	texts();
	opened_inputs();
	encodings_of_inputs();
	failing_operations();
	NEED(unlink(write_file("")) == 0 && rmdir(directory) == 0);
	return tap_done();
}
