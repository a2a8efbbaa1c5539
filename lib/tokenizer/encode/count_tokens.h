/* count_tokens.h - the token counter, and how it splits a text into pretokens
 * (pieces of text that are encoded by themselves) */
#ifndef CTX_TOKENIZER_ENCODE_COUNT_TOKENS_H
#define CTX_TOKENIZER_ENCODE_COUNT_TOKENS_H

#include "tokenizer/claude/claude.h"
#include "tokenizer/encode/bpe.h"
#include "tokenizer/encode/nfc.h"
#include "tokenizer/encode/pretoken_cache.h"
#include "tokenizer/encode/pretoken_lookup.h"
#include "tokenizer/encode/pretokenize_pcre2.h"
#include "tokenizer/encode/text_counts.h"
#include "tokenizer/open.h"
#include "tokenizer/simd/backend.h"
#include "tokenizer/tokenizer.h"

/* A pretoken (word, number, ...) that waits to be merged into tokens, together
 * with other pretokens. */
struct ctx_waiting {
	/* bytes of the pretoken; NULL if its number of tokens will not be
	 * cached */
	const char *p;
	/* Key of the pretoken in the cache.  Set only if the pretoken has at
	 * most CTX_PRETOKEN_CACHE_KEY bytes. */
	struct ctx_key key;
};

/* Parts of long pretokens (words, numbers, ...), which will be looked up in the
 * cache together.  Each part has at most CTX_PRETOKEN_CACHE_KEY bytes. */
struct ctx_parts {
	size_t n;
	uint32_t start[CTX_PRETOKEN_LOOKUP_MAX];
	uint32_t end[CTX_PRETOKEN_LOOKUP_MAX];
};

struct ctx_token_counter {
	const struct ctx_tokenizer *tokenizer;
	const struct ctx_backend *backend;
	/* Kinds of pretokens (words, numbers, ...) that are certainly one token
	 * each, so that they need not be looked up (CTX_PLAIN_... bits). */
	unsigned plain;
	/* Length in bytes of the longest name of an added token; 0 if there is
	 * none. added: counts only names that are searched for in the original
	 * text. added_normal: counts only names that are searched for in the
	 * normal form of the text. */
	size_t added, added_normal;
	/* True if the boundaries between pretokens (or between the units of an
	 * encoding of Claude) depend only on the text near them.  False if the
	 * encoding has added tokens or patterns of a vocabulary file, or puts a
	 * blank before the text. */
	bool local;
	bool nfc; /* true if texts are normalized before they are counted */
	struct ctx_nfc normalizer;
	/* normal form of the text that is being counted, if it differs from the
	 * text */
	struct ctx_buf normal;
	/* Converts offsets in the normal form to offsets in the original text.
	 * Initialized only if an offset must be converted. */
	struct ctx_nfc_map map;
	struct ctx_pcre2_state
	    /* splits a text by the patterns of a vocabulary file; NULL if there
	     * are no patterns */
	    *pcre2;
	/* only used for an encoding of Claude */
	struct ctx_marked_text marked;
	struct ctx_pretoken_cache cache;
	struct ctx_text_counts texts; /* see ctx_token_counter_store_texts */
	struct ctx_bpe bpe;
	struct ctx_pretokenize pretokens, other_pretokens;
	struct ctx_pretoken_lookup batch, parts_batch;
	struct ctx_parts parts;
	size_t nwaiting;
	struct ctx_waiting waiting[CTX_BPE_BATCH];
	struct ctx_bpe_pretoken waiting_pretokens[CTX_BPE_BATCH];
};

/* ctx_counter_begin must be called before each new text. ctx_counter_split
 * splits off the next pretokens (words, numbers, ...), at most max, and stores
 * them in counter->pretokens. p, n: the rest of the text. plain: kinds of
 * pretokens that are only counted, and not stored (see backend.h). */
void ctx_counter_begin(struct ctx_token_counter *counter);
int ctx_counter_split(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t max, unsigned plain, struct ctx_err *err);

/* Splits off the first pretokens (words, numbers, ...) of a text, at least 1
 * and at most max, for an encoding without patterns of a vocabulary file.  For
 * an encoding of Claude, splits off units (parts that are counted by
 * themselves), not pretokens. */
