/*
 * ctx.h - the public header of libctx, and its reference manual
 *
 * libctx reads streams of conversations with language models (JSON records).
 * It counts their tokens, and removes messages and content blocks so that
 * providers still accept the rest.  Bytes that are not changed are written as
 * they were read.
 *
 * Conventions:
 *  - Text is passed as pointer and length, without a NUL byte, unless a comment
 *    says that it is NUL-terminated.  Lengths are in bytes unless a name says
 *    characters or tokens.
 *  - Functions return 0, or -1 with *err filled.  Iterators return 1 for an
 *    element, 0 at the end, -1 with *err filled.  err may not be NULL.
 *  - Every struct with an init function has a release function.  The release
 *    function takes a struct that was zeroed, initialised or released, and
 *    leaves it ready for the init function.
 *  - No function prints, exits, or reads environment variables or the time of
 *    day.  Commands that are run inherit the environment.
 *  - An object may be used by one thread at a time unless its comment says
 *    more.  There is no global state.
 *
 * The sections follow the files of the library, from the lowest layer up.
 */
#ifndef CTX_H
#define CTX_H

#include "base/base.h"
#include "json/json.h"
#include "io/io.h"
#include "store/store.h"
#include "tokenizer/tokenizer.h"
#include "message/message.h"
#include "dialect/dialect.h"
#include "cost/cost.h"
#include "group/group.h"
#include "transcript/transcript.h"
#include "stream/stream.h"
#include "truncate/truncate.h"
#include "check/check.h"
#include "cache/cache.h"
#include "count/count.h"
#include "prune/prune.h"
#include "age/age.h"
#include "eval/eval.h"
#include "replay/replay.h"

#define CTX_VERSION "0.1.0"

#endif
