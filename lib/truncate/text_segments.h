/* text_segments.h - the texts of a message, or of a tool result, that together
 * must not exceed a limit, and the parts of these texts that must not be cut */
#ifndef CTX_TRUNCATE_TEXT_SEGMENTS_H
#define CTX_TRUNCATE_TEXT_SEGMENTS_H

#include "dialect/result_content.h"
#include "truncate/truncate.h"

/*
 * A text segment is one of three things: a text of a message or tool result; a
 * block without text, which is kept or removed as a whole; or a tool result
 * without any text (is_json), whose JSON is shortened as a text.
 */
struct text_segment {
	/* The JSON string of the text, with its quotes.  If is_json is true:
	 * the JSON of the tool result, which is the text.  For a block without
	 * text, the length n is 0. */
	struct ctx_str literal;
	/* offsets of the text in text_segments.text, in bytes */
	size_t from, to;
	/* JSON node of the value that is replaced when the text is shortened */
	uint32_t node;
	/* True if the text is the JSON of a whole tool result. */
	bool is_json;
	/* true if short texts have replaced base64 payloads in the member
	 * "literal" */
	bool has_placeholders;
	/* removable: the JSON node that is removed if the text is removed; 0 if
	 * the text cannot be removed. container: the array or object that
	 * contains this node. */
	uint32_t container, removable;
};

/* A protected span: a part of a text that can only be kept or removed as a
 * whole.  This is a base64 payload, or a text that an earlier run of ctx has
 * written in place of a payload or of other removed text. */
struct protected_span {
	size_t from, to; /* offsets of the span in the text, in bytes */
	bool is_payload;
	/* For a base64 payload: its size minus the size of the short text that
	 * replaces it, in the unit of the limit. */
	uint64_t excess;
};

/* All texts of a message or tool result, to which one limit applies together.
 * A struct of zeros is valid, and can be used for many messages, one after
 * another. */
struct text_segments {
	struct text_segment *list;
	size_t n, cap;
	/* A copy of the message.  For a tool result, the copy has only the
	 * blocks inside the result, or none if they cannot be removed one by
	 * one. */
	struct ctx_message message;
	/* Number of texts at the end of the list that are the last blocks of
	 * their message, directly after reasoning, in a format with signed
	 * reasoning; otherwise 0.  Anthropic refuses reasoning as the last
	 * block, so these texts must not all be removed. */
	size_t n_after_reasoning;
	/* True if these are the texts of a message outside its tool results.
	 * False if they were set by ctx_text_segments_result or
	 * ctx_text_segments_string. */
	bool is_message_text;
	struct ctx_buf text; /* all texts, one after another */
	/* size of all texts together, in the unit of the limit */
	uint64_t size;
	/* Number of bytes at the end of the last text that must not be removed.
	 * These bytes are stored in the buffer "text" after its n bytes. */
	size_t uncut_bytes;
	/* JSON of a tool result that has no text. ctx_text_segments_read moves
	 * it to the member "text". */
	struct ctx_buf json_text;
	/* JSON strings, one after another, of those texts in which short texts
	 * have replaced base64 payloads. */
	struct ctx_buf placeholder_literals;
	/* The protected spans of the texts (the parts that must not be cut), in
	 * their order. */
	struct protected_span *spans;
	size_t n_spans, spans_cap;
};

/* Sets *segments to the texts of tool result i of a message. */
int ctx_text_segments_result(struct text_segments *segments,
    const struct ctx_message *message, size_t i, struct ctx_err *err);
/* Sets *segments to the texts of a message that are outside its tool results.
 * but: index of a block whose text is left out; message->n if no block is left
 * out. */
int ctx_text_segments_texts(struct text_segments *segments,
    const struct ctx_message *message, size_t but, struct ctx_err *err);
/* Sets *segments to the JSON string at node, in the record of a message.  If
 * node is an array of strings, sets *segments to all its elements. */
int ctx_text_segments_string(struct text_segments *segments,
    const struct ctx_message *message, uint32_t node, struct ctx_err *err);
/* Reads all texts into segments->text, one after another, and stores where each
 * text begins and ends.  For a block without text, reads the JSON of the
 * block. */
int ctx_text_segments_read(struct text_segments *segments, struct ctx_err *err);
/* Returns the text of a segment.  If the segment is a block without text,
 * returns the JSON of the block.  The caller must first call
 * ctx_text_segments_read. */
struct ctx_str ctx_text_segment_text(const struct text_segments *segments,
    const struct text_segment *segment);
/* Empties segments->text, and frees its memory if it is large; does nothing if
 * a text segment still points into it.  The offsets of the texts remain
 * valid. */
void ctx_text_segments_free_text(struct text_segments *segments);
/* Forbids removing the last bytes of the last text. bytes: number of these
 * bytes. */
void ctx_text_segments_exclude_end(struct text_segments *segments,
    size_t bytes);
/* Skips a number of decoded bytes (the argument bytes) in the JSON string of a
 * text, from the offset "at" on, and returns the offset after these bytes.  In
 * JSON, a decoded byte may need several bytes. */
size_t ctx_text_segment_seek(const struct text_segment *segment, size_t at,
    size_t bytes);
void ctx_text_segments_release(struct text_segments *segments);

/* Options for shortening texts, the mark that is written in place of removed
 * text ("[... 12 lines truncated ...]"), and scratch memory. */
