/*
 * byte_fallback.c - reads a tokenizer.json with byte fallback
 *
 * In a tokenizer.json, SentencePiece vocabularies (Llama 2, Mistral 7B, Gemma)
 * have byte fallback.  Tokens are merged from characters.  A character without
 * a token becomes the tokens of its bytes, <0x00> to <0xFF>.  Blanks are
 * replaced by U+2581, either by a normalizer (Replace, Prepend) or by a
 * pre_tokenizer (Metaspace).
 */
#include <stdio.h>
#include <stdlib.h>

#include "tokenizer/encode/blanks.h"
#include "tokenizer/vocabulary/file_formats.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

/* Changes that a tokenizer.json makes in a text before the text is merged. */
struct text_rules {
	bool replaced;  /* true if a normalizer replaces blanks */
	bool metaspace; /* true if a pre_tokenizer replaces blanks */
	/* true if the pre_tokenizer splits the text before each blank */
	bool words;
	unsigned prefix;
};

static bool
is_text(const json_t *object, const char *key, const char *text)
{
	return strcmp(ctx_json_string_of(object, key), text) == 0;
}

bool
ctx_byte_fallback_is(const json_t *model)
{
	return ctx_json_true_of(model, "byte_fallback");
}

static int
read_normalizer(struct text_rules *rules, const json_t *one,
    struct ctx_err *err)
{
	const json_t *pattern = json_object_get(one, "pattern");

	if (is_text(one, "type", "Prepend") &&
	    is_text(one, "prepend", CTX_BLANK_SIGN) && rules->prefix == 0)
		rules->prefix = CTX_VOCAB_PREFIX;
	else if (is_text(one, "type", "Replace") &&
	    is_text(pattern, "String", " ") &&
	    is_text(one, "content", CTX_BLANK_SIGN))
		rules->replaced = true;
	else
		return ctx_refuse_tokenizer(err,
		    "byte_fallback and a normalizer of type ",
		    ctx_json_string_of(one, "type"));
	return 0;
}

static int
read_metaspace(struct text_rules *rules, const json_t *one, struct ctx_err *err)
{
	const json_t *split = json_object_get(one, "split");
	const json_t *add = json_object_get(one, "add_prefix_space");
	const char *scheme = ctx_json_string_of(one, "prepend_scheme");

	if (!is_text(one, "replacement", CTX_BLANK_SIGN) || rules->metaspace ||
	    rules->prefix != 0)
		return ctx_refuse_tokenizer(err,
		    "byte_fallback and an unusual pre_tokenizer of type ",
		    "Metaspace");
	rules->metaspace = true;
	rules->words = !json_is_false(split);
	if (*scheme == '\0')
		scheme = json_is_false(add) ? "never" : "always";
	if (strcmp(scheme, "never") == 0)
		return 0;
	/* The tokenizers library searches for names of added tokens after the
	 * normalizer was applied, and before the pre_tokenizer adds a prefix.
	 * ctx would add the prefix before it searches for names, so it refuses
	 * the file. */
	if (rules->replaced)
		return ctx_refuse_tokenizer(err,
		    "a normalizer of type Replace and a pre_tokenizer with a "
		    "prefix, of type ",
		    "Metaspace");
	rules->prefix = CTX_VOCAB_PREFIX | CTX_VOCAB_PREFIX_WORD;
	if (strcmp(scheme, "first") == 0)
		rules->prefix |= CTX_VOCAB_PREFIX_ONCE;
	else if (strcmp(scheme, "always") != 0)
		return ctx_refuse_tokenizer(err, "the prepend_scheme ", scheme);
	return 0;
}

/* Returns true for a rule that splits at blanks after a normalizer has already
 * replaced all blanks.  Such a rule has no effect, so the rule is accepted. */
static bool
is_idle_split(const struct text_rules *rules, const json_t *one)
{
	const char *text =
	    ctx_json_string_of(json_object_get(one, "pattern"), "String");

	return rules->replaced && is_text(one, "type", "Split") &&
	    strchr(text, ' ') != NULL;
}

