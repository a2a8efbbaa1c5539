/*
 * id_rules.c - checks the form of the ids of tool calls
 *
 * The only purpose of an id is to connect a tool call with its results.  So an
 * id of a wrong form can be replaced everywhere by a new id.  The new id is
 * computed from the text of the old id.  So equal ids are replaced by equal
 * ids, and no table of ids is needed.
 */
#include <string.h>

#include "check/validator.h"
#include "store/store.h"

static bool
is_ascii_alnum(uint32_t cp)
{
	uint32_t lower = cp | 0x20;

	return cp < 0x80 &&
	    ((lower >= 'a' && lower <= 'z') || (cp >= '0' && cp <= '9'));
}

/* Returns true if an id consists of 1 to 64 characters A-Z a-z 0-9 _ and -.  If
 * dotted is true, the characters . and : are allowed, too, because ids of Kimi
 * contain them. */
static bool
is_portable_id(struct ctx_str literal, bool dotted)
{
	size_t at = 1, n = 0;
	uint32_t cp;

	for (; ctx_json_string_next(literal, &at, &cp); n++)
		if (!is_ascii_alnum(cp) && cp != '_' && cp != '-' &&
		    !(dotted && (cp == '.' || cp == ':')))
			return false;
	return n >= 1 && n <= 64;
}

static bool
is_nine_char_id(struct ctx_str literal)
{
	size_t at = 1, n = 0;
	uint32_t cp;

	for (; ctx_json_string_next(literal, &at, &cp); n++)
		if (!is_ascii_alnum(cp))
			return false;
	return n == 9;
}

const char *
ctx_id_wrong(uint64_t rules, struct ctx_str literal)
{
	bool dotted = (rules & CTX_DOTTED_IDS) != 0;

	if ((rules & CTX_NINE_IDS) && !is_nine_char_id(literal))
		return " is not 9 of A-Z a-z 0-9";
	if ((rules & CTX_PLAIN_IDS) && !is_portable_id(literal, dotted))
		return dotted ? " is not 1 to 64 of A-Z a-z 0-9 _ - . and :"
			      : " is not 1 to 64 of A-Z a-z 0-9 _ and -";
	if ((rules & CTX_NEEDS_IDS) && literal.n == 2)
		return " is empty";
	if ((rules & CTX_SHORT_IDS) && ctx_json_string_chars(literal) > 64)
		return " is longer than 64 characters";
	return NULL;
}

/* Computes an id from a text, and writes it to the buffer out as a JSON string.
 * Equal texts give equal ids.  If nine is true, the id has exactly 9
 * characters.  Returns 1, or -1 with *err. */
static int
make_id(struct ctx_buf *out, bool nine, struct ctx_str text,
    struct ctx_err *err)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789";
	static const char hex[] = "0123456789abcdef";
	char digits[CTX_SPOOL_DIGITS], id[9];
	size_t i, value;

	ctx_spool_hash_chunks(digits, &text, 1);
	out->n = 0;
	if (!nine)
		return ctx_buf_printf(out, err, "\"call_%.*s\"",
			   CTX_SPOOL_DIGITS, digits) < 0
		    ? -1
		    : 1;
	for (i = 0; i < sizeof id; i++) {
		value = (size_t)(strchr(hex, digits[2 * i]) - hex) << 4 |
		    (size_t)(strchr(hex, digits[2 * i + 1]) - hex);
		id[i] = letters[value % 62];
	}
	return ctx_buf_printf(out, err, "\"%.9s\"", id) < 0 ? -1 : 1;
}

int
ctx_id_repair(struct ctx_buf *out, struct ctx_buf *spare, uint64_t rules,
    struct ctx_str literal, struct ctx_err *err)
{
	if (ctx_id_wrong(rules, literal) == NULL)
		return ctx_surrogates_repair(out, spare, literal, false, err);
	/* An empty id is not replaced: several tool calls may have an empty id,
	 * and all would get the same new id. */
	if (literal.n == 2)
		return 0;
	spare->n = 0;
	if (ctx_json_string_decode(spare, literal, err) < 0)
		return -1;
	return make_id(out, (rules & CTX_NINE_IDS) != 0,
	    (struct ctx_str){spare->p, spare->n}, err);
}
