/*
 * summary_source.c - tells in the built-in summary what a file, a web page or
 * an issue says if the user has named it
 *
 * Some users write down elsewhere what is to be done, and their message is only
 * "do what TASK.md says" or "see issue #51".  The agent then reads TASK.md or
 * the issue with a tool call.  So the summary contains the first sentences of
 * the result of this tool call.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Of a longer text, only this number of bytes at its beginning is used.
 * MOST_REQUEST: of a user's message.  MOST_SEARCHED: of a tool result.
 * MOST_TOLD: of a line of a tool result. */
enum { MOST_REQUEST = 1 << 16, MOST_SEARCHED = 1 << 13, MOST_TOLD = 400 };
/* No further line of a result is copied into the summary once the copied lines
 * together have this number of bytes. */
enum { ENOUGH = 300 };
/* Tool results with fewer bytes are ignored in this file.  They may say, for
 * example, that the file does not exist.  If they are outcomes of their calls,
 * summary_outcome.c finds them. */
enum { SHORT_RESULT = 200 };
/* A line with fewer bytes or blanks is not copied, unless it is a heading. */
enum { LEAST_LINE = 30, LEAST_BLANKS = 4 };

int
ctx_summary_remember_request(struct summary_actions *actions,
    struct ctx_str text, bool continues, struct ctx_err *err)
{
	struct ctx_buf *request = &actions->request;
	size_t most;

	if (!continues)
		request->n = 0;
	most = MOST_REQUEST - request->n;
	return ctx_buf_add(request, text.p, text.n < most ? text.n : most, err);
}

/* ---- names in the user's message ---- */

/* number: a text that consists of digits.  Returns true if the other text
 * contains it directly after "/" or "#", as in ".../issues/51" or "#51", with
 * no further digit after it. */
static bool
has_number(struct ctx_str text, struct ctx_str number)
{
	const char *at = text.p, *end = text.p + text.n;

	while (
	    (at = memmem(at, (size_t)(end - at), number.p, number.n)) != NULL) {
		if (at > text.p && (at[-1] == '/' || at[-1] == '#') &&
		    (at + number.n == end || !ctx_is_digit(at[number.n])))
			return true;
		at += number.n;
	}
	return false;
}

static bool
is_number(struct ctx_str word)
{
	size_t i = 0;

	while (i < word.n && ctx_is_digit(word.p[i]))
		i++;
	return word.n > 0 && i == word.n;
}

/* Returns true if a word has the file extension of a text for people, such as
 * ".md". */
static bool
names_prose(struct ctx_str word)
{
	static const char *const ends[] = {".md", ".mdx", ".txt", ".rst",
	    ".org", ".adoc"};
	size_t n;

	for (size_t i = 0; i < CTX_LENGTH(ends); i++) {
		n = strlen(ends[i]);
		if (word.n > n && memcmp(word.p + word.n - n, ends[i], n) == 0)
			return true;
	}
	return false;
}

/* Returns true if a word may be the name of a file: it contains a slash, or a
 * dot with a letter after it. */
static bool
names_file(struct ctx_str word)
{
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] == '/' ||
		    (word.p[i] == '.' && i + 1 < word.n &&
			ctx_is_letter(word.p[i + 1])))
			return true;
	return false;
}

/* Returns the part of a path after its last slash. */
static struct ctx_str
last_part(struct ctx_str path)
{
	while (memchr(path.p, '/', path.n) != NULL)
		(void)ctx_str_cut(&path, '/');
	return path;
}

static bool
is_name_char(char c)
{
	return ctx_summary_is_word_char(c) || c == '-';
}

/* Returns true if a name may continue at a place in a text. */
static bool
continues_at(const char *at, const char *end)
{
	return at < end &&
	    (is_name_char(*at) || *at == '/' ||
		(*at == '.' && at + 1 < end && is_name_char(at[1])));
}

/* Returns true if a text contains a name that is not a part of a longer one.
 * So "read schema.md." contains the name "schema.md", but neither "ma.md" nor
 * "schema.m". */
