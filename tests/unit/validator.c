/* validator.c - tests the rules of ctx-check one by one */
#include "check/check.h"
#include "tap.h"

/* The findings, as "LINE:rule LINE:rule ...". */
struct log {
	char text[400];
	bool repairs;
};

static int
found(void *user, const struct ctx_finding *finding, struct ctx_err *err)
{
	struct log *log = user;
	size_t n = strlen(log->text);

	(void)err;
	NEED(finding->what[0] != '\0');
	(void)snprintf(log->text + n, sizeof log->text - n, "%s%d:%s",
	    n > 0 ? " " : "", (int)finding->place.line,
	    ctx_rule_at(finding->id)->id);
	return log->repairs && ctx_rule_at(finding->id)->remedy != CTX_FIX_NONE;
}

/* Checks messages (an array that ends with NULL) as one conversation by these
 * rules.  Returns the findings. */
static const char *
judge(struct log *log, const char *dialect, uint64_t rules, bool allow_pending,
    const char *const *messages)
{
	const struct ctx_dialect *row = ctx_dialect_find(dialect);
	struct ctx_place place = {.file = "-"};
	struct ctx_message message = {0};
	struct ctx_validator validator;
	struct ctx_json json;
	struct ctx_err err;
	size_t used;

	log->text[0] = '\0';
	NEED(row != NULL && ctx_validator_init(&validator, &err) == 0);
	validator.on_finding = found;
	validator.user = log;
	ctx_validator_begin(&validator);
	ctx_json_init(&json, CTX_SIMD_BEST);
	for (; *messages != NULL; messages++) {
		place.line++;
		NEED(ctx_json_scan(&json, *messages, strlen(*messages), &used,
			 &err) == 1);
		NEED(ctx_dialect_read_message(row, &json, 0, &message, &err) ==
		    1);
		NEED(ctx_validator_add(&validator, rules, &message, &place,
			 &err) == 0);
		place.message++;
	}
	NEED(ctx_validator_end(&validator, allow_pending, &err) == 0);
	ctx_validator_release(&validator);
	ctx_message_release(&message);
	ctx_json_release(&json);
	return log->text;
}

/* Messages of Chat Completions, short enough to read a test at a glance. */
#define SYS  "{\"role\":\"system\",\"content\":\"s\"}"
#define USER "{\"role\":\"user\",\"content\":\"u\"}"
#define SAYS "{\"role\":\"assistant\",\"content\":\"a\"}"
#define CALL(id)                                                      \
	"{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"" id "\"," \
	"\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}"
#define TWO(a, b)                                           \
	"{\"role\":\"assistant\",\"tool_calls\":["          \
	"{\"id\":\"" a "\",\"function\":{\"name\":\"f\"}}," \
	"{\"id\":\"" b "\",\"function\":{\"name\":\"g\"}}]}"
