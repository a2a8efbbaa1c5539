/* media_payload.c - finds the data of an image or another media block, and
 * what kind of media it is */
#include <string.h>

#include "cost/media_payload.h"

/* Returns true if a text (a MIME type, a format or a file name) contains the
 * characters of "word" at its beginning, or after one of the characters / . : "
 * (so "document" has the word "doc"). */
static bool
has_word(struct ctx_str text, const char *word)
{
	size_t i, n = strlen(word);

	for (i = 0; i + n <= text.n; i++)
		if ((i == 0 || strchr("/.:\"", text.p[i - 1]) != NULL) &&
		    memcmp(text.p + i, word, n) == 0)
			return true;
	return false;
}

static enum ctx_media_kind
find_kind_by_name(struct ctx_str type)
{
	static const struct {
		const char *word;
		enum ctx_media_kind kind;
	} words[] = {{"pdf", CTX_MEDIA_PAGES}, {"doc", CTX_MEDIA_TEXT},
	    {"text", CTX_MEDIA_TEXT}, {"txt", CTX_MEDIA_TEXT},
	    {"csv", CTX_MEDIA_TEXT}, {"md", CTX_MEDIA_TEXT},
	    {"html", CTX_MEDIA_TEXT}, {"xls", CTX_MEDIA_TEXT},
	    {"audio", CTX_MEDIA_SOUND}, {"wav", CTX_MEDIA_SOUND},
	    {"mp3", CTX_MEDIA_SOUND}, {"flac", CTX_MEDIA_SOUND},
	    {"ogg", CTX_MEDIA_SOUND}, {"opus", CTX_MEDIA_SOUND},
	    {"aac", CTX_MEDIA_SOUND}, {"m4a", CTX_MEDIA_SOUND},
	    {"video", CTX_MEDIA_VIDEO}, {"mp4", CTX_MEDIA_VIDEO},
	    {"mov", CTX_MEDIA_VIDEO}, {"webm", CTX_MEDIA_VIDEO}};
	size_t i;

	for (i = 0; i < CTX_LENGTH(words); i++)
		if (has_word(type, words[i].word))
			return words[i].kind;
	return CTX_MEDIA_IMAGE;
}

/* Returns the kind of media according to the file extension of a URL, or
 * CTX_MEDIA_IMAGE for an unknown extension. */
static enum ctx_media_kind
find_kind_by_address(const char *p, size_t n)
{
	const char *query = memchr(p, '?', n);
	size_t end = query != NULL ? (size_t)(query - p) : n, at = end;

	while (at > 0 && p[at - 1] != '.' && p[at - 1] != '/')
		at--;
	if (at == 0 || p[at - 1] != '.')
		return CTX_MEDIA_IMAGE;
	return find_kind_by_name((struct ctx_str){p + at - 1, end - at + 1});
}

/* Reads the data of media from a text: base64, or a URL that begins with
 * "data:" and contains base64.  Any other URL only says where the data is
 * stored; its file extension may give the kind of media. */
static void
read_payload(struct ctx_media_payload *payload, const char *p, size_t n)
{
	const char *comma;

	if (n > 5 && memcmp(p, "data:", 5) == 0) {
		comma = memchr(p, ',', n < 200 ? n : 200);
		if (comma == NULL)
			return;
		payload->kind =
		    find_kind_by_name((struct ctx_str){p, (size_t)(comma - p)});
		n -= (size_t)(comma + 1 - p);
		p = comma + 1;
	} else if (memchr(p, ':', n < 20 ? n : 20) != NULL) {
		if (payload->kind == CTX_MEDIA_IMAGE)
			payload->kind = find_kind_by_address(p, n);
		return;
	}
	while (n > 0 && p[n - 1] == '=')
		n--;
	payload->bytes = (struct ctx_base64){p, n};
	if (ctx_base64_has(&payload->bytes, 0, "%PDF-"))
		payload->kind = CTX_MEDIA_PAGES;
	else if (payload->kind != CTX_MEDIA_SPEECH &&
	    ((ctx_base64_has(&payload->bytes, 0, "RIFF") &&
		 ctx_base64_has(&payload->bytes, 8, "WAVE")) ||
		ctx_read_mp3_rate(&payload->bytes) > 0))
		payload->kind = CTX_MEDIA_SOUND;
}

/* Finds out whether media are audio that the assistant spoke.  The provider has
 * stored such audio under an id; some messages also have a transcript. */
static void
find_speech(struct ctx_media_payload *payload, const struct ctx_json *json,
    uint32_t node, uint32_t data)
{
	uint32_t text = ctx_json_find(json, node, "transcript");
	uint32_t id = ctx_json_find(json, node, "id");

	if (id != 0 && payload->kind == CTX_MEDIA_IMAGE &&
	    (data == 0 || text != 0))
		payload->kind = CTX_MEDIA_SPEECH;
	if (ctx_json_is_string(json, text))
		payload->spoken =
		    ctx_json_string_chars(ctx_json_str(json, text));
}

/* Sets *kind to image, document, audio or video, according to the string at a
 * JSON node: a MIME type, a format or a file name. scratch is overwritten. */
static int
read_kind(const struct ctx_json *json, uint32_t node, struct ctx_buf *scratch,
    enum ctx_media_kind *kind, struct ctx_err *err)
{
	struct ctx_str text;

	scratch->n = 0;
	if (ctx_json_text(json, node, scratch, &text, err) < 0)
		return -1;
	*kind = find_kind_by_name(text);
	return 0;
}

