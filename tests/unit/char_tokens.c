/*
 * char_tokens.c - tests vocabularies that merge characters (SentencePiece):
 * compares the tokens with those of the libraries sentencepiece and tokenizers
 */
#include <jansson.h>
#include <unistd.h>

#include "tap.h"
#include "token_parts.h"

static json_t *root; /* contents of tests/corpus/char_tokens.json */
static char path[] = "/tmp/ctx-chars-XXXXXX";

static int
base64_digit(char c)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
	    "qrstuvwxyz0123456789+/";
	const char *at = c == '\0' ? NULL : strchr(digits, c);

	return at == NULL ? -1 : (int)(at - digits);
}

/* Writes a model file, which the test has as base64. */
static void
write_model(const char *text)
{
	FILE *file = fopen(path, "wb");
	unsigned bits = 0, held = 0;
	int digit;

	NEED(file != NULL);
	for (; (digit = base64_digit(*text)) >= 0; text++) {
		bits = bits << 6 | (unsigned)digit;
		held += 6;
		if (held < 8)
			continue;
		held -= 8;
		putc((int)(bits >> held & 0xff), file);
	}
	NEED(fclose(file) == 0);
}

static void
open_list(const json_t *list)
{
	json_t *copy = json_copy(json_object_get(list, "tokenizer"));
	const char *model = json_string_value(json_object_get(list, "model"));
	const char *encoding =
	    json_string_value(json_object_get(list, "encoding"));

	if (model != NULL) {
		write_model(model);
	} else if (encoding == NULL) {
		json_object_set(copy, "model", json_object_get(root, "model"));
		NEED(json_dump_file(copy, path, 0) == 0);
	}
	json_decref(copy);
	open_tokenizer(encoding != NULL ? encoding : path);
	CHECK(ctx_tokenizer_basis(tokenizer) == CTX_BASIS_EXACT);
}

static void
check_ids(const char *p, size_t n, const json_t *want)
{
	struct ctx_tokens ids = {0};
	size_t i;

	CHECK(ctx_token_encode(counter, p, n, false, &ids, &err) == 0);
	CHECK(ids.n == json_array_size(want) && count(p, n) == ids.n);
	for (i = 0; i < ids.n && i < json_array_size(want); i++)
		CHECK(
		    ids.ids[i] == json_integer_value(json_array_get(want, i)));
	ctx_tokens_release(&ids);
}

static void
recorded(const json_t *list)
{
	const char *name = json_string_value(json_object_get(list, "name"));
	const json_t *cases = json_object_get(list, "cases"), *text, *one;
	static char title[200];
	size_t i;

	(void)snprintf(title, sizeof title,
	    "%s: texts are encoded as by the reference", name);
	tap_case(title);
	json_array_foreach(cases, i, one) {
		text = json_array_get(one, 0);
		check_ids(json_string_value(text), json_string_length(text),
		    json_array_get(one, 1));
	}
	CHECK(i == 41);
	(void)snprintf(title, sizeof title,
	    "%s: parts, cuts and checkpoints equal the whole count", name);
	tap_case(title);
	json_array_foreach(cases, i, one) {
		text = json_array_get(one, 0);
		check_all(json_string_value(text), json_string_length(text));
	}
}

/* Counts all texts of a list one after another, many times, and random bytes,
 * of which many are not UTF-8. */
static void
long_texts(const json_t *list)
{
	const json_t *cases = json_object_get(list, "cases"), *one, *text;
	static char all[60000];
	size_t n = 0, i, k, length;

	tap_case("parts, cuts and checkpoints of long texts equal their whole "
		 "count");
	for (k = 0; k < 4; k++)
		json_array_foreach(cases, i, one) {
			text = json_array_get(one, 0);
			length = json_string_length(text);
			if (n + length > sizeof all)
				break;
			memcpy(all + n, json_string_value(text), length);
			n += length;
		}
	check_all(all, n);
	for (i = 0; i < 3000; i++) {
		all[i] = "\xe2\x96\x81 a"[pick(5)];
		if (pick(3) == 0)
			all[i] = (char)pick(256);
	}
	check_all(all, 3000);
}

static const json_t *
list_named(const char *name)
{
	json_t *list;
	size_t i;

	json_array_foreach(json_object_get(root, "lists"), i, list)
		if (strcmp(json_string_value(json_object_get(list, "name")),
			name) == 0)
			return list;
	NEED(false);
	return NULL;
}

/* Tests that decoding gives the text.  U+2581 is decoded as a blank, and the
 * blank before the text is removed. */
