/* print_plan.c - prints what ctx-prune would remove from a conversation (option
 * --dry-run), and lists what must be kept, for an error message */
#include "cli/plan_table.h"
#include "prune/print_plan.h"

/* Size in bytes of the buffer for the text that says why a part of the budget
 * is left. */
enum { NOTE_BYTES = 160 };

/* Returns how many tokens of the budget are still unused after messages were
 * removed from the conversation. */
static uint64_t
count_unused(const struct ctx_prune_outcome *outcome)
{
	uint64_t budget = outcome->settings->budget;

	return outcome->after < budget ? budget - outcome->after : 0;
}

/* Returns a text that tells the user why a part of the budget is unused after
 * pruning.  Does not mention a target below the budget, which the caller prints
 * before this text. */
static const char *
explain_unused(const struct ctx_prune_outcome *outcome)
{
	const struct ctx_prune_settings *settings = outcome->settings;

	if (outcome->error != NULL || outcome->refused)
		return "nothing was removed";
	if (outcome->after == outcome->before)
		return "nothing had to be removed";
	if (!settings->strategy->has_budget)
		return "the strategy keeps a number of turns";
	if (settings->strategy->summarizes)
		return "all but the newest messages are summarized";
	if (outcome->after > settings->target)
		return "the floors exceed the target";
	return "only whole groups are removed";
}

/* Returns true if a part of the budget is unused because ctx-prune removes
 * messages in steps, and the last step has removed more than was needed. */
static bool
removes_in_steps(const struct ctx_prune_outcome *outcome)
{
	const struct ctx_prune_settings *settings = outcome->settings;

	return outcome->error == NULL && !outcome->refused &&
	    outcome->after != outcome->before &&
	    outcome->after <= settings->target && settings->quantum > 0 &&
	    (!settings->strategy->needs_all ||
		outcome->plan->step.reserved > 0);
}

/* Writes to text why a part of the budget is unused after pruning. */
static void
write_reason(char text[NOTE_BYTES], const struct ctx_prune_outcome *outcome)
{
	const struct ctx_prune_settings *settings = outcome->settings;
	char target[24], quantum[24];
	size_t n = 0;

	if (settings->target < settings->budget &&
	    outcome->after != outcome->before)
		n = (size_t)snprintf(text, NOTE_BYTES, "the target is %s; ",
		    cli_plan_number(target, settings->target));
	if (removes_in_steps(outcome))
		(void)snprintf(text + n, NOTE_BYTES - n,
		    "messages are removed in steps of %s tokens (--quantum)%s",
		    cli_plan_number(quantum, settings->quantum),
		    outcome->after + settings->quantum < settings->target
			? ", and in whole groups"
			: "");
	else
		(void)snprintf(text + n, NOTE_BYTES - n, "%s",
		    explain_unused(outcome));
}

/* Prints a row with tokens only. note: an explanation that is printed after a
 * separator, or NULL. */
static void
print_tokens(const char *name, uint64_t tokens, const char *separator,
    const char *note)
{
	cli_plan_row(&(struct cli_plan_row){.action = name,
	    .reason = "",
	    .tokens_sign = ' ',
	    .tokens = tokens,
	    .has_tokens = true,
	    .separator = separator,
	    .note = note});
}

static void
print_budget(const struct ctx_prune_outcome *outcome)
{
	char reason[NOTE_BYTES];

	print_tokens("budget", outcome->settings->budget, ", ",
	    outcome->over ? "which is not met" : NULL);
	if (count_unused(outcome) == 0)
		return;
	write_reason(reason, outcome);
	print_tokens("unused", count_unused(outcome), ": ", reason);
}

static void
print_messages(const char *name, uint64_t messages, uint64_t tokens)
{
	cli_plan_row(&(struct cli_plan_row){.action = name,
	    .reason = "",
	    .count_sign = ' ',
	    .count = messages,
	    .unit = "messages",
	    .tokens_sign = ' ',
	    .tokens = tokens,
	    .has_tokens = true});
}

