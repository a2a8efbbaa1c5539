/* recall_terms.c - divides messages into terms (words), for the strategy
 * recall */
#include <stdlib.h>
#include <string.h>

#include "prune/plan.h"
#include "prune/strategy/embed.h"
#include "prune/strategy/recall.h"
#include "prune/strategy/segment_text.h"
#include "prune/strategy/words.h"

enum {
	/* A form of address, such as "Hey Ann!", is expected in this many words
	 * at the beginning of a text. */
	ADDRESS_WORDS = 3,
	/* The name of the writer, as in "Ann: hello", is expected in this many
	 * bytes at the beginning of a text. */
	LABEL = 80,
	/* Equal terms (words) in the array r->found are merged only when the
	 * array has at least this many elements. */
	MERGE_LEAST = 1 << 16,
	/* A text of more than this many bytes is divided into passages (a few
	 * lines each). */
	LONG_TEXT = 1000,
};

static int
compare_terms(const void *a, const void *b)
{
	const struct posting *x = a, *y = b;

	return (x->term > y->term) - (x->term < y->term);
}

/* Sorts the elements of r->found by term (word), and merges elements with equal
 * terms. */
static void
merge_terms(struct recall *r)
{
	struct posting *found = r->found;
	size_t n = 0;

	if (r->n_found > 0)
		qsort(found, r->n_found, sizeof *found, compare_terms);
	for (size_t i = 0; i < r->n_found; i++)
		if (n > 0 && found[n - 1].term == found[i].term)
			found[n - 1].count += found[i].count;
		else
			found[n++] = found[i];
	r->n_found = n;
}

int
ctx_recall_add_term(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct recall *r = user;
	uint32_t id;

	if (ctx_intern(&r->terms, p, n, &id, err) < 0)
		return -1;
	/* Merge equal terms (words) to save memory: most words of a long text
	 * occur several times in it. */
	if (r->n_found >= MERGE_LEAST && r->n_found >= r->merge_at) {
		merge_terms(r);
		r->merge_at = 2 * r->n_found;
	}
	if (CTX_GROW(r->found, r->found_cap, r->n_found + 1, err) < 0)
		return -1;
	r->found[r->n_found++] = (struct posting){id, 1};
	r->length++;
	return 0;
}

int
ctx_recall_add_doc(struct recall *r, const struct doc *about,
    struct ctx_err *err)
{
	struct doc doc = {.side = NO_SIDE};

	if (CTX_GROW(r->docs, r->docs_cap, r->n_docs + 1, err) < 0)
		return -1;
	merge_terms(r);
	if (CTX_GROW(r->postings, r->postings_cap,
		r->n_postings + r->n_found + 1, err) < 0)
		return -1;
	if (about != NULL)
		doc = *about;
	doc.from = r->n_postings;
	doc.n = (uint32_t)r->n_found;
	doc.length = r->length;
	if (doc.passage.from == 0)
		r->n_segments++;
	doc.segment = (uint32_t)(r->n_segments - 1);
	r->docs[r->n_docs++] = doc;
	if (r->n_found > 0)
		memcpy(r->postings + r->n_postings, r->found,
		    r->n_found * sizeof *r->postings);
	r->n_postings += r->n_found;
	r->n_found = r->merge_at = r->length = 0;
	return 0;
}

/* Sets r->text to the name of the writer of a segment (message or part of one)
 * and its texts. */
static int
read_message_text(struct recall *r, const struct ctx_message *message,
    unsigned flags, struct ctx_err *err)
{
	r->text.n = 0;
	if (ctx_append_node_text(&r->text, message->json, message->name, err) <
	    0)
		return -1;
	r->name = r->text.n > 0 ? r->text.n - 1 : 0;
	for (size_t i = 0; i < message->n; i++)
		if (ctx_is_in_segment(&message->blocks[i], flags) &&
		    ctx_append_block_text(&r->text, &r->tool, message,
			&message->blocks[i], err) < 0)
			return -1;
	return 0;
}

