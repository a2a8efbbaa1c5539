/*
 * salient.c - ranks groups of messages by the rare names that they contain
 *
 * Later tool calls copy names (paths, identifiers, ids and numbers) from
 * earlier messages.  The value of a group is the sum, over its names, of
 * log(number of groups / number of groups that contain the name).  When a group
 * is chosen, its names do not count for other groups any more; cover.c chooses
 * the groups in this way.  A sentence in which the user says what must or must
 * not be done counts as a name, because it is short and nothing else in the
 * conversation says the same.
 *
 * tests/bench/survive measures, on recorded sessions, how many of the strings
 * that the rest of a session needs are kept.  None of the following changes
 * raised this number with the power 0.8 in cover.c (other powers were not
 * tried): a greater weight for newer groups, for names in user messages or in
 * tool calls, for names that several groups contain, or for tool calls that
 * change a file; a smaller weight for long lists.
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
	/* A tool result with more than this many bytes is divided into passages
	 * (a few lines each). */
	LONG_RESULT = 600,
	/* size of such a passage in bytes: one line, or a few short
	 * ones */
	PASSAGE = 120,
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

/* Ends the list of names of the newest piece, which is a passage of the newest
 * segment. */
static int
end_piece(struct salient *s, const struct passage *passage, struct ctx_err *err)
{
	if (CTX_GROW(s->pieces, s->pieces_cap, s->n_pieces + 1, err) < 0)
		return -1;
	s->pieces[s->n_pieces++] =
	    (struct salient_piece){s->n_list, (uint32_t)s->n_segments,
		(uint32_t)passage->from, (uint32_t)passage->to, true};
	return 0;
}

/* Ends the newest segment (message or part of one), which consists of a single
 * piece. */
static int
end_segment(struct salient *s, struct ctx_err *err)
{
	const struct passage none = {0, 0};

	if (end_piece(s, &none, err) < 0)
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

/* Adds to the names of the newest piece each sentence in which the user says
 * what must or must not be done.  Skips text that a program has put into the
 * message. */
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

/* If a message consists of one tool result with one long text, reads the text
 * into s->result and returns 1.  Otherwise returns 0. */
static int
read_long_result(struct salient *s, const struct ctx_message *message,
    struct ctx_err *err)
{
	struct text_segments *result = &s->result;
	size_t i;

	if (s->base.options.whole || message->n == 0 ||
	    message->blocks[0].kind != CTX_BLOCK_TOOL_RESULT ||
	    message->blocks[0].no_truncate ||
	    ctx_json_str(message->json, message->blocks[0].payload).n >
		LARGEST_RESULT ||
	    (message->flags & CTX_MESSAGE_HIDDEN))
		return 0;
	for (i = 1; i < message->n; i++)
		if (message->blocks[i].result_index != 1)
			return 0;
	if (ctx_text_segments_result(result, message, 0, err) < 0)
		return -1;
	if (result->n != 1 || result->list[0].is_json ||
	    result->list[0].literal.n <= LONG_RESULT)
		return 0;
	if (ctx_text_segments_read(result, err) < 0)
		return -1;
	return result->text.n > LONG_RESULT;
}

/* Adds the passages of s->result as pieces of the newest segment. */
static int
add_passages(struct salient *s, struct ctx_err *err)
{
	const struct ctx_names names = {s, take_name, false};
	const struct ctx_buf *text = &s->result.text;
	struct passage_walk walk;
	struct passage passage;

	ctx_passages_begin(&walk, text->p, text->n, PASSAGE);
	while (ctx_passages_next(&walk, &passage))
		if (ctx_names_of(&names, text->p + passage.from,
			passage.to - passage.from, err) < 0 ||
		    end_piece(s, &passage, err) < 0)
			return -1;
	s->n_segments++;
	return 0;
}

/* Adds a segment that consists of a single piece. */
static int
add_whole_segment(struct salient *s, const struct ctx_message *message,
    unsigned flags, struct ctx_err *err)
{
	const struct ctx_names names = {s, take_name, false};

	s->text.n = 0;
	/* The names in a demonstration (example messages) say nothing about the
	 * task, so they are ignored. */
	if (!(flags & CTX_SEGMENT_DEMONSTRATION) &&
	    ctx_append_segment_text(&s->text, &s->tool, message, flags, err) <
		0)
		return -1;
	if (ctx_names_of(&names, s->text.p, s->text.n, err) < 0 ||
	    ((flags & CTX_SEGMENT_USER) &&
		add_constraints(s, (struct ctx_str){s->text.p, s->text.n},
		    err) < 0) ||
	    end_segment(s, err) < 0)
		return -1;
	ctx_buf_reset(&s->text);
	return 0;
}

static int
add_salient_message(struct ctx_scorer *scorer,
    const struct ctx_message *message, const struct ctx_groups *groups,
    size_t first, struct ctx_err *err)
{
	struct salient *s = (struct salient *)scorer;
	int rc;

	if (!s->has_key)
		ctx_hashkey_init(&s->key);
	s->has_key = true;
	/* The scorer does not read records that are not messages.  They are
	 * segments, too, so they are added here. */
	if (pad_segments(s, first, err) < 0)
		return -1;
	for (; first < groups->n; first++) {
		unsigned flags = groups->segments[first].flags;

		rc = flags & CTX_SEGMENT_DEMONSTRATION
		    ? 0
		    : read_long_result(s, message, err);
		if (rc < 0 ||
		    (rc > 0 ? add_passages(s, err)
			    : add_whole_segment(s, message, flags, err)) < 0)
			return -1;
	}
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
