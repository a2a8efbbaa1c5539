/*
 * tokenizer.h - tokens of a text, by a vocabulary
 */
#ifndef CTX_TOKENIZER_H
#define CTX_TOKENIZER_H

#include "base/base.h"

/* ---- tokenizer/open.c: encodings, by name or from a file ---------------- */

/*
 * A tokenizer turns text into tokens.  It never changes after open, so any
 * number of threads may share one; what changes while counting lives in a
 * counter (below), one per thread.
 *
 * Text should be valid UTF-8.  A byte that belongs to no valid character
 * (RFC 3629) counts as a symbol of its own and is encoded as it is, so that
 * decoding gives back every input, or its normal form: a tokenizer.json may ask
 * for Normalization Form C.  Text then costs what its normal form does, by
 * Unicode 9.0 as the tokenizers library has it, but is cut and marked where it
 * stands, in bytes as it came.  The names of special tokens (<|endoftext|>) are
 * ordinary text unless a function says otherwise.
 */
struct ctx_tokenizer;

/*
 * Opens a built-in encoding by name, or else the file of that name: a
 * tiktoken rank file (its splitter is the one of the built-in encoding that
 * the file name begins with), a Hugging Face tokenizer.json of a byte-level
 * BPE, or a GGUF file of one (tokenizer.ggml.model gpt2, and a splitter,
 * tokenizer.ggml.pre, whose tokenizer.json is known; not what llama.cpp makes
 * of it, where that differs).  Splitter patterns that are those of a
 * built-in encoding cost nothing; others go through PCRE2, at some 20 to 50
 * MB a second, if they are sure to mean the same there.
 * A file is compiled once into cache, a directory that is made if it is
 * missing, and taken from there afterwards, found by the sha256 of its bytes
 * (of a GGUF file, those before its tensors); NULL compiles it anew each
 * time.  A cache that cannot be read or written is no error, and what was
 * changed in it is compiled again.
 * CTX_EARG: neither a known name nor a file; CTX_EFILE: a file that is no
 * vocabulary, or one that could not be counted exactly; CTX_ELIMIT: one of
 * more than a gigabyte.
 */
int ctx_tokenizer_open(struct ctx_tokenizer **tokenizer, const char *name,
    const char *cache, struct ctx_err *err);
void ctx_tokenizer_close(struct ctx_tokenizer *tokenizer);
/* Makes the cache directory, and the one that it is in, if they are missing:
 * for callers that give up the right to before they open a file. */
void ctx_tokenizer_make_cache(const char *cache);
/* Built-in name number i, for help texts, or NULL behind the last. */
const char *ctx_tokenizer_builtin(size_t i);
/* The name as opened; lives as long as the tokenizer. */
const char *ctx_tokenizer_name(const struct ctx_tokenizer *tokenizer);
/*
 * Are counts exact for every text?  Not with "bytes/4", which estimates: a
 * quarter of the bytes of each text, rounded up; it counts and cuts but
 * neither encodes nor decodes.
 */
bool ctx_tokenizer_exact(const struct ctx_tokenizer *tokenizer);
/* One more than the highest token id, special tokens included. */
uint32_t ctx_tokenizer_size(const struct ctx_tokenizer *tokenizer);
/* Is the text the name of a special token?  Then *id is its id. */
bool ctx_tokenizer_special(const struct ctx_tokenizer *tokenizer, const char *p,
    size_t n, uint32_t *id);
/* Appends the bytes of tokens, special ones by their names.  CTX_EARG: an
 * id that the encoding does not have. */
int ctx_tokenizer_decode(const struct ctx_tokenizer *tokenizer,
    const uint32_t *ids, size_t n, struct ctx_buf *out, struct ctx_err *err);

/* ---- tokenizer/encode/count_tokens.c: tokens of a text ------------------ */

/*
 * A counter holds the working memory of one thread, at most CTX_TOKEN_CACHE
 * bytes of it to remember words it has met; results never depend on it.
 * The tokenizer must outlive the counter.
 */
struct ctx_token_counter;
#define CTX_TOKEN_CACHE (7u << 20)
#define CTX_TOKEN_WORD  60

int ctx_token_counter_open(struct ctx_token_counter **counter,
    const struct ctx_tokenizer *tokenizer, enum ctx_simd simd,
    struct ctx_err *err);
void ctx_token_counter_close(struct ctx_token_counter *counter);
/* Opens a counter that counts as another does, for another thread; the other
 * may be in use meanwhile. */
