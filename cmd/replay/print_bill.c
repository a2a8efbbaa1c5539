/* print_bill.c - prints what the requests of recorded sessions cost: the costs
 * that the provider billed, and the costs that ctx-replay computes */
#include <inttypes.h>
#include <string.h>

#include "replay/print_bill.h"

/* Returns the name of a model, or the argument "unknown" if it has none. */
static const char *
name_model(const struct ctx_model *model, const char *unknown)
{
	return model == NULL || model->name[0] == '\0' ? unknown : model->name;
}

static uint64_t
fresh_tokens(const struct ctx_billed_usage *usage)
{
	return usage->input - usage->read - usage->written;
}

/* Returns the number of requests for which the recorded number of tokens read
 * from the prompt cache was compared with the computed number. */
static uint64_t
count_compared(const struct ctx_replay_outcome *outcome)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < CTX_REPLAY_REASONS; i++)
		sum += outcome->reasons[i];
	return sum;
}

/* ---- text ---- */

static void
print_row(const char *name, const struct ctx_replay_bill *bill)
{
	const struct ctx_billed_usage *tokens = &bill->tokens;
	const uint64_t columns[] = {tokens->read, tokens->written,
	    fresh_tokens(tokens), tokens->output};
	char text[24];
	size_t i;

	printf("  %-9s", name);
	for (i = 0; i < CTX_LENGTH(columns); i++)
		printf("%13s", cli_group_digits(text, "", columns[i]));
	if (bill->unpriced > 0)
		printf("%11s\n", "not known");
	else
		printf("%11.2f\n", bill->dollars);
}

static void
print_reasons(const struct ctx_replay_outcome *outcome)
{
	uint64_t compared = count_compared(outcome);
	char text[24];
	size_t i;

	if (compared == 0)
		return;
	printf("  %" PRIu64 " of %" PRIu64 " cache reads",
	    outcome->reasons[CTX_REPLAY_EQUAL], compared);
	if (outcome->compared_read > 0)
		printf(" (%.1f %% of their tokens)",
		    (double)outcome->equal_read * 100 /
			(double)outcome->compared_read);
	printf(" are equal within 2 %%\n");
	for (i = 1; i < CTX_REPLAY_REASONS; i++) {
		int64_t apart = outcome->differences[i];
		uint64_t size =
		    apart < 0 ? 0 - (uint64_t)apart : (uint64_t)apart;

		if (outcome->reasons[i] == 0)
			continue;
		printf("  %5" PRIu64 " %-11s %s%s tokens: %s\n",
		    outcome->reasons[i],
		    ctx_replay_reason_name((enum ctx_replay_reason)i),
		    apart < 0 ? "-" : "+", cli_group_digits(text, "", size),
		    ctx_replay_reason_text((enum ctx_replay_reason)i));
	}
}

static void
print_outcome(const struct ctx_replay_outcome *outcome)
{
	bool all = outcome->all.tokens.input != outcome->replayed.tokens.input;

	printf("  %-9s%13s%13s%13s%13s%11s\n", "", "read", "written", "fresh",
	    "output", "dollars");
	if (outcome->recorded.tokens.input > 0) {
		print_row("recorded", &outcome->recorded);
		print_row("replayed", &outcome->replayed);
	}
	if (all)
		print_row("all", &outcome->all);
	print_reasons(outcome);
}

/* ---- TSV ---- */

static void
print_tsv_bill(const struct ctx_replay_bill *bill)
{
	const struct ctx_billed_usage *tokens = &bill->tokens;

	printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t",
	    tokens->read, tokens->written, fresh_tokens(tokens),
	    tokens->output);
	if (bill->unpriced > 0)
		printf("-");
	else
		printf("%.6f", bill->dollars);
}

static void
print_tsv_header(void)
{
	static const char *const kinds[] = {"recorded", "replayed", "all"};
	size_t i;

	printf("requests\tcompared\tequal");
	for (i = 0; i < 3; i++)
		printf("\t%s_read\t%s_written\t%s_fresh\t%s_output\t%s_dollars",
		    kinds[i], kinds[i], kinds[i], kinds[i], kinds[i]);
	puts("\tmodel\tfile");
}

