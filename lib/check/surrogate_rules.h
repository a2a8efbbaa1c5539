/* surrogate_rules.h - the form of texts and ids, and what mends it */
#ifndef CTX_CHECK_SURROGATE_RULES_H
#define CTX_CHECK_SURROGATE_RULES_H

#include "check/check.h"

/* Sets out to the literal of a string with U+FFFD for each half of a surrogate
 * pair; 1, 0 if it holds none, or -1.  inner: its text is JSON, whose strings
 * are mended, too.  spare is scratch. */
int ctx_surrogates_repair(struct ctx_buf *out, struct ctx_buf *spare,
    struct ctx_str literal, bool inner, struct ctx_err *err);
/* Judges the strings among the nodes from one to another. */
int ctx_validate_strings(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t from, uint32_t to,
    struct ctx_err *err);

/* True if the node is a string without text; with blank: without anything but
 * white space. */
bool ctx_text_is_empty(const struct ctx_json *json, uint32_t node, bool blank);
/* The piece of text to remove so that a container loses a child: a member, by
 * its key, or an element.  first: all elements before it are removed, too. */
struct ctx_str ctx_child_span(const struct ctx_json *json, uint32_t container,
    uint32_t child, bool first);
/* What is wrong with the literal of an id under these rules, or NULL. */
const char *ctx_id_wrong(uint64_t rules, struct ctx_str literal);
/* Sets out to the literal that replaces the id; 1, 0 if there is none, or
 * -1. */
int ctx_id_repair(struct ctx_buf *out, struct ctx_buf *spare, uint64_t rules,
    struct ctx_str literal, struct ctx_err *err);

#endif
