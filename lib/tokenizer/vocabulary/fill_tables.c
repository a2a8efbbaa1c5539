/*
 * fill_tables.c - fills the tables of a packed vocabulary
 *
 * The merges of tokens are added in the order of the lengths of the tokens,
 * shortest first.  To find the two parts of a token, its bytes are merged with
 * the merges that were already added, by the same functions that later count
 * tokens.  If exactly two tokens remain, these are the parts.
 *
 * In a text, only these two parts can merge to the token.  The reason: until
 * the parts merge, no merge crosses the first or last byte of the token.  So
 * the bytes of the token are merged in the same steps as alone.
 */
#include <stdlib.h>

#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/pretoken_cache.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/build.h"
#include "tokenizer/vocabulary/crossing.h"
#include "tokenizer/vocabulary/fill_tables.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* maximum number of lines of the table PAIRS */
#define MOST_PAIR_LINES (UINT32_C(1) << 21)

/* Maximum number of tokens that have the same line in a hash table, or the same
 * first 16 bytes.  In real files, some tens of tokens do; a file with more than
 * this maximum may be an attack. */
#define MOST_ALIKE 1024

static int
fail_alike(struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EFILE,
	    "more than %d tokens of the vocabulary have the same first "
	    "bytes or the same hash",
	    MOST_ALIKE);
}

/* Fills a table with bytes of 0xff, so that each entry is CTX_VOCAB_NONE.
 * make_empty_block has already checked that the size of the table fits into
 * size_t. */
static void
clear_section(const struct vocab_fill *f, enum ctx_vocab_section which)
{
	memset(section_at(f, which), 0xff, (size_t)f->head->bytes[which]);
}

static bool
has_byte_ff(const struct ctx_build_token *t)
{
	return memchr(t->p, 0xff, t->n) != NULL;
}

/* Makes all entries empty in those tables in which an entry of zero bytes is
 * not an empty entry. */
static void
clear_tables(struct vocab_fill *f)
{
	clear_section(f, CTX_VOCAB_KEYS);
	clear_section(f, CTX_VOCAB_LEAVES);
	clear_section(f, CTX_VOCAB_DIGRAMS);
	clear_section(f, CTX_VOCAB_IDS);
	clear_section(f, CTX_VOCAB_TOKENS);
}

/* Stores in the table PARENTS which two tokens are merged to a token. */
static void
put_parents(struct vocab_fill *f, uint32_t token, uint32_t a, uint32_t b)
{
	uint8_t *p = (uint8_t *)section_at(f, CTX_VOCAB_PARENTS) +
	    CTX_VOCAB_PARENT * (size_t)token;
	uint32_t low = a | b << CTX_VOCAB_BITS;

	memcpy(p, &low, sizeof low);
	p[4] = (uint8_t)(b >> (32 - CTX_VOCAB_BITS));
}

/* Fills the tables TEXT, PLACES and LEAVES.  If a byte has several tokens,
 * LEAVES has the token of the character.  In PARENTS, stores twice the token
 * itself for each token, which means that the token is not the result of a
 * merge. */
static void
fill_texts(struct vocab_fill *f)
{
	uint32_t *places = section_at(f, CTX_VOCAB_PLACES);
	uint32_t *leaves = section_at(f, CTX_VOCAB_LEAVES), *leaf;
	char *text = section_at(f, CTX_VOCAB_TEXT);
	const struct ctx_str shared = f->in->shared_text;
	const struct ctx_build_token *t;
	size_t end = shared.n;
	uint32_t i;

	if (shared.n > 0)
		memcpy(text, shared.p, shared.n);
	for (i = 0; i < f->in->n; i++) {
		t = f->in->tokens + i;
		if (t->n > 0 && shared.n > 0) {
			places[i] =
			    ctx_vocab_place((size_t)(t->p - shared.p), t->n);
		} else if (t->n > 0) {
			places[i] = ctx_vocab_place(end, t->n);
			memcpy(text + end, t->p, t->n);
			end += t->n;
		}
		put_parents(f, i, i, i);
		leaf = t->n == 1 ? leaves + (unsigned char)*t->p : NULL;
		if (leaf != NULL &&
		    (*leaf == CTX_VOCAB_NONE ||
			(t->cut == CTX_BUILD_CHAR &&
			    f->in->tokens[*leaf].cut != CTX_BUILD_CHAR)))
			*leaf = i;
	}
}

