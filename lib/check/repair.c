/*
 * repair.c - apply fixes to a stream
 *
 * Records wait in a queue until the validator can have no more findings about
 * them.  A result is composed for each call when the call is read, and inserted
 * if the call gets none.
 */
#include <stdlib.h>
#include <string.h>

#include "check/repair.h"
#include "check/surrogate_rules.h"
#include "stream/edit_message.h"

/* ---- the queue ---- */

static void
release_entry(struct ctx_repair_entry *entry)
{
	free(entry->text);
	free(entry->answers);
	ctx_buf_release(&entry->answer_text);
}

static void
clear_repair_queue(struct ctx_repair_queue *queue)
{
	while (queue->from < queue->n)
		release_entry(&queue->list[queue->from++]);
	queue->from = queue->n = 0;
}

void
ctx_repair_release(struct ctx_repair *repair)
{
	clear_repair_queue(&repair->lines);
	clear_repair_queue(&repair->inner);
	free(repair->lines.list);
	free(repair->inner.list);
	ctx_edits_release(&repair->edits);
	ctx_edits_release(&repair->one);
	ctx_edits_release(&repair->late);
	ctx_json_release(&repair->json);
	ctx_message_release(&repair->message);
	ctx_buf_release(&repair->with);
	ctx_buf_release(&repair->gone);
	ctx_buf_release(&repair->out);
	ctx_buf_release(&repair->id);
	ctx_buf_release(&repair->spare);
	memset(repair, 0, sizeof *repair);
}

static struct ctx_repair_entry *
append_entry(struct ctx_repair_queue *queue, struct ctx_err *err)
{
	struct ctx_repair_entry *list, *entry;

	/* Removes the written entries once they are most of the list. */
	if (queue->from > queue->n / 2) {
		queue->n -= queue->from;
		memmove(queue->list, queue->list + queue->from,
		    queue->n * sizeof *list);
		queue->from = 0;
	}
	list =
	    ctx_grow(queue->list, &queue->cap, queue->n + 1, sizeof *list, err);
	if (list == NULL)
		return NULL;
	queue->list = list;
	entry = &list[queue->n++];
	memset(entry, 0, sizeof *entry);
	entry->changed_from = SIZE_MAX;
	if (queue->n - 1 > queue->from)
		entry->message = entry[-1].message;
	return entry;
}

/* Returns the entry of a message, or NULL if it has been written. Indices rise;
 * records that are not messages have the index of the message before. */
static struct ctx_repair_entry *
find_entry(const struct ctx_repair_queue *queue, uint64_t message)
{
	size_t low = queue->from, high = queue->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (queue->list[mid].message < message)
			low = mid + 1;
		else
			high = mid;
	}
	while (low < queue->n && !queue->list[low].is_message)
		low++;
	if (low == queue->n || queue->list[low].message != message)
		return NULL;
	return &queue->list[low];
}

/* Returns the next message after entry i that is kept and that the model sees,
 * or NULL. */
static struct ctx_repair_entry *
find_next_shown(const struct ctx_repair_queue *queue, size_t i)
{
	while (++i < queue->n)
		if (queue->list[i].is_message && !queue->list[i].drop &&
		    !queue->list[i].hidden)
			return &queue->list[i];
	return NULL;
}

static struct ctx_repair_queue *
choose_queue(struct ctx_repair *repair, bool inside)
{
	return inside ? &repair->inner : &repair->lines;
}

/* ---- results that ctx inserts ---- */

/* Returns true if a value exists and is neither null nor "". */
static bool
has_value(const struct ctx_json *json, uint32_t node)
{
	return node != 0 && json->nodes[node].kind != CTX_JSON_NULL &&
	    !ctx_json_is(json, node, "");
}

static bool
has_string_value(const struct ctx_json *json, uint32_t node)
{
	return has_value(json, node) &&
	    json->nodes[node].kind == CTX_JSON_STRING;
}

/* Returns true if the template is for calls of this type, and the call has the
 * values that the template uses. */
static bool
is_template_usable(const struct ctx_result_template *row,
    const struct ctx_message *message, const struct ctx_block *call,
    uint32_t type)
{
	if (row->type != NULL &&
	    (type == 0 || !ctx_json_is(message->json, type, row->type)))
		return false;
	return (has_value(message->json, call->id) ||
		   strstr(row->text, "$id") == NULL) &&
	    (has_string_value(message->json, call->name) ||
		strstr(row->text, "$name") == NULL);
}

