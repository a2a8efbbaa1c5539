/* tokenizer.h - counts, encodes and cuts text in tokens of an encoding */
#ifndef CTX_TOKENIZER_H
#define CTX_TOKENIZER_H

#include "base/base.h"

/* ---- tokenizer/open.c: encodings, by name or from a file ---------------- */

/*
 * An encoding: a vocabulary, a pretokenizer and special tokens.  The
 * pretokenizer splits text into pretokens: words, numbers, runs of punctuation
 * or white space.  Each pretoken is then encoded by byte-pair encoding (BPE).
 * Encodings of Claude have neither BPE nor token ids: the number of tokens of a
 * text is the smallest number of pieces of the vocabulary that make up the text
 * (ctx-encoding(7)).  A tokenizer does not change after it is opened, so
 * threads may share it.  Each thread needs a token counter (below).
 *
 * Text should be valid UTF-8 (RFC 3629).  A byte that belongs to no valid
 * character is treated as a symbol.  Its value is encoded unchanged, so
 * decoding restores every input, with these exceptions.  The encodings of
 * Claude read such a byte as U+FFFD, and have no ids to decode.  A
 * tokenizer.json may ask for Normalization Form C: the text is then normalized
 * (by Unicode 9.0, as in the tokenizers library) before its tokens are counted,
 * and decoding gives the normal form.  Vocabularies of SentencePiece do not
 * tell U+2581 from a blank: decoding gives a blank.  Some put a blank before a
 * text, or also after an added token; decoding removes only a blank at the
 * beginning, even if it was in the text.  Offsets still refer to the bytes of
 * the given text.  Names of special tokens, such as <|endoftext|>, are ordinary
 * text unless a function says otherwise.
 */
struct ctx_tokenizer;

/* Reliability of a token count, from best to worst. */
enum ctx_basis {
	CTX_BASIS_EXACT, /* counted by the model's own encoding */
	/* Counted by an encoding that was reconstructed from measured token
	 * counts, such as the encodings of Claude. */
	CTX_BASIS_RECONSTRUCTED,
	CTX_BASIS_ESTIMATED, /* by another encoding or from a size */
};
/* Returns how far to trust counts by an encoding for models that use it. name:
 * a built-in encoding, or a file name, for which counts are exact. */
enum ctx_basis ctx_encoding_basis(const char *name);
/* Returns "exact", "reconstructed" or "estimated". */
const char *ctx_basis_name(enum ctx_basis basis);

/*
 * Opens an encoding: a built-in one with this name or, if there is none, the
 * vocabulary file with this name.  The file may be
 *  - a tiktoken rank file, whose name begins with the name of a built-in
 *    encoding; it gets the pretokenizer and the special tokens of that encoding
 *  - a tokenizer.json of Hugging Face with byte-level BPE, or with BPE of
 *    SentencePiece and byte fallback
 *  - a tekken.json of Mistral
 *  - a model file of SentencePiece with BPE and byte fallback
 *  - a GGUF file with byte-level BPE (tokenizer.ggml.model is gpt2), if ctx
 *    knows which tokenizer.json its tokenizer.ggml.pre stands for; where
 *    llama.cpp differs from that tokenizer.json, ctx follows the tokenizer.json
 *
 * Pretokenizer patterns of the built-in encodings run at full speed.  Other
 * patterns run in PCRE2, at 20 to 50 MB a second; a pattern is refused if PCRE2
 * might read it differently.
 *
 * The compiled vocabulary is stored in the directory cache, which is created if
 * it is missing; later calls load it from there.  Its key is the SHA-256 of the
 * file and of the pretokenizer that the file's name selects; of a GGUF file
 * only the bytes before its tensors are hashed.  If cache is NULL, each call
 * compiles the file.  A cache that cannot be read or written is not an error.
 * A damaged entry is compiled again.
 *
 * CTX_EARG: name is neither a built-in encoding nor an existing file.
 * CTX_EFILE: the file is not a vocabulary, or its tokens could not be counted
 * exactly; or the file "encodings" is missing, damaged or from another version
 * of ctx.  CTX_ELIMIT: more than a gigabyte would have to be read.
 */
int ctx_tokenizer_open(struct ctx_tokenizer **tokenizer, const char *name,
    const char *cache, struct ctx_err *err);
void ctx_tokenizer_close(struct ctx_tokenizer *tokenizer);
/* Sets the directory that has the file "encodings" with the vocabularies of the
 * built-in encodings, for the whole process.  The file is mapped into memory
 * when the first built-in encoding is opened; later calls have no effect.
 * Without a call the directory is share/ctx beside or above the file that
 * contains libctx (a program or the shared library); if there is none, the one
 * that was chosen when libctx was built.  No effect if the vocabularies are
 * part of libctx (VOCAB=builtin). */
