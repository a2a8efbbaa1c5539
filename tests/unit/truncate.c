/*
 * truncate.c - tests ctx-truncate with difficult texts
 *
 * Texts are made of parts that must not be divided, written with any escapes.
 * The expected result is computed from these parts.
 */
#include "hostile_text.h"

/* ---- one text ---- */

static bool
is_stop(const struct text *text, size_t at)
{
	size_t i;

	for (i = 0; i < text->n_stops; i++)
		if (text->stops[i] == at)
			return true;
	return false;
}

/* Returns true if got is the beginning of text->plain, a mark, and the end of
 * text->plain, and the text may be divided at both places. */
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

/* Returns the length of the mark or ellipsis at this place, or 0 if there is
 * none. */
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

/* Returns true if a text is only an ellipsis, which may exceed the limit. */
static bool
is_ellipsis(const struct ctx_buf *text)
{
	return text->n == strlen(ELLIPSIS) &&
	    memcmp(text->p, ELLIPSIS, text->n) == 0;
}

/* Returns true if the shortened text is one of the allowed results. */
static bool
is_left(const struct text *text, const struct ctx_buf *got, enum ctx_size unit)
{
	size_t at, n;

	for (at = 0; at < got->n; at++)
		if ((n = mark_here(got->p + at, got->n - at, units[unit])) >
			0 &&
		    is_cut(text, got, at, n))
			return true;
	/* If no mark fits, there is no mark, but some text. */
	for (at = 0; got->n > 0 && got->n < 12 && at <= got->n; at++)
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

/* Shortens a text in a tool result in all ways, to limits between 0 and more
 * than its size. */
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
	right = right &&
	    (is_ellipsis(&got) ||
		size_of(sizes, unit, got.p, got.n) <= options.limit);
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

/* ---- compared with a slow search ---- */

/* Prints a mark that says that this many units were removed. */
static size_t
print_mark(char mark[100], enum ctx_size unit, uint64_t gone)
{
	return (size_t)snprintf(mark, 100,
	    "\n[" ELLIPSIS " %llu %s%s truncated " ELLIPSIS "]\n",
	    (unsigned long long)gone, units[unit], gone == 1 ? "" : "s");
}

/* Chooses the mark, or no mark if none fits.  Divides the remaining limit
 * between the beginning and the end of the text. */
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

/* Finds the offsets at which the text is divided, without splitting clusters
 * and marks: the last that leaves a beginning within head_room, and the first
 * that leaves an end within tail_room.  Returns the size of the removed
 * part. */
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
		/* A line without a line feed counts as a whole line only at the
		 * end of the text. */
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

static bool
is_blank(const char *p, size_t n)
{
	while (n > 0 && strchr(" \t\r\n", p[n - 1]) != NULL)
		n--;
	return n == 0;
}

/* Computes the expected result for all units except tokens. */
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
	if (mark[0] == '\0' && is_blank(text->p, head) &&
	    is_blank(text->p + tail, text->n - tail)) {
		if (text->n > strlen(ELLIPSIS))
			add_string(left, ELLIPSIS);
		else
			add(left, text->p, text->n);
		return;
	}
	add(left, text->p, head);
	add_string(left, mark);
	add(left, text->p + tail, text->n - tail);
}

/* Characters that may form one cluster with characters before them, even far
 * before. */
static const char *const joining[] = {"a", " ", "\n", "\r", "\t",
    "\xe4\xb8\xad", "\xcc\x81", "\xe2\x80\x8d", "\xf0\x9f\x87\xa9",
    "\xf0\x9f\x91\xa9", "\xf0\x9f\x8f\xbd", "\xe0\xa4\x95", "\xe0\xa5\x8d",
    "\xd8\x80", "\xe1\x84\x92", "\xe1\x85\xa1", "\xe1\x86\xab", "\xea\xb0\x80",
    "plain words, and more of them",
    "[" ELLIPSIS " 12 characters truncated " ELLIPSIS "]"};

/* Makes a text of a few of these characters, which are repeated. */
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

int
main(void)
{
	struct sizes sizes = {0};

	name_files();
	choose_encoding(&sizes, "o200k_base");
	texts(&sizes);
	slowly(&sizes);
	finish(&sizes);
	return tap_done();
}
