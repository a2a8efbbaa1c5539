/* token_parts.h - checks that counts of parts of a text, with and without an
 * index, are equal to counts of these parts as separate texts */
#ifndef TOKEN_PARTS_H
#define TOKEN_PARTS_H

#include <stdint.h>

#include "tokenizer/tokenizer.h"
#include "tap.h"

static struct ctx_tokenizer *tokenizer; /* the tokenizer that is tested */
static struct ctx_token_counter *counter;
static struct ctx_err err;
static unsigned long long seed = 0x9e3779b97f4a7c15u;

/* Opens a tokenizer and its counter. */
static inline void
open_tokenizer(const char *name)
{
	NEED(ctx_tokenizer_open(&tokenizer, name, NULL, &err) == 0);
	NEED(ctx_token_counter_open(&counter, tokenizer, CTX_SIMD_BEST, &err) ==
	    0);
}

static inline void
close_tokenizer(void)
{
	ctx_token_counter_close(counter);
	ctx_tokenizer_close(tokenizer);
}

static inline size_t
pick(size_t n)
{
	return (size_t)(tap_random(&seed) >> 33) % n;
}

static inline uint64_t
count(const char *p, size_t n)
{
	uint64_t tokens = 0;

	CHECK(ctx_token_count(counter, p, n, &tokens, &err) == 0);
	return tokens;
}

static inline void
check_limits(const char *p, size_t n)
{
	uint64_t all = count(p, n), limit, tokens;
	unsigned i;
	size_t at;

	for (i = 0; i < 8; i++) {
		limit = i == 0 ? all
		    : i == 1 && all > 0
		    ? all - 1
		    : pick((size_t)all * (i == 2 ? 9 : 2) + 2);
		CHECK(ctx_token_head(counter, (struct ctx_str){p, n}, limit,
			  &at, &tokens, &err) == 0);
		CHECK(at <= n && tokens <= limit && count(p, at) == tokens);
		CHECK(all > limit || at == n);
		CHECK(ctx_token_tail(counter, (struct ctx_str){p, n}, limit,
			  &at, &tokens, &err) == 0);
		CHECK(at <= n && tokens <= limit &&
		    count(p + at, n - at) == tokens);
		CHECK(all > limit || at == 0);
	}
}

static inline void
check_marks(const char *p, size_t n)
{
	struct ctx_token_index index = {0};
	uint64_t tokens, limit;
	size_t end, from, to, at;
	unsigned i;

	for (end = 0; end < n;) {
		end += 1 + pick(n / 3 + 1);
		end = end < n ? end : n;
		CHECK(ctx_token_index_append(&index, counter,
			  (struct ctx_str){p, end}, &err) == 0);
		CHECK(index.tokens == count(p, end));
	}
	for (i = 0; i < 8 && n > 0; i++) {
		from = pick(n);
		to = from + pick(n - from + 1);
		CHECK(ctx_token_index_range(&index, from, to, &tokens, &err) ==
		    0);
		CHECK(tokens == count(p + from, to - from));
		limit = pick((size_t)index.tokens + 3);
		CHECK(ctx_token_index_head(&index, limit, &at, &tokens, &err) ==
		    0);
		CHECK(tokens <= limit && tokens == count(p, at));
		CHECK(ctx_token_index_tail(&index, limit, &at, &tokens, &err) ==
		    0);
		CHECK(tokens <= limit && tokens == count(p + at, n - at));
	}
	ctx_token_index_release(&index);
}

/* Counts a text that arrives in parts of at most "most" bytes.  At most "rest"
 * bytes may be left uncounted until the end of the text. */
static inline uint64_t
count_parts(const char *p, size_t n, size_t most, size_t rest)
{
	size_t done = 0, end = 0, at;
	uint64_t sum = 0, tokens;

	while (end < n) {
		end += 1 + pick(most);
		end = end < n ? end : n;
		NEED(ctx_token_count_streaming(counter, p + done, end - done,
			 &at, &tokens, &err) == 0);
		NEED(at <= end - done);
		done += at;
		sum += tokens;
		CHECK(end - done <= rest);
	}
	return sum + count(p + done, n - done);
}

static inline void
check_all(const char *p, size_t n)
{
	uint64_t all = count(p, n);

	check_limits(p, n);
	check_marks(p, n);
	if (n < 2000)
		CHECK(count_parts(p, n, 3, n) == all);
	CHECK(count_parts(p, n, 400, n) == all);
	CHECK(count_parts(p, n, n + 1, n) == all);
}

#endif
