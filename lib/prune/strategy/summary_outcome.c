/*
 * summary_outcome.c - finds the outcome of a tool call, for the built-in
 * summary
 *
 * The outcome is one line of the tool result: a line with the numbers of passed
 * and failed tests, a new commit, an error message, or the last line of a
 * command.  If the result is short, the outcome is the whole result.  The exit
 * status is added if it is not 0; if it is 0 and no line tells the outcome, the
 * outcome is "ok".  Of a result in JSON, the outcome is the values of its
 * members (summary_members.c).
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Maximum lengths in bytes.  MOST_OUTCOME: of an outcome without its exit
 * status.  MOST_WHOLE: of the result of a successful call that is used as a
 * whole as the outcome.  MOST_CAUSE: of an error message beside the numbers of
 * tests. */
enum { MOST_OUTCOME = 160, MOST_WHOLE = 100, MOST_CAUSE = 100 };
/* the exit status of a command whose result does not contain it */
enum { NO_STATUS = -1 };

/* Texts that Codex writes before the output of a command or of a script.
 * CODEX_RUNNING: written if it has not ended.  CODEX_ERROR: written before the
 * error of a script. */
#define CODEX_COMMAND "Chunk ID: "
#define CODEX_SHELL   "Exit code: "
#define CODEX_SCRIPT  "Script "
#define CODEX_RUNNING " running with "
#define CODEX_OUTPUT  "\nOutput:\n"
#define CODEX_ERROR   "Script error:"
/* the result of Claude Code if the user has refused a tool call */
#define CLAUDE_REFUSED "The user doesn't want to proceed with this tool use."

/* An error message is searched for only in this number of bytes at the
 * beginning of a tool result. */
enum { FAILURE_BYTES = 400 };

/* Returns true if a line begins like an error message, such as "Error: ...". */
static bool
is_error_line(struct ctx_str line)
{
	static const char *const signs[] = {"Error", "error:", "ERROR",
	    "Traceback", "Exception", "exit: 1", "exit: 2", "exit code: 1",
	    "exit code: 2", "Exit code 1", "Script failed",
	    "apply_patch verification failed", "{\"error\"", "<tool_use_error>",
	    "File has not been read yet", "File has been modified since read",
	    "String to replace not found", CLAUDE_REFUSED,
	    "fatal:", "bash: ", "sh: ", "FAILED", NULL};

	for (size_t i = 0; signs[i] != NULL; i++)
		if (ctx_str_begins(line, signs[i]))
			return true;
	return false;
}

struct ctx_str
ctx_find_error_line(struct ctx_str text)
{
	text = ctx_summary_cut(text, FAILURE_BYTES);
	while (text.n > 0) {
		struct ctx_str line = ctx_str_cut(&text, '\n');

		if (is_error_line(line))
			return line;
	}
	return (struct ctx_str){NULL, 0};
}

struct ctx_str
ctx_summary_skip_header(struct ctx_str result)
{
	const size_t n = sizeof CODEX_OUTPUT - 1;
	struct ctx_str rest = result;
	const char *at;

	/* Codex may write the command before the other lines of its header. */
	if (ctx_str_begins(result, "Command: ")) {
		(void)ctx_str_cut(&rest, '\n');
		if (ctx_str_begins(rest, CODEX_COMMAND))
			result = rest;
	}
	/* Claude Code writes this line if a command failed. */
	if (ctx_str_begins(result, "Exit code "))
		(void)ctx_str_cut(&result, '\n');
	else if ((ctx_str_begins(result, CODEX_COMMAND) ||
		     ctx_str_begins(result, CODEX_SHELL) ||
		     ctx_str_begins(result, CODEX_SCRIPT)) &&
	    (at = memmem(result.p, result.n, CODEX_OUTPUT, n)) != NULL) {
		result.n -= (size_t)(at + n - result.p);
		result.p = at + n;
		if (ctx_str_begins(ctx_str_trim(result), CODEX_ERROR)) {
			result = ctx_str_trim(result);
			(void)ctx_str_cut(&result, '\n');
		}
	}
	return result;
}

/* Of a result in JSON that Codex's scripts print, returns the text of the
 * member "output", in which line feeds are escaped.  Returns other text as it
 * is. */
