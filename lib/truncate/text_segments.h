/* text_segments.h - the texts of one item, and where it is cut */
#ifndef CTX_TRUNCATE_TEXT_SEGMENTS_H
#define CTX_TRUNCATE_TEXT_SEGMENTS_H

#include "dialect/result_content.h"
#include "truncate/truncate.h"

/*
 * A text of an item, or a block of it that can only stay or go.  What is no
 * text in its record becomes one when it is cut: its JSON is the text then.
 */
struct piece {
	struct ctx_str literal; /* with its quotes, or the text of one that is
				 * made; n 0: only stays or goes */
	size_t from, to;        /* what may be cut of it, in pieces->text */
	uint32_t node;          /* what is replaced */
	bool made;              /* stands for a whole body, which is no text */
	bool plain;             /* the literal has placeholders for payloads */
	uint32_t parent, child; /* taken out by dropping child, if not 0 */
};

/* What no cut may fall into: a mark, a placeholder, a payload of base64. */
struct atom {
	size_t from, to; /* bytes of the text */
	bool payload;
	uint64_t extra; /* how much larger the payload was that it stands for */
};

struct pieces {
	struct piece *list;
	size_t n, cap;
	struct ctx_view item; /* what of the message they are of */
	bool speaks;          /* its own: something has to be left to say */
	struct ctx_buf text;  /* the texts of all, one behind another */
	size_t spared;        /* bytes behind them that are not to be cut */
	struct ctx_buf made;  /* that of one that is made, until it is read */
	struct ctx_buf plain; /* those of pieces that are plain */
	struct atom *atoms;   /* in that text, in order */
	size_t n_atoms, atoms_cap;
};

/* Sets pieces to those of the result that is part i. */
int ctx_pieces_result(struct pieces *pieces, const struct ctx_view *view,
    const struct ctx_dialect *dialect, size_t i, struct ctx_err *err);
/* The texts of a message itself but that of part but; view->n: all. */
int ctx_pieces_texts(struct pieces *pieces, const struct ctx_view *view,
    size_t but, struct ctx_err *err);
/* Sets pieces->text, and what is whose in it; of a piece that has no text its
 * JSON stands there. */
int ctx_pieces_read(struct pieces *pieces, const struct ctx_json *json,
    struct ctx_err *err);
/* From here on only places in the text matter. */
void ctx_pieces_forget(struct pieces *pieces);
/* So many bytes at the end of that text are not to be cut. */
void ctx_pieces_spare(struct pieces *pieces, size_t bytes);
/* The place in a piece's literal that is so many bytes of its text behind
 * another. */
size_t ctx_piece_seek(const struct piece *piece, size_t at, size_t bytes);
void ctx_pieces_release(struct pieces *pieces);

/* What a cut is to leave. */
struct cut {
	enum ctx_size unit;
	enum ctx_keep keep;
	uint64_t head, tail;         /* their shares, for CTX_KEEP_ENDS */
	struct ctx_counter *counter; /* for CTX_SIZE_TOKENS */
	struct ctx_buf mark;      /* the literal of what stands for what goes */
	struct ctx_buf text, out; /* scratch */
	struct ctx_marks marks;   /* checkpoints of the pieces' text */
};

/* The first atoms of each kind in the rest of a text; n for none. */
struct atom_walk {
	const char *p;
	size_t n;
	size_t mark;   /* "[", of what can only be a mark */
	size_t linked; /* a payload of a data: URL */
	size_t run;    /* what may be the first line of a payload */
};

/* Goes over the atoms of a text, in order. */
void ctx_atoms_begin(struct atom_walk *walk, const char *p, size_t n);
bool ctx_atom_next(struct atom_walk *walk, struct atom *atom);
/* Finds the atoms of the pieces, and puts placeholders for payloads. */
int ctx_pieces_plain(struct pieces *pieces, struct cut *cut,
    struct ctx_err *err);

/* The size of a text in the unit of the cut. */
int ctx_cut_measure(struct cut *cut, const char *p, size_t n, uint64_t *size,
    struct ctx_err *err);
/* Notes the edits that bring an item down to limit; *done says whether any
 * were needed. */
int ctx_cut(struct cut *cut, struct ctx_edits *edits,
    const struct ctx_view *view, const struct ctx_dialect *dialect,
    struct pieces *pieces, uint64_t limit, bool *done, struct ctx_err *err);
void ctx_cut_release(struct cut *cut);

#endif
