/* over_max.h - reports conversations that have more tokens than --max allows */
#ifndef CTX_CMD_COUNT_OVER_MAX_H
#define CTX_CMD_COUNT_OVER_MAX_H

#include "prune/prune.h"
#include "count/output.h"

/* Reports that a conversation has more tokens than --max allows: with a message
 * on standard error or, with --annotations, with an annotation on standard
 * output, which a code host shows beside the lines of a file. counted: number
 * of tokens of the conversation. */
void over_max_print(const struct row_form *form, const struct ctx_amount *max,
    const struct ctx_token_stats *stats, uint64_t counted,
    const struct cli_annotations *annotations);

#endif
