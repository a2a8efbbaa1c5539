/* calibration.c - tests the line that is fitted to billed and counted tokens */
#include <math.h>

#include "cost/cost.h"
#include "tap.h"

#define MOST 60

/* the prior distribution for a model that was not measured */
static const struct ctx_factor_prior WIDE = {1, 0.5};

static bool
near(double a, double b, double off)
{
	return fabs(a - b) <= off;
}

/* Makes n requests on a straight line.  Each differs from the line by at most
 * "noise" tokens. */
static void
make(struct ctx_billed_sample *calls, size_t n, double factor, double beside,
    unsigned noise, unsigned long long *seed)
{
	size_t i;

	for (i = 0; i < n; i++) {
		double y;

		calls[i].counted = 100 + tap_random(seed) % 50000;
		y = beside + factor * (double)calls[i].counted;
		if (noise > 0)
			y += (double)(tap_random(seed) % (2 * noise)) - noise;
		calls[i].billed = y < 1 ? 1 : (uint64_t)(y + 0.5);
	}
}

static void
check_lines(void)
{
	struct ctx_billed_sample calls[MOST];
	unsigned long long seed = 3;
	struct ctx_calibration calibration;
	int i, within = 0;

	tap_case("the fit finds the factor and the tokens billed with every "
		 "request");
	make(calls, MOST, 1.31, 18000, 0, &seed);
	CHECK(ctx_calibrate(&calibration, calls, MOST, &WIDE));
	CHECK(near(calibration.factor, 1.31, 1e-4) &&
	    near(calibration.overhead, 18000, 1));
	CHECK(calibration.error < 1e-4 && calibration.worst < 1e-4 &&
	    calibration.spread < 0.01 && calibration.learned > 0.99);

	tap_case("the fit finds 0 tokens billed with every request if there "
		 "are none");
	make(calls, MOST, 0.9, 0, 300, &seed);
	CHECK(ctx_calibrate(&calibration, calls, MOST, &WIDE));
	CHECK(calibration.overhead == 0 && near(calibration.factor, 0.9, 0.01));

	tap_case("requests without counted or billed tokens are refused");
	calls[0].counted = calls[1].counted = calls[2].counted = 0;
	CHECK(!ctx_calibrate(&calibration, calls, 3, &WIDE));
	calls[0].counted = 100;
	calls[0].billed = 0;
	CHECK(!ctx_calibrate(&calibration, calls, 1, &WIDE));
	CHECK(!ctx_calibrate(&calibration, calls, 0, &WIDE));

	tap_case("the factor is within its spread in 95 of 100 fits");
	for (i = 0; i < 1000; i++) {
		make(calls, 8, 1.5, 20000, 4000, &seed);
		CHECK(ctx_calibrate(&calibration, calls, 8, &WIDE));
		within += near(calibration.factor, 1.5, calibration.spread);
	}
	CHECK(within > 920 && within < 985);
}

static void
check_upper(void)
{
	struct ctx_billed_sample calls[MOST];
	unsigned long long seed = 9;
	struct ctx_calibration calibration;
	size_t i, k, n;

	tap_case("the upper factor underestimates no request");
	for (k = 0; k < 2000; k++) {
		n = 1 + (size_t)(tap_random(&seed) % MOST);
		make(calls, n, 1.2, (double)(k % 3) * 9000, 5000, &seed);
		if (!ctx_calibrate(&calibration, calls, n, &WIDE))
			continue;
		CHECK(calibration.upper >= calibration.factor &&
		    calibration.worst >= calibration.error);
		for (i = 0; i < n; i++)
			CHECK(calibration.overhead +
				calibration.upper * (double)calls[i].counted >=
			    (double)calls[i].billed - 1e-6);
	}
}

