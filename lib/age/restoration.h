/* restoration.h - state and functions that several files share to put removed
 * tool results back (ctx_restore) */
#ifndef CTX_AGE_RESTORATION_H
#define CTX_AGE_RESTORATION_H

#include "age/age.h"
#include "age/reasoning_file.h"
#include "store/store.h"
#include "stream/change_report.h"
#include "stream/conversation_tracker.h"
#include "stream/rewrite.h"

/* Maximum number of bytes of a file that is put back, because the result must
 * fit into a record. */
#define MAX_FILE UINT32_MAX

/* A message in which a tool result was put back.  It is reported at the end of
 * its record. */
struct restored_message {
	struct ctx_held_message held;
	struct ctx_counter *counter; /* token counter of the model */
	/* Id in restoration.tools of the first tool that the message names. */
	uint32_t tool;
	uint64_t index; /* number in the conversation, from 0 */
	/* True if the message is inside a record that contains a conversation.
	 */
	bool inside;
	/* True if an earlier record of the same message was reported. */
	bool continues;
	/* The JSON edits of the message are in rewrite.edits: first_edit is the
	 * number of the first one, edits is how many there are. */
	size_t first_edit, edits;
};

/* State of ctx_restore. */
struct restoration {
	const struct ctx_restore_options *options;
	struct ctx_rewrite rewrite;
	struct ctx_model_counters *counters;
	/* line_tracker: the conversation whose messages are separate records.
	 * record_tracker: the conversation inside the record being read. */
	struct conversation_tracker line_tracker, record_tracker;
	struct ctx_intern tools; /* names of tools, used in reports */
	/* Spool (directory with removed results); fd is -1 if it is not open.
	 */
	struct ctx_spool spool;
	bool no_spool; /* true if the spool directory does not exist */
	/* True once a text was read that may be a reference to a file. */
	bool seen_reference;
	/* Place of the last message in its conversation. places[0]: the last
	 * message that is a record. places[1]: the last message inside a
	 * record. */
	struct message_place places[2];
	/* The original of a message, with its reasoning. */
	struct ctx_buf unstripped;
	struct ctx_edits strip_edits; /* edits that remove the reasoning */
	struct ctx_buf stripped;      /* the original without its reasoning */
	/* True if a file to which the record refers is missing or was changed,
	 * so that the record is not changed. */
	bool has_broken_reference;
	struct ctx_json json; /* JSON of a file with a removed result */
	/* text: scratch buffer.  name and file: name and content of a file with
	 * a removed result. */
	struct ctx_buf text, name, file;
	/* The following members are for a media block that is put back,
	 * possibly inside a tool result that is put back: */
	struct ctx_json block_json; /* JSON of the block, which is node 1 */
	/* If the block is inside a tool result that is put back, too: the
	 * edits of that tool result. */
	struct ctx_edits nested_edits;
	struct ctx_buf placeholder, block, block_array;
};

/* ---- read_spool_file.c ---- */

/* Opens the spool (directory with removed results) if it is not open.  A
 * missing directory is no error: it sets restoration->no_spool. */
int ctx_restore_open_spool(struct restoration *restoration,
    struct ctx_err *err);
/* Returns 1 if a file is one JSON value and a line feed, 0 if not, or -1 and
 * sets *err. */
int ctx_restore_is_json_line(struct restoration *restoration,
    const struct ctx_buf *file, struct ctx_err *err);
/* Sets *state from rc and *err, the result of a function that reads a spool
 * file.  Returns -1 if *err must end the run. */
int ctx_restore_check_file(int rc, enum ctx_aged_result_state *state,
    const struct ctx_err *err);
/* Sets *sum to the size and the SHA-256 digits of the spool file
 * restoration->name (a file with a removed result).  A file of more than
 * max_bytes bytes counts as changed. */
int ctx_restore_sum_file(struct restoration *restoration, uint64_t max_bytes,
    struct ctx_spool_sum *sum, enum ctx_aged_result_state *state,
    struct ctx_err *err);
/* Reads the spool file restoration->name (a file with a removed result) into
 * memory.  If it no longer has the size and SHA-256 in *sum, sets *state to
 * CTX_AGED_CHANGED. */
int ctx_restore_read_file(struct restoration *restoration,
    const struct ctx_spool_sum *sum, struct ctx_buf *file,
    enum ctx_aged_result_state *state, struct ctx_err *err);
/* Calls options->foreign with a reference that names a file outside the spool
 * (directory with removed results). */
int ctx_restore_report_foreign(struct restoration *restoration,
    const struct ctx_reference *ref, struct ctx_err *err);
/* Calls options->found with a reference to a file of the spool (directory with
 * removed results).  If the file is missing or changed, the record will not be
 * changed. */
int ctx_restore_report_reference(struct restoration *restoration,
    const struct ctx_reference *ref, enum ctx_aged_result_state state,
    struct ctx_err *err);

/* ---- restore_media.c ---- */

/* Adds the edit that puts a media block back in place of the text block at
 * node, if its text is one that ctx_age writes for removed media. text is the
 * JSON node of this text. */
int ctx_restore_media(struct restoration *restoration,
    const struct ctx_json *json, uint32_t node, uint32_t text,
    struct ctx_edits *edits, struct ctx_err *err);

/* ---- restore_block.c ---- */

/* Puts back the original of content block i if ctx_age has replaced it by a
 * reference.  Ignores a block that was replaced by one of the edits from number
 * first on. */
int ctx_restore_block(struct restoration *restoration,
    const struct ctx_event *event, size_t i, size_t first, struct ctx_err *err);

/* ---- restore_reasoning.c ---- */

/* Puts back the reasoning that ctx_age removed from a message.  Returns 1; 0 if
 * none was removed; or -1 and sets *err. */
int ctx_restore_reasoning(struct restoration *restoration,
    const struct ctx_event *event, size_t first, struct ctx_err *err);

#endif
