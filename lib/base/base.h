/*
 * base.h - what every part of the library uses: errors, memory, string
 * interning, threads, signals, time, patterns, UTF-8
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

/* ---- base/error.c: errors and their places ------------------------------- */

enum ctx_code {
	CTX_OK,
	CTX_ENOMEM, /* out of memory, or a size exceeds SIZE_MAX */
	CTX_ESYS,   /* a system call failed; the member sys has its errno */
	/* no process reads the output pipe any more; no message should be
	 * printed */
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
	int sys; /* errno if code is CTX_ESYS, else 0 */
	/* name of the input file with the error, or NULL; the caller owns the
	 * string */
	const char *file;
	/* number of the line with the error in the input file, from 1; 0 if
	 * unknown */
	uint64_t line;
	/* position of the error in its line, in bytes from 1; 0 if unknown */
	uint64_t column;
	/* Text of the error message: one clause in lower case, without a full
	 * stop, NUL-terminated. */
	char text[240];
};

/* Sets code and text of *err, and clears its file, line and column.  Returns
 * -1. */
int ctx_err_set(struct ctx_err *err, enum ctx_code code, const char *fmt, ...)
    CTX_FORMAT(3, 4);
/* Sets *err to CTX_ESYS with this errno value, and returns -1.  The text says
 * what failed.  A long text is cut, so that there is room for the system's
 * error message after it. */
int ctx_err_sys(struct ctx_err *err, int sys, const char *fmt, ...)
    CTX_FORMAT(3, 4);
int ctx_err_nomem(struct ctx_err *err);

/* ---- base/memory.c: growing buffers and arenas -------------------------- */

/* A span of bytes that another object owns. */
struct ctx_str {
	const char *p;
	size_t n; /* length in bytes */
};

/* Returns a span without blanks, tabs, carriage returns and line feeds at its
 * beginning and end. */
struct ctx_str ctx_str_trim(struct ctx_str s);
/* Returns true if a span begins with a NUL-terminated text. */
bool ctx_str_begins(struct ctx_str s, const char *text);

/* A growing byte buffer.  A zeroed struct is a valid empty buffer.  The buffer
 * owns its memory p, which may be NULL. */
struct ctx_buf {
	char *p;
	size_t n, cap; /* bytes used; bytes allocated */
};

/* Grows the buffer, if necessary, so that extra more bytes fit after the n
 * bytes in use. */
int ctx_buf_reserve(struct ctx_buf *buf, size_t extra, struct ctx_err *err);
int ctx_buf_add(struct ctx_buf *buf, const char *p, size_t n,
    struct ctx_err *err);
int ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err, const char *fmt,
    ...) CTX_FORMAT(3, 4);
/* Empties the buffer and returns its memory, which the caller frees.  The
 * memory is first shrunk to the bytes in use.  Returns NULL if the buffer has
 * no memory. */
char *ctx_buf_take(struct ctx_buf *buf);
/* Empties a buffer, and keeps its memory for the next use.  If the buffer has
 * more than CTX_BUF_KEEP bytes, its memory is freed, so that one huge text does
 * not occupy memory for ever. */
#define CTX_BUF_KEEP ((size_t)1 << 20)
void ctx_buf_reset(struct ctx_buf *buf);
void ctx_buf_release(struct ctx_buf *buf);

/*
 * Grows an array, if necessary, so that it has room for at least need elements
 * of size bytes each. array: address of the variable that points to the array,
 * which may move.  *cap is the number of elements for which it has room; each
 * time the array grows, it at least doubles.
 *
 * Returns -1 with *err only if there is no memory; the old array is then still
 * valid.
 */
int ctx_grow(void *array, size_t *cap, size_t need, size_t size,
    struct ctx_err *err);
#define CTX_GROW(array, cap, need, err) \
	ctx_grow(&(array), &(cap), (need), sizeof *(array), (err))

/*
 * An arena: allocates memory that is freed all at once.  A zeroed struct is a
 * valid empty arena.  ctx_arena_reset keeps the largest block for the next use.
 */
