/* last_request.c - combines the tokens that the provider billed for the last
 * request of a conversation with the tokens that ctx counts after this
 * request */
#include "count/count.h"

uint64_t
ctx_tokens_after_request(const struct ctx_token_stats *stats)
{
	return stats->last.billed > 0 ? stats->tokens - stats->last.counted : 0;
}

uint64_t
ctx_tokens_not_in_input(const struct ctx_token_stats *stats)
{
	const struct ctx_last_request *last = &stats->last;

	return last->billed > last->counted ? last->billed - last->counted : 0;
}

uint64_t
ctx_context_tokens(const struct ctx_token_stats *stats)
{
	return stats->last.billed > 0
	    ? stats->last.billed + ctx_tokens_after_request(stats)
	    : stats->tokens;
}
