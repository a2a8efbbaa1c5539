/*
 * detect.c - finds out whether a JSON value is a message or contains
 * conversations, and detects the message format
 *
 * The dialect (format) of a message is the first row in the table of dialects
 * that claims the message.  An object with messages in one of its members is a
 * conversation; the table below lists these members.  If no message identifies
 * its dialect, the object around the messages decides.
 */
#define _GNU_SOURCE /* for memmem, which is in POSIX since 2024 */
#include <string.h>

#include "dialect/read.h"

enum {
	/* All messages at this place are of the dialect in the row, whatever
	 * dialect the messages themselves identify. */
	SURE = 1,
	/* the place has one message, not an array of messages */
	SINGLE = 2,
	RESPONSE = 4, /* the messages are the response of a provider */
	/* the first element of the array must be an object with a role */
	WITH_ROLE = 8,
	/* The messages may be a string instead of an array: the text of one
	 * user message. */
	STRING = 16,
	/* the object with the messages must not have a member "type" */
	UNTYPED = 32,
	/* the messages are in the member "body" of the object in the row */
	IN_BODY = 64,
};

/* The table of the places at which a JSON object may contain messages.  The
 * object is a request, a response, or a record that contains a request or
 * response.  The first row that matches an object is used. */
static const struct wrapper {
	/* Key of the record's member with the object that contains the
	 * messages. NULL if the record itself contains them. */
	const char *object;
	/* path to the messages, from the object that contains them (see
	 * ctx_json_find_path) */
	const char *messages;
	/* Dialect (message format) of the messages if the messages do not
	 * identify it.  NULL if other members of the object may identify the
	 * dialect (member_dialects). */
	const char *dialect;
	unsigned flags; /* SURE and the other flags above */
	/* key of the member of each element that contains the message, or NULL;
	 * see struct ctx_record_layout */
	const char *element;
	/* key of a member that the object with the messages must have, or
	 * NULL */
	const char *with;
} wrappers[] = {
    {"body", "messages", "openai-chat", 0, NULL, NULL},
    {"body", "input", "openai-responses", SURE | STRING, NULL, NULL},
    {"params", "messages", "anthropic", 0, NULL, NULL},
    {"request", "contents", "gemini", SURE, NULL, NULL},
    /* a line of a Bedrock batch */
    {"modelInput", "messages", NULL, 0, NULL, NULL},
    /* OpenAI's preference data: a conversation and several outputs of a model,
     * one of which is preferred.  The outputs do not belong to the
     * conversation. */
    {"input", "messages", "openai-chat", 0, NULL, NULL},
    {NULL, "contents", "gemini", SURE, NULL, NULL},
    /* a request, a fine-tuning example */
    {NULL, "messages", NULL, 0, NULL, NULL},
    {NULL, "conversations", NULL, 0, NULL, NULL},   /* a record of ShareGPT */
    {NULL, "conversation", NULL, 0, NULL, NULL},    /* a goose export */
    {"inputs", "messages", NULL, 0, NULL, NULL},    /* a LangSmith run */
    {NULL, "history", NULL, WITH_ROLE, NULL, NULL}, /* SWE-agent trajectory */
    {NULL, "traj", NULL, WITH_ROLE, NULL, NULL},    /* tau-bench trajectory */
    {NULL, "steps", "atif", SURE, NULL, "schema_version"},
    /* OpenTelemetry: the messages are members of the record, or of its object
     * "attributes".  Their keys contain dots. */
    {NULL, "gen_ai.input.messages", "otel-genai", SURE, NULL, NULL},
    {"attributes", "gen_ai.input.messages", "otel-genai", SURE, NULL, NULL},
    {NULL, "prompt", NULL, 0, NULL, NULL}, /* preference sets of TRL */
    {NULL, "input", "openai-responses", SURE | STRING | UNTYPED, NULL, NULL},
    /* logs of requests to a provider */
    {"request", "messages", NULL, 0, NULL, NULL},
    {"request", "input", "openai-responses", SURE | STRING | UNTYPED, NULL,
	NULL},
    {"request_body", "messages", NULL, 0, NULL, NULL},
    {"request_body", "contents", "gemini", SURE, NULL, NULL},
    {"request_body", "input", "openai-responses", SURE | STRING | UNTYPED, NULL,
	NULL},
    /* responses of providers, also in the results of a batch */
    {"response", "choices", "openai-chat", RESPONSE | IN_BODY, "message", NULL},
    {"response", "output", "openai-responses", SURE | RESPONSE | IN_BODY, NULL,
	NULL},
    {"result", "message", "anthropic", SINGLE | RESPONSE, NULL, NULL},
    {"response", "candidates", "gemini", SURE | RESPONSE, "content", NULL},
    {"modelOutput", "output/message", "bedrock", SINGLE | RESPONSE, NULL, NULL},
    {NULL, "output/message", "bedrock", SINGLE | RESPONSE, NULL, "stopReason"},
    {NULL, "message", "ollama", SINGLE | RESPONSE, NULL, "prompt_eval_count"},
    /* a LangSmith run */
    {"outputs", "generations", NULL, RESPONSE, "message", NULL},
    {NULL, "generations", NULL, RESPONSE, "message", NULL},
    {NULL, "choices", "openai-chat", RESPONSE, "message", NULL},
    {NULL, "candidates", "gemini", SURE | RESPONSE, "content", NULL},
    {NULL, "output", "openai-responses", SURE | RESPONSE | UNTYPED, NULL, NULL},
    {NULL, "gen_ai.output.messages", "otel-genai", SURE | RESPONSE, NULL, NULL},
    {"attributes", "gen_ai.output.messages", "otel-genai", SURE | RESPONSE,
	NULL, NULL},
};