struct ctx_arena {
	struct ctx_arena_block *block;
	size_t used; /* number of bytes in use in the newest block */
};

/* Allocates n zeroed bytes in the arena, aligned for any type.  Returns NULL
 * with *err if there is no memory. */
void *ctx_arena_alloc(struct ctx_arena *arena, size_t n, struct ctx_err *err);
/* Copies n bytes into the arena, without alignment. */
char *ctx_arena_copy(struct ctx_arena *arena, const char *p, size_t n,
    struct ctx_err *err);
void ctx_arena_reset(struct ctx_arena *arena);
void ctx_arena_release(struct ctx_arena *arena);

/* ---- base/hash.c: keyed hashing ----------------------------------------- */

/*
 * A key for the hash function SipHash-1-3 (Aumasson, Bernstein 2012).  The
 * keys of hash tables are random: otherwise an attacker could choose input
 * whose hashes collide, which would make the tables slow.
 */
struct ctx_hashkey {
	uint64_t k[2];
};
/* Sets a random key. */
void ctx_hashkey_init(struct ctx_hashkey *key);
uint64_t ctx_hash(const struct ctx_hashkey *key, const char *p, size_t n);
/* Computes a hash of 128 bits.  That is long enough that a table can store the
 * hash instead of the string.  The hash depends on the key and the string
 * only, not on the machine. */
void ctx_hash_wide(const struct ctx_hashkey *key, const char *p, size_t n,
    uint64_t hash[2]);

/* ---- base/intern.c: string interning ------------------------------------ */

/*
 * A string intern table: gives each distinct string an id, counting from 1; 0
 * means no string.  The table owns a copy of each string, whose address is
 * valid until reset or release.  Reset keeps the memory.  A zeroed struct is a
 * valid empty table.
 */
struct ctx_intern {
	struct ctx_hashkey hash;
	struct ctx_str *list; /* the string with this id is list[id - 1] */
	size_t n, cap;
	uint32_t *slots;
	size_t mask;
	struct ctx_arena arena;
};
/* Sets *id to the id of a string.  The string is added to the table if it is
 * not in it. */
int ctx_intern(struct ctx_intern *names, const char *p, size_t n, uint32_t *id,
    struct ctx_err *err);
struct ctx_str ctx_intern_at(const struct ctx_intern *names, uint32_t id);
bool ctx_intern_has(const struct ctx_intern *names, const char *p, size_t n);
void ctx_intern_reset(struct ctx_intern *names);
void ctx_intern_release(struct ctx_intern *names);

/* ---- base/thread_pool.c: tasks for several threads ---------------------- */

/* A task for a thread pool: something that one of its threads runs once.  Make
 * it the first member of a struct with the data of the task, so that the
 * function run can cast its pointer to that struct. */
struct ctx_task {
	/* Runs the task. number is the number of the thread that runs it, from
	 * 0. */
	void (*run)(struct ctx_task *task, unsigned number);
	/* The remaining members are used by the pool only. */
	struct ctx_task *next;
	bool done;
};

/* Opens a thread pool with a number of threads, at least 1.  The calling
 * thread is one of them and has the number 0.  If the system refuses to start
 * other threads, it runs all tasks itself. */
struct ctx_pool;
int ctx_pool_open(struct ctx_pool **pool, unsigned threads,
    struct ctx_err *err);
/* Adds a task to the pool's queue.  Only the thread that opened the pool may
 * add tasks and wait for them.  Tasks are started in the order in which they
 * are added. */
void ctx_pool_add(struct ctx_pool *pool, struct ctx_task *task);
/* Waits until a task is done.  Meanwhile the calling thread runs other
 * tasks. */
void ctx_pool_wait(struct ctx_pool *pool, const struct ctx_task *task);
/* Closes a thread pool: waits for the tasks that are running, drops those that
 * were not started, and ends the threads. */
void ctx_pool_close(struct ctx_pool *pool);

