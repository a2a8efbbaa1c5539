/* vocabulary.c - opens a packed vocabulary and finds tokens in it */
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/pretoken_cache.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/crossing.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define ONES 255, 255, 255, 255, 255, 255, 255, 255
_Alignas(2 * CTX_VOCAB_KEY) const
    unsigned char ctx_key_fill[2 * CTX_VOCAB_KEY] = {0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, ONES, ONES};

/* Returns the beginning of a table in the packed vocabulary, or NULL if the
 * table is empty. */
static const void *
find_section(const struct ctx_vocab_head *head, enum ctx_vocab_section which)
{
	return head->bytes[which] == 0 ? NULL
				       : (const char *)head + head->at[which];
}

void
ctx_vocab_size_sections(const struct ctx_vocab_head *h,
    uint64_t bytes[CTX_VOCAB_SECTIONS])
{
	uint64_t n_ids = h->n - h->ids_from;

	bytes[CTX_VOCAB_KEYS] = UINT64_C(4) * CTX_KEY_LINE << h->line_bits;
	bytes[CTX_VOCAB_LENGTHS] = 65536 * 2;
	bytes[CTX_VOCAB_LEAVES] = 256 * 4;
	bytes[CTX_VOCAB_DIGRAMS] =
	    h->pretokenizer.family == CTX_PRETOKENIZER_CHARS ? 0 : 65536 * 4;
	bytes[CTX_VOCAB_PAIRS] = (uint64_t)h->pair_lines * 4 * CTX_PAIR_LINE;
	bytes[CTX_VOCAB_PARENTS] = (uint64_t)h->n * CTX_VOCAB_PARENT;
	bytes[CTX_VOCAB_GROUPS] =
	    (UINT64_C(1) << h->group_bits) * sizeof(struct ctx_vocab_group);
	bytes[CTX_VOCAB_CROSSING] =
	    ((UINT64_C(1) << CTX_CROSSING_BITS) + 65536) / 8;
	bytes[CTX_VOCAB_PLACES] = (uint64_t)h->n * 4;
	bytes[CTX_VOCAB_IDS] = n_ids * 4;
	bytes[CTX_VOCAB_TOKENS] =
	    n_ids <= CTX_VOCAB_FEW_IDS ? 0 : (uint64_t)h->ids * 4;
}

void
ctx_vocab_view(struct ctx_vocab *v, const void *block)
{
	const struct ctx_vocab_head *head = block;

	v->head = head;
	v->keys = find_section(head, CTX_VOCAB_KEYS);
	v->lengths = find_section(head, CTX_VOCAB_LENGTHS);
	v->leaves = find_section(head, CTX_VOCAB_LEAVES);
	v->digrams = find_section(head, CTX_VOCAB_DIGRAMS);
	v->pairs = find_section(head, CTX_VOCAB_PAIRS);
	v->parents = find_section(head, CTX_VOCAB_PARENTS);
	v->groups = find_section(head, CTX_VOCAB_GROUPS);
	v->longs = find_section(head, CTX_VOCAB_LONG);
	v->crossing = find_section(head, CTX_VOCAB_CROSSING);
	v->places = find_section(head, CTX_VOCAB_PLACES);
	v->text = find_section(head, CTX_VOCAB_TEXT);
	v->ids = find_section(head, CTX_VOCAB_IDS);
	v->tokens = find_section(head, CTX_VOCAB_TOKENS);
	v->specials = find_section(head, CTX_VOCAB_SPECIALS);
	v->n_specials = head->specials;
	v->id_shift = 0;
	v->patterns = find_section(head, CTX_VOCAB_PATTERNS);
	v->line_shift = 64 - head->line_bits;
	v->line_mask = (UINT32_C(1) << head->line_bits) - 1;
	v->pair_lines = head->pair_lines;
	v->group_shift = 64 - head->group_bits;
	v->unreached = (head->flags & CTX_VOCAB_UNREACHED) != 0;
	v->chars = head->pretokenizer.family == CTX_PRETOKENIZER_CHARS;
	v->ids_end = head->ids;
	v->end = head->n;
	v->merge_end = head->n * CTX_BPE_POSITIONS;
}

void
ctx_vocab_limit(struct ctx_vocab *v, uint32_t n)
{
	v->end = v->ids_end = n;
	v->merge_end = n * CTX_BPE_POSITIONS;
}

uint32_t
ctx_vocab_find_key(const struct ctx_vocab *v, struct ctx_key key)
{
	uint64_t hash = ctx_key_hash(key);
	uint32_t line = (uint32_t)(hash >> v->line_shift), token, i;
	uint32_t tag = ctx_key_tag(v, hash);
	const uint32_t *entry;

	/* The search ends at the first line with an empty entry. */
	for (;; line = (line + 1) & v->line_mask) {
		entry = v->keys + CTX_KEY_LINE * (size_t)line;
		for (i = 0; i < CTX_KEY_LINE; i++) {
			if (entry[i] == CTX_KEY_NOTHING)
				return CTX_VOCAB_NONE;
			token = entry[i] & (CTX_VOCAB_MAX - 1);
			if (((entry[i] ^ tag) >> (32 - CTX_KEY_TAGS)) == 0 &&
			    ctx_vocab_has_key(v, token, key))
				return token < v->end ? token : CTX_VOCAB_NONE;
		}
	}
}