struct shortener {
	enum ctx_size unit;
	enum ctx_keep keep;
	/* For CTX_KEEP_ENDS: ratio of the size of the kept beginning of a text
	 * (head) to the size of its kept end (tail). */
	uint64_t head, tail;
	struct ctx_counter *counter; /* token counter for CTX_SIZE_TOKENS */
	struct ctx_buf mark;         /* JSON string of the mark, with quotes */
	/* True if the mark contains the size of the removed text. */
	bool mark_has_size;
	struct ctx_buf text, out; /* scratch memory */
	/* Numbers of tokens up to many places in text_segments.text.  They make
	 * it fast to count the tokens of a part of this text. */
	struct ctx_token_index index;
};

/* State of a search for the protected spans of a text (parts that must not be
 * cut).  There are three kinds of spans: mark, url and run.  These members are
 * the offsets at which the next span of each kind begins, or n if there is
 * none. */
struct protected_span_walk {
	const char *p;
	size_t n;
	size_t mark; /* offset of a mark that an earlier run of ctx wrote */
	size_t url;  /* offset of the payload of a URL with the scheme "data" */
	/* offset of a line of base64 characters that may be the first line of
	 * base64 data */
	size_t run;
};

/* Find the protected spans of a text (the parts that must not be cut), one
 * after another. ctx_protected_span_next returns false if there are no more
 * spans. */
void ctx_protected_spans_begin(struct protected_span_walk *walk, const char *p,
    size_t n);
bool ctx_protected_span_next(struct protected_span_walk *walk,
    struct protected_span *span);
/* Finds the protected spans (parts that must not be cut) of all texts in
 * *segments.  Some texts contain base64 data; in the JSON strings of these
 * texts, replaces the data by a short text. */
int ctx_text_segments_protect(struct text_segments *segments,
    struct shortener *shortener, struct ctx_err *err);

/* Sets *size to the size of a text in the unit of the limit, such as tokens. */
int ctx_shorten_measure(struct shortener *shortener, const char *p, size_t n,
    uint64_t *size, struct ctx_err *err);
/* Adds the edits that shorten the texts, so that their size together is at most
 * limit, in the unit shortener->unit, or, if that is not possible, as small as
 * possible.  Sets *done to true if it has added edits.  The message must still
 * be in memory. */
int ctx_shorten(struct shortener *shortener, struct ctx_edits *edits,
    struct text_segments *segments, uint64_t limit, bool *done,
    struct ctx_err *err);
/* Writes the JSON object that replaces the arguments of a tool call, such as
 * {"_ctx_cut":"12345 characters truncated"}. n: size of the arguments. unit:
 * its unit, such as "characters". */
enum { CTX_ARGUMENT_MARK = 80 };
void ctx_argument_mark(char mark[CTX_ARGUMENT_MARK], uint64_t n,
    const char *unit);
/* Adds the edit that replaces the arguments of a tool call by a mark, which is
 * a JSON object.  No part of the arguments is kept, because a model could take
 * the part for the whole. args: JSON node of the arguments.  Uses
 * shortener->out. */
int ctx_shorten_arguments(struct shortener *shortener, struct ctx_edits *edits,
    const struct ctx_json *json, uint32_t args, const char *mark,
    struct ctx_err *err);
void ctx_shorten_release(struct shortener *shortener);

/* ---- passages.c ---- */

/* A passage: a few sentences or lines of a text.  A passage whose end is 0
 * stands for all arguments of a tool call. */
struct passage {
	/* from: offset of the first byte of the passage. to: offset of the byte
	 * after the passage.  If the text is that of a tool result with several
	 * texts: offsets in all of them together, as in text_segments.text. */
	size_t from, to;
	/* Index of the block of the tool result or tool call in the message.  0
	 * if the text is outside these. */
	size_t result;
};
struct passages {
	const struct passage *list;
	size_t n;
};
/* State of dividing a text into passages (a few sentences or lines each). */
struct passage_walk {
	const char *p;
	size_t n, at;
	/* wanted size of a passage in bytes */
	size_t size;
	struct protected_span_walk spans;
	/* the first protected span (part that must not be cut) that ends after
	 * the offset "at" */
	struct protected_span span;
};
/* Size in bytes of the passages into which the strategy recall divides texts;
 * see ctx_passages_begin. */
enum { CTX_PASSAGE_BYTES = 400 };
/* Divide a UTF-8 text into passages, and return them one after another.  A
 * passage ends at the last end of a line or sentence within size bytes.  If
 * there is none, it ends at the next end of a line or sentence within twice
 * this size; if there is none, at the last end of a member or element of JSON
 * within twice this size; if there is none, at the last blank within twice this
 * size; if there is none, between two characters.  The last passage may have a
 * quarter more than size bytes. ctx_passages_next returns false if there are no
 * more passages. */
void ctx_passages_begin(struct passage_walk *walk, const char *p, size_t n,
    size_t size);
bool ctx_passages_next(struct passage_walk *walk, struct passage *passage);
/* Adds the edits that replace each of the given passages (a few lines each) by
 * a mark ("[... 12 characters truncated ...]").  The caller must pass passages
 * in the order of the texts, with text between them.  If a passage continues in
 * the next text, both texts get a mark.  If keep_start is true, the beginning
 * of the first text, of about CTX_PASSAGE_BYTES bytes, is kept. */
int ctx_passages_remove(struct shortener *shortener, struct ctx_edits *edits,
    struct text_segments *segments, const struct passages *removed,
    bool keep_start, struct ctx_err *err);

#endif
