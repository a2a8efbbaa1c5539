/* surrogate_rules.h - checks and repairs strings and ids */
#ifndef CTX_CHECK_SURROGATE_RULES_H
#define CTX_CHECK_SURROGATE_RULES_H

#include "check/check.h"

/* Sets out to the JSON string with U+FFFD in place of each lone surrogate
 * (half of a character).  Returns 1, 0 if there is none, or -1 with *err.  If
 * inner is true, the string contains JSON, and the strings in that are
 * repaired, too. spare is scratch memory. */
int ctx_surrogates_repair(struct ctx_buf *out, struct ctx_buf *spare,
    struct ctx_str literal, bool inner, struct ctx_err *err);
/* Checks the strings in a range of JSON nodes for lone surrogates. from: the
 * first node; to: the node after the last one. */
int ctx_validate_strings(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t from, uint32_t to,
    struct ctx_err *err);

/* Returns true if the node is an empty string or, if blank is true, a string
 * of white space. */
bool ctx_text_is_empty(const struct ctx_json *json, uint32_t node, bool blank);
/* Returns the bytes that must be removed to remove a child (the key of a
 * member, or an element) from its container.  If first is true, all elements
 * before the child are removed, too, so the comma after it is removed with it.
 */
struct ctx_str ctx_child_span(const struct ctx_json *json, uint32_t container,
    uint32_t child, bool first);
/* Returns the text of a finding about the form of an id; NULL if the rules
 * accept it. */
const char *ctx_id_wrong(uint64_t rules, struct ctx_str literal);
/* Sets out to the JSON string that replaces an id of a wrong form.  Returns 1,
 * 0 if there is no replacement, or -1 with *err. */
int ctx_id_repair(struct ctx_buf *out, struct ctx_buf *spare, uint64_t rules,
    struct ctx_str literal, struct ctx_err *err);

#endif
