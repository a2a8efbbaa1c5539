/* surrogate_rules.h - checks strings for lone surrogates, and ids for their
 * form, and repairs them */
#ifndef CTX_CHECK_SURROGATE_RULES_H
#define CTX_CHECK_SURROGATE_RULES_H

#include "check/check.h"

/* Sets out to a JSON string in which each lone surrogate (half of a character)
 * is replaced by U+FFFD.  Returns 1, 0 if there is none, or -1 with *err.  If
 * inner is true, the string contains JSON, and the strings in that are
 * repaired, too. spare is scratch memory. */
int ctx_surrogates_repair(struct ctx_buf *out, struct ctx_buf *spare,
    struct ctx_str literal, bool inner, struct ctx_err *err);
/* Checks the strings among the JSON nodes with the indices from "from" to "to",
 * without "to", for lone surrogates. */
int ctx_validate_strings(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t from, uint32_t to,
    struct ctx_err *err);

/* Returns true if the JSON node is an empty string.  If blank is true, also
 * returns true for a string of white space. */
bool ctx_text_is_empty(const struct ctx_json *json, uint32_t node, bool blank);
/* Returns the bytes that must be removed to remove a child from an object or
 * array: those of the child and of one comma. child: the JSON node of the
 * element, or of the member's key.  If first is true, all children before it
 * are removed, too.  The comma after the child is then removed, not the one
 * before it. */
struct ctx_str ctx_child_span(const struct ctx_json *json, uint32_t container,
    uint32_t child, bool first);
/* Returns the text of a finding about the form of an id; NULL if the rules
 * allow this form. */
const char *ctx_id_wrong(uint64_t rules, struct ctx_str literal);
/* Sets out to the JSON string that replaces an id of a form that the rules do
 * not allow.  Returns 1, 0 if the id must not be replaced, or -1 with *err. */
int ctx_id_repair(struct ctx_buf *out, struct ctx_buf *spare, uint64_t rules,
    struct ctx_str literal, struct ctx_err *err);

#endif
