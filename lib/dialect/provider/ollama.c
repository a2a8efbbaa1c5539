/*
 * ollama.c - reads messages of Ollama and of chat templates
 *
 * The messages are Chat Completions messages with these differences.  Arguments
 * are an object.  A tool result contains the name of its tool, the id of its
 * tool call, or neither.  Images are base64 strings in a member beside the
 * content.  Reasoning is in the member "thinking".  Chat templates have
 * placeholder blocks for media.
 *
 * Sources: api/types.go of ollama, August 2026; the chat templates of
 * transformers.
 */
#include "dialect/read.h"

/* Returns the JSON node of the arguments of the first tool call in a message,
 * or 0 if there is none. */
static uint32_t
find_first_arguments(const struct ctx_json *json, uint32_t node)
{
	uint32_t calls = ctx_find_list(json, node, "tool_calls"), call, body;

	if (calls == 0)
		return 0;
	call = calls + 1;
	body = ctx_json_find(json, call, "function");
	return ctx_json_find(json, body != 0 ? body : call, "arguments");
}

const char *
ctx_ollama_is(const struct ctx_json *json, uint32_t node)
{
	uint32_t args = find_first_arguments(json, node), images, thinking;

	if (ctx_json_find(json, node, "role") == 0)
		return NULL;
	if (args != 0)
		return json->nodes[args].kind == CTX_JSON_OBJECT
		    ? "arguments as an object"
		    : NULL;
	if (ctx_json_find(json, node, "tool_name") != 0)
		return "tool_name";
	images = ctx_find_list(json, node, "images");
	if (images != 0 && json->nodes[images + 1].kind == CTX_JSON_STRING)
		return "images";
	thinking = ctx_json_find(json, node, "thinking");
	if (ctx_json_is_string(json, thinking))
		return "thinking";
	return NULL;
}

/* Returns why a tool message may be of Ollama, as a text for users: because it
 * has the member "tool_call_id".  Chat Completions has this member, too.  So
 * this function is called only if the stream has another message that can only
 * be of Ollama, for example a message with a tool call whose arguments are an
 * object. */
const char *
ctx_ollama_also(const struct ctx_json *json, uint32_t node)
{
	uint32_t role = ctx_json_find(json, node, "role");

	return ctx_json_is(json, role, "tool") &&
		ctx_json_find(json, node, "tool_call_id") != 0
	    ? "tool_call_id"
	    : NULL;
}

static int
read_image(const struct ctx_json *json, uint32_t image,
    struct ctx_message *message, struct ctx_err *err)
{
	(void)json;
	return ctx_read_block(message, CTX_BLOCK_MEDIA, image, err);
}

/* Makes placeholders such as {"type": "image"}, which chat templates use for
 * media, media blocks.  The functions for Chat Completions have read the
 * placeholders as opaque blocks (blocks that ctx does not know). */
static void
find_placeholders(struct ctx_message *message)
{
	static const char *const types[] = {"image", "video", "audio", NULL};
	uint32_t type;
	size_t i;

	for (i = 0; i < message->n; i++) {
		if (message->blocks[i].kind != CTX_BLOCK_OPAQUE)
			continue;
		type = ctx_json_find(message->json, message->blocks[i].payload,
		    "type");
		if (ctx_json_is_any(message->json, type, types))
			message->blocks[i].kind = CTX_BLOCK_MEDIA;
	}
}

int
ctx_ollama_read(const struct ctx_json *json, uint32_t node,
    struct ctx_message *message, struct ctx_err *err)
{
	int rc = ctx_openai_chat_read(json, node, message, err);

	if (rc <= 0)
		return rc;
	find_placeholders(message);
	message->time = ctx_json_find(json, node, "created_at");
	message->model = ctx_json_find(json, node, "model");
	/* Ollama writes the name of the tool beside the content of a tool
	 * message.  ctx stores the name in the tool result, which is the first
	 * block of the message. */
	if (message->role == CTX_ROLE_TOOL && message->blocks[0].name == 0)
		message->blocks[0].name =
		    ctx_json_find(json, node, "tool_name");
	if (message->role == CTX_ROLE_ASSISTANT &&
	    ctx_read_member(message, node, "thinking", CTX_BLOCK_REASONING,
		err) < 0)
		return -1;
	return ctx_read_content(message, ctx_find_list(json, node, "images"),
		   read_image, err) < 0
	    ? -1
	    : 1;
}
