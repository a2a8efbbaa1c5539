/* tool_definitions.h - counts the tokens of tool definitions: of those that are
 * in the prompt before the messages, and of those that a message loads */
#ifndef CTX_COST_TOOL_DEFINITIONS_H
#define CTX_COST_TOOL_DEFINITIONS_H

#include "cost/cost.h"
#include "cost/prompt_writer.h"

/*
 * A request marks a tool as deferred with "defer_loading": true.  Its
 * definition is not in the prompt until a tool search has found the tool; then
 * it is in the prompt at the place of the search result.  With OpenAI, the name
 * and the description of a deferred function or MCP server are in the prompt
 * from the beginning; of the deferred functions in a namespace, nothing is.
 */
struct ctx_tool_count {
	struct ctx_counter *counter;
	const struct ctx_json *json; /* the request */
	/* surcharges of the model's rule for tools: tokens that are billed in
	 * addition to those of texts */
	const struct ctx_surcharges *extra;
	struct ctx_cost cost; /* tokens and characters counted so far */
	/* Tool definitions, in the form in which the model gets them, and what
	 * writes them to this buffer.  Their tokens are not in "cost" yet. */
	struct ctx_buf text;
	struct ctx_prompt_writer to;
	/* Numbers of tokens that are published or were measured, and are not in
	 * "cost" yet: those of the provider's own tools, and those of the text
	 * around the tool definitions. */
	int64_t fixed;
	bool any; /* true if the prompt has a tool */
	/* true if names and descriptions of deferred tools are in the prompt
	 * from the beginning; set by the caller */
	bool shows_deferred;
	bool has_deferred; /* true if the request has deferred tools */
};

/* Prepares to count definitions in the request "json".  The caller must call
 * ctx_tool_count_end at the end. b: must not be moved in between. */
void ctx_tool_count_begin(struct ctx_tool_count *b, struct ctx_counter *counter,
    const struct ctx_json *json, const struct ctx_surcharges *extra,
    struct ctx_err *err);
void ctx_tool_count_end(struct ctx_tool_count *b);
/* Adds the tokens of all tool definitions that are in the prompt before the
 * messages.  The definitions are an array or, in the AI SDK, an object.  In
 * Gemini's format, each element of the array contains an array of functions.
 * In ShareGPT's format, the definitions are a string with the JSON of an array,
 * which the model gets unchanged. */
int ctx_tools_add(struct ctx_tool_count *b, uint32_t list, struct ctx_err *err);
/* Adds the tokens of the names and texts in a JSON schema. */
int ctx_tools_count_schema(struct ctx_tool_count *b, uint32_t schema,
    struct ctx_err *err);
/* Adds to *cost the tokens of the deferred tools that block i of a message, an
 * opaque block, loads by references of the type tool_reference. place: the
 * message in the request that defines the tools: usually the message itself,
 * but the original of an edited message that was parsed alone. */
int ctx_count_loaded_tools(struct ctx_counter *counter,
    const struct ctx_message *message, size_t i,
    const struct ctx_message *place, struct ctx_cost *cost,
    struct ctx_err *err);

/* Looks up several keys in an object.  Returns the JSON node of the value of
 * the first key that the object has.  Returns 0 if this value is null, or if
 * the object has none of the keys. */
uint32_t ctx_tool_find_any(const struct ctx_json *json, uint32_t obj,
    const char *const *keys);

#endif
