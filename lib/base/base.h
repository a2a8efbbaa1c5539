/*
 * base.h - errors, memory, string interning, threads, signals, time, patterns,
 * UTF-8: for all rooms of lib/
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
	CTX_ENOMEM, /* out of memory, or a size beyond SIZE_MAX */
	CTX_ESYS,   /* a system call failed; sys holds its errno */
	CTX_EPIPE,  /* no process reads the output pipe; be silent */
	CTX_EINPUT, /* the input is invalid (JSON, UTF-8, framing) */
	CTX_ELIMIT, /* the input is valid but exceeds a documented limit */
	CTX_EARG,   /* an argument is invalid, or a command failed */
	CTX_EFILE,  /* a named file has a wrong format, type, owner or mode */
};

struct ctx_err {
	enum ctx_code code;
	int sys;          /* errno of a CTX_ESYS, else 0 */
	const char *file; /* name of the input, the caller's; or NULL */
	uint64_t line;    /* line of that input, from 1; 0: unknown */
	uint64_t column;  /* byte of that line, from 1; 0: unknown */
	char text[240];   /* one lower-case clause, no full stop, NUL ended */
};

/* Fills *err, without file, line and column, and returns -1. */
int ctx_err_set(struct ctx_err *err, enum ctx_code code, const char *fmt, ...)
    CTX_FORMAT(3, 4);
/* Fills *err with CTX_ESYS and the errno value sys, and returns -1.  The text
 * names what failed; a long one is cut, so that the system's message fits after
 * it. */
int ctx_err_sys(struct ctx_err *err, int sys, const char *fmt, ...)
    CTX_FORMAT(3, 4);
int ctx_err_nomem(struct ctx_err *err);

/* ---- base/memory.c: growing buffers and arenas -------------------------- */

/* A span of bytes that the struct does not own. */
struct ctx_str {
	const char *p;
	size_t n; /* bytes */
};

/* A growing byte buffer.  A zeroed one is valid and empty.  The buffer owns p,
 * which may be NULL. */
struct ctx_buf {
	char *p;
	size_t n, cap; /* bytes used, bytes allocated */
};

/* Grows the buffer so that extra bytes fit after the n in use. */
int ctx_buf_reserve(struct ctx_buf *buf, size_t extra, struct ctx_err *err);
int ctx_buf_add(struct ctx_buf *buf, const char *p, size_t n,
    struct ctx_err *err);
int ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err, const char *fmt,
    ...) CTX_FORMAT(3, 4);
/* Empties the buffer and returns its memory, which the caller frees; bytes that
 * are not in use are given back, if any is in use.  NULL: it has no memory. */
char *ctx_buf_take(struct ctx_buf *buf);
/* Empties a buffer for its next use.  If it has more than CTX_BUF_KEEP bytes of
 * memory, that is freed, so that one huge text does not occupy it for ever. */
#define CTX_BUF_KEEP ((size_t)1 << 20)
void ctx_buf_reset(struct ctx_buf *buf);
void ctx_buf_release(struct ctx_buf *buf);

/*
 * Grows an array so that it has room for need elements of size bytes.  *cap is
 * its capacity in elements, which at least doubles when the array grows.
 * Returns the array, which may have moved; on success this is not NULL, even
 * for need 0.  Returns NULL with *err if there is no memory; the old array is
 * then still valid.
 */
void *ctx_grow(void *array, size_t *cap, size_t need, size_t size,
    struct ctx_err *err);

/*
 * An arena allocates memory that is freed all at once.  A zeroed arena is valid
 * and empty.  ctx_arena_reset keeps the largest block for the next use.
 */
struct ctx_arena {
	struct ctx_arena_block *block;
	size_t used; /* bytes used in the newest block */
};

/* Returns n zeroed bytes, aligned for any type, or NULL with *err. */
void *ctx_arena_alloc(struct ctx_arena *arena, size_t n, struct ctx_err *err);
char *ctx_arena_copy(struct ctx_arena *arena, const char *p, size_t n,
    struct ctx_err *err);
void ctx_arena_reset(struct ctx_arena *arena);
void ctx_arena_release(struct ctx_arena *arena);

/* ---- base/hash.c: keyed hashing ----------------------------------------- */

/*
 * Keyed hash for tables whose keys come from the input: SipHash-1-3 (Aumasson,
 * Bernstein 2012).  The key is random, so that no input can make a table slow
 * by collisions.  Hash values never reach an output.
 */
