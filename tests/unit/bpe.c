/* bpe.c - compares merging in made-up vocabularies with the definition of
 * BPE */
#include "tap.h"
#include "tokenizer/encode/count_tokens.h"
#include "tokenizer/vocabulary/build.h"
#include "token_rules.h"

static unsigned long long seed = 2685821657736338717u;

static size_t
pick(size_t n)
{
	return (size_t)(tap_random(&seed) >> 33) % n;
}

/* Makes a text of random letters, or of a few letters that are repeated. */
static size_t
make_text(char *text)
{
	size_t n = 1 + pick(pick(4) == 0 ? RULES_TEXT : 90), i, period;

	period = pick(2) == 0 ? n : 1 + pick(9);
	for (i = 0; i < n; i++)
		text[i] = i < period ? (char)('a' + pick(3)) : text[i - period];
	return n;
}

/* Compares merging in a vocabulary with the definition, for random texts.
 * Returns the flags of the vocabulary. */
static uint32_t
check(const struct rules *r)
{
	/* memory for merging with this vocabulary */
	struct ctx_bpe memory = {0};
	char text[RULES_TEXT];
	struct ctx_vocab v;
	void *block = rules_pack(r, &v);
	uint32_t flags;
	unsigned i, k;
	size_t n;

	NEED(block != NULL);
	for (i = 0; i < 40 && r->rules > 0; i++) {
		n = make_text(text);
		if (rules_agree(r, &v, &memory, text, n))
			continue;
		CHECK(i == 40);
		printf("# %s %.*s\n", r->ranked ? "ranked" : "rules", (int)n,
		    text);
		for (k = 0; k < r->rules; k++)
			printf("# %u: %.*s %.*s\n", k,
			    (int)r->length[r->list[k].left],
			    r->text[r->list[k].left],
			    (int)r->length[r->list[k].right],
			    r->text[r->list[k].right]);
		break;
	}
	flags = v.head->flags;
	ctx_bpe_release(&memory);
	free(block);
	return flags;
}

/* Tests a token of 20 bytes that no merge makes.  Alone, the text of the token
 * is one token; as a part of a longer text, it is five.  The result must not
 * depend on which text is counted first. */
static void
whole_or_part(void)
{
	static const char part[] =
	    "\u4e2d\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"
	    "\u00e9\u00e9\u00e9\u00e9 and something after it";
	static struct ctx_build_token list[259];
	static char bytes[256];
	struct ctx_vocab_builder pack = {.tokens = list,
	    .n = 259,
	    .pretokenizer = {CTX_PRETOKENIZER_O200K, 3, 1, 0},
	    .whole = true};
	struct ctx_tokenizer t = {0};
	struct ctx_token_counter *c;
	struct ctx_err err;
	uint64_t tokens;
	void *block;
	size_t size;
	unsigned i;

	tap_case("a token for a whole pre-token is not found inside others");
	for (i = 0; i < 256; i++) {
		bytes[i] = (char)i;
		list[i] =
		    (struct ctx_build_token){bytes + i, 1, i, CTX_BUILD_ANY};
	}
	/* Two tokens, so that the text "part" is not split further. */
	list[256] = (struct ctx_build_token){part + 3, 2, 256, CTX_BUILD_ANY};
	list[257] = (struct ctx_build_token){part + 3, 4, 257, CTX_BUILD_ANY};
	list[258] =
	    (struct ctx_build_token){part + 3, 20, 258, CTX_BUILD_NEVER};
	NEED(ctx_vocab_build(&pack, &block, &size, &err) == 0);
	ctx_vocab_view(&t.vocab, block);
	NEED(ctx_token_counter_open(&c, &t, CTX_SIMD_BEST, &err) == 0);
	for (i = 0; i < 3; i++) {
		CHECK(ctx_token_count(c, part + 3, 20, &tokens, &err) == 0 &&
		    tokens == 1);
		CHECK(ctx_token_count(c, part, 23, &tokens, &err) == 0 &&
		    tokens == 8);
		CHECK(ctx_token_count(c, part, sizeof part - 1, &tokens,
			  &err) == 0 &&
		    tokens == 8 + sizeof part - 1 - 23);
	}
	ctx_token_counter_close(c);
	free(block);
}

