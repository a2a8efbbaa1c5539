/* text_segments.h - the texts of a message, or of a tool result, that share
 * one limit, and the parts of them that must not be cut */
#ifndef CTX_TRUNCATE_TEXT_SEGMENTS_H
#define CTX_TRUNCATE_TEXT_SEGMENTS_H

#include "dialect/result_content.h"
#include "truncate/truncate.h"

/*
 * A segment is one text of a message or tool result, or a block without text,
 * which can only be kept or removed whole.  A tool result without any text is
 * also a segment (is_json): its JSON becomes a text when it is shortened.
 */
struct text_segment {
	/* The JSON string of the text, with quotes; if is_json is true, the
	 * text itself.  Its length n is 0 for a block without text. */
	struct ctx_str literal;
	/* offsets of the text in text_segments.text, in bytes */
	size_t from, to;
	/* JSON node of the value that is replaced when the text is changed */
	uint32_t node;
	/* True if the text is the JSON of a whole tool result. */
	bool is_json;
	/* True if base64 payloads in the member "literal" were replaced by
	 * short texts. */
	bool has_placeholders;
	/* JSON nodes. container: an array or object. removable: the child of it
	 * that must be removed to remove the text; 0 if the text cannot be
	 * removed. */
	uint32_t container, removable;
};

/* A part of a text that must not be cut, but kept or removed whole.  This is a
 * base64 payload, or a text that an earlier run of ctx has written in place of
 * a payload or of other removed text. */
struct protected_span {
	size_t from, to; /* offsets of the span in the text, in bytes */
	bool is_payload;
	/* For a base64 payload: how much larger it is than the short text that
	 * replaces it, in the unit of the limit. */
	uint64_t excess;
};

/* All texts of a message or tool result that share one limit.  A zeroed struct
 * is valid, and can be used for many messages, one after another. */
struct text_segments {
	struct text_segment *list;
	size_t n, cap;
	/* A copy of the message without the content blocks that have none of
	 * the texts in list. */
	struct ctx_message message;
	/* True if these are a message's own texts, of which at least one must
	 * not become empty; false if they are in a tool result. */
	bool is_message_text;
	struct ctx_buf text; /* all texts, one after another */
	/* size of all texts together, in the unit of the limit */
	uint64_t size;
	/* Number of bytes at the end of the last text that must not be removed.
	 * They are still in the memory of the buffer "text", but after its n
	 * bytes. */
	size_t uncut_bytes;
	/* JSON of a tool result without any text. ctx_text_segments_read moves
	 * this JSON to the member "text". */
	struct ctx_buf json_text;
	/* JSON strings of those texts in which short texts have replaced
	 * base64 payloads, one after another. */
	struct ctx_buf placeholder_literals;
	/* Parts of the texts that must not be cut, in their order. */
	struct protected_span *spans;
	size_t n_spans, spans_cap;
};

/* Sets *segments to the texts of tool result i of a message. */
int ctx_text_segments_result(struct text_segments *segments,
    const struct ctx_message *message, size_t i, struct ctx_err *err);
/* Sets *segments to the texts of a message that are not in its tool results.
 * but: index of a block that is left out; message->n leaves out none. */
int ctx_text_segments_texts(struct text_segments *segments,
    const struct ctx_message *message, size_t but, struct ctx_err *err);
/* Sets *segments to one text of a message's record: the JSON string at node. */
int ctx_text_segments_string(struct text_segments *segments,
    const struct ctx_message *message, uint32_t node, struct ctx_err *err);
/* Reads all texts into segments->text, one after another, and stores the place
 * of each.  For a block without text, reads its JSON. */
int ctx_text_segments_read(struct text_segments *segments, struct ctx_err *err);
/* Frees the bytes of segments->text, when only offsets in it are still
 * needed. */
void ctx_text_segments_free_text(struct text_segments *segments);
/* Makes sure that this number of bytes at the end of the last text is not
 * removed. */
void ctx_text_segments_exclude_end(struct text_segments *segments,
    size_t bytes);
