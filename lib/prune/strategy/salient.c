/*
 * salient.c - ranks groups of messages by the rare names that they contain
 *
 * Later tool calls copy names (paths, identifiers, ids and numbers) from
 * earlier messages.  The value of a group (messages kept or removed together)
 * is the sum, over its names, of log(number of groups / number of groups that
 * contain the name), multiplied by factors for some names (salient_weigh.c).
 * When a group is chosen, its names do not count for any other group after
 * that; cover.c chooses the groups in this way. text_pieces.c finds the names.
 *
 * tests/bench/survive measures, on recorded sessions, how many of the strings
 * that the rest of a session needs are kept.  None of the following changes
 * raised this number with the power 0.8 in cover.c (other powers were not
 * tried): a greater weight for newer groups (for newer passages it did, see
 * cover.c), for names in user messages or in tool calls, or for tool calls that
 * change a file; a smaller weight for long lists.
 */
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/salient.h"

const char *const ctx_salient_reasons[CTX_SALIENT_REASONS] = {"no rare name",
    "few rare names"};

/* Sets the pieces of the segment that will be added next. */
static int
find_pieces(struct salient *s, const struct ctx_scored_message *scored,
    unsigned flags, struct piece_range *range, struct ctx_err *err)
{
	struct ctx_shared_texts *shared = s->base.options.shared;

	if (shared != NULL && scored->number != 0 && scored->excluded == NULL &&
	    !scored->keeps_arguments)
		return ctx_shared_texts_find(shared, &s->reader, scored, flags,
		    range, err);
	s->reader.pieces = &s->own;
	return ctx_text_pieces_read(&s->reader, scored, flags, range, err);
}

/* Adds a segment with these pieces. */
static int
add_segment(struct salient *s, const struct piece_range *range,
    struct ctx_err *err)
{
	struct salient_segment *segment;

	if (CTX_GROW(s->segments, s->segments_cap, s->n_segments + 2, err) < 0)
		return -1;
	segment = &s->segments[s->n_segments++];
	segment->pieces = range->pieces;
	segment->first = range->first;
	segment->before = s->n_pieces;
	s->n_pieces += range->n;
	segment[1].before = s->n_pieces;
	if (range->n_names > s->n_names)
		s->n_names = range->n_names;
	return 0;
}

/* Prepares the scorer for segment n.  The scorer does not read records that are
 * not messages.  But such records are segments; so segments without pieces are
 * added for them. */
static int
begin_segment(struct salient *s, size_t n, struct ctx_err *err)
{
	const struct piece_range none = {.pieces = &s->own};
	struct ctx_shared_texts *shared = s->base.options.shared;

	s->table =
	    shared == NULL ? &s->own_names : ctx_shared_texts_names(shared);
	while (s->n_segments < n)
		if (add_segment(s, &none, err) < 0)
			return -1;
	return 0;
}

static int
add_salient_message(struct ctx_scorer *scorer,
    const struct ctx_scored_message *scored, const struct ctx_groups *groups,
    struct ctx_err *err)
{
	struct salient *s = (struct salient *)scorer;
	struct piece_range range;

	if (begin_segment(s, scored->first, err) < 0)
		return -1;
	s->reader.table = s->table;
	s->reader.whole = s->base.options.whole;
	s->reader.counter = s->base.counter;
	for (size_t i = scored->first; i < groups->n; i++)
		if (find_pieces(s, scored, groups->segments[i].flags, &range,
			err) < 0 ||
		    add_segment(s, &range, err) < 0)
			return -1;
	return 0;
}

static int
rank_salient(struct ctx_scorer *scorer, const struct ctx_plan *plan,
    struct ctx_err *err)
{
	struct salient *s = (struct salient *)scorer;

	return begin_segment(s, plan->step.n, err) < 0
	    ? -1
	    : ctx_salient_rank(s, plan, err);
}

/* Returns the offset of the beginning of piece k of a segment in all texts of
 * its tool result together, in bytes. */
static uint32_t
find_start(const struct text_piece *pieces, size_t k)
{
	return k > 0 && pieces[k - 1].result == pieces[k].result
	    ? pieces[k - 1].to
	    : 0;
}

int
ctx_salient_find_removed(struct ctx_scorer *scorer, size_t segment,
    struct passages *removed, struct ctx_err *err)
{
	struct salient *s = (struct salient *)scorer;
	const struct salient_segment *from = &s->segments[segment];
	const struct text_piece *pieces;
	struct passage passage;
	size_t k, n = 0;
	const bool *kept;

	*removed = (struct passages){s->removed, 0};
	if (segment >= s->input.n)
		return 0;
	pieces = from->pieces->list + from->first;
	kept = s->kept + from->before;
	for (k = 0; k < from[1].before - from->before; k++) {
		if (kept[k])
			continue;
		passage = (struct passage){find_start(pieces, k), pieces[k].to,
		    pieces[k].result};
		if (n > 0 && s->removed[n - 1].result == passage.result &&
		    s->removed[n - 1].to == passage.from) {
			s->removed[n - 1].to = passage.to;
			continue;
		}
		if (CTX_GROW(s->removed, s->removed_cap, n + 1, err) < 0)
			return -1;
		s->removed[n++] = passage;
	}
	*removed = (struct passages){s->removed, n};
	return 0;
}

static void
reset_salient(struct ctx_scorer *scorer)
{
	struct salient *s = (struct salient *)scorer;

	ctx_intern_reset(&s->own_names.names);
	s->own.n = s->own.n_names = 0;
	s->n_segments = s->n_pieces = s->n_names = s->input.n = 0;
	s->is_ranked = false;
}

/* Frees the names, which ctx_salient_find_removed does not need. */
static void
finish_salient(struct ctx_scorer *scorer)
{
	struct salient *s = (struct salient *)scorer;

	ctx_name_table_release(&s->own_names);
	ctx_text_reader_release(&s->reader);
	free(s->own.names);
	s->own.names = NULL;
	s->own.n_names = s->own.names_cap = 0;
	free(s->ranked);
	free(s->ranks);
	s->ranked = NULL;
	s->ranks = NULL;
	s->ranked_cap = s->ranks_cap = 0;
	s->is_ranked = false;
}

static void
release_salient(struct ctx_scorer *scorer)
{
	struct salient *s = (struct salient *)scorer;

	finish_salient(scorer);
	ctx_text_pieces_release(&s->own);
	free(s->segments);
	free(s->kept);
	free(s->removed);
}

const struct ctx_scorer_kind ctx_salient_kind = {
    .size = sizeof(struct salient),
    .add = add_salient_message,
    .rank = rank_salient,
    .find_removed = ctx_salient_find_removed,
    .finish = finish_salient,
    .reset = reset_salient,
    .release = release_salient,
};
