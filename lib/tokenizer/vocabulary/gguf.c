/*
 * gguf.c - reads the vocabulary of a GGUF model file (byte-level BPE)
 *
 * The format is described in ggml's gguf.md (versions 2 and 3, little-endian):
 * a header, then pairs of a key and a value.  Some of these pairs describe the
 * vocabulary.  The part of the file after the pairs is not read.  The pairs are
 * converted to a tokenizer.json with the tokens, the merges, and the
 * pretokenizer whose name is the value of tokenizer.ggml.pre.
 */
#include <errno.h>
#include <jansson.h>

#include "tokenizer/vocabulary/file_formats.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

/* Types of values in a GGUF file, and the size of each type in bytes.  The size
 * of STRING and ARRAY is 0 here, because it is not fixed. */
enum { BOOL = 7, STRING = 8, ARRAY = 9, TYPES = 13 };
static const unsigned char sizes[TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8,
    8};

/* Types of tokens in a GGUF file (tokenizer.ggml.token_type). */
enum { CONTROL = 3, USER_DEFINED = 4 };

struct gguf {
	const char *p;
	size_t n, at;
	/* true if the bytes end inside the metadata, so that more bytes must be
	 * read */
	bool more;
	/* True if the file is not a GGUF file, or if its version or the type of
	 * a value is not known. */
	bool bad;
	struct ctx_str model, pre;
	/* The arrays of tokens, of merges and of token types: their offsets in
	 * the file (0 if there is no such array) and their numbers of
	 * elements. */
	size_t tokens, merges, types;
	uint64_t ntokens, nmerges, ntypes;
};

static uint64_t
read_gguf_uint(struct gguf *g, unsigned size)
{
	uint64_t value = 0;
	unsigned i;

	if (g->n - g->at < size) {
		g->more = true;
		return 0;
	}
	for (i = 0; i < size; i++)
		value |= (uint64_t)(unsigned char)g->p[g->at + i] << 8 * i;
	g->at += size;
	return value;
}

static struct ctx_str
read_gguf_string(struct gguf *g)
{
	uint64_t n = read_gguf_uint(g, 8);
	struct ctx_str s = {g->p + g->at, 0};

	if (g->more || n > g->n - g->at) {
		g->more = true;
		return s;
	}
	s.n = (size_t)n;
	g->at += s.n;
	return s;
}

/* Skips n values of the same type in the file.  Sets g->bad if the type is
 * ARRAY or not known. */
static void
skip_values(struct gguf *g, uint64_t type, uint64_t n)
{
	uint64_t i;

	if (type == STRING) {
		for (i = 0; i < n && !g->more; i++)
			(void)read_gguf_string(g);
	} else if (type >= TYPES || sizes[type] == 0) {
		g->bad = true;
	} else if (n > (g->n - g->at) / sizes[type]) {
		g->more = true;
	} else {
		g->at += (size_t)n * sizes[type];
	}
}

