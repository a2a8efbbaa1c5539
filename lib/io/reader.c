/*
 * reader.c - splits input files into records, each with one JSON value
 *
 * One buffer contains the record that is being read, and the bytes after it
 * that were already read. ctx_reader_read_more may move the buffer, so
 * positions are offsets from the beginning of the record.
 *
 * A record is a line, or a value that may have many lines. read_line_record
 * looks for the line feed, read_value_record for the end of the value.  The
 * reader does not wait for a byte that the record does not need.  So the
 * records do not depend on how many bytes each read returns.
 */
#include <stdlib.h>
#include <string.h>

#include "io/input_buffer.h"

int
ctx_reader_open(struct ctx_reader **reader, char *const *files, size_t n,
    struct ctx_err *err)
{
	struct ctx_reader *r = calloc(1, sizeof *r);

	if (r == NULL)
		return ctx_err_nomem(err);
	r->files = files;
	r->n = n;
	r->fd = -1;
	if (ctx_buf_reserve(&r->buf, READ_MOST, err) < 0) {
		free(r);
		return -1;
	}
	ctx_json_init(&r->json, CTX_SIMD_BEST);
	*reader = r;
	return 0;
}

int
ctx_reader_open_source(struct ctx_reader **reader,
    const struct ctx_source *source, struct ctx_err *err)
{
	if (ctx_reader_open(reader, NULL, 1, err) < 0)
		return -1;
	(*reader)->source = *source;
	return 0;
}

static ssize_t
read_text(void *user, char *p, size_t n)
{
	struct ctx_str *unread = user;

	if (n > unread->n)
		n = unread->n;
	if (n > 0) {
		memcpy(p, unread->p, n);
		unread->p += n;
	}
	unread->n -= n;
	return (ssize_t)n;
}

int
ctx_reader_open_text(struct ctx_reader **reader, const char *name,
    struct ctx_str text, struct ctx_err *err)
{
	struct ctx_source source = {.name = name, .read = read_text};

	if (ctx_reader_open_source(reader, &source, err) < 0)
		return -1;
	(*reader)->unread = text;
	(*reader)->source.user = &(*reader)->unread;
	return 0;
}

void
ctx_reader_set_lenient(struct ctx_reader *reader, bool lenient)
{
	reader->lenient = lenient;
}

void
ctx_reader_set_neighbors(struct ctx_reader *reader, bool before, bool after)
{
	reader->before = before;
	reader->after = after;
}

void
ctx_reader_set_writer(struct ctx_reader *reader, struct ctx_writer *writer)
{
	reader->writer = writer;
}

void
ctx_reader_set_progress(struct ctx_reader *reader,
    void (*read)(void *user, size_t bytes), void *user)
{
	reader->on_read = read;
	reader->user = user;
}

void
ctx_record_find_place(const struct ctx_record *record, const char *byte,
    uint64_t *line, size_t *column)
{
	if (record->coded.n > 0)
		byte = record->coded.p +
		    ctx_json_string_seek(record->coded, 1,
			(size_t)(byte - record->value.p));
	*line = record->line;
	*column = (size_t)record->column + 1;
	for (const char *p = record->text.p; p < byte; p++) {
		*line += *p == '\n';
		*column = *p == '\n' ? 1 : *column + 1;
	}
}

void
ctx_reader_close(struct ctx_reader *reader)
{
	struct ctx_err err;

	if (reader == NULL)
		return;
	/* If the flush fails, the writer stores the error, and the next call of
	 * a writer function returns it. */
	if (reader->writer != NULL)
		(void)ctx_writer_flush(reader->writer, &err);
	ctx_reader_close_file(reader);
	ctx_second_pass_release(&reader->second);
	ctx_json_release(&reader->json);
	ctx_buf_release(&reader->buf);
	free(reader);
}

/* Makes the next n bytes of the buffer the current record, and returns 1. */
static int
take_record(struct ctx_reader *r, struct ctx_record *record,
    enum ctx_record_kind kind, size_t n)
{
	char *p = r->buf.p + r->from;

	record->kind = kind;
	record->file = r->name;
	record->line = r->line;
	record->column = r->column;
	record->offset = r->offset == CTX_NO_OFFSET
	    ? CTX_NO_OFFSET
	    : r->offset - bytes_ahead(r);
	/* If the last line of a file has no line feed, and the output has
	 * another file after this file, a line feed is added. */
	if (n == bytes_ahead(r) && p[n - 1] != '\n' && has_next(r)) {
		p[n++] = '\n';
		r->buf.n++;
		record->offset = CTX_NO_OFFSET;
	}
	record->text.p = p;
	record->text.n = n;
	r->from += n;
	r->last = n;
	if (r->framing == LINES) {
		r->line++;
		r->column = 0;
	} else {
		ctx_reader_advance(p, n, &r->line, &r->column);
	}
	return 1;
}

