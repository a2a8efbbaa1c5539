/* repair_message.c - prepares the repair of a message before the message is
 * checked, and completes it afterwards */
#include <stdlib.h>

#include "check/repair.h"
#include "check/validator.h"
#include "stream/stream.h"

void
ctx_repair_begin(struct ctx_repair *repair, bool inside, enum ctx_binding binds)
{
	struct ctx_repair_changes *changes =
	    inside ? &repair->inner : &repair->lines;

	changes->binds = binds;
	changes->changed = false;
	ctx_intern_reset(&changes->filled);
	changes->nameless = 0;
}

/* Finds the place before the blocks of a message where a tool result could be
 * inserted.  Stores the place in *entry, as an offset in bytes from the
 * beginning of the record.  Also sets entry->holds_results. */
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
			entry->holds_results = true;
		if (block->result_index == 0 && block->removable != 0 &&
		    json->nodes[block->container].kind == CTX_JSON_ARRAY)
			array = block->container;
	}
	if (array == 0 || message->role == CTX_ROLE_ASSISTANT ||
	    message->role == CTX_ROLE_SYSTEM)
		return;
	entry->results_at =
	    (size_t)(json->text + json->nodes[array].at + 1 - text.p);
}

int
ctx_repair_add(struct ctx_repair *repair, const struct ctx_event *event,
    uint64_t rules, const struct ctx_place *place, struct ctx_err *err)
{
	struct ctx_repair_entry *entry = ctx_repair_append_entry(
	    ctx_rewrite_queue(repair->rewrite, event->inside), event, err);

	if (entry == NULL)
		return -1;
	entry->message = place->message;
	entry->place = *place;
	entry->role = event->message->role;
	entry->rules = rules;
	entry->is_empty = (rules & CTX_LAST_MAY_BE_EMPTY)
	    ? ctx_message_is_empty(event->message)
	    : event->message->n == 0;
	repair->removed_member = 0;
	repair->run_known = false;
	repair->n_late = 0;
	repair->first_edit = repair->rewrite->edits.n;
	find_insertion_offset(entry, event->message,
	    event->inside ? event->record->value : event->record->text);
	return ctx_repair_compose_results(repair, entry, event->message, err);
}

/* Adds an edit that removes a member of a JSON object. key: the JSON node of
 * its key. */
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

/* If the id of a tool call was replaced, adds the edits that put the new id
 * into the results of this call.  If the call runs a program that has made
 * further tool calls, these further calls contain the id of the call, too.
 * Then the edits also put the new id into the further calls. */
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
		if (!ctx_json_is_string(message->json, id))
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

/* Returns true if all blocks of a message are removed.  Then a tool result that
 * is inserted into the message needs no comma after the result. */
static bool
has_no_blocks_left(const struct ctx_message *message, const bool *removed)
{
	size_t i;

	for (i = 0; i < message->n; i++)
		if (message->blocks[i].result_index == 0 &&
		    message->blocks[i].removable != 0 && !removed[i])
			return false;
	return true;
}

int
ctx_repair_judged(struct ctx_repair *repair, const struct ctx_event *event,
    const struct ctx_validator *validator, struct ctx_err *err)
{
	struct ctx_held_queue *queue =
	    ctx_rewrite_queue(repair->rewrite, event->inside);
	struct ctx_repair_entry *entry =
	    ctx_held_queue_at(queue, queue->end - 1);
	struct ctx_edits *edits = &repair->rewrite->edits;
	const struct ctx_message *message = event->message;
	struct ctx_str text = ctx_repair_text(repair, entry);
	size_t first = edits->n;

	entry->removed = entry->removed || validator->removed;
	if (repair->n_late > 0 &&
	    (rename_referring_ids(repair, edits, entry, message, err) < 0 ||
		ctx_repair_move_late(repair, event, err) < 0))
		return -1;
	if (entry->removed) {
		if (!event->inside)
			ctx_edits_reset(edits);
		return 0;
	}
	entry->nothing_after =
	    has_no_blocks_left(message, validator->removed_blocks);
	if (ctx_repair_is_linked(entry, event->inside))
		return 0;
	if (ctx_edits_remove_blocks(edits, message, validator->removed_blocks,
		err) < 0 ||
	    rename_referring_ids(repair, edits, entry, message, err) < 0)
		return -1;
	if (repair->removed_member != 0 &&
	    remove_member(edits, message->json, message->node,
		repair->removed_member, err) < 0)
		return -1;
	ctx_repair_note_change(entry, ctx_edits_first(edits, first, text.p));
	if (event->inside || edits->n == 0)
		return 0;
	ctx_edits_merge(edits);
	if (entry->changed_from != SIZE_MAX)
		entry->changed_from = ctx_edits_destination(edits, 0, edits->n,
		    text, entry->changed_from);
	return ctx_rewrite_edit_held(repair->rewrite, &entry->held, edits, err);
}
