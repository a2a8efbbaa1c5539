/*
 * onig_to_pcre2.c - translates the patterns of vocabulary files for PCRE2
 *
 * Every pattern is read three times:
 *
 *  - CUTS collects the ranges of characters that patterns name; their ends
 *    divide all code points into ranges
 *  - FIND collects the sets of characters, as one bit for each range and
 *    general category
 *  - WRITE writes the translated pattern, which matches kinds of characters
 *    (see onig_to_pcre2.h); the sets determine these kinds
 *
 * Patterns have the syntax of Oniguruma.  A construct of a pattern is accepted
 * if PCRE2 reads the construct in the same way, or if the construct can be
 * rewritten.  Rewritten are \s and \p{..} by Unicode 16, [a[bc]] as one set,
 * and (?i:s) so that it also matches U+017F.  Refused are: look-behind,
 * anchors, {n,m}+ and {n}? (Ruby reads them differently), options that apply to
 * the rest of a group, references, conditions, recursion.
 */
#include <string.h>

#include "tokenizer/unicode.h"
#include "tokenizer/vocabulary/onig_sets.h"
#include "tokenizer/vocabulary/onig_to_pcre2.h"

#define REPEAT 1000 /* maximum number of repetitions in {n,m} */

static bool
is_next(const struct onig_parse *r, const char *text)
{
	size_t n = strlen(text);

	return r->n - r->at >= n && memcmp(r->p + r->at, text, n) == 0;
}

/* Returns true if the next byte of the pattern is one of the characters in the
 * string "list". */
static bool
is_one_of(const struct onig_parse *r, const char *list)
{
	return r->at < r->n && memchr(list, r->p[r->at], strlen(list)) != NULL;
}

static bool
skip_text(struct onig_parse *r, const char *text)
{
	if (!is_next(r, text))
		return false;
	r->at += strlen(text);
	return true;
}

static uint32_t
next_char(struct onig_parse *r)
{
	uint32_t cp;

	r->at += ctx_char_next(r->p + r->at, r->n - r->at, &cp);
	return cp;
}

/* Reads the number of a character in hexadecimal digits.  Returns false if
 * there are too few digits, or if no character has this number. least, most:
 * minimum and maximum number of digits. */
static bool
read_hex(struct onig_parse *r, unsigned least, unsigned most, uint32_t *cp)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *found;
	unsigned i;

	*cp = 0;
	for (i = 0; i < most && r->at < r->n; i++) {
		found = memchr(digits, r->p[r->at], sizeof digits - 1);
		if (found == NULL)
			break;
		*cp = *cp * 16 + (uint32_t)(found - digits) -
		    (found >= digits + 16 ? 6 : 0);
		r->at++;
	}
	return i >= least && *cp < 0x110000 && (*cp & 0x1ff800) != 0xd800;
}

/* Reads the name of a Unicode property after \p or \P in a pattern, such as
 * {L}, {Lu} or {^Lu}. */
static int
read_property(struct onig_parse *r, struct char_set *set, bool negated)
{
	static const char names[] = CTX_CATEGORIES;
	uint32_t categories = 0;
	size_t i, n;

	if (!skip_text(r, "{"))
		return ctx_onig_refuse(r, "a property without braces");
	negated ^= skip_text(r, "^");
	for (n = 0; r->at + n < r->n && r->p[r->at + n] != '}'; n++)
		;
	if (r->at + n == r->n || n < 1 || n > 2)
		return ctx_onig_refuse(r,
		    "a property that is not a general category");
	for (i = 0; i < CTX_KINDS_CATEGORY; i++)
		if (memcmp(names + 2 * i, r->p + r->at, n) == 0)
			categories |= UINT32_C(1) << i;
	if (categories == 0)
		return ctx_onig_refuse(r,
		    "a property that is not a general category");
	r->at += n + 1;
	ctx_onig_add_categories(r, set,
	    negated ? ~categories & ALL_CATEGORIES : categories);
	return 0;
}

static int
add_white_space(struct onig_parse *r, struct char_set *set)
{
	static const char names[] = CTX_CATEGORIES;
	uint32_t categories = 0;
	size_t i;

	for (i = 0; i < CTX_KINDS_CATEGORY; i++)
		if (names[2 * i] == 'Z')
			categories |= UINT32_C(1) << i;
	ctx_onig_add_categories(r, set, categories);
	return ctx_onig_add_range(r, set, 0x09, 0x0d) < 0
	    ? -1
	    : ctx_onig_add_range(r, set, 0x85, 0x85);
}

