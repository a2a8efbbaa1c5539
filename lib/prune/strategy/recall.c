/*
 * recall.c - implements the strategy recall: keeps the segments (messages or
 * parts of one) that are likely to contain the answer to a question
 *
 * Each segment gets a score by the words that it has in common with the
 * question (BM25; Robertson and Zaragoza, "The Probabilistic Relevance
 * Framework: BM25 and Beyond", 2009).  Because an answer is often near a text
 * with the words of the question, each segment also gets a part of the scores
 * of the segments near it.  The more tokens are between two segments, the
 * smaller is this part.
 *
 * The score of a segment increases if the question contains the name of its
 * writer.  The name may be at the beginning of the text ("Ann: hello").  It may
 * also be known because other messages use it: if the assistant often writes a
 * text such as "Hey Ann!", the name of the user is Ann.
 *
 * If the user has an embedder, the similarity of the embeddings of segment and
 * question is added to the score (recall_fuse.c).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prune/plan.h"
#include "prune/strategy/embed.h"
#include "prune/strategy/recall.h"
#include "prune/strategy/words.h"

/* Parameters k1 and b of BM25.  Messages are shorter than the documents for
 * which BM25 is usually used, and need a smaller b. */
static const double K1 = 0.9, B = 0.4;
/* The weight of a word is its inverse document frequency raised to this power.
 * The greater the power, the greater is the weight of rare words. */
static const double RARITY = 1.75;
/* At a distance of this many tokens, a segment gets 1/e of another segment's
 * score. */
static const double FADE = 100;
/* The score of a segment is divided by the segment's number of tokens raised to
 * this power, so that short segments are preferred. */
static const double LENGTH = 0.1;
/* LENGTH_LONG is used as the power instead of LENGTH if answers may be kept
 * without their questions, and the messages of the assistant have, on average,
 * at least LONG_TIMES as many tokens as those of the user.  Many short messages
 * then fit in the place of one long answer.  In such chats (benchmark BEAM),
 * 0.7 kept more evidence than 0.5 and 0.1.  In dialogues of two people
 * (benchmarks LoCoMo and REALTALK), 0.7 kept less than 0.1. */
static const double LENGTH_LONG = 0.7, LONG_TIMES = 3;
/* The score of a passage (a few lines of a long text) is divided by its number
 * of tokens raised to LENGTH or LENGTH_LONG plus this number.  Reason: a
 * passage is shorter than most messages, and says less without the rest of its
 * text. */
static const double LENGTH_PASSAGE = 0.3;
/* If the question contains the name of the writer of a segment, this fraction
 * of the segment's score is added to the score. */
static const double SPEAKER = 0.6;
/* Weight of a word in the question that is a name by which the assistant
 * addresses the user, or the user the assistant.  All other words have the
 * weight 1. */
static const double ADDRESSEE = 0.5;
enum {
	/* A word is taken as the user's name only if the assistant addresses
	 * the user by this word in at least this many messages.  The same is
	 * true for the name of the assistant. */
	ADDRESS_LEAST = 3,
	/* A word is taken as the user's name only if the assistant addresses
	 * the user by this word in at least 1/ADDRESS_SHARE of its messages.
	 * The same is true for the name of the assistant. */
	ADDRESS_SHARE = 20,
	/* A word is taken as the user's name only if the assistant addresses
	 * somebody by this word at least this many times as often as the user
	 * does.  The same is true for the name of the assistant. */
	ADDRESS_TIMES = 4,
};

static int
grow_recall(struct recall *r, size_t items, struct ctx_err *err)
{
	size_t terms = r->terms.n + 1;

	if (CTX_GROW(r->frequency, r->frequency_cap, terms, err) < 0 ||
	    CTX_GROW(r->tally, r->tally_cap, terms, err) < 0 ||
	    CTX_GROW(r->weight, r->weight_cap, terms, err) < 0 ||
	    CTX_GROW(r->addressed, r->addressed_cap, terms * SIDES, err) < 0 ||
	    CTX_GROW(r->score, r->score_cap, items + 1, err) < 0 ||
	    CTX_GROW(r->smooth, r->smooth_cap, items + 1, err) < 0)
		return -1;
	memset(r->frequency, 0, terms * sizeof *r->frequency);
	memset(r->tally, 0, terms * sizeof *r->tally);
	memset(r->weight, 0, terms * sizeof *r->weight);
	memset(r->addressed, 0, terms * SIDES * sizeof *r->addressed);
	memset(r->score, 0, (items + 1) * sizeof *r->score);
	return 0;
}

