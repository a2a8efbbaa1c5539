/* restore_block.c - puts back the tool results and media of a message, which
 * ctx-age has moved to files */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "age/restoration.h"
#include "dialect/result_content.h"
#include "truncate/text_segments.h"

/* mark for removed text, alone or as "[...]": U+2026, 3 bytes */
#define ELLIPSIS "\xe2\x80\xa6"

static bool
is_beside_mark(char c)
{
	return c == '\n' || c == ' ' || c == '[' || c == ']';
}

/* Searches the stored text for a text, from the offset *at on.  At both ends of
 * the text, characters that may belong to a mark are not compared.  If the text
 * is found, sets *at to the offset after it.  Returns true if it is found. */
static bool
find_passage(const struct ctx_buf *stored, size_t *at, struct ctx_str text)
{
	const char *found;

	while (text.n > 0 && is_beside_mark(text.p[0]))
		text.p++, text.n--;
	while (text.n > 0 && is_beside_mark(text.p[text.n - 1]))
		text.n--;
	if (text.n == 0)
		return true;
	found = memmem(stored->p + *at, stored->n - *at, text.p, text.n);
	if (found == NULL)
		return false;
	*at = (size_t)(found - stored->p) + text.n;
	return true;
}

/* A text may contain short marks of ctx-truncate.  Searches the stored text for
 * each passage between these marks, in their order.  Returns true if all are
 * found. */
static bool
find_passages(const struct ctx_buf *stored, size_t *at, struct ctx_str text)
{
	const char *mark;
	size_t n;

	while ((mark = memmem(text.p, text.n, ELLIPSIS, sizeof ELLIPSIS - 1)) !=
	    NULL) {
		n = (size_t)(mark - text.p);
		if (!find_passage(stored, at, (struct ctx_str){text.p, n}))
			return false;
		text.p += n + sizeof ELLIPSIS - 1;
		text.n -= n + sizeof ELLIPSIS - 1;
	}
	return find_passage(stored, at, text);
}

/* Returns true if nothing of the text before a reference is lost when the
 * stored text replaces it: the stored text contains this text.  Marks of
 * ctx-truncate and ctx-prune in the text count as passages of the stored
 * text. */
static bool
is_stored(struct ctx_str text, const struct ctx_buf *stored)
{
	struct protected_span_walk walk;
	struct protected_span span = {0};
	size_t at = 0, from = 0;
	bool more;

	ctx_protected_spans_begin(&walk, text.p, text.n);
	do {
		more = ctx_protected_span_next(&walk, &span);
		if (!more)
			span.from = text.n;
		if (!find_passages(stored, &at,
			(struct ctx_str){text.p + from, span.from - from}))
			return false;
		from = span.to;
	} while (more);
	return true;
}

/* Appends the stored tool result in restoration->file to the replacement bytes
 * of an edit.  If media in the result were moved to files earlier, puts the
 * media back, too. */
static int
append_scanned_content(struct restoration *restoration, struct ctx_err *err)
{
	const struct ctx_json *json = &restoration->json;
	struct ctx_str all = {restoration->file.p, restoration->file.n - 1};
	uint32_t text;
	int rc = 0;

	for (uint32_t node = 0; rc == 0 && node < json->n; node++) {
		if (json->nodes[node].kind != CTX_JSON_OBJECT)
			continue;
		text = ctx_json_find(json, node, "text");
		if (ctx_json_is_string(json, text))
			rc = ctx_restore_media(restoration, json, node, text,
			    &restoration->nested_edits, err);
	}
	if (rc == 0)
		rc = ctx_edits_apply(&restoration->nested_edits, all,
		    &restoration->rewrite.edits.store, err);
	ctx_edits_reset(&restoration->nested_edits);
	return rc;
}

/* Appends a stored tool result to the replacement bytes of an edit, if the
 * result cannot be restored from its text alone.  Reads the JSON of the result
 * from the file NAME.json, whose SHA-256 is in the reference. */