/* Returns the text of the first template for a call, or NULL. */
static const char *
choose_result_template(const struct ctx_dialect *dialect,
    const struct ctx_message *message, const struct ctx_block *call)
{
	const struct ctx_json *json = message->json;
	uint32_t block = call->removable != 0 ? call->removable : message->node;
	uint32_t type = ctx_json_find(json, block, "type"), theirs;
	const struct ctx_result_template *row = dialect->synthetic_results;
	size_t i, n = sizeof dialect->synthetic_results / sizeof *row;

	if (dialect->provider_executed_key != NULL &&
	    (theirs = ctx_json_find(json, block,
		 dialect->provider_executed_key)) != 0 &&
	    json->nodes[theirs].kind == CTX_JSON_TRUE)
		return NULL;
	if (type == 0)
		type = message->role_node;
	for (i = 0; i < n && row[i].text != NULL; i++)
		if (is_template_usable(&row[i], message, call, type))
			return row[i].text;
	return NULL;
}

/* Sets *value to a node as it will be sent: without lone surrogates, and with
 * id in the form that the rules demand. */
static int
get_sent_value(struct ctx_repair *repair, const struct ctx_repair_entry *entry,
    const struct ctx_json *json, uint32_t node, bool id, struct ctx_str *value,
    struct ctx_err *err)
{
	int rc = 0;

	*value = ctx_json_str(json, node);
	if (json->nodes[node].kind == CTX_JSON_STRING)
		rc = ctx_id_repair(&repair->id, &repair->spare,
		    id ? entry->rules : 0, *value, err);
	if (rc > 0)
		*value = (struct ctx_str){repair->id.p, repair->id.n};
	return rc < 0 ? -1 : 0;
}

/* Appends a template to answer_text and fills in its variables. call is NULL if
 * the template is not about one call. */
static int
append_template(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    const char *template, const struct ctx_message *message,
    const struct ctx_block *call, struct ctx_err *err)
{
	struct ctx_buf *out = &entry->answer_text;
	static const char *const names[] = {"$id", "$name", "$time", "$text"};
	const uint32_t nodes[] = {call != NULL ? call->id : 0,
	    call != NULL ? call->name : 0, message->time};
	static const char text[] = "\"" CTX_NO_RESULT "\"";
	struct ctx_str value;
	const char *next;
	size_t i;

	for (; (next = strchr(template, '$')) != NULL; template = next) {
		if (ctx_buf_add(out, template, (size_t)(next - template), err) <
		    0)
			return -1;
		for (i = 0; strncmp(next, names[i], strlen(names[i])) != 0;)
			i++;
		if (i == sizeof nodes / sizeof nodes[0])
			value = (struct ctx_str){text, sizeof text - 1};
		else if (nodes[i] == 0)
			value = (struct ctx_str){"null", 4};
		else if (get_sent_value(repair, entry, message->json, nodes[i],
			     i == 0, &value, err) < 0)
			return -1;
		if (ctx_buf_add(out, value.p, value.n, err) < 0)
			return -1;
		next += strlen(names[i]);
	}
	return ctx_buf_add(out, template, strlen(template), err);
}

/* Composes the result that a call gets if it has none. */
static int
compose_result(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    const struct ctx_message *message, const struct ctx_block *call,
    struct ctx_err *err)
{
	const char *template =
	    choose_result_template(entry->dialect, message, call);
	const char *opening = entry->dialect->result_wrapper[0];
	struct ctx_repair_answer *answer;

	answer = ctx_grow(entry->answers, &entry->answers_cap,
	    entry->n_answers + 1, sizeof *answer, err);
	if (answer == NULL)
		return -1;
	entry->answers = answer;
	answer += entry->n_answers++;
	if (entry->n_answers == 1 && opening != NULL) {
		if (append_template(repair, entry, opening, message, NULL,
			err) < 0)
			return -1;
		entry->opening = entry->answer_text.n;
	}
	*answer = (struct ctx_repair_answer){.at = entry->answer_text.n};
	if (template != NULL &&
	    append_template(repair, entry, template, message, call, err) < 0)
		return -1;
	answer->n = entry->answer_text.n - answer->at;
	if (!has_value(message->json, call->id))
		entry->nameless = true;
	return 0;
}

static int
compose_results(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    const struct ctx_message *message, struct ctx_err *err)
{
	size_t i;

	for (i = 0; i < message->n; i++)
		if (message->blocks[i].kind == CTX_BLOCK_TOOL_CALL &&
		    compose_result(repair, entry, message, &message->blocks[i],
			err) < 0)
			return -1;
	return 0;
}

static bool
has_due_results(const struct ctx_repair_entry *entry)
{
	size_t i;

	for (i = entry->handed_on; i < entry->n_answers; i++)
		if (entry->answers[i].due)
			return true;
	return entry->handed_on > 0;
}

static const struct ctx_str nothing = {"", 0};

/* Appends all results that are due between before and behind, separated by
 * part. */
