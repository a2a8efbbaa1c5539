/* tokenizer.h - counts, encodes and cuts text in the tokens of an encoding */
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
 * changed after it was opened, so threads may share it; each thread needs its
 * own token counter (below).
 *
 * Text should be valid UTF-8 (RFC 3629).  A byte that is not part of a valid
 * character is treated as a symbol.  It is encoded without a change, so
 * decoding gives the original text back, with these exceptions.  The encodings
 * of Claude read such a byte as U+FFFD, and cannot decode.  A tokenizer.json
 * may demand Normalization Form C; a text is then normalized (by Unicode 9.0,
 * as in the tokenizers library) before it is counted, and decoding gives the
 * normal form.  SentencePiece vocabularies do not distinguish U+2581 from a
 * blank, and decoding gives a blank.  Some of them put a blank before a text,
 * or also after an added token; decoding removes a blank at the beginning, even
 * if this blank was in the original text.  Offsets always refer to the bytes of
 * the original text.  Names of special tokens, such as <|endoftext|>, are
 * ordinary text unless a function says otherwise.
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
/* Returns how far token counts with an encoding can be trusted, for the models
 * that use this encoding. name: name of a built-in encoding, or of a file,
 * which gives exact counts. */
enum ctx_basis ctx_encoding_basis(const char *name);
/* Returns "exact", "reconstructed" or "estimated". */
const char *ctx_basis_name(enum ctx_basis basis);

/*
 * Opens an encoding: the built-in one with this name or, if there is none, the
 * vocabulary file with this name.  The file may be
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
 * The patterns of the built-in encodings have fast code of their own.  Other
 * patterns are matched by PCRE2, at 20 to 50 MB a second; a pattern is refused
 * if PCRE2 might read it differently from the original library.
 *
 * The compiled vocabulary is stored in the directory "cache", which is created
 * if it does not exist, and later calls load it from there.  The name of a
 * cache entry contains the SHA-256 of the file and of the pretokenizer that the
 * name of the file selects; of a GGUF file only the bytes before the tensors
 * are hashed.  If cache is NULL, every call compiles the file.  If the cache
 * cannot be read or written, this is not an error; a damaged entry is compiled
 * again.
 *
 * CTX_EARG: name is neither a built-in encoding nor an existing file.
 * CTX_EFILE: the file is not a vocabulary, or ctx cannot count its tokens
 * exactly; or the file "encodings" is missing, damaged or from another version
 * of ctx.  CTX_ELIMIT: more than a gigabyte would have to be read.
 */
int ctx_tokenizer_open(struct ctx_tokenizer **tokenizer, const char *name,
    const char *cache, struct ctx_err *err);
void ctx_tokenizer_close(struct ctx_tokenizer *tokenizer);
/* Sets, for the whole process, the directory that contains the file
 * "encodings", which has the vocabularies of the built-in encodings.  The file
 * is mapped into memory when the first built-in encoding is opened; later calls
 * of this function have no effect.  If it is never called, the directory is
 * share/ctx beside or above the file that contains libctx (a program or the
 * shared library) or, if that does not exist, the directory that was chosen
 * when libctx was built.  If the vocabularies are part of libctx
 * (VOCAB=builtin), the call has no effect. */
int ctx_tokenizer_set_data(const char *dir, struct ctx_err *err);
/* Maps the file "encodings" into memory now.  For callers that later enter a
 * sandbox in which the file cannot be opened.  If this fails, later calls of
 * ctx_tokenizer_open fail with the error. */
void ctx_tokenizer_open_data(void);
/* Creates the cache directory and its parent directory if they do not exist.
 * For callers that later enter a sandbox in which directories cannot be
 * created. */
void ctx_tokenizer_make_cache(const char *cache);
/* Returns the name of built-in encoding i, or NULL if there are not so many.
 * For help texts. */
const char *ctx_tokenizer_builtin(size_t i);
/* Returns the name that was given to ctx_tokenizer_open.  The tokenizer owns
 * the string. */
const char *ctx_tokenizer_name(const struct ctx_tokenizer *tokenizer);
/* Returns how far the counts of the encoding can be trusted.  Encodings of
 * Claude are reconstructed.  "bytes/4" estimates a quarter of the number of
 * bytes of a text, rounded up.  The encodings of Claude and "bytes/4" can count
 * and cut text, but not encode or decode. */
enum ctx_basis ctx_tokenizer_basis(const struct ctx_tokenizer *tokenizer);
/* Returns the number of tokens that a request with one message has besides
 * those of the message's text, or 0 if this number is not known for the
 * encoding.  Sets *message to how many of these tokens belong to the message
 * itself; each further message adds the same number. */
unsigned ctx_tokenizer_frame(const struct ctx_tokenizer *tokenizer,
    unsigned *message);
/* Decodes n token ids, and appends their bytes to the buffer "out".  A special
 * token is decoded to its name.  CTX_EARG: the encoding does not have one of
 * the ids. */
