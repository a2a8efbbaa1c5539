/* models.c - tests which row of the table of models a name finds */
#include <math.h>

#include "cost/cost.h"
#include "tap.h"

static const char *
found(const char *name)
{
	return ctx_model_find(NULL, name, strlen(name))->name;
}

static int
finds(const char *name, const char *row)
{
	if (strcmp(found(name), row) == 0)
		return 1;
	printf("# %s finds '%s', not '%s'\n", name, found(name), row);
	return 0;
}

/* Returns the row with this name. */
static const struct ctx_model *
row_of(const char *name)
{
	const struct ctx_model *m;
	size_t i;

	for (i = 0; (m = ctx_model_at(i)) != NULL; i++)
		if (strcmp(m->name, name) == 0)
			return m;
	NEED(m != NULL);
	return m;
}

/* Returns true if the name finds the row with this name, or is an alias, such
 * as the name of a family of models. */
static bool
finds_itself(const char *name)
{
	const struct ctx_model *m = ctx_model_find(NULL, name, strlen(name));

	return ctx_model_has_alias(m, name, strlen(name)) || finds(name, name);
}

static bool
is_date(const char *date)
{
	return strlen(date) == 10 && strncmp(date, "202", 3) == 0 &&
	    date[4] == '-' && date[7] == '-';
}

/* Returns true if a price is at most the other price, or if one of both is not
 * known. */
static bool
is_below(uint64_t price, uint64_t other)
{
	return price == CTX_NO_PRICE || other == CTX_NO_PRICE || price <= other;
}

static void
check_prices_of(const struct ctx_model *m)
{
	const struct ctx_price *p;
	size_t i;

	CHECK((m->prices != NULL) == (m->n_prices > 0));
	for (i = 0; i < m->n_prices; i++) {
		p = &m->prices[i];
		CHECK((strcmp(p->when, "-") == 0) == (i == 0));
		CHECK(is_date(p->date));
		CHECK(p->in > 0 && p->in <= 1000 * 1000000ull);
		CHECK(is_below(p->in, p->out) && is_below(p->read, p->in));
		CHECK(is_below(p->write, p->write_hour));
		CHECK(is_below(p->write, 2 * p->in));
		CHECK(p->write_hour == CTX_NO_PRICE ||
		    p->write_hour == 2 * p->in);
		CHECK(p->above < ctx_model_limit(m));
		CHECK(i == 0 || p->since != 0 || p->above != 0 ||
		    p->days != 0 || p->hours != 0);
	}
}

static void
check_table(void)
{
	const struct ctx_model *m;
	size_t i;

	tap_case("every row of the table is complete and finds itself");
	for (i = 0; (m = ctx_model_at(i)) != NULL; i++) {
		CHECK(finds_itself(m->name));
		CHECK(is_date(m->date));
		CHECK(m->window >= 1000 && m->output > 0);
		CHECK(m->input <= m->window && m->output <= m->window);
		CHECK(m->factor == 0 || (m->factor >= 100 && m->factor < 200));
		CHECK(m->basis == CTX_BASIS_ESTIMATED || m->factor == 100);
		CHECK(m->basis == CTX_BASIS_ESTIMATED || m->file == NULL);
		check_prices_of(m);
		CHECK(ctx_model_limit(m) <= m->window);
	}
	CHECK(i >= 120);
	CHECK(ctx_model_at(i + 1) == NULL);
}

/* Tests that the name of a family finds its newest model, but not a small or
 * special model. */
static void
check_families(void)
{
	static const char *const families[][2] = {{"gpt", "gpt-6.2-sol"},
	    {"gpt-latest", "gpt-6.2-sol"}, {"codex", "gpt-5.3-codex"},
	    {"claude", "claude-opus-5-5"}, {"default", "claude-opus-5-5"},
	    {"opusplan", "claude-opus-5-5"}, {"best", "claude-fable-5-2"},
	    {"gemini", "gemini-4-argon"}, {"deepseek", "deepseek-v4-pro"},
	    {"qwen", "qwen3.8-max"}, {"mistral", "mistral-large-4"},
	    {"llama", "llama-4-maverick-17b-instruct"}, {"grok", "grok-4.7"},
	    {"kimi", "kimi-k3.1-pro"}, {"minimax", "minimax-m3"},
	    {"glm", "glm-5.3"}, {"claude-4.5-sonnet", "claude-sonnet-4-5"},
	    {"sonnet-4.5", "claude-sonnet-4-5"}, {"opus-5", "claude-opus-5"},
	    {"Haiku-5.5[1m]", "claude-haiku-5-5"},
	    {"x-ai/grok-code-fast-1", "grok-code-fast"}};
	size_t i;

	for (i = 0; i < sizeof families / sizeof families[0]; i++)
		CHECK(finds(families[i][0], families[i][1]));
}

