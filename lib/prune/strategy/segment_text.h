/* segment_text.h - collects the text of a segment (a message or a part of it)
 * for strategies that rank messages by their text */
#ifndef CTX_PRUNE_STRATEGY_SEGMENT_TEXT_H
#define CTX_PRUNE_STRATEGY_SEGMENT_TEXT_H

#include "message/message.h"

/* Appends the value of a JSON node, and a space, to the buffer "text".  The
 * value is decoded if it is a string; otherwise its JSON is appended.  Does
 * nothing for node 0. */
int ctx_append_node_text(struct ctx_buf *text, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err);
/* Returns true if a block belongs to a segment (message or part of one). flags:
 * flags of the segment, which say which part of the message it is. */
bool ctx_is_in_segment(const struct ctx_block *block, unsigned flags);
/* Appends the name of a block's tool and the text of the block to the buffer
 * "text", each with a space after it.  Leaves out encrypted reasoning, because
 * its base64 would look like rare names. scratch: buffer in which the name is
 * made. */
int ctx_append_block_text(struct ctx_buf *text, struct ctx_buf *scratch,
    const struct ctx_message *message, const struct ctx_block *block,
    struct ctx_err *err);

#endif
