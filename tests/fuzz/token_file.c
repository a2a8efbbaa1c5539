/* token_file.c - fuzz the readers of vocabulary files */
#include <stdlib.h>

#include "token/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	struct ctx_pack pack = {0}, other = {0};
	struct ctx_vocab vocab;
	struct ctx_err err;
	void *block;
	size_t n;

	if (ctx_ranks_pack(&pack, p, size, &block, &n, &err) == 0) {
		if (ctx_vocab_check(&vocab, block, n, &err) < 0)
			abort();
		free(block);
	}
	if (ctx_huggingface_pack(&other, p, size, &block, &n, &err) == 0) {
		if (ctx_vocab_check(&vocab, block, n, &err) < 0)
			abort();
		free(block);
	}
	return 0;
}
