/* token_text.c - fuzz splitting and merging against the oracle */
#include "ctx.h"
#include "../unit/token_ref.h"

static const struct encoding {
	const char *name;
	const struct ref_element (*pattern)[6];
} encodings[] = {{"o200k_base", ref_o200k}, {"cl100k_base", ref_cl100k},
    {"r50k_base", ref_r50k}};

static struct ctx_tokenizer *tokenizers[3];
static struct ctx_token_counter *counters[3][2];
static struct ref_vocab vocabs[3];

static void
must(int ok)
{
	if (!ok)
		abort();
}

static void
load(size_t e)
{
	struct ctx_tokenizer **t = tokenizers + e;
	struct ctx_err err;

	must(ctx_tokenizer_open(t, encodings[e].name, NULL, &err) == 0);
	must(ctx_token_counter_open(&counters[e][0], *t, CTX_SIMD_BEST,
	    &err) == 0);
	must(ctx_token_counter_open(&counters[e][1], *t, CTX_SIMD_PORTABLE,
	    &err) == 0);
	must(ref_load(vocabs + e, *t) == 0);
	ref_sort(vocabs + e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	struct ctx_tokens ids = {0};
	struct ctx_err err;
	uint32_t *want;
	uint64_t count;
	size_t e, k, n;

	if (tokenizers[0] == NULL) {
		must(ref_load_classes("lib/gen/data/unicode16.tsv") == 0);
		for (e = 0; e < 3; e++)
			load(e);
	}
	if (size > 2000)
		return -1;
	want = malloc((size + 1) * sizeof *want);
	must(want != NULL);
	for (e = 0; e < 3; e++) {
		n = ref_encode(vocabs + e, encodings[e].pattern, p, size,
		    want);
		for (k = 0; k < 2; k++) {
			ids.n = 0;
			must(ctx_token_encode(counters[e][k], p, size, false,
			    &ids, &err) == 0);
			must(ids.n == n && (n == 0 ||
			    memcmp(ids.ids, want, n * sizeof *want) == 0));
			must(ctx_token_count(counters[e][k], p, size, &count,
			    &err) == 0 && count == n);
		}
	}
	ctx_tokens_release(&ids);
	free(want);
	return 0;
}
