/* token.c - compares encodings with published hashes and ids, and with slow
 * functions */
#include <sha2.h>
#include <stdint.h>

#include "tap.h"
#include "token_ref.h"

static const struct encoding {
	/* sha256: hash of the rank file that tiktoken loads */
	const char *name, *sha256;
	const struct ref_element (*pattern)[6];
} encodings[] = {
    {"o200k_base",
	"446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
	ref_o200k},
    {"cl100k_base",
	"223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
	ref_cl100k},
    {"p50k_base",
	"94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
	ref_r50k},
    {"r50k_base",
	"306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
	ref_r50k},
};

enum { ENCODINGS = sizeof encodings / sizeof encodings[0] };

static struct ctx_tokenizer *tokenizers[ENCODINGS];
static struct ctx_token_counter *counters[ENCODINGS];
static struct ref_vocab vocabs[ENCODINGS];

static void
hash_token(SHA2_CTX *hash, const struct ref_token *t)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkl"
				     "mnopqrstuvwxyz0123456789+/";
	char line[300];
	const unsigned char *s = (const unsigned char *)t->p;
	size_t i, n = 0;
	uint32_t bits;

	for (i = 0; i < t->n; i += 3) {
		bits = (uint32_t)s[i] << 16;
		if (i + 1 < t->n)
			bits |= (uint32_t)s[i + 1] << 8;
		if (i + 2 < t->n)
			bits |= s[i + 2];
		line[n++] = digits[bits >> 18];
		line[n++] = digits[bits >> 12 & 63];
		line[n++] = digits[bits >> 6 & 63];
		line[n++] = digits[bits & 63];
	}
	if (t->n % 3 > 0)
		line[n - 1] = '=';
	if (t->n % 3 == 1)
		line[n - 2] = '=';
	n += (size_t)snprintf(line + n, sizeof line - n, " %u\n",
	    (unsigned)t->rank);
	SHA256Update(hash, (const uint8_t *)line, n);
}

static void
vocabularies(void)
{
	char hex[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX hash;
	size_t e, i;

	for (e = 0; e < ENCODINGS; e++) {
		tap_case(encodings[e].name);
		SHA256Init(&hash);
		for (i = 0; i < vocabs[e].n; i++)
			hash_token(&hash, vocabs[e].tokens + i);
		SHA256End(&hash, hex);
		CHECK(strcmp(hex, encodings[e].sha256) == 0);
		ref_sort(vocabs + e);
	}
}

/* Encodes a text.  Sets bit e of ends[i] if a token ends after byte i. */
static void
mark_ends(size_t e, const char *p, size_t n, unsigned char *ends)
{
	struct ctx_tokens ids = {0};
	struct ctx_buf buf = {0};
	struct ctx_err err;
	uint64_t count;
	size_t i;

	CHECK(ctx_token_encode(counters[e], p, n, false, &ids, &err) == 0);
	CHECK(ctx_token_count(counters[e], p, n, &count, &err) == 0);
	CHECK(count == ids.n);
	for (i = 0; i < ids.n; i++) {
		CHECK(ctx_tokenizer_decode(tokenizers[e], ids.ids + i, 1, &buf,
			  &err) == 0);
		if (buf.n > 0 && buf.n <= n)
			ends[buf.n - 1] |= (unsigned char)(1u << e);
	}
	CHECK(buf.n == n && (n == 0 || memcmp(buf.p, p, n) == 0));
	ctx_tokens_release(&ids);
	ctx_buf_release(&buf);
}

/*
 * Compares the ends of tokens with those of tiktoken.
 * tests/corpus/token-cases.bin contains for each text: its length (32 bits,
 * lowest byte first), the text, and half a byte for each of its bytes, with one
 * bit for each encoding.
 */
static void
known_cases(void)
{
	FILE *in = fopen("tests/corpus/token-cases.bin", "rb");
	unsigned char head[4], *ends, *want;
	unsigned cases = 0;
	size_t n, i, e;
	char *text;

	tap_case("tokens end where those of tiktoken do, in 3000 texts");
	NEED(in != NULL);
	while (fread(head, 1, 4, in) == 4) {
		n = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16;
		text = malloc(n + 1);
		want = malloc(n / 2 + 1);
		ends = calloc(n + 1, 1);
		NEED(text != NULL && want != NULL && ends != NULL);
		NEED(fread(text, 1, n, in) == n);
		NEED(fread(want, 1, (n + 1) / 2, in) == (n + 1) / 2);
		for (e = 0; e < ENCODINGS; e++)
			mark_ends(e, text, n, ends);
		for (i = 0; i < n; i++)
			CHECK((want[i / 2] >> i % 2 * 4 & 15) == ends[i]);
		free(text);
		free(want);
		free(ends);
		cases++;
	}
	CHECK(cases == 3000);
	fclose(in);
}

int
main(void)
{
	struct ctx_err err;
	size_t e;

	NEED(ref_load_classes("lib/gen/data/unicode16.tsv") == 0);
	for (e = 0; e < ENCODINGS; e++) {
		NEED(ctx_tokenizer_open(&tokenizers[e], encodings[e].name, NULL,
			 &err) == 0);
		NEED(ctx_token_counter_open(&counters[e], tokenizers[e],
			 CTX_SIMD_BEST, &err) == 0);
		NEED(ref_load(vocabs + e, tokenizers[e]) == 0);
	}
	vocabularies();
	known_cases();
	for (e = 0; e < ENCODINGS; e++) {
		ctx_token_counter_close(counters[e]);
		ctx_tokenizer_close(tokenizers[e]);
		ref_release(vocabs + e);
	}
	return tap_done();
}
