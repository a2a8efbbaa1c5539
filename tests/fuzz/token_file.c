/* token_file.c - fuzz target: readers of vocabulary files */
#include <stdlib.h>

#include "tokenizer/vocabulary/file_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_as(int (*read_file)(struct ctx_vocab_builder *pack, const char *p,
	    size_t n, struct ctx_err *err),
    const char *p, size_t n)
{
	struct ctx_vocab_builder pack = {0};
	struct ctx_vocab vocab;
	struct ctx_err err;
	void *block;
	size_t size;

	if (read_file(&pack, p, n, &err) == 0 &&
	    ctx_vocab_build(&pack, &block, &size, &err) == 0) {
		if (ctx_vocab_validate(&vocab, block, size, &err) < 0)
			abort();
		free(block);
	}
	ctx_vocab_builder_release(&pack);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;

	if (ctx_gguf_size(p, size) > size)
		abort();
	read_as(ctx_gguf_read, p, size);
	read_as(ctx_huggingface_read, p, size);
	read_as(ctx_sentencepiece_read, p, size);
	read_as(ctx_tekken_read, p, size);
	read_as(ctx_tiktoken_read, p, size);
	return 0;
}
