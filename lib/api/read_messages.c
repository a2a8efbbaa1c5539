/* read_messages.c - implements the functions of ctx.h that return the messages
 * of an input, their content blocks and their tokens */
#include <string.h>

#include "api/handles.h"

static struct conversation_tracker *
find_tracker(struct ctx_input *input)
{
	return input->inside ? &input->record_tracker : &input->line_tracker;
}

/* Sets two members of *message: the number of the conversation to which the
 * message belongs, and the index of the message in this conversation. */
static void
place_message(struct ctx_input *input, struct ctx_message_info *message)
{
	message->conversation = input->inside ? input->inner : input->outer;
	message->index = find_tracker(input)->index;
}

static void
describe_message(struct ctx_input *input, struct ctx_message_info *message)
{
	const struct ctx_message *parsed = input->event.message;
	struct ctx_str json = ctx_json_str(parsed->json, parsed->node);

	message->dialect = parsed->dialect->name;
	message->role = ctx_role_name(parsed->role);
	message->file = input->event.record->file;
	message->line = input->event.record->line;
	message->n_blocks = parsed->n;
	message->json = json.p;
	message->json_length = json.n;
	place_message(input, message);
}

/* Updates the state of the input after one event: a message was read, or a
 * conversation inside a record has begun. */
static int
enter_event(struct ctx_input *input, struct ctx_err *err)
{
	const struct ctx_event *event = &input->event;

	input->inside = event->inside || event->kind == CTX_EVENT_BEGIN;
	if (event->kind == CTX_EVENT_BEGIN) {
		input->inner = input->conversations++;
		input->measured = false;
	} else if (!input->inside && !input->has_outer) {
		input->outer = input->conversations++;
		input->has_outer = true;
	}
	return ctx_tracker_enter(find_tracker(input), &input->stream, event,
	    &input->counters, err);
}

/* Reads events of the input until one of them is a message.  Returns 1, or 0 at
 * the end of the input, or -1 with *err. */
static int
find_message(struct ctx_input *input, struct ctx_err *err)
{
	struct ctx_event *event = &input->event;
	int rc;

	if (event->message != NULL &&
	    ctx_tracker_leave(find_tracker(input), event, err) < 0)
		return -1;
	while ((rc = ctx_stream_next(&input->stream, event, err)) > 0) {
		if (event->kind != CTX_EVENT_BEGIN &&
		    event->kind != CTX_EVENT_MESSAGE)
			continue;
		if (enter_event(input, err) < 0)
			return -1;
		if (event->kind == CTX_EVENT_MESSAGE)
			return 1;
	}
	event->message = NULL;
	return rc;
}

/* Prepares an input for reading messages.  Does nothing if an earlier call of
 * ctx_input_next has done this. */
static int
begin_reading(struct ctx_input *input, struct ctx_err *err)
{
	if (input->reading)
		return 0;
	input->reading = true;
	if (ctx_tracker_init(&input->line_tracker, true, false, err) < 0 ||
	    ctx_tracker_init(&input->record_tracker, true, false, err) < 0)
		return -1;
	return ctx_api_count_ahead(input, err);
}

static int
read_next(struct ctx_input *input, struct ctx_err *err)
{
	if (begin_reading(input, err) < 0)
		return -1;
	ctx_arena_reset(&input->texts);
	return find_message(input, err);
}

int
ctx_input_next(struct ctx_input *input, struct ctx_message_info *message,
    struct ctx_error *error)
{
	struct ctx_message_info known = CTX_MESSAGE_INFO_INIT;
	struct ctx_err err;
	int rc;

	rc = input->failed ? 0 : read_next(input, &err);
	if (rc < 0) {
		input->failed = true;
		input->event.message = NULL;
		return ctx_api_fail(error, &err);
	}
	if (rc > 0)
		describe_message(input, &known);
	ctx_api_give(message, &known, sizeof known);
	return rc;
}

static int
fail_without_message(struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EARG,
	    "no message is available: ctx_input_next was not called, or did "
	    "not return 1");
}

/* Sets *to to a copy of a text, terminated by a NUL byte.  The copy is valid
 * until the next message is read. */
static int
copy_text(struct ctx_input *input, struct ctx_str text, const char **to,
    struct ctx_err *err)
{
	char *copy = ctx_arena_alloc(&input->texts, text.n + 1, err);

	if (copy == NULL)
		return -1;
	if (text.n > 0)
		memcpy(copy, text.p, text.n);
	*to = copy;
	return 0;
}

