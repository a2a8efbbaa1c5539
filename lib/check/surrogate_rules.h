/* surrogate_rules.h - checks and repairs strings with lone surrogates, and ids
 * of a wrong form */
#ifndef CTX_CHECK_SURROGATE_RULES_H
#define CTX_CHECK_SURROGATE_RULES_H

#include "check/check.h"

/* Sets out to a copy of a JSON string in which each lone surrogate (an escape
 * for half of a character) is replaced by U+FFFD.  Returns 1, or 0 if the
 * string has no lone surrogate, or -1 with *err. inner: true if the string
 * contains JSON.  Then the strings of this JSON are repaired, too. spare:
 * scratch memory. */
int ctx_surrogates_repair(struct ctx_buf *out, struct ctx_buf *spare,
    struct ctx_str literal, bool inner, struct ctx_err *err);
/* Checks strings for lone surrogates: the JSON nodes with indices from "from"
 * up to, but not including, "to". */
int ctx_validate_strings(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t from, uint32_t to);

/* Returns true if the JSON node is an empty string or, if blank is true, a
 * string that has only white space. */
bool ctx_text_is_empty(const struct ctx_json *json, uint32_t node, bool blank);
/* Returns the bytes that must be deleted from a JSON text to remove a child
 * from an object or array: the child and one comma. child: JSON node of the
 * array element, or of the object member's key. first: true if all children
 * before this child are removed, too.  Then the deleted comma is the comma
 * after the child, otherwise the comma before the child. */
struct ctx_str ctx_child_span(const struct ctx_json *json, uint32_t container,
    uint32_t child, bool first);
/* Returns the text of a finding (violation of a rule) about the form of an id,
 * or NULL if the rules allow this form. */
const char *ctx_id_wrong(uint64_t rules, struct ctx_str literal);
/* Sets out to the JSON string that replaces an id of a form that the rules
 * forbid.  Also replaces lone surrogates of an id.  Returns 1, or 0 if the id
 * need not be replaced or is empty, or -1 with *err. */
int ctx_id_repair(struct ctx_buf *out, struct ctx_buf *spare, uint64_t rules,
    struct ctx_str literal, struct ctx_err *err);

#endif
