/*
 * protected_spans.c - tests spans of a text that must not be divided, compared
 * with a slow search at every byte
 *
 * The texts are made of parts of such spans, and of similar parts.
 */
#include <ctype.h>

#include "truncate/text_segments.h"
#include "tap.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])
#define OPEN      "[\xe2\x80\xa6 "
#define CLOSE     " \xe2\x80\xa6]"
#define PARTS     60
#define DIGITS    400

static unsigned long long state = 1;

static size_t
up_to(size_t n)
{
	return (size_t)(tap_random(&state) >> 33) % n;
}

/* ---- the slow search ---- */

static bool
is_base64(char c)
{
	return isalnum((unsigned char)c) ||
	    (c != '\0' && strchr("+/=-_", c) != NULL);
}

static bool
stands(const char *p, size_t n, size_t at, const char *what)
{
	return n - at >= strlen(what) &&
	    memcmp(p + at, what, strlen(what)) == 0;
}

/* Returns the end of the mark that begins at this offset, or the offset if
 * there is no mark. */
static size_t
mark_end(const char *p, size_t n, size_t from)
{
	size_t at = from + strlen(OPEN), most = at + 60;

	if (!stands(p, n, from, OPEN) || at == n ||
	    !isdigit((unsigned char)p[at]))
		return from;
	for (; at < n && at < most; at++) {
		if (stands(p, n, at, CLOSE))
			return at + strlen(CLOSE);
		if (p[at] != ' ' && !isdigit((unsigned char)p[at]) &&
		    !islower((unsigned char)p[at]))
			break;
	}
	return from;
}

static size_t
run_end(const char *p, size_t n, size_t at)
{
	while (at < n && is_base64(p[at]))
		at++;
	return at;
}

/* Returns the offset after a line break and at most 32 blanks, if base64
 * continues there, otherwise 0. */
static size_t
next_line(const char *p, size_t n, size_t at)
{
	size_t i;

	at += stands(p, n, at, "\r") ? 1 : stands(p, n, at, "\\r") ? 2 : 0;
	if (!stands(p, n, at, "\n") && !stands(p, n, at, "\\n"))
		return 0;
	at += p[at] == '\n' ? 1 : 2;
	for (i = 0; i < 32 && at < n && (p[at] == ' ' || p[at] == '\t'); i++)
		at++;
	return run_end(p, n, at) > at ? at : 0;
}

static bool
has_all_kinds(const char *p, size_t n)
{
	bool upper = false, lower = false, digit = false;

	for (; n > 0; n--, p++) {
		upper |= isupper((unsigned char)*p) != 0;
		lower |= islower((unsigned char)*p) != 0;
		digit |= isdigit((unsigned char)*p) != 0;
	}
	return upper && lower && digit;
}

/* Returns the end of the payload whose first run is [from, end).  Sets *next to
 * the offset from which the search for the next payload begins. */
static size_t
payload_end(const char *p, size_t n, size_t from, size_t end, bool linked,
    size_t *next)
{
	size_t width = linked ? 0 : end - from, chars = end - from;
	size_t line, stop, full = end;
	char runs[PARTS * DIGITS]; /* space for all runs of a text */

	memcpy(runs, p + from, chars);
	while (end == full && (line = next_line(p, n, end)) != 0) {
		stop = run_end(p, n, line);
		if (width == 0)
			width = stop - line;
		if (width < 40 || width % 4 != 0 || stop - line > width ||
		    (stop - line < width &&
			((stop - line) % 4 != 0 ||
			    (stop < n &&
				strchr("\r\n\"'\\<`,;)]}", p[stop]) == NULL))))
			break;
		memcpy(runs + chars, p + line, stop - line);
		chars += stop - line;
		end = stop;
		if (stop - line == width)
			full = stop;
	}
	*next = end;
	if (linked || (chars >= 256 && has_all_kinds(runs, chars)))
		return end;
	*next = full;
	return from;
}

