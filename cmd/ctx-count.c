/* ctx-count.c - command that counts tokens per conversation, role, tool, ... */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "bar/bar.h"
#include "cli/option_rows.h"
#include "count/calibrate.h"
#include "count/output.h"

struct count_command {
	struct cli cli;
	/* settings of the report that --annotate writes */
	struct cli_report report;
	struct row_form form;
	struct ctx_model_counters counters;
	unsigned per, bound;
	bool text, models, calibrate, annotate;
	/* the argument of --billed, as an index for cli_when_name */
	unsigned billed;
	bool key_given, bound_given, color_given, billed_given;
	const char *key;
	uint64_t top;
	struct ctx_amount max;
	struct cli_annotations annotations;
	/* The rows that --per prints for the file that is being read, such as
	 * one row for each role. */
	struct rows rows;
	/* True if sums over all files are printed: with --total, or if --per
	 * adds up messages of several files on a terminal. */
	bool sums_files;
	struct rows totals;
	struct rows largest;
	struct table table; /* the table that is printed on a terminal */
	struct ctx_token_stats total;
	struct bar bar;
	/* number of conversations that have a row in the output */
	uint64_t lines;
	/* true once a conversation was read from the current file */
	bool any;
	uint64_t over; /* number of conversations with more tokens than --max */
	struct calibrate calls;
};

/* Warnings about conversations over --max; further ones are only counted. */
#define MAX_LINES 10

/* ---- counting ---- */

static int
on_message(void *user, const struct ctx_token_stats *stats, struct ctx_err *err)
{
	struct count_command *count = user;
	struct row row = {.sum = *stats};

	if (count->calibrate)
		return calibrate_message(&count->calls, stats, err);
	if (bar_is_on(&count->bar) && bar_add(&count->bar, stats, err) < 0)
		return -1;
	if (count->top > 0)
		return rows_keep_top(&count->largest, stats, count->top, err);
	if (count->bar.shown)
		return 0;
	if (count->per != PER_MESSAGE)
		return rows_add_message(&count->rows, (enum per)count->per,
		    stats, err);
	row_print(&count->form, &row);
	return 0;
}

/* Returns the number that --max limits: the counted tokens of a conversation
 * or, with --billed=always, those of ctx_context_tokens. */
static uint64_t
limited_tokens(const struct count_command *count,
    const struct ctx_token_stats *stats)
{
	return count->billed == CLI_ALWAYS ? ctx_context_tokens(stats)
					   : stats->tokens;
}

/* Exits with an error if neither --window nor the conversation's model gives a
 * context window. what: the option that needs it, for the error message. */
static void
require_window(const struct count_command *count,
    const struct ctx_token_stats *stats, const char *what)
{
	if (row_window(&count->form, stats) == 0)
		cli_die(&count->cli,
		    "%s needs a window; give --model or --window", what);
}

/* Returns true if the conversation has more tokens than --max allows. */
static bool
is_over_max(const struct count_command *count,
    const struct ctx_token_stats *stats)
{
	uint64_t max = count->max.n, tokens = limited_tokens(count, stats);

	if (!count->max.set)
		return false;
	if (count->max.percent) {
		require_window(count, stats, "--max in percent");
		return (double)tokens * 100000.0 >
		    (double)max * (double)row_window(&count->form, stats);
	}
	return tokens > max;
}

static void
report_over_max(struct count_command *count,
    const struct ctx_token_stats *stats)
{
	cli_status(&count->cli, CLI_NO);
	if (count->form.quiet || count->over++ >= MAX_LINES)
		return;
	over_max_print(&count->form, &count->max, stats,
	    limited_tokens(count, stats), &count->annotations);
}

static int
on_ended(void *user, const struct ctx_token_stats *stats, struct ctx_err *err)
{
	struct count_command *count = user;
	struct row row = {.sum = *stats};

	count->any = true;
	if (count->calibrate)
		return calibrate_ended(&count->calls, stats, err);
	if (count->form.reserve > 0)
		require_window(count, stats, "--reserve");
	if (is_over_max(count, stats))
		report_over_max(count, stats);
	row_add_tokens(&count->total, stats);
	cli_progress_clear(&count->cli);
	if (bar_is_on(&count->bar) &&
	    bar_end(&count->bar, stats, row_window(&count->form, stats), err) <
		0)
		return -1;
	if (count->top > 0 || count->bar.shown)
		return 0;
	if (count->per != PER_FILE)
		return rows_add_overhead(&count->rows, (enum per)count->per,
		    stats, err);
	count->lines++;
	row_print(&count->form, &row);
	return 0;
}

