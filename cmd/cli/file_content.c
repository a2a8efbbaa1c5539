/* file_content.c - refuses to overwrite a file, or to append to it, if its
 * content does not look like output of the option that names the file */
#define _GNU_SOURCE /* memmem, in POSIX since 2024 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* Number of bytes at the beginning of a file that are examined. */
#define HEAD ((size_t)64 << 10)
/* The beginning of each line that --explain or ctx-count --json writes. */
#define REPORT "{\"file\":"

/* Reads the beginning of a regular file into a buffer.  Reads nothing if the
 * file cannot be opened: the error is reported later, when the file is opened
 * for writing. */
static void
read_head(const struct cli *cli, const char *path, struct ctx_buf *head)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct ctx_err err;
	struct stat file;
	ssize_t n = 0;

	if (fd < 0)
		return;
	if (fstat(fd, &file) < 0)
		cli_die_errno(cli, "access", path, errno);
	if (ctx_buf_reserve(head, HEAD, &err) < 0)
		cli_fail(cli, &err);
	if (S_ISREG(file.st_mode))
		n = cli_read_at(fd, head->p, HEAD, 0);
	if (n < 0)
		cli_die_errno(cli, "read", path, errno);
	head->n = (size_t)n;
	(void)close(fd);
}

static bool
contains(struct ctx_str text, const char *part)
{
	return memmem(text.p, text.n, part, strlen(part)) != NULL;
}

/* Removes the first line from *text, and returns this line without its line
 * end.  Sets *whole to true if the line has a line end. */
static struct ctx_str
take_line(struct ctx_str *text, bool *whole)
{
	const char *feed = memchr(text->p, '\n', text->n);
	struct ctx_str line = {text->p,
	    feed == NULL ? text->n : (size_t)(feed - text->p)};

	*whole = feed != NULL;
	text->p += line.n + *whole;
	text->n -= line.n + *whole;
	return line;
}

/* ---- --explain and --svg ---- */

static bool
is_explanation(struct ctx_str line)
{
	return ctx_str_begins(line, REPORT) && contains(line, "\"rule\":") &&
	    contains(line, "\"action\":");
}

static bool
is_explain_file(struct ctx_str head)
{
	bool whole;

	return is_explanation(take_line(&head, &whole));
}

static bool
is_svg(struct ctx_str head)
{
	return ctx_str_begins(head, "<?xml ") && contains(head, CLI_SVG_MARK);
}

/* ---- --archive ---- */

/* Returns true if a line looks like a JSON record.  The line must contain a
 * quote, and begin with { or [ or (the text of a system prompt) a quote.
 * Returns false for { or [ alone, the first line of a JSON document of several
 * lines. */
static bool
begins_record(struct ctx_str line)
{
	while (line.n > 0 && (*line.p == ' ' || *line.p == '\t')) {
		line.p++;
		line.n--;
	}
	return line.n > 0 &&
	    (*line.p == '{' || *line.p == '[' || *line.p == '"') &&
	    memchr(line.p, '"', line.n) != NULL;
}

/* Returns true if the name of a file begins with the string "beginning", and
 * continues with the text of a member of a JSON object. */
static bool
begins_with_member(const char *name, const char *beginning,
    const struct ctx_json *json, const char *member)
{
	uint32_t id = ctx_json_find(json, 0, member);
	struct ctx_str text = ctx_json_str(json, id);
	size_t n = strlen(beginning);

	return id != 0 && text.n > 2 && text.p[0] == '"' &&
	    strncmp(name, beginning, n) == 0 &&
	    strncmp(name + n, text.p + 1, text.n - 2) == 0;
}

/* Returns true if a line belongs to the session of Claude Code whose session
 * file has this path.  The name of a session file begins with the sessionId of
 * its lines.  The name of a subagent's file begins with "agent-" and the
 * agentId. */
static bool
names_session(const struct ctx_json *json, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;

	return begins_with_member(name, "", json, "sessionId") ||
	    begins_with_member(name, "agent-", json, "agentId");
}

/* Returns true if a line can be parsed as a message (not only detected as a
 * message).  Also returns true for other lines of a session file, because its
 * first line is often not a message. */
static bool
is_message(const struct cli *cli, const struct ctx_json *json,
    const struct ctx_dialect *dialect)
{
	struct ctx_message message = {0};
	struct ctx_err err;
	int rc = ctx_dialect_read_message(dialect, json, 0, &message, &err);

	ctx_message_release(&message);
	if (rc < 0)
		cli_fail(cli, &err);
	/* If there is no parentId, ctx_json_find returns node 0.  The value at
	 * node 0 is an object, which does not begin with a quote. */
	return rc > 0 || ctx_json_find(json, 0, "parentUuid") != 0 ||
	    ctx_json_find(json, 0, "leafUuid") != 0 ||
	    ctx_json_str(json, ctx_json_find(json, 0, "parentId")).p[0] == '"';
}

/* Returns true if a JSON value may be in an archive: it is a message, a
 * request, or a member of a request that ctx-cache changes. */
static bool
may_be_archived(const struct cli *cli, const struct ctx_json *json,
    const char *path)
{
	struct ctx_record_layout layout;

	if (json->nodes[0].kind != CTX_JSON_OBJECT)
		return true;
	ctx_detect(json, 0, NULL, &layout);
	if (layout.kind == CTX_LAYOUT_OTHER)
		return ctx_json_find(json, 0, "tools") != 0 ||
		    ctx_json_is(json, ctx_json_find(json, 0, "type"),
			"ephemeral");
	return !names_session(json, path) &&
	    (layout.kind != CTX_LAYOUT_MESSAGE ||
		is_message(cli, json, layout.dialect));
}

/* Returns true if all lines at the beginning of a file may be in an archive.
 * Accepts a line that is not JSON: it may be an incomplete record of a program
 * that was killed. */
static bool
is_archive(const struct cli *cli, struct ctx_str head, const char *path)
{
	struct ctx_json json;
	struct ctx_err err;
	bool whole = true, own = true;
	struct ctx_str line;
	int rc;

	ctx_json_init(&json, CTX_SIMD_BEST);
	while (own && head.n > 0) {
		line = take_line(&head, &whole);
		own = begins_record(line) && !ctx_str_begins(line, REPORT);
		if (!own)
			break;
		rc = ctx_json_scan_text(&json, line, &err);
		if (rc < 0)
			cli_fail(cli, &err);
		own = rc > 0 ? may_be_archived(cli, &json, path)
			     : *line.p != '"' || !whole;
	}
	ctx_json_release(&json);
	return own;
}

void
cli_refuse_content(const struct cli *cli, const char *path,
    enum cli_content content)
{
	static const char *const what[] = {
	    [CLI_CONTENT_ARCHIVE] = "an archive",
	    [CLI_CONTENT_EXPLAIN] = "a file that --explain wrote",
	    [CLI_CONTENT_SVG] = "a picture that --svg wrote",
	};
	struct ctx_buf buf = {0};
	struct ctx_str head;
	bool own;

	if (cli->force)
		return;
	read_head(cli, path, &buf);
	head = (struct ctx_str){buf.p, buf.n};
	own = head.n == 0 ||
	    (content == CLI_CONTENT_ARCHIVE ? is_archive(cli, head, path)
		    : content == CLI_CONTENT_EXPLAIN ? is_explain_file(head)
						     : is_svg(head));
	ctx_buf_release(&buf);
	if (!own)
		cli_die(cli,
		    "%.140s is not %s; name another file, or use --force to %s "
		    "it",
		    path, what[content],
		    content == CLI_CONTENT_ARCHIVE ? "append to" : "overwrite");
}