/* ---- base/signals.c: deferred signals ----------------------------------- */

/* Number of the signals that end a program: HUP, INT, QUIT and TERM. */
enum { CTX_TERMINATION_SIGNALS = 4 };
extern const int ctx_termination_signals[CTX_TERMINATION_SIGNALS];

/*
 * Blocks the signals HUP, INT, QUIT and TERM in the calling thread.  Returns
 * the set of those that were not blocked before; ctx_signals_release unblocks
 * this set.
 *
 * Code that must remove a temporary file before the process ends stands between
 * the two calls.  It must finish in limited time.
 */
unsigned ctx_signals_defer(void);
void ctx_signals_release(unsigned held);

/* ---- base/open_file.c: opening files, and help for their use ------------ */

/*
 * Opens a file as open(2) does; a new file gets mode 0600.  Opening a FIFO
 * waits at most a second for a process at the other end.  If there is none,
 * opening for writing fails with ENXIO; a FIFO opened for reading is then at
 * its end.  Later reads and writes block as usual.
 */
int ctx_open_file(const char *path, int flags);
/* Called after read(2) or write(2) has failed.  Returns true if the call must
 * be repeated: after a signal, or, after waiting, if another program has made
 * the descriptor non-blocking. events: POLLIN or POLLOUT of poll(2). */
bool ctx_wait_ready(int fd, short events);
/* Writes all bytes of a text to a descriptor.  Waits if the descriptor cannot
 * take them now, and continues after signals.  Returns 0, or -1 with errno,
 * which is ENOSPC if a device takes no bytes. */
int ctx_write_all(int fd, struct ctx_str text);
/* Fills *err after ctx_open_file has failed: says why, and what to do. sys:
 * the errno value of ctx_open_file. what: the text before the path in the
 * message, "" or "archive ". */
int ctx_err_open(struct ctx_err *err, int sys, const char *what,
    const char *path);
/* Sets name to a random name for a file that is not complete yet. */
#define CTX_TEMPORARY_NAME 22 /* length of the name in bytes, with its NUL */
void ctx_temporary_name(char name[CTX_TEMPORARY_NAME]);
/* Returns true if two results of stat(2) are of the same file or directory. */
struct stat;
bool ctx_is_same_file(const struct stat *a, const struct stat *b);

/* ---- base/time.c: times as the formats write them ----------------------- */

/*
 * Parses a time and sets *ms to milliseconds since 1970.  Returns true if the
 * text is one of:
 * - ISO 8601 with date and time of day (RFC 3339); a space may replace the T,
 *   and a time without a zone is UTC;
 * - a number of seconds since 1970;
 * - a number of milliseconds since 1970, which must be 10^11 or more.
 */
bool ctx_time_parse(const char *p, size_t n, int64_t *ms);
/* Returns the nanoseconds that have passed since some time in the past.  The
 * library reads no clock; time limits use the clock that the caller gives. */
typedef int64_t ctx_clock(void);

/* ---- base/pattern.c: regular expressions with limits -------------------- */

/*
 * A list of regular expressions (PCRE2) for UTF-8 text.  A text matches the
 * list if it matches any of them.  A zeroed list is valid and matches nothing.
 *
 * Matching may take too long on some texts, so it has limits: work, depth,
 * memory.  If a limit is reached, overruns is increased, and ctx_pattern_match
 * and ctx_pattern_selects return the result for which the caller keeps the text
 * unchanged: true and false.  A pattern that has reached a limit three times
 * gets much less work for each later text.  *left is the work that remains for
 * all texts of one message; each match subtracts its work.  The work depends on
 * the pattern and its texts only.
 */
/* Limit of the work of matching patterns in the texts of one message.  A unit
 * is about the work of reading a byte.  Reaching the limit takes about one
 * second if PCRE2 compiles patterns to machine code (JIT), and three seconds
 * otherwise.  A back reference costs more units than the bytes that it reads,
 * so patterns with back references reach the limit earlier. */
