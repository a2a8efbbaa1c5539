/* print_policies.c - implements ctx-replay --policy: prints what recorded
 * sessions would have cost if ctx-prune had shortened their prompts */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/read_policy.h"

/* A row of the table that compares policies (ways to prune): the cost of the
 * sessions with one policy, or without pruning. */
struct compared_policy {
	const char *name;
	const struct ctx_replay_bill *bill;
	uint64_t changed, over;
	/* Percentages of the input tokens that all requests have without
	 * pruning. sent: the input tokens of the requests. cost: the same, but
	 * a token that is read from the prompt cache counts as 0.1 tokens. */
	double sent, cost;
	/* needed: number of names (paths, ids and other) that tool calls of
	 * responses took from older messages of the prompt (exactly:
	 * lib/replay/needed_names.c). kept: how many of these names the prompt
	 * still contains after pruning. */
	uint64_t needed, kept;
	/* true if no other row is better than this row (see is_better) */
	bool is_best;
};

static void
fill_row(struct compared_policy *row, uint64_t uncut)
{
	const struct ctx_billed_usage *tokens = &row->bill->tokens;
	double all = uncut > 0 ? (double)uncut : 1;

	row->sent = 100 * (double)tokens->input / all;
	row->cost = 100 *
	    ((double)(tokens->input - tokens->read) +
		0.1 * (double)tokens->read) /
	    all;
}

/* Returns true if policy a is better than policy b.  Policy a must not cost
 * more and not keep fewer needed names than b, and must cost less or keep more
 * needed names.  If no names are needed, the numbers of sent tokens are
 * compared in place of the names; more tokens are better.  Costs are in dollars
 * if the prices of the models are known, otherwise the member "cost" is
 * compared. */
static bool
is_better(const struct compared_policy *a, const struct compared_policy *b)
{
	bool priced = a->bill->unpriced == 0 && b->bill->unpriced == 0;
	double cost_a = priced ? a->bill->dollars : a->cost;
	double cost_b = priced ? b->bill->dollars : b->cost;
	double left_a = a->needed > 0 ? (double)a->kept : a->sent;
	double left_b = b->needed > 0 ? (double)b->kept : b->sent;

	return cost_a <= cost_b && left_a >= left_b &&
	    (cost_a < cost_b || left_a > left_b);
}

/* Writes the percentage of the needed names that are kept to the buffer text,
 * or "-" if no names are needed.  Returns text. digits: number of digits after
 * the decimal point. */
static const char *
write_needed(const struct compared_policy *row, int digits, char text[32])
{
	if (row->needed == 0)
		return "-";
	(void)snprintf(text, 32, "%.*f", digits,
	    100 * (double)row->kept / (double)row->needed);
	return text;
}

static void
mark_best(struct compared_policy *rows, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		rows[i].is_best = true;
		for (k = 0; k < n; k++)
			if (is_better(&rows[k], &rows[i]))
				rows[i].is_best = false;
	}
}

static void
print_policy_text(const struct compared_policy *row)
{
	const struct ctx_billed_usage *tokens = &row->bill->tokens;
	char read[24], uncached[24], needed[32], dollars[32] = "-";

	if (row->bill->unpriced == 0)
		(void)snprintf(dollars, sizeof dollars, "%.2f",
		    row->bill->dollars);
	printf("%10s %13s %13s %6.1f %6.1f %7s %7" PRIu64 " %6" PRIu64 " %c ",
	    dollars, cli_group_digits(read, "", tokens->read),
	    cli_group_digits(uncached, "", tokens->input - tokens->read),
	    row->sent, row->cost, write_needed(row, 1, needed), row->changed,
	    row->over, row->is_best ? '*' : ' ');
	cli_print_masked(stdout, row->name, strlen(row->name));
	(void)putchar('\n');
}