static enum side
find_side(const struct ctx_message *message)
{
	if (message->role == CTX_ROLE_USER)
		return USER;
	return message->role == CTX_ROLE_ASSISTANT ? ASSISTANT : NO_SIDE;
}

/* Returns the length in bytes of the writer's name at the beginning of r->text.
 * If the message has the name of its sender as a member, r->text begins with
 * this name, and r->name is its length.  Otherwise the name is the text before
 * the first colon, as in "Ann: hello". */
static size_t
find_label(const struct recall *r)
{
	size_t n = r->text.n < LABEL ? r->text.n : LABEL;

	if (r->name > 0)
		return r->name;
	for (size_t i = 0; i + 1 < n && r->text.p[i] != '\n'; i++)
		if (r->text.p[i] == ':' && r->text.p[i + 1] == ' ')
			return i;
	return 0;
}

/* Makes the text of this segment, without the name of its writer, the question.
 * speaker: the term (word) that is the name of the writer at the beginning of
 * the text. */
static void
set_question(struct recall *r, uint32_t speaker)
{
	struct ctx_buf *text = &r->text, before = r->question;

	r->label = r->name > 0 ? 0 : find_label(r);
	r->asker = r->label > 0 ? speaker : 0;
	r->asking = r->n_segments - 1;
	text->n -= r->name;
	if (r->name > 0)
		memmove(text->p, text->p + r->name, text->n);
	r->question = *text;
	*text = before;
}

static bool
is_name_letter(char c)
{
	return ctx_is_letter(c) || (c & 0x80) != 0;
}

static int
take_addressee(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct recall *r = user;

	return ctx_intern(&r->terms, p, n, &r->docs[r->n_docs - 1].addressee,
	    err);
}

/* Stores whom the newest segment addresses.  A word near the beginning of the
 * text is taken for the name of this person if it begins with a capital letter
 * and a punctuation mark comes after it: "Thanks, Ann!", "Ann, you must see
 * it".  If the first word of the text is such a word, the next one is
 * preferred, because the first may be a greeting ("Thanks,"). */
static int
record_addressee(struct recall *r, struct ctx_err *err)
{
	struct ctx_words terms = {.user = r, .take = take_addressee};
	struct doc *doc = &r->docs[r->n_docs - 1];
	size_t i = r->name, n = r->text.n, from;
	const char *p = r->text.p;

	for (size_t words = 0; words < ADDRESS_WORDS; words++) {
		while (i < n && !is_name_letter(p[i]))
			i++;
		for (from = i; i < n && is_name_letter(p[i]); i++)
			;
		if (i >= n)
			break;
		if ((p[from] >= 'a' && p[from] <= 'z') ||
		    memchr(",.!?", p[i], 4) == NULL)
			continue;
		if (ctx_terms_of(&terms, p + from, i - from, err) < 0)
			return -1;
		if (words > 0 && doc->addressee != 0)
			break;
	}
	return 0;
}

/* Appends the terms (words) of the first "end" bytes of r->text to r->found.
 * Sets *speaker to the last term of the writer's name at the beginning of the
 * text, as in "Ann: hello", or to 0 if there is no name. */
static int
read_terms(struct recall *r, size_t end, uint32_t *speaker, struct ctx_err *err)
{
	struct ctx_words terms = {.user = r, .take = ctx_recall_add_term};
	size_t n = find_label(r);

	*speaker = 0;
	if (end == 0)
		return 0;
	if (n > end)
		n = 0;
	if (ctx_terms_of(&terms, r->text.p, n, err) < 0)
		return -1;
	if (r->n_found > 0)
		*speaker = r->found[r->n_found - 1].term;
	return ctx_terms_of(&terms, r->text.p + n, end - n, err);
}

/* Returns the offset in r->text at which the message's own text begins.  It is
 * 0 or, if the message has a member with the sender's name, the offset after
 * this name. */
static size_t
find_own_text(const struct recall *r)
{
	return r->name > 0 ? r->name + 1 : 0;
}

/* Like find_own_text, but returns the length of r->text if the text must not be
 * divided into passages, because it is too short, or because the message
 * contains more than one text. */
