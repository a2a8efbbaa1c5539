/* load.c - tests loading of vocabulary files, and when they are compiled
 * again */
#include <sys/stat.h>

#include "vocabulary_files.h"

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
		/* Changes a byte in the head of the file, then anywhere. */
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
	size_t at;

	CHECK(ctx_token_count(c, p, n, &all, &err) == 0);
	CHECK(ctx_token_index_append(&index, c, (struct ctx_str){p, n / 2},
		  &err) == 0);
	CHECK(ctx_token_index_append(&index, c, (struct ctx_str){p, n}, &err) ==
	    0);
	CHECK(index.tokens == all);
	for (limit = 0; limit <= all + 1; limit += 1 + limit / 9) {
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

/* Tests added tokens and patterns, with which a byte can change tokens far
 * before it. */
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

/* Checks that a text in parts has as many tokens as the whole text, wherever
 * the parts end. */
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

/* Tests counting in parts with: names of added tokens, one of which is the
 * beginning of another; digits, which do not depend on what follows; matches
 * that consist of many pieces; and characters that match together with earlier
 * characters. */
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
		/* A space and a dash together are a token. */
		for (i = 0; i < 40 && n < sizeof text; i++)
			text[n++] = " \xe2\x80\x93x"[i % 5];
		/* The text between the names contains no name. */
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

static void
refused(const char *what, const char *name, const char *text)
{
	refused_bytes(what, name, text, strlen(text));
}

/* Tests names of added tokens that would make the search at each byte of a text
 * too slow. */
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
	refused("more than 255 tokens of the list added_tokens", "a.json",
	    text);
	free(text);
	(void)json_array_clear(added);
	(void)json_array_append_new(added,
	    json_pack("{s:i,s:s%}", "id", 5000, "content", name, (size_t)1025));
	text = json_dumps(file, JSON_COMPACT);
	refused("a token of the list added_tokens has 1025 bytes", "a.json",
	    text);
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
	refused("99999999, which is above the maximum 1048575", "r50k.tiktoken",
	    "IQ== 99999999\n");
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

int
main(void)
{
	json_t *root;

	init_files();
	rank_files();
	root = make_tokenizer();
	tokenizer_json(root);
	limits(root);
	parts(root);
	json_decref(root);
	refusals();
	remove_files();
	return tap_done();
}
