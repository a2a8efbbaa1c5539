/* fuzz.h - declarations shared by the fuzz targets */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdlib.h>
#include <string.h>

#include "tokenizer/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts if a condition is false: then the input is a finding of the fuzzer.
 * Never inlined, so that a stack trace shows which condition is false. */
#if defined(__GNUC__)
__attribute__((noinline, unused))
#endif
static void
must(bool holds)
{
	if (!holds)
		abort();
}

/* Opens two counters of a tokenizer: one with the best instruction set of this
 * machine, and one with the instructions that every machine has. */
static inline void
fuzz_open_counters(struct ctx_token_counter *counters[2],
    const struct ctx_tokenizer *tokenizer)
{
	struct ctx_err err;

	must(ctx_token_counter_open(&counters[0], tokenizer, CTX_SIMD_BEST,
		 &err) == 0);
	must(ctx_token_counter_open(&counters[1], tokenizer, CTX_SIMD_PORTABLE,
		 &err) == 0);
}

/* Returns the next byte of an input, or 0 after its end. */
static inline uint8_t
fuzz_byte(const uint8_t **data, size_t *size)
{
	if (*size == 0)
		return 0;
	--*size;
	return *(*data)++;
}

static inline bool
fuzz_same(const char *a, size_t a_n, const char *b, size_t b_n)
{
	return a_n == b_n && (a_n == 0 || memcmp(a, b, a_n) == 0);
}

/*
 * memory.c: returns the dialect that a byte of an input chooses, or NULL if the
 * dialect must be detected.  The dialect of a byte never changes, even if the
 * table of dialects gets new rows, so that the seeds and the corpus remain
 * valid.
 */
const struct ctx_dialect *fuzz_dialect(uint8_t choice);
/* Returns the byte that chooses a dialect. */
uint8_t fuzz_choice(const struct ctx_dialect *dialect);

/*
 * records.c: returns the number of bytes at the beginning of an input that the
 * target reads itself; the stream comes after them.
 */
size_t fuzz_head(const uint8_t *data, size_t size);

/*
 * memory.c: makes these n bytes the standard input.  Stores everything that is
 * written to the descriptor FUZZ_OUT in fuzz_output.  The array "chunks" is
 * used again and again: each byte says how many bytes the next call transfers,
 * minus 1.  For 255 the call fails with EINTR.  Without chunks, each call
 * transfers all bytes.
 */
enum { FUZZ_OUT = 900 };
extern struct ctx_buf fuzz_output;
void fuzz_input(const char *p, size_t n, const uint8_t *chunks,
    size_t n_chunks);
/* Restores standard input. */
void fuzz_input_end(void);

/* Returns true if a value begins on the line on which another value ends.
 * Ignores values of several lines before them that cannot be read. */
bool fuzz_side_by_side(const char *p, size_t n);
/* Returns true if all records have one dialect, and the records in out have the
 * same dialect.  Returns false if the record that identifies the dialect is not
 * in out.  Also returns false if some lines of a tree have an id and others do
 * not: a line without an id continues the line before it. forced: NULL if the
 * dialect must be detected. */
bool fuzz_reads_alike(const struct ctx_dialect *forced, const char *p, size_t n,
    const struct ctx_buf *out);

#endif
