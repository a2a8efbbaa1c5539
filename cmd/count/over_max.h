/* over_max.h - says which conversations have more tokens than --max allows */
#ifndef CTX_CMD_COUNT_OVER_MAX_H
#define CTX_CMD_COUNT_OVER_MAX_H

#include "prune/prune.h"
#include "count/output.h"

/* Prints that a conversation has more tokens than the option --max allows: as a
 * message on standard error or, with the option --annotations, as an annotation
 * that a code host shows beside its workflow.  counted: tokens of the
 * conversation. */
void over_max_print(const struct row_form *form, const struct ctx_amount *max,
    const struct ctx_token_stats *stats, uint64_t counted,
    const struct cli_annotations *annotations);

#endif
