/*
 * token_vocab.c - fuzz packed vocabularies
 *
 * Input: changes to a good block, as offset (four bytes) and value (one
 * byte).  What is accepted after that must count without harm.
 */
#include <stdlib.h>
#include <string.h>

#include "ctx.h"
#include "token/builtin.h"
#include "token/counter.h"

static const char text[] = "Some words, numbers 12345 and =====\n\n\t code() {"
    "return it's; } \xe4\xbd\xa0\xe5\xa5\xbd aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabababababababab";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct ctx_vocab_head *good = (const void *)ctx_vocab_r50k_base;
	struct ctx_tokenizer t = {0};
	struct ctx_token_counter *c;
	struct ctx_tokens ids = {0};
	struct ctx_err err;
	unsigned char *block;
	uint64_t tokens;
	uint32_t at;

	block = aligned_alloc(64, (size_t)good->size);
	if (block == NULL)
		return 0;
	memcpy(block, good, (size_t)good->size);
	for (; size >= 5; data += 5, size -= 5) {
		memcpy(&at, data, 4);
		/* Half of the changes go where the sizes are. */
		at = at % 2 == 0 ? at / 2 % (uint32_t)sizeof *good
				 : at / 2 % (uint32_t)good->size;
		block[at] = data[4];
	}
	if (ctx_vocab_check(&t.vocab, block, (size_t)good->size, &err) == 0 &&
	    ctx_token_counter_open(&c, &t, CTX_SIMD_BEST, &err) == 0) {
		(void)ctx_token_count(c, text, sizeof text - 1, &tokens,
		    &err);
		(void)ctx_token_encode(c, text, sizeof text - 1, true, &ids,
		    &err);
		ctx_tokens_release(&ids);
		ctx_token_counter_close(c);
	}
	free(block);
	return 0;
}
