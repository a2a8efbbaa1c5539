/* second_pass.h - reads the rest of a file a second time */
#ifndef CTX_IO_SECOND_PASS_H
#define CTX_IO_SECOND_PASS_H

#include "io/io.h"

/*
 * The caller marks a record, reads the records after it up to the end of their
 * file, and calls ctx_reader_rewind.  Then it can read the same records again,
 * beginning with the marked one.
 *
 * A regular file is read again.  Another program may have changed it in the
 * meantime, so the caller must compare the records of both passes.  Bytes that
 * were appended to the file are not read.  If the input is not a regular file,
 * its bytes are copied to memory in the first pass, and freed in the second.
 */

/* Marks the record that ctx_reader_next has returned last, which must be a
 * JSON value. */
int ctx_reader_mark(struct ctx_reader *reader, const struct ctx_record *record,
    struct ctx_err *err);
/* Reads the next record of the open file.  Returns what ctx_reader_next does,
 * but 0 also at the end of this file; ctx_reader_next then opens the next. */
int ctx_reader_next_in_file(struct ctx_reader *reader,
    struct ctx_record *record, struct ctx_err *err);
/* Goes back to the marked record.  To be called at the end of the file. */
void ctx_reader_rewind(struct ctx_reader *reader);
/* Closes the open file.  The next record is the first of the next file. */
void ctx_reader_close_file(struct ctx_reader *reader);

/* Called for a record that was read a second time.  Returns true if
 * ctx_reader_read_again can read its bytes until the reader is closed, and sets
 * *at to its offset in the file, in bytes.  This is so for the lines of one
 * regular file, which is then kept open. */
bool ctx_reader_locate(struct ctx_reader *reader,
    const struct ctx_record *record, uint64_t *at);
/* Reads n bytes of the file that ctx_reader_locate has kept open, beginning at
 * the offset "at".  Sets *text to these bytes, or to fewer if the file has
 * become shorter; *text is valid until the next call. */
int ctx_reader_read_again(struct ctx_reader *reader, uint64_t at, size_t n,
    struct ctx_str *text, struct ctx_err *err);
/* Sets *err to an error that says that a record has changed between two
 * readings of its file.  Returns -1. */
int ctx_reader_fail_changed(const char *file, uint64_t line,
    struct ctx_err *err);

#endif
