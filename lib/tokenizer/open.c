/* open.c - opens a built-in encoding by its name, or the encoding in a
 * vocabulary file */
#include <stdlib.h>
#include <string.h>

#include "tokenizer/open.h"
#include "tokenizer/vocabulary/tables.h"
#include "tokenizer/vocabulary/vocabulary.h"

/* Number of tokens of r50k_base.  p50k_base has the same tokens and 24 more,
 * which are runs of blanks. */
#define R50K_TOKENS 50256

static const struct builtin {
	const char *name;
	enum ctx_table table;
	/* number of tokens of the vocabulary table that are used; 0: all
	 * tokens */
	uint32_t tokens;
	const struct ctx_specials *specials;
	const struct ctx_claude *claude;
	/* Only for the encodings of Mistral, which have the same vocabulary:
	 * number of special tokens that are used, and number that is added to
	 * the ids of the others. */
	uint32_t n_specials, id_shift;
} builtins[] = {
    {"o200k_base", CTX_TABLE_O200K, 0, &ctx_specials_o200k, NULL, 0, 0},
    {"o200k_harmony", CTX_TABLE_O200K, 0, &ctx_specials_harmony, NULL, 0, 0},
    {"cl100k_base", CTX_TABLE_CL100K, 0, &ctx_specials_cl100k, NULL, 0, 0},
    {"p50k_base", CTX_TABLE_P50K, 0, &ctx_specials_r50k, NULL, 0, 0},
    {"p50k_edit", CTX_TABLE_P50K, 0, &ctx_specials_p50k_edit, NULL, 0, 0},
    {"r50k_base", CTX_TABLE_P50K, R50K_TOKENS, &ctx_specials_r50k, NULL, 0, 0},
    {"gpt2", CTX_TABLE_P50K, R50K_TOKENS, &ctx_specials_r50k, NULL, 0, 0},
    {"claude-3", CTX_TABLE_CLAUDE_3, 0, NULL, &ctx_claude_3, 0, 0},
    {"claude-4.7", CTX_TABLE_CLAUDE_4_7, 0, NULL, &ctx_claude_4_7, 0, 0},
    {"claude-4.8", CTX_TABLE_CLAUDE_4_7, 0, NULL, &ctx_claude_4_8, 0, 0},
    {"mistral-v1", CTX_TABLE_MISTRAL, 0, NULL, NULL, 3, 0},
    {"mistral-v3", CTX_TABLE_MISTRAL, 0, NULL, NULL, 34, 768},
    {"mistral-v7", CTX_TABLE_MISTRAL, 0, NULL, NULL, 41, 768},
    {"bytes/4", CTX_TABLE_NONE, 0, NULL, NULL, 0, 0},
};

#define BUILTINS (sizeof builtins / sizeof builtins[0])

const char *
ctx_tokenizer_builtin(size_t i)
{
	return i < BUILTINS ? builtins[i].name : NULL;
}

static const struct builtin *
find_builtin(const char *name)
{
	size_t i;

	for (i = 0; i < BUILTINS; i++)
		if (strcmp(builtins[i].name, name) == 0)
			return builtins + i;
	return NULL;
}

static int
open_builtin(struct ctx_tokenizer *t, const struct builtin *b,
    struct ctx_err *err)
{
	const struct ctx_tables_head *tables;

	t->specials = b->specials;
	t->claude = b->claude;
	if (b->table == CTX_TABLE_NONE)
		return 0;
	tables = ctx_tables_open(err);
	if (tables == NULL)
		return -1;
	if (b->claude != NULL) {
		t->automaton = ctx_tables_find(tables, b->table);
		return 0;
	}
	ctx_vocab_view(&t->vocab, ctx_tables_find(tables, b->table));
	if (b->tokens > 0)
		ctx_vocab_limit(&t->vocab, b->tokens);
	t->vocab.n_specials = b->n_specials;
	t->vocab.id_shift = b->id_shift;
	return ctx_added_token_index(t, err);
}

