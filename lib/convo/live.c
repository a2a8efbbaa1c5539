/*
 * live.c - what is live in a transcript
 *
 * A log is replayed: its lines add to a list of what is live, replace in it
 * or take from it.  In a tree the path from the newest tip to the root is
 * live, as far back as the last summary says.  Dropped lines are remembered,
 * so that those that named them can be given another line to name.
 */
#include <stdlib.h>
#include <string.h>

#include "ctx.h"

struct ctx_held {
	const struct ctx_dialect *dialect;
	char *text; /* owned; NULL once it has been forgotten */
	size_t n, value, value_n;
	const char *file;
	uint64_t number; /* in that file */
	uint64_t billed; /* what the line says, later what is said of it */
	uint32_t id, parent, about, same; /* names, 0: none */
	uint32_t up;    /* line: its parent */
	uint32_t to;    /* line: what it is about */
	uint32_t newer; /* line: what replaced it */
	uint32_t ours;  /* name of a line of ours that stands before it */
	uint32_t turns;
	uint8_t record, kind, flags;
	bool live, gone, more, continues;
	bool sought; /* gone, and to is the line to name instead */
};

static struct ctx_held *
held(const struct ctx_live *live, uint32_t line)
{
	return &live->lines[line - 1];
}

void
ctx_live_init(struct ctx_live *live, enum ctx_simd simd)
{
	memset(live, 0, sizeof *live);
	ctx_json_init(&live->json, simd);
	ctx_json_init(&live->model, simd);
}

void
ctx_live_release(struct ctx_live *live)
{
	size_t i;

	for (i = 0; i < live->n; i++)
		free(live->lines[i].text);
	free(live->lines);
	free(live->at);
	ctx_names_release(&live->names);
	ctx_json_release(&live->json);
	ctx_json_release(&live->model);
	ctx_buf_release(&live->model_text);
	memset(live, 0, sizeof *live);
}

void
ctx_live_begin(struct ctx_live *live, const struct ctx_dialect *dialect)
{
	live->dialect = dialect;
	live->from = live->next = live->n;
	live->model_text.n = 0;
}

/* ---- taking lines ---- */

static int
name_of(struct ctx_live *live, const struct ctx_json *json, uint32_t node,
    uint32_t *name, struct ctx_err *err)
{
	struct ctx_str str;

	*name = 0;
	if (node == 0 || json->nodes[node].kind != CTX_JSON_STRING)
		return 0;
	str = ctx_json_str(json, node);
	return ctx_names_id(&live->names, str.p, str.n, name, err);
}

static int
note_line(struct ctx_live *live, struct ctx_held *h,
    const struct ctx_json *json, struct ctx_err *err)
{
	struct ctx_line line;
	struct ctx_str model;

	live->dialect->line(json, 0, &line);
	h->kind = (uint8_t)line.kind;
	h->flags = (uint8_t)line.flags;
	h->billed = ctx_usage_input(json, line.usage);
	h->turns = line.turns > UINT32_MAX ? UINT32_MAX : (uint32_t)line.turns;
	if (name_of(live, json, line.id, &h->id, err) < 0 ||
	    name_of(live, json, line.parent, &h->parent, err) < 0 ||
	    name_of(live, json, line.about, &h->about, err) < 0 ||
	    name_of(live, json, line.same, &h->same, err) < 0)
		return -1;
	if (line.model == 0 ||
	    json->nodes[line.model].kind != CTX_JSON_STRING)
		return 0;
	model = ctx_json_str(json, line.model);
	live->model_text.n = 0;
	if (ctx_buf_add(&live->model_text, "[", 1, err) < 0 ||
	    ctx_buf_add(&live->model_text, model.p, model.n, err) < 0 ||
	    ctx_buf_add(&live->model_text, "]", 1, err) < 0)
		return -1;
	return 0;
}

int
ctx_live_add(struct ctx_live *live, const struct ctx_record *record,
    struct ctx_err *err)
{
	struct ctx_held *grown, *h;

	if (live->n >= UINT32_MAX)
		return ctx_err_set(err, CTX_ELIMIT,
		    "a transcript of more than 4294967294 lines");
	grown = ctx_grow(live->lines, &live->cap, live->n + 1, sizeof *grown,
	    err);
	if (grown == NULL)
		return -1;
	live->lines = grown;
	h = &grown[live->n];
	memset(h, 0, sizeof *h);
	h->text = malloc(record->text.n + (record->text.n == 0));
	if (h->text == NULL)
		return ctx_err_nomem(err);
	live->n++;
	memcpy(h->text, record->text.p, record->text.n);
	h->n = record->text.n;
	h->dialect = live->dialect;
	h->file = record->file;
	h->number = record->line;
	h->record = (uint8_t)record->kind;
	if (record->kind != CTX_RECORD_JSON)
		return 0;
	h->value = (size_t)(record->value.p - record->text.p);
	h->value_n = record->value.n;
	return note_line(live, h, record->json, err);
}

