/*
 * huggingface.c - tests which settings of a tokenizer.json are accepted, and
 * that the error text names those that are not
 *
 * Each case changes one member of a small tokenizer.
 */
#include <jansson.h>
#include <unistd.h>

#include "tokenizer/tokenizer.h"
#include "tap.h"

static char path[] = "/tmp/ctx-json-XXXXXX";
static const char sample[] = "abab a+b 12 a+ba+b 2121 \xd0\xb0\xd0\xb1 ab!";
static json_t *base;
/* the tokens of the sample with the tokenizer "base" */
static struct ctx_tokens want;

/* Returns the character that stands for a byte in byte-level tokens. */
static const char *
name_of(unsigned byte, char name[3])
{
	unsigned cp = byte;

	if (byte <= 0x20)
		cp = 0x100 + byte;
	else if (byte >= 0x7f && byte <= 0xa0)
		cp = 0x121 + byte - 0x7f;
	else if (byte == 0xad)
		cp = 0x143;
	name[0] = (char)cp;
	name[1] = '\0';
	if (cp >= 0x80) {
		name[0] = (char)(0xc0 | cp >> 6);
		name[1] = (char)(0x80 | (cp & 63));
		name[2] = '\0';
	}
	return name;
}

static void
make_base(void)
{
	static const char *const longer[] = {"ab", "12", "abab", "+b"};
	json_t *vocab = json_object();
	char name[3];
	unsigned i;

	for (i = 0; i < 256; i++)
		json_object_set_new(vocab, name_of(i, name), json_integer(i));
	for (i = 0; i < sizeof longer / sizeof longer[0]; i++)
		json_object_set_new(vocab, longer[i], json_integer(256 + i));
	base = json_pack("{s:{s:s,s:o,s:[s,s,s,s]},s:{s:s,s:b}}", "model",
	    "type", "BPE", "vocab", vocab, "merges", "a b", "1 2", "ab ab",
	    "+ b", "pre_tokenizer", "type", "ByteLevel", "add_prefix_space", 0);
	NEED(base != NULL);
}

/* Returns a copy of the tokenizer with another value (JSON text) for a member
 * of an object, or without this member. object: key of the object; "" for the
 * tokenizer itself. */
static json_t *
with(const char *object, const char *key, const char *value)
{
	json_t *root = json_deep_copy(base), *at = root, *new;

	if (strcmp(object, "") != 0)
		at = json_object_get(root, "model");
	if (strcmp(object, "vocab") == 0)
		at = json_object_get(at, "vocab");
	if (value == NULL) {
		NEED(json_object_del(at, key) == 0);
		return root;
	}
	new = json_loads(value, JSON_DECODE_ANY, NULL);
	NEED(new != NULL &&json_object_set_new(at, key, new) == 0);
	return root;
}

static void
refused(const char *object, const char *key, const char *value,
    const char *what)
{
	json_t *root = with(object, key, value);
	struct ctx_tokenizer *t = NULL;
	struct ctx_err err = {0};
	bool is;

	NEED(json_dump_file(root, path, JSON_COMPACT) == 0);
	json_decref(root);
	is = ctx_tokenizer_open(&t, path, NULL, &err) == -1 && t == NULL &&
	    err.code == CTX_EFILE && strstr(err.text, what) != NULL;
	if (!is)
		printf("# %s %s: %s, not %s\n", key, value, err.text, what);
	CHECK(is);
}

/* Encodes the sample with a tokenizer, and frees the tokenizer. */
static void
encode(json_t *root, struct ctx_tokens *ids)
{
	struct ctx_token_counter *c;
	struct ctx_tokenizer *t;
	struct ctx_err err;

	ids->n = 0;
	NEED(json_dump_file(root, path, JSON_COMPACT) == 0);
	json_decref(root);
	if (ctx_tokenizer_open(&t, path, NULL, &err) < 0) {
		printf("# %s\n", err.text);
		return;
	}
	NEED(ctx_token_counter_open(&c, t, CTX_SIMD_BEST, &err) == 0);
	CHECK(ctx_token_encode(c, sample, sizeof sample - 1, false, ids,
		  &err) == 0);
	ctx_token_counter_close(c);
	ctx_tokenizer_close(t);
}