/* Members of a request that identify the dialect (format) of its messages.
 * Tested only if neither the messages nor their place in the record identifies
 * the dialect. */
static const struct {
	const char *key, *dialect;
} member_dialects[] = {
    {"inferenceConfig", "bedrock"},
    {"toolConfig", "bedrock"},
    {"modelId", "bedrock"},
    {"system", "anthropic"},
    {"anthropic_version", "anthropic"},
};

/* Returns true if an object has only the members role, content (a string), and
 * perhaps name.  Messages of many formats have only these members. */
static bool
is_plain_message(const struct ctx_json *json, uint32_t node)
{
	const struct ctx_node *nodes = json->nodes;
	uint32_t key, role = 0;

	if (nodes[node].kind != CTX_JSON_OBJECT)
		return false;
	for (key = node + 1; key < nodes[node].next;
	     key = nodes[key + 1].next) {
		if (nodes[key + 1].kind != CTX_JSON_STRING)
			return false;
		if (ctx_json_is(json, key, "role"))
			role = key + 1;
		else if (!ctx_json_is(json, key, "content") &&
		    !ctx_json_is(json, key, "name"))
			return false;
	}
	return ctx_json_is(json, role, "user") ||
	    ctx_json_is(json, role, "assistant") ||
	    ctx_json_is(json, role, "system");
}

/* Sets the dialect of a message with only role and content to "generic",
 * because no other dialect claims such a message.  Such messages are frequent,
 * so this fast test is made first. */
static bool
detect_plain_message(const struct ctx_json *json, uint32_t node,
    struct ctx_record_layout *layout)
{
	if (!is_plain_message(json, node))
		return false;
	layout->kind = CTX_LAYOUT_MESSAGE;
	layout->dialect = ctx_dialect_find("generic");
	layout->why = "role and content";
	return true;
}

/* Finds the dialect (format) that a message with only role and content
 * suggests.  The message itself is "generic", because many formats allow such a
 * message.  The suggestion is used only if no other message identifies a
 * dialect. */
static void
detect_likely(const struct ctx_json *json, uint32_t node,
    struct ctx_record_layout *layout)
{
	const struct ctx_dialect *row;
	const char *why;
	size_t i;

	for (i = 0; (row = ctx_dialect_at(i)) != NULL; i++) {
		why = row->likely == NULL ? NULL : row->likely(json, node);
		if (why == NULL)
			continue;
		layout->dialect = row;
		layout->likely = true;
		layout->why = why;
		return;
	}
}

/* Sets the dialect (format) of a message: the first row of the table of
 * dialects whose function "matches" claims the message.  "generic", the last
 * row, claims every message with role and content.  So after "generic", other
 * messages of the conversation may still identify another dialect. */
