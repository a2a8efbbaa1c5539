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
#include <stdlib.h>

#include "tokenizer/vocabulary/file_formats.h"
#include "tokenizer/vocabulary/file_pretokenizer.h"
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

/* Sets *specials and pack->specials to the same array with the special tokens
 * of the file.  The caller must free *specials. */
static int
list_specials(struct ctx_vocab_builder *pack,
    struct ctx_build_added_token **specials, const json_t *root,
    struct ctx_err *err)
{
	const json_t *list = json_object_get(root, "special_tokens"), *one;
	size_t n = json_array_size(list), i;
	struct ctx_build_added_token *s = calloc(n + 1, sizeof *s);
	json_int_t rank;

	*specials = s;
	if (s == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < n; i++) {
		one = json_array_get(list, i);
		rank = json_integer_value(json_object_get(one, "rank"));
		s[i].p = json_string_value(json_object_get(one, "token_str"));
		if (s[i].p == NULL || *s[i].p == '\0' || rank < 0 ||
		    rank >= CTX_VOCAB_MAX)
			return ctx_refuse_tokenizer(err,
			    "a special token without its rank or name", "");
		s[i].n = (uint32_t)strlen(s[i].p);
		s[i].id = (uint32_t)rank;
	}
	pack->specials = s;
	pack->nspecials = n;
	return 0;
}

static int
read_pattern(struct ctx_vocab_builder *pack, struct ctx_buf *text,
    const json_t *root, struct ctx_err *err)
{
	json_t *pre = json_pack("{s:s, s:[{s:s, s:{s:O?}, s:s}, {s:s, s:b}]}",
	    "type", "Sequence", "pretokenizers", "type", "Split", "pattern",
	    "Regex",
	    json_object_get(json_object_get(root, "config"), "pattern"),
	    "behavior", "Isolated", "type", "ByteLevel", "use_regex", 0);
	int rc;

	if (pre == NULL)
		return ctx_err_nomem(err);
	rc = ctx_file_pretokenizer_json(pack, pre, text, err);
	json_decref(pre);
	return rc;
}

static int
build_tekken(struct ctx_vocab_builder *pack, const json_t *root, void **block,
    size_t *size, struct ctx_err *err)
{
	struct ctx_build_added_token *specials = NULL;
	struct ctx_buf pattern = {0}, ranks = {0};
	int rc = read_pattern(pack, &pattern, root, err);

	if (rc == 0)
		rc = list_specials(pack, &specials, root, err);
	if (rc == 0)
		rc = write_ranks(&ranks, root, err);
	if (rc == 0)
		rc = ctx_tiktoken_build(pack, ranks.p, ranks.n, block, size,
		    err);
	/* err->line is a line number in the generated text "ranks", not in the
	 * file.  So err->line is set to 0. */
	if (rc < 0)
		err->line = 0;
	free(specials);
	ctx_buf_release(&pattern);
	ctx_buf_release(&ranks);
	return rc;
}

int
ctx_tekken_build(struct ctx_vocab_builder *pack, const char *p, size_t n,
    void **block, size_t *size, struct ctx_err *err)
{
	json_t *root;
	int rc = ctx_huggingface_parse(&root, p, n, JSON_ALLOW_NUL, err);

	if (rc == 0)
		rc = build_tekken(pack, root, block, size, err);
	json_decref(root);
	return rc;
}
