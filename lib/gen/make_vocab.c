/*
 * make_vocab.c - run when ctx is built: packs a tokenizer's vocabulary into a
 * compact file
 *
 *     make-vocab r50k|cl100k|o200k|mistral RANKS... > BLOCK
 *
 * The input files together list all tokens in the order of their ranks, each as
 * one byte with its length, and then its bytes (see lib/gen/data/README).
 */
#define PROGRAM "make-vocab"
#include <string.h>

#include "gen/input.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/build.h"

static struct ctx_build_token *tokens;
/* For each token: a token that begins or ends with its bytes, and the offset of
 * its bytes in this token.  The token itself, if there is none. */
static struct container {
	uint32_t token, at;
} * containers;

static void
read_file(struct ctx_buf *buf, const char *name)
{
	FILE *in = fopen(name, "rb");
	char part[65536];
	struct ctx_err err;
	size_t n;

	check(in != NULL, name);
	while ((n = fread(part, 1, sizeof part, in)) > 0)
		check(ctx_buf_add(buf, part, n, &err) == 0, err.text);
	check(!ferror(in), name);
	fclose(in);
}

static void
add_token(size_t i, const char *p, size_t n)
{
	tokens[i].p = p;
	tokens[i].n = n;
	tokens[i].id = (uint32_t)i;
}

/* Compares tokens for qsort by their bytes, from the first on. */
static int
compare_forward(const void *a, const void *b)
{
	const struct ctx_build_token *x = tokens + *(const uint32_t *)a;
	const struct ctx_build_token *y = tokens + *(const uint32_t *)b;
	int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);

	return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

/* Compares tokens for qsort by their bytes, from the last on. */
static int
compare_backward(const void *a, const void *b)
{
	const struct ctx_build_token *x = tokens + *(const uint32_t *)a;
	const struct ctx_build_token *y = tokens + *(const uint32_t *)b;
	uint32_t i;

	for (i = 1; i <= x->n && i <= y->n; i++)
		if (x->p[x->n - i] != y->p[y->n - i])
			return (unsigned char)x->p[x->n - i] -
			    (unsigned char)y->p[y->n - i];
	return (x->n > y->n) - (x->n < y->n);
}

/* Finds containers among the n tokens of a list: for each token whose bytes are
 * at the beginning (at_end: at the end) of the next token in sorted order, this
 * token.  Returns the number of tokens without a container, which are now at
 * the beginning of the list. */
static size_t
find_containers(uint32_t *list, size_t n, bool at_end)
{
	const struct ctx_build_token *t, *next;
	size_t kept = 0, i;
	uint32_t at;

	qsort(list, n, sizeof *list,
	    at_end ? compare_backward : compare_forward);
	for (i = 0; i < n; i++) {
		t = tokens + list[i];
		next = tokens + list[i + 1 < n ? i + 1 : i];
		at = at_end && next->n > t->n ? next->n - t->n : 0;
		if (next != t && next->n >= t->n &&
		    memcmp(next->p + at, t->p, t->n) == 0)
			containers[list[i]] =
			    (struct container){list[i + 1], at};
		else
			list[kept++] = list[i];
	}
	return kept;
}

/* Writes the bytes of the n tokens to the buffer, so that a token and its
 * container have the same bytes.  The first tokens, which are the most
 * frequent, come first.  Then lets t->p of all tokens point into the buffer. */
static void
place_tokens(struct ctx_buf *text, size_t n)
{
	size_t *places = malloc((n + 1) * sizeof *places), at;
	struct ctx_err err;
	uint32_t i, in;

	check(places != NULL, "out of memory");
	for (i = 0; i < n; i++)
		places[i] = SIZE_MAX;
	for (i = 0; i < n; i++) {
		at = 0;
		for (in = i; containers[in].token != in;
		     in = containers[in].token)
			at += containers[in].at;
		if (places[in] == SIZE_MAX) {
			places[in] = text->n;
			check(ctx_buf_add(text, tokens[in].p, tokens[in].n,
				  &err) == 0,
			    err.text);
		}
		places[i] = places[in] + at;
	}
	for (i = 0; i < n; i++)
		tokens[i].p = text->p + places[i];
	free(places);
}

/* Makes the text in which the bytes of the n tokens are
 * (ctx_vocab_builder.shared_text). */
static void
share_text(struct ctx_buf *text, size_t n)
{
	uint32_t *list = malloc((n + 1) * sizeof *list), i;
	size_t listed = 0;

	containers = malloc((n + 1) * sizeof *containers);
	check(list != NULL && containers != NULL, "out of memory");
	for (i = 0; i < n; i++) {
		containers[i] = (struct container){i, 0};
		if (tokens[i].n > 0)
			list[listed++] = i;
	}
	listed = find_containers(list, listed, false);
	(void)find_containers(list, listed, true);
	place_tokens(text, n);
	free(list);
	free(containers);
}

/* Special tokens of Mistral's SentencePiece models that have a purpose (the
 * others have names such as [control_12]): first the three of version 1, then
 * those that version 3 adds, then those that version 7 adds.  Before those of
 * version 7, add_names inserts the tokens [REFERENCE_DOC_0] to
 * [REFERENCE_DOC_19]. */
