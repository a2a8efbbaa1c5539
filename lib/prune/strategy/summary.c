/*
 * summary.c - the built-in summarizer: writes a summary of removed messages
 * from sentences in them, without a model
 *
 * The texts are divided into sentences ("lines"), and each line gets a class.
 * Constraints and requests of the user come first, then open tasks, decisions,
 * changed files, commands, errors, other tool calls, then other lines.  Class
 * by class, lines are selected as long as tokens are free, no line twice.
 * Within a class, lines with names that also occur in later text come first,
 * and among these the newest.  The first sentences of the user come before all
 * others, because they mostly say what the conversation is about.
 * summary_write.c selects and writes.
 */
#define _GNU_SOURCE /* memmem, in POSIX since 2024 */
#include <stdlib.h>
#include <string.h>

#include "prune/strategy/summary.h"
#include "prune/strategy/tool_failure.h"

/* Lengths in bytes.  MOST_BYTES: of the longest sentence in a summary;
 * LEAST_BYTES: of the shortest one; LEAST_ANSWER: of the shortest sentence of
 * the assistant.  LONGEST_WORD: longer words are not searched for in a text. */
enum {
	MOST_BYTES = 400,
	LEAST_BYTES = 12,
	LEAST_ANSWER = 30,
	LONGEST_WORD = 16,
};

/* For each class of lines: the kind of text from which the lines are taken; the
 * label that the summary has before such a line; and how many percent of the
 * free tokens these lines may use.  Tokens that the lines of a class do not use
 * are free for the next class. */
static const struct {
	enum ctx_summary_kind kind;
	const char *label;
	unsigned share;
} classes[CLASSES] = {
    [TASK] = {CTX_SUMMARY_USER, "User: ", 45},
    [REQUEST] = {CTX_SUMMARY_USER, "User: ", 25},
    [OPEN_TASK] = {CTX_SUMMARY_CALL, "Open: ", 30},
    [DECISION] = {CTX_SUMMARY_ASSISTANT, "Assistant: ", 40},
    [CHANGED_FILE] = {CTX_SUMMARY_CALL, "Changed: ", 30},
    [COMMAND] = {CTX_SUMMARY_CALL, "Ran: ", 40},
    [TROUBLE] = {CTX_SUMMARY_RESULT, "Tool: ", 50},
    [CALL] = {CTX_SUMMARY_CALL, "Called: ", 30},
    [REST] = {CTX_SUMMARY_ASSISTANT, "Assistant: ", 100},
};

const char *ctx_summary_label(enum line_class class)
{
	return classes[class].label;
}

unsigned ctx_summary_share(enum line_class class)
{
	return classes[class].share;
}

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
	ctx_summary_names_release(&summary->names);
	ctx_summary_actions_release(&summary->actions);
	free(summary);
}

/* ---- classes of lines ---- */