static size_t
find_long_text(const struct recall *r, const struct ctx_message *message,
    unsigned flags)
{
	const unsigned never = CTX_SEGMENT_SYSTEM | CTX_SEGMENT_RESULTS |
	    CTX_SEGMENT_SUMMARY | CTX_SEGMENT_NOTICE |
	    CTX_SEGMENT_WITH_SUMMARY | CTX_SEGMENT_WITH_NOTICE;
	const struct ctx_block *block = message->blocks;
	size_t from = find_own_text(r);

	if (r->base.options.whole || (flags & never) || message->n != 1 ||
	    block->kind != CTX_BLOCK_TEXT || block->no_truncate ||
	    block->payload == 0 ||
	    message->json->nodes[block->payload].kind != CTX_JSON_STRING ||
	    (message->flags & CTX_MESSAGE_HIDDEN) ||
	    r->text.n <= from + LONG_TEXT)
		return r->text.n;
	return from;
}

/* Adds a struct doc for the first "end" bytes of r->text.  These bytes are a
 * segment, or its first passage. */
static int
add_first_doc(struct recall *r, struct doc *doc, size_t end,
    struct ctx_err *err)
{
	size_t from = find_own_text(r);

	if (read_terms(r, end, &doc->speaker, err) < 0 ||
	    ctx_recall_add_doc(r, doc, err) < 0 || record_addressee(r, err) < 0)
		return -1;
	return r->base.options.embedder.line == NULL
	    ? 0
	    : ctx_embed_add(&r->embed, r->text.p + from, end - from, err);
}

/* Divides the text in r->text from the offset "from" on into passages, and adds
 * a struct doc for each passage.  The struct of the first passage also contains
 * the writer's name. */
static int
add_passages(struct recall *r, struct doc *doc, size_t from,
    struct ctx_err *err)
{
	struct ctx_words terms = {.user = r, .take = ctx_recall_add_term};
	const char *text = r->text.p + from;
	struct passage_walk walk;

	/* Subtract 1, because a blank was appended to the text. */
	ctx_passages_begin(&walk, text, r->text.n - from - 1,
	    CTX_PASSAGE_BYTES);
	while (ctx_passages_next(&walk, &doc->passage)) {
		size_t n = doc->passage.to - doc->passage.from;

		if (doc->passage.from == 0) {
			if (add_first_doc(r, doc, from + n, err) < 0)
				return -1;
			continue;
		}
		if (ctx_terms_of(&terms, text + doc->passage.from, n, err) <
			0 ||
		    ctx_recall_add_doc(r, doc, err) < 0)
			return -1;
		if (r->base.options.embedder.line != NULL &&
		    ctx_embed_add(&r->embed, text + doc->passage.from, n, err) <
			0)
			return -1;
	}
	return 0;
}

int
ctx_recall_add_message(struct ctx_scorer *scorer,
    const struct ctx_scored_message *scored, const struct ctx_groups *groups,
    struct ctx_err *err)
{
	struct recall *r = (struct recall *)scorer;
	const struct ctx_message *message = scored->message;
	size_t from, first = scored->first;

	/* The scorer does not read records that are not messages.  But such
	 * records are segments, so add a struct doc without terms (words) for
	 * each of them. */
	while (r->n_segments < first)
		if (ctx_recall_add_doc(r, NULL, err) < 0 ||
		    (scorer->options.embedder.line != NULL &&
			ctx_embed_add(&r->embed, "", 0, err) < 0))
			return -1;
	for (; first < groups->n; first++) {
		unsigned flags = groups->segments[first].flags;
		struct doc doc = {.side = (uint8_t)find_side(message)};

		if (read_message_text(r, message, flags, err) < 0)
			return -1;
		from = find_long_text(r, message, flags);
		if (from < r->text.n
			? add_passages(r, &doc, from, err) < 0
			: add_first_doc(r, &doc, r->text.n, err) < 0)
			return -1;
		if (flags & CTX_SEGMENT_USER)
			set_question(r, doc.speaker);
		ctx_buf_reset(&r->text);
	}
	return 0;
}
