/* second_pass.h - reads the rest of an input file a second time */
#ifndef CTX_IO_SECOND_PASS_H
#define CTX_IO_SECOND_PASS_H

#include "io/io.h"

/*
 * The caller marks a record, reads the records after it up to the end of their
 * file, and calls ctx_reader_rewind.  Then the reader returns the same records
 * again, beginning with the marked one.
 *
 * A regular file is read again.  Another program may have changed it meanwhile,
 * so the caller must compare the records of both passes.  Bytes that were
 * appended to the file are not read.  If the input is not a regular file, its
 * bytes are copied to memory in the first pass, and freed in the second.
 */

/* Marks the record that ctx_reader_next has returned last as the beginning of
 * the part that is read twice.  The record must be a JSON value. */
int ctx_reader_mark(struct ctx_reader *reader, const struct ctx_record *record,
    struct ctx_err *err);
/* Reads the next record of the open file.  Returns the same values as
 * ctx_reader_next, except that it also returns 0 at the end of this file.
 * ctx_reader_next then opens the next file. */
int ctx_reader_next_in_file(struct ctx_reader *reader,
    struct ctx_record *record, struct ctx_err *err);
/* Makes the reader return the marked record next.  Called at the end of the
 * file. */
void ctx_reader_rewind(struct ctx_reader *reader);
/* Closes the open file.  The next record that is read will be the first one of
 * the next file. */
void ctx_reader_close_file(struct ctx_reader *reader);

/* Where a record is in its file, so that it can be read again. */
struct ctx_record_place {
	uint64_t offset;   /* offset of the record in the file, in bytes */
	uint32_t n;        /* length of the record in bytes, at least 1 */
	uint32_t checksum; /* checksum of the record's bytes (ctx_sum_text) */
};
/* Returns a checksum of a text, to detect a change of the text.  Faster than
 * ctx_hash, but does not detect a change that was made on purpose such that the
 * checksum remains the same. */
uint32_t ctx_sum_text(struct ctx_str text);
/* Keeps the file of a record open until the reader is closed, so that
 * ctx_reader_read_again can read the record again.  Returns false if this is
 * not possible.  It is possible for the records of only one file, which must be
 * a regular file. */
bool ctx_reader_keep_file(struct ctx_reader *reader,
    const struct ctx_record *record);
/* Reads a record again for which ctx_reader_keep_file has returned true.
 * Returns 1 and sets *text, which is valid until the next call.  Returns 0 if
 * these bytes of the file have changed, or -1 with *err. */
int ctx_reader_read_again(struct ctx_reader *reader,
    const struct ctx_record_place *place, struct ctx_str *text,
    struct ctx_err *err);
/* Sets *err to the error that a record has changed between two readings of its
 * file.  Returns -1. */
int ctx_reader_fail_changed(const char *file, uint64_t line,
    struct ctx_err *err);

#endif
