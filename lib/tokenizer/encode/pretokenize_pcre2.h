/* pretokenize_pcre2.h - splitters of files: one pattern after another, through
 * PCRE2 */
#ifndef CTX_TOKENIZER_ENCODE_PRETOKENIZE_PCRE2_H
#define CTX_TOKENIZER_ENCODE_PRETOKENIZE_PCRE2_H

#include "base/base.h"
#include "tokenizer/pretokenizer.h"
#include "tokenizer/simd/backend.h"

#define CTX_PCRE2_MAX 4 /* patterns */

/*
 * The first pattern cuts a text into its matches and what is between them;
 * each of these is cut by the next, as if it were a text of its own; the
 * last pieces may be cut by a built-in splitter.  A chain never changes.
 */
struct ctx_pcre2_pretokenizer;

/* The patterns, each with a NUL behind it; see onig_to_pcre2.h for the syntax.
 * CTX_EFILE: one that is not known to mean the same here. */
int ctx_pcre2_open(struct ctx_pcre2_pretokenizer **chain, const char *patterns,
    size_t n, struct ctx_err *err);
void ctx_pcre2_close(struct ctx_pcre2_pretokenizer *chain);

/* What splitting needs, for one thread. */
struct ctx_pcre2_state;

/* The name, which has to last, is that of the vocabulary, for errors. */
int ctx_pcre2_begin(struct ctx_pcre2_state **state,
    const struct ctx_pcre2_pretokenizer *chain, const char *name,
    struct ctx_err *err);
void ctx_pcre2_end(struct ctx_pcre2_state *state);
/* A text begins. */
void ctx_pcre2_reset(struct ctx_pcre2_state *state);
/* Of the text that begins only the beginning will be seen.  Pieces that
 * depend on what comes behind are then not given: there may be 0.  Those that
 * are end with a match of the first pattern, or with what is between two, and
 * from there on the rest is split like a text of its own. */
void ctx_pcre2_part(struct ctx_pcre2_state *state);
/*
 * The next pieces, 1 to max, as a ctx_pretokenize_fn gives them: p, n is what
 * is left of the text, so calls must follow each other.  Last, if there is one,
 * splits with scheme what the patterns leave.  CTX_ELIMIT: of the text so
 * far the patterns took more than a million steps and 256 for each character,
 * or a match more than 64 MB; the steps are counted, so it is always the same
 * texts.
 */
int ctx_pcre2_split(struct ctx_pcre2_state *state, ctx_pretokenize_fn *last,
    struct ctx_pretokenizer scheme, struct ctx_pretokenize *split,
    const char *p, size_t n, size_t max, struct ctx_err *err);

#endif
