/* ctx-age.c - command that moves old tool results to files and leaves
 * references to them */
#include <inttypes.h>

#include "age/age.h"
#include "cli/in_place.h"
#include "cli/option_rows.h"

struct age_command {
	struct cli cli;
	struct ctx_age_config options;
	struct cli_report report;
	uint64_t keep_results, keep_media;
	bool head_given, keep_given, format_given, spool_given;
	/* Of the current stream: how often storing has failed, and the number
	 * of tool results or media blocks that were not stored. */
	uint64_t failures, failed_results;
};

/* Called if tool results, media or signed reasoning could not be stored in
 * files.  Prints an error message only at the first call for a stream. */
static void
on_failed(void *user, uint64_t results, const struct ctx_err *why)
{
	struct age_command *age = user;

	cli_status(&age->cli, CLI_TROUBLE);
	if (age->failures++ == 0)
		cli_say(&age->cli, "%s:%" PRIu64 ": %s; the %s", why->file,
		    why->line, why->text,
		    results == 0             ? "signed reasoning is kept"
			: age->options.media ? "media are unchanged"
					     : "tool result is unchanged");
	age->failed_results += results;
}

/* Exits with an error if the user has given an option that has no effect. */
static void
check_conflicts(const struct age_command *age)
{
	const struct ctx_age_config *o = &age->options;
	const struct cli_conflict conflicts[] = {
	    {age->head_given, "head", o->mask, "--mask"},
	    {age->format_given, "path-format", o->mask, "--mask"},
	    {age->spool_given, "spool", o->mask, "--mask"},
	    {age->head_given, "head", o->media, "--media"},
	    {age->keep_given, "keep-last", o->by_results && !o->media,
		"--keep-results"},
	};

	cli_check_conflicts(&age->cli, conflicts, CTX_LENGTH(conflicts));
}

static void
parse(struct age_command *age, int argc, char **argv)
{
	struct ctx_age_config *o = &age->options;
	unsigned reasoning = CTX_REASONING_DROP;
	const struct cli_option options[] = {
	    {'k', "keep-last", "N",
		"keep results of the newest N messages (10)", CLI_NUMBER,
		&o->keep, NULL, &age->keep_given},
	    {'o', "over", "N", "move results of more than N characters (4000)",
		CLI_NUMBER, &o->over, NULL, NULL},
	    {'S', "spool", "DIR", "directory of moved results (.ctx/spool)",
		CLI_FILE, &o->spool, NULL, &age->spool_given},
	    CLI_CHANGES(&age->cli, &age->report),
	    {.type = CLI_HEADING, .help = "Selection"},
	    {0, "keep-results", "N", "keep the newest N results, instead of -k",
		CLI_NUMBER, &age->keep_results, NULL, &o->by_results},
	    {0, "media", "N", "move media instead, except the newest N",
		CLI_NUMBER, &age->keep_media, NULL, &o->media},
	    CLI_TOOLS(&o->tool, &o->not_tool),
	    {0, "older-than", "TIME",
		"move only results older than TIME, such as 2h", CLI_SPAN,
		&o->older, NULL, NULL},
	    {0, "unsent", NULL,
		"change only what follows the model's last answer", CLI_FLAG,
		&o->unsent, NULL, NULL},
	    {0, "step", "N", "move results when N more messages are old (1)",
		CLI_NUMBER, &o->step, NULL, NULL},
	    {0, "at-least", "N", "change nothing unless it saves N tokens (0)",
		CLI_NUMBER, &o->at_least, NULL, NULL},
	    CLI_REASONING(&reasoning, NULL),
	    {.type = CLI_HEADING, .help = "Storage"},
	    {0, "head", "N", "keep first N characters of a result (--over / 4)",
		CLI_NUMBER, &o->head, NULL, &age->head_given},
	    {0, "mask", NULL, "store nothing; write [cleared] instead",
		CLI_FLAG, &o->mask, NULL, NULL},
	    {0, "path-format", "TEXT",
		"names of stored files ({tool}-{sha256}.md)", CLI_STRING,
		&o->format, NULL, &age->format_given},
	    {.type = CLI_HEADING, .help = "Input and reports"},
	    CLI_DIALECT(&age->cli),
	    CLI_MODEL(&age->cli),
	    CLI_ENCODING(&age->cli),
	    CLI_REPORT(&age->report),
	    CLI_REST(&age->cli),
	    {0},
	};

	o->keep = 10;
	o->step = 1;
	o->over = 4000;
	o->format = "{tool}-{sha256}.md";
	o->spool = cli_environment("CTX_SPOOL");
	if (o->spool == NULL)
		o->spool = CLI_SPOOL;
	age->report.by_file = true;
	cli_parse(&age->cli, options, argc, argv);
	check_conflicts(age);
	age->cli.spool = o->spool;
	o->reasoning = (enum ctx_reasoning)reasoning;
	if (o->media && (o->by_results || age->keep_given))
		cli_die(&age->cli,
		    "--media keeps the newest media, so it cannot be combined "
		    "with -k or --keep-results");
	if (o->by_results)
		o->keep = age->keep_results;
	else if (o->media)
		o->keep = age->keep_media;
	else if (o->unsent && !age->keep_given)
		o->keep = 0;
	o->by_results |= o->media;
	if (o->step == 0)
		cli_die(&age->cli, "--step: must be at least 1");
	if (!age->head_given)
		o->head =
		    o->over / 4 < CTX_AGE_HEAD ? o->over / 4 : CTX_AGE_HEAD;
	if (o->head > CTX_AGE_HEAD)
		cli_die(&age->cli,
		    "--head: at most %d characters, because ctx-restore does "
		    "not find the reference after a longer kept text",
		    CTX_AGE_HEAD);
	o->user = age;
	o->failed = on_failed;
}