static char
to_lower_ascii(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns true if the text contains one of several words, in small or capital
 * letters.  words: the list of these words in small letters, which ends with
 * NULL; each has at most LONGEST_WORD bytes. */
static bool
contains_any(struct ctx_str text, const char *const *words)
{
	char lower[4096];
	size_t at, n, i;

	/* The text is searched in pieces.  Two neighbouring pieces overlap, so
	 * that each word is completely in one of them. */
	for (at = 0; at < text.n; at += sizeof lower - LONGEST_WORD) {
		n = text.n - at < sizeof lower ? text.n - at : sizeof lower;
		for (i = 0; i < n; i++)
			lower[i] = to_lower_ascii(text.p[at + i]);
		for (i = 0; words[i] != NULL; i++)
			if (memmem(lower, n, words[i], strlen(words[i])) !=
			    NULL)
				return true;
	}
	return false;
}

static enum line_class
classify_line(enum ctx_summary_kind kind, struct ctx_str text)
{
	static const char *const requests[] = {"?", "must", "n't", "do not",
	    "never", "always", "please", "should", "only", "need", "want",
	    "make sure", "without", "instead", "constraint", NULL};
	static const char *const decisions[] = {"decid", "chose", "because",
	    "instead of", "cause", "fixed", "found", "changed", "renamed",
	    "created", "added", "removed", "done", "works", "pass", "turns out",
	    "will use", "conclu", "agreed", NULL};

	switch (kind) {
	case CTX_SUMMARY_EARLIER:
		return TASK;
	case CTX_SUMMARY_USER:
		return contains_any(text, requests) ? TASK : REQUEST;
	case CTX_SUMMARY_ASSISTANT:
		return contains_any(text, decisions) ? DECISION : REST;
	case CTX_SUMMARY_RESULT:
		return TROUBLE;
	default:
		return CLASSES;
	}
}

/* Returns true for a line that is useless in a summary: an assistant announces,
 * thanks or apologizes, or the line only introduces what follows it. */
static bool
says_nothing(struct ctx_str text)
{
	static const char *const signs[] = {"Let me", "Let's", "I'll ",
	    "I will ", "I'm going to", "Now ", "First,", "Next,", "Sure",
	    "Great", "Perfect", "Excellent", "Okay", "OK,", "Good", "Thank",
	    "Sorry", "I apologize", "I see", "You're", "Of course", "Certainly",
	    "Here's", "Here is", NULL};
	size_t i, n;

	for (i = 0; signs[i] != NULL; i++) {
		n = strlen(signs[i]);
		if (n <= text.n && memcmp(text.p, signs[i], n) == 0)
			return true;
	}
	while (text.n > 0 && strchr("*_ ", text.p[text.n - 1]) != NULL)
		text.n--;
	return text.n < LEAST_ANSWER || text.p[text.n - 1] == ':';
}

/* Returns true for a line that is only a tag, such as "<instructions>". */
static bool
is_tag(struct ctx_str text)
{
	return text.p[0] == '<' && text.p[text.n - 1] == '>' &&
	    memchr(text.p, ' ', text.n) == NULL;
}

/* ---- texts to lines ---- */

static bool
is_space_char(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Returns the length in bytes of the first sentence of a text, at least 1.  A
 * line feed also ends a sentence. */
static size_t
find_sentence_end(struct ctx_str text)
{
	static const char full_stop[] = "\xe3\x80\x82"; /* U+3002 */
	size_t i;

	for (i = 0; i < text.n; i++) {
		if (text.p[i] == '\n')
			return i + 1;
		if ((text.p[i] == '.' || text.p[i] == '?' ||
			text.p[i] == '!') &&
		    i > 20 && i + 1 < text.n && is_space_char(text.p[i + 1]))
			return i + 1;
		if (text.p[i] == full_stop[0] && i + 3 <= text.n &&
		    memcmp(text.p + i, full_stop, 3) == 0)
			return i + 3;
	}
	return text.n;
}

/* Returns how many bytes of a line are used for the summary.  A long line is
 * shortened between two words or, if that is not possible, between two
 * characters. */
static size_t
find_line_limit(struct ctx_str text)
{
	size_t n = MOST_BYTES;

	if (text.n <= MOST_BYTES)
		return text.n;
	while (n > MOST_BYTES / 2 && !is_space_char(text.p[n]))
		n--;
	if (n == MOST_BYTES / 2)
		for (n = MOST_BYTES; n > 0 && (text.p[n] & 0xc0) == 0x80; n--)
			continue;
	return n;
}

static int
add_summary_line(struct ctx_summary *s, bool earlier, enum line_class class,
    struct ctx_str text, struct ctx_err *err)
{
	struct summary_line *grown;
	size_t known = s->seen.n;
	uint32_t id;

	if (ctx_intern(&s->seen, text.p, text.n, &id, err) < 0)
		return -1;
	if (id <= known)
		return 0;
	grown = ctx_grow(s->lines, &s->cap, s->n + 1, sizeof *grown, err);
	if (grown == NULL)
		return -1;
	s->lines = grown;
	grown[s->n] = (struct summary_line){.id = id,
	    .earlier = earlier,
	    .class = class,
	    .number = s->names.n_texts};
	if (classes[class].kind == CTX_SUMMARY_USER && !earlier &&
	    s->user_lines < FIRST_LINES) {
		grown[s->n].first = ++s->user_lines;
		grown[s->n].class = TASK;
	}
	s->n++;
	return 0;
}

/* Adds a sentence to the lines, unless it is useless in a summary.  Of a long
 * sentence of the user, the beginning is added; other long sentences are not
 * added. */
static int
add_sentence(struct ctx_summary *s, enum ctx_summary_kind kind,
    struct ctx_str text, struct ctx_err *err)
{
	enum line_class class = classify_line(kind, text);
	size_t n = find_line_limit(text);

	if (class == CLASSES || n < LEAST_BYTES || is_tag(text))
		return 0;
	if (kind == CTX_SUMMARY_ASSISTANT && (n < text.n || says_nothing(text)))
		return 0;
	text.n = n;
	return add_summary_line(s, kind == CTX_SUMMARY_EARLIER, class,
	    ctx_str_trim(text), err);
}

/* Adds the sentences of a text, but not those in a block of code. */
static int
add_sentences(struct ctx_summary *s, enum ctx_summary_kind kind,
    struct ctx_str text, struct ctx_err *err)
{
	struct ctx_str one;
	bool code = false;

	while (text.n > 0) {
		one = (struct ctx_str){text.p, find_sentence_end(text)};
		text.p += one.n;
		text.n -= one.n;
		one = ctx_str_trim(one);
		if (one.n >= 3 && memcmp(one.p, "```", 3) == 0)
			code = !code;
		else if (!code && add_sentence(s, kind, one, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds a line of an earlier summary.  If it begins with no label such as "User:
 * ", a command has written that summary.  Sets *action to the id of the action
 * that the line names; to 0 if it names none. */
static int
add_earlier_line(struct ctx_summary *s, struct ctx_str line, uint32_t *action,
    struct ctx_err *err)
{
	struct ctx_str text;
	unsigned class;
	size_t n;

	*action = 0;
	if (ctx_summary_names_add(&s->names, line, 0, false, err) < 0)
		return -1;
	s->actions.number = s->names.n_texts;
	for (class = 0; class < CLASSES; class ++) {
		n = strlen(classes[class].label);
		if (line.n <= n || memcmp(line.p, classes[class].label, n) != 0)
			continue;
		text = (struct ctx_str){line.p + n, line.n - n};
		return classes[class].kind == CTX_SUMMARY_CALL
		    ? ctx_summary_actions_earlier(&s->actions,
			  (enum line_class) class, text, action, err)
		    : add_sentence(s, classes[class].kind, text, err);
	}
	return add_sentence(s, CTX_SUMMARY_EARLIER, line, err);
}

/* Adds one line of a summary that an earlier run has inserted.  An indented
 * line after an action lists names that belong to this action.  *action: id of
 * the action in the line before; is set to that of this line, or to 0. */
static int
add_summary_text_line(struct ctx_summary *s, struct ctx_str line,
    uint32_t *action, struct ctx_err *err)
{
	const size_t n = sizeof CTX_NAMES_LABEL - 1;
	uint32_t above = *action;

	*action = 0;
	if (above != 0 && line.n > 0 && line.p[0] == ' ')
		return ctx_summary_names_add_list(&s->names, line, above, err);
	line = ctx_str_trim(line);
	if (line.n < n || memcmp(line.p, CTX_NAMES_LABEL, n) != 0)
		return add_earlier_line(s, line, action, err);
	line.p += n;
	line.n -= n;
	return ctx_summary_names_add_list(&s->names, line, 0, err);
}

static int
add_earlier_lines(struct ctx_summary *s, struct ctx_str text,
    struct ctx_err *err)
{
	struct ctx_str line;
	const char *end;
	uint32_t action = 0;

	while (text.n > 0) {
		end = memchr(text.p, '\n', text.n);
		line = (struct ctx_str){text.p,
		    end != NULL ? (size_t)(end - text.p) : text.n};
		text.p += line.n + (end != NULL);
		text.n -= line.n + (end != NULL);
		if (add_summary_text_line(s, line, &action, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_summary_add(struct ctx_summary *s, const struct ctx_summary_text *text,
    struct ctx_err *err)
{
	uint32_t action = 0;

	if (text->kind == CTX_SUMMARY_EARLIER)
		return add_earlier_lines(s, text->text, err);
	s->actions.number = s->names.n_texts + 1;
	if ((text->kind == CTX_SUMMARY_CALL &&
		ctx_summary_actions_call(&s->actions, text, &action, err) <
		    0) ||
	    (text->kind == CTX_SUMMARY_RESULT &&
		ctx_summary_actions_result(&s->actions, text, &action, err) <
		    0) ||
	    ctx_summary_names_add(&s->names, text->text, action,
		text->kind == CTX_SUMMARY_USER, err) < 0)
		return -1;
	switch (text->kind) {
	case CTX_SUMMARY_RESULT:
		return add_sentence(s, text->kind,
		    ctx_str_trim(ctx_find_error_line(text->text)), err);
	case CTX_SUMMARY_CALL:
	case CTX_SUMMARY_OTHER:
		return 0;
	default:
		return add_sentences(s, text->kind, text->text, err);
	}
}

int
ctx_summary_later(struct ctx_summary *s, const char *p, size_t n,
    struct ctx_err *err)
{
	return ctx_summary_names_keep(&s->names, (struct ctx_str){p, n}, err);
}

int
ctx_summary_add_action(struct ctx_summary *s,
    const struct written_action *action, struct ctx_err *err)
{
	size_t n = s->n;

	if (add_summary_line(s, false, action->class, action->text, err) < 0)
		return -1;
	if (s->n == n)
		return 0;
	/* Open tasks are the last lines of a summary. */
	s->lines[n].number =
	    action->class == OPEN_TASK ? UINT32_MAX : action->number;
	s->line_of[action->id - 1] = (uint32_t)s->n;
	return 0;
}
