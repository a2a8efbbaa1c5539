/*
 * summary_tasks.c - finds out which tasks are open and which are done, for the
 * built-in summary
 *
 * Agents write tasks in the arguments of tool calls.  Some write a list of all
 * tasks, which replaces their earlier lists (TodoWrite, update_plan).  Claude
 * Code 2.1 has a tool that adds one task (TaskCreate), and another that changes
 * the status of a task (TaskUpdate).  The result of the first begins with the
 * number of the task: "Task #1 created successfully".
 */
#include <string.h>

#include "prune/strategy/summary.h"

/* The name of the tool that adds a task, and the beginning of its result. */
#define NEW_TASK_TOOL "TaskCreate"
#define NEW_TASK      "Task #"

/* Returns true if a task with this status (a node in the JSON) is done. */
static bool
is_done(const struct ctx_json *json, uint32_t status)
{
	return ctx_json_is(json, status, "completed") ||
	    ctx_json_is(json, status, "done");
}

/* Returns true if a task with this status need not be done. */
static bool
is_cancelled(const struct ctx_json *json, uint32_t status)
{
	return ctx_json_is(json, status, "cancelled") ||
	    ctx_json_is(json, status, "deleted");
}

/* Stores the tasks of a list in the arguments of a tool call.  Each element of
 * the list is an object with a text and a status.  Tasks that are open in
 * earlier lists are not open any more. */
static int
record_list(struct summary_actions *actions, uint32_t list, struct ctx_err *err)
{
	static const char *const texts[] = {"content", "step", "title", "task",
	    "description", "text", NULL};
	const struct ctx_json *json = actions->json;
	struct ctx_str text;
	uint32_t item, status, node, id;
	size_t i, n = ctx_json_count(json, list);

	actions->first_task = actions->number;
	for (i = 0, item = list + 1; i < n;
	     i++, item = json->nodes[item].next) {
		status = ctx_json_find(json, item, "status");
		node = ctx_json_find_any(json, item, texts);
		if (status == 0 || node == 0 || is_cancelled(json, status))
			continue;
		actions->text.n = 0;
		if (ctx_json_text(json, node, &actions->text, &text, err) < 0 ||
		    ctx_summary_actions_record(actions,
			is_done(json, status) ? DONE_TASK : OPEN_TASK, text,
			&id, err) < 0)
			return -1;
	}
	return 0;
}

/* Sets *key to the text by which the task with this number is found in
 * actions->calls. */
static int
write_task_key(struct summary_actions *actions, struct ctx_str number,
    struct ctx_str *key, struct ctx_err *err)
{
	struct ctx_buf *out = &actions->key;

	out->n = 0;
	if (ctx_buf_add(out, NEW_TASK, sizeof NEW_TASK - 1, err) < 0 ||
	    ctx_buf_add_str(out, number, err) < 0)
		return -1;
	*key = ctx_buf_str(out);
	return 0;
}

/* Changes the status of a task. number, status: nodes in actions->json.
 * Returns 1, or 0 if no task has this number, or -1 with *err. */
static int
update_task(struct summary_actions *actions, uint32_t number, uint32_t status,
    struct ctx_err *err)
{
	const struct ctx_json *json = actions->json;
	struct summary_action *task;
	struct ctx_str text, key;
	uint32_t id;

	actions->text.n = 0;
	if (ctx_json_text(json, number, &actions->text, &text, err) < 0 ||
	    write_task_key(actions, text, &key, err) < 0 ||
	    ctx_summary_actions_find(actions, key, &id, err) < 0)
		return -1;
	if (id == 0)
		return 0;
	task = &actions->list[id - 1];
	if (is_cancelled(json, status)) {
		task->hidden = true;
	} else if (is_done(json, status)) {
		task->class = DONE_TASK;
		/* If a kept call says that the task is done, the line stands
		 * at the end, because kept messages follow the summary. */
		task->number = actions->kept ? UINT32_MAX : actions->number;
		task->hidden &= actions->kept;
	}
	return 1;
}

int
ctx_summary_tasks_call(struct summary_actions *actions, struct ctx_str tool,
    uint32_t *id, struct ctx_err *err)
{
	static const char *const lists[] = {"todos", "plan", NULL};
	const struct ctx_json *json = actions->json;
	uint32_t list = ctx_json_find_any(json, 0, lists);
	uint32_t subject = ctx_json_find(json, 0, "subject");
	uint32_t number = ctx_json_find(json, 0, "taskId");
	uint32_t status = ctx_json_find(json, 0, "status");
	struct ctx_str text;

	if (list != 0 && json->nodes[list].kind == CTX_JSON_ARRAY)
		return record_list(actions, list, err) < 0 ? -1 : 1;
	if (number != 0 && status != 0)
		return update_task(actions, number, status, err);
	if (subject == 0 || tool.n != sizeof NEW_TASK_TOOL - 1 ||
	    !ctx_str_begins(tool, NEW_TASK_TOOL))
		return 0;
	actions->text.n = 0;
	if (ctx_json_text(json, subject, &actions->text, &text, err) < 0 ||
	    ctx_summary_actions_record(actions, OPEN_TASK, text, id, err) < 0)
		return -1;
	return 1;
}

/* Returns the digits at the beginning of a text. */
static struct ctx_str
find_digits(struct ctx_str text)
{
	struct ctx_str digits = {text.p, 0};

	while (digits.n < text.n && ctx_is_digit(text.p[digits.n]))
		digits.n++;
	return digits;
}

int
ctx_summary_tasks_number(struct summary_actions *actions, uint32_t id,
    struct ctx_str number, struct ctx_err *err)
{
	struct ctx_str key, digits = find_digits(number);

	if (digits.n == 0)
		return 0;
	if (write_task_key(actions, digits, &key, err) < 0)
		return -1;
	return ctx_summary_actions_link(actions, key, id, err);
}

int
ctx_summary_tasks_result(struct summary_actions *actions, uint32_t id,
    const struct ctx_summary_text *result, struct ctx_err *err)
{
	const size_t n = sizeof NEW_TASK - 1;
	struct summary_action *task = &actions->list[id - 1];
	struct ctx_str title = ctx_intern_at(&actions->texts, task->text);
	struct ctx_str number;

	/* A task that could not be added is not open. */
	task->hidden |= result->failed;
	if (!ctx_str_begins(result->text, NEW_TASK))
		return 0;
	number = find_digits(
	    (struct ctx_str){result->text.p + n, result->text.n - n});
	actions->line.n = 0;
	if (ctx_buf_printf(&actions->line, err, "#%.*s %.*s", (int)number.n,
		number.p, (int)title.n, title.p) < 0 ||
	    ctx_intern(&actions->texts, actions->line.p, actions->line.n,
		&task->text, err) < 0)
		return -1;
	return ctx_summary_tasks_number(actions, id, number, err);
}