/* Opens the spool, the directory in which ctx-age stores old tool results.  If
 * the spool cannot be opened, ctx-age moves no tool result, and reports the
 * error only if there is a tool result to store. */
static void
open_spool(struct age_command *age, struct ctx_spool *spool,
    struct cli_sandbox_grants *needs, struct ctx_err *refused)
{
	if (cli_open_spool(spool, age->options.spool, true, needs, refused) ==
	    0)
		refused->code = CTX_OK;
	age->options.opened = spool;
	age->options.refused = refused;
}

/* Closes the spool (directory of moved tool results).  If nothing was stored,
 * removes the directories that open_spool created. */
static void
close_spool(struct age_command *age)
{
	if (age->options.opened != NULL)
		ctx_spool_close(age->options.opened);
}

static void
report_counts(struct age_command *age, const struct ctx_age_counts *counts)
{
	const char *what =
	    age->options.media ? "blocks of media" : "tool results";
	char moved[100];

	if (age->failed_results > 1)
		cli_say(&age->cli,
		    "%" PRIu64 " %s could not be stored in files, and are kept "
		    "unchanged in the output",
		    age->failed_results, what);
	age->failures = age->failed_results = 0;
	if (age->options.older > 0 && counts->timed == 0 &&
	    counts->messages > 0)
		cli_say(&age->cli,
		    "--older-than: nothing is changed, because no message has "
		    "a timestamp");
	cli_note_reasoning(&age->cli, counts->bound, counts->refused);
	cli_note_removed_reasoning(&age->cli, counts->reasoning,
	    counts->dropped);
	(void)snprintf(moved, sizeof moved,
	    "moved %" PRIu64 " %s to files, saved %" PRIu64 " tokens",
	    counts->results, what, counts->tokens);
	cli_describe_change("%s", moved);
	if (age->cli.verbose)
		cli_say(&age->cli, "%s", moved);
}

int
main(int argc, char **argv)
{
	struct age_command age = {
	    .cli = {
		.name = "ctx-age",
		.about = "Move old, long tool results, or media, to files and "
			 "keep references to them.",
		.operands = "[FILE...]",
		.no_means = "unchanged because of --reasoning fail",
		.examples =
		    "  ctx-age -S spool < chat.jsonl > short.jsonl\n"
		    "  ctx-age --keep-results 3 --at-least 5k chat.jsonl\n"
		    "  ctx-age --media 3 < chat.jsonl > light.jsonl\n",
	    }};
	struct ctx_age_counts counts;
	struct cli_sandbox_grants needs;
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_model_counters counters;
	struct ctx_spool spool;
	struct ctx_err err, refused;

	parse(&age, argc, argv);
	cli_model_counters(&age.cli, &counters);
	needs = (struct cli_sandbox_grants){.counters = &counters};
	cli_report_open(&age.cli, &age.report, &age.options.report);
	if (!age.options.mask && !age.options.report.dry_run)
		open_spool(&age, &spool, &needs, &refused);
	cli_sandbox(&age.cli, &needs);
	while (cli_next_stream(&age.cli, &stream, &writer)) {
		if (ctx_age_stream(&stream, &writer, &counters, &age.options,
			&counts, &err) < 0) {
			close_spool(&age);
			cli_fail(&age.cli, &err);
		}
		cli_note_stream(&age.cli, &stream);
		report_counts(&age, &counts);
		cli_end_stream(&age.cli, &stream, &writer);
	}
	close_spool(&age);
	cli_note_models(&age.cli, &counters);
	cli_report_close(&age.cli, &age.report, &age.options.report);
	cli_end_pattern(&age.cli, "tool", &age.options.tool);
	cli_end_pattern(&age.cli, "not-tool", &age.options.not_tool);
	ctx_model_counters_release(&counters);
	return cli_end(&age.cli);
}
