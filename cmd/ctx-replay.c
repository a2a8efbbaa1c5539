/* ctx-replay.c - command that computes what recorded sessions cost: simulates
 * the provider's prompt cache for the requests of the sessions, and adds up the
 * costs */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/option_rows.h"
#include "replay/read_policy.h"

struct replay_command {
	struct cli cli;
	struct ctx_replay_options options;
	unsigned ttl;
	struct bill_form form;
	struct cli_list texts; /* the arguments of --policy */
	struct named_policy *policies;
};

static int
on_request(void *user, const struct ctx_replayed_request *request,
    struct ctx_err *err)
{
	struct replay_command *command = user;

	return bill_print_request(&command->form, request, err);
}

static int
replay_session(void *user, struct ctx_replay_session *session,
    struct ctx_err *err)
{
	struct replay_command *command = user;
	struct ctx_replay_outcome outcome;
	size_t i;

	if (ctx_replay_bill(session, &command->options, on_request, command,
		&outcome, err) < 0)
		return -1;
	for (i = 0; i < command->texts.n; i++)
		if (ctx_replay_pruned(session, &command->policies[i].policy,
			command->options.now, &command->policies[i].sum,
			err) < 0)
			return -1;
	if (command->texts.n > 0) {
		bill_add_session(&command->form, &outcome);
		return 0;
	}
	return bill_print_session(&command->form, &outcome, err);
}

/* Replays all sessions in the input files.  Each file is read separately. */
static void
replay_files(struct replay_command *command,
    struct ctx_model_counters *counters)
{
	struct cli *cli = &command->cli;
	struct ctx_stream stream;
	struct ctx_err err;
	size_t i;

	while (cli_next_stream(cli, &stream, NULL)) {
		if (ctx_replay_read(&stream, counters, command->texts.n > 0,
			replay_session, command, &err) < 0)
			cli_fail(cli, &err);
		cli_note_stream(cli, &stream);
		cli_require_messages(cli, &stream);
		cli_end_stream(cli, &stream, NULL);
	}
	if (command->texts.n > 0)
		policies_print(&command->form, command->policies,
		    command->texts.n);
	else
		bill_print_sum(&command->form);
	if (command->form.sessions == 0 && cli->status == CLI_YES)
		cli_say(cli,
		    "no request was found, because no message was written by a "
		    "model; give sessions with the answers of the model");
	cli_note_models(cli, counters);
	for (i = 0; i < command->texts.n; i++) {
		struct ctx_prune_config *config = &command->policies[i].config;

		cli_end_pattern(cli, "pin", &config->pin_text);
		cli_end_pattern(cli, "pin-tool", &config->pin_tool);
	}
	cli_status(cli, cli_end(cli));
	if (cli->status == CLI_YES && command->form.sum.untimed > 0)
		cli_say(cli,
		    "%" PRIu64 " of %" PRIu64 " requests have no timestamp; "
		    "the prompts that they store in the cache are assumed "
		    "never "
		    "to expire",
		    command->form.sum.untimed, command->form.sum.requests);
}

static void
read_policies(struct replay_command *command)
{
	struct cli *cli = &command->cli;
	size_t i;

	if (command->texts.n == 0)
		return;
	if (command->form.requests)
		cli_die(cli,
		    "--policy and --requests exclude each other; give one of "
		    "them");
	command->policies =
	    cli_allocate(cli, command->texts.n, sizeof *command->policies);
	for (i = 0; i < command->texts.n; i++)
		policy_read(cli, &command->policies[i], command->texts.list[i]);
}

static void
release_policies(struct replay_command *command)
{
	size_t i;

	for (i = 0; i < command->texts.n; i++)
		policy_release(&command->policies[i]);
	free(command->policies);
	free(command->texts.list);
}

static void
parse(struct replay_command *command, int argc, char **argv)
{
	struct cli *cli = &command->cli;
	const struct cli_option options[] = {
	    {'p', "policy", "POLICY",
		"also compute the cost with options of ctx-prune", CLI_LIST,
		&command->texts, NULL, NULL},
	    {0, "requests", NULL, "print a row for each request", CLI_FLAG,
		&command->form.requests, NULL, NULL},
	    {0, "ttl", "TIME", "how long the cache is kept: 5m (default), 1h",
		CLI_CHOICE, &command->ttl, ctx_ttl_name, NULL},
	    CLI_MODEL(cli),
	    CLI_DIALECT(cli),
	    CLI_ENCODING(cli),
	    {0, "tsv", NULL, "print columns separated by tabs", CLI_FLAG,
		&command->form.tsv, NULL, NULL},
	    {0, "json", NULL, "print a JSON object per session", CLI_FLAG,
		&command->form.json, NULL, NULL},
	    CLI_REST(cli),
	    {0},
	};

	cli_parse(cli, options, argc, argv);
	if (command->form.json && command->form.tsv)
		cli_die(cli,
		    "--json and --tsv exclude each other; give one of them");
	command->options.ttl = (enum ctx_ttl)command->ttl;
	command->options.now = (int64_t)time(NULL);
	command->form.cli = cli;
	read_policies(command);
}

int
main(int argc, char **argv)
{
	struct replay_command command = {
	    .cli = {
		.name = "ctx-replay",
		.about = "Compute, without calling a model, what recorded "
			 "sessions cost.",
		.operands = "[SESSION...]",
		.examples = "  ctx-replay ~/.claude/projects/*/*.jsonl\n"
			    "  ctx-replay --requests session.jsonl\n"
			    "  ctx-replay -p '-b 50k' session.jsonl\n",
		.each = true,
	    }};
	struct ctx_model_counters counters;

	parse(&command, argc, argv);
	cli_model_counters(&command.cli, &counters);
	cli_sandbox(&command.cli,
	    &(struct cli_sandbox_grants){.counters = &counters});
	replay_files(&command, &counters);
	ctx_model_counters_release(&counters);
	release_policies(&command);
	return command.cli.status;
}
