/*
 * json.h - scan JSON text, decode and encode strings, apply edits
 */
#ifndef CTX_JSON_H
#define CTX_JSON_H

#include "base/base.h"

/* ---- json/scan.c: find every value in a JSON text ----------------------- */

/* Deepest nesting accepted.  A level takes no memory while scanning. */
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
 * One value.  Nodes are in document order: the children of a container follow
 * it and end before its next.  A member of an object is two nodes: a key (a
 * STRING node), then its value.  The bytes of a string include its quotes.
 */
struct ctx_node {
	uint32_t at, end; /* bytes [at, end) of the text */
	uint32_t next;    /* index of the first node after this subtree */
	uint8_t kind;     /* enum ctx_json_kind */
	uint8_t escaped;  /* true if a string has at least one backslash */
	uint16_t keys;    /* filter of ctx_json_find: see scan.c */
};

/*
 * A scanned text.  Node 0 is the outermost value, so 0 stands for "none" where
 * a child is meant.  Nodes are valid until the next scan or release.  The
 * caller owns the text, which must outlive the use of the nodes.
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
 * Scans one JSON value at the start of text and the white space around it.
 * Sets *used to the bytes read.  Returns
 *  - 1 if the value is complete; only then there are nodes and *used is set;
 *  - 0 if the text ends before the value does, or is only white space, and more
 *    bytes could complete the value;
 *  - -1 with *err: err->column is the offending byte of text, from 1, and
 *    err->line is 0.
 *
 * A number as the outermost value is complete at the end of the text, though
 * more digits could follow.
 *
 * The scan is strict: RFC 8259, valid UTF-8 throughout, no NUL or other raw
 * control byte in strings.  Lone surrogate escapes and equal keys are legal
 * there and here.  A letter, digit, sign, dot or underscore directly after a
 * number or word is an error.  Other bytes after the value are not read.
 *
 * CTX_ELIMIT: nesting beyond CTX_JSON_DEPTH, or a value that does not end
 * before byte UINT32_MAX of the text.
 *
 * Time is linear.  A value takes 16 bytes of memory; the array grows by
 * doubling.
 */
int ctx_json_scan(struct ctx_json *json, const char *text, size_t n,
    size_t *used, struct ctx_err *err);

/* Returns true if brackets outside of strings are nested at most
 * CTX_JSON_SHALLOW deep.  A recursive reader may then be given the text, which
 * need not be valid JSON. */
#define CTX_JSON_SHALLOW 64
bool ctx_json_shallow(const char *text, size_t n);

/* Returns the value of a key of the object node obj; of equal keys the last
 * counts (RFC 8259 section 4).  Returns 0 if there is none, or if obj is not an
 * object.  key is NUL-terminated. */
uint32_t ctx_json_find(const struct ctx_json *json, uint32_t obj,
    const char *key);
/* Returns element i (from 0) of the array node arr, or 0 if there is none. */
uint32_t ctx_json_at(const struct ctx_json *json, uint32_t arr, size_t i);
/* Returns the number of children of a container (an object's members count
 * once); 0 for other nodes. */
size_t ctx_json_count(const struct ctx_json *json, uint32_t node);
/* Returns the bytes of a node; those of a string include its quotes. */
struct ctx_str ctx_json_str(const struct ctx_json *json, uint32_t node);
/*
 * Compare the decoded text of a string node with s (NUL-terminated).  They
 * return true if the node is a string and its text
 *  - is s (ctx_json_is);
 *  - begins with s, which must be ASCII (ctx_json_starts_with);
 *  - ends with s, which must be ASCII, after at least one other character
 *    (ctx_json_ends_with).
 */
bool ctx_json_is(const struct ctx_json *json, uint32_t node, const char *s);
bool ctx_json_starts_with(const struct ctx_json *json, uint32_t node,
    const char *s);
bool ctx_json_ends_with(const struct ctx_json *json, uint32_t node,
    const char *s);
/* Returns true if both nodes are strings with the same decoded text. */
bool ctx_json_equal(const struct ctx_json *json, uint32_t a, uint32_t b);
/* Sets *text to the decoded text of a string node, or to the JSON of any other
 * node.  It points into the scanned JSON.  The text of a string with escapes is
 * appended to scratch, and *text points there. */
int ctx_json_text(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err);
/* Sets *text to the JSON of a node in the form that models are shown: no white
 * space between tokens, only the escapes that ctx_json_string_encode writes.
 * It points into the scanned JSON if that has this form.  Otherwise the form is
 * appended to scratch, and *text points there. */
int ctx_json_compact(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err);

/* ---- json/string.c: decode and encode strings --------------------------- */

/*
 * In this section a literal is a valid JSON string with its quotes.  Its text
 * is the decoded string as UTF-8, where a lone surrogate escape becomes U+FFFD.
 * A character is a Unicode scalar value of the text.
 */

/* Appends the text of a literal to out. */
int ctx_json_string_decode(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err);
/* Appends the literal of a text, quotes included.  It escapes only what RFC
 * 8259 demands, with the short escape if there is one.  The text must be valid
 * UTF-8. */
int ctx_json_string_encode(struct ctx_buf *out, const char *p, size_t n,
    struct ctx_err *err);
/* Appends a literal with its escapes written as ctx_json_string_encode does. */
int ctx_json_string_normalize(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err);
/* Returns true if the literal is, byte for byte, what ctx_json_string_encode
 * writes for its text. */
