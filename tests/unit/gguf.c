/* gguf.c - tests vocabularies in GGUF files */
#include "tokenizer/vocabulary/file_formats.h"
#include "vocabulary_files.h"

enum { U32 = 4, I32 = 5, F32 = 6, BOOL = 7, STRING = 8, ARRAY = 9 };

static void
put_number(struct ctx_buf *out, uint64_t value, unsigned size)
{
	struct ctx_err err;
	char byte;

	for (; size > 0; size--, value >>= 8) {
		byte = (char)(value & 0xff);
		NEED(ctx_buf_add(out, &byte, 1, &err) == 0);
	}
}

static void
put_string(struct ctx_buf *out, const char *text)
{
	struct ctx_err err;

	put_number(out, strlen(text), 8);
	NEED(ctx_buf_add(out, text, strlen(text), &err) == 0);
}

static void
put_key(struct ctx_buf *out, const char *key, unsigned type)
{
	put_string(out, key);
	put_number(out, type, 4);
}

static void
put_array(struct ctx_buf *out, const char *key, unsigned type, uint64_t n)
{
	put_key(out, key, ARRAY);
	put_number(out, type, 4);
	put_number(out, n, 8);
}

/* Makes a GGUF file from the vocabulary of a tokenizer.json with 5002 ids. */
static void
make_gguf(struct ctx_buf *out, json_t *root, const char *model, const char *pre)
{
	json_t *vocab =
		   json_object_get(json_object_get(root, "model"), "vocab"),
	       *merges =
		   json_object_get(json_object_get(root, "model"), "merges"),
	       *id;
	const char *names[5002] = {NULL}, *key;
	size_t i;

	json_object_foreach(vocab, key, id)
		names[json_integer_value(id)] = key;
	names[5000] = "<|x|>";
	names[5001] = "brown f";
	out->n = 0;
	put_number(out, 0x46554747, 4); /* the letters GGUF */
	put_number(out, 3, 4);
	put_number(out, 1, 8);
	put_number(out, 9, 8);
	put_key(out, "general.architecture", STRING);
	put_string(out, "test");
	put_key(out, "test.context_length", U32);
	put_number(out, 4096, 4);
	put_key(out, "test.scale", F32);
	put_number(out, 0x3f800000, 4);
	put_key(out, "test.is", BOOL);
	put_number(out, 1, 1);
	put_key(out, "tokenizer.ggml.model", STRING);
	put_string(out, model);
	put_key(out, "tokenizer.ggml.pre", STRING);
	put_string(out, pre);
	put_array(out, "tokenizer.ggml.tokens", STRING, 5002);
	for (i = 0; i < 5002; i++)
		put_string(out, names[i] == NULL ? "[PAD]" : names[i]);
	put_array(out, "tokenizer.ggml.token_type", I32, 5002);
	for (i = 0; i < 5002; i++)
		put_number(out,
		    i == 5000              ? 3
			: i == 5001        ? 4
			: names[i] == NULL ? 5
					   : 1,
		    4);
	put_array(out, "tokenizer.ggml.merges", STRING,
	    json_array_size(merges));
	for (i = 0; i < json_array_size(merges); i++)
		put_string(out, json_string_value(json_array_get(merges, i)));
}

static uint64_t
count_with(const char *name, const char *text)
{
	struct ctx_token_counter *c;
	struct ctx_tokenizer *t;
	struct ctx_err err;
	uint64_t tokens;

	NEED(ctx_tokenizer_open(&t, name, NULL, &err) == 0);
	NEED(ctx_token_counter_open(&c, t, CTX_SIMD_BEST, &err) == 0);
	CHECK(ctx_tokenizer_basis(t) == CTX_BASIS_EXACT);
	CHECK(ctx_token_count(c, text, strlen(text), &tokens, &err) == 0);
	ctx_token_counter_close(c);
	ctx_tokenizer_close(t);
	return tokens;
}

static void
gguf(json_t *root)
{
	struct ctx_tokens want = {0}, got = {0};
	struct ctx_buf out = {0};
	struct ctx_err err;
	uint64_t want_count;
	char file[120];
	size_t pairs, i;

	tap_case("a GGUF file gives the tokens of its tokenizer.json");
	(void)snprintf(file, sizeof file, "%s/tokenizer.json", directory);
	encode(file, NULL, &want);
	make_gguf(&out, root, "gpt2", "gpt-2");
	pairs = out.n;
	NEED(ctx_buf_reserve(&out, 5000000, &err) == 0);
	memset(out.p + out.n, 0xa5, 5000000);
	write_file("model.gguf", out.p, out.n + 5000000);
	encode(path, cache, &got);
	CHECK(same(&want, &got));
	/* The tensors are not a part of the cache key, so the vocabulary of
	 * this file is in the cache. */
	write_file("model.gguf", out.p, pairs);
	encode(path, cache, &got);
	CHECK(same(&want, &got));
	tap_case(
	    "a GGUF file of a normalizing model counts the normalized text");
	make_gguf(&out, root, "gpt2", "qwen2");
	write_file("model.gguf", out.p, out.n);
	want_count = count_with(path, "caf\xc3\xa9 brown f");
	CHECK(count_with(path, "cafe\xcc\x81 brown f") == want_count);
	make_gguf(&out, root, "gpt2", "gpt-2");
	write_file("model.gguf", out.p, out.n);
	CHECK(count_with(path, "caf\xc3\xa9 brown f") == want_count);
	CHECK(count_with(path, "cafe\xcc\x81 brown f") > want_count);
	tap_case("an incomplete GGUF file, or one of another kind, is refused");
	for (i = 4; i < pairs; i += i < 400 ? 1 : pairs / 50)
		refused_bytes("is incomplete", "model.gguf", out.p, i);
	out.p[4] = 1;
	refused_bytes("an unknown version", "model.gguf", out.p, pairs);
	make_gguf(&out, root, "llama", "default");
	refused_bytes("the type \"llama\"", "model.gguf", out.p, out.n);
	make_gguf(&out, root, "gpt2", "default");
	refused_bytes("the pre-tokenizer \"default\"", "model.gguf", out.p,
	    out.n);
	ctx_buf_release(&out);
	ctx_tokens_release(&want);
	ctx_tokens_release(&got);
}

