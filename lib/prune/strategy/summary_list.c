/*
 * summary_list.c - the list of actions for the built-in summary: what each
 * removed tool call did, and which tasks the tool calls name
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/summary.h"

void
ctx_summary_actions_release(struct summary_actions *actions)
{
	ctx_intern_release(&actions->texts);
	ctx_intern_release(&actions->calls);
	ctx_buf_release(&actions->text);
	ctx_buf_release(&actions->key);
	ctx_buf_release(&actions->line);
	ctx_buf_release(&actions->arguments);
	ctx_buf_release(&actions->script);
	ctx_buf_release(&actions->request);
	ctx_json_release(&actions->call);
	free(actions->list);
	free(actions->actions_of);
}

bool
ctx_summary_is_task(const struct summary_action *action)
{
	return action->class == OPEN_TASK || action->class == DONE_TASK;
}

int
ctx_summary_parse(struct ctx_json *parsed, struct ctx_str text,
    const struct ctx_json **json, struct ctx_err *err)
{
	int rc = 0;

	if (text.n > 0 && (text.p[0] == '{' || text.p[0] == '['))
		rc = ctx_json_scan_text(parsed, text, err);
	*json = rc > 0 ? parsed : NULL;
	return rc < 0 ? -1 : 0;
}

bool
ctx_summary_is_one_of(struct ctx_str text, const char *const *words)
{
	for (size_t i = 0; words[i] != NULL; i++)
		if (text.n == strlen(words[i]) &&
		    memcmp(text.p, words[i], text.n) == 0)
			return true;
	return false;
}

struct ctx_str
ctx_summary_first_line(struct ctx_str text)
{
	text = ctx_str_trim(text);
	return ctx_str_trim(ctx_str_cut(&text, '\n'));
}

struct ctx_str
ctx_summary_cut(struct ctx_str text, size_t most)
{
	if (text.n > most)
		for (text.n = most;
		     text.n > 0 && (text.p[text.n] & 0xc0) == 0x80;)
			text.n--;
	return text;
}

int
ctx_summary_actions_record(struct summary_actions *actions,
    enum line_class class, struct ctx_str text, uint32_t *id,
    struct ctx_err *err)
{
	return ctx_summary_actions_add(actions, class, text, CTX_MOST_ACTION,
	    id, err);
}

int
ctx_summary_actions_add(struct summary_actions *actions, enum line_class class,
    struct ctx_str text, size_t most, uint32_t *id, struct ctx_err *err)
{
	struct ctx_buf *key = &actions->key;
	struct ctx_str line = ctx_summary_first_line(text);
	size_t whole = line.n;
	uint32_t text_id;

	*id = 0;
	if (line.n == 0)
		return 0;
	line = ctx_str_trim(ctx_summary_cut(line, most));
	key->n = 0;
	if (ctx_buf_add_str(key, line, err) < 0 ||
	    (line.n < whole && ctx_buf_printf(key, err, " ...") < 0) ||
	    ctx_intern(&actions->texts, key->p, key->n, &text_id, err) < 0)
		return -1;
	if (CTX_GROW(actions->list, actions->cap, actions->n + 1, err) < 0)
		return -1;
	actions->list[actions->n] = (struct summary_action){.class = class,
	    .number = actions->number,
	    .text = text_id,
	    .hidden = actions->kept};
	*id = (uint32_t)++actions->n;
	return 0;
}

int
ctx_summary_actions_link(struct summary_actions *actions, struct ctx_str call,
    uint32_t action, struct ctx_err *err)
{
	uint32_t id;

	if (call.n == 0)
		return 0;
	if (ctx_intern(&actions->calls, call.p, call.n, &id, err) < 0 ||
	    CTX_GROW(actions->actions_of, actions->actions_cap, id, err) < 0)
		return -1;
	actions->actions_of[id - 1] = action;
	return 0;
}

int
ctx_summary_actions_find(struct summary_actions *actions, struct ctx_str call,
    uint32_t *action, struct ctx_err *err)
{
	uint32_t id;

	*action = 0;
	if (call.n == 0 || !ctx_intern_has(&actions->calls, call.p, call.n))
		return 0;
	if (ctx_intern(&actions->calls, call.p, call.n, &id, err) < 0)
		return -1;
	*action = actions->actions_of[id - 1];
	return 0;
}

/* Cuts the message of a commit off the end of a command if the outcome repeats
 * it: of 'git commit -m "Mend it"' with the outcome "[main 1a2b3c4] Mend it",
 * "git commit" remains. */
static void
cut_commit_message(struct ctx_str *command, struct ctx_str outcome)
{
	static const char option[] = " -m ";
	const char *end = command->p + command->n, *message;
	const char *subject = memmem(outcome.p, outcome.n, "] ", 2);
	const char *at = NULL, *next = command->p;
	size_t n;

	/* the last option -m */
	while ((next = memmem(next, (size_t)(end - next), option,
		    sizeof option - 1)) != NULL)
		at = next++;
	if (at == NULL || subject == NULL || outcome.p[0] != '[')
		return;
	subject += 2;
	n = (size_t)(outcome.p + outcome.n - subject);
	/* The message is between two quotation marks. */
	message = at + sizeof option;
	if (end > message && (size_t)(end - message) == n + 1 &&
	    memcmp(message, subject, n) == 0)
		command->n = (size_t)(at - command->p);
}

int
ctx_summary_actions_text(struct summary_actions *actions,
    const struct summary_action *action, struct ctx_str *text,
    struct ctx_err *err)
{
	struct ctx_buf *whole = &actions->text;
	struct ctx_str did = ctx_intern_at(&actions->texts, action->text);
	struct ctx_str outcome = action->outcome != 0
	    ? ctx_intern_at(&actions->texts, action->outcome)
	    : (struct ctx_str){"", 0};

	const char *suffix = "";

	if (action->class == COMMIT)
		cut_commit_message(&did, outcome);
	if (action->failed &&
	    (outcome.n == 0 || action->class == CHANGED_FILE ||
		action->class == CHANGE))
		suffix = CTX_FAILED_SUFFIX;
	else if (action->class == DONE_TASK && action->number == UINT32_MAX)
		suffix = CTX_BELOW_SUFFIX;
	whole->n = 0;
	if (ctx_buf_printf(whole, err, "%.*s%s%s%.*s", (int)did.n, did.p,
		suffix, outcome.n > 0 ? CTX_OUTCOME_MARK : "", (int)outcome.n,
		outcome.p) < 0)
		return -1;
	*text = ctx_buf_str(whole);
	return 0;
}
