/*
 * onig_sets.c - sets of characters in the patterns of a vocabulary file
 *
 * Patterns contain ranges of characters, such as [a-z].  The ends of these
 * ranges divide all code points into new, smaller ranges.  A set is stored as
 * one bit for each combination of a smaller range and a general category of
 * Unicode.  Characters that are in the same sets have the same kind (see
 * onig_to_pcre2.h).
 */
#include <string.h>

#include "tokenizer/vocabulary/onig_sets.h"

_Static_assert(sizeof CTX_CATEGORIES == 2 * CTX_KINDS_CATEGORY + 1,
    "a bit for each category");

int
ctx_onig_refuse(const struct onig_parse *r, const char *what)
{
	return ctx_err_set(r->err, CTX_EFILE,
	    CTX_REFUSED("a regular expression for splitting texts "
			"with %s (byte %zu)"),
	    what, r->at + 1);
}

int
ctx_onig_emit_text(struct onig_parse *r, const char *text, size_t n)
{
	return r->pass == WRITE ? ctx_buf_add(r->out, text, n, r->err) : 0;
}

/* Divides the range of code points that contains cp in two, so that a range
 * begins at cp. */
static int
add_cut(struct onig_parse *r, uint32_t cp)
{
	struct ctx_kinds *k = r->kinds;
	size_t i = k->n;

	if (cp <= 0x80 || cp >= 0x110000)
		return 0;
	while (k->first[i - 1] > cp)
		i--;
	if (k->first[i - 1] == cp)
		return 0;
	if (k->n == CTX_KINDS_CUTS)
		return ctx_onig_refuse(r, "too many ranges of characters");
	memmove(k->first + i + 1, k->first + i,
	    (k->n - i) * sizeof k->first[0]);
	k->first[i] = cp;
	k->n++;
	return 0;
}

int
ctx_onig_add_range(struct onig_parse *r, struct char_set *set, uint32_t first,
    uint32_t last)
{
	const struct ctx_kinds *k = r->kinds;
	uint32_t cp;
	size_t i;

	if (r->pass == CUTS)
		return add_cut(r, first) < 0 ? -1 : add_cut(r, last + 1);
	for (cp = first; cp <= last && cp < 128; cp++)
		set->ascii[cp / 64] |= UINT64_C(1) << cp % 64;
	for (i = 0; i < k->n; i++)
		if (k->first[i] >= first && k->first[i] <= last)
			set->rest[i] = ALL_CATEGORIES;
	return 0;
}

void
ctx_onig_add_categories(const struct onig_parse *r, struct char_set *set,
    uint32_t categories)
{
	uint32_t cp;
	size_t i;

	for (cp = 0; cp < 128; cp++)
		if ((categories >> ctx_category_of(cp) & 1) != 0)
			set->ascii[cp / 64] |= UINT64_C(1) << cp % 64;
	for (i = 0; i < r->kinds->n; i++)
		set->rest[i] |= categories;
}

void
ctx_onig_add_set(struct char_set *set, const struct char_set *other)
{
	size_t i;

	set->ascii[0] |= other->ascii[0];
	set->ascii[1] |= other->ascii[1];
	for (i = 0; i < CTX_KINDS_CUTS; i++)
		set->rest[i] |= other->rest[i];
}

void
ctx_onig_negate_set(struct char_set *set)
{
	size_t i;

	set->ascii[0] = ~set->ascii[0];
	set->ascii[1] = ~set->ascii[1];
	for (i = 0; i < CTX_KINDS_CUTS; i++)
		set->rest[i] ^= ALL_CATEGORIES;
}

bool
ctx_onig_is_empty_set(const struct onig_parse *r, const struct char_set *set)
{
	uint32_t all = 0;
	size_t i;

	for (i = 0; i < r->kinds->n; i++)
		all |= set->rest[i];
	return (set->ascii[0] | set->ascii[1] | all) == 0;
}

int
ctx_onig_add_folded(struct onig_parse *r, struct char_set *set, uint32_t cp)
{
	uint32_t small = cp | 0x20;

	if (ctx_onig_add_range(r, set, cp, cp) < 0)
		return -1;
	if (small < 'a' || small > 'z')
		return 0;
	if (small == 's' && ctx_onig_add_range(r, set, 0x17f, 0x17f) < 0)
		return -1;
	if (small == 'k' && ctx_onig_add_range(r, set, 0x212a, 0x212a) < 0)
		return -1;
	return ctx_onig_add_range(r, set, cp ^ 0x20, cp ^ 0x20);
}

static bool
has_kind(const struct onig_parse *r, size_t set, unsigned kind)
{
	if (kind < 128)
		return (r->sets[set].ascii[kind / 64] >> kind % 64 & 1) != 0;
	return kind < 128 + r->nkinds &&
	    (r->members[kind - 128] >> set & 1) != 0;
}

static int
write_set(struct onig_parse *r, size_t set)
{
	unsigned first, last;

	if (ctx_onig_emit_text(r, "[", 1) < 0)
		return -1;
	for (first = 0; first < 256; first = last + 1) {
		last = first;
		if (!has_kind(r, set, first))
			continue;
		while (last < 255 && has_kind(r, set, last + 1))
			last++;
		if (ctx_buf_printf(r->out, r->err, "\\x%02x-\\x%02x", first,
			last) < 0)
			return -1;
	}
	return ctx_onig_emit_text(r, "]", 1);
}

int
ctx_onig_use_set(struct onig_parse *r, const struct char_set *set)
{
	size_t i;

	if (r->pass == CUTS)
		return 0;
	for (i = 0; i < r->nsets; i++)
		if (memcmp(r->sets + i, set, sizeof *set) == 0)
			break;
	if (r->pass == WRITE)
		return write_set(r, i);
	if (i == MOST_SETS)
		return ctx_onig_refuse(r, "too many sets of characters");
	if (i == r->nsets)
		r->sets[r->nsets++] = *set;
	return 0;
}

int
ctx_onig_number_kinds(struct onig_parse *r)
{
	struct ctx_kinds *k = r->kinds;
	uint64_t in;
	size_t i, c, s, kind;

	for (i = 0; i < k->n; i++)
		for (c = 0; c < CTX_KINDS_CATEGORY; c++) {
			in = 0;
			for (s = 0; s < r->nsets; s++)
				in |= (uint64_t)(r->sets[s].rest[i] >> c & 1)
				    << s;
			for (kind = 0; kind < r->nkinds; kind++)
				if (r->members[kind] == in)
					break;
			if (kind == 128)
				return ctx_onig_refuse(r,
				    "too many kinds of "
				    "characters");
			if (kind == r->nkinds)
				r->members[r->nkinds++] = in;
			k->kind[i][c] = (uint8_t)(128 + kind);
		}
	return 0;
}
