/*
 * store.h - aged results on disk, and the references to them
 */
#ifndef CTX_STORE_H
#define CTX_STORE_H

#include "base/base.h"

/* ---- store/spool.c: results on disk ------------------------------------- */

/* Most characters that an aged text has before its reference. */
#define CTX_AGE_HEAD 4000

/* Hex digits of the SHA-256 that a file's name ends in, before its
 * extension. */
#define CTX_SPOOL_DIGITS 32
#define CTX_SPOOL_NAME   200 /* most bytes of a name */
#define CTX_SPOOL_TOOL   64  /* most bytes of a tool's name in it */

/*
 * A directory of files that are named after their contents.  Files have mode
 * 0600; the directory has 0700 if it is created.  It may contain secrets and is
 * kept until a person removes it.
 */
struct ctx_spool {
	int fd;
	const char *dir;        /* the caller's */
	uint64_t device, inode; /* of the directory that was opened */
	bool dirty;  /* true if a file was linked since the last sync */
	size_t made; /* how many of the last directories of dir were created */
};
/*
 * Opens a spool.  If create is true, it is created with the directories above
 * it.  ctx_spool_close removes those that were created if they are still empty,
 * unless another process has opened the spool.  CTX_EFILE: the spool is a
 * symbolic link (or, if dir is relative, below one), belongs to neither the
 * user nor root, or others may write to it and it has no sticky bit.
 */
int ctx_spool_open(struct ctx_spool *spool, const char *dir, bool create,
    struct ctx_err *err);
void ctx_spool_close(struct ctx_spool *spool);
/* Returns the bytes of dir before its last n directories; 0 if it is relative
 * and has at most n. */
size_t ctx_spool_above(const char *dir, size_t n);
/* Sets digits to the first digits of the SHA-256 of n chunks, one after
 * another. */
void ctx_spool_digits(char digits[CTX_SPOOL_DIGITS],
    const struct ctx_str *chunks, size_t n);
/*
 * Sets out to the file name that format gives, NUL-terminated.
 *  - {tool} becomes the name of the tool: at most CTX_SPOOL_TOOL bytes of it,
 *    with an underscore for every byte that is not a letter, digit, underscore
 *    or dash.
 *  - {sha256} becomes the digits.
 *
 * CTX_EARG: the name is too long, has other bytes than these and dots, or its
 * digits are not directly before the last dot or its end.
 */
int ctx_spool_name(struct ctx_buf *out, const char *format, struct ctx_str tool,
    const char digits[CTX_SPOOL_DIGITS], struct ctx_err *err);
/* Returns true if a name has this form, and sets *digits to its digits. */
bool ctx_spool_is_name(struct ctx_str name, struct ctx_str *digits);
/*
 * Stores n chunks, one after another, as a file.  On return the contents are on
 * disk; the name is on disk after the next ctx_spool_sync.  A file with this
 * name and equal contents is kept.  CTX_EFILE: the file has other contents, or
 * others may change it (by its mode, its owner or another hard link).
 */
int ctx_spool_put(struct ctx_spool *spool, const char *name,
    const struct ctx_str *chunks, size_t n, struct ctx_err *err);
/* Puts the names of new files on disk.  CTX_EFILE: the spool's path leads to
 * another directory now. */
int ctx_spool_sync(struct ctx_spool *spool, struct ctx_err *err);
/* Sets out to the contents of a file.  Returns 1, 0 if there is none, or -1.
 * Symbolic links are not followed.  CTX_EFILE: it is not a regular file, or has
 * more than most bytes; of these at most twice as many, or 64 KiB, were
 * read. */
int ctx_spool_get(const struct ctx_spool *spool, const char *name,
    uint64_t most, struct ctx_buf *out, struct ctx_err *err);
struct ctx_spool_sum {
	char digits[CTX_SPOOL_DIGITS];
	uint64_t bytes, chars; /* characters, if the contents are UTF-8 */
};
/* Computes the digits, bytes and characters of a file without storing it in
 * memory.  Returns as ctx_spool_get does; a file of more than most bytes is not
 * read. */
int ctx_spool_sum(const struct ctx_spool *spool, const char *name,
    uint64_t most, struct ctx_spool_sum *sum, struct ctx_err *err);
/* Calls file for each directory entry of the spool, "."  and ".."  included,
 * until it returns other than 0; returns that, or -1. */
int ctx_spool_each(struct ctx_spool *spool, void *user,
    int (*file)(void *user, const char *name, struct ctx_err *err),
    struct ctx_err *err);

/* ---- store/reference.c: lines that stand for aged results ---------------- */

/* A reference to text: "[12345 characters in
 * .ctx/spool/read_file-0123...cdef.md]" */
#define CTX_REFERENCE_MIDDLE " characters in "
/* A reference to media: "[212345 bytes in .ctx/spool/image-0123...cdef.png]" */
#define CTX_REFERENCE_BYTES " bytes in "

/* A parsed reference.  The strings point into the text that contains it. */
struct ctx_reference {
	uint64_t chars; /* characters of the file's text; of media, bytes */
	struct ctx_str path; /* dir, a slash, name */
	struct ctx_str dir, name;
	struct ctx_str digits; /* digits of the SHA-256, within name */
	size_t at;             /* bytes of the text before its line */
};

/* Returns true if a text has the shape of an aged one: its last line is a
 * reference, and at most CTX_AGE_HEAD characters are before it. */
bool ctx_reference_find(const char *p, size_t n, struct ctx_reference *ref);
/* Returns true if the n bytes at p are one line, a reference to media. */
bool ctx_reference_media(const char *p, size_t n, struct ctx_reference *ref);
/* Returns false if the text of a literal cannot be aged, so that a long literal
 * need not be decoded. */
bool ctx_reference_may_be(struct ctx_str literal);
/* Returns true if the reference names a file of the spool dir. */
bool ctx_reference_into(const struct ctx_reference *ref, const char *dir);
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
