/* salient.h - data that the files salient*.c share: the names (paths,
 * identifiers, ids and numbers) of a conversation */
#ifndef CTX_PRUNE_STRATEGY_SALIENT_H
#define CTX_PRUNE_STRATEGY_SALIENT_H

#include "prune/plan.h"
#include "truncate/text_segments.h"

/* A piece of a segment (message or part of one).  The last piece of a segment
 * is everything that is not in the other pieces.  These are the texts of tool
 * results with a long text: each passage (a few lines) of a long text, and each
 * other text. */
struct salient_piece {
	/* index in salient.list after the last name of the piece */
	size_t names_end;
	uint32_t segment; /* index of the segment */
	/* Index of the tool result's block in the message; NO_RESULT in the
	 * last piece of a segment. */
	uint32_t result;
	/* Offset of the end of the piece in all texts of the tool result
	 * together, in bytes.  It begins where the piece before it ends.  In
	 * the last piece of a segment: number of bytes. */
	uint32_t to;
	bool is_passage;
	/* False if the passage is removed when its segment is kept.  Set by
	 * ctx_salient_rank. */
	bool kept;
};
#define NO_RESULT UINT32_MAX

struct salient {
	struct ctx_scorer base;
	struct ctx_hashkey key;
	bool has_key;
	struct ctx_intern names;
	/* Ids of the names in all pieces, piece by piece.  In a piece each name
	 * occurs at most once. */
	uint32_t *list;
	/* pieces, in the order of the segments; at least one for each */
	struct salient_piece *pieces;
	/* For each name: number of the last piece that contains it, plus 1.
	 * While groups are ranked: number of the last group, plus 1. */
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
