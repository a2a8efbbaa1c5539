/*
 * compare_item.c - compares a member or message of a request with the
 * corresponding member or message of an earlier request, as a prompt cache does
 *
 * The JSON of the member or message is converted to the "compared text".  This
 * text does not depend on white space, breakpoints and the escapes in strings.
 * Two of them are equal if the hashes of these texts are equal.
 */
#include <string.h>

#include "cache/request_prefix.h"

/* Maximum length in bytes of a JSON string that is copied to the compared text.
 * A longer string is represented there by its length, a tab and its hash. */
#define LONG_STRING ((size_t)64 << 10)

/* Appends the brackets and braces among the n bytes at p, which are between two
 * keys or simple values of the JSON.  All other bytes (white space, commas,
 * colons) are ignored when requests are compared. */
static int
add_brackets(struct ctx_buf *out, const char *p, size_t n, struct ctx_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != '\0' && strchr("[]{}", p[i]) != NULL &&
		    ctx_buf_add(out, p + i, 1, err) < 0)
			return -1;
	return 0;
}

/* Appends a JSON string to the compared text, with escapes as
 * ctx_json_string_encode writes them.  If the string is longer than
 * LONG_STRING, appends its length and hash. */
static int
add_string(struct request_reading *reading, struct ctx_str literal,
    bool escaped, struct ctx_err *err)
{
	struct ctx_str text = {literal.p + 1, literal.n - 2};
	uint64_t hash;
	int rc;

	reading->decoded.n = 0;
	if (escaped) {
		if (ctx_json_string_decode(&reading->decoded, literal, err) < 0)
			return -1;
		text = ctx_buf_str(&reading->decoded);
	}
	if (text.n <= LONG_STRING)
		return escaped
		    ? ctx_json_string_encode(&reading->compared, text.p, text.n,
			  err)
		    : ctx_buf_add_str(&reading->compared, literal, err);
	hash = ctx_hash(reading->options->key, text.p, text.n);
	rc = ctx_buf_printf(&reading->compared, err,
	    "(string of %zu bytes)\t%016llx", text.n, (unsigned long long)hash);
	ctx_buf_reset(&reading->decoded);
	return rc;
}

/* Converts a JSON node to the compared text, in reading->compared: brackets,
 * keys and values without white space, and a line feed after each key and
 * simple value.  No key or value contains a line feed. */
static int
make_comparable(struct request_reading *reading, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err)
{
	const struct ctx_node *nodes = json->nodes, *one;
	uint32_t at = nodes[node].at;

	reading->compared.n = 0;
	for (uint32_t i = node; i < nodes[node].next; i++) {
		one = &nodes[i];
		if (one->kind >= CTX_JSON_ARRAY)
			continue;
		if (add_brackets(&reading->compared, json->text + at,
			one->at - at, err) < 0)
			return -1;
		at = one->end;
		if (one->kind == CTX_JSON_STRING
			? add_string(reading, ctx_json_str(json, i),
			      one->escaped, err) < 0
			: ctx_buf_add(&reading->compared, json->text + one->at,
			      one->end - one->at, err) < 0)
			return -1;
		if (ctx_buf_add(&reading->compared, "\n", 1, err) < 0)
			return -1;
	}
	return add_brackets(&reading->compared, json->text + at,
	    nodes[node].end - at, err);
}

