/*
 * json.h - scan JSON text, decode and encode strings, apply edits
 */
#ifndef CTX_JSON_H
#define CTX_JSON_H

#include "base/base.h"

/* ---- json/scan.c: find every value in a JSON text ----------------------- */

/* Maximum depth of nested arrays and objects.  Deep nesting takes no extra
 * memory while a text is scanned. */
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
 * A node: a JSON value, or a key, in a scanned text.  Nodes are in the order of
 * the text: after the node of an array or object follow those of its children,
 * up to the index in the member "next".  A member of an object is two nodes:
 * its key (a STRING node), then its value.  The bytes of a string include its
 * quotes.
 */
struct ctx_node {
	/* offsets in the text: of the node's first byte, and of the byte after
	 * its last */
	uint32_t at, end;
	/* index of the first node after this one and all its children */
	uint32_t next;
	uint8_t kind; /* enum ctx_json_kind */
	/* true if the node is a string with at least one backslash */
	uint8_t escaped;
	/* A set of 16 bits that shows which keys an object may have (see
	 * key_start.h). ctx_json_find looks there first. */
	uint16_t keys;
};

/*
 * A JSON text and the nodes that the scanner found in it.  Node 0 is the
 * outermost value.  It is never a child, so functions that look for a child
 * return 0 for "none".  The nodes are valid until the next scan or release.
 * The caller owns the text, which must remain valid as long as the nodes are
 * used.
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
 * Sets *used to the number of bytes read.  Returns
 *  - 1 if the value is complete; only then there are nodes and *used is set;
 *  - 0 if more bytes could complete the value, because the text ends before the
 *    value does or is only white space;
 *  - -1 with *err if the text is invalid: err->column is the position of the
 *    invalid byte, from 1, and err->line is 0.
 *
 * A number as the outermost value is complete at the end of the text, though
 * more digits could follow.
 *
 * The scan is strict: RFC 8259, valid UTF-8 throughout, no NUL or other raw
 * control byte in strings.  RFC 8259 and this scanner accept equal keys in an
 * object, and escapes of single surrogates.  A letter, digit, sign, dot or
 * underscore directly after a number or word is an error.  Other bytes after
 * the value are not read.
 *
 * CTX_ELIMIT: nesting is deeper than CTX_JSON_DEPTH, or the value does not end
 * before byte UINT32_MAX of the text.
 *
 * Time is linear.  A value takes 16 bytes of memory; the array of nodes grows
 * by doubling.
 */
int ctx_json_scan(struct ctx_json *json, const char *text, size_t n,
    size_t *used, struct ctx_err *err);
/* Scans a text that need not be JSON.  Returns 1 if it is one JSON value,
 * without other text after it; 0 if it is not; -1 with *err if memory is
 * short. */
int ctx_json_scan_text(struct ctx_json *json, struct ctx_str text,
    struct ctx_err *err);

/* Returns true if the arrays and objects of a text are nested at most
 * CTX_JSON_SHALLOW deep.  Then even a recursive parser cannot run out of
 * stack.  The text need not be valid JSON. */
#define CTX_JSON_SHALLOW 64
bool ctx_json_shallow(const char *text, size_t n);

/* Returns the node of the value that an object has for a key.  If the object
 * has equal keys, the last one counts (RFC 8259 section 4).  Returns 0 if
 * there is no such key, or if obj is not an object. key is NUL-terminated. */
uint32_t ctx_json_find(const struct ctx_json *json, uint32_t obj,
    const char *key);
/* Does what ctx_json_find does for each key of a path, in which slashes
 * separate the keys: "usage/input_tokens".  Returns 0 if a key is missing, or
 * longer than 63 bytes. */
uint32_t ctx_json_find_path(const struct ctx_json *json, uint32_t obj,
    const char *path);
/* Returns the node of element i (from 0) of the array arr, or 0 if there is no
 * such element. */
uint32_t ctx_json_at(const struct ctx_json *json, uint32_t arr, size_t i);
/* Returns the number of elements of an array, or of members of an object; 0
 * for other values. */
size_t ctx_json_count(const struct ctx_json *json, uint32_t node);
/* Returns the bytes of a node in the scanned text.  For a string these include
 * its quotes. */
