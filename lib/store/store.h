/* store.h - the spool (a directory to which old tool results are moved), and
 * the references to its files in messages */
#ifndef CTX_STORE_H
#define CTX_STORE_H

#include "base/base.h"

/* ---- store/spool.c: results on disk ------------------------------------- */

/* Maximum number of characters of the original text that are kept before the
 * line that refers to the spool file. */
#define CTX_AGE_HEAD 4000

/* Number of hex digits of the SHA-256 in a file's name; they are before the
 * extension. */
#define CTX_SPOOL_DIGITS 32
#define CTX_SPOOL_NAME   200 /* most bytes of a name */
#define CTX_SPOOL_TOOL   64  /* most bytes of a tool's name in it */

/* The spool: a directory of files that are named after a hash of their
 * contents.  Files have mode 0600; the directory gets mode 0700 if ctx creates
 * it.  The spool may contain secrets; ctx never removes its files. */
struct ctx_spool {
	int fd;
	const char *dir;        /* the caller's */
	uint64_t device, inode; /* of the directory that was opened */
	/* true if a file was stored since the directory was last synced to
	 * disk */
	bool dirty;
	/* number of directories, counted from the end of dir, that this
	 * process created */
	size_t made;
};
/* Opens a spool.  If create is true and it is missing, it is created, with the
 * directories above it; ctx_spool_close removes these directories again if
 * they are still empty and no other process has opened the spool.  CTX_EFILE:
 * the spool is a symbolic link (or, if dir is relative, a link is on its
 * path), or is owned by neither the user nor root, or other users may write to
 * it and it has no sticky bit. */
int ctx_spool_open(struct ctx_spool *spool, const char *dir, bool create,
    struct ctx_err *err);
void ctx_spool_close(struct ctx_spool *spool);
/* Returns the length in bytes of the path dir without its last n directories;
 * 0 if dir is relative and has at most n. */
size_t ctx_spool_above(const char *dir, size_t n);
/* Computes the SHA-256 of n chunks of text, one after another, and sets digits
 * to its first hex digits. */
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
/* Returns true if name has the form of a spool file's name, and sets *digits
 * to the hash digits in it. */
bool ctx_spool_is_name(struct ctx_str name, struct ctx_str *digits);
/* Stores n chunks of text, one after another, as a file of the spool.  On
 * return the contents are on disk; the file's name is on disk after the next
 * ctx_spool_sync.  If there is a file with this name and equal contents, it is
 * kept.  CTX_EFILE: the file has other contents, or other users could change
 * it (because of its mode, its owner or another hard link). */
int ctx_spool_put(struct ctx_spool *spool, const char *name,
    const struct ctx_str *chunks, size_t n, struct ctx_err *err);
/* Syncs the names of new files to disk.  CTX_EFILE: the path of the spool
 * leads to another directory now. */
int ctx_spool_sync(struct ctx_spool *spool, struct ctx_err *err);
/* Sets out to the contents of a file of the spool.  Returns 1, 0 if there is
 * no such file, or -1 with *err.  Symbolic links are not followed.  CTX_EFILE:
 * the file is not a regular file, or has more bytes than the maximum.  If the
 * file grows while it is read, more bytes than the maximum may be read. most:
 * the maximum. */
int ctx_spool_get(const struct ctx_spool *spool, const char *name,
    uint64_t most, struct ctx_buf *out, struct ctx_err *err);
struct ctx_spool_sum {
	char digits[CTX_SPOOL_DIGITS];
	uint64_t bytes, chars; /* characters, if the contents are UTF-8 */
};
/* Reads a file of the spool piece by piece, and computes the hash of its
 * contents (as hex digits), its bytes and its characters.  Returns 1, 0 if
 * there is no such file, or -1 with *err.  CTX_EFILE: as in ctx_spool_get.
 * most: the maximum number of bytes of the file. */
int ctx_spool_sum(const struct ctx_spool *spool, const char *name,
    uint64_t most, struct ctx_spool_sum *sum, struct ctx_err *err);
/* Calls the function file for each entry of the spool directory, including "."
 * and "..", until it returns a value other than 0.  Returns that value, 0
 * after the last entry, or -1 with *err. */
int ctx_spool_each(struct ctx_spool *spool, void *user,
    int (*file)(void *user, const char *name, struct ctx_err *err),
    struct ctx_err *err);

/* ---- store/reference.c: references to files of the spool ---------------- */

/* A reference that replaces text is a line such as "[12345 characters in
 * .ctx/spool/read_file-0123...cdef.md]". */
#define CTX_REFERENCE_MIDDLE " characters in "
/* A reference that replaces an image or other media is a line such as "[212345
 * bytes in .ctx/spool/image-0123...cdef.png]". */
#define CTX_REFERENCE_BYTES " bytes in "

/* A parsed reference to a file of the spool.  Its strings point into the text
 * that contains the reference. */
struct ctx_reference {
	/* size of the file: characters of a text, bytes of media */
	uint64_t chars;
	struct ctx_str path; /* dir, a slash, name */
	struct ctx_str dir, name;
	struct ctx_str digits; /* digits of the SHA-256, within name */
	size_t at;             /* bytes of the text before its line */
};

/* Returns true if a text has the form that ctx-age gives a tool result: it
 * ends in a line that names a file of the spool (a reference), with at most
 * CTX_AGE_HEAD characters before that line. */
bool ctx_reference_find(const char *p, size_t n, struct ctx_reference *ref);
/* Returns true if the n bytes at p are exactly one line that refers to an
 * image or other media in the spool. */
bool ctx_reference_media(const char *p, size_t n, struct ctx_reference *ref);
/* Returns false if the JSON string literal is too long for a text that ctx-age
 * has left (a beginning and a line that refers to a file); then it need not be
 * decoded. */
bool ctx_reference_may_be(struct ctx_str literal);
/* Returns true if the reference names a file of the spool with the path dir. */
bool ctx_reference_into(const struct ctx_reference *ref, const char *dir);
/* Finds hash digits of a spool file's name anywhere in a text: the last
 * CTX_SPOOL_DIGITS of a run of at least as many hex digits.  The search begins
 * at the offset *at, which the caller sets to 0 at first; *at is moved to the
 * end of the run.  Returns false if there are no more. */
bool ctx_reference_digits(struct ctx_str text, size_t *at,
    struct ctx_str *digits);
/* Appends a line that refers to a file of the spool: the file is name in the
 * directory dir. middle is the text of the reference before the path:
 * CTX_REFERENCE_MIDDLE for a text file, CTX_REFERENCE_BYTES for media. */
int ctx_reference_add(struct ctx_buf *out, const char *dir, const char *name,
    const char *middle, uint64_t chars, struct ctx_err *err);

#endif
