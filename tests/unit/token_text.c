/* token_text.c - tests functions for the tokens of a text */
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/pretokenize.h"
#include "tokenizer/open.h"
#include "token_ref.h"
/* included after token_ref.h, whose parameters have the names of variables in
 * this file */
#include "token_parts.h"

static struct ref_vocab vocab;

static void
open_encoding(const char *name)
{
	open_tokenizer(name);
	NEED(ref_load(&vocab, tokenizer) == 0);
	ref_sort(&vocab);
}

static void
close_encoding(void)
{
	ref_release(&vocab);
	close_tokenizer();
}

static bool
is_valid(const struct ref_token *t)
{
	struct ref_char c[200];
	size_t n = ref_chars(t->p, t->n, c);

	while (n > 0 && c[n - 1].cp != UINT32_MAX)
		n--;
	return n == 0;
}

/* Makes a text of tokens of the vocabulary.  Some parts are single bytes, some
 * are one token repeated. valid: only tokens that are whole UTF-8 are used. */
static size_t
make_text(char *text, size_t n, bool valid)
{
	const struct ref_token *t;
	size_t length = 0, again;

	while (length < n) {
		t = vocab.tokens + pick(vocab.n);
		if (valid && !is_valid(t))
			continue;
		again = pick(30) == 0 ? pick(40) : 1;
		for (; again > 0 && length + t->n <= n; again--) {
			memcpy(text + length, t->p, t->n);
			length += t->n;
		}
		if (length + 1 < n)
			text[length++] = " \nae'1A."[pick(8)];
		else
			break;
	}
	return length;
}

/* Makes a text with long pieces: a few characters, without white space. */
static size_t
make_word(char *text, size_t n)
{
	static const char *const alphabets[] = {"abcdefghijklmnopqrstuvwxyz",
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "ab", "=-", "aeiounst", "=", "/*-_.",
	    " \t\n", "\n "};
	const char *from =
	    alphabets[pick(sizeof alphabets / sizeof alphabets[0])];
	size_t i;

	for (i = 0; i < n; i++)
		text[i] = from[pick(strlen(from))];
	return n;
}

static void
check_ids(const struct ref_element (*pattern)[6], const char *p, size_t n)
{
	struct ctx_tokens ids = {0};
	uint32_t *want = malloc((n + 1) * sizeof *want);
	size_t k;

	NEED(want != NULL);
	k = ref_encode(&vocab, pattern, p, n, want);
	CHECK(ctx_token_encode(counter, p, n, false, &ids, &err) == 0);
	CHECK(ids.n == k &&
	    (k == 0 || memcmp(ids.ids, want, k * sizeof *want) == 0));
	CHECK(count(p, n) == k);
	ctx_tokens_release(&ids);
	free(want);
}

static void
merging(const struct ref_element (*pattern)[6])
{
	char text[700];
	unsigned i;
	size_t n;

	tap_case("random texts and long words are encoded as by the reference");
	for (i = 0; i < 1000; i++) {
		n = i % 2 == 0 ? make_text(text, pick(300), i % 4 == 0)
			       : make_word(text, pick(i % 60 == 1 ? 400 : 100));
		check_ids(pattern, text, n);
	}
}

/* Returns the number of ids, which is found without the tables that counting
 * uses. */
static size_t
encoded(const char *p, size_t n)
{
	struct ctx_tokens ids = {0};
	size_t k;

	CHECK(ctx_token_encode(counter, p, n, false, &ids, &err) == 0);
	k = ids.n;
	ctx_tokens_release(&ids);
	return k;
}

/* Tests texts of characters of one script, with a character of another script
 * at regular distances: texts with many pieces, and words of all lengths. */
static void
scripts(void)
{
	static const struct {
		const char *other;
		uint32_t first, n;
		size_t every;
	} all[] = {{" ", 0x4e00, 3000, 3000}, {" ", 0x4e00, 40, 9},
	    {" ", 0xe01, 46, 30}, {" ", 0x430, 32, 40}, {"\n", 0xac00, 900, 7},
	    {"!", 0x3041, 80, 1000}, {" ", 0x1f600, 60, 50}};
	char text[40000];
	size_t i, n, round;
	uint32_t cp;

	tap_case("texts of other scripts count as they are encoded");
	for (i = 0; i < sizeof all / sizeof all[0]; i++)
		for (round = 0; round < 3; round++) {
			for (n = 0; n + 4 < sizeof text;) {
				if (pick(all[i].every) == 0)
					text[n++] = *all[i].other;
				cp = all[i].first + (uint32_t)pick(all[i].n);
				n += ref_put_char(text + n, cp);
			}
			CHECK(count(text, n) == encoded(text, n));
			CHECK(count(text, n) == encoded(text, n));
		}
}