static int
add_decimal_digits(const struct onig_parse *r, struct char_set *set)
{
	ctx_onig_add_categories(r, set, UINT32_C(1) << ctx_category_of('0'));
	return 0;
}

/* Reads the part of an escape after its backslash, for an escape that stands
 * for one character: such as n, x41 or a punctuation mark. */
static int
read_escaped_char(struct onig_parse *r, uint32_t *cp)
{
	static const char names[] = "n\nr\rt\tf\fv\va\ae\033";
	char c = r->p[r->at];
	size_t i;

	for (i = 0; names[i] != '\0'; i += 2)
		if (names[i] == c) {
			r->at++;
			*cp = (unsigned char)names[i + 1];
			return 0;
		}
	if (c == 'x' || c == 'u') {
		r->at++;
		if (c == 'x' && skip_text(r, "{")) {
			if (read_hex(r, 1, 6, cp) && skip_text(r, "}"))
				return 0;
		} else if (read_hex(r, c == 'x' ? 2 : 4, c == 'x' ? 2 : 4,
			       cp) &&
		    (c == 'u' || *cp < 0x80)) {
			return 0;
		}
		return ctx_onig_refuse(r, "an invalid character number");
	}
	*cp = next_char(r);
	if (*cp == CTX_CHAR_BAD ||
	    (*cp < 0x80 &&
		((*cp >= '0' && *cp <= '9') ||
		    ((*cp | 0x20) >= 'a' && (*cp | 0x20) <= 'z'))))
		return ctx_onig_refuse(r, "an unknown escape");
	return 0;
}

/* Reads the part of an escape after its backslash.  If the escape stands for a
 * set of characters, such as \s, adds this set to *set and returns 1.  If the
 * escape stands for one character, sets *cp to this character and returns 0.
 * Returns -1 on error. */
static int
read_escape(struct onig_parse *r, struct char_set *set, uint32_t *cp)
{
	struct char_set found = {{0, 0}, {0}};
	char c;
	int rc;

	if (r->at == r->n)
		return ctx_onig_refuse(r, "a backslash at its end");
	if (!is_one_of(r, "pPsSdD"))
		return read_escaped_char(r, cp);
	if (r->fold)
		return ctx_onig_refuse(r, "a set in (?i:)");
	c = r->p[r->at++];
	rc = c == 's' || c == 'S'  ? add_white_space(r, &found)
	    : c == 'd' || c == 'D' ? add_decimal_digits(r, &found)
				   : read_property(r, &found, c == 'P');
	if (c == 'S' || c == 'D')
		ctx_onig_negate_set(&found);
	ctx_onig_add_set(set, &found);
	return rc < 0 ? -1 : 1;
}

/* Reads a character or an escape inside a set.  Returns 1 for an escape that
 * stands for a set of characters, 0 for one character, or -1 on error; see
 * read_escape. */
static int
read_set_member(struct onig_parse *r, struct char_set *set, uint32_t *cp)
{
	if (skip_text(r, "\\"))
		return read_escape(r, set, cp);
	*cp = next_char(r);
	return *cp == CTX_CHAR_BAD
	    ? ctx_onig_refuse(r, "bytes that are not UTF-8")
	    : 0;
}

static int
read_set_range(struct onig_parse *r, struct char_set *set)
{
	uint32_t first, last;
	int rc = read_set_member(r, set, &first);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	last = first;
	if (!is_next(r, "-]") && skip_text(r, "-")) {
		rc = is_next(r, "[") ? 1 : read_set_member(r, set, &last);
		if (rc < 0)
			return -1;
		if (rc > 0 || last < first)
			return ctx_onig_refuse(r, "a range without an end");
	}
	if (!r->fold)
		return ctx_onig_add_range(r, set, first, last);
	if (last >= 0x80)
		return ctx_onig_refuse(r, "a set in (?i:)");
	for (; first <= last; first++)
		if (ctx_onig_add_folded(r, set, first) < 0)
			return -1;
	return 0;
}

/* Begins a set of characters.  Called after its "[" was read. */
static int
open_set(struct onig_parse *r)
{
	struct open_set *in = r->in_sets + r->open_sets;
	bool negated = skip_text(r, "^");

	if (r->open_sets == MOST_DEPTH)
		return ctx_onig_refuse(r, "sets nested too deep");
	if (is_next(r, "]") || (negated && r->fold))
		return ctx_onig_refuse(r,
		    r->fold ? "a set in (?i:)" : "a set that begins with ]");
	memset(in, 0, sizeof *in);
	in->negated = negated;
	r->open_sets++;
	return 0;
}

