/* salient.h - data that the files salient*.c share: the names (paths,
 * identifiers, ids and numbers) of a conversation */
#ifndef CTX_PRUNE_STRATEGY_SALIENT_H
#define CTX_PRUNE_STRATEGY_SALIENT_H

#include "prune/strategy/text_pieces.h"

/* The pieces of a segment (message or part of one).  A segment that is not a
 * message has none. */
struct salient_segment {
	const struct text_pieces *pieces; /* salient.own or shared pieces */
	/* index of the segment's first piece in pieces->list */
	size_t first;
	/* number of the pieces of all segments before this one: index of the
	 * segment's first piece in salient.kept */
	size_t before;
};

/* All that the ranks depend on besides the pieces of the segments. */
struct salient_input {
	/* number of tokens that are left for groups that need not be kept */
	uint64_t room;
	size_t n; /* number of segments that are ranked */
	/* false: all passages of kept groups are kept */
	bool removes_passages;
	/* True if long arguments of tool calls are cut in segments that must be
	 * kept, because these would otherwise exceed the target. */
	bool cuts_arguments;
};
struct ranked_segment {
	uint64_t tokens;
	uint32_t root; /* index of the first segment of the same group */
	uint32_t turn;
	uint16_t flags; /* CTX_SEGMENT_... flags */
	bool is_kept;   /* true if the segment must be kept */
	/* true if all its passages must be kept, too */
	bool is_whole;
};

struct salient {
	struct ctx_scorer base;
	/* The names: those of options.shared, or else own_names. */
	struct name_table *table;
	struct name_table own_names;
	/* Pieces of the segments that no other scorer reads. */
	struct text_pieces own;
	struct text_reader reader;
	/* There is one more element after the last segment: only its member
	 * "before" is set. */
	struct salient_segment *segments;
	size_t n_segments, segments_cap;
	/* n_pieces: number of the pieces of all segments. n_names: the numbers
	 * of their names are below this number. */
	size_t n_pieces, n_names;
	/* What the newest ranks depend on.  If nothing of it has changed, the
	 * segments are not ranked again. is_ranked: false if there are no ranks
	 * yet. */
	struct salient_input input;
	struct ranked_segment *ranked;
	/* Numbers of tokens of the marks that replace removed passages: of the
	 * first mark in a text, and of each other mark. */
	uint64_t first_mark_tokens, mark_tokens;
	double *ranks;
	size_t ranked_cap, ranks_cap;
	bool is_ranked;
	/* Set by ctx_salient_rank for each piece of the first input.n segments:
	 * false if it is a passage that is removed although its segment is
	 * kept. */
	bool *kept;
	size_t kept_cap;
	/* the passages that were returned by ctx_salient_find_removed */
	struct passage *removed;
	size_t removed_cap;
};

/* Names, as in text_pieces.names. */
struct salient_names {
	const uint32_t *list;
	size_t n;
};

/* ---- salient_weigh.c ---- */

/* Returns the names of all pieces of segment i. */
struct salient_names ctx_salient_names(const struct salient *s, size_t i);
/* Replaces, for each name, the number of groups that contain the name in
 * weight[] by the weight of the name. n_groups: number of all groups. */
int ctx_salient_weigh(const struct salient *s, size_t n_groups, double *weight,
    struct ctx_err *err);

/* ---- salient_rank.c ---- */

/* Implements ctx_scorer_rank.  There must be a struct salient_segment for each
 * segment that is ranked. */
int ctx_salient_rank(struct salient *s, const struct ctx_plan *plan,
    struct ctx_err *err);

/* ---- salient.c ---- */

/* Implements ctx_scorer_find_removed. */
int ctx_salient_find_removed(struct ctx_scorer *scorer, size_t segment,
    struct passages *removed, struct ctx_err *err);

#endif
