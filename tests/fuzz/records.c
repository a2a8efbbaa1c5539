/*
 * records.c - mutations of a stream that keep most records and values valid
 *
 * If single bytes of a stream are changed, it is soon not a stream any more.
 * So in half of the mutations, lines are removed or repeated (also lines of
 * another input), or elements and values of a line are removed, repeated or
 * exchanged.
 */
#include "json/json.h"
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
    unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
    const uint8_t *other, size_t other_size, uint8_t *out, size_t max,
    unsigned seed);

static uint64_t state;

/* Returns a random number below n, or 0 if n is 0. */
static size_t
below(size_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return n == 0 ? 0 : (size_t)((state >> 33) % n);
}

static struct ctx_str
piece(struct ctx_str text, size_t from, size_t to)
{
	return (struct ctx_str){text.p + from, to - from};
}

static bool
add(struct ctx_buf *out, struct ctx_str text)
{
	struct ctx_err err;

	return text.n == 0 || ctx_buf_add(out, text.p, text.n, &err) == 0;
}

/* Returns line number i of a text with its line end; the last line if there are
 * fewer lines. */
static struct ctx_str
line_of(struct ctx_str text, size_t i)
{
	const char *end;
	size_t n;

	for (;; i--) {
		end = text.n > 0 ? memchr(text.p, '\n', text.n) : NULL;
		n = end != NULL ? (size_t)(end - text.p) + 1 : text.n;
		if (i == 0 || n == text.n)
			return (struct ctx_str){text.p, n};
		text.p += n;
		text.n -= n;
	}
}

