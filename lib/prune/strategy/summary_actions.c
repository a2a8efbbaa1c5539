/*
 * summary_actions.c - finds out what the removed tool calls did, for the
 * built-in summary
 *
 * The arguments of a tool call say what the call did.  They contain the command
 * that it ran or, if the tool's name says that it changes files, the path of a
 * file.  Tasks are in summary_tasks.c.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/script_calls.h"
#include "prune/strategy/summary.h"

/* Maximum lengths in bytes.  MOST_ARGUMENT: of an argument of a tool call that
 * neither runs a command nor changes a file.  MOST_PATH: of the end of a longer
 * argument that is a path. */
enum { MOST_ARGUMENT = 80, MOST_PATH = 60 };
/* Codex's tool whose input is a script */
#define SCRIPT_TOOL "exec"

/* ---- arguments ---- */

/* Returns true if a word in a tool's name begins with one of the given words.
 * words: a list of words in small letters. */
static bool
has_word(struct ctx_str name, const char *const *words)
{
	for (size_t i = 0; i < name.n; i++) {
		char before = i > 0 ? name.p[i - 1] : '_';
		bool capital = name.p[i] >= 'A' && name.p[i] <= 'Z';

		if (before != '_' && before != '-' && before != '.' && !capital)
			continue;
		for (size_t k = 0; words[k] != NULL; k++) {
			size_t n = strlen(words[k]);

			if (i + n <= name.n &&
			    (name.p[i] | 0x20) == words[k][0] &&
			    memcmp(name.p + i + 1, words[k] + 1, n - 1) == 0)
				return true;
		}
	}
	return false;
}

/* Returns true if a name says that a tool changes something or asks the user:
 * the name of the tool, or that of a command if the tool has several
 * commands. */
static bool
changes_something(struct ctx_str name)
{
	static const char *const changes[] = {"add", "append", "apply", "ask",
	    "book", "cancel", "charge", "create", "delete", "deploy", "edit",
	    "exchange", "insert", "modify", "move", "multiedit", "pay", "post",
	    "publish", "push", "put", "refund", "remove", "rename", "replace",
	    "request_user", "reset", "return", "save", "send", "set",
	    "str_replace", "submit", "transfer", "update", "upload", "write",
	    NULL};
	static const char *const looks[] = {"check", "fetch", "find", "get",
	    "list", "lookup", "query", "read", "search", "show", "stdin",
	    "view", NULL};

	return has_word(name, changes) && !has_word(name, looks);
}

/* Sets *text to the command in an argument of a tool call.  The argument is a
 * string, or an array of strings such as ["bash", "-lc", "make"], whose last
 * element is the command. */
static int
read_command(struct summary_actions *actions, uint32_t node,
    struct ctx_str *text, struct ctx_err *err)
{
	const struct ctx_json *json = actions->json;

	*text = (struct ctx_str){NULL, 0};
	if (json->nodes[node].kind == CTX_JSON_ARRAY)
		node = ctx_json_at(json, node, ctx_json_count(json, node) - 1);
	if (node == 0 || json->nodes[node].kind != CTX_JSON_STRING)
		return 0;
	actions->text.n = 0;
	return ctx_json_text(json, node, &actions->text, text, err);
}

/* Returns at most MOST_PATH bytes of the end of a path that is longer than
 * MOST_ARGUMENT, from the beginning of a directory on.  Returns other text as
 * it is. */
static struct ctx_str
cut_path(struct ctx_str text)
{
	const char *slash;

	if (text.n <= MOST_ARGUMENT || memchr(text.p, ' ', text.n) != NULL)
		return text;
	slash = memchr(text.p + text.n - MOST_PATH, '/', MOST_PATH);
	if (slash != NULL)
		text = (struct ctx_str){slash + 1,
		    (size_t)(text.p + text.n - slash) - 1};
	return text;
}

/* Returns true if the name of a tool says that it gives a task to another
 * agent. */
static bool
is_agent(struct ctx_str tool)
{
	static const char *const agents[] = {"agent", "task", "subagent",
	    "delegate", NULL};

	return has_word(tool, agents);
}

