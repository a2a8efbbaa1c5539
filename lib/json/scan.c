/*
 * scan.c - finds every value in a JSON text
 *
 * The text between strings is read byte by byte.  Strings, which are most of
 * the text, are read in blocks of 64 bytes: bit masks mark the bytes that
 * matter inside a string (string_end.c).  While an array or object is open, the
 * member "next" of its node is the index of its parent, so nesting takes no
 * extra memory.
 *
 * All values get nodes, even values that no caller reads.  In a run of
 * ctx-truncate that changes nothing, making nodes takes this share of the
 * instructions: 5 % with long tool results, 10 % with short messages, 16 % with
 * transcripts of Claude Code.  In these three cases, 0, 2 and 15 % of the nodes
 * are below keys that no caller reads.  Validating those values without making
 * nodes would save 2.5 % of the instructions at most.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "json/json.h"
#include "json/key_start.h"
#include "json/string_end.h"

/* Value of scan.open if no array or object is open.  An array or object is open
 * until its closing bracket was scanned. */
#define NONE UINT32_MAX

/* The state of a scan.  The scan_... functions, and the functions that they
 * call, return 1 on success, 0 if the text ends before the value does, and -1
 * with *err after an error, for example if the text is invalid. */
struct scan {
	struct ctx_json *json;
	struct ctx_err *err;
	/* the part of the text that was not scanned yet: from p up to, but not
	 * including, end */
	const char *p, *end;
	ctx_string_end_fn *find_end; /* finds the end of a string */
	/* node of the innermost open array or object, or NONE */
	uint32_t open;
	unsigned depth;
};

/* Sets *err to an error with this text and the column of the byte at p.
 * Returns -1. */
static int
fail_at(const struct scan *s, const char *p, enum ctx_code code,
    const char *text)
{
	ctx_err_set(s->err, code, "%s", text);
	s->err->column = (uint64_t)(p - s->json->text) + 1;
	return -1;
}

static int
fail_input(const struct scan *s, const char *p, const char *text)
{
	return fail_at(s, p, CTX_EINPUT, text);
}

static int
grow_nodes(struct scan *s)
{
	return CTX_GROW(s->json->nodes, s->json->cap, s->json->n + 1, s->err);
}

/* Adds a node for the bytes from the address "at" up to the current position
 * s->p. */
static inline int
append_node(struct scan *s, const char *at, enum ctx_json_kind kind,
    bool escaped)
{
	struct ctx_json *json = s->json;
	struct ctx_node *node;

	if (json->n == json->cap && grow_nodes(s) < 0)
		return -1;
	node = &json->nodes[json->n++];
	*node = (struct ctx_node){.at = (uint32_t)(at - json->text),
	    .end = (uint32_t)(s->p - json->text),
	    .next = (uint32_t)json->n,
	    .kind = (uint8_t)kind,
	    .escaped = escaped};
	return 1;
}

static int
open_container(struct scan *s, enum ctx_json_kind kind)
{
	const char *at = s->p;

	if (s->depth == CTX_JSON_DEPTH) {
		ctx_err_set(s->err, CTX_ELIMIT,
		    "arrays and objects are nested more than %d deep",
		    CTX_JSON_DEPTH);
		s->err->column = (uint64_t)(at - s->json->text) + 1;
		return -1;
	}
	s->p++;
	if (append_node(s, at, kind, false) < 0)
		return -1;
	s->depth++;
	s->json->nodes[s->json->n - 1].next = s->open;
	s->open = (uint32_t)(s->json->n - 1);
	return 1;
}

static int
close_container(struct scan *s)
{
	struct ctx_node *node = &s->json->nodes[s->open];

	s->p++;
	s->depth--;
	s->open = node->next;
	node->next = (uint32_t)s->json->n;
	node->end = (uint32_t)(s->p - s->json->text);
	return 1;
}

/* Moves s->p to the next byte that is not white space.  Returns false if there
 * is no such byte before the address end. */
