/* report.c - reports the changes that a command makes: as a table for people
 * (--dry-run) or as JSON lines for programs (--explain) */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "cli/plan_table.h"

json_t *
cli_json_text(const char *p, size_t n)
{
	struct ctx_buf text = {0};
	struct ctx_err err;
	json_t *string = NULL;
	uint32_t cp;
	size_t at, length;

	for (at = 0; at < n; at += length) {
		length = ctx_utf8_next(p + at, n - at, &cp);
		if (ctx_utf8_valid(p + at, length, CTX_SIMD_BEST) == length
			? ctx_buf_add(&text, p + at, length, &err) < 0
			: ctx_buf_add(&text, "?", 1, &err) < 0)
			goto out;
	}
	string = json_stringn(text.n > 0 ? text.p : "", text.n);
out:
	ctx_buf_release(&text);
	return string;
}

json_t *
cli_json_with(json_t *object, const char *key, json_t *value)
{
	if (object == NULL)
		json_decref(value);
	else if (json_object_set_new(object, key, value) == 0)
		return object;
	json_decref(object);
	return NULL;
}

json_t *
cli_json_number(json_t *object, const char *key, uint64_t value)
{
	return cli_json_with(object, key, json_integer((json_int_t)value));
}

/* Writes a character as a JSON escape: above U+FFFF, as two surrogates. */
static int
put_escape(FILE *to, uint32_t cp)
{
	unsigned c = cp > 0xffff ? 0xdc00 + (cp & 0x3ff) : cp;

	if (cp > 0xffff &&
	    fprintf(to, "\\u%04x", 0xd800 + ((unsigned)cp - 0x10000) / 0x400) <
		0)
		return -1;
	return fprintf(to, "\\u%04x", c);
}

/* Writes JSON and a line feed.  Writes characters that could confuse a terminal
 * as escapes.  Such characters occur only within JSON strings. */
static int
put_line(FILE *to, const char *json)
{
	size_t n = strlen(json), from = 0, at, length;
	uint32_t cp;

	for (at = 0; at < n; at += length) {
		length = ctx_utf8_next(json + at, n - at, &cp);
		if (cli_is_safe(cp))
			continue;
		if (fwrite(json + from, 1, at - from, to) < at - from ||
		    put_escape(to, cp) < 0)
			return -1;
		from = at + length;
	}
	if (fwrite(json + from, 1, n - from, to) < n - from)
		return -1;
	return fputc('\n', to) == EOF ? -1 : 0;
}

int
cli_json_line(FILE *to, const char *name, json_t *line, size_t flags,
    struct ctx_err *err)
{
	char *json =
	    line == NULL ? NULL : json_dumps(line, JSON_COMPACT | flags);
	int rc, sys;

	json_decref(line);
	if (json == NULL)
		return ctx_err_nomem(err);
	errno = 0;
	rc = put_line(to, json);
	sys = errno;
	free(json);
	if (rc == 0)
		return 0;
	if (sys == EPIPE && to == stdout)
		return ctx_err_set(err, CTX_EPIPE,
		    "the program that reads %s has closed it", name);
	return ctx_err_sys(err, sys != 0 ? sys : EIO, "cannot write %s", name);
}

/* Creates and opens the file of --explain.  Exits with an error if the file
 * cannot be created, must not be overwritten, or is also another output of the
 * command. other: path of that output, or NULL. */
static FILE *
open_explain(const struct cli *cli, const char *path, const char *other)
{
	struct ctx_err err;
	FILE *file;
	int fd;

	cli_refuse_overwrite(cli, path, other);
	cli_refuse_content(cli, path, CLI_CONTENT_EXPLAIN);
	fd = ctx_open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (file == NULL) {
		(void)ctx_err_open(&err, errno, "", path);
		cli_fail(cli, &err);
	}
	return file;
}

