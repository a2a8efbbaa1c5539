/* age_result.c - replaces a tool result or media block by a reference to a
 * file */
#include <string.h>

#include "age/age_queue.h"
#include "cost/media.h"
#include "dialect/result_content.h"
#include "store/store.h"
#include "stream/placeholder.h"
#include "truncate/text_segments.h"

/* ---- the text of a result ---- */

/* Returns true if the block is a text block, and its text is a JSON string. */
static bool
is_text(const struct ctx_json *json, const struct ctx_block *block)
{
	return block->kind == CTX_BLOCK_TEXT &&
	    json->nodes[block->payload].kind == CTX_JSON_STRING;
}

/* Returns the JSON of a content block that is stored in a file: the string of a
 * text block, or the whole block of any other kind. */
static struct ctx_str
get_block_json(const struct ctx_json *json, const struct ctx_block *block)
{
	return ctx_json_str(json,
	    is_text(json, block) ? block->payload : block->removable);
}

/* Measures tool result i, because only results longer than a limit are
 * replaced.  Sets *chars to the length of the result in characters.  Sets *node
 * to the JSON string that is the whole result, or to 0 if the result is not a
 * single string. */
static void
measure_result(const struct ctx_message *message, size_t i, uint32_t *node,
    uint64_t *chars)
{
	const struct ctx_json *json = message->json;
	uint32_t content = message->blocks[i].payload;
	struct ctx_str raw;

	*node = ctx_result_content_text(json, content, message->dialect);
	if (*node != 0) {
		*chars = ctx_json_string_chars(ctx_json_str(json, *node));
		return;
	}
	if (!ctx_result_content_lists(message, i)) {
		raw = ctx_json_str(json, ctx_result_content_value(message, i));
		*chars = ctx_utf8_count(raw.p, raw.n);
		return;
	}
	*chars = 0;
	for (size_t k = i + 1;
	     k < message->n && message->blocks[k].result_index == i + 1; k++) {
		raw = get_block_json(json, &message->blocks[k]);
		*chars += is_text(json, &message->blocks[k])
		    ? ctx_json_string_chars(raw)
		    : ctx_utf8_count(raw.p, raw.n);
	}
}

/* Appends a content block of a tool result to aged->text, converted to text. */
static int
append_block_text(struct aged_result *aged, const struct ctx_json *json,
    const struct ctx_block *block, struct ctx_err *err)
{
	struct ctx_str raw = get_block_json(json, block);

	if (aged->text.n > 0 && ctx_buf_add(&aged->text, "\n", 1, err) < 0)
		return -1;
	if (is_text(json, block))
		return ctx_json_string_decode(&aged->text, raw, err);
	if (block->kind == CTX_BLOCK_MEDIA)
		return ctx_buf_printf(&aged->text, err,
		    "[media, %llu characters of JSON]",
		    (unsigned long long)ctx_utf8_count(raw.p, raw.n));
	return ctx_buf_add_str(&aged->text, raw, err);
}

/* Reads the text of tool result i into aged->text. node: the JSON string that
 * is the whole result, or 0 if the result is not a single string. */
static int
read_aged_text(struct aged_result *aged, const struct ctx_message *message,
    size_t i, uint32_t node, struct ctx_err *err)
{
	const struct ctx_json *json = message->json;
	aged->text.n = 0;
	if (node != 0)
		return ctx_json_string_decode(&aged->text,
		    ctx_json_str(json, node), err);
	if (!ctx_result_content_lists(message, i))
		return ctx_buf_add_str(&aged->text,
		    ctx_json_str(json, ctx_result_content_value(message, i)),
		    err);
	for (size_t k = i + 1;
	     k < message->n && message->blocks[k].result_index == i + 1; k++)
		if (append_block_text(aged, json, &message->blocks[k], err) < 0)
			return -1;
	return 0;
}

/* Sets *found to true if a tool result was already replaced: its text (the JSON
 * string literal) ends with a reference to a file of the spool (directory of
 * stored results). */
static int
is_reference(struct aged_result *aged, const struct ctx_age_config *options,
    struct ctx_str literal, bool *found, struct ctx_err *err)
{
	struct ctx_buf *text = &aged->scratch;
	struct ctx_reference ref;