#define CLAUDE(more)                                                     \
	"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":" \
	"[{\"type\":\"text\",\"text\":\"\"}]}" more "}"
#define GOT(id) \
	"{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"1\"}"

static void
check_found(uint64_t rules, const char *want, const char *const *messages)
{
	struct log log = {.repairs = false};
	const char *got = judge(&log, "openai-chat", rules, false, messages);

	if (strcmp(got, want) != 0)
		printf("# %s, not %s\n", got, want);
	CHECK(strcmp(got, want) == 0);
}
#define FOUND(rules, want, ...) \
	check_found(rules, want, (const char *const[]){__VA_ARGS__, NULL})

static void
test_pairs(void)
{
	const unsigned next = CTX_RESULTS_NEXT;

	tap_case("tool calls with their results in any order have no findings");
	FOUND(0, "", USER, CALL("a"), USER, GOT("a"));
	FOUND(next, "", USER, TWO("a", "b"), GOT("b"), GOT("a"), SAYS);
	FOUND(next, "", CALL("a"), GOT("a"), CALL("a"), GOT("a"));
	FOUND(next, "", CALL("\\u0061"), GOT("a"));
	tap_case("orphan-call");
	FOUND(0, "2:orphan-call", USER, CALL("a"), USER);
	FOUND(0, "1:orphan-call", TWO("a", "b"), GOT("a"));
	FOUND(next, "1:orphan-call", CALL("a"), USER);
	FOUND(next, "1:orphan-call 1:orphan-call", TWO("a", "b"), SAYS);
	tap_case("orphan-result and duplicate-result");
	FOUND(0, "1:orphan-result", GOT("a"), CALL("b"), GOT("b"));
	FOUND(0, "3:duplicate-result", CALL("a"), GOT("a"), GOT("a"));
	tap_case("result-order");
	FOUND(next, "1:orphan-call 3:result-order", CALL("a"), USER, GOT("a"));
	FOUND(CTX_RESULTS_BY_USER, "1:orphan-call 4:result-order", CALL("a"),
	    SAYS, USER, GOT("a"));
	FOUND(CTX_RESULTS_BY_USER, "", CALL("a"), SAYS, GOT("a"), USER);
	tap_case("split-results");
	FOUND(next | CTX_ASKS_TOGETHER, "3:split-results", TWO("a", "b"),
	    GOT("a"), GOT("b"));
	FOUND(next | CTX_ASKS_TOGETHER, "", CALL("a"), GOT("a"), CALL("b"),
	    GOT("b"));
	tap_case("duplicate-id");
	FOUND(0, "1:duplicate-id", TWO("a", "a"), GOT("a"), GOT("a"));
	FOUND(0, "", CALL("a"), GOT("a"), CALL("a"), GOT("a"));
}

/* Tests results of functions without ids, which are matched by name and
 * order. */
static void
test_names(void)
{
	static const char call[] = "{\"role\":\"assistant\",\"function_call\":"
				   "{\"name\":\"f\",\"arguments\":\"{}\"}}";
	static const char got[] =
	    "{\"role\":\"function\",\"name\":\"f\",\"content\":\"1\"}";

	tap_case("calls and results without ids pair by name");
	FOUND(CTX_PAIR_BY_NAME, "", call, got, call, got);
	FOUND(CTX_PAIR_BY_NAME, "", call, call, got, got);
	FOUND(CTX_PAIR_BY_NAME, "2:orphan-call", call, call, got);
	FOUND(CTX_PAIR_BY_NAME, "3:orphan-result", call, got, got);
}

static void
test_forms(void)
{
	tap_case("bad-id");
	FOUND(CTX_NEEDS_IDS, "1:bad-id", CALL(""), GOT(""));
	FOUND(CTX_PLAIN_IDS, "1:bad-id", CALL("a.b"), GOT("a.b"));
	FOUND(CTX_PLAIN_IDS, "", CALL("aZ0_-"), GOT("aZ0_-"));
	FOUND(CTX_PLAIN_IDS | CTX_DOTTED_IDS, "", CALL("f.g:0"), GOT("f.g:0"));
	FOUND(CTX_PLAIN_IDS | CTX_DOTTED_IDS, "1:bad-id", CALL("a|b"),
	    GOT("a|b"));
	FOUND(CTX_SHORT_IDS, "1:bad-id",
	    CALL("0123456789012345678901234567890123456789"
		 "0123456789012345678901234"),
	    GOT("0123456789012345678901234567890123456789"
		"0123456789012345678901234"));
	FOUND(CTX_NEEDS_IDS, "1:bad-id",
	    "{\"role\":\"assistant\",\"tool_calls\":"
	    "[{\"function\":{\"name\":\"f\"}}]}",
	    "{\"role\":\"tool\",\"content\":\"x\"}");
	tap_case("bad-arguments");
	FOUND(CTX_ARGUMENTS_TEXT | CTX_ARGUMENTS_PARSED, "", CALL("a"),
	    GOT("a"));
	FOUND(CTX_ARGUMENTS_TEXT | CTX_ARGUMENTS_PARSED, "1:bad-arguments",
	    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\","
	    "\"function\":{\"arguments\":\"{\\\"a\\\":\"}}]}",
	    GOT("a"));
	FOUND(CTX_ARGUMENTS_OBJECT, "1:bad-arguments", CALL("a"), GOT("a"));
	tap_case("empty-result");
	FOUND(CTX_NEEDS_BODY, "2:empty-result", CALL("a"),
	    "{\"role\":\"tool\",\"tool_call_id\":\"a\"}");
	FOUND(CTX_NEEDS_BODY, "2:empty-result", CALL("a"),
	    "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":[]}");
	tap_case("empty-tool-calls");
	FOUND(CTX_NO_EMPTY_CALLS, "1:empty-tool-calls",
	    "{\"role\":\"assistant\",\"content\":\"x\",\"tool_calls\":[]}");
	tap_case("cut-reasoning");
	FOUND(CTX_SIGNED, "1:cut-reasoning",
	    "{\"role\":\"assistant\",\"content\":\"x\","
	    "\"reasoning_content\":\"r\"}");
}

static void
test_content(void)
{
	static const char thinks[] = "{\"role\":\"assistant\",\"content\":"
				     "null,\"reasoning_content\":\"r\"}";
	static const char mute[] = "{\"role\":\"assistant\",\"content\":\"\"}";
	static const char nothing[] = "{\"role\":\"assistant\"}";
	static const char blank[] = "{\"role\":\"user\",\"content\":"
				    "[{\"type\":\"text\",\"text\":\" \"},"
				    "{\"type\":\"text\",\"text\":\"x\"}]}";

	static const char blanks[] = "{\"role\":\"user\",\"content\":"
				     "[{\"type\":\"text\",\"text\":\" \"},"
				     "{\"type\":\"text\",\"text\":\"\\n\"}]}";
	static const char empty[] = "{\"role\":\"user\",\"content\":"
				    "[{\"type\":\"text\",\"text\":\"\"},"
				    "{\"type\":\"text\",\"text\":\"x\"}]}";
	static const char calls[] =
	    "{\"role\":\"assistant\",\"content\":"
	    "[{\"type\":\"text\",\"text\":\" \"}],\"tool_calls\":"
	    "[{\"id\":\"a\",\"function\":{\"arguments\":\"{}\"}}]}";

	tap_case("empty-message");
	FOUND(0, "", mute);
	FOUND(CTX_NO_BLANK_TEXT, "1:empty-message", mute);
	FOUND(0, "1:empty-message", nothing);
	FOUND(0, "", "{\"role\":\"user\",\"content\":\"\"}");
	FOUND(0, "1:empty-message", "{\"role\":\"user\",\"content\":[]}");
	FOUND(CTX_NO_BLANK_TEXT, "1:empty-message",
	    "{\"role\":\"user\",\"content\":\"\"}");
	FOUND(CTX_LAST_MAY_BE_EMPTY, "", USER, nothing);
	FOUND(CTX_LAST_MAY_BE_EMPTY, "2:empty-message", USER, nothing, USER);
	tap_case("empty-text");
	FOUND(0, "", blank);
	FOUND(CTX_NO_BLANK_TEXT, "", blank);
	FOUND(CTX_NO_BLANK_TEXT, "1:empty-text 1:empty-text", blanks);
	FOUND(CTX_NO_BLANK_TEXT, "1:empty-text", empty);
	FOUND(CTX_NO_BLANK_TEXT, "", calls, GOT("a"));
	tap_case("reasoning-only and lone-reasoning");
	FOUND(0, "", thinks);
	FOUND(CTX_MUST_SPEAK, "1:reasoning-only", thinks);
	FOUND(CTX_REASONING_LEADS, "", thinks, SAYS);
	FOUND(CTX_REASONING_LEADS, "1:lone-reasoning", thinks, USER);
	FOUND(CTX_REASONING_LEADS, "2:lone-reasoning", USER, thinks);
}

static void
test_places(void)
{
	tap_case("first-message");
	FOUND(CTX_ASKS_FIRST, "", SYS, USER);
	FOUND(CTX_ASKS_FIRST, "2:first-message", SYS, SAYS, USER);
	tap_case("last-message");
	FOUND(CTX_LAST_USER, "", USER);
	FOUND(CTX_LAST_USER, "", CALL("a"), GOT("a"));
	FOUND(CTX_LAST_USER, "2:last-message", USER, SAYS);
	tap_case("alternation");
	FOUND(CTX_ASKS_TURNS, "", USER, SAYS, USER, TWO("a", "b"), GOT("a"),
	    GOT("b"), SAYS);
	FOUND(CTX_ASKS_TURNS, "2:alternation", USER, USER);
	FOUND(CTX_ASKS_TURNS, "3:alternation", USER, SAYS, SAYS);
	tap_case("results-first");
	FOUND(CTX_RESULTS_FIRST, "3:results-first", CALL("a"), USER, GOT("a"));
	FOUND(CTX_RESULTS_FIRST, "", USER, CALL("a"), GOT("a"), USER);
	tap_case("system-place");
	FOUND(CTX_SYSTEM_BETWEEN, "", USER, SYS, SAYS, USER, SYS);
	FOUND(CTX_SYSTEM_BETWEEN, "1:system-place", SYS, SAYS);
	FOUND(CTX_SYSTEM_BETWEEN, "2:system-place", USER, SYS, USER);
	FOUND(CTX_SYSTEM_BETWEEN, "", USER, SYS, SYS, SAYS, USER, SYS, SYS);
	FOUND(CTX_SYSTEM_BETWEEN, "3:system-place", USER, SYS, SYS, USER);
	FOUND(CTX_SYSTEM_BETWEEN, "1:system-place 2:system-place", SYS, SYS,
	    SAYS);
	tap_case("bad-role");
	FOUND(CTX_KNOWN_ROLES, "1:bad-role",
	    "{\"role\":\"oracle\",\"content\":\"x\"}");
	FOUND(CTX_NO_SYSTEM, "1:bad-role", SYS, USER);
	FOUND(CTX_NO_TOOL_ROLE, "2:bad-role", CALL("a"), GOT("a"));
}

static void
test_pending(void)
{
	struct log log = {.repairs = false};

	tap_case("only open calls of the newest turn may be allowed");
	CHECK(*judge(&log, "openai-chat", 0, true,
		  (const char *const[]){USER, TWO("a", "b"), GOT("b"), NULL}) ==
	    '\0');
	CHECK(strcmp(judge(&log, "openai-chat", 0, true,
			 (const char *const[]){USER, CALL("a"), USER, CALL("b"),
			     NULL}),
		  "2:orphan-call") == 0);
	CHECK(strcmp(judge(&log, "openai-chat", CTX_RESULTS_NEXT, true,
			 (const char *const[]){USER, CALL("a"), SAYS, CALL("b"),
			     NULL}),
		  "2:orphan-call") == 0);
}

static void
test_repair(void)
{
	struct log log = {.repairs = true};

	tap_case("messages that are not shown to the model are not checked");
	CHECK(strcmp(judge(&log, "claude-code", CTX_NO_BLANK_TEXT, false,
			 (const char *const[]){CLAUDE(""), NULL}),
		  "1:empty-text") == 0);
	CHECK(strcmp(judge(&log, "claude-code", CTX_NO_BLANK_TEXT, false,
			 (const char *const[]){
			     CLAUDE(",\"isApiErrorMessage\":true"), NULL}),
		  "") == 0);
	tap_case("messages after a repaired one are checked as if it had been "
		 "valid");
	/* The empty message between the call and its result is ignored. */
	CHECK(strcmp(judge(&log, "openai-chat", CTX_RESULTS_NEXT, false,
			 (const char *const[]){CALL("a"),
			     "{\"role\":\"user\",\"content\":[]}", GOT("a"),
			     NULL}),
		  "2:empty-message") == 0);
	/* After a repair has inserted a result, the result of the input is
	 * late, and one after it is a second one. */
	CHECK(strcmp(judge(&log, "openai-chat", CTX_RESULTS_NEXT, false,
			 (const char *const[]){CALL("a"), SAYS, GOT("a"),
			     GOT("a"), NULL}),
		  "1:orphan-call 3:result-order 4:duplicate-result") == 0);
	/* If the empty message is removed, two messages of the user are
	 * neighbours. */
	CHECK(strcmp(judge(&log, "openai-chat", CTX_ASKS_TURNS, false,
			 (const char *const[]){USER, "{\"role\":\"assistant\"}",
			     USER, NULL}),
		  "2:empty-message 3:alternation") == 0);
}

/* Tests thousands of ids and open calls, whose results come in reverse
 * order. */
static void
test_many(void)
{
	enum { N = 20000 };
	struct log log = {.repairs = false};
	const char **messages = malloc((2 * N + 1) * sizeof *messages);
	char(*text)[160] = malloc(2 * N * sizeof *text);
	size_t i;

	tap_case("many open calls");
	NEED(messages != NULL && text != NULL);
	for (i = 0; i < 2 * N; i++)
		messages[i] = text[i];
	for (i = 0; i < N; i++) {
		(void)snprintf(text[i], sizeof text[i],
		    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"%zu\"}]"
		    "}",
		    i);
		(void)snprintf(text[2 * N - 1 - i], sizeof text[i],
		    "{\"role\":\"tool\",\"tool_call_id\":\"%zu\","
		    "\"content\":\"\"}",
		    i);
	}
	messages[2 * N] = NULL;
	CHECK(*judge(&log, "openai-chat", 0, false, messages) == '\0');
	messages[2 * N - 1] = NULL;
	CHECK(strcmp(judge(&log, "openai-chat", 0, false, messages),
		  "1:orphan-call") == 0);
	free(messages);
	free(text);
}

static void
test_tables(void)
{
	const struct ctx_provider *provider;
	const struct ctx_provider_limits *limits;
	size_t i, k;

	tap_case("every rule and provider of the tables is complete");
	for (i = 0; i < CTX_RULES; i++) {
		const struct ctx_rule *rule = ctx_rule_at(i);

		NEED(rule != NULL && rule->id != NULL);
		CHECK(rule->about[0] != '\0' && rule->source[0] != '\0');
		for (k = 0; k < i; k++)
			CHECK(strcmp(rule->id, ctx_rule_at(k)->id) != 0);
	}
	CHECK(ctx_rule_at(i) == NULL);
	for (i = 0; (provider = ctx_provider_at(i)) != NULL; i++) {
		CHECK(ctx_provider_find(provider->name) == provider);
		CHECK(ctx_dialect_find(provider->dialect) != NULL);
	}
	CHECK(ctx_provider_find("nobody") == NULL);
	tap_case("limits of a request, and of a model with a small window");
	limits = ctx_provider_limits_of(ctx_provider_find("openai"), NULL);
	CHECK(limits->request == UINT64_C(512) << 20);
	CHECK(ctx_provider_limits_images(limits, 128000) == 1500);
	limits =
	    ctx_provider_limits_of(NULL, ctx_dialect_find("openai-responses"));
	CHECK(limits->request == UINT64_C(512) << 20);
	limits = ctx_provider_limits_of(ctx_provider_find("anthropic"), NULL);
	CHECK(ctx_provider_limits_images(limits, 0) == 600);
	CHECK(ctx_provider_limits_images(limits, 200000) == 100);
	CHECK(ctx_provider_limits_images(limits, 200001) == 600);
	limits = ctx_provider_limits_of(ctx_provider_find("gemini"), NULL);
	CHECK(ctx_provider_limits_images(limits, 0) == 3600);
	CHECK(
	    ctx_provider_limits_of(ctx_provider_find("mistral"), NULL) == NULL);
	tap_case("a provider adds its rules, and the rules of the dialect's "
		 "form stay");
	provider = ctx_provider_find("openai");
	CHECK(ctx_provider_rules(provider, ctx_dialect_find("generic"), false) &
	    CTX_RESULTS_NEXT);
	CHECK(
	    !(ctx_provider_rules(provider, ctx_dialect_find("generic"), false) &
		CTX_ARGUMENTS_TEXT));
	CHECK(ctx_provider_rules(provider, ctx_dialect_find("openai-chat"),
		  false) &
	    CTX_SHORT_IDS);
	CHECK(ctx_provider_rules(NULL, ctx_dialect_find("openai-chat"),
		  false) == ctx_dialect_find("openai-chat")->rules);
}

int
main(void)
{
	test_pairs();
	test_names();
	test_forms();
	test_content();
	test_places();
	test_pending();
	test_repair();
	test_many();
	test_tables();
	return tap_done();
}
