/*
 * cut.c - where a long item is cut
 *
 * One walk over the characters of its texts finds both ends of what goes:
 * the last place that leaves no more before it than the head may have, and
 * the first that leaves no more behind it than the tail may.  Places stand
 * between grapheme clusters and outside of atoms.  Tokens are first turned
 * into bytes; what they cost together is checked on the outcome.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convo/convo.h"
#include "convo/pieces.h"
#include "store/reference.h"

/* Between two characters of a piece; or before a piece that has no text. */
struct spot {
	size_t piece;
	size_t at;     /* offset in its literal */
	uint64_t size; /* of what stands before it */
};

struct span {
	struct spot head, tail;
	bool tail_found;
};

struct walk {
	enum ctx_size unit;
	uint64_t total, head_room, tail_room;
	uint64_t before; /* bytes, characters or lines ended */
	bool begun;      /* something of this piece's line is before */
	struct span span;
	const struct atom *atom, *atoms_end; /* those still to come */
};

/* ---- sizes ---- */

/* Lines; a last one without a line feed counts. */
static uint64_t
count_lines(const char *p, size_t n)
{
	const char *end = p + n, *next;
	uint64_t lines = 0;

	for (; p < end; p = next + 1, lines++)
		if ((next = memchr(p, '\n', (size_t)(end - p))) == NULL)
			return lines + 1;
	return lines;
}

int
ctx_cut_measure(struct cut *cut, const char *p, size_t n, uint64_t *size,
    struct ctx_err *err)
{
	switch (cut->unit) {
	case CTX_SIZE_CHARS:
		*size = ctx_utf8_count(p, n);
		return 0;
	case CTX_SIZE_BYTES:
		*size = n;
		return 0;
	case CTX_SIZE_LINES:
		*size = count_lines(p, n);
		return 0;
	case CTX_SIZE_TOKENS:
		break;
	}
	if (ctx_token_count(cut->counter->tokens, p, n, size, err) < 0)
		return -1;
	*size = ctx_count_scale(cut->counter, *size);
	return 0;
}

/* Puts what may be cut of a piece into cut->text; the JSON of one that has
 * no text. */
static int
piece_text(struct cut *cut, const struct ctx_view *view,
    const struct piece *piece, struct ctx_err *err)
{
	struct ctx_str raw = {piece->literal.p, piece->end + 1};

	cut->text.n = 0;
	if (piece->literal.n > 0)
		return ctx_text_decode(&cut->text, raw, err);
	raw = ctx_json_str(view->json, piece->node);
	return ctx_buf_add(&cut->text, raw.p, raw.n, err);
}

/* What a piece costs; characters and bytes of a text need not be decoded. */
static int
measure_piece(struct cut *cut, const struct ctx_view *view,
    const struct piece *piece, uint64_t *size, struct ctx_err *err)
{
	struct ctx_str raw = {piece->literal.p, piece->end + 1};
	size_t bytes, chars;

	if (piece->literal.n > 0 &&
	    (cut->unit == CTX_SIZE_CHARS || cut->unit == CTX_SIZE_BYTES)) {
		ctx_text_size(raw, &bytes, &chars);
		*size = cut->unit == CTX_SIZE_CHARS ? chars : bytes;
		return 0;
	}
	if (piece_text(cut, view, piece, err) < 0)
		return -1;
	return ctx_cut_measure(cut, cut->text.p, cut->text.n, size, err);
}

static int
measure_pieces(struct cut *cut, const struct ctx_view *view,
    const struct pieces *pieces, uint64_t *total, struct ctx_err *err)
{
	uint64_t size;
	size_t i;

	*total = 0;
	for (i = 0; i < pieces->n; i++) {
		if (measure_piece(cut, view, &pieces->list[i], &size, err) < 0)
			return -1;
		*total += size;
	}
	return 0;
}

/* ---- the walk ---- */

static void
consider(struct walk *w, size_t piece, size_t at)
{
	/* A line that has begun is a line of the head. */
	uint64_t head = w->before +
	    (w->unit == CTX_SIZE_LINES && w->begun ? 1 : 0);

	/* The end of a text is a better place than the start of the next. */
	if (head <= w->head_room &&
	    (head > w->span.head.size || piece == w->span.head.piece))
		w->span.head = (struct spot){piece, at, head};
	if (!w->span.tail_found && w->total - w->before <= w->tail_room) {
		w->span.tail = (struct spot){piece, at, w->before};
		w->span.tail_found = true;
	}
}