	*found = false;
	if (!ctx_reference_may_be(literal))
		return 0;
	text->n = 0;
	if (ctx_json_string_decode(text, literal, err) < 0)
		return -1;
	*found = ctx_reference_find(text->p, text->n, &ref) &&
	    ctx_reference_into(&ref, options->spool);
	return 0;
}

/* ---- the JSON that replaces a result or media ---- */

/* Returns how many bytes at the beginning of a text are kept: as many as
 * possible, but at most chars characters, and without dividing a grapheme
 * cluster or base64 data. */
static size_t
find_head_end(const char *p, size_t n, uint64_t chars)
{
	struct ctx_grapheme grapheme = {0};
	size_t at = 0, cut = 0, length;
	struct protected_span_walk walk;
	struct protected_span span;
	uint32_t cp;
	bool more;

	ctx_protected_spans_begin(&walk, p, n);
	more = ctx_protected_span_next(&walk, &span);
	for (; at < n; at += length, chars--) {
		length = ctx_utf8_next(p + at, n - at, &cp);
		while (more && span.to <= at)
			more = ctx_protected_span_next(&walk, &span);
		if (ctx_grapheme_next(&grapheme, cp) &&
		    !(more && span.from < at))
			cut = at;
		if (chars == 0)
			return cut;
	}
	return n;
}

/* Writes the text that replaces aged->text to aged->scratch: the beginning of
 * aged->text, and a reference to a file.  Stores the name of the file in
 * aged->file_name.  With the option mask, the text is CTX_CLEARED, and there is
 * no file. restores: true if the JSON aged->replaced can be restored byte for
 * byte from aged->text; this JSON is then not stored. */
static int
make_reference_text(struct aged_result *aged,
    const struct ctx_age_config *options, struct ctx_str tool, bool restores,
    struct ctx_err *err)
{
	/* A line feed is stored after the JSON.  Otherwise another result whose
	 * text is equal to this JSON would have the same hash and file name. */
	const struct ctx_str json_pieces[] = {aged->replaced, {"\n", 1}};
	const struct ctx_str text = {aged->text.p, aged->text.n};
	char digits[CTX_SPOOL_DIGITS];
	struct ctx_buf *out = &aged->scratch;

	out->n = aged->file_name.n = 0;
	aged->json = (struct ctx_str){NULL, 0};
	aged->json_only = false;
	if (options->mask)
		return ctx_buf_add(out, CTX_CLEARED, strlen(CTX_CLEARED), err);
	if (restores) {
		ctx_spool_hash_chunks(digits, &text, 1);
	} else {
		aged->json = json_pieces[0];
		ctx_spool_hash_chunks(digits, json_pieces, 2);
	}
	if (ctx_spool_name(&aged->file_name, options->format, tool, digits,
		err) < 0 ||
	    ctx_buf_add(out, text.p,
		find_head_end(text.p, text.n, options->head), err) < 0)
		return -1;
	return ctx_reference_add(out, options->spool, aged->file_name.p,
	    CTX_REFERENCE_MIDDLE, ctx_utf8_count(text.p, text.n), err);
}

/* Sets *tokens to the number of tokens of a tool result, including the blocks
 * inside it. */
static int
count_result_tokens(const struct age_candidate *result, uint64_t *tokens,
    struct ctx_err *err)
{
	const struct ctx_message *message = result->message;
	struct ctx_cost cost = {0};
	size_t k = result->i;

	do {
		if (ctx_count_block(result->counter, message, k, &cost, err) <
		    0)
			return -1;
		k++;
	} while (
	    k < message->n && message->blocks[k].result_index == result->i + 1);
	*tokens = cost.tokens;
	return 0;
}

/* Sets aged->saved_tokens to the number of tokens that are saved if the text in
 * aged->scratch replaces a tool result. before: number of tokens of the result.
 * Returns 1 if tokens are saved, 0 if not, or -1 with *err. */
static int
count_saved(struct aged_result *aged, uint64_t before,
    struct ctx_counter *counter, struct ctx_err *err)
{
	uint64_t after;

