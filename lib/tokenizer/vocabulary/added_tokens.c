/*
 * added_tokens.c - finds the names of special and added tokens in a text, and
 * their ids
 *
 * The ids and names of the built-in encodings are those of tiktoken's
 * openai_public.py (0.14).  The name of a reserved token contains its id.
 */
#include <stdlib.h>

#include "tokenizer/open.h"

#define OPEN     "<|"
#define CLOSE    "|>"
#define RESERVED "<|reserved_"
/* Limits for added tokens in vocabulary files, far above those of all real
 * files.  Names of added tokens are searched for at each byte of a text.  This
 * would be slow with longer names, or with longer chains of names that begin
 * with each other. */
#define LONGEST 1024 /* maximum length of a name in bytes */
/* maximum number of names of which each begins with the previous one, such as
 * <a>, <a>b, <a>bc */
#define DEEPEST 256

struct ctx_specials {
	/* lowest and highest id of the reserved tokens; both 0 if there are
	 * none */
	uint32_t first_reserved, last_reserved;
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

/* Returns the length of a name if a text (n bytes at p) begins with the name,
 * otherwise 0. */
static size_t
match_name(const char *p, size_t n, const char *name, size_t length)
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

/* Returns true if the token with this id has a reserved name, <|reserved_ID|>.
 * The token 200018 has two names: <|endofprompt|> and its reserved name. */
static bool
is_reserved(const struct ctx_specials *s, uint32_t id)
{
	return id >= s->first_reserved && id <= s->last_reserved &&
	    s->last_reserved > 0 && (id == 200018 || !is_listed(s, id));
}

/* If a text (n bytes at p) begins with the name of a reserved token, sets *id
 * to the id of this token and returns the length of the name in bytes;
 * otherwise returns 0.  The name is <|reserved_ID|>, in which ID has six digits
 * and no leading zero. */
static size_t
match_reserved(const struct ctx_specials *s, const char *p, size_t n,
    uint32_t *id)
{
	size_t at = match_name(p, n, RESERVED, sizeof RESERVED - 1), i;
	uint32_t value = 0;

	if (at == 0)
		return 0;
	for (i = 0; i < 6 && at < n && p[at] >= '0' && p[at] <= '9'; i++)
		value = value * 10 + (uint32_t)(p[at++] - '0');
	if (i < 6 || !is_reserved(s, value) ||
	    match_name(p + at, n - at, CLOSE, 2) == 0)
		return 0;
	*id = value;
	return at + 2;
}

static size_t
match_builtin(const struct ctx_specials *s, const char *p, size_t n,
    uint32_t *id)
{
	size_t i, length;

	if (match_name(p, n, OPEN, 2) == 0)
		return 0;
	for (i = 0; i < 10 && s->list[i].name != NULL; i++) {
		length =
		    match_name(p, n, s->list[i].name, strlen(s->list[i].name));
		if (length > 0) {
			*id = s->list[i].id;
			return length;
		}
	}
	return match_reserved(s, p, n, id);
}

/* Returns the CTX_NAMES_... bit that says when the name of this special token
 * is recognized in a text. */
static unsigned
names_of(const struct ctx_vocab_special *s)
{
	unsigned names = s->added != 0 ? CTX_NAMES_ADDED : CTX_NAMES_ASKED;

	return s->normal != 0 ? names * CTX_NAMES_NORMAL : names;
}

/* Returns true if a text (n bytes at p) is equal to a name, or comes after the
 * name in sorted order.  A text that begins with the name comes after the name.
 * *same: number of first bytes that are equal in both.  The caller passes a
 * number that it knows, the function sets *same to the whole number. */
static bool
is_at_or_after(const char *p, size_t n, struct ctx_str name, size_t *same)
{
	while (*same < n && *same < name.n && p[*same] == name.p[*same])
		++*same;
	return *same == name.n ||
	    (*same < n &&
		(unsigned char)p[*same] > (unsigned char)name.p[*same]);
}

/*
 * Finds the last name, in sorted order, that is not after a text (n bytes at
 * p), by binary search.  Returns the number of names up to and including the
 * name that was found.  Sets *most to the number of first bytes that this name
 * and the text have in common. n may be 0, but p[0] must be readable.
 *
 * The names at both ends of the search range have some first bytes in common
 * with the text.  All names between them begin with the same bytes, so these
 * bytes are not compared again.
 */
static size_t
count_names_until(const struct ctx_tokenizer *t, const char *p, size_t n,
    size_t *most)
{
	size_t low = t->names_before[(unsigned char)*p], mid, same;
	size_t high = t->names_before[(unsigned char)*p + 1], least = 0;

	*most = 0;
	while (low < high) {
		mid = low + (high - low) / 2;
		same = *most < least ? *most : least;
		if (is_at_or_after(p, n, t->names[mid].text, &same)) {
			low = mid + 1;
			*most = same;
		} else {
			high = mid;
			least = same;
		}
	}
	return low;
}

/*
 * Returns the length in bytes of the longest name of an added token with which
 * a text (n bytes at p) begins, and sets *id to the id of this token.  Returns
 * 0 if there is none; n is at least 1. which: kinds of names that are
 * considered (CTX_NAMES_... bits).
 *
 * The search finds the last name that is not after the text in sorted order.
 * The result is this name, or a shorter name with which this name begins.  If
 * only some first bytes of the found name are equal to the text, the function
 * searches for these bytes in the same way, which skips most other names.
 */
static size_t
match_listed(const struct ctx_tokenizer *t, const char *p, size_t n,
    unsigned which, uint32_t *id)
{
	const struct ctx_added_token_name *name;
	size_t most, low = count_names_until(t, p, n, &most);

	if (low > 0 && t->names[low - 1].text.n > most)
		low = count_names_until(t, p, most, &most);
	for (; low > 0; low = name->inside) {
		name = &t->names[low - 1];
		if (name->text.n > most || (name->names & which) == 0)
			continue;
		*id = name->id;
		return name->text.n;
	}
	return 0;
}

size_t
ctx_added_token_at(const struct ctx_tokenizer *t, const char *p, size_t n,
    unsigned names, uint32_t *id)
{
	if (t->specials != NULL)
		return (names & CTX_NAMES_ASKED) == 0
		    ? 0
		    : match_builtin(t->specials, p, n, id);
	return t->vocab.specials == NULL ? 0 : match_listed(t, p, n, names, id);
}

/* Several names may be equal.  The name that is first in the file must come
 * last in the sorted order, because the search finds the last of equal
 * names. */
static int
compare_names(const void *a, const void *b)
{
	const struct ctx_added_token_name *x = a, *y = b;
	size_t n = x->text.n < y->text.n ? x->text.n : y->text.n;
	int order = memcmp(x->text.p, y->text.p, n);

	if (order == 0 && x->text.n != y->text.n)
		return x->text.n < y->text.n ? -1 : 1;
	return order != 0 ? order : (x->row < y->row) - (x->row > y->row);
}

static void
record_start(struct ctx_tokenizer *t, const struct ctx_added_token_name *name)
{
	const unsigned char *p = (const unsigned char *)name->text.p;
	size_t k;

	t->starts[0][p[0]] |= (unsigned char)name->names;
	for (k = 0; k < 256; k++)
		if (name->text.n == 1 || p[1] == k)
			t->starts[1][k] |= (unsigned char)name->names;
}

static void
record_first_bytes(struct ctx_tokenizer *t, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		t->names_before[(unsigned char)t->names[i].text.p[0] + 1]++;
	for (i = 1; i < 257; i++)
		t->names_before[i] += t->names_before[i - 1];
}

/* Sets two members of all names: "inside" (the longest other name with which
 * the name begins) and "depth" (the number of other names with which the name
 * begins).  The caller must sort the names first. */
static int
link_nested_names(struct ctx_added_token_name *list, size_t n,
    struct ctx_err *err)
{
	uint32_t in;
	size_t i;

