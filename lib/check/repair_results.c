/*
 * repair_results.c - makes the tool results that are inserted for tool calls
 * without a result
 *
 * For each tool call that is read, a result is made.  The result is inserted if
 * the call gets no other result.
 */
#include <string.h>

#include "check/repair.h"
#include "check/validator.h"

/* Returns true if the node is not 0, and its JSON value is neither null nor an
 * empty string. */
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

/* Returns true if a template of a tool result can be used for a tool call.  The
 * template must be for tool calls of the call's type, and the tool call must
 * have all values that the template needs. */
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

/* Returns the text of the first template of a tool result that can be used for
 * a tool call, or NULL if there is none, or if the provider runs the tool. */
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

/* Sets *value to a JSON value as it will be sent after other repairs: without
 * lone surrogates and, for an id, in the form that the rules demand. rules: 0
 * if the value is not an id. */
static int
get_sent_value(struct ctx_repair *repair, uint64_t rules,
    const struct ctx_json *json, uint32_t node, struct ctx_str *value,
    struct ctx_err *err)
{
	int rc = 0;

	*value = ctx_json_str(json, node);
	if (json->nodes[node].kind == CTX_JSON_STRING)
		rc = ctx_id_repair(&repair->id, &repair->spare, rules, *value,
		    err);
	if (rc > 0)
		*value = (struct ctx_str){repair->id.p, repair->id.n};
	return rc < 0 ? -1 : 0;
}

/* Sources of the values that replace the variables of a template. */
struct result_values {
	struct ctx_repair *repair;
	const struct ctx_message *message;
	/* the tool call for which the result is made, or NULL if there is
	 * none */
	const struct ctx_block *call;
	uint64_t rules;
};

/* Sets *value to the JSON value of a variable: $id, $name, $time or $text. */
static int
find_result_value(void *user, struct ctx_str name, struct ctx_str *value,
    struct ctx_err *err)
{
	static const char text[] = "\"" CTX_ADDED_RESULT_TEXT "\"";
	const struct result_values *values = user;
	const struct ctx_block none = {0},
			       *call =
				   values->call != NULL ? values->call : &none;
	const struct {
		const char *name;
		uint32_t node;
		/* argument "rules" of get_sent_value; 0 if the value is not an
		 * id */
		uint64_t rules;
	} nodes[] = {
	    {"id", call->id, values->rules},
	    {"name", call->name, 0},
	    {"time", values->message->time, 0},
	};
	size_t i;

	*value = (struct ctx_str){text, sizeof text - 1};
	for (i = 0; i < CTX_LENGTH(nodes); i++) {
		if (strlen(nodes[i].name) != name.n ||
		    memcmp(nodes[i].name, name.p, name.n) != 0)
			continue;
		if (nodes[i].node != 0)
			return get_sent_value(values->repair, nodes[i].rules,
			    values->message->json, nodes[i].node, value, err);
		*value = (struct ctx_str){"null", 4};
	}
	return 0;
}

/* Appends a template to entry->results_text, with its variables replaced by
 * values. call: the tool call whose values are used, or NULL for a template
 * that does not belong to a single tool call. */
static int
append_template(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    const char *template, const struct ctx_message *message,
    const struct ctx_block *call, struct ctx_err *err)
{
	struct result_values values = {.repair = repair,
	    .message = message,
	    .call = call,
	    .rules = entry->rules};

	return ctx_template_fill(&entry->results_text, template,
	    find_result_value, &values, err);
}

/* Makes the tool result that is inserted for a tool call if the call gets no
 * other result. */
static int
compose_result(struct ctx_repair *repair, struct ctx_repair_entry *entry,
    const struct ctx_message *message, const struct ctx_block *call,
    struct ctx_err *err)
{
	const char *template =
	    choose_result_template(entry->held.dialect, message, call);
	const char *opening = entry->held.dialect->result_wrapper[0];
	struct ctx_repair_result *result;
	size_t at;

	if (CTX_GROW(entry->results, entry->results_cap, entry->n_results + 1,
		err) < 0)
		return -1;
	result = &entry->results[entry->n_results++];
	if (entry->n_results == 1 && opening != NULL) {
		if (append_template(repair, entry, opening, message, NULL,
			err) < 0)
			return -1;
		entry->wrapper_length = entry->results_text.n;
	}
	at = entry->results_text.n;
	if (template != NULL &&
	    ctx_repair_make_key(repair, message, call, &entry->results_text,
		err) < 0)
		return -1;
	*result = (struct ctx_repair_result){.at = entry->results_text.n,
	    .key_n = entry->results_text.n - at};
	if (template != NULL &&
	    append_template(repair, entry, template, message, call, err) < 0)
		return -1;
	result->n = entry->results_text.n - result->at;
	if (!has_value(message->json, call->id))
		entry->has_unnamed = true;
	return 0;
}