static void
no_text(void)
{
	char bytes[300];
	size_t i, n;

	tap_case("bytes that are not UTF-8 count as they are encoded");
	for (n = 1; n < sizeof bytes; n++) {
		for (i = 0; i < n; i++)
			bytes[i] = (char)(pick(3) == 0 ? pick(256) : 'a');
		bytes[pick(n)] = (char)0xff;
		CHECK(count(bytes, n) == encoded(bytes, n));
		CHECK(count(bytes, n) == encoded(bytes, n));
	}
}

static void
every_character(const struct ref_element (*pattern)[6])
{
	static const char *const around[][2] = {{"a", "b"}, {" ", "B"},
	    {"!", "a "}, {"Aa", "'s"}, {"12", "3"}, {"'", "\n"}};
	/* With CHECK_LONG, tests all characters, otherwise some of each
	 * block. */
	uint32_t step = getenv("CHECK_LONG") != NULL ? 1 : 97, cp;
	char text[600];
	size_t n = 0, i;

	tap_case("characters in context are encoded as by the reference");
	for (cp = 0; cp < 0x110000; cp += cp < 0x1000 ? 1 : step) {
		if (cp >= 0xd800 && cp < 0xe000)
			continue;
		i = cp % 6;
		n += (size_t)snprintf(text + n, 8, "%s", around[i][0]);
		n += ref_put_char(text + n, cp);
		n += (size_t)snprintf(text + n, 8, "%s", around[i][1]);
		if (n > sizeof text - 30) {
			check_ids(pattern, text, n);
			n = 0;
		}
	}
	check_ids(pattern, text, n);
}

static void
cut_anywhere(const struct ref_element (*pattern)[6])
{
	char text[160];
	unsigned i;
	size_t n, cut;

	tap_case("random texts cut at every byte");
	for (i = 0; i < 12; i++) {
		n = make_text(text, sizeof text, i % 3 > 0);
		for (cut = 0; cut <= n; cut++) {
			check_ids(pattern, text, cut);
			check_ids(pattern, text + cut, n - cut);
		}
	}
}

/* Compares long pieces with the definition of BPE, which ctx_bpe_queue follows
 * exactly. */
static void
long_pieces(void)
{
	static const char *const runs[] = {"a", " ", "\n", "=", "\xe4\xb8\xad",
	    "^", "A", "\xf0\x9f\x98\x80", "ab", "-=", "\t ", "0", "aab",
	    "=-=", "the", "\xd0\xb6"};
	const struct ctx_vocab *v = &tokenizer->vocab;
	/* number of bytes, smaller for later runs */
	size_t n = 1000000, i, k, length;
	char *text = malloc(n);
	uint32_t *out = malloc(n * sizeof *out);
	uint64_t want;

	tap_case("a million equal characters");
	NEED(text != NULL && out != NULL);
	for (i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		n = i < 5 ? 1000000 : 100000;
		for (k = 0; k < n; k++)
			text[k] = runs[i][k % strlen(runs[i])];
		want = 0;
		for (k = 0; k < n; k += length) {
			length = ctx_pretoken_next(v->head->pretokenizer,
			    text + k, n - k);
			want += ctx_vocab_find(v, text + k, length) !=
				CTX_VOCAB_NONE
			    ? 1
			    : ctx_bpe_queue(v, text + k, length, out, &err);
		}
		CHECK(count(text, n) == want);
	}
	free(text);
	free(out);
}

