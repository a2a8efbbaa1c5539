/*
 * base.h - functions that every part of the library uses: errors, memory,
 * string interning, threads, signals, time, patterns, UTF-8
 */
#ifndef CTX_BASE_H
#define CTX_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CTX_FORMAT(f, a) __attribute__((format(printf, f, a)))
#else
#define CTX_FORMAT(f, a)
#endif

/* number of elements of an array */
#define CTX_LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- base/error.c: errors and their places ------------------------------- */

enum ctx_code {
	CTX_OK,
	CTX_ENOMEM, /* out of memory, or a size exceeds PTRDIFF_MAX */
	CTX_ESYS,   /* a system call failed; ctx_err.sys is its errno */
	/* no process reads the output pipe any more; the caller should print no
	 * error message */
	CTX_EPIPE,
	/* the input is invalid JSON or UTF-8, or is not framed correctly */
	CTX_EINPUT,
	CTX_ELIMIT, /* the input is valid, but exceeds a limit of ctx */
	/* an argument is invalid, or a program that ctx ran has failed */
	CTX_EARG,
	/* a file that the user named has a wrong format, type, owner or mode */
	CTX_EFILE,
};

struct ctx_err {
	enum ctx_code code;
	int sys; /* errno if code is CTX_ESYS, otherwise 0 */
	/* name of the input file with the error, or NULL; the caller owns the
	 * string */
	const char *file;
	/* number of the line of the input file with the error, from 1; 0 if not
	 * known */
	uint64_t line;
	/* position of the error in its line, in bytes, from 1; 0 if not
	 * known */
	uint64_t column;
	/* Text of the error message: one clause in lower case, without a full
	 * stop, terminated by a NUL byte. */
	char text[240];
};

/* Sets code and text of *err, and clears its file, line and column.  Returns
 * -1. */
int ctx_err_set(struct ctx_err *err, enum ctx_code code, const char *fmt, ...)
    CTX_FORMAT(3, 4);
/* Sets *err to CTX_ESYS with the errno value sys, and returns -1. fmt: text
 * that says what failed.  A long text is shortened, so that the system's error
 * message fits after it. */
int ctx_err_sys(struct ctx_err *err, int sys, const char *fmt, ...)
    CTX_FORMAT(3, 4);
/* Sets *err after reading the input has failed with the errno value sys, and
 * returns -1. */
int ctx_err_read(struct ctx_err *err, int sys);
int ctx_err_nomem(struct ctx_err *err);

/* ---- base/memory.c: growing buffers and arenas -------------------------- */

/* A string that need not end with a NUL byte.  The struct does not own it. */
struct ctx_str {
	const char *p;
	size_t n; /* length in bytes */
};

/* Returns a string without the blanks, tabs, carriage returns and line feeds at
 * its beginning and end. */
struct ctx_str ctx_str_trim(struct ctx_str s);
/* Removes the part of *s before the first separator, and this separator, and
 * returns the part.  Without a separator, the part is the whole string. */
struct ctx_str ctx_str_cut(struct ctx_str *s, char separator);
/* Returns true if a string begins with a text that is terminated by a NUL
 * byte. */
bool ctx_str_begins(struct ctx_str s, const char *text);

/* Returns true for a decimal digit. */
static inline bool
ctx_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns true for a letter of ASCII. */
static inline bool
ctx_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A byte buffer that grows as needed.  A struct whose members are all 0 is a
 * valid empty buffer.  The buffer owns its memory p, which may be NULL. */
struct ctx_buf {
	char *p;
	/* n: number of bytes in use; cap: number of bytes allocated. */
	size_t n, cap;
};

/* Enlarges the buffer, if necessary, so that "extra" more bytes fit after the n
 * bytes in use. */
int ctx_buf_reserve(struct ctx_buf *buf, size_t extra, struct ctx_err *err);
int ctx_buf_add(struct ctx_buf *buf, const char *p, size_t n,
    struct ctx_err *err);
static inline int
ctx_buf_add_str(struct ctx_buf *buf, struct ctx_str str, struct ctx_err *err)
{
	return ctx_buf_add(buf, str.p, str.n, err);
}
/* Returns the bytes in use, which are valid until the buffer changes. */
static inline struct ctx_str
ctx_buf_str(const struct ctx_buf *buf)
{
	return (struct ctx_str){buf->p, buf->n};
}
int ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err, const char *fmt,
    ...) CTX_FORMAT(3, 4);
