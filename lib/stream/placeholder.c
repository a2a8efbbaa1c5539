/*
 * placeholder.c - writes and recognises placeholders: text blocks that replace
 * an image or other media
 *
 * A text is recognised as a placeholder only if the whole text has the form in
 * which ctx writes placeholders.  If an option keeps only the newest media, a
 * placeholder counts as one of the media, so that a second run of ctx keeps the
 * same media.
 */
#include <string.h>

#include "store/store.h"
#include "stream/placeholder.h"

#define REMOVED " removed"

/* Maximum lengths in bytes.  PLACE: of a title or address in the text that
 * replaces media.  LINE: of the first line of this text. */
enum { PLACE = 200, LINE = 500 };

/* ---- writing the first line ---- */

/* Returns true if a title or address can be shown in the text that replaces
 * media: it must be short UTF-8 without brackets and control characters, and no
 * URL with the scheme "data". */
static bool
is_displayable(struct ctx_str text)
{
	if (text.n == 0 || text.n > PLACE ||
	    (text.n > 5 && memcmp(text.p, "data:", 5) == 0) ||
	    ctx_utf8_valid(text.p, text.n, CTX_SIMD_BEST) != text.n)
		return false;
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f ||
		    text.p[i] == '[' || text.p[i] == ']')
			return false;
	return true;
}

/* Appends *before (a separator) and a title or address.  Sets *before to the
 * separator for the next text.  Does nothing if the title or address cannot be
 * shown in the text that replaces media. */
static int
append_displayable(struct ctx_buf *out, struct ctx_str text,
    const char **before, struct ctx_err *err)
{
	if (!is_displayable(text))
		return 0;
	if (ctx_buf_printf(out, err, "%s", *before) < 0 ||
	    ctx_buf_add_str(out, text, err) < 0)
		return -1;
	*before = ", ";
	return 0;
}

/* Appends a number with commas between groups of three digits, such as
 * 212,345. */
static int
append_number(struct ctx_buf *out, uint64_t n, struct ctx_err *err)
{
	uint64_t unit = 1;

	while (n / unit >= 1000)
		unit *= 1000;
	if (ctx_buf_printf(out, err, "%llu", (unsigned long long)(n / unit)) <
	    0)
		return -1;
	for (unit /= 1000; unit > 0; unit /= 1000)
		if (ctx_buf_printf(out, err, ",%03u",
			(unsigned)(n / unit % 1000)) < 0)
			return -1;
	return 0;
}

static int
append_media_format(struct ctx_buf *out, const struct ctx_media *media,
    const char **before, struct ctx_err *err)
{
	if (media->width > 0 && media->height > 0) {
		if (ctx_buf_printf(out, err, "%s%ux%u", *before,
			(unsigned)media->width, (unsigned)media->height) < 0)
			return -1;
		*before = " ";
	}
	if (media->format != NULL &&
	    ctx_buf_printf(out, err, "%s%s", *before, media->format) < 0)
		return -1;
	if (media->width > 0 || media->format != NULL)
		*before = ", ";
	return 0;
}

static int
append_title(struct ctx_buf *out, const struct ctx_json *json, uint32_t title,
    const char **before, struct ctx_err *err)
{
	struct ctx_buf scratch = {0};
	struct ctx_str text = {NULL, 0};
	int rc = 0;

	if (title != 0)
		rc = ctx_json_text(json, title, &scratch, &text, err);
	if (rc == 0)
		rc = append_displayable(out, text, before, err);
	ctx_buf_release(&scratch);
	return rc;
}

static int
append_size(struct ctx_buf *out, uint64_t bytes, const char **before,
    struct ctx_err *err)
{
	if (ctx_buf_printf(out, err, "%s", *before) < 0 ||
	    append_number(out, bytes, err) < 0)
		return -1;
	*before = ", ";
	return ctx_buf_add(out, " bytes", 6, err);
}

int
ctx_placeholder_add(struct ctx_buf *out, const struct ctx_json *json,
    const struct ctx_media *media, bool size, struct ctx_err *err)
{
	const char *before = ": ";

	if (ctx_buf_printf(out, err, "[%s" REMOVED, media->kind) < 0 ||
	    append_title(out, json, media->title, &before, err) < 0 ||
	    append_media_format(out, media, &before, err) < 0 ||
	    (size && media->bytes > 0 &&
		append_size(out, media->bytes, &before, err) < 0) ||
	    append_displayable(out, media->place, &before, err) < 0)
		return -1;
	return ctx_buf_add(out, "]", 1, err);
}