static bool
is_equal(struct ctx_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

/* Reads a key and its value.  If the key belongs to the vocabulary, stores the
 * value: a string, or the offset in the file and the number of elements of an
 * array. */
static void
read_pair(struct gguf *g)
{
	struct ctx_str key = read_gguf_string(g), value;
	uint64_t type = read_gguf_uint(g, 4), element, n;

	if (g->more)
		return;
	if (type == STRING) {
		value = read_gguf_string(g);
		if (is_equal(key, "tokenizer.ggml.model"))
			g->model = value;
		else if (is_equal(key, "tokenizer.ggml.pre"))
			g->pre = value;
		return;
	}
	if (type != ARRAY) {
		skip_values(g, type, 1);
		return;
	}
	element = read_gguf_uint(g, 4);
	n = read_gguf_uint(g, 8);
	if (is_equal(key, "tokenizer.ggml.tokens") && element == STRING) {
		g->tokens = g->at;
		g->ntokens = n;
	} else if (is_equal(key, "tokenizer.ggml.merges") &&
	    element == STRING) {
		g->merges = g->at;
		g->nmerges = n;
	} else if (is_equal(key, "tokenizer.ggml.token_type") && element == 5) {
		g->types = g->at;
		g->ntypes = n;
	}
	if (!g->more)
		skip_values(g, element, n);
}

/* Reads the header of a GGUF file, and all keys and values.  If this fails,
 * returns false and sets g->bad or g->more. */
static bool
read_header(struct gguf *g)
{
	uint64_t version, pairs;

	if (g->n < 4 || memcmp(g->p, CTX_GGUF_MAGIC, 4) != 0) {
		g->bad = true;
		return false;
	}
	g->at = 4;
	version = read_gguf_uint(g, 4);
	/* skip the number of tensors, which is not used */
	(void)read_gguf_uint(g, 8);
	pairs = read_gguf_uint(g, 8);
	g->bad = !g->more && version != 2 && version != 3;
	for (; pairs > 0 && !g->more && !g->bad; pairs--)
		read_pair(g);
	return !g->more && !g->bad;
}

size_t
ctx_gguf_size(const char *p, size_t n)
{
	struct gguf g = {.p = p, .n = n};

	/* For an invalid file, returns n, because more bytes do not help; then
	 * ctx_gguf_read reports the error. */
	return read_header(&g) ? g.at : g.bad ? n : 0;
}

/* Returns the type of a token in a GGUF file, such as CONTROL, or 0 if the file
 * does not give its type. */
static uint64_t
token_type_of(const struct gguf *g, uint64_t token)
{
	struct gguf at = *g;

	at.at = g->types + (size_t)token * 4;
	return g->types > 0 && token < g->ntypes ? read_gguf_uint(&at, 4) : 0;
}

/* Adds the tokens of a GGUF file to JSON values: control and user-defined
 * tokens to the array "added", all other tokens to the object "vocab". */
static int
add_tokens(const struct gguf *g, json_t *vocab, json_t *added,
    struct ctx_err *err)
{
	struct gguf at = *g;
	struct ctx_str token;
	uint64_t i, type;
	int rc = 0;

	at.at = g->tokens;
	for (i = 0; i < g->ntokens && rc == 0; i++) {
		token = read_gguf_string(&at);
		type = token_type_of(g, i);
		if (i >= CTX_VOCAB_MAX)
			return ctx_refuse_tokenizer(err, "too many tokens", "");
		errno = 0;
		if (type != CONTROL && type != USER_DEFINED)
			rc = json_object_setn_new(vocab, token.p, token.n,
			    json_integer((json_int_t)i));
		else if (token.n > 0)
			rc = json_array_append_new(added,
			    json_pack("{s:I, s:s%, s:b, s:b}", "id",
				(json_int_t)i, "content", token.p, token.n,
				"special", type == CONTROL, "normalized",
				false));
	}
	return rc == 0 ? 0
	    : errno == ENOMEM
	    ? ctx_err_nomem(err)
	    : ctx_refuse_tokenizer(err, "a token that is not UTF-8", "");
}

static int
add_merges(const struct gguf *g, json_t *merges, struct ctx_err *err)
{
	struct gguf at = *g;
	struct ctx_str merge;
	uint64_t i;

	at.at = g->merges;
	for (i = 0; i < g->nmerges; i++) {
		merge = read_gguf_string(&at);
		errno = 0;
		if (json_array_append_new(merges,
			json_stringn(merge.p, merge.n)) < 0)
			return errno == ENOMEM
			    ? ctx_err_nomem(err)
			    : ctx_refuse_tokenizer(err,
				  "a merge that is not UTF-8", "");
	}
	return 0;
}

/* Returns the JSON of a "pre_tokenizer", which says how text is split: by the
 * patterns of the model, then by ByteLevel.  Returns NULL if there is not
 * enough memory. */
static json_t *
make_splitter(const struct ctx_file_pretokenizer_model *model)
{
	json_t *list = json_array();
	size_t i;
	int rc = list == NULL ? -1 : 0;

	for (i = 0; rc == 0 && i < 3 && model->patterns[i] != NULL; i++)
		rc = json_array_append_new(list,
		    json_pack("{s:s, s:s, s:{s:s}}", "type", "Split",
			"behavior", "Isolated", "pattern", "Regex",
			model->patterns[i]));
	if (rc == 0)
		rc = json_array_append_new(list,
		    json_pack("{s:s, s:b}", "type", "ByteLevel", "use_regex",
			model->byte_level));
	if (rc < 0) {
		json_decref(list);
		return NULL;
	}
	return json_pack("{s:s, s:o}", "type", "Sequence", "pretokenizers",
	    list);
}

/* Makes the JSON of a tokenizer.json from its parts.  Returns NULL if there is
 * not enough memory.  The caller must free the parts in any case. */
static json_t *
make_root(const struct ctx_file_pretokenizer_model *model, json_t *vocab,
    json_t *merges, json_t *added)
{
	return json_pack("{s:o, s:O, s:o, s:{s:s, s:b, s:O, s:O}}",
	    "normalizer",
	    model->nfc ? json_pack("{s:s}", "type", "NFC") : json_null(),
	    "added_tokens", added, "pre_tokenizer", make_splitter(model),
	    "model", "type", "BPE", "ignore_merges", model->whole, "vocab",
	    vocab, "merges", merges);
}

static int
convert_vocabulary(const struct gguf *g,
    const struct ctx_file_pretokenizer_model *model,
    struct ctx_vocab_builder *pack, struct ctx_err *err)
{
	json_t *vocab = json_object(), *merges = json_array();
	json_t *added = json_array(), *root = NULL;
	int rc = -1;

	if (vocab == NULL || merges == NULL || added == NULL)
		(void)ctx_err_nomem(err);
	else if (add_tokens(g, vocab, added, err) == 0 &&
	    add_merges(g, merges, err) == 0) {
		root = make_root(model, vocab, merges, added);
		rc = root == NULL ? ctx_err_nomem(err)
				  : ctx_huggingface_read_root(pack, root, err);
	}
	json_decref(vocab);
	json_decref(merges);
	json_decref(added);
	json_decref(root);
	return rc;
}

int
ctx_gguf_read(struct ctx_vocab_builder *pack, const char *p, size_t n,
    struct ctx_err *err)
{
	struct gguf g = {.p = p, .n = n};
	const struct ctx_file_pretokenizer_model *model;

	if (!read_header(&g))
		return ctx_err_set(err, CTX_EFILE,
		    g.bad ? "the GGUF file has an unknown version or unknown "
			    "types"
			  : "the GGUF file is incomplete");
	if (!is_equal(g.model, "gpt2") || g.tokens == 0 || g.merges == 0)
		return ctx_err_set(err, CTX_EFILE,
		    CTX_REFUSED(
			"the type \"%.*s\", not byte-level BPE (\"gpt2\")"),
		    (int)(g.model.n < 40 ? g.model.n : 40),
		    g.model.n > 0 ? g.model.p : "");
	model = ctx_file_pretokenizer_named(g.pre);
	if (model == NULL)
		return ctx_err_set(err, CTX_EFILE,
		    CTX_REFUSED("the pre-tokenizer \"%.*s\", which is unknown"),
		    (int)(g.pre.n < 40 ? g.pre.n : 40),
		    g.pre.n > 0 ? g.pre.p : "");
	return convert_vocabulary(&g, model, pack, err);
}