enum { NAMES_V3 = 14, DOCUMENTS = 20, NAMES = 21 };
static const struct ctx_build_added_token names[NAMES] = {
#define NAME(text, id, added)                           \
	{                                               \
		text, sizeof text - 1, id, added, added \
	}
    NAME("<unk>", 0, false), NAME("<s>", 1, false), NAME("</s>", 2, false),
    NAME("[INST]", 3, false), NAME("[/INST]", 4, false),
    NAME("[TOOL_CALLS]", 5, false), NAME("[AVAILABLE_TOOLS]", 6, false),
    NAME("[/AVAILABLE_TOOLS]", 7, false), NAME("[TOOL_RESULTS]", 8, false),
    NAME("[/TOOL_RESULTS]", 9, false), NAME("[IMG]", 10, false),
    NAME("[PREFIX]", 11, false), NAME("[MIDDLE]", 12, false),
    NAME("[SUFFIX]", 13, false), NAME("[IMG_BREAK]", 14, false),
    NAME("[IMG_END]", 15, false), NAME("[SYSTEM_PROMPT]", 16, false),
    NAME("[/SYSTEM_PROMPT]", 17, false), NAME("[TOOL_CONTENT]", 18, false),
    NAME("[/REF]", 749, true), NAME("[REF]", 750, true)};

static void
add_names(struct ctx_vocab_builder *pack)
{
	static struct ctx_build_added_token list[NAMES + DOCUMENTS];
	static char text[DOCUMENTS][24];
	struct ctx_build_added_token *document = list + NAMES_V3;
	uint32_t i;

	memcpy(list, names, NAMES_V3 * sizeof *list);
	for (i = 0; i < DOCUMENTS; i++, document++) {
		*document = (struct ctx_build_added_token){.p = text[i],
		    .id = 770 - i,
		    .added = true,
		    .normal = true};
		document->n = (uint32_t)snprintf(text[i], sizeof text[i],
		    "[REFERENCE_DOC_%u]", (unsigned)i);
	}
	memcpy(document, names + NAMES_V3, (NAMES - NAMES_V3) * sizeof *list);
	pack->specials = list;
	pack->nspecials = NAMES + DOCUMENTS;
}

/* Compares tokens for qsort by length, the longest first. */
static int
compare_lengths(const void *a, const void *b)
{
	const struct ctx_build_token *x = a, *y = b;

	return (x->n < y->n) - (x->n > y->n);
}

/* Says how the tokens of Mistral's vocabulary are merged: from characters, in
 * the order of their ids.  Only several blanks are merged after all others, the
 * most blanks first; these tokens get numbers after all ids. */
static void
read_mistral(struct ctx_vocab_builder *pack)
{
	/* id of the first token that is neither special nor a byte */
	enum { FIRST = 259 };
	struct ctx_build_token *t, *blanks = tokens + pack->n;
	size_t n = pack->n, i;
	uint32_t cp;

	for (i = 0; i < n; i++) {
		t = tokens + i;
		if (i < FIRST) {
			t->cut = CTX_BUILD_NEVER;
		} else if (ctx_char_next(t->p, t->n, &cp) == t->n) {
			t->cut = CTX_BUILD_CHAR;
		} else if (*t->p == ' ' &&
		    memcmp(t->p, t->p + 1, t->n - 1) == 0) {
			tokens[pack->n++] = *t;
			t->n = 0;
		}
	}
	qsort(blanks, pack->n - n, sizeof *blanks, compare_lengths);
	pack->whole = false;
	pack->prefix = CTX_VOCAB_PREFIX | CTX_VOCAB_PREFIX_ONCE;
	add_names(pack);
}

static const struct {
	const char *name;
	struct ctx_pretokenizer pretokenizer;
} schemes[] = {
    {"r50k", {CTX_PRETOKENIZER_R50K, 0, 1, 0}},
    {"cl100k", {CTX_PRETOKENIZER_CL100K, 3, 1, 0}},
    {"o200k", {CTX_PRETOKENIZER_O200K, 3, 1, 0}},
    {"mistral", {CTX_PRETOKENIZER_CHARS, 0, 0, 0}},
};

#define SCHEMES (sizeof schemes / sizeof schemes[0])

int
main(int argc, char **argv)
{
	struct ctx_vocab_builder pack = {.whole = true};
	struct ctx_buf buf = {0}, text = {0};
	struct ctx_err err;
	size_t size, i;
	void *block;
	int arg;

	for (i = 0; i < SCHEMES && argc > 2; i++)
		if (strcmp(schemes[i].name, argv[1]) == 0)
			break;
	check(argc >= 3 && i < SCHEMES,
	    "usage: make-vocab r50k|cl100k|o200k|mistral RANKS... > BLOCK");
	pack.pretokenizer = schemes[i].pretokenizer;
	for (arg = 2; arg < argc; arg++)
		read_file(&buf, argv[arg]);
	tokens = calloc(buf.n + 1, sizeof *tokens);
	check(tokens != NULL, "out of memory");
	pack.n = split_strings(buf.p, buf.n, add_token);
	pack.tokens = tokens;
	if (pack.pretokenizer.family == CTX_PRETOKENIZER_CHARS)
		read_mistral(&pack);
	share_text(&text, pack.n);
	pack.shared_text = ctx_buf_str(&text);
	check(ctx_vocab_build(&pack, &block, &size, &err) == 0, err.text);
	check(fwrite(block, 1, size, stdout) == size && fflush(stdout) == 0,
	    "cannot write");
	free(block);
	free(tokens);
	ctx_buf_release(&text);
	ctx_buf_release(&buf);
	return 0;
}