/* Tests that no token is found for an empty text and for the byte 0xff (which
 * fills up short keys), and that bytes after the end of a text are ignored. */
static void
no_token(void)
{
	struct ctx_tokenizer *t = NULL;
	const struct ctx_vocab *v;
	struct ctx_err err;
	uint32_t token;

	tap_case("a text of no bytes, or with 0xff after a token, is no token");
	NEED(ctx_tokenizer_open(&t, "o200k_base", NULL, &err) == 0);
	v = &t->vocab;
	token = ctx_vocab_find(v, " the", 4);
	CHECK(token != CTX_VOCAB_NONE && ctx_vocab_length(v, token) == 4);
	CHECK(ctx_vocab_find(v, "", 0) == CTX_VOCAB_NONE);
	CHECK(ctx_vocab_find(v, " the\xff", 5) == CTX_VOCAB_NONE);
	CHECK(ctx_vocab_find(v, " the\xff\xff", 6) == CTX_VOCAB_NONE);
	CHECK(ctx_vocab_find(v, "\0\0", 2) != CTX_VOCAB_NONE);
	CHECK(ctx_vocab_longest(v, "\0\0", 2) == ctx_vocab_find(v, "\0\0", 2));
	CHECK(ctx_vocab_longest(v, "\0\0", 1) == ctx_vocab_find(v, "\0", 1));
	ctx_tokenizer_close(t);
}

/* Looks up both parts of every merged token.  Returns the number of lines of
 * the table PAIRS for which a pair is stored in the next line. */
static unsigned
find_all_pairs(const struct ctx_vocab *v)
{
	unsigned overflows = 0;
	uint32_t token, a, b;

	for (token = 0; token < v->head->n; token++) {
		a = ctx_vocab_parent(v, token, 0);
		b = ctx_vocab_parent(v, token, 1);
		if (a == token)
			continue;
		CHECK(ctx_vocab_pair(v, a, b) == token);
		CHECK(ctx_vocab_pair(v, token, a) != token);
	}
	for (token = 0; token < v->pair_lines; token++)
		overflows += ctx_pair_overflows(
		    v->pairs + CTX_PAIR_LINE * (size_t)token);
	return overflows;
}

static void
find_builtin_pairs(void)
{
	static const char *const names[] = {"p50k_base", "cl100k_base",
	    "o200k_base"};
	struct ctx_tokenizer *t = NULL;
	struct ctx_vocab v;
	struct ctx_err err;
	unsigned i;

	tap_case("both parts of every token of the built-in encodings are "
		 "found, also in lines that were full");
	for (i = 0; i < 3; i++) {
		NEED(ctx_tokenizer_open(&t, names[i], NULL, &err) == 0);
		CHECK(ctx_vocab_validate(&v, t->vocab.head,
			  (size_t)t->vocab.head->size, &err) == 0);
		CHECK(find_all_pairs(&t->vocab) > 100);
		ctx_tokenizer_close(t);
	}
}

int
main(void)
{
	const char *more = getenv("CHECK_LONG");
	unsigned rounds = more == NULL
	    ? 250
	    : 250 * (unsigned)strtoul(more, NULL, 10),
		 i;
	unsigned disorder = 0, unreached = 0;
	static struct rules r;
	uint8_t data[400];
	uint32_t flags;
	size_t k, n;

	tap_case("any list of merges is applied as written");
	for (i = 0; i < rounds && !tap_case_failed; i++) {
		n = 1 + pick(sizeof data);
		for (k = 0; k < n; k++)
			data[k] = (uint8_t)pick(256);
		rules_make(&r, data, n);
		flags = check(&r);
		disorder += (flags & CTX_VOCAB_DISORDER) != 0;
		unreached += (flags & CTX_VOCAB_UNREACHED) != 0;
	}
	printf("# %u vocabularies, %u out of order, %u with tokens that "
	       "only stand whole\n",
	    rounds, disorder, unreached);
	CHECK(disorder > rounds / 20 && unreached > rounds / 20);
	whole_or_part();
	no_token();
	find_builtin_pairs();
	return tap_done();
}
