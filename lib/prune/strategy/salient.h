/* salient.h - data that the files salient*.c share: the names (paths,
 * identifiers, ids and numbers) of a conversation */
#ifndef CTX_PRUNE_STRATEGY_SALIENT_H
#define CTX_PRUNE_STRATEGY_SALIENT_H

#include "prune/plan.h"
#include "truncate/text_segments.h"

/* A piece of a segment (message or part of one).  If a tool result has a long
 * text, each passage (a few lines) of a long text and each whole short text of
 * the result is a piece.  The last piece of a segment is everything that is in
 * no other piece. */
struct salient_piece {
	/* index in salient.list of the element after the last name of this
	 * piece */
	size_t names_end;
	uint32_t segment; /* index of the segment */
	/* Index of the tool result's block in the message; NO_RESULT for the
	 * last piece of a segment. */
	uint32_t result;
	/* Offset in bytes of the end of the piece in all texts of the tool
	 * result together.  The piece begins at the end of the piece before it.
	 * 0 for the last piece of a segment. */
	uint32_t to;
	/* For a passage: its number of tokens, from 1 to UINT16_MAX. 0 if the
	 * piece is not a passage. */
	uint16_t tokens;
	/* True if the piece before this one is a passage of the same text. */
	bool is_joined;
	/* Set by ctx_salient_rank: false if this passage is removed although
	 * its segment is kept. */
	bool kept;
};
#define NO_RESULT UINT32_MAX

struct salient {
	struct ctx_scorer base;
	struct ctx_hashkey key;
	bool has_key;
	struct ctx_intern names;
	/* Ids of the names in the first piece, then in the second piece, and so
	 * on.  For each piece, each name is stored at most once. */
	uint32_t *list;
	/* the pieces of all segments, in order; each segment has at least one
	 * piece */
	struct salient_piece *pieces;
	/* For each name: number of the last piece that contains the name, plus
	 * 1.  While groups (messages kept or removed together) are ranked:
	 * number of the last group that contains the name, plus 1. */
	uint32_t *seen;
	size_t n_list, list_cap, n_pieces, pieces_cap, n_segments, seen_cap;
	/* the passages that were returned by ctx_salient_find_removed */
	struct passage *removed;
	size_t removed_cap;
	struct ctx_buf text, tool;
	/* text of the tool result that was read last */
	struct text_segments result;
};

/* ---- salient_rank.c ---- */

/* Implement the functions rank and find_removed of ctx_salient_kind. */
int ctx_salient_rank(struct ctx_scorer *scorer, struct ctx_groups *groups,
    const struct ctx_plan *plan, struct ctx_err *err);
int ctx_salient_find_removed(struct ctx_scorer *scorer, size_t segment,
    struct passages *removed, struct ctx_err *err);

#endif
