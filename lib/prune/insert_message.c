/*
 * insert_message.c - inserts summaries and notices into conversations
 *
 * A summary or notice is inserted as a message of its own, as the first block
 * of the next user message, or at the beginning of the string that is the
 * content of the next user message.  A later run recognises the summary or
 * notice by its text (find_insertion.c).
 */
#include <sha2.h>
#include <stdio.h>
#include <string.h>

#include "prune/held_conversation.h"

/* ---- composing summaries and notices, and counting their tokens ---- */

/* Writes the ids of an inserted message, as JSON strings, to uuid and hex.  The
 * ids are a hash of two texts: the text of the message, and the JSON of the
 * neighbouring message.  So every run makes the same ids. */
static void
make_names(struct ctx_str text, struct ctx_str neighbour, char uuid[39],
    char hex[11])
{
	char digest[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX sha;

	SHA256Init(&sha);
	SHA256Update(&sha, (const uint8_t *)text.p, text.n);
	SHA256Update(&sha, (const uint8_t *)neighbour.p, neighbour.n);
	SHA256End(&sha, digest);
	/* A UUID of version 8 (free form) and variant 1; see RFC 9562. */
	(void)snprintf(uuid, 39, "\"%.8s-%.4s-8%.3s-8%.3s-%.12s\"", digest,
	    digest + 8, digest + 12, digest + 15, digest + 18);
	(void)snprintf(hex, 11, "\"%.8s\"", digest);
}

/* Returns the JSON of the value of a member inside a JSON object, or "null" if
 * there is no such member. name: the path to the member (see
 * ctx_json_find_path). node: the JSON object. */
static struct ctx_str
find_path_value(const struct ctx_json *json, uint32_t node, struct ctx_str name)
{
	char path[64];

	(void)snprintf(path, sizeof path, "%.*s", (int)name.n, name.p);
	node = json == NULL ? 0 : ctx_json_find_path(json, node, path);
	return node == 0 ? (struct ctx_str){"null", 4}
			 : ctx_json_str(json, node);
}

/* Values for the variables $text, $uuid, $hex and $parent in the template of an
 * inserted message.  Any other variable $NAME stands for a member of the
 * message after the inserted one. */
struct template_values {
	struct ctx_str text, uuid, hex, parent;
	/* the message after the inserted one; NULL if there is none */
	const struct ctx_json *json;
	uint32_t node;
};

static int
find_template_value(void *user, struct ctx_str name, struct ctx_str *value,
    struct ctx_err *err)
{
	const struct template_values *values = user;
	const struct {
		const char *name;
		struct ctx_str value;
	} named[] = {
	    {"text", values->text},
	    {"uuid", values->uuid},
	    {"hex", values->hex},
	    {"parent", values->parent},
	};

	(void)err;
	*value = find_path_value(values->json, values->node, name);
	for (size_t i = 0; i < CTX_LENGTH(named); i++)
		if (strlen(named[i].name) == name.n &&
		    memcmp(named[i].name, name.p, name.n) == 0)
			*value = named[i].value;
	return 0;
}

static const char *
choose_template(const struct ctx_dialect *dialect, bool is_block, bool summary)
{
	if (is_block)
		return dialect->insertion_block;
	return summary ? dialect->summary : dialect->notice;
}

/* Sets *tokens to the number of tokens of an inserted message. text: the text
 * of the message, as a JSON string. */
static int
count_message_tokens(struct prune *run, struct ctx_counter *counter,
    const struct insertion_content *content, struct ctx_str text,
    uint64_t *tokens, struct ctx_err *err)
{
	struct template_values values = {.text = text,
	    .uuid = {"\"\"", 2},
	    .hex = {"\"\"", 2},
	    .parent = {"null", 4}};
	const char *template =
	    choose_template(content->dialect, false, content->summary);
	struct ctx_cost cost;

	run->composed.n = 0;
	if (ctx_template_fill(&run->composed, template, find_template_value,
		&values, err) < 0 ||
	    ctx_rewrite_read_text(&run->rewrite, content->dialect,
		ctx_buf_str(&run->composed), 0, err) < 0 ||
	    ctx_count_message(counter, &run->rewrite.text_message, &cost, err) <
		0)
		return -1;
	*tokens = cost.tokens;
	return 0;
}

/* Sets *tokens to the number of tokens of a JSON string that is stored in two
 * parts: "first" is its beginning, "second" is its end. */
static int
count_literal_tokens(struct prune *run, struct ctx_counter *counter,
    struct ctx_str first, struct ctx_str second, uint64_t *tokens,
    struct ctx_err *err)
{
	struct ctx_buf *literal = &run->composed;
	struct ctx_cost cost = {0};

	literal->n = 0;
	if (ctx_buf_add_str(literal, first, err) < 0 ||
	    ctx_buf_add_str(literal, second, err) < 0 ||
	    ctx_rewrite_scan_text(&run->rewrite, ctx_buf_str(literal), err) <
		0 ||
	    ctx_count_value(counter, &run->rewrite.text_json, 0, &cost, err) <
		0)
		return -1;
	*tokens = cost.tokens;
	return 0;
}

/* Sets *tokens to the number of tokens that a text ("first") adds when it is
 * inserted at the beginning of a JSON string ("rest").  The string is counted
 * with and without the text, because the end of the text and the beginning of
 * the string may be one token. */
static int
count_prefix_tokens(struct prune *run, struct ctx_counter *counter,
    struct ctx_str first, struct ctx_str rest, uint64_t *tokens,
    struct ctx_err *err)
{
	uint64_t without;

	if (count_literal_tokens(run, counter, (struct ctx_str){"\"", 1}, rest,
		&without, err) < 0 ||
	    count_literal_tokens(run, counter, first, rest, tokens, err) < 0)
		return -1;
	*tokens -= *tokens < without ? *tokens : without;
	return 0;
}

/* Appends the text that separates a summary or notice (text about removed
 * messages) from the user's text after it in the same JSON string. */
static int
append_suffix(struct ctx_buf *out, bool summary, struct ctx_err *err)
{
	const char *text = summary ? CTX_SUMMARY_SUFFIX : CTX_NOTICE_SUFFIX;

	for (; *text != '\0'; text++)
		if (ctx_buf_add(out, *text == '\n' ? "\\n" : text,
			*text == '\n' ? 2 : 1, err) < 0)
			return -1;
	return 0;
}

/* Sets *tokens to the number of tokens that a summary or notice adds to the
 * conversation.  The caller must have written the text to run->literal, as a
 * JSON string.  If the text is inserted at the beginning of another string
 * (INSERT_STRING), replaces the closing quote of run->literal by the separator
 * between the text and the other string. */
static int
count_insertion(struct prune *run, struct ctx_counter *counter,
    const struct insertion_content *content, uint64_t *tokens,
    struct ctx_err *err)
{
	struct ctx_buf *literal = &run->literal;

	if (content->form == INSERT_STRING) {
		literal->n--;
		if (append_suffix(literal, content->summary, err) < 0)
			return -1;
		return count_prefix_tokens(run, counter, ctx_buf_str(literal),
		    content->string, tokens, err);
	}
	if (content->form == INSERT_BLOCK)
		return ctx_count_added_text(counter, content->message,
		    content->next, ctx_buf_str(literal), tokens, err);
	return count_message_tokens(run, counter, content, ctx_buf_str(literal),
	    tokens, err);
}

void
ctx_insertion_choose_place(const struct prune *run,
    const struct ctx_message *message, struct insertion_content *content)
{
	struct ctx_str literal;
	struct found_insertion found;
	size_t i = ctx_insertion_skip_result_blocks(message), from;

	ctx_insertion_find(run->options, message, &found);
	content->form = INSERT_BLOCK;
	content->message = message;
	/* The new summary replaces the summary of an earlier run in the
	 * message, so the next block is the one after the earlier summary. */
	content->next = found.summary ? found.block + 1 : i;
	if (i == message->n || !ctx_insertion_is_string_content(message, i))
		return;
	from =
	    found.summary && found.user_text_at != 0 ? found.user_text_at : 1;
	literal = ctx_json_str(message->json, message->blocks[i].payload);
	content->form = INSERT_STRING;
	content->string = (struct ctx_str){literal.p + from, literal.n - from};
}

int
ctx_insertion_count(struct prune *run, struct ctx_counter *counter,
    const struct insertion_content *content, uint64_t *tokens,
    struct ctx_err *err)
{
	*tokens = 0;
	if (choose_template(content->dialect, content->form != INSERT_MESSAGE,
		content->summary) == NULL)
		return 0;
	run->literal.n = 0;
	return ctx_json_string_encode(&run->literal, content->text.p,
		   content->text.n, err) < 0
	    ? -1
	    : count_insertion(run, counter, content, tokens, err);
}

int
ctx_insertion_count_found(struct prune *run, struct ctx_counter *counter,
    const struct ctx_message *message, const struct found_insertion *found,
    uint64_t *tokens, struct ctx_err *err)
{
	struct ctx_str literal =
	    ctx_json_str(message->json, message->blocks[found->block].payload);

	if (found->user_text_at == 0)
		return ctx_count_added_text(counter, message, found->block + 1,
		    literal, tokens, err);
	return count_prefix_tokens(run, counter,
	    (struct ctx_str){literal.p, found->user_text_at},
	    (struct ctx_str){literal.p + found->user_text_at,
		literal.n - found->user_text_at},
	    tokens, err);
}

int
ctx_insertion_remove(struct ctx_edits *edits, const struct ctx_message *message,
    const struct found_insertion *found, struct ctx_err *err)
{
	struct ctx_str literal =
	    ctx_json_str(message->json, message->blocks[found->block].payload);

	return ctx_edits_replace(edits,
	    (struct ctx_str){literal.p + 1, found->user_text_at - 1}, "", 0,
	    err);
}

bool
ctx_insertion_fits(const struct ctx_message *message)
{
	size_t i = ctx_insertion_skip_result_blocks(message);

	return message->dialect->insertion_block == NULL ||
	    (i < message->n &&
		(message->blocks[i].removable != 0 ||
		    ctx_insertion_is_string_content(message, i)));
}

bool
ctx_insertion_is_block(const struct held_conversation *conversation,
    const struct prune_entry *entry)
{
	return entry->insertion_number != 0 &&
	    ctx_prune_insertion(conversation, entry)->is_block;
}

bool
ctx_insertion_is_before(const struct held_conversation *conversation,
    const struct prune_entry *entry)
{
	return entry->insertion_number != 0 &&
	    !ctx_insertion_is_block(conversation, entry);
}

/* ---- inserting summaries and notices ---- */

int
ctx_insertion_add(struct held_conversation *conversation, size_t message_index,
    const struct insertion_content *content, uint64_t tokens,
    struct ctx_err *err)
{
	struct insertion *insertion;

	if (CTX_GROW(conversation->insertions, conversation->insertions_cap,
		conversation->n_insertions + 1, err) < 0)
		return -1;
	insertion = &conversation->insertions[conversation->n_insertions];
	memset(insertion, 0, sizeof *insertion);
	insertion->summary = content->summary;
	insertion->is_block = content->form != INSERT_MESSAGE;
	insertion->tokens = tokens;
	insertion->string_at = conversation->inserted_json.n;
	if (ctx_json_string_encode(&conversation->inserted_json,
		content->text.p, content->text.n, err) < 0)
		return -1;
	insertion->string_n =
	    conversation->inserted_json.n - insertion->string_at;
	ctx_prune_entry_at(conversation, message_index)->insertion_number =
	    (uint32_t)++conversation->n_insertions;
	return 0;
}

int
ctx_insertions_add_notices(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err)
{
	const char *notice = run->options->notice;
	const struct prune_entry *entry;
	struct insertion_content content = {
	    .text = {notice, notice == NULL ? 0 : strlen(notice)}};
	size_t k = 0;

	for (size_t i = 0; notice != NULL && i < conversation->entries->end;
	     i++)
		for (size_t j = 0;
		     j < ctx_prune_entry_at(conversation, i)->n_segments;
		     j++, k++) {
			if (!(conversation->plan.marks[k] & CTX_MARK_NOTICE))
				continue;
			entry = ctx_prune_entry_at(conversation, i);
			content.form =
			    entry->held.dialect->insertion_block != NULL
			    ? INSERT_BLOCK
			    : INSERT_MESSAGE;
			if (ctx_insertion_add(conversation, i, &content,
				conversation->groups.segments[k].notice_tokens,
				err) < 0)
				return -1;
		}
	return 0;
}

/* Makes the JSON of a summary or notice from the template of the dialect.
 * Appends this JSON to conversation->inserted_json, and stores its offset and
 * length. node: JSON node of the message before which or into which the text is
 * inserted. */
static int
compose_insertion(struct prune *run, struct held_conversation *conversation,
    const struct prune_entry *entry, const struct ctx_json *json, uint32_t node,
    struct ctx_err *err)
{
	struct insertion *insertion = ctx_prune_insertion(conversation, entry);
	const char *template = choose_template(entry->held.dialect,
	    insertion->is_block, insertion->summary);
	struct template_values values = {.json = json, .node = node};
	struct ctx_buf *composed = &run->composed;
	char uuid[39], hex[11];
	int rc;

	values.text = (struct ctx_str){conversation->inserted_json.p +
		insertion->string_at,
	    insertion->string_n};
	make_names(values.text, ctx_json_str(values.json, values.node), uuid,
	    hex);
	values.uuid = (struct ctx_str){uuid, 38};
	values.hex = (struct ctx_str){hex, 10};
	values.parent = (struct ctx_str){"null", 4};
	if (strstr(template, "$parent") != NULL &&
	    entry->transcript_line != 0) {
		rc = ctx_transcript_insert_before(
		    run->rewrite.stream->transcript, entry->transcript_line,
		    strstr(template, "$uuid") != NULL ? values.uuid
						      : values.hex,
		    &values.parent, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			values.uuid = values.hex = values.parent;
	}
	composed->n = 0;
	if (ctx_template_fill(composed, template, find_template_value, &values,
		err) < 0)
		return -1;
	insertion->json_at = conversation->inserted_json.n;
	insertion->json_n = composed->n;
	return ctx_buf_add_str(&conversation->inserted_json,
	    ctx_buf_str(composed), err);
}

int
ctx_insertions_compose(struct prune *run,
    struct held_conversation *conversation, struct ctx_err *err)
{
	for (size_t i = 0; i < conversation->entries->end; i++) {
		struct prune_entry *entry = ctx_prune_entry_at(conversation, i);

		if (entry->insertion_number == 0 ||
		    ctx_insertion_is_block(conversation, entry))
			continue;
		if (ctx_prune_reread(run, entry, err) < 0 ||
		    compose_insertion(run, conversation, entry,
			run->rewrite.message.json, entry->held.node, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds the edit that inserts a summary or notice at the beginning of the string
 * that is the content of a message.  If replace is true, the summary or notice
 * of an earlier run is removed from the string. */
static int
insert_in_string(struct prune *run, struct held_conversation *conversation,
    const struct prune_entry *entry, const struct ctx_message *message,
    bool replace, struct ctx_err *err)
{
	const struct insertion *insertion =
	    ctx_prune_insertion(conversation, entry);
	struct found_insertion found = {0};
	struct ctx_str at =
	    ctx_json_str(message->json, message->blocks[0].payload);
	struct ctx_buf *store = &run->message_edits.store;
	size_t from = store->n;

	if (replace)
		ctx_insertion_find(run->options, message, &found);
	at = (struct ctx_str){at.p + 1,
	    found.user_text_at != 0 ? found.user_text_at - 1 : 0};
	return ctx_buf_add(store,
		   conversation->inserted_json.p + insertion->string_at + 1,
		   insertion->string_n - 2, err) < 0 ||
		append_suffix(store, insertion->summary, err) < 0
	    ? -1
	    : ctx_edits_replace_stored(&run->message_edits, at, from, err);
}

int
ctx_insertion_insert_block(struct prune *run,
    struct held_conversation *conversation, const struct prune_entry *entry,
    const struct ctx_message *message, bool replace, struct ctx_err *err)
{
	struct insertion *insertion = ctx_prune_insertion(conversation, entry);
	size_t i = ctx_insertion_skip_result_blocks(message);
	struct ctx_str at;

	if (ctx_insertion_is_string_content(message, i))
		return insert_in_string(run, conversation, entry, message,
		    replace, err);
	if (compose_insertion(run, conversation, entry, message->json,
		message->node, err) < 0)
		return -1;
	at = ctx_json_str(message->json, message->blocks[i].removable);
	if (!replace) {
		if (ctx_buf_add(&conversation->inserted_json, ",", 1, err) < 0)
			return -1;
		at.n = 0;
	}
	return ctx_edits_replace(&run->message_edits, at,
	    conversation->inserted_json.p + insertion->json_at,
	    insertion->json_n + !replace, err);
}

int
ctx_insertion_insert_message(struct prune *run,
    struct held_conversation *conversation, const struct prune_entry *entry,
    struct ctx_err *err)
{
	const struct insertion *insertion =
	    ctx_prune_insertion(conversation, entry);
	const char *start =
	    ctx_json_str(run->rewrite.record->json, entry->held.node).p;
	struct ctx_edits *edits = &run->rewrite.edits;
	size_t gap = 0, from = edits->store.n;

	while (strchr(" \t\r\n", start[-1 - (ptrdiff_t)gap]) != NULL)
		gap++;
	return ctx_buf_printf(&edits->store, err, "%.*s,%.*s",
		   (int)insertion->json_n,
		   conversation->inserted_json.p + insertion->json_at, (int)gap,
		   start - gap) < 0
	    ? -1
	    : ctx_edits_replace_stored(edits, (struct ctx_str){start, 0}, from,
		  err);
}

int
ctx_insertion_write_message(struct prune *run,
    const struct held_conversation *conversation, size_t message_index,
    struct ctx_err *err)
{
	const struct insertion *insertion = ctx_prune_insertion(conversation,
	    ctx_prune_entry_at(conversation, message_index));
	struct ctx_str neighbour;
	size_t i = message_index;
	bool crlf;

	/* The new line gets the line end (LF or CRLF) of the line before it.
	 * The first line gets the line end of the line after it. */
	while (i > 0 && ctx_prune_entry_at(conversation, i - 1)->is_removed)
		i--;
	if (ctx_prune_last_text(run,
		ctx_prune_entry_at(conversation, i > 0 ? i - 1 : message_index),
		&neighbour, err) < 0)
		return -1;
	crlf = neighbour.n > 1 && neighbour.p[neighbour.n - 2] == '\r';
	run->composed.n = 0;
	return ctx_buf_printf(&run->composed, err, "%.*s%s",
		   (int)insertion->json_n,
		   conversation->inserted_json.p + insertion->json_at,
		   crlf ? "\r\n" : "\n") < 0
	    ? -1
	    : ctx_rewrite_write(&run->rewrite, ctx_buf_str(&run->composed),
		  false, err);
}
