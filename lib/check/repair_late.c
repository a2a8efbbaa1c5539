/*
 * repair_late.c - moves tool results that come too late
 *
 * If a tool call is not followed by its result, a repair inserts a result.  The
 * call's own result may come later, after another message.  Then it is put in
 * place of the inserted result, if the message with the call was not written
 * yet.
 */
#include "check/repair.h"
#include "group/open_tool_calls.h"

static struct ctx_repair_changes *
get_changes(struct ctx_repair *repair, bool inside)
{
	return inside ? &repair->inner : &repair->lines;
}

int
ctx_repair_make_key(struct ctx_repair *repair,
    const struct ctx_message *message, const struct ctx_block *block,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_call_key key;
	struct ctx_str text;

	if (ctx_call_key_of(&key, message->json, block, CTX_PAIR_BY_NAME,
		&repair->spare, err) < 0)
		return -1;
	text = key.id.p != NULL ? key.id : key.name;
	if (text.p == NULL)
		return 0;
	return ctx_buf_add(out, key.id.p != NULL ? "i" : "n", 1, err) < 0
	    ? -1
	    : ctx_buf_add(out, text.p, text.n, err);
}

int
ctx_repair_note_filled(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, const struct ctx_finding *finding,
    struct ctx_err *err)
{
	struct ctx_repair_changes *changes =
	    get_changes(repair, finding->place.inside);
	const struct ctx_repair_result *result =
	    &entry->results[entry->n_handed_on + finding->call];
	const char *key = entry->results_text.p + result->at - result->key_n;
	struct ctx_filled_call *filled;
	size_t known = changes->filled.n;
	uint32_t id;

	if (result->key_n == 0)
		return 0;
	if (ctx_intern(&changes->filled, key, result->key_n, &id, err) < 0 ||
	    CTX_GROW(changes->filled_calls, changes->filled_cap, (size_t)id + 1,
		err) < 0)
		return -1;
	filled = &changes->filled_calls[id];
	if (*key == 'n' && id <= known && filled->nameless == entry->nameless)
		filled->message = UINT64_MAX;
	else
		*filled = (struct ctx_filled_call){entry->message,
		    finding->call, entry->nameless};
	entry->waits_for_late = true;
	return 0;
}

/* Sets *filled to the tool call with an inserted result that a late result
 * answers, or to NULL. */
static int
find_filled(struct ctx_repair *repair, struct ctx_repair_changes *changes,
    const struct ctx_message *message, const struct ctx_block *result,
    struct ctx_filled_call **filled, struct ctx_err *err)
{
	struct ctx_buf *key = &repair->id;
	uint32_t id = 0;

	*filled = NULL;
	key->n = 0;
	if (ctx_repair_make_key(repair, message, result, key, err) < 0)
		return -1;
	if (key->n > 0)
		id = ctx_intern_find(&changes->filled, key->p, key->n);
	if (id != 0 &&
	    (key->p[0] != 'n' ||
		changes->filled_calls[id].nameless == changes->nameless))
		*filled = &changes->filled_calls[id];
	return 0;
}

/* Sets *moved to the bytes that are moved with a result: its block or, if each
 * result is a message in this format, its message.  Returns false if the result
 * cannot be moved, because its message has other content, or because it is only
 * a part of the result. */
static bool
find_moved(const struct ctx_message *message, size_t block,
    struct ctx_str *moved)
{
	const struct ctx_block *result = &message->blocks[block];
	bool in_message = message->dialect->result_wrapper[0] == NULL;
	size_t i;

	for (i = 0; in_message && i < message->n; i++)
		if (i != block && message->blocks[i].result_index != block + 1)
			return false;
	*moved = ctx_json_str(message->json,
	    in_message ? message->node : result->removable);
	return !result->is_partial &&
	    (in_message ||
		(result->removable != 0 &&
		    message->json->nodes[result->container].kind ==
			CTX_JSON_ARRAY));
}

/* Returns the inserted result of a tool call, and sets *entry to the message
 * with the call.  Returns NULL if this message was already written. */
static struct ctx_repair_result *
find_inserted(struct ctx_repair *repair, bool inside,
    const struct ctx_filled_call *to, struct ctx_repair_entry **entry)
{
	*entry =
	    ctx_repair_find_entry(ctx_rewrite_queue(repair->rewrite, inside),
		to->message);
	return *entry == NULL || (*entry)->removed
	    ? NULL
	    : &(*entry)->results[(*entry)->n_handed_on + to->call];
}

int
ctx_repair_take_late(struct ctx_repair *repair,
    const struct ctx_message *message, struct ctx_change *fix,
    struct ctx_err *err)
{
	const struct ctx_finding *finding = fix->finding;
	struct ctx_late_result late = {.block = finding->block - 1};
	struct ctx_filled_call *filled;
	struct ctx_repair_entry *call;
	struct ctx_str moved;

	if (find_filled(repair, get_changes(repair, finding->place.inside),
		message, &message->blocks[late.block], &filled, err) < 0)
		return -1;
	if (filled == NULL)
		return 0;
	late.to = *filled;
	filled->nameless = 0;
	repair->lost_result = find_inserted(repair, finding->place.inside,
				  &late.to, &call) == NULL ||
	    call->held.dialect != message->dialect ||
	    !find_moved(message, late.block, &moved);
	if (repair->lost_result)
		return 1;
	if (CTX_GROW(repair->late, repair->late_cap, repair->n_late + 1, err) <
	    0)
		return -1;
	repair->late[repair->n_late++] = late;
	fix->action = "move";
	return 1;
}

int
ctx_repair_move_late(struct ctx_repair *repair, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_message *message = event->message;
	struct ctx_repair_entry *entry;
	struct ctx_repair_result *result;
	struct ctx_str moved;
	size_t i, at;

	for (i = 0; i < repair->n_late; i++) {
		result = find_inserted(repair, event->inside,
		    &repair->late[i].to, &entry);
		if (result == NULL ||
		    !find_moved(message, repair->late[i].block, &moved))
			continue;
		at = entry->results_text.n;
		if (ctx_edits_apply_inside(&repair->rewrite->edits,
			repair->first_edit, moved, &entry->results_text,
			err) < 0)
			return -1;
		result->at = at;
		result->n = entry->results_text.n - at;
		result->key_n = 0;
	}
	return 0;
}
