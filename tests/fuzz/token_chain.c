/*
 * token_chain.c - fuzz target: patterns that split texts, and the texts
 *
 * Input: patterns, each with a NUL byte after it, a NUL byte, and a text.  The
 * pieces of the text must be the same if they are found one by one or many at
 * once.  A piece must consist of whole characters.
 */
#include <stdlib.h>
#include <string.h>

#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/unicode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Marks the ends of the pieces in "ends".  Returns false if a pattern reaches a
 * limit. */
static bool
split(const struct ctx_pcre2_pretokenizer *chain, const char *p, size_t n,
    size_t max, char *ends)
{
	static struct ctx_pretokenize s;
	struct ctx_pcre2_state *state;
	struct ctx_err err;
	size_t at = 0, i;
	int rc = ctx_pcre2_begin(&state, chain, "test", &err);

	while (rc == 0 && at < n) {
		rc = ctx_pcre2_split(state, &s, p + at, n - at, max, &err);
		if (rc < 0)
			break;
		if (s.n > max || (s.n > 0) == (s.alone > 0))
			abort();
		for (i = 0; i < s.n; i++)
			ends[at + s.end[i]] = 1;
		at += s.used;
		if (at > n)
			abort();
		ends[at] = 1;
	}
	ctx_pcre2_end(state);
	return rc == 0;
}

static void
check(const struct ctx_pcre2_pretokenizer *chain, const char *p, size_t n)
{
	char *one = calloc(n + 1, 1), *many = calloc(n + 1, 1);
	size_t at = 0;
	uint32_t cp;

	if (one == NULL || many == NULL)
		abort();
	if (split(chain, p, n, 1, one) &&
	    split(chain, p, n, CTX_PRETOKENIZE_MAX, many)) {
		if (memcmp(one, many, n + 1) != 0)
			abort();
		while (at < n) {
			many[at] = 0;
			at += ctx_char_next(p + at, n - at, &cp);
		}
		many[n] = 0;
		if (memchr(many, 1, n + 1) != NULL)
			abort();
	}
	free(one);
	free(many);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	struct ctx_pcre2_pretokenizer *chain;
	struct ctx_err err;
	size_t at;

	for (at = 0; at + 1 < size; at++)
		if (p[at] == '\0' && p[at + 1] == '\0')
			break;
	if (at + 1 >= size || size > 4000)
		return -1;
	if (ctx_pcre2_open(&chain, p, at + 1, &err) < 0)
		return 0;
	check(chain, p + at + 2, size - at - 2);
	ctx_pcre2_close(chain);
	return 0;
}
