/* store.h - the spool (a directory to which old tool results are moved), and
 * the references to its files in messages */
#ifndef CTX_STORE_H
#define CTX_STORE_H

#include "base/base.h"

/* ---- store/spool.c: results on disk ------------------------------------- */

/* Maximum number of characters that ctx-age keeps of the beginning of a tool
 * result, before the line that names the spool file with the whole text. */
#define CTX_AGE_HEAD 4000

/* Number of hex digits in the name of a spool file: the beginning of the
 * SHA-256 of its contents.  They are directly before the extension. */
#define CTX_SPOOL_DIGITS 32
/* maximum length of a spool file's name in bytes */
#define CTX_SPOOL_NAME 200
/* maximum length of the tool's name in a file's name */
#define CTX_SPOOL_TOOL 64

/* The spool: a directory of files that are named after a hash of their
 * contents.  Files have mode 0600; the directory gets mode 0700 if ctx creates
 * it.  The spool may contain secrets; ctx never removes its files. */
struct ctx_spool {
	int fd;
	const char *dir; /* path of the directory, owned by the caller */
	/* True if a file was stored, and the directory was not synced to disk
	 * since then. */
	bool dirty;
	/* Number of directories at the end of the path dir that this process
	 * has created. */
	size_t made;
	/* True if a file .gitignore must be created in the directory above the
	 * spool before the first file is stored, so that git ignores that
	 * directory.  The caller sets it after ctx_spool_open if that directory
	 * is new and has nothing but the spool. */
	bool ignored_by_git;
};
/*
 * Opens a spool.  If create is true and the directory does not exist, creates
 * it and the directories above it. ctx_spool_close removes these again if they
 * are still empty and no other process has opened the spool.
 *
 * CTX_EFILE: the spool is not safe to use.  It is a symbolic link (or, if dir
 * is relative, there is a link in its path), or its owner is neither the user
 * nor root, or other users may write to it and it has no sticky bit.
 */
int ctx_spool_open(struct ctx_spool *spool, const char *dir, bool create,
    struct ctx_err *err);
void ctx_spool_close(struct ctx_spool *spool);
/* Returns true if a path leads to the directory of an open spool. */
bool ctx_spool_is_at(const struct ctx_spool *spool, struct ctx_str dir);
/* Returns the length in bytes of a path without its last n components.
 * Returns 0 if dir is relative and has at most n components. */
size_t ctx_spool_above(const char *dir, size_t n);
/* Computes the SHA-256 of a text that is given as n chunks, one after another.
 * Sets digits to its first CTX_SPOOL_DIGITS hex digits, without a NUL byte. */
void ctx_spool_hash_chunks(char digits[CTX_SPOOL_DIGITS],
    const struct ctx_str *chunks, size_t n);
/*
 * Sets out to the name of a spool file, NUL-terminated.  The name is format,
 * with two parts replaced:
 * - {tool} by the name of the tool: at most CTX_SPOOL_TOOL bytes of it, with an
 *   underscore for every byte that is not a letter, digit, underscore or dash;
 * - {sha256} by digits, the hex digits of the file's hash.
 *
 * CTX_EARG: the name is too long, contains a byte that is none of these and no
 * dot, or has the hex digits elsewhere than at its end or before its last dot.
 */
int ctx_spool_name(struct ctx_buf *out, const char *format, struct ctx_str tool,
    const char digits[CTX_SPOOL_DIGITS], struct ctx_err *err);
/* Returns true if a file name has the form of a spool file's name.  Sets
 * *digits to the hex digits of the hash in it. */
bool ctx_spool_is_name(struct ctx_str name, struct ctx_str *digits);
/*
 * Stores a text, given as n chunks, one after another, as a file of the spool.
 * On return the contents are on disk; the file's name is on disk after the next
 * ctx_spool_sync.  If there already is a file with this name and these
 * contents, it is kept.
 *
 * CTX_EFILE: the existing file has other contents, or other users can change it
 * (because of its mode, its owner or another hard link).
 */
int ctx_spool_put(struct ctx_spool *spool, const char *name,
    const struct ctx_str *chunks, size_t n, struct ctx_err *err);
/* Syncs the directory of the spool, so that the names of new files are on
 * disk.  CTX_EFILE: the path of the spool leads to another directory now. */
