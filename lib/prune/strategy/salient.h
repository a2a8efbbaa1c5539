/* salient.h - what the files salient*.c share: the names (paths, identifiers,
 * ids and numbers) of a conversation */
#ifndef CTX_PRUNE_STRATEGY_SALIENT_H
#define CTX_PRUNE_STRATEGY_SALIENT_H

#include "prune/plan.h"
#include "truncate/text_segments.h"

/* A segment or, if the segment is a long tool result, one of its passages. */
struct salient_piece {
	size_t names_end; /* index after its last name, in salient.list */
	uint32_t segment; /* index of the segment */
	/* Offsets of the passage in the text of the tool result, in bytes; both
	 * 0: the piece is a whole segment. */
	uint32_t from, to;
	/* false for a passage that is removed if its segment is kept; set by
	 * ctx_salient_rank */
	bool kept;
};

struct salient {
	struct ctx_scorer base;
	struct ctx_hashkey key;
	bool has_key;
	struct ctx_intern names;
	/* The numbers of the names in all pieces, one piece after another.
	 * Within a piece no name is repeated. */
	uint32_t *list;
	/* in the order of the conversation; each segment has at least one */
	struct salient_piece *pieces;
	/* for each name: 1 + the number of the last piece or, while groups are
	 * ranked, of the last group that contains it */
	uint32_t *seen;
	size_t n_list, list_cap, n_pieces, pieces_cap, n_segments, seen_cap;
	/* the passages that ctx_salient_find_removed returns */
	struct passage *removed;
	size_t removed_cap;
	struct ctx_buf text, tool;
	struct text_segments result; /* text of a tool result */
};

/* ---- salient_rank.c ---- */

/* The functions rank and find_removed of ctx_salient_kind. */
int ctx_salient_rank(struct ctx_scorer *scorer, struct ctx_groups *groups,
    const struct ctx_plan *plan, struct ctx_err *err);
int ctx_salient_find_removed(struct ctx_scorer *scorer, size_t segment,
    struct passages *removed, struct ctx_err *err);

#endif
