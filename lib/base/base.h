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

/* ---- base/error.c: what went wrong, and where --------------------------- */

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

/* Makes room for extra more bytes behind n. */
int ctx_buf_reserve(struct ctx_buf *buf, size_t extra, struct ctx_err *err);
int ctx_buf_add(struct ctx_buf *buf, const char *p, size_t n,
    struct ctx_err *err);
int ctx_buf_printf(struct ctx_buf *buf, struct ctx_err *err, const char *fmt,
    ...) CTX_FORMAT(3, 4);
/* Its bytes, to be freed by the caller, in no more room than they need; the
 * buffer is empty then.  NULL: it never held any. */
char *ctx_buf_take(struct ctx_buf *buf);
/* Empties a buffer that will be used again; what has grown beyond so many
 * bytes is given back, so that one huge text is not held beside the next copy
 * of it. */
#define CTX_BUF_KEEP ((size_t)1 << 20)
void ctx_buf_reset(struct ctx_buf *buf);
void ctx_buf_release(struct ctx_buf *buf);

/*
 * Grows an array of elements of the given size so that it has room for need
 * of them, at least doubling; *cap counts elements.  Returns the array, which
 * may have moved and is there for a need of none, too; or NULL with the old
 * one still valid and *err filled.
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

/* n zeroed bytes, aligned for any type, or NULL with *err filled. */
void *ctx_arena_alloc(struct ctx_arena *arena, size_t n, struct ctx_err *err);
char *ctx_arena_copy(struct ctx_arena *arena, const char *p, size_t n,
    struct ctx_err *err);
void ctx_arena_reset(struct ctx_arena *arena);
void ctx_arena_release(struct ctx_arena *arena);

/* ---- base/hash.c: keyed hashing ----------------------------------------- */

/*
 * A hash for tables whose keys come from the input, so that no input can
 * make them slow (SipHash-1-3 with a random key; Aumasson, Bernstein 2012).
 * Its values never reach an output.
 */
struct ctx_hashkey {
	uint64_t k[2];
};
void ctx_hashkey_init(struct ctx_hashkey *key);
uint64_t ctx_hash(const struct ctx_hashkey *key, const char *p, size_t n);
/* 128 bits, which stand for a key that is not kept: two keys meet by chance
 * once in 2^128. */
void ctx_hash_wide(const struct ctx_hashkey *key, const char *p, size_t n,
    uint64_t hash[2]);

/* ---- base/intern.c: each name once -------------------------------------- */

/*
 * Names as small numbers, from 1; 0 is no name.  A name is copied when it is
 * first seen and stays where it is until reset (which keeps the memory) or
 * release.  Zero is valid.
 */
struct ctx_intern {
	struct ctx_hashkey hash;
	struct ctx_str *list; /* list[id - 1] */
	size_t n, cap;
	uint32_t *slots;
	size_t mask;
	struct ctx_arena arena;
};
/* The number of a name, given one if it is new; -1 with *err. */
int ctx_intern(struct ctx_intern *names, const char *p, size_t n, uint32_t *id,
    struct ctx_err *err);
struct ctx_str ctx_intern_at(const struct ctx_intern *names, uint32_t id);
bool ctx_intern_has(const struct ctx_intern *names, const char *p, size_t n);
void ctx_intern_reset(struct ctx_intern *names);
void ctx_intern_release(struct ctx_intern *names);

/* ---- base/thread_pool.c: tasks for several threads ---------------------- */

/* What is to be done, as the first member of what it is done to. */
struct ctx_task {
	/* number: of the thread, below that of the pool's threads */
	void (*run)(struct ctx_task *task, unsigned number);
	/* The pool's: */
	struct ctx_task *next;
	bool done;
};

/* Opens a pool of so many threads, at least one; the caller's is number 0,
 * and where no more can be started it does everything. */
struct ctx_pool;
int ctx_pool_open(struct ctx_pool **pool, unsigned threads,
    struct ctx_err *err);
/* The thread that opened a pool adds tasks and waits for them.  They are
 * begun in the order they came in. */
void ctx_pool_add(struct ctx_pool *pool, struct ctx_task *task);
/* Returns when the task is done; until then runs those that were added. */
void ctx_pool_wait(struct ctx_pool *pool, const struct ctx_task *task);
/* Ends the threads; tasks that were not begun are forgotten. */
void ctx_pool_close(struct ctx_pool *pool);

/* ---- base/signals.c: signals that wait ---------------------------------- */

/* What ends a program from outside: HUP, INT, QUIT and TERM. */
enum { CTX_TERMINATION_SIGNALS = 4 };
extern const int ctx_termination_signals[CTX_TERMINATION_SIGNALS];

/*
 * These wait, for the thread that asks, until it releases those that it held;
 * to be used around a file with a name that is not to stay, and around nothing
 * that may wait for ever.
 */
