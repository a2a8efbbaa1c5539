/* public_run.c - tests the operations of ctx.h: count, prune, truncate, age,
 * check */
#include <errno.h>
#include <unistd.h>

#include "public_shared.h"

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
	tap_case("too many threads are as many as there may be");
	model.threads = UINT32_MAX;
	input = open_text(CALL, &model);
	CHECK(ctx_count(input, NULL, NULL, &error) == 0);
	ctx_input_free(input);
	model.threads = 2;
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
	struct ctx_error error = CTX_ERROR_INIT;
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
	tap_case("errors name no options of the commands");
	options = (struct ctx_prune_options)CTX_PRUNE_OPTIONS_INIT;
	input = open_text(chat, NULL);
	CHECK(ctx_prune(input, NULL, &options, NULL, &error) == -1);
	CHECK(strstr(error.text, "give a budget") != NULL);
	CHECK(strstr(error.text, "--") == NULL);
	ctx_input_free(input);
	options.budget = 9;
	options.target = 10;
	input = open_text(chat, NULL);
	CHECK(ctx_prune(input, NULL, &options, NULL, &error) == -1);
	CHECK(strstr(error.text, "raise the trigger") != NULL);
	ctx_input_free(input);
	free(chat);
}

/* Returns a number below n; equal states give equal numbers. */
static unsigned
draw(uint32_t *state, unsigned n)
{
	*state = *state * 1664525 + 1013904223;
	return (unsigned)(((uint64_t)*state * n) >> 32);
}

/* Writes a random conversation of 3 to 9 short and long messages, of which some
 * contain the word "blue". */
static void
make_random_chat(char *text, uint32_t *state)
{
	static const char *const words[] = {"red", "blue", "gate", "river",
	    "city", "hotel", "fox", "wind"};
	static const unsigned lengths[] = {1, 2, 3, 5, 8, 15, 30, 60};
	unsigned messages = 3 + draw(state, 7), i, k;
	size_t n = 0;

	for (i = 0; i < messages; i++) {
		n +=
		    (size_t)sprintf(text + n, "{\"role\":\"%s\",\"content\":\"",
			i % 2 == (draw(state, 8) == 0) ? "user" : "assistant");
		for (k = lengths[draw(state, 8)]; k > 0; k--)
			n += (size_t)sprintf(text + n, "%s ",
			    words[draw(state, 8)]);
		n += (size_t)sprintf(text + n, "\"}\n");
	}
}

/* Prunes a conversation to each budget below its size.  Returns a budget at
 * which it does not fit although it fits a smaller one, or 0. */
static uint64_t
find_gap(const char *chat, struct ctx_prune_options *options)
{
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_input *input;
	bool fits = false;
	int rc;

	for (options->budget = 1;; options->budget += 3) {
		input = open_text(chat, NULL);
		rc = ctx_prune(input, NULL, options, &result, NULL);
		ctx_input_free(input);
		CHECK(rc >= 0);
		if (fits && rc != 0)
			return options->budget;
		fits = rc == 0;
		if (options->budget > result.tokens_before)
			return 0;
	}
}

static void
growing_budgets(void)
{
	struct ctx_prune_options options;
	static char chat[10000];
	const char *strategy;
	uint64_t gap;
	uint32_t state;
	size_t i;

	tap_case("what fits a budget fits every larger budget");
	for (i = 0; (strategy = ctx_strategy_name(i)) != NULL; i++) {
		state = 45;
		for (unsigned n = 0; n < 40; n++) {
			options =
			    (struct ctx_prune_options)CTX_PRUNE_OPTIONS_INIT;
			options.strategy = strategy;
			if (n % 2 != 0) {
				options.pin = "blue";
				options.keep_last = 1;
				options.keep_turns = CTX_NONE;
			}
			make_random_chat(chat, &state);
			gap = find_gap(chat, &options);
			CHECK(gap == 0);
			if (gap != 0)
				printf("# %s%s, budget %llu:\n%s", strategy,
				    options.pin != NULL ? " with pins" : "",
				    (unsigned long long)gap, chat);
		}
	}
}

/* Prunes an input twice: without a budget, which fails, and then to 2,000
 * tokens. */
static void
prune_twice(struct ctx_input *input)
{
	struct ctx_prune_options options = CTX_PRUNE_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_error error = CTX_ERROR_INIT;

	CHECK(ctx_prune(input, NULL, &options, NULL, &error) == -1);
	CHECK(error.kind == CTX_ERROR_ARGUMENT && error.line == 1);
	options.budget = 9;
	options.target = 10;
	CHECK(ctx_prune(input, NULL, &options, NULL, &error) == -1);
	CHECK(strstr(error.text, "raise the trigger") != NULL);
	options.budget = 2000;
	options.target = 0;
	CHECK(ctx_prune(input, NULL, &options, &result, &error) == 0);
	CHECK(result.messages == 80 && result.removed > 40);
	CHECK(ctx_prune(input, NULL, &options, NULL, &error) == -1);
	CHECK(strstr(error.text, "an earlier operation") != NULL);
	ctx_input_free(input);
}

#define REQUEST(model) \
	"{" model "\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n"

