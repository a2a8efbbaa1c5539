/* onig_sets.h - sets of characters in the patterns of a vocabulary file, for
 * the translation of the patterns for PCRE2 */
#ifndef CTX_TOKENIZER_VOCABULARY_ONIG_SETS_H
#define CTX_TOKENIZER_VOCABULARY_ONIG_SETS_H

#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

/* maximum depth of groups (in parentheses) inside groups, and of sets inside
 * sets */
#define MOST_DEPTH 30
/* Maximum number of sets in all patterns together: each set is a bit of a
 * 64-bit number. */
#define MOST_SETS      64
#define ALL_CATEGORIES ((UINT32_C(1) << CTX_KINDS_CATEGORY) - 1)

/* Each pattern (regular expression) is read three times: CUTS collects ranges
 * of characters, FIND collects sets of characters, and WRITE writes the
 * translated pattern. */
enum onig_pass { CUTS, FIND, WRITE };

struct char_set {
	uint64_t ascii[2];
	/* The characters of the set that are not ASCII: for each range of code
	 * points, a set of bits.  Bit c is set if the set contains the
	 * characters of the range that have the general category c. */
	uint32_t rest[CTX_KINDS_CUTS];
};

/* A set of characters in a pattern that is being read, between its "[" and its
 * "]". */
struct open_set {
	struct char_set set;
	bool negated;
};

/* A group in a pattern that is being read, between its "(" and its ")". */
struct open_group {
	size_t kind;
	/* Value of onig_parse.fold (true if case is ignored) before the group.
	 * At the end of the group, onig_parse.fold is set to this value
	 * again. */
	bool fold;
};

struct onig_parse {
	struct ctx_kinds *kinds;
	struct char_set sets[MOST_SETS];
	size_t nsets;
	/* For each kind from 128 on: the sets that contain the characters of
	 * this kind, as bits; bit s stands for set s.  Characters have the same
	 * kind if they are in the same sets. */
	uint64_t members[128];
	size_t nkinds;
	enum onig_pass pass;
	const char *p;
	/* n: length of the pattern in bytes; at: offset of the next byte to
	 * read */
	size_t n, at;
	bool fold; /* true if case is ignored, as inside (?i:...) */
	/* The character directly before the offset "at", if the pattern has an
	 * ordinary character there; 0 if the pattern has a set, a group or
	 * another construct there. */
	uint32_t before;
	struct open_set in_sets[MOST_DEPTH];
	struct open_group in_groups[MOST_DEPTH];
	size_t open_sets, open_groups;
	struct ctx_buf *out;
	struct ctx_err *err;
};

/* Fills *err with a message that says which construct of the pattern is
 * refused, and where it is.  Returns -1. */
int ctx_onig_refuse(const struct onig_parse *r, const char *what);
/* Appends text to the translated pattern in the pass WRITE.  Does nothing in
 * other passes. */
int ctx_onig_emit_text(struct onig_parse *r, const char *text, size_t n);
/* Adds the characters from first to last to a set.  In the pass CUTS, only
 * stores where this range begins and ends. */
int ctx_onig_add_range(struct onig_parse *r, struct char_set *set,
    uint32_t first, uint32_t last);
/* Adds all characters of several general categories to a set. categories: bit c
 * stands for category c. */
void ctx_onig_add_categories(const struct onig_parse *r, struct char_set *set,
    uint32_t categories);
void ctx_onig_add_set(struct char_set *set, const struct char_set *other);
void ctx_onig_negate_set(struct char_set *set);
bool ctx_onig_is_empty_set(const struct onig_parse *r,
    const struct char_set *set);
/* Adds a character to a set (see ctx_onig_add_range) and, if it is an ASCII
 * letter, also the same letter in the other case.  For s also adds U+017F, and
 * for k also U+212A (Unicode, CaseFolding.txt). */
int ctx_onig_add_folded(struct onig_parse *r, struct char_set *set,
    uint32_t cp);
/* Called for each set of characters in a pattern.  In the pass FIND, stores the
 * set if no equal set was stored.  In the pass WRITE, writes the kinds of its
 * characters.  Characters have the same kind if they are in the same sets. */
int ctx_onig_use_set(struct onig_parse *r, const struct char_set *set);
/* Gives numbers to the kinds of characters that are not ASCII.  Characters have
 * the same kind if they are in the same sets. */
int ctx_onig_number_kinds(struct onig_parse *r);

#endif
