/* public.c - the functions of ctx.h: only what a program can see */
#include <ctx.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "tap.h"

#define CALL                                                                  \
	"{\"role\":\"user\",\"content\":\"Read a\"}\n"                        \
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"   \
	"\"c1\",\"type\":\"function\",\"function\":{\"name\":\"read\","       \
	"\"arguments\":\"{\\\"p\\\":1}\"}}]}\n"                               \
	"{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"one\\ntwo " \
	"words\"}\n"

/* One conversation of 40 turns, whose texts have about 100 tokens. */
static char *
make_chat(void)
{
	char *text = malloc(100000);
	size_t n = 0, i, k;

	NEED(text != NULL);
	for (i = 0; i < 80; i++) {
		n += (size_t)sprintf(text + n,
		    "{\"role\":\"%s\",\"content\":\"Message %zu",
		    i % 2 == 0 ? "user" : "assistant", i);
		for (k = 0; k < 50; k++)
			n += (size_t)sprintf(text + n, " word %zu", k);
		n += (size_t)sprintf(text + n, "\"}\n");
	}
	return text;
}

static struct ctx_input *
open_text(const char *text, const struct ctx_input_options *options)
{
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input;

	if (ctx_input_open_memory(&input, text, strlen(text), options, &error) <
	    0)
		printf("# %s\n", error.text);
	NEED(input != NULL);
	return input;
}

/* Prunes a text to 2,000 tokens.  Returns the output, which the caller frees
 * with ctx_free. */
static struct ctx_bytes
prune_text(struct ctx_input *input, struct ctx_result *result)
{
	struct ctx_prune_options options = CTX_PRUNE_OPTIONS_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_output *output;
	struct ctx_bytes bytes;

	options.budget = 2000;
	NEED(ctx_output_open_memory(&output, NULL) == 0);
	if (ctx_prune(input, output, &options, result, &error) != 0)
		printf("# %s\n", error.text);
	NEED(ctx_output_take(output, &bytes, NULL) == 0);
	ctx_output_free(output);
	ctx_input_free(input);
	return bytes;
}

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
}

static int
write_failing(void *user, const char *data, size_t length)
{
	(void)data;
	*(size_t *)user += length;
	return -1;
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
	size_t n = 0;

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
	ctx_input_free(input);
	tap_case("unknown names in options are errors that name the option");
	options.dialect = "no-such";
	CHECK(ctx_input_open_memory(&input, "", 0, &options, &error) == -1);
	CHECK(input == NULL && strstr(error.text, "dialect") != NULL);
}

/* ---- sizes ---- */

static int
prune_sized(void *options)
{
	struct ctx_input_options model = CTX_INPUT_OPTIONS_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input;
	int rc;

	model.model = "gpt-4o";
	input = open_text(CALL, &model);
	rc = ctx_prune(input, NULL, options, NULL, &error);
	CHECK(rc >= 0 || error.kind == CTX_ERROR_ARGUMENT);
	ctx_input_free(input);
	return rc;
}

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

/* ---- operations ---- */

struct seen {
	uint64_t calls, tokens;
	char names[200];
	int rc;
};

static int
see_change(void *user, const struct ctx_change_info *change)
{
	struct seen *seen = user;

	seen->calls++;
	(void)snprintf(seen->names, sizeof seen->names, "%s %s %s",
	    change->action, change->role,
	    change->tool != NULL ? change->tool : "-");
	return seen->rc;
}

static int
see_conversation(void *user, const struct ctx_conversation_info *conversation)
{
	struct seen *seen = user;

	seen->calls++;
	seen->tokens += conversation->tokens;
	(void)snprintf(seen->names, sizeof seen->names, "%s %s %llu",
	    conversation->dialect, conversation->model,
	    (unsigned long long)conversation->window);
	return seen->rc;
}

