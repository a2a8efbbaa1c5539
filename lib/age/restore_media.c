/* restore_media.c - puts back media that ctx-age has moved to files */
#include <string.h>

#include "age/restoration.h"
#include "cost/media.h"
#include "stream/placeholder.h"

/* Returns true if a file name ends in ".json".  Such a file contains a media
 * block that has only a link to its data. */
static bool
is_json_name(struct ctx_str name)
{
	static const char end[] = ".json";
	const size_t n = sizeof end - 1;

	return name.n > n && memcmp(name.p + name.n - n, end, n) == 0;
}

/* Parses restoration->block, the content of a file, as a media block into
 * restoration->block_json.  Returns 1, or 0 if the content is not a JSON object
 * and a line feed, or -1 with *err. */
static int
scan_block(struct restoration *restoration, struct ctx_err *err)
{
	const struct ctx_json *json = &restoration->block_json;
	struct ctx_buf *file = &restoration->block,
		       *line = &restoration->block_array;
	int rc;

	line->n = 0;
	if (ctx_buf_add(line, "[", 1, err) < 0 ||
	    ctx_buf_add_str(line, ctx_buf_str(file), err) < 0 ||
	    ctx_buf_add(line, "]\n", 2, err) < 0)
		return -1;
	rc = ctx_restore_scan_line(&restoration->block_json, line, err);
	return rc <= 0 ? rc
		       : json->n > 1 && json->nodes[1].next == json->n &&
		json->nodes[1].kind == CTX_JSON_OBJECT &&
		json->nodes[1].end == file->n;
}

/* Sets *is to true if restoration->placeholder is exactly the text that
 * ctx-age writes in place of the media block in restoration->block_json. */
static int
is_placeholder_of(struct restoration *restoration,
    const struct ctx_reference *ref, bool *is, struct ctx_err *err)
{
	struct ctx_buf scratch = {0}, line = {0};
	struct ctx_media media;
	uint64_t bytes;
	int rc;

	*is = false;
	rc = ctx_media_look(&restoration->block_json, 1, &scratch, &media, err);
	if (rc == 0)
		rc = ctx_placeholder_add(&line, &restoration->block_json,
		    &media, false, err);
	if (rc == 0) {
		bytes = media.base64.n > 0 ? media.bytes : restoration->block.n;
		*is = ref->chars == bytes &&
		    restoration->placeholder.n > line.n &&
		    restoration->placeholder.p[line.n] == '\n' &&
		    memcmp(restoration->placeholder.p, line.p, line.n) == 0 &&
		    is_json_name(ref->name) == (media.base64.n == 0);
	}
	ctx_buf_release(&scratch);
	ctx_buf_release(&line);
	return rc;
}

/* Reads the stored media block of a reference into restoration->block.  Sets
 * *state to whether the file of the block can be used. */
static int
read_spooled_block(struct restoration *restoration,
    const struct ctx_reference *ref, enum ctx_aged_result_state *state,
    struct ctx_err *err)
{
	bool is = false;
	int rc;

	restoration->name.n = 0;
	if (ctx_buf_printf(&restoration->name, err, "%.*s%s", (int)ref->name.n,
		ref->name.p, is_json_name(ref->name) ? "" : ".json") < 0 ||
	    ctx_restore_read_referenced(restoration, ref, &restoration->block,
		state, err) < 0)
		return -1;
	if (*state != CTX_AGED_WHOLE)
		return 0;
	rc = scan_block(restoration, err);
	if (rc < 0 ||
	    (rc > 0 && is_placeholder_of(restoration, ref, &is, err) < 0))
		return -1;
	if (!is)
		*state = CTX_AGED_CHANGED;
	return 0;
}

int
ctx_restore_media(struct restoration *restoration, const struct ctx_json *json,
    uint32_t node, uint32_t text, struct ctx_edits *edits, struct ctx_err *err)
{
	enum ctx_aged_result_state state;
	struct ctx_reference ref;
	bool is;
	int rc;

	if (ctx_placeholder_read(ctx_json_str(json, text),
		&restoration->placeholder, &is, &ref, err) < 0)
		return -1;
	if (!is || ref.path.n == 0)
		return 0;
	rc = ctx_restore_find_spool(restoration, &ref, err);
	if (rc <= 0)
		return rc;
	if (read_spooled_block(restoration, &ref, &state, err) < 0 ||
	    ctx_restore_report_reference(restoration, &ref, state, err) < 0)
		return -1;
	if (state == CTX_AGED_WHOLE &&
	    ctx_edits_replace(edits, ctx_json_str(json, node),
		restoration->block.p, restoration->block.n - 1, err) < 0)
		return -1;
	ctx_buf_reset(&restoration->block);
	ctx_buf_reset(&restoration->block_array);
	return 0;
}
