/* writer.c - tests the writer: what it writes, in what order, in how many calls
 * of write; and its errors */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/io.h"
#include "tap.h"

/* A datagram socket, which keeps the bytes of each write separate. */
struct sink {
	int in, out;
};

static struct sink
sink_open(void)
{
	int fds[2];

	NEED(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) == 0);
	NEED(fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0);
	return (struct sink){fds[0], fds[1]};
}

/* Returns true if the next write has written this text.  NULL: no write. */
static bool
sink_got(struct sink *sink, const char *text)
{
	char got[64];
	ssize_t n = recv(sink->in, got, sizeof got, 0);

	if (text == NULL)
		return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
	return n == (ssize_t)strlen(text) && memcmp(got, text, (size_t)n) == 0;
}

static void
sink_close(struct sink *sink)
{
	close(sink->in);
	close(sink->out);
}

static void
runs(void)
{
	static const char text[] = "one two three four";
	struct sink sink = sink_open();
	struct ctx_writer writer;
	struct ctx_err err;

	ctx_writer_init(&writer, sink.out);
	tap_case("adjacent pieces are written with one call");
	CHECK(ctx_writer_put(&writer, text, 4, &err) == 0);
	CHECK(ctx_writer_end_record(&writer, &err) == 0);
	CHECK(ctx_writer_put(&writer, text + 4, 4, &err) == 0);
	CHECK(ctx_writer_put(&writer, text + 8, 0, &err) == 0);
	CHECK(ctx_writer_put(&writer, text + 8, 6, &err) == 0);
	CHECK(writer.copied.n == 0 && writer.written == 0);
	CHECK(sink_got(&sink, NULL));
	CHECK(ctx_writer_flush(&writer, &err) == 0);
	CHECK(sink_got(&sink, "one two three "));
	CHECK(ctx_writer_flush(&writer, &err) == 0);
	CHECK(sink_got(&sink, NULL) && writer.written == 14);

	tap_case("gaps and copies keep the order");
	CHECK(ctx_writer_put(&writer, text, 4, &err) == 0);
	CHECK(ctx_writer_put(&writer, text + 8, 6, &err) == 0);
	CHECK(ctx_writer_copy(&writer, "[x]", 3, &err) == 0);
	CHECK(ctx_writer_put(&writer, text + 14, 4, &err) == 0);
	CHECK(ctx_writer_put(&writer, text, 3, &err) == 0);
	CHECK(sink_got(&sink, NULL));
	CHECK(ctx_writer_flush(&writer, &err) == 0);
	CHECK(sink_got(&sink, "one three [x]fourone"));

	tap_case("flush_each writes every record by itself");
	writer.flush_each = true;
	CHECK(ctx_writer_put(&writer, text, 4, &err) == 0);
	CHECK(ctx_writer_end_record(&writer, &err) == 0);
	CHECK(ctx_writer_copy(&writer, "[x]", 3, &err) == 0);
	CHECK(ctx_writer_put(&writer, text + 4, 4, &err) == 0);
	CHECK(ctx_writer_end_record(&writer, &err) == 0);
	CHECK(sink_got(&sink, "one "));
	CHECK(sink_got(&sink, "[x]two "));
	ctx_writer_release(&writer);
	ctx_writer_release(&writer);
	sink_close(&sink);
}

/* ---- against a slow reader --------------------------------------------- */

#define MUCH ((size_t)3 << 20)

/* Reads everything in small parts, and interrupts the writer after each
 * part. */
struct drain {
	pthread_t thread, writer;
	int fd;
	struct ctx_buf got;
};

static void *
drain_all(void *arg)
{
	struct drain *drain = arg;
	struct ctx_err err;
	char piece[3000];
	ssize_t n;

	while ((n = read(drain->fd, piece, sizeof piece)) > 0)
		NEED(ctx_buf_add(&drain->got, piece, (size_t)n, &err) == 0 &&
		    pthread_kill(drain->writer, SIGUSR1) == 0);
	NEED(n == 0);
	close(drain->fd);
	return NULL;
}

/* Writes parts of random sizes with both functions of the writer, some parts
 * without a gap between them. */
static void
write_pieces(struct ctx_writer *writer, const char *text, struct ctx_buf *want)
{
	unsigned long long state = 7;
	struct ctx_buf piece = {0};
	struct ctx_err err;
	size_t at = 0, n;

	while (want->n < MUCH) {
		n = (size_t)(tap_random(&state) >> (45 + state % 19));
		if (state % 3 == 0)
			at = (size_t)(tap_random(&state) % MUCH);
		if (n > MUCH - at)
			n = MUCH - at;
		NEED(ctx_buf_add(want, text + at, n, &err) == 0);
		if (state % 5 < 3) {
			CHECK(ctx_writer_put(writer, text + at, n, &err) == 0);
		} else {
			/* A copied part may be changed after the call. */
			piece.n = 0;
			NEED(ctx_buf_add(&piece, text + at, n, &err) == 0);
			CHECK(ctx_writer_copy(writer, piece.p, n, &err) == 0);
			if (n > 0)
				memset(piece.p, 0, n);
		}
		at = (at + n) % MUCH;
	}
	ctx_buf_release(&piece);
}

