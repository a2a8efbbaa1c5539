/*
 * transcript.c - the lines of a transcript
 *
 * They are held until it is decided which are live (replay_log.c,
 * active_branch.c). Dropped lines are remembered, so that those that named them
 * can be given another line to name.
 */
#include <stdlib.h>
#include <string.h>

#include "cost/cost.h"
#include "transcript/lines.h"

void
ctx_transcript_init(struct ctx_transcript *live, enum ctx_simd simd)
{
	memset(live, 0, sizeof *live);
	ctx_json_init(&live->json, simd);
	ctx_json_init(&live->model, simd);
}

void
ctx_transcript_release(struct ctx_transcript *live)
{
	size_t i;

	for (i = 0; i < live->n; i++)
		free(live->lines[i].text);
	free(live->lines);
	free(live->at);
	ctx_intern_release(&live->names);
	ctx_json_release(&live->json);
	ctx_json_release(&live->model);
	ctx_buf_release(&live->model_text);
	ctx_buf_release(&live->text);
	ctx_buf_release(&live->literal);
	memset(live, 0, sizeof *live);
}

static void
forget_all(struct ctx_transcript *live)
{
	live->next = live->n;
	ctx_transcript_forget(live);
	ctx_intern_reset(&live->names);
	free(live->lines);
	free(live->at);
	live->lines = NULL;
	live->at = NULL;
	live->n = live->cap = live->at_cap = live->spent = 0;
}

void
ctx_transcript_begin(struct ctx_transcript *live,
    const struct ctx_dialect *dialect, bool only)
{
	if (only)
		forget_all(live);
	live->dialect = dialect;
	live->from = live->next = live->n;
	live->model_text.n = 0;
}

/* ---- taking lines ---- */

/* A name is a literal, the same however the line has escaped it. */
static int
name_of(struct ctx_transcript *live, const struct ctx_json *json, uint32_t node,
    uint32_t *name, struct ctx_err *err)
{
	struct ctx_str str;

	*name = 0;
	if (node == 0 || json->nodes[node].kind != CTX_JSON_STRING)
		return 0;
	str = ctx_json_str(json, node);
	if (json->nodes[node].escaped) {
		live->text.n = live->literal.n = 0;
		if (ctx_json_string_decode(&live->text, str, err) < 0 ||
		    ctx_json_string_encode(&live->literal, live->text.p,
			live->text.n, err) < 0)
			return -1;
		str = (struct ctx_str){live->literal.p, live->literal.n};
	}
	return ctx_intern(&live->names, str.p, str.n, name, err);
}

