/* tokenizer.h - counts the tokens of a text, encodes a text, and shortens a
 * text to a number of tokens */
#ifndef CTX_TOKENIZER_H
#define CTX_TOKENIZER_H

#include "base/base.h"

/* ---- tokenizer/open.c: encodings, by name or from a file ---------------- */

/*
 * An encoding: a vocabulary, a pretokenizer and special tokens.  The
 * pretokenizer splits a text into pretokens: words, numbers, runs of
 * punctuation or white space.  Each pretoken is then encoded by byte-pair
 * encoding (BPE).  The encodings of Claude use no BPE and have no token ids:
 * the number of tokens of a text is the smallest number of pieces of the
 * vocabulary that make up the text (ctx-encoding(7)).  A tokenizer is not
 * changed after it was opened, so several threads may use the same tokenizer.
 * Each thread needs its own token counter (below).
 *
 * Text should be valid UTF-8 (RFC 3629).  A byte that is not part of a valid
 * character is treated as a symbol.  Decoding the ids of a text gives the
 * original text, with these exceptions.  The encodings of Claude read an
 * invalid byte as U+FFFD, and cannot decode.  A tokenizer.json may demand
 * Normalization Form C; then the text is normalized before it is counted (by
 * Unicode 9.0, as in the tokenizers library), and decoding gives the normalized
 * text.  SentencePiece vocabularies do not distinguish U+2581 from a blank:
 * decoding gives a blank.  Some SentencePiece vocabularies put a blank before a
 * text, and some also after an added token; then decoding removes a blank at
 * the beginning of the text, even a blank of the original text.  Offsets always
 * refer to the bytes of the original text.  Names of special tokens, such as
 * <|endoftext|>, are ordinary text unless a function says otherwise.
 */
struct ctx_tokenizer;

/* How far a token count can be trusted, from best to worst. */
enum ctx_basis {
	CTX_BASIS_EXACT, /* counted with the model's own encoding */
	/* Counted with an encoding that was reconstructed from measured token
	 * counts, such as the encodings of Claude. */
	CTX_BASIS_RECONSTRUCTED,
	/* estimated: with the encoding of another model, or from the size */
	CTX_BASIS_ESTIMATED,
};
/* Returns how far token counts with an encoding can be trusted, for models that
 * use this encoding. name: name of a built-in encoding, or of a vocabulary
 * file.  For a file, returns CTX_BASIS_EXACT. */
enum ctx_basis ctx_encoding_basis(const char *name);
/* Returns "exact", "reconstructed" or "estimated". */
const char *ctx_basis_name(enum ctx_basis basis);

/*
 * Opens an encoding: the built-in encoding with this name or, if there is none,
 * the vocabulary file with this name.  The file may be
 *  - a tiktoken rank file, whose name begins with the name of a built-in
 *    encoding; the pretokenizer and the special tokens of that encoding are
 *    used
 *  - a tokenizer.json of Hugging Face with byte-level BPE, or with
 *    SentencePiece BPE and byte fallback
 *  - a tekken.json of Mistral
 *  - a SentencePiece model file with BPE and byte fallback
 *  - a GGUF file with byte-level BPE (tokenizer.ggml.model is gpt2), if ctx
 *    knows the tokenizer.json for the value of tokenizer.ggml.pre; if llama.cpp
 *    differs from this tokenizer.json, ctx does the same as the tokenizer.json
 *
 * Special code matches the patterns of the built-in encodings.  PCRE2 matches
 * all other patterns, at 20 to 50 MB a second.  A pattern is refused if PCRE2
 * might read the pattern differently from the original library.
 *
 * The compiled vocabulary is stored in the directory "cache", which is created
 * if it does not exist.  Later calls load the compiled vocabulary from the
 * cache.  The name of its file in the cache contains the SHA-256 of the
 * vocabulary file and of the pretokenizer that the name of the vocabulary file
 * selects.  Of a GGUF file, only the bytes before the tensors are hashed.  If
 * cache is NULL, every call compiles the vocabulary file.  It is no error if
 * the cache cannot be read or written.  If a file in the cache is damaged, the
 * vocabulary file is compiled again.
 *
 * Fails with CTX_EARG if name is neither a built-in encoding nor an existing
 * file.  Fails with CTX_EFILE if the file is not a vocabulary, if ctx cannot
 * count its tokens exactly, or if the file "encodings" is missing, damaged or
 * from another version of ctx.  Fails with CTX_ELIMIT if more than a gigabyte
 * would have to be read.
 */
int ctx_tokenizer_open(struct ctx_tokenizer **tokenizer, const char *name,
    const char *cache, struct ctx_err *err);
