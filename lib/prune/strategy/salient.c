/*
 * salient.c - ranks groups of messages by the rare names that they contain
 *
 * Later tool calls copy names (paths, identifiers, ids and numbers) from
 * earlier messages.  The value of a group (messages kept or removed together)
 * is the sum, over its names, of log(number of groups / number of groups that
 * contain the name).  When a group is chosen, its names do not count for any
 * other group after that; cover.c chooses the groups in this way.  A sentence
 * in which the user says what must or must not be done counts as a name,
 * because it is short and nothing else in the conversation says the same.
 *
 * tests/bench/survive measures, on recorded sessions, how many of the strings
 * that the rest of a session needs are kept.  None of the following changes
 * raised this number with the power 0.8 in cover.c (other powers were not
 * tried): a greater weight for newer groups (for newer passages it did, see
 * cover.c), for names in user messages or in tool calls, for names that several
 * groups contain, or for tool calls that change a file; a smaller weight for
 * long lists.
 */
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/names.h"
#include "prune/strategy/salient.h"
#include "prune/strategy/segment_text.h"
#include "prune/strategy/summary.h"

const char *const ctx_salient_reasons[CTX_SALIENT_REASONS] = {"no rare name",
    "few rare names"};

/* For a name with more bytes than this, only a hash of 128 bits is stored, so
 * that the memory for each name is limited. */
enum { LONG_NAME = 16 };

enum {
	/* A text of a tool result with more than this many bytes is divided
	 * into passages (a few lines each). */
	LONG_TEXT = 600,
	/* size in bytes of a passage of a long text: one line, or a few short
	 * lines */
	PASSAGE = 40,
	/* A tool result with more bytes of JSON than this is not divided, so
	 * that its passages and the copy of its text need little memory. */
	LARGEST_RESULT = 16 << 20,
};

static int
intern_name(struct salient *s, const char *p, size_t n, uint32_t *id,
    struct ctx_err *err)
{
	uint64_t hash[2];

	if (n <= LONG_NAME)
		return ctx_intern(&s->names, p, n, id, err);
	ctx_hash_wide(&s->key, p, n, hash);
	return ctx_intern(&s->names, (const char *)hash, sizeof hash, id, err);
}

static int
take_name(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct salient *s = user;
	size_t known = s->names.n;
	uint32_t id;

	if (intern_name(s, p, n, &id, err) < 0)
		return -1;
	if (CTX_GROW(s->seen, s->seen_cap, s->names.n, err) < 0)
		return -1;
	if (s->names.n > known)
		s->seen[id - 1] = 0;
	if (s->seen[id - 1] == s->n_pieces + 1)
		return 0;
	s->seen[id - 1] = (uint32_t)s->n_pieces + 1;
	if (CTX_GROW(s->list, s->list_cap, s->n_list + 1, err) < 0)
		return -1;
	s->list[s->n_list++] = id - 1;
	return 0;
}

/* Ends the newest piece (part of the text) of a segment.  The piece has the
 * names that were added since the last call.  The members segment, names_end
 * and kept of the argument are not used. */
static int
end_piece(struct salient *s, struct salient_piece piece, struct ctx_err *err)
{
	piece.names_end = s->n_list;
	piece.segment = (uint32_t)s->n_segments;
	piece.kept = true;
	if (CTX_GROW(s->pieces, s->pieces_cap, s->n_pieces + 1, err) < 0)
		return -1;
	s->pieces[s->n_pieces++] = piece;
	return 0;
}

/* Ends the last piece of the newest segment (message or part of one). */
static int
end_segment(struct salient *s, struct ctx_err *err)
{
	const struct salient_piece rest = {.result = NO_RESULT};

	if (end_piece(s, rest, err) < 0)
		return -1;
	s->n_segments++;
	return 0;
}

