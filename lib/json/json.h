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
 * A node: a JSON value, or a key of an object, in a scanned text.  Nodes are in
 * the order of the text.  The nodes of the children of an array or object come
 * after its own node, up to the index "next".  A member of an object has two
 * nodes: one for its key (a STRING node), then one for its value.  The bytes of
 * a string include its quotes.
 */
struct ctx_node {
	/* Offsets in the text, in bytes. at: offset of the first byte of the
	 * node; end: offset of the byte after the last byte of the node. */
	uint32_t at, end;
	/* index of the first node after this one and all its children */
	uint32_t next;
	uint8_t kind; /* kind of value: an enum ctx_json_kind */
	/* true if the node is a string that contains a backslash */
	uint8_t escaped;
	/* For an object: a set of 16 bits that tells which keys the object may
	 * have; ctx_json_find tests this set first.  For a key: the first two
	 * bytes of the key.  See key_start.h. */
	uint16_t keys;
};

/*
 * A JSON text and the nodes that the scanner found in it.  Node 0 is the
 * outermost value.  Node 0 is never a child, so functions that look for a child
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
 * Scans the JSON value at the beginning of a text, with the white space around
 * it.  Sets *used to the number of bytes read.  Returns
 *  - 1 if the value is complete; only then there are nodes and *used is set;
 *  - 0 if more bytes could complete the value, because the text ends inside the
 *    value or contains only white space;
 *  - -1 with *err if the text is invalid or there is no memory.  If it is
 *    invalid, err->column is the position of the invalid byte, from 1, and
 *    err->line is 0.
 * A number at the end of the text counts as complete, although more digits
 * could follow.
 *
 * The scan is strict: RFC 8259, valid UTF-8 throughout, no NUL or other raw
 * control byte in strings.  Equal keys in an object, and escapes of single
 * surrogates, are accepted, as in RFC 8259.  A letter, digit, sign, dot or
 * underscore directly after a number or word is an error.  Other bytes after
 * the value are not read.
 *
 * Fails with CTX_ELIMIT if nesting is deeper than CTX_JSON_DEPTH, or if the
 * value does not end before byte UINT32_MAX of the text.
 *
 * Time is linear.  A node takes 16 bytes of memory; the array of nodes grows by
 * doubling.
 */
int ctx_json_scan(struct ctx_json *json, const char *text, size_t n,
    size_t *used, struct ctx_err *err);
/* Scans a text that may not be JSON.  Returns 1 if the text is exactly one JSON
 * value, with any white space around it; 0 if it is not, or exceeds a limit of
 * ctx_json_scan; or -1 with *err if there is no memory. */
int ctx_json_scan_text(struct ctx_json *json, struct ctx_str text,
    struct ctx_err *err);

/* Returns true if the arrays and objects of a text are nested at most
 * CTX_JSON_SHALLOW deep.  Such a text can be passed to a recursive parser,
 * which cannot run out of stack.  The text need not be valid JSON. */
#define CTX_JSON_SHALLOW 64
bool ctx_json_shallow(const char *text, size_t n);

/* Returns the node of the value that an object has for a key.  If the object
 * has equal keys, returns the value of the last (RFC 8259 section 4).  Returns
 * 0 if the object does not have the key, or if obj is not an object. key is
 * NUL-terminated. */
uint32_t ctx_json_find(const struct ctx_json *json, uint32_t obj,
    const char *key);
/* Returns the node of the value of the first key in the array "keys" that the
 * object has.  Returns 0 if the object has none of the keys.  The array ends
 * with NULL. */
uint32_t ctx_json_find_any(const struct ctx_json *json, uint32_t obj,
    const char *const *keys);
/* Finds a value in nested objects. path: the keys of the objects, separated by
 * slashes, as in "usage/input_tokens".  Returns the node of the value, or 0 if
 * a key is missing or longer than 63 bytes. */
uint32_t ctx_json_find_path(const struct ctx_json *json, uint32_t obj,
    const char *path);
/* Returns the node of element i (from 0) of the array arr, or 0 if there is no
 * such element. */
uint32_t ctx_json_at(const struct ctx_json *json, uint32_t arr, size_t i);
/* Returns the number of elements of an array, or of members of an object; 0
 * for other values. */
size_t ctx_json_count(const struct ctx_json *json, uint32_t node);
/* Moves *one to the next element of an array.  *one must be 0 before the first
 * call.  Returns false after the last element, and if list is 0 or not an
 * array. */