/* Adds a token to the table KEYS, the hash table of tokens by their bytes.
 * Tokens are added in the order of their merges, so that the most frequent
 * tokens are in the line that is searched first.  At least a fifth of the
 * entries remain empty. */
static void
enter_key(struct vocab_fill *f, uint32_t token)
{
	const struct ctx_build_token *t = f->in->tokens + token;
	uint64_t hash = ctx_key_hash(ctx_key_copy(t->p, t->n));
	uint32_t *entries = section_at(f, CTX_VOCAB_KEYS);
	size_t all = (size_t)CTX_KEY_LINE << f->head->line_bits;
	size_t i = CTX_KEY_LINE * (size_t)(hash >> f->view.line_shift);
	unsigned tried = 0;

	while (entries[i] != CTX_KEY_NOTHING) {
		/* At most MOST_ALIKE tokens may have the same first line.
		 * Tokens that have another first line may be stored between
		 * these tokens. */
		if (++tried > 2 * MOST_ALIKE)
			f->crowded = true;
		if (f->crowded)
			return;
		i = (i + 1) % all;
	}
	entries[i] = ctx_key_tag(&f->view, hash) | token;
}

/* Adds the length of a token to the entry of the table LENGTHS for the token's
 * first bytes. */
static void
enter_lengths(struct vocab_fill *f, const struct ctx_build_token *t)
{
	uint16_t *lengths = section_at(f, CTX_VOCAB_LENGTHS);
	char first[8] = {0};
	int which = t->n < 4 ? 0 : t->n < 8 ? 1 : 2;
	uint32_t bit = t->n > CTX_VOCAB_KEY ? 1u : 1u << (t->n - 1);

	if (t->n < 2)
		return;
	memcpy(first, t->p, t->n < 8 ? t->n : 8);
	lengths[ctx_lengths_index(first, which)] |= (uint16_t)bit;
}

/* Orders the last two entries of a full line of the table PAIRS, so that
 * ctx_pair_overflows returns the value "overflows" for the line. */
static void
order_last_pairs(uint32_t *line, bool overflows)
{
	uint32_t tag = line[6], token = line[14];

	if (ctx_pair_overflows(line) == overflows)
		return;
	line[6] = line[7];
	line[14] = line[15];
	line[7] = tag;
	line[15] = token;
}

/* Adds a merge to the table PAIRS: the tokens a and b are merged to "token". */
static void
enter_pair(struct vocab_fill *f, uint32_t a, uint32_t b, uint32_t token)
{
	uint64_t hash = ctx_pair_hash(a, b);
	uint32_t lines = f->view.pair_lines, line = ctx_pair_home(hash, lines);
	uint32_t tag = ctx_pair_tag(hash), away;
	uint32_t *pairs = section_at(f, CTX_VOCAB_PAIRS), *entry;
	unsigned i;

	put_parents(f, token, a, b);
	for (away = 0; away <= CTX_PAIR_AWAY_MAX; away++) {
		entry = pairs + CTX_PAIR_LINE * (size_t)((line + away) % lines);
		for (i = 0; i < 8; i++)
			if (entry[8 + i] == 0) {
				entry[i] = tag | away << CTX_PAIR_AWAY;
				entry[8 + i] = ~token;
				if (i == 7)
					order_last_pairs(entry, false);
				return;
			}
		order_last_pairs(entry, true);
	}
	f->pair_lines = 2 * lines;
	f->full = true;
}

/* Merges n bytes with the merges that were already added.  Writes the resulting
 * tokens to list, which must have n elements, and returns their number, or 0
 * with *err if there is not enough memory. */
static size_t
merge_all(const struct ctx_vocab *v, const char *p, size_t n, uint32_t *list,
    struct ctx_err *err)
{
	return n <= CTX_BPE_MAX ? ctx_bpe_pairs(v, p, n, list)
				: ctx_bpe_queue(v, p, n, list, err);
}

/* Stores the first two bytes of a token that has a lower number than one of its
 * parts. s: text of the token, at least two bytes.  A pretoken (piece of text
 * that is encoded separately) that contains these two bytes is merged by
 * ctx_bpe_queue, not by ctx_bpe_long. */