static void
check_aliases(void)
{
	const struct ctx_model own = {.name = "opus", .vendor = "mine"};
	const struct ctx_models models = {&own, 1};
	const struct ctx_model *m;
	char name[64];
	size_t i, n, count = 0;
	const char *p;

	tap_case("every alias finds its row, and no other name does");
	for (i = 0; (m = ctx_model_at(i)) != NULL; i++)
		for (p = m->aliases; p != NULL && *p != '\0';
		     p += n + (p[n] == ',')) {
			n = strcspn(p, ",");
			CHECK(n > 0 && n < sizeof name);
			memcpy(name, p, n);
			name[n] = '\0';
			CHECK(finds(name, m->name));
			count++;
		}
	CHECK(count > 40);
	CHECK(finds("opus", "claude-opus-5-5"));
	CHECK(finds("Opus[1m]", "claude-opus-5-5"));
	CHECK(finds("anthropic/claude-opus-latest", "claude-opus-5-5"));
	CHECK(finds("openrouter/x-ai/grok:free", "grok-4.7"));
	CHECK(finds("google/gemini-flash-latest:online", "gemini-3.8-flash"));
	/* In these names, an alias is only a part of the name, or the name is
	 * that of a local model. */
	CHECK(finds("moonshotai/kimi:k3.1-pro", "kimi-k3.1-pro"));
	CHECK(finds("grok:free", "grok") && finds("luna:latest", ""));
	CHECK(finds("fable", "claude-fable-5-2"));
	CHECK(finds("flash", "gemini-3.8-flash"));
	CHECK(finds("models/gemini-pro-latest", "gemini-3.1-pro"));
	/* This is the name of a model, not an alias. */
	CHECK(finds("gpt-5", "gpt-5"));
	CHECK(finds("op", "") && finds("[1m]", ""));
	check_families();
	CHECK(finds("opus,claude-opus", ""));
	CHECK(ctx_model_find(&models, "opus", 4) == &own);
	CHECK(ctx_model_find(&models, "sonnet", 6) != &own);
}

/* Returns the price of input of a model in millionths of a dollar, on a day of
 * November 2026 and an hour (UTC). */
static uint64_t
price_in(const char *name, int day, int hour, uint64_t tokens)
{
	int64_t now = 1793491200 + (int64_t)(day - 1) * 86400 + hour * 3600;

	return ctx_model_price(ctx_model_find(NULL, name, strlen(name)), now,
	    tokens)
	    ->in;
}

static void
check_prices(void)
{
	tap_case("a price holds above a number of tokens");
	CHECK(price_in("claude-haiku-5-5", 1, 0, 100000) == 100000);
	CHECK(price_in("claude-haiku-5-5", 1, 0, 100001) == 500000);
	CHECK(price_in("grok-4.7", 1, 0, 199999) == 2000000);
	CHECK(price_in("grok-4.7", 1, 0, 200000) == 4000000);
	CHECK(price_in("qwen3-coder-plus", 1, 0, 128001) == 3000000);

	tap_case("a price holds at hours of weekdays");
	/* 26 November 2026 is a Thursday. */
	CHECK(price_in("deepseek-flash", 26, 0, 1) == 150000);
	CHECK(price_in("deepseek-flash", 26, 1, 1) == 300000);
	CHECK(price_in("deepseek-flash", 26, 3, 1) == 300000);
	CHECK(price_in("deepseek-flash", 26, 4, 1) == 150000);
	CHECK(price_in("deepseek-flash", 26, 9, 1) == 300000);
	CHECK(price_in("deepseek-flash", 26, 10, 1) == 150000);
	CHECK(price_in("deepseek-flash", 27, 9, 1) == 300000);
	CHECK(price_in("deepseek-flash", 28, 9, 1) == 150000);
	CHECK(price_in("deepseek-flash", 29, 9, 1) == 150000);
	CHECK(price_in("deepseek-flash", 30, 9, 1) == 300000);

	tap_case("a price holds from a day on");
	CHECK(price_in("gemini-4-argon", 30, 23, 1) == 2000000);
	CHECK(price_in("gemini-4-argon", 31, 0, 1) == 4000000);

	tap_case("GPT-6.2 has its own prices, also above 272,000 tokens");
	CHECK(price_in("gpt-6.2-sol", 30, 0, 272000) == 2000000);
	CHECK(price_in("gpt-6.2-sol", 30, 0, 272001) == 4000000);
	CHECK(price_in("openai/gpt-6.2-astra", 30, 0, 1) == 8000000);

	tap_case("a model without prices has none");
	CHECK(ctx_model_price(ctx_model_find(NULL, "gpt-6", 5), 0, 1) == NULL);
	CHECK(ctx_model_price(ctx_model_at(2), INT64_MIN, 1) != NULL);
}

