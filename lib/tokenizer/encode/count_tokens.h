/* count_tokens.h - the token counter and the splitting of texts */
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

/* A pretoken that waits in a lane to be merged. */
struct ctx_waiting {
	const char *p;      /* NULL: do not cache it */
	struct ctx_key key; /* if it has at most CTX_PRETOKEN_CACHE_KEY bytes */
};

/* Parts of long pretokens that wait to be looked up; each has at most
 * CTX_PRETOKEN_CACHE_KEY bytes. */
struct ctx_parts {
	size_t n;
	uint32_t start[CTX_PRETOKEN_LOOKUP_MAX];
	uint32_t end[CTX_PRETOKEN_LOOKUP_MAX];
};

struct ctx_token_counter {
	const struct ctx_tokenizer *tokenizer;
	ctx_pretokenize_fn *split;
	ctx_pretoken_lookup_fn *lookup;
	ctx_bpe_lanes_fn *merge_lanes;
	unsigned plain; /* CTX_PLAIN_...: kinds of pretokens that are tokens */
	/* Bytes of the longest added token that is searched in the text, and of
	 * the longest that is searched in its normal form; 0: none. */
	size_t added, added_normal;
	bool local; /* true if boundaries depend only on nearby text: no added
		       tokens, no patterns of a file */
	bool nfc;   /* true if text is normalized */
	struct ctx_nfc normalizer;
	struct ctx_buf normal;  /* normal form of the text being counted */
	struct ctx_nfc_map map; /* offsets of normal, filled on demand */
	struct ctx_pcre2_state
	    *pcre2; /* state of the patterns of a file, or NULL */
	struct ctx_pretoken_cache cache;
	struct ctx_bpe bpe;
	struct ctx_pretokenize pretokens, other_pretokens;
	struct ctx_pretoken_lookup batch, parts_batch;
	struct ctx_parts parts;
	size_t nwaiting;
	struct ctx_waiting waiting[CTX_LANES];
	struct ctx_bpe_lane lanes[CTX_LANES];
};

/* ctx_counter_begin starts a new text.  ctx_counter_split splits off its next
 * pretokens, 1 to max, into counter->pieces; p, n is the rest of the text.
 * Kinds in plain may be counted without being listed (see backend.h). */
void ctx_counter_begin(struct ctx_token_counter *counter);
int ctx_counter_split(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t max, unsigned plain, struct ctx_err *err);

/* Splits off and counts the next pretokens, 1 to max, of a text in normal form
 * without added tokens.  Sets *used to their bytes. */
int ctx_counter_count(struct ctx_token_counter *counter, struct ctx_str text,
    size_t max, uint64_t *tokens, size_t *used, struct ctx_err *err);

/* A text in which added tokens are found before the rest is split. */
struct ctx_spans {
	struct ctx_str text;
	size_t at;    /* bytes done */
	size_t end;   /* end of the ordinary text: the next name, or the end */
	bool scanned; /* true if end is known */
};

/* Splits and counts a text, some pretokens at a time.  It stops only at
 * boundaries between pretokens.  A counter serves one splitter at a time. */
struct ctx_text_splitter {
	struct ctx_token_counter *counter;
	struct ctx_spans spans; /* the text before normalization */
	uint64_t tokens;        /* tokens of the bytes done */
	bool nfc;               /* true if text is normalized */
	/* The normal form of the ordinary text at spans.at, empty if none is in
	 * work.  spans.at moves only when all of it is done. */
	struct ctx_spans normal;
	bool changed;   /* true if normal differs from the text */
	bool different; /* true if any normal form so far did */
	bool mapped;    /* true if counter->map belongs to normal */
};

/* Starts a splitter at the beginning of a text. */
void ctx_text_splitter_init(struct ctx_text_splitter *splitter,
    struct ctx_token_counter *counter, const char *p, size_t n);
/* Starts a splitter of a text in normal form without added tokens. */
void ctx_text_splitter_init_plain(struct ctx_text_splitter *splitter,
    struct ctx_token_counter *counter, const char *p, size_t n);
/* Advances by 1 to max pretokens or by one added token; max is at most
 * CTX_PRETOKENIZE_MAX.  Returns 1, 0 at the end of the text, or -1. */
int ctx_text_splitter_next(struct ctx_text_splitter *splitter, size_t max,
    struct ctx_err *err);
/* Sets *at to the place of the splitter in the text before normalization and
 * returns 1.  Returns 0 if normalization changed the text there: *at is the
 * next byte that is a place in both texts.  Returns -1 on error. */
int ctx_text_splitter_place(struct ctx_text_splitter *splitter, size_t *at,
    struct ctx_err *err);

#endif