/* ---- logs ---- */

/* What is live so far: lines, in the order of the context. */
struct log {
	struct ctx_live *live;
	uint32_t *slots;
	size_t n;
	uint32_t *where; /* of each name, the slot of its line plus one */
};

/* The slot of the line with this id, or log->n. */
static size_t
slot_of(const struct log *log, uint32_t id)
{
	size_t slot = id == 0 ? 0 : log->where[id];

	if (slot == 0 || slot > log->n ||
	    held(log->live, log->slots[slot - 1])->id != id)
		return log->n;
	return slot - 1;
}

static void
log_message(struct log *log, uint32_t line)
{
	uint32_t id = held(log->live, line)->id;
	size_t slot = slot_of(log, id);

	if (slot < log->n)
		held(log->live, log->slots[slot])->newer = line;
	else
		log->n++;
	log->slots[slot] = line;
	log->where[id] = (uint32_t)slot + 1;
}

/* Takes back the newest turns, and what was put before them for them. */
static void
log_rollback(struct log *log, uint32_t turns)
{
	size_t first = log->n, cut = log->n, i;

	if (turns == 0)
		return;
	for (i = log->n; i-- > 0;) {
		if (!(held(log->live, log->slots[i])->flags & CTX_LINE_USER))
			continue;
		first = i;
		if (turns > 0) {
			turns--;
			cut = i;
		}
	}
	while (cut > first &&
	    (held(log->live, log->slots[cut - 1])->flags & CTX_LINE_CONTEXT))
		cut--;
	log->n = cut;
}

static void
log_digest(struct log *log)
{
	size_t kept = 0, i;

	for (i = 0; i < log->n; i++) {
		struct ctx_held *h = held(log->live, log->slots[i]);

		if (!(h->flags & CTX_LINE_USER))
			continue;
		log->slots[kept++] = log->slots[i];
		log->where[h->id] = (uint32_t)kept;
	}
	log->n = kept;
}

/* What is before the line that asked for a summary goes; if it asked for
 * none, nothing. */
static void
log_summary(struct log *log, uint32_t about)
{
	size_t slot = slot_of(log, about), i;

	if (slot == log->n ||
	    !(held(log->live, log->slots[slot])->flags & CTX_LINE_ASKS))
		return;
	for (i = slot; i < log->n; i++) {
		log->slots[i - slot] = log->slots[i];
		log->where[held(log->live, log->slots[i])->id] =
		    (uint32_t)(i - slot) + 1;
	}
	log->n -= slot;
}

static void
log_line(struct log *log, uint32_t line)
{
	struct ctx_held *h = held(log->live, line);
	size_t slot;

	switch ((enum ctx_line_kind)h->kind) {
	case CTX_LINE_SUMMARY:
		if (h->about != 0)
			log_summary(log, h->about);
		else
			log->n = 0;
		log_message(log, line);
		break;
	case CTX_LINE_DIGEST:
		log_digest(log);
		log_message(log, line);
		break;
	case CTX_LINE_MESSAGE:
		log_message(log, line);
		break;
	case CTX_LINE_REWIND:
		slot = slot_of(log, h->about);
		log->n = slot < log->n ? slot : 0;
		break;
	case CTX_LINE_ROLLBACK:
		log_rollback(log, h->turns);
		break;
	case CTX_LINE_ASIDE:
	case CTX_LINE_LINK:
		break;
	}
}

static int
decide_log(struct ctx_live *live, struct ctx_err *err)
{
	struct log log = {0};
	size_t i;
	int rc = -1;

	log.live = live;
	log.slots = calloc(live->n - live->from + 1, sizeof *log.slots);
	log.where = calloc(live->names.n + 1, sizeof *log.where);
	if (log.slots == NULL || log.where == NULL) {
		ctx_err_nomem(err);
		goto out;
	}
	for (i = live->from; i < live->n; i++)
		log_line(&log, (uint32_t)i + 1);
	for (i = 0; i < log.n; i++)
		held(live, log.slots[i])->live = true;
	rc = 0;
out:
	free(log.slots);
	free(log.where);
	return rc;
}

