/*
 * json.h - JSON text: its values, its strings, edits of it
 */
#ifndef CTX_JSON_H
#define CTX_JSON_H

#include "base/base.h"

/* ---- json/scan.c: find every value in a JSON text and where it sits ----- */

/* Deepest nesting accepted; a level costs no memory while scanning. */
#define CTX_JSON_DEPTH 10000

enum ctx_json_kind {
	CTX_JSON_NULL,
	CTX_JSON_FALSE,
	CTX_JSON_TRUE,
	CTX_JSON_NUMBER,
	CTX_JSON_STRING,
	CTX_JSON_ARRAY,
	CTX_JSON_OBJECT,
};

/*
 * One value.  Nodes stand in document order: the children of a container
 * begin right behind it and end before its next; a member of an object is a
 * key (a STRING node) followed by its value.  Strings include their quotes.
 */
struct ctx_node {
	uint32_t at, end; /* bytes [at, end) of the text */
	uint32_t next;    /* index of the first node behind this subtree */
	uint8_t kind;     /* enum ctx_json_kind */
	uint8_t escaped;  /* a string with at least one backslash */
	uint16_t keys;    /* what ctx_json_find asks first: see scan.c */
};

/*
 * A scanned text.  Node 0 is the value itself, so index 0 can stand for
 * "none" wherever a child is meant.  Nodes live until the next scan or
 * release; the text is the caller's and must outlive their use.
 */
struct ctx_json {
	const char *text;
	struct ctx_node *nodes;
	size_t n, cap;
	enum ctx_simd simd;
};

void ctx_json_init(struct ctx_json *json, enum ctx_simd simd);
void ctx_json_release(struct ctx_json *json);

/*
 * Scans one value at the start of text, with white space before and behind
 * it; *used is what was read, white space included.  Strict: RFC 8259, valid
 * UTF-8 throughout, no NUL or other raw control byte in strings; lone
 * surrogate escapes and equal keys are legal there and here.
 * A number or a word that goes on with a letter, digit, sign, dot or
 * underscore is wrong; other bytes behind the value are not looked at.
 * Returns 1; 0 if the text ends before the value does and more bytes could
 * make it whole (also for a text of white space only); -1 with err->column
 * the offending byte from 1 within text, and err->line 0.  *used is set, and
 * there are nodes, only after 1.  A number that is the value itself is whole
 * at the end of the text, though more digits could follow.
 * CTX_ELIMIT: nesting beyond CTX_JSON_DEPTH, or a value that does not end
 * before byte UINT32_MAX of the text.
 * Time is linear, memory 16 bytes a value; the array grows by doubling.
 */
int ctx_json_scan(struct ctx_json *json, const char *text, size_t n,
    size_t *used, struct ctx_err *err);

/* What a reader that recurses may be given: no bracket outside of strings is
 * nested deeper.  text may be anything. */
#define CTX_JSON_SHALLOW 64
bool ctx_json_shallow(const char *text, size_t n);

/* The value of a key of the object node obj (the last of equal keys, RFC
 * 8259 section 4), or 0; 0 too if obj is no object.  key is NUL ended. */
uint32_t ctx_json_find(const struct ctx_json *json, uint32_t obj,
    const char *key);
/* Returns element i (from 0) of the array node arr, or 0. */
uint32_t ctx_json_at(const struct ctx_json *json, uint32_t arr, size_t i);
/* Returns the number of children of a container (an object's members count
 * once); 0 for other nodes. */
size_t ctx_json_count(const struct ctx_json *json, uint32_t node);
/* Returns the bytes of a node, quotes included. */
struct ctx_str ctx_json_str(const struct ctx_json *json, uint32_t node);
/*
 * Strings are compared by what they mean, however they are escaped.  Is the
 * node a string whose text is s (NUL ended), begins with it, or has something
 * before it and ends in it?  (For the latter two s is ASCII.)
 */
bool ctx_json_is(const struct ctx_json *json, uint32_t node, const char *s);
bool ctx_json_starts_with(const struct ctx_json *json, uint32_t node,
    const char *s);
bool ctx_json_ends_with(const struct ctx_json *json, uint32_t node,
    const char *s);
/* Returns true if both nodes are strings that mean the same text. */
bool ctx_json_equal(const struct ctx_json *json, uint32_t a, uint32_t b);
/* Sets *text to the text of a string, or to the JSON of any other value.  It
 * points into the scanned JSON, or, for a string with escapes, into scratch, to
 * which it is appended. */
int ctx_json_text(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err);
/* Sets *text to the JSON of a value as a model is shown it: no white space
 * between tokens, only the escapes that ctx_json_string_encode writes.  It
 * points into the scanned JSON if that has this form, else into scratch. */
int ctx_json_compact(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err);

/* ---- json/string.c: string literals to text and back -------------------- */

/*
 * A literal is a valid JSON string with its quotes.  Its text is what it
 * means, as UTF-8; a lone surrogate escape means U+FFFD.  A character is a
 * Unicode scalar value of the text.
 */