/* Ends a set of characters.  Called after its "]" was read.  If the set is
 * inside another set, adds its characters to the outer set; otherwise adds them
 * to *set. */
static int
close_set(struct onig_parse *r, struct char_set *set)
{
	struct open_set *in = r->in_sets + --r->open_sets;

	if (in->negated)
		ctx_onig_negate_set(&in->set);
	/* Empty sets are refused, because Oniguruma interprets an empty set
	 * inside another set wrongly. */
	if (r->pass == FIND && ctx_onig_is_empty_set(r, &in->set))
		return ctx_onig_refuse(r, "a set without characters");
	ctx_onig_add_set(r->open_sets > 0 ? &in[-1].set : set, &in->set);
	return 0;
}

/* Reads a set of characters up to its end.  Called after its "[" was read. */
static int
read_set(struct onig_parse *r, struct char_set *set)
{
	int rc = open_set(r);

	while (rc == 0 && r->open_sets > 0) {
		if (r->at == r->n)
			return ctx_onig_refuse(r, "a set without end");
		if (is_next(r, "[:") || is_next(r, "&&"))
			return ctx_onig_refuse(r, "[: or && in a set");
		if (skip_text(r, "]"))
			rc = close_set(r, set);
		else if (skip_text(r, "["))
			rc = open_set(r);
		else
			rc = read_set_range(r,
			    &r->in_sets[r->open_sets - 1].set);
	}
	return rc;
}

/* Returns true if these two letters together can match a single character when
 * case is ignored.  Example: ss matches U+00DF. */
static bool
is_ligature(uint32_t a, uint32_t b)
{
	a |= 0x20;
	b |= 0x20;
	return (a == 's' && (b == 's' || b == 't')) ||
	    (a == 'f' && (b == 'f' || b == 'i' || b == 'l'));
}

static int
use_literal(struct onig_parse *r, uint32_t cp)
{
	struct char_set set = {{0, 0}, {0}};

	if (r->fold && (cp >= 0x80 || is_ligature(r->before, cp)))
		return ctx_onig_refuse(r,
		    "letters in (?i:) that match more than "
		    "themselves");
	r->before = cp;
	if ((r->fold ? ctx_onig_add_folded(r, &set, cp)
		     : ctx_onig_add_range(r, &set, cp, cp)) < 0)
		return -1;
	return ctx_onig_use_set(r, &set);
}

/* Reads a quantifier in braces, from the byte after its "{" on: n}, n,}, ,m} or
 * n,m}. */
static int
read_repetition(struct onig_parse *r)
{
	size_t n[2] = {0, 0}, digits[2] = {0, 0};
	bool comma = false;

	for (; is_one_of(r, "0123456789,"); r->at++) {
		if (r->p[r->at] == ',' ? comma : n[comma] > REPEAT)
			break;
		if (r->p[r->at] == ',') {
			comma = true;
			continue;
		}
		digits[comma]++;
		n[comma] = n[comma] * 10 + (size_t)(r->p[r->at] - '0');
	}
	if (!skip_text(r, "}") || digits[0] + digits[1] == 0 || n[0] > REPEAT ||
	    n[1] > REPEAT || (digits[1] > 0 && n[1] < n[0]) ||
	    is_next(r, "+") || (!comma && is_next(r, "?")))
		return ctx_onig_refuse(r, "a repetition of unclear meaning");
	if (r->pass != WRITE)
		return 0;
	if (!comma)
		return ctx_buf_printf(r->out, r->err, "{%zu}", n[0]);
	return digits[1] == 0
	    ? ctx_buf_printf(r->out, r->err, "{%zu,}", n[0])
	    : ctx_buf_printf(r->out, r->err, "{%zu,%zu}", n[0], n[1]);
}

/* Reads a quantifier (*, +, ? or {n,m}), if there is one.  A ? after the
 * quantifier makes it lazy, and a + makes it possessive.  A possessive
 * quantifier of a group (grouped is true) is refused. */
static int
read_quantifier(struct onig_parse *r, bool grouped)
{
	size_t begin = r->at;

	if (skip_text(r, "{")) {
		if (read_repetition(r) < 0)
			return -1;
		begin = r->at;
		(void)skip_text(r, "?");
	} else if (is_one_of(r, "*+?")) {
		r->at++;
		if (grouped && is_next(r, "+"))
			return ctx_onig_refuse(r, "a possessive group");
		if (!skip_text(r, "+"))
			(void)skip_text(r, "?");
	}
	return ctx_onig_emit_text(r, r->p + begin, r->at - begin);
}

