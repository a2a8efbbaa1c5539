/* passage_savings.c - stores how many tokens the removal of passages (a few
 * lines each) of a recorded message saves */
#include <stdlib.h>

#include "replay/passage_savings.h"

uint64_t
ctx_passages_hash(const struct passage_savings *savings,
    const struct passages *passages)
{
	return passages->n == 0
	    ? 0
	    : ctx_hash(&savings->key, (const char *)passages->list,
		  passages->n * sizeof *passages->list);
}

/* Returns a hash of a message and of passages in it; never 0. */
static uint64_t
hash_both(uint32_t message, uint64_t passages)
{
	uint64_t hash = passages + message * UINT64_C(0x9e3779b97f4a7c15);

	return hash == 0 ? 1 : hash;
}

/* Returns the slot with the hash, or the empty slot in which it can be
 * stored. */
static struct passage_saving *
find_saving(const struct passage_savings *savings, uint64_t hash)
{
	size_t i = (size_t)hash & (savings->n_slots - 1);

	while (savings->slots[i].hash != 0 && savings->slots[i].hash != hash)
		i = (i + 1) & (savings->n_slots - 1);
	return &savings->slots[i];
}

/* Doubles the number of slots. */
static int
grow_savings(struct passage_savings *savings, struct ctx_err *err)
{
	struct passage_savings grown = *savings;

	grown.n_slots = savings->n_slots == 0 ? 64 : savings->n_slots * 2;
	grown.slots = calloc(grown.n_slots, sizeof *grown.slots);
	if (grown.slots == NULL)
		return ctx_err_nomem(err);
	for (size_t i = 0; i < savings->n_slots; i++)
		if (savings->slots[i].hash != 0)
			*find_saving(&grown, savings->slots[i].hash) =
			    savings->slots[i];
	free(savings->slots);
	*savings = grown;
	return 0;
}

bool
ctx_passage_savings_find(const struct passage_savings *savings,
    uint32_t message, uint64_t passages, uint32_t *tokens)
{
	uint64_t hash = hash_both(message, passages);
	const struct passage_saving *saving;

	if (savings->n_slots == 0)
		return false;
	saving = find_saving(savings, hash);
	*tokens = saving->tokens;
	return saving->hash == hash;
}

int
ctx_passage_savings_add(struct passage_savings *savings, uint32_t message,
    uint64_t passages, uint32_t tokens, struct ctx_err *err)
{
	uint64_t hash = hash_both(message, passages);

	/* At most half of the slots are used. */
	if (savings->n * 2 >= savings->n_slots &&
	    grow_savings(savings, err) < 0)
		return -1;
	*find_saving(savings, hash) = (struct passage_saving){hash, tokens};
	savings->n++;
	return 0;
}

void
ctx_passage_savings_release(struct passage_savings *savings)
{
	free(savings->slots);
	savings->slots = NULL;
	savings->n = savings->n_slots = 0;
}
