/* report.c - what was done, for people and for programs */
#include <inttypes.h>
#include <jansson.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

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

int
cli_json_line(FILE *to, json_t *line)
{
	int rc = -1;

	if (line != NULL && json_dumpf(line, to, JSON_COMPACT) == 0 &&
	    fputc('\n', to) != EOF)
		rc = 0;
	json_decref(line);
	return rc;
}

static json_t *
json_message(const struct ctx_touch *touch)
{
	return json_pack("{s:o, s:I, s:I, s:s, s:o, s:s, s:s, s:I, s:I}",
	    "file", cli_json_text(touch->file, strlen(touch->file)), "line",
	    (json_int_t)touch->line, "index", (json_int_t)touch->index, "role",
	    ctx_role_name(touch->role), "tool",
	    cli_json_text(touch->tool.p, touch->tool.n), "rule", touch->rule,
	    "action", touch->action, "before", (json_int_t)touch->before,
	    "after", (json_int_t)touch->after);
}

static json_t *
json_member(const struct ctx_touch *touch)
{
	return json_pack("{s:o, s:I, s:o, s:s, s:s}", "file",
	    cli_json_text(touch->file, strlen(touch->file)), "line",
	    (json_int_t)touch->line, "member",
	    cli_json_text(touch->member.p, touch->member.n), "rule",
	    touch->rule, "action", touch->action);
}

static int
explain(struct cli_report *report, const struct ctx_touch *touch,
    struct ctx_err *err)
{
	json_t *line = touch->member.n > 0 ? json_member(touch)
					   : json_message(touch);
	char hash[SHA256_DIGEST_STRING_LENGTH];

	SHA256Data((const uint8_t *)touch->bytes.p, touch->bytes.n, hash);
	if (line != NULL)
		json_object_set_new(line, "sha256", json_string(hash));
	if (line != NULL && touch->ranked)
		json_object_set_new(line, "score", json_real(touch->rank));
	if (line != NULL && report->archive_path != NULL)
		json_object_set_new(line, "archive",
		    cli_json_text(report->archive_path,
			strlen(report->archive_path)));
	if (cli_json_line(report->explain, line) < 0)
		return ctx_err_set(err, CTX_EARG, "cannot write to %s",
		    report->explain_path);
	return 0;
}

/* ---- the plan ---- */

static void
print_row(const char *what, const char *why, char of_messages,
    uint64_t messages, char of_tokens, uint64_t tokens)
{
	printf("  %-6s %-24s %c%9" PRIu64 " messages %c%11" PRIu64 " tokens\n",
	    what, why, of_messages, messages, of_tokens, tokens);
}

/* What a rule did to members of requests. */
static void
print_members(const struct cli_rule *rule)
{
	if (rule->members > 0)
		printf("  %-6s %-24s  %9" PRIu64 " members\n", rule->action,
		    rule->name, rule->members);
}

void
cli_report_row(const char *name, uint64_t messages, uint64_t tokens)
{
	print_row(name, "", ' ', messages, ' ', tokens);
}

/* The tokens that went, or came. */
static uint64_t
tokens_of(const struct cli_rule *rule)
{
	return rule->after > rule->before ? rule->after - rule->before
					  : rule->before - rule->after;
}

void
cli_report_rules(struct cli_report *report)
{
	const struct cli_rule *rule;
	bool adds, edits;

	for (rule = report->rules; rule->name != NULL; rule++) {
		adds = strcmp(rule->action, "add") == 0;
		edits = !adds && strcmp(rule->action, "drop") != 0;
		print_members(rule);
		if (rule->messages == 0)
			continue;
		print_row(rule->action, rule->name,
		    adds	? '+'
			: edits ? ' '
				: '-',
		    rule->messages,
		    rule->after > rule->before	      ? '+'
			: rule->after < rule->before ? '-'
						      : ' ',
		    tokens_of(rule));
	}
}

