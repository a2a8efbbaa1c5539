/* text_pieces.h - the pieces of the texts of messages, and the names (paths,
 * identifiers, ids and numbers) in each piece */
#ifndef CTX_PRUNE_STRATEGY_TEXT_PIECES_H
#define CTX_PRUNE_STRATEGY_TEXT_PIECES_H

#include "prune/plan.h"
#include "truncate/text_segments.h"

/* A piece of a segment (message or part of one).  If a tool result has a long
 * text, each passage (a few lines) of a long text and each whole short text of
 * the result is a piece.  The long arguments of a tool call are a piece.  The
 * last piece of a segment is everything that is in no other piece. */
struct text_piece {
	/* index in text_pieces.names of the element after the last name of this
	 * piece */
	size_t names_end;
	/* Index of the block of the tool result or tool call in the message;
	 * NO_RESULT for the last piece of a segment. */
	uint32_t result;
	/* Offset in bytes of the end of the piece in all texts of the tool
	 * result together.  The piece begins at the end of the piece before it.
	 * 0 for the last piece of a segment, and for arguments. */
	uint32_t to;
	/* For a passage: its number of tokens, from 1 to UINT16_MAX. 0 if the
	 * piece is not a passage. */
	uint16_t tokens;
	/* For arguments of a tool call: number of tokens that cutting them
	 * saves, at least 1.  0 for other pieces. */
	uint16_t saved;
	/* True if the piece before this one is a passage of the same text. */
	bool is_joined;
};
#define NO_RESULT UINT32_MAX

/* Pieces, in the order in which they were added; those of a segment are
 * consecutive. */
struct text_pieces {
	/* Numbers of the names in the first piece, then in the second piece,
	 * and so on.  For each piece, each name is stored at most once. */
	uint32_t *names;
	size_t n_names, names_cap;
	struct text_piece *list;
	size_t n, cap;
};

/* properties of a name */
enum {
	/* The name is a number, as ctx_name_is_number defines it. */
	CTX_NAME_NUMBER = 1,
	/* The assistant wrote the name before any tool result or message of the
	 * user contained it. */
	CTX_NAME_BY_ASSISTANT = 2,
};

/* The names in several struct text_pieces.  Each name has a number, counted
 * from 0. */
struct name_table {
	struct ctx_intern names; /* the id of a name is its number plus 1 */
	struct ctx_hashkey key;
	bool has_key;
	uint8_t *flags; /* for each name: CTX_NAME_... flags */
	size_t flags_cap;
	/* For each name: the number of the list of names to which the name was
	 * added last.  A list of names is, for example, that of a piece. list:
	 * number of the newest list, from 1. */
	uint32_t *list_of;
	size_t list_of_cap;
	uint32_t list;
};

/* The pieces of a segment: n elements of pieces->list from the index "first"
 * on. */
struct piece_range {
	const struct text_pieces *pieces;
	size_t first, n;
	/* The numbers of the names in these pieces are below this number. */
	size_t n_names;
};

/* Reads segments, and divides their texts into pieces. */
struct text_reader {
	struct name_table *table;
	struct text_pieces *pieces; /* new pieces are added to these */
	/* true: texts are not divided into passages */
	bool whole;
	struct ctx_counter *counter; /* owned by the caller */
	struct ctx_buf text, tool;
	/* true if the assistant wrote the text that is being read */
	bool by_assistant;
	/* text of the tool result that was read last */
	struct text_segments result;
};

/* Adds the pieces of a segment (message or part of one) to reader->pieces, and
 * sets *range to them. flags: the flags of the segment. */
int ctx_text_pieces_read(struct text_reader *reader,
    const struct ctx_scored_message *scored, unsigned flags,
    struct piece_range *range, struct ctx_err *err);
/* Sets *range to the pieces of a segment in *shared.  If they are not in
 * *shared yet, adds them like ctx_text_pieces_read.  Changes reader->pieces. */
int ctx_shared_texts_find(struct ctx_shared_texts *shared,
    struct text_reader *reader, const struct ctx_scored_message *scored,
    unsigned flags, struct piece_range *range, struct ctx_err *err);
/* Returns the table of all names in *shared. */
struct name_table *ctx_shared_texts_names(struct ctx_shared_texts *shared);
void ctx_text_reader_release(struct text_reader *reader);
void ctx_text_pieces_release(struct text_pieces *pieces);
void ctx_name_table_release(struct name_table *table);

/* Begins a new list of names, so that ctx_name_table_is_new returns true once
 * for each name. */
void ctx_name_table_begin(struct name_table *table);

/* Returns the index of the first name of piece i in pieces->names. */
static inline size_t
ctx_first_name(const struct text_pieces *pieces, size_t i)
{
	return i > 0 ? pieces->list[i - 1].names_end : 0;
}

/* Returns true if a name was not yet added to the newest list of names. */
static inline bool
ctx_name_table_is_new(struct name_table *table, uint32_t name)
{
	bool is_new = table->list_of[name] != table->list;

	table->list_of[name] = table->list;
	return is_new;
}

#endif