static void
print_policy_tsv(const struct compared_policy *row)
{
	const struct ctx_billed_usage *tokens = &row->bill->tokens;
	char needed[32];

	if (row->bill->unpriced == 0)
		printf("%.6f", row->bill->dollars);
	else
		(void)putchar('-');
	printf("\t%" PRIu64 "\t%" PRIu64 "\t%.2f\t%.2f\t%s\t%" PRIu64
	       "\t%" PRIu64 "\t%d\t",
	    tokens->read, tokens->input - tokens->read, row->sent, row->cost,
	    write_needed(row, 2, needed), row->changed, row->over,
	    row->is_best);
	cli_print_masked(stdout, row->name, strlen(row->name));
	(void)putchar('\n');
}

static void
print_policy_json(const struct bill_form *form,
    const struct compared_policy *row)
{
	const struct ctx_billed_usage *tokens = &row->bill->tokens;
	json_t *object = cli_json_with(json_object(), "policy",
	    cli_json_text(row->name, strlen(row->name)));
	struct ctx_err err;

	object = cli_json_with(object, "dollars",
	    row->bill->unpriced > 0 ? json_null()
				    : json_real(row->bill->dollars));
	object = cli_json_number(object, "read", tokens->read);
	object =
	    cli_json_number(object, "uncached", tokens->input - tokens->read);
	object = cli_json_with(object, "sent", json_real(row->sent));
	object = cli_json_with(object, "cost", json_real(row->cost));
	object = cli_json_number(object, "needed", row->needed);
	object = cli_json_number(object, "kept", row->kept);
	object = cli_json_number(object, "pruned", row->changed);
	object = cli_json_number(object, "over", row->over);
	object = cli_json_with(object, "best", json_boolean(row->is_best));
	if (cli_json_line(stdout, CLI_STDOUT, object, JSON_REAL_PRECISION(9),
		&err) < 0)
		cli_fail(form->cli, &err);
}

static void
print_policy_header(const struct bill_form *form)
{
	if (form->tsv)
		puts("dollars\tread\tuncached\tsent\tcost\tneeded\tpruned\tover"
		     "\tbest\tpolicy");
	else if (!form->json)
		printf("%10s %13s %13s %6s %6s %7s %7s %6s   %s\n", "dollars",
		    "read", "uncached", "sent%", "cost%", "needed%", "pruned",
		    "over", "policy");
}

/* Explains the columns to a person; programs get the table alone. */
static void
print_policy_legend(const struct bill_form *form)
{
	if (form->tsv || form->json || !isatty(STDOUT_FILENO))
		return;
	puts("\nread      input tokens read from the provider's cache\n"
	     "uncached  all other input tokens\n"
	     "sent%     read and uncached tokens, in percent of those without "
	     "pruning\n"
	     "cost%     the same, with a read token counted as 0.1 tokens\n"
	     "needed%   of the strings that later tool calls use, the "
	     "percentage that the\n"
	     "          pruned prompts contain\n"
	     "pruned    number of pruned prompts\n"
	     "over      number of prompts above the budget\n"
	     "*         no cheaper policy has as high a needed%");
}

void
policies_print(struct bill_form *form, const struct named_policy *policies,
    size_t n)
{
	struct compared_policy *rows =
	    cli_allocate(form->cli, n + 1, sizeof *rows);
	size_t i;

	/* How many strings later tool calls use does not depend on the policy.
	 * So the row without pruning takes this number from the first
	 * policy. */
	rows[0] = (struct compared_policy){.name = "no pruning",
	    .bill = &form->sum.unpruned,
	    .needed = policies[0].sum.needed,
	    .kept = policies[0].sum.needed};
	for (i = 0; i < n; i++)
		rows[i + 1] = (struct compared_policy){.name = policies[i].name,
		    .bill = &policies[i].sum.bill,
		    .changed = policies[i].sum.changed,
		    .needed = policies[i].sum.needed,
		    .kept = policies[i].sum.kept,
		    .over = policies[i].sum.over};
	for (i = 0; i <= n; i++)
		fill_row(&rows[i], form->sum.unpruned.tokens.input);
	mark_best(rows, n + 1);
	print_policy_header(form);
	for (i = 0; i <= n; i++) {
		if (form->json)
			print_policy_json(form, &rows[i]);
		else if (form->tsv)
			print_policy_tsv(&rows[i]);
		else
			print_policy_text(&rows[i]);
		cli_check_stdout(form->cli);
	}
	print_policy_legend(form);
	free(rows);
}