static bool
skip_space(struct scan *s, const char *end)
{
	while (s->p < end &&
	    (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
		s->p++;
	return s->p < end;
}

/* Returns true if a number or a word such as true must not be followed directly
 * by the byte c. */
static bool
is_wordlike(char c)
{
	return ctx_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	    c == '+' || c == '-' || c == '.' || c == '_';
}

static int
scan_digits(struct scan *s)
{
	if (s->p == s->end)
		return 0;
	if (!ctx_is_digit(*s->p))
		return fail_input(s, s->p, "invalid number");
	while (s->p < s->end && ctx_is_digit(*s->p))
		s->p++;
	return 1;
}

static int
scan_fraction_exponent(struct scan *s)
{
	int rc;

	if (s->p < s->end && *s->p == '.') {
		s->p++;
		if ((rc = scan_digits(s)) <= 0)
			return rc;
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		s->p++;
		if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
			s->p++;
		if ((rc = scan_digits(s)) <= 0)
			return rc;
	}
	return 1;
}

static int
scan_number(struct scan *s)
{
	const char *at = s->p;
	int rc;

	s->p += *at == '-';
	if (s->p < s->end && *s->p == '0')
		/* The integer part ends here, because no digit may follow a
		 * leading zero. */
		s->p++;
	else if ((rc = scan_digits(s)) <= 0)
		return rc;
	if ((rc = scan_fraction_exponent(s)) <= 0)
		return rc;
	if (s->p < s->end && is_wordlike(*s->p))
		return fail_input(s, s->p, "invalid number");
	return append_node(s, at, CTX_JSON_NUMBER, false);
}

static int
scan_word(struct scan *s, const char *text, enum ctx_json_kind kind)
{
	const char *at = s->p;

	for (; *text != '\0'; text++, s->p++) {
		if (s->p == s->end)
			return 0;
		if (*s->p != *text)
			return fail_input(s, s->p, "expected a value");
	}
	if (s->p < s->end && is_wordlike(*s->p))
		return fail_input(s, s->p, "expected a value");
	return append_node(s, at, kind, false);
}

/* Returns true if a text of n bytes is the beginning of a UTF-8 character that
 * more bytes could complete.  Appends the lowest and the highest continuation
 * bytes to the text, and tests both results: after every valid lead byte at
 * least one of these two continuation bytes is valid. */
static bool
is_truncated_char(const char *p, size_t n)
{
	char low[4] = {'\x80', '\x80', '\x80', '\x80'};
	char high[4] = {'\xbf', '\xbf', '\xbf', '\xbf'};
	uint32_t cp;

	if (n >= 4)
		return false;
	memcpy(low, p, n);
	memcpy(high, p, n);
	return ctx_utf8_next(low, 4, &cp) > n ||
	    ctx_utf8_next(high, 4, &cp) > n;
}

/*
 * Finds the closing quote of a short string, such as a key; most strings are
 * short. p: the byte after the opening quote.  Returns NULL if the text ends
 * within one SIMD vector, if there is no closing quote in this vector, or if a
 * backslash, a control byte or a byte beyond ASCII comes before the quote.
 */
static const char *
find_short_end(const struct scan *s, const char *p)
{
	PLAIN_VECTOR v, plain;
	uint64_t found;

	if (s->end - p < (ptrdiff_t)sizeof v)
		return NULL;
	v = PLAIN(load)(p);
	plain = PLAIN(equal)(v, '\\') | PLAIN(stops)(v) | PLAIN(high)(v);
	found = PLAIN(bits)(plain);
	if (found == 0 || p[__builtin_ctzll(found)] != '"')
		return NULL;
	return p + __builtin_ctzll(found);
}

/* Finds the closing quote of a string of any length. p: the byte after the
 * opening quote.  Returns 1, or 0 if the text ends first, or -1 with *err. */
static int
find_long_end(const struct scan *s, const char *p, const char **quote,
    bool *escaped)
{
	struct string_end search = {.p = p, .end = s->end};
	const char *bad;

	s->find_end(&search);
	if (search.high != NULL && search.high < search.p) {
		bad = search.high +
		    ctx_utf8_valid(search.high,
			(size_t)(search.p - search.high), s->json->simd);
		if (bad < search.p &&
		    (search.p < s->end ||
			!is_truncated_char(bad, (size_t)(search.p - bad))))
			return fail_input(s, bad,
			    "invalid UTF-8; convert the input, for example "
			    "with: iconv -f ISO-8859-1 -t UTF-8");
	}
	if (search.wrong != NULL)
		return fail_input(s, search.p, search.wrong);
	*quote = search.p;
	*escaped = search.escaped;
	return search.p < s->end;
}

static int
scan_string(struct scan *s)
{
	const char *at = s->p, *quote = find_short_end(s, at + 1);
	bool escaped = false;
	int rc;

	if (quote == NULL &&
	    (rc = find_long_end(s, at + 1, &quote, &escaped)) <= 0)
		return rc;
	s->p = quote + 1;
	return append_node(s, at, CTX_JSON_STRING, escaped);
}

/* Reports that the text at s->p is not a JSON value.  The error explains NaN
 * and Infinity, which are values in JavaScript and Python, but not in JSON.
 * Returns 0 if the text is too short to tell whether it begins with one of
 * these words, otherwise -1 with *err. */
static int
refuse_value(struct scan *s, const char *expected)
{
	const char *word = *s->p == 'N' ? "NaN" : "Infi";
	size_t left = (size_t)(s->end - s->p), n = strlen(word);

	if (memcmp(s->p, word, left < n ? left : n) != 0)
		return fail_input(s, s->p, expected);
	return left < n
	    ? 0
	    : fail_input(s, s->p, "JSON has no NaN or Infinity; write null");
}

/* Scans the JSON value at s->p.  For an array or object, scans only the opening
 * bracket. */
static int
begin_value(struct scan *s, const char *expected)
{
	switch (*s->p) {
	case '"':
		return scan_string(s);
	case '{':
		return open_container(s, CTX_JSON_OBJECT);
	case '[':
		return open_container(s, CTX_JSON_ARRAY);
	case 't':
		return scan_word(s, "true", CTX_JSON_TRUE);
	case 'f':
		return scan_word(s, "false", CTX_JSON_FALSE);
	case 'n':
		return scan_word(s, "null", CTX_JSON_NULL);
	default:
		if (*s->p == '-' || ctx_is_digit(*s->p))
			return scan_number(s);
		return refuse_value(s, expected);
	}
}

/* Stores the first two bytes of the newest key in the key's node, and adds the
 * bit of these bytes to the set of keys of the object (see key_start.h).  A key
 * with escapes could begin with any bytes, so it sets all bits. */
static void
record_key_start(struct scan *s)
{
	struct ctx_node *key = &s->json->nodes[s->json->n - 1];

	key->keys = key_start(s->json->text + key->at + 1, '"');
	s->json->nodes[s->open].keys |=
	    key->escaped ? UINT16_MAX : key_bit(key->keys);
}

/* Scans a key, the colon after the key, and the value.  If the value is an
 * array or object, scans only its opening bracket. */
static int
scan_member(struct scan *s, const char *expected)
{
	int rc;

	if (*s->p != '"')
		return fail_input(s, s->p, expected);
	if ((rc = scan_string(s)) <= 0)
		return rc;
	record_key_start(s);
	if (!skip_space(s, s->end))
		return 0;
	if (*s->p != ':')
		return fail_input(s, s->p, "expected ':'");
	s->p++;
	return skip_space(s, s->end) ? begin_value(s, "expected a value") : 0;
}

/* After an opening bracket: scans the closing bracket or, if there is a child,
 * the beginning of the first child. */
static int
scan_first_child(struct scan *s, bool array)
{
	if (*s->p == (array ? ']' : '}'))
		return close_container(s);
	return array ? begin_value(s, "expected a value or ']'")
		     : scan_member(s, "expected a key or '}'");
}

/* After a child of an array or object: scans the closing bracket, or a comma
 * and the beginning of the next child. */
static int
scan_next_child(struct scan *s, bool array)
{
	if (*s->p == (array ? ']' : '}'))
		return close_container(s);
	if (*s->p != ',')
		return fail_input(s, s->p,
		    array ? "expected ',' or ']'" : "expected ',' or '}'");
	s->p++;
	if (!skip_space(s, s->end))
		return 0;
	if (*s->p == ']' || *s->p == '}')
		return fail_input(s, s->p,
		    "JSON has no comma before a closing bracket");
	return array ? begin_value(s, "expected a value")
		     : scan_member(s, "expected a key");
}

static int
scan_value(struct scan *s)
{
	bool array;
	int rc;

	if (!skip_space(s, s->end))
		return 0;
	rc = begin_value(s, "expected a value");
	while (rc > 0 && s->depth > 0) {
		if (!skip_space(s, s->end))
			return 0;
		array = s->json->nodes[s->open].kind == CTX_JSON_ARRAY;
		rc = s->open == s->json->n - 1 ? scan_first_child(s, array)
					       : scan_next_child(s, array);
	}
	return rc;
}

int
ctx_json_scan(struct ctx_json *json, const char *text, size_t n, size_t *used,
    struct ctx_err *err)
{
	size_t limit = n < UINT32_MAX ? n : UINT32_MAX;
	struct scan s = {.json = json, .err = err, .p = text, .open = NONE};
	int rc;

	json->text = text;
	json->n = 0;
	if (n == 0)
		return 0;
	s.end = text + limit;
	s.find_end = ctx_string_end_select(json->simd);
	rc = scan_value(&s);
	if (limit < n && (rc == 0 || (rc > 0 && s.p == s.end)))
		return fail_at(&s, s.end, CTX_ELIMIT,
		    "the JSON value has 4 GiB or more");
	if (rc > 0) {
		(void)skip_space(&s, text + n);
		*used = (size_t)(s.p - text);
	}
	return rc;
}

int
ctx_json_scan_text(struct ctx_json *json, struct ctx_str text,
    struct ctx_err *err)
{
	struct ctx_err wrong;
	size_t used;
	int rc = ctx_json_scan(json, text.p, text.n, &used, &wrong);

	if (rc < 0 && wrong.code == CTX_ENOMEM) {
		*err = wrong;
		return -1;
	}
	return rc > 0 && used == text.n;
}

void
ctx_json_init(struct ctx_json *json, enum ctx_simd simd)
{
	memset(json, 0, sizeof *json);
	json->simd = ctx_simd_resolve(simd);
}

void
ctx_json_release(struct ctx_json *json)
{
	free(json->nodes);
	memset(json, 0, sizeof *json);
}

bool
ctx_json_shallow(const char *text, size_t n)
{
	unsigned depth = 0;
	bool inside = false;

	for (size_t i = 0; i < n && depth <= CTX_JSON_SHALLOW; i++)
		if (text[i] == '"')
			inside = !inside;
		else if (inside)
			i += text[i] == '\\';
		else if (text[i] == '[' || text[i] == '{')
			depth++;
		else if ((text[i] == ']' || text[i] == '}') && depth > 0)
			depth--;
	return depth <= CTX_JSON_SHALLOW;
}
