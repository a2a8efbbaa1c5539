/*
 * surrogate_rules.c - finds lone surrogates, which are possible in JSON, but
 * not in UTF-8
 *
 * A character beyond U+FFFF is written in JSON as two escapes, a surrogate
 * pair.  One escape of the pair alone ("\ud83d") is not a character: it is a
 * lone surrogate.  A lone surrogate remains if a text is cut inside a pair.
 * Anthropic's server refuses a request with a lone surrogate; SDKs in Python
 * fail before they send the request.
 *
 * The arguments of a tool call in Chat and Responses are JSON in a string.
 * There, a lone surrogate may also be inside a string of the inner JSON.  Then
 * parsing the arguments fails.
 */
#include <string.h>

#include "check/validator.h"

bool
ctx_text_is_empty(const struct ctx_json *json, uint32_t node, bool blank)
{
	struct ctx_str literal;
	size_t at = 1;
	uint32_t cp;

	if (!ctx_json_is_string(json, node))
		return false;
	literal = ctx_json_str(json, node);
	while (ctx_json_string_next(literal, &at, &cp))
		if (!blank || !ctx_utf8_is_space(cp))
			return false;
	return true;
}

/* A position in a JSON string.  If decoded is true, characters are read, with
 * escapes decoded; otherwise bytes are read. */
struct surrogate_walk {
	struct ctx_str literal;
	size_t at;
	bool decoded;
};

static bool
read_next_char(struct surrogate_walk *walk, uint32_t *c)
{
	if (walk->decoded)
		return ctx_json_string_next(walk->literal, &walk->at, c) != 0;
	if (walk->at + 1 >= walk->literal.n)
		return false;
	*c = (unsigned char)walk->literal.p[walk->at++];
	return true;
}

/* Reads the four hex digits of a \u escape into *unit.  Returns false if there
 * are no four hex digits. */
static bool
read_escape_digits(struct surrogate_walk *walk, uint32_t *unit)
{
	static const char hex[] = "0123456789abcdef";
	const char *digit;
	uint32_t c;
	int i;

	*unit = 0;
	for (i = 0; i < 4; i++) {
		if (!read_next_char(walk, &c) || c == 0 || c > 'f')
			return false;
		digit = strchr(hex, (int)(c >= 'A' && c <= 'F' ? c | 32 : c));
		if (digit == NULL)
			return false;
		*unit = *unit << 4 | (uint32_t)(digit - hex);
	}
	return true;
}

/* Skips the second escape of a surrogate pair.  Returns false if there is no
 * second escape. */
static bool
skip_second_half(struct surrogate_walk *walk)
{
	struct surrogate_walk ahead = *walk;
	uint32_t c, unit;

	if (!read_next_char(&ahead, &c) || c != '\\' ||
	    !read_next_char(&ahead, &c) || c != 'u' ||
	    !read_escape_digits(&ahead, &unit) || unit < 0xdc00 ||
	    unit > 0xdfff)
		return false;
	*walk = ahead;
	return true;
}

/* Finds the next lone surrogate.  Its four hex digits begin at the offset *from
 * and end before the offset walk->at. */
static bool
find_lone_surrogate(struct surrogate_walk *walk, size_t *from)
{
	uint32_t c, unit;

	while (read_next_char(walk, &c)) {
		if (c != '\\')
			continue;
		if (!read_next_char(walk, &c))
			return false;
		*from = walk->at;
		if (c != 'u' || !read_escape_digits(walk, &unit) ||
		    unit < 0xd800 || unit > 0xdfff ||
		    (unit < 0xdc00 && skip_second_half(walk)))
			continue;
		return true;
	}
	return false;
}

/* Returns true if a JSON string, or JSON that is inside the string, may contain
 * a \u escape. */
static bool
has_unicode_escape(struct ctx_str literal)
{
	const char *p = literal.p, *end = p + literal.n;

	while ((p = memchr(p, '\\', (size_t)(end - p))) != NULL) {
		if (++p < end && *p == 'u')
			return true;
	}
	return false;
}