static struct ctx_str
skip_members(struct ctx_str text)
{
	static const char begin[] = "{\"chunk_id\":",
			  output[] = "\"output\":\"";
	const size_t n = sizeof output - 1;
	const char *at = ctx_str_begins(text, begin)
	    ? memmem(text.p, text.n, output, n)
	    : NULL;

	if (at == NULL)
		return text;
	text.n -= (size_t)(at + n - text.p);
	text.p = at + n;
	if (text.n > 1 && memcmp(text.p + text.n - 2, "\"}", 2) == 0)
		text.n -= 2;
	while (text.n > 1 && memcmp(text.p + text.n - 2, "\\n", 2) == 0)
		text.n -= 2;
	return text;
}

/* ---- kinds of lines ---- */

/* What a line says about a test run.  Of two lines, that with the higher number
 * tells more. */
enum test_results {
	NO_RESULTS,
	NONE_RAN, /* numbers of tests, which are all 0 */
	SOME_RAN, /* no test has failed */
	SOME_FAILED,
};

/* Returns true if a number stands before one of the words in a line.  "Task 2
 * failed: ..." does not count. least: '1' if the number 0 does not count,
 * otherwise '0'. */
static bool
counts_before(struct ctx_str line, const char *const *words, char least)
{
	const char *at, *end = line.p + line.n;
	size_t n;

	for (size_t i = 0; words[i] != NULL; i++) {
		n = strlen(words[i]);
		at = memmem(line.p, line.n, words[i], n);
		if (at != NULL && at + n < end &&
		    (at[n] == ':' || ctx_summary_is_word_char(at[n])))
			continue;
		while (at != NULL && at > line.p && ctx_is_digit(at[-1]))
			if (*--at >= least)
				return true;
	}
	return false;
}

/* Returns true if a number other than 0 stands directly before one of these
 * words in a line. */
static bool
counts_after(struct ctx_str line, const char *const *words)
{
	const char *at;
	size_t n;

	for (size_t i = 0; words[i] != NULL; i++) {
		n = strlen(words[i]);
		at = memmem(line.p, line.n, words[i], n);
		if (at != NULL && at + n < line.p + line.n && at[n] > '0' &&
		    at[n] <= '9')
			return true;
	}
	return false;
}

/* Finds the numbers of tests in a line, as the last line of a test run has
 * them: "2 failed, 3 passed" or "Tests run: 5, Failures: 2". */
static enum test_results
read_results(struct ctx_str line)
{
	static const char *const failed[] = {" failed", " failures", " failing",
	    " errors", " fail", NULL};
	static const char *const passed[] = {" passed", " passing", " pass",
	    NULL};
	static const char *const all[] = {" examples", " tests", NULL};
	static const char *const maven[] = {"Tests run: ", NULL};
	static const char *const maven_failed[] = {"Failures: ", "Errors: ",
	    NULL};
	bool is_maven = ctx_str_begins(line, maven[0]);

	if (!is_maven && !counts_before(line, failed, '0') &&
	    !counts_before(line, passed, '0'))
		return NO_RESULTS;
	if (counts_before(line, failed, '1') ||
	    (is_maven && counts_after(line, maven_failed)))
		return SOME_FAILED;
	return counts_before(line, passed, '1') ||
		counts_before(line, all, '1') ||
		(is_maven && counts_after(line, maven))
	    ? SOME_RAN
	    : NONE_RAN;
}

/* Returns true if a line is an error message.  The word "error" in source code,
 * as in log.error("error: ..."), does not count: there it is quoted, or a part
 * of a name. */
static bool
reports_error(struct ctx_str line)
{
	static const char *const signs[] = {"ERROR",
	    "Error: ", "error: ", "error[", "Exception: ", "FAILED", "FAIL",
	    "fatal: ", "panic: ", "not ok ", "command not found",
	    "No such file", "ermission denied", NULL};
	const char *at;
	size_t n;

	for (size_t i = 0; signs[i] != NULL; i++) {
		n = strlen(signs[i]);
		at = memmem(line.p, line.n, signs[i], n);
		if (at == NULL ||
		    (at > line.p && strchr(".\"'`(", at[-1]) != NULL))
			continue;
		if (ctx_summary_is_word_char(at[n - 1]) &&
		    at + n < line.p + line.n &&
		    (ctx_summary_is_word_char(at[n]) || at[n] == '('))
			continue;
		return true;
	}
	return false;
}

/* If a line contains the exit status of a command, sets *status to this
 * number. */
