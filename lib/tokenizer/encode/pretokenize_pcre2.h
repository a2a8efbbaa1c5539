/* pretokenize_pcre2.h - splits text into pretokens by the patterns of a
 * vocabulary file */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKENIZE_PCRE2_H
#define CTX_TOKENIZER_ENCODE_PRETOKENIZE_PCRE2_H

#include "base/base.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/simd/backend.h"

#define CTX_PCRE2_MAX 4 /* maximum number of patterns in a vocabulary file */

/*
 * The compiled patterns of a vocabulary file.  The first pattern splits a text
 * into its matches and the text between them.  The next pattern splits each of
 * these pieces as a text of its own, and so on.  A built-in pretokenizer may
 * split the last pieces.  The patterns do not change after they are compiled.
 */
struct ctx_pcre2_pretokenizer;

/* Compiles the patterns of a vocabulary file: n bytes, in which each pattern is
 * ended by a NUL.  See onig_to_pcre2.h for the syntax.  CTX_EFILE: PCRE2 might
 * read a pattern differently from the library that the file is for. */
int ctx_pcre2_open(struct ctx_pcre2_pretokenizer **pretokenizer,
    const char *patterns, size_t n, struct ctx_err *err);
void ctx_pcre2_close(struct ctx_pcre2_pretokenizer *pretokenizer);

/* The state of splitting a text by patterns, for one thread. */
struct ctx_pcre2_state;

/* Opens a state for splitting texts by patterns.  name is the name of the
 * vocabulary for error messages; the string must remain valid as long as the
 * state. */
int ctx_pcre2_begin(struct ctx_pcre2_state **state,
    const struct ctx_pcre2_pretokenizer *pretokenizer, const char *name,
    struct ctx_err *err);
void ctx_pcre2_end(struct ctx_pcre2_state *state);
/* Sets a function, and its pretokenizer, to split each piece further after the
 * patterns have split the text into pieces.  The default is NULL: each piece
 * is one pretoken. */
void ctx_pcre2_set_last(struct ctx_pcre2_state *state,
    ctx_pretokenize_fn *split, struct ctx_pretokenizer pretokenizer);
/* Starts to split a new text by the patterns. */
void ctx_pcre2_reset(struct ctx_pcre2_state *state);
/*
 * Says that the text that is started is only the first part of a longer one.
 * Then pretokens that depend on later text are not returned, so ctx_pcre2_split
 * may return none.  The last pretoken returned ends where a match of the first
 * pattern, or the text between two matches, ends.  The rest can be split from
 * there as a text of its own.
 */
void ctx_pcre2_part(struct ctx_pcre2_state *state);
/*
 * Splits off the next pretokens of a text by the patterns, 1 to max, as a
 * ctx_pretokenize_fn does.  p, n is the rest of the text: each call must
 * continue where the last one ended.  CTX_ELIMIT: the patterns took more than a
 * million steps plus 256 per character of the text so far, or a match needed
 * more than 64 MB.  Steps are counted, so the limit does not depend on the
 * speed of the machine.
 */
int ctx_pcre2_split(struct ctx_pcre2_state *state,
    struct ctx_pretokenize *split, const char *p, size_t n, size_t max,
    struct ctx_err *err);

#endif
