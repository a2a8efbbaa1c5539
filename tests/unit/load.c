/* load.c - vocabularies from files, and the cache of packed ones */
#include <dirent.h>
#include <jansson.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"
#include "tokenizer/vocabulary/file_pretokenizer.h"
#include "token_ref.h"

#define MERGES 3000 /* of r50k that are written to tokenizer.json */

static char directory[] = "/tmp/ctx-token-XXXXXX", cache[80], path[120];
static struct ref_vocab r50k;
static const char sample[] =
    "The quick brown fox can't jump over 12345 lazy "
    "dogs;\n\n  they'll   sleep.\t\"\xe4\xbd\xa0\xe5\xa5\xbd\" \xd0\xbc\xd0"
    "\xb8\xd1\x80 caf\xc3\xa9s -- ====== function(x) { return x; }  ";

static void
write_file(const char *name, const char *text, size_t n)
{
	FILE *out;

	(void)snprintf(path, sizeof path, "%s/%s", directory, name);
	out = fopen(path, "wb");
	NEED(out != NULL && fwrite(text, 1, n, out) == n && fclose(out) == 0);
}

/* Fills r50k with the tokens of the built-in encoding, by rank. */
static void
load_r50k(void)
{
	struct ctx_tokenizer *t;
	struct ctx_err err;

	NEED(ctx_tokenizer_open(&t, "r50k_base", NULL, &err) == 0);
	NEED(ref_load(&r50k, t) == 0 && r50k.n == 50256);
	ctx_tokenizer_close(t);
}

static void
encode(const char *name, const char *cache_name, struct ctx_tokens *ids)
{
	struct ctx_token_counter *c;
	struct ctx_tokenizer *t;
	struct ctx_err err;
	uint64_t count;

	ids->n = 0;
	if (ctx_tokenizer_open(&t, name, cache_name, &err) < 0) {
		printf("# %s: %s\n", name, err.text);
		CHECK(err.code == CTX_OK);
		return;
	}
	NEED(ctx_token_counter_open(&c, t, CTX_SIMD_BEST, &err) == 0);
	CHECK(ctx_token_encode(c, sample, sizeof sample - 1, false, ids,
		  &err) == 0);
	CHECK(ctx_token_count(c, sample, sizeof sample - 1, &count, &err) == 0);
	CHECK(count == ids->n);
	ctx_token_counter_close(c);
	ctx_tokenizer_close(t);
}

static bool
same(const struct ctx_tokens *a, const struct ctx_tokens *b)
{
	return a->n == b->n && a->n > 0 &&
	    memcmp(a->ids, b->ids, a->n * sizeof *a->ids) == 0;
}

static void
write_ranks(void)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkl"
				     "mnopqrstuvwxyz0123456789+/";
	struct ctx_buf text = {0};
	struct ctx_err err;
	const unsigned char *s;
	uint32_t bits;
	size_t i, k, n;
	char four[5];

	for (i = 0; i < r50k.n; i++) {
		s = (const unsigned char *)r50k.tokens[i].p;
		n = r50k.tokens[i].n;
		for (k = 0; k < n; k += 3) {
			bits = (uint32_t)s[k] << 16 |
			    (k + 1 < n ? (uint32_t)s[k + 1] << 8 : 0) |
			    (k + 2 < n ? s[k + 2] : 0);
			four[0] = digits[bits >> 18];
			four[1] = digits[bits >> 12 & 63];
			four[2] = k + 1 < n ? digits[bits >> 6 & 63] : '=';
			four[3] = k + 2 < n ? digits[bits & 63] : '=';
			NEED(ctx_buf_add(&text, four, 4, &err) == 0);
		}
		NEED(ctx_buf_printf(&text, &err, " %zu\n", i) == 0);
	}
	write_file("r50k_copy.tiktoken", text.p, text.n);
	ctx_buf_release(&text);
}

static size_t
only_cached(char *name, size_t size)
{
	DIR *dir = opendir(cache);
	struct dirent *entry;
	size_t n = 0;

	if (dir == NULL)
		return 0;
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.') {
			(void)snprintf(name, size, "%s/%s", cache,
			    entry->d_name);
			n++;
		}
	closedir(dir);
	return n;
}