/* Is this place inside an atom? */
static bool
is_inside(struct walk *w, size_t piece, size_t at)
{
	while (w->atom < w->atoms_end && (w->atom->piece < piece ||
		(w->atom->piece == piece && w->atom->to <= at)))
		w->atom++;
	return w->atom < w->atoms_end && w->atom->piece == piece &&
	    w->atom->from < at;
}

/*
 * Of a run of plain characters from at on: how many may be passed by, since
 * a place behind them does what theirs would.  Not the last, which a mark may
 * follow; not those before a room is full, or an atom begins.
 */
static uint64_t
passed_by(struct walk *w, const struct piece *piece, size_t i, size_t at)
{
	size_t run = ctx_text_plain(piece->literal, at);
	uint64_t n = run < piece->end - at ? run : piece->end - at, room;

	if (n < 2 || w->unit == CTX_SIZE_LINES || is_inside(w, i, at))
		return 0;
	n--;
	if (w->atom < w->atoms_end && w->atom->piece == i &&
	    n > w->atom->from - at)
		n = w->atom->from - at;
	if (w->before <= w->head_room && n > w->head_room - w->before)
		n = w->head_room - w->before;
	if (w->span.tail_found)
		return n;
	/* The tail begins where no more than its room is left. */
	room = w->total - w->tail_room;
	if (room <= w->before)
		return 0;
	return n < room - w->before ? n : room - w->before;
}

static void
walk_text(struct walk *w, const struct piece *piece, size_t i)
{
	struct ctx_grapheme grapheme = {0};
	size_t at = 1, from = 1;
	uint64_t passed;
	uint32_t cp = '\n';
	char utf8[4];

	w->begun = false;
	while (at < piece->end && ctx_text_next(piece->literal, &at, &cp)) {
		if (ctx_grapheme_next(&grapheme, cp) && !is_inside(w, i, from))
			consider(w, i, from);
		from = at;
		w->begun = true;
		if (w->unit == CTX_SIZE_BYTES)
			w->before += ctx_utf8_put(utf8, cp);
		else if (w->unit == CTX_SIZE_CHARS || cp == '\n')
			w->before++;
		if (cp < 0x20 || cp >= 0x7f)
			continue;
		/* Among plain characters the walk has nothing to remember. */
		passed = passed_by(w, piece, i, at);
		w->before += passed;
		from = at += (size_t)passed;
	}
	if (w->unit == CTX_SIZE_LINES && cp != '\n') {
		w->before++;
		w->begun = false;
	}
	consider(w, i, from);
}

/* Finds the span that goes; cut->unit may be bytes in place of tokens. */
static int
walk(struct cut *cut, struct walk *w, const struct ctx_view *view,
    const struct pieces *pieces, struct ctx_err *err)
{
	uint64_t size;
	size_t i;

	w->atom = pieces->atoms;
	w->atoms_end = w->atom;
	if (pieces->n_atoms > 0)
		w->atoms_end += pieces->n_atoms;
	for (i = 0; i < pieces->n; i++) {
		if (pieces->list[i].literal.n > 0) {
			walk_text(w, &pieces->list[i], i);
			continue;
		}
		w->begun = false;
		consider(w, i, 0);
		if (piece_text(cut, view, &pieces->list[i], err) < 0)
			return -1;
		size = cut->text.n;
		if (w->unit == CTX_SIZE_CHARS)
			size = ctx_utf8_count(cut->text.p, cut->text.n);
		else if (w->unit == CTX_SIZE_LINES)
			size = count_lines(cut->text.p, cut->text.n);
		w->before += size;
	}
	w->begun = false;
	consider(w, pieces->n, 0);
	return 0;
}

/* ---- the outcome ---- */

/* The text that holds the mark: the one that is cut, else one beside it. */
static size_t
host_of(const struct pieces *pieces, const struct span *span)
{
	size_t i = span->head.piece < pieces->n ? span->head.piece
						: pieces->n - 1;

	while (i > 0 && pieces->list[i].literal.n == 0)
		i--;
	while (pieces->list[i].literal.n == 0)
		i++;
	return i;
}

enum fate { STAYS, GOES, CHANGES };

/* What becomes of piece i; if it changes, its literal is left in out. */
static int
rewrite(const struct cut *cut, const struct pieces *pieces,
    const struct span *span, size_t i, struct ctx_buf *out, enum fate *fate,
    struct ctx_err *err)
{
	const struct ctx_str *literal = &pieces->list[i].literal;
	/* Where nothing goes there is no mark. */
	bool host = span->head.piece < pieces->n && i == host_of(pieces, span);
	size_t end = literal->n - 1, head = 1, tail = 1;

