/* ctx-count.c - how full is the context, and with what */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bar.h"
#include "calibrate.h"

enum per { PER_FILE, PER_MESSAGE, PER_TURN, PER_ROLE, PER_TOOL, PER_KIND };

/* One line of output: a conversation, a message, or all that share a name. */
struct row {
	struct ctx_tally sum;
	const char *label; /* the name, NUL ended, may be untrusted; or NULL */
};

struct rows {
	struct row *list;
	size_t n, cap;
	struct ctx_names names;
};

struct count {
	struct cli cli;
	struct ctx_meter meter;
	unsigned per, bound;
	bool json, tsv, text, quiet, models, calibrate, annotate;
	const char *key;
	uint64_t window, reserve, top;
	struct ctx_amount max;
	struct rows rows; /* by name, of the file being read */
	struct rows largest;
	struct ctx_tally total;
	struct bar bar;
	uint64_t lines; /* rows of conversations printed */
	uint64_t over;  /* conversations over what --max allows */
	bool header;
	struct calibrate calls;
};

/* Lines about conversations that are over, before they are only counted. */
#define MOST_LINES 10

static const char *
per_name(unsigned i)
{
	static const char *const names[] = {"file", "message", "turn", "role",
	    "tool", "kind"};

	return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static const char *
bound_name(unsigned i)
{
	static const char *const names[] = {"fit", "upper"};

	return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

/* ---- one row ---- */

static uint64_t
window_of(const struct count *count, const struct ctx_tally *t)
{
	if (count->window > 0 || t->model == NULL)
		return count->window;
	return ctx_model_limit(t->model);
}

static int64_t
left_of(const struct count *count, const struct ctx_tally *t)
{
	return (int64_t)(window_of(count, t) - t->tokens - count->reserve);
}

static double
used_of(const struct count *count, const struct ctx_tally *t)
{
	return 100.0 * (double)t->tokens / (double)window_of(count, t);
}

/* The kind of part that most of a message is. */
static const char *
kind_of(const struct ctx_tally *t)
{
	size_t i, most = CTX_PART_TEXT;

	for (i = 0; i < CTX_PART_KINDS; i++)
		if (t->kinds[i] > t->kinds[most])
			most = i;
	return ctx_part_name((enum ctx_part_kind)most);
}

static void
print_json(const struct count *count, const struct row *row)
{
	const struct ctx_tally *t = &row->sum;
	json_t *o = json_pack("{s:o, s:s, s:I, s:I, s:I, s:b, s:I, s:I}",
	    "file", cli_json_text(t->file, strlen(t->file)), "dialect",
	    t->dialect != NULL ? t->dialect->name : "none", "messages",
	    (json_int_t)t->messages, "turns", (json_int_t)t->turns, "tokens",
	    (json_int_t)t->tokens, "exact", t->estimated == 0, "chars",
	    (json_int_t)t->chars, "bytes", (json_int_t)t->bytes);
	struct ctx_err err;

	if (t->line > 0)
		o = cli_json_with(o, "line",
		    json_integer((json_int_t)t->line));
	if (row->label != NULL)
		o = cli_json_with(o, per_name(count->per),
		    cli_json_text(row->label, strlen(row->label)));
	if (t->view != NULL) {
		o = cli_json_with(o, "index",
		    json_integer((json_int_t)t->index));
		o = cli_json_with(o, "role",
		    json_string(ctx_role_name(t->role)));
		o = cli_json_with(o, "kind", json_string(kind_of(t)));
		if (t->tool.p != NULL)
			o = cli_json_with(o, "tool",
			    cli_json_text(t->tool.p, t->tool.n));
	}
	if (window_of(count, t) > 0) {
		if (t->model != NULL)
			o = cli_json_with(o, "model",
			    json_string(t->model->name));
		o = cli_json_with(o, "window",
		    json_integer((json_int_t)window_of(count, t)));
		/* One decimal, so that the figure reads as it is printed. */
		o = cli_json_with(o, "used",
		    json_real((double)(int64_t)(used_of(count, t) * 10 + 0.5) /
			10));
		o = cli_json_with(o, "left",
		    json_integer((json_int_t)left_of(count, t)));
	}
	if (cli_json_line(stdout, CLI_STDOUT, o, JSON_REAL_PRECISION(15),
		&err) < 0)
		cli_fail(&count->cli, &err);
}

/* What is behind the numbers: the file and line, and for people before it
 * the name, for programs behind it; of a message its role and tool. */
static void
print_label(const struct count *count, const struct row *row)
{
	const struct ctx_tally *t = &row->sum;
	const char *file = t->file, *gap = count->tsv ? "\t" : " ";

	if (row->label != NULL && !count->tsv) {
		cli_print_masked(stdout, row->label, strlen(row->label));
		file = count->cli.n_files > 1 ? t->file : NULL;
		if (file != NULL)
			(void)putchar(' ');
	}
	if (file != NULL)
		cli_print_masked(stdout, file, strlen(file));
	if (t->line > 0)
		printf(":%" PRIu64, t->line);
	if (row->label != NULL && count->tsv) {
		(void)putchar('\t');
		cli_print_masked(stdout, row->label, strlen(row->label));
	}
	if (t->view == NULL)
		return;
	printf("%s%s", gap, ctx_role_name(t->role));
	if (count->tsv)
		printf("\t%s", kind_of(t));
	if (count->tsv || t->tool.n > 0)
		(void)fputs(gap, stdout);
	cli_print_masked(stdout, t->tool.p, t->tool.n);
}

static void
print_columns(struct count *count, const struct row *row, char gap,
    int width)
{
	const struct ctx_tally *t = &row->sum;
	uint64_t window = window_of(count, t);
	char tokens[24];

	(void)snprintf(tokens, sizeof tokens, "%s%" PRIu64,
	    t->estimated > 0 ? "~" : "", t->tokens);
	printf("%*s%c%*" PRIu64 "%c%*" PRIu64 "%c", width, tokens, gap, width,
	    t->messages, gap, width, t->chars, gap);
	if (window > 0)
		printf("%*" PRIu64 "%c%*.1f%%%c%*" PRId64 "%c", width, window,
		    gap, width > 0 ? 5 : 0, used_of(count, t), gap, width,
		    left_of(count, t), gap);
	print_label(count, row);
	(void)putchar('\n');
}

static void
print_header(struct count *count, const struct row *row)
{
	count->header = true;
	printf("tokens\tmessages\tchars\t%sname",
	    window_of(count, &row->sum) > 0 ? "window\tused\tleft\t" : "");
	if (row->label != NULL)
		printf("\t%s", per_name(count->per));
	printf("%s\n", row->sum.view != NULL ? "\trole\tkind\ttool" : "");
}

static void
print_row(struct count *count, const struct row *row)
{
	if (count->quiet)
		return;
	if (count->json) {
		print_json(count, row);
		return;
	}
	if (count->tsv && !count->header)
		print_header(count, row);
	print_columns(count, row, count->tsv ? '\t' : ' ',
	    count->tsv ? 0 : 8);
	cli_check_stdout(&count->cli);
}

/* ---- adding up ---- */

static void
add(struct ctx_tally *sum, const struct ctx_tally *t)
{
	sum->messages += t->messages;
	sum->turns += t->turns;
	sum->tokens += t->tokens;
	sum->estimated += t->estimated;
	sum->chars += t->chars;
	sum->bytes += t->bytes;
}

/* Adds to the row of a name. */
static int
add_named(struct count *count, const struct ctx_tally *t, const char *p,
    size_t n, struct ctx_err *err)
{
	struct rows *rows = &count->rows;
	struct row *grown;
	uint32_t id;

	if (ctx_names_id(&rows->names, p, n, &id, err) < 0)
		return -1;
	grown = ctx_grow(rows->list, &rows->cap, id, sizeof *grown, err);
	if (grown == NULL)
		return -1;
	rows->list = grown;
	if (id > rows->n) {
		memset(&grown[id - 1], 0, sizeof *grown);
		grown[id - 1].sum.file = t->file;
		grown[id - 1].sum.dialect = t->dialect;
		grown[id - 1].sum.model = t->model;
		rows->n = id;
	}
	add(&grown[id - 1].sum, t);
	return 0;
}

/* Adds a part of what a tally stands for, if it costs anything. */
static int
add_part(struct count *count, const struct ctx_tally *t, const char *name,
    uint64_t tokens, uint64_t estimated, struct ctx_err *err)
{
	struct ctx_tally part = {.file = t->file,
	    .dialect = t->dialect,
	    .model = t->model,
	    .messages = t->view != NULL ? t->messages : 0,
	    .tokens = tokens,
	    .estimated = estimated};

	if (tokens == 0)
		return 0;
	return add_named(count, &part, name, strlen(name), err);
}

static int
add_kinds(struct count *count, const struct ctx_tally *t, struct ctx_err *err)
{
	bool rough = t->estimated == t->tokens;
	uint64_t framing = t->tokens;
	size_t i;

	for (i = 0; i < CTX_PART_KINDS; i++) {
		framing -= t->kinds[i];
		if (add_part(count, t, ctx_part_name((enum ctx_part_kind)i),
			t->kinds[i], rough ? t->kinds[i] : t->rough[i],
			err) < 0)
			return -1;
	}
	return add_part(count, t, "framing", framing, rough ? framing : 0,
	    err);
}

/* Adds what no message costs, so that the rows add up to the whole. */
static int
add_beside(struct count *count, const struct ctx_tally *t,
    struct ctx_err *err)
{
	const struct ctx_beside *b = &t->beside;
	uint64_t priming = b->tokens - b->system - b->tools;
	bool rough = b->estimated == b->tokens;
	const char *system = "system", *rest = "priming";

	switch ((enum per)count->per) {
	case PER_TURN:
		return add_part(count, t, "0", b->tokens, b->estimated, err);
	case PER_TOOL:
		return add_part(count, t, "-", b->tokens, b->estimated, err);
	case PER_KIND:
		system = "text";
		rest = "framing";
		break;
	case PER_ROLE:
		break;
	default:
		return 0;
	}
	if (add_part(count, t, system, b->system, rough ? b->system : 0,
		err) < 0 ||
	    add_part(count, t, "tools", b->tools, b->tools, err) < 0)
		return -1;
	return add_part(count, t, rest, priming, rough ? priming : 0, err);
}

/* Keeps the largest messages, largest first. */
static int
add_largest(struct count *count, const struct ctx_tally *t,
    struct ctx_err *err)
{
	struct rows *rows = &count->largest;
	struct row *grown;
	uint32_t id;
	size_t i;

	if (rows->n == count->top &&
	    rows->list[rows->n - 1].sum.tokens >= t->tokens)
		return 0;
	grown = ctx_grow(rows->list, &rows->cap, rows->n + 1, sizeof *grown,
	    err);
	if (grown == NULL ||
	    ctx_names_id(&rows->names, t->tool.p, t->tool.n, &id, err) < 0)
		return -1;
	rows->list = grown;
	if (rows->n < count->top)
		rows->n++;
	for (i = rows->n - 1; i > 0 && grown[i - 1].sum.tokens < t->tokens;
	    i--)
		grown[i] = grown[i - 1];
	grown[i] = (struct row){*t, NULL};
	grown[i].sum.tool = ctx_names_at(&rows->names, id);
	return 0;
}

static int
on_message(void *user, const struct ctx_tally *t, struct ctx_err *err)
{
	struct count *count = user;
	const char *name = ctx_role_name(t->role);
	struct row row = {*t, NULL};
	char turn[24];

	if (count->calibrate)
		return calibrate_message(&count->calls, t, err);
	if (bar_is_on(&count->bar) && bar_add(&count->bar, t, err) < 0)
		return -1;
	if (count->top > 0)
		return add_largest(count, t, err);
	if (count->bar.shown)
		return 0;
	switch ((enum per)count->per) {
	case PER_MESSAGE:
		print_row(count, &row);
		return 0;
	case PER_TURN:
		(void)snprintf(turn, sizeof turn, "%" PRIu64, t->turn);
		return add_named(count, t, turn, strlen(turn), err);
	case PER_ROLE:
		return add_named(count, t, name, strlen(name), err);
	case PER_TOOL:
		if (t->tool.n == 0)
			return add_named(count, t, "-", 1, err);
		return add_named(count, t, t->tool.p, t->tool.n, err);
	case PER_KIND:
		return add_kinds(count, t, err);
	default:
		return 0;
	}
}

/* Is this conversation over what --max allows? */
static bool
is_over(const struct count *count, const struct ctx_tally *t)
{
	uint64_t max = count->max.n;

	if (!count->max.set)
		return false;
	if (count->max.percent) {
		if (window_of(count, t) == 0)
			cli_die(&count->cli, "--max in percent needs a "
					     "window; give --model or "
					     "--window");
		return (double)t->tokens * 100000.0 >
		    (double)max * (double)window_of(count, t);
	}
	return t->tokens > max;
}

static void
say_over(struct count *count, const struct ctx_tally *t)
{
	char tokens[16], place[40] = "", most[16];

	cli_status(&count->cli, CLI_NO);
	if (count->quiet || count->over++ >= MOST_LINES)
		return;
	if (t->line > 0)
		(void)snprintf(place, sizeof place, ":%" PRIu64, t->line);
	cli_short_number(tokens, t->tokens);
	if (count->max.percent)
		cli_say(&count->cli, "%s%s: %s tokens, over %g %% of %s",
		    t->file, place, tokens, (double)count->max.n / 1000,
		    cli_short_number(most, window_of(count, t)));
	else
		cli_say(&count->cli, "%s%s: %s tokens, over %s", t->file,
		    place, tokens, cli_short_number(most, count->max.n));
}

static int
on_ended(void *user, const struct ctx_tally *t, struct ctx_err *err)
{
	struct count *count = user;
	struct row row = {*t, NULL};

	if (count->calibrate)
		return calibrate_ended(&count->calls, t, err);
	if (is_over(count, t))
		say_over(count, t);
	add(&count->total, t);
	if (bar_is_on(&count->bar) &&
	    bar_end(&count->bar, t, window_of(count, t), err) < 0)
		return -1;
	if (count->top > 0 || count->bar.shown)
		return 0;
	if (count->per != PER_FILE)
		return add_beside(count, t, err);
	count->lines++;
	print_row(count, &row);
	return 0;
}

/* ---- files ---- */

static int
by_tokens(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->sum.tokens < y->sum.tokens) -
	    (x->sum.tokens > y->sum.tokens);
}

static int
by_turn(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	unsigned long long m = strtoull(x->label, NULL, 10);
	unsigned long long n = strtoull(y->label, NULL, 10);

	return (m > n) - (m < n);
}

/* Prints and forgets the named rows of a file. */
static void
print_named(struct count *count)
{
	struct rows *rows = &count->rows;
	struct ctx_str name;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		name = ctx_names_at(&rows->names, (uint32_t)i + 1);
		rows->list[i].label = strndup(name.p, name.n);
		if (rows->list[i].label == NULL)
			cli_die(&count->cli, "out of memory");
	}
	if (rows->n > 0)
		qsort(rows->list, rows->n, sizeof *rows->list,
		    count->per == PER_TURN ? by_turn : by_tokens);
	for (i = 0; i < rows->n; i++) {
		print_row(count, &rows->list[i]);
		free((char *)rows->list[i].label);
	}
	ctx_names_reset(&rows->names);
	rows->n = 0;
}

