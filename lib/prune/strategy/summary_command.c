/*
 * summary_command.c - writes the command of a tool call in one line, for the
 * built-in summary
 *
 * Parts that do not show the aim of the command are left out: echo and printf,
 * head and tail at the end of a pipe, redirections of errors, the option -C of
 * git, and git add before git commit.  Of a here-document ("<<EOF"), the first
 * line of its text is written.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/summary.h"

/* Cuts the next line from *command, and returns it without white space at its
 * beginning and end.  Skips blank lines and comments; sets *comment to the
 * first comment. */
static struct ctx_str
cut_command_line(struct ctx_str *command, struct ctx_str *comment)
{
	struct ctx_str line;

	do {
		*command = ctx_str_trim(*command);
		line = ctx_str_trim(ctx_str_cut(command, '\n'));
		if (comment->n == 0 && line.n > 0 && line.p[0] == '#')
			*comment = line;
	} while (command->n > 0 && (line.n == 0 || line.p[0] == '#'));
	return line;
}

/* Returns true if a line is one command, which begins with this word. */
static bool
is_lone(struct ctx_str line, const char *word)
{
	return ctx_str_begins(line, word) &&
	    memchr(line.p, '&', line.n) == NULL &&
	    memchr(line.p, ';', line.n) == NULL;
}

/* Returns true if a line ends with the beginning of a here-document, such as
 * "<<EOF".  If it is in an argument of the command ("$(cat <<EOF"), sets
 * *quoted to true, and cuts this argument off. */
static bool
begins_text(struct ctx_str *line, bool *quoted)
{
	static const char cat[] = "\"$(cat ";
	const size_t n = sizeof cat - 1;
	const char *at = line->n > 0 ? memmem(line->p, line->n, "<<", 2) : NULL;
	size_t before;

	*quoted = false;
	if (at == NULL)
		return false;
	for (const char *p = at + 2; p < line->p + line->n; p++)
		if (!ctx_is_letter(*p) && strchr("_-'\"", *p) == NULL)
			return false;
	before = (size_t)(at - line->p);
	*quoted = before >= n && memcmp(at - n, cat, n) == 0;
	if (*quoted)
		line->n = before - n;
	return true;
}

/* Cuts the first line from a here-document that does not import a module. */
static struct ctx_str
cut_text_line(struct ctx_str *text)
{
	struct ctx_str line;

	do {
		*text = ctx_str_trim(*text);
		line = ctx_str_trim(ctx_str_cut(text, '\n'));
	} while (text->n > 0 &&
	    (ctx_str_begins(line, "import ") || ctx_str_begins(line, "from ")));
	return line;
}

/* Writes the beginning of a command in one line to the buffer "out": the first
 * line that is not a comment, followed by the first comment.  If that line ends
 * in a backslash, or only changes the directory, or only sets options of the
 * shell, the next line is appended before the comment. */
static int
join_lines(struct ctx_str command, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_str comment = {NULL, 0}, one, text;
	bool goes_on, moves, reads, quoted;

	out->n = 0;
	do {
		one = cut_command_line(&command, &comment);
		goes_on = one.n > 0 && one.p[one.n - 1] == '\\';
		moves = command.n > 0 &&
		    (is_lone(one, "cd ") || is_lone(one, "set "));
		reads = begins_text(&one, &quoted);
		if (ctx_buf_add(out, one.p, one.n - goes_on, err) < 0 ||
		    (moves && ctx_buf_add(out, " && ", 4, err) < 0))
			return -1;
	} while (goes_on || moves);
	if (reads) {
		text = cut_text_line(&command);
		return ctx_buf_printf(out, err, quoted ? "\"%.*s\"" : " %.*s",
		    (int)text.n, text.p);
	}
	if (comment.n > 0 && comment.p != one.p &&
	    (ctx_buf_add(out, " ", 1, err) < 0 ||
		ctx_buf_add_str(out, comment, err) < 0))
		return -1;
	return 0;
}

/* ---- parts of a command ---- */

/* A part of a command line, without blanks around it. before: the text that
 * separates it from the part before: "&&", "||", "|" or ";"; empty for the
 * first. */
struct command_part {
	struct ctx_str before, text;
	bool redirects; /* true if its output is redirected */
};

/* Returns the length of the separator ("&&", "||", "|" or ";") at the beginning
 * of a text, or 0 if there is none. */
static size_t
separator_length(struct ctx_str text)
{
	if (text.n > 1 && (text.p[0] == '&' || text.p[0] == '|') &&
	    text.p[1] == text.p[0])
		return 2;
	return text.p[0] == ';' || text.p[0] == '|';
}

/* Cuts the next part from *line.  Does not divide text in quotes or
 * parentheses. */
static struct command_part
cut_part(struct ctx_str *line)
{
	struct command_part part = {.before = {line->p, 0}};
	size_t i = 0, depth = 0, n = line->n > 0 ? separator_length(*line) : 0;
	char quote = '\0', c;

	part.before.n = n;
	line->p += n;
	line->n -= n;
	for (; i < line->n; i++) {
		struct ctx_str rest = {line->p + i, line->n - i};

		c = line->p[i];
		if (c == '\\' && quote != '\'')
			i++;
		else if (quote != '\0')
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (depth == 0 && separator_length(rest) > 0)
			break;
		else if (c == '(')
			depth++;
		else if (c == '>')
			part.redirects = true;
		else
			depth -= c == ')' && depth > 0;
	}
	i = i < line->n ? i : line->n;
	part.text = ctx_str_trim((struct ctx_str){line->p, i});
	line->p += i;
	line->n -= i;
	return part;
}

