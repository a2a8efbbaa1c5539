/*
 * summary_running.c - finds which tool calls wait for a command that an earlier
 * tool call has started, for the built-in summary
 *
 * If a command or script has not ended after some time, Codex gives it an id.
 * The agent then calls a tool with this id, perhaps several times, to read the
 * rest of the output.  The summary tells only the call that started the
 * command, with the outcome that the last of these calls reported.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary.h"

/* The id of a command that has not ended is searched for only in this number of
 * bytes at the beginning of a result. */
enum { MOST_RUNNING = 400 };

/* Writes a name for the id of a command or script to actions->key; leaves it
 * empty if the id does not begin with a digit. kind: "session_id" for a
 * command, "cell_id" for a script. */
static int
name_running(struct summary_actions *actions, const char *kind,
    struct ctx_str id, struct ctx_err *err)
{
	size_t n = 0;

	id = ctx_str_trim(id);
	while (n < id.n && ctx_is_digit(id.p[n]))
		n++;
	actions->key.n = 0;
	return n == 0
	    ? 0
	    : ctx_buf_printf(&actions->key, err, "%s %.*s", kind, (int)n, id.p);
}

int
ctx_summary_running_call(struct summary_actions *actions, struct ctx_str tool,
    uint32_t *id, struct ctx_err *err)
{
	static const char *const kinds[] = {"session_id", "cell_id", NULL};
	const struct ctx_json *json = actions->json;
	uint32_t chars = ctx_json_find(json, 0, "chars"), node = 0;
	struct ctx_str text = {NULL, 0};
	size_t i;

	for (i = 0; kinds[i] != NULL && node == 0; i++)
		node = ctx_json_find(json, 0, kinds[i]);
	if (node == 0 ||
	    (!ctx_str_begins(tool, "wait") &&
		!ctx_str_begins(tool, "write_stdin")))
		return 0;
	actions->text.n = 0;
	if (chars != 0 &&
	    ctx_json_text(json, chars, &actions->text, &text, err) < 0)
		return -1;
	for (size_t k = 0; k < text.n; k++)
		if ((unsigned char)text.p[k] > ' ')
			return 0;
	actions->text.n = 0;
	if (ctx_json_text(json, node, &actions->text, &text, err) < 0 ||
	    name_running(actions, kinds[i - 1], text, err) < 0 ||
	    ctx_summary_actions_find(actions, ctx_buf_str(&actions->key), id,
		err) < 0)
		return -1;
	return 1;
}

int
ctx_summary_running_result(struct summary_actions *actions,
    struct ctx_str result, uint32_t action, struct ctx_err *err)
{
	static const struct {
		const char *text, *kind;
	} signs[] = {
	    {"Script running with cell ID ", "cell_id"},
	    {"Process running with session ID ", "session_id"},
	    {"\"session_id\":", "session_id"},
	};
	const char *at;
	size_t n;

	if (result.n > MOST_RUNNING)
		result.n = MOST_RUNNING;
	for (size_t i = 0; i < CTX_LENGTH(signs); i++) {
		n = strlen(signs[i].text);
		at = memmem(result.p, result.n, signs[i].text, n);
		if (at == NULL)
			continue;
		at += n;
		if (name_running(actions, signs[i].kind,
			(struct ctx_str){at,
			    (size_t)(result.p + result.n - at)},
			err) < 0 ||
		    ctx_summary_actions_link(actions,
			ctx_buf_str(&actions->key), action, err) < 0)
			return -1;
	}
	return 0;
}
