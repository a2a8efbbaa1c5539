/* reference.h - the line that stands for a result in the spool */
#ifndef CTX_STORE_REFERENCE_H
#define CTX_STORE_REFERENCE_H

#include "base/base.h"

/* "[12345 characters in .ctx/spool/read_file-0123...cdef.md]" */
#define CTX_REFERENCE_MIDDLE " characters in "
/* "[212345 bytes in .ctx/spool/image-0123...cdef.png]", of media */
#define CTX_REFERENCE_BYTES " bytes in "

/* All pieces of the text it was found in. */
struct reference {
	uint64_t chars;      /* of the file's text; of media, bytes */
	struct ctx_str path; /* dir, a slash, name */
	struct ctx_str dir, name;
	struct ctx_str digits; /* of the sha256, within name */
	size_t at;             /* bytes of the text before it */
};

/* Has a text the shape of an aged item: a reference as its last line, and
 * no more before it than an aged item has? */
bool ctx_reference_find(const char *p, size_t n, struct reference *ref);
/* Is the line of n bytes at p a reference to media? */
bool ctx_reference_media(const char *p, size_t n, struct reference *ref);
/* Can the text of a literal have it?  So a long one need not be decoded. */
bool ctx_reference_may_be(struct ctx_str literal);
/* Does it name a file of this spool? */
bool ctx_reference_into(const struct reference *ref, const char *dir);
/* The next of what may be the digits of a file's name, in any text: the last
 * of a run that is as long.  at is where to look, 0 at first. */
bool ctx_reference_digits(struct ctx_str text, size_t *at,
    struct ctx_str *digits);
/* Appends a reference, as a line of its own; middle is one of the above. */
int ctx_reference_add(struct ctx_buf *out, const char *dir, const char *name,
    const char *middle, uint64_t chars, struct ctx_err *err);

#endif
