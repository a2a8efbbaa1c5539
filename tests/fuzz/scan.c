/*
 * scan.c - fuzz target: compares the JSON scanner with a slow parser and with
 * jansson
 *
 * Input: the text.  The scanner must agree with the slow parser, with each
 * instruction set.  If jansson accepts the text, its values must be equal to
 * the values of the nodes.
 */
#include <jansson.h>

#include "fuzz.h"
#include "strict.h"

static void
recognise(const struct ctx_json *json, int rc, size_t used,
    const struct ctx_err *err, const uint8_t *data, size_t size)
{
	struct strict s = {.p = data, .n = size};

	s.open = malloc(size + 1);
	must(s.open != NULL);
	switch (strict_value(&s)) {
	case STRICT_WHOLE:
		must(rc == 1 && used == s.at && json->n == s.values);
		break;
	case STRICT_CUT:
		must(rc == 0);
		break;
	case STRICT_BROKEN:
		must(rc == -1 && err->code == CTX_EINPUT &&
		    err->column == s.at + 1);
		break;
	case STRICT_DEEP:
		must(rc == -1 && err->code == CTX_ELIMIT &&
		    err->column == s.at + 1);
		break;
	}
	free(s.open);
}

/* Checks that the node is equal to this value of jansson, whose depth is at
 * most 2048. */
static void
compare(const struct ctx_json *json, uint32_t node, json_t *value)
{
	static const uint8_t kinds[] = {[JSON_OBJECT] = CTX_JSON_OBJECT,
	    [JSON_ARRAY] = CTX_JSON_ARRAY,
	    [JSON_STRING] = CTX_JSON_STRING,
	    [JSON_INTEGER] = CTX_JSON_NUMBER,
	    [JSON_REAL] = CTX_JSON_NUMBER,
	    [JSON_TRUE] = CTX_JSON_TRUE,
	    [JSON_FALSE] = CTX_JSON_FALSE,
	    [JSON_NULL] = CTX_JSON_NULL};
	struct ctx_buf text = {0};
	struct ctx_err err;
	uint32_t child = node + 1;
	const char *key;
	json_t *member;
	size_t i;

	must(json->nodes[node].kind == kinds[json_typeof(value)]);
	if (json_is_string(value)) {
		must(ctx_json_string_decode(&text, ctx_json_str(json, node),
			 &err) == 0);
		must(fuzz_same(text.p, text.n, json_string_value(value),
		    json_string_length(value)));
		ctx_buf_release(&text);
	}
	if (json_is_array(value)) {
		must(ctx_json_count(json, node) == json_array_size(value));
		for (i = 0; i < json_array_size(value); i++) {
			compare(json, child, json_array_get(value, i));
			child = json->nodes[child].next;
		}
	}
	json_object_foreach(value, key, member) {
		child = ctx_json_find(json, node, key);
		must(child > node);
		compare(json, child, member);
	}
}

/*
 * Compares the result with that of jansson. jansson refuses some valid texts:
 * NUL in keys, lone surrogates, numbers out of range, deep nesting.  It ignores
 * a NUL byte after a number or word.  It may look at the byte after the value,
 * unless the value is the whole text (all).
 */
static void
ask_jansson(const struct ctx_json *json, int rc, const char *p, size_t n,
    bool all)
{
	json_error_t error;
	json_t *value;

	value = json_loadb(p, n,
	    JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &error);
	if (value != NULL) {
		if (rc == 1)
			compare(json, 0, value);
		json_decref(value);
		return;
	}
	if (!all)
		return;
	switch (json_error_code(&error)) {
	case json_error_numeric_overflow:
	case json_error_null_character:
	case json_error_null_byte_in_key:
	case json_error_stack_overflow:
		break;
	default:
		must(strncmp(error.text, "invalid Unicode", 15) == 0 ||
		    strncmp(error.text, "too big ", 8) == 0 ||
		    strstr(error.text, "real number overflow") != NULL);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum ctx_simd backs[] = {CTX_SIMD_PORTABLE, CTX_SIMD_SSE2,
	    CTX_SIMD_AVX2, CTX_SIMD_AVX512, CTX_SIMD_NEON};
	const char *p = (const char *)data;
	struct ctx_json json, other;
	struct ctx_err err = {0}, late = {0};
	size_t used = 0, others = 0, i;
	int rc;

	ctx_json_init(&json, CTX_SIMD_BEST);
	rc = ctx_json_scan(&json, p, size, &used, &err);
	recognise(&json, rc, used, &err, data, size);
	for (i = 0; i < sizeof backs / sizeof backs[0]; i++) {
		ctx_json_init(&other, backs[i]);
		must(ctx_json_scan(&other, p, size, &others, &late) == rc);
		must(rc >= 0 ||
		    (late.column == err.column && late.code == err.code &&
			strcmp(late.text, err.text) == 0));
		must(rc != 1 ||
		    (others == used && other.n == json.n &&
			memcmp(other.nodes, json.nodes,
			    json.n * sizeof *json.nodes) == 0));
		ctx_json_release(&other);
	}
	ask_jansson(&json, rc, p, size, rc == 1 && used == size);
	ctx_json_release(&json);
	return 0;
}
