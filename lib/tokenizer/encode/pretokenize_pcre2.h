/* pretokenize_pcre2.h - splits text into pretokens (pieces of text that are
 * encoded by themselves) by the patterns of a vocabulary file */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKENIZE_PCRE2_H
#define CTX_TOKENIZER_ENCODE_PRETOKENIZE_PCRE2_H

#include "base/base.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/simd/backend.h"

#define CTX_PCRE2_MAX 4 /* maximum number of patterns in a vocabulary file */

/*
 * The compiled patterns of a vocabulary file, which divide a text into pieces.
 * The first pattern divides the text into its matches and the text between
 * them.  Each further pattern divides each of these pieces as if it were a text
 * of its own.  A built-in pretokenizer may divide the pieces of the last
 * pattern.  Compiled patterns can be shared by threads, because they do not
 * change.
 */
struct ctx_pcre2_pretokenizer;

/* Compiles the patterns of a vocabulary file: n bytes, in which a NUL byte ends
 * each pattern.  See onig_to_pcre2.h for the syntax.  CTX_EFILE: PCRE2 might
 * read a pattern differently from the library for which the file was made. */
int ctx_pcre2_open(struct ctx_pcre2_pretokenizer **pretokenizer,
    const char *patterns, size_t n, struct ctx_err *err);
void ctx_pcre2_close(struct ctx_pcre2_pretokenizer *pretokenizer);

/* The state of splitting a text by patterns.  Each thread needs a state of its
 * own. */
struct ctx_pcre2_state;

/* Opens a state for splitting texts by patterns. name: the name of the
 * vocabulary, for error messages; the string must remain valid as long as the
 * state. */
int ctx_pcre2_begin(struct ctx_pcre2_state **state,
    const struct ctx_pcre2_pretokenizer *pretokenizer, const char *name,
    struct ctx_err *err);
void ctx_pcre2_end(struct ctx_pcre2_state *state);
/* Sets the built-in pretokenizer, and its function "split", by which the pieces
 * of text that the last pattern gives are divided further.  If "split" is NULL
 * (default), each of these pieces is a pretoken. */
void ctx_pcre2_set_last(struct ctx_pcre2_state *state,
    ctx_pretokenize_fn *split, struct ctx_pretokenizer pretokenizer);
/* Makes the state ready to split another text. */
void ctx_pcre2_reset(struct ctx_pcre2_state *state);
/* Must be called if only the beginning of a text is known, so that more text
 * may come. ctx_pcre2_split then splits off only pretokens (words, numbers,
 * ...) that later text cannot change, which may be none.  The end of the last
 * of these pretokens is the beginning or end of a match of the first pattern,
 * so the text after it can be split as a text of its own. */
void ctx_pcre2_part(struct ctx_pcre2_state *state);
/*
 * Splits off the next pretokens (pieces that are encoded by themselves) of a
 * text, at most max, and stores them in *split. p, n: the rest of the text,
 * after the pretokens of the last call.
 *
 * CTX_ELIMIT: the patterns needed more than a million steps plus 256 for each
 * character of the text so far, or a match needed more than 64 MB.  Steps are
 * counted, and not time, so that the limit does not depend on the speed of the
 * machine.
 */
int ctx_pcre2_split(struct ctx_pcre2_state *state,
    struct ctx_pretokenize *split, const char *p, size_t n, size_t max,
    struct ctx_err *err);

#endif