/* Returns the entry of the table GROUPS for the tokens whose first 16 bytes are
 * the bytes at p, or NULL if there is none. */
static const struct ctx_vocab_group *
find_group(const struct ctx_vocab *v, const char *p)
{
	uint32_t mask = (1u << v->head->group_bits) - 1;
	struct ctx_key key = ctx_key_read(p, CTX_VOCAB_KEY);
	uint32_t i = (uint32_t)(ctx_key_hash(key) >> v->group_shift), token;

	for (; v->groups[i].n != 0; i = (i + 1) & mask) {
		token = v->longs[v->groups[i].first];
		if (memcmp(ctx_vocab_text(v, token), p, CTX_VOCAB_KEY) == 0)
			return v->groups + i;
	}
	return NULL;
}

uint32_t
ctx_vocab_find(const struct ctx_vocab *v, const char *p, size_t n)
{
	const struct ctx_vocab_group *group;
	uint32_t token, i;

	if (n == 0)
		return CTX_VOCAB_NONE;
	if (n == 1)
		return v->leaves[(unsigned char)*p];
	if (n <= CTX_VOCAB_KEY) {
		token = ctx_vocab_find_key(v, ctx_key_copy(p, n));
		/* A string that ends with the byte 0xff has the same key as the
		 * string without this byte, because keys are filled up with
		 * 0xff.  So the lengths are compared, too. */
		if (token != CTX_VOCAB_NONE && ctx_vocab_length(v, token) != n)
			token = CTX_VOCAB_NONE;
		return token;
	}
	/* The table LENGTHS is searched first, because it is smaller than
	 * GROUPS and a lookup in it is faster. */
	if ((v->lengths[ctx_lengths_index(p, 2)] & 1) == 0)
		return CTX_VOCAB_NONE;
	group = find_group(v, p);
	if (group == NULL)
		return CTX_VOCAB_NONE;
	for (i = 0; i < group->n; i++) {
		token = v->longs[group->first + i];
		if (token < v->end && ctx_vocab_length(v, token) == n &&
		    memcmp(ctx_vocab_text(v, token), p, n) == 0)
			return token;
	}
	return CTX_VOCAB_NONE;
}

uint32_t
ctx_vocab_first(const struct ctx_vocab *v, const char *p, size_t n,
    size_t *length)
{
	uint32_t cp, token;

	*length = 1;
	if (v->chars && ((unsigned char)*p & 0x80) != 0) {
		*length = ctx_char_next(p, n, &cp);
		token = *length == 1 ? CTX_VOCAB_NONE
				     : ctx_vocab_find(v, p, *length);
		if (token != CTX_VOCAB_NONE)
			return token;
		*length = 1;
	}
	return v->leaves[(unsigned char)*p];
}

/* Returns true if the token is reachable: merging its bytes gives it. */
static bool
is_reached(const struct ctx_vocab *v, uint32_t token)
{
	return !v->unreached || ctx_vocab_parent(v, token, 0) != token ||
	    ctx_vocab_length(v, token) == 1;
}

static uint32_t
find_longest_long(const struct ctx_vocab *v, const char *p, size_t n)
{
	const struct ctx_vocab_group *group = find_group(v, p);
	uint32_t token, i;
	size_t length;

	for (i = 0; group != NULL && i < group->n; i++) {
		token = v->longs[group->first + i];
		length = ctx_vocab_length(v, token);
		if (length <= n && token < v->end && is_reached(v, token) &&
		    memcmp(ctx_vocab_text(v, token), p, length) == 0)
			return token;
	}
	return CTX_VOCAB_NONE;
}

uint32_t
ctx_vocab_longest(const struct ctx_vocab *v, const char *p, size_t n)
{
	char copy[CTX_VOCAB_KEY] = {0};
	struct ctx_key key;
	uint32_t lengths, token, length;

	if (n < CTX_VOCAB_KEY) {
		memcpy(copy, p, n);
		lengths = ctx_vocab_lengths(v, copy) & ((2u << (n - 1)) - 2);
		p = copy;
	} else {
		lengths = ctx_vocab_lengths(v, p);
		if ((lengths & 1) != 0 && n > CTX_VOCAB_KEY) {
			token = find_longest_long(v, p, n);
			if (token != CTX_VOCAB_NONE)
				return token;
		}
		lengths &= ~1u;
	}
	for (; lengths != 0; lengths &= (1u << (length - 1)) - 1) {
		length = 32 - (uint32_t)__builtin_clz(lengths);
		key = ctx_key_read(p, length);
		token = ctx_vocab_find_key(v, key);
		if (token != CTX_VOCAB_NONE &&
		    ctx_vocab_length(v, token) == length &&
		    is_reached(v, token))
			return token;
	}
	return v->leaves[(unsigned char)*p];
}