/* Appends a JSON string in which each lone surrogate is replaced by U+FFFD.
 * Returns 1.  If there is no lone surrogate, appends nothing and returns 0.
 * Returns -1 with *err on error. */
static int
replace_lone_surrogates(struct ctx_buf *out, struct ctx_str literal,
    bool decoded, struct ctx_err *err)
{
	struct surrogate_walk walk = {literal, 1, decoded};
	size_t from, done = 0;

	while (find_lone_surrogate(&walk, &from)) {
		if (ctx_buf_add(out, literal.p + done, from - done, err) < 0 ||
		    ctx_buf_add(out, "fffd", 4, err) < 0)
			return -1;
		done = walk.at;
	}
	if (done == 0)
		return 0;
	return ctx_buf_add(out, literal.p + done, literal.n - done, err) < 0
	    ? -1
	    : 1;
}

int
ctx_surrogates_repair(struct ctx_buf *out, struct ctx_buf *spare,
    struct ctx_str literal, bool inner, struct ctx_err *err)
{
	struct ctx_str first;
	int rc, again;

	out->n = spare->n = 0;
	if (!has_unicode_escape(literal))
		return 0;
	rc = replace_lone_surrogates(inner ? spare : out, literal, false, err);
	if (rc < 0 || !inner)
		return rc;
	first = rc > 0 ? (struct ctx_str){spare->p, spare->n} : literal;
	again = replace_lone_surrogates(out, first, true, err);
	if (again == 0 && rc > 0)
		again = ctx_buf_add(out, first.p, first.n, err) < 0 ? -1 : 1;
	return again;
}

/* ---- the texts of a message ---- */

/* Returns true if a JSON node is the arguments of a tool call, and is a string
 * that contains JSON. */
static bool
is_argument_string(const struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t node)
{
	return node > 0 && (validator->rules & CTX_ARGUMENTS_TEXT) &&
	    ctx_json_is(json, node - 1, "arguments");
}

int
ctx_validate_strings(struct ctx_validator *validator,
    const struct ctx_json *json, uint32_t from, uint32_t to)
{
	struct ctx_str literal;
	uint32_t node;
	int rc;

	for (node = from; node < to; node++) {
		if (json->nodes[node].kind != CTX_JSON_STRING ||
		    !json->nodes[node].escaped)
			continue;
		literal = ctx_json_str(json, node);
		rc = ctx_surrogates_repair(&validator->replacement,
		    &validator->spare, literal,
		    is_argument_string(validator, json, node), validator->err);
		if (rc < 0 ||
		    (rc > 0 &&
			ctx_validate_refuse_text(validator,
			    CTX_RULE_LONE_SURROGATE, literal,
			    "a text has half of a surrogate pair") < 0))
			return -1;
	}
	return 0;
}

/* Checks all strings in the JSON value at a node for lone surrogates.  Does
 * nothing if node is 0. */
static int
check_value_strings(struct ctx_validator *validator, uint32_t node)
{
	const struct ctx_json *json = validator->message->json;

	if (node == 0)
		return 0;
	return ctx_validate_strings(validator, json, node,
	    json->nodes[node].next);
}

/* Checks the strings of a message for lone surrogates.  A message in a
 * provider's own format is sent without changes, so all its strings are
 * checked.  In other formats, only the strings of the blocks are checked. */
int
ctx_validate_texts(struct ctx_validator *validator)
{
	const struct ctx_message *message = validator->message;
	const struct ctx_block *block;
	size_t i;

	if (validator->rules & (CTX_KNOWN_ROLES | CTX_NEEDS_IDS))
		return ctx_validate_strings(validator, message->json,
		    message->node, message->json->nodes[message->node].next);
	for (i = 0; i < message->n; i++) {
		block = &message->blocks[i];
		/* The strings of a block inside a tool result were already
		 * checked with the other strings of the result. */
		if (block->result_index != 0 &&
		    message->blocks[block->result_index - 1].payload != 0)
			continue;
		if (check_value_strings(validator, block->payload) < 0 ||
		    check_value_strings(validator, block->id) < 0 ||
		    check_value_strings(validator, block->name) < 0)
			return -1;
	}
	return 0;
}
