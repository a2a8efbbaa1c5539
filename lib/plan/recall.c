/*
 * recall.c - what is nearest to the question stays
 *
 * BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25
 * and Beyond", 2009) over the terms of each item, each score shared with the
 * neighbours, because an answer often stands beside the words that were
 * asked for, and raised where the speaker is one whom the question names.
 * With an embedder the two orders are fused by reciprocal rank
 * (Cormack, Clarke and Buettcher, SIGIR 2009).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/embed.h"
#include "plan/plan.h"
#include "plan/terms.h"

static const double K1 = 0.9, B = 0.4; /* of BM25; short texts want less B */
static const double RARITY = 1.5;      /* power of the inverse frequency */
static const double NEAR = 0.5, FAR = 0.2; /* shares of a neighbour's score */
static const double LENGTH = 0.25; /* how much dear items are ranked down */
static const double SPEAKER = 0.6; /* more for who is asked about */
static const double FUSE = 60;     /* of reciprocal rank fusion */
enum { NEWEST_SHARE = 10 };

struct posting {
	uint32_t term, count;
};

/* The terms of one item. */
struct doc {
	size_t from, n;  /* of postings */
	uint32_t length; /* terms, repetitions counted */
	uint32_t opener; /* its first term, who speaks if that is told; or 0 */
};

struct recall {
	struct ctx_scorer base;
	struct ctx_names terms;
	struct posting *postings;
	struct doc *docs;
	uint32_t *found; /* terms of the item being read */
	uint32_t *frequency; /* of each term: items that have it */
	double *weight;      /* of each term in the question */
	double *score, *smooth;
	size_t n_postings, postings_cap, n_docs, docs_cap, n_found, found_cap;
	size_t frequency_cap, weight_cap, score_cap, smooth_cap;
	struct ctx_buf text;     /* scratch */
	struct ctx_buf question; /* text of the last user message */
	struct ctx_embed embed;
};

/* ---- reading ---- */

static int
take_term(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct recall *r = user;
	uint32_t *grown, id;

	if (ctx_names_id(&r->terms, p, n, &id, err) < 0)
		return -1;
	grown = ctx_grow(r->found, &r->found_cap, r->n_found + 1,
	    sizeof *grown, err);
	if (grown == NULL)
		return -1;
	r->found = grown;
	grown[r->n_found++] = id;
	return 0;
}

