/* read_ahead.c - tests that reading ahead changes neither the records nor the
 * errors of an input */
#include "io/io.h"
#include "stream/stream.h"
#include "tap.h"

#define LINES "[1]\n[2]\n{\"a\":\n3}\n[4]\n"
#define CLAUDE                                                         \
	"{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\"," \
	"\"id\":\"t\",\"name\":\"f\",\"input\":{}}]}\n"
#define OPENAI                                                            \
	"{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"type\":" \
	"\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}\n"

/* An input that returns a few bytes per read, and fails after its last byte. */
struct pieces {
	const char *text;
	size_t at, step;
	bool fails;
	unsigned failed; /* number of reads that have failed */
	struct ctx_reader *reader;
};

static ssize_t
read_piece(void *user, char *p, size_t n)
{
	struct pieces *pieces = user;
	size_t left = strlen(pieces->text) - pieces->at;

	if (left == 0 && pieces->fails) {
		pieces->failed++;
		return -1;
	}
	if (n > pieces->step)
		n = pieces->step;
	if (n > left)
		n = left;
	memcpy(p, pieces->text + pieces->at, n);
	pieces->at += n;
	return (ssize_t)n;
}

static void
open_pieces(struct pieces *pieces)
{
	const struct ctx_source source = {.name = "pieces",
	    .read = read_piece,
	    .user = pieces};
	struct ctx_err err;

	NEED(ctx_reader_open_source(&pieces->reader, &source, &err) == 0);
}

/* Appends the texts of all records to *seen.  Returns the result of the last
 * read. */
static int
see_records(struct ctx_reader *reader, struct ctx_buf *seen,
    struct ctx_err *err)
{
	struct ctx_record record;
	struct ctx_err late;
	int rc;

	while ((rc = ctx_reader_next(reader, &record, err)) > 0)
		NEED(ctx_buf_printf(seen, &late, "%d<%.*s>", (int)record.line,
			 (int)record.text.n, record.text.p) == 0);
	return rc;
}

static void
see_ahead(struct pieces *pieces, size_t most, struct ctx_buf *seen)
{
	struct ctx_read_ahead source = {.reader = pieces->reader, .most = most};
	struct ctx_reader *ahead;
	struct ctx_err err;

	NEED(ctx_reader_open_ahead(&ahead, &source, &err) == 0);
	CHECK(see_records(ahead, seen, &err) == 0 && !source.failed);
	CHECK(source.at <= most);
	ctx_reader_close(ahead);
}

static void
same_records(void)
{
	struct pieces pieces;
	struct ctx_buf ahead = {0}, seen = {0}, plain = {0};
	struct ctx_err err;

	tap_case("the records are the same ahead, and after that");
	pieces = (struct pieces){.text = LINES, .step = 100};
	open_pieces(&pieces);
	NEED(see_records(pieces.reader, &plain, &err) == 0);
	ctx_reader_close(pieces.reader);
	for (size_t step = 1; step < 12; step++) {
		pieces = (struct pieces){.text = LINES, .step = step};
		open_pieces(&pieces);
		ahead.n = seen.n = 0;
		see_ahead(&pieces, 1000, &ahead);
		CHECK(see_records(pieces.reader, &seen, &err) == 0);
		CHECK(ahead.n == plain.n &&
		    memcmp(ahead.p, plain.p, plain.n) == 0);
		CHECK(
		    seen.n == plain.n && memcmp(seen.p, plain.p, plain.n) == 0);
		ctx_reader_close(pieces.reader);
	}
	ctx_buf_release(&ahead);
	ctx_buf_release(&seen);
	ctx_buf_release(&plain);
}

static void
limit(void)
{
	struct pieces pieces = {.text = LINES, .step = 1};
	struct ctx_buf ahead = {0};

	tap_case("no more bytes are read than the limit");
	open_pieces(&pieces);
	see_ahead(&pieces, 8, &ahead);
	CHECK(ahead.n == 14 && memcmp(ahead.p, "1<[1]\n>2<[2]\n>", 14) == 0);
	CHECK(pieces.at == 8);
	ctx_reader_close(pieces.reader);
	ctx_buf_release(&ahead);
}

static void
failing_input(void)
{
	struct pieces pieces = {.text = LINES, .step = 3, .fails = true};
	struct ctx_buf ahead = {0}, seen = {0};
	struct ctx_err err;

	tap_case("an input that fails is not read again, and its records come "
		 "before the error");
	open_pieces(&pieces);
	see_ahead(&pieces, 1000, &ahead);
	CHECK(pieces.failed == 1);
	CHECK(see_records(pieces.reader, &seen, &err) == -1);
	CHECK(
	    err.code == CTX_EARG && strstr(err.text, "read function") != NULL);
	CHECK(pieces.failed == 1);
	CHECK(seen.n == ahead.n && memcmp(seen.p, ahead.p, ahead.n) == 0);
	ctx_reader_close(pieces.reader);
	ctx_buf_release(&ahead);
	ctx_buf_release(&seen);
}

static void
missing_file(void)
{
	static char missing[] = "/nonexistent/file", empty[] = "/dev/null";
	char *files[] = {missing, empty};
	struct ctx_read_ahead source = {.most = 1000};
	struct ctx_reader *ahead;
	struct ctx_record record;
	struct ctx_err err;

	tap_case("a file that cannot be opened is an error, and is skipped");
	NEED(ctx_reader_open(&source.reader, files, 2, &err) == 0);
	NEED(ctx_reader_open_ahead(&ahead, &source, &err) == 0);
	CHECK(ctx_reader_next(ahead, &record, &err) == -1);
	CHECK(source.failed && source.err.code == CTX_ESYS);
	CHECK(source.err.file == missing);
	ctx_reader_close(ahead);
	CHECK(ctx_reader_next(source.reader, &record, &err) == 0);
	ctx_reader_close(source.reader);
}

static void
second_look(void)
{
	struct pieces pieces = {.text = CLAUDE OPENAI, .step = 1000};
	struct ctx_stream stream = {.looks_ahead = true};
	const struct ctx_event *first;
	struct ctx_event event;
	struct ctx_err err;
	int rc;

	tap_case("a stream whose first event was peeked is not read ahead "
		 "again");
	open_pieces(&pieces);
	stream.reader = pieces.reader;
	CHECK(ctx_stream_peek(&stream, &first, &err) == 1);
	CHECK(strcmp(stream.foreseen->name, "anthropic") == 0);
	/* A second operation, after the first one has refused its options. */
	stream.looks_ahead = true;
	while ((rc = ctx_stream_next(&stream, &event, &err)) > 0)
		CHECK(strcmp(stream.foreseen->name, "anthropic") == 0);
	CHECK(rc == 0);
	ctx_stream_release(&stream);
	ctx_reader_close(pieces.reader);
}

int
main(void)
{
	same_records();
	limit();
	failing_input();
	missing_file();
	second_look();
	return tap_done();
}
