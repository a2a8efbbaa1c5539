/*
 * text_pieces.c - divides the texts of messages into pieces (passages of long
 * tool results, and everything else), and finds the names in each piece
 *
 * A sentence in which the user says what must or must not be done, or decides
 * something, counts as a name, because it is short and nothing else in the
 * conversation says the same.
 *
 * The pieces of a message depend on nothing but the message.  So scorers for
 * the same messages can share them (struct ctx_shared_texts).
 */
#include <stdlib.h>
#include <string.h>

#include "prune/held_conversation.h"
#include "prune/strategy/segment_text.h"
#include "prune/strategy/summary.h"
#include "prune/strategy/text_pieces.h"
#include "prune/strategy/words.h"

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
	/* Estimated number of tokens of what replaces the arguments of a tool
	 * call, such as {"_ctx_cut":"508 characters truncated"}. */
	CUT_TOKENS = 14,
};

/* ---- names ---- */

void
ctx_name_table_begin(struct name_table *table)
{
	if (table->list == UINT32_MAX) {
		memset(table->list_of, 0,
		    table->names.n * sizeof *table->list_of);
		table->list = 0;
	}
	table->list++;
}

static int
intern_name(struct name_table *table, const char *p, size_t n, uint32_t *id,
    struct ctx_err *err)
{
	uint64_t hash[2];

	if (n <= LONG_NAME)
		return ctx_intern(&table->names, p, n, id, err);
	if (!table->has_key)
		ctx_hashkey_init(&table->key);
	table->has_key = true;
	ctx_hash_wide(&table->key, p, n, hash);
	return ctx_intern(&table->names, (const char *)hash, sizeof hash, id,
	    err);
}

/* Adds a name to the newest piece, which is not in pieces->list yet. */
static int
take_name(void *user, const char *p, size_t n, struct ctx_err *err)
{
	struct text_reader *reader = user;
	struct text_pieces *pieces = reader->pieces;
	struct name_table *table = reader->table;
	size_t known = table->names.n;
	uint32_t id;

	if (intern_name(table, p, n, &id, err) < 0 ||
	    CTX_GROW(table->flags, table->flags_cap, table->names.n, err) < 0 ||
	    CTX_GROW(table->list_of, table->list_of_cap, table->names.n, err) <
		0)
		return -1;
	if (table->names.n > known) {
		table->list_of[id - 1] = 0;
		table->flags[id - 1] =
		    (uint8_t)((ctx_name_is_number(p, n) ? CTX_NAME_NUMBER : 0) |
			(reader->by_assistant ? CTX_NAME_BY_ASSISTANT : 0));
	}
	if (!ctx_name_table_is_new(table, id - 1))
		return 0;
	if (CTX_GROW(pieces->names, pieces->names_cap, pieces->n_names + 1,
		err) < 0)
		return -1;
	pieces->names[pieces->n_names++] = id - 1;
	return 0;
}

/* Ends the newest piece (part of the text) of a segment.  The piece has the
 * names that were added since the last call.  The member names_end of the
 * argument is not used. */
static int
end_piece(struct text_reader *reader, struct text_piece piece,
    struct ctx_err *err)
{
	struct text_pieces *pieces = reader->pieces;

	piece.names_end = pieces->n_names;
	if (CTX_GROW(pieces->list, pieces->cap, pieces->n + 1, err) < 0)
		return -1;
	pieces->list[pieces->n++] = piece;
	ctx_name_table_begin(reader->table);
	return 0;
}

/* Adds each sentence in which the user says what must or must not be done, or
 * decides something, to the names of the newest piece (part of a text).  Skips
 * text that a program has put into the message. */