	if (ctx_token_count(counter->tokens, aged->scratch.p, aged->scratch.n,
		&after, err) < 0)
		return -1;
	after =
	    ctx_text_to_model(counter, aged->scratch.p, aged->scratch.n, after);
	aged->saved_tokens = before > after ? before - after : 0;
	return aged->saved_tokens > 0;
}

int
ctx_age_result(struct aged_result *aged, const struct ctx_age_config *options,
    const struct age_candidate *result, struct ctx_err *err)
{
	const struct ctx_message *message = result->message;
	const struct ctx_json *json = message->json;
	uint32_t content = message->blocks[result->i].payload, node;
	uint64_t chars, before;
	bool is_aged = false;
	int rc;

	measure_result(message, result->i, &node, &chars);
	if (chars <= options->over)
		return 0;
	if (node != 0 &&
	    is_reference(aged, options, ctx_json_str(json, node), &is_aged,
		err) < 0)
		return -1;
	if (is_aged)
		return 0;
	aged->replaced = ctx_json_str(json, content);
	/* The tokens are counted before the text is copied to aged->text.  So
	 * only one copy of the text is in memory at a time. */
	if (count_result_tokens(result, &before, err) < 0 ||
	    read_aged_text(aged, message, result->i, node, err) < 0 ||
	    make_reference_text(aged, options, result->tool,
		ctx_result_content_restores(json, content, message->dialect),
		err) < 0)
		return -1;
	rc = count_saved(aged, before, result->counter, err);
	if (rc <= 0)
		return rc;
	aged->replacement.n = 0;
	return ctx_result_content_add(&aged->replacement,
		   ctx_result_content_form(json, content, message->dialect),
		   aged->scratch.p, aged->scratch.n, err) < 0
	    ? -1
	    : 1;
}

/* Reads a text of the copy of a tool result that some agents keep beside the
 * message into aged->text. node: JSON string of the text, or an array of
 * strings, each of which becomes a line. */
static int
read_copied_text(struct aged_result *aged, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err)
{
	aged->text.n = 0;
	if (json->nodes[node].kind == CTX_JSON_STRING)
		return ctx_json_string_decode(&aged->text, aged->replaced, err);
	for (uint32_t i = node + 1; i < json->nodes[node].next; i++)
		if (ctx_json_string_decode(&aged->text, ctx_json_str(json, i),
			err) < 0 ||
		    ctx_buf_add(&aged->text, "\n", 1, err) < 0)
			return -1;
	return 0;
}

int
ctx_age_copied_text(struct aged_result *aged,
    const struct ctx_age_config *options, const struct age_candidate *result,
    uint32_t node, struct ctx_err *err)
{
	static const char *const list_form[2] = {"[", "]"};
	static const char *const text_form[2] = {"", ""};
	const struct ctx_json *json = result->message->json;
	bool is_text = json->nodes[node].kind == CTX_JSON_STRING, is_aged;

	if (ctx_result_copy_chars(result->message, node) <= options->over)
		return 0;
	aged->replaced = ctx_json_str(json, node);
	if (is_reference(aged, options, aged->replaced, &is_aged, err) < 0)
		return -1;
	if (is_aged)
		return 0;
	if (read_copied_text(aged, json, node, err) < 0 ||
	    make_reference_text(aged, options, result->tool,
		is_text && ctx_json_string_is_normalized(aged->replaced),
		err) < 0)
		return -1;
	if (aged->scratch.n >= aged->text.n)
		return 0;
	aged->replacement.n = 0;
	return ctx_result_content_add(&aged->replacement,
		   is_text ? text_form : list_form, aged->scratch.p,
		   aged->scratch.n, err) < 0
	    ? -1
	    : 1;
}

/* ---- media ---- */

/* Sets aged->file_name to the name of the file in which a media block is
 * stored.  The extension of the name is the format of the media.  If the block
 * has only a link to the media, the block itself is stored, and the extension
 * is "json". */
static int
name_media(struct aged_result *aged, const struct ctx_age_config *options,
    const struct ctx_media *media, const char digits[CTX_SPOOL_DIGITS],
    struct ctx_err *err)
{
	const char *end = media->base64.n == 0 ? "json"
	    : media->format != NULL            ? media->format
					       : "bin";
	struct ctx_buf *name = &aged->file_name;
	struct ctx_str found;