/* Returns true for the key of an argument that says in words what is asked for:
 * a question, or what another agent is to do. */
static bool
asks(struct ctx_str key)
{
	static const char *const keys[] = {"goal", "instructions", "message",
	    "objective", "prompt", "query", "question", "task", "title", NULL};

	return ctx_summary_is_one_of(key, keys);
}

/* Appends the first line of an argument to actions->line, if the argument is a
 * number or a short string, and no limit of time or output.  Of a longer string
 * that says what is asked for, appends the beginning. key: node of the
 * argument's key. */
static int
append_argument(struct summary_actions *actions, uint32_t key,
    const char *before, struct ctx_err *err)
{
	const struct ctx_json *json = actions->json;
	struct ctx_str name, value;
	uint8_t kind = json->nodes[key + 1].kind;
	size_t whole;
	bool told;

	if (kind != CTX_JSON_STRING && kind != CTX_JSON_NUMBER)
		return 0;
	actions->text.n = 0;
	if (ctx_json_text(json, key, &actions->text, &name, err) < 0)
		return -1;
	if (ctx_summary_is_limit(name))
		return 0;
	told = asks(name);
	actions->text.n = 0;
	if (ctx_json_text(json, key + 1, &actions->text, &value, err) < 0)
		return -1;
	value = cut_path(ctx_summary_first_line(value));
	if (value.n == 0 || (value.n > MOST_ARGUMENT && !told))
		return 0;
	whole = value.n;
	value = ctx_summary_cut(value, MOST_ARGUMENT);
	return ctx_buf_printf(&actions->line, err, "%s%.*s%s", before,
	    (int)value.n, value.p, value.n < whole ? "..." : "");
}

/* Appends to actions->line what the arguments of a tool call ask for in arrays
 * and objects, such as the questions of a dialog. */
static int
append_inner_arguments(struct summary_actions *actions, struct ctx_err *err)
{
	const struct ctx_json *json = actions->json;
	size_t from = actions->line.n;
	struct ctx_str name;

	for (uint32_t i = 1; i < json->n && actions->line.n <= CTX_MOST_ACTION;
	     i++) {
		if (!ctx_json_is_key(json, i))
			continue;
		actions->text.n = 0;
		if (ctx_json_text(json, i, &actions->text, &name, err) < 0 ||
		    (asks(name) &&
			append_argument(actions, i,
			    actions->line.n > from ? "; " : " ", err) < 0))
			return -1;
	}
	return 0;
}

/* Stores an action for a tool call that neither runs a command nor changes a
 * file.  The text is the name of the tool and those of its arguments that are
 * numbers or short strings, or say what is asked for. */
static int
record_other_call(struct summary_actions *actions, struct ctx_str tool,
    uint32_t *id, struct ctx_err *err)
{
	const struct ctx_json *json = actions->json;
	struct ctx_buf *line = &actions->line;
	uint32_t key;
	size_t i, n = ctx_json_count(json, 0);

	line->n = 0;
	/* The sentences of a thought are in the summary without the call. */
	if (tool.n == 0 || ctx_json_find(json, 0, "thought") != 0)
		return 0;
	if (ctx_buf_add_str(line, tool, err) < 0)
		return -1;
	for (i = 0, key = 1; i < n && line->n <= CTX_MOST_ACTION;
	     i++, key = json->nodes[key + 1].next)
		if (append_argument(actions, key, " ", err) < 0)
			return -1;
	if (line->n == tool.n && append_inner_arguments(actions, err) < 0)
		return -1;
	if (ctx_summary_actions_record(actions,
		changes_something(tool) ? CHANGE : CALL, ctx_buf_str(line), id,
		err) < 0)
		return -1;
	if (*id != 0)
		actions->list[*id - 1].reports = is_agent(tool);
	return 0;
}

/* Stores an action for a command that is written in one line.  If it is long,
 * and its tool call has a description of what it is for, the description comes
 * first. */