static int
append_due_results(struct ctx_buf *out, const struct ctx_repair_entry *entry,
    struct ctx_str before, const char *part, const char *behind,
    struct ctx_err *err)
{
	const struct ctx_repair_answer *answer = entry->answers;
	struct ctx_str lead = before;
	size_t i;

	for (i = 0; i < entry->n_answers; i++, answer++) {
		if (!answer->due)
			continue;
		if (ctx_buf_add(out, lead.p, lead.n, err) < 0 ||
		    ctx_buf_add(out, entry->answer_text.p + answer->at,
			answer->n, err) < 0)
			return -1;
		lead = (struct ctx_str){part, strlen(part)};
	}
	return ctx_buf_add(out, behind, strlen(behind), err);
}

/* Appends the due results of entry as messages, separated by part. */
static int
append_result_messages(struct ctx_buf *out,
    const struct ctx_repair_entry *entry, const char *part, struct ctx_err *err)
{
	struct ctx_str opening = {entry->answer_text.p, entry->opening};

	if (entry->dialect->result_wrapper[0] == NULL)
		return append_due_results(out, entry, nothing, part, "", err);
	return append_due_results(out, entry, opening, ",",
	    entry->dialect->result_wrapper[1], err);
}

/*
 * Returns true if the results of entry are inserted into next, the message
 * after it.  That is so if next holds the other results of the turn, or if two
 * user messages must not be neighbours.
 */
static bool
is_inserted_into_next(const struct ctx_repair_entry *entry,
    const struct ctx_repair_entry *next)
{
	if (entry->dialect->result_wrapper[0] == NULL || next == NULL ||
	    next->dialect != entry->dialect || next->front == 0)
		return false;
	return next->users || (entry->rules & CTX_ASKS_TURNS);
}

/* Returns true if no result may stand between entry and next: the provider
 * merges them, or they are items of one answer. An empty next is not merged,
 * since it must stay the last message. */
static bool
is_one_answer(const struct ctx_repair_entry *entry,
    const struct ctx_repair_entry *next)
{
	return ((entry->rules & CTX_ONE_MESSAGE) ||
		   ((entry->rules & CTX_JOINS_ANSWERS) && !entry->close)) &&
	    next->dialect == entry->dialect && next->role == entry->role &&
	    !next->mute;
}

/* Returns true if the due results of entry must come after next. Results
 * without ids are paired with the oldest call, so they come after the existing
 * results. But if results must directly follow their calls, they come before
 * the next assistant message. */
static bool
has_results_after_next(const struct ctx_repair_entry *entry, bool nameless,
    const struct ctx_repair_entry *next)
{
	return next != NULL &&
	    (is_one_answer(entry, next) ||
		(nameless && next->users &&
		    !(next->role == CTX_ROLE_ASSISTANT &&
			(entry->rules & CTX_RESULTS_NEXT)) &&
		    entry->dialect->result_wrapper[0] == NULL &&
		    next->dialect == entry->dialect));
}

/* Removes the results that are not due. */
static void
drop_undue_results(struct ctx_repair_entry *entry)
{
	size_t i, n = entry->handed_on;

	for (i = n; i < entry->n_answers; i++)
		if (entry->answers[i].due)
			entry->answers[n++] = entry->answers[i];
	entry->n_answers = n;
}

/* Moves the due results of entry before those of next. The array is moved and
 * extended, not copied, so that a long row of calls takes linear time. */
static int
move_results_to_next(struct ctx_repair_entry *entry,
    struct ctx_repair_entry *next, struct ctx_err *err)
{
	struct ctx_repair_answer *grown, *old = next->answers;
	struct ctx_buf text = next->answer_text;
	size_t i, shift = entry->answer_text.n;

	drop_undue_results(entry);
	grown = ctx_grow(entry->answers, &entry->answers_cap,
	    entry->n_answers + next->n_answers, sizeof *grown, err);
	if (grown == NULL)
		return -1;
	entry->answers = grown;
	if (ctx_buf_add(&entry->answer_text, text.p, text.n, err) < 0)
		return -1;
	for (i = 0; i < next->n_answers; i++) {
		grown[entry->n_answers + i] = old[i];
		grown[entry->n_answers + i].at += shift;
	}
	next->answers = grown;
	next->handed_on = entry->n_answers;
	next->n_answers += entry->n_answers;
	next->answers_cap = entry->answers_cap;
	next->answer_text = entry->answer_text;
	next->opening = entry->opening;
	next->nameless |= entry->nameless;
	entry->answers = old;
	entry->answer_text = text;
	entry->n_answers = entry->handed_on = 0;
	return 0;
}

/* ---- before a message is checked ---- */

/* Sets the offset at which a result can be inserted before the message's
 * blocks. */