static void
print_tsv_session(struct bill_form *form,
    const struct ctx_replay_outcome *outcome)
{
	if (form->requests)
		return;
	if (!form->has_header)
		print_tsv_header();
	form->has_header = true;
	printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, outcome->requests,
	    count_compared(outcome), outcome->reasons[CTX_REPLAY_EQUAL]);
	print_tsv_bill(&outcome->recorded);
	print_tsv_bill(&outcome->replayed);
	print_tsv_bill(&outcome->all);
	printf("\t%s\t", name_model(outcome->model, "-"));
	cli_print_place(stdout, outcome->file, outcome->line);
	(void)putchar('\n');
}

/* ---- JSON ---- */

static json_t *
usage_object(const struct ctx_billed_usage *usage)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "input",
	    (json_int_t)usage->input, "read", (json_int_t)usage->read,
	    "written", (json_int_t)usage->written, "written_hour",
	    (json_int_t)usage->written_hour, "fresh",
	    (json_int_t)fresh_tokens(usage), "output",
	    (json_int_t)usage->output);
}

static json_t *
bill_object(const struct ctx_replay_bill *bill)
{
	return cli_json_with(usage_object(&bill->tokens), "dollars",
	    bill->unpriced > 0 ? json_null() : json_real(bill->dollars));
}

static json_t *
reasons_object(const struct ctx_replay_outcome *outcome)
{
	json_t *object = json_object();
	size_t i;

	for (i = 1; i < CTX_REPLAY_REASONS; i++)
		if (outcome->reasons[i] > 0)
			object = cli_json_with(object,
			    ctx_replay_reason_name((enum ctx_replay_reason)i),
			    json_pack("{s:I, s:I}", "requests",
				(json_int_t)outcome->reasons[i], "tokens",
				(json_int_t)outcome->differences[i]));
	return object;
}

static json_t *
place_object(const char *file, uint64_t line)
{
	json_t *object = cli_json_with(json_object(), "file",
	    cli_json_text(file, strlen(file)));

	return line == 0 ? object : cli_json_number(object, "line", line);
}

static json_t *
name_or_null(const struct ctx_model *model)
{
	return model == NULL || model->name[0] == '\0'
	    ? json_null()
	    : json_string(model->name);
}

static int
print_json_session(const struct ctx_replay_outcome *outcome,
    struct ctx_err *err)
{
	json_t *object = place_object(outcome->file, outcome->line);

	object = cli_json_with(object, "model", name_or_null(outcome->model));
	object = cli_json_number(object, "requests", outcome->requests);
	object = cli_json_number(object, "untimed", outcome->untimed);
	object = cli_json_number(object, "outside", outcome->outside);
	object = cli_json_number(object, "shared", outcome->shared);
	object =
	    cli_json_with(object, "recorded", bill_object(&outcome->recorded));
	object =
	    cli_json_with(object, "replayed", bill_object(&outcome->replayed));
	object = cli_json_with(object, "all", bill_object(&outcome->all));
	object = cli_json_number(object, "compared", count_compared(outcome));
	object = cli_json_number(object, "equal",
	    outcome->reasons[CTX_REPLAY_EQUAL]);
	object =
	    cli_json_number(object, "compared_tokens", outcome->compared_read);
	object = cli_json_number(object, "equal_tokens", outcome->equal_read);
	object = cli_json_with(object, "reasons", reasons_object(outcome));
	return cli_json_line(stdout, CLI_STDOUT, object, JSON_REAL_PRECISION(9),
	    err);
}

/* Returns how the number of tokens that a request read from the prompt cache,
 * as the session records it, compares with the number that ctx computes: that
 * they are equal, or the reason why they differ.  Returns NULL if the session
 * does not record the number. */
static const char *
find_reason(const struct ctx_replayed_request *request)
{
	return request->has_reads ? ctx_replay_reason_name(request->reason)
				  : NULL;
}

static int
print_json_request(const struct ctx_replayed_request *request,
    struct ctx_err *err)
{
	const char *reason = find_reason(request);
	json_t *object = place_object(request->file, request->line);

	object = cli_json_number(object, "request", request->index + 1);
	object = cli_json_with(object, "model", name_or_null(request->model));
	object = cli_json_with(object, "pause",
	    request->pause < 0 ? json_null()
			       : json_integer(request->pause / 1000));
	object = cli_json_with(object, "recorded",
	    request->recorded.input > 0 ? usage_object(&request->recorded)
					: json_null());
	object =
	    cli_json_with(object, "replayed", usage_object(&request->replayed));
	object = cli_json_with(object, "reason",
	    reason != NULL ? json_string(reason) : json_null());
	return cli_json_line(stdout, CLI_STDOUT, object, 0, err);
}

