/*
 * age.h - moves old tool results and media from a conversation to files
 * (ctx-age), and puts them back (ctx-restore)
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
 * An aged tool result is one that ctx-age has replaced: by the beginning of its
 * text and, as the last line, a reference: "[12345 characters in SPOOL/NAME]".
 * NAME is a file with the full text in the directory SPOOL.  NAME ends in hex
 * digits of a SHA-256 and an extension.
 *
 * If the text alone is enough to restore the bytes of the result, the hash is
 * that of the text.  Otherwise the result's JSON and a line feed are also
 * stored, as NAME.json.  The hash is then that of NAME.json, because several
 * results may have the same text.
 *
 * A result is recognised as aged by its form.  The last line is a reference to
 * a file in this spool directory, and at most CTX_AGE_HEAD characters precede
 * the line.
 *
 * An aged media block was replaced by a text block (stream/placeholder.h) of
 * two lines: "[image removed: 1568x1176 png]" and "[212345 bytes in
 * SPOOL/NAME]".  NAME has the decoded image or file; NAME.json has the block
 * and a line feed.  If the block contains only a link to the media, NAME ends
 * in .json and has the block.  The hash is that of the JSON file.
 */

struct ctx_age_config {
	/* Path of the spool, the directory in which tool results are stored.
	 * If opened is NULL, ctx-age creates it when it is needed. */
	const char *spool;
	/* A spool that the caller has opened with create (see ctx_spool_open),
	 * and closes after ctx-age has returned; or NULL. */
	struct ctx_spool *opened;
	/* The error because of which the caller could not open the spool. */
	const struct ctx_err *refused;
	/* format of the names of stored files, see ctx_spool_name */
	const char *format;
	/* True if media blocks, and not tool results, are moved to files.  The
	 * member by_results must then be true, too, and the members keep and
	 * step are numbers of media blocks. */
	bool media;
	/* True if the members keep and step are numbers of tool results, false
	 * if they are numbers of messages. */
	bool by_results;
	/* True if only messages after the last assistant message are changed,
	 * because no request has contained them yet. */
	bool unsent;
	/* Number of newest messages (or tool results) that are not changed. */
	uint64_t keep;
	/* Number of further messages (or tool results) that must be read before
	 * the boundary between changed and unchanged results is moved.  A
	 * boundary that moves seldom keeps the prompt cache valid longer.  Not
	 * 0. */
	uint64_t step;
	/* Only messages are changed that are older than the newest one by more
	 * than this many milliseconds; 0: of any age. */
	uint64_t older;
	/* only tool results with more characters than this are replaced */
	uint64_t over;
	/* Number of characters of a tool result that remain before the line
	 * that names its file; at most CTX_AGE_HEAD. */
	uint64_t head;
	/* Nothing is changed unless that saves at least this many tokens. */
	uint64_t at_least;
	/* True if tool results are replaced by the text CTX_CLEARED and not
	 * stored. */
	bool mask;
	/* Treatment of bound reasoning: signed reasoning that its provider
	 * refuses if anything before it was changed. */
	enum ctx_reasoning reasoning;
	/* Patterns of tool names.  The results of a tool may be replaced if
	 * its name matches tool, or tool is empty, and does not match
	 * not_tool. */
	struct ctx_pattern tool, not_tool;
	struct ctx_report report;
	void *user;
	/* Called if a tool result could not be stored in a file.  The result
	 * is then not changed. */
	void (*failed)(void *user, const struct ctx_err *why);
};

struct ctx_age_counts {
	/* Number of tool results (or media blocks) that were moved to files,
	 * and of tokens that this saves. */
	uint64_t results, tokens;
	/* Number of messages that were read, and of those that have a
	 * timestamp. */
	uint64_t messages, timed;
	uint64_t failed; /* number of tool results that could not be stored */
	/* Number of messages from which signed reasoning was removed, because
	 * the provider refuses it if anything before it was changed (bound
	 * reasoning). */
	uint64_t reasoning;
	/* Number of messages that still have signed reasoning which the
	 * provider may refuse, because a message before it was changed. */
	uint64_t bound;
	/* Number of conversations that were not changed, because the provider
	 * would then refuse their signed reasoning. */
	uint64_t refused;
};

/*
 * Moves the old tool results (or media) of a stream to files, and writes
 * references to the files in their place.  A file is on disk before the
 * reference to it is written.  A result is replaced only if that saves tokens.
 * A message without a timestamp is as old as the message before it.  If no
 * message before it has a timestamp either, it is not old.
 *
 * Memory needed: the newest messages, which are not changed yet, and the
 * messages that are kept until at_least tokens can be saved.  If the option
 * unsent is set: all messages after the last assistant message.  A record that
 * contains a conversation is in memory as a whole.  A dry run passes
 * NULL as writer: nothing is written.
 */
int ctx_age_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_age_config *options,
    struct ctx_age_counts *counts, struct ctx_err *err);

/* ---- age/restore.c: puts the stored results back ------------------------ */

enum ctx_aged_result_state {
	/* The file exists, with the size and the SHA-256 that the reference
	 * says. */
	CTX_AGED_WHOLE,
	CTX_AGED_MISSING, /* The file does not exist. */
	/* The file has another size or SHA-256 than the reference says, or is
	 * not a regular file. */
	CTX_AGED_CHANGED,
};

/* A reference to a spool file, found in a conversation. */
struct ctx_found_reference {
	/* name of the input file that contains the conversation */
	const char *file;
	uint64_t line; /* number of the line with the message */
	/* path: the path of the spool file, as it is written in the reference.
	 * name: its name in the spool directory. */
	struct ctx_str path, name;
	/* Length of what was moved to the file: of a text in characters, of
	 * media in bytes. */
	uint64_t chars;
	enum ctx_aged_result_state state;
};

struct ctx_restore_config {
	const char *spool;
	/* The error because of which the spool cannot be used.  If the spool
	 * can be used, this is NULL or an error with the code CTX_OK. */
	const struct ctx_err *refused;
	struct ctx_report report;
	void *user;
	/* Called for each reference to a file in the spool directory; or
	 * NULL. */
	int (*found)(void *user, const struct ctx_found_reference *aged,
	    struct ctx_err *err);
	/* Called for each text that looks like a reference to a file in
	 * another directory; or NULL. dir is that directory: a text that
	 * anybody may have written, valid only during the call. */
	int (*foreign)(void *user, struct ctx_str dir, struct ctx_err *err);
	/* Called for each run of hex digits in a record, if the run is long
	 * enough to be the hash in the name of a spool file.  So the caller can
	 * find the files to which the record refers. digits: the last digits of
	 * the run, as many as the hash in a name has.  NULL: not called. */
	int (*digits)(void *user, struct ctx_str digits, struct ctx_err *err);
};

/*
 * Puts back what ctx-age has moved to files: replaces each reference to a file
 * in the spool directory by the original bytes.  This is also done in messages
 * that the model does not see any more (ctx_stream.include_hidden).  References
 * to other directories are not changed.  A text block becomes media again only
 * if its text is exactly what ctx-age writes for the stored block.
 *
 * If a file is missing or changed, the record with the reference to it is
 * copied unchanged.  If writer is NULL, nothing is written.  The token counters
 * are used for the report.  Memory needed: one record.
 */
int ctx_restore_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_restore_config *options, struct ctx_err *err);

#endif