int
ctx_tokenizer_open(struct ctx_tokenizer **tokenizer, const char *name,
    const char *cache, struct ctx_err *err)
{
	struct ctx_tokenizer *t = calloc(1, sizeof *t);
	const struct builtin *b;

	*tokenizer = NULL;
	if (t == NULL || (t->name = strdup(name)) == NULL) {
		free(t);
		return ctx_err_nomem(err);
	}
	b = find_builtin(name);
	if ((b != NULL ? open_builtin(t, b, err)
		       : ctx_tokenizer_load(t, name, cache, err)) < 0) {
		ctx_tokenizer_close(t);
		return -1;
	}
	*tokenizer = t;
	return 0;
}

void
ctx_tokenizer_close(struct ctx_tokenizer *t)
{
	if (t == NULL)
		return;
	ctx_tokenizer_unload(t);
	free(t->name);
	free(t);
}

const char *
ctx_tokenizer_name(const struct ctx_tokenizer *t)
{
	return t->name;
}

const char *
ctx_basis_name(enum ctx_basis basis)
{
	static const char *const names[] = {"exact", "reconstructed",
	    "estimated"};

	return names[basis];
}

enum ctx_basis
ctx_encoding_basis(const char *name)
{
	const struct builtin *b = find_builtin(name);

	if (b == NULL)
		return CTX_BASIS_EXACT;
	if (b->claude != NULL)
		return CTX_BASIS_RECONSTRUCTED;
	return b->table != CTX_TABLE_NONE ? CTX_BASIS_EXACT
					  : CTX_BASIS_ESTIMATED;
}

enum ctx_basis
ctx_tokenizer_basis(const struct ctx_tokenizer *t)
{
	return ctx_encoding_basis(t->name);
}

unsigned
ctx_tokenizer_frame(const struct ctx_tokenizer *t, unsigned *message)
{
	*message = t->claude == NULL ? 0 : t->claude->frame_message;
	return t->claude == NULL ? 0 : t->claude->frame;
}

/* Returns the number of the token with this id in ctx's vocabulary table, or
 * CTX_VOCAB_NONE if no token has this id. */
static uint32_t
find_token(const struct ctx_vocab *v, uint32_t id)
{
	uint32_t from, token;

	if (v->head == NULL || id < v->id_shift ||
	    id - v->id_shift >= v->ids_end)
		return CTX_VOCAB_NONE;
	id -= v->id_shift;
	from = v->head->ids_from;
	if (v->tokens != NULL)
		token = v->tokens[id];
	else if (id < from && ctx_vocab_length(v, id) > 0)
		token = id;
	else
		for (token = from; token < v->head->n; token++)
			if (v->ids[token - from] == id)
				break;
	return token < v->end && ctx_vocab_length(v, token) > 0
	    ? token
	    : CTX_VOCAB_NONE;
}

/* Removes the blank at the beginning of a decoded text, which begins at the
 * offset "begin" of "out".  Only for encodings that put a blank before each
 * text. */
static void
drop_prefix(const struct ctx_vocab *v, struct ctx_buf *out, size_t begin)
{
	if (v->head == NULL || (v->head->flags & CTX_VOCAB_PREFIX) == 0 ||
	    out->n == begin || out->p[begin] != ' ')
		return;
	out->n--;
	memmove(out->p + begin, out->p + begin + 1, out->n - begin);
}

int
ctx_tokenizer_decode(const struct ctx_tokenizer *t, const uint32_t *ids,
    size_t n, struct ctx_buf *out, struct ctx_err *err)
{
	const struct ctx_vocab *v = &t->vocab;
	size_t begin = out->n, i;
	uint32_t token;
	int rc;

	for (i = 0; i < n; i++) {
		token = find_token(v, ids[i]);
		if (token == CTX_VOCAB_NONE) {
			rc = ctx_added_token_name(t, ids[i], out, err);
			if (rc == 0)
				return ctx_err_set(err, CTX_EARG,
				    "no token has the id %u", (unsigned)ids[i]);
		} else {
			rc = ctx_buf_add(out, ctx_vocab_text(v, token),
			    ctx_vocab_length(v, token), err);
		}
		if (rc < 0)
			return -1;
	}
	drop_prefix(v, out, begin);
	return 0;
}
