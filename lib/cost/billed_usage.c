/* billed_usage.c - finds the input tokens that a provider reported for a
 * request */
#include <string.h>

#include "cost/cost.h"

/* A limit that no real token count reaches, and that is so small that a sum of
 * several counts cannot overflow. */
#define MOST 1000000000000u

/* Members of usage objects that report input tokens.  Each row lists JSON
 * members whose sum is the number of input tokens; a dot separates a member
 * from one inside it.  The first row whose first member exists is used.  The
 * other members may be missing, because in some formats the first one includes
 * the cached tokens. */
#define WIDEST 5
static const char *const inputs[][WIDEST] = {
    {"prompt_tokens"}, /* OpenAI Chat Completions */
    /* Anthropic.  OpenAI Responses and LangChain have only the first of these
     * members, which is then the total. */
    {"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"},
    {"inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"},
    {"promptTokenCount"},  /* Gemini */
    {"prompt_eval_count"}, /* Ollama */
    /* pi and opencode.  Gemini CLI has only the first of these members, which
     * is then the total. */
    {"input", "cacheRead", "cacheWrite", "cache.read", "cache.write"},
};

static uint32_t
find_path(const struct ctx_json *json, uint32_t node, const char *path)
{
	const char *dot = strchr(path, '.');
	char name[32];

	if (dot == NULL)
		return ctx_json_find(json, node, path);
	memcpy(name, path, (size_t)(dot - path));
	name[dot - path] = '\0';
	return ctx_json_find(json, ctx_json_find(json, node, name), dot + 1);
}

/* Sets *n to the value of a JSON number that consists of digits only.  Returns
 * false for any other value. */
static bool
read_count(const struct ctx_json *json, uint32_t node, uint64_t *n)
{
	struct ctx_str text = ctx_json_str(json, node);
	size_t i;

	*n = 0;
	if (node == 0 || json->nodes[node].kind != CTX_JSON_NUMBER)
		return false;
	for (i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '9' || *n > MOST)
			return false;
		*n = *n * 10 + (uint64_t)(text.p[i] - '0');
	}
	return true;
}

uint64_t
ctx_billed_input(const struct ctx_json *json, uint32_t usage)
{
	uint64_t sum, n;
	size_t i, k;

	if (read_count(json, usage, &n))
		return n;
	for (i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
		if (usage == 0 ||
		    !read_count(json, find_path(json, usage, inputs[i][0]),
			&sum))
			continue;
		for (k = 1; k < WIDEST && inputs[i][k] != NULL; k++)
			if (read_count(json,
				find_path(json, usage, inputs[i][k]), &n))
				sum += n;
		return sum;
	}
	return 0;
}
