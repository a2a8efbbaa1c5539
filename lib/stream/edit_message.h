/* edit_message.h - turns the marks of a plan into edits of a message's bytes */
#ifndef CTX_STREAM_EDIT_MESSAGE_H
#define CTX_STREAM_EDIT_MESSAGE_H

#include "message/message.h"

/* Adds the removal of blocks from their containers: those whose removable node
 * i has gone[i - message->node] set. */
int ctx_edits_remove_nodes(struct ctx_edits *edits,
    const struct ctx_message *message, const bool *gone, struct ctx_err *err);

#endif
