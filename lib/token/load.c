/* load.c - vocabularies from files */
#include "token/tokenizer.h"

int
ctx_tokenizer_load(struct ctx_tokenizer *t, const char *file,
    const char *cache, struct ctx_err *err)
{
	(void)t;
	(void)cache;
	return ctx_err_set(err, CTX_EARG, "no encoding %s", file);
}
