/* tokenizer.h - counts, encodes and cuts text in tokens of an encoding */
#ifndef CTX_TOKENIZER_H
#define CTX_TOKENIZER_H

#include "base/base.h"

/* ---- tokenizer/open.c: encodings, by name or from a file ---------------- */

/*
 * An encoding: a vocabulary, a pretokenizer and special tokens.  The
 * pretokenizer splits text into pretokens: words, numbers, runs of punctuation
 * or white space.  Each pretoken is then encoded by byte-pair encoding (BPE).
 * A tokenizer does not change after it is opened, so threads may share it.
 * Each thread needs a token counter (below).
 *
 * Text should be valid UTF-8 (RFC 3629).  A byte that belongs to no valid
 * character is treated as a symbol.  Its value is encoded unchanged, so
 * decoding restores every input.  The exception is a tokenizer.json that asks
 * for Normalization Form C: decoding then gives the normal form.  The tokens
 * are those of the normal form, by Unicode 9.0 as in the tokenizers library.
 * Offsets still refer to the bytes of the given text.  Names of special tokens,
 * such as <|endoftext|>, are ordinary text unless a function says otherwise.
 */
struct ctx_tokenizer;

/*
 * Opens a built-in encoding by name, or else the file of that name.  Files may
 * be:
 *
 * - a tiktoken rank file, whose name begins with the name of a built-in
 *   encoding; it gets the pretokenizer and the special tokens of that encoding
 * - a tokenizer.json of Hugging Face with byte-level BPE
 * - a GGUF file with byte-level BPE (tokenizer.ggml.model is gpt2), if ctx
 *   knows the tokenizer.json that its tokenizer.ggml.pre stands for; where
 *   llama.cpp differs from that tokenizer.json, the tokenizer.json is followed
 *
 * Pretokenizer patterns of the built-in encodings run at full speed.  Other
 * patterns run in PCRE2, at 20 to 50 MB a second; a pattern is refused if PCRE2
 * might read it differently.
 *
 * The compiled vocabulary is stored in the directory cache, which is created if
 * it is missing.  Later calls load it from there.  The key is the SHA-256 of
 * the file and of the pretokenizer that its name selects; of a GGUF file only
 * the bytes before its tensors count.  NULL compiles the file at each call.  A
 * cache that cannot be read or written is not an error; a damaged entry is
 * compiled again.
 *
 * CTX_EARG: neither a built-in name nor an existing file.  CTX_EFILE: a file
 * that is not a vocabulary or cannot be counted exactly.  CTX_ELIMIT: more than
 * a gigabyte to read.
 */
int ctx_tokenizer_open(struct ctx_tokenizer **tokenizer, const char *name,
    const char *cache, struct ctx_err *err);
void ctx_tokenizer_close(struct ctx_tokenizer *tokenizer);
/* Creates the cache directory and its parent if they are missing.  For callers
 * that later enter a sandbox in which directories cannot be created. */
void ctx_tokenizer_make_cache(const char *cache);
/* Returns the name of built-in encoding i, or NULL after the last; for help
 * texts. */
const char *ctx_tokenizer_builtin(size_t i);
/* Returns the name given to ctx_tokenizer_open; owned by the tokenizer. */
const char *ctx_tokenizer_name(const struct ctx_tokenizer *tokenizer);
/* Returns true if counts are exact, false for "bytes/4".  "bytes/4" estimates a
 * quarter of the bytes of a text, rounded up.  It can count and cut text, but
 * not encode or decode. */
bool ctx_tokenizer_exact(const struct ctx_tokenizer *tokenizer);
/* Returns one more than the highest token id, special tokens included; 0 for
 * "bytes/4". */
uint32_t ctx_tokenizer_size(const struct ctx_tokenizer *tokenizer);
/* Returns true and sets *id if the n bytes of p are exactly the name of a
 * special or an added token. */
bool ctx_tokenizer_special(const struct ctx_tokenizer *tokenizer, const char *p,
    size_t n, uint32_t *id);
/* Appends the bytes of n tokens to out; a special token gives its name.
 * CTX_EARG: an id that the encoding does not have. */
int ctx_tokenizer_decode(const struct ctx_tokenizer *tokenizer,
    const uint32_t *ids, size_t n, struct ctx_buf *out, struct ctx_err *err);

/* ---- tokenizer/encode/count_tokens.c: counting, encoding, cutting a text - */

/*
 * A counter holds the working memory of one thread and a cache of pretokens.
 * The cache takes at most CTX_TOKEN_CACHE bytes; counts never depend on it.
 * The tokenizer must outlive its counters.  Pretokens of at most CTX_TOKEN_WORD
 * bytes are merged without further memory.
 */
struct ctx_token_counter;
#define CTX_TOKEN_CACHE (7u << 20)
#define CTX_TOKEN_WORD  60

int ctx_token_counter_open(struct ctx_token_counter **counter,
    const struct ctx_tokenizer *tokenizer, enum ctx_simd simd,
    struct ctx_err *err);
void ctx_token_counter_close(struct ctx_token_counter *counter);
/* Opens a counter of the same tokenizer, for use by another thread.  The
 * counter like may be in use during the call. */
