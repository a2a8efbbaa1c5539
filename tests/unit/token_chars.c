/*
 * token_chars.c - vocabularies that merge characters (SentencePiece), against
 * the libraries sentencepiece and tokenizers
 */
#include <jansson.h>
#include <unistd.h>

#include "ctx.h"
#include "tap.h"
#include "token_parts.h"

static json_t *root; /* of tests/corpus/char_tokens.json */
static char path[] = "/tmp/ctx-chars-XXXXXX";
static struct ctx_tokenizer *tokenizer;

static void
open_list(const json_t *list)
{
	json_t *copy = json_copy(json_object_get(list, "tokenizer"));

	json_object_set(copy, "model", json_object_get(root, "model"));
	NEED(json_dump_file(copy, path, 0) == 0);
	json_decref(copy);
	NEED(ctx_tokenizer_open(&tokenizer, path, NULL, &err) == 0);
	NEED(ctx_token_counter_open(&counter, tokenizer, CTX_SIMD_BEST, &err) ==
	    0);
	CHECK(ctx_tokenizer_exact(tokenizer));
}

static void
close_list(void)
{
	ctx_token_counter_close(counter);
	ctx_tokenizer_close(tokenizer);
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

/* All texts of the list behind one another, often; and the bytes of a random
 * text, of which many are no UTF-8. */
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

/* Decoding gives the text, but for U+2581; and without the blank that stands
 * before it. */
static void
decoding(void)
{
	static const char *const texts[] = {"the thing", " the  thing",
	    "\xf0\x9f\x98\x8e\x01 caf\xc3\xa9", "\n", "  "};
	struct ctx_tokens ids = {0};
	struct ctx_buf out = {0};
	const char *const lists[] = {"Llama 2", "Gemma"};
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
		close_list();
	}
	ctx_tokens_release(&ids);
	ctx_buf_release(&out);
}

/* No vocabulary needs more than n log n time, and no depth of the stack. */
static void
long_runs(void)
{
	static char text[3 << 20];
	const char *const lists[] = {"Llama 2", "Gemma with names"};
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
		close_list();
	}
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
		close_list();
	}
	CHECK(i == 8);
	decoding();
	long_runs();
	NEED(unlink(path) == 0);
	json_decref(root);
	return tap_done();
}