/* Exits because the file of --explain could not be written. */
static _Noreturn void
refuse_explain(const struct cli *cli, const char *path)
{
	cli_die(cli, "cannot write %s: %s", path,
	    errno != 0 ? strerror(errno) : CLI_LOST);
}

static void
close_explain(const struct cli *cli, FILE *file, const char *path)
{
	bool failed = ferror(file) != 0;

	errno = 0;
	failed |= fflush(file) != 0;
	failed |= fclose(file) != 0 && errno != EINTR;
	if (failed)
		refuse_explain(cli, path);
}

json_t *
cli_json_finding(const struct ctx_finding *finding)
{
	const char *file = finding->place.file;

	return json_pack("{s:o, s:I, s:o, s:s, s:s}", "file",
	    cli_json_text(file, strlen(file)), "line",
	    (json_int_t)finding->place.line, "index",
	    finding->in_request
		? json_null()
		: json_integer((json_int_t)finding->place.message),
	    "rule", ctx_rule_at(finding->id)->id, "what", finding->what);
}

/* Returns a JSON object about a change that repairs a finding. */
static json_t *
make_repair_json(const struct ctx_change *change)
{
	json_t *line = cli_json_finding(change->finding);

	line = cli_json_with(line, "role",
	    json_string(ctx_role_name(change->role)));
	return cli_json_with(line, "action", json_string(change->action));
}

/* Returns a JSON object with the members of a change that depend on what was
 * changed: a member of a request, a line that is not sent to the model, or a
 * message.  Returns NULL if there is no memory. */
static json_t *
make_change_json(const struct ctx_change *change)
{
	bool is_member = change->member.n > 0;
	bool is_message = !is_member && !change->aside;
	json_t *line = json_pack("{s:o, s:I}", "file",
	    cli_json_text(change->file, strlen(change->file)), "line",
	    (json_int_t)change->line);

	if (is_member)
		line = cli_json_with(line, "member",
		    cli_json_text(change->member.p, change->member.n));
	if (is_message) {
		line = cli_json_number(line, "index", change->index);
		line = cli_json_with(line, "role",
		    json_string(ctx_role_name(change->role)));
		line = cli_json_with(line, "tool",
		    cli_json_text(change->tool.p, change->tool.n));
	}
	line = cli_json_with(line, "rule", json_string(change->rule));
	line = cli_json_with(line, "action", json_string(change->action));
	if (is_message) {
		line = cli_json_number(line, "before", change->before);
		line = cli_json_number(line, "after", change->after);
	}
	return line;
}

static int
write_explanation(struct cli_report *report, const struct ctx_change *change,
    struct ctx_err *err)
{
	json_t *line;

	if (report->is_table)
		return cli_explain_row(report, change, err);
	line = change->finding != NULL ? make_repair_json(change)
				       : make_change_json(change);
	line = cli_json_with(line, "sha256", json_string(change->sha256));
	if (change->ranked)
		line = cli_json_with(line, "score", json_real(change->rank));
	if (change->is_block)
		line = cli_json_with(line, "part", json_true());
	if (report->archive_path != NULL && change->finding == NULL &&
	    strcmp(change->action, "add") != 0)
		line = cli_json_with(line, "archive",
		    cli_json_text(report->archive_path,
			strlen(report->archive_path)));
	return cli_json_line(report->explain,
	    report->explain == stdout ? CLI_STDOUT : report->explain_path, line,
	    0, err);
}

/* ---- the plan ---- */

/* Prints a row of the table of --dry-run for changes of something other than
 * messages. what: "members" (of requests), or "lines" (of a session file that
 * are not sent to the model); n: how many were changed. */
static void
print_others(const struct cli_rule *rule, uint64_t n, const char *what)
{
	struct cli_words words = cli_change_words(rule->action, rule->name);

	if (n > 0)
		cli_plan_row(&(struct cli_plan_row){.action = words.action,
		    .reason = words.reason,
		    .count_sign = ' ',
		    .count = n,
		    .unit = what});
}

