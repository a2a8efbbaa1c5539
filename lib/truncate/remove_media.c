/* remove_media.c - replaces the images, documents and audio of a message by
 * short texts */
#include "cost/media.h"
#include "stream/placeholder.h"
#include "truncate/truncation.h"

int
ctx_truncate_is_media(struct truncation *truncation,
    const struct ctx_message *message, size_t i, bool *is, struct ctx_err *err)
{
	struct ctx_reference ref;

	*is = message->blocks[i].kind == CTX_BLOCK_MEDIA;
	return *is ? 0
		   : ctx_placeholder_read_block(message, i, &truncation->text,
			 is, &ref, err);
}

/* Replaces media block i of a message by a text block.  Keeps the block in
 * three cases: the message format has no text block; the block is in a result
 * of a tool that the options do not select; an edit of this message already
 * replaces a range that contains the block. first: number of the first edit of
 * this message. */
static int
replace_media_block(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t i, size_t first, struct ctx_err *err)
{
	struct ctx_truncate_config *options = truncation->options;
	const struct ctx_message *message = event->message;
	const struct ctx_dialect *dialect = event->layout->dialect;
	uint32_t block = ctx_media_block(message, i);
	uint32_t owner = message->blocks[i].result_index;
	struct ctx_media media;
	struct ctx_str old, tool;

	if (block == 0)
		return 0;
	old = ctx_json_str(message->json, block);
	if (ctx_edits_touch(&truncation->rewrite.edits, first, old))
		return 0;
	if (owner != 0 &&
	    ctx_tracker_tool(tracker, event, owner - 1, &tool, err) < 0)
		return -1;
	if (owner != 0 &&
	    !ctx_pattern_selects(&options->tool, &options->not_tool, tool.p,
		tool.n, &truncation->match_left))
		return 0;
	truncation->counts->media++;
	truncation->out.n = 0;
	if (ctx_media_look(message->json, block, &truncation->text, &media,
		err) < 0 ||
	    ctx_placeholder_add(&truncation->out, message->json, &media, true,
		err) < 0)
		return -1;
	truncation->text.n = 0;
	if (ctx_placeholder_block(&truncation->text, dialect, message->json,
		block, ctx_buf_str(&truncation->out), err) < 0)
		return -1;
	return ctx_edits_replace(&truncation->rewrite.edits, old,
	    truncation->text.p, truncation->text.n, err);
}

int
ctx_truncate_media(struct truncation *truncation,
    struct conversation_tracker *tracker, const struct ctx_event *event,
    size_t first, struct media_numbers media, struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	uint64_t number = media.first;
	bool is;

	for (size_t i = 0; i < message->n && number < media.end; i++) {
		if (ctx_truncate_is_media(truncation, message, i, &is, err) < 0)
			return -1;
		if (message->blocks[i].kind == CTX_BLOCK_MEDIA &&
		    replace_media_block(truncation, tracker, event, i, first,
			err) < 0)
			return -1;
		number += is;
	}
	ctx_buf_reset(&truncation->text);
	ctx_buf_reset(&truncation->out);
	return 0;
}

uint64_t
ctx_truncate_kept_media(const struct truncation *truncation,
    const struct truncate_conversation *conversation)
{
	uint64_t keep = truncation->options->keep_media;

	if (!truncation->options->media || conversation->n_media <= keep)
		return 0;
	return conversation->n_media - keep;
}
