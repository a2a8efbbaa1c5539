/*
 * summary.c - the built-in summarizer: makes a summary of removed messages from
 * their own sentences, without a model
 *
 * The texts are divided into sentences ("lines"), each of which has a class.
 * Classes in order of importance (enum line_class): constraints, decisions and
 * requests of the user; tasks; tool calls that changed something; answers and
 * decisions of the assistant; commands; errors; tool calls that only read;
 * other lines.  The lines of the most important class are selected first, then
 * those of the next class, until the tokens for the summary are used up.  No
 * line is selected twice.  Within a class, lines with names that also occur in
 * later text come first.  Of two such lines, the newer comes first.  The first
 * sentences of the user are selected before all others, because they usually
 * say what the conversation is about.  The selection is in summary_choose.c,
 * the writing in summary_write.c.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/summary.h"

/* A text of the user with at least this number of sentences is a long one. */
enum { LONG_TEXT = 12 };
/* what Claude Code returns at first for an agent that works in the background
 */
#define CLAUDE_LAUNCH "Async agent launched"
/* the beginning of a user message in which Claude Code reports the result of an
 * agent in the background, or reports that a command in the background has
 * ended */
#define CLAUDE_REPORT "<task-notification>"
/* Of another agent's report, only sentences are used that begin in its first
 * MOST_REPORT bytes. */
enum { MOST_REPORT = 1500 };

int
ctx_summary_open(struct ctx_summary **summary, struct ctx_err *err)
{
	*summary = calloc(1, sizeof **summary);
	return *summary == NULL ? ctx_err_nomem(err) : 0;
}

void
ctx_summary_close(struct ctx_summary *summary)
{
	if (summary == NULL)
		return;
	free(summary->lines);
	free(summary->line_of);
	ctx_intern_release(&summary->seen);
	ctx_intern_release(&summary->shapes);
	ctx_buf_release(&summary->shape);
	ctx_buf_release(&summary->question);
	ctx_buf_release(&summary->thought);
	ctx_buf_release(&summary->kept);
	ctx_json_release(&summary->json);
	ctx_summary_names_release(&summary->names);
	ctx_summary_actions_release(&summary->actions);
	free(summary);
}

/* ---- texts to lines ---- */

/* The state of reading a text line by line.
 * code, diff: true if the next line is in a block of code, or in a diff.
 * announced: true if the last sentence ends with a colon, so that it announces
 * the next line. */
struct line_reader {
	bool code, diff, announced;
	struct diff_hunk hunk;
	/* header row of the table that is being read, until it is added */
	struct ctx_str header;
};

/* Before the first row of a table that is added, adds its header, which names
 * the columns. one: a line of the text. rest: the text after it.  Returns 1 if
 * this line is a header, 0 if it is not, or -1 with *err. */
static int
add_table_header(struct ctx_summary *s, struct line_reader *reader,
    struct ctx_str one, struct ctx_str rest, struct ctx_err *err)
{
	struct ctx_str header = reader->header;
	size_t known = s->n;

	reader->header.n = 0;
	if (one.n == 0 || one.p[0] != '|')
		return 0;
	if (ctx_str_begins(rest, "|-") || ctx_str_begins(rest, "| -") ||
	    ctx_str_begins(rest, "|:")) {
		reader->header = one;
		return 1;
	}
	if (ctx_summary_classify(CTX_SUMMARY_ASSISTANT, one) == CLASSES) {
		reader->header = header;
		return 0;
	}
	if (header.n == 0)
		return 0;
	if (ctx_summary_add_line(s, false, REST, header, err) < 0)
		return -1;
	if (s->n > known)
		s->lines[known].leads = s->lines[known].heads = true;
	return 0;
}

/* Adds the first line of a block of code that a sentence of the assistant has
 * announced, such as a command to run.  If the block has more lines, appends
 * "...".  rest: the text after the line. */
static int
add_code_line(struct ctx_summary *s, struct line_reader *reader,
    struct ctx_str line, struct ctx_str rest, struct ctx_err *err)
{
	bool more;