static int
read_pre_tokenizer(struct text_rules *rules, const json_t *one,
    struct ctx_err *err)
{
	if (is_text(one, "type", "Metaspace"))
		return read_metaspace(rules, one, err);
	if (is_idle_split(rules, one))
		return 0;
	return ctx_refuse_tokenizer(err,
	    "byte_fallback and a pre_tokenizer of type ",
	    ctx_json_string_of(one, "type"));
}

/* Calls the function "read" for a rule (a normalizer or pre_tokenizer) or, if
 * the rule is a Sequence, for each rule in it. list: the key under which a
 * Sequence has the array of its rules. */
static int
read_each(struct text_rules *rules, const json_t *rule, const char *list,
    int (*read)(struct text_rules *, const json_t *, struct ctx_err *),
    struct ctx_err *err)
{
	const json_t *members = json_object_get(rule, list);
	size_t i;

	if (rule == NULL || json_is_null(rule))
		return 0;
	if (!is_text(rule, "type", "Sequence"))
		return read(rules, rule, err);
	for (i = 0; i < json_array_size(members); i++)
		if (read(rules, json_array_get(members, i), err) < 0)
			return -1;
	return 0;
}

static int
read_rules(struct text_rules *rules, const json_t *root, struct ctx_err *err)
{
	if (read_each(rules, json_object_get(root, "normalizer"), "normalizers",
		read_normalizer, err) < 0 ||
	    read_each(rules, json_object_get(root, "pre_tokenizer"),
		"pretokenizers", read_pre_tokenizer, err) < 0)
		return -1;
	if (!rules->replaced && !rules->metaspace)
		return ctx_refuse_tokenizer(err,
		    "byte_fallback without U+2581 for blanks", "");
	return 0;
}

/* A vocabulary that is being read. */
struct fallback {
	struct ctx_vocab_builder *pack;
	json_t *vocab, *merges;
	/* true if texts are divided before each blank */
	bool words;
	/* for each token id: true if its token was already added to the list of
	 * tokens */
	bool *listed;
};

/* Sets *id to the value of a token in vocab, its id. */
static int
take_id(struct fallback *f, const json_t *value, const char *name, uint32_t *id,
    struct ctx_err *err)
{
	json_int_t n = json_integer_value(value);

	if (!json_is_integer(value) || n < 0 || n >= CTX_VOCAB_MAX)
		return ctx_refuse_tokenizer(err, "no id for the token ", name);
	f->listed[n] = true;
	*id = (uint32_t)n;
	return 0;
}

/* Adds the token with this name, which a NUL byte ends; its id is taken from
 * vocab.  If several merges make the token, this function is called for each
 * merge, and adds the token each time. */
static int
add_named(struct fallback *f, struct ctx_str name, uint32_t cut,
    struct ctx_err *err)
{
	uint32_t id;

	if (take_id(f, json_object_getn(f->vocab, name.p, name.n), name.p, &id,
		err) < 0)
		return -1;
	/* If texts are divided before each blank, a token with a blank after
	 * its first character is never used. */
	if (f->words && name.n > 0 &&
	    strstr(name.p + 1, CTX_BLANK_SIGN) != NULL)
		cut = CTX_BUILD_NEVER;
	return ctx_char_tokens_add(f->pack, name, id, cut, err);
}

/* Adds tokens of vocab: if chars is true, all tokens that are one character;
 * otherwise all tokens that were not added yet. */
