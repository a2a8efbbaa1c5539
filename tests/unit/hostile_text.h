/*
 * hostile_text.h - texts with parts that must not be divided (payloads, marks,
 * clusters), their sizes, and ctx-truncate for a file
 */
#ifndef HOSTILE_TEXT_H
#define HOSTILE_TEXT_H

#include <fcntl.h>
#include <unistd.h>

#include "truncate/text_segments.h"
#include "tap.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])
#define ELLIPSIS  "\xe2\x80\xa6"

static unsigned long long state = 20261121;

static inline size_t
up_to(size_t n)
{
	return (size_t)(tap_random(&state) >> 33) % n;
}

/* ---- texts ---- */

/* A text (full), the JSON literal of the text, and the text after its payloads
 * were replaced (plain). stops: the offsets in "plain" at which the text may be
 * divided. */
struct text {
	struct ctx_buf literal, full, plain;
	size_t stops[8192];
	size_t n_stops;
};

static inline void
add(struct ctx_buf *buf, const char *p, size_t n)
{
	struct ctx_err err;

	NEED(ctx_buf_add(buf, p, n, &err) == 0);
}

static inline void
add_string(struct ctx_buf *buf, const char *s)
{
	add(buf, s, strlen(s));
}

/* Writes a character without an escape, or with one of its escapes. */
static inline void
spell(struct ctx_buf *literal, uint32_t cp)
{
	struct ctx_err err;
	char utf8[4];
	bool must = cp < 0x20 || cp == '"' || cp == '\\';

	if (!must && up_to(4) != 0)
		add(literal, utf8, ctx_utf8_put(utf8, cp));
	else if (cp == '\n' && up_to(2) == 0)
		add_string(literal, "\\n");
	else if (cp == '/' && up_to(2) == 0)
		add_string(literal, "\\/");
	else if (cp < 0x10000)
		NEED(ctx_buf_printf(literal, &err, "\\u%04x", cp) == 0);
	else
		NEED(ctx_buf_printf(literal, &err, "\\u%04X\\u%04x",
			 0xd800 + ((cp - 0x10000) >> 10),
			 0xdc00 + ((cp - 0x10000) & 0x3ff)) == 0);
}

static inline void
add_spelled(struct text *text, const char *p, size_t n)
{
	size_t at, length;
	uint32_t cp;

	add(&text->full, p, n);
	for (at = 0; at < n; at += length) {
		length = ctx_utf8_next(p + at, n - at, &cp);
		spell(&text->literal, cp);
	}
}

static inline void
stop(struct text *text)
{
	NEED(text->n_stops < LENGTH(text->stops));
	text->stops[text->n_stops++] = text->plain.n;
}

/* Adds a part that must be kept or removed as a whole. */
static inline void
add_whole(struct text *text, const char *s)
{
	stop(text);
	add_spelled(text, s, strlen(s));
	add_string(&text->plain, s);
}

/* Adds base64 of n characters, in lines of "width" characters, or in one line
 * if width is 0. */
static inline void
add_payload(struct text *text, size_t n, size_t width, const char *end,
    bool one_line_stays)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkl"
				     "mnopqrstuvwxyz0123456789+/";
	struct ctx_buf payload = {0};
	struct ctx_err err;
	char c;
	size_t i;

	for (i = 0; i < n; i++) {
		if (width > 0 && i > 0 && i % width == 0)
			add_string(&payload, end);
		/* The payload has characters of all kinds, whatever the random
		 * numbers are. */
		c = i < 3 ? "Aa1"[i] : digits[up_to(64)];
		add(&payload, &c, 1);
	}
	stop(text);
	add_spelled(text, payload.p, payload.n);
	if (one_line_stays && width == 0)
		add(&text->plain, payload.p, payload.n);
	else
		NEED(ctx_buf_printf(&text->plain, &err,
			 "[" ELLIPSIS " %zu characters of base64 " ELLIPSIS "]",
			 payload.n) == 0);
	ctx_buf_release(&payload);
}

static const char *const wholes[] = {
    /* grapheme clusters */
    "a",
    "b",
    " ",
    "7",
    "]",
    "[",
    "\"",
    "\\",
    "/",
    "\t",
    "\n",
    "\r\n",
    "\xc3\xa9",
    "e\xcc\x81\xcc\x81\xcc\xa7",
    "\xe4\xb8\xad",
    "\xe2\x80\xa8",
    "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7",
    "\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa",
    "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab",
    "\xe0\xa4\x95\xe0\xa5\x8d\xe0\xa4\xb7\xe0\xa4\xbf",
    "\xe0\xb8\x81\xe0\xb8\xb4\xe0\xb9\x88",
    "\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd",
    /* marks inserted by ctx */
    "[" ELLIPSIS " 12345 characters truncated " ELLIPSIS "]",
    "[" ELLIPSIS " 9 tokens truncated " ELLIPSIS "]",
    "[" ELLIPSIS " 400 characters of base64 " ELLIPSIS "]",
};

static inline void
clear(struct text *text)
{
	text->literal.n = text->full.n = text->plain.n = 0;
	text->n_stops = 0;
}

/* Makes a text with this number of parts. lines: true if payloads of one line
 * are kept. */
