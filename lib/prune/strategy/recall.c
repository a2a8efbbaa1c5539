/*
 * recall.c - ranks segments by how near they are to the question
 *
 * Scores each segment by BM25 over its terms (Robertson and Zaragoza, "The
 * Probabilistic Relevance Framework: BM25 and Beyond", 2009).  Neighbours share
 * a score, less with more tokens between them, because an answer is often next
 * to the words of the question.
 *
 * The score rises if the question names the speaker of the segment.  The
 * speaker is named before the text ("Ann: hello"), or found from how the other
 * side addresses them: "Hey Ann!" is not said by Ann.
 *
 * With an embedder, the order by score and the order by vectors are fused by
 * reciprocal rank (Cormack, Clarke and Buettcher, SIGIR 2009).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prune/plan.h"
#include "prune/strategy/embed.h"
#include "prune/strategy/recall.h"
#include "prune/strategy/terms.h"

/* Parameters of BM25.  Short texts need a smaller B than documents. */
static const double K1 = 0.9, B = 0.4;
/* Exponent of the inverse document frequency. */
static const double RARITY = 1.75;
/* Number of tokens over which a score that is shared with neighbours falls to
 * 1/e. */
static const double FADE = 100;
/* The score of a segment is divided by its number of tokens, raised to this
 * power. */
static const double LENGTH = 0.1;
/* If the question names the speaker of a segment, the segment's score is
 * increased by this fraction of it. */
static const double SPEAKER = 0.6;
/* Weight of a name in the question if one side (user or assistant) addresses
 * the other by it. */
static const double ADDRESSEE = 0.5;
/* Constant of reciprocal rank fusion. */
static const double FUSE = 60;
enum {
	/* One side (user or assistant) is known by a name in the question if
	 * the other side addresses it so in at least this many messages, ... */
	ADDRESS_LEAST = 3,
	/* ... in at least one of this many messages of the other side, ... */
	ADDRESS_SHARE = 20,
	/* ... and at least this many times as often as the other way round. */
	ADDRESS_TIMES = 4,
	/* The newest messages may take the tokens that pinned messages leave,
	 * divided by this number. */
	NEWEST_SHARE = 20,
};

static int
grow_recall(struct recall *r, size_t items, struct ctx_err *err)
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
	if ((p = ctx_grow(r->addressed, &r->addressed_cap, terms * SIDES,
		 sizeof *r->addressed, err)) == NULL)
		return -1;
	r->addressed = p;
	if ((p = ctx_grow(r->score, &r->score_cap, items + 1, sizeof *r->score,
		 err)) == NULL)
		return -1;
	r->score = p;
	if ((p = ctx_grow(r->smooth, &r->smooth_cap, items + 1,
		 sizeof *r->smooth, err)) == NULL)
		return -1;
	r->smooth = p;
	memset(r->frequency, 0, terms * sizeof *r->frequency);
	memset(r->weight, 0, terms * sizeof *r->weight);
	memset(r->addressed, 0, terms * SIDES * sizeof *r->addressed);
	memset(r->score, 0, (items + 1) * sizeof *r->score);
	return 0;
}

/* Finds the sides (user or assistant) whose speaker the question names.  If
 * messages of one side often address somebody by a name that is in the
 * question, the other side is that person.  The name then gets a lower weight,
 * because it says who is spoken to, not what about. */
static void
find_sides(struct recall *r)
{
	uint32_t said[SIDES + 1] = {0}, *addressed;
	size_t i, side;

	for (i = 0; i < r->n_docs; i++) {
		const struct doc *doc = &r->docs[i];

		said[doc->side]++;
		if (doc->addressee != 0 && doc->side != NO_SIDE)
			r->addressed[(doc->addressee - 1) * SIDES +
			    doc->side]++;
	}
	r->asked[USER] = r->asked[ASSISTANT] = false;
	for (i = 0; i < r->n_found; i++) {
		addressed = &r->addressed[(r->found[i].term - 1) * SIDES];
		for (side = 0; side < SIDES; side++) {
			if (addressed[side] < ADDRESS_LEAST ||
			    addressed[side] < said[side] / ADDRESS_SHARE ||
			    addressed[side] / ADDRESS_TIMES <
				addressed[SIDES - 1 - side])
				continue;
			r->asked[SIDES - 1 - side] = true;
			r->weight[r->found[i].term - 1] = ADDRESSEE;
		}
	}
}

static double
compute_rarity(const struct recall *r, uint32_t term)
{
	double n = (double)r->n_docs, df = r->frequency[term - 1];

	return pow(log(1 + (n - df + 0.5) / (df + 0.5)), RARITY);
}

/* Computes a score (BM25) for each segment, by those of its terms that are
 * also in the question. average: the mean number of terms of a segment. */