static void
find_insertion_offset(struct ctx_repair_entry *entry,
    const struct ctx_message *message, struct ctx_str text)
{
	const struct ctx_json *json = message->json;
	uint32_t array = 0;
	size_t i;

	for (i = 0; i < message->n; i++) {
		const struct ctx_block *block = &message->blocks[i];

		if (block->kind == CTX_BLOCK_TOOL_RESULT)
			entry->users = true;
		if (block->result_index == 0 && block->removable != 0 &&
		    json->nodes[block->container].kind == CTX_JSON_ARRAY)
			array = block->container;
	}
	if (array == 0 || message->role == CTX_ROLE_ASSISTANT ||
	    message->role == CTX_ROLE_SYSTEM)
		return;
	entry->front =
	    (size_t)(json->text + json->nodes[array].at + 1 - text.p);
}

void
ctx_repair_begin(struct ctx_repair *repair, bool inside, bool binds)
{
	struct ctx_repair_queue *queue = choose_queue(repair, inside);

	queue->binds = binds;
	queue->changed = false;
}

int
ctx_repair_add(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t rules, const struct ctx_place *place, struct ctx_err *err)
{
	struct ctx_repair_entry *entry =
	    append_entry(choose_queue(repair, event->inside), err);

	if (entry == NULL)
		return -1;
	entry->message = place->message;
	entry->place = *place;
	entry->is_message = true;
	entry->dialect = event->layout->dialect;
	entry->role = event->message->role;
	entry->rules = rules;
	entry->mute = event->message->n == 0;
	entry->hidden = (event->message->flags & CTX_MESSAGE_HIDDEN) != 0;
	entry->node = event->node;
	entry->bytes = event->inside
	    ? ctx_json_str(event->record->json, event->node)
	    : event->record->text;
	repair->member = 0;
	repair->row = false;
	ctx_edits_reset(&repair->one);
	find_insertion_offset(entry, event->message,
	    event->inside ? event->record->value : event->record->text);
	return compose_results(repair, entry, event->message, err);
}

/* Returns true if the entry is a line of a transcript. Its lines refer to each
 * other, so they are not changed. */
static bool
is_linked_line(const struct ctx_repair_entry *entry, bool inside)
{
	return entry->dialect->history != CTX_HISTORY_NONE && !inside;
}

/* Returns the bytes of a block; if it cannot be removed by itself, of the
 * message. */
static struct ctx_str
get_block_bytes(const struct ctx_message *message,
    const struct ctx_block *block)
{
	return ctx_json_str(message->json,
	    block->removable != 0 ? block->removable : message->node);
}

/* Returns the last message that must come before the results of entry. Sets
 * *next to the message after it, or NULL. The answer is cached for all messages
 * between. */
static struct ctx_repair_entry *
find_last_before_results(struct ctx_repair *repair,
    const struct ctx_repair_queue *queue, struct ctx_repair_entry *entry,
    struct ctx_repair_entry **next)
{
	struct ctx_repair_entry *last = entry;
	bool nameless = entry->nameless;

	if (repair->row && entry->message >= repair->row_from &&
	    entry->message <= repair->row_to) {
		*next = repair->row_ends ? find_entry(queue, repair->row_behind)
					 : NULL;
		return find_entry(queue, repair->row_to);
	}
	while ((*next = find_next_shown(queue, (size_t)(last - queue->list))) !=
		NULL &&
	    has_results_after_next(last, nameless, *next)) {
		last = *next;
		nameless |= last->nameless;
	}
	repair->row = true;
	repair->row_from = entry->message;
	repair->row_to = last->message;
	repair->row_ends = *next != NULL;
	repair->row_behind = *next != NULL ? (*next)->message : 0;
	return last;
}

/*
 * Marks the result of a call as due.  Returns 2 if the result will be the
 * message directly before the one being checked, or the last message; else 1.
 * Returns 0 if no result can be inserted: there is none, or it would be a user
 * message next to another where the rules forbid that.
 */
static int
mark_result_due(struct ctx_repair *repair, struct ctx_repair_queue *queue,
    struct ctx_repair_entry *entry, const struct ctx_finding *finding,
    bool judging, struct ctx_fix *fix)
{
	struct ctx_repair_entry *last, *next;
	struct ctx_repair_answer *answer;

	/* With shared, an existing result may be meant for this call. */
	if (finding->shared || entry->n_answers == entry->handed_on)
		return 0;
	answer = &entry->answers[entry->handed_on + finding->call];
	if (answer->n == 0)
		return 0;
	if (finding->doubled)
		entry->close = true;
	last = find_last_before_results(repair, queue, entry, &next);
	if (last->role != CTX_ROLE_ASSISTANT &&
	    (last->role != CTX_ROLE_TOOL ||
		(entry->rules & CTX_RESULTS_TOGETHER)) &&
	    (entry->rules &
		(CTX_ASKS_TURNS | CTX_RESULTS_FIRST | CTX_SYSTEM_BETWEEN)))
		return 0;
	if ((entry->rules & CTX_ASKS_TURNS) &&
	    !is_inserted_into_next(entry, next) && next != NULL &&
	    next->role == CTX_ROLE_USER)
		return 0;
	answer->due = true;
	fix->action = "insert";
	fix->bytes =
	    (struct ctx_str){entry->answer_text.p + answer->at, answer->n};
	if (judging)
		return next == &queue->list[queue->n - 1] &&
			!is_inserted_into_next(entry, next)
		    ? 2
		    : 1;
	return next == NULL ? 2 : 1;
}