	*fate = STAYS;
	if (literal->n == 0) {
		if (i >= span->head.piece && i < span->tail.piece)
			*fate = GOES;
		return 0;
	}
	if (i <= span->head.piece)
		head = i < span->head.piece ? end : span->head.at;
	if (i <= span->tail.piece)
		tail = i < span->tail.piece ? end : span->tail.at;
	if (!host && (head == end || tail == 1)) {
		*fate = pieces->list[i].plain ? CHANGES : STAYS;
		out->n = 0;
		return ctx_buf_add(out, literal->p, literal->n, err);
	}
	*fate = CHANGES;
	if (!host && head == 1 && tail == end)
		*fate = GOES;
	out->n = 0;
	if (ctx_buf_add(out, literal->p, head, err) < 0 ||
	    (host && ctx_buf_add(out, cut->mark.p + 1, cut->mark.n - 2,
			 err) < 0))
		return -1;
	return ctx_buf_add(out, literal->p + tail, literal->n - tail, err);
}

/* What the item will cost. */
static int
measure_outcome(struct cut *cut, const struct ctx_view *view,
    const struct pieces *pieces, const struct span *span, uint64_t *total,
    struct ctx_err *err)
{
	struct piece piece;
	uint64_t size;
	enum fate fate;
	size_t i;

	*total = 0;
	for (i = 0; i < pieces->n; i++) {
		if (rewrite(cut, pieces, span, i, &cut->out, &fate, err) < 0)
			return -1;
		piece = pieces->list[i];
		if (fate == GOES)
			continue;
		if (piece.literal.n > 0) {
			piece.literal =
			    (struct ctx_str){cut->out.p, cut->out.n};
			piece.end = cut->out.n - 1;
		}
		if (measure_piece(cut, view, &piece, &size, err) < 0)
			return -1;
		*total += size;
	}
	return 0;
}

static int
note(struct cut *cut, struct ctx_edits *edits, const struct ctx_view *view,
    const struct ctx_dialect *dialect, const struct pieces *pieces,
    const struct span *span, struct ctx_err *err)
{
	size_t nodes = view->json->nodes[view->node].next - view->node, i;
	const struct piece *piece;
	enum fate fate;
	int rc = -1;
	bool *gone;

	gone = calloc(nodes, sizeof *gone);
	if (gone == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < pieces->n; i++) {
		piece = &pieces->list[i];
		if (rewrite(cut, pieces, span, i, &cut->out, &fate, err) < 0)
			goto out;
		if (fate == STAYS)
			continue;
		if (fate == GOES && piece->child != 0) {
			gone[piece->child - view->node] = true;
			continue;
		}
		cut->text.n = 0;
		if (ctx_buf_printf(&cut->text, err, "%s",
			piece->made ? dialect->body[0] : "") < 0 ||
		    ctx_buf_add(&cut->text, cut->out.p, cut->out.n, err) < 0 ||
		    ctx_buf_printf(&cut->text, err, "%s",
			piece->made ? dialect->body[1] : "") < 0 ||
		    ctx_edit_replace(edits,
			ctx_json_str(view->json, piece->node), cut->text.p,
			cut->text.n, err) < 0)
			goto out;
	}
	rc = ctx_edit_drop_nodes(edits, view, gone, err);
out:
	free(gone);
	return rc;
}

/* ---- rooms ---- */

/* What the payloads between both ends were, beyond their placeholders. */
static uint64_t
extra_of(const struct pieces *pieces, const struct span *span)
{
	const struct spot *head = &span->head, *tail = &span->tail;
	uint64_t extra = 0;
	size_t i;

	for (i = 0; i < pieces->n_atoms; i++) {
		const struct atom *atom = &pieces->atoms[i];

		if ((atom->piece > head->piece ||
			(atom->piece == head->piece &&
			    atom->from >= head->at)) &&
		    (atom->piece < tail->piece ||
			(atom->piece == tail->piece && atom->to <= tail->at)))
			extra += atom->extra;
	}
	return extra;
}

/* Writes the mark for what goes, as a literal. */
static int
set_mark(struct cut *cut, const char *mark, struct ctx_err *err)
{
	cut->mark.n = 0;
	return ctx_text_encode(&cut->mark, mark, strlen(mark), err);
}

