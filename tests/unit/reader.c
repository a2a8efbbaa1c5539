/*
 * reader.c - framing: the same records however the bytes arrive
 *
 * Input comes through a datagram socket on standard input, where each read
 * takes one datagram; so a test decides what every single read returns.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ctx.h"
#include "tap.h"

/* ---- feeding ----------------------------------------------------------- */

struct feed {
	pthread_t thread;
	int fd;
	const char *p;
	size_t n;
	size_t chunk;              /* bytes per read; 0: split says */
	size_t split;              /* two reads, the first of so many bytes */
	unsigned long long random; /* not 0: reads of a random length to 8 */
};

static size_t
chunk_of(struct feed *feed, size_t done)
{
	if (feed->random != 0)
		return 1 + (size_t)(tap_random(&feed->random) >> 61);
	if (feed->chunk != 0)
		return feed->chunk;
	return done < feed->split ? feed->split - done : feed->n;
}

static void *
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
	/* An empty datagram reads as the end of the file. */
	(void)send(feed->fd, "", 0, 0);
	return NULL;
}

static void
set_stdin(int fd)
{
	NEED(fd > 0 && dup2(fd, 0) == 0);
	close(fd);
}

static void
feed_start(struct feed *feed)
{
	int fds[2];

	NEED(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) == 0);
	set_stdin(fds[0]);
	feed->fd = fds[1];
	NEED(pthread_create(&feed->thread, NULL, feed_chunks, feed) == 0);
}

static void
feed_stop(struct feed *feed)
{
	/* Whoever still waits to be read from is told that nobody will. */
	set_stdin(open("/dev/null", O_RDONLY));
	NEED(pthread_join(feed->thread, NULL) == 0);
	close(feed->fd);
}

/* ---- what came out ----------------------------------------------------- */

struct outcome {
	struct ctx_buf list;  /* as the table below writes it */
	struct ctx_buf bytes; /* the texts of all records */
};

static void
outcome_release(struct outcome *out)
{
	ctx_buf_release(&out->list);
	ctx_buf_release(&out->bytes);
}

/* The value stands in its text, and the nodes fit it. */
static int
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

static void
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

static void
read_all(char *const *files, size_t n, bool passing, struct outcome *out)
{
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err, late;
	int rc;

	NEED(ctx_reader_open(&reader, files, n, &err) == 0);
	ctx_reader_set_lenient(reader, passing);
	while ((rc = ctx_reader_next(reader, &record, &err)) > 0)
		note(out, &record, &err);
	if (rc < 0)
		NEED(ctx_buf_printf(&out->list, &late, "!%llu:%llu %s",
				    (unsigned long long)err.line,
				    (unsigned long long)err.column,
				    err.text) == 0);
	else
		CHECK(ctx_reader_next(reader, &record, &err) == 0);
	ctx_reader_close(reader);
}

static void
read_fed(struct feed feed, bool passing, struct outcome *out)
{
	feed_start(&feed);
	read_all(NULL, 0, passing, out);
	feed_stop(&feed);
}

static int
same(const struct ctx_buf *a, const char *p, size_t n)
{
	return a->n == n && (n == 0 || memcmp(a->p, p, n) == 0);
}

static void
show(const char *what, const char *p, size_t n)
{
	size_t i;

	printf("# %s ", what);
	for (i = 0; i < n; i++)
		if (p[i] >= ' ' && p[i] <= '~')
			putchar(p[i]);
		else
			printf("\\x%02x", (unsigned)(unsigned char)p[i]);
	putchar('\n');
}

/* ---- framing ----------------------------------------------------------- */

/*
 * Expected: J, B or X (JSON, blank, bad), the line, for X also the place of
 * the error, then the text; at the end an error that ended the stream.
 */
struct framing {
	const char *name, *in, *out;
};

