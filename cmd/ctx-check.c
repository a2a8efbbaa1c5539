/* ctx-check.c - command that finds what the provider would refuse in a
 * conversation, and repairs it */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "check/after.h"
#include "cli/in_place.h"
#include "cli/option_rows.h"

/* Maximum number of findings (rules that a message breaks) that --repair
 * prints on standard error. */
#define MOST_LINES 10

struct check_command {
	struct cli cli;
	struct ctx_check_config options;
	struct cli_report report;
	const char *after;
	unsigned provider; /* index in the table of providers */
	struct cli_annotations annotations;
	bool repair, json, sarif, quiet, list_rules, reasoning_given,
	    provider_given;
	uint64_t found; /* number of findings in all input files */
};

/* ---- SARIF 2.1.0 ---- */

/* Encodes a file name as a relative URI, in a JSON string.  Bytes that a URI
 * may not contain are written as %XX.  Returns NULL if there is no memory. */
static json_t *
encode_uri(const char *file)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789"
				    "-._~/";
	size_t n = strlen(file), i;
	char *uri = malloc(n * 3 + 1), *to = uri;
	json_t *string;

	for (i = 0; uri != NULL && i < n; i++) {
		if (strchr(plain, file[i]) != NULL)
			*to++ = file[i];
		else
			to += snprintf(to, 4, "%%%02X",
			    (unsigned)(unsigned char)file[i]);
	}
	if (uri == NULL)
		return NULL;
	string = json_stringn(uri, (size_t)(to - uri));
	free(uri);
	return string;
}

/* Prints the beginning of the SARIF file: the name of the command and its
 * rules. */
static void
begin_sarif(const struct check_command *check)
{
	const struct ctx_rule *rule;
	struct ctx_err err;
	json_t *row;
	size_t i;

	printf("{\"$schema\":\"https://json.schemastore.org/"
	       "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":"
	       "{\"driver\":{\"name\":\"ctx-check\",\"version\":\"%s\","
	       "\"rules\":[\n",
	    CTX_VERSION);
	for (i = 0; (rule = ctx_rule_at(i)) != NULL; i++) {
		row = json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", rule->id,
		    "shortDescription", "text", rule->about, "help", "text",
		    rule->source);
		if (i > 0)
			putchar(',');
		if (cli_json_line(stdout, CLI_STDOUT, row, 0, &err) < 0)
			cli_fail(&check->cli, &err);
	}
	printf("]}},\"results\":[");
}

static int
print_sarif(const struct check_command *check,
    const struct ctx_finding *finding, struct ctx_err *err)
{
	json_t *result = json_pack("{s:s, s:i, s:s, s:{s:s}, s:[{s:{s:{s:o}, "
				   "s:{s:I}}}]}",
	    "ruleId", ctx_rule_at(finding->id)->id, "ruleIndex",
	    (int)finding->id, "level", "error", "message", "text",
	    finding->what, "locations", "physicalLocation", "artifactLocation",
	    "uri", encode_uri(finding->place.file), "region", "startLine",
	    (json_int_t)finding->place.line);

	if (result != NULL && check->found > 1)
		putchar(',');
	if (result != NULL)
		putchar('\n');
	return cli_json_line(stdout, CLI_STDOUT, result, 0, err);
}

static void
end_sarif(bool done)
{
	printf("],\"invocations\":[{\"executionSuccessful\":%s}]}]}\n",
	    done ? "true" : "false");
}

/* ---- findings ---- */

static void
print_finding(FILE *to, const struct ctx_finding *finding)
{
	const struct ctx_place *place = &finding->place;

	cli_print_masked(to, place->file, strlen(place->file));
	(void)fprintf(to, ":%" PRIu64 ": %s: ", place->line,
	    ctx_rule_at(finding->id)->id);
	cli_print_masked(to, finding->what, strlen(finding->what));
	/* If a record contains several messages, the line number does not
	 * identify the message.  So the number of the message is printed,
	 * too. */
	if (finding->in_request)
		(void)fprintf(to, " (beside the messages)");
	else if (place->inside && finding->id != CTX_RULE_NO_MESSAGE)
		(void)fprintf(to, " (message %" PRIu64 ")", place->message);
	(void)fputc('\n', to);
}