static void
check_few(void)
{
	struct ctx_billed_sample one = {60, 1000};
	struct ctx_billed_sample large = {100000, 400000};
	struct ctx_billed_sample two[] = {{1000, 1500}, {2000, 2500}};
	struct ctx_billed_sample same[] = {{50, 60}, {50, 62}, {50, 58}};
	struct ctx_calibration calibration;

	tap_case("few requests change the overhead before the factor");
	CHECK(!ctx_calibrate(&calibration, NULL, 0, &WIDE));
	CHECK(ctx_calibrate(&calibration, &one, 1, &WIDE));
	CHECK(near(calibration.factor, 1, 0.01) &&
	    near(calibration.overhead, 940, 2) && calibration.learned < 0.01);
	CHECK(ctx_calibrate(&calibration, two, 2, &WIDE));
	CHECK(near(calibration.factor, 1, 0.01) &&
	    near(calibration.overhead, 500, 10));
	CHECK(ctx_calibrate(&calibration, same, 3, &WIDE));
	CHECK(near(calibration.factor, 1, 0.01) &&
	    near(calibration.overhead, 10, 0.5));
	/* A system prompt never has 300,000 tokens. */
	CHECK(ctx_calibrate(&calibration, &large, 1, &WIDE));
	CHECK(calibration.factor > 2 && calibration.overhead < 100000);
}

/* Returns the factor that is computed from n requests on a line with this
 * factor, if the prior distribution has the factor 1. */
static double
pulled(size_t n, double factor, unsigned noise, double spread)
{
	const struct ctx_factor_prior prior = {1, spread};
	struct ctx_billed_sample calls[MOST];
	struct ctx_calibration calibration;
	unsigned long long seed = 5;

	make(calls, n, factor, 0, noise, &seed);
	NEED(ctx_calibrate(&calibration, calls, n, &prior));
	CHECK(calibration.upper >= calibration.factor);
	return calibration.factor;
}

/* Returns true if the prior distribution of a model for an encoding has this
 * factor and this spread. */
static bool
known(const char *model, const char *encoding, double factor, double spread)
{
	struct ctx_factor_prior prior;

	ctx_factor_prior_find(ctx_model_find(NULL, model, strlen(model)),
	    encoding, &prior);
	return near(prior.factor, factor, 1e-9) &&
	    near(prior.spread, spread, 1e-9);
}

static void
check_prior(void)
{
	struct ctx_billed_sample falling[] = {{100, 10000}, {200, 8000},
	    {300, 6000}};
	struct ctx_calibration calibration;

	tap_case("few requests move the known factor less than many");
	CHECK(pulled(3, 1.5, 9000, 0.1) < 1.4);
	CHECK(pulled(3, 1.5, 9000, 0.1) > 1);
	CHECK(pulled(MOST, 1.5, 9000, 0.1) > 1.3);
	CHECK(near(pulled(8, 1.5, 0, 0.1), 1.5, 0.01));
	CHECK(pulled(3, 1.5, 9000, 0.5) > pulled(3, 1.5, 9000, 0.1));

	tap_case("billed tokens that fall with the count say nothing about the "
		 "factor");
	CHECK(ctx_calibrate(&calibration, falling, 3, &WIDE));
	CHECK(near(calibration.factor, 1, 1e-9) && calibration.learned == 0);
	CHECK(near(calibration.overhead, 7800, 1));

	tap_case("every model has a known factor");
	CHECK(known("gpt-4o", "o200k_base", 1, 0.02));
	CHECK(known("claude-opus-4-8", "claude-4.8", 1, 0.02));
	CHECK(known("claude-opus-4-8", "o200k_base", 1.47, 0.17));
	CHECK(known("claude-opus-4-8", "claude-3", 1, 0.5));
	CHECK(known("gemini-3-pro", "o200k_base", 1.19, 0.3));
	CHECK(known("kimi-k2", "o200k_base", 1, 0.5));
	CHECK(known("gpt-4o", "cl100k_base", 1, 0.5));
	CHECK(known("no-such", "o200k_base", 1, 0.5));
	CHECK(known("mistral-nemo", "o200k_base", 1.09, 0.24));
	CHECK(known("glm-5", "o200k_base", 1.01, 0.10));
	CHECK(known("minimax-m2", "o200k_base", 1.01, 0.17));
	CHECK(known("qwen3.5-plus", "o200k_base", 1.10, 0.19));
	CHECK(known("llama-3.3-70b", "o200k_base",
	    ctx_model_find(NULL, "llama-3.3-70b", 13)->factor / 100.0, 0.12));
}

