/* onig_sets.h - sets of characters while patterns are translated for PCRE2 */
#ifndef CTX_TOKENIZER_VOCABULARY_ONIG_SETS_H
#define CTX_TOKENIZER_VOCABULARY_ONIG_SETS_H

#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

#define MOST_DEPTH     30 /* most nested groups, and nested sets */
#define MOST_SETS      64 /* most sets in all patterns; a set is a bit of 64 */
#define ALL_CATEGORIES ((UINT32_C(1) << CTX_KINDS_CATEGORY) - 1)

/* See onig_to_pcre2.c. */
enum onig_pass { CUTS, FIND, WRITE };

struct char_set {
	uint64_t ascii[2];
	uint32_t
	    rest[CTX_KINDS_CUTS]; /* by range: bits of general categories */
};

/* A set that is not closed yet. */
struct open_set {
	struct char_set set;
	bool negated;
};

/* A group that is not closed yet. */
struct open_group {
	size_t kind;
	bool fold; /* onig_parse.fold outside the group */
};

struct onig_parse {
	struct ctx_kinds *kinds;
	struct char_set sets[MOST_SETS];
	size_t nsets;
	uint64_t members[128]; /* of kinds from 128 on: bits of the sets that
				  have it */
	size_t nkinds;
	enum onig_pass pass;
	const char *p;
	size_t n, at;    /* in bytes */
	bool fold;       /* true inside (?i:...) */
	uint32_t before; /* the literal directly before, else 0 */
	struct open_set in_sets[MOST_DEPTH];
	struct open_group in_groups[MOST_DEPTH];
	size_t open_sets, open_groups;
	struct ctx_buf *out;
	struct ctx_err *err;
};

/* Fills the error with what the pattern has, at its next byte.  Returns -1. */
int ctx_onig_refuse(const struct onig_parse *r, const char *what);
/* Appends text to the output of the pass WRITE; the others write nothing. */
int ctx_onig_emit_text(struct onig_parse *r, const char *text, size_t n);
/* Adds the characters first to last to a set. */
int ctx_onig_add_range(struct onig_parse *r, struct char_set *set,
    uint32_t first, uint32_t last);
/* Adds all characters of these general categories, a bit for each. */
void ctx_onig_add_categories(const struct onig_parse *r, struct char_set *set,
    uint32_t categories);
void ctx_onig_add_set(struct char_set *set, const struct char_set *other);
void ctx_onig_negate_set(struct char_set *set);
bool ctx_onig_is_empty_set(const struct onig_parse *r,
    const struct char_set *set);
/* Adds a character without its case.  A letter of ASCII also matches its other
 * case, s also U+017F and k also U+212A (Unicode, CaseFolding.txt). */
int ctx_onig_add_folded(struct onig_parse *r, struct char_set *set,
    uint32_t cp);
/* Handles a set of the pattern: FIND records it, WRITE writes it. */
int ctx_onig_use_set(struct onig_parse *r, const struct char_set *set);
/* Numbers the kinds of characters that are not ASCII: one per combination of
 * sets. */
int ctx_onig_number_kinds(struct onig_parse *r);

#endif
