/* fuzz.h - what the fuzz targets share */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdlib.h>
#include <string.h>

#include "tokenizer/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold, or the input is a finding.  Never inlined, so that a trace
 * shows which condition failed. */
#if defined(__GNUC__)
__attribute__((noinline, unused))
#endif
static void
must(bool holds)
{
	if (!holds)
		abort();
}

/* Opens two counters of a tokenizer: with the best instructions of this
 * machine, and with those that every machine has. */
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

/* Takes the next byte of an input; 0 after its end. */
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
 * memory.c: the dialect that a byte of an input chooses; NULL: it is found out.
 * A byte keeps its dialect whatever rows come to the table of dialects, so that
 * seeds and corpus keep their meaning.
 */
const struct ctx_dialect *fuzz_dialect(uint8_t choice);
/* The byte that chooses a dialect. */
uint8_t fuzz_choice(const struct ctx_dialect *dialect);

/*
 * records.c: how many bytes of an input a target whose input ends in a stream
 * takes for itself.
 */
size_t fuzz_head(const uint8_t *data, size_t size);

/*
 * memory.c: standard input is these bytes, and what is written to the
 * descriptor FUZZ_OUT is kept in fuzz_output.  How much each call transfers
 * is read from the bytes of chunks, over and over: one more than the byte says,
 * or, for 255, nothing, with EINTR.  Without chunks each call transfers all.
 */
enum { FUZZ_OUT = 900 };
extern struct ctx_buf fuzz_output;
void fuzz_input(const char *p, size_t n, const uint8_t *chunks,
    size_t n_chunks);
/* Standard input is what it was. */
void fuzz_input_end(void);

/* Does a value begin on the line where another ends?  Without the value of
 * several lines before them that cannot be read. */
bool fuzz_side_by_side(const char *p, size_t n);
/* Or else, are all records of one dialect, and what is left in out of the same?
 * Not if the record that identified the dialect is removed, nor if some lines
 * of a tree have no id, and so continue the line before them, and others have.
 * forced is NULL if the dialect is to be detected. */
bool fuzz_reads_alike(const struct ctx_dialect *forced, const char *p, size_t n,
    const struct ctx_buf *out);

#endif
