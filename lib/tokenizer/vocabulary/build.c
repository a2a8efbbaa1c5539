/*
 * build.c - builds a packed vocabulary from a list of tokens
 *
 * A packed vocabulary is one block of memory.  First the offsets of its tables
 * are computed, then the tables are filled (fill_tables.c).
 */
#include <stdlib.h>

#include "tokenizer/vocabulary/build.h"
#include "tokenizer/vocabulary/fill_tables.h"
#include "tokenizer/vocabulary/vocabulary.h"

int
ctx_vocab_builder_add(struct ctx_vocab_builder *pack,
    struct ctx_build_token token, struct ctx_err *err)
{
	if (CTX_GROW(pack->tokens, pack->cap, pack->n + 1, err) < 0)
		return -1;
	pack->tokens[pack->n++] = token;
	return 0;
}

int
ctx_vocab_builder_add_special(struct ctx_vocab_builder *pack,
    struct ctx_build_added_token special, struct ctx_err *err)
{
	special.p = ctx_arena_copy(&pack->arena, special.p, special.n, err);
	if (special.p == NULL ||
	    CTX_GROW(pack->specials, pack->specials_cap, pack->nspecials + 1,
		err) < 0)
		return -1;
	pack->specials[pack->nspecials++] = special;
	return 0;
}

void
ctx_vocab_builder_release(struct ctx_vocab_builder *pack)
{
	free(pack->tokens);
	free(pack->specials);
	ctx_buf_release(&pack->patterns);
	ctx_arena_release(&pack->arena);
	ctx_buf_release(&pack->bytes);
}

/* Checks the limits of the input, and counts the tokens and their bytes in
 * *f. */
static int
survey_tokens(struct vocab_fill *f, struct ctx_err *err)
{
	const struct ctx_vocab_builder *in = f->in;
	const struct ctx_build_token *t;
	size_t i;

	f->text = in->shared_text.n;
	if (in->n == 0 || in->n >= CTX_VOCAB_MAX)
		return ctx_err_set(err, CTX_EFILE,
		    "the vocabulary has %zu tokens instead of 1 to %u", in->n,
		    CTX_VOCAB_MAX - 1);
	for (i = 0; i < in->n; i++) {
		t = in->tokens + i;
		if (t->n > CTX_BUILD_MAX)
			return ctx_err_set(err, CTX_EFILE,
			    "a token has %u bytes; the maximum is %u", t->n,
			    (unsigned)CTX_BUILD_MAX);
		if (t->n == 0)
			continue;
		if (t->id >= CTX_VOCAB_MAX && t->id != CTX_VOCAB_NONE)
			return ctx_err_set(err, CTX_EFILE,
			    "the token id %u is above %u, the maximum", t->id,
			    CTX_VOCAB_MAX - 1);
		if (t->id >= f->ids && t->id != CTX_VOCAB_NONE)
			f->ids = t->id + 1;
		f->keys += t->n <= CTX_VOCAB_KEY;
		f->longs += t->n > CTX_VOCAB_KEY;
		f->merges += t->n > 1 && t->cut != CTX_BUILD_NEVER &&
		    t->cut != CTX_BUILD_CHAR;
		if (in->shared_text.n == 0)
			f->text += t->n;
		if (t->n > f->longest)
			f->longest = t->n;
	}
	if (f->text > CTX_BUILD_TEXT_MAX)
		return ctx_err_set(err, CTX_EFILE,
		    "the tokens have %zu bytes; the maximum is %u", f->text,
		    (unsigned)CTX_BUILD_TEXT_MAX);
	for (i = 0; i < in->nspecials; i++)
		if (in->specials[i].id >= f->ids &&
		    in->specials[i].id < CTX_VOCAB_MAX)
			f->ids = in->specials[i].id + 1;
	return 0;
}

/* Returns the size of a hash table for n entries, as the binary logarithm of
 * the number of its lines. per: number of entries in a line.  The size is
 * chosen so that at most about four fifths of the entries will be used. */
static uint32_t
choose_bits(size_t n, size_t per)
{
	uint32_t bits = 2;

	while (((size_t)per << bits) / 5 * 4 < n)
		bits++;
	return bits;
}

/* Returns the number of the first token whose id is not its number, or the
 * number of tokens if there is none. */
static uint32_t
find_first_id(const struct ctx_vocab_builder *in)
{
	uint32_t i = 0;

	while (i < in->n && (in->tokens[i].n == 0 || in->tokens[i].id == i))
		i++;
	return i;
}

/* Computes the offset and the size of each table in the packed vocabulary, and
 * the size of the whole packed vocabulary. */
static void
lay_out(struct vocab_fill *f, struct ctx_vocab_head *h)
{
	const struct ctx_vocab_builder *in = f->in;
	uint64_t *bytes = h->bytes, names = 0, end = sizeof *h;
	size_t i;

	for (i = 0; i < in->nspecials; i++)
		names += in->specials[i].n;
	bytes[CTX_VOCAB_LONG] = (uint64_t)f->longs * 4;
	bytes[CTX_VOCAB_TEXT] = f->text + CTX_VOCAB_KEY;
	bytes[CTX_VOCAB_SPECIALS] =
	    names + (uint64_t)in->nspecials * sizeof(struct ctx_vocab_special);
	bytes[CTX_VOCAB_PATTERNS] = in->patterns.n;
	ctx_vocab_size_sections(h, bytes);
	for (i = 0; i < CTX_VOCAB_SECTIONS; i++) {
		h->at[i] = end = (end + 63) / 64 * 64;
		end += bytes[i];
	}
	h->size = (end + 63) / 64 * 64;
}

