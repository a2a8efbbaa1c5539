/* store.h - the spool (a directory to which old tool results are moved), and
 * the references to its files in messages */
#ifndef CTX_STORE_H
#define CTX_STORE_H

#include "base/base.h"

/* ---- store/spool.c: results on disk ------------------------------------- */

/* Maximum number of characters that ctx-age leaves of a tool result in the
 * message.  They are the beginning of the result.  The next line names the
 * spool file with the whole text. */
#define CTX_AGE_HEAD 4000

/* Number of hex digits in the name of a spool file, at its end or directly
 * before the extension.  They are the first digits of a SHA-256: for the text
 * of a tool result, the SHA-256 of the file's contents or, if there is a file
 * NAME.json beside the file NAME, of the contents of NAME.json.  For media: of
 * the JSON file that contains the media block.  For a file with a message whose
 * reasoning was removed: see ctx_reasoning_name. */
#define CTX_SPOOL_DIGITS 32
/* maximum length of the name of a spool file, in bytes */
#define CTX_SPOOL_NAME 200
/* maximum length of the tool's name in the name of a spool file, in bytes */
#define CTX_SPOOL_TOOL 64

/* The spool: a directory in which tool results are stored as files.  The name
 * of a file contains a part of a SHA-256 (see CTX_SPOOL_DIGITS).  The files
 * have mode 0600; the directory gets mode 0700 if ctx creates it.  The spool
 * may contain secrets. ctx never removes files from it. */
struct ctx_spool {
	int fd;
	const char *dir; /* path of the directory, owned by the caller */
	/* true if a file was stored after the directory was last synced to
	 * disk */
	bool dirty;
	/* Number of directories at the end of the path "dir" that this process
	 * has created. */
	size_t made;
	/* True if ctx_spool_put must create a file .gitignore in the directory
	 * above the spool, before it stores the first file, so that git ignores
	 * that directory.  The caller sets this member after ctx_spool_open if
	 * the directory above is new and contains nothing but the spool. */
	bool ignored_by_git;
};
/*
 * Opens a spool.  If create is true, creates the directory of the spool and the
 * directories above it if they do not exist. ctx_spool_close removes the
 * created directories if they are still empty and no other process has opened
 * the spool to store files.
 *
 * CTX_EFILE: the spool is not safe to use.  This is so if its directory is a
 * symbolic link, belongs to neither the user nor root, or is writable by other
 * users without having the sticky bit.  If dir is relative, it is also so if
 * any component of dir is a symbolic link.
 */
int ctx_spool_open(struct ctx_spool *spool, const char *dir, bool create,
    struct ctx_err *err);
void ctx_spool_close(struct ctx_spool *spool);
/* Returns true if the path dir leads to the directory of this open spool. */
bool ctx_spool_is_at(const struct ctx_spool *spool, struct ctx_str dir);
/* Returns the length in bytes of a path without its last n components and the
 * slashes before them, or 0 if the path is relative and has at most n
 * components. */
size_t ctx_spool_above(const char *dir, size_t n);
/* Computes the SHA-256 of a text that consists of n chunks.  Sets digits to the
 * first CTX_SPOOL_DIGITS hex digits of the hash, without a NUL byte. */
void ctx_spool_hash_chunks(char digits[CTX_SPOOL_DIGITS],
    const struct ctx_str *chunks, size_t n);
/*
 * Sets out to the name of a spool file, terminated by a NUL byte.  The name is
 * the text "format", in which two parts are replaced:
 * - {tool} by the name of the tool: at most CTX_SPOOL_TOOL bytes of it, with an
 *   underscore for every byte that is not a letter, digit, underscore or dash,
 *   and for a dash at the beginning of the name; "tool" if the tool's name is
 *   empty;
 * - {sha256} by digits, the hex digits of the file's hash.
 *
 * CTX_EARG: the name is too long, or contains a byte that is not a letter,
 * digit, underscore, dash or dot, or begins with a dash or dot, or does not
 * have the hex digits at its end or before its last dot.
 */
int ctx_spool_name(struct ctx_buf *out, const char *format, struct ctx_str tool,
    const char digits[CTX_SPOOL_DIGITS], struct ctx_err *err);
/* Returns true if a file name has the form of a spool file's name.  Sets
 * *digits to the hex digits of the hash in the name. */
bool ctx_spool_is_name(struct ctx_str name, struct ctx_str *digits);
/*
 * Stores a text that consists of n chunks as a file of the spool.  On return
 * the contents are on disk.  The file's name is on disk after the next
 * ctx_spool_sync.  If a file with this name and these contents exists, no new
 * file is created.
 *
 * CTX_EFILE: the existing file has other contents, or other users can change it
 * (because of its mode, its owner or another hard link).
 */
int ctx_spool_put(struct ctx_spool *spool, const char *name,
    const struct ctx_str *chunks, size_t n, struct ctx_err *err);