/* ---- files ---- */

/* Opens the token counter for a file that is counted as plain text, or for a
 * file without messages. */
static void
find_counter(struct count_command *count,
    struct ctx_model_counter *model_counter)
{
	struct ctx_err err;

	if (ctx_model_counters_find(&count->counters, (struct ctx_str){NULL, 0},
		NULL, model_counter, &err) < 0)
		cli_fail(&count->cli, &err);
}

/* Gives a file without messages a row with zero tokens, as wc does. */
static void
count_empty_file(struct count_command *count, const char *file)
{
	struct ctx_token_stats none = {.file = file};
	struct ctx_model_counter model_counter;
	struct ctx_err err;

	find_counter(count, &model_counter);
	none.model = model_counter.model;
	if (on_ended(count, &none, &err) < 0)
		cli_fail(&count->cli, &err);
}

static void
count_stream(struct count_command *count, char **file)
{
	const struct ctx_count_hooks hooks = {count, on_message, on_ended,
	    bar_is_on(&count->bar) || count->per == PER_TOOL};
	struct ctx_stream stream;
	struct ctx_err err;

	count->any = false;
	cli_open(&count->cli, &stream, file, 1, NULL);
	cli_prefetch(&count->cli, &stream, &count->counters);
	if (ctx_count_stream(&stream, &count->counters, &hooks, &err) < 0)
		cli_fail(&count->cli, &err);
	if (!count->any)
		count_empty_file(count, *file);
	if (count->max.set)
		cli_require_messages(&count->cli, &stream);
	/* With --follow, the last line of the file may be incomplete, which is
	 * no reason for a warning. */
	if (!count->bar.follow)
		cli_note_stream(&count->cli, &stream);
	cli_close(&stream);
	if (count->sums_files &&
	    rows_add_all(&count->totals, &count->rows, &err) < 0)
		cli_fail(&count->cli, &err);
	rows_print(&count->form, &count->rows, count->per == PER_TURN);
}

/* A plain text, and the tokens and characters counted in it so far. */
struct plain {
	const struct ctx_counter *counter;
	struct ctx_token_stats sum;
	/* correction of the token count, see ctx_text_correction */
	int64_t correction;
};

static int
count_plain_part(void *user, struct ctx_buf *text, bool ended,
    struct ctx_err *err)
{
	struct plain *plain = user;
	struct ctx_token_counter *counter = plain->counter->tokens;
	size_t n = text->n;
	uint64_t tokens;

	if ((ended ? ctx_token_count(counter, text->p, n, &tokens, err)
		   : ctx_token_count_streaming(counter, text->p, n, &n, &tokens,
			 err)) < 0)
		return -1;
	plain->sum.tokens += tokens;
	plain->correction += ctx_text_correction(plain->counter, text->p, n);
	plain->sum.bytes += n;
	plain->sum.chars += ctx_utf8_count(text->p, n);
	text->n -= n;
	memmove(text->p, text->p + n, text->n);
	return 0;
}

/* Implements ctx-count --text: counts the tokens of a file as one plain text,
 * even if the file contains JSON. */
static void
count_text(struct count_command *count, char **file)
{
	struct plain plain = {.sum = {.file = *file}};
	const struct cli_parts parts = {count_plain_part, &plain};
	struct ctx_token_stats stats;
	struct ctx_model_counter model_counter;
	struct ctx_err err;

	find_counter(count, &model_counter);
	plain.counter = model_counter.counter;
	if (cli_read_parts(&count->cli, *file, &parts, &err) < 0)
		cli_fail(&count->cli, &err);
	stats = plain.sum;
	stats.tokens =
	    ctx_correct_tokens(plain.counter, stats.tokens, plain.correction);
	stats.model = model_counter.model;
	stats.basis = model_counter.counter->basis;
	stats.estimated = stats.basis == CTX_BASIS_ESTIMATED ? stats.tokens : 0;
	(void)on_ended(count, &stats, &err);
}

