/* onig_sets.h - sets of characters in the patterns of a vocabulary file, while
 * these are translated for PCRE2 */
#ifndef CTX_TOKENIZER_VOCABULARY_ONIG_SETS_H
#define CTX_TOKENIZER_VOCABULARY_ONIG_SETS_H

#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

/* maximum depth of nested groups, and of nested sets */
#define MOST_DEPTH 30
/* Maximum number of sets in all patterns together.  A set is a bit of a 64-bit
 * number. */
#define MOST_SETS      64
#define ALL_CATEGORIES ((UINT32_C(1) << CTX_KINDS_CATEGORY) - 1)

/* Each pattern is read in three passes.  CUTS collects ranges of characters,
 * FIND collects sets of characters, WRITE writes the translated pattern. */
enum onig_pass { CUTS, FIND, WRITE };

struct char_set {
	uint64_t ascii[2];
	/* Characters that are not ASCII.  For each range of code points, bit c
	 * is set if the set contains the range's characters of general category
	 * c. */
	uint32_t rest[CTX_KINDS_CUTS];
};

/* A set of characters in a pattern that is being parsed: its "[" was read, but
 * not yet its "]". */
struct open_set {
	struct char_set set;
	bool negated;
};

/* A group in a pattern that is being parsed: its "(" was read, but not yet its
 * ")". */
struct open_group {
	size_t kind;
	/* The value that onig_parse.fold had before the group, and gets again
	 * after it: true if case is ignored. */
	bool fold;
};

struct onig_parse {
	struct ctx_kinds *kinds;
	struct char_set sets[MOST_SETS];
	size_t nsets;
	/* Each kind from 128 on stands for the characters that are in the same
	 * sets.  Bit s is set if these characters are in set s. */
	uint64_t members[128];
	size_t nkinds;
	enum onig_pass pass;
	const char *p;
	/* length of the pattern in bytes; offset of the byte that is read
	 * next */
	size_t n, at;
	bool fold; /* true if case is ignored, as inside (?i:...) */
	/* The character before the offset "at", if it stands for itself in the
	 * pattern; 0 if a set, a group or another construct is there. */
	uint32_t before;
	struct open_set in_sets[MOST_DEPTH];
	struct open_group in_groups[MOST_DEPTH];
	size_t open_sets, open_groups;
	struct ctx_buf *out;
	struct ctx_err *err;
};

/* Fills *err: what is refused in the pattern, and where.  Returns -1. */
int ctx_onig_refuse(const struct onig_parse *r, const char *what);
/* Appends text to the translated pattern, but only in the pass WRITE. */
int ctx_onig_emit_text(struct onig_parse *r, const char *text, size_t n);
/* Adds the characters from first to last to a set. */
int ctx_onig_add_range(struct onig_parse *r, struct char_set *set,
    uint32_t first, uint32_t last);
/* Adds all characters of some general categories to a set. categories: bit c is
 * set for category c. */
void ctx_onig_add_categories(const struct onig_parse *r, struct char_set *set,
    uint32_t categories);
void ctx_onig_add_set(struct char_set *set, const struct char_set *other);
void ctx_onig_negate_set(struct char_set *set);
bool ctx_onig_is_empty_set(const struct onig_parse *r,
    const struct char_set *set);
/* Adds a character to a set, with its other case if it is an ASCII letter. s
 * also adds U+017F, and k adds U+212A (Unicode, CaseFolding.txt). */
int ctx_onig_add_folded(struct onig_parse *r, struct char_set *set,
    uint32_t cp);
/* Called at each set of characters in a pattern.  In the pass FIND, stores the
 * set if it is new.  In the pass WRITE, writes it as a set of kinds (numbers
 * for characters that are in the same sets). */
int ctx_onig_use_set(struct onig_parse *r, const struct char_set *set);
/* Gives numbers to the kinds of characters that are not ASCII.  Characters are
 * of one kind if they are in the same sets. */
int ctx_onig_number_kinds(struct onig_parse *r);

#endif
