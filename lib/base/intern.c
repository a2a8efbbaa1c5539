/* intern.c - string intern table: gives each distinct string an id */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define LEAST_SLOTS 64

static uint32_t *
find_name_slot(const struct ctx_intern *names, const char *p, size_t n)
{
	size_t i = (size_t)ctx_hash(&names->hash, p, n) & names->mask;

	while (names->slots[i] != 0) {
		struct ctx_str name = names->list[names->slots[i] - 1];

		if (name.n == n && memcmp(name.p, p, n) == 0)
			break;
		i = (i + 1) & names->mask;
	}
	return &names->slots[i];
}

/* Doubles the size of the hash table of strings, or creates the table.  Called
 * if there is no table, or if half of its elements are used. */
static int
grow_slots(struct ctx_intern *names, struct ctx_err *err)
{
	size_t slots = (names->mask + 1) * 2, i;
	uint32_t *grown;

	if (names->slots == NULL) {
		ctx_hashkey_init(&names->hash);
		slots = LEAST_SLOTS;
	}
	grown = calloc(slots, sizeof *grown);
	if (grown == NULL)
		return ctx_err_nomem(err);
	free(names->slots);
	names->slots = grown;
	names->mask = slots - 1;
	for (i = 0; i < names->n; i++)
		*find_name_slot(names, names->list[i].p, names->list[i].n) =
		    (uint32_t)i + 1;
	return 0;
}

int
ctx_intern(struct ctx_intern *names, const char *p, size_t n, uint32_t *id,
    struct ctx_err *err)
{
	uint32_t *slot;
	char *copy;

	if ((names->slots == NULL || names->n * 2 > names->mask) &&
	    grow_slots(names, err) < 0)
		return -1;
	slot = find_name_slot(names, p, n);
	if (*slot == 0) {
		if (names->n >= UINT32_MAX / 4)
			return ctx_err_set(err, CTX_ELIMIT,
			    "the input has more than %u different tool "
			    "names and ids; split it",
			    UINT32_MAX / 4);
		if (CTX_GROW(names->list, names->cap, names->n + 1, err) < 0)
			return -1;
		copy = ctx_arena_copy(&names->arena, p, n, err);
		if (copy == NULL)
			return -1;
		names->list[names->n++] = (struct ctx_str){copy, n};
		*slot = (uint32_t)names->n;
	}
	*id = *slot;
	return 0;
}

struct ctx_str
ctx_intern_at(const struct ctx_intern *names, uint32_t id)
{
	if (id == 0)
		return (struct ctx_str){"", 0};
	return names->list[id - 1];
}

uint32_t
ctx_intern_find(const struct ctx_intern *names, const char *p, size_t n)
{
	return names->slots == NULL ? 0 : *find_name_slot(names, p, n);
}

bool
ctx_intern_has(const struct ctx_intern *names, const char *p, size_t n)
{
	return ctx_intern_find(names, p, n) != 0;
}

void
ctx_intern_reset(struct ctx_intern *names)
{
	/* Frees a large hash table that contains few strings, because clearing
	 * it at each reset would take longer than adding the strings. */
	if (names->mask >= LEAST_SLOTS && names->n < names->mask / 8) {
		free(names->slots);
		names->slots = NULL;
		names->mask = 0;
	} else if (names->n > 0) {
		memset(names->slots, 0,
		    (names->mask + 1) * sizeof *names->slots);
	}
	names->n = 0;
	ctx_arena_reset(&names->arena);
}

void
ctx_intern_release(struct ctx_intern *names)
{
	free(names->list);
	free(names->slots);
	ctx_arena_release(&names->arena);
	memset(names, 0, sizeof *names);
}
