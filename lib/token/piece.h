/* piece.h - where the first piece of a text ends */
#ifndef CTX_TOKEN_PIECE_H
#define CTX_TOKEN_PIECE_H

#include <stddef.h>

#include "token/scheme.h"

/* The length in bytes of the first piece; n is at least 1. */
size_t ctx_piece_next(struct ctx_scheme scheme, const char *p, size_t n);

#endif
