/*
 * truncate_corpus.c - tests ctx-truncate with difficult texts in every dialect
 * (message format)
 *
 * In the corpus of each dialect, the contents of all tool results are replaced
 * by texts with parts that must not be divided.  After ctx-truncate, no block
 * may be over the limit.
 */
#include <dirent.h>

#include "dialect/result_content.h"
#include "hostile_text.h"

#define CORPUS "tests/corpus"

/* Replaces the contents of tool results, and the texts, of a corpus file by
 * difficult texts. */
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
			    ctx_result_text_form(event.layout->dialect);
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

/* If the content of a tool result is only a text, as poison writes it, returns
 * the literal of the text. */
static struct ctx_str
inner(struct ctx_str raw, const char *const around[2])
{
	size_t before = strlen(around[0]), after = strlen(around[1]);

	if (raw.n > before + after && memcmp(raw.p, around[0], before) == 0 &&
	    memcmp(raw.p + raw.n - after, around[1], after) == 0)
		return (struct ctx_str){raw.p + before, raw.n - before - after};
	return raw;
}

/* Returns the size of the texts of a block: those inside it, or its own
 * text. */
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
			raw = inner(raw, ctx_result_text_form(dialect));
		text->n = 0;
		if (raw.n > 0 && raw.p[0] == '"')
			NEED(ctx_json_string_decode(text, raw, &err) == 0);
		else
			add(text, raw.p, raw.n);
		size += size_of(sizes, unit, text->p, text->n);
	}
	return size;
}

/* Counts the tool results and the texts of messages that are over the limit,
 * except in the response of a provider and in blocks with no_truncate, which
 * are never shortened.  Also lists the kinds of all blocks that contain no
 * other block. */
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
			if (event.layout->is_response || block->no_truncate)
				continue;
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
		/* Some providers refuse an empty text. */
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
		/* If a whole text is removed, its block may be removed, too. */
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

int
main(void)
{
	struct sizes sizes = {0};

	name_files();
	/* All messages are counted in one encoding, whatever model they
	 * name. */
	choose_encoding(&sizes, "o200k_base");
	dialects(&sizes);
	choose_encoding(&sizes, "claude-4.8");
	dialects(&sizes);
	finish(&sizes);
	return tap_done();
}
