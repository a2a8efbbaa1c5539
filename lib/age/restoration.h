/* restoration.h - state and shared functions of ctx-restore, which puts back
 * tool results that ctx-age has moved to files */
#ifndef CTX_AGE_RESTORATION_H
#define CTX_AGE_RESTORATION_H

#include "age/age.h"
#include "age/reasoning_file.h"
#include "store/store.h"
#include "stream/conversation_tracker.h"
#include "stream/rewrite.h"

/* Maximum size in bytes of a stored file that ctx-restore puts back.  The
 * content of the file becomes a part of a record, in which offsets have 32
 * bits. */
#define MAX_FILE UINT32_MAX

/* A message into which a tool result, media or reasoning was put back.
 * Reported at the end of its record. */
struct restored_message {
	struct ctx_held_message held;
	/* token counter of the conversation's model */
	struct ctx_counter *counter;
	/* Id, in restoration.tools, of the first tool that the message
	 * names. */
	uint32_t tool;
	uint64_t index; /* index of the message in the conversation, from 0 */
	/* True if an earlier record of the same message was already
	 * reported. */
	bool continues;
	/* The JSON edits of this message: "edits" elements of the array
	 * rewrite.edits, from the index first_edit on. */
	size_t first_edit, edits;
};

/* State of ctx_restore_stream while it reads a stream. */
struct restoration {
	const struct ctx_restore_config *options;
	struct ctx_rewrite rewrite;
	struct ctx_model_counters *counters;
	/* Trackers of the conversations that are being read.  A tracker stores
	 * the model, the names of tools and the index of the current message.
	 * line_tracker: for the conversation in which each message is a record;
	 * record_tracker: for the conversation inside the current record. */
	struct conversation_tracker line_tracker, record_tracker;
	struct ctx_intern tools; /* names of tools, used in reports */
	/* The spool, the directory with the tool results that ctx-age has moved
	 * to files.  Its member fd is -1 if it is not open. */
	struct ctx_spool spool;
	bool no_spool; /* true if the spool directory does not exist */
	/* True once a text was read that may end with a reference to a file of
	 * ctx-age. */
	bool seen_reference;
	/* Places in their conversations of the messages that were read last.
	 * places[0]: of the last message that is a record; places[1]: of the
	 * last message inside a record. */
	struct message_place places[2];
	/* The original of a message, including its reasoning. */
	struct ctx_buf unstripped;
	/* edits that remove the reasoning from the original */
	struct ctx_edits strip_edits;
	struct ctx_buf stripped; /* the original without its reasoning */
	/* True if a reference in the record has another state than
	 * CTX_AGED_WHOLE.  The record is then left unchanged. */
	bool has_broken_reference;
	/* True if an earlier message keeps its reference, because its state is
	 * not CTX_AGED_WHOLE.  The provider would refuse signed reasoning
	 * after this message.  The index is that of "places". */
	bool keeps_reference[2];
	struct ctx_json json; /* JSON of a stored tool result */
	/* text: scratch memory; name, file: name and content of a spool
	 * file. */
	struct ctx_buf text, name, file;
	/* The members from block_json to block_array are for a media block that
	 * is put back.  The media block may be inside a tool result that is put
	 * back. */
	/* The media block that is put back, as the only element of a JSON
	 * array.  The array is node 0, so the block is node 1. */
	struct ctx_json block_json;
	/* For a media block inside a tool result that is put back: the edits of
	 * the result's JSON that replace texts by media. */
	struct ctx_edits nested_edits;
	struct ctx_buf placeholder, block, block_array;
};

/* ---- read_spool_file.c ---- */

/* Opens the spool (directory with the moved tool results) if the spool is not
 * open.  If the directory does not exist, sets restoration->no_spool, and
 * returns without error. */
int ctx_restore_open_spool(struct restoration *restoration,
    struct ctx_err *err);
/* Parses the content of a file as JSON into *json.  Returns 1 if the content is
 * exactly one JSON value and a line feed, 0 if not, or -1 with *err. */
