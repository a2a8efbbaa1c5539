/* token_file.c - fuzz target: readers of vocabulary files */
#include <stdlib.h>

#include "tokenizer/vocabulary/file_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_as(int (*pack_file)(struct ctx_vocab_builder *pack, const char *p,
	    size_t n, void **block, size_t *size, struct ctx_err *err),
    const char *p, size_t n)
{
	struct ctx_vocab_builder pack = {0};
	struct ctx_vocab vocab;
	struct ctx_err err;
	void *block;
	size_t size;

	if (pack_file(&pack, p, n, &block, &size, &err) < 0)
		return;
	if (ctx_vocab_validate(&vocab, block, size, &err) < 0)
		abort();
	free(block);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;

	if (ctx_gguf_size(p, size) > size)
		abort();
	read_as(ctx_gguf_build, p, size);
	read_as(ctx_huggingface_build, p, size);
	read_as(ctx_sentencepiece_build, p, size);
	read_as(ctx_tekken_build, p, size);
	read_as(ctx_tiktoken_build, p, size);
	return 0;
}