/* Returns true if a text is a word, or begins with the word and a blank. */
static bool
begins_with_word(struct ctx_str text, const char *word)
{
	size_t n = strlen(word);

	return ctx_str_begins(text, word) && (text.n == n || text.p[n] == ' ');
}

/* Returns true if a part of a command says nothing about its aim. after: what
 * is behind the part. */
static bool
is_noise(const struct command_part *part, struct ctx_str after)
{
	bool pipe = part->before.n == 1 && part->before.p[0] == '|';
	bool piped =
	    after.n > 0 && separator_length(after) == 1 && after.p[0] == '|';
	struct ctx_str text = part->text;

	if (pipe && !piped &&
	    (begins_with_word(text, "head") ||
		begins_with_word(text, "tail"))) {
		for (size_t i = 4; i < text.n; i++)
			if (!ctx_is_digit(text.p[i]) &&
			    strchr(" -nc", text.p[i]) == NULL)
				return false;
		return true;
	}
	if (begins_with_word(text, "echo") || begins_with_word(text, "printf"))
		return !piped && !part->redirects;
	if (begins_with_word(text, "git add"))
		return after.n > 0 &&
		    (memmem(after.p, after.n, "& git commit", 12) != NULL ||
			memmem(after.p, after.n, "; git commit", 12) != NULL);
	return begins_with_word(text, "set") || begins_with_word(text, "true");
}

/* Appends a part without redirections of errors, and without the directory of
 * git. */
static int
append_part(struct ctx_buf *out, struct ctx_str text, struct ctx_err *err)
{
	static const char *const noise[] = {" 2>&1", " 2>/dev/null",
	    " >/dev/null", " > /dev/null", NULL};
	size_t n, k;

	if (ctx_str_begins(text, "git -C ")) {
		(void)ctx_str_cut(&text, ' ');
		(void)ctx_str_cut(&text, ' ');
		(void)ctx_str_cut(&text, ' ');
		if (ctx_buf_add(out, "git ", 4, err) < 0)
			return -1;
	}
	while (text.n > 0) {
		for (k = 0; noise[k] != NULL; k++)
			if (ctx_str_begins(text, noise[k]))
				break;
		n = noise[k] != NULL ? strlen(noise[k]) : 1;
		if (noise[k] == NULL && ctx_buf_add(out, text.p, 1, err) < 0)
			return -1;
		text.p += n;
		text.n -= n;
	}
	return 0;
}

int
ctx_summary_write_command(struct ctx_str command, struct ctx_buf *scratch,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_str line, rest;
	struct command_part part;

	if (join_lines(command, scratch, err) < 0)
		return -1;
	out->n = 0;
	line = rest = ctx_buf_str(scratch);
	while (rest.n > 0) {
		part = cut_part(&rest);
		if (part.text.n == 0 && rest.n > 0)
			break;
		if (part.text.n == 0 || is_noise(&part, rest))
			continue;
		if (out->n > 0 &&
		    ctx_buf_printf(out, err, "%s%.*s ",
			part.before.p[0] == ';' ? "" : " ", (int)part.before.n,
			part.before.p) < 0)
			return -1;
		if (append_part(out, part.text, err) < 0)
			return -1;
	}
	/* Two separators in a row, as in "case", are not understood here. */
	if (rest.n == 0 && out->n > 0)
		return 0;
	out->n = 0;
	return ctx_buf_add_str(out, line, err);
}

/* Returns true if a part of a command only shows the content of files. */
static bool
part_only_reads(struct ctx_str part)
{
	static const char *const readers[] = {"awk", "cat", "cd", "find",
	    "gh issue list", "gh issue view", "gh pr checks", "gh pr diff",
	    "gh pr list", "gh pr view", "gh run list", "gh run view",
	    "git blame", "git branch --show-current", "git diff", "git grep",
	    "git log", "git ls-files", "git ls-remote", "git remote -v",
	    "git rev-parse", "git show", "git status", "grep", "head", "jq",
	    "less", "ls", "nl", "pwd", "rg", "sed -n", "tail", "tree", "wc",
	    "which", NULL};

	for (size_t i = 0; readers[i] != NULL; i++)
		if (begins_with_word(part, readers[i]))
			return true;
	return false;
}

/* Finds out whether some or all parts of a command show the content of files.
 * A part that writes a file shows none; a part that reads from a pipe is
 * ignored. */
static void
find_readers(struct ctx_str command, bool *some, bool *all)
{
	struct command_part part;

	*some = false;
	*all = true;
	while (command.n > 0) {
		part = cut_part(&command);
		*all &= !part.redirects;
		if (part.text.n == 0 ||
		    (part.before.n == 1 && part.before.p[0] == '|'))
			continue;
		if (part_only_reads(part.text))
			*some |= !begins_with_word(part.text, "cd");
		else
			*all = false;
	}
}

bool
ctx_summary_only_reads(struct ctx_str command)
{
	bool some, all;

	find_readers(command, &some, &all);
	return all;
}

bool
ctx_summary_also_reads(struct ctx_str command)
{
	bool some, all;

	find_readers(command, &some, &all);
	return some;
}