static void
rank_files(void)
{
	struct ctx_tokens want = {0}, got = {0};
	unsigned long long seed = 7;
	struct stat before, after;
	char name[400], file[120];
	unsigned i;
	FILE *f;

	tap_case("a rank file gives the tokens of the built-in encoding");
	write_ranks();
	memcpy(file, path, sizeof file);
	encode("r50k_base", NULL, &want);
	encode(file, NULL, &got);
	CHECK(same(&want, &got));
	encode(file, cache, &got);
	CHECK(same(&want, &got));
	tap_case("a vocabulary file is compiled once");
	CHECK(only_cached(name, sizeof name) == 1);
	CHECK(stat(name, &before) == 0);
	encode(file, cache, &got);
	CHECK(same(&want, &got) && stat(name, &after) == 0);
	CHECK(before.st_ino == after.st_ino);
	tap_case("a truncated or changed cache file is compiled again");
	CHECK(truncate(name, before.st_size / 2) == 0);
	encode(file, cache, &got);
	CHECK(same(&want, &got));
	CHECK(stat(name, &after) == 0 && after.st_size == before.st_size);
	for (i = 0; i < 16; i++) {
		f = fopen(name, "r+b");
		NEED(f != NULL);
		/* The head, then anywhere. */
		(void)fseek(f,
		    (long)(tap_random(&seed) >> 20) %
			(i < 8 ? 400 : (long)before.st_size),
		    SEEK_SET);
		fputc((int)(tap_random(&seed) >> 56), f);
		fclose(f);
		encode(file, cache, &got);
		CHECK(got.n > 0);
		if (i < 8)
			CHECK(unlink(name) == 0);
		encode(file, i < 8 ? cache : NULL, &got);
		CHECK(same(&want, &got));
	}
	tap_case("a cache that cannot be created is not an error");
	encode(file, "/nonexistent/cache", &got);
	CHECK(same(&want, &got));
	(void)unlink(name);
	ctx_tokens_release(&want);
	ctx_tokens_release(&got);
}

/* A token in the byte-level alphabet, as UTF-8. */
static void
byte_level(char *out, const char *p, size_t n)
{
	size_t i, at = 0;
	unsigned c, byte, next;

	for (i = 0; i < n; i++) {
		c = byte = (unsigned char)p[i];
		if (byte <= 0x20)
			c = 0x100 + byte;
		else if (byte >= 0x7f && byte <= 0xa0)
			c = 0x121 + byte - 0x7f;
		else if (byte == 0xad)
			c = 0x143;
		next = c < 0x80 ? 0 : c >> 6;
		if (next > 0)
			out[at++] = (char)(0xc0 | next);
		out[at++] = (char)(next > 0 ? 0x80 | (c & 63) : c);
	}
	out[at] = '\0';
}

/* Bytes of the left of the two tokens that token i is merged from. */
static size_t
left_part(const struct ref_vocab *v, size_t i)
{
	uint32_t ids[200];
	struct ref_vocab older = {calloc(i, sizeof *older.tokens), i};
	const struct ref_token *t = v->tokens + i;
	size_t n;

	NEED(older.tokens != NULL);
	memcpy(older.tokens, v->tokens, i * sizeof *older.tokens);
	qsort(older.tokens, i, sizeof *older.tokens, ref_compare);
	n = ref_encode_piece(&older, t->p, t->n, ids);
	free(older.tokens);
	NEED(n == 2);
	return v->tokens[ids[0]].n;
}

static json_t *
make_tokenizer(void)
{
	json_t *vocab = json_object(), *merges = json_array(), *root;
	char name[300], merge[700], a[300], b[300];
	size_t i, left;

	for (i = 0; i < 256 + MERGES; i++) {
		byte_level(name, r50k.tokens[i].p, r50k.tokens[i].n);
		json_object_set_new(vocab, name, json_integer((json_int_t)i));
		if (i < 256)
			continue;
		left = left_part(&r50k, i);
		byte_level(a, r50k.tokens[i].p, left);
		byte_level(b, r50k.tokens[i].p + left, r50k.tokens[i].n - left);
		(void)snprintf(merge, sizeof merge, "%s %s", a, b);
		json_array_append_new(merges, json_string(merge));
	}
	root = json_pack("{s:[{s:i,s:s,s:b},{s:i,s:s,s:b}], s:{s:s,s:b},"
			 "s:{s:s,s:o,s:o}}",
	    "added_tokens", "id", 5000, "content", "<|x|>", "special", 1, "id",
	    5001, "content", "brown f", "special", 0, "pre_tokenizer", "type",
	    "ByteLevel", "add_prefix_space", 0, "model", "type", "BPE", "vocab",
	    vocab, "merges", merges);
	NEED(root != NULL);
	return root;
}