static bool
is_listed(const char *name)
{
	return !ctx_model_find(NULL, name, strlen(name))->unlisted;
}

static const struct ctx_price *
price_of(const char *name)
{
	return ctx_model_price(ctx_model_find(NULL, name, strlen(name)), 0, 1);
}

static void
check_versions(void)
{
	static const char *const listed[] = {"claude-opus-4-8", "gpt-5.2",
	    "claude-opus-4-20250514", "claude-sonnet-4-5-20250929",
	    "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "gpt-4-0613",
	    "claude-sonnet-4-5-preview", "claude-sonnet-4-5[1m]", "opus[1m]",
	    "claude-sonnet-4-5@default", "grok-4-fast-reasoning",
	    "gemini-3-flash-preview-05-06", "gpt-4o-2024-08-06", "grok-4-0709",
	    "openai.gpt-oss-120b-1:0", "us.amazon.nova-pro-v1:0"};
	static const char *const others[] = {"claude-opus-4-9", "gpt-5.9",
	    "claude-opus-4-9-20270101", "us.anthropic.claude-opus-4-9-v1:0",
	    "claude-opus-4.9[1m]", "anthropic/claude-opus-4-9:thinking",
	    "gpt-5.99", "grok-4.21", "grok-9", "prod-gpt-5.9-2027-01-01",
	    "deepseek-v3.9-exp", "mistral-large-9", "claude-novel-1",
	    "claude-sonnet-6"};
	const struct ctx_model *m, *claude;
	size_t i;

	tap_case("a version that the table lacks has no prices of another one");
	for (i = 0; i < sizeof listed / sizeof listed[0]; i++)
		CHECK(is_listed(listed[i]) && price_of(listed[i]) != NULL);
	for (i = 0; i < sizeof others / sizeof others[0]; i++)
		CHECK(!is_listed(others[i]) && price_of(others[i]) == NULL);
	CHECK(is_listed("qwen3:8b") && is_listed("gpt-oss:20b"));
	m = ctx_model_find(NULL, "gpt-5.9", 7);
	CHECK(strcmp(m->name, "gpt-5") == 0 && m->window == 400000);
	CHECK(m->basis == ctx_model_find(NULL, "gpt-5", 5)->basis);

	tap_case("a Claude that the table lacks counts like the newest ones");
	claude = row_of("claude");
	CHECK(claude->basis == CTX_BASIS_ESTIMATED && claude->binds);
	m = ctx_model_find(NULL, "claude-opus-4-9", 15);
	CHECK(strcmp(m->name, "claude-opus-4") == 0 && m->window == 200000);
	CHECK(strcmp(m->encoding, claude->encoding) == 0 && m->binds);
	CHECK(m->basis == claude->basis);
	CHECK(memcmp(&m->image, &claude->image, sizeof m->image) == 0);
	CHECK(memcmp(&ctx_model_find(NULL, "opus", 4)->image, &claude->image,
		  sizeof m->image) == 0);
}

static enum ctx_binding
binding(const char *name)
{
	return ctx_model_binds(ctx_model_find(NULL, name, strlen(name)),
	    (struct ctx_str){name, strlen(name)});
}

static bool
binds(const char *name)
{
	return binding(name) == CTX_BINDS_REFUSED;
}

