/*
 * special.c - tokens that stand for no text
 *
 * Ids and names of the built-in encodings are those of tiktoken's
 * openai_public.py (0.14); the names of reserved tokens hold their ids.
 */
#include <stdlib.h>

#include "token/tokenizer.h"

#define OPEN	 "<|"
#define CLOSE	 "|>"
#define RESERVED "<|reserved_"

struct ctx_specials {
	uint32_t first_reserved, last_reserved; /* 0 and 0 for none */
	struct {
		uint32_t id;
		const char *name;
	} list[10];
};

const struct ctx_specials ctx_specials_r50k = {0, 0,
    {{50256, "<|endoftext|>"}}};
const struct ctx_specials ctx_specials_p50k_edit = {0, 0,
    {{50256, "<|endoftext|>"}, {50281, "<|fim_prefix|>"},
    {50282, "<|fim_middle|>"}, {50283, "<|fim_suffix|>"}}};
const struct ctx_specials ctx_specials_cl100k = {0, 0,
    {{100257, "<|endoftext|>"}, {100258, "<|fim_prefix|>"},
    {100259, "<|fim_middle|>"}, {100260, "<|fim_suffix|>"},
    {100276, "<|endofprompt|>"}}};
const struct ctx_specials ctx_specials_o200k = {0, 0,
    {{199999, "<|endoftext|>"}, {200018, "<|endofprompt|>"}}};
const struct ctx_specials ctx_specials_harmony = {200000, 201087,
    {{199998, "<|startoftext|>"}, {199999, "<|endoftext|>"},
    {200002, "<|return|>"}, {200003, "<|constrain|>"},
    {200005, "<|channel|>"}, {200006, "<|start|>"}, {200007, "<|end|>"},
    {200008, "<|message|>"}, {200012, "<|call|>"},
    {200018, "<|endofprompt|>"}}};

/* Does p begin with this name?  Then its length, else 0. */
static size_t
begins_with(const char *p, size_t n, const char *name, size_t length)
{
	return n >= length && memcmp(p, name, length) == 0 ? length : 0;
}

static bool
is_listed(const struct ctx_specials *s, uint32_t id)
{
	size_t i;

	for (i = 0; i < 10; i++)
		if (s->list[i].name != NULL && s->list[i].id == id)
			return true;
	return false;
}

/* 200018 has two names, <|endofprompt|> and its reserved one. */
static bool
is_reserved(const struct ctx_specials *s, uint32_t id)
{
	return id >= s->first_reserved && id <= s->last_reserved &&
	    s->last_reserved > 0 && (id == 200018 || !is_listed(s, id));
}

/* <|reserved_ID|> without leading zeros. */
static size_t
reserved_at(const struct ctx_specials *s, const char *p, size_t n,
    uint32_t *id)
{
	size_t at = begins_with(p, n, RESERVED, sizeof RESERVED - 1), i;
	uint32_t value = 0;

	if (at == 0)
		return 0;
	for (i = 0; i < 6 && at < n && p[at] >= '0' && p[at] <= '9'; i++)
		value = value * 10 + (uint32_t)(p[at++] - '0');
	if (i < 6 || !is_reserved(s, value) ||
	    begins_with(p + at, n - at, CLOSE, 2) == 0)
		return 0;
	*id = value;
	return at + 2;
}

static size_t
builtin_at(const struct ctx_specials *s, const char *p, size_t n,
    uint32_t *id)
{
	size_t i, length;

	if (begins_with(p, n, OPEN, 2) == 0)
		return 0;
	for (i = 0; i < 10 && s->list[i].name != NULL; i++) {
		length = begins_with(p, n, s->list[i].name,
		    strlen(s->list[i].name));
		if (length > 0) {
			*id = s->list[i].id;
			return length;
		}
	}
	return reserved_at(s, p, n, id);
}

static unsigned
names_of(const struct ctx_vocab_special *s)
{
	unsigned names = s->added != 0 ? CTX_NAMES_ADDED : CTX_NAMES_ASKED;

	return s->normal != 0 ? names * CTX_NAMES_NORMAL : names;
}

