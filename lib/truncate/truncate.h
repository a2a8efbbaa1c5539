/*
 * truncate.h - ctx-truncate: no text longer than its limit
 */
#ifndef CTX_TRUNCATE_H
#define CTX_TRUNCATE_H

#include "base/base.h"
#include "cost/cost.h"
#include "io/io.h"
#include "stream/stream.h"

/* ---- truncate/truncate.c: no single item too large ---------------------- */

enum ctx_size {
	CTX_SIZE_CHARS,  /* Unicode scalar values */
	CTX_SIZE_BYTES,  /* of UTF-8 */
	CTX_SIZE_TOKENS, /* of the model */
	CTX_SIZE_LINES,  /* a last one without a line feed counts */
};

enum ctx_keep {
	CTX_KEEP_ENDS, /* head and tail, by their shares */
	CTX_KEEP_HEAD,
	CTX_KEEP_TAIL,
};

struct ctx_truncate_options {
	enum ctx_size unit;
	enum ctx_keep keep;
	uint64_t head, tail; /* shares, for CTX_KEEP_ENDS; up to a million */
	/* In units, mark included; 0 is no limit. */
	uint64_t limit;      /* of the texts of a result together */
	uint64_t message;    /* of the texts of a message, and of each result */
	uint64_t args;       /* of the arguments of a call */
	bool media;          /* blocks of media are removed, ... */
	uint64_t keep_media; /* ... but for the newest */
	bool unsent; /* nothing changes up to the last assistant message */
	enum ctx_reasoning reasoning; /* of what is bound, after a change */
	/* Names of tools whose results and arguments are cut, if any. */
	struct ctx_pattern tool, not_tool;
	struct ctx_report report;
};

/* What was cut. */
struct ctx_truncate_counts {
	uint64_t results, messages, calls;
	uint64_t media;     /* blocks removed */
	uint64_t reasoning; /* messages that lost bound reasoning, */
	uint64_t bound;     /* or that kept some after a change */
	uint64_t refused;   /* conversations left alone for it */
};

/*
 * Cuts what is longer than its limit, between grapheme clusters and never
 * inside an escape, a payload of base64 or a mark, and says in its place how
 * much went: "\n[... 12345 characters truncated ...]\n" (with the
 * one-character ellipsis); a shorter mark, or none, where the limit is
 * shorter.  Of a message's own text an ellipsis is left at least, or what is
 * as short: providers refuse messages that say nothing; and where the mark
 * ends it no line feed is behind that, for Anthropic refuses white space at
 * the end of a last answer (langchain #35071).  Before that payloads
 * of 256 characters and more, also in lines as of MIME (RFC 2045, 6.8) and PEM
 * (RFC 7468), become "[... 4000 characters of base64 ...]".  Blocks of a
 * result that are wholly within what goes are taken out.  A block that is no
 * text stays or goes whole; media count nothing and stay.  Arguments are
 * replaced by {"_ctx_cut":"12345 characters truncated"}, or shorter forms.
 * The last line of an aged item stays, see ctx_age.  A block of media becomes
 * a text block: "[image removed: 1568x1176 png, 212,345 bytes]", which counts
 * as media from then on; it stays where its format allows no text block.
 * Holds one record, and the open calls where tools are asked for.  With
 * keep_media it also holds the records from the oldest of the media that stay
 * on, with unsent those after the last assistant message.
 */
int ctx_truncate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_truncate_options *options,
    struct ctx_truncate_counts *counts, struct ctx_err *err);

#endif