static void
check_binding(void)
{
	tap_case("a model binds signed reasoning as its row or version says");
	CHECK(binds("claude-fable-5-1") && binds("claude-fable-5-2"));
	CHECK(binds("claude-opus-5-5") && binds("anthropic/claude-opus-5.5"));
	CHECK(binds("us.anthropic.claude-sonnet-5-5-20261001-v1:0"));
	CHECK(binds("claude-haiku-5-5@20261012") && binds("claude-mythos-5-1"));
	CHECK(!binds("claude-opus-4-8") && !binds("claude-opus-5"));
	CHECK(!binds("claude-sonnet-4-20250514") && !binds("claude-sonnet-5"));
	CHECK(!binds("us.anthropic.claude-opus-4-5-20251101-v1:0"));
	CHECK(!binds("claude-fable-5-20260601") && !binds("claude-3-opus"));
	CHECK(binds("claude-opus-4-9") && binds("claude-opus-5-6"));
	CHECK(binds("claude-opus-6") && binds("claude-novel-1"));
	CHECK(!binds("gpt-5.2") && !binds("gemini-3-pro") && !binds("kimi-k3"));
	CHECK(binds("no-such-model"));
	CHECK(ctx_model_binds(NULL, (struct ctx_str){"", 0}) ==
	    CTX_BINDS_REFUSED);

	tap_case("reasoning of GPT-6.2 and later is dropped, not refused");
	CHECK(binding("gpt-6.2-sol") == CTX_BINDS_DROPPED);
	CHECK(binding("openai/gpt-6.2-astra-fast") == CTX_BINDS_DROPPED);
	CHECK(binding("gpt-6.3-sol") == CTX_BINDS_DROPPED);
	CHECK(binding("gpt-7") == CTX_BINDS_DROPPED);
	CHECK(binding("gpt-6") == CTX_BINDS_NOTHING);
	CHECK(binding("gpt-6-astra") == CTX_BINDS_NOTHING);
	CHECK(binding("gpt-6.1-sol") == CTX_BINDS_NOTHING);
	CHECK(binding("gpt-5.9") == CTX_BINDS_NOTHING);
}

static bool
drops(const char *name)
{
	return ctx_model_find(NULL, name, strlen(name))->drops_reasoning;
}

static void
check_reasoning(void)
{
	tap_case("a model drops reasoning of earlier turns as its row says");
	CHECK(drops("gpt-5") && drops("gpt-5-2025-08-07") && drops("gpt-5.5"));
	CHECK(drops("openai/gpt-5.3-codex") && drops("o3") && drops("o4-mini"));
	CHECK(!drops("gpt-5.6") && !drops("gpt-5.6-sol") && !drops("gpt-6"));
	CHECK(!drops("gpt-5-chat-latest") && !drops("gpt-4.1"));
	CHECK(drops("claude-opus-4-1") && drops("claude-sonnet-4-20250514"));
	CHECK(drops("us.anthropic.claude-sonnet-4-5-20250929-v1:0"));
	CHECK(!drops("claude-opus-4-5") && !drops("claude-sonnet-4-6"));
	CHECK(
	    !drops("claude") && !drops("grok-4.3") && !drops("no-such-model"));
	/* Versions that the table does not have are treated like the newest
	 * version. */
	CHECK(!drops("gpt-5.9") && !drops("claude-sonnet-4-9"));
}

static void
check_history(void)
{
	/* wants: whether reasoning of earlier turns must be kept; answers:
	 * whether a user message may not directly follow a tool result; signs:
	 * whether a tool call of the newest turn must have its signature */
	static const struct {
		const char *name;
		bool wants, answers, signs;
	} cases[] = {
	    {"deepseek-v4-pro", true, false, false},
	    {"openrouter/moonshotai/kimi-k3", true, false, false},
	    {"glm-5.1", true, false, false},
	    {"glm-5.9-x", true, false, false},
	    {"mimo-v2.5-pro", true, false, false},
	    {"mistral-large-latest", false, true, false},
	    {"devstral-9", false, true, false},
	    {"mistralai/codestral-2508", false, true, false},
	    {"gpt-5.2", false, false, false},
	    {"claude", false, false, false},
	    {"gemini-3-pro", false, false, true},
	    {"google/gemini-4-argon", false, false, true},
	    {"gemini-2.5-flash", false, false, false},
	    {"qwen3-max", false, false, false},
	    {"no-such-model", false, false, false},
	};
	const struct ctx_model *m;
	size_t i;

	tap_case("a model says which earlier messages its provider wants");
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		m = ctx_model_find(NULL, cases[i].name, strlen(cases[i].name));
		CHECK(m->wants_reasoning == cases[i].wants);
		CHECK(m->answers_results == cases[i].answers);
		CHECK(m->signs_calls == cases[i].signs);
	}
}