static inline bool
ctx_json_next_element(const struct ctx_json *json, uint32_t list, uint32_t *one)
{
	if (*one == 0 &&
	    (list == 0 || json->nodes[list].kind != CTX_JSON_ARRAY))
		return false;
	*one = *one == 0 ? list + 1 : json->nodes[*one].next;
	return *one < json->nodes[list].next;
}
/* Moves *key to the key of the next member of an object; the member's value is
 * the node after the key.  *key must be 0 before the first call.  Returns false
 * after the last member, and if the node is not an object. */
static inline bool
ctx_json_next_member(const struct ctx_json *json, uint32_t object,
    uint32_t *key)
{
	if (*key == 0 && json->nodes[object].kind != CTX_JSON_OBJECT)
		return false;
	*key = *key == 0 ? object + 1 : json->nodes[*key + 1].next;
	return *key < json->nodes[object].next;
}
/* Return true if the node is a string, an array or an object.  Return false for
 * node 0, which stands for a value that was not found. */
static inline bool
ctx_json_is_string(const struct ctx_json *json, uint32_t node)
{
	return node != 0 && json->nodes[node].kind == CTX_JSON_STRING;
}
static inline bool
ctx_json_is_array(const struct ctx_json *json, uint32_t node)
{
	return node != 0 && json->nodes[node].kind == CTX_JSON_ARRAY;
}
static inline bool
ctx_json_is_object(const struct ctx_json *json, uint32_t node)
{
	return node != 0 && json->nodes[node].kind == CTX_JSON_OBJECT;
}
/* Returns the bytes of a node in the scanned text.  For a string these include
 * its quotes. */
struct ctx_str ctx_json_str(const struct ctx_json *json, uint32_t node);
/*
 * Compare the decoded text of a string node with s, which is NUL-terminated.
 * ctx_json_is returns true if the text is s. ctx_json_starts_with returns true
 * if the text begins with s, which must be ASCII. ctx_json_ends_with returns
 * true if the text is longer than s and ends with s, which must be ASCII.  All
 * return false if the node is not a string, and for node 0, which stands for a
 * value that was not found. ctx_json_has_text is ctx_json_is for a node other
 * than 0.
 */
bool ctx_json_has_text(const struct ctx_json *json, uint32_t node,
    const char *s);
static inline bool
ctx_json_is(const struct ctx_json *json, uint32_t node, const char *s)
{
	return node != 0 && ctx_json_has_text(json, node, s);
}
/* Returns the word in the array "words" that is the decoded text of a string
 * node, or NULL if there is none.  The array ends with NULL. */
const char *ctx_json_is_any(const struct ctx_json *json, uint32_t node,
    const char *const *words);
bool ctx_json_starts_with(const struct ctx_json *json, uint32_t node,
    const char *s);
bool ctx_json_ends_with(const struct ctx_json *json, uint32_t node,
    const char *s);
/* Returns true if both nodes are strings with equal texts after decoding. */
bool ctx_json_equal(const struct ctx_json *json, uint32_t a, uint32_t b);
/* Returns true if a node is the key of a member of an object. */
bool ctx_json_is_key(const struct ctx_json *json, uint32_t node);
/* Sets *text to the decoded text if the node is a string, otherwise to the
 * compact JSON of the node (see ctx_json_compact).  If the scanned JSON
 * contains exactly these bytes, *text points into the scanned JSON.  Otherwise
 * the bytes are appended to scratch, and *text points into scratch. */
int ctx_json_text(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err);
/* Appends a node's text to out: the text that ctx_json_text finds. */
int ctx_json_append_text(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *out, struct ctx_err *err);
/* Decodes a string node into *text, and scans the decoded text as JSON into
 * *inner.  Returns 1, or 0 if the text is not exactly one JSON value, or -1
 * with *err if there is no memory. */
int ctx_json_scan_string(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *text, struct ctx_json *inner, struct ctx_err *err);
/* Sets *text to the JSON of a node in compact form, the form in which models
 * see it: no white space between tokens, and only the escapes that
 * ctx_json_string_encode writes.  If the JSON is compact already, *text points
 * into the scanned JSON.  Otherwise the compact form is appended to scratch,
 * and *text points into scratch. */
int ctx_json_compact(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *scratch, struct ctx_str *text, struct ctx_err *err);
/* Appends the JSON of a node in compact form to out. */
int ctx_json_append_compact(const struct ctx_json *json, uint32_t node,
    struct ctx_buf *out, struct ctx_err *err);

/* ---- json/node_index.c: find nodes by name ------------------------------ */

/*
 * Maps names to JSON nodes.  Used instead of ctx_json_find where many names are
 * looked up in one object or array, so that the time is linear.  A struct whose
 * members are all 0 is a valid empty index.
 */