int ctx_spool_sync(struct ctx_spool *spool, struct ctx_err *err);
/*
 * Reads a file of the spool into a buffer.  Returns 1, 0 if there is no such
 * file, or -1 with *err.  Symbolic links are not followed. most: the maximum
 * length of the file in bytes; if the file grows while it is read, more bytes
 * may be read.
 *
 * CTX_EFILE: the file is not a regular file, or is longer than the maximum.
 */
int ctx_spool_get(const struct ctx_spool *spool, const char *name,
    uint64_t most, struct ctx_buf *out, struct ctx_err *err);
struct ctx_spool_sum {
	char digits[CTX_SPOOL_DIGITS];
	/* length of the file in bytes and in characters; chars is valid only if
	 * the file is UTF-8 */
	uint64_t bytes, chars;
};
/* Reads a file of the spool without keeping it in memory.  Sets *sum to the
 * hash of its contents (as hex digits) and to its length in bytes and
 * characters.  Returns 1, 0 if there is no such file, or -1 with *err. most:
 * the maximum length of the file in bytes; CTX_EFILE: as in ctx_spool_get. */
int ctx_spool_sum(const struct ctx_spool *spool, const char *name,
    uint64_t most, struct ctx_spool_sum *sum, struct ctx_err *err);
/* Calls a function for each entry of the spool directory, including "." and
 * "..", until the function returns a value other than 0.  Returns that value;
 * 0 after the last entry; or -1 with *err if the directory cannot be read. */
int ctx_spool_each(struct ctx_spool *spool, void *user,
    int (*visit)(void *user, const char *name, struct ctx_err *err),
    struct ctx_err *err);

/* ---- store/reference.c: references to files of the spool ---------------- */

/* Text between number and path in a reference to a text, which is a line such
 * as "[12345 characters in .ctx/spool/read_file-0123...cdef.md]". */
#define CTX_REFERENCE_MIDDLE " characters in "
/* Text between number and path in a reference to an image or other media,
 * which is a line such as "[212345 bytes in
 * .ctx/spool/image-0123...cdef.png]". */
#define CTX_REFERENCE_BYTES " bytes in "

/* A reference: a line in a message that names a file of the spool.  The
 * strings point into the text with the reference. */
struct ctx_reference {
	/* Length of the file, as the line states it: in characters for a text,
	 * in bytes for media. */
	uint64_t chars;
	struct ctx_str path; /* path of the file: dir, a slash, and name */
	struct ctx_str dir, name;
	struct ctx_str digits; /* hex digits of the SHA-256, a part of name */
	/* offset in bytes at which the line with the reference begins in the
	 * text */
	size_t at;
};

/* Finds the reference in a text with which ctx-age has replaced a tool result:
 * the reference is its last line, and at most CTX_AGE_HEAD characters are
 * before it.  Returns false if the text has another form. */
bool ctx_reference_find(const char *p, size_t n, struct ctx_reference *ref);
/* Parses the n bytes at p as the line of text that ctx-age writes in place of
 * an image or other media in the spool.  Returns false if the bytes are not
 * exactly one such line. */
bool ctx_reference_media(const char *p, size_t n, struct ctx_reference *ref);
/* Returns true if a JSON string literal may be a text with which ctx-age has
 * replaced a tool result: the literal is short enough, and ends like such a
 * text.  Only such a literal must be decoded to find out more. */
bool ctx_reference_may_be(struct ctx_str literal);
/* Returns true if the reference spells the directory of its file as dir. */
bool ctx_reference_into(const struct ctx_reference *ref, const char *dir);
/* Finds what may be the hash in a spool file's name, anywhere in a text.  This
 * is a row of at least CTX_SPOOL_DIGITS hex digits, of which *digits is set to
 * the last ones.  The search begins at the offset *at, which is 0 for the first
 * call, and moves *at to the end of the row.  Returns false if there are no
 * more. */
bool ctx_reference_digits(struct ctx_str text, size_t *at,
    struct ctx_str *digits);
/* Appends a reference, a line that names a file of the spool. dir: path of the
 * spool; name: that of the file; middle: CTX_REFERENCE_MIDDLE for a text,
 * CTX_REFERENCE_BYTES for media. */
int ctx_reference_add(struct ctx_buf *out, const char *dir, const char *name,
    const char *middle, uint64_t chars, struct ctx_err *err);

#endif
