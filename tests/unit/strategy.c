/* strategy.c - tests the table of strategies and the reasons that strategies
 * report */
#include <math.h>

#include "prune/plan.h"
#include "tap.h"

/* A conversation for which the heuristic strategy gives ranks for each of its
 * reasons. */
static const char *const conversation[] = {
    "{\"role\":\"user\",\"content\":\"Run it.\\nEND OF DEMONSTRATION\"}",
    "{\"role\":\"assistant\",\"content\":\"Shown.\"}",
    "{\"role\":\"user\",\"content\":\"Read the file and run the tests.\"}",
    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"type\":"
    "\"function\",\"function\":{\"name\":\"read\",\"arguments\":"
    "\"{\\\"path\\\":\\\"a.c\\\"}\"}}]}",
    "{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"int a;\"}",
    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"2\",\"type\":"
    "\"function\",\"function\":{\"name\":\"run\",\"arguments\":"
    "\"{\\\"command\\\":\\\"make\\\"}\"}}]}",
    "{\"role\":\"tool\",\"tool_call_id\":\"2\",\"content\":\"Error: no rule\"}",
    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"3\",\"type\":"
    "\"function\",\"function\":{\"name\":\"run\",\"arguments\":"
    "\"{\\\"command\\\":\\\"make all\\\"}\"}}]}",
    "{\"role\":\"tool\",\"tool_call_id\":\"3\",\"content\":\"built\"}",
    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"4\",\"type\":"
    "\"function\",\"function\":{\"name\":\"read\",\"arguments\":"
    "\"{\\\"path\\\":\\\"a.c\\\"}\"}}]}",
    "{\"role\":\"tool\",\"tool_call_id\":\"4\",\"content\":\"int a;\"}",
    "{\"role\":\"assistant\",\"content\":\"See src/lexer_17.c.\"}",
    "{\"role\":\"assistant\",\"content\":\"It builds.\"}",
};
enum { MESSAGES = sizeof conversation / sizeof conversation[0] };

/* Adds a message to the groups and to the scorer (which computes ranks). */
static int
add_message(struct ctx_groups *groups, struct ctx_scorer *scorer,
    const char *text)
{
	const struct ctx_dialect *dialect = ctx_dialect_find("openai-chat");
	struct ctx_message message = {0};
	struct ctx_cost cost = {.tokens = 10};
	const struct ctx_scored_message scored = {.message = &message,
	    .first = groups->n};
	size_t used;
	struct ctx_json json;
	struct ctx_err err;
	int rc = -1;

	ctx_json_init(&json, CTX_SIMD_BEST);
	if (ctx_json_scan(&json, text, strlen(text), &used, &err) > 0 &&
	    ctx_dialect_read_message(dialect, &json, 0, &message, &err) > 0 &&
	    ctx_groups_add(groups, &message, &cost, 0, &err) == 0 &&
	    scorer->kind->add(scorer, &scored, groups, &err) == 0)
		rc = 0;
	ctx_message_release(&message);
	ctx_json_release(&json);
	return rc;
}

/* Checks that each reason of the strategy is the reason for some rank. */
static void
check_ranks(const struct ctx_strategy *strategy)
{
	const struct ctx_scorer_options options = {0};
	struct ctx_groups groups;
	struct ctx_scorer *scorer = NULL;
	struct ctx_plan plan = {.groups = &groups,
	    .settings = {.strategy = strategy}};
	struct ctx_err err;
	unsigned seen = 0;
	size_t i;

	CHECK(ctx_groups_init(&groups, &err) == 0);
	CHECK(ctx_scorer_open(&scorer, strategy, &options, &err) == 0);
	for (i = 0; i < MESSAGES; i++)
		CHECK(add_message(&groups, scorer, conversation[i]) == 0);
	CHECK(ctx_plan_survey(&plan, &err) == 0);
	CHECK(ctx_scorer_rank(scorer, &plan, &err) == 0);
	for (i = 0; i < groups.n; i++) {
		double rank = groups.segments[i].rank;
		double last = (double)(strategy->n_reasons - 1);

		CHECK(rank >= 0);
		seen |= 1u << (unsigned)(rank < last ? rank : last);
	}
	CHECK(seen == (1u << strategy->n_reasons) - 1);
	ctx_scorer_close(scorer);
	ctx_plan_release(&plan);
	ctx_groups_release(&groups);
}

int
main(void)
{
	const struct ctx_strategy *strategy;
	size_t i, rank;

	tap_case("a strategy has a text for every rank that has a reason");
	for (i = 0; (strategy = ctx_strategy_at(i)) != NULL; i++) {
		CHECK(
		    (strategy->reasons == NULL) == (strategy->n_reasons == 0));
		for (rank = 0; rank < strategy->n_reasons; rank++)
			CHECK(strategy->reasons[rank] != NULL &&
			    ctx_strategy_reason(strategy, (double)rank) ==
				strategy->reasons[rank]);
	}
	tap_case("a rank above all reasons gives the last reason");
	for (i = 0; (strategy = ctx_strategy_at(i)) != NULL; i++) {
		const char *last = strategy->n_reasons > 0
		    ? strategy->reasons[strategy->n_reasons - 1]
		    : strategy->name;

		CHECK(ctx_strategy_reason(strategy,
			  (double)strategy->n_reasons) == last);
		CHECK(ctx_strategy_reason(strategy, HUGE_VAL) == last);
	}
	tap_case("a rank without a reason gives the name of the strategy");
	for (i = 0; (strategy = ctx_strategy_at(i)) != NULL; i++) {
		const double others[] = {-1, -HUGE_VAL, nan("")};

		for (rank = 0; rank < sizeof others / sizeof others[0]; rank++)
			CHECK(ctx_strategy_reason(strategy, others[rank]) ==
			    strategy->name);
	}
	tap_case("the heuristic scorer gives ranks for each of its reasons");
	check_ranks(ctx_strategy_find("heuristic"));
	return tap_done();
}