static void
backends(void)
{
	static const enum ctx_simd all[] = {CTX_SIMD_PORTABLE, CTX_SIMD_SSE2,
	    CTX_SIMD_AVX2, CTX_SIMD_AVX512, CTX_SIMD_NEON};
	struct ctx_token_counter *other;
	uint64_t tokens;
	char text[20000];
	unsigned i, round;
	size_t n;

	tap_case("every back end counts the same");
	for (i = 0; i < sizeof all / sizeof all[0]; i++) {
		NEED(ctx_token_counter_open(&other, tokenizer, all[i], &err) ==
		    0);
		for (round = 0; round < 50; round++) {
			n = make_text(text, pick(sizeof text), false);
			CHECK(ctx_token_count(other, text, n, &tokens, &err) ==
			    0);
			CHECK(tokens == count(text, n));
		}
		ctx_token_counter_close(other);
	}
}

static void
limits(void)
{
	char text[6000];
	uint64_t whole, limit, tokens;
	size_t n, at;
	unsigned i;

	tap_case("the longest head and tail within a limit");
	for (i = 0; i < 600; i++) {
		n = make_text(text, pick(i % 10 == 0 ? sizeof text : 200),
		    true);
		whole = count(text, n);
		limit = i % 3 == 0            ? whole
		    : i % 3 == 1 && whole > 0 ? whole - 1
					      : pick((size_t)whole * 2 + 2);
		CHECK(ctx_token_head(counter, (struct ctx_str){text, n}, limit,
			  &at, &tokens, &err) == 0);
		CHECK(at <= n && tokens <= limit && count(text, at) == tokens);
		CHECK(whole > limit || at == n);
		CHECK(at == n || ((unsigned char)text[at] & 0xc0) != 0x80);
		/* The head is almost as long as the limit allows. */
		CHECK(at == n || tokens + 12 > limit ||
		    count(text, at + 1) > limit);
		CHECK(ctx_token_tail(counter, (struct ctx_str){text, n}, limit,
			  &at, &tokens, &err) == 0);
		CHECK(at <= n && tokens <= limit);
		CHECK(count(text + at, n - at) == tokens);
		CHECK(whole > limit || at == 0);
		CHECK(at == n || ((unsigned char)text[at] & 0xc0) != 0x80);
		CHECK(at == 0 || tokens + 12 > limit ||
		    count(text + at - 1, n - at + 1) > limit);
	}
}

static void
checkpoints(void)
{
	static char text[100000];
	struct ctx_token_index index = {0};
	size_t n, end, from, to, at;
	uint64_t tokens, limit;
	unsigned round, i;

	tap_case("counts between checkpoints equal direct counts, also after "
		 "appending");
	for (round = 0; round < 8; round++) {
		n = round % 4 == 3
		    ? make_word(text, 9000)
		    : make_text(text, sizeof text, round % 4 == 1);
		for (end = 0; end < n;) {
			end += 1 + pick(round % 3 == 0 ? 20000 : 3000);
			end = end < n ? end : n;
			CHECK(ctx_token_index_append(&index, counter,
				  (struct ctx_str){text, end}, &err) == 0);
			CHECK(index.text.n == end);
			if (pick(4) == 0)
				CHECK(index.tokens == count(text, end));
		}
		CHECK(index.tokens == count(text, n));
		for (i = 0; i < 60; i++) {
			from = pick(n);
			to = from + pick(n - from + 1);
			CHECK(ctx_token_index_range(&index, from, to, &tokens,
				  &err) == 0);
			CHECK(tokens == count(text + from, to - from));
			limit = pick((size_t)index.tokens + 10);
			CHECK(ctx_token_index_head(&index, limit, &at, &tokens,
				  &err) == 0);
			CHECK(tokens <= limit && tokens == count(text, at));
			if (i % 10 > 0)
				continue;
			CHECK(ctx_token_index_tail(&index, limit, &at, &tokens,
				  &err) == 0);
			CHECK(tokens <= limit &&
			    tokens == count(text + at, n - at));
		}
		ctx_token_index_reset(&index);
	}
	ctx_token_index_release(&index);
}