/* Syncs the directory of the spool (directory of stored results) to disk, so
 * that the names of new files are on disk.  CTX_EFILE: the path of the spool
 * now leads to another directory. */
int ctx_spool_sync(struct ctx_spool *spool, struct ctx_err *err);
/*
 * Reads a file of the spool into a buffer.  Does not follow symbolic links.
 * Returns 1, or 0 if there is no such file, or -1 with *err. most: the maximum
 * length of the file in bytes; if the file grows while this function reads it,
 * more bytes may be read.
 *
 * CTX_EFILE: the file is not a regular file, or is longer than the maximum.
 */
int ctx_spool_get(const struct ctx_spool *spool, const char *name,
    uint64_t most, struct ctx_buf *out, struct ctx_err *err);
struct ctx_spool_sum {
	char digits[CTX_SPOOL_DIGITS];
	/* Length of the file in bytes, and in characters.  The number of
	 * characters is valid only if the file is UTF-8. */
	uint64_t bytes, chars;
};
/* Reads a file of the spool in small parts.  Sets *sum to the hash of the
 * contents (as hex digits) and their length in bytes and characters.  Returns
 * 1, or 0 if there is no such file, or -1 with *err. most: the maximum length
 * of the file in bytes.  CTX_EFILE: as in ctx_spool_get. */
int ctx_spool_sum(const struct ctx_spool *spool, const char *name,
    uint64_t most, struct ctx_spool_sum *sum, struct ctx_err *err);
/* Calls visit for each entry of the spool directory, including "." and "..".
 * Stops if visit returns a value other than 0, and returns this value.  Returns
 * 0 after the last entry, or -1 with *err if the directory cannot be read. */
int ctx_spool_each(struct ctx_spool *spool, void *user,
    int (*visit)(void *user, const char *name, struct ctx_err *err),
    struct ctx_err *err);

/* ---- store/reference.c: references to files of the spool ---------------- */

/* Text between the number and the path in a reference to a text.  A reference
 * is a line such as "[12345 characters in
 * .ctx/spool/read_file-0123...cdef.md]". */
#define CTX_REFERENCE_MIDDLE " characters in "
/* Text between the number and the path in a reference to an image or other
 * media.  Such a reference is a line such as "[212345 bytes in
 * .ctx/spool/image-0123...cdef.png]". */
#define CTX_REFERENCE_BYTES " bytes in "

/* A reference: a line in a message that names a file of the spool.  The strings
 * in this struct point into the text of the message. */
struct ctx_reference {
	/* Length of the spool file according to the reference.  For a text in
	 * characters, for media in bytes. */
	uint64_t chars;
	/* path: path of the file; dir: the path before its last slash; name:
	 * the path after this slash */
	struct ctx_str path;
	struct ctx_str dir, name;
	/* hex digits of the SHA-256 in the name of the file */
	struct ctx_str digits;
	/* Number of bytes before the reference in the text that contains it,
	 * without the line feed that ends them. */
	size_t at;
};

/* Finds the reference in a text with which ctx-age has replaced a tool result.
 * In such a text the reference is the last line, and at most CTX_AGE_HEAD
 * characters are before it.  Returns false if the text has another form. */
bool ctx_reference_find(const char *p, size_t n, struct ctx_reference *ref);
/* Parses the n bytes at p as a reference to an image or other media in the
 * spool (directory of stored results). ctx-age replaces media by such a line.
 * Returns false if the bytes are not exactly one such line. */
bool ctx_reference_media(const char *p, size_t n, struct ctx_reference *ref);
/* Returns false if a JSON string literal cannot be a text with which ctx-age
 * has replaced a tool result, because the literal is too long or ends
 * differently.  The caller need not decode the literal then. */
bool ctx_reference_may_be(struct ctx_str literal);
/* Returns true if the path in the reference leads to a file in the spool
 * directory dir.  Compares the two paths as texts, but ignores "./" at the
 * beginning of dir and slashes at the end of dir. */
bool ctx_reference_into(const struct ctx_reference *ref, const char *dir);
/* Finds the next row of at least CTX_SPOOL_DIGITS hex digits (0-9, a-f) in a
 * text.  Such a row may be the hash in the name of a spool file.  The search
 * begins at the offset *at, which is 0 in the first call.  Sets *digits to the
 * last CTX_SPOOL_DIGITS digits of the row, and *at to the end of the row.
 * Returns false if there is no further row. */
bool ctx_reference_digits(struct ctx_str text, size_t *at,
    struct ctx_str *digits);
/* Appends a reference (a line that names a file of the spool) to out.  If out
 * is not empty, first appends a line feed. dir: path of the spool. name: name
 * of the file. middle: CTX_REFERENCE_MIDDLE for a text, CTX_REFERENCE_BYTES for
 * media. chars: length of the file, in characters for a text, in bytes for
 * media. */
int ctx_reference_add(struct ctx_buf *out, const char *dir, const char *name,
    const char *middle, uint64_t chars, struct ctx_err *err);

#endif