static bool
same(const struct ctx_tokens *a, const struct ctx_tokens *b)
{
	return a->n > 0 && a->n == b->n &&
	    memcmp(a->ids, b->ids, a->n * sizeof *a->ids) == 0;
}

/* Returns true if this change of a member does not change the tokens of the
 * sample. */
static bool
counts_alike(const char *object, const char *key, const char *value)
{
	struct ctx_tokens got = {0};
	bool is;

	encode(with(object, key, value), &got);
	is = same(&got, &want);
	ctx_tokens_release(&got);
	return is;
}

/* Returns true if two pretokenizers split the sample in the same way, and not
 * in the same way as the tokenizer "base". */
static bool
split_alike(const char *a, const char *b)
{
	struct ctx_tokens one = {0}, two = {0};
	static const char format[] =
	    "{\"type\":\"Sequence\","
	    "\"pretokenizers\":[%s,{\"type\":\"ByteLevel\","
	    "\"use_regex\":false}]}";
	char text[400];
	bool is;

	(void)snprintf(text, sizeof text, format, a);
	encode(with("", "pre_tokenizer", text), &one);
	(void)snprintf(text, sizeof text, format, b);
	encode(with("", "pre_tokenizer", text), &two);
	is = same(&one, &two) && !same(&one, &want);
	ctx_tokens_release(&one);
	ctx_tokens_release(&two);
	return is;
}

static void
refuse_models(void)
{
	tap_case("a model of another type is refused");
	refused("", "model", "{}", "a model without vocab or merges");
	refused("", "model", NULL, "a model without vocab or merges");
	refused("model", "type", "\"Unigram\"", "a model of type Unigram");
	refused("model", "dropout", "0.1", "a model with dropout");
	refused("model", "byte_fallback", "true", "byte_fallback");
	refused("model", "continuing_subword_prefix", "\"##\"",
	    "continuing_subword_prefix");
	refused("model", "end_of_word_suffix", "\"</w>\"",
	    "end_of_word_suffix");
	refused("model", "vocab", NULL, "without vocab or merges");
	refused("model", "vocab", "[]", "without vocab or merges");
	refused("model", "merges", NULL, "without vocab or merges");
	tap_case("a normalizer that changes text is refused");
	refused("", "normalizer", "{\"type\":\"Lowercase\"}",
	    "a normalizer of type Lowercase");
	refused("", "normalizer",
	    "{\"type\":\"Sequence\",\"normalizers\":["
	    "{\"type\":\"Strip\"}]}",
	    "a normalizer of type Strip");
	refused("", "normalizer",
	    "{\"type\":\"Sequence\",\"normalizers\":["
	    "{\"type\":\"Strip\"},{\"type\":\"NFD\"}]}",
	    "normalizer");
}

static void
refuse_tokens(void)
{
	static const char *const merges[] = {"[\"ab\"]", "[\"a \"]", "[\" b\"]",
	    "[7]", "[[\"a\"]]", "[[7,\"b\"]]", "[[\"a\",\"\"]]",
	    "[[\"\",\"b\"]]"};
	size_t i;

	tap_case(
	    "a token without a number, or with an invalid one, is refused");
	refused("vocab", "!", NULL, "no id for the token !");
	refused("vocab", "!", "\"x\"", "no id for the token !");
	refused("vocab", "!", "-1", "no id for the token !");
	refused("vocab", "!", "2097152", "no id for the token !");
	refused("model", "merges", "[\"a c\"]", "no id for the token ac");
	tap_case("an invalid merge is refused");
	for (i = 0; i < sizeof merges / sizeof merges[0]; i++)
		refused("model", "merges", merges[i], "not of two tokens");
	refused("model", "merges", "[\"\xe4\xb8\xad a\"]", "not byte-level");
	tap_case("an added token with unsupported properties is refused");
	refused("", "added_tokens", "[{\"content\":\"<x>\"}]", "without id");
	refused("", "added_tokens", "[{\"id\":300}]", "without id or content");
	refused("", "added_tokens", "[{\"id\":-1,\"content\":\"<x>\"}]",
	    "without id");
	refused("", "added_tokens", "[{\"id\":2097152,\"content\":\"<x>\"}]",
	    "without id");
	refused("", "added_tokens",
	    "[{\"id\":300,\"content\":\"<x>\","
	    "\"lstrip\":true}]",
	    "the added token <x>");
	refused("", "added_tokens",
	    "[{\"id\":300,\"content\":\"<x>\","
	    "\"rstrip\":true}]",
	    "the added token <x>");
	refused("", "added_tokens",
	    "[{\"id\":300,\"content\":\"<x>\","
	    "\"single_word\":true}]",
	    "the added token <x>");
}