static int
print_json(struct cli_report *report, const struct ctx_prune_outcome *outcome,
    struct ctx_err *err)
{
	json_t *o = cli_report_object(report, outcome->file);
	const struct ctx_prune_settings *settings = outcome->settings;
	json_t *more = json_pack("{s:{s:I, s:I}, s:{s:I, s:I}}", "now",
	    "messages", (json_int_t)outcome->messages, "tokens",
	    (json_int_t)outcome->before, "left", "messages",
	    (json_int_t)outcome->messages_kept, "tokens",
	    (json_int_t)outcome->after);

	if (o == NULL || more == NULL || json_object_update(o, more) < 0) {
		json_decref(o);
		o = NULL;
	}
	json_decref(more);
	if (outcome->line > 0)
		o = cli_json_number(o, "line", outcome->line);
	if (settings->budget != UINT64_MAX) {
		o = cli_json_number(o, "budget", settings->budget);
		o = cli_json_number(o, "target", settings->target);
		o = cli_json_number(o, "unused", count_unused(outcome));
	}
	return cli_json_line(stdout, CLI_STDOUT, o, 0, err);
}

/* Prints the name of the file.  If the conversation is made of all files
 * (--join), prints the names of all. */
static int
print_titles(const struct cli *cli, const struct ctx_prune_outcome *outcome,
    struct ctx_err *err)
{
	size_t i;

	if (cli->each || outcome->line != 0)
		return cli_plan_title(outcome->file, outcome->line, err);
	for (i = 0; i < cli->n_files; i++)
		if (cli_plan_title(cli->files[i], 0, err) < 0)
			return -1;
	return i > 0 ? 0 : cli_plan_title("-", 0, err);
}

static int
print_table(const struct cli *cli, struct cli_report *report,
    const struct ctx_prune_outcome *outcome, struct ctx_err *err)
{
	if (print_titles(cli, outcome, err) < 0)
		return -1;
	print_messages("now", outcome->messages, outcome->before);
	cli_report_rules(report);
	print_messages("left", outcome->messages_kept, outcome->after);
	if (outcome->settings->budget != UINT64_MAX)
		print_budget(outcome);
	cli_check_stdout(cli);
	return 0;
}

int
plan_print(const struct cli *cli, struct cli_report *report,
    const struct ctx_prune_outcome *outcome, struct ctx_err *err)
{
	return report->json ? print_json(report, outcome, err)
			    : print_table(cli, report, outcome, err);
}

/* Appends a name and a number of tokens to a text, which is then a list such as
 * "system 518, last turns 399". n: length of the text so far, in bytes. size:
 * size of the buffer out.  Returns the new length of the text. */
static size_t
add_owner(char *out, size_t n, size_t size, const char *name, uint64_t tokens)
{
	char number[24];

	if (n < size)
		n += (size_t)snprintf(out + n, size - n, "%s%s %s",
		    n > 0 ? ", " : "", name,
		    cli_group_digits(number, "", tokens));
	return n;
}

void
plan_list_floor(const struct ctx_prune_outcome *outcome, char *out, size_t size)
{
	static const char *const owners[] = {
	    [CTX_FLOOR_TOOLS] = "tools",
	    [CTX_FLOOR_UNKNOWN] = "unknown records",
	    [CTX_FLOOR_SYSTEM] = "system",
	    [CTX_FLOOR_PINNED] = "pinned messages and summaries",
	    [CTX_FLOOR_LAST] = "last messages",
	    [CTX_FLOOR_TURN] = "last turns",
	    [CTX_FLOOR_OPEN] = "open tool calls",
	    [CTX_FLOOR_KEPT] = "other kept turns",
	};
	const uint64_t *floor = outcome->plan->floor;
	uint64_t listed = 0;
	size_t n = 0, i;

	out[0] = '\0';
	for (i = 0; i < CTX_FLOOR_KINDS; i++) {
		listed += floor[i];
		if (floor[i] > 0)
			n = add_owner(out, n, size, owners[i], floor[i]);
	}
	if (listed < outcome->after)
		(void)add_owner(out, n, size, "framing",
		    outcome->after - listed);
}
