/*
 * second_pass.c - reads the rest of an input file a second time
 *
 * The second pass uses pread(2), which does not change the offset of the
 * descriptor.  Another process may share this offset.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vector.h"
#include "io/input_buffer.h"

/* Appends bytes to the copy of the input. */
static int
copy_input(struct second_pass *second, const char *p, size_t n,
    struct ctx_err *err)
{
	struct input_copy *copy = second->last;
	size_t part;

	for (; n > 0; p += part, n -= part) {
		if (copy == NULL || copy->n == sizeof copy->bytes) {
			copy = malloc(sizeof *copy);
			if (copy == NULL)
				return ctx_err_nomem(err);
			copy->next = NULL;
			copy->n = copy->used = 0;
			if (second->last == NULL)
				second->first = copy;
			else
				second->last->next = copy;
			second->last = copy;
		}
		part = sizeof copy->bytes - copy->n;
		if (part > n)
			part = n;
		memcpy(copy->bytes + copy->n, p, part);
		copy->n += part;
	}
	return 0;
}

static void
free_first_copy(struct second_pass *second)
{
	struct input_copy *copy = second->first;

	second->first = copy->next;
	if (second->first == NULL)
		second->last = NULL;
	free(copy);
}

static size_t
read_copy(struct second_pass *second, char *p, size_t n)
{
	struct input_copy *copy = second->first;

	if (copy == NULL)
		return 0;
	if (n > copy->n - copy->used)
		n = copy->n - copy->used;
	memcpy(p, copy->bytes + copy->used, n);
	copy->used += n;
	if (copy->used == copy->n)
		free_first_copy(second);
	return n;
}

int
ctx_reader_mark(struct ctx_reader *reader, const struct ctx_record *record,
    struct ctx_err *err)
{
	struct second_pass *second = &reader->second;
	size_t n = record->text.n + bytes_ahead(reader);

	second->pass = PASS_FIRST;
	second->line = record->line;
	second->framing = reader->framing;
	second->torn = reader->torn;
	/* At the end of the file, the buffer may contain a line feed that is
	 * not in the file.  Then the offset in the file cannot be computed from
	 * the number of bytes in the buffer (n). */
	second->rereads_file = !reader->eof && reader->offset != CTX_NO_OFFSET;
	second->begin = reader->offset - n;
	return second->rereads_file
	    ? 0
	    : copy_input(second, record->text.p, n, err);
}

int
ctx_second_pass_add(struct second_pass *second, const char *p, size_t n,
    struct ctx_err *err)
{
	if (second->pass != PASS_FIRST || second->rereads_file)
		return 0;
	return copy_input(second, p, n, err);
}

void
ctx_reader_rewind(struct ctx_reader *reader)
{
	struct second_pass *second = &reader->second;

	second->pass = PASS_SECOND;
	second->end = reader->offset;
	reader->offset = second->rereads_file ? second->begin : CTX_NO_OFFSET;
	reader->from = reader->buf.n;
	reader->eof = false;
	reader->line = second->line;
	reader->column = 0;
	reader->framing = second->framing;
	reader->torn = second->torn;
}

/* Calls pread(2), and repeats the call if a signal interrupts it. */
static ssize_t
read_at(int fd, char *p, size_t n, uint64_t at)
{
	ssize_t got;

	do
		got = n == 0 ? 0 : pread(fd, p, n, (off_t)at);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t
ctx_second_pass_read(struct ctx_reader *r, char *p, size_t n)
{
	struct second_pass *second = &r->second;

	if (!second->rereads_file)
		return (ssize_t)read_copy(second, p, n);
	if (n > second->end - r->offset)
		n = (size_t)(second->end - r->offset);
	return read_at(r->fd, p, n, r->offset);
}

void
ctx_second_pass_end(struct second_pass *second)
{
	while (second->first != NULL)
		free_first_copy(second);
	second->pass = PASS_ONLY;
}

void
ctx_second_pass_release(struct second_pass *second)
{
	if (second->kept_file != NULL)
		(void)close(second->kept);
	ctx_buf_release(&second->again);
}

/* ---- reading records again later ---- */

/* Adds the 8 bytes at p to a checksum.  If two sequences of 8 bytes differ,
 * adding them to the same checksum gives different checksums. */
INLINE uint64_t
add_word(uint64_t sum, const char *p)
{
	sum = (sum ^ load_word(p)) * UINT64_C(0x9e3779b97f4a7c15);
	return sum << 31 | sum >> 33;
}

uint32_t
ctx_sum_text(struct ctx_str text)
{
	uint64_t even = text.n, odd = 1;
	char rest[16] = {0};

	for (; text.n >= 16; text.p += 16, text.n -= 16) {
		even = add_word(even, text.p);
		odd = add_word(odd, text.p + 8);
	}
	memcpy(rest, text.p, text.n);
	even = add_word(even, rest);
	odd = add_word(odd, rest + 8);
	return (uint32_t)((even ^ odd << 1 ^ odd >> 63) >> 32);
}

bool
ctx_reader_keep_file(struct ctx_reader *reader, const struct ctx_record *record)
{
	struct second_pass *second = &reader->second;

	if (record->offset == CTX_NO_OFFSET || record->text.n == 0)
		return false;
	/* Only one file can be kept open, because a process can have only a few
	 * hundred open files. */
	if (second->kept_file == NULL && reader->fd >= 0 &&
	    reader->name == record->file) {
		second->kept = fcntl(reader->fd, F_DUPFD_CLOEXEC, 0);
		if (second->kept >= 0)
			second->kept_file = record->file;
	}
	return second->kept_file == record->file;
}

/* Reads bytes of the file that is kept open into second->again, from the offset
 * "at" on: at least n bytes, unless the file ends before. */
static int
fill_again(struct second_pass *second, uint64_t at, size_t n,
    struct ctx_err *err)
{
	struct ctx_buf *again = &second->again;
	size_t most = n > READ_MOST ? n : READ_MOST;
	ssize_t got;

	ctx_buf_reset(again);
	second->again_at = at;
	if (ctx_buf_reserve(again, most, err) < 0)
		return -1;
	do {
		got = read_at(second->kept, again->p + again->n,
		    most - again->n, at + again->n);
		if (got < 0)
			return ctx_err_read(err, errno);
		again->n += (size_t)got;
	} while (got > 0 && again->n < n);
	return 0;
}

int
ctx_reader_read_again(struct ctx_reader *reader,
    const struct ctx_record_place *place, struct ctx_str *text,
    struct ctx_err *err)
{
	struct second_pass *second = &reader->second;
	struct ctx_buf *again = &second->again;
	uint64_t at = place->offset;

	if ((at < second->again_at ||
		at - second->again_at + place->n > again->n) &&
	    fill_again(second, at, place->n, err) < 0)
		return -1;
	at -= second->again_at;
	*text = (struct ctx_str){again->p + at, place->n};
	return again->n - (size_t)at >= place->n &&
	    ctx_sum_text(*text) == place->checksum;
}

int
ctx_reader_fail_changed(const char *file, uint64_t line, struct ctx_err *err)
{
	ctx_err_set(err, CTX_ESYS,
	    "the file changed while it was read; run the command again, or on "
	    "a copy of the file");
	err->file = file;
	err->line = line;
	return -1;
}