struct ctx_str ctx_json_str(const struct ctx_json *json, uint32_t node);
/*
 * Compare the decoded text of a string node with s (NUL-terminated).  Return
 * true if the node is a string, and its text
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
/* Returns true if both nodes are strings with equal texts after decoding. */
bool ctx_json_equal(const struct ctx_json *json, uint32_t a, uint32_t b);
/* Sets *text to the decoded text if the node is a string, otherwise to the
 * compact JSON of the node (see ctx_json_compact).  *text points into the
 * scanned JSON, or, if the text is not there as it is, into scratch, to which
 * it is then appended. */
int ctx_json_text(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err);
/* Appends the text that ctx_json_text finds to out. */
int ctx_json_append_text(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *out, struct ctx_err *err);
/* Decodes a string, into *text, and scans its text as JSON, into *inner.
 * Returns 1, 0 if the text is not exactly one JSON value, or -1 with *err if
 * there is no memory. */
int ctx_json_scan_string(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *text, struct ctx_json *inner, struct ctx_err *err);
/* Sets *text to the JSON of a node in compact form, in which models are shown
 * it.  It has no white space between tokens, and only the escapes that
 * ctx_json_string_encode writes.  If the JSON is compact already, *text points
 * into the scanned JSON.  Otherwise the compact form is appended to scratch,
 * and *text points into scratch. */
int ctx_json_compact(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err);

/* ---- json/string.c: decode and encode strings --------------------------- */

/*
 * The functions of this section work on literals: valid JSON strings with their
 * quotes.  The text of a literal is the decoded string as UTF-8, in which an
 * escape of a single surrogate becomes U+FFFD.  A character is a Unicode scalar
 * value of the text.
 */

/* Decodes a JSON string literal (with quotes) and appends its text to out. */
int ctx_json_string_decode(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err);
/* Appends a text to out as a JSON string literal, with quotes.  Escapes only
 * the characters that RFC 8259 requires to be escaped, with the short escape
 * (\n) if there is one.  The text must be valid UTF-8. */
int ctx_json_string_encode(struct ctx_buf *out, const char *p, size_t n,
    struct ctx_err *err);
/* Appends a JSON string literal to out, with the same text but only the escapes
 * that ctx_json_string_encode would write. */
int ctx_json_string_normalize(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err);
/* Returns true if a JSON string literal is byte for byte what
 * ctx_json_string_encode writes for its text. */
bool ctx_json_string_is_normalized(struct ctx_str literal);
/* Returns the number of characters of a JSON string after decoding. */
size_t ctx_json_string_chars(struct ctx_str literal);
/* Returns the number of UTF-8 bytes of a JSON string after decoding. */
size_t ctx_json_string_bytes(struct ctx_str literal);
/* Sets *bytes and *chars to the length of a JSON string after decoding.  Reads
 * the literal only once. */
void ctx_json_string_size(struct ctx_str literal, size_t *bytes, size_t *chars);
/*
 * Decodes one character of a JSON string literal.  *at is an offset into the
 * literal; it is 1 for the first character.  Returns 1, sets *cp and moves *at
 * past the character; returns 0 at the closing quote.  An escape of a single
 * surrogate gives U+FFFD.  The literal may be cut at every value of *at, as no
 * escape, surrogate pair or UTF-8 sequence is split there.
 */
int ctx_json_string_next(struct ctx_str literal, size_t *at, uint32_t *cp);
/* Skips the characters of a JSON string literal, from an offset on, that
 * together have the given number of bytes after decoding.  Returns the offset
 * after them.  Both offsets are between two characters, as those of
 * ctx_json_string_next are. */
size_t ctx_json_string_seek(struct ctx_str literal, size_t at, size_t bytes);
/* Returns true if the text of a JSON string literal, after decoding, is the n
 * bytes at p. */
bool ctx_json_string_is(struct ctx_str literal, const char *p, size_t n);
/* Returns true if two JSON string literals have equal texts after decoding. */
bool ctx_json_strings_equal(struct ctx_str a, struct ctx_str b);
/* Returns true if, from an offset in a JSON string literal on, its decoded
 * text begins with s, which is ASCII and NUL-terminated.  The offset is
 * between two characters, as those of ctx_json_string_next are. */
bool ctx_json_string_continues(struct ctx_str literal, size_t at,
    const char *s);

/* ---- json/edits.c: collect edits and apply them in one pass ------------- */

/*
 * Edits of one text: each replaces a part of it.  Edits may be added in any
 * order, and are all applied in one pass.  They must not overlap.  The bytes
 * that replace a part are copied.  The caller owns the text.
 */
