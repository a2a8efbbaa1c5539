/* ctx-truncate.c - command that shortens tool results, texts and tool-call
 * arguments that exceed a limit */
#include <inttypes.h>

#include "truncate/truncate.h"
#include "cli/cli.h"
#include "cli/option_rows.h"

struct truncate_command {
	struct cli cli;
	struct ctx_truncate_config options;
	struct cli_report report;
	const char *ratio;
	bool text; /* true if the input is plain text */
	bool limit_given, message_given, reasoning_given, ratio_given;
};

static const char *
unit_name(size_t i)
{
	static const char *const names[] = {"chars", "bytes", "tokens",
	    "lines"};

	return i < 4 ? names[i] : NULL;
}

static const char *
keep_name(size_t i)
{
	static const char *const names[] = {"ends", "head", "tail"};

	return i < 3 ? names[i] : NULL;
}

/* Reads a ratio of two numbers, such as "3:1".  When a text is shortened, its
 * beginning and its end are kept.  The ratio is length of the beginning :
 * length of the end. */
static bool
read_ratio(const char *text, uint64_t *head, uint64_t *tail)
{
	uint64_t *part = head;

	*head = *tail = 0;
	if (*text == ':')
		return false;
	for (; *text != '\0'; text++) {
		if (*text == ':' && part == head && text[1] != '\0') {
			part = tail;
			continue;
		}
		if (*text < '0' || *text > '9' || *part > 99999)
			return false;
		*part = *part * 10 + (uint64_t)(*text - '0');
	}
	return part == tail && *head + *tail > 0;
}

/* Exits with an error if an option was given that has no effect on plain text
 * (--text). */
static void
check_text_options(const struct truncate_command *truncate)
{
	static const char messages[] =
	    "messages, so it cannot be combined with --text";
	const struct ctx_truncate_config *o = &truncate->options;
	const struct cli_report *report = &truncate->report;
	const struct cli *cli = &truncate->cli;
	const struct cli_need needs[] = {
	    {truncate->reasoning_given, "reasoning", false, messages},
	    {truncate->message_given, "message-limit", false, messages},
	    {o->args > 0, "args", false, messages},
	    {o->media, "media", false, messages},
	    {o->unsent, "unsent", false, messages},
	    {o->tool.n > 0, "tool", false, messages},
	    {o->not_tool.n > 0, "not-tool", false, messages},
	    {report->dry_run, "dry-run", false, messages},
	    {report->json, "json", false, messages},
	    {report->explain_path != NULL, "explain", false, messages},
	    {report->archive_path != NULL, "archive", false, messages},
	    {cli->in_place, "in-place", false, messages},
	    {cli->dialect != NULL, "dialect", false, messages},
	    {cli->lenient, "lenient", false, messages},
	};

	cli_check_needs(cli, needs, CTX_LENGTH(needs));
}

