/* text_segments.h - the texts of a tool result or message that share a limit,
 * and the parts of them that must not be cut */
#ifndef CTX_TRUNCATE_TEXT_SEGMENTS_H
#define CTX_TRUNCATE_TEXT_SEGMENTS_H

#include "dialect/result_content.h"
#include "truncate/truncate.h"

/*
 * A text of a message or tool result, or a block that can only be kept or
 * removed whole.  A result without any text is one segment (is_json): its JSON
 * becomes a text when it is shortened.
 */
struct text_segment {
	/* The JSON string of the text, with quotes; if is_json is true, the
	 * text itself.  Its length n is 0 for a block that can only be kept or
	 * removed whole. */
	struct ctx_str literal;
	size_t from, to; /* place of the text in text_segments.text, in bytes */
	uint32_t node;   /* index of the JSON node that an edit replaces */
	/* True if the text is the JSON of a whole tool result. */
	bool is_json;
	/* True if short texts in literal have replaced base64 payloads. */
	bool has_placeholders;
	/* JSON nodes: removable has the text and can be removed from container.
	 * removable is 0 if the text cannot be removed. */
	uint32_t container, removable;
};

/* A part of a text that is kept or removed whole: the mark of an earlier cut, a
 * text that stands for removed data, or a base64 payload. */
struct protected_span {
	size_t from, to; /* place in the text, in bytes */
	bool is_payload;
	/* How much larger the payload is than the short text that replaces it,
	 * in the unit of the limit. */
	uint64_t excess;
};

/* The texts of a tool result or message that share a limit.  Valid if zeroed;
 * can be used again. */
struct text_segments {
	struct text_segment *list;
	size_t n, cap;
	/* The message that the texts are from, without its other content
	 * blocks. */
	struct ctx_message message;
	/* True if these are a message's own texts, which must not become empty;
	 * false for a tool result. */
	bool is_message_text;
	struct ctx_buf text; /* all texts, one after another */
	uint64_t size;       /* size of all texts, in the unit of the limit */
	/* Number of bytes at the end of the last text that must not be cut.
	 * The bytes are in the buffer text, but its length does not include
	 * them. */
	size_t uncut_bytes;
	/* The JSON of a tool result without any text, until
	 * ctx_text_segments_read moves it to text. */
	struct ctx_buf json_text;
	/* JSON strings with short texts in place of base64 payloads. */
	struct ctx_buf placeholder_literals;
	/* Parts of text that must not be cut, in order. */
	struct protected_span *spans;
	size_t n_spans, spans_cap;
};

/* Sets *segments to the texts of the tool result in block i of a message. */
int ctx_text_segments_result(struct text_segments *segments,
    const struct ctx_message *message, size_t i, struct ctx_err *err);
/* Sets *segments to a message's own texts, without the texts in tool results.
 * Also leaves out one block, whose number is given; the number message->n
 * leaves out no block. */
int ctx_text_segments_texts(struct text_segments *segments,
    const struct ctx_message *message, size_t but, struct ctx_err *err);
/* Reads all texts into segments->text, and sets the place of each.  For a block
 * without text its JSON is read. */
int ctx_text_segments_read(struct text_segments *segments, struct ctx_err *err);
/* Frees segments->text.  Called when only offsets in it are still needed. */
void ctx_text_segments_free_text(struct text_segments *segments);
/* Excludes the given number of bytes at the end of the last text from cuts. */
void ctx_text_segments_exclude_end(struct text_segments *segments,
    size_t bytes);
/* Moves an offset in the JSON string of a text forward by the given number of
 * bytes of decoded text.  Returns the new offset. */
size_t ctx_text_segment_seek(const struct text_segment *segment, size_t at,
    size_t bytes);
void ctx_text_segments_release(struct text_segments *segments);

/* How texts are shortened, and the mark that replaces the removed text ("[...
 * 12 lines truncated ...]"). */
struct shortener {
	enum ctx_size unit;
	enum ctx_keep keep;
	/* Shares of the kept beginning and end of a text, for CTX_KEEP_ENDS. */
	uint64_t head, tail;
	struct ctx_counter *counter; /* token counter for CTX_SIZE_TOKENS */
	struct ctx_buf mark;         /* JSON string of the mark, with quotes */
	/* True if the mark for removed text contains the size of that text. */
	bool mark_has_size;
	struct ctx_buf text, out; /* scratch buffers */
	/* Token counts of parts of text_segments.text. */
	struct ctx_token_index index;
};

/* A search for the parts of a text that must not be cut. mark, url and run are
 * the offsets of the next place of each kind, or n if there is none. */
struct protected_span_walk {
	const char *p;
	size_t n;
	size_t mark; /* the mark of an earlier cut */
	size_t url;  /* the payload of a data: URL */
	/* What may be the first line of a base64 payload. */
	size_t run;
};

/* Find the parts of a text that must not be cut, in order.  The second function
 * returns false if there are no more. */
void ctx_protected_spans_begin(struct protected_span_walk *walk, const char *p,
    size_t n);
bool ctx_protected_span_next(struct protected_span_walk *walk,
    struct protected_span *span);
/* Finds the parts of the texts that must not be cut, and replaces base64
 * payloads in the JSON strings of the texts by short texts. */
int ctx_text_segments_protect(struct text_segments *segments,
    struct shortener *shortener, struct ctx_err *err);

/* Sets *size to the size of a text, in the unit of the limit. */
int ctx_shorten_measure(struct shortener *shortener, const char *p, size_t n,
    uint64_t *size, struct ctx_err *err);
/* Adds the edits that shorten the texts of a message so that together they fit
 * limit, in the unit of the shortener.  Sets *done to true if any edits were
 * needed.  The message that the texts are from must still be valid. */
int ctx_shorten(struct shortener *shortener, struct ctx_edits *edits,
    struct text_segments *segments, uint64_t limit, bool *done,
    struct ctx_err *err);
void ctx_shorten_release(struct shortener *shortener);

#endif