static int
by_id(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Makes a doc of the terms found. */
static int
add_doc(struct recall *r, struct ctx_err *err)
{
	struct posting *postings;
	struct doc *docs;
	size_t i;

	docs = ctx_grow(r->docs, &r->docs_cap, r->n_docs + 1, sizeof *docs,
	    err);
	if (docs == NULL)
		return -1;
	r->docs = docs;
	postings = ctx_grow(r->postings, &r->postings_cap,
	    r->n_postings + r->n_found + 1, sizeof *postings, err);
	if (postings == NULL)
		return -1;
	r->postings = postings;
	docs[r->n_docs] =
	    (struct doc){r->n_postings, 0, (uint32_t)r->n_found, 0};
	if (r->n_found > 0) {
		docs[r->n_docs].opener = r->found[0];
		qsort(r->found, r->n_found, sizeof *r->found, by_id);
	}
	for (i = 0; i < r->n_found; i++) {
		if (i == 0 || r->found[i] != r->found[i - 1])
			postings[r->n_postings++] =
			    (struct posting){r->found[i], 0};
		postings[r->n_postings - 1].count++;
	}
	docs[r->n_docs].n = r->n_postings - docs[r->n_docs].from;
	r->n_docs++;
	r->n_found = 0;
	return 0;
}

/* Appends the text of a node to r->text, a space behind it. */
static int
add_text(struct recall *r, const struct ctx_json *json, uint32_t node,
    struct ctx_err *err)
{
	struct ctx_str raw;

	if (node == 0)
		return 0;
	raw = ctx_json_str(json, node);
	if (json->nodes[node].kind == CTX_JSON_STRING
		? ctx_text_decode(&r->text, raw, err) < 0
		: ctx_buf_add(&r->text, raw.p, raw.n, err) < 0)
		return -1;
	return ctx_buf_add(&r->text, " ", 1, err);
}

/* The text of the parts that belong to an item. */
static int
item_text(struct recall *r, const struct ctx_view *view, unsigned flags,
    struct ctx_err *err)
{
	size_t i;

	r->text.n = 0;
	if (add_text(r, view->json, view->name, err) < 0)
		return -1;
	for (i = 0; i < view->n; i++) {
		const struct ctx_part *part = &view->parts[i];
		bool result = part->kind == CTX_PART_RESULT || part->owner != 0;
		bool array = part->value != 0 &&
		    part->kind == CTX_PART_RESULT &&
		    view->json->nodes[part->value].kind == CTX_JSON_ARRAY;

		if (part->kind == CTX_PART_MEDIA ||
		    (flags & (result ? CTX_ITEM_REST : CTX_ITEM_RESULTS)))
			continue;
		if (add_text(r, view->json, part->name, err) < 0 ||
		    (!array &&
			add_text(r, view->json, part->value, err) < 0))
			return -1;
	}
	return 0;
}

static int
note(struct ctx_scorer *scorer, const struct ctx_view *view,
    const struct ctx_groups *groups, size_t first, struct ctx_err *err)
{
	struct recall *r = (struct recall *)scorer;
	struct ctx_terms terms = {r, take_term};

	/* Items that are no messages have come between. */
	while (r->n_docs < first)
		if (add_doc(r, err) < 0 ||
		    (scorer->options.embedder != NULL &&
			ctx_embed_add(&r->embed, "", 0, err) < 0))
			return -1;
	for (; first < groups->n; first++) {
		if (item_text(r, view, groups->items[first].flags, err) < 0 ||
		    ctx_terms_of(&terms, r->text.p, r->text.n, err) < 0 ||
		    add_doc(r, err) < 0)
			return -1;
		if (scorer->options.embedder != NULL &&
		    ctx_embed_add(&r->embed, r->text.p, r->text.n, err) < 0)
			return -1;
		if (groups->items[first].flags & CTX_ITEM_USER) {
			r->question.n = 0;
			if (ctx_buf_add(&r->question, r->text.p, r->text.n,
				err) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- ranking ---- */

static int
make_room(struct recall *r, size_t items, struct ctx_err *err)
{
	size_t terms = r->terms.n + 1;
	void *p;

	if ((p = ctx_grow(r->frequency, &r->frequency_cap, terms,
		 sizeof *r->frequency, err)) == NULL)
		return -1;
	r->frequency = p;
	if ((p = ctx_grow(r->weight, &r->weight_cap, terms, sizeof *r->weight,
		 err)) == NULL)
		return -1;
	r->weight = p;
	if ((p = ctx_grow(r->score, &r->score_cap, items + 1,
		 sizeof *r->score, err)) == NULL)
		return -1;
	r->score = p;
	if ((p = ctx_grow(r->smooth, &r->smooth_cap, items + 1,
		 sizeof *r->smooth, err)) == NULL)
		return -1;
	r->smooth = p;
	memset(r->frequency, 0, terms * sizeof *r->frequency);
	memset(r->weight, 0, terms * sizeof *r->weight);
	memset(r->score, 0, (items + 1) * sizeof *r->score);
	return 0;
}

static double
rarity(const struct recall *r, uint32_t term)
{
	double n = (double)r->n_docs, df = r->frequency[term - 1];

	return pow(log(1 + (n - df + 0.5) / (df + 0.5)), RARITY);
}

/* Scores each item by the terms of the question that it has. */
static void
score_docs(struct recall *r, double average)
{
	size_t i, j;

	for (i = 0; i < r->n_docs; i++) {
		const struct doc *doc = &r->docs[i];
		double sum = 0, norm = K1 *
		    (1 - B + B * (double)doc->length / (average + 1));

		for (j = doc->from; j < doc->from + doc->n; j++) {
			double count = r->postings[j].count;
			double weight = r->weight[r->postings[j].term - 1];

			if (weight > 0)
				sum += weight * rarity(r, r->postings[j].term) *
				    count * (K1 + 1) / (count + norm);
		}
		r->score[i] = sum;
	}
}

/* Shares scores with neighbours of the conversation; a name, as a member or
 * as "Name: ", is the first term of what its bearer says. */
static void
smooth(struct recall *r)
{
	size_t i, n = r->n_docs;

	for (i = 0; i < n; i++) {
		double sum = r->score[i];

		if (i > 0)
			sum += NEAR * r->score[i - 1];
		if (i + 1 < n)
			sum += NEAR * r->score[i + 1];
		if (i > 1)
			sum += FAR * r->score[i - 2];
		if (i + 2 < n)
			sum += FAR * r->score[i + 2];
		if (r->docs[i].opener != 0 &&
		    r->weight[r->docs[i].opener - 1] > 0)
			sum *= 1 + SPEAKER;
		r->smooth[i] = sum;
	}
}

struct place {
	double score;
	size_t item;
};

static int
by_score(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->item < y->item ? -1 : 1;
}

/* Adds 1 / (FUSE + place) for each item's place in the order of scores;
 * equal scores share a place. */
static int
add_places(const double *scores, size_t n, double *fused, struct ctx_err *err)
{
	struct place *list = calloc(n + 1, sizeof *list);
	size_t i, at = 0;

	if (list == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < n; i++)
		list[i] = (struct place){scores[i], i};
	qsort(list, n, sizeof *list, by_score);
	for (i = 0; i < n; i++) {
		if (i > 0 && list[i].score < list[i - 1].score)
			at = i;
		fused[list[i].item] += 1 / (FUSE + (double)at);
	}
	free(list);
	return 0;
}

/* With an embedder: r->smooth becomes the fusion of both orders. */
static int
fuse(struct recall *r, struct ctx_str question, struct ctx_err *err)
{
	const struct ctx_scorer_options *o = &r->base.options;
	double *fused;
	int rc = -1;

	if (o->embedder == NULL)
		return 0;
	fused = calloc(r->n_docs + 1, sizeof *fused);
	if (fused == NULL)
		return ctx_err_nomem(err);
	if (ctx_embed_near(&r->embed, o->embedder, o->seconds, question,
		r->score, r->n_docs, err) == 0 &&
	    add_places(r->smooth, r->n_docs, fused, err) == 0 &&
	    add_places(r->score, r->n_docs, fused, err) == 0) {
		memcpy(r->smooth, fused, r->n_docs * sizeof *fused);
		rc = 0;
	}
	free(fused);
	return rc;
}

static int
rank(struct ctx_scorer *scorer, struct ctx_groups *groups,
    struct ctx_err *err)
{
	struct recall *r = (struct recall *)scorer;
	struct ctx_terms terms = {r, take_term};
	struct ctx_str question = {r->question.p, r->question.n};
	double length = 0;
	size_t i;

	if (scorer->options.query != NULL)
		question = (struct ctx_str){scorer->options.query,
		    strlen(scorer->options.query)};
	while (r->n_docs < groups->n)
		if (add_doc(r, err) < 0)
			return -1;
	if (ctx_terms_of(&terms, question.p, question.n, err) < 0 ||
	    make_room(r, groups->n, err) < 0)
		return -1;
	for (i = 0; i < r->n_found; i++)
		r->weight[r->found[i] - 1] = 1;
	for (i = 0; i < r->n_postings; i++)
		r->frequency[r->postings[i].term - 1]++;
	for (i = 0; i < r->n_docs; i++)
		length += r->docs[i].length;
	score_docs(r, length / ((double)r->n_docs + 1));
	smooth(r);
	for (i = 0; i < groups->n; i++)
		r->smooth[i] /=
		    pow((double)groups->items[i].tokens + 1, LENGTH);
	if (fuse(r, question, err) < 0)
		return -1;
	for (i = 0; i < groups->n; i++)
		groups->items[i].rank = r->smooth[i];
	return 0;
}

static void
reset(struct ctx_scorer *scorer)
{
	struct recall *r = (struct recall *)scorer;

	ctx_names_reset(&r->terms);
	ctx_embed_reset(&r->embed);
	r->n_postings = r->n_docs = r->n_found = 0;
	r->question.n = 0;
}

static void
release(struct ctx_scorer *scorer)
{
	struct recall *r = (struct recall *)scorer;

	ctx_names_release(&r->terms);
	ctx_embed_release(&r->embed);
	ctx_buf_release(&r->text);
	ctx_buf_release(&r->question);
	free(r->postings);
	free(r->docs);
	free(r->found);
	free(r->frequency);
	free(r->weight);
	free(r->score);
	free(r->smooth);
}

const struct ctx_scorer_kind ctx_recall_kind = {
    .size = sizeof(struct recall),
    .note = note,
    .rank = rank,
    .reset = reset,
    .release = release,
};

/* The newest that fit a tenth of the room stay; the rest is ranked. */
int
ctx_recall_decide(struct ctx_unit *units, size_t n,
    const struct ctx_limits *limits, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	uint64_t held = base, room;
	size_t i;

	for (i = 0; i < n; i++)
		if (units[i].first && units[i].held)
			held += units[i].weight;
	room = limits->target > held ? (limits->target - held) / NEWEST_SHARE
				     : 0;
	for (i = n; i-- > 0;) {
		if (!units[i].first || units[i].held)
			continue;
		if (units[i].weight > room)
			break;
		room -= units[i].weight;
		units[i].rank = HUGE_VAL;
	}
	return ctx_ranked_decide(units, n, limits, base, newest, err);
}