int ctx_token_counter_clone(struct ctx_token_counter **counter,
    const struct ctx_token_counter *like, enum ctx_simd simd,
    struct ctx_err *err);

/* A list of token ids.  Zero is a valid empty list. */
struct ctx_tokens {
	uint32_t *ids;
	size_t n, cap;
};
void ctx_tokens_release(struct ctx_tokens *tokens);

/*
 * Sets *tokens to the tokens of one text.  Time is linear in n for every text.
 * Memory is bounded, except that a pretoken of more than CTX_TOKEN_WORD bytes
 * takes up to nine times its size.  Vocabulary files may need more:
 *
 * - 40 times the pretoken, and n log n time, if a merge has a lower rank than
 *   the merges that make its parts
 * - twice the text, if a pattern matches nothing in it
 * - the size of the normal form, if it differs from the text, and twelve times
 *   the longest run of combining marks
 *
 * This function and those below fail with CTX_ENOMEM.  A pattern of a file may
 * also fail with CTX_ELIMIT: its steps exceed a bound proportional to the text,
 * or a match needs more than 64 MB.  CTX_EFILE: a cached vocabulary contradicts
 * itself.  Other errors are named where they occur.
 */
int ctx_token_count(struct ctx_token_counter *counter, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err);
/*
 * Counts the start of a text that may continue after its n bytes, up to a place
 * where no later byte can change the result.  Sets *at to that place in bytes
 * and *tokens to the tokens before it.  The caller counts the rest, with the
 * bytes that follow, as a text of its own.  *at is 0 if nothing is certain yet,
 * as in a single long word.  To keep the time linear, each call must bring more
 * new bytes than the last call left over.
 */
int ctx_token_count_streaming(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t *at, uint64_t *tokens, struct ctx_err *err);
/* Sets *tokens to the estimate of "bytes/4" for n bytes.  Returns true if that
 * is the encoding of the counter, else false: count the text. */
bool ctx_token_estimate(const struct ctx_token_counter *counter, size_t n,
    uint64_t *tokens);
/* Appends the token ids of one text to out.  With special, names of special
 * tokens in the text become those tokens.  CTX_EARG: "bytes/4".  CTX_EINPUT: a
 * byte that is not UTF-8, if the vocabulary file has no token for it. */
int ctx_token_encode(struct ctx_token_counter *counter, const char *p, size_t n,
    bool special, struct ctx_tokens *out, struct ctx_err *err);
/* Sets *within to true if the text has at most limit tokens.  Stops counting as
 * soon as the answer is known. */
int ctx_token_fits(struct ctx_token_counter *counter, const char *p, size_t n,
    uint64_t limit, bool *within, struct ctx_err *err);
/*
 * Finds the longest beginning (head) or end (tail) of a text that has at most
 * limit tokens when counted alone.  Sets *at to the byte offset of the cut,
 * between two characters: [0, *at) is the head, [*at, n) the tail.  Sets
 * *tokens to its tokens.  The cut is found by bisection.  As one more character
 * can lower the count, a slightly longer head or tail may also fit.
 */
int ctx_token_head(struct ctx_token_counter *counter, struct ctx_str text,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err);
int ctx_token_tail(struct ctx_token_counter *counter, struct ctx_str text,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err);

/* ---- tokenizer/encode/token_index.c: counting parts of one long text ----- */

/*
 * An index of one text: checkpoints about every 4 KiB, each with the tokens
 * before it.  With them, ranges of the text are counted quickly and appended
 * text is counted without the text before it.  There are no checkpoints for
 * encodings with added tokens or with patterns that run in PCRE2; results are
 * the same.  Zero is a valid empty index.  The caller owns counter and text;
 * both must live as long as the index is asked about them.
 */
struct ctx_token_index {
	/* Counter and text of the last ctx_token_index_append. */
	struct ctx_token_counter *counter;
	struct ctx_str text;
	struct ctx_token_checkpoint *list;
	size_t n, cap;
	uint64_t tokens; /* tokens of the text */
	bool changed; /* true if the normal form of the text differs from it */
};

/* Updates the index to a text: the bytes of the last call, which may have moved
 * in memory, then appended bytes.  Counts again from the last checkpoint.  Must
 * be called before the functions below, and always with the same counter. */
int ctx_token_index_append(struct ctx_token_index *index,
    struct ctx_token_counter *counter, struct ctx_str text,
    struct ctx_err *err);
/* Sets *tokens to the tokens of the bytes [from, to) of the text, counted as a
 * text of its own. */
int ctx_token_index_range(const struct ctx_token_index *index, size_t from,
    size_t to, uint64_t *tokens, struct ctx_err *err);
/* ctx_token_head and ctx_token_tail for the indexed text. */
int ctx_token_index_head(const struct ctx_token_index *index, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err);
int ctx_token_index_tail(const struct ctx_token_index *index, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err);
/* Makes the index empty; its memory is used again. */
void ctx_token_index_reset(struct ctx_token_index *index);
void ctx_token_index_release(struct ctx_token_index *index);

#endif
