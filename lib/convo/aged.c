/* aged.c - one result on its way to disk */
#include <string.h>

#include "convo/aged.h"
#include "convo/pieces.h"
#include "store/reference.h"

/* ---- the text of a result ---- */

/* A block as text; *chars is what it counts. */
static int
add_block(struct aged *aged, const struct ctx_json *json,
    const struct ctx_part *part, uint64_t *chars, struct ctx_err *err)
{
	bool text = part->kind == CTX_PART_TEXT &&
	    json->nodes[part->value].kind == CTX_JSON_STRING;
	struct ctx_str raw =
	    ctx_json_str(json, text ? part->value : part->child);
	size_t from = aged->text.n;
	uint64_t n = ctx_utf8_count(raw.p, raw.n);

	if (from > 0 && ctx_buf_add(&aged->text, "\n", 1, err) < 0)
		return -1;
	if (text)
		n = ctx_text_chars(raw);
	*chars += n;
	if (text)
		return ctx_text_decode(&aged->text, raw, err);
	if (part->kind == CTX_PART_MEDIA)
		return ctx_buf_printf(&aged->text, err,
		    "[media, %llu characters of JSON]",
		    (unsigned long long)n);
	return ctx_buf_add(&aged->text, raw.p, raw.n, err);
}

/* Reads a result; *node is the string that is all of it, or 0. */
static int
read_text(struct aged *aged, const struct ctx_view *view,
    const struct ctx_dialect *dialect, size_t i, uint32_t *node,
    uint64_t *chars, struct ctx_err *err)
{
	const struct ctx_json *json = view->json;
	uint32_t body = view->parts[i].value;
	struct ctx_str raw = ctx_json_str(json, body);
	size_t k;

	aged->text.n = 0;
	*chars = 0;
	*node = ctx_body_text(json, body, dialect);
	if (*node == 0 && json->nodes[body].kind == CTX_JSON_STRING)
		*node = body;
	if (*node != 0) {
		raw = ctx_json_str(json, *node);
		*chars = ctx_text_chars(raw);
		return ctx_text_decode(&aged->text, raw, err);
	}
	if (json->nodes[body].kind != CTX_JSON_ARRAY) {
		*chars = ctx_utf8_count(raw.p, raw.n);
		return ctx_buf_add(&aged->text, raw.p, raw.n, err);
	}
	for (k = i + 1; k < view->n && view->parts[k].owner == i + 1; k++)
		if (add_block(aged, json, &view->parts[k], chars, err) < 0)
			return -1;
	return 0;
}

/* ---- what it becomes ---- */

/* Bytes of the longest beginning of at most so many characters that ends
 * between grapheme clusters and outside of base64. */
static size_t
head_of(const char *p, size_t n, uint64_t chars)
{
	struct ctx_grapheme grapheme = {0};
	size_t at = 0, cut = 0, length;
	struct atom_walk walk;
	struct atom atom;
	uint32_t cp;
	bool more;

	ctx_atoms_begin(&walk, p, n);
	more = ctx_atom_next(&walk, &atom);
	for (; at < n; at += length, chars--) {
		length = ctx_utf8_next(p + at, n - at, &cp);
		while (more && atom.to <= at)
			more = ctx_atom_next(&walk, &atom);
		if (ctx_grapheme_next(&grapheme, cp) &&
		    !(more && atom.from < at))
			cut = at;
		if (chars == 0)
			return cut;
	}
	return n;
}

/* What the text is replaced by, into scratch. */
static int
make_stand_in(struct aged *aged, const struct ctx_age_options *options,
    const struct ctx_dialect *dialect, struct ctx_str json,
    struct ctx_str tool, struct ctx_err *err)
{
	char digits[CTX_SPOOL_DIGITS];
	struct ctx_buf *out = &aged->scratch;