static bool
has_name(struct ctx_str text, struct ctx_str name)
{
	const char *at = text.p, *end = text.p + text.n;

	for (; (at = memmem(at, (size_t)(end - at), name.p, name.n)) != NULL;
	     at++)
		if ((at == text.p ||
			(!is_name_char(at[-1]) && at[-1] != '.')) &&
		    !continues_at(at + name.n, end))
			return true;
	return false;
}

/* Returns true if a message of the user contains a word of a tool call, and the
 * word is the name of a file with prose (compared without directories), a URL
 * or the number of an issue. issues: false if a word of digits cannot be the
 * number of an issue. */
static bool
is_requested(struct ctx_str request, struct ctx_str word, bool issues)
{
	if (is_number(word))
		return issues && has_number(request, word);
	if (names_prose(word))
		word = last_part(word);
	else if (!ctx_str_begins(word, "http://") &&
	    !ctx_str_begins(word, "https://"))
		return false;
	return has_name(request, word);
}

/* Returns true if a word contains one of the strings in the array "parts",
 * which ends with NULL. */
static bool
has_part(struct ctx_str word, const char *const *parts)
{
	for (size_t i = 0; parts[i] != NULL; i++)
		if (memmem(word.p, word.n, parts[i], strlen(parts[i])) != NULL)
			return true;
	return false;
}

/* Returns true if an action only reads files, web pages or issues.  Sets
 * *issues to true if a number in it is that of an issue. tool: the first word
 * of the action, which is the name of a tool or a program; rest: its other
 * words. */
static bool
reads_prose(const struct summary_action *action, struct ctx_str tool,
    struct ctx_str rest, bool *issues)
{
	static const char *const programs[] = {"cat", "sed", "head", "nl",
	    NULL};
	static const char *const readers[] = {"read", "Read", "view", "View",
	    "open", "Open", "fetch", "Fetch", NULL};
	static const char *const trackers[] = {"issue", "Issue", NULL};
	static const char *const lists[] = {"list", "List", "search", "Search",
	    NULL};

	if (action->class == LOOK_COMMAND) {
		*issues = ctx_str_begins(tool, "gh") &&
		    (ctx_str_begins(rest, "issue view ") ||
			ctx_str_begins(rest, "pr view ")) &&
		    memmem(rest.p, rest.n, "gh ", 3) == NULL;
		return *issues || ctx_summary_is_one_of(tool, programs);
	}
	*issues = has_part(tool, trackers) && !has_part(tool, lists);
	return action->class == CALL && !action->reports &&
	    (*issues || has_part(tool, readers));
}

int
ctx_summary_find_source(struct summary_actions *actions, uint32_t action,
    struct ctx_err *err)
{
	struct summary_action *call = &actions->list[action - 1];
	struct ctx_str rest = ctx_intern_at(&actions->texts, call->text);
	struct ctx_str tool = ctx_str_cut(&rest, ' '), word;
	struct ctx_str request = ctx_buf_str(&actions->request);
	struct ctx_str found = {NULL, 0};
	bool issues;
	size_t files = 0;

	if (call->source != 0 || request.n == 0 ||
	    !reads_prose(call, tool, rest, &issues))
		return 0;
	while (rest.n > 0) {
		word = ctx_str_cut(&rest, ' ');
		files += call->class == LOOK_COMMAND && names_file(word);
		if (word.n > 0 && found.n == 0 &&
		    is_requested(request, word, issues))
			found = word;
	}
	/* If a command prints several files, it is not known where in its
	 * output each file begins. */
	return found.n == 0 || (files > 1 && !issues)
	    ? 0
	    : ctx_intern(&actions->texts, found.p, found.n, &call->source, err);
}

/* ---- sentences of a result ---- */

/* Tools that read a file may print the number of each line before the line:
 * blanks, digits, and a tab or an arrow.  Returns the line without this number,
 * and without white space at its beginning and end. */
