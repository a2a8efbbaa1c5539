/* token_text.c - fuzz target: compares splitting and merging with the slow
 * functions of token_ref.h */
#include "../unit/nfc_ref.h"
#include "fuzz.h"
#include "tokenizer/encode/nfc.h"

static const struct encoding {
	const char *name;
	const struct ref_element (*pattern)[6];
} encodings[] = {{"o200k_base", ref_o200k}, {"cl100k_base", ref_cl100k},
    {"r50k_base", ref_r50k}};

static struct ctx_tokenizer *tokenizers[3], *normalizing;
static struct ctx_token_counter *counters[3][2], *counter;
static struct ref_vocab vocabs[3];

static void
load(size_t e)
{
	struct ctx_tokenizer **t = tokenizers + e;
	struct ctx_err err;

	must(ctx_tokenizer_open(t, encodings[e].name, NULL, &err) == 0);
	fuzz_open_counters(counters[e], *t);
	must(ref_load(vocabs + e, *t) == 0);
	ref_sort(vocabs + e);
}

static size_t
encode(const char *p, size_t n, struct ctx_tokens *ids)
{
	struct ctx_err err;
	uint64_t count;

	ids->n = 0;
	must(ctx_token_encode(counter, p, n, false, ids, &err) == 0);
	must(ctx_token_count(counter, p, n, &count, &err) == 0 &&
	    count == ids->n);
	return ids->n;
}

/* Checks that a text has the tokens of its normal form (NFC), also if it is
 * counted in parts. */
static void
normalize(const char *p, size_t size)
{
	char *want = malloc(4 * size + 1);
	struct ctx_tokens ids = {0}, normal = {0};
	struct ctx_str text = {p, size};
	struct ctx_buf out = {0};
	struct ctx_nfc nfc = {0};
	struct ctx_err err;
	size_t n, at, end;
	uint64_t tokens, rest;
	bool changed;

	must(want != NULL);
	n = nfc_ref(p, size, want);
	must(ctx_nfc_text(&nfc, &text, &out, &changed, &err) == 0);
	must(text.n == n && memcmp(text.p, want, n) == 0);
	must(encode(p, size, &ids) == encode(want, n, &normal));
	must(ids.n == 0 ||
	    memcmp(ids.ids, normal.ids, ids.n * sizeof *ids.ids) == 0);
	end = size > 0 ? (unsigned char)p[0] % (size + 1) : 0;
	must(ctx_token_count_streaming(counter, p, end, &at, &tokens, &err) ==
	    0);
	must(ctx_token_count(counter, p + at, size - at, &rest, &err) == 0);
	must(tokens + rest == ids.n);
	must(ctx_token_head(counter, (struct ctx_str){p, size}, end, &at,
		 &tokens, &err) == 0);
	must(ctx_token_count(counter, p, at, &rest, &err) == 0);
	must(tokens == rest && rest <= end);
	ctx_nfc_release(&nfc);
	ctx_buf_release(&out);
	ctx_tokens_release(&ids);
	ctx_tokens_release(&normal);
	free(want);
}

static void
load_normalizing(void)
{
	struct ctx_err err;

	must(nfc_load("lib/gen/data/nfc9.tsv") == 0);
	must(ctx_tokenizer_open(&normalizing, "tests/fuzz/seeds/token_file/nfc",
		 NULL, &err) == 0);
	must(ctx_token_counter_open(&counter, normalizing, CTX_SIMD_BEST,
		 &err) == 0);
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
		load_normalizing();
	}
	if (size > 2000)
		return -1;
	normalize(p, size);
	want = malloc((size + 1) * sizeof *want);
	must(want != NULL);
	for (e = 0; e < 3; e++) {
		n = ref_encode(vocabs + e, encodings[e].pattern, p, size, want);
		for (k = 0; k < 2; k++) {
			ids.n = 0;
			must(ctx_token_encode(counters[e][k], p, size, false,
				 &ids, &err) == 0);
			must(ids.n == n &&
			    (n == 0 ||
				memcmp(ids.ids, want, n * sizeof *want) == 0));
			must(ctx_token_count(counters[e][k], p, size, &count,
				 &err) == 0 &&
			    count == n);
		}
	}
	ctx_tokens_release(&ids);
	free(want);
	return 0;
}
