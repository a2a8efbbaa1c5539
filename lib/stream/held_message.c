/* held_message.c - stores the texts and the parsed forms of messages in
 * memory */
#include <stdlib.h>
#include <string.h>

#include "stream/rewrite.h"

/* ---- texts ---- */

void
ctx_rewrite_set_text(struct ctx_rewrite *rewrite, struct ctx_held_message *held,
    char *text, size_t n)
{
	held->text = text;
	held->n = n;
	held->is_in_file = false;
	held->parse = 0;
	rewrite->lines.bytes += n;
	/* Forget the last scan.  The scanner recognises the text of the last
	 * scan by its address, and a new text may have the address of a text
	 * that was freed. */
	rewrite->scanned = NULL;
}

void
ctx_rewrite_free_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held)
{
	if (held->is_in_file)
		return;
	free(held->text);
	rewrite->lines.bytes -= held->n;
	ctx_rewrite_set_text(rewrite, held, NULL, 0);
}

int
ctx_rewrite_append_text(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, struct ctx_str text, struct ctx_err *err)
{
	char *grown = realloc(held->text, held->n + text.n);

	if (grown == NULL)
		return ctx_err_nomem(err);
	memcpy(grown + held->n, text.p, text.n);
	rewrite->lines.bytes -= held->n;
	ctx_rewrite_set_text(rewrite, held, grown, held->n + text.n);
	return 0;
}

struct ctx_str
ctx_rewrite_text(const struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held)
{
	if (held->text == NULL)
		return ctx_json_str(rewrite->record->json, held->node);
	return (struct ctx_str){held->text, held->n};
}

/* ---- parses ---- */

static int
scan_text(struct ctx_json *json, struct ctx_str text, struct ctx_err *err)
{
	size_t used;

	return ctx_json_scan(json, text.p, text.n, &used, err);
}

int
ctx_rewrite_scan(struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held, struct ctx_err *err)
{
	if (rewrite->scanned == held->text)
		return 0;
	rewrite->scanned = NULL;
	if (scan_text(&rewrite->json, (struct ctx_str){held->text, held->n},
		err) < 0)
		return -1;
	rewrite->scanned = held->text;
	return 0;
}

/* Parses a message in memory from the JSON of its record, and adds the flags
 * that are stored for it. */
static int
read_held(const struct ctx_held_message *held, const struct ctx_json *json,
    struct ctx_message *message, struct ctx_err *err)
{
	int rc = ctx_dialect_read_message(held->dialect, json, held->node,
	    message, err);

	message->flags |= held->flags;
	return rc;
}

/* Maximum length in bytes of all parsed messages that are stored in
 * ctx_rewrite.parses. */
enum { MOST_PARSES = 1 << 20 };

/* A parsed message that is stored in ctx_rewrite.parses.  The blocks of the
 * message come after this struct, and after them the nodes of its JSON, without
 * padding.  The pointers in the message are not valid. */
struct kept_parse {
	struct ctx_message message;
	size_t n_nodes;
	size_t blanks; /* number of bytes before the JSON value in its record */
};

int
ctx_rewrite_keep_parse(struct ctx_rewrite *rewrite,
    struct ctx_held_message *held, const struct ctx_event *event,
    struct ctx_err *err)
{
	const struct ctx_json *json = event->message->json;
	const struct kept_parse parse = {*event->message, json->n,
	    (size_t)(json->text - event->record->text.p)};
	size_t blocks = parse.message.n * sizeof *parse.message.blocks,
	       nodes = json->n * sizeof *json->nodes;
	struct ctx_buf *kept = &rewrite->parses;
	size_t at = kept->n;

	if (sizeof parse + blocks + nodes > MOST_PARSES - at)
		return 0;
	if (ctx_buf_reserve(kept, sizeof parse + blocks + nodes, err) < 0 ||
	    ctx_buf_add(kept, (const char *)&parse, sizeof parse, err) < 0 ||
	    ctx_buf_add(kept, (const char *)parse.message.blocks, blocks, err) <
		0 ||
	    ctx_buf_add(kept, (const char *)json->nodes, nodes, err) < 0)
		return -1;
	held->parse = (uint32_t)at + 1;
	return 0;
}

/* If the parsed form of a message was stored, copies it to rewrite->message and
 * rewrite->json.  Returns 1.  Returns 0 if no parsed form is stored, or if it
 * was parsed in another dialect (format) than the message has now.  Returns -1
 * with *err after an error. */
static int
restore_parse(struct ctx_rewrite *rewrite, const struct ctx_held_message *held,
    struct ctx_err *err)
{
	struct ctx_message *message = &rewrite->message;
	struct ctx_json *json = &rewrite->json;
	struct kept_parse parse;
	const char *at;

	if (held->parse == 0)
		return 0;
	at = rewrite->parses.p + held->parse - 1;
	memcpy(&parse, at, sizeof parse);
	if (parse.message.dialect != held->dialect)
		return 0;
	if (CTX_GROW(message->blocks, message->cap, parse.message.n, err) < 0 ||
	    CTX_GROW(json->nodes, json->cap, parse.n_nodes, err) < 0)
		return -1;
	parse.message.blocks = message->blocks;
	parse.message.cap = message->cap;
	parse.message.json = json;
	*message = parse.message;
	rewrite->scanned = held->text;
	json->text = held->text + parse.blanks;
	json->n = parse.n_nodes;
	at += sizeof parse;
	memcpy(message->blocks, at, message->n * sizeof *message->blocks);
	memcpy(json->nodes, at + message->n * sizeof *message->blocks,
	    json->n * sizeof *json->nodes);
	return 1;
}

int
ctx_rewrite_reread(struct ctx_rewrite *rewrite,
    const struct ctx_held_message *held, struct ctx_err *err)
{
	int rc = restore_parse(rewrite, held, err);

	if (rc != 0)
		return rc;
	if (held->text != NULL)
		return ctx_rewrite_scan(rewrite, held, err) < 0
		    ? -1
		    : read_held(held, &rewrite->json, &rewrite->message, err);
	rc = read_held(held, rewrite->record->json, &rewrite->message, err);
	rewrite->message.tools = rewrite->tools;
	return rc;
}

int
ctx_rewrite_scan_text(struct ctx_rewrite *rewrite, struct ctx_str text,
    struct ctx_err *err)
{
	return scan_text(&rewrite->text_json, text, err);
}

int
ctx_rewrite_read_scanned(struct ctx_rewrite *rewrite,
    const struct ctx_dialect *dialect, unsigned flags, struct ctx_err *err)
{
	const struct ctx_held_message held = {.dialect = dialect,
	    .flags = (uint16_t)flags};

	return read_held(&held, &rewrite->text_json, &rewrite->text_message,
	    err);
}

int
ctx_rewrite_read_text(struct ctx_rewrite *rewrite,
    const struct ctx_dialect *dialect, struct ctx_str text, unsigned flags,
    struct ctx_err *err)
{
	int rc = ctx_rewrite_scan_text(rewrite, text, err);

	return rc <= 0 ? rc
		       : ctx_rewrite_read_scanned(rewrite, dialect, flags, err);
}
