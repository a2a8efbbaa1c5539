/*
 * feed.h - runs a reader with input that arrives as the test says
 *
 * The input comes through a datagram socket on standard input.  A read returns
 * exactly one datagram, so a test decides what each read returns.
 */
#ifndef FEED_H
#define FEED_H

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/io.h"
#include "tap.h"

/* ---- feeding a reader ---- */

struct feed {
	pthread_t thread;
	int fd;
	const char *p;
	size_t n;
	size_t chunk; /* number of bytes per read; 0: see split */
	/* two reads, the first of this number of bytes */
	size_t split;
	/* if not 0: each read has a random length of at most 8 bytes */
	unsigned long long random;
	bool open; /* true: the end of the file does not come */
};

static inline size_t
chunk_of(struct feed *feed, size_t done)
{
	if (feed->random != 0)
		return 1 + (size_t)(tap_random(&feed->random) >> 61);
	if (feed->chunk != 0)
		return feed->chunk;
	return done < feed->split ? feed->split - done : feed->n;
}

static inline void *
feed_chunks(void *arg)
{
	struct feed *feed = arg;
	size_t at, n;

	for (at = 0; at < feed->n; at += n) {
		n = chunk_of(feed, at);
		if (n > feed->n - at)
			n = feed->n - at;
		if (send(feed->fd, feed->p + at, n, 0) < 0)
			return NULL;
	}
	/* A read of an empty datagram returns 0, as at the end of a file. */
	if (!feed->open)
		(void)send(feed->fd, "", 0, 0);
	return NULL;
}

static inline void
set_stdin(int fd)
{
	NEED(fd > 0 && dup2(fd, 0) == 0);
	close(fd);
}

static inline void
feed_start(struct feed *feed)
{
	int fds[2];

	NEED(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) == 0);
	set_stdin(fds[0]);
	feed->fd = fds[1];
	NEED(pthread_create(&feed->thread, NULL, feed_chunks, feed) == 0);
}

static inline void
feed_stop(struct feed *feed)
{
	/* If the thread still waits in write, write fails with EPIPE. */
	set_stdin(open("/dev/null", O_RDONLY));
	NEED(pthread_join(feed->thread, NULL) == 0);
	close(feed->fd);
}

/* ---- what the reader returned ---- */

struct outcome {
	/* list of the records, in the format of the tables of the tests */
	struct ctx_buf list;
	struct ctx_buf bytes; /* texts of all records, one after another */
};

static inline void
outcome_release(struct outcome *out)
{
	ctx_buf_release(&out->list);
	ctx_buf_release(&out->bytes);
}

/* Checks that the value of a record is inside its text, and that the nodes
 * match the value. */
static inline int
is_sound(const struct ctx_record *record)
{
	const struct ctx_str *text = &record->text, *value = &record->value;

	if (record->kind != CTX_RECORD_JSON)
		return record->json == NULL && value->p == NULL;
	return value->p >= text->p && value->n > 0 &&
	    value->p + value->n <= text->p + text->n &&
	    record->json->text == value->p && record->json->n > 0 &&
	    record->json->nodes[0].at == 0 &&
	    record->json->nodes[0].end == value->n &&
	    strchr(" \t\r\n", value->p[0]) == NULL;
}

static inline void
note(struct outcome *out, const struct ctx_record *record,
    const struct ctx_err *err)
{
	struct ctx_err late;

	CHECK(is_sound(record));
	NEED(ctx_buf_printf(&out->list, &late, "%c%llu", "JBX"[record->kind],
		 (unsigned long long)record -> line) == 0);
	if (record->kind == CTX_RECORD_BAD)
		NEED(ctx_buf_printf(&out->list, &late, "!%llu:%llu",
			 (unsigned long long)err->line,
			 (unsigned long long)err->column) == 0);
	NEED(ctx_buf_add(&out->list, "<", 1, &late) == 0);
	NEED(ctx_buf_add(&out->list, record->text.p, record->text.n, &late) ==
	    0);
	NEED(ctx_buf_add(&out->list, ">", 1, &late) == 0);
	NEED(ctx_buf_add(&out->bytes, record->text.p, record->text.n, &late) ==
	    0);
}

/* Reads all records of a reader, and closes it. */
static inline void
read_open(struct ctx_reader *reader, bool passing, struct outcome *out)
{
	struct ctx_record record;
	struct ctx_err err, late;
	int rc;

	ctx_reader_set_lenient(reader, passing);
	while ((rc = ctx_reader_next(reader, &record, &err)) > 0)
		note(out, &record, &err);
	if (rc < 0)
		NEED(ctx_buf_printf(&out->list, &late, "!%llu:%llu %s",
			 (unsigned long long)err.line,
			 (unsigned long long)err.column, err.text) == 0);
	else
		CHECK(ctx_reader_next(reader, &record, &err) == 0);
	ctx_reader_close(reader);
}

static inline void
read_all(char *const *files, size_t n, bool passing, struct outcome *out)
{
	struct ctx_reader *reader;
	struct ctx_err err;

	NEED(ctx_reader_open(&reader, files, n, &err) == 0);
	read_open(reader, passing, out);
}

static inline void
read_fed(struct feed feed, bool passing, struct outcome *out)
{
	feed_start(&feed);
	read_all(NULL, 0, passing, out);
	feed_stop(&feed);
}

static inline int
same(const struct ctx_buf *a, const char *p, size_t n)
{
	return a->n == n && (n == 0 || memcmp(a->p, p, n) == 0);
}

#endif
