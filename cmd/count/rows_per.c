/* rows_per.c - implements ctx-count --per: adds up the tokens of messages by
 * turn, role, tool or kind of content block */
#include <inttypes.h>
#include <string.h>

#include "count/output.h"

const char *
per_name(size_t i)
{
	static const char *const names[] = {"file", "message", "turn", "role",
	    "tool", "kind"};

	return i < CTX_LENGTH(names) ? names[i] : NULL;
}

/* Three numbers of a row: its tokens, how many of the tokens are estimated, and
 * the characters of its texts. */
struct row_size {
	uint64_t tokens, estimated, chars;
};

/* Adds tokens to the row with the given name.  Adds no row for zero tokens.
 * The tokens are those of a message, or those of the system prompt and the tool
 * definitions. */
static int
add_tokens(struct rows *rows, const struct ctx_token_stats *stats,
    const char *name, struct row_size size, struct ctx_err *err)
{
	struct ctx_token_stats sum = {.file = stats->file,
	    .dialect = stats->dialect,
	    .model = stats->model,
	    .counted_like = stats->counted_like,
	    .messages = stats->message != NULL ? stats->messages : 0,
	    .tokens = size.tokens,
	    .estimated = size.estimated,
	    .chars = size.chars,
	    .basis = stats->basis};

	if (size.tokens == 0)
		return 0;
	return rows_add(rows, &sum, name, strlen(name), err);
}

static int
add_kinds(struct rows *rows, const struct ctx_token_stats *stats,
    struct ctx_err *err)
{
	bool all_estimated = stats->estimated == stats->tokens;
	uint64_t framing = stats->tokens;
	size_t i;

	for (i = 0; i < CTX_BLOCK_KINDS; i++) {
		framing -= stats->kinds[i];
		if (add_tokens(rows, stats,
			ctx_block_kind_name((enum ctx_block_kind)i),
			(struct row_size){.tokens = stats->kinds[i],
			    .estimated = all_estimated
				? stats->kinds[i]
				: stats->estimated_by_kind[i]},
			err) < 0)
			return -1;
	}
	return add_tokens(rows, stats, "framing",
	    (struct row_size){.tokens = framing,
		.estimated = all_estimated ? framing : 0},
	    err);
}

int
rows_add_overhead(struct rows *rows, enum per per,
    const struct ctx_token_stats *stats, struct ctx_err *err)
{
	const struct ctx_request_overhead *b = &stats->overhead;
	bool all_estimated = b->estimated == b->tokens, roles = per == PER_ROLE;
	const struct row_size all = {b->tokens, b->estimated, b->chars};
	const struct row_size system = {b->system,
	    all_estimated ? b->system : 0, roles ? b->system_chars : 0};
	const struct row_size tools = {b->tools, b->tools,
	    roles ? b->chars - b->system_chars : 0};
	struct row_size rest = {.tokens = b->tokens - b->system - b->tools};

	rest.estimated = all_estimated ? rest.tokens : b->estimated - b->tools;
	switch (per) {
	case PER_TURN:
		return add_tokens(rows, stats, "0", all, err);
	case PER_TOOL:
		return add_tokens(rows, stats, "-", all, err);
	case PER_KIND:
	case PER_ROLE:
		break;
	default:
		return 0;
	}
	if (add_tokens(rows, stats, roles ? "system" : "text", system, err) <
		0 ||
	    add_tokens(rows, stats, "tools", tools, err) < 0)
		return -1;
	return add_tokens(rows, stats, roles ? "priming" : "framing", rest,
	    err);
}

/* Adds the tokens of a message's tool calls and tool results to the rows of
 * their tools, and its other tokens to the row "-". */
static int
add_tools(struct rows *rows, const struct ctx_token_stats *stats,
    struct ctx_err *err)
{
	struct ctx_token_stats of_tool = *stats, rest = *stats;
	const struct ctx_share *share = stats->shares;
	const struct ctx_share *end = share + stats->n_shares;

	for (; share < end; share++) {
		of_tool.tokens = share->tokens;
		of_tool.estimated = share->estimated;
		of_tool.chars = share->chars;
		of_tool.turns = 0;
		rest.tokens -= share->tokens;
		rest.estimated -= share->estimated;
		rest.chars -= share->chars;
		if (rest.tokens == 0 && share + 1 == end)
			of_tool.turns = stats->turns;
		if (rows_add(rows, &of_tool, share->tool.p, share->tool.n,
			err) < 0)
			return -1;
	}
	return rest.tokens == 0 && stats->n_shares > 0
	    ? 0
	    : rows_add(rows, &rest, "-", 1, err);
}

int
rows_add_message(struct rows *rows, enum per per,
    const struct ctx_token_stats *stats, struct ctx_err *err)
{
	const char *role = ctx_role_name(stats->role);
	char turn[24];

	switch (per) {
	case PER_TURN:
		(void)snprintf(turn, sizeof turn, "%" PRIu64, stats->turn);
		return rows_add(rows, stats, turn, strlen(turn), err);
	case PER_ROLE:
		return rows_add(rows, stats, role, strlen(role), err);
	case PER_TOOL:
		return add_tools(rows, stats, err);
	case PER_KIND:
		return add_kinds(rows, stats, err);
	default:
		return 0;
	}
}
