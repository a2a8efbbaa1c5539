/*
 * base.h - what every room uses: errors, memory, names, threads, text
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
	CTX_EPIPE,  /* the reader of our output is gone; stay silent */
	CTX_EINPUT, /* the input is not what it must be (JSON, UTF-8, framing)
		     */
	CTX_ELIMIT, /* the input is right but beyond a documented limit */
	CTX_EARG,   /* the caller asked for something that does not exist */
	CTX_EFILE,  /* a file that was named is not of the expected format */
};

struct ctx_err {
	enum ctx_code code;
	int sys;          /* errno of a CTX_ESYS, else 0 */
	const char *file; /* name of the input, owned by whoever opened it */
	uint64_t line;    /* line in that input, from 1; 0: no place known */
	uint64_t column;  /* byte in that line, from 1; 0: no place known */
	char text[240];   /* one lower-case clause, no full stop, NUL ended */
};

/* Fills *err (and clears its place), returns -1. */
int ctx_err_set(struct ctx_err *err, enum ctx_code code, const char *fmt, ...)
    CTX_FORMAT(3, 4);
/* The same for the errno of a failed call; the text names what failed, cut if
 * there is no room for the cause behind it. */
int ctx_err_sys(struct ctx_err *err, int sys, const char *fmt, ...)
    CTX_FORMAT(3, 4);
int ctx_err_nomem(struct ctx_err *err);

/* ---- base/memory.c: growing buffers and arenas -------------------------- */

/* A piece of text that somebody else owns. */
struct ctx_str {
	const char *p;
	size_t n; /* bytes */
};

/* A growing byte buffer.  Zero is a valid empty one; p is NULL or owned. */
struct ctx_buf {
	char *p;
	size_t n, cap; /* bytes used, bytes allocated */
};

/* Makes room for extra more bytes after the n in use. */
int ctx_buf_reserve(struct ctx_buf *buf, size_t extra, struct ctx_err *err);
int ctx_buf_add(struct ctx_buf *buf, const char *p, size_t n,
    struct ctx_err *err);
int ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err, const char *fmt,
    ...) CTX_FORMAT(3, 4);
/* Returns the bytes, owned by the caller and without spare room, and empties
 * the buffer.  NULL: the buffer never held any. */
char *ctx_buf_take(struct ctx_buf *buf);
/* Empties a buffer for its next use.  Memory above this many bytes is freed, so
 * that one huge text is not kept for ever. */
#define CTX_BUF_KEEP ((size_t)1 << 20)
void ctx_buf_reset(struct ctx_buf *buf);
void ctx_buf_release(struct ctx_buf *buf);

/*
 * Grows an array, at least to double its capacity, so that it has room for need
 * elements of size bytes; *cap is the capacity in elements.  Returns the array,
 * which may have moved (not NULL even for need 0), or NULL with *err and the
 * old array still valid.
 */
void *ctx_grow(void *array, size_t *cap, size_t need, size_t size,
    struct ctx_err *err);

/*
 * An arena hands out memory that is all given back at once.  Zero is a valid
 * empty arena.  reset keeps the largest block for the next use.
 */
struct ctx_arena {
	struct ctx_arena_block *block;
	size_t used; /* bytes of the newest block */
};

/* Returns n zeroed bytes, aligned for any type, or NULL with *err. */
void *ctx_arena_alloc(struct ctx_arena *arena, size_t n, struct ctx_err *err);
char *ctx_arena_copy(struct ctx_arena *arena, const char *p, size_t n,
    struct ctx_err *err);
void ctx_arena_reset(struct ctx_arena *arena);
void ctx_arena_release(struct ctx_arena *arena);

/* ---- base/hash.c: keyed hashing ----------------------------------------- */

/*
 * Hash for tables whose keys come from the input: SipHash-1-3 with a random key
 * (Aumasson, Bernstein 2012), so that no input can make a table slow.  Hash
 * values never reach an output.
 */
struct ctx_hashkey {
	uint64_t k[2];
};
void ctx_hashkey_init(struct ctx_hashkey *key);
uint64_t ctx_hash(const struct ctx_hashkey *key, const char *p, size_t n);
/* A hash of 128 bits, used in place of a key that is not stored. */
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
/* Sets *id to the id of a string, which is added if it is new; -1 with *err. */
int ctx_intern(struct ctx_intern *names, const char *p, size_t n, uint32_t *id,
    struct ctx_err *err);
struct ctx_str ctx_intern_at(const struct ctx_intern *names, uint32_t id);
bool ctx_intern_has(const struct ctx_intern *names, const char *p, size_t n);
void ctx_intern_reset(struct ctx_intern *names);
void ctx_intern_release(struct ctx_intern *names);

/* ---- base/thread_pool.c: tasks for several threads ---------------------- */

/* A task; the first member of the struct that it works on. */
struct ctx_task {
	/* number: index of the thread, from 0 */
	void (*run)(struct ctx_task *task, unsigned number);
	/* Internal: */
	struct ctx_task *next;
	bool done;
};

/* Opens a pool of threads threads, at least one.  The caller's thread is number
 * 0; if no other can be started it runs all tasks. */
struct ctx_pool;
int ctx_pool_open(struct ctx_pool **pool, unsigned threads,
    struct ctx_err *err);
/* Adds a task.  Only the thread that opened the pool may add and wait.  Tasks
 * start in the order in which they were added. */
void ctx_pool_add(struct ctx_pool *pool, struct ctx_task *task);
/* Waits until the task is done, and runs other tasks meanwhile. */
void ctx_pool_wait(struct ctx_pool *pool, const struct ctx_task *task);
/* Ends the threads; tasks that have not started are dropped. */
void ctx_pool_close(struct ctx_pool *pool);

