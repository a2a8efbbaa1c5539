/* call_tokens.h - counts the tokens of tool calls */
#ifndef CTX_CALL_TOKENS_H
#define CTX_CALL_TOKENS_H

#include "cost/cost.h"
#include "cost/surcharges.h"

/* Returns the number of tool calls of a message. */
size_t ctx_message_calls(const struct ctx_message *message);
/* Adds the tokens of block i, a tool call, to *cost, without those of its
 * arguments: the tokens of the tool's name, and the tokens that are billed for
 * a call and its result in addition to those of their texts. signed_call: true
 * if the signature of the call is billed. */
int ctx_count_call(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i, bool signed_call,
    struct ctx_cost *cost, struct ctx_err *err);
/* Counts the tokens of the arguments of a tool call.  If the model gets the
 * values as texts, counts the names and the values; otherwise the JSON. */
int ctx_count_arguments(struct ctx_counter *counter,
    const struct ctx_json *json, uint32_t node,
    const struct ctx_surcharges *extra, struct ctx_cost *cost,
    struct ctx_err *err);

#endif