static void
check_prefill(void)
{
	static const char *const old[] = {"claude-3-haiku-20240307",
	    "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-opus-4-5",
	    "claude-haiku-4-5", "claude-4-5-sonnet"},
				 *const new[] = {"claude-opus-4-6",
				     "anthropic.claude-sonnet-4-6", "claude",
				     "claude-sonnet-4-9", "claude-opus-4-8",
				     "claude-haiku-5-5", "gpt-4o"};
	size_t i;

	tap_case("Claude before 4.6 continues a last assistant message");
	for (i = 0; i < sizeof old / sizeof old[0]; i++)
		CHECK(ctx_model_find(NULL, old[i], strlen(old[i]))
			  ->takes_prefill);
	for (i = 0; i < sizeof new / sizeof new[0]; i++)
		CHECK(!ctx_model_find(NULL, new[i], strlen(new[i]))
			   ->takes_prefill);
}

static void
check_system(void)
{
	static const char *const old[] = {"claude-sonnet-4-5-20250929",
	    "claude-opus-4-7", "claude-haiku-4-5", "claude-mythos-preview"},
				 *const new[] = {"claude-opus-4-8",
				     "claude-sonnet-5", "claude", "gpt-4o"};
	size_t i;

	tap_case("Claude before Opus 4.8 refuses system messages");
	for (i = 0; i < sizeof old / sizeof old[0]; i++) {
		CHECK(
		    ctx_model_find(NULL, old[i], strlen(old[i]))->fixes_system);
		CHECK(!ctx_model_find(NULL, new[i], strlen(new[i]))
			   ->fixes_system);
	}
}

static void
check_variants(void)
{
	static const char *const names[] = {"claude-opus-4-5-fast",
	    "claude-sonnet-4-5:thinking", "claude-opus-4-5-20251101-fast",
	    "openai/gpt-5.2:free", "x-ai/grok:free", "gpt-5.2-turbo",
	    "glm-4.6-code", "gemma-3n", "deepseek-v3p1", "grok-4-fast-x",
	    "ft:gpt-4o-mini-2024-07-18", "ft:gpt-4o-mini-2024-07-18:org::id",
	    "prod-claude-sonnet-4-5", "zai-glm-5", "gpt-5-latest-x",
	    "openai.gpt-oss-120b-v1", "gpt-5.2-"};
	const struct ctx_model *m;
	size_t i;

	tap_case("a word that no row has leaves the row's prices unknown");
	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		m = ctx_model_find(NULL, names[i], strlen(names[i]));
		CHECK(price_of(names[i]) == NULL && m->n_prices == 0);
		CHECK(row_of(m->name)->prices == NULL || m->unlisted);
		CHECK(m->window == row_of(m->name)->window);
		CHECK(strcmp(m->encoding, row_of(m->name)->encoding) == 0);
		CHECK(m->basis == row_of(m->name)->basis);
	}
	CHECK(!binds("claude-opus-4-5-fast") && drops("gpt-5.2-turbo"));
}

static void
check_registry_price(const char *name, double in, double out, bool special)
{
	const struct ctx_price *price = price_of(name);
	bool right = price == NULL
	    ? special
	    : fabs((double)price->in / 1e6 - in) < 1e-6 &&
		fabs((double)price->out / 1e6 - out) < 1e-6;

	if (!right)
		printf("# %s finds %s with other prices\n", name, found(name));
	CHECK(right);
}

/* Tests names from registries.  They include models for speech or images, whose
 * prices may be missing. */
static void
check_registries(void)
{
	FILE *file = fopen("tests/corpus/registry-prices.tsv", "r");
	char line[200], name[100], kind[20];
	double in, out;
	size_t n = 0;

	tap_case("every name of the registries finds its prices");
	NEED(file != NULL);
	for (; fgets(line, sizeof line, file) != NULL; n++) {
		NEED(sscanf(line, "%99s %lf %lf %19s", name, &in, &out, kind) ==
		    4);
		check_registry_price(name, in, out,
		    strcmp(kind, "special") == 0);
	}
	CHECK(fclose(file) == 0 && n > 500);
}