static int
record_command(struct summary_actions *actions, struct ctx_str command,
    uint32_t *id, struct ctx_err *err)
{
	const struct ctx_json *json = actions->json;
	uint32_t node = ctx_json_find(json, 0, "description");
	bool reads = ctx_summary_only_reads(command);
	struct ctx_str text;

	if (node != 0 && json->nodes[node].kind == CTX_JSON_STRING && !reads &&
	    command.n > CTX_MOST_ACTION) {
		actions->key.n = actions->text.n = 0;
		if (ctx_json_text(json, node, &actions->key, &text, err) < 0)
			return -1;
		text = ctx_summary_cut(ctx_summary_first_line(text),
		    MOST_ARGUMENT);
		if (ctx_buf_printf(&actions->text, err, "%.*s: %.*s",
			(int)text.n, text.p, (int)command.n, command.p) < 0)
			return -1;
		command = ctx_buf_str(&actions->text);
	}
	return ctx_summary_actions_record(actions,
	    reads ? LOOK_COMMAND : COMMAND, command, id, err);
}

/* Stores an action for a tool call (what the call did), found in its arguments
 * (actions->json).  Sets *id to the id of the action, or to 0 if there is
 * none. */
static int
record_arguments(struct summary_actions *actions, struct ctx_str tool,
    uint32_t *id, struct ctx_err *err)
{
	static const char *const commands[] = {"command", "cmd", NULL};
	static const char *const paths[] = {"file_path", "path", "filePath",
	    "notebook_path", "target_file", "filename", "file", NULL};
	static const char *const patches[] = {"input", "patch", "patchText",
	    NULL};
	const struct ctx_json *json = actions->json;
	uint32_t command = ctx_json_find_any(json, 0, commands);
	uint32_t path = ctx_json_find_any(json, 0, paths);
	uint32_t patch = ctx_json_find_any(json, 0, patches);
	struct ctx_str text = {NULL, 0};
	int rc = ctx_summary_tasks_call(actions, tool, id, err);

	if (rc == 0)
		rc = ctx_summary_running_call(actions, tool, id, err);
	if (rc != 0 || actions->kept)
		return rc;
	if (command != 0 && read_command(actions, command, &text, err) < 0)
		return -1;
	if (path != 0 && json->nodes[path].kind == CTX_JSON_STRING) {
		if (!changes_something(text.n > 0 ? text : tool))
			return record_other_call(actions, tool, id, err);
		actions->text.n = 0;
		if (ctx_json_text(json, path, &actions->text, &text, err) < 0 ||
		    ctx_summary_actions_record(actions, CHANGED_FILE, text, id,
			err) < 0)
			return -1;
		return ctx_summary_record_edit(actions, *id, err);
	}
	if (command == 0 && patch != 0 &&
	    read_command(actions, patch, &text, err) < 0)
		return -1;
	switch (ctx_summary_record_patch(actions, text, id, err)) {
	case -1:
		return -1;
	case 0:
		if (command == 0)
			return record_other_call(actions, tool, id, err);
		if (ctx_summary_write_command(text, &actions->key,
			&actions->line, err) < 0)
			return -1;
		return record_command(actions, ctx_buf_str(&actions->line), id,
		    err);
	default:
		return 0;
	}
}

/* Stores the actions of the tool calls in a script of Codex's tool "exec".
 * Sets *id to the id of the newest action. */
static int
record_script(struct summary_actions *actions, struct ctx_str text,
    uint32_t *id, struct ctx_err *err)
{
	struct ctx_script script = {.script = text};
	const struct ctx_buf *arguments = &actions->arguments;
	struct ctx_str tool;
	uint32_t one;
	int rc;

	while ((rc = ctx_script_next_call(&script, &tool, &actions->arguments,
		    err)) > 0) {
		one = 0;
		if (ctx_buf_add_str(&actions->script, ctx_buf_str(arguments),
			err) < 0 ||
		    ctx_buf_add(&actions->script, "\n", 1, err) < 0 ||
		    ctx_summary_parse(&actions->call, ctx_buf_str(arguments),
			&actions->json, err) < 0 ||
		    (actions->json != NULL &&
			record_arguments(actions, tool, &one, err) < 0))
			return -1;
		if (one != 0)
			*id = one;
	}
	return rc;
}

