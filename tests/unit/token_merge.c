/* token_merge.c - merging with made-up vocabularies against the definition */
#include "ctx.h"
#include "tap.h"
#include "token_rules.h"

static unsigned long long seed = 2685821657736338717u;

static size_t
pick(size_t n)
{
	return (size_t)(tap_random(&seed) >> 33) % n;
}

/* Letters by chance, or a few of them over and over. */
static size_t
make_text(char *text)
{
	size_t n = 1 + pick(pick(4) == 0 ? RULES_TEXT : 90), i, period;

	period = pick(2) == 0 ? n : 1 + pick(9);
	for (i = 0; i < n; i++)
		text[i] = i < period ? (char)('a' + pick(3))
				     : text[i - period];
	return n;
}

/* The flags of the vocabulary. */
static uint32_t
check(const struct rules *r)
{
	struct ctx_merge memory = {0}; /* of one vocabulary */
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
	ctx_merge_release(&memory);
	free(block);
	return flags;
}

int
main(void)
{
	const char *more = getenv("CHECK_LONG");
	unsigned rounds = more == NULL ? 250
	    : 250 * (unsigned)strtoul(more, NULL, 10), i;
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
	    "only stand whole\n", rounds, disorder, unreached);
	CHECK(disorder > rounds / 20 && unreached > rounds / 20);
	return tap_done();
}