/* Finds out whether the question contains a name by which the assistant often
 * addresses the user, or the user the assistant.  Such a name gets a lower
 * weight, because it says who wrote the answer, and not what the answer is
 * about. */
static void
find_sides(struct recall *r)
{
	uint32_t said[SIDES + 1] = {0}, *addressed;

	for (size_t i = 0; i < r->n_segments; i++) {
		const struct doc *doc = &r->docs[r->first_doc[i]];

		said[doc->side]++;
		if (doc->addressee != 0 && doc->side != NO_SIDE)
			r->addressed[(doc->addressee - 1) * SIDES +
			    doc->side]++;
	}
	r->asked[USER] = r->asked[ASSISTANT] = false;
	for (size_t i = 0; i < r->n_found; i++) {
		addressed = &r->addressed[(r->found[i].term - 1) * SIDES];
		for (size_t side = 0; side < SIDES; side++) {
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
	double n = (double)r->n_segments, df = r->frequency[term - 1];

	return pow(log(1 + (n - df + 0.5) / (df + 0.5)), RARITY);
}

/* Fills r->frequency: for each term (word), the number of segments that contain
 * the term. */
static void
count_segments(struct recall *r)
{
	for (size_t i = 0; i < r->n_docs; i++)
		for (size_t j = r->docs[i].from;
		     j < r->docs[i].from + r->docs[i].n; j++) {
			uint32_t term = r->postings[j].term - 1;
			uint32_t segment = (uint32_t)r->docs[i].segment + 1;

			r->frequency[term] += r->tally[term] != segment;
			r->tally[term] = segment;
		}
	memset(r->tally, 0, r->terms.n * sizeof *r->tally);
}

/* Fills r->tally: for each word of the question, how often the word occurs in
 * an item (segment, or passage of a long text).  Returns the number of words of
 * the item. */
static uint32_t
tally_item(struct recall *r, const struct item *item)
{
	uint32_t length = 0;

	for (size_t i = item->doc; i < item->end; i++) {
		const struct doc *doc = &r->docs[i];

		length += doc->length;
		for (size_t j = doc->from; j < doc->from + doc->n; j++)
			if (r->weight[r->postings[j].term - 1] > 0)
				r->tally[r->postings[j].term - 1] +=
				    r->postings[j].count;
	}
	return length;
}

/* Returns the score (BM25) of an item (segment, or passage of a long text).
 * The score depends on the words that the item has in common with the question.
 * average: mean number of words in a segment. */
static double
score_item(struct recall *r, const struct item *item, double average)
{
	double length = tally_item(r, item), sum = 0, count;
	double norm = K1 * (1 - B + B * length / (average + 1));

	for (size_t i = item->doc; i < item->end; i++) {
		const struct doc *doc = &r->docs[i];

		for (size_t j = doc->from; j < doc->from + doc->n; j++) {
			uint32_t term = r->postings[j].term;

			if (r->tally[term - 1] == 0)
				continue;
			count = r->tally[term - 1];
			r->tally[term - 1] = 0;
			sum += r->weight[term - 1] * compute_rarity(r, term) *
			    count * (K1 + 1) / (count + norm);
		}
	}
	return sum;
}

/* Returns a power.  The score of each segment must be divided by (number of
 * tokens)^(this power), in addition to the division by (number of
 * tokens)^LENGTH. */
static double
find_length_power(const struct recall *r, const struct ctx_plan *plan)
{
	double tokens[SIDES + 1] = {0}, messages[SIDES + 1] = {0};
	size_t side;

	for (size_t i = 0; i < plan->groups->n; i++) {
		side = r->docs[r->first_doc[i]].side;
		tokens[side] += (double)plan->groups->segments[i].tokens;
		messages[side]++;
	}
	if (!ctx_prune_splits_turns(&plan->settings) || messages[USER] == 0 ||
	    messages[ASSISTANT] == 0 ||
	    tokens[ASSISTANT] / messages[ASSISTANT] <
		LONG_TIMES * tokens[USER] / messages[USER])
		return 0;
	return LENGTH_LONG - LENGTH;
}

/* Increases the scores of items (segments, or passages of long texts) whose
 * writer is named in the question.  Then divides the score of each item by
 * (number of tokens)^LENGTH. */
static void
raise_speakers(struct recall *r)
{
	for (size_t i = 0; i < r->n_items; i++) {
		const struct item *item = &r->items[i];

		if (ctx_recall_is_asked(r, item))
			r->smooth[i] *= 1 + SPEAKER;
		r->smooth[i] /= pow(item->tokens + 1, LENGTH);
	}
}

/* Divides the score of each item (segment, or passage of a long text) by the
 * item's number of tokens raised to the given power.  For a passage, uses a
 * higher power.  Then adds the same number to all scores, so that no score is
 * negative. */
static void
lower_long_items(struct recall *r, double power)
{
	double more = power + LENGTH_PASSAGE, least = 0;

	for (size_t i = 0; i < r->n_items; i++) {
		r->smooth[i] /= pow(r->items[i].tokens + 1,
		    ctx_recall_is_passage(r, &r->items[i]) ? more : power);
		if (r->smooth[i] < least)
			least = r->smooth[i];
	}
	for (size_t i = 0; i < r->n_items; i++)
		r->smooth[i] -= least;
}

/* Returns the question: the query of the options or, if there is no query, the
 * last user message.  If this message begins with the name of its writer, as in
 * "Ann: hello", the name is left out, but only if another message has the same
 * writer; otherwise the word before the colon may be the subject of the
 * question. */
static struct ctx_str
find_question(const struct recall *r)
{
	const char *query = r->base.options.query;
	size_t said = 0, label;

	if (query != NULL)
		return (struct ctx_str){query, strlen(query)};
	for (size_t i = 0; r->asker != 0 && i < r->n_docs; i++)
		said += r->docs[i].speaker == r->asker &&
		    r->docs[i].passage.from == 0;
	label = said > 1 ? r->label : 0;
	if (r->question.n == 0)
		return (struct ctx_str){"", 0};
	return (struct ctx_str){r->question.p + label, r->question.n - label};
}

/* Computes the score of each item (segment, or passage of a long text) from its
 * words. asking: true if the segments that contain the question get the score
 * 0. */
static void
score_items(struct recall *r, bool asking)
{
	double length = 0;

	for (size_t i = 0; i < r->n_docs; i++)
		length += r->docs[i].length;
	for (size_t i = 0; i < r->n_items; i++) {
		r->score[i] = score_item(r, &r->items[i],
		    length / ((double)r->n_segments + 1));
		if (asking && r->docs[r->items[i].doc].segment == r->asking)
			r->score[i] = 0;
	}
}

static int
rank_by_recall(struct ctx_scorer *scorer, const struct ctx_plan *plan,
    struct ctx_err *err)
{
	struct recall *r = (struct recall *)scorer;
	struct ctx_words terms = {.user = r, .take = ctx_recall_add_term};
	struct ctx_str question = find_question(r);

	while (r->n_segments < plan->groups->n)
		if (ctx_recall_add_doc(r, NULL, err) < 0)
			return -1;
	if (ctx_terms_of(&terms, question.p, question.n, err) < 0 ||
	    ctx_recall_make_items(r, plan, err) < 0 ||
	    grow_recall(r, r->n_items, err) < 0)
		return -1;
	for (size_t i = 0; i < r->n_found; i++)
		r->weight[r->found[i].term - 1] = 1;
	count_segments(r);
	find_sides(r);
	/* The question's own segments get no score.  Otherwise the messages
	 * near them would get a part of this score, although a message near the
	 * question need not be an answer.  Exception: in the session of an
	 * agent, where the user message of a turn is always kept, the messages
	 * after the question belong to the question. */
	score_items(r,
	    r->base.options.query == NULL && r->question.n > 0 &&
		ctx_prune_splits_turns(&plan->settings));
	ctx_recall_smooth(r, FADE, r->smooth);
	raise_speakers(r);
	if (ctx_recall_fuse(r, question, err) < 0)
		return -1;
	lower_long_items(r, find_length_power(r, plan));
	if (ctx_recall_choose_passages(r, plan, err) < 0)
		return -1;
	/* ctx-replay may add another message later.  The words of the question
	 * must not be taken as words of that message. */
	r->n_found = r->merge_at = r->length = 0;
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
	r->n_segments = r->n_items = 0;
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
	free(r->items);
	free(r->first_doc);
	free(r->removed);
	free(r->tally);
	free(r->found);
	free(r->frequency);
	free(r->weight);
	free(r->addressed);
	free(r->score);
	free(r->smooth);
}

/* Frees the memory that ctx_recall_find_removed does not need. */
static void
finish_recall(struct ctx_scorer *scorer)
{
	struct recall *r = (struct recall *)scorer;
	struct recall kept = {.base = r->base,
	    .n_segments = r->n_segments,
	    .n_items = r->n_items};

	if (r->n_items > r->n_segments) {
		kept.docs = r->docs;
		kept.first_doc = r->first_doc;
		r->docs = NULL;
		r->first_doc = NULL;
	}
	release_recall(scorer);
	*r = kept;
}

const struct ctx_scorer_kind ctx_recall_kind = {
    .size = sizeof(struct recall),
    .add = ctx_recall_add_message,
    .rank = rank_by_recall,
    .reset = reset_recall,
    .release = release_recall,
    .find_removed = ctx_recall_find_removed,
    .finish = finish_recall,
};

/* The user messages of a turn.  They must be kept if the group (messages kept
 * or removed together) with the highest rank in the turn is kept. */
struct turn_users {
	double users;    /* sum of the ranks of the user messages */
	uint64_t weight; /* number of tokens of the user messages */
	/* Index of that candidate (group) of the turn that has the highest
	 * rank.  If the turn has no candidate but its user messages: the index
	 * after the last candidate of the turn. */
	size_t best;
};

/* Lowers the rank of that group of a turn
 * that has the highest rank, because the user messages of the turn must be kept
 * with this group.  The new rank is (group's rank + ranks of the user messages)
 * * group's tokens / (group's tokens + tokens of the user messages).  So if the
 * user messages are long and have low ranks, the group gets a low rank, too. */
static void
rank_with_users(struct ctx_candidate *candidates, size_t from, size_t end)
{
	struct turn_users c = {0, 0, end};

	for (size_t i = from; i < end; i++)
		if (candidates[i].is_root && !candidates[i].user &&
		    !candidates[i].system &&
		    (c.best == end ||
			candidates[i].rank > candidates[c.best].rank))
			c.best = i;
	if (c.best == end || candidates[c.best].pinned)
		return;
	for (size_t i = from; i < end; i++) {
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

/* Decides which groups are removed.  First keeps the newest groups, as many as
 * have together at most 1 / CTX_RECALL_NEWEST of the free tokens; these are the
 * tokens that are left by groups which must be kept.  Of all other groups,
 * removes those with the lowest ranks. */
int
ctx_recall_decide(const struct ctx_decision *decision, struct ctx_err *err)
{
	struct ctx_candidate *candidates = decision->candidates;
	bool splits = ctx_prune_splits_turns(decision->settings);
	uint64_t held = decision->base, left;
	size_t end, n = decision->n;

	for (size_t i = 0; i < n; i++)
		if (candidates[i].is_root && candidates[i].pinned)
			held += candidates[i].weight;
	for (size_t i = 0; !splits && i < n; i = end) {
		for (end = i;
		     end < n && candidates[end].turn == candidates[i].turn;)
			end++;
		rank_with_users(candidates, i, end);
	}
	left = decision->target > held
	    ? (decision->target - held) / CTX_RECALL_NEWEST
	    : 0;
	for (size_t i = n; i-- > 0;) {
		if (!candidates[i].is_root || candidates[i].pinned)
			continue;
		if (candidates[i].weight > left)
			break;
		left -= candidates[i].weight;
		candidates[i].rank = HUGE_VAL;
	}
	return splits ? ctx_split_decide(decision, err)
		      : ctx_ranked_decide(decision, err);
}