static void
check_names(void)
{
	tap_case("dates, providers and spellings in a name are ignored");
	CHECK(finds("gpt-4o-2024-08-06", "gpt-4o"));
	CHECK(finds("gpt-5-2025-08-07", "gpt-5"));
	CHECK(finds("openrouter/openai/gpt-5.2", "gpt-5.2"));
	CHECK(finds("ft:gpt-4o-mini-2024-07-18:org::id", "gpt-4o-mini"));
	CHECK(finds("azure/gpt-4.1-mini", "gpt-4.1-mini"));
	CHECK(finds("openrouter/anthropic/claude-opus-4.5", "claude-opus-4-5"));
	CHECK(finds("bedrock/us.anthropic.claude-opus-4-5-20251101-v1:0",
	    "claude-opus-4-5"));
	CHECK(finds("vertex_ai/claude-haiku-4-5@20251001", "claude-haiku-4-5"));
	CHECK(finds("claude-opus-4-20250514", "claude-opus-4"));
	CHECK(finds("us.amazon.nova-pro-v1:0", "nova-pro"));
	CHECK(finds("us.deepseek.r1-v1:0", "deepseek-r1"));
	CHECK(finds("GPT-OSS:20b", "gpt-oss"));
	CHECK(finds("MiniMax-M2.5", "minimax-m2.5"));
	CHECK(finds("global.anthropic.claude-sonnet-4-5-20250929-v1:0",
	    "claude-sonnet-4-5"));
	CHECK(finds("publishers/google/models/gemini-3-pro-preview",
	    "gemini-3-pro"));
	CHECK(finds("models/gemini-2.5-flash", "gemini-2.5-flash"));
	CHECK(finds("groq/llama-3.3-70b-versatile", "llama-3.3"));
	CHECK(finds("meta.llama3-1-70b-instruct-v1:0", "llama3.1"));
	CHECK(finds("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1"));
	CHECK(finds("hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M",
	    "llama-3.2"));
	CHECK(finds("accounts/fireworks/models/deepseek-v3p1", "deepseek-v3"));
	CHECK(finds("zai-org/GLM-4.6", "glm-4.6"));
	CHECK(finds("moonshotai/Kimi-K2-Instruct-0905", "kimi-k2"));
	CHECK(finds("mistral:7b", "mistral-7b"));
	CHECK(finds("qwen3:8b", "qwen3-8b"));
	CHECK(finds("gemma3:4b", "gemma3"));
	CHECK(finds("gpt-4-1106-preview", "gpt-4-1106"));
	CHECK(finds("gpt-4-0613", "gpt-4"));
	CHECK(finds("o1-preview-2024-09-12", "o1-preview"));
	CHECK(finds("grok-4-fast-reasoning", "grok-4-fast"));
	CHECK(finds("gpt4", "gpt-4"));
	CHECK(finds("gpt4o-mini", "gpt-4o-mini"));
	CHECK(finds("gpt5", "gpt-5"));
	CHECK(finds("phi4", "phi-4"));
	CHECK(finds("phi4:14b", "phi-4"));
	CHECK(finds("claude3-haiku", "claude-3-haiku"));
	CHECK(finds("qwen-3-32b", "qwen3-32b"));
	CHECK(finds("qwen3-coder:30b", "qwen3-coder"));
	CHECK(finds("qwen/qwen3-coder", "qwen3-coder"));
	CHECK(finds("qwen-2.5-72b-instruct", "qwen2-5-72b-instruct"));
	CHECK(finds("gemma4:31b", "gemma-4-31b"));
	CHECK(finds("google/gemma-4-26b-a4b-it", "gemma-4-26b"));
	CHECK(finds("gemma-3-27b-it", "gemma-3"));

	tap_case("a model is found after a prefix of one's own");
	CHECK(finds("hermes-3-llama-3.1-70b", "llama-3.1"));
	CHECK(finds("dolphin-llama3:8b", "llama3"));
	CHECK(finds("azure/team_gpt-4o-mini", "gpt-4o-mini"));
	CHECK(finds("prod-claude-sonnet-4-5", "claude-sonnet-4-5"));
	CHECK(finds("deepseek-r1-distill-qwen-32b", "deepseek-r1"));

	tap_case(
	    "an unknown version finds its family, an unknown name no model");
	CHECK(finds("gpt-5.99", "gpt-5"));
	CHECK(finds("gpt-9-nova", "gpt"));
	CHECK(finds("claude-opus-5-9", "claude-opus-5"));
	CHECK(finds("claude-next", "claude"));
	CHECK(finds("gemini-9-pro", "gemini"));
	CHECK(finds("gemini-3.9-pro", "gemini-3"));
	CHECK(finds("grok-9", "grok"));
	CHECK(finds("my-own", ""));
	/* The name of a row does not match a part of a word. */
	CHECK(finds("gpt-4oo", "") && finds("openai/gpt-4omni", ""));
	CHECK(finds("mistrallite", "") && finds("glm-4.5vx", ""));
	CHECK(finds("gpt-5-production", "gpt-5"));
	CHECK(finds("gpt-4o-minimal", "gpt-4o"));
	CHECK(finds("qwen2.5vl:7b", "qwen2.5"));
	CHECK(finds("gemma3n:e4b", "gemma3"));
	CHECK(finds("", ""));
	CHECK(finds("a/", ""));
	CHECK(ctx_model_find(NULL, "x", 1)->window == 32000);
}