/* ---- writing the block ---- */

/* Returns true if the text block that replaces a media block also gets this
 * member of the media block. */
static bool
is_kept_member(const struct ctx_json *json, uint32_t key)
{
	static const char *const keys[] = {"cache_control",
	    "prompt_cache_breakpoint", "providerOptions", "providerMetadata",
	    "thought", "thoughtSignature", "thought_signature", "id",
	    "messageID", "sessionID", NULL};

	return ctx_json_is_any(json, key, keys);
}

int
ctx_placeholder_block(struct ctx_buf *out, const struct ctx_dialect *dialect,
    const struct ctx_json *json, uint32_t node, struct ctx_str text,
    struct ctx_err *err)
{
	const struct ctx_node *nodes = json->nodes;

	if (ctx_buf_add(out, dialect->text_block, strlen(dialect->text_block),
		err) < 0 ||
	    ctx_json_string_encode(out, text.p, text.n, err) < 0)
		return -1;
	for (uint32_t key = node + 1; key < nodes[node].next;
	     key = nodes[key + 1].next)
		if (is_kept_member(json, key) &&
		    (ctx_buf_add(out, ",", 1, err) < 0 ||
			ctx_buf_add(out, json->text + nodes[key].at,
			    nodes[key + 1].end - nodes[key].at, err) < 0))
			return -1;
	return ctx_buf_add(out, "}", 1, err);
}

/* ---- recognizing a placeholder ---- */

/* If the text at p begins with a kind of media, such as "image", returns the
 * length of this word in bytes, otherwise 0. */
static size_t
match_media_kind(const char *p, size_t n)
{
	const char *const *kind;
	size_t length;

	for (kind = ctx_media_kinds; *kind != NULL; kind++) {
		length = strlen(*kind);
		if (n > length && memcmp(p, *kind, length) == 0)
			return length;
	}
	return 0;
}

/* Returns true if the n bytes at p are the first line of a placeholder, the
 * text that replaces media. */
static bool
is_first_line(const char *p, size_t n)
{
	static const char removed[] = REMOVED;
	const size_t length = sizeof removed - 1;
	size_t at;

	if (n < 2 || n > LINE || p[0] != '[' || p[n - 1] != ']')
		return false;
	at = match_media_kind(p + 1, n - 1);
	if (at == 0 || n < at + length + 2 ||
	    memcmp(p + 1 + at, removed, length) != 0)
		return false;
	at += 1 + length;
	return at == n - 1 || p[at] == ':';
}

/* Returns true if a text is a placeholder (a text that replaces media).  If the
 * text contains a reference to a file, sets *ref to the reference. */
static bool
is_placeholder(const char *p, size_t n, struct ctx_reference *ref)
{
	const char *end = memchr(p, '\n', n);
	size_t first = end != NULL ? (size_t)(end - p) : n;

	memset(ref, 0, sizeof *ref);
	return is_first_line(p, first) &&
	    (end == NULL || ctx_reference_media(end + 1, n - first - 1, ref));
}

int
ctx_placeholder_read(struct ctx_str literal, struct ctx_buf *scratch, bool *is,
    struct ctx_reference *ref, struct ctx_err *err)
{
	*is = false;
	if (literal.n < 4 || literal.p[0] != '"' || literal.p[1] != '[' ||
	    !ctx_reference_may_be(literal))
		return 0;
	scratch->n = 0;
	if (ctx_json_string_decode(scratch, literal, err) < 0)
		return -1;
	*is = is_placeholder(scratch->p, scratch->n, ref);
	return 0;
}

int
ctx_placeholder_read_block(const struct ctx_message *message, size_t i,
    struct ctx_buf *scratch, bool *is, struct ctx_reference *ref,
    struct ctx_err *err)
{
	const struct ctx_block *block = &message->blocks[i];

	*is = false;
	if (block->kind != CTX_BLOCK_TEXT || block->removable == 0 ||
	    !ctx_json_is_string(message->json, block->payload))
		return 0;
	return ctx_placeholder_read(ctx_json_str(message->json, block->payload),
	    scratch, is, ref, err);
}