/* The rules as an array of JSON. */
static json_t *
json_rules(const struct cli_report *report)
{
	const struct cli_rule *rule;
	json_t *list = json_array(), *row;

	for (rule = report->rules; rule->name != NULL; rule++) {
		row = json_pack("{s:s, s:s, s:I, s:I}", "rule", rule->name,
		    "action", rule->action, "messages",
		    (json_int_t)rule->messages, "tokens",
		    (json_int_t)tokens_of(rule));
		if (row != NULL && rule->members > 0)
			json_object_set_new(row, "members",
			    json_integer((json_int_t)rule->members));
		json_array_append_new(list, row);
	}
	return list;
}

int
cli_report_json(struct cli_report *report, const char *file, json_t *more)
{
	json_t *line = json_pack("{s:o, s:o}", "file",
	    cli_json_text(file, strlen(file)), "rules", json_rules(report));

	if (line != NULL && more != NULL)
		json_object_update(line, more);
	json_decref(more);
	return cli_json_line(stdout, line);
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

/* What was planned for a file, if nobody else prints it. */
static void
end_file(struct cli_report *report)
{
	if (report->file != NULL && cli_report_plans(report)) {
		if (report->json) {
			(void)cli_report_json(report, report->file, NULL);
		} else {
			cli_print_masked(stdout, report->file,
			    strlen(report->file));
			(void)putchar('\n');
			cli_report_rules(report);
		}
	}
	if (report->file != NULL)
		cli_report_forget(report);
	report->file = NULL;
}

static void
add_to_rule(struct cli_report *report, const struct ctx_touch *touch)
{
	struct cli_rule *rule = report->rules, *last = rule + CLI_RULES - 1;

	while (rule < last && rule->name != NULL &&
	    (strcmp(rule->name, touch->rule) != 0 ||
		strcmp(rule->action, touch->action) != 0))
		rule++;
	rule->name = touch->rule;
	rule->action = touch->action;
	*(touch->member.n > 0 ? &rule->members : &rule->messages) += 1;
	rule->before += touch->before;
	rule->after += touch->after;
}

static int
touched(void *user, const struct ctx_touch *touch, struct ctx_err *err)
{
	struct cli_report *report = user;

	if (report->by_file &&
	    (report->file == NULL || strcmp(report->file, touch->file) != 0)) {
		end_file(report);
		report->file = touch->file;
	}
	add_to_rule(report, touch);
	return report->explain != NULL ? explain(report, touch, err) : 0;
}

/* ---- opening and closing ---- */

void
cli_report_open(struct cli *cli, struct cli_report *report,
    struct ctx_report *out)
{
	const char *path = report->explain_path;
	struct ctx_err err;

	out->dry_run = report->dry_run;
	out->user = report;
	if (path != NULL || out->dry_run)
		out->touched = touched;
	if (report->json && !out->dry_run)
		cli_die(cli, "--json needs --dry-run");
	if (path != NULL && strcmp(path, "-") == 0) {
		if (!out->dry_run)
			cli_die(cli, "--explain - needs --dry-run");
		report->explain = stdout;
	} else if (path != NULL) {
		report->explain = fopen(path, "w");
		if (report->explain == NULL)
			cli_die(cli, "cannot open %s", path);
	}
	if (report->archive_path == NULL || out->dry_run)
		return;
	if (ctx_archive_open(&report->archive, report->archive_path, &err) < 0)
		cli_fail(cli, &err);
	out->archive = &report->archive;
}

void
cli_report_close(struct cli *cli, struct cli_report *report,
    struct ctx_report *out)
{
	struct ctx_err err;

	end_file(report);
	if (out->archive != NULL &&
	    ctx_archive_close(&report->archive, &err) < 0)
		cli_fail(cli, &err);
	out->archive = NULL;
	if (report->explain != NULL && report->explain != stdout &&
	    fclose(report->explain) != 0)
		cli_die(cli, "cannot write to %s", report->explain_path);
	report->explain = NULL;
}
