/* nfc.c - tests encodings that normalize texts (NFC), compared with the
 * tokenizers library */
#include <jansson.h>
#include <stdint.h>
#include <unistd.h>

#include "nfc_ref.h"
#include "tap.h"
#include "token_parts.h"
#include "tokenizer/encode/nfc.h"

static json_t *root; /* contents of tests/corpus/nfc.json */
static struct ctx_nfc nfc;
static struct ctx_buf out;

static struct ctx_str
normal(const char *p, size_t n)
{
	struct ctx_str text = {p, n};
	bool changed;

	CHECK(ctx_nfc_text(&nfc, &text, &out, &changed, &err) == 0);
	CHECK(changed == (text.p != p));
	CHECK(!changed || text.n != n || memcmp(text.p, p, n) != 0);
	return text;
}

/* ---- normal forms -------------------------------------------------------- */

static uint64_t
add_sum(uint64_t sum, struct ctx_str text)
{
	size_t i;

	for (i = 0; i < text.n; i++)
		sum = (sum ^ (unsigned char)text.p[i]) * 0x100000001b3u;
	return sum;
}

/* Returns the checksum of the normal forms of a block of characters, in texts
 * separated by NUL, as tests/corpus/nfc.py computes it. */
static uint64_t
sum_of_block(uint32_t block)
{
	static const char *const around[][2] = {{"", ""},
	    {"a", "\xcc\x81\xcc\xa3"}, {"q\xcd\x85", "e\xcc\x88"}};
	uint64_t sum = 0xcbf29ce484222325u;
	char text[20], character[5] = {0};
	bool first = true;
	uint32_t cp;
	size_t i, n, length;

	for (cp = block; cp < block + 4096; cp++) {
		if (cp >= 0xd800 && cp < 0xe000)
			continue;
		length = ref_put_char(character, cp);
		for (i = 0; i < 3; i++) {
			n = strlen(around[i][0]);
			memcpy(text, around[i][0], n);
			memcpy(text + n, character, length);
			memcpy(text + n + length, around[i][1],
			    strlen(around[i][1]));
			n += length + strlen(around[i][1]);
			if (!first)
				sum = add_sum(sum, (struct ctx_str){"", 1});
			sum = add_sum(sum, normal(text, n));
			first = false;
		}
	}
	return sum;
}

static void
every_character(void)
{
	json_t *sums = json_object_get(root, "sums");
	char want[20];
	size_t i;

	tap_case(
	    "every character in context is normalized as by the reference");
	CHECK(json_array_size(sums) == 272);
	for (i = 0; i < json_array_size(sums); i++) {
		(void)snprintf(want, sizeof want, "%016llx",
		    (unsigned long long)sum_of_block((uint32_t)i * 4096));
		if (strcmp(want, json_string_value(json_array_get(sums, i))) !=
		    0)
			printf("# from U+%zX000 on\n", i);
		CHECK(strcmp(want,
			  json_string_value(json_array_get(sums, i))) == 0);
	}
}

/* Tests characters in a long text, which is read many bytes at a time. */
static void
in_long_text(void)
{
	char text[220], want[220];
	struct ctx_str got;
	size_t n, length, before;
	uint32_t cp;

	tap_case("every character between long normalized texts");
	memset(text, 'x', sizeof text);
	for (cp = 0x80; cp < 0x110000; cp++) {
		if (cp >= 0xd800 && cp < 0xe000)
			continue;
		before = 16 + cp % 100;
		text[before] = 'e';
		n = 1 + ref_put_char(text + before + 1, cp);
		got = normal(text + before, n);
		length = got.n;
		memcpy(want, got.p, length);
		text[before + n] = 'x';
		got = normal(text, sizeof text);
		CHECK(got.n == sizeof text - n + length);
		CHECK(memcmp(got.p + before, want, length) == 0);
		CHECK(got.p[before + length] == 'x' && got.p[0] == 'x');
		memset(text + before, 'x', n);
	}
}

static void
check_normal(const char *p, size_t n)
{
	char *want = malloc(4 * n + 1);
	struct ctx_str got;
	size_t length;

	NEED(want != NULL);
	length = nfc_ref(p, n, want);
	got = normal(p, n);
	CHECK(got.n == length && memcmp(got.p, want, length) == 0);
	free(want);
}

/* Tests every pair of characters that can be composed, and of characters that
 * decompose. */
static void
pairs(void)
{
	char text[40];
	unsigned i, k;
	size_t n;

	tap_case("composed characters with each of their combining marks");
	for (i = 0; i < nfc_n; i++)
		for (k = i % 7; k < nfc_n; k += 7) {
			if (!nfc_list[k].composed)
				continue;
			n = ref_put_char(text, nfc_list[i].from);
			n += ref_put_char(text + n, nfc_list[k].b);
			n += ref_put_char(text + n, nfc_list[i].a);
			n += ref_put_char(text + n, nfc_list[k].b);
			check_normal(text, n);
		}
}