static uint64_t
window(const char *name)
{
	return ctx_model_find(NULL, name, strlen(name))->window;
}

static void
check_windows(void)
{
	tap_case("families have the windows of their documentation");
	CHECK(window("claude-3-5-sonnet") == 200000);
	CHECK(window("claude-sonnet-4-5") == 200000);
	CHECK(window("claude-opus-5-5") == 1000000);
	/* Since April 2026, Sonnet 4.5 does not have a window of 1,000,000
	 * tokens.  Models with such a window have it also without the ending
	 * [1m]. */
	CHECK(window("claude-sonnet-4-5[1m]") == 200000);
	CHECK(window("claude-sonnet-4-6[1m]") == 1000000);
	CHECK(window("claude-opus-5[1m]") == 1000000);
	CHECK(window("gpt-4o-mini") == 128000);
	CHECK(window("gpt-4-turbo") == 128000);
	CHECK(window("gpt-4") == 8192);
	CHECK(window("o1") == 200000 && window("o3-mini") == 200000);
	CHECK(window("gemini-2.5-pro") == 1048576);
	CHECK(window("gemini-1.5-pro") == 2097152);
	CHECK(window("somebody/own-7b") == 32000);
	/* The limit of the input is lower than the context window. */
	CHECK(ctx_model_limit(ctx_model_find(NULL, "gpt-5", 5)) == 272000);
}

static void
check_own(void)
{
	struct ctx_model list[] = {{.name = "gpt-4o", .vendor = "mine"},
	    {.name = "gpt-4o-mini-x", .vendor = "mine"}};
	struct ctx_models own = {list, 2};

	tap_case("models of the user come before the table, and the longest "
		 "name wins");
	CHECK(ctx_model_find(&own, "gpt-4o-2024", 11) == &list[0]);
	CHECK(ctx_model_find(&own, "gpt-4o-mini-x", 13) == &list[1]);
	CHECK(strcmp(ctx_model_find(&own, "gpt-4o-mini", 11)->vendor,
		  "openai") == 0);
}

static void
check_long(void)
{
	char name[300];

	tap_case("a name of more than 256 bytes finds no model");
	memset(name, 'x', sizeof name);
	memcpy(name, "gpt-4o-", 7);
	CHECK(strcmp(ctx_model_find(NULL, name, 256)->name, "gpt-4o") == 0);
	CHECK(*ctx_model_find(NULL, name, 257)->name == '\0');
	/* Slashes before the name of the model are ignored. */
	memset(name, '/', sizeof name);
	memcpy(name + sizeof name - 6, "gpt-4o", 6);
	CHECK(strcmp(ctx_model_find(NULL, name, sizeof name)->name, "gpt-4o") ==
	    0);
}