int ctx_tokenizer_set_data(const char *dir, struct ctx_err *err);
/* Maps the file "encodings" now, for callers that later enter a sandbox in
 * which it cannot be opened.  If that fails, ctx_tokenizer_open fails with the
 * error. */
void ctx_tokenizer_open_data(void);
/* Creates the cache directory and its parent if they are missing.  For callers
 * that later enter a sandbox in which directories cannot be created. */
void ctx_tokenizer_make_cache(const char *cache);
/* Returns the name of built-in encoding i, or NULL after the last; for help
 * texts. */
const char *ctx_tokenizer_builtin(size_t i);
/* Returns the name given to ctx_tokenizer_open; owned by the tokenizer. */
const char *ctx_tokenizer_name(const struct ctx_tokenizer *tokenizer);
/* Returns how far to trust the counts of the encoding.  Encodings of Claude are
 * reconstructed.  "bytes/4" estimates a quarter of the bytes of a text, rounded
 * up.  Both can count and cut text, but not encode or decode. */
enum ctx_basis ctx_tokenizer_basis(const struct ctx_tokenizer *tokenizer);
/* Returns the tokens that a request with one message has besides those of the
 * message's text; 0 if this number is not known for the encoding. Sets *message
 * to the part of these tokens that is for the message itself; each further
 * message adds as many. */
unsigned ctx_tokenizer_frame(const struct ctx_tokenizer *tokenizer,
    unsigned *message);
/* Returns one more than the highest token id, special tokens included; 0 if the
 * encoding has no ids ("bytes/4", encodings of Claude). */
uint32_t ctx_tokenizer_size(const struct ctx_tokenizer *tokenizer);
/* Returns true and sets *id if the n bytes of p are exactly the name of a
 * special or an added token. */
bool ctx_tokenizer_special(const struct ctx_tokenizer *tokenizer, const char *p,
    size_t n, uint32_t *id);
/* Decodes n token ids and appends their bytes to the buffer "out".  A special
 * token gives its name.  CTX_EARG: the encoding does not have one of the
 * ids. */
int ctx_tokenizer_decode(const struct ctx_tokenizer *tokenizer,
    const uint32_t *ids, size_t n, struct ctx_buf *out, struct ctx_err *err);

/* ---- tokenizer/encode/count_tokens.c: counting, encoding, cutting a text - */

/*
 * A token counter: the working memory of one thread, and a cache of pretokens
 * whose tokens are known.  The cache takes at most CTX_TOKEN_CACHE bytes;
 * counts do not depend on its contents.  The tokenizer must live longer than
 * its counters.  Merging a pretoken of at most CTX_TOKEN_WORD bytes allocates
 * no memory.
 */
struct ctx_token_counter;
#define CTX_TOKEN_CACHE (7u << 20)
#define CTX_TOKEN_WORD  60

int ctx_token_counter_open(struct ctx_token_counter **counter,
    const struct ctx_tokenizer *tokenizer, enum ctx_simd simd,
    struct ctx_err *err);
void ctx_token_counter_close(struct ctx_token_counter *counter);
/* Opens a new counter with the tokenizer of an existing counter (like), for
 * use by another thread.  The existing counter may be in use by its own thread
 * during the call. */
int ctx_token_counter_clone(struct ctx_token_counter **counter,
    const struct ctx_token_counter *like, enum ctx_simd simd,
    struct ctx_err *err);

/* Returns the tokenizer with which a counter was opened. */
const struct ctx_tokenizer *ctx_token_counter_tokenizer(
    const struct ctx_token_counter *counter);

/* A list of token ids.  A zeroed struct is a valid empty list. */
struct ctx_tokens {
	uint32_t *ids;
	size_t n, cap;
};
void ctx_tokens_release(struct ctx_tokens *tokens);

/*
 * Counts the tokens of a text and sets *tokens to their number.  Time is linear
 * in n for every text.  Memory is bounded, except that a pretoken of more than
 * CTX_TOKEN_WORD bytes takes up to nine times its size, with an encoding of
 * Claude up to 16 times.  With vocabulary files more may be needed:
 *  - 40 times the size of the pretoken, and n log n time, if a merge has a
 *    lower rank than the merges that make its parts
 *  - twice the size of the text, if a pattern matches nothing in it
 *  - the size of the normal form, if it differs from the text, and twelve
 *    times the longest run of combining marks.  If the encoding puts a blank
 *    before each text, the normal form always differs.
 *
 * Each function that counts, encodes or cuts may fail with CTX_ENOMEM.  A
 * pattern of a vocabulary file may also fail with CTX_ELIMIT: its steps exceed
 * a bound proportional to the text, or a match needs more than 64 MB.
 * CTX_EFILE: a cached vocabulary contradicts itself.
 */