	if (!reader->announced || line.n == 0)
		return 0;
	reader->announced = false;
	more = !ctx_str_begins(ctx_str_trim(rest), CTX_CODE_FENCE);
	s->kept.n = 0;
	if (ctx_buf_add(&s->kept, line.p, ctx_summary_line_limit(line), err) <
		0 ||
	    (more && ctx_buf_add(&s->kept, " ...", 4, err) < 0))
		return -1;
	return ctx_summary_add_line(s, false, REST, ctx_buf_str(&s->kept), err);
}

/* Takes a line, or its first sentence, from *text and adds it to the lines.
 * begins: true if a line begins here.  Leaves out blocks of code and diffs, and
 * the first sentence of an indented item of a list, which says nothing without
 * the item above. */
static int
add_part(struct ctx_summary *s, enum ctx_summary_kind kind,
    struct line_reader *reader, bool begins, struct ctx_str *text,
    struct ctx_err *err)
{
	bool leads = begins && text->p[0] != ' ' && text->p[0] != '\t';
	bool item = begins && !leads && ctx_summary_is_item(*text);
	struct ctx_str one = {NULL, 0}, rest = *text;
	size_t n;
	int rc = 0;

	if (begins) {
		one = ctx_str_cut(&rest, '\n');
		reader->diff = ctx_summary_in_hunk(&reader->hunk, one);
		one = ctx_str_trim(one);
	}
	if (leads && kind == CTX_SUMMARY_ASSISTANT) {
		rc = add_table_header(s, reader, one, rest, err);
		if (rc < 0)
			return -1;
	}
	if (leads && kind == CTX_SUMMARY_ASSISTANT &&
	    (one.p[0] == '|' || ctx_summary_begins_item(one)) &&
	    ctx_summary_line_limit(one) == one.n)
		*text = rest;
	else
		one = ctx_summary_next_sentence(text);
	n = s->n;
	if (ctx_str_begins(one, CTX_CODE_FENCE)) {
		reader->code = !reader->code;
		return 0;
	}
	if (reader->code)
		return add_code_line(s, reader, one, *text, err);
	if (!reader->diff && !item && rc == 0 &&
	    ctx_summary_add_sentence(s, kind, one, err) < 0)
		return -1;
	if (one.n > 0)
		reader->announced = s->n > n && kind == CTX_SUMMARY_ASSISTANT &&
		    ctx_summary_find_colon(one) > 0;
	if (s->n > n) {
		s->lines[n].leads = leads;
		s->lines[n].heads = leads && kind == CTX_SUMMARY_USER &&
		    (one.p[0] == '#' || ctx_is_digit(one.p[0]));
	}
	return 0;
}

static int
add_sentences(struct ctx_summary *s, enum ctx_summary_kind kind,
    struct ctx_str text, struct ctx_err *err)
{
	struct line_reader reader = {0};
	bool begins = true;

	while (text.n > 0) {
		if (add_part(s, kind, &reader, begins, &text, err) < 0)
			return -1;
		begins = text.p[-1] == '\n';
	}
	return 0;
}

/* Gives the class TASK to the first line of a text of the user and, if the text
 * has many lines, to its headings and numbered items: without these, its other
 * lines are hard to understand.  The lines of the text are s->lines[from] and
 * all after it. */
static void
find_outline(struct ctx_summary *s, size_t from)
{
	bool is_long = s->n - from >= LONG_TEXT;

	for (size_t i = from; i < s->n; i++) {
		s->lines[i].heads = i == from || (s->lines[i].heads && is_long);
		if (s->lines[i].heads && s->lines[i].class == REQUEST)
			s->lines[i].class = TASK;
	}
}

/* Adds the names (paths, identifiers, ids, numbers) and the sentences of a text
 * that the user has written.  more: true if the message has more text after it.
 * *command: before the call, a command such as "/review" if the text may be its
 * arguments, otherwise an empty text.  If more is true, a text that is only a
 * command is not added, but stored in *command for the next call, and a blank
 * text changes nothing.  Otherwise *command becomes empty. */
static int
add_own_text(struct ctx_summary *s, struct ctx_str own, bool more,
    struct ctx_str *command, struct ctx_err *err)
{
	struct ctx_buf *joined = &s->thought;
	size_t from = s->n;

