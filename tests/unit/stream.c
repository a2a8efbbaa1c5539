/* stream.c - tests endless, slow and very long input, and input that a writer
 * copies */
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "feed.h"

static void
expect(struct ctx_reader *reader, const char *text)
{
	struct ctx_record record;
	struct ctx_err err;

	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(record.text.n == strlen(text) &&
	    memcmp(record.text.p, text, record.text.n) == 0);
}

/*
 * Feeds n records byte by byte, without an end of the file.  If the reader
 * waited for more bytes, it would wait until the alarm.
 */
static void
live_some(const char *const *records, size_t n)
{
	struct ctx_buf text = {0};
	struct feed feed = {.chunk = 1, .open = true};
	struct ctx_reader *reader;
	struct ctx_err err;
	size_t i;

	for (i = 0; i < n; i++)
		NEED(ctx_buf_add(&text, records[i], strlen(records[i]), &err) ==
		    0);
	feed.p = text.p;
	feed.n = text.n;
	feed_start(&feed);
	NEED(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	for (i = 0; i < n; i++)
		expect(reader, records[i]);
	ctx_reader_close(reader);
	feed_stop(&feed);
	ctx_buf_release(&text);
}

static void
live(const char *const *records)
{
	size_t n;

	alarm(60);
	for (n = 1; records[n - 1] != NULL; n++)
		/* After a last byte that is not a line feed, the reader must
		 * wait for more bytes. */
		if (records[n - 1][strlen(records[n - 1]) - 1] == '\n')
			live_some(records, n);
	alarm(0);
}

static void
live_lines(void)
{
	static const char *const lines[] = {"\n", "{}\n", " 1 \r\n", "\t\n",
	    "\"a\\\"\"\n", NULL};

	tap_case("a line is returned when its line feed has come");
	live(lines);
}

static void
live_values(void)
{
	static const char *const values[] = {"[\n1\n]\n", "\n", "[\n] ",
	    "12345\n", "\"[\\\\\" ", "{\"a\\\"]\\\\\": [\"}\\\\\\\"\", 2]}\n",
	    "[\"\\\\\", \"[\"]\n", "-1.5e10\r\n", "false\n",
	    "[[[[\"\"]]], {}]\n", "12 ", "{}", "[]\n", NULL};

	tap_case("a value is returned when its line feed or the next value has "
		 "come");
	live(values);
}

static void
say(int fd, const char *text)
{
	NEED(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static void
tied(void)
{
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_writer writer;
	struct ctx_err err;
	int in[2], out[2];

	tap_case(
	    "a writer set in the reader is flushed before the reader waits");
	NEED(pipe(in) == 0 && pipe(out) == 0);
	set_stdin(in[0]);
	ctx_writer_init(&writer, out[1]);
	NEED(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	ctx_reader_set_writer(reader, &writer);
	say(in[1], "1\n");
	expect(reader, "1\n");
	CHECK(ctx_writer_put(&writer, "kept", 4, &err) == 0);
	say(in[1], "2\n3\n");
	expect(reader, "2\n");
	CHECK(writer.written == 4);
	CHECK(ctx_writer_put(&writer, "kept", 4, &err) == 0);
	expect(reader, "3\n");
	CHECK(writer.written == 4);
	tap_case("a writer set in the reader is flushed before the reader's "
		 "memory is freed");
	ctx_reader_close(reader);
	CHECK(writer.written == 8);

	tap_case("a writer that fails ends the reading");
	NEED(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	ctx_reader_set_writer(reader, &writer);
	close(out[0]);
	CHECK(ctx_writer_put(&writer, "kept", 4, &err) == 0);
	say(in[1], "4\n");
	CHECK(ctx_reader_next(reader, &record, &err) == -1);
	CHECK(err.code == CTX_EPIPE && err.file == NULL);
	ctx_reader_close(reader);
	ctx_writer_release(&writer);
	close(in[1]);
	close(out[1]);
}

struct slow {
	pthread_t thread, reader;
	int fd;
};

static void *
feed_slowly(void *arg)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	const struct slow *slow = arg;
	int i;

	for (i = 0; i < 60; i++) {
		NEED(pthread_kill(slow->reader, SIGUSR1) == 0);
		nanosleep(&pause, NULL);
		if (write(slow->fd, &"{\"a\":\"b\"}\n"[i % 10], 1) != 1)
			return NULL;
	}
	close(slow->fd);
	return NULL;
}

static void
interrupt(int sig)
{
	(void)sig;
}

/* Tests input byte by byte with signals, which interrupt a read if SA_RESTART
 * is not set. */
static void
slow_input(int flags)
{
	struct sigaction action = {.sa_handler = interrupt};
	struct slow slow = {.reader = pthread_self()};
	struct outcome out = {0};
	int in[2], i;

	NEED(sigaction(SIGUSR1, &action, NULL) == 0);
	NEED(pipe(in) == 0);
	NEED(fcntl(in[0], F_SETFL, flags) == 0);
	set_stdin(in[0]);
	slow.fd = in[1];
	NEED(pthread_create(&slow.thread, NULL, feed_slowly, &slow) == 0);
	read_all(NULL, 0, false, &out);
	NEED(pthread_join(slow.thread, NULL) == 0);
	CHECK(out.bytes.n == 60);
	for (i = 0; i < 6 && out.bytes.n == 60; i++)
		CHECK(memcmp(out.bytes.p + 10 * i, "{\"a\":\"b\"}\n", 10) == 0);
	outcome_release(&out);
}

/* A stream that consists n times of head, body (repeated "times" times) and
 * tail. */
struct stream {
	pthread_t thread;
	int fd;
	const char *head, *body, *tail;
	size_t n, times;
};

static int
write_all(int fd, const char *p, size_t n)
{
	ssize_t rc;

	for (; n > 0; p += rc, n -= (size_t)rc)
		if ((rc = write(fd, p, n)) < 0)
			return -1;
	return 0;
}

static void *
write_stream(void *arg)
{
	struct stream *s = arg;
	size_t i, k, per = strlen(s->body), n = ((size_t)1 << 16) / per;
	char *block = malloc(n * per);

	NEED(block != NULL);
	for (i = 0; i < n; i++)
		memcpy(block + i * per, s->body, per);
	for (i = 0; i < s->n; i++) {
		if (write_all(s->fd, s->head, strlen(s->head)) < 0)
			break;
		for (k = s->times; k > 0; k -= k < n ? k : n)
			if (write_all(s->fd, block, (k < n ? k : n) * per) < 0)
				break;
		if (k > 0 || write_all(s->fd, s->tail, strlen(s->tail)) < 0)
			break;
	}
	free(block);
	close(s->fd);
	return NULL;
}

static void
stream_start(struct stream *s)
{
	int in[2];

	NEED(pipe(in) == 0);
	set_stdin(in[0]);
	s->fd = in[1];
	NEED(pthread_create(&s->thread, NULL, write_stream, s) == 0);
}

static void
stream_stop(struct stream *s)
{
	set_stdin(open("/dev/null", O_RDONLY));
	NEED(pthread_join(s->thread, NULL) == 0);
}

static long
peak(void)
{
	struct rusage usage;

	NEED(getrusage(RUSAGE_SELF, &usage) == 0);
	return usage.ru_maxrss;
}

/* Must run before any test that needs much memory. */
static void
flat_memory(void)
{
	const size_t mib = (size_t)1 << 20;
	struct stream s = {.head = "",
	    .tail = "",
	    .n = 1,
	    .body = "{\"role\":\"user\",\"content\":\"0123456789abcdef\"}\n"};
	size_t line = strlen(s.body), bytes = 0, lines = 0;
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err;
	long before = 0;

	tap_case("200 MB of records take no more memory than the first 20");
	s.times = 200 * mib / line;
	stream_start(&s);
	NEED(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	while (ctx_reader_next(reader, &record, &err) == 1) {
		bytes += record.text.n;
		lines++;
		if (before == 0 && bytes > 20 * mib)
			before = peak();
	}
	CHECK(lines == s.times && bytes == s.times * line);
	CHECK(before > 0 && peak() - before <= before / 4);
	ctx_reader_close(reader);
	stream_stop(&s);
}

/* Tests a long record between short records, in both framings. */
static void
long_record(const char *head, const char *body, size_t mib)
{
	struct stream s = {.head = head, .body = body, .tail = "0]\n", .n = 1};
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err;

	s.times = (mib << 20) / strlen(body);
	stream_start(&s);
	NEED(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(record.kind == CTX_RECORD_JSON);
	CHECK(record.value.n == s.times * strlen(body) + 3);
	CHECK(record.text.n == record.value.n + 1);
	CHECK(memcmp(record.text.p + 1, body, strlen(body)) == 0);
	CHECK(ctx_reader_next(reader, &record, &err) == 0);
	ctx_reader_close(reader);
	stream_stop(&s);
}

static void
long_records(size_t mib)
{
	tap_case("a very long line");
	long_record("1\n[", "\"0123456789abcdef0123456789abcdef\",", mib);
	tap_case("a very long document of many lines");
	long_record("[\n]\n[", "\"0123456789abcdef0123456789abcdef\",\n", mib);
}

/* The alarm ends the test if the reader scans old bytes again at every read. */
static void
small_pieces(const char *head, const char *body, const char *tail)
{
	const size_t much = (size_t)2 << 20, n = strlen(body);
	struct ctx_buf text = {0};
	struct outcome out = {0};
	struct feed feed = {.chunk = 8};
	struct ctx_err err;

	NEED(ctx_buf_add(&text, head, strlen(head), &err) == 0);
	while (text.n < much)
		NEED(ctx_buf_add(&text, body, n, &err) == 0);
	NEED(ctx_buf_add(&text, tail, strlen(tail), &err) == 0);
	feed.p = text.p;
	feed.n = text.n;
	alarm(60);
	read_fed(feed, false, &out);
	alarm(0);
	CHECK(same(&out.bytes, text.p, text.n));
	outcome_release(&out);
	ctx_buf_release(&text);
}

static void
linear_time(void)
{
	tap_case("a long line in small pieces takes linear time");
	small_pieces("[", "\"abc\\\\\",", "0]");
	tap_case("a long document in small pieces takes linear time");
	small_pieces("[\n", "{\"a\":\"\\\"\"},\n", "0]");
	tap_case("white space after a value in small pieces takes linear time");
	small_pieces("[\n] ", " \t\r", "\n");
	tap_case("a long string in small pieces takes linear time");
	small_pieces("[\n]\n\"", "\\\\\\\"", "\"");
}

/* AddressSanitizer keeps freed memory. gcc and clang have different macros for
 * it. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEPS_FREED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define KEEPS_FREED
#endif

#if defined(__linux__) && !defined(KEEPS_FREED)
/* Returns the number of memory pages that are in use. */
static long
pages(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long all, used;

	NEED(f != NULL && fscanf(f, "%ld %ld", &all, &used) == 2);
	fclose(f);
	return used;
}

static void
shrinks(const char *body)
{
	struct stream s = {.head = "1\n[",
	    .body = body,
	    .n = 1,
	    .times = ((size_t)16 << 20) / strlen(body)};
	char *tail = calloc(1, (size_t)2 << 20);
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err;
	long before = 0, most = 0;
	size_t i;

	NEED(tail != NULL);
	memcpy(tail, "0]\n", 3);
	for (i = 3; i < (size_t)1 << 20; i += 2)
		memcpy(tail + i, "1\n", 2);
	s.tail = tail;
	stream_start(&s);
	NEED(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	for (i = 0; ctx_reader_next(reader, &record, &err) == 1; i++) {
		if (i == 0)
			before = pages();
		else if (i == 1)
			most = pages();
	}
	CHECK(i > 500000 && pages() - before < (most - before) / 8);
	ctx_reader_close(reader);
	stream_stop(&s);
	free(tail);
}

static void
long_records_gone(void)
{
	tap_case("the memory of a long record is freed after it");
	shrinks("\"0123456789abcdef0123456789abcdef0123456789abcdef\",");
	tap_case("the memory of a record of many values is freed after it");
	shrinks("[0,0,0,0,0,0,0],");
}
#else
static void
long_records_gone(void)
{
}
#endif

/* Makes mostly short lines, and some lines that are longer than any buffer. */
static void
make_lines(struct ctx_buf *text)
{
	unsigned long long state = 11;
	struct ctx_err err;
	size_t i, n;

	while (text->n < (size_t)4 << 20) {
		n = (size_t)(tap_random(&state) >> (44 + state % 16));
		NEED(ctx_buf_reserve(text, n + 4, &err) == 0);
		text->p[text->n++] = '"';
		for (i = 0; i < n; i++)
			text->p[text->n++] = (char)('a' + (i + n) % 26);
		text->p[text->n++] = '"';
		text->p[text->n++] = '\n';
	}
}

/* Copies a stream without some of its records, and writes a text after other
 * records. */
static void
filter(struct ctx_reader *reader, struct ctx_writer *writer,
    struct ctx_buf *want)
{
	struct ctx_record record;
	const struct ctx_str *text = &record.text;
	struct ctx_err err;
	size_t i;

	for (i = 0; ctx_reader_next(reader, &record, &err) == 1; i++) {
		if (i % 7 == 3)
			continue;
		NEED(ctx_buf_add(want, text->p, text->n, &err) == 0);
		CHECK(ctx_writer_put(writer, text->p, text->n, &err) == 0);
		if (i % 11 == 5) {
			NEED(ctx_buf_add(want, "0\n", 2, &err) == 0);
			CHECK(ctx_writer_copy(writer, "0\n", 2, &err) == 0);
		}
		CHECK(ctx_writer_end_record(writer, &err) == 0);
	}
}

/* Returns a descriptor of a file without a name that contains the text. */
static int
file_of(const char *p, size_t n)
{
	FILE *f = tmpfile();
	int fd;

	NEED(f != NULL && fwrite(p, 1, n, f) == n && fflush(f) == 0);
	fd = dup(fileno(f));
	NEED(fd >= 0 && lseek(fd, 0, SEEK_SET) == 0);
	fclose(f);
	return fd;
}

static void
read_back(int fd, struct ctx_buf *got, size_t most)
{
	struct ctx_err err;
	ssize_t n;

	NEED(lseek(fd, 0, SEEK_SET) == 0);
	NEED(ctx_buf_reserve(got, most, &err) == 0);
	while (
	    got->n < most && (n = read(fd, got->p + got->n, most - got->n)) > 0)
		got->n += (size_t)n;
}

/* Tests that the memory of a record is kept until the record is written. */
static void
copied(void)
{
	struct ctx_buf text = {0}, want = {0}, got = {0};
	struct ctx_reader *reader;
	struct ctx_writer writer;
	struct ctx_err err;
	int out = file_of("", 0);

	tap_case(
	    "records that are written unchanged arrive whole and in order");
	make_lines(&text);
	set_stdin(file_of(text.p, text.n));
	ctx_writer_init(&writer, out);
	NEED(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	ctx_reader_set_writer(reader, &writer);
	filter(reader, &writer, &want);
	ctx_reader_close(reader);
	CHECK(ctx_writer_flush(&writer, &err) == 0);
	CHECK(writer.written == want.n);
	read_back(out, &got, want.n + 1);
	CHECK(want.n > text.n / 2 && same(&got, want.p, want.n));
	CHECK(close(writer.fd) == 0);
	ctx_writer_release(&writer);
	ctx_buf_release(&got);
	ctx_buf_release(&want);
	ctx_buf_release(&text);
}

/* Needs 8 GiB of address space, half of it as memory. */
static void
over_the_limit(void)
{
	struct stream s = {.head = "1\n[\"",
	    .body = "0123456789abcdef",
	    .tail = "\"]\n2\n",
	    .n = 1,
	    .times = (size_t)1 << 28};
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err;

	tap_case("a record of 4 GiB is refused with an error");
	stream_start(&s);
	NEED(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(ctx_reader_next(reader, &record, &err) == -1);
	CHECK(err.code == CTX_ELIMIT && err.line == 2 && err.column == 1);
	CHECK(strstr(err.text, "4294967294") != NULL);
	ctx_reader_close(reader);
	stream_stop(&s);
}

int
main(void)
{
	bool much = getenv("CHECK_LONG") != NULL;

	signal(SIGPIPE, SIG_IGN);
	flat_memory();
	live_lines();
	live_values();
	tied();
	tap_case("a slow pipe with signals");
	slow_input(0);
	tap_case("a slow non-blocking pipe");
	slow_input(O_NONBLOCK);
	long_records(much ? 1024 : 64);
	long_records_gone();
	linear_time();
	copied();
	if (much)
		over_the_limit();
	return tap_done();
}