int ctx_restore_scan_line(struct ctx_json *json, const struct ctx_buf *line,
    struct ctx_err *err);
/* Sets *state according to rc and *err, the result of ctx_spool_get or
 * ctx_spool_sum.  CTX_AGED_WHOLE: the spool file was read.  CTX_AGED_MISSING:
 * there is no such file.  CTX_AGED_CHANGED: the file is too long or not a
 * regular file.  Returns -1 if *err is another error, which must end the
 * run. */
int ctx_restore_check_file(int rc, enum ctx_aged_result_state *state,
    const struct ctx_err *err);
/* Computes the size and the SHA-256 of the spool file restoration->name into
 * *sum.  If the file has more than max_bytes bytes, sets *state to
 * CTX_AGED_CHANGED. */
int ctx_restore_sum_file(struct restoration *restoration, uint64_t max_bytes,
    struct ctx_spool_sum *sum, enum ctx_aged_result_state *state,
    struct ctx_err *err);
/* Reads the spool file restoration->name into *file.  If the size or SHA-256 of
 * the file differs from *sum, sets *state to CTX_AGED_CHANGED. */
int ctx_restore_read_file(struct restoration *restoration,
    const struct ctx_spool_sum *sum, struct ctx_buf *file,
    enum ctx_aged_result_state *state, struct ctx_err *err);
/* Reads the spool file restoration->name into *file.  If the file does not have
 * the SHA-256 that the reference says, sets *state to CTX_AGED_CHANGED. */
int ctx_restore_read_referenced(struct restoration *restoration,
    const struct ctx_reference *ref, struct ctx_buf *file,
    enum ctx_aged_result_state *state, struct ctx_err *err);
/* Finds whether a reference names a file in the spool (directory of stored
 * results), which is opened if needed.  Returns 1 if it does, even if the path
 * in the reference is written differently.  If the file is in another
 * directory, calls options->foreign and returns 0.  Returns -1 with *err after
 * an error. */
int ctx_restore_find_spool(struct restoration *restoration,
    const struct ctx_reference *ref, struct ctx_err *err);
/* Calls options->found for a reference to a file in the spool directory.  If
 * the state is not CTX_AGED_WHOLE, sets a flag that leaves the current record
 * unchanged. */
int ctx_restore_report_reference(struct restoration *restoration,
    const struct ctx_reference *ref, enum ctx_aged_result_state state,
    struct ctx_err *err);

/* ---- restore_media.c ---- */

/* Puts back a media block.  If ctx-age has written the text block at the JSON
 * node "node" in place of media, adds the edit that replaces the text block.
 * text: JSON node of the block's text. */
int ctx_restore_media(struct restoration *restoration,
    const struct ctx_json *json, uint32_t node, uint32_t text,
    struct ctx_edits *edits, struct ctx_err *err);

/* ---- restore_block.c ---- */

/* Puts back the original of content block i if ctx-age has replaced it by a
 * reference.  Does nothing if an earlier edit of this message has already
 * replaced the block. first: number of the first edit of this message. */
int ctx_restore_block(struct restoration *restoration,
    const struct ctx_event *event, size_t i, size_t first, struct ctx_err *err);

/* Puts back the original texts in the copy of a tool result that some agents
 * keep beside the message, if ctx-age has replaced these texts by
 * references. */
int ctx_restore_copy(struct restoration *restoration,
    const struct ctx_event *event, struct ctx_err *err);

/* ---- restore_reasoning.c ---- */

/* Puts back the reasoning that ctx-age has removed from a message.  Returns 1
 * if the reasoning was put back, 0 if not, or -1 with *err.  Reasoning is not
 * put back if its file is missing or belongs to another message.  It is also
 * not put back if a reference in an earlier message could not be replaced: the
 * provider would then refuse the reasoning. */
int ctx_restore_reasoning(struct restoration *restoration,
    const struct ctx_event *event, size_t first, struct ctx_err *err);

#endif