	own = ctx_str_trim(own);
	if (more && ctx_summary_is_command(own))
		*command = own;
	if (own.n == 0 ? more || command->n == 0 : own.p == command->p)
		return 0;
	ctx_summary_end_answer(s);
	if (command->n > 0) {
		joined->n = 0;
		if (ctx_buf_add_str(joined, *command, err) < 0 ||
		    ctx_buf_add(joined, " ", 1, err) < 0 ||
		    ctx_buf_add_str(joined, own, err) < 0)
			return -1;
		own = ctx_str_trim(ctx_buf_str(joined));
		command->n = 0;
	}
	if (ctx_summary_names_add(&s->names, own, NULL, 0, true, err) < 0 ||
	    add_sentences(s, CTX_SUMMARY_USER, own, err) < 0)
		return -1;
	find_outline(s, from);
	return 0;
}

/* Adds the sentences of another agent's report that begin in its first
 * MOST_REPORT bytes. */
static int
add_report(struct ctx_summary *s, struct ctx_str text, struct ctx_err *err)
{
	struct ctx_str rest = text;

	while (rest.n > 0 && rest.p - text.p < MOST_REPORT)
		(void)ctx_summary_next_sentence(&rest);
	text.n -= rest.n;
	return add_sentences(s, CTX_SUMMARY_ASSISTANT, text, err);
}

/* Adds the text between two tags as a report of another agent, or the text
 * after the first tag if the second is missing.  Adds nothing if the first is
 * missing. */
static int
add_tagged_report(struct ctx_summary *s, struct ctx_str text, const char *open,
    const char *close, struct ctx_err *err)
{
	const char *at = memmem(text.p, text.n, open, strlen(open)), *end;

	if (at == NULL)
		return 0;
	at += strlen(open);
	text.n -= (size_t)(at - text.p);
	text.p = at;
	end = memmem(text.p, text.n, close, strlen(close));
	if (end != NULL)
		text.n = (size_t)(end - text.p);
	return add_report(s, text, err);
}

/* Returns true if a text only says how many tokens are left.  Claude Code
 * inserts such a text after each tool result. */
static bool
counts_tokens(struct ctx_str text)
{
	const size_t n = strlen(CTX_REMINDER);

	if (ctx_str_begins(text, CTX_REMINDER)) {
		text.p += n;
		text.n -= n;
	}
	return ctx_str_begins(ctx_str_trim(text), "<total_tokens>");
}

/* Adds the names (paths, identifiers, ids, numbers) in a text that a program
 * has inserted into a message of the user, or written as a message of its own.
 * If the text is the report of an agent that Claude Code ran in the background,
 * adds its sentences, too. */
static int
add_context(struct ctx_summary *s, struct ctx_str text, struct ctx_err *err)
{
	if (counts_tokens(text))
		return 0;
	if (ctx_summary_names_add(&s->names, text, NULL, 0, false, err) < 0)
		return -1;
	if (!ctx_str_begins(text, CLAUDE_REPORT))
		return 0;
	return add_tagged_report(s, text, "<summary>", "</summary>", err) < 0
	    ? -1
	    : add_tagged_report(s, text, "<result>", "</result>", err);
}

/* Adds the names (paths, identifiers, ids, numbers) and the sentences of a user
 * message.  Of text that a program has inserted, such as <system-reminder>,
 * adds only the names. */
static int
add_user_text(struct ctx_summary *s, struct ctx_str text, struct ctx_err *err)
{
	struct ctx_str own, context, command = {"", 0};

	if (ctx_summary_add_agreement(s, &text, err) < 0)
		return -1;
	while (text.n > 0) {
		own.p = text.p;
		context.n = ctx_summary_find_context(text, &own.n);
		context.p = text.p + own.n;
		text.n -= own.n + context.n;
		text.p = context.p + context.n;
		if (add_own_text(s, own, text.n > 0, &command, err) < 0 ||
		    (context.n > 0 && add_context(s, context, err) < 0))
			return -1;
	}
	return command.n > 0 ? add_own_text(s, text, false, &command, err) : 0;
}