int ctx_token_count(struct ctx_token_counter *counter, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err);
/* Counts the beginning of a text of which only the first n bytes are known.
 * Sets *at to an offset; no byte after the n bytes can change the tokens before
 * it. The caller then counts the rest from *at on, with the bytes that follow,
 * as a text of its own.  Sets *tokens such that the sum of both counts is the
 * count of the whole text.  *at is 0 if there is no such offset, as in a single
 * long word.  If the encoding puts a blank before each text, the rest begins at
 * a blank.  To keep the time linear, each call must bring more new bytes than
 * the last call left uncounted. */
int ctx_token_count_streaming(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t *at, uint64_t *tokens, struct ctx_err *err);
/* Estimates the tokens of a text of n bytes if the counter's encoding is
 * "bytes/4": sets *tokens and returns true.  Returns false for any other
 * encoding, for which the text must be counted. */
bool ctx_token_estimate(const struct ctx_token_counter *counter, size_t n,
    uint64_t *tokens);
/* Encodes a text and appends its token ids to the buffer "out".  If special is
 * true, names of special tokens in the text become these tokens.  CTX_EARG: the
 * encoding has no ids.  CTX_EINPUT: a byte is not UTF-8, and the vocabulary
 * file has no token for it. */
int ctx_token_encode(struct ctx_token_counter *counter, const char *p, size_t n,
    bool special, struct ctx_tokens *out, struct ctx_err *err);
/*
 * Finds the longest beginning (head) or end (tail) of a text that has at most
 * limit tokens when counted alone.  Sets *at to the byte offset of the cut,
 * which is between two characters: [0, *at) is the head, [*at, n) the tail.
 * Sets *tokens to the tokens of the head or tail.  The cut is found by
 * bisection.  Since one more character can lower the count, a slightly longer
 * head or tail may also have at most limit tokens.
 */
int ctx_token_head(struct ctx_token_counter *counter, struct ctx_str text,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err);
int ctx_token_tail(struct ctx_token_counter *counter, struct ctx_str text,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err);

/* ---- tokenizer/encode/token_index.c: counting parts of one long text ----- */

/*
 * An index of one text, with a checkpoint about every 4 KiB that stores the
 * number of tokens before it.  It makes counting a part of the text fast, and
 * also counting again after text was appended.  There are no checkpoints for
 * encodings with added tokens, with patterns that run in PCRE2, or with a blank
 * before each text; the results are the same, but slower.  A zeroed struct is a
 * valid empty index.  The caller owns counter and text, which must remain valid
 * as long as functions of the index are called.
 */
struct ctx_token_index {
	/* the counter and the text of the last call of
	 * ctx_token_index_append */
	struct ctx_token_counter *counter;
	struct ctx_str text;
	struct ctx_token_checkpoint *list;
	size_t n, cap;
	uint64_t tokens; /* number of tokens of the text */
	/* true if the normal form (NFC) of the text differs from the text */
	bool changed;
};

/* Updates a token index after bytes were appended to its text. text: the whole
 * text, which must begin with the bytes of the last call, but may have moved in
 * memory.  Counting starts at the last checkpoint.  Call this before the
 * functions that use the index, and always with the same counter. */
int ctx_token_index_append(struct ctx_token_index *index,
    struct ctx_token_counter *counter, struct ctx_str text,
    struct ctx_err *err);
/* Sets *tokens to the number of tokens of the bytes [from, to) of the indexed
 * text, counted as a text of its own. */
int ctx_token_index_range(const struct ctx_token_index *index, size_t from,
    size_t to, uint64_t *tokens, struct ctx_err *err);
/* Find the longest head or tail of the indexed text with at most limit tokens,
 * as ctx_token_head and ctx_token_tail do. */
int ctx_token_index_head(const struct ctx_token_index *index, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err);
int ctx_token_index_tail(const struct ctx_token_index *index, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err);
/* Makes the index empty, but keeps its memory for the next text. */
void ctx_token_index_reset(struct ctx_token_index *index);
void ctx_token_index_release(struct ctx_token_index *index);

#endif
