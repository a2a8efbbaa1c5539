/*
 * model.c - windows and encodings of models
 *
 * Figures of models.dev (July 2026) and of the providers' own pages; the
 * encodings are those of tiktoken 0.14.  What has no public tokenizer is
 * counted with o200k_base, and that is an estimate.
 */
#include <string.h>

#include "ctx.h"

#define K *1000u
#define O200K "o200k_base"
#define CL100K "cl100k_base"

static const struct ctx_model models[] = {
    {"gpt-6", "openai", 1050 K, 922 K, 128 K, O200K, false},
    {"gpt-5.6", "openai", 1050 K, 922 K, 128 K, O200K, true},
    {"gpt-5.5", "openai", 1050 K, 922 K, 128 K, O200K, true},
    {"gpt-5.5-instant", "openai", 400 K, 400 K, 128 K, O200K, true},
    {"gpt-5.4", "openai", 1050 K, 922 K, 128 K, O200K, true},
    {"gpt-5.4-mini", "openai", 400 K, 272 K, 128 K, O200K, true},
    {"gpt-5.4-nano", "openai", 400 K, 272 K, 128 K, O200K, true},
    {"gpt-5", "openai", 400 K, 272 K, 128 K, O200K, true},
    {"gpt-5-chat", "openai", 128 K, 0, 16384, O200K, true},
    {"gpt-5.1-chat", "openai", 128 K, 0, 16384, O200K, true},
    {"gpt-5.2-chat", "openai", 128 K, 0, 16384, O200K, true},
    {"gpt-5.3-chat", "openai", 128 K, 0, 16384, O200K, true},
    {"gpt-4.5", "openai", 128 K, 0, 16384, O200K, true},
    {"gpt-4.1", "openai", 1047576, 0, 32768, O200K, true},
    {"gpt-4o", "openai", 128 K, 0, 16384, O200K, true},
    {"chatgpt-4o", "openai", 128 K, 0, 16384, O200K, true},
    {"gpt-4-turbo", "openai", 128 K, 0, 4096, CL100K, true},
    {"gpt-4", "openai", 8192, 0, 8192, CL100K, true},
    {"gpt-4-32k", "openai", 32768, 0, 8192, CL100K, true},
    {"gpt-3.5", "openai", 16385, 0, 4096, CL100K, true},
    {"gpt-35", "openai", 16385, 0, 4096, CL100K, true},
    {"gpt-oss", "openai", 131072, 0, 32768, "o200k_harmony", true},
    {"o1", "openai", 200 K, 0, 100 K, O200K, true},
    {"o3", "openai", 200 K, 0, 100 K, O200K, true},
    {"o4-mini", "openai", 200 K, 0, 100 K, O200K, true},
    {"claude", "anthropic", 200 K, 0, 64 K, O200K, false},
    {"claude-3", "anthropic", 200 K, 0, 8192, O200K, false},
    {"claude-opus-4", "anthropic", 200 K, 0, 32 K, O200K, false},
    {"claude-opus-4-5", "anthropic", 200 K, 0, 64 K, O200K, false},
    {"claude-opus-4-6", "anthropic", 1000 K, 0, 128 K, O200K, false},
    {"claude-opus-4-7", "anthropic", 1000 K, 0, 128 K, O200K, false},
    {"claude-opus-4-8", "anthropic", 1000 K, 0, 128 K, O200K, false},
    {"claude-opus-5", "anthropic", 1000 K, 0, 128 K, O200K, false},
    {"claude-sonnet-4-6", "anthropic", 1000 K, 0, 64 K, O200K, false},
    {"claude-sonnet-5", "anthropic", 1000 K, 0, 128 K, O200K, false},
    {"claude-haiku-5", "anthropic", 1000 K, 0, 128 K, O200K, false},
    {"claude-fable-5", "anthropic", 1000 K, 0, 128 K, O200K, false},
    {"claude-mythos-5", "anthropic", 1000 K, 0, 128 K, O200K, false},
    {"gemini", "google", 1048576, 0, 65536, O200K, false},
    {"gemini-2.0", "google", 1048576, 0, 8192, O200K, false},
    {"gemma-4", "google", 262144, 0, 8192, O200K, false},
    {"llama-3", "meta", 128 K, 0, 8192, O200K, false},
    {"llama-4", "meta", 1000 K, 0, 8192, O200K, false},
    {"mistral", "mistral", 128 K, 0, 8192, O200K, false},
    {"mistral-large-2512", "mistral", 262144, 0, 8192, O200K, false},
    {"devstral", "mistral", 262144, 0, 8192, O200K, false},
    {"deepseek", "deepseek", 128 K, 0, 8192, O200K, false},
    {"deepseek-v4", "deepseek", 1000 K, 0, 384 K, O200K, false},
    {"qwen3", "alibaba", 131072, 0, 8192, O200K, false},
    {"qwen3.5", "alibaba", 262144, 0, 65536, O200K, false},
    {"grok-4", "xai", 256 K, 0, 64 K, O200K, false},
    {"kimi-k2", "moonshot", 262144, 0, 32768, O200K, false},
    {"glm-5", "zhipu", 200 K, 0, 128 K, O200K, false},
    {"minimax-m2", "minimax", 200 K, 0, 128 K, O200K, false},
};

static const struct ctx_model unknown = {
    "", "unknown", 32 K, 0, 4096, O200K, false};

const struct ctx_model *
ctx_model_at(size_t i)
{
	return i < sizeof models / sizeof models[0] ? &models[i] : NULL;
}

static bool
same_letter(char a, char b)
{
	if (a >= 'A' && a <= 'Z')
		a = (char)(a - 'A' + 'a');
	return a == b;
}

static bool
begins(const char *name, size_t n, const char *prefix)
{
	size_t i;

	for (i = 0; prefix[i] != '\0'; i++)
		if (i >= n || !same_letter(name[i], prefix[i]))
			return false;
	return true;
}

const struct ctx_model *
ctx_model_find(const char *name, size_t n)
{
	const struct ctx_model *row, *best = &unknown;
	const char *slash;
	size_t i;

	while ((slash = memchr(name, '/', n)) != NULL) {
		n -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	for (i = 0; (row = ctx_model_at(i)) != NULL; i++)
		if (begins(name, n, row->name) &&
		    strlen(row->name) > strlen(best->name))
			best = row;
	return best;
}

uint64_t
ctx_model_limit(const struct ctx_model *model)
{
	return model->input != 0 ? model->input : model->window;
}