/* Empties the buffer and returns its memory, reduced to the bytes in use.  The
 * caller must free this memory.  Returns NULL if the buffer has no memory. */
char *ctx_buf_take(struct ctx_buf *buf);
/* Empties a buffer, but keeps its memory for the next use.  If more than
 * CTX_BUF_KEEP bytes are allocated, frees its memory, so that one huge text
 * does not occupy memory for ever. */
#define CTX_BUF_KEEP ((size_t)1 << 20)
void ctx_buf_reset(struct ctx_buf *buf);
void ctx_buf_release(struct ctx_buf *buf);

/*
 * Enlarges an array, if necessary, so that it has space for at least "need"
 * elements of "size" bytes. array: address of the pointer to the array; the
 * pointer is changed if the array moves. *cap: number of elements for which the
 * array has space; each enlargement at least doubles this number.
 *
 * Returns 0.  If there is no memory, returns -1 with *err, and the old array is
 * still valid.
 */
int ctx_grow(void *array, size_t *cap, size_t need, size_t size,
    struct ctx_err *err);
#define CTX_GROW(array, cap, need, err) \
	ctx_grow(&(array), &(cap), (need), sizeof *(array), (err))

/*
 * An arena: allocates memory that is freed all at once.  A struct whose members
 * are all 0 is a valid empty arena. ctx_arena_reset frees all blocks of memory
 * but the largest, which is used again.
 */
struct ctx_arena {
	struct ctx_arena_block *block;
	/* number of bytes in use in the block that was allocated last */
	size_t used;
};

/* Allocates n zeroed bytes in the arena, aligned for any type.  Returns NULL
 * with *err if there is no memory. */
void *ctx_arena_alloc(struct ctx_arena *arena, size_t n, struct ctx_err *err);
/* Copies n bytes into the arena.  The copy is not aligned.  Returns NULL with
 * *err if there is no memory. */
char *ctx_arena_copy(struct ctx_arena *arena, const char *p, size_t n,
    struct ctx_err *err);
void ctx_arena_reset(struct ctx_arena *arena);
void ctx_arena_release(struct ctx_arena *arena);

/* ---- base/hash.c: keyed hashing ----------------------------------------- */

/*
 * A key for the hash function SipHash-1-3 (Aumasson, Bernstein 2012).  The key
 * of a hash table must be random: otherwise an attacker could choose input
 * whose hashes are equal, which would make the table slow.
 */
struct ctx_hashkey {
	uint64_t k[2];
};
/* Sets *key to random values, or to values that the author of the input cannot
 * know (see hash.c) if there is no source of random numbers. */
void ctx_hashkey_init(struct ctx_hashkey *key);
uint64_t ctx_hash(const struct ctx_hashkey *key, const char *p, size_t n);
/* Computes a hash of 128 bits.  A table can store this hash instead of the
 * string, because two strings with the same hash are practically impossible.
 * The hash depends only on the key and the string, not on the machine. */
void ctx_hash_wide(const struct ctx_hashkey *key, const char *p, size_t n,
    uint64_t hash[2]);

/* ---- base/intern.c: string interning ------------------------------------ */

/*
 * A string intern table: gives each distinct string an id, counted from 1; 0
 * means no string.  The table owns a copy of each string, whose address is
 * valid until ctx_intern_reset or ctx_intern_release. ctx_intern_reset removes
 * all strings, but keeps some memory for new ones.  A struct whose members are
 * all 0 is a valid empty table.
 */
struct ctx_intern {
	struct ctx_hashkey hash;
	struct ctx_str *list; /* the string with this id is list[id - 1] */
	size_t n, cap;
	uint32_t *slots;
	size_t mask;
	struct ctx_arena arena;
};
/* Sets *id to the id of a string.  Adds the string to the table if the table
 * does not contain it. */
int ctx_intern(struct ctx_intern *names, const char *p, size_t n, uint32_t *id,
    struct ctx_err *err);
struct ctx_str ctx_intern_at(const struct ctx_intern *names, uint32_t id);
/* Returns the id of a string, or 0 if the table does not contain it. */
uint32_t ctx_intern_find(const struct ctx_intern *names, const char *p,
    size_t n);
