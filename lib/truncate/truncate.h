/*
 * truncate.h - shortens texts of messages that are longer than a limit, for
 * ctx-truncate
 */
#ifndef CTX_TRUNCATE_H
#define CTX_TRUNCATE_H

#include "base/base.h"
#include "cost/cost.h"
#include "io/io.h"
#include "stream/stream.h"

/* ---- truncate/truncate.c: shortens long texts --------------------------- */

enum ctx_size {
	CTX_SIZE_CHARS,  /* characters: Unicode scalar values */
	CTX_SIZE_BYTES,  /* bytes of UTF-8 */
	CTX_SIZE_TOKENS, /* tokens of the model */
	/* lines; the last line is counted even if it has no line feed */
	CTX_SIZE_LINES,
};

enum ctx_keep {
	/* keep the beginning and the end of the text, with sizes in the ratio
	 * head : tail (see struct ctx_truncate_config) */
	CTX_KEEP_ENDS,
	CTX_KEEP_HEAD,
	CTX_KEEP_TAIL,
};

struct ctx_truncate_config {
	enum ctx_size unit;
	enum ctx_keep keep;
	/* For CTX_KEEP_ENDS: ratio of the size of the kept beginning (head) to
	 * the size of the kept end (tail) of a text; both at most 1,000,000. */
	uint64_t head, tail;
	/* Maximum sizes of texts, in the unit of the member "unit"; 0: no
	 * limit.  The mark that is written in place of removed text is counted,
	 * too. */
	uint64_t limit; /* limit of all texts of one tool result */
	/* Limit of all texts of one message outside its tool results together.
	 * Also a limit of each tool result of the message. */
	uint64_t message;
	uint64_t args; /* limit of the arguments of one tool call */
	/* True if images and other media are replaced by short texts.  The
	 * keep_media newest of them are kept. */
	bool media;
	uint64_t keep_media; /* number of the newest media that are kept */
	/* True if only messages after the last assistant message are changed.
	 * These messages were in no request so far. */
	bool unsent;
	/* What is done with bound reasoning (signed reasoning that its provider
	 * refuses if anything before it was changed): remove it, keep it, or
	 * leave the conversation unchanged. */
	enum ctx_reasoning reasoning;
	/* Regular expressions for the names of tools whose results and
	 * arguments are shortened.  The name must match one of the list "tool",
	 * unless this list is empty.  The name must match none of the list
	 * "not_tool". */
	struct ctx_pattern tool, not_tool;
	struct ctx_report report;
};

/* Numbers of shortened tool results, messages, and arguments of tool calls. */
struct ctx_truncate_counts {
	uint64_t results, messages, calls;
	uint64_t media; /* number of images and other media that were removed */
	/* Number of messages whose bound reasoning was removed: signed
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
 * Shortens texts that are longer than their limit, and copies everything else.
 * Texts are cut between grapheme clusters, never inside an escape, a base64
 * payload or the mark of an earlier cut.  The removed middle is replaced by a
 * mark with its size, "\n[... 12345 characters truncated ...]\n" (with U+2026
 * for the dots).  If the limit is shorter than this mark, a shorter mark is
 * used, or none.
 *
 * The text of a message outside its tool results never becomes empty: providers
 * refuse messages without text, so at least an ellipsis is left.  A text that
 * ends in the mark has no line feed after the mark, because Anthropic refuses
 * trailing white space in a last assistant message (langchain #35071).
 *
 * Base64 payloads of 256 characters or more are first replaced by "[... 4000
 * characters of base64 ...]", also if they are split into lines as in MIME (RFC
 * 2045, 6.8) and PEM (RFC 7468).
 *
 * Content blocks of a tool result that are completely in the removed part are
 * removed.  Blocks that are not text are kept or removed as a whole.  Media are
 * kept, and are not counted for the limit.  The reference at the end of a
 * result that ctx-age has shortened is kept.  Arguments of tool calls are
 * replaced by {"_ctx_cut":"12345 characters truncated"} or a shorter JSON
 * object.
 *
 * With the option media, a media block is replaced by the text block "[image
 * removed: 1568x1176 png, 212,345 bytes]".  Later runs treat this text block
 * like media.  A media block is kept if the message format has no text block.
 *
 * Memory needed: one record, and the tool calls without results if tools are
 * selected by name.  With the option keep_media also the records from the
 * oldest kept media block on; with the option unsent also the records after the
 * last assistant message.  If writer is NULL, nothing is written (dry run).
 */
int ctx_truncate_stream(struct ctx_stream *stream, struct ctx_writer *writer,
    struct ctx_model_counters *counters, struct ctx_truncate_config *options,
    struct ctx_truncate_counts *counts, struct ctx_err *err);

/* ---- truncate/truncate_text.c: shortens a plain text -------------------- */

/* Shortens a plain text as ctx-truncate shortens a tool result, and appends the
 * result to out.  Uses only the members unit, keep, head, tail and limit of the
 * options. counter: token counter for CTX_SIZE_TOKENS; may be NULL for other
 * units.  If the text is shortened, bytes that are not UTF-8 become U+FFFD. */
int ctx_truncate_text(const struct ctx_truncate_config *options,
    struct ctx_counter *counter, struct ctx_str text, struct ctx_buf *out,
    struct ctx_err *err);

#endif