/* Makes the next n bytes of the buffer the current record.  Its JSON value was
 * already scanned. at: offset of the JSON value in the record. */
static int
take_value(struct ctx_reader *r, struct ctx_record *record, size_t at, size_t n)
{
	/* The nodes of the value contain offsets, not pointers.  So the nodes
	 * are valid even if the buffer has moved since the value was
	 * scanned. */
	r->json.text = r->buf.p + r->from + at;
	record->value = ctx_json_str(&r->json, 0);
	record->json = &r->json;
	return take_record(r, record, CTX_RECORD_JSON, n);
}

/*
 * Moves *at, an offset in the current record, to the next byte that is not a
 * space, tab or carriage return.  Returns 1, or 0 at the end of the file, or -1
 * with *err.
 */
static int
skip_blanks(struct ctx_reader *r, size_t *at, struct ctx_err *err)
{
	const char *p;
	size_t n;
	int rc;

	for (;;) {
		p = r->buf.p + r->from;
		n = bytes_ahead(r);
		while (*at < n &&
		    (p[*at] == ' ' || p[*at] == '\t' || p[*at] == '\r'))
			++*at;
		if (*at < n)
			return 1;
		rc = ctx_reader_read_more(r, err);
		if (rc <= 0)
			return rc;
	}
}

/* Finds the first line feed from the offset "at" in the current record on.
 * Sets *n to the length of the record up to and including that line feed.
 * Returns 1, or 0 if the file ends without a line feed, or -1 with *err. */
static int
find_line(struct ctx_reader *r, size_t at, size_t *n, struct ctx_err *err)
{
	const char *p, *lf;
	int rc;

	for (;;) {
		p = r->buf.p + r->from;
		*n = bytes_ahead(r);
		lf = memchr(p + at, '\n', *n - at);
		if (lf != NULL) {
			*n = (size_t)(lf - p) + 1;
			return 1;
		}
		at = *n;
		rc = ctx_reader_read_more(r, err);
		if (rc <= 0)
			return rc;
	}
}

/* Scans n bytes of the current record as a JSON value, from the offset "at" on.
 * Returns the result of ctx_json_scan. */
static int
scan_json(struct ctx_reader *r, size_t at, size_t n, size_t *used,
    struct ctx_err *err)
{
	int rc = ctx_json_scan(&r->json, r->buf.p + r->from + at, n, used, err);

	if (rc < 0 && err->column > 0)
		at += (size_t)err->column - 1;
	if (rc < 0)
		ctx_reader_locate_error(r, at, err);
	return rc;
}

/*
 * Counts the brackets in an incomplete JSON value, to detect when the last
 * bracket was read.  Each byte is examined only once.  Scanning the whole value
 * again after each read would take quadratic time.
 */
struct nest {
	size_t at; /* number of bytes of the value that were examined */
	/* number of brackets that were opened and not closed yet */
	size_t depth;
	bool string; /* true if the last examined byte is inside a string */
};

/* Skips a string of the value: moves nest->at to the byte after its closing
 * quote, or to n if the closing quote is not among the n bytes at p. */
static void
skip_string(struct nest *nest, const char *p, size_t n)
{
	const char *quote, *back;

	while (nest->string) {
		quote = memchr(p + nest->at, '"', n - nest->at);
		if (quote == NULL) {
			nest->at = n;
			return;
		}
		/* An odd number of backslashes before a quote means that the
		 * quote is escaped, and does not end the string. */
		for (back = quote; back[-1] == '\\'; back--)
			continue;
		nest->string = (quote - back) % 2 != 0;
		nest->at = (size_t)(quote - p) + 1;
	}
}

static bool
is_nest_closed(struct nest *nest, const char *p, size_t n)
{
	while (nest->at < n) {
		if (nest->string) {
			skip_string(nest, p, n);
			if (nest->depth == 0 && !nest->string)
				return true;
			continue;
		}
		switch (p[nest->at++]) {
		case '"':
			nest->string = true;
			break;
		case '{':
		case '[':
			nest->depth++;
			break;
		case '}':
		case ']':
			nest->depth -= nest->depth > 0;
			if (nest->depth == 0)
				return true;
			break;
		case ' ':
		case '\t':
		case '\r':
		case '\n':
			/* This value is a number or a word such as true, which
			 * ends at white space. */
			if (nest->depth == 0)
				return true;
			break;
		}
	}
	return false;
}

/* Handles an invalid record: the next n bytes of the buffer.  A lenient reader
 * makes these bytes the current record, and returns 1.  A strict reader returns
 * -1. */