bool ctx_intern_has(const struct ctx_intern *names, const char *p, size_t n);
void ctx_intern_reset(struct ctx_intern *names);
void ctx_intern_release(struct ctx_intern *names);

/* ---- base/thread_pool.c: tasks for several threads ---------------------- */

/* A task for a thread pool: a function that one thread of the pool calls once.
 * To give a task data, make this struct the first member of a struct with the
 * data; the function "run" can cast its first argument to a pointer to that
 * struct. */
struct ctx_task {
	/* Runs the task. number: number of the thread that runs the task, from
	 * 0. */
	void (*run)(struct ctx_task *task, unsigned number);
	/* The next members are used only by the thread pool. */
	struct ctx_task *next;
	bool done;
};

/* Opens a thread pool. threads: number of its threads, at least 1.  The calling
 * thread is one of these threads, and has the number 0.  If the system refuses
 * to start other threads, the calling thread runs all tasks. */
struct ctx_pool;
int ctx_pool_open(struct ctx_pool **pool, unsigned threads,
    struct ctx_err *err);
/* Adds a task to the queue of the thread pool.  Tasks are started in the order
 * in which they were added.  Only the thread that opened the pool may add tasks
 * and wait for tasks. */
void ctx_pool_add(struct ctx_pool *pool, struct ctx_task *task);
/* Waits until a task is done.  While waiting, runs other tasks of the pool in
 * the calling thread. */
void ctx_pool_wait(struct ctx_pool *pool, const struct ctx_task *task);
/* Closes a thread pool: waits until the running tasks are done, drops the tasks
 * that were not started, and ends the threads. */
void ctx_pool_close(struct ctx_pool *pool);

/* ---- base/signals.c: deferred signals ----------------------------------- */

/* Number of the termination signals: HUP, INT, QUIT and TERM. */
enum { CTX_TERMINATION_SIGNALS = 4 };
extern const int ctx_termination_signals[CTX_TERMINATION_SIGNALS];

/*
 * Blocks the termination signals HUP, INT, QUIT and TERM in the calling thread.
 * Returns the set of the termination signals that were not blocked before;
 * ctx_signals_release unblocks the signals of such a set.
 *
 * Used around code that must remove a temporary file before the process ends.
 * That code must not take long.
 */
unsigned ctx_signals_defer(void);
void ctx_signals_release(unsigned held);

/* ---- base/open_file.c: opening files, and help for their use ------------ */

/*
 * Opens a file as open(2) does; a new file gets the mode 0600.  Waits at most a
 * second for a process at the other end of a FIFO.  If no process opens the
 * other end in this time, opening for writing fails with ENXIO, and a FIFO
 * opened for reading is at its end.  Later reads and writes block as usual.
 */
int ctx_open_file(const char *path, int flags);
/* Called after read(2) or write(2) has failed.  Returns true if the call must
 * be repeated, because a signal has interrupted it, or because another program
 * has made the descriptor non-blocking.  If the descriptor is non-blocking,
 * first waits until the descriptor is ready. events: POLLIN or POLLOUT of
 * poll(2). */
bool ctx_wait_ready(int fd, short events);
/* Writes all bytes of two texts, one after the other, to a descriptor.  Uses
 * one system call if the system accepts all bytes, so that bytes of other
 * processes do not come between the two texts.  Waits while the descriptor
 * accepts no bytes, and continues after signals.  Returns 0, or -1 with errno.
 * errno is ENOSPC if a device accepts no bytes. */
int ctx_write_all(int fd, struct ctx_str one, struct ctx_str two);
/* Reads exactly n bytes from a descriptor.  Returns 0, or -1 with errno.  errno
 * is 0 if the file or pipe ends before. */
int ctx_read_exactly(int fd, void *data, size_t n);
/* Sets *err after ctx_open_file has failed: the error message says why, and
 * what the user can do. sys: the errno of ctx_open_file; what: text before the
 * path in the error message, "" or "archive ". */
int ctx_err_open(struct ctx_err *err, int sys, const char *what,
    const char *path);
/* length in bytes of the name of a temporary file, including its NUL byte */
#define CTX_TEMPORARY_NAME 22
/* Sets name to a random name for a file that is not complete yet. */
void ctx_temporary_name(char name[CTX_TEMPORARY_NAME]);
/* Returns true if two results of stat(2) describe the same file or
 * directory. */
struct stat;
bool ctx_is_same_file(const struct stat *a, const struct stat *b);

