/*
 * store.h - aged results on disk, and the references to them
 */
#ifndef CTX_STORE_H
#define CTX_STORE_H

#include "base/base.h"

/* ---- store/spool.c: results on disk ------------------------------------- */

/* The most characters that an aged item has before its reference. */
#define CTX_AGE_HEAD 4000

/* Digits of the sha256 that a file's name ends in, before its extension. */
#define CTX_SPOOL_DIGITS 32
#define CTX_SPOOL_NAME   200 /* most bytes of a name */
#define CTX_SPOOL_TOOL   64  /* ... and of a tool's in it */

/*
 * A directory of files whose names tell what they hold.  Modes are 0600 and,
 * if it is made, 0700.  It may hold secrets and is kept until somebody
 * removes it.
 */
struct ctx_spool {
	int fd;
	const char *dir;        /* the caller's */
	uint64_t device, inode; /* what dir was when it was opened */
	bool dirty;             /* something was linked since the last sync */
	size_t made; /* last directories of dir that were made for it */
};
/*
 * Opens a spool; with create it is made, with the directories above it, and
 * what was made is removed when it is closed and is still empty, unless other
 * processes have opened it.
 * CTX_EFILE: it is a symbolic link (or, for a relative dir, below one), it
 * is not the user's, or others may write to it.
 */
int ctx_spool_open(struct ctx_spool *spool, const char *dir, bool create,
    struct ctx_err *err);
void ctx_spool_close(struct ctx_spool *spool);
/* The bytes of dir before its last n directories; 0: it is relative, and has
 * no more than these. */
size_t ctx_spool_above(const char *dir, size_t n);
/* The first digits of the sha256 of n pieces, one behind another. */
void ctx_spool_digits(char digits[CTX_SPOOL_DIGITS],
    const struct ctx_str *pieces, size_t n);
/*
 * Sets out to the file name that format gives, NUL included: {tool} is the
 * name of a tool, with every byte that is not a letter, digit, underscore or
 * dash made an underscore and at most CTX_SPOOL_TOOL bytes of it; {sha256} the
 * digits.  CTX_EARG: that is no name of a file whose digits stand before one
 * extension, or it is too long, or has other bytes than those and dots.
 */
int ctx_spool_name(struct ctx_buf *out, const char *format, struct ctx_str tool,
    const char digits[CTX_SPOOL_DIGITS], struct ctx_err *err);
/* Has a name that form?  Then *digits is where they are. */
bool ctx_spool_is_name(struct ctx_str name, struct ctx_str *digits);
/*
 * Stores n pieces, one behind another, as a file: when it returns the contents
 * are on disk, after the next ctx_spool_sync the name is too.  Equal contents
 * under that name are left as they are.  CTX_EFILE: the name has other
 * contents, or a file that others may change (by its mode, its owner or another
 * hard link); or, of the latter, the spool's path leads to another directory.
 */
int ctx_spool_put(struct ctx_spool *spool, const char *name,
    const struct ctx_str *pieces, size_t n, struct ctx_err *err);
int ctx_spool_sync(struct ctx_spool *spool, struct ctx_err *err);
/* Sets out to the contents of a file; 1, 0 if there is none, or -1.  No link
 * is followed.  CTX_EFILE: it has more than most bytes, of which at most
 * twice as many, or 64 KiB, were read; or it is no regular file. */
int ctx_spool_get(const struct ctx_spool *spool, const char *name,
    uint64_t most, struct ctx_buf *out, struct ctx_err *err);
struct ctx_spool_sum {
	char digits[CTX_SPOOL_DIGITS];
	uint64_t bytes, chars; /* characters, if it is UTF-8 */
};
/* Sums up the contents of a file without holding them: 1, 0 or -1 as above;
 * one of more than most bytes is not read. */
int ctx_spool_sum(const struct ctx_spool *spool, const char *name,
    uint64_t most, struct ctx_spool_sum *sum, struct ctx_err *err);
/* Calls file for each name in the spool, until it returns other than 0. */
int ctx_spool_each(struct ctx_spool *spool, void *user,
    int (*file)(void *user, const char *name, struct ctx_err *err),
    struct ctx_err *err);

#endif