static struct ctx_str
cut_line_number(struct ctx_str line)
{
	static const char arrow[] = "\xe2\x86\x92";
	struct ctx_str rest = ctx_str_trim(line);
	size_t i = 0;

	while (i < rest.n && ctx_is_digit(rest.p[i]))
		i++;
	if (i == 0 || i == rest.n)
		return rest;
	rest.p += i;
	rest.n -= i;
	if (rest.p[0] == '\t')
		i = 1;
	else if (ctx_str_begins(rest, arrow))
		i = sizeof arrow - 1;
	else
		return ctx_str_trim(line);
	rest.p += i;
	rest.n -= i;
	return ctx_str_trim(rest);
}

/* Returns true if a line is a title: a heading of the first level ("# "), or
 * "title:" as the program gh prints it for an issue. */
static bool
is_heading(struct ctx_str line)
{
	return ctx_str_begins(line, "# ") || ctx_str_begins(line, "title:");
}

/* Returns true if a line is long enough for a sentence, and is no code, tag,
 * row of a table or line of a drawing ("│" and the like). */
static bool
is_prose(struct ctx_str line)
{
	size_t blanks = 0;

	if (ctx_str_begins(line, "\xe2\x94") ||
	    ctx_str_begins(line, "\xe2\x95"))
		return false;
	for (size_t i = 0; i < line.n; i++)
		blanks += line.p[i] == ' ';
	return line.n >= LEAST_LINE && blanks >= LEAST_BLANKS &&
	    strchr("<{[|!/#;$@`", line.p[0]) == NULL;
}

/* Fills the buffer "out" with the first lines of prose of a text, and the title
 * before them if there is one, separated by "; ".  Leaves it empty if no line
 * is prose.  Returns 0, or -1 with *err. */
static int
write_source(struct ctx_str text, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_str line, told;
	bool fenced = false, heads = false;
	size_t sentences = 0;

	out->n = 0;
	text = ctx_summary_cut(text, MOST_SEARCHED);
	while (text.n > 0 && out->n < ENOUGH) {
		line = cut_line_number(ctx_str_cut(&text, '\n'));
		if (ctx_str_begins(line, CTX_CODE_FENCE))
			fenced = !fenced;
		if (fenced || line.n == 0 ||
		    !(is_prose(line) || (!heads && is_heading(line))))
			continue;
		heads = true;
		sentences += is_prose(line);
		told = ctx_summary_cut(line, MOST_TOLD);
		if ((out->n > 0 && ctx_buf_add(out, "; ", 2, err) < 0) ||
		    ctx_summary_append_plain(out, told, told.n, err) < 0 ||
		    (told.n < line.n && ctx_buf_add(out, " ...", 4, err) < 0))
			return -1;
	}
	if (sentences == 0)
		out->n = 0;
	return 0;
}

/* Returns a tool result without the reminder that Claude Code may append to the
 * text of a file, and without white space at its beginning and end. */
static struct ctx_str
cut_reminder(struct ctx_str result)
{
	const char *reminder = result.n == 0
	    ? NULL
	    : memmem(result.p, result.n, CTX_REMINDER, strlen(CTX_REMINDER));

	if (reminder != NULL)
		result.n = (size_t)(reminder - result.p);
	return ctx_str_trim(result);
}

int
ctx_summary_read_source(struct summary_actions *actions, uint32_t action,
    struct ctx_str text, struct ctx_err *err)
{
	struct summary_action *call = &actions->list[action - 1];

	if (call->source == 0)
		return 0;
	/* A result may have several texts, of which the first one is used. */
	if (call->class == SOURCE)
		return 1;
	text = cut_reminder(ctx_summary_skip_header(text));
	if (text.n < SHORT_RESULT)
		return 0;
	if (write_source(text, &actions->line, err) < 0)
		return -1;
	if (actions->line.n == 0)
		return 0;
	call->class = SOURCE;
	call->text = call->source;
	return ctx_intern(&actions->texts, actions->line.p, actions->line.n,
		   &call->outcome, err) < 0
	    ? -1
	    : 1;
}
