/* file_pretokenizer.c - reads how a vocabulary file splits text into pretokens
 * (pieces of text that are encoded separately) */
#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/vocabulary/file_formats.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define UPPER        "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER        "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define SPACES       "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define GPT2                                                                 \
	"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|" \
	"\\s+(?!\\S)|\\s+"
#define CL100K(digits)                                        \
	CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits \
		     "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" SPACES
#define O200K(end, digits)                                           \
	"[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+" end             \
	"|[^\\r\\n\\p{L}\\p{N}]?" UPPER "+" LOWER "*" end "|" digits \
	"| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" SPACES
#define LLAMA3 CL100K("\\p{N}{1,3}")
#define QWEN2  CL100K("\\p{N}")
#define GPT4O  O200K(CONTRACTIONS "?", "\\p{N}{1,3}")
#define TEKKEN O200K("", "\\p{N}")

#define CJK                                                   \
	"[\xe4\xb8\x80-\xe9\xbe\xa5\xe3\x81\x80-\xe3\x82\x9f" \
	"\xe3\x82\xa0-\xe3\x83\xbf]+"
#define DEEPSEEK                                                              \
	"[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|"              \
	"[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|" \
	"\\s*[\r\n]+|\\s+(?!\\S)|\\s+"

/* Patterns of vocabulary files that split a text in the same way as a built-in
 * pretokenizer.  These patterns match every part of a text, so there is no text
 * between two matches. */
static const struct {
	const char *pattern;
	struct ctx_pretokenizer pretokenizer;
} known[] = {
    {GPT2, {CTX_PRETOKENIZER_R50K, 0, 1, 0}},
    {LLAMA3, {CTX_PRETOKENIZER_CL100K, 3, 1, 0}},
    {QWEN2, {CTX_PRETOKENIZER_CL100K, 1, 1, 0}},
    {GPT4O, {CTX_PRETOKENIZER_O200K, 3, 1, 0}},
    {TEKKEN, {CTX_PRETOKENIZER_O200K, 1, 0, 0}},
};

#define KNOWN (sizeof known / sizeof known[0])

const char *
ctx_json_string_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text == NULL ? "" : text;
}

