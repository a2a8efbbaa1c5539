/* pretokenize_pcre2.h - splits text into pretokens by the patterns of a
 * vocabulary file */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKENIZE_PCRE2_H
#define CTX_TOKENIZER_ENCODE_PRETOKENIZE_PCRE2_H

#include "base/base.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/simd/backend.h"

#define CTX_PCRE2_MAX 4 /* maximum number of patterns in a vocabulary file */

/*
 * The compiled patterns of a vocabulary file, which divide a text into pieces.
 * The first pattern divides it into its matches and the text between them.  The
 * next pattern divides each of these pieces as if it were a whole text, and so
 * on.  A built-in pretokenizer may divide the last pieces.  Compiled patterns
 * do not change.
 */
struct ctx_pcre2_pretokenizer;

/* Compiles the patterns of a vocabulary file: n bytes, in which a NUL ends
 * each pattern.  See onig_to_pcre2.h for the syntax.  CTX_EFILE: PCRE2 might
 * read a pattern differently from the library that the file is for. */
int ctx_pcre2_open(struct ctx_pcre2_pretokenizer **pretokenizer,
    const char *patterns, size_t n, struct ctx_err *err);
void ctx_pcre2_close(struct ctx_pcre2_pretokenizer *pretokenizer);

/* The state of splitting a text by patterns.  Each thread needs its own. */
struct ctx_pcre2_state;

/* Opens a state for splitting texts by patterns. name: the name of the
 * vocabulary, for error messages; the string must remain valid as long as the
 * state. */
int ctx_pcre2_begin(struct ctx_pcre2_state **state,
    const struct ctx_pcre2_pretokenizer *pretokenizer, const char *name,
    struct ctx_err *err);
void ctx_pcre2_end(struct ctx_pcre2_state *state);
/* Sets the built-in pretokenizer, and its function split, that divides the
 * pieces into which the last pattern has divided the text.  NULL, the default:
 * each of these pieces is a pretoken. */
void ctx_pcre2_set_last(struct ctx_pcre2_state *state,
    ctx_pretokenize_fn *split, struct ctx_pretokenizer pretokenizer);
/* Makes the state ready to split another text. */
void ctx_pcre2_reset(struct ctx_pcre2_state *state);
/* Must be called if more text may follow after the part that is known.
 * ctx_pcre2_split then splits off only pretokens that later text cannot change,
 * possibly none.  The last of these pretokens ends where a match of the first
 * pattern ends or starts.  So the rest of the text can be split from there as a
 * text of its own. */
void ctx_pcre2_part(struct ctx_pcre2_state *state);
/*
 * Splits off at most max of the next pretokens of a text, and lists them in
 * *split. p, n: the rest of the text, after the pretokens of the last call.
 *
 * CTX_ELIMIT: the patterns took more than a million steps plus 256 per
 * character of the text so far, or a match needed more than 64 MB.  Steps are
 * counted, so the limit does not depend on the speed of the machine.
 */
int ctx_pcre2_split(struct ctx_pcre2_state *state,
    struct ctx_pretokenize *split, const char *p, size_t n, size_t max,
    struct ctx_err *err);

#endif