int
ctx_summary_actions_call(struct summary_actions *actions,
    const struct ctx_summary_text *text, const struct ctx_json *json,
    uint32_t *action, struct ctx_err *err)
{
	int rc = 0;

	*action = 0;
	actions->script.n = 0;
	actions->json = json;
	if (json != NULL && json->nodes[0].kind == CTX_JSON_OBJECT)
		rc = record_arguments(actions, text->tool, action, err);
	else if (json == NULL && text->tool.n == strlen(SCRIPT_TOOL) &&
	    ctx_str_begins(text->tool, SCRIPT_TOOL))
		rc = record_script(actions, text->text, action, err);
	if (rc == 0 && *action == 0 && !actions->kept)
		rc = ctx_summary_record_patch(actions, text->text, action, err);
	if (rc < 0 ||
	    (*action != 0 &&
		ctx_summary_find_source(actions, *action, err) < 0))
		return -1;
	return ctx_summary_actions_link(actions, text->id, *action, err);
}

/* Stores values of a result in JSON as the details of an action.  The outcome
 * of the action is not known. */
static int
record_details(struct summary_actions *actions, struct summary_action *action,
    struct ctx_err *err)
{
	struct ctx_buf *line = &actions->line;

	if (actions->json == NULL ||
	    (action->class != CALL && action->class != CHANGE))
		return 0;
	if (ctx_summary_list_members(actions->json,
		ctx_intern_at(&actions->texts, action->text), line, err) < 0)
		return -1;
	return line->n == 0 ? 0
			    : ctx_intern(&actions->texts, line->p, line->n,
				  &action->details, err);
}

/* Stores the outcome of all actions of a tool call, which have consecutive ids
 * and were found in the same text. last: id of the newest of these actions. */
static int
record_outcome(struct summary_actions *actions, uint32_t last,
    const struct ctx_summary_text *result, struct ctx_err *err)
{
	struct summary_action *action = &actions->list[last - 1];
	struct ctx_buf *line = &actions->line;
	uint32_t outcome = 0, number = action->number, others = 0, i;
	enum outcome_search search = SEARCH_SHORT;
	bool failed, commits;
	int rc;

	for (i = last; i > 0 && actions->list[i - 1].number == number; i--)
		others += actions->list[i - 1].class != CHANGED_FILE;
	if (!result->failed && others <= 1 &&
	    (rc = ctx_summary_read_source(actions, last, result->text, err)) !=
		0)
		return rc < 0 ? -1 : 0;
	if (action->class == COMMAND)
		search = ctx_summary_also_reads(
			     ctx_intern_at(&actions->texts, action->text))
		    ? SEARCH_TESTS
		    : SEARCH_ALL;
	if (ctx_summary_find_outcome(result, search, line, err) < 0)
		return -1;
	/* If a script does several things, it is not known to which of them the
	 * outcome belongs, so it is not stored. */
	if (line->n > 0 && others <= 1 &&
	    ctx_intern(&actions->texts, line->p, line->n, &outcome, err) < 0)
		return -1;
	commits = outcome != 0 &&
	    ctx_summary_makes_commit(ctx_intern_at(&actions->texts,
					 action->text),
		ctx_buf_str(line));
	if (line->n == 0 && record_details(actions, action, err) < 0)
		return -1;
	if (outcome == 0 && action->class == CHANGE && action->details != 0 &&
	    !result->failed &&
	    ctx_intern(&actions->texts, "ok", 2, &outcome, err) < 0)
		return -1;
	for (; last > i; last--) {
		action = &actions->list[last - 1];
		failed =
		    result->failed && others <= (action->class != CHANGED_FILE);
		/* The line of a changed file says "Changed:", which is enough
		 * if there was no error. */
		action->outcome =
		    action->class != CHANGED_FILE || failed ? outcome : 0;
		action->failed = failed;
		if (action->class == COMMAND && commits)
			action->class = COMMIT;
		/* Of a patch that failed, the summary names only one file.
		 */
		if (failed && action->class == CHANGED_FILE && last > i + 1)
			action->class = CLASSES;
	}
	return 0;
}

