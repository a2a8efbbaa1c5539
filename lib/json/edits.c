/*
 * edits.c - collects replacements of parts of a text, then writes the changed
 * text in one pass
 *
 * An edit replaces a span of bytes of the text by bytes in a buffer (the
 * store).  Edits may be added in any order, because the changed text is written
 * after the last edit was added.
 */
#include <stdlib.h>
#include <string.h>

#include "json/json.h"

struct ctx_edit {
	struct ctx_str old; /* the bytes of the text that the edit replaces */
	/* the replacement: its offset and length in edits->store, in bytes */
	size_t at, n;
};

int
ctx_edits_replace_stored(struct ctx_edits *edits, struct ctx_str old,
    size_t from, struct ctx_err *err)
{
	if (CTX_GROW(edits->list, edits->cap, edits->n + 1, err) < 0)
		return -1;
	edits->list[edits->n].old = old;
	edits->list[edits->n].at = from;
	edits->list[edits->n].n = edits->store.n - from;
	edits->n++;
	return 0;
}

int
ctx_edits_replace(struct ctx_edits *edits, struct ctx_str old, const char *p,
    size_t n, struct ctx_err *err)
{
	size_t from = edits->store.n;

	return ctx_buf_add(&edits->store, p, n, err) < 0
	    ? -1
	    : ctx_edits_replace_stored(edits, old, from, err);
}

/* Adds an edit that removes the bytes between two offsets of the scanned
 * text. */
static int
remove_span(struct ctx_edits *edits, const struct ctx_json *json, uint32_t from,
    uint32_t to, struct ctx_err *err)
{
	struct ctx_str old = {json->text + from, to - from};

	return ctx_edits_replace(edits, old, "", 0, err);
}

/* If an earlier edit removes the children after the offset "to" of an array or
 * object, returns the offset at which it ends, otherwise 0.  Reads only the
 * edits after the beginning of the array or object. */
static uint32_t
find_removed_after(const struct ctx_edits *edits, const struct ctx_json *json,
    uint32_t node, uint32_t to)
{
	const char *begin = json->text + json->nodes[node].at;
	const struct ctx_edit *edit;
	size_t i;

	for (i = edits->n; i-- > 0;) {
		edit = &edits->list[i];
		if (edit->old.p < begin)
			break;
		if (edit->n == 0 && edit->old.p == json->text + to)
			return to + (uint32_t)edit->old.n;
	}
	return 0;
}

/*
 * Adds edits that remove the children of an array or object for which drop is
 * true.  Adjacent children are removed by one edit.  An edit also removes a
 * comma: the comma before the removed children if an earlier child is kept,
 * otherwise the comma after the removed children.  If an earlier edit already
 * removes that comma with the children after it, the comma after these.
 */
int
ctx_edits_remove(struct ctx_edits *edits, const struct ctx_json *json,
    uint32_t node, const bool *drop, struct ctx_err *err)
{
	const struct ctx_node *nodes = json->nodes;
	bool object = nodes[node].kind == CTX_JSON_OBJECT;
	/* kept: true if an earlier child is kept. open: true if the child
	 * before the current child is removed, and the edit that removes this
	 * child was not added yet. */
	bool kept = false, open = false;
	/* end: end of the children that an earlier edit removes */
	uint32_t value, from = 0, to = 0, end = 0;
	size_t i = 0;

	for (uint32_t at = node + 1; at < nodes[node].next;
	     at = nodes[value].next) {
		value = at + object;
		if (nodes[at].at < end) {
			i++;
			continue;
		}
		if (!drop[i] && open && !kept &&
		    (end = find_removed_after(edits, json, node, to)) != 0) {
			if (remove_span(edits, json, from, to, err) < 0)
				return -1;
			from = to = end;
			i++;
			continue;
		}
		if (drop[i++]) {
			if (!open)
				from = kept ? to : nodes[at].at;
			open = true;
		} else {
			if (open &&
			    remove_span(edits, json, from,
				kept ? to : nodes[at].at, err) < 0)
				return -1;
			open = false;
			kept = true;
		}
		to = nodes[value].end;
	}
	return open ? remove_span(edits, json, from, to, err) : 0;
}

