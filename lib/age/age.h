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

/* ---- age/age_stream.c: old tool results go to disk ---------------------- */

/*
 * An aged result is the head of its text and, as last line, a reference:
 * "[12345 characters in SPOOL/NAME]", where NAME ends in digits of a sha256
 * and an extension: of the text's, if the text alone gives the bytes of the
 * result back; else its JSON and a line feed lie beside it in NAME.json, and
 * the digits are of that file, since several results may have one text.  An
 * aged item is known by its whole shape: such a reference into this spool as
 * last line, and at most CTX_AGE_HEAD characters before it.
 *
 * An aged block of media is a text block (stream/placeholder.h) of two lines:
 * "[image removed: 1568x1176 png]" and "[212345 bytes in SPOOL/NAME]".  NAME
 * is the payload, decoded, and NAME.json the block and a line feed; of media
 * that are not in their block NAME ends in .json and is the latter.  The
 * digits are of the JSON file.
 */

struct ctx_age_options {
	const char *spool; /* directory, made when it is needed, */
	/* or opened with create before, and closed by ctx_age; NULL: not so */
	struct ctx_spool *opened;
	const struct ctx_err *refused; /* why it could not be opened then */
	const char *format;            /* of names, see ctx_spool_name */
	bool media;      /* blocks of media age, and no results; needs
			  * by_results, which then means media */
	bool by_results; /* keep counts results, not messages */
	bool unsent;     /* nothing changes up to the last assistant message */
	uint64_t keep;   /* newest messages, or results, left alone */
	uint64_t step;   /* the boundary moves so many at a time; not 0 */
	uint64_t older;  /* milliseconds before the newest message; 0: any */
	uint64_t over;   /* characters; what has no more is left alone */
	uint64_t head;   /* characters kept, at most CTX_AGE_HEAD */
	uint64_t at_least; /* nothing is done unless so many tokens go */
	bool mask;         /* CTX_CLEARED stands in, nothing is stored */
	enum ctx_reasoning reasoning; /* of what is bound, after a change */
	struct ctx_pattern tool, not_tool; /* names of tools, if any */
	struct ctx_report report;
	void *user;
	/* A result could not be stored and stays as it is; why has a place. */
	void (*failed)(void *user, const struct ctx_err *why);
};

struct ctx_age_counts {
	uint64_t results, tokens; /* aged (or media), saved */
	uint64_t messages, timed; /* seen; those that say when they were */
	uint64_t failed;
	uint64_t reasoning; /* messages that lost bound reasoning, */
	uint64_t bound;     /* or that kept some after a change */
	uint64_t refused;   /* conversations left alone for it */
};

/*
 * Ages the results of a stream, or its media.  A file is on disk before its
 * reference is written.  What would not cost fewer tokens stays.  Holds the
 * newest messages, as many as are kept or as are not older, and what has
 * gathered for at_least; with unsent those after the last assistant message;
 * or one conversation record.  A message without a time has that of the one
 * before it; what has none is not older.
 */
int ctx_age(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_age_options *options,
    struct ctx_age_counts *counts, struct ctx_err *err);

/* ---- age/restore.c: and back again -------------------------------------- */

enum ctx_aged_result_state {
	CTX_AGED_WHOLE,   /* the file is what the reference says */
	CTX_AGED_MISSING, /* there is none */
	CTX_AGED_CHANGED, /* its size or sha256 is another, or it is no file */
};

/* A reference that was found. */
struct ctx_restored_item {
	const char *file; /* the input, and the line of its record */
	uint64_t line;
	struct ctx_str path, name; /* as written; the file in the spool */
	uint64_t chars;            /* of media: bytes */
	enum ctx_aged_result_state state;
};

struct ctx_restore_options {
	const char *spool;
	const struct ctx_err *refused; /* why it cannot be used; NULL or
					* CTX_OK: it can */
	struct ctx_report report;
	void *user;
	/* Called for each reference into the spool; or NULL. */
	int (*found)(void *user, const struct ctx_restored_item *aged,
	    struct ctx_err *err);
	/* Called for each text that reads like a reference into another
	 * directory, dir, which may be anybody's words and is gone after
	 * the call; or NULL. */
	int (*foreign)(void *user, struct ctx_str dir, struct ctx_err *err);
	/* Called for what may be the digits of a file's name, as they stand
	 * in the bytes of any record; or NULL. */
	int (*digits)(void *user, struct ctx_str digits, struct ctx_err *err);
};

/*
 * Puts the original in the place of each reference into the spool, and of no
 * other, byte for byte as ctx_age found it; also in messages that the model is
 * not shown any more, which stream is set to give.  A text block becomes media
 * again only if its text is the one that ctx_age makes of the stored block.
 * A record with a reference whose file is not whole passes as it is.  writer
 * may be NULL: nothing is written.  meter counts tokens for the report.  Holds
 * one record.
 */
int ctx_restore(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters,
    const struct ctx_restore_options *options, struct ctx_err *err);

#endif