/* Characters after the "(" of a group that are accepted.  The member "kind" of
 * a group is an index into this array. */
static const char *const group_kinds[] = {"?:", "?i:", "?!", "?="};

/* Begins a group.  Called after its "(" was read. */
static int
open_group(struct onig_parse *r)
{
	size_t kind = 0;

	if (is_next(r, "?")) {
		while (kind < 4 && !skip_text(r, group_kinds[kind]))
			kind++;
		if (kind == 4)
			return ctx_onig_refuse(r, "an unknown kind of group");
	}
	if (r->open_groups == MOST_DEPTH)
		return ctx_onig_refuse(r, "groups nested too deep");
	r->in_groups[r->open_groups].kind = kind;
	r->in_groups[r->open_groups++].fold = r->fold;
	r->fold |= kind == 1;
	r->before = 0;
	if (ctx_onig_emit_text(r, "(", 1) < 0)
		return -1;
	return ctx_onig_emit_text(r, group_kinds[kind == 1 ? 0 : kind], 2);
}

/* Ends a group.  Called after its ")" was read. */
static int
close_group(struct onig_parse *r)
{
	const struct open_group *in = r->in_groups + --r->open_groups;

	r->fold = in->fold;
	r->before = 0;
	if (in->kind >= 2 && is_one_of(r, "*+?{"))
		return ctx_onig_refuse(r, "a repeated lookahead");
	return ctx_onig_emit_text(r, ")", 1) < 0 ? -1
						 : read_quantifier(r, true);
}

/* Reads a character, a set, an escape or a dot of a pattern. */
static int
read_atom(struct onig_parse *r)
{
	struct char_set set = {{0, 0}, {0}};
	uint32_t cp;
	int rc;

	if (skip_text(r, "[")) {
		rc = read_set(r, &set);
	} else if (skip_text(r, ".")) {
		rc = ctx_onig_add_range(r, &set, '\n', '\n');
		ctx_onig_negate_set(&set);
	} else if (skip_text(r, "\\")) {
		rc = read_escape(r, &set, &cp);
		if (rc == 0)
			return use_literal(r, cp);
	} else if (is_one_of(r, "^$")) {
		return ctx_onig_refuse(r, "an anchor");
	} else if (is_one_of(r, "*+?{}]")) {
		return ctx_onig_refuse(r, "a character that is not escaped");
	} else {
		cp = next_char(r);
		return cp == CTX_CHAR_BAD
		    ? ctx_onig_refuse(r, "bytes that are not UTF-8")
		    : use_literal(r, cp);
	}
	r->before = 0;
	return rc < 0 ? -1 : ctx_onig_use_set(r, &set);
}

/* Reads the next item of a pattern: an atom (character, set, escape or dot)
 * with its quantifier, or one of the characters | ( and ). */
static int
read_term(struct onig_parse *r)
{
	if (skip_text(r, "|")) {
		r->before = 0;
		return ctx_onig_emit_text(r, "|", 1);
	}
	if (skip_text(r, "("))
		return open_group(r);
	if (r->open_groups > 0 && skip_text(r, ")"))
		return close_group(r);
	if (is_next(r, ")"))
		return ctx_onig_refuse(r, "one closing parenthesis too many");
	return read_atom(r) < 0 ? -1 : read_quantifier(r, false);
}

static int
read_pattern(struct onig_parse *r, struct ctx_str pattern)
{
	r->p = pattern.p;
	r->n = pattern.n;
	r->at = 0;
	r->before = 0;
	while (r->at < r->n)
		if (read_term(r) < 0)
			return -1;
	if (r->open_groups > 0)
		return ctx_onig_refuse(r, "a group without end");
	/* writes the NUL byte at the end of the translated pattern */
	return ctx_onig_emit_text(r, "", 1);
}

int
ctx_onig_to_pcre2(const struct ctx_str *patterns, size_t n,
    struct ctx_kinds *kinds, struct ctx_buf *out, struct ctx_err *err)
{
	struct onig_parse r = {.kinds = kinds, .out = out, .err = err};
	size_t i;

	memset(kinds, 0, sizeof *kinds);
	kinds->n = 1;
	kinds->first[0] = 0x80;
	for (r.pass = CUTS; r.pass <= WRITE; r.pass++) {
		for (i = 0; i < n; i++)
			if (read_pattern(&r, patterns[i]) < 0)
				return -1;
		if (r.pass == FIND && ctx_onig_number_kinds(&r) < 0)
			return -1;
	}
	return 0;
}