static void
count_stream(struct count *count, char **file)
{
	const struct ctx_tally_hooks hooks = {count, on_message, on_ended};
	struct ctx_stream stream;
	struct ctx_err err;

	cli_open(&count->cli, &stream, file, 1, NULL);
	if (ctx_tally(&stream, &count->meter, &hooks, &err) < 0)
		cli_fail(&count->cli, &err);
	/* The last line of a file that grows may not be whole yet. */
	if (!count->bar.follow)
		cli_note_stream(&count->cli, &stream);
	cli_close(&stream);
	print_named(count);
}

/* Plain text is one text, whatever it holds. */
static void
count_text(struct count *count, char **file)
{
	struct ctx_tally t = {0};
	struct ctx_buf text = {0};
	struct ctx_measure measure;
	struct ctx_err err;

	t.file = *file;
	if (cli_read_all(*file, &text, &err) < 0 ||
	    ctx_meter_find(&count->meter, NULL, 0, &measure, &err) < 0 ||
	    ctx_token_count(measure.counter->tokens, text.p, text.n,
		&t.tokens, &err) < 0)
		cli_fail(&count->cli, &err);
	t.tokens = ctx_count_scale(measure.counter, t.tokens);
	t.model = measure.model;
	t.estimated = measure.counter->exact ? 0 : t.tokens;
	t.bytes = text.n;
	t.chars = ctx_utf8_count(text.p, text.n);
	(void)on_ended(count, &t, &err);
	ctx_buf_release(&text);
}

