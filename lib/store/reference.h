/* reference.h - references: lines that stand for spooled results */
#ifndef CTX_STORE_REFERENCE_H
#define CTX_STORE_REFERENCE_H

#include "base/base.h"

/* A reference to text: "[12345 characters in
 * .ctx/spool/read_file-0123...cdef.md]" */
#define CTX_REFERENCE_MIDDLE " characters in "
/* A reference to media: "[212345 bytes in .ctx/spool/image-0123...cdef.png]" */
#define CTX_REFERENCE_BYTES " bytes in "

/* A parsed reference.  The strings point into the text that contains it. */
struct reference {
	uint64_t chars; /* characters of the file's text; of media, bytes */
	struct ctx_str path; /* dir, a slash, name */
	struct ctx_str dir, name;
	struct ctx_str digits; /* digits of the SHA-256, within name */
	size_t at;             /* bytes of the text before its line */
};

/* Returns true if a text has the shape of an aged one: its last line is a
 * reference, and at most CTX_AGE_HEAD characters are before it. */
bool ctx_reference_find(const char *p, size_t n, struct reference *ref);
/* Returns true if the n bytes at p are one line, a reference to media. */
bool ctx_reference_media(const char *p, size_t n, struct reference *ref);
/* Returns false if the text of a literal cannot be aged, so that a long literal
 * need not be decoded. */
bool ctx_reference_may_be(struct ctx_str literal);
/* Returns true if the reference names a file of the spool dir. */
bool ctx_reference_into(const struct reference *ref, const char *dir);
/* Finds the next digits in any text that may be those of a file's name: the
 * last CTX_SPOOL_DIGITS of a run of hex digits that is at least as long.  *at
 * is the offset where the search begins, 0 at first; it is moved to the end of
 * the run.  Returns false if there are none. */
bool ctx_reference_digits(struct ctx_str text, size_t *at,
    struct ctx_str *digits);
/* Appends a reference as a line of its own.  middle is CTX_REFERENCE_MIDDLE or
 * CTX_REFERENCE_BYTES. */
int ctx_reference_add(struct ctx_buf *out, const char *dir, const char *name,
    const char *middle, uint64_t chars, struct ctx_err *err);

#endif