static void
parts(void)
{
	static char text[100000];
	static const char *const runs[] = {"a", " ", "\n", "=", "0", "'s",
	    " \n", "\xe4\xb8\xad", "\x80", "\xf0\x9f\x98", "don't ",
	    "\xe4\xb8\xad'll "};
	size_t n, k, i;

	tap_case("a text in several parts costs as much as the whole");
	for (i = 0; i < 40; i++) {
		n = i % 4 == 3 ? make_word(text, 9000)
			       : make_text(text, pick(sizeof text), i % 4 == 1);
		k = i % 3 == 0 ? 30000 : i % 3 == 1 ? 3000 : 100;
		CHECK(count_parts(text, n, k, n) == count(text, n));
	}
	for (i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		k = strlen(runs[i]);
		for (n = 0; n + k <= 20000; n += k)
			memcpy(text + n, runs[i], k);
		CHECK(count_parts(text, n, 700, n) == count(text, n));
		CHECK(count_parts(text, n - 1, 9000, n) == count(text, n - 1));
	}
	/* If a text consists of words, only a small part is left uncounted. */
	for (n = 0; n < sizeof text; n++)
		text[n] = n % 7 == 6 ? ' ' : (char)('a' + pick(26));
	CHECK(count_parts(text, n, 30000, 7 * 256 * 4) == count(text, n));
}

/* Tests texts whose end is split differently if more bytes follow.  So many
 * pieces come before that a step of the count ends at each byte of the end. */
static void
cut_ends(void)
{
	static const char *const ends[] = {"\xe4\xb8\xad"
					   "A'll b",
	    "\xe4\xb8\xad"
	    "Ab",
	    "they'll", "A'VE b",
	    "it'\xc5\xbf"
	    "b",
	    "   b", "\n \n b", " \n  \n\n b", "\r\n \r\n", "12345", "!\n/b",
	    "a\xcc\x81"
	    "B",
	    "\xff'll", "'\xff'll"};
	static char text[4000];
	size_t i, words, n, end, cut, at;
	uint64_t whole, tokens;

	tap_case(
	    "the count of a prefix stays valid wherever the text is continued");
	for (i = 0; i < sizeof ends / sizeof ends[0]; i++)
		for (words = 508; words < 513; words++) {
			for (n = 0; n < 2 * words; n += 2)
				memcpy(text + n, " a", 2);
			end = n + strlen(ends[i]);
			memcpy(text + n, ends[i], end - n);
			whole = count(text, end);
			for (cut = n; cut <= end; cut++) {
				CHECK(ctx_token_count_streaming(counter, text,
					  cut, &at, &tokens, &err) == 0);
				CHECK(at <= cut &&
				    tokens + count(text + at, end - at) ==
					whole);
			}
		}
}

static void
special_tokens(void)
{
	static const char text[] = "a<|start|>b<|endoftext|><|nothing|>"
				   "<|reserved_200013|><|reserved_200005|>";
	struct ctx_tokenizer *harmony, *plain;
	struct ctx_token_counter *c;
	struct ctx_tokens ids = {0};
	struct ctx_buf buf = {0};
	uint32_t id = 0;

	tap_case("special tokens are text unless asked for");
	NEED(ctx_tokenizer_open(&harmony, "o200k_harmony", NULL, &err) == 0);
	NEED(ctx_tokenizer_open(&plain, "o200k_base", NULL, &err) == 0);
	NEED(ctx_token_counter_open(&c, harmony, CTX_SIMD_BEST, &err) == 0);
	CHECK(ref_special(harmony, "<|call|>", 8, &id) && id == 200012);
	CHECK(ref_special(harmony, "<|reserved_200018|>", 19, &id) &&
	    id == 200018);
	CHECK(ref_special(plain, "<|endofprompt|>", 15, &id) && id == 200018);
	CHECK(!ref_special(plain, "<|call|>", 8, &id));
	CHECK(!ref_special(harmony, "<|call|> ", 9, &id));
	CHECK(
	    ctx_token_encode(c, text, sizeof text - 1, true, &ids, &err) == 0);
	CHECK(ids.n > 8 && ids.ids[1] == 200006 && ids.ids[3] == 199999);
	CHECK(ctx_tokenizer_decode(harmony, ids.ids, ids.n, &buf, &err) == 0);
	CHECK(buf.n == sizeof text - 1 && memcmp(buf.p, text, buf.n) == 0);
	ids.n = 0;
	CHECK(ctx_token_encode(c, "<|end|>", 7, false, &ids, &err) == 0);
	CHECK(ids.n > 1);
	id = 200010;
	CHECK(ctx_tokenizer_decode(plain, &id, 1, &buf, &err) == -1 &&
	    err.code == CTX_EARG);
	ctx_tokens_release(&ids);
	ctx_buf_release(&buf);
	ctx_token_counter_close(c);
	ctx_tokenizer_close(harmony);
	ctx_tokenizer_close(plain);
}