static void
decoding(void)
{
	static const char *const texts[] = {"the thing", " the  thing",
	    "\xf0\x9f\x98\x8e\x01 caf\xc3\xa9", "\n", "  "};
	struct ctx_tokens ids = {0};
	struct ctx_buf out = {0};
	const char *const lists[] = {"prefix", "no prefix", "Llama 2", "Gemma",
	    "mistral-v1", "mistral-v3"};
	size_t i, k;

	tap_case("tokens decode to their text");
	for (k = 0; k < sizeof lists / sizeof *lists; k++) {
		open_list(list_named(lists[k]));
		for (i = 0; i < sizeof texts / sizeof *texts; i++) {
			ids.n = out.n = 0;
			CHECK(ctx_token_encode(counter, texts[i],
				  strlen(texts[i]), false, &ids, &err) == 0);
			CHECK(ctx_tokenizer_decode(tokenizer, ids.ids, ids.n,
				  &out, &err) == 0);
			CHECK(out.n == strlen(texts[i]) &&
			    memcmp(out.p, texts[i], out.n) == 0);
		}
		close_tokenizer();
	}
	ctx_tokens_release(&ids);
	ctx_buf_release(&out);
}

/* Tests long runs of characters: no vocabulary may need more than n log n time,
 * or much stack. */
static void
long_runs(void)
{
	static char text[3 << 20];
	const char *const lists[] = {"runs of blanks", "Gemma with names"};
	static const char fills[] = " a-\n";
	size_t i, k, n;
	uint64_t tokens;

	tap_case("a run of one character needs no quadratic time");
	for (k = 0; k < 2; k++) {
		open_list(list_named(lists[k]));
		for (i = 0; i < sizeof fills - 1; i++) {
			memset(text, fills[i], sizeof text);
			tokens = count(text, sizeof text);
			CHECK(tokens > sizeof text / 64 &&
			    tokens <= sizeof text + 1);
		}
		for (n = 0; n + 3 <= sizeof text; n += 3)
			memcpy(text + n, "\xe4\xb8\xad", 3);
		CHECK(count(text, n) > n / 64);
		close_tokenizer();
	}
}

static void
write_bytes(const char *p, size_t n)
{
	FILE *file = fopen(path, "wb");

	NEED(file != NULL && fwrite(p, 1, n, file) == n && fclose(file) == 0);
}

static void
model_refused(const char *p, size_t n, const char *what)
{
	bool is;

	write_bytes(p, n);
	is = ctx_tokenizer_open(&tokenizer, path, NULL, &err) == -1 &&
	    err.code == CTX_EFILE && strstr(err.text, what) != NULL;
	if (!is)
		printf("# %s, not %s\n", err.text, what);
	CHECK(is);
}

/* A piece of a SentencePiece model: its name (field 1), score (field 2) and
 * type (field 3). */
#define PIECE(type, n, name) "\x0a" n "\x0a" name "\x15\0\0\0\0\x18" type
#define A_PIECE(type)       \
	PIECE(type, "\x0a", \
	    "\x01"          \
	    "a")
#define BPE                  "\x12\x05\x18\x02\x98\x02\x01"
#define IDENTITY             "\x1a\x02\x20\0"
#define REFUSED(bytes, what) model_refused(bytes, sizeof(bytes) - 1, what)

static void
refused_models(void)
{
	tap_case("a model that cannot be counted exactly is refused by name");
	REFUSED(A_PIECE("\1") IDENTITY, "a model of type Unigram");
	REFUSED(A_PIECE("\1") "\x12\x02\x18\x03", "a model of type Word");
	REFUSED(A_PIECE("\1") "\x12\x02\x18\x04", "a model of type Char");
	REFUSED(A_PIECE("\1") "\x12\x02\x18\x09", "a model of type unknown");
	REFUSED(A_PIECE("\1") "\x12\x02\x18\x02", "without byte_fallback");
	REFUSED(A_PIECE("\1") BPE, "remove_extra_whitespaces");
	REFUSED(A_PIECE("\1") BPE "\x1a\x04\x20\0\x28\0",
	    "without escape_whitespaces");
	REFUSED(A_PIECE("\1") BPE "\x1a\x06\x20\0\x12\x02zz",
	    "precompiled_charsmap");
	REFUSED(A_PIECE(
		    "\1") "\x12\x08\x18\x02\x98\x02\x01\xc0\x01\x01" IDENTITY,
	    "treat_whitespace_as_suffix");
	REFUSED(A_PIECE("\5") BPE IDENTITY,
	    "a piece that is unused or of an unknown type, a");
	REFUSED(A_PIECE("\7") BPE IDENTITY,
	    "a piece that is unused or of an unknown type, a");
	REFUSED(A_PIECE("\6") BPE IDENTITY, "a byte piece with the name a");
	REFUSED(A_PIECE("\1") BPE IDENTITY, "no token for the byte 0");
	REFUSED(PIECE("\1", "\x0b",
		    "\x02"
		    "ab") PIECE("\1", "\x0b",
		    "\x02"
		    "bc") BPE IDENTITY,
	    "two pieces of equal score, one of them bc");
	REFUSED(PIECE("\1", "\x0c",
		    "\x03"
		    "\xcf\x88"
		    "a") BPE IDENTITY,
	    "a piece with a character that is not a piece, ");
}