struct ctx_edits {
	struct ctx_edit *list;
	size_t n, cap;
	/* the bytes that all edits put in, one after another */
	struct ctx_buf store;
};

/* Adds an edit that replaces old, a span of the text, by the n bytes at p. */
int ctx_edits_replace(struct ctx_edits *edits, struct ctx_str old,
    const char *p, size_t n, struct ctx_err *err);
/* Adds an edit that replaces old, a span of the text.  The bytes that replace
 * it are already in edits->store, from the offset "from" to the end of the
 * store.  So a caller can write many bytes directly to edits->store, which
 * saves a copy. */
int ctx_edits_replace_stored(struct ctx_edits *edits, struct ctx_str old,
    size_t from, struct ctx_err *err);
/*
 * Adds edits that remove elements of an array or members of an object: child i
 * is removed if drop[i] is true.  One comma is removed with each, so that the
 * result is valid JSON.  White space between the other children is kept.
 */
int ctx_edits_remove(struct ctx_edits *edits, const struct ctx_json *json,
    uint32_t node, const bool *drop, struct ctx_err *err);
/* Marks the member of an object with this key node for removal, and all
 * members with an equal key: sets drop[i] to true for member i.  Of members
 * with equal keys only the last one counts.  If it alone were removed, the one
 * before it would count. */
void ctx_edits_mark_member(const struct ctx_json *json, uint32_t object,
    uint32_t key, bool *drop);
/* Converts an offset in the output of ctx_edits_apply into an offset in the
 * original text.  An offset within a replacement becomes the start of the bytes
 * that were replaced.  The edits must have been applied. */
size_t ctx_edits_origin(const struct ctx_edits *edits, struct ctx_str text,
    size_t at);
/* Converts an offset in the original text into an offset in the output of
 * ctx_edits_apply_some.  The arguments first and n, which choose the edits,
 * must be those of that call.  An offset within replaced bytes becomes the
 * start of the bytes that replace them. */
size_t ctx_edits_destination(const struct ctx_edits *edits, size_t first,
    size_t n, struct ctx_str text, size_t at);
/* Counts the edits inside a part of the text for which the edits were made.
 * text: this part; an edit at its start or its end is not counted.  Looks at
 * the first n edits only, which must be in the order that ctx_edits_merge
 * makes.  Sets *first to the index of the first edit that is counted. */
size_t ctx_edits_inside(const struct ctx_edits *edits, size_t n,
    struct ctx_str text, size_t *first);
/* Returns true if one of the edits from index "first" on changes a span of the
 * text: the edit replaces bytes of the span, or inserts bytes inside it. */
bool ctx_edits_touch(const struct ctx_edits *edits, size_t first,
    struct ctx_str text);
/* Returns where in the text some edits begin, as a byte offset: the lowest
 * offset that is changed by one of the edits from index "first" on.  Returns
 * SIZE_MAX if there are no such edits. */
size_t ctx_edits_first(const struct ctx_edits *edits, size_t first,
    const char *text);
/* Appends the text, with all edits applied, to out. */
int ctx_edits_apply(struct ctx_edits *edits, struct ctx_str text,
    struct ctx_buf *out, struct ctx_err *err);
/* Appends the text to out with only n edits applied: those from the index
 * "first" on, in the order in which they were added.  The call may change the
 * order of these n edits. */
int ctx_edits_apply_some(const struct ctx_edits *edits, size_t first, size_t n,
    struct ctx_str text, struct ctx_buf *out, struct ctx_err *err);
/*
 * Makes edits that overlap ready to be applied:
 *  - An edit inside a longer edit is removed.
 *  - Of several edits of the same bytes only the one added last is kept.
 *  - If removals of children of one array or object overlap in a comma, they
 *    become one edit.
 *
 * An insertion at the start of a longer edit is kept.
 */
void ctx_edits_merge(struct ctx_edits *edits);
/*
 * Turns edits of a text into edits of the JSON string literal from which the
 * text was decoded, so that only the characters that they replace change in the
 * literal.  What they put in is written with the escapes that
 * ctx_json_string_encode writes; characters beyond ASCII become escapes, too,
 * if all of the literal's are.  Edits of other texts are not changed.
 */
int ctx_edits_encode(struct ctx_edits *edits, struct ctx_str text,
    struct ctx_str literal, struct ctx_err *err);
/* Removes all edits, but keeps their memory for new ones. */
void ctx_edits_reset(struct ctx_edits *edits);
void ctx_edits_release(struct ctx_edits *edits);

#endif
