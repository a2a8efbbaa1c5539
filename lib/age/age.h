/*
 * age.h - ctx-age and ctx-restore: old results to disk and back
 */
#ifndef CTX_AGE_H
#define CTX_AGE_H

#include "base/base.h"
#include "cost/cost.h"
#include "io/io.h"
#include "store/store.h"
#include "stream/stream.h"

/* ---- age/age_stream.c: old tool results to disk ------------------------- */

/*
 * An aged result is the head of its text and, as the last line, a reference:
 * "[12345 characters in SPOOL/NAME]".  The spool file NAME holds the full text.
 * NAME ends in digits of a sha256 and an extension.  They are digits of the
 * text if the text alone is enough to restore the bytes of the result.
 * Otherwise the result's JSON and a line feed are stored in NAME.json too, and
 * the digits are of that file, because several results may have one text.
 *
 * An aged result is recognised by its form: the last line is a reference into
 * this spool, and at most CTX_AGE_HEAD characters stand before it.
 *
 * An aged media block is a text block (stream/placeholder.h) of two lines:
 * "[image removed: 1568x1176 png]" and "[212345 bytes in SPOOL/NAME]".  NAME is
 * the decoded payload, NAME.json the block and a line feed.  Where the payload
 * is not in the block, NAME ends in .json and holds the block.  The digits are
 * of the JSON file.
 */

struct ctx_age_options {
	const char *spool; /* directory; made when it is needed, ... */
	/* ... unless the caller has opened it with create; ctx_age then closes
	 * it.  Or NULL. */
	struct ctx_spool *opened;
	const struct ctx_err *refused; /* why the caller could not open it */
	const char *format;            /* of file names, see ctx_spool_name */
	/* Age media blocks instead of results; needs by_results, which then
	 * counts media blocks. */
	bool media;
	bool by_results; /* keep counts results instead of messages */
	/* Change only what stands after the last assistant message. */
	bool unsent;
	uint64_t keep; /* newest messages, or results, that are not aged */
	/* The boundary between kept and aged moves this many at a time; not
	 * 0. */
	uint64_t step;
	/* Age only what is more milliseconds older than the newest message;
	 * 0: any. */
	uint64_t older;
	uint64_t over; /* age only results of more characters */
	uint64_t head; /* characters kept, at most CTX_AGE_HEAD */
	/* Change nothing unless this saves at least as many tokens. */
	uint64_t at_least;
	bool mask; /* replace results by CTX_CLEARED and store nothing */
	enum ctx_reasoning reasoning;      /* what to do with bound reasoning */
	struct ctx_pattern tool, not_tool; /* tools whose results are aged */
	struct ctx_report report;
	void *user;
	/* Called when a result could not be stored; it is then not aged. */
	void (*failed)(void *user, const struct ctx_err *why);
};

struct ctx_age_counts {
	uint64_t results, tokens; /* results (or media) aged, tokens saved */
	uint64_t messages, timed; /* messages, and those with a time */
	uint64_t failed;          /* results that could not be stored */
	uint64_t reasoning; /* messages whose bound reasoning was removed */
	uint64_t bound;     /* messages that keep it after a change */
	uint64_t refused;   /* conversations not changed because of it */
};

/*
 * Ages the tool results of a stream, or its media.  A spool file is on disk
 * before its reference is written.  A result is aged only if that saves tokens.
 * A message without a time has the time of the message before it; without any
 * time it is not old.
 * Memory: the newest messages that are kept or not old enough, and those that
 * wait for at_least; with unsent those after the last assistant message; or one
 * record that holds a conversation.
 */
int ctx_age(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_age_options *options,
    struct ctx_age_counts *counts, struct ctx_err *err);

/* ---- age/restore.c: restore aged results ------------------------------- */

enum ctx_aged_result_state {
	CTX_AGED_WHOLE, /* the file has the size and sha256 of the reference */
	CTX_AGED_MISSING, /* there is no file */
	CTX_AGED_CHANGED, /* size or sha256 differ, or it is not a file */
};

/* A reference that was found. */
struct ctx_found_reference {
	const char *file;          /* the input, ... */
	uint64_t line;             /* ... and the line of the record in it */
	struct ctx_str path, name; /* as written; the name in the spool */
	uint64_t chars;            /* characters; of media: bytes */
	enum ctx_aged_result_state state;
};

struct ctx_restore_options {
	const char *spool;
	/* Why the spool cannot be used; NULL or CTX_OK: it can be used. */
	const struct ctx_err *refused;
	struct ctx_report report;
	void *user;
	/* Called for each reference into the spool; or NULL. */
	int (*found)(void *user, const struct ctx_found_reference *aged,
	    struct ctx_err *err);
	/* Called for each text in the form of a reference into another
	 * directory; or NULL.  dir is untrusted input, valid during the call.
	 */
	int (*foreign)(void *user, struct ctx_str dir, struct ctx_err *err);
	/* Called for digits in any record that may be those of a spool file's
	 * name; or NULL. */
	int (*digits)(void *user, struct ctx_str digits, struct ctx_err *err);
};

/*
 * Replaces each reference into the spool by the original bytes, also in
 * messages that the model is no longer shown (ctx_stream.include_hidden).
 * References into other directories are not touched.  A text block becomes
 * media again only if its text is what ctx_age makes of the stored block.  A
 * record with a reference whose file is missing or changed is copied as it is.
 * writer may be NULL: nothing is written.  counters count tokens for the
 * report. Memory: one record.
 */
int ctx_restore(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_restore_options *options, struct ctx_err *err);

#endif
