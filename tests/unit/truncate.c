/*
 * truncate.c - what may be left of a hostile text
 *
 * Texts are made of pieces that no cut may fall into, written with any
 * escapes.  What must come out is worked out here from the pieces, and in
 * the corpus of every dialect the bodies of all results become such texts.
 */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "truncate/text_segments.h"
#include "tap.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])
#define ELLIPSIS  "\xe2\x80\xa6"
#define CORPUS    "tests/corpus"

static unsigned long long state = 20261121;

static size_t
up_to(size_t n)
{
	return (size_t)(tap_random(&state) >> 33) % n;
}

/* ---- texts ---- */

/* A text, the literal that says it, and the text with its payloads replaced;
 * stops are the places in that where a cut may fall. */
struct text {
	struct ctx_buf literal, full, plain;
	size_t stops[8192];
	size_t n_stops;
};

static void
add(struct ctx_buf *buf, const char *p, size_t n)
{
	struct ctx_err err;

	NEED(ctx_buf_add(buf, p, n, &err) == 0);
}

static void
add_string(struct ctx_buf *buf, const char *s)
{
	add(buf, s, strlen(s));
}

/* Writes a character as it is, or with one of its escapes. */
static void
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

static void
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

static void
stop(struct text *text)
{
	NEED(text->n_stops < LENGTH(text->stops));
	text->stops[text->n_stops++] = text->plain.n;
}

/* Adds a text that is kept or removed whole. */
static void
add_whole(struct text *text, const char *s)
{
	stop(text);
	add_spelled(text, s, strlen(s));
	add_string(&text->plain, s);
}

/* Base64 of so many characters, in lines of width, or in one if it is 0. */
static void
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
		/* All kinds are there, however the numbers fall. */
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
    /* clusters */
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

static void
clear(struct text *text)
{
	text->literal.n = text->full.n = text->plain.n = 0;
	text->n_stops = 0;
}

