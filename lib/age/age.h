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
 * An aged tool result is a tool result that ctx-age has replaced by the
 * beginning of its text and a reference.  The reference is the last line:
 * "[12345 characters in SPOOL/NAME]".  NAME is a file with the full text in the
 * directory SPOOL.  NAME ends in hex digits of a SHA-256 and an extension.
 *
 * If the bytes of the result can be restored from its text alone, the SHA-256
 * is that of the text.  Otherwise the JSON of the result and a line feed are
 * also stored, as NAME.json.  The SHA-256 is then that of NAME.json, because
 * several results may have the same text.
 *
 * A result is recognised as aged if its last line is a reference to a file in
 * this spool directory, and at most CTX_AGE_HEAD (4000) characters are before
 * this line.
 *
 * An aged media block was replaced by a text block (stream/placeholder.h) of
 * two lines: "[image removed: 1568x1176 png]" and "[212345 bytes in
 * SPOOL/NAME]".  NAME contains the decoded image or file.  NAME.json contains
 * the media block and a line feed.  If the media block contains only a link to
 * the media, NAME ends in .json and contains the media block.  The SHA-256 is
 * that of the JSON file.
 */

struct ctx_age_config {
	/* Path of the spool, the directory in which tool results are stored.
	 * If the member "opened" is NULL, ctx-age creates this directory when
	 * the first result is stored. */
	const char *spool;
	/* NULL, or a spool (directory of stored results) that the caller has
	 * opened by ctx_spool_open with create = true.  The caller closes it
	 * after ctx_age_stream has returned. */
	struct ctx_spool *opened;
	/* The error because of which the caller could not open the spool
	 * (directory of stored results), with the code CTX_OK if it could.
	 * Used only if the member "opened" is not NULL. */
	const struct ctx_err *refused;
	/* Template of the names of stored files, such as "{tool}-{sha256}.md"
	 * (see ctx_spool_name). */
	const char *format;
	/* True if media blocks are moved to files, instead of tool results.
	 * The caller must then also set by_results, and the members keep and
	 * step are numbers of media blocks. */
	bool media;
	/* True: the members keep and step are numbers of tool results.  False:
	 * they are numbers of messages. */
	bool by_results;
	/* True if only messages after the last assistant message are changed.
	 * These messages were in no request so far. */
	bool unsent;
	/* Number of the newest messages that are not changed.  With by_results:
	 * number of the newest tool results that are not changed. */
	uint64_t keep;
	/* ctx-age changes only results before a boundary in the conversation.
	 * The boundary moves in steps of this many messages (with by_results:
	 * tool results).  With a larger step, the beginning of the conversation
	 * remains the same for more requests, and the provider's prompt cache
	 * can be used for it.  At least 1. */
	uint64_t step;
	/* A message is changed only if its timestamp is more than this many
	 * milliseconds before that of the newest message.  0: the age does not
	 * matter. */
	uint64_t older;
	/* Only tool results with more characters than this are replaced. */
	uint64_t over;
	/* Number of characters at the beginning of a replaced tool result that
	 * are kept in the message.  The line that names the file comes after
	 * them.  At most CTX_AGE_HEAD. */
	uint64_t head;
	/* Results are replaced only if all replacements together save at least
	 * this number of tokens. */
	uint64_t at_least;
	/* true: replace old tool results by the fixed text CTX_CLEARED, and
	 * store no files */
	bool mask;
	/* What is done with bound reasoning (signed reasoning that its provider
	 * refuses if anything before it was changed): remove it, keep it, or
	 * leave the conversation unchanged. */
	enum ctx_reasoning reasoning;
	/* Regular expressions for the names of tools.  A result may be replaced
	 * only if the name of its tool matches one of the list "tool" (or this
	 * list is empty), and matches none of the list "not_tool". */
	struct ctx_pattern tool, not_tool;
	struct ctx_report report;
	void *user;
	/* Called if tool results, media blocks or signed reasoning could not be
	 * stored in files.  They are then not changed. results: number of the
	 * tool results or media blocks; 0 if only signed reasoning could not be
	 * stored. */
	void (*failed)(void *user, uint64_t results, const struct ctx_err *why);
};