static int
note_line(struct ctx_transcript *live, struct ctx_transcript_line *h,
    const struct ctx_json *json, struct ctx_err *err)
{
	struct ctx_line_place line;
	struct ctx_str model;

	live->dialect->line(json, 0, &line);
	h->kind = (uint8_t)line.kind;
	h->flags = (uint8_t)line.flags;
	h->billed = ctx_billed_input(json, line.usage);
	h->turns = line.turns > UINT32_MAX ? UINT32_MAX : (uint32_t)line.turns;
	if (name_of(live, json, line.id, &h->id, err) < 0 ||
	    name_of(live, json, line.parent, &h->parent, err) < 0 ||
	    name_of(live, json, line.about, &h->about, err) < 0 ||
	    name_of(live, json, line.same, &h->same, err) < 0)
		return -1;
	if (line.model == 0 || json->nodes[line.model].kind != CTX_JSON_STRING)
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
ctx_transcript_add(struct ctx_transcript *live, const struct ctx_record *record,
    char *text, struct ctx_err *err)
{
	struct ctx_transcript_line *grown, *h;

	if (live->n >= UINT32_MAX) {
		free(text);
		return ctx_err_set(err, CTX_ELIMIT,
		    "a transcript of more than 4294967294 lines");
	}
	grown =
	    ctx_grow(live->lines, &live->cap, live->n + 1, sizeof *grown, err);
	if (grown == NULL) {
		free(text);
		return -1;
	}
	live->lines = grown;
	h = &grown[live->n++];
	memset(h, 0, sizeof *h);
	h->text = text;
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

/* ---- giving lines ---- */

/* Marks where a message goes on further down. */
static int
mark_same(struct ctx_transcript *live, struct ctx_err *err)
{
	uint32_t *last = calloc(live->names.n + 1, sizeof *last);
	struct ctx_transcript_line *h;
	size_t i;

	if (last == NULL)
		return ctx_err_nomem(err);
	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		if (!h->live || h->same == 0 || h->kind != CTX_LINE_MESSAGE)
			continue;
		if (last[h->same] != 0) {
			ctx_transcript_line(live, last[h->same])->more = true;
			h->continues = true;
			h->head =
			    ctx_transcript_line(live, last[h->same])->head;
			if (h->head == 0)
				h->head = last[h->same];
			ctx_transcript_line(live, h->head)->lines++;
		}
		last[h->same] = (uint32_t)i + 1;
	}
	free(last);
	return 0;
}

/*
 * Gives what lines say of a call to the first line of its answer.  The answer
 * stands before them; in rollouts of Codex 0.40 it follows.  A line that says
 * what the last one said, with no answer between, is of no other call.
 */
static void
tell_answers(struct ctx_transcript *live)
{
	struct ctx_transcript_line *h, *first = NULL;
	uint64_t billed, last = 0, waiting = 0;
	size_t i;

	for (i = live->from; i < live->n; i++) {
		h = &live->lines[i];
		billed = h->billed;
		h->billed = 0;
		if (h->kind == CTX_LINE_ASIDE && billed > 0) {
			if (first != NULL)
				first->billed = billed;
			waiting = first == NULL && billed != last ? billed : 0;
			last = billed;
			first = NULL;
		} else if (h->kind != CTX_LINE_ASIDE) {
			if (!h->live || !(h->flags & CTX_LINE_ANSWER)) {
				first = NULL;
			} else if (first == NULL) {
				first = h;
				h->billed = waiting;
			}
			waiting = 0;
		}
	}
}

/* What has been replaced again and again knows the last that did. */
static void
find_newest(struct ctx_transcript *live)
{
	uint32_t newer;
	size_t i;

	for (i = live->n; i-- > live->from;) {
		newer = live->lines[i].newer;
		if (newer != 0 && ctx_transcript_line(live, newer)->newer != 0)
			live->lines[i].newer =
			    ctx_transcript_line(live, newer)->newer;
	}
}

int
ctx_transcript_decide(struct ctx_transcript *live, struct ctx_err *err)
{
	size_t used;
	int rc;

	if (live->dialect->history == CTX_HISTORY_LOG)
		rc = ctx_transcript_replay_log(live, err);
	else
		rc = ctx_transcript_active_branch(live, err);
	if (rc < 0 || mark_same(live, err) < 0)
		return -1;
	find_newest(live);
	tell_answers(live);
	live->model.n = 0;
	if (live->model_text.n > 0 &&
	    ctx_json_scan(&live->model, live->model_text.p, live->model_text.n,
		&used, err) < 0)
		return -1;
	return 0;
}

int
ctx_transcript_next(struct ctx_transcript *live, struct ctx_record *record,
    uint32_t *line, struct ctx_err *err)
{
	struct ctx_transcript_line *h;
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
		   &used, err) < 0
	    ? -1
	    : 1;
}

char *
ctx_transcript_set_active(struct ctx_transcript *live, uint32_t line)
{
	struct ctx_transcript_line *h = ctx_transcript_line(live, line);
	char *text = h->text;

	h->text = NULL;
	return text;
}

void
ctx_transcript_forget(struct ctx_transcript *live)
{
	for (; live->spent < live->next; live->spent++) {
		free(live->lines[live->spent].text);
		live->lines[live->spent].text = NULL;
	}
}

