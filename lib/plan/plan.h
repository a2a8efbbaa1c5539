/* plan.h - the strategies' own functions, one file each */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "ctx.h"

int ctx_fifo_decide(struct ctx_unit *units, size_t n,
    const struct ctx_limits *limits, uint64_t base, uint32_t newest,
    struct ctx_err *err);
int ctx_window_decide(struct ctx_unit *units, size_t n,
    const struct ctx_limits *limits, uint64_t base, uint32_t newest,
    struct ctx_err *err);

int ctx_summarize_decide(struct ctx_unit *units, size_t n,
    const struct ctx_limits *limits, uint64_t base, uint32_t newest,
    struct ctx_err *err);

#endif
