/* count_tokens.h - the token counter, and how it splits a text into
 * pretokens */
#ifndef CTX_TOKENIZER_ENCODE_COUNT_TOKENS_H
#define CTX_TOKENIZER_ENCODE_COUNT_TOKENS_H

#include "tokenizer/claude/claude.h"
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/encode/pretoken_cache.h"
#include "tokenizer/encode/pretoken_lookup.h"
#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/open.h"
#include "tokenizer/simd/backend.h"
#include "tokenizer/tokenizer.h"

/* A pretoken that waits to be merged into tokens, together with others. */
struct ctx_waiting {
	/* the pretoken's bytes; NULL if its token count is not to be cached */
	const char *p;
	/* key in the cache; set if the pretoken has at most
	 * CTX_PRETOKEN_CACHE_KEY bytes */
	struct ctx_key key;
};

/* Parts of long pretokens that wait to be looked up in the cache.  Each has at
 * most CTX_PRETOKEN_CACHE_KEY bytes. */
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
	/* set of CTX_PLAIN_... bits: kinds of pretokens that certainly are
	 * tokens */
	unsigned plain;
	/* Bytes of the longest added token that is recognized in the given
	 * text, and of the longest one that is recognized in its normal form
	 * (NFC). 0 if there is none. */
	size_t added, added_normal;
	/* true if the boundaries of pretokens, or units of an encoding of
	 * Claude, depend only on the text near them: the encoding has neither
	 * added tokens nor patterns of a vocabulary file, and puts no blank
	 * before a text */
	bool local;
	bool nfc; /* true if text is normalized */
	struct ctx_nfc normalizer;
	/* normal form of the text that is being counted */
	struct ctx_buf normal;
	/* maps offsets of normal to offsets of the original text; computed when
	 * needed */
	struct ctx_nfc_map map;
	struct ctx_pcre2_state
	    /* state of the patterns of a vocabulary file; NULL if there are
	     * none */
	    *pcre2;
	/* for an encoding of Claude; else unused */
	struct ctx_marked_text marked;
	struct ctx_pretoken_cache cache;
	struct ctx_bpe bpe;
	struct ctx_pretokenize pretokens, other_pretokens;
	struct ctx_pretoken_lookup batch, parts_batch;
	struct ctx_parts parts;
	size_t nwaiting;
	struct ctx_waiting waiting[CTX_LANES];
	struct ctx_bpe_lane lanes[CTX_LANES];
};

/* ctx_counter_begin starts a new text.  ctx_counter_split splits off the next
 * pretokens of the text, 1 to max, and puts them into counter->pretokens; p, n
 * is the rest of the text.  Pretokens of the kinds in plain may be counted
 * without being listed (see backend.h). */
void ctx_counter_begin(struct ctx_token_counter *counter);
int ctx_counter_split(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t max, unsigned plain, struct ctx_err *err);

/* Does what ctx_counter_split does, for encodings without patterns of a
 * vocabulary file.  An encoding of Claude is split into units. */
void ctx_counter_split_plain(struct ctx_token_counter *counter,
    struct ctx_pretokenize *split, unsigned plain, struct ctx_str text,
    size_t max);

/* Computes the hashes of the long pretokens that a lookup has found in a list,
 * and prefetches their places in the cache. */
void ctx_counter_ask_longs(const struct ctx_token_counter *counter,
    struct ctx_pretoken_lookup *lookup, const char *p,
    struct ctx_pretoken_list list);
/* Returns how many of the listed pretokens, from the first on, begin so far
 * before the end of a text of n bytes that a whole key can be read there. */
size_t ctx_pretokenize_inner(const struct ctx_pretokenize *split, size_t n);

/* Replaces *text, which is ordinary text between added tokens, by its normal
 * form, and sets *changed to true if it differs.  first: true if the text of
 * the caller begins there. */
int ctx_counter_normalize(struct ctx_token_counter *counter,
    struct ctx_str *text, bool first, bool *changed, struct ctx_err *err);

/* Splits off and counts the next pretokens, 1 to max, of a text that is in
 * normal form and has no added tokens.  Adds their tokens to *tokens, and sets
 * *used to their number of bytes. */
int ctx_counter_count(struct ctx_token_counter *counter, struct ctx_str text,
    size_t max, uint64_t *tokens, size_t *used, struct ctx_err *err);

/* A text that is searched for added tokens; the text between them is then split
 * into pretokens. */
struct ctx_spans {
	struct ctx_str text;
	size_t at; /* number of bytes that were split so far */
	/* end of the ordinary text: offset of the next added token, or the end
	 * of the text */
	size_t end;
	bool scanned; /* true if end is known */
};

/* Splits a text into pretokens and counts their tokens, step by step.  Each
 * step ends at a boundary between pretokens.  Only one splitter may use a
 * counter at a time. */
struct ctx_text_splitter {
	struct ctx_token_counter *counter;
	struct ctx_spans spans; /* the original text, before normalization */
	/* Number of tokens in the text that was split so far.  A splitter may
	 * begin at a checkpoint of the text: spans.at and tokens are then set
	 * to it. */
	uint64_t tokens;
	bool nfc; /* true if text is normalized */
	/* The normal form of the ordinary text that begins at spans.at; empty
	 * if no text is being normalized.  spans.at moves only when all of the
	 * normal form is done. */
	struct ctx_spans normal;
	/* true if the normal form being counted differs from the text */
	bool changed;
	/* true if the normal form of any text so far differs from the text */
	bool different;
	/* true if counter->map was set up for the normal form being counted */
	bool mapped;
};

/* Prepares a splitter to split a text into pretokens from its beginning. */
void ctx_text_splitter_init(struct ctx_text_splitter *splitter,
    struct ctx_token_counter *counter, const char *p, size_t n);
/* Prepares a splitter for a text that is in normal form (NFC) and has no added
 * tokens. */
void ctx_text_splitter_init_plain(struct ctx_text_splitter *splitter,
    struct ctx_token_counter *counter, const char *p, size_t n);
/* Splits off and counts the next 1 to max pretokens, or the next added token.
 * max is at most CTX_PRETOKENIZE_MAX.  Returns 1, 0 at the end of the text, or
 * -1 with *err. */
int ctx_text_splitter_next(struct ctx_text_splitter *splitter, size_t max,
    struct ctx_err *err);
/* Sets *at to the offset in the original text (before normalization) up to
 * which it was counted, and returns 1.  If normalization changed the text
 * there, returns 0 and sets *at to the next offset that corresponds to a place
 * in the normal form.  Returns -1 on error. */
int ctx_text_splitter_place(struct ctx_text_splitter *splitter, size_t *at,
    struct ctx_err *err);

#endif