static void
record_disorder(struct ctx_vocab_head *h, const unsigned char *s)
{
	uint32_t i;

	h->flags |= CTX_VOCAB_DISORDER;
	for (i = 0; i < h->n_disorder && i < CTX_DISORDER_MAX; i++)
		if (h->disorder[i][0] == s[0] && h->disorder[i][1] == s[1])
			return;
	h->n_disorder = i + 1;
	if (i < CTX_DISORDER_MAX) {
		h->disorder[i][0] = s[0];
		h->disorder[i][1] = s[1];
	}
}

/* Adds the merge that makes a token.  Does nothing if no merge may make the
 * token, or if merging its bytes does not give exactly two tokens, divided as
 * t->cut demands.  The merges of all shorter tokens must already have been
 * added. */
static int
enter_merge(struct vocab_fill *f, uint32_t token, struct ctx_err *err)
{
	const struct ctx_build_token *t = f->in->tokens + token;
	const unsigned char *s = (const unsigned char *)t->p;
	uint32_t parts[CTX_BUILD_MAX];
	uint32_t *digrams = section_at(f, CTX_VOCAB_DIGRAMS);
	size_t n;

	if (t->cut == CTX_BUILD_NEVER || t->cut == CTX_BUILD_CHAR ||
	    has_byte_ff(t))
		return 0;
	n = merge_all(&f->view, t->p, t->n, parts, err);
	if (n != 2)
		return n == 0 ? -1 : 0;
	if (t->cut != CTX_BUILD_ANY &&
	    t->cut != ctx_vocab_length(&f->view, parts[0]))
		return 0;
	enter_pair(f, parts[0], parts[1], token);
	f->uses[token] = REACHED;
	if (parts[0] > token || parts[1] > token)
		record_disorder(f->head, s);
	if (t->n == 2 && !f->view.chars)
		digrams[(size_t)s[0] << 8 | s[1]] = token;
	return 0;
}

/* Adds the merges of all tokens, the shortest tokens first. */
static int
fill_merges(struct vocab_fill *f, struct ctx_err *err)
{
	const struct ctx_build_token *tokens = f->in->tokens;
	uint32_t n, i, next;

	for (n = 2; n <= f->longest; n = next) {
		next = f->longest + 1;
		for (i = 0; i < f->in->n; i++)
			if (tokens[i].n == n && enter_merge(f, i, err) < 0)
				return -1;
			else if (tokens[i].n > n && tokens[i].n < next)
				next = tokens[i].n;
	}
	return 0;
}

/* Adds a token to the table LENGTHS and, if the token has at most 16 bytes, to
 * the table KEYS. */
static void
enter_token(struct vocab_fill *f, uint32_t token, enum token_use state)
{
	const struct ctx_build_token *t = f->in->tokens + token;

	f->uses[token] = state;
	enter_lengths(f, t);
	if (t->n <= CTX_VOCAB_KEY && !has_byte_ff(t))
		enter_key(f, token);
}

/* Adds the characters of more than one byte with which merging begins.
 * Characters of one byte are in the table LEAVES (fill_texts). */
static void
fill_chars(struct vocab_fill *f)
{
	const struct ctx_build_token *tokens = f->in->tokens;
	uint32_t i;

	for (i = 0; i < f->in->n && !f->full && !f->crowded; i++)
		if (tokens[i].cut == CTX_BUILD_CHAR && tokens[i].n > 1 &&
		    ctx_vocab_find(&f->view, tokens[i].p, tokens[i].n) ==
			CTX_VOCAB_NONE)
			enter_token(f, i, REACHED);
}

/* Stores that the vocabulary has an unreachable token: a token that is only
 * used for a pretoken (piece of text that is encoded separately) whose bytes
 * are exactly those of the token. */
static void
set_unreached(struct vocab_fill *f)
{
	f->head->flags |= CTX_VOCAB_UNREACHED;
	f->view.unreached = true;
}

/* Adds all tokens to the tables: first the tokens that are the result of
 * merging their bytes.  Then, if f->in->whole is true, all other tokens.  So if
 * two tokens have the same bytes, a lookup finds the token that is the result
 * of merging. */