struct ctx_node_index {
	struct ctx_intern names;
	uint32_t
	    *nodes; /* the node of the name with this id is nodes[id - 1] */
	size_t cap;
};
/* Adds a node, which must not be 0.  Does nothing if the index has the name. */
int ctx_node_index_add(struct ctx_node_index *index, struct ctx_str name,
    uint32_t node, struct ctx_err *err);
/* Returns the node of a name, or 0 if the index does not have the name. */
uint32_t ctx_node_index_find(const struct ctx_node_index *index,
    struct ctx_str name);
void ctx_node_index_reset(struct ctx_node_index *index);
void ctx_node_index_release(struct ctx_node_index *index);

/* ---- json/string.c: decode and encode strings --------------------------- */

/*
 * The functions below work on JSON string literals: valid JSON strings with
 * their quotes.  The text of a literal is the decoded string as UTF-8, in which
 * an escape of a single surrogate becomes U+FFFD.  A character is a Unicode
 * scalar value of the text.
 */

/* Decodes a JSON string literal (with quotes) and appends its text to out. */
int ctx_json_string_decode(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err);
/* Appends a text to out as a JSON string literal, with quotes.  Escapes only
 * the characters that RFC 8259 requires to be escaped, with the short escape
 * (\n) if there is one.  The text must be valid UTF-8. */
int ctx_json_string_encode(struct ctx_buf *out, const char *p, size_t n,
    struct ctx_err *err);
/* Appends a JSON string literal to out after normalizing its escapes: the new
 * literal has the same text, but only the escapes that ctx_json_string_encode
 * would write. */
int ctx_json_string_normalize(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err);
/* Returns true if a JSON string literal is normalized: if
 * ctx_json_string_encode would write its text in exactly these bytes. */
bool ctx_json_string_is_normalized(struct ctx_str literal);
/* Returns the number of characters of a JSON string after decoding. */
size_t ctx_json_string_chars(struct ctx_str literal);
/* Returns the number of UTF-8 bytes of a JSON string after decoding. */
size_t ctx_json_string_bytes(struct ctx_str literal);
/* Sets *bytes and *chars to the length of a JSON string after decoding: the
 * number of UTF-8 bytes and of characters. */
void ctx_json_string_size(struct ctx_str literal, size_t *bytes, size_t *chars);
/*
 * Decodes the next character of a JSON string literal. *at: offset of the
 * character in the literal, 1 for the first character.  Sets *cp to the
 * character, and *at to the offset after the character, and returns 1.  At the
 * closing quote, returns 0.  An escape of a single surrogate gives U+FFFD.  The
 * new *at is never inside an escape, a surrogate pair or a UTF-8 sequence, so
 * the caller may divide the literal there.
 */
int ctx_json_string_next(struct ctx_str literal, size_t *at, uint32_t *cp);
/* Returns the offset in a JSON string literal that is "bytes" bytes, counted
 * after decoding, behind the offset "at".  The caller must pass values for
 * which both offsets are between two characters. */
size_t ctx_json_string_seek(struct ctx_str literal, size_t at, size_t bytes);
/* Returns true if the text of a JSON string literal, after decoding, is the n
 * bytes at p. */
bool ctx_json_string_is(struct ctx_str literal, const char *p, size_t n);
/* Returns true if two JSON string literals have equal texts after decoding. */
bool ctx_json_strings_equal(struct ctx_str a, struct ctx_str b);
/* Returns true if the part of a JSON string literal from the offset "at" to its
 * end, after decoding, begins with s. s is ASCII and NUL-terminated.  The
 * caller must pass an offset between two characters, such as
 * ctx_json_string_next sets. */
bool ctx_json_string_continues(struct ctx_str literal, size_t at,
    const char *s);

/* ---- json/edits.c: collect edits and apply them in one pass ------------- */

/*
 * Edits of a text.  Each edit replaces a part of the text by bytes that are
 * copied into this struct.  Edits may be added in any order.  All are applied
 * in one pass, and must not overlap then (see ctx_edits_merge).  The caller
 * owns the text.
 */
struct ctx_edits {
	struct ctx_edit *list;
	size_t n, cap;
	/* the replacement bytes of all edits, one after another */
	struct ctx_buf store;
};

/* Adds an edit that replaces the part "old" of the text by the n bytes at p. */
int ctx_edits_replace(struct ctx_edits *edits, struct ctx_str old,
    const char *p, size_t n, struct ctx_err *err);