static int
set_full_mark(struct cut *cut, uint64_t gone, struct ctx_err *err)
{
	static const char *const units[] = {"character", "byte", "token",
	    "line"};
	char mark[80];

	(void)snprintf(mark, sizeof mark,
	    "\n[\xe2\x80\xa6 %llu %s%s truncated \xe2\x80\xa6]\n",
	    (unsigned long long)gone, units[cut->unit], gone == 1 ? "" : "s");
	return set_mark(cut, mark, err);
}

/* What the mark costs. */
static int
measure_mark(struct cut *cut, uint64_t limit, uint64_t *size,
    struct ctx_err *err)
{
	cut->text.n = 0;
	if (ctx_text_decode(&cut->text,
		(struct ctx_str){cut->mark.p, cut->mark.n}, err) < 0 ||
	    ctx_cut_measure(cut, cut->text.p, cut->text.n, size, err) < 0)
		return -1;
	/* Its first line feed ends the line before it, if there is one. */
	if (cut->unit == CTX_SIZE_LINES && cut->keep != CTX_KEEP_TAIL &&
	    limit > 1 && *size > 1)
		--*size;
	return 0;
}

/* Chooses the longest mark that fits; what is left of limit is *room. */
static int
choose_mark(struct cut *cut, uint64_t total, uint64_t limit, uint64_t *room,
    bool *full, struct ctx_err *err)
{
	uint64_t size;

	*full = true;
	if (set_full_mark(cut, total, err) < 0 ||
	    measure_mark(cut, limit, &size, err) < 0)
		return -1;
	if (size > limit) {
		*full = false;
		if (set_mark(cut, "\xe2\x80\xa6", err) < 0 ||
		    measure_mark(cut, limit, &size, err) < 0)
			return -1;
	}
	if (size > limit) {
		size = 0;
		if (set_mark(cut, "", err) < 0)
			return -1;
	}
	*room = limit - size;
	return 0;
}

/* Parts the room between head and tail. */
static void
share(const struct cut *cut, uint64_t room, uint64_t *head, uint64_t *tail)
{
	uint64_t all = cut->head + cut->tail;

	*head = cut->keep == CTX_KEEP_TAIL ? 0 : room;
	if (cut->keep == CTX_KEEP_ENDS && all > 0)
		*head = room / all * cut->head + room % all * cut->head / all;
	if (cut->unit == CTX_SIZE_LINES && cut->keep == CTX_KEEP_ENDS &&
	    *head == 0 && room > 0)
		*head = 1;
	*tail = room - *head;
	if (cut->keep == CTX_KEEP_HEAD)
		*tail = 0;
}

/* Puts the text of all pieces together and counts it, once for all rooms
 * that are tried. */
static int
gather(struct cut *cut, const struct ctx_view *view,
    const struct pieces *pieces, struct ctx_err *err)
{
	size_t i;

	cut->all.n = 0;
	for (i = 0; i < pieces->n; i++)
		if (piece_text(cut, view, &pieces->list[i], err) < 0 ||
		    ctx_buf_add(&cut->all, cut->text.p, cut->text.n, err) < 0)
			return -1;
	ctx_marks_reset(&cut->marks);
	return ctx_marks_append(&cut->marks, cut->counter->tokens, cut->all.p,
	    cut->all.n, err);
}

/* Turns rooms in tokens into a walk in bytes; *kept is what they hold. */
static int
walk_tokens(struct cut *cut, const struct ctx_view *view,
    const struct pieces *pieces, uint64_t head, uint64_t tail,
    struct walk *w, uint64_t *kept, struct ctx_err *err)
{
	size_t head_at, tail_at;
	uint64_t tokens;

	head = ctx_count_room(cut->counter, head);
	tail = ctx_count_room(cut->counter, tail);
	if (ctx_marks_head(&cut->marks, cut->counter->tokens, cut->all.p, head,
		&head_at, kept, err) < 0 ||
	    ctx_marks_tail(&cut->marks, cut->counter->tokens, cut->all.p, tail,
		&tail_at, &tokens, err) < 0)
		return -1;
	*kept = ctx_count_scale(cut->counter, *kept + tokens);
	memset(w, 0, sizeof *w);
	w->unit = CTX_SIZE_BYTES;
	w->total = cut->all.n;
	w->head_room = head_at;
	w->tail_room = tail_at > head_at ? cut->all.n - tail_at : 0;
	return walk(cut, w, view, pieces, err);
}