static void
print_end(struct count_command *count)
{
	struct row row = {.sum = count->total};
	const struct row *item;
	size_t i;

	rows_rank(&count->largest);
	for (i = 0; i < count->largest.n; i++) {
		item = &count->largest.list[i];
		if (!count->bar.shown)
			row_print(&count->form, item);
		else
			bar_item(&count->bar, &item->sum,
			    row_window(&count->form, &item->sum), i == 0);
	}
	/* The conversations may have models with different context windows.  So
	 * the row with the sum of all conversations shows no context window. */
	row.sum.model = NULL;
	row.sum.file = "total";
	count->form.window = 0;
	rows_print(&count->form, &count->totals, count->per == PER_TURN);
	if (count->lines > 1 &&
	    (count->sums_files || (!count->form.json && !count->form.tsv)))
		row_print(&count->form, &row);
	if (count->form.table != NULL)
		table_end(&count->form);
	if (count->over > MAX_LINES)
		cli_say(&count->cli,
		    "%" PRIu64 " more conversations are over --max",
		    count->over - MAX_LINES);
}

static void
report_calibration(struct count_command *count)
{
	struct ctx_err err;
	const struct calibrate_choice choice = {&count->counters.own,
	    count->bound == 1, count->form.json};
	int rc = calibrate_report(&count->calls, &choice, &err);

	if (rc < 0)
		cli_fail(&count->cli, &err);
	if (rc > 0)
		return;
	cli_say(&count->cli,
	    "--calibrate found no request with billed tokens; give sessions of "
	    "an agent, or responses of a provider, which record the tokens");
	cli_status(&count->cli, CLI_NO);
}

static void
count_files(struct count_command *count)
{
	size_t i;

	count->largest.n = 0;
	for (i = 0; i < count->cli.n_files; i++) {
		if (!count->bar.follow &&
		    !cli_exists(&count->cli, count->cli.files[i]))
			continue;
		if (count->text)
			count_text(count, &count->cli.files[i]);
		else
			count_stream(count, &count->cli.files[i]);
	}
	if (count->calibrate)
		report_calibration(count);
	else
		print_end(count);
}

/* Implements --annotate, and ends the command.  Returns its exit status. */
static int
annotate_stream(struct count_command *count, struct ctx_report *report)
{
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_err err;

	while (cli_next_stream(&count->cli, &stream, &writer)) {
		cli_prefetch(&count->cli, &stream, &count->counters);
		if (ctx_annotate(&stream, &writer, &count->counters, count->key,
			report, &err) < 0)
			cli_fail(&count->cli, &err);
		cli_note_stream(&count->cli, &stream);
		cli_end_stream(&count->cli, &stream, &writer);
	}
	cli_report_close(&count->cli, &count->report, report);
	cli_note_models(&count->cli, &count->counters);
	ctx_model_counters_release(&count->counters);
	return cli_end(&count->cli);
}

/* ---- options ---- */

/* Exits with an error if an option has no effect because another option is
 * missing, or because another option is given. */
static void
check_needs(const struct count_command *count)
{
	const struct cli_report *report = &count->report;
	const struct cli_need needs[] = {
	    {count->cli.in_place, "in-place", count->annotate, "--annotate"},
	    {report->dry_run, "dry-run", count->annotate, "--annotate"},
	    {report->archive_path != NULL, "archive", count->annotate,
		"--annotate"},
	    {report->explain_path != NULL, "explain", count->annotate,
		"--annotate"},
	    {count->key_given, "key", count->annotate, "--annotate"},
	    {count->bound_given, "bound", count->calibrate, "--calibrate"},
	    {count->color_given, "color", count->bar.shown, "--bar"},
	    {count->annotations.given, "annotations", count->max.set, "--max"},
	    {count->billed_given, "billed",
		count->per == PER_FILE || count->per == PER_MESSAGE,
		"--per message"},
	};
	const struct cli_conflict conflicts[] = {
	    {count->per != PER_FILE, "per", count->text, "--text"},
	    {count->top > 0, "top", count->text, "--text"},
	    {count->per != PER_FILE, "per", count->calibrate, "--calibrate"},
	    {count->top > 0, "top", count->calibrate, "--calibrate"},
	    {count->top > 0, "top",
		count->per != PER_FILE && count->per != PER_MESSAGE,
		"--per, except --per message"},
	    {count->bar.shown, "bar", count->form.quiet, "--quiet"},
	    {count->form.json, "json", count->models, "--models"},
	    {count->form.tsv, "tsv", count->models, "--models"},
	};

	cli_check_needs(&count->cli, needs, CTX_LENGTH(needs));
	cli_check_conflicts(&count->cli, conflicts, CTX_LENGTH(conflicts));
	if (count->billed_given &&
	    (count->text || count->calibrate || count->annotate))
		cli_die(&count->cli,
		    "--billed cannot be combined with --text, --calibrate "
		    "or --annotate");
	if (count->form.json && count->form.tsv)
		cli_die(&count->cli,
		    "--json and --tsv exclude each other; give one of them");
	if (count->annotations.given && (count->form.json || count->form.tsv))
		cli_die(&count->cli,
		    "--annotations, --json and --tsv exclude each other; give "
		    "one of them");
}