static void
score_docs(struct recall *r, double average)
{
	size_t i, j;

	for (i = 0; i < r->n_docs; i++) {
		const struct doc *doc = &r->docs[i];
		double sum = 0,
		       norm = K1 *
		    (1 - B + B * (double)doc->length / (average + 1));

		for (j = doc->from; j < doc->from + doc->n; j++) {
			double count = r->postings[j].count;
			double weight = r->weight[r->postings[j].term - 1];

			if (weight > 0)
				sum += weight *
				    compute_rarity(r, r->postings[j].term) *
				    count * (K1 + 1) / (count + norm);
		}
		r->score[i] = sum;
	}
}

/* Returns the part of a segment's score that its neighbour gets.  This part
 * becomes smaller with the distance in tokens from middle to middle. */
static double
compute_fading(const struct ctx_segment *segment,
    const struct ctx_segment *next)
{
	return exp(
	    -((double)segment->tokens + (double)next->tokens) / 2 / FADE);
}

/* Adds to each score a part of the scores of all other segments: in one pass
 * for those before it, in another for those after it.  The part becomes
 * smaller with the distance in tokens, not in segments: ten short remarks are
 * one subject, two long results are two. */
static void
smooth_scores(struct recall *r, const struct ctx_groups *groups)
{
	const struct ctx_segment *segments = groups->segments;
	double carried = 0;
	size_t i, n = groups->n;

	for (i = 0; i < n; i++) {
		r->smooth[i] = r->score[i] + carried;
		if (i + 1 < n)
			carried = (carried + r->score[i]) *
			    compute_fading(&segments[i], &segments[i + 1]);
	}
	for (carried = 0; i-- > 0;) {
		r->smooth[i] += carried;
		if (i > 0)
			carried = (carried + r->score[i]) *
			    compute_fading(&segments[i - 1], &segments[i]);
	}
}

/* Raises the scores of segments whose speaker the question names, and lowers
 * those of segments with many tokens. */
static void
raise_speakers(struct recall *r, const struct ctx_groups *groups)
{
	size_t i;

	for (i = 0; i < groups->n; i++) {
		const struct doc *doc = &r->docs[i];

		if (doc->speaker != 0
			? r->weight[doc->speaker - 1] > 0
			: doc->side != NO_SIDE && r->asked[doc->side])
			r->smooth[i] *= 1 + SPEAKER;
		r->smooth[i] /=
		    pow((double)groups->segments[i].tokens + 1, LENGTH);
	}
}

struct place {
	double score;
	size_t item;
};

static int
compare_scores(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->item < y->item ? -1 : 1;
}

/* Sorts segments by their scores, and adds 1 / (FUSE + place) to the fused
 * score of each, where place is its position in this order.  Segments with
 * equal scores have equal places. */
static int
add_places(const double *scores, size_t n, double *fused, struct ctx_err *err)
{
	struct place *list = calloc(n + 1, sizeof *list);
	size_t i, at = 0;

	if (list == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < n; i++)
		list[i] = (struct place){scores[i], i};
	qsort(list, n, sizeof *list, compare_scores);
	for (i = 0; i < n; i++) {
		if (i > 0 && list[i].score < list[i - 1].score)
			at = i;
		fused[list[i].item] += 1 / (FUSE + (double)at);
	}
	free(list);
	return 0;
}

/* If there is an embedder, sorts the segments also by their embeddings, and
 * sets r->smooth to scores that combine both orders. */
static int
fuse_rankings(struct recall *r, struct ctx_str question, struct ctx_err *err)
{
	const struct ctx_scorer_options *o = &r->base.options;
	double *fused;
	int rc = -1;

	if (o->embedder.line == NULL)
		return 0;
	fused = calloc(r->n_docs + 1, sizeof *fused);
	if (fused == NULL)
		return ctx_err_nomem(err);
	r->embed.command = &o->embedder;
	if (ctx_embed_nearness(&r->embed, question, r->score, r->n_docs, err) ==
		0 &&
	    add_places(r->smooth, r->n_docs, fused, err) == 0 &&
	    add_places(r->score, r->n_docs, fused, err) == 0) {
		memcpy(r->smooth, fused, r->n_docs * sizeof *fused);
		rc = 0;
	}
	free(fused);
	return rc;
}

/* Returns the question: the given query, or else the last user message.  If
 * this begins with a name, as in "Ann: hello", and Ann also wrote another
 * message, the name is removed.  Otherwise the word before the colon may be
 * the subject of the question. */
static struct ctx_str
find_question(const struct recall *r)
{
	const char *query = r->base.options.query;
	size_t i, said = 0, label;

	if (query != NULL)
		return (struct ctx_str){query, strlen(query)};
	for (i = 0; r->asker != 0 && i < r->n_docs; i++)
		said += r->docs[i].speaker == r->asker;
	label = said > 1 ? r->label : 0;
	if (r->question.n == 0)
		return (struct ctx_str){"", 0};
	return (struct ctx_str){r->question.p + label, r->question.n - label};
}