int
ctx_repair_compose_results(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, const struct ctx_message *message,
    struct ctx_err *err)
{
	struct ctx_repair_changes *changes =
	    entry->place.inside ? &repair->inner : &repair->lines;
	size_t i;

	for (i = 0; i < message->n; i++)
		if (message->blocks[i].kind == CTX_BLOCK_TOOL_CALL &&
		    compose_result(repair, entry, message, &message->blocks[i],
			err) < 0)
			return -1;
	changes->nameless += entry->has_unnamed;
	entry->nameless = changes->nameless;
	return 0;
}

bool
ctx_repair_has_due_results(const struct ctx_repair_entry *entry)
{
	size_t i;

	for (i = entry->n_handed_on; i < entry->n_results; i++)
		if (entry->results[i].due)
			return true;
	return entry->n_handed_on > 0;
}

/* Appends all tool results that must be inserted for the tool calls of a
 * message in the queue. before: text before the first result; part: text
 * between two results; tail: text after the last result. */
static int
append_due_results(struct ctx_buf *out, const struct ctx_repair_entry *entry,
    struct ctx_str before, const char *part, const char *tail,
    struct ctx_err *err)
{
	const struct ctx_repair_result *result = entry->results;
	struct ctx_str lead = before;
	size_t i;

	for (i = 0; i < entry->n_results; i++, result++) {
		if (!result->due)
			continue;
		if (ctx_buf_add(out, lead.p, lead.n, err) < 0 ||
		    ctx_buf_add(out, entry->results_text.p + result->at,
			result->n, err) < 0)
			return -1;
		lead = (struct ctx_str){part, strlen(part)};
	}
	return ctx_buf_add(out, tail, strlen(tail), err);
}

int
ctx_repair_append_results(struct ctx_buf *out,
    const struct ctx_repair_entry *entry, const char *part, const char *tail,
    struct ctx_err *err)
{
	return append_due_results(out, entry, (struct ctx_str){"", 0}, part,
	    tail, err);
}

int
ctx_repair_append_result_messages(struct ctx_buf *out,
    const struct ctx_repair_entry *entry, const char *part, struct ctx_err *err)
{
	struct ctx_str opening = {entry->results_text.p, entry->wrapper_length};

	if (entry->held.dialect->result_wrapper[0] == NULL)
		return ctx_repair_append_results(out, entry, part, "", err);
	return append_due_results(out, entry, opening, ",",
	    entry->held.dialect->result_wrapper[1], err);
}

bool
ctx_repair_results_in_next(const struct ctx_repair_entry *entry,
    const struct ctx_repair_entry *next)
{
	if (entry->held.dialect->result_wrapper[0] == NULL || next == NULL ||
	    next->held.dialect != entry->held.dialect || next->results_at == 0)
		return false;
	return next->holds_results || (entry->rules & CTX_ASKS_TURNS);
}

/* Returns true if no tool result may be inserted between two neighbouring
 * messages, because the provider merges these messages, or because they are
 * items of one response.  Returns false if the second message has no content:
 * only the last message may have none, so a result may be inserted before it.
 */
static bool
is_one_answer(const struct ctx_repair_entry *entry,
    const struct ctx_repair_entry *next)
{
	return ((entry->rules & CTX_ONE_MESSAGE) ||
		   ((entry->rules & CTX_JOINS_ANSWERS) &&
		       !entry->results_before_next)) &&
	    next->held.dialect == entry->held.dialect &&
	    next->role == entry->role && !next->is_empty;
}

bool
ctx_repair_results_after_next(const struct ctx_repair_entry *entry,
    bool nameless, const struct ctx_repair_entry *next)
{
	return next != NULL &&
	    (is_one_answer(entry, next) ||
		(nameless && next->holds_results &&
		    !(next->role == CTX_ROLE_ASSISTANT &&
			(entry->rules & CTX_RESULTS_NEXT)) &&
		    entry->held.dialect->result_wrapper[0] == NULL &&
		    next->held.dialect == entry->held.dialect));
}

/* Removes the tool results of a message that are not inserted (due is
 * false). */