/* ---- trees ---- */

static bool
in_tree(const struct ctx_held *h)
{
	return h->kind == CTX_LINE_LINK || h->kind == CTX_LINE_MESSAGE ||
	    h->kind == CTX_LINE_SUMMARY;
}

/* The line of the file with this id; the last of equal ids. */
static uint32_t
line_of(const struct ctx_live *live, uint32_t id)
{
	uint32_t line = id == 0 ? 0 : live->at[id];

	return line > live->from ? line : 0;
}

/* Finds the lines that the names mean. */
static int
resolve(struct ctx_live *live, struct ctx_err *err)
{
	size_t names = live->names.n + 1, known = live->at_cap, i;
	uint32_t *grown, before = 0, last;
	struct ctx_held *h;

	grown = ctx_grow(live->at, &live->at_cap, names, sizeof *grown, err);
	if (grown == NULL)
		return -1;
	live->at = grown;
	memset(grown + known, 0, (live->at_cap - known) * sizeof *grown);
	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		if (h->id == 0 || !in_tree(h))
			continue;
		last = line_of(live, h->id);
		if (last != 0)
			held(live, last)->newer = (uint32_t)i + 1;
		live->at[h->id] = (uint32_t)i + 1;
	}
	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		h->up = line_of(live, h->parent);
		h->to = line_of(live, h->about);
		if (!in_tree(h))
			continue;
		/* Without ids (pi, version 1) lines follow one another. */
		if (h->id == 0)
			h->up = before;
		before = (uint32_t)i + 1;
	}
	return 0;
}

/* The last line of the tree. */
static uint32_t
last_line(const struct ctx_live *live)
{
	size_t i;

	for (i = live->n; i > live->from; i--)
		if (in_tree(&live->lines[i - 1]))
			return (uint32_t)i;
	return 0;
}

/*
 * The message nearest above a line that nothing names as its parent, the
 * last such in the file; of side chains only if there is no other.
 * where has an entry for each line of the file, all zero.
 */
static uint32_t
last_tip(const struct ctx_live *live, uint8_t *where)
{
	enum { PARENT = 1, SEEN = 2 };
	uint32_t main_tip = 0, any_tip = 0, line;
	const struct ctx_held *h;
	size_t i;

	for (i = live->from; i < live->n; i++)
		if (in_tree(&live->lines[i]) && live->lines[i].up != 0)
			where[live->lines[i].up - 1 - live->from] |= PARENT;
	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		if (!in_tree(h) || h->newer != 0 ||
		    (where[i - live->from] & PARENT))
			continue;
		for (line = (uint32_t)i + 1; line != 0; line = h->up) {
			h = held(live, line);
			if (where[line - 1 - live->from] & SEEN)
				break;
			where[line - 1 - live->from] |= SEEN;
			if (h->kind != CTX_LINE_MESSAGE)
				continue;
			if (line > any_tip)
				any_tip = line;
			if (line > main_tip &&
			    !(h->flags & (CTX_LINE_SIDE | CTX_LINE_META)))
				main_tip = line;
			break;
		}
	}
	return main_tip != 0 ? main_tip : any_tip;
}

/* What is before a summary is live from the line on that it names. */
static void
keep_before(struct ctx_live *live, uint32_t summary)
{
	uint32_t kept = held(live, summary)->to, line;
	size_t steps = live->n;

	line = held(live, summary)->up;
	while (line != 0 && line != kept && steps-- > 0)
		line = held(live, line)->up;
	if (line == 0 || line != kept)
		return;
	for (line = held(live, summary)->up;; line = held(live, line)->up) {
		held(live, line)->live =
		    held(live, line)->kind != CTX_LINE_SUMMARY;
		if (line == kept)
			return;
	}
}

/*
 * A response whose calls run at the same time is a line a call, and each
 * result hangs on its own line: the path goes past all but one of them.
 */
static void
keep_parallel(struct ctx_live *live, uint32_t *same)
{
	struct ctx_held *h;
	size_t i;

	for (i = live->from; i < live->n; i++)
		if (live->lines[i].live)
			same[live->lines[i].same] = 1;
	same[0] = 0;
	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		if (h->kind != CTX_LINE_MESSAGE || h->newer != 0)
			continue;
		if (same[h->same] != 0)
			h->live = true;
		if ((h->flags & CTX_LINE_RESULT) && h->up != 0 &&
		    held(live, h->up)->live && held(live, h->up)->same != 0)
			h->live = true;
	}
}

