/* restoration.h - what the files that restore aged results share */
#ifndef CTX_AGE_RESTORATION_H
#define CTX_AGE_RESTORATION_H

#include "age/age.h"
#include "age/reasoning_file.h"
#include "store/reference.h"
#include "stream/change_report.h"
#include "stream/conversation_tracker.h"

/* maximum bytes of a file: the result must fit into a record */
#define MAX_FILE UINT32_MAX

/* A message that has edits; it is reported at the end of its record. */
struct restored_message {
	const struct ctx_dialect *dialect;
	struct ctx_counter *counter;
	uint32_t node, tool;
	uint64_t index;
	bool inside, hidden, continues;
	size_t first_edit, edits;
};

struct restoration {
	const struct ctx_restore_options *options;
	const struct ctx_stream *stream;
	const struct ctx_record *record; /* the one being read */
	struct ctx_model_counters *counters;
	struct conversation_tracker line_tracker, record_tracker;
	struct ctx_intern tools;
	struct restored_message *list;
	size_t n, cap;
	struct edited edited;
	struct ctx_message message;
	struct ctx_spool spool;
	bool no_spool;       /* the spool does not exist */
	bool seen_reference; /* a possible reference was found */
	/* Of the last message: of the stream, inside a record. */
	struct message_place places[2];
	struct ctx_buf unstripped; /* original message with its reasoning */
	struct ctx_json unstripped_json; /* the same, scanned */
	struct ctx_message unstripped_message;
	struct ctx_edits strip_edits;
	struct ctx_buf stripped;
	bool has_broken_reference; /* a reference of the record cannot be
				      restored */
	struct ctx_json json;
	struct ctx_edits edits;
	struct ctx_buf text, name, file;
	/* For a media block, which may be inside a result that is restored: */
	struct ctx_json block_json;
	struct ctx_edits nested_edits; /* edits of that result */
	struct ctx_buf placeholder, block, block_array;
};

/* ---- read_spool_file.c ---- */

int ctx_restore_open_spool(struct restoration *restoration,
    struct ctx_err *err);
/* Returns 1 if the file is one JSON value and a line feed, 0 if not, or -1. */
int ctx_restore_is_json_line(struct restoration *restoration,
    const struct ctx_buf *file, struct ctx_err *err);
/* Sets *state from the outcome of a spool function.  Returns -1 if that is an
 * error that ends the run. */
int ctx_restore_check_file(int rc, enum ctx_aged_result_state *state,
    const struct ctx_err *err);
/* Sums up the spool file restore->name; a file of more than most bytes counts
 * as changed. */
int ctx_restore_sum_file(struct restoration *restoration, uint64_t max_bytes,
    struct ctx_spool_sum *sum, enum ctx_aged_result_state *state,
    struct ctx_err *err);
/* Reads the file that was summed up, if it has not changed since. */
int ctx_restore_read_file(struct restoration *restoration,
    const struct ctx_spool_sum *sum, struct ctx_buf *file,
    enum ctx_aged_result_state *state, struct ctx_err *err);
/* Reports a reference into another directory. */
int ctx_restore_report_foreign(struct restoration *restoration,
    const struct reference *ref, struct ctx_err *err);
/* Reports a reference into the spool.  Returns 0, or -1 with *err. */
int ctx_restore_report_reference(struct restoration *restoration,
    const struct reference *ref, enum ctx_aged_result_state state,
    struct ctx_err *err);

/* ---- restore_media.c ---- */

/* Adds the edit that makes media of the text block at node, whose text is at
 * text, if it is a placeholder with a reference. */
int ctx_restore_media(struct restoration *restoration,
    const struct ctx_json *json, uint32_t node, uint32_t text,
    struct ctx_edits *edits, struct ctx_err *err);

/* ---- restore_block.c ---- */

/* Restores block i if it is an aged result or media.  A block that an edit from
 * number first on replaces is restored already. */
int ctx_restore_block(struct restoration *restoration,
    const struct ctx_event *event, size_t i, size_t first, struct ctx_err *err);

/* ---- restore_reasoning.c ---- */

/* Restores the reasoning that ctx_age removed from a message.  Returns 1, 0 if
 * there is none, or -1. */
int ctx_restore_reasoning(struct restoration *restoration,
    const struct ctx_event *event, size_t first, struct ctx_err *err);

#endif