static void
names(void)
{
	struct ctx_tokenizer *t;
	struct ctx_token_counter *c;
	struct ctx_tokens ids = {0};
	uint64_t tokens;
	size_t i, at;

	tap_case("every built-in name opens");
	for (i = 0; ctx_tokenizer_builtin(i) != NULL; i++) {
		NEED(ctx_tokenizer_open(&t, ctx_tokenizer_builtin(i), NULL,
			 &err) == 0);
		CHECK(strcmp(ctx_tokenizer_name(t), ctx_tokenizer_builtin(i)) ==
		    0);
		ctx_tokenizer_close(t);
	}
	CHECK(i == 14);
	CHECK(ctx_tokenizer_open(&t, "no such encoding", NULL, &err) == -1);
	CHECK(err.code == CTX_EARG && t == NULL);
	tap_case("bytes/4 estimates");
	NEED(ctx_tokenizer_open(&t, "bytes/4", NULL, &err) == 0);
	NEED(ctx_token_counter_open(&c, t, CTX_SIMD_BEST, &err) == 0);
	CHECK(ctx_tokenizer_basis(t) == CTX_BASIS_ESTIMATED);
	CHECK(ctx_tokenizer_basis(tokenizer) == CTX_BASIS_EXACT);
	CHECK(ctx_token_count(c, "12345", 5, &tokens, &err) == 0);
	CHECK(tokens == 2);
	CHECK(ctx_token_head(c, (struct ctx_str){"123\xc3\xa9", 5}, 1, &at,
		  &tokens, &err) == 0);
	CHECK(at == 3 && tokens == 1);
	CHECK(ctx_token_tail(c,
		  (struct ctx_str){"1\xc3\xa9"
				   "23",
		      5},
		  1, &at, &tokens, &err) == 0);
	CHECK(at == 1 && tokens == 1);
	CHECK(ctx_token_encode(c, "a", 1, false, &ids, &err) == -1);
	CHECK(err.code == CTX_EARG);
	ctx_token_counter_close(c);
	ctx_tokenizer_close(t);
}

/* More texts than the table of stored texts has entries; each is counted
 * twice. */
static void
stored_texts(void)
{
	enum { TEXTS = 40000 };
	char *text = malloc(TEXTS + 200);
	struct ctx_token_counter *storing;
	uint64_t want, tokens;
	size_t same = 0;

	tap_case("a counter that stores texts counts them alike");
	NEED(text != NULL);
	NEED(ctx_token_counter_open(&storing, tokenizer, CTX_SIMD_BEST, &err) ==
	    0);
	NEED(ctx_token_counter_store_texts(storing, &err) == 0);
	memset(text, ' ', TEXTS + 200);
	(void)make_text(text, TEXTS + 200, true);
	for (size_t i = 0; i < 2 * TEXTS; i++) {
		const char *p = text + i % TEXTS;
		size_t n = i % TEXTS % 200;

		NEED(ctx_token_count(counter, p, n, &want, &err) == 0);
		NEED(ctx_token_count(storing, p, n, &tokens, &err) == 0);
		same += tokens == want;
	}
	CHECK(same == 2 * TEXTS);
	ctx_token_counter_close(storing);
	free(text);
}

int
main(void)
{
	NEED(ref_load_classes("lib/gen/data/unicode16.tsv") == 0);
	open_encoding("r50k_base");
	cut_ends();
	close_encoding();
	open_encoding("cl100k_base");
	merging(ref_cl100k);
	every_character(ref_cl100k);
	cut_ends();
	close_encoding();
	open_encoding("o200k_base");
	merging(ref_o200k);
	scripts();
	no_text();
	every_character(ref_o200k);
	cut_anywhere(ref_o200k);
	long_pieces();
	backends();
	limits();
	checkpoints();
	parts();
	stored_texts();
	cut_ends();
	special_tokens();
	names();
	close_encoding();
	return tap_done();
}
