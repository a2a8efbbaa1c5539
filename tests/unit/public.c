/* public.c - tests how programs open, read and write with the functions of
 * ctx.h */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "public_shared.h"

/* ---- sources and sinks ---- */

struct source {
	const char *text;
	size_t at, step;
};

static ptrdiff_t
read_step(void *user, char *buffer, size_t size)
{
	struct source *source = user;
	size_t n = strlen(source->text + source->at);

	n = n < source->step ? n : source->step;
	n = n < size ? n : size;
	memcpy(buffer, source->text + source->at, n);
	source->at += n;
	return (ptrdiff_t)n;
}

static ptrdiff_t
read_failing(void *user, char *buffer, size_t size)
{
	(void)user;
	(void)buffer;
	(void)size;
	return -1;
}

static ptrdiff_t
read_too_much(void *user, char *buffer, size_t size)
{
	(void)user;
	(void)buffer;
	return (ptrdiff_t)size + 1;
}

static int
open_file(const char *text)
{
	char name[] = "/tmp/public.XXXXXX";
	int fd = mkstemp(name);

	NEED(fd >= 0 && unlink(name) == 0);
	NEED(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	NEED(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void
sources(void)
{
	char *chat = make_chat();
	struct source source = {chat, 0, 7};
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_input *input;
	struct ctx_bytes memory, other;
	int fd = open_file(chat);

	tap_case("memory, descriptor and callback give the same output");
	memory = prune_text(open_text(chat, NULL), &result);
	CHECK(result.conversations == 1 && result.messages == 80);
	CHECK(result.removed > 40 && result.tokens_after <= 2000);
	CHECK(result.tokens_before > 2000 && memory.length > 0);
	CHECK(memory.data[memory.length] == '\0');
	NEED(ctx_input_open_fd(&input, fd, NULL, NULL) == 0);
	other = prune_text(input, NULL);
	CHECK(other.length == memory.length &&
	    memcmp(other.data, memory.data, memory.length) == 0);
	ctx_free(other.data);
	CHECK(fcntl(fd, F_GETFD) >= 0);
	NEED(ctx_input_open_callback(&input, read_step, &source, NULL, NULL) ==
	    0);
	other = prune_text(input, NULL);
	CHECK(other.length == memory.length &&
	    memcmp(other.data, memory.data, memory.length) == 0);
	ctx_free(other.data);
	ctx_free(memory.data);
	(void)close(fd);
	free(chat);
}

static void
failing_sources(void)
{
	static const char *const files[] = {"/nonexistent/file"};
	static ctx_read_function *const functions[] = {read_failing,
	    read_too_much};
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input;
	size_t i;

	tap_case("a read function that fails is CTX_ERROR_ARGUMENT");
	for (i = 0; i < 2; i++) {
		NEED(ctx_input_open_callback(&input, functions[i], NULL, NULL,
			 NULL) == 0);
		CHECK(ctx_input_next(input, NULL, &error) == -1);
		CHECK(error.kind == CTX_ERROR_ARGUMENT);
		CHECK(strstr(error.text, "read function") != NULL);
		ctx_input_free(input);
	}
	tap_case(
	    "a file that does not exist is CTX_ERROR_SYSTEM with its name");
	NEED(ctx_input_open_files(&input, files, 1, NULL, NULL) == 0);
	CHECK(ctx_input_next(input, NULL, &error) == -1);
	CHECK(error.kind == CTX_ERROR_SYSTEM && error.system != 0);
	CHECK(strcmp(error.file, files[0]) == 0);
	ctx_input_free(input);
	tap_case("a descriptor that is not open is an error at once");
	CHECK(ctx_input_open_fd(&input, -1, NULL, &error) == -1);
	CHECK(error.kind == CTX_ERROR_SYSTEM && error.system == EBADF);
	CHECK(input == NULL);
}

static int
write_failing(void *user, const char *data, size_t length)
{
	(void)data;
	*(size_t *)user += length;
	return -1;
}

/* A write callback that fails only in its first call. */
static int
write_failing_once(void *user, const char *data, size_t length)
{
	size_t *calls = user;

	(void)data, (void)length;
	return ++*calls == 1 ? -1 : 0;
}

static int
write_counting(void *user, const char *data, size_t length)
{
	(void)data;
	*(size_t *)user += length;
	return 0;
}

static void
sinks(void)
{
	struct ctx_prune_options options = CTX_PRUNE_OPTIONS_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input = open_text(CALL, NULL);
	struct ctx_output *output;
	struct ctx_bytes bytes;
	size_t n = 0, i;

	options.budget = 1000;

	tap_case("a write function gets every byte");
	NEED(ctx_output_open_callback(&output, write_counting, &n, NULL) == 0);
	CHECK(ctx_prune(input, output, &options, NULL, &error) == 0);
	CHECK(n == strlen(CALL));
	CHECK(ctx_output_take(output, &bytes, &error) == -1);
	CHECK(error.kind == CTX_ERROR_ARGUMENT && bytes.data == NULL);
	ctx_output_free(output);
	tap_case("an input is read once");
	CHECK(ctx_prune(input, NULL, NULL, NULL, &error) == -1);
	CHECK(error.kind == CTX_ERROR_ARGUMENT);
	ctx_input_free(input);
	tap_case("a write function that fails ends the operation");
	input = open_text(CALL, NULL);
	n = 0;
	NEED(ctx_output_open_callback(&output, write_failing, &n, NULL) == 0);
	CHECK(ctx_prune(input, output, &options, NULL, &error) == -1);
	CHECK(error.kind == CTX_ERROR_ARGUMENT && n > 0);
	ctx_output_free(output);
	ctx_input_free(input);
	tap_case("after a failed write later operations fail");
	n = 0;
	NEED(ctx_output_open_callback(&output, write_failing_once, &n, NULL) ==
	    0);
	for (i = 0; i < 2; i++) {
		input = open_text(CALL, NULL);
		CHECK(ctx_truncate(input, output, NULL, NULL, NULL) == -1);
		ctx_input_free(input);
	}
	CHECK(n == 1);
	ctx_output_free(output);
	tap_case("after an error the messages before it are written");
	n = 0;
	NEED(ctx_output_open_callback(&output, write_counting, &n, NULL) == 0);
	input = open_text(CALL "{oops\n", NULL);
	CHECK(ctx_truncate(input, output, NULL, NULL, NULL) == -1);
	CHECK(n == strlen(CALL));
	ctx_input_free(input);
	ctx_output_free(output);
}

/* ---- messages ---- */

static void
messages(void)
{
	struct ctx_message_info message = CTX_MESSAGE_INFO_INIT;
	struct ctx_block_info block = CTX_BLOCK_INFO_INIT;
	struct ctx_token_info tokens = CTX_TOKEN_INFO_INIT;
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input;

	options.name = "held";
	options.model = "gpt-4o";
	input = open_text(CALL, &options);
	tap_case("messages have role, place and JSON");
	CHECK(ctx_input_block(input, 0, &block, &error) == -1);
	CHECK(strstr(error.text, "ctx_input_next was not called") != NULL);
	CHECK(ctx_input_count(input, &tokens, &error) == -1);
	CHECK(ctx_input_next(input, &message, &error) == 1);
	CHECK(strcmp(message.role, "user") == 0 && message.line == 1);
	CHECK(strcmp(message.file, "held") == 0 && message.index == 0);
	CHECK(message.json_length == 34 && message.json[0] == '{');
	CHECK(ctx_input_count(input, &tokens, &error) == 0);
	CHECK(tokens.tokens == tokens.text + tokens.framing);
	CHECK(tokens.text == 2 && strcmp(tokens.encoding, "o200k_base") == 0);
	tap_case("a tool call has its name, id and arguments");
	CHECK(ctx_input_next(input, &message, &error) == 1);
	CHECK(message.n_blocks == 1 && message.index == 1);
	CHECK(ctx_input_block(input, 0, &block, &error) == 0);
	CHECK(strcmp(block.kind, "tool_call") == 0);
	CHECK(strcmp(block.tool, "read") == 0 && strcmp(block.id, "c1") == 0);
	CHECK(strcmp(block.text, "{\"p\":1}") == 0 && !block.is_json);
	CHECK(ctx_input_count(input, &tokens, &error) == 0);
	CHECK(tokens.tool_calls > 0 && tokens.text == 0);
	tap_case("a tool result has its text, decoded");
	CHECK(ctx_input_next(input, &message, &error) == 1);
	CHECK(strcmp(message.dialect, "openai-chat") == 0);
	CHECK(ctx_input_block(input, 0, &block, &error) == 0);
	CHECK(strcmp(block.kind, "tool_result") == 0);
	CHECK(strcmp(block.text, "one\ntwo words") == 0);
	CHECK(block.tool != NULL && strcmp(block.tool, "read") == 0);
	CHECK(block.text_length == 13);
	CHECK(ctx_input_block(input, 1, &block, &error) == -1);
	CHECK(strstr(error.text, "has 1 blocks, and no block 1") != NULL);
	CHECK(ctx_input_next(input, &message, &error) == 0);
	CHECK(strcmp(ctx_input_dialect(input), "openai-chat") == 0);
	ctx_input_free(input);
}

static void
dialects(void)
{
	static const char *const texts[][2] = {
	    {"anthropic",
		"{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
		"\"tool_result\",\"tool_use_id\":\"x\"}]}]}"},
	    {"gemini", "{\"contents\":[{\"parts\":[{\"text\":\"a\"}]}]}"},
	};
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;
	struct ctx_input *input;
	size_t i;

	tap_case("the dialect of a request is that of its messages");
	for (i = 0; i < 2; i++) {
		input = open_text(texts[i][1], NULL);
		CHECK(strcmp(ctx_input_dialect(input), "generic") == 0);
		CHECK(ctx_count(input, NULL, NULL, NULL) == 0);
		CHECK(strcmp(ctx_input_dialect(input), texts[i][0]) == 0);
		ctx_input_free(input);
	}
	options.dialect = "bedrock";
	input = open_text(texts[0][1], &options);
	CHECK(strcmp(ctx_input_dialect(input), "bedrock") == 0);
	ctx_input_free(input);
}

static void
requests(void)
{
	static const char text[] =
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n"
	    "{\"messages\":[{\"role\":\"user\",\"content\":\"b\"},"
	    "{\"role\":\"assistant\",\"content\":\"c\"}]}\n";
	static const uint64_t places[][2] = {{0, 0}, {1, 0}, {1, 1}};
	struct ctx_message_info message = CTX_MESSAGE_INFO_INIT;
	struct ctx_input *input = open_text(text, NULL);
	size_t i;

	tap_case("conversations inside records are numbered");
	for (i = 0; i < 3; i++) {
		CHECK(ctx_input_next(input, &message, NULL) == 1);
		CHECK(message.conversation == places[i][0]);
		CHECK(message.index == places[i][1]);
	}
	CHECK(ctx_input_next(input, &message, NULL) == 0);
	ctx_input_free(input);
}

static void
invalid_input(void)
{
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;
	struct ctx_input *input;
	char text[300];

	tap_case("invalid JSON is CTX_ERROR_INPUT with its place");
	options.name = "x.jsonl";
	input =
	    open_text("{\"role\":\"user\",\"content\":\"a\"}\n{]\n", &options);
	CHECK(ctx_input_next(input, NULL, &error) == 1);
	CHECK(ctx_input_next(input, NULL, &error) == -1);
	CHECK(error.kind == CTX_ERROR_INPUT && error.line == 2);
	ctx_error_format(&error, text, sizeof text);
	CHECK(strncmp(text, "x.jsonl:2:2: ", 13) == 0);
	ctx_error_format(&error, text, 5);
	CHECK(strcmp(text, "x.js") == 0);
	CHECK(ctx_input_next(input, NULL, &error) == 0);
	CHECK(ctx_count(input, NULL, NULL, &error) == -1);
	ctx_input_free(input);
	tap_case("unknown names in options are errors that name the option");
	options.dialect = "no-such";
	CHECK(ctx_input_open_memory(&input, "", 0, &options, &error) == -1);
	CHECK(input == NULL && strstr(error.text, "dialect") != NULL);
}

/* ---- sizes ---- */

static void
sizes(void)
{
	struct {
		struct ctx_prune_options known;
		char later[16];
	} options = {0};
	struct {
		size_t size;
		uint64_t conversations;
		uint64_t guard;
	} shorter = {offsetof(struct ctx_result, messages), 0, 7};
	struct ctx_input *input;

	tap_case("options of an older program end where it knew them");
	memset(&options, 0xff, sizeof options);
	options.known.size = offsetof(struct ctx_prune_options, strategy);
	CHECK(prune_sized(&options) == 0);
	tap_case("options without a size are refused");
	memset(&options, 0, sizeof options);
	CHECK(prune_sized(&options) == -1);
	tap_case("an option that the library does not know must be cleared");
	options.known.size = sizeof options;
	CHECK(prune_sized(&options) == 0);
	options.later[15] = 1;
	CHECK(prune_sized(&options) == -1);
	tap_case("a result is not longer than the program knows");
	input = open_text(CALL, NULL);
	CHECK(ctx_count(input, NULL, (struct ctx_result *)(void *)&shorter,
		  NULL) == 0);
	CHECK(shorter.conversations == 1 && shorter.guard == 7);
	CHECK(shorter.size == offsetof(struct ctx_result, messages));
	ctx_input_free(input);
}

/* Checks in which encoding the last message of a text is counted. */
static void
check_encoding(const char *text, const struct ctx_input_options *options,
    const char *encoding)
{
	struct ctx_token_info tokens = CTX_TOKEN_INFO_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input = open_text(text, options);

	while (ctx_input_next(input, NULL, &error) == 1)
		CHECK(ctx_input_count(input, &tokens, &error) == 0);
	CHECK(strcmp(tokens.encoding, encoding) == 0);
	CHECK(tokens.estimated > 0);
	ctx_input_free(input);
}

static void
encoding_of_format(void)
{
	static const char claude[] =
	    "{\"role\":\"user\",\"content\":\"hi\"}\n"
	    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
	    "\"tool_use_id\":\"t\",\"content\":\"found\"}]}\n";
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;

	tap_case("without a model, the format decides the encoding");
	check_encoding(claude, NULL, "claude-4.8");
	check_encoding("{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],"
		       "\"system\":\"b\",\"stop_sequences\":[]}",
	    NULL, "claude-4.8");
	check_encoding("{\"role\":\"user\",\"content\":\"hi\"}", NULL,
	    "o200k_base");
	options.default_model = "kimi-k2";
	check_encoding(claude, &options, "o200k_base");
}

/* Checks that several threads count the messages of a text like one does. */
static void
check_threads(const char *text, size_t n)
{
	struct ctx_token_info one = CTX_TOKEN_INFO_INIT;
	struct ctx_token_info two = CTX_TOKEN_INFO_INIT;
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;
	struct ctx_input *input = open_text(text, NULL), *threaded;

	options.threads = 2;
	threaded = open_text(text, &options);
	for (size_t i = 0; i < n; i++) {
		CHECK(ctx_input_next(input, NULL, NULL) == 1);
		CHECK(ctx_input_next(threaded, NULL, NULL) == 1);
		CHECK(ctx_input_count(input, &one, NULL) == 0);
		CHECK(ctx_input_count(threaded, &two, NULL) == 0);
		CHECK(one.tokens == two.tokens);
		CHECK(strcmp(one.encoding, two.encoding) == 0);
	}
	ctx_input_free(input);
	ctx_input_free(threaded);
}

static void
encoding_of_line(void)
{
	tap_case("threads count each line in the encoding of its format");
	check_threads(
	    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
	    "\"tool_use_id\":\"t\",\"content\":\"found\"}]}\n"
	    "{\"role\":\"assistant\",\"content\":\"parse_header() = 0x1f\","
	    "\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":"
	    "{\"name\":\"f\",\"arguments\":\"{}\"}}]}\n",
	    2);
}

int
main(void)
{
	sources();
	failing_sources();
	encoding_of_format();
	encoding_of_line();
	sinks();
	messages();
	dialects();
	requests();
	invalid_input();
	sizes();
	return tap_done();
}