/* Returns true if the fix changes nothing that the model sees. */
static bool
is_breakpoint_fix(const struct ctx_finding *finding)
{
	return finding->id == CTX_RULE_MANY_MARKERS ||
	    finding->id == CTX_RULE_BAD_MARKER;
}

/* Adds an edit that replaces bytes of a message, or of the request outside its
 * messages (entry is NULL). */
static int
apply_text_fix(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    const struct ctx_finding *finding, struct ctx_fix *fix, struct ctx_err *err)
{
	struct ctx_edits *edits =
	    finding->place.inside ? &repair->edits : &repair->one;

	if (finding->old.p == NULL)
		return 0;
	fix->action = "edit";
	fix->bytes = finding->old;
	repair->renamed |= finding->id == CTX_RULE_BAD_ID;
	if (entry == NULL)
		repair->inner.changed |= !is_breakpoint_fix(finding);
	else if (!is_breakpoint_fix(finding))
		ctx_repair_note_change(entry,
		    (size_t)(finding->old.p - entry->bytes.p));
	return ctx_edits_replace(edits, finding->old, finding->with.p,
		   finding->with.n, err) < 0
	    ? -1
	    : 1;
}

/* Marks that a user message is inserted before entry, if the dialect has one.
 */
static int
mark_leading_message(struct ctx_repair_entry *entry, struct ctx_fix *fix)
{
	const char *text = entry->dialect->lead;

	if (text == NULL)
		return 0;
	entry->led = true;
	fix->action = "insert";
	fix->bytes = (struct ctx_str){text, strlen(text)};
	return 1;
}

/* Applies the fix of a finding about a message that was not written yet. */
static int
apply_fix(struct ctx_repair *repair, struct ctx_repair_queue *queue,
    struct ctx_repair_entry *entry, const struct ctx_finding *finding,
    const struct ctx_message *message, struct ctx_fix *fix, struct ctx_err *err)
{
	enum ctx_fix_kind remedy = ctx_rule_at(finding->id)->remedy;

	if (remedy == CTX_FIX_NONE)
		return 0;
	/* Inserting a neighbour does not change the message itself. */
	if (remedy != CTX_FIX_ADD_RESULT && remedy != CTX_FIX_ADD_FIRST &&
	    ctx_repair_archive(repair, entry, err) < 0)
		return -1;
	switch (remedy) {
	case CTX_FIX_ADD_RESULT:
		return mark_result_due(repair, queue, entry, finding,
		    message != NULL, fix);
	case CTX_FIX_REMOVE_BLOCK:
		fix->bytes =
		    get_block_bytes(message, &message->blocks[finding->part]);
		return 1;
	case CTX_FIX_REMOVE_MEMBER:
		repair->member = finding->node;
		fix->bytes = ctx_json_str(message->json, finding->node + 1);
		return 1;
	case CTX_FIX_REMOVE_MESSAGE:
		entry->drop = true;
		repair->row = false;
		return 1;
	case CTX_FIX_ADD_FIRST:
		return mark_leading_message(entry, fix);
	case CTX_FIX_REPLACE_TEXT:
		return apply_text_fix(repair, entry, finding, fix, err);
	case CTX_FIX_REMOVE_BREAKPOINT:
		if (finding->old.p != NULL)
			return apply_text_fix(repair, entry, finding, fix, err);
		fix->action = "edit";
		return ctx_repair_breakpoint(repair, entry, &fix->bytes, err);
	case CTX_FIX_REPLACE_IMAGE:
		if (finding->old.p != NULL || finding->part == SIZE_MAX)
			return apply_text_fix(repair, entry, finding, fix, err);
		fix->action = "edit";
		return ctx_repair_image(repair, entry, finding->part,
		    &fix->bytes, err);
	default:
		return 0;
	}
}

