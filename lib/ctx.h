/*
 * ctx.h - the public header of libctx, and its reference manual
 *
 * libctx reads streams of model conversations (JSON records), counts their
 * tokens, and takes things out of them so that what is left is still valid
 * and every byte that was not touched is the byte that came in.
 *
 * What holds everywhere:
 *  - Text is (pointer, length); no function needs or looks for a NUL byte.
 *    Lengths are in bytes unless a name says characters or tokens.
 *  - Functions return 0, or -1 with *err filled; iterators return 1 for an
 *    item, 0 at the end, -1 with *err filled.  err may not be NULL.
 *  - Every struct with an init has a release; release takes a struct that
 *    was zeroed, initialised or released, and leaves it ready for init.
 *  - Nothing here prints, exits, or reads the environment or the clock.
 *  - Objects may be used by one thread at a time unless the comment says
 *    more.  There is no global state.
 *
 * The sections follow the files of the library, lowest floor first.
 */
#ifndef CTX_H
#define CTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CTX_VERSION "0.1.0"

#if defined(__GNUC__)
#define CTX_FORMAT(f, a) __attribute__((format(printf, f, a)))
#else
#define CTX_FORMAT(f, a)
#endif

/* ---- base/err.c: what went wrong, and where ---------------------------- */

enum ctx_code {
	CTX_OK,
	CTX_ENOMEM, /* out of memory, or a size beyond SIZE_MAX */
	CTX_ESYS,   /* a system call failed; sys holds its errno */
	CTX_EPIPE,  /* the reader of our output is gone; stay silent */
	CTX_EINPUT, /* the input is not what it must be (JSON, UTF-8, framing) */
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
/* The same for the errno of a failed call; the text names what failed. */
int ctx_err_sys(struct ctx_err *err, int sys, const char *fmt, ...)
    CTX_FORMAT(3, 4);
int ctx_err_nomem(struct ctx_err *err);

/* ---- base/mem.c: growing buffers and arenas ---------------------------- */

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
void ctx_buf_release(struct ctx_buf *buf);

/*
 * Grows an array of elements of the given size so that it has room for need
 * of them, at least doubling; *cap counts elements.  Returns the array, which
 * may have moved, or NULL with the old one still valid and *err filled.
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

/* ---- base/hash.c: keyed hashing ---------------------------------------- */

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
enum ctx_simd ctx_simd_pick(enum ctx_simd simd);

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

/* ---- json/scan.c: find every value in a JSON text and where it sits ---- */

/* Deepest nesting accepted; a level costs no memory while scanning. */
#define CTX_JSON_DEPTH 10000

enum ctx_json_kind {
	CTX_JSON_NULL,
	CTX_JSON_FALSE,
	CTX_JSON_TRUE,
	CTX_JSON_NUMBER,
	CTX_JSON_STRING,
	CTX_JSON_ARRAY,
	CTX_JSON_OBJECT,
};

/*
 * One value.  Nodes stand in document order: the children of a container
 * begin right behind it and end before its next; a member of an object is a
 * key (a STRING node) followed by its value.  Strings include their quotes.
 */
struct ctx_node {
	uint32_t at, end; /* bytes [at, end) of the text */
	uint32_t next;    /* index of the first node behind this subtree */
	uint8_t kind;     /* enum ctx_json_kind */
	uint8_t escaped;  /* a string with at least one backslash */
	uint16_t unused;
};

/*
 * A scanned text.  Node 0 is the value itself, so index 0 can stand for
 * "none" wherever a child is meant.  Nodes live until the next scan or
 * release; the text is the caller's and must outlive their use.
 */
struct ctx_json {
	const char *text;
	struct ctx_node *nodes;
	size_t n, cap;
	enum ctx_simd simd;
};

void ctx_json_init(struct ctx_json *json, enum ctx_simd simd);
void ctx_json_release(struct ctx_json *json);

/*
 * Scans one value at the start of text, with white space before and behind
 * it; *used is what was read, white space included.  Strict: RFC 8259, valid
 * UTF-8 throughout, no NUL or other raw control byte in strings; lone
 * surrogate escapes and equal keys are legal there and here.
 * A number or a word that goes on with a letter, digit, sign, dot or
 * underscore is wrong; other bytes behind the value are not looked at.
 * Returns 1; 0 if the text ends before the value does and more bytes could
 * make it whole (also for a text of white space only); -1 with err->column
 * the offending byte from 1 within text, and err->line 0.  *used is set, and
 * there are nodes, only after 1.  A number that is the value itself is whole
 * at the end of the text, though more digits could follow.
 * CTX_ELIMIT: nesting beyond CTX_JSON_DEPTH, or a value that does not end
 * before byte UINT32_MAX of the text.
 * Time is linear, memory 16 bytes a value; the array grows by doubling.
 */
int ctx_json_scan(struct ctx_json *json, const char *text, size_t n,
    size_t *used, struct ctx_err *err);

/* The value of a key of the object node obj (the last of equal keys, RFC
 * 8259 section 4), or 0; 0 too if obj is no object.  key is NUL ended. */
uint32_t ctx_json_find(const struct ctx_json *json, uint32_t obj,
    const char *key);
/* Element i (from 0) of the array node arr, or 0. */
uint32_t ctx_json_at(const struct ctx_json *json, uint32_t arr, size_t i);
/* Children of a container (an object's members count once); 0 for others. */
size_t ctx_json_count(const struct ctx_json *json, uint32_t node);
/* The bytes of a node, quotes included. */
struct ctx_str ctx_json_str(const struct ctx_json *json, uint32_t node);
/* Is the node a string whose text, once unescaped, is s (NUL ended)? */
bool ctx_json_is(const struct ctx_json *json, uint32_t node, const char *s);

/* ---- json/text.c: string literals to text and back --------------------- */

/*
 * A literal is a valid JSON string with its quotes.  Its text is what it
 * means, as UTF-8; a lone surrogate escape means U+FFFD.  A character is a
 * Unicode scalar value of the text.
 */

/* Appends the text of a literal to out. */
int ctx_text_decode(struct ctx_buf *out, struct ctx_str literal,
    struct ctx_err *err);
/* Appends the literal of a text, quotes included: escapes only what RFC 8259
 * demands, in the short forms where there are any.  text is valid UTF-8. */
int ctx_text_encode(struct ctx_buf *out, const char *p, size_t n,
    struct ctx_err *err);
/* Characters of a literal's text. */
size_t ctx_text_chars(struct ctx_str literal);
/* Bytes of a literal's text. */
size_t ctx_text_bytes(struct ctx_str literal);
/*
 * Walks characters: *at is an offset into the literal, 1 at the start;
 * returns 1 and moves it behind the character *cp (a lone surrogate gives
 * U+FFFD), or returns 0 at the closing quote.  A cut at any offset that *at
 * has taken splits no escape, no surrogate pair and no UTF-8 sequence.
 */
int ctx_text_next(struct ctx_str literal, size_t *at, uint32_t *cp);
/* Does the literal mean exactly this text? */
bool ctx_text_equal(struct ctx_str literal, const char *p, size_t n);

/* ---- json/edit.c: noted replacements, one writing pass ----------------- */

/*
 * Edits to one text, noted in any order and applied in one pass; they may
 * not overlap.  Replacements are copied.  The text is the caller's.
 */
struct ctx_edits {
	struct ctx_edit *list;
	size_t n, cap;
	struct ctx_buf store; /* the replacements, one behind another */
};

/* Notes that old, a piece of the text, is to be replaced by p, n. */
int ctx_edit_replace(struct ctx_edits *edits, struct ctx_str old,
    const char *p, size_t n, struct ctx_err *err);
/*
 * Notes the removal of elements (array) or members (object) of a container:
 * drop[i] says whether child i goes.  One separator goes with each, so that
 * what is left is valid; white space between what is kept stays.
 */
int ctx_edit_drop(struct ctx_edits *edits, const struct ctx_json *json,
    uint32_t node, const bool *drop, struct ctx_err *err);
/* Appends text with all edits applied to out. */
int ctx_edits_apply(struct ctx_edits *edits, struct ctx_str text,
    struct ctx_buf *out, struct ctx_err *err);
/* Forgets the edits, keeps the memory. */
void ctx_edits_reset(struct ctx_edits *edits);
void ctx_edits_release(struct ctx_edits *edits);

/* ---- io/writer.c: coalesced writes, every error seen ------------------- */

/*
 * Writes to a descriptor.  Text is not copied but remembered, and what
 * follows in memory without a gap leaves in the same write; so the caller's
 * bytes must stay until the next flush, which a tied reader (below) calls
 * before it moves its buffer.  ctx_writer_copy takes bytes that will not stay.
 * Short writes are continued, EINTR is retried, EAGAIN waits in poll(2).
 * After a failed write every later call fails with the same error.
 */
struct ctx_writer {
	int fd;
	bool flush_each;    /* flush after every record (-u) */
	struct ctx_str run; /* not yet written, the caller's */
	struct ctx_buf own; /* not yet written, copied; stands before run */
	uint64_t written;   /* bytes that have left */
	struct ctx_err failed;
};

void ctx_writer_init(struct ctx_writer *writer, int fd);
int ctx_writer_put(struct ctx_writer *writer, const char *p, size_t n,
    struct ctx_err *err);
int ctx_writer_copy(struct ctx_writer *writer, const char *p, size_t n,
    struct ctx_err *err);
/* The end of a record: flushes if flush_each is set. */
int ctx_writer_mark(struct ctx_writer *writer, struct ctx_err *err);
int ctx_writer_flush(struct ctx_writer *writer, struct ctx_err *err);
/* Frees memory; neither flushes nor closes the descriptor. */
void ctx_writer_release(struct ctx_writer *writer);

/* ---- io/reader.c: descriptors to records ------------------------------- */

enum ctx_record_kind {
	CTX_RECORD_JSON,  /* one JSON value */
	CTX_RECORD_BLANK, /* white space, or a BOM at the start of a file */
	CTX_RECORD_BAD,   /* no valid JSON; only with lenient */
};

/*
 * One record.  text is every byte it came with, line ending included, so
 * that the records of a stream, one behind another, are the stream.  json is
 * its scanned value (kind JSON only).  Both live until the next call.
 */
struct ctx_record {
	enum ctx_record_kind kind;
	struct ctx_str text;
	struct ctx_str value;        /* the JSON value, a piece of text */
	const struct ctx_json *json; /* scanned from value.p on */
	const char *file;            /* as named; "-" for standard input */
	uint64_t line;               /* of the value's first byte, from 1 */
};

/*
 * Reads files, one behind another, as one stream of records.  Framing is
 * found out per file from its first value: if the first line that is not
 * blank is a whole value, every line is one record; if the value goes on
 * behind that line, the file is a sequence of values, however they are laid
 * out (one document, or many pretty-printed ones), each with the white space
 * behind it up to and including a line feed.
 * Kept as they are: CRLF, BOM, blank lines, a missing last line feed (a line
 * feed is added only where another file follows).  A NUL byte is an error as
 * any other stray byte.  Lines may have any length below 4 GiB.
 */
struct ctx_reader;

/* files: n names, "-" is standard input; they must outlive the reader.
 * n 0 stands for one "-". */
int ctx_reader_open(struct ctx_reader **reader, char *const *files, size_t n,
    struct ctx_err *err);
/* Bad records are then returned with kind BAD instead of ending the stream;
 * the error is in *err all the same. */
void ctx_reader_set_lenient(struct ctx_reader *reader, bool lenient);
/* Flushes writer before the memory of earlier records is reused, so that
 * untouched records may be put there without a copy. */
void ctx_reader_tie(struct ctx_reader *reader, struct ctx_writer *writer);
/* Errors have file, line and column set. */
int ctx_reader_next(struct ctx_reader *reader, struct ctx_record *record,
    struct ctx_err *err);
void ctx_reader_close(struct ctx_reader *reader);

#endif