static void
write_json(const char *name, json_t *root)
{
	char *text = json_dumps(root, JSON_COMPACT);

	NEED(text != NULL);
	write_file(name, text, strlen(text));
	free(text);
}

static void
tokenizer_json(json_t *root)
{
	struct ctx_tokens got = {0};
	struct ref_vocab some = {r50k.tokens, 256 + MERGES};
	const char *added = strstr(sample, "brown f");
	uint32_t want[sizeof sample];
	size_t before = (size_t)(added - sample), n;

	tap_case("a tokenizer.json gives the tokens of the reference");
	qsort(some.tokens, some.n, sizeof *some.tokens, ref_compare);
	n = ref_encode(&some, ref_r50k, sample, before, want);
	want[n++] = 5001;
	n += ref_encode(&some, ref_r50k, added + 7,
	    sizeof sample - 1 - before - 7, want + n);
	write_json("tokenizer.json", root);
	encode(path, cache, &got);
	CHECK(got.n == n && memcmp(got.ids, want, n * sizeof *want) == 0);
	encode(path, cache, &got);
	CHECK(got.n == n && memcmp(got.ids, want, n * sizeof *want) == 0);
	ctx_tokens_release(&got);
}

static void
check_limits(struct ctx_token_counter *c, const char *p, size_t n)
{
	struct ctx_token_index index = {0};
	uint64_t all, limit, tokens, want;
	struct ctx_err err;
	bool within;
	size_t at;

	CHECK(ctx_token_count(c, p, n, &all, &err) == 0);
	CHECK(ctx_token_index_append(&index, c, (struct ctx_str){p, n / 2},
		  &err) == 0);
	CHECK(ctx_token_index_append(&index, c, (struct ctx_str){p, n}, &err) ==
	    0);
	CHECK(index.tokens == all);
	for (limit = 0; limit <= all + 1; limit += 1 + limit / 9) {
		CHECK(ctx_token_fits(c, p, n, limit, &within, &err) == 0);
		CHECK(within == (all <= limit));
		CHECK(ctx_token_head(c, (struct ctx_str){p, n}, limit, &at,
			  &tokens, &err) == 0);
		CHECK(ctx_token_count(c, p, at, &want, &err) == 0);
		CHECK(tokens == want && want <= limit);
		CHECK(all > limit || at == n);
		CHECK(ctx_token_index_head(&index, limit, &at, &tokens, &err) ==
		    0);
		CHECK(ctx_token_count(c, p, at, &want, &err) == 0);
		CHECK(tokens == want && want <= limit);
		CHECK(ctx_token_index_tail(&index, limit, &at, &tokens, &err) ==
		    0);
		CHECK(ctx_token_count(c, p + at, n - at, &want, &err) == 0);
		CHECK(tokens == want && want <= limit);
		CHECK(ctx_token_index_range(&index, at / 2, n, &tokens, &err) ==
		    0);
		CHECK(ctx_token_count(c, p + at / 2, n - at / 2, &want, &err) ==
		    0);
		CHECK(tokens == want);
	}
	ctx_token_index_release(&index);
}

/* Added tokens and patterns move boundaries from afar. */
static void
limits(json_t *root)
{
	json_t *splitters = json_pack("{s:s, s:[{s:s, s:s, s:{s:s}}, {s:s}]}",
		   "type", "Sequence", "pretokenizers", "type", "Split",
		   "behavior", "Isolated", "pattern", "Regex",
		   "[^,;]+[,;]*(?=.)|x", "type", "ByteLevel"),
	       *copy = json_copy(root);
	static char text[12 * sizeof sample];
	struct ctx_token_counter *c;
	struct ctx_tokenizer *t;
	struct ctx_err err;
	unsigned i, round;

	tap_case("limits hold if pre-tokens depend on distant text");
	for (i = 0; i < 12; i++)
		memcpy(text + i * (sizeof sample - 1), sample, sizeof sample);
	for (round = 0; round < 2; round++) {
		if (round == 1)
			json_object_set(copy, "pre_tokenizer", splitters);
		write_json("tokenizer.json", copy);
		NEED(ctx_tokenizer_open(&t, path, NULL, &err) == 0);
		NEED(ctx_token_counter_open(&c, t, CTX_SIMD_BEST, &err) == 0);
		CHECK(ctx_tokenizer_basis(t) == CTX_BASIS_EXACT);
		check_limits(c, sample, sizeof sample - 1);
		check_limits(c, text, strlen(text));
		ctx_token_counter_close(c);
		ctx_tokenizer_close(t);
	}
	write_json("tokenizer.json", root);
	json_decref(copy);
	json_decref(splitters);
}

