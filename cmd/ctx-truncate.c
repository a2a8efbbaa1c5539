/* ctx-truncate.c - command that shortens tool results, texts and tool-call
 * arguments that exceed a limit */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"

struct truncate_command {
	struct cli cli;
	struct ctx_truncate_options options;
	struct cli_report report;
	const char *ratio;
	bool limit_given, message_given;
};

static const char *
unit_name(unsigned i)
{
	static const char *const names[] = {"chars", "bytes", "tokens",
	    "lines"};

	return i < 4 ? names[i] : NULL;
}

static const char *
keep_name(unsigned i)
{
	static const char *const names[] = {"ends", "head", "tail"};

	return i < 3 ? names[i] : NULL;
}

/* Reads a ratio of two numbers, such as "3:1": the lengths of the beginning
 * and of the end of a text that are kept. */
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

static void
parse(struct truncate_command *truncate, int argc, char **argv)
{
	struct ctx_truncate_options *o = &truncate->options;
	unsigned unit = CTX_SIZE_CHARS, keep = CTX_KEEP_ENDS;
	unsigned reasoning = CTX_REASONING_DROP;
	const struct cli_option options[] = {
	    {'l', "limit", "N", "maximum length of a result (20000; 0: none)",
		CLI_NUMBER, &o->limit, NULL, &truncate->limit_given},
	    {0, "unit", "UNIT", "of N: chars (default), bytes, tokens, lines",
		CLI_CHOICE, &unit, unit_name, NULL},
	    {0, "keep", "WHERE", "part to keep: head, tail or ends (default)",
		CLI_CHOICE, &keep, keep_name, NULL},
	    {0, "media", "N", "remove images and the like, but the newest N",
		CLI_NUMBER, &o->keep_media, NULL, &o->media},
	    CLI_CHANGES(&truncate->cli, &truncate->report),
	    {.type = CLI_HEADING, .help = "What is shortened"},
	    {0, "message-limit", "N", "maximum length of a message (0: none)",
		CLI_NUMBER, &o->message, NULL, &truncate->message_given},
	    {0, "args", "N", "maximum length of call arguments (0: none)",
		CLI_NUMBER, &o->args, NULL, NULL},
	    CLI_TOOLS(&o->tool, &o->not_tool),
	    {0, "unsent", NULL, "only what is after the last assistant message",
		CLI_FLAG, &o->unsent, NULL, NULL},
	    {0, "ratio", "H:T", "shares of beginning and end (3:1)", CLI_STRING,
		&truncate->ratio, NULL, NULL},
	    CLI_REASONING(&reasoning, NULL),
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
	truncate->cli.options = options;
	cli_parse(&truncate->cli, argc, argv);
	truncate->cli.options = NULL;
	o->unit = (enum ctx_size)unit;
	o->reasoning = (enum ctx_reasoning)reasoning;
	o->keep = (enum ctx_keep)keep;
	if (!read_ratio(truncate->ratio, &o->head, &o->tail))
		cli_die(&truncate->cli,
		    "--ratio: '%s' is not a ratio such "
		    "as 3:1",
		    truncate->ratio);
	if (!truncate->limit_given)
		cli_env_number(&truncate->cli, "TOOL_RESULT_LIMIT", &o->limit);
	if (!truncate->message_given)
		cli_env_number(&truncate->cli, "SUPERVISOR_MSG_CHAR_LIMIT",
		    &o->message);
}

/* Prints on standard error how many texts were shortened and how many images
 * and other media were removed. */
static void
report_counts(struct truncate_command *truncate,
    const struct ctx_truncate_counts *counts)
{
	if (truncate->cli.verbose && counts->reasoning > 0)
		cli_say(&truncate->cli,
		    "removed the bound reasoning of %" PRIu64 " messages",
		    counts->reasoning);
	if (truncate->cli.verbose)
		cli_say(&truncate->cli,
		    "truncated %" PRIu64 " tool results, %" PRIu64
		    " messages, the arguments of %" PRIu64
		    " tool calls; removed %" PRIu64 " blocks of media",
		    counts->results, counts->messages, counts->calls,
		    counts->media);
	cli_note_reasoning(&truncate->cli, counts->bound, counts->refused);
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
		.examples =
		    "  ctx-truncate -l 4000 < chat.jsonl > shorter.jsonl\n"
		    "  ctx-truncate --unit tokens -l 1000 --keep head\n"
		    "  ctx-truncate -l 0 --media 3 --archive removed.jsonl\n",
	    }};
	struct ctx_truncate_counts counts;
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_model_counters counters;
	struct ctx_err err;

	parse(&truncate, argc, argv);
	cli_model_counters(&truncate.cli, &counters);
	cli_report_open(&truncate.cli, &truncate.report,
	    &truncate.options.report);
	cli_sandbox(&truncate.cli,
	    &(struct cli_sandbox_grants){.counters = &counters});
	while (cli_next_stream(&truncate.cli, &stream, &writer)) {
		if (ctx_truncate(&stream, &writer, &counters, &truncate.options,
			&counts, &err) < 0)
			cli_fail(&truncate.cli, &err);
		cli_note_stream(&truncate.cli, &stream);
		report_counts(&truncate, &counts);
		cli_end_stream(&truncate.cli, &stream, &writer);
	}
	cli_note_models(&truncate.cli, &counters);
	cli_report_close(&truncate.cli, &truncate.report,
	    &truncate.options.report);
	cli_note_pattern(&truncate.cli, "tool", &truncate.options.tool);
	cli_note_pattern(&truncate.cli, "not-tool", &truncate.options.not_tool);
	ctx_pattern_release(&truncate.options.tool);
	ctx_pattern_release(&truncate.options.not_tool);
	ctx_model_counters_release(&counters);
	return cli_end(&truncate.cli);
}
