/* onig_sets.h - sets of characters while the patterns of a vocabulary file are
 * translated for PCRE2 */
#ifndef CTX_TOKENIZER_VOCABULARY_ONIG_SETS_H
#define CTX_TOKENIZER_VOCABULARY_ONIG_SETS_H

#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

/* maximum depth of nested groups, and of nested sets */
#define MOST_DEPTH 30
/* maximum number of sets in all patterns; each is a bit of 64 */
#define MOST_SETS      64
#define ALL_CATEGORIES ((UINT32_C(1) << CTX_KINDS_CATEGORY) - 1)

/* Patterns are parsed three times; see onig_to_pcre2.c. */
enum onig_pass { CUTS, FIND, WRITE };

struct char_set {
	uint64_t ascii[2];
	uint32_t
	    /* for each range of code points, bits of general categories */
	    rest[CTX_KINDS_CUTS];
};

/* A set whose closing bracket has not been read yet. */
struct open_set {
	struct char_set set;
	bool negated;
};

/* A group whose closing parenthesis has not been read yet. */
struct open_group {
	size_t kind;
	/* true if case is ignored outside of the group: value of
	 * onig_parse.fold after the group ends */
	bool fold;
};

struct onig_parse {
	struct ctx_kinds *kinds;
	struct char_set sets[MOST_SETS];
	size_t nsets;
	/* for each kind from 128 on, a bit for each set that contains it */
	uint64_t members[128];
	size_t nkinds;
	enum onig_pass pass;
	const char *p;
	size_t n, at; /* offset in bytes */
	bool fold;    /* true inside (?i:...): case is ignored */
	/* the literal character directly before the current place in the
	 * pattern; 0 if there is none */
	uint32_t before;
	struct open_set in_sets[MOST_DEPTH];
	struct open_group in_groups[MOST_DEPTH];
	size_t open_sets, open_groups;
	struct ctx_buf *out;
	struct ctx_err *err;
};

/* Fills the error with text and the position in the pattern.  Returns -1. */
int ctx_onig_refuse(const struct onig_parse *r, const char *what);
/* Appends text to the translated pattern in the pass WRITE.  The other passes
 * write nothing. */
int ctx_onig_emit_text(struct onig_parse *r, const char *text, size_t n);
/* Adds the characters from first to last to a set. */
int ctx_onig_add_range(struct onig_parse *r, struct char_set *set,
    uint32_t first, uint32_t last);
/* Adds all characters of these general categories to a set; categories has one
 * bit for each. */
void ctx_onig_add_categories(const struct onig_parse *r, struct char_set *set,
    uint32_t categories);
void ctx_onig_add_set(struct char_set *set, const struct char_set *other);
void ctx_onig_negate_set(struct char_set *set);
bool ctx_onig_is_empty_set(const struct onig_parse *r,
    const struct char_set *set);
/* Adds a character to a set without regard to case.  An ASCII letter also adds
 * its other case, s also U+017F, and k also U+212A (Unicode,
 * CaseFolding.txt). */
int ctx_onig_add_folded(struct onig_parse *r, struct char_set *set,
    uint32_t cp);
/* Handles a set of characters in a pattern: records it in the pass FIND, writes
 * it in the pass WRITE (see onig_to_pcre2.c). */
int ctx_onig_use_set(struct onig_parse *r, const struct char_set *set);
/* Numbers the kinds of characters beyond ASCII: one kind for each combination
 * of sets that contain a character. */
int ctx_onig_number_kinds(struct onig_parse *r);

#endif