static int
append_content_from_json(struct restoration *restoration,
    const struct ctx_reference *ref, enum ctx_aged_result_state *state,
    struct ctx_err *err)
{
	struct ctx_buf *file = &restoration->file;
	int rc;

	if (ctx_buf_printf(&restoration->name, err, ".json") < 0 ||
	    ctx_restore_read_referenced(restoration, ref, file, state, err) < 0)
		return -1;
	rc = *state == CTX_AGED_WHOLE
	    ? ctx_restore_scan_line(&restoration->json, file, err)
	    : 0;
	if (rc != 0)
		return rc < 0 ? -1 : append_scanned_content(restoration, err);
	*state = CTX_AGED_CHANGED;
	return 0;
}

static int
set_file_name(struct restoration *restoration, const struct ctx_reference *ref,
    struct ctx_err *err)
{
	restoration->name.n = 0;
	return ctx_buf_printf(&restoration->name, err, "%.*s", (int)ref->name.n,
	    ref->name.p);
}

/* Appends a stored tool result that can be restored from its text, with the
 * arguments of append_referenced_content.  Leaves the text in
 * restoration->file. */
static int
append_content_from_text(struct restoration *restoration,
    const struct ctx_spool_sum *sum, const char *const *form,
    enum ctx_aged_result_state *state, struct ctx_err *err)
{
	struct ctx_buf *file = &restoration->file;

	if (ctx_restore_read_file(restoration, sum, file, state, err) < 0)
		return -1;
	if (*state == CTX_AGED_WHOLE &&
	    ctx_utf8_valid(file->p, file->n, CTX_SIMD_BEST) != file->n)
		*state = CTX_AGED_CHANGED;
	return *state == CTX_AGED_WHOLE
	    ? ctx_result_content_add(&restoration->rewrite.edits.store, form,
		  file->p, file->n, err)
	    : 0;
}

/* Appends a stored tool result that cannot be restored from its text alone,
 * with the arguments of append_referenced_content.  Leaves the text in
 * restoration->file. */
static int
append_content_beside_text(struct restoration *restoration,
    const struct ctx_reference *ref, const struct ctx_spool_sum *sum,
    enum ctx_aged_result_state *state, struct ctx_err *err)
{
	if (append_content_from_json(restoration, ref, state, err) < 0)
		return -1;
	if (*state != CTX_AGED_WHOLE)
		return 0;
	return set_file_name(restoration, ref, err) < 0
	    ? -1
	    : ctx_restore_read_file(restoration, sum, &restoration->file, state,
		  err);
}

/* Appends a stored tool result to the replacement bytes of an edit, if the
 * files of the reference and the text before the reference, in
 * restoration->text, are unchanged. form: for a result that consists of one
 * text, the JSON before and after the string of this text.  A file is read into
 * memory only if it has the right size, and it or the JSON beside it has the
 * right SHA-256. */
static int
append_referenced_content(struct restoration *restoration,
    const struct ctx_reference *ref, const char *const *form,
    enum ctx_aged_result_state *state, struct ctx_err *err)
{
	struct ctx_str before = {restoration->text.p, ref->at};
	/* The reference says how many characters the file has.  A character has
	 * at most 4 bytes in UTF-8, so a longer file was changed. */
	uint64_t max_bytes =
	    ref->chars < MAX_FILE / 4 ? 4 * ref->chars : MAX_FILE;
	struct ctx_spool_sum sum;
	int rc;

	if (set_file_name(restoration, ref, err) < 0 ||
	    ctx_restore_sum_file(restoration, max_bytes, &sum, state, err) < 0)
		return -1;
	if (*state != CTX_AGED_WHOLE)
		return 0;
	if (sum.chars != ref->chars) {
		*state = CTX_AGED_CHANGED;
		return 0;
	}
	rc = memcmp(sum.digits, ref->digits.p, sizeof sum.digits) == 0
	    ? append_content_from_text(restoration, &sum, form, state, err)
	    : append_content_beside_text(restoration, ref, &sum, state, err);
	if (rc == 0 && *state == CTX_AGED_WHOLE &&
	    !is_stored(before, &restoration->file))
		*state = CTX_AGED_EDITED;
	return rc;
}