static uint32_t
random_char(void)
{
	static const uint32_t all[] = {'a', 'e', 'A', ' ', 'K', 0x1100, 0x1112,
	    0x1161, 0x1175, 0x11a7, 0x11a8, 0x11c2, 0xac00, 0xac01, 0xac1c,
	    0x4e2d, 0x3ba, 0x304b, 0x3099, 0x915, 0x93c, 0x9c7, 0x9be, 0x9d7,
	    0x200d, 0x1f600, 0x300, 0x301, 0x304, 0x308, 0x323, 0x327, 0x338,
	    0x345, 0xf71, 0xf72, 0xf73, 0x1d165, 0x1d16e, 0x1d158};
	uint32_t cp;

	switch (pick(4)) {
	case 0:
		return nfc_list[pick(nfc_n)].from;
	case 1:
		cp = nfc_list[pick(nfc_n)].b;
		return cp == 0 ? 0x301 : cp;
	case 2:
		return 0x300 + (uint32_t)pick(0x70);
	default:
		return all[pick(sizeof all / sizeof all[0])];
	}
}

/* Makes a text of a few random characters, which are repeated, and of bytes
 * that are not UTF-8. */
static size_t
make_text(char *text, size_t size)
{
	uint32_t few[4] = {random_char(), random_char(), random_char(),
	    random_char()};
	size_t n = 0;

	while (n + 24 < size) {
		n += ref_put_char(text + n,
		    pick(2) == 0 ? few[pick(4)] : random_char());
		if (pick(40) == 0)
			text[n++] = (char)(0x80 + pick(128));
		if (pick(60) == 0) {
			memcpy(text + n, "ordinary words ", 15);
			n += 15;
		}
	}
	return n;
}

static void
random_texts(void)
{
	char text[300], *copy;
	size_t n, cut;
	unsigned i;

	tap_case("random texts, cut at every byte");
	for (i = 0; i < 150; i++) {
		n = make_text(text, 60 + pick(sizeof text - 60));
		for (cut = 0; cut <= n; cut++) {
			/* The copy has exactly the size of the text, so that a
			 * sanitizer finds reads beyond its end. */
			copy = malloc(n + 1);
			NEED(copy != NULL);
			memcpy(copy, text + cut, n - cut);
			check_normal(copy, n - cut);
			memcpy(copy, text, cut);
			check_normal(copy, cut);
			free(copy);
		}
	}
}

/* Tests that a text can be normalized in parts, if it is divided where this is
 * allowed. */
static void
settled(void)
{
	char text[400], whole[1700];
	struct ctx_str a, b;
	size_t n, end, at;
	uint32_t cp;
	unsigned i;

	tap_case("appended text does not change the settled part");
	for (i = 0; i < 3000; i++) {
		n = make_text(text, 30 + pick(sizeof text - 30));
		at = pick(n);
		for (end = 0; end <= at;)
			end += ctx_utf8_next(text + end, n - end, &cp);
		at = ctx_nfc_settled(text, end);
		CHECK(at < end);
		a = normal(text, at);
		memcpy(whole, a.p, a.n);
		end = a.n;
		b = normal(text + at, n - at);
		memcpy(whole + end, b.p, b.n);
		end += b.n;
		a = normal(text, n);
		CHECK(a.n == end && memcmp(a.p, whole, end) == 0);
	}
}

/* Tests a text that consists of many marks with alternating classes.  A slow
 * algorithm would take hours. */
static void
long_rows(void)
{
	static const char *const marks[] = {"\xcc\x81", "\xcc\xa3", "\xcd\x85",
	    "\xcc\xb4"};
	size_t n = 1 + 2 * 1000000, i, k;
	char *text = malloc(n);
	struct ctx_str got;

	tap_case("a million combining marks on one character");
	NEED(text != NULL);
	text[0] = 'a';
	for (i = 0; 2 * i + 1 < n; i++)
		memcpy(text + 1 + 2 * i, marks[i % 4], 2);
	got = normal(text, n);
	/* U+0323 is composed with the letter before.  Then U+0301 remains a
	 * separate mark. */
	CHECK(got.n == n);
	CHECK(memcmp(got.p, "\xe1\xba\xa1", 3) == 0);
	for (k = 0; k < 4; k++) {
		i = 3 + 2 * (k * 250000 - (k > 1));
		CHECK(memcmp(got.p + i,
			  marks[k == 0     ? 3
				  : k == 1 ? 1
				  : k == 2 ? 0
					   : 2],
			  2) == 0);
	}
	CHECK(ctx_nfc_settled(text, n) == 0);
	for (i = 0; i + 3 < n; i += 3)
		memcpy(text + i, "\xe1\x85\xa1", 3);
	got = normal(text, i);
	CHECK(got.n == i && got.p == text);
	free(text);
}