/* Allocates the memory of a packed vocabulary, filled with zeros. */
static int
make_empty_block(struct vocab_fill *f, struct ctx_err *err)
{
	struct ctx_vocab_head h = {.magic = CTX_VOCAB_MAGIC,
	    .order = CTX_VOCAB_ORDER,
	    .version = CTX_VOCAB_VERSION,
	    .pretokenizer = f->in->pretokenizer,
	    .flags = (f->in->nfc ? CTX_VOCAB_NFC : 0) | f->in->prefix,
	    .n = (uint32_t)f->in->n,
	    .ids = f->ids,
	    .ids_from = find_first_id(f->in),
	    .line_bits = choose_bits(f->keys, CTX_KEY_LINE),
	    .pair_lines = f->pair_lines,
	    .group_bits = choose_bits(f->longs, 1),
	    .specials = (uint32_t)f->in->nspecials,
	    .longest = f->longest};

	memcpy(h.source, f->in->source, sizeof h.source);
	lay_out(f, &h);
	f->head = NULL;
	if (h.size > SIZE_MAX / 2 ||
	    posix_memalign((void **)&f->head, 64, (size_t)h.size) != 0)
		return ctx_err_nomem(err);
	memset(f->head, 0, (size_t)h.size);
	*f->head = h;
	ctx_vocab_view(&f->view, f->head);
	return 0;
}

/* Builds a packed vocabulary.  Returns 1 on success.  Returns 0 if a hash table
 * was too small; then the caller must call the function again.  Returns -1 with
 * *err on error. */
static int
build_block(struct vocab_fill *f, struct ctx_err *err)
{
	f->full = false;
	memset(f->uses, 0, f->in->n * sizeof *f->uses);
	return make_empty_block(f, err) < 0 ? -1
					    : ctx_vocab_fill_tables(f, err);
}

static int
pack_tokens(struct vocab_fill *f, struct ctx_err *err)
{
	int rc;

	if (survey_tokens(f, err) < 0)
		return -1;
	f->uses = malloc(f->in->n * sizeof *f->uses);
	if (f->uses == NULL)
		return ctx_err_nomem(err);
	/* 4.1 of the eight entries in a line of the table PAIRS are used on
	 * average.  Most lookups in this table fail, and a failed lookup takes
	 * more time in a full line. */
	f->pair_lines = (uint32_t)(f->merges * 10 / 41) + 1;
	if (f->pair_lines < CTX_PAIR_LINES_MIN)
		f->pair_lines = CTX_PAIR_LINES_MIN;
	while ((rc = build_block(f, err)) == 0)
		free(f->head);
	return rc < 0 ? -1 : 0;
}

/* Copies the tokens to the array "list".  If two merges of a file make the same
 * token, the file's list contains the token twice; the unused copy is left out.
 * Returns the number of copied tokens. */
static size_t
copy_used(const struct vocab_fill *f, struct ctx_build_token *list, bool *held)
{
	const struct ctx_build_token *t = f->in->tokens;
	size_t n = 0, i;

	for (i = 0; i < f->in->n; i++)
		if (f->uses[i] != UNUSED && t[i].id != CTX_VOCAB_NONE)
			held[t[i].id] = true;
	for (i = 0; i < f->in->n; i++)
		if (f->uses[i] != UNUSED || t[i].n == 0 ||
		    t[i].id == CTX_VOCAB_NONE || !held[t[i].id])
			list[n++] = t[i];
	return n;
}

/* Builds the packed vocabulary again without the tokens that copy_used leaves
 * out.  Does nothing if copy_used leaves out none. */
static int
pack_used(struct vocab_fill *f, struct ctx_err *err)
{
	struct ctx_vocab_builder less = *f->in;
	struct ctx_build_token *list = malloc(less.n * sizeof *list);
	bool *held = calloc((size_t)f->ids + 1, sizeof *held);
	int rc = 0;

	if (list == NULL || held == NULL) {
		rc = ctx_err_nomem(err);
	} else {
		less.n = copy_used(f, list, held);
		less.tokens = list;
	}
	if (rc == 0 && less.n < f->in->n) {
		free(f->head);
		free(f->uses);
		*f = (struct vocab_fill){.in = &less};
		rc = pack_tokens(f, err);
	}
	free(list);
	free(held);
	return rc;
}

int
ctx_vocab_build(const struct ctx_vocab_builder *pack, void **block,
    size_t *size, struct ctx_err *err)
{
	struct vocab_fill f = {.in = pack};
	int rc = pack_tokens(&f, err);

	if (rc == 0)
		rc = pack_used(&f, err);
	free(f.uses);
	if (rc < 0) {
		free(f.head);
		return -1;
	}
	*size = (size_t)f.head->size;
	*block = f.head;
	return 0;
}