/* What comes in parts costs what it does as a whole, wherever they end. */
static void
check_parts(struct ctx_token_counter *c, const char *p, size_t n)
{
	size_t size, done, end, at, sure = 0;
	uint64_t all, sum, tokens;
	struct ctx_err err;

	CHECK(ctx_token_count(c, p, n, &all, &err) == 0);
	for (size = n / 3; size > 0; size -= size < 40 ? 1 : size / 8) {
		sum = done = 0;
		for (end = size; end < n; end += size) {
			NEED(ctx_token_count_streaming(c, p + done, end - done,
				 &at, &tokens, &err) == 0);
			NEED(at <= end - done);
			done += at;
			sum += tokens;
		}
		sure = done > sure ? done : sure;
		CHECK(
		    ctx_token_count(c, p + done, n - done, &tokens, &err) == 0);
		CHECK(sum + tokens == all);
	}
	CHECK(sure > n / 2);
}

/* Names that part the text, one of them the beginning of another; digits,
 * which need not wait for what follows them; matches of many pieces; characters
 * that are a match with what stands before them. */
static void
parts(json_t *root)
{
	static const char *const regexes[][2] = {{NULL, NULL}, {"\\p{N}", "x"},
	    {"\\p{N}{1,900}|[^\\p{N}]{1,90}", "\\p{N}{1,3}"},
	    {"[^,;]+[,;]*(?=.)|x", "\\s+"}, {" ?\\p{P}+|\\P{P}", "x"}};
	static char text[12000];
	json_t *copy = json_deep_copy(root), *list;
	struct ctx_token_counter *c;
	struct ctx_tokenizer *t;
	struct ctx_err err;
	size_t n = 0, i, k = 0;

	tap_case("parts of a text cost as much as the whole");
	list = json_object_get(copy, "added_tokens");
	NEED(json_array_append_new(list,
		 json_pack("{s:i, s:s, s:b}", "id", 5002, "content",
		     "brown fox ca", "special", 0)) == 0);
	NEED(json_array_append_new(list,
		 json_pack("{s:i, s:s, s:b}", "id", 5003, "content", "345",
		     "special", 0)) == 0);
	while (n < sizeof text - sizeof sample) {
		memcpy(text + n, sample, sizeof sample - 1);
		n += sizeof sample - 1;
		/* A space and a dash are a token. */
		for (i = 0; i < 40 && n < sizeof text; i++)
			text[n++] = " \xe2\x80\x93x"[i % 5];
		/* Between them what has no name in it. */
		for (i = 0; i < 1500 && n < sizeof text; i++)
			text[n++] = "2019; x, "[i % (k % 2 == 0 ? 4 : 9)];
		k++;
	}
	for (i = 0; i < sizeof regexes / sizeof regexes[0]; i++) {
		list = json_array();
		for (k = 0; regexes[i][0] != NULL && k < 2; k++)
			json_array_append_new(list,
			    json_pack("{s:s, s:s, s:{s:s}}", "type", "Split",
				"behavior", "Isolated", "pattern", "Regex",
				regexes[i][k]));
		json_array_append_new(list,
		    json_pack("{s:s, s:b}", "type", "ByteLevel",
			"add_prefix_space", 0));
		NEED(json_object_set_new(copy, "pre_tokenizer",
			 json_pack("{s:s, s:o}", "type", "Sequence",
			     "pretokenizers", list)) == 0);
		write_json("tokenizer.json", copy);
		NEED(ctx_tokenizer_open(&t, path, NULL, &err) == 0);
		NEED(ctx_token_counter_open(&c, t, CTX_SIMD_BEST, &err) == 0);
		check_parts(c, text, n);
		ctx_token_counter_close(c);
		ctx_tokenizer_close(t);
	}
	write_json("tokenizer.json", root);
	json_decref(copy);
}

/* ---- GGUF ---------------------------------------------------------------- */

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

/* The vocabulary of a tokenizer.json with 5002 ids. */
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
	put_number(out, 0x46554747, 4); /* GGUF */
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