struct ctx_hashkey {
	uint64_t k[2];
};
void ctx_hashkey_init(struct ctx_hashkey *key);
uint64_t ctx_hash(const struct ctx_hashkey *key, const char *p, size_t n);
/* Computes a hash of 128 bits, which a table can store in place of the key. */
void ctx_hash_wide(const struct ctx_hashkey *key, const char *p, size_t n,
    uint64_t hash[2]);

/* ---- base/intern.c: string interning ------------------------------------ */

/*
 * String intern table.  Each distinct string gets an id, counting from 1; 0
 * means no string.  The table owns a copy whose address is valid until reset or
 * release; reset keeps the memory.  A zeroed table is valid.
 */
struct ctx_intern {
	struct ctx_hashkey hash;
	struct ctx_str *list; /* list[id - 1] */
	size_t n, cap;
	uint32_t *slots;
	size_t mask;
	struct ctx_arena arena;
};
/* Sets *id to the id of a string, which is added if it is new. */
int ctx_intern(struct ctx_intern *names, const char *p, size_t n, uint32_t *id,
    struct ctx_err *err);
struct ctx_str ctx_intern_at(const struct ctx_intern *names, uint32_t id);
bool ctx_intern_has(const struct ctx_intern *names, const char *p, size_t n);
void ctx_intern_reset(struct ctx_intern *names);
void ctx_intern_release(struct ctx_intern *names);

/* ---- base/thread_pool.c: tasks for several threads ---------------------- */

/* A task for a pool: the first member of a struct with the data of the task, to
 * which run casts the pointer. */
struct ctx_task {
	/* number: index of the thread that runs the task, from 0 */
	void (*run)(struct ctx_task *task, unsigned number);
	/* Internal: */
	struct ctx_task *next;
	bool done;
};

/* Opens a pool of the given number of threads, at least 1.  The calling thread
 * is one of them, number 0; it runs all tasks if no other can be started. */
struct ctx_pool;
int ctx_pool_open(struct ctx_pool **pool, unsigned threads,
    struct ctx_err *err);
/* Adds a task.  Only the thread that opened the pool may add tasks and wait for
 * them.  Tasks start in the order in which they were added. */
void ctx_pool_add(struct ctx_pool *pool, struct ctx_task *task);
/* Waits until the task is done, and runs other tasks meanwhile. */
void ctx_pool_wait(struct ctx_pool *pool, const struct ctx_task *task);
/* Waits for the tasks that are running, drops the others and ends the
 * threads. */
void ctx_pool_close(struct ctx_pool *pool);

/* ---- base/signals.c: deferred signals ----------------------------------- */

/* Signals that end a program: HUP, INT, QUIT and TERM. */
enum { CTX_TERMINATION_SIGNALS = 4 };
extern const int ctx_termination_signals[CTX_TERMINATION_SIGNALS];

/*
 * Blocks the termination signals in the calling thread and returns those that
 * it has blocked.  ctx_signals_release takes this value and unblocks them.
 * This is for code that must remove a temporary file; such code must not wait
 * for ever.
 */
unsigned ctx_signals_defer(void);
void ctx_signals_release(unsigned held);

/* ---- base/open_file.c: files that may be FIFOs -------------------------- */

/*
 * Opens a file with the flags of open(2), with mode 0600 if it is created.
 * Opening a FIFO waits at most a second for a process at the other end.  If
 * there is none, opening for writing fails with ENXIO, and a FIFO opened for
 * reading is at its end.  Reads and writes block as usual.
 */
int ctx_open_file(const char *path, int flags);
/* Fills *err for a ctx_open_file that failed with the errno sys: why, and what
 * to do.  what is text before the path: "" or "archive ". */
int ctx_err_open(struct ctx_err *err, int sys, const char *what,
    const char *path);

/* ---- base/time.c: times as the formats write them ----------------------- */

/*
 * Parses a time, sets *ms to milliseconds since 1970, and returns true if the
 * text is one of:
 *  - ISO 8601 with date and time of day (RFC 3339), also with a space for the
 *    T, or without a zone for UTC;
 *  - a number: seconds since 1970, or milliseconds if it is 10^11 or more.
 */
bool ctx_time_parse(const char *p, size_t n, int64_t *ms);

/* ---- base/pattern.c: regular expressions that always end ---------------- */