#define SEQUENCE(one)                                    \
	"{\"type\":\"Sequence\",\"pretokenizers\":[" one \
	",{\"type\":\"ByteLevel\"}]}"
#define SPLIT(pattern) "{\"type\":\"Split\",\"pattern\":" pattern "}"
#define ISOLATED(pattern) \
	"{\"type\":\"Split\",\"behavior\":\"Isolated\",\"pattern\":" pattern "}"

static void
refuse_splitters(void)
{
	tap_case("an unknown splitter is refused");
	refused("", "pre_tokenizer", NULL, "a pre_tokenizer of type ");
	refused("", "pre_tokenizer", "{\"type\":\"Whitespace\"}",
	    "a pre_tokenizer of type Whitespace");
	refused("", "pre_tokenizer", "{\"type\":\"Sequence\"}",
	    "a pre_tokenizer of type ");
	refused("", "pre_tokenizer", SEQUENCE("{\"type\":\"Punctuation\"}"),
	    "a pre_tokenizer of type Punctuation");
	refused("", "pre_tokenizer",
	    "{\"type\":\"ByteLevel\","
	    "\"add_prefix_space\":true}",
	    "add_prefix_space");
	refused("", "pre_tokenizer",
	    "{\"type\":\"ByteLevel\","
	    "\"use_regex\":false}",
	    "no pattern that splits text");
	refused("", "pre_tokenizer", SEQUENCE(SPLIT("{\"Regex\":\"x\"}")),
	    "not Isolated, but nothing");
	refused("", "pre_tokenizer",
	    SEQUENCE("{\"type\":\"Split\","
		     "\"behavior\":\"Removed\",\"invert\":true,\"pattern\":"
		     "{\"Regex\":\"x\"}}"),
	    "not Isolated, but Removed");
	refused("", "pre_tokenizer",
	    SEQUENCE("{\"type\":\"Split\","
		     "\"behavior\":\"Removed\",\"invert\":true,\"pattern\":"
		     "{\"String\":\"x\"}}"),
	    "not Isolated, but Removed");
	refused("", "pre_tokenizer", SEQUENCE(ISOLATED("{}")),
	    "a Split rule without a pattern");
	refused("", "pre_tokenizer", SEQUENCE(ISOLATED("{\"String\":\"\"}")),
	    "a Split rule without a pattern");
}