static void
read_exit_status(struct ctx_str line, int *status)
{
	static const char *const signs[] = {"[exit ",
	    "exit: ", "exit code: ", "Exit code ",
	    "Exit code: ", "exited with code ",
	    "exit_code\": ", "exit_code\":", "<returncode>", NULL};
	const char *at;
	size_t n;

	for (size_t i = 0; signs[i] != NULL; i++) {
		n = strlen(signs[i]);
		at = memmem(line.p, line.n, signs[i], n);
		if (at == NULL)
			continue;
		at += n;
		if (at == line.p + line.n || !ctx_is_digit(*at))
			return;
		for (*status = 0; at < line.p + line.n && ctx_is_digit(*at) &&
		     *status < 1000;
		     at++)
			*status = *status * 10 + (*at - '0');
		return;
	}
}

/* ---- reading ---- */

/* Claude Code writes CLAUDE_CWD at the end of the output of a command, and
 * CLAUDE_SILENT if there is no output. */
#define CLAUDE_CWD    "Shell cwd was reset to "
#define CLAUDE_SILENT "(Bash completed with no output)"

/* Removes the first line from *text and returns it.  In a result that is JSON,
 * a line may also end with an escaped line feed.  Returns an empty line instead
 * of CLAUDE_CWD and CLAUDE_SILENT. */
static struct ctx_str
next_line(struct ctx_str *text)
{
	struct ctx_str line = {text->p, 0};
	size_t skip = 0;

	while (line.n < text->n && skip == 0) {
		if (text->p[line.n] == '\n')
			skip = 1;
		else if (text->p[line.n] == '\\' && line.n + 1 < text->n &&
		    text->p[line.n + 1] == 'n')
			skip = 2;
		else
			line.n++;
	}
	text->p += line.n + skip;
	text->n -= line.n + skip;
	line = ctx_str_trim(line);
	if (ctx_str_begins(line, CLAUDE_CWD) ||
	    ctx_str_begins(line, CLAUDE_SILENT))
		line.n = 0;
	return line;
}

/* Returns a line without its decoration: "====" around the numbers of a test
 * run, "E  " before errors, and a tag around an error. */
static struct ctx_str
strip_decoration(struct ctx_str line)
{
	const char *end;

	while (line.n > 0 && line.p[0] == '=')
		line.p++, line.n--;
	while (line.n > 0 && line.p[line.n - 1] == '=')
		line.n--;
	if (ctx_str_begins(line, "E  "))
		line.p += 1, line.n -= 1;
	if (ctx_str_begins(line, "<") &&
	    (end = memchr(line.p, '>', line.n)) != NULL &&
	    end + 1 < line.p + line.n) {
		line.n -= (size_t)(end + 1 - line.p);
		line.p = end + 1;
		end = memmem(line.p, line.n, "</", 2);
		if (end != NULL)
			line.n = (size_t)(end - line.p);
	}
	return ctx_str_trim(line);
}

/* The lines of a result from which its outcome is written. */
struct outcome_lines {
	struct ctx_str line; /* one line, or a short result as a whole */
	struct ctx_str last; /* the last line that is not blank */
	/* an error message that tells why tests failed; may be empty */
	struct ctx_str cause;
	int status; /* exit status, or NO_STATUS */
	/* true if no line has numbers of tests or names a new commit */
	bool is_error;
};

/* Sets lines->line to the most informative line of a result.  Of lines with
 * numbers of tests, one with failed tests is taken; otherwise one with passed
 * tests; otherwise any.  Of several, the last is taken, because it has the
 * total.  If there is no such line, the line of the last commit is taken,
 * otherwise the first error message.  If tests failed, sets lines->cause to the
 * first error message. */
static void
search_lines(struct ctx_str text, struct outcome_lines *lines)
{
	enum test_results best = NO_RESULTS, one;
	struct ctx_str line, commit = {NULL, 0};

	while (text.n > 0) {
		line = next_line(&text);
		if (line.n == 0)
			continue;
		if (ctx_summary_is_commit(line))
			commit = line;
		lines->last = line;
		read_exit_status(line, &lines->status);
		one = read_results(line);
		if (one != NO_RESULTS && one >= best) {
			lines->line = line;
			best = one;
		} else if (lines->cause.n == 0 && reports_error(line)) {
			lines->cause = line;
		}
	}
	lines->is_error = best == NO_RESULTS && commit.n == 0;
	if (best == NO_RESULTS)
		lines->line = commit.n > 0 ? commit : lines->cause;
	if (best != SOME_FAILED)
		lines->cause.n = 0;
}