static void
print_rest(struct count *count)
{
	struct row row = {count->total, NULL};
	size_t i;

	for (i = 0; i < count->largest.n; i++)
		print_row(count, &count->largest.list[i]);
	/* A window holds one conversation, so the sum has none. */
	row.sum.model = NULL;
	row.sum.file = "total";
	count->window = 0;
	if (count->lines > 1 && !count->json && !count->tsv)
		print_row(count, &row);
	if (count->over > MOST_LINES)
		cli_say(&count->cli, "%" PRIu64 " more are over",
		    count->over - MOST_LINES);
}

static void
report_calls(struct count *count)
{
	struct ctx_err err;
	int rc = calibrate_report(&count->calls, count->meter.encoding,
	    count->bound == 1, count->json, &err);

	if (rc < 0)
		cli_fail(&count->cli, &err);
	if (rc > 0)
		return;
	cli_say(&count->cli, "no call says what it was billed");
	cli_status(&count->cli, CLI_NO);
}

static void
count_files(struct count *count)
{
	size_t i;

	count->largest.n = 0;
	for (i = 0; i < count->cli.n_files; i++) {
		if (count->text)
			count_text(count, &count->cli.files[i]);
		else
			count_stream(count, &count->cli.files[i]);
	}
	if (count->bar.shown && count->largest.n > 0)
		bar_below(&count->bar, count->largest.n);
	if (count->calibrate)
		report_calls(count);
	else
		print_rest(count);
}