struct ctx_age_counts {
	/* results: number of tool results (or media blocks) that were moved to
	 * files. tokens: number of tokens that were saved by this. */
	uint64_t results, tokens;
	/* messages: number of messages that were read. timed: how many of them
	 * have a timestamp; counted only with the option older. */
	uint64_t messages, timed;
	/* number of tool results, media blocks and messages with signed
	 * reasoning that could not be stored */
	uint64_t failed;
	/* Number of messages from which bound reasoning was removed: signed
	 * reasoning that the provider refuses if anything before it was
	 * changed. */
	uint64_t reasoning;
	/* Number of messages that still have signed reasoning which the
	 * provider may refuse, because a message before it was changed. */
	uint64_t bound;
	/* Number of reasoning items that the provider will drop, because a
	 * message before them was changed. */
	uint64_t dropped;
	/* Number of conversations that were left unchanged, because the
	 * provider would not take their reasoning after a change. */
	uint64_t refused;
};

/*
 * Moves the old tool results (or media) of a stream to files, and writes
 * references to the files in their place.  A file is on disk before the
 * reference to it is written.  A result is replaced only if that saves tokens.
 * A message without a timestamp has the age of the message before it.  If no
 * earlier message has a timestamp, the message is not old.
 *
 * Memory needed: the newest messages, which may not be changed yet, and the
 * messages that wait until at_least tokens can be saved.  With the option
 * unsent: all messages after the last assistant message.  A record that
 * contains a conversation is in memory as a whole.  If writer is NULL, nothing
 * is written (dry run).
 */
int ctx_age_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_age_config *options,
    struct ctx_age_counts *counts, struct ctx_err *err);

/* ---- age/restore.c: puts the stored results back ------------------------ */

enum ctx_aged_result_state {
	/* The file exists, has the size and the SHA-256 of the reference, and
	 * contains the text before the reference. */
	CTX_AGED_WHOLE,
	CTX_AGED_MISSING, /* The file does not exist. */
	/* The size or SHA-256 of the file differs from the reference, or the
	 * file is not a regular file. */
	CTX_AGED_CHANGED,
	/* The file does not contain the text before the reference, so that this
	 * text was changed after ctx-age had written it. */
	CTX_AGED_EDITED,
};

/* A reference to a spool file (a file to which ctx-age has moved a tool
 * result), found in a conversation.  A reference is a line of a message that
 * names the file. */
struct ctx_found_reference {
	/* name of the input file that contains the conversation */
	const char *file;
	uint64_t line; /* number of the line with the message */
	/* path: path of the spool file, as written in the reference; name: name
	 * of the file in the spool directory. */
	struct ctx_str path, name;
	/* Length of the text or media that was moved to the file, according to
	 * the reference: in characters for a text, in bytes for media. */
	uint64_t chars;
	enum ctx_aged_result_state state;
};

struct ctx_restore_config {
	const char *spool;
	/* The error because of which the spool (directory of stored results)
	 * cannot be used.  NULL, or an error with the code CTX_OK, if the spool
	 * can be used. */
	const struct ctx_err *refused;
	struct ctx_report report;
	void *user;
	/* Called for each reference to a file in the spool directory.  May be
	 * NULL. */
	int (*found)(void *user, const struct ctx_found_reference *aged,
	    struct ctx_err *err);
	/* Called for each text that looks like a reference to a file outside
	 * the spool directory.  Anybody may have written this text. dir: the
	 * directory of the file, as the text names it; valid only during the
	 * call.  May be NULL. */
	int (*foreign)(void *user, struct ctx_str dir, struct ctx_err *err);
	/* Called for each row of hex digits in a record that is at least as
	 * long as the hash in the name of a spool file.  With these digits the
	 * caller can find the files to which the record refers. digits: the
	 * last digits of the row, as many as the hash in a name has.  May be
	 * NULL. */
	int (*digits)(void *user, struct ctx_str digits, struct ctx_err *err);
};

/*
 * Puts back what ctx-age has moved to files: replaces each reference to a file
 * in the spool directory by the original bytes, also in messages that the model
 * does not see any more (ctx_stream.include_hidden).  References to other
 * directories are not changed.  A text block becomes media again only if its
 * text is exactly what ctx-age writes for the stored block.
 *
 * If the state of a reference is not CTX_AGED_WHOLE, its record is copied
 * unchanged.  If writer is NULL, nothing is written.  The token counters
 * are used for the report.  Memory needed: one record.
 */
int ctx_restore_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_restore_config *options, struct ctx_err *err);

#endif
