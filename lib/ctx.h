/*
 * ctx.h - the public header of libctx, and its reference manual
 *
 * libctx reads streams of model conversations (JSON records), counts their
 * tokens, and takes things out of them so that what is left is still valid
 * and every byte that was not touched is the byte that came in.
 *
 * What holds everywhere:
 *  - Text is (pointer, length); no function needs or looks for a NUL byte.
 *    Lengths are in bytes unless a name says characters or tokens.
 *  - Functions return 0, or -1 with *err filled; iterators return 1 for an
 *    item, 0 at the end, -1 with *err filled.  err may not be NULL.
 *  - Every struct with an init has a release; release takes a struct that
 *    was zeroed, initialised or released, and leaves it ready for init.
 *  - Nothing here prints, exits, or reads the environment or the clock.
 *  - Objects may be used by one thread at a time unless the comment says
 *    more.  There is no global state.
 *
 * The sections follow the files of the library, lowest floor first.
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

#define CTX_VERSION "0.1.0"

#endif