static void
parse(struct truncate_command *truncate, int argc, char **argv)
{
	struct ctx_truncate_config *o = &truncate->options;
	unsigned unit = CTX_SIZE_CHARS, keep = CTX_KEEP_ENDS;
	unsigned reasoning = CTX_REASONING_DROP;
	const struct cli_option options[] = {
	    {'l', "limit", "N",
		"maximum tool result length (20000; 0: no limit)", CLI_NUMBER,
		&o->limit, NULL, &truncate->limit_given},
	    {0, "unit", "UNIT",
		"unit of N: chars (default), bytes, tokens, lines", CLI_CHOICE,
		&unit, unit_name, NULL},
	    {0, "keep", "WHERE", "part to keep: head, tail or ends (default)",
		CLI_CHOICE, &keep, keep_name, NULL},
	    {0, "media", "N", "remove all media except the newest N",
		CLI_NUMBER, &o->keep_media, NULL, &o->media},
	    {0, "text", NULL, "the input is plain text", CLI_FLAG,
		&truncate->text, NULL, NULL},
	    CLI_CHANGES(&truncate->cli, &truncate->report),
	    {.type = CLI_HEADING, .help = "Selection"},
	    {0, "message-limit", "N", "maximum length of a message (no limit)",
		CLI_NUMBER, &o->message, NULL, &truncate->message_given},
	    {0, "args", "N", "maximum length of call arguments (no limit)",
		CLI_NUMBER, &o->args, NULL, NULL},
	    CLI_TOOLS(&o->tool, &o->not_tool),
	    {0, "unsent", NULL,
		"change only what follows the model's last answer", CLI_FLAG,
		&o->unsent, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Shortening"},
	    {0, "ratio", "H:T", "ratio of kept beginning to kept end (3:1)",
		CLI_STRING, &truncate->ratio, NULL, &truncate->ratio_given},
	    CLI_REASONING(&reasoning, &truncate->reasoning_given),
	    {.type = CLI_HEADING, .help = "Input and reports"},
	    CLI_DIALECT(&truncate->cli),
	    CLI_MODEL(&truncate->cli),
	    CLI_ENCODING(&truncate->cli),
	    CLI_REPORT(&truncate->report),
	    CLI_REST(&truncate->cli),
	    {0},
	};

	o->limit = 20000;
	truncate->ratio = "3:1";
	truncate->report.by_file = true;
	cli_parse(&truncate->cli, options, argc, argv);
	o->unit = (enum ctx_size)unit;
	o->reasoning = (enum ctx_reasoning)reasoning;
	o->keep = (enum ctx_keep)keep;
	if (!read_ratio(truncate->ratio, &o->head, &o->tail))
		cli_die(&truncate->cli,
		    "--ratio: '%s' is not a ratio such "
		    "as 3:1",
		    truncate->ratio);
	cli_check_conflicts(&truncate->cli,
	    &(struct cli_conflict){truncate->ratio_given, "ratio",
		o->keep != CTX_KEEP_ENDS, "--keep head or --keep tail"},
	    1);
	if (truncate->text)
		check_text_options(truncate);
	if (!truncate->limit_given)
		cli_env_number(&truncate->cli, "TOOL_RESULT_LIMIT", &o->limit);
	if (!truncate->message_given)
		cli_env_number(&truncate->cli, "SUPERVISOR_MSG_CHAR_LIMIT",
		    &o->message);
}

/* With --verbose, prints on standard error how many texts were shortened, and
 * how many images and other media were removed.  Also prints messages about
 * signed reasoning. */
static void
report_counts(struct truncate_command *truncate,
    const struct ctx_truncate_counts *counts)
{
	cli_note_removed_reasoning(&truncate->cli, counts->reasoning,
	    counts->dropped);
	if (truncate->cli.verbose)
		cli_say(&truncate->cli,
		    "truncated %" PRIu64 " tool results, %" PRIu64
		    " messages, the arguments of %" PRIu64
		    " tool calls; removed %" PRIu64 " blocks of media",
		    counts->results, counts->messages, counts->calls,
		    counts->media);
	cli_note_reasoning(&truncate->cli, counts->bound, counts->refused);
}

/* State of reading a plain text (ctx-truncate --text). */
struct plain_text {
	struct truncate_command *truncate;
	/* token counter for --unit tokens, otherwise NULL */
	struct ctx_counter *counter;
};

/* Prints a plain text in shortened form.  Called when the whole text was
 * read. */
static int
print_text(void *user, struct ctx_buf *text, bool ended, struct ctx_err *err)
{
	const struct plain_text *plain = user;
	struct ctx_buf out = {0};
	int rc = 0;

	if (!ended)
		return 0;
	rc = ctx_truncate_text(&plain->truncate->options, plain->counter,
	    (struct ctx_str){text->p, text->n}, &out, err);
	if (rc == 0 && out.n > 0)
		(void)fwrite(out.p, 1, out.n, stdout);
	cli_check_stdout(&plain->truncate->cli);
	ctx_buf_release(&out);
	return rc;
}

/* Implements ctx-truncate --text: shortens each input file, or standard input,
 * as one plain text. */
static void
truncate_texts(struct truncate_command *truncate,
    struct ctx_model_counters *counters)
{
	struct plain_text plain = {.truncate = truncate};
	const struct cli_parts parts = {print_text, &plain};
	struct ctx_model_counter found;
	struct ctx_err err;
	size_t i;

	if (truncate->options.unit == CTX_SIZE_TOKENS) {
		if (ctx_model_counters_find(counters, (struct ctx_str){NULL, 0},
			NULL, &found, &err) < 0)
			cli_fail(&truncate->cli, &err);
		plain.counter = found.counter;
	}
	for (i = 0; i < truncate->cli.n_files || i == 0; i++)
		if (cli_read_parts(&truncate->cli,
			truncate->cli.n_files > 0 ? truncate->cli.files[i]
						  : "-",
			&parts, &err) < 0)
			cli_fail(&truncate->cli, &err);
}

static void
truncate_streams(struct truncate_command *truncate,
    struct ctx_model_counters *counters)
{
	struct ctx_truncate_config *options = &truncate->options;
	struct ctx_truncate_counts counts;
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_err err;

	while (cli_next_stream(&truncate->cli, &stream, &writer)) {
		if (ctx_truncate_stream(&stream, &writer, counters, options,
			&counts, &err) < 0)
			cli_fail(&truncate->cli, &err);
		cli_note_stream(&truncate->cli, &stream);
		report_counts(truncate, &counts);
		cli_end_stream(&truncate->cli, &stream, &writer);
	}
}

int
main(int argc, char **argv)
{
	struct truncate_command truncate = {
	    .cli = {
		.name = "ctx-truncate",
		.about = "Cut tool results, messages and arguments that are "
			 "longer than a limit.",
		.operands = "[FILE...]",
		.no_means = "unchanged because of --reasoning fail",
		.examples =
		    "  ctx-truncate -l 4000 < chat.jsonl > shorter.jsonl\n"
		    "  ctx-truncate --unit tokens -l 1000 --keep head\n"
		    "  ctx-truncate -l 0 --media 3 --archive removed.jsonl\n",
	    }};
	struct ctx_model_counters counters;

	parse(&truncate, argc, argv);
	cli_model_counters(&truncate.cli, &counters);
	cli_report_open(&truncate.cli, &truncate.report,
	    &truncate.options.report);
	cli_sandbox(&truncate.cli,
	    &(struct cli_sandbox_grants){.counters = &counters});
	if (truncate.text)
		truncate_texts(&truncate, &counters);
	else
		truncate_streams(&truncate, &counters);
	cli_note_models(&truncate.cli, &counters);
	cli_report_close(&truncate.cli, &truncate.report,
	    &truncate.options.report);
	cli_end_pattern(&truncate.cli, "tool", &truncate.options.tool);
	cli_end_pattern(&truncate.cli, "not-tool", &truncate.options.not_tool);
	ctx_model_counters_release(&counters);
	return cli_end(&truncate.cli);
}
