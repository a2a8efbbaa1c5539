/* pretokenize_pcre2.h - splits text by the patterns of a vocabulary file */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKENIZE_PCRE2_H
#define CTX_TOKENIZER_ENCODE_PRETOKENIZE_PCRE2_H

#include "base/base.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/simd/backend.h"

#define CTX_PCRE2_MAX 4 /* most patterns */

/*
 * The compiled patterns of a vocabulary file, a chain.  The first pattern cuts
 * a text into its matches and the text between them.  Each of these is cut by
 * the next pattern as a text of its own.  A built-in pretokenizer may cut the
 * last pieces.  A chain does not change after it is opened.
 */
struct ctx_pcre2_pretokenizer;

/* Compiles patterns, n bytes, each ended by NUL; see onig_to_pcre2.h for the
 * syntax.  CTX_EFILE: PCRE2 might read a pattern differently. */
int ctx_pcre2_open(struct ctx_pcre2_pretokenizer **pretokenizer,
    const char *patterns, size_t n, struct ctx_err *err);
void ctx_pcre2_close(struct ctx_pcre2_pretokenizer *pretokenizer);

/* The state of splitting, for one thread. */
struct ctx_pcre2_state;

/* Opens a state.  name is that of the vocabulary, for errors; it must live as
 * long as the state. */
int ctx_pcre2_begin(struct ctx_pcre2_state **state,
    const struct ctx_pcre2_pretokenizer *pretokenizer, const char *name,
    struct ctx_err *err);
void ctx_pcre2_end(struct ctx_pcre2_state *state);
/* Has what the patterns leave split further, by split for pretokenizer.  NULL,
 * the default: the patterns do all of it. */
void ctx_pcre2_set_last(struct ctx_pcre2_state *state,
    ctx_pretokenize_fn *split, struct ctx_pretokenizer pretokenizer);
/* Starts a new text. */
void ctx_pcre2_reset(struct ctx_pcre2_state *state);
/*
 * Says that the text that starts is only the first part of a longer one.
 * Pretokens that depend on later text are then not returned, so ctx_pcre2_split
 * may return none.  The last pretoken returned ends with a match of the first
 * pattern or with the text between two matches.  The rest can be split from
 * there as a text of its own.
 */
void ctx_pcre2_part(struct ctx_pcre2_state *state);
/*
 * Splits off the next pretokens, 1 to max, as a ctx_pretokenize_fn does.  p, n
 * is the rest of the text: each call must continue where the last ended.
 * CTX_ELIMIT: the patterns took more than a million steps plus 256 per
 * character of the text so far, or a match needed more than 64 MB.  Steps are
 * counted, so the limit does not depend on the machine.
 */
int ctx_pcre2_split(struct ctx_pcre2_state *state,
    struct ctx_pretokenize *split, const char *p, size_t n, size_t max,
    struct ctx_err *err);

#endif