int ctx_token_counter_clone(struct ctx_token_counter **counter,
    const struct ctx_token_counter *like, enum ctx_simd simd,
    struct ctx_err *err);

/* Token ids.  Zero is a valid empty list. */
struct ctx_tokens {
	uint32_t *ids;
	size_t n, cap;
};
void ctx_tokens_release(struct ctx_tokens *tokens);

/*
 * Tokens of one text.  Time is linear in n whatever the text; memory is
 * bounded except for single words of more than CTX_TOKEN_WORD bytes, which
 * take up to nine times their size.  Vocabularies of files may need more: 40
 * times if merges are out of order (and n log n time), and twice the text if
 * a pattern finds nothing in it, or as much as its normal form if that is
 * another text, and a dozen times the longest row of combining marks.
 * The only errors of this and of all that follows are CTX_ENOMEM and, with a
 * pattern of a file that would take more steps than are in proportion to the
 * text, or more than 64 MB, CTX_ELIMIT, unless told otherwise.
 */
int ctx_token_count(struct ctx_token_counter *counter, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err);
/*
 * Of a text that goes on behind n, or may, counts as much as nothing that
 * comes behind it can change: *at bytes, and *tokens that they cost in the
 * whole text.  The rest, with what comes, is then to be counted as a text of
 * its own.  *at is 0 where all of it is, say, one word; with more text at a
 * time than has been left, the time stays linear.
 */
int ctx_token_count_streaming(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t *at, uint64_t *tokens, struct ctx_err *err);
/* Tokens of any text of n bytes, for the counter of "bytes/4", which need not
 * see it; false with any other. */
bool ctx_token_estimate(const struct ctx_token_counter *counter, size_t n,
    uint64_t *tokens);
/* Appends the ids of one text; with special, names of special tokens become
 * those tokens and part the text.  CTX_EARG: "bytes/4"; CTX_EINPUT: a byte
 * that is not UTF-8, if the vocabulary (of a file) has no token for it. */
int ctx_token_encode(struct ctx_token_counter *counter, const char *p, size_t n,
    bool special, struct ctx_tokens *out, struct ctx_err *err);
/* Is the text at most limit tokens?  Stops as soon as the answer is sure. */
int ctx_token_fits(struct ctx_token_counter *counter, const char *p, size_t n,
    uint64_t limit, bool *within, struct ctx_err *err);
/*
 * The longest beginning (head) or end (tail) of a text that was found to
 * cost at most limit tokens when counted as a text of its own.  *at is the
 * byte offset of the cut, between two characters: [0, *at) is the head,
 * [*at, n) the tail; *tokens is what it costs.  One more character may or
 * may not fit: encodings are not monotonic in that small print.
 */
int ctx_token_head(struct ctx_token_counter *counter, const char *p, size_t n,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err);
int ctx_token_tail(struct ctx_token_counter *counter, const char *p, size_t n,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err);

/* ---- tokenizer/encode/token_index.c: token counts of one long text ------ */

/*
 * Checkpoints of one text, about one every 4 KiB, so that the tokens of any
 * piece of it cost little to find and growing text is not counted again.
 * Zero is valid and stands for the empty text.  The text itself is the
 * caller's and comes with every call.
 */
struct ctx_token_index {
	struct ctx_token_checkpoint *list;
	size_t n, cap;
	size_t end;      /* bytes of text seen */
	uint64_t tokens; /* what they cost */
	bool changed;    /* is their normal form another text? */
};

/* Takes the text as it is now: the bytes seen before and what was appended.
 * Recounts from the last checkpoint that no appended byte can move. */
int ctx_token_index_append(struct ctx_token_index *index,
    struct ctx_token_counter *counter, const char *p, size_t n,
    struct ctx_err *err);
/* Tokens of the bytes [from, to) of the text, counted as a text of its own;
 * to is at most marks->end. */
int ctx_token_index_range(const struct ctx_token_index *index,
    struct ctx_token_counter *counter, const char *p, size_t from, size_t to,
    uint64_t *tokens, struct ctx_err *err);
/* As ctx_token_head and ctx_token_tail, of the whole text seen. */
int ctx_token_index_head(const struct ctx_token_index *index,
    struct ctx_token_counter *counter, const char *p, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err);
int ctx_token_index_tail(const struct ctx_token_index *index,
    struct ctx_token_counter *counter, const char *p, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err);
/* Forgets the text, keeps the memory. */
void ctx_token_index_reset(struct ctx_token_index *index);
void ctx_token_index_release(struct ctx_token_index *index);

#endif