/* Returns the JSON node that a stored result replaces: the content of the tool
 * result.  Exception: if the stored result is an array, and the content is a
 * reference that is the only element of an array, returns this array. from:
 * offset in the replacement bytes of the edits at which the stored result
 * begins. */
static uint32_t
find_replaced(const struct restoration *restoration,
    const struct ctx_json *json, uint32_t content, size_t from)
{
	uint32_t array = content - 1;

	return restoration->rewrite.edits.store.p[from] == '[' &&
		json->nodes[content].kind == CTX_JSON_STRING &&
		json->nodes[array].kind == CTX_JSON_ARRAY &&
		json->nodes[array].next == json->nodes[content].next
	    ? array
	    : content;
}

/* Puts back a tool result that ctx-age has replaced by a reference: adds the
 * edit of its content. content: JSON node of the content. */
static int
restore_result(struct restoration *restoration, const struct ctx_event *event,
    uint32_t content, struct ctx_err *err)
{
	const struct ctx_json *json = event->message->json;
	const struct ctx_dialect *dialect = event->layout->dialect;
	uint32_t node = ctx_result_content_text(json, content, dialect);
	size_t from = restoration->rewrite.edits.store.n;
	enum ctx_aged_result_state state;
	struct ctx_reference ref;
	int rc;

	if (node == 0 || !ctx_reference_may_be(ctx_json_str(json, node)))
		return 0;
	restoration->text.n = 0;
	if (ctx_json_string_decode(&restoration->text, ctx_json_str(json, node),
		err) < 0)
		return -1;
	if (!ctx_reference_find(restoration->text.p, restoration->text.n, &ref))
		return 0;
	rc = ctx_restore_find_spool(restoration, &ref, err);
	if (rc <= 0)
		return rc;
	if (append_referenced_content(restoration, &ref,
		ctx_result_content_form(json, content, dialect), &state,
		err) < 0)
		return -1;
	ctx_buf_reset(&restoration->file);
	if (ctx_restore_report_reference(restoration, &ref, state, err) < 0)
		return -1;
	if (state != CTX_AGED_WHOLE)
		return 0;
	content = find_replaced(restoration, json, content, from);
	return ctx_edits_replace_stored(&restoration->rewrite.edits,
	    ctx_json_str(json, content), from, err);
}

int
ctx_restore_block(struct restoration *restoration,
    const struct ctx_event *event, size_t i, size_t first, struct ctx_err *err)
{
	const struct ctx_block *block = &event->message->blocks[i];
	const struct ctx_json *json = event->message->json;

	if (block->kind == CTX_BLOCK_TOOL_RESULT)
		return restore_result(restoration, event, block->payload, err);
	if (block->kind != CTX_BLOCK_TEXT || block->removable == 0 ||
	    !ctx_json_is_string(json, block->payload) ||
	    ctx_edits_touch(&restoration->rewrite.edits, first,
		ctx_json_str(json, block->removable)))
		return 0;
	return ctx_restore_media(restoration, json, block->removable,
	    block->payload, &restoration->rewrite.edits, err);
}

int
ctx_restore_copy(struct restoration *restoration, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	const struct ctx_json *json = message->json;
	uint32_t copy = message->result_copy, node = 0;

	if (ctx_result_copied(message) == message->n)
		return 0;
	/* The agent's copy of the tool result may consist only of a reference.
	 * It is restored here, because ctx_result_copy_next skips strings that
	 * may be JSON, and a reference begins with a bracket as JSON does. */
	if (json->nodes[copy].kind == CTX_JSON_STRING)
		return restore_result(restoration, event, copy, err);
	while ((node = ctx_result_copy_next(message, node)) != 0)
		for (uint32_t i = node; i < json->nodes[node].next; i++)
			if (json->nodes[i].kind == CTX_JSON_STRING &&
			    restore_result(restoration, event, i, err) < 0)
				return -1;
	return 0;
}