static int
see_finding(void *user, const struct ctx_finding_info *finding)
{
	struct seen *seen = user;

	seen->calls++;
	(void)snprintf(seen->names, sizeof seen->names, "%s %s", finding->rule,
	    finding->action != NULL ? finding->action : "-");
	return seen->rc;
}

static void
count(void)
{
	struct ctx_count_options options = CTX_COUNT_OPTIONS_INIT;
	struct ctx_input_options model = CTX_INPUT_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct seen seen = {0};
	struct ctx_input *input;

	tap_case("ctx_count reports each conversation");
	model.model = "gpt-4o";
	model.threads = 2;
	options.on_conversation = see_conversation;
	options.user = &seen;
	input = open_text(CALL, &model);
	CHECK(ctx_count(input, &options, &result, &error) == 0);
	CHECK(seen.calls == 1 && seen.tokens == result.tokens_before);
	CHECK(strcmp(seen.names, "openai-chat gpt-4o 128000") == 0);
	CHECK(result.messages == 3 && result.conversations == 1);
	ctx_input_free(input);
	tap_case("a callback that returns -1 ends the operation");
	seen.rc = -1;
	input = open_text(CALL, &model);
	CHECK(ctx_count(input, &options, &result, &error) == -1);
	CHECK(error.kind == CTX_ERROR_ARGUMENT);
	ctx_input_free(input);
}

static void
does_not_fit(void)
{
	struct ctx_prune_options options = CTX_PRUNE_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	struct seen seen = {0};
	struct ctx_input *input;
	char *chat = make_chat();

	tap_case("a conversation that does not fit gives 1");
	options.budget = 10;
	input = open_text(chat, NULL);
	CHECK(ctx_prune(input, NULL, &options, &result, NULL) == 1);
	CHECK(result.too_long == 1);
	ctx_input_free(input);
	tap_case("ctx_prune without an output reports what would be removed");
	options.budget = 2000;
	options.on_change = see_change;
	options.user = &seen;
	input = open_text(chat, NULL);
	CHECK(ctx_prune(input, NULL, &options, &result, NULL) == 0);
	CHECK(result.removed > 0 && seen.calls == result.removed);
	CHECK(strncmp(seen.names, "drop ", 5) == 0);
	ctx_input_free(input);
	tap_case("the strategy summarize keeps the newest messages that fit");
	options.strategy = "summarize";
	options.on_change = NULL;
	options.budget = result.tokens_before - 200;
	input = open_text(chat, NULL);
	CHECK(ctx_prune(input, NULL, &options, &result, NULL) == 0);
	CHECK(result.removed > 0 && result.removed < 20);
	ctx_input_free(input);
	tap_case("unknown names and patterns are errors of ctx_prune");
	options.strategy = "best";
	CHECK(prune_sized(&options) == -1);
	options.strategy = NULL;
	options.level = "hard";
	CHECK(prune_sized(&options) == -1);
	options.level = NULL;
	options.pin = "(";
	CHECK(prune_sized(&options) == -1);
	options.pin = NULL;
	options.notice = "";
	CHECK(prune_sized(&options) == -1);
	free(chat);
}

static void
truncation(void)
{
	struct ctx_truncate_options options = CTX_TRUNCATE_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct seen seen = {0};
	struct ctx_input *input = open_text(CALL, NULL);
	struct ctx_output *output;
	struct ctx_bytes bytes;

	tap_case("ctx_truncate shortens what is longer than the limit");
	options.limit = 5;
	options.keep = "head";
	options.on_change = see_change;
	options.user = &seen;
	NEED(ctx_output_open_memory(&output, NULL) == 0);
	CHECK(ctx_truncate(input, output, &options, &result, &error) == 0);
	CHECK(result.changed == 1 && seen.calls == 1);
	CHECK(strcmp(seen.names, "edit tool read") == 0);
	NEED(ctx_output_take(output, &bytes, NULL) == 0);
	CHECK(strstr(bytes.data, "two words") == NULL);
	ctx_free(bytes.data);
	ctx_output_free(output);
	ctx_input_free(input);
	tap_case(
	    "ctx_truncate without an output reports what it would shorten");
	input = open_text(CALL, NULL);
	CHECK(ctx_truncate(input, NULL, &options, &result, &error) == 0);
	CHECK(result.changed == 1 && seen.calls == 2);
	ctx_input_free(input);
	tap_case("an unknown unit is an error");
	input = open_text(CALL, NULL);
	options.unit = "miles";
	CHECK(ctx_truncate(input, NULL, &options, NULL, &error) == -1);
	ctx_input_free(input);
}

