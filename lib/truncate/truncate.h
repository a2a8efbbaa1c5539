/*
 * truncate.h - ctx-truncate: no text longer than its limit
 */
#ifndef CTX_TRUNCATE_H
#define CTX_TRUNCATE_H

#include "base/base.h"
#include "cost/cost.h"
#include "io/io.h"
#include "stream/stream.h"

/* ---- truncate/truncate.c: shorten long texts ---------------------------- */

enum ctx_size {
	CTX_SIZE_CHARS,  /* Unicode scalar values */
	CTX_SIZE_BYTES,  /* bytes of UTF-8 */
	CTX_SIZE_TOKENS, /* tokens of the model */
	CTX_SIZE_LINES,  /* lines; a last line without a line feed counts */
};

enum ctx_keep {
	CTX_KEEP_ENDS, /* head and tail, in the ratio of their shares */
	CTX_KEEP_HEAD,
	CTX_KEEP_TAIL,
};

struct ctx_truncate_options {
	enum ctx_size unit;
	enum ctx_keep keep;
	uint64_t head, tail; /* shares for CTX_KEEP_ENDS, at most 1,000,000 */
	/* Limits in units, the mark included; 0: no limit. */
	uint64_t limit;      /* for all texts of a tool result together */
	uint64_t message;    /* for the texts of a message, and per result */
	uint64_t args;       /* for the arguments of a tool call */
	bool media;          /* remove media blocks, ... */
	uint64_t keep_media; /* ... except this many of the newest */
	/* Change only what stands after the last assistant message. */
	bool unsent;
	enum ctx_reasoning reasoning; /* what to do with bound reasoning */
	/* Tools whose results and arguments are shortened: those that match
	 * tool (all, if it is empty) and not not_tool. */
	struct ctx_pattern tool, not_tool;
	struct ctx_report report;
};

/* How many texts were shortened. */
struct ctx_truncate_counts {
	uint64_t results, messages, calls;
	uint64_t media;     /* media blocks removed */
	uint64_t reasoning; /* messages whose bound reasoning was removed */
	uint64_t bound;     /* messages that keep it after a change */
	uint64_t refused;   /* conversations not changed because of it */
};

/*
 * Shortens texts that are longer than their limit and copies all else.
 *
 * Where: between grapheme clusters, never inside an escape, a base64 payload or
 * an earlier mark.  The removed middle is replaced by a mark that gives its
 * size, "\n[... 12345 characters truncated ...]\n" (with U+2026 for the dots);
 * a limit shorter than the mark gets a shorter mark, or none.
 *
 * A message's own text never becomes empty: providers refuse messages without
 * text, so at least an ellipsis is left.  A text that ends in the mark has no
 * line feed after it, because Anthropic refuses trailing white space in a last
 * assistant message (langchain #35071).
 *
 * Base64 payloads of 256 characters and more, also in lines as in MIME (RFC
 * 2045, 6.8) and PEM (RFC 7468), are first replaced by "[... 4000 characters of
 * base64 ...]".  Blocks of a result that lie wholly in the removed part are
 * removed.  Blocks that are not text are kept or removed whole; media count
 * nothing and are kept.  Arguments are replaced by
 * {"_ctx_cut":"12345 characters truncated"} or a shorter form.  The reference
 * at the end of an aged result is kept (ctx_age).
 *
 * With media, a media block is replaced by the text block "[image removed:
 * 1568x1176 png, 212,345 bytes]", which counts as media from then on; it is
 * kept where the format has no text block.
 *
 * Memory: one record, and the open tool calls if tools are selected by name.
 * With keep_media also the records from the oldest kept media block on, with
 * unsent those after the last assistant message.
 */
int ctx_truncate(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_truncate_options *options,
    struct ctx_truncate_counts *counts, struct ctx_err *err);

#endif