unsigned ctx_signals_defer(void);
void ctx_signals_release(unsigned held);

/* ---- base/open_file.c: files that may be FIFOs -------------------------- */

/*
 * Opens a file, mode 0600 if it is new; flags are those of open.  A FIFO waits
 * at most a second for its other side: to be written it then fails with ENXIO,
 * to be read it is at its end.  Reads and writes wait as they always do.
 */
int ctx_open_file(const char *path, int flags);
/* Says why ctx_open_file failed with the errno sys, and what to do.  what
 * stands before the path: "", or "archive ". */
int ctx_err_open(struct ctx_err *err, int sys, const char *what,
    const char *path);

/* ---- base/time.c: moments as the formats write them --------------------- */

/*
 * Reads a moment: ISO 8601 with a date and a time of day (RFC 3339; a space
 * for the T, no zone for UTC), or a number of seconds since 1970, or of
 * milliseconds from 10^11 on.  Sets *ms to milliseconds since 1970.
 */
bool ctx_time_parse(const char *p, size_t n, int64_t *ms);

/* ---- base/pattern.c: regular expressions that always end ---------------- */

/*
 * Patterns of PCRE2, joined by "or", on UTF-8 text with Unicode classes.  A
 * match that runs into a limit (steps, depth, memory, time) counts as what
 * keeps the text: as a match, but not as one of only; overrun then says so.
 * The time is what all texts of a message share, whatever they are asked for:
 * *left nanoseconds, which matching takes from.  Once it is over, whatever is
 * still asked runs into that limit.
 * Zero is valid and matches nothing.
 */
#define CTX_PATTERN_TIME 500000000 /* for a message: half a second */
struct ctx_pattern {
	struct ctx_pattern_code *list;
	size_t n, cap;
	bool overrun; /* a match was cut short since the last look */
};
/* pattern is NUL ended, of up to 65536 bytes and 64 groups in groups.
 * CTX_EARG: it is not a pattern; the text says where. */
int ctx_pattern_add(struct ctx_pattern *patterns, const char *pattern,
    struct ctx_err *err);
bool ctx_pattern_match(struct ctx_pattern *patterns, const char *p, size_t n,
    int64_t *left);
/* Does the text match one of only, if it holds any, and none of except? */
bool ctx_pattern_selects(struct ctx_pattern *only, struct ctx_pattern *except,
    const char *p, size_t n, int64_t *left);
void ctx_pattern_release(struct ctx_pattern *patterns);

/* ---- base/utf8.c: UTF-8 ------------------------------------------------- */

/*
 * Which vector code may run.  BEST takes what the machine has; the others
 * exist so that tests can hold them against each other, and fall back to
 * PORTABLE where the machine lacks them.  What every machine of its
 * architecture has (SSE2, NEON) may run in any case.
 */
enum ctx_simd {
	CTX_SIMD_BEST,
	CTX_SIMD_PORTABLE,
	CTX_SIMD_SSE2,
	CTX_SIMD_AVX2,
	CTX_SIMD_AVX512,
	CTX_SIMD_NEON,
};
/* What simd means on this machine: never BEST. */
enum ctx_simd ctx_simd_resolve(enum ctx_simd simd);

/*
 * The length of the longest valid UTF-8 prefix (RFC 3629: shortest forms,
 * no surrogates, at most U+10FFFF) that ends between characters.
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
/* Characters (scalar values) in valid UTF-8. */
size_t ctx_utf8_count(const char *p, size_t n);
/* The bytes of the first characters of valid UTF-8, so many or all. */
size_t ctx_utf8_skip(const char *p, size_t n, uint64_t chars);
/* The bytes before the character that ends at byte at of valid UTF-8, or
 * within which that byte is; at must be at least 1. */
size_t ctx_utf8_back(const char *p, size_t at);
/* Is it white space of ASCII?  Anthropic and Bedrock refuse texts that have
 * nothing else ("text content blocks must contain non-whitespace text",
 * home-assistant/core #175637). */
bool ctx_utf8_is_space(uint32_t cp);

/* ---- base/grapheme.c: grapheme clusters --------------------------------- */

/*
 * A walk over the characters of a text that tells where what a reader takes
 * for one character begins (extended grapheme clusters: UAX #29, Unicode
 * 16.0).  Zero is the walk before the first character.
 */
struct ctx_grapheme {
	uint8_t before; /* class of the last character */
	bool begun, half_flag, picture, joined, consonant, linked;
};
/* Takes the next character; says whether a cluster begins with it. */
bool ctx_grapheme_next(struct ctx_grapheme *grapheme, uint32_t cp);
/* Does a cluster begin with the second of two characters whatever stands
 * before the first?  If so, a walk may begin there. */
bool ctx_grapheme_is_break(uint32_t first, uint32_t second);

#endif