bool
ctx_transcript_is_active(const struct ctx_transcript *live, uint32_t line,
    unsigned *flags)
{
	const struct ctx_transcript_line *h = ctx_transcript_line(live, line);

	if (!h->live || h->kind == CTX_LINE_LINK)
		return false;
	*flags |= (h->more ? CTX_MESSAGE_IS_CONTINUED : 0u) |
	    (h->continues ? CTX_MESSAGE_CONTINUES : 0u) |
	    (h->beside ? CTX_MESSAGE_RESULTS_ONLY : 0u);
	return true;
}

uint64_t
ctx_transcript_billed(const struct ctx_transcript *live, uint32_t line)
{
	return ctx_transcript_line(live, line)->billed;
}

/* ---- links ---- */

/* The first line of a line's message. */
static struct ctx_transcript_line *
head_of(const struct ctx_transcript *live, uint32_t line)
{
	struct ctx_transcript_line *h = ctx_transcript_line(live, line);

	return h->head != 0 ? ctx_transcript_line(live, h->head) : h;
}

void
ctx_transcript_remove(struct ctx_transcript *live, uint32_t line)
{
	struct ctx_transcript_line *h = ctx_transcript_line(live, line);

	if (h->head != 0 && !h->gone)
		ctx_transcript_line(live, h->head)->lines--;
	h->gone = true;
}

bool
ctx_transcript_message_is_kept(const struct ctx_transcript *live, uint32_t line)
{
	const struct ctx_transcript_line *head = head_of(live, line);

	return !head->gone || head->lines > 0;
}

bool
ctx_transcript_first_of_message(struct ctx_transcript *live, uint32_t line)
{
	struct ctx_transcript_line *head = head_of(live, line);
	bool first = !head->named;

	head->named = true;
	return first;
}

uint64_t
ctx_transcript_message_index(struct ctx_transcript *live, uint32_t line,
    uint64_t next)
{
	struct ctx_transcript_line *h = ctx_transcript_line(live, line);

	if (h->head != 0)
		return ctx_transcript_line(live, h->head)->index;
	h->index = next;
	return next;
}

bool
ctx_transcript_is_removed(const struct ctx_transcript *live, uint32_t line)
{
	uint32_t newest = ctx_transcript_line(live, line)->newer;

	return ctx_transcript_line(live, newest != 0 ? newest : line)->gone;
}

/* The nearest ancestor that is left, or 0.  Shortens the way for the next,
 * also where those that went have one another as parents. */
static uint32_t
ancestor(struct ctx_transcript *live, uint32_t line)
{
	uint32_t up = ctx_transcript_line(live, line)->up, *over;

	while (up != 0 && ctx_transcript_is_removed(live, up)) {
		over = &ctx_transcript_line(live, up)->up;
		if (*over == up)
			*over = 0;
		else if (*over != 0 && ctx_transcript_is_removed(live, *over))
			*over = ctx_transcript_line(live, *over)->up;
		up = *over;
	}
	return up;
}

/* The next live line of the file that is left, or 0.  Of lines that have
 * gone what they were about does not matter, so the answer is kept in each
 * that was passed. */
static uint32_t
successor(struct ctx_transcript *live, uint32_t line)
{
	const char *file = ctx_transcript_line(live, line)->file;
	uint32_t at, to = 0;
	struct ctx_transcript_line *h;

	for (at = line; at <= live->n && to == 0; at++) {
		h = ctx_transcript_line(live, at);
		if (h->file != file || (h->sought && h->to == 0))
			break;
		if (h->sought)
			to = h->to;
		else if (h->live && h->id != 0 &&
		    !ctx_transcript_is_removed(live, at))
			to = at;
	}
	for (; line < at; line++) {
		h = ctx_transcript_line(live, line);
		if (!h->gone || h->sought)
			continue;
		h->sought = true;
		h->to = to;
	}
	return to;
}

/* Does what a summary leaves begin with a line of ours before line to? */
static bool
starts_at_ours(const struct ctx_transcript *live,
    const struct ctx_transcript_line *summary, uint32_t to)
{
	return summary->kind == CTX_LINE_SUMMARY &&
	    ctx_transcript_line(live, to)->ours != 0;
}