static const struct framing strict[] = {
    {"nothing", "", ""},
    {"lines", "{\"a\":1}\n[2]\n", "J1<{\"a\":1}\n>J2<[2]\n>"},
    {"no last line feed", "1\n2", "J1<1\n>J2<2>"},
    {"CRLF", "{}\r\n{}\r\n", "J1<{}\r\n>J2<{}\r\n>"},
    {"CRLF without the last", "{}\r\n{}\r", "J1<{}\r\n>J2<{}\r>"},
    {"byte order mark", "\xef\xbb\xbf{}\n{}\n",
     "B1<\xef\xbb\xbf>J1<{}\n>J2<{}\n>"},
    {"byte order mark alone", "\xef\xbb\xbf", "B1<\xef\xbb\xbf>"},
    {"byte order mark and a blank line", "\xef\xbb\xbf\n1\n",
     "B1<\xef\xbb\xbf>B1<\n>J2<1\n>"},
    {"half a byte order mark", "\xef\xbb", "!1:1 expected a value"},
    {"byte order mark within",
     "1\n\xef\xbb\xbf"
     "1\n",
     "J1<1\n>!2:1 expected a value"},
    {"place behind a byte order mark", "\xef\xbb\xbf{]\n",
     "B1<\xef\xbb\xbf>!1:5 expected a key or '}'"},
    {"blank lines", "\n \t\r\n1\n\n\n2\n\n",
     "B1<\n>B2< \t\r\n>J3<1\n>B4<\n>B5<\n>J6<2\n>B7<\n>"},
    {"nothing but blanks", " \r\n ", "B1< \r\n>B2< >"},
    {"blanks around values", " \t1 \n\t2\t\r\n", "J1< \t1 \n>J2<\t2\t\r\n>"},
    {"every kind of value", "null\ntrue\nfalse\n-1.5e3\n\"s\"\n[]\n{}\n",
     "J1<null\n>J2<true\n>J3<false\n>J4<-1.5e3\n>J5<\"s\"\n>J6<[]\n>"
     "J7<{}\n>"},
    {"two values on a line", "1\n{} {}\n",
     "J1<1\n>!2:4 more than one value on the line"},
    {"two values on the first line", "{}{}\n",
     "!1:3 more than one value on the line"},
    {"an old Mac file", "1\r2\r", "!1:3 more than one value on the line"},
    {"a comma behind a value", "{},\n", "!1:3 more than one value on the line"},
    {"a line cut short", "[1]\n[2,\n[3]\n",
     "J1<[1]\n>!2:4 unexpected end of "
     "line"},
    {"a last line cut short", "[1]\n[2,",
     "J1<[1]\n>!2:4 unexpected end of "
     "input"},
    {"a last string cut short", "\"a", "!1:3 unexpected end of input"},
    {"bad UTF-8", "1\n \"a\xff\"\n", "J1<1\n>!2:4 invalid UTF-8"},
    {"UTF-8", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"\n",
     "J1<\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"\n>"},
    {"one document", "{\n \"a\": 1\n}\n", "J1<{\n \"a\": 1\n}\n>"},
    {"a document without the last line feed", "[\n1\n]", "J1<[\n1\n]>"},
    {"a document behind blank lines", "\r\n \n [\n]\n",
     "B1<\r\n>B2< \n>J3< [\n]\n>"},
    {"a document behind a mark", "\xef\xbb\xbf[\r\n]\r\n",
     "B1<\xef\xbb\xbf>J1<[\r\n]\r\n>"},
    {"documents", "{\n}\n\n [1,\n2] \t\r\n{}\n",
     "J1<{\n}\n>B3<\n>J4< [1,\n2] \t\r\n>J6<{}\n>"},
    {"documents side by side", "[\n]{}  1 2\"a\" true\n3",
     "J1<[\n]>J2<{}  >J2<1 >J2<2>J2<\"a\" >J2<true\n>J3<3>"},
    {"a document and blanks", "[\n] \n \n\t", "J1<[\n] \n>B3< \n>B4<\t>"},
    {"brackets and quotes in strings",
     "[\n\"]\\\"]\",\"\\\\\",\"}\"]\n[\"[\"]\n",
     "J1<[\n\"]\\\"]\",\"\\\\\",\"}\"]\n>J3<[\"[\"]\n>"},
    {"a document cut short", "{\n \"a\": [\n", "!3:1 unexpected end of input"},
    {"a document cut short in a line", "[\n \"a",
     "!2:4 unexpected end of "
     "input"},
    {"a number cut short", "[\n]\n-",
     "J1<[\n]\n>!3:2 unexpected end of "
     "input"},
    {"a bad document", "[\n]\n\n [\n1 2]\n",
     "J1<[\n]\n>B3<\n>!5:3 expected ',' or ']'"},
    {"a bad document on the line of a good one", "[\n] 1 ]\n",
     "J1<[\n] >J2<1 >!2:5 expected a value"},
    {"a raw line feed in a string", "[\n\"a\n\"]",
     "!2:3 unterminated string"},
    {"a word that goes on", "[\n]\ntrue1\n", "J1<[\n]\n>!3:5 expected a value"},
};

static const struct framing lenient[] = {
    {"lenient: bad lines", "1\n{]\n\n2 2\n[\n3\n",
     "J1<1\n>X2!2:2<{]\n>B3<\n>X4!4:3<2 2\n>X5!5:2<[\n>J6<3\n>"},
    {"lenient: a bad first line leaves the framing open", "x\n[\n]\n{}\n",
     "X1!1:1<x\n>J2<[\n]\n>J4<{}\n>"},
    {"lenient: a last line cut short", "1\n[", "J1<1\n>X2!2:2<[>"},
    {"lenient: the rest behind a bad document", "[\n]\n[\n}\n1\n",
     "J1<[\n]\n>X3!4:1<[\n}\n1\n>"},
    {"lenient: a document cut short", "[\n1", "X1!2:2<[\n1>"},
    {"lenient: half a mark", "\xef\xbb\n1", "X1!1:1<\xef\xbb\n>J2<1>"},
};

/* Whole, split in two at every place, and byte by byte. */
static void
framing_case(const struct framing *framing, bool is_lenient)
{
	const char *in = framing->in, *want = framing->out;
	size_t n = strlen(in), split;
	struct outcome out;

	tap_case(framing->name);
	for (split = 0; split <= n; split++) {
		struct feed feed = {
		    .p = in, .n = n, .split = split, .chunk = split == n};

		memset(&out, 0, sizeof out);
		read_fed(feed, is_lenient, &out);
		CHECK(same(&out.list, want, strlen(want)));
		CHECK(out.bytes.n <= n &&
		      memcmp(out.bytes.p == NULL ? in : out.bytes.p, in,
			     out.bytes.n) == 0);
		if (tap_case_failed) {
			show("want", want, strlen(want));
			show("got ", out.list.p, out.list.n);
			split = n;
		}
		outcome_release(&out);
	}
}

static void
framing(void)
{
	size_t i;

	for (i = 0; i < sizeof strict / sizeof strict[0]; i++)
		framing_case(&strict[i], false);
	for (i = 0; i < sizeof lenient / sizeof lenient[0]; i++)
		framing_case(&lenient[i], true);
}

static void
nul_bytes(void)
{
	static const char in[] = "1\n\"a\0\"\n\0\n2\n\n";
	struct feed feed = {.p = in, .n = sizeof in - 1, .chunk = 1};
	static const char want[] =
	    "J1<1\n>X2!2:3<\"a\0\"\n>X3!3:1<\0\n>J4<2\n>B5<\n>";
	struct outcome out = {0};

	tap_case("a NUL byte is an error and ends nothing else");
	read_fed(feed, true, &out);
	CHECK(same(&out.bytes, in, sizeof in - 1));
	CHECK(same(&out.list, want, sizeof want - 1));
	outcome_release(&out);
}

/* Lines of tokens that are sometimes valid. */
static size_t
random_text(unsigned long long *state, char *p)
{
	static const char *const tokens[] = {
	    "{",  "}",    "[",    "]",  "\"",   "\"a\"", "\"a\":1",      ",",
	    "1",  "-",    "true", "\\", " ",    "\n",    "\n",           "\r\n",
	    "{}", "[]\n", "{\n}", "\t", "\xc3", "\xa4",  "\xef\xbb\xbf", "[\n"};
	size_t count = tap_random(state) % 24, n = 0, i;
	const char *token;

	for (i = 0; i < count; i++) {
		token = tokens[tap_random(state) %
			       (sizeof tokens / sizeof tokens[0])];
		memcpy(p + n, token, strlen(token));
		n += strlen(token);
	}
	return n;
}

static void
any_bytes(void)
{
	unsigned long long state = 20260401;
	char in[24 * 5];
	int round, pass;

	tap_case("random text, in random pieces: the same records, all bytes");
	for (round = 0; round < 1000 && !tap_case_failed; round++) {
		size_t n = random_text(&state, in);

		for (pass = 0; pass < 2; pass++) {
			struct feed whole = {.p = in, .n = n, .split = n};
			struct feed parts = {
			    .p = in, .n = n, .random = tap_random(&state) | 1};
			struct outcome a = {0}, b = {0};

			read_fed(whole, pass, &a);
			read_fed(parts, pass, &b);
			CHECK(same(&a.list, b.list.p, b.list.n));
			CHECK(!pass || same(&a.bytes, in, n));
			if (tap_case_failed) {
				show("in   ", in, n);
				show("whole", a.list.p, a.list.n);
				show("parts", b.list.p, b.list.n);
			}
			outcome_release(&a);
			outcome_release(&b);
		}
	}
}

/* ---- files ------------------------------------------------------------- */

static char dir[] = "/tmp/ctx-reader-XXXXXX";

static char *
make_file(const char *name, const char *text)
{
	size_t n = sizeof dir + strlen(name) + 1;
	char *path = malloc(n);
	FILE *f;

	NEED(path != NULL);
	snprintf(path, n, "%s/%s", dir, name);
	f = fopen(path, "wb");
	NEED(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
	return path;
}

static void
remove_files(char **files, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		remove(files[i]);
		free(files[i]);
	}
}

static void
several_files(void)
{
	struct outcome out = {0};
	char *files[] = {make_file("a", "{}\r\n1"),      make_file("b", ""),
			 make_file("c", "\xef\xbb\xbf"), make_file("d", "[\n]"),
			 make_file("e", "\n  "),         make_file("f", "2")};
	const char *want = "J1<{}\r\n>J2<1\n>B1<\xef\xbb\xbf\n>J1<[\n]\n>"
			   "B1<\n>B2<  \n>J1<2>";

	tap_case("files are one stream, whole lines each, framed by itself");
	read_all(files, 6, false, &out);
	CHECK(same(&out.list, want, strlen(want)));
	remove_files(files, 6);
	outcome_release(&out);
}

static void
stdin_among_files(void)
{
	struct outcome out = {0};
	char *a = make_file("a", "1"), *b = make_file("b", "3\n");
	char *files[] = {a, (char *)(intptr_t) "-", b};
	struct feed feed = {.p = "2", .n = 1, .chunk = 1};

	tap_case("- among files is standard input");
	feed_start(&feed);
	read_all(files, 3, false, &out);
	feed_stop(&feed);
	CHECK(same(&out.list, "J1<1\n>J1<2\n>J1<3\n>", 18));
	remove_files(&a, 1);
	remove_files(&b, 1);
	outcome_release(&out);
}

static void
files_that_fail(void)
{
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err;
	char *files[] = {make_file("a", "1\n"), make_file("none", ""),
			 make_file("bad", "\n]\n2\n"), make_file("b", "2\n")};
	char *all[] = {files[0], files[1], dir, files[2], files[3]};

	tap_case("a file that fails has its name and lets the others be read");
	remove(files[1]);
	NEED(ctx_reader_open(&reader, all, 5, &err) == 0);
	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(record.file == files[0] && record.line == 1);
	CHECK(ctx_reader_next(reader, &record, &err) == -1);
	CHECK(err.code == CTX_ESYS && err.sys == ENOENT && err.line == 0);
	CHECK(err.file == files[1]);
	CHECK(ctx_reader_next(reader, &record, &err) == -1);
	CHECK(err.code == CTX_ESYS && err.sys == EISDIR && err.file == dir);
	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(record.kind == CTX_RECORD_BLANK && record.file == files[2]);
	CHECK(ctx_reader_next(reader, &record, &err) == -1);
	CHECK(err.code == CTX_EINPUT && err.file == files[2]);
	CHECK(err.line == 2 && err.column == 1);
	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(record.file == files[3]);
	CHECK(ctx_reader_next(reader, &record, &err) == 0);
	CHECK(ctx_reader_next(reader, &record, &err) == 0);
	ctx_reader_close(reader);
	ctx_reader_close(NULL);
	remove_files(files, 4);
}

/* ---- streams ----------------------------------------------------------- */

static void
say(int fd, const char *text)
{
	NEED(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
}

static void
expect(struct ctx_reader *reader, const char *text)
{
	struct ctx_record record;
	struct ctx_err err;

	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	CHECK(record.text.n == strlen(text) &&
	      memcmp(record.text.p, text, record.text.n) == 0);
}

/* A record that waited for more would hang here until the alarm. */
static void
live(void)
{
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_writer writer;
	struct ctx_err err;
	int in[2], out[2];
	char got[8];

	tap_case("a record comes when its line feed has come, and goes on");
	alarm(20);
	NEED(pipe(in) == 0 && pipe(out) == 0);
	set_stdin(in[0]);
	ctx_writer_init(&writer, out[1]);
	NEED(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	ctx_reader_tie(reader, &writer);
	say(in[1], "\n[\n");
	expect(reader, "\n");
	say(in[1], "1\n]\n");
	expect(reader, "[\n1\n]\n");
	say(in[1], "[\n] \n22 {");
	expect(reader, "[\n] \n");
	expect(reader, "22 ");
	CHECK(ctx_writer_put(&writer, "kept", 4, &err) == 0);
	say(in[1], "}");
	close(in[1]);
	CHECK(ctx_reader_next(reader, &record, &err) == 1);
	tap_case("what is tied leaves before the reader waits");
	CHECK(writer.written == 4);
	CHECK(read(out[0], got, sizeof got) == 4);
	ctx_reader_close(reader);
	ctx_writer_release(&writer);
	close(out[0]);
	close(out[1]);
	alarm(0);
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

/* Byte by byte, with signals, which without SA_RESTART end a read. */
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

/* A stream of n times head, body (repeated times) and tail. */
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

/* Must run before any test that takes much memory. */
static void
flat_memory(void)
{
	const size_t mib = (size_t)1 << 20;
	struct stream s = {
	    .head = "",
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

/* A long record between short ones, in both framings. */
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

/* Needs 8 GiB of address space, half of it memory. */
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

	tap_case("a record of 4 GiB is refused by name");
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
	NEED(mkdtemp(dir) != NULL);
	flat_memory();
	framing();
	nul_bytes();
	any_bytes();
	several_files();
	stdin_among_files();
	files_that_fail();
	live();
	tap_case("a slow pipe with signals");
	slow_input(0);
	tap_case("a slow pipe that does not block");
	slow_input(O_NONBLOCK);
	long_records(much ? 1024 : 64);
	if (much)
		over_the_limit();
	NEED(rmdir(dir) == 0);
	return tap_done();
}