int
ctx_repair_finding(struct ctx_repair *repair, const struct ctx_finding *finding,
    const struct ctx_message *message, struct ctx_fix *fix, struct ctx_err *err)
{
	struct ctx_repair_queue *queue =
	    choose_queue(repair, finding->place.inside);
	struct ctx_repair_entry *entry =
	    find_entry(queue, finding->place.message);

	fix->finding = finding;
	if (finding->in_request) {
		fix->role = CTX_ROLE_OTHER;
		return apply_text_fix(repair, NULL, finding, fix, err);
	}
	/* A message that was written can no longer be changed. */
	if (entry == NULL || is_linked_line(entry, finding->place.inside))
		return 0;
	fix->role = entry->role;
	fix->bytes = entry->bytes;
	fix->action = "drop";
	return apply_fix(repair, queue, entry, finding, message, fix, err);
}

/* ---- after a message was checked ---- */

/* Adds an edit that removes the member with this key. */
static int
remove_member(struct ctx_edits *edits, const struct ctx_json *json,
    uint32_t object, uint32_t key, struct ctx_err *err)
{
	bool *drop = calloc(ctx_json_count(json, object), sizeof *drop);
	int rc;

	if (drop == NULL)
		return ctx_err_nomem(err);
	ctx_edits_mark_member(json, object, key, drop);
	rc = ctx_edits_remove(edits, json, object, drop, err);
	free(drop);
	return rc;
}

/* Adds edits that remove the blocks that the validator counts as removed. */
static int
remove_dropped_blocks(struct ctx_edits *edits,
    const struct ctx_message *message, const bool *gone, struct ctx_err *err)
{
	bool *nodes =
	    calloc(message->json->nodes[message->node].next - message->node,
		sizeof *nodes);
	size_t i;
	int rc;

	if (nodes == NULL)
		return ctx_err_nomem(err);
	for (i = 0; i < message->n; i++)
		if (gone[i] && message->blocks[i].removable != 0)
			nodes[message->blocks[i].removable - message->node] =
			    true;
	rc = ctx_edits_remove_nodes(edits, message, nodes, err);
	free(nodes);
	return rc;
}

/* Adds edits that give results, and calls made by a program, the new id of the
 * call that they refer to. */
static int
rename_referring_ids(struct ctx_repair *repair, struct ctx_edits *edits,
    struct ctx_repair_entry *entry, const struct ctx_message *message,
    struct ctx_err *err)
{
	struct ctx_str literal;
	uint32_t id;
	size_t i;
	int rc;

	for (i = 0; repair->renamed && i < message->n; i++) {
		id = message->blocks[i].kind == CTX_BLOCK_TOOL_RESULT
		    ? message->blocks[i].id
		    : message->blocks[i].caller;
		if (id == 0 || message->json->nodes[id].kind != CTX_JSON_STRING)
			continue;
		literal = ctx_json_str(message->json, id);
		rc = ctx_id_repair(&repair->id, &repair->spare, entry->rules,
		    literal, err);
		if (rc < 0 ||
		    (rc > 0 &&
			(ctx_repair_archive(repair, entry, err) < 0 ||
			    ctx_edits_replace(edits, literal, repair->id.p,
				repair->id.n, err) < 0)))
			return -1;
	}
	return 0;
}

/* Returns true if no block is left after an inserted result. */
static bool
has_no_blocks_left(const struct ctx_message *message, const bool *gone)
{
	size_t i;

	for (i = 0; i < message->n; i++)
		if (message->blocks[i].result_index == 0 &&
		    message->blocks[i].removable != 0 && !gone[i])
			return false;
	return true;
}

int
ctx_repair_judged(struct ctx_repair *repair, const struct ctx_event *event,
    const struct ctx_validator *validator, struct ctx_err *err)
{
	struct ctx_repair_queue *queue = choose_queue(repair, event->inside);
	struct ctx_repair_entry *entry = &queue->list[queue->n - 1];
	struct ctx_edits *edits = event->inside ? &repair->edits : &repair->one;
	const struct ctx_message *message = event->message;
	size_t first = edits->n;

	entry->drop = entry->drop || validator->dropped;
	if (entry->drop)
		return 0;
	entry->alone = has_no_blocks_left(message, validator->gone);
	if (is_linked_line(entry, event->inside))
		return 0;
	if (remove_dropped_blocks(edits, message, validator->gone, err) < 0 ||
	    rename_referring_ids(repair, edits, entry, message, err) < 0)
		return -1;
	if (repair->member != 0 &&
	    remove_member(edits, message->json, message->node, repair->member,
		err) < 0)
		return -1;
	ctx_repair_note_change(entry,
	    ctx_edits_first(edits, first, entry->bytes.p));
	if (event->inside || repair->one.n == 0)
		return 0;
	repair->out.n = 0;
	ctx_edits_merge(&repair->one);
	if (ctx_edits_apply(&repair->one, entry->bytes, &repair->out, err) < 0)
		return -1;
	if (entry->changed_from != SIZE_MAX)
		entry->changed_from = ctx_edits_destination(&repair->one, 0,
		    repair->one.n, entry->bytes, entry->changed_from);
	ctx_edits_reset(&repair->one);
	return ctx_repair_own(entry, repair->out.p, repair->out.n, err);
}