bool
ctx_transcript_needs_relink(const struct ctx_transcript *live, uint32_t line)
{
	const struct ctx_transcript_line *h = ctx_transcript_line(live, line);

	return h->ours != 0 ||
	    (h->up != 0 && h->parent != 0 &&
		ctx_transcript_is_removed(live, h->up)) ||
	    (h->to != 0 &&
		(ctx_transcript_is_removed(live, h->to) ||
		    starts_at_ours(live, h, h->to)));
}

/* The name of the nearest ancestor that is left, or null. */
static struct ctx_str
parent_name(struct ctx_transcript *live, uint32_t line)
{
	const struct ctx_transcript_line *h = ctx_transcript_line(live, line);
	struct ctx_str none = {"null", 4};
	uint32_t up = h->up;

	if (h->parent == 0)
		return none;
	if (up != 0 && ctx_transcript_is_removed(live, up))
		up = ancestor(live, line);
	return up == 0 || ctx_transcript_line(live, up)->id == 0
	    ? none
	    : ctx_intern_at(&live->names, ctx_transcript_line(live, up)->id);
}

int
ctx_transcript_insert_before(struct ctx_transcript *live, uint32_t line,
    struct ctx_str id, struct ctx_str *parent, struct ctx_err *err)
{
	*parent = parent_name(live, line);
	if (ctx_transcript_line(live, line)->id == 0)
		return 0;
	return ctx_intern(&live->names, id.p, id.n,
		   &ctx_transcript_line(live, line)->ours, err) < 0
	    ? -1
	    : 1;
}

static int
rename_node(const struct ctx_json *json, uint32_t node, struct ctx_str name,
    struct ctx_edits *edits, struct ctx_err *err)
{
	if (node == 0)
		return 0;
	return ctx_edits_replace(edits, ctx_json_str(json, node), name.p,
	    name.n, err);
}

/* A root that does not say so has no such member until something of ours
 * stands before it. */
static int
name_parent(const struct ctx_json *json, const struct ctx_line_place *at,
    struct ctx_str name, struct ctx_edits *edits, struct ctx_err *err)
{
	struct ctx_str begin = {json->text + json->nodes[0].at + 1, 0};
	size_t from = edits->store.n;

	if (at->parent != 0 || at->parent_key == NULL)
		return rename_node(json, at->parent, name, edits, err);
	if (ctx_buf_printf(&edits->store, err, "\"%s\":", at->parent_key) < 0 ||
	    ctx_buf_add(&edits->store, name.p, name.n, err) < 0 ||
	    ctx_buf_add(&edits->store, ",", 1, err) < 0)
		return -1;
	return ctx_edits_replace_stored(edits, begin, from, err);
}

int
ctx_transcript_relink(struct ctx_transcript *live, uint32_t line,
    const struct ctx_json *json, struct ctx_edits *edits, struct ctx_err *err)
{
	const struct ctx_transcript_line *h = ctx_transcript_line(live, line);
	struct ctx_line_place at;
	struct ctx_str name;
	uint32_t next, id;

	h->dialect->line(json, 0, &at);
	if (h->ours != 0 ||
	    (h->up != 0 && h->parent != 0 &&
		ctx_transcript_is_removed(live, h->up))) {
		name = h->ours != 0 ? ctx_intern_at(&live->names, h->ours)
				    : parent_name(live, line);
		if (name_parent(json, &at, name, edits, err) < 0)
			return -1;
	}
	next = h->to;
	if (next != 0 && ctx_transcript_is_removed(live, next))
		next = successor(live, next);
	if (next == 0)
		return 0;
	id = ctx_transcript_line(live, next)->id;
	if (starts_at_ours(live, h, next))
		id = ctx_transcript_line(live, next)->ours;
	else if (next == h->to)
		return 0;
	return rename_node(json, at.about, ctx_intern_at(&live->names, id),
	    edits, err);
}