	for (i = 1; i < n; i++) {
		in = (uint32_t)i;
		while (in > 0 &&
		    match_name(list[i].text.p, list[i].text.n,
			list[in - 1].text.p, list[in - 1].text.n) == 0)
			in = list[in - 1].inside;
		list[i].inside = in;
		list[i].depth = in > 0 ? list[in - 1].depth + 1 : 0;
		if (list[i].depth >= DEEPEST)
			return ctx_err_set(err, CTX_EFILE,
			    "more than %d tokens of the list added_tokens are "
			    "beginnings of the same other token",
			    DEEPEST - 1);
	}
	return 0;
}

int
ctx_added_token_index(struct ctx_tokenizer *t, struct ctx_err *err)
{
	const struct ctx_vocab_special *s = t->vocab.specials;
	size_t n = s == NULL ? 0 : t->vocab.n_specials, i;
	struct ctx_added_token_name *list;

	if (n == 0)
		return 0;
	list = calloc(n, sizeof *list);
	if (list == NULL)
		return ctx_err_nomem(err);
	t->names = list;
	for (i = 0; i < n; i++) {
		if (s[i].n > LONGEST)
			return ctx_err_set(err, CTX_EFILE,
			    "a token of the list added_tokens has %u bytes; "
			    "the maximum is %d",
			    (unsigned)s[i].n, LONGEST);
		list[i].text =
		    (struct ctx_str){(const char *)s + s[i].at, s[i].n};
		list[i].id = s[i].id;
		list[i].names = names_of(s + i);
		list[i].row = (uint32_t)i;
		record_start(t, &list[i]);
	}
	qsort(list, n, sizeof *list, compare_names);
	record_first_bytes(t, n);
	return link_nested_names(list, n, err);
}

/* Returns false if no name begins with the first two bytes of the text. names:
 * kinds of names that are considered (CTX_NAMES_... bits). */
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
ctx_added_token_find(const struct ctx_tokenizer *t, const char *p, size_t n,
    unsigned names)
{
	uint32_t id;
	size_t at;

	for (at = 0; at < n; at++)
		if (may_start(t, p + at, n - at, names) &&
		    ctx_added_token_at(t, p + at, n - at, names, &id) > 0)
			break;
	return at;
}

size_t
ctx_added_token_longest(const struct ctx_tokenizer *t, unsigned names)
{
	const struct ctx_vocab *v = &t->vocab;
	size_t longest = 0, i;

	for (i = 0; i < v->n_specials; i++)
		if ((names_of(v->specials + i) & names) != 0 &&
		    v->specials[i].n > longest)
			longest = v->specials[i].n;
	return longest;
}

bool
ctx_added_token_has_blank(const struct ctx_tokenizer *t)
{
	const struct ctx_vocab *v = &t->vocab;
	const char *names = (const char *)v->specials;
	size_t i;

	for (i = 0; i < v->n_specials; i++)
		if (v->specials[i].added != 0 &&
		    memchr(names + v->specials[i].at, ' ', v->specials[i].n) !=
			NULL)
			return true;
	return false;
}

int
ctx_added_token_name(const struct ctx_tokenizer *t, uint32_t id,
    struct ctx_buf *out, struct ctx_err *err)
{
	const struct ctx_vocab *v = &t->vocab;
	const char *names = (const char *)v->specials;
	const struct ctx_specials *s = t->specials;
	size_t i;

	for (i = 0; s != NULL && i < 10 && s->list[i].name != NULL; i++)
		if (s->list[i].id == id)
			return ctx_buf_add(out, s->list[i].name,
				   strlen(s->list[i].name), err) < 0
			    ? -1
			    : 1;
	if (s != NULL && is_reserved(s, id))
		return ctx_buf_printf(out, err, RESERVED "%u" CLOSE,
			   (unsigned)id) < 0
		    ? -1
		    : 1;
	for (i = 0; i < v->n_specials; i++)
		if (v->specials[i].id == id)
			return ctx_buf_add(out, names + v->specials[i].at,
				   v->specials[i].n, err) < 0
			    ? -1
			    : 1;
	return 0;
}
