/*
 * note.c - texts of ours in a conversation: summaries and notices
 *
 * A note is a message of its own, or where the user may not speak twice in a
 * row a part of the user's next message.  It is known again by its text, in
 * a message of a role that a note may have.
 */
#include <sha2.h>
#include <stdio.h>
#include <string.h>

#include "convo/convo.h"

/* ---- known again ---- */

/* Does the literal mean a text that is, or begins with, this one? */
static bool
says(struct ctx_str literal, const char *text, size_t n, bool whole)
{
	size_t at = 1, i = 0, len;
	char utf8[4];
	uint32_t cp;

	/* Most texts differ in the first byte, escaped or not. */
	if (literal.n < n + 2 || n == 0 ||
	    (literal.p[1] != text[0] && literal.p[1] != '\\'))
		return false;
	while (i < n) {
		if (!ctx_text_next(literal, &at, &cp))
			return false;
		len = ctx_utf8_put(utf8, cp);
		if (len > n - i || memcmp(text + i, utf8, len) != 0)
			return false;
		i += len;
	}
	return !whole || at + 1 == literal.n;
}

/* The part that the user's own begin with, behind results; a part of ours
 * stands there.  view->n if there is none. */
static size_t
first_own(const struct ctx_view *view)
{
	size_t i = 0;

	while (i < view->n && (view->parts[i].kind == CTX_PART_RESULT ||
				  view->parts[i].owner != 0))
		i++;
	return i;
}

/* May a message of this role be a note?  A row that is a whole turn has the
 * role of the one who answers. */
static bool
may_be_note(const struct ctx_view *view)
{
	return view->role == CTX_ROLE_SYSTEM || view->role == CTX_ROLE_USER ||
	    (view->flags & CTX_VIEW_TURN);
}

void
ctx_note_find(const struct ctx_prune_options *options,
    const struct ctx_dialect *dialect, const struct ctx_view *view,
    struct found_note *found)
{
	static const char prefix[] = CTX_SUMMARY_PREFIX;
	const char *notice = options->notice;
	struct ctx_str literal;
	size_t i = first_own(view);

	memset(found, 0, sizeof *found);
	if (i == view->n || !may_be_note(view) ||
	    view->parts[i].kind != CTX_PART_TEXT ||
	    view->json->nodes[view->parts[i].value].kind != CTX_JSON_STRING)
		return;
	found->whole = view->n == 1;
	if (!found->whole && (dialect->note_part == NULL ||
				 view->parts[i].child == 0 || i + 1 == view->n))
		return;
	literal = ctx_json_str(view->json, view->parts[i].value);
	found->summary = says(literal, prefix, sizeof prefix - 1, false);
	found->notice = !found->summary && notice != NULL &&
	    says(literal, notice, strlen(notice), true);
	found->part = i;
}

/* ---- made ---- */

/* Names that the same text in the same place always gets, as literals. */
static void
make_names(struct ctx_str text, struct ctx_str near, char uuid[39],
    char hex[11])
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX sha;

	SHA256Init(&sha);
	SHA256Update(&sha, (const uint8_t *)text.p, text.n);
	SHA256Update(&sha, (const uint8_t *)near.p, near.n);
	SHA256End(&sha, digest);
	/* Version 8 and variant 1 of RFC 9562: made as one pleases. */
	(void)snprintf(uuid, 39, "\"%.8s-%.4s-8%.3s-8%.3s-%.12s\"", digest,
	    digest + 8, digest + 12, digest + 15, digest + 18);
	(void)snprintf(hex, 11, "\"%.8s\"", digest);
}

/* The value at a path of keys parted by dots, or null. */
static struct ctx_str
value_at(const struct ctx_json *json, uint32_t node, const char *path,
    size_t n)
{
	char key[32];
	size_t len;

	while (json != NULL && n > 0) {
		for (len = 0; len < n && path[len] != '.'; len++)
			continue;
		(void)snprintf(key, sizeof key, "%.*s", (int)len, path);
		node = ctx_json_find(json, node, key);
		if (node == 0)
			break;
		path += len < n ? len + 1 : len;
		n -= len < n ? len + 1 : len;
	}
	if (json == NULL || n > 0)
		return (struct ctx_str){"null", 4};
	return ctx_json_str(json, node);
}

static bool
in_path(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    c == '.';
}

/* What the words of a template stand for. */
struct words {
	struct ctx_str text, uuid, hex, parent;
	const struct ctx_json *json; /* of the message behind, or NULL */
	uint32_t node;
};