/* ---- base/pause.c: waiting for another process --------------------------- */

/* Waits for this time, or until a signal is handled.  Called between two
 * attempts at an operation that another process may still prevent.  Only the
 * files that lib/README.md lists may call this function. */
void ctx_pause(long microseconds);

/* ---- base/time.c: times as the formats write them ----------------------- */

/*
 * Parses a text as a time, and sets *ms to milliseconds since 1970.  Returns
 * true if the text has one of these forms:
 * - ISO 8601 with date and time of day (RFC 3339); a space may replace the T,
 *   and a time without a zone is UTC;
 * - a number of seconds since 1970;
 * - a number of milliseconds since 1970, which must be 10^11 or more.
 */
bool ctx_time_parse(const char *p, size_t n, int64_t *ms);
/* A function of the caller that returns the nanoseconds since a fixed time in
 * the past.  Used for time limits, because the library itself reads no
 * clock. */
typedef int64_t ctx_clock(void);

/* ---- base/pattern.c: regular expressions with limits -------------------- */

/*
 * A list of regular expressions (PCRE2) for UTF-8 text.  A text matches the
 * list if it matches at least one of them.  A struct whose members are all 0 is
 * a valid empty list, which matches no text.
 *
 * Matching may take too long on some texts, so it has limits: of work, depth
 * and memory.  If a limit is reached, the member overruns is increased.  If
 * then no other pattern of the list matches, the functions return the result
 * after which the caller does not change the text: ctx_pattern_match returns
 * true, ctx_pattern_selects returns false.  After a pattern has reached a limit
 * three times, the limit of work for its matches is much lower. *left: the work
 * that remains for all texts of one message; each match subtracts its work from
 * *left.  The work depends only on the pattern and the texts, not on time.
 */
/* Maximum work of matching regular expressions with the texts of one message,
 * in units: a unit is about the work of reading one byte.  The maximum takes
 * about one second if PCRE2 compiles patterns to machine code (JIT), otherwise
 * three seconds.  A back reference costs more units than it reads bytes, so
 * patterns with back references reach the maximum earlier. */
#define CTX_PATTERN_WORK 600000000
struct ctx_pattern {
	struct ctx_pattern_code *list;
	size_t n, cap;
	uint64_t overruns; /* number of matches that reached a limit */
};
/* Adds a regular expression to the list. pattern: terminated by a NUL byte, at
 * most 65536 bytes, with groups nested at most 64 deep.  Fails with CTX_EARG if
 * the pattern is invalid; the error text says where. */
int ctx_pattern_add(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err);
bool ctx_pattern_match(struct ctx_pattern *patterns, const char *p, size_t n,
    int64_t *left);
/* Returns true if a text matches the list of patterns "only" (or this list is
 * empty), and does not match the list "except". */
bool ctx_pattern_selects(struct ctx_pattern *only, struct ctx_pattern *except,
    const char *p, size_t n, int64_t *left);
void ctx_pattern_release(struct ctx_pattern *patterns);

/* ---- base/utf8.c: UTF-8 ------------------------------------------------- */

/*
 * An instruction set for SIMD code.  BEST means the best instruction set that
 * the processor supports.  The other values are for tests that compare
 * implementations.  If the processor does not support the given instruction
 * set, PORTABLE is used.  Code for SSE2 or NEON may run with any value, because
 * every processor of the architecture has these instructions.
 */
enum ctx_simd {
	CTX_SIMD_BEST,
	CTX_SIMD_PORTABLE,
	CTX_SIMD_SSE2,
	CTX_SIMD_AVX2,
	CTX_SIMD_AVX512,
	CTX_SIMD_NEON,
};
/* Returns the instruction set that ctx uses on this processor if the caller
 * passes simd.  Never returns CTX_SIMD_BEST. */
enum ctx_simd ctx_simd_resolve(enum ctx_simd simd);

/*
 * Returns the length in bytes of the longest beginning of a text that is valid
 * UTF-8 and ends between two characters.  Valid UTF-8 is defined by RFC 3629:
 * shortest forms, no surrogates, at most U+10FFFF.
 */
size_t ctx_utf8_valid(const char *p, size_t n, enum ctx_simd simd);

/* ctx_char_next sets *cp to this value for a byte at which no valid character
 * begins. */
#define CTX_CHAR_BAD UINT32_MAX