static size_t
listed_at(const struct ctx_vocab *v, const char *p, size_t n, unsigned which,
    uint32_t *id)
{
	const char *names = (const char *)v->specials;
	const struct ctx_vocab_special *s;
	size_t best = 0, length, i;

	for (i = 0; i < v->head->specials; i++) {
		s = v->specials + i;
		if ((names_of(s) & which) == 0)
			continue;
		length = begins_with(p, n, names + s->at, s->n);
		if (length > best) {
			best = length;
			*id = s->id;
		}
	}
	return best;
}

size_t
ctx_special_at(const struct ctx_tokenizer *t, const char *p, size_t n,
    unsigned names, uint32_t *id)
{
	if (t->specials != NULL)
		return (names & CTX_NAMES_ASKED) == 0 ? 0
		    : builtin_at(t->specials, p, n, id);
	return t->vocab.specials == NULL
	    ? 0 : listed_at(&t->vocab, p, n, names, id);
}

void
ctx_special_index(struct ctx_tokenizer *t)
{
	const struct ctx_vocab_special *s = t->vocab.specials;
	const unsigned char *name;
	unsigned char names;
	size_t i, k;

	for (i = 0; s != NULL && i < t->vocab.head->specials; i++) {
		name = (const unsigned char *)s + s[i].at;
		names = (unsigned char)names_of(s + i);
		t->starts[0][name[0]] |= names;
		for (k = 0; k < 256; k++)
			if (s[i].n == 1 || name[1] == k)
				t->starts[1][k] |= names;
	}
}

/* Can a name begin with these bytes? */
static bool
may_start(const struct ctx_tokenizer *t, const char *p, size_t n,
    unsigned names)
{
	if (t->specials != NULL)
		return *p == *OPEN;
	return (t->starts[0][(unsigned char)p[0]] & names) != 0 &&
	    (n == 1 || (t->starts[1][(unsigned char)p[1]] & names) != 0);
}

size_t
ctx_special_find(const struct ctx_tokenizer *t, const char *p, size_t n,
    unsigned names)
{
	uint32_t id;
	size_t at;

	for (at = 0; at < n; at++)
		if (may_start(t, p + at, n - at, names) &&
		    ctx_special_at(t, p + at, n - at, names, &id) > 0)
			break;
	return at;
}

size_t
ctx_special_longest(const struct ctx_tokenizer *t, unsigned names)
{
	const struct ctx_vocab *v = &t->vocab;
	size_t longest = 0, i;

	for (i = 0; v->specials != NULL && i < v->head->specials; i++)
		if ((names_of(v->specials + i) & names) != 0 &&
		    v->specials[i].n > longest)
			longest = v->specials[i].n;
	return longest;
}

int
ctx_special_name(const struct ctx_tokenizer *t, uint32_t id,
    struct ctx_buf *out, struct ctx_err *err)
{
	const struct ctx_vocab *v = &t->vocab;
	const char *names = (const char *)v->specials;
	const struct ctx_specials *s = t->specials;
	size_t i;

	for (i = 0; s != NULL && i < 10 && s->list[i].name != NULL; i++)
		if (s->list[i].id == id)
			return ctx_buf_add(out, s->list[i].name,
			    strlen(s->list[i].name), err) < 0 ? -1 : 1;
	if (s != NULL && is_reserved(s, id))
		return ctx_buf_printf(out, err, RESERVED "%u" CLOSE,
		    (unsigned)id) < 0 ? -1 : 1;
	for (i = 0; v->specials != NULL && i < v->head->specials; i++)
		if (v->specials[i].id == id)
			return ctx_buf_add(out, names + v->specials[i].at,
			    v->specials[i].n, err) < 0 ? -1 : 1;
	return 0;
}

uint32_t
ctx_special_end(const struct ctx_tokenizer *t)
{
	const struct ctx_specials *s = t->specials;
	uint32_t end = 0;
	size_t i;

	if (s == NULL)
		return 0; /* those of a file are in head->ids */
	if (s->last_reserved > 0)
		end = s->last_reserved + 1;
	for (i = 0; i < 10 && s->list[i].name != NULL; i++)
		if (s->list[i].id >= end)
			end = s->list[i].id + 1;
	return end;
}

bool
ctx_tokenizer_special(const struct ctx_tokenizer *t, const char *p, size_t n,
    uint32_t *id)
{
	const unsigned all = CTX_NAMES_ASKED | CTX_NAMES_ADDED;

	return n > 0 && ctx_special_at(t, p, n,
	    all | all * CTX_NAMES_NORMAL, id) == n;
}
