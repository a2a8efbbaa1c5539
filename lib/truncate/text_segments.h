/* text_segments.h - the texts of a result or message, and where they are cut */
#ifndef CTX_TRUNCATE_TEXT_SEGMENTS_H
#define CTX_TRUNCATE_TEXT_SEGMENTS_H

#include "dialect/result_content.h"
#include "truncate/truncate.h"

/*
 * A text, or a block that can only be kept or removed whole.  A body that is
 * not text gets one made segment: its JSON becomes the text when it is cut.
 */
struct text_segment {
	struct ctx_str literal; /* with quotes; if made, the text; n 0: the
				   segment is kept or removed whole */
	size_t from, to;        /* its text, in text_segments.text */
	uint32_t node;          /* the node that is replaced */
	bool is_json;           /* stands for a whole body that is not text */
	bool has_placeholders;  /* the literal has placeholders for payloads */
	uint32_t container,
	    removable; /* child can be removed from parent; 0: no */
};

/* A span that is never cut: a mark, a placeholder, a base64 payload. */
struct protected_span {
	size_t from, to; /* bytes of the text */
	bool is_payload;
	uint64_t excess; /* size of the payload minus its placeholder's */
};

struct text_segments {
	struct text_segment *list;
	size_t n, cap;
	struct ctx_message message; /* the message, with only these blocks */
	bool is_message_text; /* a message's own texts: must not become empty */
	struct ctx_buf text;  /* all texts, concatenated */
	uint64_t size;        /* of all texts, in the unit of the shortener */
	size_t uncut_bytes;   /* bytes after text.n that are not cut */
	struct ctx_buf json_text; /* text of a made segment, until it is read */
	struct ctx_buf placeholder_literals; /* literals of plain segments */
	struct protected_span *spans; /* protected spans of text, in order */
	size_t n_spans, spans_cap;
};

/* Sets the segments to those of the result that is block i. */
int ctx_text_segments_result(struct text_segments *segments,
    const struct ctx_message *message, size_t i, struct ctx_err *err);
/* Sets the segments to the message's own texts, without block but; message->n:
 * all of them. */
int ctx_text_segments_texts(struct text_segments *segments,
    const struct ctx_message *message, size_t but, struct ctx_err *err);
/* Sets text_segments->text, and each segment's place in it.  A segment without
 * text has its JSON there. */
int ctx_text_segments_read(struct text_segments *segments, struct ctx_err *err);
/* Frees the text; from here on only places in it are used. */
void ctx_text_segments_free_text(struct text_segments *segments);
/* Excludes the last bytes of the text from cuts. */
void ctx_text_segments_exclude_end(struct text_segments *segments,
    size_t bytes);
/* Returns the place in a segment's literal that is bytes of text after at. */
size_t ctx_text_segment_seek(const struct text_segment *segment, size_t at,
    size_t bytes);
void ctx_text_segments_release(struct text_segments *segments);

/* How texts are shortened. */
struct shortener {
	enum ctx_size unit;
	enum ctx_keep keep;
	uint64_t head, tail;         /* shares, for CTX_KEEP_ENDS */
	struct ctx_counter *counter; /* for CTX_SIZE_TOKENS */
	struct ctx_buf mark; /* literal of the mark for the removed middle */
	bool mark_has_size;  /* the mark gives the removed size */
	struct ctx_buf text, out;     /* scratch */
	struct ctx_token_index index; /* checkpoints in text_segments.text */
};

/* Where the next protected span of each kind begins; n: there is none. */
struct protected_span_walk {
	const char *p;
	size_t n;
	size_t mark; /* a mark */
	size_t url;  /* a payload of a data: URL */
	size_t run;  /* what may be a payload's first line */
};

/* Find the protected spans of a text, in order. */
void ctx_protected_spans_begin(struct protected_span_walk *walk, const char *p,
    size_t n);
bool ctx_protected_span_next(struct protected_span_walk *walk,
    struct protected_span *span);
/* Finds the protected spans of the segments, and replaces payloads by
 * placeholders. */
int ctx_text_segments_protect(struct text_segments *segments,
    struct shortener *shortener, struct ctx_err *err);

/* Sets *size to the size of a text in the unit of the cut. */
int ctx_shorten_measure(struct shortener *shortener, const char *p, size_t n,
    uint64_t *size, struct ctx_err *err);
/* Adds the edits that shorten the segments to limit.  Sets *done to true if any
 * were needed. */
int ctx_shorten(struct shortener *shortener, struct ctx_edits *edits,
    struct text_segments *segments, uint64_t limit, bool *done,
    struct ctx_err *err);
void ctx_shorten_release(struct shortener *shortener);

#endif