/* Tests the tokenizer of a list after its members were changed. */
static void
refused_rules(void)
{
	json_t *tokenizer_json =
	    json_deep_copy(json_object_get(list_named("Mistral"), "tokenizer"));
	bool is;

	tap_case("blanks that are replaced before a prefix is put are refused");
	json_object_set_new(tokenizer_json, "normalizer",
	    json_pack("{s:s, s:{s:s}, s:s}", "type", "Replace", "pattern",
		"String", " ", "content", "\xe2\x96\x81"));
	json_object_set(tokenizer_json, "model",
	    json_object_get(root, "model"));
	NEED(json_dump_file(tokenizer_json, path, 0) == 0);
	json_decref(tokenizer_json);
	is = ctx_tokenizer_open(&tokenizer, path, NULL, &err) == -1 &&
	    strstr(err.text, "a normalizer of type Replace") != NULL;
	CHECK(is);
}

/* Tests an added token whose name has no blank: the end of the name may come
 * with the next part of a text. */
static void
one_name(void)
{
	static char text[4000];
	json_t *list = json_deep_copy(list_named("Mistral with names"));
	json_t *names =
	    json_object_get(json_object_get(list, "tokenizer"), "added_tokens");
	size_t n = 0, i;

	tap_case("a text is not divided before an incomplete added token");
	while (json_array_size(names) > 1)
		json_array_remove(names, 1);
	NEED(strcmp(json_string_value(
			json_object_get(json_array_get(names, 0), "content")),
		 "<t>") == 0);
	open_list(list);
	json_decref(list);
	for (i = 0; i < 40; i++) {
		n = (size_t)snprintf(text, sizeof text, "%.*sthe <t>the",
		    (int)i, "a a a a a a a a a a a a a a a a a a a a a a a");
		check_all(text, n);
	}
	for (n = 0; n + 8 < sizeof text; n += 8)
		memcpy(text + n, &" <t>the <t>"[pick(2) * 3], 8);
	check_all(text, n);
	close_tokenizer();
}

/* Tests files with wrong numbers and lengths, as an attacker could write
 * them. */
static void
broken_models(void)
{
	tap_case("a damaged model is refused, and the place is named");
	REFUSED("\x0a\x0a\x0a\x01"
		"a",
	    "byte 0: a field that is longer");
	REFUSED("\x0a\x03\x0a\x05"
		"abcde",
	    "byte 2: a field that is longer");
	REFUSED("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	    "byte 1: a number without an end");
	REFUSED("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
		"a",
	    "byte 0: a field that is longer");
	REFUSED("\x0a\0\x0a", "a piece without a name");
	REFUSED("\x0a\x04\x0a\x01"
		"a\x15",
	    "byte 6: a number that is cut off");
	REFUSED("\x0a\x08\x0a\x01"
		"a\x15\0\0\xc0\x7f",
	    "a score that is not a number");
	REFUSED(A_PIECE("\1") "\x13", "byte 12: a field of an unknown type");
	REFUSED(A_PIECE("\1") "\x19"
			      "1234567",
	    "a number that is cut off");
	REFUSED("\x0a\x80\x80", "byte 1: a number without an end");
}

int
main(void)
{
	json_error_t where;
	json_t *list;
	size_t i;
	int fd = mkstemp(path);

	NEED(fd >= 0 && close(fd) == 0);
	root = json_load_file("tests/corpus/char_tokens.json", JSON_ALLOW_NUL,
	    &where);
	NEED(root != NULL);
	json_array_foreach(json_object_get(root, "lists"), i, list) {
		open_list(list);
		recorded(list);
		long_texts(list);
		close_tokenizer();
	}
	CHECK(i == 16);
	decoding();
	long_runs();
	one_name();
	refused_models();
	refused_rules();
	broken_models();
	NEED(unlink(path) == 0);
	json_decref(root);
	return tap_done();
}