int ctx_tokenizer_decode(const struct ctx_tokenizer *tokenizer,
    const uint32_t *ids, size_t n, struct ctx_buf *out, struct ctx_err *err);

/* ---- tokenizer/encode/count_tokens.c: counting, encoding, cutting a text - */

/*
 * A token counter: working memory for one thread, and a cache of the numbers of
 * tokens of pretokens (pieces of text that are encoded by themselves).  The
 * cache has at most CTX_TOKEN_CACHE bytes; its contents do not change the
 * results.  The tokenizer must exist longer than its counters.  No memory is
 * allocated to merge a pretoken of at most CTX_TOKEN_WORD bytes.
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

/* Returns the tokenizer with which a counter was opened. */
const struct ctx_tokenizer *ctx_token_counter_tokenizer(
    const struct ctx_token_counter *counter);

/* A list of token ids.  A struct of zeros is an empty list. */
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
 *    lower rank than the merges that make its parts
 *  - twice the size of the text, if a pattern matches nothing in the text
 *  - the size of the normal form, if it differs from the text, and twelve
 *    times the longest run of combining marks; the normal form always differs
 *    if the encoding puts a blank before each text
 *
 * Every function that counts, encodes or cuts text may fail with CTX_ENOMEM.
 * With the patterns of a vocabulary file it may fail with CTX_ELIMIT: the
 * number of steps exceeds a limit proportional to the text, or a match needs
 * more than 64 MB.  CTX_EFILE: a cached vocabulary contradicts itself.
 */
int ctx_token_count(struct ctx_token_counter *counter, const char *p, size_t n,
    uint64_t *tokens, struct ctx_err *err);
/* Counts the beginning of a text of which only the first n bytes are known.
 * Sets *at to an offset such that no byte after the known ones can change the
 * tokens before this offset.  The caller then counts the bytes from *at on,
 * together with the next bytes, as a text of its own.  Sets *tokens to a number
 * that, added to the count of that text, gives the count of the whole text.
 * Sets *at to 0 if there is no such offset, for example in a single long word.
 * If the encoding puts a blank before each text, the rest begins after a blank
 * of the text.  For linear time, each call must have more new bytes than the
 * previous call left uncounted. */
int ctx_token_count_streaming(struct ctx_token_counter *counter, const char *p,
    size_t n, size_t *at, uint64_t *tokens, struct ctx_err *err);
/* If the counter's encoding is "bytes/4", sets *tokens to the estimated number
 * of tokens of a text of n bytes, and returns true.  For any other encoding,
 * the text must be counted, and the function returns false. */
bool ctx_token_estimate(const struct ctx_token_counter *counter, size_t n,
    uint64_t *tokens);
/* Encodes a text, and appends its token ids to the buffer "out".  If special is
 * true, names of special tokens in the text are encoded as these tokens.
 * CTX_EARG: the encoding has no ids.  CTX_EINPUT: the vocabulary file has no
 * token for a byte of the text that is not UTF-8. */
int ctx_token_encode(struct ctx_token_counter *counter, const char *p, size_t n,
    bool special, struct ctx_tokens *out, struct ctx_err *err);
/*
 * Find the longest beginning (head) or end (tail) of a text that has at most
 * limit tokens when this part is counted alone.  Set *at to the offset in bytes
 * at which the text is cut, always between two characters: the head is [0,
 * *at), the tail [*at, n).  Set *tokens to the number of tokens of the head or
 * tail.  The cut is found by bisection, and one more character can lower the
 * count, so a slightly longer head or tail may also have at most limit tokens.
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
 * tokens, with patterns that are matched by PCRE2, or that put a blank before
 * each text; the results are the same, but need more time.  A struct of zeros
 * is an empty index.  The caller owns the counter and the text, which must
 * remain valid as long as functions of the index are called.
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
 * the last checkpoint on. text: the whole text, which must begin with the text
 * of the previous call, but may be at another place in memory.  Must be called
 * before the functions below, and always with the same counter. */
int ctx_token_index_append(struct ctx_token_index *index,
    struct ctx_token_counter *counter, struct ctx_str text,
    struct ctx_err *err);
/* Sets *tokens to the number of tokens of a part of the indexed text, the bytes
 * [from, to), counted as a text of its own. */
int ctx_token_index_range(const struct ctx_token_index *index, size_t from,
    size_t to, uint64_t *tokens, struct ctx_err *err);
/* Find the longest beginning (head) or end (tail) of the indexed text that has
 * at most limit tokens, like ctx_token_head and ctx_token_tail. */
int ctx_token_index_head(const struct ctx_token_index *index, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err);
int ctx_token_index_tail(const struct ctx_token_index *index, uint64_t limit,
    size_t *at, uint64_t *tokens, struct ctx_err *err);
/* Makes the index empty, but keeps its memory for another text. */
void ctx_token_index_reset(struct ctx_token_index *index);
void ctx_token_index_release(struct ctx_token_index *index);

#endif
