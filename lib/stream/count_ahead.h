/* count_ahead.h - what stream.c, next_event.c and count_ahead.c share */
#ifndef CTX_STREAM_COUNT_AHEAD_H
#define CTX_STREAM_COUNT_AHEAD_H

#include "stream/stream.h"

/* Reads the next event directly, not ahead. */
int ctx_stream_step(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);

/* Gives out the next event of a stream whose messages are counted ahead. */
int ctx_count_ahead_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);
/* Takes the memory of an event's record; the caller must free it.  Returns NULL
 * if the record is a copy in the batch, or was taken before. */
char *ctx_count_ahead_keep(const struct ctx_record *record);
/* Returns the record of the event that was given out last. */
const struct ctx_record *ctx_count_ahead_record(
    const struct ctx_stream *stream);
void ctx_count_ahead_close(struct ctx_count_ahead *prefetch);

#endif