static bool
slow_next(const char *p, size_t n, size_t *at, struct protected_span *span)
{
	size_t from = *at, end;
	bool linked;

	for (; from < n; from++) {
		if ((end = mark_end(p, n, from)) > from) {
			*span =
			    (struct protected_span){.from = from, .to = end};
			*at = end;
			return true;
		}
		if (!is_base64(p[from]) || (from > 0 && p[from - 1] == '\\'))
			continue;
		linked = from >= 8 && stands(p, n, from - 8, ";base64,");
		end = run_end(p, n, from);
		*at = end;
		if (linked || end - from >= 40)
			end = payload_end(p, n, from, end, linked, at);
		else
			end = from;
		if (end > from && end < n && (unsigned char)p[end] >= 0x80)
			end--;
		if (end > from && from > 0 &&
		    (unsigned char)p[from - 1] >= 0x80)
			from++;
		if (end > from) {
			*span = (struct protected_span){.from = from,
			    .to = end,
			    .is_payload = true};
			return true;
		}
		from = *at - 1;
	}
	return false;
}

/* ---- texts ---- */

static const char *const parts[] = {"a", "Zz9", " ", "word ", "\n", "\r\n",
    "\\n", "\\r\\n", "\\", "\n   ", "\"", ",", ";", "=", "==", "[", "]",
    "\xc3\xa9", "\xcc\x81", "\xe2\x80\xa6", ";base64,", ";base64,QUJD",
    "data:image/png;base64,iVBORw0KGgo=", "base64,", ";base64,\n", OPEN, CLOSE,
    OPEN "12 lines truncated" CLOSE, OPEN "x" CLOSE, OPEN "7" CLOSE,
    OPEN "8 lines", OPEN "9 L" CLOSE,
    OPEN "1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" CLOSE,
    OPEN "1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" CLOSE,
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
    "cccccccccccccccccccccccccccccccccccccccc"};

static void
add(struct ctx_buf *text, const char *p, size_t n)
{
	struct ctx_err err;

	NEED(ctx_buf_add(text, p, n, &err) == 0);
}

/* Adds lines of base64, with characters of all kinds, or without digits. */
static void
add_lines(struct ctx_buf *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkl"
				     "mnopqrstuvwxyz+/-_0123456789";
	static const size_t widths[] = {1, 36, 39, 40, 41, 64, 76, 300};
	static const char *const ends[] = {"\n", "\r\n", "\\n", "\\r\\n",
	    "\n\t ", " "};
	const char *end = ends[up_to(LENGTH(ends))];
	size_t n = 1 + up_to(DIGITS), width = widths[up_to(LENGTH(widths))], i;
	size_t kinds = up_to(4) == 0 ? 56 : 66;

	for (i = 0; i < n; i++) {
		if (i > 0 && i % width == 0)
			add(text, end, strlen(end));
		add(text, digits + up_to(kinds), 1);
	}
}

static void
make(struct ctx_buf *text)
{
	size_t n = up_to(PARTS);
	const char *part;

	text->n = 0;
	while (n-- > 0) {
		if (up_to(12) == 0) {
			add_lines(text);
			continue;
		}
		part = parts[up_to(LENGTH(parts))];
		add(text, part, strlen(part));
	}
}

static bool
is_same(const struct ctx_buf *text, size_t *spans, size_t *payloads)
{
	struct protected_span fast, slow;
	struct protected_span_walk walk;
	size_t at = 0;
	bool more;

	ctx_protected_spans_begin(&walk, text->p, text->n);
	do {
		more = slow_next(text->p, text->n, &at, &slow);
		if (ctx_protected_span_next(&walk, &fast) != more)
			return false;
		if (more &&
		    (fast.from != slow.from || fast.to != slow.to ||
			fast.is_payload != slow.is_payload))
			return false;
		*spans += more;
		*payloads += more && slow.is_payload;
	} while (more);
	return true;
}

int
main(void)
{
	struct ctx_buf text = {0};
	size_t i, spans = 0, payloads = 0;
	bool good = true;

	tap_case(
	    "protected spans are those that a slow search at every byte finds");
	add(&text, "", 1); /* makes sure that the text has an address */
	for (i = 0; i < 60000 && good; i++) {
		make(&text);
		good = is_same(&text, &spans, &payloads);
	}
	CHECK(good);
	if (!good)
		printf("# %.*s\n", (int)text.n, text.p);
	CHECK(spans > 100000 && payloads > 10000);
	ctx_buf_release(&text);
	return tap_done();
}