static void
check_scale(void)
{
	struct ctx_counter counter = {.factor = 153};
	uint64_t n, room;

	tap_case("ctx_tokens_to_encoding and ctx_tokens_to_model are inverse");
	for (n = 0; n < 5000; n++) {
		room = ctx_tokens_to_encoding(&counter, n);
		CHECK(ctx_tokens_to_model(&counter, room) <= n);
		CHECK(n < 2 || ctx_tokens_to_model(&counter, room + 2) > n);
	}
	counter.factor = 0;
	CHECK(ctx_tokens_to_model(&counter, 7) == 7);
	CHECK(ctx_tokens_to_encoding(&counter, UINT64_MAX) == UINT64_MAX);
}

/* Returns the correction of a text that ends with a NUL byte. */
static int64_t
correction(const char *text)
{
	const struct ctx_counter counter = {.factor = 103, .corrects = true};

	return ctx_text_correction(&counter, text, strlen(text));
}

static void
check_correction(void)
{
	/* digits, wide characters and emoji; characters of 1, 3 and 4 bytes */
	static const char text[] =
	    "x_1: \xe6\xbc\xa2\xe5\xad\x97\t\xf0\x9f\x98\x80 3.14\r\n\xc3\xa9 "
	    "end\n";
	struct ctx_counter counter = {.factor = 103, .corrects = true};
	size_t n = sizeof text - 1, i;

	tap_case("ctx_text_correction weighs each kind of character");
	CHECK(correction("0") == 500 && correction("9") == 500);
	CHECK(correction("_") == 500);
	CHECK(correction("/:;^`-") == 0);
	CHECK(correction("\n") == 600 && correction("\t") == 600);
	CHECK(correction("\r\n") == 1200);
	CHECK(correction("the quick brown fox, jumping") == 0);
	CHECK(correction("\xc3\xa9\xd0\xb6\xe2\xbf\xbf") == 0);
	CHECK(correction("\xe3\x80\x80") == -170);     /* U+3000 */
	CHECK(correction("\xef\xbf\xbf") == -170);     /* U+FFFF */
	CHECK(correction("\xf0\x90\x80\x80") == -820); /* U+10000 */
	CHECK(correction("\xf4\x8f\xbf\xbf") == -820); /* U+10FFFF */
	CHECK(correction("") == 0);

	tap_case("the correction of a text is the sum of those of its parts");
	CHECK(correction(text) == 5 * 500 + 4 * 600 - 2 * 170 - 820);
	for (i = 0; i <= n; i++)
		CHECK(ctx_text_correction(&counter, text, i) +
			ctx_text_correction(&counter, text + i, n - i) ==
		    correction(text));

	tap_case("ctx_correct_tokens rounds, and leaves half of the tokens");
	CHECK(ctx_correct_tokens(&counter, 0, 0) == 0);
	CHECK(ctx_correct_tokens(&counter, 1, 0) == 1);
	CHECK(ctx_correct_tokens(&counter, 100, 0) == 103);
	CHECK(ctx_correct_tokens(&counter, 100, 499) == 103);
	CHECK(ctx_correct_tokens(&counter, 100, 500) == 104);
	CHECK(ctx_correct_tokens(&counter, 100, 50000) == 153);
	CHECK(ctx_correct_tokens(&counter, 100, -40000) == 63);
	CHECK(ctx_correct_tokens(&counter, 100, -53000) == 50);
	CHECK(ctx_correct_tokens(&counter, 100, -60000) == 50);
	CHECK(ctx_correct_tokens(&counter, 101, -900000) == 51);
	CHECK(ctx_correct_tokens(&counter, 1, -820) == 1);

	tap_case("ctx_text_to_model corrects only for counters that do so");
	CHECK(ctx_text_to_model(&counter, "", 0, 0) == 0);
	CHECK(ctx_text_to_model(&counter, "2024-11-27\n", 11, 8) == 13);
	counter.corrects = false;
	CHECK(ctx_text_correction(&counter, "2024-11-27\n", 11) == 0);
	CHECK(ctx_text_to_model(&counter, "2024-11-27\n", 11, 8) == 8);
	CHECK(ctx_correct_tokens(&counter, 100, 50000) == 103);
}

int
main(void)
{
	check_table();
	check_names();
	check_aliases();
	check_prices();
	check_versions();
	check_variants();
	check_registries();
	check_binding();
	check_reasoning();
	check_history();
	check_prefill();
	check_system();
	check_windows();
	check_own();
	check_long();
	check_scale();
	check_correction();
	return tap_done();
}