/* Adds an edit that replaces the part "old" of the text by bytes that the
 * caller has already appended to edits->store. from: offset in the store at
 * which these bytes begin; they end at the end of the store.  This function
 * copies no bytes. */
int ctx_edits_replace_stored(struct ctx_edits *edits, struct ctx_str old,
    size_t from, struct ctx_err *err);
/*
 * Adds edits that remove children of an array or object: child i is removed if
 * drop[i] is true.  The edits also remove commas, so that the result is valid
 * JSON.  White space between the other children is kept.
 */
int ctx_edits_remove(struct ctx_edits *edits, const struct ctx_json *json,
    uint32_t node, const bool *drop, struct ctx_err *err);
/* Marks all members of an object with the same key for removal: sets drop[i] to
 * true for member i. key: node of one of these keys.  All must be removed,
 * because readers use the last member with a key: otherwise they would use
 * another member with this key. */
void ctx_edits_mark_member(const struct ctx_json *json, uint32_t object,
    uint32_t key, bool *drop);
/* Converts an offset in the output of ctx_edits_apply into an offset in the
 * original text.  An offset inside a replacement is converted to the beginning
 * of the bytes that were replaced. The caller must have called ctx_edits_apply
 * before. */
size_t ctx_edits_origin(const struct ctx_edits *edits, struct ctx_str text,
    size_t at);
/* Converts an offset in the original text into an offset in the output of
 * ctx_edits_apply_some.  The caller must pass the same edits, first and n as to
 * ctx_edits_apply_some.  An offset inside replaced bytes is converted to the
 * beginning of their replacement. */
size_t ctx_edits_destination(const struct ctx_edits *edits, size_t first,
    size_t n, struct ctx_str text, size_t at);
/* Counts the edits that begin inside a part of a text (the argument "text");
 * edits that begin at the beginning or end of this part are not counted.  Looks
 * only at the first n edits, which must be sorted by ctx_edits_merge.  Sets
 * *first to the index of the first edit that is counted. */
size_t ctx_edits_inside(const struct ctx_edits *edits, size_t n,
    struct ctx_str text, size_t *first);
/* Returns true if an edit changes a part of a text (the argument "text"): if it
 * replaces bytes of this part, or inserts bytes inside the part.  Looks only at
 * the edits from index "first" on. */
bool ctx_edits_touch(const struct ctx_edits *edits, size_t first,
    struct ctx_str text);
/* Returns the lowest offset in the text, in bytes, at which one of the edits
 * from index "first" on begins.  Returns SIZE_MAX if there are no such
 * edits. */
size_t ctx_edits_first(const struct ctx_edits *edits, size_t first,
    const char *text);
/* Appends the text to out, with all edits applied. */
int ctx_edits_apply(struct ctx_edits *edits, struct ctx_str text,
    struct ctx_buf *out, struct ctx_err *err);
/* Appends the text to out with n edits applied: those with the indices "first"
 * to first + n - 1 in the list of edits.  Sorts these n edits by their position
 * in the text. */
int ctx_edits_apply_some(const struct ctx_edits *edits, size_t first, size_t n,
    struct ctx_str text, struct ctx_buf *out, struct ctx_err *err);
/* Appends a part of the text to out, with the edits applied that are inside
 * this part.  Looks only at the edits from index "first" on, which may be in
 * any order and may overlap. */
int ctx_edits_apply_inside(const struct ctx_edits *edits, size_t first,
    struct ctx_str part, struct ctx_buf *out, struct ctx_err *err);
/*
 * Resolves overlaps between edits, so that they can be applied:
 *  - An edit inside a longer edit is removed.
 *  - If several edits replace the same bytes, only the edit added last is kept.
 *  - Edits that remove children of one array or object, and overlap in a comma,
 *    become one edit.
 * An insertion at the start of a longer edit is kept.
 */
void ctx_edits_merge(struct ctx_edits *edits);
/*
 * Converts edits of a text into edits of the JSON string literal from which the
 * text was decoded.  Only the characters that the edits replace will change in
 * the literal.  Replacements are written with the escapes that
 * ctx_json_string_encode writes; if the literal has all characters beyond ASCII
 * as escapes, such characters are written as escapes in the replacements, too.
 * Edits whose bytes are not in "text" are not changed.
 */
int ctx_edits_encode(struct ctx_edits *edits, struct ctx_str text,
    struct ctx_str literal, struct ctx_err *err);
/* Removes all edits, but keeps their memory for new ones. */
void ctx_edits_reset(struct ctx_edits *edits);
void ctx_edits_release(struct ctx_edits *edits);

#endif