/* Moves an offset in the JSON string of a text forward by a number of bytes of
 * the decoded text.  Returns the new offset. */
size_t ctx_text_segment_seek(const struct text_segment *segment, size_t at,
    size_t bytes);
void ctx_text_segments_release(struct text_segments *segments);

/* Settings for shortening texts, and the mark that is written in place of
 * removed text ("[... 12 lines truncated ...]"). */
struct shortener {
	enum ctx_size unit;
	enum ctx_keep keep;
	/* For CTX_KEEP_ENDS: the ratio of the kept beginning to the kept end
	 * of a text. */
	uint64_t head, tail;
	struct ctx_counter *counter; /* token counter for CTX_SIZE_TOKENS */
	struct ctx_buf mark;         /* JSON string of the mark, with quotes */
	/* True if the mark contains the size of the removed text. */
	bool mark_has_size;
	struct ctx_buf text, out; /* scratch memory */
	/* Numbers of tokens before many places in text_segments.text, so that a
	 * part of it can be counted fast. */
	struct ctx_token_index index;
};

/* A walk through the parts of a text that must not be cut.  There are three
 * kinds of these parts: mark, url and run.  Each of these members is the offset
 * at which the next part of its kind begins; n if there is none. */
struct protected_span_walk {
	const char *p;
	size_t n;
	size_t mark; /* a mark that an earlier run of ctx has written */
	size_t url;  /* the payload of a data: URL */
	/* a line of base64 characters that may be the first line of base64
	 * data */
	size_t run;
};

/* Find the parts of a text that must not be cut, one after another.
 * ctx_protected_span_next returns false if there are no more. */
void ctx_protected_spans_begin(struct protected_span_walk *walk, const char *p,
    size_t n);
bool ctx_protected_span_next(struct protected_span_walk *walk,
    struct protected_span *span);
/* Finds the parts of the texts that must not be cut.  In the JSON strings of
 * the texts, replaces base64 payloads by short texts. */
int ctx_text_segments_protect(struct text_segments *segments,
    struct shortener *shortener, struct ctx_err *err);

/* Sets *size to the size of a text in the unit of the limit, such as tokens. */
int ctx_shorten_measure(struct shortener *shortener, const char *p, size_t n,
    uint64_t *size, struct ctx_err *err);
/* Adds the edits that shorten the texts of a message, so that all of them
 * together are not larger than limit, in the unit of the shortener.  Sets
 * *done to true if any edits were needed.  The message must still be valid. */
int ctx_shorten(struct shortener *shortener, struct ctx_edits *edits,
    struct text_segments *segments, uint64_t limit, bool *done,
    struct ctx_err *err);
void ctx_shorten_release(struct shortener *shortener);

/* ---- passages.c ---- */

/* A passage of a text: a few sentences or lines, of about 400 bytes.  Offsets
 * of its first byte and of the byte after it. */
struct passage {
	size_t from, to;
};
struct passages {
	const struct passage *list;
	size_t n;
};
/* A walk through the passages of a text. */
struct passage_walk {
	const char *p;
	size_t n, at;
	struct protected_span_walk spans;
	/* the first part that must not be cut and ends after the offset "at" */
	struct protected_span span;
};
/* Find the passages of a UTF-8 text, one after another. ctx_passages_next
 * returns false if there are no more.  Together they are the whole text. */
void ctx_passages_begin(struct passage_walk *walk, const char *p, size_t n);
bool ctx_passages_next(struct passage_walk *walk, struct passage *passage);
/* Adds the edits that replace each of these passages by a mark ("[... 12
 * characters truncated ...]").  The passages are in the order of the text, and
 * none begins where another ends.  If keep_start is true, the first passage of
 * the text is kept.  Changes nothing if the message does not have exactly one
 * text. */
int ctx_passages_remove(struct shortener *shortener, struct ctx_edits *edits,
    struct text_segments *segments, const struct passages *removed,
    bool keep_start, struct ctx_err *err);

#endif