static int
take_bad(struct ctx_reader *r, struct ctx_record *record, size_t n,
    const struct ctx_err *err)
{
	if (!r->lenient || err->code == CTX_ENOMEM)
		return -1;
	return take_record(r, record, CTX_RECORD_BAD, n);
}

/*
 * Reads until the JSON value at the offset "at" in the current record is
 * complete.  Returns 1, or 0 with *err if the value is invalid, or -1 if
 * reading fails.
 *
 * The value is scanned when its first bytes were read, when all its brackets
 * are closed, and each time four times as many bytes were read as at the last
 * scan.  So an error near the beginning is found without reading the whole
 * file.
 */
static int
read_value(struct ctx_reader *r, size_t at, struct ctx_err *err)
{
	const struct ctx_node *value;
	struct nest nest = {0};
	size_t due = 0, used, n;
	int rc;

	for (;;) {
		n = bytes_ahead(r) - at;
		if (n >= due || r->eof ||
		    is_nest_closed(&nest, r->buf.p + r->from + at, n)) {
			rc = scan_json(r, at, n, &used, err);
			if (rc < 0)
				return 0;
			value = r->json.nodes;
			/* A number, or a word such as true, may continue in
			 * bytes that were not read yet.  So it is complete only
			 * when another byte, or the end of the file, comes
			 * after it. */
			if (rc > 0 &&
			    (r->eof || value->end < n ||
				value->kind >= CTX_JSON_STRING))
				return 1;
			if (r->eof)
				break;
			due = 4 * n;
		}
		if (ctx_reader_read_more(r, err) < 0)
			return -1;
	}
	ctx_reader_report_end(r, bytes_ahead(r), err);
	return 0;
}

/*
 * Reads a JSON value as a record, with the blanks (spaces, tabs, carriage
 * returns) after it, and the next line feed, if any.  The record is complete
 * when the line feed, or another byte that is not a blank, was read.
 */
static int
read_value_record(struct ctx_reader *r, struct ctx_record *record, size_t at,
    struct ctx_err *err)
{
	struct ctx_err late;
	size_t n;
	int rc = read_value(r, at, err);

	if (rc < 0)
		return -1;
	if (rc == 0) {
		/* After an invalid value, the beginning of the next value
		 * cannot be found.  So the rest of the file is one bad
		 * record. */
		while (r->lenient && (rc = ctx_reader_read_more(r, &late)) > 0)
			continue;
		if (rc < 0)
			*err = late;
		return rc < 0 ? -1 : take_bad(r, record, bytes_ahead(r), err);
	}
	n = at + r->json.nodes[0].end;
	rc = skip_blanks(r, &n, err);
	if (rc < 0)
		return -1;
	if (rc > 0 && r->buf.p[r->from + n] == '\n')
		n++;
	return take_value(r, record, at, n);
}

/* If the first line of a file is not JSON, sets *err to an error that names the
 * format of the file, if it can be recognised. n: length of the line in bytes.
 * at: offset of the first byte that is not blank. */
static void
explain_first_line(struct ctx_reader *r, size_t at, size_t n,
    struct ctx_err *err)
{
	const char *p = r->buf.p + r->from, *what;
	struct ctx_err scanned = *err;

	if (r->line != 1 || r->framing != UNKNOWN)
		return;
	what = ctx_name_encoding(p, bytes_ahead(r));
	if (what != NULL) {
		ctx_err_set(err, CTX_EINPUT, "%s", what);
		ctx_reader_locate_error(r, 0, err);
		return;
	}
	/* A lenient reader continues after a bad line.  The file may be JSON
	 * although this line is not, so no format is guessed. */
	what = r->lenient ? NULL : ctx_guess_format(p + at, n - at);
	if (what == NULL)
		return;
	ctx_err_set(err, CTX_EINPUT, "%s; %s", scanned.text, what);
	err->file = scanned.file;
	err->line = scanned.line;
	err->column = scanned.column;
}

/*
 * Called if a line contains the beginning of a JSON value.  Returns 1 if the
 * next lines complete this value, 0 if not, or -1 with *err.  After 1, the rest
 * of the file is read as a sequence of values.
 *
 * Once this function has returned 0, it returns 0 for all later lines of the
 * file, so that no byte is scanned many times.  A strict reader does not check
 * the first value of a file, but assumes that the next lines complete it.  If
 * the value is invalid, reading it reports the error.
 */
static int
check_value_continues(struct ctx_reader *r, size_t at, struct ctx_err *err)
{
	int rc = r->framing == UNKNOWN && !r->lenient ? 1 : 0;

	if (rc == 0 && !r->torn) {
		rc = read_value(r, at, err);
		if (rc == 0 && err->code == CTX_ENOMEM)
			return -1;
		r->torn = rc == 0;
	}
	if (rc > 0)
		r->framing = VALUES;
	return rc;
}

