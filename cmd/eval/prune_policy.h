/* prune_policy.h - the policies of ctx-eval that are options of ctx-prune */
#ifndef CTX_CMD_EVAL_PRUNE_POLICY_H
#define CTX_CMD_EVAL_PRUNE_POLICY_H

#include "cli/cli.h"
#include "eval/eval.h"

/* If all options of a policy only say what ctx-prune removes, stores their
 * values in *config and sets policy->config, so that no process is needed to
 * apply the policy.  Changes neither if an option names a file or a command, or
 * contains the placeholder {budget}; nor with --verbose, because only a process
 * prints warnings of ctx-prune.  Exits with an error if the value of an option
 * is malformed. */
void eval_read_prune_policy(const struct cli *cli, struct ctx_policy *policy,
    struct ctx_prune_config *config);

#endif