static void
read_alike(void)
{
	char name[3];
	unsigned byte;

	tap_case("equivalent spellings count the same");
	CHECK(counts_alike("model", "type", NULL));
	CHECK(counts_alike("model", "dropout", "null"));
	CHECK(counts_alike("model", "end_of_word_suffix", "\"\""));
	CHECK(counts_alike("model", "merges",
	    "[[\"a\",\"b\"],[\"1\",\"2\"],"
	    "[\"ab\",\"ab\"],[\"+\",\"b\"]]"));
	CHECK(counts_alike("", "normalizer", "null"));
	CHECK(counts_alike("", "normalizer",
	    "{\"type\":\"Sequence\",\"normalizers\":[]}"));
	CHECK(counts_alike("vocab", "\xe4\xb8\xad", "300"));
	CHECK(counts_alike("", "added_tokens",
	    "[{\"id\":300,\"content\":"
	    "\"a\",\"special\":true,\"lstrip\":true}]"));
	tap_case("bytes that occur in no UTF-8 text need no token");
	for (byte = 0xc0; byte < 256; byte++)
		if (byte < 0xc2 || byte > 0xf4)
			CHECK(counts_alike("vocab", name_of(byte, name), NULL));
	refused("vocab", name_of(0xc2, name), NULL, "no id for the token");
	refused("vocab", name_of(0xf4, name), NULL, "no id for the token");
	tap_case("Digits splits each digit, or runs of digits from other text");
	CHECK(split_alike(ISOLATED("{\"String\":\"a+b\"}"),
	    ISOLATED("{\"Regex\":\"a\\\\+b\"}")));
	CHECK(split_alike(ISOLATED("{\"String\":\"1\"}"),
	    ISOLATED("{\"Regex\":\"1\"}")));
	tap_case("a splitter that is a string matches that string");
	CHECK(split_alike("{\"type\":\"Digits\",\"individual_digits\":true}",
	    ISOLATED("{\"Regex\":\"\\\\p{N}\"}")));
	CHECK(counts_alike("", "pre_tokenizer",
	    SEQUENCE("{\"type\":"
		     "\"Digits\",\"individual_digits\":false}")));
}

/* Opens a tokenizer, and frees its JSON. */
static struct ctx_tokenizer *
opened(json_t *root, struct ctx_token_counter **c)
{
	struct ctx_tokenizer *t;
	struct ctx_err err;

	NEED(json_dump_file(root, path, JSON_COMPACT) == 0);
	json_decref(root);
	NEED(ctx_tokenizer_open(&t, path, NULL, &err) == 0);
	NEED(ctx_token_counter_open(c, t, CTX_SIMD_BEST, &err) == 0);
	return t;
}

/* Tests that every function returns an error if splitting a text takes too many
 * steps. */
static void
too_slow(void)
{
	json_t *root = with("", "pre_tokenizer",
	    SEQUENCE(ISOLATED("{\"Regex\":\"(?:a|a|aa)+[bc]|x\"}")));
	struct ctx_token_counter *c;
	struct ctx_tokenizer *t = opened(root, &c);
	struct ctx_tokens ids = {0};
	struct ctx_token_index index = {0};
	struct ctx_err err;
	char text[20000];
	uint64_t tokens;
	size_t fast = sizeof text - 60, at;

	tap_case(
	    "a text that takes too many steps is an error for every function");
	memset(text, 'x', fast);
	memset(text + fast, 'a', sizeof text - fast);
#define SLOW(call) CHECK((call) == -1 && err.code == CTX_ELIMIT)
	SLOW(ctx_token_count(c, text, sizeof text, &tokens, &err));
	SLOW(ctx_token_encode(c, text, sizeof text, false, &ids, &err));
	SLOW(ctx_token_encode(c, text, sizeof text, true, &ids, &err));
	SLOW(ctx_token_head(c, (struct ctx_str){text, sizeof text}, 30000, &at,
	    &tokens, &err));
	SLOW(ctx_token_tail(c, (struct ctx_str){text, sizeof text}, 30000, &at,
	    &tokens, &err));
	/* More bytes may follow, so this piece is not split yet. */
	CHECK(ctx_token_count_streaming(c, text, sizeof text, &at, &tokens,
		  &err) == 0);
	CHECK(at <= fast && at == tokens);
	SLOW(ctx_token_index_append(&index, c,
	    (struct ctx_str){text, sizeof text}, &err));
	CHECK(ctx_token_index_append(&index, c, (struct ctx_str){text, fast},
		  &err) == 0);
	CHECK(ctx_token_index_range(&index, 0, fast, &tokens, &err) == 0 &&
	    tokens == fast);
	SLOW(ctx_token_index_append(&index, c,
	    (struct ctx_str){text, sizeof text}, &err));
	SLOW(ctx_token_index_head(&index, 30000, &at, &tokens, &err));
	SLOW(ctx_token_index_tail(&index, 100, &at, &tokens, &err));
	SLOW(ctx_token_index_range(&index, fast, sizeof text, &tokens, &err));
	ctx_token_index_release(&index);
	ctx_tokens_release(&ids);
	ctx_token_counter_close(c);
	ctx_tokenizer_close(t);
}