/* ---- base/signals.c: deferred signals ----------------------------------- */

/* Signals that end a program: HUP, INT, QUIT and TERM. */
enum { CTX_TERMINATION_SIGNALS = 4 };
extern const int ctx_termination_signals[CTX_TERMINATION_SIGNALS];

/*
 * Defers these signals in the calling thread until it releases those that were
 * deferred (the value returned).  For code that must remove a temporary file,
 * and that cannot block for ever.
 */
unsigned ctx_signals_defer(void);
void ctx_signals_release(unsigned held);

/* ---- base/open_file.c: files that may be FIFOs -------------------------- */

/*
 * Opens a file with the flags of open(2); mode 0600 if it is new.  A FIFO waits
 * at most a second for its other side.  Then opening for writing fails with
 * ENXIO, and opening for reading gives an empty file.  Reads and writes block
 * as usual.
 */
int ctx_open_file(const char *path, int flags);
/* Says why ctx_open_file failed with the errno sys, and what to do.  what
 * stands before the path: "", or "archive ". */
int ctx_err_open(struct ctx_err *err, int sys, const char *what,
    const char *path);

/* ---- base/time.c: times as the formats write them ----------------------- */

/*
 * Parses a time and sets *ms to milliseconds since 1970.  Accepted are ISO 8601
 * with date and time of day (RFC 3339; also a space for the T, and no zone for
 * UTC) and a number: seconds since 1970, or milliseconds from 10^11 on.
 */
bool ctx_time_parse(const char *p, size_t n, int64_t *ms);

/* ---- base/pattern.c: regular expressions that always end ---------------- */

/*
 * PCRE2 patterns joined by "or", on UTF-8 text with Unicode classes.  A zeroed
 * list is valid and matches nothing.
 *
 * A match that reaches a limit (steps, depth, memory, time) sets overrun and
 * counts as the answer that keeps the text unchanged.  All texts of a message
 * share one time limit: *left nanoseconds, which each match reduces.
 */
#define CTX_PATTERN_TIME 500000000 /* for a message: half a second */
struct ctx_pattern {
	struct ctx_pattern_code *list;
	size_t n, cap;
	bool overrun; /* a match has reached a limit; reset by the caller */
};
/* pattern is NUL ended, of up to 65536 bytes and 64 groups in groups.
 * CTX_EARG: it is not a pattern; the text says where. */
int ctx_pattern_add(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err);
bool ctx_pattern_match(struct ctx_pattern *patterns, const char *p, size_t n,
    int64_t *left);
/* Returns true if the text matches only (or only is empty) and not except. */
bool ctx_pattern_selects(struct ctx_pattern *only, struct ctx_pattern *except,
    const char *p, size_t n, int64_t *left);
void ctx_pattern_release(struct ctx_pattern *patterns);

/* ---- base/utf8.c: UTF-8 ------------------------------------------------- */

/*
 * The vector code to use.  BEST is the best that the machine has.  The others
 * are for tests that compare them; they fall back to PORTABLE where the machine
 * lacks them.  SSE2 and NEON, which every machine of their architecture has,
 * may be used in any case.
 */
enum ctx_simd {
	CTX_SIMD_BEST,
	CTX_SIMD_PORTABLE,
	CTX_SIMD_SSE2,
	CTX_SIMD_AVX2,
	CTX_SIMD_AVX512,
	CTX_SIMD_NEON,
};
/* Returns the code that simd selects on this machine; never BEST. */
enum ctx_simd ctx_simd_resolve(enum ctx_simd simd);

/*
 * Returns the length of the longest valid UTF-8 prefix (RFC 3629: shortest
 * forms, no surrogates, at most U+10FFFF) that ends between characters.
 */
size_t ctx_utf8_valid(const char *p, size_t n, enum ctx_simd simd);

/*
 * Decodes one character of valid UTF-8, returns its length in bytes; for a
 * byte that starts no valid character *cp is U+FFFD and the length is 1.
 * n must be at least 1.
 */
size_t ctx_utf8_next(const char *p, size_t n, uint32_t *cp);
/* Writes the UTF-8 of cp (a Unicode scalar value) to out, returns 1 to 4. */
size_t ctx_utf8_put(char out[4], uint32_t cp);
/* Returns the number of characters (scalar values) of valid UTF-8. */
size_t ctx_utf8_count(const char *p, size_t n);
/* Returns the bytes of the first chars characters of valid UTF-8, or of all if
 * there are fewer. */
size_t ctx_utf8_skip(const char *p, size_t n, uint64_t chars);
/* Returns the offset of the character that ends at offset at of valid UTF-8, or
 * that contains it; at must be at least 1. */
size_t ctx_utf8_back(const char *p, size_t at);
/* Returns true for ASCII white space.  Anthropic and Bedrock refuse texts of
 * nothing else ("text content blocks must contain non-whitespace text",
 * home-assistant/core #175637). */
bool ctx_utf8_is_space(uint32_t cp);

/* ---- base/grapheme.c: grapheme clusters --------------------------------- */

/*
 * Finds where grapheme clusters begin (extended ones: UAX #29, Unicode 16.0),
 * character by character.  Zeroed, it is before the first character.
 */
struct ctx_grapheme {
	uint8_t before; /* class of the last character */
	bool begun, half_flag, picture, joined, consonant, linked;
};
/* Reads the next character; returns true if a cluster begins with it. */
bool ctx_grapheme_next(struct ctx_grapheme *grapheme, uint32_t cp);
/* Returns true if a cluster begins with the second of two characters whatever
 * stands before the first, so that a zeroed ctx_grapheme may start there. */
bool ctx_grapheme_is_break(uint32_t first, uint32_t second);

#endif