bool ctx_json_string_is_normalized(struct ctx_str literal);
/* Returns the characters of a literal's text. */
size_t ctx_json_string_chars(struct ctx_str literal);
/* Returns the bytes of a literal's text. */
size_t ctx_json_string_bytes(struct ctx_str literal);
/* Sets *bytes and *chars to both in one pass. */
void ctx_json_string_size(struct ctx_str literal, size_t *bytes, size_t *chars);
/*
 * Reads one character.  *at is an offset into the literal, 1 at the start.
 * Returns 1, sets *cp and moves *at to the end of the character; returns 0 at
 * the closing quote.  A lone surrogate gives U+FFFD.  Every value of *at is a
 * place to cut: no escape, surrogate pair or UTF-8 sequence is split there.
 */
int ctx_json_string_next(struct ctx_str literal, size_t *at, uint32_t *cp);
/* Returns the offset into the literal that is the given bytes of text after
 * offset at.  Both are offsets as in ctx_json_string_next; a character must end
 * there. */
size_t ctx_json_string_seek(struct ctx_str literal, size_t at, size_t bytes);
/* Returns true if the text of the literal is p[0..n). */
bool ctx_json_string_is(struct ctx_str literal, const char *p, size_t n);
/* Returns true if two literals have the same text. */
bool ctx_json_strings_equal(struct ctx_str a, struct ctx_str b);
/* Returns true if the text after offset at, as in ctx_json_string_next, begins
 * with s (ASCII, NUL-terminated). */
bool ctx_json_string_continues(struct ctx_str literal, size_t at,
    const char *s);

/* ---- json/edits.c: collect edits and apply them in one pass ------------- */

/*
 * Edits of one text.  They are added in any order and applied in one pass; they
 * must not overlap.  Replacements are copied.  The caller owns the text.
 */
struct ctx_edits {
	struct ctx_edit *list;
	size_t n, cap;
	struct ctx_buf store; /* the replacements, one after another */
};

/* Adds an edit that replaces old, bytes of the text, by the n bytes at p. */
int ctx_edits_replace(struct ctx_edits *edits, struct ctx_str old,
    const char *p, size_t n, struct ctx_err *err);
/* Adds an edit that replaces old by the bytes of edits->store from offset from
 * to its end.  The caller appends a long replacement there, which saves a
 * copy. */
int ctx_edits_replace_stored(struct ctx_edits *edits, struct ctx_str old,
    size_t from, struct ctx_err *err);
/*
 * Adds edits that remove elements of an array or members of an object: child i
 * if drop[i] is true.  One comma is removed with each, so that the rest is
 * valid.  White space between the other children is kept.
 */
int ctx_edits_remove(struct ctx_edits *edits, const struct ctx_json *json,
    uint32_t node, const bool *drop, struct ctx_err *err);
/* Sets drop[i] for the member of an object with this key node, and for all
 * members with an equal key.  Of equal keys the last counts: without it the one
 * before would. */
void ctx_edits_mark_member(const struct ctx_json *json, uint32_t object,
    uint32_t key, bool *drop);
/* Returns the offset in text that corresponds to offset at in the output of
 * ctx_edits_apply.  Within a replacement it is the start of the replaced bytes.
 * The edits must have been applied. */
size_t ctx_edits_origin(const struct ctx_edits *edits, struct ctx_str text,
    size_t at);
/* Returns the offset in the output of ctx_edits_apply_some, given n edits from
 * index first, that corresponds to offset at in text.  Within replaced bytes it
 * is the start of the replacement. */
size_t ctx_edits_destination(const struct ctx_edits *edits, size_t first,
    size_t n, struct ctx_str text, size_t at);
/* Returns how many of the first n edits lie within text, but not at its start
 * or end, and sets *first to the index of the first of them.  These n edits
 * must be as ctx_edits_merge left them. */
size_t ctx_edits_inside(const struct ctx_edits *edits, size_t n,
    struct ctx_str text, size_t *first);
/* Returns true if an edit with index first or higher replaces bytes of this
 * span of the text, or inserts within it. */
bool ctx_edits_touch(const struct ctx_edits *edits, size_t first,
    struct ctx_str text);
/* Returns the lowest offset in text of the edits with index first or higher;
 * SIZE_MAX if there are none. */
size_t ctx_edits_first(const struct ctx_edits *edits, size_t first,
    const char *text);
/* Appends the text with all edits applied to out. */
int ctx_edits_apply(struct ctx_edits *edits, struct ctx_str text,
    struct ctx_buf *out, struct ctx_err *err);
/* Appends the text with only n edits applied, from index first in the order in
 * which they were added.  This may change the order of these n. */
int ctx_edits_apply_some(const struct ctx_edits *edits, size_t first, size_t n,
    struct ctx_str text, struct ctx_buf *out, struct ctx_err *err);
/* Removes edits that lie within a longer edit.  Of several edits of the same
 * bytes it keeps the one added last.  Removals of children of one container
 * that overlap in a comma become one.  The rest can then be applied.  An
 * insertion at the start of a longer edit is kept. */
void ctx_edits_merge(struct ctx_edits *edits);
/* Drops all edits; their memory is reused. */
void ctx_edits_reset(struct ctx_edits *edits);
void ctx_edits_release(struct ctx_edits *edits);

#endif