static void
refused_bytes(const char *what, const char *name, const char *p, size_t n)
{
	struct ctx_tokenizer *t = NULL;
	struct ctx_err err = {0};

	write_file(name, p, n);
	CHECK(ctx_tokenizer_open(&t, path, NULL, &err) == -1 && t == NULL);
	CHECK(err.code == CTX_EFILE);
	if (strstr(err.text, what) == NULL)
		printf("# %s: %s\n", name, err.text);
	CHECK(strstr(err.text, what) != NULL);
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
	/* The tensors do not count, so this one is in the cache. */
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

/* A GGUF file that says so many things. */
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
	/* Numbers are no names of tokens. */
	put_array(&out, "tokenizer.ggml.tokens", U32, 1);
	put_number(&out, 7, 4);
	put_array(&out, "tokenizer.ggml.merges", U32, 1);
	put_number(&out, 7, 4);
	refused_bytes("the type \"gpt2\"", "model.gguf", out.p, out.n);
	ctx_buf_release(&out);
}

/* Splitters that a GGUF file names only are those of a tokenizer.json. */
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

/* ---- the cache ----------------------------------------------------------- */

static bool
as_wanted(const char *file, const struct ctx_tokens *want)
{
	struct ctx_tokens got = {0};
	bool is;

	encode(file, cache, &got);
	is = same(&got, want);
	ctx_tokens_release(&got);
	return is;
}

/* Turns one bit of a file around. */
static void
flip(const char *name, long at, unsigned bit)
{
	FILE *f = fopen(name, "r+b");
	int c;

	NEED(f != NULL && fseek(f, at, SEEK_SET) == 0);
	c = fgetc(f);
	NEED(c != EOF && fseek(f, at, SEEK_SET) == 0);
	fputc(c ^ (1 << bit), f);
	NEED(fclose(f) == 0);
}

static void
flipped_bits(void)
{
	struct ctx_tokens want = {0};
	unsigned long long seed = 11, random;
	struct stat before, after;
	char name[400], file[120];
	long at, size;
	unsigned i;

	tap_case("a flipped bit in the cache changes no token");
	while (only_cached(name, sizeof name) > 0 && unlink(name) == 0)
		;
	(void)snprintf(file, sizeof file, "%s/tokenizer.json", directory);
	encode(file, NULL, &want);
	CHECK(as_wanted(file, &want));
	CHECK(only_cached(name, sizeof name) == 1);
	CHECK(stat(name, &before) == 0);
	size = (long)before.st_size;
	for (i = 0; i < 400; i++) {
		random = tap_random(&seed);
		at = i < 250 ? 2 * (long)i
		    : i < 258
		    ? size - 1 - (long)(i % 8)
		    : (long)((random >> 20) % (unsigned long long)size);
		CHECK(stat(name, &before) == 0);
		flip(name, at, (unsigned)(random >> 60) % 8);
		CHECK(as_wanted(file, &want));
		/* What was bad has been written anew. */
		CHECK(stat(name, &after) == 0 && after.st_ino != before.st_ino);
		CHECK(after.st_size == size);
	}
	for (at = 0; at < size; at += size / 20) {
		CHECK(truncate(name, at) == 0 && as_wanted(file, &want));
		CHECK(stat(name, &after) == 0 && after.st_size == size);
	}
	ctx_tokens_release(&want);
}

static void
many_at_once(void)
{
	struct ctx_tokens want = {0};
	char name[400], file[120];
	pid_t children[8];
	unsigned i, round;
	int status;

	tap_case("several threads may fill the cache at once");
	(void)snprintf(file, sizeof file, "%s/tokenizer.json", directory);
	encode(file, NULL, &want);
	for (round = 0; round < 5; round++) {
		while (only_cached(name, sizeof name) > 0 && unlink(name) == 0)
			;
		fflush(stdout);
		for (i = 0; i < 8; i++) {
			children[i] = fork();
			NEED(children[i] >= 0);
			if (children[i] == 0)
				_exit(!as_wanted(file, &want));
		}
		for (i = 0; i < 8; i++)
			CHECK(waitpid(children[i], &status, 0) == children[i] &&
			    status == 0);
		CHECK(only_cached(name, sizeof name) == 1);
		CHECK(as_wanted(file, &want));
	}
	ctx_tokens_release(&want);
}

static void
refused(const char *what, const char *name, const char *text)
{
	refused_bytes(what, name, text, strlen(text));
}