/* ---- the end of a record's conversation ---- */

/* Adds an edit that inserts repair->out at a place of the record. */
static int
insert_output(struct ctx_repair *repair, const char *at, struct ctx_err *err)
{
	return ctx_edits_replace(&repair->edits, (struct ctx_str){at, 0},
	    repair->out.p, repair->out.n, err);
}

static int
insert_results(struct ctx_repair *repair, const struct ctx_json *json,
    struct ctx_repair_entry *entry, struct ctx_repair_entry *next,
    struct ctx_err *err)
{
	if (has_results_after_next(entry, entry->nameless, next))
		return move_results_to_next(entry, next, err);
	repair->inner.changed = true;
	repair->out.n = 0;
	if (is_inserted_into_next(entry, next)) {
		if (append_due_results(&repair->out, entry, nothing, ",",
			next->alone ? "" : ",", err) < 0)
			return -1;
		return insert_output(repair, json->text + next->front, err);
	}
	if (ctx_buf_add(&repair->out, ",", 1, err) < 0 ||
	    append_result_messages(&repair->out, entry, ",", err) < 0)
		return -1;
	return insert_output(repair, json->text + json->nodes[entry->node].end,
	    err);
}

/* Inserts a user message before the message of entry. */
static int
insert_leading_message(struct ctx_repair *repair, const struct ctx_json *json,
    const struct ctx_repair_entry *entry, struct ctx_err *err)
{
	repair->out.n = 0;
	if (ctx_buf_printf(&repair->out, err, "%s,", entry->dialect->lead) < 0)
		return -1;
	return insert_output(repair, json->text + json->nodes[entry->node].at,
	    err);
}

int
ctx_repair_conversation(struct ctx_repair *repair,
    const struct ctx_event *event, struct ctx_err *err)
{
	const struct ctx_json *json = event->record->json;
	struct ctx_repair_queue *queue = &repair->inner;
	uint32_t array = event->layout->messages, at;
	size_t n = ctx_json_count(json, array), i = 0, k = 0;
	bool *drop = calloc(n > 0 ? n : 1, sizeof *drop);
	int rc = 0;

	if (drop == NULL)
		return ctx_err_nomem(err);
	for (at = array + 1; at < json->nodes[array].next && rc == 0;
	     at = json->nodes[at].next, i++) {
		struct ctx_repair_entry *entry;

		/* Elements that are not messages have no entry. */
		if (k == queue->n ||
		    queue->list[k].node >= json->nodes[at].next)
			continue;
		entry = &queue->list[k];
		drop[i] = entry->drop;
		entry->changed_from = ctx_repair_pass_change(queue, entry);
		if (entry->led && !entry->drop)
			rc = insert_leading_message(repair, json, entry, err);
		if (rc == 0 && has_due_results(entry))
			rc = insert_results(repair, json, entry,
			    find_next_shown(queue, k), err);
		k++;
	}
	if (rc == 0)
		rc = ctx_edits_remove(&repair->edits, json, array, drop, err);
	free(drop);
	if (rc == 0)
		rc = ctx_repair_inner_reasoning(repair, err);
	clear_repair_queue(queue);
	repair->row = false;
	return rc;
}

/* ---- writing records ---- */

/* Writes a text, unless this is a trial.  stays: it remains valid and need not
 * be copied. */
static int
write_text(struct ctx_repair *repair, const char *p, size_t n, bool stays,
    struct ctx_err *err)
{
	if (repair->writer == NULL)
		return 0;
	return stays ? ctx_writer_put(repair->writer, p, n, err)
		     : ctx_writer_copy(repair->writer, p, n, err);
}

/* Writes the due results of entry i as records, or inserts them into the next
 * message. */
static int
write_due_results(struct ctx_repair *repair, size_t i, struct ctx_err *err)
{
	struct ctx_repair_entry *entry = &repair->lines.list[i];
	struct ctx_repair_entry *next = find_next_shown(&repair->lines, i);
	struct ctx_str text = entry->bytes;
	struct ctx_buf *out = &repair->out;
	bool crlf = text.n > 1 && text.p[text.n - 2] == '\r';
	bool ended = text.n > 0 && text.p[text.n - 1] == '\n';
	const char *eol = crlf && ended ? "\r\n" : "\n";

	if (has_results_after_next(entry, entry->nameless, next))
		return move_results_to_next(entry, next, err);
	repair->lines.changed = true;
	out->n = 0;
	if (is_inserted_into_next(entry, next)) {
		text = next->bytes;
		if (ctx_buf_add(out, text.p, next->front, err) < 0 ||
		    append_due_results(out, entry, nothing, ",",
			next->alone ? "" : ",", err) < 0 ||
		    ctx_buf_add(out, text.p + next->front, text.n - next->front,
			err) < 0)
			return -1;
		return ctx_repair_own(next, out->p, out->n, err);
	}
	/* Results end as the record before them does. If that has no line end,
	 * one is inserted before the results and none after them. */
	if (!ended && ctx_buf_add(out, eol, strlen(eol), err) < 0)
		return -1;
	if (append_result_messages(out, entry, eol, err) < 0 ||
	    (ended && ctx_buf_add(out, eol, strlen(eol), err) < 0))
		return -1;
	return write_text(repair, out->p, out->n, false, err);
}

