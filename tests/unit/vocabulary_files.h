/*
 * vocabulary_files.h - writes vocabulary files for the tests of loading
 *
 * All files are in one directory, beside the cache. init_files creates the
 * directory, and remove_files removes it.
 */
#ifndef VOCABULARY_FILES_H
#define VOCABULARY_FILES_H

#include <dirent.h>
#include <jansson.h>
#include <stdint.h>
#include <unistd.h>

#include "tap.h"
#include "token_ref.h"

/* number of tokens of r50k that are written to tokenizer.json */
#define MERGES 3000

static char directory[] = "/tmp/ctx-token-XXXXXX", cache[80], path[120];
static struct ref_vocab r50k;
static const char sample[] =
    "The quick brown fox can't jump over 12345 lazy "
    "dogs;\n\n  they'll   sleep.\t\"\xe4\xbd\xa0\xe5\xa5\xbd\" \xd0\xbc\xd0"
    "\xb8\xd1\x80 caf\xc3\xa9s -- ====== function(x) { return x; }  ";

static inline void
write_file(const char *name, const char *text, size_t n)
{
	FILE *out;

	(void)snprintf(path, sizeof path, "%s/%s", directory, name);
	out = fopen(path, "wb");
	NEED(out != NULL && fwrite(text, 1, n, out) == n && fclose(out) == 0);
}

/* Fills r50k with the tokens of the built-in encoding, in the order of
 * ranks. */
static inline void
load_r50k(void)
{
	struct ctx_tokenizer *t;
	struct ctx_err err;

	NEED(ctx_tokenizer_open(&t, "r50k_base", NULL, &err) == 0);
	NEED(ref_load(&r50k, t) == 0 && r50k.n == 50256);
	ctx_tokenizer_close(t);
}

static inline void
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

static inline bool
same(const struct ctx_tokens *a, const struct ctx_tokens *b)
{
	return a->n == b->n && a->n > 0 &&
	    memcmp(a->ids, b->ids, a->n * sizeof *a->ids) == 0;
}

static inline size_t
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

/* Writes a token with byte-level characters, as UTF-8. */
static inline void
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

/* Returns the length in bytes of the first of the two tokens from which token i
 * is merged. */
static inline size_t
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

static inline json_t *
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

static inline void
write_json(const char *name, json_t *root)
{
	char *text = json_dumps(root, JSON_COMPACT);

	NEED(text != NULL);
	write_file(name, text, strlen(text));
	free(text);
}

static inline void
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

/* Fills r50k.  Must be called once, before all other functions. */
static inline void
init_files(void)
{
	NEED(ref_load_classes("lib/gen/data/unicode16.tsv") == 0);
	NEED(mkdtemp(directory) != NULL);
	(void)snprintf(cache, sizeof cache, "%s/cache", directory);
	load_r50k();
}

static inline void
remove_files(void)
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

#endif
