/*
 * token_merge.c - fuzz target: compares merging with the definition of BPE
 *
 * Input: a length, a text of this many letters (of three letters), then bytes
 * from which a vocabulary is made (token_rules.h).
 */
#include "../unit/token_rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ctx_bpe memory = {0};
	static struct rules r;
	char text[RULES_TEXT];
	struct ctx_vocab v;
	size_t n, i;
	void *block;

	if (size < 3 || size > 1000)
		return -1;
	n = 1 + data[0] % (size - 2);
	for (i = 0; i < n; i++)
		text[i] = (char)('a' + data[i + 1] % 3);
	rules_make(&r, data + 1 + n, size - 1 - n);
	if (r.rules == 0)
		return -1;
	block = rules_pack(&r, &v);
	if (block != NULL && !rules_agree(&r, &v, &memory, text, n))
		abort();
	ctx_bpe_release(&memory);
	free(block);
	return 0;
}
