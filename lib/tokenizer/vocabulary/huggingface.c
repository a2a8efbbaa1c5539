/*
 * huggingface.c - reads the vocabulary in a tokenizer.json of Hugging Face
 *
 * A file is accepted only if ctx certainly finds the same tokens as the
 * tokenizers library.  So the model must be BPE without dropout or affixes, and
 * file_pretokenizer.c must accept the pre_tokenizer.  This file reads
 * byte-level BPE; byte_fallback.c reads models that merge characters.  If a
 * file is refused, the error text names the part of the file that is the
 * reason.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "json/json.h"
#include "tokenizer/encode/blanks.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/file_formats.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

struct reader {
	struct ctx_vocab_builder *pack;
	json_t *model, *vocab;
	/* Only for a model that merges characters: true if some added tokens
	 * are searched for in the text after its blanks were replaced. */
	bool chars_normal;
	/* merged[id]: true if the token with this id was already added, as a
	 * single byte or as the result of a merge. */
	bool *merged;
};

/* Returns true if an object has this key, and its value is not null, false,
 * zero or an empty string. */
static bool
is_set(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	return json_is_true(value) || json_number_value(value) != 0 ||
	    json_string_length(value) > 0;
}

/* Refuses models that are not plain BPE.  Sets r->vocab to the tokens of the
 * model. */
static int
check_model(struct reader *r, struct ctx_err *err)
{
	static const char *const off[] = {"dropout",
	    "continuing_subword_prefix", "end_of_word_suffix"};
	const char *type = ctx_json_string_of(r->model, "type");
	size_t i;

	if (*type != '\0' && strcmp(type, "BPE") != 0)
		return ctx_refuse_tokenizer(err, "a model of type ", type);
	for (i = 0; i < sizeof off / sizeof off[0]; i++)
		if (is_set(r->model, off[i]))
			return ctx_refuse_tokenizer(err, "a model with ",
			    off[i]);
	r->vocab = json_object_get(r->model, "vocab");
	if (!json_is_object(r->vocab) ||
	    !json_is_array(json_object_get(r->model, "merges")))
		return ctx_refuse_tokenizer(err,
		    "a model without vocab or merges", "");
	return 0;
}

/* Returns the byte that a character stands for in the name of a byte-level
 * token, or -1 if the character does not stand for any byte.  Printable
 * characters of Latin-1 stand for their own byte.  U+0100, U+0101 and so on
 * stand for all other bytes, in order. */
static int
find_alphabet_byte(uint32_t cp)
{
	uint32_t byte, next = 0x100;

	if ((cp > 0x20 && cp < 0x7f) || (cp > 0xa0 && cp < 0x100 && cp != 0xad))
		return (int)cp;
	for (byte = 0; byte < 0x100; byte++) {
		if ((byte > 0x20 && byte < 0x7f) ||
		    (byte > 0xa0 && byte != 0xad))
			continue;
		if (next++ == cp)
			return (int)byte;
	}
	return -1;
}

/* Decodes the name of a byte-level token to the bytes of the token.  Returns 1;
 * 0 if the name is empty or contains a character that does not stand for a
 * byte; or -1 with *err. */
static int
decode_token_bytes(struct reader *r, const char *name, size_t n,
    struct ctx_build_token *t, struct ctx_err *err)
{
	char *bytes = ctx_arena_alloc(&r->pack->arena, n + 1, err);
	uint32_t cp;
	size_t at = 0;
	int byte;

	if (bytes == NULL)
		return -1;
	t->p = bytes;
	t->n = 0;
	while (at < n) {
		at += ctx_char_next(name + at, n - at, &cp);
		byte = find_alphabet_byte(cp);
		if (byte < 0)
			return 0;
		bytes[t->n++] = (char)byte;
	}
	return t->n > 0;
}

static bool
is_never_in_utf8(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte == 0xc0 || byte == 0xc1 || byte >= 0xf5;
}

/* Adds the token with this name; its id is taken from vocab. cut: see struct
 * ctx_build_token.  If the name is not byte-level, such as <|end|>, adds
 * nothing.  If a merge makes a token with such a name, the file is refused. */
static int
add_token(struct reader *r, const char *name, size_t n, uint32_t cut,
    struct ctx_err *err)
{
	json_t *id = json_object_getn(r->vocab, name, n);
	json_int_t value = json_integer_value(id);
	struct ctx_build_token token = {.cut = cut};
	int rc = decode_token_bytes(r, name, n, &token, err);
	bool absent;

