/*
 * token_vocab.c - fuzz target: packed vocabularies
 *
 * Input: number of a valid packed vocabulary, then changes: an offset (four
 * bytes) and a value (one byte) each.  The result is like a cache file that an
 * attacker wrote.  If it is accepted, counting, encoding and decoding must be
 * safe.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tokenizer/vocabulary/tables.h"
#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/encode/count_tokens.h"

static const char text[] =
    "Some words, numbers 12345 and =====\n\n\t code() {"
    "return it's; } \xe4\xbd\xa0\xe5\xa5\xbd aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabababababababab"
    "e\xcc\x81<|endoftext|>";

enum { BUILTIN, JSON, NFC, CHARS, GOODS };

/* Returns a valid packed vocabulary: a built-in one, or that of a file with
 * patterns and special tokens. */
static const struct ctx_vocab_head *
good_block(unsigned kind)
{
	static const struct ctx_vocab_head *goods[GOODS];
	static const char *const files[GOODS] = {
	    [JSON] = "tests/fuzz/seeds/token_file/json",
	    [NFC] = "tests/fuzz/seeds/token_file/nfc",
	    [CHARS] = "tests/fuzz/seeds/token_file/chars"};
	static struct ctx_tokenizer *open[GOODS];
	const struct ctx_tables_head *tables;
	struct ctx_err err;

	if (kind == BUILTIN) {
		tables = ctx_tables_open(&err);
		must(tables != NULL);
		goods[kind] = ctx_tables_find(tables, CTX_TABLE_P50K);
	} else if (goods[kind] == NULL) {
		must(ctx_tokenizer_open(open + kind, files[kind], NULL, &err) ==
		    0);
		goods[kind] = open[kind]->vocab.head;
	}
	return goods[kind];
}

static void
use(const struct ctx_tokenizer *t)
{
	struct ctx_token_counter *c;
	struct ctx_tokens ids = {0};
	struct ctx_buf out = {0};
	struct ctx_err err;
	uint64_t tokens;
	size_t at;

	if (ctx_token_counter_open(&c, t, CTX_SIMD_BEST, &err) < 0)
		return;
	(void)ctx_token_count(c, text, sizeof text - 1, &tokens, &err);
	(void)ctx_token_count_streaming(c, text, sizeof text - 1, &at, &tokens,
	    &err);
	(void)ctx_token_encode(c, text, sizeof text - 1, true, &ids, &err);
	(void)ctx_tokenizer_decode(t, ids.ids, ids.n, &out, &err);
	ctx_buf_release(&out);
	ctx_tokens_release(&ids);
	ctx_token_counter_close(c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ctx_vocab_head *good =
	    good_block(fuzz_byte(&data, &size) % GOODS);
	struct ctx_tokenizer t = {0};
	struct ctx_err err;
	unsigned char *block;
	uint32_t at;

	block = aligned_alloc(64, (size_t)good->size);
	if (block == NULL)
		return 0;
	memcpy(block, good, (size_t)good->size);
	for (; size >= 5; data += 5, size -= 5) {
		memcpy(&at, data, 4);
		/* Half of the changes are in the sizes at the beginning, and
		 * some in the names and patterns at the end. */
		if (at % 2 == 0)
			at = at / 2 % (uint32_t)sizeof *good;
		else if (at % 8 == 1)
			at = (uint32_t)good->size - 1 - at / 8 % 1024;
		else
			at = at / 2 % (uint32_t)good->size;
		block[at] = data[4];
	}
	if (ctx_vocab_validate(&t.vocab, block, (size_t)good->size, &err) ==
		0 &&
	    (t.vocab.patterns == NULL ||
		ctx_pcre2_open(&t.pcre2, t.vocab.patterns,
		    (size_t)t.vocab.head->bytes[CTX_VOCAB_PATTERNS],
		    &err) == 0)) {
		must(ctx_added_token_index(&t, &err) == 0);
		use(&t);
	}
	ctx_pcre2_close(t.pcre2);
	free(t.names);
	free(block);
	return 0;
}