/* Returns the length in bytes of the terminal control sequences, such as the
 * one for bold text, that begin at the offset "at" of a text; 0 if there is
 * none. */
static size_t
control_length(struct ctx_str text, size_t at)
{
	size_t i = at;

	while (i < text.n && text.p[i] == '\033') {
		while (i < text.n && !ctx_summary_is_word_char(text.p[i]))
			i++;
		while (
		    i < text.n && (ctx_is_digit(text.p[i]) || text.p[i] == ';'))
			i++;
		/* No character beyond ASCII ends a sequence. */
		i += i < text.n && (unsigned char)text.p[i] < 0x80;
	}
	return i - at;
}

int
ctx_summary_append_plain(struct ctx_buf *out, struct ctx_str text, size_t most,
    struct ctx_err *err)
{
	size_t i, from = out->n;

	for (i = 0; i < text.n && out->n - from < most; i++) {
		i += control_length(text, i);
		if (i < text.n &&
		    ((unsigned char)text.p[i] >= ' ' || text.p[i] == '\t') &&
		    ctx_buf_add(out, text.p + i, 1, err) < 0)
			return -1;
	}
	for (; i < text.n && out->n > from && (text.p[i] & 0xc0) == 0x80; i--)
		out->n--;
	return 0;
}

/* Returns the end of an answer of the user, which may contain quotes: the quote
 * before the next question, before notes, which repeat the answer, or before
 * the end of the sentence. */
static const char *
find_answer_end(const char *at, const char *end)
{
	const char *close = at;
	struct ctx_str rest;

	while ((close = memchr(close, '"', (size_t)(end - close))) != NULL) {
		rest.p = ++close;
		rest.n = (size_t)(end - close);
		if (rest.n == 0 || ctx_str_begins(rest, ", \"") ||
		    ctx_str_begins(rest, " user notes:") ||
		    ctx_str_begins(rest, " selected preview:") ||
		    ctx_str_begins(rest, ". "))
			return close - 1;
	}
	return end;
}

/* Appends the lines of a text, without decoration and with "; " between them.
 */
static int
append_lines(struct ctx_buf *out, struct ctx_str text, struct ctx_err *err)
{
	size_t from = out->n;
	struct ctx_str line;

	while (text.n > 0) {
		line = strip_decoration(next_line(&text));
		if (line.n > 0 &&
		    ((out->n > from && ctx_buf_add(out, "; ", 2, err) < 0) ||
			ctx_summary_append_plain(out, line, MOST_OUTCOME, err) <
			    0))
			return -1;
	}
	return 0;
}

/* If a result says what the user has answered in a dialog of Claude Code,
 * writes the answers to the buffer "out".  The form is: Your questions have
 * been answered: "Question"="answer", "Question"="answer". */
static int
append_choices(struct ctx_buf *out, struct ctx_str result, struct ctx_err *err)
{
	static const char *const starts[] = {"The user answered: ",
	    "User has answered your questions: ",
	    "Your questions have been answered: ", NULL};
	const char *at = result.p, *end = result.p + result.n, *close;
	size_t n = 0, i = 0;

	while (starts[i] != NULL && !ctx_str_begins(result, starts[i]))
		i++;
	if (starts[i] == NULL)
		return 0;
	while ((at = memmem(at, (size_t)(end - at), "\"=\"", 3)) != NULL) {
		at += 3;
		close = find_answer_end(at, end);
		if (ctx_buf_printf(out, err,
			n++ == 0 ? "the user chose " : "; ") < 0 ||
		    ctx_summary_append_plain(out,
			(struct ctx_str){at, (size_t)(close - at)},
			MOST_OUTCOME, err) < 0)
			return -1;
		at = close;
	}
	return 0;
}

/* If a result of Claude Code says that the user has refused a tool call, writes
 * this to the buffer "out", with the first line of what the user said. */