static int
decide_tree(struct ctx_live *live, struct ctx_err *err)
{
	size_t lines = live->n - live->from, names = live->names.n + 1, i;
	uint8_t *where = calloc(lines + 1, 1);
	uint32_t *same = calloc(names, sizeof *same);
	uint32_t tip = 0, line;
	int rc = -1;

	if (where == NULL || same == NULL) {
		ctx_err_nomem(err);
		goto out;
	}
	if (resolve(live, err) < 0)
		goto out;
	tip = live->dialect->history == CTX_HISTORY_TIP ? last_tip(live, where)
							: last_line(live);
	for (line = tip; line != 0 && !held(live, line)->live;
	    line = held(live, line)->up) {
		held(live, line)->live = true;
		if (held(live, line)->kind == CTX_LINE_SUMMARY) {
			keep_before(live, line);
			break;
		}
	}
	keep_parallel(live, same);
	if (tip != 0 && !(held(live, tip)->flags & CTX_LINE_SIDE))
		for (i = live->from; i < live->n; i++)
			if (live->lines[i].flags & CTX_LINE_SIDE)
				live->lines[i].live = false;
	rc = 0;
out:
	free(where);
	free(same);
	return rc;
}

/* ---- giving lines ---- */

/* Marks where a message goes on further down. */
static int
mark_same(struct ctx_live *live, struct ctx_err *err)
{
	uint32_t *last = calloc(live->names.n + 1, sizeof *last);
	struct ctx_held *h;
	size_t i;

	if (last == NULL)
		return ctx_err_nomem(err);
	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		if (!h->live || h->same == 0 || h->kind != CTX_LINE_MESSAGE)
			continue;
		if (last[h->same] != 0) {
			held(live, last[h->same])->more = true;
			h->continues = true;
		}
		last[h->same] = (uint32_t)i + 1;
	}
	free(last);
	return 0;
}

/* Gives what lines say of the answer before them to its first line.  What
 * says it again, with no answer between, is of no other call. */
static void
tell_answers(struct ctx_live *live)
{
	struct ctx_held *h, *first = NULL;
	uint64_t billed;
	size_t i;

	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		billed = h->billed;
		h->billed = 0;
		if (h->kind == CTX_LINE_ASIDE && billed > 0) {
			if (first != NULL)
				first->billed = billed;
			first = NULL;
		} else if (h->kind != CTX_LINE_ASIDE) {
			if (!h->live || !(h->flags & CTX_LINE_ANSWER))
				first = NULL;
			else if (first == NULL)
				first = h;
		}
	}
}

int
ctx_live_decide(struct ctx_live *live, struct ctx_err *err)
{
	size_t used;
	int rc;

	if (live->dialect->history == CTX_HISTORY_LOG)
		rc = decide_log(live, err);
	else
		rc = decide_tree(live, err);
	if (rc < 0 || mark_same(live, err) < 0)
		return -1;
	tell_answers(live);
	live->model.n = 0;
	if (live->model_text.n > 0 &&
	    ctx_json_scan(&live->model, live->model_text.p,
		live->model_text.n, &used, err) < 0)
		return -1;
	return 0;
}

int
ctx_live_next(struct ctx_live *live, struct ctx_record *record,
    uint32_t *line, struct ctx_err *err)
{
	struct ctx_held *h;
	size_t used;

	if (live->next >= live->n)
		return 0;
	h = &live->lines[live->next++];
	memset(record, 0, sizeof *record);
	record->kind = (enum ctx_record_kind)h->record;
	record->text = (struct ctx_str){h->text, h->n};
	record->value = (struct ctx_str){h->text + h->value, h->value_n};
	record->file = h->file;
	record->line = h->number;
	*line = (uint32_t)live->next;
	if (record->kind != CTX_RECORD_JSON)
		return 1;
	record->json = &live->json;
	return ctx_json_scan(&live->json, record->value.p, record->value.n,
	    &used, err) < 0 ? -1 : 1;
}

void
ctx_live_forget(struct ctx_live *live)
{
	for (; live->spent < live->next; live->spent++) {
		free(live->lines[live->spent].text);
		live->lines[live->spent].text = NULL;
	}
}

bool
ctx_live_is(const struct ctx_live *live, uint32_t line, unsigned *flags)
{
	const struct ctx_held *h = held(live, line);

	if (!h->live || h->kind == CTX_LINE_LINK)
		return false;
	*flags |= (h->more ? CTX_VIEW_MORE : 0u) |
	    (h->continues ? CTX_VIEW_CONTINUES : 0u);
	return true;
}

