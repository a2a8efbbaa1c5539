/* count_ahead.h - shared by stream.c, next_event.c and count_ahead.c: reading a
 * stream whose messages are counted in several threads */
#ifndef CTX_STREAM_COUNT_AHEAD_H
#define CTX_STREAM_COUNT_AHEAD_H

#include "stream/stream.h"

/* Reads the next event of a stream in the calling thread.  Does not count the
 * tokens of the event's message. */
int ctx_stream_step(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);

/* Returns the next event of a stream whose messages are counted in several
 * threads. */
int ctx_count_ahead_next(struct ctx_stream *stream, struct ctx_event *event,
    struct ctx_err *err);
/* Returns the memory that contains the bytes of an event's record.  The caller
 * must free it.  Returns NULL if the memory also contains other records, or if
 * an earlier call has returned it. */
char *ctx_count_ahead_keep(const struct ctx_record *record);
/* Returns the record of the event that was returned last, or, if this record is
 * not in memory any more, the record that was read last. */
const struct ctx_record *ctx_count_ahead_record(
    const struct ctx_stream *stream);
void ctx_count_ahead_close(struct ctx_count_ahead *prefetch);

#endif