static void
fill_tokens(struct vocab_fill *f)
{
	const uint32_t *leaves = f->view.leaves;
	const struct ctx_build_token *t;
	uint32_t i;

	for (i = 0; i < f->in->n && !f->full && !f->crowded; i++) {
		t = f->in->tokens + i;
		if (t->n == 0 || (t->n > 1 && t->cut == CTX_BUILD_CHAR))
			continue;
		if (t->n == 1 ? leaves[(unsigned char)*t->p] == i
			      : f->uses[i] == REACHED)
			enter_token(f, i, REACHED);
	}
	for (i = 0; i < f->in->n && f->in->whole && !f->full; i++) {
		t = f->in->tokens + i;
		if (t->n < 2 || f->uses[i] != UNUSED || has_byte_ff(t) ||
		    (t->n <= CTX_VOCAB_KEY &&
			ctx_vocab_find(&f->view, t->p, t->n) != CTX_VOCAB_NONE))
			continue;
		if (t->n <= CTX_VOCAB_KEY)
			set_unreached(f);
		enter_token(f, i, WHOLE);
	}
}

/* Returns true if every sequence of ASCII digits up to this length is a token.
 * Returns false if the length is 0. */
static bool
has_numbers(const struct ctx_vocab *v, unsigned digits)
{
	static const unsigned powers[] = {1, 10, 100, 1000};
	char text[3];
	unsigned n, i;

	for (n = 1; n <= digits; n++)
		for (i = 0; i < powers[n]; i++) {
			text[0] = (char)('0' + i / powers[n - 1]);
			text[1] = (char)('0' + i / (n == 3 ? 10 : 1) % 10);
			text[2] = (char)('0' + i % 10);
			if (ctx_vocab_find(v, text, n) == CTX_VOCAB_NONE)
				return false;
		}
	return digits > 0;
}

static void
fill_ids(struct vocab_fill *f)
{
	uint32_t *ids = section_at(f, CTX_VOCAB_IDS),
		 *tokens = section_at(f, CTX_VOCAB_TOKENS);
	uint32_t i, id;

	for (i = 0; i < f->in->n; i++) {
		if (f->in->tokens[i].n == 0)
			continue;
		id = f->in->tokens[i].id;
		if (i >= f->head->ids_from)
			ids[i - f->head->ids_from] = id;
		if (id != CTX_VOCAB_NONE &&
		    f->head->bytes[CTX_VOCAB_TOKENS] > 0)
			tokens[id] = i;
	}
}

struct long_token {
	const char *p;
	uint32_t n, token;
	enum token_use state;
};

/* Compares tokens for qsort: by their first 16 bytes; then by length, the
 * longest first; then by all bytes.  Of tokens with the same bytes, the token
 * that is the result of merging (REACHED) comes first. */
static int
compare_beginnings(const void *a, const void *b)
{
	const struct long_token *x = a, *y = b;
	int order = memcmp(x->p, y->p, CTX_VOCAB_KEY);

	if (order != 0)
		return order;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	order = memcmp(x->p, y->p, x->n);
	if (order != 0)
		return order;
	if (x->state != y->state)
		return x->state == REACHED ? -1 : 1;
	return x->token < y->token ? -1 : x->token > y->token;
}

static void
enter_group(struct vocab_fill *f, const struct long_token *first,
    size_t at_first, size_t n)
{
	struct ctx_vocab_group *groups = section_at(f, CTX_VOCAB_GROUPS);
	uint32_t mask = (1u << f->head->group_bits) - 1;
	struct ctx_key key = ctx_key_copy(first->p, CTX_VOCAB_KEY);
	uint32_t i = (uint32_t)(ctx_key_hash(key) >> f->view.group_shift);
	unsigned tried = 0;

	f->crowded |= n > MOST_ALIKE;
	while (groups[i].n != 0 && !f->crowded) {
		f->crowded = ++tried > MOST_ALIKE;
		i = (i + 1) & mask;
	}
	groups[i].first = (uint32_t)at_first;
	groups[i].n = (uint32_t)n;
}

/* Removes all but the first of several tokens with the same bytes, which are
 * consecutive in the list.  Returns the number of remaining tokens. */
static size_t
drop_equal(struct vocab_fill *f, struct long_token *list, size_t n)
{
	size_t kept = 0, i;

	for (i = 0; i < n; i++) {
		if (kept > 0 && list[kept - 1].n == list[i].n &&
		    memcmp(list[kept - 1].p, list[i].p, list[i].n) == 0)
			continue;
		if (list[i].state == WHOLE)
			set_unreached(f);
		list[kept++] = list[i];
	}
	return kept;
}