/* Returns the number of tokens by which all changes for one reason (rule)
 * together make the output shorter or longer. */
static uint64_t
tokens_of(const struct cli_rule *rule)
{
	return rule->after > rule->before ? rule->after - rule->before
					  : rule->before - rule->after;
}

static void
print_messages(const struct cli_rule *rule)
{
	struct cli_words words = cli_change_words(rule->action, rule->name);
	bool adds = strcmp(rule->action, "add") == 0;
	bool drops = strcmp(rule->action, "drop") == 0;

	if (rule->messages == 0 && rule->before == rule->after)
		return;
	cli_plan_row(&(struct cli_plan_row){.action = words.action,
	    .reason = words.reason,
	    .count_sign = adds ? '+'
		: drops        ? '-'
			       : ' ',
	    .count = rule->messages,
	    .unit = "messages",
	    .tokens_sign = rule->after > rule->before ? '+'
		: rule->after < rule->before          ? '-'
						      : ' ',
	    .tokens = tokens_of(rule),
	    .has_tokens = true});
}

static void
print_rule(const struct cli_report *report, const struct cli_rule *rule)
{
	if (report->repairs) {
		print_others(rule, rule->messages, "repairs");
		return;
	}
	print_others(rule, rule->members, "members");
	print_others(rule, rule->lines, "lines");
	print_messages(rule);
}

void
cli_report_rules(struct cli_report *report)
{
	const struct cli_rule *rule;

	for (rule = report->rules; rule->name != NULL; rule++)
		if (strcmp(rule->action, "drop") == 0)
			print_rule(report, rule);
	for (rule = report->rules; rule->name != NULL; rule++)
		if (strcmp(rule->action, "drop") != 0)
			print_rule(report, rule);
}

/* Returns a JSON array with the sums of messages and tokens that were changed
 * for each reason (rule).  The caller must free it.  Returns NULL if there is
 * no memory. */
static json_t *
make_rules_json(const struct cli_report *report)
{
	const struct cli_rule *rule;
	json_t *list = json_array(), *row;

	for (rule = report->rules; list != NULL && rule->name != NULL; rule++) {
		row = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I}", "rule",
		    rule->name, "action", rule->action, "messages",
		    (json_int_t)rule->messages, "tokens",
		    (json_int_t)tokens_of(rule), "before",
		    (json_int_t)rule->before, "after", (json_int_t)rule->after);
		if (rule->lines > 0)
			row = cli_json_number(row, "lines", rule->lines);
		if (rule->members > 0)
			row = cli_json_number(row, "members", rule->members);
		if (json_array_append_new(list, row) < 0) {
			json_decref(list);
			list = NULL;
		}
	}
	return list;
}

json_t *
cli_report_object(struct cli_report *report, const char *file)
{
	return json_pack("{s:o, s:o}", "file",
	    cli_json_text(file, strlen(file)), "rules",
	    make_rules_json(report));
}

bool
cli_report_plans(const struct cli_report *report)
{
	return report->dry_run && report->explain == NULL;
}

void
cli_report_forget(struct cli_report *report)
{
	memset(report->rules, 0, sizeof report->rules);
}

/* At the end of an input file, prints what the command would change in this
 * file (--dry-run), unless the command prints this itself.  Then sets the sums
 * of changes to 0. */
static int
end_file(struct cli_report *report, struct ctx_err *err)
{
	int rc = 0;

	if (report->file != NULL && cli_report_plans(report)) {
		if (report->json) {
			rc = cli_json_line(stdout, CLI_STDOUT,
			    cli_report_object(report, report->file), 0, err);
		} else {
			rc = cli_plan_title(report->file, 0, err);
			if (rc == 0)
				cli_report_rules(report);
		}
	}
	if (report->file != NULL)
		cli_report_forget(report);
	report->file = NULL;
	return rc;
}

