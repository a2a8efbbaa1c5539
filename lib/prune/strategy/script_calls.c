/*
 * script_calls.c - finds the tool calls in a script of Codex's tool "exec"
 *
 * For gpt-5.6 Codex offers the model a tool "exec", whose input is a script in
 * JavaScript.  The script calls the other tools: tools.exec_command({cmd:
 * "make"}).  The script is not evaluated.  Text that is not understood is
 * skipped, so that a wrong script at worst hides some of its calls.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "prune/strategy/script_calls.h"

/* the object that has the tools as its members */
#define TOOLS "tools"

/* maximum number of arrays and objects in one another */
enum { MOST_DEPTH = 8 };

static bool
is_identifier_char(char c)
{
	return ctx_is_letter(c) || ctx_is_digit(c) || c == '_' || c == '$';
}

/* Returns the byte that is read next, or 0 at the end of the script. */
static char
peek_char(const struct ctx_script *script)
{
	return script->at < script->script.n ? script->script.p[script->at] : 0;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Skips white space and comments.  Returns the next byte, or 0 at the end. */
static char
skip_space(struct ctx_script *script)
{
	const char *p = script->script.p, *end;
	size_t n = script->script.n, rest, after;

	while (script->at < n) {
		rest = n - script->at;
		if (is_space(p[script->at])) {
			script->at++;
			continue;
		}
		if (rest < 2 || p[script->at] != '/')
			break;
		after = p[script->at + 1] == '/' ? 1 : 2;
		if (after == 1)
			end = memchr(p + script->at, '\n', rest);
		else if (p[script->at + 1] == '*')
			end = memmem(p + script->at + 2, rest - 2, "*/", 2);
		else
			break;
		script->at = end == NULL ? n : (size_t)(end - p) + after;
	}
	return peek_char(script);
}

/* Returns true if a slash at this offset begins a regular expression, because
 * no operand is before it that could be divided. */
static bool
begins_regex(struct ctx_str script, size_t at)
{
	while (at > 0 && is_space(script.p[at - 1]))
		at--;
	return at == 0 || strchr("(,=:[!&|?{};", script.p[at - 1]) != NULL;
}

/* Skips a byte that begins neither white space, a comment, a string nor a name.
 * If it begins a regular expression, skips that. */
static void
skip_char(struct ctx_script *script)
{
	bool in_class = false;
	size_t from = script->at++;
	char c;

	if (script->script.p[from] != '/' ||
	    !begins_regex(script->script, from))
		return;
	while ((c = peek_char(script)) != 0 && c != '\n') {
		script->at++;
		if (c == '/' && !in_class)
			return;
		in_class = c == '[' || (in_class && c != ']');
		if (c == '\\' && peek_char(script) != '\n')
			script->at += script->at < script->script.n;
	}
}

static bool
is_quote(char c)
{
	return c == '"' || c == '\'' || c == '`';
}

static bool
is_hex(char c)
{
	return ctx_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Appends a byte of a string literal, as JSON has it. */
static int
append_char(struct ctx_buf *out, char c, struct ctx_err *err)
{
	if ((unsigned char)c < ' ')
		return ctx_buf_printf(out, err, "\\u%04x", (unsigned)c);
	return c == '"' ? ctx_buf_add(out, "\\\"", 2, err)
			: ctx_buf_add(out, &c, 1, err);
}

/* Reads the rest of an escape sequence in a string literal, whose backslash was
 * already read.  Appends the sequence as it is written in JSON. */
static int
append_escape(struct ctx_script *script, struct ctx_buf *out,
    struct ctx_err *err)
{
	char escape[2] = {'\\', peek_char(script)};
	size_t n = escape[1] == 'u' ? 4 : escape[1] == 'x' ? 2 : 0, i = 0;
	const char *digits;

	if (escape[1] == 0)
		return 0;
	digits = script->script.p + ++script->at;
	if (escape[1] == '\n')
		return 0;
	if (strchr("\"\\bfnrt", escape[1]) != NULL)
		return ctx_buf_add(out, escape, 2, err);
	while (i < n && script->at + i < script->script.n && is_hex(digits[i]))
		i++;
	if (n == 0 || i < n)
		return append_char(out, escape[1], err);
	script->at += n;
	return ctx_buf_printf(out, err, "\\u%s%.*s", n == 2 ? "00" : "", (int)n,
	    digits);
}

/* Reads the string literal that begins here and, if out is not NULL, appends it
 * as a JSON string.  A literal in " or ' ends at the end of its line at the
 * latest. */
static int
read_string(struct ctx_script *script, struct ctx_buf *out, struct ctx_err *err)
{
	char quote = peek_char(script), c;
	int rc = out == NULL ? 0 : ctx_buf_add(out, "\"", 1, err);

	for (script->at++; rc == 0 && (c = peek_char(script)) != 0;) {
		if (c == '\n' && quote != '`')
			break;
		script->at++;
		if (c == quote)
			break;
		if (out == NULL)
			script->at +=
			    c == '\\' && script->at < script->script.n;
		else if (c == '\\')
			rc = append_escape(script, out, err);
		else
			rc = append_char(out, c, err);
	}
	return rc < 0 || out == NULL ? rc : ctx_buf_add(out, "\"", 1, err);
}

/* Reads a name, which may be empty. */
static struct ctx_str
read_identifier(struct ctx_script *script)
{
	const char *from = script->script.p + script->at;

	while (is_identifier_char(peek_char(script)))
		script->at++;
	return (struct ctx_str){from,
	    (size_t)(script->script.p + script->at - from)};
}

static bool
is_identifier(struct ctx_str name, const char *text, size_t n)
{
	return name.n == n && memcmp(name.p, text, n) == 0;
}

/* Skips the rest of an expression: up to a comma, or a bracket that closes what
 * is around the expression. */
static void
skip_expression(struct ctx_script *script)
{
	unsigned depth = 0;
	char c;

	while ((c = skip_space(script)) != 0) {
		if (depth == 0 && strchr(",)]}", c) != NULL)
			return;
		if (is_quote(c)) {
			(void)read_string(script, NULL, NULL);
			continue;
		}
		if (strchr("([{", c) != NULL)
			depth++;
		else if (strchr(")]}", c) != NULL)
			depth--;
		skip_char(script);
	}
}

/* Forgets which string a variable has.  Returns the offset of the string's
 * literal, or SIZE_MAX if the variable had none. */
static size_t
take_variable(struct ctx_script *script, struct ctx_str name)
{
	for (size_t i = 0; name.n > 0 && i < CTX_LENGTH(script->variables); i++)
		if (is_identifier(script->variables[i].name, name.p, name.n)) {
			script->variables[i].name.n = 0;
			return script->variables[i].at;
		}
	return SIZE_MAX;
}

/* Appends the string that was assigned to a variable, or null.  Each string is
 * used only once, so that the time remains linear. */
static int
append_variable(struct ctx_script *script, struct ctx_str name,
    struct ctx_buf *out, struct ctx_err *err)
{
	size_t from = take_variable(script, name), at = script->at;
	int rc;

	if (from == SIZE_MAX)
		return ctx_buf_add(out, "null", 4, err);
	script->at = from;
	rc = read_string(script, out, err);
	script->at = at;
	return rc;
}

static int read_value(struct ctx_script *script, unsigned depth,
    struct ctx_buf *out, struct ctx_err *err);

/* Reads the name of a member and appends it as JSON, with a colon.  Sets *name
 * to the name, or to an empty text if the name is a string literal. */
static int
read_key(struct ctx_script *script, struct ctx_buf *out, struct ctx_str *name,
    struct ctx_err *err)
{
	*name = (struct ctx_str){NULL, 0};
	if (is_quote(peek_char(script)))
		return read_string(script, out, err) < 0
		    ? -1
		    : ctx_buf_add(out, ":", 1, err);
	*name = read_identifier(script);
	return ctx_buf_add(out, "\"", 1, err) < 0 ||
		ctx_buf_add_str(out, *name, err) < 0
	    ? -1
	    : ctx_buf_add(out, "\":", 2, err);
}

/* Reads an array, or an object if close is '}', and appends it as JSON.  The
 * opening bracket was read. */
static int
read_list(struct ctx_script *script, char close, unsigned depth,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_str name = {NULL, 0};
	bool first = true;
	size_t from;
	char c;

	if (ctx_buf_add(out, close == '}' ? "{" : "[", 1, err) < 0)
		return -1;
	while ((c = skip_space(script)) != 0 && c != close) {
		from = script->at;
		if (!first && ctx_buf_add(out, ",", 1, err) < 0)
			return -1;
		first = false;
		if (close == '}' && read_key(script, out, &name, err) < 0)
			return -1;
		if (close == '}' && skip_space(script) != ':') {
			/* {cmd} stands for {cmd: cmd}. */
			if (append_variable(script, name, out, err) < 0)
				return -1;
		} else {
			script->at += close == '}';
			if (read_value(script, depth, out, err) < 0)
				return -1;
		}
		skip_expression(script);
		if (peek_char(script) == ',' || script->at == from)
			script->at++;
	}
	script->at += c == close;
	return ctx_buf_add(out, &close, 1, err);
}

/* Reads a value and appends it as JSON; appends null if it is no literal.
 * depth: number of arrays and objects around it. */
static int
read_value(struct ctx_script *script, unsigned depth, struct ctx_buf *out,
    struct ctx_err *err)
{
	char c = skip_space(script);
	struct ctx_str name;
	bool is_number = ctx_is_digit(c);

	if (is_quote(c))
		return read_string(script, out, err);
	if ((c == '{' || c == '[') && depth < MOST_DEPTH) {
		script->at++;
		return read_list(script, c == '{' ? '}' : ']', depth + 1, out,
		    err);
	}
	name = read_identifier(script);
	for (size_t i = 0; i < name.n; i++)
		is_number &= ctx_is_digit(name.p[i]);
	/* JSON has no number 07; of 1.5 and 2 * 3, only a part was read. */
	if (is_number &&
	    ((c == '0' && name.n > 1) ||
		strchr(",)]}", skip_space(script)) == NULL))
		is_number = false;
	if (is_number || is_identifier(name, "true", 4) ||
	    is_identifier(name, "false", 5))
		return ctx_buf_add_str(out, name, err);
	return append_variable(script, name, out, err);
}

/* Reads the arguments of a tool call, and appends them as a JSON object. */
static int
read_arguments(struct ctx_script *script, struct ctx_buf *out,
    struct ctx_err *err)
{
	out->n = 0;
	if (skip_space(script) == '{')
		return read_value(script, 0, out, err);
	return ctx_buf_printf(out, err, "{\"input\":") < 0 ||
		read_value(script, 0, out, err) < 0
	    ? -1
	    : ctx_buf_add(out, "}", 1, err);
}

/* If something is assigned to the variable that was read, forgets what was
 * assigned to it before; if a string literal is assigned, stores the
 * variable. */
static void
note_variable(struct ctx_script *script, struct ctx_str name)
{
	const size_t most = CTX_LENGTH(script->variables);
	char c;

	if (skip_space(script) != '=')
		return;
	script->at++;
	c = skip_space(script);
	if (c == '=' || c == '>') /* "==", "=>" */
		return;
	(void)take_variable(script, name);
	if (is_quote(c))
		script->variables[script->n++ % most] =
		    (struct script_variable){name, script->at};
}

int
ctx_script_next_call(struct ctx_script *script, struct ctx_str *tool,
    struct ctx_buf *arguments, struct ctx_err *err)
{
	const size_t n = sizeof TOOLS - 1;
	struct ctx_str name;
	char c;

	while ((c = skip_space(script)) != 0) {
		if (is_quote(c)) {
			(void)read_string(script, NULL, NULL);
			continue;
		}
		name = read_identifier(script);
		if (name.n == 0) {
			skip_char(script);
			continue;
		}
		if (!is_identifier(name, TOOLS, n) ||
		    peek_char(script) != '.') {
			note_variable(script, name);
			continue;
		}
		script->at++;
		*tool = read_identifier(script);
		if (peek_char(script) != '(')
			continue;
		script->at++;
		return read_arguments(script, arguments, err) < 0 ? -1 : 1;
	}
	return 0;
}