/* Returns the number of input tokens that a message of a dialect reports.  If
 * around is true, returns the number that the object around the messages
 * reports. */
static uint64_t
input(const char *dialect, bool around, const char *text)
{
	const struct ctx_usage *usage = &ctx_dialect_find(dialect)->usage;
	struct ctx_json json;
	struct ctx_err err;
	size_t used;
	uint64_t n;

	ctx_json_init(&json, CTX_SIMD_BEST);
	NEED(ctx_json_scan(&json, text, strlen(text), &used, &err) == 1);
	n = ctx_billed_input(&json, 0,
	    around ? usage->request : usage->message);
	ctx_json_release(&json);
	return n;
}

static void
check_usage(void)
{
	tap_case("billed usage is read in the form of every provider");
	CHECK(input("openai-chat", true,
		  "{\"usage\":{\"prompt_tokens\":70,"
		  "\"prompt_tokens_details\":{\"cached_tokens\":64}}}") == 70);
	CHECK(input("anthropic", true,
		  "{\"usage\":{\"input_tokens\":4,"
		  "\"cache_creation_input_tokens\":426,"
		  "\"cache_read_input_tokens\":14513}}") == 14943);
	CHECK(input("openai-responses", true,
		  "{\"usage\":{\"input_tokens\":55,"
		  "\"input_tokens_details\":{\"cached_tokens\":50}}}") == 55);
	CHECK(input("bedrock", true,
		  "{\"usage\":{\"inputTokens\":5,"
		  "\"cacheReadInputTokens\":40}}") == 45);
	CHECK(input("gemini", true,
		  "{\"usageMetadata\":{\"promptTokenCount\":12,"
		  "\"cachedContentTokenCount\":8}}") == 12);
	CHECK(input("ollama", true, "{\"prompt_eval_count\":26}") == 26);
	CHECK(input("pi", false,
		  "{\"message\":{\"usage\":{\"input\":3,\"output\":1,"
		  "\"cacheRead\":20,\"cacheWrite\":1}}}") == 24);
	CHECK(input("opencode", false,
		  "{\"info\":{\"tokens\":{\"input\":3,"
		  "\"cache\":{\"read\":20,\"write\":5}}}}") == 28);
	CHECK(input("gemini-cli", false,
		  "{\"tokens\":{\"input\":900,\"cached\":800}}") == 900);
	CHECK(input("llm-logs", false, "{\"input_tokens\":7}") == 7);

	tap_case("values that are not a count of tokens are read as 0");
	CHECK(input("llm-logs", false, "{}") == 0);
	CHECK(input("llm-logs", false, "{\"input_tokens\":null}") == 0);
	CHECK(input("llm-logs", false, "{\"input_tokens\":\"7\"}") == 0);
	CHECK(input("llm-logs", false, "{\"input_tokens\":-3}") == 0);
	CHECK(input("llm-logs", false, "{\"input_tokens\":1e9}") == 0);
	CHECK(input("llm-logs", false, "{\"input_tokens\":1e308}") == 0);
	CHECK(input("llm-logs", false, "{\"input_tokens\":7.5}") == 0);
	CHECK(
	    input("llm-logs", false, "{\"input_tokens\":1000000000001}") == 0);
	CHECK(input("llm-logs", false,
		  "{\"input_tokens\":99999999999999999999}") == 0);
	CHECK(input("anthropic", false, "{\"usage\":3}") == 0);
	CHECK(input("anthropic", false,
		  "{\"usage\":{\"cache_read_input_tokens\":3}}") == 0);
	CHECK(input("anthropic", false,
		  "{\"usage\":{\"input_tokens\":3,"
		  "\"cache_read_input_tokens\":-9}}") == 0);
	CHECK(input("anthropic", false,
		  "{\"usage\":{\"input_tokens\":3,"
		  "\"cache_read_input_tokens\":null}}") == 3);
}

int
main(void)
{
	check_lines();
	check_upper();
	check_few();
	check_prior();
	check_usage();
	return tap_done();
}
