/* text_segments.h - the texts of a result or message, and where they are cut */
#ifndef CTX_TRUNCATE_TEXT_SEGMENTS_H
#define CTX_TRUNCATE_TEXT_SEGMENTS_H

#include "dialect/result_content.h"
#include "truncate/truncate.h"

/*
 * A text of a message or result, or a block that can only be kept or removed
 * whole.  A result that has no text is one segment (is_json): its JSON becomes
 * a text when it is cut.
 */
struct text_segment {
	/* The string literal, with quotes; with is_json the text itself.  n 0:
	 * the segment is kept or removed whole. */
	struct ctx_str literal;
	size_t from, to;       /* bytes of its text in text_segments.text */
	uint32_t node;         /* the node that an edit replaces */
	bool is_json;          /* the text is the JSON of a whole result */
	bool has_placeholders; /* in literal, for base64 payloads */
	uint32_t container,
	    removable; /* can be removed from container; 0: cannot */
};

/* A part of a text that is never cut: an earlier mark, a placeholder, a base64
 * payload. */
struct protected_span {
	size_t from, to; /* bytes of the text */
	bool is_payload;
	uint64_t excess; /* size of the payload minus that of its placeholder */
};

/* The texts that share a limit.  Valid if zeroed; can be used again. */
struct text_segments {
	struct text_segment *list;
	size_t n, cap;
	struct ctx_message
	    message;          /* their message; its blocks are only these */
	bool is_message_text; /* not a result: must not become empty */
	struct ctx_buf text;  /* all texts, concatenated */
	uint64_t size;        /* of all texts, in the unit of the shortener */
	size_t uncut_bytes;   /* after text.n; they are kept */
	struct ctx_buf
	    json_text; /* text of an is_json segment, until it is read */
	struct ctx_buf placeholder_literals; /* literals with placeholders */
	struct protected_span *spans;        /* in text, in order */
	size_t n_spans, spans_cap;
};

/* Sets the segments to the texts of the result that is block i. */
int ctx_text_segments_result(struct text_segments *segments,
    const struct ctx_message *message, size_t i, struct ctx_err *err);
/* Sets the segments to the texts of a message, without those of its results and
 * without block but.  but may be message->n. */
int ctx_text_segments_texts(struct text_segments *segments,
    const struct ctx_message *message, size_t but, struct ctx_err *err);
/* Sets segments->text, and the place of each segment in it.  A segment without
 * text has its JSON there. */
int ctx_text_segments_read(struct text_segments *segments, struct ctx_err *err);
/* Frees segments->text, of which only offsets are needed from now on. */
void ctx_text_segments_free_text(struct text_segments *segments);
/* Excludes the last bytes of the last text from cuts. */
void ctx_text_segments_exclude_end(struct text_segments *segments,
    size_t bytes);
/* Returns the offset in the literal of a segment that is the given bytes of
 * text after offset at. */
size_t ctx_text_segment_seek(const struct text_segment *segment, size_t at,
    size_t bytes);
void ctx_text_segments_release(struct text_segments *segments);

/* How texts are shortened, and the mark that replaces the removed middle. */
struct shortener {
	enum ctx_size unit;
	enum ctx_keep keep;
	uint64_t head, tail;          /* their shares, for CTX_KEEP_ENDS */
	struct ctx_counter *counter;  /* for CTX_SIZE_TOKENS */
	struct ctx_buf mark;          /* its string literal, with quotes */
	bool mark_has_size;           /* the mark gives the removed size */
	struct ctx_buf text, out;     /* scratch */
	struct ctx_token_index index; /* token counts in text_segments.text */
};

/* A search for protected spans.  Offsets of the next candidates; n: none. */
struct protected_span_walk {
	const char *p;
	size_t n;
	size_t mark; /* a mark */
	size_t url;  /* a payload of a data: URL */
	size_t run;  /* what may be the first line of a payload */
};

/* Find the protected spans of a text, in order.  The second function returns
 * false if there are no more. */
void ctx_protected_spans_begin(struct protected_span_walk *walk, const char *p,
    size_t n);
bool ctx_protected_span_next(struct protected_span_walk *walk,
    struct protected_span *span);
/* Finds the protected spans of the segments.  Writes literals with placeholders
 * for base64 payloads. */
int ctx_text_segments_protect(struct text_segments *segments,
    struct shortener *shortener, struct ctx_err *err);

/* Sets *size to the size of a text in the unit of the limit. */
int ctx_shorten_measure(struct shortener *shortener, const char *p, size_t n,
    uint64_t *size, struct ctx_err *err);
/* Adds the edits that shorten the segments to limit, in the unit of the
 * shortener.  Sets *done to true if any were needed.  The message that the
 * segments were set from must still be valid. */
int ctx_shorten(struct shortener *shortener, struct ctx_edits *edits,
    struct text_segments *segments, uint64_t limit, bool *done,
    struct ctx_err *err);
void ctx_shorten_release(struct shortener *shortener);

#endif