/* Adds segments without names until there are n segments. */
static int
pad_segments(struct salient *s, size_t n, struct ctx_err *err)
{
	while (s->n_segments < n)
		if (end_segment(s, err) < 0)
			return -1;
	return 0;
}

/* Adds each sentence in which the user says what must or must not be done to
 * the names of the newest piece (part of a text).  Skips text that a program
 * has put into the message. */
static int
add_constraints(struct salient *s, struct ctx_str text, struct ctx_err *err)
{
	struct ctx_str own, one;
	size_t context;

	while (text.n > 0) {
		own.p = text.p;
		context = ctx_summary_find_context(text, &own.n);
		text.p += own.n + context;
		text.n -= own.n + context;
		while (own.n > 0) {
			one = ctx_summary_next_sentence(&own);
			if (one.n > 0 && ctx_summary_is_constraint(one) &&
			    take_name(s, one.p, one.n, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- passages of tool results ---- */

/* Finds the texts of tool result i.  Returns 1 if these texts may be divided
 * into passages, 0 if none of them is long, or -1 with *err. */
static int
find_long_texts(struct salient *s, const struct ctx_message *message, size_t i,
    struct ctx_err *err)
{
	const struct text_segments *result = &s->result;
	size_t k;

	if (s->base.options.whole || message->blocks[i].no_truncate ||
	    ctx_json_str(message->json, message->blocks[i].payload).n >
		LARGEST_RESULT ||
	    (message->flags & CTX_MESSAGE_HIDDEN))
		return 0;
	if (ctx_text_segments_result(&s->result, message, i, err) < 0)
		return -1;
	for (k = 0; k < result->n; k++)
		if (!result->list[k].is_json &&
		    result->list[k].literal.n > LONG_TEXT)
			return 1;
	return 0;
}

/* Sets *number to the number of tokens of a passage, from 1 to UINT16_MAX. */
static int
count_passage(struct salient *s, const char *p, size_t n, uint16_t *number,
    struct ctx_err *err)
{
	uint64_t tokens;

	if (ctx_token_count(s->base.counter->tokens, p, n, &tokens, err) < 0)
		return -1;
	tokens = ctx_text_to_model(s->base.counter, p, n, tokens);
	*number = (uint16_t)(tokens == 0 ? 1
		: tokens < UINT16_MAX    ? tokens
					 : UINT16_MAX);
	return 0;
}

/* Adds the pieces of one text of tool result i: the passages of a long text, or
 * the whole text. */
static int
add_text(struct salient *s, const struct text_segment *segment, size_t i,
    struct ctx_err *err)
{
	const struct ctx_names names = {s, take_name, false};
	const struct ctx_str text = ctx_text_segment_text(&s->result, segment);
	bool is_long = segment->literal.n > 0 && text.n > LONG_TEXT;
	struct salient_piece piece = {.result = (uint32_t)i};
	struct passage_walk walk;
	struct passage part;

	ctx_passages_begin(&walk, text.p, text.n, is_long ? PASSAGE : text.n);
	while (ctx_passages_next(&walk, &part)) {
		piece.to = (uint32_t)(segment->from + part.to);
		if (is_long &&
		    count_passage(s, text.p + part.from, part.to - part.from,
			&piece.tokens, err) < 0)
			return -1;
		if (ctx_names_of(&names, text.p + part.from,
			part.to - part.from, err) < 0 ||
		    end_piece(s, piece, err) < 0)
			return -1;
		piece.is_joined = is_long;
	}
	return 0;
}

/* If tool result i has a long text, adds the pieces (parts) of its texts and
 * sets *divided to true.  Otherwise sets *divided to false. */
static int
divide_result(struct salient *s, const struct ctx_message *message, size_t i,
    bool *divided, struct ctx_err *err)
{
	int rc = find_long_texts(s, message, i, err);
	size_t k;

	*divided = rc > 0;
	if (rc <= 0)
		return rc;
	if (ctx_text_segments_read(&s->result, err) < 0)
		return -1;
	for (k = 0; k < s->result.n; k++)
		if (add_text(s, &s->result.list[k], i, err) < 0)
			return -1;
	return 0;
}

/* ---- segments ---- */

/* Adds the pieces (parts of the texts) of those tool results of a segment that
 * are divided.  Appends all other texts of the segment to s->text. excluded:
 * for each tool result of the message, true if the result must not be
 * shortened; or NULL. */
static int
read_blocks(struct salient *s, const struct ctx_message *message,
    unsigned flags, const bool *excluded, struct ctx_err *err)
{
	bool divided = false;
	size_t i, result = 0;

	s->text.n = 0;
	/* The names in a demonstration (example messages) say nothing about the
	 * task, so they are ignored. */
	for (i = 0; i < message->n && !(flags & CTX_SEGMENT_DEMONSTRATION);
	     i++) {
		const struct ctx_block *block = &message->blocks[i];

		if (!ctx_is_in_segment(block, flags))
			continue;
		if (block->result_index == 0)
			divided = false;
		if (block->kind == CTX_BLOCK_TOOL_RESULT &&
		    (excluded == NULL || !excluded[result++]) &&
		    divide_result(s, message, i, &divided, err) < 0)
			return -1;
		if (!divided &&
		    ctx_append_block_text(&s->text, &s->tool, message, block,
			err) < 0)
			return -1;
	}
	return 0;
}

static int
add_segment(struct salient *s, const struct ctx_message *message,
    unsigned flags, const bool *excluded, struct ctx_err *err)
{
	const struct ctx_names names = {s, take_name, false};

	if (read_blocks(s, message, flags, excluded, err) < 0 ||
	    ctx_names_of(&names, s->text.p, s->text.n, err) < 0 ||
	    ((flags & CTX_SEGMENT_USER) &&
		add_constraints(s, ctx_buf_str(&s->text), err) < 0) ||
	    end_segment(s, err) < 0)
		return -1;
	ctx_buf_reset(&s->text);
	return 0;
}

static int
add_salient_message(struct ctx_scorer *scorer,
    const struct ctx_message *message, const struct ctx_groups *groups,
    size_t first, const bool *excluded, struct ctx_err *err)
{
	struct salient *s = (struct salient *)scorer;

	if (!s->has_key)
		ctx_hashkey_init(&s->key);
	s->has_key = true;
	/* The scorer does not read records that are not messages.  But such
	 * records are segments, so segments for them are added here. */
	if (pad_segments(s, first, err) < 0)
		return -1;
	for (; first < groups->n; first++)
		if (add_segment(s, message, groups->segments[first].flags,
			excluded, err) < 0)
			return -1;
	return 0;
}

static void
reset_salient(struct ctx_scorer *scorer)
{
	struct salient *s = (struct salient *)scorer;

	ctx_intern_reset(&s->names);
	s->n_list = s->n_pieces = s->n_segments = 0;
}

/* Frees the names, which ctx_salient_find_removed does not need. */
static void
finish_salient(struct ctx_scorer *scorer)
{
	struct salient *s = (struct salient *)scorer;

	ctx_intern_release(&s->names);
	ctx_buf_release(&s->text);
	ctx_buf_release(&s->tool);
	ctx_text_segments_release(&s->result);
	free(s->list);
	free(s->seen);
	s->list = s->seen = NULL;
	s->n_list = s->list_cap = s->seen_cap = 0;
}

static void
release_salient(struct ctx_scorer *scorer)
{
	struct salient *s = (struct salient *)scorer;

	finish_salient(scorer);
	free(s->pieces);
	free(s->removed);
}

const struct ctx_scorer_kind ctx_salient_kind = {
    .size = sizeof(struct salient),
    .add = add_salient_message,
    .rank = ctx_salient_rank,
    .find_removed = ctx_salient_find_removed,
    .finish = finish_salient,
    .reset = reset_salient,
    .release = release_salient,
};