/* ---- requests ---- */

/* Prints a number, or "-" if known is false. width: minimum width in columns;
 * end: a character printed after the number. */
static void
print_number(bool known, uint64_t number, int width, char end)
{
	if (known)
		printf("%*" PRIu64, width, number);
	else
		printf("%*s", width, "-");
	(void)putchar(end);
}

int
bill_print_request(struct bill_form *form,
    const struct ctx_replayed_request *request, struct ctx_err *err)
{
	const char *reason = find_reason(request);
	char gap = form->tsv ? '\t' : ' ';
	int width = form->tsv ? 0 : 9;

	if (!form->requests)
		return 0;
	if (form->json)
		return print_json_request(request, err);
	if (!form->has_header)
		printf(form->tsv ? "%s\t%s\t%s\t%s\t%s\t%s\t%s\n"
				 : "%9s %9s %9s %9s %9s %-11s %s\n",
		    "request", "pause", "input", "recorded", "replayed",
		    "reason", "line");
	form->has_header = true;
	print_number(true, request->index + 1, width, gap);
	print_number(request->pause >= 0, (uint64_t)request->pause / 1000,
	    width, gap);
	print_number(true, request->replayed.input, width, gap);
	print_number(reason != NULL, request->recorded.read, width, gap);
	print_number(true, request->replayed.read, width, gap);
	printf("%-*s%c", form->tsv ? 0 : 11, reason != NULL ? reason : "-",
	    gap);
	cli_print_place(stdout, request->file, request->line);
	(void)putchar('\n');
	cli_check_stdout(form->cli);
	return 0;
}

/* ---- sessions ---- */

static void
add_bill(struct ctx_replay_bill *sum, const struct ctx_replay_bill *bill)
{
	sum->tokens.input += bill->tokens.input;
	sum->tokens.read += bill->tokens.read;
	sum->tokens.written += bill->tokens.written;
	sum->tokens.written_hour += bill->tokens.written_hour;
	sum->tokens.output += bill->tokens.output;
	sum->dollars += bill->dollars;
	sum->unpriced += bill->unpriced;
}

static void
add_outcome(struct ctx_replay_outcome *sum,
    const struct ctx_replay_outcome *outcome)
{
	size_t i;

	sum->requests += outcome->requests;
	sum->untimed += outcome->untimed;
	add_bill(&sum->recorded, &outcome->recorded);
	add_bill(&sum->replayed, &outcome->replayed);
	add_bill(&sum->all, &outcome->all);
	add_bill(&sum->unpruned, &outcome->unpruned);
	sum->compared_read += outcome->compared_read;
	sum->equal_read += outcome->equal_read;
	for (i = 0; i < CTX_REPLAY_REASONS; i++) {
		sum->reasons[i] += outcome->reasons[i];
		sum->differences[i] += outcome->differences[i];
	}
}

void
bill_add_session(struct bill_form *form,
    const struct ctx_replay_outcome *outcome)
{
	form->sessions++;
	add_outcome(&form->sum, outcome);
}

int
bill_print_session(struct bill_form *form,
    const struct ctx_replay_outcome *outcome, struct ctx_err *err)
{
	bill_add_session(form, outcome);
	if (form->json)
		return print_json_session(outcome, err);
	if (form->tsv) {
		print_tsv_session(form, outcome);
	} else {
		cli_print_place(stdout, outcome->file, outcome->line);
		printf(": %" PRIu64 " request%s to %s\n", outcome->requests,
		    outcome->requests == 1 ? "" : "s",
		    name_model(outcome->model, "an unknown model"));
		print_outcome(outcome);
		form->has_header = false;
	}
	cli_check_stdout(form->cli);
	return 0;
}

void
bill_print_sum(struct bill_form *form)
{
	if (form->sessions < 2 || form->json || form->tsv)
		return;
	printf("%" PRIu64 " sessions: %" PRIu64 " requests\n", form->sessions,
	    form->sum.requests);
	print_outcome(&form->sum);
	cli_check_stdout(form->cli);
}