/* Exits with an error if options cannot be combined, or if a value is wrong. */
static void
check_options(struct count_command *count)
{
	bool other = (count->form.json && !count->report.dry_run) ||
	    count->form.tsv || count->per != PER_FILE || count->text ||
	    count->calibrate;

	if (count->key[0] == '\0' ||
	    ctx_utf8_valid(count->key, strlen(count->key), CTX_SIMD_BEST) !=
		strlen(count->key))
		cli_die(&count->cli, "--key: must be UTF-8 and not empty");
	bar_check(&count->bar, &count->cli, other || count->annotate);
	check_needs(count);
	if (count->annotate &&
	    (other || count->top > 0 || count->form.quiet || count->max.set))
		cli_die(&count->cli,
		    "--annotate writes the conversation; remove options for "
		    "other output, such as --json, --per or -q");
}

/* Chooses the form of the output; a terminal gets a table. */
static void
choose_form(struct count_command *count)
{
	struct row_form *form = &count->form;
	/* People see the number that --max compares. */
	bool counted = count->billed == CLI_NEVER ||
	    (count->billed == CLI_AUTO && count->max.set);

	form->cli = &count->cli;
	form->per = per_name(count->per);
	if (isatty(STDOUT_FILENO) && !form->json && !form->tsv &&
	    !form->quiet && !count->bar.shown && !count->bar.follow) {
		form->table = &count->table;
		count->sums_files |=
		    count->cli.n_files > 1 && count->per >= PER_TURN;
	}
	form->billed =
	    count->billed == CLI_ALWAYS || (!counted && form->table != NULL);
	form->no_billed = count->billed == CLI_NEVER;
	count->bar.no_billed = counted;
	count->cli.still = form->quiet || count->bar.follow;
}