static void
annotate_finding(const struct check_command *check,
    const struct ctx_finding *finding)
{
	char text[600];

	(void)snprintf(text, sizeof text, "%s: %s",
	    ctx_rule_at(finding->id)->id, finding->what);
	cli_print_annotation(&check->cli, &check->annotations,
	    finding->place.file, finding->place.line, text);
}

static int
handle_finding(void *user, const struct ctx_finding *finding,
    struct ctx_err *err)
{
	struct check_command *check = user;
	int rc = 0;

	cli_status(&check->cli, CLI_NO);
	check->found++;
	if (check->quiet)
		return 0;
	cli_progress_clear(&check->cli);
	if (check->repair) {
		if (check->found <= MOST_LINES)
			print_finding(stderr, finding);
	} else if (check->sarif) {
		rc = print_sarif(check, finding, err);
	} else if (check->annotations.given) {
		annotate_finding(check, finding);
	} else if (check->json) {
		rc = cli_json_line(stdout, CLI_STDOUT,
		    cli_json_finding(finding), 0, err);
	} else {
		print_finding(stdout, finding);
		cli_check_stdout(&check->cli);
	}
	if (check->cli.unbuffered)
		(void)fflush(stdout);
	return rc;
}

/* ---- files ---- */

/* Called at the end of an input file.  With --verbose, prints how many
 * messages, findings and repairs it has.  Stores a text that --in-place prints,
 * and prints messages about signed reasoning. found: number of findings in the
 * file that were not repaired. */
static void
report_file(struct check_command *check, uint64_t found)
{
	struct ctx_check_config *options = &check->options;

	if (check->cli.verbose)
		cli_say(&check->cli,
		    "%s: %" PRIu64 " messages, %" PRIu64
		    " findings repaired, %" PRIu64 " not repaired",
		    check->cli.files[check->cli.n_opened - 1],
		    options->messages, options->repaired, found);
	cli_describe_change("findings repaired: %" PRIu64, options->repaired);
	cli_note_removed_reasoning(&check->cli, options->reasoning_removed,
	    options->reasoning_dropped);
	if (!check->quiet)
		cli_note_reasoning(&check->cli, options->reasoning_kept,
		    options->refused);
}

/* Sets the exit status to CLI_TROUBLE if nothing in an input file was checked.
 * Otherwise a script could mistake an empty file, such as the output of a
 * failed command, for a conversation without findings.  With --repair an empty
 * file is no error.  found: number of findings in the file.  A request with an
 * empty list of messages has a finding that says so; it does not change the
 * status here. */
static void
require_messages(struct check_command *check, const struct ctx_stream *stream,
    uint64_t found)
{
	struct cli *cli = &check->cli;

	if (found > 0 && stream->found.dialect != NULL)
		return;
	cli_require_messages(cli, stream);
	if (check->repair || stream->found.file != NULL || stream->bad > 0)
		return;
	cli_status(cli, CLI_TROUBLE);
	cli_say(cli, "%s: the input is empty, so nothing was checked",
	    cli->files[cli->n_opened - 1]);
}

static void
check_files(struct check_command *check)
{
	struct ctx_writer writer, *output = NULL;
	struct ctx_stream stream;
	struct ctx_err err;
	uint64_t before, found;

	if (check->repair && !check->report.dry_run)
		output = &writer;
	while (cli_next_stream(&check->cli, &stream, output)) {
		before = check->found;
		if (ctx_check_stream(&stream, output, &check->options, &err) <
		    0) {
			if (check->sarif)
				end_sarif(false);
			cli_fail(&check->cli, &err);
		}
		found = check->found - before;
		require_messages(check, &stream, found);
		cli_note_stream(&check->cli, &stream);
		report_file(check, found);
		cli_end_stream(&check->cli, &stream, output);
	}
}

/* Prints all rules of ctx-check, each with the providers whose message formats
 * it applies to. */
