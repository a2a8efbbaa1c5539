/*
 * age.h - moves old tool results and media out of a conversation into files
 * (ctx-age), and back (ctx-restore)
 */
#ifndef CTX_AGE_H
#define CTX_AGE_H

#include "base/base.h"
#include "cost/cost.h"
#include "io/io.h"
#include "store/store.h"
#include "stream/stream.h"

/* ---- age/age_stream.c: moves old results to files ----------------------- */

/*
 * An aged tool result has been replaced by the beginning of its text and, as
 * the last line, a reference: "[12345 characters in SPOOL/NAME]".  NAME is a
 * file with the full text in the directory SPOOL.
 *
 * NAME ends in hex digits of a SHA-256 and an extension.  If the text alone is
 * enough to restore the bytes of the result, the hash is that of the text.
 * Otherwise the result's JSON and a line feed are also stored, as NAME.json.
 * The hash is then that of NAME.json, because several results may have the
 * same text.
 *
 * A result is recognised as aged by its form: the last line is a reference to
 * a file in this spool directory, and at most CTX_AGE_HEAD characters precede
 * the line.
 *
 * An aged media block has been replaced by a text block (stream/placeholder.h)
 * of two lines: "[image removed: 1568x1176 png]" and "[212345 bytes in
 * SPOOL/NAME]".  NAME has the decoded image or file; NAME.json has the block
 * and a line feed.  If the block contains only a link to the media, NAME ends
 * in .json and has the block.  The hash is that of the JSON file.
 */

struct ctx_age_options {
	/* The spool: directory for removed results. ctx_age creates it when it
	 * is needed, unless opened is set. */
	const char *spool;
	/* The spool, if the caller has opened it with create; ctx_age closes
	 * it.  Or NULL. */
	struct ctx_spool *opened;
	/* Why the caller could not open the spool. */
	const struct ctx_err *refused;
	const char *format; /* form of file names, see ctx_spool_name */
	/* True: move media blocks to files instead of tool results. by_results
	 * must be true, too; it then counts media blocks. */
	bool media;
	/* If true, keep is a number of tool results, not of messages. */
	bool by_results;
	/* True: change only what follows the last assistant message, which no
	 * request has contained yet. */
	bool unsent;
	/* Number of newest messages, or tool results, that are not changed. */
	uint64_t keep;
	/* The boundary between changed and unchanged results moves only after
	 * this many further messages or results, so that the prompt cache is
	 * valid longer.  Not 0. */
	uint64_t step;
	/* Change only messages more than this many milliseconds older than the
	 * newest message; 0: any age. */
	uint64_t older;
	uint64_t over; /* replace only results of more characters */
	/* Number of characters of a tool result that are kept before the line
	 * that refers to its file, at most CTX_AGE_HEAD. */
	uint64_t head;
	/* Change nothing unless that saves at least this many tokens. */
	uint64_t at_least;
	/* True: replace tool results by the text CTX_CLEARED, without storing
	 * them. */
	bool mask;
	/* What to do with bound reasoning: signed reasoning that its provider
	 * refuses after a change before it. */
	enum ctx_reasoning reasoning;
	/* Patterns of the names of tools whose results may be replaced, and may
	 * not. */
	struct ctx_pattern tool, not_tool;
	struct ctx_report report;
	void *user;
	/* Called when a result could not be stored in a file; the result is
	 * then not changed. */
	void (*failed)(void *user, const struct ctx_err *why);
};

struct ctx_age_counts {
	/* Results or media blocks moved, and tokens saved. */
	uint64_t results, tokens;
	/* Messages read, and those with a timestamp. */
	uint64_t messages, timed;
	uint64_t failed; /* how many results could not be stored */
	/* How many messages lost their bound reasoning. */
	uint64_t reasoning;
	/* How many messages keep bound reasoning although a message before it
	 * was changed. */
	uint64_t bound;
	/* How many conversations were not changed because of bound reasoning.
	 */
	uint64_t refused;
};

/*
 * Replaces old tool results of a stream, or old media, by references to files
 * that hold them.  A file is on disk before the reference to it is written.  A
 * result is replaced only if that saves tokens.
 *
 * A message without a timestamp is as old as the message before it.  If no
 * message before it has a timestamp either, it is not old.
 *
 * Memory needed: the newest messages, which are not replaced yet, and the
 * messages that are kept until at_least tokens can be saved.  If the option
 * unsent is set: all messages after the last assistant message.  A record that
 * contains a conversation is in memory as a whole.
 */
int ctx_age(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_age_options *options,
    struct ctx_age_counts *counts, struct ctx_err *err);

/* ---- age/restore.c: puts the stored results back ------------------------ */

enum ctx_aged_result_state {
	/* The file exists and has the size and the SHA-256 of the reference. */
	CTX_AGED_WHOLE,
	CTX_AGED_MISSING, /* The file does not exist. */
	/* The file has another size or SHA-256, or it is not a regular file. */
	CTX_AGED_CHANGED,
};

/* A reference to a file with a removed tool result, found in a conversation. */
struct ctx_found_reference {
	const char *file; /* name of the input file */
	uint64_t line;    /* line number of the record in the input file */
	/* Path of the file as it is written in the reference, and the file's
	 * name in the spool directory. */
	struct ctx_str path, name;
	/* Length of the stored text in characters; of media in bytes. */
	uint64_t chars;
	enum ctx_aged_result_state state;
};

struct ctx_restore_options {
	const char *spool;
	/* Why the spool directory cannot be used.  NULL, or code CTX_OK, if it
	 * can be used. */
	const struct ctx_err *refused;
	struct ctx_report report;
	void *user;
	/* Called for each reference to a file of the spool (directory with
	 * removed results); or NULL. */
	int (*found)(void *user, const struct ctx_found_reference *aged,
	    struct ctx_err *err);
	/* Called for each text in the form of a reference to a file in another
	 * directory; or NULL. dir is that directory, an untrusted text, valid
	 * only during the call. */
	int (*foreign)(void *user, struct ctx_str dir, struct ctx_err *err);
	/* Called for hex digits in any record that may be part of the name of a
	 * spool file (a file with a removed result); or NULL. */
	int (*digits)(void *user, struct ctx_str digits, struct ctx_err *err);
};

/*
 * Replaces each reference to a file of the spool (directory with removed
 * results) by the original bytes, also in messages that the model is no longer
 * shown (ctx_stream.include_hidden).  References into other directories are
 * not touched.  A text block becomes media again only if its text is exactly
 * what ctx_age makes of the stored block.
 *
 * A record with a reference whose file is missing or changed is copied
 * unchanged.  If writer is NULL, nothing is written. counters count tokens for
 * the report.  Memory needed: one record.
 */
int ctx_restore(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_restore_options *options, struct ctx_err *err);

#endif