/* Begins a GGUF file with this number of pairs of key and value. */
static void
begin_gguf(struct ctx_buf *out, uint64_t pairs)
{
	out->n = 0;
	put_number(out, 0x46554747, 4);
	put_number(out, 3, 4);
	put_number(out, 0, 8);
	put_number(out, pairs, 8);
}

static void
odd_gguf(void)
{
	struct ctx_buf out = {0};
	unsigned i;

	tap_case("a GGUF file with invalid values is refused");
	for (i = 0; i < 2; i++) {
		begin_gguf(&out, 1);
		put_key(&out, "x", i == 0 ? 13 : ARRAY);
		put_number(&out, ARRAY, 4);
		put_number(&out, 1, 8);
		refused_bytes("unknown types", "model.gguf", out.p, out.n);
	}
	for (i = 0; i < 2; i++) {
		begin_gguf(&out, 4);
		put_key(&out, "tokenizer.ggml.model", STRING);
		put_string(&out, "gpt2");
		put_key(&out, "tokenizer.ggml.pre", STRING);
		put_string(&out, "gpt-2");
		put_array(&out, "tokenizer.ggml.tokens", STRING, 1);
		put_string(&out, i == 0 ? "\xff" : "a");
		put_array(&out, "tokenizer.ggml.merges", STRING, 1);
		put_string(&out, "\xff");
		refused_bytes(i == 0 ? "a token that is not UTF-8"
				     : "a merge that is not UTF-8",
		    "model.gguf", out.p, out.n);
	}
	begin_gguf(&out, 3);
	put_key(&out, "tokenizer.ggml.model", STRING);
	put_string(&out, "gpt2");
	/* The names of tokens must be strings, not numbers. */
	put_array(&out, "tokenizer.ggml.tokens", U32, 1);
	put_number(&out, 7, 4);
	put_array(&out, "tokenizer.ggml.merges", U32, 1);
	put_number(&out, 7, 4);
	refused_bytes("the type \"gpt2\"", "model.gguf", out.p, out.n);
	ctx_buf_release(&out);
}

/* Tests that a pretokenizer that a GGUF file names splits as that of the
 * tokenizer.json. */
static void
named_splitters(json_t *root)
{
	static const char *const names[] = {"starcoder", "llama-bpe",
	    "deepseek-v3"};
	const struct ctx_file_pretokenizer_model *model;
	struct ctx_tokens want = {0}, got = {0};
	struct ctx_buf out = {0};
	json_t *copy = json_deep_copy(root), *list;
	size_t i, k;

	tap_case("each splitter name of a GGUF file selects its splitter");
	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		model = ctx_file_pretokenizer_named(
		    (struct ctx_str){names[i], strlen(names[i])});
		NEED(model != NULL && model->patterns[0] != NULL);
		list = json_array();
		for (k = 0; k < 3 && model->patterns[k] != NULL; k++)
			json_array_append_new(list,
			    json_pack("{s:s, s:s, s:{s:s}}", "type", "Split",
				"behavior", "Isolated", "pattern", "Regex",
				model->patterns[k]));
		json_array_append_new(list,
		    json_pack("{s:s, s:b}", "type", "ByteLevel", "use_regex",
			model->byte_level));
		NEED(json_object_set_new(copy, "pre_tokenizer",
			 json_pack("{s:s, s:o}", "type", "Sequence",
			     "pretokenizers", list)) == 0);
		NEED(json_object_set_new(json_object_get(copy, "model"),
			 "ignore_merges", json_boolean(model->whole)) == 0);
		write_json("tokenizer.json", copy);
		encode(path, NULL, &want);
		make_gguf(&out, root, "gpt2", names[i]);
		write_file("model.gguf", out.p, out.n);
		encode(path, NULL, &got);
		CHECK(same(&want, &got));
	}
	write_json("tokenizer.json", root);
	json_decref(copy);
	ctx_buf_release(&out);
	ctx_tokens_release(&want);
	ctx_tokens_release(&got);
}

int
main(void)
{
	json_t *root;

	init_files();
	root = make_tokenizer();
	write_json("tokenizer.json", root);
	gguf(root);
	odd_gguf();
	named_splitters(root);
	json_decref(root);
	remove_files();
	return tap_done();
}