/* Reads the properties of media from a JSON object, such as the MIME type.
 * Sets *in to the JSON node of the member that contains the data, or to 0 if
 * there is no such member. */
static int
read_payload_object(struct ctx_media_payload *payload,
    const struct ctx_json *json, uint32_t node, struct ctx_buf *scratch,
    uint32_t *in, struct ctx_err *err)
{
	static const char *const types[] = {"media_type", "mimeType",
	    "mime_type", "mediaType", "mime", "format", "filename"};
	static const char *const within[] = {"data", "image_url", "url",
	    "document_url", "file_data", "bytes", "source", "inlineData",
	    "inline_data", "fileData", "input_audio", "file", "image",
	    "document", "audio", "video", "base64", "content", "text", NULL};
	uint32_t value = 0, detail = ctx_json_find(json, node, "detail");
	enum ctx_media_kind kind;
	size_t i;

	if (ctx_json_is(json, detail, "low"))
		payload->detail = CTX_DETAIL_LOW;
	if (ctx_json_is(json, detail, "high"))
		payload->detail = CTX_DETAIL_HIGH;
	if (ctx_json_is(json, detail, "original"))
		payload->detail = CTX_DETAIL_ORIGINAL;
	for (i = 0; i < CTX_LENGTH(types); i++) {
		value = ctx_json_find(json, node, types[i]);
		if (value != 0 && payload->kind == CTX_MEDIA_IMAGE &&
		    read_kind(json, value, scratch, &payload->kind, err) < 0)
			return -1;
	}
	/* The member "type" may be the MIME type of the data, or only the type
	 * of the block, as in {"type": "audio", ...}.  So the value is used
	 * only if it is audio or video. */
	value = ctx_json_find(json, node, "type");
	if (ctx_json_is(json, value, "input_file"))
		payload->input_file = true;
	if (ctx_json_is(json, value, "document_url"))
		payload->document = true;
	if (value != 0 && payload->kind == CTX_MEDIA_IMAGE) {
		if (read_kind(json, value, scratch, &kind, err) < 0)
			return -1;
		if (kind == CTX_MEDIA_SOUND || kind == CTX_MEDIA_VIDEO)
			payload->kind = kind;
	}
	value = ctx_json_find_any(json, node, within);
	find_speech(payload, json, node, value);
	*in = value;
	return 0;
}

/* Removes line breaks and spaces from a base64 text, which may consist of
 * several lines. */
static void
strip_whitespace(struct ctx_buf *text)
{
	size_t i, n = 0;

	for (i = 0; i < text->n; i++)
		if (strchr(" \t\r\n", text->p[i]) == NULL || text->p[i] == '\0')
			text->p[n++] = text->p[i];
	text->n = n;
}

/* Returns true if a member of a JSON object says that the object is an
 * image. */
static bool
is_image_object(const struct ctx_json *json, uint32_t node)
{
	static const char *const keys[] = {"type", "media_type", "mimeType",
	    "mime_type", "mediaType", "mime", "modality"};
	uint32_t value;
	size_t i;

	for (i = 0; i < CTX_LENGTH(keys); i++) {
		value = ctx_json_find(json, node, keys[i]);
		if (ctx_json_starts_with(json, value, "image") ||
		    ctx_json_is(json, value, "input_image"))
			return true;
	}
	return ctx_json_find(json, node, "image") != 0;
}

/* Looks up several members of a JSON object.  Sets *text to the last of these
 * members that is a string.  Does not change *text if none is a string. */
static void
find_last_string(const struct ctx_json *json, uint32_t node,
    const char *const *keys, uint32_t *text)
{
	uint32_t value;

	for (; *keys != NULL; keys++) {
		value = ctx_json_find(json, node, *keys);
		if (ctx_json_is_string(json, value))
			*text = value;
	}
}

/* Finds the JSON nodes of the media's file name, and of its file id or URI. */
static void
find_file_names(struct ctx_media_payload *payload, const struct ctx_json *json,
    uint32_t node)
{
	static const char *const ids[] = {"file_id", "fileId", "fileUri",
	    "file_uri", "uri", NULL};
	static const char *const titles[] = {"displayName", "display_name",
	    "name", "title", "file_name", "filename", "document_name", NULL};

	find_last_string(json, node, ids, &payload->id);
	find_last_string(json, node, titles, &payload->title);
}

int
ctx_media_payload_find(struct ctx_media_payload *payload,
    const struct ctx_json *json, uint32_t node, struct ctx_buf *scratch,
    struct ctx_str *text, struct ctx_err *err)
{
	int depth;

	*text = (struct ctx_str){NULL, 0};
	/* The data of media may be in an object inside the block, such as
	 * "source", or in an object inside this object.  No format nests more
	 * than 4 objects. */
	for (depth = 0; depth < 4 && ctx_json_is_object(json, node); depth++) {
		payload->image |= is_image_object(json, node);
		find_file_names(payload, json, node);
		if (read_payload_object(payload, json, node, scratch, &node,
			err) < 0)
			return -1;
	}
	if (!ctx_json_is_string(json, node))
		return 0;
	scratch->n = 0;
	if (ctx_json_text(json, node, scratch, text, err) < 0)
		return -1;
	payload->plain = ctx_json_is(json, node - 1, "text");
	if (payload->plain)
		return 0;
	if (json->nodes[node].escaped) {
		strip_whitespace(scratch);
		text->n = scratch->n;
	}
	read_payload(payload, text->p, text->n);
	if (payload->document && payload->kind == CTX_MEDIA_IMAGE)
		payload->kind = CTX_MEDIA_PAGES;
	return 0;
}