static void
drop_undue_results(struct ctx_repair_entry *entry)
{
	size_t i, n = entry->n_handed_on;

	for (i = n; i < entry->n_results; i++)
		if (entry->results[i].due)
			entry->results[n++] = entry->results[i];
	entry->n_results = n;
}

int
ctx_repair_move_results(struct ctx_repair_entry *entry,
    struct ctx_repair_entry *next, struct ctx_err *err)
{
	struct ctx_repair_result *old = next->results;
	struct ctx_buf text = next->results_text;
	size_t i, shift = entry->results_text.n;

	drop_undue_results(entry);
	if (CTX_GROW(entry->results, entry->results_cap,
		entry->n_results + next->n_results, err) < 0)
		return -1;
	if (ctx_buf_add(&entry->results_text, text.p, text.n, err) < 0)
		return -1;
	for (i = 0; i < next->n_results; i++) {
		entry->results[entry->n_results + i] = old[i];
		entry->results[entry->n_results + i].at += shift;
	}
	next->results = entry->results;
	next->n_handed_on = entry->n_results;
	next->n_results += entry->n_results;
	next->results_cap = entry->results_cap;
	next->results_text = entry->results_text;
	next->wrapper_length = entry->wrapper_length;
	next->has_unnamed |= entry->has_unnamed;
	entry->results = old;
	entry->results_text = text;
	entry->n_results = entry->n_handed_on = 0;
	return 0;
}

/* Finds where the tool results for the calls of a message must be inserted:
 * between two elements of the queue.  Returns the first of these two elements,
 * which contains the message or a later message.  Sets *next to the second
 * element, or to NULL if there is none.  Stores the result for all messages
 * from the given message to the returned message. */
static struct ctx_repair_entry *
find_last_before_results(struct ctx_repair *repair,
    const struct ctx_held_queue *queue, struct ctx_repair_entry *entry,
    struct ctx_repair_entry **next)
{
	struct ctx_repair_entry *last = entry;
	bool nameless = entry->has_unnamed;

	if (repair->run_known && entry->message >= repair->run_from &&
	    entry->message <= repair->run_to) {
		*next = repair->run_has_next
		    ? ctx_repair_find_entry(queue, repair->run_next)
		    : NULL;
		return ctx_repair_find_entry(queue, repair->run_to);
	}
	while ((*next = ctx_repair_find_shown(queue, last)) != NULL &&
	    ctx_repair_results_after_next(last, nameless, *next)) {
		last = *next;
		nameless |= last->has_unnamed;
	}
	repair->run_known = true;
	repair->run_from = entry->message;
	repair->run_to = last->message;
	repair->run_has_next = *next != NULL;
	repair->run_next = *next != NULL ? (*next)->message : 0;
	return last;
}

int
ctx_repair_mark_result(struct ctx_repair *repair,
    struct ctx_repair_entry *entry, bool judging, struct ctx_change *fix)
{
	const struct ctx_finding *finding = fix->finding;
	struct ctx_held_queue *queue =
	    ctx_rewrite_queue(repair->rewrite, finding->place.inside);
	struct ctx_repair_entry *last, *next;
	struct ctx_repair_result *result;

	/* If an inserted result could be taken as the answer to a different
	 * call (shared), no result is inserted. */
	if (finding->shared || entry->n_results == entry->n_handed_on)
		return 0;
	result = &entry->results[entry->n_handed_on + finding->call];
	if (result->n == 0)
		return 0;
	if (finding->doubled)
		entry->results_before_next = true;
	last = find_last_before_results(repair, queue, entry, &next);
	if (last->role != CTX_ROLE_ASSISTANT &&
	    (last->role != CTX_ROLE_TOOL ||
		(entry->rules & CTX_RESULTS_TOGETHER)) &&
	    (entry->rules &
		(CTX_ASKS_TURNS | CTX_RESULTS_FIRST | CTX_SYSTEM_BETWEEN)))
		return 0;
	if ((entry->rules & CTX_ASKS_TURNS) &&
	    !ctx_repair_results_in_next(entry, next) && next != NULL &&
	    next->role == CTX_ROLE_USER)
		return 0;
	result->due = true;
	fix->action = "insert";
	fix->bytes =
	    (struct ctx_str){entry->results_text.p + result->at, result->n};
	if (judging)
		return next == ctx_held_queue_at(queue, queue->end - 1) &&
			!ctx_repair_results_in_next(entry, next)
		    ? 2
		    : 1;
	return next == NULL ? 2 : 1;
}