uint64_t
ctx_live_billed(const struct ctx_live *live, uint32_t line)
{
	return held(live, line)->billed;
}

/* ---- links ---- */

void
ctx_live_drop(struct ctx_live *live, uint32_t line)
{
	held(live, line)->gone = true;
}

bool
ctx_live_gone(const struct ctx_live *live, uint32_t line)
{
	while (held(live, line)->newer != 0)
		line = held(live, line)->newer;
	return held(live, line)->gone;
}

/* The nearest ancestor that is left, or 0.  Shortens the way for the next. */
static uint32_t
ancestor(struct ctx_live *live, uint32_t line)
{
	uint32_t up = held(live, line)->up;
	size_t steps = live->n;

	while (up != 0 && ctx_live_gone(live, up)) {
		if (steps-- == 0)
			return 0;
		held(live, line)->up = held(live, up)->up;
		line = up;
		up = held(live, up)->up;
	}
	return up;
}

/* The next live line of the file that is left, or 0.  Of a line that has
 * gone what it was about does not matter, so the answer is kept there. */
static uint32_t
successor(struct ctx_live *live, uint32_t line)
{
	struct ctx_held *gone = held(live, line), *h;

	if (gone->sought)
		return gone->to;
	gone->sought = true;
	gone->to = 0;
	for (; line < live->n && gone->to == 0; line++) {
		h = held(live, line + 1);
		if (h->file != gone->file)
			break;
		if (h->live && !h->gone && h->id != 0)
			gone->to = line + 1;
	}
	return gone->to;
}

/* Does what a summary leaves begin with a line of ours before line to? */
static bool
starts_at_ours(const struct ctx_live *live, const struct ctx_held *summary,
    uint32_t to)
{
	return summary->kind == CTX_LINE_SUMMARY && held(live, to)->ours != 0;
}

bool
ctx_live_loose(const struct ctx_live *live, uint32_t line)
{
	const struct ctx_held *h = held(live, line);

	return h->ours != 0 ||
	    (h->up != 0 && h->parent != 0 && ctx_live_gone(live, h->up)) ||
	    (h->to != 0 &&
		(ctx_live_gone(live, h->to) || starts_at_ours(live, h, h->to)));
}

/* The name of the nearest ancestor that is left, or null. */
static struct ctx_str
parent_name(struct ctx_live *live, uint32_t line)
{
	const struct ctx_held *h = held(live, line);
	struct ctx_str none = {"null", 4};
	uint32_t up = h->up;

	if (h->parent == 0)
		return none;
	if (up != 0 && ctx_live_gone(live, up))
		up = ancestor(live, line);
	return up == 0 || held(live, up)->id == 0
	    ? none
	    : ctx_names_at(&live->names, held(live, up)->id);
}

int
ctx_live_put(struct ctx_live *live, uint32_t line, struct ctx_str id,
    struct ctx_str *parent, struct ctx_err *err)
{
	*parent = parent_name(live, line);
	if (held(live, line)->id == 0)
		return 0;
	return ctx_names_id(&live->names, id.p, id.n, &held(live, line)->ours,
		   err) < 0 ? -1 : 1;
}

static int
rename_node(const struct ctx_json *json, uint32_t node, struct ctx_str name,
    struct ctx_edits *edits, struct ctx_err *err)
{
	if (node == 0)
		return 0;
	return ctx_edit_replace(edits, ctx_json_str(json, node), name.p,
	    name.n, err);
}

int
ctx_live_relink(struct ctx_live *live, uint32_t line,
    const struct ctx_json *json, struct ctx_edits *edits, struct ctx_err *err)
{
	const struct ctx_held *h = held(live, line);
	struct ctx_line at;
	struct ctx_str name;
	uint32_t next, id;

	h->dialect->line(json, 0, &at);
	if (h->ours != 0 ||
	    (h->up != 0 && h->parent != 0 && ctx_live_gone(live, h->up))) {
		name = h->ours != 0 ? ctx_names_at(&live->names, h->ours)
				    : parent_name(live, line);
		if (rename_node(json, at.parent, name, edits, err) < 0)
			return -1;
	}
	next = h->to;
	if (next != 0 && ctx_live_gone(live, next))
		next = successor(live, next);
	if (next == 0)
		return 0;
	id = held(live, next)->id;
	if (starts_at_ours(live, h, next))
		id = held(live, next)->ours;
	else if (next == h->to)
		return 0;
	return rename_node(json, at.about, ctx_names_at(&live->names, id),
	    edits, err);
}