/* Tokens are not additive: rooms shrink until the outcome fits. */
static int
cut_tokens(struct cut *cut, const struct ctx_view *view,
    const struct pieces *pieces, uint64_t total, uint64_t limit, bool full,
    struct walk *w, struct ctx_err *err)
{
	uint64_t head = w->head_room, tail = w->tail_room, kept, size, over;

	if (gather(cut, view, pieces, err) < 0)
		return -1;
	for (;;) {
		if (walk_tokens(cut, view, pieces, head, tail, w, &kept,
			err) < 0 ||
		    (full &&
			set_full_mark(cut, extra_of(pieces, &w->span) +
				(total > kept ? total - kept : 1), err) < 0) ||
		    measure_outcome(cut, view, pieces, &w->span, &size, err) <
			0)
			return -1;
		if (size <= limit || (head == 0 && tail == 0))
			return 0;
		over = size - limit;
		if (over <= head) {
			head -= over;
		} else {
			over -= head;
			head = 0;
			tail -= over < tail ? over : tail;
		}
	}
}

/*
 * The reference of an aged item stays, and what is before it is cut; *less
 * is what it takes of the limit.
 */
static int
spare_reference(struct cut *cut, struct pieces *pieces, uint64_t limit,
    uint64_t *less, struct ctx_err *err)
{
	struct piece *piece = &pieces->list[0];
	struct reference ref;
	size_t at = 1, bytes = 0, from;
	char utf8[4];
	uint32_t cp;

	*less = 0;
	cut->text.n = 0;
	if (pieces->n > 1 || piece->literal.n == 0 || piece->made)
		return 0;
	if (ctx_text_decode(&cut->text, piece->literal, err) < 0)
		return -1;
	if (!ctx_reference_find(cut->text.p, cut->text.n, &ref))
		return 0;
	from = ref.at + (cut->unit == CTX_SIZE_LINES && ref.at > 0);
	if (ctx_cut_measure(cut, cut->text.p + from, cut->text.n - from, less,
		err) < 0)
		return -1;
	if (*less >= limit) {
		*less = 0;
		return 0;
	}
	while (bytes < ref.at && ctx_text_next(piece->literal, &at, &cp))
		bytes += ctx_utf8_put(utf8, cp);
	piece->end = at;
	return 0;
}

int
ctx_cut(struct cut *cut, struct ctx_edits *edits, const struct ctx_view *view,
    const struct ctx_dialect *dialect, struct pieces *pieces, uint64_t limit,
    bool *done, struct ctx_err *err)
{
	uint64_t total, less, room, extra;
	struct walk w = {0};
	bool full;

	*done = false;
	if (measure_pieces(cut, view, pieces, &total, err) < 0)
		return -1;
	if (total <= limit)
		return 0;
	*done = true;
	if (spare_reference(cut, pieces, limit, &less, err) < 0 ||
	    ctx_pieces_plain(pieces, cut, err) < 0)
		return -1;
	w.span.tail.piece = pieces->n;
	extra = extra_of(pieces, &w.span);
	/* Without its payloads it may fit. */
	w.span.head.piece = w.span.tail.piece = pieces->n;
	if (measure_outcome(cut, view, pieces, &w.span, &total, err) < 0)
		return -1;
	if (total <= limit)
		return note(cut, edits, view, dialect, pieces, &w.span, err);
	if (measure_pieces(cut, view, pieces, &total, err) < 0 ||
	    choose_mark(cut, total + extra, limit - less, &room, &full, err) < 0)
		return -1;
	memset(&w, 0, sizeof w);
	w.unit = cut->unit;
	w.total = total;
	share(cut, room, &w.head_room, &w.tail_room);
	if (cut->unit == CTX_SIZE_TOKENS
		? cut_tokens(cut, view, pieces, total, limit, full, &w, err) <
		    0
		: walk(cut, &w, view, pieces, err) < 0 ||
		    (full && set_full_mark(cut,
				 extra_of(pieces, &w.span) +
				     w.span.tail.size - w.span.head.size,
				 err) < 0))
		return -1;
	return note(cut, edits, view, dialect, pieces, &w.span, err);
}

void
ctx_cut_release(struct cut *cut)
{
	ctx_buf_release(&cut->text);
	ctx_buf_release(&cut->mark);
	ctx_buf_release(&cut->all);
	ctx_marks_release(&cut->marks);
	ctx_buf_release(&cut->out);
}
