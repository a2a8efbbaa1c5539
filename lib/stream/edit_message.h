/* edit_message.h - what a plan means for the bytes of a message */
#ifndef CTX_STREAM_EDIT_MESSAGE_H
#define CTX_STREAM_EDIT_MESSAGE_H

#include "message/message.h"

/* Notes the removal of children of a message's containers: gone[i] says
 * whether node i of the message goes, counted from its own. */
int ctx_edits_remove_nodes(struct ctx_edits *edits,
    const struct ctx_message *message, const bool *gone, struct ctx_err *err);

#endif