/* Returns the six bits of a code point that byte i of s, a continuation byte of
 * UTF-8, contains. */
static inline uint32_t
ctx_char_tail(const unsigned char *s, size_t i)
{
	return s[i] & 0x3fu;
}

/* Decodes the UTF-8 character at the beginning of the n bytes at p: sets *cp to
 * its code point, and returns its length in bytes.  The caller must pass an n
 * of at least 1.  For a byte at which no valid character begins, sets *cp to
 * CTX_CHAR_BAD and returns 1.  A valid character is one of RFC 3629: a shortest
 * form, no surrogate, at most U+10FFFF.  The function is inline because
 * pretokenizers call it for every character that is not ASCII. */
static inline size_t
ctx_char_next(const char *p, size_t n, uint32_t *cp)
{
	const unsigned char *s = (const unsigned char *)p;
	uint32_t c = s[0];

	*cp = c;
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c < 0xe0 && n > 1 && (s[1] & 0xc0) == 0x80) {
		*cp = (c & 0x1f) << 6 | ctx_char_tail(s, 1);
		return 2;
	}
	if (c >= 0xe0 && c < 0xf0 && n > 2 && (s[1] & 0xc0) == 0x80 &&
	    (s[2] & 0xc0) == 0x80) {
		c = (c & 0xf) << 12 | ctx_char_tail(s, 1) << 6 |
		    ctx_char_tail(s, 2);
		if (c >= 0x800 && (c < 0xd800 || c >= 0xe000)) {
			*cp = c;
			return 3;
		}
	} else if (c >= 0xf0 && c < 0xf5 && n > 3 && (s[1] & 0xc0) == 0x80 &&
	    (s[2] & 0xc0) == 0x80 && (s[3] & 0xc0) == 0x80) {
		c = (c & 7) << 18 | ctx_char_tail(s, 1) << 12 |
		    ctx_char_tail(s, 2) << 6 | ctx_char_tail(s, 3);
		if (c >= 0x10000 && c < 0x110000) {
			*cp = c;
			return 4;
		}
	}
	*cp = CTX_CHAR_BAD;
	return 1;
}

/* Does the same as ctx_char_next, but sets *cp to U+FFFD for a byte at which no
 * valid character begins. */
size_t ctx_utf8_next(const char *p, size_t n, uint32_t *cp);
/* Writes the Unicode scalar value cp to out as UTF-8.  Returns its length in
 * bytes, 1 to 4. */
size_t ctx_utf8_put(char out[4], uint32_t cp);
/* Returns the number of characters (Unicode scalar values) of valid UTF-8. */
size_t ctx_utf8_count(const char *p, size_t n);
/* Returns the length in bytes of the first "chars" characters of valid UTF-8,
 * or n if the text has fewer characters. */
size_t ctx_utf8_skip(const char *p, size_t n, uint64_t chars);
/* Returns the offset of the character that ends at the offset "at", in valid
 * UTF-8. at: at least 1. */
size_t ctx_utf8_back(const char *p, size_t at);
/* Returns true if the character is ASCII white space.  Anthropic and Bedrock
 * refuse texts that consist only of white space ("text content blocks must
 * contain non-whitespace text", home-assistant/core #175637). */
bool ctx_utf8_is_space(uint32_t cp);

/* ---- base/grapheme.c: grapheme clusters --------------------------------- */

/*
 * Used to divide a text into extended grapheme clusters (UAX #29, Unicode
 * 16.0).  The text is read character by character; this struct describes the
 * characters that were read.  A struct whose members are all 0 is ready for the
 * first character.
 */
struct ctx_grapheme {
	/* grapheme break class (UAX #29) of the character that was read
	 * before */
	uint8_t before;
	/* begun: true once a character was read.  The other flags describe the
	 * text read so far; see grapheme.c. */
	bool begun, half_flag, picture, joined, consonant, linked;
};
/* Reads the next character of a text.  Returns true if a grapheme cluster
 * begins with this character. */
bool ctx_grapheme_next(struct ctx_grapheme *grapheme, uint32_t cp);
/* Returns true if a grapheme cluster always ends between these two characters,
 * whatever text is before them.  Then the caller may read a text from the
 * second character on with a struct ctx_grapheme whose members are all 0. */
bool ctx_grapheme_is_break(uint32_t first, uint32_t second);

#endif