void ctx_tokenizer_close(struct ctx_tokenizer *tokenizer);
/* Sets, for the whole process, the directory that contains the file
 * "encodings", which has the vocabularies of the built-in encodings.  The file
 * is mapped into memory when the first built-in encoding is opened; later calls
 * of this function have no effect.  If this function is never called, the
 * directory is share/ctx beside or above the file that contains libctx (a
 * program or the shared library).  If there is no such directory, the directory
 * is the one that was chosen when libctx was built.  If the vocabularies are
 * part of libctx (VOCAB=builtin), this function has no effect. */
int ctx_tokenizer_set_data(const char *dir, struct ctx_err *err);
/* Maps the file "encodings" into memory now.  For callers that later enter a
 * sandbox in which the file cannot be opened.  If the file cannot be mapped
 * now, later calls of ctx_tokenizer_open fail with this error. */
void ctx_tokenizer_open_data(void);
/* Creates the cache directory and its parent directory if they do not exist.
 * For callers that later enter a sandbox in which directories cannot be
 * created. */
void ctx_tokenizer_make_cache(const char *cache);
/* Returns the name of built-in encoding i (counted from 0), or NULL if i is too
 * large.  For help texts. */
const char *ctx_tokenizer_builtin(size_t i);
/* Returns the name that was given to ctx_tokenizer_open.  The tokenizer owns
 * the string. */
const char *ctx_tokenizer_name(const struct ctx_tokenizer *tokenizer);
/* Returns how far the counts of the encoding can be trusted.  Encodings of
 * Claude are reconstructed.  "bytes/4" estimates a quarter of the number of
 * bytes of a text, rounded up.  The encodings of Claude and "bytes/4" can count
 * and shorten text, but not encode or decode. */
enum ctx_basis ctx_tokenizer_basis(const struct ctx_tokenizer *tokenizer);
/* Returns the number of tokens of a request with one message, without those of
 * the message's text.  Returns 0 if this number is not known for the encoding.
 * Sets *message to how many of these tokens belong to the message.  Each
 * further message of a request adds *message tokens. */
unsigned ctx_tokenizer_frame(const struct ctx_tokenizer *tokenizer,
    unsigned *message);
/* Decodes n token ids, and appends their bytes to the buffer "out".  A special
 * token is decoded to its name.  Fails with CTX_EARG if the encoding does not
 * have one of the ids. */
int ctx_tokenizer_decode(const struct ctx_tokenizer *tokenizer,
    const uint32_t *ids, size_t n, struct ctx_buf *out, struct ctx_err *err);

/* ---- tokenizer/encode/count_tokens.c: counting, encoding, shortening ---- */

/*
 * A token counter: working memory for one thread, and a cache of the token
 * counts of pretokens (pieces of text that are encoded separately).  The cache
 * has at most CTX_TOKEN_CACHE bytes; its contents do not change the results.
 * The tokenizer must exist longer than its counters.  No memory is allocated to
 * merge a pretoken of at most CTX_TOKEN_WORD bytes.
 */
struct ctx_token_counter;
#define CTX_TOKEN_CACHE (7u << 20)
#define CTX_TOKEN_WORD  60

int ctx_token_counter_open(struct ctx_token_counter **counter,
    const struct ctx_tokenizer *tokenizer, enum ctx_simd simd,
    struct ctx_err *err);
void ctx_token_counter_close(struct ctx_token_counter *counter);
/* Opens a counter with the same tokenizer as an existing counter (like), for
 * another thread.  During the call, the existing counter may be used by its
 * thread. */
int ctx_token_counter_clone(struct ctx_token_counter **counter,
    const struct ctx_token_counter *like, enum ctx_simd simd,
    struct ctx_err *err);

/* Makes ctx_token_count remember the numbers of tokens of the texts that it
 * counts with this counter, in a table of 768 KiB, for callers that count the
 * same texts again and again.  May be called at most once for a counter. */
int ctx_token_counter_store_texts(struct ctx_token_counter *counter,
    struct ctx_err *err);

/* Returns the tokenizer with which a counter was opened. */
const struct ctx_tokenizer *ctx_token_counter_tokenizer(
    const struct ctx_token_counter *counter);

/* A list of token ids.  A struct whose members are all 0 is an empty list. */
struct ctx_tokens {
	uint32_t *ids;
	size_t n, cap;
};
void ctx_tokens_release(struct ctx_tokens *tokens);

/*
 * Counts the tokens of a text, and sets *tokens to their number.  The time is
 * linear in n for every text.  The memory is limited, except that a pretoken of
 * more than CTX_TOKEN_WORD bytes needs up to nine times its size, and with an
 * encoding of Claude up to 16 times.  Vocabulary files may need more:
 *  - 40 times the size of the pretoken, and n log n time, if a merge has a
 *    lower rank than a merge that makes one of its two parts
 *  - twice the size of the text, if a pattern matches nothing in the text
 *  - the size of the normalized text, if it differs from the text, and twelve
 *    times the longest run of combining marks; the normalized text always
 *    differs if the encoding puts a blank before each text
 *
 * Every function that counts, encodes or shortens text may fail with
 * CTX_ENOMEM.  With the patterns of a vocabulary file, the function fails with
 * CTX_ELIMIT if the number of steps exceeds a limit proportional to the text,
 * or if a match needs more than 64 MB.  It fails with CTX_EFILE if a cached
 * vocabulary contradicts itself.
 */