/* Makes a text of so many pieces; lines: payloads of one line are kept. */
static void
make(struct text *text, size_t pieces, bool lines)
{
	size_t i, which;

	clear(text);
	add_string(&text->literal, "\"");
	for (i = 0; i < pieces; i++) {
		which = up_to(LENGTH(wholes) + 3);
		if (which < LENGTH(wholes)) {
			/* Flags and line breaks must not meet their like. */
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

static bool
is_stop(const struct text *text, size_t at)
{
	size_t i;

	for (i = 0; i < text->n_stops; i++)
		if (text->stops[i] == at)
			return true;
	return false;
}

/* ---- sizes ---- */

struct sizes {
	struct ctx_model_counters counters;
	struct ctx_model_counter model_counter;
};

static uint64_t
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

/* ---- running it ---- */

static char in_name[64], out_name[64];

static void
write_file(const char *name, const char *p, size_t n)
{
	FILE *file;

	/* Some file systems flush what is written over an old file. */
	(void)unlink(name);
	file = fopen(name, "w");
	NEED(file != NULL && fwrite(p, 1, n, file) == n && fclose(file) == 0);
}

static void
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

static void
open_stream(struct ctx_stream *stream, char *name,
    const struct ctx_dialect *dialect)
{
	static char *names[1]; /* the reader's, while it reads */
	struct ctx_err err;

	memset(stream, 0, sizeof *stream);
	stream->forced = dialect;
	names[0] = name;
	NEED(ctx_reader_open(&stream->reader, names, 1, &err) == 0);
}

static void
close_stream(struct ctx_stream *stream)
{
	ctx_reader_close(stream->reader);
	ctx_stream_release(stream);
}

/* Truncates in into out. */
static void
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
	CHECK(ctx_writer_close(&writer, &err) == 0);
	ctx_writer_release(&writer);
	close_stream(&stream);
	read_file(out_name, out);
}

/* ---- one text ---- */

/* Is got the beginning of text->plain, a mark, and its end, separated where
 * cuts may fall? */
static bool
is_cut(const struct text *text, const struct ctx_buf *got, size_t mark_at,
    size_t mark_n)
{
	const struct ctx_buf *plain = &text->plain;
	size_t tail = got->n - mark_at - mark_n;

	return mark_at + tail <= plain->n &&
	    memcmp(got->p, plain->p, mark_at) == 0 &&
	    memcmp(got->p + mark_at + mark_n, plain->p + plain->n - tail,
		tail) == 0 &&
	    is_stop(text, mark_at) && is_stop(text, plain->n - tail);
}

/* The bytes of a mark or an ellipsis at this place, or 0. */
static size_t
mark_here(const char *p, size_t n, const char *unit)
{
	char mark[100], *end;
	unsigned long long gone;
	int length;

	if (n >= 3 && memcmp(p, ELLIPSIS, 3) == 0)
		return 3;
	if (n < 8 || memcmp(p, "\n[" ELLIPSIS " ", 6) != 0)
		return 0;
	gone = strtoull(p + 6, &end, 10);
	length = snprintf(mark, sizeof mark,
	    "\n[" ELLIPSIS " %llu %s%s truncated " ELLIPSIS "]\n", gone, unit,
	    gone == 1 ? "" : "s");
	return (size_t)length <= n && memcmp(p, mark, (size_t)length) == 0
	    ? (size_t)length
	    : 0;
}

static const char *const units[] = {"character", "byte", "token", "line"};

/* Is what was left of a text one of the results that are allowed? */
static bool
is_left(const struct text *text, const struct ctx_buf *got, enum ctx_size unit)
{
	size_t at, n;

	for (at = 0; at < got->n; at++)
		if ((n = mark_here(got->p + at, got->n - at, units[unit])) >
			0 &&
		    is_cut(text, got, at, n))
			return true;
	/* Where no mark fits there is none. */
	for (at = 0; got->n < 12 && at <= got->n; at++)
		if (is_cut(text, got, at, 0))
			return true;
	return false;
}

static void
complain(const struct text *text, const struct ctx_buf *got, unsigned unit,
    unsigned keep, uint64_t limit)
{
	printf("# %s, keep %u, limit %llu: %.*s\n# from %.*s\n", units[unit],
	    keep, (unsigned long long)limit, (int)got->n, got->p,
	    (int)text->literal.n, text->literal.p);
}

/* Cuts a text in a result in all ways, to a limit between nothing and more
 * than all of it. */
static void
one_text(struct sizes *sizes, struct text *text, enum ctx_size unit)
{
	const struct ctx_dialect *dialect = ctx_dialect_find("openai-chat");
	struct ctx_truncate_config options = {.unit = unit};
	struct ctx_buf in = {0}, out = {0}, again = {0}, got = {0};
	uint64_t full = size_of(sizes, unit, text->full.p, text->full.n);
	uint64_t plain = size_of(sizes, unit, text->plain.p, text->plain.n);
	const size_t head = strlen("{\"role\":\"tool\",\"tool_call_id\":\"a\","
				   "\"content\":");
	struct ctx_err err;
	bool right;

	add_string(&in,
	    "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":");
	add(&in, text->literal.p, text->literal.n);
	add_string(&in, "}\n");
	options.keep = (enum ctx_keep)up_to(3);
	options.head = up_to(5);
	options.tail = options.head == 0 ? 1 : up_to(4);
	options.limit = 1 + up_to((size_t)full + 3);
	if (up_to(3) == 0)
		options.limit = 1 + up_to(60);
	truncate_text(sizes, &options, dialect, &in, &out);
	NEED(out.n > head + 3);
	NEED(ctx_json_string_decode(&got,
		 (struct ctx_str){out.p + head, out.n - head - 2}, &err) == 0);
	if (full <= options.limit)
		right = out.n == in.n && memcmp(out.p, in.p, in.n) == 0;
	else if (plain <= options.limit)
		right = got.n == text->plain.n &&
		    memcmp(got.p, text->plain.p, got.n) == 0;
	else
		right = is_left(text, &got, unit);
	right = right && size_of(sizes, unit, got.p, got.n) <= options.limit;
	truncate_text(sizes, &options, dialect, &out, &again);
	right = right && again.n == out.n && memcmp(again.p, out.p, out.n) == 0;
	CHECK(right);
	if (!right)
		complain(text, &got, unit, options.keep, options.limit);
	ctx_buf_release(&in);
	ctx_buf_release(&out);
	ctx_buf_release(&again);
	ctx_buf_release(&got);
}

static void
texts(struct sizes *sizes)
{
	static struct text text;
	static const char *const names[] = {
	    "a text is cut in characters where it may be, and fits", "in bytes",
	    "in tokens", "in lines"};
	unsigned unit, i;

	for (unit = 0; unit < 4; unit++) {
		tap_case(names[unit]);
		for (i = 0; i < 400; i++) {
			make(&text, 1 + up_to(i % 10 == 0 ? 900 : 90),
			    unit == CTX_SIZE_LINES);
			one_text(sizes, &text, (enum ctx_size)unit);
		}
	}
	ctx_buf_release(&text.literal);
	ctx_buf_release(&text.full);
	ctx_buf_release(&text.plain);
}

/* ---- by a walk over all of it ---- */

/* Prints a mark that says that this many units were removed. */
static size_t
print_mark(char mark[100], enum ctx_size unit, uint64_t gone)
{
	return (size_t)snprintf(mark, 100,
	    "\n[" ELLIPSIS " %llu %s%s truncated " ELLIPSIS "]\n",
	    (unsigned long long)gone, units[unit], gone == 1 ? "" : "s");
}

/* Chooses the mark, which is empty if none fits; parts what is left. */
static bool
find_rooms(const struct ctx_truncate_config *options, uint64_t total,
    char mark[100], uint64_t *head, uint64_t *tail)
{
	bool lines = options->unit == CTX_SIZE_LINES, full = true;
	uint64_t size, room, all = options->head + options->tail;

	size = size_of(NULL, options->unit, mark,
	    print_mark(mark, options->unit, total));
	if (lines && options->keep != CTX_KEEP_TAIL && options->limit > 1)
		size--;
	if (size > options->limit) {
		full = false;
		memcpy(mark, ELLIPSIS, sizeof ELLIPSIS);
		size = size_of(NULL, options->unit, mark, strlen(mark));
	}
	if (size > options->limit) {
		mark[0] = '\0';
		size = 0;
	}
	room = options->limit - size;
	*head = options->keep == CTX_KEEP_TAIL ? 0
	    : options->keep == CTX_KEEP_HEAD   ? room
					       : room * options->head / all;
	if (lines && options->keep == CTX_KEEP_ENDS && *head == 0 && room > 0)
		*head = 1;
	*tail = options->keep == CTX_KEEP_HEAD ? 0 : room - *head;
	return full;
}

/* Of the places that leave a text's clusters and marks whole: the last that
 * the head has room for, the first that the tail has; and what is between. */
static uint64_t
find_span(enum ctx_size unit, const struct ctx_buf *text, uint64_t total,
    uint64_t head_room, uint64_t tail_room, size_t *head, size_t *tail)
{
	const char *p = text->p;
	uint64_t before, size, head_size = 0, tail_size = total;
	struct ctx_grapheme grapheme = {0};
	struct protected_span_walk walk;
	struct protected_span span;
	size_t at, n = 1;
	uint32_t cp;
	bool more, found = false;

	*head = 0;
	*tail = text->n;
	ctx_protected_spans_begin(&walk, p, text->n);
	more = ctx_protected_span_next(&walk, &span);
	for (at = 0; at <= text->n; at += n) {
		while (more && span.to <= at)
			more = ctx_protected_span_next(&walk, &span);
		n = 1;
		if (at < text->n) {
			n = ctx_utf8_next(p + at, text->n - at, &cp);
			if (!ctx_grapheme_next(&grapheme, cp) ||
			    (more && span.from < at))
				continue;
		}
		before = size = size_of(NULL, unit, p, at);
		/* A line that has begun has not ended, except by the end. */
		if (unit == CTX_SIZE_LINES && at > 0) {
			before -= p[at - 1] != '\n' && at < text->n;
			size = before + (p[at - 1] == '\n' || at < text->n);
		}
		if (size <= head_room) {
			*head = at;
			head_size = size;
		}
		if (!found && total - before <= tail_room) {
			found = true;
			*tail = at;
			tail_size = before;
		}
	}
	return tail_size - head_size;
}

/* What is left of a text in any unit but tokens. */
static void
cut_slowly(const struct ctx_truncate_config *options,
    const struct ctx_buf *text, struct ctx_buf *left)
{
	uint64_t total = size_of(NULL, options->unit, text->p, text->n);
	uint64_t head_room, tail_room, gone;
	size_t head, tail;
	char mark[100];
	bool full;

	left->n = 0;
	if (total <= options->limit) {
		add(left, text->p, text->n);
		return;
	}
	full = find_rooms(options, total, mark, &head_room, &tail_room);
	gone = find_span(options->unit, text, total, head_room, tail_room,
	    &head, &tail);
	if (full)
		(void)print_mark(mark, options->unit, gone);
	add(left, text->p, head);
	add_string(left, mark);
	add(left, text->p + tail, text->n - tail);
}

/* What joins with what stands ahead of it, perhaps far. */
static const char *const joining[] = {"a", " ", "\n", "\r", "\t",
    "\xe4\xb8\xad", "\xcc\x81", "\xe2\x80\x8d", "\xf0\x9f\x87\xa9",
    "\xf0\x9f\x91\xa9", "\xf0\x9f\x8f\xbd", "\xe0\xa4\x95", "\xe0\xa5\x8d",
    "\xd8\x80", "\xe1\x84\x92", "\xe1\x85\xa1", "\xe1\x86\xab", "\xea\xb0\x80",
    "plain words, and more of them",
    "[" ELLIPSIS " 12 characters truncated " ELLIPSIS "]"};

/* A text of a few of these, which so come in long runs. */
static void
make_joining(struct text *text)
{
	size_t n = 1 + up_to(up_to(2) == 0 ? 20 : 300), i;
	size_t first = up_to(LENGTH(joining));
	size_t few = 1 + up_to(LENGTH(joining));
	const char *s;

	clear(text);
	add_string(&text->literal, "\"");
	for (i = 0; i < n; i++) {
		s = joining[(first + up_to(few)) % LENGTH(joining)];
		add_spelled(text, s, strlen(s));
	}
	add_string(&text->literal, "\"");
}

static bool
is_cut_slowly(struct sizes *sizes, const struct text *text,
    struct ctx_truncate_config *options)
{
	static const char head[] = "{\"role\":\"tool\",\"tool_call_id\":\"a\","
				   "\"content\":";
	struct ctx_buf in = {0}, out = {0}, got = {0}, want = {0};
	struct ctx_err err;
	bool right;

	add_string(&in, head);
	add(&in, text->literal.p, text->literal.n);
	add_string(&in, "}\n");
	truncate_text(sizes, options, ctx_dialect_find("openai-chat"), &in,
	    &out);
	NEED(out.n > strlen(head) + 3);
	NEED(ctx_json_string_decode(&got,
		 (struct ctx_str){out.p + strlen(head),
		     out.n - strlen(head) - 2},
		 &err) == 0);
	cut_slowly(options, &text->full, &want);
	right = got.n == want.n &&
	    (want.n == 0 || memcmp(got.p, want.p, want.n) == 0);
	ctx_buf_release(&in);
	ctx_buf_release(&out);
	ctx_buf_release(&got);
	ctx_buf_release(&want);
	return right;
}

static void
slowly(struct sizes *sizes)
{
	static const enum ctx_size some[] = {CTX_SIZE_CHARS, CTX_SIZE_BYTES,
	    CTX_SIZE_LINES};
	struct ctx_truncate_config options = {.unit = CTX_SIZE_CHARS};
	static struct text text;
	bool right;
	size_t i;

	tap_case("long grapheme clusters are cut where a slow walk says");
	for (i = 0; i < 3000; i++) {
		make_joining(&text);
		options.unit = some[i % 3];
		options.keep = (enum ctx_keep)up_to(3);
		options.head = up_to(5);
		options.tail = options.head == 0 ? 1 : up_to(4);
		options.limit = 1 +
		    up_to((size_t)size_of(sizes, options.unit, text.full.p,
			      text.full.n) +
			2);
		right = is_cut_slowly(sizes, &text, &options);
		CHECK(right);
		if (!right)
			printf("# %s, keep %u, %u:%u, limit %llu: %.*s\n",
			    units[options.unit], options.keep,
			    (unsigned)options.head, (unsigned)options.tail,
			    (unsigned long long)options.limit,
			    (int)text.literal.n, text.literal.p);
	}
	ctx_buf_release(&text.literal);
	ctx_buf_release(&text.full);
}

/* ---- every dialect ---- */

/* Makes the bodies of results, and the texts, of a corpus file hostile. */
static size_t
poison(char *name, struct ctx_buf *out)
{
	static struct text text;
	struct ctx_edits edits = {0};
	struct ctx_stream stream;
	struct ctx_event event;
	struct ctx_buf body = {0};
	struct ctx_err err;
	size_t changed = 0, i;
	int rc;

	out->n = 0;
	open_stream(&stream, name, NULL);
	while ((rc = ctx_stream_next(&stream, &event, &err)) > 0) {
		if (event.kind == CTX_EVENT_RECORD) {
			NEED(ctx_edits_apply(&edits, event.record->text, out,
				 &err) == 0);
			ctx_edits_reset(&edits);
		}
		for (i = 0;
		     event.kind == CTX_EVENT_MESSAGE && i < event.message->n;
		     i++) {
			const struct ctx_block *block =
			    &event.message->blocks[i];
			const char *const *around =
			    event.layout->dialect->text_result_form;
			bool result = block->kind == CTX_BLOCK_TOOL_RESULT;

			if (block->payload == 0 || block->result_index != 0 ||
			    (!result &&
				(block->kind != CTX_BLOCK_TEXT ||
				    event.message->json->nodes[block->payload]
					    .kind != CTX_JSON_STRING)))
				continue;
			make(&text, 200, false);
			body.n = 0;
			add_string(&body, result ? around[0] : "");
			add(&body, text.literal.p, text.literal.n);
			add_string(&body, result ? around[1] : "");
			NEED(ctx_edits_replace(&edits,
				 ctx_json_str(event.message->json,
				     block->payload),
				 body.p, body.n, &err) == 0);
			changed++;
		}
	}
	NEED(rc == 0);
	close_stream(&stream);
	ctx_edits_release(&edits);
	ctx_buf_release(&body);
	return changed;
}

/* A body that holds just a text as poison writes it: the text's literal. */
static struct ctx_str
inner(struct ctx_str raw, const char *const around[2])
{
	size_t before = strlen(around[0]), after = strlen(around[1]);

	if (raw.n > before + after && memcmp(raw.p, around[0], before) == 0 &&
	    memcmp(raw.p + raw.n - after, around[1], after) == 0)
		return (struct ctx_str){raw.p + before, raw.n - before - after};
	return raw;
}

/* The size of the texts of a part: those it owns, else its own. */
static uint64_t
part_size(struct sizes *sizes, enum ctx_size unit,
    const struct ctx_dialect *dialect, const struct ctx_message *message,
    size_t i, struct ctx_buf *text)
{
	uint64_t size = 0;
	struct ctx_str raw;
	struct ctx_err err;
	size_t k = i;
	bool owns =
	    i + 1 < message->n && message->blocks[i + 1].result_index == i + 1;

	for (k = owns ? i + 1 : i; k < message->n &&
	     (k == i || message->blocks[k].result_index == i + 1);
	     k++) {
		raw = ctx_json_str(message->json, message->blocks[k].payload);
		if (message->blocks[k].kind == CTX_BLOCK_MEDIA)
			continue;
		if (!owns)
			raw = inner(raw, dialect->text_result_form);
		text->n = 0;
		if (raw.n > 0 && raw.p[0] == '"')
			NEED(ctx_json_string_decode(text, raw, &err) == 0);
		else
			add(text, raw.p, raw.n);
		size += size_of(sizes, unit, text->p, text->n);
	}
	return size;
}

/* Counts the results of a stream that are over the limit, and the texts of
 * messages; and notes the kinds of all parts that hold no block. */
static unsigned
count_over(struct sizes *sizes, struct ctx_truncate_config *options,
    const struct ctx_dialect *dialect, struct ctx_buf *kinds)
{
	struct ctx_stream stream;
	struct ctx_event event;
	struct ctx_buf text = {0};
	struct ctx_err err;
	unsigned over = 0;
	uint64_t texts_size;
	size_t i;
	char kind;
	int rc;

	kinds->n = 0;
	open_stream(&stream, in_name, dialect);
	while ((rc = ctx_stream_next(&stream, &event, &err)) > 0) {
		if (event.kind != CTX_EVENT_MESSAGE)
			continue;
		texts_size = 0;
		for (i = 0; i < event.message->n; i++) {
			const struct ctx_block *block =
			    &event.message->blocks[i];

			if (block->result_index != 0 || block->payload == 0)
				continue;
			kind = (char)('a' + block->kind);
			add(kinds, &kind, 1);
			if (block->kind == CTX_BLOCK_TEXT)
				texts_size += part_size(sizes, options->unit,
				    event.layout->dialect, event.message, i,
				    &text);
			if (block->kind == CTX_BLOCK_TOOL_RESULT &&
			    part_size(sizes, options->unit,
				event.layout->dialect, event.message, i,
				&text) > options->limit)
				over++;
		}
		over += options->message > 0 && texts_size > options->message;
	}
	NEED(rc == 0);
	close_stream(&stream);
	ctx_buf_release(&text);
	return over;
}

static void
one_file(struct sizes *sizes, char *name, size_t *changed)
{
	struct ctx_buf in = {0}, out = {0}, again = {0}, was = {0}, is = {0};
	struct ctx_truncate_config options = {.head = 3, .tail = 1};
	static const uint64_t limits[] = {3, 40, 150, 1000};
	size_t i;
	unsigned over;

	*changed += poison(name, &in);
	for (i = 0; i < 12; i++) {
		options.unit = (enum ctx_size)(i % 4);
		options.keep = (enum ctx_keep)(i / 4);
		options.limit = limits[up_to(4)];
		/* A text of nothing at all is not every provider's. */
		options.message =
		    options.unit == CTX_SIZE_LINES ? 2 : limits[1 + up_to(3)];
		truncate_text(sizes, &options, NULL, &in, &out);
		write_file(in_name, in.p, in.n);
		(void)count_over(sizes, &options, NULL, &was);
		write_file(in_name, out.p, out.n);
		over = count_over(sizes, &options, NULL, &is);
		if (over > 0)
			printf("# %s: unit %u keep %u limit %llu/%llu: %u "
			       "over\n",
			    name, options.unit, options.keep,
			    (unsigned long long)options.limit,
			    (unsigned long long)options.message, over);
		CHECK(over == 0);
		/* If a text is removed wholly, its block may be, too. */
		CHECK(is.n <= was.n && is.n > 0);
		truncate_text(sizes, &options, NULL, &out, &again);
		CHECK(again.n == out.n && memcmp(again.p, out.p, out.n) == 0);
	}
	ctx_buf_release(&in);
	ctx_buf_release(&out);
	ctx_buf_release(&again);
	ctx_buf_release(&was);
	ctx_buf_release(&is);
}

static void
dialects(struct sizes *sizes)
{
	char dir_name[300], name[600];
	struct dirent *sub, *file;
	size_t files = 0, changed;
	DIR *corpus, *dir;

	tap_case("the corpus of every dialect, with hostile texts inserted");
	corpus = opendir(CORPUS);
	NEED(corpus != NULL);
	while ((sub = readdir(corpus)) != NULL) {
		(void)snprintf(dir_name, sizeof dir_name, "%s/%s", CORPUS,
		    sub->d_name);
		if (sub->d_name[0] == '.' || (dir = opendir(dir_name)) == NULL)
			continue;
		changed = 0;
		while ((file = readdir(dir)) != NULL) {
			if (file->d_name[0] == '.')
				continue;
			(void)snprintf(name, sizeof name, "%s/%s", dir_name,
			    file->d_name);
			one_file(sizes, name, &changed);
			files++;
		}
		CHECK(changed > 0);
		closedir(dir);
	}
	closedir(corpus);
	CHECK(files > 50);
}

static void
choose_encoding(struct sizes *sizes, const char *name)
{
	struct ctx_err err;

	sizes->counters.encoding = name;
	NEED(ctx_model_counters_find(&sizes->counters,
		 (struct ctx_str){NULL, 0}, &sizes->model_counter, &err) == 0);
}

int
main(void)
{
	const char *tmp = getenv("TMPDIR");
	struct sizes sizes = {0};

	(void)snprintf(in_name, sizeof in_name, "%.30s/ctx-in-%ld",
	    tmp != NULL ? tmp : "/tmp", (long)getpid());
	(void)snprintf(out_name, sizeof out_name, "%.30s/ctx-out-%ld",
	    tmp != NULL ? tmp : "/tmp", (long)getpid());
	choose_encoding(&sizes, "o200k_base");
	texts(&sizes);
	slowly(&sizes);
	/* With one encoding for all messages, whatever model they name. */
	dialects(&sizes);
	choose_encoding(&sizes, "claude-4.8");
	dialects(&sizes);
	ctx_model_counters_release(&sizes.counters);
	unlink(in_name);
	unlink(out_name);
	return tap_done();
}
