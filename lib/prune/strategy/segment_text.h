/* segment_text.h - the text of a segment, for strategies that rank by it */
#ifndef CTX_PRUNE_STRATEGY_SEGMENT_TEXT_H
#define CTX_PRUNE_STRATEGY_SEGMENT_TEXT_H

#include "message/message.h"

/* Appends the text of a JSON node (its JSON, if it is no string) and a space.
 * Appends nothing for node 0. */
int ctx_append_node_text(struct ctx_buf *text, const struct ctx_json *json,
    uint32_t node, struct ctx_err *err);
/* Appends the texts of a segment and the names of its tools, each with a space
 * after it.  Encrypted reasoning is left out: its base64 would count as rare
 * names. scratch: memory for the names. flags: those of the segment, which
 * say whether it is a part of the message. */
int ctx_append_segment_text(struct ctx_buf *text, struct ctx_buf *scratch,
    const struct ctx_message *message, unsigned flags, struct ctx_err *err);

#endif
