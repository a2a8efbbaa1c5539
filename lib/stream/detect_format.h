/* detect_format.h - the dialect (format) of a stream's messages */
#ifndef CTX_STREAM_DETECT_FORMAT_H
#define CTX_STREAM_DETECT_FORMAT_H

#include "stream/stream.h"

/* Finds where the JSON value at node, of the stream's record, has messages, and
 * their dialect.  If the user has chosen a dialect, it is this dialect. */
void ctx_stream_find_layout(struct ctx_stream *stream, uint32_t node,
    struct ctx_record_layout *layout);
/* Chooses the dialect (format) of a message that is a record of its own.  The
 * first message that is possible in only one dialect also decides the dialect
 * of the stream. */
void ctx_stream_decide_dialect(struct ctx_stream *stream);
/* Stores for the user how the format of the stream was detected: by the first
 * record that is possible in only one format; if there is none, by the first
 * record that is typical of a format; if there is none, by the first
 * message. */
void ctx_stream_record_detection(struct ctx_stream *stream,
    const struct ctx_record_layout *layout);
/* Does nothing if messages, or such a path, were found before.  If ctx does not
 * read the messages that the record seems to have, stores the path to them.
 * Otherwise stores file and line of the first JSON record. */
int ctx_stream_suggest_path(struct ctx_stream *stream, struct ctx_err *err);

/* Sets stream->foreseen to the dialect that the stream's messages will have,
 * and stream->foreseen_model to the name of their model, without consuming
 * them. */
int ctx_stream_look_ahead(struct ctx_stream *stream, struct ctx_err *err);
/* Returns the dialect that decides how the tokens of the event's conversation
 * are counted if it names no model. */
const struct ctx_dialect *ctx_stream_counting_dialect(
    const struct ctx_stream *stream, const struct ctx_event *event);

#endif