static inline void
make(struct text *text, size_t pieces, bool lines)
{
	size_t i, which;

	clear(text);
	add_string(&text->literal, "\"");
	for (i = 0; i < pieces; i++) {
		which = up_to(LENGTH(wholes) + 3);
		if (which < LENGTH(wholes)) {
			/* Two flags or two line breaks must not be next to each
			 * other, because they would be one part. */
			add_whole(text, wholes[which]);
			if ((unsigned char)wholes[which][0] >= 0x80 ||
			    wholes[which][0] < ' ')
				add_whole(text, ".");
			continue;
		}
		if (up_to(8) != 0)
			continue;
		add_whole(text, ":");
		if (which == LENGTH(wholes))
			add_payload(text, 256 + up_to(300), 0, "", lines);
		else
			add_payload(text, 76 * (4 + up_to(6)) + 4 * up_to(19),
			    76, which % 2 ? "\n" : "\r\n", lines);
		add_whole(text, "\n");
		add_whole(text, ".");
	}
	stop(text);
	add_string(&text->literal, "\"");
}

/* ---- sizes ---- */

struct sizes {
	struct ctx_model_counters counters;
	struct ctx_model_counter model_counter;
};

static inline uint64_t
size_of(struct sizes *sizes, enum ctx_size unit, const char *p, size_t n)
{
	struct ctx_err err;
	uint64_t size = 0;
	size_t i;

	switch (unit) {
	case CTX_SIZE_CHARS:
		return ctx_utf8_count(p, n);
	case CTX_SIZE_BYTES:
		return n;
	case CTX_SIZE_TOKENS:
		NEED(ctx_token_count(sizes->model_counter.counter->tokens, p, n,
			 &size, &err) == 0);
		return ctx_tokens_to_model(sizes->model_counter.counter, size);
	case CTX_SIZE_LINES:
		for (i = 0; i < n; i++)
			size += p[i] == '\n';
		return size + (n > 0 && p[n - 1] != '\n');
	}
	return 0;
}

/* ---- running ctx-truncate ---- */

static char in_name[64], out_name[64];

static inline void
write_file(const char *name, const char *p, size_t n)
{
	FILE *file;

	/* Some file systems write to disk at once if a file is overwritten.  So
	 * the old file is removed. */
	(void)unlink(name);
	file = fopen(name, "w");
	NEED(file != NULL && fwrite(p, 1, n, file) == n && fclose(file) == 0);
}

static inline void
read_file(const char *name, struct ctx_buf *out)
{
	FILE *file = fopen(name, "r");
	struct ctx_err err;
	size_t n = 1;

	NEED(file != NULL);
	for (out->n = 0; n > 0; out->n += n) {
		NEED(ctx_buf_reserve(out, 65536, &err) == 0);
		n = fread(out->p + out->n, 1, 65536, file);
	}
	NEED(fclose(file) == 0);
}

static inline void
open_stream(struct ctx_stream *stream, char *name,
    const struct ctx_dialect *dialect)
{
	static char *names[1]; /* used by the reader while it reads */
	struct ctx_err err;

	memset(stream, 0, sizeof *stream);
	stream->forced = dialect;
	names[0] = name;
	NEED(ctx_reader_open(&stream->reader, names, 1, &err) == 0);
}

static inline void
close_stream(struct ctx_stream *stream)
{
	ctx_reader_close(stream->reader);
	ctx_stream_release(stream);
}

/* Shortens the text "in".  The result is "out". */
static inline void
truncate_text(struct sizes *sizes, struct ctx_truncate_config *options,
    const struct ctx_dialect *dialect, const struct ctx_buf *in,
    struct ctx_buf *out)
{
	struct ctx_truncate_counts counts;
	struct ctx_stream stream;
	struct ctx_writer writer;
	struct ctx_err err;
	int fd;

	(void)unlink(out_name);
	fd = open(out_name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	NEED(fd >= 0);
	write_file(in_name, in->p, in->n);
	open_stream(&stream, in_name, dialect);
	ctx_writer_init(&writer, fd);
	ctx_reader_set_writer(stream.reader, &writer);
	if (ctx_truncate_stream(&stream, &writer, &sizes->counters, options,
		&counts, &err) < 0) {
		printf("# %s\n", err.text);
		CHECK(0);
	}
	CHECK(ctx_writer_flush(&writer, &err) == 0);
	CHECK(close(writer.fd) == 0);
	ctx_writer_release(&writer);
	close_stream(&stream);
	read_file(out_name, out);
}

static inline void
choose_encoding(struct sizes *sizes, const char *name)
{
	struct ctx_err err;

	sizes->counters.encoding = name;
	NEED(
	    ctx_model_counters_find(&sizes->counters, (struct ctx_str){NULL, 0},
		NULL, &sizes->model_counter, &err) == 0);
}

/* Chooses the names of the files in_name and out_name. */
static inline void
name_files(void)
{
	const char *tmp = getenv("TMPDIR");

	(void)snprintf(in_name, sizeof in_name, "%.30s/ctx-in-%ld",
	    tmp != NULL ? tmp : "/tmp", (long)getpid());
	(void)snprintf(out_name, sizeof out_name, "%.30s/ctx-out-%ld",
	    tmp != NULL ? tmp : "/tmp", (long)getpid());
}

/* Removes the files, and frees the token counters. */
static inline void
finish(struct sizes *sizes)
{
	ctx_model_counters_release(&sizes->counters);
	unlink(in_name);
	unlink(out_name);
}

#endif