#define CTX_PATTERN_WORK 600000000
struct ctx_pattern {
	struct ctx_pattern_code *list;
	size_t n, cap;
	uint64_t overruns; /* number of matches that reached a limit */
};
/* Adds a regular expression to the list: NUL-terminated, at most 65536 bytes,
 * groups nested at most 64 deep.  CTX_EARG: it is invalid; the error text says
 * where. */
int ctx_pattern_add(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err);
bool ctx_pattern_match(struct ctx_pattern *patterns, const char *p, size_t n,
    int64_t *left);
/* Returns true if a text is selected by two lists of patterns.  It must match
 * the list "only", unless that list is empty, and must not match the list
 * "except". */
bool ctx_pattern_selects(struct ctx_pattern *only, struct ctx_pattern *except,
    const char *p, size_t n, int64_t *left);
void ctx_pattern_release(struct ctx_pattern *patterns);

/* ---- base/utf8.c: UTF-8 ------------------------------------------------- */

/*
 * The instruction set of SIMD code.  BEST is the best one that the processor
 * supports.  The other values are for tests that compare implementations;
 * PORTABLE is used in place of a value that the processor does not support.
 * Code for SSE2 or NEON may run with any value, since every processor of their
 * architecture has these instructions.
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
 * asks for simd.  The result is never CTX_SIMD_BEST. */
enum ctx_simd ctx_simd_resolve(enum ctx_simd simd);

/*
 * Returns the length in bytes of the longest beginning of a text that is valid
 * UTF-8 and ends between two characters.  Valid means RFC 3629: shortest forms,
 * no surrogates, at most U+10FFFF.
 */
size_t ctx_utf8_valid(const char *p, size_t n, enum ctx_simd simd);

/*
 * Decodes the first UTF-8 character of n bytes (at least 1), and returns its
 * length in bytes.  If no valid character starts there, *cp is U+FFFD and the
 * length is 1.
 */
size_t ctx_utf8_next(const char *p, size_t n, uint32_t *cp);
/* Writes the Unicode scalar value cp to out as UTF-8.  Returns its length in
 * bytes, 1 to 4. */
size_t ctx_utf8_put(char out[4], uint32_t cp);
/* Returns the number of characters (Unicode scalar values) of valid UTF-8. */
size_t ctx_utf8_count(const char *p, size_t n);
/* Returns the length in bytes of the first chars characters of valid UTF-8; n
 * if the text has fewer characters. */
size_t ctx_utf8_skip(const char *p, size_t n, uint64_t chars);
/* Returns the offset of the character that ends at the given offset, in valid
 * UTF-8.  The given offset must be at least 1. */
size_t ctx_utf8_back(const char *p, size_t at);
/* Returns true if cp is ASCII white space.  Anthropic and Bedrock refuse texts
 * that are only white space ("text content blocks must contain non-whitespace
 * text", home-assistant/core #175637). */
bool ctx_utf8_is_space(uint32_t cp);

/* ---- base/grapheme.c: grapheme clusters --------------------------------- */

/*
 * The state of a search for extended grapheme clusters (UAX #29, Unicode 16.0),
 * which reads a text character by character.  A zeroed struct is ready for the
 * first character.
 */
struct ctx_grapheme {
	/* grapheme break class (UAX #29) of the character that was read last */
	uint8_t before;
	/* begun: true if a character was read.  The other flags say what is
	 * known about the text read so far; see grapheme.c. */
	bool begun, half_flag, picture, joined, consonant, linked;
};
/* Reads the next character of a text.  Returns true if a grapheme cluster
 * begins with it. */
bool ctx_grapheme_next(struct ctx_grapheme *grapheme, uint32_t cp);
/* Returns true if grapheme clusters always have a boundary between these two
 * characters, whatever text is before them.  Then a search with a zeroed
 * ctx_grapheme may begin at the second character. */
bool ctx_grapheme_is_break(uint32_t first, uint32_t second);

#endif