static void
no_token(void)
{
	static const char text[] = "ab\xff";
	struct ctx_token_counter *c;
	struct ctx_tokenizer *t;
	struct ctx_tokens ids = {0};
	struct ctx_err err;
	char name[3];

	tap_case("a byte without a token cannot be encoded");
	t = opened(with("vocab", name_of(0xff, name), NULL), &c);
	CHECK(ctx_token_encode(c, text, 2, false, &ids, &err) == 0);
	CHECK(ids.n == 1 && ids.ids[0] == 256);
	CHECK(ctx_token_encode(c, text, 3, false, &ids, &err) == -1);
	CHECK(err.code == CTX_EINPUT);
	ctx_tokens_release(&ids);
	ctx_token_counter_close(c);
	ctx_tokenizer_close(t);
}

/* Tests decoding.  Added tokens are decoded to their names. */
static void
decoding(void)
{
	static const uint32_t ids[] = {258, 300, '!'}, holes[] = {299, 301};
	struct ctx_token_counter *c;
	struct ctx_tokenizer *t, *estimate;
	struct ctx_buf out = {0};
	struct ctx_err err;
	size_t i;

	tap_case("tokens of a vocabulary file decode to their text");
	t = opened(with("", "added_tokens",
		       "[{\"id\":300,\"content\":"
		       "\"<x>\",\"special\":true}]"),
	    &c);
	CHECK(ctx_tokenizer_decode(t, ids, 3, &out, &err) == 0);
	CHECK(out.n == 8 && memcmp(out.p, "abab<x>!", 8) == 0);
	for (i = 0; i < 2; i++)
		CHECK(ctx_tokenizer_decode(t, holes + i, 1, &out, &err) == -1 &&
		    err.code == CTX_EARG);
	ctx_token_counter_close(c);
	ctx_tokenizer_close(t);
	NEED(ctx_tokenizer_open(&estimate, "bytes/4", NULL, &err) == 0);
	CHECK(ctx_tokenizer_decode(estimate, ids, 1, &out, &err) == -1);
	ctx_tokenizer_close(estimate);
	ctx_buf_release(&out);
}

/* At each offset, the longest name of an added token is used.  Of equal names,
 * the one that comes first in the file is used. */
static void
names_within_names(void)
{
	static const char text[] = "<<a<ab><ab<abc<b<\xd0\xb1<\xd0\xb0";
	static const uint32_t ids[] = {300, 302, 301, 302, 'b', 304, 300, 'b',
	    305, 300, 0xd0, 0xb0};
	struct ctx_token_counter *c;
	struct ctx_tokenizer *t;
	struct ctx_tokens out = {0};
	struct ctx_err err;

	tap_case("of several added tokens the longest matches");
#define ADDED(id, name) \
	"{\"id\":" #id ",\"content\":\"" name "\",\"special\":false}"
	t = opened(with("", "added_tokens",
		       "[" ADDED(304, "<abc") "," ADDED(300, "<") "," ADDED(302,
			   "<a") "," ADDED(301, "<ab>") "," ADDED(303,
			   "<a") "," ADDED(305, "<\xd0\xb1") "]"),
	    &c);
	CHECK(
	    ctx_token_encode(c, text, sizeof text - 1, false, &out, &err) == 0);
	CHECK(out.n == sizeof ids / sizeof *ids);
	CHECK(memcmp(out.ids, ids, sizeof ids) == 0);
	ctx_tokens_release(&out);
	ctx_token_counter_close(c);
	ctx_tokenizer_close(t);
}

#define TEKKEN                                                        \
	"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*" \
	"[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?"       \
	"[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+"                       \
	"[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+" \
	"[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"

/* Makes a tekken.json with two special tokens, the single bytes, "ab", and one
 * more token, which does not fit into the vocabulary. */