/* Reads a line as a record. at: offset in the line at which its JSON value
 * begins. */
static int
read_line_record(struct ctx_reader *r, struct ctx_record *record, size_t at,
    struct ctx_err *err)
{
	size_t n, used;
	int rc, whole;

	whole = find_line(r, at, &n, err);
	if (whole < 0)
		return -1;
	rc = scan_json(r, at, n - at, &used, err);
	if (rc == 0 && whole && (rc = check_value_continues(r, at, err)) != 0)
		return rc < 0 ? -1 : read_value_record(r, record, at, err);
	if (rc == 0 && !whole && r->line == 1) {
		ctx_reader_report_end(r, n, err);
	} else if (rc == 0) {
		ctx_err_set(err, CTX_EINPUT, "unexpected end of %s",
		    whole ? "line" : "input");
		ctx_reader_locate_error(r, whole ? n - 1 : n, err);
	} else if (rc > 0 && used < n - at) {
		ctx_reader_report_rest(r, at + used, err);
		rc = 0;
	}
	if (rc < 0 && err->code == CTX_EINPUT)
		explain_first_line(r, at, n, err);
	if (rc <= 0)
		return take_bad(r, record, n, err);
	r->framing = LINES;
	return take_value(r, record, at, n);
}

/* Reads the byte order mark (BOM) at the beginning of a file, if there is one.
 * In the first file, the BOM becomes a record, so that it is preserved, and the
 * function returns 1.  In later files, the BOM is dropped. */
static int
take_bom(struct ctx_reader *r, struct ctx_record *record, struct ctx_err *err)
{
	static const char bom[] = "\xef\xbb\xbf";
	size_t i;
	int rc;

	for (i = 0; i < sizeof bom - 1; i++) {
		while (bytes_ahead(r) <= i)
			if ((rc = ctx_reader_read_more(r, err)) <= 0)
				return rc;
		if (r->buf.p[r->from + i] != bom[i])
			return 0;
	}
	/* take_record() must know whether the file ends after the byte order
	 * mark.  If the buffer has no byte after the mark, more bytes are
	 * read. */
	if (bytes_ahead(r) == i && ctx_reader_read_more(r, err) < 0)
		return -1;
	/* Drops the byte order mark of a later file.  Inside the stream it
	 * would be an ordinary character, which is invalid JSON. */
	if (r->next > 1 || r->before) {
		r->from += i;
		r->column += i;
		return 0;
	}
	return take_record(r, record, CTX_RECORD_BLANK, i);
}

/* Reads the next record of the open file.  Returns 1, or 0 at the end of the
 * file, or -1 with *err. */
static int
read_next_record(struct ctx_reader *r, struct ctx_record *record,
    struct ctx_err *err)
{
	size_t at = 0;
	int rc;

	if (r->fresh) {
		r->fresh = false;
		rc = take_bom(r, record, err);
		if (rc != 0)
			return rc;
	}
	rc = skip_blanks(r, &at, err);
	if (rc < 0 || (rc == 0 && at == 0))
		return rc;
	if (rc == 0)
		return take_record(r, record, CTX_RECORD_BLANK, at);
	if (r->buf.p[r->from + at] == '\n')
		return take_record(r, record, CTX_RECORD_BLANK, at + 1);
	if (r->framing == VALUES)
		return read_value_record(r, record, at, err);
	return read_line_record(r, record, at, err);
}

int
ctx_reader_next_in_file(struct ctx_reader *reader, struct ctx_record *record,
    struct ctx_err *err)
{
	struct ctx_json *json = &reader->json;
	int rc;

	memset(record, 0, sizeof *record);
	/* Frees the memory of the JSON nodes if it is large, and the last
	 * record needed only a small part of it. */
	if (json->cap > CTX_BUF_KEEP / sizeof *json->nodes &&
	    json->n < json->cap / 8) {
		ctx_json_release(json);
		ctx_json_init(json, CTX_SIMD_BEST);
	}
	rc = read_next_record(reader, record, err);
	if (rc < 0)
		ctx_reader_close_file(reader);
	return rc;
}

int
ctx_reader_next(struct ctx_reader *reader, struct ctx_record *record,
    struct ctx_err *err)
{
	int rc;

	do {
		rc = reader->fd < 0 ? ctx_reader_open_next(reader, err) : 1;
		if (rc <= 0)
			return rc;
		rc = ctx_reader_next_in_file(reader, record, err);
		if (rc == 0)
			ctx_reader_close_file(reader);
	} while (rc == 0);
	return rc;
}