static int
add_constraints(struct text_reader *reader, struct ctx_str text,
    struct ctx_err *err)
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
			    take_name(reader, one.p, one.n, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- passages of tool results ---- */

/* Finds the texts of tool result i.  Returns 1 if these texts may be divided
 * into passages, 0 if none of them is long, or -1 with *err. */
static int
find_long_texts(struct text_reader *reader, const struct ctx_message *message,
    size_t i, struct ctx_err *err)
{
	const struct text_segments *result = &reader->result;
	size_t k;

	if (reader->whole || message->blocks[i].no_truncate ||
	    ctx_json_str(message->json, message->blocks[i].payload).n >
		LARGEST_RESULT ||
	    (message->flags & CTX_MESSAGE_HIDDEN))
		return 0;
	if (ctx_text_segments_result(&reader->result, message, i, err) < 0)
		return -1;
	for (k = 0; k < result->n; k++)
		if (!result->list[k].is_json &&
		    result->list[k].literal.n > LONG_TEXT)
			return 1;
	return 0;
}

/* Sets *number to the number of tokens of a passage, from 1 to UINT16_MAX. */
static int
count_passage(struct text_reader *reader, const char *p, size_t n,
    uint16_t *number, struct ctx_err *err)
{
	uint64_t tokens;

	if (ctx_token_count(reader->counter->tokens, p, n, &tokens, err) < 0)
		return -1;
	tokens = ctx_text_to_model(reader->counter, p, n, tokens);
	*number = (uint16_t)(tokens == 0 ? 1
		: tokens < UINT16_MAX    ? tokens
					 : UINT16_MAX);
	return 0;
}

/* Adds the pieces of one text of tool result i: the passages of a long text, or
 * the whole text. */
static int
add_text(struct text_reader *reader, const struct text_segment *segment,
    size_t i, struct ctx_err *err)
{
	const struct ctx_words names = {reader, take_name, false};
	const struct ctx_str text =
	    ctx_text_segment_text(&reader->result, segment);
	bool is_long = segment->literal.n > 0 && text.n > LONG_TEXT;
	struct text_piece piece = {.result = (uint32_t)i};
	struct passage_walk walk;
	struct passage part;

	ctx_passages_begin(&walk, text.p, text.n, is_long ? PASSAGE : text.n);
	while (ctx_passages_next(&walk, &part)) {
		piece.to = (uint32_t)(segment->from + part.to);
		if (is_long &&
		    count_passage(reader, text.p + part.from,
			part.to - part.from, &piece.tokens, err) < 0)
			return -1;
		if (ctx_names_of(&names, text.p + part.from,
			part.to - part.from, err) < 0 ||
		    end_piece(reader, piece, err) < 0)
			return -1;
		piece.is_joined = is_long;
	}
	return 0;
}

/* If tool result i has a long text, adds the pieces (parts) of its texts and
 * sets *divided to true.  Otherwise sets *divided to false. */
static int
divide_result(struct text_reader *reader, const struct ctx_message *message,
    size_t i, bool *divided, struct ctx_err *err)
{
	int rc = find_long_texts(reader, message, i, err);
	size_t k;

	*divided = rc > 0;
	if (rc <= 0)
		return rc;
	if (ctx_text_segments_read(&reader->result, err) < 0)
		return -1;
	for (k = 0; k < reader->result.n; k++)
		if (add_text(reader, &reader->result.list[k], i, err) < 0)
			return -1;
	return 0;
}

/* ---- arguments of tool calls ---- */

/* Adds the arguments of a tool call, which is block i, as one piece (struct
 * text_piece). */
static int
add_arguments(struct text_reader *reader, const struct ctx_message *message,
    size_t i, struct ctx_err *err)
{
	const struct ctx_words names = {reader, take_name, false};
	struct text_piece piece = {.result = (uint32_t)i};
	const struct ctx_block *block = &message->blocks[i];
	size_t from = reader->text.n;
	struct ctx_str text;

	if (ctx_append_node_text(&reader->text, message->json, block->payload,
		err) < 0)
		return -1;
	text = (struct ctx_str){reader->text.p + from, reader->text.n - from};
	if (count_passage(reader, text.p, text.n, &piece.saved, err) < 0 ||
	    ctx_names_of(&names, text.p, text.n, err) < 0)
		return -1;
	piece.saved =
	    piece.saved > CUT_TOKENS ? (uint16_t)(piece.saved - CUT_TOKENS) : 1;
	reader->text.n = from;
	return end_piece(reader, piece, err);
}

/* Returns true if a block is a tool call whose arguments are long and may be
 * cut. */
static bool
has_long_arguments(const struct text_reader *reader,
    const struct ctx_scored_message *scored, unsigned flags, size_t i)
{
	const struct ctx_message *message = scored->message;
	const struct ctx_block *block = &message->blocks[i];
	size_t n;

	if (block->kind != CTX_BLOCK_TOOL_CALL || block->payload == 0 ||
	    block->no_truncate || reader->whole || scored->keeps_arguments ||
	    (flags & CTX_SEGMENT_REST) || (message->flags & CTX_MESSAGE_HIDDEN))
		return false;
	n = ctx_json_str(message->json, block->payload).n;
	return n > LONG_TEXT && n <= LARGEST_RESULT;
}

/* ---- segments ---- */

/* Adds the pieces (parts of the texts) of those tool results of a segment that
 * are divided, and of its long arguments of tool calls.  Appends all other
 * texts of the segment to reader->text. */
static int
read_blocks(struct text_reader *reader, const struct ctx_scored_message *scored,
    unsigned flags, struct ctx_err *err)
{
	const struct ctx_message *message = scored->message;
	struct ctx_block block;
	bool divided = false;
	size_t i, result = 0;

	reader->text.n = 0;
	reader->by_assistant = message->role == CTX_ROLE_ASSISTANT;
	/* The names in a demonstration (example messages) say nothing about the
	 * task, so they are ignored. */
	for (i = 0; i < message->n && !(flags & CTX_SEGMENT_DEMONSTRATION);
	     i++) {
		block = message->blocks[i];
		if (!ctx_is_in_segment(&block, flags))
			continue;
		if (block.result_index == 0)
			divided = false;
		reader->by_assistant &= block.kind != CTX_BLOCK_TOOL_RESULT;
		if (block.kind == CTX_BLOCK_TOOL_RESULT &&
		    (scored->excluded == NULL || !scored->excluded[result++]) &&
		    divide_result(reader, message, i, &divided, err) < 0)
			return -1;
		if (has_long_arguments(reader, scored, flags, i)) {
			if (add_arguments(reader, message, i, err) < 0)
				return -1;
			/* Only the name of the tool is left. */
			block.payload = 0;
		}
		if (!divided &&
		    ctx_append_block_text(&reader->text, &reader->tool, message,
			&block, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_text_pieces_read(struct text_reader *reader,
    const struct ctx_scored_message *scored, unsigned flags,
    struct piece_range *range, struct ctx_err *err)
{
	const struct ctx_words names = {reader, take_name, false};
	const struct text_piece rest = {.result = NO_RESULT};
	size_t first = reader->pieces->n;

	ctx_name_table_begin(reader->table);
	if (read_blocks(reader, scored, flags, err) < 0 ||
	    ctx_names_of(&names, reader->text.p, reader->text.n, err) < 0 ||
	    ((flags & CTX_SEGMENT_USER) &&
		add_constraints(reader, ctx_buf_str(&reader->text), err) < 0) ||
	    end_piece(reader, rest, err) < 0)
		return -1;
	ctx_buf_reset(&reader->text);
	*range = (struct piece_range){reader->pieces, first,
	    reader->pieces->n - first, reader->table->names.n};
	return 0;
}

/* ---- shared pieces ---- */

/* The pieces of a segment of a message. */
struct shared_segment {
	struct piece_range range;
	/* What the pieces depend on besides the message: flags of the segment,
	 * and text_reader.whole. */
	unsigned flags;
	bool whole;
	/* index, plus 1, of another segment of the same message; 0 if there is
	 * none */
	uint32_t next;
};

struct ctx_shared_texts {
	struct name_table table;
	struct text_pieces pieces;
	struct shared_segment *segments;
	size_t n, cap;
	/* for each number of a message: index, plus 1, of the segment of this
	 * message that was added last; 0 if there is none */
	uint32_t *newest;
	size_t newest_cap;
};

/* The flags of a segment on which its pieces depend. */
#define READ_FLAGS                                                   \
	(CTX_SEGMENT_RESULTS | CTX_SEGMENT_REST | CTX_SEGMENT_USER | \
	    CTX_SEGMENT_DEMONSTRATION)

struct ctx_shared_texts *
ctx_shared_texts_open(struct ctx_err *err)
{
	struct ctx_shared_texts *shared = calloc(1, sizeof *shared);

	if (shared == NULL)
		ctx_err_nomem(err);
	return shared;
}

struct name_table *
ctx_shared_texts_names(struct ctx_shared_texts *shared)
{
	return &shared->table;
}

/* Returns the segment of a message that was added to *shared, or NULL if it was
 * not.  Sets *newest to the element of shared->newest for the message; NULL
 * with *err if there is no memory. */
static const struct shared_segment *
find_shared(struct ctx_shared_texts *shared, const struct text_reader *reader,
    uint32_t number, unsigned flags, uint32_t **newest, struct ctx_err *err)
{
	size_t known = shared->newest_cap;
	const struct shared_segment *segment;

	*newest = NULL;
	if (CTX_GROW(shared->newest, shared->newest_cap, (size_t)number + 1,
		err) < 0)
		return NULL;
	memset(shared->newest + known, 0,
	    (shared->newest_cap - known) * sizeof *shared->newest);
	*newest = &shared->newest[number];
	for (uint32_t i = **newest; i != 0; i = segment->next) {
		segment = &shared->segments[i - 1];
		if (segment->flags == flags && segment->whole == reader->whole)
			return segment;
	}
	return NULL;
}

int
ctx_shared_texts_find(struct ctx_shared_texts *shared,
    struct text_reader *reader, const struct ctx_scored_message *scored,
    unsigned flags, struct piece_range *range, struct ctx_err *err)
{
	struct shared_segment added = {.flags = flags & READ_FLAGS,
	    .whole = reader->whole};
	const struct shared_segment *segment;
	uint32_t *newest;

	segment = find_shared(shared, reader, scored->number, added.flags,
	    &newest, err);
	if (segment == NULL) {
		reader->pieces = &shared->pieces;
		if (newest == NULL ||
		    CTX_GROW(shared->segments, shared->cap, shared->n + 1,
			err) < 0 ||
		    ctx_text_pieces_read(reader, scored, flags, &added.range,
			err) < 0)
			return -1;
		added.next = *newest;
		shared->segments[shared->n++] = added;
		*newest = (uint32_t)shared->n;
		segment = &added;
	}
	*range = segment->range;
	return 0;
}

/* ---- release ---- */

void
ctx_text_reader_release(struct text_reader *reader)
{
	ctx_buf_release(&reader->text);
	ctx_buf_release(&reader->tool);
	ctx_text_segments_release(&reader->result);
}

void
ctx_text_pieces_release(struct text_pieces *pieces)
{
	free(pieces->names);
	free(pieces->list);
	memset(pieces, 0, sizeof *pieces);
}

void
ctx_name_table_release(struct name_table *table)
{
	ctx_intern_release(&table->names);
	free(table->list_of);
	free(table->flags);
	table->list_of = NULL;
	table->flags = NULL;
	table->list_of_cap = table->flags_cap = 0;
}

void
ctx_shared_texts_close(struct ctx_shared_texts *shared)
{
	if (shared == NULL)
		return;
	ctx_name_table_release(&shared->table);
	ctx_text_pieces_release(&shared->pieces);
	free(shared->segments);
	free(shared->newest);
	free(shared);
}