static void
late_budget(void)
{
	static const char first[] = REQUEST("\"model\":\"gpt-4o\",");
	static const char text[] = REQUEST("\"model\":\"gpt-4o\",") REQUEST("");
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;
	struct ctx_prune_options prune = CTX_PRUNE_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	struct ctx_error error = CTX_ERROR_INIT;
	struct ctx_input *input = open_text(text, NULL);
	struct ctx_output *output;
	struct ctx_bytes bytes;

	tap_case("a later conversation without a budget ends ctx_prune");
	NEED(ctx_output_open_memory(&output, NULL) == 0);
	CHECK(ctx_prune(input, output, NULL, &result, &error) == -1);
	CHECK(error.kind == CTX_ERROR_ARGUMENT && error.line == 2);
	CHECK(result.conversations == 1);
	prune.budget = 100;
	CHECK(ctx_prune(input, output, &prune, NULL, NULL) == -1);
	NEED(ctx_output_take(output, &bytes, NULL) == 0);
	CHECK(strcmp(bytes.data, first) == 0);
	ctx_free(bytes.data);
	ctx_input_free(input);
	options.default_model = "gpt-4o";
	input = open_text(text, &options);
	CHECK(ctx_prune(input, output, NULL, NULL, NULL) == 0);
	ctx_input_free(input);
	prune.budget = 0;
	prune.strategy = "window";
	input = open_text(text, NULL);
	CHECK(ctx_prune(input, output, &prune, NULL, NULL) == 0);
	ctx_input_free(input);
	ctx_output_free(output);
}

static void
unused_inputs(void)
{
	struct ctx_input_options options = CTX_INPUT_OPTIONS_INIT;
	struct ctx_age_options age = CTX_AGE_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	char *chat = make_chat(), *request, *line, *next;
	struct ctx_input *input;

	tap_case("an input for which no budget is known is not used up");
	prune_twice(open_text(chat, NULL));
	options.threads = 2;
	prune_twice(open_text(chat, &options));
	request = malloc(strlen(chat) + 100);
	NEED(request != NULL);
	strcpy(request, "{\"messages\":[");
	for (line = chat; *line != '\0'; line = next + 1) {
		next = strchr(line, '\n');
		strncat(request, line, (size_t)(next - line));
		strcat(request, next[1] != '\0' ? "," : "]}");
	}
	prune_twice(open_text(request, NULL));
	free(request);
	tap_case("an input is not used up by a wrong format of file names");
	input = open_text(chat, NULL);
	age.format = "{tool}";
	CHECK(ctx_age(input, NULL, &age, NULL, NULL) == -1);
	age.format = NULL;
	CHECK(ctx_age(input, NULL, &age, &result, NULL) == 0);
	CHECK(result.messages == 80);
	ctx_input_free(input);
	free(chat);
}

static void
patterns(void)
{
	struct ctx_prune_options options = CTX_PRUNE_OPTIONS_INIT;
	struct ctx_result result = CTX_RESULT_INIT;
	char *chat = make_chat();
	struct ctx_input *input = open_text(chat, NULL);

	tap_case(
	    "texts for which a regular expression is given up are counted");
	options.budget = 2000;
	options.pin = "(\\w+\\s*)+$d";
	CHECK(ctx_prune(input, NULL, &options, &result, NULL) == 1);
	CHECK(result.given_up == 80 && result.removed == 0);
	ctx_input_free(input);
	input = open_text(chat, NULL);
	options.pin = "Message 7 ";
	CHECK(ctx_prune(input, NULL, &options, &result, NULL) == 0);
	CHECK(result.given_up == 0 && result.removed > 0);
	ctx_input_free(input);
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

/* Makes a conversation with an old tool result of 300 lines. */
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
	char dir[] = "/tmp/public.XXXXXX", spool[64], other[64], command[100];
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
	tap_case("ctx_restore knows the spool under another path");
	(void)snprintf(other, sizeof other, "%s/../%s/spool", dir, dir + 5);
	restore.spool = other;
	input = open_text(aged.data, NULL);
	CHECK(ctx_restore(input, NULL, &restore, &result, &error) == 0);
	CHECK(result.changed == 1 && result.failed == 0);
	ctx_input_free(input);
	tap_case("ctx_restore gives 1 if all files are elsewhere");
	restore.spool = dir;
	input = open_text(aged.data, NULL);
	CHECK(ctx_restore(input, NULL, &restore, &result, &error) == 1);
	CHECK(result.changed == 0 && result.failed == 1);
	ctx_input_free(input);
	restore.spool = spool;
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

/* Tests the archive.  Without an output, nothing is archived. */
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
	tap_case("an archive that cannot be opened does not use up the input");
	input = open_text(chat, NULL);
	NEED(ctx_output_open_memory(&output, NULL) == 0);
	options.archive = "/dev/null/archive";
	CHECK(ctx_prune(input, output, &options, NULL, NULL) == -1);
	options.archive = NULL;
	CHECK(ctx_prune(input, output, &options, NULL, NULL) == 0);
	ctx_output_free(output);
	ctx_input_free(input);
	free(chat);
}

int
main(void)
{
	count();
	does_not_fit();
	growing_budgets();
	unused_inputs();
	late_budget();
	patterns();
	truncation();
	aging();
	checking();
	archives();
	return tap_done();
}
