/*
 * memory.c - standard input and output in memory, for the fuzz targets
 *
 * The linker (--wrap) replaces the system calls of the library by functions of
 * this file.  So no byte goes through the kernel, and the input of a target can
 * say how many bytes each read returns.
 */
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "stream/stream.h"
#include "fuzz.h"

ssize_t __real_read(int fd, void *p, size_t n);
ssize_t __wrap_read(int fd, void *p, size_t n);
ssize_t __wrap___read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __real_write(int fd, const void *p, size_t n);
ssize_t __wrap_write(int fd, const void *p, size_t n);
ssize_t __real_writev(int fd, const struct iovec *list, int n);
ssize_t __wrap_writev(int fd, const struct iovec *list, int n);

struct ctx_buf fuzz_output;

static struct {
	bool on;
	const char *p;
	size_t n;
	const uint8_t *chunks;
	size_t n_chunks, next;
} in;

void
fuzz_input(const char *p, size_t n, const uint8_t *chunks, size_t n_chunks)
{
	in.on = true;
	in.p = p;
	in.n = n;
	in.chunks = chunks;
	in.n_chunks = n_chunks;
	in.next = 0;
	fuzz_output.n = 0;
}

void
fuzz_input_end(void)
{
	in.on = false;
}

/* Returns how many of n bytes the next call transfers; 0: the call is
 * interrupted. */
static size_t
chunk(size_t n)
{
	size_t most;
	size_t i;

	if (in.n_chunks == 0)
		return n;
	/* If all calls would be interrupted, no call is interrupted. */
	for (i = 0; i < in.n_chunks && in.chunks[i] == 255;)
		i++;
	if (i == in.n_chunks)
		return n;
	most = in.chunks[in.next++ % in.n_chunks];
	if (most == 255)
		return 0;
	return n < most + 1 ? n : most + 1;
}

ssize_t
__wrap_read(int fd, void *p, size_t n)
{
	if (fd != STDIN_FILENO || !in.on)
		return __real_read(fd, p, n);
	if (in.n == 0)
		return 0;
	n = chunk(n < in.n ? n : in.n);
	if (n == 0) {
		errno = EINTR;
		return -1;
	}
	memcpy(p, in.p, n);
	in.p += n;
	in.n -= n;
	return (ssize_t)n;
}

/* The name of read if the compiler knows the size of the buffer. */
ssize_t
__wrap___read_chk(int fd, void *p, size_t n, size_t room)
{
	must(n <= room);
	return __wrap_read(fd, p, n);
}

ssize_t
__wrap_write(int fd, const void *p, size_t n)
{
	struct ctx_err err;

	if (fd != FUZZ_OUT)
		return __real_write(fd, p, n);
	if (n > 0 && (n = chunk(n)) == 0) {
		errno = EINTR;
		return -1;
	}
	must(ctx_buf_add(&fuzz_output, p, n, &err) == 0);
	return (ssize_t)n;
}

ssize_t
__wrap_writev(int fd, const struct iovec *list, int n)
{
	if (fd != FUZZ_OUT)
		return __real_writev(fd, list, n);
	while (n > 1 && list->iov_len == 0) {
		list++;
		n--;
	}
	return __wrap_write(fd, list->iov_base, list->iov_len);
}

/* ---- the dialect that a byte chooses ---- */

/* A new dialect must be added at the end. */
static const char *const choices[] = {"codex", "gemini-cli", "pi",
    "claude-stream", "claude-code", "langchain-lc", "langchain-dict",
    "langchain-dump", "opencode", "goose", "llm-logs", "vercel-ui",
    "vercel-model", "sharegpt", "ollama", "openai-responses", "bedrock",
    "gemini", "anthropic", "openai-chat", "generic", NULL, "copilot-cli",
    "atif", "otel-genai"};

enum { CHOICES = sizeof choices / sizeof choices[0] };

const struct ctx_dialect *
fuzz_dialect(uint8_t choice)
{
	const char *name = choices[choice % CHOICES];

	return name == NULL ? NULL : ctx_dialect_find(name);
}

uint8_t
fuzz_choice(const struct ctx_dialect *dialect)
{
	uint8_t choice = 0;

	while (choice < CHOICES && fuzz_dialect(choice) != dialect)
		choice++;
	must(choice < CHOICES);
	return choice;
}

/* ---- the kinds of records in a stream ---- */

struct kinds {
	/* bit i is set if a record has dialect i of the table */
	uint64_t dialects;
	/* true if lines of a tree have an id, or have none */
	bool named, nameless;
};

static void
note_line(struct kinds *kinds, const struct ctx_event *event)
{
	const struct ctx_dialect *dialect = event->layout->dialect;
	const struct ctx_json *json = event->record->json;
	struct ctx_line_place line = {0};

	if (event->inside ||
	    (dialect->history != CTX_HISTORY_LAST &&
		dialect->history != CTX_HISTORY_TIP))
		return;
	dialect->read_line(json, 0, &line);
	if (line.kind != CTX_LINE_MESSAGE)
		return;
	if (line.id != 0 && json->nodes[line.id].kind == CTX_JSON_STRING)
		kinds->named = true;
	else
		kinds->nameless = true;
}

static struct kinds
kinds_of(const struct ctx_dialect *forced, const char *p, size_t n)
{
	struct ctx_stream stream = {.forced = forced};
	struct kinds kinds = {.dialects = 0};
	struct ctx_event event;
	struct ctx_err err;
	unsigned row;

	fuzz_input(p, n, NULL, 0);
	must(ctx_reader_open(&stream.reader, NULL, 0, &err) == 0);
	while (ctx_stream_next(&stream, &event, &err) == 1) {
		if (event.layout == NULL || event.layout->dialect == NULL)
			continue;
		for (row = 0; ctx_dialect_at(row) != event.layout->dialect;)
			row++;
		kinds.dialects |= (uint64_t)1 << row;
		note_line(&kinds, &event);
	}
	ctx_reader_close(stream.reader);
	ctx_stream_release(&stream);
	fuzz_input_end();
	return kinds;
}

bool
fuzz_side_by_side(const char *p, size_t n)
{
	struct ctx_reader *reader;
	struct ctx_record record;
	struct ctx_err err;
	bool open = false, found = false;

	fuzz_input(p, n, NULL, 0);
	must(ctx_reader_open(&reader, NULL, 0, &err) == 0);
	while (!found && ctx_reader_next(reader, &record, &err) == 1) {
		found = open;
		open = record.kind == CTX_RECORD_JSON &&
		    record.text.p[record.text.n - 1] != '\n';
	}
	ctx_reader_close(reader);
	fuzz_input_end();
	return found;
}

bool
fuzz_reads_alike(const struct ctx_dialect *forced, const char *p, size_t n,
    const struct ctx_buf *out)
{
	struct kinds kinds = kinds_of(forced, p, n);

	return (kinds.dialects & (kinds.dialects - 1)) == 0 &&
	    !(kinds.named && kinds.nameless) &&
	    kinds_of(forced, out->p, out->n).dialects == kinds.dialects &&
	    !fuzz_side_by_side(p, n);
}