static void
slow_reader(int flags)
{
	struct ctx_buf want = {0};
	struct drain drain = {0};
	struct ctx_writer writer;
	struct ctx_err err;
	unsigned long long state = 3;
	char *text = malloc(MUCH);
	int fds[2];
	size_t i;

	NEED(text != NULL && pipe(fds) == 0);
	NEED(fcntl(fds[1], F_SETFL, flags) == 0);
	for (i = 0; i < MUCH; i++)
		text[i] = (char)tap_random(&state);
	drain.fd = fds[0];
	drain.writer = pthread_self();
	NEED(pthread_create(&drain.thread, NULL, drain_all, &drain) == 0);
	ctx_writer_init(&writer, fds[1]);
	write_pieces(&writer, text, &want);
	CHECK(writer.copied.cap < (size_t)1 << 20);
	CHECK(ctx_writer_flush(&writer, &err) == 0);
	CHECK(close(fds[1]) == 0);
	NEED(pthread_join(drain.thread, NULL) == 0);
	CHECK(writer.written == want.n && drain.got.n == want.n);
	CHECK(
	    drain.got.n == want.n && memcmp(drain.got.p, want.p, want.n) == 0);
	ctx_writer_release(&writer);
	ctx_buf_release(&drain.got);
	ctx_buf_release(&want);
	free(text);
}

/* ---- failing ----------------------------------------------------------- */

/* After the first failed call, every call must return the same error. */
static void
stays_failed(struct ctx_writer *writer, enum ctx_code code, int sys)
{
	struct ctx_err err = {0};

	CHECK(ctx_writer_put(writer, "x", 1, &err) == -1);
	CHECK(err.code == code && err.sys == sys);
	memset(&err, 0, sizeof err);
	CHECK(ctx_writer_copy(writer, "x", 1, &err) == -1);
	CHECK(err.code == code && err.sys == sys);
	memset(&err, 0, sizeof err);
	CHECK(ctx_writer_end_record(writer, &err) == -1);
	CHECK(err.code == code && err.sys == sys);
	memset(&err, 0, sizeof err);
	CHECK(ctx_writer_flush(writer, &err) == -1);
	CHECK(err.code == code && err.sys == sys);
}

static int
count_bytes(void *user, const char *p, size_t n)
{
	(void)p;
	*(size_t *)user += n;
	return 0;
}

static void
many_copies(void)
{
	struct ctx_writer writer;
	struct ctx_err err;
	size_t n, got = 0;

	tap_case("short copies are written before they fill the memory");
	ctx_writer_init_callback(&writer, count_bytes, &got);
	for (n = 0; n < MUCH; n += 3)
		NEED(ctx_writer_copy(&writer, "[x]", 3, &err) == 0);
	CHECK(got == writer.written && n - got < MUCH / 10);
	CHECK(ctx_writer_flush(&writer, &err) == 0 && got == n);
	ctx_writer_release(&writer);
}

static void
reader_gone(void)
{
	struct ctx_writer writer;
	struct ctx_err err;
	int fds[2];

	tap_case("a closed pipe is CTX_EPIPE");
	NEED(pipe(fds) == 0);
	close(fds[0]);
	ctx_writer_init(&writer, fds[1]);
	CHECK(ctx_writer_put(&writer, "x", 1, &err) == 0);
	CHECK(ctx_writer_flush(&writer, &err) == -1);
	CHECK(err.code == CTX_EPIPE && err.sys == 0);
	stays_failed(&writer, CTX_EPIPE, 0);
	close(fds[1]);
	ctx_writer_release(&writer);
}

static void
bad_descriptor(void)
{
	struct ctx_writer writer;
	struct ctx_err err;
	int fd = open("/dev/null", O_WRONLY);

	tap_case("a descriptor that cannot be written to is an error");
	NEED(fd >= 0 && close(fd) == 0);
	ctx_writer_init(&writer, fd);
	CHECK(ctx_writer_copy(&writer, "x", 1, &err) == 0);
	CHECK(ctx_writer_flush(&writer, &err) == -1);
	CHECK(err.code == CTX_ESYS && err.sys == EBADF && err.file == NULL);
	CHECK(strstr(err.text, "cannot write: ") == err.text);
	stays_failed(&writer, CTX_ESYS, EBADF);
	CHECK(writer.written == 0);
	ctx_writer_release(&writer);
	tap_case("an unwritable descriptor without output is no error");
	ctx_writer_init(&writer, fd);
	CHECK(ctx_writer_flush(&writer, &err) == 0);
	ctx_writer_release(&writer);
}

static void
full_device(void)
{
	struct ctx_writer writer;
	struct ctx_err err;
	int fd = open("/dev/full", O_WRONLY);

	/* On a system without such a device, only the case above is tested. */
	if (fd < 0)
		return;
	tap_case("a full device is an error at the flush at the latest");
	ctx_writer_init(&writer, fd);
	CHECK(ctx_writer_put(&writer, "x", 1, &err) == 0);
	CHECK(ctx_writer_end_record(&writer, &err) == 0);
	CHECK(ctx_writer_flush(&writer, &err) == -1);
	CHECK(err.code == CTX_ESYS && err.sys == ENOSPC);
	stays_failed(&writer, CTX_ESYS, ENOSPC);
	close(fd);
	ctx_writer_release(&writer);
}

static void
interrupt(int sig)
{
	(void)sig;
}

int
main(void)
{
	/* Without SA_RESTART, system calls end with EINTR, or transfer only a
	 * part. */
	struct sigaction action = {.sa_handler = interrupt};

	signal(SIGPIPE, SIG_IGN);
	NEED(sigaction(SIGUSR1, &action, NULL) == 0);
	runs();
	tap_case("a slow reader gets every byte in order, with signals or not");
	slow_reader(0);
	tap_case("a slow non-blocking reader gets every byte in order");
	slow_reader(O_NONBLOCK);
	many_copies();
	reader_gone();
	bad_descriptor();
	full_device();
	return tap_done();
}
