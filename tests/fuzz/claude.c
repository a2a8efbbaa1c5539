/* claude.c - fuzz target: a text that is divided into the units of Claude's
 * encodings, or into two parts, has as many tokens as the whole text */
#include "fuzz.h"
#include "tokenizer/open.h"

enum { ENCODINGS = 3 };

static const char *const names[ENCODINGS] = {"claude-3", "claude-4.7",
    "claude-4.8"};
static struct ctx_token_counter *counters[ENCODINGS][2];
static struct ctx_marked_text whole[ENCODINGS];

static void
load(size_t e)
{
	struct ctx_tokenizer *t;
	struct ctx_err err;

	must(ctx_tokenizer_open(&t, names[e], NULL, &err) == 0);
	fuzz_open_counters(counters[e], t);
	ctx_marked_text_init(whole + e, t->claude, t->automaton);
}

static uint64_t
count(struct ctx_token_counter *counter, const char *p, size_t n)
{
	struct ctx_err err;
	uint64_t tokens;

	must(ctx_token_count(counter, p, n, &tokens, &err) == 0);
	return tokens;
}

/* Counts a text in two parts, and counts its beginning (head). */
static void
cut(struct ctx_token_counter *counter, struct ctx_str text, uint64_t all)
{
	size_t end = (unsigned char)text.p[0] % (text.n + 1), at;
	struct ctx_err err;
	uint64_t tokens;

	must(ctx_token_count_streaming(counter, text.p, end, &at, &tokens,
		 &err) == 0);
	must(at <= end);
	must(tokens + count(counter, text.p + at, text.n - at) == all);
	must(ctx_token_head(counter, text, end, &at, &tokens, &err) == 0);
	must(tokens <= end && tokens == count(counter, text.p, at));
	must(ctx_token_tail(counter, text, end, &at, &tokens, &err) == 0);
	must(tokens <= end &&
	    tokens == count(counter, text.p + at, text.n - at));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctx_str text = {(const char *)data, size};
	struct ctx_err err;
	uint64_t want;
	size_t e;

	if (size == 0 || size > 20000)
		return -1;
	for (e = 0; e < ENCODINGS; e++) {
		if (counters[e][0] == NULL)
			load(e);
		want = 0;
		must(ctx_marked_text_count(whole + e, text,
			 CTX_UNIT_HEAD | CTX_UNIT_TAIL, &want, &err) == 0);
		must(want <= (uint64_t)size * CTX_CLAUDE_FACTOR);
		must(count(counters[e][0], text.p, size) == want);
		must(count(counters[e][1], text.p, size) == want);
		cut(counters[e][0], text, want);
	}
	return 0;
}