/* ---- encodings ----------------------------------------------------------- */

static bool named; /* true if the tokenizer has added tokens */

/* Opens the tokenizer of a list in the corpus file. */
static void
open_list(const json_t *list)
{
	static char path[] = "/tmp/ctx-nfc-XXXXXX";
	json_t *copy = json_copy(json_object_get(root, "tokenizer"));
	FILE *file;
	int fd;

	memcpy(path + sizeof path - 7, "XXXXXX", 6);
	fd = mkstemp(path);
	NEED(fd >= 0 && (file = fdopen(fd, "w")) != NULL);
	json_object_set(copy, "pre_tokenizer",
	    json_object_get(list, "pre_tokenizer"));
	json_object_set(copy, "added_tokens",
	    json_object_get(list, "added_tokens"));
	NEED(json_dumpf(copy, file, 0) == 0 && fclose(file) == 0);
	json_decref(copy);
	open_tokenizer(path);
	NEED(unlink(path) == 0);
	CHECK(ctx_tokenizer_basis(tokenizer) == CTX_BASIS_EXACT);
	named = json_array_size(json_object_get(list, "added_tokens")) > 0;
}

static void
check_ids(const char *p, size_t n, const json_t *want)
{
	struct ctx_tokens ids = {0};
	struct ctx_buf decoded = {0};
	struct ctx_str text;
	size_t i;

	CHECK(ctx_token_encode(counter, p, n, false, &ids, &err) == 0);
	CHECK(ids.n == json_array_size(want));
	CHECK(count(p, n) == ids.n);
	for (i = 0; i < ids.n; i++)
		CHECK(
		    ids.ids[i] == json_integer_value(json_array_get(want, i)));
	/* Names that are searched for in the original text separate characters
	 * that would be composed.  So decoding is tested only without names. */
	if (!named) {
		CHECK(ctx_tokenizer_decode(tokenizer, ids.ids, ids.n, &decoded,
			  &err) == 0);
		text = normal(p, n);
		CHECK(text.n == decoded.n &&
		    memcmp(text.p, decoded.p, text.n) == 0);
	}
	ctx_buf_release(&decoded);
	ctx_tokens_release(&ids);
}

static void
recorded(const json_t *cases)
{
	const json_t *text, *one;
	size_t i;

	tap_case("texts are encoded as by the reference");
	json_array_foreach(cases, i, one) {
		text = json_array_get(one, 0);
		check_ids(json_string_value(text), json_string_length(text),
		    json_array_get(one, 1));
	}
	CHECK(i == 60);
	tap_case(
	    "parts, cuts and checkpoints of texts equal their whole count");
	json_array_foreach(cases, i, one) {
		text = json_array_get(one, 0);
		check_all(json_string_value(text), json_string_length(text));
	}
}

/* Tests long texts that are in NFC except at a few offsets, or nowhere. */
static void
long_texts(void)
{
	static const char words[] =
	    "some words, and 12 numbers; caf\xc3\xa9s"
	    " \xec\x95\x88\xeb\x85\x95, don't\n\n the end, e";
	static char text[30000];
	size_t n, i, length, rest;
	char some[200];

	tap_case("parts, cuts and checkpoints of long texts equal their whole "
		 "count");
	for (i = 0; i < 5; i++) {
		for (n = 0; n + sizeof words + sizeof some < sizeof text;
		     n += length) {
			length = sizeof words - 1;
			memcpy(text + n, words, length);
			if (i == 0 || pick(i == 4 ? 2 : 90) > 0)
				continue;
			rest = make_text(some, sizeof some);
			memcpy(text + n + length, some, rest);
			length += rest;
		}
		check_all(text, n);
		CHECK(count_parts(text, n, 20000, n) == count(text, n));
	}
	/* Words that NFC changes can be counted before the end of the text is
	 * known. */
	for (n = 0; n + 9 < sizeof text; n += 9)
		memcpy(text + n, "cafe\xcc\x81s, ", 9);
	CHECK(count_parts(text, n, 5000, 19999) == count(text, n));
}

int
main(void)
{
	json_error_t where;
	json_t *list;
	size_t i;

	root = json_load_file("tests/corpus/nfc.json", 0, &where);
	NEED(root != NULL);
	NEED(nfc_load("lib/gen/data/nfc9.tsv") == 0);
	every_character();
	in_long_text();
	pairs();
	random_texts();
	settled();
	long_rows();
	json_array_foreach(json_object_get(root, "lists"), i, list) {
		open_list(list);
		recorded(json_object_get(list, "cases"));
		long_texts();
		close_tokenizer();
	}
	CHECK(i == 4);
	ctx_nfc_release(&nfc);
	ctx_buf_release(&out);
	json_decref(root);
	return tap_done();
}