/* Added tokens that would be looked for too long at each byte of a text. */
static void
refused_names(void)
{
	json_t *file =
	    json_load_file("tests/fuzz/seeds/token_file/json", 0, NULL);
	json_t *added = json_array();
	char name[1101], *text;
	int i;

	(void)json_object_set_new(file, "added_tokens", added);
	memset(name, 'a', sizeof name);
	for (i = 0; i < 257; i++)
		(void)json_array_append_new(added,
		    json_pack("{s:i,s:s%,s:b,s:b}", "id", 5000 + i, "content",
			name, (size_t)i + 1, "special", i & 1, "normalized",
			0));
	text = json_dumps(file, JSON_COMPACT);
	refused("each of which begins with the one before", "a.json", text);
	free(text);
	(void)json_array_clear(added);
	(void)json_array_append_new(added,
	    json_pack("{s:i,s:s%}", "id", 5000, "content", name, (size_t)1025));
	text = json_dumps(file, JSON_COMPACT);
	refused("an added token has 1025 bytes", "a.json", text);
	free(text);
	json_decref(file);
}

#define WITH_SPLIT(pattern, behavior)                                  \
	"{\"model\":{\"type\":\"BPE\",\"vocab\":{},\"merges\":[]},"    \
	"\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[" \
	"{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" pattern "\"}," \
	"\"behavior\":\"" behavior "\"},{\"type\":\"ByteLevel\","      \
	"\"use_regex\":false}]}}"

static void
refusals(void)
{
	tap_case("a vocabulary that cannot be counted exactly is refused with "
		 "the reason");
	refused("Unigram", "a.json", "{\"model\":{\"type\":\"Unigram\"}}");
	refused("WordPiece", "a.json", "{\"model\":{\"type\":\"WordPiece\"}}");
	refused("byte_fallback", "a.json",
	    "{\"model\":{\"type\":\"BPE\","
	    "\"byte_fallback\":true,\"vocab\":{},\"merges\":[]}}");
	refused("Metaspace", "a.json",
	    "{\"model\":{\"type\":\"BPE\","
	    "\"vocab\":{},\"merges\":[]},\"pre_tokenizer\":"
	    "{\"type\":\"Metaspace\"}}");
	refused("a possessive group", "a.json",
	    WITH_SPLIT("(?:.)++", "Isolated"));
	refused("not Isolated, but Removed", "a.json",
	    WITH_SPLIT(".", "Removed"));
	refused("not Isolated, but MergedWithNext", "a.json",
	    WITH_SPLIT(".", "MergedWithNext"));
	refused("", "a.json", "{\"model\":");
	refused("does not begin with its encoding", "some.tiktoken",
	    "IQ== 0\n");
	refused("its rank", "r50k.tiktoken", "IQ== 0\nnonsense\n");
	refused("no token for the byte", "r50k.tiktoken", "IQ== 0\n");
	refused("two tokens have the rank", "r50k.tiktoken",
	    "IQ== 0\nIg== 0\n");
	refused_names();
	refused("is too large", "r50k.tiktoken", "IQ== 99999999\n");
	refused("must have a token in base64 and its rank", "r50k.tiktoken",
	    "IQ== 0 1\n");
	refused("must have a token in base64 and its rank", "r50k.tiktoken",
	    "IQ==\n");
	refused("must have a token in base64 and its rank", "r50k.tiktoken",
	    "== 0\n");
	refused("must have a token in base64 and its rank", "r50k.tiktoken",
	    "IQ== 123456789\n");
	refused("no token for the byte", "r50k.tiktoken", "IQ== 0\r\nIg== 1");
	refused("unexpected token", "a.json", " \t\r\n{\"model\":");
}

static void
clean_up(void)
{
	static const char *const names[] = {"r50k_copy.tiktoken",
	    "tokenizer.json", "model.gguf", "a.json", "some.tiktoken",
	    "r50k.tiktoken"};
	char name[400];
	size_t i;

	for (i = 0; i < sizeof names / sizeof names[0]; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		(void)unlink(path);
	}
	while (only_cached(name, sizeof name) > 0 && unlink(name) == 0)
		;
	(void)rmdir(cache);
	CHECK(rmdir(directory) == 0);
	ref_release(&r50k);
}

int
main(void)
{
	json_t *root;

	NEED(ref_load_classes("lib/gen/data/unicode16.tsv") == 0);
	NEED(mkdtemp(directory) != NULL);
	(void)snprintf(cache, sizeof cache, "%s/cache", directory);
	load_r50k();
	rank_files();
	root = make_tokenizer();
	tokenizer_json(root);
	limits(root);
	parts(root);
	gguf(root);
	odd_gguf();
	named_splitters(root);
	json_decref(root);
	flipped_bits();
	many_at_once();
	refusals();
	clean_up();
	return tap_done();
}