static void
parse(struct count_command *count, int argc, char **argv)
{
	const struct cli_option options[] = {
	    CLI_MODEL(&count->cli),
	    {0, "per", "WHAT",
		"per message, turn, role, tool or kind of content", CLI_CHOICE,
		&count->per, per_name, NULL},
	    {0, "top", "N", "print only the N largest messages", CLI_NUMBER,
		&count->top, NULL, NULL},
	    {0, "bar", NULL, "draw a bar with the share of each role and tool",
		CLI_FLAG, &count->bar.shown, NULL, NULL},
	    {0, "max", "N|P%", "exit 1 if a conversation has over N tokens",
		CLI_AMOUNT, &count->max, NULL, NULL},
	    {'q', "quiet", NULL, "print only errors; exit with the status",
		CLI_FLAG, &count->form.quiet, NULL, NULL},
	    {0, "json", NULL, "print a JSON object for each row", CLI_FLAG,
		&count->form.json, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Counting"},
	    {0, "text", NULL, "the input is plain text", CLI_FLAG, &count->text,
		NULL, NULL},
	    CLI_DIALECT(&count->cli),
	    {0, "window", "N", "context window (the model's)", CLI_NUMBER,
		&count->form.window, NULL, NULL},
	    {0, "reserve", "N", "tokens of the window to leave free (0)",
		CLI_NUMBER, &count->form.reserve, NULL, NULL},
	    {0, "billed", "WHEN",
		"show billed input: auto (default), always, never", CLI_CHOICE,
		&count->billed, cli_when_name, &count->billed_given},
	    {0, "calibrate", NULL,
		"compute the ratio of billed to counted tokens", CLI_FLAG,
		&count->calibrate, NULL, NULL},
	    {0, "bound", "WHAT",
		"with --calibrate: fit (default), or upper bound", CLI_CHOICE,
		&count->bound, calibrate_bound_name, &count->bound_given},
	    CLI_JOBS(&count->cli),
	    {.type = CLI_HEADING, .help = "Models"},
	    {'e', "encoding", "NAME|FILE",
		"tokenizer (the model's, else by the format):", CLI_STRING,
		&count->cli.encoding, ctx_encoding_name, NULL},
	    {0, "models", NULL, "list the models and stop", CLI_FLAG,
		&count->models, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Output"},
	    {0, "total", NULL, "print a total over all files, also with --per",
		CLI_FLAG, &count->sums_files, NULL, NULL},
	    {0, "tsv", NULL, "print columns separated by tabs, with a header",
		CLI_FLAG, &count->form.tsv, NULL, NULL},
	    CLI_ANNOTATIONS(&count->annotations),
	    {0, "svg", "FILE",
		"write the bar to FILE as SVG, even without --bar", CLI_FILE,
		&count->bar.svg, NULL, NULL},
	    {0, "follow", NULL, "like --bar; drawn again if a file changes",
		CLI_FLAG, &count->bar.follow, NULL, NULL},
	    {0, "color", "WHEN",
		"colours of --bar: auto (default), always, never", CLI_CHOICE,
		&count->bar.color, cli_when_name, &count->color_given},
	    {0, "annotate", NULL,
		"write the conversation with tokens per message", CLI_FLAG,
		&count->annotate, NULL, NULL},
	    {0, "key", "NAME",
		"name of the member --annotate adds (ctx_tokens)", CLI_STRING,
		&count->key, NULL, &count->key_given},
	    {'i', "in-place", "[=SUFFIX]",
		"replace each file by the output of --annotate", CLI_SUFFIX,
		&count->cli.suffix, NULL, &count->cli.in_place},
	    CLI_REST(&count->cli),
	    {'n', "dry-run", NULL,
		"with --annotate: only print what would change", CLI_FLAG,
		&count->report.dry_run, NULL, NULL},
	    {0, "archive", "FILE",
		"with --annotate: append records to FILE first", CLI_FILE,
		&count->report.archive_path, NULL, NULL},
	    CLI_EXPLAIN(&count->report),
	    {0},
	};

	count->key = "ctx_tokens";
	count->report.by_file = true;
	cli_parse(&count->cli, options, argc, argv);
	count->report.json = count->form.json;
	choose_form(count);
	check_options(count);
}

int
main(int argc, char **argv)
{
	char stdin_name[] = "-";
	struct ctx_report report = {0};
	struct count_command count = {
	    .cli = {
		.name = "ctx-count",
		.about = "Count the tokens of conversations.  Columns: "
			 "tokens, messages, characters;\n"
			 "if the model is known also its window, used share, "
			 "tokens left; last the file.",
		.operands = "[FILE...]",
		.jobs = 1,
		.no_means = "over --max, or --calibrate: no billed tokens",
		.examples = "  ctx-count -m gpt-4o chat.jsonl\n"
			    "  git diff | ctx-count --text --max 8k\n",
	    }};

	parse(&count, argc, argv);
	if (!count.form.quiet)
		count.cli.annotations = &count.annotations;
	cli_model_counters(&count.cli, &count.counters);
	if (count.max.percent && count.form.window == 0)
		cli_check_window(&count.cli, &count.counters,
		    "--max in percent");
	if (count.bar.svg != NULL) {
		cli_refuse_overwrite(&count.cli, count.bar.svg, NULL);
		cli_refuse_content(&count.cli, count.bar.svg, CLI_CONTENT_SVG);
	}
	if (count.models) {
		cli_models_print(&count.cli, &count.counters.own);
		return cli_end(&count.cli);
	}
	count.counters.calibrating = count.counters.keeps_reasoning =
	    count.calibrate;
	if (count.cli.n_files == 0)
		count.cli.files[count.cli.n_files++] = stdin_name;
	if (count.annotate)
		cli_report_open(&count.cli, &count.report, &report);
	cli_sandbox(&count.cli,
	    &(struct cli_sandbox_grants){.counters = &count.counters,
		.written = count.bar.svg,
		.reopens = count.bar.follow});
	if (count.annotate)
		return annotate_stream(&count, &report);
	do {
		bar_wait(&count.bar, &count.cli);
		count_files(&count);
		bar_write(&count.bar, &count.cli);
	} while (count.bar.follow);
	cli_note_models(&count.cli, &count.counters);
	bar_release(&count.bar);
	calibrate_release(&count.calls);
	ctx_model_counters_release(&count.counters);
	rows_release(&count.rows);
	rows_release(&count.totals);
	rows_release(&count.largest);
	return cli_end(&count.cli);
}