void
ctx_edits_mark_member(const struct ctx_json *json, uint32_t object,
    uint32_t key, bool *drop)
{
	size_t i = 0;

	for (uint32_t at = object + 1; at < json->nodes[object].next;
	     at = json->nodes[at + 1].next, i++)
		if (ctx_json_equal(json, at, key))
			drop[i] = true;
}

/* Compares two edits for qsort by their position in the text.  At the same
 * position, an insertion comes before a replacement, and insertions keep the
 * order in which they were added. */
static int
compare_edits(const void *a, const void *b)
{
	const struct ctx_edit *x = a, *y = b;
	uintptr_t px = (uintptr_t)x->old.p, py = (uintptr_t)y->old.p;

	if (px != py)
		return px < py ? -1 : 1;
	if ((x->old.n == 0) != (y->old.n == 0))
		return x->old.n == 0 ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void
sort_edits(struct ctx_edit *list, size_t n)
{
	size_t i;

	/* Sorts only if the edits are not sorted by position yet.  Most callers
	 * add edits in this order, and qsort is not faster for a sorted
	 * list. */
	for (i = 1; i < n; i++)
		if (compare_edits(&list[i - 1], &list[i]) > 0)
			break;
	if (i < n)
		qsort(list, n, sizeof *list, compare_edits);
}

/* Compares two edits for qsort by their position in the text.  At the same
 * position, insertions come first, and longer edits come before shorter edits.
 * If two edits replace the same bytes, the edit that was added last comes
 * first. */
static int
compare_edit_spans(const void *a, const void *b)
{
	const struct ctx_edit *x = a, *y = b;

	if (x->old.p != y->old.p || x->old.n == 0 || y->old.n == 0)
		return compare_edits(a, b);
	if (x->old.n != y->old.n)
		return x->old.n > y->old.n ? -1 : 1;
	return x->at > y->at ? -1 : x->at < y->at;
}

/* Joins two edits that remove children of the same array or object, and overlap
 * in a comma: extends the first edit up to the address "end", where the second
 * edit ends.  If the first edit does not begin with a comma, it begins with the
 * first child.  Then it is extended over the comma after the last removed
 * child. */
static void
extend_removal(struct ctx_edit *edit, const char *end)
{
	const char *next = end + strspn(end, " \t\r\n");

	if (edit->old.p[0] != ',' && *next == ',') {
		end = next + 1;
		end += strspn(end, " \t\r\n");
	}
	edit->old.n = (size_t)(end - edit->old.p);
}

void
ctx_edits_merge(struct ctx_edits *edits)
{
	struct ctx_edit *list = edits->list;
	uintptr_t end = 0, at;
	size_t n = 0;

	if (edits->n > 1)
		qsort(list, edits->n, sizeof *list, compare_edit_spans);
	for (size_t i = 0; i < edits->n; i++) {
		at = (uintptr_t)list[i].old.p;
		if (at + list[i].old.n <= end && at < end)
			continue;
		if (at < end && list[n - 1].n == 0 && list[i].n == 0)
			extend_removal(&list[n - 1],
			    list[i].old.p + list[i].old.n);
		else
			list[n++] = list[i];
		end = (uintptr_t)list[n - 1].old.p + list[n - 1].old.n;
	}
	edits->n = n;
}

/* Returns true if all bytes that the edit replaces are in the range of
 * addresses from p to end. */
static bool
is_edit_within(const struct ctx_edit *edit, const char *p, const char *end)
{
	uintptr_t from = (uintptr_t)p, to = (uintptr_t)end;
	uintptr_t at = (uintptr_t)edit->old.p;

	return at >= from && at <= to && edit->old.n <= to - at;
}

bool
ctx_edits_touch(const struct ctx_edits *edits, size_t first,
    struct ctx_str text)
{
	uintptr_t from = (uintptr_t)text.p, to = from + text.n, at;

	for (size_t i = first; i < edits->n; i++) {
		at = (uintptr_t)edits->list[i].old.p;
		if (at < to && at + edits->list[i].old.n > from)
			return true;
	}
	return false;
}

int
ctx_edits_apply_some(const struct ctx_edits *edits, size_t first, size_t n,
    struct ctx_str text, struct ctx_buf *out, struct ctx_err *err)
{
	const char *p = text.p, *end = p + text.n;
	const struct ctx_edit *edit;

	if (n > 0)
		sort_edits(edits->list + first, n);
	for (size_t i = first; i < first + n; i++) {
		edit = &edits->list[i];
		if (!is_edit_within(edit, p, end))
			return ctx_err_set(err, CTX_EARG,
			    "internal error: edits of a record overlap or are "
			    "outside of it");
		if (ctx_buf_add(out, p, (size_t)(edit->old.p - p), err) < 0)
			return -1;
		if (edit->n > 0 &&
		    ctx_buf_add(out, edits->store.p + edit->at, edit->n, err) <
			0)
			return -1;
		p = edit->old.p + edit->old.n;
	}
	return ctx_buf_add(out, p, (size_t)(end - p), err);
}

size_t
ctx_edits_origin(const struct ctx_edits *edits, struct ctx_str text, size_t at)
{
	const struct ctx_edit *edit;
	/* from: offset in the original text that the loop has reached; before:
	 * number of unchanged bytes between from and the next edit. */
	size_t from = 0, before;

	for (size_t i = 0; i < edits->n; i++) {
		edit = &edits->list[i];
		before = (size_t)(edit->old.p - text.p) - from;
		if (at < before)
			break;
		at -= before;
		from += before;
		if (at < edit->n)
			return from;
		at -= edit->n;
		from += edit->old.n;
	}
	return from + at;
}

size_t
ctx_edits_destination(const struct ctx_edits *edits, size_t first, size_t n,
    struct ctx_str text, size_t at)
{
	const struct ctx_edit *edit;
	size_t to = at, from;

	for (size_t i = first; i < first + n; i++) {
		edit = &edits->list[i];
		from = (size_t)(edit->old.p - text.p);
		if (from >= at)
			break;
		if (at - from < edit->old.n)
			return to - (at - from);
		to += edit->n - edit->old.n;
	}
	return to;
}

/* Returns the index of the first edit that begins after the address p, or n if
 * there is none.  Looks only at the first n edits, which must be sorted by
 * ctx_edits_merge. */
static size_t
find_edit_after(const struct ctx_edits *edits, size_t n, uintptr_t p)
{
	size_t low = 0, high = n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if ((uintptr_t)edits->list[mid].old.p <= p)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t
ctx_edits_inside(const struct ctx_edits *edits, size_t n, struct ctx_str text,
    size_t *first)
{
	uintptr_t from = (uintptr_t)text.p;

	*first = find_edit_after(edits, n, from);
	return find_edit_after(edits, n, from + text.n - 1) - *first;
}

size_t
ctx_edits_first(const struct ctx_edits *edits, size_t first, const char *text)
{
	size_t from = SIZE_MAX, at;

	for (size_t i = first; i < edits->n; i++) {
		at = (size_t)(edits->list[i].old.p - text);
		if (at < from)
			from = at;
	}
	return from;
}

int
ctx_edits_apply(struct ctx_edits *edits, struct ctx_str text,
    struct ctx_buf *out, struct ctx_err *err)
{
	return ctx_edits_apply_some(edits, 0, edits->n, text, out, err);
}

/* ---- edits of a text that is written as a JSON string ---- */

static bool
is_ascii(struct ctx_str text)
{
	unsigned char all = 0;

	for (size_t i = 0; i < text.n; i++)
		all |= (unsigned char)text.p[i];
	return all < 0x80;
}

/* Appends a character as one \u escape, or as two if the character needs a
 * surrogate pair. */
static int
append_escape(struct ctx_buf *out, uint32_t cp, struct ctx_err *err)
{
	if (cp < 0x10000)
		return ctx_buf_printf(out, err, "\\u%04x", (unsigned)cp);
	cp -= 0x10000;
	return ctx_buf_printf(out, err, "\\u%04x\\u%04x",
	    0xd800 + (unsigned)(cp >> 10), 0xdc00 + (unsigned)(cp & 0x3ff));
}

/* Appends the contents of a JSON string literal, with an escape for each
 * character that is not ASCII. */
static int
append_ascii(struct ctx_buf *out, struct ctx_str literal, struct ctx_err *err)
{
	size_t from = 1, at = 1;
	uint32_t cp;
	int rc = 0;

	while (rc == 0 && ctx_json_string_next(literal, &at, &cp)) {
		rc = cp < 0x80
		    ? ctx_buf_add(out, literal.p + from, at - from, err)
		    : append_escape(out, cp, err);
		from = at;
	}
	return rc;
}

/* Appends a text as the characters of a JSON string, without quotes. ascii:
 * true if characters beyond ASCII are written as escapes. */
static int
append_characters(struct ctx_buf *out, struct ctx_str text, bool ascii,
    struct ctx_err *err)
{
	struct ctx_buf literal = {0};
	int rc = ctx_json_string_encode(&literal, text.p, text.n, err);

	if (rc == 0)
		rc = ascii
		    ? append_ascii(out, ctx_buf_str(&literal), err)
		    : ctx_buf_add(out, literal.p + 1, literal.n - 2, err);
	ctx_buf_release(&literal);
	return rc;
}

int
ctx_edits_encode(struct ctx_edits *edits, struct ctx_str text,
    struct ctx_str literal, struct ctx_err *err)
{
	bool ascii = is_ascii(literal) && !is_ascii(text);
	struct ctx_buf store = {0};
	/* from: offset in the text that the loop has reached; at: the
	 * corresponding offset in the literal. */
	size_t from = 0, at = 1, start, i;

	sort_edits(edits->list, edits->n);
	for (i = 0; i < edits->n; i++) {
		struct ctx_str bytes;
		struct ctx_edit *edit = &edits->list[i];

		bytes = (struct ctx_str){edits->store.p + edit->at, edit->n};
		edit->at = store.n;
		if (!is_edit_within(edit, text.p, text.p + text.n)) {
			if (ctx_buf_add_str(&store, bytes, err) < 0)
				break;
			continue;
		}
		if (append_characters(&store, bytes, ascii, err) < 0)
			break;
		edit->n = store.n - edit->at;
		start = (size_t)(edit->old.p - text.p);
		at = ctx_json_string_seek(literal, at, start - from);
		from = start + edit->old.n;
		edit->old.p = literal.p + at;
		edit->old.n =
		    ctx_json_string_seek(literal, at, edit->old.n) - at;
		at += edit->old.n;
	}
	ctx_buf_release(&edits->store);
	edits->store = store;
	if (i == edits->n)
		return 0;
	edits->n = 0;
	return -1;
}

void
ctx_edits_reset(struct ctx_edits *edits)
{
	edits->n = 0;
	ctx_buf_reset(&edits->store);
}

void
ctx_edits_release(struct ctx_edits *edits)
{
	free(edits->list);
	ctx_buf_release(&edits->store);
	memset(edits, 0, sizeof *edits);
}

int
ctx_edits_apply_inside(const struct ctx_edits *edits, size_t first,
    struct ctx_str part, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_edits inside = {0};
	const struct ctx_edit *edit;
	int rc = 0;
	size_t i;

	for (i = first; i < edits->n && rc == 0; i++) {
		edit = &edits->list[i];
		if (edit->old.p >= part.p &&
		    edit->old.p + edit->old.n <= part.p + part.n)
			rc = ctx_edits_replace(&inside, edit->old,
			    edits->store.p + edit->at, edit->n, err);
	}
	ctx_edits_merge(&inside);
	if (rc == 0)
		rc = ctx_edits_apply(&inside, part, out, err);
	ctx_edits_release(&inside);
	return rc;
}