static struct ctx_str
value_of(const struct words *words, const char *word, size_t n)
{
	const struct {
		const char *name;
		struct ctx_str value;
	} own[] = {
	    {"text", words->text},
	    {"uuid", words->uuid},
	    {"hex", words->hex},
	    {"parent", words->parent},
	};
	size_t i;

	for (i = 0; i < sizeof own / sizeof own[0]; i++)
		if (strlen(own[i].name) == n &&
		    memcmp(own[i].name, word, n) == 0)
			return own[i].value;
	return value_at(words->json, words->node, word, n);
}

static int
fill_in(struct ctx_buf *out, const char *template, const struct words *words,
    struct ctx_err *err)
{
	struct ctx_str value;
	const char *next;
	size_t n;

	for (; (next = strchr(template, '$')) != NULL; template = next + n) {
		if (ctx_buf_add(out, template, (size_t)(next - template),
			err) < 0)
			return -1;
		next++;
		for (n = 0; in_path(next[n]); n++)
			continue;
		value = value_of(words, next, n);
		if (ctx_buf_add(out, value.p, value.n, err) < 0)
			return -1;
	}
	return ctx_buf_add(out, template, strlen(template), err);
}

static const char *
template_of(const struct ctx_dialect *dialect, bool summary)
{
	if (dialect->note_part != NULL)
		return dialect->note_part;
	return summary ? dialect->summary : dialect->notice;
}

int
ctx_note_cost(struct prune *p, struct ctx_counter *counter,
    const struct ctx_dialect *dialect, bool summary, struct ctx_str text,
    uint64_t *tokens, struct ctx_err *err)
{
	const char *template = template_of(dialect, summary);
	struct words words = {.uuid = {"\"\"", 2},
	    .hex = {"\"\"", 2},
	    .parent = {"null", 4}};
	struct ctx_cost cost = {0};
	size_t used;
	int rc;

	*tokens = 0;
	if (template == NULL)
		return 0;
	p->literal.n = p->out.n = 0;
	if (ctx_text_encode(&p->literal, text.p, text.n, err) < 0)
		return -1;
	words.text = (struct ctx_str){p->literal.p, p->literal.n};
	if (dialect->note_part != NULL)
		template = "$text";
	if (fill_in(&p->out, template, &words, err) < 0 ||
	    ctx_json_scan(&p->json, p->out.p, p->out.n, &used, err) < 0)
		return -1;
	if (dialect->note_part != NULL) {
		rc = ctx_count_value(counter, &p->json, 0, &cost, err);
	} else {
		rc = dialect->read(&p->json, 0, &p->view, err);
		if (rc >= 0)
			rc = ctx_count_message(counter, dialect, &p->view,
			    &cost, err);
	}
	*tokens = cost.tokens;
	return rc;
}

bool
ctx_note_fits(const struct ctx_dialect *dialect, const struct ctx_view *view)
{
	size_t i = first_own(view);

	return dialect->note_part == NULL ||
	    (i < view->n && view->parts[i].child != 0);
}

/* ---- put in ---- */

int
ctx_note_add(struct convo *convo, size_t entry, bool summary,
    struct ctx_str text, uint64_t tokens, struct ctx_err *err)
{
	struct note *grown, *note;

	grown = ctx_grow(convo->notes, &convo->notes_cap, convo->n_notes + 1,
	    sizeof *grown, err);
	if (grown == NULL)
		return -1;
	convo->notes = grown;
	note = &grown[convo->n_notes];
	memset(note, 0, sizeof *note);
	note->summary = summary;
	note->tokens = tokens;
	note->literal = convo->ours.n;
	if (ctx_text_encode(&convo->ours, text.p, text.n, err) < 0)
		return -1;
	note->literal_n = convo->ours.n - note->literal;
	convo->entries[entry].note = (uint32_t)++convo->n_notes;
	return 0;
}

int
ctx_notes_mark(struct prune *p, struct convo *convo, struct ctx_err *err)
{
	const char *notice = p->options->notice;
	struct ctx_str text = {notice, notice == NULL ? 0 : strlen(notice)};
	size_t i, j, item = 0;

	for (i = 0; notice != NULL && i < convo->n; i++)
		for (j = 0; j < convo->entries[i].items; j++, item++)
			if ((convo->plan.marks[item] & CTX_MARK_NOTE) &&
			    ctx_note_add(convo, i, false, text,
				convo->groups.items[item].note, err) < 0)
				return -1;
	return 0;
}