static int
append_refusal(struct ctx_buf *out, struct ctx_str result, struct ctx_err *err)
{
	static const char said[] = " the user said:\n";
	const size_t n = sizeof said - 1;
	const char *at;

	if (!ctx_str_begins(result, CLAUDE_REFUSED))
		return 0;
	at = memmem(result.p, result.n, said, n);
	if (ctx_buf_printf(out, err, "the user refused%s",
		at != NULL ? ": " : "") < 0)
		return -1;
	if (at == NULL)
		return 0;
	result.n -= (size_t)(at + n - result.p);
	result.p = at + n;
	return ctx_summary_append_plain(out, ctx_summary_first_line(result),
	    MOST_OUTCOME, err);
}

/* Returns the line which says that a command or script has not ended; an empty
 * text if there is none. header: what Codex has written before the output. */
static struct ctx_str
find_running(struct ctx_str header)
{
	const size_t n = sizeof CODEX_RUNNING - 1;

	while (header.n > 0) {
		struct ctx_str line = next_line(&header);

		if (memmem(line.p, line.n, CODEX_RUNNING, n) != NULL)
			return line;
	}
	return (struct ctx_str){NULL, 0};
}

/* Returns true for a line of at least two words that is not too long for an
 * outcome, and is no line of source code. */
static bool
is_sentence(struct ctx_str line)
{
	size_t letters = 0, others = 0;

	for (size_t i = 0; i < line.n; i++) {
		i += control_length(line, i);
		if (i < line.n && ctx_is_letter(line.p[i]))
			letters++;
		else if (i < line.n)
			others += (unsigned char)line.p[i] < 0x80;
	}
	return line.n <= MOST_WHOLE && letters > others &&
	    memchr(line.p, ' ', line.n) != NULL &&
	    strchr("{(,;=", line.p[line.n - 1]) == NULL &&
	    !ctx_str_begins(line, "//") && !ctx_str_begins(line, "func ");
}

/* Finds the lines that tell the outcome of a tool call. */
static void
find_lines(const struct ctx_summary_text *result, struct ctx_str body,
    enum outcome_search search, struct outcome_lines *lines)
{
	struct ctx_str header = {result->text.p,
	    (size_t)(body.p - result->text.p)};
	bool failed, is_data;

	read_exit_status(header, &lines->status);
	lines->line = find_running(header);
	if (lines->line.n == 0 && (search != SEARCH_SHORT || lines->status > 0))
		search_lines(body, lines);
	failed = result->failed || lines->status > 0;
	/* In the content of a file, a line may look like an error message. */
	if (search == SEARCH_TESTS && !failed && lines->is_error)
		lines->line.n = 0;
	if (lines->line.n == 0 && failed)
		lines->line = ctx_str_trim(ctx_find_error_line(body));
	if (lines->line.n > 0)
		return;
	/* Of JSON in several lines the members are told. */
	is_data = body.n > 0 && strchr("{[", body.p[0]) != NULL &&
	    memchr(body.p, '\n', body.n) != NULL;
	if (body.n <= MOST_WHOLE && !is_data)
		lines->line = body;
	else if (search == SEARCH_ALL && is_sentence(lines->last))
		lines->line = lines->last;
	else if (failed)
		lines->line = next_line(&body);
}

int
ctx_summary_find_outcome(const struct ctx_summary_text *result,
    enum outcome_search search, struct ctx_buf *out, struct ctx_err *err)
{
	struct outcome_lines lines = {
	    .status = result->succeeded ? 0 : NO_STATUS};
	struct ctx_str body = ctx_str_trim(
	    skip_members(ctx_str_trim(ctx_summary_skip_header(result->text))));

	find_lines(result, body, search, &lines);
	out->n = 0;
	if (append_choices(out, body, err) < 0 ||
	    append_refusal(out, body, err) < 0)
		return -1;
	if (out->n == 0 && append_lines(out, lines.line, err) < 0)
		return -1;
	lines.cause =
	    ctx_summary_cut(strip_decoration(lines.cause), MOST_CAUSE);
	if (lines.cause.n > 0 &&
	    (ctx_buf_add(out, "; ", 2, err) < 0 ||
		ctx_summary_append_plain(out, lines.cause, MOST_OUTCOME, err) <
		    0))
		return -1;
	if (out->n == 0 && search != SEARCH_SHORT && lines.status == 0)
		return ctx_buf_add(out, "ok", 2, err);
	if (lines.status > 0 &&
	    ctx_buf_printf(out, err, "%s[exit %d]", out->n > 0 ? " " : "",
		lines.status) < 0)
		return -1;
	return 0;
}
