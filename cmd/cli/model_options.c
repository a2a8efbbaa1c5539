/* model_options.c - prints messages about models, such as how their tokens are
 * counted, and the list of all models */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/similar.h"

/* Prices change within months, so figures that are more than MOST_DAYS days old
 * are reported as old. */
#define MOST_DAYS 90
#define DAY       86400 /* number of seconds of a day */

/* size in bytes of the text that suggest_model writes */
enum { MEANT_BYTES = 80 };

/* If an unknown model is probably a known model with a misspelled name, writes
 * " (did you mean NAME?)" to text.  Otherwise writes an empty string.  Returns
 * text. */
static const char *
suggest_model(const char *unknown, char text[MEANT_BYTES])
{
	struct cli_similar similar = {.word = unknown};
	unsigned i;

	for (i = 0; ctx_model_name(i) != NULL; i++)
		cli_similar_add(&similar, ctx_model_name(i));
	text[0] = '\0';
	if (similar.name != NULL)
		(void)snprintf(text, MEANT_BYTES, " (did you mean %s?)",
		    similar.name);
	return text;
}

void
cli_check_window(const struct cli *cli,
    const struct ctx_model_counters *counters, const char *what)
{
	char meant[MEANT_BYTES];

	if (cli->model == NULL ||
	    ctx_model_find(&counters->own, cli->model, strlen(cli->model))
		    ->name[0] != '\0')
		return;
	cli_die(cli,
	    "--model: '%s' is unknown%s, so %s needs --window; ctx-count "
	    "--models lists the models",
	    cli->model, suggest_model(cli->model, meant), what);
}

static void
note_assumed(const struct cli *cli, const char *name,
    const struct ctx_model *model)
{
	if (model->unlisted)
		cli_say(cli,
		    "model %s is not in the table of models: assumed to be "
		    "like %s, with unknown prices",
		    name, model->name);
	else
		cli_say(cli, "model %s is assumed to be %s", name, model->name);
}

/* Prints how far to trust the token counts of texts for a model.  If the counts
 * are estimates, also prints which encoding would count better. given: an
 * encoding that the user chose, or NULL. */
static void
note_basis(const struct cli *cli, const struct ctx_model_note *note,
    const char *given)
{
	const struct ctx_model *model = note->model;
	const char *name = "no model";
	char more[200] = "";

	if (model != NULL)
		name = model->name[0] != '\0' ? model->name : "unknown model";
	if (note->basis == CTX_BASIS_RECONSTRUCTED)
		(void)snprintf(more, sizeof more, "%s; see ctx-encoding(7)",
		    strncmp(name, "claude-opus-5", 13) == 0
			? "; white space at the end of a message is counted, "
			  "but not billed by Opus 5"
			: "");
	else if (note->basis == CTX_BASIS_ESTIMATED && model != NULL &&
	    model->basis != CTX_BASIS_ESTIMATED)
		(void)snprintf(more, sizeof more,
		    "; the model's own encoding is %s", model->encoding);
	else if (note->basis == CTX_BASIS_ESTIMATED && model != NULL &&
	    model->file != NULL && given == NULL)
		(void)snprintf(more, sizeof more,
		    "; %s %s on huggingface.co; download that file and give "
		    "it with --encoding",
		    model->file_is_near
			? "a better estimate is given by the tokenizer"
			: "its tokenizer is",
		    model->file);
	else if (note->dialect != NULL)
		(void)snprintf(more, sizeof more,
		    "; the format %s suggests %s; --model names another model",
		    note->dialect->name, note->dialect->counts_like);
	cli_say(cli, "%s: token counts of texts are %s (%s)%s", name,
	    ctx_basis_name(note->basis), note->encoding, more);
}

void
cli_note_models(const struct cli *cli, struct ctx_model_counters *counters)
{
	char meant[MEANT_BYTES];
	size_t i;

	if (counters->unknown[0] != '\0')
		cli_say(cli,
		    "unknown model %s%s: without --window, its context window "
		    "is assumed to be 32,000 tokens; without --encoding, its "
		    "tokens are estimated",
		    counters->unknown, suggest_model(counters->unknown, meant));
	if (cli->verbose && counters->alias_of != NULL)
		note_assumed(cli, counters->alias, counters->alias_of);
	for (i = 0; i < counters->n_notes && cli->verbose; i++)
		note_basis(cli, &counters->notes[i], counters->encoding);
	counters->unknown[0] = '\0';
	counters->alias_of = NULL;
	counters->n_notes = 0;
}

/* ---- the list ---- */

/* Prints a text left-aligned in a column of the list of models.  Masks
 * characters that are not safe to show on a terminal: the names of the user's
 * own models may contain such characters. */
static void
print_cell(const char *text, size_t width)
{
	size_t n = strlen(text);

	cli_print_masked(stdout, text, n);
	for (; n < width; n++)
		(void)putchar(' ');
}

