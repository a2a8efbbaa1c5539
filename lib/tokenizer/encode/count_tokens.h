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
	ctx_bpe_merge_fn *merge_pretokens;
	/* CTX_PLAIN_... bits: the kinds of pretokens that are certainly tokens,
	 * so that they are only counted */
	unsigned plain;
	/* Length in bytes of the longest name of an added token. added: of
	 * names that are recognized in the text as it was given. added_normal:
	 * of those that are recognized in its normal form. 0 if there are
	 * none. */
	size_t added, added_normal;
	/* True if the boundaries between pretokens, or units of an encoding of
	 * Claude, depend only on the text near them.  That is so if the
	 * encoding has no added tokens, no patterns of a vocabulary file, and
	 * no blank before a text. */
	bool local;
	bool nfc; /* true if text is normalized */
	struct ctx_nfc normalizer;
	/* the normal form of the text that is being counted, if it differs from
	 * the text */
	struct ctx_buf normal;
	/* converts offsets in normal to offsets in the original text; set up
	 * when needed */
	struct ctx_nfc_map map;
	struct ctx_pcre2_state
	    /* state of splitting by the patterns of a vocabulary file; NULL: no
	     * patterns */
	    *pcre2;
	/* for an encoding of Claude; else unused */
	struct ctx_marked_text marked;
	struct ctx_pretoken_cache cache;
	struct ctx_bpe bpe;
	struct ctx_pretokenize pretokens, other_pretokens;
	struct ctx_pretoken_lookup batch, parts_batch;
	struct ctx_parts parts;
	size_t nwaiting;
	struct ctx_waiting waiting[CTX_BPE_BATCH];
	struct ctx_bpe_pretoken waiting_pretokens[CTX_BPE_BATCH];
};

/* ctx_counter_begin must be called before a new text.  ctx_counter_split splits
 * off at most max of its next pretokens, and lists them in counter->pretokens.
 * p, n: the rest of the text. plain: the kinds of pretokens that are only
 * counted, not listed (see backend.h). */
void ctx_counter_begin(struct ctx_token_counter *counter);
int ctx_counter_split(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t max, unsigned plain, struct ctx_err *err);

/* Splits off the first pretokens of a text, at least 1 and at most max, if the
 * encoding has no patterns of a vocabulary file.  For an encoding of Claude
 * these are units. */
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

/* Replaces *text by its normal form.  Sets *changed to true if the two differ.
 * *text has no added tokens. first: true if it is at the beginning of the
 * caller's text; some encodings put a blank only there. */
int ctx_counter_normalize(struct ctx_token_counter *counter,
    struct ctx_str *text, bool first, bool *changed, struct ctx_err *err);

/* Splits off and counts at most max of the first pretokens of a text.  The text
 * must be normalized and have no added tokens.  Adds the tokens of the
 * pretokens to *tokens, and sets *used to their length in bytes. */
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
	/* Number of tokens before spans.at.  To begin in the middle of a text,
	 * set spans.at to a boundary between pretokens, and this member to the
	 * number of tokens before that boundary. */
	uint64_t tokens;
	bool nfc; /* true if text is normalized */
	/* The normal form of the ordinary text that begins at spans.at, while
	 * it is counted.  Its length is 0 if none is being counted.  spans.at
	 * is moved only when all of the normal form was counted. */
	struct ctx_spans normal;
	/* true if normal differs from the original text */
	bool changed;
	/* true if the normal form of any part so far differs from the text */
	bool different;
	/* true if counter->map, which finds the original offset of a byte of
	 * the normal form, was set up for the text in the member normal */
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
 * which the splitter has counted, and returns 1.  If that place is inside text
 * that normalization has changed, returns 0 and sets *at to the end of this
 * text. Returns -1 on error. */
int ctx_text_splitter_place(struct ctx_text_splitter *splitter, size_t *at,
    struct ctx_err *err);

#endif