static int
add_rest(struct fallback *f, bool chars, struct ctx_err *err)
{
	const char *key;
	json_t *id;
	struct ctx_str name;
	json_int_t value;

	json_object_foreach(f->vocab, key, id) {
		name = (struct ctx_str){key, strlen(key)};
		value = json_integer_value(id);
		if (chars ? !ctx_is_char_name(name) || *key == ' '
			  : value >= 0 && value < CTX_VOCAB_MAX &&
			    f->listed[value])
			continue;
		if (add_named(f, name, chars ? CTX_BUILD_CHAR : CTX_BUILD_NEVER,
			err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the token <0xNN> of each byte for which the vocabulary has
 * one.  It may lack that of an ASCII character that is a token itself. */
static int
add_byte_tokens(struct fallback *f, struct ctx_err *err)
{
	char name[8];
	unsigned byte;
	uint32_t number = 0;
	json_t *id;

	for (byte = 0; byte < 256; byte++) {
		(void)snprintf(name, sizeof name, "<0x%02X>", byte);
		id = json_object_get(f->vocab, name);
		if (id != NULL &&
		    (take_id(f, id, name, &number, err) < 0 ||
			ctx_char_tokens_add_byte(f->pack, byte, number, err) <
			    0))
			return -1;
	}
	return 0;
}

int
ctx_merge_read(const json_t *merge, struct ctx_buf *name, struct ctx_str *left,
    struct ctx_err *err)
{
	const char *a = json_string_value(merge), *b;

	if (a != NULL) {
		b = strchr(a, ' ');
		left->n = b == NULL ? 0 : (size_t)(b - a);
		b = b == NULL ? NULL : b + 1;
	} else {
		a = json_string_value(json_array_get(merge, 0));
		b = json_string_value(json_array_get(merge, 1));
		left->n = a == NULL ? 0 : strlen(a);
	}
	left->p = a;
	name->n = 0;
	if (left->n == 0 || b == NULL || *b == '\0')
		return ctx_refuse_tokenizer(err,
		    "a merge that is not of two tokens", "");
	return ctx_buf_add_str(name, *left, err) < 0
	    ? -1
	    : ctx_buf_add(name, b, strlen(b) + 1, err);
}

static int
add_fallback_merge(struct fallback *f, const json_t *merge,
    struct ctx_buf *name, struct ctx_err *err)
{
	struct ctx_str left;

	if (ctx_merge_read(merge, name, &left, err) < 0)
		return -1;
	if (ctx_byte_of_name((struct ctx_str){name->p, name->n - 1}) >= 0)
		return ctx_refuse_tokenizer(err,
		    "a merge that makes the token of a byte, ", name->p);
	return add_named(f, (struct ctx_str){name->p, name->n - 1},
	    (uint32_t)ctx_char_name_size(left), err);
}

static int
add_fallback_tokens(struct fallback *f, struct ctx_err *err)
{
	struct ctx_buf name = {0};
	size_t n = json_array_size(f->merges), i;
	int rc = add_rest(f, true, err);

	if (rc == 0)
		rc = add_byte_tokens(f, err);
	for (i = 0; rc == 0 && i < n; i++)
		rc = add_fallback_merge(f, json_array_get(f->merges, i), &name,
		    err);
	if (rc == 0)
		rc = add_rest(f, false, err);
	ctx_buf_release(&name);
	return rc;
}

int
ctx_byte_fallback_read(struct ctx_vocab_builder *pack, const json_t *root,
    bool *normal, struct ctx_err *err)
{
	const json_t *model = json_object_get(root, "model");
	struct fallback f = {.pack = pack,
	    .vocab = json_object_get(model, "vocab"),
	    .merges = json_object_get(model, "merges")};
	struct text_rules rules = {0};
	int rc;

	if (ctx_json_true_of(model, "ignore_merges"))
		return ctx_refuse_tokenizer(err, "byte_fallback and ",
		    "ignore_merges");
	if (read_rules(&rules, root, err) < 0)
		return -1;
	pack->pretokenizer.family = CTX_PRETOKENIZER_CHARS;
	pack->prefix = rules.prefix;
	f.words = rules.words;
	*normal = rules.replaced;
	f.listed = calloc(CTX_VOCAB_MAX, sizeof *f.listed);
	if (f.listed == NULL)
		return ctx_err_nomem(err);
	rc = add_fallback_tokens(&f, err);
	free(f.listed);
	return rc;
}