/* The streams themselves, with a count in each record. */
static int
annotate(struct count *count)
{
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_err err;

	cli_open(&count->cli, &stream, count->cli.files, count->cli.n_files,
	    &writer);
	if (ctx_annotate(&stream, &writer, &count->meter, count->key, &err) <
	    0)
		cli_fail(&count->cli, &err);
	cli_note_stream(&count->cli, &stream);
	cli_note_models(&count->cli, &count->meter);
	cli_close(&stream);
	ctx_meter_release(&count->meter);
	return cli_end(&count->cli, &writer);
}

/* ---- options ---- */

static void
parse(struct count *count, int argc, char **argv)
{
	const struct cli_option options[] = {
	    {.type = CLI_HEADING, .help = "What is counted"},
	    {0, "per", "WHAT", "message, turn, role, tool, kind (file)",
		CLI_CHOICE, &count->per, per_name, NULL},
	    {0, "top", "N", "the N largest messages", CLI_NUMBER,
		&count->top, NULL, NULL},
	    {0, "text", NULL, "the input is plain text", CLI_FLAG,
		&count->text, NULL, NULL},
	    {.type = CLI_HEADING, .help = "Against what"},
	    {0, "window", "N", "context window (the model's)", CLI_NUMBER,
		&count->window, NULL, NULL},
	    {0, "reserve", "N", "taken off what is left (0)", CLI_NUMBER,
		&count->reserve, NULL, NULL},
	    {0, "max", "N|P%", "status 1 if a conversation is over it",
		CLI_AMOUNT, &count->max, NULL, NULL},
	    {0, "models", NULL, "list the models and stop", CLI_FLAG,
		&count->models, NULL, NULL},
	    {0, "calibrate", NULL, "fit what the calls were billed",
		CLI_FLAG, &count->calibrate, NULL, NULL},
	    {0, "bound", "WHAT", "its factor: fit (default), upper",
		CLI_CHOICE, &count->bound, bound_name, NULL},
	    {.type = CLI_HEADING, .help = "How it is printed"},
	    {0, "json", NULL, "one JSON object a line", CLI_FLAG,
		&count->json, NULL, NULL},
	    {0, "tsv", NULL, "columns parted by tabs, with a header",
		CLI_FLAG, &count->tsv, NULL, NULL},
	    {'q', "quiet", NULL, "only the status", CLI_FLAG, &count->quiet,
		NULL, NULL},
	    {0, "annotate", NULL, "the stream, a count in each record",
		CLI_FLAG, &count->annotate, NULL, NULL},
	    {0, "key", "NAME", "the count's (ctx_tokens)", CLI_STRING,
		&count->key, NULL, NULL},
	    {0, "bar", NULL, "a bar with the share of each role and tool",
		CLI_FLAG, &count->bar.shown, NULL, NULL},
	    {0, "follow", NULL, "the bar anew whenever a file grows", CLI_FLAG,
		&count->bar.follow, NULL, NULL},
	    {0, "svg", "FILE", "write the bar as a picture", CLI_STRING,
		&count->bar.svg, NULL, NULL},
	    {0, "color", "WHEN", "auto (default), always, never",
		CLI_CHOICE, &count->bar.color, bar_color_name, NULL},
	    CLI_COMMON(&count->cli),
	    CLI_SANDBOX(&count->cli),
	    {0},
	};

	count->key = "ctx_tokens";
	count->cli.options = options;
	cli_parse(&count->cli, argc, argv);
	count->cli.options = NULL;
	bar_check(&count->bar, &count->cli,
	    count->json || count->tsv || count->per != PER_FILE ||
		count->text || count->calibrate || count->annotate);
	if (count->annotate &&
	    (count->json || count->tsv || count->per != PER_FILE ||
		count->top > 0 || count->text || count->calibrate ||
		count->quiet || count->max.set))
		cli_die(&count->cli, "--annotate writes the stream; it goes "
				     "with no other output");
}