/*
 * A list of PCRE2 patterns, on UTF-8 text with Unicode classes.  The list
 * matches if any pattern does.  A zeroed list is valid and matches nothing.
 *
 * A match that reaches a limit (steps, depth, memory, time) sets overrun.  Then
 * ctx_pattern_match returns true and ctx_pattern_selects returns false: both
 * mean that the caller keeps the text unchanged.  All texts of a message share
 * one time limit: *left is the nanoseconds that remain, and each match
 * subtracts its own.
 */
#define CTX_PATTERN_TIME 500000000 /* per message, in nanoseconds */
struct ctx_pattern {
	struct ctx_pattern_code *list;
	size_t n, cap;
	bool overrun; /* a match reached a limit; the caller resets it */
};
/* Adds a pattern: NUL-terminated, at most 65536 bytes, groups nested at most 64
 * deep.  CTX_EARG: the pattern is invalid; the error text says where. */
int ctx_pattern_add(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err);
bool ctx_pattern_match(struct ctx_pattern *patterns, const char *p, size_t n,
    int64_t *left);
/* Returns true if the text matches only (or only is empty) and does not match
 * except. */
bool ctx_pattern_selects(struct ctx_pattern *only, struct ctx_pattern *except,
    const char *p, size_t n, int64_t *left);
void ctx_pattern_release(struct ctx_pattern *patterns);

/* ---- base/utf8.c: UTF-8 ------------------------------------------------- */

/*
 * Selects SIMD code.  BEST is the best that the processor supports.  The others
 * are for tests that compare implementations; one that the processor lacks
 * becomes PORTABLE.  SSE2 and NEON may be used with any value, since every
 * processor of their architecture has them.
 */
enum ctx_simd {
	CTX_SIMD_BEST,
	CTX_SIMD_PORTABLE,
	CTX_SIMD_SSE2,
	CTX_SIMD_AVX2,
	CTX_SIMD_AVX512,
	CTX_SIMD_NEON,
};
/* Returns the SIMD code that simd selects on this processor; never BEST. */
enum ctx_simd ctx_simd_resolve(enum ctx_simd simd);

/*
 * Returns the length in bytes of the longest valid UTF-8 prefix that ends
 * between characters.  Valid means RFC 3629: shortest forms, no surrogates, at
 * most U+10FFFF.
 */
size_t ctx_utf8_valid(const char *p, size_t n, enum ctx_simd simd);

/*
 * Decodes the first character of n bytes, at least 1, and returns its length in
 * bytes.  At a byte that starts no valid character *cp is U+FFFD and the length
 * is 1.
 */
size_t ctx_utf8_next(const char *p, size_t n, uint32_t *cp);
/* Writes the UTF-8 of cp, a Unicode scalar value, to out; returns its length in
 * bytes, 1 to 4. */
size_t ctx_utf8_put(char out[4], uint32_t cp);
/* Returns the number of characters (Unicode scalar values) of valid UTF-8. */
size_t ctx_utf8_count(const char *p, size_t n);
/* Returns how many bytes the first chars characters of valid UTF-8 take; n if
 * the text has fewer. */
size_t ctx_utf8_skip(const char *p, size_t n, uint64_t chars);
/* Returns the offset of the last character of valid UTF-8 that begins before
 * offset at; at must be at least 1. */
size_t ctx_utf8_back(const char *p, size_t at);
/* Returns true for ASCII white space.  Anthropic and Bedrock refuse texts of
 * white space only ("text content blocks must contain non-whitespace text",
 * home-assistant/core #175637). */
bool ctx_utf8_is_space(uint32_t cp);

/* ---- base/grapheme.c: grapheme clusters --------------------------------- */

/*
 * Finds where extended grapheme clusters begin (UAX #29, Unicode 16.0), from
 * the characters of a text in order.  A zeroed struct is ready for the first.
 */
struct ctx_grapheme {
	uint8_t before; /* class of the character read last */
	/* begun: a character has been read; the others: see grapheme.c */
	bool begun, half_flag, picture, joined, consonant, linked;
};
/* Reads the next character; returns true if a cluster begins with it. */
bool ctx_grapheme_next(struct ctx_grapheme *grapheme, uint32_t cp);
/* Returns true if a cluster begins with second, whatever the text before first
 * is.  So a zeroed ctx_grapheme may start at second. */
bool ctx_grapheme_is_break(uint32_t first, uint32_t second);

#endif