/* Sets *to to the decoded text of a JSON node, and *length to the length of
 * this text in bytes.  Does nothing if node is 0. */
static int
copy_node(struct ctx_input *input, uint32_t node, const char **to,
    size_t *length, struct ctx_err *err)
{
	const struct ctx_json *json = input->event.message->json;
	struct ctx_str text;

	if (node == 0)
		return 0;
	ctx_buf_reset(&input->scratch);
	if (ctx_json_text(json, node, &input->scratch, &text, err) < 0)
		return -1;
	*length = text.n;
	return copy_text(input, text, to, err);
}

/* Returns the name that ctx.h specifies for a kind of content block, such as
 * "text". */
static const char *
name_kind(enum ctx_block_kind kind)
{
	return kind == CTX_BLOCK_TOOL_CALL  ? "tool_call"
	    : kind == CTX_BLOCK_TOOL_RESULT ? "tool_result"
					    : ctx_block_kind_name(kind);
}

static int
describe_block(struct ctx_input *input, size_t i, struct ctx_block_info *known,
    struct ctx_err *err)
{
	const struct ctx_json *json = input->event.message->json;
	const struct ctx_block *block = &input->event.message->blocks[i];
	struct ctx_str tool;
	size_t length = 0;

	known->kind = name_kind(block->kind);
	known->result = block->result_index;
	known->is_error = block->is_error;
	known->is_json = block->payload != 0 &&
	    json->nodes[block->payload].kind != CTX_JSON_STRING;
	if ((block->kind == CTX_BLOCK_TOOL_CALL ||
		block->kind == CTX_BLOCK_TOOL_RESULT) &&
	    (ctx_tracker_tool(find_tracker(input), &input->event, i, &tool,
		 err) < 0 ||
		(tool.n > 0 && copy_text(input, tool, &known->tool, err) < 0)))
		return -1;
	if (copy_node(input, block->id, &known->id, &length, err) < 0)
		return -1;
	known->text = "";
	return copy_node(input, block->payload, &known->text,
	    &known->text_length, err);
}

int
ctx_input_block(struct ctx_input *input, size_t i, struct ctx_block_info *block,
    struct ctx_error *error)
{
	struct ctx_block_info known = CTX_BLOCK_INFO_INIT;
	const struct ctx_message *message = input->event.message;
	struct ctx_err err;
	int rc;

	if (message == NULL)
		rc = fail_without_message(&err);
	else if (i >= message->n)
		rc = ctx_err_set(&err, CTX_EARG,
		    "the message has %zu blocks, and no block %zu (blocks are "
		    "counted from 0)",
		    (size_t)message->n, i);
	else
		rc = describe_block(input, i, &known, &err);
	if (rc < 0)
		return ctx_api_fail(error, &err);
	ctx_api_give(block, &known, sizeof known);
	return 0;
}

static int
count_last_message(struct ctx_input *input, struct ctx_token_info *known,
    struct ctx_err *err)
{
	struct ctx_cost cost;

	if (input->event.message == NULL)
		return fail_without_message(err);
	if (!input->measured &&
	    ctx_stream_measure(&input->stream, &input->event, &input->counters,
		&input->counter, err) < 0)
		return -1;
	/* If each message is a separate record, each message may name another
	 * model.  So the token counter is used again only for messages in the
	 * same record. */
	input->measured = input->inside;
	if (ctx_stream_cost(&input->event, input->counter.counter, &cost, err) <
	    0)
		return -1;
	known->tokens = cost.tokens;
	known->estimated = cost.estimated;
	known->framing = cost.framing;
	known->text = cost.kinds[CTX_BLOCK_TEXT];
	known->reasoning = cost.kinds[CTX_BLOCK_REASONING];
	known->tool_calls = cost.kinds[CTX_BLOCK_TOOL_CALL];
	known->tool_results = cost.kinds[CTX_BLOCK_TOOL_RESULT];
	known->media = cost.kinds[CTX_BLOCK_MEDIA];
	known->opaque = cost.kinds[CTX_BLOCK_OPAQUE];
	known->encoding = input->counter.encoding;
	return 0;
}

int
ctx_input_count(struct ctx_input *input, struct ctx_token_info *tokens,
    struct ctx_error *error)
{
	struct ctx_token_info known = CTX_TOKEN_INFO_INIT;
	struct ctx_err err;

	if (count_last_message(input, &known, &err) < 0)
		return ctx_api_fail(error, &err);
	ctx_api_give(tokens, &known, sizeof known);
	return 0;
}
