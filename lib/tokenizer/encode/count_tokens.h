/* count_tokens.h - what counting a text is made of */
#ifndef CTX_TOKENIZER_ENCODE_COUNT_TOKENS_H
#define CTX_TOKENIZER_ENCODE_COUNT_TOKENS_H

#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/encode/pretoken_cache.h"
#include "tokenizer/encode/pretoken_lookup.h"
#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/open.h"
#include "tokenizer/simd/backend.h"
#include "tokenizer/tokenizer.h"

/* A word that waits in a lane to be merged. */
struct ctx_waiting {
	const char *p;      /* NULL: not to be remembered */
	struct ctx_key key; /* of at most CTX_PRETOKEN_CACHE_KEY bytes */
};

/* Parts of long pieces, of at most CTX_PRETOKEN_CACHE_KEY bytes, that wait to
 * be looked up. */
struct ctx_parts {
	size_t n;
	uint32_t start[CTX_PRETOKEN_LOOKUP_MAX];
	uint32_t end[CTX_PRETOKEN_LOOKUP_MAX];
};

struct ctx_token_counter {
	const struct ctx_tokenizer *tokenizer;
	ctx_pretokenize_fn *split;
	ctx_pretoken_lookup_fn *probe;
	ctx_bpe_lanes_fn *merge_lanes;
	unsigned plain; /* kinds of pieces that need no looking up */
	/* Bytes of the longest token that is found before the text is split,
	 * 0: none is; in the text as it is, and in its normal form. */
	size_t added, added_normal;
	bool local; /* do boundaries depend on what is near alone? */
	bool nfc;   /* is text normalised? */
	struct ctx_nfc normalizer;
	struct ctx_buf normal;  /* the normal form of what is walked over */
	struct ctx_nfc_map map; /* its places, once they are asked for */
	struct ctx_pcre2_state *chain; /* of a tokenizer that has one */
	struct ctx_pretoken_cache cache;
	struct ctx_bpe bpe;
	struct ctx_pretokenize pieces, others;
	struct ctx_pretoken_lookup batch, parts_batch;
	struct ctx_parts parts;
	size_t nwaiting;
	struct ctx_waiting waiting[CTX_LANES];
	struct ctx_bpe_lane lanes[CTX_LANES];
};

/* Splits off the first pieces, 1 to max, into counter->pieces, which need not
 * list the plain ones (see backend.h); texts that
 * follow a ctx_counter_begin are the rest of one text. */
void ctx_counter_begin(struct ctx_token_counter *counter);
int ctx_counter_split(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t max, unsigned plain, struct ctx_err *err);

/* Counts the first pieces, 1 to max, of a text in normal form and without
 * added tokens; *used is their length. */
int ctx_counter_count(struct ctx_token_counter *counter, struct ctx_str text,
    size_t max, uint64_t *tokens, size_t *used, struct ctx_err *err);

/* A text in which tokens are found before the rest is split. */
struct ctx_spans {
	struct ctx_str text;
	size_t at;    /* bytes walked */
	size_t end;   /* where ordinary text ends at a name */
	bool scanned; /* is end known? */
};

/*
 * A walk over a text, some pieces at a time.  Every place it stops at is a
 * boundary between pieces.  No two walks with a counter go on side by side.
 */
struct ctx_text_splitter {
	struct ctx_token_counter *counter;
	struct ctx_spans spans; /* of the text as it is */
	uint64_t tokens;        /* what has been walked costs */
	bool nfc;               /* is text normalised? */
	/* The normal form of the ordinary text that begins at spans.at, which
	 * is left behind as a whole.  It is empty between two of them. */
	struct ctx_spans normal;
	bool changed;   /* is it another text? */
	bool different; /* was any? */
	bool mapped;    /* has counter->map begun? */
};

void ctx_text_splitter_init(struct ctx_text_splitter *walk,
    struct ctx_token_counter *counter, const char *p, size_t n);
/* The same, of a text in normal form and without added tokens. */
void ctx_text_splitter_init_plain(struct ctx_text_splitter *walk,
    struct ctx_token_counter *counter, const char *p, size_t n);
/* Goes on by 1 to max pieces (at most CTX_PRETOKENIZE_MAX); 1, 0 at the end,
 * -1. */
int ctx_text_splitter_next(struct ctx_text_splitter *walk, size_t max,
    struct ctx_err *err);
/*
 * Sets *at to the bytes walked; 1, or 0 if it stands where normalising has
 * changed the text, so that the text cannot be parted there: then *at is the
 * next byte at which it can; or -1.
 */
int ctx_text_splitter_place(struct ctx_text_splitter *walk, size_t *at,
    struct ctx_err *err);

#endif
