/* counter.h - what counting a text is made of */
#ifndef CTX_TOKEN_COUNTER_H
#define CTX_TOKEN_COUNTER_H

#include "token/chain.h"
#include "token/merge.h"
#include "token/probe.h"
#include "token/split.h"
#include "token/tokenizer.h"
#include "token/words.h"

/* A word that waits in a lane to be merged. */
struct ctx_waiting {
	const char *p; /* NULL: not to be remembered */
	struct ctx_key key; /* of at most CTX_WORDS_KEY bytes */
};

/* Parts of long pieces, of at most CTX_WORDS_KEY bytes, that wait to be
 * looked up. */
struct ctx_parts {
	size_t n;
	uint32_t start[CTX_PROBE_MAX];
	uint32_t end[CTX_PROBE_MAX];
};

struct ctx_token_counter {
	const struct ctx_tokenizer *tokenizer;
	ctx_split_fn *split;
	ctx_probe_fn *probe;
	ctx_lanes_fn *merge_lanes;
	unsigned plain; /* kinds of pieces that need no looking up */
	/* Bytes of the longest token that is found before the text is split,
	 * 0: none is. */
	size_t added;
	bool local; /* do boundaries depend on what is near alone? */
	struct ctx_chain_state *chain; /* of a tokenizer that has one */
	struct ctx_words words;
	struct ctx_merge merge;
	struct ctx_split pieces, others;
	struct ctx_probe batch, parts_batch;
	struct ctx_parts parts;
	size_t nwaiting;
	struct ctx_waiting waiting[CTX_LANES];
	struct ctx_lane lanes[CTX_LANES];
};

/* Splits off the first pieces, 1 to max, into counter->pieces, which need not
 * list the plain ones (see split.h); texts that
 * follow a ctx_counter_begin are the rest of one text. */
void ctx_counter_begin(struct ctx_token_counter *counter);
int ctx_counter_split(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t max, unsigned plain, struct ctx_err *err);

/*
 * A walk over a text, some pieces at a time.  Every place it stops at is a
 * boundary between pieces.
 */
struct ctx_walk {
	struct ctx_token_counter *counter;
	const char *p;
	size_t n;
	size_t at;	 /* bytes walked */
	uint64_t tokens; /* what they cost */
	size_t span;	 /* where ordinary text ends at an added token */
	bool scanned;	 /* is span known? */
};

void ctx_walk_init(struct ctx_walk *walk, struct ctx_token_counter *counter,
    const char *p, size_t n);
/* Goes on by 1 to max pieces (at most CTX_SPLIT_MAX); 1, 0 at the end, -1. */
int ctx_walk_next(struct ctx_walk *walk, size_t max, struct ctx_err *err);

#endif