bool
ctx_json_true_of(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

int
ctx_refuse_tokenizer(struct ctx_err *err, const char *what, const char *name)
{
	return ctx_err_set(err, CTX_EFILE, CTX_REFUSED("%s%s"), what, name);
}

static size_t
find_known(const char *pattern)
{
	size_t i = 0;

	while (i < KNOWN && strcmp(known[i].pattern, pattern) != 0)
		i++;
	return i;
}

static int
add_pattern(struct ctx_buf *text, const char *pattern, struct ctx_err *err)
{
	return ctx_buf_add(text, pattern, strlen(pattern) + 1, err);
}

/* Called after all patterns were read.  Sets pack->pretokenizer.  If the last
 * pattern splits in the same way as a built-in pretokenizer, the pretokenizer
 * replaces the pattern.  Compiles the patterns only to find errors in them,
 * before the vocabulary is built. */
static int
finish_patterns(struct ctx_vocab_builder *pack, struct ctx_err *err)
{
	struct ctx_buf *text = &pack->patterns;
	struct ctx_pcre2_pretokenizer *compiled;
	size_t last, i;

	pack->pretokenizer =
	    (struct ctx_pretokenizer){CTX_PRETOKENIZER_NONE, 0, 0, 0};
	if (text->n == 0)
		return ctx_refuse_tokenizer(err, "no pattern that splits text",
		    "");
	for (last = text->n - 1; last > 0 && text->p[last - 1] != '\0';)
		last--;
	i = find_known(text->p + last);
	if (i < KNOWN) {
		pack->pretokenizer = known[i].pretokenizer;
		text->n = last;
	}
	if (text->n == 0)
		return 0;
	if (ctx_pcre2_open(&compiled, text->p, text->n, err) < 0)
		return -1;
	ctx_pcre2_close(compiled);
	return 0;
}

/* Appends a pattern that matches only the text p. */
static int
add_literal(struct ctx_buf *text, const char *p, struct ctx_err *err)
{
	static const char special[] = "\\^$.|?*+()[]{}-&";

	for (; *p != '\0'; p++)
		if ((strchr(special, *p) != NULL &&
			ctx_buf_add(text, "\\", 1, err) < 0) ||
		    ctx_buf_add(text, p, 1, err) < 0)
			return -1;
	return ctx_buf_add(text, "", 1, err);
}

/* Adds the pattern of a pre_tokenizer of type Split.  Accepts the behavior
 * Isolated: the matches, and the texts between two matches, are pretokens
 * (words, numbers, ...).  Accepts the behavior Removed with invert (only the
 * matches are pretokens) if the pattern leaves no text between two matches. */
static int
add_split(struct ctx_buf *text, const json_t *split, struct ctx_err *err)
{
	const json_t *pattern = json_object_get(split, "pattern");
	const char *regex =
	    json_string_value(json_object_get(pattern, "Regex"));
	const char *literal =
	    json_string_value(json_object_get(pattern, "String"));
	const char *behavior =
	    json_string_value(json_object_get(split, "behavior"));
	bool all = regex != NULL && find_known(regex) < KNOWN &&
	    ctx_json_true_of(split, "invert");

	if (behavior == NULL ||
	    (strcmp(behavior, "Isolated") != 0 &&
		!(all && strcmp(behavior, "Removed") == 0)))
		return ctx_refuse_tokenizer(err,
		    "a Split rule whose behavior is not Isolated, but ",
		    behavior == NULL ? "nothing" : behavior);
	if (regex != NULL)
		return add_pattern(text, regex, err);
	if (literal != NULL && *literal != '\0')
		return add_literal(text, literal, err);
	return ctx_refuse_tokenizer(err, "a Split rule without a pattern", "");
}

static int
add_digits(struct ctx_buf *text, const json_t *digits, struct ctx_err *err)
{
	return add_pattern(text,
	    ctx_json_true_of(digits, "individual_digits") ? "\\p{N}"
							  : "\\p{N}+",
	    err);
}

/* Accepts any number of rules of the types Split and Digits, and after these
 * one rule of the type ByteLevel.  ByteLevel adds GPT-2's pattern, unless its
 * use_regex is false. */
int
ctx_file_pretokenizer_json(struct ctx_vocab_builder *pack, const json_t *pre,
    struct ctx_err *err)
{
	struct ctx_buf *text = &pack->patterns;
	const json_t *list = json_object_get(pre, "pretokenizers"), *one;
	bool sequence =
	    strcmp(ctx_json_string_of(pre, "type"), "Sequence") == 0;
	size_t n = sequence ? json_array_size(list) : 1, i;
	int rc = 0;

	for (i = 0; rc == 0 && i + 1 < n; i++) {
		one = json_array_get(list, i);
		if (strcmp(ctx_json_string_of(one, "type"), "Split") == 0)
			rc = add_split(text, one, err);
		else if (strcmp(ctx_json_string_of(one, "type"), "Digits") == 0)
			rc = add_digits(text, one, err);
		else
			rc = ctx_refuse_tokenizer(err,
			    "a pre_tokenizer of type ",
			    ctx_json_string_of(one, "type"));
	}
	one = sequence ? json_array_get(list, n - 1) : pre;
	if (rc < 0)
		return -1;
	if (strcmp(ctx_json_string_of(one, "type"), "ByteLevel") != 0)
		return ctx_refuse_tokenizer(err, "a pre_tokenizer of type ",
		    ctx_json_string_of(one, "type"));
	if (ctx_json_true_of(one, "add_prefix_space"))
		return ctx_refuse_tokenizer(err,
		    "a pre_tokenizer with add_prefix_space", "");
	if (!json_is_false(json_object_get(one, "use_regex")) &&
	    add_pattern(text, GPT2, err) < 0)
		return -1;
	return finish_patterns(pack, err);
}

static const struct ctx_file_pretokenizer_model models[] = {
    {"gpt-2", {NULL}, true, false, false},
    {"starcoder", {"\\p{N}"}, true, false, false},
    {"refact", {"\\p{N}"}, true, false, false},
    {"smollm", {"\\p{N}"}, true, false, false},
    {"command-r", {"\\p{N}"}, true, true, false},
    {"llama-bpe", {LLAMA3}, false, false, true},
    {"llama3", {LLAMA3}, false, false, true},
    {"llama-v3", {LLAMA3}, false, false, true},
    {"qwen2", {QWEN2}, false, true, false},
    {"gpt-4o", {GPT4O}, false, false, false},
    {"tekken", {TEKKEN}, false, false, true},
    {"deepseek-v3", {"\\p{N}{1,3}", CJK, DEEPSEEK}, false, false, false},
};

const struct ctx_file_pretokenizer_model *
ctx_file_pretokenizer_named(struct ctx_str name)
{
	size_t i;

	for (i = 0; i < sizeof models / sizeof models[0]; i++)
		if (strlen(models[i].name) == name.n &&
		    memcmp(models[i].name, name.p, name.n) == 0)
			return models + i;
	return NULL;
}