/* Adds sentences of the reports of other agents in a tool result (s->json), as
 * Codex's tool wait_agent returns them: the values of the key "completed". */
static int
add_json_reports(struct ctx_summary *s, struct ctx_err *err)
{
	const struct ctx_json *json = &s->json;
	struct ctx_str text;

	for (uint32_t i = 0; i < json->n; i++) {
		if (!ctx_json_is_key(json, i) ||
		    !ctx_json_is(json, i, "completed") ||
		    json->nodes[i + 1].kind != CTX_JSON_STRING)
			continue;
		s->thought.n = 0;
		if (ctx_json_text(json, i + 1, &s->thought, &text, err) < 0 ||
		    add_report(s, text, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds a tool result: the outcome of its tool call and the names in the result.
 * If the result is the report of another agent, adds sentences, too.  If the
 * tool call is not known, an error message in the result is added as a
 * line. */
static int
add_result(struct ctx_summary *s, const struct ctx_summary_text *text,
    struct ctx_err *err)
{
	struct ctx_str data = ctx_summary_skip_header(text->text);
	const struct ctx_json *json = NULL;
	uint32_t action;

	if (ctx_summary_actions_find(&s->actions, text->id, &action, err) < 0 ||
	    (action != 0 &&
		(ctx_summary_parse(&s->json, data, &json, err) < 0 ||
		    ctx_summary_actions_result(&s->actions, text, json, action,
			err) < 0)) ||
	    ctx_summary_names_add(&s->names, data, json, action, false, err) <
		0)
		return -1;
	if (action != 0 &&
	    (text->failed || !s->actions.list[action - 1].reports ||
		ctx_str_begins(data, CLAUDE_LAUNCH)))
		return 0;
	if (action != 0)
		return json == NULL ? add_report(s, data, err)
				    : add_json_reports(s, err);
	return ctx_summary_add_sentence(s, text->kind,
	    ctx_str_trim(ctx_find_error_line(text->text)), err);
}

/* Adds the sentences that a tool call (s->json) has in the argument "thought",
 * as the calls of a tool "think" do. */
static int
add_thought(struct ctx_summary *s, struct ctx_err *err)
{
	uint32_t node = ctx_json_find(&s->json, 0, "thought");
	struct ctx_str text;

	if (node == 0 || s->json.nodes[node].kind != CTX_JSON_STRING)
		return 0;
	s->thought.n = 0;
	if (ctx_json_text(&s->json, node, &s->thought, &text, err) < 0)
		return -1;
	return add_sentences(s, CTX_SUMMARY_ASSISTANT, text, err);
}

/* Must be called for each text, removed or kept.  Stores the texts of the
 * user's newest message, in which the names of files and issues are searched
 * for. */
static int
remember_request(struct ctx_summary *s, const struct ctx_summary_text *text,
    struct ctx_err *err)
{
	bool continues = s->newest == text->kind;

	s->newest = text->kind;
	return text->kind == CTX_SUMMARY_USER
	    ? ctx_summary_remember_request(&s->actions, text->text, continues,
		  err)
	    : 0;
}

int
ctx_summary_add(struct ctx_summary *s, const struct ctx_summary_text *text,
    struct ctx_err *err)
{
	const struct ctx_json *json = NULL;
	struct ctx_str named = text->text;
	uint32_t action = 0;

	if (remember_request(s, text, err) < 0)
		return -1;
	s->actions.number = s->names.n_texts + 1;
	switch (text->kind) {
	case CTX_SUMMARY_EARLIER:
		return ctx_summary_add_earlier(s, text->text, err);
	case CTX_SUMMARY_USER:
		return add_user_text(s, text->text, err);
	case CTX_SUMMARY_OTHER:
		return add_context(s, text->text, err);
	case CTX_SUMMARY_RESULT:
		return add_result(s, text, err);
	case CTX_SUMMARY_CALL:
		if (ctx_summary_parse(&s->json, text->text, &json, err) < 0 ||
		    ctx_summary_actions_call(&s->actions, text, json, &action,
			err) < 0 ||
		    (json != NULL && add_thought(s, err) < 0))
			return -1;
		/* The variables of a script are not names. */
		if (s->actions.script.n > 0)
			named = ctx_buf_str(&s->actions.script);
		break;
	default:
		break;
	}
	if (ctx_summary_names_add(&s->names, named, json, action, false, err) <
	    0)
		return -1;
	if (text->kind != CTX_SUMMARY_ASSISTANT)
		return 0;
	return ctx_summary_remember_answer(s, text->text, err) < 0
	    ? -1
	    : add_sentences(s, text->kind, text->text, err);
}

/* Reads the tasks in a kept tool call or its result. */
static int
keep_tasks(struct ctx_summary *s, const struct ctx_summary_text *text,
    struct ctx_err *err)
{
	const struct ctx_json *json = NULL;
	uint32_t action;

	s->actions.number = s->names.n_texts + 1;
	if (text->kind == CTX_SUMMARY_RESULT) {
		if (ctx_summary_actions_find(&s->actions, text->id, &action,
			err) < 0)
			return -1;
		return action == 0 ? 0
				   : ctx_summary_actions_result(&s->actions,
					 text, NULL, action, err);
	}
	return ctx_summary_parse(&s->json, text->text, &json, err) < 0
	    ? -1
	    : ctx_summary_actions_call(&s->actions, text, json, &action, err);
}

int
ctx_summary_keep(struct ctx_summary *s, const struct ctx_summary_text *text,
    struct ctx_err *err)
{
	struct ctx_str rest = text->text;
	int rc = remember_request(s, text, err);

	if (rc == 0)
		rc = ctx_summary_names_keep(&s->names, rest, err);
	if (text->kind == CTX_SUMMARY_ASSISTANT) {
		s->question.n = 0;
		s->answer = s->n;
	}
	if (rc == 0 && text->kind == CTX_SUMMARY_USER)
		rc = ctx_summary_add_agreement(s, &rest, err) < 0
		    ? -1
		    : ctx_summary_add_kept_message(s, text->text, err);
	if (rc == 0 &&
	    (text->kind == CTX_SUMMARY_CALL ||
		text->kind == CTX_SUMMARY_RESULT)) {
		s->actions.kept = true;
		rc = keep_tasks(s, text, err);
		s->actions.kept = false;
	}
	return rc;
}

/* Sets the class and the place (the member "number") of the summary line that
 * tells an action.  Actions with equal texts have the same line; the oldest
 * action must be passed first. */
static void
place_action(struct summary_line *line, const struct summary_action *action)
{
	/* The line is at the place of the last of the actions; if it is a task
	 * that is done, at the place where the task was done first; if it is an
	 * open task, at the end of the summary. */
	if (action->class == OPEN_TASK)
		line->number = UINT32_MAX;
	else if (action->class != DONE_TASK || line->class != DONE_TASK)
		line->number = action->number;
	if (action->class != CHANGED_FILE || action->failed) {
		line->details = action->failed ? 0 : action->details;
	} else {
		line->changes += action->changes > 0 ? action->changes : 1;
		if (action->details != 0 && action->size >= line->size) {
			line->details = action->details;
			line->size = action->size;
		}
	}
	line->reports |= action->reports;
	if (ctx_summary_is_task(action))
		line->class = action->hidden ? CLASSES : action->class;
}

int
ctx_summary_add_actions(struct ctx_summary *s, struct ctx_err *err)
{
	const struct summary_action *action = s->actions.list;
	struct summary_line *line;
	struct ctx_str text;
	uint32_t id;

	for (size_t i = 0; i < s->actions.n; i++, action++) {
		if (action->class == CLASSES ||
		    (action->class == OPEN_TASK &&
			action->number < s->actions.first_task))
			continue;
		if (ctx_summary_actions_text(&s->actions, action, &text, err) <
			0 ||
		    ctx_summary_add_line(s, false, action->class, text, err) <
			0 ||
		    ctx_intern(&s->seen, text.p, text.n, &id, err) < 0)
			return -1;
		line = &s->lines[id - 1];
		if (line->class != CLASSES &&
		    ctx_summary_classes[line->class].kind != CTX_SUMMARY_CALL)
			continue;
		place_action(line, action);
		s->line_of[i] = id;
	}
	return 0;
}
