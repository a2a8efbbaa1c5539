/*
 * summary.c - the built-in summarizer: selects sentences for a summary, without
 * a model
 *
 * The texts are divided into sentences ("lines"), and each line gets a class.
 * Constraints and requests of the user come first, then decisions, then errors,
 * then other lines.  Class by class, lines are selected as long as tokens are
 * free, no line twice.  Within a class, lines with names that also occur in
 * later text come first, and among these the newest.  The selected lines are
 * written in their original order.
 */
#define _GNU_SOURCE /* memmem, in POSIX since 2024 */
#include <stdlib.h>
#include <string.h>

#include "prune/prune.h"

enum { MOST_BYTES = 400, LEAST_BYTES = 12, MOST_FILES = 12, LONGEST_WORD = 16 };

enum line_class { TASK, REQUEST, DECISION, TROUBLE, REST, CLASSES };

struct line {
	uint32_t id; /* id of the line's text in seen */
	enum ctx_summary_kind kind;
	enum line_class class;
	uint64_t tokens;
	/* true if a name in the line also occurs in a text that is kept */
	bool mentioned_later;
	bool taken;
};

struct ctx_summary {
	struct line *lines;
	size_t n, cap;
	/* The texts of all lines.  A line whose text is already there is not
	 * added. */
	struct ctx_intern seen;
	/* Paths of files, in the order in which they are first mentioned. */
	struct ctx_intern files;
	/* for each file: how often it is mentioned */
	uint32_t *mentions;
	size_t mentions_cap;
	struct ctx_intern later; /* names that occur in texts that are kept */
};

int
ctx_summary_open(struct ctx_summary **summary, struct ctx_err *err)
{
	*summary = calloc(1, sizeof **summary);
	return *summary == NULL ? ctx_err_nomem(err) : 0;
}

void
ctx_summary_close(struct ctx_summary *summary)
{
	if (summary == NULL)
		return;
	free(summary->lines);
	free(summary->mentions);
	ctx_intern_release(&summary->seen);
	ctx_intern_release(&summary->files);
	ctx_intern_release(&summary->later);
	free(summary);
}

/* ---- classes of lines ---- */

