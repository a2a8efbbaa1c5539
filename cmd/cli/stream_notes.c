/*
 * stream_notes.c - prints messages about a stream after it was read
 */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"

/* Returns the length in bytes of a jq path up to the end of its last "[]",
 * which stands for each element of an array: 7 for ".runs[].log".  Returns 0 if
 * the path has no "[]". */
static int
find_each_end(const char *path)
{
	const char *next = path;
	int n = 0;

	while ((next = strstr(next, "[]")) != NULL) {
		next += 2;
		n = (int)(next - path);
	}
	return n;
}

/* Prints three things: no messages were found; where the record seems to
 * contain messages that ctx cannot find itself; and a jq command that extracts
 * these messages.  If the messages are in a request, the jq command extracts
 * the whole request, with the model, the system prompt and the tools. */
static void
note_suggested_path(const struct cli *cli, const struct ctx_found *found)
{
	const struct ctx_suggested_path *suggested = &found->suggested_path;
	const char *path = suggested->path;
	const char *where = suggested->coded ? "as JSON in a string at" : "at";
	int n = find_each_end(path);

	if (suggested->request)
		cli_say(cli,
		    "%s:%" PRIu64
		    ": no messages were found, but there is a request %s "
		    "%s; to read it: jq -c '%s%s'",
		    found->file, found->line, where, path, path,
		    suggested->coded ? " | fromjson?" : "");
	else
		cli_say(cli,
		    "%s:%" PRIu64 ": no messages were found, but there are "
		    "some %s %s; to read those: jq -c '%.*s%s{messages: "
		    "%s%s%s%s}'",
		    found->file, found->line, where, path, n, path,
		    n > 0 ? " | " : "", suggested->coded ? "(" : "",
		    path[n] == '.' ? "" : ".", path + n,
		    suggested->coded ? " | fromjson?)" : "");
}

/* Warns that no messages were found in the input.  Prints nothing if the input
 * has no records. */
static void
note_none(const struct cli *cli, const struct ctx_found *found)
{
	if (found->file == NULL)
		return;
	if (found->suggested_path.path[0] != '\0')
		note_suggested_path(cli, found);
	else
		cli_say(cli,
		    "%s:%" PRIu64 ": no messages were found; ctx-stream(5) "
		    "lists the formats that ctx reads",
		    found->file, found->line);
}

void
cli_note_stream(const struct cli *cli, const struct ctx_stream *stream)
{
	const struct ctx_err *bad = &stream->first_bad;
	const struct ctx_found *found = &stream->found;

	if (stream->bad > 0)
		cli_say(cli,
		    "%s:%" PRIu64 ":%" PRIu64 ": %s; the line is left as it is",
		    bad->file, bad->line, bad->column, bad->text);
	if (stream->bad > 1)
		cli_say(cli,
		    "%" PRIu64 " more lines are left as they are, because they "
		    "are not valid JSON",
		    stream->bad - 1);
	if (stream->mixed.dialect != NULL)
		cli_say(cli,
		    "%s:%" PRIu64
		    ": a message of dialect %s follows messages of %s; each is "
		    "read in its own dialect, unless --dialect names one for "
		    "all",
		    stream->mixed.file, stream->mixed.line,
		    stream->mixed.dialect->name, stream->dialect->name);
	if (stream->overruled.dialect != NULL)
		cli_say(cli,
		    "%s:%" PRIu64
		    ": %s shows dialect %s, but --dialect says %s; without "
		    "--dialect each message is read in its own dialect",
		    stream->overruled.file, stream->overruled.line,
		    stream->overruled.why, stream->overruled.dialect->name,
		    stream->forced->name);
	if (cli->verbose && stream->orphan.file != NULL)
		cli_say(cli,
		    "%s:%" PRIu64 ": the parent that this line names is not in "
		    "the file, so earlier messages are neither counted nor "
		    "changed",
		    stream->orphan.file, stream->orphan.line);
	if (found->dialect == NULL)
		note_none(cli, found);
	else if (cli->verbose && stream->forced != NULL)
		cli_say(cli, "dialect %s, chosen by --dialect",
		    found->dialect->name);
	else if (cli->verbose)
		cli_say(cli, "dialect %s, detected by %s (%s:%" PRIu64 ")%s",
		    found->dialect->name, found->why, found->file, found->line,
		    found->others ? "; later records have other dialects" : "");
}

void
cli_require_messages(struct cli *cli, const struct ctx_stream *stream)
{
	const struct ctx_found *found = &stream->found;

	if (found->has_message || (found->file == NULL && stream->bad == 0))
		return;
	cli_status(cli, CLI_TROUBLE);
	if (found->dialect != NULL)
		cli_say(cli, "%s:%" PRIu64 ": the list of messages is empty",
		    found->file, found->line);
}