static void
print_prices(const struct ctx_price *price)
{
	static const struct ctx_price unknown = {.in = CTX_NO_PRICE,
	    .out = CTX_NO_PRICE,
	    .read = CTX_NO_PRICE,
	    .write = CTX_NO_PRICE,
	    .write_hour = CTX_NO_PRICE,
	    .when = "-",
	    .date = "-"};
	const struct ctx_price *p = price != NULL ? price : &unknown;
	const uint64_t prices[] = {p->in, p->out, p->read, p->write,
	    p->write_hour};
	size_t i;

	for (i = 0; i < CTX_LENGTH(prices); i++)
		if (prices[i] == CTX_NO_PRICE)
			printf(" %8s", "-");
		else
			printf(" %8.7g", (double)prices[i] / 1e6);
	printf(" %-10s", p->date);
}

/* Prints the line of a model in the list of models. price: one of the model's
 * sets of prices, or NULL if the model has no prices. */
static void
print_line(const struct cli *cli, const struct ctx_model *m,
    const struct ctx_price *price)
{
	char factor[16] = "-";

	if (m->factor != 0)
		(void)snprintf(factor, sizeof factor, "%.2f",
		    m->factor / 100.0);
	print_cell(m->name, 30);
	(void)putchar(' ');
	print_cell(m->vendor, 10);
	printf(" %8" PRIu64 " %8" PRIu64 " %7" PRIu64 " %-10s %s", m->window,
	    ctx_model_limit(m), m->output, m->date[0] != '\0' ? m->date : "-",
	    m->basis == CTX_BASIS_ESTIMATED ? "~" : " ");
	print_cell(m->encoding, 13);
	printf(" %-13s %4s%c %-7s %-5s %-10s", ctx_basis_name(m->basis), factor,
	    m->corrects ? '+' : ' ', ctx_image_rule_name(m->image.rule),
	    ctx_tools_rule_name(m->tools.rule), ctx_cache_name(m->cache));
	print_prices(price);
	(void)putchar(' ');
	print_cell(m->file != NULL ? m->file : "-", 0);
	(void)putchar(' ');
	print_cell(m->aliases != NULL ? m->aliases : "-", 0);
	printf(" %s\n", price != NULL ? price->when : "-");
	cli_check_stdout(cli);
}

static void
print_model(const struct cli *cli, const struct ctx_model *m)
{
	size_t i;

	print_line(cli, m, m->prices);
	for (i = 1; i < m->n_prices; i++)
		print_line(cli, m, &m->prices[i]);
}

/* The dates of the built-in table of models, such as "2026-11-26". */
struct dates {
	/* figures of a model from before this day are old */
	char limit[11];
	const char *oldest; /* date of the oldest figures in the table */
	/* n: number of models; n_old: number of models of which a price or a
	 * limit is dated before the day "limit". */
	size_t n, n_old;
};

/* Adds the dates of a model and of its prices to *dates. */
static void
add_dates(struct dates *dates, const struct ctx_model *m)
{
	const char *oldest = m->date;
	size_t i;

	for (i = 0; i < m->n_prices; i++)
		if (strcmp(m->prices[i].date, oldest) < 0)
			oldest = m->prices[i].date;
	if (dates->n == 0 || strcmp(oldest, dates->oldest) < 0)
		dates->oldest = oldest;
	dates->n++;
	dates->n_old += strcmp(oldest, dates->limit) < 0;
}

/* Prints how old the built-in table of models is. */
static void
say_dates(const struct cli *cli, const struct dates *dates)
{
	cli_say(cli,
	    "the table of models and prices is dated %s, its oldest figure %s; "
	    "\"-\" means unknown, or none",
	    ctx_models_date(), dates->oldest);
	if (dates->n_old > 0)
		cli_say(cli,
		    "prices and limits of %zu of %zu models were read more "
		    "than %d days ago, and may have changed since",
		    dates->n_old, dates->n, MOST_DAYS);
}

void
cli_models_print(const struct cli *cli, const struct ctx_models *own)
{
	const time_t limit = time(NULL) - (time_t)MOST_DAYS * DAY;
	const struct ctx_model *m;
	struct dates dates = {.oldest = ""};
	struct tm day;
	size_t i;

	if (gmtime_r(&limit, &day) != NULL)
		(void)strftime(dates.limit, sizeof dates.limit, "%Y-%m-%d",
		    &day);
	printf(
	    "%-30s %-10s %8s %8s %7s %-10s  %-13s %-13s %4s  %-7s %-5s %-10s "
	    "%8s %8s %8s %8s %8s %-10s %s %s %s\n",
	    "name", "vendor", "window", "input", "output", "dated", "encoding",
	    "basis", "x", "images", "tools", "cache", "$/M-in", "out", "read",
	    "write", "1h", "priced", "tokenizer", "aliases", "when");
	for (i = 0; i < own->n; i++)
		print_model(cli, &own->list[i]);
	for (i = 0; (m = ctx_model_at(i)) != NULL; i++) {
		print_model(cli, m);
		add_dates(&dates, m);
	}
	say_dates(cli, &dates);
}