	aged->name.n = aged->beside.n = 0;
	if (options->mask) {
		out->n = 0;
		return ctx_buf_add(out, CTX_CLEARED, strlen(CTX_CLEARED), err);
	}
	/* Does the text alone give the bytes back? */
	out->n = 0;
	if (ctx_body_add(out, dialect, aged->text.p, aged->text.n, err) < 0)
		return -1;
	if (out->n == json.n && memcmp(out->p, json.p, json.n) == 0) {
		ctx_spool_digits(digits, aged->text.p, aged->text.n);
	} else {
		/* The line feed keeps it apart from a text that is the same
		 * JSON, and so from that text's file. */
		if (ctx_buf_add(&aged->beside, json.p, json.n, err) < 0 ||
		    ctx_buf_add(&aged->beside, "\n", 1, err) < 0)
			return -1;
		ctx_spool_digits(digits, aged->beside.p, aged->beside.n);
	}
	out->n = 0;
	if (ctx_spool_name(&aged->name, options->format, tool, digits, err) <
		0 ||
	    ctx_buf_add(out, aged->text.p,
		head_of(aged->text.p, aged->text.n, options->head), err) < 0)
		return -1;
	return ctx_reference_add(out, options->spool, aged->name.p,
	    ctx_utf8_count(aged->text.p, aged->text.n), err);
}

/* Sets aged->saved; 0 if that is nothing. */
static int
count_saved(struct aged *aged, const struct ctx_view *view,
    const struct ctx_dialect *dialect, size_t i, struct ctx_counter *counter,
    struct ctx_err *err)
{
	struct ctx_cost cost = {0};
	uint64_t after;
	size_t k;

	if (ctx_count_part(counter, dialect, view, i, &cost, err) < 0)
		return -1;
	for (k = i + 1; k < view->n && view->parts[k].owner == i + 1; k++)
		if (ctx_count_part(counter, dialect, view, k, &cost, err) < 0)
			return -1;
	if (ctx_token_count(counter->tokens, aged->scratch.p, aged->scratch.n,
		&after, err) < 0)
		return -1;
	after = ctx_count_scale(counter, after);
	aged->saved = cost.tokens > after ? cost.tokens - after : 0;
	return aged->saved > 0;
}

int
ctx_aged_make(struct aged *aged, const struct ctx_age_options *options,
    const struct ctx_view *view, const struct ctx_dialect *dialect, size_t i,
    struct ctx_str tool, struct ctx_counter *counter, struct ctx_err *err)
{
	struct ctx_str json = ctx_json_str(view->json, view->parts[i].value);
	struct reference ref;
	uint64_t chars;
	uint32_t node;
	int rc;

	if (read_text(aged, view, dialect, i, &node, &chars, err) < 0)
		return -1;
	if (chars <= options->over ||
	    (node != 0 &&
		ctx_reference_find(aged->text.p, aged->text.n, &ref) &&
		ctx_reference_into(&ref, options->spool)))
		return 0;
	if (make_stand_in(aged, options, dialect, json, tool, err) < 0)
		return -1;
	rc = count_saved(aged, view, dialect, i, counter, err);
	if (rc <= 0)
		return rc;
	aged->body.n = 0;
	if (ctx_body_add(&aged->body, dialect, aged->scratch.p, aged->scratch.n,
		err) < 0)
		return -1;
	return 1;
}

int
ctx_aged_store(struct aged *aged, struct ctx_spool *spool,
    struct ctx_err *err)
{
	struct ctx_buf *name = &aged->scratch;

	if (aged->beside.n > 0) {
		name->n = 0;
		if (ctx_buf_printf(name, err, "%s.json", aged->name.p) < 0 ||
		    ctx_spool_put(spool, name->p, aged->beside.p,
			aged->beside.n, err) < 0)
			return -1;
	}
	return ctx_spool_put(spool, aged->name.p, aged->text.p, aged->text.n,
	    err);
}

void
ctx_aged_release(struct aged *aged)
{
	ctx_buf_release(&aged->text);
	ctx_buf_release(&aged->body);
	ctx_buf_release(&aged->name);
	ctx_buf_release(&aged->beside);
	ctx_buf_release(&aged->scratch);
}