/* Appends the JSON of a note before, or in, an entry, which is this node of
 * p->view.json. */
static int
compose(struct prune *p, struct convo *convo, struct note *note,
    const struct entry *entry, uint32_t node, struct ctx_err *err)
{
	const char *template = template_of(entry->dialect, note->summary);
	struct words words = {.json = p->view.json, .node = node};
	char uuid[39], hex[11];
	int rc;

	p->literal.n = 0;
	if (ctx_buf_add(&p->literal, convo->ours.p + note->literal,
		note->literal_n, err) < 0)
		return -1;
	words.text = (struct ctx_str){p->literal.p, p->literal.n};
	make_names(words.text, ctx_json_str(words.json, words.node), uuid,
	    hex);
	words.uuid = (struct ctx_str){uuid, 38};
	words.hex = (struct ctx_str){hex, 10};
	words.parent = (struct ctx_str){"null", 4};
	if (strstr(template, "$parent") != NULL && entry->line != 0) {
		rc = ctx_live_put(p->stream->live, entry->line,
		    strstr(template, "$uuid") != NULL ? words.uuid : words.hex,
		    &words.parent, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			words.uuid = words.hex = words.parent;
	}
	note->at = convo->ours.n;
	if (fill_in(&convo->ours, template, &words, err) < 0)
		return -1;
	note->n = convo->ours.n - note->at;
	return 0;
}

int
ctx_notes_compose(struct prune *p, struct convo *convo, struct ctx_err *err)
{
	struct note *note;
	size_t i;

	for (i = 0; convo->n_notes > 0 && i < convo->n; i++) {
		struct entry *entry = &convo->entries[i];

		if (entry->note == 0 || entry->dialect->note_part != NULL)
			continue;
		note = &convo->notes[entry->note - 1];
		if (ctx_prune_look(p, entry, err) < 0 ||
		    compose(p, convo, note, entry, entry->node, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_note_insert_part(struct prune *p, struct convo *convo,
    const struct entry *entry, bool replace, struct ctx_err *err)
{
	struct note *note = &convo->notes[entry->note - 1];
	const struct ctx_view *view = &p->view;
	size_t i = first_own(view);
	struct ctx_str at;

	if (compose(p, convo, note, entry, view->node, err) < 0)
		return -1;
	at = ctx_json_str(view->json, view->parts[i].child);
	if (!replace) {
		if (ctx_buf_add(&convo->ours, ",", 1, err) < 0)
			return -1;
		at.n = 0;
	}
	return ctx_edit_replace(&p->one, at, convo->ours.p + note->at,
	    note->n + !replace, err);
}

int
ctx_note_insert(struct prune *p, struct convo *convo,
    const struct entry *entry, struct ctx_err *err)
{
	const struct note *note = &convo->notes[entry->note - 1];
	const char *start = ctx_json_str(p->source, entry->node).p;
	size_t gap = 0;

	while (strchr(" \t\r\n", start[-1 - (ptrdiff_t)gap]) != NULL)
		gap++;
	p->literal.n = 0;
	if (ctx_buf_add(&p->literal, convo->ours.p + note->at, note->n, err) <
		0 ||
	    ctx_buf_add(&p->literal, ",", 1, err) < 0 ||
	    ctx_buf_add(&p->literal, start - gap, gap, err) < 0)
		return -1;
	return ctx_edit_replace(&p->edits, (struct ctx_str){start, 0},
	    p->literal.p, p->literal.n, err);
}

int
ctx_note_write(struct prune *p, const struct convo *convo, size_t entry,
    struct ctx_err *err)
{
	const struct note *note =
	    &convo->notes[convo->entries[entry].note - 1];
	const struct entry *near;
	size_t i = entry;
	bool crlf;

	/* A line ends as the one before it, or else the one behind. */
	while (i > 0 && convo->entries[i - 1].gone)
		i--;
	near = &convo->entries[i > 0 ? i - 1 : entry];
	crlf = near->n > 1 && near->text[near->n - 2] == '\r';
	if (ctx_writer_copy(p->writer, convo->ours.p + note->at, note->n,
		err) < 0 ||
	    ctx_writer_copy(p->writer, crlf ? "\r\n" : "\n", crlf ? 2 : 1,
		err) < 0)
		return -1;
	return ctx_writer_mark(p->writer, err);
}