	if (rc <= 0)
		return rc < 0 ? -1
		    : cut == CTX_BUILD_NEVER
		    ? 0
		    : ctx_refuse_tokenizer(err,
			  "a token that is not byte-level: ", name);
	/* These bytes never occur in valid UTF-8, so some vocabularies have no
	 * token for them. */
	absent = id == NULL && token.n == 1 && is_never_in_utf8(*token.p);
	if (!absent &&
	    (!json_is_integer(id) || value < 0 || value >= CTX_VOCAB_MAX))
		return ctx_refuse_tokenizer(err, "no id for the token ", name);
	token.id = absent ? CTX_VOCAB_NONE : (uint32_t)value;
	if (!absent)
		r->merged[value] = true;
	return ctx_vocab_builder_add(r->pack, token, err);
}

/* Adds the tokens of the 256 single bytes. */
static int
add_bytes(struct reader *r, struct ctx_err *err)
{
	char name[4];
	uint32_t cp;
	size_t n;

	for (cp = 0x21; cp < 0x144; cp++) {
		if (find_alphabet_byte(cp) < 0)
			continue;
		n = 1;
		name[0] = (char)cp;
		if (cp >= 0x80) {
			name[0] = (char)(0xc0 | cp >> 6);
			name[1] = (char)(0x80 | (cp & 0x3f));
			n = 2;
		}
		name[n] = '\0';
		if (add_token(r, name, n, CTX_BUILD_ANY, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the token that a merge of the tokenizer.json makes. */
static int
add_merge(struct reader *r, json_t *merge, struct ctx_buf *name,
    struct ctx_err *err)
{
	struct ctx_build_token part;
	struct ctx_str left;

	if (ctx_merge_read(merge, name, &left, err) < 0 ||
	    decode_token_bytes(r, left.p, left.n, &part, err) < 0)
		return -1;
	return add_token(r, name->p, name->n - 1, part.n, err);
}

/* Adds all tokens in the order of their merges: single bytes, then the results
 * of merges, then all other tokens. */
static int
add_tokens(struct reader *r, struct ctx_err *err)
{
	json_t *merges = json_object_get(r->model, "merges"), *id;
	struct ctx_buf name = {0};
	const char *key;
	size_t i, n;
	int rc = add_bytes(r, err);

	n = json_array_size(merges);
	for (i = 0; rc == 0 && i < n; i++)
		rc = add_merge(r, json_array_get(merges, i), &name, err);
	ctx_buf_release(&name);
	json_object_foreach(r->vocab, key, id) {
		if (rc < 0)
			break;
		if (json_integer_value(id) >= 0 &&
		    json_integer_value(id) < CTX_VOCAB_MAX &&
		    !r->merged[json_integer_value(id)])
			rc = add_token(r, key, strlen(key), CTX_BUILD_NEVER,
			    err);
	}
	return rc;
}

/* Adds an added token that is searched for in normalized text, with its name in
 * normal form. */
static int
add_normalized(struct reader *r, struct ctx_build_added_token s,
    struct ctx_err *err)
{
	struct ctx_str name = {s.p, s.n};
	struct ctx_buf out = {0};
	struct ctx_nfc nfc = {.find = r->chars_normal ? ctx_blanks_find : NULL,
	    .prefix = r->pack->prefix != 0};
	bool changed;
	int rc = ctx_nfc_text(&nfc, &name, &out, &changed, err);

	s.p = name.p;
	s.n = (uint32_t)name.n;
	if (rc == 0)
		rc = ctx_vocab_builder_add_special(r->pack, s, err);
	ctx_nfc_release(&nfc);
	ctx_buf_release(&out);
	return rc;
}

static int
add_special(struct reader *r, const json_t *token, struct ctx_err *err)
{
	const json_t *id = json_object_get(token, "id");
	const json_t *content = json_object_get(token, "content");
	const json_t *normal = json_object_get(token, "normalized");
	struct ctx_build_added_token s = {
	    .added = !ctx_json_true_of(token, "special")};

	if (!json_is_integer(id) || json_string_length(content) == 0 ||
	    json_integer_value(id) < 0 ||
	    json_integer_value(id) >= CTX_VOCAB_MAX)
		return ctx_refuse_tokenizer(err,
		    "an added token without id or content", "");
	if (s.added &&
	    (ctx_json_true_of(token, "lstrip") ||
		ctx_json_true_of(token, "rstrip") ||
		ctx_json_true_of(token, "single_word")))
		return ctx_refuse_tokenizer(err, "the added token ",
		    json_string_value(content));
	s.p = json_string_value(content);
	s.n = (uint32_t)json_string_length(content);
	s.id = (uint32_t)json_integer_value(id);
	/* If texts are not normalized, no names are searched for in normalized
	 * text.  If an added token has no member "normalized", the tokenizers
	 * library uses the opposite of the token's member "special". */
	s.normal = (r->pack->nfc || r->chars_normal) &&
	    (normal == NULL ? s.added : json_is_true(normal));
	return s.normal ? add_normalized(r, s, err)
			: ctx_vocab_builder_add_special(r->pack, s, err);
}

static int
add_specials(struct reader *r, const json_t *added, struct ctx_err *err)
{
	size_t i;

	for (i = 0; i < json_array_size(added); i++)
		if (add_special(r, json_array_get(added, i), err) < 0)
			return -1;
	return 0;
}

/* Accepts a tokenizer.json without a normalizer, or with the normalizer NFC
 * (even several times).  Refuses any other normalizer. */
static int
check_normalizer(struct ctx_vocab_builder *pack, json_t *normalizer,
    struct ctx_err *err)
{
	json_t *list = json_object_get(normalizer, "normalizers"), *one;
	bool sequence =
	    strcmp(ctx_json_string_of(normalizer, "type"), "Sequence") == 0;
	size_t n = sequence ? json_array_size(list) : 1, i;

	for (i = 0; i < n; i++) {
		one = sequence ? json_array_get(list, i) : normalizer;
		if (!sequence && (one == NULL || json_is_null(one)))
			continue;
		if (strcmp(ctx_json_string_of(one, "type"), "NFC") != 0)
			return ctx_refuse_tokenizer(err,
			    "a normalizer of type ",
			    ctx_json_string_of(one, "type"));
		pack->nfc = true;
	}
	return 0;
}

/* Reads a model with byte-level BPE. */
static int
read_bytes(struct reader *r, const json_t *root, struct ctx_err *err)
{
	int rc;

	if (check_normalizer(r->pack, json_object_get(root, "normalizer"),
		err) < 0 ||
	    ctx_file_pretokenizer_json(r->pack,
		json_object_get(root, "pre_tokenizer"), err) < 0)
		return -1;
	r->merged = calloc(CTX_VOCAB_MAX, sizeof *r->merged);
	if (r->merged == NULL)
		return ctx_err_nomem(err);
	rc = add_tokens(r, err);
	free(r->merged);
	r->pack->whole = ctx_json_true_of(r->model, "ignore_merges");
	return rc;
}

int
ctx_huggingface_read_root(struct ctx_vocab_builder *pack, const json_t *root,
    struct ctx_err *err)
{
	struct reader r = {.pack = pack,
	    .model = json_object_get(root, "model")};

	if (check_model(&r, err) < 0)
		return -1;
	if ((ctx_byte_fallback_is(r.model)
		    ? ctx_byte_fallback_read(pack, root, &r.chars_normal, err)
		    : read_bytes(&r, root, err)) < 0)
		return -1;
	return add_specials(&r, json_object_get(root, "added_tokens"), err);
}

int
ctx_huggingface_parse(json_t **root, const char *p, size_t n, size_t flags,
    struct ctx_err *err)
{
	json_error_t where;

	*root = NULL;
	if (!ctx_json_shallow(p, n))
		return ctx_err_set(err, CTX_EFILE,
		    "arrays and objects are nested more than %d deep",
		    CTX_JSON_SHALLOW);
	/* When jansson has too little memory, it reports a syntax error, or
	 * silently drops a character of a string.  Only errno shows the true
	 * cause. */
	errno = 0;
	*root = json_loadb(p, n, flags, &where);
	if (errno == ENOMEM) {
		json_decref(*root);
		*root = NULL;
		return ctx_err_nomem(err);
	}
	if (*root != NULL)
		return 0;
	ctx_err_set(err, CTX_EFILE, "%s", where.text);
	err->line = where.line > 0 ? (uint64_t)where.line : 0;
	return -1;
}

int
ctx_huggingface_read(struct ctx_vocab_builder *pack, const char *p, size_t n,
    struct ctx_err *err)
{
	json_t *root;
	int rc = ctx_huggingface_parse(&root, p, n, 0, err);

	if (rc == 0)
		rc = ctx_huggingface_read_root(pack, root, err);
	json_decref(root);
	return rc;
}
