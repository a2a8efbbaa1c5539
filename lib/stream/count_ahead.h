/* count_ahead.h - what a stream and its reading ahead share */
#ifndef CTX_STREAM_COUNT_AHEAD_H
#define CTX_STREAM_COUNT_AHEAD_H

#include "stream/stream.h"

/* The next event as it is read, whatever is read ahead. */
int ctx_stream_step(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);

/* The next event of a stream that is read ahead. */
int ctx_count_ahead_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);
/* The memory of a record of an event, to be freed; NULL if it is not one of
 * its own, or somebody has it already. */
char *ctx_count_ahead_keep(const struct ctx_record *record);
/* The record of the event that was given last. */
const struct ctx_record *ctx_count_ahead_record(
    const struct ctx_stream *stream);
void ctx_count_ahead_close(struct ctx_count_ahead *prefetch);

#endif