/* Writes a user message before the record of entry. */
static int
write_leading_message(struct ctx_repair *repair,
    const struct ctx_repair_entry *entry, struct ctx_err *err)
{
	struct ctx_str text = entry->bytes;
	bool crlf = text.n > 1 && text.p[text.n - 2] == '\r';

	repair->out.n = 0;
	if (ctx_buf_printf(&repair->out, err, "%s%s", entry->dialect->lead,
		crlf ? "\r\n" : "\n") < 0)
		return -1;
	return write_text(repair, repair->out.p, repair->out.n, false, err);
}

static int
write_repaired(struct ctx_repair *repair, size_t i, struct ctx_err *err)
{
	struct ctx_repair_entry *entry = &repair->lines.list[i];
	size_t from = ctx_repair_pass_change(&repair->lines, entry);

	/* Blank lines after a removed record are removed, too. */
	if (entry->drop || (entry->blank && repair->after_dropped)) {
		repair->after_dropped = true;
		return 0;
	}
	repair->after_dropped = false;
	if (ctx_repair_record_reasoning(repair, entry, from, err) < 0)
		return -1;
	/* Archived bytes are on disk before the change is written. */
	if (repair->options->archive != NULL && repair->writer != NULL &&
	    ctx_archive_sync(repair->options->archive, err) < 0)
		return -1;
	if (entry->led && write_leading_message(repair, entry, err) < 0)
		return -1;
	if (write_text(repair, entry->bytes.p, entry->bytes.n,
		entry->text == NULL, err) < 0 ||
	    (has_due_results(entry) && write_due_results(repair, i, err) < 0))
		return -1;
	return repair->writer == NULL
	    ? 0
	    : ctx_writer_end_record(repair->writer, err);
}

/* Writes the entries before message number settled. Copies the bytes of the
 * others, because the reader will reuse its buffer. */
static int
write_settled_entries(struct ctx_repair *repair, uint64_t settled,
    struct ctx_err *err)
{
	struct ctx_repair_queue *queue = &repair->lines;
	struct ctx_repair_entry *entry;

	while (queue->from < queue->n) {
		entry = &queue->list[queue->from];
		if (entry->is_message && entry->message >= settled)
			break;
		if (write_repaired(repair, queue->from, err) < 0)
			return -1;
		release_entry(entry);
		queue->from++;
	}
	if (queue->from == queue->n) {
		queue->from = queue->n = 0;
		return 0;
	}
	/* Older entries own their bytes already. */
	entry = &queue->list[queue->n - 1];
	return entry->text != NULL
	    ? 0
	    : ctx_repair_own(entry, entry->bytes.p, entry->bytes.n, err);
}

int
ctx_repair_take_record(struct ctx_repair *repair, struct ctx_str *text,
    struct ctx_err *err)
{
	if (repair->edits.n == 0)
		return 0;
	repair->out.n = 0;
	ctx_edits_merge(&repair->edits);
	if (ctx_edits_apply(&repair->edits, *text, &repair->out, err) < 0)
		return -1;
	ctx_edits_reset(&repair->edits);
	*text = (struct ctx_str){repair->out.p, repair->out.n};
	return 0;
}

int
ctx_repair_record(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t settled, struct ctx_err *err)
{
	struct ctx_repair_entry *entry;

	if (event->layout->kind == CTX_LAYOUT_MESSAGE)
		return write_settled_entries(repair, settled, err);
	entry = append_entry(&repair->lines, err);
	if (entry == NULL)
		return -1;
	entry->bytes = event->record->text;
	entry->blank = event->record->kind == CTX_RECORD_BLANK;
	if (repair->edits.n > 0 &&
	    (ctx_repair_take_record(repair, &entry->bytes, err) < 0 ||
		ctx_repair_own(entry, entry->bytes.p, entry->bytes.n, err) < 0))
		return -1;
	return write_settled_entries(repair, settled, err);
}

int
ctx_repair_end(struct ctx_repair *repair, struct ctx_err *err)
{
	return write_settled_entries(repair, UINT64_MAX, err);
}