void ctx_counter_split_plain(struct ctx_token_counter *counter,
    struct ctx_pretokenize *split, unsigned plain, struct ctx_str text,
    size_t max);

/* Computes the hashes of those pretokens (words, numbers, ...) that are too
 * long for a key, and prefetches the cache entries for these hashes. *lookup:
 * result of the lookup that has found these pretokens. */
void ctx_counter_ask_longs(const struct ctx_token_counter *counter,
    struct ctx_pretoken_lookup *lookup, const char *p,
    struct ctx_pretoken_list list);
/* Returns the number of pretokens (words, numbers, ...), from the first in the
 * list on, at whose beginning CTX_VOCAB_KEY bytes can be read without reading
 * beyond the n bytes of the text. */
size_t ctx_pretokenize_inner(const struct ctx_pretokenize *split, size_t n);

/* Replaces *text by its normal form.  Sets *changed to true if the normal form
 * differs from the text.  The text must not contain names of added tokens.
 * first: true if *text is at the beginning of the caller's text; some encodings
 * put a blank before the text only there. */
int ctx_counter_normalize(struct ctx_token_counter *counter,
    struct ctx_str *text, bool first, bool *changed, struct ctx_err *err);

/* Splits off the first pretokens (words, numbers, ...) of a text, at most max,
 * and counts their tokens.  The caller must pass a text that is normalized and
 * contains no names of added tokens.  Adds the number of tokens of these
 * pretokens to *tokens, and sets *used to the total length of the pretokens in
 * bytes. */
int ctx_counter_count(struct ctx_token_counter *counter, struct ctx_str text,
    size_t max, uint64_t *tokens, size_t *used, struct ctx_err *err);

/* A text in which names of added tokens are searched for.  The text between two
 * names is ordinary text, which is split into pretokens. */
struct ctx_spans {
	struct ctx_str text;
	size_t at; /* number of bytes that were split so far */
	/* end of the ordinary text: offset of the next name of an added token,
	 * or end of the text */
	size_t end;
	bool scanned; /* true if "end" is already known */
};

/* Splits a text into pretokens (words, numbers, ...) and counts them, in steps.
 * Each step ends at a boundary between pretokens.  A counter must not be used
 * by two splitters at the same time. */
struct ctx_text_splitter {
	struct ctx_token_counter *counter;
	struct ctx_spans spans; /* the original text, before normalization */
	/* Number of tokens before spans.at.  To begin in the middle of a text,
	 * set spans.at to a boundary between pretokens, and "tokens" to the
	 * number of tokens before this boundary. */
	uint64_t tokens;
	bool nfc; /* true if text is normalized */
	/* Normal form of the ordinary text that begins at spans.at.  The length
	 * of this normal form is 0 if no normal form is being counted. spans.at
	 * is moved only after the whole normal form was counted. */
	struct ctx_spans normal;
	/* true if "normal" differs from the original text */
	bool changed;
	/* true if the normal form of any part of the text differs from the
	 * original */
	bool different;
	/* True if counter->map is ready to convert offsets in "normal" to
	 * offsets in the original text. */
	bool mapped;
};

/* Prepares a splitter to split a text into pretokens (words, numbers, ...) from
 * its beginning. */
void ctx_text_splitter_init(struct ctx_text_splitter *splitter,
    struct ctx_token_counter *counter, const char *p, size_t n);
/* Prepares a splitter for a text that is in normal form (NFC) and has no added
 * tokens. */
void ctx_text_splitter_init_plain(struct ctx_text_splitter *splitter,
    struct ctx_token_counter *counter, const char *p, size_t n);
/* Splits off and counts the next 1 to max pretokens (words, numbers, ...), or
 * the next added token; max is at most CTX_PRETOKENIZE_MAX.  Returns 1, or 0 at
 * the end of the text, or -1 with *err. */
int ctx_text_splitter_next(struct ctx_text_splitter *splitter, size_t max,
    struct ctx_err *err);
/* Sets *at to the offset in the original text (before normalization) up to
 * which the text was counted, and returns 1.  If this place is inside a part
 * that normalization has changed, sets *at to the end of this part and returns
 * 0.  Returns -1 on error. */
int ctx_text_splitter_place(struct ctx_text_splitter *splitter, size_t *at,
    struct ctx_err *err);

#endif