static int
fill_groups(struct vocab_fill *f, struct ctx_err *err)
{
	struct long_token *list = malloc((f->longs + 1) * sizeof *list);
	uint32_t *longs = section_at(f, CTX_VOCAB_LONG), i;
	const struct ctx_build_token *t;
	size_t n = 0, first, end;

	if (list == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < f->in->n; i++) {
		t = f->in->tokens + i;
		if (t->n > CTX_VOCAB_KEY && f->uses[i] != UNUSED)
			list[n++] =
			    (struct long_token){t->p, t->n, i, f->uses[i]};
	}
	qsort(list, n, sizeof *list, compare_beginnings);
	n = drop_equal(f, list, n);
	for (first = 0; first < n; first = end) {
		end = first;
		while (end < n &&
		    memcmp(list[end].p, list[first].p, CTX_VOCAB_KEY) == 0) {
			longs[end] = list[end].token;
			end++;
		}
		enter_group(f, list + first, first, end - first);
	}
	free(list);
	return f->crowded ? fail_alike(err) : 0;
}

/* Decodes the UTF-8 character that ends at offset i of a token.  Returns false
 * if the token contains only a part of the character. */
static bool
decode_char_before(const struct ctx_build_token *t, size_t i, uint32_t *cp)
{
	size_t begin = i - 1;

	while (begin > 0 && i - begin < 4 &&
	    ((unsigned char)t->p[begin] & 0xc0) == 0x80)
		begin--;
	return ctx_char_next(t->p + begin, i - begin, cp) == i - begin &&
	    *cp != CTX_CHAR_BAD;
}

/* Fills the table CROSSING: sets a bit for each two characters that are
 * consecutive in a reachable token. */
static void
fill_crossing(struct vocab_fill *f)
{
	uint64_t *bits = section_at(f, CTX_VOCAB_CROSSING), bit;
	const struct ctx_build_token *t;
	const unsigned char *s;
	uint32_t token, a, b;
	size_t i;

	for (token = 0; token < f->in->n; token++) {
		t = f->in->tokens + token;
		s = (const unsigned char *)t->p;
		if (f->uses[token] != REACHED)
			continue;
		for (i = 1; i < t->n; i++) {
			if ((s[i] & 0xc0) == 0x80)
				continue;
			(void)ctx_char_next(t->p + i, t->n - i, &b);
			if (b != CTX_CHAR_BAD && decode_char_before(t, i, &a) &&
			    !(f->view.chars && (s[i - 1] | s[i]) < 0x80))
				bit = ctx_crossing_bit(a, b);
			else
				bit = ctx_crossing_bytes(s[i - 1], s[i]);
			bits[bit / 64] |= UINT64_C(1) << bit % 64;
		}
	}
}

static void
fill_specials(struct vocab_fill *f)
{
	struct ctx_vocab_special *list = section_at(f, CTX_VOCAB_SPECIALS);
	const struct ctx_build_added_token *in = f->in->specials;
	size_t n = f->in->nspecials, end = n * sizeof *list, i;

	for (i = 0; i < n; i++) {
		list[i].id = in[i].id;
		list[i].at = (uint32_t)end;
		list[i].n = in[i].n;
		list[i].added = in[i].added;
		list[i].normal = in[i].normal;
		memcpy((char *)list + end, in[i].p, in[i].n);
		end += in[i].n;
	}
}

int
ctx_vocab_fill_tables(struct vocab_fill *f, struct ctx_err *err)
{
	unsigned byte;

	clear_tables(f);
	fill_texts(f);
	for (byte = 0; byte < 256; byte++)
		if (f->view.leaves[byte] == CTX_VOCAB_NONE)
			return ctx_err_set(err, CTX_EFILE,
			    "the vocabulary has no token for the byte %u",
			    byte);
	fill_chars(f);
	if (!f->full && !f->crowded && fill_merges(f, err) < 0)
		return -1;
	fill_tokens(f);
	if (f->crowded)
		return fail_alike(err);
	if (f->full)
		return f->pair_lines <= MOST_PAIR_LINES
		    ? 0
		    : ctx_err_set(err, CTX_EFILE,
			  "too many pairs of tokens in the "
			  "vocabulary have the same hash");
	if (has_numbers(&f->view, f->in->pretokenizer.digits))
		f->head->flags |= CTX_VOCAB_NUMBERS;
	fill_ids(f);
	if (fill_groups(f, err) < 0)
		return -1;
	fill_crossing(f);
	fill_specials(f);
	if (f->in->patterns.n > 0)
		memcpy(section_at(f, CTX_VOCAB_PATTERNS), f->in->patterns.p,
		    f->in->patterns.n);
	return 1;
}
