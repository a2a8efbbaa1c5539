/* restoration.h - what the files that restore aged results share */
#ifndef CTX_AGE_RESTORATION_H
#define CTX_AGE_RESTORATION_H

#include "age/age.h"
#include "age/reasoning_file.h"
#include "store/store.h"
#include "stream/change_report.h"
#include "stream/conversation_tracker.h"

/* maximum bytes of a file: the result must fit into a record */
#define MAX_FILE UINT32_MAX

/* A message that has edits.  It is reported at the end of its record. */
struct restored_message {
	const struct ctx_dialect *dialect;
	struct ctx_counter *counter; /* counts its tokens */
	uint32_t node;               /* node of the message in its record */
	uint32_t tool;  /* id of its first tool in restoration.tools */
	uint64_t index; /* in the conversation, from 0 */
	bool inside;    /* true if it is inside a record that holds others */
	bool hidden;    /* true if the model is no longer shown it */
	bool continues; /* true if an earlier record of it was reported */
	size_t first_edit, edits; /* its edits: edits[first_edit], ... */
};

/* State of ctx_restore. */
struct restoration {
	const struct ctx_restore_options *options;
	const struct ctx_stream *stream;
	const struct ctx_record *record; /* the record that is read */
	struct ctx_model_counters *counters;
	/* The conversation of the stream; that of the current record. */
	struct conversation_tracker line_tracker, record_tracker;
	struct ctx_intern tools;       /* names of tools, for reports */
	struct restored_message *list; /* of the record; owned */
	size_t n, cap;
	struct edited edited;       /* for reports */
	struct ctx_message message; /* a message of list, read again */
	struct ctx_spool spool;     /* fd -1: not open */
	bool no_spool;              /* true if the spool does not exist */
	bool seen_reference; /* true if a text that may be a reference was read
			      */
	/* Of the last message of the stream; of the last inside a record. */
	struct message_place places[2];
	/* An original message with its reasoning: bytes, scanned, parsed. */
	struct ctx_buf unstripped;
	struct ctx_json unstripped_json;
	struct ctx_message unstripped_message;
	struct ctx_edits strip_edits; /* remove the reasoning */
	struct ctx_buf stripped;      /* the message without it */
	bool has_broken_reference; /* true if a reference of the record cannot
				      be restored: the record is not changed */
	struct ctx_json json;      /* a spool file, scanned */
	struct ctx_edits edits;    /* of the record */
	struct ctx_buf text, name,
	    file; /* scratch; a spool file: name, bytes */
	/* For a media block, which may be inside a result that is restored: */
	struct ctx_json block_json;    /* the block, scanned, as node 1 */
	struct ctx_edits nested_edits; /* edits of the result */
	struct ctx_buf placeholder, block, block_array;
};

/* ---- read_spool_file.c ---- */

/* Opens the spool if it is not open.  A missing directory is no error: it sets
 * restoration->no_spool. */
int ctx_restore_open_spool(struct restoration *restoration,
    struct ctx_err *err);
/* Returns 1 if a spool file is one JSON value and a line feed, 0 if not, or -1
 * with *err. */
int ctx_restore_is_json_line(struct restoration *restoration,
    const struct ctx_buf *file, struct ctx_err *err);
/* Sets *state from rc and *err, the outcome of a spool function.  Returns -1 if
 * *err must end the run. */
int ctx_restore_check_file(int rc, enum ctx_aged_result_state *state,
    const struct ctx_err *err);
/* Sets *sum to size and digits of the spool file restoration->name.  A file of
 * more than max_bytes counts as changed. */
int ctx_restore_sum_file(struct restoration *restoration, uint64_t max_bytes,
    struct ctx_spool_sum *sum, enum ctx_aged_result_state *state,
    struct ctx_err *err);
/* Reads the file of which sum is, unless it has changed since; *state says so.
 */
int ctx_restore_read_file(struct restoration *restoration,
    const struct ctx_spool_sum *sum, struct ctx_buf *file,
    enum ctx_aged_result_state *state, struct ctx_err *err);
/* Calls options->foreign with a reference into another directory. */
int ctx_restore_report_foreign(struct restoration *restoration,
    const struct ctx_reference *ref, struct ctx_err *err);
/* Calls options->found with a reference into the spool.  If its file cannot be
 * used, the record is not changed. */
int ctx_restore_report_reference(struct restoration *restoration,
    const struct ctx_reference *ref, enum ctx_aged_result_state state,
    struct ctx_err *err);

/* ---- restore_media.c ---- */

/* Adds the edit that replaces the text block at node by media, if its text is a
 * placeholder with a reference.  text is the node of the text. */
int ctx_restore_media(struct restoration *restoration,
    const struct ctx_json *json, uint32_t node, uint32_t text,
    struct ctx_edits *edits, struct ctx_err *err);

/* ---- restore_block.c ---- */

/* Restores block i if it is an aged result or aged media.  A block that an edit
 * from number first on replaces is restored already. */
int ctx_restore_block(struct restoration *restoration,
    const struct ctx_event *event, size_t i, size_t first, struct ctx_err *err);

/* ---- restore_reasoning.c ---- */

/* Restores the reasoning that ctx_age removed from a message.  Returns 1, 0 if
 * none was removed, or -1 with *err. */
int ctx_restore_reasoning(struct restoration *restoration,
    const struct ctx_event *event, size_t first, struct ctx_err *err);

#endif