/* Returns the number of equal bytes at the beginning of two texts. */
static size_t
count_equal(struct ctx_str a, struct ctx_str b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

/*
 * Converts an offset in the compared text of a JSON value to an offset in the
 * JSON.  If the offset is in a string that has other escapes in the JSON, or of
 * which the compared text has only a hash, returns the offset at which the
 * string begins.
 */
static size_t
find_byte(const struct ctx_json *json, uint32_t node, struct ctx_str plain,
    size_t at)
{
	const struct ctx_node *nodes = json->nodes;
	size_t begin = 0, i;
	uint32_t value = node;
	struct ctx_str literal;

	for (;; value++) {
		while (value < nodes[node].next &&
		    nodes[value].kind >= CTX_JSON_ARRAY)
			value++;
		if (value == nodes[node].next)
			return nodes[node].end - nodes[node].at - 1;
		for (i = begin; i < at && plain.p[i] != '\n'; i++)
			;
		if (i == at)
			break;
		begin = i + 1;
	}
	while (begin < at && strchr("[]{}", plain.p[begin]) != NULL)
		begin++;
	literal = ctx_json_str(json, value);
	i = at - begin;
	if (i > literal.n || memcmp(plain.p + begin, literal.p, i) != 0)
		i = 0;
	return nodes[value].at - nodes[node].at + i;
}

/* Copies up to 40 bytes around an offset of a compared text.  All bytes are
 * from the same JSON value, so the copy contains no line feed.  Of a long
 * string only the length is copied, not the hash.  Returns the number of bytes.
 */
static size_t
copy_excerpt(char to[40], struct ctx_str text, size_t at)
{
	size_t begin = at, end, from, n;

	while (begin > 0 && text.p[begin - 1] != '\n')
		begin--;
	for (end = begin; end < text.n && text.p[end] != '\n'; end++)
		if (text.p[end] == '\t') {
			at = begin;
			break;
		}
	from = at - begin > 15 ? at - 15 : begin;
	while (from < at && ((unsigned char)text.p[from] & 0xc0) == 0x80)
		from++;
	n = end - from < 40 ? end - from : 40;
	n = ctx_utf8_valid(text.p + from, n, CTX_SIMD_BEST);
	memcpy(to, text.p + from, n);
	return n;
}

/* Stores the line and the column at which the request differs from the earlier
 * one. at: offset of the first byte that differs, in the JSON value at node. */
static void
record_change_place(struct request_reading *reading,
    const struct ctx_record *record, uint32_t node, size_t at)
{
	const char *byte = ctx_json_str(record->json, node).p + at;

	reading->prefix->offset = (size_t)(byte - record->value.p);
	ctx_record_find_place(record, byte, &reading->prefix->line,
	    &reading->prefix->column);
}

/* Compares the newest item (member or message) of the request with the item of
 * the same number in the earlier request.  If this is the first item that
 * differs, stores the place of the difference. node: JSON of the item.
 * plain_node: JSON of the item without breakpoints, from which
 * reading->compared was made. */
static void
compare_item(struct request_reading *reading, const struct ctx_record *record,
    uint32_t node, const struct ctx_json *json, uint32_t plain_node)
{
	const struct ctx_request_prefix *earlier = reading->options->earlier;
	struct ctx_request_prefix *prefix = reading->prefix;
	struct ctx_str later_text = {reading->compared.p, reading->compared.n},
		       earlier_text;
	const struct ctx_request_prefix_item *item;
	size_t at;

	if (earlier == NULL || prefix->differs || prefix->n > earlier->n)
		return;
	item = &earlier->items[prefix->n - 1];
	if (item->hash == prefix->items[prefix->n - 1].hash)
		return;
	prefix->differs = true;
	earlier_text =
	    (struct ctx_str){earlier->text.p + item->text, item->text_n};
	at = count_equal(earlier_text, later_text);
	prefix->earlier_excerpt_n =
	    copy_excerpt(prefix->earlier_excerpt, earlier_text, at);
	prefix->later_excerpt_n =
	    copy_excerpt(prefix->later_excerpt, later_text, at);
	at = find_byte(json, plain_node, later_text, at);
	at = ctx_edits_origin(&reading->rewrite.edits,
	    ctx_json_str(record->json, node), at);
	record_change_place(reading, record, node, at);
}

static int
keep_compared_text(struct request_reading *reading,
    struct ctx_request_prefix_item *item, struct ctx_err *err)
{
	item->text = reading->prefix->text.n;
	item->text_n = reading->compared.n;
	return reading->options->keep
	    ? ctx_buf_add_str(&reading->prefix->text,
		  ctx_buf_str(&reading->compared), err)
	    : 0;
}

int
ctx_request_hash_item(struct request_reading *reading,
    const struct ctx_record *record, uint32_t node, struct ctx_err *err)
{
	struct ctx_request_prefix_item *item =
	    &reading->prefix->items[reading->prefix->n - 1];
	const struct ctx_json *json = record->json;
	struct ctx_str value = ctx_json_str(json, node);
	struct ctx_buf without = {0};
	uint32_t plain = node;
	int rc = 0;

	item->bytes = value.n;
	if (reading->rewrite.edits.n > 0) {
		rc = ctx_edits_apply(&reading->rewrite.edits, value, &without,
		    err);
		if (rc == 0)
			rc = ctx_rewrite_scan_text(&reading->rewrite,
			    ctx_buf_str(&without), err);
		json = &reading->rewrite.text_json;
		plain = 0;
	}
	if (rc >= 0)
		rc = make_comparable(reading, json, plain, err);
	item->hash = ctx_hash(reading->options->key, reading->compared.p,
	    reading->compared.n);
	if (rc >= 0) {
		compare_item(reading, record, node, json, plain);
		rc = keep_compared_text(reading, item, err);
	}
	ctx_edits_reset(&reading->rewrite.edits);
	ctx_buf_release(&without);
	return rc;
}