int ctx_token_count(struct ctx_token_counter *counter, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err);
/* Counts the beginning of a text of which only the first n bytes are known.
 * Sets *at to an offset before which the tokens do not depend on bytes after
 * the n bytes.  The caller later counts the bytes from *at on, together with
 * the bytes that come next, as a separate text.  Sets *tokens to the number
 * that must be added to the count of that separate text.  Sets *at to 0 if
 * there is no such offset, for example in a single long word.  If the encoding
 * puts a blank before each text, *at is after a blank of the text.  For linear
 * time, each call must have more new bytes than the previous call left
 * uncounted. */
int ctx_token_count_streaming(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t *at, uint64_t *tokens, struct ctx_err *err);
/* If the counter's encoding is "bytes/4", sets *tokens to the estimated number
 * of tokens of a text of n bytes, and returns true.  For any other encoding,
 * returns false; then the caller must count the text. */
bool ctx_token_estimate(const struct ctx_token_counter *counter, size_t n,
    uint64_t *tokens);
/* Encodes a text, and appends its token ids to the buffer "out".  If special is
 * true, the name of a special token in the text is encoded as the special
 * token.  Fails with CTX_EARG if the encoding has no ids, and with CTX_EINPUT
 * if the vocabulary file has no token for a byte of the text that is not
 * UTF-8. */
int ctx_token_encode(struct ctx_token_counter *counter, const char *p, size_t n,
    bool special, struct ctx_tokens *out, struct ctx_err *err);
/*
 * Find the longest beginning (head) or end (tail) of a text that, counted
 * alone, has at most limit tokens.  Set *at to the offset in bytes, between two
 * characters, at which the head ends or the tail begins.  Set *tokens to the
 * number of tokens of the head or tail.  The offset is found by bisection.
 * Because one more character can lower the count, a slightly longer head or
 * tail may also have at most limit tokens.
 */
int ctx_token_head(struct ctx_token_counter *counter, struct ctx_str text,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err);
int ctx_token_tail(struct ctx_token_counter *counter, struct ctx_str text,
    uint64_t limit, size_t *at, uint64_t *tokens, struct ctx_err *err);

/* ---- tokenizer/encode/token_index.c: counting parts of one long text ----- */

/*
 * An index of one text.  About every 4 KiB of the text, it stores a checkpoint:
 * an offset, and the number of tokens before this offset.  So parts of the text
 * can be counted fast, and the whole text can be counted again fast after
 * something was appended.  No checkpoints are stored for encodings with added
 * tokens, with patterns that PCRE2 matches, or with a blank before each text.
 * Without checkpoints, the results are the same, but need more time.  A struct
 * whose members are all 0 is an empty index.  The caller owns the counter and
 * the text, which must remain valid as long as functions of the index are
 * called.
 */
struct ctx_token_index {
	/* counter and text that were given to the last call of
	 * ctx_token_index_append */
	struct ctx_token_counter *counter;
	struct ctx_str text;
	struct ctx_token_checkpoint *list;
	size_t n, cap;
	uint64_t tokens; /* number of tokens in the text */
	/* true if the normal form (NFC) of the text differs from the text */
	bool changed;
};

/* Updates a token index after bytes were appended to its text, by counting from
 * the last checkpoint on. text: the whole text.  It must begin with the text of
 * the previous call, but may be at another address.  The caller must call this
 * function before the functions below, and always with the same counter. */
int ctx_token_index_append(struct ctx_token_index *index,
    struct ctx_token_counter *counter, struct ctx_str text,
    struct ctx_err *err);
/* Sets *tokens to the number of tokens of a part of the indexed text, the bytes
 * [from, to), counted as a separate text. */
int ctx_token_index_range(const struct ctx_token_index *index, size_t from,
    size_t to, uint64_t *tokens, struct ctx_err *err);
/* Find the longest beginning (head) or end (tail) of the indexed text that has
 * at most limit tokens, like ctx_token_head and ctx_token_tail. */
int ctx_token_index_head(const struct ctx_token_index *index, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err);
int ctx_token_index_tail(const struct ctx_token_index *index, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err);
/* Makes the index empty, but keeps its memory for the next text. */
void ctx_token_index_reset(struct ctx_token_index *index);
void ctx_token_index_release(struct ctx_token_index *index);

#endif