/* Appends the text of a literal to out. */
int ctx_json_string_decode(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err);
/* Appends the literal of a text, quotes included: escapes only what RFC 8259
 * demands, in the short forms where there are any.  text is valid UTF-8. */
int ctx_json_string_encode(struct ctx_buf *out, const char *p, size_t n,
    struct ctx_err *err);
/* Appends a literal in the spelling of ctx_json_string_encode. */
int ctx_json_string_normalize(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err);
/* Is the literal, from its first quote to its last, just what
 * ctx_json_string_encode makes of its text? */
bool ctx_json_string_is_normalized(struct ctx_str literal);
/* Returns the characters of a literal's text. */
size_t ctx_json_string_chars(struct ctx_str literal);
/* Returns the bytes of a literal's text. */
size_t ctx_json_string_bytes(struct ctx_str literal);
/* Both at once. */
void ctx_json_string_size(struct ctx_str literal, size_t *bytes, size_t *chars);
/*
 * Walks characters: *at is an offset into the literal, 1 at the start;
 * returns 1 and moves it behind the character *cp (a lone surrogate gives
 * U+FFFD), or returns 0 at the closing quote.  A cut at any offset that *at
 * has taken splits no escape, no surrogate pair and no UTF-8 sequence.
 */
int ctx_json_string_next(struct ctx_str literal, size_t *at, uint32_t *cp);
/* Such an offset that is so many bytes of the text further on; a character
 * must end there. */
size_t ctx_json_string_seek(struct ctx_str literal, size_t at, size_t bytes);
/* Returns true if the literal means exactly this text. */
bool ctx_json_string_is(struct ctx_str literal, const char *p, size_t n);
/* Returns true if two literals mean the same text. */
bool ctx_json_strings_equal(struct ctx_str a, struct ctx_str b);
/* Does the text go on with s (ASCII, NUL ended) at such an offset? */
bool ctx_json_string_continues(struct ctx_str literal, size_t at,
    const char *s);

/* ---- json/edits.c: collected edits, applied in one pass ----------------- */

/*
 * Edits of one text, collected in any order and applied in one pass; they must
 * not overlap.  Replacements are copied.  The text is the caller's.
 */
struct ctx_edits {
	struct ctx_edit *list;
	size_t n, cap;
	struct ctx_buf store; /* the replacements, one behind another */
};

/* Adds the replacement of old, bytes of the text, by the n bytes of p. */
int ctx_edits_replace(struct ctx_edits *edits, struct ctx_str old,
    const char *p, size_t n, struct ctx_err *err);
/* The same by what was added to the store behind its first bytes from, so
 * that a long replacement need not be copied there. */
int ctx_edits_replace_stored(struct ctx_edits *edits, struct ctx_str old,
    size_t from, struct ctx_err *err);
/*
 * Notes the removal of elements (array) or members (object) of a container:
 * drop[i] says whether child i goes.  One separator goes with each, so that
 * what is left is valid; white space between what is kept stays.
 */
int ctx_edits_remove(struct ctx_edits *edits, const struct ctx_json *json,
    uint32_t node, const bool *drop, struct ctx_err *err);
/* Says in drop that an object's member of this key node goes, and with it all
 * of equal keys: the last of them counts, so without it the one before would.
 */
void ctx_edits_mark_member(const struct ctx_json *json, uint32_t object,
    uint32_t key, bool *drop);
/* The offset in text of byte at of what ctx_edits_apply makes of it: within a
 * replacement, where that begins.  The edits have been applied before. */
size_t ctx_edits_origin(const struct ctx_edits *edits, struct ctx_str text,
    size_t at);
/* True if an edit from number first on replaces bytes of this piece of the
 * text. */
bool ctx_edits_touch(const struct ctx_edits *edits, size_t first,
    struct ctx_str text);
/* The first byte of text that an edit from number first on replaces, or
 * SIZE_MAX: there is none. */
size_t ctx_edits_first(const struct ctx_edits *edits, size_t first,
    const char *text);
/* Appends the text with all edits applied to out. */
int ctx_edits_apply(struct ctx_edits *edits, struct ctx_str text,
    struct ctx_buf *out, struct ctx_err *err);
/* The same with n of them only, from number first as they were noted; these
 * may change places among themselves. */
int ctx_edits_apply_some(const struct ctx_edits *edits, size_t first, size_t n,
    struct ctx_str text, struct ctx_buf *out, struct ctx_err *err);
/* Forgets the edits that lie within a longer one, and all but the last of those
 * of one place; those that are left may be applied.  Insertions at the start
 * of a longer edit stay. */
void ctx_edits_merge(struct ctx_edits *edits);
/* Removes all edits; memory is reused. */
void ctx_edits_reset(struct ctx_edits *edits);
void ctx_edits_release(struct ctx_edits *edits);

#endif