static void
list_rules(void)
{
	const struct ctx_provider *provider;
	const struct ctx_rule *rule;
	size_t i, k;

	for (i = 0; (rule = ctx_rule_at(i)) != NULL; i++) {
		printf("%s\n    %s\n    for:", rule->id, rule->about);
		if (rule->when == 0)
			printf(" all");
		if (rule->when == CTX_CALLS_FIT)
			printf(" --schema");
		for (k = 0;
		     rule->when != 0 && (provider = ctx_provider_at(k)) != NULL;
		     k++)
			if (rule->when &
			    ctx_provider_rules(provider,
				ctx_dialect_find(provider->dialect), true))
				printf(" %s", provider->name);
		printf("\n    source: %s\n", rule->source);
	}
}

/* ---- options ---- */

static void
parse(struct check_command *check, int argc, char **argv)
{
	unsigned reasoning = CTX_REASONING_DROP;
	const struct cli_option options[] = {
	    {0, "provider", "NAME",
		"also check the rules of NAME; see --list-rules", CLI_CHOICE,
		&check->provider, ctx_provider_name, &check->provider_given},
	    {'m', "model", "NAME",
		"model: decides some rules (named by the input)", CLI_FILE,
		&check->cli.model, ctx_model_name, NULL},
	    {0, "allow-pending", NULL,
		"accept calls at the end that have no result yet", CLI_FLAG,
		&check->options.allow_pending, NULL, NULL},
	    {'q', "quiet", NULL, "print only errors; exit with the status",
		CLI_FLAG, &check->quiet, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Checks"},
	    {0, "schema", NULL, "check arguments against the tools' schemas",
		CLI_FLAG, &check->options.schema, NULL, NULL},
	    {0, "after", "FILE", "check only whether the input continues FILE",
		CLI_FILE, &check->after, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Repair"},
	    {0, "repair", NULL, "write the conversation with repairs", CLI_FLAG,
		&check->repair, NULL, NULL},
	    {'n', "dry-run", NULL,
		"with --repair: only print what would change", CLI_FLAG,
		&check->report.dry_run, NULL, NULL},
	    {0, "archive", "FILE",
		"with --repair: append what is changed to FILE", CLI_FILE,
		&check->report.archive_path, NULL, NULL},
	    {'i', "in-place", "[=SUFFIX]",
		"with --repair: replace file, keep old with SUFFIX", CLI_SUFFIX,
		&check->cli.suffix, NULL, &check->cli.in_place},
	    {0, "explain", "FILE",
		"with --repair: write a JSON line for each repair", CLI_FILE,
		&check->report.explain_path, NULL, NULL},
	    CLI_REASONING(&reasoning, &check->reasoning_given),
	    {.type = CLI_HEADING, .help = "Input and reports"},
	    CLI_DIALECT(&check->cli),
	    {0, "json", NULL, "print each finding as JSON", CLI_FLAG,
		&check->json, NULL, NULL},
	    {0, "sarif", NULL, "print SARIF 2.1.0, for code hosts", CLI_FLAG,
		&check->sarif, NULL, NULL},
	    CLI_ANNOTATIONS(&check->annotations),
	    {0, "list-rules", NULL, "list the rules and stop", CLI_FLAG,
		&check->list_rules, NULL, NULL},
	    CLI_REST(&check->cli),
	    {0},
	};
	struct ctx_check_config *o = &check->options;

	cli_parse(&check->cli, options, argc, argv);
	check->cli.still = check->quiet;
	o->reasoning = (enum ctx_reasoning)reasoning;
	o->user = check;
	o->on_finding = handle_finding;
	if (check->provider_given)
		o->provider = ctx_provider_at(check->provider);
}

/* For --after: checks whether the request in the input file is an earlier
 * request with messages appended. */
static void
run_after(struct check_command *check)
{
	struct ctx_model_counters counters;
	enum after_output output = check->json ? AFTER_JSON
	    : check->quiet                     ? AFTER_NONE
					       : AFTER_LINES;

	if (check->repair || check->sarif || check->annotations.given ||
	    check->provider_given || check->options.allow_pending ||
	    check->options.schema || check->reasoning_given ||
	    check->report.dry_run || check->report.explain_path != NULL ||
	    check->report.archive_path != NULL || check->cli.in_place ||
	    check->cli.n_files > 1)
		cli_die(&check->cli,
		    "--after takes one file and cannot be combined with "
		    "options other than -m, --json and -q");
	cli_model_counters(&check->cli, &counters);
	cli_sandbox(&check->cli,
	    &(struct cli_sandbox_grants){.counters = &counters,
		.read = check->after});
	after_compare(&check->cli, &counters, check->after, check->cli.files[0],
	    output);
	ctx_model_counters_release(&counters);
}

/* Exits with an error if an option is given that has no effect without
 * --repair. */
static void
check_repair_options(const struct check_command *check)
{
	const struct cli_report *report = &check->report;
	const bool repair = check->repair;
	const struct cli_need needs[] = {
	    {report->dry_run, "dry-run", repair, "--repair"},
	    {report->explain_path != NULL, "explain", repair, "--repair"},
	    {report->archive_path != NULL, "archive", repair, "--repair"},
	    {check->cli.in_place, "in-place", repair, "--repair"},
	    {check->reasoning_given, "reasoning", repair, "--repair"},
	};

	cli_check_needs(&check->cli, needs, CTX_LENGTH(needs));
}

/* Exits with an error if the options that select what is printed cannot be
 * combined.  Opens the files of the options --archive and --explain. */
static void
open_reports(struct check_command *check)
{
	const struct cli_conflict conflicts[] = {
	    {check->sarif, "sarif", check->quiet, "--quiet"},
	    {check->annotations.given, "annotations", check->quiet, "--quiet"},
	};

	if (check->json + check->sarif + check->annotations.given +
		check->repair >
	    1)
		cli_die(&check->cli,
		    "--json, --sarif, --annotations and --repair exclude each "
		    "other; give one of them");
	check_repair_options(check);
	cli_check_conflicts(&check->cli, conflicts, CTX_LENGTH(conflicts));
	if (check->repair && !check->cli.in_place && check->cli.n_files > 1)
		cli_die(&check->cli,
		    "--repair takes one file, because its output is one "
		    "conversation; use --in-place for several");
	check->report.by_file = check->report.repairs = true;
	cli_report_open(&check->cli, &check->report, &check->options.report);
	if (check->quiet && check->report.explain == NULL)
		check->options.report.on_change = NULL;
}

static void
close_reports(struct check_command *check)
{
	if (check->repair && !check->quiet && check->found > MOST_LINES)
		cli_say(&check->cli, "%" PRIu64 " more findings",
		    check->found - MOST_LINES);
	cli_report_close(&check->cli, &check->report, &check->options.report);
}

int
main(int argc, char **argv)
{
	char stdin_name[] = "-";
	struct check_command check = {
	    .cli = {
		.name = "ctx-check",
		.about = "Check conversations against the rules of their "
			 "provider, or repair them.",
		.operands = "[FILE...]",
		.each = true,
		.no_means = "findings that are not repaired",
		.examples =
		    "  ctx-check --allow-pending chat.jsonl\n"
		    "  ctx-check --repair < broken.jsonl > whole.jsonl\n",
	    }};
	struct ctx_model_counters counters;

	parse(&check, argc, argv);
	check.cli.annotations = &check.annotations;
	if (check.list_rules) {
		list_rules();
		return cli_end(&check.cli);
	}
	if (check.cli.n_files == 0)
		check.cli.files[check.cli.n_files++] = stdin_name;
	if (check.after != NULL) {
		run_after(&check);
		return cli_end(&check.cli);
	}
	cli_model_counters(&check.cli, &counters);
	check.options.counters = &counters;
	open_reports(&check);
	/* Without --after, the token counters are used only to find the sizes
	 * of context windows; no tokens are counted.  So the sandbox need not
	 * allow reading vocabulary files. */
	cli_sandbox(&check.cli, &(struct cli_sandbox_grants){.counters = NULL});
	if (check.sarif)
		begin_sarif(&check);
	check_files(&check);
	if (check.sarif)
		end_sarif(true);
	close_reports(&check);
	ctx_model_counters_release(&counters);
	return cli_end(&check.cli);
}
