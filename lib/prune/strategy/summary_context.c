/*
 * summary_context.c - finds text in a message of the user that the user did not
 * write, for the built-in summary and for recall
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Maximum lengths in bytes.  MOST_MARKED: of what Codex writes before a
 * request.  MOST_PATH: of other text of a program that contains a path. */
enum {
	MOST_MARKED = 1 << 16,
	MOST_PATH = 1 << 12,
};

/* Returns the length in bytes of what a program has inserted at the beginning
 * of a text, or 0 if there is nothing. */
static size_t
program_text_length(struct ctx_str text)
{
	/* Text of the program begins with "begin" and contains "marker".  If
	 * follows is true, the user's own text follows the marker.  The marker
	 * is searched for in the first "most" bytes only, because a message may
	 * have thousands of pieces of context, and this is done after each. */
	static const struct {
		const char *begin, *marker;
		bool follows;
		size_t most;
	} forms[] = {
	    /* Codex, about the editor */
	    {"# ", "\n## My request for Codex:\n", true, MOST_MARKED},
	    /* opencode inserts this for files that the user mentions */
	    {"Called the ", " tool with the following input: ", false,
		MOST_PATH},
	    {"<path>", "\n<type>", false, MOST_PATH},
	    /* Claude Code inserts this for a command in the background */
	    {"Read the output file to retrieve the result: ", "", false,
		MOST_PATH},
	};
	struct ctx_str own = text;
	const char *at;
	size_t n;

	while (own.n > 0 && ctx_summary_is_space(own.p[0]))
		own.p++, own.n--;
	for (size_t i = 0; i < CTX_LENGTH(forms); i++) {
		size_t most = own.n < forms[i].most ? own.n : forms[i].most;

		n = strlen(forms[i].marker);
		if (ctx_str_begins(own, forms[i].begin) &&
		    (at = memmem(own.p, most, forms[i].marker, n)) != NULL)
			return forms[i].follows ? (size_t)(at + n - text.p)
						: text.n;
	}
	return 0;
}

/* at: the end of </command-message>.  Returns where the text after it begins:
 * usually at.  If the opening tag <command-name> follows, returns the end of
 * that opening tag, so that the command's name counts as typed by the user.
 * This happens for commands that stand for a prompt, such as "/review".  In a
 * built-in command, such as "/clear", <command-name> is the first tag. */
static const char *
skip_command_tag(const char *at, const char *end)
{
	static const char tag[] = "<command-name>";
	struct ctx_str rest = {at, (size_t)(end - at)};

	while (rest.n > 0 && ctx_summary_is_space(rest.p[0]))
		rest.p++, rest.n--;
	return ctx_str_begins(rest, tag) ? rest.p + sizeof tag - 1 : at;
}

/* Returns true if a command of Claude Code has arguments.  at: the text after
 * the first opening tag of the command. */
static bool
has_arguments(const char *at, const char *end)
{
	static const char tag[] = "<command-args>";
	const size_t n = sizeof tag - 1;
	size_t most = (size_t)(end - at);

	if (most > MOST_PATH)
		most = MOST_PATH;
	at = memmem(at, most, tag, n);
	return at != NULL && at + n < end && at[n] != '<';
}

/* A tag that a program writes into messages of the user.  typed: YES if the
 * text between the tags is not from this program, but typed by the user or
 * written by another agent.  NO if it is from the program.  NEXT if it is from
 * the program, but a command's name that follows is typed.  WITH_ARGUMENTS if
 * it is the name of a command, which is used as the user's text only if the
 * command has arguments. */
struct context_tag {
	const char *name;
	enum { NO, YES, NEXT, WITH_ARGUMENTS } typed;
};

/* Looks up the tag whose name begins at "name".  Returns NULL if no known
 * program writes such a tag: the tag is then text that the user wrote.
 * Otherwise sets *after to the end of the tag. */
static const struct context_tag *
match_tag(const char *name, const char *end, const char **after)
{
	static const struct context_tag tags[] = {{"INSTRUCTIONS", NO},
	    {"bash-input", YES}, {"bash-stderr", NO}, {"bash-stdout", NO},
	    {"command-args", YES}, {"command-message", NEXT},
	    {"command-name", WITH_ARGUMENTS}, {"environment_context", NO},
	    {"environment_details", NO}, {"ide_opened_file", NO},
	    {"ide_selection", NO}, {"local-command-caveat", NO},
	    {"local-command-stderr", NO}, {"local-command-stdout", NO},
	    {"permissions instructions", NO}, {"recommended_plugins", NO},
	    {"skill", NO}, {"system-reminder", NO}, {"system_instruction", NO},
	    {"task-notification", NO}, {"teammate-message", YES},
	    {"turn_aborted", NO}, {"user_instructions", NO}};
	const char *close;
	size_t n, most;

	for (size_t i = 0; i < CTX_LENGTH(tags); i++) {
		n = strlen(tags[i].name);
		if ((size_t)(end - name) <= n ||
		    (name[n] != '>' && name[n] != ' ') ||
		    memcmp(name, tags[i].name, n) != 0)
			continue;
		/* After the name there may be attributes, such as id="2". */
		most = (size_t)(end - name) - n;
		close =
		    memchr(name + n, '>', most < MOST_PATH ? most : MOST_PATH);
		if (close == NULL ||
		    (name[n] == ' ' &&
			memchr(name + n, '=', (size_t)(close - name) - n) ==
			    NULL))
			return NULL;
		*after = close + 1;
		return &tags[i];
	}
	return NULL;
}

/* Returns the text after the closing tag, or the end of the text: the closing
 * tag may be incomplete, because the text was truncated. */
static const char *
find_tag_end(const struct context_tag *tag, const char *at, const char *end)
{
	size_t n = strlen(tag->name);

	for (; (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++)
		if ((size_t)(end - at) > n + 2 && at[1] == '/' &&
		    memcmp(at + 2, tag->name, n) == 0 && at[n + 2] == '>')
			return tag->typed == NEXT
			    ? skip_command_tag(at + n + 3, end)
			    : at + n + 3;
	return end;
}

size_t
ctx_summary_find_context(struct ctx_str text, size_t *from)
{
	const char *at = text.p, *after, *end = text.p + text.n;
	const struct context_tag *tag;
	size_t n = program_text_length(text);
	bool closes;

	*from = 0;
	if (n > 0)
		return n;
	for (; (at = memchr(at, '<', (size_t)(end - at))) != NULL; at++) {
		closes = at + 1 < end && at[1] == '/';
		tag = match_tag(at + 1 + closes, end, &after);
		if (tag == NULL)
			continue;
		*from = (size_t)(at - text.p);
		if (!closes && tag->typed != YES &&
		    (tag->typed != WITH_ARGUMENTS ||
			!has_arguments(after, end)))
			after = find_tag_end(tag, after, end);
		return (size_t)(after - at);
	}
	*from = text.n;
	return 0;
}
