/*
 * tekken.c - reads Mistral's tekken.json
 *
 * The file contains a pattern, a list of tokens with their ranks (like a
 * tiktoken rank file), and the names of special tokens.  The lowest ids belong
 * to special tokens.  The id of any other token is its rank plus the number of
 * special tokens.
 */
#define _GNU_SOURCE /* for memmem */
#include <jansson.h>

#include "tokenizer/vocabulary/file_formats.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"
#include "tokenizer/vocabulary/vocabulary.h"

#define BASE64                       \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"abcdefghijklmnopqrstuvwxyz" \
	"0123456789+/="

/* A tekken.json is recognised by this key of its configuration, which is near
 * the beginning of the file. */
#define CONFIG "\"default_num_special_tokens\""
/* number of bytes at the beginning of the file in which CONFIG is searched
 * for */
#define CONFIG_BYTES 65536

bool
ctx_tekken_is(const char *p, size_t n)
{
	return memmem(p, n < CONFIG_BYTES ? n : CONFIG_BYTES, CONFIG,
		   sizeof CONFIG - 1) != NULL;
}

/* Writes the tokens and their ids in the form of a tiktoken rank file.  If the
 * file lists more tokens than the vocabulary has ids after those of the special
 * tokens, only the first tokens are used. */
static int
write_ranks(struct ctx_buf *out, const json_t *root, struct ctx_err *err)
{
	const json_t *config = json_object_get(root, "config"), *one;
	const json_t *list = json_object_get(root, "vocab");
	json_int_t size, specials, rank, i;
	const char *bytes;

	size =
	    json_integer_value(json_object_get(config, "default_vocab_size"));
	specials = json_integer_value(
	    json_object_get(config, "default_num_special_tokens"));
	if (specials < 0 || size <= specials || size >= CTX_VOCAB_MAX ||
	    (size_t)(size - specials) > json_array_size(list))
		return ctx_refuse_tokenizer(err, "a wrong number of tokens",
		    "");
	for (i = 0; i < size - specials; i++) {
		one = json_array_get(list, (size_t)i);
		rank = json_integer_value(json_object_get(one, "rank"));
		bytes = json_string_value(json_object_get(one, "token_bytes"));
		/* The token in base64 must be one word, because it is written
		 * into a line. */
		if (rank != i || bytes == NULL || *bytes == '\0' ||
		    strspn(bytes, BASE64) !=
			json_string_length(json_object_get(one, "token_bytes")))
			return ctx_refuse_tokenizer(err,
			    "a token without its rank or bytes", "");
		if (ctx_buf_printf(out, err, "%s %lld\n", bytes,
			(long long)(rank + specials)) < 0)
			return -1;
	}
	return 0;
}

static int
read_specials(struct ctx_vocab_builder *pack, const json_t *root,
    struct ctx_err *err)
{
	const json_t *list = json_object_get(root, "special_tokens"), *one;
	json_int_t rank;
	const char *name;
	size_t i;

	for (i = 0; i < json_array_size(list); i++) {
		one = json_array_get(list, i);
		rank = json_integer_value(json_object_get(one, "rank"));
		name = ctx_json_string_of(one, "token_str");
		if (*name == '\0' || rank < 0 || rank >= CTX_VOCAB_MAX)
			return ctx_refuse_tokenizer(err,
			    "a special token without its rank or name", "");
		if (ctx_vocab_builder_add_special(pack,
			(struct ctx_build_added_token){.p = name,
			    .n = (uint32_t)strlen(name),
			    .id = (uint32_t)rank},
			err) < 0)
			return -1;
	}
	return 0;
}

static int
read_pattern(struct ctx_vocab_builder *pack, const json_t *root,
    struct ctx_err *err)
{
	json_t *pre = json_pack("{s:s, s:[{s:s, s:{s:O?}, s:s}, {s:s, s:b}]}",
	    "type", "Sequence", "pretokenizers", "type", "Split", "pattern",
	    "Regex",
	    json_object_get(json_object_get(root, "config"), "pattern"),
	    "behavior", "Isolated", "type", "ByteLevel", "use_regex", 0);
	int rc;

	if (pre == NULL)
		return ctx_err_nomem(err);
	rc = ctx_file_pretokenizer_json(pack, pre, err);
	json_decref(pre);
	return rc;
}

static int
read_root(struct ctx_vocab_builder *pack, const json_t *root,
    struct ctx_err *err)
{
	struct ctx_buf ranks = {0};
	int rc = read_pattern(pack, root, err);

	if (rc == 0)
		rc = read_specials(pack, root, err);
	if (rc == 0)
		rc = write_ranks(&ranks, root, err);
	if (rc == 0)
		rc = ctx_tiktoken_read(pack, ranks.p, ranks.n, err);
	/* err->line is a line number in the generated text "ranks", not in the
	 * file.  So err->line is set to 0. */
	if (rc < 0)
		err->line = 0;
	ctx_buf_release(&ranks);
	return rc;
}

int
ctx_tekken_read(struct ctx_vocab_builder *pack, const char *p, size_t n,
    struct ctx_err *err)
{
	json_t *root;
	int rc = ctx_huggingface_parse(&root, p, n, JSON_ALLOW_NUL, err);

	if (rc == 0)
		rc = read_root(pack, root, err);
	json_decref(root);
	return rc;
}