static int
rank_by_recall(struct ctx_scorer *scorer, struct ctx_groups *groups,
    const struct ctx_plan *plan, struct ctx_err *err)
{
	struct recall *r = (struct recall *)scorer;
	struct ctx_terms terms = {r, ctx_recall_add_term};
	struct ctx_str question = find_question(r);
	double length = 0;
	size_t i;

	(void)plan;
	while (r->n_docs < groups->n)
		if (ctx_recall_add_doc(r, 0, err) < 0)
			return -1;
	if (ctx_terms_of(&terms, question.p, question.n, err) < 0 ||
	    grow_recall(r, groups->n, err) < 0)
		return -1;
	for (i = 0; i < r->n_found; i++)
		r->weight[r->found[i].term - 1] = 1;
	for (i = 0; i < r->n_postings; i++)
		r->frequency[r->postings[i].term - 1]++;
	for (i = 0; i < r->n_docs; i++)
		length += r->docs[i].length;
	find_sides(r);
	score_docs(r, length / ((double)r->n_docs + 1));
	smooth_scores(r, groups);
	raise_speakers(r, groups);
	if (fuse_rankings(r, question, err) < 0)
		return -1;
	for (i = 0; i < groups->n; i++)
		groups->segments[i].rank = r->smooth[i];
	return 0;
}

static void
reset_recall(struct ctx_scorer *scorer)
{
	struct recall *r = (struct recall *)scorer;

	ctx_intern_reset(&r->terms);
	ctx_embed_reset(&r->embed);
	r->n_postings = r->n_docs = r->n_found = r->merge_at = 0;
	r->length = 0;
	r->question.n = r->label = 0;
	r->asker = 0;
}

static void
release_recall(struct ctx_scorer *scorer)
{
	struct recall *r = (struct recall *)scorer;

	ctx_intern_release(&r->terms);
	ctx_embed_release(&r->embed);
	ctx_buf_release(&r->text);
	ctx_buf_release(&r->tool);
	ctx_buf_release(&r->question);
	free(r->postings);
	free(r->docs);
	free(r->found);
	free(r->frequency);
	free(r->weight);
	free(r->addressed);
	free(r->score);
	free(r->smooth);
}

const struct ctx_scorer_kind ctx_recall_kind = {
    .size = sizeof(struct recall),
    .add = ctx_recall_add_message,
    .rank = rank_by_recall,
    .reset = reset_recall,
    .release = release_recall,
};

/* The user messages of a turn, which are kept only together with the best
 * group of the turn. */
struct turn_users {
	double users;    /* sum of their ranks */
	uint64_t weight; /* their tokens */
	/* Index of the turn's candidate with the highest rank; the number of
	 * candidates if there is none. */
	size_t best;
};

/* Lowers the rank of a turn's best group, because the turn's user messages
 * must be kept with it.  The new rank is the sum of the ranks of the group
 * and these messages, divided by the sum of their tokens, times the tokens
 * of the group.  So a good answer to a long message without content gets a
 * low rank. */
static void
rank_with_users(struct ctx_candidate *candidates, size_t from, size_t end)
{
	struct turn_users c = {0, 0, end};
	size_t i;

	for (i = from; i < end; i++)
		if (candidates[i].is_root && !candidates[i].user &&
		    !candidates[i].system &&
		    (c.best == end ||
			candidates[i].rank > candidates[c.best].rank))
			c.best = i;
	if (c.best == end || candidates[c.best].pinned)
		return;
	for (i = from; i < end; i++) {
		if (!candidates[i].is_root || !candidates[i].user ||
		    candidates[i].pinned ||
		    candidates[i].rank >= candidates[c.best].rank)
			continue;
		c.users += candidates[i].rank;
		c.weight += candidates[i].weight;
	}
	if (c.weight > 0)
		candidates[c.best].rank = (candidates[c.best].rank + c.users) *
		    (double)candidates[c.best].weight /
		    (double)(candidates[c.best].weight + c.weight);
}

/* Decides what is removed.  The newest groups are kept if they fit into a
 * certain part of the tokens that pinned groups leave.  The other groups are
 * removed by their rank. */
int
ctx_recall_decide(struct ctx_candidate *candidates, size_t n,
    const struct ctx_prune_settings *settings, uint64_t base, uint32_t newest,
    struct ctx_err *err)
{
	uint64_t held = base, left;
	size_t i, end;

	for (i = 0; i < n; i++)
		if (candidates[i].is_root && candidates[i].pinned)
			held += candidates[i].weight;
	for (i = 0; i < n; i = end) {
		for (end = i;
		     end < n && candidates[end].turn == candidates[i].turn;)
			end++;
		rank_with_users(candidates, i, end);
	}
	left = settings->target > held
	    ? (settings->target - held) / NEWEST_SHARE
	    : 0;
	for (i = n; i-- > 0;) {
		if (!candidates[i].is_root || candidates[i].pinned)
			continue;
		if (candidates[i].weight > left)
			break;
		left -= candidates[i].weight;
		candidates[i].rank = HUGE_VAL;
	}
	return ctx_ranked_decide(candidates, n, settings, base, newest, err);
}