static size_t
count_lines(struct ctx_str text)
{
	size_t i, n = 1;

	for (i = 0; i + 1 < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

/* Copies a text with one change: blanks before a line, a line less, or an
 * additional line of the text "from". */
static bool
change_lines(struct ctx_buf *out, struct ctx_str text, struct ctx_str from)
{
	struct ctx_str at = line_of(text, below(count_lines(text)));
	struct ctx_str more = line_of(from, below(count_lines(from)));
	struct ctx_str blanks = {" \t \r", 4};
	size_t here = (size_t)(at.p - text.p);

	switch (below(4)) {
	case 0:
		return add(out, piece(text, 0, here)) &&
		    add(out, piece(text, here + at.n, text.n));
	case 1:
		return add(out, piece(text, 0, here)) &&
		    add(out, piece(blanks, 0, 1 + below(blanks.n))) &&
		    add(out, piece(text, here, text.n));
	}
	return add(out, piece(text, 0, here)) && add(out, more) &&
	    (more.n == 0 || more.p[more.n - 1] == '\n' ||
		add(out, (struct ctx_str){"\n", 1})) &&
	    add(out, piece(text, here, text.n));
}

/* ---- within a line ---- */

struct span {
	size_t from, to;
};

/* Returns the span of a random element of an array, or of a member with its
 * key. */
static struct span
element_of(const struct ctx_json *json, uint32_t box)
{
	const struct ctx_node *nodes = json->nodes;
	bool object = nodes[box].kind == CTX_JSON_OBJECT;
	size_t i = below(ctx_json_count(json, box));
	uint32_t at = box + 1;

	for (; i > 0; i--)
		at = nodes[at + object].next;
	return (struct span){nodes[at].at, nodes[at + object].end};
}

/* Returns a random array or object that is not empty, or 0 if none was
 * found. */
static uint32_t
box_of(const struct ctx_json *json)
{
	uint32_t node;
	int tries;

	for (tries = 0; tries < 20; tries++) {
		node = (uint32_t)below(json->n);
		if (json->nodes[node].next > node + 1)
			return node;
	}
	return 0;
}

/* Copies a text without an element and the comma beside it.  The bracket of its
 * array or object is before the span. */
static bool
lose(struct ctx_buf *out, struct ctx_str text, struct span span)
{
	while (strchr(" ,", text.p[span.from - 1]) != NULL)
		span.from--;
	if (strchr("[{", text.p[span.from - 1]) != NULL)
		while (
		    span.to < text.n && strchr(" ,", text.p[span.to]) != NULL)
			span.to++;
	return add(out, piece(text, 0, span.from)) &&
	    add(out, piece(text, span.to, text.n));
}

/* Copies a text in which the bytes of the span "from" also stand at the span
 * "to".  If exchange is true, the bytes of both spans are exchanged. */
static bool
copy(struct ctx_buf *out, struct ctx_str text, struct span to, struct span from,
    bool exchange)
{
	struct span first = to.from < from.from ? to : from;
	struct span last = to.from < from.from ? from : to;

	if (first.to > last.from || !exchange)
		return add(out, piece(text, 0, to.from)) &&
		    add(out, piece(text, from.from, from.to)) &&
		    add(out, piece(text, to.to, text.n));
	return add(out, piece(text, 0, first.from)) &&
	    add(out, piece(text, last.from, last.to)) &&
	    add(out, piece(text, first.to, last.from)) &&
	    add(out, piece(text, first.from, first.to)) &&
	    add(out, piece(text, last.to, text.n));
}

/* Replaces a value by a value with little content. */
static bool
blank(struct ctx_buf *out, struct ctx_str text, struct span at)
{
	static const char *const values[] = {"null", "\"\"", "[]", "{}", "0",
	    "\" \"", "true", "\"x\"", "[\"x\"]"};
	const char *value = values[below(sizeof values / sizeof *values)];

	return add(out, piece(text, 0, at.from)) &&
	    add(out, (struct ctx_str){value, strlen(value)}) &&
	    add(out, piece(text, at.to, text.n));
}

/* Copies a line of JSON with one random change. */
static bool
change_values(struct ctx_buf *out, struct ctx_str text,
    const struct ctx_json *json)
{
	uint32_t box = box_of(json), one, other;
	struct span a, b;

	if (json->nodes[box].next == box + 1)
		return add(out, text);
	a = element_of(json, box);
	b = element_of(json, box);
	switch (below(5)) {
	case 0:
		return lose(out, text, a);
	case 1: /* repeats an element */
		return add(out, piece(text, 0, b.to)) &&
		    add(out, (struct ctx_str){",", 1}) &&
		    add(out, piece(text, a.from, a.to)) &&
		    add(out, piece(text, b.to, text.n));
	case 2:
		return copy(out, text, a, b, true);
	case 3:
		one = (uint32_t)below(json->n);
		other = (uint32_t)below(json->n);
		return copy(out, text,
		    (struct span){json->nodes[one].at, json->nodes[one].end},
		    (struct span){json->nodes[other].at,
			json->nodes[other].end},
		    below(2) == 0);
	default:
		one = (uint32_t)below(json->n);
		return blank(out, text,
		    (struct span){json->nodes[one].at, json->nodes[one].end});
	}
}

static bool
change_record(struct ctx_buf *out, struct ctx_str text)
{
	struct ctx_str line = line_of(text, below(count_lines(text)));
	size_t here = (size_t)(line.p - text.p), used;
	struct ctx_json json;
	struct ctx_err err;
	bool done;

	ctx_json_init(&json, CTX_SIMD_BEST);
	done = add(out, piece(text, 0, here));
	if (ctx_json_scan(&json, line.p, line.n, &used, &err) == 1)
		done = done && change_values(out, line, &json);
	else
		done = done && add(out, line);
	ctx_json_release(&json);
	return done && add(out, piece(text, here + line.n, text.n));
}

/* ---- called by libFuzzer ---- */

/* Returns the stream in an input, without the bytes that the target reads
 * itself. */
static struct ctx_str
stream_of(const uint8_t *data, size_t size)
{
	size_t head = fuzz_head(data, size);

	if (head > size)
		head = size;
	return (struct ctx_str){(const char *)data + head, size - head};
}

/* Writes the changed stream after the first bytes of an input (which the target
 * reads itself).  Does nothing if the stream is too long. */
static size_t
put(uint8_t *data, size_t size, size_t max, const struct ctx_buf *made)
{
	size_t head = size - stream_of(data, size).n;

	if (made->n == 0 || head + made->n > max)
		return size;
	memcpy(data + head, made->p, made->n);
	return head + made->n;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t steps;

	state = seed;
	if (below(2) == 0)
		return LLVMFuzzerMutate(data, size, max);
	for (steps = 1 + below(4); steps > 0; steps--) {
		struct ctx_str text = stream_of(data, size);
		struct ctx_buf made = {0};

		if (below(2) == 0 ? change_lines(&made, text, text)
				  : change_record(&made, text))
			size = put(data, size, max, &made);
		ctx_buf_release(&made);
	}
	return size;
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
    const uint8_t *other, size_t other_size, uint8_t *out, size_t max,
    unsigned seed)
{
	struct ctx_str text = stream_of(data, size);
	struct ctx_str from = stream_of(other, other_size);
	struct ctx_buf made = {0};
	size_t head = size - text.n;

	state = seed;
	if (size > max)
		return 0;
	memcpy(out, data, size);
	if (change_lines(&made, text, from) && head + made.n <= max)
		size = put(out, size, max, &made);
	ctx_buf_release(&made);
	return size;
}