/* A conversation with an old result of 300 lines. */
static char *
make_long_result(void)
{
	char *text = malloc(20000);
	size_t n, i;

	NEED(text != NULL);
	n = (size_t)sprintf(text,
	    "{\"role\":\"user\",\"content\":\"Read a\"}\n"
	    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{"
	    "\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":"
	    "\"read\",\"arguments\":\"{}\"}}]}\n"
	    "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"");
	for (i = 0; i < 300; i++)
		n += (size_t)sprintf(text + n, "line %zu of the file\\n", i);
	n += (size_t)sprintf(text + n, "\"}\n");
	(void)sprintf(text + n,
	    "{\"role\":\"assistant\",\"content\":\"ok\"}\n");
	return text;
}

static void
aging(void)
{
	char dir[] = "/tmp/public.XXXXXX", spool[64], command[100];
	struct ctx_age_options age = CTX_AGE_OPTIONS_INIT;
	struct ctx_restore_options restore = CTX_RESTORE_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	char *text = make_long_result();
	struct ctx_input *input = open_text(text, NULL);
	struct ctx_output *output;
	struct ctx_bytes aged, whole;

	NEED(mkdtemp(dir) != NULL);
	(void)snprintf(spool, sizeof spool, "%s/spool", dir);
	age.spool = restore.spool = spool;
	age.keep = CTX_NONE;
	age.over = 1000;
	tap_case("ctx_age without an output stores nothing");
	CHECK(ctx_age(input, NULL, &age, &result, &error) == 0);
	CHECK(result.changed == 1 && access(spool, F_OK) < 0);
	ctx_input_free(input);
	tap_case("ctx_age moves a result to a file, ctx_restore puts it back");
	input = open_text(text, NULL);
	NEED(ctx_output_open_memory(&output, NULL) == 0);
	CHECK(ctx_age(input, output, &age, &result, &error) == 0);
	CHECK(result.changed == 1);
	ctx_input_free(input);
	NEED(ctx_output_take(output, &aged, NULL) == 0);
	CHECK(aged.length < strlen(text) / 2);
	input = open_text(aged.data, NULL);
	CHECK(ctx_restore(input, output, &restore, &result, &error) == 0);
	CHECK(result.changed == 1 && result.failed == 0);
	ctx_input_free(input);
	NEED(ctx_output_take(output, &whole, NULL) == 0);
	CHECK(strcmp(whole.data, text) == 0);
	ctx_free(whole.data);
	tap_case("ctx_restore gives 1 if a file is missing");
	(void)snprintf(command, sizeof command, "rm -r %s", spool);
	NEED(system(command) == 0);
	input = open_text(aged.data, NULL);
	CHECK(ctx_restore(input, NULL, &restore, &result, &error) == 1);
	CHECK(result.failed == 1);
	ctx_input_free(input);
	ctx_free(aged.data);
	tap_case("ctx_age writes a result that cannot be stored, and gives -1");
	age.spool = "/dev/null/spool";
	input = open_text(text, NULL);
	CHECK(ctx_age(input, output, &age, &result, &error) == -1);
	CHECK(result.failed == 1 && result.changed == 0);
	CHECK(error.kind == CTX_ERROR_SYSTEM && error.system == ENOTDIR);
	CHECK(strcmp(error.file, "-") == 0 && error.line > 0);
	ctx_input_free(input);
	NEED(ctx_output_take(output, &whole, NULL) == 0);
	CHECK(strcmp(whole.data, text) == 0);
	ctx_free(whole.data);
	ctx_output_free(output);
	NEED(rmdir(dir) == 0);
	free(text);
}

static void
checking(void)
{
	static const char broken[] =
	    "{\"role\":\"user\",\"content\":\"a\"}\n"
	    "{\"role\":\"tool\",\"tool_call_id\":\"c9\",\"content\":\"b\"}\n";
	struct ctx_check_options options = CTX_CHECK_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input = open_text(broken, NULL);
	struct ctx_output *output;
	struct ctx_bytes bytes;
	struct seen seen = {0};

	tap_case("ctx_check reports findings");
	options.on_finding = see_finding;
	options.user = &seen;
	CHECK(ctx_check(input, NULL, &options, &result, &error) == 1);
	CHECK(result.findings == 1 && result.repaired == 0);
	CHECK(strcmp(seen.names, "orphan-result -") == 0);
	CHECK(ctx_rule_about("orphan-result") != NULL);
	CHECK(ctx_rule_about("no-such") == NULL);
	ctx_input_free(input);
	tap_case("ctx_check with an output repairs");
	input = open_text(broken, NULL);
	NEED(ctx_output_open_memory(&output, NULL) == 0);
	CHECK(ctx_check(input, output, &options, &result, &error) == 0);
	CHECK(result.findings == 0 && result.repaired == 1);
	CHECK(strcmp(seen.names, "orphan-result drop") == 0);
	NEED(ctx_output_take(output, &bytes, NULL) == 0);
	CHECK(
	    strcmp(bytes.data, "{\"role\":\"user\",\"content\":\"a\"}\n") == 0);
	ctx_free(bytes.data);
	ctx_output_free(output);
	ctx_input_free(input);
	input = open_text(broken, NULL);
	options.provider = "nobody";
	CHECK(ctx_check(input, NULL, &options, NULL, &error) == -1);
	ctx_input_free(input);
}

/* Archive, and nothing is archived without an output. */
static void
archives(void)
{
	char name[] = "/tmp/public.XXXXXX";
	struct ctx_prune_options options = CTX_PRUNE_OPTIONS_INIT;
	char *chat = make_chat();
	struct ctx_input *input = open_text(chat, NULL);
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_output *output;
	int fd = mkstemp(name);

	NEED(fd >= 0);
	tap_case("removed messages are archived, but not in a dry run");
	options.budget = 2000;
	options.archive = name;
	CHECK(ctx_prune(input, NULL, &options, NULL, NULL) == 0);
	CHECK(lseek(fd, 0, SEEK_END) == 0);
	ctx_input_free(input);
	input = open_text(chat, NULL);
	NEED(ctx_output_open_memory(&output, NULL) == 0);
	CHECK(ctx_prune(input, output, &options, &result, NULL) == 0);
	CHECK(result.removed > 0 && lseek(fd, 0, SEEK_END) > 0);
	ctx_output_free(output);
	ctx_input_free(input);
	NEED(unlink(name) == 0 && close(fd) == 0);
	free(chat);
}

/* ---- encodings and models ---- */

static void
encodings(void)
{
	static const char text[] = "hello world, hello libctx";
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_encoding *encoding;
	struct ctx_id_list list;
	struct ctx_bytes bytes;
	uint64_t tokens;
	size_t at;

	tap_case("an encoding counts, encodes, decodes and cuts");
	NEED(ctx_encoding_open(&encoding, "o200k_base", NULL, &error) == 0);
	CHECK(strcmp(ctx_encoding_exactness(encoding), "exact") == 0);
	CHECK(ctx_encoding_count(encoding, "hello world", 11, &tokens, NULL) ==
	    0);
	CHECK(tokens == 2);
	CHECK(ctx_encoding_encode(encoding, text, strlen(text), &list, NULL) ==
	    0);
	CHECK(list.n > 4 && list.ids[0] == 24912);
	CHECK(
	    ctx_encoding_decode(encoding, list.ids, list.n, &bytes, NULL) == 0);
	CHECK(strcmp(bytes.data, text) == 0 && bytes.length == strlen(text));
	ctx_free(list.ids);
	ctx_free(bytes.data);
	CHECK(
	    ctx_encoding_head(encoding, text, strlen(text), 2, &at, NULL) == 0);
	CHECK(ctx_encoding_count(encoding, text, at, &tokens, NULL) == 0);
	CHECK(at >= 9 && tokens <= 2);
	CHECK(
	    ctx_encoding_tail(encoding, text, strlen(text), 1, &at, NULL) == 0);
	CHECK(at > 11);
	ctx_encoding_free(encoding);
	tap_case("an encoding that does not exist is an error");
	CHECK(ctx_encoding_open(&encoding, "no-such", NULL, &error) == -1);
	CHECK(encoding == NULL && error.kind == CTX_ERROR_ARGUMENT);
	tap_case("a model has its encoding; Claude's has no ids");
	NEED(ctx_encoding_open_model(&encoding, NULL, "claude-opus-4-7", NULL,
		 &error) == 0);
	CHECK(strcmp(ctx_encoding_exactness(encoding), "exact") != 0);
	CHECK(ctx_encoding_count(encoding, text, strlen(text), &tokens, NULL) ==
		0 &&
	    tokens > 0);
	CHECK(ctx_encoding_encode(encoding, text, strlen(text), &list,
		  &error) == -1);
	CHECK(list.ids == NULL);
	ctx_encoding_free(encoding);
	ctx_encoding_free(NULL);
}

/* Cuts a text for Gemini, whose counts are corrected by the characters of the
 * text.  least: the smallest number of tokens that must be kept. */
static void
check_corrected_cut(struct ctx_encoding *encoding, const char *once,
    uint64_t limit, uint64_t least)
{
	char text[4096] = "";
	uint64_t tokens;
	size_t i, at;

	for (i = 0; i < 60; i++)
		strcat(text, once);
	CHECK(ctx_encoding_head(encoding, text, strlen(text), limit, &at,
		  NULL) == 0);
	CHECK(ctx_encoding_count(encoding, text, at, &tokens, NULL) == 0);
	CHECK(tokens >= least && tokens <= limit);
	CHECK(ctx_encoding_tail(encoding, text, strlen(text), limit, &at,
		  NULL) == 0);
	CHECK(ctx_encoding_count(encoding, text + at, strlen(text) - at,
		  &tokens, NULL) == 0);
	CHECK(tokens >= least && tokens <= limit);
}

static void
corrected_cuts(void)
{
	static const char *const kinds[] = {"6f1c94-0731, ", "12345\n",
	    "a_b_c ", "\n\n\n\n\n\n\n\n", "\xe6\xbc\xa2\xe5\xad\x97",
	    "\xf0\x9f\x98\x80 ", "two words "};
	struct ctx_encoding *encoding;
	size_t i, at;

	tap_case("a cut for Gemini fits, whatever the text consists of");
	NEED(ctx_encoding_open_model(&encoding, NULL, "gemini-2.5-pro", NULL,
		 NULL) == 0);
	for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		check_corrected_cut(encoding, kinds[i], 50, 30);
		check_corrected_cut(encoding, kinds[i], 20, 8);
		check_corrected_cut(encoding, kinds[i], 0, 0);
	}
	CHECK(ctx_encoding_head(encoding, "1 2 3", 5, UINT64_MAX, &at, NULL) ==
		0 &&
	    at == 5);
	CHECK(ctx_encoding_head(encoding, "", 0, 7, &at, NULL) == 0 && at == 0);
	ctx_encoding_free(encoding);
}

/* Counts for Gemini are those of o200k_base, multiplied by a factor. */
static void
scaled_counts(void)
{
	static const char text[] =
	    "One two three four five six seven eight nine ten eleven twelve "
	    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
	struct ctx_encoding *encoding;
	uint64_t tokens, part;
	size_t at;

	tap_case("limits and counts of a model are in tokens of the model");
	NEED(ctx_encoding_open(&encoding, "o200k_base", NULL, NULL) == 0);
	CHECK(
	    ctx_encoding_count(encoding, text, strlen(text), &part, NULL) == 0);
	ctx_encoding_free(encoding);
	NEED(ctx_encoding_open_model(&encoding, NULL, "gemini-2.5-pro", NULL,
		 NULL) == 0);
	CHECK(ctx_encoding_count(encoding, text, strlen(text), &tokens, NULL) ==
	    0);
	CHECK(tokens > part);
	CHECK(ctx_encoding_head(encoding, text, strlen(text), 20, &at, NULL) ==
	    0);
	CHECK(ctx_encoding_count(encoding, text, at, &part, NULL) == 0);
	CHECK(part > 15 && part <= 20);
	CHECK(ctx_encoding_tail(encoding, text, strlen(text), 20, &at, NULL) ==
	    0);
	CHECK(ctx_encoding_count(encoding, text + at, strlen(text) - at, &part,
		  NULL) == 0);
	CHECK(part > 15 && part <= 20);
	ctx_encoding_free(encoding);
	tap_case("an encoding without a name is an error");
	CHECK(ctx_encoding_open(&encoding, NULL, NULL, NULL) == -1);
	CHECK(ctx_encoding_open_model(&encoding, NULL, NULL, NULL, NULL) == -1);
}

static void
write_models(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	NEED(out != NULL && fputs(text, out) >= 0 && fclose(out) == 0);
}

/* Writes a file with this text and reads it as models of the user.  Returns the
 * result of ctx_user_models_open. */
static int
open_models(struct ctx_user_models **models, const char *text,
    struct ctx_error *error)
{
	static char path[40];
	int fd, rc;

	strcpy(path, "/tmp/ctx-models-XXXXXX");
	fd = mkstemp(path);
	NEED(fd >= 0 && close(fd) == 0);
	write_models(path, text);
	rc = ctx_user_models_open(models, path, error);
	CHECK(rc == 0 || strcmp(error->file, path) == 0);
	NEED(unlink(path) == 0);
	return rc;
}

static void
user_models(void)
{
	struct ctx_count_options options = CTX_COUNT_OPTIONS_INIT;
	struct ctx_input_options model = CTX_INPUT_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_user_models *models;
	struct seen seen = {0};
	struct ctx_input *input;

	tap_case("models of the user count the messages of an input");
	NEED(open_models(&models,
		 "{\"mine\": {\"window\": 777, \"encoding\": \"gpt2\"}}\n",
		 &error) == 0);
	model.model = "mine";
	model.models = models;
	options.on_conversation = see_conversation;
	options.user = &seen;
	input = open_text(CALL, &model);
	CHECK(ctx_count(input, &options, &result, &error) == 0);
	CHECK(strcmp(seen.names, "openai-chat mine 777") == 0);
	ctx_input_free(input);
	ctx_user_models_free(models);
	ctx_user_models_free(NULL);
	tap_case("an error in a file with models has its place");
	CHECK(open_models(&models, "{\"mine\": {\"window\": 0}}\n", &error) ==
	    -1);
	CHECK(models == NULL && error.kind == CTX_ERROR_FILE);
	CHECK(strstr(error.text, "'window'") != NULL);
	CHECK(open_models(&models, "{\n\"mine\": {]}\n", &error) == -1);
	CHECK(error.kind == CTX_ERROR_FILE && error.line == 2);
	tap_case("a file with models must exist and have a name");
	CHECK(ctx_user_models_open(&models, "/nonexistent/models.json",
		  &error) == -1);
	CHECK(error.kind == CTX_ERROR_SYSTEM && error.system == ENOENT);
	CHECK(ctx_user_models_open(&models, NULL, &error) == -1);
	CHECK(models == NULL && error.kind == CTX_ERROR_ARGUMENT);
}

static void
user_model_lookups(void)
{
	struct ctx_model_info model = CTX_MODEL_INFO_INIT;
	struct ctx_price_info price = CTX_PRICE_INFO_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_user_models *models;
	struct ctx_encoding *encoding;
	uint64_t tokens;

	tap_case("models of the user are listed and looked up by name");
	NEED(open_models(&models,
		 "{\"mine\": {\"window\": 777, \"encoding\": \"gpt2\", "
		 "\"price\": [2, 8]}, \"gpt-4o\": {\"window\": 999}}\n",
		 &error) == 0);
	CHECK(strcmp(ctx_user_models_name(models, 0), "mine") == 0);
	CHECK(strcmp(ctx_user_models_name(models, 1), "gpt-4o") == 0);
	CHECK(ctx_user_models_name(models, 2) == NULL);
	CHECK(ctx_model_lookup(models, "mine-2026-01-01", &model, NULL) == 1);
	CHECK(strcmp(model.name, "mine") == 0 && model.window == 777);
	CHECK(strcmp(model.encoding, "gpt2") == 0);
	CHECK(ctx_model_lookup(models, "openai/gpt-4o", &model, NULL) == 1);
	CHECK(model.window == 999);
	CHECK(ctx_model_lookup(models, "nobodys-model", &model, NULL) == 0);
	tap_case("models of the user have prices");
	CHECK(ctx_model_prices(models, "mine", 1760000000, 10, &price, NULL) ==
	    1);
	CHECK(price.input == 2000000 && price.output == 8000000);
	CHECK(price.cache_read == CTX_NONE);
	CHECK(
	    ctx_model_prices(NULL, "mine", 1760000000, 10, &price, NULL) == 0);
	tap_case("the encoding of a model of the user is opened");
	NEED(ctx_encoding_open_model(&encoding, models, "mine", NULL, &error) ==
	    0);
	CHECK(strcmp(ctx_encoding_exactness(encoding), "exact") == 0);
	CHECK(ctx_encoding_count(encoding, "hello world", 11, &tokens, NULL) ==
		0 &&
	    tokens == 2);
	ctx_encoding_free(encoding);
	ctx_user_models_free(models);
}

static void
names(void)
{
	static const char *(*const lists[])(size_t i) = {ctx_dialect_name,
	    ctx_strategy_name, ctx_encoding_name, ctx_model_name,
	    ctx_provider_name, ctx_rule_name};
	struct ctx_model_info model = CTX_MODEL_INFO_INIT;
	struct ctx_price_info price = CTX_PRICE_INFO_INIT;
	size_t i, k;

	tap_case("the lists of names end");
	CHECK(strcmp(ctx_version(), CTX_VERSION) == 0);
	for (i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		for (k = 0; lists[i](k) != NULL; k++)
			CHECK(lists[i](k)[0] != '\0');
		CHECK(k > 2);
	}
	tap_case("models are looked up by the names of providers");
	CHECK(ctx_model_lookup(NULL, "openai/gpt-4o-2024-08-06", &model,
		  NULL) == 1);
	CHECK(strcmp(model.name, "gpt-4o") == 0 && model.window == 128000);
	CHECK(ctx_model_prices(NULL, "gpt-4o", 1760000000, 1000, &price,
		  NULL) == 1);
	CHECK(price.input == 2500000 && price.output == 10000000);
	CHECK(ctx_model_lookup(NULL, "nobodys-model", &model, NULL) == 0);
	CHECK(model.window == 32000);
	CHECK(ctx_model_lookup(NULL, NULL, &model, NULL) == -1);
}

int
main(void)
{
	sources();
	failing_sources();
	sinks();
	messages();
	requests();
	invalid_input();
	sizes();
	count();
	does_not_fit();
	truncation();
	aging();
	checking();
	archives();
	encodings();
	scaled_counts();
	corrected_cuts();
	user_models();
	user_model_lookups();
	names();
	return tap_done();
}