static void
detect_message(const struct ctx_json *json, uint32_t node,
    struct ctx_record_layout *layout)
{
	const struct ctx_dialect *row;
	const char *why;
	size_t i;

	if (detect_plain_message(json, node, layout))
		return;
	for (i = 0; (row = ctx_dialect_at(i)) != NULL; i++) {
		why = row->matches(json, node);
		if (why == NULL)
			continue;
		layout->kind = CTX_LAYOUT_MESSAGE;
		layout->dialect = row;
		layout->decisive = ctx_dialect_at(i + 1) != NULL;
		layout->why = why;
		if (!layout->decisive)
			detect_likely(json, node, layout);
		return;
	}
}

/* Chooses the dialect (format) of messages if no message identifies it: Chat
 * Completions if chat is not NULL, otherwise the dialect that a message
 * suggests. chat: a text for users that says why the messages must be of Chat
 * Completions. */
static void
choose_likely(const struct ctx_record_layout *likely, const char *chat,
    struct ctx_record_layout *layout)
{
	if (!likely->likely)
		return;
	layout->decisive = chat != NULL;
	layout->likely = chat == NULL;
	layout->dialect = likely->dialect;
	layout->why = likely->why;
	if (chat == NULL)
		return;
	layout->dialect = ctx_dialect_find("openai-chat");
	layout->why = chat;
}

/* Finds the dialect (format) of an array of messages.  The first message that
 * is possible in only one dialect identifies it. */
static void
detect_messages(const struct ctx_json *json, struct ctx_record_layout *layout)
{
	uint32_t node = layout->messages + !layout->is_single_message, message;
	struct ctx_record_layout one, likely = {0};
	const char *chat = NULL;
	bool first = true;

	layout->kind = CTX_LAYOUT_CONVERSATION;
	layout->dialect = ctx_dialect_find("generic");
	layout->why = "role and content";
	for (; node < json->nodes[layout->messages].next;
	     node = json->nodes[node].next) {
		message = node;
		if (layout->element != NULL)
			message = ctx_json_find(json, node, layout->element);
		memset(&one, 0, sizeof one);
		if (message != 0)
			detect_message(json, message, &one);
		if (one.decisive) {
			layout->dialect = one.dialect;
			layout->decisive = true;
			layout->why = one.why;
			return;
		}
		if (one.likely && !likely.likely)
			likely = one;
		if (one.kind == CTX_LAYOUT_MESSAGE && chat == NULL)
			chat = ctx_detect_chat(json, message, first);
		first = false;
	}
	choose_likely(&likely, chat, layout);
}

/* Sets the dialect (format) of messages by the object that contains them.  Used
 * if an object of this kind has messages of only one dialect, or if no message
 * identifies the dialect. */
static void
detect_by_wrapper(const struct ctx_json *json, const struct wrapper *wrapper,
    struct ctx_record_layout *layout)
{
	bool sure = wrapper->flags & SURE;
	size_t i;

	if (layout->decisive && !sure)
		return;
	layout->decisive |= sure;
	if (wrapper->dialect != NULL) {
		layout->dialect = ctx_dialect_find(wrapper->dialect);
		layout->why = wrapper->messages;
		return;
	}
	for (i = 0; i < CTX_LENGTH(member_dialects); i++) {
		if (ctx_json_find(json, layout->request,
			member_dialects[i].key) == 0)
			continue;
		layout->dialect = ctx_dialect_find(member_dialects[i].dialect);
		layout->why = member_dialects[i].key;
		return;
	}
}

bool
ctx_is_conversation(const struct ctx_json *json, uint32_t node)
{
	return ctx_json_is_array(json, node) &&
	    json->nodes[node].next > node + 1 &&
	    ctx_json_find(json, node + 1, "role") != 0;
}

/* Returns true if the member "input" of a request is a user's prompt for OpenAI
 * Responses, written as a string.  Other objects also have a member "input",
 * but no messages: requests for embeddings, moderation or speech, and records
 * of data sets. */