int
ctx_summary_actions_result(struct summary_actions *actions,
    const struct ctx_summary_text *text, const struct ctx_json *json,
    uint32_t action, struct ctx_err *err)
{
	actions->json = json;
	if (ctx_summary_running_result(actions, text->text, action, err) < 0)
		return -1;
	return ctx_summary_is_task(&actions->list[action - 1])
	    ? ctx_summary_tasks_result(actions, action, text, err)
	    : record_outcome(actions, action, text, err);
}

/* Removes " (N changes)" from the end of *text.  Returns N, or 0 if the text
 * does not end so. */
static uint32_t
cut_changes(struct ctx_str *text)
{
	const size_t n = sizeof CTX_CHANGES_SUFFIX - 1;
	uint32_t changes = 0, unit = 1;
	size_t at;

	if (text->n < n ||
	    memcmp(text->p + text->n - n, CTX_CHANGES_SUFFIX, n) != 0)
		return 0;
	for (at = text->n - n;
	     at > 0 && ctx_is_digit(text->p[at - 1]) && unit < 1000000; at--) {
		changes += (uint32_t)(text->p[at - 1] - '0') * unit;
		unit *= 10;
	}
	if (unit == 1 || at < 2 || memcmp(text->p + at - 2, " (", 2) != 0)
		return 0;
	text->n = at - 2;
	return changes;
}

/* Removes a suffix from the end of *text.  Returns true if it was there. */
static bool
cut_suffix(struct ctx_str *text, const char *suffix)
{
	size_t n = strlen(suffix);

	if (text->n <= n || memcmp(text->p + text->n - n, suffix, n) != 0)
		return false;
	text->n -= n;
	return true;
}

int
ctx_summary_actions_earlier(struct summary_actions *actions,
    enum line_class class, struct ctx_str text, uint32_t *action,
    struct ctx_err *err)
{
	const size_t n = sizeof CTX_OUTCOME_MARK - 1;
	uint32_t changes = class == CHANGED_FILE ? cut_changes(&text) : 0;
	const char *mark, *end = text.p + text.n;
	struct ctx_str rest = text, name = ctx_str_cut(&rest, ' ');
	struct summary_action *told;
	bool failed;

	mark = memmem(text.p, text.n, CTX_OUTCOME_MARK, n);
	if (mark != NULL)
		text.n = (size_t)(mark - text.p);
	if (class == COMMIT &&
	    (mark == NULL ||
		!ctx_summary_makes_commit(text,
		    (struct ctx_str){mark + n, (size_t)(end - mark) - n})))
		class = COMMAND;
	if (class == COMMAND && ctx_summary_only_reads(text))
		class = LOOK_COMMAND;
	else if (class == CHANGE && !changes_something(name))
		class = CALL;
	if (class == DONE_TASK)
		(void)cut_suffix(&text, CTX_BELOW_SUFFIX);
	failed = (mark == NULL || class == CHANGED_FILE || class == CHANGE) &&
	    cut_suffix(&text, CTX_FAILED_SUFFIX);
	if (ctx_summary_actions_add(actions, class, text, CTX_MOST_EARLIER,
		action, err) < 0)
		return -1;
	if (*action == 0)
		return 0;
	told = &actions->list[*action - 1];
	told->changes = changes;
	told->failed = failed;
	told->reports = (class == CALL || class == CHANGE) && is_agent(name);
	if (mark != NULL &&
	    ctx_intern(&actions->texts, mark + n, (size_t)(end - mark) - n,
		&told->outcome, err) < 0)
		return -1;
	/* The line of a task may begin with its number, "#1 ". */
	return ctx_summary_is_task(told) && text.n > 1 && text.p[0] == '#'
	    ? ctx_summary_tasks_number(actions, *action,
		  (struct ctx_str){text.p + 1, text.n - 1}, err)
	    : 0;
}