int
main(int argc, char **argv)
{
	char stdin_name[] = "-";
	struct count count = {
	    .cli = {
		.name = "ctx-count",
		.about = "Count the tokens of conversations: tokens, "
			 "messages, characters, name.",
		.operands = "[FILE...]",
		.examples =
		    "  ctx-count -m gpt-4o chat.jsonl\n"
		    "  git diff | ctx-count --text --max 8k\n",
	    }};

	parse(&count, argc, argv);
	cli_meter(&count.cli, &count.meter);
	if (count.models) {
		cli_models_print(&count.cli, &count.meter.own);
		return cli_end(&count.cli, NULL);
	}
	if (count.calibrate && count.meter.encoding == NULL)
		count.meter.encoding = "o200k_base";
	if (count.cli.n_files == 0)
		count.cli.files[count.cli.n_files++] = stdin_name;
	cli_sandbox(&count.cli, &(struct cli_needs){.meter = &count.meter,
	    .written = count.bar.svg, .reopens = count.bar.follow});
	if (count.annotate)
		return annotate(&count);
	do {
		bar_wait(&count.bar, &count.cli);
		count_files(&count);
		bar_write(&count.bar, &count.cli);
	} while (count.bar.follow);
	cli_note_models(&count.cli, &count.meter);
	bar_release(&count.bar);
	calibrate_release(&count.calls);
	ctx_meter_release(&count.meter);
	free(count.rows.list);
	free(count.largest.list);
	ctx_names_release(&count.rows.names);
	ctx_names_release(&count.largest.names);
	return cli_end(&count.cli, NULL);
}