static bool
is_prompt(const struct ctx_json *json, uint32_t request, uint32_t input)
{
	static const char *const others[] = {"output", "voice", "dimensions",
	    "encoding_format", "input_type", NULL};
	static const char *const models[] = {"embed", "moderation", "tts",
	    "rerank"};
	uint32_t model = ctx_json_find(json, request, "model");
	struct ctx_str name;
	size_t i;

	if (json->nodes[input].kind != CTX_JSON_STRING ||
	    !ctx_json_is_string(json, model) ||
	    ctx_json_find_any(json, request, others) != 0)
		return false;
	name = ctx_json_str(json, model);
	for (i = 0; i < CTX_LENGTH(models); i++)
		if (memmem(name.p, name.n, models[i], strlen(models[i])) !=
		    NULL)
			return false;
	return true;
}

/* Returns the JSON node of the model's name in a request or response, or 0 if
 * it has none. */
static uint32_t
find_model_of_request(const struct ctx_json *json, uint32_t request)
{
	static const char *const keys[] = {"model", "modelId", "modelVersion",
	    "gen_ai.request.model", NULL};
	uint32_t model = ctx_json_find_any(json, request, keys);

	return model != 0
	    ? model
	    : ctx_json_find_path(json, request, "agent/model_name");
}

/* Looks for messages at the place that a row of the table describes. node: JSON
 * object that is searched.  Returns the JSON node of the messages, and sets
 * *request to the object that has the messages as a member.  Returns 0 if there
 * are no messages. */
static uint32_t
find_wrapped_messages(const struct ctx_json *json, uint32_t node,
    const struct wrapper *wrapper, uint32_t *request)
{
	unsigned flags = wrapper->flags;
	uint32_t messages;

	*request = node;
	if (wrapper->object != NULL &&
	    (*request = ctx_json_find(json, node, wrapper->object)) == 0)
		return 0;
	if ((flags & IN_BODY) &&
	    (*request = ctx_json_find(json, *request, "body")) == 0)
		return 0;
	if (((flags & UNTYPED) && ctx_json_find(json, *request, "type") != 0) ||
	    (wrapper->with != NULL &&
		ctx_json_find(json, *request, wrapper->with) == 0))
		return 0;
	messages = ctx_json_find_path(json, *request, wrapper->messages);
	if (messages != 0 && (flags & STRING) &&
	    is_prompt(json, *request, messages))
		return messages;
	if (messages == 0 ||
	    json->nodes[messages].kind !=
		(flags & SINGLE ? CTX_JSON_OBJECT : CTX_JSON_ARRAY))
		return 0;
	/* An array of strings is the input of a request for completions or
	 * embeddings, and contains no messages. */
	if (ctx_count_strings(json, messages) > 0)
		return 0;
	if ((flags & WITH_ROLE) && !ctx_is_conversation(json, messages))
		return 0;
	/* LangSmith puts the array of messages into another array that has no
	 * other element. */
	if (json->nodes[messages].next > messages + 1 &&
	    ctx_json_is_array(json, messages + 1) &&
	    json->nodes[messages].next == json->nodes[messages + 1].next)
		messages++;
	return messages;
}

/* Returns true if a request of the Responses API continues a response or
 * conversation that OpenAI has stored. */
static bool
reads_remote_state(const struct ctx_json *json, const struct wrapper *wrapper,
    uint32_t request)
{
	uint32_t before = ctx_json_find(json, request, "previous_response_id");
	uint32_t talk = ctx_json_find(json, request, "conversation");

	if (wrapper->dialect == NULL ||
	    strcmp(wrapper->dialect, "openai-responses") != 0)
		return false;
	return ctx_json_is_string(json, before) ||
	    (talk != 0 &&
		(json->nodes[talk].kind == CTX_JSON_STRING ||
		    json->nodes[talk].kind == CTX_JSON_OBJECT));
}

/* Returns the JSON node of the tool definitions of a request, or 0. */
static uint32_t
find_tools(const struct ctx_json *json, uint32_t request)
{
	static const char *const keys[] = {"tools", "functions",
	    "gen_ai.tool.definitions", NULL};
	uint32_t list = ctx_json_find_any(json, request, keys);

	return list != 0 && json->nodes[list].kind != CTX_JSON_NULL
	    ? list
	    : ctx_json_find_path(json, request, "toolConfig/tools");
}

static void
detect_object(const struct ctx_json *json, uint32_t node,
    struct ctx_record_layout *layout)
{
	const struct wrapper *wrapper;
	size_t i;