	if (ctx_spool_name(name, options->format,
		(struct ctx_str){media->kind, strlen(media->kind)}, digits,
		err) < 0)
		return -1;
	/* The name ends in the extension for texts, which is replaced by the
	 * extension for the media. */
	(void)ctx_spool_is_name((struct ctx_str){name->p, name->n - 1}, &found);
	name->n = (size_t)(found.p - name->p) + found.n;
	return ctx_buf_printf(name, err, ".%s", end) < 0
	    ? -1
	    : ctx_buf_add(name, "", 1, err);
}

/* Writes to aged->scratch the text that replaces a media block, with a
 * reference to a file.  Sets aged->file_name to the name of this file.  With
 * the option mask, there is no reference and no file. */
static int
make_media_text(struct aged_result *aged, const struct ctx_age_config *options,
    const struct ctx_json *json, const struct ctx_media *media,
    struct ctx_err *err)
{
	const struct ctx_str file[] = {aged->replaced, {"\n", 1}};
	char digits[CTX_SPOOL_DIGITS];
	uint64_t bytes = media->bytes;

	aged->scratch.n = aged->file_name.n = 0;
	if (ctx_placeholder_add(&aged->scratch, json, media, options->mask,
		err) < 0)
		return -1;
	if (options->mask)
		return 0;
	aged->json = file[0];
	aged->json_only = media->base64.n == 0;
	if (aged->json_only)
		bytes = aged->replaced.n + 1;
	ctx_spool_hash_chunks(digits, file, 2);
	if (name_media(aged, options, media, digits, err) < 0)
		return -1;
	return ctx_reference_add(&aged->scratch, options->spool,
	    aged->file_name.p, CTX_REFERENCE_BYTES, bytes, err);
}

int
ctx_age_media(struct aged_result *aged, const struct ctx_age_config *options,
    const struct age_candidate *candidate, struct ctx_err *err)
{
	const struct ctx_message *message = candidate->message;
	const struct ctx_dialect *dialect = message->dialect;
	const struct ctx_json *json = message->json;
	uint32_t block = ctx_media_block(message, candidate->i);
	struct ctx_cost cost = {0};
	struct ctx_media media;
	int rc;

	if (block == 0)
		return 0;
	aged->replaced = ctx_json_str(json, block);
	aged->text.n = aged->replacement.n = 0;
	if (ctx_count_block(candidate->counter, message, candidate->i, &cost,
		err) < 0 ||
	    ctx_media_look(json, block, &aged->replacement, &media, err) < 0 ||
	    ctx_media_decode(media.base64, &aged->text, err) < 0 ||
	    make_media_text(aged, options, json, &media, err) < 0)
		return -1;
	rc = count_saved(aged, cost.tokens, candidate->counter, err);
	if (rc <= 0)
		return rc;
	aged->replacement.n = 0;
	return ctx_placeholder_block(&aged->replacement, dialect, json, block,
		   ctx_buf_str(&aged->scratch), err) < 0
	    ? -1
	    : 1;
}

/* ---- the files ---- */

int
ctx_aged_result_store(struct aged_result *aged, struct ctx_spool *spool,
    struct ctx_err *err)
{
	const struct ctx_str text = {aged->text.p, aged->text.n};
	const struct ctx_str json_pieces[] = {aged->json, {"\n", 1}};
	struct ctx_buf *name = &aged->scratch;

	if (aged->json.n > 0) {
		name->n = 0;
		if (ctx_buf_printf(name, err, "%s%s", aged->file_name.p,
			aged->json_only ? "" : ".json") < 0 ||
		    ctx_spool_put(spool, name->p, json_pieces, 2, err) < 0)
			return -1;
	}
	return aged->json_only
	    ? 0
	    : ctx_spool_put(spool, aged->file_name.p, &text, 1, err);
}

void
ctx_aged_result_trim(struct aged_result *aged)
{
	ctx_buf_reset(&aged->text);
	ctx_buf_reset(&aged->scratch);
	ctx_buf_reset(&aged->replacement);
}

void
ctx_aged_result_release(struct aged_result *aged)
{
	ctx_buf_release(&aged->text);
	ctx_buf_release(&aged->replacement);
	ctx_buf_release(&aged->file_name);
	ctx_buf_release(&aged->scratch);
}
