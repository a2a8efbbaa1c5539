/* read_policy.h - reads the policies of ctx-replay (--policy) */
#ifndef CTX_CMD_REPLAY_READ_POLICY_H
#define CTX_CMD_REPLAY_READ_POLICY_H

#include "cli/cli.h"
#include "replay/replay.h"

/* A policy: [NAME=]OPTIONS, where the options are those of ctx-prune. */
struct named_policy {
	const char *name;
	struct ctx_prune_config config;
	struct ctx_replay_policy policy;
	struct ctx_replay_pruned sum; /* over all sessions */
	char *text, **words;          /* what the members point to */
};

/* Reads a policy.  Exits with an error if an option is not known or its value
 * is malformed. */
void policy_read(const struct cli *cli, struct named_policy *policy,
    const char *text);
void policy_release(struct named_policy *policy);

#endif