/* Returns true if the change increases the number of changed messages.  A
 * message with several changes is counted only once.  Members of requests, and
 * lines that are not sent to the model, are counted separately. */
static bool
is_counted(const struct ctx_change *change)
{
	return change->member.n == 0 && !change->aside && !change->is_block &&
	    !change->continues;
}

static void
add_to_rule(struct cli_report *report, const struct ctx_change *change)
{
	struct cli_rule *rule = report->rules, *last = rule + CLI_RULES - 1;

	while (rule < last && rule->name != NULL &&
	    (strcmp(rule->name, change->rule) != 0 ||
		strcmp(rule->action, change->action) != 0))
		rule++;
	rule->name = change->rule;
	rule->action = change->action;
	rule->members += change->member.n > 0;
	rule->lines += change->aside;
	rule->messages += is_counted(change);
	rule->before += change->before;
	rule->after += change->after;
}

static int
report_change(void *user, const struct ctx_change *change, struct ctx_err *err)
{
	struct cli_report *report = user;

	if (report->by_file &&
	    (report->file == NULL || strcmp(report->file, change->file) != 0)) {
		if (end_file(report, err) < 0)
			return -1;
		report->file = change->file;
	}
	report->has_changes = true;
	add_to_rule(report, change);
	return report->explain != NULL ? write_explanation(report, change, err)
				       : 0;
}

/* ---- opening and closing ---- */

void
cli_report_open(struct cli *cli, struct cli_report *report,
    struct ctx_report *out)
{
	const char *path = report->explain_path;
	const char *archive = report->archive_path;
	struct ctx_err err;

	out->dry_run = report->dry_run;
	cli->in_place &= !report->dry_run;
	out->hashes = path != NULL;
	out->user = report;
	if (path != NULL || out->dry_run)
		out->on_change = report_change;
	if (report->json && !out->dry_run)
		cli_die(cli, "--json needs --dry-run");
	if (path != NULL && strcmp(path, "-") == 0) {
		if (!out->dry_run)
			cli_die(cli,
			    "--explain=- (standard output) needs --dry-run");
		report->explain = stdout;
		report->is_table = isatty(STDOUT_FILENO) && !report->json;
		path = NULL;
	}
	if (archive != NULL) {
		cli_refuse_overwrite(cli, archive, path);
		cli_refuse_content(cli, archive, CLI_CONTENT_ARCHIVE);
	}
	if (archive != NULL && !out->dry_run) {
		if (ctx_archive_open(&report->archive, archive, &err) < 0)
			cli_fail(cli, &err);
		out->archive = &report->archive;
	}
	if (path != NULL)
		report->explain = open_explain(cli, path, archive);
	cli->report = report;
}

void
cli_report_sync(const struct cli *cli)
{
	struct cli_report *report = cli->report;
	struct ctx_err err;

	if (report == NULL)
		return;
	if (report->archive_path != NULL &&
	    ctx_archive_sync(&report->archive, &err) < 0)
		cli_fail(cli, &err);
	errno = 0;
	if (report->explain != NULL &&
	    (fflush(report->explain) != 0 || ferror(report->explain) != 0))
		refuse_explain(cli, report->explain_path);
}

void
cli_report_close(struct cli *cli, struct cli_report *report,
    struct ctx_report *out)
{
	struct ctx_err err;

	if (end_file(report, &err) < 0)
		cli_fail(cli, &err);
	if (report->dry_run && report->by_file && !report->json &&
	    !report->has_changes && !cli->still)
		cli_say(cli, "nothing would change");
	if (out->archive != NULL &&
	    ctx_archive_close(&report->archive, &err) < 0)
		cli_fail(cli, &err);
	out->archive = NULL;
	cli->report = NULL;
	if (report->explain != NULL && report->explain != stdout)
		close_explain(cli, report->explain, report->explain_path);
	report->explain = NULL;
}
