/* reference.h - the line that stands for a result in the spool */
#ifndef CONVO_REFERENCE_H
#define CONVO_REFERENCE_H

#include "ctx.h"

/* "[12345 characters in .ctx/spool/read_file-0123...cdef.md]" */
#define CTX_REFERENCE_MIDDLE " characters in "
/* Digits of the sha256 that a name in the spool ends in. */
#define CTX_SPOOL_DIGITS 32
/* Most characters that an aged item has before its reference. */
#define CTX_REFERENCE_HEAD 4000

/* All pieces of the text it was found in. */
struct reference {
	uint64_t chars;             /* of the file's text */
	struct ctx_str path;        /* dir, a slash, name */
	struct ctx_str dir, name;
	struct ctx_str digits;      /* of the sha256, within name */
	size_t at;                  /* bytes of the text before it */
};

/* Has a text the shape of an aged item: a reference as its last line, and
 * no more before it than an aged item has? */
bool ctx_reference_find(const char *p, size_t n, struct reference *ref);

#endif
