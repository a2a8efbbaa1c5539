/* demonstration.h - recognises demonstrations: user messages that show how an
 * earlier task was done */
#ifndef CTX_GROUP_DEMONSTRATION_H
#define CTX_GROUP_DEMONSTRATION_H

#include "message/message.h"

/* Sets *demo to true if a user message is a demonstration (see
 * CTX_SEGMENT_DEMONSTRATION), otherwise to false.  Returns -1 with *err if
 * there is no memory. */
int ctx_is_demonstration(const struct ctx_message *message,
    struct ctx_buf *scratch, bool *demo, struct ctx_err *err);

#endif
