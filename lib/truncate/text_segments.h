/* text_segments.h - the texts of one item, and where it is cut */
#ifndef CTX_TRUNCATE_TEXT_SEGMENTS_H
#define CTX_TRUNCATE_TEXT_SEGMENTS_H

#include "dialect/result_content.h"
#include "truncate/truncate.h"

/*
 * A text of an item, or a block of it that can only stay or go.  What is no
 * text in its record becomes one when it is cut: its JSON is the text then.
 */
struct text_segment {
	struct ctx_str literal; /* with its quotes, or the text of one that is
				 * made; n 0: only stays or goes */
	size_t from, to;        /* what may be cut of it, in pieces->text */
	uint32_t node;          /* what is replaced */
	bool made;              /* stands for a whole body, which is no text */
	bool plain;             /* the literal has placeholders for payloads */
	uint32_t parent, child; /* taken out by dropping child, if not 0 */
};

/* What no cut may fall into: a mark, a placeholder, a payload of base64. */
struct protected_span {
	size_t from, to; /* bytes of the text */
	bool payload;
	uint64_t extra; /* how much larger the payload was that it stands for */
};

struct text_segments {
	struct text_segment *list;
	size_t n, cap;
	struct ctx_message item; /* what of the message they are of */
	bool speaks;             /* its own: something has to be left to say */
	struct ctx_buf text;     /* the texts of all, one behind another */
	size_t spared;           /* bytes behind them that are not to be cut */
	struct ctx_buf made;  /* that of one that is made, until it is read */
	struct ctx_buf plain; /* those of pieces that are plain */
	struct protected_span *atoms; /* in that text, in order */
	size_t n_atoms, atoms_cap;
};

/* Sets pieces to those of the result that is part i. */
int ctx_text_segments_result(struct text_segments *text_segments,
    const struct ctx_message *message, const struct ctx_dialect *dialect,
    size_t i, struct ctx_err *err);
/* The texts of a message itself but that of part but; view->n: all. */
int ctx_text_segments_texts(struct text_segments *text_segments,
    const struct ctx_message *message, size_t but, struct ctx_err *err);
/* Sets pieces->text, and what is whose in it; of a piece that has no text its
 * JSON stands there. */
int ctx_text_segments_read(struct text_segments *text_segments,
    const struct ctx_json *json, struct ctx_err *err);
/* From here on only places in the text matter. */
void ctx_text_segments_forget(struct text_segments *text_segments);
/* So many bytes at the end of that text are not to be cut. */
void ctx_text_segments_spare(struct text_segments *text_segments, size_t bytes);
/* The place in a piece's literal that is so many bytes of its text behind
 * another. */
size_t ctx_text_segment_seek(const struct text_segment *segment, size_t at,
    size_t bytes);
void ctx_text_segments_release(struct text_segments *text_segments);

/* What a cut is to leave. */
struct shortener {
	enum ctx_size unit;
	enum ctx_keep keep;
	uint64_t head, tail;         /* their shares, for CTX_KEEP_ENDS */
	struct ctx_counter *counter; /* for CTX_SIZE_TOKENS */
	struct ctx_buf mark;      /* the literal of what stands for what goes */
	struct ctx_buf text, out; /* scratch */
	struct ctx_token_index index; /* checkpoints of the pieces' text */
};

/* The first atoms of each kind in the rest of a text; n for none. */
struct protected_span_walk {
	const char *p;
	size_t n;
	size_t mark;   /* "[", of what can only be a mark */
	size_t linked; /* a payload of a data: URL */
	size_t run;    /* what may be the first line of a payload */
};

/* Goes over the atoms of a text, in order. */
void ctx_protected_spans_begin(struct protected_span_walk *walk, const char *p,
    size_t n);
bool ctx_protected_span_next(struct protected_span_walk *walk,
    struct protected_span *span);
/* Finds the atoms of the pieces, and puts placeholders for payloads. */
int ctx_text_segments_plain(struct text_segments *text_segments,
    struct shortener *cut, struct ctx_err *err);

/* The size of a text in the unit of the cut. */
int ctx_shorten_measure(struct shortener *cut, const char *p, size_t n,
    uint64_t *size, struct ctx_err *err);
/* Notes the edits that bring an item down to limit; *done says whether any
 * were needed. */
int ctx_shorten(struct shortener *cut, struct ctx_edits *edits,
    const struct ctx_message *message, const struct ctx_dialect *dialect,
    struct text_segments *text_segments, uint64_t limit, bool *done,
    struct ctx_err *err);
void ctx_shorten_release(struct shortener *cut);

#endif