	if (detect_plain_message(json, node, layout))
		return;
	for (i = 0; i < CTX_LENGTH(wrappers); i++) {
		wrapper = &wrappers[i];
		layout->messages = find_wrapped_messages(json, node, wrapper,
		    &layout->request);
		if (layout->messages == 0)
			continue;
		layout->element = wrapper->element;
		layout->is_single_message = (wrapper->flags & SINGLE) ||
		    json->nodes[layout->messages].kind == CTX_JSON_STRING;
		layout->is_response = wrapper->flags & RESPONSE;
		layout->in_request = !layout->is_response;
		layout->tools =
		    layout->in_request ? find_tools(json, layout->request) : 0;
		layout->model = find_model_of_request(json, layout->request);
		layout->has_remote_state = layout->in_request &&
		    reads_remote_state(json, wrapper, layout->request);
		detect_messages(json, layout);
		detect_by_wrapper(json, wrapper, layout);
		return;
	}
	layout->request = 0;
	detect_message(json, node, layout);
}

/* Finds the message format of an array.  The first element that is a message or
 * a conversation decides. */
static void
detect_element(const struct ctx_json *json, uint32_t array,
    struct ctx_record_layout *layout)
{
	uint32_t one, end = json->nodes[array].next;

	memset(layout, 0, sizeof *layout);
	for (one = array + 1; one < end && layout->kind == CTX_LAYOUT_OTHER;
	     one = json->nodes[one].next) {
		memset(layout, 0, sizeof *layout);
		if (json->nodes[one].kind == CTX_JSON_OBJECT)
			detect_object(json, one, layout);
	}
}

/* Finds out whether an array contains messages or conversations.  A
 * conversation is an object, or an array of messages inside the array. */
static void
detect_array(const struct ctx_json *json, uint32_t node,
    struct ctx_record_layout *layout)
{
	uint32_t one, end = json->nodes[node].next;
	struct ctx_record_layout first;

	detect_element(json, node, &first);
	if (first.kind == CTX_LAYOUT_MESSAGE) {
		layout->messages = node;
		detect_messages(json, layout);
		return;
	}
	for (one = node + 1; one < end && first.kind == CTX_LAYOUT_OTHER;
	     one = json->nodes[one].next)
		if (ctx_json_is_array(json, one))
			detect_element(json, one, &first);
	if (first.kind != CTX_LAYOUT_OTHER) {
		layout->kind = CTX_LAYOUT_LIST;
		layout->list = node;
	}
}

void
ctx_detect(const struct ctx_json *json, uint32_t node,
    const struct ctx_dialect *expected, struct ctx_record_layout *layout)
{
	uint32_t list = ctx_json_find(json, node, "requests");

	memset(layout, 0, sizeof *layout);
	/* The body of a batch for Anthropic is an object that contains an array
	 * of requests. */
	if (ctx_json_is_array(json, list))
		detect_array(json, list, layout);
	if (layout->kind == CTX_LAYOUT_LIST)
		return;
	memset(layout, 0, sizeof *layout);
	if (json->nodes[node].kind == CTX_JSON_ARRAY) {
		detect_array(json, node, layout);
	} else if (json->nodes[node].kind == CTX_JSON_OBJECT) {
		/* Most records of a stream are of the same dialect.  So testing
		 * for the expected dialect first saves time. */
		layout->why =
		    expected == NULL ? NULL : expected->matches(json, node);
		if (layout->why == NULL && expected != NULL &&
		    expected->matches_expected != NULL)
			layout->why = expected->matches_expected(json, node);
		if (layout->why == NULL) {
			detect_object(json, node, layout);
			return;
		}
		layout->kind = CTX_LAYOUT_MESSAGE;
		layout->dialect = expected;
		layout->decisive = true;
	}
}

uint32_t
ctx_find_model_of_messages(const struct ctx_json *json,
    const struct ctx_record_layout *layout)
{
	const struct ctx_dialect *dialect = layout->dialect;
	uint32_t node = layout->messages + 1, model = 0, found;

	if (dialect->find_model == NULL)
		return 0;
	if (layout->kind == CTX_LAYOUT_MESSAGE)
		return dialect->find_model(json, 0);
	for (; node < json->nodes[layout->messages].next;
	     node = json->nodes[node].next) {
		found = dialect->find_model(json, node);
		if (ctx_json_is_string(json, found))
			model = found;
	}
	return model;
}