static char
to_lower_ascii(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns true if the text contains one of several words, in small or capital
 * letters.  words: the list of these words in small letters, which ends with
 * NULL; each has at most LONGEST_WORD bytes. */
static bool
contains_any(struct ctx_str text, const char *const *words)
{
	char lower[4096];
	size_t at, n, i;

	/* The text is searched in pieces.  Two neighbouring pieces overlap, so
	 * that each word is completely in one of them. */
	for (at = 0; at < text.n; at += sizeof lower - LONGEST_WORD) {
		n = text.n - at < sizeof lower ? text.n - at : sizeof lower;
		for (i = 0; i < n; i++)
			lower[i] = to_lower_ascii(text.p[at + i]);
		for (i = 0; words[i] != NULL; i++)
			if (memmem(lower, n, words[i], strlen(words[i])) !=
			    NULL)
				return true;
	}
	return false;
}

static enum line_class
classify_line(enum ctx_summary_kind kind, struct ctx_str text)
{
	static const char *const requests[] = {"?", "must", "n't", "do not",
	    "never", "always", "please", "should", "only", "need", "want",
	    "make sure", "without", "instead", "constraint", NULL};
	static const char *const decisions[] = {"decid", "chose", "because",
	    "instead of", "cause", "fixed", "found", "changed", "renamed",
	    "created", "added", "removed", "done", "works", "pass", "turns out",
	    "will use", "conclu", "agreed", NULL};
	static const char *const troubles[] = {"error:", "failed", "exception",
	    "panic", "fatal", "denied", "not found", "timed out", "undefined",
	    NULL};

	switch (kind) {
	case CTX_SUMMARY_EARLIER:
		return TASK;
	case CTX_SUMMARY_USER:
		return contains_any(text, requests) ? TASK : REQUEST;
	case CTX_SUMMARY_ASSISTANT:
		return contains_any(text, decisions) ? DECISION : REST;
	default:
		return contains_any(text, troubles) ? TROUBLE : CLASSES;
	}
}

/* ---- names: paths, identifiers, numbers ---- */

static bool
is_name_char(char c)
{
	return (c >= '0' && c <= '9') ||
	    (to_lower_ascii(c) >= 'a' && to_lower_ascii(c) <= 'z') ||
	    c == '_' || c == '-' || c == '.' || c == '/';
}

/* Finds what may be a name, from the offset *at on: a row of characters that
 * names consist of.  Sets *name to it and moves *at after it.  Returns false
 * at the end of the text. */
static bool
read_next_name(struct ctx_str text, size_t *at, struct ctx_str *name)
{
	size_t from;

	*name = (struct ctx_str){NULL, 0};
	if (*at >= text.n)
		return false;
	while (*at < text.n && !is_name_char(text.p[*at]))
		++*at;
	from = *at;
	while (*at < text.n && is_name_char(text.p[*at]))
		++*at;
	while (*at > from && strchr(".-/", text.p[from]) != NULL &&
	    text.p[from] != '/')
		from++;
	*name = (struct ctx_str){text.p + from, *at - from};
	while (name->n > 0 &&
	    (name->p[name->n - 1] == '.' || name->p[name->n - 1] == '-'))
		name->n--;
	return *at > from || *at < text.n;
}

/* Returns true if a name is more than an ordinary word: a path, an identifier,
 * or something with digits, of at least four characters. */
static bool
is_telling(struct ctx_str name)
{
	size_t i, capitals = 0;
	bool odd = false;

	if (name.n < 4 || name.n > 120)
		return false;
	for (i = 0; i < name.n; i++) {
		char c = name.p[i];

		odd |= c == '_' || c == '/' || (c >= '0' && c <= '9');
		odd |= c == '.' && i > 0 && i + 1 < name.n;
		capitals += i > 0 && c >= 'A' && c <= 'Z';
	}
	return odd || (capitals > 0 && capitals + 1 < name.n);
}

static bool
is_path(struct ctx_str name)
{
	const char *slash = memchr(name.p, '/', name.n);
	const char *dot = memchr(name.p, '.', name.n);
	const char *end = name.p + name.n;

	if (!is_telling(name))
		return false;
	if (slash != NULL && slash + 1 < end)
		return true;
	/* A path may also be a file name such as name.ext, whose extension has
	 * one to four characters and begins with a letter. */
	return dot != NULL && dot > name.p && end - dot >= 2 &&
	    end - dot <= 5 && to_lower_ascii(dot[1]) >= 'a' &&
	    to_lower_ascii(dot[1]) <= 'z';
}

static int
record_files(struct ctx_summary *s, struct ctx_str text, struct ctx_err *err)
{
	struct ctx_str name;
	uint32_t *grown, id;
	size_t at = 0, known;

	while (read_next_name(text, &at, &name)) {
		if (!is_path(name))
			continue;
		known = s->files.n;
		if (ctx_intern(&s->files, name.p, name.n, &id, err) < 0)
			return -1;
		grown = ctx_grow(s->mentions, &s->mentions_cap, id,
		    sizeof *grown, err);
		if (grown == NULL)
			return -1;
		s->mentions = grown;
		if (id > known)
			grown[id - 1] = 0;
		grown[id - 1]++;
	}
	return 0;
}

int
ctx_summary_later(struct ctx_summary *s, const char *p, size_t n,
    struct ctx_err *err)
{
	struct ctx_str text = {p, n}, name;
	uint32_t id;
	size_t at = 0;

	while (read_next_name(text, &at, &name))
		if (is_telling(name) &&
		    ctx_intern(&s->later, name.p, name.n, &id, err) < 0)
			return -1;
	return 0;
}

static bool
is_mentioned_later(const struct ctx_summary *s, struct ctx_str text)
{
	struct ctx_str name;
	size_t at = 0;

	while (read_next_name(text, &at, &name))
		if (is_telling(name) &&
		    ctx_intern_has(&s->later, name.p, name.n))
			return true;
	return false;
}

/* ---- texts to lines ---- */

static bool
is_space_char(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Returns the length in bytes of the first sentence of a text, which also ends
 * at a line feed.  It is at least 1. */
static size_t
find_sentence_end(struct ctx_str text)
{
	static const char full_stop[] = "\xe3\x80\x82"; /* U+3002 */
	size_t i;

	for (i = 0; i < text.n; i++) {
		if (text.p[i] == '\n')
			return i + 1;
		if ((text.p[i] == '.' || text.p[i] == '?' ||
			text.p[i] == '!') &&
		    i > 20 && i + 1 < text.n && is_space_char(text.p[i + 1]))
			return i + 1;
		if (text.p[i] == full_stop[0] && i + 3 <= text.n &&
		    memcmp(text.p + i, full_stop, 3) == 0)
			return i + 3;
	}
	return text.n;
}

/* Returns how many bytes of a line are used for the summary.  A long line is
 * cut between words or, if that is not possible, between characters. */
static size_t
find_line_limit(struct ctx_str text)
{
	size_t n = MOST_BYTES;

	if (text.n <= MOST_BYTES)
		return text.n;
	while (n > MOST_BYTES / 2 && !is_space_char(text.p[n]))
		n--;
	if (n == MOST_BYTES / 2)
		for (n = MOST_BYTES; n > 0 && (text.p[n] & 0xc0) == 0x80; n--)
			continue;
	return n;
}

static struct ctx_str
trim_blanks(struct ctx_str text)
{
	while (text.n > 0 && is_space_char(text.p[0])) {
		text.p++;
		text.n--;
	}
	while (text.n > 0 && is_space_char(text.p[text.n - 1]))
		text.n--;
	return text;
}

static int
add_summary_line(struct ctx_summary *s, enum ctx_summary_kind kind,
    enum line_class class, struct ctx_str text, struct ctx_err *err)
{
	struct line *grown;
	size_t known = s->seen.n;
	uint32_t id;

	text.n = find_line_limit(text);
	text = trim_blanks(text);
	if (class == CLASSES || text.n < LEAST_BYTES)
		return 0;
	if (ctx_intern(&s->seen, text.p, text.n, &id, err) < 0)
		return -1;
	if (id <= known)
		return 0;
	grown = ctx_grow(s->lines, &s->cap, s->n + 1, sizeof *grown, err);
	if (grown == NULL)
		return -1;
	s->lines = grown;
	grown[s->n++] = (struct line){.id = id, .kind = kind, .class = class};
	return 0;
}

int
ctx_summary_add(struct ctx_summary *s, enum ctx_summary_kind kind,
    const char *p, size_t n, struct ctx_err *err)
{
	struct ctx_str text = {p, n}, one;

	if (record_files(s, text, err) < 0)
		return -1;
	while (kind != CTX_SUMMARY_CALL && text.n > 0) {
		one = (struct ctx_str){text.p, find_sentence_end(text)};
		text.p += one.n;
		text.n -= one.n;
		one = trim_blanks(one);
		if (add_summary_line(s, kind, classify_line(kind, one), one,
			err) < 0)
			return -1;
	}
	return 0;
}

/* ---- lines to a summary ---- */

static const char *
get_speaker_label(const struct line *line)
{
	switch (line->kind) {
	case CTX_SUMMARY_USER:
		return "User: ";
	case CTX_SUMMARY_ASSISTANT:
		return "Assistant: ";
	case CTX_SUMMARY_RESULT:
		return "Tool: ";
	default:
		return "";
	}
}

static int
append_lines(const struct ctx_summary *s, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct ctx_str text;
	size_t i;

	for (i = 0; i < s->n; i++) {
		text = ctx_intern_at(&s->seen, s->lines[i].id);
		if (s->lines[i].taken &&
		    (ctx_buf_printf(out, err, "%s%s", out->n > 0 ? "\n" : "",
			 get_speaker_label(&s->lines[i])) < 0 ||
			ctx_buf_add(out, text.p, text.n, err) < 0))
			return -1;
	}
	return 0;
}

static int
write_files(const struct ctx_summary *s, size_t most, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct ctx_str name;
	uint32_t i, written = 0;

	for (i = 0; i < s->files.n && written < most; i++) {
		if (s->mentions[i] < 2 && s->files.n > most)
			continue;
		name = ctx_intern_at(&s->files, i + 1);
		if (ctx_buf_printf(out, err, "%s",
			written > 0      ? ", "
			    : out->n > 0 ? "\nFiles: "
					 : "Files: ") < 0 ||
		    ctx_buf_add(out, name.p, name.n, err) < 0)
			return -1;
		written++;
	}
	return 0;
}

/* Writes the summary to out: the selected lines, then at most files names of
 * files.  Sets *tokens to the number of tokens of the summary. */
static int
write_taken_lines(const struct ctx_summary *s,
    struct ctx_token_counter *counter, size_t files, struct ctx_buf *out,
    uint64_t *tokens, struct ctx_err *err)
{
	out->n = 0;
	if (append_lines(s, out, err) < 0 ||
	    write_files(s, files, out, err) < 0)
		return -1;
	return ctx_token_count(counter, out->p, out->n, tokens, err);
}

/* Returns the place of line i in the order of selection within its class: lines
 * with a lower number are selected first. */
static unsigned
find_line_order(const struct ctx_summary *s, size_t i)
{
	if (i == 0 || s->lines[i].kind == CTX_SUMMARY_EARLIER)
		return 0;
	return s->lines[i].mentioned_later ? 1 : 2;
}

/* Selects lines of one class for the summary, as long as they have together at
 * most left tokens.  They are selected in the order of find_line_order, of
 * equal ones the newest first.  Returns left minus the tokens selected. */
static uint64_t
take_class_lines(struct ctx_summary *s, enum line_class class, uint64_t left)
{
	unsigned turn;
	size_t i;

	for (turn = 0; turn <= 2; turn++)
		for (i = s->n; i-- > 0;) {
			struct line *line = &s->lines[i];

			if (line->class != class || line->tokens > left ||
			    find_line_order(s, i) != turn)
				continue;
			line->taken = true;
			left -= line->tokens;
		}
	return left;
}

/* Unselects one line: of the selected lines with the least important class, the
 * last one.  Returns false if no line is selected. */
static bool
drop_worst_line(struct ctx_summary *s)
{
	struct line *worst = NULL;
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->lines[i].taken &&
		    (worst == NULL || s->lines[i].class >= worst->class))
			worst = &s->lines[i];
	if (worst == NULL)
		return false;
	worst->taken = false;
	return true;
}

/* Counts the tokens of each line, and adds 3 for its label and line feed. Also
 * finds out whether a name in the line occurs in a text that is kept. */
static int
measure_lines(struct ctx_summary *s, struct ctx_token_counter *counter,
    struct ctx_err *err)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		struct line *line = &s->lines[i];
		struct ctx_str text = ctx_intern_at(&s->seen, line->id);

		line->mentioned_later = is_mentioned_later(s, text);
		if (ctx_token_count(counter, text.p, text.n, &line->tokens,
			err) < 0)
			return -1;
		line->tokens += 3;
	}
	return 0;
}

int
ctx_summary_write(struct ctx_summary *s, struct ctx_token_counter *counter,
    uint64_t limit, struct ctx_buf *out, struct ctx_err *err)
{
	/* For each class: how many percent of the free tokens its lines may
	 * use. Tokens that they do not use are free for the next class. */
	static const unsigned share[CLASSES] = {45, 25, 60, 50, 100};
	size_t files = MOST_FILES;
	uint64_t tokens, left = limit, part;
	unsigned class;

	if (measure_lines(s, counter, err) < 0)
		return -1;
	for (class = 0; class < CLASSES; class ++) {
		part = left * share[class] / 100;
		left -=
		    part - take_class_lines(s, (enum line_class) class, part);
	}
	for (;;) {
		if (write_taken_lines(s, counter, files, out, &tokens, err) < 0)
			return -1;
		if (tokens <= limit)
			return 0;
		/* The summary is still too long: first removes names of files,
		 * then the least important lines. */
		if (files > 0)
			files /= 2;
		else if (!drop_worst_line(s))
			return 0;
	}
}
