/*
 * detect.c - what a record is
 *
 * A message belongs to the first row of the table of dialects that claims
 * it.  An object that keeps messages in a member is a conversation; where it
 * keeps them is the table below.
 */
#include <stddef.h>
#include <string.h>

#include "dialect/dialect.h"

static bool
is_array(const struct ctx_json *json, uint32_t node)
{
	return node != 0 && json->nodes[node].kind == CTX_JSON_ARRAY;
}

/* Where objects keep a request ("": they are one), and in it the messages. */
static const struct {
	const char *request, *messages;
} wrappers[] = {
    {"body", "messages"},   /* OpenAI batch input */
    {"params", "messages"}, /* Anthropic batch input */
    {"input", "messages"},  /* OpenAI preference example */
    {"", "messages"},       /* a request, a fine-tuning example */
};

/* A message of the first dialect that claims it; generic claims last, and
 * what only generic claims settles nothing. */
static void
detect_message(const struct ctx_json *json, uint32_t node,
    struct ctx_shape *shape)
{
	const struct ctx_dialect *row;
	const char *why;
	size_t i;

	for (i = 0; (row = ctx_dialect_at(i)) != NULL; i++) {
		why = row->is(json, node);
		if (why == NULL)
			continue;
		shape->kind = CTX_SHAPE_MESSAGE;
		shape->dialect = row;
		shape->decisive = ctx_dialect_at(i + 1) != NULL;
		shape->why = why;
		return;
	}
}

/* The dialect of an array's messages: that of the first that tells. */
static void
detect_messages(const struct ctx_json *json, uint32_t array,
    struct ctx_shape *shape)
{
	struct ctx_shape one;
	uint32_t message;

	shape->kind = CTX_SHAPE_CONVERSATION;
	shape->messages = array;
	shape->dialect = ctx_dialect_find("generic");
	shape->why = "role and content";
	for (message = array + 1; message < json->nodes[array].next;
	    message = json->nodes[message].next) {
		memset(&one, 0, sizeof one);
		detect_message(json, message, &one);
		if (one.decisive) {
			shape->dialect = one.dialect;
			shape->decisive = true;
			shape->why = one.why;
			return;
		}
	}
}

static void
detect_object(const struct ctx_json *json, uint32_t node,
    struct ctx_shape *shape)
{
	uint32_t request, messages;
	size_t i;

	for (i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++) {
		request = node;
		if (wrappers[i].request[0] != '\0' &&
		    (request = ctx_json_find(json, node,
			 wrappers[i].request)) == 0)
			continue;
		messages = ctx_json_find(json, request, wrappers[i].messages);
		if (!is_array(json, messages))
			continue;
		detect_messages(json, messages, shape);
		shape->request = request;
		shape->in_request = true;
		shape->model = ctx_json_find(json, request, "model");
		return;
	}
	detect_message(json, node, shape);
}

/* An array holds messages or conversations; its first element tells. */
static void
detect_array(const struct ctx_json *json, uint32_t node,
    struct ctx_shape *shape)
{
	struct ctx_shape first = {0};

	if (json->nodes[node].next == node + 1)
		return;
	if (json->nodes[node + 1].kind == CTX_JSON_OBJECT)
		detect_object(json, node + 1, &first);
	if (first.kind == CTX_SHAPE_MESSAGE)
		detect_messages(json, node, shape);
	else if (first.kind == CTX_SHAPE_CONVERSATION)
		shape->kind = CTX_SHAPE_LIST;
}

void
ctx_detect(const struct ctx_json *json, uint32_t node,
    const struct ctx_dialect *expected, struct ctx_shape *shape)
{
	memset(shape, 0, sizeof *shape);
	if (json->nodes[node].kind == CTX_JSON_ARRAY) {
		detect_array(json, node, shape);
	} else if (json->nodes[node].kind == CTX_JSON_OBJECT) {
		/* Most records of a stream are of one kind: asked first, it
		 * spares the others. */
		shape->why = expected == NULL ? NULL : expected->is(json, node);
		if (shape->why == NULL) {
			detect_object(json, node, shape);
			return;
		}
		shape->kind = CTX_SHAPE_MESSAGE;
		shape->dialect = expected;
		shape->decisive = true;
	}
}