static json_t *
make_tekken(void)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
	    "qrstuvwxyz0123456789+/";
	json_t *vocab = json_array();
	char text[5] = "xx==";
	unsigned i;

	for (i = 0; i < 256; i++) {
		text[0] = digits[i >> 2];
		text[1] = digits[(i & 3) << 4];
		json_array_append_new(vocab,
		    json_pack("{s:i, s:s, s:s%}", "rank", i, "token_bytes",
			text, "token_str", "\0", (size_t)1));
	}
	json_array_append_new(vocab,
	    json_pack("{s:i, s:s}", "rank", 256, "token_bytes", "YWI="));
	json_array_append_new(vocab,
	    json_pack("{s:i, s:s}", "rank", 257, "token_bytes", "YmE="));
	return json_pack("{s:{s:s, s:i, s:i}, s:o, s:[{s:i, s:s}]}", "config",
	    "pattern", TEKKEN, "default_vocab_size", 259,
	    "default_num_special_tokens", 2, "vocab", vocab, "special_tokens",
	    "rank", 1, "token_str", "[INST]");
}

static void
tekken_refused(const char *object, const char *key, json_t *value,
    const char *what)
{
	json_t *root = make_tekken(), *at = root;
	struct ctx_tokenizer *t;
	struct ctx_err err;

	if (strcmp(object, "") != 0)
		at = json_object_get(root, object);
	if (json_is_array(at))
		at = json_array_get(at, 0);
	NEED(json_object_set_new(at, key, value) == 0);
	NEED(json_dump_file(root, path, 0) == 0);
	json_decref(root);
	CHECK(ctx_tokenizer_open(&t, path, NULL, &err) == -1 &&
	    err.code == CTX_EFILE && strstr(err.text, what) != NULL);
}

static void
tekken(void)
{
	static const char text[] = "abba[INST]1";
	static const uint32_t ids[] = {258, 'b' + 2, 'a' + 2, 1, '1' + 2};
	struct ctx_token_counter *c;
	struct ctx_tokenizer *t;
	struct ctx_tokens out = {0};
	struct ctx_err err;

	tap_case("a tekken.json gives ranks after its special tokens");
	t = opened(make_tekken(), &c);
	CHECK(
	    ctx_token_encode(c, text, sizeof text - 1, true, &out, &err) == 0);
	CHECK(out.n == 5 && memcmp(out.ids, ids, sizeof ids) == 0);
	ctx_tokens_release(&out);
	ctx_token_counter_close(c);
	ctx_tokenizer_close(t);
	tap_case("a tekken.json without a part that it needs is refused");
	tekken_refused("config", "pattern", json_null(),
	    "a Split rule without a pattern");
	tekken_refused("config", "pattern", json_string("(?<=a)b"), "");
	tekken_refused("config", "default_vocab_size", json_integer(2),
	    "a wrong number of tokens");
	tekken_refused("config", "default_vocab_size", json_integer(261),
	    "a wrong number of tokens");
	tekken_refused("config", "default_num_special_tokens", json_integer(-1),
	    "a wrong number of tokens");
	tekken_refused("vocab", "rank", json_integer(1), "its rank or bytes");
	tekken_refused("vocab", "token_bytes", json_null(),
	    "its rank or bytes");
	tekken_refused("vocab", "token_bytes", json_string("*"), "rank");
	tekken_refused("special_tokens", "rank", json_integer(-1),
	    "a special token without its rank or name");
	tekken_refused("special_tokens", "token_str", json_string(""),
	    "a special token without its rank or name");
}

int
main(void)
{
	int fd = mkstemp(path);

	NEED(fd >= 0 && close(fd) == 0);
	make_base();
	encode(json_incref(base), &want);
	NEED(want.n > 0);
	refuse_models();
	refuse_tokens();
	refuse_splitters();
	read_alike();
	tekken();
	too_slow();
	no_token();
	decoding();
	names_within_names();
	ctx_tokens_release(&want);
	json_decref(base);
	(void)unlink(path);
	return tap_done();
}
