/* read_policy.h - the policies of ctx-replay, from its option --policy */
#ifndef CTX_CMD_REPLAY_READ_POLICY_H
#define CTX_CMD_REPLAY_READ_POLICY_H

#include "replay/print_bill.h"

/* A policy, which ctx-replay tries out: a list of options of ctx-prune, with
 * which the prompt of each request is shortened.  Its form on the command line
 * is [NAME=]OPTIONS. */
struct named_policy {
	const char *name;
	struct ctx_prune_config config;
	struct ctx_replay_policy policy;
	/* results that ctx-replay has computed for this policy (way to prune),
	 * added up over all sessions */
	struct ctx_replay_pruned sum;
	/* Memory for the strings to which the other members of this struct
	 * point. */
	char *text, **words;
};

/* Reads the argument of the option --policy into *policy.  Exits with an error
 * if it contains an option that policies do not have, or a malformed value. */
void policy_read(const struct cli *cli, struct named_policy *policy,
    const char *text);
void policy_release(struct named_policy *policy);

/* ---- print_policies.c ---- */

/* Prints a table that compares policies (ways to prune).  The first row is the
 * cost of all sessions without pruning.  Each further row is the cost with one
 * policy. */
void policies_print(struct bill_form *form, const struct named_policy *policies,
    size_t n);

#endif
